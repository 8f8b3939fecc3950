"""Value networks: what positions are worth, how the networks are trained, and luck in games by their estimates.

A value network estimates the value of a position from what all players are told (:mod:`parlour.study.kernels.luck`
computes it).  It learns by regression: players by rule of thumb (or random ones, if a game has none) play each other,
and the network learns the result of the game from some of its positions.  It does not play: it takes luck out of the
results of any players (AIVAT: Burch, Schmid, Moravčík, Morrill & Bowling 2018).

>>> import parlour, tempfile
>>> from pathlib import Path
>>> game = parlour.load("kuhn")
>>> values = learn(game, games=1000, hidden=8)
>>> with tempfile.TemporaryDirectory() as folder:
...     write(Path(folder) / "values.npz", game, values)
...     known(game, Path(folder) / "values.npz").fits(game)
True
>>> isinstance(values, Values), values.hidden, [layer.shape for layer in values.layers][-1]
(True, 8, (2,))
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from parlour.base.disk import installed, put, reading
from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.engine.hashing import MASK, mix, seed_word
from parlour.engine.tensors import tensor_size
from parlour.players.kernels.arena import AT_RANDOM, BY_NETWORK
from parlour.players.kernels.networks import HEAD, HIDDEN, INPUTS, UNIT
from parlour.players.kind import Kind
from parlour.study import arena
from parlour.study.kernels.luck import FIGURES, KERNEL, KINDS, TENSORS, Stock

__all__ = ["Values", "known", "learn", "write"]

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.game import Game

GAMES_AT_ONCE = 1000
"""Games that are played before each round of training."""
POSITIONS = 8
"""Positions of a game from which it learns, on average."""
AT_ONCE = 512
"""Positions in one step of training, each from the point of view of all seats."""
RATE = 2e-3
"""The size of Adam's steps at first; at the end they are 0."""
ADAM = 0.9, 0.999, 1e-8
AVERAGE = 0.998
"""The factor of the old average of the weights at each change."""


@dataclass(frozen=True, eq=False)
class Values:
    """A value network: the sizes of its layers, the ``unit`` of returns (its estimates times this are in the game's own
    unit), its ``layers`` (weights and biases in turn: float32, shape (tensors × inputs, hidden), (hidden,), (hidden,
    hidden), (hidden,), (hidden, 2) and (2,)), and a note of how it was made."""

    inputs: int
    hidden: int
    tensors: int
    unit: float
    layers: tuple[NDArray[np.float32], ...]
    made: dict[str, Any] = field(default_factory=dict)

    def vector(self) -> NDArray[np.float64]:
        """The network as a vector for :mod:`parlour.study.kernels.luck`: float64, shape (weights and biases + 16,)."""
        head = np.zeros(HEAD)
        head[[INPUTS, HIDDEN, TENSORS, UNIT]] = self.inputs, self.hidden, self.tensors, self.unit
        first, b1, second, b2, last, b3 = self.layers
        parts = head, first, b1, second, b2, last.T, b3, np.zeros(8)
        return np.concatenate([np.asarray(part, np.float64).ravel() for part in parts])

    def fits(self, game: Game) -> bool:
        """Whether a game has tensors of the sizes for which the network was made."""
        return (self.inputs, self.tensors) == (tensor_size(game.definition), tensors(game))


def tensors(game: Game) -> int:
    """The number of tensors that a value network of a game takes: one if nothing is hidden."""
    return 1 if game.definition.hides_nothing else game.players


# ------------------------------------------------------------------------------------------ files


def shipped(game: Game) -> Path:
    """The file of the value networks that come with a game, if there are any."""
    module = game.definition.part("rules")
    assert module is not None
    assert module.__file__ is not None
    return Path(module.__file__).with_name("values.npz")


def known(game: Game, file: Path | None = None) -> Values | None:
    """The value network for a game and its number of players: from a file, or from the one that comes with the game.
    Returns ``None`` if none comes with the game.  Raises ``ParlourError`` if the file has none that fits."""
    if file is None:
        if not shipped(game).exists():
            return None
        with installed(shipped(game)):
            found = _networks(shipped(game)).get(str(game.players))
        return found if found is not None and found.fits(game) else None
    other = ParlourError("{file} does not hold value networks; `parlour train --values` writes such files.", file=file)
    with reading(file, other):
        found = _networks(file).get(str(game.players))
    if found is None or found.made.get("game") != game.definition.rules_of or not found.fits(game):
        raise ParlourError(
            "{file} has no value network for {name} with {players} players.",
            file=file,
            name=game.definition.said_name,
            players=game.players,
        )
    return found


@lru_cache(maxsize=16)
def _read(file: Path, stamp: int) -> dict[str, Values]:
    found = {}
    with open(file, "rb") as opened, np.load(opened, allow_pickle=False) as kept:
        for n, about in json.loads(str(kept["about"])).items():
            layers = tuple(kept[f"{n}.{i}"].astype(np.float32) for i in range(6))
            sizes = about["inputs"], about["hidden"], about["tensors"], about["unit"]
            found[n] = Values(*sizes, layers, about["made"])
    return found


