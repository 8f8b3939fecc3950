"""The room: live tables.  The log holds the truth; only what a seat has been told leaves the room.

``log.py``: what is written down.  ``table.py``: a table, as its log says.  ``moves.py``, ``seating.py``, ``proof.py``:
the entries that commands become.  ``known.py``: what each seat knows.  ``wire.py``: what goes to and comes from
clients.
"""

from parlour.extras import CLIENT, require

require("server", "A table on a server", CLIENT)  # a server needs more, and says so itself
