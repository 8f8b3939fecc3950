"""What several test modules use: settings of games, random play, scripted Diamonds."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np
from covertable import make

import parlour
from parlour import CHANCE, SEVERAL, Game, State
from parlour.batch import start_records
from parlour.engine.compiled import compiled
from parlour.engine.definition import definition, shelf
from parlour.engine.positions import option_values, sample_values

GAMES = (*shelf(), "sampler")
"""Every game of the package, and the one that is in the tests only."""


# ------------------------------------------------------------------------------------------ settings of a game


@dataclass(frozen=True)
class Setting:
    """A game with a number of players and house rules."""

    game: str
    players: int
    options: tuple[tuple[str, str], ...] = ()

    def load(self) -> Game:
        return parlour.load(self.game, self.players, **dict(self.options))

    def __str__(self) -> str:
        several = len(self.options) > 1
        return (
            f"{self.game}-{self.players}"
            + "-pairwise" * several
            + "".join("-" + "=".join(o) for o in self.options[: not several])
        )


def setting(game: str, players: int, **options: str) -> Setting | None:
    """The setting with these options and what they and so many players need, or ``None`` if the game refuses it."""
    what = definition(game)
    chosen = what.options_for(players, **options)
    return Setting(game, players, tuple(chosen.items())) if what.allows(players, chosen) else None


MOST_NUMBERS = 6


def numbers(game: str) -> list[int]:
    """Numbers of players that are tried: all there are, but the smallest four of a game for many (whose own tests seat
    the largest table)."""
    players = list(definition(game).players)
    return players if len(players) <= MOST_NUMBERS else players[:4]


def plain(game: str) -> list[Setting]:
    """The default rules, for each number of players."""
    return [found for players in numbers(game) if (found := setting(game, players))]


def one_by_one(game: str) -> list[Setting]:
    """Each value of each option that is not the default, alone, for each number of players."""
    return [
        found
        for players in numbers(game)
        for name, option in definition(game).options.items()
        for value in sample_values(option, players)[1:]
        if name not in definition(game).options_for(players)
        if (found := setting(game, players, **{name: value}))
    ]


@cache
def pairwise(game: str) -> list[Setting]:
    """Settings in which every two values of two options meet that the game allows together, for each number of players;
    in a game of several versions (option ``version``) every two values that its version has."""
    what = definition(game)
    if len(what.options) < 2:
        return []
    if "version" in what.options:
        return _by_version(game)
    return [Setting(game, players, tuple(row.items())) for players in numbers(game) for row in _covering(game, players)]


def _by_version(game: str) -> list[Setting]:
    what = definition(game)
    found: list[Setting | None] = []
    for players in numbers(game):
        values = {name: sample_values(option, players) for name, option in what.options.items()}
        for version in values.get("version", [""]):
            fixed = {"version": version} if version else {}
            mine = {
                name: [v for v in tried if not version or what.allows(players, {name: v, **fixed})]
                for name, tried in {**values, **{name: [v] for name, v in fixed.items()}}.items()
            }
            found += [setting(game, players, **{**row, **what.options_for(players)}) for row in make(mine)]
    return [one for one in found if one]


def _covering(game: str, players: int) -> list[dict[str, str]]:
    """A covering array.  What a row has too much for the game to allow it comes in rows of its own."""
    always = definition(game).options_for(players)
    parts = dict(_parts(game, players))
    rows = []
    for row in _array(tuple((name, _values(game, players, name, parts)) for name in definition(game).options)):
        whole = {**row, **always}
        allowed = _allowed(game, players, whole)
        rows.append(whole if allowed else _together(game, players, [parts[part] for part in whole.items()]))
    met = {pair for row in rows for pair in combinations(sorted(row.items()), 2)}
    missing = [pair for pair in combinations(sorted(parts), 2) if pair[0][0] != pair[1][0] and pair not in met]
    while missing:
        row = _together(game, players, [{**parts[a], **parts[b]} for a, b in missing if _agree(parts[a], parts[b])])
        left = [pair for pair in missing if not {*pair} <= {*row.items()}]
        if len(left) == len(missing):
            break  # they never go together
        rows.append(row)
        missing = left
    return rows


def _values(game: str, players: int, name: str, parts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    if name in definition(game).options_for(players):
        return tuple(sample_values(definition(game).options[name], players))
    return tuple(value for option, value in parts if option == name)


def _parts(game: str, players: int) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Each value of each option that is allowed, with what it needs (one other option at most)."""
    what = definition(game)
    always = what.options_for(players)
    others = [(n, v) for n, option in what.options.items() for v in sample_values(option, players)[1:]]
    for name, option in what.options.items():
        for value in [always[name]] if name in always else sample_values(option, players):
            alone = {**always, name: value}
            for needed in ({}, *({n: v} for n, v in others if n not in alone)):
                if _allowed(game, players, {**alone, **needed}):
                    yield (name, value), {**alone, **needed}
                    break


