"""What the audit requires of Pope Joan, stated a second time, independently of what the rules tell players."""

from parlour.games.pope_joan.position import (
    CLASSIC,
    DEALER_DRESSES,
    FOSTER_TRUMP,
    GAME,
    HONOURS,
    LAYING,
    TURNING,
    PopeJoan,
    deck,
    starts_with,
    to_deal,
)
from parlour.rules.bounds import COUNTED, Amounts, Bounds, counted, deals_at_most, on_credit, with_coins
from parlour.rules.stops.invariants import check_cards, hide_hands
from parlour.rules.stops.layout import RUN_OFF
from parlour.rules.stops.position import CARD_NAMES, DEALING, DRAWING, LEADING, OVER, PACK

# Events whose cards may be gathered in the same step.
REVEALS = ("turns_jack", "turns_up", "leads", "goes_on", "plays", "lays", "shows", "falls")

SMALL = {
    "DECK": sum(1 << CARD_NAMES.index(c) for c in ("6d", "7d", "9d", "Td", "Qh", "Kh")),
    "DEALT": (4,) * 27,
    "PLAYERS": range(3, 4),
}


def hide(s: PopeJoan, me: int) -> None:
    """Wipe what ``me`` must not know: others' hands, stock or dead hand, and who could lay a card (PJ-27, PJ-54,
    PJ-68)."""
    if s.stage == RUN_OFF:
        return
    stock = s.stock if _sees_dead_hand(s, me) else 0
    hide_hands(s, me)
    if s.stage > DRAWING:
        s.stock = stock
    s.asked &= 1 << me if me >= 0 else 0


def _sees_dead_hand(s: PopeJoan, me: int) -> bool:
    allowed = s.version == CLASSIC and s.dealer_sees_dead_hand and s.stage == LEADING
    return bool(allowed and me == s.dealer)


def check(s: PopeJoan) -> str:
    """All cards are present (PJ-82), no counter is lost (PJ-81), Game is empty after a deal (PJ-86), and only a player
    who can lay a card is asked (PJ-53)."""
    pack = PACK if s.stage == DRAWING else deck(s)
    if s.turned:
        pack &= ~(1 << s.turned - 1)
    dealt = 0 if s.stage in (DRAWING, DEALING, RUN_OFF) or not s.dealt else to_deal(s)
    wrong = check_cards(s, pack, dealt)
    if wrong:
        return wrong
    if sum(s.coins[: s.players]) + sum(s.pool) != s.players * starts_with(s) or min(s.pool) < 0:
        return f"counters {s.coins} and pools {s.pool}"
    if s.pool[GAME] and (s.version == 0 or s.stage in (OVER, RUN_OFF)):
        return f"{s.pool[GAME]} on Game"
    if (s.turned > 0) != (s.version > 0 and s.stage not in (DRAWING, DEALING, TURNING, RUN_OFF) and s.dealt > 0):
        return f"{s.turned} is turned up"
    if s.stage == LAYING and (
        s.version != FOSTER_TRUMP or s.gone >> s.offer & 1 or not HONOURS & s.trumps & 1 << s.card
    ):
        return f"{s.offer} is offered"
    if s.asked and not (s.stage == LAYING and s.asked == 1 << s.player and s.hand[s.player] >> s.offer & 1):
        return f"asked, but without a choice: {s.asked}"
    return ""


def bounds(s: PopeJoan) -> Bounds:
    """A deal costs a player at most 15 counters to dress the board, one for each of at most 15 cards (and one more for
    the Pope), and for each of five pools the most that a doubling may add.  Each card is a step, with two more cards
    laid at most."""
    deals = deals_at_most(s, s.rounds * s.players)
    most = deals * (15 + 2 * 15 + 5 * s.double_cap) if s.double_cap else COUNTED
    if s.shortfall:
        return with_coins(s, starts_with(s), 3 * 52 * deals)
    return on_credit(s, most, 3 * 52 * deals)


def amounts(s: PopeJoan) -> Amounts:
    """All counters that no player has lie on the layout; a run-off counts as one more deal (PJ-18).  If all players
    dress the layout, each share is rounded up (PJ-64)."""
    deals = deals_at_most(s, s.rounds * s.players)
    own = {"deal": (0, deals + 1), "dressed": (0, 15 if s.dressing == DEALER_DRESSES else 15 + s.players)}
    return {**counted(s, starts_with(s), bounds(s), ("coins", "before"), ("pool",)), **own}
