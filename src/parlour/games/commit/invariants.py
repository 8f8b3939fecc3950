"""What the audit requires of Commit, stated a second time, independently of what the rules tell players."""

from parlour.games.commit.position import ASKING, CHOOSING, COMET, DECK, TEN, Commit, each
from parlour.rules.bounds import Amounts, Bounds, counted, deals_at_most, on_credit, with_coins
from parlour.rules.stops.invariants import check_cards, hide_hands
from parlour.rules.stops.position import CARD_NAMES, DRAWING

# events whose cards may be gathered in the same step
REVEALS = ("draws", "leads", "goes_on", "plays", "continues", "shows")

SMALL = {
    "DECK": sum(1 << CARD_NAMES.index(c) for c in ("5s", "6s", "9d", "Td", "Ah", "Kh", "Qh")),
    "LEFT_OVER": 1,
    "PLAYERS": range(2, 3),  # three players would have too many deals
}


def hide(s: Commit, me: int) -> None:
    """Wipe what ``me`` must not know: others' hands, the cards left over, who has a choice (CO-12, CO-31, CO-37)."""
    hide_hands(s, me)
    s.asked &= 1 << me if me >= 0 else 0


def check(s: Commit) -> str:
    """All cards are there (CO-59), no counter is lost (CO-60), and only a player with a choice is asked (CO-30,
    CO-37)."""
    wrong = check_cards(s, DECK, 0 if s.stage == DRAWING else each(s) * s.players)
    if wrong:
        return wrong
    if sum(s.coins[: s.players]) + s.pool != s.players * s.start_counters:
        return f"counters {s.coins} and pool {s.pool}"
    if s.asked == 0:
        return ""
    hand = s.hand[s.asked.bit_length() - 1]
    both = 1 << s.wanted | 1 << TEN
    if s.stage == ASKING and hand >> COMET & 1 and not hand >> s.wanted & 1:
        return ""
    if s.stage == CHOOSING and hand & both == both:
        return ""
    return f"asked, but without a choice: {s.asked}"


def bounds(s: Commit) -> Bounds:
    """A deal costs a player at most the stake, a counter for each king and ace that others play, two for the comet, and
    the same to everybody for kings and the comet left in hand.  Each card is a step, with two questions at most."""
    deals, others = deals_at_most(s, s.rounds * s.players), s.players - 1
    most = deals * (s.pool_stake + 4 + 4 + 2 + 6 * others)
    return with_coins(s, s.start_counters, 153 * deals) if s.shortfall else on_credit(s, most, 153 * deals)


def amounts(s: Commit) -> Amounts:
    """All counters that no player has lie in the pool."""
    deals = deals_at_most(s, s.rounds * s.players)
    return {**counted(s, s.start_counters, bounds(s), ("coins", "before"), ("pool",)), "deal": (0, deals)}
