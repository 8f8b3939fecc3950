"""Many games in one array, stepped together by compiled code: for training and for large simulations."""

from __future__ import annotations

import io
import json
import os
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn

from parlour.base.extras import needed

with needed("fast"):
    import numpy as np

from parlour.base.disk import put, reading
from parlour.base.errors import IllegalAction, ParlourError
from parlour.engine.definition import definition
from parlour.engine.hashing import check_seeds
from parlour.engine.helpers import Helpers, board
from parlour.engine.information import Recollection, information_size, listing, log_rows, room
from parlour.engine.kernels.batch import KERNEL, MOST_UNASKED, Games
from parlour.engine.kernels.logs import HEAD
from parlour.engine.positions import columns, dtype_of, from_record, records_of, to_record
from parlour.engine.ruleset import A_GAME, Ruleset, StateT, of_kind, seat, threads_allowed, whole_number
from parlour.engine.tensors import into
from parlour.rules.vocabulary import TERMINAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = 1
"""The format of the files that :meth:`Batch.save` writes."""

KINDS = ("tensors", "keys", "last", "information")
"""Arrays that a batch writes only on request."""
OUTCOME = ("rewards", "deal_rewards", "settled", "done", "last")
"""The results of the last step."""
LOGS = ("_rows", "_used", "_before")
"""The players' logs, for information states as numbers."""
MOST = 1 << 31
"""The most games in a batch, if there is enough memory."""
TRUSTED = ("movers", "legal", "counts")
"""Arrays that compiled code relies on: people have views of them that cannot be written into."""
OWN = ("_code", "_start", "_board", "_scratch", "_helpers", "_games", "_work", "_start_some", *TRUSTED, *KINDS)
"""Attributes that every batch makes anew."""


def start_records(game: Ruleset[Any]) -> NDArray[Any]:
    """Two records of the game's position: the start, and one to play in."""
    records = np.zeros(2, dtype_of(game.definition))
    to_record(game.definition, game.start(), records[0])
    return records


