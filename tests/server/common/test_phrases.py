"""Quick phrases: a few things to say with one press, which everybody reads in their own language."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import Browser, expect

from parlour.server.common import wire
from parlour.server.common.phrases import PHRASES
from tests.page_helpers import Person
from tests.room_helpers import Guest, Server, bearer


def test_a_phrase_reaches_everybody_as_a_message_does(house: Server) -> None:
    with house.guest() as zoe, Guest(house, zoe.table) as spectator:
        assert isinstance(zoe.ask("phrase", name="well"), wire.Done)
        remark = spectator.until(lambda frame: isinstance(frame, wire.Remark))
        assert (remark.name, remark.text) == ("Zoé", "Well played!")
        refused = spectator.ask("phrase", name="well")
        assert isinstance(refused, wire.Refused)
        wrong = zoe.ask("phrase", name="wel")
        assert isinstance(wrong, wire.Refused)
        assert "did you mean 'well'" in wrong.sentence
        zoe.ask("allow", name="chat", on=False)
        assert isinstance(zoe.ask("phrase", name="well"), wire.Refused)


def test_it_is_a_form_without_script_and_what_others_type_is_left_alone(house: Server) -> None:
    made = house.make("leduc")
    here = f"{house.url}/t/{made['table']}"
    with httpx.Client(headers=bearer(made["token"]), follow_redirects=True) as zoe:
        page = zoe.get(here).text
        for name, text in PHRASES.items():
            assert f'name="phrase" value="{name}">{text}</button>' in page
        assert zoe.post(f"{here}/do", data={"do": "phrase", "phrase": "thanks"}).status_code == 200
        zoe.post(f"{here}/do", data={"do": "say", "text": "Hello there"})
        german = zoe.get(here, headers={"Accept-Language": "de"}).text
        said = german.split('class="remarks"')[1].split("</ul>")[0]
        assert PHRASES["thanks"] not in said
        assert "Hello there" in said


def test_where_other_people_sit_one_press_or_a_key_leads_to_them(house: Server, browser: Browser) -> None:
    """On a phone too; with bots only nobody would hear them.  One mutes others, but not oneself."""
    phone = {"viewport": {"width": 390, "height": 664}}
    with Person(browser, house, **phone) as ada, Person(browser, house) as cora:
        code = ada.opens("leduc", name="Ada", pace=60)
        button = ada.page.get_by_role("button", name="Quick phrases")
        expect(button).to_be_hidden()
        cora.sits_at(code, "Cora", 1)
        expect(ada.page.locator("#toast")).to_have_text(re.compile("^Cora sits down in .* place"))
        expect(cora.page.locator("#toast")).to_be_empty()
        button.click()
        ada.page.get_by_role("button", name=PHRASES["luck"]).click()
        bubble = cora.page.locator(".bubble")
        expect(bubble).to_have_text(PHRASES["luck"])
        seat, said = cora.page.locator('#r-board [data-seat="0"]').bounding_box(), bubble.bounding_box()
        assert seat
        assert said
        assert abs((said["x"] + said["width"] / 2) - (seat["x"] + seat["width"] / 2)) < 150, "over the seat"
        expect(ada.page.locator("#phrases")).to_be_hidden()
        ada.page.keyboard.press("p")
        expect(ada.page.locator(".phrases button").first).to_be_focused()
        ada.page.keyboard.press("Enter")
        expect(ada.page.locator(".remarks")).to_contain_text(PHRASES["hello"])
        cora.remarks("Thanks")
        for one in (ada, cora):
            expect(one.page.locator(".remarks")).to_contain_text("Thanks")
        expect(cora.page.locator("#remark")).to_have_value("")
        ada.page.reload()
        ada.turns_to("people")
        remarks = ada.page.locator(".remarks li:not(.notice)")
        expect(remarks).to_have_count(3)
        ada.page.get_by_role("button", name="Mute").click()
        expect(remarks).to_have_count(2)
        assert ada.page.get_by_role("button", name=re.compile("^Mute")).count() == 0, (
            "what is left one has said oneself"
        )
        cora.remarks("Well?")
        expect(cora.page.locator(".remarks")).to_contain_text("Well?")
        ada.page.get_by_role("button", name="Unmute Cora").click()
        expect(remarks).to_have_count(4)
        cora.page.goto("/")
        expect(ada.page.locator("#say-tool")).to_be_visible()
        ada.page.goto(f"/t/{code}?open=people")
        ada.page.locator("summary", has_text="The table’s host").click()
        ada.page.get_by_role("button", name="Switch chat off").click()
        expect(ada.page.locator("#say-tool")).to_be_hidden()
        assert ada.complaints == cora.complaints == []
