"""The cards of Diabolo: each colour has its own ground and sign, and a card shows the sign as many times as its value.

``R3`` is a number card, ``R1 R1`` two equal ones, ``red`` the Heaven/Hell card of a colour with its open side up, ``red
locked`` the same turned over, and ``doubler`` a Doubler.
"""

from typing import NamedTuple

from parlour.base.languages import gettext as _
from parlour.base.languages import npgettext, pgettext, word
from parlour.games.diabolo.bags import BAG, COLOUR_NAMES

INK, PAPER, GOLD, SKIN, NIGHT = "#231c2b", "#fffaf0", "#f6c244", "#f4d3b0", "#2a1524"
NAMES = (*BAG, *COLOUR_NAMES, *(f"{name} locked" for name in COLOUR_NAMES), "doubler")
WORDS = COLOUR_NAMES  # these name a row, not a card, in a sentence
SHOWCASE = (  # a typical moment of the game, as rows of cards
    ("", "", "red", "R1", "R4"),
    ("Y3", "Y1", "yellow", "Y1", ""),
    ("G4", "G1", "green", "G1", ""),
    ("", "P2", "purple", "P1", "P2"),
    ("B3", "B2", "blue", "B3", "B4"),
)
SANS = 'font-family="Arial, Helvetica, sans-serif" font-weight="bold"'
NUMBERS = ("", "one", "two", "three", "four", "five")


class Colour(NamedTuple):
    """A colour: its name, the ground of its cards, the ink on it, its sign, and the ink of that on paper."""

    name: str
    ground: str
    ink: str
    sign: str
    on_paper: str


FLAME = '<path d="M1-13C3-6 10-3 10 4A10 9 0 0 1-10 4C-10-1-8-4-7-8-5-6-4-5-3-3 0-6 1-9 1-13z"/>'
SUN = (
    '<circle r="6.5"/><path d="M0-9.5V-12.5M0 9.5V12.5M-9.5 0H-12.5M9.5 0H12.5M-6.7-6.7-8.8-8.8M6.7-6.7 8.8-8.8'
    'M-6.7 6.7-8.8 8.8M6.7 6.7 8.8 8.8" stroke-width="3"/>'
)
LEAF = '<path d="M-11 12C-10 8-9 5-8 3-10-7-1-12 12-12 12 2 6 10-5 7-7 8-8 10-9 12zM-6 5Q-1-2 6-6 0-4-6 5z"/>'
MOON = '<path d="M4-12A12 12 0 1 0 9 9 10 10 0 0 1 4-12z"/>'
WAVES = '<path d="M-12-7q4-6 8 0t8 0 8 0M-12 1q4-6 8 0t8 0 8 0M-12 9q4-6 8 0t8 0 8 0" fill="none" stroke-width="3.6"/>'
COLOURS = {
    "R": Colour("red", "#c1232b", PAPER, FLAME, "#c1232b"),
    "Y": Colour("yellow", "#f5c52e", INK, SUN, "#a87400"),
    "G": Colour("green", "#2b8a4b", PAPER, LEAF, "#2b8a4b"),
    "P": Colour("purple", "#58267f", PAPER, MOON, "#58267f"),
    "B": Colour("blue", "#2c78cc", PAPER, WAVES, "#2c78cc"),
}
BY_NAME = {colour.name: colour for colour in COLOURS.values()}
PIPS = (  # for each value: the size of its pips, and their places
    (2.0, ((64, 70),)),
    (1.6, ((64, 42), (64, 98))),
    (1.2, ((64, 34), (64, 70), (64, 106))),
    (0.9, ((51, 44), (78, 44), (51, 96), (78, 96))),
    (0.9, ((51, 32), (78, 32), (64, 70), (51, 108), (78, 108))),
)
FACES = (
    f'<g stroke="{NIGHT}" stroke-width="2" stroke-linejoin="round"><path d="M48 58Q20 50 9 34 6 56 12 78 18 70 25 76 '
    f'30 70 36 78 42 72 48 80z" fill="{NIGHT}"/><path d="M52 58Q80 50 91 34 95 50 88 56 92 62 84 66 86 74 76 74 '
    f'74 82 64 78 58 82 52 80z" fill="#fff"/><path d="M50 44A26 26 0 0 0 50 96z" fill="#d9503f"/>'
    f'<path d="M50 44A26 26 0 0 1 50 96z" fill="{SKIN}"/><path d="M32 50Q22 40 26 24 32 38 44 44z" fill="{NIGHT}"/></g>'
    f'<ellipse cx="66" cy="33" rx="19" ry="6" fill="none" stroke="{NIGHT}" stroke-width="7"/>'
    f'<ellipse cx="66" cy="33" rx="19" ry="6" fill="none" stroke="{GOLD}" stroke-width="4"/>'
    f'<path d="M31 62 45 69 34 72z" fill="{GOLD}"/><path d="M56 70q6-6 12 0" fill="none" stroke="{NIGHT}" '
    f'stroke-width="2.6"/><path d="M50 86Q36 88 32 78L38 82 40 78 44 84z" fill="{NIGHT}"/>'
    f'<path d="M50 86q9 0 13-5" fill="none" stroke="{NIGHT}" stroke-width="2.6"/>'
)
LOCK = (
    f'<path d="M9 102 91 134M91 102 9 134" stroke="{NIGHT}" stroke-width="7" stroke-dasharray="9 4"/>'
    f'<path d="M39 112V103A11 11 0 0 1 61 103V112" fill="none" stroke="{NIGHT}" stroke-width="8"/>'
    f'<path d="M39 112V103A11 11 0 0 1 61 103V112" fill="none" stroke="{PAPER}" stroke-width="4"/>'
    f'<rect x="31" y="107" width="38" height="26" rx="4" fill="{GOLD}" stroke="{NIGHT}" stroke-width="2.5"/>'
)


