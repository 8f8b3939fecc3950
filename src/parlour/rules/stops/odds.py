"""The odds of games of stops: where an unseen card lies, and whether you lead again.

All deals of the unseen cards in which nobody holds a card that they have said, or shown, they lack are equally likely.
If there is at most one such card that others may hold, chances are counted; otherwise they come from sampled deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from parlour.base.languages import gettext as _
from parlour.base.languages import marked, translated
from parlour.core.drawing import LONGEST
from parlour.engine.odds import OddsRow, OddsTable
from parlour.engine.telling import View
from parlour.rules.stops.hidden import deal_hidden, fill_stock, may_be, room, rooms, unplaced
from parlour.rules.stops.position import CARD_NAMES, LEADING, NEXT
from parlour.rules.vocabulary import count

SAMPLES = 4000
AGAIN = marked("You lead again if yours is the last card that can be played, with nobody out (CO-19, CO-20).")


def before_the_deal(pack: int, players: int, dealt: int, clauses: str) -> list[OddsTable]:
    """Return the chances of where a card of the pack will be if ``dealt`` cards are dealt; ``clauses``: the clauses to
    cite."""
    size = count(pack)
    rows = (
        OddsRow(_("among the cards left over"), (Fraction(size - dealt, size),)),
        OddsRow(_("in a certain hand"), (Fraction(dealt, size * players),)),
    )
    basis = _(
        "Any of the {size} cards may be among the {left} that are left over, all equally likely ({clauses}).",
        size=size, left=size - dealt, clauses=clauses,
    )  # fmt: skip
    return [OddsTable(_("Where a certain card will be"), (_("it is"), _("chance")), rows, basis)]


def during_play(view: View, s: Any, names: Sequence[str], ace: int, comment: str = AGAIN) -> list[OddsTable]:
    """Return what a player can work out from a position that holds only what they were told.

    ``ace``: ``ACE_LOW`` or ``ACE_HIGH``; ``comment``: a sentence for the basis, in English.
    """
    unseen = Unseen(s)
    if not unseen.hidden:
        return []
    tables = []
    basis = _(
        "Each deal of the {n} unseen cards is equally likely in which nobody holds a card that they have said they lack"
        " (CO-16, CO-18).",
        n=count(unseen.hidden),
    )
    if unseen.hidden & ~unseen.lacked:
        tables.append(_where(unseen, names, basis))
    if unseen.lacked:
        tables.append(_lacked(unseen, basis))
    if view.player >= 0 and s.stage == LEADING and s.player == view.player:
        tables.append(_leads(view, s, unseen, ace, f"{basis} {translated(comment)}".strip()))
    return tables


class Unseen:
    """The cards that a player does not see, except those that must be left over.

    ``rooms``: how many of them go to each seat and, last, to the cards left over; ``lacked``: those that one player is
    known to lack but another may hold.
    """

    def __init__(self, s: Any) -> None:
        fill_stock(s)
        self.s, self.stock = s, s.players
        self.hidden = unplaced(s)
        self.rooms = [room(s, q) for q in range(s.players + 1)]
        self.places = sum(1 << q for q, n in enumerate(self.rooms) if n)
        self.lacked = 0
        for q in range(s.players):
            if self.rooms[q]:
                self.lacked |= s.lacks[q] & self.hidden

    @cached_property
    def samples(self) -> list[Any]:
        """Sampled deals of the unseen cards, if there are too many to count."""
        if count(self.lacked) < 2:
            return []
        found, rng = [], [1]
        for _deal in range(SAMPLES):
            world = self.s.copy()
            deal_hidden(world, rng)
            found.append(world)
        return found

    def left_over(self, c: int) -> Fraction:
        """Return the probability that an unseen card is in nobody's hand."""
        if not self.hidden >> c & 1:
            return Fraction(1)
        if self.samples:
            return Fraction(sum(world.stock >> c & 1 for world in self.samples), SAMPLES)
        if self.lacked >> c & 1:
            return Fraction(self.rooms[self.stock], rooms(self.s, may_be(self.s, c, self.places)))
        chance: Fraction = self.any_card[self.stock]
        return chance

    @cached_property
    def any_card(self) -> list[Fraction]:
        """Return the probability that a card which nobody lacks goes to each place."""
        free = count(self.hidden & ~self.lacked)
        if self.samples:
            places = [
                sum(count(self._at(world, q) & self.hidden & ~self.lacked) for world in self.samples)
                for q in range(self.stock + 1)
            ]
            return [Fraction(n, SAMPLES * free) for n in places]
        taken = [Fraction(0)] * len(self.rooms)
        for c in (c for c in range(52) if self.lacked >> c & 1):
            may = may_be(self.s, c, self.places)
            taken = [Fraction((may >> q & 1) * n, rooms(self.s, may)) for q, n in enumerate(self.rooms)]
        return [(n - took) / free for n, took in zip(self.rooms, taken, strict=True)]

    def _at(self, world: Any, q: int) -> int:
        return int(world.stock if q == self.stock else world.hand[q])

    def comes_back(self, chain: Sequence[int], mine: int) -> Fraction:
        """Return the probability that the player of a first card plays the last one of a sequence: ``chain`` are the
        cards that can follow, ``mine`` those in that player's hand."""
        if self.samples:
            return Fraction(sum(_comes_back(chain, mine, world.stock) for world in self.samples), SAMPLES)
        (special,) = [c for c in chain if self.lacked >> c & 1] or [-1]
        if not self.lacked:
            return self._chain(chain, mine, self.rooms[self.stock], count(self.hidden), -1, False)
        c = next(c for c in range(52) if self.lacked >> c & 1)
        here = self.left_over(c)
        stock, unseen = self.rooms[self.stock], count(self.hidden) - 1
        found = Fraction(0)
        if here:
            found += here * self._chain(chain, mine, stock - 1, unseen, special, True)
        if here < 1:
            found += (1 - here) * self._chain(chain, mine, stock, unseen, special, False)
        return found

    def _chain(self, chain: Sequence[int], mine: int, stock: int, unseen: int, special: int, is_left: bool) -> Fraction:
        """The same if it is known whether card ``special`` is left over; ``stock``: how many of the other unseen cards
        are."""
        back, alive, last = Fraction(0), Fraction(1), True
        for c in chain:
            if mine >> c & 1:
                last = True
                continue
            if c == special or not self.hidden >> c & 1:
                stops = Fraction(is_left if c == special else 1)
            else:
                stops = Fraction(stock, unseen)
                unseen -= 1
            back += alive * stops * last
            alive *= 1 - stops
            last = False
            if not alive:
                return back
        return back + alive * last


