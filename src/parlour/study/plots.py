"""Pictures of surveys, drawn by Matplotlib: how long games are, who wins from which seat, how often clauses fire.

The same surveys make the same bytes of SVG.

>>> import tempfile
>>> from matplotlib.figure import Figure
>>> from parlour.study.simulate import simulate
>>> surveys = [simulate("kuhn", 100, seed=1)]
>>> with tempfile.TemporaryDirectory() as folder:
...     save(surveys, Path(folder) / "kuhn.svg")
...     write(draw(surveys), Path(folder) / "kuhn.png")
...     sorted(file.name for file in Path(folder).iterdir())
['kuhn.png', 'kuhn.svg']
>>> left, middle, right = Figure().subplots(1, 3)  # or parts of it, on axes of your own
>>> draw_lengths(left, surveys, [""]); draw_seats(middle, surveys, [""]); draw_clauses(right, surveys, [""], ["KU-4"])
>>> left.get_title(), middle.get_title()
('Length', 'Wins by seat')
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from parlour.base.disk import put
from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.study.simulate import Survey, changed, clauses_fired, quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("svg", "png", "pdf")
COLOURS: Final = ("#8a2a12", "#2d6a8a", "#b8860b", "#4a7a3a", "#6a4a8a", "#555555", "#c0617a", "#1f9a8a")
"""Colours that also differ in lightness, one for each setting or number of players; they begin again after the last."""
STYLE: Final[Any] = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.size": 10,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "parlour",
}
MOST_BINS = 60


def check_format(file: Path) -> str:
    """Return the format of a picture by the ending of its name.  ``ParlourError`` if there is no such format.

    >>> check_format(Path("lengths.svg"))
    'svg'
    """
    form = file.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ParlourError("A plot is a file whose name ends in .svg, .png or .pdf, not {file!r}.", file=str(file))
    return form


def draw(surveys: Sequence[Survey]) -> Figure:
    """Return a figure of surveys of one game (extra ``study``): lengths, seats and clauses. Raises ``ParlourError``
    without the extra ``study``."""
    with needed("study"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure

    clauses = clauses_fired(surveys)
    names = [changed(survey, surveys) for survey in surveys] if len(surveys) > 1 else [""]
    with rc_context(STYLE):
        figure = Figure(figsize=(10, 4 + 0.22 * max(4, len(clauses))))
        parts: Any = figure.subfigures(2, 1, height_ratios=(3.4, 0.6 + 0.22 * max(4, len(clauses))))
        above, below = parts
        left, right = above.subplots(1, 2)
        draw_lengths(left, surveys, names)
        draw_seats(right, surveys, names)
        draw_clauses(below.subplots(), surveys, names, clauses)
        what = surveys[0]
        rules = f", {changed(what, [what])}" if len(surveys) == 1 and changed(what, [what]) else ""
        figure.suptitle(
            f"{what.game.definition.called}, {what.game.players} players{rules}: {what.games:,} games"
            f"{' each' if len(surveys) > 1 else ''}, players: {what.player}",
            x=0.01,
            ha="left",
        )
        return figure


def save(surveys: Sequence[Survey], file: str | Path) -> None:
    """Draw surveys and write the picture, in the format that the file's name says.  ``ParlourError`` if it cannot be
    written."""
    check_format(Path(file))
    write(draw(surveys), Path(file))


def write(figure: Figure, file: Path, style: Any = STYLE) -> None:
    """Write a figure, in the format that the file's name says.  ``ParlourError`` if it cannot be written."""
    put(file, rendered(figure, check_format(file), style))


def rendered(figure: Figure, form: str, style: Any = STYLE) -> bytes:
    """Return a figure in one of :data:`FORMATS`, without a date, so that the bytes are reproducible."""
    from matplotlib import rc_context

    to = io.BytesIO()
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[form]
    with rc_context(style):
        figure.savefig(to, format=form, metadata=undated, dpi=150)
    return to.getvalue()


def draw_lengths(axes: Axes, surveys: Sequence[Survey], names: Sequence[str]) -> None:
    """Draw the lengths of games: for each survey the share of games by number of decisions."""
    shortest = min(survey.length.shortest for survey in surveys)
    # Leave out the longest 0.5% of the games: they would squeeze the rest of the picture.
    longest = max(quantile(survey.length.games, 0.995 * survey.games) for survey in surveys)
    width = max(1, -(-(longest - shortest + 1) // MOST_BINS))
    starts = range(shortest, longest + width, width)
    for k, (survey, name) in enumerate(zip(surveys, names, strict=True)):
        counted = dict.fromkeys(range(len(starts)), 0)
        for length, games in survey.length.games.items():
            if (place := (length - shortest) // width) in counted:
                counted[place] += games
        shares = [100 * games / survey.games for games in counted.values()]
        edges = [start - 0.5 for start in (*starts, starts[-1] + width)]
        axes.stairs(shares, edges, color=colour(k), label=name, fill=len(surveys) == 1, linewidth=1.4)
    axes.set_title("Length")
    axes.set_xlabel("decisions in a game")
    axes.set_ylabel(f"% of games{f' (bins of {width})' if width > 1 else ''}")
    axes.set_ylim(bottom=0)
    if any(names):
        axes.legend()


def draw_seats(axes: Axes, surveys: Sequence[Survey], names: Sequence[str]) -> None:
    """Draw the share of the games that each seat wins, with 95% intervals; the line is a fair share."""
    players = {survey.game.players for survey in surveys}
    for k, (survey, name) in enumerate(zip(surveys, names, strict=True)):
        shift = (k - (len(surveys) - 1) / 2) * min(0.12, 0.7 / len(surveys))
        at = [seat.seat + shift for seat in survey.seats]
        won = [100 * seat.won.mean for seat in survey.seats]
        errors = [
            [100 * (seat.won.mean - seat.won.low) for seat in survey.seats],
            [100 * (seat.won.high - seat.won.mean) for seat in survey.seats],
        ]
        axes.errorbar(at, won, errors, fmt="o", markersize=4, color=colour(k), capsize=2, label=name)
    for n in sorted(players):
        axes.axhline(100 / n, color="#888888", linewidth=0.8, linestyle="--")
    axes.set_title("Wins by seat")
    axes.set_xlabel("seat")
    axes.set_ylabel("% of games won")
    axes.set_xticks(range(max(players)))
    if any(names):
        axes.legend()


def draw_clauses(axes: Axes, surveys: Sequence[Survey], names: Sequence[str], clauses: Sequence[str]) -> None:
    """Draw for each of these clauses the share of games in which it fired at least once."""
    height = 0.8 / len(surveys)
    for k, (survey, name) in enumerate(zip(surveys, names, strict=True)):
        shares = [100 * survey.clause(clause).games.mean for clause in clauses]
        at = [i + (k - (len(surveys) - 1) / 2) * height for i in range(len(clauses))]
        axes.barh(at, shares, height, color=colour(k), label=name)
    axes.set_yticks(range(len(clauses)), clauses)
    axes.set_ylim(len(clauses) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.set_title("Rules that take effect")
    axes.set_xlabel("% of games in which the clause fired at least once")
    if any(names):
        axes.legend()


def colour(k: int) -> str:
    """The colour of the ``k``-th of several things.

    >>> colour(0) == colour(len(COLOURS))
    True
    """
    return COLOURS[k % len(COLOURS)]


__all__ = ["draw", "draw_clauses", "draw_lengths", "draw_seats", "save"]
