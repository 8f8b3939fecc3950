"""Reasons for a choice: every choice has one, in both languages; what it says is true; hidden cards change nothing.

What a reason says is checked by a fact of its own, which knows the whole position, worlds that the player cannot tell
from it, and what the choice does there; none of them uses the module of the game that finds reasons.  In sentences
stand patterns, and names of what is filled in, such as ``<n>``.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
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
from parlour.games.diamonds.position import CARDS
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


class Moment:
    """Somebody's choice: the game as it is, who chooses what, and what was found in the reason."""

    def __init__(self, state: State, seat: int, action: str, found: re.Match[str]) -> None:
        self.state, self.seat, self.action, self.found = state, seat, action, found
        self.s: Any = state.position
        self.verb, _, self.what = action.partition(" ")
        self.players, self.options = state.game.players, state.game.options

    def __getitem__(self, name: str) -> str:
        """A word of the sentence."""
        return self.found[name]

    def n(self, name: str = "n") -> int:
        """A number of the sentence."""
        return int(self[name])

    def share(self) -> float:
        return self.n("share") / 100

    @cached_property
    def worlds(self) -> list[Any]:
        """The position, and a few that the player cannot tell from it."""
        return [self.s, *(self.state.redeal(self.seat, seed).position for seed in range(WORLDS))]

    def many(self, n: int) -> Iterator[Any]:
        return (self.state.redeal(self.seat, seed).position for seed in range(n))

    def says(self, *events: str) -> list[Any]:
        """What is then told of the player."""
        s, said = self.s.copy(), list[Any]()
        self.state.game.definition.rules.apply(s, self.seat, self.state.game.action_names.index(self.action), said)
        return [event for event in said if event[1] in events and event[3] == self.seat]


Fact = Callable[[Moment], object]


def surely(m: Moment) -> bool:
    return True


def pot(m: Moment) -> int:
    return int(m.s.pot if "pot" in m.state.game.definition.fields else sum(m.s.paid))


def due(m: Moment) -> int:
    """What it costs to stay in, at any kind of poker."""
    if m.state.game.id == "diamondback":
        return int(m.s.wager * (2 if m.options["version"] == "dealers" else 1))
    if m.state.game.id == "dividha":
        return int(min(m.s.level - m.s.put[m.seat], m.s.coins[m.seat]))
    return int(m.s.paid[1 - m.seat] - m.s.paid[m.seat])


def is_card(m: Moment, card: str) -> bool:
    return bool(rules_of(m.state.game.id).CARDS[m.s.hand[m.seat] - 1] == card)


STAYING: dict[str, Fact] = {
    "For <n> (?:chip|coin)s? more you stay in for a pot of <pot>.": lambda m: (m.n(), m.n("pot")) == (due(m), pot(m)),
    "If (?:the other player|everybody) folds, the pot of <n> is yours.": lambda m: m.n() == pot(m) > 0,
    "It saves the <n> (?:chip|coin)s? that (?:a call|staying in) costs.": lambda m: m.n() == due(m) > 0,
}

