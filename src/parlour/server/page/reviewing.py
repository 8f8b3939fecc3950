"""What the strongest bot says, beside the replay of a match, of the choices that cost a guest most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from parlour.base.languages import counted, figures, translated
from parlour.base.languages import gettext as _
from parlour.core.game import State
from parlour.server.bots.looking_back import CERTAIN, Costly
from parlour.server.bots.reviews import Review
from parlour.server.page.environment import template
from parlour.server.page.words import drawing, in_words, phrase
from parlour.server.table.score import score_sheet

NEWS: Final = 15.0
"""Seconds that a page waits for news of a review before it is told how far it is."""


class ReviewComment(NamedTuple):
    """What is said of a choice: the step after which it was made, the deal (0: the match has only one), what was
    chosen, what would have been better, how sure that is, and what speaks for it (may be empty)."""

    step: int
    deal: int
    chosen: str
    better: str
    sure: str
    why: str


def told(review: Review, played: State, seat: int, names: Sequence[str]) -> list[ReviewComment]:
    """Return what a review has found in a match, in words for the guest of this seat."""
    return [_said(one, played, seat, names) for one in review.found]


def _said(one: Costly, played: State, seat: int, names: Sequence[str]) -> ReviewComment:
    game, view = played.game, one.choice.view
    called = [_("You") if p == seat else name for p, name in enumerate(names)]
    chosen, better = (
        phrase(game.id, game.action_names[a], drawing(game.id).caption(game.action_names[a], view, called))
        for a in (one.choice.chosen, one.better)
    )
    deal = one.choice.deals + 1 if len(played.deals) > 1 else 0
    why = in_words(game.id, drawing(game.id).reason(game.action_names[one.better], view, called))
    return ReviewComment(one.choice.step, deal, chosen, better, _sureness(one, _unit(played)), why)


def _sureness(one: Costly, unit: tuple[str, str | None]) -> str:
    """Return how much lay between two actions, and how sure that is, as a sentence."""
    share = one.share
    if not one.error and share is not None:
        return _("It wins {n} more games in a hundred, worked out exactly.", n=figures(f"{100 * share:.3g}"))
    if not one.error:
        return _("It brings {amount} more, worked out exactly.", amount=_amount(one.by, unit))
    sure = one.sureness >= CERTAIN
    low, high = (bound * one.scale for bound in one.interval)
    if share is not None:
        n = _between(max(-100.0, 100 * low), min(100.0, 100 * high))
        if sure:
            return _("It is surely better: it wins {n} more games in a hundred.", n=n)
        return _("It is probably better: it wins {n} more games in a hundred.", n=n)
    values = {"n": _between(low, high), "unit": counted(2, *unit).partition(" ")[2]}
    if sure:
        return _("It is surely better: it brings {n} more {unit} on average.", **values)
    return _("It is probably better: it brings {n} more {unit} on average.", **values)


def _between(low: float, high: float) -> str:
    """Return an interval as it is written: as one number if its bounds are written alike.

    >>> _between(1.23, 4.56), _between(-2.4, 31.0), _between(0.11, 0.14), _between(-0.01, 0.02)
    ('1.2 to 4.6', '−2 to 31', '0.1', 'less than 0.1')
    """
    digits = 0 if high >= 10 else 1
    least, most = (f"{round(bound, digits) + 0.0:.{digits}f}" for bound in (low, high))
    if least == most == "0.0":
        return _("less than {n}", n=figures("0.1"))
    least, most = (figures(one).replace("-", "−") for one in (least, most))
    return least if least == most else _("{low} to {high}", low=least, high=most)


def _amount(by: float, unit: tuple[str, str | None]) -> str:
    """Return an exact amount, as it is written.

    >>> _amount(1.0, ("coin", None)), _amount(2.5, ("coin", None))
    ('1 coin', '2.5 coins')
    """
    return counted(1, *unit) if by == 1 else f"{figures(f'{by:.3g}')} {counted(2, *unit).partition(' ')[2]}"


def _unit(played: State) -> tuple[str, str | None]:
    """Return the unit of a deal's results: the game's own if a deal's results are what players gain and lose in it,
    otherwise points."""
    words = played.game.definition.words["game"]
    sheet = score_sheet(played)
    gains = [[now - before for before, now in zip(*rows, strict=True)] for rows in pairwise(sheet)]
    if "unit" in words and (not sheet or gains == [list(deal.returns) for deal in played.deals]):
        return str(words["unit"]), words.get("units")
    return "point", None


def fragment(review: Review, played: State, seat: int, names: Sequence[str], here: str) -> str:
    """Return the part of a replay's page that a review fills, as HTML.  ``here``: the address of the replay."""
    said = told(review, played, seat, names) if review.done else []
    return template("review.html").render(
        review=review, said=said, here=here, seat=seat, trouble=translated(review.trouble), figures=figures
    )


__all__ = ["NEWS", "ReviewComment", "fragment", "told"]
