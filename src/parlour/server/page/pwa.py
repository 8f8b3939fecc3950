"""The site as an app: what a device needs to install it, and a worker that keeps what can be read without a server.

The worker keeps styles, cards, rule books and lessons.  It never keeps a table or a page about a person.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from parlour.base.disk import installed_text
from parlour.base.languages import gettext as _
from parlour.core.lessons import with_lessons
from parlour.engine.definition import definition, games
from parlour.server.page import assets
from parlour.server.page.pages import POLICY, page
from parlour.server.page.picture import png

CLOTH: Final = "#1f4d3a"
"""The colour of a window's frame around the app."""
SIZES: Final = (180, 192, 512)
"""The widths of the icons, in pixels; phones of one maker look for 180."""
DAY: Final = "public, max-age=86400"

router = APIRouter(include_in_schema=False)


def shell() -> list[str]:
    """Return the addresses that the worker keeps from the beginning: styles, and all that can be read.

    >>> shell()[0], "/rules/diamonds" in shell()
    ('/offline', True)
    """
    styles = [assets.static(name).address for name in ("parlour.css", "end.css", "pages.css")]
    books = [f"/rules/{game}" for game in games()]
    return ["/offline", *styles, *books, *(f"/learn/{game}" for game in with_lessons())]


@router.get("/manifest.webmanifest")
async def manifest() -> Response:
    icons = [
        {"src": f"/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for size in SIZES
        for purpose in ("any", "maskable")
    ]
    said = {
        "name": "Parlour", "short_name": "Parlour", "description": _("Card games that nobody else plays."), "id": "/",
        "start_url": "/", "scope": "/", "display": "standalone", "theme_color": CLOTH, "background_color": CLOTH,
        "icons": icons,
    }  # fmt: skip
    return JSONResponse(said, media_type="application/manifest+json", headers={"Cache-Control": DAY})


@router.get("/icon-{size}.png")
def icon(size: str) -> Response:
    if size not in map(str, SIZES):
        raise HTTPException(404)
    return Response(_icon(int(size)), media_type="image/png", headers={"Cache-Control": DAY})


@cache
def _icon(size: int) -> bytes:
    drawn = installed_text("parlour.server.page", "static", "icon.svg")
    return png(drawn.replace("<svg ", f'<svg width="{size}" height="{size}" ', 1))


@router.get("/robots.txt")
async def robots() -> PlainTextResponse:
    """Say what programs that read the web may read: what is the same for everybody, but neither tables nor days without
    end."""
    return PlainTextResponse("User-agent: *\nAllow: /$\nAllow: /rules/\nAllow: /learn/\nDisallow: /\n")


@router.get("/worker.js")
async def worker() -> Response:
    """Return the worker, with what it keeps; its text changes whenever any of that does."""
    code = assets.static("worker.js").body.decode()
    kept = shell()
    books = "".join(definition(game).book.text for game in games())
    version = hashlib.sha256(f"{code}{kept}{books}".encode()).hexdigest()[:12]
    text = f"const VERSION = {json.dumps(version)}, SHELL = {json.dumps(kept)};\n{code}"
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
    return Response(text, media_type="text/javascript", headers=headers)


@router.get("/offline", response_class=HTMLResponse)
async def offline(request: Request) -> HTMLResponse:
    """Show a page in place of one that cannot be reached."""
    taught = [definition(game) for game in with_lessons()]
    return page("offline.html", request, packed=True, taught=taught, books=[definition(game) for game in games()])


__all__ = ["router"]
