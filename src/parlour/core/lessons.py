"""Lessons: a game's first deal, prepared step by step, with stops for explanations (``docs/lessons.md``).

A lesson is played by the rules like any game, but its outcomes of chance and all its moves are fixed beforehand.  Each
stop explains something, points at something on the table, and may ask for one move.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from parlour.base.disk import installed_toml
from parlour.base.errors import ParlourError, unknown
from parlour.base.languages import marked
from parlour.core.game import Game, State, load
from parlour.engine.definition import definition, games
from parlour.engine.steps import Told
from parlour.rules.vocabulary import CHANCE

FILE: Final = "lesson.toml"
"""The file of a game's folder that holds its lesson."""
WORDS: Final = 200
"""Words that a person reads in a minute."""
MOVE: Final = 4.0
"""Seconds that a person takes to find and press the button for a stop, *Next* included."""
SHOWN: Final = 2.0
"""Seconds for which a page shows another player's move."""

_NAMED = re.compile(r"\{(\d+)\}")
_LINE = re.compile(r"(chance|\d+):\s*(.+)")
_KEYS: Final = frozenset(("say", "now", "point", "try", "refused", "do", "then"))


class LessonStop(NamedTuple):
    """One stop of a lesson: the game waits until the learner goes on.

    ``at``: the number of steps of the game before it; ``say``: the explanation; ``now``: what to do, in a few words;
    ``point``: the things on the table to point at; ``wrong``: a forbidden move to try, perhaps out of turn, with the
    clause that forbids it (``refused``); ``do``: the move that leads on; without one, the learner only reads.
    """

    at: int
    say: str
    now: str
    point: tuple[str, ...]
    wrong: str
    refused: str
    do: str


