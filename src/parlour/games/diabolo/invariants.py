"""What the audit requires of Diabolo, stated a second time, independently of what the rules tell players."""

from parlour.games.diabolo.bags import ALL, COLOURS, COUNT, KINDS, ONE, SUM, VALUES, how_many
from parlour.games.diabolo.position import (
    ASKING,
    CASTING,
    DEALING,
    HAND,
    LOT,
    OPEN_IN_TURN,
    OVER,
    PLACING,
    ROW,
    SETTLED,
    SIDE,
    STUCK,
    Diabolo,
)
from parlour.games.diabolo.rules import APART
from parlour.rules.bounds import Amounts, Bounds, deals_at_most

# A small game: ten different cards, hands of one card, rows of two cards.
SMALL = {
    "ALL": sum(ONE[:10]),
    "CARDS_IN_ALL": 10,
    "HAND": 1,
    "ROW": 2,
    "SIDE": 1,
    "LOCKS_OF_FIVE": 2,
    "PLAYERS": range(2, 5),  # five players would have too many deals
}
# events whose cards may leave the position, or return to the hand, in the same step
REVEALS = ("shows", "names", "stuck")


def hide(s: Diabolo, me: int) -> None:
    """Wipe what ``me`` must not know: the pile, others' hands (all hands while they are dealt), cards that others have
    laid face down, and others' answers while they are sealed (DI-68, DI-85 to DI-89)."""
    s.pile = 0
    for p in range(s.players):
        if p != me or s.stage == DEALING:
            s.hand[p] = s.buried[p] = 0
        if p != me and s.doubler_mode != OPEN_IN_TURN:
            s.answer[p] = 0


def check(s: Diabolo) -> str:
    """All 70 cards are present (DI-93), hands have six or seven (DI-94), rows and sides are not too full (DI-23,
    DI-24), and no card that a player is known to hold is missing."""
    if s.stage == LOT:
        return ""
    bags = [s.pile, *s.side, s.discards, *s.hand, *s.buried]
    for k in range(KINDS):
        if sum(how_many(bag, k) for bag in bags) != how_many(ALL, k):
            return f"kind {k}: {[how_many(bag, k) for bag in bags]} in the bags"
    if sum(bags) != ALL:
        return "a bag has bits that belong to no card"
    if s.stock != _cards(s.pile):
        return f"the pile has {_cards(s.pile)} cards, not {s.stock}"
    for p in range(s.players):
        wanted = HAND + (p == s.player and s.stage in (PLACING, STUCK, CASTING))
        if s.stage != DEALING and _cards(s.hand[p]) != wanted:
            return f"seat {p} has {_cards(s.hand[p])} cards, not {wanted}"
        for k in range(KINDS):
            if how_many(s.known[p], k) > how_many(s.hand[p], k) + how_many(s.buried[p], k):
                return f"seat {p} is thought to have {how_many(s.known[p], k)} of kind {k}"
        if _cards(s.buried[p]) != s.laid[p]:
            return f"seat {p} has {s.laid[p]} cards face down: {s.buried[p]:x}"
    locked = 0
    for c in range(COLOURS):
        left, right = ([how_many(bag, VALUES * c + v) for v in range(VALUES)] for bag in s.side)
        if max(sum(left), sum(right)) > SIDE or sum(left) + sum(right) > ROW:
            return f"row {c} has {left} on the left and {right} on the right"
        locked += sum(left) + sum(right) == ROW
    if locked != s.locked:
        return f"{locked} rows are locked, not {s.locked}"
    if s.stage in (SETTLED, OVER) and any(s.answer):
        return f"answers {s.answer} are left over"
    if s.stage != ASKING and s.speaker:
        return f"seat {s.speaker} is to speak"
    return ""


def _cards(bag: int) -> int:
    return sum(how_many(bag, k) for k in range(KINDS))


def bounds(s: Diabolo) -> Bounds:
    """Winners share 1.  A round has at most 25 or 35 turns (DI-96), in each of which a card is placed or discarded, and
    five rows in which everybody is asked about a Doubler; there is a round for each player (DI-79)."""
    turns = 35 if s.players == 5 else 25
    highest = max(of for bag, of in enumerate(SUM) if COUNT[bag] <= HAND)
    most = 11.0 * highest if APART else 1.0  # the result is a sum of points there, see `amounts`
    return Bounds(-most, most, 0.0, deals_at_most(s, 4 if s.players == 2 else s.players) * (turns + 5 * s.players))


def amounts(s: Diabolo) -> Amounts:
    """A round brings or costs at most the highest sum of a colour in each of five rows, in one of them twice (DI-59,
    DI-71); nobody buries more cards than there are turns."""
    rounds, highest = deals_at_most(s, 4 if s.players == 2 else s.players), max(SUM)
    return {
        "points": (-5 * highest, 6 * highest),
        "total": (-5 * highest * rounds, 6 * highest * rounds),
        "laid": (0, 35 if s.players == 5 else 25),
    }
