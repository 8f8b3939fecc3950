"""A game at a table on a server: one person at this terminal, friends at theirs, bots in the free seats."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import wait
from itertools import takewhile
from typing import TypeVar

from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import and_list, figures, marked, ngettext, pgettext, translated
from parlour.base.languages import gettext as _
from parlour.base.naming import isolated, look_of, printable
from parlour.cli.common.stopping import STOPPED
from parlour.cli.common.typed_input import COMMANDS, Choices, called, is_command, meant, read_command
from parlour.cli.play.dialog import LOG, Dialog, kind_in_words
from parlour.cli.play.record_files import Keeper
from parlour.cli.play.screen import Quit, Screen, open_screen
from parlour.cli.play.seat_tokens import forget
from parlour.core.drawing import Drawing
from parlour.core.verifying import verify
from parlour.engine.steps import Told
from parlour.engine.telling import View
from parlour.players.kind import Kind
from parlour.server.client.client import ClientEvent, Ended, Found, Lost, Snapshot, SyncClient
from parlour.server.client.tickets import Ticket
from parlour.server.common import wire
from parlour.server.common.phrases import as_read

T = TypeVar("T")

AT_A_TABLE = {
    "say": "`say TEXT`: send a message to everybody",
    "mute": "`mute NAME`: hide what somebody says; `mute NAME off`: show it again",
    "who": "who sits where",
    "relieve": "`relieve NAME`: let a bot play for somebody who has been asked for three minutes",
    "host": "if you made the table: `host remove NAME`, `host lock`, `host chat off`, `host takeovers off`",
    "again": "ask for another match when this one is over",
    "begin": "begin the first match without those who are still missing",
    "leave": "give your seat to a bot, and stop",
}
ALL = {**{name: about for name, about in COMMANDS.items() if name != "quit"}, **AT_A_TABLE, "quit": COMMANDS["quit"]}
UNASKED = ("begin", "say", "mute", "who", "relieve", "host", "log", "save", "rules", "help", "leave", "quit")
"""Commands that are answered at any time; the others in a pipe wait until the person is asked."""
MARKUP = str.maketrans({"[": "(", "]": ")", "\\": "/", "`": "'"})
TICK = 0.1  # seconds between two looks at what has come in
QUIET = 2.0  # seconds before the person is told whom the table is waiting for
OPENING = 5.0  # seconds within which a deal is revealed when its match is over
FAREWELL = 3.0  # seconds allowed for giving up the seat


class NoSeat(ParlourError):
    """The ticket's seat has been given up, or given away."""


def visit(ticket: Ticket, plain: bool, pace: float | None) -> int:
    """Play in a seat that is already taken; return the exit code. Raises :class:`NoSeat` if it is no longer held."""
    with SyncClient(ticket) as guest:
        while guest.client.known is None or guest.client.about is None:
            event = guest.next(1.0)
            if isinstance(event, Lost):
                print(printable(_("No connection. Trying again: {why}", why=translated(event.reason))), flush=True)
            elif isinstance(event, wire.Bye) and not event.back:
                raise ParlourError(event.reason)
        known, about = guest.client.known, guest.client.about
        if known.telling.seat != ticket.seat:
            raise NoSeat("You have no seat at this table.")
        return Visit(guest, about, known, open_screen(Drawing(known.game.definition), plain, pace)).run()


