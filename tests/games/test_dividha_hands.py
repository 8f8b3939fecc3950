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
from parlour.engine.kernel import I64, I64x2, Kernel
from parlour.games.dividha import hands
from parlour.games.dividha.hands import (
    CARDS,
    CATEGORIES,
    DECK,
    MIXED,
    PURES,
    WILDS,
    cards_named,
    hand_at,
    place_of,
    score,
    weakest_and_strongest,
)
from parlour.games.dividha.showdown import ranking
from tests.games import dividha_by_eye as by_eye

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
    return tuple(CARDS[c] for c in range(DECK) if members >> c & 1)


# ------------------------------------------------------------------------------------------ the deck


@pytest.mark.clause("DV-1", "DV-2", "DV-3", "DV-4", "DV-5")
def test_the_deck() -> None:
    assert len(set(CARDS)) == DECK == 56
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


@pytest.mark.clause("DV-6", "DV-7", "DV-8", "DV-9", "DV-10")
def test_wild_cards_and_named_cards() -> None:
    assert words(WILDS) == (GOD, SATAN)
    assert category("Min Ral San 6U God") == "Four-of-a-Kind"  # God is of Heaven
    assert worth("God 7U 5D") >> 10 & 7 == 1  # and counts as an immortal card
    for other in ("Min Ral", "Min San", "Ral San"):
        assert worth(f"{other} KU 4D 3B") == worth("Min Ral KU 4D 3B")
    assert len({worth(f"{six} KU QD 4D 3B") for six in ("6Va", "6Vb", "6Vc", "Min", "Ral", "San")}) == 1
    assert worth("2L KU QD 4D 3B") == worth("2V KU QD 4D 3B")  # the Devil's Deuce is a deuce


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


# ------------------------------------------------------------------------------------------ examples of the rules

ONE_HAND = [
    ("2U 2D 2B 2V 2L", "Five-of-a-Kind"),
    ("6V 6V 6V 6U 6D", "Five-of-a-Kind"),
    ("Min Ral San 6U Satan", "Five-of-a-Kind"),
    ("Min Ral San 6U God", "Four-of-a-Kind"),
    ("2L 7V JV QV KV", "Straight"),
    ("AV 2L 7U 5D 3B", "Pair"),
    ("2L AU KV 7D 5B", "High Card"),
    ("KV KL 7U 5D 3B", "High Card"),
    ("6V 6V 6V KV 3V", "Pure"),
    ("God JU 7U 4U 2U", "Pure"),
    ("God AU KD 5B 3U", "Pair"),
    ("God KU 4V 7D 2B", "Pair"),
]
TWO_HANDS = [
    ("2V 3U 4V 5D 6B", "6U 7D JL QB KU", 1),
    ("4L 4U 4D 7B JB", "5U 5D 5B QV 3V", 1),
    ("7U JD QB KU AD", "6D 7B JU QD KB", -1),
    ("7U JD QB KU AD", "5U 6B 7D JB QU", 1),
    ("AU AD KB 7V 3D", "2U 2D 3B 4B 5U", -1),
    ("God AU AB JV JU", "4D 4B 4L 7D 2U", 1),
    ("Min Ral San 6U Satan", "7B JB QB KB AB", -1),
    ("KU QD 5B 3U 2D", "KD JB 6U 3B 2U", 0),
    ("KU KV 7D 5B 2U", "KD KL JU 4B 3B", 0),
]


@pytest.mark.clause("DV-110", "DV-160")
@pytest.mark.parametrize(("cards", "name"), ONE_HAND)
def test_examples_of_one_hand(cards: str, name: str) -> None:
    assert category(cards) == name
    assert by_eye.category(words(cards_named(cards))) == name


@pytest.mark.clause("DV-161", "DV-164", "DV-213")
@pytest.mark.parametrize(("first", "second", "better"), TWO_HANDS)
def test_examples_of_two_hands(first: str, second: str, better: int) -> None:
    a, b = worth(first), worth(second)
    assert (a > b) - (a < b) == better


