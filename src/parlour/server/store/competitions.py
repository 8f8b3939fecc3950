"""What is kept of competitions: the state of each, who takes part, and how their matches ended."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple, TypeVar

import sqlalchemy as sa

from parlour.base.errors import ParlourError
from parlour.server.common.outside import token_urlsafe
from parlour.server.store import history
from parlour.server.store.history import MatchResult
from parlour.server.store.schema import ENTRANTS, EVENTS, LADDER, RATINGS, RESULTS
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.competition_names import day_of
from parlour.server.table.invitations import new_code

T = TypeVar("T")
LATEST: Final = 400
"""The most results, the latest ones, in which a streak of days is looked for."""


class Competition(NamedTuple):
    """A competition as it is kept: its name, when it was made (in seconds since 1970), how often it has changed,
    whether it is over, the secret from which the cards of all its tables follow (``None``: they are not the same), and
    its state, a text of its own."""

    id: str
    made: float
    version: int
    closed: bool
    secret: bytes | None
    state: str


class Entrant(NamedTuple):
    """A guest who takes part: the fingerprint of their token, their number in the competition (from 0), and the code of
    their table (empty: none yet)."""

    guest: str
    number: int
    code: str


class Outcome(NamedTuple):
    """How a match of a competition ended for a guest."""

    guest: str
    result: MatchResult


class Rated(NamedTuple):
    """A place on the ladder: the name, the rating and how sure it is, the matches behind it, and whether it is the
    reader's own."""

    name: str
    mu: float
    sigma: float
    matches: int
    mine: bool


class Revision:
    """A competition that is being changed in one transaction, so that nobody else changes it at the same time. All that
    is to be written is written together at the end, or not at all.

    ``competition``: as it is kept; ``None`` if there is none of this name.
    """

    def __init__(self, store: Store, connection: sa.Connection, name: str) -> None:
        self._store, self._connection, self._name = store, connection, name
        self._writing: list[Callable[[], object]] = []
        found = connection.execute(_one(name).with_for_update()).first()
        self.competition = Competition(*found) if found is not None else None

    def number_of(self, guest: str) -> int | None:
        """Return a guest's number in the competition, if they take part."""
        here = ENTRANTS.c.event == self._name, ENTRANTS.c.guest == guest
        number: int | None = self._connection.execute(sa.select(ENTRANTS.c.number).where(*here)).scalar()
        return number

    def keep(self, state: str, closed: bool) -> None:
        """Replace the state of the competition."""
        changed = EVENTS.update().where(EVENTS.c.id == self._name)
        self._write(changed.values(state=state, closed=closed, version=EVENTS.c.version + 1))

    def enter(self, guest: str, number: int) -> None:
        """Let a guest take part under this number."""
        new = {"event": self._name, "guest": guest, "number": number, "code": "", "at": self._store.now}
        self._write(ENTRANTS.insert().values(new))

    def strike(self, number: int) -> None:
        """Forget the guest with this number."""
        self._write(ENTRANTS.delete().where(ENTRANTS.c.event == self._name, ENTRANTS.c.number == number))

    def open(self, code: str, opened: log.Opened) -> None:
        """Open a table with this code; the server that is first asked for it runs it."""
        self._writing.append(lambda: self._store.lay(self._connection, token_urlsafe(12), code, opened))

    def _write(self, statement: sa.Executable) -> None:
        self._writing.append(lambda: self._connection.execute(statement))

    def write(self) -> None:
        """Write all that was asked for."""
        for one in self._writing:
            one()


