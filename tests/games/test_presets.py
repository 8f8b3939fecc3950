"""Presets: house rules that a game recommends by name, from Python, on the command line and on the page."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import parlour
from parlour import ParlourError
from parlour.engine.definition import Definition, definition, shelf
from tests.helpers import parlour_says
from tools.minutes import minutes

if TYPE_CHECKING:
    from tests.room_helpers import Server

ALL = [(game, name) for game in shelf() for name in definition(game).presets]


@pytest.mark.parametrize(("game", "name"), ALL)
def test_presets_are_house_rules_that_may_be_played(game: str, name: str) -> None:
    what = definition(game)
    preset = what.preset(name)
    assert set(what.counts()) <= set(what.counts(**preset.options))  # as many may play as by the standard rules
    loaded = parlour.load(game, preset=name)
    assert bool(preset.options) == (name != "standard")
    for option, value in preset.options.items():
        assert loaded.options[option] == value != str(what.options[option].default)
    assert preset.title
    assert re.fullmatch(r"[A-Z][^.]*\.", preset.about)  # one sentence


def test_a_preset_has_a_name() -> None:
    assert definition("diamondback").preset("lively").options["dealer_fold"] == "no"
    assert parlour.load("diamondback", preset="lively", dealer_fold="yes").options["dealer_fold"] == "yes"
    with pytest.raises(ParlourError, match=r"^There is no preset 'livly' of Diamondback; did you mean 'lively'\?"):
        definition("diamondback").preset("livly")
    with pytest.raises(ParlourError, match=r"^There is no preset 'lively' of Kuhn poker; there is none at all\.$"):
        definition("kuhn").preset("lively")


def test_every_game_has_three_to_six_with_minutes() -> None:
    for game in shelf():
        presets = definition(game).presets
        if definition(game).options:
            assert 3 <= len(presets) <= 6, game
            assert next(iter(presets)) == "standard"
        assert all(1 <= preset.minutes <= 90 for preset in presets.values()), game


QUICKLY = [(game, 100, 5) for game in ("commit", "diamondback", "diamonds", "newmarket")]
LONGER = [pytest.param(game, 400, 10, marks=pytest.mark.long) for game in shelf()]


@pytest.mark.parametrize(("game", "games", "part"), [*QUICKLY, *LONGER])
def test_minutes_are_those_of_simulation(game: str, games: int, part: int) -> None:
    for name, preset in definition(game).presets.items():
        assert abs(minutes(game, preset, games) - preset.minutes) <= 1 + preset.minutes // part, name


BAD = {
    "[lively": "cannot be read",
    '[lively]\ntitle = "Lively"\nabout = "Yes."': "('options'): each preset has a title, about and options.",
    '[lively]\ntitle = ""\nabout = ""\noptions = { pace = 3 }': "preset lively: There is no option 'pace' of kuhn",
}


@pytest.mark.parametrize(("text", "sentence"), BAD.items())
def test_a_bad_file_is_one_sentence(text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "presets.toml").write_text(text, "utf-8")
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)
    with pytest.raises(ParlourError) as refused:
        _ = Definition("kuhn", "parlour.games.kuhn").presets
    assert str(refused.value).startswith("parlour.games.kuhn/presets.toml")
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_commands_take_presets_and_options_go_before(capsys: Any, monkeypatch: Any) -> None:
    line = "simulate diamonds --games 50 --preset lively --json"
    (setting,) = json.loads(parlour_says(line, monkeypatch, capsys)[1])["settings"]
    assert (setting["options"]["first_spade"], setting["options"]["joker_when"]) == ("end_turn", "own_turn")
    _, out, _ = parlour_says(f"{line} --option joker_when=turn_start,own_turn --option games=2", monkeypatch, capsys)
    found = [setting["options"] for setting in json.loads(out)["settings"]]
    assert [(one["first_spade"], one["joker_when"], one["games"]) for one in found] == [
        *(("end_turn", "turn_start", "2"), ("end_turn", "own_turn", "2"))
    ]


def test_the_page_fills_the_form_in(house: Server) -> None:
    import httpx

    with httpx.Client(base_url=house.url, follow_redirects=True) as client:
        plain = client.get("/new/diamondback").text
        assert 'href="/new/diamondback?preset=lively"' in plain
        assert definition("diamondback").preset("lively").about in plain
        lively = client.get("/new/diamondback?preset=lively").text
        fields = dict(re.findall(r'<input id="(option-\w+)" name="option-\w+" value="([^"]*)"', lively))
        assert fields["option-wager_limit"] == "3"
        (fold,) = re.findall(r'name="option-dealer_fold"[^>]*>(.*?)</select>', lively)
        assert '<option value="no" selected>' in fold
        assert re.search(r'<select id="players" name="players">.*<option selected>4</option>', lively)
