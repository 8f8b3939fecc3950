"""The vocabulary in which the rules of a game are written; long because rules import all of it from this one place.

A game is a folder with a ``rules`` module of plain functions over small integers.  That module imports
this one and nothing else: no NumPy, no engine.  The functions run as they stand (the *interpreted*
binding) and are also translated to C (the *compiled* binding, :mod:`parlour.engine.c`), where the
few primitives below are replaced by machine code of the same meaning.

Four groups of words:

* **Position**: the fields that make up a position, and the house rules (options) among them.
* **Stages**: what play consists of, who is asked in each stage, and what they may do (:func:`by_stage`).
* **Things**: what players can be told about a position, and when (:func:`by_thing`).
* **Primitives**: sets of cards held in one integer, ``tell``, ``note``, ``whisper``, ``draw``, and functions that are
  looked up (:func:`tabled`).

A game of several files imports these words whole (``from parlour.rules.vocabulary import *``), and its own position
with them: they are the language its rules are written in.  What a rules module defines is listed in
``docs/adding_a_game.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

from parlour.base.languages import marked
from parlour.rules.unrolled import Writer

__all__ = [
    "CHANCE",
    "DEAL_OVER",
    "EVERYBODY",
    "FRENCH_RANKS",
    "FRENCH_SUITS",
    "SEVERAL",
    "TERMINAL",
    "Each",
    "Listener",
    "Position",
    "Stage",
    "Thing",
    "amount",
    "amount_option",
    "below",
    "by_stage",
    "by_thing",
    "cards",
    "choice",
    "count",
    "draw",
    "list_members",
    "lowest",
    "members",
    "note",
    "nth",
    "number",
    "numbers",
    "one_of",
    "options_of",
    "seat",
    "seat_option",
    "seat_set",
    "sentence",
    "switch",
    "tabled",
    "tell",
    "values_of",
    "whisper",
]

# ------------------------------------------------------------------------------------------ special players

CHANCE: Final = -1
"""``actor`` returns this when chance decides next."""
TERMINAL: Final = -2
"""``actor`` returns this when the game is over."""
SEVERAL: Final = -3
"""``actor`` returns this when several players choose at once, in secret; ``acting`` returns those who have yet to
choose.
"""
DEAL_OVER: Final = -4
"""``actor`` returns this when a deal is settled and another follows; the engine calls ``next_deal`` before anybody sees
it.
"""
EVERYBODY: Final = -1
"""Audience of a public :func:`note`; observer of the spectator's view."""

Listener: TypeAlias = list[Any] | None
"""The type of listeners to events.  Rules only pass it on, to :func:`note` and :func:`whisper`; ``None`` ignores all
events."""
Watcher: TypeAlias = Any
"""The type of watchers of a position: a list of the facts told, or the arrays into which machine code writes them."""
AnyPosition: TypeAlias = Any
"""A position of any game: each game's functions are annotated with the game's own class."""


# ------------------------------------------------------------------------------------------ position fields

KINDS: Final = ("u1", "u2", "u4", "i1", "i2", "i4", "i8")
"""The kinds of fields: unsigned or signed, with so many bytes."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a position: ``kind`` is one of :data:`KINDS`, ``size`` 0 for a single number, otherwise the length
    of a list."""

    kind: str
    size: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"there is no kind of field {self.kind!r}; choose from: {', '.join(KINDS)}")

    @property
    def low(self) -> int:
        return 0 if self.kind[0] == "u" else -(1 << (8 * int(self.kind[1]) - 1))

    @property
    def high(self) -> int:
        bits = 8 * int(self.kind[1])
        return (1 << bits) - 1 if self.kind[0] == "u" else (1 << (bits - 1)) - 1


