"""The language in which a reader reads the pages: how it is found, how templates speak it, and which way it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from jinja2 import Undefined
from markupsafe import Markup, escape
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.base import languages
from parlour.base.languages import preferences
from parlour.base.languages.games import option_name
from parlour.core.french import NUMBERS, RANKS
from parlour.server.web.api import API

LANGUAGE: Final = "parlour_language"
"""The cookie that remembers the language that a reader chose; without it, the browser's languages count."""


def language_of(asked: HTTPConnection) -> str:
    """Return the language for a request: the one chosen or, without one, the first that the browser asks for."""
    chosen = asked.query_params.get("language", "") if asked.scope["type"] == "websocket" else ""
    wanted = [chosen, asked.cookies.get(LANGUAGE, ""), *preferences.accepted(asked.headers.get("accept-language", ""))]
    return preferences.preferred(filter(None, wanted))


class InTheirLanguage:
    """ASGI middleware that answers each request in the reader's language. Programs get English."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"].startswith(API):
            await self._app(scope, receive, send)
            return
        with languages.speaking(language_of(HTTPConnection(scope))):
            await self._app(scope, receive, send)


@cache
def locale_of(language: str) -> Locale:
    """Return what Babel knows of a language: which way it runs, and how dates are written. English, and any language
    that Babel does not know, are treated as British English.

    >>> locale_of("de").text_direction, locale_of("ar").text_direction, locale_of("en").territory
    ('ltr', 'rtl', 'GB')
    """
    if language != languages.ENGLISH:
        with suppress(UnknownLocaleError, ValueError):
            return Locale.parse(language, sep="-")
    return Locale("en", "GB")


@cache
def name_of(language: str) -> str:
    """Return what a language calls itself.

    >>> name_of("en"), name_of("de")
    ('English', 'Deutsch')
    """
    try:
        name = Locale.parse(language, sep="-").get_display_name()
    except (UnknownLocaleError, ValueError):
        name = None
    return (name or language)[:1].upper() + (name or language)[1:]


def tongues() -> list[tuple[str, str]]:
    """Return the languages to choose from, each with its own name."""
    return [(one, name_of(one)) for one in languages.languages()]


@cache
def _script_words(language: str) -> str:
    words = languages.in_context(language, languages.SCRIPT)
    return json.dumps(words, ensure_ascii=False, sort_keys=True) if words else ""


def script_words() -> str:
    """Return what the page's scripts say, as JSON; empty where they speak English."""
    return _script_words(languages.current())


# ------------------------------------------------------------------ what templates call


@lru_cache(maxsize=8192)
def _plain(language: str, context: str, message: str) -> Markup:
    """Return a message without values in a language, as HTML. It is kept, because a page says most of its messages in
    every frame."""
    said = languages.pgettext(context, message) if context else languages.gettext(message)
    return Markup(said.replace("%%", "%"))


def _filled(said: str, values: dict[str, Any]) -> Markup:
    """Return a message with its values, which are escaped."""
    return Markup(said % {name: html(value) for name, value in values.items()})


def html(value: Any) -> str:
    """Return a value as it is printed, escaped. Most are digits and letters, which need not be searched for anything.

    >>> print(html("<b>"), html(3), html(Markup("<b>")))
    &lt;b&gt; 3 <b>
    """
    if type(value) is Markup:
        return value
    if type(value) is int:
        return str(value)
    if type(value) is str and value.isalnum():
        return value
    if type(value) is Undefined:  # from "x if y" where y is false; a name that does not exist is an error
        return ""
    return escape(value)


def _gettext(message: str, /, **values: Any) -> Markup:
    return _filled(languages.gettext(message), values) if values else _plain(languages.current(), "", message)


@lru_cache(maxsize=4096)
def _number(language: str, one: str, many: str, num: int) -> Markup:
    """Return a message about a number in a language, as HTML."""
    return _filled(languages.form(one, many, num), {"num": num})


def _ngettext(one: str, many: str, num: int, /, **values: Any) -> Markup:
    if values:
        return _filled(languages.form(one, many, num), {"num": num, **values})
    return _number(languages.current(), one, many, num)


def _pgettext(context: str, message: str, /, **values: Any) -> Markup:
    if values:
        return _filled(languages.pgettext(context, message), values)
    return _plain(languages.current(), context, message)


def rank_of(card: str) -> str:
    """Return the rank of a card of the French pack, in words; the card is named by its suit and rank.

    >>> rank_of("C10")
    'ten'
    """
    return languages.word(NUMBERS[RANKS.index(card[1:])])


def hand_said(hand: str) -> str:
    """Return a hand that is named by its cards, in words.

    >>> hand_said("King-Queen")
    'King, Queen'
    """
    return ", ".join(languages.word(one) for one in hand.split("-"))


CALLABLES: Final[dict[str, Callable[..., Any]]] = {
    "_": _gettext,
    "gettext": _gettext,
    "ngettext": _ngettext,
    "pgettext": _pgettext,
    "said": languages.gettext,
    "word": languages.word,
    "hand_said": hand_said,
    "rank_of": rank_of,
    "option_name": option_name,
}
"""What ``{% trans %}`` and ``{{ _("…") }}`` of a template call: messages are HTML, values are escaped."""

MESSAGES: Final = frozenset(("_", "gettext", "pgettext", "word"))
"""The names of those whose result depends only on the language and on their arguments."""


__all__ = [
    "CALLABLES",
    "LANGUAGE",
    "MESSAGES",
    "InTheirLanguage",
    "html",
    "language_of",
    "locale_of",
    "script_words",
    "tongues",
]
