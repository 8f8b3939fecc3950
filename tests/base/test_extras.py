"""What ``pip install parlour`` brings does without the extras, and says in one sentence what is missing; ``import
parlour`` is quick, and rules are plain Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import typer

from parlour.base.extras import _PART_OF, CLIENT, COMMANDS, EXTRAS, explained, needed
from parlour.cli.app import app
from tests.waiting import LIMIT
from tools import website

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
BARE = f"""
import contextlib, importlib, io, json, sys
for module in {sorted({*(m for names in EXTRAS.values() for m in names), *_PART_OF} - {"markdown_it"})!r}:
    sys.modules[module] = None
"""
"""What a Python without any of the extras is like; Rich brings markdown-it-py."""

SENTENCE = re.compile(r"[^\n]+ (?:needs|is) [^\n]+ installed; pip install 'parlour\[(\w+)\]' brings it\.")


def bare(code: str, tmp_path: Path) -> Any:
    """What a program prints, as JSON, where no extra is installed."""
    run = [sys.executable, "-c", BARE + code]
    done = subprocess.run(run, capture_output=True, text=True, timeout=LIMIT, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def distributions(requirements: list[str]) -> set[str]:
    names = {re.match(r"[\w.-]+", line)[0] for line in requirements}  # type: ignore[index]
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names} - {"parlour"}


TAKEN_BY_ITSELF = {"uvloop"}
"""What nobody here imports and nothing needs: uvicorn runs faster with it."""


def test_extras_are_those_of_the_package() -> None:
    known = metadata.packages_distributions()
    for extra, modules in EXTRAS.items():
        listed = distributions([known[module][0] for module in modules])
        assert listed == distributions(PROJECT["optional-dependencies"][extra]) - TAKEN_BY_ITSELF
    assert PROJECT["optional-dependencies"]["all"] == [f"parlour[{','.join(sorted(EXTRAS))}]"]
    assert COMMANDS.keys() < typer.main.get_command(app).commands.keys()  # type: ignore[attr-defined]
    assert set(COMMANDS.values()) <= EXTRAS.keys()


ARGUMENTS = {
    "certify": "no.json", "exploit": "kuhn --player random", "simulate": "kuhn", "train": "hearts",
    "score": "random", "skill": "kuhn", "solve": "kuhn",
}  # fmt: skip
WITHOUT = [
    *("--version", "serve --help", "games", "rules kuhn", "new my_game", "odds diamonds", "play kuhn --against search"),
    *("match kuhn random search:5 -n 2 --out kept", "corpus some kuhn -n 2", "replay kept/records/000000-0.txt"),
    "match diamonds random rule-of-thumb -n 2000",
    "simulate diamonds --player rule-of-thumb --games 100",
]
"""Commands that run without any extra."""
TABLE = "http://localhost:9/t/QWRTZP"
PARTLY = {
    "server": [f"bot {TABLE}", f"play --table {TABLE} --name Ada", "play kuhn --server http://localhost:9 --name Ada"],
    "study": ["corpus no kuhn -n 1 --with-parquet", "match kuhn random random --with-parquet"],
    "fast": ["match kuhn random solved:no.json"],
}
"""Options of commands that need one."""
RUN = """
from parlour.cli.app import main
def run(words):
    out, error = io.StringIO(), io.StringIO()
    sys.argv, sys.stdin = ["parlour", *words.split()], io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), error.getvalue()
print(json.dumps([run(words) for words in {commands!r}]))
"""


def test_commands_run_without_extras_or_say_which_they_need(tmp_path: Path) -> None:
    refused = [(extra, f"{name} {ARGUMENTS.get(name, '')}") for name, extra in COMMANDS.items()]
    refused += [(extra, words) for extra, some in PARTLY.items() for words in some]
    commands = [*WITHOUT, *(words for _, words in refused)]
    done = bare(RUN.format(commands=commands), tmp_path)
    for words, (code, out, error) in zip(WITHOUT, done, strict=False):
        assert code in (0, None), f"{words}: {out}{error}"
        assert not error, words
    for (extra, words), (code, out, error) in zip(refused, done[len(WITHOUT) :], strict=True):
        found = SENTENCE.fullmatch(error.strip())
        assert (code, out, found and found[1]) == (2, "", extra), f"{words}: {out}{error}"


SAID = """
import parlour
game = parlour.load("kuhn")
state = game.new(seed=1)
asked = {{
    "batch": lambda: game.batch(3),
    "Batch": lambda: parlour.Batch,
    "tensor": lambda: state.view(0).tensor(),
    "information_tensor": lambda: state.information_tensor(0),
}}
said, picture = {{}}, state._repr_html_()
def say(name, function, error):
    try:
        function()
    except error as missing:
        said[name] = str(missing)
for name, function in asked.items():
    say(name, function, parlour.ParlourError)
for name in {modules!r}:
    say(name, lambda: importlib.import_module(name), ImportError)
print(json.dumps([said, picture]))
"""
"""What is said where machine code is missing, and by all modules of which there is a reference."""
CLIENTS = """
for module in {there!r}:
    del sys.modules[module]
import parlour.server.client.client, parlour.server.client.bot_client, parlour.cli.play.remote_table
try:
    import parlour.server.page
except ImportError as missing:
    print(json.dumps(str(missing)))
"""
MODULES = [*website.modules(), "parlour.core.batch", "parlour.core.compiled_state", "parlour.server.site.serving"]


def test_a_client_needs_no_more_than_a_client_does(tmp_path: Path) -> None:
    """Where a library of the server cannot be installed, such as one that draws, people can play at other servers."""
    assert SENTENCE.fullmatch(bare(CLIENTS.format(there=CLIENT), tmp_path))


def test_whatever_needs_an_extra_says_which(tmp_path: Path) -> None:
    said, picture = bare(SAID.format(modules=MODULES), tmp_path)
    assert picture is None
    called = ("batch", "Batch", "tensor", "information_tensor")
    assert {SENTENCE.fullmatch(said.pop(name))[1] for name in called} == {"fast"}  # type: ignore[index]
    assert all(SENTENCE.fullmatch(sentence) for sentence in said.values()), said
    parts = ("adapters.", "solve.", "server.", "core.batch", "core.comp", "server.site.serving")
    studies = ("beliefs", "charts", "decisions", "gpu", "scoring", "training", "values")
    needs = (*(f"parlour.{part}" for part in parts), *(f"parlour.study.{study}" for study in studies))
    assert {name for name in website.modules() if name.startswith(needs)} - {"parlour.adapters.gambit"} <= said.keys()
    assert [name for name in said if not name.startswith(needs)] == []
    assert explained(ModuleNotFoundError(name="my_bot")) is None, "a fault of one's own"
    with pytest.raises(ModuleNotFoundError, match="my_bot"), needed("fast"):
        raise ModuleNotFoundError("No module named 'my_bot'", name="my_bot")


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


def test_the_first_prompt_and_counting_games_load_no_more_than_they_need() -> None:
    """``parlour simulate`` takes a third of a second, most of which is loading."""
    code = """
import contextlib, io, sys
from parlour.cli.app import main
sys.stdin = io.StringIO()
for words in ("play diamonds --against search", "simulate diamonds --games 100"):
    sys.argv = ["parlour", *words.split()]
    with contextlib.redirect_stdout(said := io.StringIO()), contextlib.suppress(SystemExit):
        main()
    assert "Your choice" in said.getvalue() or "win" in said.getvalue()
print(*sys.modules)
"""
    loaded = {*python(code).split()}
    assert "parlour.study.surveying" in loaded
    assert not {"numpy", "asyncio", "pydantic", "multiprocessing"} & loaded
