"""Checks of redeal: it keeps what the player knows, the game can go on from it, and each world has the right
probability."""

from __future__ import annotations

import pickle
import random
from collections import Counter, defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from parlour.audit.conduct import play_on
from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.audit.secrets import differences, state_after, veiled
from parlour.audit.statistics import STRICT, chi_square, tail
from parlour.audit.trails import Frozen, Trail, frozen
from parlour.audit.wording import changed_fields, in_words, worded
from parlour.core.records import replay
from parlour.engine.positions import check_range, from_record, to_record
from parlour.engine.telling import View, restored, view
from parlour.rules.vocabulary import TERMINAL

if TYPE_CHECKING:
    from parlour.core.game import Game

PLAYED_ON = 300
"""The most steps for which the game goes on from a redealt position."""


def redeal(material: Material, notes: Notes) -> None:
    """A redealt position keeps what the player may know and do, is the same if made from a view in another process, and
    can be played on."""
    game, hide = material.game, material.hide
    for walked in material.walks:
        for place in walked.some(material.moments, "redeal"):
            trail = walked.trails[place]
            for p in range(game.players):
                seen = view(game, trail.s, p)
                seed = random.Random(f"{walked.seed} {place} {p}").getrandbits(64)
                notes.count()
                try:
                    world = seen.redeal(seed).position
                    wrong = _wrong_with(game, trail, p, world, seen, seed)
                    if not wrong and hide is not None:
                        here, there = (veiled(game, hide, s, p) for s in (trail.s, world))
                        if here != there:
                            wrong = _against_hide(game, here, there, restored(seen))
                    wrong = wrong or _played_on(game, world, seed)
                except Exception as error:  # a redeal that raises is a finding
                    wrong = in_words(game, error)
                if wrong:
                    notes.fault(wrong, trail, p)
        if notes.full:
            return


def _wrong_with(game: Game, trail: Trail, player: int, world: Any, seen: View, seed: int) -> str:
    state = game.state_at(world)
    if player in trail.acting and player not in state.acting:
        return "is to act, but not in the redealt position"
    apart = differences(game, trail.s, world, player)
    if apart:
        return f"the redealt position is told apart from the real one: {apart}"
    sent: View = pickle.loads(pickle.dumps(seen))
    if sent.redeal(seed).position != world:
        return "the same view, pickled and loaded, is dealt differently with the same seed"
    if seen.redeal(seed).position != world:
        return "the same view is dealt differently with the same seed"
    return check_range(game.definition, world) or ""


def _against_hide(game: Game, here: Any, there: Any, told: Any) -> str:
    """Say what two worlds, of which ``hide`` has wiped the rest, differ in, and what the author can do about it: the
    redeal leaves a field as it is ``told``, or deals it otherwise."""
    is_untold = all(
        getattr(there, name) == getattr(told, name)
        for name in game.definition.fields
        if getattr(here, name) != getattr(there, name)
    )
    what = "differs in a redealt position, although hide(s, me) says that the player may know it: "
    what += changed_fields(game, here, there)
    if is_untold:
        return f"{what}. Nobody is told it here (THINGS): set it back in the rules when it is over, tell it, or hide it"
    return f"{what}. Let redeal keep what the player may know, or hide it"


def _played_on(game: Game, world: Any, seed: int) -> str:
    s = world.copy()
    play_on(game, s, seed, PLAYED_ON)
    wrong = check_range(game.definition, s)
    return f"played on from the redealt position: {wrong}" if wrong else ""


def records(material: Material, notes: Notes) -> None:
    """A position survives conversion to a compiled record and back, and a game survives being written to its record and
    read again."""
    import numpy as np

    from parlour.engine.positions import dtype_of

    what = material.game.definition
    room = np.zeros(1, dtype_of(what))
    for walked in material.walks:
        for place in walked.some(material.moments, "records"):
            trail = walked.trails[place]
            notes.count()
            to_record(what, trail.s, room[0])
            back = from_record(what, room[0])
            if back != trail.s:
                notes.fault(f"an array does not hold {changed_fields(material.game, trail.s, back)}", trail)
        state = state_after(walked.last)
        text = state.record()
        again = replay(text)
        notes.count()
        if again.fields() != state.fields() or again.history != state.history or again.record() != text:
            notes.fault("the text of the game, when replayed, gives a different game", walked.last)


