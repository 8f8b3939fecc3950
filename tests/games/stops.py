"""What tests of scripted games share (refusals, choices, a table), and those of stops games: late positions, and every
deal that a player can hold possible."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import CHANCE, Game, State
from parlour.audit.statistics import STRICT, chi_square, tail
from parlour.audit.trails import frozen
from parlour.engine.definition import Definition, definition
from parlour.engine.telling import view
from parlour.rules.stops.position import CARD_NAMES, DEALING, LEADING, PACK, held


def cards(names: str) -> int:
    """A set of cards by name."""
    return sum(1 << CARD_NAMES.index(name) for name in names.split())


def named(members: int) -> str:
    return " ".join(CARD_NAMES[c] for c in range(52) if members >> c & 1)


def dealt(game: Game, hands: dict[int, str], stock: str = "", last: Sequence[str] = ()) -> State:
    """A game in which these cards come to these seats (the rest is filled up), ``stock`` to nobody; after the deal
    chance turns the cards of ``last``."""
    wanted = {p: names.split() for p, names in hands.items()}
    state = game.new()
    free = [c for c in CARD_NAMES if c not in " ".join([*hands.values(), stock, *last]).split()]
    while state.position.stage == DEALING:
        mine = wanted.get(state.position.player, [])
        possible = {state.name_of(k) for k, _ in state.chance_outcomes()}
        card = mine.pop(0) if mine else next(c for c in free if c in possible)
        free = [c for c in free if c != card]
        state.apply(card)
    assert not any(wanted.values()), f"left over: {wanted}"
    for card in last:
        state.apply(card)
    return go_round(state)


def go_round(state: State) -> State:
    """Let questions go round until somebody has a choice."""
    while state.current_player == CHANCE and state.position.stage > DEALING and len(state.chance_outcomes()) == 1:
        state.apply(state.chance_outcomes()[0][0])
    return state


def do(state: State, *acts: str) -> State:
    """These acts one after another, questions going round in between."""
    for act in acts:
        state.apply(act)
        go_round(state)
    return state


def late(game: Game, hands: Sequence[str], stock: str = "", lead: int = 0, out: str = "", **fields: Any) -> State:
    """A moment in which seat ``lead`` leads: what is left in the hands, and some cards of the stock; all other cards
    have been played, by whom it does not matter (those of ``played``, a dict of seats, by these)."""
    game_rules = game.definition.rules
    start = game.start()
    while start.stage != DEALING:
        game_rules.happen(start, next(k for k in range(52) if game_rules.chance(start) >> k & 1), None)
    sizes = start.copy()
    while sizes.stage == DEALING:
        game_rules.happen(sizes, next(k for k in range(52) if game_rules.chance(sizes) >> k & 1), None)
    s = start
    s.dealt, s.out = sizes.dealt, s.out | cards(out)
    played = {p: cards(names) for p, names in fields.pop("played", {}).items()}
    s.hand[: len(hands)] = [cards(names) for names in hands]
    free = PACK & ~s.out & ~cards(" ".join([*hands, stock])) & ~sum(played.values())
    for p in range(game.players):
        s.played[p] = played.get(p, 0)
        for _ in range(held(s, p) - s.hand[p].bit_count()):
            c = free.bit_length() - 1
            free ^= 1 << c
            s.played[p] |= 1 << c
    s.stock = free | cards(stock)
    s.gone = sum(s.played)
    s.stage, s.player, s.card = LEADING, lead, -1
    for name, value in fields.items():
        setattr(s, name, value[:] if isinstance(value, list) else value)
    return game.state_at(s)


def heard(state: State) -> list[str]:
    """All clauses that were cited, in order."""
    return [event.clause for event in state.events()]


def told(state: State, *events: str) -> list[tuple[str, int, int, int]]:
    """What was said of these events: event, who, and the two numbers."""
    return [(e.event, e.who, e.a, e.b) for e in state.events() if e.event in events]


def plays(state: State) -> list[str]:
    """The counters that each player has laid on the table: ``0 5c``."""
    laying = ("leads", "goes_on", "plays", "continues", "lays")
    said = [
        (e.who, "9d" if e.event == "comet" else CARD_NAMES[e.a])
        for e in state.events()
        if e.event in (*laying, "comet")
    ]
    return [f"{p} {card}" for p, card in said]


def coins(state: State) -> list[int]:
    return list(state.position.coins[: state.game.players])


def brought(state: State) -> list[int]:
    """What the last deal that was settled has brought."""
    return [int(x) for x in state.deals[-1].returns]


def refused(state: State, act: str, player: int | None = None) -> str | None:
    refusal = state.refusal(act, player)
    return refusal.clause if refusal else None


def assert_refused(state: State, refusals: str) -> None:
    """``"pass 0 CO-25, lead 2c 1 CO-19"``: who tries what, and the clause that forbids it."""
    for refusal in refusals.split(", "):
        act, player, clause = refusal.rsplit(" ", 2)
        assert refused(state, act, int(player)) == clause, refusal


def assert_clauses(table: Any, refusals: str, player: int | None = None) -> None:
    """``"fold DV-63, win 0 DV-58"``: what a player, or whoever's turn it is, tries, and the clause that forbids it."""
    for refusal in refusals.split(", "):
        act, _, clause = refusal.rpartition(" ")
        assert table.refused(act, player) == clause, act


