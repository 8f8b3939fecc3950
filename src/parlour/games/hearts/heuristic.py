"""The rule-of-thumb player of Hearts: it stays below the trick, and gets rid of costly cards when it cannot follow
suit."""

from parlour.games.hearts.rules import CARDS, HEARTS, PASS, QUEEN, Hearts
from parlour.rules import tricks

SPADES_ABOVE = 1 << CARDS.index("Ks") | 1 << CARDS.index("As")
BELOW = 100.0  # added to cards that do not take the trick, so that they beat all that do
AT_ONCE = 1000.0


def appraise(
    s: Hearts, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Pass costly cards; lead low; play the highest card below the trick, or the lowest; otherwise discard the
    costliest."""
    led = tricks.card_led(s)
    best = highest(s, led)
    for k in range(n):
        a = acts[k]
        if a >= PASS:
            worth[k] = dear(a - PASS, 0)
        elif led < 0:
            worth[k] = float(-a)
        elif (a ^ led) & 3:
            worth[k] = dear(a, tricks.in_tricks(s))
        elif a < best:
            worth[k] = AT_ONCE if a == QUEEN else BELOW + a
        else:
            worth[k] = float(-a)


def highest(s: Hearts, led: int) -> int:
    """The highest card of the suit led that lies in the trick; -1 before the lead."""
    best = led
    for p in range(s.players):
        c = s.trick[p] - 1
        if c > best and led >= 0 and (c ^ led) & 3 == 0:
            best = c
    return best


def dear(card: int, taken: int) -> float:
    """Return how urgently a player wants to be rid of a card."""
    if card == QUEEN:
        return 100.0
    if SPADES_ABOVE >> card & 1 and not taken >> QUEEN & 1:
        return 50.0 + card // 4
    return card // 4 + 10.0 * (HEARTS >> card & 1)
