"""Reasons for a choice: every choice has one, in both languages; what it says is true; hidden cards change nothing.

What a reason says is checked by a fact of its own, which knows the whole position, worlds that the player cannot tell
from it, and what the choice does there; none of them uses the module of the game that finds reasons.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from random import Random
from typing import Any

import pytest

import parlour
from parlour import State, players
from parlour.base.languages import speaking
from parlour.engine.definition import definition, shelf
from parlour.engine.telling import View
from parlour.games.diabolo.bags import LETTERS
from parlour.games.diamonds.position import CARDS as DIAMONDS
from parlour.games.dividha import odds as dividha_odds
from parlour.rules.stops.position import CARD_NAMES
from parlour.rules.vocabulary import count
from parlour.server.page import words as scene
from tests.helpers import Setting, few_settings, rules_of

LONGEST = 90
"""Letters of a reason; German may have a fifth more."""
WORLDS = 6
STEPS = {"dividha": 35, "commit": 200}
"""Of a match: fewer where reasons take long, more where something is rare."""
NAMES = ("Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gus", "Hal")


@dataclass
class Moment:
    """Somebody's choice: the game as it is, who chooses what, and what was found in the reason."""

    state: State
    seat: int
    action: str
    found: re.Match[str]

    @property
    def s(self) -> Any:
        return self.state.position

    @property
    def verb(self) -> str:
        return self.action.partition(" ")[0]

    @property
    def what(self) -> str:
        return self.action.partition(" ")[2]

    def n(self, name: str = "n") -> int:
        return int(self.found[name])

    def share(self, name: str = "share") -> float:
        return int(self.found[name]) / 100

    @cached_property
    def worlds(self) -> list[Any]:
        """The position, and a few that the player cannot tell from it."""
        return [self.s, *(self.state.redeal(self.seat, seed).position for seed in range(WORLDS))]

    def many(self, n: int) -> Iterator[Any]:
        return (self.state.redeal(self.seat, seed).position for seed in range(n))

    @cached_property
    def heard(self) -> list[Any]:
        s, said = self.s.copy(), list[Any]()
        self.state.game.definition.rules.apply(s, self.seat, self.state.game.action_names.index(self.action), said)
        return said

    def says(self, *events: str) -> list[Any]:
        return [event for event in self.heard if event[1] in events and event[3] == self.seat]


Fact = Callable[[Moment], object]


def surely(m: Moment) -> bool:
    return True


def due(m: Moment) -> int:
    return int(m.s.paid[1 - m.seat] - m.s.paid[m.seat])


def is_card(m: Moment, card: str) -> bool:
    return bool(rules_of(m.state.game.id).CARDS[m.s.hand[m.seat] - 1] == card)


KUHN: dict[str, Fact] = {
    r"The king wins every showdown, and a bet makes the pot larger\.": lambda m: is_card(m, "K"),
    r"The pot pays 3 to 1, and one of the two other cards is lower\.": lambda m: is_card(m, "Q") and sum(m.s.paid) == 3,
    r"For 1 chip more you stay in for a pot of 3\.": lambda m: due(m) == 1 and sum(m.s.paid) == 3,
    r"A bluff: the jack wins only if the other player passes\.": lambda m: is_card(m, "J") and not due(m),
    r"If the other player passes, you take the pot without a showdown\.": lambda m: not due(m),
    r"The other player may bet now, and the king wins every showdown\.": lambda m: is_card(m, "K") and m.s.moves == 0,
    r"A pass costs nothing, and your card may still win the showdown\.": lambda m: not due(m) and not is_card(m, "J"),
    r"A pass costs nothing, and the jack loses every showdown\.": lambda m: not due(m) and is_card(m, "J"),
    r"The jack loses every showdown, so a bet would lose 1 chip more\.": lambda m: due(m) == 1 and is_card(m, "J"),
    r"It saves 1 chip: one of the two other cards is higher\.": lambda m: due(m) == 1 and is_card(m, "Q"),
    r"A pass costs nothing more\.": surely,
}


def showdowns(m: Moment) -> float:
    """How many showdowns a hand at Leduc wins, half of one for a tie."""
    mine, board = m.s.hand[m.seat], m.s.board
    left = [card for card in range(1, 7) if card not in (mine, board)]
    deals = [(theirs, board) for theirs in left] if board else list(permutations(left, 2))

    def worth(card: int, board: int) -> int:
        rank, pair = (card + 1) // 2, (board + 1) // 2
        return rank + 10 * (rank == pair)

    won = [worth(mine, board) - worth(theirs, board) for theirs, board in deals]
    return sum((by > 0) + (by == 0) / 2 for by in won) / len(won)


def wins_about(m: Moment) -> bool:
    return abs(showdowns(m) - m.share()) <= 0.0051


def pays(pot: float, price: float, said: str) -> bool:
    return abs(pot / price - float(said.removesuffix(" to 1"))) < 0.051


def pairs(m: Moment) -> bool:
    """Whether the card of which it speaks is the player's, and may be paired by the board, which is still to come."""
    return not m.s.board and is_card(m, m.found["card"])


