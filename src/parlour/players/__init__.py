"""Players: they get a view and the legal actions, never a state.

>>> import parlour
>>> from parlour import players
>>> game = parlour.load("diamonds")
>>> players.kinds(game)
['random', 'rule-of-thumb', 'learned', 'search', 'best']
>>> player = players.make("search:200", game, seed=1, binding="interpreted")
>>> state = game.new(seed=1)
>>> seat = state.acting[0]
>>> player.choose(state.view(seat), state.legal_actions(seat)) in state.legal_actions(seat)
True
"""

from parlour.players.kinds import kinds, make
from parlour.players.player import Advice, Adviser, Player

__all__ = ["Advice", "Adviser", "Player", "kinds", "make"]
