"""The compiler may die, or refuse: nobody's process ends, and everybody is told in one sentence what to do."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
import typer

import parlour
from helpers import DAMAGES, Planter, harm, the_rest_long
from parlour import disk
from parlour.cli import app as cli
from parlour.engine import compiled as binding
from parlour.engine import compiling, linking, machine_code
from parlour.engine.compiling import Child
from parlour.engine.interpreted import Positions, interpreted
from parlour.errors import CompilationError
from parlour.players.background import BackgroundSearch, Worker
from parlour.players.search import Search
from parlour.study.simulate import simulate
from waiting import LIMIT, wait_until

USERS = binding.cache_folder()
"""Where the user's machine code is kept, before these tests hide it."""
NOWHERE = "/dev/null/parlour"


@pytest.fixture(scope="module", autouse=True)
def empty_cache() -> Iterator[None]:
    """Nothing was compiled before these tests, nothing can be written where it would be kept, and a child of their own
    compiles."""
    kept, child = list[Any](), Child()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PARLOUR_CACHE", NOWHERE)
        patched.setattr("parlour.engine.compiled._passing", kept)
        patched.setattr("parlour.engine.compiling._child", lambda: child)
        yield
    child.close()
    for folder in kept:
        folder.cleanup()
    binding._writable.cache_clear()


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The module that a child of this test's own imports first of all."""
    child = Child()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("parlour.engine.compiling._child", lambda: child)
    yield tmp_path / "sitecustomize.py"
    child.close()


# ------------------------------------------------------------------------------------------ a compiler that dies

DEADLY = """
import os
from numba.core.codegen import JITCodeLibrary

def die(library):
    print("LLVM ERROR: Cannot select: a test", file=__import__("sys").stderr, flush=True)
    {how}

JITCodeLibrary._finalize_final_module = die
"""


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("os._exit(3)", "exit code 3"),
        pytest.param("os.abort()", "SIGABRT", marks=pytest.mark.long),
        pytest.param("os.kill(os.getpid(), 9)", "SIGKILL", marks=pytest.mark.long),
    ],
)
def test_how_a_compiler_died_is_said_in_one_sentence(plant: Planter, deadly: Path, how: str, told: str) -> None:
    deadly.write_text(DEADLY.format(how=how))
    with pytest.raises(CompilationError, match=told) as failed:
        plant(f"planted_kuhn_{told.rsplit(maxsplit=1)[-1].lower()}").batch(4)
    assert '"LLVM ERROR: Cannot select: a test"' in str(failed.value)
    assert "Set PARLOUR_PORTABLE=1" in str(failed.value)
    assert str(failed.value).count("\n") == 0


def test_a_compiler_that_dies_ends_nothing_else(plant: Planter, deadly: Path) -> None:
    deadly.write_text(DEADLY.format(how="os.abort()"))
    game = plant("planted_kuhn_deadly")
    with pytest.raises(CompilationError, match=r"was ended by SIGABRT .* machine code of survey\."):
        simulate(game, 100)

    state = game.new(seed=1)
    legal = state.legal_actions()
    with pytest.warns(RuntimeWarning, match="goes on interpreted"):
        advice = Search(game, 3, simulations=50).advise(state.view(state.current_player), legal)
    slow = Search(game, 3, simulations=50, binding="interpreted").advise(state.view(state.current_player), legal)
    assert advice.visits == slow.visits
    while not state.is_terminal:  # play goes on too
        state.apply(state.legal_actions()[0])
    with pytest.raises(CompilationError):
        Search(game, simulations=50, binding="compiled").warm_up()


