"""Games compiled from C: the same games however it is compiled, nothing undefined, and one sentence where there is no
library."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parlour
from parlour.base.errors import CompilationError
from parlour.core.batch import start_records
from parlour.engine import native
from parlour.engine.c import building, program
from parlour.engine.c.building import FAST
from parlour.engine.c.loading import Compiled, functions, opened
from parlour.engine.definition import definition, slip
from parlour.engine.interpreted import Positions
from parlour.engine.kernel import F64, Kernel, KernelLibrary, Position, every_kernel
from parlour.engine.kernels import batch, bulk, keys
from parlour.games.dividha import odds
from tests.helpers import COMPILER, DAMAGES, Planter, harm, interpreted, needs_a_compiler, the_rest_long
from tools import every_driver

pytestmark = needs_a_compiler

KUHN = definition("kuhn")
PLAY = bulk.KERNEL.group


def test_the_environment_says_how_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_BOUNDS_CHECK", "1")
    assert building.way() == building.CHECKED
    monkeypatch.setenv("PARLOUR_PORTABLE", "1")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert building.level.__wrapped__() == "v2"


@pytest.mark.parametrize("game", the_rest_long(["kuhn", "leduc"], ["kuhn"]))
def test_nothing_is_undefined_in_play(game: str) -> None:
    """All that drivers do, in all games: the campaign ``c``."""
    if not all(map(os.path.isabs, _sanitizers())):
        pytest.skip("needs the sanitizers of gcc (on Debian or Ubuntu: apt-get install gcc)")
    ran = sanitized(game, *(work.__name__ for work in every_driver.PLAYED))
    assert (ran.returncode, ran.stdout.split()[:1]) == (0, [game]), ran.stderr[-3000:]


def sanitized(game: str, *named: str) -> subprocess.CompletedProcess[str]:
    """Do all the work there is, or what is named of it, in a Python that loads sanitized libraries."""
    return subprocess.run(
        [sys.executable, "-m", "tools.every_driver", game, *named],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PARLOUR_SANITIZE": "1", "LD_PRELOAD": " ".join(_sanitizers()),
             "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _sanitizers() -> list[str]:
    """The libraries that the compiler has; mere names where it does not know them."""
    asked = ([*COMPILER, f"-print-file-name={name}"] for name in ("libasan.so", "libubsan.so"))
    return [subprocess.run(one, capture_output=True, text=True, check=False).stdout.strip() for one in asked]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "_passing", lambda: tmp_path / "passing")
    building._warn_once.cache_clear()
    return tmp_path / "cache"


@pytest.fixture
def cc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a C compiler of lines for the shell, and names it."""

    def make(lines: str) -> Path:
        file = tmp_path / "our-cc"
        file.write_text(f"#!/bin/sh\n{lines}\n")
        file.chmod(0o755)
        monkeypatch.setenv("CC", str(file))
        return file

    return make


TINY = KernelLibrary("tiny", (Kernel(batch.__name__, uses=(keys,), entries=(batch.first_refused,)),))
"""So little of a game that it compiles in no time."""


