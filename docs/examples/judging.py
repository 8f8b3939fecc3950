"""How the learners beside this are judged: by what they bring in a game's own unit, and how exploitable they are."""

import time

from parlour.players import kinds
from parlour.solve.exploiting import exploit
from parlour.solve.form import grow
from parlour.study.match import play

SMALL = "kuhn", "leduc"  # games whose exploitability takes a second
START = time.perf_counter()


def judged(game, player, updates, games=1000):
    """Print a line: what a player brings among rivals of each kind, with 95% intervals, and how exploitable it is."""
    said = []
    for rival in ("random", "rule-of-thumb"):
        if rival in kinds(game):
            got = play(game, [player, *[rival] * (game.players - 1)], games=games).players[0].returns
            said.append(f"{got.mean:+.2f} ({got.low:+.2f} to {got.high:+.2f}) against {rival}")
    if game.id in SMALL and hasattr(player, "chances"):
        said.append(f"exploitable by {exploit(grow(game, positions=True), lambda seed: player).exploitability:.3f}")
    print(f"{time.perf_counter() - START:4.0f} s, {updates} updates: {', '.join(said)}", flush=True)