@dataclass(frozen=True, slots=True)
class Option:
    """A house rule: a field of the position that keeps the value it was given when the game was loaded.

    ``words`` maps each named value to its number; ``low``/``high`` bound plain numbers (both ``None``: words only);
    with ``seats`` the plain numbers are the seats of the game.  ``clauses`` are those whose meaning it changes.
    ``when`` says under which other options it changes anything (:meth:`applies`); empty: always.
    """

    words: Mapping[str, int]
    default: int | str
    low: int | None = None
    high: int | None = None
    seats: bool = False
    clauses: tuple[str, ...] = ()
    kind: str = "u1"
    when: str = ""

    def __post_init__(self) -> None:
        given = [*self.words.values(), *(one for one in (self.low, self.high) if one is not None)]
        low, high, held = min(given, default=0), max(given, default=0), Field(self.kind)
        if low < held.low or high > held.high:
            fitting = next((kind for kind in KINDS if Field(kind).low <= low and high <= Field(kind).high), "i8")
            raise ValueError(
                f"an option from {low} to {high} does not fit in a field of kind {self.kind!r}, which holds {held.low}"
                f" to {held.high}; write kind={fitting!r}"
            )

    def applies(self, options: Mapping[str, str]) -> bool:
        """Whether the option can change anything if the other options are these, given as words.

        >>> top_up = switch("no", when="version=dealers,match or tie=keep")
        >>> top_up.applies({"version": "match", "tie": "share"})
        True
        >>> top_up.applies({"version": "standard", "tie": "share"})
        False
        """
        return not self.when or any(options[name] in words for name, words in self.conditions)

    @property
    def conditions(self) -> list[tuple[str, list[str]]]:
        """The conditions in ``when``: other options with the values under which this one changes something.  One of
        them is enough.

        >>> switch("no", when="version=dealers,match or tie=keep").conditions
        [('version', ['dealers', 'match']), ('tie', ['keep'])]
        """
        found = (one.partition("=") for one in self.when.split(" or ") if one)
        return [(name, words.split(",")) for name, _, words in found]

    @property
    def is_switch(self) -> bool:
        """Whether it is ``yes`` or ``no``, or ``on`` or ``off``, as 1 or 0."""
        return {*self.words.items()} in ({("yes", 1), ("no", 0)}, {("on", 1), ("off", 0)})

    def under(self, clauses: str) -> Option:
        """Return the same option for a game whose rule book has it in these clauses."""
        return replace(self, clauses=tuple(clauses.split()))


def number(kind: str = "u1") -> Any:
    """A single integer field.  ``kind``: ``u1`` (0..255), ``i1``, ``u2``, ``i2``, ``i4``, ``i8`` (also card sets).

    >>> class Tiny(Position):
    ...     pile: int = number()
    ...     seen: int = number("i8")
    >>> [(name, field.low, field.high < 300) for name, field in fields_of(Tiny).items()]
    [('players', 0, True), ('pile', 0, True), ('seen', -9223372036854775808, False)]
    """
    return Field(kind)


def numbers(size: int, kind: str = "u1") -> Any:
    """A list of ``size`` integers.

    >>> class Tiny(Position):
    ...     hand: list[int] = numbers(4, "i2")
    >>> fields_of(Tiny)["hand"].size, fields_of(Tiny)["hand"].high
    (4, 32767)
    """
    return Field(kind, size)


def choice(*words: str, clauses: str = "", when: str = "") -> Any:
    """An option with named values, the default first; in the rules they are 0, 1, 2 … in this order.  ``when``, here as
    for every option: the options without which it changes nothing, ``version=dealers or limit=fixed,none``.

    >>> ends = choice("empty", "pair", clauses="XX-3", when="version=dealers")
    >>> ends.default, ends.words, ends.applies({"version": "match"})
    ('empty', {'empty': 0, 'pair': 1}, False)
    """
    return Option({w: i for i, w in enumerate(words)}, words[0], clauses=tuple(clauses.split()), when=when)


def switch(default: str, clauses: str = "", when: str = "") -> Any:
    """An option that is ``yes`` or ``no``, or else ``on`` or ``off``: 1 or 0, so that rules say ``if s.bonus:``.

    >>> switch("no").words, switch("on").words
    ({'no': 0, 'yes': 1}, {'on': 1, 'off': 0})
    """
    yes, no = ("on", "off") if default in ("on", "off") else ("yes", "no")
    other = no if default == yes else yes
    words = {default: int(default == yes), other: int(other == yes)}
    return Option(words, default, clauses=tuple(clauses.split()), when=when)


