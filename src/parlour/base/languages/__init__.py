"""The reader's language: everything that a person reads is said in it, from catalogues that translators write.

Whatever meets a reader (a page, a terminal) says :func:`speaking` first; below it, :func:`gettext` and its sisters find
the words.  Nobody speaks anything but English outside of that: records, logs and what programs exchange are English.
A sentence that is made where no reader is, such as an error or what another process says, is a :class:`Message`: it is
English, and keeps what :func:`translated` needs.

>>> with speaking("de"):
...     gettext("Your turn."), word("clubs")
('Du bist dran.', 'Kreuz')
>>> said = marked("There is no seat {seat}; seats run from 0 to {last}.", seat=7, last=3)
>>> said, translated(said, "de")
('There is no seat 7; seats run from 0 to 3.', 'Den Platz 7 gibt es nicht; die Plätze gehen von 0 bis 3.')
"""

from __future__ import annotations

import contextlib
import gettext as catalogues
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from operator import index
from pathlib import Path
from string import Formatter
from typing import Any, Final, TypeAlias

ENGLISH: Final = "en"
"""The language that everything is written in."""
FOLDER: Final = Path(__file__).parent
"""Where the catalogues lie, one folder a language."""
SAID: Final = "said"
"""The context of sentences that are made where no reader is."""
SCRIPT: Final = "script"
"""The context of what the page's scripts say."""
TYPED: Final = "typed"
"""The context of commands, as people type them at the terminal; that of a game's actions has its id too."""
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)
_others: dict[str, catalogues.NullTranslations] = {}


def languages() -> list[str]:
    """Return the languages that there are, English first.

    >>> languages()[:2]
    ['en', 'de']
    """
    return [ENGLISH, *_in_folder(), *_others]


@cache
def _in_folder() -> list[str]:
    return sorted(one.parent.parent.name for one in FOLDER.glob("*/LC_MESSAGES/parlour.mo"))


def register(language: str, catalogue: catalogues.NullTranslations) -> None:
    """Add a language that lies elsewhere; tests do."""
    _others[language] = catalogue
    forget()


def forget() -> None:
    """Read the catalogues again when they are needed next."""
    catalogue.cache_clear()
    _in_folder.cache_clear()
    _books.cache_clear()


@cache
def catalogue(language: str) -> catalogues.NullTranslations:
    """Return the catalogue of a language; that of English is empty."""
    if language in _others:
        return _others[language]
    return _read("parlour", language)


@cache
def _books(language: str) -> catalogues.NullTranslations:
    """The catalogue of rule books, which may have gaps."""
    if language in _others:
        return _others[language]
    return _read("books", language)


def _read(domain: str, language: str) -> catalogues.NullTranslations:
    """A catalogue as it lies in the folder.  If it has been damaged, a warning says so, and its part stays English."""
    file = FOLDER / language / "LC_MESSAGES" / f"{domain}.mo"
    try:
        return catalogues.translation(domain, FOLDER, [language], fallback=True)
    except Exception:  # what has been damaged can fail in any way
        if file not in _damaged:
            _damaged.add(file)  # first: whoever shows the warning may want it translated
            warnings.warn(f"{file} has been damaged; install it again. Until then you read English.", stacklevel=2)
        return catalogues.NullTranslations()


_damaged: set[Path] = set()
"""The catalogues that a warning has named."""


class Own(str):
    """A text of a game that is not Parlour's: it is said as it stands, even if a catalogue happens to have it."""


def in_book(text: str) -> str:
    """Return a clause or heading of a rule book in the current language, in English if nobody has translated it."""
    language = _current.get()
    return text if language == ENGLISH or not text or isinstance(text, Own) else _books(language).gettext(text)


def current() -> str:
    """Return the language that is spoken now.

    >>> current()
    'en'
    """
    return _current.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language inside the ``with``.

    >>> with speaking("de"):
    ...     current()
    'de'
    """
    token = _current.set(language if language in languages() else ENGLISH)
    try:
        yield
    finally:
        _current.reset(token)


# ------------------------------------------------------------------ single messages


def gettext(message: str, /, **values: object) -> str:
    """Return a message in the current language, with ``{name}`` replaced by the values.

    >>> gettext("{who} is thinking.", who="Ada")
    'Ada is thinking.'
    """
    language = _current.get()
    said = catalogue(language).gettext(message) if message and language != ENGLISH else message
    return said.format(**values) if values else said


def ngettext(one: str, many: str, n: int, /, **values: object) -> str:
    """Return the message that fits a number, which stands in it as ``{n}``.

    >>> ngettext("{n} card", "{n} cards", 1), ngettext("{n} card", "{n} cards", 3)
    ('1 card', '3 cards')
    """
    return form(one, many, n).format(n=n, **values)


def form(one: str, many: str, n: int) -> str:
    """Return the same as it stands in the catalogue."""
    language = _current.get()
    return (one if n == 1 else many) if language == ENGLISH else catalogue(language).ngettext(one, many, n)


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Return a message that means something only in its context, such as a single word.

    >>> pgettext("card", "ace of clubs")
    'ace of clubs'
    """
    said = message if (language := _current.get()) == ENGLISH else catalogue(language).pgettext(context, message)
    return said.format(**values) if values else said


