"""``parlour replay``: a record, step by step."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour.base.errors import BadRecord, ParlourError
from parlour.base.languages import ENGLISH, current, figures, speaking, translated
from parlour.base.languages import gettext as _
from parlour.cli.common.files import read, wrong_in
from parlour.cli.common.options import Json, Language, speak
from parlour.cli.common.typed_input import typed_with_names
from parlour.cli.common.wrapping import wrapped
from parlour.cli.play.record_files import find
from parlour.cli.play.screen import cards_written

if TYPE_CHECKING:
    from parlour.core.game import State
    from parlour.engine.steps import Step, Told


def replay(
    file: Annotated[str, typer.Argument(help="A record; - reads standard input.")],
    player: Annotated[
        int | None, typer.Option("--seat", help="Seat from which to look, from 0 (-1: a spectator).")
    ] = None,
    deal: Annotated[int, typer.Option("--deal", help="Begin at this deal of the match.")] = 1,
    step: Annotated[bool, typer.Option("--step", help="Show the table after each step and wait for Enter.")] = False,
    as_json: Json = False,
    language: Language = None,
) -> None:
    """Tell the story of a recorded game: each step and its effects, with the rules behind them.

    Example: parlour replay diamonds.rec
    """
    speak(language)
    if step and as_json:
        raise ParlourError("--step is for people and --json for programs; leave one of them out.")
    if step and file == "-":
        raise ParlourError("--step needs the keyboard, so the record can't come from standard input; give a file.")
    file = find(file)
    text = read(file)
    try:
        with speaking(ENGLISH if as_json else current()):
            told = _told(text, player, deal, step, as_json)
    except BadRecord as bad:
        raise wrong_in(file, bad) from None
    for paragraph in told:
        print(wrapped(paragraph, sys.stdout))
        if step and not _wait():
            return
    sys.stdout.flush()  # so that a closed pipe is noticed here, not while Python ends


def _told(text: str, player: int | None, deal: int, tables: bool, as_json: bool) -> Iterator[str]:
    """Return what to print, paragraph by paragraph; by then, the record has been checked."""
    from parlour.core.records import Header, replay
    from parlour.core.transcript import reader

    header = Header(text)
    if header.redacted_for is not None:
        for _line in header.rest:
            pass  # checks that every line is text
        if player is not None and header.redacted_for != reader(player):
            raise ParlourError(
                "The record is redacted for {redacted_for!r}: it doesn't say what others saw.",
                redacted_for=header.redacted_for,
            )
        if deal != 1:
            raise ParlourError("The record is redacted and can only be shown whole; leave out --deal.")
        lines = [line.rstrip() for line in text.split("\n")[:-1]]
        return iter([json.dumps({"redacted_for": header.redacted_for, "lines": lines})] if as_json else lines)
    state = replay(text)
    if player is not None:
        state.view(player)  # refuses a seat that does not exist
    begun = len(state.deals) + (not state.is_terminal)
    if not 1 <= deal <= max(1, begun):
        raise ParlourError(
            "The record has no deal {deal}; its deals run from 1 to {what}.", deal=deal, what=max(1, begun)
        )
    return iter([json.dumps(_as_data(state, player, deal))]) if as_json else _account(state, player, deal, tables)


def _as_data(state: State, player: int | None, first: int) -> dict[str, Any]:
    """Return the story for programs. Each entry has the deal, who did what, and the events that followed. Where
    ``player`` saw only what came of a step, nobody did it; ``undo`` takes back the step before."""
    from parlour.core.transcript import retrace

    first_told = [asdict(told) for told in state.at(0).events(player)]
    entries: list[dict[str, Any]] = [{"deal": 1, "player": None, "step": None, "events": first_told}]
    under_way = 1
    for step, so_far in retrace(state, state.log if player is None else state.history):
        own = step is not None and (player is None or step.player == player)
        said = "undo" if step is None else step.name if own else None
        events = [] if step is None else so_far.events(player, len(so_far.history) - 1)
        entry = {"deal": under_way, "player": step.player if step and own else None, "step": said}
        entries.append({**entry, "events": [asdict(told) for told in events]})
        under_way = len(so_far.deals) + 1
    game = state.game
    return {
        "game": game.id,
        "players": game.players,
        "options": dict(game.options),
        "names": state.player_names,
        "steps": [one for one in entries if one["deal"] >= first and (one["step"] or one["events"])],
        "deals": [{"dealer": deal.dealer, "returns": deal.returns} for deal in state.deals],
        "returns": state.returns() if state.is_terminal else None,
    }


def _account(state: State, player: int | None, first: int, tables: bool) -> Iterator[str]:
    """Yield the title; from deal ``first`` on, a paragraph for each step that ``player`` noticed (``None``: a reader
    who may know all) and for each deal; and the end."""
    from parlour.core.notes import in_words, seatings
    from parlour.core.transcript import notes_in_history, retrace, told_by_deal
    from parlour.rules.vocabulary import EVERYBODY

    yield _title(state)
    seated = seatings(state.ledger.notes if player is None else notes_in_history(state))
    beginning = _sentences(state, state.at(0).events(player))
    beginning += [translated(in_words(one)) for one in seated if not one.at]
    if beginning and first == 1:
        yield "\n".join(beginning)
    taken_back: list[str] = []
    under = False  # whether somebody's choice stands above
    for done, (step, so_far) in enumerate(retrace(state, state.log if player is None else state.history), 1):
        lines: list[str] = []
        if step is None:
            lines += [_("{step} is taken back", step=said) for said in filter(None, [taken_back.pop()])]
        else:
            said = _said(step, state)
            taken_back.append(said)
            if said and (player is None or step.player == player != EVERYBODY):
                lines.append(said)
            under = bool(lines) or (under and step.player < 0)
        *settled, rest = [[]] if step is None else told_by_deal(so_far, player, since=len(so_far.history) - 1)
        under_way = len(so_far.deals) + 1
        paragraphs = []
        for number, events in enumerate(settled, under_way - len(settled)):
            paragraphs.append((number, lines + _sentences(state, events, under) + _end_of_deal(state, number)))
            lines, under = [], False
        changes = [translated(in_words(one)) for one in seated if one.at == done]
        paragraphs.append((under_way, lines + _sentences(state, rest, under) + changes))
        wanted = [paragraph for number, paragraph in paragraphs if paragraph and number >= first]
        if wanted and tables:
            wanted[-1] += ["", *("    " + line for line in _table(so_far, EVERYBODY if player is None else player))]
        yield from map("\n".join, wanted)
    if state.is_terminal:
        yield "\n" + _("Result: {results}", results=_results(state, state.returns()))
    else:
        yield "\n" + _("The record ends before the game does.")


def _table(state: State, viewer: int) -> list[str]:
    """Return the lines of the table: in English the view as it is, in any other language the sentences that the game
    has for it."""
    if current() == ENGLISH:
        return state.text(viewer).splitlines()
    from parlour.core.drawing import Drawing

    return Drawing(state.game.definition).lines(state.view(viewer), names_of(state))


def names_of(state: State) -> list[str]:
    """Return what the players are called, in the language that is spoken; a player without a name is a seat."""
    from parlour.engine.steps import unnamed

    seats = unnamed(state.game.players)
    return [
        _("Seat {seat}", seat=seat) if name == seats[seat] else name for seat, name in enumerate(state.player_names)
    ]


def _sentences(state: State, events: Sequence[Told], indented: bool = False) -> list[str]:
    told, names = state.game.definition.sentences.told, names_of(state)
    lead, written = "  " if indented else "", cards_written(state.game.definition)
    return [f"{lead}{_capital(written(told(e.event, e.who, e.a, e.b, names)))} ({e.clause})" for e in events]


def _capital(sentence: str) -> str:
    """Return a sentence that begins with a capital. In languages other than English, it may begin with a word that was
    put in."""
    return sentence if current() == ENGLISH else sentence[:1].upper() + sentence[1:]


def _end_of_deal(state: State, number: int) -> list[str]:
    """Return what a deal brought, in lines; nothing if it was the only one."""
    last = state.is_terminal and number == len(state.deals)
    if last and number == 1:
        return []
    deal = state.deals[number - 1]
    brought = _(
        "Deal {n}, dealt by {who}: {results}",
        n=number, who=names_of(state)[deal.dealer], results=_results(state, deal.returns),
    )  # fmt: skip
    return ["", brought] if last else ["", brought, ""]


def _results(state: State, returns: Sequence[float]) -> str:
    from parlour.core.transcript import number_word

    return ", ".join(f"{name} {figures(number_word(x))}" for name, x in zip(names_of(state), returns, strict=True))


def _title(state: State) -> str:
    game = state.game
    lines = [f"{game.definition.title}: {', '.join(names_of(state))}"]
    lines += [
        _("House rule: {name} = {value}", name=name, value=game.options[name])
        for name, option in game.definition.options.items()
        if game.options[name] != str(option.default)
    ]
    return "\n".join([*lines, ""])


def _said(step: Step, state: State) -> str:
    """Return a choice as it is typed at the table, and who made it, in one line. What chance decides is nobody's
    choice: the events say what came of it."""
    if step.player < 0:
        return ""
    names = names_of(state)
    return (
        f"{names[step.player]}: {cards_written(state.game.definition)(typed_with_names(state.game, step.name, names))}"
    )


def _wait() -> bool:
    """Wait for Enter; ``False`` at the end of the input."""
    return bool(sys.stdin.readline())
