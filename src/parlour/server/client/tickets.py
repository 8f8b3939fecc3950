"""A seat at a server's table: how to read an invite link, open a table or sit down, over HTTP.

>>> import asyncio
>>> asyncio.run(sit_down("http://cards.example/nowhere", "Ann"))  # or make_table(server, name="Ann", game="kuhn")
Traceback (most recent call last):
parlour.base.errors.ParlourError: A link to a table looks like http://localhost:8000/t/QWRTZP, not 'http://cards.example/nowhere'.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec

from parlour.base.errors import IllegalAction, ParlourError, reason
from parlour.base.languages import marked
from parlour.server.common import wire
from parlour.server.common.wire import HEADER

T = TypeVar("T")


ANSWER: Final = 20.0
"""The most seconds for each part of a request over HTTP (to connect, to send, to receive); all of it may take three
times as long."""
LONGEST_ANSWER: Final = 16 * 2**20
"""The most bytes of an answer over HTTP."""
UNAUTHORISED: Final = 401
"""The status of an answer that asks for a password."""
PASSWORD: Final = "PARLOUR_PASSWORD"
"""The environment variable with the password of a private parlour."""


class Invitation(NamedTuple):
    """Where an invite link leads: the server's address and the table's code."""

    server: str
    code: str


def read_link(link: str) -> Invitation:
    """Return the server and the code of an invite link.  Raises ``ParlourError`` if it is not one.

    >>> read_link("http://cards.example/t/QWRTZP")
    Invitation(server='http://cards.example', code='QWRTZP')
    >>> read_link("localhost:8000/t/QWRTZP.").server
    'http://localhost:8000'
    """
    server, there, code = link.strip().partition("?")[0].rstrip("/.,;:!)").rpartition("/t/")
    if not there or not code.isalnum():
        raise ParlourError("A link to a table looks like http://localhost:8000/t/QWRTZP, not {link!r}.", link=link)
    return Invitation(read_server(server), code)


def read_server(server: str) -> str:
    """Return the address of a server in full.  Raises ``ParlourError`` if it is not one.

    >>> read_server("localhost:8000")
    'http://localhost:8000'
    """
    address = server.strip().rstrip("/")
    otherwise = ParlourError("The address of a server looks like http://localhost:8000, not {server!r}.", server=server)
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
    except ValueError:
        raise otherwise from None
    try:
        parts.port  # noqa: B018  # refuses what is none
    except ValueError:
        raise ParlourError("{server!r} does not have a valid port; ports run from 0 to 65535.", server=server) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise otherwise
    try:
        httpx.URL(parts.geturl())
    except httpx.InvalidURL:
        raise otherwise from None
    return parts.geturl()


@dataclass(frozen=True, slots=True)
class Ticket:
    """A guest's seat: the server, the table's id, its invite link, the seat, and the guest's secret token.

    >>> ticket = Ticket("http://cards.example", "t1", "http://cards.example/t/QWRTZP", 0, "secret")
    >>> ticket.address, "secret" in repr(ticket)
    ('http://cards.example/api/1/tables/t1', False)
    """

    server: str
    table: str
    link: str
    seat: int
    token: str = field(repr=False)

    @property
    def address(self) -> str:
        """The address of the table."""
        return f"{self.server}/api/1/tables/{self.table}"


async def make_table(server: str, **wanted: Any) -> Ticket:
    """Open a new table at a server and take a seat there; ``wanted`` holds fields of the request (``name``, ``game``
    and others). Raises ``ParlourError`` if the server does not answer, or refuses."""
    server = read_server(server)
    made = await _asked(_Made, "POST", f"{server}/api/1/tables", json=wanted)
    return Ticket(server, made.table, urljoin(server, made.link), made.seat, made.token)


async def sit_down(link: str, name: str, seat: int | None = None, token: str = "") -> Ticket:
    """Take a seat at the table of an invite link: this one, or the first that a bot holds. ``token``: the token of a
    guest who was at the table before. Raises ``ParlourError`` if the server does not answer, or refuses."""
    server, code = read_link(link)
    table = (await _asked(_Found, "GET", f"{server}/api/1/tables/{code}")).table
    who = {"name": name, "seat": seat}
    known = {"Authorization": f"Bearer {token}"} if token else {}
    sat = await _asked(_Sat, "POST", f"{server}/api/1/tables/{table}/seats", json=who, headers=known)
    return Ticket(server, table, f"{server}/t/{code}", sat.seat, sat.token)


_Word = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,1000}$")]


class _Found(msgspec.Struct):
    """What a server says of a table: its id, which goes into addresses."""

    table: _Word


class _Sat(msgspec.Struct):
    """What a server says of a seat that was taken."""

    seat: int
    token: _Word


class _Made(_Sat):
    """What a server says of a table that was opened, with a seat there."""

    table: _Word
    link: _Word


async def _asked(wanted: type[T], method: str, address: str, **more: Any) -> T:
    """Return what a server answers. Raises ``ParlourError``, with the server's own sentence if it refuses."""
    try:
        return msgspec.json.decode(await fetched(method, address, **more), type=wanted)
    except (msgspec.MsgspecError, RecursionError):
        raise ParlourError("{address} answers, but it is not a Parlour server.", address=_site(address)) from None


