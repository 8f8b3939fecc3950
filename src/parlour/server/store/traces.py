"""What guests leave behind: where they sit, how their matches ended, and how they are rated; and what becomes of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from msgspec import structs

from parlour.server.common.outside import outside
from parlour.server.store import history, personal
from parlour.server.store.history import MatchResult
from parlour.server.store.rating import Rating, rated
from parlour.server.store.schema import COUNTED, RATINGS, RESULTS, SEATINGS, TABLES
from parlour.server.store.statements import GUESTS
from parlour.server.store.store import Store

TRIES: Final = 50
"""How many times to try to change tables to which somebody is writing."""
AGAIN: Final = 0.05
"""Seconds between two tries."""


class Traces:
    """What is kept of guests in a store (:mod:`parlour.server.store.fates`)."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def now(self) -> float:
        """The time by which traces are dated, in seconds since 1970."""
        return self._store.now

    def seated(self, guest: str, most: int) -> list[str]:
        """Return the open tables at which a guest has sat down, beginning with the last."""
        asked = sa.select(TABLES.c.id).join(SEATINGS, SEATINGS.c.table_id == TABLES.c.id)
        asked = asked.where(SEATINGS.c.guest == guest, TABLES.c.closed.is_(None))
        asked = asked.order_by(SEATINGS.c.at.desc(), TABLES.c.id).limit(most)
        return [table for (table,) in self._store.select(asked)]

    def keep_results(self, table: str, match: int, results: Mapping[str, MatchResult]) -> None:
        """Keep how a match ended for each of these guests, and change their ratings with it. It is done once, however
        often it is asked for and whatever was deleted since, and not for guests who wanted to be forgotten."""

        def work(connection: sa.Connection) -> None:
            if not connection.execute(
                self._store.statements.insert_once(COUNTED).values(table_id=table, match=match)
            ).rowcount:
                return
            sat = connection.execute(sa.select(SEATINGS.c.guest).where(SEATINGS.c.table_id == table)).scalars()
            guests = [guest for guest in sat if guest in results]
            if not guests:
                return
            rated = self._rated(connection, results, guests)
            ended = [
                {"guest": guest, "table_id": table, "match": match, "at": result.at, "event": result.event}
                | {"result": history.encode(result)}
                for guest, result in rated.items()
            ]
            connection.execute(RESULTS.insert(), ended)

        self._store.transact(work, "There is no such table.")

    def _rated(
        self, connection: sa.Connection, results: Mapping[str, MatchResult], guests: Collection[str]
    ) -> dict[str, MatchResult]:
        """Change the ratings of these guests by how their match ended; return the results with the ratings."""
        game = next(iter(results.values())).game
        asked = sa.select(RATINGS.c.guest, RATINGS.c.mu, RATINGS.c.sigma, RATINGS.c.matches)
        rows = connection.execute(asked.where(RATINGS.c.game == game, RATINGS.c.guest.in_(guests)).with_for_update())
        before = {guest: Rating(mu, sigma, matches) for guest, mu, sigma, matches in rows}
        after = rated(results, before)
        for guest in sorted(after.keys() & set(guests)):
            new = after[guest]._asdict() | {"guest": guest, "game": game, "at": results[guest].at}
            mine = self._store.statements.insert(RATINGS).values(new)
            changed = {name: mine.excluded[name] for name in ("mu", "sigma", "matches", "at")}
            connection.execute(mine.on_conflict_do_update(index_elements=["guest", "game"], set_=changed))
        return {
            guest: structs.replace(results[guest], rating=list(after[guest][:2])) if guest in after else results[guest]
            for guest in guests
        }

    def results(self, guest: str, most: int) -> list[MatchResult]:
        """Return how a guest's matches ended, the latest first."""
        asked = sa.select(RESULTS.c.result).where(RESULTS.c.guest == guest)
        asked = asked.order_by(RESULTS.c.at.desc(), RESULTS.c.table_id, RESULTS.c.match.desc()).limit(most)
        return [history.decode(one) for (one,) in self._store.select(asked)]

    def forget_guest(self, guest: str) -> set[str]:
        """Delete what is kept of a guest (:data:`~parlour.server.store.fates.KEPT`), and let bots have their seats;
        return the tables whose logs have changed."""
        changed = set[str]()
        if not self._has_left_traces(guest):
            return changed

        def work(connection: sa.Connection) -> tuple[list[str], bool]:
            done = personal.forget_tables(connection, guest, found, self.now)
            is_done = len(done) == len(tables) and personal.forget_rest(connection, guest, self.now)
            self._tell_of_guests(connection, done, is_done)
            return done, is_done

        tries = TRIES
        while tries:
            tables = [one for one in self._store.look(partial(personal.tables_of, guest=guest)) if one not in changed]
            found = tables[: personal.AT_ONCE]
            done, is_done = self._store.transact(work)
            changed |= set(done)
            if is_done:
                return changed
            if not done:
                tries -= 1
                outside().pause(AGAIN)
        raise personal.busy()

    def move_guest(self, guest: str, other: str) -> set[str]:
        """Let all that is kept of a guest be known by another fingerprint, at once; return the tables whose logs have
        changed."""
        if not self._has_left_traces(guest):
            return set()

        def work(connection: sa.Connection) -> bool:
            is_done = personal.move(connection, guest, other, tables, self.now)
            self._tell_of_guests(connection, tables if is_done else (), is_done)
            return is_done

        for _ in range(TRIES):
            tables = self._store.look(partial(personal.tables_of, guest=guest))
            if self._store.transact(work):
                return set(tables)
            outside().pause(AGAIN)
        raise personal.busy()

    def saved(self, guest: str) -> dict[str, Any]:
        """Return all that is kept of a guest."""
        return self._store.look(partial(personal.saved, guest=guest))

    def knows(self, guest: str) -> bool:
        """Whether anything lasting is kept of a guest."""
        return self._store.look(partial(personal.is_known, guest=guest))

    def _has_left_traces(self, guest: str) -> bool:
        """Whether anything is kept of a guest. Nothing need be noted of a token that nobody has used."""
        return self.knows(guest) or bool(self._store.look(partial(personal.tables_of, guest=guest)))

    def _tell_of_guests(self, connection: sa.Connection, tables: Collection[str], is_ended: bool) -> None:
        """Wake the servers that follow or run these tables; if a token has ended, tell all servers."""
        for name in [*tables, *([GUESTS] if is_ended else [])]:
            self._store.wake(connection, name)


__all__ = ["Traces"]
