"""Parlour's games in OpenSpiel: registered by name, driven by its algorithms.

>>> import pyspiel
>>> from parlour.adapters import openspiel
>>> openspiel.register()[:2]
['parlour_commit', 'parlour_diabolo']
>>> game = pyspiel.load_game("parlour_diamonds(players=3,trade_leaves=debris)")
>>> game.num_players(), game.utility_sum()
(3, 0.0)
>>> "parlour_kuhn" in register()
True
>>> game = pyspiel.load_game("parlour_kuhn")
>>> state = game.new_initial_state()
>>> isinstance(game, OpenSpielGame), isinstance(state, OpenSpielState), state.chance_outcomes()[2]
(True, True, (2, 0.3333333333333333))
>>> state.apply_action(2); state.apply_action(0); state.legal_actions()
[0, 1]
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from parlour.base.extras import needed

__all__ = ["OpenSpielGame", "OpenSpielState", "policy_on", "register", "spelt", "tree"]

with needed("adapters"):
    import pyspiel

from parlour.adapters.course import Course, Deed
from parlour.adapters.spiel_observer import Observer
from parlour.adapters.spiel_tree import policy_on, tree
from parlour.base.errors import ParlourError
from parlour.core.compiled_state import CompiledState
from parlour.core.game import Game, State, load, loaded
from parlour.engine.definition import Definition, definition, games, smaller
from parlour.engine.information import Recollection
from parlour.rules.bounds import bounds_of
from parlour.rules.vocabulary import CHANCE, TERMINAL, Option

PREFIX, SCALED = "parlour_", "scaled"
MOST_OUTCOMES = 63
"""Outcomes of chance are numbered from 0 to 62 in every game, whose rules return a set of them for one position at a
time: how many there are at most is known of no game before it is played."""
NEAR, MOST_COURSES = 64, 256
"""How many steps back :meth:`OpenSpielGame.course` looks for a course to go on from, and how many courses a game
keeps."""


def register(study: bool = False) -> list[str]:
    """Register every game with OpenSpiel as ``parlour_`` and its id and, with ``study``, the smaller games of each
    family too (``parlour_commit_8``); return these names. Call it again after :func:`parlour.register` to add new
    games.

    A game's parameters are ``players`` and its options. An option that can be a number is always given as one: a word
    among its values has a number of its own, which stands for it (:func:`spelt` writes it). With ``scaled=True``,
    returns and utilities are divided by half the distance between the game's lowest and highest return.
    """
    return _registered([*games(), *(smaller() if study else ())])


def _registered(those: Iterable[str]) -> list[str]:
    known, names = set(pyspiel.registered_names()), {_called(game): game for game in those}
    for name, game in names.items():
        if name not in known:
            made = type(f"OpenSpiel_{game}", (OpenSpielGame,), {"plays": game})
            pyspiel.register_game(_type_of(load(game)), made)
    return [*names]


def _called(game: str) -> str:
    return PREFIX + game.replace("-", "_")


def spelt(game: Game | str, scaled: bool = False) -> str:
    """Return the name by which :func:`pyspiel.load_game` loads a game with these options; the game is registered if it
    is not yet. ``scaled``: as in :func:`register`. Raises ``ParlourError`` if it is not a game.

    >>> import parlour
    >>> spelt(parlour.load("diamonds", 3, first_dealer="random", trade_leaves="debris"))
    'parlour_diamonds(players=3,trade_leaves=debris)'
    """
    game = loaded(game)
    _registered([game.id])
    given = sorted(_changed(game, scaled).items())
    return f"{_called(game.id)}({','.join(f'{name}={value}' for name, value in given)})"


# ------------------------------------------------------------------------------------------ parameters


def _is_number(option: Option) -> bool:
    """Whether OpenSpiel takes an option for a number, as it does with every parameter that looks like one."""
    return option.low is not None or option.seats or all(word.isdecimal() for word in option.words)


def _parameter(option: Option, value: str) -> int | str:
    """Return an option's value as OpenSpiel has it."""
    if not _is_number(option):
        return value
    return int(value) if value.lstrip("-").isdecimal() else option.words[value]


def _value(option: Option, parameter: int | str) -> str:
    """Return the option's value that a parameter of OpenSpiel stands for."""
    if not _is_number(option) or str(parameter) in option.words:
        return str(parameter)
    words = {number: word for word, number in option.words.items()}
    return words.get(int(parameter), str(parameter))


def _usual_counts(what: Definition) -> list[int]:
    """Return the numbers of players that need no option, from the lowest up to the first gap; if all need one, only the
    lowest number."""
    counts = what.counts() or [min(what.players)]
    return [n for i, n in enumerate(counts) if n == counts[0] + i]


