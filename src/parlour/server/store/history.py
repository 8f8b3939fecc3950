"""How matches ended for their guests: what a guest's own pages are made of.

A result holds what everybody at the table saw, and outlives the table. It is kept under the fingerprint of the guest's
token, so anybody who has the token can see it, take it to another device, and have it deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from parlour.engine.definition import definition
from parlour.players.characters import CHARACTERS
from parlour.players.kind import Kind
from parlour.server.table.score import places
from parlour.server.table.seats import is_nobody
from parlour.server.table.table import Table

LONGEST_SHEET: Final = 60
"""The most rows of a score sheet that is kept."""


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a match ended for one of its guests.

    ``at``: when, in seconds since 1970; ``code``: the code of the table; ``match``: the number of the match there;
    ``bots``: for each seat the kind of the bot, also if it chose for an absent guest more often than the guest did;
    empty for a guest, and always for this one; ``seat``: the guest's own; ``places``: of each seat, 1 for the best,
    with equal places shared; ``gains``: what each seat gained in the game's own unit (empty: it has none, or there was
    only one deal); ``event``: the competition that the match was part of; ``returns``: the result of each seat;
    ``sheet``: what each had at the beginning and after each deal, if that is not too long; ``rating``: the guest's own
    after the match, and its standard deviation; ``part``: ``left`` if the guest left the match before its end, ``late``
    if they took over a bot's seat after the first deal, ``absent`` if a bot chose for them more often than they did,
    otherwise empty. Results kept by older versions have none of the last five.
    """

    at: float
    game: str
    code: str
    match: int
    names: list[str]
    bots: list[str]
    seat: int
    places: list[int]
    gains: list[int]
    event: str = ""
    returns: list[float] = []
    sheet: list[list[int]] = []
    rating: list[float] = []
    part: str = ""

    @property
    def has_left(self) -> bool:
        """Whether the guest left the match before its end, so that a bot or somebody else finished it."""
        return self.part == "left"

    @property
    def is_rated(self) -> bool:
        """Whether the match counts for the guest's rating. It does not for a guest who took over later, because they
        may have chosen a seat that was winning."""
        return self.part != "late"

    @property
    def is_anothers(self) -> bool:
        """Whether a bot, or somebody else, brought the result about, so that it says nothing good of the guest."""
        return self.part in ("left", "absent")

    @property
    def place(self) -> int:
        """The guest's own place, as it stands beside what everybody has gained."""
        return self.shown_places[self.seat]

    @property
    def shown_places(self) -> list[int]:
        """The place of each seat, as it stands beside what everybody has gained; ``places`` are those of the result
        alone, which ratings and tournaments go by."""
        fewest = bool(definition(self.game).words["game"].get("fewest"))
        return places([-place for place in self.places], self.gains, fewest)

    @property
    def gain(self) -> int | None:
        """What the guest gained in the game's own unit, if that is known."""
        return self.gains[self.seat] if self.gains else None

    @property
    def is_won(self) -> bool:
        """Whether the guest was first, alone or with others, and somebody was behind them."""
        return self.place == 1 and max(self.places) > 1

    @property
    def others(self) -> list[str]:
        """The names of the others, in the order of their seats from the guest's left."""
        n = len(self.names)
        return [self.names[(self.seat + i) % n] for i in range(1, n)]

    @property
    def is_among_people(self) -> bool:
        """Whether another guest played too."""
        return any(not bot for p, bot in enumerate(self.bots) if p != self.seat)


def results_of(table: Table, code: str, at: float) -> dict[str, MatchResult]:
    """Return how a match that is over ended for each guest who played in it, by fingerprint. A guest who has left it
    has the result of their seat. A match that was taken up from a record counts for nobody, because whoever brought the
    record may have known its cards."""
    if not (table.is_over and table.commitment):
        return {}
    told = table.known.telling(0)
    sheet = told.sheet if len(told.sheet) > 2 else [[], []]  # in a match of one deal the places say it all
    gains = [last - first for first, last in zip(sheet[0], sheet[-1], strict=True)]
    names = [each.name for each in table.seats]
    absent = [_was_absent(table, seat) for seat in range(len(table.seats))]
    bots = [each.bot if one_was or not each.key else "" for each, one_was in zip(table.seats, absent, strict=True)]
    return {
        key: MatchResult(
            at=at,
            game=table.game.id,
            code=code,
            match=table.match,
            names=[one.name if p == one.seat else name for p, name in enumerate(names)],
            bots=["" if p == one.seat else bot for p, bot in enumerate(bots)],
            seat=one.seat,
            places=places(told.returns),
            gains=gains,
            event=table.opened.event,
            returns=list(told.returns),
            sheet=told.sheet if 2 < len(told.sheet) <= LONGEST_SHEET else [],
            part="left" if one.left else "late" if one.late else "absent" if absent[one.seat] else "",
        )
        for key, one in table.parts.items()
        if not is_nobody(key)
    }


