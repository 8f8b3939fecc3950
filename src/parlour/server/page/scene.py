"""What the page of a table shows: made of what a seat has been told, and of nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, TypeVar, overload

from markdown_it import MarkdownIt
from markupsafe import Markup

from parlour.base.languages import (
    ENGLISH,
    and_list,
    counted,
    current,
    in_book,
    ngettext,
    npgettext,
    pgettext,
    speaking,
    translated,
    word,
)
from parlour.base.languages import gettext as _
from parlour.base.naming import isolated
from parlour.core.drawing import Drawing, Fact, Now, facts
from parlour.core.game import Game, load
from parlour.core.lessons import LessonStop, lesson, spoken
from parlour.core.refusals import bounds_of, clauses_of, refused_in_words
from parlour.engine.definition import Definition, definition
from parlour.engine.sentences import NUMBER, fields_in
from parlour.engine.telling import Item, View, members
from parlour.server.bots.looking_back import Judged
from parlour.server.common import wire
from parlour.server.page import decks

FIELD: Final = 7
"""From this number of amounts of one kind on, a field for a number takes their place."""
CALLED: Final = frozenset(("the", "a", "no"))
"""After these words a card needs no article."""
CARD: Final = "{card}"
"""Where a card stands in the words for what somebody did."""
CHART: Final = 520, 130
"""Width and height of the chart of a match."""
LABEL: Final = 16
"""Between the labels of two of its lines."""
STORY: Final = 16
"""Sentences of the story that the page shows at once."""
RECENT: Final = 15
"""Sentences among which a page looks for what ended a deal, if the game has no words for it."""
COMING: Final = 3
"""Clauses of an action that the guide explains: the action itself, and what may follow from it."""
STEPS: Final = 12
"""Further steps of one action that the guide tries, at most, until something is told of it."""
_AMOUNT = re.compile(r"(.+) (\d+)")
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


T = TypeVar("T")


class once(Generic[T]):
    """A property of a scene that is worked out when it is asked for first.  Scenes belong to one thread, so there is no
    lock, which takes longer than most of what is worked out."""

    def __init__(self, made: Callable[[Any], T]) -> None:
        self._made, self.__doc__ = made, made.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, scene: None, owner: type) -> once[T]: ...
    @overload
    def __get__(self, scene: object, owner: type) -> T: ...
    def __get__(self, scene: object | None, owner: type) -> once[T] | T:
        if scene is None:
            return self
        found = scene.__dict__[self._name] = self._made(scene)
        return found


class _Look(View):
    """A view that is put into words once, however many captions of buttons need them (nobody changes them), and whose
    hidden part is imagined once, however many actions are tried in it."""

    __slots__ = ("_words", "_worlds")

    def __init__(self, game: Game, player: int, items: tuple[Item, ...], words: dict[str, Any] | None = None) -> None:
        super().__init__(game, player, items)
        self._words = words

    def observation(self) -> dict[str, Any]:
        if self._words is None:
            self._words = super().observation()
        return self._words

    def redeal(self, seed: int) -> Any:
        return self._world(seed).clone()

    def imagined(self, seed: int) -> Any:
        return self._world(seed).position.copy()

    def _world(self, seed: int) -> Any:
        if not hasattr(self, "_worlds"):
            self._worlds: dict[int, Any] = {}
        if seed not in self._worlds:
            self._worlds[seed] = super().redeal(seed)
        return self._worlds[seed]


class Person(NamedTuple):
    """Somebody at the table."""

    seat: int
    name: str
    bot: str
    guest: bool
    away: bool
    asked: bool
    me: bool
    lit: bool = False
    """Whether they have won what everybody looks at now."""

    @property
    def initial(self) -> str:
        """The letter that stands for somebody without a face."""
        return next((sign for sign in self.name if sign.isalnum()), "?").upper()


class FinalPlace(NamedTuple):
    """Somebody at the end of a match: their place, what they have and have gained, or a few words about it."""

    place: int
    person: Person
    has: str
    gained: str
    said: str


class RenderedPart(NamedTuple):
    """What was made for a reader in a language, and what was read of a scene for it: attributes, and places of
    dictionaries that are attributes."""

    html: str
    language: str
    read: dict[tuple[str, ...], Any]

    def is_so_of(self, scene: Scene) -> bool:
        """Whether all of it is the same in another scene, which would then look the same."""
        for (name, *place), before in self.read.items():
            now = getattr(scene, name)
            now = now.get(*place, NOTHING) if place else now
            if now is not before and (type(now) is not type(before) or now != before):
                return False
        return True


NOTHING: Final = object()
"""What there is at a place of a dictionary that it does not have."""


class Taught(NamedTuple):
    """A stop of a lesson as the page shows it: its number and that of the last one, the aim of the game (at the first
    stop), what is said, what to do, a move to try although it is forbidden, and whether the learner leaves the stop by
    a move."""

    number: int
    of: int
    aim: str
    say: str
    now: str
    wrong: str
    moves: bool

    @property
    def words(self) -> str:
        """All of it, to be read aloud."""
        return " ".join(filter(None, (self.aim, self.say, self.now)))


class ScoreChart(NamedTuple):
    """Lines of a chart, by seat, and the heights of their labels, which lie apart; at the height ``zero`` is what
    everybody had at the beginning (``start``)."""

    lines: list[tuple[int, list[tuple[float, float]]]]
    labels: list[float]
    zero: float
    start: int | None


@dataclass(frozen=True, slots=True)
class Amounts:
    """Actions of one kind that differ by a number."""

    kind: str
    text: str
    low: int
    high: int
    whole: bool  # every number between is allowed


@dataclass
class Story:
    """What a seat has been told in a match, as far as this page knows."""

    match: int = 0
    sentences: list[wire.Sentence] = field(default_factory=list)

    def hear(self, telling: wire.Telling) -> tuple[list[wire.Sentence], bool]:
        """Take in a telling: return what is new in it, and whether it continues from what was known."""
        if telling.match != self.match:
            self.match, self.sentences = telling.match, []
        kept, known = telling.heard - len(telling.new), len(self.sentences)
        news = telling.new[max(0, known - kept) :] if kept <= known else telling.new
        goes_on = kept == known > 0
        self.sentences = [*self.sentences[:kept], *telling.new]
        return news, goes_on


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
    """Whether the reader made this table."""
    chain: str = ""
    """The link of the record's chain that everybody was told last."""
    refused: wire.Refused | None = None
    advice: str = ""
    hinted: str = ""
    """The action that the reader was advised to do."""
    filled: Mapping[str, str] = field(default_factory=dict)
    """What was filled in or picked on a page that was refused, where the page itself cannot remember it."""
    still: bool = False
    """A picture of a past moment: nothing can be pressed."""
    resumed: bool = False
    """The match continues from a record, so its deal cannot be verified."""
    explained: frozenset[str] | None = None
    """Clauses that the guide has explained; ``None``: nobody wants a guide."""
    reader: str = ""
    """What the reader was called last time."""
    watches: bool = False
    """Whether the reader, who has no seat, wants none."""
    how_to_take_back: Callable[[], str] = str
    """Works out :attr:`taking_back`, which takes its time; at first there is nothing to take back."""
    looked_back: Sequence[Judged] | None = None
    """The reader's best and worst choice in a match that is over; ``None`` before they are known."""
    then: Sequence[int] | None = None
    """Of a moment that is shown while more has happened: the seats that are asked after that."""
    rules: Game | None = None
    """The game with its house rules, where it is at hand."""
    placed: set[str] = field(default_factory=set)
    made: dict[str, RenderedPart] = field(default_factory=dict)
    """What was made last for this reader, of this moment or of one before it."""

    @once
    def game(self) -> Game:
        """The game with its house rules."""
        return self.rules if self.rules is not None else game_of(self.about)

    @property
    def what(self) -> Definition:
        """Its folder."""
        return self.game.definition

    @property
    def me(self) -> int:
        """The reader's own seat; -1 for a spectator."""
        return self.telling.seat

    @once
    def view(self) -> View | None:
        """What this seat sees; ``None`` before the first match."""
        items, words = self.telling.items, self.telling.view
        return None if items is None else _Look(self.game, self.me, tuple(items), words)

    @once
    def v(self) -> Mapping[str, Any]:
        """The same by name."""
        return {} if self.view is None else self.view.observation()

    # ------------------------------------------------------------------ people

    @once
    def seats(self) -> list[Person]:
        """Everybody, by seat."""
        return self._people(self.telling.asked, self.winners)

    @property
    def company(self) -> tuple[Person, ...]:
        """The same, whoever is asked now."""
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
        """The same names; the reader is You."""
        return [_("You") if one.me else one.name for one in self.seats]

    @property
    def host(self) -> str:
        """The name of whoever made the table; empty if they have no seat."""
        return self.called[self.telling.host] if self.telling.host >= 0 else ""

    @once
    def others(self) -> list[Person]:
        """The other players, beginning at the reader's left; everybody, for a spectator."""
        first = max(0, self.me + 1)
        return [one for one in (*self.seats[first:], *self.seats[:first]) if not one.me]

    @once
    def taking_back(self) -> str:
        """How the reader may take back their last move: ``freely``, ``as practice`` (the match then counts for nobody),
        or not at all."""
        return self.how_to_take_back()

    @property
    def is_asked(self) -> bool:
        """Whether this seat has something to choose."""
        return bool(self.telling.choices)

    @property
    def is_invited(self) -> bool:
        """Whether the reader may sit down, or has to be told why not."""
        return self.me < 0 and not (self.watches or self.still or self.telling.closed or self.telling.frozen)

    @property
    def awaited(self) -> str:
        """The other guests whose press a deal, or another match, still waits for."""
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
        """Which deal this is; of a game of one deal, its goal."""
        sheet = self.telling.sheet
        if not sheet or self.telling.over:
            return self.goal
        number = len(sheet) - bool(self.telling.held)
        return _("{deal} {number}", deal=self.deal[:1].upper() + self.deal[1:], number=number)

    @once
    def extra(self) -> str:
        """What the last deal is called if it is not one of the deals; see :func:`extra_deal`."""
        return extra_deal(self.what, (one.event for one in self.story))

    @property
    def length(self) -> str:
        """How many deals a match that is over has had; empty for one."""
        deals = len(self.telling.sheet) - 1
        if deals < 2:
            return ""
        n = deals - bool(self.extra)
        if current() == ENGLISH:
            counted_deals = counted(n, self.deal)
        else:
            counted_deals = counted(n, str(self.what.words["game"].get("deal", "deal")))
        return _("{deals} and a {extra}", deals=counted_deals, extra=self.extra) if self.extra else counted_deals

    @property
    def winners(self) -> list[int]:
        """The seats to which the deal that is held, or at the end the match, has brought most; nobody if all lose."""
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
    def played(self) -> Collection[str]:
        """Events that the table shows although nothing has moved by them (``scene`` in the game's words)."""
        return tuple(self.what.words["game"].get("scene", ()))

    @property
    def is_settled(self) -> bool:
        """Whether everything has been told of the deal that is looked at."""
        return bool(self.telling.held) or self.telling.over

    @property
    def why(self) -> list[str]:
        """Why a deal ended as it did: the last of its sentences that say so (``climax`` in the game's words); without
        any, the last that is about a winner, or the last of all."""
        wanted, of_it = self.what.words["game"].get("climax", ()), self.story[self.telling.since :]
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
        """Return an action as its button says it: its name, and a few words after it where the game has some."""
        more = self.drawing.caption(action, self.view, self.names) if self.view is not None else ""
        words = captioned(self.about.game, action, more) or in_words(self.about.game, f"{action} {more}".strip())
        return words[:1].upper() + words[1:]

    def phrase(self, action: str) -> str:
        """Return an action in words, as within a sentence."""
        more = self.drawing.caption(action, self.view, self.names) if self.view is not None else ""
        return phrase(self.about.game, action, more)

    @property
    def moment(self) -> str:
        """A word for this moment, as this seat knows it: an action pressed twice at one moment is done once."""
        return f"{self.telling.match}.{self.telling.version}.{self.me}"

    # ------------------------------------------------------------------ lessons

    @once
    def stop(self) -> LessonStop | None:
        """The stop of a lesson at which the table waits."""
        taught = lesson(self.about.game) if self.telling.stop and not self.still else None
        return taught.stops[self.telling.stop - 1] if taught and self.telling.stop <= len(taught.stops) else None

    @once
    def taught(self) -> Taught | None:
        """The same as the page shows it; nothing to spectators."""
        stop, known = self.stop, lesson(self.about.game)
        if stop is None or known is None or self.me != known.seat:
            return None
        number = self.telling.stop
        aim, say, now = (
            spoken(in_book(text), self.names) for text in (known.aim if number == 1 else "", stop.say, stop.now)
        )
        return Taught(number, len(known.stops), aim, say, now, stop.wrong, bool(stop.do))

    # ------------------------------------------------------------------ words

    @property
    def drawing(self) -> Drawing:
        """The game's drawing, for tables of any kind."""
        return drawing(self.about.game)

    @once
    def drawn(self) -> dict[str, Any]:
        """What the game's page shows in addition to the view, for its board and its notes."""
        assert self.view is not None
        return self.drawing.board(self.view, self.story)

    def title(self, card: str) -> str:
        """A card in words."""
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
            return Now(f"{self.verdict}.")
        if telling.held:
            return Now(_("The {deal} is over.", deal=self.deal))
        if self.about.by_post and not telling.match:
            return Now(_("It begins when the others have sat down."), _("Send them the link: Invite."))
        if self.view is None or not telling.match:
            return Now(_("The cards are being shuffled."))
        if telling.hushed and not self.is_asked:
            n = max(1, round(self.about.beat))
            takes = ngettext("That takes {n} second, whoever it is.", "That takes {n} seconds, whoever it is.", n)
            return Now(_("Somebody may be asked in secret."), takes)
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
        """Whom the reader waits for, or for what, and how long (``[waits]`` in the game's words, by the stage of play),
        as far as everybody knows."""
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
        return Now(_thinking(current(), waiting), said.format(before=self.called[self.me - 1]))

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
    def idea(self) -> tuple[str, str] | None:
        """What the guide explains next: an occasion, and the clause.  It is about what is coming: each kind of action
        that the reader may choose now, or that others may choose who are about to play."""
        if self.explained is None or self.me < 0 or self.view is None or self.telling.over or self.telling.held:
            return None
        words = self.what.worded.get("actions", {})
        for verb, action in _kinds(self.legal).items():
            for clause in self._coming(action, self.me):
                if clause not in self.explained:
                    return _on(verb, str(words.get(verb) or _("you may do this now."))), clause
        for one in () if self.is_asked or self.telling.hushed else self.others:
            for clause in self._others_turn(one.seat) if one.asked else ():
                if clause not in self.explained:
                    return _("{who} is about to play.", who=one.name), clause
        return None

    def _coming(self, action: int, player: int) -> list[str]:
        """The first clauses of what may happen if a player does this now, tried in a world that the reader cannot tell
        from the real one.  An action of several steps (a stake on each pool) is carried through: nothing may be told
        of the first."""
        assert self.view is not None
        world = self.view.redeal(0)
        world.apply(action, player)
        for _step in range(STEPS):
            if world.events(player) or player not in world.acting:
                break
            world.apply(world.legal_actions(player)[0], player)
        return list(dict.fromkeys(told.clause for told in world.events(player)))[:COMING]

    def _others_turn(self, seat: int) -> Iterator[str]:
        """The same for every kind of action that somebody else may choose in such a world."""
        assert self.view is not None
        world = self.view.redeal(0)
        if seat in world.acting:
            legal = {self.game.action_names[a]: a for a in world.legal_actions(seat)}
            for action in _kinds(legal).values():
                yield from self._coming(action, seat)

    def clause(self, name: str) -> Markup:
        """The text of a clause."""
        return text_of(self.game.told_clause(name).text)

    def sentence(self, said: wire.Sentence) -> str:
        """A sentence, addressed to this seat."""
        return sentence_of(current(), self.about.game, self.called, self.me, said.event, said.who, said.a, said.b)

    def did(self, seat: int) -> tuple[str, list[str]]:
        """What somebody did last, as far as the game has words for it (``[did]``): these words, with ``{card}`` where
        its cards stand, and these cards.  An event without a word there ends what everybody did before."""
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

    def beat_of(self, said: wire.Sentence) -> dict[str, Any]:
        """How an event is shown: the kind of beat that it makes with neighbours of the same kind (``[beats]`` in the
        game's words; else events make one with their like), for how long it is looked at, what is said of several
        players at once, with ``{who}`` for their names, and who this one is."""
        kind, *held = str(self.what.words.get("beats", {}).get(said.event, said.event)).split()
        found: dict[str, Any] = {"kind": kind, "name": ""}
        if said.who >= 0:
            found["name"] = _("you") if said.who == self.me else self.called[said.who]
        if held:
            found["hold"] = int(held[0])
        if said.who == self.me >= 0:
            found["mine"] = True
        if said.who >= 0 and said.event in self.what.words.get("several", {}):
            found["many"] = sentence_of_several(current(), self.about.game, self.called, said.event, said.a, said.b)
        return found

    def cards_of(self, said: wire.Sentence) -> list[str]:
        """The cards that a sentence names."""
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

    @property
    def latest(self) -> tuple[wire.Sentence, ...]:
        """The latest sentences, the last one first."""
        return tuple(reversed(self.story[-STORY:]))

    @property
    def results(self) -> list[str]:
        """At the end, each score explained."""
        if self.view is None:
            return []
        return [
            in_words(self.about.game, line) for line in self.drawing.result(self.view, self.telling.returns, self.names)
        ]

    @once
    def standing(self) -> list[FinalPlace]:
        """How the match ended: everybody, the best first, and of those who share a place whoever has more; what each
        has, and has gained, in the game's own unit."""
        returns, sheet = self.telling.returns, self.telling.sheet
        words, lines = self.what.words["game"], self.results
        found = []
        for one in self.seats:
            p = one.seat
            has = gained = ""
            if len(sheet) > 1 and "unit" in words:
                has = counted(sheet[-1][p], str(words["unit"]), words.get("units")).replace("-", "−")
                gained = signed(sheet[-1][p] - sheet[0][p])
            place = 1 + sum(other > returns[p] for other in returns)
            found.append(FinalPlace(place, one, has, gained, "" if has else _said_of(self.names[p], lines[p])))
        now = sheet[-1] if sheet else [0] * len(found)
        return sorted(found, key=lambda each: (each.place, -now[each.person.seat]))

    @property
    def verdict(self) -> str:
        """Say in a few words who has won."""
        best = [each.person for each in self.standing if each.place == 1]
        if len(best) == len(self.seats):
            return _("Nobody is ahead")
        names = and_list([_("You") if one.me else one.name for one in sorted(best, key=lambda one: not one.me)])
        if best[0].me and len(best) == 1:
            return _("You win")
        return npgettext("names", "{who} wins", "{who} win", len(best), who=names)

    @property
    def chart(self) -> ScoreChart | None:
        """What everybody had after each deal, as lines; ``None`` if there are too few deals for any."""
        sheet = self.telling.sheet
        if len(sheet) < 3:
            return None
        low, high = min(map(min, sheet)), max(map(max, sheet))
        across, down = CHART[0] / (len(sheet) - 1), CHART[1] / ((high - low) or 1)
        lines = [
            (p, [(round(k * across, 1), round((high - row[p]) * down, 1)) for k, row in enumerate(sheet)])
            for p in (each.person.seat for each in self.standing)
        ]
        labels = _apart([points[-1][1] for _p, points in lines], CHART[1])
        return ScoreChart(
            lines, labels, round((high - sheet[0][0]) * down, 1), sheet[0][0] if len(set(sheet[0])) == 1 else None
        )

    @property
    def house_rules(self) -> tuple[tuple[str, str], ...]:
        """The options that differ from the standard ones."""
        options = self.what.options
        return tuple((name, value) for name, value in self.game.options.items() if value != str(options[name].default))

    @once
    def facts(self) -> list[Fact]:
        """Everything the reader sees, for the plain board."""
        return facts(self.view, self.names) if self.view is not None else []

    @once
    def hand(self) -> Fact | None:
        """For the plain board: what is told of each player's own cards; the first such thing, if there is one."""
        held = [one for one in self.facts if one.seated and one.cards is not None]
        return next((one for one in held if one.own), held[0] if held else None)

    @once
    def account(self) -> Fact | None:
        """For the plain board: what each player has, where the game says what counts (``account`` in its words)."""
        name = self.what.words["game"].get("account")
        return next((one for one in self.facts if one.name == name and one.seated and one.cards is None), None)

    def unit_of(self, n: str) -> str:
        """For the plain board: the game's unit as it stands after this number; empty if the game names none."""
        words = self.what.words["game"]
        if "unit" not in words or not n.lstrip("-").isdecimal():
            return ""
        return counted(int(n), str(words["unit"]), words.get("units")).partition(" ")[2]

    @once
    def laid(self) -> Fact | None:
        """For the plain board: the first thing of which players may have several cards that everybody sees."""
        held = [one for one in self.facts if one.seated and one.cards is not None and not (one.own or one.one)]
        return held[0] if held else None

    @once
    def cards_to_play(self) -> dict[str, str]:
        """For the plain board: the action that each of the reader's cards stands for.  A kind of action is about cards
        if each that is legal names one of them; two that name the same card stay buttons."""
        cards = self.hand.cards[self.me] if self.hand and self.hand.cards and self.me >= 0 else []
        kinds: dict[str, list[str]] = {}
        for name in self.legal:
            kinds.setdefault(name.partition(" ")[0], []).append(name)
        about = [name for names in kinds.values() if all(_card_in(name) in cards for name in names) for name in names]
        meant = [_card_in(name) for name in about]
        return {card: name for card, name in zip(meant, about, strict=True) if meant.count(card) == 1}


