"""The odds of Diamondback, by counting every way in which the unseen cards can have been dealt.  All deals in which
each player's hand contains the card they have shown are equally likely.  What betting may reveal is left out.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from parlour.base.errors import ParlourError, unknown
from parlour.base.languages import gettext as _
from parlour.base.languages import marked, ngettext, word
from parlour.engine.odds import Given, OddsRow, OddsTable
from parlour.engine.telling import View, restored
from parlour.games.diamondback.position import (
    CARDS,
    DEALING,
    HANDS,
    HIGHER,
    LOWER,
    OPENING,
    OVER,
    VOTING,
    Diamondback,
    full_deck,
    in_stock,
    kind_of,
    one_card,
)
from parlour.rules.vocabulary import count

FACTS = {
    "hand": marked("your two cards, as queen-king; more than one hand for a line each"),
    "exposed": marked("the cards that opponents in the hand have turned up"),
    "folded": marked("for each opponent who has folded, the card that they had turned up, or none"),
}
BEST = len(HANDS)


class KnownHand(NamedTuple):
    """The facts known about a player: the kind of their hand (0: unknown), the card that they show (-1: none), whether
    they are still in."""

    hand: int = 0
    up: int = -1
    live: bool = True


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Return everybody's chances during a hand; otherwise the chances of each possible hand, as far as the question
    gives it."""
    s: Diamondback = restored(view)
    if s.stage == OVER:
        return []
    if OPENING <= s.stage < VOTING:
        if given:
            raise ParlourError(
                "A hand is being played here: what is known of it is told, so leave out {given}=.", given=min(given)
            )
        return [_seats(s, names)]
    return [_hands(count(s.dealt if s.stage == DEALING else s.seated), given)]


# ------------------------------------------------------------------------------------------ counting deals


def hands(stock: int, player: KnownHand) -> Iterator[tuple[int, int, int]]:
    """Yield the hands that a player may hold: the kind, the number of ways to deal it from the stock, and the rest of
    the stock."""
    for kind in (player.hand,) if player.hand else range(1, BEST + 1):
        a, b = HIGHER[kind], LOWER[kind]
        n = in_stock(stock, a)
        ways = n * (n - 1) // 2 if a == b else n * in_stock(stock, b)
        if ways and player.up in (-1, a, b):
            yield kind, ways, stock - one_card(a) - one_card(b)


@lru_cache(maxsize=1 << 16)
def deals(stock: int, others: tuple[KnownHand, ...], most: int) -> int:
    """Return the number of ways to deal the others' cards so that nobody still in has a better hand than ``most``."""
    if not others:
        return 1
    return sum(
        ways * deals(left, others[1:], most)
        for kind, ways, left in hands(stock, others[0])
        if kind <= most or not others[0].live
    )


def chances(stock: int, me: KnownHand, others: tuple[KnownHand, ...]) -> tuple[Fraction | None, ...]:
    """Return the chances to have the best hand alone, to share it, and to lose (``None`` if no such deal is
    possible)."""
    won = even = 0
    for kind, ways, left in hands(stock, me):
        won += ways * deals(left, others, kind - 1)
        even += ways * deals(left, others, kind)
    total = deals(stock, (me, *others), BEST)
    if not total:
        return None, None, None
    return Fraction(won, total), Fraction(even - won, total), Fraction(total - even, total)


# ------------------------------------------------------------------------------------------ the tables


def known_of(s: Diamondback) -> dict[int, KnownHand]:
    """Return the facts known about each player dealt in."""
    return {p: KnownHand(s.hand[p], s.up[p] - 1, bool(s.live >> p & 1)) for p in range(s.players) if s.dealt >> p & 1}


def own_chances(s: Diamondback, p: int) -> tuple[Fraction | None, ...]:
    """Return a player's chances to win, to tie and to lose, by the facts known about all."""
    known = known_of(s)
    return chances(full_deck(count(s.dealt)), known[p], tuple(known[q] for q in known if q != p))


