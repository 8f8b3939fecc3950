"""The names of competitions, which tables can be part of: ``day/2026-11-23/diamonds`` (the deal of the day),
``same/CODE`` (the same cards at several tables of friends), ``swiss/CODE/3`` (the third round of a tournament)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def today(at: float) -> str:
    """Return the date at a time in seconds since 1970: the date in Greenwich (UTC), wherever the server is.

    >>> today(86399.9), today(86400)
    ('1970-01-01', '1970-01-02')
    """
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def after(day: str, days: int) -> str:
    """Return the date this many days after a date.

    >>> after("2026-02-28", 1), after("2026-03-01", -1)
    ('2026-03-01', '2026-02-28')
    """
    return (datetime.fromisoformat(day) + timedelta(days=days)).date().isoformat()


def of_the_day(day: str, game: str) -> str:
    """Return the name of a game's deal of the day.

    >>> of_the_day("2026-11-23", "diamonds")
    'day/2026-11-23/diamonds'
    """
    return f"day/{day}/{game}"


def day_of(event: str) -> str:
    """Return the date of a deal of the day; empty for any other competition.

    >>> day_of("day/2026-11-23/diamonds"), day_of("same/BCDFGH")
    ('2026-11-23', '')
    """
    kind, _, rest = event.partition("/")
    return rest.partition("/")[0] if kind == "day" else ""


def deals_alike(event: str) -> bool:
    """Whether all tables of a competition are dealt the same cards.

    >>> deals_alike("day/2026-11-23/diamonds"), deals_alike("same/BCDFGH"), deals_alike("swiss/BCDFGH/1")
    (True, True, False)
    """
    return event.startswith(("day/", "same/"))


__all__ = ["after", "day_of", "deals_alike", "of_the_day", "today"]
