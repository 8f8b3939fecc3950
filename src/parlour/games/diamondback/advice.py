"""Which actions are worth considering in Diamondback, for the search and for the solver."""

from parlour.games.diamondback.hand import owed, within_hand
from parlour.games.diamondback.position import *
from parlour.games.diamondback.rules import legal
from parlour.rules.vocabulary import *


def beats(hand: int, card: int) -> int:
    """Return the percentage with which this hand beats another, of which one card (or none, -1) is known, counting a
    tie as half a win; with the deck for three players."""
    left = [in_stock(full_deck(3), k) - (k == HIGHER[hand]) - (k == LOWER[hand]) for k in range(5)]
    first = range(5) if card < 0 else [card]
    ways = [(kind_of(a, b), left[a] * (left[b] - (a == b))) for a in first for b in range(5)]
    won = sum(n * (2 * (hand > other) + (hand == other)) for other, n in ways)
    return 50 * won // max(1, sum(n for _, n in ways))


# percentages: by hand, and by the other hand's face-up card plus 1
BEATS = tuple(beats(hand, card - 1) for hand in range(15) for card in range(6))


def candidates(s: Diamondback, me: int, acts: list[int]) -> int:
    """Reduce many amounts to four: one coin, a quarter, a half and all that may be named."""
    n = legal(s, me, acts)
    amounts = (s.stage == OPENING) | (s.stage == FURTHER) | (s.stage == ANTE)
    other = int(acts[0] < PAY)  # 1 if the first action is to fold or to stop
    highest = n - other
    if not amounts or highest < 8:
        return n
    ids = acts[n - 1] - highest
    acts[other] = ids + 1
    acts[other + 1] = ids + highest // 4
    acts[other + 2] = ids + highest // 2
    acts[other + 3] = ids + highest
    return other + 4


def likely(s: Diamondback, me: int, acts: list[int]) -> int:
    """Write what a sensible player might do, by the odds of their hand against the cards in view: they match if the
    price is right, and as dealer wager a lot, or else fold or stop.  With the worst hand of all they may bluff."""
    n = candidates(s, me, acts)
    wagers = (s.stage == OPENING) | (s.stage == FURTHER)
    if s.stage == ANSWER:
        acts[0] = MATCH_IT if win_odds(s, me) * (s.pot + owed(s)) > 100 * owed(s) else FOLD
        return 1
    if not wagers or n < 3:
        return n
    if win_odds(s, me) * count(s.live) > 100:
        acts[0] = acts[n - 2]
    elif s.hand[me] > 1:
        return 1
    acts[1] = acts[n - 1]
    return 2


def win_odds(s: Diamondback, me: int) -> int:
    """Return the percentage with which the player's hand beats those of all other players still in, of which the
    face-up cards are known."""
    odds = 100
    for p in range(s.players):
        if p != me and s.live >> p & 1:
            odds = odds * BEATS[6 * s.hand[me] + s.up[p]] // 100
    return odds


def enough(s: Diamondback, me: int, acts: list[int]) -> int:
    """Leave only wagers of one coin, after the exposures, to a dealer who bets against one player without a ceiling.

    The reason: no card is turned up between further wagers.  Let the opponent decide beforehand, by hand and cards
    shown, up to which total to match, and answer a larger wager as if its coins came one by one.  Against that, a
    dealer who wagers several coins at once wins no more than with single coins: if the opponent matches all of them,
    the result is the same; if the opponent folds on the way, they have paid more against single coins.  So a strategy
    that is safe against single coins is safe against all wagers; and the dealer loses nothing by wagering single coins.
    """
    n = legal(s, me, acts)
    alone = (s.players == 2) & (s.stage == FURTHER) & (s.max_second_wagers == 0) & (s.short_stack == CAP)
    if not alone or within_hand(s):
        return n
    return 1 + (acts[0] == STOP)
