"""Refusals in the reader's language, and the clauses that bear on a choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parlour.base.languages import ENGLISH, Message, current, marked, translated
from parlour.base.languages import gettext as _
from parlour.engine.effective_clauses import changed
from parlour.engine.ruleset import Ruleset
from parlour.engine.typed_actions import REFUSALS
from parlour.rules.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from parlour.core.game import Game
    from parlour.engine.definition import Definition
    from parlour.engine.telling import View


def clauses_of(game: Game, action: int, view: View) -> list[str]:
    """Return the clauses that ``action`` of the viewer would follow now, up to the next move of chance or another
    player.  They are found by trying it in a world that the viewer cannot tell from the real one."""
    heard: list[Any] = []
    game.definition.rules.apply(view.imagined(0), view.player, action, heard)
    cited = [
        clause for clause, _, audience, who, *_ in heard if audience in (EVERYBODY, view.player) and who == view.player
    ]
    return list(dict.fromkeys(cited))


@lru_cache(maxsize=64)
def _kinds(actions: tuple[str, ...]) -> tuple[str, ...]:
    """The kind of each action."""
    return tuple(name.split()[0] for name in actions)


def bounds_of(game: Game, legal: Sequence[int], view: View) -> list[str]:
    """Return the clauses that forbid the viewer other actions of the same kinds as the ``legal`` ones; the clauses that
    forbid most come first."""
    kind_of = _kinds(game.action_names)
    kinds, may = {kind_of[a] for a in legal}, set(legal)
    others = [a for a, kind in enumerate(kind_of) if kind in kinds and a not in may]
    s, refuse = view.imagined(0), game.definition.rules.refuse
    found = Counter(str(refuse(s, view.player, a)) for a in others[:: len(others) // MOST_TRIED + 1])
    return [clause for clause, _ in found.most_common()]


def refused_in_words(
    what: Definition | Game,
    refusal: str,
    named: Callable[[str], str] = repr,
    worded: Callable[[str], str] = str,
    typed: bool = False,
) -> str:
    """Return in the reader's language why something was refused; ``what``: the game, with its house rules if possible.
    ``named`` puts the name of an action into words, ``worded`` the names of cards in the rest.  ``typed``: that name is
    what people type, which fits into no sentence of other languages.

    >>> import parlour
    >>> from parlour.base.languages import speaking
    >>> refused_in_words(game := parlour.load("leduc"), str(game.new(seed=1).refusal("fold")), str)
    "You can't fold: the other player has not paid more than you. (LE-12)"
    """
    if not isinstance(refusal, Message) or refusal.template not in REFUSALS:
        return worded(translated(refusal))
    values = dict(refusal.values)
    clause, why = str(values.get("clause")), str(values.get("why"))
    definition = what.definition if isinstance(what, Ruleset) else what
    if clause in definition.book.clauses:
        if isinstance(what, Ruleset) and changed(what, definition.book[clause]):
            why = what.told_clause(clause).text
        elif short := definition.worded.get("refusals", {}).get(clause):
            why = str(short)
        elif current() != ENGLISH:
            why = definition.text_of(clause)
    said = {"action": named(str(values.get("name"))), "why": worded(_going_on(why)), "clause": clause}
    kind = str(values.get("name")).rpartition(" ")[0]
    for end in values.keys() & {"low", "high"}:  # people see and type numbers from 1
        said[end] = definition.sentences.as_typed(f"{kind} {values[end]}").rpartition(" ")[2]
    if typed and current() != ENGLISH:
        return marked(refusal.template, **values | said | {"action": repr(said["action"])}).said()
    if "high" in values:
        return _("You can't {action}, only {low} to {high}: {why} ({clause})", **values | said)
    if "low" in values:
        return _("You can't {action}, only {low}: {why} ({clause})", **values | said)
    return _("You can't {action}: {why} ({clause})", **said)


def _going_on(text: str) -> str:
    """A sentence with its first letter as it must be after a colon.

    >>> _going_on("You may fold."), _going_on("Win coins go back.")
    ('you may fold.', 'Win coins go back.')
    """
    first = text.partition(" ")[0]
    return f"{text[:1].lower()}{text[1:]}" if current() == ENGLISH and first in BEGINNINGS else text


BEGINNINGS = frozenset(
    (
        "A",
        "After",
        "As",
        "At",
        "Before",
        "Each",
        "Every",
        "Everybody",
        "If",
        "In",
        "Nobody",
        "Only",
        "The",
        "To",
        "When",
        "You",
    )
)
"""First words of rules that lose their capital after a colon."""


MOST_TRIED = 200
"""The most actions that are tried to find the clauses that forbid them."""