def _networks(file: Path) -> dict[str, Values]:
    return _read(file, file.stat().st_mtime_ns)


def others(file: Path, game: Game) -> dict[str, Values]:
    """Return the value networks that a file holds for a game so far, by number of players.  Raises ``ParlourError`` if
    it is another kind of file."""
    if not file.exists():
        return {}
    with reading(
        file, ParlourError("{file} already exists and does not hold value networks; name another file.", file=file)
    ):
        return {n: one for n, one in _networks(file).items() if one.made.get("game") == game.definition.rules_of}


def write(file: Path, game: Game, values: Values, made: Mapping[str, str] = MappingProxyType({})) -> None:
    """Add a value network to a file, next to those for other numbers of players; weights are rounded to 16 bits.
    ``made``: a note of how it was made."""
    networks = others(file, game)
    networks[str(game.players)] = replace(values, made={**values.made, **made, "game": game.definition.rules_of})
    about: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for n, one in sorted(networks.items()):
        sizes = {"inputs": one.inputs, "hidden": one.hidden, "tensors": one.tensors, "unit": one.unit}
        about[n] = {**sizes, "made": one.made}
        arrays.update({f"{n}.{i}": layer.astype(np.float16) for i, layer in enumerate(one.layers)})
    out = io.BytesIO()
    np.savez_compressed(out, about=np.array(json.dumps(about)), **arrays)
    put(file, out.getvalue())


# ------------------------------------------------------------------------------------------ luck


