"""The atlas of house rules as one HTML page: tables and inline pictures, without external files or scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from parlour import __version__
from parlour.base.extras import needed
from parlour.engine.definition import Definition, definition
from parlour.study.atlas import VERSION, Atlas, Cell, Effect, Trial, all_effects
from parlour.study.intervals import Estimate
from parlour.study.plots import COLOURS, STYLE, draw_lengths, draw_seats, rendered
from parlour.study.simulate import Fired, Survey

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, RISE, FALL = "#010203", "#2d6a8a", "#b0441f"
"""The colour that becomes the page's own; those of figures that rise and fall."""
MOST_DRAWN = 6
MOST_CLAUSES = 3
FULL: Final = {"length": 1.0, "choices": 1.0, "ties": 0.2, "advantage": 0.1}
"""Changes that are drawn in the full colour: relative for length and choices, otherwise as shares of games."""


def page(atlas: Atlas) -> str:
    """Return the page for everything played so far (extra ``study``)."""
    with needed("study"):
        from jinja2 import Environment, FunctionLoader, StrictUndefined

    def source(name: str) -> str:
        return resources.files("parlour.study").joinpath("templates", name).read_text("utf-8")

    environment = Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"known": known, "interval": interval, "change": change}
    found = atlas.finished()
    changed = all_effects(atlas, found)
    chapters = [GameChapter(atlas, game, found, changed[game]) for game in atlas.games]
    chapters = [chapter for chapter in chapters if chapter.tables]
    games = sum(survey.games for survey in found.values())
    return environment.get_template("atlas.html").render(
        chapters=chapters,
        games=games,
        cells=len(found),
        planned=len(atlas.cells),
        effects=sum(map(len, changed.values())),
        discoveries=sum(effect.is_found for some in changed.values() for effect in some),
        version=__version__,
    )


# ------------------------------------------------------------------------------------------ numbers in words


def known(estimate: Estimate, form: str = ".2f") -> str:
    """Return an estimate as the text of a cell.

    >>> known(Estimate(0.123, 0.1, 0.15), ".1%")
    '12.3%'
    """
    return f"{estimate.mean:{form}}".replace("-", "−")


def interval(estimate: Estimate, form: str = ".2f") -> str:
    """Return its interval.

    >>> interval(Estimate(0.123, 0.1, 0.15), ".1%")
    '10.0% to 15.0%'
    """
    if estimate.half == float("inf"):
        return "unknown"
    return f"{estimate.low:{form}} to {estimate.high:{form}}"


def change(effect: Effect | None, form: str = "+.2f") -> str:
    """Return an effect as the text of a cell, which is empty unless it is a discovery."""
    if effect is None or not effect.is_found:
        return ""
    return f"{effect.measure.value.mean:{form}}".replace("-", "−")


# ------------------------------------------------------------------------------------------ one game


@dataclass(frozen=True)
class StandardRules:
    """The standard rules for a number of players."""

    cell: Cell
    survey: Survey

    @property
    def advantage(self) -> float:
        """The share of wins of the best seat less that of the worst."""
        won = [seat.won.mean for seat in self.survey.seats]
        return max(won) - min(won)

    @property
    def dealer(self) -> Estimate | None:
        """The mean return of a deal to its dealer."""
        deals = self.survey.deals
        return deals.places[0] if deals else None

    @property
    def best(self) -> int:
        return max(self.survey.seats, key=lambda seat: seat.won.mean).seat


@dataclass(frozen=True)
class OptionEffect:
    """The effects of one value of an option for a number of players."""

    trial: Trial
    cell: Cell
    survey: Survey
    standard: Survey
    effects: Sequence[Effect]

    @property
    def value(self) -> str:
        return dict(self.cell.options)[self.trial.option]

    @property
    def beside(self) -> str:
        """Other options with which it is tried, except for those that the number of players needs."""
        usual = definition(self.trial.game).options_for(self.trial.players)
        chosen = [(name, value) for name, value in self.trial.fixed if name not in usual]
        return ", ".join(value if name == VERSION else f"{name}={value}" for name, value in chosen)

    def effect(self, what: str, of: str = "") -> Effect | None:
        return next((e for e in self.effects if (e.measure.what, e.measure.of) == (what, of)), None)

    def relative(self, what: str) -> str:
        """The change of a mean as a percentage of that under the standard rules; empty unless it is a discovery."""
        effect = self.effect(what)
        base = self.standard.length.mean.mean if what == "length" else self.standard.choices.mean
        if effect is None or not effect.is_found or not base:
            return ""
        return f"{effect.measure.value.mean / base:+.1%}".replace("-", "−")

    @property
    def seat(self) -> Effect | None:
        """The seat whose share of the wins changes most, among the discoveries."""
        seats = [e for e in self.effects if e.measure.what == "won" and e.is_found]
        return max(seats, key=lambda e: abs(e.measure.value.mean), default=None)

    @property
    def clauses(self) -> list[Effect]:
        """The clauses whose frequency changes most, among the discoveries."""
        some = [e for e in self.effects if e.measure.what in ("per deal", "games with") and e.is_found]
        return sorted(some, key=lambda e: -abs(e.measure.value.mean))[:MOST_CLAUSES]

    @property
    def found(self) -> int:
        """How many discoveries there are."""
        return sum(e.is_found for e in self.effects)


