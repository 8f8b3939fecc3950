"""What a guest finds again: their tables, how their matches ended, and the same on another device."""

from __future__ import annotations

import math
import re
import time
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from msgspec import structs

import parlour
from parlour.server.club.pages.profile import ago, outcome, seated
from parlour.server.common import wire
from parlour.server.live import moves, seating
from parlour.server.live.identity import COOKIE, Tokens
from parlour.server.store.competitions import Competitions
from parlour.server.store.history import MatchResult, results_of, tallies
from parlour.server.store.retention import DAY, Keep
from parlour.server.store.store import Store
from parlour.server.store.traces import Traces
from parlour.server.table.seats import fingerprint
from parlour.server.table.table import Table
from tests.room_helpers import Guest, Server
from tests.waiting import LIMIT, wait_until
from tests.worlds import LoggedTable, opened

ZOE, ABE = fingerprint("zoe's token"), fingerprint("abe's token")


def reader(server: Server, token: str = "", **more: str) -> httpx.Client:
    """The browser of a guest with this token; ``more``: further headers."""
    cookies = httpx.Cookies()
    if token:
        cookies.set(COOKIE, token, domain="127.0.0.1")  # so that the server can replace it
    headers = {"Accept": "text/html", "Origin": server.url, **more}
    return httpx.Client(base_url=server.url, cookies=cookies, headers=headers, timeout=LIMIT)


def result(*places: int, **more: Any) -> MatchResult:
    """How a match ended: as usual, where nothing else is said."""
    usual: dict[str, Any] = {"at": 0.0, "game": "leduc", "code": "", "match": 1, "seat": 0, "gains": []}
    return MatchResult(places=[*places], **usual | {"names": ["A"] * len(places), "bots": [""] * len(places)} | more)


def sure(browser: httpx.Client, phrase: str) -> httpx.Response:
    return browser.post("/you/here", data={"phrase": phrase, "sure": "yes"})


def matches(server: Server, token: str) -> list[dict[str, Any]]:
    """A guest's matches, as they may save them."""
    with reader(server, token) as zoe:
        return [one["result"] for one in zoe.get("/you/export").json()["results"]]


def played(server: Server, game: str = "leduc", **wanted: Any) -> tuple[dict[str, Any], Any]:
    """A match that a guest has played to its end: the table, and the last telling."""
    made = server.make(game, **wanted)
    with Guest(server, made["table"], made["token"]) as zoe:
        last = zoe.to_the_end()
    wait_until(lambda: matches(server, made["token"]))
    return made, last


@pytest.mark.parametrize(
    ("so", "now", "mine"),
    [
        ({"over": True}, "the match is over", False),
        ({"held": [1.0, -1.0]}, "waiting for you to go on", True),
        ({"choices": [wire.Choice(0, "call")], "asked": [0]}, "your turn", True),
        ({"asked": [1]}, "waiting for Ben", False),
        ({}, "waiting", False),
    ],
)
def test_it_is_said_how_a_table_stands(so: dict[str, Any], now: str, mine: bool) -> None:
    table = Table(opened(parlour.load("leduc")))
    told = structs.replace(table.known.telling(0), **so)
    session: Any = SimpleNamespace(telling=lambda _: told, game=table.game, code="BCDFGH", noticed_at=0.0)
    shown = seated(session, 0.0)
    assert (shown.now, shown.mine) == (now, mine)


def test_a_seat_is_said_to_have_noticed_something_only_when_it_has() -> None:
    """Otherwise the time would tell that somebody else has answered in secret."""
    table = Table(opened(parlour.load("hearts"), maker=ZOE))  # cards are passed in secret
    table.commit(seating.sit(table, 0, "Zoé", ZOE), 5.0)
    secret = bytes(32)
    table.commit(moves.commit_to(table, secret), 6.0)
    table.commit(moves.go_on(table, secret, {}), 7.0)
    unnoticed = 0
    for n in range(20):
        if not table.asked:
            break
        before, times = list(table.known.marks), list(table.known.noticed_at)
        seat, at = table.asked[0], 10.0 + n
        table.commit(moves.act(table, seat, table.game.action_names[table.known.question(seat)[1][-1]], secret), at)
        for p, (mark, was) in enumerate(zip(before, times, strict=True)):
            noticed = table.known.marks[p] != mark
            assert table.known.noticed_at[p] == (at if noticed else was)
            unnoticed += not noticed
    assert unnoticed


def test_how_a_match_ended_is_kept_for_its_guest(house: Server) -> None:
    made, last = played(house)
    (kept,) = matches(house, made["token"])
    ahead = last.returns[last.seat] > 0
    assert kept["game"] == "leduc"
    assert kept["names"] == [one.name for one in last.players]
    assert kept["bots"] == ["" if one.guest else "random" for one in last.players]
    assert kept["places"][kept["seat"]] == (1 if ahead or not any(last.returns) else 2)
    with reader(house, made["token"]) as zoe:
        for page in ("/", "/you"):
            assert outcome(MatchResult(**kept)) in zoe.get(page).text
    with reader(house, "somebody else's") as other:
        assert "Nothing yet." in other.get("/you").text