def _together(game: str, players: int, parts: list[dict[str, str]]) -> dict[str, str]:
    """As many of these choices as go together, the first ones first."""
    row: dict[str, str] = {}
    for part in parts:
        if not part.items() <= row.items() and _agree(row, part) and _allowed(game, players, {**row, **part}):
            row.update(part)
    return row


def _agree(one: dict[str, str], other: dict[str, str]) -> bool:
    return all(one.get(name, value) == value for name, value in other.items())


def _allowed(game: str, players: int, options: dict[str, str]) -> bool:
    what = definition(game)
    return not what.refusal_of(players, option_values(what, players, options))


@cache
def _array(values: tuple[tuple[str, tuple[str, ...]], ...]) -> list[dict[str, str]]:
    return [*make({name: list(few) for name, few in values})]


def in_turn(settings: list[Setting]) -> list[Setting]:
    """Each of these options with one number of players only, the numbers taking turns."""
    options: dict[tuple[str, tuple[tuple[str, str], ...]], list[Setting]] = {}
    for one in settings:
        options.setdefault((one.game, tuple(sorted(one.options))), []).append(one)
    return [same[i % len(same)] for i, same in enumerate(options.values())]


def all_settings(game: str) -> list[Setting]:
    """Plain, one by one, pairwise."""
    return plain(game) + one_by_one(game) + pairwise(game)


MANY = 100  # settings


def few_settings(game: str) -> list[Setting]:
    """Plain; each option value with one number of players, in turn (where there are very many of them, they are looked
    at in pairs only); every two values for one number of players, or in a game of several versions a third of these
    arrays."""
    arrays, alone = pairwise(game), in_turn(one_by_one(game))
    players = sorted({one.players for one in arrays})
    some = [one for one in arrays if one.players == players[-2:][0]]
    thinned = some[:: 3 if "version" in definition(game).options else 1]
    return plain(game) + (alone if len(alone) < MANY else []) + thinned


def short_settings(game: str) -> list[Setting]:
    """The same, with matches of three games at most."""
    cut = {"128": "2", "255": "3"}
    short = (
        Setting(game, s.players, tuple((name, cut.get(v, v) if name == "games" else v) for name, v in s.options))
        for s in all_settings(game)
    )
    return list(dict.fromkeys(short))


# ------------------------------------------------------------------------------------------ random play


LONG = 60_000  # steps; a match of 255 games has fewer


def play(state: State, seed: int, steps: int | None = None) -> Iterator[State]:
    """Play ``state`` at random, chance too; gives it back before every step and at the end (or after ``steps``)."""
    choose = random.Random(seed)
    yield state
    for _ in range(LONG if steps is None else steps):
        if state.is_terminal:
            return
        if state.current_player == CHANCE:
            outcomes = state.chance_outcomes()
            state.apply(choose.choices([k for k, _ in outcomes], [float(p) for _, p in outcomes])[0])
        else:
            player = choose.choice(state.acting)
            state.apply(choose.choice(state.legal_actions(player)), player)
        yield state
    assert steps is not None, f"{state.game} does not end"


def everybody(state: State) -> Sequence[int]:
    """Spectator and players."""
    return range(-1, state.game.players)


