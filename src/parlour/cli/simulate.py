"""``parlour simulate``: random games by the million; ``parlour merge``: of several machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour.cli.options import GameName, Json, Players, loaded
from parlour.cli.progress import GamesBar
from parlour.errors import ParlourError
from parlour.study.sums import in_words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from parlour.game import Game
    from parlour.study.intervals import Estimate
    from parlour.study.simulate import Measure, Survey

Sweep = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        help="A house rule, NAME=VALUE; NAME=VALUE,VALUE compares the values. May be repeated.",
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV, one line a figure.")]
MOST_SETTINGS = 64
MOST_THREADS = 256
BAR = 40


def simulate(
    game: GameName,
    games: Annotated[int, typer.Option("--games", "-n", help="Games to play for each setting.")] = 100_000,
    players: Players = None,
    option: Sweep = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the first game; each game has its own.")] = 0,
    threads: Annotated[
        int | None, typer.Option("--threads", "-t", max=MOST_THREADS, help="Threads (default: one a core).")
    ] = None,
    shard: Annotated[
        str, typer.Option("--shard", help="Play part I of N, I/N; parlour merge puts the parts together.")
    ] = "1/1",
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Play random games in bulk: how long they are, what each seat gets, how often each clause is used, with 95%
    intervals. With several values of a house rule, compare the settings side by side.

    Example: parlour simulate diamonds --games 1000000 --option trade_leaves=on_pile,debris
    """
    from parlour.study.simulate import simulate as played

    _check_formats(as_json, as_csv)
    part = _part(shard)
    settings = [loaded(game, players, chosen) for chosen in combinations(option or [])]
    surveys: list[Survey] = []
    with GamesBar(games * len(settings) // part[1]) as progress:
        for k, setting in enumerate(settings):
            # seeds of its own for each setting: then the settings are independent, as the intervals assume
            first, before = seed + k * games, sum(survey.games for survey in surveys)
            surveys.append(played(setting, games, first, threads, lambda n, b=before: progress(b + n), part))  # type: ignore[misc]
    _print(surveys, as_json, as_csv)


def merge(
    files: Annotated[list[Path], typer.Argument(help="What parlour simulate --json wrote.")],
    partial: Annotated[bool, typer.Option("--partial", help="Even if shards are missing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Put together what several runs of parlour simulate --json have played, on one machine or many. The shards of a
    run make the same figures as the whole run, to the last digit.

    Example: parlour merge part-*.json
    """
    from parlour.study.simulate import Survey

    _check_formats(as_json, as_csv)
    merged: dict[Game, list[Survey]] = {}
    for file in files:
        for survey in map(Survey.from_json, _settings(file)):
            merged.setdefault(survey.game, []).append(survey)
    surveys = [Survey.merge(*same) for same in merged.values()]
    for survey in surveys:
        if survey.missing and not partial:
            seeds = " and ".join(map(in_words, survey.missing))
            raise ParlourError(f"Games are missing, those with seeds {seeds}; --partial goes on without them.")
    _print(surveys, as_json, as_csv)


def _settings(file: Path) -> list[Any]:
    import json

    try:
        found = json.loads(file.read_text("utf-8"))
        return list(found["settings"])
    except OSError as error:
        raise ParlourError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ParlourError(f"{file} was not written by parlour simulate --json.") from error


def _part(shard: str) -> tuple[int, int]:
    """
    >>> _part("2/7")
    (2, 7)
    """
    number, slash, of = shard.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and int(of)):
        raise ParlourError(f"--shard takes I/N, such as 2/7, not {shard!r}.")
    return int(number), int(of)


def _check_formats(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise ParlourError("Choose either --json or --csv.")


def _print(surveys: list[Survey], as_json: bool, as_csv: bool) -> None:
    from rich.console import Console

    if as_json:
        _print_json(surveys)
    elif as_csv:
        _print_csv(surveys)
    elif len(surveys) == 1:
        _print_one(Console(), surveys[0])
    else:
        _print_side_by_side(Console(), surveys)


def combinations(options: list[str]) -> list[list[str]]:
    """Every combination of the values listed, as options of one value each.

    >>> combinations(["a=1,2", "b=3"])
    [['a=1', 'b=3'], ['a=2', 'b=3']]
    """
    import itertools

    listed = []
    for option in options:
        name, equals, values = option.partition("=")
        parts = [part.strip() for part in values.split(",")]
        if len(set(parts)) < len(parts):
            raise ParlourError(f"--option {option} names a value twice; name each once.")
        listed.append([f"{name}{equals}{part}" for part in parts])
    names = [option.partition("=")[0].strip() for option in options]
    for name in names:
        if names.count(name) > 1:
            raise ParlourError(f"--option {name} is given twice; list its values with commas: {name}=VALUE,VALUE.")
    found = [list(chosen) for chosen in itertools.product(*listed)]
    if len(found) > MOST_SETTINGS:
        raise ParlourError(f"These options make {len(found)} settings; choose at most {MOST_SETTINGS}.")
    return found


# ------------------------------------------------------------------------------------------ for programs


def _print_json(surveys: list[Survey]) -> None:
    import json

    from parlour.study.simulate import changed, compare

    first = surveys[0]
    settings = [{"setting": changed(survey, surveys), **survey.to_json()} for survey in surveys]
    differences = [
        {
            "setting": changed(survey, surveys),
            "less": changed(first, surveys),
            "measures": [{"measure": m.what, "of": m.of, **m.value.as_data()} for m in compare(survey, first)],
        }
        for survey in surveys[1:]
    ]
    print(json.dumps({"game": first.game.id, "settings": settings, "differences": differences}))


def _print_csv(surveys: list[Survey]) -> None:
    import csv
    import sys

    from parlour.study.simulate import changed, clauses_fired, compare, measures

    write = csv.writer(sys.stdout, lineterminator="\n").writerow
    write(("game", "players", "games", "setting", "less", "measure", "of", "mean", "low", "high"))
    clauses = clauses_fired(surveys)

    def lines(survey: Survey, less: str, figures: list[Measure]) -> None:
        for m in figures:
            bounds = ("" if v is None else v for v in m.value.as_data().values())
            setting = changed(survey, surveys)
            write((survey.game.id, survey.game.players, survey.games, setting, less, m.what, m.of, *bounds))

    for survey in surveys:
        lines(survey, "", measures(survey, clauses))
    for survey in surveys[1:]:
        lines(survey, changed(surveys[0], surveys), compare(survey, surveys[0]))


# ------------------------------------------------------------------------------------------ for people


def _print_one(console: Console, survey: Survey) -> None:
    from parlour.study.simulate import changed, place_name

    _print_head(console, survey.game, [survey])
    if rules := changed(survey, [survey]):
        console.print(f"House rules: {rules}.")
    length = survey.length
    quantiles = ", ".join(f"{q:.0%}: {n}" for q, n in length.quantiles.items())
    console.print(f"\nDecisions a game: {_with_interval(length.mean, '.3f')}; {length.shortest} to {length.longest}.")
    console.print(f"Quantiles: {quantiles}.\n")
    for label, share in _histogram(survey):
        console.print(f"{label:>11} {share:6.1%} {'#' * round(share * BAR / max(s for _, s in _histogram(survey)))}")
    seats = _table("seat", "return", "95%", "won", "95%")
    for s in survey.seats:
        seats.add_row(str(s.seat), *_split(s.returns, "+.4f"), *_split(s.won, ".2%"))
    console.print(seats)
    if deals := survey.deals:
        console.print(f"Deals a game: {_with_interval(deals.per_game, '.3f')}.")
        places = _table("place", "return a deal", "95%")
        for q, brought in enumerate(deals.places):
            places.add_row(place_name(q), *_split(brought, "+.4f"))
        console.print(places)
    clauses = _table("clause", "times", "a game", "games", "")
    clauses.columns[-1].justify = "left"
    for c in survey.clauses:
        text = survey.game.clause(c.clause).text.replace("`", "")
        short = text if len(text) <= (room := console.width - 52) else text[: room - 1].rstrip() + "…"
        clauses.add_row(c.clause, f"{c.times:,}", _half(c.per_game, ".4g"), f"{c.games.mean:.2%}", short)
    console.print(clauses)
    _print_foot(console, [survey])


def _print_side_by_side(console: Console, surveys: list[Survey]) -> None:
    """The first setting and as many others as fit, beside each other; then the first with more of them."""
    from parlour.study.simulate import changed

    _print_head(console, surveys[0].game, surveys)
    first = changed(surveys[0], surveys)
    console.print(f"Differences are from {first}; * means the interval leaves out 0.", soft_wrap=True)
    fit = max(1, (console.width - 36) // 36)
    for k in range(1, len(surveys), fit):
        table = _side_by_side([surveys[0], *surveys[k : k + fit]], surveys)
        console.print(table)
    if len(table.rows) >= 20:
        console.print("Even where nothing differs, about one row in 20 is marked by chance.")
    _print_foot(console, surveys)


def _side_by_side(some: list[Survey], surveys: list[Survey]) -> Table:
    from parlour.study.simulate import changed, clauses_fired, compare, measures

    table = _table("", "")
    for k, survey in enumerate(some):
        name = changed(survey, surveys).replace(", ", "\n").replace("=", "=\n")
        table.add_column(name, justify="right", no_wrap=True)
        if k:
            table.add_column("difference", justify="right", no_wrap=True)
    clauses = clauses_fired(surveys)
    columns = [measures(survey, clauses) for survey in some]
    gaps = [{(m.what, m.of): m.value for m in compare(survey, some[0])} for survey in some[1:]]
    for row in zip(*columns, strict=True):
        what, of = row[0].what, row[0].of
        if what == "games with":
            continue
        form = {"won": ".2%", "return": "+.4f", "return a deal": "+.4f"}.get(what, ".4g")
        cells = [_half(row[0].value, form)]
        for m, gap in zip(row[1:], gaps, strict=True):
            cells.append(_half(m.value, form))
            known = gap.get((what, of))  # a clause may have fired in others only
            cells.append(_half(known, "+" + form.lstrip("+"), mark=True) if known else "")
        table.add_row(what, of, *cells)
    return table


def _print_head(console: Console, game: Game, surveys: list[Survey]) -> None:
    games, seconds = sum(s.games for s in surveys), sum(s.seconds for s in surveys)
    decisions = sum(s.decisions for s in surveys)
    each = f", {len(surveys)} settings" if len(surveys) > 1 else ""
    console.print(f"{game.definition.name}, {game.players} players{each}: {games:,} games of random play")
    if left := sum(len(seeds) for s in surveys for seeds in s.missing):
        console.print(f"These are a part; {left:,} games of the study are not among them.")
    console.print(
        f"{decisions:,} decisions in {seconds:.2f} s: {decisions / seconds / 1e6:.2f} million decisions, "
        f"{games / seconds:,.0f} games a second; threads: {surveys[0].threads}",
        soft_wrap=True,
    )


def _print_foot(console: Console, surveys: list[Survey]) -> None:
    from parlour.study.simulate import FEW

    games = surveys[0].games
    said = f"95% intervals from {games:,} games{' for each setting' * (len(surveys) > 1)}"
    if games < FEW:
        said += f"; with fewer than {FEW} games they are rough"
    if any(c.per_game.low == -float("inf") for s in surveys for c in s.clauses):
        said += f"; none where a clause fired in fewer than {FEW} games"
    console.print(said + ".")


def _histogram(survey: Survey) -> list[tuple[str, float]]:
    """Shares of games by length, in at most 20 equal bins."""
    length = survey.length
    width = -(-(length.longest - length.shortest + 1) // 20)
    shares: list[tuple[str, float]] = []
    for low in range(length.shortest, length.longest + 1, width):
        within = sum(n for at, n in length.games.items() if low <= at < low + width)
        shares.append((str(low) if width == 1 else f"{low} to {low + width - 1}", within / survey.games))
    return shares


def _table(*headings: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for k, heading in enumerate(headings):
        table.add_column(heading, justify="right" if k else "left", no_wrap=True)
    return table


def _split(e: Estimate, form: str) -> tuple[str, str]:
    """Mean and interval as two cells."""
    if e.high - e.low == float("inf"):
        return f"{e.mean:{form}}", "-"
    return f"{e.mean:{form}}", f"{e.low:{form}} to {e.high:{form}}".replace("%", "", 1)


def _with_interval(e: Estimate, form: str) -> str:
    mean, interval = _split(e, form)
    return f"{mean} ({interval})"


def _half(e: Estimate, form: str, mark: bool = False) -> str:
    """Mean and half the interval in one cell."""
    if e.high - e.low == float("inf"):
        return f"{e.mean:{form}}"
    half = f"{(e.high - e.low) / 2:{form.replace('+', '').replace('.4g', '.2g')}}"
    star = "*" if not e.low <= 0 <= e.high else " "
    return f"{e.mean:{form}} ± {half}{star if mark else ''}"