def test_gains_are_those_of_the_score_sheet_which_can_be_opened_again(house: Server) -> None:
    made, last = played(house, "matrimony", options={"deals": "3"})
    with reader(house, made["token"]) as zoe:
        shown = zoe.get("/you/matrimony").text
    cells = re.findall(r"<td>(\d+)</td>", shown.partition("You</th>")[2].partition("</tr>")[0])
    assert cells == [str(row[last.seat]) for row in last.sheet[1:]]
    (kept,) = matches(house, made["token"])
    assert kept["gains"] == [now - then for then, now in zip(last.sheet[0], last.sheet[-1], strict=True)]
    points = {fingerprint(made["token"]): result(2, 1, 3, 4, game="hearts", gains=[9, 3, 26, 26])}
    house.tables.guests._traces.keep_results(made["table"], 2, points)
    with reader(house, made["token"]) as zoe:
        for way in ("/you", "/you/hearts"):
            shown = zoe.get(way).text
            assert ("9 points" in shown, "+9" in shown, "fewer is better" in shown) == (True, False, True)


def test_a_match_from_a_record_counts_for_nobody(house: Server) -> None:
    """Whoever brought the record may have known the cards."""
    with house.guest("", record=parlour.load("leduc").new(seed=1).record()) as zoe:
        zoe.to_the_end()
    assert played(house)[0]["token"] != zoe.token  # later than that one, and it is kept
    assert matches(house, zoe.token) == []


def test_a_guest_goes_on_at_another_device(house: Server) -> None:
    made, _ = played(house)
    with reader(house, made["token"]) as phone, reader(house) as laptop:
        shown = phone.post("/you/carry")
        fours = re.findall(".{4}", made["token"])
        phrase = " ".join(fours[:4]) + "\n" + " ".join(fours[4:])
        assert f">{phrase}</textarea>" in shown.text, "in fours, as people read it out"
        assert "<strong>127.0.0.1" in shown.text, "with the whole address of the other device's page"
        assert shown.headers["cache-control"] == "no-store"
        assert shown.headers.get("content-encoding") is None
        wrong = laptop.post("/you/here", data={"phrase": made["token"][:-1]})
        assert wrong.status_code == 422
        assert "isn’t a phrase of this house" in wrong.text
        asked = laptop.post("/you/here", data={"phrase": f" {phrase} "})
        assert asked.status_code == 200
        assert "this browser is the guest <bdi>Zoé</bdi>" in asked.text
        assert "you become their guest: they see your cards" in asked.text, "also where nobody has been before"
        assert COOKIE not in laptop.cookies
        assert asked.headers["cache-control"] == "no-store"
        assert f'name="phrase" value="{made["token"]}"' in asked.text
        assert sure(laptop, made["token"]).headers["location"] == "/you"
        assert laptop.cookies[COOKIE] == made["token"]
        assert "Zoé" in laptop.get("/").text, "with the name that they used last"
        assert phone.post("/you/name", data={"name": "Zoé"}).status_code == 303
        assert laptop.get("/you").text == phone.get("/you").text


def test_a_guest_is_told_their_name_and_can_change_it(house: Server) -> None:
    with reader(house) as zoe:
        assert "You play as" not in zoe.get("/").text
        assert 'href="/you/here"' in zoe.get("/you").text, "where who comes from another device enters the phrase"
        assert zoe.post("/you/name", data={"name": " Zoé "}).headers["location"] == "/you"
        front = zoe.get("/")
        assert "You play as <bdi>Zoé</bdi>" in front.text
        assert front.headers.get("content-encoding") is None
        wrong = zoe.post("/you/name", data={"name": "Z" * 17})
        assert (wrong.status_code, "A name has 1 to 16 letters" in wrong.text) == (422, True)
        assert f'value="{"Z" * 17}"' in wrong.text, "what was typed stays"
        assert "<bdi>Zoé</bdi>" in zoe.get("/").text
        zoe.post("/play/kuhn")
        assert "Zoé" in zoe.get("/new/kuhn").text


def test_only_a_phrase_that_a_house_has_made_is_taken(house: Server) -> None:
    """Anybody could otherwise have others sit at a seat of theirs, with a phrase that they made up."""
    with reader(house) as victim:
        answer = victim.post("/you/carry")
        assert (answer.status_code, "sit down at a table first" in answer.text) == (409, True)
        for phrase in ("A" * 32, Tokens(bytes(32), set()).new(), "", "zoe's token"):
            for is_sure in ("", "yes"):
                answer = victim.post("/you/here", data={"phrase": phrase, "sure": is_sure})
                assert answer.status_code == 422
                assert "That isn’t a phrase of this house, or no longer" in answer.text
                assert COOKIE not in victim.cookies
        assert victim.post("/you/forget").status_code == 303
        assert not any(victim.get("/you/export").json().values())