def names(state: State, player: int | None = None) -> set[str]:
    """Names of what may be done now."""
    if state.current_player == SEVERAL and player is None:
        player = state.acting[0]
    return {state.name_of(a) for a in state.legal_actions(player)}


@dataclass
class Survey:
    """Random games in bulk, compiled; of game ``i`` the seed is ``first + i``.  Arrays as in the driver ``survey``."""

    game: Game
    games: int
    first: int = 0

    def __post_init__(self) -> None:
        code, players, book = compiled(self.game.definition), self.game.players, self.game.definition.book
        self.scores, self.deals = np.zeros((4, players)), np.zeros((4, players + 1))
        self.lengths = np.zeros(LONG, np.int64)
        self.clauses = np.zeros((4, len(book.clauses)), np.int64)
        acts, rng = np.zeros(self.game.action_count, np.int16), np.zeros(1, np.uint64)
        self.decisions = code.survey(
            start_records(self.game), acts, rng, np.zeros(players), np.uint64(self.first), self.games,
            self.scores, self.deals, self.lengths, self.clauses,
        )  # fmt: skip

    def fired(self) -> dict[str, int]:
        """How often each clause that fired did so."""
        return {
            clause: int(self.clauses[1, i])
            for clause, i in self.game.definition.book.index.items()
            if self.clauses[1, i]
        }

    def share(self, clause: str) -> float:
        """The share of games in which a clause fired."""
        return float(self.clauses[3, self.game.definition.book.index[clause]]) / self.games


# ------------------------------------------------------------------------------------------ Diamonds by name


def pack() -> list[str]:
    """All 54 cards."""
    return list(definition("diamonds").rules.CARDS)


@dataclass
class Table:
    """A game of Diamonds with a stacked deal: ``piles`` says what lies in a pile, from the top down (as far as the
    test looks).  Acts are given by name; chance turns the cards as they lie.  Turning a card that nobody named is an
    error of the test."""

    piles: dict[int, str]
    players: int = 2
    options: dict[str, str | int] = field(default_factory=dict)
    lots: Iterable[str] = ()

    def __post_init__(self) -> None:
        cards = {i: cards.split() for i, cards in self.piles.items()}
        flat = [card for pile in cards.values() for card in pile]
        assert len(set(flat)) == len(flat), "a card lies in two places"
        assert set(flat) <= set(pack())
        assert all(len(pile) <= 6 for pile in cards.values())
        self._cards = cards
        self._lots = iter(self.lots)
        self.state = parlour.load("diamonds", self.players, **{"first_dealer": 0, **self.options}).new()

    def do(self, *acts: str) -> Table:
        """Do these acts, one after the other, each by the player whose turn it is."""
        for act in acts:
            self.state.apply(act)
            while self.state.current_player == CHANCE:
                self.state.apply(self._outcome())
        return self

    def _outcome(self) -> str:
        s = self.state.position
        if self.state.name_of(self.state.chance_outcomes()[0][0]).startswith(("pile", "seat")):
            return next(self._lots)
        return self._cards[s.at][6 - s.height[s.at]]

    # what a test asks about

    @property
    def turn(self) -> int:
        return self.state.current_player

    @property
    def acts(self) -> set[str]:
        return names(self.state)

    def __getitem__(self, thing: str) -> object:
        """What lies open, in words: ``table["spade"][0]``, ``table["top"][4]``, ``table["debris"]``."""
        seen = self.state.observation()[thing]
        return seen[: self.players] if isinstance(seen, list) and definition("diamonds").things[thing].seats else seen

    def refused(self, act: str, player: int | None = None) -> str | None:
        """The clause that forbids the act, ``None`` if it is allowed."""
        refusal = self.state.refusal(act, player)
        return None if refusal is None else refusal.clause

    def heard(self) -> list[str]:
        """The clauses of all events since the last act (of that step and of the chance that followed)."""
        last = max(k for k, step in enumerate(self.state.history) if step.player != CHANCE)
        return [event.clause for event in self.state.events(since=last)]


# ------------------------------------------------------------------------------------------ processes


def heed_ctrl_c() -> None:
    """For a child process: Ctrl-C is meant for it, also where the tests run in the background of a shell, which has
    its children ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