@pytest.mark.clause("DV-145", "DV-146", "DV-147", "DV-148", "DV-149")
def test_the_upper_categories() -> None:
    for mortal in ("6U 6D", "6U 6B", "6D 6B"):
        assert category(f"Min Ral San {mortal}") == "Pure Five-of-a-Kind"
    assert category("7L JL QL KL AL") == category("God JV QV KV AV") == "Pureblood Straight"
    assert category("2U 3U 4U 5U 6U") == category("AD 2D 3D 4D 5D") == "Pure Straight"
    for five in ("6V 6V 6U 6D 6B", "Min San 6U 6D 6B", "AU AD AB AV 2L", "AU AD AB 2V 2L", "God KU KD KB KV"):
        assert category(five) == "Five-of-a-Kind"
    assert category("KU KD KB KV 2L") == category("God 7U 7D 7B 3V") == "Four-of-a-Kind"
    assert category("2U 2D 2B 2V 2L", five_kind_ranks="sixes_and_wilds") == "Four-of-a-Kind"
    assert category("6V 6V 6U 6D 6B", five_kind_ranks="sixes_and_wilds") == "Five-of-a-Kind"
    assert category("God KU KD KB KV", five_kind_ranks="sixes_and_wilds") == "Five-of-a-Kind"
    assert category("6V 6V 6V KU KD", five_kind_ranks="sixes_and_wilds") == "Full House"


@pytest.mark.clause("DV-150", "DV-151", "DV-152", "DV-153", "DV-154")
def test_the_middle_categories() -> None:
    assert category("KU KD KB 3U 3D") == category("God KU KD 3U 3D") == "Full House"
    assert category("KU QU 7U 4U 2U") == "Pure"
    assert category("KU QU 7U 4U 2D") == "High Card"
    assert category("4U 5D 6B 7V JU") == "Straight"
    assert category("4U 4D 4B 7V JU") == "Three-of-a-Kind"
    assert category("4U 4D JB 7V JU") == "Two Pair"


@pytest.mark.clause("DV-155", "DV-156", "DV-125", "DV-126", "DV-109")
def test_the_lower_categories_and_short_hands() -> None:
    assert category("4U 4D JB 7V QU") == "Pair"
    assert worth("4U 4D JB 7V QU") == worth("4U 4D")  # what lies outside the combination does not count
    assert worth("KV KL 7U 5D 3B") == worth("KV 7U 5D 3B")  # a legal hand of four cards, all of it the combination
    assert category("God KL QL 7L 3L") == "High Card"
    assert worth("God KL QL 7L 3L") == max(worth("God"), worth("KL QL 7L 3L"))


@pytest.mark.clause("DV-157", "DV-158")
def test_the_seven_straights() -> None:
    order = "A234567JQKA"
    suits = "UDBUD"
    found = 0
    for start in range(11):
        ranks = [order[(start + i) % 11] for i in range(5)]
        if len({*ranks}) == 5:
            found += category(" ".join(map("".join, zip(ranks, suits, strict=True)))) == "Straight"
    assert found == 7
    sums = {"5": 15, "6": 20, "7": 25, "J": 30, "Q": 35, "K": 40, "A": 35}
    for start in range(7):
        straight = order[start : start + 5]
        assert worth(" ".join(map("".join, zip(straight, suits, strict=True)))) >> 4 & 63 == sums[straight[-1]]
    assert category("QU KD AB 2U 3D") == "High Card"


@pytest.mark.clause("DV-122", "DV-123", "DV-124")
def test_what_may_lie_together() -> None:
    assert category("KV KU KL 5D 3B") == "Pair"  # of Heaven and Hell only one
    assert category("2V 2L 2U 5D 3B") == "Three-of-a-Kind"
    assert category("KL KU 2V 2D 3B") == "Two Pair"
    assert category("Satan 2V 2D 7U 5B") == "Three-of-a-Kind"
    assert worth("AV KV 7L 5L 4L") == worth("7L 5L 4L")  # the suit that is left out is the one that leaves more
    assert worth("AV 2V KL 5U 4U") == max(worth("AV 2V 5U 4U"), worth("2V KL 5U 4U"))
    assert hands.may_lie_together(0, cards_named("2V KL Satan 2L"))
    assert not hands.may_lie_together(0, cards_named("God KL"))


