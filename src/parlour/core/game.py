"""The public classes :class:`Game` and :class:`State`; long because a state is one class, and documents each member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, overload
from unicodedata import category

from parlour.base import disk
from parlour.base.errors import Endless, IllegalAction, ParlourError, unknown
from parlour.base.extras import needed
from parlour.core.ledger import Ledger, chances, outcome_names, outcomes
from parlour.core.transcript import write
from parlour.engine.checkpoints import Mark
from parlour.engine.definition import SettledDeal, definition, named
from parlour.engine.hashing import seed_word
from parlour.engine.memory import Memory, is_pending, recall
from parlour.engine.positions import as_dict
from parlour.engine.ruleset import Ruleset, of_kind, unnamed_action, whole_number
from parlour.engine.sentences import counted
from parlour.engine.steps import Deal, Event, Step, Told, unnamed
from parlour.engine.telling import View, view
from parlour.engine.tensors import Tensor, TensorPart
from parlour.engine.typed_actions import beyond, read_line, refused
from parlour.rules.bounds import LONGEST, UNASKED, longest
from parlour.rules.vocabulary import CHANCE, EVERYBODY, SEVERAL, TERMINAL, AnyPosition

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from parlour.core.batch import Batch
    from parlour.core.compiled_state import CompiledState

NO_OPTIONS: Mapping[str, int | str] = MappingProxyType({})
"""The standard house rules."""
LONGEST_NAME = 60
"""The greatest length of a player's name, in characters."""


def load(game: str, players: int | None = None, *, preset: str | None = None, **options: int | str) -> Game:
    """Load a game for this number of players (by default the fewest allowed) under these house rules: those of a
    ``preset``, and ``options``, which count where both set the same one.

    Raises ``ParlourError``, which lists the choices, if there is no such game, preset, option or value.

    >>> game = load("diamonds", players=3, trade_leaves="debris")
    >>> game.players, game.options["trade_leaves"]
    (3, 'debris')
    """
    return loaded(of_kind(game, str, "the name of a game"), players, options, preset)


def loaded(
    game: str | Game,
    players: int | None = None,
    options: Mapping[str, int | str] = NO_OPTIONS,
    preset: str | None = None,
) -> Game:
    """Return the game of this name, or ``game`` itself if it is loaded already, so that functions accept both.

    >>> loaded("kuhn") == loaded(load("kuhn"))
    True
    """
    if isinstance(game, str):
        what = definition(game)
        recommended = {} if preset is None else what.preset(of_kind(preset, str, "the name of a preset")).options
        return Game(what, players, {**recommended, **options})
    if not isinstance(game, Game):
        raise ParlourError("{game!r} is no game: give its name, or what parlour.load(...) returns.", game=game)
    if players is not None or options or preset is not None:
        raise ParlourError("{game!r} has its players and options already.", game=game)
    return game


