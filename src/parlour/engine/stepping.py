"""A game in progress in one block of words, stepped by the compiled rules of the game: the base of
:class:`parlour.CompiledState`.

``state.h`` describes the block, and the functions of the rules that are called by their addresses.  ``state.c`` is the
type :class:`Block` for CPython's stable ABI, built where there is a compiler of C. If it was not built, or not from the
present sources, the class below takes its place, with the same methods.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import cache
from inspect import signature
from operator import index
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from parlour.engine import native
from parlour.engine.c.building import OUTCOMES
from parlour.engine.c.layout import WORD
from parlour.engine.c.layout import block as layout
from parlour.engine.c.loading import zeros
from parlour.engine.kernels.state import DRAWN, FAILED, FRESH, KERNEL, LEFT_TO_PLAY, NOBODY, PLACED
from parlour.engine.positions import record_class, to_record
from parlour.engine.ruleset import Ruleset
from parlour.rules.bounds import longest
from parlour.rules.vocabulary import CHANCE, SEVERAL, TERMINAL

NARROW: Final = 1 << 31
"""Ids and seats of this size or more are invalid; negative seats have other meanings in compiled code."""
GENERATOR, DRAWS, LEFT, KEYS = 0, 1 + DRAWN, 1 + LEFT_TO_PLAY, 5
"""Words of a block: the generator of chance, whether it is used, the number of steps left, the keys."""
STEP, ASK, CHANCES, TELL, SCORE = range(5)

Line: TypeAlias = "tuple[Line | None, int, int | None]"
"""The last of a chain of steps: the earlier ones, the action, the player (``None``: the one to act).  States share
chains."""

_NUMBER = ctypes.c_int64
_AT = ctypes.c_void_p


@cache
def start_block(game: Ruleset[Any]) -> bytes:
    """The block with which a game begins, before chance has decided anything."""
    block = zeros("u64", layout(game.definition).words(game.action_count))
    block[LEFT] = longest(game)
    to_record(game.definition, game.start(), position(game, block))
    return bytes(block)


def position(game: Ruleset[Any], block: Any) -> Any:
    """The record of the position in a block, a vector of words.  Both share memory, so a change of one changes the
    other."""
    return record_class(game.definition).from_buffer(block, WORD * layout(game.definition).position)


def functions(game: Ruleset[Any]) -> Callable[[int], int]:
    """The addresses of a game's compiled functions by number (``state.h``); each is compiled when it is first used."""
    code = KERNEL.compiled(game.definition)
    names = {STEP: "step", ASK: "ask", CHANCES: "chances", TELL: "tell", SCORE: "score"}
    return lambda number: cast(int, code.address(f"state_{names[number]}"))


@cache
def rules_of(game: Ruleset[Any], kind: Callable[..., Any]) -> Any:
    """The compiled rules of a game, for the objects of :class:`CompiledRules`."""
    at = layout(game.definition)
    brought = at.scores + at.columns
    return kind(start_block(game), game.players, game.action_count, game.tensor_size, brought, at.acts, functions(game))


