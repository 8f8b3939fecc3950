"""What a game's folder defines, and what the engine does without it; long because it lists all that a game may define.

Four modules of the folder hold them: ``rules`` (the rules) and, where those would be too long, ``hidden`` (what
follows from what a player knows) and ``advice`` (which actions are worth considering); ``heuristic`` is a player by
rule of thumb.  They contain plain functions; the classes below only describe their form, so that a type checker can
check a game against them::

    class Contract(Rules, Chance, Hidden, Protocol): ...

    checked: Contract = my_game.rules

Functions marked with :func:`compiled` are compiled as well as interpreted, so they use only whole numbers, fields of
the position, loops and ifs.  ``s`` is a position; ``me`` a player, ``p`` any player, 0 … players - 1; ``a`` the number
of an action, ``k`` of an outcome of chance; ``to`` a listener, or ``None``; sets of players are whole numbers, one bit
a seat.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol, TypeVar

from parlour.rules.vocabulary import CHANCE, DEAL_OVER, AnyPosition, Listener, Stage, Thing, Watcher

__all__ = [
    "CONSTANTS",
    "Advised",
    "Chance",
    "Derived",
    "Hidden",
    "Hushed",
    "Imagined",
    "Options",
    "Outcomes",
    "Reduced",
    "Rules",
    "Sealed",
    "Sensible",
    "Several",
    "Silence",
    "Tickets",
    "Weights",
]

MODULES = ("rules", "hidden", "advice", "heuristic")
"""The modules of a game's folder in which the functions of the contract are looked up."""


BEGIN, END = "<!-- contract -->", "<!-- end of contract -->"
"""The marks around the contract's table on a page."""


