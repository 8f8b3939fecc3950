"""``parlour learn``: a game's lesson at the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from parlour.base.errors import ParlourError
from parlour.base.languages import and_list, either, in_book, marked, translated
from parlour.base.languages import gettext as _
from parlour.cli.common.completing import named_games
from parlour.cli.common.options import Language, known, speak
from parlour.cli.common.typed_input import Choices, is_command
from parlour.cli.play.games import asked_game
from parlour.cli.play.local_table import Sitting
from parlour.cli.play.play import GUEST, NAMES
from parlour.cli.play.record_files import Keeper
from parlour.cli.play.screen import Quit, Screen, open_screen
from parlour.core.drawing import Drawing
from parlour.core.lessons import Lesson, LessonStop, for_now, lesson, spoken, with_lessons
from parlour.engine.definition import definition
from parlour.rules.vocabulary import CHANCE


def learn(
    game: Annotated[
        str | None, typer.Argument(callback=known, autocompletion=named_games, help="A game: diamonds, matrimony …")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Write plain lines, without drawing or colour.")] = False,
    pace: Annotated[float | None, typer.Option(help="Seconds to pause after each sentence; 0 for none.")] = None,
    language: Language = None,
) -> None:
    """Learn a game in a few minutes: play a first deal, with somebody who explains."""
    speak(language)
    if pace is not None and not 0 <= pace <= 60:
        raise ParlourError("--pace must be between 0 and 60 seconds, not {pace:g}.", pace=pace)
    if game is None:
        names = with_lessons()
        nobody = ParlourError("Say which game: parlour learn GAME, with one of {games}.", games=either(names))
        game = asked_game(names, nobody)
    if whole := definition(game).of:
        raise ParlourError("{game} is for study and has no lesson: parlour learn {whole}", game=game, whole=whole.id)
    taught = lesson(game)
    if taught is None:
        raise ParlourError(
            "There is no lesson of {name}; `parlour rules {game}` shows its rules."
            " These games have one: {with_lessons}.",
            name=definition(game).name,
            game=game,
            with_lessons=", ".join(with_lessons()),
        )
    screen = open_screen(Drawing(taught.game.definition), plain, pace)
    learning = LessonAtTable(taught, screen)
    try:
        learning.welcome([name for p, name in enumerate(learning.names) if p != taught.seat])
        learning.play()
    except Quit:
        screen.gap()
    screen.aside(_("Play a game with: {command}", command=f"parlour play {game}"))


PRESS_ENTER: Final = marked("press Enter")
"""How to go on in a lesson at the terminal."""


class LessonAtTable(Sitting):
    """A lesson: everything is known beforehand, and each stop asks for one move or none."""

    def __init__(self, taught: Lesson, screen: Screen) -> None:
        state, others = taught.opening(), iter(NAMES)
        called = [GUEST if p == taught.seat else next(others) for p in range(taught.game.players)]
        state.call_players(called)
        names = [_("You") if p == taught.seat else name for p, name in enumerate(called)]
        super().__init__(state, taught.seat, {}, names, screen, Keeper(taught.game.id, "a lesson", None))
        self._taught, self._stop = taught, taught.stops[0]

    def welcome(self, opponents: Sequence[str]) -> None:
        """Announce the game, and its aim."""
        self.screen.title(_("Learn {game}", game=self.game.definition.title))
        self.screen.say(f"{_('The aim:')} {in_book(self._taught.aim)}")
        self.screen.aside(_("You are playing against {names}.", names=and_list(opponents)))
        self.screen.aside(_("help lists the commands, quit ends the lesson."))

    def play(self) -> None:
        """Go from stop to stop, to the last."""
        stops = self._taught.stops
        for number, self._stop in enumerate(stops, 1):
            if self._play_on() or number == 1:
                self.table()
            self.screen.gap()
            self.screen.aside(_("Step {n} of {of}", n=number, of=len(stops)))
            for text in filter(None, (self._stop.say, self._stop.now)):
                self.screen.say(spoken(in_book(text), self.names))
            if number < len(stops):
                self._ask(self._stop)

    def _play_on(self) -> bool:
        """Play what the lesson says, up to the stop. Return whether anything has happened since the last stop."""
        told = self._told
        while (done := len(self.state.history)) < self._stop.at:
            who, name = self._taught.script[done]
            self.state.apply(name, None if who == CHANCE else who)
        self.tell()
        return self._told > told

    def _ask(self, stop: LessonStop) -> None:
        """Ask until the person does what the stop asks for."""
        choices = Choices(self.game, self.legal, self.names)
        if stop.do:
            self._show_choices(choices)
        while True:
            line = self.screen.ask(self._prompt(stop)).strip()
            self.screen.follow()
            if line and not (stop.do or stop.wrong or is_command(line)):
                self._answer()
                continue
            chosen = self._understand(line, choices) if line else self.legal[0] if len(self.legal) == 1 else None
            self._coming.clear()
            if not line and not stop.do:
                return
            if chosen is not None and self.game.find_action(chosen) == self._wanted:
                self.state.apply(stop.do, self.me)
                return
            if chosen is not None or not line:
                self._answer()

    def _as_listed(self, action: str) -> str:
        """Return how a choice is typed; with its number before it if it names a card, which has a sign that no keyboard
        has."""
        typed = self.game.definition.sentences.as_typed(action)
        if self.screen.written(typed) == typed:
            return typed
        choices = Choices(self.game, self.legal, self.names).all
        return next((f"{one.number} ({typed})" for one in choices if one.name == typed), typed)

    def _prompt(self, stop: LessonStop) -> str:
        """Return the prompt, which says what leads on."""
        if stop.do:
            return _("Type {choice}: ", choice=self._as_listed(stop.do))
        if stop.wrong:
            tried = self.game.definition.sentences.as_typed(stop.wrong)
            return _("Type {choice} to try it, or press Enter to read on: ", choice=tried)
        return _("Press Enter to read on: ")

    @property
    def _wanted(self) -> int:
        """The move that the stop asks for; -1 if it asks for none."""
        return self.game.find_action(self._stop.do) if self._stop.do else -1

    def undo(self) -> str:
        raise ParlourError("For now, go on: in a lesson nothing has to be taken back.")

    def _hint(self) -> None:
        self._answer()

    def _answer(self) -> None:
        """Say what can be done now, instead of carrying out what was typed."""
        self.screen.say(spoken(translated(for_now(self._stop, PRESS_ENTER)), self.names))


__all__ = ["learn"]
