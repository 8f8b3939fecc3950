"""Hints: in words, as sure as they may be, for nobody else to notice; and cards have names wherever people read."""

from __future__ import annotations

import asyncio
import json
import math
import re
from functools import reduce
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from msgspec import structs
from playwright.sync_api import expect

import parlour
from parlour.base.errors import ParlourError
from parlour.base.languages import Message
from parlour.engine.definition import shelf
from parlour.engine.telling import View
from parlour.engine.typed_actions import REFUSALS
from parlour.players.player import Advice
from parlour.server.bots import bots
from parlour.server.bots.bots import Bots, Workers
from parlour.server.common import wire
from parlour.server.common.executors import Heavy
from parlour.server.live.session import Session
from parlour.server.page import at_table, decks, hints, words
from parlour.server.table.table import Table
from tests.page_helpers import Person, under_way
from tests.room_helpers import Server, SlowBots, a_table, bearer
from tests.server.page.test_page_events import scene_of
from tests.waiting import LIMIT, until, wait_until
from tests.worlds import opened


def hint(
    values: tuple[float, ...], visits: tuple[int, ...], varies: bool = False, choices: int = 0, **more: Any
) -> str:
    """The sentence about the first action, and others after it."""
    table = Table(opened(parlour.load("leduc")))
    offered = [wire.Choice(a, name) for a, name in enumerate(table.game.action_names[:choices])]
    shown = scene_of(table, structs.replace(table.known.telling(0), choices=offered))
    advice = Advice(0, "", dict(enumerate(values)), dict(enumerate(visits)), -1.0, 1.0, varies, **more)
    return hints.in_words(shown, table.game, advice)


def test_a_hint_is_as_sure_as_its_games_allow() -> None:
    assert "The strongest bot is sure that this is better than “call”" in hint((0.4, 0.2), (5000, 5000))
    assert "it won 70% of the simulated games, the other 60%" in hint((0.4, 0.2), (5000, 5000))
    assert "probably better than “call”" in hint((0.4, 0.2), (200, 200))
    assert "tell which is better" in hint((0.4, 0.39), (5000, 5000))
    assert "tell which is better" in hint((0.4, 0.398), (5_000_000, 5_000_000)), "nobody would notice"
    assert "a guess" in hint((0.4, -0.9), (11, 5))
    assert hint((0.4,), (9000,), choices=1).endswith(": there is nothing else to choose.")
    assert hint((0.4,), (9000,), choices=3).endswith(": no other choice is better.")
    assert hint((0.264, 0.102), (), exact=True) == (
        "Fold: it wins with a chance of 63.2%, worked out exactly. Next best is “call”, with 55.1%."
    )
    assert "of 100%, worked out exactly. Next best is “call”, with 99.96%." in hint((1.0, 0.9992), (), exact=True)
    assert hint((-1.0, -1.0), (), exact=True).endswith(" of 0%, worked out exactly. So does every other choice.")


def test_a_number_that_few_games_give_is_not_told() -> None:
    for told in (
        hint((0.4, 0.2), (2000, 2000)),
        hint((0.4, 0.2), (50_000, 50_000), varies=True),
        hint((26.18, 3.1), (11, 4), varies=True),
    ):
        assert not set("0123456789%") & set(told)


@pytest.mark.parametrize("game", shelf())
def test_every_action_is_said_in_words(game: str) -> None:
    """No short name of a card is left in a hint or in a refusal."""
    short = {name for name in decks.cards(game) if re.search(r"\d", name) or len(name) < 3}
    for name in parlour.load(game).action_names:
        no = Message(str(REFUSALS[0]), name=name, action=repr(name), why="no.", clause="X")
        for said in (words.phrase(game, name), words.refusal_in_words(game, no)):
            assert said
            assert not short & set(said.split()), said
            assert "'" not in said.replace("'s", "").replace("can't", ""), said


def test_piles_are_counted_from_one_in_words() -> None:
    assert words.phrase("diamonds", "dig 0") == "dig in pile 1"
    assert words.phrase("diamonds", "dig ?") == "dig where chance sends you"
    assert words.phrase("commit", "lead Ac") == "lead the ace of clubs"


