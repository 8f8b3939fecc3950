"""``parlour rules``: the rule book, one clause of it, and the tests of each clause."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour.base.errors import ParlourError
from parlour.base.languages import ENGLISH, current, in_book, pgettext, translated, word
from parlour.base.languages import gettext as _
from parlour.cli.common.completing import named_games
from parlour.cli.common.files import content
from parlour.cli.common.options import Json, Language, known, speak

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from parlour.engine.book import Clause
    from parlour.engine.definition import Definition

COVERAGE = Path("build") / "clauses.json"
WIDTH = 80  # columns of plain text
WIDEST = 92
NARROW = 64  # columns below which the values of an option stand above what they do
KINDS = {
    "act": "it shows when the game is played",
    "proof": "it follows from other rules",
    "knowledge": "it says who knows what",
    "definition": "it says what a word means or how things are set up",
}
ORIGINS = {
    "source": "the original description of the game",
    "report": "reports of how it is played",
    "book": "the published game",
    "proved": "proved from other rules",
    "derived": "derived from other rules",
    "inferred": "inferred from the sources",
    "site": "a website about the game",
    "house": "our own reading, or our filling of a gap",
}
_CLAUSE = re.compile(r"^- \*\*([A-Z]+-\d+)\*\* (?:(\[\w+; \w+\]) )?(.+)$")


def rules(
    game: Annotated[
        str | None, typer.Argument(callback=known, autocompletion=named_games, help="A game (default: list the games).")
    ] = None,
    clause: Annotated[str | None, typer.Argument(help="One clause: DM-12, or just 12.")] = None,
    search: Annotated[str | None, typer.Option("--search", help="Show the rules that contain these words.")] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show each clause with the tests that exercise it.")
    ] = False,
    file: Annotated[
        Path, typer.Option("--file", help="The file in which the tests recorded what they cover.")
    ] = COVERAGE,
    as_json: Json = False,
    language: Language = None,
) -> None:
    """Show the rule book of a game, or one clause of it."""
    speak(language)
    from parlour.engine.definition import definition, games

    what = None if game is None else definition(game)
    if coverage:
        if clause is not None or search is not None:
            raise ParlourError("--coverage can't be combined with a clause or --search.")
        raise typer.Exit(_show_coverage([game] if game else games(), file, as_json, chosen=game is not None))
    if what is None:
        if search is not None:
            raise ParlourError(
                "Say which game to search: parlour rules {games} --search {search}.", games=games()[0], search=search
            )
        from parlour.cli.play.games import print_games, show_games

        if as_json:
            print_games()
        else:
            show_games()
    elif search is not None or clause is not None:
        from parlour.cli.play.clauses import clauses_with, is_id, one_clause

        if clause is not None and search is not None:
            raise ParlourError("Give either a clause or --search, not both.")
        one = clause is not None and is_id(clause)
        found = [one_clause(what.book, clause or "")] if one else clauses_with(what.book, clause or search or "")
        if as_json:
            print(json.dumps(_as_data(what, found), ensure_ascii=False))
        elif one:
            _show_clause(what, found[0])
        else:
            for each in found:
                print(_filled(in_book(each.text).replace("`", ""), f"{each.id}  "))
    elif as_json:
        print(json.dumps(_as_data(what, [*what.book.clauses.values()]), ensure_ascii=False))
    else:
        show_book(what, plain=not sys.stdout.isatty())


def _as_data(what: Definition, clauses: list[Clause]) -> dict[str, Any]:
    """Return clauses for programs, with the house rules that change them; and what each of these may be."""
    changing = {clause.id: changed_by(what, clause.id) for clause in clauses}
    options = {
        name: {
            "about": _option_words(what, name)["about"],
            "default": str(option.default),
            "values": {value: _option_words(what, name).get(value, "") for value in option.words},
            **({} if option.low is None else {"low": option.low, "high": option.high}),
        }
        for name, option in what.options.items()
        if any(name in names for names in changing.values()) or len(clauses) == len(what.book.clauses)
    }
    listed = [
        {
            "id": clause.id,
            "section": in_book(clause.section),
            "kind": clause.kind,
            "origin": clause.origin,
            "text": in_book(clause.text),
            "options": changing[clause.id],
        }
        for clause in clauses
    ]
    return {"id": what.id, "name": what.title, "clauses": listed, "options": options}


# ------------------------------------------------------------------------------------------ one clause


def changed_by(what: Definition, clause: str) -> list[str]:
    """Return the options that change a clause."""
    return [name for name, option in what.options.items() if clause in option.clauses]


def _show_clause(what: Definition, clause: Clause) -> None:
    section, kind, origin, option = (
        pgettext("clause", "section"), pgettext("clause", "kind"), pgettext("clause", "origin"),
        pgettext("clause", "option"),
    )  # fmt: skip
    column = max(map(len, (section, kind, origin, option))) + 2
    print(_filled(in_book(clause.text).replace("`", ""), f"{clause.id}  "))
    print()
    print(f"  {section:{column}}{in_book(clause.section)}")
    print(f"  {kind:{column}}{word(clause.kind)}: {translated(KINDS[clause.kind])}")
    print(f"  {origin:{column}}{word(clause.origin)}: {translated(ORIGINS[clause.origin])}")
    for name in changed_by(what, clause.id):
        print(_filled(f"{name}: {_option_words(what, name)['about']}", f"  {option:{column}}"))
        for value, about, default in option_values(what, name):
            print(_filled(f"{_value(value, default)}: {about}", f"  {'':{column}}- "))


# ------------------------------------------------------------------------------------------ options


def _option_words(what: Definition, name: str) -> dict[str, str]:
    words: dict[str, str] = what.worded.get("options", {}).get(name, {})
    return {"about": "", **words}


def option_values(what: Definition, name: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the values of an option: how each is written, what it does, and whether it is the default."""
    option, words = what.options[name], _option_words(what, name)
    for value in option.words:
        yield value, words.get(value, ""), str(option.default) == value
    if option.seats or option.low is not None:
        usual, low, high = option.default, option.low, option.high
        if isinstance(usual, int):
            numbers = (
                _("a seat, from 0, by default {usual}", usual=usual)
                if option.seats
                else _("{low} to {high}, by default {usual}", low=low, high=high, usual=usual)
            )
        else:
            numbers = _("a seat, from 0") if option.seats else _("{low} to {high}", low=low, high=high)
        yield numbers, words.get("number", ""), False


