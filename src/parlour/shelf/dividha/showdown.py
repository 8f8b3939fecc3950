"""Dividha: discards, the Aural Rule and the Rule of Order, and which hand beats which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.matchplay import after, most
from parlour.shelf.dividha.hands import (
    ACE_IS_ELEVEN,
    ALL_DEEP,
    ANY_SUIT,
    DEUCE_IS_TWO,
    FEW_FIVES,
    FORCED_ACE,
    GROUPS_FIRST,
    HELD,
    HELL_TRIPLE,
    KICKERS,
    NATURAL_WINS,
    NEVER_LOW,
    NO_PAIRS,
    NO_PURE,
    ONLY_HIGH_CARD,
    OWN_SUIT,
    RANKS_FIRST,
    THREE,
    TRIGGER_IN_HAND,
    WHOLE_HAND,
    WILD_HELD,
    WILDS,
    category,
    may_lie_together,
    score,
    strength,
    weakest_and_strongest,
    well_laid,
)
from parlour.shelf.dividha.payout import share_pots, show_tablets
from parlour.shelf.dividha.terms import (
    AS_HIGH_CARD,
    DISCARD,
    DISCARDING,
    FINISHING,
    FORCED_BEST,
    FREE,
    IN_ORDER,
    LAY,
    LAYING,
    LOSE_ONLY,
    NAME,
    NAMED,
    NAMING,
    OF_IMMORTALS,
    OF_SUM,
    ORDERING,
    SEQUENCE,
    SHOWING,
    UP_TO,
    go_to,
    order_id,
)
from parlour.vocabulary import SEVERAL, count, lowest, note, nth, whisper

if TYPE_CHECKING:
    from parlour.shelf.dividha.rules import Dividha


def ranking(s: Dividha) -> int:
    """How hands are ranked under these options, as :mod:`hands` wants it."""
    how = (
        (TRIGGER_IN_HAND if s.deuce_ace_trigger else 0)
        | (FORCED_ACE if s.deuce_as_ace else 0)
        | (NEVER_LOW if s.deuce_ace_low else 0)
        | (DEUCE_IS_TWO if s.deuce_ace_sum else 0)
        | (FEW_FIVES if s.five_kind_ranks else 0)
        | (NATURAL_WINS if s.providence else 0)
        | (HELD if s.providence_scope else 0)
        | (ALL_DEEP if s.high_card_depth else 0)
        | (ACE_IS_ELEVEN if s.ace_sum else 0)
    )
    if s.same_suit_sixes:
        how |= HELL_TRIPLE if s.same_suit_sixes == 1 else NO_PAIRS
    if s.wild_scope:
        how |= ANY_SUIT if s.wild_scope == 1 else NO_PURE if s.wild_scope == 2 else OWN_SUIT
    if s.rank_first:
        how |= GROUPS_FIRST if s.rank_first == 1 else RANKS_FIRST
    if s.tie_cards:
        how |= KICKERS if s.tie_cards == 1 else WHOLE_HAND
    return how


def ranking_of(s: Dividha, p: int) -> int:
    """The same, for the cards of one player."""
    how = ranking(s)
    return how | WILD_HELD if how & HELD and (s.private[p] | s.public[p]) & WILDS else how


def worth_of(how: int, hand: int) -> int:
    return strength(how, hand) if count(hand) == 5 else score(how, hand)


def discard_for(s: Dividha, p: int, sign: int) -> int:
    """The card without which a hand is strongest (``sign`` 1) or weakest (-1), the first of several (DV-34)."""
    how = ranking_of(s, p)
    six = s.private[p] | s.public[p]
    best = 0
    found = -1
    rest = six
    while rest:
        c = lowest(rest)
        rest &= rest - 1
        worth = sign * worth_of(how, six & ~(1 << c))
        if found < 0 or worth > best:
            best = worth
            found = c
    return found


def ends_of(how: int, six: int, showdown: int) -> tuple[int, int]:
    """The lowest and the highest score that a player can come to with six cards (DV-105, DV-111).  Where fewer than
    five cards may be laid, one card alone is the weakest hand; fewer than five are stronger than five only where a
    deuce outside a combination must be an Ace, which is left out here."""
    worst, best = weakest_and_strongest(how, six)
    if showdown == FORCED_BEST:
        worst = best
    elif showdown == FREE:
        worst = weakest_single(how, six)
    return worst, best


def weakest_single(how: int, held: int) -> int:
    """The lowest score of one card alone."""
    worst = 1 << 62
    while held:
        worst = min(worst, score(how, held & -held))
        held &= held - 1
    return worst


def laying_for(s: Dividha, p: int, sign: int) -> int:
    """The places of the cards that make the strongest (1) or the weakest (-1) hand."""
    how, five = ranking_of(s, p), kept(s, p)
    best = 0
    found = 0
    for places in range(1, 1 << count(five)):
        hand = among(five, places)
        if may_lie_together(how, hand):
            worth = sign * worth_of(how, hand)
            if found == 0 or worth > best:
                best = worth
                found = places
    return found


def automatic(s: Dividha) -> int:
    """Set of the live players for whom the software discards."""
    return s.live if s.showdown == FORCED_BEST else s.live & s.gone


def discard_for_them(s: Dividha) -> None:
    rest = automatic(s)
    while rest:
        p = lowest(rest)
        rest &= rest - 1
        s.discard[p] = 1 + discard_for(s, p, 1)


def acting(s: Dividha) -> int:
    """Those who have still to choose in secret; nobody where these options leave nothing to choose."""
    if (
        (s.stage == LAYING and s.showdown != FREE)
        or (s.stage == NAMING and s.aural_rule == 0)
        or (s.stage == ORDERING and s.rule_of_order == 0)
    ):
        return 0
    waiting = s.live & ~s.gone  # DV-34, DV-35
    for p in range(s.players):
        if s.stage == DISCARDING:
            done = s.discard[p] > 0
        elif s.stage == LAYING:
            done = s.laid[p] > 0
        elif s.stage == NAMING:
            done = s.named[p] > 0
        else:
            done = s.ordered[p] > 0
        waiting &= ~(done << p)
    return waiting


def ask_sealed(s: Dividha, stage: int) -> None:
    """Choices in secret, one kind after the other, from this one on; then hands are shown (DV-107)."""
    s.stage = stage
    s.turn = SEVERAL
    while s.stage <= ORDERING and acting(s) == 0:
        s.stage += 1
    if s.stage > ORDERING:
        go_to(s, SHOWING)


def seal(s: Dividha, me: int, a: int, to: Any) -> None:
    if s.stage == DISCARDING:
        whisper(to, "DV-105", "discards", me, a - DISCARD)
        s.discard[me] = a - DISCARD + 1
    elif s.stage == LAYING:
        s.laid[me] = a - LAY
        whisper(to, "DV-111", "will_lay", me, hand_of(s, me))
    elif s.stage == NAMING:
        whisper(to, "DV-115", "will_name", me, NAMED + a - NAME)
        s.named[me] = a - NAME
    else:
        whisper(to, "DV-116", "orders", me)
        s.ordered[me] = a - order_id(s) + 1
    if acting(s) == 0:
        ask_sealed(s, s.stage + 1)


def kept(s: Dividha, p: int) -> int:
    return (s.private[p] | s.public[p]) & ~(1 << (s.discard[p] - 1))


def hand_of(s: Dividha, p: int) -> int:
    """What a player lays as his hand: the kept cards, or those of them that he has chosen [showdown=free]."""
    return among(kept(s, p), s.laid[p]) if s.laid[p] > 0 else kept(s, p)


def among(five: int, places: int) -> int:
    """Those of the cards that stand at these places."""
    found = 0
    for i in range(count(five)):
        if places >> i & 1:
            found |= 1 << nth(five, i)
    return found


def misplays(s: Dividha, p: int, how: int, hand: int) -> bool:
    """Whether a hand breaks the Aural Rule or the Rule of Order (DV-115, DV-116, DV-118)."""
    if s.gone >> p & 1:
        return False  # DV-35
    worth = worth_of(how, hand)
    if s.aural_rule and s.named[p] != category(how, worth):
        return True
    return s.rule_of_order != 0 and not well_laid(how, hand, worth, SEQUENCE[s.ordered[p] - 1])


def show_down(s: Dividha, to: Any) -> None:
    """Everybody's kept cards are shown and ranked; then the pot is shared out (DV-104 to DV-119)."""
    how = ranking(s)
    dead = no_win = 0
    p = s.dealer
    for _ in range(count(s.live)):
        p = after(s.live, p)
        own = ranking_of(s, p)
        five, hand = kept(s, p), hand_of(s, p)
        worth = worth_of(own, hand)
        note(to, "DV-108", "shows", p, five)
        if hand != five:
            note(to, "DV-111", "lays", p, hand)
        if s.ordered[p] > 0:
            note(to, "DV-116", "lays_in_order", p, IN_ORDER + s.ordered[p] - 1)
        if s.named[p] > 0:
            note(to, "DV-115", "names", p, NAMED + s.named[p])
        if (s.aural_rule or s.rule_of_order) and misplays(s, p, own, hand):
            if s.misplay_penalty == AS_HIGH_CARD:
                note(to, "DV-119", "is_high_card", p)
                worth = worth_of(own | ONLY_HIGH_CARD, hand)
            elif s.misplay_penalty == LOSE_ONLY:
                note(to, "DV-119", "cannot_win", p)
                no_win |= 1 << p
            else:
                note(to, "DV-119", "is_dead", p)
                dead |= 1 << p
        s.made[p] = category(how, worth)
        note(to, "DV-113", "announces", p, NAMED + s.made[p])
        s.worth[p] = worth
        s.public[p] = five
    compare_hands(s, how, s.live & ~dead, to)
    show_tablets(s, to)
    share_pots(s, s.live & ~dead, no_win, to)
    go_to(s, FINISHING)


