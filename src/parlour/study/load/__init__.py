"""A server under load: tables of guests who play at random, and how long each move takes to reach everybody.

The server is a process of its own; the guests are clients in this one: of frames, or of the page, which presses the
buttons of HTML as a browser does.  At each table one guest acts after the other, the next one when all have seen the
move before: so it must be a game whose every move everybody notices.

``measuring.py``: the tables, and what is counted of them.  ``guests.py``: who plays.  ``host.py``: the server's
process, and requests to it.  ``report.py``: the figures.
"""

from __future__ import annotations

from parlour.study.load.host import free_port, server, start
from parlour.study.load.measuring import Load, run
from parlour.study.load.report import Figures, Wanted, lines, percentiles

__all__ = ["Figures", "Load", "Wanted", "free_port", "lines", "percentiles", "run", "server", "start"]
