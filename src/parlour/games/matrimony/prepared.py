"""Data for the rule of thumb of Matrimony: the chance of each player to take each pool."""

from parlour.games.matrimony.chances import chances, sweep
from parlour.games.matrimony.heuristic import CHANCES, at
from parlour.games.matrimony.position import *
from parlour.rules.vocabulary import *


def prepare(s: Matrimony) -> list[float]:
    """Return the exact chance of each player to take each pool in one deal, for every possible number of players."""
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