def _seats(s: Diamondback, names: Sequence[str]) -> OddsTable:
    """Return the chances of each player in the hand, by the facts known about all of them."""
    known = known_of(s)
    rows = [OddsRow(f"{names[p]}: {_held(me)}", own_chances(s, p)) for p, me in known.items() if me.live]
    return OddsTable(_("Who has the best hand"), (_("player"), *_results()), tuple(rows), _basis(len(known)))


def _results() -> tuple[str, str, str]:
    return _("wins"), _("ties"), _("loses")


def _named(kind: int) -> str:
    """A hand by its two cards."""
    return "-".join(map(word, HANDS[kind - 1].split("-")))


def _held(player: KnownHand) -> str:
    if player.hand:
        return _named(player.hand)
    return _("{card} and another", card=word(CARDS[player.up])) if player.up >= 0 else _("two cards")


def _hands(dealt: int, given: Given) -> OddsTable:
    """Return the chances of each hand that a player may have when this many are dealt in, from the best down."""
    exposed = [_card(typed) for typed in given.get("exposed", ())]
    folded = [-1 if typed.casefold() == "none" else _card(typed) for typed in given.get("folded", ())]
    opponents = dealt - 1
    hidden = opponents - len(exposed) - len(folded)
    if hidden < 0:
        raise ParlourError(
            "With {dealt} players exposed= and folded= speak of {opponents} at most, not of {other_opponents}.",
            dealt=dealt,
            opponents=opponents,
            other_opponents=opponents - hidden,
        )
    others = (
        *(KnownHand(up=card) for card in exposed),
        *(KnownHand() for _ in range(hidden)),
        *(KnownHand(up=card, live=False) for card in folded),
    )
    stock = full_deck(dealt)
    total = deals(stock, (KnownHand(), *others), BEST)
    if not total:
        raise ParlourError(
            "The {cards} cards for {dealt} players cannot lie so: there are too few (DB-2).",
            cards=_cards(stock),
            dealt=dealt,
        )
    asked = [_kind(typed) for typed in given.get("hand", ())]
    rows = []
    for kind in asked or range(BEST, 0, -1):
        found = chances(stock, KnownHand(kind), others)
        if asked and found[0] is None:
            raise ParlourError(
                "The {cards} cards for {dealt} players have no {hands} left (DB-2).",
                cards=_cards(stock),
                dealt=dealt,
                hands=HANDS[kind - 1],
            )
        held = Fraction(deals(stock, (KnownHand(kind), *others), BEST), total)
        rows.append(OddsRow(_named(kind), (held, *found)))
    return OddsTable(_title(exposed, hidden, folded), (_("hand"), _("held"), *_results()), tuple(rows), _basis(dealt))


def _title(exposed: Sequence[int], hidden: int, folded: Sequence[int]) -> str:
    against = len(exposed) + hidden
    title = ngettext("A hand against {n} opponent", "A hand against {n} opponents", against)
    if exposed:
        title += _("; turned up: {cards}", cards=", ".join(word(CARDS[card]) for card in exposed))
    if folded:
        none = _("no card turned up")
        title += _("; folded: {cards}", cards=", ".join(word(CARDS[card]) if card >= 0 else none for card in folded))
    return title


def _basis(dealt: int) -> str:
    return _(
        "Counted over all deals of the {cards} cards for {players} players (DB-2, DB-8, DB-16) in which each holds the"
        " card that they have turned up (DB-23); points decide (DB-5, DB-7). What the betting may tell is left out.",
        cards=_cards(full_deck(dealt)), players=dealt,
    )  # fmt: skip


def _cards(stock: int) -> int:
    return sum(in_stock(stock, rank) for rank in range(len(CARDS)))


# ------------------------------------------------------------------------------------------ facts from sentences


def _card(typed: str) -> int:
    names = [card.casefold() for card in CARDS]
    if typed.casefold() not in names:
        raise unknown("card", typed, names)
    return names.index(typed.casefold())


def _kind(typed: str) -> int:
    cards = [_card(part) for part in typed.split("-")]
    if len(cards) != 2:
        raise ParlourError("A hand is two cards, as queen-king, not {typed!r} (DB-4).", typed=typed)
    kind = kind_of(cards[0], cards[1])
    if not kind:
        raise ParlourError("Nobody can hold two Magicians (DB-6).")
    return kind
