"""The first things that a stranger types, walked in whatever surroundings they may have: each ends in an answer or in
one sentence, and leaves nothing behind.

Commands and their options are read from the program, so a new one is walked as well.  One process for each surrounding
has everything loaded, and forks for each case: that takes some hundredths of a second.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from parlour.engine.definition import shelf
from tests.helpers import there
from tests.waiting import LIMIT
from tools.wheels import build, installed, run

WALKER: Final = r"""
import contextlib, functools, gc, io, json, os, shutil, signal, sys, tempfile
from pathlib import Path

sys.argv = ["parlour", "--version"]
import typer
from parlour.cli import app
typer.main.get_command = functools.cache(typer.main.get_command)  # making them takes longer than most commands do
commands = typer.main.get_command(app.app).commands

def numbers():
    for name, command in commands.items():
        for param in command.params:
            kind = param.type.name
            if "int" in kind or "float" in kind:
                yield name, param.opts[0], "float" in kind

def left(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

def walk(job):
    place = Path(tempfile.mkdtemp(prefix="parlour-steps-"))
    work, home, temporary = (place / name for name in ("work", "home", "tmp"))
    for folder in (work, home, temporary):
        folder.mkdir()
    (place / "typed").write_text(job["typed"], "utf-8")
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        os.setsid()
        signal.alarm(job["seconds"])
        os.chdir(work)
        if os.environ.get("HOME") == "OWN":
            os.environ["HOME"] = str(home)
        os.environ["TMPDIR"] = str(temporary)
        tempfile.tempdir = str(temporary)
        typed = os.open(place / "typed", os.O_RDONLY)
        errors = os.open(place / "errors", os.O_WRONLY | os.O_CREAT)
        out = writer if job["lines"] else os.open(place / "out", os.O_WRONLY | os.O_CREAT)
        for number, to in ((typed, 0), (out, 1), (errors, 2)):
            os.dup2(number, to)
        sys.stdin = open(0, encoding=ENCODING, errors=ERRORS)
        sys.argv = ["parlour", *job["words"]]
        code = 0
        try:
            app.main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            import traceback
            traceback.print_exc()
            code = 99
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            code = 98
        os._exit(code)
    os.close(writer)
    said = b""
    while said.count(b"\n") < job["lines"] and (part := os.read(reader, 1 << 16)):
        said += part
    os.close(reader)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # whatever it has started
    said = said if job["lines"] else (place / "out").read_bytes()
    answer = {"code": code, "out": said.decode("utf-8", "replace"),
              "err": (place / "errors").read_text("utf-8", "replace"),
              "left": left(work) + left(home) + left(temporary)}
    shutil.rmtree(place)
    return answer

ENCODING, ERRORS = sys.stdin.encoding, sys.stdin.errors

def load(*words):
    sys.argv, sys.stdin = ["parlour", *words], io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            app.main()

answers, orders = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.fdopen(os.dup(0), encoding="utf-8")
for words in ("--help", "play --help", "rules kuhn", "play kuhn --against random", "learn kuhn"):
    load(*words.split())
gc.freeze()
print(json.dumps({"commands": list(commands), "numbers": list(numbers())}), file=answers, flush=True)
for line in orders:
    print(json.dumps(walk(json.loads(line))), file=answers, flush=True)
"""

SURROUNDINGS: Final[Mapping[str, Mapping[str, str | None]]] = {
    "as usual": {},
    "no language, a home that cannot be": {
        "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "HOME": "/dev/null",
    },
    "German, no colour, a relative home": {
        "LANG": "de_DE.UTF-8", "NO_COLOR": "1", "HOME": "home", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache",
    },
    "nobody, -OO": {"HOME": None, "PYTHONPATH": "NOBODY", "PYTHONOPTIMIZE": "2"},
    "a poor terminal, a damaged cache, every warning": {
        "TERM": "dumb", "COLUMNS": "40",
        "PARLOUR_CACHE": "/dev/null", "PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1",
    },
}  # fmt: skip
"""What is different from the usual, by variable of the environment; nothing hides what another brings to light."""
NOBODY: Final = """
import pwd
def nobody(number):
    raise KeyError(number)
pwd.getpwuid = nobody
"""
"""A user whom the password file does not know, as containers have."""
ROOT: Final = Path(__file__).parents[2]
README, STARTER = ROOT / "README.md", ROOT / "src" / "parlour" / "cli" / "author" / "starter"
SECONDS: Final = 60
WRONG: Final = "frobnicate"
LONG: Final = "x" * 5000
TYPED: Final = (
    *("", "²", "①", "why ²", "? ²", "? -", "log ²", "say ²", "undo ²", LONG, "9" * 5000, "log " + "9" * 5000, "-1"),
    *("save /nowhere/at/all", "\x00", "\x1b[2J"),
)
"""What is typed at a prompt, and is not a choice."""


@dataclass(frozen=True)
class Step:
    """How a command ended: its exit code, what it said, and the files that it left in its folder, its home and the
    temporary folder."""

    code: int
    out: str
    err: str
    left: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether it ended as a command may: with what was wanted and no complaint, or with one sentence."""
        refused = self.code == 2 and self.err.count("\n") == 1 and self.err.startswith("parlour: ")
        return "Traceback" not in self.out + self.err and (refused or (self.code == 0 and not self.err))


class Walker:
    """A process in one of the surroundings, that has everything loaded."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._orders, self._answers = there(process.stdin), there(process.stdout)
        about = json.loads(self._answers.readline())
        self.commands: list[str] = about["commands"]
        self.numbers: list[tuple[str, str, bool]] = about["numbers"]

    def __call__(self, *words: str, typed: str = "", lines: int = 0) -> Step:
        """Walk one step.  ``lines``: the output is closed after as many."""
        job = {"words": words, "typed": typed, "lines": lines, "seconds": SECONDS}
        print(json.dumps(job), file=self._orders, flush=True)
        return Step(**json.loads(self._answers.readline()))


@contextmanager
def walking(python: Path, surroundings: str, folder: Path) -> Iterator[Walker]:
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NOBODY)
    plain = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    usual = {**plain, "HOME": "OWN", "LANG": "C.UTF-8", "TERM": "xterm", **SURROUNDINGS[surroundings]}
    env = {name: value.replace("NOBODY", str(folder)) for name, value in usual.items() if value is not None}
    with subprocess.Popen(
        [python, "-c", WALKER], env=env, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        yield Walker(process)
        there(process.stdin).close()
        process.wait(LIMIT)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment into which the wheel has been installed, and what it needs."""
    dist = tmp_path_factory.mktemp("dist")
    build(dist, "--wheel")
    return installed("", dist, tmp_path_factory.mktemp("core")) / "python"


@pytest.fixture(scope="module")
def usual(core: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walker]:
    with walking(core, "as usual", tmp_path_factory.mktemp("usual") / "steps") as walk:
        yield walk


def faulty(walk: Walker, commands: Sequence[str]) -> list[tuple[Any, Step]]:
    """What is typed first and does not end as it may, or leaves something behind."""
    done = [(words, codes, walk(*words)) for steps, codes in first_steps(commands) for words in steps]
    return [(words, step) for words, codes, step in done if not step.is_whole or step.code not in codes or step.left]


def first_steps(commands: Sequence[str]) -> list[tuple[list[list[str]], tuple[int, ...]]]:
    """What is typed first, and the exit codes that may come of it."""
    return [
        ([["--help"], ["-h"], ["--version"], *([one, "--help"] for one in commands)], (0,)),
        ([[one] for one in commands], (0, 2)),
        ([[WRONG], [f"--{WRONG}"], ["-q"], [""], ["²"], [LONG]], (2,)),
        ([[one, f"--{WRONG}"] for one in commands] + [[one, *[WRONG] * 9] for one in FEW], (2,)),
        ([[one, "²"] for one in FEW], (2,)),
    ]


FEW: Final = ("play", "rules", "serve")
"""Commands that are walked everywhere: those of players, and one that needs an extra."""
KUHN: Final = ("play", "kuhn", "--seed", "1", "--against", "random")


def test_what_is_typed_first_is_answered(usual: Walker) -> None:
    step = usual()
    assert (step.code, step.err, step.left) == (2, "", [])
    assert all("brings it" in usual(*command).err for command in (["serve"], ["solve", "kuhn"])), "no extra is here"
    assert "Usage: parlour" in step.out
    assert all(command in step.out for command in usual.commands)
    assert not faulty(usual, usual.commands)


@pytest.mark.parametrize("surroundings", list(SURROUNDINGS)[1:])
def test_it_is_answered_in_any_surroundings(core: Path, tmp_path: Path, surroundings: str) -> None:
    with walking(core, surroundings, tmp_path / "steps") as walk:
        alone = walk()
        assert (alone.code, alone.err, alone.left) == (2, "", [])
        assert not faulty(walk, FEW)
        wrong, kept = (walk(*KUHN, typed=typed) for typed in ("\n".join(TYPED), "1\n" * 9))
        assert (wrong.is_whole, wrong.left) == (True, []), wrong
        assert kept.is_whole, kept
        named = there(re.search(r"\S+\.rec", "".join(kept.out.split("\n"))))
        assert [Path(one).name for one in kept.left] == [Path(named[0]).name], kept


@pytest.mark.long
@pytest.mark.parametrize("surroundings", list(SURROUNDINGS))
def test_every_command_is_answered_in_any_surroundings(core: Path, tmp_path: Path, surroundings: str) -> None:
    with walking(core, surroundings, tmp_path / "steps") as walk:
        assert not faulty(walk, walk.commands)
        for game in shelf():
            for words in (["rules", game], ["play", game], ["learn", game]):
                assert walk(*words, typed="\n".join(TYPED)).is_whole


def test_a_reader_that_stops_reading_ends_it_quietly(usual: Walker) -> None:
    for words in (["games"], ["rules", "kuhn"], ["--help"], [], ["play", "--help"], ["play", "kuhn"]):
        step = usual(*words, lines=1)
        assert (step.code in (0, 2), step.err, step.left) == (True, "", []), (words, step)


def test_no_line_at_a_prompt_is_the_end(usual: Walker) -> None:
    for command, game in [*(("play", game) for game in shelf()), ("learn", "diamonds")]:
        step = usual(command, game, typed="".join(f"{line}\n" for line in (*TYPED, "help", "quit")))
        assert (step.is_whole, step.code) == (True, 0), (game, step)
        said = " ".join(step.out.split())
        assert "'²' is neither a choice nor a command." in said, (game, step)
        assert command == "learn" or "log takes a number or 'all', not '²'." in said, (game, step)
        answers = step.out.replace("9" * 5000, "")  # without what is typed
        assert "9" * 41 not in answers.replace("\n", ""), "what is long is not said again"
        assert all(one.endswith(".rec") for one in step.left), (game, step)  # the bots may have begun


def test_what_a_new_game_says_next_can_be_done(usual: Walker) -> None:
    step = usual("new", "my_game")
    assert step.is_whole, step
    starter = sorted(name for name in os.listdir(STARTER) if not name.startswith("__pyc"))
    assert step.left == [f"my_game/{name}" for name in starter], step
    assert len(re.findall(r"^  parlour (\w+) my_game", step.out, re.MULTILINE)) == 4


def test_what_the_readme_shows_runs_as_it_stands(core: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert "DM-" in run(core, "-I", "-c", first, cwd=tmp_path)  # the refusal names its clause
    assert not list(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    for needs_more in others:
        exec(compile(needs_more, "README.md", "exec"), {"__name__": "readme"})


ARGUMENTS: Final = {
    "bot": ["http://127.0.0.1:9/t/QWRTZP"], "certify": ["no.solved"], "corpus": ["there", "kuhn"],
    "exploit": ["kuhn", "--player", "random"], "match": ["kuhn", "random", "random"], "replay": ["no.rec"],
    "train": ["diamonds"],
}  # fmt: skip
NO_NUMBERS: Final = ("nan", "inf", "-inf", "1e400", "9" * 30, "-" + "9" * 30, "9" * 5000, "", "²", "one")


@pytest.mark.long
def test_a_number_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    """For every option that takes a number, where everything is installed: nothing is begun with it."""
    with walking(Path(sys.executable), "as usual", tmp_path / "steps") as walk:
        assert len(walk.numbers) > 40
        for command, option, is_float in walk.numbers:
            words = [command, *ARGUMENTS.get(command, [] if command == "serve" else ["kuhn"])]
            for number in NO_NUMBERS if is_float else NO_NUMBERS[4:]:
                step = walk(*words, option, number)
                assert (step.code, step.is_whole, step.left) == (2, True, []), (*words, option, number[:40], step)
