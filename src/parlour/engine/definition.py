"""A game as its folder defines it: rules, words, rule book.  Nothing is read before it is needed."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import pkgutil
import re
import string
import sys
import tomllib
import traceback
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, Protocol, cast

from parlour.base import languages
from parlour.base.disk import installed_text
from parlour.base.errors import Endless, ParlourError, unknown
from parlour.base.languages import marked
from parlour.engine.book import Book
from parlour.rules import contract
from parlour.rules.bounds import LONGEST
from parlour.rules.matchplay import Deals
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, Field, Option, Position, Thing, fields_of, options_of

_registered: dict[str, str] = {}
NUMBER = "number"
"""After the colon, for what rules number from 0 and people from 1, such as piles."""
BOTH = "both"
"""The field for the cards ``a`` and ``b`` together."""
_INCLUDE = re.compile(r"^<!-- include (\S+) -->$", re.MULTILINE)


def register(package: str) -> str:
    """Register a game of your own: ``package`` is the dotted name of its folder.  Return the game's id, the last part
    of that name.  Raises ``ParlourError`` if there is no such folder, or no ``rules`` in it.

    >>> register("os")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: There is no game in 'os': no module os.rules can be imported.
    """
    try:
        found = importlib.util.find_spec(f"{package}.rules")
    except (ImportError, ValueError):  # not a name at all, or not a package
        found = None
    if found is None:
        raise ParlourError(
            "There is no game in {package!r}: no module {package}.rules can be imported.", package=package
        )
    name = package.rpartition(".")[2]
    if _registered.get(name) != package:
        _registered[name] = package
        definition.cache_clear()
    return name


def register_here() -> dict[str, str]:
    """Register the games whose folders lie in the current folder; return their ids, each with what is wrong with it.

    A game that cannot be loaded is not registered; with the others nothing is wrong, and the sentence is empty.
    """
    if "" not in sys.path:
        sys.path.insert(0, "")
    found = dict[str, str]()
    for name in sorted(rules.parent.name for rules in Path().glob("*/rules.py")):
        if not name.isidentifier() or name in games() or not Path(name, "words.toml").is_file():
            continue
        try:
            register(name)
            what = definition(name)
            what.rules, what.words, what.book  # noqa: B018  # read now, not when the first guest comes
            found[name] = ""
        except ParlourError as wrong:
            found[name] = str(wrong)
            _registered.pop(name, None)
            definition.cache_clear()
    return found


@cache
def _packages() -> dict[str, str]:
    import parlour.games as shelf

    found = {m.name: f"parlour.games.{m.name}" for m in pkgutil.iter_modules(shelf.__path__) if m.ispkg}
    for entry in entry_points(group="parlour.games"):
        found[entry.name] = entry.value
    return found


def shelf() -> list[str]:
    """Return the ids of the games that come with Parlour."""
    return sorted(name for name, package in _packages().items() if package.startswith("parlour.games."))


def games() -> list[str]:
    """Return the ids of all games, in alphabetical order.

    >>> "diamonds" in games()
    True
    """
    return sorted({**_packages(), **_registered})


@cache
def definition(game: str) -> Definition:
    """Return the definition of a game by its id.  Raises ``ParlourError``, which lists the choices, if there is no such
    game.
    """
    package = _registered.get(game) or _packages().get(game)
    if package is None:
        raise unknown("game", game, games())
    return Definition(game, package)


def named(package: str) -> Definition:
    """Return the definition of the game in a folder, registering it if need be: this is how games travel between
    processes.
    """
    name = package.rpartition(".")[2]
    if name not in games() or definition(name).package != package:
        register(package)
    return definition(name)


class SettledDeal(NamedTuple):
    """A deal that a step has settled: who dealt it, what each player won or lost in it, how many of the step's events
    belong to it, and the position as it was then, before the next deal began.
    """

    dealer: int
    returns: tuple[float, ...]
    heard: int
    position: Any


class Preset(NamedTuple):
    """House rules that go well together: a title, one sentence, the options that are not standard, how many minutes a
    match takes somebody who plays it with the usual number of bots (0: not known), and whether whoever does not know
    the game begins with them."""

    name: str
    title: str
    about: str
    options: Mapping[str, str]
    minutes: int = 0
    newcomers: bool = False


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
    FOR_THE_MATCH: bool
    IMAGINED_BY_THUMB: bool


class Definition:
    """What one folder says about one game."""

    def __init__(self, name: str, package: str) -> None:
        self.id = name
        self.package = package
        self._absent: set[str] = set()

    def __repr__(self) -> str:
        return f"<definition of {self.id}>"

    @cached_property
    def modules(self) -> tuple[ModuleType, ...]:
        """The modules of the folder that hold its functions: the rules and those beside them."""
        try:
            beside = [self.part(name) for name in contract.MODULES[1:]]
            return importlib.import_module(f"{self.package}.rules"), *(module for module in beside if module)
        except ParlourError:
            raise
        except Exception as error:
            raise ParlourError(_authors_mistake(error)) from error

    @cached_property
    def rules(self) -> Contract:
        """What the game defines, with defaults for the rest (:mod:`parlour.rules.contract`), as plain Python: the
        interpreted binding.
        """
        if absent := contract.missing(self.modules):
            raise ParlourError(
                "{package}.rules must define {absent} (docs/adding_a_game.md).",
                package=self.package,
                absent=", ".join(absent),
            )
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
        found: dict[str, Any] = dict(contract.CONSTANTS)
        found |= {name: entry.default for name, entry in contract.entries().items()}
        own = {name: getattr(module, name) for module in self.modules for name in found if hasattr(module, name)}
        found |= own
        found |= {name: own[other] for name, other in contract.IN_PLACE_OF.items() if name not in own}
        names = found["CARDS"]
        found["outcome_name"] = own.get("outcome_name", lambda s, k: names[k] if k < len(names) else str(k))
        return cast(Contract, SimpleNamespace(**found))

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
                for name in _imported(statement, module):
                    standard = name.partition(".")[0] in sys.stdlib_module_names
                    if not standard and name not in {Position.__module__, *found}:
                        visit(sys.modules[name])
            found[module.__name__] = module

        for module in self.modules:
            visit(module)
        return tuple(found.values())

    @cached_property
    def small(self) -> Definition | None:
        """The same game with so few cards that all deals can be enumerated, for the audit: its rules with the constants
        in ``SMALL`` of its ``invariants`` in place of their own; ``None`` if there is no ``SMALL``.
        """
        constants = getattr(self.part("invariants"), "SMALL", None)
        return _Small(self, constants) if constants else None

    def part(self, name: str) -> ModuleType | None:
        """Return an optional module of the folder (``heuristic``, ``drawing``), or ``None`` if there is none."""
        full = f"{self.package}.{name}"
        if name in self._absent and full not in sys.modules:
            return None  # nobody looks through the folder again
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as missing:
            if missing.name != full:
                raise
            self._absent.add(name)
            return None

    # ------------------------------------------------------------------ what rules.py declares

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

    def options_since(self, version: int) -> Mapping[str, str] | None:
        """Return the options that the rules did not have yet in this version, each with the value that plays as they
        did (``SINCE`` in the rules); ``None`` if games of that version cannot be played by these rules.

        >>> definition("kuhn").options_since(1), definition("kuhn").options_since(2)
        ({}, None)
        """
        later, since = range(version + 1, self.version + 1), self.rules.SINCE
        if not 0 < version <= self.version or not all(number in since for number in later):
            return None
        return {name: value for number in later for name, value in since[number].items()}

    def broken_since(self, version: int, options: Mapping[str, str]) -> str:
        """Return the first house rules of these (words) under which games of this version cannot be played on
        (``BREAKS`` in the rules), written like ``when`` of an option; empty if there are none.

        >>> definition("matrimony").broken_since(1, {"stake_visibility": "secret"})
        'stake_visibility=secret'
        """
        later = [when for number, when in self.rules.BREAKS.items() if number > version]
        return next((when for when in later if Option({}, 0, when=when).applies(options)), "")

    def has(self, function: str) -> bool:
        """Whether the game defines this optional function."""
        return any(hasattr(module, function) for module in self.modules)

    @cached_property
    def hushed_when(self) -> str | None:
        """The house rules under which it may ask hushed questions (``hushed_when`` in its words, written like ``when``
        of an option); empty: all; ``None``: none."""
        return str(self.words["game"].get("hushed_when", "")) if self.has("hushed") else None

    def may_hush(self, options: Mapping[str, str]) -> bool:
        """Whether it may ask hushed questions under these options, given as words."""
        return self.hushed_when is not None and Option({}, 0, when=self.hushed_when).applies(options)

    @cached_property
    def hides_nothing(self) -> bool:
        """Whether every player sees everything (``HIDES_NOTHING`` in the rules; the audit checks it)."""
        return self.rules.HIDES_NOTHING

    def counts(self, **options: Any) -> list[int]:
        """Return the numbers of players that may play under these options."""
        from parlour.engine.positions import option_values

        def allowed(players: int) -> bool:
            try:
                return not self.refusal_of(players, option_values(self, players, options))
            except ParlourError:
                return False

        return [players for players in self.players if allowed(players)]

    @cache  # noqa: B019 (definitions live as long as the program)
    def options_for(self, players: int, **chosen: str) -> dict[str, str]:
        """Return the options that allow this number of players: those given and, if need be, one more.

        >>> definition("diamonds").options_for(3)
        {}
        """
        from parlour.engine.positions import sample_values

        alone = ({n: value} for n, option in self.options.items() for value in sample_values(option, players))
        tried = ({**one, **chosen} for one in ({}, *alone))
        return next((options for options in tried if players in self.counts(**options)), chosen)

    def allows(self, players: int, options: Mapping[str, Any]) -> bool:
        """Whether this number of players may play under these options."""
        return players in self.counts(**options)

    def refusal_of(self, players: int, options: Mapping[str, int]) -> str:
        """Return the sentence that refuses this number of players under these options (given as numbers); empty if they
        are allowed.
        """
        from parlour.engine.positions import house_rules

        return self.rules.refuse_options(house_rules(self, players, options))

    # ------------------------------------------------------------------ carrying out steps

    def step(self, s: Any, who: int, a: int, heard: Any) -> Sequence[SettledDeal]:
        """Carry out one step: ``who`` (a player or ``CHANCE``) does ``a``, and ``heard`` takes the events.

        If this settles a deal, the next one begins at once; the deals settled are returned.  Legality is not checked.
        """
        deals = s.deal if self.has_deals else 0
        if who == CHANCE:
            self.rules.happen(s, a, heard)
        else:
            self.rules.apply(s, who, a, heard)
        return self._go_over(s, deals, heard) if self.has_deals else ()

    def _go_over(self, s: Any, deals: int, heard: Any) -> Sequence[SettledDeal]:
        """Pass from the end of a deal to the next, if there is one; ``deals`` were finished before."""
        settled: list[SettledDeal] = []
        for _ in range(LONGEST):
            over = self.rules.actor(s)
            if over not in (DEAL_OVER, TERMINAL):
                return settled
            if s.deal > deals:
                deals = s.deal
                brought = [0.0] * s.players
                self.rules.deal_returns(s, brought)
                settled.append(SettledDeal(int(s.dealer), tuple(brought), len(heard or ()), s.copy()))
            if over == TERMINAL:
                return settled
            self.rules.next_deal(s, heard)
        raise Endless(self.id, LONGEST)

    @cached_property
    def way_to_draw(self) -> str:
        """Which of the drivers draws an outcome of a chance node."""
        return "draw_ticket" if self.has("ticket") else "draw_weighted" if self.has("weight") else "draw_even"

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

    # ------------------------------------------------------------------ what people read

    def _read(self, file: str, package: str = "") -> str:
        if not resources.files(package or self.package).joinpath(file).is_file():
            raise ParlourError("The folder of {id} has no {file}.", id=self.id, file=file)
        return installed_text(package or self.package, file)

    def _words_of(self, package: str) -> dict[str, Any]:
        """The words of one package.  Raises ``ParlourError`` if its ``words.toml`` is not TOML, or says nothing of the
        game."""
        try:
            words = tomllib.loads(self._read("words.toml", package))
        except tomllib.TOMLDecodeError as error:
            raise ParlourError("{package}/words.toml cannot be read: {error}.", package=package, error=error) from None
        if package == self.package and not {"name", "about"} <= {*words.get("game", ())}:
            raise ParlourError("{package}/words.toml must say name and about under [game].", package=package)
        return words

    @cached_property
    def book(self) -> Book:
        """The rule book.  A line ``<!-- include PACKAGE -->`` includes the ``book.md`` of that package, which several
        games share.
        """
        text = _INCLUDE.sub(lambda line: self._read("book.md", line[1]).strip(), self._read("book.md"))
        return Book(text, f"{self.package}/book.md")

    def text_of(self, clause: str) -> str:
        """Return what a clause says, in the reader's language if somebody has translated it.  Raises ``ParlourError``
        if there is no such clause.
        """
        return languages.in_book(self.book[clause].text)

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """The words that people read.  ``include`` under ``[game]`` names a package whose ``words.toml`` is
        included.
        """
        own = self._words_of(self.package)
        package = own["game"].get("include")
        shared = self._words_of(package) if package else {}
        return {table: {**shared.get(table, {}), **own.get(table, {})} for table in {**shared, **own}}

    @property
    def worded(self) -> Mapping[str, Any]:
        """The same in the reader's language (:mod:`parlour.base.languages`)."""
        return _worded(self, languages.current())

    @cached_property
    def presets(self) -> Mapping[str, Preset]:
        """The house rules that ``presets.toml`` recommends, by name; none if there is no such file.  Raises
        ``ParlourError`` if it cannot be read, or names rules that the game does not have.

        >>> definition("kuhn").presets
        {}
        """
        file = resources.files(self.package).joinpath("presets.toml")
        if not file.is_file():
            return {}
        try:
            found = {
                name: Preset(
                    name,
                    str(one["title"]),
                    str(one["about"]),
                    {n: str(v) for n, v in (one["options"] if name != "standard" else {}).items()},
                    int(one.get("minutes", self.words["game"].get("minutes", 0) if name == "standard" else 0)),
                    bool(one.get("newcomers", False)),
                )
                for name, one in tomllib.loads(installed_text(self.package, "presets.toml")).items()
            }
        except ParlourError:
            raise
        except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise ParlourError(
                "{package}/presets.toml cannot be read ({error}): each preset has a title, about and options.",
                package=self.package,
                error=error,
            ) from None
        for preset in found.values():
            if why := self._refused_by_all(preset.options):
                raise ParlourError(
                    "{package}/presets.toml: preset {name}: {why}", package=self.package, name=preset.name, why=why
                )
        return found

    @cached_property
    def for_newcomers(self) -> Preset | None:
        """The preset with which somebody begins who does not know the game; ``None``: the rules as they are.

        >>> preset = definition("diamondback").for_newcomers
        >>> preset and preset.name
        'lively'
        """
        return next((preset for preset in self.presets.values() if preset.newcomers), None)

    def preset(self, name: str) -> Preset:
        """Return a preset by its name.  Raises ``ParlourError``, which lists the choices, if there is none."""
        if name not in self.presets:
            raise unknown(marked("preset of {name}", name=self.name), name, self.presets)
        return self.presets[name]

    def _refused_by_all(self, options: Mapping[str, str]) -> str:
        """Why no number of players may play under these options; empty if some may."""
        from parlour.engine.positions import option_values

        if self.counts(**options):
            return ""
        try:
            players = min(self.players)
            return self.refusal_of(players, option_values(self, players, dict(options)))
        except ParlourError as error:
            return str(error)

    @property
    def name(self) -> str:
        return str(self.words["game"]["name"])

    @property
    def about(self) -> str:
        return str(self.words["game"]["about"])

    @property
    def title(self) -> str:
        """The name in the reader's language."""
        return str(self.worded["game"]["name"])

    @property
    def gist(self) -> str:
        """What it is about, in the reader's language."""
        return str(self.worded["game"]["about"])

    @cached_property
    def events(self) -> dict[str, str]:
        """Sentence templates by event, in the order of the file, which fixes each event's number in keys."""
        return dict(self.words.get("events", {}))

    @cached_property
    def thing_index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.things)}

    @cached_property
    def event_index(self) -> dict[str, int]:
        return {event: i for i, event in enumerate(self.events)}

    def sentence(self, event: str, who: int, a: int, b: int, names: Sequence[str], you: int | None = None) -> str:
        """Return the sentence of an event, with players called by ``names``; addressed to seat ``you``, if given, where
        the game has such a sentence (``[you]`` in its words).  It is English, whoever may read it: see :meth:`told`.
        """
        return self._said(self.words, languages.ENGLISH, event, (who, a, b), names, you)

    def told(self, event: str, who: int, a: int, b: int, names: Sequence[str], you: int | None = None) -> str:
        """Return the same in the reader's language."""
        return self._said(self.worded, languages.current(), event, (who, a, b), names, you)

    def told_of_several(self, event: str, a: int, b: int, names: Sequence[str]) -> str:
        """Return the sentence of an event for several players at once (``[several]`` in the game's words), in the
        reader's language, with ``{who}`` where their names stand."""
        words = {"events": self.worded.get("several", {})}
        return self._said(words, languages.current(), event, (len(names), a, b), [*names, "{who}"], None)

    def _said(
        self, words: Mapping[str, Any], language: str, event: str, told: tuple[int, int, int], names: Sequence[str],
        you: int | None,
    ) -> str:  # fmt: skip
        template, myself = words.get("events", {}).get(event), None
        if template is None:
            raise ParlourError(
                "{package}/words.toml has no sentence for the event {event!r}.", package=self.package, event=event
            )
        if you is not None:
            to_you = words.get("you", {}).get(event) if told[0] == you else template
            if to_you is not None:
                template, myself = to_you, you
        numbers = dict(zip(("who", "a", "b"), told, strict=True))
        try:
            return "".join(
                text if field is None else text + self._filled(field, spec, numbers, names, myself, language)
                for text, field, spec in _pieces(template)
            )
        except (KeyError, ValueError):
            raise ParlourError(
                "{package}/words.toml: the sentence for the event {event!r} cannot be filled: {template!r}.",
                package=self.package,
                event=event,
                template=template,
            ) from None

    def _filled(
        self, field: str, spec: str, numbers: Mapping[str, int], names: Sequence[str], you: int | None, language: str
    ) -> str:
        """Return what stands for ``{who}``, ``{a}``, ``{b:card}``, ``{a:cards}``, ``{a:seat}`` or ``{a:number}`` in a
        sentence; ``{both:card}`` are the cards ``a`` and ``b``.  Any other word after the colon is what the number
        counts: ``{a:coin}`` is ``1 coin`` or ``no coins``.

        A sentence may give the forms itself: ``{a:one card|# cards|no cards}`` are the forms for numbers, that for none
        last; ``{a:seat|dir}`` is the reader in the case that a translation needs.
        """
        if spec in ("card", "cards"):
            with languages.speaking(language):
                return self._all_called(field, spec, numbers)
        value = numbers[field]
        kind, _, reader = spec.partition("|")
        if field == "who" or kind == "seat":
            if value == you:
                return reader or (languages.gettext("you") if language != languages.ENGLISH else "you")
            everybody = languages.gettext("everybody") if language != languages.ENGLISH else "everybody"
            return names[value] if 0 <= value < len(names) else everybody
        if spec == NUMBER:
            return str(value + 1)
        if "|" in spec:
            return languages.form_for(value, spec.split("|"), language)
        return counted(value, spec) if spec else str(value).replace("-", "−")

    def _all_called(self, field: str, spec: str, numbers: Mapping[str, int]) -> str:
        """Return the cards that a sentence names in one place, in a row that ends with *and*."""
        if spec == "cards":
            return languages.and_list([self._called(c) for c in range(63) if numbers[field] >> c & 1])
        if field != BOTH:
            return self._called(numbers[field])
        one, other = (self._called(numbers[each]) for each in "ab")
        pair = getattr(self.part("deck"), "pair", None)
        return str(pair(self.card(numbers["a"]))) if one == other and pair else languages.and_list([one, other])

    def _called(self, number: int) -> str:
        """Return what a sentence calls a card, or what else is numbered with the cards, such as pools: what the game's
        ``deck`` has ``spoken`` for it; a word if its name is one (*Queen*), its name if that is short (*Qs*).
        """
        spoken = getattr(self.part("deck"), "spoken", languages.word)
        return str(spoken(self.card(number)))

    @cached_property
    def _from_one(self) -> re.Pattern[str]:
        """Finds an action about something that rules number from 0 and people from 1, in a name or a typed line."""
        captions = self.words.get("captions", {})
        verbs = [verb for verb, form in captions.items() if f"{{a:{NUMBER}}}" in form]
        return re.compile(rf"\b({'|'.join(map(re.escape, verbs)) or '(?!)'})( *)(\d{{1,4}})\b", re.IGNORECASE)

    def as_typed(self, action: str) -> str:
        """Return the name of an action as people write it, who count from 1 what rules count from 0.

        >>> definition("diamonds").as_typed("dig 4"), definition("diamonds").as_typed("steal 1")
        ('dig 5', 'steal 1')
        """
        return self._from_one.sub(lambda found: f"{found[1]}{found[2]}{int(found[3]) + 1}", action)

    def as_named(self, line: str) -> str:
        """Return a line that somebody has typed with the names of its actions as rules have them.

        >>> definition("diamonds").as_named("steal 1, dig5")
        'steal 1, dig4'
        """
        return self._from_one.sub(lambda found: f"{found[1]}{found[2]}{int(found[3]) - 1}", line)

    def card(self, number: int) -> str:
        return self.rules.CARDS[number]