class Lesson(NamedTuple):
    """A lesson: a game with its house rules, the learner's seat, the aim of the game, every step (the player, and the
    name of the action or outcome), and the stops."""

    game: Game
    seat: int
    aim: str
    script: tuple[tuple[int, str], ...]
    stops: tuple[LessonStop, ...]

    def opening(self) -> State:
        """Return the game at the first stop."""
        state = self.game.new()
        for who, name in self.script[: self.stops[0].at]:
            state.apply(name, None if who == CHANCE else who)
        return state

    def has_led_to(self, state: State) -> bool:
        """Whether a game has taken the steps of the lesson so far."""
        done = state.history
        return len(done) <= len(self.script) and all(
            (step.player, step.name) == said for step, said in zip(done, self.script, strict=False)
        )

    def stop_at(self, steps: int, read: int) -> int:
        """Return the index of the stop at which the lesson is after this many steps; ``read``: the number of stops
        already read. -1: the game does not wait for the learner.

        >>> first = lesson("diamonds")
        >>> first.stop_at(first.stops[0].at, 0), first.stop_at(first.stops[0].at + 1, 0)
        (0, -1)
        """
        passed = max(read, sum(stop.at < steps for stop in self.stops))
        return passed if passed < len(self.stops) and self.stops[passed].at == steps else -1

    def next_step(self, steps: int) -> tuple[int, str] | None:
        """Return the step that comes after this many steps; ``None`` at the end."""
        return self.script[steps] if steps < len(self.script) else None

    def told(self) -> list[list[Told]]:
        """Return for each stop the events that the learner is told between it and the next.

        >>> [event.event for event in lesson("diamonds").told()[1]][:2]
        ['digs', 'turns']
        """
        state = self.opening()
        ends = [stop.at for stop in self.stops[1:]] + [len(self.script)]
        found = []
        for start, end in zip([stop.at for stop in self.stops], ends, strict=True):
            first = len(state.events(self.seat))
            for who, name in self.script[start:end]:
                state.apply(name, None if who == CHANCE else who)
            found.append(state.events(self.seat)[first:])
        return found

    @property
    def seconds(self) -> float:
        """Return the length of the lesson in seconds: reading, pressing, and watching the others' moves."""
        words = sum(len(f"{stop.say} {stop.now}".split()) for stop in self.stops)
        pressed = sum(1 + bool(stop.wrong) for stop in self.stops)
        others = sum(who not in (CHANCE, self.seat) for who, _ in self.script[self.stops[0].at :])
        return words * 60 / WORDS + pressed * MOVE + others * SHOWN

    @property
    def minutes(self) -> int:
        """How long a lesson takes, in minutes, rounded up."""
        return -int(-self.seconds // 60)


def for_now(stop: LessonStop, go_on: str = "press Next") -> str:
    """Return the reply to a move that is legal but not the one that the lesson asks for; ``go_on``: the words that say
    how to go on from a stop without a move.

    >>> for_now(lesson("diamonds").stops[0])
    'For now, read on: press Next.'
    >>> for_now(lesson("diamonds").stops[1])
    'For now: Dig in pile 5, in the middle. Later you choose for yourself.'
    """
    if not stop.do and not stop.wrong:
        return marked("For now, read on: {go_on}.", go_on=marked(go_on))
    return marked("For now: {what} Later you choose for yourself.", what=marked(stop.now or "Do what the lesson asks."))


@cache
def lesson(game: str) -> Lesson | None:
    """Return the lesson of a game; ``None`` if it has none.  Raises ``ParlourError``, which names the stop, if its file
    cannot be used.

    >>> len(lesson("kuhn").stops)
    7
    """
    package = definition(game).package
    if not resources.files(package).joinpath(FILE).is_file():
        return None
    said = installed_toml(package, FILE)
    try:
        return read_lesson(game, said)
    except ParlourError as wrong:
        raise ParlourError("{package}/{file}: {wrong}", package=package, file=FILE, wrong=wrong) from None


@cache
def usable(game: str) -> Lesson | None:
    """The same, but ``None`` for a lesson whose file cannot be used; a warning says why, once, and people play on."""
    try:
        return lesson(game)
    except ParlourError as wrong:
        warnings.warn(str(wrong), stacklevel=2)
        return None


def has_lesson(game: str) -> bool:
    """Whether a game has a lesson that can be used.

    >>> has_lesson("diamonds")
    True
    """
    return usable(game) is not None


def with_lessons() -> list[str]:
    """Return the ids of the games that have a lesson.

    >>> "diamonds" in with_lessons()
    True
    """
    return [game for game in games() if has_lesson(game)]


def read_lesson(game: str, said: Mapping[str, Any]) -> Lesson:
    """Return the lesson that a file's contents describe.  Raises ``ParlourError``, which names the stop, if they do not
    fit the game."""
    table = load(game, said.get("players"), **said.get("options", {}))
    seat, stops = int(said.get("seat", 0)), list(said.get("stop", ()))
    if not 0 <= seat < table.players:
        raise _no_seat(seat, table.players)
    if not stops or not said.get("aim"):
        raise ParlourError("a lesson has an aim and at least one stop.")
    _see_whom_it_names(said["aim"], table.players)
    state, found = table.new(), list[LessonStop]()
    _play(state, str(said.get("deal", "")), "deal")
    for number, one in enumerate(stops, 1):
        try:
            found.append(_stop(state, seat, one))
        except ParlourError as wrong:
            raise ParlourError("stop {number}: {wrong}", number=number, wrong=wrong) from None
        _play(state, str(one.get("then", "")), f"stop {number}")
    script = tuple((step.player, step.name) for step in state.history)
    return Lesson(table, seat, str(said["aim"]), script, tuple(found))


def _no_seat(seat: int, players: int) -> ParlourError:
    return ParlourError("there is no seat {seat}; seats run from 0 to {last}.", seat=seat, last=players - 1)


def _see_whom_it_names(text: object, players: int) -> None:
    """Raise ``ParlourError`` if a text names a player (:func:`spoken`) that the table does not have."""
    for seat in map(int, _NAMED.findall(str(text))):
        if seat >= players:
            raise _no_seat(seat, players)


def _stop(state: State, seat: int, one: Mapping[str, Any]) -> LessonStop:
    """Read a stop, and make its move."""
    if strange := one.keys() - _KEYS:
        raise ParlourError(
            "{strange!r} is not a key of a stop; choose from: {keys}.",
            strange=min(strange),
            keys=", ".join(sorted(_KEYS)),
        )
    for text in ("say", "now"):
        _see_whom_it_names(one.get(text, ""), state.game.players)
    wrong, refused, do = str(one.get("try", "")), str(one.get("refused", "")), str(one.get("do", ""))
    if do and seat not in state.acting:
        raise ParlourError("it is not for seat {seat} to act here.", seat=seat)
    if wrong:
        refusal = state.refusal(wrong, seat)
        if refusal is None or refusal.clause != refused:
            by = f"forbidden by {refusal.clause}" if refusal is not None else "allowed"
            raise ParlourError(
                "{wrong!r} is {by}; a move to try is forbidden by the clause in 'refused'.", wrong=wrong, by=by
            )
    at, point = len(state.history), one.get("point", ())
    if do:
        if len(actions := state.sequence(do, seat)) > 1:
            raise ParlourError("{do!r} is several moves; a stop asks for one, the others go under 'then'.", do=do)
        do = state.game.action_names[actions[0]]
        state.apply(do, seat)
    points = (point,) if isinstance(point, str) else tuple(map(str, point))
    game = state.game
    known = {"card": game.definition.rules.CARDS, "move": game.action_names, "player": [*map(str, range(game.players))]}
    for kind, _, name in (one.partition(" ") for one in points):
        if name not in known.get(kind, [name]):
            raise unknown(kind, name, known[kind])
    return LessonStop(at, _line(one.get("say", "")), _line(one.get("now", "")), points, wrong, refused, do)


def _line(text: object) -> str:
    """A text on one line."""
    return " ".join(str(text).split())


def _play(state: State, text: str, where: str) -> None:
    """Carry out lines of a lesson: ``chance: OUTCOME, OUTCOME …`` and ``SEAT: ACTION``."""
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        found = _LINE.fullmatch(line)
        if line and found is None:
            raise ParlourError(
                "{where}: {number!r} is neither 'chance: …' nor 'SEAT: ACTION'.", where=where, number=line[:60]
            )
        if found is not None:
            try:
                _do(state, found[1], found[2])
            except ParlourError as wrong:
                raise ParlourError("{where}: {number!r}: {wrong}", where=where, number=line[:60], wrong=wrong) from None


def _do(state: State, who: str, what: str) -> None:
    if who != "chance":
        if not state.acting:
            raise ParlourError("nobody chooses here.")
        state.apply(what, int(who))
        return
    for outcome in what.split(","):
        if state.current_player != CHANCE:
            raise ParlourError("chance does not decide here, so {outcome!r} is too much.", outcome=outcome.strip())
        state.apply(outcome.strip())


def spoken(text: str, names: Sequence[str]) -> str:
    """Return a text of a lesson with the players' names in it: ``{1}`` stands for the player in seat 1.  One without
    names keeps its parts (:class:`~parlour.base.languages.Message`).

    >>> spoken("{1} has no spade.", ["You", "Ben"])
    'Ben has no spade.'
    """
    return _NAMED.sub(lambda found: names[int(found[1])], text) if _NAMED.search(text) else text


def places(stop: LessonStop) -> Sequence[tuple[str, str]]:
    """Return the things at which a stop points, each as kind and name.

    >>> places(LessonStop(0, "", "", ("card S4", "pool Pair"), "", "", ""))
    [('card', 'S4'), ('pool', 'Pair')]
    """
    return [(kind, name) for kind, _, name in (one.partition(" ") for one in stop.point)]


__all__ = [
    "FILE",
    "Lesson",
    "LessonStop",
    "for_now",
    "has_lesson",
    "lesson",
    "places",
    "read_lesson",
    "spoken",
    "usable",
    "with_lessons",
]
