"""The odds of Dividha: the chances of holding the strongest and the weakest hand, found by dealing out the unseen cards
many times.  Each player's strongest hand is compared with everybody else's strongest, and their weakest with the
others' weakest, as if all players tried for the same end; the possible hands depend on the option ``showdown``.  What
betting may reveal, and a trade still to come, are left out.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from parlour.base.errors import ParlourError, unknown
from parlour.base.languages import gettext as _
from parlour.base.languages import marked, translated, word
from parlour.engine.definition import definition
from parlour.engine.kernel import I64, Kernel
from parlour.engine.odds import Given, OddsRow, OddsTable
from parlour.engine.telling import View, members, restored
from parlour.games.dividha.advice import ends_of, weakest_single
from parlour.games.dividha.hands import ALL, CARDS, CATEGORIES, HELD, WILD_HELD, WILDS, category
from parlour.games.dividha.hidden import unseen_cards
from parlour.games.dividha.position import BEFORE, FORCED_BEST, FREE, OVER, Dividha
from parlour.games.dividha.showdown import hand_of, ranking, worth_of
from parlour.rules.vocabulary import count

FACTS = {
    "hand": marked("your cards, as KV,2L: up to six"),
    "exposed": marked("the public cards of opponents, as QU-QD,God: one or two of each"),
}
SAMPLES = 20_000
SIX = 6


class Held(NamedTuple):
    """The known cards of a player: some of their six cards, or (if ``shown`` is set) the five that they kept, or (if
    ``laid`` is set too) those that they laid.  ``wild``: whether the six include a wild card, kept or not."""

    label: str
    cards: int = 0
    shown: bool = False
    wild: bool = False
    laid: bool = False


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Return the chances of everybody in a hand that is being played; otherwise those of the cards given in the
    question."""
    s: Dividha = restored(view)
    if s.stage == OVER:
        return []
    if s.phase != BEFORE:
        if given:
            raise ParlourError(
                "A hand is being played here: what is known of it is told, so leave out {given}=.", given=min(given)
            )
        me, known, unseen = seats(s, view.player, names)
    else:
        me, known, unseen = _asked(count(s.seated), given)
    return tables(ranking(s), me, known, unseen, s.showdown)


def seats(s: Dividha, me: int, names: Sequence[str]) -> tuple[int, list[Held], int]:
    """Return the players in the hand as the viewer sees them, the viewer's row (or -1), and the unseen cards."""
    known: list[Held] = []
    mine = -1
    for p in range(s.players):
        if s.live >> p & 1:
            mine = len(known) if p == me else mine
            held = s.private[p] | s.public[p]
            discarded, wild = s.discard[p] > 0, held & WILDS != 0
            known.append(Held(names[p], hand_of(s, p) if discarded else held, discarded, wild, s.laid[p] > 0))
    return mine, known, unseen_cards(s)


def _asked(players: int, given: Given) -> tuple[int, list[Held], int]:
    """A hand against unknown ones, or against hands that show their public cards."""
    used: set[int] = set()
    mine = _cards(given.get("hand", ()), used)
    shown = [_cards(word.split("-"), used) for word in given.get("exposed", ())]
    if count(mine) > SIX:
        raise ParlourError("A player has six cards, not {count} (DV-25).", count=count(mine))
    if any(count(cards) > 2 for cards in shown):
        raise ParlourError("An opponent has two public cards, written as QU-QD (DV-24).")
    if len(shown) >= players:
        raise ParlourError(
            "With {players} players exposed= speaks of {other_players} at most, not of {n}.",
            players=players,
            other_players=players - 1,
            n=len(shown),
        )
    shown += [0] * (players - 1 - len(shown))
    known = [Held(_("You") if mine else _("Seat {seat}", seat=0), mine)]
    for n, cards in enumerate(shown, 1):
        label = _("Opponent {n}, with {cards}", n=n, cards=_named(cards)) if cards else _("Opponent {n}", n=n)
        known.append(Held(label, cards))
    return 0, known, ALL & ~sum(1 << c for c in used)


def tables(how: int, me: int, known: Sequence[Held], unseen: int, showdown: int = 0) -> list[OddsTable]:
    """Return the tables from many random deals of the unseen cards."""
    found, sorts = sampled(how, me, tuple(known), unseen, showdown, SAMPLES)
    rows = [
        OddsRow(held.label, tuple(Fraction(n, SAMPLES) for n in row)) for held, row in zip(known, found, strict=True)
    ]
    head = (_("player"), _("strongest"), _("shared"), _("weakest"), _("shared"))
    basis = translated(BASES[showdown])
    answers = [OddsTable(_("Who holds the strongest and who the weakest hand"), head, tuple(rows), basis, SAMPLES)]
    if me >= 0 and known[me].cards and not known[me].shown:
        own_rows = tuple(
            OddsRow(word(CATEGORIES[k]), (Fraction(sorts[1][k], SAMPLES), Fraction(sorts[0][k], SAMPLES)))
            for k in reversed(range(len(CATEGORIES)))
            if sorts[0][k] or sorts[1][k]
        )
        title = _("What your cards will be worth")
        if showdown == FORCED_BEST:
            own_rows = tuple(OddsRow(row.label, row.chances[:1]) for row in own_rows)
        answers.append(OddsTable(title, (_("category"), *map(translated, COLUMNS[showdown])), own_rows, basis, SAMPLES))
    return answers


