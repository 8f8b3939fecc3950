"""A small game as a tree that OpenSpiel holds in C++, and the same policy for the tree and for the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.adapters import gambit
from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.solve.tables import probabilities

with needed("adapters"):
    import pyspiel

if TYPE_CHECKING:
    from parlour.core.game import Game

DIGITS = 16
"""Hexadecimal digits of an information key."""


def tree(game: Game | str, most: int = gambit.MOST) -> Any:
    """Return the whole of a small game, or of one that is registered, as a game of OpenSpiel in C++, with which its
    algorithms are as quick as with its own. Actions have the same names and other ids. ``information_state_string``
    ends with the information key (:meth:`parlour.State.information_key`, hexadecimal). Raises ``ParlourError`` if there
    are more than ``most`` nodes.

    >>> kuhn = tree("kuhn")
    >>> state = kuhn.new_initial_state()
    >>> for action in (2, 0): state.apply_action(action)
    >>> [state.action_to_string(a) for a in state.legal_actions()]
    ['pass', 'bet']
    """
    registered: Any = game
    return pyspiel.load_efg_game(gambit.efg(getattr(registered, "parlour", game), most))


def policy_on(game: Any, policy: Any) -> Any:
    """Return a policy of the tree for the registered ``game``, or the other way round, as OpenSpiel's ``Policy``. If
    that is asked of a state of another game, it raises ``ParlourError``. A policy of OpenSpiel's C++, such as
    ``pyspiel.CFRSolver(tree).average_policy()``, is taken to be of the tree.

    >>> from open_spiel.python import policy
    >>> from parlour.adapters import openspiel
    >>> names = openspiel.register()
    >>> kuhn, even = tree("kuhn"), policy.UniformRandomPolicy(pyspiel.load_game("parlour_kuhn"))
    >>> policy_on(kuhn, even).to_tabular().action_probability_array.shape
    (12, 2)
    """
    from open_spiel.python.policy import Policy, TabularPolicy

    if not isinstance(game, pyspiel.Game):
        raise ParlourError("A policy is carried to a game of OpenSpiel, not to {value!r}.", value=game)
    if isinstance(policy, pyspiel.Policy):
        policy = _walked(tree(game.parlour) if hasattr(game, "parlour") else game, policy)
    if not isinstance(policy, Policy):
        raise ParlourError("A policy is one of open_spiel.python.policy or pyspiel, not {value!r}.", value=policy)
    given = policy if isinstance(policy, TabularPolicy) else policy.to_tabular()
    there = {
        _known(state): (state, row)
        for state, row in zip(given.states, given.action_probability_array.copy(), strict=True)
    }
    found: dict[str, dict[int, float]] = {}

    class Carried(Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            told = state.information_state_string()
            if told not in found:
                found[told] = _named_anew(state, there)
            return dict(found[told])

    return Carried(game, list(range(game.num_players())))


def _walked(grown: Any, policy: Any) -> Any:
    """Return a policy of OpenSpiel's C++ as one of Python, by asking it everywhere in the tree."""
    from open_spiel.python.policy import TabularPolicy

    found = TabularPolicy(grown)
    found.action_probability_array[:] = 0
    for state, row in zip(found.states, found.action_probability_array, strict=True):
        try:
            chances = policy.action_probabilities(state)
        except pyspiel.SpielError:
            chances = {}
        if not chances:
            raise ParlourError(
                "A policy of OpenSpiel's C++ is carried from the tree of a game; this one is of something else, which"
                " {function} of open_spiel.python.policy may turn into one of Python.",
                function="pyspiel_policy_to_python_policy",
            )
        for action, chance in chances.items():
            row[action] = chance
    return found


def _named_anew(state: Any, there: dict[tuple[int, str], tuple[Any, Any]]) -> dict[int, float]:
    """Return the chances of a state's actions, which follow from their names and the policy ``there``."""
    if _known(state) not in there:
        raise ParlourError("That is a policy of another game.")
    before, chances = there[_known(state)]
    legal = before.legal_actions()
    checked = probabilities({a: p for a, p in enumerate(chances) if p or a in legal}, legal, "That policy")
    named = {before.action_to_string(action): checked[action] for action in legal}
    return {action: named[state.action_to_string(action)] for action in state.legal_actions()}


def _known(state: Any) -> tuple[int, str]:
    """Return who is to act in a state of the tree or of the game, and their information key."""
    who = state.current_player()
    played = getattr(state, "played", None)
    return who, f"{played.information_key(who):0{DIGITS}x}" if played else state.information_state_string()[-DIGITS:]
