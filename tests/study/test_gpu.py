"""The code that is made for a CUDA device plays the games that the rules play, and is put to work as it should be."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import ParlourError
from parlour.base.errors import CompilationError
from parlour.engine.definition import shelf
from parlour.study import device as devices
from parlour.study import gpu
from parlour.study.device import device_code, kernel
from parlour.study.gpu import Gpu, code_for, device_name, play_each
from parlour.study.kernels import grid
from tests.helpers import DAMAGES, Planter, harm, the_rest_long
from tests.study.devices import Driver, bind, check_code, needs_clang
from tests.study.test_simulate import one_by_one

pytestmark = needs_clang

GAMES = the_rest_long(shelf(), ["leduc"])


def ready(driver: Driver, game: Any) -> None:
    driver.known = [code_for(game)]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_compiled_for_devices_without_one(name: str, tmp_path: Path) -> None:
    code = code_for(parlour.load(name))
    check_code(code, [*code.fills, kernel(grid.play_some)], tmp_path)


@pytest.mark.parametrize("name", GAMES)
def test_a_device_plays_the_games_that_the_rules_play(name: str, driver: Driver, monkeypatch: Any) -> None:
    monkeypatch.setattr(gpu, "BLOCK", 3)
    monkeypatch.setattr(gpu, "BLOCKS", 2)
    game = parlour.load(name)
    ready(driver, game)
    with Gpu(game) as device:
        played = device.play(40, seed=7)
    assert driver.launched == [*[(gpu.BLOCKS, gpu.BLOCK)] * len(code_for(game).fills), (2, 3)]
    assert driver.is_clear
    for row, (decisions, returns, _) in enumerate(one_by_one(game, 7, 10)):
        assert played.decisions[row] == decisions
        assert played.returns[row].tolist() == returns
    processor = play_each(game, 40, seed=7)
    assert np.array_equal(processor.decisions, played.decisions)
    assert np.array_equal(processor.returns, played.returns)


@pytest.mark.long
def test_house_rules_and_players_need_no_other_code(driver: Driver) -> None:
    """They are data, as on the processor; only many more actions need more room."""
    code = {name: code_for(parlour.load(name)) for name in ("diamonds", "newmarket")}
    settings: list[tuple[str, dict[str, Any]]] = [
        ("diamonds", {"players": 3}), ("diamonds", {"trade_leaves": "debris"}), ("newmarket", {"stake_max": 12})
    ]  # fmt: skip
    for name, options in settings:
        game = parlour.load(name, **options)
        assert code_for(game) is code[name]
        ready(driver, game)
        device, processor = play_each(game, 300, seed=1, on="gpu"), play_each(game, 300, seed=1)
        assert np.array_equal(device.returns, processor.returns)
        assert np.array_equal(device.decisions, processor.decisions)


def test_many_games_are_played_in_pieces(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "PIECE", 100)
    game = parlour.load("leduc")
    ready(driver, game)
    played = play_each(game, 250, seed=2**64 - 250, on="gpu")  # as far as seeds go
    assert driver.launched == [(1, 128)] * 3
    assert np.array_equal(played.returns, play_each(game, 250, seed=2**64 - 250).returns)


def test_what_cannot_be_played_is_told_in_a_sentence() -> None:
    with pytest.raises(ParlourError, match=r"^Games are played on the processor or on a gpu, not on 'moon'\.$"):
        play_each("leduc", 10, on="moon")
    with pytest.raises(ParlourError, match=r"^The number of games must be at least 1, not 0\.$"):
        play_each("leduc", 0)


def use(device: Gpu, games: int) -> None:
    """Have room on it, and perhaps play."""
    with device:
        for _ in range(3):
            device.room(np.float64, 10)
        if games:
            device.play(games)


@pytest.mark.parametrize(
    "failing",
    [
        *("cuCtxSetCurrent", "cuModuleLoadData", "cuMemAlloc", "cuMemcpyHtoD", "cuLaunchKernel", "cuCtxSynchronize"),
        *("cuMemcpyDtoH", ""),
    ],
)
def test_what_went_wrong_first_is_told(failing: str, driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing that is undone afterwards succeeds; all of that is tried."""
    game = parlour.load("leduc")
    ready(driver, game)
    driver.failing = failing
    for name in ("cuMemFree", "cuModuleUnload", "cuDevicePrimaryCtxRelease"):  # an error that stays
        undo = getattr(driver, name)
        monkeypatch.setattr(driver, name, lambda what, undo=undo: undo(what) and (700,))
    with pytest.raises(ParlourError, match=rf"^The CUDA device reports an error: {2 if failing else 700}\.$"):
        use(Gpu(game), 10 if failing else 0)
    assert driver.is_clear