class CompiledRules:
    """The compiled rules of a game with its players and house rules: the block with which it begins, and the functions
    (``keeper`` returns their addresses)."""

    def __init__(
        self, start: bytes, players: int, actions: int, row: int, brought: int, acts: int, keeper: Callable[[int], int]
    ) -> None:
        self.start, self.words = start, _NUMBER * (len(start) // WORD)
        self.players, self.actions, self.row = players, actions, row
        self.brought, self.acts = brought, acts
        kinds = [(_AT, _NUMBER, _NUMBER), (_AT, _NUMBER), (_AT, _AT), (_AT, _NUMBER, _AT), (_AT, _AT)]
        # PYFUNCTYPE keeps Python's lock during the call, as state.c does
        self.function = cache(lambda number: ctypes.PYFUNCTYPE(_NUMBER, *kinds[number])(keeper(number)))
        self.step = self.function(STEP)
        self.read = cache(lambda n: struct.Struct(f"={n}h").unpack_from)


class InPython:
    """A block of words, and the steps that led to it."""

    __slots__ = ("_base", "_block", "_keyed", "_line", "_looked", "_rules", "game", "seed")

    game: Ruleset[Any]
    seed: int | None
    _base: Any
    _block: Any
    _line: Line | None
    _rules: Any
    _looked: int
    _keyed: bool

    def __new__(cls, game: Ruleset[Any], seed: int | None = None) -> Any:
        if not isinstance(game, Ruleset) or not (seed is None or (type(seed) is int and 0 <= seed < 1 << 64)):
            return cls._begin(game, seed)
        new = object.__new__(cls)
        new.game, new.seed = game, seed
        new._rules = rules = rules_of(game, CompiledRules)
        new._base, new._line, new._keyed = None, None, True
        new._block = rules.words.from_buffer_copy(rules.start)
        new._block[DRAWS] = int(seed is not None)
        new._looked = TERMINAL - NOBODY
        looked = rules.step(new._block, _NUMBER(seed or 0), FRESH)
        if looked < 0:
            new._failed()
        new._looked = looked
        return new

    # ------------------------------------------------------------------ calls left to CompiledState

    @classmethod
    def _begin(cls, game: Any, seed: Any = None) -> Any:
        """Begin a game where the quick way does not apply: it has not been played before, or the seed is not a plain
        number."""
        raise NotImplementedError

    def _apply(self, action: Any, player: Any = None) -> None:
        """Apply an action given by name or by another type of number, or raise the error that refuses it."""
        raise NotImplementedError

    def _legal(self, player: Any = None) -> list[int]:
        """Return the legal actions of a player given by another type of number, or raise the error."""
        raise NotImplementedError

    def _key(self, player: Any) -> int:
        """Return the key of a player given by another type of number, or raise the error."""
        raise NotImplementedError

    def _failed(self, action: Any = None, player: Any = None) -> None:
        """Raise the error of rules that went wrong."""
        raise NotImplementedError

    # ------------------------------------------------------------------ turns and actions

    @property
    def _who(self) -> int:
        return (self._looked & 255) + NOBODY

    @property
    def _waiting(self) -> int:
        return self._looked >> 32 if self._who == SEVERAL else 0

    @property
    def current_player(self) -> int:
        """A player (0, 1 …), ``CHANCE``, ``SEVERAL`` (see :attr:`acting`) or ``TERMINAL``."""
        return self._who

    @property
    def acting(self) -> tuple[int, ...]:
        """The players who may act now."""
        who = self._who
        return (who,) if who >= 0 else tuple(p for p in range(self._rules.players) if self._waiting >> p & 1)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._who == TERMINAL

    @property
    def generator(self) -> int | None:
        """The word of the generator from which chance is drawn next, if this state draws it."""
        return self._block[GENERATOR] % (1 << 64) if self._block[DRAWS] else None

    def _seat(self, player: Any) -> int | None:
        seat = _narrow(player)
        return seat if seat is not None and 0 <= seat < self._rules.players else None

    def _number(self, player: int) -> int:
        """List the actions of a player, and return their number."""
        if player == self._who:
            return self._looked >> 8 & 0xFFFFFF
        if not self._waiting >> player & 1:
            return 0
        n: int = self._rules.function(ASK)(self._block, player)
        if n < 0:
            self._failed()
        return n

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Ids of the actions that ``player`` (default: the one to act) may choose now; empty if they are not asked."""
        if player is None:
            acting = self.acting
            if len(acting) > 1:
                return self._legal()
            if not acting:
                return []
            player = acting[0]
        elif (seat := self._seat(player)) is None:
            return self._legal(player)
        else:
            player = seat
        return [*self._rules.read(self._number(player))(self._block, WORD * self._rules.acts)]

    def _outcomes(self) -> list[tuple[int, float]]:
        """The possible outcomes of chance, each with its probability."""
        if self._who != CHANCE:
            return []
        weights = (_NUMBER * OUTCOMES)()
        outcomes = self._rules.function(CHANCES)(self._block, weights)
        if outcomes < 0:
            self._failed()
        found = [k for k in range(OUTCOMES) if outcomes >> k & 1]
        total = sum(weights[k] for k in found)
        return [(k, weights[k] / total) for k in found]

    # ------------------------------------------------------------------ playing

    def apply(self, action: int | str, player: int | None = None) -> None:
        """Do ``action``, or let an outcome of chance happen: see :meth:`parlour.State.apply`."""
        a, who = _narrow(action), NOBODY if player is None else _narrow(player)
        if a is None or who is None or (player is not None and who < 0):
            return self._apply(action, player)
        looked = self._rules.step(self._block, a, who)
        if looked < 0:
            return self._failed(action, player) if looked == FAILED else self._apply(action, player)
        self._line = self._line, a, None if player is None else who
        self._looked = looked
        return None

    @property
    def _mover(self) -> int:
        """The player who acts next when choices are taken one at a time, in order of seats."""
        return self.acting[0] if self._who == SEVERAL else self._who

    def _take(self, action: Any) -> None:
        """Apply an action of ``_mover``, or an outcome of chance."""
        self.apply(action, self._mover if self._who == SEVERAL else None)

    def clone(self) -> Any:
        """An independent copy: what is applied to one never changes the other."""
        new = object.__new__(type(self))
        new.game, new.seed, new._rules, new._base = self.game, self.seed, self._rules, self._base
        new._line, new._looked, new._keyed = self._line, self._looked, self._keyed
        new._block = self._rules.words.from_buffer_copy(self._block)
        return new

    # ------------------------------------------------------------------ results and observations

    def returns(self) -> list[float]:
        """Each player's return; all zeros before the end."""
        out = (ctypes.c_double * layout(self.game.definition).columns)()
        if self._who == TERMINAL and self._rules.function(SCORE)(self._block, out) < 0:
            self._failed()
        return out[: self._rules.players]

    def _brought(self) -> list[float]:
        """What each player won or lost in the deals settled since the last call."""
        brought = (ctypes.c_double * self._rules.players).from_buffer(self._block, WORD * self._rules.brought)
        found: list[float] = brought[:]
        ctypes.memset(brought, 0, ctypes.sizeof(brought))
        return found

    def information_key(self, player: int) -> int:
        """All that ``player`` has known so far as one 64-bit word, kept up to date with every step: see
        :meth:`parlour.State.information_key`."""
        seat = self._seat(player)
        if not self._keyed or seat is None:
            return self._key(player)
        key: int = _KEY(self._block, WORD * (KEYS + seat))[0]
        return key

    def _tell(self, player: int, out: Any) -> None:
        """Write a player's observation as a tensor; ``out``: ``tensor_size`` float32 numbers in one piece."""
        row = (ctypes.c_float * self._rules.row).from_buffer(out)
        if self._rules.function(TELL)(self._block, player, row) < 0:
            self._failed()

    def _numbers(self, row: Any, player: int) -> list[float]:
        """A row of float32 numbers as a list."""
        return [*struct.unpack(f"={len(row)}f", row)]

    def _mask(self, player: int, out: Any) -> None:
        """Write 1 for each action that a player may choose, else 0; ``out``: a byte for each action of the game."""
        mask = (ctypes.c_int8 * self._rules.actions).from_buffer(out)
        listed = self._rules.read(self._number(player))(self._block, WORD * self._rules.acts)
        ctypes.memset(mask, 0, ctypes.sizeof(mask))
        for action in listed:
            mask[action] = 1

    # ------------------------------------------------------------------ services for CompiledState

    def _words(self) -> bytes:
        """The block."""
        return bytes(self._block)

    def _steps(self) -> Sequence[tuple[int, int | None]]:
        """The steps since ``_base``, an interpreted state, or the beginning (``None``)."""
        steps: list[tuple[int, int | None]] = []
        line = self._line
        while line is not None:
            line, action, player = line
            steps.append((action, player))
        return steps[::-1]

    def _settle(self, base: Any) -> None:
        """Make ``base``, a state in the same position, the start of the past, so that there are no steps since."""
        self._base, self._line = base, None

    def _put(self, words: bytes, base: Any, seed: int | None, keyed: bool) -> None:
        """Take over the position in ``words``, which is that of ``base``."""
        self._block = self._rules.words.from_buffer_copy(words)
        self.seed, self._keyed = seed, keyed
        self._settle(base)
        looked = self._rules.step(self._block, 0, PLACED)
        if looked < 0:
            self._failed()
        self._looked = looked


def _narrow(given: Any) -> int | None:
    """Return a whole number (NumPy's included, but not a bool) small enough to be an id or a seat; ``None`` for
    anything else."""
    try:
        number = None if isinstance(given, bool) else index(given)
    except TypeError:
        return None
    return number if number is not None and -NARROW < number < NARROW else None


_KEY = struct.Struct("=Q").unpack_from


in_c: Final = native.in_c()

if TYPE_CHECKING:
    Block = InPython
else:
    Block = in_c.Block if in_c else InPython

Class = TypeVar("Class", bound=type)


def in_one_piece(derived: Class) -> Class:
    """Copy what a derived class defines into the type in C itself, with its name.  Objects of any class written in
    Python are tracked by the garbage collector, which would double the time of a clone."""
    if Block is InPython:
        return derived
    for name, value in vars(derived).items():
        if name not in OF_ITS_OWN:
            setattr(Block, name, value)
    Block.__name__, Block.__qualname__ = derived.__name__, derived.__qualname__
    setattr(Block, "__signature__", signature(InPython))  # noqa: B010
    setattr(Block, "__class_getitem__", classmethod(GenericAlias))  # noqa: B010 (not declared, so mypy would object)
    return cast("Class", Block)


OF_ITS_OWN: Final = {"__slots__", "__orig_bases__", "__parameters__", "__dict__", "__weakref__"}
"""Attributes that must not be copied from one class to another."""

__all__ = ["Block", "CompiledRules", "InPython", "in_c", "in_one_piece", "position", "rules_of", "start_block"]
