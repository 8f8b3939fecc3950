"""The table and the picture of diamonds.md: exact endings of Diamonds for two: ``python docs/results/diamonds.py``.

Games between two rule-of-thumb players are followed until few enough cards are unseen, and from there both play as
well as can be (:mod:`parlour.games.diamonds.endings`).  ``python docs/results/diamonds.py 50 6``: 50 games, up to 6
unseen cards.  ``python docs/results/diamonds.py mistakes`` prints how much players lose by their choices in endings,
``… small`` works out smaller decks, ``… luck`` plays games over and over with the same cards, and ``… gained`` measures
what choices bring against the rule of thumb.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import NormalDist, mean, median, variance
from typing import Any

from pictures import bars

import parlour
from parlour.engine.telling import View, members
from parlour.games.diamonds.endings import WORDS, Endings, name_of_position, spades_in_play, winning
from parlour.games.diamonds.position import CLUBS, DECK, DEPTH, DIAMONDS, DOWN, EMPTY, HEARTS, PILES, SPADES
from parlour.players import Player, make
from parlour.players.best import Rollouts
from parlour.players.clock import processor_time
from parlour.players.search import Search
from parlour.players.sight import Viewed
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL
from parlour.study.intervals import mean_estimate

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
    if (games, most) == (str(GAMES), str(MOST)):
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


ROUNDS = 500, 2_000, 8_000, 32_000
"""In how many imagined worlds the actions that are left are compared, round by round."""
WORLDS = 8_000
"""In how many others the best of them is compared with what was chosen."""
BEHIND = 3.0
"""By how many standard errors an action must be behind to be left out."""


def overlooked(ahead: float, error: float) -> float:
    """What may be lost, on average, by preferring an action that was found to be ``ahead`` of another, with this
    standard error: how much better the other one is where it is better, if any difference was as likely before."""
    if error == 0:
        return 0.0
    normal, z = NormalDist(), ahead / error
    return error * (normal.pdf(z) - z * (1 - normal.cdf(z)))


def best_of(made: Rollouts, view: View, actions: Sequence[int], word: int) -> tuple[int, float]:
    """The best of these actions, if everybody plays on by rule of thumb, and what may have been overlooked."""
    left, missed = list(actions), 0.0
    for worlds in ROUNDS:
        if len(left) == 1:
            break
        means, kept = made.compare(Viewed(view), left, word, worlds), list[int]()
        top = max(range(len(left)), key=means.__getitem__)
        for k, action in enumerate(left):
            ahead, error = means[top] - means[k], made.error(left[top], action)
            if k == top or (worlds < ROUNDS[-1] and error > 0 and ahead < BEHIND * error):
                kept.append(action)
            else:
                missed += overlooked(ahead, error)
        left = kept
    return left[0], missed


def gained(kind: str = "best:0.1s", games: str = "100", seed: str = "71000000") -> None:
    """What a player's choices bring against the rule of thumb, and what the best choices would bring in the same
    positions.

    If everybody plays by rule of thumb after a choice, then what the choice brings, beyond what the rule of thumb would
    have brought in its place, is its advantage.  What a player wins against the rule of thumb, beyond one half, is the
    sum of the advantages of its choices, on average.
    """
    game = parlour.load("diamonds", 2)
    after = Rollouts(game, "compiled")
    totals, made = list[tuple[float, float, float]](), 0
    with processor_time():
        for number in range(int(seed), int(seed) + int(games)):
            state, me, total = game.new(seed=number), number % 2, [0.0, 0.0, 0.0]
            players = [make(kind if p == me else "rule-of-thumb", game, number + 1) for p in range(2)]
            thumb, others = make("rule-of-thumb", game, number + 2), Random(number)
            while not state.is_terminal:
                p, view, legal = state.current_player, state.view(state.current_player), state.legal_actions()
                action = players[p].choose(view, legal)
                if p == me and len(legal) > 1:
                    made += 1
                    usual = thumb.choose(view, legal)
                    tried = dict.fromkeys([action, usual, *Viewed(view).worth_trying()])
                    best, missed = best_of(after, view, [*tried], others.getrandbits(64))
                    shown = [*dict.fromkeys([action, usual, best])]
                    brought = after.compare(Viewed(view), shown, others.getrandbits(64), WORLDS)
                    worth = dict(zip(shown, brought, strict=True))
                    total[0] += (worth[action] - worth[usual]) / 2  # of a game, won or lost, which is 2
                    total[1] += (worth[best] - worth[usual]) / 2
                    total[2] += missed / 2
                state.apply(action)
            totals.append((total[0], total[1], total[2]))
    print(f"{kind}: {games} games, {made / len(totals):.1f} choices in a game")
    for what, column in zip(("wins", "the best choices", "overlooked at most"), zip(*totals, strict=True), strict=True):
        share, par = mean_estimate(column), 0.0 if what.startswith("over") else 0.5
        print(f"{what}: {par + share.mean:.2%} ({par + share.low:.2%} to {par + share.high:.2%})", flush=True)


# ------------------------------------------------------------------------------------------ smaller decks

STEPS = ((1, 1, 2), (2, 3, 3), (3, 3, 3), (3, 3, 4), (3, 5, 4), (4, 3, 5), (4, 5, 4), (4, 5, 5))
"""Ranks of rocks and spades, diamonds, piles."""
PLACES = 1 << 27  # positions that there is room for: 2 GiB
PLAYED_ON = 12  # cards up to which other players than the best are worked out too


def dealt(game: parlour.Game, ranks: int, diamonds: int, piles: int) -> Any:
    """The beginning of a game with a smaller deck: two rocks and a spade of each of the lowest ranks, so many diamonds,
    of which most are needed to win, and no jokers.

    The rules stay as they are.  Diamonds that are not in this deck, and that would be needed besides, are held from the
    beginning: each player lacks as many as are most of those in the deck.
    """
    s = game.start()
    s.unseen = sum(((1 << ranks) - 1) << suit for suit in (CLUBS, HEARTS, SPADES)) | ((1 << diamonds) - 1) << DIAMONDS
    spare = 7 - (diamonds + 1) // 2
    for p in range(2):
        s.diamonds[p] = ((1 << spare) - 1) << (diamonds + p * spare)
    cards = s.unseen.bit_count()
    for i in range(PILES):
        s.height[i] = (cards + piles - 1 - i) // piles if i < piles else 0
        s.face[i] = DOWN if i < piles else EMPTY
    return s


class Play:
    """Games between two players of whom each plays ``best`` (against this opponent), ``worst`` (to lose, as well as can
    be) or ``random`` (any legal action, all equally likely): the chance that player 0 wins, what of the variance of
    the result comes from the cards, and what from choices at random."""

    def __init__(self, game: parlour.Game, *how: str) -> None:
        self.rules, self.actions, self.how = game.definition.rules, game.action_count, how
        self._known: dict[tuple[int, int], tuple[float, float, float]] = {}

    def worth(self, s: Any) -> tuple[float, float, float]:
        """The chance to win, and both parts of the variance of winning (1) or losing (0)."""
        who = self.rules.actor(s)
        if who in (TERMINAL, DEAL_OVER):
            return float(s.player == 0), 0.0, 0.0
        here = (name_of_position(s, spades_in_play(s), WORDS), s.player)
        if here not in self._known:
            if who == CHANCE:
                ways = [*members(self.rules.chance(s))]
            else:
                acts = [0] * self.actions
                ways = acts[: self.rules.legal(s, who, acts)]
            after = [self.worth(self._then(s, who, way)) for way in ways]
            how = "chance" if who == CHANCE else self.how[who]
            if how in ("best", "worst"):
                after = [(max if (how == "best") == (who == 0) else min)(after, key=lambda one: one[0])]
            chance, cards, choices = (sum(one[k] for one in after) / len(after) for k in range(3))
            spread = sum((one[0] - chance) ** 2 for one in after) / len(after)
            self._known[here] = chance, cards + spread * (who == CHANCE), choices + spread * (who != CHANCE)
        return self._known[here]

    def _then(self, s: Any, who: int, way: int) -> Any:
        s = s.copy()
        if who == CHANCE:
            self.rules.happen(s, way, None)
        else:
            self.rules.apply(s, who, way, None)
        return s


def wins_of_the_best(game: parlour.Game, start: Any, other: str) -> tuple[float, float]:
    """How often the best player wins, who begins every other game, and how much of the variance comes from the cards;
    which seat begins is counted among the cards."""
    both = [Play(game, *how).worth(start) for how in (("best", other), (other, "best"))]
    won = both[0][0], 1 - both[1][0]
    mean_ = sum(won) / 2
    seats = sum((one - mean_) ** 2 for one in won) / 2
    return mean_, (sum(one[1] for one in both) / 2 + seats) / (mean_ * (1 - mean_)) if 0 < mean_ < 1 else 0.0


def small(most: str = "99") -> None:
    """A line for each of the smaller decks with up to so many cards, as far as they can be worked out."""
    game = parlour.load("diamonds", 2, first_dealer=0)
    endings = Endings(game, "compiled")
    heads = ["cards", "piles", "positions", "the first to play wins", "the best player loses to a random one"]
    heads += ["of the variance, cards", "loses to one who tries to lose"]
    print(f"| {' | '.join(heads)} |\n{'|---:' * len(heads)}|", flush=True)
    for ranks, diamonds, piles in STEPS:
        start = dealt(game, ranks, diamonds, piles)
        cards = start.unseen.bit_count()
        if cards > int(most):
            continue
        worths = endings.worths(start, PLACES, most=cards)
        if worths is None:
            print(f"| {cards} | {piles} | more than {PLACES * 3 // 4:,} | | | | |", flush=True)
            continue
        line = f"| {cards} | {piles} | {endings.known:,} | {float(1 + max(worths.values())) / 2:.3%} "
        if cards <= PLAYED_ON:
            (won, by_cards), (against, _) = (wins_of_the_best(game, start, other) for other in ("random", "worst"))
            line += f"| {1 - won:.2%} | {by_cards:.0%} | {1 - against:.2%} |"
        else:
            line += "| | | |"
        print(line, flush=True)


# ------------------------------------------------------------------------------------------ the same cards again


def layout(seed: int) -> list[list[int]]:
    """All cards in piles, the top one last."""
    cards = Random(seed).sample(range(DECK.bit_length()), DECK.bit_count())
    return [cards[DEPTH * i : DEPTH * (i + 1)] for i in range(PILES)]


def played(game: parlour.Game, cards: list[list[int]], kinds: Sequence[str], seed: int) -> bool:
    """Whether the first of these players wins with the cards lying like this."""
    state = game.new()
    players = [make(kind, game, 2 * seed + seat) for seat, kind in enumerate(kinds)]
    while not state.is_terminal:
        if state.current_player == CHANCE:
            s = state.position
            state.apply(cards[s.at][s.height[s.at] - 1])
        else:
            me = state.current_player
            state.apply(players[me].choose(state.view(me), state.legal_actions()))
    return bool(state.returns()[0] > 0)


def luck(one: str = "rule-of-thumb", other: str = "random", layouts: str = "100", times: str = "6") -> None:
    """How often ``one`` wins if cards lie exactly the same, and what that says about cards and play.

    Every layout is played by both seats in turn, so many times each.  With n games of a layout in each seat, the
    variance of the shares of games that layouts and seats bring is that of the cards, and a n-th of what is left.
    """
    game, n = parlour.load("diamonds", 2, first_dealer=0), int(times)
    won: list[tuple[int, int]] = []
    for deal in range(int(layouts)):
        cards = layout(deal)
        first = sum(played(game, cards, (one, other), 1000 * deal + k) for k in range(n))
        second = sum(not played(game, cards, (other, one), 1000 * deal + 500 + k) for k in range(n))
        won.append((first, second))
    shares = [k / n for both in won for k in both]
    whole = mean(shares)
    within = mean(share * (1 - share) for share in shares) * n / (n - 1)
    cards_ = max(0.0, variance(shares) - within / n)
    both_lost = mean((1 - a / n) * (1 - b / n) for a, b in won)
    print(f"{one} wins {whole:.1%} of {2 * n * len(won):,} games against {other}.")
    print(
        f"Of the variance of a game, the cards and the seat decide {cards_ / (cards_ + within):.0%}, the rest is play."
    )
    print(f"Of two games with the same cards, one in each seat, it loses both in {both_lost:.1%}.")


if __name__ == "__main__":
    kinds: dict[str, Callable[..., None]] = {"mistakes": mistakes, "gained": gained, "small": small, "luck": luck}
    wanted, *words = sys.argv[1:] or [""]
    kinds[wanted](*words) if wanted in kinds else main(*sys.argv[1:])