LEDUC: dict[str, Fact] = {
    r"Nothing beats your pair, and a raise makes the pot larger\.": lambda m: showdowns(m) == 1,
    r"You win about (?P<share>\d+)% of showdowns, and a raise makes the pot larger\.": wins_about,
    r"If the other player folds, the pot of (?P<n>\d+) is yours\.": lambda m: m.n() == sum(m.s.paid),
    r"A call costs nothing, and it hides your pair\.": lambda m: not due(m) and showdowns(m) == 1,
    r"A call costs nothing, and the board may pair (?P<card>\w+)\.": lambda m: not due(m) and pairs(m),
    r"A call costs nothing, and you win about (?P<share>\d+)% of showdowns\.": lambda m: not due(m) and wins_about(m),
    r"A call costs nothing\.": lambda m: not due(m),
    r"The pot pays (?P<pays>.*), and you win about (?P<share>\d+)% of showdowns\.":
        lambda m: pays(sum(m.s.paid), due(m), m.found["pays"]) and wins_about(m)
        and showdowns(m) > due(m) / (sum(m.s.paid) + due(m)),
    r"Nothing beats your pair, and the pot pays (?P<pays>.*)\.":
        lambda m: showdowns(m) == 1 and pays(sum(m.s.paid), due(m), m.found["pays"]),
    r"A call shows the board, which may pair (?P<card>\w+)\.": pairs,
    r"For (?P<n>\d+) chips? more you stay in for a pot of (?P<pot>\d+)\.":
        lambda m: m.n() == due(m) and m.n("pot") == sum(m.s.paid),
    r"You win only about (?P<share>\d+)% of showdowns, too few for (?P<pays>.*)\.":
        lambda m: pays(sum(m.s.paid), due(m), m.found["pays"]) and wins_about(m)
        and showdowns(m) <= due(m) / (sum(m.s.paid) + due(m)),
    r"It saves the (?P<n>\d+) chips? that a call costs\.": lambda m: m.n() == due(m),
}  # fmt: skip


SUITS = {"clubs": "c", "diamonds": "d", "spades": "s", "hearts": "h"}
HEARTS_CARDS = rules_of("hearts").CARDS


def rank(card: str) -> int:
    return "23456789TJQKA".index(card[0])


def in_hand(s: Any, p: int) -> set[str]:
    return {card for c, card in enumerate(HEARTS_CARDS) if s.hand[p] >> c & 1}


def lying(s: Any) -> dict[int, str]:
    return {p: HEARTS_CARDS[s.trick[p] - 1] for p in range(4) if s.trick[p]}


def led(s: Any) -> str:
    return lying(s).get(s.leader, "")


def is_queen_out(m: Moment) -> bool:
    return any("Qs" in in_hand(m.s, p) for p in range(4))


def is_off_suit(m: Moment) -> bool:
    return bool(led(m.s)) and led(m.s)[1] != m.what[1]


def later(s: Any, m: Moment) -> list[str]:
    """The cards of the suit that are higher, in the hands of those who have yet to play."""
    yet = [p for p in range(4) if p != m.seat and p not in lying(s)]
    return [c for p in yet for c in in_hand(s, p) if c[1] == m.what[1] and rank(c) > rank(m.what)]


def is_above(m: Moment) -> bool:
    return not is_off_suit(m) and all(rank(m.what) > rank(c) for c in lying(m.s).values() if c[1] == m.what[1])


HEARTS: dict[str, Fact] = {
    r"No card costs more than the queen of spades\.": lambda m: m.what == "Qs" and (m.verb == "pass" or is_off_suit(m)),
    r"Whoever holds it may have to take the queen of spades\.": lambda m: m.what in ("Ks", "As") and is_queen_out(m),
    r"A heart costs a point, and here somebody else takes it\.": lambda m: m.what[1] == "h" and is_off_suit(m),
    r"A high card takes tricks\.": lambda m: m.what[0] in "JQKA" and (m.verb == "pass" or is_off_suit(m)),
    r"Each heart costs a point\.": lambda m: m.what[1] == "h",
    r"The fewer (?P<suit>\w+) you hold, the sooner you need not follow\.":
        lambda m: m.what[1] == SUITS[m.found["suit"]],
    r"It can’t take this trick, and leaves you fewer (?P<suit>\w+)\.":
        lambda m: is_off_suit(m) and m.what[1] == SUITS[m.found["suit"]],
    r"It may draw out the queen of spades, which you don’t hold\.":
        lambda m: m.what[1] == "s" and rank(m.what) < rank("Qs") and is_queen_out(m)
        and "Qs" not in in_hand(m.s, m.seat) and not lying(m.s),
    r"A low card seldom takes the trick\.": lambda m: rank(m.what) < rank("6c") and not lying(m.s),
    r"It stays below (?P<card>\w+), so it can’t take the trick\.":
        lambda m: m.found["card"] in lying(m.s).values() and m.found["card"][1] == m.what[1] == led(m.s)[1]
        and rank(m.what) < rank(m.found["card"]),
    r"The trick costs you nothing, and you lead next\.": lambda m: any(event[4] <= 0 for event in m.says("takes")),
    r"You take the trick as its last player, and lead next\.": lambda m: any(event[4] > 0 for event in m.says("takes")),
    r"Somebody after you may have higher (?P<suit>\w+), and take it\.":
        lambda m: m.what[1] == SUITS[m.found["suit"]] and any(later(s, m) for s in m.many(60)),
    r"Nobody after you can beat it: you take the trick, and lead next\.":
        lambda m: is_above(m) and not any(later(s, m) for s in m.worlds),
}  # fmt: skip


def pile(m: Moment) -> int:
    return int(m.what) if m.what.isdecimal() else int(m.s.at)


def cards_below(m: Moment) -> int:
    return int(m.s.height[pile(m)] - (m.s.top[pile(m)] > 0))


def strength(card: str) -> int:
    return "23456789TJQKA".index(card[1:].replace("10", "T")) + 2 if card else 0


def unseen(m: Moment) -> list[str]:
    return [card for c, card in enumerate(DIAMONDS) if m.s.unseen >> c & 1]


def broken(m: Moment, spade: int) -> int:
    return sum(card[0] in "CH" and strength(card) <= spade for card in unseen(m))


def own(m: Moment) -> int:
    return int(m.s.spade[m.seat])


