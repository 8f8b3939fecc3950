"""A clause as it stands under the house rules of a game.

Rule books give the standard form, and say in brackets which option changes it: ``(option `lead_rule`: or …)``.  At a
table only one form holds.  Brackets of options with their standard value are left out; any other bracket is replaced by
the value chosen, in the words of the game's ``[options.*]``.  An option changes the clauses that it declares and those
that name it in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from parlour.base.languages import ENGLISH, gettext, in_book, pgettext, speaking
from parlour.engine.book import Clause

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


class Loaded(Protocol):
    """A game with its house rules."""

    definition: Definition

    @property
    def options(self) -> Mapping[str, str]: ...


_BRACKET: Final = re.compile(r" \(option `(?:[^()]|\([^()]*\))*\)")
_NAMED: Final = re.compile(r"option `(\w+)`")


def in_force(game: Loaded, clause: Clause, language: str = ENGLISH) -> str:
    """Return the text of a clause as it stands in this game, in a language if somebody has translated it.

    >>> import parlour
    >>> plain, other = parlour.load("pope_joan"), parlour.load("pope_joan", lead_rule="lowest")
    >>> in_force(plain, plain.definition.book["PJ-9"])
    'The leader may lead any card.'
    >>> in_force(other, other.definition.book["PJ-9"]).partition(". ")[::2]  # doctest: +NORMALIZE_WHITESPACE
    ('House rule (lead rule: lowest): The leader chooses a suit and must lead their lowest card of it',
     'The usual rule: The leader may lead any card.')
    """
    with speaking(language):
        text = _bracket().sub("", in_book(clause.text))
        added = _added(game, clause, text)
        return f"{added} {gettext('The usual rule: {text}', text=text)}" if added else text


def changed(game: Loaded, clause: Clause) -> str:
    """Return a clause as changed by the house rules, in the reader's language; empty if they do not change it."""
    return _added(game, clause, _bracket().sub("", in_book(clause.text)))


def _added(game: Loaded, clause: Clause, text: str) -> str:
    return " ".join(_said(game, option) for option in changing(game, clause) if _adds(game, option, text))


def _bracket() -> re.Pattern[str]:
    """The pattern of a bracket of options; in a translated rule book it begins with another word."""
    return re.compile(_BRACKET.pattern.replace("option", f"(?:option|{re.escape(pgettext('book', 'option'))})"))


def changing(game: Loaded, clause: Clause) -> Iterator[str]:
    """Return the options that change a clause and do not have their standard value."""
    named = {option for bracket in _BRACKET.findall(clause.text) for option in _NAMED.findall(bracket)}
    for name, option in game.definition.options.items():
        if (clause.id in option.clauses or name in named) and game.options[name] != str(option.default):
            yield name


def _adds(game: Loaded, option: str, text: str) -> bool:
    """Whether the chosen value has to be added to a clause; some clauses already state what ``option=value`` means."""
    return f"`{option}={game.options[option]}`" not in text


def _said(game: Loaded, option: str) -> str:
    value = game.options[option]
    words = game.definition.worded.get("options", {}).get(option, {})
    said = str(words.get(value) or words.get("number" if value.isdecimal() else value, ""))
    yes, no = gettext("Yes."), gettext("No.")
    if said in {yes, no}:
        said = f"{str(words.get('about', '')).rstrip('.')}: {said.lower()}"
    said = re.sub(rf"^(?:{re.escape(no[:-1])}|{re.escape(yes[:-1])})[:,] ", "", said)
    with speaking(game.definition.language):
        words = {"option": pgettext("option", option.replace("_", " ")), "value": value}
        if not value.isdecimal():
            words["value"] = pgettext("option", value.replace("_", " "))
    if not said:
        return gettext("House rule ({option}: {value}).", **words)
    return gettext("House rule ({option}: {value}): {said}", said=said[:1].upper() + said[1:], **words)


__all__ = ["changed", "changing", "in_force"]
