"""Checks that events and waiting times reveal no secret: step by step, in all worlds that a player must not be able to
tell apart.

A player may tell two worlds apart if ``hide(s, me)`` of the game's ``invariants`` leaves a difference between them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.audit.material import Material
from parlour.audit.report import Notes, step_name
from parlour.audit.secrets import declared, spare_if_open, veiled
from parlour.audit.stated import Hide, reveals
from parlour.audit.trails import Trail, frozen, heard_by
from parlour.audit.wording import ALOUD, changed_fields, lines_of, said
from parlour.engine.kernels import chance
from parlour.engine.memory import is_pending
from parlour.engine.steps import Event
from parlour.engine.telling import view
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, EVERYBODY, SEVERAL, TERMINAL

if TYPE_CHECKING:
    from parlour.core.game import Game

WIDE = 12
"""How many steps of one player, or outcomes of chance, are tried in one world."""
DEEP = 40
"""How many steps of chance in a row are followed until a player is to act."""


class World(NamedTuple):
    """A position that a player must not be able to tell from the real one."""

    s: Any
    real: bool


class Next(NamedTuple):
    """One step in one world: the player, the action, the position it leads to, and the events.  ``settled``: the
    position before the next deal began, if the step has ended one."""

    world: World
    who: int
    a: int
    settled: Any
    s: Any
    heard: list[Event]


def events(material: Material, notes: Notes) -> None:
    """The events that a player hears follow from what they may know before and after the step.  The same step, or one
    whose difference is hidden from them, has the same events in every world that they must not be able to tell from the
    real one.
    """
    hide = declared(material, notes)
    if hide is None:
        return
    for walked, place in material.places("events", notes):
        _listen(material, hide, walked.trails[place], notes)
    spare_if_open(material, notes)


def _listen(material: Material, hide: Hide, trail: Trail, notes: Notes) -> None:
    game = material.game
    if trail.actor == TERMINAL:
        notes.pass_over("the game is over")
        return
    rng = random.Random(f"{trail.seed} {trail.length} events")
    revealing = reveals(game)
    real = World(trail.s, True)
    here = list(_steps(game, real, rng, trail))
    there = {p: [step for w in _worlds(material, trail, p) for step in _steps(game, w, rng)] for p in material.seats}
    everything = here + [step for steps in there.values() for step in steps]
    for p in (EVERYBODY, *material.seats):
        groups: dict[object, tuple[Next, list[Event]]] = {}
        for step in everything if p == EVERYBODY else here + there[p]:
            heard = heard_by(step.heard, p)
            shown = tuple(e for e in heard if e[1] in revealing)
            own = step.a if step.who == p != EVERYBODY else None
            after = [
                frozen(game, veiled(game, hide, s, p)) for s in {id(s): s for s in (step.settled, step.s)}.values()
            ]
            other, expected = groups.setdefault((own, *after, shown), (step, heard))
            if other is step:
                continue
            notes.count()
            if heard != expected:
                _tell(game, other, step, expected, heard, trail, p, notes)
                break
        if len(groups) == len(everything):
            notes.pass_over("every step leads to something else that is open")


def _tell(
    game: Game, one: Next, other: Next, heard: list[Event], heard_there: list[Event], trail: Trail, p: int, notes: Notes
) -> None:
    """Note that two steps, which ``p`` must not be able to tell apart, are heard differently."""
    done, done_there = (step_name(n.who, _name(game, n)) for n in (one, other))
    where = "" if one.world.s == other.world.s else f", other being {changed_fields(game, one.world.s, other.world.s)}"
    told_in = lines_of(game, heard + heard_there, _advice(heard, heard_there))
    notes.fault(
        f"hears {said(game, heard)} when the step is {done!r}, and {said(game, heard_there)} when it is {done_there!r}"
        f"{where}: yet the player must not tell these apart{told_in}",
        trail,
        p,
    )


def _advice(heard: list[Event], heard_there: list[Event]) -> str:
    """What to do about events that are told to all: they may be a secret, or be said openly."""
    names = sorted({event for _, event, audience, *_ in set(heard) ^ set(heard_there) if audience == EVERYBODY})
    listed = ", ".join(f'"{name}"' for name in names)
    if not names:
        return ALOUD
    return f"{ALOUD}; or, if this is said openly and then forgotten, state it in invariants.py: REVEALS = ({listed},)"


def _name(game: Game, step: Next) -> str:
    if step.who == CHANCE:
        return str(game.definition.rules.outcome_name(step.world.s, step.a))
    return game.action_names[step.a]


def _worlds(material: Material, trail: Trail, player: int) -> Iterator[World]:
    """Return worlds, dealt at random, that a player must not be able to tell from the real one."""
    if not material.game.definition.has("redeal"):
        return
    seen = view(material.game, trail.s, player)
    for k in range(material.redeals):
        yield World(seen.redeal(k).position, False)


def _steps(game: Game, world: World, rng: random.Random, real: Trail | None = None) -> Iterator[Next]:
    """Return the steps that are possible in a world: all, or some of each player's."""
    rules = game.definition.rules
    for who, a in _choices(game, world.s, rng):
        s, heard = world.s.copy(), list[Event]()
        if who == CHANCE:
            rules.happen(s, a, heard)
        else:
            rules.apply(s, who, a, heard)
        settled = s
        if rules.actor(s) == DEAL_OVER:
            settled = s.copy()
            chance.KERNEL.interpreted(game.definition).go_over(s, heard)
        yield Next(world, who, a, settled, s, heard)


