"""Decisions for machine learning: corpora that hold only steps, and a reader that replays them in compiled code.

A folder that ``parlour corpus --decisions`` writes has ``match.json``, which says how much there is, and ``steps.i32``:
32-bit whole numbers, the lowest byte first, for each game the number of its steps and then each step: an action × 64 +
the seat + 1, or an outcome of chance × 64.  Tensors, masks and rewards follow from the steps, so :func:`read` computes
them again, with the same bytes everywhere.  It also reads the folders of ``parlour match --out``.

>>> import tempfile
>>> from parlour.study.corpus import write
>>> with tempfile.TemporaryDirectory() as folder:
...     [part] = write(folder, ["leduc"], decisions=1000)
...     rows = next(read(Path(folder) / "leduc", size=256))
>>> rows.tensors.shape, rows.mask[range(256), rows.actions].all(), part.decisions >= 1000
((256, 55), np.True_, True)
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.disk import put
from parlour.base.errors import ParlourError, reason
from parlour.base.extras import Missing, needed
from parlour.core.game import Game, loaded
from parlour.core.records import replay
from parlour.engine.ruleset import whole_number
from parlour.players.kernels.arena import BY_WHOM
from parlour.study import arena
from parlour.study.datasets import MATCH, RECORDS, about, little, record_name, steps_of
from parlour.study.kernels.reading import KERNEL, Rows

__all__ = ["Decisions", "Kept", "read", "to_minari"]

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = "steps.i32"
LENGTH = "games", "decisions", "steps"
WORD = np.dtype("<i4")
BLOCK = 1 << 15
"""Words of a file that are read at a time."""
RECORDS_AT_ONCE = 200


class Decisions(NamedTuple):
    """Decisions in the order in which they were taken, a row for each.

    * ``tensors`` (float32, shape (n, ``game.tensor_size``)): the view of the player who decided;
    * ``mask`` (bool, shape (n, ``game.action_count``)): the legal actions;
    * ``seats`` (int8, shape (n,)): the seat that decided;
    * ``players`` (int8, shape (n,)): which of the players of ``match.json`` held that seat, from 0;
    * ``actions`` (int16, shape (n,)): the action chosen;
    * ``rewards`` (float32, shape (n,)): what the game brought that seat, in its own unit, if it did not decide again,
      else 0;
    * ``deal_rewards`` (float32, shape (n,)): what the deals brought it that were settled before it decided again, in
      the same unit;
    * ``next_tensors`` (float32, shape (n, ``game.tensor_size``)): the same seat's next decision in the game; at its
      last one, what it was told when the game was over;
    * ``next_mask`` (bool, shape (n, ``game.action_count``)): what was legal then; nothing at its last decision;
    * ``done`` (bool, shape (n,)): whether that was its last decision in the game;
    * ``games`` (int64, shape (n,)): the number of the game, from 0.
    """

    tensors: NDArray[np.float32]
    mask: NDArray[np.bool_]
    seats: NDArray[np.int8]
    players: NDArray[np.int8]
    actions: NDArray[np.int16]
    rewards: NDArray[np.float32]
    deal_rewards: NDArray[np.float32]
    next_tensors: NDArray[np.float32]
    next_mask: NDArray[np.bool_]
    done: NDArray[np.bool_]
    games: NDArray[np.int64]

    def some(self, which: slice | NDArray[Any]) -> Decisions:
        """Return some of the rows, in arrays as above; ``which``: a slice, or an array (int64, shape (k,))."""
        return Decisions._make(column[which] for column in self)


def game_of(folder: str | Path) -> tuple[Game, dict[str, Any]]:
    """Return the game that was played in a folder, and what its ``match.json`` says.  Raises ``ParlourError`` if it
    holds no match, or one that was played by another version of the rules."""
    try:
        said = json.loads((Path(folder) / MATCH).read_text("utf-8"))
        game = loaded(said["game"], said["players"], said["options"])
        if game.definition.version != said["rules"]:
            raise ParlourError(
                "{folder!r} holds games of {name} by version {version} of its rules; this Parlour has version"
                " {other_version}.",
                folder=str(folder),
                name=game.definition.said_name,
                version=said["rules"],
                other_version=game.definition.version,
            )
    except OSError as error:
        for match in sorted(Path(folder).glob(f"*/{MATCH}")):
            raise ParlourError(
                "The folder {folder!r} holds several games; name the folder of one, such as {inside!r}.",
                folder=str(folder),
                inside=str(match.parent),
            ) from None
        raise ParlourError(
            "The folder {folder!r} holds no match: {why}.", folder=str(folder), why=reason(error)
        ) from None
    except ParlourError:
        raise
    except (ValueError, KeyError, TypeError):
        raise _damaged(Path(folder) / MATCH) from None
    return game, said


def _damaged(file: Path) -> ParlourError:
    return ParlourError("{file} is damaged: it is not what Parlour wrote.", file=str(file))


def read(folder: str | Path, size: int = 4096) -> Iterator[Decisions]:
    """Yield the decisions of a folder, ``size`` at a time and in order (the last time fewer), as arrays of their own.

    The games are replayed from their steps as they are wanted, so a corpus may be larger than memory.  Raises
    ``ParlourError`` if the folder holds no match, one by other rules, or games that are not possible, and if any of
    what was written is missing.  Of a match it reads the records, not ``decisions.jsonl``.

    >>> import tempfile
    >>> from parlour.study.match import play
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     match = play("kuhn", ["random", "random"], games=4, records=folder)
    ...     rows = next(read(folder))
    >>> rows.rewards[rows.done].sum(), rows.done.sum()
    (np.float32(0.0), np.int64(8))
    """
    if whole_number(size, "a number of decisions") < 1:
        raise ParlourError("Decisions are read at least one at a time, not {size}.", size=size)
    folder = Path(folder)
    game, said = game_of(folder)
    first, left = 0, None
    for words in _blocks(folder, said):
        found, games = _replayed(folder, game, words, first)
        first += games
        if left is not None:
            columns: tuple[Any, Any] = left, found
            found = Decisions._make(map(np.concatenate, zip(*columns, strict=True)))
        whole = len(found.actions) // size * size
        for at in range(0, whole, size):
            yield Decisions._make(column.copy() for column in found.some(slice(at, at + size)))
        left = found.some(slice(whole, None))
    if left is not None and len(left.actions):
        yield left


def _blocks(folder: Path, said: Mapping[str, Any]) -> Iterator[NDArray[np.int32]]:
    """The steps of whole games, each game preceded by the number of its steps: as many as ``match.json`` says."""
    games, steps = said.get("games"), said.get("steps")
    if type(games) is not int:
        raise ParlourError(
            "{file} does not say how much there is: the corpus is not finished; the command that began it goes on.",
            file=str(folder / MATCH),
        )
    if type(steps) is int:
        yield from _whole_games(folder / STEPS, 4 * (steps + games))
        return
    records = [folder / RECORDS / record_name(*divmod(game, said["players"])) for game in range(games)]
    for record in records:
        if not record.exists():
            raise ParlourError(
                "{file} is missing: {match} counts {games:,} games.", file=str(record), match=MATCH, games=games
            )
    for at in range(0, len(records), RECORDS_AT_ONCE):
        words = array("i")
        for record in records[at : at + RECORDS_AT_ONCE]:
            steps = _steps(record)
            words.append(len(steps))
            words.extend(steps)
        yield np.frombuffer(words, np.int32)


def _steps(record: Path) -> list[int]:
    """The steps of a record.  Raises an error that names the file if it is not whole."""
    try:
        state = replay(text := record.read_text("utf-8"))
    except UnicodeDecodeError:
        raise _damaged(record) from None
    except ParlourError as error:
        raise ParlourError("{file}: {why}", file=str(record), why=error) from None
    if state.record() != text:
        raise _damaged(record)
    return steps_of(state)


def _whole_games(file: Path, size: int | None = None) -> Iterator[NDArray[np.int32]]:
    """Blocks of whole games of a file: of the first ``size`` bytes, which it must have, or of all, where the last game
    may be incomplete."""
    there = file.stat().st_size if file.exists() else 0
    if size is not None and there < size:
        raise ParlourError(
            "{file} has lost data: it has {there:,} bytes, and {match} counts {size:,}.",
            file=str(file), there=there, match=MATCH, size=size,
        )  # fmt: skip
    rest, left = np.zeros(0, np.int32), there if size is None else size
    with open(file, "rb") as opened:
        while len(raw := opened.read(min(4 * BLOCK, left))):
            left -= len(raw)
            words = np.concatenate([rest, np.frombuffer(raw[: len(raw) // 4 * 4], WORD).astype(np.int32)])
            at = int(_begins(words)[-1])
            if at:
                yield words[:at]
            rest = words[at:]
    if len(rest) and size is not None:
        raise _damaged(file)


def _begins(words: NDArray[np.int32]) -> NDArray[np.int64]:
    """The place where each whole game begins, and where the last one ends."""
    lengths, begins, at = words.tolist(), [0], 0
    while at < len(lengths) and lengths[at] > 0 and at + lengths[at] < len(lengths):
        begins.append(at := at + lengths[at] + 1)
    return np.array(begins, np.int64)


def _decisions(words: NDArray[np.int32], begins: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many decisions each game has."""
    taken = (words % BY_WHOM > 0).astype(np.int64)
    taken[begins[:-1]] = 0
    return np.add.reduceat(taken, begins[:-1])