class Batch(Generic[StateT]):
    """``size`` games with the same rules.  Outcomes of chance are drawn by the batch; a game that ends is scored, and
    another begins in its place.

    Position ``i`` has the seed ``seed + i`` and draws the same outcomes as ``game.new(seed=seed + i)``; later games in
    that position continue the same stream.  ``threads``: how many threads share a step (``None``: one a core); they
    affect only the time.  ``tensors``, ``keys``, ``last``, ``information``: whether it has these arrays too.

    Every call overwrites the arrays: copy the ones you keep.  For position ``i`` (the first three are read-only):

    * ``movers[i]`` (int8, shape (size,)): who acts; at a sealed node, one after another, the lowest seat that has not
      answered.
    * ``legal[i, : counts[i]]`` (int16, shape (size, ``game.action_count``)): the legal actions of the mover, in rising
      order; ``counts`` (int16, shape (size,)): how many there are; :attr:`mask` has them as bool.
    * ``tensors[i]`` (float32, shape (size, ``game.tensor_size``), roughly 0 to 1): what the mover is told.
    * ``keys[i, p]`` (uint64, shape (size, players)): what player ``p`` has known so far in this game
      (:meth:`parlour.State.information_key`).  There with ``information`` too.
    * ``information[i]`` (float32, shape (size, ``game.information_size``)): what the mover has known so far, for
      networks (:meth:`parlour.State.information_tensor`).

    These are the results of the last :meth:`step`, and zeros otherwise.  A game that ends without a decision is scored
    like any other, and another follows; it counts for the step, or the :meth:`reset`, in which it began.

    * ``done[i]`` (uint8, shape (size,)): 1 if the game ended and another was started; one more for each that nobody was
      asked in.
    * ``rewards[i, p]`` (float32, shape (size, players)): what the games that ended returned to player ``p``, in the
      game's own unit.
    * ``settled[i]`` (uint8, shape (size,)): how many deals were settled, at most 255; a game without deals is one deal.
    * ``deal_rewards[i, p]`` (float32, shape (size, players)): what these deals brought player ``p``, in the same unit.
    * ``last[i, p]`` (float32, shape (size, players, ``game.tensor_size``)): what player ``p`` was told at the end of
      the last finished game; so it belongs to this step if ``done[i]``.

    >>> import parlour
    >>> batch = parlour.load("kuhn").batch(4, seed=1)
    >>> batch.step(batch.sample())
    >>> batch.rewards.shape, batch.tensors.shape[0], batch.mask.shape
    ((4, 2), 4, (4, 2))
    """

    game: Ruleset[StateT]
    movers: NDArray[np.int8]
    legal: NDArray[np.int16]
    counts: NDArray[np.int16]
    tensors: NDArray[np.float32]
    keys: NDArray[np.uint64]
    information: NDArray[np.float32]
    last: NDArray[np.float32]

    def __init__(
        self,
        game: Ruleset[StateT],
        size: int,
        seed: int = 0,
        threads: int | None = 1,
        tensors: bool = True,
        keys: bool = False,
        last: bool = False,
        information: bool = False,
    ) -> None:
        of_kind(game, Ruleset, A_GAME)
        size = whole_number(size, "a number of games")
        if size < 1:
            raise ParlourError("A batch needs at least one game, not {size}.", size=size)
        if size > MOST:
            raise ParlourError("A batch has at most {most} games, not {size}.", most=MOST, size=size)
        self.game, self.size, self.threads = game, size, threads_allowed(threads)
        self._code = KERNEL.compiled(game.definition)
        self._start = start_records(game)
        self._positions = np.zeros(size, self._code.dtype)
        self._rngs = np.zeros((size, 2), np.uint64)
        keys = keys or information
        words = listing(game) if information else HEAD
        self._memories = np.zeros((size, words, max(game.players, 2)), np.uint64) if keys else None
        logs = room(game, size if information else 0, log_rows(game) if information else 0)
        self._rows, self._used, self._before = (logs[name[1:]] for name in LOGS)
        self._pair = logs["pair"]
        self._information = np.zeros((size, information_size(game)) if information else (0, 0), np.float32)
        self._actions: NDArray[np.int16] = np.zeros(size, np.int16)
        self._masked = False
        self._mask: NDArray[np.bool_] = np.zeros((size, game.action_count), np.bool_)
        self._movers: NDArray[np.int8] = np.zeros(size, np.int8)
        self._legal: NDArray[np.int16] = np.zeros((size, game.action_count), np.int16)
        self._counts: NDArray[np.int16] = np.zeros(size, np.int16)
        self._tensors: NDArray[np.float32] = np.zeros((size if tensors else 0, game.tensor_size), np.float32)
        self._keys: NDArray[np.uint64] = np.zeros((size if keys else 0, game.players), np.uint64)
        self.rewards: NDArray[np.float32] = np.zeros((size, game.players), np.float32)
        self.deal_rewards: NDArray[np.float32] = np.zeros((size, game.players), np.float32)
        self.settled: NDArray[np.uint8] = np.zeros(size, np.uint8)
        self.done: NDArray[np.uint8] = np.zeros(size, np.uint8)
        self._last: NDArray[np.float32] = np.zeros((size if last else 0, game.players, game.tensor_size), np.float32)
        self._share_out()
        self.reset(seed)

    def _share_out(self) -> None:
        self._board = board(self.threads - 1, self.size)
        self._scratch = np.zeros((self.threads, self.game.players))
        self._helpers: Helpers | None = None
        for name in TRUSTED:
            setattr(self, name, read_only(getattr(self, f"_{name}")))
        vars(self).update({name: self._array(name) for name in KINDS if len(self._array(name))})
        logs = room(self.game, 0, 0)
        self._games = Games(
            self._positions, self._start, self._rngs, self._memories, self._last, self._keys,
            self._movers, self._legal, self._counts, self._tensors, self.rewards, self.deal_rewards, self.settled,
            self.done, self._rows, self._used, self._before, self._pair, logs["slots"], logs["scales"],
            self._information,
        )  # fmt: skip
        self._work, self._start_some = self._bound()

    def _array(self, name: str) -> Any:
        """An array, even if it was not asked for and has no rows."""
        return vars(self)[f"_{name}" if name in KINDS else name]

    def __getattr__(self, name: str) -> NoReturn:
        if name in KINDS and f"_{name}" in vars(self):
            raise ParlourError("This batch has no {name}: make the batch with {name}=True.", name=name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def _bound(self) -> tuple[Callable[[int], int], Callable[[int, int, int, bool], None]]:
        """The functions that call compiled code: one for helper ``k``'s share of a step, one to begin games.  They
        refer to the arrays, not to the batch, which may be freed while a helper is asleep."""
        code, words, games, scratch, actions = self._code, self._board, self._games, self._scratch, self._actions

        def work(k: int) -> int:
            return int(code.work_on(words, k, games, scratch[max(k, -1) + 1], actions))

        def start_some(lo: int, hi: int, seed: int, afresh: bool) -> None:
            code.begin_batch(games, lo, hi, scratch[0], np.uint64(seed), afresh)

        return work, start_some

    def __repr__(self) -> str:
        return f"<{self.size} games of {self.game.id}>"

    # ------------------------------------------------------------------ playing

    def reset(self, seed: int | Sequence[int] = 0, which: Sequence[bool] | NDArray[np.bool_] | None = None) -> None:
        """Restart all games, or those for which ``which`` (bool, shape (size,)) is true, position ``i`` with the seed
        ``seed + i``, or with ``seed[i]`` of a list. Raises ``ParlourError`` for a seed or a choice that does not fit.

        >>> import parlour
        >>> batch = parlour.load("leduc").batch(4, seed=1)
        >>> before = batch.clone(); batch.step(batch.sample()); batch.reset(seed=1)
        >>> batch == before
        True
        """
        wanted = range(self.size) if which is None else np.flatnonzero(_one_each(which, self.size))
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray):
            first = check_seeds(seed, self.size)
            if which is None:
                self._begin(0, self.size, True, first)
                return
            seed = range(first, first + self.size)
        elif len(seed) != self.size:
            raise ParlourError("{size} seeds are needed, one for each game, not {n}.", size=self.size, n=len(seed))
        begins = [(i, check_seeds(seed[i], 1)) for i in map(int, wanted)]
        for i, one in begins:
            self._begin(i, i + 1, True, (one - i) % 2**64)

    def _begin(self, lo: int, hi: int, afresh: bool, seed: int = 0) -> None:
        self._start_some(lo, hi, seed, afresh)
        self._masked = False
        if self._movers[lo:hi].min() == TERMINAL:
            self._refuse_to_go_on(lo + int(self._movers[lo:hi].argmin()))

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int]) -> None:
        """Carry out one action in each position, ``actions`` (ids: int16 or other whole numbers, shape (size,)).
        Raises ``IllegalAction`` for the first that is not legal, with the clause; no position has changed then."""
        try:
            chosen = np.asarray(actions)
        except ValueError:
            raise ParlourError(
                "{size} action ids are needed, not lists of different lengths.", size=self.size
            ) from None
        if chosen.shape != (self.size,) or chosen.dtype.kind not in "iu":
            raise ParlourError(
                "{size} action ids are needed, not {dtype} of shape {shape}.",
                size=self.size,
                dtype=chosen.dtype,
                shape=chosen.shape,
            )
        if chosen.dtype != np.int16:
            wrong = np.flatnonzero((chosen < 0) | (chosen >= self.game.action_count))
            if len(wrong):
                self._refuse(int(wrong[0]), int(chosen[wrong[0]]))
        self._actions[:] = chosen
        at = self._code.first_refused(self._actions, self._legal, self._counts)
        if at >= 0:
            self._refuse(at, int(chosen[at]))
        self._carry_out()

    def _carry_out(self) -> None:
        """Carry out the last actions, with the helpers if there are any."""
        self._masked = False
        work = self._work
        if self.threads > 1:
            if self._helpers is None or not self._helpers.are_here:
                self._helpers = Helpers(self._board, work)
                weakref.finalize(self, self._helpers.dismiss)
            self._helpers.wake()
        left = work(-1)
        while left:  # a helper has not finished its last piece, perhaps because another program took its core
            if self._helpers is not None and self._helpers.failures:
                raise self._helpers.failures.pop()
            time.sleep(0)
            left = work(-2)

    def sample(self) -> NDArray[np.int16]:
        """Return a random legal action for each position (int16, shape (size,)), drawn by the batch's own generators:
        the same after the same :meth:`reset`."""
        actions = np.zeros(self.size, np.int16)
        self._code.random_actions(self._rngs, 0, self.size, self._legal, self._counts, actions)
        return actions

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The legal actions of the movers as a mask: bool, shape (size, ``game.action_count``)."""
        if not self._masked:
            self._code.write_mask(0, self.size, self._legal, self._counts, self._mask)
            self._masked = True
        return self._mask

    def observe(self, player: int, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the view of ``player`` in each position, whoever is to act: float32, shape (size,
        ``game.tensor_size``), written into ``out`` if an array of this kind is given, in C order. Raises
        ``ParlourError`` if there is no such seat, or ``out`` does not fit.

        >>> import parlour
        >>> batch = parlour.load("kuhn").batch(2, seed=1)
        >>> (batch.observe(1)[0] == batch.state(0).tensor(1).flat).all()
        np.True_
        """
        player, rows = seat(self.game, player), into(out, self.size, self.game.tensor_size)
        self._code.write_rows(self._positions, 0, self.size, player, rows)
        return rows

    def _refuse_to_go_on(self, i: int) -> NoReturn:
        raise ParlourError(
            "Position {number}: {most} games in a row were over before anybody was asked; a batch needs a game in which"
            " somebody is.",
            number=i,
            most=MOST_UNASKED,
        )

    def _refuse(self, i: int, action: int) -> NoReturn:
        if self._movers[i] == TERMINAL:
            self._refuse_to_go_on(i)
        if not 0 <= action < self.game.action_count:
            raise ParlourError(
                "Position {number}: there is no action {action}; ids run to {action_count}.",
                number=i,
                action=action,
                action_count=self.game.action_count - 1,
            )
        state: Any = self.state(i)
        refusal = state.refusal(action, int(self._movers[i]))
        assert refusal is not None
        raise IllegalAction("Position {number}: {refusal}", refusal.clause, number=i, refusal=refusal)

    # ------------------------------------------------------------------ single positions

    def state(self, i: int) -> StateT:
        """Return position ``i`` as a state of its own (a copy, without history). Raises ``ParlourError`` if there is no
        position ``i``."""
        i = self._index(i)
        return self.game.state_at(from_record(self.game.definition, self._positions[i]), int(self._rngs[i, 0]))

    def put(self, i: int, state: Any) -> None:
        """Put an unfinished state of the same game at position ``i``; chance continues with the state's generator if it
        has one, otherwise with the position's.  Where ``keys`` are kept, the state must have its history. Raises
        ``ParlourError`` for a state of another game, or of one that is over.

        >>> import parlour
        >>> batch, state = parlour.load("leduc").batch(2), parlour.load("leduc").new(seed=9)
        >>> state.apply("raise"); batch.put(1, state)
        >>> batch.state(1).fields() == state.fields(), batch.legal[1, : batch.counts[1]].tolist()
        (True, [0, 1, 2])
        """
        i = self._index(i)
        of = getattr(state, "game", None)
        if of != self.game:
            raise ParlourError(
                "A state of {game!r} is needed, not {what}.", game=self.game, what=f"of {of!r}" if of else repr(state)
            )
        if state.current_player == TERMINAL:
            raise ParlourError("That game is over; put in a state of a game in progress.")
        if len(self._rows):
            own = {name[1:]: getattr(self, name) for name in (*LOGS, "_memories")}
            Recollection.of(state).put_into(own, i)
        elif self._memories is not None:
            self._memories[i] = state.memory().words()
        to_record(self.game.definition, state.position, self._positions[i])
        generator = state.generator
        if generator is not None:
            self._rngs[i, 0] = generator
        self._begin(i, i + 1, False)

    def _index(self, i: int) -> int:
        i = whole_number(i, "the number of a position")
        if not 0 <= i < self.size:
            raise ParlourError(
                "There is no position {number}; they run from 0 to {size}.", number=i, size=self.size - 1
            )
        return i

    # ------------------------------------------------------------------ copies, files

    def clone(self) -> Batch[StateT]:
        """Return an independent copy: steps taken in one never change the other."""
        new = object.__new__(type(self))
        kept = [(name, value) for name, value in vars(self).items() if name not in OWN]
        new.__setstate__({name: value.copy() if isinstance(value, np.ndarray) else value for name, value in kept})
        return new

    __copy__ = clone

    def __deepcopy__(self, memo: Any) -> Batch[StateT]:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        """Whether both are in the same positions and will continue in the same way."""
        if not isinstance(other, Batch):
            return NotImplemented
        return self.game == other.game and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("_positions", "_rngs", "_keys")
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        ours = {name: value for name, value in vars(self).items() if name not in OWN}
        return {**ours, "_positions": columns(self._positions), "_before": columns(self._before)}

    def __setstate__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)
        self._code, self._start = KERNEL.compiled(self.game.definition), start_records(self.game)
        if not isinstance(self._positions, np.ndarray):
            self._positions = records_of(self._positions, self.size, self._code.dtype)
            self._before = records_of(self._before, self._used.shape[:2], self._code.dtype)
        self._share_out()

    def save(self, file: str | Path) -> None:
        """Save the positions, their generators and their keys in a file, an ``.npz`` archive without code, for
        :func:`parlour.load_batch`.  It holds secrets.

        >>> import parlour, tempfile, os
        >>> batch = parlour.load("kuhn").batch(4, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     batch.save(os.path.join(folder, "four.npz"))
        ...     parlour.load_batch(os.path.join(folder, "four.npz")) == batch
        True
        """
        kept = {"_rngs": self._rngs, "_memories": self._memories} if len(self._keys) else {"_rngs": self._rngs}
        if len(self._rows):
            kept |= {"_rows": self._rows, "_used": self._used}
            kept |= {f"before.{name}": column for name, column in columns(self._before).items()}
        told = {name: self._array(name) for name in OUTCOME}
        head = {
            "format": FORMAT,
            "game": self.game.id,
            "version": self.game.definition.version,
            "players": self.game.players,
            "options": dict(self.game.options),
            "how": {"size": self.size, **{name: len(self._array(name)) > 0 for name in KINDS}},
        }
        fields: Any = {f"field.{name}": column for name, column in columns(self._positions).items()}
        np.savez_compressed(out := io.BytesIO(), head=np.array(json.dumps(head)), **kept, **told, **fields)
        put(file, out.getvalue())

    def _restore(self, saved: Mapping[str, Any]) -> None:
        """Restore what :meth:`save` wrote of a batch of the same game and size. Raises ``ParlourError`` if anything is
        absent."""
        needed = {"_rngs", *OUTCOME, *(["_memories"] if self._memories is not None else [])}
        places = ["field", "before"] if len(self._rows) else ["field"]
        needed |= {"_rows", "_used"} if len(self._rows) else set()
        needed |= {f"{place}.{name}" for place in places for name in self._code.dtype.names or ()}
        if absent := needed - of_kind(saved, Mapping, "what a batch has saved").keys():
            raise ParlourError("What a batch has saved has {absent}, too.", absent=", ".join(sorted(absent)))
        for place, records in zip(places, (self._positions, self._before), strict=False):
            fields = {name.partition(".")[2]: saved[name] for name in saved if name.startswith(f"{place}.")}
            records[:] = records_of(fields, records.shape, self._code.dtype)
        self._rngs[:] = saved["_rngs"]
        if self._memories is not None:
            self._memories[:] = saved["_memories"]
        if len(self._rows):
            self._rows[:], self._used[:] = saved["_rows"], saved["_used"]
        self._begin(0, self.size, False)
        for name in OUTCOME:
            self._array(name)[:] = saved[name]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that shows what is written into the array, and cannot be written into."""
    shown = array.view()
    shown.flags.writeable = False
    return shown


def _one_each(given: Any, size: int) -> NDArray[np.bool_]:
    """Return a choice of games, one truth value for each of ``size``, as an array of bool."""
    array = np.asarray(given)
    if array.dtype != np.bool_ or array.shape != (size,):
        raise ParlourError(
            "{size} entries that are true or false are needed, one for each game, not {given!r}.",
            size=size,
            given=given,
        )
    return array


def no_batch(file: str | Path) -> ParlourError:
    """The error for a file that :meth:`Batch.save` has not written, or that is damaged."""
    return ParlourError("{file} is not a batch saved by Parlour.", file=file)


def read_saved(file: str | Path) -> tuple[str, int, dict[str, str], dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the contents of a file that :meth:`Batch.save` wrote: game, players, options, the settings of the batch,
    its arrays."""
    if not isinstance(file, (str, os.PathLike)):
        raise ParlourError("{file!r} is not the name of a file.", file=file)
    with reading(file, no_batch(file)):
        with open(file, "rb") as opened, np.load(opened, allow_pickle=False) as found:
            saved = dict(found)
        head = json.loads(str(saved.pop("head")))
        if head["format"] != FORMAT:
            raise ParlourError(
                "{file} is a batch of format {format}; this Parlour reads format {limit}.",
                file=file,
                format=head["format"],
                limit=FORMAT,
            )
        game, version, players, options, how = (head[name] for name in ("game", "version", "players", "options", "how"))
    if definition(game).version != version:
        raise ParlourError(
            "{file} is a batch of {game} with version {version} of its rules; this Parlour has version"
            " {other_version}.",
            file=file,
            game=game,
            version=version,
            other_version=definition(game).version,
        )
    return game, players, options, how, saved
