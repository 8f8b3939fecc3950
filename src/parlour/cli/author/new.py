"""``parlour new``: a folder with a small game in it, to be turned into another."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated
from unicodedata import combining, normalize

import typer

from parlour.base.disk import installed_text, put
from parlour.base.errors import ParlourError, reason
from parlour.base.naming import fitting_line
from parlour.engine.definition import games

STARTER = "parlour.cli.author.starter"
FILES = ("__init__.py", "rules.py", "words.toml", "book.md", "invariants.py")


def new(
    name: Annotated[str, typer.Argument(help="What the folder is called, and the game's id: my_game.")],
    title: Annotated[str | None, typer.Option("--title", help="What people call the game (default: My Game).")] = None,
    folder: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the new folder is made.")] = Path(),
) -> None:
    """Lay out a new game: a folder with a small complete game that passes the audit, for you to change.

    Example: parlour new my_game --title "My Game"
    """
    made = lay_out(name, title or name.replace("_", " ").title(), folder)
    print(f"{made} contains a small, complete game: read rules.py first, then book.md and words.toml.")
    print("You can use it at once from this folder, and again after every change:\n")
    for command in ("play {}", "audit {}", "simulate {} --games 100000", "rules {}"):
        print(f"  parlour {command.format(name)}")
    print(f"\n{_page('adding_a_game.md')} says what each file may contain,")
    print("and names the pages on what is not laid out: a board, a lesson, a package;")
    print("python -m pydoc parlour.rules.vocabulary has what rules are written with.")


def lay_out(name: str, title: str, folder: Path) -> Path:
    """Make the folder ``name`` inside ``folder``.  Raises ``ParlourError`` if the name is not valid or already
    taken."""
    if not (name.isascii() and name.isidentifier() and name.islower()):
        raise ParlourError(
            "{name!r} can't be a game's folder: use lower-case letters, digits and _, as in my_game.", name=name
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise ParlourError("{name!r} can't be a game's folder: it is a word of Python itself.", name=name)
    if name in games():
        raise ParlourError("There is already a game called {name}; choose another name.", name=name)
    if _is_module(name, folder):
        raise ParlourError(
            "{name!r} can't be a game's folder: Python would find the module of that name instead, or the game instead"
            " of it.", name=name,
        )  # fmt: skip
    title = fitting_line(title)
    if '"' in title or "\\" in title:  # the title is put into strings of Python and TOML
        raise ParlourError("A title can't contain a double quote or a backslash, as {title!r} does.", title=title)
    if not any(map(str.isalpha, title)):
        raise ParlourError("A title needs a letter; {title!r} has none.", title=title)
    target = folder / name
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        raise ParlourError("{target} already exists; choose another name, or remove it.", target=target) from None
    except OSError as error:
        raise ParlourError("{target} can't be made: {why}.", target=target, why=reason(error)) from None
    prefix = _prefix(title) or _prefix(name)
    camel = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    try:
        for file in FILES:
            text = installed_text(STARTER, file)
            text = text.replace("One Card", title).replace("OneCard", camel).replace("OC-", f"{prefix}-")
            put(target / file, text)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)  # half a game is of no use, and would only hold the name
        raise
    return target


def _is_module(name: str, folder: Path) -> bool:
    """Whether something that does not stand in ``folder`` itself is imported by this name."""
    if name in sys.stdlib_module_names:
        return True
    found = find_spec(name)
    here = folder.resolve()
    return found is not None and Path(found.origin or here / name).resolve().parent not in {here, here / name}


def _page(name: str) -> str:
    """Return where a page of the documentation is: its address, if the package has been given one, or its place in the
    sources."""
    with suppress(PackageNotFoundError):
        for line in metadata("parlour").get_all("Project-URL") or ():
            label, _, address = line.partition(", ")
            if label == "Documentation" and "//example." not in address:  # a placeholder
                return f"{address}/{name}"
    return f"docs/{name}, which comes with the sources,"


def _prefix(title: str) -> str:
    """Return what the names of clauses begin with, letters only: the initials of a title, if it has Latin letters.

    >>> _prefix("One Card"), _prefix("Élan"), _prefix("x2y"), _prefix("Карты")
    ('OC', 'EL', 'XY', '')
    """
    plain = "".join(c for c in normalize("NFKD", title) if not combining(c))
    words = [word for word in re.findall(r"[^\W\d_]+", re.sub(r"(?<=\w)[\d_]+", "", plain)) if word.isascii()]
    return ("".join(word[0] for word in words) if len(words) > 1 else "".join(words)[:2]).upper()[:3]
