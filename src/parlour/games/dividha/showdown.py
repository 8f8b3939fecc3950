"""The showdown of Dividha: secret choices, hands shown and compared."""

from parlour.games.dividha.hands import (
    ACE_IS_ELEVEN,
    ALL_DEEP,
    ANY_SUIT,
    CATEGORIES,
    DEUCE_IS_TWO,
    FEW_FIVES,
    FORCED_ACE,
    GROUPS_FIRST,
    HELD,
    HELL_TRIPLE,
    HIGH_CARD,
    KICKERS,
    NATURAL_WINS,
    NEVER_LOW,
    NO_PAIRS,
    NO_PURE,
    ONLY_HIGH_CARD,
    OWN_SUIT,
    RANKS_FIRST,
    THREE,
    TO_IMMORTALS,
    TO_PROVIDENCE,
    TO_RANKS,
    TRIGGER_IN_HAND,
    WHOLE_HAND,
    WILD_HELD,
    WILDS,
    category,
    immortals_in,
    may_lie_together,
    score,
    strength,
    sum_in,
    to_sum,
    well_laid,
)
from parlour.games.dividha.payout import share_pots, show_tablets
from parlour.games.dividha.position import *
from parlour.games.dividha.spoken import IN_ORDER, NAMED, up_to, with_immortals, with_sum
from parlour.rules.matchplay import after, most
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ ranking hands


def ranking(s: Dividha) -> int:
    """Return the set of bits that tells :mod:`hands` how hands are ranked under these options."""
    return (
        (0, TRIGGER_IN_HAND)[s.deuce_ace_trigger]
        | (0, FORCED_ACE)[s.deuce_as_ace]
        | (NEVER_LOW, 0)[s.deuce_ace_low]
        | (0, DEUCE_IS_TWO)[s.deuce_ace_sum]
        | (0, FEW_FIVES)[s.five_kind_ranks]
        | (0, HELL_TRIPLE, NO_PAIRS)[s.same_suit_sixes]
        | (0, ANY_SUIT, NO_PURE, OWN_SUIT)[s.wild_scope]
        | (0, GROUPS_FIRST, RANKS_FIRST)[s.rank_first]
        | (0, NATURAL_WINS)[s.providence]
        | (0, HELD)[s.providence_scope]
        | (0, KICKERS, WHOLE_HAND)[s.tie_cards]
        | (0, ALL_DEEP)[s.high_card_depth]
        | (0, ACE_IS_ELEVEN)[s.ace_sum]
    )


def ranking_of(s: Dividha, p: int) -> int:
    """The same, for the cards of one player."""
    how = ranking(s)
    return how | WILD_HELD if how & HELD and (s.private[p] | s.public[p]) & WILDS else how


def worth_of(how: int, hand: int) -> int:
    """Return the score of a hand, from the table if possible."""
    return strength(how, hand) if count(hand) == 5 else score(how, hand)


# ------------------------------------------------------------------------------------------ secret choices


def begin_showdown(s: Dividha) -> None:
    """Begin the showdown, in which everybody still in the hand takes part (DV-104)."""
    discard_for_them(s)
    ask_in_secret(s)


def ask_in_secret(s: Dividha) -> None:
    """Ask everybody at once for the secret choices, one kind after another; then hands are shown together (DV-107)."""
    if yet_to_discard(s):
        go_to(s, DISCARDING)
    elif yet_to_lay(s):
        go_to(s, LAYING)
    elif yet_to_name(s):
        go_to(s, NAMING)
    elif yet_to_order(s):
        go_to(s, ORDERING)
    else:
        go_to(s, SHOWING)


def yet_to_choose(s: Dividha, chosen: list[int]) -> int:
    """Return the players in the hand who have not chosen; the software chooses for players who have left (DV-34,
    DV-35)."""
    waiting = 0
    for p in members(s.live & ~s.gone):
        waiting |= (chosen[p] == 0) << p
    return waiting


# ------------------------------------------------------------------------------------------ the discard


def discard_for_them(s: Dividha) -> None:
    """Discard for players who have left, or for everybody [showdown=forced_best]."""
    for p in members(s.live if s.showdown == FORCED_BEST else s.live & s.gone):
        s.discard[p] = 1 + discard_for(s, p, 1)


