"""Checks that nothing leaks: against what the author says is hidden, against redealt worlds, and along two games at
once.

A game states what a player may know twice, on purpose: by ``show`` and ``show_own``, and by ``hide(s, me)`` in its
``invariants`` module, which wipes from a position all that ``me`` must not know.  If they disagree, there is a leak.
"""

from __future__ import annotations

import itertools
import json
import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from parlour.audit.material import Material
from parlour.audit.report import Notes, step_name
from parlour.audit.stated import Hide, reveals
from parlour.audit.trails import Frozen, Trail, Walk, frozen, heard_by
from parlour.audit.wording import changed_fields, items_worded, told_apart
from parlour.engine.steps import Event
from parlour.engine.telling import restored, view
from parlour.rules.vocabulary import CHANCE, EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.core.game import Game, State

ORDERS = 7
"""Orders of arrival that are compared."""
TRIED = 300
"""How many actions a player tries at one position, if there are more."""
TRIES = 60
"""How many steps a second game tries, to follow one step of the first."""
WILD = 3
"""One in this many second games has random outcomes of chance."""
SWAPS = 60
"""How many pairs of outcomes of chance are tried, to find some that can be exchanged."""
FAR = 60
"""How many steps may lie between the two: both must be of one deal."""


def veiled(game: Game, hide: Hide, s: Any, me: int) -> Any:
    """Return a copy of a position without what ``me`` must not know."""
    wiped = s.copy()
    hide(wiped, me)
    return wiped


# ------------------------------------------------------------------------------------------ comparing channels


def channels(game: Game, s: Any, player: int) -> dict[str, Any]:
    """Return everything that the table sends to ``player`` at a position, as bytes or plain values."""
    seen = view(game, s, player)
    spectator = view(game, s, EVERYBODY)
    out: dict[str, Any] = {
        "view": seen.items,
        "observation": json.dumps(seen.observation(), ensure_ascii=False).encode(),
        "text": seen.text().encode(),
        "glance": seen.glance(),
        "spectator's observation": json.dumps(spectator.observation(), ensure_ascii=False).encode(),
        "spectator's text": spectator.text().encode(),
    }
    if player != EVERYBODY:
        out["tensor"] = seen.tensor().flat.tobytes()
    return out


def answers(state: State, player: int, actions: Iterable[int]) -> dict[str, Any]:
    """Return the legal ones of ``actions`` for a player, and the clauses that forbid the others."""
    legal, refuse, s = state.legal_actions(player), state.game.definition.rules.refuse, state.position
    return {"legal actions": legal, "refusals": {a: str(refuse(s, player, a)) for a in actions if a not in legal}}


def tried(game: Game, seen: object) -> range:
    """Return the actions to try: all, or if there are very many, a selection that depends on the view."""
    apart = -(-game.action_count // TRIED)
    return range(zlib.crc32(repr(seen).encode()) % apart, game.action_count, apart)


def differences(game: Game, s: Any, t: Any, player: int) -> str:
    """Return the channels of ``player`` that tell two positions apart, and what differs in them; empty if none does."""
    here, there = channels(game, s, player), channels(game, t, player)
    if player != EVERYBODY:
        states = game.state_at(s), game.state_at(t)
        turn, other_turn = (player in state.acting for state in states)
        if turn == other_turn:  # compare answers only where the player has the turn in both games or in neither
            mine, other = (answers(state, player, tried(game, here["view"])) for state in states)
            here |= mine
            there |= other
    apart = [name for name in here if here[name] != there[name]]
    if "view" in apart:  # all else that is made of it is different, too
        apart = [name for name in apart if name in ("view", *ASKED)]
    return "; ".join(f"{name}: {_only(game, name, here[name], there[name])}" for name in apart)


ASKED = ("legal actions", "refusals")
"""The channels that are answers to what a player tries."""
SHOWN = 4
"""How many parts of a channel that differ are shown."""


def _only(game: Game, channel: str, here: Any, there: Any) -> str:
    """Return the parts of a channel that only one of two worlds has, on either side of a stroke."""
    parts = [_parts(game, channel, value) for value in (here, there)]
    only = [[one for one in parts[i] if one not in parts[1 - i]] for i in (0, 1)]
    if only == [[], []]:  # they stand in another order
        only = parts
    return " / ".join(", ".join(map(_short, some[:SHOWN])) + ", …" * (len(some) > SHOWN) or "nothing" for some in only)


def _parts(game: Game, channel: str, value: Any) -> list[str]:
    """Return what a channel holds as words, part by part."""
    if channel == "view":
        return [items_worded(game, [item]) for item in value]
    if channel == "tensor":
        numbers = [f"{x:g}" for x in memoryview(value).cast("f")]
        layout = game.tensor_layout.items()
        return [f"{name} [{' '.join(numbers[part.start : part.start + part.width])}]" for name, part in layout]
    if channel.endswith("observation"):
        return [f"{name} {said}" for name, said in json.loads(value).items()]
    if channel.endswith("text"):
        return [repr(line) for line in value.decode().splitlines()]
    if channel == "legal actions":
        return [repr(game.action_names[a]) for a in value]
    if channel == "refusals":
        return [f"{game.action_names[a]!r} by {clause}" for a, clause in value.items()]
    return [str(value)]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:197] + "..."


