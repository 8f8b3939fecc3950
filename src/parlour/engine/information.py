"""What a player has known so far as numbers of a fixed size, for networks that learn: the information state as a tensor.

It has four parts: ``observer`` (1 at the player's seat), ``view`` (what they see now: the tensor of
:meth:`parlour.State.tensor`), ``log`` (what they did, were told and saw, in order, from the first row on), and
``forgotten`` (0, or how many rows have left a log that was full).  A row of the log has seven numbers:

====== ===================================================================
0 1 2  1 if the player did something; was told of an event; saw a change
3      which action, event, or entry of the view, from 0 to 1
4      whom the event is about, turned so that the player is first (0: nobody); or what the entry is now
5 6    the event's two numbers
====== ===================================================================

What comes in at the same time is sorted, so two tensors of a player are equal exactly when their information states
are, as long as nothing was forgotten; the audit decides that for games that are small enough.  Unlike a key, alike
states have alike tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any

from parlour.base.extras import needed
from parlour.engine.kernels.information import KERNEL, NEXT, Course
from parlour.engine.kernels.logs import EACH, LISTED, B
from parlour.engine.positions import dtype_of, to_record
from parlour.engine.tensors import Tensor, TensorPart, tensor_parts, tensor_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.engine.definition import Definition
    from parlour.engine.ruleset import Ruleset

WIDTH = B + 1
"""Numbers in a row of the log."""
TRIED, SPARE, ROUND, MOST_ROWS = 64, 1.5, 16, 2048
"""Random games in which the longest log is looked for; how much longer a tensor's is; rows come in sixteens, and there
are not more."""


@cache
def log_rows(game: Ruleset[Any]) -> int:
    """How many rows the log of a game has: half as many again as the longest of 64 random games, with the seeds 0 to 63,
    2,048 at most.

    >>> import parlour
    >>> log_rows(parlour.load("kuhn"))
    32
    """
    with needed("fast"):
        import numpy as np
    course = Course(**room(game, 1, MOST_ROWS), **_walk(game, 1))
    code = KERNEL.compiled(game.definition)
    start = np.zeros(1, dtype_of(game.definition))
    to_record(game.definition, game.start(), start[0])
    longest = code.longest_log(course, start, np.zeros(game.action_count, np.int16), 0, TRIED, MOST_ROWS)
    return min(ROUND * ceil(SPARE * longest / ROUND), MOST_ROWS)


@cache
def information_layout(game: Ruleset[Any]) -> Mapping[str, TensorPart]:
    """Where each part lies in the tensor of an information state."""
    sizes = {"observer": (game.players,), "view": (game.tensor_size,), "forgotten": (1,), "log": (log_rows(game), WIDTH)}
    at, parts = 0, {}
    for name, shape in sizes.items():
        parts[name] = TensorPart(at, shape[-1], shape)
        at += shape[0] * (shape[1] if len(shape) > 1 else 1)
    return parts


def information_size(game: Ruleset[Any]) -> int:
    """The length of the tensor of an information state.

    >>> import parlour
    >>> information_size(parlour.load("kuhn"))
    243
    """
    return game.players + game.tensor_size + 1 + log_rows(game) * WIDTH


def room(game: Ruleset[Any], size: int, rows: int) -> dict[str, Any]:
    """Arrays for the logs of ``size`` games, and what goes with them, by their names in
    :class:`parlour.engine.kernels.logs.Logs`."""
    import numpy as np

    what = game.definition
    numbers = game.action_count, len(what.event_index), game.tensor_size
    return {
        "rows": np.zeros((size, game.players, rows, WIDTH), np.float32),
        "used": np.zeros((size, game.players, 2), np.int64),
        "before": np.zeros(size, dtype_of(what)),
        "pair": np.zeros((size, 2, game.tensor_size), np.float32),
        "slots": _slots(what),
        "scales": np.array([0.5 ** n.bit_length() for n in numbers]),
    }


def listing(game: Ruleset[Any]) -> int:
    """Rows of a memory that lists the events of a step: room for 64, and 32 for each player."""
    return LISTED + EACH * (64 + 32 * game.players)


@cache
def _slots(game: Definition) -> NDArray[np.int16]:
    """For each entry of a tensor that is one of several of which only one is not 0, where these begin and end."""
    import numpy as np

    found = np.zeros((tensor_size(game), 2), np.int16)
    for name, part in tensor_parts(game).items():
        thing = game.things[name]
        if thing.kind in ("one_of", "seat"):
            for i in range(thing.per):
                first = part.start + part.width * i
                end = first + part.width - thing.optional
                found[first:end] = first, end
    return found


STEPS = 256
"""Steps that wait at most, until they are gone all at once."""


class Recollection:
    """What the players of one game have known, as it goes on: steps are put in as they are taken, and what a player has
    known is written out when somebody asks.

    >>> import parlour
    >>> game = parlour.load("leduc")
    >>> state, known = game.new(seed=5, binding="compiled"), Recollection(game, seed=5)
    >>> state.apply("raise"); known.take(2)
    >>> (known.tensor(0) == state.information_tensor(0).flat).all()
    np.True_
    """

    __slots__ = ("_code", "_course", "_drawn", "_flat", "_next", "_steps", "game")

    def __init__(self, game: Ruleset[Any], seed: int | None = None, binding: str = "compiled") -> None:
        """``seed``: what chance is drawn from; without one its outcomes are steps like any other."""
        with needed("fast"):
            import numpy as np
        self.game, self._drawn, self._next = game, seed is not None, 0
        self._code = getattr(KERNEL, binding)(game.definition)
        arrays = {**_walk(game, information_size(game)), **room(game, 1, log_rows(game))}
        start: Any = np.zeros(1, dtype_of(game.definition))
        to_record(game.definition, game.start(), start[0])
        if binding == "interpreted":
            arrays |= _in_python(game)
            start = [game.start()]
        self._put(arrays)
        self._code.begin_course(self._course, start, seed or 0, self._drawn)

    def _put(self, arrays: dict[str, Any]) -> None:
        self._course = Course(**arrays)
        self._steps = memoryview(arrays["steps"]).cast("B").cast("q")

    def take(self, action: int, player: int = NEXT) -> None:
        """Take in a step: an action of a player (``NEXT``: of whoever is asked next, in order of seats), or an outcome of
        chance.  Nothing is checked here."""
        if self._next == STEPS:
            self._follow(NEXT)
        at = 2 * self._next
        self._steps[at], self._steps[at + 1] = player, action
        self._next += 1

    def tensor(self, player: int) -> NDArray[np.float32]:
        """What a player has known: float32, shape (``game.information_size``,), overwritten by the next call."""
        self._follow(player)
        told: NDArray[np.float32] = self._course.told[0]
        return told

    def _follow(self, player: int) -> None:
        steps, self._next = self._next, 0
        self._code.follow(self._course, steps, self._drawn, player)

    @classmethod
    def of(cls, state: Any, binding: str = "compiled") -> Recollection:
        """That of a state with its history."""
        known = cls(state.game, binding=binding)
        for step in state.history:
            known.take(step.action, step.player)
        return known

    def kept(self) -> tuple[Any, ...]:
        """What is remembered: the words of all players, their rows, how many these are, and the position that they last
        looked at; all as the arrays of a batch have it for one game."""
        self._follow(NEXT)
        course = self._course
        return course.memories[0], course.rows[0], course.used[0], course.before[0]

    def copy(self) -> Recollection:
        """An independent copy (of one in machine code)."""
        new = object.__new__(Recollection)
        new.game, new._code, new._drawn, new._next = self.game, self._code, self._drawn, self._next
        new._put({name: array if name in CONSTANT else array.copy() for name, array in self._course._asdict().items()})
        return new


CONSTANT = ("slots", "scales", "told", "pair", "scores")
"""What copies share: it never changes, or is written anew with every call."""


def _in_python(game: Ruleset[Any]) -> dict[str, Any]:
    """What stands for some of the arrays where rules are interpreted."""
    from parlour.engine.interpreted import KeyMatrix, Positions

    what = game.definition
    return {
        "S": Positions(what, 1),
        "before": Positions(what, 1),
        "rng": [0],
        "memories": [KeyMatrix(what, (listing(game) - LISTED) // EACH)],
    }


def _walk(game: Ruleset[Any], told: int) -> dict[str, Any]:
    """Arrays for a game that is gone through, by their names in :class:`parlour.engine.kernels.information.Course`."""
    import numpy as np

    return {
        "S": np.zeros(1, dtype_of(game.definition)),
        "rng": np.zeros(1, np.uint64),
        "memories": np.zeros((1, listing(game), max(game.players, 2)), np.uint64),
        "scores": np.zeros((2, max(game.players, 2))),
        "steps": np.zeros((STEPS, 2), np.int64),
        "told": np.zeros((1, told), np.float32),
    }