def discard_for(s: Dividha, p: int, sign: int) -> int:
    """Return the card without which a hand is strongest (``sign`` 1) or weakest (-1), the first of several (DV-34)."""
    how, six = ranking_of(s, p), s.private[p] | s.public[p]
    best = 0
    found = -1
    for c in members(six):
        worth = sign * worth_of(how, six & ~(1 << c))
        if found < 0 or worth > best:
            best = worth
            found = c
    return found


def yet_to_discard(s: Dividha) -> int:
    return yet_to_choose(s, s.discard)


def own_cards(s: Dividha, me: int) -> int:
    """DV-106."""
    return s.private[me] | s.public[me]


def discard(s: Dividha, me: int, a: int, to: Listener) -> None:
    """DV-105."""
    whisper(to, "DV-105", "discards", me, a - DISCARD)
    s.discard[me] = a - DISCARD + 1
    ask_in_secret(s)


def refuse_discard(s: Dividha, me: int, a: int) -> str:
    return "DV-106" if DISCARD <= a <= LAY else "DV-105"


def kept(s: Dividha, p: int) -> int:
    """The kept cards."""
    return (s.private[p] | s.public[p]) & ~(1 << (s.discard[p] - 1))


# ------------------------------------------------------------------------------------------ laying a hand


def yet_to_lay(s: Dividha) -> int:
    return yet_to_choose(s, s.laid) if s.showdown == FREE else 0


def hands_to_lay(s: Dividha, me: int, acts: list[int]) -> int:
    """List all sets of kept cards that may lie together (DV-121)."""
    how, five = ranking(s), kept(s, me)
    n = 0
    for places in range(1, 1 << count(five)):
        if may_lie_together(how, among(five, places)):
            acts[n] = LAY + places
            n += 1
    return n


def lay(s: Dividha, me: int, a: int, to: Listener) -> None:
    """DV-111."""
    s.laid[me] = a - LAY
    whisper(to, "DV-111", "will_lay", me, hand_of(s, me))
    ask_in_secret(s)


def refuse_laying(s: Dividha, me: int, a: int) -> str:
    return "DV-121" if LAY < a <= NAME else "DV-107"


def hand_of(s: Dividha, p: int) -> int:
    """Return the cards that a player lays as a hand: the kept cards, or those of them that were chosen
    [showdown=free]."""
    return among(kept(s, p), s.laid[p]) if s.laid[p] > 0 else kept(s, p)


def among(five: int, places: int) -> int:
    """Return the cards at these places."""
    found = 0
    for i in members(places):
        found |= 1 << nth(five, i)
    return found


# ------------------------------------------------------------------------------------------ naming and ordering a hand


def yet_to_name(s: Dividha) -> int:
    return yet_to_choose(s, s.named) if s.aural_rule else 0


def categories(s: Dividha, me: int, acts: list[int]) -> int:
    return name_all(acts, 0, NAME + HIGH_CARD, NAME + len(CATEGORIES) - 1)


def name(s: Dividha, me: int, a: int, to: Listener) -> None:
    """DV-115."""
    whisper(to, "DV-115", "will_name", me, NAMED + a - NAME)
    s.named[me] = a - NAME
    ask_in_secret(s)


def yet_to_order(s: Dividha) -> int:
    return yet_to_choose(s, s.ordered) if s.rule_of_order else 0


def sequences(s: Dividha, me: int, acts: list[int]) -> int:
    size = count(hand_of(s, me))
    n = 0
    for i in range(ALL_SEQUENCES):
        if fits(SEQUENCE[i], size):
            acts[n] = order_id(s) + i
            n += 1
    return n


def fits(sequence: int, size: int) -> bool:
    """Whether all places in a sequence exist in a hand of this size."""
    while sequence:
        if sequence & 7 > size:
            return False
        sequence >>= 3
    return True


def order(s: Dividha, me: int, a: int, to: Listener) -> None:
    """DV-116."""
    whisper(to, "DV-116", "orders", me)
    s.ordered[me] = a - order_id(s) + 1
    ask_in_secret(s)