def _card_in(action: str) -> str:
    """What an action of two words is about."""
    return action.partition(" ")[2]


def _apart(heights: Sequence[float], down: float) -> list[float]:
    """Return such heights, in the same order of size, moved so that they lie apart as far as there is room.

    >>> _apart([100.0, 130.0, 128.0], 130.0)
    [98.0, 130.0, 114.0]
    """
    gap = min(LABEL, down / max(len(heights) - 1, 1))
    order = sorted(range(len(heights)), key=lambda i: (heights[i], i))
    found = [*heights]
    for i, above in zip(order[1:], order, strict=False):
        found[i] = max(found[i], found[above] + gap)
    below = down + gap
    for i in reversed(order):
        found[i] = below = min(found[i], below - gap)
    return [round(y, 1) for y in found]


def extra_deal(what: Definition, events: Iterable[str]) -> str:
    """Return what the last deal is called if it follows the deals and is not one of them: one of these events has begun
    it, which ``extra`` in the game's words names.  Empty if there is no such deal.

    >>> extra_deal(definition("newmarket"), ["pays", "run_off"]), extra_deal(definition("newmarket"), ["pays"])
    ('run-off', '')
    """
    event = str(what.words["game"].get("extra", ""))
    return pgettext("game", event.replace("_", "-")) if event and event in events else ""