def amount_option(
    default: int | str, low: int, high: int, clauses: str = "", kind: str = "u1", when: str = "", **words: int
) -> Any:
    """An option that is a whole number from ``low`` to ``high``, or one of ``words`` (``none=0``).

    >>> limit = amount_option("none", 1, 20, none=0)
    >>> limit.default, limit.words, (limit.low, limit.high)
    ('none', {'none': 0}, (1, 20))
    """
    return Option(words, default, low, high, clauses=tuple(clauses.split()), kind=kind, when=when)


def seat_option(default: int | str, clauses: str = "", **words: int) -> Any:
    """An option that is a seat of the game, or one of ``words`` (``random=255``).

    >>> first = seat_option("random", random=255)
    >>> first.seats, first.words
    (True, {'random': 255})
    """
    return Option(words, default, seats=True, clauses=tuple(clauses.split()))


def values_of(where: type[Position] | Option, option: str = "") -> tuple[int, ...]:
    """The numbers of the named values of an option, in the order of their declaration: of an option of a position, or
    of one that several games share.

    >>> class Tiny(Position):
    ...     pace: int = choice("slow", "quick", clauses="XX-1")
    >>> SLOW, QUICK = values_of(Tiny, "pace")
    >>> SLOW, QUICK
    (0, 1)
    >>> values_of(choice("credit", "cap"))
    (0, 1)
    """
    declared = where if isinstance(where, Option) else options_of(where)[option]
    return tuple(declared.words.values())


class Position:
    """Base of a game's position: a class whose attributes are fields and options.

    The engine reads the declarations and builds from them a slotted Python object and a NumPy record of the same
    layout.  Every game has ``players``.  A new position is all zeros except for ``players`` and the options.

    >>> class Tiny(Position):
    ...     pile: int = number()
    ...     won: list[int] = numbers(2)
    >>> list(fields_of(Tiny))
    ['players', 'pile', 'won']
    """

    players: int = Field("u1")  # type: ignore[assignment]


def fields_of(position: type[Position]) -> dict[str, Field]:
    """All fields in order of declaration, options included, ``players`` first."""
    found: dict[str, Field] = {}
    for cls in reversed(position.__mro__):
        for name, value in vars(cls).items():
            if isinstance(value, Field):
                found[name] = value
            elif isinstance(value, Option):
                found[name] = Field(value.kind)
    return found


def options_of(position: type[Position]) -> dict[str, Option]:
    """The options of a game in order of declaration.

    >>> class Tiny(Position):
    ...     pace: int = choice("slow", "quick")
    >>> list(options_of(Tiny))
    ['pace']
    """
    return {
        name: value
        for cls in reversed(position.__mro__)
        for name, value in vars(cls).items()
        if isinstance(value, Option)
    }


def sentence(template: str, /, **values: object) -> str:
    """Return why house rules do not go together, for ``refuse_options``: a sentence that keeps its parts.

    >>> sentence("{packs}={n} needs another pack.", packs="packs", n=2)
    'packs=2 needs another pack.'
    """
    return marked(template, **values)


# ------------------------------------------------------------------------------------------ stages


