"""What several test modules use: settings of games, random play, scripted Diamonds."""

from __future__ import annotations

import ast
import gc
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pexpect
import pytest
from hypothesis import settings

import parlour
from parlour import CHANCE, SEVERAL, Game, State
from parlour.base.errors import ParlourError
from parlour.core.batch import start_records
from parlour.engine.definition import Definition, definition, shelf
from parlour.engine.kernel import every_kernel
from parlour.engine.kernels.bulk import GameSums
from parlour.engine.native import compilers
from parlour.engine.positions import dtype_of
from parlour.engine.telling import restored
from parlour.players.kernels.arena import NOTES
from parlour.players.simple import prepared
from tests.waiting import LIMIT

Planter = Callable[..., Game]
"""Makes a game of an author: what the fixture ``plant`` is."""

GAMES = (*shelf(), "sampler")
"""Every game of the package, and the one that is in the tests only."""

COMPILER = next(compilers(), ())
"""The command of the compiler of C that is here."""
NO_COMPILER = "there is no compiler of C (make test says what to install)"
needs_a_compiler = pytest.mark.skipif(not COMPILER, reason=NO_COMPILER)


T = TypeVar("T")


def there(one: T | None) -> T:
    """What is there; that nothing is would be a failure."""
    assert one is not None
    return one


# ------------------------------------------------------------------------------------------ kernels


class Bound:
    """All that Parlour's kernels do for a game, by name: what no program needs at once."""

    def __init__(self, game: Definition, how: str) -> None:
        self._game, self._how, self.dtype = game, how, dtype_of(game)

    def __getattr__(self, name: str) -> Any:
        used = dict.fromkeys(one for kernel in every_kernel().kernels for one in kernel.closure)
        for kernel in used:
            found = vars(sys.modules[kernel.module]).get(name)
            if getattr(found, "__module__", "") == kernel.module:
                return getattr(getattr(kernel, self._how)(self._game), name)
        raise AttributeError(name)


@cache
def compiled(game: Definition) -> Bound:
    """All entries as machine code."""
    return Bound(game, "compiled")


@cache
def interpreted(game: Definition) -> Bound:
    """All functions as plain Python."""
    return Bound(game, "interpreted")


# ------------------------------------------------------------------------------------------ settings of a game


@dataclass(frozen=True)
class Setting:
    """A game with a number of players and house rules."""

    game: str
    players: int
    options: tuple[tuple[str, str], ...] = ()

    def load(self) -> Game:
        return parlour.load(self.game, self.players, **dict(self.options))

    def __str__(self) -> str:
        several = len(self.options) > 1
        return (
            f"{self.game}-{self.players}"
            + "-pairwise" * several
            + "".join("-" + "=".join(o) for o in self.options[: not several])
        )


MOST_NUMBERS = 6


def numbers(game: str) -> list[int]:
    """Numbers of players that are tried: all there are, but the smallest four of a game for many (whose own tests seat
    the largest table)."""
    players = list(definition(game).players)
    return players if len(players) <= MOST_NUMBERS else players[:4]


KINDS = ("plain", "one by one", "pairwise")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
NOT_SET = "."


def file_of(game: str) -> Path:
    """Where the settings of a game are kept."""
    return Path(__file__).parent / "settings" / f"{game}.txt"


@cache
def kept(game: str) -> dict[str, list[Setting]]:
    """The settings of a game by kind, as its file has them."""
    if not file_of(game).exists():
        raise FileNotFoundError(f"{file_of(game)} is missing: make settings ARGS={game}")
    values, found, kind = dict[str, list[str]](), {kind: list[Setting]() for kind in KINDS}, ""
    for line in file_of(game).read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line in found:
            kind = line
        elif kind:
            players, _, row = line.partition(" ")
            chosen = (
                (n, few[DIGITS.index(d)]) for (n, few), d in zip(values.items(), row, strict=True) if d != NOT_SET
            )
            found[kind].append(Setting(game, int(players), tuple(chosen)))
        else:
            name, *values[name] = line.split()
    return found


def plain(game: str) -> list[Setting]:
    """The default rules, for each number of players."""
    return kept(game)["plain"]


