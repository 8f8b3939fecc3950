"""What a client sends and receives (``docs/room.md``). The module is long because it documents each field of version 1.

A client is sent packets. Only :func:`encode` makes packets, and it makes them from frames. A frame holds nothing of a
game but what a seat was told: a :class:`~parlour.engine.telling.View`, events, and the names of its legal actions.

>>> decode(b'{"frame":"said","seat":0,"name":"Ann","text":"Hello"}')
Remark(seat=0, name='Ann', text='Hello')
>>> decode(b'{"frame":"bye","reason":"The table is closed.","back":false}')
Bye(parts=UNSET, reason='The table is closed.', back=False)
>>> decode(b'{"frame":"notice","what":"sat","seat":1,"text":"Ben has sat down."}')
Notice(parts=UNSET, what='sat', seat=1, text='Ben has sat down.')
>>> decode(b'{"frame":"link","match":1,"link":"5f"}') == ChainLink(match=1, link="5f")
True
>>> decode(b'{"frame":"mixing","match":1,"commitment":"29","stage":"pledge","pledges":{},"nonces":{}}')
MixingStage(match=1, commitment='29', stage='pledge', pledges={}, nonces={})
>>> decode(b'{"frame":"revealed","match":1,"commitment":"29","secret":"00","record":"/record"}')
Revealed(match=1, commitment='29', secret='00', record='/record')
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, Final, Literal, NewType, TypeAlias, get_args

import msgspec

from parlour.base.languages import Message, Value

__all__ = [
    "About",
    "Bye",
    "ChainLink",
    "Choice",
    "MixingStage",
    "Moment",
    "Notice",
    "Remark",
    "Revealed",
    "SeatHolder",
    "Sentence",
    "Telling",
    "decode",
]

VERSION: Final = 1
"""The version of these frames; it is part of the address."""
HEADER: Final = "x-parlour-password"
"""The header in which a program gives the password of a private parlour."""

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+\Z")]
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Hex = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]

Matter: TypeAlias = Literal["newcomers", "takeovers", "chat"]
"""What the maker of a table may allow or forbid."""

ALL: Final[tuple[Matter, ...]] = get_args(Matter)
"""All that the maker may allow or forbid."""

# ------------------------------------------------------------------------------------------ commands


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, kw_only=True):
    """A command from a client. ``id``: chosen by the client, and different for each command; a command sent again under
    the same id gets the same answer and changes nothing."""

    id: Id


class Act(Command, frozen=True, tag="act", kw_only=True):
    """Do an action, or several named in one line: ``raise 37 win 20``."""

    action: Line


class Why(Command, frozen=True, tag="why", kw_only=True):
    """Ask what forbids an action now; the answer is ``done`` if nothing does."""

    action: Line


class Undo(Command, frozen=True, tag="undo", kw_only=True):
    """Take back your last step, if nobody has learned anything from it. In a match of practice where bots have all the
    other seats, take back all that has followed too. ``practice``: if the step cannot be taken back otherwise, make
    this a match of practice, where that is possible."""

    practice: bool = False


class Say(Command, frozen=True, tag="say", kw_only=True):
    """Say something to everybody."""

    text: Line


class Phrase(Command, frozen=True, tag="phrase", kw_only=True):
    """Say a quick phrase to everybody: the one of this name in :data:`parlour.server.common.phrases.PHRASES`."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=20)]


class Mute(Command, frozen=True, tag="mute", kw_only=True):
    """Mute somebody (``off``: unmute them)."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    off: bool = False


class Sit(Command, frozen=True, tag="sit", kw_only=True):
    """Take a seat that a bot has: this one, or the first such seat (-1)."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    seat: Annotated[int, msgspec.Meta(ge=-1, le=63)] = -1


class Leave(Command, frozen=True, tag="leave", kw_only=True):
    """Give up your seat to a bot."""


class Again(Command, frozen=True, tag="again", kw_only=True):
    """Ask for another match at this table, or for the next deal while a finished one is held. It begins when all guests
    present have asked for it. In a lesson, go on from a stop that asks for no move."""


class Remove(Command, frozen=True, tag="remove", kw_only=True):
    """Remove the guest of a seat, as the table's maker: a bot takes the seat, and the guest cannot sit here again."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=63)]


class Relieve(Command, frozen=True, tag="relieve", kw_only=True):
    """Let a bot play for a guest who has been asked for three minutes, until they do something, where the table has set
    no other patience."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=63)]


class Allow(Command, frozen=True, tag="allow", kw_only=True):
    """Allow or forbid something, as the table's maker: ``newcomers`` (off: nobody new sits down), ``takeovers`` (off:
    nobody takes over a bot's seat during a match) or ``chat``."""

    name: Matter
    on: bool


