"""Every tool that is run by hand starts: what nothing runs dies unnoticed."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from parlour.server.page import assets
from tools import typeface

ROOT = Path(__file__).parents[2]

TOOLS = {
    # Each tool with the words of the shortest run that changes no file; without words it is only imported.
    "tools/attack.py": "--help",  # what it does: test_attack
    "tools/every_driver.py": "",  # test_c
    "tools/campaigns.py": "kuhn --list",
    "tools/contracts.py": "",  # test_docs
    "tools/corpus.py": "kuhn 1",
    "tools/covering.py": "--help",  # test_settings
    "tools/failover.py": "--help",  # test_room_failover
    "tests/adapters/playthroughs.py": "",  # test_adapters_openspiel
    "tests/games/hand_for_two.py": "",  # test_unbeatable
    "tools/load/__main__.py": "--help",  # test_load
    "tools/machine_code.py": "--help",
    "tools/minutes.py": "--help",  # test_presets
    "tools/mutants.py": "kuhn --list",  # and test_mutants
    "tools/nightly.py": "--list",  # and test_nightly
    "tools/peers/__main__.py": "--help",  # test_peers
    "tests/patient.py": "--version",  # test_visits
    "tools/quick.py": "",  # test_quick
    "tools/ranking.py": "",  # minutes of measuring
    "tools/screenshots.py": "--help",  # test_page_sizes
    "tools/shipping.py": "--help",
    "tools/simulation/__main__.py": "--help",
    "tools/slow_line.py": "--help",  # test_page_fast
    "tools/translations.py": "--help",  # test_languages
    "tools/typeface.py": "--help",
    "tools/unbeatable.py": "--help",  # test_unbeatable
    "tools/watching.py": "--help",
    "tools/website.py": "",  # test_docs
    "tools/wheels.py": "",  # test_packaging
    "docs/images/draw_learning.py": "",
    "docs/images/draw_terminal.py": "",
    "docs/examples/bot.py": "",  # test_bot_example
    "docs/examples/jax_a2c.py": None,  # needs JAX: test_examples, in `make test-long`
    "docs/examples/ppo.py": None,  # needs PyTorch: test_examples, in `make test-long`
    "docs/examples/ray_cluster.py": None,  # needs Ray: test_cluster
    "docs/examples/reinforce.py": "",  # test_examples
    "docs/examples/torchrl_ppo.py": None,
    "docs/results/antes.py": "",
    "docs/results/carried.py": "",
    "docs/results/charts.py": "",  # test_results
    "docs/results/commit.py": "2 100",
    "docs/results/decks.py": "commit 6",
    "docs/results/diamondback.py": "",
    "docs/results/diamonds.py": "",
    "docs/results/hands.py": "",
    "docs/results/imagined.py": "",
    "docs/results/matrimony.py": "2",
    "docs/results/ruin.py": "",
}

CHILD = """
import contextlib, io, json, runpy, sys, traceback
mouth, path = sys.stdout, sys.path[:]
for file, words in json.load(sys.stdin).items():
    sys.argv, sys.path = [file, *words.split()], [file.rpartition("/")[0], *path] if file[:5] != "tools" else path
    printed, ended = io.StringIO(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            runpy.run_path(file, run_name="__main__" if words else "imported")
        except SystemExit as stopped:
            ended = stopped.code or 0
        except BaseException:
            ended = traceback.format_exc()
    print(json.dumps([file, ended, printed.getvalue()]), file=mouth, flush=True)
"""
"""One process for all tools: what they import takes longer than what they do here."""


@pytest.fixture(scope="module")
def runs() -> dict[str, tuple[Any, str]]:
    """How each tool ended, and what it printed."""
    tools = json.dumps({file: words for file, words in TOOLS.items() if words is not None})
    ran = subprocess.run(
        [sys.executable, "-c", CHILD], input=tools, cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    return {file: (ended, printed) for file, ended, printed in said}


@pytest.mark.parametrize("tool", [tool for tool, words in TOOLS.items() if words is not None])
def test_a_tool_starts(runs: dict[str, tuple[Any, str]], tool: str) -> None:
    assert tool in runs, "an earlier one has ended the process"
    ended, printed = runs[tool]
    assert ended == 0, printed
    if TOOLS[tool] == "--help":
        assert printed.startswith("usage: ")


def test_every_tool_is_in_the_table() -> None:
    found = {file for place in ("tests", "tools", "docs") for file in (ROOT / place).rglob("*.py")}
    runnable = {file for file in found if re.search(r'^if __name__ == "__main__":', file.read_text("utf-8"), re.M)}
    assert {str(file.relative_to(ROOT)) for file in runnable} == {*TOOLS}
    named = re.findall(r"-m tools\.(\w+)", (ROOT / "Makefile").read_text("utf-8"))
    places = {f"tools/{name}/__main__.py" if (ROOT / "tools" / name).is_dir() else f"tools/{name}.py" for name in named}
    assert places <= {*TOOLS}


def test_the_picture_in_the_readme_is_what_the_program_shows() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "images" / "draw_terminal.py"))["drawn"]()
    assert drawn == (ROOT / "docs" / "images" / "terminal.svg").read_text("utf-8"), (
        "python docs/images/draw_terminal.py"
    )


@pytest.mark.long
def test_a_page_is_watched() -> None:
    command = [sys.executable, "-m", "tools.watching", "sizes", "kuhn"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.search(r"^kuhn +2 +\d", ran.stdout, re.M)


def test_the_typeface_for_pictures_is_the_one_that_pages_load() -> None:
    typeface.for_pictures().save(made := BytesIO())
    assert made.getvalue() == (typeface.FOR_PICTURES / typeface.PICTURED).read_bytes()


def test_a_face_is_loaded_for_the_characters_that_it_has() -> None:
    """A range that is too short sets a title in two faces; one that is too long loads a file for nothing."""
    faces = re.findall(
        r"@font-face\{.*?fonts/(\w[\w-]*\.woff2).*?unicode-range: ?(.*?)[;}]",
        assets.static("parlour.css").body.decode(),
    )
    assert {name for name, _ in faces} == {one.name for one in typeface.HERE.glob("*.woff2")}
    for name, ranges in faces:
        ends = [one.removeprefix("U+").partition("-") for one in ranges.split(",")]
        promised = {code for first, _, last in ends for code in range(int(first, 16), int(last or first, 16) + 1)}
        assert promised == set(TTFont(typeface.HERE / name).getBestCmap()), name
