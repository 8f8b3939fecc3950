"""``python -m tools.peers``: Parlour beside OpenSpiel, Pgx, RLCard and PettingZoo, in the turns of one bench.

``libraries.py``: the peers, and how they are driven.  ``page.py``: ``docs/bench.md``.
"""
