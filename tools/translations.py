"""The catalogues of translations, updated from all that people read (``docs/translating.md``): ``make translations``.

What is extracted: ``_("…")`` and its sisters in modules, templates and scripts; the words of games and their presets;
and what errors and notices say, sentences that are made where no reader is.  The rule books have a catalogue of their
own.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_javascript
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from typer.main import get_group

import parlour
from parlour.base import languages
from parlour.base.languages.games import messages_in
from parlour.cli.app import app
from parlour.cli.common import translated_help, typed_input
from parlour.cli.play import remote_table
from parlour.core import french
from parlour.engine.book import KINDS, ORIGINS, reworded
from parlour.engine.definition import definition, shelf
from parlour.engine.sentences import words_of
from parlour.games.diabolo.bags import COLOUR_NAMES
from parlour.games.diamondback.drawing import GAMES as VERSIONS
from parlour.games.diamondback.position import CARDS as PACK
from parlour.games.dividha.board import POOLS as LAID_ON
from parlour.games.dividha.deck import SUITS
from parlour.games.dividha.hands import CATEGORIES
from parlour.games.dividha.position import PHASES
from parlour.games.matrimony.position import POOLS
from parlour.games.pope_joan.drawing import GAMES
from parlour.games.pope_joan.position import POOL_NAMES
from parlour.server.page.environment import TEMPLATES

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src" / "parlour"
WIDTH: Final = 110
"""Columns of a catalogue."""
DATED: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The date of every catalogue, so that one changes only with its messages."""

CALLS: Final = {"_": 0, "gettext": 0, "ngettext": 0, "pgettext": 1, "npgettext": 1}
"""Functions whose messages are extracted, and how many arguments are their context."""
MODULES: Final = ("base", "cli", "core", "engine", "games", "players", "rules", "server")
"""Folders of modules with messages for people; the modules of the package itself have some too."""
ERRORS: Final = (
    "server/*/*.py", "server/club/pages/*.py", "core/lessons.py", "cli/play/learn.py", "cli/play/play.py",
    "cli/play/dialog.py", "cli/play/remote_table.py", "cli/play/local_table.py", "cli/common/typed_input.py",
    "cli/play/rules.py", "cli/play/clauses.py", "cli/play/replay.py", "cli/play/verify.py",
    "cli/common/files.py", "cli/app.py", "cli/play/odds.py", "cli/play/record_files.py", "cli/play/screen.py",
    "cli/common/options.py", "cli/common/preparing.py", "cli/common/stopping.py", "cli/host/serve.py",
    "base/naming.py", "core/notes.py", "core/records.py",
    "core/verifying.py", "core/taking_back.py", "base/errors.py", "engine/typed_actions.py", "engine/positions.py",
    "games/*/rules.py", "games/*/unbeatable.py", "engine/odds.py", "games/*/odds.py", "rules/stops/odds.py",
    "base/extras.py", "base/disk.py", "core/chain.py", "core/fair_deal.py", "base/languages/*.py", "players/*.py",
    "engine/book.py", "engine/c/*.py", "engine/definition.py", "engine/ruleset.py", "engine/hashing.py",
    "engine/agreed.py", "engine/folder.py", "engine/house_rules.py", "engine/presets.py", "engine/sentences.py",
)  # fmt: skip
"""Modules whose errors and notices people meet while they play."""
HOST: Final = (
    *(f"server/store/{name}.py" for name in ("database", "retention", "schema", "store")),
    "server/common/metrics.py",
    "server/web/proxies.py",
)
"""Those of them that only the host of a server meets."""
VERBS: Final = ("match", "pay", "stop", "on", "fold", "decline", "continue", "end", "leave")
"""What buttons of Diamondback say."""
SPOKEN: Final = {"Notice": "text", "Refused": "sentence", "Bye": "reason", "closed": "reason"}
"""Frames that carry a sentence, and the field that has it."""
SPEAKS: Final = ("say", "say_where", "aside", "path", "waiting", "patiently", "ask")
"""Methods of the terminal's screen, which translates the sentences that it is given."""
TOLD: Final = {
    "refuse_options", "in_words", "_of_the_chain", "against", "notice_of", "_at_best", "fitting_line", "_broken",
}  # fmt: skip
"""Functions that return such sentences, whatever else they do."""
CONSTANTS: Final = {"COMMANDS", "AT_A_TABLE", "_SAID", "LATER", "ASKED", "prompt", "KINDS", "ORIGINS", "REASONS"}
"""Constants that hold such sentences."""
POSITIONAL: Final = (
    "marked",
    "Message",
    "sentence",
    "_dismiss",
    "unknown",
    "Strength",
    "close",
    "freeze",
    "dismiss",
    "put_away",
)
"""Functions all of whose texts are such sentences."""


