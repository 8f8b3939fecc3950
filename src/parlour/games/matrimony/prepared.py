"""What the rule of thumb for Matrimony is given: how likely each player is to take each pool."""

from parlour.games.matrimony.chances import chances, sweep
from parlour.games.matrimony.heuristic import CHANCES, at
from parlour.games.matrimony.position import *
from parlour.rules.vocabulary import *


def prepare(s: Matrimony) -> list[float]:
    """The chance of each player to take each pool in one deal, exactly, for every number of players that there may
    be."""
    found = [0.0] * CHANCES
    for players in range(2, s.players + 1):
        take_down(s, players, found)
    return found


def take_down(s: Matrimony, players: int, found: list[float]) -> None:
    """The same for one number of players."""
    words = {}
    for name in ("cards", "pair_rule", "best_rule"):
        option = options_of(Matrimony)[name]
        words[name] = next(word for word, value in option.words.items() if value == getattr(s, name))
    court, _, _, pair, best = chances(players, **words)
    for i in range(players):
        for sort, those in enumerate((court, pair, best)):
            found[at(players, i, sort)] = float(those[i] + sweep())
