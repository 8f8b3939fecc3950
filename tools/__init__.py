"""Tools of those who work on Parlour, started as ``python -m tools.NAME``; nothing of them is installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the sampler, a game of the tests, has a plain name
