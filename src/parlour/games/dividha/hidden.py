"""What follows from a player's knowledge in Dividha, and how hidden cards and tablets are filled at random."""

from parlour.games.dividha.hands import HIGH_CARD, PURE_FIVE, may_lie_together
from parlour.games.dividha.position import *
from parlour.games.dividha.showdown import among, discard_for_them, kept, ranking
from parlour.rules.matchplay import after
from parlour.rules.vocabulary import *


def restore(s: Dividha, me: int) -> None:
    if s.phase != BEFORE:
        for p in members(s.live):
            s.able |= (s.coins[p] > 0) << p


def unseen_cards(s: Dividha) -> int:
    """Return the cards that a player has not seen, given a position that holds only what they were told."""
    seen = s.spent
    for p in range(s.players):
        seen |= s.private[p] | s.thrown[p] | s.public[p]
    return PACK[s.players] & ~seen


def redeal(s: Dividha, me: int, rng: list[int]) -> None:
    """Deal the cards that ``me`` does not see at random, and divide the others' tablets at random.  Discards made by
    the software for others follow from their cards; their own secret choices are random ones of those they had."""
    if s.phase == BEFORE:
        return
    unseen = unseen_cards(s)
    for p in range(s.players):
        if p != me:
            s.private[p] = draw_several(unseen, s.down[p], rng)
            unseen &= ~s.private[p]
            s.thrown[p] = draw_several(unseen, s.traded[p], rng)
            unseen &= ~s.thrown[p]
            if s.splits != OPEN:
                divide_at_random(s, p, rng)
    if s.stage == DEALING and (s.hidden_due > 0 or (s.phase == TRADE and s.open_due > 0)):
        unseen = deal_coming(s, unseen, rng)
    s.left = unseen
    if s.stage >= DISCARDING:
        choose_for_others(s, me, rng)


def draw_several(those: int, n: int, rng: list[int]) -> int:
    """Return ``n`` random cards out of a set."""
    drawn = 0
    for _ in range(n):
        drawn |= 1 << draw(rng, those & ~drawn)
    return drawn


def divide_at_random(s: Dividha, p: int, rng: list[int]) -> None:
    """Divide each amount that a player has paid at random, with all divisions equally likely.  If there were more than
    eight, only the sum of those between the sixth and the last is known, and it is divided like a single amount."""
    if s.paid[p] == 0:
        return
    win = s.ante // 2
    for i in range(p * SLOTS, p * SLOTS + SLOTS):
        last = i == p * SLOTS + SLOTS - 1 or s.bets[i + 1] == 0
        if s.whole >> p & 1 and last:
            win += s.bets[i] * below(rng, 2)
            break
        win += below(rng, s.bets[i] + 1)
    s.win[p] = win * s.paid[p] // (s.paid[p] + s.back[p])  # DV-86
    s.fee_win[p] = below(rng, s.fees[p] + 1) if s.stage != PAYING or s.turn != p else 0


def deal_coming(s: Dividha, unseen: int, rng: list[int]) -> int:
    """Deal the private cards of the deal under way, which nobody has looked at; return the cards still unseen."""
    n = count(s.those)
    out = (EACH - s.down[lowest(s.those)] if s.phase == TRADE else EACH * n) - s.hidden_due
    p = s.dealer
    for i in range(n):
        p = after(s.those, p)
        s.coming[p] = draw_several(unseen, out // n + (i < out % n), rng)
        unseen &= ~s.coming[p]
    return unseen


def choose_for_others(s: Dividha, me: int, rng: list[int]) -> None:
    """Fill in the others' secret choices at random, all equally likely, except those that are being made now."""
    discard_for_them(s)
    for p in members(s.live & ~s.gone & ~(1 << me)):
        if s.stage > DISCARDING and s.discard[p] == 0:
            s.discard[p] = 1 + draw(rng, s.private[p] | s.public[p])
        if s.stage > LAYING and s.showdown == FREE:
            places = 1 + below(rng, 31)
            while not may_lie_together(ranking(s), among(kept(s, p), places)):
                places = 1 + below(rng, 31)
            s.laid[p] = places
        if s.stage > NAMING and s.aural_rule:
            s.named[p] = HIGH_CARD + below(rng, PURE_FIVE)
