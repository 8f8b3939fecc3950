"""The table and the picture of diamonds.md: exact endings of Diamonds for two: ``python docs/results/diamonds.py``.

Games between two rule-of-thumb players are followed until few enough cards are unseen, and from there both play as
well as can be (:mod:`parlour.shelf.diamonds.endings`).  ``python docs/results/diamonds.py 50 6``: 50 games, up to 6
unseen cards.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import mean, median

from pictures import bars

import parlour
from parlour.players import make
from parlour.shelf.diamonds.endings import winning

GAMES, MOST = 100, 13
HEADS = ("cards unseen", "games that come so far", "solved", "seconds, median", "at 90%", "decided already", "chance")


def followed(game: parlour.Game, seed: int, unseen: int) -> parlour.State | None:
    """A game between two rule-of-thumb players when so few cards are unseen; ``None`` if it ends before."""
    state = game.new(seed=seed)
    players = [make("rule-of-thumb", game, 2 * seed + seat) for seat in range(2)]
    while not state.is_terminal and state.position.unseen.bit_count() > unseen:
        me = state.current_player
        state.apply(players[me].choose(state.view(me), state.legal_actions()))
    return None if state.is_terminal else state


def main(games: str = str(GAMES), most: str = str(MOST)) -> None:
    game, drawn = parlour.load("diamonds", 2), list[tuple[str, float, float]]()
    print(f"| {' | '.join(HEADS)} |\n{'|---:' * len(HEADS)}|")
    for unseen in range(2, int(most) + 1):
        came = [state for seed in range(int(games)) if (state := followed(game, seed, unseen)) is not None]
        spent, found = [], []
        for state in came:
            begun = time.perf_counter()
            chances = winning(game, state.position)
            spent.append(time.perf_counter() - begun)
            if chances is not None:
                found.append(abs(2 * float(max(chances.values())) - 1))
        if not found:
            print(f"| {unseen} | {len(came)} of {games} | 0 | | | | |", flush=True)
            continue
        late = sorted(spent)[len(spent) * 9 // 10]
        left = mean(1 - value**2 for value in found)
        figures = f"{median(spent):.3f} | {late:.3f} | {mean(found):.2f} | {left:.2f}"
        print(f"| {unseen} | {len(came)} of {games} | {len(found)} | {figures} |", flush=True)
        drawn.append((f"{unseen} unseen", 0.0, left))
    picture = bars(
        "Diamonds: what the cards to come decide", drawn, (0.0, 1.0), "if nobody errs: 1 everything, 0 nothing"
    )
    Path(__file__).with_name("diamonds.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
