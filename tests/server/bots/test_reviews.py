"""What a guest is told of their choices when a match is over: the best and the worst, by search's estimate; and what
the strongest bot thinks of them, beside the replay."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from html import unescape
from typing import Any

import httpx
import pytest

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
from parlour.server.common import clock
from parlour.server.page import reviewing
from tests.page_helpers import HELD_THE_KING, finished
from tests.room_helpers import QuickBots, Server, bearer
from tests.waiting import wait_until


def review_here(monkeypatch: pytest.MonkeyPatch) -> list[View]:
    """Have a real search look at choices here and now; return what it was shown."""
    shown = list[View]()

    async def review(self: Bots, kind: str, view: View, legal: Sequence[int]) -> Advice:
        shown.append(view)
        return Search(view.game, simulations=2000, binding="interpreted").advise(view, legal)

    monkeypatch.setattr(QuickBots, "review", review)
    return shown


def words(html: str) -> str:
    """A piece of a page without its marks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def section(page: httpx.Response) -> str:
    """What a page says of the reader's choices; empty if it says nothing."""
    found = re.search(r'<section id="review".*?</section>', page.text, re.DOTALL)
    return found[0] if found else ""


@contextlib.contextmanager
def gave_up_the_king(house: Server) -> Iterator[tuple[httpx.Client, str]]:
    """Somebody who has just given up the best card, and the address of that match's replay."""
    made = house.make("kuhn", record=HELD_THE_KING)
    with httpx.Client(base_url=house.url, headers=bearer(made["token"]), follow_redirects=True) as zoe:
        assert zoe.post(f"/t/{made['table']}/do", data={"action": "pass"}).status_code == 200
        wait_until(lambda: zoe.get(f"/t/{made['table']}/replay/1?seat=0").status_code == 200)
        yield zoe, f"/t/{made['table']}/replay/1"


def reviewed(zoe: httpx.Client, here: str) -> httpx.Response:
    """The replay's page when the review is there."""
    wait_until(lambda: "data-review" not in zoe.get(f"{here}/review").text)
    return zoe.get(f"{here}?seat=0")


def test_a_costly_choice_is_told_beside_the_replay_with_a_way_to_play_on(
    house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To whoever sat there alone."""
    shown = review_here(monkeypatch)
    with gave_up_the_king(house) as (zoe, here):
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
    for seat in range(state.game.players):
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
