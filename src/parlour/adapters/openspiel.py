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

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from parlour.base.extras import needed

__all__ = ["OpenSpielGame", "OpenSpielState", "register", "spelt"]

with needed("adapters"):
    import numpy as np
    import pyspiel

from parlour.adapters.course import Course
from parlour.base.errors import ParlourError
from parlour.core.compiled_state import CompiledState
from parlour.core.game import Game, State, load
from parlour.engine.definition import Definition, definition, games, smaller
from parlour.engine.ruleset import A_GAME, of_kind
from parlour.engine.telling import View
from parlour.rules.bounds import bounds_of
from parlour.rules.vocabulary import CHANCE, TERMINAL, Option

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX = "parlour_"
MOST_OUTCOMES = 63
"""Outcomes of chance have the numbers 0 to 62 in every game."""
KEY_BITS = 64


def register(study: bool = False) -> list[str]:
    """Register every game with OpenSpiel as ``parlour_`` and its id, and with ``study`` every smaller one of a family
    (``parlour_commit_8``); return these names.  Call it again after :func:`parlour.register` for games that are new.

    A game's parameters are ``players`` and its options.  An option that may be a number is a number: a word's own
    number stands for the word (:func:`spelt` writes it).
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


def spelt(game: Game) -> str:
    """Return what :func:`pyspiel.load_game` calls a game under these options. Raises ``ParlourError`` if it is not a
    game.

    >>> import parlour
    >>> spelt(parlour.load("diamonds", 3, first_dealer="random", trade_leaves="debris"))
    'parlour_diamonds(players=3,trade_leaves=debris)'
    """
    of_kind(game, Game, A_GAME)
    return f"{_called(game.id)}({','.join(f'{name}={value}' for name, value in sorted(_changed(game).items()))})"


# ------------------------------------------------------------------------------------------ parameters


def _is_number(option: Option) -> bool:
    """Whether OpenSpiel takes an option for a number: it reads every parameter that looks like one as a number."""
    return option.low is not None or option.seats or all(word.isdecimal() for word in option.words)


def _parameter(option: Option, value: str) -> int | str:
    """An option's value as OpenSpiel has it."""
    if not _is_number(option):
        return value
    return int(value) if value.lstrip("-").isdecimal() else option.words[value]


def _value(option: Option, parameter: int | str) -> str:
    """The value of an option that a parameter of OpenSpiel stands for."""
    if not _is_number(option) or str(parameter) in option.words:
        return str(parameter)
    words = {number: word for word, number in option.words.items()}
    return words.get(int(parameter), str(parameter))


def _parameters(what: Definition) -> dict[str, int | str]:
    usual: dict[str, int | str] = {"players": min(what.counts(), default=min(what.players))}
    return usual | {name: _parameter(option, str(option.default)) for name, option in what.options.items()}


def _changed(game: Game) -> dict[str, int | str]:
    """The number of players, and the options that are not the usual ones."""
    options, usual = game.definition.options, _parameters(game.definition)
    own = {name: _parameter(options[name], value) for name, value in game.options.items()}
    return {"players": game.players, **{name: value for name, value in own.items() if value != usual[name]}}


# ------------------------------------------------------------------------------------------ the game


