"""What hands of Dividha are worth: the examples of the rules, a second evaluator, and all 3,819,816 hands."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import parlour
from parlour.engine.definition import definition
from parlour.engine.kernel import I64, Kernel
from parlour.games.dividha import hands
from parlour.games.dividha.hands import CARDS, CATEGORIES, cards_named, hand_at, place_of, score, weakest_and_strongest
from parlour.games.dividha.showdown import ranking
from tests.games import dividha_by_eye as by_eye
from tests.games.stops import by_clause

GOD, SATAN = "God", "Satan"


@cache
def how(**options: str) -> int:
    """The ranking under these options."""
    return int(ranking(parlour.load("dividha", None, **options).start()))


def worth(cards: str, **options: str) -> int:
    return hands.score(how(**options), cards_named(cards))


def category(cards: str, **options: str) -> str:
    return CATEGORIES[hands.category(how(**options), worth(cards, **options))]


def words(members: int) -> tuple[str, ...]:
    return tuple(CARDS[c] for c in range(hands.DECK) if members >> c & 1)


@pytest.mark.clause("DV-1", "DV-2", "DV-3", "DV-4", "DV-5")
def test_the_deck() -> None:
    assert len(set(CARDS)) == hands.DECK == 56
    ranks = "AKQJ765432"
    for letter in "UDB":
        assert [c for c in CARDS if c.endswith(letter)] == [rank + letter for rank in ranks]
    heaven = {*(rank + "V" for rank in ranks if rank != "6"), "6Va", "6Vb", "6Vc"}
    hell = {*(rank + "L" for rank in ranks if rank != "6"), "Min", "Ral", "San"}
    assert {*words(hands.HEAVEN)} == heaven | {GOD}
    assert {*words(hands.HELL)} == hell | {SATAN}
    assert len(heaven) == len(hell) == 12
    suits = (hands.HEAVEN, hands.HELL, hands.HUMANS, hands.DEMI_HUMANS, hands.BEASTS)
    assert sum(suit.bit_count() for suit in suits) == 56
    assert sum(suits) == hands.ALL


@pytest.mark.clause("DV-11", "DV-13")
def test_labels() -> None:
    plain = [c for c in CARDS if c not in {GOD, SATAN, "Min", "Ral", "San"}]
    assert all(c[0] in "AKQJ765432" and c[1] in "VLUDB" and (len(c) == 2 or c[:2] == "6V") for c in plain)
    state = parlour.load("dividha", 2).new(seed=3)
    seen = 0
    while state.position.deal == 0 and not state.is_terminal:
        assert state.position.left & seen == 0  # what has left the deck does not come back
        seen = hands.ALL & ~state.position.left
        state.apply(state.legal_actions(state.acting[0])[0], state.acting[0])


ANY, OWN, NO_PURE = ({"wild_scope": scope} for scope in ("represented_suit", "own_suit", "no_pure"))
SIXES_ONLY = {"five_kind_ranks": "sixes_and_wilds"}
TRIPLE, NO_PAIRS = {"same_suit_sixes": "hell_triple_only"}, {"same_suit_sixes": "no_pairs"}
FORCED, LOW_OFF = {"deuce_as_ace": "forced"}, {"deuce_ace_low": "off"}
TRIGGER_IN_HAND = {"deuce_ace_trigger": "hand"}

MADE: list[tuple[str, str, str, dict[str, str]]] = [  # clauses, kept cards, category, house rules
    ("DV-147", "2U 2D 2B 2V 2L", "Five-of-a-Kind", {}),
    ("DV-110 DV-160", "6V 6V 6V 6U 6D", "Five-of-a-Kind", {}),
    ("DV-140", "Min Ral San 6U Satan", "Five-of-a-Kind", {}),
    ("DV-6 DV-7", "Min Ral San 6U God", "Four-of-a-Kind", {}),  # God is of Heaven
    ("DV-122 DV-128", "2L 7V JV QV KV", "Straight", {}),
    ("DV-128", "AV 2L 7U 5D 3B", "Pair", {}),
    ("DV-129", "2L AU KV 7D 5B", "High Card", {}),
    ("DV-124", "KV KL 7U 5D 3B", "High Card", {}),
    ("DV-151", "6V 6V 6V KV 3V", "Pure", {}),
    ("DV-136", "God JU 7U 4U 2U", "Pure", {}),
    ("DV-134", "God AU KD 5B 3U", "Pair", {}),
    *(("DV-145", f"Min Ral San {mortal}", "Pure Five-of-a-Kind", {}) for mortal in ("6U 6D", "6U 6B", "6D 6B")),
    ("DV-146", "7L JL QL KL AL", "Pureblood Straight", {}),
    ("DV-139", "God JV QV KV AV", "Pureblood Straight", {}),
    ("DV-148", "2U 3U 4U 5U 6U", "Pure Straight", {}),
    ("DV-135", "God KU KD KB KV", "Five-of-a-Kind", {}),
    ("DV-149", "KU KD KB KV 2L", "Four-of-a-Kind", {}),
    ("DV-147", "2U 2D 2B 2V 2L", "Four-of-a-Kind", SIXES_ONLY),
    ("DV-147", "6V 6V 6U 6D 6B", "Five-of-a-Kind", SIXES_ONLY),
    ("DV-150", "6V 6V 6V KU KD", "Full House", SIXES_ONLY),
    ("DV-156", "KU QU 7U 4U 2D", "High Card", {}),
    ("DV-152", "4U 5D 6B 7V JU", "Straight", {}),
    ("DV-153", "4U 4D 4B 7V JU", "Three-of-a-Kind", {}),
    ("DV-154", "4U 4D JB 7V JU", "Two Pair", {}),
    ("DV-155", "4U 4D JB 7V QU", "Pair", {}),
    ("DV-123 DV-126", "God KL QL 7L 3L", "High Card", {}),
    ("DV-157", "7U JD QB KU AD", "Straight", {}),
    ("DV-158", "QU KD AB 2U 3D", "High Card", {}),
    ("DV-125", "KV KU KL 5D 3B", "Pair", {}),  # of Heaven and Hell only one
    ("DV-127", "7V JV QV KV 2L", "Straight", {}),  # never pure
    ("DV-129", "AU 2L KV 5D 3B", "Pair", TRIGGER_IN_HAND),
    ("DV-131", "AU 2V 2L 5D 3B", "Three-of-a-Kind", {}),  # each makes the other an ace
    ("DV-130", "2U 2V 2L 5D 3B", "Three-of-a-Kind", {}),  # or stays a deuce
    ("DV-130", "2U 2V 2L 5D 3B", "Pair", FORCED),
    ("DV-132", "2L 2D 3V 4U 5D", "Straight", {}),
    ("DV-132", "2L 2D 3V 4U 5D", "Pair", LOW_OFF),
    *(("DV-134", f"God {rank}U", "Pair", {}) for rank in "AKQJ765432"),
    ("DV-136", "God KL QL 7L 4L", "Pure", ANY),
    ("DV-137", "God Satan KU 7D 4B", "Pair", {}),  # never both
    ("DV-137", "God Satan KU 7D 4B", "Three-of-a-Kind", ANY),
    ("DV-136", "God KU QU 7U 4U", "Pair", OWN),
    ("DV-136", "God KV QV 7V 4V", "Pure", OWN),
    ("DV-139", "God KU QU 7U 4U", "Pair", NO_PURE),
    ("DV-142", "God AL KL 7L 5L", "High Card", {}),
    ("DV-159", "6V 6V KU QD 3B", "Pair", {}),
    ("DV-159", "6V 6V 6V QD 3B", "Pair", TRIPLE),
    ("DV-159", "Min Ral San QD 3B", "Three-of-a-Kind", TRIPLE),
    ("DV-159", "6V 6V KU QD 3B", "High Card", NO_PAIRS),
    ("DV-159", "6V 6V KU KD KB", "Three-of-a-Kind", NO_PAIRS),
]


@pytest.mark.parametrize(("cards", "name", "options"), by_clause(MADE))
def test_what_a_hand_is(cards: str, name: str, options: dict[str, str]) -> None:
    assert category(cards, **options) == name
    assert by_eye.category(words(cards_named(cards)), **options) == name


DEEP, OF_A_KIND, ALL_RANKS = {"high_card_depth": "all"}, {"rank_first": "of_a_kind"}, {"rank_first": "all"}
KICKERS, ALL_LEGAL = {**DEEP, "tie_cards": "high_card_kickers"}, {"tie_cards": "all_legal"}
NATURAL, DEUCE_2, ACE_11 = {"providence": "natural_wins"}, {"deuce_ace_sum": "2"}, {"ace_sum": "11"}
THREE_KINGS = "KU KD KB AU AD"

ORDER: list[tuple[str, str, str, str, dict[str, str]]] = [  # clauses, one hand, stronger or weaker than, another
    ("DV-161", "2V 3U 4V 5D 6B", ">", "6U 7D JL QB KU", {}),
    ("DV-157", "7U JD QB KU AD", "<", "6D 7B JU QD KB", {}),
    ("DV-164", "AU AD KB 7V 3D", "<", "2U 2D 3B 4B 5U", {}),
    ("DV-213", "Min Ral San 6U Satan", "<", "7B JB QB KB AB", {}),
    ("DV-172", "KU QD 5B 3U 2D", "=", "KD JB 6U 3B 2U", {}),
    ("DV-172", "KU QD 5B 3U 2D", ">", "KD JB 6U 3B 2U", DEEP),
    ("DV-163", "KU KV 7D 5B 2U", "=", "KD KL JU 4B 3B", {}),
    ("DV-163", "KU KV 7D 5B 2U", "=", "KD KL JU 4B 3B", DEEP),
    ("DV-163", "KU KV 7D 5B 2U", "<", "KD KL JU 4B 3B", KICKERS),
    ("DV-163", "KU KV 7D 5B 2U", "<", "KD KL JU 4B 3B", ALL_LEGAL),
    *(("DV-9", f"{two} KU 4D 3B", "=", "Min Ral KU 4D 3B", {}) for two in ("Min San", "Ral San")),
    *(("DV-8 DV-9", f"{six} KU QD 4D 3B", "=", "6Va KU QD 4D 3B", {}) for six in ("6Vb", "6Vc", "Min", "Ral", "San")),
    ("DV-10", "2L KU QD 4D 3B", "=", "2V KU QD 4D 3B", {}),  # the Devil's Deuce is a deuce
    ("DV-109", "4U 4D JB 7V QU", "=", "4U 4D", {}),  # what lies outside the combination does not count
    ("DV-126", "KV KL 7U 5D 3B", "=", "KV 7U 5D 3B", {}),  # a legal hand of four cards, all of it the combination
    ("DV-142", "God KL QL 7L 3L", "=", "God", {}),
    ("DV-141", "God KL QL 7L 3L", "=", "KL QL 7L 3L", NATURAL),
    ("DV-124", "AV KV 7L 5L 4L", "=", "7L 5L 4L", {}),  # the suit that is left out is the one that leaves more
    ("DV-166", "God KU 7V 5V 4V", "=", "Satan KD 7L 5L 4L", {}),  # where all use a wild card it decides nothing
    ("DV-174", "2U 3D 4B 5U 7D", "<", "2U 3D 4B 5U 7V", {}),
    ("DV-163", "3V 3U 7U 5D 2B", "<", "KU KD 7D 5B 2U", OF_A_KIND),
    ("DV-163", "2V 3V 4U 5D 6B", ">", "7U JD QB KU AD", OF_A_KIND),
    ("DV-163", "2V 3V 4U 5D 6B", "<", "7U JD QB KU AD", ALL_RANKS),
    *(("DV-163", THREE_KINGS, ">", "KU KD KB QU QD", first) for first in (OF_A_KIND, ALL_RANKS)),
    *(("DV-163", "KU KD KB QU QD", ">", "QU QD QB KU KD", first) for first in (OF_A_KIND, ALL_RANKS)),
]


@pytest.mark.parametrize(("one", "than", "other", "options"), by_clause(ORDER))
def test_which_hand_is_stronger(one: str, than: str, other: str, options: dict[str, str]) -> None:
    fast, slow = worth(one, **options) - worth(other, **options), agree_on((one, other), **options)
    assert slow == "<=>"[(fast > 0) - (fast < 0) + 1] == than


STRAIGHTS = ("AU 2D 3B 4U 5D", "2U 3D 4B 5U 6D", "3U 4D 5B 6U 7D", "4U 5D 6B 7U JD", "5U 6D 7B JU QD",
             "6U 7D JB QU KD", "7U JD QB KU AD")  # fmt: skip

COUNTS_AS: list[tuple[str, str, int, int, dict[str, str]]] = [  # clauses, cards: so many immortal ones, and their sum
    ("DV-6 DV-7", "God 7U 5D", 1, 7, {}),
    ("DV-138", "God KU 7D 4B 3U", 1, 10, {}),  # a pair of kings
    ("DV-133 DV-170", "AV 2L 7U 5D 3B", 2, 2, {}),
    ("DV-170", "AV 2L 7U 5D 3B", 2, 3, DEUCE_2),
    ("DV-169", "AU 2D 7B JU KD", 0, 28, {}),
    ("DV-169", "AU 2D 7B JU KD", 0, 38, ACE_11),
    *(("DV-158 DV-169", cards, 0, n, {}) for cards, n in zip(STRAIGHTS, (15, 20, 25, 30, 35, 40, 35), strict=True)),
]


@pytest.mark.parametrize(("cards", "immortals", "total", "options"), by_clause(COUNTS_AS))
def test_what_the_cards_of_a_combination_count(cards: str, immortals: int, total: int, options: dict[str, str]) -> None:
    found = worth(cards, **options)
    assert (found >> 10 & 7, found >> 4 & 63) == (immortals, total)


VALUES = {
    name: [value for value in option.words if value != option.default]
    for name, option in definition("dividha").options.items()
    if name in by_eye.ORDINARY
}
DENSE = words(cards_named("God Satan AV AL AU AD AB KV KL KU KD QV JV 7V 6V 6V 6V Min Ral San 6U 5L 4U 3V 2V 2L 2U 2D"))


def some_hands(n: int, seed: int, size: int = 5, few: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Random hands: one in four from the whole deck, the others rich in what makes readings; or of ``few`` cards."""
    deal = random.Random(seed)
    for _ in range(n):
        yield tuple(deal.sample(few or (CARDS if deal.random() < 0.25 else DENSE), size))


