"""Players that are compiled together with the rules of their game, and the memory for a game between them."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from parlour.base.errors import ParlourError
from parlour.engine.c.layout import WORD, position_size
from parlour.engine.c.layout import block as layout
from parlour.engine.c.loading import filled, positions, zeros
from parlour.engine.hashing import seed_word
from parlour.engine.tensors import tensor_size
from parlour.players.kernels.arena import (
    AT_RANDOM,
    BY_ANSWER,
    BY_NETWORK,
    BY_RULE_OF_THUMB,
    KERNEL,
    NOTES,
    Weighing,
)
from parlour.players.kernels.networks import HEAD, HIDDEN, LAYERS
from parlour.players.kind import SEARCH_KINDS, Kind
from parlour.players.learned import network
from parlour.players.nets import Network
from parlour.players.simple import prepared

if TYPE_CHECKING:
    from parlour.core.compiled_state import CompiledState
    from parlour.engine.ruleset import Ruleset

RANDOM = Kind("random")
WAYS = {RANDOM: AT_RANDOM, Kind("rule-of-thumb"): BY_RULE_OF_THUMB}
"""The kinds of players that play here, besides networks and players that search."""


def all_compiled(game: Ruleset[Any], kinds: Sequence[Any]) -> bool:
    """Whether all of these players are compiled together with the rules, so that a game between them needs no calls of
    Python.

    >>> import parlour
    >>> all_compiled(parlour.load("diamonds"), [Kind("rule-of-thumb"), Kind("search", "400")])
    False
    """
    return all(isinstance(kind, Kind) and _is_compiled(game, kind) for kind in kinds)


def _is_compiled(game: Ruleset[Any], kind: Kind) -> bool:
    """Whether players of this kind choose in machine code."""
    return kind.name == "learned" or (kind in WAYS and (kind == RANDOM or game.definition.has("appraise")))


def simulates(kind: Any) -> bool:
    """Whether this player searches for a number of simulations, so that its choices do not depend on the clock.

    >>> [simulates(Kind.parsed(text)) for text in ("search:400", "best:0.1s", "search", "random")]
    [True, False, False, False]
    """
    try:
        return isinstance(kind, Kind) and kind.name in SEARCH_KINDS and kind.budget.get("simulations", 0) > 0
    except ParlourError:
        return False


def _network(game: Ruleset[Any], kind: Kind | Network) -> array[float]:
    if isinstance(kind, Network):
        return kind.vector(game)
    return network(game, kind.setting or "")


class Room(NamedTuple):
    """The memory in which games are played."""

    start: Any
    positions: Any
    chosen: Any
    weighing: Weighing


def set_up(game: Ruleset[Any], kinds: Sequence[Kind | Network]) -> tuple[Any, list[int], Room]:
    """Return the compiled game, the ways in which players of these kinds choose, and memory for a game between them.
    Raises ``ParlourError`` for a kind that cannot play here."""
    room, start = ground(game)
    used = list(dict.fromkeys(kind for kind in kinds if isinstance(kind, Network) or kind.name == "learned"))
    ways = [_way(game, kind, used) for kind in kinds]
    vectors = [_network(game, kind) for kind in used] or [array("d", bytes(8 * HEAD))]
    longest = max(map(len, vectors))
    nets = filled("f64", b"".join(bytes(vector).ljust(8 * longest, b"\0") for vector in vectors), len(vectors), longest)
    acts, chosen, n = zeros("i16", game.action_count), zeros("i64", game.players), game.action_count
    notes = filled("f64", [*prepared(game), *[0.0] * NOTES])
    row = zeros("f32", tensor_size(game.definition))
    layer = zeros("f64", LAYERS * int(max(vector[HIDDEN] for vector in vectors)))
    weighing = Weighing(acts, zeros("f64", n), notes, nets, row, layer, zeros("f64", n), zeros("f64", n))
    return KERNEL.compiled(game.definition), ways, Room(start, room, chosen, weighing)


def _way(game: Ruleset[Any], kind: Kind | Network, used: Sequence[Kind | Network]) -> int:
    """The way in which a player chooses (:data:`parlour.players.kernels.arena.BY_ANSWER` and so on)."""
    if kind in used:
        return BY_NETWORK + used.index(kind)
    if simulates(kind):
        return BY_ANSWER
    if isinstance(kind, Kind) and _is_compiled(game, kind):
        return WAYS[kind]
    raise ParlourError(
        "{kind} cannot play {id} in the arena: it is not compiled beside the rules, nor does it think for a number of"
        " simulations. parlour.study.match plays its games.",
        kind=kind,
        id=game.id,
    )


def ground(game: Ruleset[Any]) -> tuple[Any, Any]:
    """Return a vector of the three positions needed for play (``GAME``, ``SEEN``, ``BLANK``), and the start."""
    return positions(game.definition, [game.blank()] * 3), positions(game.definition, [game.start()])


class CompiledPlayers:
    """Players in seats of one game who choose in machine code; each draws from a generator of its own.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=1, binding="compiled")
    >>> players = CompiledPlayers(state.game, {0: RANDOM})
    >>> players.seed(0, 7)
    >>> players.choose(state, 0) in state.legal_actions(0)
    True
    """

    def __init__(self, game: Ruleset[Any], kinds: Mapping[int, Kind | Network]) -> None:
        self._game, self._kinds, size = game, dict(kinds), position_size(game.definition)
        code, ways, room = set_up(game, [*kinds.values()])
        first = WORD * layout(game.definition).position
        self._answer, self._room, self._size, self._part = code.answer, room, size, slice(first, first + size)
        self._at = ctypes.addressof(room.positions)
        self._rngs = {p: zeros("u64", 1) for p in kinds}
        self._given = {
            p: (room.positions, p, way, *room.weighing, self._rngs[p]) for p, way in zip(kinds, ways, strict=True)
        }

    @property
    def seats(self) -> Mapping[int, Kind | Network]:
        """The kind of the player in each seat."""
        return self._kinds

    def seed(self, player: int, seed: int) -> None:
        """Set a player's generator to that of a player made with this seed."""
        self._rngs[player][0] = seed_word(seed)

    def choose(self, state: CompiledState[Any], player: int) -> int:
        """Return the choice of a player who is to act."""
        ctypes.memmove(self._at, state._words()[self._part], self._size)
        return cast("int", self._answer(*self._given[player]))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._game, self._kinds, {p: rng[0] for p, rng in self._rngs.items()})


def _again(game: Ruleset[Any], kinds: Mapping[int, Kind | Network], words: Mapping[int, int]) -> CompiledPlayers:
    made = CompiledPlayers(game, kinds)
    for p, word in words.items():
        made._rngs[p][0] = word
    return made
