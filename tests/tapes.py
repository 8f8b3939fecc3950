"""What machine code was given and what came of it, taken down here to be played again on any other system.

A tape holds calls of a game's library, with every byte that they were given and every byte that they left behind.
``tape.c`` plays one with a library of Linux or Windows, ``tape.mjs`` with a WebAssembly module; neither knows anything
of the game.  What is put on it: random games and statistics, players by rule of thumb in the arena, searches, and
matches of the corpus, step by step, in which the keys of all players (what each has been told) are those that the
interpreted rules keep.  Floats that come out may differ by one part in 10⁹, since mathematical functions such as
``erf`` are the system's own; all else has to be the same to the bit.

A tape is a row of words of 64 bits, little end first: ``PUT`` a buffer, ``CALL`` an entry, ``EXPECT`` a buffer or, of
floats, one that is ``NEAR``.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from parlour import CHANCE, players
from parlour.engine.c import loading
from parlour.engine.c.layout import WORD
from parlour.engine.c.loading import LibraryFunction, positions
from parlour.engine.hashing import seed_word
from parlour.engine.kernels.state import FRESH, KERNEL, LEFT_TO_PLAY, NOBODY, Block
from parlour.players import best, search
from parlour.players.kind import Kind
from parlour.rules.bounds import longest
from parlour.study import arena
from parlour.study.simulate import simulate
from tests.helpers import ends
from tools import corpus

PUT, CALL, EXPECT, NEAR = 1, 2, 3, 4
GRAIN = 64
"""Bytes that are written out together; a grain of zeros is left out."""
SIZES = {"position": 0, **{f"{letter}{bits}": bits // 8 for letter in "iuf" for bits in (8, 16, 32, 64)}}


class Tape:
    """Calls and what came of them, in ``rows``; ``calls`` counts them."""

    def __init__(self) -> None:
        self.calls = 0
        self.rows: list[bytes] = []
        self._known: dict[tuple[int, int], tuple[int, bytes]] = {}  # address and size: its number, what it holds

    def __bytes__(self) -> bytes:
        return b"".join(self.rows)

    def _buffer(self, what: int, number: int, content: bytes) -> None:
        """Write down what a buffer holds, or must hold."""
        spots = [i for i in range(0, len(content), GRAIN) if any(content[i : i + GRAIN])]
        self.rows.append(struct.pack("<4Q", what, number, len(content), len(spots)))
        self.rows += [struct.pack("<Q", i) + content[i : i + GRAIN].ljust(GRAIN, b"\0") for i in spots]

    def _holds(self, at: int, size: int) -> int:
        """The number of a buffer, which is put there if it is new or has been changed."""
        number, before = self._known.get((at, size), (len(self._known), None))
        now = ctypes.string_at(at, size)
        if now != before:
            self._buffer(PUT, number, now)
            self._known[at, size] = number, now
        return number

    def called(
        self,
        name: str,
        buffers: dict[int, tuple[int, str]],
        gives: str | None,
        room: Any,
        function: Callable[[int], int],
    ) -> int:
        """Call a function whose words are in ``room``; ``buffers``: which are addresses, of how many bytes of what."""
        given = [*room]
        numbers = {i: self._holds(given[i], size) for i, (size, _) in buffers.items() if given[i]}
        place = function(ctypes.addressof(room))
        words = [(int(i in numbers), numbers.get(i, word)) for i, word in enumerate(given)]
        what = 0 if gives is None else NEAR if gives == "real" else EXPECT
        head = (CALL, len(name), len(given), place, what, room[0] if gives else 0)
        self.rows.append(struct.pack("<6Q", *head) + name.encode().ljust(GRAIN, b"\0"))
        self.rows += [struct.pack("<2Q", *word) for word in words]
        self.calls += 1
        for i, number in numbers.items():
            size, code = buffers[i]
            key = given[i], size
            now = ctypes.string_at(*key)
            if now != self._known[key][1]:
                self._buffer(NEAR if code == "f64" else EXPECT, number, now)
                self._known[key] = number, now
        return place


@contextmanager
def taping() -> Iterator[Tape]:
    """Whatever is called inside it is taken down."""
    tape = Tape()

    class Taken(LibraryFunction):
        def __init__(self, library: Any, name: str, kinds: list[str], gives: str | None) -> None:
            super().__init__(library, name, kinds, gives)
            function, words = self._function, self._room // WORD

            def called(at: int) -> int:
                room = (ctypes.c_uint64 * words).from_address(at)
                return tape.called(name, dict(_buffers(kinds, room, library.size)), gives, room, function)

            self._function = called

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loading, "LibraryFunction", Taken)
        patched.setattr(loading, "in_c", lambda: None)
        for module in (search, best):  # which keep their trees, with what these call
            patched.setattr(module, "_own", type(module._own)())
        for cached in (loading.compiled, loading.opened):
            cached.cache_clear()
        yield tape
    for cached in (loading.compiled, loading.opened):
        cached.cache_clear()


def _buffers(kinds: list[str], room: Any, size: int) -> Iterator[tuple[int, tuple[int, str]]]:
    """Which words of a call are addresses, of how many bytes, and of what."""
    at = 0
    for kind in kinds:
        code, _, dimensions = kind.rstrip("?").partition("[")
        sizes = 1 + dimensions.count(",") if dimensions else 0
        if code in SIZES and (sizes or code == "position"):
            many = SIZES[code] or size
            for i in range(sizes):
                many *= room[at + 1 + i]
            yield at, (many, code)
        at += 1 + sizes


# ------------------------------------------------------------------------------------------ what is put on it


def tape_of(game: str, records: int = 20, games: int = 100) -> Tape:
    """A tape of a game: bulk, rule of thumb, search and this number of matches of the corpus."""
    with taping() as tape:
        for setting in (one.load() for one in ends(game)):
            at_random(setting, games)
            by_rule_of_thumb(setting)
            by_search(setting)
        for record in [*corpus.read(game)][:records]:
            replayed(record)
    return tape


def at_random(game: Any, games: int) -> None:
    """Random games in bulk, and what a survey adds up."""
    for seed in (0, 1000, 77_777):
        simulate(game, games, seed=seed, threads=1)


def by_rule_of_thumb(game: Any) -> None:
    """Deals in the arena, with every step."""
    if game.definition.has("appraise"):
        arena.contest(game, [Kind("rule-of-thumb")] * game.players, 1, range(2), with_steps=True)


def by_search(game: Any) -> None:
    """A search in the first position in which there is a choice, and in a later one; what is imagined there."""
    for moves in (0, 7):
        state = game.new(seed=5)
        while not state.is_terminal:
            player = state.acting[0]
            legal = state.legal_actions(player)
            if len(legal) > 1 and len(state.history) >= moves:
                view = state.view(player)
                for kind in ("search:200", "best:50" if game.definition.has("appraise") else "search:50"):
                    players.make(kind, game).choose(view, legal)
                break
            state.apply(legal[-1], player)


def replayed(record: corpus.Record) -> None:
    """A match of the corpus, with chance as it was: compiled and interpreted, the same is known after every step."""
    state, generator = record.start().state, [seed_word(int(record.header.split()[1]))]
    game = state.game
    word, number, columns = ctypes.c_uint64, ctypes.c_double, max(game.definition.max_players, 2)
    about = (ctypes.c_int64 * 4)()
    about[LEFT_TO_PLAY] = longest(game)
    memory, scores = (word * columns * 4 * 1)(), (number * columns * 2)()
    (position,) = positions(game.definition, [game.start()])
    own = Block((word * 1)(), about, memory, scores, position, (ctypes.c_int16 * game.action_count)())
    step = KERNEL.compiled(game.definition).step_on
    step(own, 0, FRESH)

    def know() -> None:
        told = [state.information_key(p) for p in range(game.players)]
        assert memory[0][0][: game.players] == told, f"{record.game}, record {record.number}: keys differ"

    for _, act in record.lines:
        while state.current_player == CHANCE:
            outcome = state.draw_outcome(generator)
            state.apply(outcome)
            assert step(own, outcome, NOBODY) >= 0, record
        know()
        if not act.startswith("="):
            who, _, name = act.partition(" ")
            corpus.do(state, act)
            assert step(own, game.action_names.index(name), int(who)) >= 0, record
    know()
