"""A game in progress whose steps are machine code: for search and learning that go state by state, from Python.

One call of compiled code carries out an action, resolves chance, updates the memory of every player, and lists the
legal actions of the next player (:mod:`parlour.engine.stepping`).  Rare questions (events, records, sentences) go to an
interpreted state of the same game, which is played up to the present step when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, cast

from parlour.base.errors import Endless
from parlour.engine.c.layout import block as layout
from parlour.engine.hashing import seed_word
from parlour.engine.information import Recollection, information_layout
from parlour.engine.kernels.information import NEXT
from parlour.engine.positions import as_dict, from_record, to_record
from parlour.engine.ruleset import A_GAME, Ruleset, StateT, of_kind, seat, whole_number
from parlour.engine.stepping import DRAWS, GENERATOR, LEFT, Block, in_c, in_one_piece, position, rules_of, start_block
from parlour.engine.telling import Item, View, view
from parlour.engine.tensors import Tensor, into
from parlour.rules.bounds import LONGEST
from parlour.rules.vocabulary import EVERYBODY, AnyPosition

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from parlour.engine.memory import Memory
    from parlour.engine.steps import Step

ANSWERED = (
    *("at", "deals", "draw_outcome", "events", "history", "hushed", "information_state", "is_sealed", "ledger", "log"),
    *("memory", "player_names", "record", "redeal", "refusal", "sequence", "settled", "silence"),
)
"""Names that are passed on to the interpreted state."""


class Unread(View):
    """A view of a block of words that is worked out only when it is read, because many players choose without reading
    it."""

    __slots__ = ("_block", "_found")

    _found: tuple[Item, ...] | None

    def __init__(self, game: Ruleset[Any], player: int, block: bytes) -> None:
        self.game, self.player, self._block, self._found = game, player, block, None

    @property
    def items(self) -> tuple[Item, ...]:  # type: ignore[override]
        if self._found is None:
            record = position(self.game, bytearray(self._block))
            self._found = view(self.game, from_record(self.game.definition, record), self.player).items
        return self._found


@in_one_piece
class CompiledState(Block, Generic[StateT]):
    """A game in progress, played by machine code: the same game as the :class:`parlour.State` with this seed, step by
    step, and some sixty times as fast.  ``parlour.load(...).new(seed, binding="compiled")`` makes one.

    It has all the methods of a ``State``.  The fast ones are :meth:`legal_actions`, :meth:`apply`, :meth:`clone`,
    :meth:`tensor`, :meth:`information_key`, :meth:`returns` and those that say who acts.  For the others, such as
    ``history``, events and records, an interpreted state is played up to the present step.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=5, binding="compiled")
    >>> state.current_player, [state.name_of(a) for a in state.legal_actions()]
    (0, ['call', 'raise'])
    >>> state.apply("raise")
    >>> state.history[-1].name
    'raise'
    """

    __slots__ = ()

    if TYPE_CHECKING:
        game: Ruleset[StateT]
        history: Sequence[Step]
        is_sealed: bool
        at: Callable[[int], StateT]

        def __init__(self, game: Ruleset[StateT], seed: int | None = None) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def _begin(cls, game: Ruleset[StateT], seed: int | None = None) -> CompiledState[StateT]:
        of_kind(game, Ruleset, A_GAME)
        if seed is not None:
            seed_word(seed)
            seed = whole_number(seed, "a seed")
        if in_c:
            game.stepped = rules_of(game, in_c.Rules)
        return cls(game, seed)

    @classmethod
    def of(cls, state: Any) -> CompiledState[Any]:
        """Return a game in progress that goes on in machine code.

        >>> import parlour
        >>> state = parlour.load("kuhn").new(seed=1); state.apply("bet")
        >>> CompiledState.of(state) == parlour.CompiledState.of(state.clone())
        True
        """
        new = cls(state.game)
        new._take_on(state.clone())
        return new

    def _take_on(self, state: Any, memory: Memory | None = None) -> None:
        """Take over ``state``, of which there must be no other owner; ``memory``: the memory of its players, by default
        that of the state."""
        at, block = layout(self.game.definition), memoryview(bytearray(start_block(self.game))).cast("Q")
        to_record(self.game.definition, state.position, position(self.game, block))
        if state.generator is not None:
            block[GENERATOR], block[DRAWS] = state.generator, 1
        if memory is None and state._from_start:
            memory = state.memory()
        for row, told in enumerate(memory.words() if memory else ()):
            for p, word in enumerate(told):
                block[at.memory + row * at.columns + p] = word
        self._put(block.tobytes(), state, state.seed, memory is not None)

    def __repr__(self) -> str:
        return f"<{self.game.id}, compiled>"

    def __str__(self) -> str:
        """The table in text: see :class:`parlour.State`."""
        return str(self._here())

    def _repr_html_(self) -> str | None:
        """The table as the page draws it, for notebooks."""
        return cast("str | None", self._here()._repr_html_())

    def _repr_svg_(self) -> str | None:
        """The table as the page draws it, as SVG."""
        return cast("str | None", self._here()._repr_svg_())

    # ------------------------------------------------------------------ calls that the block passes on

    def _apply(self, action: int | str, player: int | None = None) -> None:
        """Apply an action given by name or by another type of number, or raise the error that refuses it."""
        state = self._interpreted().clone()
        meant = state._meant(action, player)
        state.apply(action, player)
        who = None if player is None else whole_number(player, "a seat")
        for a in meant:
            self.apply(a, who)

    def _legal(self, player: int | None = None) -> list[int]:
        if player is None:
            # several choose at once: this raises an error that names them
            return cast("list[int]", self._here().legal_actions())
        return self.legal_actions(self._here()._player(player))

    def _key(self, player: int) -> int:
        here = self._here()
        player = here._player(player)
        if not self._keyed:
            here._need_history()
        return self.information_key(player)

    def _failed(self, action: Any = None, player: Any = None) -> None:
        """Raise the same error as the interpreted rules when the rules have gone wrong; the state goes back to where it
        was before."""
        if action is not None and memoryview(self._words()).cast("q")[LEFT] > 0:
            before = self._interpreted()
            self._take_on(before.clone())
            before.clone().apply(action, player)
        raise Endless(self.game.id, LONGEST)

    # ------------------------------------------------------------------ views of the position

    @property
    def position(self) -> AnyPosition:
        """The interpreted position, a copy."""
        return from_record(self.game.definition, self._record())

    def fields(self) -> dict[str, int | list[int]]:
        """Every field of the position: see :meth:`parlour.State.fields`."""
        return as_dict(self.game.definition, self._record())

    def _record(self) -> Any:
        return position(self.game, bytearray(self._words()))

    def tensor(self, player: int, out: NDArray[np.float32] | None = None) -> Tensor:
        """The view of ``player`` as one flat buffer with named parts, written into ``out`` if it is given (float32,
        shape (``game.tensor_size``,), in C order): see :meth:`parlour.State.tensor`."""
        if player == EVERYBODY:
            return self.view().tensor(out)
        player, out = seat(self.game, player), into(out, self.game.tensor_size)
        self._tell(player, out)
        return Tensor(out, self.game.tensor_layout)

    def information_tensor(self, player: int) -> Tensor:
        """All that ``player`` has known so far as numbers: see :meth:`parlour.State.information_tensor`.  Every call
        replays the game; a :class:`parlour.engine.information.Recollection` keeps up with a game step by step."""
        player = seat(self.game, player)
        if self._base is None:
            known = Recollection(self.game, self.seed)
            for action, who in self._steps():
                known.take(action, NEXT if who is None else who)
        else:
            self._interpreted()._need_history()
            known = Recollection.of(self._interpreted())
        return Tensor(known.tensor(player), information_layout(self.game))

    def view(self, player: int = EVERYBODY) -> View:
        """All that ``player`` is told: see :meth:`parlour.State.view`."""
        return Unread(self.game, player if player == EVERYBODY else seat(self.game, player), self._words())

    def observation(self, player: int = EVERYBODY) -> dict[str, Any]:
        """The view as JSON-able data."""
        return self.view(player).observation()

    def text(self, player: int = EVERYBODY) -> str:
        """The view as lines of text."""
        return self.view(player).text()

    def _here(self) -> Any:
        """An interpreted state in this position, without history."""
        return self.game.state_at(self.position, self.generator)

    def chance_outcomes(self) -> list[tuple[int, Fraction]]:
        """The outcomes of the chance node with their exact probabilities; empty elsewhere."""
        return cast("list[tuple[int, Fraction]]", self._here().chance_outcomes())

    def name_of(self, action: int) -> str:
        """The readable name of an action or an outcome: see :meth:`parlour.State.name_of`."""
        return str(self._here().name_of(action))

    # ------------------------------------------------------------------ answers of the interpreted state

    def _interpreted(self) -> Any:
        """The interpreted state, played up to the present step.  It is kept and must not be changed."""
        steps = self._steps()
        if not steps and self._base is not None:
            return self._base
        state: Any = self.game.new(self.seed) if self._base is None else self._base.clone()
        for action, player in steps:
            state.apply(action, player)
        self._settle(state)
        return state

    def interpreted(self) -> StateT:
        """Return this game as a :class:`parlour.State`."""
        state: StateT = self._interpreted().clone()
        return state

    def _return_to(self, before: StateT) -> None:
        """Return to the position before the last step: see :func:`parlour.undo`."""
        state = self._interpreted().clone()
        state._return_to(before)
        self._take_on(state)

    def leave_chance(self) -> list[int] | None:
        """From now on leave chance to the caller: see :meth:`parlour.State.leave_chance`."""
        state = self._interpreted().clone()
        rng: list[int] | None = state.leave_chance()
        self._take_on(state)
        return rng

    def draw_on(self, seed: int, rng: list[int]) -> None:
        """From now on draw chance from ``rng``: see :meth:`parlour.State.draw_on`."""
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
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(self._interpreted() == other._interpreted())

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> CompiledState[StateT]:
        return cast("CompiledState[StateT]", self.clone())

    def __deepcopy__(self, memo: Any) -> CompiledState[StateT]:
        return cast("CompiledState[StateT]", self.clone())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self._interpreted(),)


def _answered(name: str) -> Any:
    """A method or property that passes a call on to the interpreted state."""
    return property(lambda self: getattr(self._interpreted(), name))


for _name in ANSWERED:
    setattr(CompiledState, _name, _answered(_name))
