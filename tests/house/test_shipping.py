"""Libraries that come with the package: found when they are made of what is here, and proven by tapes (tapes.py)."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.base.errors import CompilationError
from parlour.engine import native
from parlour.engine.c import building
from parlour.engine.definition import definition
from parlour.engine.kernel import every_kernel
from parlour.engine.kernels import bulk
from tests import tapes
from tools import machine_code, shipping

needs_a_compiler = pytest.mark.skipif(not [*native.compilers()], reason="no compiler of C is here")
SRC = Path(building.__file__).parents[2]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> shipping.Source:
    return shipping.sources(["kuhn"], tmp_path_factory.mktemp("sources"))[0]


@pytest.fixture(scope="module")
def library(source: shipping.Source) -> bytes:
    return building.compiled(source.file.read_text("utf-8"), (*building.ALWAYS, "-O0"), "kuhn")


@needs_a_compiler
def test_a_library_that_came_with_the_package_is_taken_unless_it_was_made_of_other_rules(
    source: shipping.Source, library: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{building.shipped_name('kuhn', building.level())}{building.ENDING}").write_bytes(library)
    monkeypatch.setattr(building, "SHIPPED", tmp_path)
    monkeypatch.setattr(building, "compilers", lambda: iter(()))
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "cache"))

    def made_of(**other: str) -> None:
        (tmp_path / building.MADE_OF).write_text(json.dumps({"kuhn": {**source.made_of, **other}}), "utf-8")
        building._made_of.cache_clear()

    made_of()
    for kernel in every_kernel().kernels:
        assert building.library(definition("kuhn"), kernel.group, building.FAST).parent == tmp_path
    assert not (tmp_path / "cache").exists()
    made_of(engine="another")
    with pytest.raises(CompilationError, match="kuhn can be compiled where there is a C compiler"):
        building.library(definition("kuhn"), bulk.KERNEL.group, building.FAST)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (compiler, *_) = native.compilers()
    made = tmp_path_factory.mktemp("program") / "tape"
    source = Path(__file__).parents[1] / "tape.c"
    subprocess.run([*compiler, "-O1", source, "-o", made, "-ldl"], check=True)
    return made


@pytest.fixture(scope="module")
def taped() -> tapes.Tape:
    return tapes.tape_of("kuhn", records=5, games=20)


Player = Callable[[bytes], subprocess.CompletedProcess[str]]


@pytest.fixture
def played(program: Path, library: bytes, tmp_path: Path) -> Player:
    file = tmp_path / f"kuhn{building.ENDING}"
    file.write_bytes(library)

    def play(content: bytes) -> subprocess.CompletedProcess[str]:
        (tmp_path / "taped").write_bytes(content)
        command = [program, file, tmp_path / "taped"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return play


@needs_a_compiler
def test_a_tape_is_played_again_by_a_program_that_tells_what_differs(taped: tapes.Tape, played: Player) -> None:
    """The tape is what any other system is tried with: here it must come out the same, and a wrong byte be found."""
    whole = bytes(taped)
    right = played(whole)
    assert (right.returncode, right.stdout) == (0, f"{taped.calls}\n")
    assert taped.calls > 40
    last = len(whole) - tapes.GRAIN
    wrong = played(whole[:last] + bytes([whole[last] ^ 1]) + whole[last + 1 :])
    assert wrong.returncode == 1
    assert "instead of" in wrong.stdout


@needs_a_compiler
@pytest.mark.parametrize(("by", "told"), [(1 + 1e-12, ""), (1 + 1e-6, "instead of"), (float("nan"), "instead of")])
def test_a_float_may_differ_in_its_last_bits(by: float, told: str, taped: tapes.Tape, played: Player) -> None:
    rows = [*taped.rows]
    near = next(i for i, row in enumerate(rows) if row.startswith(struct.pack("<Q", tapes.NEAR))) + 1
    where, *floats = struct.unpack("<Q8d", rows[near])
    rows[near] = struct.pack("<Q8d", where, *(value * by if value else value for value in floats))
    said = played(b"".join(rows))
    assert said.returncode == bool(told)
    assert told in said.stdout


def test_every_kernel_is_shipped() -> None:
    declared = {
        ".".join(file.relative_to(SRC.parent).with_suffix("").parts)
        for file in SRC.rglob("*.py")
        if re.search(
            r"^KERNEL = Kernel\(__name__,.*entries=|^KERNEL = Kernel\(\n", file.read_text("utf-8"), re.MULTILINE
        )
    }
    kernels = (*every_kernel().kernels, *(one for own in machine_code.OWN.values() for one in own), *machine_code.ALONE)
    assert declared == {kernel.module for kernel in kernels}
