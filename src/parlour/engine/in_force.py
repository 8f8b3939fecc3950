"""A clause as it stands under the house rules of a game.

Rule books give the ordinary form, and say in brackets which option changes it: ``(option `lead_rule`: or …)``.  At a
table only one form holds.  Brackets of options with their ordinary value are left out; the others are replaced by the
choice made, in the words of the game's ``[options.*]``.  An option changes the clauses that it declares and those that
name it in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from parlour.engine.book import Clause

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


class Loaded(Protocol):
    """A game with its house rules."""

    definition: Definition

    @property
    def options(self) -> Mapping[str, str]: ...


_BRACKET: Final = re.compile(r" \(option `(?:[^()]|\([^()]*\))*\)")
_ANSWER: Final = re.compile(r"^(?:No|Yes)[:,] ")
_NAMED: Final = re.compile(r"option `(\w+)`")


def in_force(game: Loaded, clause: Clause) -> str:
    """Return the text of a clause as it stands in this game.

    >>> import parlour
    >>> plain, other = parlour.load("pope_joan"), parlour.load("pope_joan", lead_rule="lowest")
    >>> in_force(plain, plain.definition.book["PJ-9"])
    'The leader may lead any card.'
    >>> in_force(other, other.definition.book["PJ-9"]).partition(". ")[2]
    'Here `lead_rule` is `lowest`: The leader chooses a suit and must lead their lowest card of it.'
    """
    text = _BRACKET.sub("", clause.text)
    return " ".join([text, *(_said(game, option) for option in changing(game, clause) if _adds(game, option, text))])


def changing(game: Loaded, clause: Clause) -> Iterator[str]:
    """Return the options that change a clause and do not have their ordinary value."""
    named = {option for bracket in _BRACKET.findall(clause.text) for option in _NAMED.findall(bracket)}
    for name, option in game.definition.options.items():
        if (clause.id in option.clauses or name in named) and game.options[name] != str(option.default):
            yield name


def _adds(game: Loaded, option: str, text: str) -> bool:
    """Whether a clause leaves open what was chosen; some state what holds with ``option=value``."""
    return f"`{option}={game.options[option]}`" not in text


def _said(game: Loaded, option: str) -> str:
    value = game.options[option]
    words = game.definition.words.get("options", {}).get(option, {})
    said = str(words.get(value) or words.get("number" if value.isdecimal() else value, ""))
    if said in {"Yes.", "No."}:
        said = f"{str(words.get('about', '')).rstrip('.')}: {said.lower()}"
    said = _ANSWER.sub("", said)
    return f"Here `{option}` is `{value}`: {said[:1].upper()}{said[1:]}" if said else f"Here `{option}` is `{value}`."


__all__ = ["changing", "in_force"]
