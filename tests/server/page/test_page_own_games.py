"""Your own games on the page, in folders beside the server: found, shown as cards, complete at every size."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random
from types import SimpleNamespace

import httpx
import pytest
from playwright.sync_api import Browser, expect

import parlour
from parlour import ParlourError
from parlour.cli.author.new import lay_out
from parlour.cli.play.games import games as list_games
from parlour.core import drawing
from parlour.engine import definition
from tests.cli.test_visits import serving
from tests.helpers import the_rest_long
from tests.page_helpers import SIDEWAYS, Person
from tests.server.page.test_page_fits import LAYOUT

SIZES = [(360, 740), (844, 340)]
SHELF = Path(parlour.__file__).with_name("games")
RULES = ("__init__.py", "rules.py", "words.toml", "book.md", "heuristic.py", "invariants.py", "presets.toml")
NOT_REACHED = """() => [...document.querySelectorAll("#play button.legal")].filter((one) => {
  const box = one.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + Math.min(8, box.width / 2), box.top + Math.min(8, box.height / 2));
  return !top || !one.contains(top);
}).map((one) => one.value)"""
"""Choices that lie out of sight, or under something else."""


def copied(game: str, folder: Path, name: str) -> None:
    """A game of the shelf as an author's own: its rules and words, and no drawing."""
    (folder / name).mkdir()
    for file in filter(Path.is_file, (SHELF / game).glob("*")):
        if file.name in RULES or (game != "hearts" and file.suffix == ".py" and file.stem not in ("deck", "drawing")):
            text = file.read_text("utf-8").replace(f"parlour.games.{game}", name)
            (folder / name / file.name).write_text(text.replace('\nname = "', '\nname = "My '), "utf-8")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with four games, one that cannot be read, and two folders that are not games."""
    folder = tmp_path_factory.mktemp("workshop")
    lay_out("one_card", "One Card", folder)
    words = folder / "one_card" / "words.toml"
    words.write_text(re.sub(r"(?m)^minutes.*\n", "", words.read_text("utf-8")), "utf-8")  # nor need it say that
    copied("hearts", folder, "my_hearts")
    copied("dividha", folder, "my_dividha")
    copied("diabolo", folder, "my_diabolo")
    lay_out("broken", "Broken", folder)
    (folder / "broken" / "words.toml").write_text("[game\n")
    (folder / "notes").mkdir()
    (folder / "notes" / "rules.py").write_text("raise SystemExit")
    shutil.copytree(folder / "one_card", folder / "one-card")
    return folder


@pytest.fixture(scope="module")
def address(workshop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    state = tmp_path_factory.mktemp("state")
    with serving(state, "--port", "0", "--database", f"sqlite:///{state}/p.db", cwd=workshop) as url:
        yield url


INSTALLED = {"hearts": "my_hearts", "gone": "no_such.game", "odd": "my_hearts:rules", "twice": "one_card"}


def test_games_of_a_folder_are_found_there(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each that can be read is registered, and listed by ``parlour games``; of another it is said what is wrong.  An
    installed package is left out as a folder is, and never takes the place of another game."""
    monkeypatch.chdir(workshop)
    monkeypatch.syspath_prepend("")
    entries = [EntryPoint(*one, "parlour.games") for one in [*INSTALLED.items(), ("twice", "my_dividha")]]
    monkeypatch.setattr(definition, "entry_points", lambda group: entries)
    monkeypatch.setattr(definition, "_installed", cache(definition._installed.__wrapped__))
    for kept in ("_registered", "_read"):
        monkeypatch.setattr(definition, kept, {})
    found = definition.register_here()
    assert re.fullmatch(r"broken/words\.toml cannot be read: .*\.", found.pop("broken"))
    assert {one for one in found if " " in one} == {f"{name} ({package})" for name, package in INSTALLED.items()}
    found = {name: wrong for name, wrong in found.items() if " " not in name}
    assert found == dict.fromkeys(["my_diabolo", "my_dividha", "my_hearts", "one_card"], "")
    assert not {"broken", "gone", "odd"} & {*parlour.game_names()}
    assert parlour.load("hearts").definition.package == "parlour.games.hearts"
    with pytest.raises(ParlourError, match=r"There is no game in 'no_such\.game': no module no_such\.game\.rules"):
        parlour.load("gone")
    list_games()
    said = capsys.readouterr()
    assert re.search("One Card.*about 10 minutes", said.out)
    assert "broken is left out" in said.err
    assert "twice (one_card) is left out: There is already a game called twice" in said.err


