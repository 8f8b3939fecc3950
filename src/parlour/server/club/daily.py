"""The deal of the day: one game, the same cards and the same bots for everybody who plays it on that day."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from msgspec import structs

from parlour.base.errors import ParlourError
from parlour.core.fair_deal import commitment
from parlour.engine.definition import definition
from parlour.players.strengths import usual as usual_strength
from parlour.server.common.outside import token_bytes
from parlour.server.store.competitions import Competition, Competitions, Outcome
from parlour.server.table import log
from parlour.server.table.competition_names import after, of_the_day
from parlour.server.web.new_table import opened_as, wanted_table

DEALS: Final = 3
"""How many deals are played, in a game of several deals."""
PACE: Final = 1.0
"""Seconds that a bot takes over a move."""
ALWAYS: Final = 30 * 86400.0
"""Seconds until a bot plays for an absent guest: more than any day has."""


class DailyResult(NamedTuple):
    """A line of the table of results: the place (equal results share one), and the outcome of a guest's match."""

    place: int
    outcome: Outcome

    @property
    def score(self) -> float:
        """The number by which results are ranked."""
        return score_of(self.outcome)

    @property
    def name(self) -> str:
        """The name that the guest gave."""
        return self.outcome.result.names[self.outcome.result.seat]


def score_of(outcome: Outcome) -> float:
    """Return the result that is compared: that of the guest's own seat."""
    return outcome.result.returns[outcome.result.seat]


def ranked(outcomes: list[Outcome], before: float) -> list[DailyResult]:
    """Return the table of results that were in before a time, with the best first."""
    counted = sorted((one for one in outcomes if one.result.at < before), key=lambda one: -score_of(one))
    scores = [score_of(one) for one in counted]
    return [DailyResult(1 + scores.index(score_of(one)), one) for one in counted]


def end_of(day: str) -> float:
    """Return the time at which a day is over, in seconds since 1970.

    >>> end_of("1970-01-01")
    86400.0
    """
    return datetime.fromisoformat(after(day, 1)).replace(tzinfo=UTC).timestamp()


def known_day(text: str) -> str:
    """Return a date in the form in which days are named. Raises ``ParlourError`` if it is not a date.

    >>> known_day("2026-11-23")
    '2026-11-23'
    """
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise ParlourError("{text!r} is not a date; write it like 2026-11-23.", text=text[:20])


def terms(game: str, players: int, day: str, guest: str) -> log.Opened:
    """Return the first entry of the log of a guest's table."""
    what = definition(game)
    options = {"deals": str(DEALS)} if "deals" in what.options else {}
    wanted = wanted_table(
        game=game, players=players, options=options, bots=usual_strength(what), takeovers=False, pace=PACE
    )
    opened = opened_as(wanted, guest)
    return structs.replace(opened, event=of_the_day(day, game), invited=[guest], awaits=1, grace=ALWAYS)


async def deal_of(competitions: Competitions, day: str, game: str) -> Competition:
    """Return the deal of a day; its secret is drawn when somebody first asks for it."""
    name = of_the_day(day, game)
    kept = await asyncio.to_thread(competitions.get, name)
    if kept is None:
        kept = await asyncio.to_thread(competitions.begin, name, "", token_bytes(32))
    return kept


def committed(competition: Competition) -> str:
    """Return the commitment to the cards of a deal (``docs/fair_deal.md``, 1)."""
    assert competition.secret is not None
    return commitment(competition.secret)


__all__ = ["DEALS", "DailyResult", "committed", "deal_of", "end_of", "known_day", "ranked", "score_of", "terms"]
