"""What the page's table of Dividha shows in addition to the view: the course of a hand, useful raises, the hand
before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from parlour.engine.telling import members
from parlour.languages import gettext as _
from parlour.languages import ngettext
from parlour.shelf.dividha.hands import CARDS
from parlour.shelf.dividha.position import PHASES
from parlour.shelf.dividha.rules import CARDS as SPOKEN

ACTS = ("checks", "calls", "calls_short", "opens", "raises", "stands", "cannot_trade")
"""What somebody may have done last, other than trading."""
POOLS = {
    **{"takes_win": "Win", "takes_win_side": "Win", "takes_lose": "Lose", "takes_lose_side": "Lose"},
    "takes_all": "both pools",
}
BACK = ("goes_back", "wins_back")
COMPARED = ("beats", "ties")
REMARKS = (
    *("is_dead", "cannot_win", "is_high_card", "share", "odd_coins", "is_alone"),
    *(*BACK, "is_out", "forfeits", "wins_match"),
)
"""Events that explain a payout."""


class Said(Protocol):
    """A sentence that a seat was told."""

    @property
    def event(self) -> str:
        """What happened."""

    @property
    def who(self) -> int:
        """To whom."""

    @property
    def a(self) -> int:
        """A number."""

    @property
    def b(self) -> int:
        """Another one."""


@dataclass
class Take:
    """Coins that a player took at a payout."""

    coins: int
    pool: str
    tier: int


@dataclass
class Part:
    """What became of one player in a finished hand: ``tablet`` is what they had on Win and on Lose, ``cards`` are those
    that they kept, none if they did not come to the showdown."""

    seat: int
    cards: list[str] = field(default_factory=list)
    hand: str = ""
    tablet: tuple[int, int] | None = None
    takes: list[Take] = field(default_factory=list)

    @property
    def balance(self) -> int | None:
        """Coins won, or lost if below zero; ``None`` where tablets stay hidden."""
        return None if self.tablet is None else sum(take.coins for take in self.takes) - sum(self.tablet)


@dataclass
class Hand:
    """A finished hand: the players, those at the showdown first and the strongest hand at the top; sentences that
    explain the ranking and how the pools were shared out."""

    number: int
    parts: list[Part]
    why: list[Any]
    went_back: bool = False  # coins that nobody could take

    @property
    def pools(self) -> tuple[int, int] | None:
        """The coins in the Win columns and in the Lose columns of all."""
        tablets = [part.tablet for part in self.parts if part.tablet is not None]
        return (sum(one[0] for one in tablets), sum(one[1] for one in tablets)) if tablets else None

    @property
    def forfeited(self) -> int:
        """The coins left by players who were out before, as far as they were taken with the pools."""
        return sum(take.coins for part in self.parts for take in part.takes) - sum(self.pools or ())

    @property
    def takers(self) -> list[Part]:
        """Those who took something."""
        return [part for part in self.parts if part.takes]


def last_hand(story: Sequence[Any]) -> Hand | None:
    """Return the hand that was settled last, from all that a seat has been told in a match; ``None`` in the first
    hand."""
    starts = [i for i, said in enumerate(story) if said.event == "antes"]
    ends = [i for i, said in enumerate(story) if said.event in POOLS or said.event in BACK]
    if not ends:
        return None
    number = sum(start < ends[-1] for start in starts)
    first = starts[number - 1]
    later = [start for start in starts if start > first]
    return _settled(number, story[first : later[0] if later else len(story)])


def _settled(number: int, told: Iterable[Any]) -> Hand:
    parts: dict[int, Part] = {}
    order: list[int] = []
    why = []
    went_back = False
    for said in told:
        went_back |= said.event in BACK
        one = parts.setdefault(said.who, Part(said.who))
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
    return Hand(number, shown, why, went_back)


def acts(story: Sequence[Said]) -> dict[int, str]:
    """Return what each player did last in the current hand."""
    found: dict[int, str] = {}
    for said in story:
        if said.event == "antes":
            found = {}
        elif said.event in ACTS:
            found[said.who] = _act(said)
        elif said.event == "trades":
            found[said.who] = ngettext("trades {n} card", "trades {n} cards", said.a + said.b)
    return found


def _act(said: Said) -> str:
    """Return in two words what somebody has done."""
    match said.event:
        case "checks":
            return _("checks")
        case "calls":
            return _("calls {n}", n=said.a)
        case "calls_short":
            return _("calls with the last {n}", n=said.a)
        case "opens":
            return _("opens with {n}", n=said.a)
        case "raises":
            return _("raises to {n}", n=said.a)
    return _("trades nothing")


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


def raises(v: Mapping[str, Any], me: int, allowed: Sequence[int]) -> list[tuple[str, int]]:
    """Return common raises, with what they are called."""
    level, pot, put, coins = v["level"], v["pot"], v["put"][me], v["coins"][me]
    after = pot + level - put  # the pot when the raiser has called
    wanted = {put + coins: "all-in", level + after: "the pot", level + after // 2: "half the pot"}
    return [(wanted[n], n) for n in sorted(wanted) if n in allowed]


def tablet(v: Mapping[str, Any], p: int) -> tuple[int, int] | None:
    """Return what a player has on Win and on Lose, if the viewer may see it; coins still to be divided are on
    neither."""
    wins = v.get("win") or []
    if p >= len(wins) or wins[p] is None:
        return None
    win = wins[p] + v["fee_win"][p]
    owed = v.get("owed", 0) if v.get("turn", -1) == p else 0
    return win, v["paid"][p] + v["fees"][p] - win - owed
