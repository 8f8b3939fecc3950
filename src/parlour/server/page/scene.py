"""What the page of a table shows: made of what a seat has been told, and of nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup

from parlour.base.languages import and_list, current, ngettext, npgettext, pgettext, translated
from parlour.base.languages import gettext as _
from parlour.base.naming import isolated
from parlour.core.drawing import Drawing, Now
from parlour.core.game import Game
from parlour.core.lessons import LessonStop, lesson
from parlour.core.refusals import bounds_of, clauses_of
from parlour.engine.definition import Definition
from parlour.engine.sentences import fields_in
from parlour.engine.telling import View, members
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common import wire
from parlour.server.page import decks
from parlour.server.page.ending import EndOfMatch
from parlour.server.page.ideas import AIM, Idea, ShownView, coming, kinds, of_kind, others_turn
from parlour.server.page.lesson_text import StopText, taught_at
from parlour.server.page.once import once
from parlour.server.page.people import Person
from parlour.server.page.words import (
    CARD,
    Earlier,
    captioned,
    clause_of,
    drawing,
    extra_deal,
    game_of,
    in_words,
    phrase,
    refusal_in_words,
    sentence_of,
    signed,
    thinking,
)

FIELD: Final = 7
"""If there are this many amounts of one kind, a field for a number takes the place of their buttons."""
RECENT: Final = 15
"""How many of the latest sentences a page searches for what ended a deal, if the game has no words for it."""
_AMOUNT = re.compile(r"(.+) (\d+)")


@dataclass(frozen=True, slots=True)
class Amounts:
    """Actions of one kind that differ by a number."""

    kind: str
    text: str
    low: int
    high: int
    whole: bool  # whether every number between is allowed


@dataclass
class Scene:
    """One moment of a table, as one seat sees it: the context of the templates."""

    about: wire.About
    telling: wire.Telling
    story: Sequence[wire.Sentence]
    link: str
    four_colours: bool = False
    remarks: Sequence[wire.Remark | wire.Notice] = ()
    muted: Sequence[str] = ()
    is_host: bool = False
    """Whether the reader is the maker of this table."""
    chain: str = ""
    """The link of the record's chain that everybody was told last."""
    refused: wire.Refused | None = None
    advice: str = ""
    hinted: str = ""
    """The action that a hint has named."""
    filled: Mapping[str, str] = field(default_factory=dict)
    """What was filled in or picked on a page whose form was refused, where the page itself cannot remember it."""
    still: bool = False
    """Whether this is a picture of a past moment, at which nothing can be pressed."""
    resumed: bool = False
    """Whether the match continues from a record, so that its deal cannot be checked."""
    explained: frozenset[str] | None = None
    """The clauses that the guide has explained; ``None``: the guide is off."""
    reader: str = ""
    """What the reader was called last time."""
    predecessor: str = ""
    """The bot whose seat the reader has taken over in this match."""
    watches: bool = False
    """Whether the reader, who has no seat, only wants to watch."""
    how_to_take_back: Callable[[], str] = str
    """Works out :attr:`taking_back`, which takes a while; without it, there is nothing to take back."""
    slow: Mapping[int, bool] = field(default_factory=dict)
    """The seats for which the reader may let a bot choose, each with whether the time for that has come."""
    finishers: tuple[Sequence[str], int] = (), EVERYBODY
    """What everybody was called when the match ended, and the reader's seat then, where seats may have changed since;
    see :meth:`parlour.server.live.session.Session.finishers`."""
    then: Sequence[int] | None = None
    """The seats that are asked next, if this moment is shown after more has happened."""
    rules: Game | None = None
    """The game with its house rules, where it is at hand."""
    placed: set[str] = field(default_factory=set)

    @once
    def game(self) -> Game:
        """The game with its house rules."""
        return self.rules if self.rules is not None else game_of(self.about)

    @property
    def what(self) -> Definition:
        """The game's definition."""
        return self.game.definition

    @property
    def me(self) -> int:
        """The reader's own seat; -1 for a spectator."""
        return self.telling.seat

    @once
    def view(self) -> View | None:
        """What this seat sees; ``None`` before the first match."""
        items, words = self.telling.items, self.telling.view
        return None if items is None else ShownView(self.game, self.me, tuple(items), words)

    @once
    def v(self) -> Mapping[str, Any]:
        """What this seat sees, by name."""
        return {} if self.view is None else self.view.observation()

    # ------------------------------------------------------------------ people

    @once
    def seats(self) -> list[Person]:
        """Everybody at the table, by seat."""
        return self._people(self.telling.asked, self.winners)

    @property
    def company(self) -> tuple[Person, ...]:
        """Everybody at the table, by seat, without marking who is asked or has won."""
        return tuple(self._people(()))

    def _people(self, asked: Sequence[int], lit: Sequence[int] = ()) -> list[Person]:
        return [
            Person(p, isolated(one.name), one.bot, one.guest, one.away, p in asked, p == self.me, p in lit)
            for p, one in enumerate(self.telling.players)
        ]

    @once
    def called(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return tuple(isolated(one.name) for one in self.telling.players)

    @once
    def names(self) -> list[str]:
        """The players' names, by seat; the reader is You."""
        return [_("You") if one.me else one.name for one in self.seats]

    @property
    def host(self) -> str:
        """The name of the table's maker; empty if they have no seat."""
        return self.called[self.telling.host] if self.telling.host >= 0 else ""

    @once
    def others(self) -> list[Person]:
        """The other players, beginning at the reader's left; for a spectator, everybody."""
        first = max(0, self.me + 1)
        return [one for one in (*self.seats[first:], *self.seats[:first]) if not one.me]

    @once
    def taking_back(self) -> str:
        """How the reader may take back their last move: ``freely``, ``as practice`` (the match then counts for nobody),
        or not at all."""
        return self.how_to_take_back()

    @property
    def missing(self) -> int:
        """How many more people must sit before the first match begins."""
        guests = sum(one.guest for one in self.telling.players)
        return 0 if self.telling.match or self.telling.closed else max(0, self.about.awaits - guests)

    @property
    def is_asked(self) -> bool:
        """Whether the reader has something to choose."""
        return bool(self.telling.choices)

    @property
    def is_invited(self) -> bool:
        """Whether the reader may sit down, or must be told why not."""
        return self.me < 0 and not (self.watches or self.still or self.telling.closed or self.telling.frozen)

    @property
    def awaited(self) -> str:
        """The names of the other guests who have yet to ask for the next deal, or for another match."""
        waiting = [one for one in self.others if one.guest and not one.away and one.seat not in self.telling.again]
        return and_list([one.name for one in waiting])

    @property
    def willing(self) -> str:
        """Which other guests want another match, as a sentence; empty if none does, or the match is not over."""
        pressed = [one.name for one in self.others if self.telling.over and one.seat in self.telling.again]
        if not pressed:
            return ""
        return npgettext(
            "names", "{who} wants to play again.", "{who} want to play again.", len(pressed), who=and_list(pressed)
        )

    # ------------------------------------------------------------------ a deal that is over

    @property
    def deal(self) -> str:
        """What a deal of this game is called."""
        return str(self.what.worded["game"].get("deal") or pgettext("game", "deal"))

    @property
    def when(self) -> str:
        """Which deal this is; the goal of the game if deals are not counted, or when the match is over."""
        sheet = self.telling.sheet
        if not sheet or self.telling.over:
            return self.goal
        number = len(sheet) - bool(self.telling.held)
        return _("{deal} {number}", deal=self.deal[:1].upper() + self.deal[1:], number=number)

    @property
    def winners(self) -> list[int]:
        """The seats to which the deal that is held, or at the end the match, has brought most; none if nobody has won,
        or all have the same."""
        brought = self.telling.held or (self.telling.returns if self.telling.over else [])
        best = max(brought, default=0)
        return [p for p, points in enumerate(brought) if points == best > 0] if len(set(brought)) > 1 else []

    @property
    def gains(self) -> list[tuple[Person, str]]:
        """What the deal that is held has brought each player, in the game's own unit."""
        if len(self.telling.sheet) < 2 or not self.telling.held:
            return []
        before, now = self.telling.sheet[-2:]
        return [(one, signed(now[one.seat] - before[one.seat])) for one in self.seats]

    @property
    def is_settled(self) -> bool:
        """Whether everything has been told of the deal that everybody looks at."""
        return bool(self.telling.held) or self.telling.over

    @property
    def why(self) -> list[str]:
        """Why a deal ended as it did: the last of its sentences that say so (``decided_by`` in the game's words) or,
        without any, the last that is about a winner, or the last of all."""
        wanted, of_it = self.what.words["game"].get("decided_by", ()), self.story[self.telling.since :]
        said = [one for one in of_it if one.event in wanted]
        kin = [one for one in of_it[-RECENT:] if one.who in self.winners]
        return [self.sentence(one) for one in said[-2:] or kin[-1:] or of_it[-1:]]

    # ------------------------------------------------------------------ choices

    @once
    def legal(self) -> dict[str, int]:
        """Legal actions by name."""
        return {choice.name: choice.id for choice in self.telling.choices}

    def can(self, action: str) -> bool:
        """Whether an action is legal now."""
        return action in self.legal

    def place(self, action: str) -> str:
        """Note that the board offers this action itself."""
        self.placed.add(action)
        return ""

    def left(self) -> list[str | Amounts]:
        """Return the legal actions that the board has not offered; many amounts of one kind together."""
        names = [name for name in self.legal if name not in self.placed]
        kinds: dict[str, list[int]] = {}
        for name in names:
            if found := _AMOUNT.fullmatch(name):
                kinds.setdefault(found[1], []).append(int(found[2]))
        found_fields = {kind: numbers for kind, numbers in kinds.items() if len(numbers) >= FIELD}
        shown: list[str | Amounts] = []
        for name in names:
            amount = _AMOUNT.fullmatch(name)
            numbers = found_fields.get(amount[1]) if amount else None
            if amount is None or numbers is None:
                shown.append(name)
            elif int(amount[2]) == numbers[0]:
                low, high = min(numbers), max(numbers)
                shown.append(Amounts(amount[1], self.caption(amount[1]), low, high, high - low + 1 == len(numbers)))
        return shown

    def caption(self, action: str) -> str:
        """Return an action as its button says it: its name and, where the game has some, a few words after it."""
        more = self.drawing.caption(action, self.view, self.names) if self.view is not None else ""
        words = captioned(self.about.game, action, more) or in_words(self.about.game, f"{action} {more}".strip())
        return words[:1].upper() + words[1:]

    def phrase(self, action: str) -> str:
        """Return an action in words, as within a sentence."""
        more = self.drawing.caption(action, self.view, self.names) if self.view is not None else ""
        return phrase(self.about.game, action, more)

    @property
    def moment(self) -> str:
        """A word for this moment, as this seat knows it, so that an action pressed twice at one moment is done once."""
        return f"{self.telling.match}.{self.telling.version}.{self.me}"

    # ------------------------------------------------------------------ lessons

    @once
    def stop(self) -> LessonStop | None:
        """The stop of a lesson at which the table waits."""
        taught = lesson(self.about.game) if self.telling.stop and not self.still else None
        return taught.stops[self.telling.stop - 1] if taught and self.telling.stop <= len(taught.stops) else None

    @once
    def taught(self) -> StopText | None:
        """The stop at which the table waits, as the page shows it; ``None`` for spectators."""
        stop, known = self.stop, lesson(self.about.game)
        if stop is None or known is None or self.me != known.seat:
            return None
        return taught_at(known, self.telling.stop, self.names)

    # ------------------------------------------------------------------ words

    @property
    def drawing(self) -> Drawing:
        """The game's drawing, for tables of any kind."""
        return drawing(self.about.game)

    @once
    def drawn(self) -> dict[str, Any]:
        """What the game's page shows beyond the view, for its board and its notes."""
        assert self.view is not None
        return self.drawing.board(self.view, self.story)

    def title(self, card: str) -> str:
        """Return a card's name in words."""
        return decks.title(self.about.game, card)

    @property
    def title_of_game(self) -> str:
        """What the game is called under its house rules."""
        return self.drawing.name(self.game.options)

    @property
    def goal(self) -> str:
        """The goal of the game, in a sentence."""
        return str(self.what.worded["game"].get("goal") or self.what.gist)

    @once
    def now(self) -> Now:
        """What to do now, in one line: what the reader may do, and what it is worth."""
        telling = self.telling
        if telling.closed or telling.frozen:
            why = translated(telling.closed or telling.frozen)
            return Now(_("This table is closed.") if telling.closed else _("This table was stopped by an error."), why)
        if telling.over:
            return Now(f"{self.ending.verdict}.")
        if telling.held:
            return Now(_("The {deal} is over.", deal=self.deal))
        if self.missing:
            n = self.missing
            head = ngettext("{n} more person must sit down.", "{n} more people must sit down.", n)
            return Now(head, "" if self.about.event else _("Send them the link: Invite."))
        if self.view is None or not telling.match:
            return Now(_("The cards are being shuffled."))
        if telling.hushed and not self.is_asked:
            n = max(1, round(self.about.beat))
            takes = ngettext(
                "Nobody is to know who is asked, so the table always waits {n} second.",
                "Nobody is to know who is asked, so the table always waits {n} seconds.",
                n,
            )
            return Now(_("Perhaps somebody has a card to use now."), takes)
        if not self.is_asked:
            return self._wait
        found = self.drawing.now(self.view, [*self.legal])
        if not telling.hushed:
            return found
        return Now(
            found.head, f"{found.body} {found.silence or _('Only you are asked; no answer in time means no.')}".strip()
        )

    @property
    def _wait(self) -> Now:
        """Whom or what the reader waits for, and until when (``[waits]`` in the game's words, by the stage of play), as
        far as everybody knows."""
        if self.then is not None:
            who = [self.seats[p].name for p in self.then]
            theirs = npgettext("names", "Then {who} plays.", "Then {who} play.", len(who), who=and_list(who))
            turn = _("Then it is your turn.") if self.me in self.then else theirs
            return Now(_("Watch what happens."), turn if who else "")
        waiting = tuple(one.name for one in self.seats if one.asked)
        if not waiting:
            return Now(_("Chance decides what comes next."))
        ends = self.what.worded.get("waits", {})
        said = str(ends.get(self.v.get("stage"), ends.get("any", ""))) if self.me >= 0 else ""
        return Now(thinking(current(), waiting), said.format(before=self.called[self.me - 1]))

    @property
    def waits(self) -> bool:
        """Whether the reader waits for others to play, or for what has happened to be shown."""
        telling = self.telling
        ended = telling.closed or telling.frozen or telling.over or telling.held or telling.stop
        return self.view is not None and not (ended or self.is_asked)

    @once
    def clauses(self) -> list[str]:
        """The clauses that matter now: those behind what the reader can do, and behind what was done last."""
        cited = [sentence.clause for sentence in self.story[-1:]]
        if self.view is not None and self.is_asked and not self.telling.over:
            for action in [*self.legal.values()][:3]:
                cited += clauses_of(self.game, action, self.view)[:2]
            bounds = bounds_of(self.game, [*self.legal.values()], self.view)
            cited[3:3] = [clause for clause in bounds if clause not in cited][:1]
        return list(dict.fromkeys(cited))[:4]

    @once
    def idea(self) -> Idea | None:
        """What the guide explains next: first the aim of the game, then what is coming, each kind of action that the
        reader may choose now, or that players who are about to play may choose."""
        if self.explained is None or self.me < 0 or self.view is None or self.telling.over or self.telling.held:
            return None
        if AIM not in self.explained:
            waits = "" if any(one.guest for one in self.others) else _("Take your time: the game waits for “Next”.")
            return Idea(
                _("The aim: {goal}", goal=self.goal), AIM, Markup(" ").join(filter(None, (self.what.gist, waits)))
            )
        words = self.what.worded.get("actions", {})
        for verb, action in kinds(self.legal).items():
            for clause in coming(self.view, action, self.me):
                if clause not in self.explained:
                    said = of_kind(verb, str(words.get(verb) or _("you may do this now.")))
                    return Idea(said, clause, self.clause(clause))
        for one in () if self.is_asked or self.telling.hushed else self.others:
            for clause in others_turn(self.view, one.seat) if one.asked else ():
                if clause not in self.explained:
                    return Idea(_("{who} is about to play.", who=one.name), clause, self.clause(clause))
        return None

    def clause(self, name: str) -> Markup:
        """Return the text of a clause."""
        return clause_of(self.game, name)

    def sentence(self, said: wire.Sentence) -> str:
        """Return a sentence as it is addressed to this seat; what happened before the reader had it, as it was told of
        whoever had it then."""
        me, called = self.me, self.called
        if isinstance(said, Earlier):
            me, called = EVERYBODY, (*called[:me], isolated(self.predecessor), *called[me + 1 :])
        return sentence_of(current(), self.about.game, called, me, said.event, said.who, said.a, said.b)

    def did(self, seat: int) -> tuple[str, list[str]]:
        """Return what a player did last, in the words that the game has for it (``[did]``), with ``{card}`` where its
        cards stand, and these cards. After an event with empty words there, what anybody did before it is no longer
        shown."""
        words = self.what.worded.get("did", {})
        for said in reversed(self.story):
            form = words.get(said.event)
            if form == "":
                break
            if form is not None and said.who == seat:
                return form.format(a=said.a, b=said.b, both=said.a + said.b, card=CARD), self.cards_of(
                    said
                ) if CARD in form else []
        return "", []

    def cards_of(self, said: wire.Sentence) -> list[str]:
        """Return the cards that a sentence names."""
        numbers, cards = {"a": said.a, "b": said.b}, self.what.rules.CARDS
        return [
            cards[c]
            for field_, spec in fields_in(self.what.events[said.event])
            if spec in ("card", "cards")
            for c in (members(numbers[field_]) if spec == "cards" else [numbers[field_]])
            if c < len(cards)
        ]

    @property
    def why_not(self) -> str:
        """Why something was refused, in words."""
        return refusal_in_words(self.about.game, self.refused.sentence, self.game) if self.refused else ""

    @once
    def ending(self) -> EndOfMatch:
        """How the match ended."""
        told, lines, (called, me) = self.telling, list[str](), self.finishers
        people = [one._replace(name=isolated(called[p]), me=p == me) for p, one in enumerate(self.seats) if called]
        people = people or self.seats
        names = [_("You") if one.me else one.name for one in people]
        if self.view is not None:
            lines = [in_words(self.about.game, line) for line in self.drawing.result(self.view, told.returns, names)]
        extra = extra_deal(self.what, (one.event for one in self.story))
        words = self.what.words["game"]
        return EndOfMatch(people, names, told.returns, told.sheet, words, lines, self.deal, extra)
