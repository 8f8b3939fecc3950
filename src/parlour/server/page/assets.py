"""What pages are dressed in: styles, scripts, fonts, and the cards of a pack in one picture.

Each has an address that changes whenever it does, so that a browser keeps it for good. It is packed beforehand, because
it is the same for everybody; nothing that is made for one guest is packed (``docs/security.md`` says why).
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from mimetypes import guess_type
from typing import Final, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from parlour.base.disk import installed
from parlour.base.errors import ParlourError
from parlour.engine.definition import definition, games
from parlour.players.kind import Kind
from parlour.server.page import decks, portraits

FOR_GOOD: Final = "public, max-age=31536000, immutable"
DRAWN: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""The policy of a picture: it may have styles of its own."""
TABLE, RING = "table.css", "ring.css"
"""The styles of every table, and those of games with large hands."""
COVERS: Final = "covers.svg"
"""The pictures that stand for the games, all in one file."""
PLAIN: Final = "plain.css"
"""The styles of games without a board of their own."""
PORTRAITS: Final = "faces.svg"
"""The faces of the bots that are characters, all in one file."""
_REFERENCE: Final = re.compile(r"""url\("?(?!data:|/|#)([^")]+)"?\)""")
_REMARK: Final = re.compile(r"^\s*//.*\n|[ \t]+// .*|^[ \t]+|/\*[^*]*\*/\n?", re.MULTILINE)
"""The comments and the indentation of styles and scripts, which browsers need not load."""
_SPACE: Final = re.compile(r"(?<=[{}:;,>])\s+|\s+(?=[{}>!])|;\s*(?=})")
"""Spaces and last semicolons in styles, which tell a browser nothing."""


class Piece(NamedTuple):
    """A file that pages load: its address, its type, and its bytes, plain and packed."""

    address: str
    kind: str
    body: bytes
    packed: bytes


@cache
def static(name: str) -> Piece:
    """Return a file of the server's own. Raises ``ParlourError`` if there is none.

    >>> static("parlour.js").kind
    'text/javascript'
    """
    if name == "back.svg":
        return _piece("static", name, decks.back().encode())
    if name == PORTRAITS:
        return _piece("static", name, _stack(((kind, portraits.drawn(kind)) for kind in portraits.FACES), 100).encode())
    there = _files(resources.files("parlour.server.page").joinpath("static"))
    if name not in there:
        raise ParlourError("There is nothing at /static/{name}.", name=name[:40])
    with installed(there[name]):
        body = there[name].read_bytes()
        if name.endswith((".css", ".js")):
            body = _REMARK.sub("", body.decode()).encode()
    if name.endswith(".css"):
        body = _REFERENCE.sub(lambda found: f'url("{static(found[1]).address}")', _tight(body.decode())).encode()
    return _piece("static", name, body)


def of_game(name: str) -> Piece:
    """Return a file of a game: its styles (``GAME.css``), or its pack (``GAME.svg``, in four colours ``GAME-4.svg``).
    Raises ``ParlourError`` if there is no such file."""
    game, _, kind = name.rpartition(".")
    game, _, colours = game.partition("-")
    if name == COVERS:
        return _covers(tuple(games()))
    if game in games() and (kind, colours) in (("css", ""), ("svg", ""), ("svg", "4")):
        return _of_game(name, game, kind, colours == "4")
    raise ParlourError("There is nothing at /shelf/{name}.", name=name[:40])


@cache
def _of_game(name: str, game: str, kind: str, four_colours: bool) -> Piece:
    return _piece("shelf", name, (_styles(game) if kind == "css" else pack(game, four_colours)).encode())


@cache
def _covers(of: tuple[str, ...]) -> Piece:
    drawn = _stack(((game, decks.cover(game)) for game in of), decks.HIGH, decks.WIDE)
    return _piece("shelf", COVERS, drawn.encode())


def _piece(home: str, name: str, body: bytes) -> Piece:
    mark = hashlib.sha256(body).hexdigest()[:8]
    return Piece(
        f"/{home}/{mark}/{quote(name)}", guess_type(name)[0] or "font/woff2", body, gzip.compress(body, 9, mtime=0)
    )


def _files(folder: Traversable, prefix: str = "") -> dict[str, Traversable]:
    """Return the files of a folder, and of the folders in it, by name."""
    found: dict[str, Traversable] = {}
    for one in folder.iterdir():
        found |= _files(one, f"{prefix}{one.name}/") if one.is_dir() else {prefix + one.name: one}
    return found


def _tight(styles: str) -> str:
    """Return styles without the spaces that are there for the eye (none of ours has such spaces in quotes).

    >>> _tight("a :is(b, i) { top: 0; }\\n\\n.c { left: 1px }")
    'a :is(b,i){top:0}.c{left:1px}'
    """
    return _SPACE.sub("", styles)


