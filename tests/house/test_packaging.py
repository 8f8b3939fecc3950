"""What a user installs holds everything that a game needs."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import pytest
from hatchling.builders.wheel import WheelBuilder

import parlour
from parlour.cli.app import main
from parlour.cli.play import local_table  # noqa: F401  # so that no child has to load it
from parlour.engine.definition import definition, shelf
from parlour.players import make
from parlour.players.nets import learned_with
from parlour.server.page import assets, environment
from parlour.study import values
from tests.helpers import the_rest_long
from tools.wheels import ROOT, UV, build, installed, run, size

KINDS: Final = {
    *(".py", ".typed", ".c", ".h", ".so", ".pyd"),  # the package, and its types in C
    *(".toml", ".md", ".npz", ".zip", ".mo"),  # games, what has been learned and solved, translations
    *(".html", ".css", ".js", ".svg", ".woff2", ".ttf", ".txt"),  # pages, and the licences of their typefaces
}
"""Endings of the files in a wheel."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_a_wheel_holds_what_runs_and_nothing_it_is_made_of() -> None:
    """No sources of translations, no tests, no developers' tools: only files of kinds that a game or a page reads.  A
    source distribution has all of it."""
    games = "commit diabolo diamondback diamonds dividha hearts kuhn leduc matrimony newmarket pope_joan"
    assert shelf() == games.split()
    taken = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert taken > {"parlour/py.typed", "parlour/base/languages/de/LC_MESSAGES/parlour.mo"}
    assert taken > {f"parlour/games/{game}/{name}" for game in shelf() for name in ("book.md", "words.toml")}
    assert {Path(name).parts[0] for name in taken} == {"parlour"}
    assert {Path(name).suffix for name in taken} <= KINDS
    modules = {name for name in taken if name.endswith(".py")} - {"parlour/__main__.py"}
    assert not [name for name in modules if "\nif __name__ ==" in (ROOT / "src" / name).read_text("utf-8")]
    assert not {name for name in taken if {"tests", "tools", "docs", "__pycache__"} & {*Path(name).parts}}
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"] == {"packages": ["src/parlour"], "exclude": ["*.po"]}  # nothing else is filtered
    assert {"/src", "/tests", "/tools", "/docs", "/deploy"} <= set(targets["sdist"]["include"])
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert not [line for line in ignored if line.endswith((".toml", ".md", ".typed", ".rec"))]


def test_one_version_and_one_command() -> None:
    assert parlour.__version__ == PROJECT["project"]["version"] == metadata.version("parlour")
    (command,) = metadata.entry_points(group="console_scripts", name="parlour")
    assert callable(command.load())


MOST_MB = 26
"""What the core may take of a disk, with all that it needs, before Python compiles it."""
MACHINE_CODE_MB = 7
"""What of that a wheel for a system brings beyond one that is built here: libraries, and code for devices."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that is built from it, by the locked tools."""
    folder = tmp_path_factory.mktemp("dist")
    build(folder)
    return folder


@pytest.mark.long
def test_the_wheel_is_what_the_source_distribution_builds(built: Path) -> None:
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    shutil.unpack_archive(source, built / "source")
    shutil.unpack_archive(wheel, built / "wheel", "zip")
    (top,) = (built / "source").iterdir()
    files = {path.relative_to(built / "wheel") for path in (built / "wheel").rglob("parlour/**/*") if path.is_file()}
    ours = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
    assert files == {path for path in ours if "__pycache__" not in path.parts and path.suffix != ".po"}
    for name in ("Makefile", "CHANGELOG.md", "docs/index.md", "tests/house/test_packaging.py", "deploy/Dockerfile"):
        assert (top / name).is_file()


@pytest.mark.long
def test_a_wheel_has_the_type_of_states_unless_it_is_to_be_pure(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wheel,) = built.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    monkeypatch.setenv("PARLOUR_PURE", "1")
    build(tmp_path, "--wheel")
    (pure,) = tmp_path.glob("*.whl")
    assert pure.name.endswith("-py3-none-any.whl")
    shutil.unpack_archive(pure, tmp_path / "pure", "zip")
    assert not [*(tmp_path / "pure").rglob("_state.*")]


