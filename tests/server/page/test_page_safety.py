"""What the page does not let happen: scripts of others, forms of others, names that are more than names; and what is
said when a request fails by our own fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unittest.mock import Mock

import httpx
import pytest
from playwright.sync_api import Browser, expect
from websockets.exceptions import InvalidStatus

import parlour
from parlour.engine.definition import shelf
from parlour.server.live.identity import COOKIE
from parlour.server.page import pages
from parlour.server.site import front
from parlour.server.store.store import Store
from parlour.server.web.api import API
from tests.helpers import the_rest_long
from tests.page_helpers import Person, Plain, finished, under_way
from tests.room_helpers import Guest, Server, addresses, bearer, line_to
from tests.waiting import wait_until

SCRIPT = "<script>document.title = 'mine'</script>"
IMAGE = "<img src=x onerror=alert(1)>"
WICKED = f"parlour record 1\ngame: {SCRIPT}\nrules: 1\nplayers: 2\n\n"
FILLED = """(text) => {
  const fields = [...document.querySelectorAll("form.sheet input:not([type=checkbox]):not([type=radio])")];
  for (const one of fields) { one.type = "text"; one.removeAttribute("maxlength"); one.value = text; }
  const choices = [...document.querySelectorAll("form.sheet select")];
  for (const one of choices) one.add(new Option(text, text, true, true));
  return fields.length + choices.length;
}"""
"""Fill in a form as its page would not allow; return how much there was to fill in."""


INLINE = re.compile(r"""(?i)<style\b|<script(?![^>]*\ssrc=)|<[^>]*\s(?:style|on\w+)=|<[^>]*=["']?\s*javascript:""")
"""What a strict policy forbids: scripts, styles and handlers that stand in the page itself."""


def answers_of(house: Server, games: Sequence[str]) -> Iterator[tuple[str, httpx.Response]]:
    """An answer of every address that people look at, well asked and badly asked, for these games."""
    made = house.make("leduc")
    at = f"/t/{made['table']}"
    table = [at, f"{at}/verify", f"{at}/replay"]
    pages = [
        "/", "/docs", "/redoc", "/openapi.json", "/join?code=zzz", "/nowhere", "/t/nowhere", "/replay/nothing",
        "/new/whist", "/rules/whist", "/shelf/0/leduc.txt", "/static/0/site.py", *table,
    ]  # fmt: skip
    forms = [
        (f"{at}/do", {"action": ""}), (f"{at}/do", {"action": "fold"}), (f"{at}/do", {"do": "say", "text": "Hm."}),
        (f"{at}/sit", {"name": "Zoé", "seat": "1"}), ("/theme", {"theme": "dark"}), ("/colours", {"colours": "4"}),
    ]  # fmt: skip
    records = ["<script>"]
    for game in games:
        pages += [f"/new/{game}", f"/rules/{game}", f"/t/{house.make(game)['table']}"]
        forms += [(f"/play/{game}", {"name": "Zoé", **more}) for more in ({}, {"guide": "yes"}, {"players": "99"})]
        records += [finished(game), parlour.replay(under_way(game)).record(0)]
    headers = {"Accept": "text/html", **bearer(made["token"])}
    with httpx.Client(base_url=house.url, follow_redirects=True, headers=headers) as guest:
        for record in records:
            brought = guest.post("/replay", files={"record": ("a.parlour", record.encode())})
            yield "a record", brought
            pages += [f"{brought.url.path}?seat={seat}" for seat in ("0", "all", "every")]
            forms.append((f"{brought.url.path}/play", {"step": "0", "seat": "0"}))
        for address, data in forms:
            yield f"{address} {data}", guest.post(address, data=data)
        yield from ((address, guest.get(address)) for address in pages)
        with Guest(house, made["table"], made["token"]) as zoe:
            zoe.to_the_end()
        yield from ((address, guest.get(address)) for address in table)


ALL: Final = tuple(shelf())
FEW: Final = ("diamondback", "leduc")
"""One with a board of its own, one without; of every board something else sees that nothing on it is inline."""


