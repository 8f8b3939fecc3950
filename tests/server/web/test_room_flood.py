"""As much nasty text as a server lets in, in every field, header and address: it stops nobody else, and is not kept.

What is sent is found in the server itself: its routes, its description, its templates, the commands and the source.
Frames of sockets are read as bodies and forms are (``test_room_fuzz.py`` sends any).
"""

from __future__ import annotations

import gc
import inspect
import json
import re
import socket
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from importlib import resources
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, get_args
from urllib.parse import quote, urlencode

import msgspec
import pytest

import parlour
from parlour.base.languages import languages, preferences
from parlour.server.common import limits, wire
from parlour.server.page import replays
from parlour.server.page.replays import LARGEST
from parlour.server.web.api import API
from tests.helpers import there
from tests.page_helpers import finished
from tests.room_helpers import Server, calls, running
from tests.waiting import LIMIT

STANDSTILL: Final = 0.05
"""Seconds of processor time for which nobody else may be kept waiting, beyond what an ordinary request takes."""
NASTY: Final = (
    "= is for , not for version= (", '", "', "(", '\\"', '"', '"\\"\\"', "9", ",", ";", "&a=", "a;q=1,", '";', "[",
    '{"a":', "{x}{0}%(a)s{0.__class__}", "kuhm ", "a\u0301\u0316", "\u0327\u0301", "\u200d", "\U0001f469\u200d", "ﷺ",
    "\u05e9\u05c1", "/../", "undo\n", " ", " #", "told: ( ", "seat 1: ", "%", "%C3%A9", "search:", "everybody,",
    "\\", "<b>", "T", "-", "::1,", "nan", "-1", "²", "٣", "0001-01-01",
)  # fmt: skip
"""What is repeated until there is as much as is let in; or stands there once."""
ONCE: Final = 1
"""Bytes for which it stands there once."""
MOST_KEPT: Final = 3 << 19
"""Bytes that a server may keep of all that strangers send, if the records it keeps have two thirds of that."""
HEADERS: Final = (limits.LONGEST_HEADER - 100, 60_000)
"""Bytes of a header or an address: as many as are read, and as many as the protocol lets in."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that does not slow its guests down, and keeps few records."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits, "BURST", 10_000_000)
        patched.setattr(replays, "ROOM", MOST_KEPT * 2 // 3)
        with running(tmp_path_factory.mktemp("room") / "parlour.db") as there:
            yield there


SOURCES: Final = [file.read_text("utf-8") for file in (Path(parlour.__file__).parent / "server").rglob("*.py")]
"""All modules that read what strangers send."""
CONSTANTS: Final = dict(
    pair for text in SOURCES for pair in re.findall(r'^([A-Z_]+): Final = "([\w-]+)"', text, re.MULTILINE)
)


WORD: Final = '(?:"([A-Za-z]+(?:-[A-Za-z]+)*)"|([A-Z_]{3,}))'
"""A name in quotation marks, or a constant."""
READ: Final = rf"headers(?:\.get|\.getlist)?[(\[]{WORD}|{WORD} (?:not )?in \S*headers|\w\(\S*headers, {WORD}"
"""How the source reads a header."""


@cache
def headers_read() -> list[str]:
    """The names of the headers that the source reads, and those that its libraries do."""
    found = {"content-type", "host", "range", "if-none-match", "sec-websocket-protocol", "expect"}
    for text in SOURCES:
        found |= {CONSTANTS.get(word, word) for words in re.findall(READ, text) for word in words if word}
    names = {name.casefold() for name in found}
    assert names >= {"accept-language", "forwarded", "x-forwarded-for", "origin", "authorization", "accept-encoding"}
    return sorted(names - {"content-length", "transfer-encoding", "connection"})  # they frame the request itself


@cache
def cookies_read() -> list[str]:
    names = {name for text in SOURCES for name in re.findall(r'"(parlour_\w+)"', text)}
    assert "parlour_name" in names
    return sorted(names)


@cache
def fields_of(endpoint: Callable[..., Any]) -> list[str]:
    """The fields that a form for this endpoint may have: those that its module reads, and what turns forms into
    commands and house rules for it."""
    module = there(inspect.getmodule(endpoint))
    text = inspect.getsource(module)
    text += "".join(source for source in SOURCES if "def command(form" in source) if "forms" in vars(module) else ""
    text += "".join(source for source in SOURCES if "def chosen_in(" in source) if "house_rules" in vars(module) else ""
    return sorted(set(re.findall(r'"([a-z][\w-]*)"', text)) & FIELDS)


def _fields() -> set[str]:
    """Every name of a field in a template, and whatever the source takes out of a form."""
    texts = [one.read_text("utf-8") for one in Path(str(resources.files("parlour.server"))).rglob("templates/*.html")]
    found = {name for text in texts for name in re.findall(r'\bname="([a-z][\w-]*)"', text)}
    found |= {name for text in SOURCES for name in re.findall(r'form(?:\.get\(|\[)"([\w-]+)"', text)}
    found |= {name for text in SOURCES for name in re.findall(r'"([\w-]+)" in form\b', text)}
    assert found >= {"name", "game", "action", "text", "phrase", "bots", "title", "record"}
    return found


FIELDS: Final = _fields()


def ordinary(field: str) -> str:
    """A value that passes, so that what stands beside it is reached."""
    return {"game": "leduc", "name": "Zoé", "do": "act", "action": "call", "bots": "random"}.get(field, "1")


def filled(nasty: str, most: int) -> str:
    """As much of something as there is room for, or once."""
    if most <= ONCE:
        return nasty
    text = nasty * (most // len(nasty.encode()) + 1)
    return text.encode()[:most].decode(errors="ignore")


class Cost(NamedTuple):
    """Seconds of processor time: of the thread that serves everybody, and of all threads but the test's own."""

    serving: float
    all: float