@dataclass(frozen=True, slots=True)
class Each:
    """Legal actions of a stage, given by a set: ``first`` + member for each member of the set ``those(s, me)``.

    >>> class s:
    ...     stage, hand = 0, [0b0110, 0b1001]
    >>> play = by_stage([Stage(0, "lead", 1, "XX-1", Each(lambda s, me: s.hand[me], first=10))])
    >>> acts = [0] * 4; play.legal(s, 1, acts), acts  # one action a card in hand
    (2, [10, 13, 0, 0])
    """

    those: Callable[[AnyPosition, int], int]
    first: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of play, as a row of a table.

    ``number`` is the value of the position's field ``stage``; ``name`` is for people.  ``asks`` says who acts: a number
    (``CHANCE``, ``TERMINAL``, ``SEVERAL``, ``DEAL_OVER``), the field of the position that holds it (``"turn"``), or a
    rule function of the position that returns it.  Where several players choose at once, ``several`` gives the set of
    those who have yet to choose. ``clause`` is the rule that says who acts, which is cited when a player acts out of
    turn; if it depends on an option, on what has happened or on the action, it is a function ``clause(s, me, a)`` that
    returns the clause in force.

    ``offers`` gives the player's legal actions: a tuple where they are always the same, :class:`Each` of a set, or a
    function ``offers(s, me, acts)`` that writes them.  ``does(s, me, a, to)`` carries one out; ``refuses`` is the
    clause that forbids an action to the player to act, or a function ``refuses(s, me, a)`` that returns it (by default
    ``clause``); ``happens(s, k, to)`` carries out an outcome of chance.  ``alone``: a step in this stage leads to
    nothing further, so ``then`` is not called after it (for speed, where cards are dealt one by one).
    """

    number: int
    name: str
    asks: int | str | Callable[[AnyPosition], int]
    clause: str | Callable[[AnyPosition, int, int], str] = ""
    offers: tuple[int, ...] | Each | Callable[[AnyPosition, int, list[int]], int] | None = None
    does: Callable[[AnyPosition, int, int, Listener], None] | None = None
    refuses: str | Callable[[AnyPosition, int, int], str] | None = None
    happens: Callable[[AnyPosition, int, Listener], None] | None = None
    several: Callable[[AnyPosition], int] | None = None
    alone: bool = False


class StageFunctions(NamedTuple):
    """The functions by which a game is played, as a table of stages declares them."""

    actor: Callable[[AnyPosition], int]
    """``actor(s)``: return who acts next."""
    acting: Callable[[AnyPosition], int]
    """``acting(s)``: the set of those who have yet to choose, where several choose at once."""
    legal: Callable[[AnyPosition, int, list[int]], int]
    """``legal(s, me, acts)``: write the legal actions of ``me`` into ``acts``; return their number."""
    apply: Callable[[AnyPosition, int, int, Listener], None]
    """``apply(s, me, a, to)``: carry out what ``me`` does."""
    happen: Callable[[AnyPosition, int, Listener], None]
    """``happen(s, k, to)``: carry out what chance brings."""
    refuse: Callable[[AnyPosition, int, int], str]
    """``refuse(s, me, a)``: the clause that forbids ``me`` this action now."""


def by_stage(stages: Sequence[Stage], then: Callable[[AnyPosition, Listener], None] | None = None) -> StageFunctions:
    """Combine the rows of a table of stages; ``then(s, to)`` is called after every step, unless the stage is ``alone``.

    The rows stand in the order of their numbers, from 0. Raises ``ValueError`` if they do not.

    >>> def count_down(s, me, a, to): s.stage += 1
    >>> play = by_stage([
    ...     Stage(0, "saying", "turn", "XX-1", offers=(3, 4), does=count_down),
    ...     Stage(1, "over", TERMINAL, "XX-2"),
    ... ])
    >>> class s: stage, turn = 0, 1
    >>> play.actor(s), play.refuse(s, 0, 5)
    (1, 'XX-1')
    >>> acts = [0, 0]; play.legal(s, 1, acts), acts
    (2, [3, 4])
    >>> play.apply(s, 1, 0, None); play.actor(s) == TERMINAL
    True
    """
    if [stage.number for stage in stages] != [*range(len(stages))]:
        raise ValueError(f"stages must be in the order of their numbers, not {[stage.number for stage in stages]}")
    alone = {stage.number for stage in stages if stage.alone}
    written = [
        _ladder(Writer("actor", "s"), "(s)", [stage.asks for stage in stages]),
        _branches(Writer("acting", "s"), "(s)", _given(stages, "several"), 0),
        _branches(Writer("legal", "s, me, acts"), "(s, me, acts)", _given(stages, "offers"), 0),
        _branches(Writer("apply", "s, me, a, to"), "(s, me, a, to)", _given(stages, "does"), None, then, alone),
        _branches(Writer("happen", "s, k, to"), "(s, k, to)", _given(stages, "happens"), None, then, alone),
    ]
    actor, acting, legal, apply, happen = cast(Any, written)

    def refuse(s: AnyPosition, me: int, a: int) -> str:
        stage: Stage = stages[s.stage]
        who = actor(s)
        asked = bool(acting(s) >> me & 1) if who == SEVERAL else who == me
        why = stage.refuses if stage.refuses and asked else stage.clause
        return why if isinstance(why, str) else why(s, me, a)

    return StageFunctions(actor, acting, legal, apply, happen, refuse)


def _given(stages: Sequence[Stage], part: str) -> dict[int, Any]:
    return {stage.number: getattr(stage, part) for stage in stages if getattr(stage, part) is not None}


def _ladder(writer: Writer, given: str, parts: Sequence[Any]) -> Any:
    """Write one comparison after another, for a part of every stage; neighbouring stages with the same part share a
    comparison.  If cards are dealt one by one, compiled games are up to 5% faster with it than with
    :func:`_branches`."""
    writer.line("stage = s.stage")
    for number, part in enumerate(parts):
        if number + 1 < len(parts) and parts[number + 1] == part:
            continue
        if number + 1 < len(parts):
            writer.line(f"if stage <= {number}:")
        is_function = not isinstance(part, int | str)
        does = writer.call(part) + given if is_function else f"s.{part}" if isinstance(part, str) else str(part)
        writer.line(f"return {does}", 2 if number + 1 < len(parts) else 1)
    return writer.made()


def _branches(
    writer: Writer,
    given: str,
    parts: Mapping[int, Any],
    otherwise: int | None,
    then: Callable[..., Any] | None = None,
    alone: Set[int] = frozenset(),
) -> Any:
    """Write one branch for each part: actions to be listed, or a function to be called.  Stages that share a part share
    a branch, and the part with the most stages comes last.
    """
    shared: dict[Any, list[int]] = {}
    for number, part in parts.items():
        shared.setdefault(part, []).append(number)
    if shared:
        writer.line("stage = s.stage")
    first = "if"
    for part, numbers in sorted(shared.items(), key=lambda branch: len(branch[1])):
        if isinstance(part, Each):
            does = f"{writer.call(list_members)}({writer.call(part.those)}(s, me), {part.first}, acts)"
        else:
            does = str(len(part)) if isinstance(part, tuple) else writer.call(part) + given
        is_only = otherwise is None and len(shared) == 1  # every action of every stage does the same
        if not is_only:
            writer.line(f"{first} {' or '.join(f'stage == {n}' for n in numbers)}:")
        for place, action in enumerate(part if isinstance(part, tuple) else ()):
            writer.line(f"acts[{place}] = {action}", 2)
        writer.line(does if otherwise is None else f"return {does}", 1 if is_only else 2)
        if then and alone >= set(numbers):
            writer.line("return", 1 if is_only else 2)
        first = "elif" if otherwise is None else "if"
    if then:
        writer.line(f"{writer.call(then)}(s, to)")
    writer.line("pass" if otherwise is None else f"return {otherwise}")
    return writer.made()


# ------------------------------------------------------------------------------------------ things that players can see


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that players can be told: the range of its values, the number of its items, how it is written, and who
    is told.

    ``kind`` is ``one_of`` (a value below ``size``), ``amount`` (0..``size``), ``seat`` (a player), ``seat_set`` (a set
    of players, in one integer), ``cards`` (a set of cards below ``size``, in one integer).  ``per`` is the number of
    items, which are told by index.  ``seats``: the index is a seat, so a tensor turns it to start with the observer;
    with ``each`` there are that many for each seat, one seat after the other.  ``optional``: an amount or set that is
    not always told (a tensor then has a presence bit next to it).  ``names``: readable names of values or cards.

    ``when`` and ``own`` say who is told (:func:`by_thing`); ``value`` says what, if it is not the field of the same
    name.
    """

    kind: str
    size: int = 0
    per: int = 1
    seats: bool = False
    optional: bool = False
    names: Sequence[str] | None = None
    each: int = 1
    when: Callable[..., Any] | None = None
    own: Callable[..., Any] | None = None
    value: Callable[..., int] | None = None

    @property
    def is_set(self) -> bool:
        """Whether its value is a set, one bit a member."""
        return self.kind in ("cards", "seat_set")

    def told(
        self,
        when: Callable[..., Any] | None = None,
        *,
        own: Callable[..., Any] | None = None,
        value: Callable[..., int] | None = None,
    ) -> Thing:
        """Return a copy that is told to everybody only while ``when`` holds, and to its owner alone while ``own``
        holds.

        ``when`` and ``value`` take the position, and the index if the thing has several items.  ``own`` takes the
        position and the player; it is called for the only item, or for the player's own if each seat has one.  If a
        seat has several items (``each``), or the index is not a seat, ``own`` also takes the index, and is called for
        every index, including those of other seats.  With ``own`` but no ``when``, nobody else is ever told.

        >>> hand = amount(9, per=4, seats=True).told(own=lambda s, me: True)
        >>> hand.when is None, hand.own is None  # nobody but its owner is told
        (True, False)
        """
        return replace(self, when=when, own=own, value=value)


