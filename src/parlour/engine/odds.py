"""Odds: chances that a player can work out exactly from what they are told.

A game may have a module ``odds`` in its folder.  It defines

* ``FACTS``: the facts that a question may take as given: ``dict`` of names and, in a few words, what each takes (in
  English, each :func:`~parlour.base.languages.marked`);
* ``odds(view, names, given)``: the tables (:class:`OddsTable`) that answer the questions of a player with this view, in
  the reader's language.

It sees a :class:`~parlour.engine.telling.View` and nothing else: the answer contains nothing that the viewer could not
have worked out.  The view may be of the start of the game or of any later moment, and a player's or a spectator's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import ParlourError, unknown
from parlour.base.languages import marked
from parlour.engine.slips import mistake

if TYPE_CHECKING:
    from parlour.engine.definition import Definition
    from parlour.engine.telling import View

__all__ = ["OddsRow", "OddsTable", "facts", "odds"]

Given = Mapping[str, Sequence[str]]
"""Facts taken as given: each name with its values, as typed."""


class OddsRow(NamedTuple):
    """A row of a table: its label, and in ``chances`` for each column a chance from 0 to 1 (``None``: the case cannot
    occur).

    >>> OddsRow("king", (0.5, None)).chances
    (0.5, None)
    """

    label: str
    chances: tuple[Fraction | None, ...]


@dataclass(frozen=True, slots=True)
class OddsTable:
    """An answer.

    ``head`` names the labels, then each column; ``basis`` is a sentence that cites the clauses behind the figures.
    ``samples`` is 0 if the chances are exact; otherwise each is a share of that number of sampled cases.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[OddsRow, ...]
    basis: str
    samples: int = 0

    def as_data(self) -> dict[str, Any]:
        """The table as JSON-able data: chances as text of a fraction and as a number.

        >>> table = OddsTable("A coin", ("side", "chance"), (OddsRow("heads", (Fraction(1, 2),)),), "It is fair.")
        >>> table.as_data()["rows"]
        [{'label': 'heads', 'chances': [{'fraction': '1/2', 'value': 0.5}]}]
        """
        return {
            "title": self.title,
            "head": list(self.head),
            "rows": [{"label": row.label, "chances": [*map(_chance, row.chances)]} for row in self.rows],
            "basis": self.basis,
            "samples": self.samples,
        }


def _chance(chance: Fraction | None) -> dict[str, Any] | None:
    return None if chance is None else {"fraction": str(chance), "value": float(chance)}


def facts(game: Definition) -> Mapping[str, str]:
    """Return the facts that the odds of a game accept.  Raises ``ParlourError`` if the game has no odds.

    >>> from parlour.engine.definition import definition
    >>> list(facts(definition("diamonds")))
    ['spade']
    """
    from parlour.engine.definition import definition, games

    own = game.part("odds")
    if own is None:
        others = [name for name in games() if definition(name).part("odds")]
        raise ParlourError(
            "There are no odds for {title}; there are for {others}.", title=game.title, others=", ".join(others)
        )
    declared: dict[str, str] = own.FACTS
    return declared


def odds(view: View, names: Sequence[str] | None = None, given: Given = MappingProxyType({})) -> list[OddsTable]:
    """Return the chances that the holder of a view can work out, in one or more tables.

    ``names`` are the players', by seat.  Raises ``ParlourError`` if the game has no odds, if a fact is unknown to the
    game or impossible, or if nothing is left to chance.

    >>> import parlour
    >>> start = parlour.load("diamonds").new().view()
    >>> table, *_ = odds(start)
    >>> table.rows[0].label, table.rows[0].chances
    ('a diamond', (Fraction(13, 54),))
    """
    from parlour.engine.ruleset import of_kind
    from parlour.engine.steps import unnamed
    from parlour.engine.telling import View

    game = of_kind(view, View, "a view, as state.view(...) returns it").game.definition
    known = facts(game)
    for name in given:
        if not known:
            raise ParlourError("The odds of {title} take no facts, so not {name!r}.", title=game.title, name=name)
        if name not in known:
            raise unknown(marked("fact"), name, known, whose=game.id)
    own: Any = game.part("odds")
    try:
        tables: list[OddsTable] = own.odds(view, names or unnamed(view.game.players), given)
    except ParlourError:
        raise
    except Exception as error:  # whatever the author's function does wrong, with its file and line
        raise ParlourError(mistake(error)) from error
    if not tables:
        raise ParlourError("There are no odds here: nothing is left to chance.")
    return tables
