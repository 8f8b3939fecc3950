"""A reader of a table's page: what they have been told, and what their screen shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from weakref import WeakSet

from markupsafe import Markup
from msgspec import structs
from starlette.requests import HTTPConnection

from parlour.base.languages import gettext as _
from parlour.base.languages import marked, shortened, translated
from parlour.base.naming import isolated
from parlour.core.game import Game
from parlour.engine.telling import Item
from parlour.server.common import wire
from parlour.server.common.phrases import as_read
from parlour.server.live.chat import REMARKS
from parlour.server.live.for_pages import Session
from parlour.server.page import appearance, guide
from parlour.server.page.beats import beat_of, staged
from parlour.server.page.pages import name_of
from parlour.server.page.rendering import REGIONS, board, items, regions
from parlour.server.page.scene import Scene
from parlour.server.page.words import Earlier, clause_of, game_of, refusal_in_words
from parlour.server.table.seats import WATCHER
from parlour.server.web.api import link_to

BUBBLE: Final = 80
"""The most characters of a message that are shown over its seat."""
READ_ALOUD: Final = 6
"""The most new sentences that are read aloud."""


@dataclass
class Story:
    """What a seat has been told in a match, as far as this page knows."""

    match: int = 0
    sentences: list[wire.Sentence] = field(default_factory=list)

    def hear(self, telling: wire.Telling, before: int = 0) -> tuple[list[wire.Sentence], bool]:
        """Take in a telling. Return its new sentences, and whether it continues from what was known. ``before``: how
        many of all sentences are from before the reader sat down."""
        if telling.match != self.match:
            self.match, self.sentences = telling.match, []
        kept, known = telling.heard - len(telling.new), len(self.sentences)
        new = [Earlier.of(one) if n < before else one for n, one in enumerate(telling.new, kept)]
        news = new[max(0, known - kept) :] if kept <= known else new
        goes_on = kept == known > 0
        self.sentences = [*self.sentences[:kept], *new]
        return news, goes_on


class Reader:
    """One reader of a table's page: what they have been told, and what their page looks like now.

    ``at``, ``chain``: the moment, and the link of the record's chain, that the page shows already; they are not sent
    again.
    """

    def __init__(self, session: Session, asked: HTTPConnection, at: str = "", chain: str = "") -> None:
        self._at, self._chain = at, chain
        self.session, self.link = session, link_to(asked, session)
        self.four_colours = appearance.look_of(asked).four_colours
        self.explained = guide.explained(asked)
        self.name, self.watches = name_of(asked), "watch" in asked.query_params
        self.story, self.remarks = Story(), list[wire.Remark | wire.Notice]()
        self.remember()
        self.about: wire.About | None = None
        self._game: Game | None = None
        self.telling: wire.Telling | None = None
        self.shown: dict[str, str] = {}

    @classmethod
    def informed(cls, session: Session, asked: HTTPConnection) -> Reader:
        """Return a reader who has been told everything up to now."""
        reader = cls(session, asked)
        reader.about, reader.telling = session.about, session.telling(items=True)
        reader.story.hear(reader.telling, session.came[0])
        return reader

    def hear(self, frame: wire.AnyFrame) -> dict[str, Any] | None:
        """Take in a frame, and return what it changes on the page: regions as HTML, new items of the story (the latest
        first), what is to be read aloud, and what the script must answer; ``None`` if it changes nothing."""
        match frame:
            case wire.About():
                self.about, self._game = frame, None
                return None
            case wire.Telling():
                return self._told(frame)
            case wire.Remark():
                self.remarks = [*self.remarks, frame][-REMARKS:]
                return {
                    "regions": self._changed(self.scene(), ["people"]),
                    "say": f"{isolated(frame.name)}: {isolated(as_read(frame.text))}",
                    "react": {"seat": frame.seat, "text": shortened(as_read(frame.text), BUBBLE)},
                }
            case wire.Notice(what="spectators"):
                return {"watching": self.session.watching, "say": translated(frame.text)}
            case wire.Notice():
                self.remarks = [*self.remarks, frame][-REMARKS:]
                said, me = translated(frame.text), self.scene().me
                is_about_others = frame.seat not in (WATCHER, me)
                if frame.what == "removed" and frame.seat == me:
                    self.watches = True  # nobody is invited to a table from which they were removed
                    said, is_about_others = (
                        translated(marked("The host has removed you from this table; you can watch.")),
                        True,
                    )
                told = {"regions": self._changed(self.scene(), ["people"]), "say": said}
                return told | {"toast": said} if is_about_others else told
            case wire.ChainLink():
                return {"regions": self._changed(self.scene(), ["people"])}
            case wire.Refused(id=id) if id.startswith("m"):
                return None  # a nonce that the page's script sent, unknown to the reader
            case wire.Refused():
                return {"refused": refusal(self.session.game, frame)}
            case wire.MixingStage():
                return {"mixing": {"stage": frame.stage, "commitment": frame.commitment, "match": frame.match}}
            case wire.Revealed():
                return {"revealed": {"commitment": frame.commitment}}
            case wire.Bye():
                return {"bye": translated(frame.reason), "back": frame.back}
        return None

    def _told(self, telling: wire.Telling) -> dict[str, Any]:
        known = (self.story.match, len(self.story.sentences))
        news, goes_on = self.story.hear(telling, self.session.came[0])
        before, self.telling = self.telling, telling
        scene = self.scene()
        guide.hold(self.session, scene)
        say = " ".join(map(scene.sentence, news[-READ_ALOUD:]))
        if before is not None and before.again != telling.again:
            say = f"{say} {scene.willing}".strip()
        if scene.taught is not None and (before is None or before.stop != telling.stop):
            say = f"{say} {scene.taught.words}".strip()
        if before is None and self._at == scene.moment:
            # messages, a link told since, and what the guide explains are not part of that moment
            others = {
                "people": bool(self.remarks or self.muted) or self._chain != scene.chain,
                "strip": self.explained is not None,
            }
            self.shown = regions(scene, [name for name in REGIONS if not others.get(name)])
            return {
                "regions": self._changed(scene, [name for name in others if others[name]]),
                "say": say,
                "asked": scene.is_asked,
                **self._paced(telling),
            }
        change: dict[str, Any] = {"say": say, "asked": scene.is_asked, **self._paced(telling)}
        if before is not None and before.seat == telling.seat and known > (telling.match, telling.heard):
            undone = _("A move was taken back.")
            change |= {"say": f"{undone} {say}".strip()} if scene.is_asked else {"say": undone, "toast": undone}
        as_they_were = set[str]()
        if before is not None and (before.seat, before.players) == (telling.seat, telling.players):
            if goes_on:
                as_they_were.add("story")
                if news:
                    change["news"] = items(scene, reversed(news))
                    self.shown.pop("story", None)  # what is shown now was never sent as a whole
            if _terms(before) == _terms(telling):
                as_they_were.add("people")
        if goes_on and news:
            change["beats"] = self._beats(scene, news)
            for name in ("board", "strip") if change["beats"] else ():
                self.shown.pop(name, None)  # by then the page shows an earlier moment
        change["regions"] = self._changed(scene, [name for name in REGIONS if name not in as_they_were])
        return change

    def _paced(self, telling: wire.Telling) -> dict[str, Any]:
        """Return what the page needs in order to say what it has shown, and whether bots wait for that."""
        return {"match": telling.match, "heard": telling.heard, "alone": self.session.sets_the_pace}

    def _beats(self, scene: Scene, news: Sequence[wire.Sentence]) -> list[dict[str, Any]]:
        """Return what happened, one event after another: the sentence, the player and the cards that it is about, its
        beat, and the board as it was then, if it can be drawn. After the last event, the board is that of the telling
        itself."""
        moments = {one.heard: one.items for one in scene.telling.moments}
        if not moments:
            return []
        told = len(scene.story) - len(news)
        found, lines, seen = list[dict[str, Any]](), list[str](), None
        for heard, said in enumerate(news, told + 1):
            beat: dict[str, Any] = {"say": scene.sentence(said), "who": said.who, "cards": scene.cards_of(said)}
            beat |= beat_of(scene, said)
            if heard in moments and (moments[heard] != seen or said.event in staged(scene.what)):
                seen = moments[heard]
                then = scene_at(scene, seen, scene.story[:heard])
                if not lines:
                    beat["strip"] = regions(then, ["strip"])["strip"]
                now = board_of(then)
                if now is not None and now != lines:
                    beat["board"] = changed_lines(lines, now)
                    lines = now
            found.append(beat)
        return found[-len(moments) - 1 :]

    def remember(self) -> None:
        """Take in the messages and notices of this table, except messages of guests whom this reader has muted."""
        muted, remarks = self.session.muted, self.session.remarks
        self.remarks = [one for one in remarks if isinstance(one, wire.Notice) or one.name.casefold() not in muted]
        called = {one.name.casefold(): one.name for one in remarks if isinstance(one, wire.Remark)}
        self.muted = tuple(called.get(name, name) for name in sorted(muted))

    def people(self) -> dict[str, Any]:
        """Return the people who are here and their messages, after somebody was muted or unmuted."""
        self.remember()
        say = _("Muted: {names}.", names=", ".join(self.muted)) if self.muted else _("Nobody is muted.")
        return {"regions": self._changed(self.scene(), ["people"]), "say": say}

    def strip(self) -> dict[str, Any]:
        """Return just the strip, after another idea has been explained."""
        scene = self.scene()
        guide.hold(self.session, scene)
        say = f"{scene.idea.occasion} {Markup(scene.idea.text).striptags()}" if scene.idea else str(scene.now)
        return {"regions": self._changed(scene, ["strip"]), "say": say, "heard": scene.telling.heard}

    def scene(self, **more: Any) -> Scene:
        """Return this moment as this reader sees it."""
        assert self.about is not None
        assert self.telling is not None
        if self._game is None:
            self._game = game_of(self.about)  # made once for all moments of the match
        return Scene(
            self.about, self.telling, self.story.sentences, self.link, self.four_colours, list(self.remarks),
            resumed=self.session.is_resumed, explained=self.explained,
            muted=self.muted, is_host=self.session.is_host, chain=self.session.chain, reader=self.name,
            predecessor=self.session.came[1], watches=self.watches, how_to_take_back=lambda: self.session.taking_back,
            rules=self._game, slow=self.session.slow, finishers=self.session.finishers(self.telling.match),
            **more,
        )  # fmt: skip

    def _changed(self, scene: Scene, wanted: Iterable[str]) -> dict[str, str]:
        now = regions(scene, wanted)
        changed = {name: html for name, html in now.items() if self.shown.get(name) != html}
        self.shown |= changed
        return changed


class Readers:
    """The pages of tables that are open now."""

    def __init__(self) -> None:
        self._open: WeakSet[Reader] = WeakSet()

    def add(self, reader: Reader) -> None:
        """Add a page that was opened; it is forgotten when it is gone."""
        self._open.add(reader)

    def of(self, session: Session) -> Iterator[Reader]:
        """Yield the pages of one table that a guest has open."""
        for one in list(self._open):
            if (one.session.id, one.session.key) == (session.id, session.key):
                yield one


def scene_at(scene: Scene, items: Sequence[Item], story: Sequence[wire.Sentence]) -> Scene:
    """Return the scene of an earlier moment, at which nobody was asked."""
    telling = structs.replace(
        scene.telling, items=list(items), view=None, choices=[], asked=[], hushed=False, held=[], over=False,
        returns=[], stop=0,
    )  # fmt: skip
    return replace(scene, telling=telling, story=story, then=tuple(scene.telling.asked), placed=set())


def board_of(then: Scene) -> list[str] | None:
    """Return the board at such a moment, in lines; ``None`` if it cannot be drawn, since games' boards are made for
    moments at which somebody chooses."""
    try:
        return board(then).splitlines()
    except Exception:
        return None


def changed_lines(before: Sequence[str], now: Sequence[str]) -> list[str | list[int]]:
    """Return how lines follow from those before them: new lines as they are, and [first, number] for old ones.

    >>> changed_lines(["a", "b", "c"], ["a", "x", "b", "c"])
    [[0, 1], 'x', [1, 2]]
    """
    places = {line: n for n, line in reversed([*enumerate(before)])}
    found: list[str | list[int]] = []
    for line in now:
        last = found[-1] if found else ""
        if isinstance(last, list) and sum(last) < len(before) and before[sum(last)] == line:
            last[1] += 1
        elif line in places:
            found.append([places[line], 1])
        else:
            found.append(line)
    return found


def _terms(telling: wire.Telling) -> tuple[object, ...]:
    """Return what the list of people depends on, apart from who has which seat."""
    return telling.match, telling.closed, telling.host, telling.allowed


def refusal(game: Game, refused: wire.Refused) -> dict[str, str]:
    """Return a refusal as the page shows it."""
    return {
        "sentence": refusal_in_words(game.id, refused.sentence, game),
        "clause": refused.clause,
        "text": str(clause_of(game, refused.clause)) if refused.clause else "",
    }


__all__ = ["Reader", "Readers", "refusal"]
