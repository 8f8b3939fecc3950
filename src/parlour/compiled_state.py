"""A game in progress whose steps are machine code: for search and learning that go state by state, from Python.

One call of compiled code carries out an action, lets chance decide what follows, remembers what every player was told,
and lists the legal actions of whoever acts next.  What is seldom asked (events, records, sentences) is answered by the
interpreted state of the same game, which is played up to here when it is wanted.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, cast

from parlour.extras import needed

with needed("fast"):
    import numpy as np
    from numba import int64, types

from parlour.bounds import longest
from parlour.engine.binding import compiled
from parlour.engine.blocks import WORD, layout
from parlour.engine.drivers import DRAWN, FRESH, LEFT_TO_PLAY, NOBODY, PLACED
from parlour.engine.hashing import seed_word
from parlour.engine.positions import as_dict, from_record, to_record
from parlour.engine.ruleset import A_GAME, Ruleset, StateT, of_kind, seat, whole_number
from parlour.engine.telling import View, view
from parlour.engine.tensors import Tensor
from parlour.errors import ParlourError
from parlour.vocabulary import EVERYBODY, SEVERAL, TERMINAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.engine.steps import Step

Line = tuple["Line | None", int, int | None]
"""The last of some steps: those before it, the action, the player (``None``: whoever was asked).  States share them."""


class _Calls:
    """The compiled functions of a game, called without a look at the types of what they are given, and where in a block
    what Python reads lies."""

    def __init__(self, game: Ruleset[Any]) -> None:
        self._code, at = compiled(game.definition), layout(game.definition)
        self.block = np.zeros(at.words(game.action_count), np.uint64)
        self.record = slice(at.position, at.acts)
        self.memory = slice(at.memory, at.scores)
        self.columns = at.columns
        self.drawn = at.about + DRAWN
        self.block[at.about + LEFT_TO_PLAY] = longest(game)
        self.acts, self.keys = WORD * at.acts, WORD * at.memory
        to_record(game.definition, game.start(), self.position(self.block))
        self.read = tuple(struct.Struct(f"={n}h").unpack_from for n in range(game.action_count + 1))
        self.step: Callable[[Any, int, int], int] = self._code.step_state.compile((_WORDS, int64, int64))

    def position(self, block: NDArray[np.uint64]) -> Any:
        """The record in a block."""
        return block[self.record].view(np.uint8)[: self._code.dtype.itemsize].view(self._code.dtype)[0]

    @cached_property
    def ask(self) -> Callable[[Any, int], int]:
        """Lists the actions of another who is asked."""
        return cast("Callable[[Any, int], int]", self._code.ask_state.compile((_WORDS, int64)))

    @cached_property
    def tell(self) -> Callable[[Any, int, Any], None]:
        """Writes a tensor into a row."""
        row = types.Array(types.float32, 1, "C")
        return cast("Callable[[Any, int, Any], None]", self._code.tell_state.compile((_WORDS, int64, row)))

    @cached_property
    def score(self) -> Callable[[Any, Any], None]:
        """Writes the returns into a vector."""
        out = types.Array(types.float64, 1, "C")
        return cast("Callable[[Any, Any], None]", self._code.score_state.compile((_WORDS, out)))


_WORDS = types.Array(types.uint64, 1, "C")
_calls = cache(_Calls)


_KEY = struct.Struct("=Q").unpack_from


class CompiledState(Generic[StateT]):
    """A game in progress, played by machine code: the same game as the :class:`parlour.State` with this seed, step by
    step, and some ten times as fast.  ``parlour.load(...).new(seed, binding="compiled")`` makes one.

    It answers whatever a ``State`` answers.  Fast are :meth:`legal_actions`, :meth:`apply`, :meth:`clone`,
    :meth:`tensor`, :meth:`information_key`, :meth:`returns` and who acts; for the rest, ``history``, events and records
    among it, an interpreted state is played up to here.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=5, binding="compiled")
    >>> state.current_player, [state.name_of(a) for a in state.legal_actions()]
    (0, ['call', 'raise'])
    >>> state.apply("raise")
    >>> state.history[-1].name
    'raise'
    """

    __slots__ = ("_base", "_block", "_calls", "_count", "_keyed", "_line", "_waiting", "_who", "game", "seed")

    game: Ruleset[StateT]
    seed: int | None
    _base: Any
    _block: Any
    _line: Line | None

    # what the interpreted state answers and a type checker is to know of
    history: Sequence[Step]
    is_sealed: bool
    at: Callable[[int], StateT]

    def __init__(self, game: Ruleset[StateT], seed: int | None = None) -> None:
        self.game, self._base, self._line = of_kind(game, Ruleset, A_GAME), None, None
        self._calls = calls = _calls(game)
        self._block = calls.block.copy()
        self.seed = None
        if seed is not None:
            self._block[0] = seed_word(seed)
            self._block[calls.drawn] = 1
            self.seed = whole_number(seed, "a seed")
        self._keyed = True
        self._note(calls.step(self._block, 0, FRESH))

    @classmethod
    def of(cls, state: Any) -> CompiledState[Any]:
        """The same game, gone on with in machine code.

        >>> import parlour
        >>> state = parlour.load("kuhn").new(seed=1); state.apply("bet")
        >>> CompiledState.of(state) == parlour.CompiledState.of(state.clone())
        True
        """
        new: CompiledState[Any] = object.__new__(cls)
        new.game, new._calls = state.game, _calls(state.game)
        new._take_on(state.clone())
        return new

    def _take_on(self, state: Any) -> None:
        """Be where ``state`` is, which nobody else has."""
        self._block = self._calls.block.copy()
        self._base, self._line, self.seed = state, None, state.seed
        calls = self._calls
        to_record(self.game.definition, state.position, calls.position(self._block))
        if state.generator is not None:
            self._block[0] = state.generator
            self._block[calls.drawn] = 1
        self._keyed = state.has_history
        if self._keyed:
            words = state.memory().words()
            self._block[calls.memory].reshape(4, calls.columns)[:, : len(words[0])] = words
        self._note(calls.step(self._block, 0, PLACED))

    def _note(self, looked: int) -> None:
        self._who, self._count, self._waiting = (looked & 255) + NOBODY, looked >> 8 & 0xFFFFFF, looked >> 32

    def __repr__(self) -> str:
        return f"<{self.game.id}, compiled>"

    def __str__(self) -> str:
        """The table in text: see :class:`parlour.State`."""
        return str(self._here())

    def _repr_html_(self) -> str | None:
        """The table as the page draws it, for notebooks."""
        return cast("str | None", self._here()._repr_html_())

    def _repr_svg_(self) -> str | None:
        """The same as SVG."""
        return cast("str | None", self._here()._repr_svg_())

    # ------------------------------------------------------------------ fast

    @property
    def current_player(self) -> int:
        """A player (0, 1 …), ``CHANCE``, ``SEVERAL`` (see :attr:`acting`) or ``TERMINAL``."""
        return self._who

    @property
    def acting(self) -> tuple[int, ...]:
        """The players who may act now."""
        who = self._who
        if who >= 0:
            return _ALONE[who]
        return tuple(p for p in range(self.game.players) if self._waiting >> p & 1) if who == SEVERAL else ()

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._who == TERMINAL

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Ids of the actions that ``player`` (default: the one to act) may choose now; empty if they are not asked."""
        who = self._who
        if who >= 0 and (player is None or player is who):
            calls = self._calls
            return [*calls.read[self._count](self._block, calls.acts)]
        if player is None:
            if who != SEVERAL:
                return []
            if self._waiting & (self._waiting - 1):
                return cast("list[int]", self._here().legal_actions())  # which says who they are
            player = self.acting[0]
        else:
            player = seat(self.game, player)
            if player not in self.acting:
                return []
        calls = self._calls
        return [*calls.read[calls.ask(self._block, player)](self._block, calls.acts)]

    def apply(self, action: int | str, player: int | None = None) -> None:
        """Do ``action``, or let an outcome of chance happen: see :meth:`parlour.State.apply`."""
        if (
            type(action) is int
            and -NARROW < action < NARROW
            and (player is None or (type(player) is int and 0 <= player < NARROW))
        ):
            looked = self._calls.step(self._block, action, NOBODY if player is None else player)
            if looked >= 0:
                self._line = self._line, action, player
                self._who, self._count, self._waiting = (looked & 255) + NOBODY, looked >> 8 & 0xFFFFFF, looked >> 32
                return
        self._apply_otherwise(action, player)

    def _apply_otherwise(self, action: int | str, player: int | None) -> None:
        """What was named, or came as a number of another kind; or the sentence that refuses it."""
        state = self._interpreted().clone()
        meant = state.meant(action, player)
        state.apply(action, player)
        who = None if player is None else whole_number(player, "a seat")
        for a in meant:
            self.apply(a, who)

    def clone(self) -> CompiledState[StateT]:
        """An independent copy: what is applied to one never changes the other."""
        new: CompiledState[StateT] = _blank(CompiledState)
        new.game = self.game
        new.seed = self.seed
        new._calls = self._calls
        new._block = self._block.copy()
        new._base = self._base
        new._line = self._line
        new._keyed = self._keyed
        new._who = self._who
        new._count = self._count
        new._waiting = self._waiting
        return new

    def returns(self) -> list[float]:
        """Each player's return; all zeros before the end."""
        out = np.zeros(self.game.players)
        if self._who == TERMINAL:
            self._calls.score(self._block, out)
        return out.tolist()

    def tensor(self, player: int, out: NDArray[np.float32] | None = None) -> Tensor:
        """What ``player`` is told as one flat float32 buffer with named parts, written in place if ``out`` is given: a
        float32 array of ``game.tensor_size`` numbers in one piece."""
        if player != EVERYBODY:
            player = seat(self.game, player)
        size = self.game.tensor_size
        if out is None:
            out = np.empty(size, np.float32)
        elif not isinstance(out, np.ndarray) or out.shape != (size,) or out.dtype != np.float32 or not out.flags.carray:
            raise ParlourError(
                "A tensor is written into {size} float32 numbers in one piece, not into that.", size=size
            )
        if player == EVERYBODY:
            out[:] = self.view().tensor().flat
        else:
            self._calls.tell(self._block, player, out)
        return Tensor(out, self.game.tensor_layout)

    def information_key(self, player: int) -> int:
        """What ``player`` has known so far as one 64-bit word, kept along the way: see
        :meth:`parlour.State.information_key`."""
        player = seat(self.game, player)
        if not self._keyed:
            self._here().need_history()
        return cast(int, _KEY(self._block, self._calls.keys + WORD * player)[0])

    # ------------------------------------------------------------------ what is made from the position

    @property
    def position(self) -> Any:
        """The interpreted position, a copy."""
        return from_record(self.game.definition, self._calls.position(self._block))

    def fields(self) -> dict[str, int | list[int]]:
        """Every field of the position: see :meth:`parlour.State.fields`."""
        return as_dict(self.game.definition, self._calls.position(self._block))

    def view(self, player: int = EVERYBODY) -> View:
        """All that ``player`` is told: see :meth:`parlour.State.view`."""
        return view(self.game, self.position, player if player == EVERYBODY else seat(self.game, player))

    def observation(self, player: int = EVERYBODY) -> dict[str, Any]:
        """The view as JSON-able data."""
        return self.view(player).observation()

    def text(self, player: int = EVERYBODY) -> str:
        """The view as lines of text."""
        return self.view(player).text()

    @property
    def generator(self) -> int | None:
        """The word of the generator that chance is drawn from next, if this state draws it."""
        return int(self._block[0]) if self._block[self._calls.drawn] else None

    def _here(self) -> Any:
        """An interpreted state in this position, without history."""
        return self.game.state_at(self.position, self.generator)

    def name_of(self, action: int) -> str:
        """The readable name of an action or an outcome: see :meth:`parlour.State.name_of`."""
        return str(self._here().name_of(action))

    # ------------------------------------------------------------------ what the interpreted state answers

    def _interpreted(self) -> Any:
        """The interpreted state, played up to here; it is kept, and nobody changes it."""
        if self._line is None and self._base is not None:
            return self._base
        steps: list[tuple[int, int | None]] = []
        line = self._line
        while line is not None:
            line, action, player = line
            steps.append((action, player))
        state: Any = self.game.new(self.seed) if self._base is None else self._base.clone()
        for action, player in reversed(steps):
            state.apply(action, player)
        self._base, self._line = state, None
        return state

    def interpreted(self) -> StateT:
        """The same game as a :class:`parlour.State`."""
        state: StateT = self._interpreted().clone()
        return state

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._interpreted(), name)

    def return_to(self, before: StateT) -> None:
        """Go on from before the last step: see :meth:`parlour.State.return_to`."""
        state = self._interpreted().clone()
        state.return_to(before)
        self._take_on(state)

    def leave_chance(self) -> list[int] | None:
        """From here on chance is left to the caller: see :meth:`parlour.State.leave_chance`."""
        state = self._interpreted().clone()
        rng: list[int] | None = state.leave_chance()
        self._take_on(state)
        return rng

    def draw_on(self, seed: int, rng: list[int]) -> None:
        """From here on chance is drawn from ``rng``: see :meth:`parlour.State.draw_on`."""
        state = self._interpreted().clone()
        state.draw_on(seed, rng)
        self._take_on(state)

    def call_players(self, names: Sequence[str]) -> None:
        """Use these names in sentences and records: see :meth:`parlour.State.call_players`."""
        state = self._interpreted().clone()
        state.call_players(names)
        self._take_on(state)

    # ------------------------------------------------------------------ copies

    def __eq__(self, other: object) -> bool:
        """Whether both came to the same position in the same way and will go on in the same way."""
        if not isinstance(other, CompiledState):
            return NotImplemented
        return bool(self._interpreted() == other._interpreted())

    __hash__ = None  # type: ignore[assignment]

    __copy__ = clone

    def __deepcopy__(self, memo: Any) -> CompiledState[StateT]:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledState.of, (self._interpreted(),)


_blank = object.__new__
_ALONE = tuple((p,) for p in range(64))
NARROW = 1 << 31
"""Ids and seats beyond this do not go into a call of compiled code; seats below 0 mean something else there."""
