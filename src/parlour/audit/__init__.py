"""The audit: nothing leaks, nothing is lost, and every promise of the engine about a game holds.

:func:`audit` plays a game at random under many settings and runs the checks of :data:`CHECKS` on it.  ``docs/audit.md``
says what each check proves, and what it does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from parlour.audit.bindings import bindings
from parlour.audit.bots import bots
from parlour.audit.campaign import Effort, Setting, Surveys, campaign, settings
from parlour.audit.conduct import bounds, chance, clauses, conservation, copies, end
from parlour.audit.folder import folder, never_cited
from parlour.audit.hearing import asked, events
from parlour.audit.material import MANY, Bots, Material
from parlour.audit.options import options
from parlour.audit.recall import hidden, legal, recall, tensors, writers
from parlour.audit.report import CheckResult, Fault, Notes, Report, summed
from parlour.audit.secrets import alongside, open_, order, swap
from parlour.audit.stated import stated
from parlour.audit.taking_back import undo
from parlour.audit.wording import in_words
from parlour.audit.worlds import odds, records, redeal
from parlour.base.errors import unknown
from parlour.core.game import Game
from parlour.engine.definition import definition
from parlour.players import kinds, make
from parlour.players.characters import Character, characters

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

__all__ = [
    "CHECKS",
    "Bots",
    "CheckResult",
    "Fault",
    "Report",
    "audit",
    "settings",
]

CHECKS: Final[Mapping[str, tuple[Callable[[Material, Notes], None], str]]] = {
    "end": (end, "random games end"),
    "swap": (swap, "hidden cards are wiped or dealt again: nothing that reaches a player changes"),
    "alongside": (alongside, "two games that a player must not tell apart look the same to that player"),
    "events": (events, "what a player hears about a step follows from what they may know before and after it"),
    "asked": (asked, "who is asked follows from what a player may know"),
    "open": (open_, "a game that says it hides nothing tells everything"),
    "hidden": (hidden, "a step that a player cannot notice leaves their key unchanged"),
    "order": (order, "the order of sealed answers is not visible anywhere"),
    "legal": (legal, "legal actions follow from what a player knows"),
    "recall": (recall, "equal keys mean equal histories of the player's own, and vice versa"),
    "tensors": (tensors, "tensors of information states tell apart what keys do, and nothing else"),
    "writers": (writers, "JSON, text, tensor and key tell the same things apart"),
    "chance": (chance, "chances add up to one; names lead back to what they name"),
    "conservation": (conservation, "nothing is lost, and every field stays in its range"),
    "bounds": (bounds, "no result and no game exceeds what the game states"),
    "copies": (copies, "what is done to a copy never changes the past"),
    "redeal": (redeal, "a redealt position agrees with the player's view and can be played on"),
    "odds": (odds, "redealt positions are as frequent as exact enumeration says"),
    "undo": (undo, "a step that may be taken back has taught nobody anything"),
    "records": (records, "positions and games survive storage"),
    "bindings": (bindings, "the compiled rules are the interpreted ones"),
    "clauses": (clauses, "refusals and events cite clauses of the book"),
    "bots": (bots, "players choose by their view alone"),
    "folder": (folder, "every file of the game's folder can be read, and names only what there is"),
    "options": (options, "an option is compared only with its own values"),
}
"""Each check by name: the function, and a sentence about it.  They are run in this order."""
FIRST: Final = "end"
"""The check that all others need: if games do not end, nothing else is checked."""
CHECKING: Final = "PARLOUR_BOUNDS_CHECK"
"""The variable that has indexes checked in machine code (:mod:`parlour.engine.c.building`)."""
WORDS: Final = "clauses"
"""The check that every event has a sentence, without which most others cannot be made."""


def audit(
    game: str | Game,
    *,
    players: int | None = None,
    options: Mapping[str, int | str] | None = None,
    games: int = 20,
    seed: int = 0,
    exhaustive: int = 12_000,
    checks: Iterable[str] | None = None,
    bots: Bots | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Run the checks (default: all of :data:`CHECKS`) on a game, in ``games`` random games.

    ``game``: a game given by name is audited with every number of players and every value of every option, one at a
    time (``players`` or ``options`` fix the setting); a :class:`~parlour.Game` is audited as it is.  A value that
    changes what players know is inspected in all of these games; any other is inspected in a few games that together
    show everything that occurs in any of them.  ``bots``: functions that make the players to check (default: the
    players that come with Parlour for this game).  A game with at most ``exhaustive`` positions is also inspected as a
    whole.  ``progress`` is called with a line about each piece of work.

    The check ``end`` comes first, in all settings; if a game does not end in one of them, nothing else is checked.
    Raises ``ParlourError`` if there is no such game, option or check.

    >>> report = audit("kuhn", games=2, checks=["chance", "conservation"])
    >>> report.ok, report["chance"].verdict
    (True, 'ok')
    """
    chosen = list(CHECKS) if checks is None else list(checks)
    for check in chosen:
        if check not in CHECKS:
            raise unknown("check", check, CHECKS)
    with _checked(game.definition if isinstance(game, Game) else definition(game)):
        return _audited(game, players, options, range(seed, seed + games), exhaustive, chosen, bots, progress)