@lru_cache(maxsize=4096)
def sentence_of(language: str, game: str, names: tuple[str, ...], me: int, event: str, who: int, a: int, b: int) -> str:
    """Return the sentence of an event as seat ``me`` reads it (-1: a spectator), in a language."""
    text = in_words(game, definition(game).sentences.told(event, who, a, b, names, me if me >= 0 else None))
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=4096)
def _thinking(language: str, waiting: tuple[str, ...]) -> str:
    """Return who is waited for, in a language."""
    return npgettext("names", "{who} is thinking.", "{who} are thinking.", len(waiting), who=and_list(waiting))


@lru_cache(maxsize=4096)
def sentence_of_several(language: str, game: str, names: tuple[str, ...], event: str, a: int, b: int) -> str:
    """Return what is said of an event that is about several players, with ``{who}`` for their names.

    >>> sentence_of_several("en", "commit", ("Ada", "Ben"), "fails", 0, 0)
    '{who} do not have the ace of clubs.'
    """
    return in_words(game, definition(game).sentences.told_of_several(event, a, b, names))


@lru_cache(maxsize=256)
def loaded(game: str, players: int, options: tuple[tuple[str, str], ...]) -> Game:
    """A game with its house rules."""
    return load(game, players, **dict(options))


def game_of(about: wire.About) -> Game:
    """The game of a table, with its house rules."""
    return loaded(about.game, about.players, tuple(about.options.items()))