@pytest.mark.clause("DV-127", "DV-128", "DV-129", "DV-130", "DV-131")
def test_deuces_as_aces() -> None:
    assert category("7V JV QV KV 2L") == "Straight"  # never pure
    assert category("3V 4V 5V 6V 2L") == "Straight"
    assert category("AV 2L 7U 5D 3B") == category("Satan 2V 7U 5D 3B") == "Pair"
    assert category("AU 2L 7U 5D 3B") == "High Card"  # no card of Heaven
    assert category("AU 2L KV 5D 3B") == "High Card"  # there is one, outside the combination
    assert category("AU 2L KV 5D 3B", deuce_ace_trigger="hand") == "Pair"
    assert category("AU 2V 2L 5D 3B") == "Three-of-a-Kind"  # each makes the other an Ace
    assert category("2U 2V 2L 5D 3B") == "Three-of-a-Kind"  # or stays a deuce
    assert category("2U 2V 2L 5D 3B", deuce_as_ace="forced") == "Pair"


@pytest.mark.clause("DV-132", "DV-133", "DV-170")
def test_what_such_a_deuce_counts() -> None:
    low = "2L 2D 3V 4U 5D"
    assert category(low) == "Straight"
    assert category(low, deuce_ace_low="off") == "Pair"
    pair = worth("AV 2L 7U 5D 3B")
    assert pair >> 10 & 7 == 2  # it is still immortal
    assert pair >> 4 & 63 == 2
    assert pair & 15 == hands.ACE
    assert worth("AV 2L 7U 5D 3B", deuce_ace_sum="2") >> 4 & 63 == 3


@pytest.mark.clause("DV-134", "DV-135", "DV-136", "DV-137", "DV-138")
def test_wild_cards() -> None:
    for rank in "AKQJ765432":
        assert category(f"God {rank}U") == "Pair"
    assert category("God 6U 6D 6B 6V") == "Five-of-a-Kind"  # stands for a card that is there
    assert category("God KU QU 7U 4U") == category("God KV QV 7V 4V") == "Pure"
    assert category("God KL QL 7L 4L") == "High Card"
    assert category("God KL QL 7L 4L", wild_scope="represented_suit") == "Pure"
    assert category("God Satan KU 7D 4B") == "Pair"  # never both
    assert category("God Satan KU 7D 4B", wild_scope="represented_suit") == "Three-of-a-Kind"
    assert category("God KU QU 7U 4U", wild_scope="own_suit") == "Pair"
    assert category("God KV QV 7V 4V", wild_scope="own_suit") == "Pure"
    assert worth("God KU 7D 4B 3U") >> 10 & 7 == 1


@pytest.mark.clause("DV-127", "DV-128")
@pytest.mark.parametrize("options", [{}, {"deuce_ace_sum": "2"}, {"high_card_depth": "all"}, {"rank_first": "all"}])
def test_pure_hands_with_a_wild_card_of_any_suit(options: dict[str, str]) -> None:
    """God is of Hell in a Pure hand of Hell, and then the deuce is no Ace."""
    options = {"wild_scope": "represented_suit", **options}
    agree_on(
        ("God 2L KL QL 4L", "2L 3L AL God KL", "5L God AL Min KL", "God 2L 3L 4L 5L", "Satan 2V KV QV 4V"), **options
    )
    assert category("God 2L KL QL 4L", **options) == "Pure"
    if options == {"wild_scope": "represented_suit", "deuce_ace_sum": "2"}:
        assert worth("God 2L KL QL 4L", **options) & 15 == hands.ACE - 1  # King high


@pytest.mark.clause("DV-134")
@pytest.mark.parametrize("options", [{}, {"rank_first": "all"}, {"tie_cards": "all_legal"}, {"high_card_depth": "all"}])
def test_short_hands_with_both_wild_cards(options: dict[str, str]) -> None:
    """Such as are laid with ``showdown=free``."""
    options = {"wild_scope": "represented_suit", **options}
    assert category("God Satan", **options) == "Pair"
    agree_on(
        ("God Satan", "God", "Satan 2L", "God AU", "KU KD", "AU AD", "God Satan 2V", "2V 2L", "Satan 2L 2V"), **options
    )


