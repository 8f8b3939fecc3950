"""The modes of a bench: the unit that each counts, and the work that it measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour.core.game import Game

BATCH = 1024
LARGE = 4096
SIMULATIONS = 10_000

MODES: Mapping[str, tuple[str, str]] = {
    "bulk": ("decisions", "Whole random games, compiled, chance drawn explicitly; nobody is told anything."),
    "bulk_gpu": ("decisions", "The same on a CUDA device (extra `gpu`), results copied back for each game."),
    "batch_tensor": (
        "decisions",
        f"`Batch.step` on {BATCH:,} games a thread, called from Python: random legal actions, and after each the legal "
        "actions and the tensor of whoever acts next.",
    ),
    "batch_large": ("decisions", f"The same on {LARGE:,} games in all, whatever the number of threads."),
    "vector": ("decisions", "The same batch as a Gymnasium `VectorEnv`, with masks and `copy=False`."),
    "keys": ("decisions", "Whole random games, compiled, with perfect-recall keys for all players after each step."),
    "interpreted": ("decisions", "Whole random games, the same rules run by Python, without compiling."),
    "step": ("decisions", "One state from Python: `legal_actions`, `apply`, events and history kept."),
    "step_compiled": (
        "decisions",
        'The same on a state made with `binding="compiled"`: keys are kept, history is made when asked for.',
    ),
    "openspiel": (
        "decisions",
        "Our rules through OpenSpiel's interface: `legal_actions`, `apply_action`; the caller draws chance.",
    ),
    "infostate": (
        "decisions",
        "The same with `information_state_tensor` of whoever acts, which every learner there asks for.",
    ),
    "pettingzoo": (
        "decisions",
        "Our rules through PettingZoo's interface, one agent after another: `last`, which observes, and `step`.",
    ),
    "gymnasium": (
        "decisions",
        "One seat in Gymnasium's interface, with rivals that choose at random: `step`, which observes.",
    ),
    "one_seat": (
        "decisions",
        f"One seat of {BATCH:,} games as a Gymnasium `VectorEnv`, with rivals that choose at random in compiled code; "
        "only that seat's decisions count.",
    ),
    "clone": ("copies", "From Python: `clone` of a state."),
    "clone_compiled": ("copies", 'The same on a state made with `binding="compiled"`.'),
    "clone_openspiel": ("copies", "The same on a state in OpenSpiel's interface."),
    "clone_tree": ("copies", "The same in the tree of a small game (`openspiel.tree`)."),
    "exploitability": (
        "evaluations",
        "OpenSpiel's own `exploitability`, called from Python, of random play in our registered game, if it is small.",
    ),
    "exploitability_tree": ("evaluations", "The same in the game's tree."),
    "search": (
        "simulations",
        "Information-set tree search, compiled, from the first decision of a game; "
        f"{SIMULATIONS:,} simulations for each decision.",
    ),
    "solve": (
        "iterations",
        "CFR+ on the whole tree of a small game for two, both players in turn, one thread (`parlour solve`).",
    ),
    "memory": ("bytes", "Size of a compiled position."),
    "start_cold": ("seconds", "A new process with an empty cache, up to the first compiled result."),
    "start_warm": ("seconds", "The same with the cache filled."),
    "start_prompt": ("seconds", "`parlour play` in a new process with an empty cache, up to the first question."),
}
"""The modes, each with the unit that is counted, and a sentence about the measurement."""

STARTS = ("start_prompt", "start_cold", "start_warm")
"""Modes that start processes.  A warm start comes after a cold one."""

UNCOMPILED = frozenset(
    {
        "interpreted",
        "step",
        "openspiel",
        "infostate",
        "pettingzoo",
        "gymnasium",
        "clone",
        "clone_openspiel",
        "memory",
        "start_prompt",
    }
)
"""Modes that need no machine code."""

BESIDE: Mapping[str, str] = {
    "bulk_gpu": "bulk",
    "vector": "batch_tensor",
    "step_compiled": "step",
    "openspiel": "step",
    "infostate": "openspiel",
    "one_seat": "batch_tensor",
    "pettingzoo": "step",
    "gymnasium": "step",
    "clone_compiled": "clone",
    "clone_openspiel": "clone",
    "clone_tree": "clone",
    "exploitability_tree": "exploitability",
}
"""The mode with which another is compared: for the compiled state, adapters and a device."""

RATES = tuple(mode for mode, (unit, _) in MODES.items() if unit not in ("bytes", "seconds"))
"""Modes whose figure is a rate per second."""


def row(game: Game, mode: str, engine: str, threads: int, **figures: Any) -> dict[str, Any]:
    """Return one figure of a run, JSON-able; without a rate, decisions a second are ``None``."""
    head = {"game": game.id, "players": game.players, "mode": mode, "threads": threads, "engine": engine}
    return {**head, "decisions_per_second": None, **figures}