def fields_in(template: str) -> list[tuple[str, str]]:
    """Return the fields of a sentence, each with the word after its colon.

    >>> fields_in("{who} turns up {a:card} on pile {b:number}."), fields_in("{both:card}")
    ([('who', ''), ('a', 'card'), ('b', 'number')], [('a', 'card'), ('b', 'card')])
    """
    found = [(field, spec) for _, field, spec in _pieces(template) if field is not None]
    return [(each, spec) for field, spec in found for each in ("ab" if field == BOTH else (field,))]


def _authors_mistake(error: Exception) -> str:
    """Return one sentence for an error while the rules of a game are read: file, line, the line itself, and the
    reason.
    """
    if isinstance(error, SyntaxError):
        file, line, source = error.filename or "", error.lineno or 0, (error.text or "").strip()
    else:
        last = traceback.extract_tb(error.__traceback__)[-1]
        file, line, source = last.filename, last.lineno or 0, last.line or ""
    shown = os.path.relpath(file)
    why = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{file if shown.startswith('..') else shown}, line {line} ({source}): {why or type(error).__name__}."


def _imported(statement: ast.stmt, module: ModuleType) -> list[str]:
    """Return the full names of the modules that a statement of ``module`` imports, or imports from."""
    if not isinstance(statement, ast.ImportFrom):
        return []
    origin = importlib.util.resolve_name("." * statement.level + (statement.module or ""), module.__package__)
    whole = [name for one in statement.names if (name := f"{origin}.{one.name}") in sys.modules]
    return whole if len(whole) == len(statement.names) else [*whole, origin]


