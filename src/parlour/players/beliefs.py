"""Networks that infer others' cards from their choices (:mod:`parlour.players.kernels.beliefs`), for players that
imagine worlds: their shape and their files."""

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
    """The shape of such a network: it has one action, which refers to nothing.

    >>> import parlour
    >>> shape_for(parlour.load("kuhn"), 8).actions
    1
    """
    return Shape(tensor_size(game.definition), hidden, 1, 0)


def vector(network: Network) -> array[float]:
    """The network as a vector for :mod:`parlour.players.kernels.beliefs`."""
    return network.vector_with([()])


@lru_cache(maxsize=8)
def beliefs(game: Ruleset[Any]) -> array[float]:
    """Return the vector for a game from the file that comes with it; an empty network, which finds all worlds equally
    likely, if there is none.

    A network knows how players choose under the house rules with which it was trained.  Under others, except for the
    number of deals, they choose differently, so the empty network is used there too.

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
