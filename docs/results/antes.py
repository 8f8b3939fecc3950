"""Which ante is best for the dealer in Dealer's Diamondback for two: ``python docs/results/antes.py``.

By the values that ``unbeatable`` has in its file (``make unbeatable``), which are right within 0.02 coins.
"""

from __future__ import annotations

from parlour.games.diamondback.unbeatable import LIMIT, worth

EACH = (4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 23, 26, 30, 40, 100)
UNEQUAL = ((6, 194), (10, 190), (14, 186), (18, 182), (22, 178), (194, 6), (190, 10), (178, 22))


def by_ante(dealer: int, opponent: int) -> dict[int, float]:
    """What each ante is worth to a dealer who has so many coins, against an opponent with so many."""
    highest = min(LIMIT, dealer, opponent)
    return {
        ante: worth(2 * ante, min(dealer - ante, (opponent - ante) // 2)) - ante for ante in range(1, highest + 1)
    }  # fmt: skip


def line(dealer: int, opponent: int) -> str:
    """A row of the table."""
    found = by_ante(dealer, opponent)
    best, highest = max(found, key=lambda ante: (found[ante], ante)), max(found)
    return f"| {dealer} | {opponent} | {best} | {found[best]:.2f} | {found[highest]:.2f} |"


if __name__ == "__main__":
    print("| dealer's coins | opponent's coins | best ante | worth | the highest ante is worth |")
    print("|---:|---:|---:|---:|---:|")
    for dealer, opponent in (*((coins, coins) for coins in EACH), *UNEQUAL):
        print(line(dealer, opponent))
