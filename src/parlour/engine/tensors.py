"""The layout of tensors: one flat buffer with a named part for each thing that players are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import ParlourError
from parlour.base.extras import needed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.engine.definition import Definition


class TensorPart(NamedTuple):
    """The place of a thing in a tensor: ``start``, entries per index (``width``), and the shape of the whole part."""

    start: int
    width: int
    shape: tuple[int, ...]


@cache
def tensor_parts(game: Definition) -> dict[str, TensorPart]:
    """Return the layout of a game's tensor, thing by thing."""
    at, parts = 0, {}
    widths = {"amount": 1, "seat": game.max_players, "seat_set": game.max_players}
    for name, thing in game.things.items():
        width = widths.get(thing.kind, thing.size) + thing.optional
        parts[name] = TensorPart(at, width, (thing.per, width) if thing.per > 1 else (width,))
        at += width * thing.per
    return parts


@cache
def tensor_size(game: Definition) -> int:
    """Return how many float32 entries a tensor of the game has."""
    last = list(tensor_parts(game).values())[-1]
    return last.start + last.width * (last.shape[0] if len(last.shape) > 1 else 1)


def into(out: NDArray[np.float32] | None, *shape: int) -> NDArray[np.float32]:
    """Return ``out``, or zeros if it is ``None``.  Raises ``ParlourError`` if tensors of this shape cannot be written
    into it, or without the extra ``fast``."""
    with needed("fast"):
        import numpy as np

    if out is None:
        return np.zeros(shape, np.float32)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.float32
    if not fits or not out.flags.carray:
        raise ParlourError(
            "Tensors are written into a float32 array of shape {shape} in C order, not into that.", shape=shape
        )
    return out


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tensor:
    """A view as numbers: ``flat`` (float32, shape (``game.tensor_size``,)) is one buffer, ``tensor["hand"]`` one part
    of it, shaped as ``layout`` says.

    Seats, and sets of seats, are numbered from the observer, who is seat 0; amounts are divided by their usual maximum;
    one-of-n values and sets are 0/1; a thing that was not told is all zeros.  NumPy, PyTorch and JAX accept it
    directly: ``np.asarray(tensor)``, ``torch.from_dlpack(tensor)``.

    >>> import parlour
    >>> tensor = parlour.load("kuhn").new(seed=1).tensor(0)
    >>> tensor.flat.dtype, len(tensor), tensor["hand"].shape
    (dtype('float32'), 16, (2, 4))
    """

    flat: NDArray[np.float32]
    layout: Mapping[str, TensorPart]

    def __repr__(self) -> str:
        return f"<tensor of {len(self.flat)} numbers: {', '.join(self.layout)}>"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same parts and the same numbers in them."""
        if not isinstance(other, Tensor):
            return NotImplemented
        return self.layout == other.layout and bool((self.flat == other.flat).all())

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import numpy as np

        return np.array(self.flat, dtype=dtype, copy=copy)

    def __dlpack__(self, **how: Any) -> Any:
        return self.flat.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.flat.__dlpack_device__()

    def __len__(self) -> int:
        return len(self.flat)

    def __getitem__(self, thing: str) -> NDArray[np.float32]:
        part = self.layout[thing]
        size = part.shape[0] * part.shape[1] if len(part.shape) > 1 else part.shape[0]
        return self.flat[part.start : part.start + size].reshape(part.shape)
