"""OpenSpiel's observers: what a player is told, as numbers and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.engine.tensors import TensorPart

with needed("adapters"):
    import numpy as np
    import pyspiel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.game import Game

KEY_BITS = 64
MOST_SAID = 1 << 26
"""The most characters of information states that a game keeps as text."""


class Observer:
    """What a player is told of a state: ``tensor`` (one flat float32 buffer), ``dict`` (the same by name, a part for
    each thing told), and text.

    With perfect recall it has all that the player has known so far (:mod:`parlour.engine.information`): beside the
    parts of the view, ``observer``, ``forgotten`` and ``log``. If asked for, there is one more part, ``key``: the 64
    bits of the player's information key, for tables and comparisons. To a network they are noise.

    If only what the player alone knows is asked for, it includes cards dealt to the player face down, although they are
    looked at only when all cards have been dealt.
    """

    def __init__(self, game: Game, kind: Any, key: bool = False) -> None:
        private = pyspiel.PrivateInfoType
        if kind.private_info == private.ALL_PLAYERS:
            raise ParlourError("No observer of Parlour's games sees the hands of all players.")
        if kind.perfect_recall and not (kind.public_info and kind.private_info == private.SINGLE_PLAYER):
            raise ParlourError(
                "Perfect recall covers everything that a player was told: ask for public and private information."
            )
        self._public, self._own = bool(kind.public_info), kind.private_info == private.SINGLE_PLAYER
        self._recalls = bool(kind.perfect_recall)
        if key and not self._recalls:
            raise ParlourError("The key stands for all that a player has known: ask for perfect recall with it.")
        self._keyed = key
        self._said: dict[int, str] = {}
        self._room = MOST_SAID
        size = game.information_size if self._recalls else game.tensor_size
        self.tensor: NDArray[np.float32] = np.zeros(size + KEY_BITS * self._keyed, np.float32)
        self._told = self.tensor[:size]
        self.dict: dict[str, NDArray[np.float32]] = {}
        parts = game.information_layout if self._recalls else {"view": TensorPart(0, size, (size,))}
        view = self._part(parts["view"])
        for name, part in game.tensor_layout.items():
            entries = int(np.prod(part.shape))
            self.dict[name if name not in parts else f"view_{name}"] = view[part.start : part.start + entries].reshape(
                part.shape
            )
        self.dict |= {name: self._part(part) for name, part in parts.items() if name != "view"}
        if self._keyed:
            self.dict["key"] = self.tensor[size:]

    def _part(self, part: TensorPart) -> NDArray[np.float32]:
        return self.tensor[part.start : part.start + int(np.prod(part.shape))].reshape(part.shape)

    def set_from(self, state: Any, player: int) -> None:
        """Fill ``tensor`` with what the player is told of this state."""
        if self._recalls:
            self._told[:] = state.known.tensor(player)
        elif self._public and self._own:
            state.played._tell(player, self._told)
        else:
            self._told[:] = state.course.view(player, self._public, self._own).tensor().flat
        if self._keyed:
            key = np.frombuffer(_key(state, player).to_bytes(8, "little"), np.uint8)
            self.tensor[-KEY_BITS:] = np.unpackbits(key)

    def string_from(self, state: Any, player: int) -> str:
        """Return what the player sees, in words; with perfect recall, all that they have known."""
        if not self._recalls:
            return str(state.course.view(player, self._public, self._own).text())
        key = _key(state, player)
        said = self._said.get(key)
        if said is None:  # finding the words takes fifty times as long as looking them up
            said = "\n".join(state.course.memory().lines[player])
            self._room -= len(said)
            if self._room < 0:
                self._said, self._room = {}, MOST_SAID
            self._said[key] = said
        return said


def _key(state: Any, player: int) -> int:
    """Return the player's information key."""
    played = state.played
    return int(played.information_key(player) if played._keyed else state.course.memory().keys[player])