def npgettext(context: str, one: str, many: str, n: int, /, **values: object) -> str:
    """Return the message that fits a number, in its context.

    >>> npgettext("goods", "{n} pool", "{n} pools", 2)
    '2 pools'
    """
    language = _current.get()
    said = (one if n == 1 else many) if language == ENGLISH else catalogue(language).npgettext(context, one, many, n)
    return said.format(n=n, **values)


def figures(number: str) -> str:
    """Return a number that is written as in English, with the marks of the current language.

    >>> with speaking("de"):
    ...     figures("1,234.5"), figures("−0.25")
    ('1.234,5', '−0,25')
    """
    between, before = pgettext("between thousands", ","), pgettext("before decimals", ".")
    return number.translate({ord(","): between, ord("."): before})


def word(text: str) -> str:
    """Return a single word, which rules and views use as a name too, such as ``clubs``."""
    return pgettext("word", text)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with what it counts: a word of a game's own, such as its ``unit``.

    >>> counted(1, "card"), counted(0, "card")
    ('1 card', 'no cards')
    """
    many = many or f"{one}s"
    language = _current.get()
    if language == ENGLISH:
        return f"{n or 'no'} {one if n == 1 else many}"
    return f"{n} {catalogue(language).npgettext('counted', one, many, abs(n))}"


def and_list(names: Sequence[str]) -> str:
    """Return names in a row.

    >>> and_list(["Ada", "Ben", "Cora"]), and_list(["Ada"]), and_list([])
    ('Ada, Ben and Cora', 'Ada', '')
    >>> with speaking("de"):
    ...     and_list(["Ada", "Ben", "Cora"])
    'Ada, Ben und Cora'
    """
    if len(names) < 2:
        return "".join(names)
    return gettext("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def either(names: Sequence[str]) -> str:
    """Return names to choose from, as they stand in a sentence that keeps its parts.

    >>> either(["Ada", "Ben", "Cora"]), either(["Ada"])
    ('Ada, Ben or Cora', 'Ada')
    >>> translated(either(["Ada", "Ben", "Cora"]), "de")
    'Ada, Ben oder Cora'
    """
    if len(names) < 2:
        return "".join(names)
    return marked("{names} or {last}", names=", ".join(names[:-1]), last=names[-1])


# ------------------------------------------------------------------ the words of games

TOLD: Final = frozenset(("events", "you", "several", "actions", "options", "captions", "refusals", "did", "waits"))
"""The tables of a game's words that hold whole sentences."""
NAMED: Final = frozenset(("name", "about", "goal", "deal"))
"""The entries of ``[game]`` that people read."""


