"""Positions with the steps that led there: the material of random walks, exhaustive walks and consistent worlds.

Trails are made by calling the rules themselves, one step at a time.  A trail never changes: a step makes a new one.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from parlour.audit.report import step_name
from parlour.audit.wording import in_words
from parlour.engine.hashing import seed_word
from parlour.engine.kernels import chance
from parlour.engine.memory import Memory, is_pending
from parlour.engine.steps import Event
from parlour.engine.telling import Item
from parlour.rules.bounds import UNASKED
from parlour.rules.vocabulary import CHANCE, EVERYBODY, SEVERAL, TERMINAL, lowest

if TYPE_CHECKING:
    from parlour.core.game import Game

Frozen = tuple[Any, ...]
"""The fields of a position in order of declaration: equal exactly when the positions are."""


def frozen(game: Game, s: Any) -> Frozen:
    """A position as a value."""
    return tuple(tuple(getattr(s, n)) if f.size else getattr(s, n) for n, f in game.definition.fields.items())


class Trail:
    """A position ``s``, and the steps that led to it.

    ``step``: the last of them (player, action); ``before``: the trail before it (``None`` at the start); ``heard``: its
    events.  ``pending``: whether it answered a sealed question of which answers are still missing.  ``weight``: the
    probability of ``chances``, the chance outcomes on the way.  Views and memories of players are worked out when they
    are needed.
    """

    _memory: Memory | None

    __slots__ = (
        "_ears",
        "_knows",
        "_memory",
        "_open",
        "_sees",
        "_waiting",
        "before",
        "chances",
        "game",
        "heard",
        "length",
        "pending",
        "s",
        "seed",
        "step",
        "weight",
    )

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game, self.seed, self.s = game, seed, game.start()
        self.heard: list[Event] = []
        self.pending = False
        self.before: Trail | None = None
        self.step = (TERMINAL, 0)
        self.length = 0
        self.weight = Fraction(1)
        self.chances: tuple[int, ...] = ()
        self._waiting = 0
        self._ears: list[list[Event]] | None = None
        self._begin()
        self._memory = Memory(game, self.s)
        self._memory.lines = [Lines(lines) for lines in self._memory.lines]

    def _begin(self) -> None:
        self._memory = None
        self._open: tuple[Item, ...] | None = None
        self._sees: dict[int, tuple[Item, ...]] = {}
        self._knows: dict[int, tuple[bytes, tuple[Item, ...]]] = {}

    # ------------------------------------------------------------------ steps

    @property
    def trodden(self) -> Iterator[Trail]:
        """Yield this trail and those before it, the last first."""
        trail: Trail | None = self
        while trail is not None:
            yield trail
            trail = trail.before

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """The steps from the start to here."""
        return tuple([trail.step for trail in self.trodden][-2::-1])

    @property
    def script(self) -> tuple[str, ...]:
        """The same in the form of a script for people."""
        return tuple([step_name(trail.step[0], trail.name) for trail in self.trodden if trail.before][::-1])

    @property
    def name(self) -> str:
        """The name of the last step."""
        who, a = self.step
        if who != CHANCE:
            return self.game.action_names[a]
        assert self.before is not None
        return str(self.game.definition.rules.outcome_name(self.before.s, a))

    @property
    def actor(self) -> int:
        return int(self.game.definition.rules.actor(self.s))

    @property
    def acting(self) -> tuple[int, ...]:
        """The players who may act now."""
        who = self.actor
        if who == SEVERAL:
            waiting = self.game.definition.rules.acting(self.s)
            return tuple(p for p in range(self.game.players) if waiting >> p & 1)
        return (who,) if who >= 0 else ()

    def legal(self, player: int) -> list[int]:
        """Legal actions of a player who may act."""
        acts = [0] * self.game.action_count
        return acts[: self.game.definition.rules.legal(self.s, player, acts)]

    def outcomes(self) -> list[tuple[int, Fraction]]:
        """Chance outcomes and their probabilities."""
        return self.game.state_at(self.s).chance_outcomes()

    def after(self, who: int, a: int, chance: Fraction | None = None) -> Trail:
        """Return the trail one step on; ``chance``: the probability of the outcome, if that matters."""
        rules, game = self.game.definition.rules, self.game
        new = object.__new__(Trail)
        new.game, new.seed, new.s, new.heard = game, self.seed, self.s.copy(), []
        new.before, new.step, new.length = self, (who, a), self.length + 1
        new._begin()
        waiting = new._waiting = rules.acting(self.s) if rules.actor(self.s) == SEVERAL else 0
        game.definition.step(new.s, who, a, new.heard)
        new.weight = self.weight if chance is None else self.weight * chance
        new.chances = self.chances if chance is None else (*self.chances, a)
        new.pending = bool(waiting) and is_pending(rules, new.s, who, waiting, new.heard)
        new._ears = None
        if new.pending:
            new._ears = [ear + heard_by(new.heard, p) for p, ear in enumerate(self._ears or [[]] * game.players)]
        return new

    def sealed_by_others(self, player: int) -> dict[int, int]:
        """Return the answers of other players to the sealed question that the last step ended, by seat."""
        answers: dict[int, int] = {}
        at, before = self, self.before
        while not self.pending and before and before.pending:
            answers[at.step[0]] = at.step[1]
            at, before = before, before.before
        if answers:
            answers[at.step[0]] = at.step[1]
        answers.pop(player, None)
        return answers

    def weighing(self, weight: Fraction) -> Trail:
        """The same trail with another probability."""
        if weight == self.weight:
            return self
        new = object.__new__(Trail)
        for name in Trail.__slots__:
            setattr(new, name, getattr(self, name))
        new.weight = weight
        return new

    def extensions(self, first: int = EVERYBODY) -> Iterator[tuple[int, int, Fraction | None]]:
        """Yield every step that is possible now; where several choose at once, ``first`` answers first, then the lowest
        seat."""
        who = self.actor
        if who == CHANCE:
            for k, probability in self.outcomes():
                yield CHANCE, k, probability
        elif who != TERMINAL:
            acting = self.acting
            mover = first if first in acting else acting[0]
            for a in self.legal(mover):
                yield mover, a, None

    # ------------------------------------------------------------------ sight and memory of players

    def sees(self, player: int) -> tuple[Item, ...]:
        """Return what a player (or ``EVERYBODY``) is told here.  Players who are told nothing more than everybody share
        the same tuple."""
        if player not in self._sees:
            rules = self.game.definition.rules
            own: list[Item] = []
            if self._open is None:
                rules.show(self.s, own)
                self._open, own = tuple(own), []
            if player != EVERYBODY:
                rules.show_own(self.s, player, own)
            self._sees[player] = (*self._open, *own) if own else self._open
        return self._sees[player]

    def ears(self, player: int) -> list[Event]:
        """Return the events that a player has heard since the sealed question that is still open."""
        return self._ears[player] if self._ears else []

    @property
    def memory(self) -> Memory:
        """The engine's memory for every player."""
        missing = []
        for trail in self.trodden:
            if trail._memory is not None:
                memory = trail._memory
                break
            missing.append(trail)
        for trail in reversed(missing):
            memory = memory.copy()
            memory.step(trail.s, *trail.step, trail.heard, trail._waiting)
            trail._memory = memory
        return memory

    @property
    def keys(self) -> list[int]:
        return self.memory.keys

    def knows(self, player: int) -> bytes:
        """Return a digest of a player's own history (all that they did, saw and heard), computed independently of
        :class:`~parlour.engine.memory.Memory`."""
        if player not in self._knows:
            missing = list(itertools.takewhile(lambda trail: player not in trail._knows, self.trodden))
            for trail in reversed(missing):
                trail._knows[player] = trail._learns(player)
        return self._knows[player][0]

    @property
    def own(self) -> list[bytes]:
        """Every player's own history."""
        return [self.knows(p) for p in range(self.game.players)]

    def _learns(self, player: int) -> tuple[bytes, tuple[Item, ...]]:
        """Return a player's own history with this step added, and their last view."""
        if self.before is None:
            items = self.sees(player)
            return _digest(b"", items), items
        knows, seen = self.before._knows[player]
        who, a = self.step
        if who == player:
            knows = _digest(knows, ("does", a))
        if not self.pending:
            items, ear = self.sees(player), self.before.ears(player) + heard_by(self.heard, player)
            if ear or items != seen:
                knows, seen = _digest(knows, (sorted(items), sorted(e[1:] for e in ear))), items
        return knows, seen

    def looks(self, player: int) -> tuple[Any, ...]:
        """The position with the events that the player has not taken in yet, as one value to compare."""
        return frozen(self.game, self.s), self.pending, tuple(self.ears(player))