class Pledge(Command, frozen=True, tag="pledge", kw_only=True):
    """The hash of the nonce that you will contribute (``docs/fair_deal.md``) to this match's deal; empty if you
    contribute none."""

    match: Annotated[int, msgspec.Meta(ge=0)]
    pledge: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?\Z")]


class Nonce(Command, frozen=True, tag="nonce", kw_only=True):
    """The nonce that you pledged."""

    nonce: Hex


class Shown(Command, frozen=True, tag="shown", kw_only=True):
    """How much of a match this connection has shown: its first ``heard`` sentences. Where one guest plays with bots and
    nobody watches, such a client sets the pace: bots wait until it has shown what it was told. A client that never
    sends this is not waited for. ``hurry``: bots need take no time, until it is sent without ``hurry``."""

    match: Annotated[int, msgspec.Meta(ge=0)]
    heard: Annotated[int, msgspec.Meta(ge=0)]
    hurry: bool = False


class Reads(Command, frozen=True, tag="reads", kw_only=True):
    """The guest reads something, for at most this many seconds (0: no longer). Only servers send this, to one
    another."""

    seconds: float


ForTable: TypeAlias = (
    Act | Why | Undo | Say | Phrase | Mute | Sit | Leave | Again | Remove | Relieve | Allow | Pledge | Nonce
)
"""A command to a table."""
AnyCommand: TypeAlias = ForTable | Shown
PassedOn: TypeAlias = ForTable | Reads
"""What a server passes on to the server that runs the table."""

# ------------------------------------------------------------------------------------------ frames


