"""Names and lines that people choose: what they may contain, which look alike, and how they are set apart.

Whether text runs from left to right or from right to left is left to its letters.  Marks that force a direction are
refused, so what follows a name stays in its place once the name is isolated: by ``<bdi>`` in HTML, by :func:`isolated`
in plain text.

Characters that cannot be seen are allowed where a script or an emoji is written with them: Persian and Sinhala need
joiners, and so does the picture of a woman at a computer.  Their codes stand here.  Python's own tables only say what a
letter, a sign or an accent is, so letters and emoji that are newer than the server's Python are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from unicodedata import bidirectional, category, normalize

from parlour.base.errors import ParlourError
from parlour.base.languages import marked

LONGEST_NAME: Final = 16
"""How many letters a name may have, not counting what stands above, below or between them."""
MOST_CHARACTERS: Final = 60
"""How many characters a name may have, everything counted: as many as the name of a player in a record."""
ISOLATES: Final = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"
"""The marks that enclose an isolated name."""


def _any_of(codes: str) -> re.Pattern[str]:
    """Return a pattern that matches one character, from codes such as ``"600-8FF FB50"``."""
    ends = [code.partition("-") for code in codes.split()]
    return re.compile(f"[{''.join(f'{chr(int(low, 16))}-{chr(int(high or low, 16))}' for low, _, high in ends)}]")


_JOINER: Final = _any_of("200C-200D")
_ZWJ: Final = "\N{ZERO WIDTH JOINER}"
_STYLE: Final = _any_of("FE00-FE0F 180B-180D 180F E0100-E01EF")
"""A variation selector, which chooses between two pictures of one sign."""
_EMOJI_STYLES: Final = frozenset("\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}")
_SKIN: Final = _any_of("1F3FB-1F3FF")
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
"""A black flag, the letters of a place, and an end: unseen, they say whose flag it is."""
_FORCE: Final = _any_of("200E 200F 61C 202A-202E 2066-2069")
"""A mark of direction."""
_TYPED: Final = re.compile("[\u200e\u200f\u061c]")
"""Those of them that keyboards for Hebrew and Arabic have."""
_UNSEEN: Final = _any_of(
    "AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 2800 3164 FE00-FE0F FEFF FFA0 FFF0-FFFB"
    " 13430-1345F 1BCA0-1BCA3 1D159 1D173-1D17A E0000-E0FFF"
)
"""What shows nothing by definition (Unicode's ``Default_Ignorable_Code_Point``, with its unassigned codes), what only
arranges the characters beside it, and two signs whose picture is empty."""
_NEVER: Final = _any_of(" ".join(["FDD0-FDEF", *(f"{plane:X}FFFE-{plane:X}FFFF" for plane in range(17))]))
"""Codes that will never be characters."""
_IDEOGRAPH: Final = _any_of("3400-4DBF 4E00-9FFF F900-FAFF 20000-3FFFD")
_MONGOLIAN: Final = _any_of("1820-18AA")
_BETWEEN_WORDS: Final = re.compile(
    "(?<!\u200b)\u200b+(?=[{0}])|(?<=[{0}])\u200b+".format(
        "\u0e01-\u0eff\u1000-\u109f\u1780-\u17f9\u1950-\u19df\u1a20-\u1aad\ua9e0-\ua9fe\uaa60-\uaadf"
    )
)
"""An unseen space beside a letter of South-East Asia: scripts without spaces, whose keyboards may write it."""
_BETWEEN_POINTS: Final = re.compile("(?<=[\u0591-\u05f4])\N{COMBINING GRAPHEME JOINER}")
"""What keeps two points of one Hebrew letter in their order."""
_JOINING: Final = _any_of(
    "620-669 66E-85F 870-88E 8A0-8E1 8E3-DFF 1000-109F 1700-17F9 1807-180A 1820-1AAD 1B00-1CFA A800-AAFF ABC0-ABF9"
    " FB50-FDCF FDF0-FDFF FE70-FEFC 10A00-10FFF 11000-11FFF 1E900-1E95F"
)
"""Scripts in which letters join, and text says where: those of Arabic and Mongolian, of India and the lands beyond."""
_EMOJI: Final = _any_of("1F000-1FBFF 2139")
"""The code points of emoji, with those reserved for new ones."""
_ACCENT: Final = _any_of("300-36F 483-489 1AB0-1AFF 1DC0-1DFF 20D0-20FF FE20-FE2F")
"""A mark for the letters of any script, with room for those that are newer than this Python."""
_GREEK: Final = _any_of("370-3FF 1F00-1FFF")
ACCENTS: Final = 2
"""How many accents a letter may have; more would run into the lines around it."""
GREEK_ACCENTS: Final = 3
"""How many accents a Greek letter may have: breathing, accent and iota."""
_STACKS: Final = (
    (0x0590, 0x0DFF, 5),  # Hebrew with points and a sign of cantillation; Arabic; the scripts of India
    (0x0E00, 0x0EFF, 3),  # Thai, Lao
    (0x0F00, 0x109F, 7),  # Tibetan, Burmese: letters below letters, and vowels around them
    (0x1700, 0x1CFF, 5),
    (0xA800, 0xABFF, 5),
    (0x10A00, 0x11FFF, 5),
    (0x1E000, 0x1E95F, 5),
)
"""How many marks the letters of a script may have that is written with marks: its first code, its last, the number."""
_MARKS: Final = frozenset({"Mn", "Mc", "Me"})


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
    """Return a line as it is kept: composed (NFC) and single-spaced, without what some keyboards write unseen.  Raises
    ``ParlourError`` if it has characters that cannot be seen, or marks that turn text round.

    >>> fitting_line("  Zoe\\u0301  plays ")
    'Zoé plays'
    """
    line = _tidied(text)
    for fault in filter(None, _faults(line)):
        raise ParlourError(fault)
    if not is_seen(line):
        raise ParlourError("There is nothing to be seen in that; write a line of text.")
    _check_stacks(line)
    return line


def fitting_name(name: str) -> str:
    """Return a name as it is shown.  Raises ``ParlourError`` if it cannot be shown.

    >>> fitting_name(" Ann ")
    'Ann'
    >>> fitting_name("A\\u202enn")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: The character U+202E changes the direction of text; leave it out.
    """
    line = _tidied(name)
    if not line:
        raise ParlourError("A name has 1 to {longest_name} letters; write one.", longest_name=LONGEST_NAME)
    letters = sum(map(_is_letter, line))
    if letters > LONGEST_NAME:
        raise ParlourError(
            "A name has 1 to {longest_name} letters; '{shown}' has {letters}.",
            longest_name=LONGEST_NAME,
            shown=_shown(line),
            letters=letters,
        )
    fitting = fitting_line(line)
    if len(fitting) > MOST_CHARACTERS:
        raise ParlourError(
            "A name has at most {most_characters} characters, marks and joiners included; this one has {n}.",
            most_characters=MOST_CHARACTERS,
            n=len(fitting),
        )
    return fitting


def is_fit(c: str) -> bool:
    """Whether a character may stand in what somebody else has written: it shows something, or it joins or styles what
    does.

    >>> [is_fit(c) for c in ("a", "\\u0301", "\\u200d", "\\u202e", "\\x1b")]
    [True, True, True, False, False]
    """
    return bool(_JOINER.match(c) or _STYLE.match(c) or "\U000e0020" <= c <= "\U000e007f") or not _fault(c)


def printable(text: str) -> str:
    """Return a text without what would move a terminal's cursor, or worse: whoever wrote it may mean harm.

    >>> print(printable("Ann\\x1b[2J"))
    Ann\N{REPLACEMENT CHARACTER}[2J
    """
    return "".join(c if c in _KEPT or is_fit(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


_KEPT: Final = "\n" + ISOLATES  # isolates stand around names that others have chosen


def is_seen(text: str) -> bool:
    """Whether a text shows anything at all.

    >>> is_seen("Ann"), is_seen(" \\u3164"), is_seen("\\u0301")
    (True, False, False)
    """
    return any(_is_letter(c) and not c.isspace() and not _fault(c) for c in text)


def look_of(name: str) -> str:
    """Return what a name looks like at a glance: names with the same look are easily confused.

    >>> look_of("ＡＮＮ") == look_of("ann"), look_of("\\u0410nn") == look_of("Ann"), look_of("Zoé") == look_of("Zoe")
    (True, True, False)
    """
    plain = normalize("NFKC", _UNSEEN.sub("", name)).translate(_CAPITALS)
    return normalize("NFKC", normalize("NFKC", plain.casefold()).translate(_SMALL))


def isolated(name: str) -> str:
    """Return a name for plain text, whoever wrote it: without what is not fit and, if it has letters that run from
    right to left, between marks of isolation, so that the text beside it keeps its place.

    >>> isolated("Ann"), len(isolated("\\u05d3\\u05df"))
    ('Ann', 4)
    """
    if name.isascii() and name.isprintable():
        return name
    return _kept_isolated(name) if len(name) <= MOST_CHARACTERS else _isolated(name)


def _isolated(name: str) -> str:
    plain = "".join(c for c, fault in zip(name, _faults(name), strict=True) if not fault)
    return f"{ISOLATES[0]}{plain}{ISOLATES[1]}" if _is_turned(plain) else plain


_kept_isolated: Final = lru_cache(1024)(_isolated)
"""Keeps the result for whatever is short enough for a name; longer text comes from a record, and is not kept."""


def shortened(text: str, letters: int) -> str:
    """Return a text of at most this number of letters; what is cut ends with an ellipsis, and no letter is cut in two.

    >>> shortened("Annabella", 5), shortened("Zoe\\u0301", 3) == "Zoe\\u0301"
    ('Anna…', True)
    """
    starts = [at for at, c in enumerate(text) if _is_letter(c) and text[at - 1 : at] != _ZWJ]
    return text if len(starts) <= letters else f"{text[: starts[letters - 1]].rstrip()}…"


def _tidied(text: str) -> str:
    """Return a line composed and single-spaced, without unseen characters that people do not know they have typed."""
    line = _BETWEEN_POINTS.sub("", _BETWEEN_WORDS.sub("", normalize("NFC", text)))
    if _is_turned(line):  # the letters say by themselves which way they run
        line = _TYPED.sub("", line)
    kept = list[str]()
    for c in line:
        before = kept[-1] if kept else ""
        if not (_STYLE.match(c) and not _is_styled(before, c)) and not (_JOINER.match(c) and c == before):
            kept.append(c)
    return normalize("NFC", " ".join("".join(kept).split()))


def _is_turned(text: str) -> bool:
    """Whether a text has letters that run from right to left."""
    return any(bidirectional(c) in {"R", "AL", "AN"} and not _FORCE.match(c) for c in text)


def _is_letter(c: str) -> bool:
    """Whether a character takes a place of its own, and does not stand above, below or between others."""
    return category(c) not in _MARKS and not (_UNSEEN.match(c) or _ACCENT.match(c) or _SKIN.match(c))


def _is_picture(c: str) -> bool:
    """Whether a character is a sign or an emoji, or says how one looks."""
    return bool(c) and (category(c)[0] == "S" or c in _EMOJI_STYLES or _EMOJI.match(c) is not None)


def _is_styled(c: str, style: str) -> bool:
    """Whether a variation selector after this character chooses a picture of it."""
    if style in _EMOJI_STYLES:
        return c not in _EMOJI_STYLES and (_is_picture(c) or c in {*"0123456789#*‼⁉〰"})
    return bool((_MONGOLIAN if "\u180b" <= style <= "\u180f" else _IDEOGRAPH).match(c))


def _joins(before: str, c: str, after: str) -> bool:
    """Whether a joiner between two characters, one of them empty at an end, does something."""
    if any(_JOINING.match(one) and category(one)[0] in "LM" for one in (before, after)):
        return True
    return c == _ZWJ and _is_picture(before) and _is_picture(after)


def _faults(line: str) -> Iterator[str]:
    """Yield, for each character of a line, why it may not stand there; empty if it may."""
    flags = {at for flag in _FLAG.finditer(line) for at in range(*flag.span())}
    for at, c in enumerate(line):
        yield "" if at in flags else _fault(c, line[at - 1] if at else "", line[at + 1 : at + 2])


def _fault(c: str, before: str = "", after: str = "") -> str:
    """Return why a character may not stand between two others (empty at an end); empty if it may."""
    code = f"{ord(c):04X}"
    if _FORCE.match(c):
        return marked("The character U+{code} changes the direction of text; leave it out.", code=code)
    if category(c) in {"Co", "Cs"} or _NEVER.match(c):
        return marked("The character U+{code} has no picture that everybody knows; leave it out.", code=code)
    is_used = (_JOINER.match(c) and _joins(before, c, after)) or (_STYLE.match(c) and _is_styled(before, c))
    if category(c) in {"Cc", "Zl", "Zp"} or (_UNSEEN.match(c) and not is_used):
        return marked("The character U+{code} can't be seen; leave it out.", code=code)
    return ""


def _check_stacks(line: str) -> None:
    """Raise ``ParlourError`` if the marks of a letter run into the lines around it."""
    base, marks, accents = "a", 0, 0
    for c in normalize("NFD", line):
        if _is_letter(c):
            base, marks, accents = c, 0, 0
        elif category(c) in _MARKS or _ACCENT.match(c):
            if _STYLE.match(c):
                continue
            marks, accents = marks + 1, accents + bool(_ACCENT.match(c))
            allowed = GREEK_ACCENTS if _GREEK.match(base) else ACCENTS
            most = next((most for first, last, most in _STACKS if first <= ord(base) <= last), allowed)
            if accents > allowed:
                raise ParlourError("A letter can have {allowed} accents at most.", allowed=allowed)
            if marks > most:
                raise ParlourError("A letter of this script can have {most} marks at most.", most=most)


def _shown(text: str) -> str:
    """Return a text that was refused, short and harmless."""
    return shortened(printable(text[:200]), 40)


__all__ = [
    "ISOLATES",
    "LONGEST_NAME",
    "MOST_CHARACTERS",
    "fitting_line",
    "fitting_name",
    "is_fit",
    "is_seen",
    "isolated",
    "look_of",
    "printable",
    "shortened",
]
