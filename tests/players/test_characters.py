"""Bots that are characters: who they are, how they play, where they sit, and what is remembered of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

import httpx
import pytest

import parlour
from parlour.base.errors import ParlourError
from parlour.engine.definition import definition
from parlour.engine.telling import View
from parlour.players import make
from parlour.players.characters import CHARACTERS, Slipping, characters, names_of, thinks
from parlour.players.kind import Kind
from parlour.players.player import Advice, Adviser
from parlour.server.page import portraits
from parlour.server.store.history import MatchResult, met_characters
from parlour.server.web.new_table import opened_as, wanted_table
from tests.room_helpers import Server, bearer
from tests.waiting import wait_until

DIAMONDBACK = parlour.load("diamondback", players=3)


def chosen(kind: str, games: int = 4, turns: int = 60) -> Counter[str]:
    """The first words of what a player chooses where it may wager, match or fold, in games of quick bots."""
    player, quick = make(kind, DIAMONDBACK, 1), make("rule-of-thumb", DIAMONDBACK, 2)
    found = Counter[str]()
    for seed in range(games):
        state = DIAMONDBACK.new(seed=seed)
        for _ in range(turns):
            if state.is_terminal:
                break
            seat = state.acting[0]
            view, legal = state.view(seat), state.legal_actions(seat)
            if {"wager", "match"} & {state.name_of(a).split()[0] for a in legal}:
                found[state.name_of(player.choose(view, legal)).split()[0]] += 1
            state.apply(quick.choose(view, legal), seat)
    return found


def test_the_cautious_one_folds_where_the_bold_one_stakes() -> None:
    cautious, bold = chosen("constance:40"), chosen("rollo:40")
    assert cautious.total() == bold.total() > 50
    assert cautious["fold"] > bold["fold"]
    assert bold["wager"] > cautious["wager"]


def test_a_beginner_slips_as_often_as_it_is_said_to() -> None:
    class First:
        name = "first"

        def choose(self, view: View, legal: Sequence[int]) -> int:
            return legal[0]

    view, share = parlour.load("kuhn").new(seed=1).view(0), CHARACTERS["pip"].slips
    player = Slipping(First(), "pip", share, 1)
    found = Counter(player.choose(view, [5, 6, 7, 8]) for _ in range(4000))
    assert [found[a] / 4000 for a in (6, 7, 8)] == pytest.approx([share / 4] * 3, rel=0.15)
    assert found[5] / 4000 == pytest.approx(1 - share + share / 4, rel=0.05)
    game = parlour.load("diamonds")
    assert isinstance(make("pip", game), Slipping)


def test_they_are_the_kinds_they_are_made_of() -> None:
    game = parlour.load("diamonds")
    for one in CHARACTERS.values():
        player = make(f"{one.kind}:50" if thinks(Kind(one.kind)) else one.kind, game, 1)
        assert player.name == one.kind
        assert thinks(Kind(one.kind)) is (one.plays.name in ("search", "best"))
        assert isinstance(player, Adviser) is thinks(Kind(one.kind))
    state = game.new(seed=1)
    seen = state.view(state.acting[0]), state.legal_actions(state.acting[0])
    for name, kind in (("dash", "rule-of-thumb"), ("minerva:200", "search:200"), ("magnus:200", "best:200")):
        assert make(name, game, 5).choose(*seen) == make(kind, game, 5).choose(*seen)
    assert [make(kind, game).seconds for kind in ("constance", "minerva", "magnus")] == [0.4, 1.0, 1.0]  # type: ignore[attr-defined]
    adviser = make("rollo:50", game, 1)
    assert isinstance(adviser, Adviser)
    assert isinstance(adviser.advise(*seen), Advice)


def seats(**wanted: object) -> list[tuple[str, str]]:
    seat = int(str(wanted.pop("seat", -1)))
    opened = opened_as(wanted_table(**{"game": "diabolo", "players": 4, **wanted}), seat=seat)
    return list(zip(opened.names, opened.bots, strict=True))


def test_a_character_sits_once_from_your_left_and_quick_bots_beside_it() -> None:
    plain = "rule-of-thumb"
    assert seats(bots="pip", name="Zoé") == [("Ada", plain), ("Pip", "pip"), ("Ben", plain), ("Cora", plain)]
    assert seats(bots="rollo, dash") == [("Ada", plain), ("Rollo", "rollo"), ("Dash", "dash"), ("Ben", plain)]
    assert [bot for _, bot in seats(bots="everybody", seat=2)] == ["dash", "constance", plain, "pip"]
    assert [name for name, _ in seats(bots="everybody")][1:] == ["Pip", "Dash", "Constance"]
    assert seats(bots="pip", name="pip")[1] == ("Ben", "pip"), "there is one of that name"
    assert seats(bots="random") == [("Ada", "random"), ("Ben", "random"), ("Cora", "random"), ("Dan", "random")]
    assert [bot for _, bot in seats(bots="search,random")][1:] == ["search", "random", "search"]
    assert [bot for _, bot in seats(bots="pip", seat=3)][:1] == ["pip"]
    with pytest.raises(ParlourError, match="only its own bots"):
        seats(bots="pip, my.Bot")


def test_a_face_is_seen_where_a_character_sits_and_nowhere_else(house: Server) -> None:
    made = house.make("diabolo", bots="rollo:20", players=3)

    def faces() -> int:
        page = httpx.get(f"{house.url}/t/{made['table']}", headers=bearer(made["token"])).text
        return page.split('id="r-board"')[1].count("faces.svg#rollo")

    wait_until(faces)  # it sits down by itself
    assert faces() == 1
    assert "faces.svg" not in httpx.get(f"{house.url}/t/{house.make('diabolo')['table']}").text
    form = httpx.get(f"{house.url}/new/diabolo").text
    for one in characters(definition("diabolo")):
        assert f"faces.svg#{one.kind}" in form
        assert one.about.replace("'", "&#39;") in form
    assert "faces.svg#pip" not in httpx.get(f"{house.url}/new/kuhn").text


def test_every_character_has_a_face_of_its_own() -> None:
    faces = {kind: portraits.drawn(kind) for kind in CHARACTERS}
    assert len(set(faces.values())) == len(faces) == len(portraits.FACES)
    for face in faces.values():
        assert ElementTree.fromstring(face).attrib["viewBox"] == "0 0 100 100"


def test_no_two_names_look_alike_however_many_sit_there() -> None:
    names = names_of([Kind("pip"), *[Kind("random")] * 30], ["Ada", "Ben"], taken="ADA")
    assert names[:3] == ["Pip", "Ben", "Bot 3"]
    assert len(set(names)) == 31


def test_what_you_did_against_each_is_added_up() -> None:
    def one(bots: list[str], places: list[int]) -> MatchResult:
        return MatchResult(
            at=1.0, game="diabolo", code="", match=1, names=["Zoé", "Pip", "Rollo"], bots=bots, seat=0, places=places,
            gains=[],
        )  # fmt: skip

    found = met_characters([one(["", "pip", "rollo"], [2, 3, 1]), one(["", "pip", "random"], [1, 1, 3])])
    assert [(who.kind, who.matches, who.ahead, who.level, who.behind) for who in found] == [
        ("pip", 2, 1, 1, 0),
        ("rollo", 1, 0, 0, 1),
    ]
