"""What is wrong in an author's own functions, in one sentence: file, line, function, the line itself, and why."""

from __future__ import annotations

import inspect
import linecache
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType, FunctionType
from typing import Any, Protocol

from parlour.base.errors import ParlourError, placed, returned_wrongly
from parlour.rules.unrolled import authors_place
from parlour.rules.vocabulary import CHANCE, SEVERAL, Each, Position, Stage, lowest


class AuthorsFolder(Protocol):
    """What is asked of a game's folder here."""

    package: str

    @property
    def rules(self) -> Any:
        """Its functions."""

    @property
    def names(self) -> Any:
        """All names that they define."""

    @property
    def position(self) -> type[Position]:
        """The class of its positions."""


def mistake(error: Exception) -> str:
    """Return one sentence for an error while the files of a game are read."""
    if isinstance(error, SyntaxError):
        file, line, source = error.filename or "", error.lineno or 0, (error.text or "").strip()
    else:
        frames = [*traceback.walk_tb(error.__traceback__)]
        frame, line = next((one for one in reversed(frames) if _is_an_authors(one[0])), frames[-1])
        file = frame.f_code.co_filename
        source = linecache.getline(file, line, frame.f_globals)
    why = error.msg if isinstance(error, SyntaxError) else str(error)
    if not why or isinstance(error, KeyError):  # which says only for what it was asked
        why = f"{type(error).__name__}: {why}".removesuffix(": ")
    return _placed(file, line, source, why)


def _is_an_authors(frame: FrameType) -> bool:
    """Whether code of a game is run, and not a word of the vocabulary or of Python's own library."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.startswith("parlour.games.") or name.partition(".")[0] not in {"parlour", *sys.stdlib_module_names}


def _placed(file: str, line: int, source: str, why: str, function: str = "") -> str:
    if (own := authors_place(file, line)) != (file, line):
        file, line = own
        source = linecache.getline(file, line)
    end = "" if why.endswith(("?", ".")) else "."
    inside = f", in {function}" if function.isidentifier() else ""
    shown = f" ({source.strip()})" if source.strip() else ""
    return f"{placed(file)}, line {line}{inside}{shown}: {why}{end}"


def held(function: Callable[..., Any], value: Any, is_right: bool, meant: str) -> Any:
    """Return what an author's function has returned if that ``is_right``.  Raises ``ParlourError``, which says what is
    ``meant``, if not.

    >>> held(len, 3, True, "a whole number")
    3
    """
    if not is_right:
        raise returned_wrongly(function, meant, value)
    return value


def or_else(function: Callable[..., Any], plain: Callable[..., Any] | None, guards: bool) -> Callable[..., Any]:
    """Return an author's function, and, if this ``guards`` against it, the plain one in its place whenever it breaks
    off, with a warning that says where.

    >>> or_else(len, lambda text: 0, guards=False) is len
    True
    """

    def guarded(*given: Any) -> Any:
        try:
            return function(*given)
        except ParlourError:
            raise
        except Exception as error:  # whatever it does wrong: people play on
            warnings.warn(mistake(error), stacklevel=2)
            return plain(*given) if plain else None

    return guarded if guards and plain is not None and function is not plain else function


def slip_in(games: Sequence[AuthorsFolder], error: Exception) -> str:
    """Return one sentence for an error while the rules in these folders are played; empty if it is not theirs.

    >>> slip_in([], ZeroDivisionError())
    ''
    """

    def is_own(module: str | None) -> bool:
        return module is not None and any(f"{module}.".startswith(f"{game.package}.") for game in games)

    frames = [*traceback.walk_tb(error.__traceback__)]
    own = [
        (frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in frames
        if is_own(frame.f_globals.get("__name__"))
    ]
    if not own and frames:  # a call with the wrong arguments fails before the function has a frame
        frame, line = frames[-1]
        named = set(re.findall(r"\w+", linecache.getline(frame.f_code.co_filename, line)))
        called = [found for name, found in frame.f_globals.items() if name in named and inspect.isfunction(found)]
        own = [
            (one.__code__.co_filename, one.__code__.co_firstlineno, "")
            for one in called
            if is_own(one.__module__) and str(error).startswith(f"{one.__qualname__}() ")
        ]
    for frame, _ in frames[-1:]:  # machine code has no frames; what calls it says where it broke off
        code = frame.f_locals.get("self") if frame.f_code.co_name == "go_wrong" else None
        if code is not None and any(game is code.library.game for game in games):
            return str(error)
    if not own:
        for game in games:
            for s in _positions(game, (frame.f_locals.values() for frame, _ in reversed(frames))):
                if wrong := returned(game, s):
                    return wrong
    if not own:  # a missing field: the position's class is generated, so point at the author's class
        named = {type(getattr(error, "obj", None)).__name__}
        kinds = [game.position for game in games if game.position.__name__ in named]
        own = [(inspect.getfile(kind), inspect.getsourcelines(kind)[1], "") for kind in kinds]
    if not own:
        return ""
    why = next(traceback.TracebackException.from_exception(error).format_exception_only()).strip()
    file, line, function = own[-1]
    return _placed(file, line, linecache.getline(file, line), why, function)


def _positions(game: AuthorsFolder, frames: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """Yield the positions of a game among the values of some frames, and those that a state among them holds."""
    for values in frames:
        known = [one for value in values for one in (value, getattr(value, "position", None))]
        yield from [one for one in known if type(one).__name__ == game.position.__name__][:1]


# ------------------------------------------------------------------------------------------ what functions return

A_SET = "a whole number with one bit for each"
WANTED: dict[str, tuple[type, str]] = {
    "actor": (int, "who acts next, a whole number"),
    "acting": (int, f"the set of the players who have yet to choose, {A_SET}"),
    "chance": (int, f"the set of the outcomes, {A_SET}"),
    "those": (int, f"the set of what may be chosen, {A_SET}"),
    "legal": (int, "how many legal actions it has written into acts, a whole number"),
    "refuse": (str, "the name of a clause, a text"),
    "outcome_name": (str, "the name of an outcome, a text"),
    "weight": (int, "the weight of an outcome, a whole number"),
}
"""What functions of the rules return, and what an author is told of it."""
IN_STAGES = {"actor": ("asks",), "acting": ("several",), "legal": ("offers",), "refuse": ("refuses", "clause")}
"""The parts of a stage of which ``by_stage`` makes such a function."""
NEEDED = {CHANCE: ("happens",), SEVERAL: ("several", "offers", "does")}
"""The parts without which a stage that asks chance, or several players, leads nowhere."""
OF_A_TURN = ("offers", "does")
"""The parts without which a stage that asks one player leads nowhere."""

Asked = tuple[str, Callable[..., Any], tuple[Any, ...]]
"""What is asked of a function, the function, and what it is given."""


def returned(game: AuthorsFolder, s: Any) -> str:
    """Return one sentence for a function of the rules that returns something of the wrong kind at a position, or for a
    part that its stage lacks; empty if there is none, or if one breaks off."""
    try:
        if lacking := _lacking(game, s):
            return lacking
        for name, function, given in _asked(game, s.copy()):
            kind, meant = WANTED[name]
            value = function(*given)
            if not isinstance(value, kind):
                return str(returned_wrongly(function, meant, value))
    except Exception:  # which is reported where it is met
        return ""
    return ""


def _asked(game: AuthorsFolder, s: Any) -> Iterator[Asked]:
    """Yield the author's functions that decide what happens at a position."""
    rules = game.rules
    yield from _written(game, s, "actor", s)
    who = rules.actor(s)
    if who == CHANCE:
        yield from _written(game, s, "chance", s)
        for name in ("weight", "outcome_name"):
            yield from _written(game, s, name, s, lowest(rules.chance(s)))
    elif who == SEVERAL:
        yield from _written(game, s, "acting", s)
        who = lowest(rules.acting(s))
    if who >= 0:
        acts = [0] * len(rules.action_names(s))
        yield from _written(game, s, "legal", s, who, acts)
        legal = acts[: rules.legal(s, who, acts)]
        for a in [a for a in range(len(acts)) if a not in legal][:1]:
            yield from _written(game, s, "refuse", s, who, a)


