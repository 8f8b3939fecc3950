"""What matches have in common: deals under one record, seats that fall empty, the deal that passes, pots that carry.

A game of several deals derives its position from :class:`Match` and lets ``actor`` say ``DEAL_OVER`` when a deal is
settled and another follows; the engine then calls its ``next_deal(s, to)`` in the same step.  Search and solvers stop
there and value the deal by ``deal_returns(s, out)``.  These are plain rule functions, compiled with the game's own.
"""

from typing import Any

from parlour.vocabulary import Position, amount_option, count, lowest, number


class Match(Position):
    """Fields and options that every match has.

    ``deals``: stop after so many deals (0, ``all``: as the rules of the match say); ``deals=1`` is the single deal.
    ``deal``: deals finished.  ``seated``: set of the seats still at the table.
    """

    deals: int = amount_option("all", 1, 255, all=0)

    deal: int = number()
    dealer: int = number()
    seated: int = number()


def everybody_sits(s: Any) -> None:
    """Every seat is taken; call it in ``begin``."""
    s.seated = (1 << s.players) - 1


def is_seated(s: Any, p: int) -> bool:
    return bool((s.seated >> p) & 1)


def leave_table(s: Any, p: int) -> None:
    """The seat of ``p`` falls empty for the rest of the match."""
    s.seated &= ~(1 << p)


def next_of(members: int, players: int, p: int, step: int) -> int:
    """The next seat after ``p`` that is in the set, clockwise (``step`` 1) or the other way (-1); ``p`` itself comes
    last.  The set must not be empty."""
    q = p
    for _ in range(players):
        q += step
        if q == players:
            q = 0
        if q < 0:
            q = players - 1
        if (members >> q) & 1:
            return q
    return p


def next_seated(s: Any, p: int) -> int:
    """The next seat clockwise that is still taken."""
    return next_of(s.seated, s.players, p, 1)


def deals_over(s: Any, by_rules: int) -> bool:
    """Whether the deal just finished (counted in ``s.deal``) was the last: ``by_rules`` is the number that the rules
    of the match give (0: no fixed number)."""
    return (s.deals != 0 and s.deal >= s.deals) or (by_rules != 0 and s.deal >= by_rules)


def give_each(account: Any, members: int, coins: int) -> None:
    """So many coins to every seat in the set."""
    while members:
        account[lowest(members)] += coins
        members &= members - 1


def share_out(account: Any, members: int, coins: int) -> int:
    """Divide coins equally among the set; returns the odd coins that are left."""
    each = coins // count(members)
    give_each(account, members, each)
    return coins - each * count(members)


def odd_coins(account: Any, members: int, players: int, after: int, coins: int) -> None:
    """Odd coins one each to the set, clockwise, beginning with the first after seat ``after``."""
    q = after
    for _ in range(coins):
        q = next_of(members, players, q, 1)
        account[q] += 1
