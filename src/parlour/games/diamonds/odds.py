"""The odds of Diamonds: the next card, and the results of a dig.

Every order of the unseen cards is equally likely (DM-105), so only the number of each kind matters.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from parlour.base.errors import unknown
from parlour.base.languages import and_list, either, marked, ngettext, translated
from parlour.base.languages import gettext as _
from parlour.engine.odds import Given, OddsRow, OddsTable
from parlour.engine.telling import View, members, restored
from parlour.games.diamonds.endings import winning
from parlour.games.diamonds.position import (
    ACTIONS,
    BETWEEN,
    BLADE,
    CARDS,
    DESTROY,
    DIAMONDS,
    DIG_ANY,
    DOWN,
    DRAWING,
    END_TURN,
    JOKERS,
    OVER,
    PICKING,
    PILES,
    RANKS,
    SPADES,
    START,
    TURNING,
    own_spade,
    rank,
    target,
)
from parlour.games.diamonds.turn import choices
from parlour.rules.vocabulary import count

FACTS = {"spade": marked("a spade to reckon with instead of your own, as 9, K or none; more than one to compare them")}

Shares = tuple[Fraction, ...]
"""The probabilities of finding 0, 1, 2 … diamonds."""
NONE_MORE: Shares = (Fraction(1),)


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Return the chances of the next card for a player with the viewer's spade (for a spectator: with each spade held);
    then of the results of each dig for the viewer (for a spectator: for the player whose turn it is); and, if few
    enough cards are unseen, the chance to win by each choice."""
    s = restored(view)
    if s.stage == OVER or not s.unseen:
        return []
    me = s.player if view.player < 0 else view.player
    seats = range(s.players) if view.player < 0 else [me]
    asked = [_strength(word) for word in given.get("spade", ())]
    worlds = [_holding(s, me, spade) for spade in asked or dict.fromkeys(s.spade[p] for p in seats)]
    digs = [_digs(world, me) for world in (worlds if asked else [s])]
    exact = [] if asked else _ending(view, s, me, names)
    return [_next_card(worlds, me), *(table for table in digs if table.rows), *exact]


# ------------------------------------------------------------------------------------------ the end of the game


def _ending(view: View, s: Any, me: int, names: Sequence[str]) -> list[OddsTable]:
    """Return the chance to win by each choice, if few enough cards are unseen."""
    chances = winning(view.game, s)
    if chances is None:
        return []
    mine = {a: chance if s.player == me else 1 - chance for a, chance in chances.items()}
    # the last entry, at -1, is for chance nodes, where nobody chooses
    said = [*view.game.action_names, _("as it stands")]
    rows = [OddsRow(said[a], (chance,)) for a, chance in mine.items()]
    own = s.player == me or -1 in mine
    head = (_("choice") if own else _("choice of {who}", who=names[s.player]), _("{who} wins", who=names[me]))
    basis = _(
        "Exact: all orders in which the unseen cards can come up (DM-105), and all choices of both; the first to hold"
        " the last missing diamond wins (DM-18)."
    )
    return [OddsTable(_("If both play as well as can be"), head, tuple(rows), basis)]


def _strength(word: str) -> int:
    """Return the strength of a spade as people write it: 9, S9, or none."""
    wanted = word.upper()
    if wanted == "NONE":
        return 0
    if wanted.removeprefix("S") not in RANKS:
        raise unknown("spade", word, [*RANKS, "none"])
    return RANKS.index(wanted.removeprefix("S")) + 2


def _holding(s: Any, me: int, spade: int) -> Any:
    """Return the position with this spade in a player's hand, and not among the unseen cards."""
    world = s.copy()
    world.spade[me] = spade
    if spade:
        world.unseen &= ~(1 << own_spade(world, me))
    return world


def _held(s: Any, me: int) -> str:
    return CARDS[own_spade(s, me)] if s.spade[me] else _("no spade")


class UnseenCards:
    """The numbers of unseen cards, by kind."""

    def __init__(self, unseen: int) -> None:
        cards = members(unseen)
        self.left = len(cards)
        self.rocks = [rank(card) for card in cards if card < SPADES]
        self.spades = [rank(card) for card in cards if SPADES <= card < DIAMONDS]
        self.gems = sum(DIAMONDS <= card < JOKERS for card in cards)
        self.jokers = sum(card >= JOKERS for card in cards)

    def broken(self, spade: int) -> int:
        """How many rocks a spade breaks."""
        return sum(rock <= spade for rock in self.rocks)


# ------------------------------------------------------------------------------------------ the next card


def _next_card(worlds: Sequence[Any], me: int) -> OddsTable:
    columns = [_kinds(UnseenCards(world.unseen), world.spade[me]) for world in worlds]
    rows = [
        OddsRow(kind, tuple(Fraction(kinds[kind], sum(kinds.values())) for kinds in columns))
        for kind in columns[0]
        if any(kinds[kind] for kinds in columns)
    ]
    left = translated(either([str(n) for n in sorted({count(world.unseen) for world in worlds})]))
    basis = _(
        "Each of the {left} cards that nobody has seen is equally likely (DM-105). Diamonds: DM-36, jokers: DM-48,"
        " rocks: DM-37, DM-38, spades: DM-39, DM-41, DM-46.",
        left=left,
    )
    return OddsTable(
        _("The next card turned up"), (_("it is"), *(_held(world, me) for world in worlds)), tuple(rows), basis
    )


def _kinds(pack: UnseenCards, spade: int) -> dict[str, int]:
    """Count the cards of each kind, as a player with this spade sees them."""
    breaks = pack.broken(spade)
    lower = sum(other < spade for other in pack.spades)
    return {
        _("a diamond"): pack.gems,
        _("a joker"): pack.jokers,
        _("a rock that breaks"): breaks,
        _("a rock too hard"): len(pack.rocks) - breaks,
        _("a spade, the first"): 0 if spade else len(pack.spades),
        _("a higher spade"): len(pack.spades) - lower if spade else 0,
        _("a lower spade"): lower,
    }