def _value(value: str, default: bool) -> str:
    """Return a value of an option as a list shows it, with a mark if it is the default."""
    return f"{value} ({_('default')})" if default else value


# ------------------------------------------------------------------------------------------ the book


def book_text(what: Definition) -> str:
    """Return the book as Markdown, in the language that is spoken; in English, if no clause of it has been
    translated."""
    from parlour.engine.book import reworded

    text = what.book.text
    if current() == ENGLISH or all(in_book(one.text) == one.text for one in what.book.clauses.values()):
        return text
    title, _line, rest = text.partition("\n")
    return (
        f"# {what.title}\n{reworded(rest, in_book, word)}" if title.startswith("# ") else reworded(text, in_book, word)
    )


def show_book(what: Definition, plain: bool) -> None:
    """Show the whole book, and then the options: in a pager on a terminal that draws, otherwise as plain text."""
    if plain:
        print(plain_book(what))
        return
    from rich.console import Console

    console = Console(highlight=False)
    width = min(console.width, WIDEST)
    if (sys.stdout.encoding or "").casefold().replace("-", "") == "utf8":
        os.environ.setdefault("LESSCHARSET", "utf-8")  # less asks the locale, which may not be installed
    with console.pager(styles=_pager_shows_colour()):
        for part in rich_book(what, width):
            console.print(part, width=width)


def _pager_shows_colour() -> bool:
    pager = (os.environ.get("PAGER", "").split() or ["less"])[0].rpartition("/")[2]
    if pager == "less":
        os.environ.setdefault("LESS", "-R")
        return "R" in os.environ["LESS"].upper()
    return False


