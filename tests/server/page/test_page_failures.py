"""When a request fails by our own fault, and what the first visitor of a page need not wait for."""

from __future__ import annotations

import itertools
import re
from urllib.parse import quote

import httpx
import jinja2
import pytest

from parlour.engine.definition import games
from parlour.server.page import environment
from parlour.server.site import front
from parlour.server.store.store import Store
from tests.helpers import the_rest_long
from tests.room_helpers import Server

SECRET = "the key of Ann is 1234"


@pytest.fixture
def broken(house: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server in which the front page, and reading a table, fail."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(front, "found_again", fail)
    monkeypatch.setattr(Store, "find", fail)
    return house


@pytest.mark.parametrize(("language", "said"), [("en", "Something went wrong on this server"), ("de", "")])
def test_a_person_is_told_in_a_page(broken: Server, language: str, said: str) -> None:
    answer = httpx.get(broken.url, headers={"Accept": "text/html", "Accept-Language": language})
    assert (answer.status_code, answer.headers["content-type"]) == (500, "text/html; charset=utf-8")
    assert said in answer.text
    assert f'<html lang="{language}"' in answer.text
    assert "Content-Security-Policy" in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert SECRET not in answer.text
    assert "RuntimeError" not in answer.text


def test_a_program_is_told_in_json(broken: Server) -> None:
    answer = httpx.get(f"{broken.url}/api/1/tables/ABCDEF")
    assert answer.status_code == 500
    assert answer.json() == {
        "sentence": "Something went wrong on this server, not with what you did. Try again in a moment.",
        "clause": "",
    }


def test_no_template_is_compiled_for_a_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server does it when it starts."""
    environment.compile_all(["en"])
    compiled = list[object]()
    monkeypatch.setattr(jinja2.Environment, "compile", lambda *given, **more: compiled.append(given))
    for name in ("home.html", "table.html", "replay.html", "mistake.html", *map(environment.board_of, games())):
        environment.template(name)
    assert compiled == []


# ------------------------------------------------------------------------------------------ opened cold


PLACES = {
    "game": ("kuhn", "diamonds", "no_such_game"),
    "day": ("2026-01-01", "0001-01-01", "9999-12-31", "²", "x" * 500),
    "name": ("style.css", "..", "²"),
}
"""What stands in an address, by the name of its place; anything else is a code that nobody has given out."""
CODES = ("QWRTZP", "x", "²" * 50)

NO_PAGES_OF_THEIRS = ("/look", "/lobby")
"""An address for developers, which is in English; and one for the front page's script, which gets a part of it."""


def addresses(server: Server) -> list[str]:
    """Every address that a browser may open, with what may stand in it: a new page is among them."""
    found = []
    routers = [getattr(one, "original_router", one) for one in server.app.routes]
    for route in itertools.chain.from_iterable(getattr(one, "routes", [one]) for one in routers):
        if "GET" in (getattr(route, "methods", None) or ()):
            path = str(getattr(route, "path", ""))
            names = re.findall(r"\{(\w+)(?::\w+)?\}", path)
            for values in itertools.islice(itertools.product(*(PLACES.get(one, CODES) for one in names)), 6):
                filled = iter(values)
                found.append(re.sub(r"\{[^}]*\}", lambda _, filled=filled: quote(next(filled), safe=""), path))  # type: ignore[misc]
    return found


@pytest.mark.parametrize("language", the_rest_long(["en", "de"], ["de"]))
def test_every_page_opened_cold_is_a_page_or_a_sentence(house: Server, language: str) -> None:
    """By somebody who has never been here, with whatever stands in the address."""
    opened = addresses(house)
    assert len(opened) > 60
    headers = {"Accept": "text/html", "Accept-Language": language}
    with httpx.Client(base_url=house.url, headers=headers) as stranger:
        for address in opened:
            answer = stranger.get(address)
            assert answer.status_code in (200, 303, 307, 401, 403, 404, 406, 409, 414, 422), (address, answer)
            if answer.headers.get("content-type", "").startswith("text/html") and not address.startswith("/docs"):
                assert f'<html lang="{language}"' in answer.text or address in NO_PAGES_OF_THEIRS, address
                assert "Traceback" not in answer.text
