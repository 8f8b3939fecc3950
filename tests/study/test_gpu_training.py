"""Learning in several parts, on the processor and on a GPU: wherever it is done, the weights are the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import Game, ParlourError
from parlour.base.errors import CompilationError
from parlour.cli.author.new import lay_out
from parlour.engine import definition as definitions
from parlour.engine.definition import Definition, definition, shelf
from parlour.study import gpu, gpu_training, processor, training
from parlour.study.device import LEARNING, device_code, kernel
from parlour.study.gpu import device_name
from parlour.study.kernels import grid
from parlour.study.plan import Plan
from parlour.study.training import GPU, PROCESSOR, WORTH_A_DEVICE, Training
from tests.helpers import Says
from tests.study.devices import Driver, bind, check_code, needs_clang

HEURISTIC = '''
import math

from few_cards.rules import SWAP, FewCards


def appraise(
    s: FewCards, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Keep a card above the mean.  What is prepared and the house rules count; functions are exact everywhere."""
    for k in range(n):
        kept = round(0.9 * s.hand[me]) + math.floor(0.3 * s.hand[me]) + math.ceil(-0.1 * s.hand[me])
        worth[k] = math.sqrt(abs(notes[0]) * s.cards) if acts[k] == SWAP else kept
'''
PREPARED = "from few_cards.rules import FewCards\n\n\ndef prepare(s: FewCards) -> list[float]:\n    return [3.5]\n"
pytestmark = needs_clang

LEARNED = [name for name in shelf() if definition(name).has("appraise")]
REFUSED = {"diabolo": "erf", "diamondback": "pow", "dividha": "pow"}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """A game that is compiled in seconds."""
    with pytest.MonkeyPatch.context() as patched:
        yield few_cards("few_cards", HEURISTIC, tmp_path_factory.mktemp("games"), patched)


def few_cards(name: str, heuristic: str, folder: Path, patched: pytest.MonkeyPatch) -> Game:
    """The game from which authors start, with a rule of thumb."""
    made = lay_out(name, "Few Cards", folder)
    for file, text in (("heuristic", heuristic), ("prepared", PREPARED)):
        own = text.replace("few_cards", name).replace("FewCards", name.title().replace("_", ""))
        (made / f"{file}.py").write_text(own, "utf-8")
    patched.syspath_prepend(str(folder))
    patched.setattr(definitions, "_registered", dict(definitions._registered))  # commands register it
    return Game(Definition(name, name), 2, {})


@pytest.fixture
def ready(driver: Driver, game: Game) -> Driver:
    """A stand-in that knows the game."""
    driver.known = [device_code(game.definition, LEARNING, 0)]
    return driver


def plan(game: Game, parts: int = 7, games: int = 3000, **more: Any) -> Plan:
    return Plan(game, games, 3, 8, parts=parts, **more)


def learned(what: Plan, on: str | None = None, threads: int = 1) -> Training:
    made = Training(what, threads, on)
    made.go_on()
    return made


def check_equal(one: Training, other: Training) -> None:
    """Both have learned the same, to the last bit."""
    assert one.changes == other.changes > 1
    for name in ("weights", "average", "_moments"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    curves = [[{**line, "seconds": 0} for line in made.curve] for made in (one, other)]
    assert curves[0] == curves[1]


@pytest.fixture(scope="module")
def usual(game: Game) -> Training:
    """What the processor learns by the usual plan."""
    return learned(plan(game), PROCESSOR)


ENTRIES = [kernel(grid.learn_some), kernel(grid.add_up)]


def test_learning_is_compiled_for_devices_without_one(game: Game, tmp_path: Path) -> None:
    check_code(device_code(game.definition, LEARNING, 0), ENTRIES, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", LEARNED)
def test_a_device_learns_a_game_or_says_why_not(name: str, driver: Driver, tmp_path: Path) -> None:
    game = parlour.load(name)
    if name in REFUSED:
        sentence = rf"^{game.definition.name} calculates with {REFUSED[name]}, which devices do not round as processors"
        with pytest.raises(CompilationError, match=rf"{sentence} do: --on processor learns it\.$"):
            Training(plan(game), on=GPU)
        assert Training(plan(game, WORTH_A_DEVICE)).on == PROCESSOR
        return
    driver.known = [device_code(game.definition, LEARNING, 0)]
    check_code(driver.known[0], ENTRIES, tmp_path)
    what = plan(game, games=60)
    check_equal(learned(what, GPU), learned(what, PROCESSOR))


def test_what_a_device_calculates_otherwise_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it, and nothing else: not what the game above calculates with too."""
    unable = "cos", "erf", "exp", "log", "log2", "pow", "sin"
    others = (f"math.{name}(notes[{k}])" if name != "pow" else "notes[0] ** 1.5" for k, name in enumerate(unable))
    heuristic = HEURISTIC.replace("0.3 * s.hand[me]", " + ".join(others))
    unequal = few_cards("few_cards_unequal", heuristic, tmp_path, monkeypatch)
    sentence = f"^Few Cards calculates with {' and '.join(unable)}, which devices do not round"
    with pytest.raises(CompilationError, match=sentence):
        device_code(unequal.definition, LEARNING, 0)


@pytest.mark.parametrize(
    ("parts", "against"), [(1, "rule-of-thumb"), (12, "rule-of-thumb"), (12, "random"), (12, "learned:FILE")]
)
def test_a_device_learns_what_the_processor_learns(
    parts: int, against: str, game: Game, ready: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_training, "BLOCK", 3)
    if against == "learned:FILE":
        learned(plan(game), PROCESSOR).export(tmp_path / "mine.npz", "", "")
        against = f"learned:{tmp_path / 'mine.npz'}"
    what = plan(game, parts, against=against)
    made = learned(what, GPU)
    assert made.on == GPU
    assert ready.launched[0] == (-(-min(parts, gpu_training.CHECKED) // 3), 3)
    assert ready.launched[2] == (-(-parts // 3), 3)
    assert ready.is_clear
    check_equal(made, learned(what, PROCESSOR))


@pytest.mark.parametrize(("parts", "times"), [(1, 1), (2, 1), (64, 32), (512, 128)])
def test_steps_grow_with_a_batch(game: Game, parts: int, times: int) -> None:
    """More slowly than the batch, from the usual size on, as far as it was measured; Adam's first step is as large as
    steps are then."""
    made = Training(plan(game, parts, games=1))
    before = made.weights.copy()
    made.go_on()
    assert np.abs(made.weights - before).max() == pytest.approx(training.RATE[1] * times**0.75, rel=0.01)


def test_any_number_of_threads_learns_the_same(game: Game, usual: Training) -> None:
    for threads in (2, 3, 9):
        check_equal(usual, learned(plan(game), PROCESSOR, threads))
    for other in (plan(game, 4), plan(game, against="random")):
        assert learned(other, PROCESSOR).weights.tobytes() != usual.weights.tobytes()


def test_where_memory_is_short_parts_are_played_in_waves(
    game: Game, usual: Training, ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, free = plan(game), [0]
    monkeypatch.setattr(ready, "cuMemGetInfo", lambda: (0, free[0], 1 << 30))
    needs = r"^A thread needs ([\d,]+) bytes, and the CUDA device has only 0 left: --on processor learns it\.$"
    with pytest.raises(ParlourError, match=needs) as short:
        learned(what, GPU)
    assert not ready.memory
    (each,) = re.findall(needs, str(short.value))
    free[0] = int(3.5 * int(each.replace(",", "")) / gpu_training.USED)
    made = learned(what, GPU)
    check_equal(made, usual)
    assert len(ready.launched) == 2 * 3 * (made.changes + 1)  # 3 + 3 + 1 parts; 3 + 3 + 1 for the check at first


@pytest.mark.parametrize(("longest", "rooms"), [(1024, 3), (2, 2)])
def test_room_grows_with_the_longest_deal(
    longest: int, rooms: int, game: Game, ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as decisions are remembered; from those beyond neither the device nor the processor learns anything."""
    monkeypatch.setattr(gpu_training, "ROOM", 1)
    for module in (processor, gpu_training):
        monkeypatch.setattr(module, "LONGEST", longest)
    laid_out, lay_out = list[int](), gpu_training.Grid._lay_out

    def counted(*given: Any) -> None:
        laid_out.append(1)
        lay_out(*given)

    monkeypatch.setattr(gpu_training.Grid, "_lay_out", counted)
    what = plan(game)
    made = learned(what, GPU)
    check_equal(made, learned(what, PROCESSOR))
    assert len(laid_out) == rooms
    assert not ready.memory


@pytest.mark.parametrize("places", [(PROCESSOR, GPU), (GPU, PROCESSOR)])
def test_a_training_goes_on_elsewhere(places: tuple[str, str], game: Game, ready: Driver, tmp_path: Path) -> None:
    what, told = plan(game, games=15_000), list[int]()

    def stop(report: Any) -> None:
        told.append(report.games)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Training(what, on=places[0]).go_on(stop, tmp_path / "state")
    again = Training(what, on=places[1])
    again.load(tmp_path / "state")
    assert 0 < again.played < what.games
    again.go_on()
    assert len(again.curve) == 20
    check_equal(again, learned(what, PROCESSOR))


def test_a_device_is_used_where_there_is_one_and_enough_to_do(game: Game, ready: Driver) -> None:
    assert Training(plan(game, WORTH_A_DEVICE)).on == GPU
    assert Training(plan(game, WORTH_A_DEVICE - 1)).on == PROCESSOR
    assert Training(plan(game, WORTH_A_DEVICE), on=PROCESSOR).on == PROCESSOR
    assert Training(plan(game, 1), on=GPU).on == GPU


@pytest.mark.parametrize(
    ("failing", "sentence"),
    [
        ("cuInit", "There is no CUDA device here, or no driver for it."),
        ("", "There is no clang: --on processor learns it."),
    ],
)
def test_where_nothing_can_be_done_on_a_device_the_processor_learns(
    failing: str, sentence: str, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clangless(*asked: Any) -> Any:
        raise CompilationError("There is no clang.")

    bind(Driver(failing), monkeypatch)
    monkeypatch.setattr(gpu_training, "device_code", clangless)
    assert Training(plan(game, WORTH_A_DEVICE)).on == PROCESSOR
    with pytest.raises(ParlourError, match=f"^{re.escape(sentence)}$"):
        Training(plan(game), on=GPU)


@pytest.mark.parametrize("failing", ["cuModuleLoadData", "cuMemAlloc", "cuCtxSynchronize", "check"])
def test_where_a_device_fails_at_first_the_processor_learns(
    failing: str, game: Game, usual: Training, ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "WORTH_A_DEVICE", 7)
    monkeypatch.setattr(ready, "failing", failing)
    if failing == "check":
        fetch = gpu.Device.fetch
        monkeypatch.setattr(gpu.Device, "fetch", lambda self, array: slightly_off(fetch(self, array)))
    made, said = Training(plan(game)), list[str]()
    assert made.on == GPU
    made.go_on(say=said.append)
    wrong = "This CUDA device calculates otherwise than the processor"
    wrong = wrong if failing == "check" else "The CUDA device reports an error: 2"
    assert (made.on, said) == (PROCESSOR, [f"{wrong}; the processor learns instead."])
    assert ready.is_clear
    check_equal(made, usual)
    with pytest.raises(ParlourError, match=rf"^{wrong}"):
        learned(plan(game), GPU)


def timed(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
    """Have the batches of a trial take as long as this: one of the processor, then those of the device."""
    left = iter(seconds)
    monkeypatch.setattr(training, "_seconds", lambda work: (work(), next(left))[1])
    monkeypatch.setattr(training, "WORTH_A_DEVICE", 7)


def test_a_device_that_fails_later_is_given_up(
    game: Game, usual: Training, ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has learned until then counts, and the batch in which it fails is played again."""
    timed(monkeypatch, 2.0, 1.0, 1.0)
    launch = ready.cuLaunchKernel
    monkeypatch.setattr(ready, "cuLaunchKernel", lambda *given: launch(*given) if len(ready.launched) < 9 else (700,))
    made, said = Training(plan(game)), list[str]()
    made.go_on(say=said.append)
    assert (made.on, said) == (PROCESSOR, ["The CUDA device reports an error: 700; the processor learns instead."])
    assert len(ready.launched) == 9
    assert ready.is_clear
    check_equal(made, usual)
    ready.launched.clear()
    with pytest.raises(ParlourError, match=r"^The CUDA device reports an error: 700\.$"):
        learned(plan(game), GPU)


@pytest.mark.parametrize(("device", "on"), [((9.0, 3.0), GPU), ((9.0, 3.26), PROCESSOR)])
def test_a_device_is_used_if_it_is_faster(
    device: tuple[float, float], on: str, game: Game, usual: Training, ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nobody has asked for it: one batch of the processor and two of the device show that, and count."""
    timed(monkeypatch, 3.0, *device)
    made, said = Training(plan(game), threads=2), list[str]()

    def say(sentence: str) -> None:
        said.append(sentence)
        assert ready.is_clear

    made.go_on(say=say)
    assert made.on == on
    checked = 1
    assert len(ready.launched) == 2 * (checked + (made.changes - 1 if on == GPU else training.TRIED))
    slower = "A batch takes the device 3.3 s, and the processor 3.0 s; the processor learns instead."
    assert said == ([slower] if on == PROCESSOR else [])
    check_equal(made, usual)
    assert learned(plan(game), GPU).on == GPU


def slightly_off(found: Any) -> Any:
    if found.dtype == np.float64:
        found.flat[-1] = np.nextafter(found.flat[-1], np.inf)
    return found


def test_the_command_says_where_it_learns(
    game: Game, ready: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    """And that the processor learns instead where a device fails."""
    monkeypatch.setattr("parlour.cli.study.train.loaded", lambda *_: game)
    said = {}
    for on in (PROCESSOR, GPU):
        words = f"train few_cards --games 3000 --hidden 8 --parts 7 --on {on} --out {tmp_path / on}.npz"
        code, said[on], wrong = says(words)
        assert (code, wrong) == (0, "")
    assert said[GPU].startswith("Learning on a stand-in.\n    games ")
    assert said[PROCESSOR].startswith("    games ")
    monkeypatch.setattr(training, "WORTH_A_DEVICE", 7)
    monkeypatch.setattr(ready, "failing", "cuModuleLoadData")
    words, wrong = f"train few_cards --games 300 --hidden 8 --parts 7 --out {tmp_path}/mine.npz", "reports an error: 2"
    code, _, told = says(words)
    assert (code, told) == (0, f"The CUDA device {wrong}; the processor learns instead.\n")
    assert says(f"{words} --afresh --on gpu")[::2] == (2, f"parlour: The CUDA device {wrong}.\n")


@pytest.mark.long
@pytest.mark.skipif(device_name() is None, reason="there is no CUDA device here")
@pytest.mark.parametrize("name", [name for name in LEARNED if name not in REFUSED])
def test_a_real_device_learns_the_same(name: str) -> None:
    what = plan(parlour.load(name), 256, games=40_000)
    check_equal(learned(what, GPU), learned(what, PROCESSOR))