def spent(house: Server) -> Cost:
    assert house._thread.ident is not None
    serving = time.clock_gettime(time.pthread_getcpuclockid(house._thread.ident))
    return Cost(serving, time.process_time() - time.thread_time())


def cost_of(house: Server, sent: bytes) -> Cost:
    """What it costs a server to answer; it is none of its own faults."""
    before = spent(house)
    answer = answer_to(house, sent)
    after = spent(house)
    assert not answer.startswith(b"HTTP/1.1 5"), (sent[:200], answer)
    return Cost(after.serving - before.serving, after.all - before.all)


def answer_to(house: Server, request: bytes) -> bytes:
    """What a server says to raw bytes; nothing if it hangs up."""
    with socket.create_connection(("127.0.0.1", house.port), timeout=LIMIT) as line, suppress(ConnectionError):
        line.sendall(request)
        return b"".join(iter(lambda: line.recv(1 << 16), b""))
    return b""


def request(method: str, address: str, body: bytes = b"", kind: str = "", language: str = "en", **more: str) -> bytes:
    """A request as bytes; ``more``: further headers."""
    headers = {"Host": "h", "Connection": "close", "Accept": "text/html", "Accept-Language": language}
    headers["Content-Length"] = str(len(body))
    more = {("Cookie" if name == "Cookie" else name.title()): said for name, said in more.items()}
    headers |= ({"Content-Type": kind} if kind else {}) | more
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{method} {address} HTTP/1.1\r\n{head}\r\n".encode() + body


class Place(NamedTuple):
    """Where something nasty may stand.

    ``about``: which place; ``sent``: what is sent if this text of this size stands there (made one at a time: all at
    once would be gigabytes); ``ordinary``: the same with ordinary text; ``sizes``: how much there may be;
    ``reads_records``: whether a thread of its own may work on it for longer.
    """

    about: str
    sent: Callable[[str, int], bytes]
    ordinary: bytes
    sizes: tuple[int, ...]
    reads_records: bool = False


Trial = tuple[Place, str, int]
"""A place, what is repeated there, and how many bytes of it."""