def new(m: Moment) -> int:
    return int(m.s.spade[int(m.what)]) if m.verb == "switch" else strength(DIAMONDS[m.s.top[pile(m)] - 1])


def is_free(m: Moment, card: str) -> bool:
    if card[0] in "CH":
        return strength(card) <= own(m)
    return card[0] in "DX" or (own(m) == 0 and m.state.game.options["first_spade"] == "dig_on" and not m.s.smashed)


def goes_on(m: Moment) -> bool:
    return abs(sum(is_free(m, card) for card in unseen(m)) / len(unseen(m)) - m.share()) < 0.0101


def breaks(m: Moment) -> bool:
    return (broken(m, new(m)), broken(m, own(m))) == (m.n(), m.n("m"))


def spade(m: Moment, name: str) -> int:
    return strength(m.found[name]) if m.found[name][0] == "S" else -1


DIAMONDS_FACTS: dict[str, Fact] = {
    r"It is one diamond more for you, and one fewer for (?P<name>\w+)\.":
        lambda m: m.s.diamonds[int(m.what)] and NAMES[int(m.what)] == m.found["name"],
    r"It is your first spade, and breaks rocks for you\.": lambda m: own(m) == 0 and new(m) > 0,
    r"It breaks (?P<n>\d+) of the hidden rocks, yours only (?P<m>\d+)\.": lambda m: breaks(m) and m.n() > m.n("m"),
    r"Your spade breaks (?P<m>\d+) of the hidden rocks, the other (?P<n>\d+)\.":
        lambda m: breaks(m) and m.n() <= m.n("m"),
    r"A stronger spade can destroy the weaker ones\.": lambda m: new(m) > own(m),
    r"(?P<n>\d+) cards? lies? there to be turned up\.":
        lambda m: m.n() == cards_below(m) and max(m.s.height) == m.s.height[pile(m)],
    r"(?P<n>\d+) cards? lies? there, and (?P<share>\d+)% of the hidden cards don’t stop you\.":
        lambda m: m.n() == cards_below(m) > 1 and goes_on(m),  # DM-52
    r"Its rock is the last card there: the pile is then used up\.":
        lambda m: m.s.height[pile(m)] == 1 and DIAMONDS[m.s.top[pile(m)] - 1][0] in "CH",
    r"(?:Only )?(?P<share>\d+)% of the hidden cards don’t stop you\.":
        lambda m: goes_on(m) and ((not m.what.isdecimal() and m.verb == "dig") or cards_below(m) > 1),  # DM-52
    r"It is the last card there, and your turn is over after it\.": lambda m: cards_below(m) == 1,
    r"Nobody can take that spade then(?P<on>, and you dig on below it)?\.":
        lambda m: DIAMONDS[m.s.top[pile(m)] - 1][0] == "S" and m.s.height[pile(m)] > bool(m.found["on"]),
    r"You get a first spade, and (?P<name>\w+) has none\.": lambda m: own(m) == 0 and new(m) > 0,
    r"It spends a joker, and (?P<name>\w+) gets your spade\.":
        lambda m: own(m) and NAMES[int(m.what)] == m.found["name"],
    r"Traded, (?P<old>\w+) would lie there for somebody else\.":
        lambda m: spade(m, "old") == own(m) and m.state.game.options["trade_leaves"] == "on_pile",
    r"You (?:give|stay with) (?P<old>\w+)(?: away for|, and) (?P<new>\w+)(?: lies there for others)?\.":
        lambda m: (spade(m, "new"), spade(m, "old")) == (new(m), own(m)),
    r"A rock that stops you may lie open for (?P<name>\w+)\.":
        lambda m: m.found["name"] == NAMES[p := (m.seat + 1) % m.state.game.players]
        and broken(m, m.s.spade[p]) > broken(m, own(m)),
    r"What lies below stays face down for the others\.": lambda m: m.s.height[pile(m)] > 0,
    r"You keep your joker for a better moment\.": lambda m: m.s.jokers[m.seat],
}  # fmt: skip


RANKS = "A23456789TJQK"


def following(m: Moment, card: str = "") -> str:
    card = card or m.what
    order = RANKS[1:] + "A" if m.state.game.options.get("ace") == "high" else RANKS
    at = order.index(card[0]) + 1
    return order[at] + card[1] if at < len(order) else ""


def holds(s: Any, p: int, card: str) -> bool:
    return bool(card) and bool(s.hand[p] >> CARD_NAMES.index(card) & 1)


def is_held(s: Any, m: Moment, card: str) -> bool:
    return any(holds(s, p, card) for p in range(m.state.game.players))


def can_nobody_follow(m: Moment) -> bool:
    """Whether the card that follows is in no hand, and at Commit nobody else can play the comet instead, whatever the
    player cannot see."""
    n = following(m)
    is_asked = bool(n) and not (m.s.out | m.s.gone) >> CARD_NAMES.index(n) & 1
    comet = m.state.game.id == "commit" and is_asked and m.what != "9d"
    others = [p for p in range(m.state.game.players) if p != m.seat]
    return not any(is_held(s, m, n) or (comet and any(holds(s, p, "9d") for p in others)) for s in m.worlds)


def comes_back(m: Moment) -> bool:
    """Whether a card further up is the player's, and every card on the way may be played."""
    card, n = m.found["card"], following(m)
    while n != card:
        if not n or (m.s.out | m.s.gone) >> CARD_NAMES.index(n) & 1:
            return False
        n = following(m, n)
    return holds(m.s, m.seat, card)