def _parameters(what: Definition) -> dict[str, int | str]:
    usual: dict[str, int | str] = {"players": _usual_counts(what)[0], SCALED: False}
    return usual | {name: _parameter(option, str(option.default)) for name, option in what.options.items()}


def _changed(game: Game, scaled: bool) -> dict[str, int | str]:
    """Return the number of players, and the options that differ from the usual ones."""
    options, usual = game.definition.options, _parameters(game.definition)
    own = {SCALED: scaled, **{name: _parameter(options[name], value) for name, value in game.options.items()}}
    return {"players": game.players, **{name: value for name, value in own.items() if value != usual[name]}}


# ------------------------------------------------------------------------------------------ the game


def _type_of(game: Game) -> pyspiel.GameType:
    what, kind = game.definition, pyspiel.GameType
    hides, counts = what.may_hide(game.options), _usual_counts(what)
    total = bounds_of(game).total
    sums = kind.Utility.GENERAL_SUM if total is None else kind.Utility.CONSTANT_SUM
    return kind(
        short_name=_called(what.id),
        long_name=f"{what.name} (Parlour)",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if what.has("chance") else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION if hides else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if total == 0 else sums,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=max(*counts, game.players),
        min_num_players=min(*counts, game.players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(what),
    )


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its players and options (``parlour``), as OpenSpiel has it. :func:`register` makes a class of this
    for each game, and :func:`pyspiel.load_game` an object of that class."""

    plays: str

    def __init__(self, parameters: Mapping[str, int | str]) -> None:
        options, chosen = definition(self.plays).options, dict(parameters)
        players, scaled = int(chosen.pop("players")), bool(chosen.pop(SCALED, False))
        game = load(self.plays, players, **{name: _value(options[name], value) for name, value in chosen.items()})
        bounds = bounds_of(game)
        unit = self.unit = (bounds.span or 1.0) if scaled else 1.0
        about = pyspiel.GameInfo(
            num_distinct_actions=game.action_count,
            max_chance_outcomes=MOST_OUTCOMES if game.definition.has("chance") else 0,
            num_players=game.players,
            min_utility=bounds.lowest / unit,
            max_utility=max(bounds.highest / unit, bounds.lowest / unit + 1),  # OpenSpiel wants something to be won
            utility_sum=bounds.total and bounds.total / unit,
            max_game_length=bounds.decisions,
        )
        super().__init__(_type_of(game), about, _changed(game, scaled))
        self.parlour = game
        kind = pyspiel.IIGObservationType
        self._courses: dict[tuple[Course | None, bytes], Course] = {}
        self.recalled, self.seen = Observer(game, kind(perfect_recall=True)), Observer(game, kind(perfect_recall=False))

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (str(self),)

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenSpielGame:
        return self

    def course(self, world: Course | None, steps: list[int]) -> Course:
        """Return the game, or a resampled ``world``, after these steps, as a :class:`Course`. The caller must not step
        it: the last few are kept, because what players know is worked out step by step."""
        path, kept = array("l", steps).tobytes(), self._courses
        size = len(path) // len(steps) if steps else 1
        for left_out in range(min(len(steps), NEAR) + 1):
            course = kept.get((world, path[: len(path) - size * left_out]))
            if course is not None:
                break
        else:
            course, left_out = world or Course(self.parlour), len(steps)
        if left_out:
            course = course.copy()
            for action in steps[len(steps) - left_out :]:
                course.step(action)
            if len(kept) == MOST_COURSES:
                del kept[next(iter(kept))]
            kept[world, path] = course
        return course

    def new_initial_state(self, text: str | None = None) -> OpenSpielState:
        """Return the game at its beginning. Raises ``ParlourError`` if it is to begin elsewhere."""
        if text is not None:
            raise ParlourError(
                "A game always starts at the beginning; no other starting position can be written as text."
            )
        return OpenSpielState(self, CompiledState(self.parlour))

    def max_chance_nodes_in_history(self) -> int:
        """Return a generous upper bound, since games state how many decisions they have at most, and not how often
        chance decides: the most decisions, times the most outcomes."""
        return int(self.max_game_length()) * MOST_OUTCOMES

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> Observer:
        """Return an observer of what one player is told, as numbers and as text. ``parameters``: ``{"key": True}`` adds
        the 64 bits of the key of what they have known so far. Raises ``ParlourError`` for any other parameter, or if
        the observer is to see everybody's hand."""
        chosen = dict(parameters or {})
        key = bool(chosen.pop("key", False))
        if chosen:
            raise ParlourError(
                "Observers of Parlour's games have one parameter, `key`, so not {others}.", others=", ".join(chosen)
            )
        return Observer(self.parlour, kind or pyspiel.IIGObservationType(perfect_recall=False), key)


def _loaded(name: str) -> Any:
    """Load a pickled game, in a process that may not have registered it yet."""
    _registered(game for game in [*games(), *smaller()] if _called(game) == name.partition("(")[0])
    return pyspiel.load_game(name)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A game in progress as OpenSpiel has it. Where several choose at once, the lowest seat that has not answered is to
    act, and learns nothing of the others' answers.

    Machine code plays the game (``played``) and knows all that has been done. The history that OpenSpiel keeps itself
    is complete only if OpenSpiel did every step. What players know, in words, follows from the steps (``course``).
    """

    __slots__ = ("__dict__", "_done", "_known", "_of", "_shared")  # OpenSpiel's copies take over what is in `__dict__`

    played: CompiledState[State]
    world: Course | None = None
    """The resampled world from which this state went on, if it is one."""
    origin: tuple[list[int], int] | None = None
    """The history, and the player, for whom the world was resampled."""
    _known: Recollection | None
    _shared: bool

    def __init__(self, game: OpenSpielGame, played: CompiledState[State], world: Course | None = None) -> None:
        _begin(self, game)
        self.played, self._of = played, game
        self._done: str | None = None
        self._known, self._shared = None, False
        if world:
            self.world = world

    @property
    def course(self) -> Course:
        """This game as a :class:`Course`. The caller must not step it, since it is kept for later."""
        return self._of.course(self.world, self.history())

    # ------------------------------------------------------------------ who, what

    def current_player(self) -> int:
        """Return the player to act, or OpenSpiel's number for chance or for the end."""
        who = self.played._mover
        return who if who >= 0 else _NOBODY[who]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.played.is_terminal

    def is_chance_node(self) -> bool:
        """Whether chance decides."""
        return self.played.current_player == CHANCE

    def is_player_node(self) -> bool:
        """Whether a player decides."""
        return self.played._mover >= 0

    def is_simultaneous_node(self) -> bool:
        """Return ``False``: choices made at once are asked for one after another."""
        return False

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return what the player may do (or chance may bring), in rising order; nothing if it is not their turn."""
        who = self.played._mover
        if who >= 0:
            return self.played.legal_actions(who) if player is None or player == who else []
        chances = who == CHANCE and player in {None, pyspiel.PlayerId.CHANCE}
        return [k for k, _ in self.chance_outcomes()] if chances else []

    def _legal_actions(self, player: int) -> list[int]:
        return self.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible outcomes of chance, each with its probability."""
        return self.played._outcomes()

    def _action_to_string(self, player: int, action: int) -> str:
        return self.course.name_of(CHANCE if player < 0 else player, action)

    def returns(self) -> list[float]:
        """Return what each player has won or lost, in the game's own unit or ``scaled``; zeros before the end."""
        unit, won = self._of.unit, self.played.returns()
        return won if unit == 1.0 else [one / unit for one in won]

    def player_return(self, player: int) -> float:
        """Return what one player has won or lost, in the game's own unit or ``scaled``; 0 before the end."""
        return self.returns()[player]

    def __str__(self) -> str:
        return repr(self.played.position)

    # ------------------------------------------------------------------ playing

    def apply_action(self, action: int) -> None:
        """Let the player to act do ``action``, or let that outcome of chance happen. Raises ``ParlourError``, with the
        clause, if that is not allowed."""
        try:
            self.played._take(action)
        except ParlourError:
            self.course.check(action)
            raise
        self._done = None
        known = self._known
        if known is not None:
            if self._shared:
                known = self._known = known.copy()
                self._shared = False
            known.take(action)

    _apply_action = apply_action

    def clone(self) -> OpenSpielState:
        """Return an independent copy."""
        new: OpenSpielState = _blank(OpenSpielState)
        _begin(new, self._of)
        new.played, new._of, new._done = self.played.clone(), self._of, self._done
        new._known = self._known
        new._shared = self._shared = self._known is not None
        if self.world:
            new.world, new.origin = self.world, self.origin
        return new

    def child(self, action: int) -> OpenSpielState:
        """Return a copy in which ``action`` has been done. Raises what :meth:`apply_action` raises."""
        new = self.clone()
        new.apply_action(action)
        if self._done:
            new._done = f"{self._done}, {action}"
        return new

    def resample_from_infostate(self, player: int, sampler: Any) -> OpenSpielState:
        """Return a random state that the player cannot tell from this one, with the same player to act. It has no
        history, and the other players remember only what they see in it. ``sampler``: a function that returns numbers
        from 0 to 1."""
        world = self.course.redeal(player, int(sampler() * 2**53))
        played = CompiledState(world.game)
        played._take_on(world.game.state_at(world.position), world.memory())
        new = OpenSpielState(self._of, played, world)
        if not self.world:
            new.origin = self.history(), player
        return new

    # ------------------------------------------------------------------ what has been done

    def history(self) -> list[int]:
        """Return the actions and outcomes of all steps so far."""
        base, steps = self.played._base, [action for action, _ in self.played._steps()]
        return steps if base is None else [step.action for step in base.history] + steps

    def full_history(self) -> list[Deed]:
        """Return every step so far, with the player who chose it."""
        base: Any = self.played._base
        again, done = self._of.new_initial_state() if base is None else None, []
        if again is None:
            done = [Deed(step.player, step.action) for step in base.history]
            again = OpenSpielState(self._of, CompiledState.of(base))
        for action, _ in self.played._steps():
            done.append(Deed(again.current_player(), action))
            again.apply_action(action)
        return done

    def history_str(self) -> str:
        """Return every step so far, as text."""
        if self._done is None:
            self._done = ", ".join(map(str, self.history()))
        return self._done

    def move_number(self) -> int:
        """Return the number of steps so far."""
        return len(self.history())

    def is_initial_state(self) -> bool:
        """Whether there has been no step yet."""
        return not self.history()

    def serialize(self) -> str:
        """Return the state as text, which its game's :meth:`deserialize_state` reads."""
        _, _, fields = super().serialize().split("\n", 2)
        done = ",".join(f"{who}:{action}" for who, action in self.full_history())
        return f"history={done}\nmove_number={self.move_number()}\n{fields}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._of, self.played, self.world, self.origin)

    # ------------------------------------------------------------------ what players know

    @property
    def known(self) -> Recollection:
        """What the players have known, as numbers: put together when first asked for, then kept up to date step by
        step. In a resampled world, the other players have known nothing but what they see in it."""
        if self._known is None:
            steps, self._shared = self.history(), False
            if self.world is None:
                self._known = _recollected(self._of.parlour, steps)
            else:
                before, player = self.origin or ([], NOBODY)
                known = _recollected(self._of.parlour, before)
                self._known = known.redealt(self.world.position, player)
                for action in steps:
                    self._known.take(action)
        return self._known

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a player (default: the one to act) has known so far, in words. Raises ``RuntimeError`` if
        there is no such player."""
        return self._of.recalled.string_from(self, self._meant(player))

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """Return all that a player has known so far as numbers, like :meth:`parlour.State.information_tensor`: from 0
        to 1, except for amounts and the numbers of events. Raises ``RuntimeError`` if there is no such player."""
        seat = self._meant(player)
        return self.played._numbers(self.known.tensor(seat), seat)

    def observation_string(self, player: int | None = None) -> str:
        """Return what a player (default: the one to act) sees, in words. Raises ``RuntimeError`` if there is no such
        player."""
        return self.played.view(self._meant(player)).text()

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return the view as numbers, from 0 to 1 except for amounts. Raises ``RuntimeError`` if there is no such
        player."""
        seen = self._of.seen
        seat = self._meant(player)
        seen.set_from(self, seat)
        return self.played._numbers(seen.tensor, seat)

    def _meant(self, player: int | None) -> int:
        who = self.played._mover if player is None else player
        if who < 0:
            raise NobodyThere("There is no player {who}: player >= 0 is needed.", who=who)
        if who >= self._of.parlour.players:
            raise NobodyThere(
                "There is no player {who}: player < {players} is needed.", who=who, players=self._of.parlour.players
            )
        return who


def _restored(
    game: OpenSpielGame, played: CompiledState[State], world: Course | None, origin: tuple[list[int], int] | None
) -> OpenSpielState:
    state = OpenSpielState(game, played, world)
    state.origin = origin
    return state


class NobodyThere(ParlourError, RuntimeError):
    """The error if somebody asks what a player knows and there is no such player: for chance, for the end, or for a
    seat out of range. It is a ``RuntimeError``, because OpenSpiel's own games raise one."""


def _recollected(game: Game, steps: Iterable[int]) -> Recollection:
    known = Recollection(game)
    for action in steps:
        known.take(action)
    return known


NOBODY = -1
"""Stands for the player of a world that was resampled from a resampled state: nobody remembers more than they see
there."""
_begin, _blank = pyspiel.State.__init__, pyspiel.State.__new__
_NOBODY = {CHANCE: int(pyspiel.PlayerId.CHANCE), TERMINAL: int(pyspiel.PlayerId.TERMINAL)}