@pytest.mark.clause("DV-139", "DV-140", "DV-141", "DV-142")
def test_wild_cards_in_pure_hands_and_alone() -> None:
    assert category("Satan JL QL KL AL") == "Pureblood Straight"
    assert category("God 2D 3D 4D 5D") == "Pure Straight"
    assert category("God KU QU 7U 4U", wild_scope="no_pure") == "Pair"
    assert category("Min Ral San 6U Satan") == "Five-of-a-Kind"
    assert worth("KL QL 7L 3L") > worth("3L")
    assert category("God AL KL 7L 5L") == "High Card"
    assert worth("God") > worth("KL QL 7L 3L")  # Providence
    assert worth("God KL QL 7L 3L", providence="natural_wins") == worth("KL QL 7L 3L", providence="natural_wins")


@pytest.mark.clause("DV-159")
def test_sixes_of_one_suit() -> None:
    assert category("6V 6V KU QD 3B") == "Pair"
    assert category("6V 6V 6V QD 3B") == category("Min Ral San QD 3B") == "Three-of-a-Kind"
    triple = {"same_suit_sixes": "hell_triple_only"}
    assert category("6V 6V 6V QD 3B", **triple) == "Pair"
    assert category("Min Ral San QD 3B", **triple) == "Three-of-a-Kind"
    none = {"same_suit_sixes": "no_pairs"}
    assert category("6V 6V KU QD 3B", **none) == "High Card"
    assert category("6V 6V KU KD 3B", **none) == "Pair"
    assert category("6V 6V KU KD KB", **none) == "Three-of-a-Kind"
    assert category("6V 6U KU KD KB", **none) == "Full House"


@pytest.mark.clause("DV-163", "DV-166", "DV-169", "DV-172", "DV-174")
def test_the_steps() -> None:
    assert worth("God 3U 7D 5B KU") > worth("KV KD 7D 5B 3U")  # Providence comes before the rest
    assert worth("God KU 7V 5V 4V") == worth("Satan KD 7L 5L 4L")  # where all use a wild card it decides nothing
    assert worth("AU 2D 7B JU KD") >> 4 & 63 == 1 + 2 + 7 + 8 + 10
    assert worth("AU 2D 7B JU KD", ace_sum="11") >> 4 & 63 == 38
    tied = ("KU QD 5B 3U 2D", "KD JB 6U 3B 2U")
    assert worth(tied[0]) == worth(tied[1])
    deep = {"high_card_depth": "all"}
    assert worth(tied[0], **deep) > worth(tied[1], **deep)
    kickers = ("KU KV 7D 5B 2U", "KD KL JU 4B 3B")
    assert worth(kickers[0], **deep) == worth(kickers[1], **deep)
    assert worth(kickers[0], **deep, tie_cards="high_card_kickers") < worth(
        kickers[1], **deep, tie_cards="high_card_kickers"
    )
    assert worth(kickers[0], tie_cards="all_legal") < worth(kickers[1], tie_cards="all_legal")
    weakest = min(("2U 3D 4B 5U 7D", "2U 3D 4B 5U 7V", "2U 2D 4B 5U 7D"), key=worth)
    assert weakest == "2U 3D 4B 5U 7D"


def test_ranks_before_the_steps() -> None:
    low, high = "3V 3U 7U 5D 2B", "KU KD 7D 5B 2U"
    assert worth(low) > worth(high)  # an immortal card
    assert worth(low, rank_first="of_a_kind") < worth(high, rank_first="of_a_kind")
    straight = ("2V 3V 4U 5D 6B", "7U JD QB KU AD")
    assert worth(straight[0], rank_first="of_a_kind") > worth(straight[1], rank_first="of_a_kind")
    assert worth(straight[0], rank_first="all") < worth(straight[1], rank_first="all")
    kings = ("KU KD KB AU AD", "KU KD KB QU QD", "QU QD QB KU KD")  # three Kings and Aces; and Queens; three Queens
    assert worth(kings[0]) < worth(kings[1])  # by the sum
    for value in ("of_a_kind", "all"):
        assert worth(kings[0], rank_first=value) > worth(kings[1], rank_first=value) > worth(kings[2], rank_first=value)
    held = hands.HELD
    assert hands.score(held | hands.WILD_HELD, cards_named(high)) > hands.score(held, cards_named("KV KD 7D 5B 2U"))