def _choices(game: Game, s: Any, rng: random.Random) -> Iterator[tuple[int, int]]:
    state = game.state_at(s)
    if state.current_player == CHANCE:
        outcomes = [k for k, _ in state.chance_outcomes()]
        yield from ((CHANCE, k) for k in (rng.sample(outcomes, WIDE) if len(outcomes) > WIDE else outcomes))
    for p in state.acting:
        legal = state.legal_actions(p)
        yield from ((p, a) for a in (rng.sample(legal, WIDE) if len(legal) > WIDE else legal))


# ------------------------------------------------------------------------------------------ hidden questions


def asked(material: Material, notes: Notes) -> None:
    """What a player may know determines who is asked, because a table shows that to everybody.  It does not show a
    hushed question, so all must look as if a player were always asked.  At a sealed node everybody sees who has
    answered, so the number of questions to a player must not depend on anybody's cards or choices."""
    hide = declared(material, notes)
    if hide is None:
        return
    if not material.game.definition.has("redeal"):
        notes.fault("the game hides something, but its rules have no redeal: there are no other worlds to compare with")
        return
    for walked, place in material.places("asked", notes):
        _ask(material, hide, walked.trails[place], notes)
    for walked in material.walks:
        for trail in [at for at in walked.trails if at.actor == SEVERAL and not at.pending][: material.moments]:
            _count_questions(material, trail, notes)
    certain = notes.passed_over[CERTAIN]
    if certain and not notes.cases:
        notes.spare(f"a player who looks could be in one world only ({certain} times)")
    spare_if_open(material, notes)


def _ask(material: Material, hide: Hide, trail: Trail, notes: Notes) -> None:
    game = material.game
    if trail.pending:  # answers given so far might show, but a redealt position contains none
        notes.pass_over("some have answered a sealed question")
        return
    here = waits_for(game, trail.s)
    for p in material.seats:
        for world in _worlds(material, trail, p):
            if world.s == trail.s:
                notes.pass_over(CERTAIN)
                continue
            there = waits_for(game, world.s)
            if here == there == BY_CHANCE:
                notes.pass_over("chance decides")
                continue
            notes.count()
            wrong = ""
            if BY_CHANCE not in (here, there):
                wrong = f"{here} / {there}" if here != there else ""
            else:
                ends = [_after_chance(game, hide, s, p) for s in (trail.s, world.s)]
                wrong = " / ".join(ends) if ends[0] != ends[1] else ""
            if wrong:
                apart = changed_fields(game, trail.s, world.s)
                notes.fault(
                    f"who is asked reveals what the player must not know: {wrong}, other being {apart}", trail, p
                )


def _count_questions(material: Material, trail: Trail, notes: Notes) -> None:
    """At a sealed node each seat is asked the same number of times, whatever the answers, in all worlds that a player
    must not be able to tell apart."""
    game, rng = material.game, random.Random(f"{trail.seed} {trail.length} asked")
    real = World(trail.s, True)
    for p in material.seats:
        plays = [
            (world, _answered(game, world.s, rng, way))
            for world in (real, *_worlds(material, trail, p))
            for way in WAYS
        ]
        notes.count()
        for seat in range(game.players):
            times = sorted({asked_[seat] for _, asked_ in plays})
            if len(times) > 1:
                notes.fault(
                    f"seat {seat} is asked {' or '.join(map(str, times))} times at a sealed node, depending on what is "
                    "held or chosen in secret: everybody sees who has still to answer",
                    trail,
                    p,
                )


WAYS = (0, -1, None, None)
"""How the answers to a sealed question are chosen: always the first that is legal, the last, or any."""


def _answered(game: Game, s: Any, rng: random.Random, way: int | None) -> Counter[int]:
    """Answer a sealed question, in any order, until nothing more is asked; return the number of questions to each
    seat."""
    rules, acts, asked_ = game.definition.rules, [0] * game.action_count, Counter[int]()
    s, pending = s.copy(), True
    while pending:
        waiting, heard = rules.acting(s), list[Event]()
        who = rng.choice([p for p in range(game.players) if waiting >> p & 1])
        legal = acts[: rules.legal(s, who, acts)]
        game.definition.step(s, who, rng.choice(legal) if way is None else legal[way], heard)
        asked_[who] += 1
        pending = is_pending(rules, s, who, waiting, heard)
    return asked_


BY_CHANCE = "chance decides"
CERTAIN = "nothing was dealt otherwise"


def waits_for(game: Game, s: Any) -> str:
    """Return what a table shows everybody about the players who are asked at a position."""
    state = game.state_at(s)
    if state.hushed:
        return "a hushed question"
    if state.current_player in (CHANCE, TERMINAL):
        return BY_CHANCE if state.current_player == CHANCE else "the game is over"
    return f"asked: {', '.join(f'seat {p}' for p in state.acting)}"


def _after_chance(game: Game, hide: Hide, s: Any, player: int) -> str:
    """Return what a table waits for once chance, for which it never waits, has decided; or a mark that the player is
    told something about it."""
    before = frozen(game, veiled(game, hide, s, player))
    for _ in range(DEEP):
        if (waits := waits_for(game, s)) != BY_CHANCE:
            return waits
        k = game.state_at(s).chance_outcomes()[0][0]
        s, heard = s.copy(), list[Event]()
        game.definition.step(s, CHANCE, k, heard)
        if heard_by(heard, player) or frozen(game, veiled(game, hide, s, player)) != before:
            return f"nobody, and at once {said(game, heard_by(heard, player))}"
    return BY_CHANCE
