"""What is kept of a guest, and what becomes of it when they save it as a file, delete it or sign out everywhere.

:data:`KEPT` names every column of the database and every field of a log that holds something of a guest, and says what
deletion does to it. :data:`OTHERS` names all that hold nothing. Saving and deleting follow :data:`KEPT`, and so does
the table in ``docs/security.md``.

Logs must stay what they are for everybody else: they can be played, and the cards of a match can be checked. So moves
and random numbers stay, as those of somebody called ``Guest``. The links of a match's chain (``docs/fair_deal.md``, 9)
bind the names, so they are deleted with the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from parlour.server.store.schema import (
    ENTRANTS,
    INBOX,
    LADDER,
    PRESENCE,
    RATINGS,
    RESULTS,
    SEATINGS,
)

NOBODY: Final = "Guest"
"""The name of a guest whose own name has been deleted, with a number if somebody else is called that."""


class Fate(Enum):
    """What deletion does to something that is kept of a guest."""

    GOES = "deleted"
    UNLINKED = "replaced by a fingerprint that is nobody’s"
    RENAMED = f"replaced by “{NOBODY}”"
    STAYS = "stays"


class PersonalData(NamedTuple):
    """Something of a guest: where it is kept (a table of the database, or an entry of a log), its columns or fields,
    what they hold, what deletion does to them, and whether the guest can save them as a file."""

    where: str
    names: str
    holds: str
    fate: Fate
    saved: bool = True


LOG: Final = "log: "
"""The prefix by which a place is an entry of a log."""
KEPT: Final = (
    PersonalData("seatings", "guest table_id at", "at which tables you have sat down, and when", Fate.GOES),
    PersonalData("results", "guest table_id match at event", "which matches you have played", Fate.GOES),
    PersonalData("results", "result", "how they ended; your name in the other players’ results is replaced", Fate.GOES),
    PersonalData("ratings", "guest game mu sigma matches at", "your ratings", Fate.GOES),
    PersonalData("ladder", "guest name at", "the name under which others see your ratings", Fate.GOES),
    PersonalData(
        "entrants", "guest", "in which deals of the day, duplicates and tournaments you take part", Fate.UNLINKED
    ),
    PersonalData("entrants", "event number code at", "since when, under which number, at which table", Fate.STAYS),
    PersonalData("events", "state", "your name in a tournament, from which you withdraw", Fate.RENAMED),
    PersonalData(
        "presence", "guest table_id server until holds steps", "where you are connected, for some seconds", Fate.GOES
    ),
    PersonalData(
        "inbox", "seat_key table_id key command answer at", "commands between servers, for minutes", Fate.GOES
    ),
    PersonalData("entries", "command", "which entries of a log you asked for", Fate.UNLINKED),
    PersonalData("entries", "at", "when", Fate.STAYS),
    PersonalData("ended", "guest at", "that a token is no longer valid: for a year", Fate.STAYS, saved=False),
    PersonalData(f"{LOG}opened", "maker invited", "that you opened a table, or have a seat at one", Fate.UNLINKED),
    PersonalData(f"{LOG}resumed", "record", "a record that you brought; the names in it are deleted", Fate.STAYS),
    PersonalData(f"{LOG}sat", "seat", "which seat you took; if the table is open, a bot takes it", Fate.STAYS),
    PersonalData(f"{LOG}sat", "name", "your name", Fate.RENAMED),
    PersonalData(f"{LOG}sat", "key", "the fingerprint of your token", Fate.UNLINKED),
    PersonalData(f"{LOG}said", "seat name text", "what you wrote in the chat", Fate.GOES),
    PersonalData(f"{LOG}did", "seat actions", "your moves", Fate.STAYS),
    PersonalData(f"{LOG}begun", "nonces", "the random number that you put into the first deal", Fate.STAYS),
    PersonalData(f"{LOG}fell", "nonces", "the same for later deals", Fate.STAYS),
    PersonalData(f"{LOG}undone", "seat", "that you took a move back", Fate.STAYS),
    PersonalData(f"{LOG}rewound", "seat steps", "the same in practice", Fate.STAYS),
    PersonalData(f"{LOG}wanted", "seat", "that you wanted to go on", Fate.STAYS),
    PersonalData(f"{LOG}away", "seat", "that you were away", Fate.STAYS),
    PersonalData(f"{LOG}back", "seat", "that you were back", Fate.STAYS),
    PersonalData(f"{LOG}left", "seat", "that you gave up your seat", Fate.STAYS),
    PersonalData(f"{LOG}removed", "seat", "that a host removed you", Fate.STAYS),
    PersonalData(f"{LOG}removed", "key", "the fingerprint of your token", Fate.UNLINKED),
    PersonalData(f"{LOG}allowed", "name on", "what you allowed as a host", Fate.STAYS),
    PersonalData(f"{LOG}linked", "link", "the links of a match’s chain, which bind your name", Fate.GOES, saved=False),
)
"""All that is kept of guests."""
OTHERS: Final[Mapping[str, str]] = {
    "servers": "id until",
    "tables": "id code version fence owner listed made closed",
    "entries": "table_id version entry",  # what an entry holds is in KEPT, field by field
    "secrets": "table_id match secret",
    "inbox": "number",
    "counted": "table_id match",
    "events": "id made version closed secret",
    "settled": "id at sure waits",
    "signet": "id secret",
    f"{LOG}opened": (
        "game rules players options bots names pace beat grace patience told listed takeovers event awaits lesson"
        " practice by_post"
    ),
    f"{LOG}committed": "match commitment",
    f"{LOG}begun": "fell left",
    f"{LOG}resumed": "match fell",
    f"{LOG}did": "fell held",
    f"{LOG}fell": "fell held left",
    f"{LOG}went_on": "",
    f"{LOG}told": "secret",
    f"{LOG}frozen": "reason",
    f"{LOG}closed": "reason",
    f"{LOG}rewritten": "",
}
"""Columns of the database, and fields of the entries of logs, that hold nothing of a guest."""
OWNERS: Final = (
    SEATINGS.c.guest, RESULTS.c.guest, RATINGS.c.guest, LADDER.c.guest, ENTRANTS.c.guest, PRESENCE.c.guest,
    INBOX.c.seat_key,
)  # fmt: skip
"""The columns that say whose a row is."""
LASTING: Final = (SEATINGS.c.guest, RESULTS.c.guest, RATINGS.c.guest, LADDER.c.guest, ENTRANTS.c.guest)
"""Those of :data:`OWNERS` whose rows last longer than a connection."""


def fates(where: str) -> dict[str, Fate]:
    """Return what deletion does to the columns of a table, or the fields of an entry, that hold something of a guest.

    >>> fates("log: sat")["name"]
    <Fate.RENAMED: 'replaced by “Guest”'>
    """
    return {name: one.fate for one in KEPT if one.where == where for name in one.names.split()}


def in_file(where: str) -> list[str]:
    """Return the columns, or fields, that a guest can save.

    >>> in_file("ratings"), in_file("ended")
    (['guest', 'game', 'mu', 'sigma', 'matches', 'at'], [])
    """
    return [name for one in KEPT if one.where == where and one.saved for name in one.names.split()]


UNLINKED: Final = {
    one.where.removeprefix(LOG): [name for name, fate in fates(one.where).items() if fate is Fate.UNLINKED]
    for one in KEPT
    if one.where.startswith(LOG) and one.fate is Fate.UNLINKED
}
"""The fields of a log's entries that hold fingerprints, by entry."""