@contextmanager
def _checked(what: Definition) -> Iterator[None]:
    """Have machine code of a game of somebody's own check every index: a wrong one would end the process.  Those of the
    games that come with Parlour have been checked."""
    if CHECKING in os.environ or what.package.startswith("parlour.games."):
        yield
        return
    os.environ[CHECKING] = "1"
    try:
        yield
    finally:
        del os.environ[CHECKING]


def _audited(
    game: str | Game,
    players: int | None,
    options: Mapping[str, int | str] | None,
    seeds: range,
    exhaustive: int,
    chosen: Sequence[str],
    bots: Bots | None,
    progress: Callable[[str], None] | None,
) -> Report:
    found = [Setting(game)] if isinstance(game, Game) else list(campaign(game, players, options))
    # read them now, so that a mistake there is reported once, not by every check
    stated(found[0].game)
    surveys = Surveys(seeds)
    efforts = []
    for setting in found:
        if progress:
            progress(f"{setting.game!r}")
        efforts.append(surveys.effort(setting))
    notes: dict[str, list[Notes]] = {}
    lacking = found[0].game.definition.unsaid if WORDS in chosen else ""
    for some in ([FIRST] if FIRST in chosen else [], [check for check in chosen if check != FIRST]):
        if lacking and some != [FIRST]:
            notes[WORDS] = [Notes(found[0].game, WORDS)]
            notes[WORDS][0].fault(lacking)
            break
        notes |= {check: [] for check in some}
        for index, (setting, effort) in enumerate(zip(found, efforts, strict=True) if some else []):
            main = index == 0 or setting.usual is None
            for note in look(setting.game, effort, some, exhaustive if main else 0, main, bots, progress):
                notes[note.check].append(note)
            if any(note.faults for note in notes.get(FIRST, ())):
                break
        if any(note.faults for note in notes.get(FIRST, ())):
            break
    return Report(
        found[0].game.id,
        tuple(setting.game for setting in found),
        tuple(summed(check, CHECKS[check][1], notes[check]) for check in chosen if check in notes),
        {setting.game: effort.why for setting, effort in zip(found, efforts, strict=True) if effort.why},
        tuple(check for check in chosen if check not in notes),
        lacking if WORDS in notes else "",
        tuple(never_cited(found[0].game.definition)) if WORDS in notes else (),
    )


def look(
    game: Game,
    effort: Effort,
    checks: Iterable[str],
    exhaustive: int = 0,
    search: bool = False,
    bots: Bots | None = None,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Notes]:
    """Run some checks on one setting of a game, with this effort.  If its games do not end, and :data:`FIRST` is the
    first check, only that one is run.

    >>> import parlour
    >>> [note.check for note in look(parlour.load("kuhn"), Effort(range(2), True), ["chance", "bounds"])]
    ['chance', 'bounds']
    """
    players = offered(game, search and game.players <= MANY) if bots is None else bots
    material = Material(game, effort.seeds, players, tree_most=exhaustive)
    if effort.full:
        material.small_worlds, material.crowd_worlds = 1000, 20_000
    else:
        material.moments, material.shadows, material.redeals = 15, 1, 1
        material.exact, material.exact_in_small, material.seats_most = 1, True, 3
    for check in checks:
        if progress:
            progress(f"{game!r}: {check}")
        noted = _noted(check, material, effort)
        yield noted
        if check == FIRST and noted.faults:
            return


def _noted(check: str, material: Material, effort: Effort) -> Notes:
    notes = Notes(material.game, check, effort.full)
    try:
        CHECKS[check][0](material, notes)
    except Exception as error:  # a check that breaks off is a finding
        notes.fault(f"the check stopped: {in_words(material.game, error)}")
    for walked in material.broke_off():
        notes.fault(walked.broke_off(material.most), walked.last)
    return notes


FEW = {"search": 40, "best": 10}
"""Simulations a move of players that search, while they are audited."""


def offered(game: Game, search: bool = True) -> Bots:
    """Return the players that come with Parlour for a game.  Search uses few simulations and interpreted rules, or is
    left out."""

    def maker(kind: str) -> Callable[[Game, int], object]:
        if kind in FEW:
            return lambda game, seed: make(f"{kind}:{FEW[kind]}", game, seed, binding="interpreted")
        return lambda game, seed: make(kind, game, seed)

    def twisted(one: Character) -> Callable[[Game, int], object]:
        if one.plays.name in FEW:
            return lambda game, seed: make(f"{one.kind}:{FEW[one.plays.name]}", game, seed, binding="interpreted")
        return lambda game, seed: make(one.kind, game, seed)

    # without slips or risk, a character plays like its kind
    twists = [one for one in characters(game.definition) if one.slips or one.risk]
    plain = {kind: maker(kind) for kind in kinds(game) if search or kind not in FEW}
    own = {one.kind: twisted(one) for one in twists if search or one.plays.name not in FEW}
    return {**plain, **own}  # type: ignore[dict-item]
