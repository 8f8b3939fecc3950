"""The French pack as pictures: 52 cards, two jokers and the back, each a whole SVG document.

A card is 100 wide and 140 high.  Nothing is written in a font: the ranks in the corners are strokes, so that a card
looks the same everywhere.  The upper half of a card is drawn once, and again turned by 180 degrees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from parlour.base.languages import gettext as _
from parlour.base.languages import pgettext, word

__all__ = ["back", "face", "joker", "joker_title", "rank_title", "short_face", "short_title", "title"]

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = "SHDC"
NUMBERS: Final = (
    *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king"),
)
SUIT_WORDS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}

PAPER, EDGE, GOLD, BROWN, SKIN = "#fffdf7", "#b5aa94", "#dba93c", "#7a5518", "#f7dfc6"
BLACK, RED, BLUE, GREEN = "#1d1d26", "#b71f2e", "#1c4eae", "#146b39"
WINE, ROSE = "#6b1f2c", "#d9a98f"

TWO_COLOURS: Final = {"S": BLACK, "H": RED, "D": RED, "C": BLACK}
FOUR_COLOURS: Final = {"S": BLACK, "H": RED, "D": BLUE, "C": GREEN}


class Cloth(NamedTuple):
    """The colours of a suit's court cards: robe, lining and hair."""

    robe: str
    lining: str
    hair: str


COURTS: Final = {
    "S": Cloth("#2d3258", "#a9b3d6", "#3a2b22"),
    "H": Cloth("#b71f2e", "#f0b9a4", "#b9772b"),
    "D": Cloth("#a8431c", "#f3cf8e", "#dcb765"),
    "C": Cloth("#2a4a44", "#a5cbb4", "#5d3a20"),
}
BLUE_COURT: Final = Cloth("#1c4eae", "#b4cdf2", "#dcb765")  # the court of diamonds in a pack whose diamonds are blue

# ------------------------------------------------------------------------------------------ ranks and suit signs

# SVG paths of the ranks: strokes in a box from (0, 0) to (18, 28).
STROKES: Final = {
    "A": "M1 28 9 0.5 17 28M4.2 18.5H13.8",
    "2": "M2 8C2 3.5 5 1 9 1s7 2.7 7 6.7C16 13 8 18 2 27H17",
    "3": "M2 1H15.5L8.5 11C13 11 16.5 14 16.5 19c0 5-3.5 8.3-8 8.3-3.5 0-6-1.8-7-4.8",
    "4": "M13 28V1L1.5 19.5H18",
    "5": "M15.5 1H4.5L3.3 12.3C5 11 6.8 10.3 9 10.3c4.5 0 7.5 3.4 7.5 8.3 0 5.2-3.5 8.7-8 8.7-3.5 0-6-1.8-7-4.8",
    "6": "M14.8 3.7C13.5 2 11.7 1 9.6 1 4.5 1 2 6.5 2 16c0 7.5 2.8 11.3 7.2 11.3 4.3 0 7.3-3.4 "
    "7.3-8.3s-3-8.2-7.2-8.2C5.5 10.8 2.7 13.3 2 17",
    "7": "M1.5 1H16.5C12 9 8.5 18 7.5 28",
    "8": "M9 13C5 13 2.5 10.5 2.5 7S5 1 9 1s6.5 2.5 6.5 6S13 13 9 13c-4.5 0-7.5 3-7.5 7.2s3 7.1 7.5 7.1 7.5-2.9 "
    "7.5-7.1S13.5 13 9 13Z",
    "9": "M3.2 24.6c1.3 1.7 3.1 2.7 5.2 2.7 5.1 0 7.6-5.5 7.6-15C16 4.8 13.2 1 8.8 1 4.5 1 1.5 4.4 1.5 9.3s3 8.2 "
    "7.2 8.2c3.8 0 6.6-2.5 7.3-6.2",
    "10": "M-1 5.5 4 1V28M15.5 1c4 0 6 4.5 6 13.2s-2 13.1-6 13.1-6-4.4-6-13.1S11.5 1 15.5 1Z",
    "J": "M13.5 1V19.5c0 5-2.5 7.8-6.3 7.8-3.4 0-5.5-2-6-5.8M8 1H18",
    "Q": "M9 1c5 0 7.8 5 7.8 13.1S14 27.3 9 27.3 1.2 22.2 1.2 14.1 4 1 9 1ZM9.5 19.5 17 29",
    "K": "M2 1V28M16 1 2.5 16.5M7.5 11 17 28",
}