KUHN: dict[str, Fact] = {
    "The king wins every showdown, and a bet makes the pot larger.": lambda m: is_card(m, "K"),
    "The pot pays 3 to 1, and one of the two other cards is lower.": lambda m: is_card(m, "Q") and pot(m) == 3,
    **STAYING,
    "A bluff: the jack wins only if the other player passes.": lambda m: is_card(m, "J") and not due(m),
    "If the other player passes, you take the pot without a showdown.": lambda m: not due(m),
    "The other player may bet now, and the king wins every showdown.": lambda m: is_card(m, "K") and m.s.moves == 0,
    "A pass costs nothing, and your card may still win the showdown.": lambda m: not due(m) and not is_card(m, "J"),
    "A pass costs nothing, and the jack loses every showdown.": lambda m: not due(m) and is_card(m, "J"),
    "The jack loses every showdown, so a bet would lose 1 chip more.": lambda m: due(m) == 1 and is_card(m, "J"),
    "It saves 1 chip: one of the two other cards is higher.": lambda m: due(m) == 1 and is_card(m, "Q"),
    "A pass costs nothing more.": surely,
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
    """Exactly at Leduc, and at Diamondback within what worlds that may be can tell."""
    if m.state.game.id == "leduc":
        return abs(showdowns(m) - m.share()) <= 0.0051
    best = [max(s.hand[p] for p in live(s) if p != m.seat) for s in m.many(120)]
    won = sum((m.s.hand[m.seat] > b) + (m.s.hand[m.seat] == b) / 2 for b in best)
    return bool(abs(won / 120 - m.share()) < 0.2)


def pays(m: Moment) -> bool:
    return abs(pot(m) / due(m) - float(m["pays"].removesuffix(" to 1"))) < 0.051


def pairs(m: Moment) -> bool:
    """Whether the card of which it speaks is the player's, and may be paired by the board, which is still to come."""
    return not m.s.board and is_card(m, m["card"])


CALLING: dict[str, Fact] = {
    **STAYING,
    "The pot pays <pays>, and you win about <share>% of showdowns.":
        lambda m: pays(m) and wins_about(m) and m.share() > due(m) / (pot(m) + due(m)) - 0.01,
    "You win only about <share>% of showdowns, too few for <pays>.":
        lambda m: pays(m) and wins_about(m) and m.share() <= due(m) / (pot(m) + due(m)) + 0.01,
}  # fmt: skip

LEDUC: dict[str, Fact] = {
    "Nothing beats your pair, and a raise makes the pot larger.": lambda m: showdowns(m) == 1,
    "You win about <share>% of showdowns, and a raise makes the pot larger.": wins_about,
    **CALLING,
    "A call costs nothing, and it hides your pair.": lambda m: not due(m) and showdowns(m) == 1,
    "A call costs nothing, and the board may pair <card>.": lambda m: not due(m) and pairs(m),
    "A call costs nothing, and you win about <share>% of showdowns.": lambda m: not due(m) and wins_about(m),
    "A call costs nothing.": lambda m: not due(m),
    "Nothing beats your pair, and the pot pays <pays>.": lambda m: showdowns(m) == 1 and pays(m),
    "A call shows the board, which may pair <card>.": pairs,
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


HEARTS: dict[str, Fact] = {
    "No card costs more than the queen of spades.": lambda m: m.what == "Qs" and (m.verb == "pass" or is_off_suit(m)),
    "Whoever holds it may have to take the queen of spades.": lambda m: m.what in ("Ks", "As") and is_queen_out(m),
    "A heart costs a point, and here somebody else takes it.": lambda m: m.what[1] == "h" and is_off_suit(m),
    "A high card takes tricks.": lambda m: m.what[0] in "JQKA" and (m.verb == "pass" or is_off_suit(m)),
    "Each heart costs a point.": lambda m: m.what[1] == "h",
    "The fewer <suit> you hold, the sooner you need not follow.": lambda m: m.what[1] == SUITS[m["suit"]],
    "It can’t take this trick, and leaves you fewer <suit>.":
        lambda m: is_off_suit(m) and m.what[1] == SUITS[m["suit"]],
    "It may draw out the queen of spades, which you don’t hold.":
        lambda m: m.what[1] == "s" and rank(m.what) < rank("Qs") and is_queen_out(m)
        and "Qs" not in in_hand(m.s, m.seat) and not lying(m.s),
    "A low card seldom takes the trick.": lambda m: rank(m.what) < rank("6c") and not lying(m.s),
    "It stays below <card>, so it can’t take the trick.":
        lambda m: m["card"] in lying(m.s).values() and m["card"][1] == m.what[1] == led(m.s)[1]
        and rank(m.what) < rank(m["card"]),
    "The trick costs you nothing, and you lead next.": lambda m: any(event[4] <= 0 for event in m.says("takes")),
    "You take the trick as its last player, and lead next.": lambda m: any(event[4] > 0 for event in m.says("takes")),
    "Somebody after you may have higher <suit>, and take it.":
        lambda m: m.what[1] == SUITS[m["suit"]] and any(later(s, m) for s in m.many(60)),
    "Nobody after you can beat it: you take the trick, and lead next.":
        lambda m: not is_off_suit(m) and all(rank(m.what) > rank(c) for c in lying(m.s).values() if c[1] == m.what[1])
        and not any(later(s, m) for s in m.worlds),
}  # fmt: skip


def pile(m: Moment) -> int:
    return int(m.what) if m.what.isdecimal() else int(m.s.at)


def cards_below(m: Moment) -> int:
    return int(m.s.height[pile(m)] - (m.s.top[pile(m)] > 0))


def strength(card: str) -> int:
    return "23456789TJQKA".index(card[1:].replace("10", "T")) + 2 if card else 0


def unseen(m: Moment) -> list[str]:
    return [card for c, card in enumerate(CARDS) if m.s.unseen >> c & 1]


def broken(m: Moment, spade: int) -> int:
    return sum(card[0] in "CH" and strength(card) <= spade for card in unseen(m))


def own(m: Moment) -> int:
    return int(m.s.spade[m.seat])


def new(m: Moment) -> int:
    return int(m.s.spade[int(m.what)]) if m.verb == "switch" else strength(CARDS[m.s.top[pile(m)] - 1])


def is_free(m: Moment, card: str) -> bool:
    if card[0] in "CH":
        return strength(card) <= own(m)
    return card[0] in "DX" or (own(m) == 0 and m.options["first_spade"] == "dig_on" and not m.s.smashed)


def goes_on(m: Moment) -> bool:
    return abs(sum(is_free(m, card) for card in unseen(m)) / len(unseen(m)) - m.share()) < 0.0101


def breaks(m: Moment) -> bool:
    return (broken(m, new(m)), broken(m, own(m))) == (m.n(), m.n("m"))


def spade(m: Moment, name: str) -> int:
    return strength(m[name]) if m[name][0] == "S" else -1


DIAMONDS: dict[str, Fact] = {
    "It is one diamond more for you, and one fewer for <name>.":
        lambda m: m.s.diamonds[int(m.what)] and NAMES[int(m.what)] == m["name"],
    "It is your first spade, and breaks rocks for you.": lambda m: own(m) == 0 and new(m) > 0,
    "It breaks <n> of the hidden rocks, yours only <m>.": lambda m: breaks(m) and m.n() > m.n("m"),
    "Your spade breaks <m> of the hidden rocks, the other <n>.": lambda m: breaks(m) and m.n() <= m.n("m"),
    "A stronger spade can destroy the weaker ones.": lambda m: new(m) > own(m),
    "<n> cards? lies? there to be turned up.":
        lambda m: m.n() == cards_below(m) and max(m.s.height) == m.s.height[pile(m)],
    "<n> cards? lies? there, and <share>% of the hidden cards don’t stop you.":
        lambda m: m.n() == cards_below(m) > 1 and goes_on(m),  # DM-52
    "Its rock is the last card there: the pile is then used up.":
        lambda m: m.s.height[pile(m)] == 1 and CARDS[m.s.top[pile(m)] - 1][0] in "CH",
    "(?:Only )?<share>% of the hidden cards don’t stop you.":
        lambda m: goes_on(m) and ((not m.what.isdecimal() and m.verb == "dig") or cards_below(m) > 1),  # DM-52
    "It is the last card there, and your turn is over after it.": lambda m: cards_below(m) == 1,
    "Nobody can take that spade then(?P<on>, and you dig on below it)?.":
        lambda m: CARDS[m.s.top[pile(m)] - 1][0] == "S" and m.s.height[pile(m)] > bool(m["on"]),
    "You get a first spade, and <name> has none.": lambda m: own(m) == 0 and new(m) > 0,
    "It spends a joker, and <name> gets your spade.": lambda m: own(m) and NAMES[int(m.what)] == m["name"],
    "Traded, <old> would lie there for somebody else.":
        lambda m: spade(m, "old") == own(m) and m.options["trade_leaves"] == "on_pile",
    "You (?:give|stay with) <old>(?: away for|, and) <new>(?: lies there for others)?.":
        lambda m: (spade(m, "new"), spade(m, "old")) == (new(m), own(m)),
    "A rock that stops you may lie open for <name>.": lambda m: m["name"] == NAMES[p := (m.seat + 1) % m.players]
        and broken(m, m.s.spade[p]) > broken(m, own(m)),
    "What lies below stays face down for the others.": lambda m: m.s.height[pile(m)] > 0,
    "You keep your joker for a better moment.": lambda m: m.s.jokers[m.seat],
}  # fmt: skip


RANKS = "A23456789TJQK"


def following(m: Moment, card: str = "") -> str:
    card = card or m.what
    order = RANKS[1:] + "A" if m.options.get("ace") == "high" else RANKS
    at = order.index(card[0]) + 1
    return order[at] + card[1] if at < len(order) else ""


def holds(s: Any, card: str, *players: int) -> bool:
    """Whether one of them does."""
    return bool(card) and any(s.hand[p] >> CARD_NAMES.index(card) & 1 for p in players)


def can_nobody_follow(m: Moment) -> bool:
    """Whether the card that follows is in no hand, and at Commit nobody else can play the comet instead, whatever the
    player cannot see."""
    n = following(m)
    is_asked = bool(n) and not (m.s.out | m.s.gone) >> CARD_NAMES.index(n) & 1
    comet = m.state.game.id == "commit" and is_asked and m.what != "9d"
    others = [p for p in range(m.players) if p != m.seat]
    return not any(holds(s, n, m.seat, *others) or (comet and holds(s, "9d", *others)) for s in m.worlds)


def comes_back(m: Moment) -> bool:
    """Whether a card further up is the player's, and every card on the way may be played."""
    card, n = m["card"], following(m)
    while n != card:
        if not n or (m.s.out | m.s.gone) >> CARD_NAMES.index(n) & 1:
            return False
        n = following(m, n)
    return holds(m.s, card, m.seat)


STOPS: dict[str, Fact] = {
    "It is your last card: you are out.": lambda m: count(m.s.hand[m.seat]) == 1,
    "You hold the card that follows it, too.": lambda m: holds(m.s, following(m), m.seat),
    "Nobody can follow it, so you lead again.": can_nobody_follow,
    "You may come in again further up, with <card>.": comes_back,
    "Perhaps nobody holds <card>; then you may lead again.":
        lambda m: m["card"] == following(m) and any(not holds(s, m["card"], *range(m.players)) for s in m.many(150)),
    "It rids you of a card: <n> (?:is|are) left in your hand.": lambda m: m.n() == count(m.s.hand[m.seat]) - 1,
}  # fmt: skip


LAYOUT = ("Ah", "Kc", "Qd", "Js")


def lays(m: Moment) -> tuple[int, float]:
    """How many counters are laid, and what an even share of the rest would be; on the card of which it speaks."""
    assert LAYOUT[m.s.at] == m.found.groupdict().get("card", LAYOUT[m.s.at])
    return int(m.what), m.s.left / (4 - m.s.at)


def by(m: Moment) -> int:
    return int(m.s.coins[m.seat] - max(m.s.coins[p] for p in range(m.players) if p != m.seat))


NEWMARKET: dict[str, Fact] = {
    "You take the <n> counters? on it.": lambda m: m.n() == m.s.pool[LAYOUT.index(m.what)] > 0,
    **STOPS,
    "An even share: you don’t know your cards yet, and any may win.": lambda m: lays(m)[0] == int(lays(m)[1]),
    "It keeps all <n> for the cards after <card>.": lambda m: lays(m)[0] == 0 and m.n() == m.s.left,
    "All that you have left on <card>: it brings most if that is played.": lambda m: lays(m)[0] == m.s.left,
    "More than an even share on <card>, less on the cards after it.": lambda m: lays(m)[0] > lays(m)[1] - 1,
    "Less than an even share on <card>, more on the cards after it.": lambda m: lays(m)[0] < lays(m)[1],
    "You are ahead: the less is at stake, the safer your lead.": lambda m: m.what == "4" and by(m) > 0,
    "It is the least that may be named, and risks the fewest counters.": lambda m: m.what == "4",
    "You are behind: the more is at stake, the more you can catch up.": lambda m: m.what != "4" and by(m) < 0,
    "Everybody stakes as much, so there is more to win.": lambda m: m.what != "4",
}  # fmt: skip

POOLS = rules_of("pope_joan").POOL_NAMES


POPE_JOAN: dict[str, Fact] = {
    "It takes <n> from <pool>.":
        lambda m: (m.n(), m["pool"]) in [(event[4], POOLS[event[5] - 52]) for event in m.says("takes", "pope")],
    "It may help you to <n> from <pool>.":
        lambda m: any(m["pool"] == name and on_it >= m.n() for name, on_it in zip(POOLS, m.s.pool, strict=False)),
    **STOPS,
    "It rids you of a card at once.": lambda m: m.verb == "lay" and count(m.s.hand[m.seat]) > 1,
    "You may still play <card> when its suit comes up to it.": lambda m: holds(m.s, m["card"], m.seat),
}  # fmt: skip

COMMIT: dict[str, Fact] = {
    "Every other player pays you <n> for it.": lambda m: m.says("paid")[0][4] == m.n() * (m.players - 1),
    "Every other player pays you for it, as far as they can.":
        lambda m: m.verb == "comet" or m.what == "9d" or m.what[0] in "AK",
    **STOPS,
    "You keep the comet, and may lead it when it is your turn to lead.": lambda m: holds(m.s, "9d", m.seat),
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
    "The dealer shows last, so the fewest counters risk least.": lambda m: m.seat == m.s.dealer and is_least_stake(m),
    "The fewest counters risk least: the cards decide the rest.": is_least_stake,
    "The more lies on the layout, the more there is to win.": lambda m: int(m.what) > 0,
    "A counter brings you most here: you take this pool in about <share>% of deals.": takes_pool,
    "It spreads your counters: you take this pool in about <share>% of deals.": takes_pool,
    "A counter brings you more on <pool>.":
        lambda m: rules_of("matrimony").POOLS.index(m["pool"]) > m.s.pool[m.seat] - 1,
    "No pool after it brings you more for a counter.": surely,
    "It leaves more counters for the pools after it.": is_least_stake,
}  # fmt: skip


COLOURS = ("red", "yellow", "green", "purple", "blue")


def worth_in(bag: int, c: int) -> int:
    return sum(values(bag, c))


def values(bag: int, c: int) -> list[int]:
    kinds = range(5 * c, 5 * c + 5)
    return [k % 5 + 1 for k in kinds for _n in range(rules_of("diabolo").how_many(bag, k))]


def row(m: Moment) -> int:
    if m.verb == "doubler":
        return LETTERS.index(m.options["column_order"][m.s.row])
    return LETTERS.index(m.what[0])


def lead(m: Moment, after: bool = True) -> int:
    """By how much the angels lead (below 0: the devils), before or after the card is placed."""
    now = worth_in(m.s.side[1], row(m)) - worth_in(m.s.side[0], row(m))
    value = int(m.what[1]) if m.verb == "place" and after else 0
    return now + value * (1 if m.action.endswith("right") else -1)


def keeps(m: Moment) -> int:
    return worth_in(m.s.hand[m.seat], row(m)) - (0 if m.verb == "doubler" else int(m.what[1]))


def most_of_others(s: Any, m: Moment) -> int:
    return max(worth_in(s.hand[p], row(m)) for p in range(m.players) if p != m.seat)


def has_most(m: Moment, most: bool = True) -> bool:
    """Whether nobody (or somebody) holds more of the row in many worlds, where that is called probable; the rule of
    thumb estimates it."""
    worlds = [*m.many(30)]
    return sum((most_of_others(s, m) <= keeps(m)) == most for s in worlds) >= 0.3 * len(worlds)


def room(m: Moment) -> int:
    """How many cards the row takes after the one that is placed."""
    return 4 - len(values(m.s.side[0], row(m))) - len(values(m.s.side[1], row(m)))


def positive_later(m: Moment) -> list[int]:
    order = [LETTERS.index(c) for c in m.options["column_order"][m.s.row + 1 :]]
    return [c for c in order if worth_in(m.s.side[1], c) > worth_in(m.s.side[0], c)]


def is_row(m: Moment, **numbers: int) -> bool:
    """Whether the sentence speaks of the row in question, with these numbers."""
    colour = COLOURS[row(m)]
    return m.found.groupdict().get("colour", colour) == colour and all(m.n(name) == n for name, n in numbers.items())


DIABOLO: dict[str, Fact] = {
    "The angels then lead <colour> by <by>, and you still hold <n>.":
        lambda m: is_row(m, by=lead(m), n=keeps(m)) and keeps(m) > 0,
    "The <colour> row still takes <n> cards?, so the lead may change.": lambda m: is_row(m, n=room(m)) and lead(m) < 0
        and len(values(m.s.side[1], row(m))) + m.action.endswith("right") < 3,
    "The devils then lead <colour> by <by>, and you still hold <n>.":
        lambda m: is_row(m, by=-lead(m), n=keeps(m)) and keeps(m) > 0,
    "It locks the <colour> row, and the round is nearer its end.": lambda m: is_row(m) and room(m) == 0,
    "You then hold no <colour>, so the row can cost you nothing.": lambda m: is_row(m) and keeps(m) == 0,
    "The devils then lead <colour> by <by>, and you hold none.": lambda m: is_row(m, by=-lead(m)) and keeps(m) == 0,
    "The devils then lead <colour> by <by>, and others probably hold more.":
        lambda m: is_row(m, by=-lead(m)) and has_most(m, False),
    "It is <value> less to lose in <colour>: the devils lead there.":
        lambda m: is_row(m, value=int(m.what[1])) and lead(m, after=False) < 0 and lead(m) < 0,
    "It helps the angels in <colour>, where you still hold <n>.":
        lambda m: is_row(m, n=keeps(m)) and lead(m) > lead(m, after=False) and keeps(m) > 0,
    "It holds the angels back in <colour>, where others probably hold more.":
        lambda m: is_row(m) and lead(m) < lead(m, after=False) and has_most(m, False),
    "The row is negative: it is <value> less to lose.": lambda m: lead(m) < 0 and m.n("value") == int(m.what[1]),
    "(?:The|It leaves) <colour> (?:row is )?even, (?:so the card counts for|and an even row brings nobody) .*.":
        lambda m: is_row(m) and lead(m) == 0,
    "You hold no lower card, so it costs you least.":
        lambda m: int(m.what[1]) == min(v for c in range(5) for v in values(m.s.hand[m.seat], c)),
    "You still hold <n> in <colour>, which is positive.": lambda m: is_row(m, n=keeps(m)) and lead(m) > 0,
    "Nobody can hold more than your <n>: the row brings you <twice>.":
        lambda m: is_row(m, n=keeps(m), twice=2 * keeps(m))
        and all(most_of_others(s, m) <= keeps(m) for s in m.many(60)),
    "You probably hold most, and <n> become <twice>.":
        lambda m: is_row(m, n=keeps(m), twice=2 * keeps(m)) and has_most(m),
    "No later row is positive, and a Doubler kept is worth nothing.": lambda m: not positive_later(m),
    "If nobody holds more than your <n>, they become <twice>.": lambda m: is_row(m, n=keeps(m), twice=2 * keeps(m)),
    "All answers are known before a hand is shown.": surely,
    "You hold no <colour>, so there is nothing to double.": lambda m: is_row(m) and keeps(m) == 0,
    "You hold more <colour>, which is positive and comes later.":
        lambda m: (c := COLOURS.index(m["colour"])) in positive_later(m) and worth_in(m.s.hand[m.seat], c) > keeps(m),
    "<name> has shown more <colour> than your <n>.":
        lambda m: is_row(m, n=keeps(m)) and worth_in(m.s.hand[NAMES.index(m["name"])], row(m)) > keeps(m),
    "Somebody may hold more than your <n>, and a Doubler is spent either way.": lambda m: m.n() == keeps(m),
    "Without it the row still brings you <n>.":
        lambda m: is_row(m, n=keeps(m)) and all(most_of_others(s, m) <= keeps(m) for s in m.many(60)),
}  # fmt: skip


def up_and_down(m: Moment) -> tuple[str, str]:
    higher, lower = rules_of("diamondback").HANDS[m.s.hand[m.seat] - 1].split("-")
    return (higher, lower) if m.what == higher else (lower, higher)


DIAMONDBACK: dict[str, Fact] = {
    **CALLING,
    "You win only about <share>% of showdowns, and opening costs coins.":
        lambda m: wins_about(m) and m.share() < 1 / count(m.s.live) + 0.01 and m.s.wager == 0,
    "It costs nothing more, and the pot stays for the next hand.": lambda m: m.s.pot > 0 and m.s.wager == 0,
    "It costs nothing, and the next hand may be better.": lambda m: m.s.pot == 0,
    "Players who pay this much usually hold more than chance gives them.": lambda m: m.s.wager > 0,
    "You win about <share>% of showdowns, more than one in <n>.":
        lambda m: wins_about(m) and m.n() == count(m.s.live) and m.share() > 1 / count(m.s.live) - 0.01,
    "It is the least that keeps you in the hand.": lambda m: m.what == "1",
    "Whoever wants to stay in must match it.": lambda m: m.verb == "wager",
    "You win only about <share>% of showdowns, so pay no more.":
        lambda m: wins_about(m) and m.share() < 1 / count(m.s.live) + 0.01,
    "The pot of <n> is decided without another coin.": lambda m: m.n() == m.s.pot,
    "If the dealer wagers again, others may fold.": lambda m: m.seat != m.s.dealer or m.verb == "on",
    "Hands with <card> are worth more, so others fold sooner.": lambda m: up_and_down(m)[0] == m["card"],
    "It hides <card>, so your hand looks weaker.": lambda m: up_and_down(m)[1] == m["card"],
    "Hands with either card are worth the same on average.": surely,
    "Nobody knows their cards yet, and the least risks least.": lambda m: m.what == "1" and not any(m.s.hand),
    "Everybody pays as much, so there is more to win.": lambda m: int(m.what) > 1,
    "The ante buys you two cards for a pot of <n>.": lambda m: m.n() == m.s.pot,
    "It saves the ante of <n> coins?: you sit out one hand.": lambda m: m.n() == m.s.wager,
    "You are <n> coins? behind: only more hands win them back.":
        lambda m: m.n() == int(m.options["start_coins"]) - m.s.coins[m.seat],
    "The pot of <n> is still to be won.": lambda m: m.n() == m.s.pot > 0,
    "Another hand is another chance to win coins.": surely,
    "You are <n> coins? ahead, and keep them if the match ends.":
        lambda m: m.n() == m.s.coins[m.seat] - int(m.options["start_coins"]),
    "If the match ends now, you keep your <n> coins?.": lambda m: m.n() == m.s.coins[m.seat],
    "You have no winnings to forfeit, and go with your coins.":
        lambda m: m.s.coins[m.seat] <= int(m.options["start_coins"]),
    "You keep <n> coins? for certain.": lambda m: 0 < m.n() <= m.s.coins[m.seat],
    "If the match ends now, you forfeit nothing.": lambda m: m.s.forfeit,
}  # fmt: skip


def live(s: Any) -> list[int]:
    return [p for p in range(s.players) if s.live >> p & 1]


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
    return called(m) == m["hand"]


@lru_cache(maxsize=2)
def reached(record: str, seat: int) -> tuple[float, float]:
    """How often a seat's cards are the weakest and the strongest in 30 worlds, dealing out what is missing."""
    d, random, hits, state = rules_of("dividha"), Random(1), [0, 0], parlour.replay(record)
    rate, single = dividha_odds.KERNEL.compiled(definition("dividha")).rate, ctypes.c_int64 * 1
    for s in (state.redeal(seat, seed).position for seed in range(30)):
        held = sum(s.private[p] | s.public[p] for p in live(s))
        left = [c for c in range(56) if not held >> c & 1]
        random.shuffle(left)
        ends = {}
        for p in live(s):
            six = s.private[p] | s.public[p]
            while count(six) < 6:
                six |= 1 << left.pop()
            low, high = single(), single()
            rate(d.ranking_of(s, p), s.showdown, single(), single(dividha_odds.DEALT), single(six), low, high)
            ends[p] = low[0], high[0]
        for end, best in enumerate((min, max)):
            hits[end] += ends[seat][end] == best(these[end] for these in ends.values())
    return hits[0] / 30, hits[1] / 30


def reaches(m: Moment) -> float:
    """How often, as far as 30 worlds tell."""
    return reached(m.state.record(), m.seat)[m["aim"] == "strongest"]


def is_often(m: Moment) -> bool:
    """Whether an end is reached more often than one time in as many as are in the hand."""
    return reaches(m) > 0.55 / count(m.s.live) - 0.05


DIVIDHA: dict[str, Fact] = {
    "You probably hold the <aim> hand, and a raise makes the pot larger.": is_often,
    "You hold the <aim> hand more often than one time in <n>.": lambda m: m.n() == count(m.s.live) and is_often(m),
    "If everybody else folds, the pot of <n> is yours.":
        lambda m: m.n() == m.s.pot and all(m.s.coins[p] for p in live(m.s) if p != m.seat),
    "Those who have coins left must pay to stay in.": lambda m: m.verb == "raise",
    "The ante stays as it is for the next hand.": lambda m: m.s.phase == 0,
    "It costs nothing, and more cards are to come.": lambda m: due(m) <= 0 and count(cards(m)) < 6,
    "It costs nothing, and you stay in the hand.": lambda m: due(m) <= 0,
    "You hold the <aim> hand often enough to pay <n> coins? for half the pot.":
        lambda m: m.n() == due(m) and reaches(m) > due(m) / (m.s.pot / 2 + due(m)) - 0.2,
    "More cards are to come, and they may be worth <n> coins?.": lambda m: m.n() == due(m) and count(cards(m)) < 6,
    "You pay nothing more in this hand.": lambda m: due(m) <= 0,
    **STAYING,
    "You hold either end too seldom to pay <n> coins? more.": lambda m: m.n() == due(m) > 0,
    "(?:It goes for|Your cards make) the <aim> hand (?:alone|more often than the other end).":
        lambda m: int(m.what) == (m.s.owed if m["aim"] == "strongest" else 0),
    "Most of your coins already lie on that side.":
        lambda m: (m.s.win[m.seat] + m.s.fee_win[m.seat] > (m.s.paid[m.seat] + m.s.fees[m.seat] - m.s.owed) / 2)
        == (int(m.what) == m.s.owed),
    "Coins on both sides don’t give away which end you go for.":
        lambda m: 0 < int(m.what) < m.s.owed and m.options["splits"] == "secret",
    "It goes for both ends of the pot.": lambda m: 0 < int(m.what) < m.s.owed,
    "No card of yours does less for a strong hand.": surely,
    "No card of yours does more for a strong hand: you want a weak one.": surely,
    "Another card from the deck may suit your hand better.": lambda m: m.verb == "trade",
    "Each of your cards helps the others to a strong hand.": lambda m: m.verb == "stand",
    "No card of yours makes the hand strong: you want a weak one.": lambda m: m.verb == "stand",
    "It saves the coins that another trade costs.": lambda m: m.s.pay_to_trade,
    "A card from the deck may be worse than what you have.": lambda m: m.verb == "stand",
    "It (?:leaves|is) <hand>, the strongest that you can (?:keep|lay).":
        lambda m: is_hand(m) and scores(m)[0] == max(scores(m)[1]),
    "It (?:leaves|is) <hand>, the weakest that you can (?:keep|lay).":
        lambda m: is_hand(m) and scores(m)[0] == min(scores(m)[1]),
    "It (?:leaves|is) <hand>, between your strongest and your weakest.": is_hand,
    "Your hand is <hand>, and a wrong name is penalised.": lambda m: is_hand(m) and m.what == m["hand"],
    "Another name than your hand’s costs the penalty.": lambda m: m.s.aural_rule and m.what != called(m),
    "So the Rule of Order wants the cards to lie.": lambda m: m.s.rule_of_order,
    "Another order than the rule’s costs the penalty.": lambda m: m.s.rule_of_order,
    "You have less than the average: a lower ante keeps you in longer.":
        lambda m: m.s.coins[m.seat] * count(m.s.seated) < sum(m.s.coins),
    "A lower ante costs you less in every hand.": surely,
    "You have no less than the average: the ante presses the others.":
        lambda m: m.s.coins[m.seat] * count(m.s.seated) >= sum(m.s.coins),
    "With the ante as it is, there is more in each pot to win.": lambda m: m.verb == "refuse",
    "You may come back before any later hand.": lambda m: m.s.absences,
    "You pay the ante even while away, and can win only if you play.": lambda m: m.s.absences,
}  # fmt: skip

FACTS: dict[str, dict[str, Fact]] = {
    game: {re.sub(r"(?<!P)<(\w+)>", r"(?P<\1>.+?)", said[:-1]) + r"\.": fact for said, fact in facts.items()}
    for game, facts in {
        "kuhn": KUHN, "leduc": LEDUC, "hearts": HEARTS, "diamonds": DIAMONDS, "newmarket": NEWMARKET,
        "pope_joan": POPE_JOAN, "commit": COMMIT, "matrimony": MATRIMONY, "diabolo": DIABOLO,
        "diamondback": DIAMONDBACK, "dividha": DIVIDHA,
    }.items()
}  # fmt: skip
DIAMONDS_FACTS = FACTS["diamonds"]


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