def _site(address: str) -> str:
    """The server in an address of its interface: what whoever is told has typed."""
    return address.partition("/api/")[0]


def reason_of(failure: BaseException) -> str:
    """Return why nothing came, in the system's words if it was the system that refused."""
    if isinstance(failure, (TimeoutError, httpx.TimeoutException)):
        return marked("no answer in time")
    below: BaseException | None = failure
    while below is not None:
        if isinstance(below, ssl.SSLError):
            return marked(
                "no secure connection; perhaps its address begins with http://, or its certificate is not valid"
            )
        if isinstance(below, OSError) and below.strerror:
            return reason(below)
        below = below.__cause__ or below.__context__
    return str(failure) or type(failure).__name__


async def fetched(method: str, address: str, **more: Any) -> bytes:
    """Return the body of a server's answer. The server may be anybody's, so the answer's length and time are
    limited."""
    body = b""
    try:
        async with (
            asyncio.timeout(3 * ANSWER),
            httpx.AsyncClient(timeout=ANSWER, follow_redirects=True, headers=password()) as http,
            http.stream(method, address, **more) as answer,
        ):
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > LONGEST_ANSWER:
                    raise ParlourError("{address} answers without end.", address=_site(address))
    except (httpx.HTTPError, TimeoutError) as failure:
        what = reason_of(failure)
        raise ParlourError("{address} does not answer ({what}).", address=_site(address), what=what) from None
    if answer.status_code == UNAUTHORISED and _said(body):
        if password():
            raise ParlourError(
                "{address} is private, and PARLOUR_PASSWORD holds a wrong password.", address=_site(address)
            )
        raise ParlourError(
            "{address} is private. Set PARLOUR_PASSWORD to its password, as in PARLOUR_PASSWORD='open sesame' parlour.",
            address=_site(address),
        )
    if answer.is_error:
        raise _said(body) or ParlourError(
            "{address} answers {status_code} {reason_phrase}.",
            address=_site(address),
            status_code=answer.status_code,
            reason_phrase=answer.reason_phrase,
        )
    return body


def password() -> dict[str, str]:
    """Return the header for a private parlour, if this machine's user has set :data:`PASSWORD`."""
    said = os.environ.get(PASSWORD, "")
    return {HEADER: said} if said else {}


def _said(answer: bytes) -> ParlourError | None:
    """Return the error that a server's answer states, if any."""
    try:
        said = msgspec.json.decode(answer)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if not isinstance(said, dict) or not said.get("sentence"):
        return None
    sentence = str(said["sentence"])
    with contextlib.suppress(msgspec.ValidationError, RecursionError):
        sentence = wire.with_parts(sentence, msgspec.convert(said.get("parts"), wire.Parts))
    return refusal(sentence, str(said.get("clause", "")))


def refusal(sentence: str, clause: str) -> ParlourError:
    return IllegalAction(sentence, clause) if clause else ParlourError(sentence)


__all__ = ["Invitation", "Ticket", "make_table", "read_link", "read_server", "sit_down"]