@pytest.mark.parametrize("games", the_rest_long([FEW, ALL], [FEW]), ids=["few", "all"])
def test_every_page_has_a_strict_policy_and_nothing_inline(house: Server, games: Sequence[str]) -> None:
    """Whatever is asked for, well or badly: what is HTML carries the policy, and nothing that the policy forbids."""
    rules = dict(rule.split(" ", 1) for rule in pages.POLICY.split("; "))
    assert rules["default-src"] == "'none'"
    assert {rules[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {"'self'"}
    assert rules["base-uri"] == rules["frame-ancestors"] == "'none'"
    count = 0
    for what, answer in answers_of(house, games):
        assert answer.status_code < 500, what
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        count += 1
        assert answer.headers["content-security-policy"] == pages.POLICY, what
        assert answer.headers["x-content-type-options"] == "nosniff", what
        assert not INLINE.search(answer.text), what
    assert count > 9 * len(games)


@pytest.mark.parametrize("kind", the_rest_long([Person, Plain], [Person]))
def test_what_others_write_is_text(browser: Browser, house: Server, abe: Person, kind: type[Person]) -> None:
    """Names and comments of a record, values of house rules, the name of a guest, what is said: on every page."""
    record = finished("leduc").replace("\n\n", f"\nseat 0: {SCRIPT}\nseat 1: {IMAGE}\n\n", 1)
    assert parlour.replay(record).player_names == (SCRIPT, IMAGE)
    with kind(browser, house) as zoe:
        abe.sits_at(zoe.opens("leduc", name="<b>&amp;</b>"))
        expect(abe.page.locator("#r-board")).to_contain_text("<b>&amp;</b>")
        abe.remarks(SCRIPT + IMAGE)
        expect(abe.page.locator(".remarks")).to_contain_text(SCRIPT + IMAGE)
        if kind is Plain:
            zoe.page.reload()  # nothing comes by itself
        for _ in range(2):  # as it came, and as the server sends it
            expect(zoe.page.locator(".remarks")).to_contain_text(SCRIPT + IMAGE)
            for one in (zoe, abe):
                is_clean(one, "")
            zoe.page.reload()
        for text in (record, WICKED, record + IMAGE):
            zoe.brings(text, f"{SCRIPT}.parlour")
            is_clean(zoe, SCRIPT if text != record + IMAGE else IMAGE)
        zoe.page.goto(f"{replay_of(house, record)}?seat=every&step=0")
        is_clean(zoe, SCRIPT)
        zoe.page.goto(f"{replay_of(house, under_way('leduc'))}?seat={SCRIPT}&step={IMAGE}")
        is_clean(zoe, "")
        zoe.page.goto("/new/diamonds")
        assert zoe.page.evaluate(FILLED, SCRIPT) > 3
        zoe.goes_by(zoe.page.get_by_role("button", name="Sit down"))
        is_clean(zoe, "")
        zoe.page.goto(f"/join?code={SCRIPT}")
        is_clean(zoe, "")
        assert zoe.complaints == abe.complaints == []


def is_clean(who: Person, text: str) -> None:
    """A text is on the page as it was written, and nothing has come of it."""
    shown = who.page.locator("body")
    if text:
        assert text in shown.inner_text() + str(shown.get_attribute("class")) + "".join(who.cards()), text
    assert who.page.locator("main script, main img[src=x], [onerror]").count() == 0
    assert "mine" not in who.page.title()


def replay_of(house: Server, record: str) -> str:
    """Where a record is seen again."""
    answer = httpx.post(f"{house.url}/replay", files={"record": ("a.parlour", record.encode())})
    return answer.headers["location"].partition("?")[0]


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "", "http://[", "http://127.0.0.1:1"])
def test_forms_of_other_sites_are_refused_wherever_they_lead(house: Server, origin: str) -> None:
    """Whatever changes something: nothing is done for the guest whose cookie comes with it, and no line is opened."""
    made = house.make("leduc")
    foreign = {"Cookie": f"{COOKIE}={made['token']}", "Origin": origin}
    forms = [where for method, where in addresses(house, made["table"]) if method not in ("", "GET", "HEAD")]
    assert len(forms) >= 10
    with httpx.Client(base_url=house.url) as client:

        def record() -> str:
            return client.get(f"/t/{made['table']}/record", headers=bearer(made["token"])).text

        wait_until(lambda: "\nlink: " in record())  # it is told after the deal
        before = record()
        for address in forms:
            answer = client.post(address, headers=foreign, data={"action": "call", "name": "Eve"})
            assert (answer.status_code, "set-cookie" in answer.headers) == (403, False), address
            assert answer.json()["sentence"] == "This page isn't from this server."
        assert record() == before
    for line in (f"/t/{made['table']}/live", f"{API}/tables/{made['table']}/socket"):
        with pytest.raises(InvalidStatus, match="403"), line_to(house.socket(line), additional_headers=foreign):
            pass


SECRET = "the key of Ann is 1234"


@pytest.mark.parametrize(("language", "said"), [("en", "Something went wrong on this server"), ("de", "")])
def test_a_person_is_told_in_a_page(house: Server, monkeypatch: pytest.MonkeyPatch, language: str, said: str) -> None:
    """Where the front page, and reading a table, fail."""
    for part, name in ((front, "found_again"), (Store, "find")):
        monkeypatch.setattr(part, name, Mock(side_effect=RuntimeError(SECRET)))
    answer = httpx.get(house.url, headers={"Accept": "text/html", "Accept-Language": language})
    assert (answer.status_code, answer.headers["content-type"]) == (500, "text/html; charset=utf-8")
    assert said in answer.text
    assert f'<html lang="{language}"' in answer.text
    assert "Content-Security-Policy" in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert SECRET not in answer.text
    assert "RuntimeError" not in answer.text
    told = httpx.get(f"{house.url}/api/1/tables/ABCDEF", headers={"Accept-Language": language})
    sentence = "Something went wrong on this server, not with what you did. Try again in a moment."
    assert (told.status_code, told.json()) == (500, {"sentence": sentence, "clause": ""}), "a program is told in JSON"