def agree(n: int, seed: int, few: tuple[str, ...] = (), **options: str) -> None:
    """Both evaluators put the same hands in the same order and the same categories."""
    bits, rated = how(**options), []
    for six in some_hands(n, seed, 6, few):
        own = bits | (hands.WILD_HELD if bits & hands.HELD and {GOD, SATAN} & {*six} else 0)
        score = hands.score(own, cards_named(" ".join(six[:5])))
        rated.append((by_eye.worth(six[:5], six, **options), score, six))
    rated.sort(key=lambda one: one[0])
    for (slow, fast, cards), (next_slow, next_fast, next_cards) in pairwise(rated):
        assert (slow == next_slow) == (fast == next_fast), (cards, next_cards)
        assert fast <= next_fast, (cards, next_cards)
        assert slow[0] == hands.category(bits, fast) - 1, cards


def test_a_second_evaluator_agrees() -> None:
    agree(300, 1)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_a_second_evaluator_agrees_under_every_option(name: str, value: str) -> None:
    needed = {"high_card_depth": "all"} if value == "high_card_kickers" else {}
    agree(30, 2, (), **{**needed, name: value})


def test_a_second_evaluator_agrees_under_options_together() -> None:
    choose = random.Random(3)
    for seed in range(12):
        options = {name: choose.choice(values) for name, values in VALUES.items() if choose.random() < 0.5}
        if options.get("tie_cards") == "high_card_kickers":
            options["high_card_depth"] = "all"
        agree(12, seed, (), **options)


