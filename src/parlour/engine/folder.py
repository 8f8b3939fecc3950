"""A game's folder, read: its modules, checked against the contract, what they declare, its words and its rule book.

Nothing is read before it is needed.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import resources
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, Protocol, cast

from parlour.base import languages
from parlour.base.disk import installed_text, installed_toml
from parlour.base.errors import ParlourError, placed
from parlour.engine.agreed import imports_of, only_rules, read_rightly, stated_rightly
from parlour.engine.book import Book
from parlour.engine.slips import mistake
from parlour.rules import contract, vocabulary
from parlour.rules.matchplay import Deals
from parlour.rules.vocabulary import Field, Option, Position, Thing, fields_of, options_of

_INCLUDE = re.compile(r"^<!-- include (\S+) -->$", re.MULTILINE)


class Contract(
    contract.Rules,
    contract.Options,
    contract.Chance,
    contract.Outcomes,
    contract.Weights,
    contract.Tickets,
    contract.Sealed,
    contract.Hushed,
    contract.Silence,
    contract.Several,
    contract.Hidden,
    contract.Derived,
    contract.Advised,
    contract.Imagined,
    contract.Reduced,
    contract.Sensible,
    Protocol,
):
    """Everything that the engine may ask of a game."""

    SINCE: Mapping[int, Mapping[str, str]]
    BREAKS: Mapping[int, str]
    CARDS: Sequence[str]
    HIDES_NOTHING: bool
    HIDES_WHEN: str
    FOR_THE_MATCH: bool
    IMAGINED_BY_THUMB: bool


class GameFolder:
    """The contents of a game's folder."""

    def __init__(self, name: str, package: str) -> None:
        self.id = name
        self.package = package
        self._absent: set[str] = set()
        self._agreed: set[str] = set()

        self.is_own = not package.startswith("parlour.games.")
        """Whether it is not one of Parlour's games: no catalogue has its words."""

    # ------------------------------------------------------------------ modules

    @cached_property
    def modules(self) -> tuple[ModuleType, ...]:
        """The modules of the folder that hold its functions: the rules and those beside them."""
        return tuple(module for name in contract.MODULES if (module := self.part(name)))

    @cached_property
    def rules(self) -> Contract:
        """The functions and constants that the game defines, with defaults for the rest
        (:mod:`parlour.rules.contract`), as plain Python: the interpreted binding.
        """
        if self.is_own:
            for module in self.modules:
                only_rules(module)
        self._must_define(contract.missing(self.modules))
        for module, name, meant in contract.misspelt(self.modules):
            raise ParlourError(
                "{name} defines {other_name}, which nothing calls by that name. Call it {meant} if that is meant;"
                " otherwise give it a name less like it.",
                name=module.__name__,
                other_name=name,
                meant=meant,
            )
        for name, modules in contract.rivals(self.modules):
            raise ParlourError(
                "{modules} both define {name}, which the engine looks up. Give one of them another name.",
                modules=" and ".join(modules),
                name=name,
            )
        self._must_define(contract.unanswered(self.modules))
        found: dict[str, Any] = dict(contract.CONSTANTS)
        found |= {name: entry.default for name, entry in contract.entries().items()}
        own = {name: getattr(module, name) for module in self.modules for name in found if hasattr(module, name)}
        found |= own
        found |= {name: own[other] for name, other in contract.IN_PLACE_OF.items() if name not in own}
        names = found["CARDS"]
        found["outcome_name"] = own.get("outcome_name", lambda s, k: names[k] if k < len(names) else str(k))
        stated_rightly(made := SimpleNamespace(**found), self.position)
        return cast(Contract, made)

    def _must_define(self, absent: Sequence[str]) -> None:
        if absent:
            raise ParlourError(
                "{package}.rules must define {absent} (docs/adding_a_game.md).",
                package=self.package,
                absent=", ".join(absent),
            )

    @cached_property
    def names(self) -> SimpleNamespace:
        """All names that its rules define, for the templates of its board."""
        return SimpleNamespace(**{name: value for module in self.sources for name, value in vars(module).items()})

    @cached_property
    def sources(self) -> tuple[ModuleType, ...]:
        """All modules that its rules consist of, shared ones included, each after those that it imports."""
        found: dict[str, ModuleType] = {}

        def visit(module: ModuleType) -> None:
            for statement in ast.parse(inspect.getsource(module)).body:
                for name in imports_of(module, statement) if isinstance(statement, ast.ImportFrom) else ():
                    standard = name.partition(".")[0] in sys.stdlib_module_names
                    if not standard and name not in {Position.__module__, *found}:
                        visit(sys.modules[name])
            found[module.__name__] = module

        for module in self.modules:
            visit(module)
        return tuple(found.values())

    def part(self, name: str) -> ModuleType | None:
        """Return an optional module of the folder (``heuristic``, ``drawing``), or ``None`` if there is none.
        Raises ``ParlourError`` for one that cannot be read."""
        full = f"{self.package}.{name}"
        if name in self._absent and full not in sys.modules:
            return None  # known to be missing, so do not search the folder again
        try:
            module = importlib.import_module(full)
        except ModuleNotFoundError as missing:
            if missing.name != full:
                raise ParlourError(mistake(missing)) from missing
            self._absent.add(name)
            return None
        except ParlourError:
            raise
        except Exception as error:
            raise ParlourError(mistake(error)) from error
        if name not in self._agreed:
            read_rightly(name, module)
            self._agreed.add(name)
        return module

    def has(self, function: str) -> bool:
        """Whether the game defines this optional function."""
        return any(hasattr(module, function) for module in self.modules)

    # ------------------------------------------------------------------ what the rules declare

    @cached_property
    def position(self) -> type[Position]:
        """The class that declares the fields of a position."""
        found = [
            v
            for v in vars(self.modules[0]).values()
            if isinstance(v, type) and issubclass(v, Position) and v.__module__.startswith(f"{self.package}.")
        ]
        if len(found) != 1:
            raise ParlourError(
                "{package}.rules must define exactly one Position; it defines {n}.", package=self.package, n=len(found)
            )
        return found[0]

    @cached_property
    def fields(self) -> dict[str, Field]:
        return fields_of(self.position)

    @cached_property
    def options(self) -> dict[str, Option]:
        """Its house rules by name."""
        return options_of(self.position)

    @cached_property
    def things(self) -> dict[str, Thing]:
        return dict(self.rules.THINGS)

    @property
    def players(self) -> range:
        """The allowed numbers of players."""
        return self.rules.PLAYERS

    @property
    def max_players(self) -> int:
        return max(self.players)

    @property
    def version(self) -> int:
        return int(self.rules.VERSION)

    @cached_property
    def thing_index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.things)}

    @cached_property
    def hides_nothing(self) -> bool:
        """Whether every player sees everything (``HIDES_NOTHING`` in the rules; the audit checks it)."""
        return self.rules.HIDES_NOTHING

    @cached_property
    def has_deals(self) -> bool:
        """Whether a match of this game has several deals."""
        if not self.has("next_deal"):
            return False
        if not issubclass(self.position, Deals):
            raise ParlourError(
                "{package}.rules has next_deal: derive {name} from Deals.",
                package=self.package,
                name=self.position.__name__,
            )
        return True

    # ------------------------------------------------------------------ texts for players

    def _read(self, file: str, package: str = "") -> str:
        if not resources.files(package or self.package).joinpath(file).is_file():
            raise ParlourError("The folder of {id} has no {file}.", id=self.id, file=file)
        return installed_text(package or self.package, file)

    def _words_of(self, package: str) -> dict[str, Any]:
        """The words of one package.  Raises ``ParlourError`` if its ``words.toml`` is not TOML, or says nothing of the
        game."""
        self._read("words.toml", package)
        words = installed_toml(package, "words.toml")
        said = [words.get("game", {}).get(key) for key in ("name", "about")]
        if package == self.package and not all(isinstance(text, str) for text in said):
            raise ParlourError("{package}/words.toml must say name and about under [game].", package=package)
        return words

    @cached_property
    def book(self) -> Book:
        """The rule book.  A line ``<!-- include PACKAGE -->`` includes the ``book.md`` of that package, which several
        games share.
        """
        text = _INCLUDE.sub(lambda line: self._read("book.md", line[1]).strip(), self._read("book.md"))
        return Book(text, f"{self.package}/book.md", said=languages.Own if self.is_own else str)

    def text_of(self, clause: str) -> str:
        """Return the text of a clause, in the reader's language if there is a translation.  Raises ``ParlourError`` if
        there is no such clause.
        """
        return languages.in_book(self.book[clause].text)

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """The texts of ``words.toml``.  ``include`` under ``[game]`` names a package whose texts are included."""
        own = self._words_of(self.package)
        package = own["game"].get("include")
        shared = self._words_of(package) if package else {}
        return {table: {**shared.get(table, {}), **own.get(table, {})} for table in {**shared, **own}}

    @property
    def worded(self) -> Mapping[str, Any]:
        """The same in the reader's language (:mod:`parlour.base.languages`)."""
        return _worded(self, self.language)

    @property
    def language(self) -> str:
        """The language that its words are said in now: the reader's, but English for a game that is not Parlour's."""
        return languages.ENGLISH if self.is_own else languages.current()

    @property
    def name(self) -> str:
        return str(self.words["game"]["name"])

    @property
    def said_name(self) -> str:
        """The name, for a sentence, which says it in its reader's language.

        >>> from parlour.engine.definition import definition
        >>> definition("kuhn").said_name.said("de")
        'Kuhn-Poker'
        """
        return self.name if self.is_own else languages.marked(self.name)

    @property
    def about(self) -> str:
        return str(self.words["game"]["about"])

    @property
    def title(self) -> str:
        """The name in the reader's language."""
        return str(self.worded["game"]["name"])

    @property
    def gist(self) -> str:
        """One sentence about the game, in the reader's language."""
        return str(self.worded["game"]["about"])

    @cached_property
    def events(self) -> dict[str, str]:
        """Sentence templates by event, in the order of the file, which fixes each event's number in keys."""
        return dict(self.words.get("events", {}))

    @cached_property
    def event_index(self) -> Numbers:
        """The number of each event in keys.  ``ParlourError`` for one that has no sentence."""
        return Numbers(self.package, self.events)

    @cached_property
    def told(self) -> Sequence[ToldInRules]:
        """The places at which its rules, shared ones included, tell an event, in their order."""
        return [one for module in self.sources for one in _told(module)]

    @property
    def unsaid(self) -> str:
        """One sentence about the events for which ``words.toml`` has none; empty if it has all."""
        first = {one.event: one for one in reversed(self.told) if one.event not in self.events}
        if not first:
            return ""
        named = ", ".join(f"{event!r} ({first[event].place})" for event in reversed(first))
        return f"{self.package}/words.toml lacks a sentence under [events] for {named}"


