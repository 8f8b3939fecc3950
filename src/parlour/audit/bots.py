"""Check that players (bots) choose by their view alone, and that the time they take reveals nothing."""

from __future__ import annotations

import cProfile
import gc
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.audit.secrets import state_after
from parlour.audit.trails import frozen
from parlour.audit.wording import changed_fields, in_words
from parlour.engine.telling import Chooser

if TYPE_CHECKING:
    from parlour.core.game import Game, State


def bots(material: Material, notes: Notes) -> None:
    """Each kind of player makes the same legal choice in every world that it cannot tell from the real one, and takes
    the same number of steps.  It changes nothing that it is given, and has no access to the table."""
    game = material.game
    if not material.bots:
        notes.spare("no player was named")
        return
    for walked in material.walks:
        turns = [k for k in walked.some(material.moments, "bots") if walked.trails[k].acting]
        notes.pass_over("nobody is to act", len(walked.trails) - len(turns))
        for place in turns[: material.bot_turns]:
            trail = walked.trails[place]
            for p in trail.acting:
                for kind, make in material.bots.items():
                    notes.count()
                    try:
                        wrong = _compare(game, make, walked.seed, state_after(trail), p, material.redeals)
                    except Exception as error:  # a player that raises is a finding
                        wrong = f"raises {in_words(game, error)}"
                    if wrong:
                        notes.fault(f"player {kind!r} {wrong}", trail, p)
        if notes.full:
            return


def _compare(
    game: Game, make: Callable[[Game, int], Chooser], seed: int, state: State, player: int, redeals: int
) -> str:
    first = decide(make(game, seed), state, player)
    if first not in state.legal_actions(player):
        return f"chooses {first}, which is not legal"
    redealt = [game.state_at(view_redealt(state, player, k)) for k in range(redeals)]
    for world in (*redealt, state):
        bot = make(game, seed)
        before, seen, legal = frozen(game, world.position), world.view(player), world.legal_actions(player)
        again = decide(bot, world, player)
        if again != first:
            return (
                f"chooses {game.action_names[again]!r} instead of {game.action_names[first]!r} "
                f"{_different(game, state, world)}"
            )
        if frozen(game, world.position) != before or world.view(player) != seen or world.legal_actions(player) != legal:
            return "changed the table"
        if reaches(bot, world):
            return "holds the state of the table"
    for world in redealt[:1]:
        long = short = 0
        for _ in range(2):  # twice: the first choice also loads modules and weights, which would be counted
            long, short = (steps_over(make(game, seed), one, player) for one in (state, world))
            if long == short:
                return ""
        return f"takes {long:,} steps over its choice, and {short:,} {_different(game, state, world)}"
    return ""


def _different(game: Game, state: State, world: State) -> str:
    changed = changed_fields(game, state.position, world.position) or "nothing"
    return f"where only what it must not know is different ({changed})"


def view_redealt(state: State, player: int, seed: int) -> Any:
    return state.view(player).redeal(seed).position


def decide(bot: Chooser, state: State, player: int) -> int:
    """Let a player choose as a table does: by its view and its legal actions."""
    view, legal = state.view(player), state.legal_actions(player)
    items, given = view.items, list(legal)
    action = bot.choose(view, legal)
    if view.items != items or legal != given:
        raise RuntimeError("it changed the view or the list of legal actions that it was given")
    return int(action)


def steps_over(bot: Chooser, state: State, player: int) -> int:
    """Return the work that a choice takes, as the number of calls of Python functions, which does not depend on how
    busy the machine is.

    Its view and its legal actions are worked out before, because that is the table's work.

    >>> import parlour
    >>> from parlour.players import make
    >>> game = parlour.load("kuhn")
    >>> state = game.new(seed=1)
    >>> steps_over(make("random", game, seed=1), state, 0) == steps_over(make("random", game, seed=1), state, 0)
    True
    """
    view, legal = state.view(player), state.legal_actions(player)
    profile, was = cProfile.Profile(builtins=False), gc.isenabled()
    gc.disable()  # garbage collection would add calls at random
    profile.enable()
    try:
        bot.choose(view, legal)
    finally:
        profile.disable()
        if was:
            gc.enable()
    return sum(entry.callcount for entry in profile.getstats())


def reaches(bot: object, state: State, most: int = 20_000) -> bool:
    """Whether a player has access, directly or through other objects, to the state of the table or its position."""
    wanted = {id(state), id(state.position)}
    seen: set[int] = set()
    todo: list[object] = [bot]
    while todo and len(seen) < most:
        thing = todo.pop()
        if id(thing) in wanted:
            return True
        if id(thing) in seen or isinstance(thing, (type, types.ModuleType, types.FunctionType, str, int, float)):
            continue
        seen.add(id(thing))
        todo += gc.get_referents(thing)
    return False
