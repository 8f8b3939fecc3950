"""``parlour odds``: the chances a player can work out from what they see."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.base.errors import BadRecord, ParlourError
from parlour.base.languages import ENGLISH, figures, speaking, translated
from parlour.base.languages import gettext as _
from parlour.cli.common.files import called, read, wrong_in
from parlour.cli.common.options import GameName, HouseRules, Json, Language, Players, PresetName, loaded, speak
from parlour.cli.play.record_files import find
from parlour.cli.play.replay import names_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from parlour.core.game import State
    from parlour.engine.odds import OddsTable

WIDEST = 92
"""The most columns of a sentence; a longer line is hard to read."""


def odds(
    game: GameName,
    fact: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE",
            help="Facts to take as given: hand=queen-king exposed=king,priest. Without any, a list of the facts "
            "the game takes follows the tables.",
        ),
    ] = None,
    players: Players = None,
    option: HouseRules = None,
    preset: PresetName = None,
    record: Annotated[
        str | None,
        typer.Option("--record", "-r", metavar="FILE", help="Use the game in this record; - reads standard input."),
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", help="Stop after this many steps of the record (default: all).")
    ] = None,
    seat: Annotated[int, typer.Option("--seat", help="Seat from which to look, from 0 (-1: a spectator).")] = -1,
    json: Json = False,
    language: Language = None,
) -> None:
    """Work out the exact chances of what is hidden, from what is face up.

    Example: parlour odds diamondback --players 3 hand=queen-king exposed=king,priest
    """
    speak(language)
    from parlour.engine.definition import definition
    from parlour.engine.odds import facts, odds

    what = definition(game)
    known = facts(what)
    if what.of and hasattr(what.part("odds"), "KERNEL"):  # machine code of the whole game counts them
        raise ParlourError("The odds of {game} are not counted: parlour odds {whole}", game=game, whole=what.of.id)
    given = _given(fact or [], known)
    if record is None:
        if at is not None:
            raise ParlourError("--at counts the steps of a record; name the record with --record FILE.")
        state = loaded(game, players, option, preset).new()
    else:
        if players is not None or option or preset:
            raise ParlourError(
                "The record sets the players and house rules; leave out --players, --option and --preset."
            )
        state = _recorded(game, record, at)
    if json:
        with speaking(ENGLISH):  # JSON is for programs
            _print_json(state, seat, odds(state.view(seat), state.player_names, given))
        return
    tables = odds(state.view(seat), names_of(state), given)
    print(_heading(state, seat, record))
    for table, after in zip_longest(tables, tables[1:]):
        _print(table, with_basis=after is None or table.basis != after.basis)
    if not given and record is None and known:
        _print_facts(known)


def _given(words: list[str], known: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the facts that are taken as given: each name with all its values."""
    given: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        values = tuple(value.strip() for value in text.split(","))
        if not equals or not all(values):
            if not known:
                raise ParlourError("Facts are written NAME=VALUE or NAME=VALUE,VALUE, not {word!r}.", word=word)
            example = next(iter(known))
            raise ParlourError(
                "Facts are written NAME=VALUE or NAME=VALUE,VALUE, such as {example}=…, not {word!r}.",
                example=example,
                word=word,
            )
        given[name.strip()] = given.get(name.strip(), ()) + values
    return given


def _recorded(game: str, file: str, at: int | None) -> State:
    """Return the state of a record after ``at`` of its steps."""
    from parlour.core.records import replay
    from parlour.core.transcript import retrace

    file = find(file)
    try:
        state = replay(read(file))
    except BadRecord as bad:
        raise wrong_in(file, bad) from None
    if state.game.id != game:
        raise ParlourError("{file} is a record of {id}, not of {game}.", file=called(file), id=state.game.id, game=game)
    if at is not None and not 0 <= at <= len(state.log):
        raise ParlourError(
            "{file} ends after step {n}; --at takes 0 to {n}, not {at}.", file=called(file), n=len(state.log), at=at
        )
    so_far = state
    if at is not None:
        so_far = [state.game.new(), *(after for _, after in retrace(state, state.log[:at]))][-1]
    if so_far.is_terminal:
        raise ParlourError("The game is over at that step; choose --at from 0 to {n}.", n=len(state.log) - 1)
    so_far.call_players(state.player_names)
    return so_far


# ------------------------------------------------------------------------------------------ printing


def _print_json(state: State, seat: int, tables: list[OddsTable]) -> None:
    from json import dumps

    game = {"game": state.game.id, "players": state.game.players, "options": dict(state.game.options)}
    print(dumps({**game, "seat": seat, "step": len(state.log), "tables": [table.as_data() for table in tables]}))


def _heading(state: State, seat: int, record: str | None) -> str:
    values = {"game": state.game.definition.title, "n": state.game.players}
    if record is None:
        return _("{game}, {n} players", **values)
    steps = len(state.log)
    if seat < 0:
        return _("{game}, {n} players: what a spectator can work out after step {steps}", **values, steps=steps)
    who = names_of(state)[seat]
    return _("{game}, {n} players: what {who} can work out after step {steps}", **values, who=who, steps=steps)


def _print(table: OddsTable, with_basis: bool) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    console = Console(highlight=False)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(escape(table.head[0]))
    for heading in table.head[1:]:
        grid.add_column(escape(heading), justify="right", no_wrap=True)
    for row in table.rows:
        grid.add_row(escape(row.label), *map(percent, row.chances))
    width = min(console.width, WIDEST)
    console.print(table.title, markup=False, style="bold", width=width)
    console.print(grid)
    if table.samples:
        off = figures(f"{98 / table.samples**0.5:.2g}")
        console.print(
            _(
                "Not exact: shares of {samples} sampled cases, accurate to {off} percentage points (95%).",
                samples=figures(f"{table.samples:,}"), off=off,
            )
        )  # fmt: skip
    if with_basis:
        console.print(f"{table.basis}\n", markup=False, style="dim", width=width)


def percent(chance: Fraction | None) -> str:
    """Return a chance as a percentage; 0% and 100% only where that is exact.

    >>> from fractions import Fraction
    >>> [percent(chance) for chance in (Fraction(2, 7), Fraction(1, 10**6), Fraction(1), None)]
    ['28.57%', '<0.01%', '100%', '-']
    """
    if chance is None:
        return "-"
    if chance in (0, 1):
        share = f"{100 * int(chance)}%"
    else:
        share = "<0.01%" if chance * 20_000 < 1 else ">99.99%" if (1 - chance) * 20_000 < 1 else f"{float(chance):.2%}"
    return figures(share)


def _print_facts(known: Mapping[str, str]) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    console = Console(highlight=False)
    grid = Grid.grid(padding=(0, 2))
    for name, takes in known.items():
        grid.add_row(f"  {name}=", translated(takes))
    console.print(_("Facts you can give:"))
    console.print(grid)