def test_a_library_is_made_once_and_found_again_by_all(cache: Path, cc: Any, tmp_path: Path) -> None:
    """Also by processes that want it at the same time: the others wait for the one that makes it."""
    cc(f'echo made >> {tmp_path}/log; exec {shlex.join(COMPILER)} "$@"')
    code = """
from parlour.engine.c.building import library
from parlour.engine.definition import definition
from tests.engine.test_c import TINY
print(library(definition("kuhn"), TINY))
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    children = [subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE) for _ in range(2)]
    said = {child.communicate()[0] for child in children}
    assert said == {f"{building.library(KUHN, TINY)}\n".encode()}
    assert (tmp_path / "log").read_text() == "made\n"


def test_a_comment_compiles_nothing_and_a_rule_does(cache: Path, cc: Any, plant: Planter, tmp_path: Path) -> None:
    cc(f'echo made >> {tmp_path}/log; exec {shlex.join(COMPILER)} "$@"')
    moved = "    s.moves += 1\n"
    plain_, commented, changed = (
        building.digest(plant(f"planted_kuhn_c_{i}", (moved, line)).definition, PLAY)
        for i, line in enumerate((moved, "    s.moves += 1  # one more\n", "    s.moves += 2\n"))
    )
    assert plain_ == commented != changed
    game = plant("planted_kuhn_comment")
    made = building.library(game.definition, TINY)
    rules = Path(game.definition.modules[0].__file__ or "")
    rules.write_text(rules.read_text("utf-8") + "\n# A comment.\n")
    for known in (building._raw, building._hash, building.program_of):
        known.cache_clear()
    assert building.library(game.definition, TINY) == made
    assert (tmp_path / "log").read_text() == "made\n"


def test_a_library_of_all_kernels_serves_for_each_and_is_never_made_on_the_way(cache: Path, cc: Any) -> None:
    cc(f"echo $$ > game{building.ENDING}")
    one, *others = every_kernel().parts
    alone = building.library(KUHN, one)
    whole = building.library(KUHN, every_kernel())
    assert whole != alone
    assert {building.library(KUHN, group) for group in (one, *others)} == {whole}
    assert building.library(KUHN, one, building.CHECKED) != whole


def test_files_that_c_is_made_of_are_all_looked_at() -> None:
    """What is quickly read covers whatever functions C is made of."""
    own = {Path(module.__file__ or "") for module in KUHN.sources}
    for group in every_kernel().parts:
        files = (one.__code__.co_filename for one in building.program_of(KUHN, group)._keep)
        made_of = {Path(file) for file in files if not file.startswith("<")}  # some are written out from a table
        read = {*building._shared(), *group.files} | own
        assert made_of <= read, group.name


def test_kernels_say_what_they_use() -> None:
    for kernel in {used for one in every_kernel().kernels for used in one.closure}:
        said = kernel.file.read_text("utf-8")
        imported = re.findall(r"(?m)^from (parlour\.\w+\.kernels\.\w+) import", said)
        assert {*imported} == {module.__name__ for module in kernel.uses}, kernel.name


@pytest.mark.parametrize("damage", the_rest_long(DAMAGES, ["half"]))
def test_a_damaged_library_is_made_again(cache: Path, damage: str) -> None:
    file = building.library(KUHN, TINY)
    whole = file.read_bytes()
    harm(file, damage)
    with pytest.warns(UserWarning, match=re.escape(f"The machine code in {file} is damaged; it is made again.")):
        assert building.library(KUHN, TINY) == file
    assert file.read_bytes() == whole


def test_where_nothing_can_be_kept_it_is_made_for_this_program(cache: Path, tmp_path: Path) -> None:
    cache.write_text("a file stands in the way")
    with pytest.warns(UserWarning, match=r"cannot be kept in .*/c/kuhn \(Not a directory\), so every program makes it"):
        file = building.library(KUHN, TINY)
    assert cache not in file.parents
    assert file.exists()


def test_a_cache_that_may_only_be_read_is_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = building.library(KUHN, TINY)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(Path, "touch", refuse)
    assert building.library(KUHN, TINY) == file


def test_a_full_disk_costs_one_sentence(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("parlour.base.disk.write", full)
    with (
        pytest.warns(UserWarning, match="No space left on device"),
        pytest.raises(CompilationError, match="kuhn: machine code cannot be kept anywhere; set PARLOUR_CACHE"),
    ):
        building.library(KUHN, TINY)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("echo 'game.c:1: a test' >&2; exit 3", r'our-cc ended with exit code 3 \("game.c:1: a test"\)\. Name'),
        ("kill -9 $$", r"our-cc was ended by SIGKILL\. Name another in CC"),
        ("exit 0", r"our-cc ended with exit code 0\."),
    ],
)
def test_a_compiler_that_fails_is_told_in_one_sentence(cache: Path, cc: Any, lines: str, told: str) -> None:
    cc(lines)
    with pytest.raises(CompilationError, match=told) as failed:
        building.library(KUHN, TINY)
    assert "\n" not in str(failed.value)
    assert "play, hints and search work without machine code" in str(failed.value)


def test_a_compiler_that_is_none(cache: Path, cc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = cc("")
    file.write_text("#!/nowhere\n")
    with pytest.raises(CompilationError, match="our-cc could not be started: No such file or directory"):
        building.library(KUHN, TINY)
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    with pytest.raises(CompilationError, match="CC names the C compiler 'no-such-compiler', which cannot be found"):
        building.library(KUHN, TINY)
    monkeypatch.delenv("CC")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(native, "find_spec", lambda name: None)
    with pytest.raises(CompilationError, match=r"install gcc or clang, .* or pip install 'parlour\[compiler\]'"):
        building.library(KUHN, TINY)


def test_a_library_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.so"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(CompilationError, match=r"kuhn: the library .*kuhn\.so cannot be loaded \("):
        opened(KUHN, file)


@pytest.fixture(scope="module")
def kuhn() -> Compiled:
    return batch.KERNEL.compiled(KUHN)  # type: ignore[no-any-return]


def test_arguments_that_do_not_fit_are_refused(kuhn: Compiled) -> None:
    actions, legal, counts = np.zeros(2, np.int16), np.zeros((2, 2), np.int16), np.zeros(2, np.int16)
    assert kuhn.first_refused(actions, legal, counts) == 0
    for wrong in (
        actions.astype(np.int32), np.zeros((2, 1), np.int16), np.zeros(4, np.int16)[::2], [0, 0], None,
        actions.astype(">i2"), (ctypes.c_int32 * 2)(), ((ctypes.c_int16 * 1) * 2)(),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"first_refused takes i16\[\] whose entries lie next to each other, not "):
            kuhn.first_refused(wrong, legal, counts)
    with pytest.raises(TypeError, match="first_refused takes 3 arguments, not 2"):
        kuhn.first_refused(actions, legal)
    with pytest.raises(TypeError, match=r"write_mask: required argument is not an integer"):
        kuhn.write_mask(0.5, 2, legal, counts, np.zeros((2, 2), np.bool_))
    with pytest.raises(AttributeError, match="kuhn has no compiled frobnicate"):
        _ = kuhn.frobnicate


def test_bulk_play_without_numpy() -> None:
    code = """