class Visit(Dialog):
    """A game at a table on a server, for as long as the person likes."""

    commands = ALL

    def __init__(self, guest: SyncClient, about: wire.About, known: Snapshot, screen: Screen) -> None:
        self.guest, self.client, self.about = guest, guest.client, about
        super().__init__(known.game, known.telling.seat, self._names_in(known), screen, self._new_keeper(known))
        self._known = known
        self._told = max(0, len(known.story) - LOG)
        self._opened = 0  # the last match whose deal has been revealed
        self._commitment = ""  # the commitment shown last
        self._in_turn = False
        self._noticed = set[int]()  # seats that a notice has just named
        self._awaited = ""  # what the person was last told that the table waits for

    def _new_keeper(self, known: Snapshot) -> Keeper:
        ticket = self.client.ticket
        return Keeper(known.game.id, f"played at {ticket.link} in seat {known.telling.seat}")

    @staticmethod
    def _names_in(known: Snapshot) -> list[str]:
        """Return the players' names for the screen, without markup and with their direction kept to themselves, because
        others have chosen them."""
        return [isolated(player.name.translate(MARKUP)) for player in known.telling.players]

    # ------------------------------------------------------------------ what the table is

    @property
    def view(self) -> View:
        seen = self._known.view
        if seen is None:
            raise ParlourError("The match hasn't begun.")
        return seen

    @property
    def legal(self) -> list[int]:
        return self._known.legal

    @property
    def events(self) -> list[Told]:
        return [Told(s.clause, s.event, s.who, s.a, s.b, s.text) for s in self._known.story]

    @property
    def player_names(self) -> Sequence[str]:
        return self.names

    @property
    def is_over(self) -> bool:
        return self._known.telling.over

    @property
    def returns(self) -> list[float]:
        return self._known.telling.returns

    @property
    def moment(self) -> object:
        told = self._known.telling
        return told.match, told.items, told.choices, told.over, self._known.story

    @property
    def is_in_turn(self) -> bool:
        return self._in_turn

    def refusal(self, action: int) -> IllegalAction | None:
        try:
            self._do(self.client.why, self.game.action_names[action])
        except IllegalAction as refused:
            return refused
        return None

    def record(self) -> str:
        return self._do(self.client.record)

    def meaning(self, line: str) -> int | str:
        return line

    # ------------------------------------------------------------------ what happens

    def run(self) -> int:
        """Play one match after another; return the exit code."""
        ended, code = False, 0
        try:
            self._arrive()
            while True:
                ended = False
                self.play()
                ended = True
                self._check_deal()
                if not self._wants_another():
                    break
        except (Quit, Ended):
            pass
        except KeyboardInterrupt:
            code = STOPPED
        self._go(ended)
        if code:
            self.screen.path("To sit down again: parlour play --table", self.client.ticket.link)
        return code

    def _arrive(self) -> None:
        told = self._known.telling
        self.welcome([self._described(p) for p in range(len(told.players)) if p != self.me])
        self.screen.path("Friends can join with: parlour play --table", self.client.ticket.link)
        if self.about.reveal:
            self.screen.aside(
                "All cards are shown at the end so that anyone can check the deal, folded hands included."
            )
        else:
            self.screen.aside("The cards stay hidden at the end, so nobody can check the deal.")
        self._show_commitment(self.client.witness.commitment)

    def _go(self, ended: bool) -> None:
        """Give up the seat, if the table still exists; keep the record."""
        if not ended and self._known.telling.match:
            try:
                self.keep(self.guest.begin(self.client.record).result(FAREWELL))
            except (ParlourError, TimeoutError):
                pass
        try:
            self.guest.begin(self.client.leave).result(FAREWELL)
            forget(self.client.ticket)
        except TimeoutError:
            pass  # the seat can still be taken again
        except ParlourError:
            forget(self.client.ticket)
        if not ended and (self.keeper.path is not None or self.keeper.trouble):
            self.screen.gap()
            self.say_where("The record so far is in")

    def wait(self) -> None:
        self._in_turn = False
        moment, since = self.moment, time.monotonic()
        while self.moment == moment:
            awaited = self._whom_we_await()
            if awaited != self._awaited and time.monotonic() - since > QUIET:
                self._awaited = awaited
                self.screen.aside(awaited)
            self._pass_time()

    def _whom_we_await(self) -> str:
        told = self._known.telling
        if told.hushed:
            return _("One moment: somebody may be making a secret choice.")
        awaited = [self.names[p] for p in told.asked] or (self._undecided() if self.me in told.again else [])
        if awaited:
            names = and_list(awaited)
            return _("Waiting for {names}. You can type: say TEXT, who, log, help.", names=names)
        missing = self.about.awaits - sum(player.guest for player in told.players)
        if not told.match and missing > 0:
            return _("Waiting for {n} more to sit down. You can type: begin, say TEXT, who, help.", n=missing)
        return _("Waiting for the match to continue.") if told.match else _("Waiting for the match to begin.")

    def _undecided(self) -> list[str]:
        """Return the names of the others here who have not asked for the match that is to come."""
        told = self._known.telling
        here = (p for p, who in enumerate(told.players) if who.guest and not who.away)
        return [self.names[p] for p in here if p not in (*told.again, self.me)]

    def act(self, choice: int | str) -> None:
        self._awaited = ""
        try:
            self._do(self.client.act, choice if isinstance(choice, str) else self.game.action_names[choice])
        except ParlourError as refused:
            self.screen.say(self._refused(Choices(self.game, [], self.names).reworded(refused)))
        else:
            self._in_turn = True

    def undo(self) -> str:
        self._do(self.client.undo)
        return _("You take back your last move.")

    def _decide(self) -> int | str | None:
        if self._known.telling.hushed:
            seconds = ngettext(
                "{seconds} second",
                "{seconds} seconds",
                1 if self.about.beat == 1 else 2,
                seconds=figures(f"{self.about.beat:g}"),
            )
            self.screen.aside(
                _(
                    "Only you know you have this choice. If you don't answer within {seconds}, it is made for you.",
                    seconds=seconds,
                )
            )
        return super()._decide()

    def _command(self, command: str, rest: str, choices: Choices) -> None:
        if command == "say":
            self._do(self.client.say, _needed(rest, marked("Say what you want to say, for example: say hello.")))
        elif command == "mute":
            name, _space, off = _needed(rest, marked("Say whom to mute, for example: mute Ada.")).rpartition(" ")
            muted, off = (name, off) if meant(off) == "off" and name else (rest, "")
            self._do(self.client.mute, muted, bool(off))
            self.screen.say(
                _("You have unmuted {name}.", name=muted) if off else _("You have muted {name}.", name=muted)
            )
        elif command == "who":
            for p in range(len(self.names)):
                who = self._described(p)
                said = _("Seat {seat}: {who}, you.", seat=p, who=who)
                self.screen.say(said if p == self.me else _("Seat {seat}: {who}.", seat=p, who=who))
        elif command == "relieve":
            self._do(
                self.client.relieve, self._seat_of(_needed(rest, marked("Say for whom, for example: relieve Ada.")))
            )
        elif command == "host":
            self._decide_as_host(rest)
        elif command in ("again", "begin"):
            self._do(self.client.again)
        elif command == "leave":
            raise Quit
        else:
            super()._command(command, rest, choices)

    def _decide_as_host(self, rest: str) -> None:
        """Do what only the table's maker can do."""
        what, _, more = rest.partition(" ")
        match meant(what).casefold(), meant(more).casefold():
            case "remove", _:
                wanted = _needed(more.strip(), marked("Say whom to remove, for example: host remove Ada."))
                self._do(self.client.remove, self._seat_of(wanted))
            case ("lock" | "unlock") as lock, "":
                self._do(self.client.allow, "newcomers", lock == "unlock")
            case ("chat" | "takeovers") as matter, ("on" | "off") as wish:
                self._do(self.client.allow, matter, wish == "on")
            case _:
                raise ParlourError(
                    "Type host remove NAME, host lock, host unlock, host chat off or host takeovers off."
                )

    def _seat_of(self, wanted: str) -> int:
        """Return the seat of somebody here, by their name."""
        called = [look_of(name) for name in self.names]
        if look_of(wanted) not in called:
            raise ParlourError("Nobody here is called {wanted}.", wanted=wanted)
        return called.index(look_of(wanted))

    def _described(self, p: int) -> str:
        who, name = self._known.telling.players[p], self.names[p]
        if not who.guest:
            return f"{name} ({_bot_in_words(who)})"
        return _("{name} (away: {bot} is playing)", name=name, bot=_bot_in_words(who)) if who.away else name

    # ------------------------------------------------------------------ what comes in

    def meanwhile(self) -> None:
        self._look(0.0)

    def _pass_time(self) -> None:
        """Let a moment go by; the person may type a command."""
        line = self.screen.typed(TICK if self.screen.interactive else 0.0, self._is_unasked)
        self._look(0.0 if self.screen.interactive else TICK)
        if line and self._understand(line, Choices(self.game, [], self.names)) is not None:
            self.screen.say("It isn't your turn.")

    def _is_unasked(self, line: str) -> bool:
        """Whether a line is a command that needs no question."""
        return is_command(line, self.commands) and (read_command(line, self.commands) or ("",))[0] in UNASKED

    def _do(self, command: Callable[..., Awaitable[T]], *args: object) -> T:
        """Give a command to the table, and wait until it has answered."""
        answer = self.guest.begin(command, *args)
        while not wait([answer], TICK).done:
            self._look(0.0)
        self._look(0.0)
        return answer.result()

    def _look(self, seconds: float) -> None:
        """Take in what has come, or what comes first within this many seconds. Say what is not part of the game."""
        event = self.guest.next(seconds)
        while event is not None:
            self._notice(event)
            event = self.guest.next(0.0)

    def _notice(self, event: ClientEvent) -> None:
        match event:
            case Snapshot():
                self._learn(event)
            case wire.Remark():
                self.screen.say(_("{name} says: {text}", name=isolated(event.name), text=isolated(as_read(event.text))))
            case wire.Notice():
                self._noticed.add(event.seat)
                self.screen.aside(event.text)
            case Lost():
                self.screen.aside("Connection lost. Trying again.")
            case Found():
                self.screen.aside("Connected again.")
            case wire.MixingStage():
                self._show_commitment(event.commitment)
                if event.stage == "mixed" and event.nonces:
                    who = and_list([pgettext("from", "you") if p == self.me else self.names[p] for p in event.nonces])
                    self.screen.aside(_("Random numbers for the shuffle come from {who}.", who=who))
            case wire.ChainLink():
                self.screen.aside(marked("The record's link so far: {link}…", link=event.link[:16]))
            case wire.Revealed():
                self._opened = event.match
            case wire.Bye():
                self.screen.aside(event.reason)
                if not event.back:
                    raise Quit

    def _show_commitment(self, commitment: str) -> None:
        if commitment not in ("", self._commitment):
            self._commitment = commitment
            self.screen.aside(
                marked("The server has committed to this deal: {commitment}…", commitment=commitment[:16])
            )

    def _learn(self, known: Snapshot) -> None:
        """Take in a snapshot, which differs from the one before. ``_told`` goes back if something was taken back."""
        before, self._known = self._known, known
        was, told = before.telling, known.telling
        for p, (old, new) in enumerate(zip(was.players, told.players, strict=True)):
            for sentence in () if told.over and new.away else _changes(p, old, new, p == self.me, p in self._noticed):
                self.screen.aside(sentence)
        self._noticed.clear()
        self.names = self._names_in(known)
        if told.match != was.match:
            self.keeper, self._told, self._news = self._new_keeper(known), 0, True
            if was.match:
                self.screen.aside("Another match begins.")
        else:
            same = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before.story, known.story, strict=False))
            )
            if same < self._told:
                self._told, self._news = same, True
                self.screen.aside("The last move has been taken back.")
        for p in sorted(set(told.again) - set(was.again) - {self.me}):
            names = self.names[p]
            another = marked("{names} wants another match.", names=names)
            wish = marked("{names} wants to go on.", names=names) if told.held else another
            self.screen.aside(wish if told.match else marked("{names} wants to begin.", names=names))
        if told.seat != self.me:
            raise ParlourError("You no longer have your seat.")
        if told.frozen or told.closed:
            self.screen.say(
                _("The table was stopped by an error: {why}", why=translated(told.frozen))
                if told.frozen
                else _("The table is closed: {why}", why=translated(told.closed))
            )
            raise Quit

    # ------------------------------------------------------------------ the end of a match

    def _check_deal(self) -> None:
        """Keep the record, and say whether the deal was fair."""
        match, since = self._known.telling.match, time.monotonic()
        while self.about.reveal and self._opened < match and time.monotonic() - since < OPENING:
            self._look(TICK)
        record = self.record()
        self.keep(record)
        self.screen.gap()
        if self._opened == match:
            try:
                verdict = verify(record)
                for sentence in verdict.in_words(record, self.names):
                    self.screen.aside(sentence)
                for sentence in self.client.witness.against(record, self.names):
                    self.screen.say(_("Warning: {what}", what=translated(sentence)))
            except ParlourError as trouble:
                self.screen.say(_("The deal can't be checked: {why}", why=translated(str(trouble))))
        elif self.about.reveal:
            self.screen.say("The server has not shown the cards, so the deal can't be checked.")
        else:
            self.screen.aside("The cards stay hidden, as agreed, so the deal can't be checked.")
        self.say_where("The record is in")

    def _wants_another(self) -> bool:
        """Ask whether the person wants another match; wait until it begins."""
        match = self._known.telling.match
        while self.screen.interactive and self._known.telling.match == match:
            line = self.screen.ask(_("\nPlay again? [y/n] ")).strip()
            self._look(0.0)
            if line.casefold() in ("y", "yes", "again", called("again"), *_("y yes").split()):
                self._do(self.client.again)
                self._await_another(match)
            elif line.casefold() in ("", "n", "no", *_("n no").split()):
                return False
            else:
                self._understand(line, Choices(self.game, [], self.names))
        return self._known.telling.match != match

    def _await_another(self, match: int) -> None:
        said = ""
        while self._known.telling.match == match:
            names = and_list(self._undecided())
            text = _("Waiting for {names} to ask for another match.", names=names) if names else ""
            if text != said:
                said = text
                self.screen.aside(text)
            self._pass_time()


def _needed(text: str, otherwise: str) -> str:
    if not text:
        raise ParlourError(otherwise)
    return text


def _changes(p: int, old: wire.SeatHolder, new: wire.SeatHolder, is_me: bool, is_told: bool) -> list[str]:
    """Return sentences that say what has changed about a seat. ``is_told``: a notice has already named its holder."""
    if is_me:
        return (
            [_("You were away, so a bot is playing for you. Make a move to come back.")]
            if new.away and not old.away
            else []
        )
    if (old.guest, old.name) != (new.guest, new.name):
        if is_told:
            return []
        if new.guest:
            return [_("{name} takes the seat of {other}.", name=new.name, other=old.name)]
        if not old.guest:
            return []
        bot = _bot_in_words(new)
        return [_("{name} leaves; {other} ({bot}) takes over.", name=old.name, other=new.name, bot=bot)]
    if new.away != old.away:
        if new.away:
            return [_("{name} is away: a bot ({bot}) is playing.", name=new.name, bot=_bot_in_words(new))]
        return [_("{name} is back.", name=new.name)]
    return []


def _bot_in_words(seat: wire.SeatHolder) -> str:
    """Return what a seat's bot is called in the reader's language."""
    return kind_in_words(Kind.parsed(seat.bot))
