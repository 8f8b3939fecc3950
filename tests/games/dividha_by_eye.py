"""Hands of Dividha ranked the slow way: a second evaluator, written from the text of the rules.

It shares nothing with the game's own: cards are words, a wild card is tried as every card it may stand for, every
part of a hand is looked at, and hands are compared as tuples, step by step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import NamedTuple

MORTAL = "UDB"
RANKS = "23456 7JQKA".replace(" ", "")
NAMED = {"Min": ("6", "L"), "Ral": ("6", "L"), "San": ("6", "L"), "God": ("*", "V"), "Satan": ("*", "L")}
RUN = "A" + RANKS  # A-2-3-4-5-6-7-J-Q-K-A
ORDER = (
    *("High Card", "Pair", "Two Pair", "Three-of-a-Kind", "Straight", "Pure", "Full House", "Four-of-a-Kind"),
    *("Pure Straight", "Five-of-a-Kind", "Pureblood Straight", "Pure Five-of-a-Kind"),
)
ORDINARY = {
    "deuce_ace_trigger": "combination", "deuce_as_ace": "choice", "deuce_ace_low": "on", "deuce_ace_sum": "1",
    "five_kind_ranks": "any", "same_suit_sixes": "all", "wild_scope": "own_suit_and_mortals", "rank_first": "none",
    "providence": "wild_wins", "providence_scope": "used", "tie_cards": "combination", "high_card_depth": "top_only",
    "ace_sum": "1",
}  # fmt: skip


class Read(NamedTuple):
    """A card as it is read in a combination: what it counts as, whose suit it is, which card it really is."""

    rank: str
    suit: str
    card: str

    @property
    def wild(self) -> bool:
        return self.card in ("God", "Satan")

    @property
    def deuce_as_ace(self) -> bool:
        return self.rank == "A" and self.card.startswith("2")


def printed(card: str) -> tuple[str, str]:
    return NAMED[card] if card in NAMED else (card[0], card[1])


def immortal(card: str) -> bool:
    return printed(card)[1] in "VL"


def binding_suit(card: str, options: Mapping[str, str]) -> str:
    """The immortal suit that a card may not leave: none for mortal cards and deuces."""
    rank, suit = printed(card)
    free = rank == "2" or suit in MORTAL or (rank == "*" and options["wild_scope"] == "represented_suit")
    return "" if free else suit


def legal_hands(cards: tuple[str, ...], options: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The cards that may lie together."""
    if {binding_suit(c, options) for c in cards} >= {"V", "L"}:
        return [tuple(c for c in cards if binding_suit(c, options) != left_out) for left_out in "VL"]
    return [cards]


def stand_ins(card: str, options: Mapping[str, str]) -> list[Read]:
    """All that a wild card may stand for."""
    own = printed(card)[1]
    suits = {"represented_suit": MORTAL + "VL", "own_suit": own}.get(options["wild_scope"], MORTAL + own)
    found = [Read(rank, suit, card) for rank in RANKS for suit in suits]
    if options["wild_scope"] == "represented_suit":
        found += [Read("A", suit, card) for suit in ("V2", "L2")]  # a deuce that counts as an Ace
    return found


def belongs(read: Read, options: Mapping[str, str]) -> str:
    """The suit that counts for what may lie together and for deuces as Aces."""
    if read.wild and options["wild_scope"] != "represented_suit":
        return printed(read.card)[1]
    return read.suit[0]


def may_be_used_together(part: tuple[Read, ...], options: Mapping[str, str]) -> bool:
    if options["wild_scope"] != "represented_suit":
        return True  # the legal hand saw to it
    bound = {
        r.suit for r in part if r.suit in ("V", "L") and not (printed(r.card)[0] == "2" or (r.wild and r.rank == "2"))
    }
    return bound != {"V", "L"}


def ways_to_read(
    part: tuple[str, ...], legal: tuple[str, ...], options: Mapping[str, str]
) -> Iterator[tuple[Read, ...]]:
    """Every way to read a combination: wild cards as every card, deuces as deuces or as Aces."""
    each: list[list[Read]] = []
    for card in part:
        rank, suit = printed(card)
        if rank == "*":
            each.append(stand_ins(card, options))
        elif rank == "2" and suit in "VL":
            each.append([Read("2", suit, card), Read("A", suit, card)])
        else:
            each.append([Read(rank, suit, card)])
    for reads in product(*each):
        if may_be_used_together(reads, options) and aces_are_right(reads, legal, options):
            yield reads


def aces_are_right(reads: tuple[Read, ...], legal: tuple[str, ...], options: Mapping[str, str]) -> bool:
    suits_used = [belongs(r, options) for r in reads]
    if options["deuce_ace_trigger"] == "hand":
        outside = [c for c in legal if c not in [r.card for r in reads]]
        suits_used += [printed(c)[1] for c in outside]
        if options["wild_scope"] == "represented_suit" and any(c in ("God", "Satan") for c in outside):
            suits_used += ["V", "L"]  # it may stand for either deuce
    for read in reads:
        if read.card in ("2V", "2L") or read.suit in ("V2", "L2"):
            opposite = {"V": "L", "L": "V"}[read.suit[0]]
            if read.rank == "A" and opposite not in suits_used:
                return False
            if read.rank == "2" and options["deuce_as_ace"] == "forced" and opposite in suits_used:
                return False
    return True


