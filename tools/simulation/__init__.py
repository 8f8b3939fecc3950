"""The server in a simulated world: clock, network, database, threads and chance come from one seed.

:mod:`tools.simulation.world` makes servers, :mod:`tools.simulation.guests` who comes to them, and
:mod:`tools.simulation.checks` says what must be so after every event.  A failure is a number:
``make simulate-room ARGS="--seed 17"`` plays it again.

Outside stay sockets and what reads them (uvicorn, WebSockets, streams of frames and events, limits of connections),
real processes, the locks of PostgreSQL, and scripts in a browser.
"""
