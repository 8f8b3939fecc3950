"""What the audit requires of Dividha, stated a second time, independently of what the rules tell players."""

from parlour.games.dividha.match import MOST_HANDS, MOST_WAITS
from parlour.games.dividha.position import (
    DEALING,
    EACH,
    FIRST,
    OPEN,
    OVER,
    PACK,
    PAYING,
    SECOND,
    SETTLED,
    THIRD,
    Dividha,
)
from parlour.rules.bounds import LONGEST, Amounts, Bounds, counted, deals_at_most, with_coins

# Events whose facts may leave the position in the same step: cards shown, the last cards dealt (if nobody bets and
# nobody chooses a hand), and talk about the ante: a proposal leaves no trace if an absent player refuses it.
SHOWN = ("shows", "tablet", "announces", "lays", "names", "lays_in_order", "dealt")
SAID = ("proposes", "agrees", "refuses", "absent_refuses")
REVEALS = SHOWN + SAID

# A small game: each deal and the trade give a player one card, and the pack is no larger than needed.
SMALL = {
    "PACK": tuple((1 << 4 * n) - 1 for n in range(8)),
    "EACH": 1,
    "MOST_TRADED": 1,
    "PLAYERS": range(2, 4),  # four players would have too many deals
}


def hide(s: Dividha, me: int) -> None:
    """Wipe what ``me`` must not know: the deck, cards of a deal under way, others' private cards and those they have
    traded (DV-23, DV-97, DV-112, DV-114), others' tablets (DV-52 to DV-54), what others are about to choose (DV-93,
    DV-107)."""
    s.left = 0
    for p in range(s.players):
        s.coming[p] = 0
        if p != me:
            s.private[p] = s.thrown[p] = s.discard[p] = s.laid[p] = s.named[p] = s.ordered[p] = 0
            if s.splits != OPEN and s.stage != OVER:
                s.win[p] = s.fee_win[p] = 0
    if s.turn != me:
        s.picked = 0


def check(s: Dividha) -> str:
    """Every card is in one place (DV-207), no coin is lost (DV-209), tablets and sets agree with the coins paid."""
    seats = range(s.players)
    if min(s.coins) < 0 or sum(s.coins) + (s.pot if s.pot else s.forfeits) != s.players * s.starting_coins:
        return f"coins {s.coins}, pot {s.pot}, forfeited {s.forfeits}, of {s.players * s.starting_coins}"
    if s.pot and s.pot != sum(s.paid) + sum(s.fees) + s.forfeits:
        return f"the pot is {s.pot}; paid {s.paid}, fees {s.fees}, forfeited {s.forfeits}"
    for p in seats:
        if not (0 <= s.win[p] <= s.paid[p] and 0 <= s.fee_win[p] <= s.fees[p]):
            return f"seat {p} has {s.win[p]} Win coins of {s.paid[p]}, {s.fee_win[p]} of {s.fees[p]}"
        if s.back[p] == 0 < s.pot and s.paid[p] and sum(s.bets[8 * p : 8 * p + 8]) > s.paid[p] - s.ante:
            return f"seat {p} has divided {s.bets[8 * p : 8 * p + 8]} and paid {s.paid[p]}, ante {s.ante}"
    if s.live & ~s.seated & ~s.away and s.stage not in (SETTLED, OVER):
        return f"in the hand {s.live:b}, at the table {s.seated:b}"
    if s.able & ~s.live or any(s.able >> p & 1 and s.coins[p] == 0 for p in seats):
        return f"with coins {s.able:b}, in the hand {s.live:b}, coins {s.coins}"
    return _cards(s) if s.phase else ""


def _cards(s: Dividha) -> str:
    heaps = [s.left, s.spent, *s.private, *s.public, *s.coming, *s.thrown]
    together = 0
    for heap in heaps:
        if heap & together:
            return f"cards in two places: {heap & together:b}"
        together |= heap
    if together != PACK[s.players]:
        return f"cards that are nowhere: {PACK[s.players] & ~together:b}"
    for p in range(s.players):
        if s.down[p] != s.private[p].bit_count() or s.traded[p] != s.thrown[p].bit_count():
            return f"seat {p} has {s.private[p].bit_count()} private cards, not {s.down[p]}"
    return _dealt(s)


def _dealt(s: Dividha) -> str:
    """Everybody in the hand has the cards of the deals so far (DV-23 to DV-25); during a deal, the players who get
    cards together lack the number still due (DV-94 to DV-96)."""
    full = EACH * sum(s.phase >= deal for deal in (FIRST, SECOND, THIRD))
    due = s.hidden_due + s.open_due if s.stage in (DEALING, PAYING) else 0
    dealt_to = s.those if due else 0
    lacking = 0
    for p in range(s.players):
        held = (s.private[p] | s.coming[p] | s.public[p]).bit_count()
        if dealt_to >> p & 1:
            lacking += full - held
        elif s.live >> p & 1 and held != full:
            return f"seat {p} has {held} cards, not {full}"
    return "" if lacking == due else f"cards still to be dealt: {due}, lacking: {lacking}"


def bounds(s: Dividha) -> Bounds:
    """Nobody plays on credit, and the last player takes all (DV-195).  A match may take long if antes do not rise; a
    raise is at least one coin, and everybody answers and divides it."""
    hand = 4 * s.players * (s.starting_coins * s.players + 8)
    return with_coins(s, s.starting_coins, s.deals * hand if s.deals else max(LONGEST, hand))


def amounts(s: Dividha) -> Amounts:
    """All coins that no player has lie in the pot, each raise takes at least one coin, and the ante rises only while
    somebody can pay it."""
    coins, ante = s.players * s.starting_coins, (0, max(s.ante_start, s.players * s.starting_coins) + s.ante_step)
    bets = ("forfeits", "pot", "level", "step", "owed", "put", "paid", "win", "fees", "fee_win", "back", "bets")
    return {
        **counted(s, s.starting_coins, bounds(s), ("coins", "earlier"), bets),
        **{name: ante for name in ("ante", "offer", "agreed")},
        "raises": (0, coins),
        "deal": (0, deals_at_most(s, MOST_HANDS)),
        "waited": (0, MOST_WAITS),
    }