# ------------------------------------------------------------------------------------------ swap


def swap(material: Material, notes: Notes) -> None:
    """If all that a player must not know is wiped or redealt, nothing that reaches that player changes."""
    hide = declared(material, notes)
    if hide is None:
        return
    for walked, place in material.places("swap", notes):
        _wiped_and_redealt(material, hide, walked.trails[place], notes)
    spare_if_open(material, notes)


def alongside(material: Material, notes: Notes) -> None:
    """If a second game with other hidden cards and choices is played alongside, the same reaches the player in both."""
    hide = declared(material, notes)
    if hide is None:
        return
    for walked in material.walks:
        for p in (EVERYBODY, *material.seats):
            for attempt in range(material.shadows):
                _alongside(material, hide, walked, p, attempt, notes)
        if notes.full:
            return
    spare_if_open(material, notes)


def declared(material: Material, notes: Notes) -> Hide | None:
    """Return the game's ``hide``; ``None``, with a note, if nothing is hidden or the author has not defined it."""
    if material.game.definition.hides_nothing:
        notes.spare("nothing is hidden in this game (verified by the check `open`)")
        return None
    if material.hide is None:
        notes.fault(
            "the game hides something, but its invariants.py has no hide(s, me): there is nothing to compare with"
        )
    return material.hide


def spare_if_open(material: Material, notes: Notes) -> None:
    """Note that the checks do not apply if the game hides nothing under these options."""
    moments = [trail for walked in material.walks for trail in walked.trails]
    if moments and not notes.cases and all(restored(view(material.game, at.s, EVERYBODY)) == at.s for at in moments):
        notes.spare(f"nothing is hidden under these options: a spectator is told everything ({len(moments)} positions)")


def _wiped_and_redealt(material: Material, hide: Hide, trail: Trail, notes: Notes) -> None:
    game, s = material.game, trail.s
    for p in range(EVERYBODY, game.players):
        wiped = veiled(game, hide, s, p)
        if wiped == s:
            notes.pass_over("nothing is hidden from a player")
        else:
            notes.count()
            told, allowed = set(view(game, s, p).items), set(view(game, wiped, p).items)
            if told != allowed:
                leak = sorted(told - allowed or allowed - told)
                names = " and ".join(dict.fromkeys(name for name, *_ in leak))
                notes.fault(
                    f"is told what the player must not know: {items_worded(game, leak)}; mend who is told {names}"
                    " (THINGS), or what hide wipes (invariants.py)",
                    trail, p,
                )  # fmt: skip
        if p == EVERYBODY:
            continue
        for k in range(material.redeals):
            world = view(game, s, p).redeal(k).position
            if world == s:
                notes.pass_over("dealt anew, it is the same world")
                continue
            notes.count()
            apart = differences(game, s, world, p)
            if apart:
                notes.fault(f"hidden cards dealt again ({changed_fields(game, s, world)}) show in {apart}", trail, p)