class Competitions:
    """All competitions in a store.  Nothing here is needed for a move at a table."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def sure(self) -> float:
        """Return the time that has surely come, in seconds since 1970."""
        return self._store.sure()

    def new_codes(self, many: int) -> list[str]:
        """Return this many codes that no table has."""
        found = set[str]()
        while len(found) < many:
            found |= {new_code() for _ in range(many - len(found))}
            found -= self._store.known(found)
        return list(found)

    # ------------------------------------------------------------------ events

    def begin(self, competition: str, state: str = "", secret: bytes | None = None) -> Competition:
        """Keep a competition, unless there is one of this name already; return the one that is kept."""
        new = {"id": competition, "version": 1, "closed": False, "secret": secret, "state": state}
        new["made"] = self._store.now

        def work(connection: sa.Connection) -> Competition:
            connection.execute(self._store.statements.insert_once(EVENTS).values(new))
            return Competition(*tuple(connection.execute(_one(competition)).one()))

        return self._store.transact(work)

    def get(self, competition: str) -> Competition | None:
        """Return the competition of this name, if there is one."""
        found = self._store.select(_one(competition))
        return Competition(*found[0]) if found else None

    def first_day(self, game: str) -> str:
        """Return the first day of which the deal of a game is kept; empty if there is none."""
        found = self._store.select(sa.select(sa.func.min(EVENTS.c.id)).where(EVENTS.c.id.like(f"day/%/{game}")))
        return day_of(found[0][0] or "")

    def change(self, competition: Competition, state: str, closed: bool = False) -> bool:
        """Replace the state of a competition, unless somebody has changed it since it was read; return whether it was
        replaced."""
        same = EVENTS.c.id == competition.id, EVENTS.c.version == competition.version
        changed = EVENTS.update().where(*same).values(state=state, closed=closed, version=competition.version + 1)
        return self._store.transact(lambda connection: connection.execute(changed).rowcount == 1)

    def revise(self, competition: str, how: Callable[[Revision], T]) -> T:
        """Change a competition while nobody else does, and return what ``how`` returns. That must not take long,
        because all that a server writes waits for it. If ``how`` raises ``ParlourError``, nothing is written, and this
        raises it."""

        def work(connection: sa.Connection) -> T | ParlourError:
            revision = Revision(self._store, connection, competition)
            try:
                result = how(revision)
            except ParlourError as refusal:  # raised here, it would undo what others write in the same transaction
                return refusal
            revision.write()
            return result

        result = self._store.transact(work)
        if isinstance(result, ParlourError):
            raise result
        return result

    # ------------------------------------------------------------------ who takes part

    def enter(self, competition: str, guest: str, code: str) -> bool:
        """Let a guest take part at a table, once; return whether this is new."""

        def work(connection: sa.Connection) -> bool:
            here = sa.select(ENTRANTS.c.number).where(ENTRANTS.c.event == competition, ENTRANTS.c.guest == guest)
            if connection.execute(here).first() is not None:
                return False
            last = connection.execute(sa.select(sa.func.max(ENTRANTS.c.number)).where(ENTRANTS.c.event == competition))
            highest = last.scalar()
            mine = 0 if highest is None else highest + 1
            new = {"event": competition, "guest": guest, "number": mine, "code": code}
            return bool(
                connection.execute(
                    self._store.statements.insert_once(ENTRANTS).values(new | {"at": self._store.now})
                ).rowcount
            )

        return self._store.transact(work)

    def place(self, competition: str, guest: str, code: str) -> None:
        """Note the table at which a guest takes part."""
        here = ENTRANTS.c.event == competition, ENTRANTS.c.guest == guest
        moved = ENTRANTS.update().where(*here).values(code=code)
        self._store.transact(lambda connection: connection.execute(moved))

    def retire(self, competition: str, guest: str) -> None:
        """Let a guest no longer take part."""
        here = ENTRANTS.c.event == competition, ENTRANTS.c.guest == guest
        self._store.transact(lambda connection: connection.execute(ENTRANTS.delete().where(*here)))

    def entrants(self, competition: str) -> list[Entrant]:
        """Return the guests who take part, in the order in which they came."""
        asked = sa.select(ENTRANTS.c.guest, ENTRANTS.c.number, ENTRANTS.c.code).where(ENTRANTS.c.event == competition)
        return [Entrant(*row) for row in self._store.select(asked.order_by(ENTRANTS.c.number))]

    def entered(self, competitions: Collection[str], guest: str) -> dict[str, Entrant]:
        """Return in which of these competitions a guest takes part, and how."""
        asked = sa.select(ENTRANTS.c.event, ENTRANTS.c.guest, ENTRANTS.c.number, ENTRANTS.c.code)
        rows = (
            self._store.select(asked.where(ENTRANTS.c.event.in_(competitions), ENTRANTS.c.guest == guest))
            if guest
            else []
        )
        return {competition: Entrant(*rest) for competition, *rest in rows}

    def outcomes(self, competitions: Collection[str]) -> dict[str, list[Outcome]]:
        """Return how the matches of these competitions ended for the guests who played them to the end, in the order in
        which they ended."""
        asked = sa.select(RESULTS.c.event, RESULTS.c.guest, RESULTS.c.result).where(RESULTS.c.event.in_(competitions))
        found: dict[str, list[Outcome]] = {competition: [] for competition in competitions}
        for competition, guest, result in self._store.select(asked.order_by(RESULTS.c.at, RESULTS.c.guest)):
            outcome = Outcome(guest, history.decode(result))
            if not outcome.result.has_left:
                found[competition].append(outcome)
        return found

    def days(self, guest: str) -> dict[str, list[str]]:
        """Return the latest days on which a guest has played a deal of the day to its end, with these deals."""
        asked = sa.select(RESULTS.c.event, RESULTS.c.result).where(
            RESULTS.c.guest == guest, RESULTS.c.event.like("day/%")
        )
        found: dict[str, list[str]] = {}
        for competition, result in (
            self._store.select(asked.order_by(RESULTS.c.at.desc()).limit(LATEST)) if guest else []
        ):
            if not history.decode(result).has_left:
                found.setdefault(day_of(competition), []).append(competition)
        return found

    def many(self, competition: str) -> int:
        """Return how many guests have played a match of a competition."""
        asked = sa.select(sa.func.count(sa.distinct(RESULTS.c.guest))).where(RESULTS.c.event == competition)
        return int(self._store.select(asked)[0][0])

    # ------------------------------------------------------------------ the ladder

    def ladder(self, game: str, guest: str) -> list[Rated]:
        """Return the guests who want their rating at a game to be seen, with the best first; a rating counts only as
        far as it is certain."""
        asked = sa.select(LADDER.c.name, RATINGS.c.mu, RATINGS.c.sigma, RATINGS.c.matches, LADDER.c.guest)
        asked = asked.join(RATINGS, RATINGS.c.guest == LADDER.c.guest).where(RATINGS.c.game == game)
        rows = self._store.select(asked)
        rated = [Rated(name, mu, sigma, matches, key == guest) for name, mu, sigma, matches, key in rows]
        return sorted(rated, key=lambda one: (3 * one.sigma - one.mu, one.name))

    def rung(self, guest: str) -> str:
        """Return the name under which a guest is on the ladder; empty if they are not."""
        found = self._store.select(sa.select(LADDER.c.name).where(LADDER.c.guest == guest)) if guest else []
        return str(found[0][0]) if found else ""

    def names(self, guest: str) -> list[str]:
        """Return the names of the others on the ladder."""
        return [name for (name,) in self._store.select(sa.select(LADDER.c.name).where(LADDER.c.guest != guest))]

    def climb(self, guest: str, name: str) -> None:
        """Show a guest's ratings under a name; without a name, show them no longer."""

        def work(connection: sa.Connection) -> None:
            connection.execute(LADDER.delete().where(LADDER.c.guest == guest))
            if name:
                connection.execute(LADDER.insert(), {"guest": guest, "name": name, "at": self._store.now})

        self._store.transact(work)

    def ratings(self, guest: str) -> dict[str, tuple[float, float, int]]:
        """Return a guest's rating at each game: its middle, its standard deviation, and the number of matches behind
        it."""
        asked = sa.select(RATINGS.c.game, RATINGS.c.mu, RATINGS.c.sigma, RATINGS.c.matches)
        rows = self._store.select(asked.where(RATINGS.c.guest == guest)) if guest else []
        return {game: (mu, sigma, matches) for game, mu, sigma, matches in rows}


def _one(competition: str) -> sa.Select[Any]:
    kept = EVENTS.c.id, EVENTS.c.made, EVENTS.c.version, EVENTS.c.closed, EVENTS.c.secret, EVENTS.c.state
    return sa.select(*kept).where(EVENTS.c.id == competition)


__all__ = ["Competition", "Competitions", "Entrant", "Outcome", "Rated", "Revision"]