@dataclass(frozen=True)
class GameChapter:
    """The chapter of the page on one game."""

    atlas: Atlas
    game: str
    found: Mapping[Cell, Survey]
    effects: Sequence[Effect]
    by_cell: dict[Cell, list[Effect]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for effect in self.effects:
            self.by_cell.setdefault(effect.cell, []).append(effect)

    @property
    def what(self) -> Definition:
        return definition(self.game)

    @cached_property
    def trials(self) -> list[Trial]:
        return [trial for trial in self.atlas.trials if trial.game == self.game]

    @cached_property
    def tables(self) -> list[StandardRules]:
        """The standard rules, one table for each number of players: that with the most games."""
        best: dict[int, StandardRules] = {}
        for trial in self.trials:
            cell = trial.cells[0]
            if cell in self.found and dict(cell.options) == self.what.options_for(cell.players):
                before = best.get(cell.players)
                if before is None or before.survey.games < cell.games:
                    best[cell.players] = StandardRules(cell, self.found[cell])
        return [best[players] for players in sorted(best)]

    @cached_property
    def options(self) -> dict[str, list[OptionEffect]]:
        """The rows of each option."""
        rows: dict[str, list[OptionEffect]] = {name: [] for name in self.what.options}
        for trial in self.trials:
            standard = self.found.get(trial.cells[0])
            for cell in trial.cells[1:]:
                if standard and cell in self.found:
                    rows[trial.option].append(
                        OptionEffect(trial, cell, self.found[cell], standard, self.by_cell.get(cell, []))
                    )
        for some in rows.values():
            some.sort(key=lambda row: (row.beside, row.trial.values.index(row.value), row.cell.players))
        return {name: some for name, some in rows.items() if some}

    @property
    def unit(self) -> str:
        return "deal" if self.what.has_deals else "game"

    @property
    def games(self) -> int:
        cells = {cell for trial in self.trials for cell in trial.cells if cell in self.found}
        return sum(cell.games for cell in cells)

    @property
    def player(self) -> str:
        return self.trials[0].player

    def about(self, option: str) -> str:
        """What an option decides, in the words of its game."""
        return str(self.what.words.get("options", {}).get(option, {}).get("about", ""))

    @cached_property
    def clauses(self) -> list[tuple[str, str, list[tuple[str, str]]]]:
        """Each clause that fires under the standard rules: its id, its text, and how often, by number of players."""
        fired: dict[str, dict[int, Fired]] = {}
        for table in self.tables:
            for one in table.survey.clauses:
                fired.setdefault(one.clause, {})[table.survey.game.players] = one
        lines = []
        for clause in self.what.book.index:
            if clause in fired:
                cells = [_often(fired[clause].get(table.survey.game.players)) for table in self.tables]
                text = self.tables[0].survey.game.clause(clause).text.replace("`", "")
                lines.append((clause, text, cells))
        return lines

    @property
    def dull(self) -> list[str]:
        """Options without any discovery for any value or number of players."""
        return [name for name, rows in self.options.items() if not any(row.found for row in rows)]

    # -------------------------------------------------------------------------------------- pictures

    @property
    def drawn(self) -> list[StandardRules]:
        """Some numbers of players, if there are many."""
        tables = self.tables
        if len(tables) <= MOST_DRAWN:
            return tables
        return [tables[round(k * (len(tables) - 1) / (MOST_DRAWN - 1))] for k in range(MOST_DRAWN)]

    @property
    def overview(self) -> str:
        """The lengths and the wins by seat, for some numbers of players."""
        surveys = [table.survey for table in self.drawn]
        names = [f"{survey.game.players} players" for survey in surveys]

        def draw(figure: Figure) -> None:
            left, right = figure.subplots(1, 2)
            draw_lengths(left, surveys, names)
            draw_seats(right, surveys, names)
            legend = right.get_legend()
            if legend:
                legend.remove()

        return _svg(9.5, 3.4, draw, f"{self.game}-overview", f"{self.what.name}: length, and wins by seat")

    @property
    def heat(self) -> str:
        """The effects of each value of each option: a row for each value, a column for each number of players."""
        lines: dict[str, dict[int, OptionEffect]] = {}
        for name, rows in self.options.items():
            for row in rows:
                said = f"{name} = {row.value}{f' ({row.beside})' if row.beside else ''}"
                lines.setdefault(said, {})[row.cell.players] = row
        titles = {"length": "length", "choices": f"choices a {self.unit}", "ties": "ties", "advantage": "seats"}
        if VERSION in self.what.options:  # one picture would have too many lines
            lines = {
                said: line
                for said, line in lines.items()
                if any(_shade(row, what) for row in line.values() for what in titles)
            }
        if not lines:
            return ""
        players = [table.survey.game.players for table in self.tables]

        def draw(figure: Figure) -> None:
            for axes, (what, title) in zip(figure.subplots(1, 4, sharey=True), titles.items(), strict=True):
                _heat(axes, [*lines.values()], players, what)
                axes.set_title(title)
            first = figure.axes[0]
            first.set_yticks(range(len(lines)), list(lines), fontsize=8)

        height = 0.9 + 0.19 * len(lines)
        return _svg(9.5, height, draw, f"{self.game}-heat", f"{self.what.name}: what each house rule changes")


def _often(fired: Fired | None) -> tuple[str, str]:
    """The text of a cell that says how often a clause fired, and its interval."""
    if fired is None:
        return "", "never"
    if fired.per_deal is None:
        return f"{fired.games.mean:.1%}", f"of games: {interval(fired.games, '.2%')}"
    return f"{fired.per_deal.mean:.3g}", f"a deal: {interval(fired.per_deal, '.4g')}; games {fired.games.mean:.1%}"


def _shade(row: OptionEffect, what: str) -> float:
    """The strength of a cell's colour, from -1 to 1; 0 without a discovery."""
    if what == "advantage":
        effect, base = row.seat, 1.0
    else:
        effect = row.effect(what)
        base = {"length": row.standard.length.mean.mean, "choices": row.standard.choices.mean}.get(what, 1.0)
    if effect is None or not effect.is_found or not base:
        return 0.0
    return max(-1.0, min(1.0, effect.measure.value.mean / base / FULL[what]))


def _heat(axes: Axes, lines: Sequence[Mapping[int, OptionEffect]], players: Sequence[int], what: str) -> None:
    from matplotlib.patches import Rectangle

    for i, line in enumerate(lines):
        for k, n in enumerate(players):
            if n not in line:
                continue
            shade = _shade(line[n], what)
            strength = abs(shade) ** 0.5
            axes.add_patch(
                Rectangle(
                    (k - 0.46, i - 0.42),
                    0.92,
                    0.84,
                    facecolor=(RISE if shade > 0 else FALL) if shade else INK,
                    alpha=0.15 + 0.85 * strength if shade else 0.05,
                    linewidth=0,
                )
            )
    axes.set_xlim(-0.5, len(players) - 0.5)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    step = 1 if len(players) <= MOST_DRAWN else 5
    axes.set_xticks(range(0, len(players), step), [str(n) for n in players[::step]])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel("players")


def _svg(width: float, height: float, draw: Any, name: str, title: str) -> str:
    """A picture that uses the text colour of the page."""
    with needed("study"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    own = dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK)
    style: Any = {**STYLE, **own, "savefig.facecolor": "none", "axes.facecolor": "none", "svg.id": name}
    with rc_context(style):
        figure = Figure(figsize=(width, height), facecolor="none")
        draw(figure)
        text = rendered(figure, "svg", style).decode()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r'\b(id="|url\(#|href="#)', rf"\g<1>{name}-", text)
    head, _, rest = text.partition(">")
    head = re.sub(r' (?:width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{title}" style="min-width: {width * 60:.0f}px">{rest}'


__all__ = ["COLOURS", "GameChapter", "OptionEffect", "StandardRules", "change", "interval", "known", "page"]