class Shadow:
    """A second game, played so that ``player`` must not be able to tell it from the first, whose ``trails`` are known.

    With random outcomes, the second game would soon deal to another player a card that ``player`` needs, or that an
    opponent needs to play.  So it is usually the first game with some outcomes of chance exchanged or replaced, chosen
    so that the two games look alike for as long as possible."""

    def __init__(self, game: Game, hide: Hide, player: int, choose: random.Random, trails: Sequence[Trail]) -> None:
        self.trail, self.game, self.hide, self.player, self.choose = Trail(game), game, hide, player, choose
        self.reveals = reveals(game)
        self._falls: dict[int, int] = {}  # outcome of chance by the number of steps before it
        if choose.randrange(WILD):
            self._exchange(trails, choose.choice((1, 1, 3)))

    def _exchange(self, trails: Sequence[Trail], swaps: int) -> None:
        """Find outcomes of chance that can be exchanged so that the games look alike for long."""
        steps = [trail.step for trail in trails[1:]]
        chances = [i for i, (who, _) in enumerate(steps) if who == CHANCE]
        veils = [self._veil(trail.s) for trail in trails]
        longest = 0
        for n in range(SWAPS if chances else 0):
            i, j = self.choose.choice(chances), self.choose.choice(chances)
            if abs(j - i) > FAR or {i, j} & self._falls.keys():
                continue
            other = steps[j][1] if n % 3 else self.choose.choice([k for _, k, _ in trails[i].extensions()])
            if other == steps[i][1]:
                continue
            falls = {**self._falls, i: other, **({j: steps[i][1]} if n % 3 else {})}
            alike = self._alike(trails, falls, veils)
            if alike > max(*falls, longest):
                longest, best = alike, falls
                if alike == len(steps):
                    self._falls, longest, swaps = falls, 0, swaps - 1
                    if not swaps:
                        break
        if longest and not self._falls:
            self._falls = best
        if self._falls:
            self._falls = {i: steps[i][1] for i in chances} | self._falls

    def _alike(self, trails: Sequence[Trail], falls: dict[int, int], veils: Sequence[Frozen]) -> int:
        """For how many steps the player cannot tell the first game from the same with other outcomes of chance; 0 if
        these lead to the same position."""
        rules, acts, s = self.game.definition.rules, [0] * self.game.action_count, self.game.start()
        for n, (who, a) in enumerate(trail.step for trail in trails[1:]):
            a, actor = falls.get(n, a), rules.actor(s)
            if who == CHANCE:
                may = actor == CHANCE and rules.chance(s) >> a & 1
            else:
                is_asked = actor == who or (actor == SEVERAL and rules.acting(s) >> who & 1)
                may = is_asked and a in acts[: rules.legal(s, who, acts)]
            if not may:
                return n
            self.game.definition.step(s, who, a, None)
            if self._veil(s) != veils[n + 1]:
                return n
            if n == max(falls) and s == trails[n + 1].s:
                return 0
        return len(trails) - 1

    def step(self, before: Trail, after: Trail) -> str | None:
        """Follow one step of the first game.  Return the differences that the player can then see (empty: none), or
        ``None`` if the second game cannot go on like the first."""
        self._target, self._same = self._veil(after.s), after.step
        self._own = self._same[0] == self.player != EVERYBODY  # CHANCE has the same number as EVERYBODY
        self._recent = [trail.step for trail in itertools.islice(after.trodden, 2 * self.game.players)]
        self._expected = heard_by(after.heard, self.player)
        self._sealed = after.sealed_by_others(self.player)
        self._tries = TRIES
        found = self._search(self.trail, [], False, False, self.game.players + 2)
        if found is None:
            return None
        self.trail, heard = found
        if heard != self._expected:
            return f"events: {told_apart(self.game, self._expected, heard)}"
        return ""

    def _veil(self, s: Any) -> Frozen:
        return frozen(self.game, veiled(self.game, self.hide, s, self.player))

    def _search(
        self, at: Trail, heard: list[Event], did: bool, other: bool, deep: int
    ) -> tuple[Trail, list[Event]] | None:
        """Try steps after which the player must not be able to tell the two games apart: the player's own action if it
        was their step, and before and after it steps that they must not notice.  ``did``: whether their action was
        carried out; ``other``: whether another player's choice differed from that in the first game or was a sealed
        answer until now, so that its events may differ.
        """
        here = self._veil(at.s)
        ready = here == self._target and did == self._own
        stay = (at, heard) if ready and self._same_story(heard, other) else None
        if stay and (did or self.choose.randrange(2)):
            return stay
        for step in self._steps(at, did) if deep else []:
            if self._tries == 0:
                break
            self._tries -= 1
            new = at.after(*step)
            veil = self._veil(new.s)
            mine = step[0] == self.player != EVERYBODY
            if not mine and veil not in {here, self._target}:
                continue
            differs = other or (step[0] != CHANCE and step[:2] != self._same and veil != here)
            differs |= new.sealed_by_others(self.player) not in ({}, self._sealed)
            found = self._search(new, heard + heard_by(new.heard, self.player), did or mine, differs, deep - 1)
            if found:
                return found
        return stay

    def _same_story(self, heard: list[Event], other: bool) -> bool:
        """Whether the events must be the same as in the first game.  They need not be if another player's choice
        differed on the way, or if a hidden card was shown that was a different one."""
        if other and heard != self._expected:
            return False
        shown, expected = ([e for e in events if e[1] in self.reveals] for events in (heard, self._expected))
        return shown == expected

    def _steps(self, at: Trail, did: bool) -> list[tuple[int, int, Fraction | None]]:
        """Return the steps to try, in order: mostly the players' actions in the first game, but any outcome of chance;
        if these fail, the steps of the first game."""
        others = [p for p in at.acting if p != self.player]
        steps: list[tuple[int, int, Fraction | None]] = []
        if self._own and not did and self.player in at.acting:
            steps = [(*self._same, None)] if self._same[1] in at.legal(self.player) else []
        elif others or at.actor == CHANCE:
            steps = list(at.extensions(self.choose.choice(others) if others else EVERYBODY))
        self.choose.shuffle(steps)
        if at.actor == CHANCE and self._falls:
            return sorted(steps, key=lambda step: step[1] != self._falls.get(at.length))
        if self.choose.randrange(8):
            steps.sort(key=lambda step: step[:2] not in self._recent)
        same = [step for step in steps[1:] if step[:2] == self._same]
        return [*steps[:1], *same, *(step for step in steps[1:] if step not in same)]