@lru_cache(maxsize=64)
def drawing(game: str) -> Drawing:
    """A game's drawing."""
    return Drawing(definition(game))


def in_words(game: str, text: str) -> str:
    """Return a text with its cards named in words.

    >>> in_words("diamonds", "Ada turns up C10 on pile 5.")
    'Ada turns up the ten of clubs on pile 5.'
    >>> in_words("diamondback", "Dan turns up the Queen.")
    'Dan turns up the Queen.'
    >>> in_words("commit", "Ben has no 5h either.")
    'Ben has no five of hearts either.'
    >>> in_words("diabolo", "The red row is positive.")
    'The red row is positive.'
    """
    return _in_words(current(), game, text)


@lru_cache(maxsize=4096)
def _in_words(language: str, game: str, text: str) -> str:
    cards = _cards_in(game)

    def named(found: re.Match[str]) -> str:
        titles = {card: decks.title(game, card) for card in _split(game, found[0])}
        if language != ENGLISH:
            return and_list([*titles.values()])
        before = found.string[: found.start()].split()[-1:]
        if before and before[0].casefold() in CALLED:
            return and_list([title.removeprefix("the ") for title in titles.values()])
        return and_list([title if _has_article(card, title) else f"the {title}" for card, title in titles.items()])

    return text if cards is None else cards.sub(named, text)