class Parts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The parts of a sentence (:class:`parlour.base.languages.Message`). A client that shows another language looks the
    template up in its own catalogue. ``text``: the sentence itself, if it is a value in another sentence."""

    template: str
    values: Mapping[str, int | float | str | Parts] = {}
    text: str = ""


class Frame(msgspec.Struct, frozen=True, tag_field="frame", kw_only=True):
    """Something that a client is told."""


class Speaking(Frame, frozen=True, kw_only=True):
    """A frame with sentences. ``parts``: what they are made of, by the name of the field; it is sent only for sentences
    that have values."""

    parts: Mapping[str, Parts] | msgspec.UnsetType = msgspec.UNSET


class About(Frame, frozen=True, tag="about", kw_only=True):
    """What does not change at a table: the first frame of a connection.

    ``game``, ``players``, ``options``: arguments for :func:`parlour.load`. ``reveal``: whether the deal is revealed at
    the end. ``pace``: seconds a bot takes; ``beat``: seconds that a hushed question takes, answered or not;
    ``patience``: seconds a guest may take before a bot answers for them (0: no limit); ``event``: the competition that
    the table is part of (empty: none); ``lesson``: whether the game's lesson is played; ``practice``: whether a guest
    who plays with bots alone may take back any of their moves; ``by_post``: whether moves may be days apart;
    ``awaits``: how many guests must sit before the first match begins.

    >>> about = About(
    ...     table="t1", code="QWRTZP", game="kuhn", players=2, options={}, reveal=True, pace=1, beat=3, patience=0
    ... )
    >>> decode(encode(about)) == about
    True
    """

    table: str
    code: str
    game: str
    players: int
    options: Mapping[str, str]
    reveal: bool
    pace: float
    beat: float
    patience: float
    event: str = ""
    lesson: bool = False
    practice: bool = False
    by_post: bool = False
    awaits: int = 0


class Sentence(msgspec.Struct, frozen=True):
    """An event as this seat was told it: the sentence, the clause that caused it, a key for programs, the player whom
    it is about (-1: nobody), and two numbers."""

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


class SeatHolder(msgspec.Struct, frozen=True):
    """The holder of a seat. ``bot``: the kind of the bot that plays, or would play if the guest were away; ``guest``:
    whether a guest has the seat."""

    name: str
    bot: str
    guest: bool
    away: bool


class Moment(msgspec.Struct, frozen=True):
    """What a seat saw when it had been told ``heard`` sentences, between two tellings; ``items`` as in
    :class:`Telling`."""

    heard: int
    items: list[tuple[str, int, int]]


class Telling(Speaking, frozen=True, tag="telling", kw_only=True, omit_defaults=True):
    """All that a seat knows of its table now.

    ``version``: how often this seat has noticed something. ``match``: the number of the match, 0 before the first has
    begun. ``seat``: -1 for spectators. ``returns``: once the match is over, what it brought each seat, in the game's
    own unit.

    ``view``: what everybody can see, and what this seat alone sees, as readable values; ``items``: the same in the
    order of telling, as :class:`parlour.engine.telling.View` has it, sent instead if the client asked for it
    (``?view=items``). ``heard``: how many sentences the seat has been told in this match; ``new``: those the client
    does not have yet.

    ``asked``: the seats that everybody knows to be asked; ``hushed``: whether somebody may be asked a question that
    only they know of, while the table waits a fixed beat. ``choices``: what this seat may do now, empty if it is not
    asked. ``again``: seats that want another match.

    ``host``: the seat of the table's maker, -1 if they have none; ``allowed``: which of ``newcomers``, ``takeovers``
    and ``chat`` they allow. ``frozen``, ``closed``: why the table has stopped, or no longer exists.

    ``held``: while everybody looks at a finished deal, until the guests ask to go on (:class:`Again`), what it brought
    each player, in the game's own unit; empty otherwise. ``sheet``: at such a time and at the end, what each player had
    at the beginning and after each deal, in the game's own unit; empty if the game has none (``account`` in its words).
    ``since``: at such a time and at the end, how many of the sentences are about earlier deals. ``moments``: what the
    seat saw after each of the new sentences but the last, if the client asked for it and this telling continues from
    the one before.

    ``stop``: in a lesson, the number of the stop at which the table waits for the learner, from 1; 0 otherwise.
    ``practice``: whether this match is one of practice, which counts for nobody. From ``host`` on, a field that has its
    ordinary value is not sent.

    >>> telling = Telling(
    ...     version=1, match=1, seat=0, players=[SeatHolder("Ann", "", guest=True, away=False)], view=None,
    ...     items=[("hand", 0, 3)], heard=1, new=[Sentence("Ann bets.", "KU-7", "bets", 0, 0, 0)], asked=[0],
    ...     hushed=False, choices=[Choice(0, "pass")], over=False, returns=[], again=[], moments=[Moment(0, [])],
    ... )  # fmt: skip
    >>> decode(encode(telling)) == telling, [choice.name for choice in telling.choices]
    (True, ['pass'])
    """

    version: int
    match: int
    seat: int
    players: list[SeatHolder]
    view: dict[str, int | str | list[int | str | list[int | str] | None] | None] | None
    items: list[tuple[str, int, int]] | None
    heard: int
    new: list[Sentence]
    asked: list[int]
    hushed: bool
    choices: list[Choice]
    over: bool
    returns: list[float]
    again: list[int]
    host: int = -1
    allowed: tuple[str, ...] = ALL
    frozen: str = ""
    closed: str = ""
    held: list[float] = msgspec.field(default_factory=list)
    sheet: list[list[int]] = msgspec.field(default_factory=list)
    since: int = 0
    moments: list[Moment] = msgspec.field(default_factory=list)
    stop: int = 0
    practice: bool = False


class Done(Frame, frozen=True, tag="done", kw_only=True):
    """A command was carried out and is on disk."""

    id: str


class Refused(Speaking, frozen=True, tag="refused", kw_only=True):
    """A command was not carried out: ``sentence`` says why, and ``clause`` is the clause that forbids it, if any.
    ``later``: the server could not write the command down, and it may be sent again."""

    id: str
    sentence: str
    clause: str = ""
    later: bool = False


class Remark(Frame, frozen=True, tag="said", kw_only=True):
    """A chat message; ``seat`` is -1 for spectators."""

    seat: int
    name: str
    text: str


class Notice(Speaking, frozen=True, tag="notice", kw_only=True):
    """A notice about the table for everybody: ``what`` (``sat``, ``left``, ``removed``, ``newcomers``, ``takeovers``,
    ``chat``, ``spectators``), the ``seat`` it is about (-1: none), and the sentence."""

    what: str
    seat: int
    text: str


class ChainLink(Frame, frozen=True, tag="link", kw_only=True):
    """The present link of the record's chain (``docs/fair_deal.md``, 9). A client that keeps it can compare it with the
    record later."""

    match: int
    link: str


class MixingStage(Frame, frozen=True, tag="mixing", kw_only=True):
    """Nonces are being collected (``docs/fair_deal.md``, 2): the commitment of the match, and the stage of this mixing.

    ``stage``: ``pledge`` while pledges are taken; ``nonce`` when the list of ``pledges``, by seat, is closed and
    everybody who pledged sends their nonce; ``mixed`` when the ``nonces`` are those that count.
    """

    match: int
    commitment: str
    stage: str
    pledges: Mapping[int, str]
    nonces: Mapping[int, str]


class Revealed(Frame, frozen=True, tag="revealed", kw_only=True):
    """The match is over and its deal is revealed: the secret, and where to find the whole record."""

    match: int
    commitment: str
    secret: str
    record: str


class Bye(Speaking, frozen=True, tag="bye", kw_only=True):
    """The connection ends, for this ``reason``. ``back``: whether it makes sense to reconnect."""

    reason: str
    back: bool


Answer: TypeAlias = Done | Refused
"""The answer to a command."""
AnyFrame: TypeAlias = About | Telling | Done | Refused | Remark | Notice | ChainLink | MixingStage | Revealed | Bye

Packet = NewType("Packet", bytes)
"""A frame in bytes, made only by :func:`encode`. Connections are sent nothing else, except that pages of this server
take tellings as they are."""

SPOKEN: Final[Mapping[type[Speaking], tuple[str, ...]]] = {
    Refused: ("sentence",),
    Notice: ("text",),
    Bye: ("reason",),
    Telling: ("frozen", "closed"),
}
"""The fields of each frame that are sentences."""


def parts_of(sentence: str) -> Parts | None:
    """Return what a sentence is made of; ``None`` if it has no values."""
    if not isinstance(sentence, Message) or not sentence.values:
        return None
    return Parts(sentence.template, {name: _sent(value) for name, value in sentence.values.items()})


def _sent(value: Value) -> int | float | str | Parts:
    if not isinstance(value, Message):
        if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
            return value
        return str(value).encode("utf-8", "backslashreplace").decode()  # half of a surrogate pair cannot be sent
    inside = parts_of(value) or Parts(value.template)
    return msgspec.structs.replace(inside, text=str(value))


def with_parts(text: str, parts: Parts) -> Message:
    """Return a sentence that came with its parts. In English it is its text, whatever the parts are."""
    values = {
        name: with_parts(value.text, value) if isinstance(value, Parts) else value
        for name, value in parts.values.items()
    }
    return Message.of(text, parts.template, values)


def plain(sentence: object) -> str:
    """Return what stands for a sentence in JSON: its text."""
    if isinstance(sentence, Message):
        return str(sentence)
    raise TypeError(f"{type(sentence).__name__} is not sent.")


_encoder = msgspec.json.Encoder(enc_hook=plain)
_frames = msgspec.json.Decoder(AnyFrame)
_commands = msgspec.json.Decoder(AnyCommand)


def encode(frame: AnyFrame) -> Packet:
    """Return a frame as a packet.

    >>> encode(Done(id="1"))
    b'{"frame":"done","id":"1"}'
    """
    if not isinstance(frame, Frame):
        raise TypeError(f"Only frames go to clients, not {type(frame).__name__}.")
    if isinstance(frame, Speaking):
        found = {name: parts_of(getattr(frame, name)) for name in SPOKEN[type(frame)]}
        if parts := {name: one for name, one in found.items() if one is not None}:
            frame = msgspec.structs.replace(frame, parts=parts)
    return Packet(_encoder.encode(frame))


def packed(sent: Packet | Telling) -> Packet:
    """Return what is sent as a packet. Only a telling may not be one yet, since pages of this server take it as it
    is."""
    return encode(sent) if isinstance(sent, Telling) else sent


def decode(packet: bytes | str) -> AnyFrame:
    """Return the frame of a packet; this is for clients."""
    frame: AnyFrame = _frames.decode(packet)
    if not isinstance(frame, Speaking) or not frame.parts:
        return frame
    spoken = {name: one for name, one in frame.parts.items() if name in SPOKEN[type(frame)]}
    said: dict[str, Any] = {name: with_parts(getattr(frame, name), one) for name, one in spoken.items()}
    return msgspec.structs.replace(frame, parts=msgspec.UNSET, **said)


def command(text: bytes | str) -> AnyCommand:
    """Return the command that a client sent; ``msgspec.MsgspecError`` says what is wrong with it."""
    try:
        wanted: AnyCommand = _commands.decode(text)
    except (RecursionError, UnicodeError) as wrong:
        raise msgspec.DecodeError("JSON is nested too deeply, or is not UTF-8") from wrong
    return wanted


class Forwarded(msgspec.Struct, frozen=True, array_like=True):
    """A command that one server passes on to the server that runs the table, with the match and the version of what its
    guest saw when giving it."""

    match: int
    version: int
    command: PassedOn


_forwarded = msgspec.json.Decoder(Forwarded)


def forwarded(text: bytes) -> Forwarded:
    """Return the command that another server has passed on."""
    found: Forwarded = _forwarded.decode(text)
    return found


def forward(match: int, version: int, wanted: PassedOn) -> bytes:
    """Return a command as a server passes it on."""
    return _encoder.encode(Forwarded(match, version, wanted))


def written(wanted: AnyCommand) -> bytes:
    """Return a command as a client sends it."""
    return _encoder.encode(wanted)
