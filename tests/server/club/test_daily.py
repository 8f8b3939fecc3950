"""The deal of the day: the same cards for everybody, one try, and nothing of them before their time."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

import parlour
from parlour import CHANCE
from parlour.base.errors import ParlourError
from parlour.core import verifying
from parlour.core.fair_deal import FairDeal, commitment
from parlour.core.ledger import fair_outcome
from parlour.server.bots.best_line import BestLines, in_deals
from parlour.server.club import daily
from parlour.server.club.daily import end_of, known_day, ranked, terms
from parlour.server.club.pages.daily import ComparedChoice, left, side_by_side
from parlour.server.common import clock, wire
from parlour.server.live.identity import COOKIE
from parlour.server.live.secrecy import OVERTIME
from parlour.server.store.competitions import Outcome
from parlour.server.table.chance import bots_seed
from parlour.server.table.competition_names import after, today
from parlour.server.web.api import API
from tests.core import fair_by_hand
from tests.helpers import GAMES, there
from tests.room_helpers import Guest, QuickBots, Server, bearer, line_to, running
from tests.server.club.test_profile import reader, result
from tests.server.live.test_room_database import once
from tests.waiting import wait_until

SECRET = bytes(range(32))


def by_position(game: str, players: int | None = None, secret: bytes = SECRET, **options: Any) -> parlour.State:
    state = parlour.load(game, players, **options).new()
    state.ledger.fair = FairDeal(commitment(secret), secret=secret, by_position=True)
    return state


def played_on(state: parlour.State, random: Random) -> list[str]:
    """Play a game to its end, anyhow; return what chance brought."""
    while not state.is_terminal:
        if state.current_player == CHANCE:
            state.apply(fair_outcome(state))
        else:
            player = state.acting[0]
            state.apply(random.choice(state.legal_actions(player)), player)
    return [one.name for one in state.history if one.player == CHANCE]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_dealt_before_anybody_chooses_is_the_same(game: str) -> None:
    """Whatever players do later, and whichever binding or process draws; and a copy goes on as the original does."""
    dealt = set()
    for seed in range(3):
        state = by_position(game)
        copy = state.clone()
        assert played_on(copy, Random(seed)) == played_on(state, Random(seed))
        first = next((n for n, one in enumerate(state.history) if one.player != CHANCE), len(state.history))
        dealt.add(tuple(one.name for one in state.history[:first]))
    assert len(dealt) == 1


def test_bots_choose_alike_at_the_same_point_whatever_happened_in_earlier_deals() -> None:
    """Their chance belongs to the point of the deal, too."""
    seeds = []
    for seed in range(2):
        state = by_position("matrimony", 4, deals=2)
        random = Random(seed)
        while not state.deals:
            player = None if state.current_player == CHANCE else state.acting[0]
            choice = fair_outcome(state) if player is None else random.choice(state.legal_actions(player))
            state.apply(choice, player)
        seeds.append([bots_seed(SECRET, state, seat) for seat in range(4)])
    assert seeds[0] == seeds[1]
    assert len({*seeds[0], bots_seed(SECRET, by_position("matrimony", 4, deals=2), 0)}) == 5


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [("leduc", 2, {}), ("diamondback", 3, {"deals": 2}), ("matrimony", 3, {"deals": 3}), ("diabolo", 3, {"deals": 1})],
)
def test_a_second_implementation_made_from_the_page_alone_draws_the_same(
    game: str, players: int, options: dict[str, Any]
) -> None:
    state = by_position(game, players, **options)
    played_on(state, Random(7))
    found = fair_by_hand.cards(state.record())
    assert len(found) == state.ledger.nodes
    assert [stands for stands, _ in found] == [follows for _, follows in found]


def test_a_record_says_so_and_can_be_checked() -> None:
    """Two outcomes of the same name would have the same numbers, so the second would never happen."""
    state = by_position("leduc")
    played_on(state, Random(3))
    record = state.record()
    assert "\ndrawn: by position\n" in record
    verdict = verifying.verify(record)
    assert (verdict.is_fair, verdict.is_whole) == (True, True)
    assert parlour.replay(record).record() == record
    swapped = re.sub("(?<=chance: )[JQ]", lambda one: {"J": "Q", "Q": "J"}[one[0]], record)
    assert swapped == record or verifying.verify(swapped).wrong
    assert not verifying.verify(record.replace("drawn: by position\n", "")).is_fair
    with pytest.raises(ParlourError, match="by position"):
        parlour.replay(record.replace("drawn: by position", "drawn: as you like"))
    fair = FairDeal(commitment(SECRET), secret=SECRET, by_position=True)
    with pytest.raises(ParlourError, match=r"share a name \(J, J\), so they would draw alike"):
        fair.draw_by_position(0, ["J", "J"], [1, 1], [0, 0])
    with pytest.raises(ParlourError, match="no numbers of players go in"):
        FairDeal(commitment(SECRET), by_position=True).mixed(0, {0: bytes(32)})


def outcome(guest: str, score: float, at: float = 0.0) -> Outcome:
    played = {"at": at, "names": [guest, "Ben"], "bots": ["", "random"], "returns": [score, -score]}
    return Outcome(guest, result(1, 2, **played))


def test_equal_scores_share_a_place_and_late_ones_do_not_count() -> None:
    lines = ranked([outcome("a", 1), outcome("b", 3), outcome("c", 1), outcome("d", -2), outcome("e", 9, at=200)], 100)
    assert [(one.place, one.name) for one in lines] == [(1, "b"), (2, "a"), (2, "c"), (4, "d")]


def test_days_are_those_of_greenwich() -> None:
    assert end_of("2026-11-23") - 1 < end_of("2026-11-24") - 86399
    assert today(end_of("2026-11-23")) == "2026-11-24" == after("2026-11-23", 1)
    assert left(59) == "less than a minute"
    for wrong in ("yesterday", "2026-13-01", "20261123", "../2026-11"):
        with pytest.raises(ParlourError, match="is not a date"):
            known_day(wrong)


def test_two_lines_of_play_stand_beside_each_other() -> None:
    state = by_position("matrimony", 4, deals=2)
    played_on(state, Random(1))
    mine = in_deals(state, 0)
    assert [len(deal) for deal in mine] == [
        sum(one.player == 0 for one in state.history[a:b])
        for a, b in ((0, state.deals[0].steps), (state.deals[0].steps, state.deals[1].steps))
    ]
    found = side_by_side("leduc", [["raise", "call"], ["fold"]], [["raise"], ["call", "raise"]])
    assert [(one.deal, one.number, *one.done, one.parts) for one in found] == [
        (1, 1, "raise", "raise", False), (1, 2, "call", "", True), (2, 1, "fold", "call", True),
        (2, 2, "", "raise", False),
    ]  # fmt: skip


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(daily, "PACE", 0.0)
    with running(tmp_path / "p.db") as server:
        yield server


@pytest.fixture
def tomorrow(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What makes it tomorrow, some seconds after midnight; if none are given, noon."""

    def turn(seconds: float = 43200.0) -> None:
        ahead = end_of(today(time.time())) - time.time() + seconds
        monkeypatch.setattr(clock, "wall", lambda: time.time() + ahead)

    return turn