def luck(game: Game, values: Values, games: arena.ArenaGames, draws_lots: Sequence[bool]) -> NDArray[np.float64]:
    """Return the luck of each seat in games of the arena, by game, by seat, for the share of the win and for returns,
    and by kind of luck (:data:`parlour.study.kernels.luck.KINDS`).  ``draws_lots``: whether each player of the match
    chooses at random."""
    n = game.players
    holders = arena.holders(n)
    ways = [[AT_RANDOM if draws_lots[k] else BY_NETWORK for k in holder] for holder in holders]
    how = np.tile(np.array(ways, np.int64), (len(games.returns) // len(holders), 1))
    return luck_of(game, values, games.steps, games.taken, how)


def luck_of_one(game: Game, values: Values, steps: Sequence[int], draws_lots: Sequence[bool]) -> NDArray[np.float64]:
    """Return the luck of each seat in one game: a row for each seat."""
    how = np.array([[AT_RANDOM if lots else BY_NETWORK for lots in draws_lots]], np.int64)
    found: NDArray[np.float64] = luck_of(game, values, np.array([steps], np.int32), np.array([len(steps)]), how)[0]
    return found


def luck_of(
    game: Game, values: Values, steps: NDArray[np.int32], taken: NDArray[np.int64], how: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the luck of the seats in these games, from their steps and the way each seat chose (``AT_RANDOM``, or
    not)."""
    positions, start = arena.ground(game)
    n, size, hidden = game.players, values.inputs, values.hidden
    found = np.zeros((len(taken), n, FIGURES, KINDS))
    acts, rows, row = np.zeros(game.action_count, np.int16), np.zeros((n, size), np.float32), np.zeros(size, np.float32)
    sums, layer, out, worth = np.zeros(n * hidden), np.zeros((n + 1) * hidden), np.zeros(n), np.zeros((n, FIGURES))
    stock = Stock(values.vector(), rows, row, sums, layer, out, worth)
    KERNEL.compiled(game.definition).follow(positions, start, steps, taken, how, acts, stock, found)
    found[:, :, 1] *= values.unit
    return found


# ------------------------------------------------------------------------------------------ learning


def learn(
    game: Game,
    games: int,
    seed: int = 1,
    hidden: int = 32,
    tell: Callable[[int, float], None] = lambda played, error: None,
) -> Values:
    """Return a value network that has learned from this number of games.  ``tell`` is called with the number of games
    so far and the mean square of the errors in the share of the win. Raises ``ParlourError`` for fewer than 1,000
    games, or another size of ``hidden`` than 8, 16 … 512."""
    if games < GAMES_AT_ONCE:
        raise ParlourError(
            "A value network learns from at least {games_at_once} games, not {games}.",
            games_at_once=GAMES_AT_ONCE,
            games=games,
        )
    if not 8 <= hidden <= 512 or hidden % 8:
        raise ParlourError("A hidden layer has 8, 16, 24 … 512 sums, not {hidden}.", hidden=hidden)
    kinds = [Kind("rule-of-thumb" if game.definition.has("appraise") else "random")] * game.players
    n, size, given = game.players, tensor_size(game.definition), tensors(game)
    dice = np.random.default_rng(seed)
    net = _Net(given * size, hidden, dice)
    rounds, first, unit, played = games // GAMES_AT_ONCE, mix(seed_word(seed) ^ LEARNING & MASK) >> 1, 0.0, 0
    for number in range(rounds):
        deals = range(number * GAMES_AT_ONCE // n, (number + 1) * GAMES_AT_ONCE // n)
        brought = arena.contest(game, kinds, first, deals, with_steps=True).arrays()
        unit = unit or float(brought.returns.std()) or 1.0
        rows, which = portraits(game, brought, POSITIONS, seed + number)
        won = shares(brought.returns)
        aims = np.stack([won, brought.returns / unit], axis=2).astype(np.float32)
        error, seen = 0.0, 0
        order = dice.permutation(len(rows))
        for some in np.array_split(order, max(1, len(order) // AT_ONCE)):
            views = seats_in_turn(rows[some], given)
            aim = aims[which[some]].reshape(-1, FIGURES)
            error += net.learn(views, aim, RATE * (1 - number / rounds))
            seen += len(aim)
        played += len(brought.returns)
        tell(played, error / max(seen, 1))
    made = {"games": games, "seed": seed}
    return Values(size, hidden, given, unit, tuple(net.average), made)


LEARNING = 0x76616C756573


def shares(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the win of each seat in each game."""
    best: NDArray[np.float64] = (returns == returns.max(axis=1, keepdims=True)).astype(np.float64)
    best /= best.sum(axis=1, keepdims=True)
    return best


def portraits(
    game: Game, games: arena.ArenaGames, each: int, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the tensors of all seats in about ``each`` positions of every game, with the number of the game."""
    positions, start = arena.ground(game)
    often = max(1, int(games.taken.mean()) // each)
    room = int(games.taken.sum() // often * 1.2) + 64
    X = np.zeros((room, game.players, tensor_size(game.definition)), np.float32)
    which, rng = np.zeros(room, np.int64), np.array([seed_word(seed)], np.uint64)
    found = KERNEL.compiled(game.definition).portray(positions, start, games.steps, games.taken, rng, often, X, which)
    return X[:found], which[:found]


def seats_in_turn(rows: NDArray[np.float32], given: int) -> NDArray[np.float32]:
    """Return the input of the network for each seat: its own tensor, then, if it takes several, those of the others."""
    if given == 1:
        return rows.reshape(-1, rows.shape[2])
    n = rows.shape[1]
    turned = np.stack([rows[:, [(p + q) % n for q in range(n)]] for p in range(n)], axis=1)
    return turned.reshape(len(rows) * n, -1)


class _Net:
    """Two hidden layers, trained by Adam (Kingma & Ba 2015), and a running average of the weights."""

    def __init__(self, inputs: int, hidden: int, dice: np.random.Generator) -> None:
        def matrix(rows: int, columns: int, scale: float) -> NDArray[np.float32]:
            return dice.normal(0, scale, (rows, columns)).astype(np.float32)

        self.layers = [
            matrix(inputs, hidden, 0.1),
            np.zeros(hidden, np.float32),
            matrix(hidden, hidden, (2 / hidden) ** 0.5),
            np.zeros(hidden, np.float32),
            matrix(hidden, FIGURES, hidden**-0.5),
            np.zeros(FIGURES, np.float32),
        ]
        self.average = [layer.copy() for layer in self.layers]
        self.moments = [(np.zeros_like(layer), np.zeros_like(layer)) for layer in self.layers]
        self.changes = 0

    def learn(self, x: NDArray[np.float32], aim: NDArray[np.float32], rate: float) -> float:
        """One step; return the sum of the squares of the errors in the share of the win."""
        first, b1, second, b2, last, b3 = self.layers
        h1 = np.maximum(x @ first + b1, 0)
        h2 = np.maximum(h1 @ second + b2, 0)
        error = h2 @ last + b3 - aim
        wrong = float((error[:, 0] ** 2).sum())
        back = error / np.float32(len(x))
        g2 = (back @ last.T) * (h2 > 0)
        g1 = (g2 @ second.T) * (h1 > 0)
        self.change([x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ back, back.sum(0)], rate)
        return wrong

    def change(self, gradients: Sequence[NDArray[np.float32]], rate: float) -> None:
        self.changes += 1
        slow, slower, least = ADAM
        size = rate * (1 - slower**self.changes) ** 0.5 / (1 - slow**self.changes)
        stays = min(AVERAGE, 1 - 1 / (self.changes + 1))
        for layer, average, (mean, square), gradient in zip(
            self.layers, self.average, self.moments, gradients, strict=True
        ):
            mean += np.float32(1 - slow) * (gradient - mean)
            square += np.float32(1 - slower) * (gradient * gradient - square)
            layer -= np.float32(size) * mean / (np.sqrt(square) + np.float32(least))
            average += np.float32(1 - stays) * (layer - average)
