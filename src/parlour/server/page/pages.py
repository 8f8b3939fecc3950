"""What all pages share: how one is made, what a browser may load for it, and what the browser remembers."""

from __future__ import annotations

import gzip
from typing import Any, Final
from urllib.parse import quote, unquote

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.requests import HTTPConnection

from parlour.base import languages
from parlour.base.errors import ParlourError
from parlour.engine.definition import Definition, games
from parlour.server.common.errors import NoTable
from parlour.server.common.limits import at_tables
from parlour.server.live.for_pages import Session
from parlour.server.live.identity import remember
from parlour.server.page import appearance, assets
from parlour.server.page.environment import template
from parlour.server.page.i18n import locale_of, script_words, tongues
from parlour.server.table.seats import WATCHER
from parlour.server.web.mistakes import status_of
from parlour.server.web.new_table import NewTable, new_table

NAME: Final = "parlour_name"
"""The cookie that remembers what a guest is called."""
YEAR: Final = 365 * 86400
"""Seconds for which a browser keeps it."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def game_at(game: str) -> Definition:
    """Return the game that an address names. If there is none, raises :class:`NoTable`, so that the answer is that
    there is no such page."""
    try:
        return at_tables(game)
    except ParlourError as wrong:
        raise (wrong if game in games() else NoTable(str(wrong))) from None


def page(
    name: str,
    request: Request,
    status: int = 200,
    *,
    mistake: ParlourError | str = "",
    packed: bool = False,
    **context: Any,
) -> HTMLResponse:
    """Return the page that a template makes. ``mistake``: what is wrong, or cannot be done now; the page says it, and
    its status follows from the error. ``packed``: nothing on it is anybody's secret, so its length may depend on how
    well its parts compress (``docs/security.md``)."""
    if isinstance(mistake, ParlourError):
        status, mistake = status_of(mistake, 422 if status == 200 else status), str(mistake)
    html = template(name).render(**common(request), mistake=mistake and languages.translated(mistake), **context)
    headers = {"Content-Security-Policy": POLICY, "Content-Language": languages.current()}
    if packed and assets.takes_packed(request):
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return HTMLResponse(gzip.compress(html.encode(), 6, mtime=0), status, headers)
    return HTMLResponse(html, status, headers)


def common(request: HTTPConnection) -> dict[str, Any]:
    """Return what every page needs to know about its reader."""
    language = languages.current()
    return {
        "request": request,
        "name": getattr(request.state, "typed_name", "") or name_of(request),
        "look": appearance.look_of(request),
        "language": language,
        "direction": locale_of(language).text_direction,
        "tongues": tongues(),
        "script_words": script_words(),
    }


def sorry(request: Request, mistake: ParlourError | str, status: int = 422, back: str = "") -> HTMLResponse:
    """Return the page that says what went wrong, with a link ``back``."""
    return page("mistake.html", request, status, mistake=mistake, back=back)


def svg(text: str, packed: bool = False) -> Response:
    """Return a picture that is made for a guest. ``packed``: it shows nothing that is anybody's secret."""
    headers = {"Cache-Control": "private, max-age=86400", "Content-Security-Policy": "default-src 'none'"}
    if packed:
        headers |= {"Content-Encoding": "gzip"}
        return Response(gzip.compress(text.encode(), 6, mtime=0), media_type="image/svg+xml", headers=headers)
    return Response(text, media_type="image/svg+xml", headers=headers)


def is_by_script(request: Request) -> bool:
    """Whether the page's own script posted a form; it expects the changes, and not a page."""
    return "x-parlour" in request.headers


def name_of(request: HTTPConnection) -> str:
    """Return the name that a guest used last time."""
    return unquote(request.cookies.get(NAME, ""))


async def take_seat(request: Request, wanted: NewTable, seat: int = WATCHER, reads: float = 0.0) -> Response:
    """Open a table, seat the reader and take them there. ``reads``: the most seconds that bots wait while the reader
    reads something. Raises ``ParlourError`` if there can be no such table."""
    session, _, token = await new_table(request, wanted, seat, reads)
    return to_table(request, session, token, wanted.name)


def to_table(request: Request, session: Session, token: str, name: str) -> Response:
    """Take a guest who has sat down to their table; the browser keeps their token and their name."""
    answer = RedirectResponse(f"/t/{session.code}", 303)
    remember(request, answer, token)
    keep_name(answer, name)
    return answer


def keep_name(answer: Response, name: str) -> None:
    """Let the browser keep what a guest is called."""
    answer.set_cookie(NAME, quote(name), max_age=YEAR, samesite="lax", httponly=True)


__all__ = ["common", "game_at", "is_by_script", "keep_name", "name_of", "page", "sorry", "svg", "take_seat", "to_table"]
