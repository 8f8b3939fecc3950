"""The French pack, with the ten as T."""

from parlour.base.languages import gettext as _
from parlour.base.languages import word
from parlour.core.french import SHORT_NAMES as NAMES
from parlour.core.french import short_face as face
from parlour.core.french import short_title as title
from parlour.games.pope_joan.position import POOL_NAMES

__all__ = ["NAMES", "ROUND", "SHOWCASE", "face", "spoken", "title"]

SHOWCASE = (("Td", "Jd", "Qd", "Kd", "9d"), ("Js", "Qs", "Ks"))  # a typical moment of the game, as rows of cards
ROUND = True  # lay the first row around a round board


def spoken(name: str) -> str:
    """Return the words in sentences for a pool; cards keep their short names.

    >>> spoken("King"), spoken("Kh")
    ('the King pool', 'Kh')
    """
    return _("the {pool} pool", pool=word(name)) if name in POOL_NAMES else name
