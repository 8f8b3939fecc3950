"""Names and lines that people choose: what they may contain, which look alike, and how they are set apart.

Whether text runs from left to right or from right to left is left to its letters.  Marks that force a direction are
refused, so what follows a name stays in its place once the name is isolated: by ``<bdi>`` in HTML, by :func:`isolated`
in plain text.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import bidirectional, category, normalize

from parlour.errors import ParlourError

LONGEST_NAME: Final = 16
MARKS: Final = 2
"""How many accents a letter may have; more would run into the lines around it."""
ISOLATES: Final = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"
"""The marks that enclose an isolated name."""
_STYLES: Final = re.compile("[\N{VARIATION SELECTOR-1}-\N{VARIATION SELECTOR-16}]")
"""They choose between two pictures of one sign, and are removed."""
_UNSEEN: Final = frozenset(
    "\N{COMBINING GRAPHEME JOINER}\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}"
    "\N{HALFWIDTH HANGUL FILLER}\N{KHMER VOWEL INHERENT AQ}\N{KHMER VOWEL INHERENT AA}\N{BRAILLE PATTERN BLANK}"
    "\u180b\u180c\u180d\u180f" + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Characters that count as letters or signs but show nothing."""
_UNFIT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control characters, marks of direction, joiners, surrogates, private and unassigned characters, and ends of lines."""


def _alike(pairs: str) -> dict[int, str]:
    """Return a table for ``translate`` from words, each a Latin letter and the code of another that looks like it."""
    return {int(pair[1:], 16): pair[0] for pair in pairs.split()}


_SMALL: Final = _alike(
    """
    a430 e435 i456 j458 o43E p440 c441 y443 x445 s455 d501 h4BB l4CF q51B w51D k43A v3BD o3BF p3C1 a3B1
    i3B9 k3BA u3C5 x3C7 g261 i269 y28F
    """
)
"""Small letters of other alphabets that look like Latin ones."""
_CAPITALS: Final = _alike(
    """
    A410 B412 E415 S405 I406 J408 K41A M41C H41D O41E P420 C421 T422 Y423 X425 A391 B392 E395 Z396 H397
    I399 K39A M39C N39D O39F P3A1 T3A4 Y3A5 X3A7
    """
)
"""Capitals of other alphabets that look like Latin ones."""


def fitting_line(text: str) -> str:
    """Return a line as it is kept: composed (NFC) and single-spaced.  Raises ``ParlourError`` if it has characters that
    cannot be seen.

    >>> fitting_line("  Zoe\\u0301  plays ")
    'Zoé plays'
    """
    line = normalize("NFC", _STYLES.sub("", " ".join(text.split())))
    for c in line:
        if category(c) in _UNFIT or c in _UNSEEN:
            raise ParlourError(f"The character U+{ord(c):04X} can't be seen or turns text round; leave it out.")
    if not is_seen(line):
        raise ParlourError("There is nothing to be seen in that; write a line of text.")
    if re.search(r"\S", line) and _longest_run_of_marks(line) > MARKS:
        raise ParlourError(f"A letter can have {MARKS} accents at most.")
    return line


def fitting_name(name: str) -> str:
    """Return a name as it is shown.  Raises ``ParlourError`` if it cannot be shown.

    >>> fitting_name(" Ann ")
    'Ann'
    >>> fitting_name("A\\u202enn")
    Traceback (most recent call last):
    parlour.errors.ParlourError: The character U+202E can't be seen or turns text round; leave it out.
    """
    short = " ".join(_STYLES.sub("", name).split())
    if not 0 < len(normalize("NFC", short)) <= LONGEST_NAME:
        raise ParlourError(f"A name has 1 to {LONGEST_NAME} letters; {_shown(name)!r} has not.")
    return fitting_line(short)


def is_seen(text: str) -> bool:
    """Whether a text shows anything at all.

    >>> is_seen("Ann"), is_seen(" \\u3164"), is_seen("\\u0301")
    (True, False, False)
    """
    return any(category(c)[0] in "LNSP" and c not in _UNSEEN for c in text)


def look_of(name: str) -> str:
    """Return what a name looks like at a glance: names with the same look are easily confused.

    >>> look_of("ＡＮＮ") == look_of("ann"), look_of("\\u0410nn") == look_of("Ann"), look_of("Zoé") == look_of("Zoe")
    (True, True, False)
    """
    plain = normalize("NFKC", name).translate(_CAPITALS)
    return normalize("NFKC", normalize("NFKC", plain.casefold()).translate(_SMALL))


def isolated(name: str) -> str:
    """Return a name for plain text, whoever wrote it: without invisible characters and, if it has letters that run from
    right to left, between marks of isolation, so that the text beside it keeps its place.

    >>> isolated("Ann"), len(isolated("\\u05d3\\u05df"))
    ('Ann', 4)
    """
    if name.isascii() and name.isprintable():
        return name
    plain = "".join(c for c in name if category(c) not in _UNFIT)
    turned = any(bidirectional(c) in {"R", "AL", "AN"} for c in plain)
    return f"{ISOLATES[0]}{plain}{ISOLATES[1]}" if turned else plain


def _longest_run_of_marks(line: str) -> int:
    runs = "".join("m" if category(c) in {"Mn", "Me"} else " " for c in normalize("NFD", line)).split()
    return max(map(len, runs), default=0)


def _shown(text: str) -> str:
    """Return a text that was refused, short and harmless."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:80])


__all__ = ["ISOLATES", "LONGEST_NAME", "fitting_line", "fitting_name", "is_seen", "isolated", "look_of"]