class Message(NamedTuple):
    """What is to be translated: both forms if it counts, its context, where it stands."""

    text: str | tuple[str, str]
    context: str | None
    place: str


# ------------------------------------------------------------------ modules


def in_module(file: Path, errors: bool) -> Iterator[Message]:
    """The messages of a module; with ``errors`` also the sentences that are made where no reader is."""
    tree, place = ast.parse(file.read_text("utf-8")), str(file.relative_to(ROOT))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _called(node, place, errors)
        if not errors:
            continue
        if isinstance(node, ast.FunctionDef) and node.name in TOLD:
            yield from _all_sentences(node.body, place)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            if names & CONSTANTS:
                yield from _all_sentences([node.value], place)


def _all_sentences(within: Sequence[ast.AST], place: str) -> Iterator[Message]:
    """All texts of several words inside, except what describes a function."""
    waiting = [one for one in within if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS:
            continue
        if isinstance(node, ast.Constant):
            found = _sentences(node, place)
            yield from (one for one in found if " " in str(one.text).strip())
        else:
            waiting += ast.iter_child_nodes(node)


def _called(node: ast.Call, place: str, errors: bool) -> Iterator[Message]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in ("word", "counted"):
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if texts and name == "word":
            yield Message(texts[0], "word", place)
        elif texts:
            yield Message((texts[0], texts[1] if len(texts) > 1 else f"{texts[0]}s"), "counted", place)
        return
    if name in CALLS:
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        context = texts.pop(0) if CALLS[name] and texts else None
        if "n" in name.removesuffix("gettext") and len(texts) == 2:
            yield Message((texts[0], texts[1]), context, place)
        elif texts:
            yield Message(texts[0], context, place)
        return
    if name == "unknown" and node.args:
        what = node.args[0]
        yield from _sentences(what.args[0] if isinstance(what, ast.Call) and what.args else what, place)
    if not errors:
        return
    spoken = [word.value for word in node.keywords if word.arg == SPOKEN.get(name)]
    if name in SPEAKS and "/cli/" in place:
        spoken += node.args
    if name in POSITIONAL or name in _own_errors():
        spoken += node.args[:1] if name == "unknown" else node.args[name in ("Strength", "BadRecord") :]
    elif name in SPOKEN:
        spoken += node.args
    for one in spoken:
        yield from _sentences(one, place)


def _own_errors() -> set[str]:
    """The classes of errors of the package."""
    if not _OWN:
        for file in SOURCE.rglob("*.py"):
            for found in re.finditer(r"^class (\w+)\((\w+)\):", file.read_text("utf-8"), re.MULTILINE):
                _OWN.setdefault(found[1], found[2])
        known = {"ParlourError"}
        while more := {name for name, base in _OWN.items() if base in known} - known:
            known |= more
        for name in set(_OWN) - known:
            del _OWN[name]
    return {"ParlourError", *_OWN}


_OWN: dict[str, str] = {}


def _sentences(node: ast.expr, place: str) -> Iterator[Message]:
    """The texts that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.search(r"[A-Za-z]{2}", re.sub(r"\{[^}]*\}", "", node.value)):
            yield Message(node.value, languages.SAID, place)
    elif isinstance(node, ast.IfExp):
        yield from _sentences(node.body, place)
        yield from _sentences(node.orelse, place)
    elif isinstance(node, ast.BoolOp):
        for one in node.values:
            yield from _sentences(one, place)


# ------------------------------------------------------------------ templates, scripts, words


def in_template(file: Path) -> Iterator[Message]:
    """The messages of a template."""
    place = str(file.relative_to(ROOT))
    for _, function, said in TEMPLATES.extract_translations(file.read_text("utf-8")):  # type: ignore[attr-defined]
        texts = [one for one in ([said] if isinstance(said, str) else said) if one is not None]
        context = texts.pop(0) if CALLS.get(function, 0) else None
        if "n" in function.removesuffix("gettext") and len(texts) > 1:
            yield Message((texts[0], texts[1]), context, place)
        elif texts:
            yield Message(texts[0], context, place)


def in_script(file: Path) -> Iterator[Message]:
    """The messages of a script: ``t("…")``."""
    for _, _, said, _ in extract_javascript(io.BytesIO(file.read_bytes()), {"t": None}, [], {}):
        text = said if isinstance(said, str) else said[0]
        yield Message(str(text), languages.SCRIPT, str(file.relative_to(ROOT)))


def in_words(file: Path) -> Iterator[Message]:
    """The messages of a game's words."""
    place = str(file.relative_to(ROOT))
    for context, text in messages_in(tomllib.loads(file.read_text("utf-8"))):
        yield Message(text, context or None, place)


def in_presets(file: Path) -> Iterator[Message]:
    """The titles and sentences of a game's presets."""
    for preset in tomllib.loads(file.read_text("utf-8")).values():
        for key in ("title", "about"):
            yield Message(preset[key], None, str(file.relative_to(ROOT)))


def of_names() -> Iterator[Message]:
    """The names in rules and views that people read too: ranks and suits, hands, pools, stages."""
    found = {
        "engine/book.py": (*KINDS, *ORIGINS),
        "french.py": (*french.NUMBERS, *french.SUIT_WORDS.values(), "jokers"),
        "games/diabolo/deck.py": (
            *COLOUR_NAMES,
            "one",
            "two",
            "three",
            "four",
            "five",
            "positive",
            "negative",
            "even",
            "left",
            "right",
        ),
        "games/diamondback/position.py": (
            *PACK,
            *(f"{one}es" if one.endswith("ss") else f"{one}s" for one in PACK),
            *VERBS,
            *VERSIONS.values(),
        ),
        "games/diamonds/table.html": ("destroy", "dig", "break", "take", "trade"),
        "games/dividha/hands.py": (
            *CATEGORIES,
            *PHASES,
            *SUITS.values(),
            "God",
            "Satan",
            *LAID_ON.values(),
        ),
        "games/dividha/board.py": ("all-in", "the pot", "half the pot"),
        "games/leduc/rules.py": ("fold", "call", "raise"),
        "players/kinds.py": ("random", "rule-of-thumb", "learned", "search", "best", "unbeatable", "solved"),
        "games/matrimony/position.py": POOLS,
        "games/matrimony/drawing.py": ("two alike",),
        "games/pope_joan/position.py": (*POOL_NAMES, *GAMES.values()),
    }
    for file, names in found.items():
        for name in names:
            yield Message(name, "word", f"src/parlour/{file}")


def of_typed() -> Iterator[Message]:
    """What people type at the terminal: commands, what follows them, and the words of the games' actions."""
    commands = {
        "common/typed_input.py": (*typed_input.COMMANDS, *typed_input.AFTER),
        "play/remote_table.py": remote_table.AT_A_TABLE,
    }
    for file, names in commands.items():
        for name in filter(str.isalpha, names):
            yield Message(name, languages.TYPED, f"src/parlour/cli/{file}")
    for game in shelf():
        actions = parlour.load(game).action_names
        by_option = definition(game).words.get("actions", {}).keys() - {name.split()[0] for name in actions}
        for words in words_of([*actions, *(f"{verb} 1" for verb in sorted(by_option))]):
            yield Message(words, f"{languages.TYPED} {game}", f"src/parlour/games/{game}/words.toml")


def of_help() -> Iterator[Message]:
    """What the help of commands says."""
    group = get_group(app)
    homes = {name: one.callback.__module__ for name, one in group.commands.items() if one.callback}
    for command, text in translated_help.messages(group):
        yield Message(text, translated_help.HELP, f"src/{homes.get(command, 'parlour.cli.app').replace('.', '/')}.py")


# ------------------------------------------------------------------ all of it


def _files(*patterns: str) -> list[Path]:
    return sorted({file for pattern in patterns for file in SOURCE.glob(pattern)})


def messages() -> Iterator[Message]:
    """All messages of the program, those of one file together."""
    with_errors = {*_files(*ERRORS)} - {*_files(*HOST)}
    modules = _files("*.py", *(f"{folder}/**/*.py" for folder in MODULES))
    for file in modules:
        yield from in_module(file, file in with_errors)
    for file in _files("server/**/templates/*.html", "rules/stops/*.html", "games/*/*.html"):
        yield from in_template(file)
    for file in _files("server/page/static/*.js"):
        yield from in_script(file)
    for file in _files("rules/stops/words.toml", "games/*/words.toml", "cli/author/starter/words.toml"):
        yield from in_words(file)
    for file in _files("games/*/presets.toml"):
        yield from in_presets(file)
    yield from of_names()
    yield from of_typed()
    yield from of_help()


def of_books() -> Iterator[Message]:
    """All of the rule books, and what lessons say."""
    for file in _files("rules/stops/book.md", "games/*/book.md"):
        place, lines = str(file.relative_to(ROOT)), file.read_text("utf-8").splitlines()
        for line in lines:
            if not line.startswith(("# ", "<!-- ")):  # the title is the game's name
                yield from (Message(text, None, place) for text in _in_book(line))
    for file in _files("games/*/lesson.toml"):
        place, taught = str(file.relative_to(ROOT)), tomllib.loads(file.read_text("utf-8"))
        for text in (taught["aim"], *(stop.get(key, "") for stop in taught["stop"] for key in ("say", "now"))):
            yield Message(text, None, place)


def _in_book(line: str) -> list[str]:
    """What people read in a line of a rule book."""
    found = []

    def noted(text: str) -> str:
        found.append(text)
        return text

    reworded(line, noted)
    return found


@cache
def template_of(domain: str) -> Catalog:
    """A catalogue that nobody has translated yet."""
    catalog = Catalog(project="Parlour", charset="utf-8")
    for text, context, place in DOMAINS[domain]():
        catalog.add(text, context=context, locations=[(place, 0)])
    return catalog


DOMAINS: Final = {"parlour": messages, "books": of_books}
"""The catalogues of a language, and what is in each."""


def catalogue_file(language: str, domain: str) -> Path:
    return languages.FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str = "parlour") -> Catalog:
    """The catalogue of a language, as translators have left it."""
    file = catalogue_file(language, domain)
    if not file.exists():
        return Catalog(locale=language.replace("-", "_"), charset="utf-8")
    with file.open("rb") as opened:
        return read_po(opened, locale=language.replace("-", "_"))