def _type_of(game: Game) -> pyspiel.GameType:
    what, kind = game.definition, pyspiel.GameType
    hides = not what.hides_nothing or what.has("acting")
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
        max_num_players=what.max_players,
        min_num_players=min(what.players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(what),
    )


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its players and options (``parlour``) as OpenSpiel has it; :func:`register` makes a class for each
    game, and :func:`pyspiel.load_game` an object of it."""

    plays: str

    def __init__(self, parameters: Mapping[str, int | str]) -> None:
        options, chosen = definition(self.plays).options, dict(parameters)
        players = int(chosen.pop("players"))
        game = load(self.plays, players, **{name: _value(options[name], value) for name, value in chosen.items()})
        bounds = bounds_of(game)
        about = pyspiel.GameInfo(
            num_distinct_actions=game.action_count,
            max_chance_outcomes=MOST_OUTCOMES if game.definition.has("chance") else 0,
            num_players=game.players,
            min_utility=bounds.lowest,
            max_utility=max(bounds.highest, bounds.lowest + 1),  # it takes no game in which nothing can be won
            utility_sum=bounds.total,
            max_game_length=bounds.decisions,
        )
        super().__init__(_type_of(game), about, _changed(game))
        self.parlour = game

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (str(self),)

    def new_initial_state(self, text: str | None = None) -> OpenSpielState:
        """The game at its beginning. Raises ``ParlourError`` if it is to begin elsewhere."""
        if text is not None:
            raise ParlourError(
                "A game always starts at the beginning; no other starting position can be written as text."
            )
        return OpenSpielState(self, CompiledState(self.parlour))

    def max_chance_nodes_in_history(self) -> int:
        """No more are promised than there may be steps altogether."""
        return int(self.max_game_length()) * MOST_OUTCOMES

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> Observer:
        """What one player is told, as numbers and as text. Raises ``ParlourError`` for parameters, or if it is to see
        the hands of all."""
        if parameters:
            raise ParlourError("Observers of Parlour's games have no parameters, so not {dict}.", dict=dict(parameters))
        return Observer(self.parlour, kind or pyspiel.IIGObservationType(perfect_recall=False))


def _loaded(name: str) -> Any:
    """A game that was pickled, in a process that may not have registered it yet."""
    _registered(game for game in [*games(), *smaller()] if _called(game) == name.partition("(")[0])
    return pyspiel.load_game(name)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A game in progress as OpenSpiel has it.  Where several choose at once, the lowest seat that has not answered is
    to act, and learns nothing of what the others have answered.

    Machine code plays it (``played``); what players have known so far follows from the steps (``course``)."""

    def __init__(self, game: OpenSpielGame, played: CompiledState[State], begun: Course | None = None) -> None:
        super().__init__(game)
        self.played, self._begun = played, begun

    @property
    def course(self) -> Course:
        """The same game as a :class:`Course`; do not step it."""
        course = self._begun = Course(self.get_game().parlour) if self._begun is None else self._begun
        for action in self.history()[len(course.steps) :]:
            course.step(action)
        return course

    def current_player(self) -> int:
        """The player to act, or OpenSpiel's number of chance or of the end."""
        who = self.played._mover
        return who if who >= 0 else _NOBODY[who]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.played.is_terminal

    def is_chance_node(self) -> bool:
        """Whether chance decides."""
        return self.played.current_player == CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """What the player may do (or chance bring), in rising order; nothing if it is not their turn."""
        who = self.played._mover
        if who >= 0:
            return self.played.legal_actions(who) if player is None or player == who else []
        chances = who == CHANCE and player in {None, pyspiel.PlayerId.CHANCE}
        return [k for k, _ in self.chance_outcomes()] if chances else []

    def _legal_actions(self, player: int) -> list[int]:
        return self.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance may bring, each with its probability."""
        return self.played._outcomes()

    def _apply_action(self, action: int) -> None:
        try:
            self.played._take(action)
        except ParlourError:
            self.course.check(action)
            raise

    def _action_to_string(self, player: int, action: int) -> str:
        return self.course.name_of(CHANCE if player < 0 else player, action)

    def returns(self) -> list[float]:
        """What each player has won or lost, in the game's own unit; zeros before the end."""
        return self.played.returns()

    def information_state_string(self, player: int | None = None) -> str:
        """All that the player (the one to act) has known so far, in words. Raises ``ParlourError`` if there is no such
        player."""
        return "\n".join(self.course.memory().lines[self._meant(player)])

    def observation_string(self, player: int | None = None) -> str:
        """What the player (the one to act) sees, in words. Raises ``ParlourError`` if there is no such player."""
        return self._view(self._meant(player)).text()

    def resample_from_infostate(self, player: int, sampler: Any) -> OpenSpielState:
        """Return a random state that the player cannot tell from this one.  It has no history, and the others remember
        only what they see in it.  ``sampler``: gives numbers from 0 to 1."""
        world = self.course.redeal(player, int(sampler() * 2**53))
        return OpenSpielState(self.get_game(), CompiledState.of(world.game.state_at(world.position)), world)

    def __str__(self) -> str:
        return repr(self.played.position)

    def _meant(self, player: int | None) -> int:
        who = self.current_player() if player is None else player
        if not 0 <= who < self.played.game.players:
            raise ParlourError(
                "There is no player {who}; players run from 0 to {players}.",
                who=who,
                players=self.played.game.players - 1,
            )
        return who

    def _view(self, player: int) -> View:
        return self.played.view(player)


_NOBODY = {CHANCE: int(pyspiel.PlayerId.CHANCE), TERMINAL: int(pyspiel.PlayerId.TERMINAL)}


# ------------------------------------------------------------------------------------------ observers


class Observer:
    """What a player is told of a state: ``tensor`` (one flat float32 buffer), ``dict`` (the same by name, a part for
    each thing told), and text.

    With perfect recall there is one part more, ``key``: the 64 bits of the player's information key.  It makes the
    tensor as exact as the information state, for tables and comparisons; leave it out of what a network sees.
    """

    def __init__(self, game: Game, kind: Any) -> None:
        private = pyspiel.PrivateInfoType
        if kind.private_info == private.ALL_PLAYERS:
            raise ParlourError("No observer of Parlour's games sees the hands of all players.")
        if kind.perfect_recall and not (kind.public_info and kind.private_info == private.SINGLE_PLAYER):
            raise ParlourError(
                "Perfect recall covers everything that a player was told: ask for public and private information."
            )
        self._public, self._own = bool(kind.public_info), kind.private_info == private.SINGLE_PLAYER
        self._recalls = bool(kind.perfect_recall)
        size = game.tensor_size
        self.tensor: NDArray[np.float32] = np.zeros(size + KEY_BITS * self._recalls, np.float32)
        self._seen = self.tensor[:size]
        self.dict: dict[str, NDArray[np.float32]] = {}
        for name, part in game.tensor_layout.items():
            entries = int(np.prod(part.shape))
            self.dict[name] = self.tensor[part.start : part.start + entries].reshape(part.shape)
        if self._recalls:
            self.dict["key"] = self.tensor[size:]

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write down what the player is told of this state."""
        if self._public and self._own:
            state.played._tell(player, self._seen)
        else:
            self._seen[:] = state.course.view(player, self._public, self._own).tensor().flat
        if self._recalls:
            key = np.frombuffer(state.course.memory().keys[player].to_bytes(8, "little"), np.uint8)
            self.dict["key"][:] = np.unpackbits(key)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """The same in words."""
        course = state.course
        if self._recalls:
            return "\n".join(course.memory().lines[player])
        return course.view(player, self._public, self._own).text()