def considered(state: State, kind: str, player: int | None = None) -> list[str]:
    """What is worth searching (``candidates``) or ``likely`` for a player, or for whoever's turn it is."""
    acts = [0] * state.game.action_count
    of = getattr(state.game.definition.rules, kind)
    return [state.name_of(a) for a in acts[: of(state.position, state.acting[0] if player is None else player, acts)]]


def in_rows(acts: Sequence[str]) -> str:
    """Acts in words, amounts that follow each other as ``raise 1-6``."""
    rows = list[list[str]]()
    for act in acts:
        word, _, n = act.rpartition(" ")
        if rows and n.isdigit() and rows[-1][-1] == f"{word} {int(n) - 1}":
            rows[-1].append(act)
        else:
            rows.append([act])
    return ", ".join(row[0] + f"-{row[-1].rpartition(' ')[2]}" * (len(row) > 1) for row in rows)


class Scripted:
    """A table at which a test plays; ``state`` is how it stands."""

    state: State

    @property
    def turn(self) -> int:
        return self.state.current_player

    @property
    def acts(self) -> list[str]:
        return [self.state.name_of(a) for a in self.state.legal_actions(self.state.acting[0])]

    def refused(self, act: str, player: int | None = None) -> str | None:
        return refused(self.state, act, player)


def by_clause(rows: Sequence[Any]) -> list[Any]:
    """The rows of a table as parameters, each marked with its clauses, which come first: ``"CO-1 CO-2"``."""
    return [pytest.param(*row, marks=pytest.mark.clause(*clauses.split())) for clauses, *row in rows]


def with_deck(game: str, monkeypatch: Any, **constants: Any) -> Definition:
    """A game with other constants in its rules, for instance so few cards that all deals can be counted."""
    monkeypatch.setattr(definition(game).part("invariants"), "SMALL", constants)
    small = Definition(game, definition(game).package).small
    assert small is not None
    return small