class Lines(list[str]):
    """Lines that are kept as one digest: equal if all the lines are, and quick to copy."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__([""])
        for line in lines:
            self.append(line)

    def append(self, line: str) -> None:
        self[0] = _digest(self[0].encode(), line).hex()

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            copy = Lines(())
            copy[0] = self[0]
            return copy
        return super().__getitem__(place)


def _digest(before: bytes, fact: object) -> bytes:
    return blake2b(before + repr(fact).encode(), digest_size=16).digest()


def heard_by(events: list[Event], player: int) -> list[Event]:
    """Return those events of a step that a player was told."""
    return [event for event in events if event[2] in (EVERYBODY, player)]


# ------------------------------------------------------------------------------------------ random walks


@dataclass
class Walk:
    """One random game: the trails from the start (``trails[0]``) to the end, or to where inspection stopped, and what
    went wrong on the way (``trouble``; empty if nothing did)."""

    game: Game
    seed: int
    trails: list[Trail]
    before: list[Frozen] = field(default_factory=list)
    trouble: str = ""
    _broke_off: str | None = None

    def some(self, most: int, salt: str = "") -> list[int]:
        """Return up to ``most`` places of the walk, in order, the first and the last among them; as far as possible,
        equally many for each kind of moment."""
        places = range(len(self.trails))
        if len(places) <= most:
            return list(places)
        rng = random.Random(f"{self.seed} {salt}")
        kinds: dict[object, list[int]] = defaultdict(list)
        for place in places[1:-1]:
            kinds[kind(self.trails[place].actor, self.trails[place + 1].heard)].append(place)
        for same in kinds.values():
            rng.shuffle(same)
        in_turn = [place for round_ in itertools.zip_longest(*kinds.values()) for place in round_ if place is not None]
        return [0, *sorted(in_turn[: most - 2]), len(places) - 1]

    def answers(self, place: int) -> tuple[tuple[int, int], ...]:
        """Return the steps from this place until the sealed question asked there is fully answered (or the walk ends);
        one step if no such question is asked."""
        end = place + 1
        while end < len(self.trails) - 1 and self.trails[end].pending:
            end += 1
        return tuple(trail.step for trail in self.trails[place + 1 : end + 1])

    @cached_property
    def last(self) -> Trail:
        return self.trails[-1]

    def broke_off(self, most: int) -> str:
        """Return the reason why this game does not end within this many more steps; empty if it does."""
        if self._broke_off is None:
            self._broke_off = self.trouble or self._ending(most)
        return self._broke_off

    def _ending(self, most: int) -> str:
        """Play on from the place where inspection stopped."""
        dice = Dice(self.game, self.seed)
        return played_out(dice, self.last.s.copy(), most, self.last.length)[1]


class BrokenOff(Exception):
    """The rules offer no step in a game that is not over."""


class Dice:
    """The player of random games: ``step`` returns the next step."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.rules, self._acts = game, game.definition.rules, [0] * game.action_count
        self._players, self._draw = game.players, chance.KERNEL.interpreted(game.definition).draw_outcome
        self._choose, self._rng = random.Random(seed), [seed_word(seed)]

    def step(self, s: Any) -> tuple[int, int] | None:
        """Return a random step (player, action) at a position; ``None`` when the game is over.  If several choose at
        once, the player is random too."""
        who = int(self.rules.actor(s))
        if who == TERMINAL:
            return None
        if who == CHANCE:
            return CHANCE, int(self._draw(s, self._rng))
        if who != SEVERAL and not 0 <= who < self._players:
            raise BrokenOff(f"actor is {who}")
        waiting = self.rules.acting(s) if who == SEVERAL else 1 << who
        those = [p for p in range(self._players) if waiting >> p & 1]
        if not those:
            raise BrokenOff("several are to choose, but nobody is")
        who = self._choose.choice(those)
        n = self.rules.legal(s, who, self._acts)
        if n <= 0:
            raise BrokenOff(f"seat {who} is to act and may choose nothing")
        return who, self._acts[self._choose.randrange(n)]