def began(server: Server, token: str, name: str = "Zoe", game: str = "leduc") -> str:
    """The invitation of the table at which a guest plays the deal of the day."""
    with reader(server, token) as guest:
        answer = guest.post(f"/daily/{game}", data={"name": name})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/t/")


def table_of(server: Server, code: str, token: str) -> dict[str, Any]:
    found = httpx.get(f"{server.url}{API}/tables/{code}", headers=bearer(token))
    assert found.status_code == 200, found.text
    return dict(found.json())


def secret_of(server: Server, day: str, game: str = "leduc") -> bytes:
    return there(server.tables.competitions.get(f"day/{day}/{game}")).secret or b""


def play(server: Server, token: str, name: str = "Zoe", game: str = "leduc") -> Any:
    """Play the deal of the day to its end; return the last telling."""
    code = began(server, token, name, game)
    with Guest(server, table_of(server, code, token)["table"], token) as guest:
        last = guest.to_the_end()
    with reader(server, token) as hers:
        wait_until(lambda: "You have played today" in hers.get(f"/daily/{game}").text)
    return last


def test_there_is_one_try_a_device(house: Server) -> None:
    """And a button that is pressed several times at once opens one table.  No bot plays for a guest who has gone."""
    with ThreadPoolExecutor(4) as presses:
        (code,) = {one.result() for one in [presses.submit(began, house, "zoe's token") for _ in range(4)]}
    (live,) = [one for one in house.tables.live.values() if not one.table.closed]
    assert live.code == code
    with reader(house, "zoe's token") as hers:
        assert 'href="/daily/hearts"' in hers.get("/daily").text
        shown = hers.get(f"/t/{code}").text
        assert ('id="hint"' in shown, "Invite" in shown) == (False, False)
    assert (live.table.opened.grace > 2 * 86400, live.table.opened.patience) == (True, 0)
    play(house, "zoe's token")
    assert began(house, "zoe's token") == code
    with Guest(house, live.id, "zoe's token") as zoe:
        zoe.told(lambda told: told.over)
        answer = zoe.ask("again")
        assert isinstance(answer, wire.Refused)
        assert "one match only" in answer.sentence