# ------------------------------------------------------------------------------------------ a dig


def _digs(s: Any, me: int) -> OddsTable:
    """Return the chances of each pile, with one row for equal piles."""
    needed = target(s) - count(s.diamonds[me])
    alike: dict[tuple[str, int, Shares], list[int]] = {}
    for pile, how, cards, shares in _choices(s, me):
        alike.setdefault((how, cards, shares), []).append(pile)
    deepest = max((cards for _, cards, _ in alike), default=0)
    columns = [n for n in sorted({1, 2, 3, needed}) if n <= min(needed, deepest)]
    rows = [
        OddsRow(
            ngettext("{piles}: {n} card", "{piles}: {n} cards", cards, piles=f"{_piles(piles)}{how}"),
            tuple(sum(shares[n:], Fraction(0)) for n in columns),
        )
        for (how, cards, shares), piles in alike.items()
    ]
    head = (_("pile"), *(_("wins") if n == needed else _("{n} or more", n=n) for n in columns))
    basis = _(
        "Counted over all ways in which the unseen cards can follow one another (DM-105), until a rock is too hard "
        "(DM-38), another spade comes up (DM-41, DM-46) or the pile is used up (DM-52); after a joker the digger goes "
        "on (DM-49)."
    )
    return OddsTable(_("A dig with {spade}: diamonds found", spade=_held(s, me)), head, tuple(rows), basis)


def _piles(piles: list[int]) -> str:
    """The numbers of piles: ``1, 4``, and for three or more in a row ``2 to 8``."""
    in_a_row = piles[-1] - piles[0] == len(piles) - 1 > 1
    return (
        _("{first} to {last}", first=piles[0] + 1, last=piles[-1] + 1)
        if in_a_row
        else and_list([str(i + 1) for i in piles])
    )


def _choices(s: Any, me: int) -> Iterator[tuple[int, str, int, Shares]]:
    """Yield the digs that the player (or chance) may begin, or the one in progress: the pile, the action on its top
    card, the number of unseen cards in it, and the chances of their results."""
    pack, mine = UnseenCards(s.unseen), s.spade[me]
    first_ends = s.smashed or s.first_spade == END_TURN  # DM-40, DM-65
    if s.stage in (BETWEEN, TURNING) and me == s.player:
        yield s.at, "", s.height[s.at], _dig(pack, mine, s.height[s.at], first_ends)
    if s.stage not in (START, DRAWING, PICKING):
        return
    acts = [0] * ACTIONS
    acts = [DIG_ANY] if s.stage == PICKING else acts[: choices(s, me, acts)]
    for i in range(PILES):
        if s.face[i] == DOWN and (i in acts or DIG_ANY in acts):
            yield i, "", s.height[i], _dig(pack, mine, s.height[i], first_ends)
            continue
        top, below = CARDS[s.top[i] - 1], s.height[i] - 1
        if below > 0 and DESTROY + i in acts:
            yield i, _(", destroying {top}", top=top), below, _dig(pack, mine, below, first_ends)
        if below > 0 and i in acts and s.face[i] < BLADE:
            yield i, _(", breaking {top}", top=top), below, _dig(pack, mine, below, first_ends)
        if below > 0 and i in acts and s.face[i] > BLADE and not mine and not first_ends:
            yield i, _(", taking {top}", top=top), below, _dig(pack, s.face[i] - BLADE, below, first_ends)


def _dig(pack: UnseenCards, spade: int, cards: int, first_ends: bool) -> Shares:
    """Return the chances of the results of ``cards`` cards for a player with this spade (0: none; the first spade found
    may end the dig)."""
    if spade:
        return _found(pack.gems, pack.jokers + pack.broken(spade), pack.left, cards)

    def bare(gems: int, jokers: int, cards: int) -> Shares:
        """Without a spade, every rock is too hard."""
        if not cards:
            return NONE_MORE
        left = gems + jokers + len(pack.rocks) + len(pack.spades)
        cases = [(len(pack.rocks), 0, NONE_MORE)]
        if gems:
            cases.append((gems, 1, bare(gems - 1, jokers, cards - 1)))
        if jokers:
            cases.append((jokers, 0, bare(gems, jokers - 1, cards - 1)))
        for found in pack.spades:
            then = NONE_MORE if first_ends else _found(gems, jokers + pack.broken(found), left - 1, cards - 1)
            cases.append((1, 0, then))
        return _mixed(cases)

    return bare(pack.gems, pack.jokers, cards)


@cache
def _found(gems: int, easy: int, left: int, cards: int) -> Shares:
    """Return the chances of the results of ``cards`` cards, if ``gems`` of the ``left`` cards are diamonds and ``easy``
    others let the dig go on; the rest end it."""
    if not cards:
        return NONE_MORE
    cases = [(left - gems - easy, 0, NONE_MORE)]
    if gems:
        cases.append((gems, 1, _found(gems - 1, easy, left - 1, cards - 1)))
    if easy:
        cases.append((easy, 0, _found(gems, easy - 1, left - 1, cards - 1)))
    return _mixed(cases)


def _mixed(cases: Sequence[tuple[int, int, Shares]]) -> Shares:
    """Combine cases: the number of cards of each, the diamonds found with one of them, and the chances of what
    follows."""
    cards = sum(n for n, _, _ in cases)
    out = [Fraction(0)] * max(found + len(then) for _, found, then in cases)
    for n, found, then in cases:
        for more, share in enumerate(then):
            out[found + more] += Fraction(n, cards) * share
    return tuple(out)
