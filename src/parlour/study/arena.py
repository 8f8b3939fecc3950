"""The arena: matches between players that are compiled together with the rules of their game.

A rule of thumb has one source (:meth:`parlour.rules.contract.Sensible.appraise`), bound twice like the rules.  Here it
sees a position that holds only what its player has been told, and draws from the same generator as the player of
:func:`parlour.players.make`.  So games are the same as those played from views, action for action, but about a hundred
times as fast (:mod:`parlour.study.runners` chooses between the two).

Players who search play here too, if they search for a number of simulations and do not watch the clock.  When one of
them has a choice, the compiled game stops, and the player gets what it has been told as a record, without a state or a
view.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import ParlourError
from parlour.engine.c.loading import filled, zeros
from parlour.engine.hashing import MASK, fold, mix, seed_word
from parlour.engine.kernels.bulk import GameSums
from parlour.players.compiled import RANDOM, WAYS, Room, all_compiled, ground, set_up, simulates
from parlour.players.kernels.arena import AT_GAME, BY_ANSWER, LISTED, TRIED, ContestGames, Weighing
from parlour.players.kind import Kind
from parlour.players.kinds import make
from parlour.players.nets import Network
from parlour.players.search import Search
from parlour.players.sight import Recorded

if TYPE_CHECKING:
    from parlour.core.game import Game


def can_play(game: Game, kinds: Sequence[Any]) -> bool:
    """Whether all players of a match can play here: those of :data:`WAYS`, networks, and players who search for a
    number of simulations.

    >>> import parlour
    >>> can_play(parlour.load("diamonds"), [Kind("rule-of-thumb"), Kind("search", "400")])
    True
    >>> can_play(parlour.load("diamonds"), [Kind("rule-of-thumb"), Kind("search", "0.1s")])
    False
    """
    return all_compiled(game, [kind for kind in kinds if not simulates(kind)])


MOST_STEPS = 4096
"""Room for steps of a game; if it is not enough, the games are played again with more."""


class ArenaGames(NamedTuple):
    """The results of games: ``returns`` and ``moves`` (decisions), both with a row for each game and a column for each
    seat.  The rotations of a deal follow one another; in the first, each player has the seat of its number.
    ``thought``: for how many seconds each seat thought.  ``steps``: if asked for, all steps of each game in order, a
    row for each game; each step is an action or outcome with its player
    (:data:`parlour.players.kernels.arena.BY_WHOM`).  ``taken``: the number of steps.  All are memoryviews;
    :meth:`arrays` makes NumPy arrays of them."""

    returns: Any
    moves: Any
    thought: Any
    steps: Any
    taken: Any

    def arrays(self) -> ArenaGames:
        """The memory of the games as arrays of NumPy."""
        import numpy as np

        return ArenaGames(*map(np.asarray, self))


def contest(
    game: Game, kinds: Sequence[Kind | Network], seed: int, deals: range, with_steps: bool = False
) -> ArenaGames:
    """Play each of these deals of a match (one or more) once for every rotation of the seats; kinds may be networks.

    >>> import parlour
    >>> played = contest(parlour.load("leduc"), [RANDOM, RANDOM], seed=1, deals=range(3))
    >>> played.returns.shape, all(min(moves) > 0 for moves in played.moves.tolist())
    ((6, 2), True)
    """
    n, games = game.players, game.players * len(deals)
    if not deals:
        raise ParlourError("In the arena at least one deal is played.")
    drawn = [word for deal in deals for words in generators(n, seed, deal) for word in words]
    code, ways, room = set_up(game, kinds)
    how = filled("i64", [ways[k] for holder in holders(n) for k in holder] * len(deals), games, n)
    returns, moves, thought = zeros("f64", games, n), zeros("i64", games, n), zeros("f64", games, n)
    most = MOST_STEPS if with_steps else 1
    while True:
        words, steps, taken = filled("u64", drawn, games, n + 1, 1), zeros("i32", games, most), zeros("i64", games)
        match = ContestGames(room.start, words, how, room.chosen, returns, moves, steps, taken)
        given = room.positions, room.weighing, match
        if BY_ANSWER in ways:
            players = (_thinking(game, kinds, seed, deal) for deal in deals)
            thought = _asking(game, code, given, itertools.chain.from_iterable(players))
        else:
            code.contest(*given)
        if not with_steps or max(taken) <= most:
            return ArenaGames(returns, moves, thought, steps, taken)
        most = 2 * max(taken)


def _thinking(game: Game, kinds: Sequence[Kind | Network], seed: int, deal: int) -> Iterator[dict[int, Search]]:
    """The players who search, by their seats, in each rotation of a deal."""
    for turn, holder in enumerate(holders(game.players)):
        own = own_seeds(game.players, seed, deal, turn)
        made = {p: make(kinds[k], game, own[k]) for p, k in enumerate(holder) if simulates(kinds[k])}
        yield {p: player for p, player in made.items() if isinstance(player, Search)}


def _asking(
    game: Game, code: Any, given: tuple[Any, Weighing, ContestGames], games: Iterator[dict[int, Search]]
) -> Any:
    """Play games with players who search, given by seat for each game; return for how many seconds each seat
    thought."""
    positions, room, match = given
    at, tried, thought = zeros("i64", 5), zeros("i16", *room.acts.shape), zeros("f64", *match.moves.shape)
    memory, now, players = zeros("u64", 4, max(game.players, 2)), -1, dict[int, Search]()
    while (p := code.contest_asking(*given, at, tried, memory)) >= 0:
        while now < at[AT_GAME]:
            now, players = now + 1, next(games)
        begun = time.perf_counter()
        sight = Recorded(game, p, positions, int(memory[0, 0]), tried[: at[TRIED]].tolist())
        match.chosen[p] = players[p].answer(sight, room.acts[: at[LISTED]].tolist())
        thought[now, p] += time.perf_counter() - begun
    return thought


def survey(game: Game, kind: Kind, first: int, games: int, sums: GameSums) -> int:
    """Play games between players who are all of one kind, with the seeds ``first``, ``first + 1`` …, and add them to
    ``sums`` (:func:`parlour.engine.kernels.bulk.account`).  Return the number of decisions.

    Chance in a game is that of ``game.new(seed)``; the players have the seeds of :func:`seeds_of_players`.
    """
    code, (way, *_), room = set_up(game, [kind] * game.players)
    if way == BY_ANSWER:
        raise ParlourError(
            "{kind} thinks, and so cannot be surveyed in the arena: parlour.study.simulate surveys its games.",
            kind=kind,
        )
    words, out = zeros("u64", game.players + 1, 1), zeros("f64", game.players)
    played = (room.positions, room.start, words, way, first, games)
    return int(code.survey_players(*played, room.chosen, room.weighing, out, sums))


def seeds_of_players(players: int, seed: int) -> list[int]:
    """The seeds of the players, by seat, in a game of a survey.

    >>> len(set(seeds_of_players(4, seed=1)))
    4
    """
    return [fold(seed_word(seed), p + 1) for p in range(players)]


def generators(players: int, seed: int, deal: int) -> list[list[int]]:
    """The first states of the generators of one deal of a match, for each rotation: of each seat's player, and of
    chance."""
    chance = seed_word(chance_seed(seed, deal))
    rotations = []
    for turn, holder in enumerate(holders(players)):
        own = own_seeds(players, seed, deal, turn)
        rotations.append([*(seed_word(own[k]) for k in holder), chance])
    return rotations


# ------------------------------------------------------------------------------------------ holders and seeds


def holders(players: int) -> list[tuple[int, ...]]:
    """For each rotation of a deal, the player who holds each seat.

    >>> holders(3)
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    """
    return [tuple((p + turn) % players for p in range(players)) for turn in range(players)]


def chance_seed(seed: int, deal: int) -> int:
    """The seed of chance in a deal of a match, the same in each of its rotations."""
    return (seed + deal) & MASK


def own_seeds(players: int, seed: int, deal: int, turn: int) -> list[int]:
    """The seeds of the players in one rotation of a deal."""
    return [mix((seed * MASK + (deal * players + turn) * players + k) & MASK) for k in range(players)]


__all__ = [
    "RANDOM",
    "WAYS",
    "ArenaGames",
    "Room",
    "all_compiled",
    "can_play",
    "chance_seed",
    "contest",
    "generators",
    "ground",
    "holders",
    "own_seeds",
    "seeds_of_players",
    "set_up",
    "simulates",
    "survey",
]
