"""The check of the folder: every file is read as play reads it, and names only what the rules have."""

from __future__ import annotations

import ast
import contextlib
import difflib
import inspect
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.base.disk import installed_text, installed_toml
from parlour.base.errors import ParlourError, placed, unknown
from parlour.core.drawing import Drawing
from parlour.core.game import load
from parlour.core.lessons import FILE, Lesson, places, read_lesson
from parlour.engine.agreed import CALLED
from parlour.engine.presets import presets_of
from parlour.engine.slips import slip_in
from parlour.engine.steps import unnamed
from parlour.engine.telling import view
from parlour.rules import contract
from parlour.rules.vocabulary import EVERYBODY, TERMINAL

if TYPE_CHECKING:
    from parlour.audit.trails import Trail
    from parlour.core.game import Game
    from parlour.engine.definition import Definition

GAME: Final = {
    "name": str, "about": str, "minutes": int, "usual": int, "account": str, "unit": str, "units": str, "deal": str,
    "goal": str, "table": str, "study": bool, "fewest": bool, "include": str, "hushed_when": str, "extra": str,
    "decided_by": list, "scene": list, "at_once": list,
}  # fmt: skip
"""What ``words.toml`` may say under ``[game]``, and of which kind it is."""
TABLES: Final = (
    "game", "events", "you", "several", "did", "moments", "beats", "things", "actions", "captions", "refusals", "waits",
    "options",
)  # fmt: skip
"""The tables that ``words.toml`` may have."""
KINDS: Final = {str: "a text", int: "a whole number", bool: "true or false", list: "a list of texts"}
OF_EVENTS: Final = ("you", "several", "did", "moments", "beats")
"""The tables that say something of events."""
PARTS: Final = ("deck", "drawing", "reasons", "odds", "heuristic", "prepared", "advice", "family", "invariants")
"""The modules that a folder may have beside its rules."""
PRESET: Final = ("title", "about", "minutes", "newcomers", "options")
POINTS: Final = ("card", "move", "player", "amount", "pot")
LESSON: Final = ("aim", "players", "seat", "deal", "options", "stop")
DRAWN: Final = 5
"""Positions of a game that are drawn."""
NAMED: Final = 24
"""An option with more named values than this does not say what each means."""
TEMPLATES: Final = ("table.html", "notes.html", "pieces.html")
OF_A_VIEW: Final = ("get", "items", "keys", "values")
_CLAUSE: Final = re.compile(r"[A-Z]+-\d+")


def folder(material: Material, notes: Notes) -> None:
    """Each file of the folder is read by what reads it when the game is played; what it names is there."""
    for wrong in wrong_in(material.game.definition):
        notes.fault(wrong)
    for walked in material.walks[:1]:
        for place in walked.some(DRAWN, "folder"):
            notes.count()
            for wrong in _drawn(material.game, walked.trails[place], (EVERYBODY, *material.seats)):
                notes.fault(wrong, walked.trails[place])
                return


@cache
def wrong_in(what: Definition) -> tuple[str, ...]:
    """What is wrong in the folder of a game, each with its file and line."""
    home = what.of or what
    return tuple(wrong for look in (_words, _presets, _modules, _deck, _lesson, _templates) for wrong in look(home))


@cache
def unknown_clauses(what: Definition) -> tuple[str, ...]:
    """What the rules cite, in a form that the book has, although it is not in the book, each with its place."""
    return tuple(f"{place} cites {clause!r}, which is not a clause of the book" for place, clause in _unwritten(what))


def _unwritten(what: Definition) -> Iterator[tuple[str, str]]:
    book = what.book.clauses
    kinds = {clause.partition("-")[0] for clause in book}
    for place, clause in _cited(what):
        if clause not in book and clause.partition("-")[0] in kinds:
            yield place, clause


