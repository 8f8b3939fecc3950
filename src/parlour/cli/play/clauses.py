"""Finding clauses of a rule book, and saying which of them refuses what was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from parlour.base.errors import ParlourError
from parlour.base.languages import Message, in_book, marked
from parlour.base.languages import gettext as _
from parlour.cli.common.typed_input import Choices, typed_with_names
from parlour.core.refusals import refused_in_words
from parlour.engine.book import Book, Clause
from parlour.engine.steps import Told
from parlour.engine.typed_actions import REFUSALS


def one_clause(book: Book, wanted: str) -> Clause:
    """Return the clause with this id: ``DM-36``, or just ``36``.

    >>> from parlour.engine.definition import definition
    >>> one_clause(definition("kuhn").book, "7").id
    'KU-7'
    """
    return book[f"{next(iter(book.clauses)).rpartition('-')[0]}-{wanted}" if wanted.isdecimal() else wanted]


def clauses_with(book: Book, words: str) -> list[Clause]:
    """Return the clauses whose text contains these words, in any case, in English or in the language that is spoken.
    Raises ``ParlourError`` if there are none."""
    found = [
        c
        for c in book.clauses.values()
        if any(words.casefold() in text.casefold().replace("`", "") for text in (c.text, in_book(c.text)))
    ]
    if not found:
        raise ParlourError("No rule mentions {words!r}.", words=words)
    return found


def is_id(wanted: str) -> bool:
    """Whether something looks like the id of a clause.

    >>> is_id("DM-36"), is_id("36"), is_id("joker")
    (True, True, False)
    """
    return wanted.rpartition("-")[2].isdecimal() and " " not in wanted


def find_clauses(book: Book, wanted: str) -> list[Clause]:
    """Return clauses by id, or by words in them, whichever is wanted."""
    return [one_clause(book, wanted)] if is_id(wanted) else clauses_with(book, wanted)


def with_examples(commands: Mapping[str, str], choices: Choices, told: Sequence[Told]) -> dict[str, str]:
    """Return what commands are for, with examples from the game: a choice, the clause of what was told last, and the
    longest word of that clause.

    >>> import parlour
    >>> state = parlour.load("matrimony").new(seed=1)
    >>> choices = Choices(state.game, state.legal_actions(), ["You", "Ada"])
    >>> with_examples({"?": "`? {clause}`, `? {word}`", "why": "`why {action}`"}, choices, state.events(0))
    {'?': '`? MA-12`, `? highest`', 'why': '`why take 2`'}
    """
    clauses = choices.game.definition.book.clauses
    clause = clauses[told[-1].clause] if told else next(iter(clauses.values()))
    words = re.findall(r"[^\W\d_]+", re.sub(r"\(.*?\)", "", in_book(clause.text)))
    action = choices.typed(choices.legal[0] if choices.legal else 0)
    examples = {"clause": clause.id, "word": max(words, key=len), "action": action}
    return {name: marked(about, **examples) if "{" in about else about for name, about in commands.items()}


def refused_as_typed(choices: Choices, refusal: str) -> str:
    """Return why something was refused, with actions as they are typed. An amount is refused with those that may be
    chosen: in one range, or in a list after the sentence if some between them may not.

    >>> import parlour
    >>> state = parlour.load("matrimony", start_counters=10, first_dealer=0).new(seed=1)
    >>> choices = Choices(state.game, state.legal_actions(), ["You", "Ada"])
    >>> refused_as_typed(choices, str(state.refusal("take 20"))).partition(":")[0]
    "You can't take 20, only 2 to 10"
    """
    game, sentences = choices.game, choices.game.definition.sentences

    def reworded(refusal: str) -> str:
        return refused_in_words(game, refusal, partial(typed_with_names, game, names=choices.names), typed=True)

    if not isinstance(refusal, Message) or refusal.template not in REFUSALS:
        return reworded(refusal)
    name, values = str(refusal.values["name"]), dict(refusal.values)
    is_bounded = {"low", "high"} & values.keys()
    kind, _space, number = name.rpartition(" ")
    is_amount = number.isdecimal() and sentences.as_typed(name) == f"{sentences.typed(kind)} {number}"
    may = _amounts(choices, kind) if is_bounded or is_amount else {}
    plain = {name: value for name, value in values.items() if name not in is_bounded}
    if may and len(may) == max(may) - min(may) + 1:
        bounds = {"low": min(may), "high": max(may)} if len(may) > 1 else {"low": min(may)}
        return reworded(marked(REFUSALS[len(bounds)], **plain, **bounds))
    said = reworded(marked(REFUSALS[0], **plain))
    return f"{said} {_('You can choose {choices}.', choices=choices.said([*may.values()]))}" if may else said


def _amounts(choices: Choices, kind: str) -> dict[int, int]:
    """Return the choices of a kind that have a number, by this number."""
    parted = ((choices.game.action_names[a].rpartition(" "), a) for a in choices.legal)
    return {int(number): a for (verb, _space, number), a in parted if verb == kind and number.isdecimal()}