def test_after_a_death_another_child_compiles_as_the_first_would_have_and_ends_when_it_is_idle(
    plant: Planter, deadly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings count as they were when this process began to compile, whatever becomes of them.  And where nothing can
    be written, machine code is still made."""
    deadly.write_text(DEADLY.format(how="os.abort()"))
    game = plant("planted_kuhn_again")
    with pytest.raises(CompilationError):
        game.batch(4)
    deadly.unlink()
    closed = threading.Event()
    monkeypatch.setattr(compiling, "LINGER", 0.0)
    monkeypatch.setattr(Child, "close", lambda child, close=Child.close: (close(child), closed.set()))
    monkeypatch.setenv("PARLOUR_LINKING", "plain")
    assert game.batch(4).counts.tolist() == [2] * 4
    assert closed.wait(LIMIT)
    assert compiling._child().pid is None
    assert disk.cache_folder() == Path(NOWHERE)
    assert not Path(NOWHERE).exists()


@pytest.mark.long
def test_every_child_compiles_as_the_first_did(plant: Planter, deadly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though settings have changed since."""
    game = plant("planted_kuhn_settings")
    assert game.batch(2).counts.tolist() == [2, 2]
    compiling._child().close()
    monkeypatch.setenv("PARLOUR_LINKING", "plain")
    monkeypatch.setattr(compiling, "SETTINGS", compiling.SETTINGS)
    assert simulate(game, 100).length.shortest == 2


@pytest.mark.long
def test_hints_go_on_where_the_compiler_kills_the_worker(
    plant: Planter, deadly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker of hints compiles by itself; a game that kills it is given up, and no other."""
    worker = Worker()
    monkeypatch.setattr("parlour.players.background.shared_worker", lambda: worker)
    monkeypatch.setattr("parlour.players.background.ATTEMPTS", 2)
    deadly.write_text(DEADLY.format(how="os.abort()"))
    game = plant("planted_kuhn_hints")
    player = BackgroundSearch(game, 1, simulations=50)
    wait_until(lambda: not player.ready() and worker.given_up(game))
    deadly.unlink()
    honest = BackgroundSearch(parlour.load("kuhn"), 1, simulations=50)
    wait_until(honest.ready)
    state = game.new(seed=1)
    assert player.choose(state.view(0), state.legal_actions()) in state.legal_actions()
    assert not player.ready()
    worker.close()


@pytest.mark.long
def test_where_nothing_can_be_written_a_program_of_its_own_makes_machine_code() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "import parlour; print(parlour.load('kuhn').batch(2).counts)"],
        env={**os.environ, "PARLOUR_CACHE": NOWHERE, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout == "[2 2]\n", ran.stderr


# ------------------------------------------------------------------------------------------ rules that do not compile

FIRST = "    s.moves += 1\n    if a == BET:"  # how `apply` begins

MISTAKES = {
    "dictionary": ("s.moves += {0: 1}[0]", "{0: 1}"),
    "field": ("s.movs += 1", "the position has no field 'movs'"),
    "name": ("s.moves += one", "one is not defined"),
    "arguments": ("s.moves += winner(s, 1)", "wrongly, with too many positional arguments"),
    "event": ('note(to, "KU-7", "best", me)', "unknown event 'best'"),
    "clause": ('note(to, "KU-77", "bets", me)', "unknown clause 'KU-77'"),
    "fraction": ("s.hand[0] = s.hand[0] / 2", "a field of the position holds whole numbers, not float64"),
    "table": ("s.moves += TABLE[1]", "compiled rules cannot use 'TABLE', a dict"),
}
"""Lines that Numba cannot compile, and what their author is told."""


@pytest.mark.parametrize("mistake", the_rest_long([*MISTAKES], ["dictionary", "field", "event", "table"]))
def test_an_authors_mistake_is_one_sentence(plant: Planter, mistake: str) -> None:
    """It names the author's own file, the line and the words on it."""
    line, told = MISTAKES[mistake]
    game = plant(
        f"planted_kuhn_{mistake}",
        (FIRST, f"    {line}\n{FIRST}"),
        ("PASS, BET = 0, 1", "PASS, BET = 0, 1\nTABLE = {1: 1}"),
    )
    file = Path(game.definition.modules[0].__file__ or "")
    number = file.read_text().splitlines().index(f"    {line}") + 1
    with pytest.raises(CompilationError) as failed:
        simulate(game, 2)
    sentence = str(failed.value)
    assert f"rules.py, line {number} ({line}): " in sentence
    assert told in sentence
    assert "docs/adding_a_game.md" in sentence
    assert len(sentence) < 400
    assert "\n" not in sentence


def test_a_seat_found_in_a_loop_is_a_whole_number(plant: Planter) -> None:
    """Fields read as they do in Python: differences may be negative, and a seat of a loop is not a fraction."""
    game = plant(
        "planted_kuhn_loops",
        (
            "    lost = 1 - winner(s)",
            "    won = 0\n"
            "    for p in range(s.players):\n"
            "        if s.paid[p] - s.paid[1 - p] > 0 or p == winner(s):\n"
            "            won = p\n"
            "    lost = 1 - won",
        ),
    )
    honest, games = parlour.load("kuhn"), 500
    positions, totals = Positions(honest.definition, 2), [0.0, 0.0]
    positions[0] = honest.start()
    interpreted(honest.definition).play_many(positions, [0, 0], [0], [0.0, 0.0], 4, games, totals)
    assert [seat.returns.mean * games for seat in simulate(game, games, seed=4).seats] == totals


# ------------------------------------------------------------------------------------------ Numba's own way


@pytest.mark.parametrize(
    ("version", "plain"), [("0.68.0", False), ("0.68.3", False), ("0.69.0", True), ("1.0.0rc1", True)]
)
def test_a_newer_numba_is_used_as_it_stands(monkeypatch: pytest.MonkeyPatch, version: str, plain: bool) -> None:
    monkeypatch.delenv("PARLOUR_LINKING", raising=False)
    monkeypatch.setattr(numba, "__version__", version)
    fresh: Any = functools.cache(linking.is_plain.__wrapped__)
    if plain:
        with pytest.warns(UserWarning, match="newer than 0.68"):
            assert fresh()
        monkeypatch.setenv("PARLOUR_LINKING", "own")
        assert not linking.is_plain.__wrapped__()
    else:
        assert not fresh()


def test_another_way_to_link_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_LINKING", "fast")
    with pytest.raises(CompilationError, match="own or plain, not 'fast'"):
        linking.is_plain.__wrapped__()


# ------------------------------------------------------------------------------------------ machine code on disk


def doubled(n: int) -> int:
    return 2 * n


def double_kept_in(folder: Path) -> Any:
    made = numba.njit(doubled)
    machine_code.keep(made, folder)
    return made


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_machine_code_is_made_again(tmp_path: Path, damage: str) -> None:
    assert double_kept_in(tmp_path)(4) == 8
    (file,) = tmp_path.iterdir()
    harm(file, damage)
    with pytest.warns(UserWarning, match=re.escape(f"The machine code in {file} is damaged; it is made again.")):
        assert double_kept_in(tmp_path)(4) == 8
    assert machine_code.read(file) is not None
    file.unlink()
    assert double_kept_in(tmp_path)(4) == 8
    assert file.exists()


@pytest.fixture
def kuhns_code(tmp_path: Path) -> Path:
    """A cache of its own with the machine code of Kuhn: as far as it has been made before, that of everybody."""
    name = f"kuhn-{binding.source_hash(parlour.load('kuhn').definition)}"
    if (USERS / name).exists():
        shutil.copytree(USERS / name, tmp_path / "cache" / name)
    run(tmp_path / "cache", "simulate", "kuhn", "--games", "10")
    return tmp_path / "cache" / name


def run(cache: Path, *command: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "parlour", *command],
        capture_output=True, text=True, check=False, env={**os.environ, "PARLOUR_CACHE": str(cache)},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("damage", the_rest_long(DAMAGES, ["seven bytes overwritten"]))
def test_a_reader_gets_one_line_about_damaged_machine_code(kuhns_code: Path, damage: str) -> None:
    (file,) = kuhns_code.glob("*.drivers.survey-*")
    harm(file, damage)
    code, out, err = run(kuhns_code.parent, "simulate", "kuhn", "--games", "10")
    assert (code, err) == (0, f"parlour: The machine code in {file} is damaged; it is made again.\n")
    assert "95% intervals from 10 games" in out
    assert run(kuhns_code.parent, "simulate", "kuhn", "--games", "10")[2] == ""


def test_where_machine_code_cannot_be_kept_the_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / f"kuhn-{binding.source_hash(parlour.load('kuhn').definition)}"
    folder.write_text("a file stands in the way")
    code, _, err = run(tmp_path, "simulate", "kuhn", "--games", "10")
    assert (code, err.count("\n")) == (2, 1)
    assert f"kuhn: machine code cannot be kept in {folder}. Delete what is there, or set PARLOUR_CACHE" in err


def test_a_file_that_ends_too_soon_is_no_ctrl_d(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ``EOFError`` of a file or of another process is shown; only the terminal's ends a command in silence."""

    def ends_too_soon() -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr(cli, "app", typer.Typer())
    cli.app.command("broken")(ends_too_soon)
    cli.app.command("other")(ends_too_soon)
    monkeypatch.setattr(sys, "argv", ["parlour", "broken"])
    with pytest.raises(EOFError, match="Ran out of input"):
        cli.main()