# SVG paths of the suit signs: about 20 wide and high, centred on (0, 0).
SIGNS: Final = {
    "S": "M0-10.5C3.5-6 9.5-2 9.5 3c0 3.2-2.2 5-4.6 5-1.8 0-3.2-.9-4-2.5.2 2.6 1.2 4.2 3.6 5h-9"
    "c2.4-.8 3.4-2.4 3.6-5-.8 1.6-2.2 2.5-4 2.5-2.4 0-4.6-1.8-4.6-5 0-5 6-9 9.5-13.5Z",
    "H": "M0 10C-4 5.5-10 1.5-10-4c0-3.4 2.5-5.6 5.2-5.6 2.2 0 3.9 1.3 4.8 3.6.9-2.3 2.6-3.6 4.8-3.6"
    "C7.5-9.6 10-7.4 10-4 10 1.5 4 5.5 0 10Z",
    "D": "M0-11Q3.6-4.6 8.3 0 3.6 4.6 0 11-3.6 4.6-8.3 0-3.6-4.6 0-11Z",
    "C": "M-4.5-5.6a4.5 4.5 0 1 1 9 0 4.5 4.5 0 1 1-9 0ZM-9.8 2a4.6 4.6 0 1 1 9.2 0 4.6 4.6 0 1 1-9.2 0Z"
    "M.6 2a4.6 4.6 0 1 1 9.2 0A4.6 4.6 0 1 1 .6 2ZM-2-3H2c-.9 7-.2 11.5 2.8 13.3h-9.6C-1.8 8.5-1.1 4-2-3Z",
}
STAR: Final = "M0-10.5 3.1-3.6 10.5-2.9 4.9 2 6.6 9.4 0 5.6-6.6 9.4-4.9 2-10.5-2.9-3.1-3.6Z"

# For each rank: the places of pips that are repeated upside down in the lower half, and of those that are not.
LEFT, RIGHT, TOP = 38.5, 61.5, 24
PIPS: Final[dict[str, tuple[list[tuple[float, float]], list[tuple[float, float]]]]] = {
    "2": ([(50, TOP)], []),
    "3": ([(50, TOP)], [(50, 70)]),
    "4": ([(LEFT, TOP), (RIGHT, TOP)], []),
    "5": ([(LEFT, TOP), (RIGHT, TOP)], [(50, 70)]),
    "6": ([(LEFT, TOP), (RIGHT, TOP)], [(LEFT, 70), (RIGHT, 70)]),
    "7": ([(LEFT, TOP), (RIGHT, TOP)], [(LEFT, 70), (RIGHT, 70), (50, 47.5)]),
    "8": ([(LEFT, TOP), (RIGHT, TOP), (50, 47.5)], [(LEFT, 70), (RIGHT, 70)]),
    "9": ([(LEFT, TOP), (RIGHT, TOP), (LEFT, 55), (RIGHT, 55)], [(50, 70)]),
    "10": ([(LEFT, TOP), (RIGHT, TOP), (LEFT, 55), (RIGHT, 55), (50, 40)], []),
}


