"""Hints: what the strongest bot would do, how that compares with the next best action, and how sure it is. After a
match, also what the strongest bot says of the best and the worst choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.base.errors import ParlourError
from parlour.base.languages import figures
from parlour.base.languages import gettext as _
from parlour.core.game import Game
from parlour.engine.odds import odds
from parlour.engine.telling import View
from parlour.players.player import Advice, in_percent
from parlour.server.bots.looking_back import CERTAIN, LEAST_SHARE, LIKELY
from parlour.server.common.executors import ODDS
from parlour.server.page.scene import Scene
from parlour.server.page.words import in_words as phrased

COUNTED: Final = 2500
"""If each of two actions has this many games, whole per cents are shown: they are then right to about one per cent."""
FEW: Final = 100
"""The number of games below which a hint is a guess."""


async def whole(scene: Scene, game: Game, advice: Advice) -> str:
    """Return a hint, with a sentence that says what speaks for the action, and the odds where the game has some."""
    said, name = in_words(scene, game, advice), game.action_names[advice.action]
    view = scene.view
    if view is None or len(scene.legal) < 2:
        return said
    try:
        why, chances = await ODDS.do(_grounds, scene, view, name, advice.exact)
    except ParlourError:
        return said  # too many others are waiting, or nothing can be counted here
    if not why and not advice.exact:
        why = _("No rule of thumb says why: it is what does best in the simulated games.")
    return " ".join(filter(None, (said, why, chances)))


def _grounds(scene: Scene, view: View, action: str, is_exact: bool) -> tuple[str, str]:
    """Return what speaks for an action, and its odds. An exact hint has no odds, because it already gives the chance of
    winning."""
    why = phrased(scene.about.game, scene.drawing.reason(action, view, scene.names))
    has_odds = not is_exact and view.game.definition.part("odds") is not None
    return why, odds_of(view, scene.called, action) if has_odds else ""


def odds_of(view: View, names: Sequence[str], action: str) -> str:
    """Return what the odds say of an action, of the card that it names, or of the player who chooses, as a sentence;
    empty if they say nothing."""
    wanted, me = {action, action.rpartition(" ")[2], names[view.player]}, f"{names[view.player]}: "
    for table in odds(view, names):
        found = next((row for row in table.rows if row.label in wanted or row.label.startswith(me)), None)
        if found is not None:
            chances = [(head, float(p)) for head, p in zip(table.head[1:], found.chances, strict=True) if p is not None]
            said = ", ".join(
                f"{head} {figures(one)}"
                for (head, _p), one in zip(chances, in_percent([p for _head, p in chances]), strict=True)
            )
            return (
                _("The odds, from samples: {odds}.", odds=said) if table.samples else _("The odds: {odds}.", odds=said)
            )
    return ""


def in_words(scene: Scene, game: Game, advice: Advice) -> str:
    """Return a hint as a few sentences, without numbers that cannot be relied on."""
    names, second = game.action_names, advice.second
    said = scene.phrase(names[advice.action])
    said = said[:1].upper() + said[1:]
    if advice.exact:
        return said + _exactly(scene, game, advice)
    if second is None:
        if len(scene.legal) > 1:
            return _("{said}: no other choice is better.", said=said)
        return _("{said}: there is nothing else to choose.", said=said)
    other = scene.phrase(names[second])
    if advice.games < FEW:
        return _("{said}. That is a guess: there was time to simulate only a few games.", said=said)
    is_slight = not advice.varies and advice.share(advice.action) - advice.share(second) < LEAST_SHARE
    if advice.sureness < LIKELY or is_slight:
        return _("{said}, or {other}: the strongest bot can’t tell which is better.", said=said, other=other)
    if advice.sureness < CERTAIN:
        return _(
            "{said}. That is probably better than “{other}”, but the strongest bot isn’t sure.", said=said, other=other
        )
    shares = _shares(advice, second)
    return _(
        "{said}. The strongest bot is sure that this is better than “{other}”{shares}.",
        said=said, other=other, shares=shares,
    )  # fmt: skip


def _shares(advice: Advice, second: int) -> str:
    """Return, in words, what share of the simulated games the best action and the ``second`` won; empty if too few
    games were simulated, or if a game can end in more ways than won and lost."""
    if advice.varies or min(advice.visits[advice.action], advice.visits[second]) < COUNTED:
        return ""
    best, next_best = advice.share(advice.action), advice.share(second)
    said = {"best": f"{best:.0%}", "next_best": f"{next_best:.0%}"}
    return _(": it won {best} of the simulated games, the other {next_best}", **said)


def _exactly(scene: Scene, game: Game, advice: Advice) -> str:
    """Return the chance with which an action wins, where it was worked out exactly."""
    second = advice.second
    if second is None:
        (share,) = map(figures, in_percent([advice.share(advice.action)]))
        return _(": it wins with a chance of {share}, worked out exactly. So does every other choice.", share=share)
    share, less = map(figures, in_percent([advice.share(advice.action), advice.share(second)]))
    other = scene.phrase(game.action_names[second])
    return _(
        ": it wins with a chance of {share}, worked out exactly. Next best is “{other}”, with {less}.",
        share=share, other=other, less=less,
    )  # fmt: skip


__all__ = ["in_words", "odds_of", "whole"]
