"""The faces of cards: each game's own ``deck`` module draws them, or they are plain."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Any

from parlour import french, languages
from parlour.engine.definition import definition
from parlour.errors import ParlourError


def _deck(game: str) -> Any:
    return definition(game).part("deck")


@lru_cache(maxsize=4096)
def face(game: str, name: str, four_colours: bool = False) -> str:
    """Return a card of a game, face up, as a whole SVG document.  Raise ``ParlourError`` if there is no such card.

    >>> face("kuhn", "K").startswith("<svg")
    True
    """
    if name not in cards(game):
        raise ParlourError("{name} has no card {other_name!r}.", name=definition(game).name, other_name=name[:40])
    deck = _deck(game)
    return str(deck.face(name, four_colours)) if deck is not None else _plain(name)


def title(game: str, name: str) -> str:
    """Return the name of a card in words, for readers who cannot see it."""
    return _title(languages.current(), game, name)


@lru_cache(maxsize=4096)
def _title(language: str, game: str, name: str) -> str:
    deck = _deck(game)
    return str(deck.title(name)) if deck is not None and name in cards(game) else name


def back() -> str:
    """Any card, face down."""
    return french.back()


@lru_cache(maxsize=64)
def cards(game: str) -> frozenset[str]:
    """The names that cards of a game have."""
    what = definition(game)
    deck = _deck(game)
    return frozenset(getattr(deck, "NAMES", ()) or getattr(what.rules, "CARDS", ()))


@lru_cache(maxsize=64)
def four_coloured(game: str) -> bool:
    """Return whether a game's cards look different in four colours."""
    return any(face(game, name, True) != face(game, name) for name in cards(game))


def _plain(name: str) -> str:
    """A card with its name in the middle and, as cards overlap in a hand, in a corner."""
    size = 44 if len(name) <= 2 else max(12, 130 // len(name))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140">'
        '<rect x="1" y="1" width="98" height="138" rx="9" fill="#fdfaf2" stroke="#8a7f68" stroke-width="1.5"/>'
        '<g font-family="Georgia,serif" fill="#2b2620">'
        f'<text x="8" y="27" font-size="{min(size, 24)}">{escape(name)}</text>'
        f'<text x="50" y="{78 + size // 3}" font-size="{size}" text-anchor="middle">{escape(name)}</text></g></svg>'
    )