STOPS: dict[str, Fact] = {
    r"It is your last card: you are out\.": lambda m: count(m.s.hand[m.seat]) == 1,
    r"You hold the card that follows it, too\.": lambda m: holds(m.s, m.seat, following(m)),
    r"Nobody can follow it, so you lead again\.": can_nobody_follow,
    r"You may come in again further up, with (?P<card>\w+)\.": comes_back,
    r"Perhaps nobody holds (?P<card>\w+); then you may lead again\.":
        lambda m: m.found["card"] == following(m) and any(not is_held(s, m, following(m)) for s in m.many(150)),
    r"It rids you of a card: (?P<n>\d+) (?:is|are) left in your hand\.":
        lambda m: m.n() == count(m.s.hand[m.seat]) - 1,
}  # fmt: skip


LAYOUT = ("Ah", "Kc", "Qd", "Js")


def lays(m: Moment) -> tuple[int, float]:
    """How many counters are laid, and what an even share of the rest would be; on the card of which it speaks."""
    assert LAYOUT[m.s.at] == m.found.groupdict().get("card", LAYOUT[m.s.at])
    return int(m.what), m.s.left / (4 - m.s.at)


def by(m: Moment) -> int:
    return int(m.s.coins[m.seat] - max(m.s.coins[p] for p in range(m.state.game.players) if p != m.seat))


NEWMARKET: dict[str, Fact] = {
    r"You take the (?P<n>\d+) counters? on it\.": lambda m: m.n() == m.s.pool[LAYOUT.index(m.what)] > 0,
    **STOPS,
    r"An even share: you don’t know your cards yet, and any may win\.": lambda m: lays(m)[0] == int(lays(m)[1]),
    r"It keeps all (?P<n>\d+) for the cards after (?P<card>\w+)\.":
        lambda m: lays(m)[0] == 0 and m.n() == m.s.left,
    r"All that you have left on (?P<card>\w+): it brings most if that is played\.": lambda m: lays(m)[0] == m.s.left,
    r"More than an even share on (?P<card>\w+), less on the cards after it\.": lambda m: lays(m)[0] > lays(m)[1] - 1,
    r"Less than an even share on (?P<card>\w+), more on the cards after it\.": lambda m: lays(m)[0] < lays(m)[1],
    r"You are ahead: the less is at stake, the safer your lead\.": lambda m: m.what == "4" and by(m) > 0,
    r"It is the least that may be named, and risks the fewest counters\.": lambda m: m.what == "4",
    r"You are behind: the more is at stake, the more you can catch up\.": lambda m: m.what != "4" and by(m) < 0,
    r"Everybody stakes as much, so there is more to win\.": lambda m: m.what != "4",
}  # fmt: skip

POOLS = rules_of("pope_joan").POOL_NAMES


def is_pool(m: Moment) -> bool:
    """Whether that many counters or more lie on a pool of that name."""
    return any(name == m.found["pool"] and m.s.pool[k] >= m.n() for k, name in enumerate(POOLS))


POPE_JOAN: dict[str, Fact] = {
    r"It takes (?P<n>\d+) from (?P<pool>\w+)\.":
        lambda m: (m.n(), m.found["pool"]) in [(event[4], POOLS[event[5] - 52]) for event in m.says("takes", "pope")],
    r"It may help you to (?P<n>\d+) from (?P<pool>\w+)\.": is_pool,
    **STOPS,
    r"It rids you of a card at once\.": lambda m: m.verb == "lay" and count(m.s.hand[m.seat]) > 1,
    r"You may still play (?P<card>\w+) when its suit comes up to it\.": lambda m: holds(m.s, m.seat, m.found["card"]),
}  # fmt: skip

COMMIT: dict[str, Fact] = {
    r"Every other player pays you (?P<n>\d+) for it\.":
        lambda m: m.says("paid")[0][4] == m.n() * (m.state.game.players - 1),
    r"Every other player pays you for it, as far as they can\.":
        lambda m: m.verb == "comet" or m.what == "9d" or m.what[0] in "AK",
    **STOPS,
    r"You keep the comet, and may lead it when it is your turn to lead\.": lambda m: holds(m.s, m.seat, "9d"),
}  # fmt: skip


def takes_pool(m: Moment) -> bool:
    """Whether that is how often the player takes the pool, by the table of odds (which is counted)."""
    from parlour.engine.odds import odds

    (table,) = odds(m.state.view(m.seat), [*NAMES, *map(str, range(30))])
    (row,) = [row for row in table.rows if row.label == NAMES[m.seat]]
    chances = [float(chance or 0) for chance in row.chances]
    return bool(abs(chances[m.s.pool[m.seat] - 1] + chances[-1] - m.share()) < 0.0101)


def is_least_stake(m: Moment) -> bool:
    return m.what == m.state.name_of(m.state.legal_actions(m.seat)[0]).split()[1]


MATRIMONY: dict[str, Fact] = {
    r"The dealer shows last, so the fewest counters risk least\.":
        lambda m: m.seat == m.s.dealer and is_least_stake(m),
    r"The fewest counters risk least: the cards decide the rest\.": is_least_stake,
    r"The more lies on the layout, the more there is to win\.": lambda m: int(m.what) > 0,
    r"A counter brings you most here: you take this pool in about (?P<share>\d+)% of deals\.": takes_pool,
    r"It spreads your counters: you take this pool in about (?P<share>\d+)% of deals\.": takes_pool,
    r"A counter brings you more on (?P<pool>\w+)\.":
        lambda m: rules_of("matrimony").POOLS.index(m.found["pool"]) > m.s.pool[m.seat] - 1,
    r"No pool after it brings you more for a counter\.": surely,
    r"It leaves more counters for the pools after it\.": is_least_stake,
}  # fmt: skip


def letter(m: Moment) -> int:
    return ("red", "yellow", "green", "purple", "blue").index(m.found["colour"])


def worth_in(bag: int, c: int) -> int:
    return sum(values(bag, c))


