"""``parlour simulate``: games by the million; ``parlour merge``: the figures of several runs, put together."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour.base.disk import put
from parlour.base.errors import ParlourError, Stopped
from parlour.cli.common.completing import named_house_rules, named_players
from parlour.cli.common.files import content, must_be_writable
from parlour.cli.common.options import MOST_IN_BULK, GameName, Jobs, Json, Players, PresetName, Quiet, loaded, look_here
from parlour.cli.common.progress import GamesBar
from parlour.cli.common.stopping import stopped
from parlour.cli.common.typed_input import shown, whole
from parlour.study.sums import in_words

if TYPE_CHECKING:
    from rich.console import Console

    from parlour.cli.common.figures import Figures
    from parlour.core.game import Game
    from parlour.study.intervals import Estimate
    from parlour.study.simulate import Survey

Sweep = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        autocompletion=named_house_rules,
        help="A house rule, NAME=VALUE; NAME=VALUE,VALUE compares the values. May be repeated.",
    ),
]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write the figures as CSV, one line each; - prints them instead."),
]
Parquet = Annotated[Path | None, typer.Option("--parquet", metavar="FILE", help="Write the same as Parquet.")]
Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the figures: FILE.svg, FILE.png or FILE.pdf.")
]
MOST_SETTINGS = 64
BAR, BEFORE_BAR = 40, 19
"""The most columns of a bar of a histogram, and the columns before it."""


def simulate(
    game: GameName,
    games: Annotated[
        int, typer.Option("--games", "-n", max=MOST_IN_BULK, help="Games to play for each setting.")
    ] = 100_000,
    players: Players = None,
    option: Sweep = None,
    preset: PresetName = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the first game; each game has its own.")] = 0,
    jobs: Jobs = None,
    shard: Annotated[
        str,
        typer.Option(
            "--shard", help="Play part I of N, from 1/N to N/N; parlour merge puts together what --json prints."
        ),
    ] = "1/1",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            autocompletion=named_players,
            help="Kind of player in every seat: random, rule-of-thumb, learned, search:500 …",
        ),
    ] = "random",
    as_json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Play games in bulk: how long they are, how much there is to choose, what each seat gets, how often each clause is
    used, with 95% intervals. With several values of a house rule, compare the settings side by side.

    Example: parlour simulate diamonds --games 1000000 --option trade_leaves=on_pile,debris
    """
    from parlour.study.simulate import simulate as played

    files = _Files(as_json, csv, parquet, plot)
    part = _part(shard)
    look_here([player])
    settings = [loaded(game, players, chosen, preset) for chosen in combinations(option or [])]
    surveys: list[Survey] = []
    whole = True
    try:
        with GamesBar(games * len(settings) // part[1], quiet) as progress:
            for k, setting in enumerate(settings):
                # each setting has seeds of its own, so that the settings are independent, as the intervals assume
                first, before = seed + k * games, sum(survey.games for survey in surveys)
                surveys.append(played(setting, games, first, jobs, lambda n, b=before: progress(b + n), part, player))  # type: ignore[misc]
    except Stopped as stop:
        whole = False
        surveys.append(stop.so_far)
    files.write(surveys)
    if not whole:
        done, wanted = sum(survey.games for survey in surveys), games * len(settings) // part[1]
        rest, again = games - done, "The same command begins again."
        if len(settings) == part[1] == 1 and rest > 1:
            again = f"The others: the same command with --seed {seed + done} --games {rest}."
            if as_json:
                again += " parlour merge puts both together."
        raise stopped(f"Stopped after {done:,} of {wanted:,} games; these are their figures. {again}")


def merge(
    files: Annotated[list[Path], typer.Argument(help="What parlour simulate --json wrote.")],
    partial: Annotated[bool, typer.Option("--partial", help="Merge even if shards are missing.")] = False,
    as_json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Put together what several runs of parlour simulate --json have played, on one machine or many. The shards of a
    run make the same figures as the whole run, to the last digit.

    Example: parlour merge part-*.json
    """
    from parlour.study.simulate import Survey

    outputs = _Files(as_json, csv, parquet, plot)
    merged: dict[tuple[Game, str], list[Survey]] = {}
    for file in files:
        for survey in map(Survey.from_json, _settings(file)):
            merged.setdefault((survey.game, survey.player), []).append(survey)
    surveys = [Survey.merge(*same) for same in merged.values()]
    for survey in surveys:
        if survey.missing and not partial:
            seeds = " and ".join(map(in_words, survey.missing))
            raise ParlourError(
                "Games are missing, those with seeds {seeds}; --partial goes on without them.", seeds=seeds
            )
    outputs.write(surveys)


def _settings(file: Path) -> list[Any]:
    import json

    raw = content(file)
    if not raw.strip():
        raise ParlourError("{file} is empty: the run that writes it has not ended, or it has failed.", file=file)
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        found = list(json.loads(raw)["settings"])
        if found:
            return found
    raise ParlourError("{file} was not written by parlour simulate --json.", file=file)


def _part(shard: str) -> tuple[int, int]:
    """Return which part of how many ``--shard`` asks for.

    >>> _part("2/7")
    (2, 7)
    """
    number, slash, of = shard.partition("/")
    part, parts = whole(number), whole(of)
    if not slash or part is None or not parts:
        raise ParlourError("--shard takes I/N, such as 2/7, not {shard}.", shard=shown(shard))
    return part, parts


class _Files:
    """The files to which figures are written. If one of them cannot be, making this raises ``ParlourError``, before any
    game is played."""

    def __init__(self, as_json: bool, csv: Path | None, parquet: Path | None, plot: Path | None) -> None:
        from parlour.base.extras import require
        from parlour.study.data_frames import COLUMNS

        self._as_json, self._csv, self._parquet, self._plot = as_json, csv, parquet, plot
        self._prints_csv = str(csv) == "-"
        if as_json and self._prints_csv:
            raise ParlourError("Only one thing can be printed: choose --json or --csv -, or give --csv a file.")
        if parquet or plot:
            require("study", "--parquet" if parquet else "--plot")
        if plot:
            from parlour.study.plots import check_format

            must_be_writable(plot, {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[check_format(plot)])
        if csv and not self._prints_csv:
            must_be_writable(csv, ",".join(COLUMNS).encode())
        if parquet:
            must_be_writable(parquet, b"PAR1")

    def write(self, surveys: list[Survey]) -> None:
        """Write the files, and print what has no file."""
        import io
        import sys

        from rich.console import Console

        from parlour.study.data_frames import write_csv, write_parquet

        if self._parquet:
            write_parquet(surveys, self._parquet)
        if self._plot:
            from parlour.study.plots import save

            save(surveys, self._plot)
        if self._csv and not self._prints_csv:
            write_csv(surveys, text := io.StringIO())
            put(self._csv, text.getvalue())
        if self._as_json:
            _print_json(surveys)
        elif self._prints_csv:
            write_csv(surveys, sys.stdout)
        elif len(surveys) == 1:
            _print_one(Console(), surveys[0])
        else:
            _print_side_by_side(Console(), surveys)


def combinations(options: list[str]) -> list[list[str]]:
    """Return every combination of the values listed, as options of one value each.

    >>> combinations(["a=1,2", "b=3"])
    [['a=1', 'b=3'], ['a=2', 'b=3']]
    """
    import itertools

    listed = []
    for option in options:
        name, equals, values = option.partition("=")
        parts = [part.strip() for part in values.split(",")]
        if len(set(parts)) < len(parts):
            raise ParlourError("--option {option} names a value twice; name each once.", option=option)
        listed.append([f"{name}{equals}{part}" for part in parts])
    names = [option.partition("=")[0].strip() for option in options]
    for name in names:
        if names.count(name) > 1:
            raise ParlourError(
                "--option {name} is given twice; list its values with commas: {name}=VALUE,VALUE.", name=name
            )
    found = [list(chosen) for chosen in itertools.product(*listed)]
    if len(found) > MOST_SETTINGS:
        raise ParlourError(
            "These options make {n} settings; choose at most {most_settings}.",
            n=len(found),
            most_settings=MOST_SETTINGS,
        )
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


# ------------------------------------------------------------------------------------------ for people


def _print_one(console: Console, survey: Survey) -> None:
    from parlour.cli.common.figures import Figures
    from parlour.study.simulate import changed, place_name

    _print_head(console, survey.game, [survey])
    if rules := changed(survey, [survey]):
        console.print(f"House rules: {rules}.")
    length = survey.length
    quantiles = ", ".join(f"{q:.0%}: {n}" for q, n in length.quantiles.items())
    console.print(f"\nDecisions a game: {_with_interval(length.mean, '.3f')}; {length.shortest} to {length.longest}.")
    console.print(f"Quantiles: {quantiles}.\n")
    lengths, bar = _histogram(survey), min(BAR, console.width - BEFORE_BAR)
    most = max(share for _, share in lengths)
    for label, share in lengths:
        console.print(f"{label:>11} {share:6.1%} {'#' * round(share * bar / most)}")
    unit = "deal" if survey.deals else "game"
    console.print(f"\nChoices of a player in a {unit}: {_with_interval(survey.choices, '.3f')}.")
    console.print(f"Games in which several have the highest return: {_with_interval(survey.ties, '.2%')}.")
    console.print(f"A person who plays with bots takes about {survey.minutes:.1f} minutes a game.")
    seats = Figures("seat", "return", "95%", "won", "95%")
    for s in survey.seats:
        seats.add_row(str(s.seat), *_split(s.returns, "+.4f"), *_split(s.won, ".2%"))
    console.print(seats)
    if deals := survey.deals:
        console.print(f"Deals a game: {_with_interval(deals.per_game, '.3f')}.")
        places = Figures("place", "return a deal", "95%")
        for q, brought in enumerate(deals.places):
            places.add_row(place_name(q), *_split(brought, "+.4f"))
        console.print(places)
    clauses = Figures("clause", "times", "a game", "games", "", words=[""])
    for c in survey.clauses:
        text = survey.game.clause(c.clause).text.replace("`", "")
        short = text if len(text) <= (room := max(console.width - 52, 24)) else text[: room - 1].rstrip() + "…"
        clauses.add_row(c.clause, f"{c.times:,}", _half(c.per_game, ".4g"), f"{c.games.mean:.2%}", short)
    console.print(clauses)
    _print_foot(console, [survey])


def _print_side_by_side(console: Console, surveys: list[Survey]) -> None:
    """Print the first setting with as many others beside it as fit, then the first with more of them."""
    from parlour.study.simulate import changed

    _print_head(console, surveys[0].game, surveys)
    first = changed(surveys[0], surveys)
    console.print(f"Differences are from {first}; * means the interval leaves out 0.", soft_wrap=True)
    fit = max(1, (console.width - 36) // 36)
    for k in range(1, len(surveys), fit):
        table = _side_by_side([surveys[0], *surveys[k : k + fit]], surveys)
        console.print(table)
    if len(table) >= 20:
        console.print("Even where nothing differs, about one row in 20 is marked by chance.")
    _print_foot(console, surveys)


def _side_by_side(some: list[Survey], surveys: list[Survey]) -> Figures:
    from parlour.cli.common.figures import Figures
    from parlour.study.simulate import changed, clauses_fired, compare, measures

    headings = ["", ""]
    for k, survey in enumerate(some):
        headings.append(changed(survey, surveys).replace(", ", "\n").replace("=", "=\n"))
        headings += ["difference"] * bool(k)
    table = Figures(*headings, flowing=[""])
    clauses = clauses_fired(surveys)
    columns = [measures(survey, clauses) for survey in some]
    gaps = [{(m.what, m.of): m.value for m in compare(survey, some[0])} for survey in some[1:]]
    for row in zip(*columns, strict=True):
        what, of = row[0].what, row[0].of
        if what in ("games with", "per deal"):
            continue
        form = {"won": ".2%", "ties": ".2%", "return": "+.4f", "return a deal": "+.4f"}.get(what, ".4g")
        cells = [_half(row[0].value, form)]
        for m, gap in zip(row[1:], gaps, strict=True):
            cells.append(_half(m.value, form))
            known = gap.get((what, of))  # ``None`` for a clause that is used only in the other settings
            cells.append(_half(known, "+" + form.lstrip("+"), mark=True) if known else "")
        table.add_row(what, of, *cells)
    return table


def _print_head(console: Console, game: Game, surveys: list[Survey]) -> None:

    games, seconds = sum(s.games for s in surveys), sum(s.seconds for s in surveys)
    decisions = sum(s.decisions for s in surveys)
    each = f", {len(surveys)} settings" if len(surveys) > 1 else ""
    console.print(f"{game.definition.called}, {game.players} players{each}: {games:,} games {_between(surveys[0])}")
    if left := sum(len(seeds) for s in surveys for seeds in s.missing):
        console.print(f"These are a part; {left:,} games of the study are not among them.")
    console.print(
        f"{decisions:,} decisions in {seconds:.2f} s: {decisions / seconds:,.0f} decisions and "
        f"{games / seconds:,.0f} games a second; threads: {surveys[0].threads}",
        soft_wrap=True,
    )


def _between(survey: Survey) -> str:
    """Return who played the games, as the heading of a report says it.

    >>> from parlour.study.simulate import simulate
    >>> _between(simulate("kuhn", 10))
    'of random play'
    """
    return "of random play" if survey.player == "random" else f"between {survey.player} players"


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
    """Return the shares of games by length, in at most 20 equal bins."""
    length = survey.length
    width = -(-(length.longest - length.shortest + 1) // 20)
    shares: list[tuple[str, float]] = []
    for low in range(length.shortest, length.longest + 1, width):
        within = sum(n for at, n in length.games.items() if low <= at < low + width)
        shares.append((str(low) if width == 1 else f"{low} to {low + width - 1}", within / survey.games))
    return shares


def _split(e: Estimate, form: str) -> tuple[str, str]:
    """Return the mean and the interval as two cells."""
    if e.half == float("inf"):
        return f"{e.mean:{form}}", "-"
    return f"{e.mean:{form}}", f"{e.low:{form}} to {e.high:{form}}".replace("%", "", 1)


def _with_interval(e: Estimate, form: str) -> str:
    mean, interval = _split(e, form)
    return f"{mean} ({interval})"


def _half(e: Estimate, form: str, mark: bool = False) -> str:
    """Return the mean and half the interval as one cell."""
    if e.half == float("inf"):
        return f"{e.mean:{form}}"
    half = f"{e.half:{form.replace('+', '').replace('.4g', '.2g')}}"
    star = "*" if not e.low <= 0 <= e.high else " "
    return f"{e.mean:{form}} ± {half}{star if mark else ''}"
