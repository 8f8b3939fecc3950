"""The cards of Diamondback: five characters, each with its own colour, silhouette, sign and letter.

The Roman number is the place of the rank, from the Magician down (DB-12), as on the cards of old tarot packs.
"""

from typing import NamedTuple

from parlour.base.languages import gettext as _
from parlour.base.languages import word

SHOWCASE = (("Magician", "Priest", "(back)", "(back)"),)  # a typical moment of the game, as rows of cards
INK, PAPER, GOLD, SKIN = "#241a26", "#fffaf0", "#f6c244", "#f0c8a0"
FACE = f'<ellipse cx="57" cy="82" rx="17" ry="20" fill="{SKIN}"/>'
EYES = f'<g fill="{INK}"><circle cx="51" cy="80" r="2.4"/><circle cx="63" cy="80" r="2.4"/></g>'
STAR = "M0-12 3.5-4 12-3.7 5.3 1.6 7.6 10 0 5.2-7.6 10-5.3 1.6-12-3.7-3.5-4z"
CROSS = "M-3.5-12h7v8h8v7h-8v10h-7v-10h-8v-7h8z"


class Rank(NamedTuple):
    """The drawing of a rank: its letters and number, the ground and the ink on it, its sign, and the figure."""

    letters: str
    number: str
    ground: str
    ink: str
    sign: str
    figure: str


RANKS = {
    "Magician": Rank(
        "M",
        "I",
        "#43297a",
        PAPER,
        STAR,
        '<path d="M20 122C22 106 36 100 57 100s35 6 37 22z" fill="#7a55c7"/>'
        + FACE
        + '<path d="M38 78C38 100 48 106 57 120 66 106 76 100 76 78 73 90 66 92 57 89 48 92 41 90 38 78z" fill="#fff"/>'
        + EYES
        + '<path d="M59 9C50 26 43 46 39 66H75C71 48 66 28 59 9z" fill="#b493ff"/>'
        f'<ellipse cx="57" cy="67" rx="28" ry="6" fill="#b493ff"/><path d="M40 60Q57 66 74 60L75 66Q57 72 39 66z" '
        f'fill="{GOLD}"/><path d="{STAR}" transform="translate(57 44) scale(.75)" fill="{GOLD}"/>'
        f'<path d="M88 118 84 78" stroke="{GOLD}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="{STAR}" transform="translate(84 76) scale(.8)" fill="{PAPER}"/>',
    ),
    "Priestess": Rank(
        "Ps",
        "II",
        "#8fcdf0",
        "#0d2b52",
        "M4-12A12 12 0 1 0 9 9 10 10 0 0 1 4-12z",
        '<path d="M19 122C22 108 33 104 33 82 33 64 43 54 57 54S81 64 81 82C81 104 92 108 95 122z" fill="#123a6d"/>'
        + FACE
        + '<path d="M40 82C38 62 48 60 57 66 66 60 76 62 74 82 76 66 70 56 57 56S38 66 40 82z" fill="#123a6d"/>'
        f'<path d="M46 81q5 4 10 0M58 81q5 4 10 0" fill="none" stroke="{INK}" '
        'stroke-width="2.2"/>'
        '<path d="M53 93q4 3 8 0" fill="none" stroke="#b03a48" stroke-width="2.6"/>'
        '<path d="M33 28A24 24 0 1 0 81 28 28 28 0 0 1 33 28z" fill="#fff" stroke="#123a6d" stroke-width="3" '
        'stroke-linejoin="round"/>'
        '<path d="M42 103Q57 116 72 103" fill="none" stroke="#fff" stroke-width="4"/>',
    ),
    "Queen": Rank(
        "Q",
        "III",
        "#b3173a",
        PAPER,
        "M0-6C-3-13-13-11-12-3-11 3-4 6 0 12 4 6 11 3 12-3 13-11 3-13 0-6z",
        '<path d="M31 116C24 96 34 90 35 76 36 60 46 56 57 56S78 60 79 76C80 90 90 96 83 116z" fill="#4a1d12"/>'
        '<path d="M20 122C24 110 40 108 50 104H64C74 108 90 110 94 122z" fill="#ff9fb4"/>'
        f'<path d="M50 96h14v10l-7 8-7-8z" fill="{SKIN}"/>'
        + FACE
        + EYES
        + '<path d="M52 92q5 5 10 0-5-3-10 0z" fill="#b3173a"/>'
        '<path d="M39 82C39 66 50 66 57 63 64 66 75 66 75 82 80 60 68 56 57 56S34 60 39 82z" fill="#4a1d12"/>'
        f'<path d="M36 62 33 40Q45 52 57 34 69 52 81 40L78 62Q57 54 36 62z" fill="{GOLD}"/>'
        f'<g fill="{PAPER}"><circle cx="33" cy="38" r="5"/><circle cx="57" cy="31" r="6"/>'
        '<circle cx="81" cy="38" r="5"/></g>'
        '<g fill="#fff"><circle cx="45" cy="110" r="2.6"/><circle cx="51" cy="115" r="2.6"/>'
        '<circle cx="57" cy="117" r="2.6"/><circle cx="63" cy="115" r="2.6"/><circle cx="69" cy="110" r="2.6"/></g>',
    ),
    "King": Rank(
        "K",
        "IV",
        "#f3b52f",
        "#3a1c00",
        "M-12 9V-8L-5-1 0-10 5-1 12-8V9z",
        '<path d="M18 122C20 104 34 100 57 100S93 104 95 122z" fill="#8a2a12"/>'
        '<path d="M30 106Q57 126 84 106L78 101Q57 114 36 101z" fill="#fff"/>'
        + FACE
        + EYES
        + '<path d="M38 78V98Q40 110 57 112 74 110 76 98V78Q72 90 64 90H50Q42 90 38 78z" fill="#4b2508"/>'
        '<path d="M51 95h12" stroke="#f0c8a0" stroke-width="3" stroke-linecap="round"/>'
        '<path d="M35 68 30 30 43 48 57 22 71 48 84 30 79 68z" fill="#8a2a12"/>'
        '<path d="M36 60H78L79 69H35z" fill="#fff"/>'
        '<path d="M57 43 62 51 57 59 52 51z" fill="#fff"/>',
    ),
    "Priest": Rank(
        "Pt",
        "V",
        "#17694f",
        PAPER,
        CROSS,
        f'<path d="M88 118V54A9 9 0 1 0 72 49" fill="none" stroke="{GOLD}" stroke-width="4.5" stroke-linecap="round"/>'
        '<path d="M18 122C18 102 34 96 57 96S94 102 94 122z" fill="#3b2a1c"/>'
        '<path d="M34 104Q57 84 80 104L70 98H44z" fill="#2a1c12"/>'
        f'<ellipse cx="57" cy="76" rx="23" ry="25" fill="{SKIN}"/>'
        '<path d="M34 76C32 60 40 56 44 56 40 64 40 70 38 78zM80 76C82 60 74 56 70 56 74 64 74 70 76 78z" '
        'fill="#4b2f18"/><path d="M36 64Q57 56 78 64L77 71Q57 62 37 71z" fill="#4b2f18"/>'
        + EYES
        + f'<path d="M50 91h14" stroke="{INK}" stroke-width="2.4" stroke-linecap="round"/>'
        f'<path d="{CROSS}" transform="translate(57 110) scale(.85)" fill="{GOLD}"/>',
    ),
}


