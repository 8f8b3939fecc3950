"""Characters: bots with a name, a strength and a habit, each a small twist on an existing kind of player.  They know
what any player knows, and no more.

There are three twists: the thinking time; ``slips``, how often it plays a random action; ``risk``, how it weighs the
possible return of an action against its certainty (:class:`parlour.players.best.Best`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parlour.base.languages import marked
from parlour.base.naming import look_of
from parlour.engine.hashing import seed_word
from parlour.players.kind import SEARCH_KINDS, Kind
from parlour.rules.vocabulary import below

if TYPE_CHECKING:
    from parlour.engine.definition import Definition
    from parlour.engine.telling import View
    from parlour.players.player import Player

OFTEN: Final = 1000
"""The number of equal parts into which a chance to slip is divided."""


class Character(NamedTuple):
    """A character: its kind, which is its name in small letters; its name; the kind of player behind it, with its
    thinking time; a sentence that describes it; and its habits."""

    kind: str
    name: str
    plays: Kind
    about: str
    slips: float = 0.0
    """The share of its choices that are random legal actions, all equally likely."""
    risk: float = 0.0
    """How many standard deviations of an action's returns are added to its mean: above 0 for a bold player, below 0 for
    a cautious one."""


CHARACTERS: Final[Mapping[str, Character]] = {
    one.kind: one
    for one in (
        Character(
            "pip", "Pip", Kind("rule-of-thumb"),
            marked("Still learning: four moves in ten are pure chance."), slips=0.4,
        ),
        Character(
            "dash", "Dash", Kind("rule-of-thumb"),
            marked("Quick: plays by a few sound rules and never thinks twice."),
        ),
        Character(
            "constance", "Constance", Kind("best", "0.4s"),
            marked("Cautious: gives up some of what a move may bring to be surer of the rest."), risk=-0.4,
        ),
        Character(
            "rollo", "Rollo", Kind("best", "0.4s"),
            marked("Bold: likes a move that may bring much, even if it often brings little."), risk=0.4,
        ),
        Character(
            "minerva", "Minerva", Kind("search", "1s"),
            marked("Thorough: takes a second over each move and looks many moves ahead."),
        ),
        Character(
            "magnus", "Magnus", Kind("best", "1s"),
            marked("The best there is: a second of games that are played as well as it knows how."),
        ),
    )
}  # fmt: skip
"""All of them, weakest first, as far as that can be said of all games."""
EVERYBODY: Final = "everybody"
"""A word for one of each character."""


def characters(game: Definition) -> list[Character]:
    """Return the characters that can play a game: those whose kind of player it has.

    >>> from parlour.engine.definition import definition
    >>> [one.name for one in characters(definition("diamonds"))]
    ['Pip', 'Dash', 'Constance', 'Rollo', 'Minerva', 'Magnus']
    >>> [one.name for one in characters(definition("kuhn"))]
    ['Minerva']
    """
    return [one for one in CHARACTERS.values() if one.plays.name == "search" or game.has("appraise")]


def played_as(kind: Kind) -> Kind:
    """Return the kind of player behind a character, with its thinking time; any other kind unchanged.

    >>> [str(played_as(Kind.parsed(text))) for text in ("constance", "constance:0.1s", "dash", "search:5000")]
    ['best:0.4s', 'best:0.1s', 'rule-of-thumb', 'search:5000']
    """
    if kind.name not in CHARACTERS:
        return kind
    plays = CHARACTERS[kind.name].plays
    return plays if kind.setting is None else Kind(plays.name, kind.setting)


def thinks(kind: Kind) -> bool:
    """Whether a player of a kind searches.

    >>> thinks(Kind("best", "0.5s")), thinks(Kind("minerva")), thinks(Kind("rule-of-thumb"))
    (True, True, False)
    """
    return played_as(kind).name in SEARCH_KINDS


def names_of(kinds: Sequence[Kind], free: Iterable[str], taken: str = "") -> list[str]:
    """Return names for bots of these kinds: a character keeps its own name, the others get names that are ``free``.  No
    two names look alike, nor like ``taken``.

    >>> names_of([Kind("random"), Kind("pip"), Kind("pip")], ["Ada", "Ben", "Cora"], taken="Ada")
    ['Ben', 'Pip', 'Cora']
    """
    seen, left, found = {look_of(taken)}, iter(free), list[str]()
    for kind in kinds:
        one = CHARACTERS.get(kind.name)
        name = one.name if one is not None and look_of(one.name) not in seen else ""
        name = name or next((other for other in left if look_of(other) not in seen), f"Bot {len(found) + 1}")
        seen.add(look_of(name))
        found.append(name)
    return found


class Called:
    """A player under another name, with all methods of that player, such as ``advise``."""

    def __init__(self, player: Player, name: str) -> None:
        self._player, self.name = player, name
        if advise := getattr(player, "advise", None):
            self.advise = advise  # needed from Python 3.12 on: `isinstance` with a protocol ignores `__getattr__`

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._player, name)

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return self._player.choose(view, legal)


class Slipping(Called):
    """A player that sometimes plays a random action."""

    def __init__(self, player: Player, name: str, slips: float, seed: int) -> None:
        super().__init__(player, name)
        self._slips, self._rng = round(slips * OFTEN), [seed_word(seed)]

    def choose(self, view: View, legal: Sequence[int]) -> int:
        if below(self._rng, OFTEN) < self._slips:
            return legal[below(self._rng, len(legal))]
        return super().choose(view, legal)


__all__ = [
    "CHARACTERS",
    "EVERYBODY",
    "Called",
    "Character",
    "Slipping",
    "characters",
    "names_of",
    "played_as",
    "thinks",
]
