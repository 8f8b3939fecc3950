"""What can be measured as a policy: a table in a text file (:mod:`parlour.solve.tables`), or a strategy file.

>>> import parlour, tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     write_policy(Path(folder) / "mine.json", TablePolicy(parlour.load("kuhn"), [{}, {}]))
...     read_policy(Path(folder) / "mine.json").tables
[{}, {}]
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from parlour.solve.strategy import Strategy, read
from parlour.solve.tables import TablePolicy, read_table, write_policy

__all__ = ["TablePolicy", "read_policy", "table_of", "write_policy"]


def table_of(strategy: Strategy) -> TablePolicy:
    """Return a strategy as a table.

    >>> import parlour
    >>> from parlour.solve.form import grow
    >>> from parlour.solve.solver import Solver
    >>> from parlour.solve.strategy import found
    >>> solver = Solver(grow(parlour.load("kuhn")))
    >>> _ = solver.run(iterations=10)
    >>> [len(table) for table in table_of(found(solver)).tables]
    [6, 6]
    """
    tables = [{key: side.at(i) for i, key in enumerate(side.key.tolist())} for side in strategy.players]
    return TablePolicy(strategy.game, tables, {"iterations": strategy.about["iterations"]})


def read_policy(file: str | Path) -> TablePolicy:
    """Return the policy in a file, or in a strategy file of ``parlour solve``.  Raises ``ParlourError``, which says
    what is wrong, if it is neither, or for a game that is not here."""
    return table_of(read(file)) if zipfile.is_zipfile(file) else read_table(file)