def test_a_token_from_before_tokens_were_marked_goes_on(house: Server) -> None:
    """It is in cookies and on slips of paper: what is kept of its guest shows that it is one."""
    old = "o" * 32
    with reader(house, old) as phone, reader(house) as laptop:
        assert phone.post("/you/carry").status_code == 409, "nobody has been here with it"
        assert sure(laptop, old).status_code == 422
        code = phone.post("/play/kuhn", data={"name": "Zoé"}).headers["location"][-6:]
        (table,) = phone.get("/you/export").json()["tables"]
        assert (table["code"], table["game"], table["seat"]) == (code, "kuhn", 0)
        assert phone.cookies[COOKIE] == old
        assert "oooo oooo" in phone.post("/you/carry").text
        assert sure(laptop, old).status_code == 303
        front = laptop.get("/").text
        assert (code in front, "You play as <bdi>Zoé</bdi>" in front) == (True, True)


def test_who_signs_out_everywhere_is_known_by_a_new_token_alone(house: Server) -> None:
    """Whoever has seen the phrase is nobody: they see no hand, and what they do is not done."""
    made, _ = played(house)
    running, token = house.make("leduc", pace=60), made["token"]
    assert house.seat(running["table"], "Zo", token=token).is_success
    with (
        Guest(house, running["table"], token) as thief,
        Guest(house, made["table"], token) as other_tab,
        reader(house, token) as phone,
        reader(house, token) as stolen,
        reader(house) as laptop,
    ):
        thief.told(lambda told: told.seat >= 0)
        other_tab.told(lambda told: told.over)
        seat = thief.telling.seat if thief.telling else -1
        assert "Cancel" in phone.post("/you/out").text, "it asks first"
        assert phone.cookies[COOKIE] == token
        assert len(matches(house, token)) == 1
        yes = {"sure": "yes"}
        assert phone.post("/you/out", data=yes).headers["location"] == "/you"
        new = phone.cookies[COOKIE]
        assert new != token
        for socket in (thief, other_tab):
            bye = socket.until(lambda frame: isinstance(frame, wire.Bye))
            assert "signed out" in bye.reason
        assert len(matches(house, new)) == 1
        assert matches(house, token) == []
        assert "Nothing yet." in stolen.get("/you").text
        assert sure(laptop, token).status_code == 422
        assert sure(laptop, new).status_code == 303
        refused = house.command(running["table"], "leave", token).json()
        assert refused["sentence"] == "You have no seat to leave."
        with Guest(house, running["table"], token) as again:
            assert again.told(lambda told: True).seat == -1
        with Guest(house, running["table"], new) as zoe:
            assert zoe.told(lambda told: True).seat == seat
        assert stolen.post("/play/kuhn", data={"name": "Eve"}).status_code == 303
        assert stolen.cookies[COOKIE] not in (token, new), "who comes with it is given one of their own"


def test_whose_answer_is_lost_when_they_sign_out_is_still_the_same_guest(house: Server) -> None:
    """They press twice, or the connection breaks: the browser has only the cookies from before."""
    made, _ = played(house)
    with reader(house, made["token"]) as phone, reader(house, made["token"]) as stolen:
        phone.post("/you/out")
        before = dict(phone.cookies)
        for sure_of_it in ("yes", "yes", ""):
            lost = httpx.post(f"{house.url}/you/out", data={"sure": sure_of_it}, cookies=before)
            assert lost.status_code in (200, 303)
        shown = httpx.get(f"{house.url}/you/export", cookies=before).json()
        assert len(shown["results"]) == 1
        assert stolen.post("/you/out", data={"sure": "yes"}).headers.get("set-cookie") is None
        assert not any(stolen.get("/you/export").json().values())


def test_who_deletes_everything_leaves_the_table(house: Server) -> None:
    """Their seat is a bot's, their sockets end, what they said is gone, and the others play on."""
    hers = house.guest(name="Xanthippe", awaits=2)
    his = Guest(house, hers.table, house.seat(hers.table, "Abe").json()["token"])
    with hers, his, reader(house, hers.token) as zoe, reader(house, his.token) as him:
        hers.ask("say", text="my number is 0815")
        assert "my number is 0815" in him.get(f"/t/{hers.table}").text
        answer = zoe.post("/you/forget")
        assert (answer.status_code, f'{COOKIE}=""' in answer.headers["set-cookie"]) == (303, True)
        assert not hers.until(lambda frame: isinstance(frame, wire.Bye)).back
        assert his.until(lambda frame: isinstance(frame, wire.Bye)).back
        shown = him.get(f"/t/{hers.table}").text
        assert [one for one in ("0815", "Xanthippe") if one in shown] == []
        with Guest(house, his.table, his.token) as again:
            told = again.told(lambda told: True)
            assert [one.guest for one in told.players] == [False, True]
            again.to_the_end()
        assert house.command(hers.table, "say", hers.token, text="still here").json()["frame"] == "refused"


