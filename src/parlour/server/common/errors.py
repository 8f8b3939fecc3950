"""Errors at a table that have nothing to do with the rules."""

from __future__ import annotations

from parlour.base.errors import ParlourError


class NoTable(ParlourError):
    """There is no such table."""


class Moved(ParlourError):
    """Another server runs the table now, or it is not known which one does."""


class TooEarly(ParlourError):
    """What was asked for is available only when the match is over."""


class Private(ParlourError):
    """Only the players of this table may see it, as long as others can be dealt the same cards."""


class NotWritten(ParlourError):
    """The log cannot be written at the moment, and it is not known that anything was done."""


__all__ = ["Moved", "NoTable", "NotWritten", "Private", "TooEarly"]