def _styles(game: str) -> str:
    what = definition(game)
    files = [resources.files(what.package).joinpath("table.css")]
    if not resources.files(what.package).joinpath("table.html").is_file():
        files.insert(0, resources.files("parlour.server.page").joinpath("static", PLAIN))
    if shared := what.words["game"].get("include"):
        files.insert(0, resources.files(shared).joinpath("table.css"))
    ours = (TABLE, RING) if what.words["game"].get("table") == "ring" else (TABLE,)
    files[:0] = [resources.files("parlour.server.page").joinpath("static", name) for name in ours]
    texts = []
    for file in (one for one in files if one.is_file()):
        with installed(file):
            texts.append(_REMARK.sub("", file.read_text("utf-8")))
    return _tight("\n".join(texts))


# ------------------------------------------------------------------------------------------ cards


def face(game: str, name: str, four_colours: bool = False) -> str:
    """Return the address of a card's picture within its pack.

    >>> face("kuhn", "K").rpartition("/")[2]
    'kuhn.svg#K'
    """
    return f"{of_game(f'{game}-4.svg' if four_colours else f'{game}.svg').address}#{quote(name, safe='()')}"


def back(game: str, four_colours: bool = False) -> str:
    """Return the address of the picture of a card that is face down."""
    return face(game, decks.BACK, four_colours)


def portrait(bot: str) -> str:
    """Return the address of the face of a bot of this kind; empty if it is not a character.

    >>> portrait("pip").rpartition("/")[2], portrait("search:1s")
    ('faces.svg#pip', '')
    """
    kind = Kind.parsed(bot).name
    return f"{static(PORTRAITS).address}#{kind}" if kind in portraits.FACES else ""


def cover(game: str) -> str:
    """Return the address of the picture that stands for a game.

    >>> cover("kuhn").rpartition("/")[2]
    'covers.svg#kuhn'
    """
    return f"{_covers(tuple(games())).address}#{quote(game, safe='')}"


def pack(game: str, four_colours: bool = False) -> str:
    """Return all cards of a game, and their back, as one SVG document; an address shows one of them: ``#NAME``."""
    names = sorted(decks.cards(game))
    return _stack([*((name, decks.face(game, name, four_colours)) for name in names), (decks.BACK, decks.back())])


def _stack(faces: Iterable[tuple[str, str]], height: int = 140, width: int = 100) -> str:
    """Return one SVG document of pictures of this size that lie on top of each other; only the one that an address
    names is drawn.

    Each picture is a whole document of its own, so its ids are given a prefix here.
    """
    layers = []
    for k, (name, drawn) in enumerate(faces):
        found = decks.part_of(drawn, f"_{k}-")
        if found is None:
            raise ParlourError("The face of {name} is not an SVG document with a viewBox.", name=name)
        layers.append(f'<svg id="{escape(name)}" viewBox="{found[0]}">{found[1]}</svg>')
    style = "<style>:root>svg{display:none}:root>svg:target{display:inline}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{style}{"".join(layers)}</svg>'


# ------------------------------------------------------------------------------------------ served

router = APIRouter(include_in_schema=False)


@router.api_route("/static/{mark}/{name:path}", methods=["GET", "HEAD"])
async def file(request: Request, mark: str, name: str) -> Response:
    return _served(request, mark, static, name)


@router.api_route("/shelf/{mark}/{name}", methods=["GET", "HEAD"])
async def file_of_game(request: Request, mark: str, name: str) -> Response:
    return _served(request, mark, of_game, name)


def _served(request: Request, mark: str, found: Callable[[str], Piece], name: str) -> Response:
    """Return a piece. Under its present address a browser may keep it for good. Under the address of another version,
    which an older or newer server has given, it is sent as it is here, and only for now."""
    try:
        piece = found(name)
    except ParlourError as nothing:
        raise HTTPException(404) from nothing
    is_it = piece.address.split("/")[2] == mark
    headers = {
        "Cache-Control": FOR_GOOD if is_it else "no-store",
        "Content-Security-Policy": DRAWN,
        "Vary": "Accept-Encoding",
    }
    body = piece.body
    if takes_packed(request) and len(piece.packed) < len(body):
        body, headers["Content-Encoding"] = piece.packed, "gzip"
    return Response(body, media_type=piece.kind, headers=headers)


def takes_packed(request: Request) -> bool:
    """Whether a browser can unpack what it is sent packed.

    >>> from starlette.requests import Request
    >>> def asked(coding): return Request({"type": "http", "headers": [(b"accept-encoding", coding)]})
    >>> takes_packed(asked(b"br, gzip")), takes_packed(asked(b"gzip;q=0, br")), takes_packed(asked(b"br"))
    (True, False, False)
    """
    codings = [one.replace(" ", "") for one in request.headers.get("accept-encoding", "").split(",")]
    return any(one.partition(";")[0] == "gzip" and not re.fullmatch(r"gzip;q=0(\.0*)?", one) for one in codings)


__all__ = ["Piece", "back", "cover", "face", "of_game", "pack", "portrait", "router", "static", "takes_packed"]