def worded(words: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    """Return a game's words in a language; what nobody has translated stays English."""
    if language == ENGLISH:
        return words
    found = catalogue(language)

    def said(table: Mapping[str, Any], context: str) -> dict[str, Any]:
        return {
            key: said(value, context)
            if isinstance(value, Mapping)
            else str(value) and (found.pgettext(context, str(value)) if context else found.gettext(str(value)))
            for key, value in table.items()
        }

    game = dict(words.get("game", {}))
    for key in sorted(NAMED & game.keys()):
        game[key] = found.pgettext("game", str(game[key])) if key == "deal" else found.gettext(str(game[key]))
    shown = {table: said(words[table], "") for table in TOLD & words.keys()}
    return {**words, **shown, "game": game, "things": said(words.get("things", {}), "things")}


def form_for(n: int, forms: Sequence[str], language: str) -> str:
    """Return the form that fits a number; a form more than the language has is for none at all.

    >>> [form_for(n, ["one card", "# cards", "nothing"], "en") for n in (0, 1, 2)]
    ['nothing', 'one card', '2 cards']
    """
    plural = getattr(catalogue(language), "plural", lambda n: int(n != 1))
    most = 1 + max(plural(k) for k in range(200)) if len(forms) > 1 else 1
    form = forms[-1] if n == 0 and len(forms) > most else forms[min(plural(abs(n)), len(forms) - 1)]
    return form.replace("#", str(n))


# ------------------------------------------------------------------ sentences that are made where no reader is

LONGEST: Final = 1000
"""The most characters of a text that stand in a sentence; what is longer is cut."""
Value: TypeAlias = "str | int | float | Message"
"""What stands in a sentence: a name or whatever somebody typed (never translated), a number, or another sentence."""


class Message(str):
    """An English sentence that keeps its parts, so that it can be said in the language of whoever reads it.

    ``template``: the sentence with ``{name}`` where a value stands, as catalogues have it; ``values``: the values by
    name.  Without values the template is the sentence, braces and all.

    >>> message = Message("There is no seat {seat}; seats run from 0 to {last}.", seat=7, last=3)
    >>> message, message.said("de")
    ('There is no seat 7; seats run from 0 to 3.', 'Den Platz 7 gibt es nicht; die Plätze gehen von 0 bis 3.')
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, /, **values: object) -> Message:
        if isinstance(template, Message) and not values:
            return template
        kept = {name: _kept(value) for name, value in values.items()}
        return cls.of(template.format(**kept) if kept else template, template, kept)

    @classmethod
    def of(cls, text: str, template: str, values: Mapping[str, Value]) -> Message:
        """Return a sentence whose text is known, as it comes from another process."""
        new = super().__new__(cls, text)
        new.template, new.values = template, values
        return new

    def said(self, language: str | None = None) -> str:
        """Return the sentence in a language, by default the current one; in English if nobody has translated it.

        A template that is not in the catalogue is never filled, and what does not fit ours is English: both may come
        from a server that is not to be trusted.
        """
        language = language or _current.get()
        if language == ENGLISH:
            return str(self)
        template = catalogue(language).pgettext(SAID, self.template)
        if not self.values:
            if self.template != str(self):
                return str(self)
            if template != self.template or not template:
                return template
            named = catalogue(language).gettext(template)  # a game's name
            return named if named != template else _books(language).gettext(template)
        if template == self.template and not _only_joins(template):
            return str(self)
        values = {
            name: translated(one, language) if isinstance(one, Message) else one for name, one in self.values.items()
        }
        try:
            return _Numbers(language).format(template, **values)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Message.of, (str(self), self.template, dict(self.values))


class _Numbers(Formatter):
    """Fills templates with numbers as a language writes them."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(format(value, format_spec))
        if not isinstance(value, (int, float)):
            return text
        with speaking(self._language):
            return figures(text)


def _only_joins(template: str) -> bool:
    """Whether a template has no words of its own, and does nothing with its values but put them side by side.

    >>> _only_joins("{file}: {what}"), _only_joins("{n} cards"), _only_joins("{a.__class__}"), _only_joins("{a:>99}")
    (True, False, False, False)
    """
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return False
    return all(
        not any(map(str.isalpha, between)) and (name is None or name.isidentifier()) and not (spec or conversion)
        for between, name, spec, conversion in parts
    )


class _Shown(str):
    """A value that is neither a text nor a number, as it is shown."""

    shown: str

    def __repr__(self) -> str:
        return self.shown


def _kept(value: object) -> Value:
    """Return what a sentence keeps of a value."""
    if isinstance(value, Exception):
        value = str(value)  # our own errors keep their parts, to be translated later
    if isinstance(value, str):
        return value if len(value) <= LONGEST or isinstance(value, Message) else f"{value[:LONGEST]}…"
    if isinstance(value, (int, float)):
        return value
    if hasattr(value, "__index__"):
        with contextlib.suppress(TypeError):  # an array has it, too, and is a number only if it holds one
            return index(value)
    shown = _Shown(shortened(str(value), LONGEST))
    shown.shown = shortened(repr(value), LONGEST)
    return shown


def shortened(text: str, most: int) -> str:
    """Return a text, cut if it has more characters.

    >>> shortened("Diamondback", 7)
    'Diamond…'
    """
    return text if len(text) <= most else f"{text[:most]}…"


def marked(template: str, /, **values: object) -> Message:
    """Return a sentence that keeps its parts: it is made where no reader is, and :func:`translated` where one is."""
    return Message(template, **values)


def translated(sentence: str, language: str | None = None) -> str:
    """Return an English sentence in a language, by default the current one: one that keeps its parts, or one that
    stands in a catalogue or a book as it is.  Anything else stays as it is."""
    return (sentence if isinstance(sentence, Message) else Message(sentence)).said(language)


def in_context(language: str, context: str) -> dict[str, str]:
    """Return all messages of one context, with their translations."""
    all_of = getattr(catalogue(language), "_catalog", {})
    start = f"{context}\x04"
    found = {one: said for one, said in all_of.items() if isinstance(one, str) and one.startswith(start)}
    return {one.removeprefix(start): said for one, said in found.items()}


# ------------------------------------------------------------------ which language


def speak(language: str) -> None:
    """Speak a language from now on: for a program that has one reader.

    >>> speak("de"); current()
    'de'
    >>> speak("en")
    """
    _current.set(language)


__all__ = [
    "ENGLISH",
    "Message",
    "Value",
    "and_list",
    "counted",
    "current",
    "either",
    "figures",
    "gettext",
    "languages",
    "marked",
    "ngettext",
    "npgettext",
    "pgettext",
    "shortened",
    "speak",
    "speaking",
    "translated",
    "word",
]