def _lacking(game: AuthorsFolder, s: Any) -> str:
    """Return one sentence for a part without which the stage of a position leads nowhere; empty if it has them all."""
    who = game.rules.actor(s)
    for stage in _stages(game, s):
        asked = {CHANCE: "CHANCE", SEVERAL: "SEVERAL"}.get(who, "a player")
        for part in NEEDED.get(who, OF_A_TURN if who >= 0 else ()):
            if getattr(stage, part) is None:
                file = str(sys.modules[f"{game.package}.rules"].__file__)
                rows = [*enumerate(linecache.getlines(file), 1)]
                line, row = next(((n, row) for n, row in rows if "Stage(" in row and f'"{stage.name}"' in row), (1, ""))
                return _placed(file, line, row, f"stage {stage.name!r} asks {asked}, but has no `{part}`")
    return ""


def _stages(game: AuthorsFolder, s: Any) -> list[Stage]:
    """Return the row of the author's table of stages for a position, if the rules have such a table."""
    tables = [value for value in vars(game.names).values() if isinstance(value, tuple) and _are_stages(value)]
    return [table[s.stage] for table in tables[:1]]


def _written(game: AuthorsFolder, s: Any, name: str, *given: Any) -> Iterator[Asked]:
    """Yield what the author has written for a function: itself, or what stands in the stage of a position."""
    parts = [getattr(stage, part) for stage in _stages(game, s) for part in IN_STAGES.get(name, ())]
    for part in (getattr(game.rules, name), *parts):
        those = isinstance(part, Each)
        function = inspect.unwrap(part.those if isinstance(part, Each) else part) if callable(part) or those else None
        if isinstance(function, FunctionType) and f"{function.__module__}.".startswith(f"{game.package}."):
            yield ("those", function, given[:2]) if those else (name, function, given)


def _are_stages(value: tuple[Any, ...]) -> bool:
    return bool(value) and all(isinstance(one, Stage) for one in value)
