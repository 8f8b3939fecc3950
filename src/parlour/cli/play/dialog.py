"""A person's dialogue with a table at a terminal, line by line; subclasses say what kind of table it is."""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, TypeVar

from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import ENGLISH, and_list, current, marked, npgettext, word
from parlour.base.languages import gettext as _
from parlour.base.languages.games import rules_in_words
from parlour.cli.common.typed_input import (
    COMMANDS,
    OTHER_NAMES,
    Choices,
    called,
    is_command,
    meant,
    offer_completion,
    read_command,
    shown,
    typed_with_names,
    whole,
)
from parlour.cli.play.clauses import find_clauses, refused_as_typed, with_examples
from parlour.cli.play.record_files import Keeper, save
from parlour.cli.play.screen import Quit, Screen
from parlour.core.game import Game
from parlour.core.refusals import bounds_of, clauses_of
from parlour.engine.steps import Told
from parlour.engine.telling import View
from parlour.players.kind import Kind
from parlour.rules.vocabulary import EVERYBODY

T = TypeVar("T")

LOG = 15  # sentences that `log` shows
SAY_AFTER = 0.5  # seconds before a person is told that others are thinking
HINT = "0.5s"  # how long the strongest player thinks about a hint
FEW = 100  # imagined games; a player who leaves it at fewer had nothing to decide, and what they say means nothing
BOUNDS = 1  # how many rules `rules` shows about what you may not do now


def kind_in_words(kind: Kind) -> str:
    """Return what a kind of bot is called in the reader's language, with its setting as it is written.

    >>> from parlour.base.languages import speaking
    >>> with speaking("de"):
    ...     kind_in_words(Kind("search", "1s")), kind_in_words(Kind("pip"))
    ('Suche:1s', 'pip')
    """
    return str(replace(kind, name=word(kind.name)))