def one_of(
    size: int | Sequence[str], per: int = 1, seats: bool = False, names: Sequence[str] | None = None, each: int = 1
) -> Thing:
    """One of ``size`` values, from 0; if the values have names, give the names instead of the size.  ``each``: the
    number of items for each seat, such as four cards in a row; ``per`` counts those of all seats.

    >>> one_of(("none", "J", "Q"), per=2).size, one_of(3).names
    (3, None)
    >>> one_of(("none", "J", "Q"), per=4 * 2, seats=True, each=2).each  # two cards before each of four players
    2
    """
    if not isinstance(size, int):
        names, size = size, len(size)
    return Thing("one_of", size, per, seats, False, names, each)


def amount(most: int, per: int = 1, seats: bool = False, optional: bool = False, each: int = 1) -> Thing:
    """A number, 0 to ``most`` (the scale of the tensor; larger is allowed and reads above 1.0); ``each`` as in
    :func:`one_of`.

    >>> amount(20, per=4, seats=True).size  # an amount of 20 is 1.0 in a tensor
    20
    """
    return Thing("amount", most, per, seats, optional, each=each)


def seat(per: int = 1, seats: bool = False, each: int = 1) -> Thing:
    """A player; ``each`` as in :func:`one_of`.

    >>> seat().kind, seat().is_set
    ('seat', False)
    """
    return Thing("seat", 0, per, seats, each=each)


