"""A layout: pools of counters on the table, which are won one by one or all at once, and carry over from deal to deal.

These are plain rule functions, compiled with the game's own.  ``account`` is a field with the counters of each seat,
``pools`` one with the counters on each pool, both of a signed kind; a set of seats is an integer, one bit a seat.
"""

from parlour.rules.matchplay import share_out

__all__ = ["on_layout", "put", "share_layout", "sweep", "win"]


def put(account: list[int], p: int, pools: list[int], pool: int, counters: int) -> None:
    """Let player ``p`` add counters to a pool.

    >>> account, pools = [9, 9], [4, 0]
    >>> put(account, 1, pools, 0, 3); account, pools
    ([9, 6], [7, 0])
    """
    account[p] -= counters
    pools[pool] += counters


def win(account: list[int], p: int, pools: list[int], pool: int) -> int:
    """Let player ``p`` take everything on a pool; return how much that was.

    >>> account, pools = [9, 9], [4, 1]
    >>> win(account, 1, pools, 0), account, pools
    (4, [9, 13], [0, 1])
    """
    won = int(pools[pool])
    account[p] += won
    pools[pool] = 0
    return won


def on_layout(pools: list[int]) -> int:
    """Return how many counters lie on all pools together.

    >>> on_layout([4, 0, 3])
    7
    """
    counters = 0
    for pool in range(len(pools)):
        counters += int(pools[pool])
    return counters


def sweep(account: list[int], p: int, pools: list[int]) -> int:
    """Let player ``p`` take everything on the layout; return how much that was.

    >>> account, pools = [9, 9], [4, 1]
    >>> sweep(account, 1, pools), account, pools
    (5, [9, 14], [0, 0])
    """
    won = 0
    for pool in range(len(pools)):
        won += win(account, p, pools, pool)
    return won


def share_layout(account: list[int], members: int, pools: list[int], odd_to: int) -> None:
    """Divide everything on the layout equally among the set of seats, which must not be empty; the remainder goes to
    seat ``odd_to``.

    >>> account, pools = [9, 9, 9], [4, 1]
    >>> share_layout(account, 0b101, pools, 2); account, pools
    ([11, 9, 12], [0, 0])
    """
    odd = share_out(account, members, on_layout(pools))
    account[odd_to] += odd
    for pool in range(len(pools)):
        pools[pool] = 0
