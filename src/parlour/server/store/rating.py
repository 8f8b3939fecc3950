"""How strong a guest is at a game, estimated from how their matches ended.

The model is Bradley and Terry's, as OpenSkill has it: each player of a match is compared with each other one, by whose
place is better, or equal. A match of many players counts as much as one against the average of the others. The server's
own bots always play alike, so their ratings are fixed. So everybody's rating is measured on the same scale, whether or
not people have met.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull

from parlour.players.characters import CHARACTERS, played_as, thinks
from parlour.players.kind import Kind
from parlour.server.common.limits import USUAL_THOUGHT
from parlour.server.store.history import MatchResult

UNIT: Final = 60.0
"""The points shown for one point of the model; a newcomer, like a casual bot, has 1500."""
BOTS: Final = {
    "random": 20.0, "rule-of-thumb": 25.0, "learned": 26.0, "search": 26.0, "best": 27.0, "unbeatable": 27.0
}  # fmt: skip
"""How strong each kind of bot is in the model, roughly as their matches against one another show
(``docs/players.md``)."""
ENOUGH: Final = 400
"""The fewest simulations for a move that make a bot as strong as its kind."""
KNOWN: Final = 220
"""A rating that may be wrong by more points than this is provisional, and shown with a question mark."""
SURE: Final = 0.5
"""The standard deviation of a bot's rating."""

_MODEL: Final = BradleyTerryFull()


class Rating(NamedTuple):
    """A rating in the model: its middle, its standard deviation, and the number of matches behind it."""

    mu: float = 25.0
    sigma: float = 25 / 3
    matches: int = 0

    @property
    def points(self) -> int:
        """The rating in points.

        >>> Rating().points, Rating(sigma=1.0).margin
        (1500, 120)
        """
        return round(UNIT * self.mu)

    @property
    def shown(self) -> str:
        """The rating as it is shown.

        >>> Rating().shown, Rating(sigma=1.0).shown
        ('1500?', '1500')
        """
        return f"{self.points}{'?' if self.margin > KNOWN else ''}"

    @property
    def margin(self) -> int:
        """How far the rating may be wrong either way, nineteen times in twenty."""
        return round(2 * UNIT * self.sigma)


def rated(results: Mapping[str, MatchResult], before: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return the ratings after a match of those of its guests for whom it counts, by fingerprint. ``before``: the
    ratings of guests who have one. A guest is compared with whoever had the other seats at the end. A result that
    somebody else brought about can lower a rating, but not raise it.

    >>> won = MatchResult(at=0, game="kuhn", code="", match=1, names=["A", "B"], bots=["", "random"], seat=0,
    ...                   places=[1, 2], gains=[])
    >>> rated({"a": won}, {})["a"].points > Rating().points
    True
    """
    there = {result.seat: guest for guest, result in results.items() if not result.has_left}
    return {guest: _after(guest, result, there, before) for guest, result in results.items() if result.is_rated}


def _after(guest: str, result: MatchResult, there: Mapping[int, str], before: Mapping[str, Rating]) -> Rating:
    """Return the rating of one guest after a match. ``there``: the guests who had the seats at its end."""
    old = before.get(guest, Rating())
    players = []
    for seat, kind in enumerate(result.bots):
        other = before.get(there.get(seat, ""), Rating()) if seat != result.seat else old
        players.append(
            _MODEL.rating(strength_of(Kind.parsed(kind)), SURE) if kind else _MODEL.rating(other.mu, other.sigma)
        )
    new = _MODEL.rate([[player] for player in players], ranks=[float(place) for place in result.places])
    mine = new[result.seat][0]
    mu = min(mine.mu, old.mu) if result.is_anothers else mine.mu
    return _moved(old, mu, mine.sigma, 1 / (len(players) - 1))


def _moved(old: Rating, mu: float, sigma: float, share: float) -> Rating:
    """Return a rating after a match. ``share``: the part of the model's change that is applied, because the model adds
    up the changes from all comparisons of the match. Before that, the variance grows by what the model adds to it
    before each match."""
    before = old.sigma**2 + _MODEL.tau**2
    return Rating(old.mu + share * (mu - old.mu), sqrt(before + share * (sigma**2 - before)), old.matches + 1)


def strength_of(kind: Kind) -> float:
    """Return the rating of a kind of bot, in the model.

    A bot that thinks for less than the server's own, or for fewer simulations than :data:`ENOUGH`, may be as weak as a
    beginner, so it counts as one. A character that slips lies between its kind and a beginner.

    >>> [strength_of(Kind.parsed(text)) for text in ("search:0.5s", "search:1", "best:0.001s", "something new")]
    [26.0, 20.0, 20.0, 25.0]
    >>> strength_of(Kind("magnus")), strength_of(Kind("magnus", "10")), strength_of(Kind("pip"))
    (27.0, 20.0, 23.0)
    """
    plays = played_as(kind)
    strength, weakest = BOTS.get(plays.name, 25.0), BOTS["random"]
    asked = plays.budget if plays.setting and thinks(plays) else {}
    if asked.get("seconds", USUAL_THOUGHT) < USUAL_THOUGHT or asked.get("simulations", ENOUGH) < ENOUGH:
        return weakest
    character = CHARACTERS.get(kind.name)
    return strength - (character.slips if character else 0.0) * (strength - weakest)


__all__ = ["Rating", "rated", "strength_of"]
