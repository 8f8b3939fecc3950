"""Every compiled driver of a game on one processor after another::

    python tests/processors.py run kuhn leduc     # on the target of NUMBA_CPU_NAME: results are the interpreted ones
    python tests/processors.py emit kuhn leduc    # the same; and object code for every processor of TARGETS
    python tests/processors.py emit kuhn generic  # only for this one
    python tests/processors.py write diamonds     # of all drivers only that which writes tensors: it is full of vectors

A process of its own, because LLVM ends the process where it cannot lower something.  ``tests/test_processors.py`` calls
it, and ``docs/processors.md`` says what it has shown.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

TARGETS = {
    "x86-64-v2": "x86_64-unknown-linux-gnu",
    "haswell": "x86_64-unknown-linux-gnu",
    "znver3": "x86_64-unknown-linux-gnu",
    "skylake-avx512": "x86_64-unknown-linux-gnu",
    "znver4": "x86_64-unknown-linux-gnu",
    "generic": "aarch64-unknown-linux-gnu",
    "apple-m1": "arm64-apple-darwin",
}
"""Processors, by LLVM's names, and the triple of their system."""
X86 = [cpu for cpu, triple in TARGETS.items() if triple.startswith("x86_64")]
NEEDS = {
    "x86-64-v2": ("sse4.2", "popcnt"),
    "haswell": ("avx2", "bmi2", "fma"),
    "znver3": ("avx2", "bmi2", "fma", "sse4a", "clzero", "vaes"),
    "skylake-avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"),
    "znver4": ("avx512f", "avx512bw", "avx512vl", "avx512vbmi2", "avx512bf16", "sse4a", "clzero"),
}
"""What the machine must have to run what was compiled for a processor."""
WITHOUT_DEPOSIT = ("x86-64-v2", "generic", "apple-m1")


def runs_here(cpu: str) -> bool:
    """Whether this machine runs code for that processor."""
    import llvmlite.binding as llvm

    has = llvm.get_host_cpu_features()
    return all(has.get(feature) for feature in NEEDS.get(cpu, ("",)))


# ------------------------------------------------------------------------------------------ running


def drive(game: Any) -> Iterator[str]:
    """Run every driver and compare it with the interpreted binding; gives the names of what was compared."""
    import numpy as np

    from parlour.batch import Batch, start_records
    from parlour.engine.binding import compiled
    from parlour.players.search import Search
    from test_parity import Budget, Setting, compare

    compare(Setting(game.id, game.players, tuple(game.options.items())), Budget(6, 1500, 200, 30))
    yield "bulk, survey, rows"

    for tensors in (True, False):
        batch, states = Batch(game, 3, seed=5, tensors=tensors), [game.new(seed=5 + i) for i in range(3)]
        for _ in range(60):
            for i, state in enumerate(states):
                legal = batch.legal[i, : batch.counts[i]].tolist()
                assert legal == state.legal_actions(int(batch.movers[i]))
                if tensors:
                    assert batch.tensors[i].tobytes() == state.view(int(batch.movers[i])).tensor().flat.tobytes()
            chosen = batch.legal[:, 0].copy()
            movers = batch.movers.copy()
            batch.step(chosen)
            for i, state in enumerate(states):
                state.apply(int(chosen[i]), int(movers[i]))
            if batch.done.any():
                break
        batch.step(batch.sample())
        yield f"batch {'with' if tensors else 'without'} tensors"

    code, records, n = compiled(game.definition), start_records(game), 20_000
    acts, rng, memory = (
        np.zeros(game.action_count, np.int16),
        np.zeros(8, np.uint64),
        np.zeros((4, max(game.players, 2)), np.uint64),
    )
    keys, every = np.zeros((1, game.players), np.uint64), np.zeros((n, game.players), np.uint64)
    code.play_keys(records, acts, rng, memory, np.uint64(3), 1, keys)
    steps = code.trace(
        records, acts, rng, memory, np.uint64(3), np.zeros((n, 3), np.int64), np.zeros(n, code.dtype), every
    )
    assert keys[0].tolist() == every[steps - 1].tolist()
    yield "keys"

    X, rngs = np.zeros((2, game.tensor_size), np.float32), np.zeros((2, 1), np.uint64)
    pair = np.zeros(2, code.dtype)
    pair[:] = records[0]
    assert code.play_rows(pair, records, rngs, acts, X, 3) == 6
    code.write_rows(pair, 0, 2, 0, X)
    assert code.copy_many(records, 3) == 6
    totals = np.zeros(game.players)
    assert code.play_many(records, acts, rng, np.zeros(game.players), np.uint64(1), 2, totals) > 0
    yield "rows, copies, bulk"

    state = game.new(seed=2)
    player = state.acting[0]
    view, legal = state.view(player), state.legal_actions(player)
    advice = [Search(game, 1, simulations=60, binding=way).advise(view, legal) for way in ("compiled", "interpreted")]
    assert advice[0].visits == advice[1].visits
    yield "search"