# ------------------------------------------------------------------------------------------ showing hands


def show_down(s: Dividha, to: Listener) -> None:
    """Show and rank everybody's kept cards; then share out the pot (DV-104 to DV-119)."""
    wrong = 0
    p = s.dealer
    for _ in range(count(s.live)):
        p = after(s.live, p)
        wrong |= show_hand(s, p, to) << p
    dead = wrong if s.misplay_penalty == DEAD else 0
    compare_hands(s, s.live & ~dead, to)
    show_tablets(s, to)
    share_pots(s, s.live & ~dead, wrong if s.misplay_penalty == LOSE_ONLY else 0, to)
    go_to(s, FINISHING)


def show_hand(s: Dividha, p: int, to: Listener) -> bool:
    """Show a player's kept cards (DV-108), with their category (DV-113), and whether they are misnamed or mislaid."""
    how, five, hand = ranking_of(s, p), kept(s, p), hand_of(s, p)
    worth = worth_of(how, hand)
    note(to, "DV-108", "shows", p, five)
    if hand != five:
        note(to, "DV-111", "lays", p, hand)
    if s.ordered[p] > 0:
        note(to, "DV-116", "lays_in_order", p, IN_ORDER + s.ordered[p] - 1)
    if s.named[p] > 0:
        note(to, "DV-115", "names", p, NAMED + s.named[p])
    wrong = is_misplayed(s, p, how, hand, worth)
    if wrong and s.misplay_penalty == AS_HIGH_CARD:
        note(to, "DV-119", "is_high_card", p)
        worth = worth_of(how | ONLY_HIGH_CARD, hand)
    elif wrong:
        note(to, "DV-119", "is_dead" if s.misplay_penalty == DEAD else "cannot_win", p)
    s.made[p] = category(how, worth)
    note(to, "DV-113", "announces", p, NAMED + s.made[p])
    s.worth[p] = worth
    s.public[p] = five
    return wrong


def is_misplayed(s: Dividha, p: int, how: int, hand: int, worth: int) -> bool:
    """Whether a hand breaks the Aural Rule or the Rule of Order (DV-115, DV-116, DV-118)."""
    if s.gone >> p & 1:
        return False  # DV-35
    if s.aural_rule and s.named[p] != category(how, worth):
        return True
    return s.rule_of_order != 0 and not well_laid(how, hand, worth, SEQUENCE[s.ordered[p] - 1])


def compare_hands(s: Dividha, those: int, to: Listener) -> None:
    """Say why each hand beats the next (DV-164)."""
    better = -1
    while those:
        p = lowest(most(s.worth, those))
        those &= ~(1 << p)
        if better >= 0:
            compare(s, better, p, to)
        better = p


def compare(s: Dividha, one: int, other: int, to: Listener) -> None:
    """Say why one hand beats the other: the first step at which they differ (DV-161 to DV-173)."""
    how, sort = ranking(s), s.made[one]
    a, b = to_sum(how, s.worth[one]), to_sum(how, s.worth[other])
    if s.worth[one] == s.worth[other]:
        note(to, "DV-173", "ties", one, other)
    elif a == b:
        top = NAMED + sort if how & ALL_DEEP else up_to(sort, s.worth[one] & 15)
        note(to, "DV-171", "beats_by_card", one, other, top)
    elif a >> TO_IMMORTALS == b >> TO_IMMORTALS:
        note(to, "DV-168", "beats_by_sum", one, other, with_sum(sort, sum_in(a)))
    elif a >> TO_PROVIDENCE == b >> TO_PROVIDENCE:
        note(to, "DV-167", "beats_by_immortals", one, other, with_immortals(sort, immortals_in(a)))
    elif a >> TO_RANKS == b >> TO_RANKS:
        note(to, "DV-165", "beats_by_providence", one, other, NAMED + sort)
    elif sort == s.made[other]:
        note(to, "DV-162", "beats_by_rank", one, other, NAMED + sort)
    else:
        note(to, "DV-143" if sort >= THREE else "DV-144", "beats", one, other, NAMED + sort)
