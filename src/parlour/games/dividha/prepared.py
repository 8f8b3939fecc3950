"""What the rule of thumb for Dividha is given: a ladder of random hands to compare with."""

import random

from parlour.games.dividha.hands import DECK
from parlour.games.dividha.heuristic import HANDFUL, LADDER, ends
from parlour.games.dividha.position import *
from parlour.games.dividha.showdown import ranking


def prepare(s: Dividha) -> list[float]:
    """The best and the worst of random hands under these rules, in rising order."""
    deal = random.Random(0)
    hands = [sum(1 << c for c in deal.sample(range(DECK), HANDFUL)) for _ in range(LADDER)]
    found = [ends(ranking(s), six, s.showdown) for six in hands]
    return [*sorted(float(best) for _, best in found), *sorted(float(worst) for worst, _ in found)]
