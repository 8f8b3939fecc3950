"""Checks of the rules' conduct: chance, conservation, bounds, copies, clauses, termination."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from parlour.audit.folder import unknown_clauses
from parlour.audit.material import LOOKED_AT, Material
from parlour.audit.report import Fault, Notes, step_name
from parlour.audit.secrets import tried
from parlour.audit.stated import check_of
from parlour.audit.statistics import STRICT, chi_square, tail
from parlour.audit.trails import Dice, Trail, frozen, played_out, walk
from parlour.audit.wording import in_words, lines_of, worded
from parlour.base.errors import ParlourError
from parlour.engine.hashing import seed_word
from parlour.engine.positions import check_range
from parlour.engine.slips import returned
from parlour.engine.telling import told_all
from parlour.rules.bounds import UNASKED, Bounds, amounts_of, bounds_of
from parlour.rules.vocabulary import CHANCE, EVERYBODY, SEVERAL, TERMINAL

if TYPE_CHECKING:
    from parlour.core.game import Game, State


def chance(material: Material, notes: Notes) -> None:
    """Probabilities are above 0 and add up to exactly 1; names of outcomes and actions are unique and find their ids
    again; each outcome is drawn as often as it is probable."""
    game, nodes = material.game, 0
    _action_names(game, notes)
    score, freedom = 0.0, 0.0
    for walked in material.walks:
        at_chance = [place for place in walked.some(material.moments, "chance") if walked.trails[place].actor == CHANCE]
        for place in at_chance:
            trail = walked.trails[place]
            nodes += 1
            notes.count()
            wrong = _node(game, trail)
            if wrong:
                notes.fault(wrong, trail)
        for place in at_chance[: material.moments // 10 + 1]:
            trail, rng = walked.trails[place], [seed_word(walked.seed * 1000 + place)]
            state, expected = game.state_at(trail.s), dict(trail.outcomes())
            draws = 10 * material.draws
            drawn = Counter(state.draw_outcome(rng) for _ in range(draws))
            if not set(drawn) <= set(expected):
                notes.fault(f"draws outcomes {sorted(set(drawn) - set(expected))}, which cannot happen", trail)
            bad, free = chi_square(expected, drawn, draws)
            score, freedom = score + bad, freedom + free
        if notes.full:
            return
    if tail(score, freedom) < STRICT:
        notes.fault(f"draws outcomes with wrong odds: chi-square {score:.1f} with {freedom:.0f} degrees of freedom")
    if not nodes:
        notes.cases = 0
        notes.pass_over("a player is to act, or the game is over", sum(len(walked.trails) for walked in material.walks))
        if not game.definition.has("chance"):
            notes.spare("nothing is left to chance (the rules define no `chance`)")


def _node(game: Game, trail: Trail) -> str:
    rules, state = game.definition.rules, game.state_at(trail.s.copy())
    if rules.chance(trail.s) <= 0:
        return f"a chance node with the set of outcomes {rules.chance(trail.s)}"
    outcomes = state.chance_outcomes()
    if not outcomes or sum((p for _, p in outcomes), Fraction(0)) != 1:
        return f"probabilities add up to {sum((p for _, p in outcomes), Fraction(0))}, not to 1"
    if min(p for _, p in outcomes) <= 0:
        return f"outcomes with no chance: {[k for k, p in outcomes if p <= 0]}"
    if game.definition.has("ticket"):
        held = Counter(rules.ticket(trail.s, n) for n in range(rules.tickets(trail.s)))
        if list(held.items()) != [(k, rules.weight(trail.s, k)) for k, _ in outcomes]:
            return f"the tickets {dict(held)} are not the weights of the outcomes in rising order"
    names = [state.name_of(k) for k, _ in outcomes]
    if len({_spoken(name) for name in names}) < len(names):
        return f"names of outcomes are not unique: {names}"
    for (k, _), name in zip(outcomes, names, strict=True):
        again = game.state_at(trail.s.copy())
        again.apply(name)
        if again.history[0].action != k:
            return f"the name {name!r} of outcome {k} leads to outcome {again.history[0].action}"
    return ""


def _action_names(game: Game, notes: Notes) -> None:
    notes.count(game.action_count)
    for a, name in enumerate(game.action_names):
        try:
            back = game.find_action(name)
        except ParlourError as error:
            notes.fault(f"action {a} has the name {name!r}: {error}")
        else:
            if back != a or not name.strip():
                notes.fault(f"the name {name!r} of action {a} leads to action {back}")


def _spoken(name: str) -> str:
    return " ".join(name.split()).casefold()


# ------------------------------------------------------------------------------------------ conservation


def conservation(material: Material, notes: Notes) -> None:
    """Fields stay in the range of their type, nothing that the game's ``check(s)`` watches is lost, returns are finite
    and, in a match of one deal, rank players as those of the deal do."""
    game, check = material.game, check_of(material.game)
    for trail in (t for found in (*(w.trails for w in material.walks), material.tree) for t in found):
        notes.count()
        wrong = check_range(game.definition, trail.s) or check(trail.s)
        if not wrong and trail.actor == TERMINAL:
            wrong = _wrong_returns(game, trail.s)
        if wrong:
            notes.fault(wrong, trail)
            if notes.full:
                return


def _wrong_returns(game: Game, s: Any) -> str:
    """What is wrong with the returns at the end of a game; empty if nothing is."""
    rules, out, brought = game.definition.rules, [0.0] * game.players, [0.0] * game.players
    rules.returns(s, out)
    if not all(map(math.isfinite, out)):
        return f"returns are {out}, not finite"
    if not game.definition.has_deals or s.deal != 1:
        return ""
    rules.deal_returns(s, brought)
    pairs = itertools.combinations(zip(out, brought, strict=True), 2)
    if any((one[0] - other[0]) * (one[1] - other[1]) < 0 for one, other in pairs):
        return (
            f"a match of one deal has returns {out}, and its deal has deal_returns {brought}: one of them is reversed"
        )
    return ""


# ------------------------------------------------------------------------------------------ bounds


def bounds(material: Material, notes: Notes) -> None:
    """No game has a higher or lower return, or lasts longer, than the game's ``bounds(s)`` says.  If a game is searched
    completely, its bounds are reached exactly."""
    game, stated = material.game, bounds_of(material.game)
    if not hasattr(game.definition.part("invariants"), "bounds"):
        notes.spare("the game states no `bounds` in its invariants")
        return
    for seed in material.seeds:
        notes.count()
        dice, s, decisions = Dice(game, seed), game.start(), 0
        for _ in range(stated.decisions + material.most):  # a limit, because chance may go on for ever
            if decisions > stated.decisions or (step := dice.step(s)) is None:
                break
            game.definition.step(s, *step, None)
            decisions += step[0] != CHANCE
        wrong = _beyond(stated, _returns(game, s), decisions)
        if wrong:
            notes.fault(f"random game {seed} {wrong}")
            return
    limits = amounts_of(game)
    for walked, place in material.places("amounts", notes):
        for name, index, value in dict.fromkeys(itertools.chain(*told_all(game, walked.trails[place].s))):
            if name in limits and not limits[name][0] <= value <= limits[name][1]:
                notes.fault(f"{name}[{index}] is {value}, not within {limits[name]}", walked.trails[place])
    ends = [trail for trail in material.tree if trail.actor == TERMINAL]
    if ends:
        results = [_returns(game, trail.s) for trail in ends]
        reached = min(map(min, results)), max(map(max, results)), max(_decisions(trail) for trail in ends)
        apart = [one - other for one, other in zip(reached, stated[:2] + stated[3:], strict=True)]
        # a family member with a smaller deck may bring less
        if any(apart) and not (game.definition.of and apart[0] >= 0 >= max(apart[1:])):
            notes.fault(f"returns are {reached[0]:g} to {reached[1]:g} and decisions {reached[2]}, not {stated}")


def _returns(game: Game, s: Any) -> list[float]:
    out = [0.0] * game.players
    if game.definition.rules.actor(s) == TERMINAL:
        game.definition.rules.returns(s, out)
    return out


def _decisions(trail: Trail) -> int:
    return sum(who != CHANCE for who, _ in trail.steps)


def _beyond(stated: Bounds, returns: Sequence[float], decisions: int) -> str:
    if decisions > stated.decisions:
        return f"has more than {stated.decisions} decisions"
    if min(returns) < stated.lowest or max(returns) > stated.highest:
        return f"brings {returns}, not {stated.lowest:g} to {stated.highest:g}"
    if stated.total is not None and not math.isclose(math.fsum(returns), stated.total, abs_tol=1e-9):
        return f"brings {returns}, which is {math.fsum(returns):g} together, not {stated.total:g}"
    return ""


# ------------------------------------------------------------------------------------------ copies


def copies(material: Material, notes: Notes) -> None:
    """At every decision, steps applied to a copy leave the state unchanged, and two copies develop alike."""
    game = material.game
    for walked in material.walks:
        choose, state, place = random.Random(f"{walked.seed} copies"), game.new(), 0
        looked = set(walked.some(material.moments // 2, "copies"))
        try:
            for place, trail in enumerate(walked.trails):
                if place:
                    who, a = trail.step
                    state.apply(a, None if who == CHANCE else who)
                if place in looked and not state.is_terminal:
                    notes.count()
                    wrong = _copied(state, trail, choose)
                    if wrong:
                        notes.fault(wrong, trail)
        except ParlourError as error:
            notes.fault(f"steps that were allowed once are not allowed a second time: {error}", walked.trails[place])
        else:
            if frozen(game, state.position) != walked.before[-1] or state.memory().keys != walked.last.keys:
                notes.fault(
                    "the same steps lead to a different position or different keys the second time", walked.last
                )
        for trail, was in zip(walked.trails, walked.before, strict=True):
            if frozen(game, trail.s) != was:
                notes.fault("a position was changed by what was applied to its copy", trail)
        if notes.full:
            return


def _copied(state: State, trail: Trail, choose: random.Random) -> str:
    steps = list(trail.extensions(choose.choice(trail.acting) if trail.acting else EVERYBODY))
    before, ends = _everything(state), []
    who, a, _ = choose.choice(steps)
    for _ in range(2):
        copy = state.clone()
        copy.apply(a, None if who == CHANCE else who)
        ends.append(_everything(copy))
        after = _everything(state)
        changed = [name for name in before if after[name] != before[name]]
        if changed:
            name = trail.game.state_at(trail.s).name_of(a)
            return f"what was done to a copy ({name}) changed the state's {', '.join(changed)}"
    apart = [name for name in ends[0] if ends[0][name] != ends[1][name]]
    return f"two copies differ after the same step in {', '.join(apart)}" if apart else ""


def _everything(state: State) -> dict[str, Any]:
    """Return everything that a state can be asked for, as values."""
    players = range(state.game.players)
    return {
        "fields": {name: list(v) if isinstance(v, list) else v for name, v in state.fields().items()},
        "player to act": (state.current_player, state.acting),
        "legal actions": [state.legal_actions(p) for p in players],
        "chance outcomes": state.chance_outcomes(),
        "history": list(state.history),
        "log": list(state.log),
        "events": state.events(None),
        "views": [state.view(p).items for p in range(EVERYBODY, state.game.players)],
        "returns": state.returns(),
    }


# ------------------------------------------------------------------------------------------ clauses


def clauses(material: Material, notes: Notes) -> None:
    """Every illegal action is refused by a clause of the book; every event cites a clause and has a sentence."""
    game = material.game
    for missing in unknown_clauses(game.definition):
        notes.fault(missing)
    for walked in material.walks:
        for trail in walked.trails:
            for clause, event, audience, who, a, b in trail.heard:
                notes.count()
                wrong = _event(game, clause, event, audience, who, a, b)
                if wrong:
                    notes.fault(f"{wrong}{lines_of(game, [(clause, event, audience, who, a, b)], '')}", trail)
        for place in walked.some(material.moments, "clauses"):
            _refusals(game, walked.trails[place], notes)
        if notes.full:
            return


def _refusals(game: Game, trail: Trail, notes: Notes) -> None:
    """Try illegal actions: each refusal cites a clause, and the first refusal by each clause is read in full."""
    state, book, read = game.state_at(trail.s), game.definition.book.clauses, set[str]()
    for p in range(game.players):
        legal = set(state.legal_actions(p))
        for action in tried(game, (p, trail.length)):
            if action in legal:
                continue
            notes.count()
            try:
                clause = str(game.definition.rules.refuse(trail.s, p, action))
                refusal = state.refusal(action, p) if clause in book and clause not in read else None
            except Exception as error:  # a refusal that raises is a finding
                name = game.action_names[action]
                notes.fault(f"refusing {name!r} raises {in_words(game, error)}", trail, p)
                continue
            known = clause in read or (refusal is not None and refusal.clause == clause and clause in str(refusal))
            if known:
                read.add(clause)
            else:
                name = game.action_names[action]
                notes.fault(f"{name!r} is refused by {clause!r}, which is not a clause of the book", trail, p)


def _event(game: Game, clause: str, event: str, audience: int, who: int, a: int, b: int) -> str:
    what = game.definition
    if clause not in what.book.clauses:
        return f"the event {event!r} cites {clause!r}, which is not a clause of the book"
    if event not in what.events:
        return f"the event {event!r} has no sentence"
    if not EVERYBODY <= audience < game.players:
        return f"the event {event!r} is told to seat {audience}"
    if not EVERYBODY <= who < game.players:
        return f"the event {event!r} is about seat {who}: the player comes first, then the numbers"
    try:
        sentence = what.sentences.in_english(event, who, a, b, [f"Seat {p}" for p in range(game.players)])
    except Exception as error:  # a sentence that raises is a finding
        return f"{in_words(game, error)}, with ({who}, {a}, {b})"
    return "" if sentence.strip() else f"the sentence of {event!r} is empty"


# ------------------------------------------------------------------------------------------ termination


GAMES = 100
"""Random games that must end, even if few are inspected: whether an endless game shows up is a matter of chance."""
ENOUGH, IN_BRIEF = 20_000, 2_000
"""After this many steps no more such games are begun; the second number is for settings not inspected in full."""
LAST = 12
"""Steps of an endless game that are shown: those with which it goes on."""


def end(material: Material, notes: Notes) -> None:
    """Random games end.  Until then a player can always act, and legal actions are in rising order. (A walk that breaks
    off, or never ends, is a fault in every check that uses it.)"""
    more = range(GAMES) if material.seeds else ()
    enough, played = ENOUGH if notes.in_full else IN_BRIEF, 0
    for seed in dict.fromkeys([*material.seeds, *more]):
        if seed not in material.seeds and played >= enough:
            break
        played += _play(material, material.game, seed, notes)
        if notes.faults:
            return
    if material.in_small is not material:
        for seed in material.in_small.seeds:
            _play(material, material.in_small.game, seed, notes)


def _play(material: Material, game: Game, seed: int, notes: Notes) -> int:
    """Play a random game to its end, the first of a setting with a closer look; return its steps."""
    look = partial(_turn, game, [0] * game.action_count, not notes.cases)
    notes.count()
    s = game.start()
    steps, wrong = played_out(Dice(game, seed), s, material.most, look=look)
    if wrong and steps < UNASKED:
        notes.fault(wrong, walk(game, seed, steps).last)
    elif wrong:
        notes.faults.append(_why(game, seed) or Fault(game, f"{wrong}{_going_on(game, s, seed)}", seed=seed))
    return steps


def _why(game: Game, seed: int) -> Fault | None:
    """Return what the game's own ``check`` finds wrong in an endless game, which is why it has no end; or nothing."""
    check = check_of(game)
    for trail in walk(game, seed, LOOKED_AT).trails:
        if wrong := check(trail.s):
            return Fault(game, f"{wrong}; later the game does not end", trail.script, None, seed)
    return None