import sys
sys.modules["numpy"] = None
import ctypes, parlour
from parlour.engine.c.loading import positions
from parlour.engine.kernels.bulk import KERNEL
game = parlour.load("kuhn")
S = positions(game.definition, [game.start()] * 2)
acts, rng = (ctypes.c_int16 * 2)(), (ctypes.c_uint64 * 8)()
out, totals = (ctypes.c_double * 2)(), (ctypes.c_double * 2)()
print(KERNEL.compiled(game.definition).play_many(S, acts, rng, out, 4, 500, totals), *totals)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    positions, totals = Positions(KUHN, 2), [0.0, 0.0]
    positions[0] = parlour.load("kuhn").start()
    n = interpreted(KUHN).play_many(positions, [0, 0], [0], [0.0, 0.0], 4, 500, totals)
    assert ran.stdout.split() == [str(n), *map(str, totals)], ran.stderr


def play(game: Any, how: building.Way) -> Any:
    acts, rng, out = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64), np.zeros(game.players)
    many = opened(game.definition, building.library(game.definition, PLAY, how)).entry("play_many")
    return many(start_records(game), acts, rng, out, 1, 20, np.zeros(game.players))


@pytest.mark.parametrize(
    ("line", "how", "error", "told"),
    [
        ("s.moves += 1 // (s.moves - s.moves)", FAST, ZeroDivisionError, r"division by zero\."),
        ("s.moves += 1 + 0 * s.hand[s.moves + 7]", building.CHECKED, IndexError, "there is no such entry"),
    ],
)
def test_rules_that_go_wrong_say_where(plant: Planter, line: str, how: Any, error: type[Exception], told: str) -> None:
    game = plant(f"planted_kuhn_{error.__name__}", ("    s.moves += 1\n", f"    {line}\n"))
    with pytest.raises(error, match=rf"rules\.py, line \d+ \({re.escape(line)}\): {told}") as wrong:
        play(game, how)
    assert slip(wrong.value) == str(wrong.value), "at the terminal it is one sentence"


def running_sum(numbers: F64, first: int) -> float:
    """Of what stands from ``first`` on."""
    total = 0.0
    for i in range(first, len(numbers)):
        total += numbers[i]
        numbers[i] = total
    return total


def last_of(numbers: F64) -> float:
    return float(numbers[-1])


def stage_of(s: Position) -> int:
    return int(s.stage)


SUMS = KernelLibrary("sums", (Kernel(__name__, entries=(running_sum,), of_a_game=False),))


def test_functions_that_know_no_game_are_compiled(cache: Path) -> None:
    numbers = np.arange(4.0)
    assert functions(SUMS).running_sum(numbers, 1) == 6.0
    assert numbers.tolist() == [0.0, 1.0, 3.0, 6.0]
    assert [folder.name for folder in (cache / "c").iterdir()] == ["sums"]


def test_their_indices_count_from_the_front(cache: Path) -> None:
    library_ = opened(None, building.library(None, SUMS, building.CHECKED))
    with pytest.raises(IndexError, match=r"test_c\.py, line \d+ \(total \+= numbers\[i\]\): there is no such entry"):
        library_.entry("running_sum")(np.arange(4.0), -1)
    with pytest.raises(CompilationError, match=r"\[-1\] counts from the end, which only rules may do"):
        program.translated(None, [last_of])
    with pytest.raises(CompilationError, match="these functions know no game, so there are no positions"):
        program.translated(None, [stage_of])


def test_without_a_compiler_they_run_as_they_stand(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.warns(UserWarning, match="sums: CC names .* Until then Python does it, a hundred times slower"):
        assert functions(KernelLibrary("sums", SUMS.kernels)).running_sum([1.0, 2.0], 0) == 3.0


@pytest.mark.long
@pytest.mark.parametrize("showdown", range(3))
def test_hands_of_dividha_are_worth_the_same(showdown: int) -> None:
    six = [sum(1 << c for c in range(first, 36, 6)) for first in range(6)]
    hands = [cards if n < 2 else cards & (cards - 1) for cards in six for n in range(4)]
    found = []
    for rate in (odds.rate, odds.KERNEL.compiled(definition("dividha")).rate):
        wild, stage, given = ((ctypes.c_int64 * len(these))(*these) for these in ((0, 1, 1, 0), (0, 0, 1, 2), hands))
        ends = tuple((ctypes.c_int64 * len(hands))() for _ in range(2))
        rate(0, showdown, wild, stage, given, *ends)
        found.append([[*these] for these in ends])
    assert found[0] == found[1]
