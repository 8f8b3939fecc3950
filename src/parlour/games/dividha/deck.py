"""The cards of Dividha as pictures.

The suits differ in sign, ink and paper: mortal cards are on cream paper (Humans a bust in black, Demi-Humans a head
with pointed ears in purple, Beasts a paw in green), Heaven is a sun in blue on sky, Hell a flame in orange on black.
Jacks bear a round shield, Queens a lozenge, Kings a shield with a crown.
"""

from __future__ import annotations

from typing import NamedTuple

from parlour.base.languages import ENGLISH, ngettext, speaking, word
from parlour.base.languages import gettext as _
from parlour.games.dividha.hands import CARDS, SUIT_OF

NAMES = CARDS
"""The cards that have a face."""
SHOWCASE = (("3U", "3D", "3B", "6Va", "Ral"), ("(back)", "(back)", "QL", "QV", "God"))
"""A typical moment of the game, as rows of cards."""
SUITS = {"V": "Heaven", "L": "Hell", "U": "Humans", "D": "Demi-Humans", "B": "Beasts"}
RANKS = {
    **{"A": "ace", "K": "king", "Q": "queen", "J": "jack", "7": "seven"},
    **{"6": "six", "5": "five", "4": "four", "3": "three", "2": "two"},
}


class Look(NamedTuple):
    """The colours of a suit, and its sign: shapes in a square of 40 units around the origin."""

    paper: str
    ink: str
    light: str
    sign: str


CREAM, GOLD = "#fdf9ee", "#dca632"
LOOKS = {
    "V": Look(
        *("#dcecf9", "#0b559b", "#f0b93a"),
        '<path d="M0-20 3.6-12 10-17.300 9.500-9.500 17.300-10 12-3.600 20 0 12 3.600 17.300 10 9.500 9.500'
        " 10 17.300 3.600 12 0 20-3.600 12-10 17.300-9.500 9.500-17.300 10-12 3.600-20 0-12-3.600"
        '-17.300-10-9.500-9.500-10-17.300-3.600-12Z"/><circle r="7.500" fill="#f0b93a"/>',
    ),
    "L": Look(
        *("#2b1714", "#ff8f4a", "#ffd591"),
        '<path d="M2-21C3-13 14-7 14 6 14 15 8 20 0 20S-14 15-14 6C-14-1-10-5-9-12-5-9-4-6-4-3 1-7 3-13 2-21Z"/>'
        '<path fill="#ffd591" d="M0 18C-5 18-7 14-7 10-7 5-2 4-1-2 4 2 7 6 7 10S5 18 0 18Z"/>',
    ),
    "U": Look(
        *(CREAM, "#23262b", GOLD),
        '<circle cy="-10.500" r="9"/><path d="M-18 20C-18 6-11 1 0 1S18 6 18 20Z"/>',
    ),
    "D": Look(
        *(CREAM, "#8a2f92", GOLD),
        '<path fill-rule="evenodd" d="M-19-21-6-12Q0-14 6-12L19-21 17-2C16 11 8 18 0 20-8 18-16 11-17-2Z'
        'M-13-1.500Q-6-4-2 4-10 6-13-1.500ZM13-1.500Q6-4 2 4 10 6 13-1.500Z"/>',
    ),
    "B": Look(
        *(CREAM, "#1d7040", GOLD),
        '<path d="M0-1C9-1 15 8 14 14 13 20 5 17 0 17S-13 20-14 14C-15 8-9-1 0-1Z"/>'
        '<ellipse cx="-6.500" cy="-12" rx="5" ry="7"/><ellipse cx="6.500" cy="-12" rx="5" ry="7"/>'
        '<ellipse cx="-15.500" cy="-3" rx="4.300" ry="6" transform="rotate(-20-15.500-3)"/>'
        '<ellipse cx="15.500" cy="-3" rx="4.300" ry="6" transform="rotate(20 15.500-3)"/>',
    ),
}