def test_a_server_offers_the_games_of_its_folder(address: str) -> None:
    offered = {one["id"] for one in httpx.get(f"{address}/api/1/games").json()}
    assert {"one_card", "my_hearts", "my_dividha", "kuhn"} <= offered
    assert not {"broken", "notes"} & offered
    page = httpx.get(address).text
    games, _, study = page.partition("Small games for study")
    assert re.findall(r'action="/play/(\w+)"', study) == ["kuhn", "leduc"]
    assert {"one_card", "my_hearts", "hearts"} <= {*re.findall(r'action="/play/(\w+)"', games)}


@pytest.mark.parametrize("language", the_rest_long(["en-US", "de-DE"], ["de-DE"]))
def test_cards_are_cards_and_nothing_lies_over_anything(browser: Browser, address: str, language: str) -> None:
    """Thirteen cards, each of which may be played, with who played which card of a trick below it; eight buttons at
    once; and a dozen choices beside a table of trays, where a card stands for two choices, so each is a button.  A game
    of one's own is hinted and replayed in processes of their own, which find it too."""
    with Person(browser, SimpleNamespace(url=address), locale=language) as zoe:  # type: ignore[arg-type]
        for game, cards in (("my_hearts", 13), ("my_dividha", 2), ("one_card", 1), ("my_diabolo", 0)):
            if not cards:  # twelve German choices do not fit on the smallest screen
                zoe.context.request.post("/language", form={"language": "en"})
            code = zoe.begins(
                game, players=5 if game == "my_diabolo" else None, bots="search:0.05s" if cards == 1 else "random"
            )
            while not cards and not zoe.page.locator('#play button.legal[value^="place"]').count():
                zoe.plays(zoe.by_mouse, Random(1), most=1)
                zoe.waits()
            if cards:
                assert zoe.page.locator("#r-board .rail .hand .card").count() == cards
            else:
                assert zoe.page.locator("#play .acts button").count() >= 10
            for width, height in SIZES:
                zoe.page.set_viewport_size({"width": width, "height": height})
                zoe.looks()
                where = f"{game} at {width}×{height}"
                assert zoe.page.evaluate(SIDEWAYS) == 0, where
                assert not zoe.page.evaluate(NOT_REACHED), where
                assert not zoe.page.evaluate(LAYOUT)["faults"], where
            if game == "my_hearts":
                trick = zoe.page.locator("#r-board .tray li")
                assert trick.count() == 4
                assert trick.last.inner_text().strip() == ("Du" if language == "de-DE" else "You")
                assert zoe.page.locator("#r-board .others .seat").count() == 3
                assert zoe.page.locator("#r-board .acts button").count() == 0
                first = zoe.page.locator("#r-board .hand button.card.legal").first
                name = first.get_attribute("data-key")
                first.click()
                expect(zoe.page.locator(f'#r-board .hand button.card[data-key="{name}"]')).to_have_count(0)
            if game == "one_card":
                zoe.page.locator("#hint").click()
                expect(zoe.page.locator("#play [data-hinted]")).to_have_attribute("value", re.compile("stay|swap"))
                expect(zoe.page.locator("#hint")).not_to_have_class("sent")
                zoe.page.locator('#play button.legal[value="stay"]').click()
                zoe.page.locator("#r-end h2").wait_for()
                zoe.page.goto(f"/t/{code}/replay/1?seat=0&step=2")
                expect(zoe.page.locator("#r-board .rail .card")).to_be_visible()
        assert not zoe.complaints


def test_a_terminal_draws_cards_of_a_game_without_a_drawing() -> None:
    state = parlour.load("sampler", players=2).new(seed=3)
    while state.view(0).observation()["hand"][0] in (None, "none"):
        state.apply(state.legal_actions()[0])
    drawn = drawing.as_text(state.view(0))
    card = state.view(0).observation()["hand"][0]
    assert re.search(rf"│ *{card} *│", drawn)
    assert "╭" not in drawing.as_text(state.view(parlour.EVERYBODY))