def test_without_a_compiler_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    code = "import hatch_build; hatch_build.native.find_spec = lambda name: None; print(hatch_build.build())"
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("there is no compiler of C")
    assert "apt-get install gcc libc6-dev" in done.stdout


@pytest.mark.long
def test_pypi_can_show_the_readme(built: Path) -> None:
    """Nothing in it leads into the repository, and what is left is rendered without a complaint."""
    from readme_renderer import markdown

    (wheel,) = built.glob("*.whl")
    shutil.unpack_archive(wheel, built / "metadata", "zip")
    (file,) = (built / "metadata").glob("*.dist-info/METADATA")
    about = metadata.PathDistribution(file.parent).metadata
    text = file.read_text("utf-8").partition("\n\n")[2]
    assert about["Description-Content-Type"] == "text/markdown"
    assert "](docs/" not in text
    page = markdown.render(text)
    assert page
    links = re.findall(r"""(?:href|src)="([^"]*)\"""", page)
    assert len(links) > 20
    assert not [link for link in links if not link.startswith(("https://", "#"))]


@pytest.mark.long
def test_the_core_is_light(built: Path, tmp_path: Path) -> None:
    assert size(installed("", built, tmp_path).parent).written < MOST_MB - MACHINE_CODE_MB


@pytest.mark.long
def test_without_a_compiler_the_source_is_installed_and_played(built: Path, tmp_path: Path) -> None:
    """As where nothing can be compiled: no more than a sentence is said of it."""
    empty = {"PATH": str(tmp_path), "HOME": str(tmp_path), "CC": ""}
    python = tmp_path / "env" / "bin" / "python"
    run(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "env", cwd=tmp_path)
    (source,) = built.glob("*.tar.gz")
    locked = ("--quiet", "--python", python, "-c", ROOT / "requirements-peers.lock")
    run(UV, "pip", "install", *locked, source, cwd=tmp_path, more=empty)

    def parlour(words: str) -> tuple[str, str]:
        command, more = [str(python.parent / "parlour"), *words.split()], {**empty, "NO_COLOR": "1"}
        typed: dict[str, Any] = {"input": "1\n" * 99, "capture_output": True, "text": True}
        done = subprocess.run(command, cwd=tmp_path, env=more, check=True, **typed)
        return done.stdout, done.stderr

    assert "The record is in" in parlour("play kuhn --plain --seed 1 --against random")[0]
    for words in ("play kuhn --plain --seed 1 --against search:20", "simulate kuhn --games 50"):
        said = parlour(words)[1]
        assert (said.count("\n"), "pip install 'parlour[compiler]'" in said) == (1, True)