def _going_on(game: Game, s: Any, seed: int) -> str:
    """Say in which stage an endless game is, and with which steps it goes on."""
    dice, done = Dice(game, seed), list[str]()
    stage = worded(game, "stage", s.stage) if hasattr(s, "stage") else ""
    with contextlib.suppress(Exception):  # what breaks off later is not what is told here
        while len(done) < LAST and (step := dice.step(s)):
            done.append(step_name(step[0], game.state_at(s).name_of(step[1])))
            game.definition.step(s, *step, None)
    return f"; {f'in stage {stage!r} ' if stage else ''}it goes on: {' / '.join(done)}"


def _turn(game: Game, acts: list[int], closely: bool, s: Any) -> str:
    if closely and (wrong := returned(game.definition, s)):
        return wrong.removesuffix(".")
    rules = game.definition.rules
    who = int(rules.actor(s))
    if who not in {*range(game.players), CHANCE, SEVERAL, TERMINAL}:
        return f"actor is {who}"
    waiting = rules.acting(s) if who == SEVERAL else 1 << who if who >= 0 else 0
    if who == CHANCE and rules.chance(s) <= 0:
        return f"chance is to decide among nothing: chance(s) returns {rules.chance(s)}"
    if who == SEVERAL and not waiting:
        return "several are to choose, but nobody is"
    for p in (p for p in range(game.players) if waiting >> p & 1):
        found = acts[: rules.legal(s, p, acts)]
        if not found or any(a >= b for a, b in itertools.pairwise([-1, *found, game.action_count])):
            return f"seat {p} is to act and may choose {found}, of actions 0 to {game.action_count - 1}"
    return ""


def play_on(game: Game, s: Any, seed: int, most: int) -> None:
    """Play a position on at random, for at most this many steps."""
    dice = Dice(game, seed)
    for _ in range(most):
        step = dice.step(s)
        if step is None:
            return
        game.definition.step(s, *step, None)
