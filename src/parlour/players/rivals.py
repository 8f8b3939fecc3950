"""Many games at once in which the caller plays one seat, and rivals hold the others.

Rivals of the kinds that are compiled play inside the loop (:mod:`parlour.players.kernels.rivals`).  A rival that is a
function is called once for all games that wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import marked
from parlour.core.batch import Batch, read_only
from parlour.core.game import Game
from parlour.engine.ruleset import seat as checked_seat
from parlour.players.compiled import all_compiled, set_up
from parlour.players.kernels.rivals import BY_SOLUTION, KERNEL, OF_RIVAL, OF_SEAT, UNASKED, Company
from parlour.players.kind import Kind, parsed
from parlour.players.kinds import make
from parlour.players.nets import Network
from parlour.players.plugins import name_of
from parlour.players.solved import by_view, must_fit
from parlour.solve.strategy import Strategy, read

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

Answering = Callable[["NDArray[np.float32]", "NDArray[np.bool_]"], Any]
"""A function of the tensors and the masks of legal actions of all rows (float32, bool); it returns an action for each
row."""
Rival = str | Network | Strategy | Answering
"""A kind of player, a network, a strategy, or a function."""
ROTATE: Final = "rotate"
"""In place of a seat: the caller moves on by a seat after each game."""


def in_order(game: Game, rivals: Any) -> list[Any]:
    """Return the rivals of one seat, one for each other seat; a single rival holds all of them."""
    those = list(rivals) if isinstance(rivals, list | tuple) else [rivals]
    if len(those) == 1:
        those *= game.players - 1
    if len(those) != game.players - 1:
        raise ParlourError(
            "One rival is needed for all seats, or {players} in order, not {n}.", players=game.players - 1, n=len(those)
        )
    return those


class SeatBatch(Batch[Any]):
    """A batch in which the caller plays one ``seat`` of each game; ``rivals``, in order of seats, hold the others.
    ``seat`` may be :data:`ROTATE`: the first game with the seed ``n`` is played in seat ``n`` modulo the number of
    seats, and each later game one seat further on, with the rivals clockwise from there.  With ``skip_forced`` the seat
    is skipped when it has only one legal action.

    ``movers`` is always the seat, and the results of a step are those up to the seat's next choice.  A game in which
    the seat has no choice is skipped, and its results do not count.  Chance is that of a plain batch; the player in
    seat ``p`` draws from a generator of its own, whose seed follows from the game's (``seeds_of_players`` of the
    arena).  ``kept``: the further arrays that a :class:`parlour.Batch` can write.

    >>> import parlour
    >>> batch = SeatBatch(parlour.load("leduc"), 4, ["random"], seat=1, seed=3)
    >>> batch.step(batch.sample()); batch.movers.tolist()
    [1, 1, 1, 1]
    """

    seats: NDArray[np.int8]
    """The caller's seat in each game (int8, shape (size,); read-only)."""
    _seats: NDArray[np.int8]
    _words: NDArray[np.uint64]
    _pending: NDArray[np.float32]
    _waits: NDArray[np.uint8]
    _met: NDArray[np.int64]

    def __init__(
        self,
        game: Game,
        size: int,
        rivals: Rival | Sequence[Rival],
        seat: int | str = 0,
        skip_forced: bool = False,
        seed: int = 0,
        threads: int | None = 1,
        **kept: bool,
    ) -> None:
        given: Any = seat
        self._turns = given == ROTATE
        self._first = 0 if self._turns else checked_seat(game, given)
        self._skips, self._wanted, n = bool(skip_forced), np.zeros(1, np.int64), game.players
        those = [_meant(game, one) for one in in_order(game, rivals)]
        self._kinds = [one for one in those if isinstance(one, Kind | Network)] or [Kind("random")]
        self._answers = [one for one in those if callable(one)]
        compiled = iter(set_up(game, self._kinds)[1])

        def way(one: Any) -> int:
            if isinstance(one, Strategy):
                return BY_SOLUTION
            return -1 - self._answers.index(one) if callable(one) else next(compiled)

        ways = [way(one) for one in those]
        self._ways = np.zeros((n, n), np.int64)
        for at in range(n):
            others = [(at + k) % n for k in range(1, n)] if self._turns else [p for p in range(n) if p != at]
            self._ways[at, others] = ways
        strategies = [one for one in those if isinstance(one, Strategy)]
        self._solution = _by_glance(strategies[0] if strategies else None, n)
        super().__init__(game, size, seed, threads, **kept)

    def _share_out(self) -> None:
        kept, size, n = vars(self), self.size, self.game.players
        kept.setdefault("_seats", np.full(size, self._first, np.int8))
        kept.setdefault("_words", np.zeros((size, n), np.uint64))
        kept.setdefault("_pending", np.zeros((size, n + 1), np.float32))
        kept.setdefault("_waits", np.zeros(size, np.uint8))
        kept.setdefault("_met", np.zeros(size, np.int64))
        self.seats = read_only(self._seats)
        super()._share_out()

    def _bound(self) -> tuple[Callable[[int], int], Callable[[int, int, int, bool], None]]:
        code, words, games = KERNEL.compiled(self.game.definition), self._board, self._games
        actions, wanted = self._actions, self._wanted
        company = Company(
            self._seats, self._words, self._pending, self._waits, self._met, self._ways, self._turns, self._skips,
            *self._solution,
        )  # fmt: skip
        rooms = [set_up(self.game, self._kinds)[2] for _ in range(self.threads)]  # one room for each thread
        each = [
            (room.positions, room.weighing, np.zeros(1, np.uint64), score, actions)
            for room, score in zip(rooms, self._scratch, strict=True)
        ]

        def work(k: int) -> int:
            return int(code.work_on_seats(words, k, games, company, *each[max(k, -1) + 1], wanted))

        def start_some(lo: int, hi: int, seed: int, afresh: bool) -> None:
            code.begin_seats(games, company, *each[0], lo, hi, np.uint64(seed), afresh)

        return work, start_some

    def _begin(self, lo: int, hi: int, afresh: bool, seed: int = 0) -> None:
        if afresh and self._turns:
            self._seats[lo:hi] = (np.uint64(seed) + np.arange(lo, hi, dtype=np.uint64)) % np.uint64(self.game.players)
        super()._begin(lo, hi, afresh, seed)
        self._let_rivals_answer()

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int]) -> None:
        """Carry out the seat's action in each game: see :meth:`parlour.Batch.step`.  Also raises ``ParlourError`` if a
        rival has failed before, because some games still wait for it."""
        if self._answers and (self._waits == OF_RIVAL).any():
            raise ParlourError("A rival failed in the step before this one; reset the games.")
        super().step(actions)

    def _carry_out(self) -> None:
        self._wanted[0] = OF_SEAT
        super()._carry_out()
        self._let_rivals_answer()

    def _let_rivals_answer(self) -> None:
        """Call the functions for which games wait, until no game waits."""
        while self._answers and len(rows := np.flatnonzero(self._waits == OF_RIVAL)):
            ways = self._ways[self._seats[rows], self._movers[rows]]
            for k, answer in enumerate(self._answers):
                if len(own := rows[ways == -1 - k]):
                    self._actions[own] = self._answered(answer, own)
            self._wanted[0] = OF_RIVAL
            super()._carry_out()

    def _answered(self, answer: Answering, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return the actions of a function in these games; they must be legal."""
        chosen = np.asarray(answer(self.tensors[rows], self.mask[rows]))
        if chosen.shape != (len(rows),) or chosen.dtype.kind not in "iu":
            raise ParlourError(
                "A rival that is a function returns {n} action ids here, not {dtype} of shape {shape}.",
                n=len(rows),
                dtype=chosen.dtype,
                shape=chosen.shape,
            )
        given = chosen
        chosen = np.where((given < 0) | (given >= self.game.action_count), -1, given).astype(np.int16)
        at = self._code.first_refused(chosen, self._legal[rows], self._counts[rows])
        if at >= 0:
            try:
                self._refuse(int(rows[at]), int(given[at]))
            except ParlourError as refused:
                template = marked("A rival that is a function has answered wrongly in seat {seat}. {why}")
                about = {"seat": int(self._movers[rows[at]]), "why": refused.args[0]}
                if isinstance(refused, IllegalAction):
                    raise IllegalAction(template, refused.clause, **about) from None
                raise ParlourError(template, **about) from None
        return chosen

    def _refuse_to_go_on(self, i: int) -> NoReturn:
        raise ParlourError(
            "{most} games in a row were over before seat {seat} was asked; choose another seat.",
            most=UNASKED,
            seat=int(self._seats[i]),
        )

    def save(self, file: str | Path) -> None:
        """Raises ``ParlourError``, because a file would have to contain the rivals; ``pickle`` can keep them."""
        raise ParlourError("A batch with rivals is not saved in a file; pickle it.")


def _meant(game: Game, rival: Any) -> Any:
    """Return a rival in the form in which it plays: a kind, a network, a strategy, or a function."""
    rival = parsed(rival)
    file: object = marked("The strategy")
    if isinstance(rival, Kind) and rival.name == "solved" and rival.setting:
        rival, file = read(rival.setting), rival.setting
    if isinstance(rival, Strategy):
        must_fit(rival, game, file)
        return rival
    if isinstance(rival, Network) or all_compiled(game, [rival]) or (callable(rival) and not isinstance(rival, type)):
        return rival
    raise ParlourError(
        "{name} is not compiled beside the rules, so it cannot hold a seat of many games at once; one game at a time it"
        " can: parlour.adapters.gymnasium.single.",
        name=name_of(make(rival, game)),
    )


def _by_glance(strategy: Strategy | None, players: int) -> tuple[NDArray[Any], ...]:
    """The arrays of a strategy for :class:`Company`; empty ones without a strategy."""
    tables = [by_view(side) for side in strategy.players] if strategy else [{} for _ in range(players)]
    places = np.cumsum([0, *map(len, tables)])
    said = [mixed for table in tables for _, mixed in sorted(table.items())]
    firsts = np.cumsum([0, *map(len, said)])
    glances = np.array([glance for table in tables for glance in sorted(table)], np.uint64)
    deeds = np.array([a for mixed in said for a in mixed], np.int16)
    odds = np.array([p for mixed in said for p in mixed.values()], np.float64)
    return places.astype(np.int64), glances, firsts.astype(np.int64), deeds, odds
