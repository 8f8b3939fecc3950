"""What guests do apart from playing: seats, chat, another match.  Each command becomes an entry of the log."""

from __future__ import annotations

from typing import Final

from parlour.base.errors import ParlourError, unknown
from parlour.base.naming import fitting_line, fitting_name, look_of
from parlour.server.common import clock, wire
from parlour.server.common.phrases import PHRASES
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, is_nobody
from parlour.server.table.table import Change, Table

SLOW: Final = 180
"""Seconds for which nobody may let a bot choose for a guest who is asked."""


def sit(table: Table, seat: int, name: str, key: str) -> Change:
    """Return the entry by which a guest takes the seat of a bot; -1 is the first such seat."""
    table.must_be_open()
    if is_nobody(key):
        raise ParlourError("You need a token to sit down: send a request to …/seats first.")
    if table.opened.invited and key not in table.opened.invited:
        raise ParlourError("The seats of this table are kept for others; you can watch.")
    if table.seat_of(key) != WATCHER:
        raise ParlourError("You already have a seat at this table.")
    if seat == WATCHER:
        seat = _free_seat(table, key)
    if not 0 <= seat < table.game.players:
        raise ParlourError(
            "There is no seat {seat}; seats run from 0 to {last}.", seat=seat, last=table.game.players - 1
        )
    if table.seats[seat].key:
        raise ParlourError("Seat {seat} is {name}'s.", seat=seat, name=table.seats[seat].name)
    is_on = table.has_begun and not table.is_over
    if table.is_practice and is_on and not table.hosting.is_maker(key):
        raise ParlourError("This is practice: its player may know your cards. You can sit down when the match is over.")
    table.hosting.may_sit(key, seat, is_on)
    name = fitting_name(name)
    for i, other in enumerate(table.seats):
        if i != seat and look_of(other.name) == look_of(name):
            if other.name.casefold() == name.casefold():
                if other.key:
                    raise ParlourError(
                        "Somebody at this table is called {name}; choose another name, or, if that was you, ask the"
                        " host to free that seat.",
                        name=name,
                    )
                raise ParlourError("Somebody at this table is called {name}; choose another name.", name=name)
            raise ParlourError(
                "Somebody at this table has a name that looks like {name}; choose another name.", name=name
            )
    return Change(log.Sat(seat, name, key))


def _free_seat(table: Table, key: str) -> int:
    free = [p for p, seat in enumerate(table.seats) if not seat.key]
    if not free:
        raise ParlourError("Every seat is taken; you can watch.")
    before = table.hosting.before(key)
    return before if before in free else free[0]


def leave(table: Table, seat: int) -> Change:
    """Return the entry by which a guest gives their seat to a bot."""
    table.must_be_open()
    if seat == WATCHER:
        raise ParlourError("You have no seat to leave.")
    return Change(log.Left(seat))


def remove(table: Table, key: str, seat: int) -> Change:
    """Return the entry by which the maker removes the guest of a seat."""
    table.must_be_open()
    table.hosting.must_be_maker(key)
    if not 0 <= seat < table.game.players or not table.seats[seat].key:
        raise ParlourError("There is no guest to remove from seat {seat}.", seat=seat)
    if table.seats[seat].key == key:
        raise ParlourError("You can't remove yourself; give your seat to a bot.")
    return Change(log.Removed(seat, table.seats[seat].key))


def may_be_relieved(table: Table, by: int, seat: int) -> bool:
    """Whether a guest may ever let a bot choose for another, who is asked now: not by post, not in an event, and not
    where the table has set its own patience."""
    terms = table.opened
    asked = () if table.is_hushed else table.asked
    is_set = terms.by_post or terms.patience or terms.event or table.lesson is not None
    return by not in (WATCHER, seat) and not is_set and seat in asked and not table.seats[seat].is_bots


def relieve(table: Table, by: int, seat: int) -> Change:
    """Return the entry by which a guest lets a bot play for another who has been asked for long, until that one is
    back."""
    table.must_be_open()
    if not may_be_relieved(table, by, seat):
        raise ParlourError("You can't let a bot choose there now.")
    if clock.wall() - table.asked_at[seat] < SLOW:
        name = table.seats[seat].name
        raise ParlourError("{name} may think for {n} minutes; then you can let a bot choose.", name=name, n=SLOW // 60)
    return Change(log.Away(seat))


def allow(table: Table, key: str, command: wire.Allow) -> Change:
    """Return the entry by which the maker allows something, or forbids it."""
    table.must_be_open()
    table.hosting.must_be_maker(key)
    return Change(log.Allowed(command.name, command.on))


def say(table: Table, seat: int, text: str) -> Change:
    """Return the entry by which somebody says something to everybody."""
    table.must_be_open()
    if seat == WATCHER:
        raise ParlourError("Spectators have no name here: sit down to write in the chat.")
    if "chat" not in table.hosting.allowed:
        raise ParlourError("The host has switched the chat off.")
    return Change(log.ChatSent(seat, table.seats[seat].name, fitting_line(text)))


def phrase(table: Table, seat: int, name: str) -> Change:
    """Return the entry by which somebody says a quick phrase to everybody."""
    if name not in PHRASES:
        raise unknown("quick phrase", name, PHRASES)
    return say(table, seat, PHRASES[name])


def want_again(table: Table, seat: int) -> Change:
    """Return the entry by which a guest asks for another match."""
    table.must_be_open()
    if seat == WATCHER:
        raise ParlourError("You are a spectator; sit down first.")
    if table.lesson is not None:
        if seat != table.lesson.seat or table.stop < 0 or table.lesson.stops[table.stop].do or table.is_at_last_stop:
            raise table.not_yet()
    elif not table.is_over and not table.is_held and not (table.awaits and not table.opened.event):
        raise ParlourError("The match is not over.")
    if table.is_over and table.opened.event:
        raise ParlourError("This table is for one match only.")
    return Change(log.AnotherWanted(seat))


__all__ = ["SLOW", "allow", "leave", "may_be_relieved", "phrase", "relieve", "remove", "say", "sit", "want_again"]
