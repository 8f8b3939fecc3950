"""What the audit requires of Newmarket, stated a second time, independently of what the rules tell players."""

from parlour.games.newmarket.position import DEALT, DECK, LAYING, POOLS, SPREAD, Newmarket
from parlour.rules.bounds import Amounts, Bounds, counted, deals_at_most, on_credit, with_coins
from parlour.rules.stops.invariants import check_cards, hide_hands
from parlour.rules.stops.layout import RUN_OFF
from parlour.rules.stops.position import CARD_NAMES

# events whose cards may be gathered in the same step
REVEALS = ("turns_jack", "leads", "goes_on", "plays", "shows", "falls")

SMALL = {
    "DECK": sum(1 << CARD_NAMES.index(c) for c in ("Qd", "Kd", "Jc", "Qc", "Kc")),
    "DEALT": (4,) * 9,
    "PLAYERS": range(3, 4),
}


def hide(s: Newmarket, me: int) -> None:
    """Wipe what ``me`` must not know: others' hands and the stock (PJ-27)."""
    if s.dealt:
        hide_hands(s, me)


def check(s: Newmarket) -> str:
    """All cards are present (PJ-82), no counter is lost (PJ-81), and a player who is asked to lay counters has a choice
    (PJ-92)."""
    wrong = check_cards(s, DECK, DEALT[s.players] if s.dealt else 0)
    if wrong:
        return wrong
    if sum(s.coins[: s.players]) + sum(s.pool) != s.players * s.start_counters or min(s.pool) < 0:
        return f"counters {s.coins} and pools {s.pool}"
    if s.stage == LAYING and not (s.stakes == SPREAD and 0 < s.left <= s.total and s.at < POOLS - 1):
        return f"lays on card {s.at}, with {s.left} of {s.total} left"
    if s.stage != LAYING and (s.left or s.at):
        return f"{s.left} left to lay"
    return f"{s.dealt} dealt in the run-off" if s.stage == RUN_OFF and s.dealt else ""


def bounds(s: Newmarket) -> Bounds:
    """A deal costs a player at most the stakes, and a counter for each of at most 15 cards.  Everybody stakes card by
    card; then each card is a step."""
    deals = deals_at_most(s, s.rounds * s.players)
    most = deals * (max(4 * s.stakes, s.stake_max, 4) + 15)
    decisions = deals * (1 + 4 * s.players + 52)
    return with_coins(s, s.start_counters, decisions) if s.shortfall else on_credit(s, most, decisions)


def amounts(s: Newmarket) -> Amounts:
    """All counters that no player has lie on the layout; nobody lays more on it than the dealer may name (PJ-92); a
    run-off counts as one more deal (PJ-18)."""
    named, deals = (0, max(4 * s.stakes, s.stake_max, 4)), deals_at_most(s, s.rounds * s.players)
    mine = counted(s, s.start_counters, bounds(s), ("coins", "before"), ("pool",))
    return {**mine, "total": named, "left": named, "deal": (0, deals + 1)}