@lru_cache(maxsize=64)
def sampled(
    how: int, me: int, known: tuple[Held, ...], unseen: int, showdown: int, samples: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Deal the unseen cards out ``samples`` times.  Return how often each player has held the strongest hand alone, how
    often they have shared it, and the same for the weakest; and how often the weakest and the strongest hand of row
    ``me`` have been of each category."""
    found = [[0] * 4 for _ in known]
    sorts = [[0] * len(CATEGORIES), [0] * len(CATEGORIES)]
    for ends in _deals(how, known, unseen, showdown, samples):
        for column, end in ((0, max(high for _low, high in ends)), (2, min(low for low, _high in ends))):
            those = [p for p, pair in enumerate(ends) if pair[column == 0] == end]
            for p in those:
                found[p][column + (len(those) > 1)] += 1
        if me >= 0:
            for end in range(2):
                sorts[end][category(how, ends[me][end])] += 1
    return found, sorts


def own_chances(s: Dividha, me: int, names: Sequence[str]) -> tuple[float, float]:
    """Return how often a player holds the strongest and the weakest hand, counting a shared one as half."""
    mine, known, unseen = seats(s, me, names)
    strongest, shared, weakest, shared_weakest = sampled(ranking(s), mine, tuple(known), unseen, s.showdown, SAMPLES)[
        0
    ][mine]
    return (strongest + shared / 2) / SAMPLES, (weakest + shared_weakest / 2) / SAMPLES


def _deals(how: int, known: Sequence[Held], unseen: int, showdown: int, samples: int) -> list[list[tuple[int, int]]]:
    """Deal the unseen cards; return the scores of each player's weakest and strongest hand."""
    deal, left = random.Random(0), members(unseen)
    lacking = [0 if held.shown else SIX - count(held.cards) for held in known]
    size = samples * len(known)
    hands, lowest, highest = ((ctypes.c_int64 * size)() for _ in range(3))
    for first in range(0, size, len(known)):
        drawn = deal.sample(left, sum(lacking))
        for p, n in enumerate(lacking):
            cards = known[p].cards
            for _card in range(n):
                cards |= 1 << drawn.pop()
            hands[first + p] = cards
    stages = [LAID if held.laid else KEPT if held.shown else DEALT for held in known]
    wild, stage = ((ctypes.c_int64 * len(known))(*these) for these in ([held.wild for held in known], stages))
    KERNEL.compiled(definition("dividha")).rate(how, showdown, wild, stage, hands, lowest, highest)
    ends = [*zip(lowest, highest, strict=True)]
    return [ends[first : first + len(known)] for first in range(0, size, len(known))]


DEALT, KEPT, LAID = range(3)


def rate(how: int, showdown: int, wild: I64, stage: I64, hands: I64, lowest: I64, highest: I64) -> None:
    """Write the lowest and the highest score that each player can reach with each of their ``hands``, player by player.
    ``wild`` of each player is as in :class:`Held`; ``stage`` says whether the hands are cards ``DEALT``, ``KEPT`` or
    ``LAID``."""
    for i in range(len(hands)):
        p, cards = i % len(wild), hands[i]
        own = how | WILD_HELD if how & HELD and (wild[p] or cards & WILDS) else how
        if stage[p] == DEALT:
            lowest[i], highest[i] = ends_of(own, cards, showdown)
        else:
            highest[i] = worth_of(own, cards)
            single = showdown == FREE and stage[p] == KEPT
            lowest[i] = weakest_single(own, cards) if single else highest[i]


KERNEL = Kernel(__name__, entries=(rate,))

BASES = (  # one text for each value of the option `showdown`
    marked(
        "Sampled: the cards that are not seen are dealt at random (DV-12) until everybody has six (DV-25); then each"
        " keeps the five that are strongest, and for the other end the five that are weakest (DV-105, DV-174). A trade"
        " still to come, and what the betting may tell, are left out."
    ),
    marked(
        "Sampled: the cards that are not seen are dealt at random (DV-12) until everybody has six (DV-25); then each"
        " keeps the five that are strongest, as they must (DV-110), and the weakest of these hands is the weakest"
        " (DV-174). A trade still to come, and what the betting may tell, are left out."
    ),
    marked(
        "Sampled: the cards that are not seen are dealt at random (DV-12) until everybody has six (DV-25); then each"
        " keeps the five that are strongest, and for the other end lays the one card that is weakest (DV-111, DV-174)."
        " A trade still to come, and what the betting may tell, are left out."
    ),
)
COLUMNS = (
    (marked("strongest five"), marked("weakest five")),
    (marked("strongest five"),),
    (marked("strongest hand"), marked("weakest hand")),
)


# ------------------------------------------------------------------------------------------ facts from sentences


def _cards(words: Sequence[str], used: set[int]) -> int:
    """A set of cards by their names; ``6V`` is any 6 of Heaven that is not yet used."""
    names, found = [card.casefold() for card in CARDS], 0
    for typed in words:
        wanted = [typed.casefold() + letter for letter in "abc"] if typed.casefold() == "6v" else [typed.casefold()]
        if wanted[0] not in names:
            raise unknown("card", typed, CARDS)
        free = [c for c in map(names.index, wanted) if c not in used]
        if not free:
            raise ParlourError("There is no other {typed} (DV-4, DV-5).", typed=typed)
        used.add(free[0])
        found |= 1 << free[0]
    return found


def _named(cards: int) -> str:
    return " ".join(CARDS[c] for c in members(cards))
