"""Functions written out with what they call in them are the same functions."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

import parlour
from helpers import COMPILED, GAMES, few_settings, the_rest_long
from parlour.engine import interpreted as binding
from parlour.engine.definition import definition
from parlour.engine.inlining import Inliner
from parlour.engine.interpreted import interpreted, quickened
from parlour.engine.positions import as_dict
from parlour.players.search import Search
from parlour.vocabulary import count, members, note

# ------------------------------------------------------------------------------------------ the games


@pytest.mark.parametrize("name", the_rest_long(GAMES, COMPILED))
def test_the_same_games_are_played(name: str) -> None:
    """A deal under every value of every option, and a match: the same ends, and the same draws from the generator."""
    code = interpreted(definition(name))
    quick = Inliner()
    for i, setting in enumerate(few_settings(name)):
        game, play, more = setting.load(), *((code._deal, 0) if i else (code.play_out, None))
        ends = []
        for one in (play, quick.written(play)):
            s, rng = game.start(), [i]
            steps = one(s, [0] * game.action_count, rng, more)
            ends.append((steps, rng, as_dict(game.definition, s)))
        assert ends[0] == ends[1], setting


@pytest.mark.parametrize("name", ["diamonds", "leduc", "dividha"])
def test_a_search_finds_the_same_and_is_written_anew_when_it_is_worth_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = parlour.load(name).new(seed=1)
    view, legal = state.view(state.acting[0]), state.legal_actions()

    def advice() -> Any:
        monkeypatch.setattr("parlour.players.search._own", threading.local())  # a tree of its own
        return Search(state.game, simulations=40, binding="interpreted", seed=2).advise(view, legal)

    binding.interpreted.cache_clear()
    plain = advice()
    monkeypatch.setattr(binding, "WORTH", -1.0)
    binding.interpreted.cache_clear()
    written, as_it_is = [], Inliner.written

    def noted(self: Inliner, one: FunctionType) -> FunctionType:
        written.append(one.__name__)
        return as_it_is(self, one)

    monkeypatch.setattr(Inliner, "written", noted)
    assert advice() == plain
    assert written == ["search"]
    binding.interpreted.cache_clear()


def test_what_takes_no_time_is_left_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inliner, "written", None)
    assert quickened(count)(7) == quickened(count)(7) == 3  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------ what may go wrong
# Each function is called as it stands and as it is written again, with a list of what has happened.

LIMIT = 3


def says(heard: list[Any], what: Any) -> Any:
    heard.append(what)
    return what


def last(heard: list[Any]) -> Any:
    return heard[-1] if heard else None


def longest(heard: list[Any]) -> int:
    best = 0
    for one in heard:
        best = max(best, len(str(one)))
    return best


def order_of_arguments(heard: list[Any], n: int) -> Any:
    return says(heard, n), last(heard), says(heard, n + 1), longest(heard), says(heard, "long" * n), longest(heard)


def order_of_looks(heard: list[Any], n: int) -> Any:
    heard[says(heard, 10**n) % 2] += longest(heard)
    return heard[0], says(heard, "long" * n), longest(heard)


def second_if_needed(heard: list[Any], n: int) -> Any:
    return (n > 2 and says(heard, "and")) or (says(heard, "yes") if n & 1 else says(heard, "no"))


def adds(value: int, heard: list[Any]) -> int:
    return int(says(heard, 7)) + value


def length(heard: list[Any]) -> int:
    return len(heard)


def value_before_call(heard: list[Any], n: int) -> Any:
    return adds(len(heard), heard), adds(length(heard), heard)


def bumps(k: int) -> int:
    k += 1
    return k


def own_variables(heard: list[Any], n: int) -> Any:
    k = n
    n = bumps(k) + bumps(n)
    heard[n % len(heard)] += bumps(says(heard, n))
    return n, k


def first_over(heard: list[Any], least: int) -> int:
    for one in heard:
        if one > least:
            return int(one)
    return -1


def early(n: int, to: Any) -> int:
    if n < 2:
        note(to, "XX-1", "few", n)
        return 1
    if n == LIMIT:
        return 2
    if n > 3:
        if n > 5:
            return 4
        elif n == 4:
            n += 1
    note(to, "XX-2", "many" if n > 4 else "some", n, count(n))
    return 3


def returns_in_the_middle(heard: list[Any], n: int) -> Any:
    found = first_over([1, 2, 5], n)
    early(n, None)
    early(n, heard)
    if early(n, None) == 3:
        return early(n + 1, heard)
    return found


def sets(heard: list[Any], n: int) -> Any:
    total = p = 0
    for p in members(n):
        if p == 1:
            continue
        if total > 4:
            break
        total += p
        n = 0
    else:
        total += 100
    truths = (total > 3) | (n == 0) & (total < 9)
    total += truths
    total |= (total > 2) << 6
    return total, truths, p


def rounds(heard: list[Any], n: int) -> Any:
    found = 0
    for i in range(4):
        for j in range(LIMIT):
            found += (i * j == n) | (i == n)
            heard.append((i, j))
            if i + j > n + 3:
                return found, i, j
    for k in range(5):
        if k > n:
            break
    return found, i, j, k, min(n, found), max(i, n * n)


def falls(n: int) -> int:
    return n * falls(n - 1) if n > 1 else 1


def tries(n: int) -> int:
    try:
        return 6 // n
    except ZeroDivisionError:
        return 0


def adds_up(n: int) -> int:
    return sum(x for x in (n, 1))


def goes_on(n: int, to: Any = None) -> Any:
    if to is None:
        to = []
    to.append(n)
    return goes_on(n - 1, to) if n > 0 else to


def stays_a_call(heard: list[Any], n: int) -> Any:
    return falls(n), tries(n), adds_up(n), goes_on(n), goes_on(n, None), goes_on(n, heard)


def pair(a: int, b: int = 5) -> tuple[int, int]:
    return b, a


def swaps(heard: list[Any], n: int) -> Any:
    a, b = pair(n)
    a, b = b, a
    heard[0], c = pair(a, b)
    while early(c, None) < 3:
        c += 1
    return a, b, c


def drops(n: int) -> Any:
    if n > 2:
        return
    longest([n])


def nothing(heard: list[Any], n: int) -> Any:
    drops(n)
    if drops(n) is None and last(heard) is not None:
        return drops(n)
    return 4


def whole(value: int, to: Any = None) -> Any:
    if to is None:
        to = [value]
    return to[0]


def a_listener_of_its_own(heard: list[Any], n: int) -> Any:
    return whole(n), whole(n, None), whole(n, heard)


@pytest.mark.parametrize(
    "function",
    [
        order_of_arguments,
        order_of_looks,
        second_if_needed,
        value_before_call,
        own_variables,
        returns_in_the_middle,
        sets,
        rounds,
        stays_a_call,
        swaps,
        nothing,
        a_listener_of_its_own,
    ],
    ids=lambda one: one.__name__,
)
def test_a_function_written_anew_is_the_same(function: Callable[..., Any]) -> None:
    quick = Inliner().written(function)  # type: ignore[arg-type]
    for n in range(7):
        heard: list[Any] = [9, 8]
        also = heard[:]
        assert repr(function(heard, n)) == repr(quick(also, n))
        assert heard == also


def test_it_makes_fewer_calls() -> None:
    """A game of Diamonds, counted."""
    game = parlour.load("diamonds")
    play = interpreted(game.definition).play_out

    def calls(one: Callable[..., Any]) -> int:
        made = 0

        def counted(frame: Any, event: str, what: Any) -> None:
            nonlocal made
            made += event == "call"

        s = game.start()
        sys.setprofile(counted)
        try:
            one(s, [0] * game.action_count, [1], None)
        finally:
            sys.setprofile(None)
        return made

    assert calls(Inliner().written(play)) * 2 < calls(play)


def test_a_mistake_shows_where_it_was_made() -> None:
    quick = Inliner().written(swaps)  # type: ignore[arg-type]
    with pytest.raises(IndexError) as raised:
        quick([], 1)
    assert "heard[0]" in "".join(traceback.format_tb(raised.value.__traceback__))
