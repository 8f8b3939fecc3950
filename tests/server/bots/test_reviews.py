"""What a guest is told of their choices when a match is over: the best and the worst, by search's estimate; and what
the strongest bot thinks of them, beside the replay.  Nobody is told anything but of their own choices.

What is sent and asked is compared in ``test_page_leaks.py``, byte by byte.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import httpx
import pytest
from msgspec import json

import parlour
from parlour.base.errors import ParlourError
from parlour.engine.definition import shelf
from parlour.engine.telling import View
from parlour.players.player import Advice
from parlour.players.search import Search
from parlour.server.bots import reviews
from parlour.server.bots.bots import Bots, Workers
from parlour.server.bots.looking_back import REVIEWED, Costly, PastChoice, choices, costliest
from parlour.server.bots.reviews import GIVEN_UP, Reviews
from parlour.server.common import clock, wire
from parlour.server.page import reviewing
from tests.page_helpers import HELD_THE_KING, finished
from tests.room_helpers import Guest, QuickBots, Server, bearer
from tests.server.club.test_profile import reader
from tests.server.page.test_page_leaks import opinion
from tests.server.page.test_page_replay import words
from tests.waiting import until, wait_until


def section(page: httpx.Response) -> str:
    """What a page says of the reader's choices; empty if it says nothing."""
    found = re.search(r'<section id="review".*?</section>', page.text, re.DOTALL)
    return found[0] if found else ""


def reviewed(zoe: httpx.Client, here: str) -> httpx.Response:
    """The replay's page when the review is there."""
    wait_until(lambda: "data-review" not in zoe.get(f"{here}/review").text)
    return zoe.get(f"{here}?seat=0")


