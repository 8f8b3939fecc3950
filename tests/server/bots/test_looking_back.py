"""What a guest is told of their choices when a match is over: the best and the worst, by search's estimate."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
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
from parlour.server.bots import bots
from parlour.server.bots.bots import Bots, Workers
from parlour.server.bots.looking_back import MOST, PastChoice, best_and_worst, choices
from tests.page_helpers import HELD_THE_KING, finished
from tests.room_helpers import QuickBots, Server, bearer


def searched(made: Sequence[tuple[View, Sequence[int]]]) -> list[Advice]:
    return [Search(view.game, simulations=500, binding="interpreted").advise(view, legal) for view, legal in made]


def look_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have a real search look back here and now; return how many choices it looked at, each time."""
    asked = list[int]()

    async def look_back(self: Bots, made: Sequence[tuple[View, Sequence[int]]]) -> list[Advice]:
        asked.append(len(made))
        return searched(made)

    monkeypatch.setattr(QuickBots, "look_back", look_back)
    return asked


def told(page: httpx.Response) -> str:
    found = re.search(r'<div class="moments"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    html = found[1] if found else page.text
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


def test_who_gave_up_the_best_card_is_told_so_when_it_is_over_and_not_before(
    house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without script: when the page is loaded again, with the way to that step; once for each match."""
    looks = look_here(monkeypatch)
    made = house.make("kuhn", record=HELD_THE_KING)
    with httpx.Client(base_url=house.url, headers=bearer(made["token"]), follow_redirects=True) as zoe:
        here = f"/t/{made['table']}"
        assert zoe.get(f"{here}/moments").status_code == 204
        assert 'class="moments"' not in zoe.get(here).text
        assert not looks
        zoe.post(f"{here}/do", data={"action": "pass"})
        said = zoe.get(f"{here}/moments")
        wanted = "Your costliest choice: “pass”, where the search player would rather “bet”."
        assert told(said) == told(zoe.get(here)) == wanted
        assert not re.search(r"\d", wanted)
        step = zoe.get(re.findall(r'href="([^"]*)"', said.text)[0])
        assert (step.url.params["step"], step.url.params["seat"]) == ("4", str(made["seat"]))
        assert "bets" in step.text.split("What happened at this step")[1].split("</ul>")[0]
        assert looks == [1]
        others = httpx.get(f"{house.url}{here}/moments")
        assert others.status_code == 204
        assert "moments" not in httpx.get(f"{house.url}{here}").text
        assert looks == [1]


@pytest.mark.parametrize("game", shelf())
def test_only_a_few_choices_are_looked_at_and_only_what_was_seen_then(game: str) -> None:
    state = parlour.replay(finished(game))
    for seat in range(state.game.players):
        found = choices(state.game, state.history, seat, 0, ())
        assert len(found) <= MOST
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


def judged(chosen: int, values: tuple[float, ...], visits: tuple[int, ...], low: float = -1.0) -> list[bool]:
    view = parlour.load("kuhn").new(seed=1).view(0)
    advice = Advice(0, "", dict(enumerate(values)), dict(enumerate(visits)), low, 1.0)
    return [one.is_best for one in best_and_worst([(PastChoice(0, 0, view, [0, 1, 2], chosen), advice)])]


def test_what_is_not_clear_is_not_told() -> None:
    assert judged(0, (0.5, 0.1), (5000, 5000)) == [True]
    assert judged(1, (0.5, 0.1), (5000, 5000)) == [False]
    assert judged(1, (0.5, 0.1), (50, 5)) == []
    assert judged(1, (0.5, 0.42), (500_000, 500_000)) == []
    assert judged(2, (0.5, 0.1), (5000, 5000)) == [], "search has not tried it"
    assert judged(0, (1.0,), (5000,)) == []
    assert judged(1, (1.0, 1.0), (50, 50), low=1.0) == []


async def test_looks_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One match too many is refused; and the worker for hints is asked for one choice at a time."""
    asked, go_on = list[object](), asyncio.Event()

    async def answer(self: Workers, question: Any, *_: object) -> object:
        asked.append(question)
        await go_on.wait()
        return Advice(0, "", {}, {})

    monkeypatch.setattr(Workers, "answer", answer)
    state = parlour.load("kuhn").new(seed=1)
    made = [(state.view(0), state.legal_actions())] * 3
    many = Bots()
    waiting = [asyncio.create_task(many.look_back(made)) for _ in range(bots.LOOKS)]
    await asyncio.sleep(0)
    with pytest.raises(ParlourError, match="Too many matches"):
        await many.look_back(made)
    assert len(asked) == bots.LOOKS
    go_on.set()
    assert [len(one) for one in await asyncio.gather(*waiting)] == [3] * bots.LOOKS
    assert len(await many.look_back([])) == 0


def test_a_look_takes_two_seconds_of_search_at_most() -> None:
    assert MOST * bots.LOOK.budget["seconds"] <= 2


class Dead(ThreadPoolExecutor):
    """Processes that have died."""

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


def test_the_worker_for_hints_looks_back() -> None:
    """In its process."""

    async def run() -> list[Advice]:
        real = Bots()
        try:
            state = parlour.replay(HELD_THE_KING)
            return await real.look_back([(state.view(0), state.legal_actions())])
        finally:
            real.close()

    (advice,) = asyncio.run(run())
    assert parlour.load("kuhn").action_names[advice.action] == "bet"
