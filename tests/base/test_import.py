"""``import parlour`` is quick, and rules are plain Python."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

from parlour.engine.definition import definition
from tests.helpers import GAMES
from tests.waiting import LIMIT

HEAVY = {"numpy", "rich", "typer", "fastapi", "starlette", "httpx", "asyncio"}


def python(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=True)
    return run.stdout


def test_import_is_quick_and_a_game_is_played_without_anything_heavy() -> None:
    """Counted in calls of functions, for the machine may be busy: 40,000, which take a tenth of a second.  Played from
    loading to the result, with what a table shows, and against bots: no compiler, no arrays."""
    code = """
import sys
calls = 0
def count(frame, event, arg):
    global calls
    calls += event == "call"
sys.setprofile(count)
import parlour
sys.setprofile(None)
import random
from parlour.players import make
choose = random.Random(1)
for name in parlour.game_names():
    state = parlour.load(name).new(seed=1)
    for _ in range(80):
        if state.is_terminal:
            break
        player = state.acting[0]
        state.observation(player), state.text(player), state.events(player), state.refusal(0, player)
        state.apply(choose.choice(state.legal_actions(player)), player)
    state.information_key(0), state.record(), state.returns()
state = parlour.load("diamonds").new(seed=1)
for kind in "random", "rule-of-thumb", "search:5":
    settings = {"binding": "interpreted"} if ":" in kind else {}
    make(kind, state.game, **settings).choose(state.view(state.acting[0]), state.legal_actions())
print(calls, *sys.modules)
"""
    calls, *loaded = python(code).split()
    assert int(calls) < 60_000
    assert not HEAVY & set(loaded)


def test_counting_games_loads_no_more_than_it_needs() -> None:
    """``parlour simulate`` takes a third of a second, most of which is loading."""
    code = """
import contextlib, io, sys
from parlour.cli.app import main
sys.argv = ["parlour", "simulate", "diamonds", "--games", "100"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
print(*sys.modules)
"""
    loaded = {*python(code).split()}
    assert "parlour.study.surveying" in loaded
    assert not {"numpy", "pydantic", "multiprocessing"} & loaded


@pytest.mark.parametrize("game", GAMES)
def test_rules_import_nothing_but_the_vocabulary(game: str) -> None:
    allowed = {"__future__", "typing", "collections.abc", "parlour.rules.vocabulary"}
    allowed |= {"itertools", "math"}  # for tables that are worked out once, while the rules are read
    modules = definition(game).sources
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{a.name}" for a in node.names]
                found += names if node.module == "parlour.rules" else [str(node.module)]
            assert set(found) <= allowed | {other.__name__ for other in modules}
