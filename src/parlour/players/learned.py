"""A player that has learned by playing: a small network weighs its choices
(:mod:`parlour.players.kernels.networks`)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.base.languages import either, marked
from parlour.engine.hashing import seed_word
from parlour.engine.telling import View, entries, restored
from parlour.engine.tensors import tensor_size
from parlour.players.kernels.arena import KERNEL, NOTES, Weighing
from parlour.players.kernels.networks import HIDDEN, LAYERS, UNIT
from parlour.players.nets import Network, learned_with, read, shipped
from parlour.players.player import must_be_of
from parlour.players.simple import prepared

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset


def why_not(game: Ruleset[Any], file: str = "") -> str:
    """The reason why there is no network for a game under its options, in a file or among those that come with it;
    empty if there is one."""
    if not game.definition.has("appraise"):
        return marked("{name} has no rule-of-thumb player, from which learning begins.", name=game.definition.said_name)
    path = Path(file) if file else shipped(game)
    if not file and not path.exists():
        return marked(
            "Nobody has learned {name} yet; `parlour train {id}` does.", name=game.definition.said_name, id=game.id
        )
    counts = [] if file else learned_with(game.definition)
    if counts and game.players not in counts:
        return marked(
            "{name} has been learned with {counts} players, and not with {players}.",
            name=game.definition.said_name,
            counts=either(list(map(str, counts))),
            players=game.players,
        )
    try:
        read(path, game)
    except ParlourError as error:
        return str(error)
    return ""


def stored(game: Ruleset[Any], file: str = "") -> Network:
    """Return the network from a file, or from those that come with the game.  Raises ``ParlourError`` if there is none
    for this game."""
    if why := why_not(game, file):
        raise ParlourError(why)
    return read(Path(file) if file else shipped(game), game)


@lru_cache(maxsize=8)
def network(game: Ruleset[Any], file: str = "") -> array[float]:
    """Return the vector for a player.  Raises ``ParlourError`` if there is none for this game."""
    return stored(game, file).vector(game)


class Learned:
    """Plays the action with the highest value by a network, whose input is the view and the opinion of the rule of
    thumb."""

    def __init__(self, game: Ruleset[Any], seed: int = 0, file: str = "") -> None:
        self.game, self.name = game, f"learned:{file}" if file else "learned"
        self._code, self._rng, self._net = KERNEL.interpreted(game.definition), [seed_word(seed)], network(game, file)
        self._worth, self._short, self._firm = ([0.0] * game.action_count for _ in range(3))
        self._notes, self._layer = [*prepared(game), *[0.0] * NOTES], [0.0] * (LAYERS * int(self._net[HIDDEN]))
        self._size = tensor_size(game.definition)

    def weigh(self, view: View, legal: Sequence[int]) -> dict[int, float]:
        """Return the expected return of each legal action in this deal, in the unit of returns."""
        self._judge(view, legal)
        return {a: self._worth[k] * self._net[UNIT] for k, a in enumerate(legal)}

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return legal[0] if len(legal) == 1 else legal[self._judge(view, legal)]

    def _judge(self, view: View, legal: Sequence[int]) -> int:
        must_be_of(view.game, self.game)
        row = [0.0] * self._size
        for at, value in entries(view):
            row[at] = value
        room = Weighing(legal, self._worth, self._notes, [self._net], row, self._layer, self._short, self._firm)
        given = self._net, row, self._layer, self._rng
        return int(self._code.judge(restored(view), view.player, len(legal), room, *given))