def ends(game: str) -> list[Setting]:
    """The default rules for the fewest players and for the most."""
    return list(dict.fromkeys((plain(game)[0], plain(game)[-1])))


def the_rest_long(tried: Sequence[Any], few: Sequence[Any]) -> list[Any]:
    """What a test is tried with, as its parameters; all but a few are for the long run."""
    short = {*few}
    return [one if one in short else pytest.param(one, marks=pytest.mark.long) for one in tried]


COMPILED = ("kuhn", "leduc", "sampler", "diamonds")
"""Games of every kind (sealed, with hidden cards, in the open; chance that is even, weighted, by tickets; one deal or
several) whose batches and searches are compiled in every run.  Of the others only what test_parity compares is."""


def plain_of_all(few: Sequence[str] = GAMES) -> list[Any]:
    """The default rules of every game, as parameters; for the long run are numbers of players between the fewest and
    the most, and all games but these ``few``."""
    return the_rest_long([one for game in GAMES for one in plain(game)], [one for game in few for one in ends(game)])


def one_by_one(game: str) -> list[Setting]:
    """Each value of each option that is not the default, alone, for each number of players."""
    return kept(game)["one by one"]


def pairwise(game: str) -> list[Setting]:
    """Settings in which every two values of two options meet that the game allows together, for each number of players;
    in a game of several versions (option ``version``) every two values that its version has."""
    return kept(game)["pairwise"]


def all_settings(game: str) -> list[Setting]:
    """Plain, one by one, pairwise."""
    return plain(game) + one_by_one(game) + pairwise(game)


def few_settings(game: str) -> list[Setting]:
    """Plain; and of the others a few, so that each value of each option is in one of them at least."""
    return plain(game) + cut(pairwise(game) + one_by_one(game), plain(game))


def cut(settings: list[Setting], beside: list[Setting]) -> list[Setting]:
    """As few of these settings as have each value of an option that one of them has (but the ordinary ones); of those
    that bring equally many the one with the number of players that was chosen least."""
    options = {one.game: definition(one.game).options for one in settings}
    missing = {o for one in settings for o in one.options if o[1] != str(options[one.game][o[0]].default)}
    seen, chosen = Counter(one.players for one in beside), list[Setting]()
    while missing:
        best = max(settings, key=lambda one: (len(missing.intersection(one.options)), -seen[one.players]))
        missing.difference_update(best.options)
        seen[best.players] += 1
        chosen.append(best)
    return chosen


def short_settings(game: str) -> list[Setting]:
    """All settings, with matches of three games at most."""
    return shortened(all_settings(game))


def shortened(settings: list[Setting]) -> list[Setting]:
    """These settings, with matches of three games at most."""
    cut = {"128": "2", "255": "3"}
    short = (
        Setting(s.game, s.players, tuple((name, cut.get(v, v) if name == "games" else v) for name, v in s.options))
        for s in settings
    )
    return list(dict.fromkeys(short))


