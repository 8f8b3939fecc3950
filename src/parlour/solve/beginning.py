"""The first steps of a deal to be solved.  Every player must have been told of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.memory import Memory
from parlour.engine.steps import Event
from parlour.engine.telling import members
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL

if TYPE_CHECKING:
    from parlour.core.game import Game, State

MOST = 20_000
"""The most histories that are compared with the given one."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """A position, and what the players know in it."""

    s: Any
    memory: Memory


def begun(game: Game, after: Sequence[str]) -> State:
    """Return a new game in which these steps have been taken, by name.

    The rest can be solved by itself only if every player knows the steps; otherwise the solver would let them use facts
    that they cannot know.  ``ParlourError`` if a player cannot tell the game from one that began differently.

    >>> import parlour
    >>> begun(parlour.load("kuhn"), ["K"])
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: Player 0 can't tell 'K' from 'J', and --after takes only ...
    """
    state = game.new()
    start = _Moment(state.position.copy(), Memory(game, state.position, words=False))
    for step in after:
        state.apply(step)
    path = [start]
    for made in state.history:
        path.append(_after(game, path[-1], made.player, made.action))
    met = [{moment.memory.keys[p] for moment in path} for p in range(game.players)]
    compared, fields = 0, telling_apart(game)
    for at, (done, before) in enumerate(zip(state.history, path, strict=False)):
        for who, other in _ways(game, before.s):
            todo = [] if other == done.action else [(_after(game, before, who, other), at + 1)]
            while todo:
                here, then = todo.pop()
                compared += 1
                if here.memory.mark() == path[-1].memory.mark() and fields(here.s) == fields(path[-1].s):
                    continue  # the same position, such as a hand dealt in another order: what follows is the same too
                for p, key in enumerate(here.memory.keys):
                    if key == path[-1].memory.keys[p]:
                        raise ParlourError(
                            "Player {player} can't tell {name!r} from {other_name!r}, and --after"
                            " takes only steps that everybody sees.",
                            player=p,
                            name=done.name,
                            other_name=_name(game, before.s, other),
                        )
                if compared > MOST:
                    raise ParlourError(
                        "Checking whether everybody sees {name!r} would take too long; give fewer steps with --after.",
                        name=done.name,
                    )
                # go on from here only if some player cannot tell this from what really happened
                if any(key in met[p] for p, key in enumerate(here.memory.keys)):
                    ways = list(_ways(game, here.s))
                    if then < len(state.history):  # try the real next step first
                        ways.sort(key=lambda way, next_=state.history[then]: way == (next_.player, next_.action))  # type: ignore[misc]
                    todo += [(_after(game, here, *way), then + 1) for way in ways]
    return state


def telling_apart(game: Game) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that turns a position into a value that is equal for equal positions."""
    single, several = (
        attrgetter("__class__", *(name for name, f in game.definition.fields.items() if bool(f.size) is many))
        for many in (False, True)
    )
    return lambda s: (single(s), *map(tuple, several(s)[1:]))


def _ways(game: Game, s: Any) -> Iterator[tuple[int, int]]:
    """Return the possible steps: a player with an action, or chance with an outcome.  Players who choose at once do so
    in order of seats."""
    rules = game.definition.rules
    who = rules.actor(s)
    if who in (TERMINAL, DEAL_OVER):
        return
    if who == CHANCE:
        yield from ((CHANCE, k) for k in members(rules.chance(s)))
        return
    who = members(rules.acting(s))[0] if who == SEVERAL else who
    acts = [0] * game.action_count
    yield from ((who, a) for a in acts[: rules.legal(s, who, acts)])


def _after(game: Game, moment: _Moment, who: int, action: int) -> _Moment:
    rules, s, memory = game.definition.rules, moment.s.copy(), moment.memory.copy()
    waiting, heard = rules.acting(s) if rules.actor(s) == SEVERAL else 0, list[Event]()
    game.definition.step(s, who, action, heard)
    memory.step(s, who, action, heard, waiting)
    return _Moment(s, memory)


def _name(game: Game, s: Any, action: int) -> str:
    rules = game.definition.rules
    return str(rules.outcome_name(s, action) if rules.actor(s) == CHANCE else game.action_names[action])