def never_cited(what: Definition) -> list[str]:
    """The clauses of which the book says that an event or a refusal cites them, although nothing in the rules does."""
    cited = {clause for _, clause in _cited(what)}
    return [clause.id for clause in what.book.clauses.values() if clause.kind == "act" and clause.id not in cited]


def _cited(what: Definition) -> Iterator[tuple[str, str]]:
    """The clauses that stand in the rules, each with its place."""
    for module in what.sources:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = node.value.split()
                if all(map(_CLAUSE.fullmatch, named)):
                    yield from ((f"{placed(module.__file__ or '')}, line {node.lineno}", one) for one in named)


# ------------------------------------------------------------------------------------------ texts


class File:
    """A TOML file of a folder: what it says, and where."""

    def __init__(self, what: Definition, name: str) -> None:
        self.name = f"{what.package.replace('.', '/')}/{name}"
        self._text = installed_text(what.package, name)
        self.said: Mapping[str, Any] = installed_toml(what.package, name)

    def at(self, table: str, key: str = "", nth: int = 1) -> str:
        """The file with the line of a table (of several with one name, the ``nth``), or of a key in it."""
        inside, found = table == "", 0
        for number, line in enumerate(self._text.splitlines(), 1):
            if head := re.match(r"\s*\[\[?([^\]]+)\]", line):
                found += head[1].strip() == table
                inside = head[1].strip() == table and found == nth
                if (inside and not key) or (key and head[1].strip() == f"{table}.{key}"):
                    return f"{self.name}, line {number}"
            elif inside and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return f"{self.name}, line {number}"
        return f"{self.name}, [{table}]" if table else self.name

    def strange(self, what: str, table: str, said: Iterable[str], known: Iterable[str], nth: int = 1) -> Iterator[str]:
        """Say which keys of a table are not known."""
        known = list(known)
        for key in said:
            if key not in known:
                yield f"{self.at(table, key, nth)}: {_bare(unknown(what, key, known))}"


def _bare(error: Exception) -> str:
    return str(error).removesuffix(".")


def _has(what: Definition, file: str) -> bool:
    return resources.files(what.package).joinpath(file).is_file()


def _words(what: Definition) -> Iterator[str]:
    file = File(what, "words.toml")
    said = file.said
    for table in said:
        if table not in TABLES:
            yield f"{file.at(table)}: {_bare(unknown('table of words', table, TABLES))}"
    yield from file.strange("entry of [game]", "game", said["game"], GAME)
    for key, value in said["game"].items():
        kind = GAME.get(key, object)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            yield f"{file.at('game', key)}: {key} must be {KINDS[kind]}, not {value!r}"
        elif isinstance(value, int) and not isinstance(value, bool) and value < 1:
            yield f"{file.at('game', key)}: {key} must be 1 or more, not {value}"
    if (account := said["game"].get("account")) is not None:
        yield from (f"{file.at('game', 'account')}: {wrong}" for wrong in _absent("thing", account, what.things))
    for table in OF_EVENTS:
        yield from file.strange("event", table, said.get(table, ()), what.events)
    yield from file.strange("thing", "things", said.get("things", ()), what.things)
    for name in what.things:
        if name not in what.words.get("things", {}):
            yield f"{file.at('things')}: {name!r} has no label"
    verbs, written = _verbs(what)
    for table in ("actions", "captions"):
        unwritten = [name for name in said.get(table, ()) if name.partition(" ")[0] not in written]
        yield from file.strange("kind of action", table, unwritten, verbs)
    yield from file.strange("clause", "refusals", said.get("refusals", ()), what.book.clauses)
    yield from _options(what, file)


def _verbs(what: Definition) -> tuple[list[str], set[str]]:
    """The first words of the names of actions, and of all texts in the rules: an option may bring more actions."""
    names = [name for n in what.counts() for name in load(what.id, n).action_names]
    nodes = [node for module in what.sources for node in ast.walk(ast.parse(inspect.getsource(module)))]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    verbs = dict.fromkeys(name.partition(" ")[0] for name in names)
    return [*verbs], {*verbs, *(text.partition(" ")[0] for text in texts)}