def test_a_costly_choice_is_told_beside_the_replay_with_a_way_to_play_on(
    house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To whoever sat there alone."""
    shown = list[View]()

    async def review(self: Bots, kind: str, view: View, legal: Sequence[int]) -> Advice:  # by a real search, here
        shown.append(view)
        return Search(view.game, simulations=2000, binding="interpreted").advise(view, legal)

    monkeypatch.setattr(QuickBots, "review", review)
    made = house.make("kuhn", record=HELD_THE_KING)
    here = f"/t/{made['table']}/replay/1"
    with httpx.Client(base_url=house.url, headers=bearer(made["token"]), follow_redirects=True) as zoe:
        assert zoe.post(f"/t/{made['table']}/do", data={"action": "pass"}).status_code == 200
        wait_until(lambda: zoe.get(f"{here}?seat=0").status_code == 200)
        said = section(reviewed(zoe, here))
        assert "Step 4 You chose “pass”; the strongest bot would “bet”." in words(said)
        assert re.search(r"surely better: it wins \d+ to 100 more games in a hundred", words(said))
        assert "The king wins every showdown, and a bet makes the pot larger." in words(said)
        assert [view.observation() for view in shown] == [parlour.replay(HELD_THE_KING).view(0).observation()]
        table = zoe.post(f"{here}/play", data=dict(re.findall(r'name="(step|seat)" value="(\d+)"', said)))
        assert re.fullmatch(r"/t/[A-Z]{6}", table.url.path)
        assert table.url.path not in here
        assert "Your turn" in table.text
        for headers in ({}, bearer("x" * 43)):  # neither a spectator nor another guest
            assert not section(httpx.get(f"{house.url}{here}?seat=0", headers=headers))
            assert httpx.get(f"{house.url}{here}/review", headers=headers).status_code == 204
    made = house.make("kuhn", record=HELD_THE_KING)
    before = httpx.get(f"{house.url}/t/{made['table']}/replay/1/review", headers=bearer(made["token"]))
    assert (before.status_code, len(shown)) == (409, 1), "nobody before the end"


def costly(values: dict[int, float], visits: int, chosen: int, low: float = -1.0, **more: object) -> list[float]:
    view = parlour.load("kuhn").new(seed=1).view(0)
    advice = Advice(0, "", values, dict.fromkeys(values, visits), low, 1.0, **more)  # type: ignore[arg-type]
    return [one.by for one in costliest([(PastChoice(2, 0, view, [0, 1], chosen), advice)])]


def test_only_what_is_likely_is_told_and_the_costliest_first() -> None:
    assert costly({0: 0.5, 1: 0.1}, 5000, 1) == [pytest.approx(0.4)]
    assert costly({0: 0.5, 1: 0.1}, 5, 1) == [], "it may be chance"
    assert costly({0: 0.5, 1: 0.1}, 5, 1, errors={1: 0.05}) == [pytest.approx(0.4)], "it was measured closely"
    assert costly({0: 0.5, 1: 0.499}, 5000, 1, errors={1: 0.0001}) == [], "nobody would notice"
    assert costly({0: 0.5, 1: 0.1}, 5000, 0) == [], "what it would have done itself"
    assert costly({0: 0.1, 1: 0.5}, 5000, 1) == [], "it was not better"
    assert costly({0: 0.5}, 5000, 1) == [], "it was not tried"
    view = parlour.load("kuhn").new(seed=1).view(0)
    many = [
        (PastChoice(n, 0, view, [0, 1], 1), Advice(0, "", {0: n / 10, 1: 0.0}, {0: 9999, 1: 9999}, -1.0, 1.0))
        for n in (3, 5, 4, 2)
    ]
    assert [one.choice.step for one in costliest(many)] == [5, 4, 3]
    vague = PastChoice(9, 0, view, [0, 1], 1), Advice(0, "", {0: 0.6, 1: 0.0}, {0: 20, 1: 20}, -1.0, 1.0)
    assert [one.choice.step for one in costliest([vague, *many])] == [5, 4, 3], "it may have cost more, or nothing"


def sentence(by: float, error: float, share: float | None = None, unit: tuple[str, str | None] = ("coin", None)) -> str:
    view = parlour.load("kuhn").new(seed=1).view(0)
    costly = Costly(PastChoice(2, 0, view, [0, 1], 1), 0, by, error, share)
    return reviewing._sureness(costly, unit)


def test_how_sure_it_is_follows_from_an_interval() -> None:
    assert sentence(3.0, 0.5) == "It is surely better: it brings 2.0 to 4.0 more coins on average."
    assert sentence(3.0, 1.5) == "It is probably better: it brings 0.1 to 5.9 more coins on average."
    assert sentence(0.4, 0.05, 0.2) == "It is surely better: it wins 15 to 25 more games in a hundred."
    assert sentence(0.4, 0.2, 0.2) == "It is probably better: it wins 0 to 40 more games in a hundred."
    assert sentence(0.12, 0.005) == "It is surely better: it brings 0.1 more coins on average."
    assert sentence(0.02, 0.003) == "It is surely better: it brings less than 0.1 more coins on average."
    assert sentence(0.4, 0.0001, 0.2) == "It is surely better: it wins 20 more games in a hundred."
    assert sentence(2.0, 0.0) == "It brings 2 coins more, worked out exactly."
    assert sentence(1.0, 0.0) == "It brings 1 coin more, worked out exactly."
    assert sentence(0.5, 0.0, 0.25) == "It wins 25 more games in a hundred, worked out exactly."


class Reviewer(Bots):
    """A reviewer that answers when it is let, on a server that may be busy."""

    def __init__(self) -> None:
        self.asked, self.busy, self.go_on = list[View](), False, asyncio.Event()

    @property
    def is_busy(self) -> bool:
        return self.busy

    async def review(self, kind: str, view: View, legal: Sequence[int]) -> Advice:
        self.asked.append(view)
        await self.go_on.wait()
        return Advice(0, "", {0: 0.5, 1: 0.1}, {0: 5000, 1: 5000}, -1.0, 1.0)


async def made() -> list[PastChoice]:
    view = parlour.load("kuhn").new(seed=1).view(0)
    return [PastChoice(n, 0, view, [0, 1], 1) for n in range(3)]


async def gets_on() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_one_match_is_looked_at_at_a_time_and_too_many_are_refused() -> None:
    bots = Reviewer()
    many = Reviews(bots)
    waiting = [many.begin(("table", n, "key"), "best", 0, made) for n in range(reviews.WAITING)]
    await gets_on()
    assert len(bots.asked) == 1
    with pytest.raises(ParlourError, match="Too many matches"):
        many.begin(("table", 99, "key"), "best", 0, made)
    bots.go_on.set()
    while not all(one.done for one in waiting):
        await asyncio.sleep(0)
    assert [(one.looked_at, len(one.found), one.trouble) for one in waiting] == [(3, 3, "")] * reviews.WAITING
    many.begin(("table", 99, "key"), "best", 0, made)
    many.close()


async def test_it_waits_while_somebody_waits_for_a_bot_and_gives_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = list[float]()

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(0)

    monkeypatch.setattr(clock, "sleep", sleep)
    bots = Reviewer()
    bots.busy = True
    review = Reviews(bots).begin(("table", 1, "key"), "best", 0, made)
    while not review.done:
        assert not bots.asked
        await asyncio.sleep(0)
    assert review.trouble == GIVEN_UP
    assert sum(waited) == pytest.approx(reviews.BUSY)


async def test_it_ends_when_its_table_is_gone() -> None:
    bots = Reviewer()
    many = Reviews(bots)
    mine, other = (many.begin((table, 1, "key"), "best", 0, made) for table in ("mine", "other"))
    await gets_on()
    many.table_gone("mine")
    await gets_on()
    assert mine.done
    assert many.get(("mine", 1, "key")) is None
    assert len(bots.asked) == 2, "the other is looked at now"
    bots.go_on.set()
    while not other.done:
        await asyncio.sleep(0)
    assert other.looked_at == 3


@pytest.mark.parametrize("game", shelf())
def test_only_a_few_choices_are_looked_at_and_only_what_was_seen_then(game: str) -> None:
    state = parlour.replay(finished(game))
    for seat in (0, state.game.players - 1):
        found = choices(state.game, state.history, seat, 0, ())
        assert len(found) <= REVIEWED
        assert [one.step for one in found] == sorted(one.step for one in found)
        for one in found:
            before = state.at(one.step)
            assert one.view == before.view(seat)
            assert one.legal == before.legal_actions(seat)
            assert len(one.legal) > 1
            assert one.chosen == state.history[one.step].action
            assert state.history[one.step].player == seat
            assert one.deals == len(before.deals)
        assert choices(state.game, state.history, seat, len(state.history), ()) == []
        stood_in = {one.step for one in found}
        rest = choices(state.game, state.history, seat, 0, stood_in)
        assert stood_in.isdisjoint(one.step for one in rest)


class Dead(ThreadPoolExecutor):
    def submit(self, *_: Any) -> Future[Any]:  # type: ignore[override]
        raise BrokenProcessPool


async def test_workers_that_die_are_replaced_and_asked_again_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter([Dead(), Dead(), ThreadPoolExecutor(1), Dead(), Dead(), Dead()])
    monkeypatch.setattr(Workers, "_new_pool", lambda self: next(made))
    workers = Workers(1)
    assert await workers.answer(len, "three") == 5
    assert await workers.answer(len, "four") == 4
    workers.close()
    assert await Workers(1).answer(len, "five") is None
    assert next(made, None) is None


class Asked:
    """The reviewers of a server: what they were shown, one after another, and how many of these they may answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shown = list[View]()
        self.may_answer = 1_000_000
        looks = self

        async def review(self: Bots, kind: str, view: View, legal: Sequence[int]) -> Advice:
            looks.shown.append(view)
            which = len(looks.shown)
            await until(lambda: looks.may_answer >= which)
            return opinion(json.encode(view.dump()), legal)

        monkeypatch.setattr(QuickBots, "review", review)


@pytest.fixture(name="looks")
def looks_fixture(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


def answers(one: httpx.Client, code: str) -> list[tuple[int, str]]:
    """What somebody is answered on every way to a review, or to what it is part of, without what differs between two
    tables."""
    here = f"/t/{code}/replay/1"
    ways = ("GET", f"{here}?seat=0"), ("GET", f"{here}?seat=all"), ("GET", f"{here}/review"), ("POST", f"{here}/review")
    found = [one.request(method, way) for method, way in ways]
    return [(answer.status_code, answer.text.replace(code, "TABLES")) for answer in found]


def are_told_nothing(server: Server, code: str, *tokens: str) -> None:
    """See that none of these is told anything of a review."""
    for token in tokens:
        with reader(server, token) as one:
            for status, text in answers(one, code):
                assert status in (200, 204, 303)
                assert 'id="review"' not in text


def over(server: Server, code: str, token: str) -> None:
    """Wait until a match is over and everybody may see it."""
    with reader(server, token) as one:
        wait_until(lambda: one.get(f"/t/{code}/record").status_code == 200)
        wait_until(lambda: one.get(f"/t/{code}/replay/1?seat=all").status_code == 200)


def test_nothing_is_reviewed_where_the_cards_stay_hidden(house: Server, looks: Asked) -> None:
    with house.guest("kuhn", reveal=False) as zoe:
        assert zoe.to_the_end().over
    over(house, zoe.table, zoe.token)
    are_told_nothing(house, zoe.table, zoe.token, "")
    assert not looks.shown


def does(server: Server, code: str, token: str, action: str) -> None:
    with reader(server, token) as one:
        wait_until(lambda: f'value="{action}"' in one.get(f"/t/{code}").text)
        assert one.post(f"/t/{code}/do", data={"action": action}).status_code == 303


def test_nobody_else_notices_that_a_review_goes_on(house: Server, looks: Asked) -> None:
    """By no page, frame or number; whoever waits for their own is told the same, however far another's is."""
    looks.may_answer = 0
    made = house.make("kuhn", record="\n".join(HELD_THE_KING.splitlines()[:-2]) + "\n")  # nobody has chosen anything
    code, here = made["code"], f"/t/{made['code']}/replay/1"
    tokens = made["token"], str(house.seat(code, "Abe", 1).json()["token"])
    for seat, action in ((0, "pass"), (1, "bet"), (0, "bet")):
        does(house, code, tokens[seat], action)
    over(house, code, tokens[0])
    with (
        reader(house, tokens[0]) as zoe, reader(house, tokens[1]) as abe, reader(house) as stranger,
        Guest(house, code) as watching,
    ):  # fmt: skip

        def seen() -> list[object]:
            counted = re.sub(rb"(?m)^(process_|# ).*", b"", house.tables.metrics.text())  # but memory and time
            return [abe.get(f"/t/{code}").text, stranger.get(f"/t/{code}").text, answers(stranger, code), counted]

        wait_until(lambda: "moments" in abe.get(f"/t/{code}").text)
        watching.told(lambda telling: telling.over)
        quiet = seen()
        assert zoe.get(f"{here}?seat=0").status_code == 200
        for which in (1, 2):
            wait_until(lambda which=which: len(looks.shown) == which)  # type: ignore[misc]
            assert "will look at your choices in a moment" in section(abe.get(f"{here}?seat=1"))
            looks.may_answer = which
        looks.may_answer = 100
        for mine, many in ((zoe, 2), (abe, 1)):
            assert f"It looked at {many} of your choices" in section(reviewed(mine, here))
        assert seen() == quiet
        known = len(watching.frames)
        assert isinstance(watching.ask("act", action="pass"), wire.Refused)
        assert len(watching.frames) == known + 1, "nothing but the answer"


def test_whoever_sits_down_after_the_end_is_told_nothing_of_others_choices(house: Server, looks: Asked) -> None:
    """Neither of a bot's nor of a guest's who has left; and whoever has left is still told of their own."""
    made = house.make("kuhn", record=HELD_THE_KING)
    code, zoes = made["code"], made["token"]
    does(house, code, zoes, "bet")
    over(house, code, zoes)
    name = made["table"]
    both = house.tables.live[name].table, house.tables._read(name)[0]  # as it is, and as its log says
    assert not any(table.stood_in for table in both), "she chose herself"
    tokens = [str(house.seat(code, "Abe", 1).json()["token"])]
    with reader(house, zoes) as zoe:
        hers = section(reviewed(zoe, f"/t/{code}/replay/1"))
        assert "You chose" in hers or "It found no choice" in hers
        assert f'href="/t/{code}/replay#review"' in zoe.get(f"/t/{code}").text, "the sheet leads there"
        with Guest(house, code, zoes) as leaving:
            assert isinstance(leaving.ask("leave"), wire.Done)
        tokens.append(str(house.seat(code, "Cora", 0).json()["token"]))
        looks.shown.clear()

        def tell_nothing() -> None:
            are_told_nothing(house, code, *tokens)
            assert not looks.shown
            assert section(zoe.get(f"/t/{code}/replay/1?seat=0")) == hers

        tell_nothing()
        with Guest(house, code, tokens[0]) as abe, Guest(house, code, tokens[1]) as cora:
            for guest in (abe, cora):
                assert isinstance(guest.ask("again"), wire.Done)
            abe.told(lambda telling: telling.match == 2)
        tell_nothing()
