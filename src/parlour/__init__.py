"""Parlour: little-known card games, refereed.

>>> import parlour
>>> game = parlour.load("diamonds", players=3)
>>> state = game.new(seed=7)
>>> state.apply("dig 4")
>>> print(state.events()[2].text)
Seat 0 turns up H2 on pile 5.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from parlour.base.errors import BadRecord, IllegalAction, ParlourError
from parlour.core.game import Game, State, load, load_batch
from parlour.core.records import replay
from parlour.core.taking_back import undo
from parlour.engine.definition import games as game_names
from parlour.engine.definition import register
from parlour.engine.steps import Deal, Step, Told
from parlour.engine.telling import View
from parlour.engine.tensors import Tensor
from parlour.rules.vocabulary import CHANCE, EVERYBODY, SEVERAL, TERMINAL

if TYPE_CHECKING:
    from parlour.core.batch import Batch
    from parlour.core.compiled_state import CompiledState
    from parlour.players import Player

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "EVERYBODY",
    "SEVERAL",
    "TERMINAL",
    "BadRecord",
    "Batch",
    "CompiledState",
    "Deal",
    "Game",
    "IllegalAction",
    "ParlourError",
    "Player",
    "State",
    "Step",
    "Tensor",
    "Told",
    "View",
    "game_names",
    "load",
    "load_batch",
    "register",
    "replay",
    "undo",
]


PARTS = "adapters", "audit", "players", "solve", "study"
"""The packages that docs/interfaces.md names; they take time to import."""


def _drawn(view: View) -> str:
    """A view as text, by a drawing, which takes time to import."""
    from parlour.core.drawing import as_text

    return as_text(view)


View.drawn = _drawn


def __getattr__(name: str) -> Any:
    """What takes time to import comes when it is asked for."""
    if name == "Batch":
        from parlour.core.batch import Batch

        return Batch
    if name == "CompiledState":
        from parlour.core.compiled_state import CompiledState

        return CompiledState
    if name == "Player":
        from parlour.players import Player

        return Player
    if name in PARTS:
        return import_module(f"parlour.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *PARTS]
