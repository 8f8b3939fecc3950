"""Rule books: the ``book.md`` of a game's folder, read clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from parlour.base.errors import ParlourError

KINDS = ("definition", "act", "proof", "knowledge")
ORIGINS = ("source", "report", "book", "proved", "derived", "inferred", "site", "house")
_CLAUSE = re.compile(r"^- \*\*([A-Z]+-\d+)\*\* \[(\w+); (\w+)\] (.+)$")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a rule book.

    ``kind`` says how a test has to exercise it: ``act`` (an event or a refusal cites it), ``proof`` (a property test),
    ``knowledge`` (the audit) or ``definition`` (a marked test).  ``origin`` says where it comes from.
    """

    id: str
    kind: str
    origin: str
    text: str
    section: str

    def __str__(self) -> str:
        return f"{self.id}  {self.text}"


_MARK = re.compile(r"(#+ |\d+\. |- |)(.*)")


def reworded(text: str, said: Callable[[str], str], word: Callable[[str], str] = str) -> str:
    """Return the Markdown of a book with everything that people read in it put into other words: each heading, clause
    and paragraph (a line of one), and each cell of a table.  ``word`` does the same for the words in a clause's
    brackets.

    >>> print(reworded("# Snap\\n- **SN-1** [act; house] Snap.\\n| Cards | `cards` |\\n|---|---|", str.upper))
    # SNAP
    - **SN-1** [act; house] SNAP.
    | CARDS | `cards` |
    |---|---|
    """
    return "\n".join(_reworded(line, said, word) for line in text.split("\n"))


def _reworded(line: str, said: Callable[[str], str], word: Callable[[str], str]) -> str:
    if clause := _CLAUSE.match(line):
        return f"- **{clause[1]}** [{word(clause[2])}; {word(clause[3])}] {said(clause[4])}"
    if line.startswith("|"):
        cells = [one.strip() for one in line.strip().strip("|").split("|")]
        if all(set(one) <= set("-:") for one in cells):
            return line
        return f"| {' | '.join(said(one) if _is_prose(one) else one for one in cells)} |"
    mark, text = _MARK.fullmatch(line).groups()  # type: ignore[union-attr]  # it fits every line
    return mark + (said(text) if _is_prose(text) else text)


def _number(clause: str) -> int:
    return int(clause.rpartition("-")[2])


def _is_prose(text: str) -> bool:
    """Whether a text has a word in it, apart from code that people type and names of cards."""
    return re.search(r"[a-z]{2}", re.sub(r"`[^`]*`", "", text)) is not None


class Book:
    """A rule book: its Markdown ``text`` and its ``clauses`` by id, in the order of the book.

    >>> book = Book("# Snap\\n\\n## Play\\n- **SN-1** [act; house] Equal cards: whoever says snap takes them.")
    >>> book["SN-1"].section
    'Play'
    """

    def __init__(self, text: str, file: str = "the rule book", said: Callable[[str], str] = str) -> None:
        self.text, self.file, self._said = text, file, said

    @cached_property
    def clauses(self) -> dict[str, Clause]:
        section, found = "", {}
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.startswith("## "):
                section = line[3:].strip()
            elif line.startswith("- **"):
                match = _CLAUSE.match(line)
                if match is None or match[2] not in KINDS or match[3] not in ORIGINS:
                    raise ParlourError(
                        "Line {number} of {file} is not of the form '- **ID** [kind; origin] text': {other_number!r}.",
                        file=self.file,
                        number=number,
                        other_number=line[:60],
                    )
                if match[1] in found:
                    raise ParlourError(
                        "Line {number} of {file}: clause {match} occurs twice.",
                        file=self.file,
                        number=number,
                        match=match[1],
                    )
                found[match[1]] = Clause(match[1], match[2], match[3], self._said(match[4]), self._said(section))
        return found

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the position of each clause in the book, from 0, which is how compiled code counts them."""
        return _Places(self)

    def __getitem__(self, clause: str) -> Clause:
        found = self.clauses.get(clause.upper())
        if found is None:
            ids = list(self.clauses)
            if not ids:
                raise ParlourError("There are no clauses in {file}.", file=self.file)
            raise ParlourError(
                "There is no clause {rule!r}; the clauses are {runs}.",
                rule=clause,
                runs=", ".join(
                    f"{min(kind, key=_number)} … {max(kind, key=_number)}"
                    for letters in dict.fromkeys(one.rstrip("0123456789") for one in ids)
                    if (kind := [one for one in ids if one.rstrip("0123456789") == letters])
                ),
            )
        return found


class _Places(dict[str, int]):
    """The clauses of a book, numbered in their order."""

    def __init__(self, book: Book) -> None:
        super().__init__((clause, i) for i, clause in enumerate(book.clauses))
        self._file = book.file

    def __missing__(self, clause: str) -> int:
        raise ParlourError("{file} has no clause {clause!r}, which the rules cite.", file=self._file, clause=clause)
