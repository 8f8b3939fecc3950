"""The information state as a tensor: all that a player has known so far, as a fixed number of floats, for networks.

It has four parts: ``observer`` (1 at the player's seat), ``view`` (what the player sees now: the tensor of
:meth:`parlour.State.tensor`), ``log`` (what the player did, was told and saw, in order, from the first row on), and
``forgotten`` (0, or the number of rows that a full log has dropped).  A row of the log has seven numbers:

====== ===================================================================
0 1 2  1 if the player did something; was told of an event; saw a change
3      which action, event, or entry of the view, from 0 to 1
4      whom the event is about, turned so that the player is first (0: nobody); or what the entry is now
5 6    the event's two numbers
====== ===================================================================

Rows of the same moment are sorted, so two tensors of a player are equal exactly when the information states are, as
long as nothing was forgotten; the audit checks this for games that are small enough.  Unlike keys, tensors of similar
states are similar.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import Endless
from parlour.base.extras import needed
from parlour.engine.c.layout import WORD
from parlour.engine.kernels.information import KERNEL, NEXT, REDEAL, SEED, Journey
from parlour.engine.kernels.logs import EACH, LISTED, WIDTH
from parlour.engine.positions import dtype_of, record_class, to_record
from parlour.engine.tensors import TensorPart, tensor_parts, tensor_size
from parlour.rules.bounds import LONGEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.engine.definition import Definition
    from parlour.engine.ruleset import Ruleset

TRIED, SPARE, ROUND, MOST_ROWS = 64, 1.25, 8, 2048
"""The number of random games in which the longest log is found; the factor for spare rows; the number of rows is a
multiple of the third number, and at most the fourth."""


@cache
def log_rows(game: Ruleset[Any]) -> int:
    """The number of rows in the log of a game: a quarter more than the longest of 64 random games (seeds 0 to 63)
    needs, but at most 2,048.

    >>> import parlour
    >>> log_rows(parlour.load("kuhn"))
    24
    """
    with needed("fast"):
        import numpy as np
    journey = _journey(game, MOST_ROWS)
    code = KERNEL.compiled(game.definition)
    start = np.zeros(1, dtype_of(game.definition))
    to_record(game.definition, game.start(), start[0])
    longest: int = code.longest_log(journey, start, np.zeros(game.action_count, np.int16), 0, TRIED, MOST_ROWS)
    return min(ROUND * ceil(SPARE * longest / ROUND), MOST_ROWS)


@cache
def information_layout(game: Ruleset[Any]) -> Mapping[str, TensorPart]:
    """The place of each part in the tensor of an information state."""
    sizes = {
        "observer": (game.players,),
        "view": (game.tensor_size,),
        "forgotten": (1,),
        "log": (log_rows(game), WIDTH),
    }
    at, parts = 0, {}
    for name, shape in sizes.items():
        parts[name] = TensorPart(at, shape[-1], shape)
        at += shape[0] * (shape[1] if len(shape) > 1 else 1)
    return parts


def information_size(game: Ruleset[Any]) -> int:
    """The length of the tensor of an information state.

    >>> import parlour
    >>> information_size(parlour.load("kuhn"))
    187
    """
    return _size(game, log_rows(game))


def _size(game: Ruleset[Any], rows: int) -> int:
    return game.players + game.tensor_size + 1 + rows * WIDTH


def room(game: Ruleset[Any], size: int, rows: int) -> dict[str, Any]:
    """All arrays for the logs of ``size`` games, by their names in :class:`parlour.engine.kernels.logs.Logs`."""
    import numpy as np

    what = game.definition
    numbers = game.action_count, len(what.event_index), game.tensor_size
    return {
        "rows": np.zeros((size, game.players, rows * WIDTH), np.float32),
        "used": np.zeros((size, game.players, 2), np.int64),
        "before": np.zeros((size, game.players), dtype_of(what)),
        "pair": np.zeros((size, 2, game.tensor_size), np.float32),
        "slots": _slots(what),
        "scales": np.array([0.5 ** n.bit_length() for n in numbers]),
    }


def listing(game: Ruleset[Any]) -> int:
    """Rows of a memory that lists the events of a step: room for 32, and 16 for each player."""
    return LISTED + EACH * (32 + 16 * game.players)


@cache
def _slots(game: Definition) -> NDArray[np.int16]:
    """For each entry of a tensor that belongs to a group of which only one is not 0, the beginning and end of the
    group."""
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


STEPS = 64
"""The most steps that wait before they are all replayed at once."""


class _Plan(NamedTuple):
    """How machine code replays the games of a ruleset: the function; its arguments as words; which of these are
    addresses in a block of memory, by their offsets; the block of a new game; the offsets in it of the position (in
    bytes), of the steps to replay (in words) and of the tensor (in bytes); arrays that all games share."""

    function: Callable[[Any], int]
    words: Any
    addresses: tuple[tuple[int, int], ...]
    start: Any
    s: int
    steps: int
    told: int
    shared: tuple[Any, ...]


@cache
def _plan(game: Ruleset[Any]) -> _Plan:
    import numpy as np

    code, journey = KERNEL.compiled(game.definition), _journey(game)
    start = np.zeros(1, dtype_of(game.definition))
    to_record(game.definition, game.start(), start[0])
    code.begin_journey(journey, start)
    words, addresses, parts, used = list[int](), list[tuple[int, int]](), list[bytes](), 0
    places = dict[str, int]()
    for name, array in journey._asdict().items():
        if name in SHARED:
            words.append(array.ctypes.data)
        else:
            addresses.append((len(words), used))
            words.append(0)
            places[name] = used
            parts.append(array.tobytes().ljust(-(-array.nbytes // WORD) * WORD, b"\0"))
            used += len(parts[-1])
        words += array.shape
    kept = (ctypes.c_uint64 * (used // WORD)).from_buffer_copy(b"".join(parts))
    given = (ctypes.c_uint64 * (len(words) + 2))(*words)
    function = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address("packed_follow_steps"))
    shared = tuple(getattr(journey, name) for name in SHARED)
    return _Plan(function, given, tuple(addresses), kept, places["S"], places["steps"] // WORD, places["told"], shared)


SHARED = ("pair", "slots", "scales")
"""Arrays that all replayed games share: constants and scratch space."""


class Recollection:
    """The information states of all players of one game in progress.  Each step is passed in as it is taken, and a
    player's tensor is written on request.  It is machine code, so it needs a C compiler.

    >>> import parlour
    >>> game = parlour.load("leduc")
    >>> state, known = game.new(seed=5, binding="compiled"), Recollection(game, seed=5)
    >>> state.apply("raise"); known.take(2)
    >>> (known.tensor(0) == state.information_tensor(0).flat).all()
    np.True_
    """

    __slots__ = ("_block", "_next", "_plan", "_told", "_words", "game")

    def __init__(self, game: Ruleset[Any], seed: int | None = None) -> None:
        """``seed``: the seed from which chance is drawn; without one, outcomes of chance are passed in like other
        steps."""
        self.game, self._plan, self._next = game, _plan(game), 0
        self._put(self._plan.start)
        if seed is not None:
            self.take(seed, SEED)

    def _put(self, block: Any) -> None:
        plan = self._plan
        self._block = block = type(block).from_buffer_copy(block)
        self._words = words = type(plan.words).from_buffer_copy(plan.words)
        self._told: NDArray[np.float32] | None = None
        begins = ctypes.addressof(block)
        for word, at in plan.addresses:
            words[word] = begins + at

    def take(self, action: int, player: int = NEXT) -> None:
        """Take in a step: an action of a player (``NEXT``: the next player to act, in order of seats), or an outcome of
        chance.  Legality is not checked."""
        if self._next == STEPS:
            self._follow(NEXT)
        at = self._plan.steps + 2 * self._next
        self._block[at], self._block[at + 1] = player, action
        self._next += 1

    def tensor(self, player: int) -> NDArray[np.float32]:
        """A player's information state: float32, shape (``game.information_size``,), overwritten by the next call."""
        self._follow(player)
        if self._told is None:
            import numpy as np

            self._told = np.frombuffer(self._block, np.float32, information_size(self.game), self._plan.told)
        return self._told

    def _follow(self, player: int) -> None:
        words = self._words
        words[-2], words[-1] = self._next, player
        self._next = 0
        if self._plan.function(words):
            raise Endless(self.game.id, LONGEST)

    @classmethod
    def of(cls, state: Any) -> Recollection:
        """Return the recollection of a state, made from its history."""
        known = cls(state.game)
        for step in state.history:
            known.take(step.action, step.player)
        return known

    def copy(self) -> Recollection:
        """An independent copy."""
        new = object.__new__(Recollection)
        new.game, new._plan, new._next = self.game, self._plan, self._next
        new._put(self._block)
        return new

    def redealt(self, position: Any, player: int) -> Recollection:
        """A copy that goes on from a position that the player cannot tell from the real one.  The other players are
        taken to have known only what they see in that position."""
        new = self.copy()
        new._follow(NEXT)
        to_record(
            self.game.definition, position, record_class(self.game.definition).from_buffer(new._block, new._plan.s)
        )
        new.take(player, REDEAL)
        return new

    def put_into(self, arrays: Mapping[str, NDArray[Any]], i: int) -> None:
        """Write the players' memory and logs into row ``i`` of arrays of the same names."""
        import numpy as np

        self._follow(NEXT)
        mine = _journey(self.game)
        for (_, at), name in zip(self._plan.addresses, (n for n in Journey._fields if n not in SHARED), strict=True):
            if name in arrays:
                array = getattr(mine, name)
                arrays[name][i] = np.frombuffer(self._block, array.dtype, array.size, at).reshape(array.shape)[0]


