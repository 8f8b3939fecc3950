"""``parlour play``."""

from __future__ import annotations

import re
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.base.errors import BadRecord, ParlourError
from parlour.base.languages import either
from parlour.base.languages import gettext as _
from parlour.base.naming import fitting_name
from parlour.cli.common.completing import named_games, named_players
from parlour.cli.common.files import read, wrong_in
from parlour.cli.common.options import HouseRules, Language, Players, PresetName, known, loaded, look_here, speak
from parlour.players.kind import Kind
from parlour.players.plugins import is_own

if TYPE_CHECKING:
    from parlour.cli.play.local_table import Sitting
    from parlour.cli.play.screen import Screen
    from parlour.core.game import Game, State

NAMES = ("Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jon")  # the names of bots
GUEST = "Guest"  # what a record calls the person
CAN_WATCH = "you can watch."  # how a server's refusal of a seat ends if the table may be watched
_REMARK = re.compile(r"^# played at the terminal by seat (\d{1,3}) against (.+)$", re.MULTILINE)


def play(
    game: Annotated[
        str | None, typer.Argument(callback=known, autocompletion=named_games, help="A game: diamonds, kuhn, leduc …")
    ] = None,
    players: Players = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            autocompletion=named_players,
            help="Kind of player against you: random, rule-of-thumb, learned, search, search:1s (where players bluff,"
            " easier to beat than it seems), best (the strongest at every table), unbeatable (a solution, which nobody"
            " beats in the long run; where there is one), or a character: pip, dash, constance, rollo, minerva, magnus;"
            " give one for all, or repeat it for each seat; at a server's table no character sits twice.",
        ),
    ] = None,
    option: HouseRules = None,
    preset: PresetName = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", help="Seed: the same one deals the same game, until a move is taken back."),
    ] = None,
    seat: Annotated[int | None, typer.Option(help="Seat to take, from 0.")] = None,
    name: Annotated[str | None, typer.Option(help="Name at the table, for others to see.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Write plain lines, without drawing or colour.")] = False,
    pace: Annotated[
        float | None,
        typer.Option(help="Seconds to pause after each sentence, and for a server's bots to move; 0 for none."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="RECORD", readable=False, help="Continue from a record: its name, or a file."),
    ] = None,
    link: Annotated[
        str | None, typer.Option("--table", metavar="LINK", help="Join the table that this invitation links to.")
    ] = None,
    server: Annotated[str | None, typer.Option(help="Open a table on this server, for friends to join.")] = None,
    takeovers: Annotated[
        bool,
        typer.Option(
            "--takeovers/--no-takeovers",
            show_default=False,
            help="With --server: whether a bot's seat can be taken in a match (default: it can).",
        ),
    ] = True,
    language: Language = None,
) -> None:
    """Play a game against bots, or with friends at a table on a server.

    With friends: parlour play GAME --server ADDRESS opens a table and prints the link to send them; they join with
    parlour play --table LINK.
    """
    speak(language)
    if pace is not None and not 0 <= pace <= 60:
        raise ParlourError("--pace must be between 0 and 60 seconds, not {pace:.15g}.", pace=pace)
    if seed is not None and not 0 <= seed < 1 << 64:
        raise ParlourError("--seed must be a whole number from 0 to 2^64 - 1, not {seed}.", seed=seed)
    if resume is not None and (players is not None or option or preset or seed is not None):
        raise ParlourError(
            "--resume goes on with the record's players, house rules and deals; leave out --players, --option, --preset"
            " and --seed."
        )
    if link is not None:
        if (
            game is not None
            or players is not None
            or against
            or option
            or preset
            or seed is not None
            or resume
            or server
        ):
            raise ParlourError(
                "With --table you may only give --name, --seat, --plain and --pace; the table sets the rest."
            )
        raise typer.Exit(_join(link, name, seat, plain, pace))
    if resume is None:
        if game is None:
            from parlour.cli.play.games import asked_game
            from parlour.engine.definition import games

            nobody = ParlourError("Say which game: parlour play GAME, with one of {games}.", games=either(games()))
            game = asked_game(games(), nobody)
        table = loaded(game, players, option, preset)
        kinds = _kinds(table, against)
        state, kept = None, None
    else:
        state, seat, kinds, kept = _resumed(str(resume), seat, against)
        table = state.game
        if game is not None and table.definition.id != game:
            raise ParlourError(
                "{resume!r} is a record of {id}, not of {game}.", resume=str(resume), id=table.id, game=game
            )
    if server is not None:
        if seed is not None or len(set(kinds)) > 1:
            raise ParlourError(
                "A server deals for itself and uses one kind of bot; leave out --seed and give --against once."
            )
        raise typer.Exit(_host(server, table, state, str(kinds[0]), name, plain, pace, takeovers))
    seat = seat or 0
    if not 0 <= seat < table.players:
        raise ParlourError(
            "There is no seat {seat}; choose from: {choices}.",
            seat=seat,
            choices=", ".join(map(str, range(table.players))),
        )
    name = None if name is None else _fitting(name)
    raise typer.Exit(_sit_down(table, state, seat, kinds, name, seed, plain, pace, kept))