def _alongside(material: Material, hide: Hide, walked: Walk, player: int, attempt: int, notes: Notes) -> None:
    """Play a second game alongside a walk, and compare everything that reaches the player."""
    game = material.game
    shadow = Shadow(game, hide, player, random.Random(f"{walked.seed} {player} {attempt}"), walked.trails)
    apart, last = 0, None
    for before, after in itertools.pairwise(walked.trails[: material.moments * 4]):
        told = shadow.step(before, after)
        if told is None:
            notes.pass_over("the second game cannot go on like the first")
            break
        if after.s == shadow.trail.s and not told:
            notes.pass_over("the second game is the same so far")
            continue
        apart += 1
        last = after, shadow.trail
        if not told and player != EVERYBODY and after.keys[player] != shadow.trail.keys[player]:
            told = f"information key: {after.keys[player]:016x} / {shadow.trail.keys[player]:016x}"
        told = told or differences(game, after.s, shadow.trail.s, player)
        if told:
            _report(notes, told, after, shadow.trail, player)
            return
    notes.count(apart)
    if last and (told := _papers(*last, player)):
        _report(notes, told, *last, player)


def _report(notes: Notes, told: str, trail: Trail, other: Trail, player: int) -> None:
    script = " / ".join(other.script)
    notes.fault(f"can tell this game from one that must look the same: {told}\n  the other: {script}", trail, player)


