"""The French pack, with the ten as T."""

from parlour.core.french import SHORT_NAMES as NAMES
from parlour.core.french import short_face as face
from parlour.core.french import short_title as title

__all__ = ["NAMES", "SHOWCASE", "face", "title"]

SHOWCASE = (("Ah", "Kc", "Qd", "Js"), ("6h", "7h", "8h", "9h", "Th"))  # a typical moment of the game, as rows of cards