# For each number: the size of its pips, as a percentage of the sign, and their places.
PIPS = {
    "2": (85, ((65.5, 46), (65.5, 98))),
    "3": (75, ((65.5, 32), (65.5, 71), (65.5, 110))),
    "4": (66, ((50, 46), (81, 46), (50, 98), (81, 98))),
    "5": (65, ((50, 36), (81, 36), (65.5, 71), (50, 106), (81, 106))),
    "6": (65, ((50, 32), (81, 32), (50, 70), (81, 70), (50, 108), (81, 108))),
    "7": (58, ((50, 27), (81, 27), (65.5, 49), (50, 71), (81, 71), (50, 113), (81, 113))),
}
# The same for a card with its name below the pips.
PIPS_NAMED = (60, ((50, 28), (81, 28), (50, 59), (81, 59), (50, 90), (81, 90)))

FIELDS = {
    "J": '<circle cx="63" cy="86" r="30"/>',
    "Q": '<path d="M63 46 93 88 63 130 33 88Z"/>',
    "K": '<path d="M34 56H92V88C92 110 77 122 63 129 49 122 34 110 34 88Z"/>',
}
CROWNS = {
    "J": '<path d="M47 51C49 32 60 20 84 16 77 23 82 28 73 32 76 38 67 41 60 50Z"/>',
    "Q": '<path d="M42 41Q63 51 84 41L87 25 75 32 63 20 51 32 39 25Z"/><circle cx="63" cy="14" r="4"/>'
    '<circle cx="38" cy="20" r="3.500"/><circle cx="88" cy="20" r="3.500"/>',
    "K": '<path d="M38 50V22L51 34 63 15 75 34 88 22V50Z"/>',
}

GOD = (
    '<g transform="translate(-1 0)"><path fill="none" stroke="#dca632" stroke-width="3.500" stroke-linecap="round"'
    ' d="M65 25V11M45 30 39 17M85 30 91 17M34 46 30 41M94 43 97 40"/>'
    '<path fill="#f0b93a" stroke="#0b559b" stroke-width="3.500" stroke-linejoin="round" d="M65 34 96 94H34Z"/>'
    '<path fill="#fff" stroke="#0b559b" stroke-width="3" d="M45 76Q65 55 85 76 65 94 45 76Z"/>'
    '<circle cx="65" cy="75" r="8.500" fill="#0b559b"/><circle cx="67.500" cy="72.500" r="2.500" fill="#fff"/>'
    '<path fill="#fff" stroke="#0b559b" stroke-width="3" stroke-linejoin="round"'
    ' d="M31 130C22 120 30 108 40 112 43 99 59 98 63 107 71 98 85 102 86 112 95 109 101 120 93 130Z"/></g>'
)
SATAN = (
    '<g transform="translate(-1 9)"><path fill="#ffd591" d="M40 58C26 48 26 26 35 12 36 28 44 38 56 41ZM88 58C102 48'
    ' 102 26 93 12 92 28 84 38 72 41Z"/>'
    '<path fill="#e0502a" d="M39 52C47 36 81 36 89 52L96 48C96 59 93 64 90 66 90 88 80 104 64 120 48 104 38 88 38 66'
    ' 35 64 32 59 32 48Z"/>'
    '<path fill="#ffd591" d="M44 63 60 71Q52 79 45 70ZM84 63 68 71Q76 79 83 70Z"/>'
    '<path fill="#2b1714" d="M42 57 61 66V61L47 53ZM86 57 67 66V61L81 53ZM49 86Q64 95 79 86 74 101 64 101T49 86Z"/>'
    '<path fill="#fff" d="M54 89 58 97 61 91ZM74 89 70 97 67 91Z"/></g>'
)