@pytest.mark.long
def test_it_runs_without_being_installed_and_with_everything_it_serves(built: Path, tmp_path: Path) -> None:
    import httpx

    (wheel,) = built.glob("*.whl")
    assert parlour.__version__ in run(UV, "tool", "run", "--from", wheel, "parlour", "--version", cwd=tmp_path)
    everything = installed("[all]", built, tmp_path)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"HOME": str(tmp_path)}
    command = [str(everything / "parlour"), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().split()[4].rstrip(";")
        with httpx.Client(transport=httpx.HTTPTransport(retries=9)) as client:
            assert "Diamonds" in client.get(address).text
        process.terminate()


def _damaged(raw: bytes) -> Iterator[bytes]:
    """A file of nothing, one cut in half, and one of which seven bytes are others: no text, and text."""
    third = len(raw) // 3
    yield b""
    yield raw[: len(raw) // 2]
    yield from (raw[:third] + seven + raw[third + 7 :] for seven in (b"\xff\x00\xfe{\x80%}", b"zebra{%"))


Reader = str | Callable[[], object]
"""What reads a file of the package: a command, or a function."""


def _readers(file: Path) -> list[Reader]:
    """Everything that reads a file, which is named as in the package."""
    part, game, name = file.parts[0], file.parts[1], "/".join(file.parts[3:])
    if part == "server":
        return [partial(environment.template if file.suffix == ".html" else assets.static, name)]
    if part != "games":
        return ["new zoo"] if "starter" in file.parts else ["games", "rules kuhn"]
    if file.stem == "values":
        return [lambda: values.known(parlour.load(game))]
    if file.suffix in (".npz", ".zip"):
        return [partial(_choose, {"beliefs": "best:5"}.get(file.stem, file.stem), game)]
    if file.suffix == ".css":
        return [partial(assets.of_game, f"{game}.css")]
    if file.suffix == ".html":
        return [partial(environment.template, f"{game}/{file.name}")]
    return ["games", f"rules {game}", f"play {game} --seed 1 --against random --plain", f"learn {game}"]


def _choose(kind: str, game: str) -> None:
    """Let a player of this kind make its first decision, among as many players as it has learned for."""
    state = parlour.load(game, learned_with(definition(game))[0] if kind == "learned" else None).new(seed=1)
    while state.current_player == parlour.CHANCE:
        state.apply(state.draw_outcome([1]))
    make(kind, state.game).choose(state.view(state.current_player), state.legal_actions())


def _alone(readers: list[Reader]) -> list[tuple[int, str]]:
    """Read, in a process of its own; the exit code of each reader, and what it says on the error stream."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.write(writing, json.dumps([*map(_ended, readers)]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        ended: list[tuple[int, str]] = json.load(told)
    os.waitpid(child, 0)
    return ended


def _ended(reader: Reader) -> tuple[int, str]:
    sys.stdin, said = io.StringIO(), io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        try:
            if callable(reader):
                reader()
            else:
                sys.argv = ["parlour", *reader.split()]
                main()
        except SystemExit as end:
            return int(end.code or 0), said.getvalue()
        except parlour.ParlourError as wrong:
            return 2, f"{wrong}\n"
        except BaseException:
            return 1, traceback.format_exc()
    return 0, said.getvalue()


def try_what_is_damaged(every: int, *under: str) -> None:
    """In a copy of the package: damage each file below some folders (in one of ``every`` ways), let everything read it
    that does, and print what does not end well: with no error at all or with one line that names the file."""
    package = Path(parlour.__file__).parent
    assert package.parent == Path(os.environ["COPY"])
    for game in shelf() if "rules/stops" not in under else ():  # what stands as it is, is read once
        _ = f"games/{game}" in under or definition(game)
    read = (".toml", ".md", ".npz", ".zip", ".mo", ".html", ".css", ".js", ".svg")
    files = sorted(one for part in under for one in (package / part).rglob("*") if one.suffix in read)
    for first, file in enumerate(files):
        raw, about = file.read_bytes(), file.relative_to(package)
        for n, damaged in [*enumerate(_damaged(raw))][first % every :: every]:
            file.write_bytes(damaged)
            for number, (code, said) in enumerate(_alone(_readers(about))):
                named = about.name in said or about.parts[-2] in said or "lesson.toml" in said
                if "Traceback" in said or code not in (0, 2) or (code == 2 and (said.count("\n") != 1 or not named)):
                    print(f"{about}, damaged in way {n}, read by {number}: exit {code}, {said[-300:]}")
        file.write_bytes(raw)


FEW: Final = ("base/languages", "cli/author/starter", "games/kuhn")
REST: Final = [("server/page",), ("rules/stops",), *((f"games/{game}",) for game in shelf() if game != "kuhn")]
DAMAGED: Final = [(4, *FEW), *((1, *under) for under in (FEW, *REST))]


@pytest.mark.parametrize("under", the_rest_long(DAMAGED, DAMAGED[:1]), ids=str)
def test_a_file_that_has_been_damaged_is_named_in_one_sentence(tmp_path: Path, under: tuple[int | str, ...]) -> None:
    package = Path(parlour.__file__).parent
    shutil.copytree(package, tmp_path / "parlour", ignore=shutil.ignore_patterns("__pycache__"))
    tried = f"from tests.house import test_packaging; test_packaging.try_what_is_damaged{under!r}"
    where = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}", "COPY": str(tmp_path), "LC_ALL": "de_DE.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", tried], env={**os.environ, **where, "XDG_STATE_HOME": str(tmp_path / "state")},
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