def agree_on(held: tuple[str, ...], **options: str) -> str:
    """The same of these hands; and how the first compares with the last."""
    rated = [(by_eye.worth(words(cards_named(one)), (), **options), worth(one, **options)) for one in held]
    for slow, fast in rated:
        assert slow[0] == hands.category(how(**options), fast) - 1
        for other_slow, other_fast in rated:
            assert (slow < other_slow, slow == other_slow) == (fast < other_fast, fast == other_fast)
    first, last = rated[0][0], rated[-1][0]
    return "<" if first < last else ">" if first > last else "="


WITH_ANY = [  # hands that are hard to read where a wild card may be of any suit, and the house rules beside that
    # God is of Hell in a Pure hand of Hell, and then the deuce is no ace
    *(
        (("God 2L KL QL 4L", "2L 3L AL God KL", "5L God AL Min KL", "God 2L 3L 4L 5L", "Satan 2V KV QV 4V"), rules)
        for rules in ({}, DEUCE_2, DEEP, ALL_RANKS)
    ),
    # short hands with both wild cards, such as are laid with showdown=free
    *(
        (("God Satan", "God", "Satan 2L", "God AU", "KU KD", "AU AD", "God Satan 2V", "2V 2L", "Satan 2L 2V"), rules)
        for rules in ({}, ALL_RANKS, ALL_LEGAL, DEEP)
    ),
    # a wild card that makes a deuce an ace, of whose suit there is another card, is the other deuce of the Straight
    (("Satan 2V 3V 4U 5D", "Satan 2U 3V 4V 5D", "God 2L 3L 4U 5D", "2U 3V 4V 5D AU"), DEUCE_2),
    # deuces that any card of the hand makes aces
    (("Satan 4V 3V 2V 2U", "God 5D 3V 2V 2D", "4V 3V 2V 2U 5D"), TRIGGER_IN_HAND),
    # God is the deuce of Hell; both deuces are aces
    *((("God AV KV KU 2V", "KU KD KB AU AD", "AV AU KV KU 2V"), rules) for rules in ({}, OF_A_KIND)),
]