def _fitting(name: str) -> str:
    """Return a name in the form in which it is shown."""
    try:
        return fitting_name(name)
    except ParlourError as wrong:
        raise ParlourError("--name can't be used. {wrong}", wrong=wrong) from None


def _asked_name(name: str | None) -> str:
    """Return the name that others see; ask for it, until it can be used, if it was not given."""
    if name is not None:
        return _fitting(name)
    if not sys.stdin.isatty():
        raise ParlourError("Give a name for the other players to see: --name NAME.")
    while True:
        try:
            return fitting_name(input(_("Your name? ")))
        except EOFError:
            raise typer.Abort from None
        except ParlourError as wrong:
            print(wrong.said())


def _join(link: str, name: str | None, seat: int | None, plain: bool, pace: float | None) -> int:
    """Join a table on a server and play; return the exit code."""
    import asyncio

    from parlour.cli.play.remote_table import NoSeat, visit
    from parlour.cli.play.seat_tokens import find, keep
    from parlour.server.client.tickets import read_link, sit_down

    read_link(link)  # refuses a bad link before asking for a name
    name = _asked_name(name)
    before = find(link, name)
    if before is not None and seat in (None, before.seat):
        try:
            return visit(before, plain, pace)
        except NoSeat:
            pass
    try:
        ticket = asyncio.run(sit_down(link, name, seat, before.token if before else ""))
    except ParlourError as refused:
        if not str(refused).endswith(CAN_WATCH):
            raise
        raise ParlourError(
            "{refused} To watch, open {link} in a browser.", refused=refused.args[0], link=link
        ) from None
    keep(ticket, name)
    return visit(ticket, plain, pace)


def _host(
    server: str,
    game: Game,
    state: State | None,
    bots: str,
    name: str | None,
    plain: bool,
    pace: float | None,
    takeovers: bool,
) -> int:
    """Open a table on a server, for a new game or to continue one, and play; return the exit code."""
    import asyncio

    from parlour.cli.play.remote_table import visit
    from parlour.cli.play.seat_tokens import keep
    from parlour.server.client.tickets import make_table, read_server

    read_server(server)
    what = {"game": game.id, "players": game.players, "options": dict(game.options)}
    if state is not None:
        what = {"game": game.id, "record": state.record()}
    terms = {"takeovers": takeovers, **({} if pace is None else {"pace": pace})}
    name = _asked_name(name)
    ticket = asyncio.run(make_table(server, name=name, bots=bots, contributes=True, **what, **terms))
    keep(ticket, name)
    return visit(ticket, plain, pace)


def _kinds(game: Game, against: list[str] | None) -> list[Kind]:
    """Return the kind of each opponent: by default the rule of thumb where there is one, otherwise search."""
    from parlour.players import kinds, make

    look_here(against or [])
    given = against or ["rule-of-thumb" if "rule-of-thumb" in kinds(game) else "search"]
    opponents = game.players - 1
    if len(given) == 1:
        given *= opponents
    if len(given) != opponents:
        raise ParlourError(
            "--against is given once for all opponents, or once for each (here {opponents}), not {n} times.",
            opponents=opponents,
            n=len(given),
        )
    found = [Kind.parsed(kind) for kind in given]
    for kind in found:
        make(kind, game)  # refuses a kind that does not exist
    return found