# ------------------------------------------------------------------------------------------ the second evaluator

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


def agree_on(held: tuple[str, ...], **options: str) -> None:
    """The same of these hands."""
    rated = [(by_eye.worth(words(cards_named(one)), (), **options), worth(one, **options)) for one in held]
    for slow, fast in rated:
        assert slow[0] == hands.category(how(**options), fast) - 1
        for other_slow, other_fast in rated:
            assert (slow < other_slow, slow == other_slow) == (fast < other_fast, fast == other_fast)


def test_a_second_evaluator_agrees_on_low_straights_with_a_wild_deuce() -> None:
    """A wild card that makes a deuce an Ace, of whose suit there is another card, is the other deuce of the Straight:
    its highest card is the Ace."""
    options = {"wild_scope": "represented_suit", "deuce_ace_sum": "2"}
    assert worth("Satan 2V 3V 4U 5D", **options) & 15 == hands.ACE
    agree_on(("Satan 2V 3V 4U 5D", "Satan 2U 3V 4V 5D", "God 2L 3L 4U 5D", "2U 3V 4V 5D AU"), **options)


def test_a_second_evaluator_agrees_on_deuces_that_any_card_of_the_hand_makes_aces() -> None:
    """The wild card in a Straight is then the other deuce, whatever the rank that is missing."""
    options = {"wild_scope": "represented_suit", "deuce_ace_trigger": "hand"}
    assert category("Satan 4V 3V 2V 2U", **options) == "Three-of-a-Kind"
    agree_on(("Satan 4V 3V 2V 2U", "God 5D 3V 2V 2D", "4V 3V 2V 2U 5D"), **options)


@pytest.mark.parametrize("first", ["none", "of_a_kind"])
def test_a_second_evaluator_agrees_on_groups_with_a_wild_deuce(first: str) -> None:
    """A wild card of any suit that makes a deuce an Ace may have to be the other deuce itself."""
    few = words(cards_named("God 2V 2L AL AV AU KL KV KU"))
    three_aces = words(cards_named("God AV KV KU 2V"))  # God is the deuce of Hell; both deuces are Aces
    options = {"wild_scope": "represented_suit", "rank_first": first}
    assert category(" ".join(three_aces), **options) == by_eye.category(three_aces, **options) == "Full House"
    agree(60, 9, few, **options)


def alike(cards: tuple[str, ...]) -> tuple[str, ...]:
    """A hand that must be worth the same: mortal suits matter only where all cards are of one."""
    mortal = [c for c in cards if c[-1] in "UDB"]
    if len({c[-1] for c in mortal}) == 1 and len(mortal) + len({GOD, SATAN} & {*cards}) == len(cards):
        return tuple(sorted(c.replace(c[-1], "U") if c in mortal else c for c in cards))
    by_rank: dict[str, list[str]] = {}
    for c in sorted(mortal, key=lambda c: c[0]):
        by_rank.setdefault(c[0], []).append(c)
    suits = {c: suit for n, same in enumerate(by_rank.values()) for c, suit in zip(same, "UDB" if n % 2 else "DBU")}  # noqa: B905
    same = {"6Va": "6V", "6Vb": "6V", "6Vc": "6V"}
    return tuple(sorted(c[0] + suits[c] if c in suits else same.get(c, c) for c in cards))