def values(bag: int, c: int) -> list[int]:
    kinds = range(5 * c, 5 * c + 5)
    return [k % 5 + 1 for k in kinds for _n in range(rules_of("diabolo").how_many(bag, k))]


def row(m: Moment) -> int:
    if m.verb == "doubler":
        return LETTERS.index(m.state.game.options["column_order"][m.s.row])
    return LETTERS.index(m.what[0])


def lead(m: Moment, after: bool = True) -> int:
    """By how much the angels lead (below 0: the devils), before or after the card is placed."""
    now = worth_in(m.s.side[1], row(m)) - worth_in(m.s.side[0], row(m))
    value = int(m.what[1]) if m.verb == "place" and after else 0
    return now + value * (1 if m.action.endswith("right") else -1)


def keeps(m: Moment) -> int:
    return worth_in(m.s.hand[m.seat], row(m)) - (0 if m.verb == "doubler" else int(m.what[1]))


def most_of_others(s: Any, m: Moment) -> int:
    return max(worth_in(s.hand[p], row(m)) for p in range(m.state.game.players) if p != m.seat)


def has_most(m: Moment, most: bool = True) -> bool:
    """Whether nobody (or somebody) holds more of the row in many worlds, where that is called probable; the rule of
    thumb estimates it."""
    worlds = [*m.many(30)]
    return sum((most_of_others(s, m) <= keeps(m)) == most for s in worlds) >= 0.3 * len(worlds)


def room(m: Moment) -> int:
    """How many cards the row takes after the one that is placed."""
    return 4 - len(values(m.s.side[0], row(m))) - len(values(m.s.side[1], row(m)))


def positive_later(m: Moment) -> list[int]:
    order = [LETTERS.index(c) for c in m.state.game.options["column_order"][m.s.row + 1 :]]
    return [c for c in order if worth_in(m.s.side[1], c) > worth_in(m.s.side[0], c)]


def is_row(m: Moment, **numbers: int) -> bool:
    """Whether the sentence speaks of the row in question, with these numbers."""
    groups = m.found.groupdict()
    return ("colour" not in groups or letter(m) == row(m)) and all(m.n(name) == n for name, n in numbers.items())


COLOUR = r"(?P<colour>red|yellow|green|purple|blue)"
DIABOLO: dict[str, Fact] = {
    rf"The angels then lead {COLOUR} by (?P<by>\d+), and you still hold (?P<n>\d+)\.":
        lambda m: is_row(m, by=lead(m), n=keeps(m)) and keeps(m) > 0,
    rf"The {COLOUR} row still takes (?P<n>\d) cards?, so the lead may change\.":
        lambda m: is_row(m, n=room(m)) and lead(m) < 0
        and len(values(m.s.side[1], row(m))) + m.action.endswith("right") < 3,
    rf"The devils then lead {COLOUR} by (?P<by>\d+), and you still hold (?P<n>\d+)\.":
        lambda m: is_row(m, by=-lead(m), n=keeps(m)) and keeps(m) > 0,
    rf"It locks the {COLOUR} row, and the round is nearer its end\.": lambda m: is_row(m) and room(m) == 0,
    rf"You then hold no {COLOUR}, so the row can cost you nothing\.": lambda m: is_row(m) and keeps(m) == 0,
    rf"The devils then lead {COLOUR} by (?P<by>\d+), and you hold none\.":
        lambda m: is_row(m, by=-lead(m)) and keeps(m) == 0,
    rf"The devils then lead {COLOUR} by (?P<by>\d+), and others probably hold more\.":
        lambda m: is_row(m, by=-lead(m)) and has_most(m, False),
    rf"It is (?P<value>\d) less to lose in {COLOUR}: the devils lead there\.":
        lambda m: is_row(m, value=int(m.what[1])) and lead(m, after=False) < 0 and lead(m) < 0,
    rf"It helps the angels in {COLOUR}, where you still hold (?P<n>\d+)\.":
        lambda m: is_row(m, n=keeps(m)) and lead(m) > lead(m, after=False) and keeps(m) > 0,
    rf"It holds the angels back in {COLOUR}, where others probably hold more\.":
        lambda m: is_row(m) and lead(m) < lead(m, after=False) and has_most(m, False),
    r"The row is negative: it is (?P<value>\d) less to lose\.":
        lambda m: lead(m) < 0 and m.n("value") == int(m.what[1]),
    rf"(?:The|It leaves) {COLOUR} (?:row is )?even, (?:so the card counts for|and an even row brings nobody) .*\.":
        lambda m: is_row(m) and lead(m) == 0,
    r"You hold no lower card, so it costs you least\.":
        lambda m: int(m.what[1]) == min(v for c in range(5) for v in values(m.s.hand[m.seat], c)),
    rf"You still hold (?P<n>\d+) in {COLOUR}, which is positive\.": lambda m: is_row(m, n=keeps(m)) and lead(m) > 0,
    r"Nobody can hold more than your (?P<n>\d+): the row brings you (?P<twice>\d+)\.":
        lambda m: is_row(m, n=keeps(m), twice=2 * keeps(m))
        and all(most_of_others(s, m) <= keeps(m) for s in m.many(60)),
    r"You probably hold most, and (?P<n>\d+) become (?P<twice>\d+)\.":
        lambda m: is_row(m, n=keeps(m), twice=2 * keeps(m)) and has_most(m),
    r"No later row is positive, and a Doubler kept is worth nothing\.": lambda m: not positive_later(m),
    r"If nobody holds more than your (?P<n>\d+), they become (?P<twice>\d+)\.":
        lambda m: is_row(m, n=keeps(m), twice=2 * keeps(m)),
    r"All answers are known before a hand is shown\.": surely,
    rf"You hold no {COLOUR}, so there is nothing to double\.": lambda m: is_row(m) and keeps(m) == 0,
    rf"You hold more {COLOUR}, which is positive and comes later\.":
        lambda m: letter(m) in positive_later(m) and worth_in(m.s.hand[m.seat], letter(m)) > keeps(m),
    rf"(?P<name>\w+) has shown more {COLOUR} than your (?P<n>\d+)\.":
        lambda m: is_row(m, n=keeps(m)) and worth_in(m.s.hand[NAMES.index(m.found["name"])], row(m)) > keeps(m),
    r"Somebody may hold more than your (?P<n>\d+), and a Doubler is spent either way\.": lambda m: m.n() == keeps(m),
    r"Without it the row still brings you (?P<n>\d+)\.":
        lambda m: is_row(m, n=keeps(m)) and all(most_of_others(s, m) <= keeps(m) for s in m.many(60)),
}  # fmt: skip


