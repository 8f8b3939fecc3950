"""One person's game at the terminal, line by line."""

from __future__ import annotations

import queue
import secrets
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from parlour.cli.clauses import find_clauses
from parlour.cli.keeping import Keeper, save
from parlour.cli.reading import COMMANDS, OTHER_NAMES, Choices, is_command, read_command
from parlour.cli.screen import Screen
from parlour.cli.table import clauses_of
from parlour.engine.mixing import seed_word
from parlour.errors import IllegalAction, ParlourError
from parlour.game import State, Told
from parlour.players import Player
from parlour.vocabulary import CHANCE, EVERYBODY

T = TypeVar("T")

LOG = 15  # sentences that `log` shows
PATIENCE = 0.5  # seconds before a person is told that others are thinking
HINT = "search:0.5s"


class Quit(Exception):
    """The person has had enough."""


class Sitting:
    """A game in progress with one person in seat ``me`` and players of the house in the others.

    ``names``: what the players are called on the screen, by seat.
    """

    def __init__(
        self, state: State, me: int, bots: dict[int, Player], names: Sequence[str], screen: Screen, keeper: Keeper
    ) -> None:
        self.state, self.me, self.bots, self.names = state, me, bots, names
        self.game = state.game
        self.screen, self.keeper = screen, keeper
        self._told = max(0, len(state.events(me)) - LOG) if state.history else 0
        self._news = True  # something has been told that is not about the person alone
        self._coming: list[int] = []  # what the person has said he will do next, in the same line
        self._rng = [seed_word(secrets.randbits(64))]  # for a record that leaves chance to us

    # ------------------------------------------------------------------ the course of the game

    def play(self) -> None:
        """To the end, or until the person quits (:class:`Quit`, ``EOFError``, ``KeyboardInterrupt``)."""
        while True:
            self.tell()
            if self.state.is_terminal:
                break
            if self.state.current_player == CHANCE:
                self.state.apply(self.state.draw_outcome(self._rng))
            else:
                self._step()
        self._finish()

    def _step(self) -> None:
        """Whoever is to act chooses, each from his own view; where several choose at once, nothing happens until all
        have."""
        acting = self.state.acting
        chosen: dict[int, int] = {}
        if self.me in acting:
            mine = self._decide()
            if mine is None:
                return
            chosen[self.me] = mine
        for p in acting:
            if p != self.me:
                view, legal = self.state.view(p), self.state.legal_actions(p)
                chosen[p] = self._patiently(partial(self.bots[p].choose, view, legal), "The others are thinking.")
        for p in sorted(chosen):
            self.state.apply(chosen[p], p)
        self._keep()

    def _keep(self) -> None:
        before = self.keeper.trouble
        self.keeper.keep(self.state)
        if self.keeper.trouble and self.keeper.trouble != before:
            self.screen.aside(self.keeper.trouble)

    def _patiently(self, work: Callable[[], T], text: str) -> T:
        """Do something that may take its time, in a thread: Ctrl-C is heard meanwhile."""
        done: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue()

        def run() -> None:
            try:
                done.put((work(), None))
            except BaseException as error:
                done.put((None, error))

        threading.Thread(target=run, daemon=True).start()
        try:
            result, error = done.get(timeout=PATIENCE)
        except queue.Empty:
            with self.screen.waiting(text):
                result, error = done.get()
        if error is not None:
            raise error
        return result  # type: ignore[return-value]

    # ------------------------------------------------------------------ telling

    def sentence(self, told: Told) -> str:
        """An event, addressed to the person."""
        text = self.game.definition.sentence(told.event, told.who, told.a, told.b, self.state.player_names, self.me)
        return text[:1].upper() + text[1:]

    def tell(self) -> None:
        """What has happened since this was last said."""
        events = self.state.events(self.me)
        about, run = EVERYBODY, 0  # who the sentences are about, and how many there have been
        for told in events[self._told :]:
            self._news |= told.who != self.me
            if told.who not in (EVERYBODY, about):
                if run > 2:
                    self.screen.gap()
                about, run = told.who, 0
            run += 1
            self.screen.say(self.sentence(told), told.clause)
            self.screen.pause()
        self._told = len(events)

    def table(self) -> None:
        """The table as it is now."""
        legal = [self.game.action_names[a] for a in self.state.legal_actions(self.me)]
        self.screen.gap()
        self.screen.table(self.state.view(self.me), self.names, legal)

    def _finish(self) -> None:
        self.table()
        returns = self.state.returns()
        best = [p for p in range(self.game.players) if returns[p] == max(returns)]
        if len(best) == self.game.players:
            ending = "Nobody wins"
        elif best == [self.me]:
            ending = f"{self.names[self.me]} win" if self.names[self.me] == "You" else f"{self.names[self.me]} wins"
        else:
            ending = f"{' and '.join(self.names[p] for p in best)} win{'s' if len(best) == 1 else ''}"
        self.screen.title(ending)
        for line in self.screen.drawing.result(self.state.view(self.me), returns, self.names):
            self.screen.say(line)

    # ------------------------------------------------------------------ asking

    def _decide(self) -> int | None:
        """The person's action; ``None`` if he has taken something back instead."""
        if self._coming:
            return self._coming.pop(0)
        if self._news or self.screen.draws:
            self.table()
        self._news = False
        view, legal = self.state.view(self.me), self.state.legal_actions(self.me)
        choices = Choices(self.game, legal, self.names)
        self._show_choices(choices)
        if self.screen.interactive:
            self._adviser  # noqa: B018
            _offer_completion([*(c.name for c in choices.all), *COMMANDS, *OTHER_NAMES])
        before = self.state
        while True:
            line = self.screen.ask().strip()
            self.screen.follow()
            if not line:
                if len(legal) == 1:
                    return legal[0]
                self._show_choices(choices)
                continue
            try:
                meant = self._read(line, choices)
                if isinstance(meant, int):
                    return meant
                if meant is not None:
                    self._command(*meant, choices)
            except ParlourError as mistake:
                self.screen.say(str(mistake))
            if self.state is not before or view != self.state.view(self.me):
                return None

    def _show_choices(self, choices: Choices) -> None:
        view = self.state.view(self.me)
        names = self.game.action_names
        self.screen.gap()
        self.screen.choices(
            choices, {a: self.screen.drawing.caption(names[a], view, self.names) for a in choices.legal}
        )
        if len(choices.all) == 1:
            self.screen.aside("There is no other choice: Enter will do.")

    def _read(self, line: str, choices: Choices) -> int | tuple[str, str] | None:
        """An allowed action, a command, or a sentence about what was typed (then ``None``)."""
        found = choices.find(line)
        may = [a for a in ([found] if isinstance(found, int) else found) if a in choices.legal]
        if is_command(line) and line.casefold() not in self.game.action_names:
            return read_command(line)
        if isinstance(found, int) and may:
            return found
        if may:
            raise ParlourError(f"{line!r} could be {choices.said(may)}.")
        try:
            command = read_command(line)
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
            first, *self._coming = self.state.sequence(line, self.me)
            return first
        open_now = choices.said(choices.legal)
        self.screen.say(f"{line!r} is no choice and no command. You can choose {open_now}; help lists the commands.")
        return None

    # ------------------------------------------------------------------ commands

    def _command(self, command: str, rest: str, choices: Choices) -> None:
        if command == "?":
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
            self._undo()
        elif command == "save":
            text = self.keeper.text(self.state)
            if not rest:
                self._keep()
            where = save(text, rest) if rest else self.keeper.path
            if where is not None:
                self.screen.path("The record is in", where)
        elif command == "rules":
            from parlour.cli.rules import show_book

            show_book(self.game.definition, plain=not self.screen.draws)
        elif command == "help":
            self.screen.say(
                "Type the number of a choice, its name or the beginning of it; several names, if all are yours to do."
            )
            self.screen.commands(COMMANDS)
        else:
            raise Quit

    def _rules_that_matter(self, wanted: str, choices: Choices) -> None:
        book = self.game.definition.book
        if wanted:
            for clause in find_clauses(book, wanted):
                self.screen.rule(clause)
            return
        view = self.state.view(self.me)
        kinds: dict[tuple[str, ...], list[int]] = {}
        for a in choices.legal:
            kinds.setdefault(tuple(clauses_of(self.game, a, view)[:2]), []).append(a)
        shown = set()
        players = [step.player for step in self.state.history if step.player != CHANCE]
        if players and players[-1] == self.me:  # in the middle of a turn: what has just happened is what matters
            just_now = self.state.events(self.me)[-1].clause
            self.screen.rule(book[just_now])
            shown.add(just_now)
        for clauses, actions in kinds.items():
            about = choices.said(actions)
            for cited in clauses:
                if cited not in shown:
                    self.screen.rule(book[cited], about)
                    shown.add(cited)
                    about = ""

    def _explain(self, rest: str, choices: Choices) -> None:
        found = choices.find(rest)
        if found == []:
            what = f"{rest!r} is no action of this game" if rest else "Say which action"
            raise ParlourError(f"{what}; for example: why {choices.all[0].name}.")
        self._why(found if isinstance(found, list) else [found])

    def _why(self, actions: Sequence[int]) -> None:
        """What forbids these actions, or what they do; once for all that are forbidden or explained alike."""
        said = set()
        for a in actions:
            refusal = self.state.refusal(a, self.me)
            reason = refusal.clause if isinstance(refusal, IllegalAction) else self._effect(a)
            if reason in said:
                continue
            said.add(reason)
            if refusal is not None:
                self.screen.say(str(refusal), refusal.clause)
            else:
                self.screen.say(f"{self.game.action_names[a]!r} is allowed: {reason}")

    def _effect(self, action: int) -> str:
        verb = self.game.action_names[action].split()[0]
        about = str(self.game.definition.words.get("actions", {}).get(verb, "it is one of your choices."))
        cited = clauses_of(self.game, action, self.state.view(self.me))[:2]
        return f"{about} ({', '.join(cited)})" if cited else about

    @cached_property
    def _adviser(self) -> Any:
        """The player who gives hints; once made, he gets ready in the background."""
        from parlour.players import make

        return make(HINT, self.game, seed=0, background=True)

    def _hint(self) -> None:
        view, legal = self.state.view(self.me), self.state.legal_actions(self.me)
        advice = self._patiently(lambda: self._adviser.advise(view, legal), "The adviser is thinking.")
        self.screen.say(f"The search player's advice is {advice.reason}.")

    def _log(self, rest: str) -> None:
        events = self.state.events(self.me)
        if rest and rest != "all" and not rest.isdecimal():
            raise ParlourError(f"log takes a number or 'all', not {rest!r}.")
        if not events:
            self.screen.say("Nothing has happened yet.")
        many = len(events) if rest == "all" else int(rest or LOG)
        for told in events[max(0, len(events) - many) :]:
            self.screen.say(self.sentence(told), told.clause)

    def _undo(self) -> None:
        """Take back everything since, and with, the person's own last step; nothing if some of it cannot be."""
        trial = self.state.clone()
        while True:
            step = trial.undo()
            if step.player == self.me:
                break
            if not self.game.definition.hides_nothing:
                raise ParlourError(f"{self.names[step.player]} has chosen since, and that tells something.")
        self.state = trial
        self._told = len(trial.events(self.me))
        self._news = True
        self._keep()
        self.screen.say(f"{step.name!r} is taken back.")


def _offer_completion(words: Sequence[str]) -> None:
    """Tab completes these words, where the platform has it."""
    try:
        import readline
    except ImportError:
        return

    def complete(text: str, n: int) -> str | None:
        fitting = [w for w in words if w.startswith(text.casefold())]
        return fitting[n] if n < len(fitting) else None

    readline.set_completer_delims("")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
