"""The figures of surveys as one flat table: for CSV, Parquet and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from parlour.base.disk import put
from parlour.base.extras import needed
from parlour.study.simulate import Measure, Survey, changed, clauses_fired, compare, measures

if TYPE_CHECKING:
    import polars

COLUMNS: Final = {
    "game": "the game's id",
    "players": "the number of players",
    "player": "the kind of all players",
    "games": "how many games were played",
    "setting": "the house rules that tell this setting from the others",
    "less": "for a difference: the setting that it is taken from; otherwise empty",
    "measure": "what the figure is, as in `Measure`",
    "of": "the seat, place or clause; empty for the whole game",
    "mean": "the estimate",
    "low": "the lower end of its 95% interval; missing where it is unknown",
    "high": "the upper end",
}
"""The columns of the table, the same for every game."""


def rows(surveys: Sequence[Survey]) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each figure of each survey, then one for each difference from the first.

    >>> from parlour.study.simulate import simulate
    >>> dict(zip(COLUMNS, next(rows([simulate("kuhn", 100, seed=1)]))))["measure"]
    'length'
    """
    clauses = clauses_fired(surveys)

    def lines(survey: Survey, less: str, figures: Sequence[Measure]) -> Iterator[tuple[Any, ...]]:
        game, setting = survey.game, changed(survey, surveys)
        for m in figures:
            about = (game.id, game.players, survey.player, survey.games, setting, less, m.what, m.of)
            yield *about, *m.value.as_data().values()

    for survey in surveys:
        yield from lines(survey, "", measures(survey, clauses))
    for survey in surveys[1:]:
        yield from lines(survey, changed(surveys[0], surveys), compare(survey, surveys[0]))


def frame(surveys: Sequence[Survey]) -> polars.DataFrame:
    """Return the figures of surveys as a data frame with the columns of :data:`COLUMNS` (extra ``study``). Raises
    ``ParlourError`` without the extra ``study``.

    >>> from parlour.study.simulate import simulate
    >>> table = frame([simulate("kuhn", 100)])
    >>> table.columns == list(COLUMNS), table["measure"][0]
    (True, 'length')
    """
    with needed("study"):
        import polars

    types: dict[str, Any] = dict.fromkeys(COLUMNS, polars.String)
    types |= {"players": polars.Int32, "games": polars.Int64}
    types |= dict.fromkeys(("mean", "low", "high"), polars.Float64)
    return polars.DataFrame(list(rows(surveys)), types, orient="row")


def write_csv(surveys: Sequence[Survey], to: IO[str]) -> None:
    """Write the same as CSV, with a heading; missing values are empty.

    >>> from parlour.study.simulate import simulate
    >>> write_csv([simulate("kuhn", 100, seed=1)], written := io.StringIO())
    >>> written.getvalue().partition(",")[0]
    'game'
    """
    writer = csv.writer(to, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(surveys))


def write_parquet(surveys: Sequence[Survey], file: str | Path) -> None:
    """Write the same as Parquet (extra ``study``).  ``ParlourError`` if the file cannot be written.

    >>> import polars, tempfile
    >>> from parlour.study.simulate import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_parquet([simulate("kuhn", 100, seed=1)], Path(folder) / "kuhn.parquet")
    ...     polars.read_parquet(Path(folder) / "kuhn.parquet").columns == list(COLUMNS)
    True
    """
    frame(surveys).write_parquet(out := io.BytesIO(), compression="zstd")
    put(file, out.getvalue())


__all__ = ["COLUMNS", "frame", "rows", "write_csv", "write_parquet"]
