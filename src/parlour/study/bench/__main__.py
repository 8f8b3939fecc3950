"""``python -m parlour.study.bench FILE``: ``docs/bench.md`` from the JSON of a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from parlour.base.errors import reason
from parlour.study.bench.report import markdown


def main(arguments: Sequence[str]) -> int:
    """``python -m parlour.study.bench FILE``: the Markdown of the JSON in a file."""
    if len(arguments) != 1:
        print("usage: python -m parlour.study.bench docs/bench.json > docs/bench.md", file=sys.stderr)
        return 2
    try:
        found = json.loads(Path(arguments[0]).read_text("utf-8"))
        print(markdown(found), end="")
    except OSError as error:
        print(f"{arguments[0]} cannot be read: {reason(error)}.", file=sys.stderr)
        return 2
    except (ValueError, KeyError):
        print(f"{arguments[0]} is not what `parlour bench --json` prints.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
