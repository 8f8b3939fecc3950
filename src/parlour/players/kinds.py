"""Kinds of players by name, and making players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from parlour.base.errors import ParlourError, unknown
from parlour.engine.ruleset import Ruleset
from parlour.players import unbeatable
from parlour.players.characters import CHARACTERS, Called, Slipping, characters, played_as, thinks
from parlour.players.kind import Kind, parsed
from parlour.players.player import Player
from parlour.players.plugins import installed, is_own, named, seated
from parlour.players.simple import Random, RuleOfThumb


def kinds(game: Ruleset[Any] | str) -> list[str]:
    """Return the kinds of players that a game has. Raises ``ParlourError`` if it is no game, loaded or by name.

    >>> import parlour
    >>> kinds(parlour.load("kuhn"))
    ['random', 'search']
    """
    game = _loaded(game)
    missing = set()
    if not game.definition.has("appraise"):
        missing |= {"rule-of-thumb", "best"}
    if _not_learned(game):
        missing.add("learned")
    if unbeatable.why_not(game):
        missing.add("unbeatable")
    return [kind for kind in KINDS if kind not in missing]


def solves(kind: Kind) -> bool:
    """Whether a player of a kind may have to solve something before it moves, which takes a second at most.

    >>> solves(Kind("unbeatable")), solves(Kind("best"))
    (True, False)
    """
    return kind.name == "unbeatable"


def strongest(game: Ruleset[Any]) -> str:
    """The strongest kind of player that a game has for any house rules.

    >>> import parlour
    >>> strongest(parlour.load("diamonds")), strongest(parlour.load("kuhn"))
    ('best', 'search')
    """
    return "best" if "best" in kinds(game) else "search"


def _loaded(game: Any) -> Ruleset[Any]:
    if isinstance(game, Ruleset):
        return game
    from parlour.core.game import loaded

    return loaded(game)


def _not_learned(game: Ruleset[Any]) -> str:
    """The reason why there is no learned network for a game under its options; empty if there is one."""
    from parlour.players.learned import why_not

    return why_not(game)


def make(kind: Any, game: Ruleset[Any] | str, seed: int = 0, **settings: Any) -> Player:
    """Make a player of a kind, written ``KIND`` or ``KIND:SETTING``:

    * ``random``: any legal action, all equally likely;
    * ``rule-of-thumb``: the choice that the game's ``heuristic.py`` calls sensible;
    * ``learned``: the choice with the highest value by a network trained by playing
      (:mod:`parlour.players.kernels.networks`); ``learned:FILE`` for one of your own, which ``parlour train`` writes;
    * ``search``: information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012), 0.1 seconds a move;
      ``search:0.5s`` for another time, ``search:5000`` for a fixed number of simulations a move.  Where players bluff,
      it is more exploitable than its results look (``docs/players.md``).  Settings: those of
      :class:`parlour.players.search.Search`; with ``evaluate=`` a function of yours values positions
      (:class:`parlour.players.guided.Guided`);
    * ``best``: tries its actions in imagined games, played on by a learned network or by rule of thumb, with the same
      settings (:class:`parlour.players.best.Best`);
    * ``unbeatable``: a solution of the game, if the game's ``unbeatable.py`` has one for its options;
    * ``solved:FILE``: the strategy in a file (``parlour solve`` writes them);
    * ``pip``, ``dash``, ``constance``, ``rollo``, ``minerva``, ``magnus``: characters, each a kind above with a habit
      of its own (:mod:`parlour.players.characters`); those that search also accept another time or number of
      simulations, ``rollo:0.1s``;
    * ``my_bot.First``: a player of your own by its dotted path, which is imported; or the name of an entry point of the
      group ``parlour.players``.

    ``kind`` may also be such a text parsed (:class:`parlour.players.kind.Kind`), a player of your own, or a class or
    function that makes one (:mod:`parlour.players.plugins`).

    ``seed`` (0 ≤ seed < 2^64) fixes the player's random choices.  Raises ``ParlourError``, which lists the choices, if
    there is no such kind.

    >>> import parlour
    >>> make("search:0.5s", parlour.load("kuhn")).name
    'search:0.5s'
    """
    game = _loaded(game)
    kind = parsed(kind)
    if not isinstance(kind, Kind):
        return seated(kind, game, seed)
    if kind.name in _MADE_BY:
        return _MADE_BY[kind.name](kind, game, seed, settings)
    if is_own(kind):
        return named(kind, game, seed)
    if kind.name in CHARACTERS:
        return _character(kind, game, seed, settings)
    called = [one.kind for one in characters(game.definition)]
    listed = [*kinds(game), *installed(), *(called if len(called) > 1 else ())]
    # A single character only renames a kind.  `alike` is high: names of people resemble other words (Rollo, robot).
    raise unknown("kind of player", kind.name, listed, called, alike=0.65)


def _refuse_settings(kind: Kind, settings: dict[str, Any]) -> None:
    if kind.setting is not None or settings:
        setting = next(iter(settings)) if kind.setting is None else kind.setting
        raise ParlourError("The player {name!r} has no setting {setting!r}.", name=kind.name, setting=setting)


def _character(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    one = CHARACTERS[kind.name]
    if one not in characters(game.definition):
        raise ParlourError(
            "{name} can't play {other_name}, which has no rule of thumb.",
            name=one.name,
            other_name=game.definition.said_name,
        )
    if not thinks(kind):
        _refuse_settings(kind, {})
        player = make(one.plays, game, seed, **settings)
        return Slipping(player, one.kind, one.slips, seed) if one.slips else Called(player, one.kind)
    return Called(make(played_as(kind), game, seed, **settings, **({"risk": one.risk} if one.risk else {})), one.kind)


def _random(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    _refuse_settings(kind, settings)
    return Random(seed)


def _rule_of_thumb(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    _refuse_settings(kind, settings)
    if not game.definition.has("appraise"):
        raise ParlourError(
            "{name} has no rule-of-thumb player; choose from: {kinds}.",
            name=game.definition.said_name,
            kinds=", ".join(kinds(game)),
        )
    return RuleOfThumb(game, seed)


def _learned(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    from parlour.players.learned import Learned

    if settings:
        _refuse_settings(kind, settings)
    return Learned(game, seed, kind.setting or "")


def _search(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    from parlour.players.best import Best
    from parlour.players.guided import Guided
    from parlour.players.search import Search

    settings = settings | kind.budget
    wanted: Callable[..., Player] = Best if kind.name == "best" else Guided if "evaluate" in settings else Search
    try:
        return wanted(game, seed, **settings)
    except TypeError:
        raise ParlourError(
            "The player {name!r} has no setting {settings}; it has {limit}.",
            name=kind.name,
            settings=", ".join(settings),
            limit=_SETTINGS,
        ) from None


_SETTINGS = "seconds, simulations, explore, binding, evaluate, and risk and infers for best"


def _unbeatable(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    _refuse_settings(kind, settings)
    if why := unbeatable.why_not(game):
        raise ParlourError("{why} Choose from: {kinds}.", why=why, kinds=", ".join(kinds(game)))
    return unbeatable.make(game, seed)


def _solved(kind: Kind, game: Ruleset[Any], seed: int, settings: dict[str, Any]) -> Player:
    from parlour.players.solved import Solved

    if not kind.setting:
        raise ParlourError("Say which strategy file plays: solved:FILE. `parlour solve` writes such files.")
    return Solved(kind.setting, game, seed)


_MADE_BY: Mapping[str, Callable[[Kind, Ruleset[Any], int, dict[str, Any]], Player]] = {
    "random": _random,
    "rule-of-thumb": _rule_of_thumb,
    "learned": _learned,
    "search": _search,
    "best": _search,
    "unbeatable": _unbeatable,
    "solved": _solved,
}
KINDS = tuple(name for name in _MADE_BY if name != "solved")
"""The kinds of players that need no file."""
