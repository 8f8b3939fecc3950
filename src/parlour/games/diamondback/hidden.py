"""What follows from a player's knowledge in Diamondback, and how hidden cards are dealt at random."""

from parlour.games.diamondback.position import *
from parlour.rules.matchplay import after
from parlour.rules.vocabulary import *


def restore(s: Diamondback, me: int) -> None:
    if s.stage == DRAWING:
        s.left = full_deck(s.players)
        for p in range(s.players):
            if s.up[p] > 0:
                s.left -= one_card(s.up[p] - 1)


def redeal(s: Diamondback, me: int, rng: list[int]) -> None:
    """Deal the cards that ``me`` does not see from those that are left.  An exposed card may have been either of a
    player's two, but both cards of a pair are the same, so a pair counts half."""
    if s.stage == DEALING:
        s.left = full_deck(count(s.dealt))
        p = s.dealer
        for _ in range(s.out):
            p = after(s.dealt, p)
            card = draw_card(s, rng)
            if s.first[p] == 0:
                s.first[p] = card + 1
            else:
                s.hand[p] = kind_of(s.first[p] - 1, card)
    elif OPENING <= s.stage < VOTING:
        while not deal_hidden(s, me, rng):
            pass
        s.left = 0


def deal_hidden(s: Diamondback, me: int, rng: list[int]) -> bool:
    """Deal everybody else's cards; return false if this has to be repeated."""
    s.left = full_deck(count(s.dealt))
    if s.hand[me] > 0:
        s.left -= one_card(HIGHER[s.hand[me]]) + one_card(LOWER[s.hand[me]])
    for p in range(s.players):
        if p != me and s.up[p] > 0:
            s.left -= one_card(s.up[p] - 1)
    for p in range(s.players):
        if p != me and s.dealt >> p & 1:
            one = s.up[p] - 1 if s.up[p] > 0 else draw_card(s, rng)
            other = draw_card(s, rng)
            if s.up[p] > 0 and one == other and below(rng, 2) == 0:
                return False
            s.hand[p] = kind_of(one, other)
    return True


def draw_card(s: Diamondback, rng: list[int]) -> int:
    """A random card from the stock."""
    cards_left = 0
    for k in range(5):
        cards_left += in_stock(s.left, k)
    n = below(rng, cards_left)
    card = 0
    while n >= in_stock(s.left, card):
        n -= in_stock(s.left, card)
        card += 1
    s.left -= one_card(card)
    return card