def _has_article(card: str, title: str) -> bool:
    """Whether the name of a card in words needs no article: it has one, is a proper name, or means several cards that
    are alike (``R1 R1``)."""
    return title.startswith("the ") or title[0].isupper() or " " in card


def captioned(game: str, action: str, more: str = "") -> str:
    """Return an action as ``captions`` in the game's words has it; empty if it has nothing.

    >>> captioned("diamonds", "dig 4", "break C10"), captioned("diamonds", "steal 1", "from Ben")
    ('dig in pile 5: break the ten of clubs', 'steal from Ben')
    >>> captioned("kuhn", "fold")
    ''
    """
    verb, _, rest = action.partition(" ")
    captions = definition(game).worded.get("captions", {})
    form = str(captions.get(action) or captions.get(verb) or "")
    if not form:
        return ""
    says_more = "{more}" in form
    named = {"{a}": _named(game, rest), f"{{a:{NUMBER}}}": str(int(rest) + 1) if rest.isdecimal() else rest}
    for field_, said in (*named.items(), ("{more}", more)):
        form = form.replace(field_, said)
    words = " ".join(form.split())
    return in_words(game, words + (f": {more}" if more and not says_more else ""))


def _named(game: str, rest: str) -> str:
    """What follows the verb of an action, in the current language: a side, a category; cards keep their names."""
    if rest and (said := word(rest)) != rest and rest not in getattr(definition(game).rules, "CARDS", ()):
        return said
    return " ".join(word(one) if one.islower() and one.isalpha() else one for one in rest.split())


