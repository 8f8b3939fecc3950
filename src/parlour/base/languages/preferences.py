"""Which language a reader wants: of a browser, of a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from parlour.base.languages import ENGLISH, languages

LONGEST_HEADER: Final = 500
"""The most characters of a browser's list of languages that are read."""
_TAG: Final = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_WEIGHT: Final = re.compile(r"(?:[qQ]\s*=\s*([01](?:\.\d*)?))?")


def preferred(wanted: Iterable[str]) -> str:
    """Return the first of these languages that there is; English if there is none.

    >>> preferred(["fr", "de-AT", "en"]), preferred(["de_DE.UTF-8"]), preferred(["C"])
    ('de', 'de', 'en')
    """
    known = languages()
    for one in wanted:
        tag = re.split(r"[.@]", one)[0].replace("_", "-")
        for tried in (tag, tag.partition("-")[0]):
            for language in known:
                if tried.casefold() == language.casefold():
                    return language
    return ENGLISH


def accepted(header: str) -> list[str]:
    """Return the languages that a browser asks for (``Accept-Language``, RFC 9110), the most wanted first.

    >>> accepted("en;q=0.5, de-DE, fr;q=0"), accepted("de;Q=0.9, *"), accepted("de;q=1.0000, ;;q=,=")
    (['de-DE', 'en'], ['de'], ['de'])
    """
    weighed = []
    for one in header[:LONGEST_HEADER].split(","):
        tag, _, weight = (part.strip() for part in one.partition(";"))
        share = _WEIGHT.fullmatch(weight)
        if _TAG.fullmatch(tag) and share:
            weighed.append((float(share[1] or 1), tag))
    return [tag for share, tag in sorted(weighed, key=lambda each: -each[0]) if share]


def of_terminal() -> str:
    """Return the language of the terminal, chosen as gettext chooses it: the first of ``LC_ALL``, ``LC_MESSAGES`` and
    ``LANG`` that is set counts.  Unless that is ``C``, which means English, those listed in ``LANGUAGE`` come first."""
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "C")
    if locale in ("C", "POSIX"):
        return ENGLISH
    return preferred([*os.environ.get("LANGUAGE", "").split(":"), locale])
