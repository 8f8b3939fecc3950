"""What may be done in the match of a table: each command becomes an entry of its log.

Nothing changes here: a move is worked out on a copy of the match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

from parlour.base.errors import ParlourError
from parlour.core import taking_back
from parlour.core.fair_deal import new_deal
from parlour.core.game import State
from parlour.core.notes import seatings
from parlour.core.transcript import notes_in_history
from parlour.engine.undoing import may_go_unnoticed
from parlour.server.store.in_log import nameless
from parlour.server.table import log
from parlour.server.table.chance import let_chance_decide, mix, taken_up
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table


def commit_to(table: Table, secret: bytes) -> Change:
    """Return the entry that begins another match, whose chance will follow from a secret."""
    table.must_be_open()
    if table.has_begun and not table.is_over:
        raise ParlourError("The match is not over.")
    return Change(log.Committed(table.match + 1, new_deal(secret).commitment))


def resume(table: Table, record: str) -> Change:
    """Return the entry by which a match continues from a record; the names in it are not kept."""
    state = taken_up(record)
    if state.game != table.game:
        raise ParlourError("The record is not for this table's game and house rules.")
    fell = let_chance_decide(state, None, lesson=table.lesson, read=table.read)
    return Change(log.Resumed(table.match + 1, nameless(record), fell), state)


def go_on(
    table: Table,
    secret: bytes | None,
    nonces: Mapping[int, bytes],
    holds: bool = False,
    steps: bool = True,
    left: Sequence[int] = (),
) -> Change:
    """Return the entry by which chance goes on after a pause, with the players' nonces, if any; the first one begins
    the match. ``holds``: whether everybody looks at the deal, if this ends one; ``steps``: whether anybody will be
    shown each event at its own moment; ``left``: the seats whose nonces are from guests who have left since."""
    if table.has_begun and not table.waits_for_chance:
        raise ParlourError("Chance has nothing to decide now.")
    state = table.playing.clone()
    if steps:
        state.ledger.kept.watch()
    in_hex = {seat: nonce.hex() for seat, nonce in sorted(nonces.items())}
    mix(state, in_hex)
    fell = let_chance_decide(state, secret, paused=True, lesson=table.lesson, read=table.read)
    if not table.has_begun:
        return Change(log.Begun(in_hex, fell, [*left]), state)
    return Change(log.Fell(in_hex, fell, holds and _settles(table, state), [*left]), state)


def _settles(table: Table, after: State) -> bool:
    """Whether ``after``, the state that comes next, ends a deal that another follows; in a lesson, whether that stops
    there."""
    if table.lesson is not None and table.lesson.stop_at(len(after.history), table.read) < 0:
        return False
    return len(after.deals) > len(table.playing.deals) and not after.is_terminal


def act(
    table: Table,
    seat: int,
    line: str,
    secret: bytes | None,
    newcomers: bool = False,
    holds: bool = False,
    steps: bool = True,
) -> Change:
    """Return the entry by which a seat does what a line says.  Raises ``ParlourError`` if it may not.
    ``newcomers``: whether nonces are still to be collected before the next deal; ``holds``, ``steps``: as above."""
    state = _on(table)
    if seat not in state.acting:
        raise _not_your_turn(table, seat, line)
    actions = state.sequence(line, seat)
    after = state.clone()
    if steps:
        after.ledger.kept.watch()
    for a in actions:
        after.apply(a, seat)
    names = [table.game.action_names[a] for a in actions]
    fell = let_chance_decide(after, secret, table.mixed_at if newcomers else None, lesson=table.lesson, read=table.read)
    return Change(log.Did(seat, names, fell, holds and _settles(table, after)), after)


def may(table: Table, seat: int, line: str) -> None:
    """Raise ``ParlourError`` if a seat may not do what a line says."""
    state = _on(table)
    if seat not in state.acting:
        raise _not_your_turn(table, seat, line)
    after = state.clone()
    for a in state.sequence(line, seat):
        after.apply(a, seat)


def silence(table: Table, seat: int) -> str | None:
    """Return the action that counts if a seat says nothing now, if the rule book has one."""
    meant = table.playing.silence(seat)
    return None if meant is None else table.game.action_names[meant]


def practise(table: Table) -> Change:
    """Return the entry that begins another match, of practice. Nobody has committed to its chance, because chance is
    drawn again whenever moves are taken back."""
    table.must_be_open()
    if table.has_begun and not table.is_over:
        raise ParlourError("The match is not over.")
    return resume(table, table.game.new().record())


def undo(table: Table, seat: int, practice: bool = False) -> Change:
    """Return the entry by which a guest takes back their last step, if nobody has learned anything from it. In a match
    of practice where bots have all the other seats, all that has followed is taken back too. ``practice``: the match
    may become one of practice."""
    if table.is_practice and seat != WATCHER and table.is_alone(seat):
        return _rewind(table, seat)
    try:
        return _undo(table, seat)
    except ParlourError:
        if practice and may_become_practice(table, seat):
            return _rewind(table, seat)
        raise


def may_become_practice(table: Table, seat: int) -> bool:
    """Whether a seat may take back its last move at the price that the match counts for nobody. It may if only bots
    play with it, no other guest has a result to lose, and nobody else plays the same cards."""
    is_on = table.has_begun and not (table.is_done or table.frozen)
    if seat == WATCHER or not is_on or table.opened.event or table.opened.lesson:
        return False
    return table.is_alone(seat) and {*table.parts} <= {table.seats[seat].key} and _last_move(table, seat) is not None


def how_to_take_back(table: Table, seat: int) -> Literal["", "freely", "as practice"]:
    """Return how a seat may take back its last move now: not at all, freely, or only if the match is practice from then
    on. This tells the seat no more than trying would."""
    if table.closed or table.frozen or seat == WATCHER or table.state is None or table.opened.lesson:
        return ""
    if table.is_practice and table.is_alone(seat):
        return "freely" if _last_move(table, seat) is not None else ""
    if _moved_last(table, seat):
        with suppress(ParlourError):
            _undo(table, seat)
            return "freely"
    return "as practice" if may_become_practice(table, seat) else ""


def _undo(table: Table, seat: int) -> Change:
    state = _on(table)
    if table.lesson is not None:
        raise ParlourError("For now, go on: in a lesson nothing has to be taken back.")
    # the same refusal for both, or it would tell that somebody has moved unseen
    if not _moved_last(table, seat) or may_go_unnoticed(state.game, state.position, seat):
        raise ParlourError(
            "You can't take anything back: the last move was not yours, or somebody may have moved unseen."
        )
    if taking_back.before_undone(state, table.before_last_step).hushed:  # otherwise everybody would see who was asked
        raise ParlourError("You can't take that back: it was an answer that nobody else may notice.")
    return Change(log.Undone(seat))


def _moved_last(table: Table, seat: int) -> bool:
    """Whether the last step was done by whoever has this seat now."""
    steps = table.playing.history
    return bool(steps) and steps[-1].player == seat and _last_move(table, seat) == len(steps) - 1


def _rewind(table: Table, seat: int) -> Change:
    """Return the entry by which a seat takes back its last step with all that has followed."""
    table.must_be_open()
    if table.frozen:
        raise ParlourError("This table has stopped: {frozen}", frozen=table.frozen)
    mine = _last_move(table, seat)
    if mine is None:
        raise ParlourError("There is nothing to take back: you have made no move in this match.")
    return Change(log.Rewound(seat, mine))


def _last_move(table: Table, seat: int) -> int | None:
    """Return the number of the last step done by whoever has a seat now: neither what was done in it before they came,
    nor what a bot did for them. What a match continues from belongs to whoever went on with it."""
    state = table.playing
    sat = [one.at for one in seatings(notes_in_history(state)) if one.seat == seat]
    since = sat[-1] if sat and sat[-1] > sat[0] else 0
    own = (n for n in reversed(range(since, len(state.history))) if state.history[n].player == seat)
    return next((n for n in own if n not in table.stood_in), None)


def _on(table: Table) -> State:
    table.must_be_open()
    if table.frozen:
        raise ParlourError("This table has stopped: {frozen}", frozen=table.frozen)
    if table.state is None or not table.has_begun:
        raise ParlourError("The match has not begun.")
    if table.is_held:
        raise ParlourError("The deal is over; the next one begins in a moment.")
    return table.state


def _not_your_turn(table: Table, seat: int, line: str) -> ParlourError:
    state = table.playing
    if state.is_terminal:
        return ParlourError("The match is over.")
    if seat == WATCHER:
        return ParlourError("You are a spectator; sit down first.")
    a = table.game.find_action(" ".join(line.split()))
    return state.refusal(a, seat) or ParlourError("It is not your turn.")


__all__ = [
    "act", "commit_to", "go_on", "how_to_take_back", "may", "may_become_practice", "practise", "resume", "silence",
    "undo",
]  # fmt: skip
