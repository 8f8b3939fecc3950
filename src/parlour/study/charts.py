"""Charts for notebooks (extra ``study``): lengths of games, fairness by seat and place, odds, strategies.

A :class:`Chart` displays itself in a notebook as SVG, and describes itself in a sentence.  :mod:`parlour.study.plots`
draws whole surveys, in the same style.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.engine.odds import OddsTable
from parlour.solve.tables import probabilities
from parlour.study import plots
from parlour.study.intervals import Estimate
from parlour.study.simulate import SeatFigures, Survey, place_name
from parlour.study.standings import ContestResult, ContestScore

with needed("study"):
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parlour.core.game import Game, State

WIDTH, ROW = 6.4, 0.32
"""Inches: of a chart, and for each of its rows."""
_STYLE: Any = {**plots.STYLE, "axes.edgecolor": "#888888", "axes.grid": True, "font.size": 9, "grid.color": "#dddddd"}

Surveys = Survey | Mapping[str, Survey]
"""One survey, or several by name."""


class Chart:
    """A chart: ``figure`` is Matplotlib's, for changes of your own; ``about`` says in a sentence what it shows.

    >>> from parlour.study.simulate import simulate
    >>> chart = lengths(simulate("kuhn", 1000, seed=1))
    >>> chart.about
    'Kuhn poker: 2 to 3 decisions a game, 2.282 on average.'
    """

    def __init__(self, figure: Figure, about: str) -> None:
        self.figure, self.about = figure, about

    def __repr__(self) -> str:
        return f"<Chart: {self.about}>"

    def save(self, file: str | Path) -> None:
        """Write the chart to a file, in the format that its name ends with: SVG, PNG or PDF.  ``ParlourError`` if that
        is not possible."""
        plots.write(self.figure, Path(file), _STYLE)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": plots.rendered(self.figure, "svg", _STYLE).decode(), "text/plain": self.about}


# ------------------------------------------------------------------------------------------ charts of games


def lengths(surveys: Surveys) -> Chart:
    """Draw how many decisions games take.

    >>> import parlour
    >>> from parlour.study.simulate import simulate
    >>> lengths(simulate("kuhn", 1000, seed=1))
    <Chart: Kuhn poker: 2 to 3 decisions a game, 2.282 on average.>
    """
    named = _named(surveys)
    every = list(named.values())
    with _drawing(2.6, False) as (figure, axes):
        plots.draw_lengths(axes, every, list(named))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=False, axis="x")
    shortest, longest = min(s.length.shortest for s in every), max(s.length.longest for s in every)
    means = ", ".join(f"{s.length.mean.mean:.4g} on average{f' ({name})' * bool(name)}" for name, s in named.items())
    game = every[0].game.definition.called
    return _titled(figure, f"{game}: {shortest} to {longest} decisions a game, {means}.", f"{game}: how long games are")


def fairness(surveys: Surveys, what: str = "won") -> Chart:
    """Draw how each seat does, with 95% intervals: the share of games ``won``, with a line at the fair share, or the
    mean ``return``.  ``ParlourError`` for anything else.

    >>> import parlour
    >>> from parlour.study.simulate import simulate
    >>> fairness({"at random": simulate("kuhn", 1000, seed=1)})
    <Chart: Kuhn poker: seat 0 won 56.2% at random; seat 1 won 43.8% at random.>
    """
    named = _named(surveys)
    game = next(iter(named.values())).game
    rows = {f"seat {p}": {name: _figure(s.seats[p], what) for name, s in named.items()} for p in range(game.players)}
    return _compared(game, rows, what)


def standings(match: ContestResult, what: str = "won") -> Chart:
    """Draw how the players of a match did, with 95% intervals: the share of games ``won``, or the mean ``return``.
    Raises ``ParlourError`` for anything else.

    >>> from parlour.study.match import play
    >>> standings(play("kuhn", ["random", "random"], games=100, seed=1))
    <Chart: Kuhn poker: random won 47.0%; random 2 won 53.0%.>
    """
    return _compared(match.game, {one.name: {"": _figure(one, what)} for one in match.players}, what)


def _named(surveys: Surveys) -> dict[str, Survey]:
    return {"": surveys} if isinstance(surveys, Survey) else dict(surveys)


def _figure(one: SeatFigures | ContestScore, what: str) -> Estimate:
    if what == "return":
        return one.returns
    if what != "won":
        raise ParlourError("A chart shows what was won or the return, not {what!r}.", what=what)
    return one.won if isinstance(one, SeatFigures) else one.share


def _compared(game: Game, rows: Mapping[str, Mapping[str, Estimate]], what: str) -> Chart:
    won, name = what == "won", game.definition.called
    title = f"{name}: {'share of games won' if won else 'return, on average'}"
    chart = estimates(rows, title, par=1 / game.players if won else 0.0, percent=won)
    chart.about = f"{name}: {_told(rows, 'won ' if won else 'gets ', won)}."
    return chart


def deals(surveys: Surveys) -> Chart:
    """Draw what a deal brings to each place, counted from the dealer, with 95% intervals.  ``ParlourError`` if the game
    does not consist of deals.

    >>> from parlour.study.simulate import simulate
    >>> deals(simulate("newmarket", 100, seed=1))
    <Chart: Newmarket, a deal: dealer gets -0.2791; dealer + 1 gets 0.1061; dealer + 2 gets 0.173.>
    """
    named = _named(surveys)
    game = next(iter(named.values())).game
    name = game.definition.called
    rows: dict[str, dict[str, Estimate]] = {place_name(q): {} for q in range(game.players)}
    for series, survey in named.items():
        if survey.deals is None:
            raise ParlourError("{name} does not consist of deals.", name=name)
        for row, brought in zip(rows.values(), survey.deals.places, strict=True):
            row[series] = brought
    chart = estimates(rows, f"{name}: what a deal brings, by place", par=0.0)
    chart.about = f"{name}, a deal: {_told(rows, 'gets ', False)}."
    return chart


# ------------------------------------------------------------------------------------------ charts of numbers


def estimates(
    rows: Mapping[str, Mapping[str, Estimate]], title: str, par: float | None = None, percent: bool = False
) -> Chart:
    """Draw estimates as points with their 95% intervals: ``rows`` has one for each name, and in it a point for each
    series, the same in all rows, in any unit (with ``percent``: from 0 to 1).  ``par``: where a dashed line is drawn,
    in the same as all points (0 to 1 with ``percent``).

    >>> estimates({"heads": {"": Estimate(0.5, 0.4, 0.6)}}, "A coin", par=0.5, percent=True)
    <Chart: A coin: heads 50.0%.>
    """
    series = list(next(iter(rows.values())))
    with _drawing(0.9 + ROW * len(rows) * max(1.0, 0.6 * len(series)), any(series)) as (figure, axes):
        for k, name in enumerate(series):
            found = [row[name] for row in rows.values()]
            at = [i + 0.6 * ((k + 0.5) / len(series) - 0.5) for i in range(len(rows))]
            sides = [[one.mean - one.low for one in found], [one.high - one.mean for one in found]]
            known = [[side if math.isfinite(side) else 0.0 for side in row] for row in sides]
            how: dict[str, Any] = {"color": plots.colour(k), "label": name, "markersize": 5, "capsize": 3}
            axes.errorbar([one.mean for one in found], at, xerr=known, fmt="o", **how)
        if par is not None:
            axes.axvline(par, color="#444444", linestyle="--", linewidth=1)
        _rows(axes, list(rows), percent)
    return _titled(figure, f"{title}: {_told(rows, '', percent)}.", title)


def bars(rows: Mapping[str, Mapping[str, float]], title: str, percent: bool = False, stacked: bool = False) -> Chart:
    """Draw numbers as bars: ``rows`` has one for each name, and in it a bar for each series, in any unit (with
    ``percent``: from 0 to 1), side by side or ``stacked``.  Bars that a row lacks are left out.

    >>> bars({"K": {"bet": 0.5, "check": 0.5}}, "Opening", percent=True, stacked=True)
    <Chart: Opening: K bet 50.0%, check 50.0%.>
    """
    series = list(dict.fromkeys(name for row in rows.values() for name in row))
    thick = 0.8 if stacked else 0.8 / len(series)
    height = 0.9 + ROW * len(rows) * (1.0 if stacked else max(1.0, 0.4 * len(series)))
    with _drawing(height, len(series) > 1 or any(series)) as (figure, axes):
        left = [0.0] * len(rows)
        for k, name in enumerate(series):
            values = [row.get(name, 0.0) for row in rows.values()]
            at = [i + (0.0 if stacked else 0.8 * ((k + 0.5) / len(series) - 0.5)) for i in range(len(rows))]
            axes.barh(at, values, thick * 0.94, left if stacked else None, color=plots.colour(k), label=name)
            left = [a + b for a, b in zip(left, values, strict=True)]
        _rows(axes, list(rows), percent)
    said = "; ".join(
        f"{row} {', '.join(f'{name} {_number(value, percent)}'.strip() for name, value in of.items())}"
        for row, of in rows.items()
    )
    return _titled(figure, f"{title}: {said}.", title)


def odds(table: OddsTable) -> Chart:
    """Draw the chances of one of a game's tables of odds (:func:`parlour.engine.odds.odds`).

    >>> import parlour
    >>> from parlour.engine.odds import odds as chances
    >>> odds(chances(parlour.load("diamonds").new().view())[0])
    <Chart: The next card turned up: ...>
    """
    columns = [head if len(table.head) > 2 else "" for head in table.head[1:]]
    chances = {row.label: zip(columns, row.chances, strict=True) for row in table.rows}
    rows = {label: {name: float(chance) for name, chance in of if chance is not None} for label, of in chances.items()}
    return bars(rows, table.title, percent=True)


def strategy(player: Any, states: Mapping[str, State], title: str) -> Chart:
    """Draw the probability of each action of a player in each of these states, by name.  The player must be able to
    state its probabilities, like ``random`` or ``solved:FILE``; any other raises ``ParlourError``.

    >>> import parlour
    >>> from parlour import players
    >>> game = parlour.load("kuhn")
    >>> strategy(players.make("random", game), {"the first choice": game.new(seed=1)}, "At random")
    <Chart: At random: the first choice pass 50.0%, bet 50.0%.>
    """
    if not hasattr(player, "chances"):
        raise ParlourError("The player {name!r} does not say how likely its choices are.", name=player.name)
    rows = {}
    for name, state in states.items():
        seat = state.acting[0]
        legal = state.legal_actions(seat)
        chances = probabilities(player.chances(state.view(seat), [*legal]), legal, f"{player.name}.chances")
        rows[name] = {state.name_of(action): chances[action] for action in sorted(chances)}
    return bars(rows, title, percent=True, stacked=True)


def line(points: Sequence[tuple[float, float]], title: str, across: str, up: str) -> Chart:
    """Draw numbers, ``points`` (across, up) in any unit, as a line; ``across`` and ``up`` name the axes.

    >>> line([(1, 0.5), (2, 0.25)], "Heads only", "tosses", "chance")
    <Chart: Heads only: 0.5 at 1; 0.25 at 2.>
    """
    with _drawing(2.6, False) as (figure, axes):
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", color=plots.colour(0), markersize=4)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
    return _titled(figure, f"{title}: {'; '.join(f'{y:.4g} at {x:g}' for x, y in points)}.", title)


# ------------------------------------------------------------------------------------------ drawing


@contextmanager
def _drawing(height: float, legend: bool) -> Iterator[tuple[Figure, Axes]]:
    """A figure of this height, in inches, and its axes; with a legend on the right if wanted."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_subplot()
        axes.set_axisbelow(True)
        yield figure, axes
        if legend:
            axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _rows(axes: Axes, names: Sequence[str], percent: bool) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    if percent:
        axes.xaxis.set_major_formatter(PercentFormatter(1))


def _titled(figure: Figure, about: str, title: str) -> Chart:
    with mpl.rc_context(_STYLE):
        figure.axes[0].set_title(title)
    return Chart(figure, about)


def _told(rows: Mapping[str, Mapping[str, Estimate]], verb: str, percent: bool) -> str:
    return "; ".join(
        f"{row} {', '.join(f'{verb}{_number(one.mean, percent)} {name}'.strip() for name, one in of.items())}"
        for row, of in rows.items()
    )


def _number(value: float, percent: bool) -> str:
    return f"{value:.1%}" if percent else f"{value:.4g}"


__all__ = ["Chart", "bars", "deals", "estimates", "fairness", "lengths", "line", "odds", "standings", "strategy"]