def _replayed(folder: Path, game: Game, words: NDArray[np.int32], first: int) -> tuple[Decisions, int]:
    """The decisions of games, numbered from ``first``, and the number of these games."""
    begins, seats = _begins(words), game.players
    games = len(begins) - 1
    n, size = int(_decisions(words, begins).sum()), game.tensor_size
    rows = Rows(
        tensors=np.zeros((n + games * seats, size), np.float32),
        mask=np.zeros((n + games * seats, game.action_count), np.uint8),
        seats=np.zeros(n, np.int8),
        actions=np.zeros(n, np.int16),
        rewards=np.zeros(n, np.float32),
        deal_rewards=np.zeros(n, np.float32),
        following=np.zeros(n, np.int64),
        done=np.zeros(n, np.uint8),
        games=np.zeros(n, np.int64),
        last=np.zeros(seats, np.int64),
        score=np.zeros(seats),
        brought=np.zeros(seats),
        acts=np.zeros(game.action_count, np.int16),
    )
    positions, start = arena.ground(game)
    wrong = KERNEL.compiled(game.definition).read_games(positions, start, words, begins, rows)
    if wrong < 0:
        raise ParlourError(
            "Game {number} of {file} is not a game of {name}: the file is damaged.",
            number=first - 1 - wrong,
            file=str(folder / STEPS),
            name=game.definition.said_name,
        )
    numbers, mask = rows.games + first, rows.mask.view(np.bool_)
    holders = ((rows.seats + numbers % seats) % seats).astype(np.int8)
    return Decisions(
        rows.tensors[:n], mask[:n], rows.seats, holders, rows.actions, rows.rewards, rows.deal_rewards,
        rows.tensors[rows.following], mask[rows.following], rows.done.view(np.bool_), numbers,
    ), games  # fmt: skip