def seat_set(per: int = 1, seats: bool = False, optional: bool = False, each: int = 1) -> Thing:
    """A set of players, one bit a seat; ``optional`` if it is not always told; ``each`` as in :func:`one_of`.

    >>> seat_set(optional=True).is_set
    True
    """
    return Thing("seat_set", 0, per, seats, optional, each=each)


def cards(names: Sequence[str], per: int = 1, seats: bool = False, optional: bool = False, each: int = 1) -> Thing:
    """A set of cards (at most 63 kinds), one bit a card; ``optional`` if it is not always told; ``each`` as in
    :func:`one_of`.

    >>> cards(("J", "Q", "K"), per=2, seats=True).size
    3
    """
    return Thing("cards", len(names), per, seats, optional, names, each)


class ThingFunctions(NamedTuple):
    """The two functions that tell a position to players, generated from a table of things."""

    show: Callable[[AnyPosition, Watcher], None]
    """``show(s, to)``: what everybody can see."""
    show_own: Callable[[AnyPosition, int, Watcher], None]
    """``show_own(s, me, to)``: what only ``me`` knows."""


def by_thing(things: Mapping[str, Thing]) -> ThingFunctions:
    """``show`` and ``show_own`` as the things declare them (:meth:`Thing.told`).

    A thing without conditions is always told to everybody. Things with one entry a seat are told for each player of the
    game.

    >>> things = {"pile": amount(9), "hand": amount(9, per=4, seats=True).told(own=lambda s, me: s.pile < 5)}
    >>> show, show_own = by_thing(things)
    >>> class s: players, pile, hand = 2, 3, [7, 8]
    >>> heard = []; show(s, heard); show_own(s, 1, heard); heard
    [('pile', 0, 3), ('hand', 1, 8)]
    """
    show, own = Writer("show", "s, to", tell=tell), Writer("show_own", "s, me, to", tell=tell)
    single = {name: thing for name, thing in things.items() if thing.per == 1}
    several: dict[str, dict[str, Thing]] = {}
    for name, thing in things.items():
        if thing.per > 1:
            last = "s.players" if thing.seats and thing.each == 1 else f"{thing.each} * s.players"
            several.setdefault(last if thing.seats else str(thing.per), {})[name] = thing
    for name, thing in single.items():
        _tell(show, name, thing, thing.when, "", 1)
        if thing.own:
            _tell(own, name, thing, thing.own, "", 1)
    for last, those in several.items():
        if any(thing.when or not thing.own for thing in those.values()):
            show.line(f"for i in range({last}):")
        for name, thing in those.items():
            _tell(show, name, thing, thing.when, "i", 2)
            if thing.own and thing.seats and thing.each == 1:
                _tell(own, name, thing, thing.own, "me", 1)
            elif thing.own:
                own.line(f"for i in range({last}):")
                _tell(own, name, thing, thing.own, "i", 2)
    for writer in (show, own):
        writer.line("pass")
    return ThingFunctions(cast(Any, show.made()), cast(Any, own.made()))