def categories(
    reads: tuple[Read, ...], whole: bool, options: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The categories that these cards form, all of them together, each with the ranks of its groups."""
    groups = Counter(r.rank for r in reads)
    sizes = sorted(groups.values(), reverse=True)
    n = len(reads)
    wild = any(r.wild for r in reads)
    if n == 5 and wild is False and {"Min", "Ral", "San"} <= {r.card for r in reads} and sizes == [5]:
        yield "Pure Five-of-a-Kind", ("6",)
    if sizes == [5] and (options["five_kind_ranks"] == "any" or wild or "6" in groups) and grouped(reads, options):
        yield "Five-of-a-Kind", tuple(groups)
    for size, name in ((4, "Four-of-a-Kind"), (3, "Three-of-a-Kind"), (2, "Pair")):
        if sizes == [size] and grouped(reads, options):
            yield name, tuple(groups)
    for pattern, name in (([3, 2], "Full House"), ([2, 2], "Two Pair")):
        if sizes == pattern and grouped(reads, options):
            yield name, tuple(sorted(groups, key=lambda rank: (groups[rank], RANKS.index(rank)), reverse=True))
    pure = n == 5 and is_pure(reads, options)
    top = straight_top(reads, options) if n == 5 else None
    if pure and top:
        yield ("Pureblood Straight" if top == "A" else "Pure Straight"), (top,)
    if top:
        yield "Straight", (top,)
    if pure:
        yield "Pure", downwards(reads)
    if whole:
        yield "High Card", downwards(reads)


def grouped(reads: tuple[Read, ...], options: Mapping[str, str]) -> bool:
    """Whether 6s of one immortal suit are grouped as allowed."""
    for rank, size in Counter(r.rank for r in reads).items():
        natural = [r for r in reads if r.rank == rank == "6" and not r.wild]
        for suit in "VL":
            same = [r for r in natural if r.suit == suit]
            if options["same_suit_sixes"] == "hell_triple_only" and suit == "V" and len(same) == 3:
                return False
            if options["same_suit_sixes"] == "no_pairs" and size == 2 == len(same):
                return False
    return True


def is_pure(reads: tuple[Read, ...], options: Mapping[str, str]) -> bool:
    if options["wild_scope"] == "no_pure" and any(r.wild for r in reads):
        return False
    return len({r.suit for r in reads}) == 1


def straight_top(reads: tuple[Read, ...], options: Mapping[str, str]) -> str | None:
    ranks = {r.rank for r in reads}
    if len(ranks) < 5:
        return None
    for start in range(6, -1, -1):
        if ranks == set(RUN[start : start + 5]):
            low = start == 0 and any(r.deuce_as_ace for r in reads)
            return None if low and options["deuce_ace_low"] == "off" else RUN[start + 4]
    return None


def downwards(reads: tuple[Read, ...]) -> tuple[str, ...]:
    return tuple(sorted((r.rank for r in reads), key=RANKS.index, reverse=True))


def compared(name: str, ranks: tuple[str, ...], options: Mapping[str, str]) -> tuple[int, ...]:
    """The ranks that are compared before the steps, if any."""
    by_group = name in ("Pair", "Two Pair", "Three-of-a-Kind", "Full House", "Four-of-a-Kind", "Five-of-a-Kind")
    if options["rank_first"] == "all" or (options["rank_first"] == "of_a_kind" and by_group):
        return tuple(RANKS.index(rank) for rank in ranks)
    return ()


def steps(
    reads: tuple[Read, ...], rest: list[Read], six: tuple[str, ...], options: Mapping[str, str]
) -> tuple[object, ...]:
    """Providence, Immortal Majority, Majority Sum, High Card."""
    held = options["providence_scope"] == "held"
    wild = any(c in ("God", "Satan") for c in six) if held else any(r.wild for r in reads)
    counted = [*reads, *rest] if options["tie_cards"] == "all_legal" else [*reads]
    heights = sorted((RANKS.index(r.rank) for r in counted if not r.wild), reverse=True)
    if options["high_card_depth"] == "top_only":
        heights = heights[:1]
    elif options["tie_cards"] == "high_card_kickers":
        heights += sorted((RANKS.index(r.rank) for r in rest if not r.wild), reverse=True)
    return (
        wild == (options["providence"] == "wild_wins"),
        sum(immortal(r.card) for r in counted),
        sum(value(r, options) for r in counted),
        tuple(heights),
    )


def value(read: Read, options: Mapping[str, str]) -> int:
    if read.wild:
        return 0
    if read.deuce_as_ace:
        return int(options["deuce_ace_sum"])
    if read.rank == "A":
        return int(options["ace_sum"])
    return {"J": 8, "Q": 9, "K": 10}.get(read.rank) or int(read.rank)


def worth(cards: tuple[str, ...], six: tuple[str, ...] = (), **changed: str) -> tuple[object, ...]:
    """What kept cards are worth, as a tuple: the greater the stronger, equal ones tied; it begins with the category.
    ``six``: the cards before the discard, where that matters."""
    options = {**ORDINARY, **changed}
    found: list[tuple[object, ...]] = []
    for legal in legal_hands(cards, options):
        for n in range(1, len(legal) + 1):
            for part in combinations(legal, n):
                rest = [Read(*printed(c), c) for c in legal if c not in part]
                for reads in ways_to_read(part, legal, options):
                    for name, ranks in categories(reads, n == len(legal), options):
                        found.append(
                            (
                                ORDER.index(name),
                                compared(name, ranks, options),
                                *steps(reads, rest, six or cards, options),
                            )
                        )
    return max(found)


def category(cards: tuple[str, ...], **changed: str) -> str:
    """The name of the category."""
    found = worth(cards, (), **changed)[0]
    assert isinstance(found, int)
    return ORDER[found]