class Story:
    """What one player lives through in a game of one deal, and the worlds that this player cannot tell from the real
    one.  They are found by going through all deals in which they have the same hand, and in each of them through
    everything that others may choose, as long as they see and hear the same.  Nothing here knows how a redeal is made.
    """

    def __init__(self, state: State, player: int) -> None:
        self.game, self.player = state.game, player
        self.rules = state.game.definition.rules
        self.steps = [(step.player, step.action) for step in state.history]
        s = self.game.start()
        self.cards = [a for who, a in self.steps if who == CHANCE]
        self.scenes: list[tuple[int, int, Any]] = []
        for who, a in self.steps:
            before = s.stage
            known = self._said(s, who, a), self._seen(s)
            if before != DEALING:
                self.scenes.append((who, a, known))
            elif s.stage != DEALING:
                self.first, self.at_start = known, s.copy()

    def _said(self, s: Any, who: int, a: int) -> Any:
        """Carry out a step: what the player hears by it."""
        said: list[Any] = []
        if who == CHANCE:
            self.rules.happen(s, a, said)
        else:
            self.rules.apply(s, who, a, said)
        return sorted(event for event in said if event[2] in (-1, self.player))

    def _seen(self, s: Any) -> Any:
        """What the player sees now; dear, so it is looked at only where all that was said is the same."""
        return sorted(view(self.game, s, self.player).items)

    def deals(self) -> Iterator[Any]:
        """All positions after the deal in which the player has this hand."""
        whole = self.at_start
        others = [p for p in range(self.game.players) if p != self.player]
        hands = [whole.hand[p] | whole.played[p] for p in range(self.game.players)]
        pool = [c for c in range(52) if (PACK & ~whole.out & ~hands[self.player]) >> c & 1]
        for split in self._splits(pool, [hands[p].bit_count() for p in others]):
            left = {p: [c for c in range(52) if mine >> c & 1] for p, mine in zip(others, split, strict=True)}
            left[self.player] = [c for c in range(52) if hands[self.player] >> c & 1]
            s = self.game.start()
            said = None
            while s.stage == DEALING:
                said = self._said(s, CHANCE, left[s.player].pop())
            if said == self.first[0] and self._seen(s) == self.first[1]:
                yield s

    def _splits(self, pool: list[int], sizes: list[int]) -> Iterator[tuple[int, ...]]:
        if not sizes:
            yield ()
            return
        for chosen in itertools.combinations(pool, sizes[0]):
            mine = sum(1 << c for c in chosen)
            for rest in self._splits([c for c in pool if not mine >> c & 1], sizes[1:]):
                yield mine, *rest

    def worlds(self) -> dict[Any, Fraction]:
        """Each position that may be, with its weight: every deal weighs the same."""
        found: dict[Any, Fraction] = defaultdict(Fraction)
        for s in self.deals():
            ends = list(self._follow(s, 0))
            for end in ends:
                found[frozen(self.game, end)] += Fraction(1, len(ends))
        whole = sum(found.values())
        return {world: weight / whole for world, weight in found.items()}

    def _follow(self, s: Any, at: int) -> Iterator[Any]:
        if at == len(self.scenes):
            yield s
            return
        who, a, known = self.scenes[at]
        actor = self.rules.actor(s)
        if (actor == self.player) != (who == self.player):
            return
        acts = [0] * self.game.action_count
        if actor == CHANCE:
            options = [k for k in range(52) if self.rules.chance(s) >> k & 1]
        else:
            options = acts[: self.rules.legal(s, actor, acts)]
        for option in options:
            if actor == self.player and option != a:
                continue
            new = s.copy()
            if self._said(new, actor, option) == known[0] and self._seen(new) == known[1]:
                yield from self._follow(new, at + 1)


def agrees_with_enumeration(state: State, player: int, draws: int = 1500) -> int:
    """Whether redeals are exactly the worlds that may be, as often as they must; how many there are."""
    worlds = Story(state, player).worlds()
    seen = state.view(player)
    found = Counter(frozen(state.game, seen.redeal(k).position) for k in range(draws if len(worlds) > 1 else 3))
    assert set(found) <= set(worlds), "deals what cannot be"
    score, freedom = chi_square(worlds, found, found.total())
    assert tail(score, freedom) > STRICT, f"chi-square {score:.1f} with {freedom} degrees of freedom"
    return len(worlds)


def load(game: str, players: int, **options: Any) -> Game:
    """The last seat deals, so seat 0 leads first, unless something else is said."""
    return parlour.load(game, players, **{"first_dealer": players - 1, **options})