def phrase(game: str, action: str, more: str = "") -> str:
    """Return an action in words, as within a sentence.

    >>> phrase("commit", "lead Ac", "brings 1"), phrase("diamonds", "dig 4", "break C10")
    ('lead the ace of clubs', 'dig in pile 5')
    """
    return captioned(game, action, more).partition(": ")[0] or in_words(game, action)


def refusal_in_words(game: str, refusal: str, rules: Game | None = None) -> str:
    """Return why something was refused, with cards and actions in words; ``rules``: the game with its house rules.

    >>> from parlour.engine.typed_actions import REFUSALS
    >>> from parlour.base.languages import Message
    >>> lies_there = Message(str(REFUSALS[0]), name="dig 4", action="'dig 4'", why="C10 lies there.", clause="DM-3")
    >>> refusal_in_words("diamonds", lies_there)
    "You can't dig in pile 5: the ten of clubs lies there. (DM-3)"
    """
    said = refused_in_words(rules or definition(game), refusal, partial(phrase, game), partial(in_words, game))
    return said[:1].upper() + said[1:]


def _kinds(legal: Mapping[str, int]) -> dict[str, int]:
    """The first of the legal actions of each kind.

    >>> _kinds({"dig 0": 5, "dig 1": 6, "steal 1": 9})
    {'dig': 5, 'steal': 9}
    """
    found = dict[str, int]()
    for name, action in legal.items():
        found.setdefault(name.split()[0], action)
    return found