def face(name: str, four_colours: bool = False) -> str:
    """The card as an SVG document: letters and sign in the corner, the number of the rank, the character, its name."""
    rank = RANKS[name]
    size = 34 if len(rank.letters) == 1 else 27
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140" width="100" height="140">'
        f'<rect x=".5" y=".5" width="99" height="139" rx="9.5" fill="{PAPER}" stroke="#8a7b66"/>'
        f'<path d="M4 121V10.5A6.5 6.5 0 0 1 10.5 4H89.5A6.5 6.5 0 0 1 96 10.5V121z" fill="{rank.ground}"/>'
        f'<g transform="translate(10.5 13.7) scale(.88)">{rank.figure}</g>'
        f'<g font-family="Georgia, serif" font-weight="bold" fill="{rank.ink}">'
        f'<text x="8" y="33" font-size="{size}">{rank.letters}</text>'
        f'<text x="92" y="19" font-size="14" text-anchor="end">{rank.number}</text></g>'
        f'<path d="{rank.sign}" transform="translate(19 51)" fill="{rank.ink}"/>'
        f'<text x="50" y="132.5" font-family="Georgia, serif" font-size="12" font-weight="bold" text-anchor="middle" '
        f'fill="{INK}">{name}</text></svg>'
    )


def title(name: str) -> str:
    """The card in words."""
    return _("the {rank}", rank=word(name))


def pair(name: str) -> str:
    """Two cards of a rank, as a sentence names them.

    >>> pair("King"), pair("Priestess")
    ('two Kings', 'two Priestesses')
    """
    return _("two {cards}", cards=word(f"{name}es" if name.endswith("ss") else f"{name}s"))
