"""The page of a private parlour that asks for its password."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour.base.languages import gettext as _
from parlour.base.languages import translated
from parlour.server.live.identity import KEPT
from parlour.server.page.forms import form_of
from parlour.server.page.pages import page
from parlour.server.web.auth import ASKED, LATER, PASS, Gate, address_of

router = APIRouter(prefix=ASKED, include_in_schema=False)


@router.get("", response_class=HTMLResponse)
async def ask(request: Request, to: str = "/") -> Response:
    return page("password.html", request, to=_own(to), wrong="")


@router.post("")
async def enter(request: Request) -> Response:
    form, gate = await form_of(request), _gate_of(request)
    to, address = _own(form.get("to", "/")), address_of(request)
    if not gate.opens(form.get("password", ""), address):
        is_shut = gate.is_shut_for(address)
        wrong = translated(LATER) if is_shut else _("That isn't the password. Ask the person who invited you.")
        return page("password.html", request, 429 if is_shut else 403, to=to, wrong=wrong)
    answer = RedirectResponse(to, 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(PASS, gate.token, max_age=KEPT, httponly=True, samesite="lax", secure=secure, path="/")
    return answer


def _gate_of(request: Request) -> Gate:
    gate: Gate = request.app.state.gate
    return gate


def _own(address: str) -> str:
    """Return an address at this server, whatever was asked for."""
    return address if address.startswith("/") and not address.startswith(("//", "/\\")) else "/"