def _papers(first: Trail, second: Trail, player: int) -> str:
    """Return the differences between two states' events and records, as ``player`` gets them."""
    a, b = state_after(first), state_after(second)
    if a.events(player) != b.events(player):
        return "events"
    return "redacted record" if a.record(player) != b.record(player) else ""


def state_after(trail: Trail) -> State:
    """Return the state that the public interface reaches by the steps of a trail."""
    state = trail.game.new()
    for who, a in trail.steps:
        state.apply(a, None if who == CHANCE else who)
    return state


# ------------------------------------------------------------------------------------------ games without secrets


def open_(material: Material, notes: Notes) -> None:
    """A spectator's view, put back into a blank position, gives the position itself, byte for byte."""
    game = material.game
    if not game.definition.hides_nothing:
        notes.spare("the game does not say that it hides nothing")
        return
    for walked in material.walks:
        for trail in walked.trails:
            for p in range(EVERYBODY, game.players):
                notes.count()
                back = restored(view(game, trail.s, p))
                if back != trail.s:
                    notes.fault(f"HIDES_NOTHING, but is not told {changed_fields(game, trail.s, back)}", trail, p)
        if notes.full:
            return


# ------------------------------------------------------------------------------------------ sealed choices


def order(material: Material, notes: Notes) -> None:
    """Answers to one sealed question, given in any order, leave the same position, keys, events, history and record;
    nobody hears or sees anything before the last."""
    game, sealed = material.game, 0
    for walked in material.walks:
        state, read = game.new(), 0
        for place, trail in enumerate(walked.trails):
            if place:
                state.apply(trail.step[1], None if trail.step[0] == CHANCE else trail.step[0])
            if trail.actor != SEVERAL or trail.pending:
                continue
            block = walked.answers(place)
            if walked.trails[place + len(block)].pending:
                notes.pass_over("the walk ends before all have answered")
            elif len({who for who, _ in block}) < 2:
                notes.pass_over("only one player is asked")
            else:
                sealed += 1
                read += 1
                _all_orders(game, trail, state, block, read <= material.moments // 8, notes)
        if notes.full:
            return
    if not sealed:
        moments = sum(len(walked.trails) for walked in material.walks)
        notes.spare(f"nobody chooses at the same time as others (in {moments} positions)")


def _all_orders(
    game: Game, trail: Trail, start: State, block: tuple[tuple[int, int], ...], read: bool, notes: Notes
) -> None:
    """``read``: whether the records of the whole game are compared, too."""
    everybody = range(EVERYBODY, game.players)
    first: Any = None
    for answers_ in _orders(block):
        new, state = trail, start.clone()
        for who, a in answers_:
            new = new.after(who, a)
            state.apply(a, who)
        end = {
            "position": frozen(game, new.s),
            "keys": new.keys,
            "own histories": new.own,
            "fields": state.fields(),
            "history": state.history,
            "log": state.log,
            "events": [state.events(p, since=trail.length) for p in everybody],
        }
        if read:
            end["information keys of the state"] = state.memory().keys
            end["record"] = state.record()
            end["redacted records"] = [state.record(p) for p in everybody]
        if first is None:
            first = end
            continue
        notes.count()
        for what, value in end.items():
            if value != first[what]:
                order_ = ", ".join(step_name(who, game.action_names[a]) for who, a in answers_)
                notes.fault(
                    f"the order of answers ({order_}) shows in the {what}: {_short(value)} / {_short(first[what])}", new
                )


def _orders(block: tuple[tuple[int, int], ...]) -> Iterator[list[tuple[int, int]]]:
    """Yield orders: that of the seats, its reverse, and others; the answers of one player always in that player's own
    order."""
    seats = sorted(who for who, _ in block)
    others = random.Random(len(seats))
    orders = [seats, seats[::-1], *(others.sample(seats, len(seats)) for _ in range(ORDERS - 2))]
    for order_ in dict.fromkeys(map(tuple, orders)):
        answers = {p: iter([a for who, a in block if who == p]) for p in seats}
        yield [(p, next(answers[p])) for p in order_]