def test_results_are_shown_after_one_has_played_and_not_before(house: Server) -> None:
    """A guest who is forgotten leaves no trace but a number."""
    play(house, "zoe's token", "Zoe")
    with reader(house, "zoe's token") as zoe, reader(house, "abe's token") as abe:
        assert "Zoe</bdi> (you)" in zoe.get("/daily/leduc").text
        assert "Zoe" not in abe.get("/daily/leduc").text
        began(house, "abe's token", "Abe")
        assert "Zoe" not in abe.get("/daily/leduc").text
        play(house, "abe's token", "Abe")
        assert "Zoe" in abe.get("/daily/leduc").text
        event = f"day/{today(clock.wall())}/leduc"
        zoe.post("/you/forget")
        assert len(house.tables.competitions.outcomes([event])[event]) == 1
        assert house.tables.competitions.entrants(event)[0].guest.startswith("nobody ")
        assert "Zoe" not in abe.get("/daily/leduc").text


def test_nothing_of_todays_cards_is_told_to_anybody_else(house: Server) -> None:
    """Neither while the match is on nor when it is over, by whatever way."""
    code = began(house, "zoe's token", game="diamonds")
    name = table_of(house, code, "zoe's token")["table"]
    ways = [
        f"{API}/tables/{code}", f"{API}/tables/{name}", f"{API}/tables/{name}/record", f"{API}/tables/{name}/frames",
        f"/t/{code}", f"/t/{name}", f"/t/{code}?watch=yes", f"/t/{code}/record", f"/t/{code}/replay",
        f"/t/{code}/replay/1", f"/t/{code}/replay/1/review", f"/t/{code}/replay/1/picture.svg", f"/t/{code}/verify",
        f"/t/{code}/code.svg", f"/join?code={code}", f"/rules/diamonds?table={code}",
    ]  # fmt: skip

    def nobody_else_gets_in() -> None:
        for token in ("", "abe's token"):
            with reader(house, token) as other:
                for way in ways:
                    with other.stream("GET", way) as answer:
                        assert answer.status_code == 403, way
                for way, data in ((f"/t/{code}/sit", {"name": "Abe"}), (f"/t/{code}/hint", {}), (f"/t/{code}/do", {})):
                    assert other.post(way, data=data).status_code == 403, way
                assert house.seat(name, "Abe", token=token).status_code == 403
                assert house.command(name, "undo", token).status_code == 403
                assert code not in other.get("/").text
                assert name not in other.get(f"{API}/tables").text
            for way in (f"{API}/tables/{name}/socket", f"/t/{code}/live"):
                cookie = {"Cookie": f"{COOKIE}={token}"}
                with line_to(house.socket(way), additional_headers=cookie) as line, suppress(ConnectionClosed):
                    assert all(json.loads(said)["frame"] == "bye" for said in line)

    nobody_else_gets_in()
    with Guest(house, name, "zoe's token") as zoe:
        assert zoe.to_the_end().over
    nobody_else_gets_in()