def _options(what: Definition, file: File) -> Iterator[str]:
    own = file.said.get("options", {})
    for name, words in own.items():
        if name not in what.options:
            yield f"{file.at(f'options.{name}')}: {_bare(unknown('option', name, what.options))}"
        else:
            known = ["about", "number", *what.options[name].words]
            yield from file.strange(f"value of {name}", f"options.{name}", words, known)
    for name, option in what.options.items():
        words = what.words.get("options", {}).get(name, {})
        wanted = ["about", *(option.words if len(option.words) <= NAMED else ())]
        if lacking := [one for one in wanted if one not in words]:
            yield f"{file.at(f'options.{name}')}: it does not say what {' and '.join(lacking)} of {name} means"
        for clause in option.clauses:
            if clause not in what.book.clauses:
                yield f"the option {name} changes {clause!r}, which is not a clause of the book"
        for other, values in option.conditions:
            wrong = [*_absent("option", other, what.options)]
            for value in [] if wrong else [one for one in values if not one.isdecimal()]:
                wrong += _absent(f"value of {other}", value, what.options[other].words)
            yield from (f"{what.package}/rules.py: the option {name}, in `when`: {one}" for one in wrong)
    for stated in what.book.clauses.values():
        for name in re.findall(r"\(option `(\w+)", stated.text):
            yield from (f"{what.book.file}, {stated.id}: {wrong}" for wrong in _absent("option", name, what.options))


def _absent(kind: str, name: object, known: Iterable[str]) -> Iterator[str]:
    known = list(known)
    if name not in known:
        yield _bare(unknown(kind, name, known))


def _presets(what: Definition) -> Iterator[str]:
    if not _has(what, "presets.toml"):
        return
    try:
        presets_of(what)
        file = File(what, "presets.toml")
    except ParlourError as error:
        yield _bare(error)
        return
    if next(iter(file.said), "standard") != "standard":
        yield f"{file.name}: the first preset must be [standard], without options"
    for name, one in file.said.items():
        yield from file.strange("entry of a preset", name, one, PRESET)


# ------------------------------------------------------------------------------------------ modules


def _modules(what: Definition) -> Iterator[str]:
    for name in PARTS:
        try:
            module = what.part(name)
        except ParlourError as error:
            yield _bare(error)
            continue
        if module and name not in contract.MODULES:  # the functions of those are looked at as they are read
            for wrong, meant in contract.near(module, CALLED.get(name, ())):
                yield f"{placed(module.__file__ or '')}: nothing calls {wrong!r}; did you mean {meant!r}?"


def _deck(what: Definition) -> Iterator[str]:
    with contextlib.suppress(ParlourError):  # what cannot be read is told already
        deck = what.part("deck")
        cards = getattr(deck, "NAMES", ()) or what.rules.CARDS
        for card in sorted({*itertools.chain(*getattr(deck, "SHOWCASE", ()))} - {*cards, "", "(back)"}):
            yield f"{what.package}/deck.py: SHOWCASE: {_bare(unknown('card', card, cards))}"
        for function in [name for name in ("face", "title") if hasattr(deck, name)]:
            yield from itertools.islice((wrong for one in cards if (wrong := _made(what, deck, function, one))), 1)


def _made(what: Definition, deck: Any, function: str, card: str) -> str:
    try:
        made = getattr(deck, function)(card, *([False] if function == "face" else []))
    except Exception as error:  # whatever the author's function does wrong is a finding
        return _slip(what, error)
    if function == "face" and not re.match(r"\s*(<\?xml[^>]*>\s*)?<svg\b.*</svg>\s*$", str(made), re.DOTALL):
        return f"{what.package}/deck.py: {function}({card!r}) returns {str(made)[:20]!r}, no SVG document"
    return "" if isinstance(made, str) else f"{what.package}/deck.py: {function}({card!r}) returns {made!r}, no text"