class _Small(Definition):
    """A game with other constants in its rules.  It is only interpreted."""

    def __init__(self, game: Definition, constants: Mapping[str, Any]) -> None:
        super().__init__(game.id, game.package)
        self._whole, self._constants = game.modules, constants

    @cached_property
    def modules(self) -> tuple[ModuleType, ...]:
        """Run the modules of the folder once more.  Each constant gets its other value as soon as it has been given its
        own, and what a module imports from the folder comes from modules that were run again before it.
        """
        left = dict(self._constants)
        again: dict[str, ModuleType] = {}
        for module in self._whole:
            self._run_again(module.__name__, left, again)
        if left:
            raise ParlourError(
                "SMALL in the invariants of {id} names {left}, which no module has.", id=self.id, left=", ".join(left)
            )
        return tuple(again[module.__name__] for module in self._whole)

    def _run_again(self, name: str, left: dict[str, Any], again: dict[str, ModuleType]) -> None:
        if name in again or not name.startswith(f"{self.package}."):
            return
        source = ast.parse(inspect.getsource(sys.modules[name]))
        body: list[ast.stmt] = []
        for statement in source.body:
            for imported in _imported(statement, sys.modules[name]):
                self._run_again(imported, left, again)
            body.append(statement)
            given = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for constant in given & set(left) if isinstance(statement, ast.Assign) else ():
                body += ast.parse(f"{constant} = {left.pop(constant)!r}").body
        small = again[name] = ModuleType(f"{name} (small)")
        sys.modules[small.__name__] = small
        whole = {n: sys.modules[n] for n in again}
        sys.modules.update(again)
        try:
            exec(compile(ast.Module(body, []), f"<{small.__name__}>", "exec"), vars(small))
        finally:
            sys.modules.update(whole)
        vars(small).update({n: again.get(v.__name__, v) for n, v in vars(small).items() if isinstance(v, ModuleType)})


@lru_cache(maxsize=1024)
def _worded(what: Definition, language: str) -> Mapping[str, Any]:
    return languages.worded(what.words, language)


@cache
def _pieces(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """Split a sentence into parts: a text, the field behind it (``None`` if there is none), and the word after its
    colon.
    """
    return tuple((text, field, spec or "") for text, field, spec, _ in string.Formatter().parse(template))


def counted(n: int, thing: str, things: str | None = None) -> str:
    """Return a number with what it counts.

    >>> counted(1, "card"), counted(0, "card")
    ('1 card', 'no cards')
    """
    return f"{n or 'no'} {thing if n == 1 else things or thing + 's'}"
