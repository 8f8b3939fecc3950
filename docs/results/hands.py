"""What happens in Diamondback for two between good players: ``python docs/results/hands.py``.

Hands of ``unbeatable`` against itself, 100 coins each, in both versions (at an ante of 10 in the Dealer's).  ``python
docs/results/hands.py 500`` plays 500 of each.
"""

from __future__ import annotations

import sys

import parlour
from parlour.players import make

HANDS = 20_000


def played(version: str, hands: int) -> str:
    """A line of the table: the share of hands that were opened, matched and shown down, and the coins that changed
    hands, on average."""
    game = parlour.load("diamondback", 2, version=version, first_dealer=0, deals=1)
    opened, matched, shown, coins = 0, 0, 0, 0.0
    for seed in range(hands):
        players = [make("unbeatable", game, 2 * seed + seat) for seat in range(2)]
        state, names = game.new(seed=seed), list[str]()
        while not state.is_terminal:
            me = state.current_player
            a = players[me].choose(state.view(me), state.legal_actions())
            names.append(game.action_names[a])
            state.apply(a)
        opened += any(name.startswith("wager") for name in names)
        matched += "match" in names
        shown += "match" in names and names[-1] != "fold"
        coins += abs(state.returns()[0])
    return f"| {version} | {opened / hands:.1%} | {matched / hands:.2%} | {shown / hands:.2%} | {coins / hands:.4f} |"


if __name__ == "__main__":
    print("| version | opened | matched | shown down | coins that changed hands |\n|---|---:|---:|---:|---:|")
    for version in ("standard", "dealers"):
        print(played(version, int(sys.argv[1]) if len(sys.argv) > 1 else HANDS), flush=True)