def _slip(what: Definition, error: Exception) -> str:
    return _bare(Exception(slip_in([what], error) or f"{type(error).__name__}: {error}"))


def _drawn(game: Game, trail: Trail, seats: Iterable[int]) -> Iterator[str]:
    """Draw a position as the terminal does for these seats."""
    drawing, names, what = Drawing(game.definition, strict=True), unnamed(game.players), game.definition
    for p in seats:
        seen, acts = view(game, trail.s, p), trail.legal(p) if p in trail.acting else []
        legal = [game.action_names[a] for a in acts]
        try:
            drawing.picture(seen, names, legal, 80)
            drawing.lines(seen, names)
            drawing.name(game.options)
            if legal:
                drawing.now(seen, legal)
                for one in legal:
                    drawing.caption(one, seen, names)
                    drawing.reason(one, seen, names)
            if trail.actor == TERMINAL:
                drawing.result(seen, game.state_at(trail.s).returns(), names)
        except Exception as error:  # whatever the author's functions do wrong is a finding
            yield _slip(what, error)
            return


# ------------------------------------------------------------------------------------------ the lesson


def _lesson(what: Definition) -> Iterator[str]:
    if not _has(what, FILE):
        return
    try:
        file = File(what, FILE)
    except ParlourError as error:
        yield _bare(error)
        return
    try:
        yield from (
            f"{file.at('stop', nth=n)}: stop {n}: {wrong}" for n, wrong in _pointed(read_lesson(what.id, file.said))
        )
    except ParlourError as error:
        at = re.match(r"stop (\d+): ", str(error))
        yield f"{file.at('stop', nth=int(at[1])) if at else file.name}: {_bare(error)}"
        return
    yield from (f"{file.at(key)}: {wrong}" for key in file.said for wrong in _absent("entry of a lesson", key, LESSON))


def _pointed(lesson: Lesson) -> Iterator[tuple[int, str]]:
    """The kinds of things at which a lesson points that seem misspelt, with the number of the stop; a board may mark
    things of other kinds."""
    for number, stop in enumerate(lesson.stops, 1):
        for kind, _name in places(stop):
            if kind not in POINTS and difflib.get_close_matches(kind, POINTS, 1, 0.7):
                yield number, _bare(unknown("thing to point at", kind, POINTS))


# ------------------------------------------------------------------------------------------ templates


def _templates(what: Definition) -> Iterator[str]:
    """Without Jinja there are no pages that could fail."""
    try:
        import jinja2
        from jinja2 import nodes
    except ImportError:
        return
    reader = jinja2.Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    for name in TEMPLATES:
        if not _has(what, name):
            continue
        file = f"{what.package.replace('.', '/')}/{name}"
        try:
            tree = reader.parse(installed_text(what.package, name))
        except jinja2.TemplateSyntaxError as error:
            yield f"{file}, line {error.lineno}: {_bare(Exception(error.message))}"
            continue
        for asked in tree.find_all(nodes.Filter):
            if asked.name not in (*reader.filters, "path"):
                yield f"{file}, line {asked.lineno}: {_bare(unknown('filter', asked.name, reader.filters))}"
        plain = any(
            isinstance(one.template, nodes.Const) and one.template.value == "layout.html"
            for one in tree.find_all(nodes.Extends)
        )
        if plain and name == "table.html" and "seat" not in {one.name for one in tree.find_all(nodes.Macro)}:
            yield f"{file}: it must define a macro seat(one)"
        for node in tree.find_all(nodes.Getattr):
            if isinstance(node.node, nodes.Name) and node.node.name == "v" and node.attr not in OF_A_VIEW:
                yield from (
                    f"{file}, line {node.lineno}: {wrong}" for wrong in _absent("thing", node.attr, what.things)
                )