def test_the_guest_is_not_told_the_secret_or_the_whole_record_before_the_day_is_over(
    house: Server, tomorrow: Any
) -> None:
    """Nor does any page lead to a replay that cannot be opened yet."""
    play(house, "zoe's token", game="leduc")
    code = began(house, "zoe's token", game="leduc")
    with reader(house, "zoe's token") as zoe:

        def links() -> list[str]:
            pages = [zoe.get(page).text for page in ("/", "/you", "/you/leduc")]
            assert all("Leduc" in page for page in pages)
            return [link for page in pages for link in re.findall(r'href="(/t/\w+/replay[^"]*)"', page)]

        kept = zoe.get(f"/t/{code}/record").text
        assert "redacted for" in kept
        assert "\nsecret:" not in kept
        for way in ("replay/1?seat=0", "replay/1/review"):
            assert zoe.get(f"/t/{code}/{way}").status_code == 409
        assert links() == []
        assert "There are no hints here" in zoe.post(f"/t/{code}/hint").text
        shown, secret = zoe.get("/daily/leduc").text, secret_of(house, today(clock.wall()))
        assert commitment(secret) in shown
        assert secret.hex() not in shown
        tomorrow(OVERTIME + 60.0)
        whole = zoe.get(f"/t/{code}/record").text
        verdict = verifying.verify(whole)
        assert (verdict.is_fair, verdict.is_whole, secret.hex() in whole) == (True, True, True)
        assert [zoe.get(link, follow_redirects=True).status_code for link in links()] == [200] * 3


def test_cards_stay_unknown_while_somebody_plays_on_past_midnight(house: Server, tomorrow: Any) -> None:
    """For an hour; then nobody can play them any more."""
    play(house, "zoe's token", "Zoe")
    abes, bens = began(house, "abe's token", "Abe"), began(house, "ben's token", "Bea")
    his, other = table_of(house, bens, "ben's token")["table"], table_of(house, abes, "abe's token")["table"]
    day = today(clock.wall())
    secret = secret_of(house, day)
    with reader(house) as nobody, reader(house, "zoe's token") as zoe, Guest(house, his, "ben's token") as ben:
        ben.told(lambda telling: bool(telling.choices))
        tomorrow(60.0)
        shown = zoe.get(f"/daily/leduc/{day}").text
        assert "Somebody may still be playing" in shown
        assert secret.hex() not in shown
        assert "/replay" not in shown
        assert nobody.get(f"/t/{bens}").status_code == 403
        with Guest(house, other, "abe's token") as abe:
            assert abe.to_the_end().over
        assert "\nsecret:" not in zoe.get(f"/t/{abes}/record").text
        tomorrow(OVERTIME + 60.0)
        refused = ben.ask("act", action=ben.told(lambda telling: bool(telling.choices)).choices[0].name)
        assert isinstance(refused, wire.Refused)
        assert "everybody may see these cards now" in refused.sentence
        assert secret.hex() in zoe.get(f"/daily/leduc/{day}").text
        assert "\nsecret:" in nobody.get(f"/t/{abes}/record").text
    wait_until(lambda: bool(house.tables.live[his].table.closed))