def _blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs of a book; each clause is one."""
    for block in re.split(r"\n\s*\n", text.strip()):
        if "\n- **" in f"\n{block}":
            yield from block.split("\n")
        else:
            yield block


def plain_book(what: Definition) -> str:
    """Return the book as text of at most 80 columns."""
    out: list[str] = []
    column = max(map(len, what.book.clauses), default=0) + 2
    before = ""
    for block in _blocks(book_text(what)):
        clause = _CLAUSE.match(block)
        if out and not clause and _CLAUSE.match(before):
            out.append("")
        before = block
        if clause:
            out.append(_filled(f"{clause[2] or ''} {clause[3]}".strip().replace("`", ""), f"{clause[1]:{column}}"))
        elif block.startswith("#"):
            marks, _space, heading = block.partition(" ")
            out.append(f"{heading}\n{('=' if marks == '#' else '-') * len(heading)}\n")
        elif block.startswith("|"):
            out.append("\n".join(_table_lines(block)) + "\n")
        else:
            out.append("\n".join(_filled(_bare(line), _lead(line)) for line in block.split("\n")) + "\n")
    if what.options:
        heading = _("Options")
        if _CLAUSE.match(before):
            out.append("")
        out.append(f"{heading}\n{'-' * len(heading)}\n")
    for name in what.options:
        cited = ", ".join(what.options[name].clauses)
        out.append(_filled(f"{_option_words(what, name)['about']} ({cited})", f"{name}: "))
        for value, about, default in option_values(what, name):
            out.append(_filled(f"{_value(value, default)}: {about}".rstrip(": "), "  - "))
    return "\n".join(out).strip()


def _lead(line: str) -> str:
    """Return the number, or the dash, with which a line of a list begins."""
    numbered = re.match(r"(\d+\.|-) ", line)
    return numbered[0] if numbered else ""


def _bare(line: str) -> str:
    """Return a line of Markdown without its marks."""
    line = line.removeprefix(_lead(line))
    return re.sub(r"\*\*(.+?)\*\*|\*(.+?)\*", lambda m: m[1] or m[2], line).replace("`", "")


def _table_lines(block: str) -> Iterator[str]:
    """Yield a Markdown table as sentences: each row with the names of its columns."""
    rows = [[_bare(cell.strip()) for cell in row.strip().strip("|").split("|")] for row in block.split("\n")]
    heads = rows[0]
    before = ""
    for row in rows[2:]:
        before = row[0] or before
        rest = [f"{head.lower()}: {cell}" for head, cell in zip(heads[1:], row[1:], strict=True) if cell]
        yield _filled(f"{before}. {'; '.join(rest)}", "- ")


def _filled(text: str, lead: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=lead, subsequent_indent=" " * min(len(lead), 13), break_on_hyphens=False
    )


def rich_book(what: Definition, width: int = WIDTH) -> Iterator[RenderableType]:
    """Yield the book for a terminal that draws, for this width, with the ids of clauses in a column of their own."""
    from rich.markup import escape
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    def clauses() -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="cyan", no_wrap=True, min_width=7)
        table.add_column(ratio=1)
        return table

    grid = clauses()
    for block in _blocks(book_text(what)):
        clause = _CLAUSE.match(block)
        if clause:
            grid.add_row(clause[1], f"{_code_bold(escape(clause[3]))} [dim]{escape(clause[2] or '')}[/]")
            continue
        if grid.row_count:
            yield from (grid, "")
            grid = clauses()
        if block.startswith("#"):
            marks, _space, heading = block.partition(" ")
            yield from (Text(heading, "bold" if marks == "##" else "bold underline"), "")
        else:
            yield from (_Prose(block), "")
    if grid.row_count:
        yield from (grid, "")
    if what.options:
        yield from (Text(_("Options"), "bold"), "")
    for name in what.options:
        cited = ", ".join(what.options[name].clauses)
        yield f"[bold]{name}[/]  {escape(_option_words(what, name)['about'])} [cyan]{cited}[/]"
        values = Table.grid(padding=(0, 2, 0, 0))
        for value, about, default in option_values(what, name):
            usual = f"[green]{escape(_('default'))}[/]" if default else ""
            if width < NARROW:
                yield Padding(f"{escape(value)} {usual}", (0, 0, 0, 2))
                yield Padding(escape(about), (0, 0, 0, 4))
            else:
                values.add_row(escape(value), usual, escape(about))
        if values.row_count:
            yield Padding(values, (0, 0, 0, 2))
        yield ""


class _Prose:
    """A paragraph, a list or a table of a book, without the empty lines that Rich puts around some of them."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.markdown import Markdown
        from rich.segment import Segment

        lines = console.render_lines(Markdown(self._text, justify="left"), options, pad=False)
        full = [k for k, line in enumerate(lines) if any(part.text.strip() for part in line)]
        for line in lines[full[0] : full[-1] + 1] if full else []:
            yield from (*line, Segment.line())


def _code_bold(markup: str) -> str:
    return "".join(f"[bold]{part}[/]" if i % 2 else part for i, part in enumerate(markup.split("`")))


# ------------------------------------------------------------------------------------------ coverage


def _show_coverage(names: list[str], file: Path, as_json: bool, chosen: bool) -> int:
    """Print each clause with its tests; return 1 if a clause has none."""
    from parlour.engine.definition import definition

    tests = _read_coverage(file)
    if not chosen:
        names = [name for name in names if name in tests]
    covered = {n: {c: tests.get(n, {}).get(c, []) for c in definition(n).book.clauses} for n in names}
    bare = [clause for clauses in covered.values() for clause, by in clauses.items() if not by]
    if as_json:
        print(json.dumps(covered, indent=1))
        return 1 if bare else 0
    for name, clauses in covered.items():
        print(f"{definition(name).name}")
        for clause, by in clauses.items():
            kind = definition(name).book[clause].kind
            print(f"  {clause:7} {kind:11} {by[0] if by else 'NO TEST'}")
            for test in by[1:]:
                print(f"  {'':19} {test}")
    total = sum(map(len, covered.values()))
    print(f"{total - len(bare)} of {total} clauses have a test." + (f" Without: {', '.join(bare)}." if bare else ""))
    return 1 if bare else 0


def _read_coverage(file: Path) -> dict[str, dict[str, list[str]]]:
    if not file.exists():
        raise ParlourError(
            "There is no {file}; run `make test`, which writes it, then run this command in the same folder.", file=file
        )
    raw = content(file)
    try:
        found: Any = json.loads(raw)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(clauses, dict) for clauses in found.values()):
        raise ParlourError("{file} isn't a coverage file; run `make test` again.", file=file)
    return found
