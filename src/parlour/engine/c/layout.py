"""The layout of memory: the fields of a position, and the parts of the block that holds one state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from parlour.engine.positions import fields

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

WORD = 8
"""Bytes."""


def position_size(game: Definition) -> int:
    """The bytes of a position.

    >>> from parlour.engine.definition import definition
    >>> from parlour.engine.positions import dtype_of
    >>> position_size(definition("diamonds")) == dtype_of(definition("diamonds")).itemsize
    True
    """
    used = sum(int(field.kind[1]) * max(field.size, 1) for _, field in fields(game))
    widest = int(fields(game)[0][1].kind[1])
    return -(-used // widest) * widest


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """The word at which each part of a block begins; ``columns``: the width of the players' memory."""

    columns: int
    about: int
    memory: int
    scores: int
    position: int
    acts: int

    def words(self, actions: int) -> int:
        """The number of words in the block of a game with this number of actions."""
        return self.acts + -(-2 * actions // WORD)


@cache
def block(game: Definition) -> BlockLayout:
    """In order: the generator of chance; the player to act, the number of their actions, whether the rules draw for
    chance, how many steps may still be taken; the players' memory (four rows, with a column for each player there can
    be); two rows of scratch for scores; the position; the legal actions of the player to act."""
    columns = max(game.max_players, 2)
    memory = 5
    scores = memory + 4 * columns
    position = scores + 2 * columns
    return BlockLayout(columns, 1, memory, scores, position, position + -(-position_size(game) // WORD))