def test_when_the_day_is_over_everybody_sees_how_it_went(
    house: Server, tomorrow: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also if the best line cannot be kept at first."""

    async def review(self: QuickBots, kind: str, view: Any, legal: Any) -> Any:
        return SimpleNamespace(action=legal[0])

    monkeypatch.setattr(QuickBots, "review", review)
    play(house, "zoe's token", "Zoe")
    code = began(house, "abe's token", "Abe")
    with Guest(house, table_of(house, code, "abe's token")["table"], "abe's token") as abe:
        last = abe.to_the_end(-1)
    day = today(clock.wall())
    with reader(house, "abe's token") as abe_again, reader(house) as nobody:
        wait_until(lambda: "You have played today" in abe_again.get("/daily/leduc").text)
        assert nobody.get(f"/daily/leduc/{day}").headers["location"] == "/daily/leduc"
        tomorrow()
        shown = nobody.get(f"/daily/leduc/{day}").text
        secret = secret_of(house, day)
        for part in ("Zoe", "Abe", secret.hex(), commitment(secret)):
            assert part in shown
        assert "Your line and the best" not in shown
        monkeypatch.setattr(house.tables.competitions, "change", once(house.tables.competitions.change))
        mine = abe_again.get(f"/daily/leduc/{day}").text
        assert "The strongest bot is playing this deal now" in mine
        wait_until(lambda: "against the same bots" in abe_again.get(f"/daily/leduc/{day}").text)
        assert "leduc cannot be kept: The database does not answer." in caplog.text
        mine = abe_again.get(f"/daily/leduc/{day}").text
        assert '<th scope="col">The strongest bot</th>' in mine
        assert ('<th scope="col"><bdi>Zoe</bdi></th>' in mine) == ("Abe" in mine.partition("Zoe")[2])
        rows = re.findall(r"<tr([^>]*)><td>\d</td><th scope=\"row\"><bdi>(.*?)</bdi>", mine)
        assert {name: "aria-current" in mark for mark, name in rows} == {"Abe": True, "Zoe": False}
        with monkeypatch.context() as patch:  # they may all have done the same
            made_up = [ComparedChoice(1, 1, ["raise", "call"], True), ComparedChoice(1, 2, ["call", "fold"], False)]
            patch.setattr("parlour.server.club.pages.daily.side_by_side", lambda *lines: made_up)
            marks = re.findall(r"<tr([^>]*)><th scope=\"row\">1\.\d+</th>", abe_again.get(f"/daily/leduc/{day}").text)
            assert ["won" in mark for mark in marks] == [True, False]
        assert "against the same bots" not in nobody.get(f"/daily/leduc/{day}").text
        assert f'<a href="/t/{code}/replay">Your replay</a>' in mine, "for the best of all too"
        assert "Your replay" not in shown
        replay = abe_again.get(f"/t/{code}/replay", follow_redirects=True).text
        assert "Your costliest choices" in replay
        assert nobody.get(f"/t/{code}").status_code == 200
        assert last.over
        assert nobody.get("/daily/leduc/not-a-date").status_code == 404


class Imitator:
    """It chooses for the guests' seat what a guest chose, and lets the server's bots choose for the others."""

    is_busy = False

    def __init__(self, bots: Any, record: str) -> None:
        self.choose, self._did = bots.choose, dict[str, int]()
        whole = parlour.replay(record)
        for n, step in enumerate(whole.history):
            if step.player == 0:
                self._did[str(whole.at(n).view(0).dump())] = whole.game.find_action(step.name)

    async def review(self, kind: str, view: Any, legal: Any) -> Any:
        return SimpleNamespace(action=self._did[str(view.dump())])


@pytest.mark.parametrize("game", ["leduc", "diamonds", pytest.param("commit", marks=pytest.mark.long)])
def test_the_bot_has_the_cards_and_the_bots_that_guests_had(house: Server, tomorrow: Any, game: str) -> None:
    """If it chooses as a guest did, it plays the guest's match, to the last card."""
    play(house, "zoe's token", "Zoe", game)
    day = today(clock.wall())
    (entrant,) = house.tables.competitions.entrants(f"day/{day}/{game}")
    tomorrow()
    with reader(house, "zoe's token") as zoe:
        record = zoe.get(f"/t/{entrant.code}/record").text
    guests = parlour.replay(record)
    lines = BestLines(Imitator(house.tables.bots, record), house.tables.competitions)  # type: ignore[arg-type]
    others = terms(game, guests.game.players, "2026-11-23", "guest").bots[-1]
    playing = lines._play(secret_of(house, day, game), guests.game, others)
    state = there(house.within(playing))
    assert [(one.player, one.name) for one in state.history] == [(one.player, one.name) for one in guests.history]


def test_days_have_a_beginning(house: Server, tomorrow: Any) -> None:
    """Before the first day that has a deal there are no pages, and nothing leads there."""
    first = today(clock.wall())
    with reader(house) as nobody:
        assert "Yesterday" not in nobody.get("/daily/kuhn").text
        tomorrow()
        assert f"/daily/kuhn/{first}" in nobody.get("/daily/kuhn").text
        shown = nobody.get(f"/daily/kuhn/{first}")
        assert shown.status_code == 200
        assert "The day before" not in shown.text
        for day in (after(first, -1), "1850-01-02", "0001-01-01"):
            assert nobody.get(f"/daily/kuhn/{day}").status_code == 404
        assert nobody.get("/daily/leduc/" + first).status_code == 404, "nobody has asked for a deal of this game"
        for day in ("9999-12-31", after(first, 1)):
            assert nobody.get(f"/daily/kuhn/{day}").headers["location"] == "/daily/kuhn"
        robots = nobody.get("/robots.txt").text
        assert {"Allow: /rules/", "Disallow: /"} <= set(robots.splitlines())
