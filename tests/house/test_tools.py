"""Every tool that is run by hand starts: what nothing runs dies unnoticed."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from fontTools.ttLib import TTFont

from parlour.server.page import assets
from tests.waiting import until
from tools import typeface
from tools.load import Load, LoadPlan, run

ROOT = Path(__file__).parents[2]

SHORT = {
    "tools/corpus.py": "kuhn 1", "tools/mutants.py": "kuhn --list",
    "tests/patient.py": "--version", "docs/results/commit.py": "2 100", "docs/results/decks.py": "commit 6",
    "docs/results/matrimony.py": "2",
}  # fmt: skip
"""The words of the shortest run that changes no file.  Of other tools help is asked for, or else they are imported."""
LARGE = [
    *(f"docs/examples/{name}.py" for name in ("baselines", "deep_cfr", "jax_a2c", "ppo", "ray_cluster", "torchrl_ppo")),
    *("tests/adapters/playthroughs.py", "tools/every_driver.py"),
]
"""Those that need much, of others' or ours: their own tests start them, some in `make test-long`."""


def tools() -> Iterator[tuple[str, str]]:
    for file in sorted(file for place in ("tests", "tools", "docs") for file in (ROOT / place).rglob("*.py")):
        text, name = file.read_text("utf-8"), str(file.relative_to(ROOT))
        if re.search(r'^if __name__ == "__main__":', text, re.M) and name not in LARGE:
            yield name, SHORT.get(name, "--help" if "ArgumentParser(" in text else "")


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


def test_every_tool_starts() -> None:
    words = dict(tools())
    named = re.findall(r"-m tools\.(\w+)", (ROOT / "Makefile").read_text("utf-8"))
    assert {name for name in named if not {f"tools/{name}/__main__.py", f"tools/{name}.py"} & {*words}} == set()
    assert {*SHORT} < {*words}
    command = [sys.executable, "-c", CHILD]
    ran = subprocess.run(command, input=json.dumps(words), cwd=ROOT, capture_output=True, text=True, check=False)
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [file for file, *_ in said] == [*words], "the last one has ended the process"
    for file, ended, printed in said:
        assert ended == 0, f"{file}: {printed}"
        assert words[file] != "--help" or printed.startswith("usage: "), file


def test_pictures_are_what_the_programs_show() -> None:
    """That of the README, and the typeface for pictures, which is the one that pages load."""
    drawn = runpy.run_path(str(ROOT / "docs" / "images" / "draw_terminal.py"))["drawn"]()
    kept = (ROOT / "docs" / "images" / "terminal.svg").read_text("utf-8")
    assert drawn == kept, "python docs/images/draw_terminal.py"
    typeface.for_pictures().save(made := BytesIO())
    assert made.getvalue() == (typeface.FOR_PICTURES / typeface.PICTURED).read_bytes()


@pytest.mark.long
def test_a_page_is_watched() -> None:
    command = [sys.executable, "-m", "tools.watching", "sizes", "kuhn"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.search(r"^kuhn +en +\d", ran.stdout, re.M)


MOVES = 20


@pytest.mark.long
def test_guests_play_by_the_buttons_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many moves a second this machine makes."""

    async def play(load: Load, _: float) -> None:
        before = load.moves
        await until(lambda: load._failed.done() or load.moves >= before + MOVES)
        if load._failed.done():
            load._failed.result()

    monkeypatch.setattr(Load, "_play", play)
    figures = run(LoadPlan(tables=2, pages=True))
    assert figures.moves >= MOVES
    assert figures.tellings_per_move > 2  # all four see each move, except those still open when the measuring ends
    assert figures.bytes_per_telling > 1000  # it is HTML


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


@pytest.mark.long
def test_the_club_of_the_pictures_has_played() -> None:
    from tools.screenshots import a_club

    with a_club() as (server, pages):
        assert {httpx.get(server.url + page).status_code for page in pages.values()} == {200}
