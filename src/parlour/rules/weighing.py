"""Functions that rules of thumb share.  They are plain rule functions, compiled with the game's own."""

from parlour.rules.vocabulary import below

_FINE = 1 << 30


def part(rng: list[int]) -> float:
    """Return a random number, 0 ≤ x < 1.

    >>> 0 <= part([7]) < 1
    True
    """
    return below(rng, _FINE) / _FINE


def may(acts: list[int], n: int, a: int) -> bool:
    """Whether an action is among the first ``n`` of ``acts``.

    >>> may([2, 5, 9], 2, 5), may([2, 5, 9], 2, 9)
    (True, False)
    """
    found = 0
    for k in range(n):
        found |= acts[k] == a
    return found != 0


def prefer(acts: list[int], n: int, wanted: int, worth: list[float]) -> None:
    """Write into ``worth``, in any unit, 1 for one action and 0 for the others.

    >>> worth = [0.5, 0.5]
    >>> prefer([2, 5], 2, 5, worth)
    >>> worth
    [0.0, 1.0]
    """
    for k in range(n):
        worth[k] = 1.0 if acts[k] == wanted else 0.0


__all__ = ["may", "part", "prefer"]