async def test_hints_have_a_queue_of_their_own_with_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that play do not wait for them, and one hint too many is refused."""
    asked, go_on = list[Workers](), asyncio.Event()

    async def answer(self: Workers, *_: object) -> Advice:
        asked.append(self)
        await go_on.wait()
        return Advice(0, "", {}, {})

    monkeypatch.setattr(Workers, "answer", answer)
    state = parlour.load("kuhn").new(seed=1)
    house = Bots(1)
    view: View = state.view(0)
    waiting = [asyncio.create_task(house.advise("search:1s", view, [0, 1])) for _ in range(bots.HINTS)]
    await asyncio.sleep(0)
    with pytest.raises(ParlourError, match="Too many people want hints"):
        await house.advise("search:1s", view, [0, 1])
    go_on.set()
    await asyncio.gather(*waiting)
    await house.advise("search:1s", view, [0, 1])
    assert {*asked} == {house._advisers}


def test_at_a_hushed_question_there_are_no_hints_for_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for a hint elsewhere would wait longer, and know."""
    table = Table(opened(parlour.load("leduc")))
    monkeypatch.setattr(table, "is_hushed", True)

    live = SimpleNamespace(hinted=set[Any](), table=table)
    for key in ("", "zoe"):
        with pytest.raises(ParlourError, match="There are no hints now"):
            asyncio.run(anext(Session(live, key).hints("search:1s")))  # type: ignore[arg-type]


def test_rounds_of_thought_are_surer_together() -> None:
    def thought(errors: dict[int, float]) -> Advice:
        return Advice(0, "", {0: 0.5, 1: 0.4}, {0: 300, 1: 100}, -1.0, 1.0, False, errors=errors)

    alone = thought({1: 0.08})
    together = reduce(Advice.joined, [alone] * 4)
    assert together.visits == {0: 1200, 1: 400}
    assert together.values == pytest.approx(alone.values)
    assert together.error == pytest.approx(0.04)
    assert alone.joined(thought({})).error is None, "measured in one of them only"
    certain = Advice(1, "", {0: 0.1, 1: 0.2}, {}, exact=True)
    assert alone.joined(certain) is certain
    assert Advice(0, "", {0: 1.0, 1: 1.0}, {0: 10, 1: 10}, 1.0, 1.0).sureness == 0, "they brought the same"
    assert Advice(0, "", {0: 1.0}, {0: 10}, 1.0, 1.0).sureness == math.inf


@pytest.mark.parametrize(
    ("game", "action", "said"),
    [
        ("pope_joan", "lead", r"The odds: nothing follows [\d.]+%, you lead again [\d.]+%\."),
        ("diamondback", "fold", r"The odds: wins [\d.]+%, ties [\d.]+%, loses [\d.]+%\."),
    ],
)
def test_the_odds_of_what_is_hinted_at_are_told(game: str, action: str, said: str) -> None:
    state, random = parlour.load(game, 3).new(seed=1), Random(1)
    while not (found := [name for name in map(state.name_of, state.legal_actions(state.acting[0])) if action in name]):
        state.apply(random.choice(state.legal_actions(state.acting[0])), state.acting[0])
    told, keep = (hints.odds_of(state.view(state.acting[0]), state.player_names, one) for one in (found[0], "keep"))
    assert re.fullmatch(said, told), told
    assert game != "pope_joan" or not keep


def test_a_hint_goes_without_its_reason_while_too_many_wait_for_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(opened(parlour.load("leduc")))
    offered = [wire.Choice(a, name) for a, name in enumerate(table.game.action_names)]
    state = parlour.load("leduc").new(seed=1)
    shown = scene_of(table, structs.replace(table.known.telling(0), choices=offered, items=[*state.view(0).items]))
    advice = Advice(1, "", {0: 0.1, 1: 0.4}, {0: 5000, 1: 5000}, -1.0, 1.0, False)
    alone = hints.in_words(shown, table.game, advice)
    said = asyncio.run(hints.whole(shown, table.game, advice))
    assert re.fullmatch(r"A call costs nothing, and .+\.", said.removeprefix(f"{alone} "))
    monkeypatch.setattr(hints, "ODDS", Heavy("odds", 1, most=0))
    assert asyncio.run(hints.whole(shown, table.game, advice)) == alone


