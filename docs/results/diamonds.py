"""The table and the picture of diamonds.md: exact endings of Diamonds for two: ``python docs/results/diamonds.py``.

Games between two rule-of-thumb players are followed until few enough cards are unseen, and from there both play as
well as can be (:mod:`parlour.shelf.diamonds.endings`).  ``python docs/results/diamonds.py 50 6``: 50 games, up to 6
unseen cards.  ``python docs/results/diamonds.py mistakes`` prints how much players lose by their choices in endings.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import mean, median

from pictures import bars

import parlour
from parlour.players import Player, make
from parlour.players.search import Search
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


class Plain(Search):
    """Search that does not work endings out."""

    def _endings(self) -> None:
        return None


def mistakes(games: str = "200", unseen: str = "9") -> None:
    """How often a player misses the best choice of an ending, and what that costs."""
    game = parlour.load("diamonds", 2)
    print("| player | endings | choices | not the best | lost in an ending |\n|---|---:|---:|---:|---:|")
    for kind in ("random", "rule-of-thumb", "500", "5000"):
        ends, chosen, lost = 0, 0, list[float]()
        for seed in range(int(games)):
            state = followed(game, seed, int(unseen))
            ends += state is not None
            while state is not None and not state.is_terminal:
                me, best, legal = state.current_player, state.legal_actions()[0], state.legal_actions()
                if len(legal) > 1:
                    player: Player = (
                        Plain(game, seed, simulations=int(kind)) if kind.isdecimal() else make(kind, game, seed)
                    )
                    chances = winning(game, state.position)
                    assert chances is not None
                    best = max(chances, key=chances.__getitem__)
                    lost.append(float(chances[best] - chances[player.choose(state.view(me), legal)]))
                    chosen += 1
                state.apply(best)
        name = f"search:{kind}, without exact endings" if kind.isdecimal() else kind
        print(f"| {name} | {ends} | {chosen} | {sum(one > 0 for one in lost)} | {sum(lost) / ends:.1%} |", flush=True)
    came = [state for seed in range(int(games)) if (state := followed(game, seed, int(unseen))) is not None]
    players = Search(game, simulations=5000)
    solved = [players.advise(s.view(s.current_player), s.legal_actions()) for s in came if len(s.legal_actions()) > 1]
    print(f"search:5000 works out {sum(one.exact for one in solved)} of {len(solved)} with a choice at once.")


if __name__ == "__main__":
    mistakes(*sys.argv[2:]) if sys.argv[1:2] == ["mistakes"] else main(*sys.argv[1:])