# ------------------------------------------------------------------------------------------ writing


class Kept:
    """The file of steps in a folder, to which games are added: ``games``, ``decisions`` and ``steps`` are the numbers
    it has, which :meth:`finish` writes into ``match.json``; ``last``: the decisions of the last deal that was there.

    An unfinished deal of an earlier run is removed.  Raises ``ParlourError`` if the folder holds another match.

    >>> import parlour, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Kept(Path(folder), parlour.load("kuhn"), ["random", "random"], seed=0).games
    0
    """

    def __init__(self, folder: Path, game: Game, kinds: Sequence[str], seed: int) -> None:
        self.file, self.games, self.decisions, self.steps = folder / STEPS, 0, 0, 0
        self.match = game, kinds, seed
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / MATCH).exists() and not any(folder.iterdir()):
                put(folder / MATCH, about(*self.match))
            if not self._is_there(folder / MATCH):
                raise ParlourError("{folder!r} holds another match, or something else.", folder=str(folder))
            self.file.touch()
            last = np.zeros((2, 0), np.int64)
            for words in _whole_games(self.file):
                found = np.array([_decisions(words, begins := _begins(words)), np.diff(begins) - 1])
                self.games += found.shape[1]
                self.decisions, self.steps = (np.array([self.decisions, self.steps]) + found.sum(axis=1)).tolist()
                last = np.concatenate([last, found], axis=1)[:, -2 * game.players :]
            if over := self.games % game.players:  # each deal is written whole, unless the disk was full
                self.games -= over
                self.decisions -= int(last[0, -over:].sum())
                self.steps -= int(last[1, -over:].sum())
                last = last[:, :-over]
            self.last = int(last[0, -game.players :].sum())
            os.truncate(self.file, 4 * (self.steps + self.games))
        except OSError as error:
            raise ParlourError(
                "The folder {folder!r} cannot be written: {why}.", folder=str(folder), why=reason(error)
            ) from None

    def _is_there(self, match: Path) -> bool:
        """Whether a file says this match, however long it is."""
        try:
            said = json.loads(match.read_text("utf-8"))
            return about(*self.match, **{key: said[key] for key in LENGTH if key in said}) == match.read_text("utf-8")
        except (FileNotFoundError, ValueError, TypeError):
            return False

    def finish(self) -> None:
        """Say in ``match.json`` how much there is."""
        put(self.file.with_name(MATCH), about(*self.match, **{key: getattr(self, key) for key in LENGTH}))

    def add(self, deal: Sequence[bytes], decisions: int) -> None:
        """Add the games of a deal, each as its steps.  Raises ``ParlourError`` if they cannot be written."""
        written = b"".join(little(array("i", [len(steps) // 4])) + steps for steps in deal)
        try:
            with open(self.file, "ab", buffering=0) as out:
                out.write(written)
        except OSError as error:
            raise ParlourError("{file} cannot be written: {why}.", file=self.file, why=reason(error)) from None
        self.games, self.decisions = self.games + len(deal), self.decisions + decisions
        self.steps += sum(map(len, deal)) // 4


# ------------------------------------------------------------------------------------------ export to other libraries


def to_minari(folder: str | Path, name: str, player: int | None = None, **said: Any) -> Any:
    """Export a folder as the Minari dataset ``name``, such as ``parlour/leduc/random-v0``, and return it (extra
    ``minari``).

    Each episode holds the decisions of one seat in one game; with ``player``, only those of that player of
    ``match.json``, from 0.  Observations are dictionaries of the tensor (``observation``) and the ``action_mask``; the
    last one is the seat's view at the end.  ``said``: other facts for Minari to store, such as ``author`` or
    ``data_format``.  Raises ``ParlourError`` as :func:`read` does, and if there is no such player.

    >>> to_minari("nowhere", "parlour/leduc/random-v0")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: The folder 'nowhere' holds no match: No such file or directory.
    """
    folder = Path(folder)
    game, about_it = game_of(folder)
    if player is not None and not 0 <= whole_number(player, "the number of a player") < game.players:
        raise ParlourError(
            "There is no player {player}; they run from 0 to {last}.", player=player, last=game.players - 1
        )
    if find_spec("minari") is None:
        raise Missing(
            "Minari is not installed; {command} brings it.", "minari", command="pip install 'parlour[minari]'"
        )
    import minari
    from gymnasium import spaces
    from minari.data_collector import EpisodeBuffer

    seen, choices = spaces.Box(0, 1, (game.tensor_size,), np.float32), spaces.MultiBinary(game.action_count)

    def episodes() -> Iterator[Any]:
        first = number = 0
        for words in _blocks(folder, about_it):
            rows, games = _replayed(folder, game, words, first)
            first += games
            order = np.lexsort((rows.seats, rows.games))  # a stable sort: the decisions of a player stay in order
            ends = np.flatnonzero(rows.done[order]) + 1
            for which in np.split(order, ends[:-1]):
                some = rows.some(which)
                if player is None or some.players[0] == player:
                    truths = some.done
                    yield EpisodeBuffer(
                        id=number,
                        observations={
                            "observation": np.concatenate([some.tensors, some.next_tensors[-1:]]),
                            "action_mask": np.concatenate([some.mask, some.next_mask[-1:]]).astype(np.int8),
                        },
                        actions=some.actions.astype(np.int64),
                        rewards=some.rewards,
                        terminations=truths,
                        truncations=np.zeros_like(truths),
                    )
                    number += 1

    return minari.create_dataset_from_buffers(
        name,
        episodes(),
        observation_space=spaces.Dict({"observation": seen, "action_mask": choices}),
        action_space=spaces.Discrete(game.action_count),
        **said,
    )