def write(game: Any) -> Iterator[str]:
    """Only write the tensor of each player, in a game that has gone on for a while."""
    import numpy as np

    from helpers import play
    from parlour.batch import start_records
    from parlour.engine.binding import compiled
    from parlour.engine.positions import to_record

    *_, state = play(game.new(), 5, 60)
    code, record, row = compiled(game.definition), start_records(game)[0], np.zeros(game.tensor_size, np.float32)
    to_record(game.definition, state.position, record)
    for p in range(game.players):
        code.write_row(record, p, row)
        assert row.tobytes() == state.tensor(p).flat.tobytes()
    yield "tensors"


# ------------------------------------------------------------------------------------------ emitting


def emit(games: list[Any], targets: list[str], drive: Callable[[Any], Iterator[str]] = drive) -> Iterator[str]:
    """Compile these drivers for this machine, and their unoptimised LLVM modules again for each target."""
    import llvmlite.binding as llvm
    from numba.core.llvm_bindings import create_pass_builder

    from parlour.engine import linking

    modules: list[str] = []
    optimise = linking._Linked._optimize_final_module

    def noted(library: Any) -> None:
        modules.append(str(library._final_module))
        optimise(library)

    linking._Linked._optimize_final_module = noted
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    for game in games:
        modules.clear()
        for _ in drive(game):
            pass
        for cpu in targets:
            triple, size = TARGETS[cpu], 0
            machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features="", opt=3, reloc="pic")
            for text in modules:
                module = llvm.parse_assembly(_for(text, triple, str(machine.target_data)))
                builder = create_pass_builder(machine, opt=3, loop_vectorize=False, slp_vectorize=False)
                builder.getModulePassManager().run(module, builder)
                size += len(machine.emit_object(module))
            yield f"{game.id}: {cpu} {triple.partition('-')[0]}: {len(modules)} functions, {size >> 10} kB"


def _for(text: str, triple: str, layout: str) -> str:
    """A module as text, said to be for another system."""
    lines = text.splitlines()
    kept = [line for line in lines if not line.startswith(("target triple", "target datalayout"))]
    return "\n".join([f'target datalayout = "{layout}"', f'target triple = "{triple}"', *kept])


def main(way: str, *names: str) -> None:
    import parlour
    from parlour.engine.intrinsics import has_deposit, target

    parlour.register("sampler")
    games = [parlour.load(name) for name in names if name not in TARGETS]
    if way == "run":
        for game in games:
            print(f"{game.id}: {target()[1]}: {'; '.join(drive(game))}", flush=True)
    else:
        fit = [cpu for cpu in TARGETS if has_deposit() is (cpu not in WITHOUT_DEPOSIT)]
        chosen = [cpu for cpu in fit if cpu in names] or fit
        for line in emit(games, chosen, write if way == "write" else drive):
            print(line, flush=True)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    main(*sys.argv[1:])
