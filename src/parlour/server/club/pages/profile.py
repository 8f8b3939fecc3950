"""What a guest finds again: the tables where they sit, and how their matches ended; and how they take that to another
device.

Everything depends on the token in the guest's browser; there are no accounts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import segno
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour.base.errors import ParlourError
from parlour.base.languages import ENGLISH, and_list, counted, current, ngettext, pgettext
from parlour.base.languages import gettext as _
from parlour.base.naming import fitting_name
from parlour.engine.definition import Definition, definition
from parlour.players.characters import CHARACTERS
from parlour.server.common import clock, wire
from parlour.server.live.for_pages import ForPages, Session
from parlour.server.live.identity import (
    COOKIE,
    NEXT,
    SOON,
    is_token,
    key_of,
    next_token,
    remember,
    remember_longer,
    token_of,
    tokens_of,
)
from parlour.server.page.environment import TEMPLATES
from parlour.server.page.forms import form_of
from parlour.server.page.pages import NAME, keep_name, name_of, page, sorry
from parlour.server.page.words import signed
from parlour.server.store.history import GameTotals, MatchResult, met_characters, tallies
from parlour.server.store.rating import Rating
from parlour.server.table.seats import fingerprint
from parlour.server.web.api import AllTables

SEATS: Final = 12
"""The most tables of their own that the front page shows a guest."""
LATEST: Final = 3
"""The most finished matches that it shows."""
MATCHES: Final = 1000
"""The most matches that a guest's own page looks at."""
SHOWN: Final = 30
"""The most matches that it lists: the latest."""
BARS: Final = 40
"""The most matches that a chart shows: the latest."""
ALL: Final = 1 << 30
"""More sentences than are told in any match."""


class GuestTable(NamedTuple):
    """A table where a guest sits: its code, the game and the present deal, the others, whose turn it is, whether it is
    the guest's, and how long ago something happened there that the guest noticed."""

    code: str
    game: str
    deal: str
    others: list[str]
    now: str
    mine: bool
    ago: str


def seated(session: Session, now: float) -> GuestTable:
    """Return how a table stands for a guest who sits there."""
    told, what = session.telling(ALL), session.game.definition
    names = [one.name for one in told.players]
    if told.over:
        state = _("the match is over")
    elif told.stop:
        state = _("lesson")
    elif told.held:
        state = _("waiting for you to go on")
    elif told.choices:
        state = _("your turn")
    elif told.asked:
        state = _("waiting for {names}", names=and_list([names[p] for p in told.asked]))
    else:
        state = _("waiting")
    others = [name for p, name in enumerate(names) if p != told.seat]
    mine = bool(told.choices) or bool(told.held)
    return GuestTable(session.code, what.title, deal_of(what, told), others, state, mine, ago(now - session.noticed_at))


def deal_of(what: Definition, told: wire.Telling) -> str:
    """Return the present deal of a match, in words; empty where deals are not counted."""
    over = (told.view or {}).get("deal")
    if not what.has_deals or not isinstance(over, int) or told.over:
        return ""
    deal = what.worded["game"].get("deal") or pgettext("game", "deal")
    return _("{deal} {n}", deal=deal, n=over if told.held else over + 1)