@pytest.mark.clause("DV-127", "DV-128", "DV-134")
@pytest.mark.parametrize(("held", "options"), WITH_ANY)
def test_a_second_evaluator_agrees_on_wild_cards_of_any_suit(held: tuple[str, ...], options: dict[str, str]) -> None:
    agree_on(held, **ANY, **options)


@pytest.mark.parametrize("first", ["none", "of_a_kind"])
def test_a_second_evaluator_agrees_on_groups_with_a_wild_deuce(first: str) -> None:
    """A wild card of any suit that makes a deuce an ace may have to be the other deuce itself."""
    agree(60, 9, words(cards_named("God 2V 2L AL AV AU KL KV KU")), **ANY, rank_first=first)


COUNTS = {  # without a wild card, with one, different strengths, all of them with deuce_ace_trigger=hand
    "Pure Five-of-a-Kind": (3, 0, 1, 3), "Pureblood Straight": (5, 40, 12, 45), "Five-of-a-Kind": (19, 76, 20, 95),
    "Pure Straight": (50, 256, 60, 306), "Four-of-a-Kind": (3180, 7180, 40, 10380),
    "Full House": (8500, 5124, 457, 13624), "Pure": (2285, 1936, 255, 4221), "Straight": (19329, 20632, 165, 39961),
    "Three-of-a-Kind": (124178, 177437, 48, 303887), "Two Pair": (190803, 1344, 160, 193227),
    "Pair": (1548376, 442805, 43, 2020179), "High Card": (1265782, 476, 507, 1233888),
}  # fmt: skip


