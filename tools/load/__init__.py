"""A server under load: tables of guests who play at random, and how long each move takes to reach everybody.

The server is a process of its own; the guests are clients in this one: either of the interface, or of the page, whose
buttons they press as a browser would.  At each table guests act one after another, the next when everybody has seen the
move before, so it must be a game whose every move everybody notices.

``measuring.py``: the tables, and what is counted of them.  ``guests.py``: the guests who play.  ``host.py``: the
server's process, and requests to it.  ``report.py``: the figures.
"""

from __future__ import annotations

from tools.load.host import free_port, server, start
from tools.load.measuring import Load, run
from tools.load.report import Figures, LoadPlan, lines, percentiles

__all__ = ["Figures", "Load", "LoadPlan", "free_port", "lines", "percentiles", "run", "server", "start"]