def _resumed(name: str, seat: int | None, against: list[str] | None) -> tuple[State, int, list[Kind], Path | None]:
    """Return the state of a record, the person's seat and opponents as they were, and the file in which to keep it from
    now on."""
    from parlour import replay
    from parlour.cli.play.record_files import find, records_folder

    path = find(name, is_open=True)
    text = read(path)
    try:
        state = replay(text)
    except BadRecord as bad:
        raise wrong_in(path, bad) from None
    if state.is_terminal:
        raise ParlourError(
            "The game in {path!r} is over; replay it with `parlour replay {other_path}`.",
            path=path,
            other_path=path,
        )
    before = _REMARK.search(text)
    if before is not None:
        seat = int(before[1]) if seat is None else seat
        against = against or [_trusted(kind) for kind in before[2].split(", ")]
    file = Path(path).absolute()
    return state, seat or 0, _kinds(state.game, against), file if file.parent == records_folder() else None


def _trusted(kind: str) -> str:
    """Return a kind of player that a record names. Raises ``ParlourError`` for a player of somebody's own, because its
    code would run."""
    if is_own(Kind.parsed(kind)):
        raise ParlourError(
            "The record names {kind!r}, somebody's own player; if you trust it: --against {kind}.", kind=kind
        )
    return kind


def _sit_down(
    game: Game,
    state: State | None,
    seat: int,
    kinds: list[Kind],
    name: str | None,
    seed: int | None,
    plain: bool,
    pace: float | None,
    kept: Path | None,
) -> int:
    """Play one game after another, as long as the person likes; return the exit code."""
    from parlour.cli.play.dialog import kind_in_words
    from parlour.cli.play.local_table import Sitting
    from parlour.cli.play.record_files import Keeper
    from parlour.cli.play.screen import Quit, open_screen
    from parlour.core.drawing import Drawing
    from parlour.players.characters import names_of
    from parlour.players.kinds import make

    screen = open_screen(Drawing(game.definition), plain, pace)
    called = names_of(kinds, NAMES, name or GUEST)
    called.insert(seat, name or GUEST)
    if state is not None:
        called = [name if p == seat and name else n for p, n in enumerate(state.player_names)]
        state.call_players(called)
    shown = [name or _("You") if p == seat else n for p, n in enumerate(called)]
    opponents = [p for p in range(game.players) if p != seat]
    seed = secrets.randbelow(10**9) if seed is None else seed
    while True:
        keeper = Keeper(game.id, f"played at the terminal by seat {seat} against {', '.join(map(str, kinds))}", kept)
        if state is None:
            state = game.new(seed)
            state.call_players(called)
        bots = {p: make(kind, game, seed=(seed + p + 1) % (1 << 64)) for p, kind in zip(opponents, kinds, strict=True)}
        sitting = Sitting(state, seat, bots, shown, screen, keeper)
        code, ended = 0, False
        try:
            sitting.welcome([f"{shown[p]} ({kind_in_words(k)})" for p, k in zip(opponents, kinds, strict=True)])
            sitting.play()
            ended = True
            again = screen.interactive and _wants_another(screen)
        except Quit:
            again = False
        except ParlourError:  # a bot goes wrong, or rules never end: what was played is kept
            _farewell(sitting, ended)
            raise
        except KeyboardInterrupt:
            again, code = False, 130
        if not again:
            _farewell(sitting, ended)
            return code
        state, kept, seed = None, None, (seed + 1) % (1 << 64)


def _wants_another(screen: Screen) -> bool:
    """Ask until the answer is yes or no."""
    yes, no = ("y", "yes", *_("y yes").split()), ("", "n", "no", *_("n no").split())
    while (said := screen.ask(_("\nPlay again? [y/n] ")).strip().casefold()) not in (*yes, *no):
        pass
    return said in yes


def _farewell(sitting: Sitting, ended: bool) -> None:
    keeper, screen = sitting.keeper, sitting.screen
    screen.gap()
    if keeper.path is None and not keeper.trouble:
        screen.aside("You didn't play, so no record was saved.")
    elif ended:
        sitting.say_where("The record is in")
    else:
        sitting.say_where("The record so far is in")
        if keeper.path is not None:
            screen.path("Continue with: parlour play --resume", keeper.name)