class Game(Ruleset["State"]):
    """A game with its number of players and its house rules fixed.  Equal games compare equal.

    Attributes: ``definition`` (what the game's folder says), ``players``, ``options`` (every option, as a word or a
    number), ``action_names`` (readable names of the action ids 0, 1, 2 …).
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return load_package, (self.definition.package, self.players, dict(self.options), self.version)

    @overload
    def new(self, seed: int | None = ..., binding: Literal["interpreted"] = ...) -> State: ...
    @overload
    def new(self, seed: int | None = ..., *, binding: Literal["compiled"]) -> CompiledState[State]: ...
    def new(self, seed: int | None = None, binding: str = "interpreted") -> State | CompiledState[State]:
        """Start a new game. With a ``seed`` (0 ≤ seed < 2^64) chance is drawn by a generator that the state owns
        (splitmix64: Steele, Lea & Flood 2014), the same in every binding; without one, chance is a player whose
        outcomes the caller applies. ``binding``: ``"compiled"`` returns a :class:`parlour.CompiledState`, the same game
        and some sixty times as fast when it goes on step by step. Raises ``ParlourError`` for a seed out of range or
        another binding.

        >>> load("kuhn").new().current_player == CHANCE
        True
        >>> load("kuhn").new(seed=1).current_player
        0
        """
        if binding == "compiled":
            return _compiled_state()(self, seed)
        if binding != "interpreted":
            raise unknown("binding", binding, ("interpreted", "compiled"))
        heard: list[Event] = []
        s = self.start(heard)
        if seed is None:
            return State(self, s, None, heard=heard)
        return State(self, s, [seed_word(seed)], seed=whole_number(seed, "a seed"), heard=heard)

    def state_at(self, s: AnyPosition, rng_word: int | None = None) -> State:
        """Return a state that starts at a given interpreted position instead of the beginning, as redeals do."""
        return State(self, s, None if rng_word is None else [rng_word], from_start=False)

    @property
    def information_layout(self) -> Mapping[str, TensorPart]:
        """The place of each part in the tensor of an information state (:meth:`parlour.State.information_tensor`)."""
        from parlour.engine.information import information_layout

        return information_layout(self)

    @property
    def information_size(self) -> int:
        """The length of that tensor's flat buffer."""
        from parlour.engine.information import information_size

        return information_size(self)

    def batch(
        self,
        size: int,
        seed: int = 0,
        threads: int | None = 1,
        tensors: bool = True,
        keys: bool = False,
        last: bool = False,
        information: bool = False,
    ) -> Batch[State]:
        """``size`` games in one array, stepped together by compiled code: see :class:`parlour.Batch`."""
        from parlour.core.batch import Batch

        return Batch(self, size, seed, threads, tensors, keys, last, information)


@cache
def _compiled_state() -> type[CompiledState[State]]:
    """The class of compiled states, imported when it is first used, because importing it takes longer than a short
    game."""
    from parlour.core.compiled_state import CompiledState

    return CompiledState


def load_batch(file: str | Path, threads: int | None = 1) -> Batch[State]:
    """Return the batch that :meth:`parlour.Batch.save` wrote.  Raises ``ParlourError`` if the file is not one, or if
    the rules of its game have changed since.

    >>> import os, tempfile
    >>> batch = load("kuhn").batch(4, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     batch.save(os.path.join(folder, "four.npz"))
    ...     load_batch(os.path.join(folder, "four.npz")) == batch
    True
    """
    from parlour.core.batch import no_batch, read_saved

    game, players, options, how, saved = read_saved(file)
    batch = load(game, players, **options).batch(**how, threads=threads)
    with disk.reading(file, no_batch(file)):
        batch._restore(saved)
    return batch


def view_from(data: Mapping[str, Any]) -> View:
    """Return the view that :meth:`View.dump` wrote.  It imports the game's folder, so load only views of your own
    processes.  Raises ``ParlourError`` if it is none.
    """
    try:
        given = data["game"], data["players"], data["options"]
        seat, items = data["seat"], tuple((name, index, value) for name, index, value in data["items"])
    except (TypeError, KeyError, ValueError):
        raise ParlourError("That is not a view as View.dump writes it: {data}.", data=repr(data)[:40]) from None
    return View(load_package(*given), seat, items)


def load_package(package: str, players: int, options: Mapping[str, str], version: int | None = None) -> Game:
    """Load a game by its folder.  Games are sent between processes in this form."""
    return Game(named(package), players, options, version)


