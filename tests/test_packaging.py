"""What a user installs holds everything that a game needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path

import pytest

import parlour
import waiting
from parlour.engine.definition import definition, shelf
from wheels import ROOT, UV, build, installed, run

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_shelf() -> None:
    assert shelf() == [
        "commit",
        "diabolo",
        "diamondback",
        "diamonds",
        "dividha",
        "hearts",
        "kuhn",
        "leduc",
        "matrimony",
        "newmarket",
        "pope_joan",
    ]


@pytest.mark.parametrize("game", shelf())
def test_a_game_brings_its_words_and_its_book(game: str) -> None:
    folder = resources.files(definition(game).package)
    for file in ("rules.py", "words.toml", "book.md"):
        assert folder.joinpath(file).is_file()
    assert definition(game).name
    assert definition(game).book.clauses


def test_the_package_is_typed() -> None:
    assert resources.files("parlour").joinpath("py.typed").is_file()


def test_wheel_and_sdist_take_every_file() -> None:
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"] == {"packages": ["src/parlour"]}  # whole: nothing is filtered
    assert {"/src", "/tests", "/docs", "/deploy"} <= set(targets["sdist"]["include"])
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert not [line for line in ignored if line.endswith((".toml", ".md", ".typed", ".rec"))]


def test_one_version() -> None:
    assert parlour.__version__ == PROJECT["project"]["version"] == metadata.version("parlour")


def test_command() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="parlour")
    assert callable(command.load())


# ------------------------------------------------------------------------------------------------ built and tried

MOST_MB = 40
"""What the core may take of a disk, with all that it needs."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that is built from it, by the locked tools."""
    folder = tmp_path_factory.mktemp("dist")
    build(folder)
    return folder


@pytest.fixture(scope="module")
def core(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment into which the wheel has been installed, and what it needs."""
    return installed("", built, tmp_path_factory.mktemp("core"))


@pytest.mark.long
def test_the_wheel_is_what_the_source_distribution_builds(built: Path) -> None:
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    shutil.unpack_archive(source, built / "source")
    shutil.unpack_archive(wheel, built / "wheel", "zip")
    (top,) = (built / "source").iterdir()
    files = {path.relative_to(built / "wheel") for path in (built / "wheel").rglob("parlour/**/*") if path.is_file()}
    ours = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
    assert files == {path for path in ours if "__pycache__" not in path.parts}
    for name in ("Makefile", "CHANGELOG.md", "docs/index.md", "tests/test_packaging.py", "deploy/Dockerfile"):
        assert (top / name).is_file()


@pytest.mark.long
def test_pypi_can_show_the_readme(built: Path) -> None:
    """Nothing in it leads into the repository, and what is left is rendered without a complaint."""
    from readme_renderer import markdown

    (wheel,) = built.glob("*.whl")
    shutil.unpack_archive(wheel, built / "metadata", "zip")
    (file,) = (built / "metadata").glob("*.dist-info/METADATA")
    about = metadata.PathDistribution(file.parent).metadata
    text = str(about.get_payload())
    assert about["Description-Content-Type"] == "text/markdown"
    assert "](docs/" not in text
    page = markdown.render(text)
    assert page
    links = re.findall(r"""(?:href|src)="([^"]*)\"""", page)
    assert len(links) > 20
    assert not [link for link in links if not link.startswith(("https://", "#"))]


@pytest.mark.long
def test_the_core_is_light_and_plays(core: Path, tmp_path: Path) -> None:
    parlour = core / "parlour"
    packages = next((core.parent / "lib").glob("python*/site-packages"))
    assert sum(path.stat().st_size for path in packages.rglob("*") if path.is_file()) < MOST_MB * 1e6
    assert "Play them" in run(parlour, "--help", cwd=tmp_path)
    listed = run(parlour, "games", cwd=tmp_path)
    assert all(game in listed for game in shelf())
    for game, bots in (("kuhn", "search:20"), ("leduc", "random")):
        played = run(parlour, "play", game, "--plain", "--seed", "1", "--against", bots, cwd=tmp_path, stdin="1\n" * 99)
        assert "The record is in" in played
    matched = run(parlour, "match", "diamonds", "random", "rule-of-thumb", "search:5", "-n", "3", cwd=tmp_path)
    assert "rule-of-thumb" in matched
    refused = run(parlour, "serve", cwd=tmp_path, code=2)
    assert refused.strip().endswith("pip install 'parlour[server]' brings it.")


@pytest.mark.long
def test_it_runs_without_being_installed(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert parlour.__version__ in run(UV, "tool", "run", "--from", wheel, "parlour", "--version", cwd=tmp_path)


@pytest.fixture
def server(built: Path, tmp_path: Path) -> Iterator[str]:
    """The first line of a server that runs from an environment with everything."""
    everything = installed("[all]", built, tmp_path)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"HOME": str(tmp_path)}
    command = [str(everything / "parlour"), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline()
        process.terminate()


@pytest.mark.long
def test_with_everything_it_serves(server: str) -> None:
    import httpx

    address = server.split()[4].rstrip(";")
    waiting.wait_until(lambda: _answers(f"{address}/health"))
    assert "Diamonds" in httpx.get(address).text


def _answers(address: str) -> bool:
    import httpx

    try:
        return httpx.get(address).is_success
    except httpx.TransportError:
        return False