def test_a_game_that_goes_wrong_says_where(driver: Driver, plant: Planter) -> None:
    """In the rules; and what was played afterwards is not about that game."""
    line = "    s.moves += 1 // (s.moves - s.moves)"
    game = plant("planted_kuhn_on_a_device", ("    s.moves += 1\n", f"{line}\n"))
    ready(driver, game)
    with pytest.raises(ParlourError, match=r"^A game of .* went wrong on the device: .*rules\.py, line \d+ \(") as told:
        play_each(game, 10, on="gpu")
    assert str(told.value).endswith(f"({line.strip()}): division by zero.")
    assert driver.is_clear
    sound = parlour.load("kuhn")
    ready(driver, sound)
    assert np.array_equal(play_each(sound, 10, on="gpu").returns, play_each(sound, 10).returns)


@pytest.mark.parametrize("damage", the_rest_long(DAMAGES, ["half"]))
def test_code_is_kept_and_made_again_if_it_is_damaged(damage: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    game, made, compiled = parlour.load("kuhn"), list[str](), vars(devices)["compiled"]

    def counted(*given: Any) -> Any:
        made.append(given[2])
        return compiled(*given)

    monkeypatch.setattr(devices, "compiled", counted)
    again = device_code.__wrapped__, game.definition, devices.PLAYING, 4
    first = again[0](*again[1:])
    assert again[0](*again[1:]) == first
    assert made == ["kuhn"]
    (kept,) = tmp_path.rglob("*.ptx.gz")
    harm(kept, damage)
    assert again[0](*again[1:]) == first
    assert made == ["kuhn"] * 2


def test_code_that_came_with_the_package_needs_no_clang(tmp_path: Path, monkeypatch: Any) -> None:
    asked = parlour.load("kuhn").definition, devices.PLAYING, 4
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "first"))
    made = device_code.__wrapped__(*asked)
    (kept,) = tmp_path.rglob("*.ptx.gz")
    monkeypatch.setattr(devices, "SHIPPED", kept.parent)
    monkeypatch.setattr(devices, "clang", lambda: pytest.fail("it is not needed"))
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "second"))
    assert device_code.__wrapped__(*asked) == made


@pytest.mark.usefixtures("driver")
def test_without_clang_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    monkeypatch.setattr(devices, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(gpu, "device_code", device_code.__wrapped__)
    with pytest.raises(CompilationError, match=r"^Code for a device is made by clang, .* 'parlour\[compiler\]'\.$"):
        play_each("kuhn", 10, on="gpu")


def test_without_cuda_bindings_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    with pytest.raises(ParlourError, match=r"^Using a GPU needs cuda-bindings, .* 'parlour\[gpu\]' brings it\.$"):
        play_each("kuhn", 10, on="gpu")
    assert device_name() is None


@pytest.mark.parametrize("broken", ["cuInit", ""])
def test_without_a_device_a_sentence_says_so(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    none = Driver(failing=broken)
    none.devices = 0
    bind(none, monkeypatch)
    with pytest.raises(ParlourError, match=r"^There is no CUDA device here, or no driver for it\.$"):
        play_each("kuhn", 10, on="gpu")
    assert device_name() is None


@pytest.mark.skipif(device_name() is None, reason="there is no CUDA device here")
@pytest.mark.parametrize("name", GAMES)
def test_a_real_device_plays_them_too(name: str) -> None:
    game = parlour.load(name)
    device, processor = play_each(game, 2000, seed=1, on="gpu"), play_each(game, 2000, seed=1)
    assert np.array_equal(device.returns, processor.returns)
    assert np.array_equal(device.decisions, processor.decisions)
