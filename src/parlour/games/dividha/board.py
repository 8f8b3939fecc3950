"""Data that the page of Dividha shows in addition to the view: the course of a hand, its showdown, the previous
hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from parlour.base.languages import gettext as _
from parlour.base.languages import word
from parlour.core.drawing import Gone, Showdown, ShownHand
from parlour.engine.telling import members
from parlour.games.dividha.deck import spoken
from parlour.games.dividha.hands import CARDS
from parlour.games.dividha.position import PHASES
from parlour.games.dividha.rules import CARDS as SPOKEN

POOLS = {
    **{"takes_win": "Win", "takes_win_side": "Win", "takes_lose": "Lose", "takes_lose_side": "Lose"},
    "takes_all": "both pools",
}
BACK = ("goes_back", "wins_back")
COMPARED = ("beats", "ties")
TALK = ("proposes", "agrees", "refuses", "agreed", "leaves")
"""Events between two hands."""
REMARKS = (
    *("is_dead", "cannot_win", "is_high_card", "share", "odd_coins", "is_alone"),
    *(*BACK, "is_out", "forfeits", "wins_match"),
)
"""Events that explain a payout."""


class ToldSentence(Protocol):
    """A sentence that a seat was told."""

    @property
    def event(self) -> str:
        """The key of the event."""

    @property
    def who(self) -> int:
        """The player it is about."""

    @property
    def a(self) -> int:
        """The first number."""

    @property
    def b(self) -> int:
        """The second number."""


@dataclass
class Take:
    """Coins that a player took at a payout."""

    coins: int
    pool: str
    tier: int


@dataclass
class HandPlayer:
    """The result of one player in a finished hand: ``tablet`` has their coins on Win and on Lose, ``cards`` those that
    they kept; none if they did not reach the showdown."""

    seat: int
    cards: list[str] = field(default_factory=list)
    hand: str = ""
    tablet: tuple[int, int] | None = None
    takes: list[Take] = field(default_factory=list)

    @property
    def balance(self) -> int | None:
        """Coins won, or lost if negative; ``None`` if tablets stay hidden."""
        return None if self.tablet is None else sum(take.coins for take in self.takes) - sum(self.tablet)


@dataclass
class FinishedHand:
    """A finished hand: the players, those at the showdown first and the strongest hand at the top; sentences that
    explain the ranking and how the pools were shared out."""

    number: int
    parts: list[HandPlayer]
    why: list[Any]
    went_back: bool = False  # whether coins went back because nobody could win them

    @property
    def pools(self) -> tuple[int, int] | None:
        """The coins in everybody's Win columns and Lose columns."""
        tablets = [part.tablet for part in self.parts if part.tablet is not None]
        return (sum(one[0] for one in tablets), sum(one[1] for one in tablets)) if tablets else None

    @property
    def forfeited(self) -> int:
        """The coins of players eliminated earlier that were won together with the pools."""
        return sum(take.coins for part in self.parts for take in part.takes) - sum(self.pools or ())

    @property
    def takers(self) -> list[HandPlayer]:
        """The players who took coins."""
        return [part for part in self.parts if part.takes]


def last_hand(story: Sequence[Any]) -> FinishedHand | None:
    """Return the hand that was settled last, from all events that a seat has been told in a match; ``None`` in the
    first hand."""
    starts = [i for i, said in enumerate(story) if said.event == "antes"]
    ends = [i for i, said in enumerate(story) if said.event in POOLS or said.event in BACK]
    if not ends:
        return None
    number = sum(start < ends[-1] for start in starts)
    first = starts[number - 1]
    later = [start for start in starts if start > first]
    return _settled(number, story[first : later[0] if later else len(story)])