def beaten(m: Moment) -> float:
    """How many showdowns a hand of Diamondback wins in worlds that may be, half of one for a tie."""
    worlds = [*m.many(120)]
    best = [max(s.hand[p] for p in live(s) if p != m.seat) for s in worlds]
    return float(sum((m.s.hand[m.seat] > b) + (m.s.hand[m.seat] == b) / 2 for b in best) / len(worlds))


def wins_so_often(m: Moment) -> bool:
    """Within what 120 worlds can tell."""
    return abs(beaten(m) - m.share()) < 0.2


def price(m: Moment) -> int:
    return int(m.s.wager * (2 if m.state.game.options["version"] == "dealers" else 1))


def in_it(m: Moment) -> int:
    return count(m.s.live)


def up_and_down(m: Moment) -> tuple[str, str]:
    higher, lower = rules_of("diamondback").HANDS[m.s.hand[m.seat] - 1].split("-")
    return (higher, lower) if m.what == higher else (lower, higher)


DIAMONDBACK: dict[str, Fact] = {
    r"The pot pays (?P<pays>.*), and you win about (?P<share>\d+)% of showdowns\.":
        lambda m: pays(m.s.pot, price(m), m.found["pays"]) and wins_so_often(m)
        and m.share() > price(m) / (m.s.pot + price(m)) - 0.01,
    r"For (?P<n>\d+) coins? more you stay in for a pot of (?P<pot>\d+)\.":
        lambda m: (m.n(), m.n("pot")) == (price(m), m.s.pot),
    r"You win only about (?P<share>\d+)% of showdowns, and opening costs coins\.":
        lambda m: wins_so_often(m) and m.share() < 1 / in_it(m) + 0.01 and m.s.wager == 0,
    r"It costs nothing more, and the pot stays for the next hand\.": lambda m: m.s.pot > 0 and m.s.wager == 0,
    r"It costs nothing, and the next hand may be better\.": lambda m: m.s.pot == 0,
    r"You win only about (?P<share>\d+)% of showdowns, too few for (?P<pays>.*)\.":
        lambda m: pays(m.s.pot, price(m), m.found["pays"]) and wins_so_often(m)
        and m.share() <= price(m) / (m.s.pot + price(m)) + 0.01,
    r"Players who pay this much usually hold more than chance gives them\.": lambda m: m.s.wager > 0,
    r"It saves the (?P<n>\d+) coins? that staying in costs\.": lambda m: m.n() == price(m) > 0,
    r"You win about (?P<share>\d+)% of showdowns, more than one in (?P<n>\d)\.":
        lambda m: wins_so_often(m) and m.n() == in_it(m) and m.share() > 1 / in_it(m) - 0.01,
    r"If everybody folds, the pot of (?P<n>\d+) is yours\.": lambda m: m.n() == m.s.pot > 0,
    r"It is the least that keeps you in the hand\.": lambda m: m.what == "1",
    r"Whoever wants to stay in must match it\.": lambda m: m.verb == "wager",
    r"You win only about (?P<share>\d+)% of showdowns, so pay no more\.":
        lambda m: wins_so_often(m) and m.share() < 1 / in_it(m) + 0.01,
    r"The pot of (?P<n>\d+) is decided without another coin\.": lambda m: m.n() == m.s.pot,
    r"If the dealer wagers again, others may fold\.": lambda m: m.seat != m.s.dealer or m.verb == "on",
    r"Hands with (?P<card>\w+) are worth more, so others fold sooner\.": lambda m: up_and_down(m)[0] == m.found["card"],
    r"It hides (?P<card>\w+), so your hand looks weaker\.": lambda m: up_and_down(m)[1] == m.found["card"],
    r"Hands with either card are worth the same on average\.": surely,
    r"Nobody knows their cards yet, and the least risks least\.": lambda m: m.what == "1" and not any(m.s.hand),
    r"Everybody pays as much, so there is more to win\.": lambda m: int(m.what) > 1,
    r"The ante buys you two cards for a pot of (?P<n>\d+)\.": lambda m: m.n() == m.s.pot,
    r"It saves the ante of (?P<n>\d+) coins?: you sit out one hand\.": lambda m: m.n() == m.s.wager,
    r"You are (?P<n>\d+) coins? behind: only more hands win them back\.":
        lambda m: m.n() == int(m.state.game.options["start_coins"]) - m.s.coins[m.seat],
    r"The pot of (?P<n>\d+) is still to be won\.": lambda m: m.n() == m.s.pot > 0,
    r"Another hand is another chance to win coins\.": surely,
    r"You are (?P<n>\d+) coins? ahead, and keep them if the match ends\.":
        lambda m: m.n() == m.s.coins[m.seat] - int(m.state.game.options["start_coins"]),
    r"If the match ends now, you keep your (?P<n>\d+) coins?\.": lambda m: m.n() == m.s.coins[m.seat],
    r"You have no winnings to forfeit, and go with your coins\.":
        lambda m: m.s.coins[m.seat] <= int(m.state.game.options["start_coins"]),
    r"You keep (?P<n>\d+) coins? for certain\.": lambda m: 0 < m.n() <= m.s.coins[m.seat],
    r"If the match ends now, you forfeit nothing\.": lambda m: m.s.forfeit,
}  # fmt: skip