# ------------------------------------------------------------------------------------------ probabilities


def odds(material: Material, notes: Notes) -> None:
    """Redealt positions are exactly those found by enumeration, with the same probabilities: all histories that the
    player cannot tell from the real one, weighted by chance alone, with hidden choices of others uniform over those
    that are consistent."""
    if material.game.definition.hides_nothing:
        notes.spare("nothing is hidden in this game (verified by the check `open`)")
        return
    certain = _compare_odds(material, notes)
    if certain and not notes.cases:
        notes.spare(f"whoever is to act could be in one position only ({certain} times)")
    small = material.in_small
    if small is not material and _compare_odds(small, notes) and not notes.cases and not small.too_many:
        notes.lack(
            "with SMALL whoever is to act could be in one position only: give SMALL in invariants.py more cards, so"
            " that some stay hidden from each player"
        )
    if not notes.cases and not notes.spared:
        notes.lack(material.why_no_worlds)


def _compare_odds(material: Material, notes: Notes) -> int:
    """Compare them; return how often there was only one position in which the player could be to act."""
    game, certain = material.game, 0
    done: set[tuple[int, bytes]] = set()
    score = freedom = 0.0
    for trail, p, worlds in material.worlds:
        if (p, trail.knows(p)) in done or trail.actor == TERMINAL:
            notes.pass_over("the game is over" if trail.actor == TERMINAL else "compared before")
            continue
        done.add((p, trail.knows(p)))
        expected = likelihoods(game, worlds, p) if p in trail.acting else {}
        possible = set(expected) or {frozen(game, world.s) for world in worlds}
        draws = material.draws if len(expected) > 1 else 3
        seen = view(game, trail.s, p)
        dealt = Counter(frozen(game, seen.redeal(k).position) for k in range(draws))
        notes.count(draws if len(expected) > 1 else 0)
        certain += len(expected) == 1
        if len(expected) < 2:
            notes.pass_over("a player is to act in one position only" if expected else "the player is not to act")
        strangers = [world for world in dealt if world not in possible]
        if strangers:
            notes.fault(f"deals what is impossible: {_named(game, strangers[0])}", trail, p)
        elif len(expected) > 1:
            missing = [world for world, chance in expected.items() if world not in dealt and chance * draws >= 25]
            if missing:
                notes.fault(f"never deals what is possible: {_named(game, missing[0])}", trail, p)
                continue
            bad, free = chi_square(expected, dealt, draws)
            score, freedom = score + bad, freedom + free
            if tail(bad, free) < STRICT / 1000:
                shown = ", ".join(f"{float(c):.3f} as {dealt[w] / draws:.3f}" for w, c in expected.items())
                notes.fault(f"deals with wrong odds: {shown}", trail, p)
        if notes.full:
            return certain
    if freedom and tail(score, freedom) < STRICT:
        notes.fault(f"deals with wrong odds over all: chi-square {score:.1f} with {freedom:.0f} degrees of freedom")
    return certain


def likelihoods(game: Game, worlds: list[Trail], player: int) -> dict[Frozen, Fraction]:
    """Return the probability of each position in which the player is to act, given what they know."""
    deals: dict[Any, list[Trail]] = defaultdict(list)
    for world in worlds:
        if player in world.acting:
            deals[world.chances].append(world)
    found: dict[Frozen, Fraction] = defaultdict(Fraction)
    total = sum((same[0].weight for same in deals.values()), Fraction(0))
    for same in deals.values():
        for world in same:
            found[frozen(game, world.s)] += same[0].weight / total / len(same)
    return found


def _named(game: Game, world: Frozen) -> str:
    fields = zip(game.definition.fields, world, strict=True)
    return ", ".join(f"{name}={_worded(game, name, value)}" for name, value in fields if value)


def _worded(game: Game, name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(worded(game, name, one) for one in value)}]"
    return worded(game, name, value)
