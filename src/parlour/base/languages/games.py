"""The words of games: the messages in them, and what house rules are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from parlour.base.languages import NAMED, TOLD, pgettext, speaking

__all__ = ["messages_in", "option_name", "rules_in_words"]


class InLanguage(Protocol):
    """A game, which knows the language that its words are said in now."""

    @property
    def language(self) -> str: ...


def option_name(name: object, game: InLanguage) -> str:
    """Return the name of a house rule of a game, or of one of its values, as people read it.

    >>> from parlour.engine.definition import definition
    >>> diamonds, pope_joan = definition("diamonds"), definition("pope_joan")
    >>> option_name("pile_choice", diamonds), option_name(3, diamonds), option_name("7d", pope_joan)
    ('pile choice', '3', 'seven of diamonds')
    """
    with speaking(game.language):
        return pgettext("option", _in_words(str(name)))


def rules_in_words(options: Mapping[str, str], game: InLanguage) -> str:
    """Return house rules of a game and their values in a row.

    >>> from parlour.engine.definition import definition
    >>> rules_in_words({"rounds": "1", "lead_rule": "any"}, definition("pope_joan"))
    'rounds: 1, lead rule: any'
    >>> with speaking("de"):  # words that are right in each game that has an option of this name
    ...     rules_in_words(
    ...         {"rounds": "three_no_trade", "next_dealer": "winner", "broke_tie": "stay"}, definition("dividha")
    ...     )
    'Durchgänge: drei ohne Tausch, nächster Geber: Gewinner, Gleichstand ohne Münzen: bleibt'
    """
    return ", ".join(f"{option_name(name, game)}: {option_name(value, game)}" for name, value in options.items())


def _in_words(name: str) -> str:
    """Return a name as rules have it with spaces, and with its cards in words.

    >>> _in_words("can_lead_hearts_instead_of_qs")
    'can lead hearts instead of queen of spades'
    """
    return _CARD.sub(lambda card: f"{_RANKS[card[1]]} of {_SUITS[card[2]]}", name.replace("_", " "))


_RANKS: Final = {"7": "seven", "8": "eight", "9": "nine", "j": "jack", "q": "queen"}
_SUITS: Final = {"d": "diamonds", "s": "spades"}
_CARD: Final = re.compile(r"\b([789jq])([ds])\b")
"""The cards that house rules are named after."""


def messages_in(words: Mapping[str, Any]) -> Iterator[tuple[str, str | tuple[str, str]]]:
    """The messages in a game's words, each with its context; of what is counted, both forms.

    >>> list(messages_in({"game": {"unit": "coin"}, "things": {"pot": "in the pot"}}))
    [('counted', ('coin', 'coins')), ('things', 'in the pot')]
    >>> list(messages_in({"game": {"name": "Kuhn", "goal": "Win.", "deal": "hand", "about": "Poker."}}))
    [('', 'Poker.'), ('game', 'hand'), ('', 'Win.'), ('', 'Kuhn'), ('counted', ('hand', 'hands'))]
    """
    game = words.get("game", {})
    for key in sorted(NAMED & game.keys()):
        yield ("game" if key == "deal" else ""), str(game[key])
    if "deal" in game:
        yield "counted", (str(game["deal"]), f"{game['deal']}s")
    if "unit" in game:
        yield "counted", (str(game["unit"]), str(game.get("units") or f"{game['unit']}s"))
    if "extra" in game:
        yield "game", str(game["extra"]).replace("_", "-")
    for option, values in words.get("options", {}).items():
        for name in (option, *(one for one in values if one not in ("about", "number"))):
            yield "option", _in_words(name)
    for table in words:
        for text in _texts(words[table]) if table in TOLD or table == "things" else ():
            yield ("things" if table == "things" else ""), text


def _texts(table: Mapping[str, Any]) -> Iterator[str]:
    for value in table.values():
        if isinstance(value, Mapping):
            yield from _texts(value)
        else:
            yield str(value)