def test_a_hint_grows_while_the_page_waits(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_table, "LONG", LIMIT)
    monkeypatch.setattr(at_table, "ROUND", "0.1s")  # a fifth of the time
    made = house.make("leduc")
    with httpx.Client(base_url=house.url, headers={**bearer(made["token"]), "X-Parlour": "1"}, timeout=LIMIT) as zoe:
        wait_until(lambda: 'class="now mine"' in zoe.get(f"/t/{made['table']}").text)
        told = [json.loads(line) for line in zoe.post(f"/t/{made['table']}/hint").text.splitlines()]
    assert [one["rounds"] for one in told[:-1]] == [*range(1, len(told))]
    assert len(told) > 2
    assert told[-1]["rounds"] == 0
    assert told[-1]["advice"].startswith(told[-2]["advice"])
    assert len(told[-1]["advice"]) > len(told[-2]["advice"]), "the reason comes last"


def test_a_growing_hint_is_seen_and_only_its_last_is_read_aloud(zoe: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what comes after the choice is not shown."""
    monkeypatch.setattr(at_table, "ROUND", "0.1s")
    zoe.begins("hearts", record=under_way("hearts"))
    action = zoe.page.locator("#play button.legal").first.get_attribute("value")
    grown = [{"advice": f"A guess {n}.", "hinted": action, "rounds": n, "of": 2} for n in (1, 2, 0, 0)]
    seen = zoe.page.evaluate(
        """async (lines) => {
          const { grow } = await import(document.querySelector("main").dataset.aids);
          const seen = [], body = new ReadableStream({ async start(into) {
            for (const line of lines) {
              if (seen.length === 3) {
                document.getElementById("play").dispatchEvent(new Event("submit"));
                answer("");
              }
              into.enqueue(new TextEncoder().encode(JSON.stringify(line) + "\\n"));
              await new Promise((done) => setTimeout(done));
              const place = document.getElementById("answer"), hidden = place.querySelector("[aria-hidden=true]");
              const hinted = document.querySelectorAll("[data-hinted]").length;
              seen.push([place.textContent.trim(), hidden?.querySelector("progress").value ?? 0, hinted]);
            }
            into.close();
          } });
          await grow(body);
          return seen;
        }""",
        grown,
    )
    assert seen[:3] == [["A guess 1.", 1, 1], ["A guess 2.", 2, 1], ["A guess 0.", 0, 1]]
    assert seen[3][0] == ""
    zoe.page.reload()
    zoe.page.locator("#hint").click()
    expect(zoe.page.locator("#hint")).to_have_class("sent")
    expect(zoe.page.locator("#answer progress")).to_be_visible()
    expect(zoe.page.locator("#answer progress")).to_have_count(0)
    expect(zoe.page.locator("#hint")).not_to_have_class("sent")
    assert zoe.complaints == []


def test_a_slow_hint_says_so_and_ends_with_the_choice(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is said then: it would be about a choice that the reader does not see any more."""
    rounds, advise = [0], Bots.advise

    async def later(self: Bots, *about: Any) -> Advice:
        while about[-1] >= rounds[0]:
            await asyncio.sleep(0.01)
        return await advise(self, *about)

    monkeypatch.setattr(Bots, "advise", later)
    monkeypatch.setattr(at_table, "LONG", 0.0)
    made = house.make("leduc", record=under_way("leduc"), pace=60)
    address, headers = f"{house.url}/t/{made['table']}", {**bearer(made["token"]), "X-Parlour": "1"}
    with httpx.Client(base_url=address, headers=headers, timeout=LIMIT) as zoe, zoe.stream("POST", "/hint") as answer:
        said = map(json.loads, answer.iter_lines())
        assert "getting ready" in next(said)["advice"]
        rounds[0] = 1
        assert next(said)["rounds"] == 1
        assert zoe.post("/do", data={"action": "call"}).status_code == 204
        rounds[0] = 99
        *_, last = said
    assert last["advice"] == ""


async def test_what_others_choose_at_the_same_time_does_not_end_a_hint() -> None:
    async with a_table(parlour.load("hearts"), SlowBots(), maker="zoe") as live:
        for seat, key in enumerate(("zoe", "abe")):
            await live.do(key, wire.Sit(id=key, name=key, seat=seat))
        zoe, abe = Session(live, "zoe"), Session(live, "abe")
        await until(lambda: zoe.choice and abe.choice)
        before, others = zoe.choice, abe.choice
        assert before != others
        await live.do("abe", wire.Act(id="pass", action=live.table.game.action_names[others[-1]]))
        assert abe.choice != others
        assert zoe.choice == before
