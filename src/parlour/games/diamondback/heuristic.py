"""The rule-of-thumb player of Diamondback: the odds of its hand against the cards in view, and an occasional bluff.  It
estimates how likely its hand is to be the best.  A hidden card may be any that it does not see, but a player who has
paid a lot is likely to hold something.  As dealer it wagers the amount with which it would win more often than not if
it were matched, and sometimes bluffs for a pot; as an opponent it matches if the price is right.  It turns up the more
frightening card.
"""

from parlour.games.diamondback.position import (
    ANSWER,
    ANTE,
    CONTINUE,
    DEALERS,
    END,
    EXPOSE,
    FOLD,
    FURTHER,
    HANDS,
    HIGHER,
    LOWER,
    MATCH_IT,
    ON,
    OPENING,
    PAY,
    STOP,
    WAGER,
    Diamondback,
    full_deck,
    in_stock,
    kind_of,
    one_card,
)
from parlour.rules.vocabulary import count
from parlour.rules.weighing import may, part, prefer

BLUFF = 0.1  # chance of a bluff when there is something to win
TRUST = 1.5  # how strong a hand it expects of a player who has paid the usual limit; a higher value folds more often
DOUBT = 0.6  # factor of TRUST for the dealer, who may be bluffing
EDGE = 0.05  # margin by which its chances must beat an even share, or the price
USUAL = 10  # the usual wager limit, in coins
ALL_HANDS = len(HANDS)

# The average value of a hand with each card, in arbitrary units.
FRIGHTENING = tuple(sum(kind_of(card, k) * in_stock(full_deck(2), k) for k in range(5)) for card in range(5))


def appraise(
    s: Diamondback, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    prefer(acts, n, choice(s, me, acts, n, rng), worth)


def choice(s: Diamondback, me: int, acts: list[int], n: int, rng: list[int]) -> int:
    """Return its choice, stage by stage."""
    if s.stage == ANSWER:
        return answer(s, me)
    if s.stage == OPENING or s.stage == FURTHER:
        return wagers(s, me, acts, n, rng)
    if s.stage == ANTE:
        return acts[0]
    if EXPOSE <= acts[0] < PAY:
        higher, lower = HIGHER[s.hand[me]], LOWER[s.hand[me]]
        return EXPOSE + (higher if FRIGHTENING[higher] >= FRIGHTENING[lower] else lower)
    if may(acts, n, STOP):
        return STOP if win_chance(s, me, 0) * count(s.live | 1 << me) < 1.0 else ON
    if may(acts, n, PAY):
        return PAY
    return END if s.coins[me] > s.start_coins else CONTINUE


def answer(s: Diamondback, me: int) -> int:
    """Match if the share of the pot that the hand can expect is worth the price."""
    price = 2 * s.wager if s.version == DEALERS else s.wager
    return MATCH_IT if win_chance(s, me, 0) > price / (s.pot + price) + EDGE else FOLD


def wagers(s: Diamondback, me: int, acts: list[int], n: int, rng: list[int]) -> int:
    """Return the highest wager, or the middle one, if the hand would still be better than an even share after it was
    matched; otherwise bluff, wager the least, or fold or stop."""
    first = int(acts[0] < PAY)  # 1 if the first action is to fold or to stop
    fair = 1 / count(s.live | 1 << me)
    most, middle = acts[n - 1], acts[first + (n - first) // 2]
    if win_chance(s, me, most - WAGER) > fair + EDGE:
        return most
    if win_chance(s, me, middle - WAGER) > fair + EDGE:
        return middle
    if s.pot > 0 and part(rng) < BLUFF:
        return most
    if s.stage == OPENING and (s.pot > 0 or win_chance(s, me, 1) > fair):
        return acts[first]
    return acts[0]


def trust(s: Diamondback, p: int, more: int) -> float:
    """Return how strong a hand is expected of a player who pays ``more`` coins than now, to a tenth: the weight of a
    hand is its points to this power."""
    paid = (s.before[p] - s.coins[p] + more) / (2 if s.version == DEALERS and p != s.dealer else 1)
    return round(10 * TRUST * min(paid / USUAL, 2.0) * (DOUBT if p == s.dealer else 1.0)) / 10


def win_chance(s: Diamondback, me: int, more: int) -> float:
    """Return the probability that the hand is the best, counting a tie as half a win, as if the others' hands were
    independent and each of them had paid ``more`` coins than now."""
    hand = s.hand[me]
    stock = full_deck(count(s.dealt)) - one_card(HIGHER[hand]) - one_card(LOWER[hand])
    for p in range(s.players):
        if s.live >> p & 1 and p != me and s.up[p] > 0:
            stock -= one_card(s.up[p] - 1)
    best = 1.0
    for p in range(s.players):
        if s.live >> p & 1 and p != me:
            best *= beats(hand, stock, s.up[p] - 1, trust(s, p, more))
    return best


def beats(hand: int, stock: int, card: int, believed: float) -> float:
    """Return the probability that a hand beats another, of which one card or none (-1) is seen."""
    better = 0.0
    total = 0.0
    for a in range(5):
        if card < 0 or a == card:
            for b in range(5):
                other = kind_of(a, b)
                left = in_stock(stock, b)
                ways = left if card >= 0 else in_stock(stock, a) * (left - (a == b))
                weight = ways * (other / ALL_HANDS) ** believed
                total += weight
                better += weight * (1.0 if other < hand else 0.5 if other == hand else 0.0)
    return better / total
