"""What games of tricks share: suits, who takes a trick, and the redeal by voids against exact enumeration."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from parlour.audit.statistics import chi_square, tail
from parlour.rules import tricks
from parlour.rules.tricks import beats, deal_unseen, divide, far_below, following, suit_of, taker
from parlour.rules.vocabulary import members

STRICT = 1e-6
DRAWS = 2500


def packed(sizes: list[int]) -> int:
    return sum(size << 8 * q for q, size in enumerate(sizes))


def every_deal(hand: list[int], lacks: list[int], sizes: list[int], unseen: int) -> Iterator[tuple[int, ...]]:
    """All hands that fit, by trying every place for every card."""
    for places in itertools.product(range(len(hand)), repeat=unseen.bit_count()):
        dealt = list(hand)
        for c, q in zip(members(unseen), places, strict=True):
            dealt[q] |= 1 << c
        fits = all(cards.bit_count() == size for cards, size in zip(dealt, sizes, strict=True))
        if fits and not any(dealt[q] & ~hand[q] & lacks[q] for q in range(len(hand))):
            yield tuple(dealt)


def dealt(hand: list[int], lacks: list[int], sizes: list[int], unseen: int, rng: list[int]) -> tuple[int, ...]:
    hand = list(hand)
    deal_unseen(hand, lacks, packed(sizes), len(hand), unseen, rng)
    return tuple(hand)


CLUBS, DIAMONDS, HEARTS, SPADES = (suit_of(c) & (1 << 12) - 1 for c in range(4))  # of twelve cards
CASES = {
    "nobody lacks anything": ([0, 0, 0], [0, 0, 0], [3, 2, 2], 0b1111111),
    "one lacks a suit": ([0, 0, 0], [0, DIAMONDS, 0], [3, 2, 3], 0xFF),
    "two lack the same suit": ([0, 0, 0], [HEARTS, HEARTS, 0], [3, 2, 3], 0xFF),
    "two lack different suits": ([0, 0, 0], [CLUBS, 0, SPADES], [2, 3, 3], 0xFF),
    "each lacks another suit": ([0, 0, 0], [CLUBS, DIAMONDS, HEARTS], [3, 3, 3], 0x1FF),
    "much is lacked": ([0, 0, 0], [CLUBS | HEARTS, DIAMONDS, SPADES], [2, 3, 3], 0xFF),
    "everything is certain": ([0, 0, 0], [CLUBS | DIAMONDS, CLUBS | HEARTS | SPADES, 0], [4, 2, 2], 0xFF),
    "known cards": ([0b1, 0b10, 0], [0, CLUBS, 0], [3, 3, 2], 0b11111100),
    "the dealer's own full hand": ([0b111, 0, 0, 0], [0, CLUBS, DIAMONDS, 0], [3, 3, 3, 2], 0xFF << 3),
    "a stock": ([0, 0, 0], [SPADES, CLUBS, 0], [2, 2, 4], 0xFF),
    "two hands": ([0, 0], [CLUBS, 0], [4, 3], 0b1111111),
    "one hand": ([0b1, 0], [0, 0], [1, 3], 0b1110),
    "nothing hidden": ([0b1, 0b10], [0, 0], [1, 1], 0),
}


@pytest.mark.parametrize("name", CASES)
def test_every_deal_that_fits_is_equally_likely(name: str) -> None:
    hand, lacks, sizes, unseen = CASES[name]
    possible = set(every_deal(hand, lacks, sizes, unseen))
    rng = [len(name)]
    found = Counter(dealt(hand, lacks, sizes, unseen, rng) for _ in range(DRAWS))
    assert set(found) <= possible
    if len(possible) < DRAWS / 20:
        assert set(found) == possible
    score, freedom = chi_square(dict.fromkeys(possible, 1 / len(possible)), found, DRAWS)  # type: ignore[arg-type]
    assert freedom == 0 or tail(score, freedom) > STRICT


def random_case(choose: random.Random) -> tuple[list[int], list[int], list[int], int]:
    """Some cards with some players, each of whom holds none of what they lack."""
    seats, n = choose.choice([3, 3, 4]), choose.randrange(4, 9)
    sizes = [n // 3 + (q < n % 3) for q in range(3)] + [0] * (seats - 3)
    choose.shuffle(sizes)
    cards = choose.sample(range(12), n)
    hand, lacks = [0] * seats, [0] * seats
    places = [q for q, size in enumerate(sizes) for _ in range(size)]
    for c, q in zip(cards, places, strict=True):
        hand[q] |= 1 << c
    for q in range(seats):
        lacks[q] = sum(1 << c for c in range(12) if choose.random() < 0.4) & ~hand[q]
    known = [cards_held if choose.random() < 0.2 else 0 for cards_held in hand]
    unseen = sum(hand) - sum(known)
    return known, lacks, sizes, unseen


def test_any_lacks_at_all() -> None:
    """Over many cases together: exact support, and a chi-square."""
    choose, total, freedom = random.Random(5), 0.0, 0.0
    for _ in range(25):
        hand, lacks, sizes, unseen = random_case(choose)
        possible = set(every_deal(hand, lacks, sizes, unseen))
        rng, draws = [choose.getrandbits(32)], 400
        found = Counter(dealt(hand, lacks, sizes, unseen, rng) for _ in range(draws))
        assert set(found) <= possible
        score, free = chi_square(dict.fromkeys(possible, 1 / len(possible)), found, draws)  # type: ignore[arg-type]
        total, freedom = total + score, freedom + free
    assert freedom > 100
    assert tail(total, freedom) > STRICT


def test_deals_are_counted_exactly() -> None:
    """The number of deals, and each division as often as there are deals of it."""
    choose = random.Random(7)
    for _ in range(40):
        n_ab, n_ac, n_bc, n = (choose.randrange(3) for _ in range(4))
        most = n_ab + n_ac + n_bc + n
        a = choose.randrange(most + 1)
        b = choose.randrange(most - a + 1)
        c = most - a - b
        kinds = [0b011] * n_ab + [0b101] * n_ac + [0b110] * n_bc + [0b111] * n
        found: Counter[int] = Counter()
        for places in itertools.product(range(3), repeat=most):
            if all(kinds[i] >> q & 1 for i, q in enumerate(places)) and (a, b) == (places.count(0), places.count(1)):
                x, y = places[:n_ab].count(0), places[n_ab : n_ab + n_ac].count(0)
                found[x | y << 6 | places[n_ab + n_ac : n_ab + n_ac + n_bc].count(1) << 12] += 1
        deals = divide(a, b, c, n_ab, n_ac, n_bc, n, -1)
        assert deals == found.total()
        assert Counter(divide(a, b, c, n_ab, n_ac, n_bc, n, t) for t in range(deals)) == found


def test_the_largest_numbers_fit_into_62_bits() -> None:
    third = tricks.MOST // 3
    assert math.factorial(tricks.MOST) // math.factorial(third) ** 3 < 1 << 62
    assert divide(13, 13, 13, 0, 0, 0, 39, -1) == math.factorial(39) // math.factorial(13) ** 3


def test_large_numbers_are_drawn_evenly() -> None:
    """Also where the range is most of what can be drawn, so that a remainder would favour the low; and all of it."""
    for n, part in ((3 << 60, 60), (1 << 62, 60), (6, 0), (4, 0)):
        rng, cells = [11], n >> part
        found = Counter(far_below(rng, n) >> part for _ in range(3000))
        assert set(found) == set(range(cells))
        score, freedom = chi_square(dict.fromkeys(range(cells), 1 / cells), found, 3000)  # type: ignore[arg-type]
        assert tail(score, freedom) > STRICT


WORST = {
    "13 cards of each kind": ([suit_of(0), suit_of(1), suit_of(2)], [13, 13, 13], (1 << 52) - 1 & ~suit_of(3)),
    "some of each kind": ([suit_of(0), suit_of(1), suit_of(2)], [10, 10, 11], (1 << 52) - 1 >> 21 << 21),
    "five left each": ([suit_of(0) | suit_of(1), suit_of(2), suit_of(3)], [5, 5, 5], 0x7FFF),
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_cases_take_few_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting looks at a few thousand divisions at most, whatever is lacked."""
    lacks, sizes, unseen = WORST[name]
    looked, count = itertools.count(), tricks.choose
    monkeypatch.setattr(
        tricks, "choose", lambda n, k: count(n, k) if next(looked) < 20_000 else pytest.fail("too many")
    )
    found = dealt([0, 0, 0], lacks, sizes, unseen, [3])
    assert [cards.bit_count() for cards in found] == sizes
    assert not any(cards & lack for cards, lack in zip(found, lacks, strict=True))


def test_following_suit() -> None:
    hand = 1 << 4 | 1 << 9 | 1 << 8
    assert following(hand, 0) == 1 << 4 | 1 << 8
    assert following(hand, 3) == hand


def test_who_takes_a_trick() -> None:
    """The highest trump, else the highest card of the suit led; against all orders of four cards."""
    choose = random.Random(3)
    for _ in range(500):
        cards, leader = choose.sample(range(52), 4), choose.randrange(4)
        trumps = choose.choice([0, suit_of(choose.randrange(4))])
        wanted = [c for c in cards if trumps >> c & 1] or [c for c in cards if c % 4 == cards[leader] % 4]
        assert taker([c + 1 for c in cards], leader, 4, trumps) == cards.index(max(wanted))
    assert not beats(5, 4, 0)
    assert taker([0, 10, 0, 2], 1, 4, 0) == 1