def finished(store: Store, name: str = "t") -> dict[str, MatchResult]:
    """A table with two guests and a match that is over; its results."""
    logged, secret = LoggedTable(store, name, opened(parlour.load("leduc"), maker=ZOE), ZOE), bytes(32)
    table = logged.table
    logged.write(seating.sit(table, 0, "Zoé", ZOE))
    logged.write(seating.sit(table, 1, "Abe", ABE), key=ABE)
    logged.write(moves.commit_to(table, secret))
    logged.write(moves.go_on(table, secret, {}))
    logged.play_on(secret)
    return results_of(table, name.upper(), time.time())


def test_each_guest_has_the_result_as_their_own(store: Store) -> None:
    results = finished(store)
    for some in (results, results, {ZOE: results[ZOE]}):  # as if Abe had left before the end
        Traces(store).keep_results("t", 1, some)
    (hers,), (his,) = Traces(store).results(ZOE, 10), Traces(store).results(ABE, 10)
    assert (hers.seat, his.seat, hers.places) == (0, 1, his.places)
    assert (hers.others, his.others) == (["Abe"], ["Zoé"])
    assert Traces(store).seated(ZOE, 10) == ["t"]
    Traces(store).forget_guest(ZOE)
    Traces(store).keep_results("t", 1, results)
    assert (Traces(store).results(ZOE, 10), Traces(store).seated(ZOE, 10)) == ([], [])
    assert Traces(store).results(ABE, 10) == [structs.replace(his, names=["Guest", "Abe"])]


def test_the_table_where_one_sat_down_last_is_first(store: Store) -> None:
    tables = {name: LoggedTable(store, name, opened(parlour.load("leduc")), ZOE) for name in "tu"}
    for name in "tu":
        tables[name].write(seating.sit(tables[name].table, 0, "Zoé", ZOE))
    assert Traces(store).seated(ZOE, 10) == ["u", "t"]
    tables["t"].write(seating.leave(tables["t"].table, 0))
    tables["t"].write(seating.sit(tables["t"].table, 0, "Zoé", ZOE))
    assert Traces(store).seated(ZOE, 10) == ["t", "u"]


def test_results_go_when_their_time_is_over(store: Store) -> None:
    """They do not come back, though whoever looks at a finished table has its results kept once more."""
    results, events, traces = finished(store), Competitions(store), Traces(store)
    traces.keep_results("t", 1, results)
    events.begin("swiss/FRIDAY")
    keep, now = Keep(math.inf, math.inf, math.inf, 10 * DAY), time.time()
    store.forget(keep, now + 9 * DAY)
    assert (len(traces.results(ZOE, 10)), events.get("swiss/FRIDAY") is None) == (1, False)
    store.forget(keep, now + 11 * DAY)
    assert events.get("swiss/FRIDAY") is None
    for _ in range(2):
        assert (traces.results(ZOE, 10), traces.results(ABE, 10), events.ratings(ZOE)) == ([], [], {})
        traces.keep_results("t", 1, results)
    traces.keep_results("t", 2, results)  # another match at the same table counts as ever
    assert len(traces.results(ZOE, 10)) == 1


def test_what_is_added_up_is_what_was_played() -> None:
    """A place is that of the end sheet: some games' results say only who has won."""
    mine = [
        result(1, 2, game="diamondback", gains=[5, -5]), result(1, 1, game="kuhn"),
        result(1, 2, game="diamondback", gains=[1, -1]), result(3, 1, 2, game="diamondback", gains=[-9, 6, 3]),
    ]  # fmt: skip
    first, second = tallies(mine)
    assert (first.game, first.matches, first.won, first.gain, first.streak) == ("diamondback", 3, 2, -3, 2)
    assert first.places == [(3, 3, False), (1, 2, True), (1, 2, True)]
    assert (second.game, second.won, second.gain) == ("kuhn", 0, None)
    assert second.places == [(1, 2, False)]
    words = [outcome(one) for one in mine]
    assert words == ["Won, +5 coins", "A draw", "Won, +1 coin", "3rd of 3, −9 coins"]
    last = [outcome(result(2, 1, 2, game="diabolo", gains=[-20, 67, 45], seat=seat)) for seat in range(3)]
    assert last == ["3rd of 3, −20 points", "Won, +67 points", "2nd of 3, +45 points"]
    assert ago(86400 * 400) == "400 days ago"