def title(name: str) -> str:
    """The name of a card in words; the 6s of Heaven are alike.

    >>> title("KV"), title("6Vb"), title("Ral"), title("God")
    ('king of Heaven', 'six of Heaven', 'Ral (six of Hell)', 'God (wild card of Heaven)')
    """
    if name == "God":
        return _("God (wild card of Heaven)")
    if name == "Satan":
        return _("Satan (wild card of Hell)")
    rank, suit = word(RANKS[_rank(name)]), _suit(name)
    if suit == "V":
        words = _("{rank} of Heaven", rank=rank)
    elif suit == "L":
        words = _("{rank} of Hell", rank=rank)
    elif suit == "U":
        words = _("{rank} of Humans", rank=rank)
    elif suit == "D":
        words = _("{rank} of Demi-Humans", rank=rank)
    else:
        words = _("{rank} of Beasts", rank=rank)
    return words if name[0] in RANKS else f"{name} ({words})"


def spoken(name: str) -> str:
    """Return the words in sentences for a hand or a category; cards keep their short names.

    >>> spoken("Pair, 1 immortal card"), spoken("KV")
    ('Pair, 1 immortal card', 'KV')
    """
    if name in NAMES:
        return name
    sort, _comma, more = name.partition(", ")
    first, _space, last = more.partition(" ")
    if not more:
        return word(sort)
    if first == "sum":
        more = _("sum {n}", n=last)
    elif last == "high":
        more = _("{rank} high", rank=word(RANKS[first]))
    else:
        more = ngettext("{n} immortal card", "{n} immortal cards", int(first))
    return f"{word(sort)}, {more}"


def face(name: str, four_colours: bool = False) -> str:
    """The picture of a card; the five suits always have five colours."""
    look = LOOKS[_suit(name)]
    if name in ("God", "Satan"):
        body = _wild(name, look)
    else:
        body = _ranked(_rank(name), look, "" if name[0] in RANKS else name)
    with speaking(ENGLISH):  # pictures are shared between languages, so their titles are English
        called = title(name)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140" role="img">'
        f"<title>{called}</title>"
        f'<rect x="1" y="1" width="98" height="138" rx="9" fill="{look.paper}"'
        f' stroke="{look.ink}" stroke-opacity=".5" stroke-width="2"/>'
        f'<g fill="{look.ink}" font-family="serif" font-weight="bold" text-anchor="middle">{body}</g></svg>\n'
    )


def _suit(name: str) -> str:
    return SUIT_OF[CARDS.index(name)]


def _rank(name: str) -> str:
    return name[0] if name[0] in RANKS else "6"


def _wild(name: str, look: Look) -> str:
    """The letters of the name down the side, and the picture."""
    step = 23 if name == "God" else 21
    top = 30 if name == "God" else 27
    letters = "".join(f'<text x="16" y="{top + i * step}">{letter}</text>' for i, letter in enumerate(name.upper()))
    return f'<g font-size="{step + 1}">{letters}</g>{GOD if name == "God" else SATAN}'


def _ranked(rank: str, look: Look, called: str) -> str:
    """The index (rank and sign), and pips, a coat of arms or, for the Ace, one large sign."""
    index = f'<defs><g id="s">{look.sign}</g></defs><text x="19" y="37" font-size="38">{rank}</text>{_sign(19, 55, 64)}'
    if rank == "A":
        ring = f'<circle cx="61" cy="87" r="33" fill="none" stroke="{look.light}" stroke-width="3"/>'
        return index + ring + _sign(61, 87, 120)
    if rank in FIELDS:
        reverse = f'<g fill="{look.paper}">{_sign(63, 88, 80 if rank == "Q" else 100)}</g>'
        return f'{index}{FIELDS[rank]}<g fill="{look.light}">{CROWNS[rank]}</g>{reverse}'
    size, places = PIPS_NAMED if called else PIPS[rank]
    label = f'<text x="64" y="131" font-size="25">{called}</text>' if called else ""
    return index + "".join(_sign(x, y, size) for x, y in places) + label


def _sign(x: float, y: float, size: int) -> str:
    return f'<use href="#s" transform="translate({x} {y})scale({size / 100:g})"/>'