def _settled(number: int, told: Iterable[Any]) -> FinishedHand:
    parts: dict[int, HandPlayer] = {}
    order: list[int] = []
    why = []
    went_back = False
    for said in told:
        went_back |= said.event in BACK
        one = parts.setdefault(said.who, HandPlayer(said.who))
        if said.event == "shows":
            one.cards = [CARDS[c] for c in members(said.a)]
        elif said.event == "announces":
            one.hand = SPOKEN[said.a]
        elif said.event == "tablet":
            one.tablet = (said.a, said.b)
        elif said.event in POOLS:
            one.takes.append(Take(said.a, POOLS[said.event], said.b if said.event.endswith("_side") else 1))
        elif said.event.startswith(COMPARED):
            order += [said.who, said.a]
            why.append(said)
        elif said.event in REMARKS:
            why.append(said)
    order = list(dict.fromkeys(order))
    shown = [part for part in parts.values() if part.tablet is not None or part.cards or part.takes]
    shown.sort(
        key=lambda part: (
            not part.cards,
            not order and not part.takes,
            order.index(part.seat) if part.seat in order else len(order),
        )
    )
    return FinishedHand(number, shown, why, went_back)


def of_this_hand(story: Sequence[Any]) -> Sequence[Any]:
    """Return the events since the hand began."""
    return story[next((i for i in reversed(range(len(story))) if story[i].event == "antes"), 0) :]


def said_between(told: Sequence[Any]) -> list[Any]:
    """Return the last events between two hands, at most two."""
    n = next((n for n, said in enumerate(reversed(told)) if said.event not in TALK), len(told))
    return list(told[len(told) - min(n, 2) :])


def own_cards(v: Mapping[str, Any], told: Sequence[Any], me: int) -> tuple[list[str], list[str]]:
    """Return a player's private and public cards: the kept ones once they are shown; after the cards have been
    gathered, those in the events."""
    private = public = 0
    known = v.get("private") and v["private"][me]
    if known and not any(said.event == "shows" and said.who == me for said in told):
        return known, v["public"][me]
    for said in told:
        if said.who != me:
            continue
        match said.event:
            case "dealt":
                private |= said.a
            case "turns_up":
                public |= 1 << said.a
            case "turns_down":
                public &= ~said.a
            case "gives_up":
                private &= ~said.a
            case "shows":
                private, public = 0, said.a
    return [CARDS[c] for c in members(private)], [CARDS[c] for c in members(public)]


# ------------------------------------------------------------------------------------------ the showdown

KEPT = 5
"""Cards of a hand at the showdown."""
SIDES = {"Win": "win", "Lose": "lose"}
"""The pools, with the names of their signs in the style sheet."""


def showdown(v: Mapping[str, Any], story: Sequence[Any], settled: bool) -> Showdown | None:
    """Return the showdown of this hand as far as it has been told; ``None`` if no hand has been shown.  ``settled``:
    whether it is complete.

    At first each hand has a lane, in which its cards turn.  Once all have been compared, only the strongest, the
    weakest and any others that win something keep a lane.
    """
    told = of_this_hand(story)
    hand = _settled(0, told)
    order = [said.who for said in told if said.event == "shows"]
    if not order:
        return None
    parts = {part.seat: part for part in hand.parts}
    turn = {p: (p - v["dealer"] - 1) % len(v["coins"]) for p in v["live"]}
    order += sorted(turn.keys() - order, key=turn.__getitem__)
    compared = [said for said in told if said.event.startswith(COMPARED)]
    counted = len(order) - sum(said.event == "is_dead" for said in told)
    paying = any(part.takes for part in hand.parts)
    ranked = (
        paying or settled or (sum(part.hand != "" for part in hand.parts) == len(order) > len(compared) >= counted - 1)
    )
    strongest, weakest = (
        _ends(compared) if compared else ({*order}, {*order}) if ranked and counted == 1 else (set(), set())
    )
    taken = sum(take.coins for part in hand.parts for take in part.takes) + sum(
        said.a for said in told if said.event in BACK
    )

    first = [p for p in order if not ranked or p in strongest | weakest or (p in parts and parts[p].takes)]
    first.sort(key=lambda p: ranked and (p not in strongest) + (p in weakest - strongest))

    def shown(p: int) -> ShownHand:
        part = parts.get(p, HandPlayer(p))
        prizes = [(side, 0) for side, those in (("Win", strongest), ("Lose", weakest)) if ranked and p in those]
        for take in part.takes:
            coins = dict(prizes).get(take.pool, 0) + take.coins
            prizes = [one for one in prizes if one[0] != take.pool] + [(take.pool, coins)]
        gain = v["coins"][p] - v["earlier"][p]
        return ShownHand(
            seat=p,
            cards=tuple(part.cards) or (None,) * KEPT,
            hand=_called(part.hand, [said for said in told if said.who == p and (p in first or not ranked)]),
            tablet=(part.tablet or ()) if ranked else None,
            prizes=tuple((SIDES[pool], word(pool), coins) for pool, coins in sorted(prizes, reverse=True)),
            gain=gain if settled else 0,
            lit=not paying and p in strongest | (weakest if ranked else {said.who for said in compared[-1:]}),
            won=gain > 0 and bool(part.takes),
        )

    return Showdown(
        hands=len(order),
        pot=v["pot"] or taken,
        left=v["pot"] - taken if v["pot"] else 0,
        lanes=tuple(map(shown, first)),
        rest=tuple(shown(p) for p in order if p not in first),
        gone=tuple(
            Gone(p, _("folded") if p not in v["gone"] else _("has left"), parts[p].tablet if p in parts else None)
            for p, paid in enumerate(v["paid"])
            if paid and p not in order
        ),
    )


