"""The compiled binding of a game: its rules and the drivers as C (:mod:`parlour.engine.c`)."""

from parlour.engine.c.loading import compiled

__all__ = ["compiled", "is_c"]


def is_c() -> bool:
    """Whether games are compiled from C."""
    return True
