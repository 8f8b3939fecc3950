"""What the seats of a table know: what each has been told, and how often it has noticed something."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from parlour.core.game import Game, State
from parlour.engine.steps import Event
from parlour.engine.telling import Item, View, observe, told_all
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common import wire
from parlour.server.table.moments import Between
from parlour.server.table.score import score_sheet, told_earlier
from parlour.server.table.seats import WATCHER

MOMENTS: Final = 100
"""The most events of one telling that are each seen at their own moment; if there are more, the last ones are."""


class Public(NamedTuple):
    """The part of a telling that is the same for everybody."""

    match: int
    players: list[wire.SeatHolder]
    asked: list[int]
    hushed: bool
    over: bool
    returns: list[float]
    again: list[int]
    host: int
    allowed: tuple[str, ...]
    frozen: str
    closed: str
    held: tuple[float, ...]
    stop: int = 0
    practice: bool = False


class SeatKnowledge:
    """What each seat and, last, the spectators know. :meth:`see` and :meth:`note` keep it up to date.

    ``marks``: how often each of them has noticed something. This is the version that a client is told; it does not
    count hidden steps. ``noticed_at``: when each last noticed something, in seconds since 1970.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._state: State | None = None
        self.marks = [0] * (game.players + 1)
        self.noticed_at = [0.0] * (game.players + 1)
        self._views: list[tuple[Item, ...]] = [() for _ in self.marks]
        self._told: list[list[Event]] = [[] for _ in self.marks]
        self._seen = self._views
        """The views before the last entry."""
        self._news: list[tuple[int, Event]] = []
        """The events that the last entry brought, with their numbers."""
        self._events = 0
        self._sentences: dict[Event, wire.Sentence] = {}
        self._open: dict[str, Any] | None = None
        self._choices: list[list[int]] = [[] for _ in self.marks]
        self._sheet: list[list[int]] = []
        self._since = [0] * len(self.marks)
        self._noticed: list[object] = [None] * len(self.marks)
        self._public: Public
        self._noticed_by_all: Public | None = None

    # ------------------------------------------------------------------ what the table brings

    def see(self, there: State, afresh: bool) -> None:
        """Let everybody see a state and hear what has happened since the last one; with ``afresh``, hear all of it
        again."""
        self._seen = self._views
        self._views = told_all(self._game, there.position)
        if afresh:
            self._sheet = []
            self._events, self._told = 0, [[] for _ in self.marks]
        self._news = list(enumerate(there.ledger.told(None, self._events), self._events))
        readers = self._readers()
        for _, event in self._news:
            for seat in readers if event[2] == EVERYBODY else (event[2],):
                self._told[seat].append(event)
        self._events = len(there.ledger.events)
        rows = 1 + (len(there.deals) or there.is_terminal)
        if len(self._sheet) != rows:
            self._sheet = score_sheet(there, self._sheet[:rows])
            self._since = [told_earlier(there, seat) for seat in readers]

    def note(self, state: State | None, public: Public, asked: Sequence[int], at: float = 0.0) -> None:
        """Note which seats notice something, now that everybody knows ``public``. ``state``: the match; ``asked``: the
        seats that are to act; ``at``: the time, in seconds since 1970."""
        all_notice, self._noticed_by_all = public != self._noticed_by_all, public
        self._state, self._public, self._open = state, public, None
        self._sentences.clear()
        for seat in self._readers():
            self._choices[seat] = state.legal_actions(seat) if state is not None and seat in asked else []
            noticed = self._views[seat], len(self._told[seat]), self._choices[seat]
            if all_notice or noticed != self._noticed[seat]:
                self._noticed[seat] = noticed
                self.marks[seat] += 1
                self.noticed_at[seat] = at

    def _readers(self) -> tuple[int, ...]:
        return (*range(self._game.players), WATCHER)  # WATCHER, -1, is the last place of each list

    # ------------------------------------------------------------------ what a seat knows

    @property
    def players(self) -> list[wire.SeatHolder]:
        """The holders of the seats, as everybody may know them."""
        return self._public.players

    def moment(self, seat: int) -> tuple[int, int]:
        """Return the match, and how often a seat has noticed something: together, they say what it saw last."""
        return self._public.match, self.marks[seat]

    def heard(self, seat: int) -> int:
        """Return how many sentences a seat has been told in this match."""
        return len(self._told[seat])

    def view(self, seat: int) -> View:
        """Return what a seat sees."""
        return View(self._game, seat, self._views[seat])

    def question(self, seat: int) -> tuple[View, list[int]]:
        """Return the question to a bot: what its seat sees, and what it may do."""
        assert self._state is not None
        return self.view(seat), self._state.legal_actions(seat)

    def telling(
        self, seat: int, heard: int = 0, items: bool = False, steps: bool = False, page: bool = False
    ) -> wire.Telling:
        """Return all that a seat or a spectator knows, with the sentences from number ``heard`` on. ``items``: the view
        as items; ``steps``: also what the seat saw after each sentence; ``page``: the view in words, even with
        ``items``."""
        told, public, names = self._told[seat], self._public, self._game.action_names
        return wire.Telling(
            version=self.marks[seat],
            match=public.match,
            seat=seat,
            players=public.players,
            view=None if self._state is None or (items and not page) else self._observed(seat),
            items=list(self._views[seat]) if self._state is not None and items else None,
            heard=len(told),
            new=[self._sentence(one) for one in told[heard:]],
            asked=public.asked,
            hushed=public.hushed,
            choices=[wire.Choice(a, names[a]) for a in self._choices[seat]],
            over=public.over,
            returns=public.returns,
            again=public.again,
            host=public.host,
            allowed=public.allowed,
            frozen=public.frozen,
            closed=public.closed,
            held=list(public.held),
            sheet=self._sheet if public.held or public.over else [],
            since=self._since[seat] if public.held or public.over else 0,
            moments=self._moments(seat, heard) if steps and self._state is not None else [],
            stop=public.stop,
            practice=public.practice,
        )

    def _moments(self, seat: int, heard: int) -> list[wire.Moment]:
        """Return what a seat saw after each event that the last entry told it, except the last event. Only its own
        events count, so that what others alone were told leaves no trace."""
        mine = [(n, event) for n, event in self._news if event[2] in (EVERYBODY, seat)]
        first = len(self._told[seat]) - len(mine)
        known = Between(self._game, self._seen[seat], self._views[seat])
        found = []
        for k, ((_, event), (n, _)) in enumerate(itertools.pairwise(mine), first + 1):
            known.hear(event)
            items = None if self._state is None else self._state.ledger.kept.before(self._game, n, seat)
            found.append(wire.Moment(k, known.tell(items, event)))
        return [one for one in found if one.heard > heard][-MOMENTS:]

    def _observed(self, seat: int) -> dict[str, Any]:
        """Return what a seat sees, readable. What everybody can see is put into words only once."""
        common, items = self._views[WATCHER], self._views[seat]
        if self._open is None:
            self._open = observe(self._game, common, {})
        return observe(self._game, items[len(common) :], dict(self._open))

    def _sentence(self, event: Event) -> wire.Sentence:
        """Return an event in words, which are the same for everybody who is told it now."""
        sentence = self._sentences.get(event)
        if sentence is None:
            clause, key, _, who, a, b = event
            text = self._game.definition.sentences.in_english(
                key, who, a, b, [player.name for player in self._public.players]
            )
            sentence = self._sentences[event] = wire.Sentence(text, clause, key, who, a, b)
        return sentence


__all__ = ["Public", "SeatKnowledge"]