def _ends(compared: Sequence[Any]) -> tuple[set[int], set[int]]:
    """Return the strongest and the weakest hands of those compared so far, from the top down."""
    strongest, weakest = {compared[0].who}, {compared[-1].a}
    for those, pairs in ((strongest, compared), (weakest, compared[::-1])):
        for said in pairs:
            if said.event != "ties":
                break
            those |= {said.who, said.a}
    return strongest, weakest


def _called(hand: str, told: Sequence[Any]) -> str:
    """Return the name of a hand, with the reason why it beats the next, or its fault."""
    better = next((SPOKEN[one.b] for one in told if one.event.startswith("beats")), hand)
    said, events = spoken(better) if hand else "", [one.event for one in told]
    if "is_dead" in events:
        return _("{hand}, dead", hand=said)
    return _("{hand}, can only lose", hand=said) if "cannot_win" in events else said


# ------------------------------------------------------------------------------------------ choices


def course(v: Mapping[str, Any], options: Mapping[str, str]) -> list[tuple[str, str]]:
    """The betting rounds, the trade and the showdown of a hand, each with ``past``, ``now`` or nothing."""
    left_out = {"ante", *(name for name in PHASES if name.endswith("deal"))}
    if options["demons_wager"] == "off":
        left_out.add("Demon's Wager")
    if options["rounds"] != "four_with_trade":
        left_out.add("third bet")
    if options["rounds"] == "three_no_trade":
        left_out.add("trade")
    now = PHASES.index(v.get("phase", "ante"))
    when = ["past" if i < now else "now" if i == now else "" for i in range(len(PHASES))]
    return [(name, when[i]) for i, name in enumerate(PHASES) if name not in left_out]


def levels(legal: Iterable[str]) -> list[int]:
    """Return the levels to which the player may raise."""
    return sorted(int(name.removeprefix("raise ")) for name in legal if name.startswith("raise "))


def antes(legal: Iterable[str]) -> list[int]:
    """Return the antes that the player may propose."""
    return sorted(int(name.removeprefix("propose ")) for name in legal if name.startswith("propose "))


def tablet(v: Mapping[str, Any], p: int) -> tuple[int, int] | None:
    """Return a player's coins on Win and on Lose, if the viewer may see them; coins still to be divided are on
    neither."""
    wins = v.get("win") or []
    if p >= len(wins) or wins[p] is None:
        return None
    win = wins[p] + v["fee_win"][p]
    owed = v.get("owed", 0) if v.get("turn", -1) == p else 0
    return win, v["paid"][p] + v["fees"][p] - win - owed