def _was_absent(table: Table, seat: int) -> bool:
    """Whether a bot chose for a seat more often than its guest did."""
    own = [step for step, one in enumerate(table.playing.history) if one.player == seat]
    return 2 * len(table.stood_in.intersection(own)) > len(own)


class GameTotals(NamedTuple):
    """A guest's matches of one game: how many, how many they won, what they gained in all (``None``: nothing is known
    of gains), and how many of the latest they won in a row."""

    game: str
    matches: int
    won: int
    gain: int | None
    streak: int
    places: list[tuple[int, int, bool]]
    """The guest's place in each match, the number of players, and whether it was won, the oldest first."""


def tallies(results: Iterable[MatchResult]) -> list[GameTotals]:
    """Return a guest's totals, game by game, beginning with the game played last. ``results``: the guest's, the latest
    first.

    >>> one = MatchResult(at=7.0, game="kuhn", code="", match=1, names=["A", "B"], bots=["", "random"], seat=0,
    ...              places=[1, 2], gains=[])
    >>> [(t.game, t.matches, t.won, t.streak, t.gain) for t in tallies([one, one])]
    [('kuhn', 2, 2, 2, None)]
    """
    by_game: dict[str, list[MatchResult]] = {}
    for one in results:
        by_game.setdefault(one.game, []).append(one)
    return [_tally(game, mine) for game, mine in by_game.items()]


class Against(NamedTuple):
    """A guest's matches against opponents of one kind. ``who``: the kind of the bots, ``people``, or ``several`` kinds
    of bots."""

    who: str
    matches: int
    won: int


def against(results: Iterable[MatchResult]) -> list[Against]:
    """Return a guest's totals by who the others were; people come first.

    >>> one = MatchResult(at=7.0, game="kuhn", code="", match=1, names=["A", "B"], bots=["", "random"], seat=0,
    ...              places=[1, 2], gains=[])
    >>> against([one, one])
    [Against(who='random', matches=2, won=2)]
    """
    met: dict[str, list[bool]] = {}
    for one in results:
        kinds = {Kind.parsed(bot).name for p, bot in enumerate(one.bots) if p != one.seat}
        who = "people" if one.is_among_people else kinds.pop() if len(kinds) == 1 else "several"
        met.setdefault(who, []).append(one.is_won)
    order = sorted(met, key=lambda who: (who != "people", -len(met[who]), who))
    return [Against(who, len(met[who]), sum(met[who])) for who in order]


class Met(NamedTuple):
    """A guest's matches against one character: how many, in how many the guest was ahead of it, and in how many level
    with it."""

    kind: str
    matches: int
    ahead: int
    level: int

    @property
    def behind(self) -> int:
        """In how many the character was ahead."""
        return self.matches - self.ahead - self.level


def met_characters(results: Iterable[MatchResult]) -> list[Met]:
    """Return a guest's totals against each character that they have met, in the order of the characters.

    >>> one = MatchResult(at=7.0, game="kuhn", code="", match=1, names=["A", "B"], bots=["", "minerva"], seat=0,
    ...              places=[1, 2], gains=[])
    >>> met_characters([one, one])
    [Met(kind='minerva', matches=2, ahead=2, level=0)]
    """
    met: dict[str, list[int]] = {}
    for one in results:
        for bot, place in zip(one.bots, one.shown_places, strict=True):
            met.setdefault(Kind.parsed(bot).name, []).append(place - one.place)
    return [
        Met(kind, len(met[kind]), sum(by > 0 for by in met[kind]), met[kind].count(0))
        for kind in CHARACTERS
        if kind in met
    ]


def longest_streak(results: Iterable[MatchResult]) -> int:
    """Return the most matches that a guest has won in a row."""
    best = now = 0
    for one in results:
        now = now + 1 if one.is_won else 0
        best = max(best, now)
    return best


def _tally(game: str, mine: list[MatchResult]) -> GameTotals:
    gains = [one.gain for one in mine if one.gain is not None]
    streak = next((n for n, one in enumerate(mine) if not one.is_won), len(mine))
    return GameTotals(
        game=game,
        matches=len(mine),
        won=sum(one.is_won for one in mine),
        gain=sum(gains) if gains else None,
        streak=streak,
        places=[(one.place, len(one.places), one.is_won) for one in reversed(mine)],
    )


_decoder = msgspec.json.Decoder(MatchResult)


def encode(result: MatchResult) -> str:
    """Return a result in the form in which it is kept."""
    return msgspec.json.encode(result).decode()


def decode(text: str) -> MatchResult:
    """Return the result that is kept in this form."""
    return _decoder.decode(text)


__all__ = [
    "Against",
    "GameTotals",
    "MatchResult",
    "Met",
    "against",
    "decode",
    "encode",
    "longest_streak",
    "met_characters",
    "results_of",
    "tallies",
]