def played_out(
    dice: Dice, s: Any, most: int, before: int = 0, look: Callable[[Any], str] = lambda s: ""
) -> tuple[int, str]:
    """Play on at random from a position, ``before`` steps after the start, without inspecting.  Return the number of
    steps, and the reason why the game did not end within ``most`` of them; empty if it did.  ``look``: a function that
    returns a fault of a position, or an empty text."""
    unasked = 0
    for step in range(most):
        try:
            if wrong := look(s):
                return step, wrong
            chosen = dice.step(s)
            if chosen is None:
                return step, ""
            unasked = unasked + 1 if chosen[0] == CHANCE else 0
            if unasked > UNASKED:
                return step, f"nobody is asked: chance has decided {unasked:,} times in a row"
            dice.game.definition.step(s, *chosen, None)
        except Exception as error:  # whatever the rules do wrong is a finding
            return step, f"broke off after {before + step} steps: {_words(dice.game, error)}"
    return most, f"the game is not over after {before + most} steps"


def walk(game: Game, seed: int, most: int) -> Walk:
    """Play a random game of at most ``most`` steps; where several choose at once, a random one answers next."""
    dice, trail = Dice(game, seed), Trail(game, seed)
    found = Walk(game, seed, [trail], [frozen(game, trail.s)])
    try:
        while trail.length < most and (step := dice.step(trail.s)):
            trail = trail.after(*step)
            found.trails.append(trail)
            found.before.append(frozen(game, trail.s))
    except Exception as error:  # whatever the rules do wrong is a finding
        found.trouble = f"broke off after {trail.length} steps: {_words(game, error)}"
    return found