@pytest.mark.long
def test_a_second_evaluator_agrees_on_a_million_hands_of_six() -> None:
    """The strongest and the weakest five of each."""
    deal, deck = random.Random(4), range(DECK)
    seen: dict[tuple[str, ...], tuple[Any, ...]] = {}
    order: dict[tuple[Any, ...], int] = {}
    for _ in range(1_000_000):
        six = sum(1 << c for c in deal.sample(deck, 6))
        weakest, strongest = hands.weakest_and_strongest(0, six)
        rated = []
        for five in (six & ~(1 << c) for c in deck if six >> c & 1):
            cards = words(five)
            known = alike(cards)
            if known not in seen:
                seen[known] = by_eye.worth(cards)
            rated.append(seen[known])
        for slow, fast in ((min(rated), weakest), (max(rated), strongest)):
            assert order.setdefault(slow, fast) == fast, words(six)
    assert sorted(order.values()) == [fast for _, fast in sorted(order.items(), key=lambda one: one[0])]


# ------------------------------------------------------------------------------------------ compiled

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


def look_up(six: I64, scores: I64x2) -> None:
    for i in range(len(six)):
        worst, best = weakest_and_strongest(0, six[i])
        scores[i, 0] = worst
        scores[i, 1] = best


LOOPS = Kernel(__name__, entries=(enumerate_hands, score_all, look_up))


def loops() -> Any:
    """The loops above, compiled."""
    return LOOPS.compiled(definition("dividha"))


@pytest.mark.clause("DV-214")
def test_all_hands() -> None:
    """Every one of the 3,819,816 hands, by category."""
    found, scores = np.zeros(MIXED + 2 * PURES, np.int64), np.zeros(MIXED + 2 * PURES, np.int64)
    loops().enumerate_hands(found)
    assert found.sum() == 3_819_816
    scoring = loops().score_all
    there = np.flatnonzero(found)
    wild = np.array([bool(hands.hand_at(int(place)) & WILDS) for place in there])
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
    """The table says of random hands what the rule says of them, interpreted."""
    deal = random.Random(7)
    six = np.array([sum(1 << c for c in deal.sample(range(DECK), 6)) for _ in range(80)], np.int64)
    looked_up = np.zeros((len(six), 2), np.int64)
    loops().look_up(six, looked_up)
    for cards, (worst, best) in zip(six.tolist(), looked_up.tolist(), strict=True):
        fives = [hands.score(0, cards & ~(1 << c)) for c in range(DECK) if cards >> c & 1]
        assert (worst, best) == (min(fives), max(fives))
        assert hands.weakest_and_strongest(0, cards) == (worst, best)


def test_places_of_the_table() -> None:
    """A place leads back to a hand that is worth the same, and no two hands of different worth share one."""
    for cards in some_hands(400, 8):
        kept = cards_named(" ".join(cards))
        place = hands.place_of(kept)
        assert 0 <= place < MIXED + 2 * PURES
        assert hands.place_of(hands.hand_at(place)) == place
        assert hands.strength(0, kept) == hands.score(0, kept)


@pytest.mark.parametrize("suit", "UDB")
def test_places_of_hands_of_one_mortal_suit(suit: str) -> None:
    for ranks in ("KQ742", "65432", "AKQJ7", "A5432"):
        pure = cards_named(" ".join(rank + suit for rank in ranks))
        for wild in (0, *(1 << CARDS.index(name) for name in (GOD, SATAN))):
            kept = pure & (pure - 1) | wild if wild else pure  # the wild card in place of the highest
            assert hands.strength(0, kept) == hands.score(0, kept)
            assert hands.place_of(kept) < hands.score_at.size
            assert hands.category(0, hands.strength(0, kept)) in (hands.PURE, hands.PURE_STRAIGHT, hands.PUREBLOOD)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_the_table_is_for_the_ordinary_rules_only(name: str, value: str) -> None:
    bits = how(**{**({"high_card_depth": "all"} if value == "high_card_kickers" else {}), name: value})
    for cards in ("2L AU KV 7D 5B", "6Va 6Vb 6Vc 6U 6D", "God KU QU 7U 4U", "2L 2D 3V 4U 5D", "AU AD KU KD 3B"):
        assert hands.strength(bits, cards_named(cards)) == hands.score(bits, cards_named(cards))