def ago(seconds: float) -> str:
    """Return how long ago something happened, in words.

    >>> ago(5), ago(61), ago(7200), ago(200_000)
    ('just now', '1 minute ago', '2 hours ago', '2 days ago')
    """
    if seconds >= 86400:
        return ngettext("{n} day ago", "{n} days ago", int(seconds // 86400))
    if seconds >= 3600:
        return ngettext("{n} hour ago", "{n} hours ago", int(seconds // 3600))
    if seconds >= 60:
        return ngettext("{n} minute ago", "{n} minutes ago", int(seconds // 60))
    return _("just now")


def outcome(result: MatchResult) -> str:
    """Return how a match ended for a guest, in a few words.

    >>> one = MatchResult(at=0, game="diamondback", code="", match=1, names=["A", "B"], bots=["", ""], seat=0,
    ...              places=[1, 2], gains=[26, -26])
    >>> outcome(one)
    'Won, +26 coins'
    """
    n, place = len(result.places), result.place
    if max(result.places) == 1:
        return _("A draw")
    if place == 1:
        words = _("Won") if result.places.count(1) == 1 else _("Shared first place")
    else:
        words = _("Lost") if n == 2 else place_of(place, n)
    return words if result.gain is None else f"{words}, {gained(result.game, result.gain)}"


def place_of(place: int, n: int) -> str:
    """Return a place among ``n`` players, in words.

    >>> place_of(2, 4)
    '2nd of 4'
    """
    return _("{place} of {n}", place=ordinal(place) if current() == ENGLISH else place, n=n)


def ordinal(n: int) -> str:
    """Return a place as an English ordinal.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def gained(game: str, gain: int) -> str:
    """Return a gain or a loss in the game's own unit. Where the fewest points win, gained points have no plus.

    >>> gained("diamondback", -1), gained("diamondback", 0), gained("diamondback", 5), gained("hearts", 5)
    ('−1 coin', '0 coins', '+5 coins', '5 points')
    """
    words = definition(game).words["game"]
    thing = counted(abs(gain), str(words.get("unit", "point")), words.get("units")).partition(" ")[2]
    return f"{signed(gain).removeprefix('+') if words.get('fewest') else signed(gain)} {thing}"


def fewest(game: str) -> str:
    """Return a note that fewer is better, where the fewest points win; otherwise nothing.

    >>> fewest("hearts"), fewest("diamondback")
    ('fewer is better', '')
    """
    return _("fewer is better") if definition(game).words["game"].get("fewest") else ""


def bars(tally: GameTotals) -> list[tuple[int, int, bool]]:
    """Return the bars of a chart of a guest's latest matches of a game, the oldest first: where each stands, its height
    from 4 (last place) to 24 (first), and whether the match was won."""
    latest = enumerate(tally.places[-BARS:])
    return [(6 * i, 4 + round(20 * (n - place) / max(1, n - 1)), won) for i, (place, n, won) in latest]


TEMPLATES.globals.update(gained=gained, fewest=fewest, bars=bars, place_of=place_of, Rating=Rating)


class Past(NamedTuple):
    """A match that is over: the game, how it ended for the guest, the others, how long ago that was, and the address of
    its replay if its table is still kept and everybody may know its cards."""

    game: str
    outcome: str
    others: list[str]
    ago: str
    replay: str


async def found_again(request: Request, tables: AllTables) -> dict[str, Any]:
    """Return what the front page begins with, for a guest who has been here before: their tables where a match goes on
    or other guests sit, and their last matches."""
    key = key_of(request)
    if not key:
        return {"seated": [], "latest": [], "turns": 0, "by_post": False}
    now = clock.wall()
    sessions = await tables.seated(key, SEATS)
    alive = [one for one in sessions if not one.is_over or sum(seat.guest for seat in one.players) > 1]
    mine = sorted((seated(one, now) for one in alive), key=lambda one: not one.mine)  # your turn comes first
    return {
        "seated": mine,
        "turns": sum(one.mine for one in mine),
        "by_post": any(one.is_by_post for one in alive),
        "latest": await past(tables, await tables.guests.results(key, LATEST), now),
    }


async def past(tables: ForPages, results: Sequence[MatchResult], now: float) -> list[Past]:
    """Return how matches ended, in words."""
    kept = await tables.kept({one.code for one in results})
    sealed = {event for event in {one.event for one in results} if not await tables.secrecy.is_open(event)}
    return [
        Past(
            definition(one.game).title,
            outcome(one),
            one.others,
            ago(now - one.at),
            f"/t/{one.code}/replay/{one.match}?seat={one.seat}" if one.code in kept and one.event not in sealed else "",
        )
        for one in results
    ]


router = APIRouter(include_in_schema=False, prefix="/you")


@router.get("", response_class=HTMLResponse)
async def you(request: Request, tables: AllTables) -> Response:
    """Show a guest's own page: what they have played, and how it ended."""
    answer = await _own_page(request, tables)
    remember_longer(request, answer)
    return answer


async def _own_page(
    request: Request, tables: ForPages, mistake: ParlourError | str = "", leaving: bool = False
) -> Response:
    results: Sequence[MatchResult] = await tables.guests.results(key_of(request), MATCHES) if key_of(request) else []
    now = clock.wall()
    return page(
        "you.html",
        request,
        mistake=mistake,
        tallies=[(definition(one.game).title, one) for one in tallies(results)],
        ratings=await asyncio.to_thread(tables.competitions.ratings, key_of(request)),
        met=[(CHARACTERS[one.kind], one) for one in met_characters(results)],
        latest=await past(tables, results[:SHOWN], now),
        most=MATCHES if len(results) == MATCHES else 0,
        known=bool(token_of(request)),
        leaving=leaving,
    )


@router.post("/name")
async def rename(request: Request, tables: AllTables) -> Response:
    """Keep the name under which a guest sits down from now on."""
    try:
        name = fitting_name((await form_of(request)).get("name", ""))
    except ParlourError as wrong:
        return await _own_page(request, tables, wrong)
    answer = RedirectResponse("/you", 303)
    keep_name(answer, name)
    return answer


@router.get("/turns")
async def turns(request: Request, tables: AllTables) -> Response:
    """Return the tables by post where it is the guest's turn, for the script that notifies them."""
    sessions = await tables.seated(key_of(request), SEATS) if key_of(request) else []
    found = []
    for session in (one for one in sessions if one.is_by_post):
        told = session.telling(ALL)
        if told.choices:
            title = session.game.definition.title
            body = _("It is your turn.")
            moment = f"{session.code}.{told.match}.{told.version}"
            found.append({"code": session.code, "title": title, "body": body, "moment": moment})
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(found), media_type="application/json", headers=headers)


@router.get("/export")
async def export(request: Request, tables: AllTables) -> Response:
    """Return a file with all that is kept of a guest (:data:`~parlour.server.store.fates.KEPT`), and the name in their
    browser."""
    kept = {"name": name_of(request), **await tables.guests.saved(key_of(request))}
    text = msgspec.json.format(msgspec.json.encode(kept), indent=1)
    headers = {"Content-Disposition": 'attachment; filename="parlour-matches.json"', "Cache-Control": "no-store"}
    return Response(text, media_type="application/json", headers=headers)


@router.post("/forget")
async def forget(request: Request, tables: AllTables) -> Response:
    """Delete all that is kept of a guest, and the cookies by which they are known."""
    if key_of(request):
        await tables.guests.forget(key_of(request))
    answer = RedirectResponse("/", 303)
    for cookie in (COOKIE, NEXT, NAME):
        answer.delete_cookie(cookie, path="/")
    return answer


@router.post("/out", response_class=HTMLResponse)
async def sign_out(request: Request, tables: AllTables) -> Response:
    """Give a guest a new token, which only this browser has. The browser gets it before the old token ends, so a guest
    who presses twice, or whose connection breaks, is still the same guest."""
    token = token_of(request)
    if token and (await form_of(request)).get("sure") != "yes":
        asked = await _own_page(request, tables, leaving=True)
        remember(request, asked, tokens_of(request).new(), NEXT, SOON)
        return asked
    answer, other = RedirectResponse("/you", 303), next_token(request)
    if token and other:
        if token != other:
            await tables.guests.move(fingerprint(token), fingerprint(other))
        remember(request, answer, other)
    return answer


@router.post("/carry", response_class=HTMLResponse)
async def carry(request: Request, tables: AllTables) -> Response:
    """Show a guest the phrase that makes another of their devices the same guest."""
    token = token_of(request)
    if not token or not await _is_somebody(request, tables, token):
        return sorry(request, _("There is nothing to carry yet: sit down at a table first."), 409, "/you")
    host = request.headers.get("host", "")
    try:
        code = segno.make(f"{request.url.scheme}://{host}/you/here#{token}", error="m")
        picture = code.svg_inline(omitsize=True, dark="#2b2620", light="#fdfaf2")
    except segno.DataOverflowError:
        picture = ""
    fours = [token[i : i + 4] for i in range(0, len(token), 4)]  # in groups, for reading out and typing
    phrase = "\n".join(" ".join(fours[i : i + 4]) for i in range(0, len(fours), 4))
    answer = page("carry.html", request, phrase=phrase, code=picture, address=f"{host}/you/here")
    answer.headers["Cache-Control"] = "no-store"
    return answer


async def _is_somebody(request: Request, tables: ForPages, phrase: str) -> bool:
    """Whether a phrase is a guest's: a token that this server made and has not ended. A token from before tokens bore a
    mark is known by what is kept of its guest."""
    key, tokens = fingerprint(phrase), tokens_of(request)
    if not is_token(phrase) or key in tokens.ended:
        return False
    return tokens.is_ours(phrase) or await tables.guests.knows(key)


@router.get("/here", response_class=HTMLResponse)
async def here(request: Request) -> Response:
    """Show the page where the phrase is entered on the other device."""
    return page("here.html", request, phrase="", others=bool(token_of(request)))


@router.post("/here", response_class=HTMLResponse)
async def become(request: Request, tables: AllTables) -> Response:
    """Make this device the same guest, once its owner has confirmed it."""
    form = await form_of(request)
    phrase, others = "".join(form.get("phrase", "").split()), bool(token_of(request))
    if not await _is_somebody(request, tables, phrase):
        mistake = _("That isn’t a phrase of this house, or no longer: copy it whole, as your other device shows it.")
        return page("here.html", request, 422, mistake=mistake, phrase="", others=others)
    name = await _last_name(tables, fingerprint(phrase))
    if form.get("sure") != "yes":
        return page("here.html", request, phrase=phrase, called=name, others=others)
    answer = RedirectResponse("/you", 303)
    remember(request, answer, phrase)
    if name:
        keep_name(answer, name)
    return answer


async def _last_name(tables: ForPages, key: str) -> str:
    """Return what a guest is called where they sit or, if they sit nowhere, what they were called when they last played
    a match to its end; empty if neither is known."""
    for session in await tables.seated(key, 1):
        told = session.telling(ALL)
        return str(told.players[told.seat].name)
    latest = await tables.guests.results(key, 1)
    return str(latest[0].names[latest[0].seat]) if latest else ""


__all__ = ["MATCHES", "SEATS", "GuestTable", "Past", "found_again", "past", "router", "seated"]
