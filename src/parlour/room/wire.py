"""What goes to a client and what comes from one.

A client is sent frames and nothing else, and of a game only :class:`Telling`, which is made from what its seat has been told:
see :func:`parlour.room.table.Table.telling`.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

VERSION = 1
"""Of these frames; it stands in the address."""

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern="^[A-Za-z0-9_.:-]+$")]
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, kw_only=True):
    """Something a client wants.  ``id``: chosen by the client, once for each; the same id again gets the same answer and
    changes nothing."""

    id: Id


class Act(Command, frozen=True, tag="act", kw_only=True):
    """Do an action, or several of a line: ``raise 37 win 20``."""

    action: Line


class Undo(Command, frozen=True, tag="undo", kw_only=True):
    """Take back one's last step, if nobody has learned anything by it."""


class Say(Command, frozen=True, tag="say", kw_only=True):
    """Say something to all."""

    text: Line


class Leave(Command, frozen=True, tag="leave", kw_only=True):
    """Give up one's seat to a bot."""


class Again(Command, frozen=True, tag="again", kw_only=True):
    """Another match at this table, when one is over."""


class Pledge(Command, frozen=True, tag="pledge", kw_only=True):
    """The fingerprint of a number that one will put in (``docs/fair_deal.md``)."""

    pledge: Hex


class Nonce(Command, frozen=True, tag="nonce", kw_only=True):
    """The number that was pledged."""

    nonce: Hex


AnyCommand: TypeAlias = Act | Undo | Say | Leave | Again | Pledge | Nonce


class Frame(msgspec.Struct, frozen=True, tag_field="frame", kw_only=True):
    """Something a client is told."""


class Sentence(msgspec.Struct, frozen=True):
    """Something that happened, as this seat was told it: the sentence, the clause that caused it, a key for programs, the
    player it is about (-1: nobody), two numbers."""

    text: str
    clause: str
    event: str
    who: int
    a: int
    b: int


class Choice(msgspec.Struct, frozen=True):
    """An action that this seat may choose now."""

    id: int
    name: str


class Player(msgspec.Struct, frozen=True):
    """Who sits in a seat: a guest or a bot (``bot``: of which kind); ``away``: a bot answers for him."""

    name: str
    bot: str
    away: bool


class Telling(Frame, frozen=True, tag="telling", kw_only=True):
    """All that a seat knows of its table now.

    ``version``: counts what this seat noticed, nothing else.  ``heard``: how many sentences it has been told in this match;
    ``new``: those that the client does not have yet.  ``view``: what lies open and what this seat alone sees.
    ``choices``: what it may do now, empty if it is not asked.
    """

    version: int
    match: int
    seat: int
    players: list[Player]
    view: msgspec.Raw
    heard: int
    new: list[Sentence]
    choices: list[Choice]
    over: bool
    returns: list[float]
    commitment: str
    frozen: str = ""


class Done(Frame, frozen=True, tag="done", kw_only=True):
    """A command is done, and on disk."""

    id: str


class Refused(Frame, frozen=True, tag="refused", kw_only=True):
    """A command was not done: why, and by which clause, if it was by one."""

    id: str
    sentence: str
    clause: str = ""


class Remark(Frame, frozen=True, tag="said", kw_only=True):
    """Somebody said something."""

    name: str
    text: str


class Pledges(Frame, frozen=True, tag="pledges", kw_only=True):
    """The list of pledges is closed; those who pledged send their numbers now."""

    commitment: str
    pledges: dict[int, str]


class Bye(Frame, frozen=True, tag="bye", kw_only=True):
    """The connection ends, and why."""

    reason: str


AnyFrame: TypeAlias = Telling | Done | Refused | Remark | Pledges | Bye

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyCommand)


def encode(frame: AnyFrame) -> bytes:
    """A frame as it goes over the wire.  Nothing else is ever encoded for a client."""
    if not isinstance(frame, Frame):
        raise TypeError(f"Only frames go to clients, not {type(frame).__name__}.")
    return _encoder.encode(frame)


def decode(text: bytes | str) -> AnyCommand:
    """The command that a client sent; ``msgspec.ValidationError`` says what is wrong with it."""
    return _decoder.decode(text)