class Dialog(ABC):
    """A game with one person in seat ``me``; each kind of table defines the abstract methods below.

    ``names``: the players' names on the screen, by seat. ``commands``: what may be typed, apart from choices.
    """

    commands: Mapping[str, str] = COMMANDS

    def __init__(self, game: Game, me: int, names: Sequence[str], screen: Screen, keeper: Keeper) -> None:
        self.game, self.me, self.names = game, me, names
        self.screen, self.keeper = screen, keeper
        self._told = 0  # how many sentences have been said
        self._news = True  # whether more has been told than that the person has done what they chose

    # ------------------------------------------------------------------ what a table is

    @property
    @abstractmethod
    def view(self) -> View:
        """What the person sees."""

    @property
    @abstractmethod
    def legal(self) -> list[int]:
        """The actions that the person may choose now; empty if it is not their turn."""

    @property
    @abstractmethod
    def events(self) -> list[Told]:
        """What the person has been told so far."""

    @property
    @abstractmethod
    def player_names(self) -> Sequence[str]:
        """The players' names in sentences and records."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game is over."""

    @property
    @abstractmethod
    def returns(self) -> list[float]:
        """What each player has won or lost, once the game is over."""

    @property
    @abstractmethod
    def moment(self) -> object:
        """A value that stays equal as long as the person faces the same question."""

    @property
    @abstractmethod
    def is_in_turn(self) -> bool:
        """Whether the person was the last to act."""

    @abstractmethod
    def wait(self) -> None:
        """Let the others play until the person is told or asked something."""

    @abstractmethod
    def act(self, choice: int | str) -> None:
        """Carry out the person's choice: an action, or what :meth:`meaning` made of a line."""

    @abstractmethod
    def meaning(self, line: str) -> int | str:
        """Return what a line of several actions chooses. Raises ``ParlourError`` if they are not possible."""

    @abstractmethod
    def refusal(self, action: int) -> IllegalAction | None:
        """Return why the person may not take an action now; ``None`` if they may."""

    @abstractmethod
    def undo(self) -> str:
        """Take back the person's last action, and return a sentence that says so. Raises ``ParlourError`` if that is
        not possible."""

    @abstractmethod
    def record(self) -> str:
        """Return the record so far, as far as the person may see it."""

    @abstractmethod
    def meanwhile(self) -> None:
        """Announce what has happened outside the game."""

    # ------------------------------------------------------------------ the course of the game

    def welcome(self, opponents: Sequence[str]) -> None:
        """Announce the game and the opponents."""
        game, screen = self.game, self.screen
        screen.title(game.definition.title)
        screen.say(game.definition.gist)
        usual = game.definition.options
        if changed := {name: value for name, value in game.options.items() if value != str(usual[name].default)}:
            screen.say(_("House rules: {rules}.", rules=rules_in_words(changed, game.definition)))
        screen.aside(_("You are playing against {names}.", names=and_list(opponents)))
        screen.aside("Type a number or a name. Type ? for the rules that matter now, help for the other commands.")

    def play(self) -> None:
        """Play to the end, or until the person quits (:class:`Quit`, ``KeyboardInterrupt``)."""
        while True:
            self.tell()
            if self.is_over:
                break
            if self.legal:
                chosen = self._decide()
                if chosen is not None:
                    self.act(chosen)
            else:
                self.wait()
        self._finish()

    def keep(self, record: str) -> None:
        """Save the record as it is now."""
        before = self.keeper.trouble
        self.keeper.keep(record)
        if self.keeper.trouble and self.keeper.trouble != before:
            self.screen.aside(self.keeper.trouble)

    def say_where(self, text: str) -> None:
        """Say where the record is, in a sentence that ends in its path."""
        keeper, screen = self.keeper, self.screen
        if keeper.path is None:
            screen.say("There is no record of this game, since it can't be saved.")
        elif keeper.is_behind:
            screen.path("Your last moves can't be saved; what came before is in", keeper.path)
        else:
            screen.path(text, keeper.path)

    def patiently(self, work: Callable[[], T], text: str) -> T:
        """Run slow work in a thread, so that Ctrl-C still works."""
        done = begun(work)
        try:
            result, error = done.get(timeout=SAY_AFTER)
        except queue.Empty:
            with self.screen.waiting(text):
                result, error = done.get()
        if error is not None:
            raise error
        return result  # type: ignore[return-value]

    # ------------------------------------------------------------------ telling

    def sentence(self, told: Told) -> str:
        """Return the sentence of an event, addressed to the person."""
        text = self.game.definition.sentences.told(told.event, told.who, told.a, told.b, self.player_names, self.me)
        return text[:1].upper() + text[1:]

    def _quoted(self, action: str) -> str:
        """Return an action as it is typed, in quotes."""
        return repr(typed_with_names(self.game, action, self.names))

    def _refused(self, why: ParlourError) -> str:
        """Return why something was refused, with actions as they are typed."""
        return refused_as_typed(Choices(self.game, self.legal, self.names), str(why))

    def tell(self) -> None:
        """Say what has happened since the last call."""
        events = self.events
        self._news |= len(events) > self._told + 1 or any(told.who != self.me for told in events[self._told :])
        about, run = EVERYBODY, 0  # the player whom the sentences are about, and how many there have been
        for told in events[self._told :]:
            if told.who not in (EVERYBODY, about):
                if run > 2:
                    self.screen.gap()
                about, run = told.who, 0
            run += 1
            self.screen.say(self.sentence(told), told.clause)
            self.screen.pause()
        self._told = len(events)

    def table(self) -> None:
        """Show the table as it is now."""
        legal = [self.game.action_names[a] for a in self.legal]
        self.screen.gap()
        self.screen.table(self.view, self.names, legal)

    def _finish(self) -> None:
        self.table()
        returns = self.returns
        best = [p for p in range(self.game.players) if returns[p] == max(returns)]
        if len(best) == self.game.players:
            ending = _("Nobody wins")
        elif best == [self.me] and self.names[self.me] == _("You"):
            ending = _("You win")
        else:
            who = and_list([self.names[p] for p in best])
            ending = npgettext("names", "{who} wins", "{who} win", len(best), who=who)
        self.screen.title(ending)
        lines = self.screen.drawing.result(self.view, returns, self.names)
        self.screen.say("\n".join(lines[p] for p in sorted(range(len(lines)), key=lambda p: -returns[p])))

    # ------------------------------------------------------------------ asking

    def _decide(self) -> int | str | None:
        """Return what the person chooses; ``None`` if the question has changed since."""
        if self._news or self.screen.draws:
            self.table()
        self._news = False
        moment, legal = self.moment, self.legal
        choices = Choices(self.game, legal, self.names)
        self._show_choices(choices)
        if self.screen.interactive:
            self._adviser  # noqa: B018
            offer_completion(
                [*(c.name for c in choices.all), *map(called, self.commands)],
                [*choices.in_english, *self.commands, *OTHER_NAMES],
            )
        while True:
            self.meanwhile()
            if self.moment != moment:
                return None
            line = self.screen.ask().strip()
            self.screen.follow()
            self.meanwhile()
            if self.moment != moment and not is_command(line, self.commands):
                self.screen.say("The game has moved on since, so your choice was not used.")
                return None
            if line:
                chosen = self._understand(line, choices)
                if chosen is not None:
                    return chosen
            elif len(legal) == 1:
                return legal[0]
            else:
                self._show_choices(choices)

    def _understand(self, line: str, choices: Choices) -> int | str | None:
        """Return what a line chooses; if it chooses nothing, answer it."""
        try:
            meant = self._read(line, choices)
            if not isinstance(meant, tuple):
                return meant
            self._command(*meant, choices)
        except ParlourError as mistake:
            self.screen.say(self._refused(mistake))
        return None

    def _show_choices(self, choices: Choices) -> None:
        view = self.view
        names = self.game.action_names
        self.screen.gap()
        captions = {a: self.screen.drawing.caption(names[a], view, self.names) for a in choices.legal}
        self.screen.choices(choices, choices.described(captions))
        if len(choices.all) == 1:
            self.screen.aside("You have only one choice: press Enter to take it.")

    def _read(self, line: str, choices: Choices) -> int | str | tuple[str, str] | None:
        """Return the action, the line of actions or the command that was typed. If it is none of these, answer it."""
        found = choices.find(line)
        may = [a for a in ([found] if isinstance(found, int) else found) if a in choices.legal]
        if is_command(line, self.commands) and not choices.is_name(line):
            return read_command(line, self.commands)
        if isinstance(found, int) and may:
            return found
        if may:
            raise ParlourError(_("{line} could be {choices}.", line=shown(line), choices=choices.said(may)))
        try:
            command = read_command(line, self.commands)
        except ParlourError:
            if found == []:
                raise
            command = None
        if command is not None:
            return command
        if found != []:
            self._why([found[0] if isinstance(found, list) else found])
            return None
        if choices.begins(line):
            try:
                return self.meaning(choices.named(line))
            except ParlourError as mistake:
                raise choices.reworded(mistake) from None
        if choices.legal:
            offer = choices.said(choices.legal)
            said = _(
                "{line} is neither a choice nor a command. You can choose {choices}; help lists the commands.",
                line=shown(line), choices=offer,
            )  # fmt: skip
        else:
            said = _("{line} is neither a choice nor a command. Help lists the commands.", line=shown(line))
        self.screen.say(said)
        return None

    # ------------------------------------------------------------------ commands

    def _command(self, command: str, rest: str, choices: Choices) -> None:
        if command == "?" or (command == "rules" and rest):
            self._rules_that_matter(rest, choices)
        elif command == "why":
            self._explain(rest, choices)
        elif command == "hint":
            self._hint()
        elif command == "table":
            self.table()
            self._show_choices(choices)
        elif command == "log":
            self._log(rest)
        elif command == "undo":
            self.screen.say(self.undo())
        elif command == "save":
            record = self.record()
            if rest:
                self.screen.path("The record is in", save(self.keeper.text(record), rest))
            else:
                self.keep(record)
                self.say_where("The record is in")
        elif command == "rules":
            from parlour.cli.play.rules import show_book

            show_book(self.game.definition, plain=not self.screen.draws)
        elif command == "help":
            self.screen.say(
                _(
                    "Type the number of a choice, its name or the start of its name. "
                    "You may type several names if every choice is yours. Enter skips the pauses."
                )
            )
            self.screen.commands(with_examples(self.commands, choices, self.events))
        else:
            raise Quit

    def _rules_that_matter(self, wanted: str, choices: Choices) -> None:
        if wanted:
            for clause in find_clauses(self.game.definition.book, wanted):
                self.screen.rule(self.game.told_clause(clause.id))
            return
        view = self.view
        kinds: dict[tuple[str, ...], list[int]] = {}
        for a in choices.legal:
            kinds.setdefault(tuple(clauses_of(self.game, a, view)[:2]), []).append(a)
        shown = set()
        if self.events and (self.is_in_turn or not choices.legal):  # what has just happened matters
            just_now = self.events[-1].clause
            self.screen.rule(self.game.told_clause(just_now))
            shown.add(just_now)
        for clauses, actions in kinds.items():
            about = choices.said(actions)
            for cited in clauses:
                if cited not in shown:
                    self.screen.rule(self.game.told_clause(cited), about)
                    shown.add(cited)
                    about = ""
        for cited in [one for one in bounds_of(self.game, choices.legal, view) if one not in shown][:BOUNDS]:
            self.screen.rule(self.game.told_clause(cited))
            shown.add(cited)
        if choices.legal and not shown:  # a sealed choice, of which nothing is heard yet
            cited = self.game.definition.rules.refuse(view.imagined(0), view.player, choices.legal[0])
            self.screen.rule(self.game.told_clause(cited), choices.said(choices.legal))

    def _explain(self, rest: str, choices: Choices) -> None:
        found = choices.find(rest)
        if found == []:
            first = self.game.definition.sentences.as_typed(self.game.action_names[0])
            example = choices.all[0].name if choices.all else first
            if rest:
                raise ParlourError(
                    "{rest} is not an action of this game; for example: why {example}.",
                    rest=shown(rest),
                    example=example,
                )
            raise ParlourError("Say which action; for example: why {example}.", example=example)
        self._why(found if isinstance(found, list) else [found])

    def _why(self, actions: Sequence[int]) -> None:
        """Say what forbids these actions, or what they do; only once for actions that are forbidden or explained
        alike."""
        said = set()
        for a in actions:
            refusal = self.refusal(a)
            reason = refusal.clause if isinstance(refusal, IllegalAction) else self._effect(a)
            if reason in said:
                continue
            said.add(reason)
            if refusal is not None:
                self.screen.say(self._refused(refusal), refusal.clause)
            else:
                self.screen.say(
                    _("{action} is allowed: {why}", action=self._quoted(self.game.action_names[a]), why=reason)
                )

    def _effect(self, action: int) -> str:
        verb = self.game.action_names[action].split()[0]
        about = str(self.game.definition.worded.get("actions", {}).get(verb) or _("it is one of your choices."))
        cited = clauses_of(self.game, action, self.view)[:2]
        return f"{about} ({', '.join(cited)})" if cited else about

    @cached_property
    def _adviser(self) -> Any:
        """The bot that gives hints."""
        from parlour.players.kinds import make, strongest

        return make(Kind(strongest(self.game), HINT), self.game)

    def _hint(self) -> None:
        view, legal = self.view, self.legal
        if not legal:
            raise ParlourError("It isn't your turn.")
        advice = self.patiently(lambda: self._adviser.advise(view, legal), "Looking for a hint.")
        if current() == ENGLISH and max(advice.visits.values(), default=FEW) >= FEW:
            name = self.game.action_names[advice.action]
            after = advice.reason.removeprefix(name)
            typed = typed_with_names(self.game, name, self.names) if after != advice.reason else ""
            self.screen.say(marked("Try {reason}.", reason=typed + self.game.definition.sentences.from_one(after)))
        else:
            self.screen.say(_("Try {action}.", action=self._quoted(self.game.action_names[advice.action])))
        if len(legal) > 1 and (why := self._reason(self.game.action_names[advice.action], view)):
            self.screen.say(why)

    def _reason(self, action: str, view: View) -> str:
        """Return in a sentence what speaks for an action; empty if nothing does, or if it cannot be worked out here."""
        reason = partial(copy_context().run, self.screen.drawing.reason, action, view, self.names)
        try:
            return self.patiently(reason, "Looking for a hint.")
        except ParlourError:
            return ""

    def _log(self, rest: str) -> None:
        events = self.events
        many = len(events) if meant(rest) == "all" else whole(rest or str(LOG))
        if many is None:
            raise ParlourError("log takes a number or 'all', not {rest}.", rest=shown(rest))
        if not events:
            self.screen.say("Nothing has happened yet.")
        for told in events[max(0, len(events) - many) :]:
            self.screen.say(self.sentence(told), told.clause)


def begun(work: Callable[[], T]) -> queue.Queue[tuple[T | None, BaseException | None]]:
    """Start work in a thread of its own; return the queue that its result will be in."""
    done: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue()

    def run() -> None:
        try:
            done.put((work(), None))
        except BaseException as error:
            done.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    return done
