"""Writing records: the text of a game, complete or redacted for one player (``docs/records.md``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, Protocol

from parlour.core.fair_deal import BY_POSITION
from parlour.core.notes import Seated
from parlour.core.taking_back import step_back
from parlour.engine.steps import Deal, Step, Told, unnamed
from parlour.rules.vocabulary import CHANCE, EVERYBODY

if TYPE_CHECKING:
    from parlour.core.fair_deal import Mixing
    from parlour.core.ledger import Ledger
    from parlour.core.notes import Note

FORMAT: Final = 1
"""The version of the format, in the first line of each record."""
PRACTICE: Final = "# practice: its moves could be taken back freely"
"""The line by which the record of a match says that it was played for practice."""
FIRST_LINE: Final = f"parlour record {FORMAT}"


class GameInProgress(Protocol):
    """What a record needs of a game in progress; :class:`parlour.State` has it."""

    game: Any
    history: list[Step]
    log: list[Step | None]
    deals: list[Deal]
    seed: int | None
    ledger: Ledger

    @property
    def is_terminal(self) -> bool: ...

    @property
    def player_names(self) -> tuple[str, ...]: ...

    def view(self, player: int, /) -> Any: ...

    def events(self, player: int | None, since: int) -> list[Told]: ...

    def at(self, steps: int, /) -> Any: ...

    def returns(self) -> list[float]: ...


def write(state: GameInProgress, player: int | None = None) -> str:
    """Return the record of a game so far; with ``player``, the record that this player may keep (``EVERYBODY``: a
    spectator).

    The record for a player has no seed, because a seed gives away every card to come.  If the game hides nothing, it is
    otherwise complete; if the game hides something, it holds only what the player did and was told.
    """
    game, fair = state.game, state.ledger.fair
    if player is not None:
        state.view(player)  # raises if there is no such seat
    keeper = None if game.definition.hides_nothing else player
    lines = [FIRST_LINE, f"game: {game.id}", f"rules: {game.version}", f"players: {game.players}"]
    if keeper is not None:
        lines.append(f"redacted for: {reader(keeper)}")
    if player is None and state.seed is not None:
        lines.append(f"seed: {state.seed}")
    if fair is not None:
        lines.append(f"commitment: {fair.commitment}")
        lines += [f"drawn: {BY_POSITION}"] * fair.by_position
    if list(state.player_names) != unnamed(game.players):
        lines += [f"seat {p}: {name}" for p, name in enumerate(state.player_names)]
    lines += [f"option {name}: {value}" for name, value in game.recorded_options.items()]
    lines.append("")
    lines += _whole(state) if keeper is None else _account(state, keeper)
    if state.is_terminal:
        lines.append(f"returns: {in_numbers(state.returns())}")
    if player is None and fair is not None and fair.secret is not None:
        lines.append(f"secret: {fair.secret.hex()}")
    return "\n".join(lines) + "\n"


def _step_line(step: Step | None) -> str:
    if step is None:
        return "undo"
    return f"{'chance' if step.player == CHANCE else step.player}: {step.name}"


def _whole(state: GameInProgress) -> Iterator[str]:
    """Yield every step, undone ones included, with the ends of deals."""
    kept: list[int] = []  # indices in the log of steps that were not undone
    for i, step in enumerate(state.log):
        if step is None:
            kept.pop()
        else:
            kept.append(i)
    ended: dict[int, list[int]] = {}
    for number, deal in enumerate(state.deals, 1):
        ended.setdefault(kept[deal.steps - 1], []).append(number)
    fair = state.ledger.fair
    mixings = {} if fair is None else {mixing.node: mixing for mixing in fair.mixings}
    nodes, notes = 0, _lines_of(state.ledger.notes)
    for i, step in enumerate(state.log):
        yield from notes.get(i, ())
        if step is not None and step.player == CHANCE:
            if nodes in mixings:
                yield _mix_line(mixings[nodes])
            nodes += 1
        yield _step_line(step)
        for number in ended.get(i, ()):
            yield from _deal_lines(state, number)
    yield from notes.get(len(state.log), ())


def _lines_of(notes: Iterable[Note]) -> dict[int, list[str]]:
    """Return the lines of notes, by the number of steps before them."""
    lines: dict[int, list[str]] = {}
    for note in notes:
        lines.setdefault(note.at, []).append(_note_line(note))
    return lines


def _note_line(note: Note) -> str:
    if isinstance(note, Seated):
        return f"sat: {note.seat} {'guest' if note.guest else 'bot'} {note.name}"
    return f"link: {note.link}"


def notes_in_history(state: GameInProgress) -> list[Note]:
    """Return the notes of a game, placed by the steps that were not undone."""
    placed: list[Note] = []
    kept, notes = 0, list(state.ledger.notes)
    for i, step in enumerate((*state.log, None)):
        while notes and notes[0].at <= i:
            placed.append(notes.pop(0)._replace(at=kept))
        if i < len(state.log):
            kept += 1 if step is not None else -1
            placed = [note._replace(at=min(note.at, kept)) for note in placed] if step is None else placed
    return placed


def _mix_line(mixing: Mixing) -> str:
    return "mix: " + " ".join(f"{seat} {nonce.hex()}" for seat, nonce in mixing.nonces.items())


def _account(state: GameInProgress, player: int) -> Iterator[str]:
    """Yield all that one player did and was told, in order, without undone steps, so that it contains nothing they do
    not know."""
    notes = _lines_of(notes_in_history(state))
    yield from _told_lines(state.at(0).events(player))
    yield from notes.get(0, ())
    for number_of_steps, (step, so_far) in enumerate(retrace(state, state.history), 1):
        if step is not None and step.player == player != EVERYBODY:
            yield _step_line(step)
        *settled, rest = told_by_deal(so_far, player, since=len(so_far.history) - 1)
        for number, events in enumerate(settled, len(so_far.deals) - len(settled) + 1):
            yield from _told_lines(events)
            yield from _deal_lines(state, number)
        yield from _told_lines(rest)
        yield from notes.get(number_of_steps, ())


def told_by_deal(state: GameInProgress, player: int | None = EVERYBODY, since: int = -1) -> list[list[Told]]:
    """Return the events of :meth:`parlour.State.events` in parts: one for each deal settled since that step, and one
    for those that came after."""
    told, ledger = iter(state.events(player, since)), state.ledger
    ends = [deal.events for deal in state.deals if deal.steps > since]
    parts = pairwise([ledger.caused_since(since), *ends, len(ledger.events)])
    return [list(islice(told, len(ledger.told(player, *part)))) for part in parts]


def _told_lines(events: Sequence[Told]) -> Iterator[str]:
    return (f"told: {told.text} ({told.clause})" for told in events)


def _deal_lines(state: GameInProgress, number: int) -> Iterator[str]:
    """The lines for the end of a deal, and the heading of the next one.  A match that ends with its first deal needs
    neither."""
    deal = state.deals[number - 1]
    last = state.is_terminal and deal.steps == len(state.history) and number == len(state.deals)
    if not (last and number == 1):
        yield f"deal {number} returns: {in_numbers(deal.returns)}   # dealt by {state.player_names[deal.dealer]}"
    if not last:
        yield from ("", f"# deal {number + 1}")


def in_numbers(returns: Iterable[float]) -> str:
    return " ".join(map(number_word, returns))


def reader(player: int) -> str:
    """Return the name in the header for the viewer of a redacted record."""
    return "spectators" if player == EVERYBODY else str(player)


def number_word(x: float) -> str:
    """Return a result as text: whole numbers without a decimal point.

    >>> number_word(-1.0), number_word(0.5)
    ('-1', '0.5')
    """
    return str(int(x)) if x == int(x) else repr(x)


def retrace(state: GameInProgress, steps: Sequence[Step | None] | None = None) -> Iterator[tuple[Step | None, Any]]:
    """Replay the game of ``state``: yield each entry of its log (or of ``steps``), with the state after it (always the
    same object, which moves on)."""
    so_far = state.at(0)
    for step in state.log if steps is None else steps:
        if step is None:
            step_back(so_far)
        else:
            so_far.apply(step.action, None if step.player == CHANCE else step.player)
        yield step, so_far
