"""Characters: bots with a name, a strength and a habit of their own, each a small twist on a kind of player that there
is.  They know what any player knows, and no more.

The twists are three: how long one thinks; ``slips``, how often it plays anything at all; ``risk``, how it weighs what
an action may bring against how surely it does (:class:`parlour.players.best.Best`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parlour.base.languages import marked
from parlour.base.naming import look_of
from parlour.engine.hashing import seed_word
from parlour.rules.vocabulary import below

if TYPE_CHECKING:
    from parlour.engine.definition import Definition
    from parlour.engine.telling import View
    from parlour.players.player import Player

OFTEN: Final = 1000
"""In how many parts a chance to slip is divided."""


class Character(NamedTuple):
    """A character: its kind, which is its name in small letters; what it is called; the kind of player that it is, with
    the time that it takes; what it is like, in a sentence; and its habits."""

    kind: str
    name: str
    plays: str
    about: str
    slips: float = 0.0
    """The share of its choices that are any legal action, all equally likely."""
    risk: float = 0.0
    """By how many standard deviations of what an action may bring it is preferred (above 0) or avoided (below)."""

    @property
    def base(self) -> str:
        """The kind of player that it is, without its time."""
        return self.plays.partition(":")[0]


CHARACTERS: Final[Mapping[str, Character]] = {
    one.kind: one
    for one in (
        Character(
            "pip", "Pip", "rule-of-thumb", marked("Still learning: four moves in ten are anything at all."), slips=0.4
        ),
        Character("dash", "Dash", "rule-of-thumb", marked("Quick: plays by a few sound rules and never thinks twice.")),
        Character(
            "constance", "Constance", "best:0.4s",
            marked("Cautious: gives up some of what a move may bring to be surer of the rest."), risk=-0.4,
        ),
        Character(
            "rollo", "Rollo", "best:0.4s",
            marked("Bold: likes a move that may bring much, even if it often brings little."), risk=0.4,
        ),
        Character(
            "minerva", "Minerva", "search:1s",
            marked("Thorough: takes a second over each move and looks many moves ahead."),
        ),
        Character(
            "magnus", "Magnus", "best:1s",
            marked("The best there is: a second of games that are played as well as it knows how."),
        ),
    )
}  # fmt: skip
"""All of them, weakest first, as far as that can be said of all games."""
EVERYBODY: Final = "everybody"
"""Says that one of each is to sit down."""


def characters(game: Definition) -> list[Character]:
    """Return the characters that can play a game: those whose kind of player it has.

    >>> from parlour.engine.definition import definition
    >>> [one.name for one in characters(definition("diamonds"))]
    ['Pip', 'Dash', 'Constance', 'Rollo', 'Minerva', 'Magnus']
    >>> [one.name for one in characters(definition("kuhn"))]
    ['Minerva']
    """
    return [one for one in CHARACTERS.values() if one.base == "search" or game.has("appraise")]


def played_as(kind: str) -> str:
    """Return the kind of player that a character is, with the time that it takes; any other kind as it is.

    >>> played_as("constance"), played_as("constance:0.1s"), played_as("dash"), played_as("search:5000")
    ('best:0.4s', 'best:0.1s', 'rule-of-thumb', 'search:5000')
    """
    name, colon, setting = kind.partition(":")
    if name not in CHARACTERS:
        return kind
    one = CHARACTERS[name]
    return f"{one.base}:{setting}" if colon else one.plays


def names_of(kinds: Sequence[str], free: Iterable[str], taken: str = "") -> list[str]:
    """Return what bots of these kinds are called: a character by its own name, the others by those that are ``free``;
    no two names look alike, nor like ``taken``.

    >>> names_of(["random", "pip", "pip"], ["Ada", "Ben", "Cora"], taken="Ada")
    ['Ben', 'Pip', 'Cora']
    """
    seen, left, found = {look_of(taken)}, iter(free), list[str]()
    for kind in kinds:
        one = CHARACTERS.get(kind.partition(":")[0])
        name = one.name if one is not None and look_of(one.name) not in seen else ""
        name = name or next((other for other in left if look_of(other) not in seen), f"Bot {len(found) + 1}")
        seen.add(look_of(name))
        found.append(name)
    return found


class Called:
    """A player under the name of the character that it is."""

    def __init__(self, player: Player, name: str) -> None:
        self._player, self.name = player, name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._player, name)

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return self._player.choose(view, legal)


class Slipping(Called):
    """A player that sometimes plays anything at all."""

    def __init__(self, player: Player, name: str, slips: float, seed: int) -> None:
        super().__init__(player, name)
        self._slips, self._rng = round(slips * OFTEN), [seed_word(seed)]

    def choose(self, view: View, legal: Sequence[int]) -> int:
        if below(self._rng, OFTEN) < self._slips:
            return legal[below(self._rng, len(legal))]
        return super().choose(view, legal)


__all__ = ["CHARACTERS", "EVERYBODY", "Called", "Character", "Slipping", "characters", "names_of", "played_as"]
