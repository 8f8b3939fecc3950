"""For the reference: docstrings of plain text, with roles and doctests, as the Markdown that the site understands."""

from __future__ import annotations

import re
from typing import Any

import griffe


class PlainDocstrings(griffe.Extension):
    """Fences doctests, which Markdown would take for quotations, and turns ``:class:`Name``` into code.

    The first paragraph becomes one line: tables of contents quote the first line.
    """

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for each object when its source has been read."""
        if obj.docstring:
            first, blank, rest = obj.docstring.value.partition("\n\n")
            if not re.search(r"^\s*(?:>>>|[-*|] )", first, re.MULTILINE):
                first = " ".join(first.split())
            text = re.sub(r":(?:class|func|meth|mod|data):`~?([^`]+)`", r"`\1`", first + blank + rest)
            obj.docstring.value = re.sub(
                r"^([ ]*)>>> .*(?:\n(?!\s*$).*)*", r"\1```pycon\n\g<0>\n\1```", text, flags=re.MULTILINE
            )
