"""What everybody is given so that the deal of a match can be checked: links of its chain, the secret, the record."""

from __future__ import annotations

from parlour.core.chain import present_link
from parlour.core.notes import Link
from parlour.core.transcript import PRACTICE
from parlour.server.table import log
from parlour.server.table.table import Change, Table


def link(table: Table) -> str:
    """Return the last link of the match's chain that everybody was told; empty before the first."""
    notes = [] if table.state is None else table.state.ledger.notes
    return next((note.link for note in reversed(notes) if isinstance(note, Link)), "")


def owes_link(table: Table) -> bool:
    """Whether everybody is to be told a link now: at the beginning of a match that can be checked, when a seat has
    changed hands, and at the end of a deal and of the match. Everybody knows of these moments, so a new link betrays no
    hidden step."""
    state = table.state
    fair = None if state is None else state.ledger.fair
    if state is None or fair is None or fair.secret is not None or not table.opened.reveal:
        return False
    if not table.has_begun or table.frozen or state.is_sealed:
        return False
    notes = state.ledger.notes
    return not notes or not isinstance(notes[-1], Link) or table.linked != (len(state.deals), table.is_done)


def bind(table: Table, secret: bytes) -> Change:
    """Return the entry that tells everybody the link of all that has happened in the match."""
    return Change(log.Linked(present_link(table.playing, secret)))


def reveal(secret: bytes) -> Change:
    """Return the entry that reveals the deal of a match that is over."""
    return Change(log.DealRevealed(secret.hex()))


def is_open(table: Table) -> bool:
    """Whether everybody may have the whole record of the match: it is over, and its secret has been revealed."""
    fair = table.playing.ledger.fair
    is_over = table.is_over or bool(table.closed)
    return table.opened.reveal and is_over and (fair is None or fair.secret is not None)


def record(table: Table, seat: int) -> str:
    """Return the record as far as a seat, or a spectator, may have it: all of it when the secret has been
    revealed."""
    text = table.playing.record(None if is_open(table) else seat)
    return text.replace("\n", f"\n{PRACTICE}\n", 1) if table.is_practice else text


__all__ = ["bind", "is_open", "link", "owes_link", "record", "reveal"]