def enumerate_hands(found: I64) -> None:
    """How many hands stand at each place of the table."""
    for a in range(56):
        for b in range(a + 1, 56):
            for c in range(b + 1, 56):
                for d in range(c + 1, 56):
                    for e in range(d + 1, 56):
                        found[place_of(1 << a | 1 << b | 1 << c | 1 << d | 1 << e)] += 1


def score_all(bits: int, scores: I64) -> None:
    """What the hands at each place are worth by the rule itself."""
    for place in range(len(scores)):
        scores[place] = score(bits, hand_at(place))


LOOPS = Kernel(__name__, entries=(enumerate_hands, score_all))


def loops() -> Any:
    """The loops above, compiled."""
    return LOOPS.compiled(definition("dividha"))


@pytest.mark.clause("DV-214")
def test_all_hands() -> None:
    """Every one of the 3,819,816 hands, by category."""
    found, scores = np.zeros(hands.MIXED + 2 * hands.PURES, np.int64), np.zeros(hands.MIXED + 2 * hands.PURES, np.int64)
    loops().enumerate_hands(found)
    assert found.sum() == 3_819_816
    scoring = loops().score_all
    there = np.flatnonzero(found)
    wild = np.array([bool(hands.hand_at(int(place)) & hands.WILDS) for place in there])
    scoring(0, scores)
    sort = np.array([hands.category(0, int(worth)) for worth in scores[there]])
    for number, name in enumerate(CATEGORIES[1:], 1):
        plain, with_wild, strengths, _ = COUNTS[name]
        mine = sort == number
        assert found[there][mine & ~wild].sum() == plain
        assert found[there][mine & wild].sum() == with_wild
        assert len(np.unique(scores[there][mine])) == strengths
    assert len(np.unique(scores[there])) == 1768
    scoring(hands.ALL_DEEP, scores)
    assert len(np.unique(scores[there])) == 4425
    deep = {name: counts[2] for name, counts in COUNTS.items()} | {"Full House": 497, "Pure": 1008, "High Card": 2371}
    sort = np.array([hands.category(hands.ALL_DEEP, int(worth)) for worth in scores[there]])
    for number, name in enumerate(CATEGORIES[1:], 1):
        assert len(np.unique(scores[there][sort == number])) == deep[name]
    scoring(hands.TRIGGER_IN_HAND, scores)
    sort = np.array([hands.category(hands.TRIGGER_IN_HAND, int(worth)) for worth in scores[there]])
    assert {name: found[there][sort == n].sum() for n, name in enumerate(CATEGORIES[1:], 1)} == {
        name: counts[3] for name, counts in COUNTS.items()
    }


def test_looking_up_is_scoring() -> None:
    """The table says of random hands what the rule says of them."""
    for held in some_hands(80, 7, 6):
        cards = cards_named(" ".join(held))
        fives = [hands.score(0, cards & ~(1 << c)) for c in range(hands.DECK) if cards >> c & 1]
        assert weakest_and_strongest(0, cards) == (min(fives), max(fives))


def test_places_of_the_table() -> None:
    """A place leads back to a hand that is worth the same, and no two hands of different worth share one."""
    pure = [tuple(rank + suit for rank in ranks) for ranks in ("KQ742", "65432", "AKQJ7", "A5432") for suit in "UDB"]
    wild = [(lead, *rest[1:]) for rest in pure for lead in (GOD, SATAN)]  # in place of the first
    for cards in (*some_hands(400, 8), *pure, *wild):
        kept = cards_named(" ".join(cards))
        place = hands.place_of(kept)
        assert 0 <= place < hands.MIXED + 2 * hands.PURES == hands.score_at.size
        assert hands.place_of(hands.hand_at(place)) == place
        assert hands.strength(0, kept) == hands.score(0, kept)
        assert cards not in pure or category(" ".join(cards)).startswith("Pure")
