"""Games by name.  A game's definition is its folder, read, with its house rules, presets and sentences."""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

from parlour.base.errors import Endless, ParlourError, unknown
from parlour.base.languages import marked
from parlour.engine import families, house_rules
from parlour.engine.families import FULL, Member
from parlour.engine.folder import GameFolder
from parlour.engine.presets import Preset, presets_of
from parlour.engine.sentences import Sentences
from parlour.engine.slips import mistake, slip_in
from parlour.rules.bounds import LONGEST
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, Option, options_of

_registered: dict[str, str] = {}
_read: dict[str, Definition] = {}
"""The definitions read so far.  Registering a game reads it again; games in progress keep the definition with which
they began."""
_copies: dict[str, Definition] = {}
"""Smaller games by their packages."""


def register(package: str) -> str:
    """Register a game of your own: ``package`` is the dotted name of its folder.  Return the game's id, the last part
    of that name.  Raises ``ParlourError`` if there is no such folder, or no ``rules`` in it.

    >>> register("os")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: There is no game in 'os': no module os.rules can be imported.
    """
    if wrong := _nothing_in(package):
        raise wrong
    name = package.rpartition(".")[2]
    if _registered.get(name, _packages().get(name)) != package:
        _registered[name] = package
        for read in [one for one in _read if one.partition("-")[0] == name]:
            del _read[read]
    return name


def _nothing_in(package: str) -> ParlourError | None:
    """The error for a package that has no module of rules; ``None`` for another."""
    try:
        found = importlib.util.find_spec(f"{package}.rules")
    except (ImportError, ValueError):  # not a valid name, or its parent is not a package
        found = None
    except Exception as error:  # whatever its parent does wrong
        return ParlourError(mistake(error))
    if found is not None:
        return None
    return ParlourError("There is no game in {package!r}: no module {package}.rules can be imported.", package=package)


def slip(error: Exception) -> str:
    """Return a sentence for an error while a registered game is played: file, line and what is wrong there; empty if
    the error does not come from the game's rules.

    >>> slip(ZeroDivisionError())
    ''
    """
    return slip_in([what for name, what in _read.items() if name.partition("-")[0] in _registered], error)


def folders_here() -> list[str]:
    """Return the names of the folders of games that lie in the current folder and are not registered."""
    found = sorted(rules.parent.name for rules in Path().glob("*/rules.py"))
    return [one for one in found if one.isidentifier() and one not in games() and Path(one, "words.toml").is_file()]


