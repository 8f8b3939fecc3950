"""Data for the rule of thumb of Dividha: a ladder of random hands to compare with."""

import random

from parlour.games.dividha.hands import DECK
from parlour.games.dividha.heuristic import HANDFUL, LADDER, ends
from parlour.games.dividha.position import *
from parlour.games.dividha.showdown import ranking


def prepare(s: Dividha) -> list[float]:
    """Return the best and the worst scores of random hands under these rules, each in rising order."""
    deal = random.Random(0)
    hands = [sum(1 << c for c in deal.sample(range(DECK), HANDFUL)) for _ in range(LADDER)]
    found = [ends(ranking(s), six, s.showdown) for six in hands]
    return [*sorted(float(best) for _, best in found), *sorted(float(worst) for worst, _ in found)]