_COMPILED = set[Any]()
_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Mark a function that is compiled as well as interpreted."""
    _COMPILED.add(function)
    return function


class Rules(Protocol):
    """What every game defines.

    >>> import parlour
    >>> from parlour.games.kuhn import rules
    >>> s = parlour.load("kuhn").new(seed=1).position
    >>> acts = [0] * 2
    >>> rules.actor(s), rules.legal(s, 0, acts), [rules.action_names(s)[a] for a in acts]
    (0, 2, ['pass', 'bet'])
    >>> rules.refuse(s, 1, 0)  # it is not the turn of player 1
    'KU-6'
    """

    @property
    def PLAYERS(self) -> range:
        """The numbers of players that the game allows: ``range(2, 5)``, or ``range(2, 5, 2)`` for two or four."""
        ...

    @property
    def VERSION(self) -> int:
        """The version of the rules; a record names it."""
        ...

    @property
    def THINGS(self) -> Mapping[str, Thing]:
        """What players can be told, by name."""
        ...

    def begin(self, s: AnyPosition, to: Listener, /) -> None:
        """Bring a blank position, in which ``players`` and the options are set, into its starting state, and note what
        happens. Draw and whisper nothing.
        """

    @compiled
    def actor(self, s: AnyPosition, /) -> int:
        """Return who acts next: a player, ``CHANCE``, ``SEVERAL``, ``DEAL_OVER`` or ``TERMINAL``."""
        ...

    @compiled
    def legal(self, s: AnyPosition, me: int, acts: list[int], /) -> int:
        """Write the legal actions of ``me``, in rising order, into the list ``acts``; return how many there are."""
        ...

    @compiled
    def apply(self, s: AnyPosition, me: int, a: int, to: Listener, /) -> None:
        """Carry out an action of ``me``, which is legal; tell ``to`` what happens."""

    @compiled
    def returns(self, s: AnyPosition, out: list[float], /) -> None:
        """Write what each player has won or lost into ``out``, in the game's own unit (coins, counters, points): finite
        numbers, whose sum need not be zero."""

    @compiled
    def show(self, s: AnyPosition, to: Watcher, /) -> None:
        """Tell what everybody can see."""

    @compiled
    def show_own(self, s: AnyPosition, me: int, to: Watcher, /) -> None:
        """Tell what only ``me`` knows."""

    def action_names(self, s: AnyPosition, /) -> list[str]:
        """Return the names of all actions under the options of ``s``; their number is the number of actions."""
        ...

    def refuse(self, s: AnyPosition, me: int, a: int, /) -> str:
        """Return the clause that forbids an action to ``me`` now; never empty.  For an amount out of range it is called
        with the nearest amount, even if that is legal.
        """
        ...


class Options(Protocol):
    """A game some of whose options do not go together, or not with every number of players.

    >>> import parlour
    >>> parlour.load("newmarket", stakes="saratoga", stake_max=9)
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: stake_max=9 is for stakes=spread; in Saratoga no total is named (PJ-97).
    """

    def refuse_options(self, s: AnyPosition, /) -> str:
        """Return the sentence, with its clause, that explains why these options do not go together; empty if they
        do.
        """
        ...


class Chance(Protocol):
    """A game in which chance takes part (``actor`` may return ``CHANCE``).

    >>> import parlour
    >>> from parlour.games.kuhn import rules
    >>> s = parlour.load("kuhn").new().position
    >>> bin(rules.chance(s))  # any of three cards
    '0b111'
    >>> rules.happen(s, 2, None); bin(rules.chance(s))
    '0b11'
    """

    @compiled
    def chance(self, s: AnyPosition, /) -> int:
        """Return the set of outcomes that chance may bring: numbers from 0 to 62, one bit each."""
        ...

    @compiled
    def happen(self, s: AnyPosition, k: int, to: Listener, /) -> None:
        """Carry out an outcome of chance; tell ``to`` what happens."""


class Outcomes(Protocol):
    """A game in which outcomes of chance are not only cards of ``CARDS``.

    >>> import parlour
    >>> parlour.load("dividha").new().name_of(0)
    'seat 0'
    """

    def outcome_name(self, s: AnyPosition, k: int, /) -> str:
        """Return the name of an outcome of chance in this position.  If there is none: the card of that number."""
        ...


class Weights(Protocol):
    """A game whose outcomes of chance are not always equally likely.

    >>> import parlour
    >>> state = parlour.load("diamondback", 3).new()
    >>> while len({chance for _, chance in state.chance_outcomes()}) == 1:
    ...     state.apply(state.chance_outcomes()[0][0])
    >>> sorted({str(chance) for _, chance in state.chance_outcomes()})  # some weigh more
    ['1/29', '10/29', '4/29', '6/29', '8/29']
    """

    @compiled
    def weight(self, s: AnyPosition, k: int, /) -> int:
        """Return the weight of an outcome of chance, above 0."""
        ...


class Tickets(Protocol):
    """For speed, in addition to ``weight``: a draw without a walk over the outcomes.

    >>> import parlour
    >>> rules = (game := parlour.load("diabolo", 3)).definition.rules
    >>> s = game.new().position
    >>> rules.tickets(s) == sum(rules.weight(s, k) for k in range(63) if rules.chance(s) >> k & 1)
    True
    """

    @compiled
    def tickets(self, s: AnyPosition, /) -> int:
        """Return the sum of all weights."""
        ...

    @compiled
    def ticket(self, s: AnyPosition, n: int, /) -> int:
        """Return the outcome that holds ticket ``n``, where each outcome, in rising order, holds as many tickets as its
        weight."""
        ...


class Sealed(Protocol):
    """A game in which several players choose at once (``actor`` may return ``SEVERAL``).

    >>> import parlour
    >>> state = parlour.load("matrimony", 3, stake_visibility="secret").new(seed=1)
    >>> state.apply(state.legal_actions()[0])  # the dealer names what everybody stakes
    >>> state.current_player == parlour.SEVERAL, state.acting
    (True, (0, 1, 2))
    """

    @compiled
    def acting(self, s: AnyPosition, /) -> int:
        """Return the set of players who have yet to choose at this sealed decision."""
        ...


class Hushed(Protocol):
    """A game that sometimes keeps secret whether anybody is asked.

    >>> import parlour
    >>> state = parlour.load("commit", 3).new(seed=1)
    >>> state.apply(state.legal_actions()[0]); state.hushed  # does anybody play the comet?
    True
    """

    def hushed(self, s: AnyPosition, /) -> bool:
        """Return whether somebody may be asked a hushed question now, so that a table always takes the same time."""
        ...


class Silence(Protocol):
    """A game whose book says what silence means, in answer to a hushed question or to any other.

    >>> import parlour
    >>> parlour.load("kuhn").new(seed=1).silence(0) is None  # Kuhn poker's book says nothing of it
    True
    """

    def silence(self, s: AnyPosition, me: int, /) -> int:
        """Return the action that counts if ``me`` says nothing, or an illegal one, such as -1, if silence has no
        meaning here. A guest who is away says nothing.
        """
        ...


class Several(Protocol):
    """A match of several deals (``actor`` may return ``DEAL_OVER``).

    >>> import parlour
    >>> state = parlour.load("commit", deals=2).new(seed=1)
    >>> while not state.deals:
    ...     state.apply(state.legal_actions()[0])
    >>> state.deals[0].returns
    (0.0, 0.0)
    """

    @compiled
    def next_deal(self, s: AnyPosition, to: Listener, /) -> None:
        """Begin the next deal of the match; draw nothing."""

    @compiled
    def deal_returns(self, s: AnyPosition, out: list[float], /) -> None:
        """Write into ``out``, in the game's own unit, what each player won or lost in the deal just settled (also at
        the end of the match).  By default: ``returns``.
        """


class Hidden(Protocol):
    """A game in which players do not know everything.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=5)
    >>> {state.redeal(0, seed=seed).position.hand[1] for seed in range(20)} > {state.position.hand[1]}
    True
    """

    @compiled
    def redeal(self, s: AnyPosition, me: int, rng: list[int], /) -> None:
        """Fill in at random what ``me`` cannot know, with the probabilities that ``me`` must assume."""


class Derived(Protocol):
    """A game with fields that are computed from others.

    >>> import parlour
    >>> from parlour.engine.telling import restored
    >>> state = parlour.load("diamonds").new(seed=1)
    >>> restored(state.view(0)).face == state.position.face  # players are told tops and heights
    True
    """

    @compiled
    def restore(self, s: AnyPosition, me: int, /) -> None:
        """Recompute the fields that follow from what ``me`` was told, after those have been put back."""


class Advised(Protocol):
    """A game that says which actions are worth searching.

    >>> import parlour
    >>> parlour.load("diamonds").definition.has("candidates"), parlour.load("kuhn").definition.has("candidates")
    (True, False)
    """

    @compiled
    def candidates(self, s: AnyPosition, me: int, acts: list[int], /) -> int:
        """Write the actions worth searching, as ``legal`` does.  By default: ``legal``."""
        ...


class Imagined(Protocol):
    """A game that says how a sensible player might go on.

    >>> import parlour
    >>> [name for name in parlour.game_names() if parlour.load(name).definition.has("likely")][:2]
    ['commit', 'diabolo']
    """

    @compiled
    def likely(self, s: AnyPosition, me: int, acts: list[int], /) -> int:
        """Write what a sensible player might do, as ``legal`` does; search plays its simulated games with these. By
        default: ``legal``.
        """
        ...


class Reduced(Protocol):
    """A game that says which actions a solution can do without.

    >>> import parlour
    >>> parlour.load("diamondback").definition.has("enough")
    True
    """

    @compiled
    def enough(self, s: AnyPosition, me: int, acts: list[int], /) -> int:
        """Write actions that are enough, as ``legal`` does: if two play and have these alone, a deal has the same
        value, and ``parlour solve --reduced`` finds it.  By default: ``legal``.
        """
        ...


class Sensible(Protocol):
    """A game with a player by rule of thumb.

    >>> import parlour
    >>> from parlour import players
    >>> ["rule-of-thumb" in players.kinds(parlour.load(name)) for name in ("diamonds", "kuhn")]
    [True, False]
    """

    @compiled
    def appraise(
        self,
        s: AnyPosition,
        me: int,
        acts: list[int],
        n: int,
        worth: list[float],
        notes: list[float],
        rng: list[int],
        /,
    ) -> None:
        """Write into ``worth``, in any unit, what each of the first ``n`` actions in ``acts``, which are legal, is
        worth to ``me``: the rule of thumb plays the best, choosing at random among equals.  ``s`` holds what ``me``
        was told, and 0 everywhere else; ``notes`` is working space for 1,024 numbers, in any unit, after those of
        ``prepared.py``;
        ``rng`` is for ``below``.
        """


class Defaults:
    """The defaults of the functions that a game need not define."""

    @staticmethod
    def refuse_options(s: AnyPosition) -> str:
        return ""

    @staticmethod
    def chance(s: AnyPosition) -> int:
        return 0

    @staticmethod
    def happen(s: AnyPosition, k: int, to: Listener) -> None:
        pass

    @staticmethod
    def weight(s: AnyPosition, k: int) -> int:
        return 1

    @staticmethod
    def tickets(s: AnyPosition) -> int:
        return 1

    @staticmethod
    def ticket(s: AnyPosition, n: int) -> int:
        return n

    @staticmethod
    def acting(s: AnyPosition) -> int:
        return 0

    @staticmethod
    def hushed(s: AnyPosition) -> bool:
        return False

    @staticmethod
    def silence(s: AnyPosition, me: int) -> int:
        return -1

    @staticmethod
    def next_deal(s: AnyPosition, to: Listener) -> None:
        pass

    @staticmethod
    def redeal(s: AnyPosition, me: int, rng: list[int]) -> None:
        pass

    @staticmethod
    def restore(s: AnyPosition, me: int) -> None:
        pass

    @staticmethod
    def appraise(
        s: AnyPosition, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
    ) -> None:
        for k in range(n):
            worth[k] = 0.0


OPTIONAL = (
    *(Options, Chance, Outcomes, Weights, Tickets, Sealed, Hushed, Silence),
    *(Several, Hidden, Derived, Advised, Imagined, Reduced, Sensible),
)
IN_PLACE_OF: Mapping[str, str] = {
    "deal_returns": "returns",
    "candidates": "legal",
    "likely": "legal",
    "enough": "legal",
}
"""For each function that a game need not define, another of its functions that can stand in for it."""
CONSTANTS = {
    **{"PLAYERS": None, "VERSION": None, "THINGS": None, "SINCE": {}, "BREAKS": {}},
    **{"CARDS": (), "HIDES_NOTHING": False, "HIDES_WHEN": "", "FOR_THE_MATCH": False, "IMAGINED_BY_THUMB": False},
}
"""Constants, and their values in games that do not define them.  ``SINCE``: for each version of the rules under which
games of the version before can still be played on, the options that it added, each with the value that plays as before.
``BREAKS``: for such a version, the house rules, written like ``when`` of an option, under which they cannot.
``CARDS``: names of cards, for sentences and outcomes.
``HIDES_NOTHING``: every player sees everything there is (the audit checks it).  ``HIDES_WHEN``: the house rules,
written like ``when`` of an option, beside which a player may know or choose something in secret; empty: all.
``FOR_THE_MATCH``: a match has a fixed number of deals, and players choose how much a deal is played for; so the best
player asks what wins the match, not what brings most in the deal.  ``IMAGINED_BY_THUMB``: in the games that the best
player imagines, everybody plays on by rule of thumb, even where somebody has learned the game."""


class ContractFunction(NamedTuple):
    """One function of the contract.  ``default`` is used in a game without it; it is ``None`` if every game defines it,
    or if another function of the game stands in for it (:data:`IN_PLACE_OF`).  ``is_compiled``: whether it is compiled
    as well as interpreted.
    """

    name: str
    parameters: tuple[str, ...]
    about: str
    group: type
    default: FunctionType | None
    is_compiled: bool

    @property
    def is_required(self) -> bool:
        """Whether every game must define it."""
        return self.group is Rules


@cache
def entries() -> dict[str, ContractFunction]:
    """The functions of the contract, by name.

    >>> weight = entries()["weight"]
    >>> weight.parameters, weight.is_required, weight.is_compiled, weight.default(None, 3)
    (('s', 'k'), False, True, 1)
    """
    found = {}
    for group in (Rules, *OPTIONAL):
        for name, value in vars(group).items():
            if isinstance(value, FunctionType) and not name.startswith("_"):
                _, *parameters = inspect.signature(value).parameters
                default = getattr(Defaults, name, None)
                found[name] = ContractFunction(
                    name, tuple(parameters), inspect.getdoc(value) or "", group, default, value in _COMPILED
                )
    return found


def compiled_names() -> list[str]:
    """Return the compiled functions, those that every game defines first."""
    return [name for name, entry in entries().items() if entry.is_compiled]


def missing(modules: Sequence[ModuleType]) -> list[str]:
    """Return what every game must define and these modules lack."""
    names = [name for name, entry in entries().items() if entry.is_required]
    names += [name for name, value in CONSTANTS.items() if value is None]
    return [name for name in names if not any(hasattr(module, name) for module in modules)]


def unanswered(modules: Sequence[ModuleType]) -> list[str]:
    """Return the functions that these modules lack although a row of their table of stages asks for them."""
    tables = [table for module in modules for table in vars(module).values() if isinstance(table, tuple | list)]
    asked = [stage.asks for table in tables for stage in table if isinstance(stage, Stage)]
    needed = {CHANCE: "chance", DEAL_OVER: "next_deal"}
    return [name for who, name in needed.items() if who in asked and not any(hasattr(one, name) for one in modules)]


def misspelt(modules: Sequence[ModuleType]) -> Iterator[tuple[ModuleType, str, str]]:
    """Return functions whose names are close to that of an optional one which the game lacks: module, name, and the
    name that may be meant.
    """
    defined = {name for module in modules for name in vars(module)}
    absent = [name for name in entries() if name not in defined]
    for module in modules:
        yield from ((module, name, meant) for name, meant in near(module, absent))


def near(module: ModuleType, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return the functions of a module whose names are close to one that is ``wanted`` and lacking, with that one."""
    absent = [name for name in wanted if name not in vars(module)]
    for name, value in vars(module).items():
        own = isinstance(value, FunctionType) and value.__module__ == module.__name__ and name[0] != "_"
        if own and (meant := difflib.get_close_matches(name, absent, 1, 0.8)):
            yield name, meant[0]


def rivals(modules: Sequence[ModuleType]) -> Iterator[tuple[str, list[str]]]:
    """Return the names of the contract that several modules define, each in its own way, with the names of the
    modules.
    """
    for name in (*entries(), *CONSTANTS):
        meant = {id(vars(module)[name]): module.__name__ for module in reversed(modules) if name in vars(module)}
        if len(meant) > 1:
            yield name, sorted(meant.values())


def table() -> str:
    """Return the contract as a table in Markdown, for ``docs/adding_a_game.md``."""
    lines = ["| name | when | compiled | what it does |", "|---|---|---|---|"]
    for entry in entries().values():
        about = (entry.group.__doc__ or "").partition("\n\n")[0]  # leave out the example
        when = "always" if entry.is_required else _sentence(about).removesuffix(".")
        does = _sentence(entry.about)
        called = f"{entry.name}({', '.join(entry.parameters)})"
        lines.append(f"| `{called}` | {when} | {'yes' * entry.is_compiled} | {does} |".replace("``", "`"))
    return "\n".join(lines)


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())


def write_table(file: Path) -> None:
    """Write the table into a page, between its marks."""
    before, _, rest = file.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    file.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", "utf-8")