def _comes_back(chain: Sequence[int], mine: int, stock: int) -> bool:
    last = True
    for c in chain:
        if stock >> c & 1:
            break
        last = bool(mine >> c & 1)
    return last


# ------------------------------------------------------------------------------------------ the tables


def _where(unseen: Unseen, names: Sequence[str], basis: str) -> OddsTable:
    rows = [
        OddsRow(_("with {who}", who=_short(names[q])), (unseen.any_card[q],))
        for q in range(unseen.stock)
        if unseen.rooms[q]
    ]
    rows.append(OddsRow(_("left over"), (unseen.any_card[unseen.stock],)))
    title = (
        _("Where any other card is that you do not see") if unseen.lacked else _("Where a card is that you do not see")
    )
    return OddsTable(title, (_("it is"), _("chance")), tuple(rows), basis, len(unseen.samples))


def _lacked(unseen: Unseen, basis: str) -> OddsTable:
    rows = []
    for c in (c for c in range(52) if unseen.lacked >> c & 1):
        here = unseen.left_over(c)
        rows.append(OddsRow(CARD_NAMES[c], (1 - here, here)))
    title = _("Cards that somebody is known not to hold")
    return OddsTable(title, (_("card"), _("in a hand"), _("left over")), tuple(rows), basis, len(unseen.samples))


def _leads(view: View, s: Any, unseen: Unseen, ace: int, basis: str) -> OddsTable:
    """For each card that the viewer may lead, return the chance that nothing follows at once, and that they lead
    again."""
    acts = [0] * view.game.action_count
    mine, gone = s.hand[view.player], s.gone | s.out
    rows = []
    for c in acts[: view.game.definition.rules.legal(s, view.player, acts)]:
        chain = []
        n = NEXT[c + ace]
        while n >= 0 and not gone >> n & 1:
            chain.append(n)
            n = NEXT[n + ace]
        if not chain:
            stops = Fraction(1)
        else:
            stops = Fraction(0) if mine >> chain[0] & 1 else unseen.left_over(chain[0])
        rows.append(OddsRow(CARD_NAMES[c], (stops, unseen.comes_back(chain, mine))))
    head = (_("card"), _("nothing follows"), _("you lead again"))
    return OddsTable(_("What you may lead"), head, tuple(rows), basis, len(unseen.samples))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