def recollected(game: Ruleset[Any], steps: Iterable[tuple[int, int]]) -> Iterator[NDArray[np.float32]]:
    """Yield each player's tensor after these steps (player or chance, action), worked out by interpreted rules: slow,
    but with the same result."""
    from parlour.engine.interpreted import KeyMatrix, Positions, PositionTable

    what = game.definition
    memory = KeyMatrix(what, (listing(game) - LISTED) // EACH)
    own = {"S": Positions(what, 1), "before": PositionTable(what, game.players), "rng": [0, 0], "memories": [memory]}
    journey, code = _journey(game)._replace(**own), KERNEL.interpreted(what)
    code.begin_journey(journey, [game.start()])
    for step in steps:
        journey.steps[0] = step
        code.follow_steps(journey, 1, NEXT)
    for player in range(game.players):
        code.follow_steps(journey, 0, player)
        yield journey.told[0].copy()


def _journey(game: Ruleset[Any], rows: int | None = None) -> Journey:
    """Arrays for replaying a game, with this number of ``rows`` in a log."""
    import numpy as np

    rows = rows or log_rows(game)
    walk = {
        "S": np.zeros(1, dtype_of(game.definition)),
        "rng": np.zeros(2, np.uint64),
        "memories": np.zeros((1, listing(game), max(game.players, 2)), np.uint64),
        "scores": np.zeros((2, max(game.players, 2))),
        "steps": np.zeros((STEPS, 2), np.int64),
        "told": np.zeros((1, _size(game, rows)), np.float32),
    }
    return Journey(**walk, **room(game, 1, rows))
