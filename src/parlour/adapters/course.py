"""A game as a library drives it: whose turn it is, what may be done, and the next step. The caller decides chance.

A :class:`Course` keeps less than a :class:`parlour.State`: no sentences, no log, no generator. So it is quick to step
and to copy. What players know is worked out only when somebody asks, starting from the last time somebody did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import ParlourError
from parlour.engine.hashing import seed_word
from parlour.engine.memory import Memory
from parlour.engine.positions import as_dict
from parlour.engine.telling import Item, View
from parlour.rules.vocabulary import CHANCE, SEVERAL, below

if TYPE_CHECKING:
    from parlour.core.game import Game
    from parlour.engine.steps import Event


TRIES = 20_000
"""The most worlds dealt in search of one with the same player to act: who that is may depend on what is hidden."""


class Deed(NamedTuple):
    """A step of a history: the player (or chance), and the action (or outcome)."""

    player: int
    action: int


class Course:
    """A game from its beginning, or from a position that was dealt from a view.

    ``who``: the player to act, ``CHANCE`` or ``TERMINAL``; where several choose at once, the lowest seat that has not
    answered. ``steps``: the steps so far, each as player and action.

    >>> import parlour
    >>> course = Course(parlour.load("kuhn"))
    >>> for action in (2, 0, 1): course.step(action)
    >>> course.who, course.legal(), course.memory().lines[1][0]
    (1, [0, 1], 'sees stage[0]=0 dealt[0]=0 moves[0]=0 paid[0]=1 paid[1]=1')
    """

    __slots__ = ("_acts", "_known", "_rules", "game", "position", "steps", "who")

    def __init__(self, game: Game, position: Any = None, memory: Memory | None = None) -> None:
        self.game = game
        self.position = game.start() if position is None else position
        self.steps: list[tuple[int, int]] = []
        self._rules = game.definition.rules
        self._acts = [0] * game.action_count
        if memory is None:
            memory = Memory(game, self.position)
        self._known = memory, self.position.copy(), 0  # never changed, so copies may share it
        self.who = self._turn()

    def _turn(self) -> int:
        who: int = self._rules.actor(self.position)
        if who == SEVERAL:
            waiting = self._rules.acting(self.position)
            return (waiting & -waiting).bit_length() - 1
        return who

    def legal(self) -> list[int]:
        """Return the legal actions of the player to act."""
        return self._acts[: self._rules.legal(self.position, self.who, self._acts)]

    def outcomes(self) -> list[tuple[int, int]]:
        """Return the possible outcomes of chance, each with its weight."""
        rules, s = self._rules, self.position
        found, weight = rules.chance(s), rules.weight
        return [(k, weight(s, k)) for k in range(found.bit_length()) if found >> k & 1]

    def step(self, action: int) -> None:
        """Let the player to act do ``action``, or let that outcome of chance happen. Nothing is checked here: see
        :meth:`check`."""
        self.game.definition.step(self.position, self.who, action, None)
        self.steps.append((self.who, action))
        self.who = self._turn()

    def check(self, action: int) -> None:
        """Raise ``IllegalAction``, with the clause, if the player to act may not do ``action``. Raise ``ParlourError``
        if it is not a possible outcome of chance, or if the game is over."""
        if self.who == CHANCE:
            if action not in dict(self.outcomes()):
                known = ", ".join(f"{k} ({self.name_of(CHANCE, k)})" for k, _ in self.outcomes())
                raise ParlourError(
                    "Chance cannot bring outcome {action} now; choose from: {known}.", action=action, known=known
                )
        elif self.who < 0:
            raise ParlourError("The game is over, so there is nothing to do; {action} was given.", action=action)
        elif action not in self.legal():
            refusal = self.game.state_at(self.position).refusal(action, self.who)
            assert refusal is not None
            raise refusal

    def returns(self) -> list[float]:
        """Return what each player has won or lost, once the game is over."""
        out = [0.0] * self.game.players
        self._rules.returns(self.position, out)
        return out

    def memory(self) -> Memory:
        """Return what every player has known so far; do not change it."""
        memory, s, done = self._known
        if done < len(self.steps):
            rules, step = self._rules, self.game.definition.step
            memory, s = memory.copy(), s.copy()
            for who, action in self.steps[done:]:
                heard: list[Event] = []
                waiting = rules.acting(s) if rules.actor(s) == SEVERAL else 0
                step(s, who, action, heard)
                memory.step(s, who, action, heard, waiting)
            self._known = memory, s, len(self.steps)
        return memory

    def view(self, player: int, public: bool = True, own: bool = True) -> View:
        """Return what a player is told now, without what everybody is told unless ``public``, and without what this
        player alone is told unless ``own``. If there is nothing to tell while chance decides, the view holds the cards
        that lie before the player face down until all have been dealt."""
        items: list[Item] = []
        if public:
            self._rules.show(self.position, items)
        if own:
            self._rules.show_own(self.position, player, items)
        if not items and own and self.who == CHANCE:
            things = self.game.definition.things.items()
            lying = [name for name, thing in things if thing.own and thing.seats and not thing.value]
            found = [(name, player, getattr(self.position, name)[player]) for name in lying]
            items += [item for item in found if item[2]]
        return View(self.game, player, tuple(items))

    def name_of(self, who: int, action: int) -> str:
        """Return the name of an action, or of an outcome that chance may bring now; ``no action 99`` or
        ``no outcome 99`` if there is none of that number."""
        if who == CHANCE:
            possible = [k for k, _ in self.outcomes()] if self.who == CHANCE else []
            return (
                str(self._rules.outcome_name(self.position, action)) if action in possible else f"no outcome {action}"
            )
        return self.game.action_names[action] if 0 <= action < self.game.action_count else f"no action {action}"

    def redeal(self, player: int, seed: int) -> Course:
        """Return a random world that ``player`` cannot tell from this one, with the same player to act. There
        ``player`` remembers all that they have known, and the others know only what they see.

        Where several choose at once, the players who were asked before have answered in that world too, each with one
        of their legal answers at random. Raises ``ParlourError`` if no such world is found.
        """
        here, rng, known = self.game.state_at(self.position), [seed_word(seed)], self.memory()
        for _ in range(TRIES):
            s = here.redeal(player, below(rng, 1 << 32)).position
            asked = self._rules.actor(s)
            if asked != self.who and not (asked == SEVERAL and self.who >= 0 and self._rules.acting(s) >> self.who & 1):
                continue
            world = Course(self.game, s, known.as_known_to(player, s))
            while 0 <= world.who < self.who and self._rules.actor(s) == SEVERAL:
                answers = world.legal()
                world.step(answers[below(rng, len(answers))])
            if world.who == self.who:
                break
        else:
            raise ParlourError("In none of {tries:,} worlds dealt is the same player to act.", tries=TRIES)
        world._known, world.steps = (world.memory(), world.position.copy(), 0), []
        return world

    def copy(self) -> Course:
        """Return an equal course; steps taken on one never change the other."""
        new = object.__new__(Course)
        new.game, new._rules, new._acts, new.who = self.game, self._rules, self._acts, self.who
        new.position, new.steps, new._known = self.position.copy(), self.steps[:], self._known
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Course:
        return self.copy()

    def __getstate__(self) -> tuple[Any, ...]:
        memory, s, done = self._known
        what = self.game.definition
        return self.game, as_dict(what, self.position), self.steps, memory, as_dict(what, s), done

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.game, fields, self.steps, memory, known, done = state
        self._rules, self._acts = self.game.definition.rules, [0] * self.game.action_count
        self.position, self._known = _filled(self.game, fields), (memory, _filled(self.game, known), done)
        self.who = self._turn()


def _filled(game: Game, fields: dict[str, Any]) -> Any:
    """Return a position whose fields have these values."""
    s = game.blank()
    for name, value in fields.items():
        setattr(s, name, value)
    return s