def standstills(house: Server, trials: Iterable[Trial]) -> list[str]:
    """Those that keep everybody waiting for too long.  Reading a record is work for a thread of its own, which lets
    others go on; anything else counts whole."""
    usual, found = dict[bytes, Cost](), []
    gc.collect()
    gc.freeze()  # a test's own heap is not what a server has to look through
    gc.disable()
    try:
        for n, (place, nasty, most) in enumerate(trials):
            if n % 100 == 0:
                gc.collect()
            if place.ordinary not in usual:
                usual[place.ordinary] = cost_of(house, place.ordinary)
            may, sent = usual[place.ordinary], place.sent(nasty, most)
            for _ in range(3):  # what else happens in the process counts too
                cost = cost_of(house, sent)
                serving, whole = cost.serving - may.serving, cost.all - may.all
                if serving <= STANDSTILL and (whole <= STANDSTILL or place.reads_records):
                    break
            else:
                what = f"{place.about}: {nasty!r} × {most}"
                found.append(f"{what}: {1000 * serving:.0f} ms serving, {1000 * whole:.0f} ms in all")
    finally:
        gc.enable()
        gc.unfreeze()
    return found


FORM: Final = "application/x-www-form-urlencoded"
FILE: Final = "multipart/form-data; boundary=b"
RECORDS: Final = ("/replay", f"{API}/tables")
"""Where a record may be sent, which may be long."""
SIZES: Final = (ONCE, 900, limits.LARGEST_FORM, limits.LARGEST_BODY)
"""Bytes of a field: as much as a field, a form and a request may have."""


def forms_to(house: Server, table: str) -> Iterator[Place]:
    """Each field of each form, in each language; and forms of nothing but nasty text."""
    for call in calls(house, table):
        if call.method != "POST" or call.address.startswith(API):
            continue
        fields = fields_of(call.endpoint)
        plain = urlencode({field: ordinary(field) for field in fields})
        ways = {field: partial(_filled_form, f"{plain}&{field}=") for field in fields}
        for language, (about, fill) in product(languages(), (ways | {"whole": _whole, "as a file": _file}).items()):
            post = partial(request, "POST", call.address, kind=FILE if fill is _file else FORM, language=language)
            usual = request("POST", call.address, plain.encode(), FORM, language)
            sent = partial(_posted, post, fill)
            yield Place(f"{call.address} {about}", sent, usual, SIZES, call.address in RECORDS)


def _posted(post: Callable[[bytes], bytes], fill: Callable[[str, int], bytes], nasty: str, most: int) -> bytes:
    return post(fill(nasty, most))


def _whole(nasty: str, most: int) -> bytes:
    return filled(nasty, most).encode()