def update(language: str, domain: str) -> Catalog:
    """The catalogue of a language with all messages that there are now; those that are gone are left out."""
    old, new = read(language, domain), Catalog(
        locale=language.replace("-", "_"), charset="utf-8", project="Parlour", version="1", fuzzy=False,
        header_comment=f"# Parlour in another language: {language} ({domain}).  See docs/translating.md.",
        creation_date=DATED, revision_date=DATED, msgid_bugs_address="", last_translator="", language_team="",
    )  # fmt: skip
    for message in template_of(domain):
        if not message.id:
            continue
        known = old.get(message.id if isinstance(message.id, str) else message.id[0], message.context)
        if known is not None and isinstance(known.id, str) != isinstance(message.id, str):
            known = None
        string, flags = (known.string, known.flags) if known is not None else (None, ())
        places: list[Any] = sorted({(place, None) for place, _ in message.locations})  # without lines, which change
        new.add(message.id, string, places, flags, context=message.context)
    return new


def write(language: str, domain: str, catalog: Catalog) -> None:
    """Write a catalogue as text, and as programs read it."""
    file = catalogue_file(language, domain)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        write_po(opened, catalog, width=WIDTH, sort_by_file=True, include_lineno=False)
    with file.with_suffix(".mo").open("wb") as opened:
        write_mo(opened, catalog)


def missing(catalog: Catalog) -> list[str]:
    """The messages that are not translated."""
    return [str(one.id) for one in catalog if one.id and (one.fuzzy or not all(_strings(one.string)))]


def _strings(string: object) -> list[str]:
    return list(string) if isinstance(string, (tuple, list)) else [str(string or "")]


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("languages", nargs="*", metavar="language", help="all that there are if none is given")
    for language in said.parse_args().languages or [one for one in languages.languages() if one != languages.ENGLISH]:
        for domain in DOMAINS:
            catalog = update(language, domain)
            write(language, domain, catalog)
            left = missing(catalog)
            print(f"{language}, {domain}: {len(catalog)} messages, {len(left)} not translated")
            for one in left[:5]:
                print(f"  {one[:100]}")


if __name__ == "__main__":
    main()