def _document(body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140">{body}</svg>'


def _card(half: str, whole: str = "") -> str:
    """A face: the upper half twice, once turned, and the parts that appear only once."""
    return _document(
        f'<rect x=".75" y=".75" width="98.5" height="138.5" rx="8" fill="{PAPER}" stroke="{EDGE}" stroke-width="1.5"/>'
        f'{whole}<g id="h">{half}</g><use href="#h" transform="rotate(180 50 70)"/>'
    )


def _put(path: str, x: float, y: float, size: float, colour: str) -> str:
    """A sign about ``size`` wide."""
    return f'<path fill="{colour}" transform="translate({x:g} {y:g})scale({size / 20:g})" d="{path}"/>'


def _corner(rank: str, suit: str, colour: str) -> str:
    width = 0.9 if rank == "10" else 1.05
    strokes = (
        f'<path fill="none" stroke="{colour}" stroke-width="4.6" stroke-linecap="round" stroke-linejoin="round" '
        f'transform="translate({8 if width > 1 else 7.2:g} 9.5)scale({width:g} 1.05)" d="{STROKES[rank]}"/>'
    )
    return strokes + _put(SIGNS[suit], 17.5, 52, 17, colour)


# ------------------------------------------------------------------------------------------ the cards


def title(rank: str, suit: str) -> str:
    """A card in words.

    >>> title("7", "D")
    'seven of diamonds'
    """
    return pgettext("card", "{rank} of {suit}", rank=rank_title(rank), suit=word(SUIT_WORDS[suit]))


def rank_title(rank: str) -> str:
    """A rank in words.

    >>> rank_title("10")
    'ten'
    """
    return word(NUMBERS[RANKS.index(rank)])


def joker_title(bright: bool) -> str:
    """One of the two jokers in words.

    >>> joker_title(True), joker_title(False)
    ('the bright joker', 'the dark joker')
    """
    return _("the bright joker") if bright else _("the dark joker")


@lru_cache(maxsize=128)
def face(rank: str, suit: str, four_colours: bool = False) -> str:
    """One of the 52 cards.

    >>> face("A", "S").startswith("<svg"), face("Q", "D") == face("Q", "D", four_colours=True)
    (True, False)
    """
    colour = (FOUR_COLOURS if four_colours else TWO_COLOURS)[suit]
    corner = _corner(rank, suit, colour)
    if rank == "A":
        return _card(corner, _ace(suit, colour))
    if rank in PIPS:
        twice, once = PIPS[rank]
        pips = "".join(_put(SIGNS[suit], x, y, 17, colour) for x, y in twice)
        return _card(corner + pips, "".join(_put(SIGNS[suit], x, y, 17, colour) for x, y in once))
    cloth = BLUE_COURT if four_colours and suit == "D" else COURTS[suit]
    return _card(_court(rank, suit, colour, cloth) + corner)


def _shape(colour: str, path: str) -> str:
    """A part of a figure, with an outline."""
    return f'<path fill="{colour}" d="{path}"/>'


def _flat(colour: str, path: str) -> str:
    """A part of a figure without an outline."""
    return f'<path fill="{colour}" stroke="none" d="{path}"/>'


def _line(path: str, more: str = "") -> str:
    """A stroke; it looks like an outline unless ``more`` says otherwise."""
    return f'<path fill="none" stroke-linecap="round" {more}d="{path}"/>'


def _dots(radius: float, *places: tuple[float, float]) -> str:
    """The path of round dots."""
    r, d = f"{radius:g}", f"{2 * radius:g}"
    return "".join(f"M{x - radius:g} {y:g}a{r} {r} 0 1 1 {d} 0 {r} {r} 0 0 1-{d} 0Z" for x, y in places)


def _ace(suit: str, colour: str) -> str:
    """A large sign with a smaller one in it, between two sprigs."""
    leaves = "M50 31C45 25 38 23 32 27 38 32 45 34 50 31C55 25 62 23 68 27 62 32 55 34 50 31Z"
    sign = f'<path fill="none" stroke="{PAPER}" stroke-width=".7" transform="translate(50 70.5)scale(1.95)" '
    return (
        f'<path id="s" fill="{GOLD}" d="{leaves}M47.8 23.5 50 20l2.2 3.5L50 27Z"/>'
        '<use href="#s" transform="rotate(180 50 70)"/>'
        + _put(SIGNS[suit], 50, 70, 48, colour)
        + f'{sign}d="{SIGNS[suit]}"/>'
        + _put(SIGNS[suit], 50, 71, 20, GOLD)
    )


def _court(rank: str, suit: str, colour: str, cloth: Cloth) -> str:
    """Jack, queen or king with a sign of the suit in hand: the upper half, down to the girdle across the card."""
    behind, chest, mouth, head, held = {"K": _king, "Q": _queen, "J": _jack}[rank](colour, cloth)
    return (
        f'<g stroke="{BLACK}" stroke-linejoin="round">'
        + behind
        + _shape(cloth.robe, "M20 70.5C21 60 30 54 42 51H58C70 54 79 60 80 70.5Z")
        + chest
        + _shape(SKIN, "M39 24C38 41 43 51 50 51S62 41 61 24Z")
        + mouth
        + head
        + _line("M43 33q2.5-2 5 0M52 33q2.5-2 5 0M50.5 35 49 40.5h2")
        + _flat(BLACK, _dots(1.4, (45.6, 36.3), (54.4, 36.3)))
        + held
        + _put(SIGNS[suit], 82, 24, 19, colour)
        + _shape(cloth.robe, "M66 70.5C68 62 72 58 77 57l4 7q-3 2-4 6.5Z")  # arm and hand
        + _shape(SKIN, "M78 59c2-4 8-3 8 1s-5 5-8 3Z")
        + _shape(GOLD, "M16 66.5H84V73.5H16Z")
        + "</g>"
        + _line("M21.5 70H80", f'stroke="{cloth.robe}" stroke-width="3" stroke-dasharray=".1 7.1" ')
    )


def _king(colour: str, cloth: Cloth) -> tuple[str, str, str, str, str]:
    """Hair, ermine, beard, crown and sceptre."""
    crown = "M37.5 26 34 10l8.5 7L50 6l7.5 11L66 10l-3.5 16Q50 22 37.5 26Z"
    jewels = "M48 21l2-3 2 3-2 3ZM41 22l1.5-2.5 1.5 2.5-1.5 2.5ZM56 22l1.5-2.5 1.5 2.5-1.5 2.5Z"
    return (
        _shape(cloth.hair, "M38 24C33 32 36 38 32 46c4 3 8 1 9-2h18c1 3 5 5 9 2-4-8-1-14-6-22Z"),
        _shape(PAPER, "M33 54C36 64 42 68 50 68s14-4 17-14l-8-4H41Z")
        + _flat(BLACK, "M40 57l1.5 4 1.5-4ZM57 57l1.5 4 1.5-4ZM48.5 62l1.5 4 1.5-4Z"),
        _shape(cloth.hair, "M39 35C38 49 44 60 50 60S62 49 61 35C59 41 56 42.5 50 42.5S41 41 39 35Z")
        + _flat(RED, "M46.5 47Q50 45.5 53.5 47 50 50 46.5 47Z"),
        _shape(GOLD, crown) + _flat(colour, jewels) + _shape(PAPER, _dots(2, (34, 9.5), (50, 5.5), (66, 9.5))),
        _line("M82 34V68M78 36h8", f'stroke="{GOLD}" stroke-width="2.6" '),
    )


def _queen(colour: str, cloth: Cloth) -> tuple[str, str, str, str, str]:
    """Long hair, a necklace, lips, a coronet and the stalk of a flower."""
    coronet = "M39 25l-3.5-10 6.5 4 3-7 5 6 5-6 3 7 6.5-4L61 25Q50 20.5 39 25Z"
    return (
        _shape(cloth.hair, "M38 22C29 32 35 44 29 56 36 61 64 61 71 56 65 44 71 32 62 22Z"),
        _shape(SKIN, "M42 52Q50 68 58 52Z")
        + _line("M42.5 53.5Q50 63 57.5 53.5", f'stroke="{GOLD}" stroke-width="1.8" stroke-dasharray=".1 2.6" '),
        _flat(RED, "M47 45.3q1.5-1.4 3-.6 1.5-.8 3 .6-3 3-6 0Z"),
        _shape(cloth.hair, "M38.5 34C40 27 46 25 50 25s10 2 11.5 9C64 28 62 22 50 22S36 28 38.5 34Z")
        + _shape(GOLD, coronet)
        + _flat(colour, "M48.5 20.5 50 18l1.5 2.5L50 23Z"),
        _line("M82 34Q80 50 82 68", f'stroke="{GREEN}" stroke-width="2" ')
        + _flat(GREEN, "M81 48c6 0 9-4 10-8-6 0-9 3-10 8ZM81 54c-5 0-8-3-9-7 5 0 8 2 9 7Z"),
    )


def _jack(colour: str, cloth: Cloth) -> tuple[str, str, str, str, str]:
    """Hair, a collar, a smile, a cap with a feather, and a staff."""
    return (
        _shape(cloth.hair, "M38 22C34 32 36 40 34 48q5 2 9-2h14q4 4 9 2C64 40 66 32 62 22Z"),
        _shape(cloth.lining, "M44 52 50 70l6-18Z") + _shape(PAPER, "M38 53q3 7 8 5l4-5 4 5q5 2 8-5l-7-3H45Z"),
        _line("M47 45.5Q50 47.5 53.5 45"),
        _shape(cloth.lining, "M58 19C58 8 68 3 77 7 71 9 70 15 62 23Z")
        + _shape(cloth.robe, "M37 27C31 16 42 9 50 11 58 8 70 16 63 27Z")
        + _shape(GOLD, "M36 29Q50 21 64 29L63 24.5Q50 17 37 24.5Z"),
        _line("M82 30V68", f'stroke="{BROWN}" stroke-width="2.6" '),
    )


def joker(bright: bool) -> str:
    """One of the two jokers: a jester, with a mask if it is the dark one.

    >>> joker(True) == joker(False)
    False
    """
    if bright:
        one, two, three, star = RED, GOLD, BLUE, f'fill="{RED}"'
        eyes = _flat(RED, "M43 63l2.5 4.5-2.5 4.5-2.5-4.5ZM57 63l2.5 4.5-2.5 4.5-2.5-4.5Z")
    else:
        one, two, three, star = BLACK, "#8b8fa3", "#4a4e66", f'fill="{PAPER}" stroke="{BLACK}" stroke-width="2"'
        eyes = _flat(BLACK, "M35.5 64Q50 60 64.5 64 64 73 58 73 53 73 50 69 47 73 42 73 36 73 35.5 64Z")
    bells = _dots(3, (19, 58), (81, 58), (56, 22)) + _dots(2, (19, 100), (30, 114), (50, 121), (70, 114), (81, 100))
    jester = (
        f'<g stroke="{BLACK}" stroke-linejoin="round">'
        + _shape(one, "M36 84Q50 94 64 84L81 100 69 101 70 114 57 106 50 121 43 106 30 114 31 101 19 100Z")
        + _shape(two, "M36 84Q43 89 50 89.5V121L43 106 30 114 31 101 19 100Z")
        + _shape(SKIN, "M36 56C35 78 42 89 50 89S65 78 64 56Z")
        + eyes
        + _flat(BLACK if bright else PAPER, _dots(1.5, (43, 67.5), (57, 67.5)))
        + _line("M50 69l-2 6h3")
        + _shape(RED, "M41.5 77Q50 82 58.5 77 56 84.5 50 84.5T41.5 77Z")
        + _shape(one, "M35 62C34 50 28 48 19 56 19 38 40 32 51 54Z")
        + _shape(two, "M65 62C66 50 72 48 81 56 81 38 60 32 49 54Z")
        + _shape(three, "M39 58C36 40 42 27 56 23 52 34 60 42 61 58Z")
        + _shape(PAPER, "M33.5 63Q50 53 66.5 63L65.5 57Q50 47 34.5 57Z")
        + _shape(GOLD, bells)
        + "</g>"
    )
    return _card(f'<path {star} stroke-linejoin="round" transform="translate(17.5 19)scale(1.1)" d="{STAR}"/>', jester)


def back() -> str:
    """Any card, face down: a lattice, and the four suits in the middle.

    >>> back().startswith("<svg")
    True
    """
    signs = zip("SHCD", ((50, 58), (62, 70), (50, 82), (38, 70)), strict=True)
    return _document(
        '<pattern id="p" width="12" height="12" patternUnits="userSpaceOnUse" x="2" y="4">'
        f'<path fill="none" stroke="{ROSE}" stroke-width=".8" d="M0 0 12 12M12 0 0 12"/>'
        f'<path fill="{ROSE}" d="M6 3.6 8.4 6 6 8.4 3.6 6ZM0-1.6 1.6 0 0 1.6ZM12-1.6V1.6L10.4 0ZM0 10.4 1.6 '
        f'12H0ZM12 10.4V12H10.4Z" '
        'opacity=".75"/></pattern>'
        f'<rect x=".75" y=".75" width="98.5" height="138.5" rx="8" fill="{PAPER}" stroke="{EDGE}" stroke-width="1.5"/>'
        f'<rect x="6" y="6" width="88" height="128" rx="5" fill="{WINE}"/>'
        f'<rect x="9" y="9" width="82" height="122" rx="3" fill="url(#p)" stroke="{ROSE}"/>'
        f'<path fill="{WINE}" stroke="{ROSE}" stroke-width="1.2" d="M50 38 82 70 50 102 18 70Z"/>'
        f'<path fill="none" stroke="{ROSE}" stroke-width=".6" d="M50 42 78 70 50 98 22 70Z"/>'
        + "".join(_put(SIGNS[suit], x, y, 13, ROSE) for suit, (x, y) in signs)
    )


# ------------------------------------------------------------------------------------------ short names

# The rank and suit of each card by its short name, such as 7d or Ts.
SHORT: Final = {("T" if rank == "10" else rank) + suit.lower(): (rank, suit) for suit in SUITS for rank in RANKS}
SHORT_NAMES: Final = tuple(SHORT)


def short_face(name: str, four_colours: bool = False) -> str:
    """A card by its short name.

    >>> short_face("Td") == face("10", "D")
    True
    """
    return face(*SHORT[name], four_colours)


def short_title(name: str) -> str:
    """A card in words, by its short name.

    >>> short_title("Td")
    'ten of diamonds'
    """
    return title(*SHORT[name])
