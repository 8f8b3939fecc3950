"""What the audit requires of Hearts, stated a second time, independently of what the rules tell players."""

from parlour.games.hearts.rules import CARDS, DEALING, PASSING, PLAYING, Hearts
from parlour.rules.bounds import Amounts, Bounds, deals_at_most

REVEALS = ("leads", "plays")  # the last card of a deal leaves the position in the same step

# A small game, so that all histories can be counted: three players with two cards each, passed in two deals of four.
SMALL_DECK = ("2c", "3c", "4c", "Jd", "2h", "Qs")
SMALL = {
    "DECK": sum(1 << CARDS.index(c) for c in SMALL_DECK),
    "HAND": 2,
    "PASSED": 2,
    "WAYS": (0, 1, 2, 0),
    "PLAYERS": range(3, 4),
}


def hide(s: Hearts, me: int) -> None:
    """Wipe what ``me`` must not know: every hand while cards are dealt, then others' hands (HE-7), and which cards they
    have passed or been passed (HE-10)."""
    for p in range(s.players):
        if s.stage == DEALING or p != me:
            s.hand[p] = s.sent[p] = s.got[p] = 0


def check(s: Hearts) -> str:
    """Every card is in one place; hands have the right number of cards; facts known about them are true (HE-19)."""
    places = [*s.hand, *s.taken, *(1 << card >> 1 for card in s.trick)]
    together = sum(places)
    if sum(place.bit_count() for place in places) != together.bit_count():
        return f"a card is in two places: {places}"
    if s.stage in (PASSING, PLAYING) and together.bit_count() != s.dealt:
        return f"{together.bit_count()} of {s.dealt} cards are there"
    for p in range(s.players):
        played = sum(taken.bit_count() for taken in s.taken) // s.players + (s.trick[p] > 0)
        if s.stage in (PASSING, PLAYING) and s.hand[p].bit_count() != s.dealt // s.players - played:
            return f"player {p} holds {s.hand[p].bit_count()} cards after {played} tricks"
        if s.hand[p] & s.lacks[p]:
            return f"player {p} holds a card that they are known to lack"
        if s.got[p] & ~s.hand[p]:
            return f"player {p} does not hold a card that they were passed"
    if s.stage > PLAYING and (any(s.hand) or s.dealt):
        return "cards are left after the deal"
    return ""


def bounds(s: Hearts) -> Bounds:
    """A deal gives the four players together 26 points or 78, less 10 for the jack and 5 for each player without a
    trick; before the last deal everybody is below the target.  Each player passes three cards and plays thirteen."""
    least = 26 - 10 * s.jd_bonus - 15 * s.avoid_all_tricks_bonus
    deals = deals_at_most(s, 4 * (s.target - 1) // least + 1 if least > 0 else 255)
    most, fewest = min(26 * deals, s.target + 25), -(10 * s.jd_bonus + 5 * s.avoid_all_tricks_bonus) * deals
    apart = 0.75 * (most - fewest)
    return Bounds(-apart, apart, 0.0, deals * 4 * (3 + 13))


def amounts(s: Hearts) -> Amounts:
    """A deal brings a player 26 points at most and costs 10 for the jack and 5 without a trick; before the last deal
    everybody is below the target."""
    least = 26 - 10 * s.jd_bonus - 15 * s.avoid_all_tricks_bonus
    deals = deals_at_most(s, 4 * (s.target - 1) // least + 1 if least > 0 else 255)
    points = (-(10 * s.jd_bonus + 5 * s.avoid_all_tricks_bonus) * deals, min(26 * deals, s.target + 25))
    return {"points": points, "before": points, "deal": (0, deals)}
