"""How the pages look and sound to a reader: the colours of suits, light or dark, sound or none. Cookies remember it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.requests import HTTPConnection

from parlour.base.languages import gettext as _
from parlour.base.languages import languages
from parlour.server.page.forms import form_of
from parlour.server.page.i18n import LANGUAGE

COLOURS: Final = "parlour_colours"
"""The cookie that remembers whether a reader wants four colours."""
THEME: Final = "parlour_theme"
"""The cookie that remembers whether a reader wants light or dark pages."""
SOUND: Final = "parlour_sound"
"""The cookie that remembers whether sound is on; without it, sound is off."""
KEYS: Final = "parlour_keys"
"""The cookie that remembers whether single keys are shortcuts; without it, they are."""
WAKE: Final = "parlour_wake"
"""The cookie that remembers whether the screen stays on at a table."""
SHAKE: Final = "parlour_shake"
"""The cookie that remembers whether the device shakes when it is the reader's turn."""
SPEED: Final = "parlour_speed"
"""The cookie that remembers how quickly events are shown one after another."""
SPEEDS: Final = ("slow", "normal", "quick", "off")
THEMES: Final = ("auto", "light", "dark")
_YEAR: Final = 365 * 86400


@dataclass(frozen=True, slots=True)
class Appearance:
    """What a reader has chosen."""

    four_colours: bool
    theme: str
    sound: bool = False
    speed: str = "normal"
    keys: bool = True
    wake: bool = False
    shake: bool = False

    @property
    def speeds(self) -> list[tuple[str, str]]:
        """The speeds at which events may be shown, with words for them."""
        return list(zip(SPEEDS, (_("Slow"), _("Normal"), _("Quick"), _("Off")), strict=True))

    @property
    def themes(self) -> list[tuple[str, str]]:
        """The themes to choose from, with words for them."""
        return list(zip(THEMES, (_("Device setting"), _("Light"), _("Dark")), strict=True))


def look_of(request: HTTPConnection) -> Appearance:
    """Return the appearance that a request's cookies ask for."""
    theme = request.cookies.get(THEME, "auto")
    sound = request.cookies.get(SOUND) == "on"
    speed = request.cookies.get(SPEED, "normal")
    return Appearance(
        request.cookies.get(COLOURS) == "4",
        theme if theme in THEMES else "auto",
        sound,
        speed if speed in SPEEDS else "normal",
        request.cookies.get(KEYS) != "off",
        request.cookies.get(WAKE) == "on",
        request.cookies.get(SHAKE) == "on",
    )


router = APIRouter(include_in_schema=False)


@router.post("/colours")
async def colours(request: Request) -> Response:
    wanted = (await form_of(request)).get("colours", "")
    return _kept(request, COLOURS, "4" if wanted == "4" else "2")


@router.post("/theme")
async def theme(request: Request) -> Response:
    wanted = (await form_of(request)).get("theme", "")
    return _kept(request, THEME, wanted if wanted in THEMES else "auto")


@router.post("/sound")
async def sound(request: Request) -> Response:
    wanted = (await form_of(request)).get("sound", "")
    return _kept(request, SOUND, "on" if wanted == "on" else "off")


@router.post("/keys")
async def keys(request: Request) -> Response:
    wanted = (await form_of(request)).get("keys", "")
    return _kept(request, KEYS, "off" if wanted == "off" else "on")


@router.post("/device")
async def device(request: Request) -> Response:
    form = await form_of(request)
    cookie = SHAKE if "shake" in form else WAKE
    return _kept(request, cookie, "on" if "on" in form.values() else "off")


@router.post("/speed")
async def speed(request: Request) -> Response:
    wanted = (await form_of(request)).get("speed", "")
    return _kept(request, SPEED, wanted if wanted in SPEEDS else "normal")


@router.post("/language")
async def language(request: Request) -> Response:
    wanted = (await form_of(request)).get("language", "")
    return _kept(request, LANGUAGE, wanted if wanted in languages() else "")


def _kept(request: Request, cookie: str, value: str) -> Response:
    answer = RedirectResponse(_back(request), 303)
    answer.set_cookie(cookie, value, max_age=_YEAR, samesite="lax", httponly=True)
    return answer


def _back(request: Request) -> str:
    """Return the page of this server that a request came from; without one, the front page."""
    try:
        came = urlsplit(request.headers.get("referer", ""))
    except ValueError:  # not an address at all
        return "/"
    if came.netloc != request.headers.get("host") or not came.path.startswith("/") or came.path.startswith("//"):
        return "/"
    return f"{came.path}?{came.query}" if came.query else came.path