class Numbers(dict[str, int]):
    """The events of ``words.toml``, numbered in their order."""

    def __init__(self, package: str, events: Iterable[str]) -> None:
        super().__init__((event, i) for i, event in enumerate(events))
        self._package = package

    def __missing__(self, event: str) -> int:
        raise ParlourError(
            "{package}/words.toml has no sentence for the event {event!r}.", package=self._package, event=event
        )


class ToldInRules(NamedTuple):
    """Where an event is told: the clause and the event, if they are literals there, whether to everybody, and the place
    as people read it."""

    clauses: Sequence[str]
    event: str
    aloud: bool
    place: str


def _told(module: ModuleType) -> Iterator[ToldInRules]:
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 2:
            told = getattr(module, node.func.id, None)
            if told in (vocabulary.note, vocabulary.whisper):
                place = f"{placed(module.__file__ or '')}, line {node.lineno}"
                clauses = _literals(node.args[1])
                yield from (
                    ToldInRules(clauses, event, told is vocabulary.note, place) for event in _literals(node.args[2])
                )


def _literals(node: ast.expr) -> list[str]:
    """The texts that an expression may be: a literal, or literals chosen by a condition."""
    if isinstance(node, ast.IfExp):
        return [*_literals(node.body), *_literals(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


@lru_cache(maxsize=1024)
def _worded(what: GameFolder, language: str) -> Mapping[str, Any]:
    return languages.worded(what.words, language)