def _words(game: Game, error: Exception) -> str:
    return str(error) if isinstance(error, BrokenOff) else in_words(game, error)


def kind(actor: int, heard: Sequence[Event]) -> tuple[int, frozenset[tuple[str, bool]]]:
    """Return the kind of moment at which ``actor`` is to act and a step is heard in this way."""
    return min(actor, 0), frozenset((event, audience == EVERYBODY) for _, event, audience, *_ in heard)


def every_trail(game: Game, most: int) -> list[Trail]:
    """Return all trails of a game (where several choose at once, the lowest seat answers first); none if there are more
    than ``most``."""
    if not _is_small(game, most):
        return []
    found, todo = [], [Trail(game)]
    while todo:
        trail = todo.pop()
        found.append(trail)
        todo += [trail.after(*step) for step in trail.extensions()]
    return found


def _is_small(game: Game, most: int) -> bool:
    """Whether a game has at most ``most`` histories."""
    rules, todo, found, acts = game.definition.rules, [game.start()], 0, [0] * game.action_count
    while todo and found + len(todo) <= most:
        s = todo.pop()
        found += 1
        who = rules.actor(s)
        if who == CHANCE:
            outcomes = rules.chance(s)
            for k in (k for k in range(outcomes.bit_length()) if outcomes >> k & 1):
                todo.append(s.copy())
                game.definition.step(todo[-1], CHANCE, k, None)
        elif who != TERMINAL:
            who = lowest(rules.acting(s)) if who == SEVERAL else who
            for a in acts[: rules.legal(s, who, acts)]:
                todo.append(s.copy())
                game.definition.step(todo[-1], who, a, None)
    return not todo