def _tell(
    writer: Writer, name: str, thing: Thing, condition: Callable[..., Any] | None, index: str, depth: int
) -> None:
    """Write the line that tells a thing if its condition holds; without a condition or an owner it is told to
    everybody.
    """
    if condition is None and thing.own:
        return
    at = f", {index}" if index else ""
    value = f"{writer.call(thing.value)}(s{at})" if thing.value else f"s.{name}[{index}]" if index else f"s.{name}"
    if condition is not None:
        given = "s" + (", me" if writer.name == "show_own" else "") + (at if index != "me" else "")
        writer.line(f"if {writer.call(condition)}({given}):", depth)
        depth += 1
    writer.line(f"tell(to, {name!r}, {index or 0}, {value})", depth)


FRENCH_SUITS: Final = "CHSD"
FRENCH_RANKS: Final = "23456789TJQKA"


# ------------------------------------------------------------------------------------------ primitives
# engine/c/prelude.h has a function of the same name and meaning for each.


def count(members: int) -> int:
    """Return the number of members of a set.

    >>> count(0b1011)
    3
    """
    return members.bit_count()


def lowest(members: int) -> int:
    """Return the lowest member of a set, which must not be empty.

    >>> lowest(0b1010)
    1
    """
    return (members & -members).bit_length() - 1


def _in_order() -> bytes:
    """A table: at 8 times a set of numbers below 8 begin its members in order."""
    order = bytearray(256 * 8)
    for those in range(1, 256):
        rest = those & (those - 1)
        order[8 * those] = (those ^ rest).bit_length() - 1
        order[8 * those + 1 : 8 * those + 8] = order[8 * rest : 8 * rest + 7]
    return bytes(order)


_NTH: Final = _in_order()


def nth(members: int, k: int) -> int:
    """Return the ``k``-th member of a set, counting from 0.

    >>> nth(0b1011, 2)
    3
    """
    if members < 256:
        return _NTH[members << 3 | k]
    start = 0
    here = (members & 0xFFFFFFFF).bit_count()
    if k >= here:  # the member is in the upper half
        k -= here
        start = 32
        members >>= 32
    here = (members & 0xFFFF).bit_count()
    if k >= here:
        k -= here
        start += 16
        members >>= 16
    here = (members & 0xFF).bit_count()
    if k >= here:
        return start + 8 + _NTH[members >> 5 & 0x7F8 | (k - here)]
    return start + _NTH[(members & 0xFF) << 3 | k]


