"""Where there is no machine code and none can be made: nobody's process ends, everybody is told in one sentence what to
do, and play goes on by the interpreted rules."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import parlour
from parlour.base.errors import CompilationError
from parlour.players import best, search
from parlour.players.best import Best
from parlour.players.search import Search
from parlour.server.bots import bots
from parlour.server.bots.bots import Bots
from parlour.study import arena, surveying
from parlour.study.sums import Sums
from tests.helpers import Planter, Says, heed_ctrl_c, needs_a_compiler
from tests.waiting import wait_until

NEVER = "no-such-compiler"
"""What ``CC`` names where nothing can be compiled."""


@pytest.fixture
def without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", NEVER)


@pytest.mark.usefixtures("without_a_compiler")
def test_play_and_search_go_on_interpreted(plant: Planter) -> None:
    game = plant("planted_kuhn_interpreted")
    with pytest.raises(CompilationError, match=f"CC names the C compiler '{NEVER}', which cannot be found"):
        game.batch(4)
    state = game.new(seed=1)
    legal = state.legal_actions()
    with pytest.warns(RuntimeWarning, match=f"{NEVER}.* Search goes on interpreted, and more slowly"):
        advice = Search(game, 3, simulations=50).advise(state.view(state.current_player), legal)
    slow = Search(game, 3, simulations=50, binding="interpreted").advise(state.view(state.current_player), legal)
    assert advice.visits == slow.visits
    while not state.is_terminal:  # play goes on too
        state.apply(state.legal_actions()[0])
    with pytest.raises(CompilationError):
        Search(game, simulations=50, binding="compiled").warm_up()


@needs_a_compiler
@pytest.mark.parametrize("player", [Best, Search])
def test_hints_need_no_numpy(player: type[Search], monkeypatch: pytest.MonkeyPatch) -> None:
    state = parlour.load("diamonds").new(seed=1)
    asked = state.view(state.current_player), state.legal_actions()
    with_numpy = player(state.game, simulations=100).advise(*asked)
    for kept in (best, search):
        kept._own.__dict__.clear()
    monkeypatch.setitem(sys.modules, "numpy", None)
    without = player(state.game, simulations=100)
    assert without.advise(*asked) == with_numpy
    assert without.binding == "compiled"


@pytest.mark.parametrize("name", ["kuhn", "diamonds"])
def test_games_are_counted_interpreted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, told = parlour.load(name), list[Sums]()
    told.append(surveying.played(game, arena.RANDOM, range(60), 1))

    def refuse(*_: object) -> None:
        raise CompilationError("There is no compiler.")

    monkeypatch.setattr(surveying, "_at_random", refuse)
    with pytest.warns(
        RuntimeWarning, match=r"There is no compiler\. The games are played interpreted, and more slowly"
    ):
        told.append(surveying.played(game, arena.RANDOM, range(60), 1))
    assert told[0] == told[1]


@pytest.mark.usefixtures("without_a_compiler")
def test_a_server_says_once_that_its_bots_go_on_interpreted(plant: Planter, caplog: pytest.LogCaptureFixture) -> None:
    game = plant("planted_kuhn_at_a_server")
    state = game.new(seed=1)
    asked = state.view(state.current_player), state.legal_actions()
    bots._log_once.cache_clear()

    async def run() -> None:
        real = Bots(2)
        try:
            chosen = await asyncio.gather(*(real.choose("search:20", seed, *asked) for seed in range(4)))
            assert {*chosen} <= {*asked[1]}
            assert (await real.advise("search:20", *asked)).games == 20
        finally:
            real.close()

    with caplog.at_level(logging.WARNING, "parlour.server"):
        asyncio.run(run())
    (said,) = (record.getMessage() for record in caplog.records)
    assert NEVER in said
    assert said.endswith("Search goes on interpreted, and more slowly.")


@pytest.mark.filterwarnings("always")
@pytest.mark.usefixtures("without_a_compiler")
def test_at_the_terminal_it_is_said_once(plant: Planter, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    game = plant("planted_kuhn_at_a_terminal").id
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n"))
    code, _, err = says(f"play {game} --against search:3 --pace 0 --plain --seed 1 --seat 1")
    assert code == 0, err
    said = [line for line in err.splitlines() if NEVER in line]
    assert len(said) == 1, err
    assert said[0].startswith(f"parlour: {game}: CC names")


@needs_a_compiler
def test_a_compiler_that_dies_ends_nothing_else(tmp_path: Path) -> None:
    dies = tmp_path / "dies"
    dies.write_text("#!/bin/sh\nkill -9 $$\n")
    dies.chmod(0o755)
    words = [sys.executable, "-m", "parlour", "simulate", "kuhn", "--games", "10"]
    env = {**os.environ, "PARLOUR_CACHE": str(tmp_path), "CC": str(dies)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
    assert re.fullmatch(r".*was ended by SIGKILL.*The games are played interpreted, and more slowly\.\n", done.stderr)


@pytest.mark.skipif(os.name == "nt", reason="there a compiler lives on")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_compiler_ends_with_whoever_waits_for_it(how: signal.Signals, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\nsleep 100 &\necho "$$ $!" > {tmp_path}/new\nmv {tmp_path}/new {tmp_path}/pids\nwait\n')
    slow.chmod(0o755)
    code = (
        "from parlour.engine.c import running; running.PATIENCE = 0.01; import parlour; parlour.load('kuhn').batch(2)"
    )
    waits = subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PARLOUR_CACHE": str(tmp_path), "CC": str(slow)}, preexec_fn=heed_ctrl_c,  # noqa: PLW1509
    )  # fmt: skip
    wait_until((tmp_path / "pids").exists)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert all(map(psutil.pid_exists, pids))
    waits.send_signal(how)
    assert "machine code of Kuhn poker is being made" in waits.communicate()[1]
    wait_until(lambda: not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids))
