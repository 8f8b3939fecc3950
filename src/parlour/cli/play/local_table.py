"""A game on this machine: one person, and bots in the other seats."""

from __future__ import annotations

import queue
import secrets
import time
from collections.abc import Sequence
from functools import partial

from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import gettext as _
from parlour.cli.play.dialog import LOG, Dialog, begun
from parlour.cli.play.record_files import Keeper
from parlour.cli.play.screen import Screen
from parlour.core import taking_back
from parlour.core.game import State
from parlour.engine.hashing import seed_word
from parlour.engine.steps import Told
from parlour.engine.telling import View
from parlour.players import Player
from parlour.players.kind import Kind
from parlour.rules.vocabulary import CHANCE

__all__ = ["Sitting"]

BEAT = 1.0  # seconds that a hushed question takes, on top of what a bot may take to think


class Sitting(Dialog):
    """A game in progress with one person in seat ``me`` and bots in the others.

    ``names``: the players' names on the screen, by seat.
    """

    def __init__(
        self, state: State, me: int, bots: dict[int, Player], names: Sequence[str], screen: Screen, keeper: Keeper
    ) -> None:
        super().__init__(state.game, me, names, screen, keeper)
        self.state, self.bots = state, bots
        self._told = max(0, len(state.events(me)) - LOG) if state.history else 0
        self._coming: list[int] = []  # what the person has said, in the same line, that they will do next
        self._has_hushed = state.game.definition.may_hush(state.game.options)
        # chance waits for the table, so that the game never goes on by itself
        drawn_from = state.leave_chance() if self._has_hushed else None
        self._rng = drawn_from or [seed_word(secrets.randbits(64))]

    # ------------------------------------------------------------------ what the table is

    @property
    def view(self) -> View:
        return self.state.view(self.me)

    @property
    def legal(self) -> list[int]:
        return self.state.legal_actions(self.me)

    @property
    def events(self) -> list[Told]:
        return self.state.events(self.me)

    @property
    def player_names(self) -> Sequence[str]:
        return self.state.player_names

    @property
    def is_over(self) -> bool:
        return self.state.is_terminal

    @property
    def returns(self) -> list[float]:
        return self.state.returns()

    @property
    def moment(self) -> object:
        return self.state, self.view

    @property
    def is_in_turn(self) -> bool:
        players = [step.player for step in self.state.history if step.player != CHANCE]
        return bool(players) and players[-1] == self.me

    def refusal(self, action: int) -> IllegalAction | None:
        return self.state.refusal(action, self.me)

    def record(self) -> str:
        return self.state.record()

    # ------------------------------------------------------------------ what happens

    def _decide(self) -> int | str | None:
        return self._coming.pop(0) if self._coming else super()._decide()

    def meaning(self, line: str) -> int | str:
        first, *self._coming = self.state.sequence(line, self.me)
        return first

    def meanwhile(self) -> None:
        """Do nothing: nothing happens here but the game."""

    def wait(self) -> None:
        if self.state.hushed and self.screen.pace > 0:
            self._hushed_step()
        elif self.state.current_player == CHANCE:
            self._let_chance_decide()
        else:
            self._step({})

    def _let_chance_decide(self) -> None:
        self.state.apply(self.state.draw_outcome(self._rng))
        while self._has_hushed and self.state.current_player == CHANCE and not self.state.hushed:
            self.state.apply(self.state.draw_outcome(self._rng))

    def act(self, choice: int | str) -> None:
        self._step({self.me: self.game.find_action(choice)})

    def _step(self, chosen: dict[int, int]) -> None:
        """Let everybody who must act choose, each from their own view. Where several choose at once, nothing happens
        until all have chosen."""
        for p in self.state.acting:
            if p != self.me:
                view, legal = self.state.view(p), self.state.legal_actions(p)
                chosen[p] = self.patiently(partial(self.bots[p].choose, view, legal), "The others are thinking.")
        for p in sorted(chosen):
            self.state.apply(chosen[p], p)
        self.keep(self.record())

    def _hushed_step(self) -> None:
        """Take the same time over a hushed question, whether it asks a bot or nobody. A bot that takes longer has given
        no answer."""
        asked = self.state.acting
        thinking = {
            p: begun(partial(self.bots[p].choose, self.state.view(p), self.state.legal_actions(p))) for p in asked
        }
        time.sleep(BEAT + max((_seconds(bot) for bot in self.bots.values()), default=0.0))
        if not asked:
            self._let_chance_decide()
        for p, answer in thinking.items():
            try:
                chosen, error = answer.get_nowait()
            except queue.Empty:
                chosen, error = None, None
            if error is not None:
                raise error
            meant = self.state.silence(p) if chosen is None else chosen
            assert meant is not None  # the rules say what silence means wherever they hush a question
            self.state.apply(meant, p)
        self.keep(self.record())

    def undo(self) -> str:
        """Take back the person's last step and everything since, as in a match of practice: only bots play with them.
        The record shows it, unless chance has decided since: that is decided again."""
        steps = [n for n, step in enumerate(self.state.history) if step.player == self.me]
        if not steps:
            raise ParlourError("There is nothing to take back: you have not played yet.")
        taken = self.state.history[steps[-1]]
        trial, anew = self.state.clone(), ""
        try:
            while len(trial.history) > steps[-1]:
                taking_back.step_back(trial)
        except ParlourError:
            trial = self.state.at(steps[-1])
            anew = " " + _("From here on chance no longer follows the seed.")
        self.state = trial
        self._told = len(self.events)
        self._news = True
        self.keep(self.record())
        return _("You take back {action}.", action=self._quoted(taken.name)) + anew


def _seconds(bot: Player) -> float:
    """Return the seconds that a bot may take to think."""
    kind = Kind.parsed(bot.name)
    return float(kind.budget.get("seconds", 0.0)) if kind.setting else 0.0