def live(s: Any) -> list[int]:
    return [p for p in range(s.players) if s.live >> p & 1]


def costs(m: Moment) -> int:
    return int(min(m.s.level - m.s.put[m.seat], m.s.coins[m.seat]))


def cards(m: Moment) -> int:
    return int(m.s.private[m.seat] | m.s.public[m.seat])


def hand(m: Moment) -> int:
    d = rules_of("dividha")
    if m.verb == "discard":
        return cards(m) & ~(1 << int(d.CARDS.index(m.what)))
    five = [c for c in range(56) if cards(m) >> c & 1 and c != m.s.discard[m.seat] - 1]
    if m.verb == "lay":
        return sum(1 << five[int(n) - 1] for n in m.what.split())
    laid = m.s.laid[m.seat]
    return sum(1 << c for i, c in enumerate(five) if not laid or laid >> i & 1)


def how(m: Moment) -> int:
    return int(rules_of("dividha").ranking_of(m.s, m.seat))


def scores(m: Moment) -> tuple[int, list[int]]:
    """What the hand is worth, and what each other legal choice of this kind would be."""
    d, found = rules_of("dividha"), []
    for a in m.state.legal_actions(m.seat):
        found.append(d.score(how(m), hand(Moment(m.state, m.seat, m.state.name_of(a), m.found))))
    return d.score(how(m), hand(m)), found


def called(m: Moment) -> str:
    d = rules_of("dividha")
    return str(d.CATEGORIES[d.category(how(m), d.score(how(m), hand(m)))])


def is_hand(m: Moment) -> bool:
    return called(m) == m.found["hand"]


def ends_of(how: int, six: int, showdown: int) -> tuple[int, int]:
    single = ctypes.c_int64 * 1
    lowest, highest = single(), single()
    code = dividha_odds.KERNEL.compiled(definition("dividha"))
    code.rate(how, showdown, single(), single(dividha_odds.DEALT), single(six), lowest, highest)
    return lowest[0], highest[0]


@lru_cache(maxsize=2)
def reached(record: str, seat: int) -> tuple[float, float]:
    """How often a seat's cards are the weakest and the strongest in 30 worlds, dealing out what is missing."""
    d, random, hits, state = rules_of("dividha"), Random(1), [0, 0], parlour.replay(record)
    for s in (state.redeal(seat, seed).position for seed in range(30)):
        held = sum(s.private[p] | s.public[p] for p in live(s))
        left = [c for c in range(56) if not held >> c & 1]
        random.shuffle(left)
        ends = {}
        for p in live(s):
            six = s.private[p] | s.public[p]
            while count(six) < 6:
                six |= 1 << left.pop()
            ends[p] = ends_of(d.ranking_of(s, p), six, s.showdown)
        for end, best in enumerate((min, max)):
            hits[end] += ends[seat][end] == best(these[end] for these in ends.values())
    return hits[0] / 30, hits[1] / 30


def reaches(m: Moment) -> float:
    return reached(m.state.record(), m.seat)[m.found["aim"] == "strongest"]


def is_often(m: Moment) -> bool:
    """Whether an end is reached more often than one time in as many as are in the hand, as far as 30 worlds tell."""
    return reaches(m) > 0.55 / count(m.s.live) - 0.05


def is_worth_it(m: Moment) -> bool:
    """Whether half the pot pays for a call, as far as 30 worlds tell."""
    return bool(reaches(m) > costs(m) / (m.s.pot / 2 + costs(m)) - 0.2)