def members(those: int) -> Iterator[int]:
    """The members of a set, lowest first, for a loop: ``for p in members(s.live):``.

    >>> list(members(0b1011))
    [0, 1, 3]
    """
    while those:
        yield (those & -those).bit_length() - 1
        those &= those - 1


def list_members(those: int, first: int, acts: list[int]) -> int:
    """Write the action ``first`` + member for each member of a set; return how many there are.

    >>> acts = [0] * 3
    >>> list_members(0b1010, 52, acts), acts
    (2, [53, 55, 0])
    """
    n = 0
    for c in members(those):
        acts[n] = first + c
        n += 1
    return n


_MASK = 0xFFFFFFFFFFFFFFFF
_GOLD = 0x9E3779B97F4A7C15


def below(rng: list[int], n: int) -> int:
    """Return a random number 0 ≤ x < n from the generator ``rng``, a list of one 64-bit word (splitmix64: Steele, Lea &
    Flood 2014).  Only ``redeal`` may draw; rules never do.

    >>> rng = [7]
    >>> [below(rng, 6) for _ in range(5)]
    [2, 0, 5, 3, 2]
    """
    z = rng[0] = (rng[0] + _GOLD) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z >> 32 ^ z >> 63) * n) >> 32


def draw(rng: list[int], members: int) -> int:
    """Return a random member of a set, each equally likely.

    >>> rng = [7]
    >>> [draw(rng, 0b1011) for _ in range(5)]
    [1, 0, 3, 1, 1]
    """
    return nth(members, below(rng, count(members)))


class Tabled:
    """A function of one whole number that is replaced by a table; made by :func:`tabled`."""

    def __init__(self, rule: Callable[[int], int], size: int, kind: str) -> None:
        self.rule, self.size, self.kind = rule, size, Field(kind).kind
        self.__doc__ = rule.__doc__
        self.found = lru_cache(maxsize=1 << 16)(rule)

    def __call__(self, n: int) -> int:
        return self.found(n)


def tabled(size: int, kind: str = "i4") -> Callable[[Callable[[int], int]], Tabled]:
    """Mark a rule function of one number 0 ≤ n < ``size`` as cheaper to look up than to compute.

    The interpreted binding caches its results; the compiled one computes them all when the library is loaded, and
    stores them as numbers of this ``kind`` (as in :class:`Field`).  The result must depend only on ``n``.

    >>> @tabled(100)
    ... def triangle(n: int) -> int:
    ...     return sum(range(n + 1))
    >>> triangle(4)
    10
    """
    return lambda rule: Tabled(rule, size, kind)


def tell(to: Watcher, thing: str, index: int, value: int) -> None:
    """Tell the listener ``to`` that ``thing`` number ``index`` is ``value`` (a number, seat or set of cards, as the
    game's ``THINGS`` declare it).

    >>> heard = []
    >>> tell(heard, "pile", 0, 3); heard
    [('pile', 0, 3)]
    """
    to.append((thing, index, value))


def note(to: Listener, clause: str, event: str, who: int, a: int = 0, b: int = 0) -> None:
    """Announce to everybody what happens: the clause that causes it, the event (a key of the game's sentences), the
    player concerned (or ``EVERYBODY``) and up to two numbers that the sentence names.

    Clause and event are literals, or literals chosen by a condition: ``note(to, "DB-25" if mine else "DB-23", …)``.

    >>> heard = []
    >>> note(heard, "XX-4", "draws", 1, 12); heard
    [('XX-4', 'draws', -1, 1, 12, 0)]
    """
    if to is not None:
        to.append((clause, event, EVERYBODY, who, a, b))


def whisper(to: Listener, clause: str, event: str, who: int, a: int = 0, b: int = 0) -> None:
    """Announce to ``who`` alone what happens.

    >>> heard = []
    >>> whisper(heard, "XX-4", "draws", 1, 12); heard  # the third number is who hears it
    [('XX-4', 'draws', 1, 1, 12, 0)]
    """
    if to is not None:
        to.append((clause, event, who, who, a, b))