def _split(game: str, text: str) -> list[str]:
    """The cards of a row of cards, in which names may have spaces."""
    names, cards = decks.cards(game), list[str]()
    words = text.split(" ")
    while words:
        used = next(n for n in range(len(words), 0, -1) if " ".join(words[:n]) in names)
        cards.append(" ".join(words[:used]))
        words = words[used:]
    return cards


@lru_cache(maxsize=64)
def _cards_in(game: str) -> re.Pattern[str] | None:
    """Finds rows of cards by their short names in a text, for games whose cards have better ones."""
    words = getattr(definition(game).part("deck"), "WORDS", ())  # they name pictures too, but mean what they say
    with speaking(ENGLISH):
        cards = [name for name in decks.cards(game) if name not in words]
        names = [name for name in cards if decks.title(game, name).casefold() != name.casefold()]
    alternatives = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{alternatives})(?: (?:{alternatives}))*(?![\w-])") if names else None


@lru_cache(maxsize=4096)
def text_of(markdown: str) -> Markup:
    """A line of a rule book as HTML."""
    return Markup(_markdown.renderInline(markdown))  # Markdown with HTML switched off is safe


def _said_of(name: str, line: str) -> str:
    """What a sentence says of somebody, without their name.

    >>> _said_of("Ben", "Ben: 7 of 7 diamonds.")
    '7 of 7 diamonds'
    """
    return line.removeprefix(f"{name}: ").removesuffix(".")


def signed(n: int) -> str:
    """A gain or a loss.

    >>> signed(5), signed(-5), signed(0)
    ('+5', '−5', '0')
    """
    return f"{'+' if n > 0 else '−' if n else ''}{abs(n)}"


def _on(verb: str, text: str) -> str:
    """Return what there is to say about a kind of action; where no English is spoken, the text alone.

    >>> _on("fold", "Give up this hand."), _on("lead", "Lead this card.")
    ('Fold: Give up this hand.', 'Lead this card.')
    """
    alone = current() != ENGLISH or text.casefold().startswith(f"{verb} ")
    return text if alone else f"{verb.capitalize()}: {text}"