AIM = r"the (?P<aim>strongest|weakest) hand"
DIVIDHA: dict[str, Fact] = {
    rf"You probably hold {AIM}, and a raise makes the pot larger\.": is_often,
    rf"You hold {AIM} more often than one time in (?P<n>\d)\.": lambda m: m.n() == count(m.s.live) and is_often(m),
    r"If everybody else folds, the pot of (?P<n>\d+) is yours\.":
        lambda m: m.n() == m.s.pot and all(m.s.coins[p] for p in live(m.s) if p != m.seat),
    r"Those who have coins left must pay to stay in\.": lambda m: m.verb == "raise",
    r"The ante stays as it is for the next hand\.": lambda m: m.s.phase == 0,
    r"It costs nothing, and more cards are to come\.": lambda m: costs(m) <= 0 and count(cards(m)) < 6,
    r"It costs nothing, and you stay in the hand\.": lambda m: costs(m) <= 0,
    rf"You hold {AIM} often enough to pay (?P<n>\d+) coins? for half the pot\.":
        lambda m: m.n() == costs(m) and is_worth_it(m),
    r"More cards are to come, and they may be worth (?P<n>\d+) coins?\.":
        lambda m: m.n() == costs(m) and count(cards(m)) < 6,
    r"For (?P<n>\d+) coins? more you stay in for a pot of (?P<pot>\d+)\.":
        lambda m: m.n() == costs(m) and m.n("pot") == m.s.pot,
    r"You pay nothing more in this hand\.": lambda m: costs(m) <= 0,
    r"(?:It saves the|You hold either end too seldom to pay) (?P<n>\d+) coins?(?: that a call costs| more)\.":
        lambda m: m.n() == costs(m) > 0,
    rf"(?:It goes for|Your cards make) {AIM} (?:alone|more often than the other end)\.":
        lambda m: int(m.what) == (m.s.owed if m.found["aim"] == "strongest" else 0),
    r"Most of your coins already lie on that side\.":
        lambda m: (m.s.win[m.seat] + m.s.fee_win[m.seat] > (m.s.paid[m.seat] + m.s.fees[m.seat] - m.s.owed) / 2)
        == (int(m.what) == m.s.owed),
    r"Coins on both sides don’t give away which end you go for\.":
        lambda m: 0 < int(m.what) < m.s.owed and m.state.game.options["splits"] == "secret",
    r"It goes for both ends of the pot\.": lambda m: 0 < int(m.what) < m.s.owed,
    r"No card of yours does less for a strong hand\.": surely,
    r"No card of yours does more for a strong hand: you want a weak one\.": surely,
    r"Another card from the deck may suit your hand better\.": lambda m: m.verb == "trade",
    r"Each of your cards helps the others to a strong hand\.": lambda m: m.verb == "stand",
    r"No card of yours makes the hand strong: you want a weak one\.": lambda m: m.verb == "stand",
    r"It saves the coins that another trade costs\.": lambda m: m.s.pay_to_trade,
    r"A card from the deck may be worse than what you have\.": lambda m: m.verb == "stand",
    r"It (?:leaves|is) (?P<hand>.*), the strongest that you can (?:keep|lay)\.":
        lambda m: is_hand(m) and scores(m)[0] == max(scores(m)[1]),
    r"It (?:leaves|is) (?P<hand>.*), the weakest that you can (?:keep|lay)\.":
        lambda m: is_hand(m) and scores(m)[0] == min(scores(m)[1]),
    r"It (?:leaves|is) (?P<hand>.*), between your strongest and your weakest\.": is_hand,
    r"Your hand is (?P<hand>.*), and a wrong name is penalised\.": lambda m: is_hand(m) and m.what == m.found["hand"],
    r"Another name than your hand’s costs the penalty\.": lambda m: m.s.aural_rule and m.what != called(m),
    r"So the Rule of Order wants the cards to lie\.": lambda m: m.s.rule_of_order,
    r"Another order than the rule’s costs the penalty\.": lambda m: m.s.rule_of_order,
    r"You have less than the average: a lower ante keeps you in longer\.":
        lambda m: m.s.coins[m.seat] * count(m.s.seated) < sum(m.s.coins),
    r"A lower ante costs you less in every hand\.": surely,
    r"You have no less than the average: the ante presses the others\.":
        lambda m: m.s.coins[m.seat] * count(m.s.seated) >= sum(m.s.coins),
    r"With the ante as it is, there is more in each pot to win\.": lambda m: m.verb == "refuse",
    r"You may come back before any later hand\.": lambda m: m.s.absences,
    r"You pay the ante even while away, and can win only if you play\.": lambda m: m.s.absences,
}  # fmt: skip

FACTS: dict[str, dict[str, Fact]] = {
    "kuhn": KUHN, "leduc": LEDUC, "hearts": HEARTS, "diamonds": DIAMONDS_FACTS, "newmarket": NEWMARKET,
    "pope_joan": POPE_JOAN, "commit": COMMIT, "matrimony": MATRIMONY, "diabolo": DIABOLO, "diamondback": DIAMONDBACK,
    "dividha": DIVIDHA,
}  # fmt: skip


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The odds of Dividha are sampled; a few deals are enough here."""
    monkeypatch.setattr(dividha_odds, "SAMPLES", 500)
    dividha_odds.sampled.cache_clear()
    yield
    dividha_odds.sampled.cache_clear()


def choices(setting: Setting, seed: int, steps: int) -> Iterator[tuple[State, int, str]]:
    """Choices in a match that is played at random, or sensibly where the game has a rule of thumb: one of each kind,
    and the one that is made."""
    game, random = setting.load(), Random(f"{setting} {seed}")
    state = game.new(seed=seed)
    thumb = players.make("rule-of-thumb", game, seed) if seed % 2 and game.definition.has("appraise") else None
    while not state.is_terminal and len(state.history) < steps:
        seat = random.choice(state.acting)
        legal = state.legal_actions(seat)
        made = thumb.choose(state.view(seat), legal) if thumb else random.choice(legal)
        if len(legal) > 1:
            kinds = dict[str, list[int]]()
            for a in legal:
                kinds.setdefault(state.name_of(a).split()[0], []).append(a)
            for a in {made, *map(random.choice, kinds.values())}:
                yield state, seat, state.name_of(a)
        state.apply(made, seat)


def why(state: State, seat: int, action: str) -> str:
    return scene.drawing(state.game.id).reason(action, state.view(seat), [*NAMES, *map(str, range(20))])


@pytest.mark.parametrize("game", shelf())
def test_every_choice_has_a_reason_that_is_true_and_short(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In both languages, and the same in a world that looks the same to the seat; none is imagined for it."""
    facts, told = {re.compile(said): fact for said, fact in FACTS[game].items()}, set[str]()
    for number, setting in enumerate(few_settings(game)):
        for state, seat, action in choices(setting, number, STEPS.get(game, 90)):
            with monkeypatch.context() as no_worlds:
                no_worlds.delattr(View, "redeal")
                said = why(state, seat, action)
            found = [(m, fact) for text, fact in facts.items() if (m := text.fullmatch(said))]
            assert found, (str(setting), action, said)
            match, fact = found[0]
            assert fact(Moment(state, seat, action, match)), (str(setting), len(state.history), seat, action, said)
            if said not in told:
                told.add(said)
                assert why(state.redeal(seat, number), seat, action) == said
                english = scene.in_words(game, said)
                with speaking("de"):
                    german = scene.in_words(game, why(state, seat, action))
                assert english.endswith(".")
                assert len(english) <= LONGEST, english
                assert german.endswith(".")
                assert german != english
                assert len(german) <= 1.2 * LONGEST, german
