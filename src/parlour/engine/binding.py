"""The compiled binding of a game: its rules and the drivers as C (:mod:`parlour.engine.c`)."""

from parlour.engine.c.loading import compiled

__all__ = ["compiled"]