class State:
    """A game in progress.

    >>> state = load("leduc").new(seed=5)
    >>> state.current_player, [state.name_of(a) for a in state.legal_actions()]
    (0, ['call', 'raise'])
    >>> state.apply("raise")
    >>> state.history[-1].name
    'raise'
    """

    __slots__ = (
        "_from_start",
        "_names",
        "_rng",
        "_sealed_from",
        "deals",
        "game",
        "history",
        "ledger",
        "log",
        "position",
        "seed",
    )

    def __init__(
        self,
        game: Game,
        s: Any,
        rng: list[int] | None,
        from_start: bool = True,
        seed: int | None = None,
        heard: Sequence[Event] = (),
    ) -> None:
        self.game = game
        self.position = s
        self._rng = rng
        self._from_start = from_start
        self._names = unnamed(game.players)
        self._sealed_from = -1
        self.ledger = Ledger(heard)
        """The data kept besides the steps, for tables, records and checks."""
        self.history: list[Step] = []
        """Every step so far, chance included; choices made at once stand in order of seats."""
        self.deals: list[Deal] = []
        """The deals that are over, in games of several deals."""
        self.log: list[Step | None] = []
        """Every step so far, undone ones included: ``None`` takes back the step before it."""
        self.seed = seed
        """The seed from which chance is drawn, if this state draws it.  It is secret, because it gives away every card
        to come.
        """
        if from_start:
            self._resolve_chance()

    def __repr__(self) -> str:
        whence = "" if self._from_start else " from a given position"
        return f"<{self.game.id} after {counted(len(self.history), 'step')}{whence}>"

    def __str__(self) -> str:
        """The table as text, as in the terminal: the view of the player to act, or of a spectator unless there is
        exactly one such player."""
        return str(self._shown())

    def _repr_html_(self) -> str | None:
        """The same as HTML for notebooks, as on the page; ``None`` if the page is not installed."""
        return self._shown()._repr_html_()

    def _repr_svg_(self) -> str | None:
        """The same as SVG."""
        return self._shown()._repr_svg_()

    def _shown(self) -> View:
        acting = () if self.hushed else self.acting
        return self.view(acting[0] if len(acting) == 1 else EVERYBODY)

    # ------------------------------------------------------------------ turns and actions

    @property
    def current_player(self) -> int:
        """A player (0, 1 …), ``CHANCE``, ``SEVERAL`` (see :attr:`acting`) or ``TERMINAL``."""
        return int(self.game.definition.rules.actor(self.position))

    @property
    def acting(self) -> tuple[int, ...]:
        """The players who may act now: one in turn, several at a sealed node, none when chance decides or the game is
        over.  Raises ``Endless`` if the rules say that several choose but name nobody.

        >>> load("leduc").new(seed=5).acting
        (0,)
        """
        who = self.current_player
        if who == SEVERAL:
            waiting = self.game.definition.rules.acting(self.position)
            if not waiting:
                raise Endless(self.game.id, len(self.history), seat=-1)
            return tuple(p for p in range(self.game.players) if waiting >> p & 1)
        return (who,) if who >= 0 else ()

    @property
    def is_sealed(self) -> bool:
        """Whether choices made at once are still coming in."""
        return self._sealed_from >= 0

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player == TERMINAL

    def _mover(self, player: int | None) -> int:
        """Return the player given, or else the one to act; -1 if there is none."""
        if player is not None:
            return self._player(player)
        who = self.current_player
        if who == SEVERAL:
            who, *others = self.acting
            if others:
                raise ParlourError(
                    "Players {who}, {others} choose at once; say which: player={who}.",
                    who=who,
                    others=", ".join(map(str, others)),
                )
        return who if who >= 0 else -1

    def _is_asked(self, player: int) -> bool:
        who = self.current_player
        if who == SEVERAL:
            return player in self.acting
        return player == who >= 0

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the ids of the actions that ``player`` (default: the one to act) may choose now; empty if it is not
        their turn.  Raises ``Endless`` if it is their turn but the rules give them no action.

        >>> load("kuhn").new(seed=1).legal_actions()
        [0, 1]
        """
        who = self._mover(player)
        if not self._is_asked(who):
            return []
        acts = [0] * self.game.action_count
        n = self.game.definition.rules.legal(self.position, who, acts)
        if n <= 0:
            raise Endless(self.game.id, len(self.history), seat=who)
        if (most := max(acts[:n])) >= len(acts):
            raise unnamed_action(self.game, most)
        return acts[:n]

    def chance_outcomes(self) -> list[tuple[int, Fraction]]:
        """Return the outcomes of the chance node with their exact probabilities; empty elsewhere.

        >>> load("kuhn").new().chance_outcomes()
        [(0, Fraction(1, 3)), (1, Fraction(1, 3)), (2, Fraction(1, 3))]
        """
        if self.current_player != CHANCE:
            return []
        weights = chances(self.game.definition.rules, self.position)
        total = sum(weights.values())
        return [(k, Fraction(w, total)) for k, w in weights.items()]

    @property
    def hushed(self) -> bool:
        """Whether a player may now be asked a question that nobody else may notice.  A table takes the same time
        whether it asks a player or not.

        >>> load("kuhn").new(seed=1).hushed
        False
        """
        return bool(self.game.definition.rules.hushed(self.position))

    def silence(self, player: int) -> int | None:
        """Return the action that counts, by the rule book, if ``player`` is asked and says nothing; ``None`` if there
        is none. Raises ``ParlourError`` if there is no such seat.

        >>> load("kuhn").new(seed=1).silence(0) is None
        True
        """
        meant = self.game.definition.rules.silence(self.position, self._player(player))
        return meant if meant in self.legal_actions(player) else None

    def name_of(self, action: int) -> str:
        """Return the readable name of an action id, or of a chance outcome when chance is to decide. Raises
        ``ParlourError`` if no action has that id.

        >>> load("kuhn").new().name_of(2)
        'K'
        """
        if self.current_player == CHANCE:
            return str(self.game.definition.rules.outcome_name(self.position, self._find_outcome(action)))
        return self.game.action_names[self.game.find_action(action)]

    # ------------------------------------------------------------------ acting

    def apply(self, action: int | str, player: int | None = None) -> None:
        """Do ``action`` (an id, a name, or the names of a :meth:`sequence`) for ``player``, which is needed only where
        several choose at once; where chance is to decide, let that outcome happen. Raises ``IllegalAction``, which
        cites the clause, if it is not allowed; the state is then unchanged.

        >>> state = load("kuhn").new()
        >>> for step in ("K", "J", "bet", "pass"): state.apply(step)
        >>> state.returns()
        [1.0, -1.0]
        """
        actions = self._meant(action, player)
        if self.current_player == CHANCE:
            self._apply_chance(*actions)
        else:
            who = self._mover(player)
            for a in actions:
                self._allow(a, who)
                self._apply_action(a, who)
        self._resolve_chance()

    def _meant(self, action: int | str, player: int | None = None) -> tuple[int, ...]:
        """Return the ids that :meth:`apply` carries out for ``action``: actions of ``player``, or an outcome of
        chance."""
        if self.current_player == CHANCE:
            return (self._find_outcome(action),)
        who = self._mover(player)
        return read_line(self, action, who) if isinstance(action, str) else (self.game.find_action(action),)

    def sequence(self, line: str, player: int | None = None) -> tuple[int, ...]:
        """Return the actions that ``player`` names in one line, to be done one after another, as in ``raise 37 win
        20``. A bare number, or card, belongs to the only kind of action that then takes one. Several actions are first
        tried on a copy: each must be allowed after those before it, with no other player and no chance in between.
        Raises ``ParlourError`` if the line cannot be read, and ``IllegalAction`` if an action in it is not allowed.

        >>> state = load("leduc").new(seed=5)
        >>> state.sequence("call")
        (1,)
        >>> state.sequence("call call")
        Traceback (most recent call last):
        parlour.base.errors.ParlourError: After 'call' there is nothing more to choose: 'call' is too much.
        """
        return read_line(self, of_kind(line, str, "a line of actions"), self._mover(player))

    def _allow(self, a: int, who: int) -> None:
        """Refuse an action that is not legal."""
        if self.is_terminal:
            raise ParlourError(
                "The game is over; {action_names!r} can no longer be played.", action_names=self.game.action_names[a]
            )
        if a not in self.legal_actions(who):
            raise refused(self, a, who)

    def _find_outcome(self, outcome: int | str) -> int:
        rules, s = self.game.definition.rules, self.position
        if not isinstance(outcome, str):
            outcome = whole_number(outcome, "an outcome's id or name")
            if outcome >= 0 and rules.chance(s) >> outcome & 1:
                return outcome
        possible = {str(rules.outcome_name(s, k)): k for k in outcomes(rules, s)}
        if isinstance(outcome, str):
            wanted = {name.casefold(): k for name, k in possible.items()}.get(" ".join(outcome.split()).casefold())
            if wanted is None:
                raise unknown("outcome", outcome, possible)
            return wanted
        raise unknown("outcome", outcome, sorted(possible.values()))

    def _apply_chance(self, outcome: int) -> None:
        rules, s, ledger = self.game.definition.rules, self.position, self.ledger
        asked = ledger.kept.mark.nodes if ledger.kept.mark else 0
        if ledger.nodes - asked >= UNASKED:
            raise Endless(self.game.id, len(self.history))
        step = Step(CHANCE, outcome, str(rules.outcome_name(s, outcome)))
        if ledger.fair is not None and ledger.fair.by_position:
            ledger.offer(len(self.deals), outcome_names(rules, s))
        heard = ledger.kept.listener(s, len(ledger.events))
        settled = self.game.definition.step(s, CHANCE, outcome, heard)
        ledger.nodes += 1
        self._add(step, heard, settled)

    def _apply_action(self, a: int, who: int) -> None:
        rules, s, ledger = self.game.definition.rules, self.position, self.ledger
        kept, events = ledger.kept, len(ledger.events)
        if kept.mark is None or (self.history[-1:] and self.history[-1].player == CHANCE):
            kept.mark = Mark(s.copy(), len(self.history), events, len(self.deals), ledger.nodes)
        waiting = rules.acting(s) if rules.actor(s) == SEVERAL else 0
        heard = kept.listener(s, events)
        settled = self.game.definition.step(s, who, a, heard)
        if waiting and self._sealed_from < 0:
            self._sealed_from = len(self.history)
        self._add(Step(who, a, self.game.action_names[a]), heard, settled)
        if not (waiting and is_pending(rules, s, who, waiting, heard)):
            self._sealed_from = -1

    def _add(self, step: Step, heard: list[Event], settled: Sequence[SettledDeal]) -> None:
        """Add a step to the history; choices made at once are kept in order of seats, in whatever order they arrive."""
        answered = self.history[self._sealed_from :] if self._sealed_from >= 0 else []
        back = sum(before.player > step.player for before in answered)
        if len(self.history) >= LONGEST and len(self.history) >= longest(self.game):
            raise Endless(self.game.id, len(self.history))
        self.history.insert(len(self.history) - back, step)
        if back:
            place = len(self.log) - back
            notes = self.ledger.notes
            self.ledger.notes = [note._replace(at=note.at + 1) if note.at > place else note for note in notes]
        self.log.insert(len(self.log) - back, step)
        steps, events = len(self.history), len(self.ledger.events)
        self.ledger.events += [(steps - 1, event) for event in heard]
        self.deals += [Deal(deal.dealer, deal.returns, steps, events + deal.heard) for deal in settled]
        self.ledger.kept.settle(settled, events)

    def _resolve_chance(self) -> None:
        if self._rng is not None:
            while self.current_player == CHANCE:
                self._apply_chance(self.draw_outcome(self._rng))

    def draw_on(self, seed: int, rng: list[int]) -> None:
        """From now on draw chance from ``rng``, the generator of ``seed`` in its present state.  A replayed record
        continues in this way. Raises ``ParlourError`` if either is out of range."""
        seed_word(seed)
        self.seed, self._rng = seed, _generator(rng)
        self._resolve_chance()

    def leave_chance(self) -> list[int] | None:
        """From now on leave chance to the caller. Return the generator from which it was drawn, in its present state,
        or ``None``. The record keeps its seed, so outcomes must still be drawn from that generator.

        >>> state = load("leduc").new(seed=5)
        >>> rng = state.leave_chance(); state.apply("call"); state.apply("call")
        >>> state.current_player == CHANCE
        True
        """
        rng, self._rng = self._rng, None
        return rng

    @property
    def generator(self) -> int | None:
        """The word of the generator from which chance is drawn next, if this state draws it: a secret like the seed."""
        return None if self._rng is None else self._rng[0]

    def draw_outcome(self, rng: list[int]) -> int:
        """Return a random outcome of this chance node from ``rng``, a list of one 64-bit word that advances. Raises
        ``ParlourError`` if chance does not decide now.

        >>> load("kuhn").new().draw_outcome([7])
        1
        """
        from parlour.engine.kernels import chance

        if self.current_player != CHANCE:
            raise ParlourError("Chance does not decide now.")
        return int(chance.KERNEL.interpreted(self.game.definition).draw_outcome(self.position, _generator(rng)))

    def refusal(self, action: int | str, player: int | None = None) -> IllegalAction | None:
        """Return why ``action`` is not allowed to ``player`` (default: the one to act) now; ``None`` if it is allowed.
        Raises ``ParlourError`` if there is no such action.

        >>> load("leduc").new(seed=5).refusal("fold").clause
        'LE-12'
        """
        if isinstance(action, str) and (too_much := beyond(self, action, self._mover(player))):
            return too_much
        a = self.game.find_action(action)
        who = self._mover(player)
        return None if a in self.legal_actions(who) else refused(self, a, who)

    def at(self, steps: int) -> State:
        """Return the game as it was after this many steps of its history, with chance left to the caller.
        ``ParlourError`` if there have been fewer.

        >>> state = load("kuhn").new(seed=1); state.apply("bet")
        >>> [step.name for step in state.at(2).history] == [step.name for step in state.history[:2]]
        True
        """
        self._need_history()
        steps = whole_number(steps, "a number of steps")
        if not 0 <= steps <= len(self.history):
            raise ParlourError(
                "There is nothing after {steps} steps; there have been {n}.", steps=steps, n=len(self.history)
            )
        state, mark = self.game.new(), self.ledger.kept.mark
        state._names = self._names
        if mark is not None and mark.steps <= steps:  # replay from the mark if possible: a match may be long
            state.position, state.ledger.nodes = mark.position.copy(), mark.nodes
            state.deals, state.ledger.kept = self.deals[: mark.deals], self.ledger.kept.at_mark()
            state.history, state.log = self.history[: mark.steps], list(self.history[: mark.steps])
            state.ledger.events = self.ledger.events[: mark.events]
        for step in self.history[len(state.history) : steps]:
            if step.player == CHANCE:
                state._apply_chance(step.action)
            else:
                state._apply_action(step.action, step.player)
        return state

    def _return_to(self, before: State) -> None:
        """Return to ``before``, the state that :meth:`at` returned for the time before the last step.  The log notes
        that this step was taken back; the generator of chance does not go back."""
        if of_kind(before, State, "a state").game != self.game:
            raise ParlourError("A state of {game!r} is needed, not of {other!r}.", game=self.game, other=before.game)
        self.position, self._sealed_from = before.position, before._sealed_from
        self.history, self.deals = before.history, before.deals
        self.ledger.events, self.ledger.kept = before.ledger.events, before.ledger.kept
        self.log.append(None)

    def _need_history(self) -> None:
        """Raise ``ParlourError`` if this state did not start at the beginning of a game, because it then lacks what its
        players knew earlier."""
        if not self._from_start:
            raise ParlourError("This state started at a given position, as redeals do, so it has no history.")

    # ------------------------------------------------------------------ results, copies

    def returns(self) -> list[float]:
        """Return each player's return, in the game's own unit (coins, counters, points); all zeros before the end.

        >>> load("kuhn").new().returns()
        [0.0, 0.0]
        """
        out = [0.0] * self.game.players
        if self.is_terminal:
            self.game.definition.rules.returns(self.position, out)
        return list(map(float, out))  # rules may write whole numbers

    def __eq__(self, other: object) -> bool:
        """Whether both came to the same position in the same way and will go on in the same way: game, steps, and the
        generator that chance is drawn from.  Names of players do not count."""
        if not isinstance(other, State):
            return NotImplemented
        return (
            self.game == other.game
            and self.position == other.position
            and self.history == other.history
            and (self.generator, self._from_start) == (other.generator, other._from_start)
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> State:
        return self.clone()

    def clone(self) -> State:
        """Return an independent copy: steps applied to one never change the other.

        >>> state = load("kuhn").new(seed=1)
        >>> copy = state.clone(); copy.apply("bet")
        >>> len(state.history), len(copy.history)
        (2, 3)
        """
        new = object.__new__(State)
        new.game, new.position, new._names = self.game, self.position.copy(), self._names
        new._rng = None if self._rng is None else self._rng[:]
        new.seed, new._from_start, new._sealed_from = self.seed, self._from_start, self._sealed_from
        new.history, new.log, new.deals = self.history[:], self.log[:], self.deals[:]
        new.ledger = self.ledger.copy()
        return new

    def settled(self, deal: int) -> State:
        """Return the game as it was when this deal (the first is 0) was settled and the next had not begun: a state
        whose views and events can be read, but which cannot be played on. Raises ``ParlourError`` if that deal has not
        been settled.

        >>> from random import Random
        >>> state, random = load("commit", deals=2).new(seed=1), Random(1)
        >>> while not state.deals: state.apply(random.choice(state.legal_actions()))
        >>> state.observation()["stage"], state.settled(0).observation()["stage"]
        ('lead', 'settled')
        """
        deal = whole_number(deal, "the number of a deal")
        if not 0 <= deal < len(self.deals):
            raise ParlourError(
                "Deal {deal} has not been settled; {counted} have.", deal=deal, counted=counted(len(self.deals), "deal")
            )
        there, over = self.clone(), self.deals[deal]
        there.position, there._rng = self.ledger.kept.ends[deal].copy(), None
        there.history, there.deals = self.history[: over.steps], self.deals[: deal + 1]
        del there.ledger.events[over.events :], there.ledger.kept.ends[deal + 1 :]
        return there

    # ------------------------------------------------------------------ knowledge of players

    def view(self, player: int = EVERYBODY) -> View:
        """Return all that ``player`` can see now (``EVERYBODY``: what a spectator sees); every other form is written
        from it. Raises ``ParlourError`` if there is no such seat."""
        return view(self.game, self.position, self._seat(player))

    def _seat(self, player: int) -> int:
        player = whole_number(player, "a seat")
        if player != EVERYBODY and not 0 <= player < self.game.players:
            raise ParlourError(
                "There is no seat {player}; seats run from 0 to {last}.",
                player=player,
                last=self.game.players - 1,
            )
        return player

    def observation(self, player: int = EVERYBODY) -> dict[str, Any]:
        """Return the view as JSON-able data.

        >>> load("kuhn").new(seed=1).observation(0)["hand"]
        ['K', None]
        """
        return self.view(player).observation()

    def text(self, player: int = EVERYBODY) -> str:
        """Return the view as lines of text.

        >>> "hand" in load("kuhn").new(seed=1).text(0)
        True
        """
        return self.view(player).text()

    def tensor(self, player: int, out: NDArray[np.float32] | None = None) -> Tensor:
        """Return the view as one flat buffer with named parts; the observer's seat comes first.  It is written in place
        if ``out`` is given: float32, shape (``game.tensor_size``,), in C order. Raises ``ParlourError`` if ``out`` does
        not fit.

        >>> load("kuhn").new(seed=1).tensor(0)["hand"][0].tolist()
        [0.0, 0.0, 0.0, 1.0]
        """
        return self.view(player).tensor(out)

    def memory(self) -> Memory:
        """Return the keys of all players so far, by replaying the history once.  Raises ``ParlourError`` if the state
        has no history, because it then lacks what its players knew earlier."""
        self._need_history()
        return recall(self.game, self.history)

    def information_state(self, player: int) -> str:
        """Return all that ``player`` has known so far (perfect recall) as readable lines. Two are equal exactly when
        their :meth:`information_key` is. ``ParlourError`` if the state has no history.

        >>> print(load("kuhn").new(seed=1).information_state(0).splitlines()[0][:4])
        sees
        """
        return "\n".join(self.memory().lines[self._player(player)])

    def information_key(self, player: int) -> int:
        """Return the same as one 64-bit word, equal in every binding. ``ParlourError`` if the state has no history.

        >>> a, b = load("kuhn").new(seed=1), load("kuhn").new(seed=1)
        >>> a.information_key(0) == b.information_key(0) != a.information_key(1)
        True
        """
        return self.memory().keys[self._player(player)]

    def information_tensor(self, player: int) -> Tensor:
        """Return the same as numbers for a network (:mod:`parlour.engine.information`): one flat float32 buffer of
        ``game.information_size`` numbers with the parts ``observer``, ``view``, ``forgotten`` and ``log``, of fixed
        size for a game and its house rules.  ``ParlourError`` if the state has no history.

        >>> state = load("kuhn").new(seed=1)
        >>> known = state.information_tensor(0)
        >>> known.flat.shape == (state.game.information_size,), known["observer"].tolist()
        (True, [1.0, 0.0])
        """
        from parlour.engine.information import recollected

        player = self._player(player)
        self._need_history()
        steps = ((step.player, step.action) for step in self.history)
        with needed("fast"):
            return Tensor([*recollected(self.game, steps)][player], self.game.information_layout)

    def _player(self, player: int) -> int:
        if player == EVERYBODY:
            raise ParlourError("A player is needed: give a seat.")
        return self._seat(player)

    def redeal(self, player: int, seed: int) -> State:
        """Return a random world that ``player`` cannot tell from this one, made from their view alone: all that they do
        not know is dealt again, with the probabilities that they must assume.  The result has no history and its own
        generator of chance. Raises ``ParlourError`` if there is no such seat.

        >>> state = load("leduc").new(seed=5)
        >>> state.redeal(0, seed=1).view(0) == state.view(0)
        True
        """
        world: State = self.view(self._player(player)).redeal(seed)
        return world

    def events(self, player: int | None = EVERYBODY, since: int = -1) -> list[Told]:
        """Return the events that ``player`` has been told, in order, each with the clause that caused it; with ``None``
        all events, secret ones included. ``since`` limits them to those caused by this step of the history and later
        ones; -1 includes what happened before the first step. Raises ``ParlourError`` if there is no such seat.

        >>> load("kuhn").new(seed=1).events(0)[0].clause
        'KU-4'
        """
        since = whole_number(since, "a number of steps")
        if player is not None:
            self._seat(player)
        noted = self.ledger.told(player, self.ledger.caused_since(since))
        sentence, names = self.game.definition.sentences.in_english, self._names
        return [
            Told(clause, event, who, a, b, sentence(event, who, a, b, names)) for clause, event, _, who, a, b in noted
        ]

    def call_players(self, names: Sequence[str]) -> None:
        """Use these names in sentences and records; each is one line of at most 60 characters. Raises ``ParlourError``
        for other names, or for more or fewer of them.

        >>> state = load("kuhn").new(seed=1)
        >>> state.call_players(["Ann", "Ben"]); state.apply("bet")
        >>> state.events()[-1].text
        'Ann bets.'
        """
        if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(one, str) for one in names):
            raise ParlourError("Names are a list of texts, one a player, not {names!r}.", names=names)
        if len(names) != self.game.players:
            raise ParlourError("{players} names are needed, not {n}.", players=self.game.players, n=len(names))
        self._names = [_one_line(name) for name in names]

    @property
    def player_names(self) -> tuple[str, ...]:
        """The players' names, as used in sentences and records."""
        return tuple(self._names)

    # ------------------------------------------------------------------ records

    def record(self, player: int | None = None) -> str:
        """Return the game so far as a record (see ``docs/records.md``); with ``player``, the part that this player may
        keep (``EVERYBODY``: a spectator). Raises ``ParlourError`` if the state has no history.

        >>> print(load("kuhn").new(seed=1).record().splitlines()[0])
        parlour record 1
        """
        self._need_history()
        return write(self, player)

    def fields(self) -> dict[str, int | list[int]]:
        """Return every field of the position, for debugging and tests.  It holds secrets; players get :meth:`view`."""
        return as_dict(self.game.definition, self.position)


def _generator(rng: list[int]) -> list[int]:
    """Return a generator, as :meth:`State.leave_chance` returns it; ``ParlourError`` if it is none."""
    if not isinstance(rng, list) or len(rng) != 1 or not isinstance(rng[0], int) or not 0 <= rng[0] < 1 << 64:
        raise ParlourError("A generator is a list of one number from 0 to 2^64 - 1, not {rng!r}.", rng=rng)
    return rng


def _one_line(name: str) -> str:
    """Return a player's name, single-spaced.  Raises ``ParlourError`` if it cannot be shown on one line."""
    short = " ".join(name.split())
    if not 0 < len(short) <= LONGEST_NAME or any(category(c) in {"Cc", "Cs"} for c in short):
        raise ParlourError(
            "A player's name is 1 to {longest_name} printable characters, not {short!r}.",
            longest_name=LONGEST_NAME,
            short=short[:80],
        )
    return short