def face(name: str, four_colours: bool = False) -> str:
    """The card as an SVG document."""
    if name == "doubler":
        return _card(NIGHT, _doubler())
    colour, _space, locked = name.partition(" ")
    if colour in BY_NAME:
        return _card(BY_NAME[colour].ground, _heaven_and_hell(BY_NAME[colour], bool(locked)))
    kind, copies = _kind(name)
    colour_of, value = COLOURS[kind[0]], int(kind[1])
    scale, places = PIPS[value - 1]
    pips = "".join(_sign(colour_of, x, y, scale, colour_of.on_paper) for x, y in places)
    number = f'<text x="20" y="41" font-size="42" text-anchor="middle" {SANS} fill="{colour_of.ink}">{value}</text>'
    field = f'<rect x="37" y="8" width="55" height="124" rx="4" fill="{PAPER}"/>'
    drawing = field + pips + number + _sign(colour_of, 20, 62, 1.1)
    if copies > 1:
        times = (
            f'<text x="20" y="124" font-size="22" text-anchor="middle" {SANS} fill="{colour_of.ink}">×{copies}</text>'
        )
        drawing += times
    return _card(colour_of.ground, drawing)


def title(name: str) -> str:
    """The card in words."""
    if name == "doubler":
        return _("Doubler")
    colour, _space, locked = name.partition(" ")
    if colour in BY_NAME:
        if locked:
            return _("Heaven and Hell, {colour}, locked", colour=word(colour))
        return _("Heaven and Hell, {colour}, open", colour=word(colour))
    kind, copies = _kind(name)
    number = word(NUMBERS[int(kind[1])])
    many = pgettext("how many", "four") if copies > 2 else pgettext("how many", "two")
    if kind[0] == "R":
        return npgettext("card", "red {number}", "{many} red {number}s", copies, number=number, many=many)
    if kind[0] == "Y":
        return npgettext("card", "yellow {number}", "{many} yellow {number}s", copies, number=number, many=many)
    if kind[0] == "G":
        return npgettext("card", "green {number}", "{many} green {number}s", copies, number=number, many=many)
    if kind[0] == "P":
        return npgettext("card", "purple {number}", "{many} purple {number}s", copies, number=number, many=many)
    return npgettext("card", "blue {number}", "{many} blue {number}s", copies, number=number, many=many)


def sign(name: str) -> tuple[str, str]:
    """A card as a word of a sentence on the page: its value, and its colour.

    >>> sign("R3"), sign("red")
    (('3', 'red'), ('', 'red'))
    """
    return (name[1:2], COLOURS[name[0]].name) if name[0] in COLOURS else ("", name)


def spoken(name: str) -> str:
    """Return the word in sentences for a colour; cards keep their short names."""
    return word(name) if name in COLOUR_NAMES else name


def _kind(name: str) -> tuple[str, int]:
    """The kind of one number card or of several equal ones, and their number."""
    kinds = name.split()
    return kinds[0], len(kinds)


def _card(ground: str, drawing: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140" width="100" height="140">'
        f'<rect x=".5" y=".5" width="99" height="139" rx="9.5" fill="{PAPER}" stroke="#8a7b66"/>'
        f'<rect x="4" y="4" width="92" height="132" rx="6.5" fill="{ground}"/>{drawing}</svg>'
    )


def _sign(colour: Colour, x: int, y: int, scale: float, ink: str = "") -> str:
    """The sign of a colour at a place."""
    paint = ink or colour.ink
    at = f"translate({x} {y}) scale({scale})"
    return f'<g transform="{at}" fill="{paint}" stroke="{paint}" stroke-width="0">{colour.sign}</g>'


def _heaven_and_hell(colour: Colour, locked: bool) -> str:
    """Half a devil for the left side of the row, half an angel for the right; on the locked side in chains."""
    signs = f'<path d="M10 14H26V19H10zM79 8.5H84V14H89.5V19H84V24.5H79V19H73.5V14H79z" fill="{colour.ink}"/>'
    if locked:
        return signs + FACES + LOCK + _sign(colour, 50, 120, 0.85, INK)
    return signs + FACES + _sign(colour, 50, 116, 1.2)


def _doubler() -> str:
    return (
        '<path d="M50 50Q24 44 12 22 8 52 20 66 14 70 26 76 30 84 50 82 70 84 74 76 86 70 80 66 92 52 88 22 76 44 50 '
        '50z" fill="#fff" opacity=".25"/>'
        f'<ellipse cx="50" cy="28" rx="22" ry="7" fill="none" stroke="{GOLD}" stroke-width="5"/>'
        f'<text x="50" y="92" font-size="50" text-anchor="middle" {SANS} fill="{GOLD}">×2</text>'
        f'<text x="50" y="124" font-size="15" text-anchor="middle" {SANS} fill="{PAPER}">Doubler</text>'
    )