def compare_hands(s: Dividha, how: int, those: int, to: Any) -> None:
    """Say why each hand beats the next (DV-161 to DV-173)."""
    high = 20 if how & ALL_DEEP else 4  # how many bits the steps take in a score, see `hands.reading`
    better = -1
    while those:
        p = lowest(most(s.worth, those))
        those &= ~(1 << p)
        if better >= 0:
            a, b = s.worth[better], s.worth[p]
            sort = s.made[better]
            if a == b:
                note(to, "DV-173", "ties", better, p)
            elif a >> high == b >> high:
                top = NAMED + sort if how & ALL_DEEP else UP_TO + 10 * sort + (a & 15)
                note(to, "DV-171", "beats_by_card", better, p, top)
            elif a >> (high + 6) == b >> (high + 6):
                note(to, "DV-168", "beats_by_sum", better, p, OF_SUM + 64 * sort + (a >> high & 63))
            elif a >> (high + 9) == b >> (high + 9):
                note(to, "DV-167", "beats_by_immortals", better, p, OF_IMMORTALS + 8 * sort + (a >> (high + 6) & 7))
            elif a >> (high + 10) == b >> (high + 10):
                note(to, "DV-165", "beats_by_providence", better, p, NAMED + sort)
            elif sort == s.made[p]:
                note(to, "DV-162", "beats_by_rank", better, p, NAMED + sort)
            elif sort >= THREE:
                note(to, "DV-143", "beats", better, p, NAMED + sort)
            else:
                note(to, "DV-144", "beats", better, p, NAMED + sort)
        better = p
