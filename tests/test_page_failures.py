"""When a request fails by our own fault, and what the first visitor of a page need not wait for."""

from __future__ import annotations

import httpx
import jinja2
import pytest

from parlour.engine.definition import games
from parlour.page import front, rendering
from parlour.room.store import Store
from room_helpers import Server

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
    rendering.compile_all(["en"])
    compiled = list[object]()
    monkeypatch.setattr(jinja2.Environment, "compile", lambda *given, **more: compiled.append(given))
    for name in ("home.html", "table.html", "replay.html", "mistake.html", *map(rendering.board_of, games())):
        rendering.template(name)
    assert compiled == []
