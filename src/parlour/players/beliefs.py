"""Networks that know what others' choices say of their cards (:mod:`parlour.players.kernels.beliefs`), for the players
who imagine worlds: their shape, and where they are kept."""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.tensors import tensor_size
from parlour.players.kernels.networks import HEAD
from parlour.players.nets import Network, Shape, read, shipped

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

FILE = "beliefs.npz"
"""The name of the file in a game's folder, which is like ``learned.npz``."""


def shape_for(game: Ruleset[Any], hidden: int) -> Shape:
    """The shape of such a network: one action that points at nothing.

    >>> import parlour
    >>> shape_for(parlour.load("kuhn"), 8).actions
    1
    """
    return Shape(tensor_size(game.definition), hidden, 1, 0)


def vector(network: Network) -> array[float]:
    """All that :mod:`parlour.players.kernels.beliefs` calculates with."""
    return network.vector_with([()])


@lru_cache(maxsize=8)
def beliefs(game: Ruleset[Any]) -> array[float]:
    """The vector for a game from the file that comes with it; an empty network, which has no opinion, if none does.

    A network knows players under the house rules that it was trained with.  Under others, except for the number of
    deals, they choose otherwise, so there it has no opinion either.

    >>> import parlour
    >>> set(beliefs(parlour.load("kuhn")))
    {0.0}
    """
    try:
        network = read(shipped(game, FILE), game, shape_for)
    except ParlourError:
        return array("d", [0.0] * HEAD)
    here, there = ({**options, "deals": None} for options in (game.options, network.made["options"]))
    return vector(network) if here == there else array("d", [0.0] * HEAD)
