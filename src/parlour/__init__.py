"""Parlour: little-known card games, refereed.

>>> import parlour
>>> game = parlour.load("diamonds", players=3)
>>> state = game.new(seed=7)
>>> state.apply("dig 4")
>>> print(state.events()[2].text)
Seat 0 turns up H2 on pile 4.
"""

from parlour.engine.definition import games, register
from parlour.engine.steps import Deal, Step, Told
from parlour.errors import BadRecord, IllegalAction, ParlourError
from parlour.game import Game, State, load
from parlour.records import replay
from parlour.vocabulary import CHANCE, EVERYBODY, SEVERAL, TERMINAL

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "EVERYBODY",
    "SEVERAL",
    "TERMINAL",
    "BadRecord",
    "Deal",
    "Game",
    "IllegalAction",
    "ParlourError",
    "State",
    "Step",
    "Told",
    "games",
    "load",
    "register",
    "replay",
]