def _filled_form(before: str, nasty: str, most: int) -> bytes:
    text = quote(filled(nasty, most if most < 1000 else most // (1 if nasty.isalnum() else 3)))
    return f"{before}{text}".encode()[: most if most > 1000 else None]


def _file(nasty: str, most: int) -> bytes:
    """A record that is brought, which begins well."""
    return brought(f"parlour record 1\ngame: leduc\nrules: 1\nplayers: 2\nseed: 1\n{filled(nasty, most - 200)}")


def brought(record: str) -> bytes:
    """A form with a record as a file."""
    head = '--b\r\nContent-Disposition: form-data; name="record"; filename="r"\r\n\r\n'
    return f"{head}{record}\n\r\n--b--\r\n".encode()


def headers_to(house: Server, table: str) -> Iterator[Place]:
    """Each header and each cookie, in requests with and without a body."""
    for method, address in (("GET", f"/t/{table}"), ("POST", f"{API}/tables")):
        send = partial(request, method, address, b"{}" if method == "POST" else b"")
        for name in headers_read():
            yield Place(f"{name} to {address}", partial(_header, send, name, "", filled), send(), HEADERS)
        for name, text in product(cookies_read(), (filled, quoted)):
            sent = partial(_header, send, "Cookie", f"{name}=", text)
            yield Place(f"cookie {name} to {address}", sent, send(), HEADERS)


def _header(
    send: Callable[..., bytes], name: str, before: str, text: Callable[[str, int], str], nasty: str, most: int
) -> bytes:
    return send(**{name: before + text(nasty.strip("\n"), most - len(before))})


def quoted(nasty: str, most: int) -> str:
    """As much of something as there is room for in an address."""
    return quote(filled(nasty, most), safe="&=;,/")[: most if most > ONCE else None]


def addresses_at(house: Server, table: str) -> Iterator[Place]:
    """Each part of each address, and each parameter of its query, in each language."""
    for call in calls(house, table):
        if call.method != "GET" or call.address.endswith("/frames"):
            continue
        parts = call.address.split("/")
        asked = sorted({*inspect.signature(call.endpoint).parameters, *fields_of(call.endpoint), "open", "watch"})
        places = [(f"{call.address}?{name}=", "") for name in asked]
        places += [("/".join([*parts[:n], ""]), "/".join(["", *parts[n + 1 :]])) for n in range(1, len(parts))]
        for language, (before, after) in product(languages(), places):
            sent = partial(_address, language, before, after)
            yield Place(f"{before}…{after}", sent, request("GET", call.address), (ONCE, *HEADERS))


def _address(language: str, before: str, after: str, nasty: str, most: int) -> bytes:
    return request("GET", f"{before}{quoted(nasty, most)}{after}", language=language)


def bodies_to(house: Server, table: str) -> Iterator[Place]:
    """Each property of each body and each field of each command, and bodies of nothing but nasty text."""
    described = house.app.openapi()
    whole = msgspec.json.schema_components([wire.AnyCommand])[1].values()
    commands = [one["properties"] for one in whole if "do" in one.get("properties", {})]
    assert len(commands) == len(get_args(wire.AnyCommand))
    for path, methods in described["paths"].items():
        for call in methods.values() if "post" in methods else ():
            address = path.replace("{table}", table)
            post = partial(request, "POST", address, kind="application/json")
            found = re.findall(r"'schema': {'\$ref': '#/components/schemas/(\w+)'", str(call.get("requestBody")))
            bodies = [described["components"]["schemas"][found[0]]["properties"]] if found else commands
            ways = {
                f"{properties.get('do', {}).get('enum')} {field}": partial(_one_property, properties, field)
                for properties in bodies
                for field in properties
            }
            for about, fill in (ways | {"whole": _whole}).items():
                sent = partial(_posted, post, fill)
                yield Place(f"{address} {about}", sent, post(b"{}"), SIZES, address in RECORDS)


def _one_property(properties: dict[str, Any], field: str, nasty: str, most: int) -> bytes:
    plain = {"do": properties["do"]["enum"][0], "id": "1"} if "do" in properties else {"game": "leduc"}
    kinds = {field: filled(nasty, most // 3)} if nasty not in ("9", "[") else {}
    text = json.dumps({name: value for name, value in plain.items() if name in properties} | kinds, ensure_ascii=False)
    if not kinds:
        depth = max(1, most // 2)
        text = f'{text[:-1]}, "{field}": {nasty * depth}' + ("]" * depth if nasty == "[" else "") + "}"
    return text.encode()[: None if nasty == "[" or most <= ONCE else most]


KINDS: Final = {"forms": forms_to, "headers": headers_to, "addresses": addresses_at, "bodies": bodies_to}
SOME, MANY = 60, 20_000
"""How many of a kind are tried in every run, and in the long run: each place a dozen times at least."""


def trials_at(places: Iterable[Place], most: int) -> list[Trial]:
    """This many of all trials, which are always the same; every place is among them before any comes twice."""
    chance, found = Random(1), [*places]
    chance.shuffle(found)
    begins = [(place, chance.randrange(len(NASTY) * len(place.sizes))) for place in found]
    trials = (
        (place, NASTY[n % len(NASTY)], place.sizes[n // len(NASTY) % len(place.sizes)])
        for turn in range(len(NASTY) * len(SIZES))
        for place, n in ((place, begin + turn) for place, begin in begins if turn < len(NASTY) * len(place.sizes))
    )
    return [*islice(trials, most)]


@pytest.mark.parametrize("most", [SOME, pytest.param(MANY, marks=pytest.mark.long)], ids=["some", "many"])
@pytest.mark.parametrize("kind", KINDS)
def test_as_much_nasty_text_as_is_let_in_stops_nobody_else(
    house: Server, kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a loop that costs more than it should would be seen."""
    places = KINDS[kind]
    assert standstills(house, trials_at(places(house, house.make()["code"]), most)) == []
    assert answer_to(house, request("GET", "/health")).startswith(b"HTTP/1.1 200")
    if kind == "headers":
        slow, accepted = re.compile("(?:-|__)+#"), preferences.accepted
        monkeypatch.setattr(preferences, "accepted", lambda one: [] if slow.search(one[:3000]) else accepted(one))
        found = [one for one in places(house, "BCDFGH") if one.about.startswith("accept-language to /t/")]
        assert standstills(house, [(one, "-", HEADERS[0]) for one in found])


def test_of_what_strangers_send_little_is_kept(house: Server) -> None:
    """Forms, addresses, headers, and records with names, all different and as large as they may be."""

    def send(numbers: range) -> None:
        for n in numbers:
            text = filled(f"{n:05d}\N{GRINNING FACE}", limits.LONGEST_FIELD - 10)
            for body in (f"game={text}&title={text}", f"game={text * 40}"):
                answer_to(house, request("POST", "/swiss", body.encode(), FORM, language="de"))
                answer_to(house, request("POST", "/duplicate", body.encode(), FORM, language="de"))
            answer_to(house, request("GET", f"/rules/{n}{'x' * HEADERS[1]}"))
            answer_to(house, request("GET", f"/rules/{n}{'x' * HEADERS[0]}"))
            answer_to(house, request("GET", "/", Host=f"{n}{'x' * HEADERS[0]}"))
            answer_to(house, request("GET", "/", Cookie=f"parlour_name={n}{'x' * (HEADERS[0] - 60)}"))
            for sign in () if n % 12 else ("\N{GRINNING FACE}", "x"):  # one in signs that take more room, one not
                remark = f"# {n} {sign}{'x' * 900}\n"
                record = brought(finished("leduc") + remark * ((LARGEST - 2000) // len(remark.encode())))
                answer = answer_to(house, request("POST", "/replay", record, FILE))
                assert answer.startswith(b"HTTP/1.1 303"), "it is read to its end, and kept"

    send(range(3))
    gc.collect()
    tracemalloc.start()
    try:
        send(range(3, 15))
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < MOST_KEPT


ABSURD: Final = (
    "zebra", "0", "-1", "9" * 20, "2026-13-45", "0000-00-00", "0001-01-01", "1-1-1", "%00", "%ff", "%0a", "%C3%A9",
    "null", "1e9", "%D9%A3", "2026-11-27T00:00", "x" * (limits.LONGEST_PART - 20),
)  # fmt: skip
"""Parts of addresses that do not lead to a game, a day, a match or a table."""


@pytest.mark.parametrize("share", [3, pytest.param(1, marks=pytest.mark.long)], ids=["some", "all"])
def test_an_address_with_something_in_it_that_is_not_there_has_a_page_that_says_so(house: Server, share: int) -> None:
    """In the language of who has never been here; in every run a third of them in each place, in turn."""
    holes = [hole for call in calls(house, house.make()["code"]) if call.method == "GET" for hole in call.holes]
    assert len(holes) > 30
    found = []
    for hole, one in islice(product([one for one in holes if not one.startswith(API)], ABSURD), 0, None, share):
        answer = answer_to(house, request("GET", hole.replace("{}", one), language="de"))
        head, _, page = answer.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 404") or b"text/html" not in head or b'<html lang="de"' not in page:
            found.append((hole, one[:20], answer[:40]))
    assert found == []
    assert "Unter /nothing gibt es nichts." in answer_to(house, request("GET", "/nothing", language="de")).decode()


def test_what_is_too_long_is_refused_in_a_sentence_before_anything_looks_at_it(house: Server) -> None:
    """A part of any address, and any field of what is done at a table."""
    table, long = house.make()["code"], "x" * (limits.LONGEST_PART + 1)
    for call in calls(house, table):
        if call.method in ("GET", "POST"):
            answer = answer_to(house, request(call.method, f"{call.address}/{long}"))
            assert answer.startswith(b"HTTP/1.1 414"), call
            assert b'"A part of an address may have at most 200 characters."' in answer, answer
    for field, most in product(sorted(FIELDS), (limits.LONGEST_FIELD + 1, limits.LARGEST_FORM - 200)):
        answer = answer_to(house, request("POST", f"/t/{table}/do", f"{field}={'x' * most}".encode(), FORM))
        assert answer.startswith(b"HTTP/1.1 422"), (field, answer[:100])
        assert f"has {most} characters; 1000 are allowed." in answer.decode(), field
