"""What can go wrong at a table apart from the rules."""

from __future__ import annotations

from parlour.base.errors import ParlourError


class NoTable(ParlourError):
    """There is no such table."""


class Moved(ParlourError):
    """Another server has the table now, or nobody can say which."""


class TooEarly(ParlourError):
    """What was requested will be available when the match is over."""


class Private(ParlourError):
    """Only those who play at this table may see it, as long as others can be dealt the same cards."""


class NotWritten(ParlourError):
    """The log cannot be written at the moment, and it is not known that anything was done."""


__all__ = ["Moved", "NoTable", "NotWritten", "Private", "TooEarly"]
