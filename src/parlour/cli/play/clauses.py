"""Finding clauses of a rule book."""

from __future__ import annotations

from parlour.base.errors import ParlourError
from parlour.base.languages import in_book
from parlour.engine.book import Book, Clause


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