def register_local(package: str) -> str:
    """Register a game as :func:`register` does, whose folder lies in the current folder or below."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    return register(package)


def register_here() -> dict[str, str]:
    """Register the games whose folders lie in the current folder; return their ids, each with what is wrong with it.

    A game that cannot be loaded is not registered, and its sentence says why.  For the others the sentence is empty.
    The games of installed packages that are left out are among them.
    """
    found = {f"{name} ({package})": str(wrong) for name, (package, wrong) in _installed()[1].items()}
    for name in folders_here():
        try:
            register_local(name)
            _see_that_it_loads(definition(name))
            found[name] = ""
        except ParlourError as wrong:
            found[name] = str(wrong)
            _registered.pop(name, None)
            _read.pop(name, None)
    return found


def _see_that_it_loads(what: Definition) -> None:
    """Load a game, so that faults show before anybody plays."""
    what.rules, what.words, what.book, what.family  # noqa: B018


def _fault_of(what: Definition) -> ParlourError | None:
    try:
        _see_that_it_loads(what)
    except Exception as error:  # whatever a package does wrong: the other games can be played
        return error if isinstance(error, ParlourError) else ParlourError(mistake(error))
    return None


def _packages() -> dict[str, str]:
    return _installed()[0]


@cache
def _installed() -> tuple[dict[str, str], dict[str, tuple[str, ParlourError]]]:
    """The packages of the games that are installed, by their ids; and, by the names that they would have, those that
    are left out, each with what is wrong: it cannot be loaded, or another game has that name."""
    import parlour.games as shelf

    found = {m.name: f"parlour.games.{m.name}" for m in pkgutil.iter_modules(shelf.__path__) if m.ispkg}
    wrong = dict[str, tuple[str, ParlourError]]()
    for name, package in sorted({(entry.name, entry.value) for entry in entry_points(group="parlour.games")}):
        if name in found:
            fault: ParlourError | None = ParlourError(
                "There is already a game called {name}; choose another name.", name=name
            )
        else:
            fault = _nothing_in(package) or _fault_of(Definition(name, package))
        if fault is None:
            found[name] = package
        else:
            wrong[name] = package, fault
    return found, wrong


def shelf() -> list[str]:
    """Return the ids of the games that come with Parlour."""
    return sorted(name for name, package in _packages().items() if package.startswith("parlour.games."))


def games() -> list[str]:
    """Return the ids of all games, in alphabetical order.

    >>> "diamonds" in games()
    True
    """
    return sorted({**_packages(), **_registered})


def smaller() -> list[str]:
    """Return the ids of the smaller games and settings for study that belong to the families of all games.

    >>> smaller()[:2]
    ['commit-6', 'commit-7']
    """
    return [f"{game}-{size}" for game in games() for size in definition(game).family]


def definition(game: str) -> Definition:
    """Return the definition of a game by its id, or of a smaller one of its family.  Raises ``ParlourError``, which
    lists the choices, if there is no such game.

    >>> definition("commit-8").players, definition("commit-8").options["deals"].default
    (range(2, 3), '1')
    """
    if game not in _read:
        package = _registered.get(game) or _packages().get(game)
        base, hyphen, size = game.partition("-")
        if package is None and not (hyphen and base in games()):
            raise no_game(game)
        _read.setdefault(game, Definition(game, package) if package else definition(base).member(size))
    return _read[game]


def no_game(name: str, folders: Sequence[str] = ()) -> ParlourError:
    """Return the error for a name that neither a game nor one of these ``folders`` has; a smaller one of the family of
    a game whose name begins the same may have been meant.

    >>> str(no_game("commit_8")).partition(" Choose")[0]
    "There is no game 'commit_8'; did you mean 'commit-8'?"
    """
    if name in _installed()[1]:
        return _installed()[1][name][1]
    sizes = [f"{game}-{size}" for game in games() if name.startswith(game) for size in definition(game).family]
    return unknown("game", name, sorted([*games(), *folders]), sizes)


def offered(game: str) -> Definition:
    """Return the definition of a game that people can choose.  Raises ``ParlourError``, which lists the choices, if
    there is no such game, or if it is a smaller one for study.

    >>> offered("commit-8")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: There is no game 'commit-8'; did you mean 'commit'? Choose from: ...
    """
    if game not in games():
        raise unknown("game", game, games())
    return definition(game)


def named(package: str) -> Definition:
    """Return the definition of the game in a folder, registering it if need be: this is how games travel between
    processes.
    """
    name = package.rpartition(".")[2]
    if name in games() and definition(name).package == package:
        return definition(name)
    if package not in _copies and (found := families.base_of(package)):
        return definition(f"{named(found[0]).id}-{found[1]}")
    return _copies[package] if package in _copies else definition(register(package))


class SettledDeal(NamedTuple):
    """A deal that a step has settled: its dealer, what each player won or lost in it, how many of the step's events
    belong to it, and the position before the next deal began.
    """

    dealer: int
    returns: tuple[float, ...]
    heard: int
    position: Any


class Definition(GameFolder):
    """Everything that a folder says about one game.  ``size``: for a member of a family, the part of its id after the
    name of the game and the hyphen."""

    def __init__(self, name: str, package: str, of: Definition | None = None, member: Member = FULL) -> None:
        super().__init__(name, package)
        self.of, self.made = of, member
        """The base game of its family, and the member that it is."""
        self.is_small = False
        """Whether it is the ``small`` one of another."""
        if of:
            families.copy(package, of.package, of.sources, member.constants)
            _copies[package] = self

    def __repr__(self) -> str:
        return f"<definition of {self.id}>"

    def __reduce__(self) -> tuple[Callable[[str], Definition], tuple[str]]:
        return named, (self.package,)

    @cached_property
    def small(self) -> Definition | None:
        """The same game with so few cards that all deals can be enumerated, for the audit: its rules with the constants
        in ``SMALL`` of its ``invariants`` in place of their own; ``None`` if there is no ``SMALL``."""
        constants = getattr(self.part("invariants"), "SMALL", None)
        if not constants:
            return None
        member = self.made._replace(constants=constants)
        size = f"{zlib.crc32(repr(constants).encode()):08x}"
        found = Definition(self.id, families.package_of(self.package, size), self.of or self, member)
        found.is_small = True
        return found

    # ------------------------------------------------------------------ family and options

    @cached_property
    def family(self) -> Mapping[str, Member]:
        """The smaller games and settings for study that ``family.py`` in its folder lists, by the part of their ids
        after the game's name and the hyphen; ``full`` is the whole game, for one deal.  None if there is no such file.

        >>> [*definition("commit").family][:2], [*definition("kuhn").family]
        (['6', '7'], [])
        """
        part = None if self.of else self.part("family")
        if part is None:
            return {}
        return {**part.FAMILY, "full": Member(FULL.about, options=self.for_research)}

    def member(self, size: str) -> Definition:
        """Return a member of its family.  Raises ``ParlourError``, which lists the choices, if there is no such one."""
        if size not in self.family:
            raise unknown("game", f"{self.id}-{size}", [f"{self.id}-{one}" for one in self.family])
        return Definition(f"{self.id}-{size}", families.package_of(self.package, size), self, self.family[size])

    @property
    def called(self) -> str:
        """What it is called beside figures: its name and, if it is one of several sizes, the id that loads it.

        >>> definition("commit").called, definition("commit-8").called
        ('Commit', 'Commit (commit-8)')
        """
        return f"{self.name} ({self.id})" if self.of else self.name

    @property
    def rules_of(self) -> str:
        """The id of the game that has the same rules and constants, so that files made for that game can be used."""
        return self.of.rules_of if self.of and not self.made.constants else self.id

    @property
    def for_research(self) -> dict[str, str]:
        """The options of the preset ``research``: one deal, and seat 0 deals."""
        return {name: one for name, one in {"deals": "1", "first_dealer": "0"}.items() if name in self.options}

    @cached_property
    def options(self) -> dict[str, Option]:
        """Its house rules by name.  Members of a family have defaults of their own."""
        usual, own = options_of(self.position), self.made.options
        for name in own:
            if name not in usual:
                raise unknown(marked("option"), name, usual, whose=self.id)
        return usual | {name: replace(usual[name], default=str(value)) for name, value in own.items()}

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences for its events, and the names of its actions."""
        return Sentences(self)

    # ------------------------------------------------------------------ house rules

    def counts(self, **options: Any) -> list[int]:
        """Return the numbers of players allowed under these options."""
        return house_rules.counts(self, **options)

    def options_for(self, players: int, **chosen: str) -> dict[str, str]:
        """Return options that allow this number of players: those given and, if necessary, one more."""
        return house_rules.options_for(self, players, **chosen)

    def allows(self, players: int, options: Mapping[str, Any]) -> bool:
        """Whether these options allow this number of players."""
        return players in self.counts(**options)

    @cached_property
    def hushed_when(self) -> str | None:
        """The house rules under which it may ask hushed questions (``hushed_when`` in its words, written like ``when``
        of an option); empty: all; ``None``: none."""
        return str(self.words["game"].get("hushed_when", "")) if self.has("hushed") else None

    def may_hush(self, options: Mapping[str, str]) -> bool:
        """Whether it may ask hushed questions under these options, given as words."""
        return self.hushed_when is not None and Option({}, 0, when=self.hushed_when).applies(options)

    def may_hide(self, options: Mapping[str, str]) -> bool:
        """Whether players may know or choose anything in secret under these options, given as words."""
        return not self.hides_nothing and Option({}, 0, when=self.rules.HIDES_WHEN).applies(options)

    @cached_property
    def presets(self) -> Mapping[str, Preset]:
        """The house rules that ``presets.toml`` recommends, by name; none if there is no such file.  Raises
        ``ParlourError`` if it cannot be read, or names rules that the game does not have.

        >>> definition("kuhn").presets
        {}
        """
        return presets_of(self)

    @cached_property
    def for_newcomers(self) -> Preset | None:
        """The preset for people who do not know the game; ``None``: the standard rules.

        >>> preset = definition("diamondback").for_newcomers
        >>> preset and preset.name
        'lively'
        """
        return next((preset for preset in self.presets.values() if preset.newcomers), None)

    def preset(self, name: str) -> Preset:
        """Return a preset by its name, or ``research``: one deal, so that returns are on one scale.  Raises
        ``ParlourError``, which lists the choices, if there is none.

        >>> dict(definition("hearts").preset("research").options)
        {'deals': '1'}
        """
        if name == "research":
            return Preset(name, "", "", self.for_research)
        if name not in self.presets:
            raise unknown(marked("preset"), name, self.presets, ["research"], whose=self.said_name)
        return self.presets[name]

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