def examples(most: int, **more: Any) -> settings:
    """Settings of Hypothesis for a test that tries this many examples in the long run, and a quarter of them in every
    run (profiles in ``conftest.py``)."""
    return settings(max_examples=most * settings().max_examples // 100, **more)


# ------------------------------------------------------------------------------------------ random play


LONG = 60_000  # steps; a match of 255 games has fewer


def play(state: State, seed: int, steps: int | None = None) -> Iterator[State]:
    """Play ``state`` at random, chance too; gives it back before every step and at the end (or after ``steps``)."""
    choose = random.Random(seed)
    yield state
    for _ in range(LONG if steps is None else steps):
        if state.is_terminal:
            return
        if state.current_player == CHANCE:
            outcomes = state.chance_outcomes()
            state.apply(choose.choices([k for k, _ in outcomes], [float(p) for _, p in outcomes])[0])
        else:
            player = choose.choice(state.acting)
            state.apply(choose.choice(state.legal_actions(player)), player)
        yield state
    assert steps is not None, f"{state.game} does not end"


def everybody(state: State) -> Sequence[int]:
    """Spectator and players."""
    return range(-1, state.game.players)


def names(state: State, player: int | None = None) -> set[str]:
    """Names of what may be done now."""
    if state.current_player == SEVERAL and player is None:
        player = state.acting[0]
    return {state.name_of(a) for a in state.legal_actions(player)}


def weighed(state: State, player: int | None = None, seed: int = 1, written: float = 0.0) -> dict[str, float]:
    """What the game's rule of thumb takes each action to be worth that somebody (whoever is asked) has now; ``seed``:
    of the dice that it throws, where it throws some; ``written``: what stands in its notes from earlier turns."""
    p = state.acting[0] if player is None else player
    legal, game = state.legal_actions(p), state.game
    worth, notes = [0.0] * game.action_count, [*prepared(game), *[written] * NOTES]
    game.definition.rules.appraise(restored(state.view(p)), p, legal, len(legal), worth, notes, [seed])
    return {state.name_of(a): w for a, w in zip(legal, worth, strict=False)}


def by_worth(state: State, player: int | None = None) -> list[str]:
    """What somebody may do, best first, by the game's rule of thumb; no two are worth the same."""
    worth = weighed(state, player)
    assert len({*worth.values()}) == len(worth), worth
    return sorted(worth, key=lambda act: -worth[act])


@dataclass
class Survey:
    """Random games in bulk, compiled; of game ``i`` the seed is ``first + i``.  Arrays as in the driver ``survey``."""

    game: Game
    games: int
    first: int = 0

    def __post_init__(self) -> None:
        code, players, book = compiled(self.game.definition), self.game.players, self.game.definition.book
        self.scores, self.deals = np.zeros((4, players)), np.zeros((4, players + 2))
        self.lengths = np.zeros(LONG, np.int64)
        self.clauses = np.zeros((5, len(book.clauses)), np.int64)
        self.winners = np.zeros(players + 1, np.int64)
        acts, rng = np.zeros(self.game.action_count, np.int16), np.zeros(1, np.uint64)
        self.decisions = code.survey(
            start_records(self.game), acts, rng, np.zeros(players), np.uint64(self.first), self.games,
            GameSums(self.scores, self.deals, self.lengths, self.clauses, self.winners),
        )  # fmt: skip

    def fired(self) -> dict[str, int]:
        """How often each clause that fired did so."""
        return {
            clause: int(self.clauses[1, i])
            for clause, i in self.game.definition.book.index.items()
            if self.clauses[1, i]
        }

    def share(self, clause: str) -> float:
        """The share of games in which a clause fired."""
        return float(self.clauses[3, self.game.definition.book.index[clause]]) / self.games


# ------------------------------------------------------------------------------------------ Diamonds by name


def rules_of(game: str) -> Any:
    """All that the folder of a game says in its rules, by name: functions, constants, tables."""
    what = definition(game)
    return SimpleNamespace(**{**vars(what.names), **vars(what.rules)})


def pack() -> list[str]:
    """All 54 cards."""
    return list(definition("diamonds").rules.CARDS)


@dataclass
class Table:
    """A game of Diamonds with a stacked deal: ``piles`` says what lies in a pile, from the top down (as far as the
    test looks).  Acts are given by name; chance turns the cards as they lie.  Turning a card that nobody named is an
    error of the test."""

    piles: dict[int, str]
    players: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    lots: Iterable[str] = ()

    def __post_init__(self) -> None:
        cards = {i: cards.split() for i, cards in self.piles.items()}
        flat = [card for pile in cards.values() for card in pile]
        assert len(set(flat)) == len(flat), "a card lies in two places"
        assert set(flat) <= set(pack())
        assert all(len(pile) <= 6 for pile in cards.values())
        self._cards = cards
        self._lots = iter(self.lots)
        self.state = parlour.load("diamonds", self.players, **{"first_dealer": 0, **self.options}).new()

    def do(self, *acts: str) -> Table:
        """Do these acts, one after the other, each by the player whose turn it is."""
        for act in acts:
            self.state.apply(act)
            while self.state.current_player == CHANCE:
                self.state.apply(self._outcome())
        return self

    def _outcome(self) -> str:
        s = self.state.position
        if self.state.name_of(self.state.chance_outcomes()[0][0]).startswith(("pile", "seat")):
            return next(self._lots)
        card: str = self._cards[s.at][6 - s.height[s.at]]
        return card

    # what a test asks about

    @property
    def turn(self) -> int:
        return self.state.current_player

    @property
    def acts(self) -> set[str]:
        return names(self.state)

    def __getitem__(self, thing: str) -> Any:
        """What lies open, in words: ``table["spade"][0]``, ``table["top"][4]``, ``table["debris"]``."""
        seen = self.state.observation()[thing]
        return seen[: self.players] if isinstance(seen, list) and definition("diamonds").things[thing].seats else seen

    def refused(self, act: str, player: int | None = None) -> str | None:
        """The clause that forbids the act, ``None`` if it is allowed."""
        refusal = self.state.refusal(act, player)
        return None if refusal is None else refusal.clause

    def heard(self) -> list[str]:
        """The clauses of all events since the last act (of that step and of the chance that followed)."""
        last = max(k for k, step in enumerate(self.state.history) if step.player != CHANCE)
        return [event.clause for event in self.state.events(since=last)]


# ------------------------------------------------------------------------------------------ sources


def parsed(file: Path) -> ast.Module:
    """The syntax tree of a module.  Garbage is not looked for while it grows: that would take most of the time."""
    gc.disable()
    try:
        return ast.parse(file.read_text("utf-8"))
    finally:
        gc.enable()


# ------------------------------------------------------------------------------------------ processes


def parlour_says(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """How `parlour` with these words ends, and what it prints and says of mistakes: in this process, which takes
    milliseconds."""
    from parlour.cli.app import main

    monkeypatch.setattr(sys, "argv", ["parlour", *words.split()])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    return int(end.value.code or 0), said.out, said.err


Said = tuple[int, str, str]
"""How a command ended, what it printed, and what it said of mistakes."""
Says = Callable[[str], Said]
"""Calls `parlour` with some words: what the fixture ``says`` is."""


def assert_one_sentence(said: Said, begins: str = "", named: str = "") -> None:
    """A command has ended as one that cannot be done: with one sentence, which begins so and names that."""
    code, out, err = said
    assert (code, out) == (2, "")
    assert err.startswith(f"parlour: {begins}"), err
    assert err.count("\n") == 1
    assert named in err


DAMAGES = ("empty", "fifty bytes", "half", "seven bytes overwritten", "longer")
"""What a crash, a power cut or a full disk makes of a file."""


def harm(file: Path, damage: str) -> None:
    """Damage a file in one of these ways."""
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes({
        "empty": b"",
        "fifty bytes": whole[:50],
        "half": whole[:middle],
        "seven bytes overwritten": whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 7])
        + whole[middle + 7 :],
        "longer": whole + b"more",
    }[damage])  # fmt: skip


def refused_when_damaged(file: Path, read: Callable[[], object]) -> None:
    """However a file is damaged, ``read`` reads it or raises a sentence about it."""
    whole, refused = file.read_bytes(), 0
    for at in range(0, len(whole), max(1, len(whole) // 60)):
        for damaged in (whole[:at], whole[:at] + bytes([255 - whole[at]]) + whole[at + 1 :]):
            file.write_bytes(damaged)
            os.utime(file, ns=(refused, refused))  # not the time at which it was read before
            try:
                read()
            except ParlourError as error:
                assert str(file) in str(error)  # noqa: PT017
                refused += 1
    assert refused > 60
    file.write_bytes(whole)


def interrupt(child: pexpect.spawn[str]) -> str:
    """Press Ctrl-C until a command ends, since readline misses a signal that comes between its prompt and its reading;
    return what it said in the meantime."""
    end = time.monotonic() + LIMIT
    while True:
        child.sendintr()
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=5) == 0:
            break
        assert time.monotonic() < end, "Ctrl-C does not end it"
    child.close()
    return child.before or ""


def heed_ctrl_c() -> None:
    """For a child process: Ctrl-C is meant for it, also where the tests run in the background of a shell, which has
    its children ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
