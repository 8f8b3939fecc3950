"""The room: live tables.  What is written to the log is the truth; what leaves is what a seat has been told.

``log.py``: what is written down.  ``table.py``: a table, as its log says.  ``wire.py``: what goes to and comes from
clients.
"""
