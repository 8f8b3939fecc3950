"""Nothing but what a seat was told reaches its page: every byte of HTML is compared."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

import parlour
from parlour import Game
from parlour.engine.definition import definition, shelf
from parlour.page.looks import look_of
from parlour.page.rendering import TEMPLATES, context_of, regions
from parlour.page.scene import Scene
from parlour.page.site import reload_in
from parlour.page.visit import Visit
from parlour.room import wire
from parlour.room.floor import Floor
from parlour.room.live import LiveTable
from parlour.room.store import Store
from planted import plant
from worlds import Steps, moments, pairs, settings

WALKS, STEPS, SHADOWS = 3, 60, 1

BROWSER = Request({"type": "http", "headers": []})
Reader = Callable[[LiveTable], Visit]


def visit(live: LiveTable) -> Visit:
    """A reader of a table's page."""
    return Visit(live, "https://parlour.example/t/CODE", BROWSER)


def whole(scene: Scene) -> str:
    """The whole page as it is when somebody opens it."""
    return TEMPLATES.get_template("table.html").render(
        regions=regions(scene), look=look_of(BROWSER), reload=reload_in(scene, 1.5), **context_of(scene)
    )


def pages(floor: Floor, game: Game, steps: Steps, seat: int, reader: Reader) -> list[str]:
    """All that the page of a seat (or of who watches) is sent in a game that goes by these steps; at the end, the
    whole page opened afresh."""
    found: list[str] = []
    reading: Visit | None = None
    for live, news in moments(floor, game, steps, seat, items=True):
        reading = reading or reader(live)
        for packet in news:
            found.append(json.dumps(reading.hear(wire.decode(packet))))
    afresh = reader(live)
    afresh.hear(live.about())
    afresh.hear(live.table.telling(seat, 0, True))
    return [*found, whole(afresh.scene())]


def differing(games: Sequence[Game], folder: Path, reader: Reader = visit) -> tuple[int, list[str]]:
    """How much HTML was compared, and what differs."""

    async def play() -> tuple[int, list[str]]:
        floor = Floor(Store(f"sqlite:///{folder}/log.db"))
        compared, apart = 0, []
        for game in games:
            for seat, first, second in pairs(game, WALKS, STEPS, SHADOWS):
                mine, others = (pages(floor, game, steps, seat, reader) for steps in (first, second))
                compared += sum(map(len, mine))
                apart += [f"{game!r}, seat {seat}:\n{a}\n{b}" for a, b in itertools.zip_longest(mine, others) if a != b]
        await floor.close()
        return compared, apart

    return asyncio.run(play())


@pytest.mark.parametrize("name", [name for name in shelf() if not definition(name).hides_nothing])
def test_every_byte_of_the_page_is_the_same_in_another_world(name: str, tmp_path: Path) -> None:
    compared, apart = differing(settings(name), tmp_path)
    assert not apart, apart[0]
    assert compared > 20_000


def test_a_leak_of_a_game_would_be_noticed_on_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    _, apart = differing([parlour.load(plant("leaking_deal", tmp_path))], tmp_path)
    assert apart
    _, apart = differing([parlour.load("leduc")], tmp_path)  # the same game without the leak
    assert not apart


class ByName(Visit):
    """A careless page: it knows its table, and names each place after the card that lies there, face down or not."""

    def hear(self, frame: wire.AnyFrame) -> dict[str, Any] | None:
        change = super().hear(frame)
        if isinstance(frame, wire.Telling) and change and self.live.table.state is not None:
            change["regions"]["board"] = f'<span data-key="{self.live.table.state.position.hand[1]}"></span>'
        return change


class Reviewed(Visit):
    """Another one: when it is opened afresh, the help for those who do not see is made from what somebody else sees."""

    def scene(self, **more: Any) -> Scene:
        if self.telling is not None and self.telling.closed:
            more["advice"] = str(self.live.table.view(1).observation())
        return super().scene(**more)


@pytest.mark.parametrize("careless", [ByName, Reviewed])
def test_leaks_of_a_page_would_be_noticed(careless: type[Visit], tmp_path: Path) -> None:
    _, apart = differing(
        [parlour.load("leduc")], tmp_path, lambda live: careless(live, "https://parlour.example/t/CODE", BROWSER)
    )
    assert apart
