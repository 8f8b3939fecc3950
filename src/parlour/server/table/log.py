"""The log of a table: all that is written down of it, and from which everything about it follows."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.server.common.wire import Matter, plain


class LogEntry(msgspec.Struct, frozen=True, tag_field="what", forbid_unknown_fields=True):
    """Something that happened at a table, or was agreed there."""


class Opened(LogEntry, frozen=True, tag="opened"):
    """The table was opened: the game with its house rules, the kind and the name of the bot for each seat, and the
    table's rules.

    ``pace``: seconds that a bot takes; ``beat``: seconds that a hushed question takes; ``grace``: seconds after which a
    bot plays for an absent guest; ``patience``: seconds that a guest may take to choose (0: no limit); ``reveal``:
    whether the deal is revealed at the end; ``listed``: whether the lobby shows the table; ``maker``: the fingerprint
    of its maker's token (empty: the first guest who sits down will be the maker); ``takeovers``: whether a bot's seat
    may be taken over while a match is on; ``event``: the competition that the table is part of, such as a deal of the
    day (empty: none); ``invited``: the fingerprints of the only guests who may sit down (empty: anybody may);
    ``awaits``: how many guests must sit here before the first match begins; ``lesson``: whether the game's lesson is
    played; ``practice``: whether a guest who plays with bots alone may take back any of their moves; ``by_post``:
    whether moves may be days apart, so that a guest who is not connected does not count as away.
    """

    game: str
    rules: int
    players: int
    options: dict[str, str]
    bots: list[str]
    names: list[str]
    pace: float
    beat: float
    grace: float
    patience: float
    reveal: bool = msgspec.field(name="told")  # the name in logs since the first version
    listed: bool
    maker: str = ""
    takeovers: bool = True
    event: str = ""
    invited: list[str] = []
    awaits: int = 0
    lesson: bool = False
    practice: bool = False
    by_post: bool = False


class Committed(LogEntry, frozen=True, tag="committed"):
    """Another match is to begin. This is the commitment to its secret, which is kept outside the log."""

    match: int
    commitment: str


class Begun(LogEntry, frozen=True, tag="begun"):
    """The match began: the players' nonces, by seat, and the first outcomes of chance. ``left``: the seats whose nonces
    are from guests who had left by then."""

    nonces: dict[int, str]
    fell: list[str]
    left: list[int] = []


class Resumed(LogEntry, frozen=True, tag="resumed"):
    """A match that began elsewhere continues from its record. What chance brings now cannot be checked."""

    match: int
    record: str
    fell: list[str]


class Did(LogEntry, frozen=True, tag="did"):
    """A seat acted, and then chance brought these outcomes. ``held``: this ended a deal, which players look at before
    the table goes on."""

    seat: int
    actions: list[str]
    fell: list[str]
    held: bool = False


class Fell(LogEntry, frozen=True, tag="fell"):
    """What chance brought after a pause: for a question that nobody was asked, or after the nonces before a deal.
    ``held``: as in :class:`Did`; ``left``: as in :class:`Begun`."""

    nonces: dict[int, str]
    fell: list[str]
    held: bool = False
    left: list[int] = []


class WentOn(LogEntry, frozen=True, tag="went_on"):
    """Players have looked at a finished deal, and the table shows the next."""


class Linked(LogEntry, frozen=True, tag="linked"):
    """The present link of the record's chain, which everybody is told. It is empty if it was deleted along with a name
    that it bound."""

    link: str


class Undone(LogEntry, frozen=True, tag="undone"):
    """A seat took back its last step."""

    seat: int


class Rewound(LogEntry, frozen=True, tag="rewound"):
    """A seat took moves back, and from now on the match is one of practice. It stands as it did after this many steps,
    and from there chance is drawn again."""

    seat: int
    steps: int


class Sat(LogEntry, frozen=True, tag="sat"):
    """A guest sat down.  ``key``: the fingerprint of the guest's own token."""

    seat: int
    name: str
    key: str


class Left(LogEntry, frozen=True, tag="left"):
    """A guest gave up their seat; a bot has it."""

    seat: int


class Removed(LogEntry, frozen=True, tag="removed"):
    """The maker of the table removed a guest: a bot has the seat, and the guest's token cannot sit here again."""

    seat: int
    key: str


class Allowed(LogEntry, frozen=True, tag="allowed"):
    """The maker allows or forbids something from now on: ``newcomers``, ``takeovers`` or ``chat``."""

    name: Matter
    on: bool


class Away(LogEntry, frozen=True, tag="away"):
    """A guest has been silent for too long: a bot answers for them until they are back."""

    seat: int


class Back(LogEntry, frozen=True, tag="back"):
    """A guest is back."""

    seat: int


class ChatSent(LogEntry, frozen=True, tag="said"):
    """Somebody at the table, or a spectator (seat -1), said something to everybody."""

    seat: int
    name: str
    text: str


class AnotherWanted(LogEntry, frozen=True, tag="wanted"):
    """A guest asked for another match, or the next deal; in a lesson, to go on from a stop."""

    seat: int


class DealRevealed(LogEntry, frozen=True, tag="told"):
    """The secret of a match that is over was revealed."""

    secret: str


class Frozen(LogEntry, frozen=True, tag="frozen"):
    """Something went wrong in the game: the table is stopped, and nobody forfeits."""

    reason: str


class Closed(LogEntry, frozen=True, tag="closed"):
    """The table has ended."""

    reason: str


class Rewritten(LogEntry, frozen=True, tag="rewritten"):
    """Earlier entries were changed, because a guest deleted what was theirs, or got another fingerprint. Whoever has
    read them must read the log again."""


AnyEntry: TypeAlias = (
    Opened
    | Committed
    | Begun
    | Resumed
    | Did
    | Fell
    | WentOn
    | Linked
    | Undone
    | Rewound
    | Sat
    | Left
    | Removed
    | Allowed
    | Away
    | Back
    | ChatSent
    | AnotherWanted
    | DealRevealed
    | Frozen
    | Closed
    | Rewritten
)

_encoder = msgspec.json.Encoder(enc_hook=plain)
_decoder = msgspec.json.Decoder(AnyEntry)


def encode(entry: AnyEntry) -> bytes:
    """Return an entry in the form in which logs keep it.

    >>> encode(Left(2))
    b'{"what":"left","seat":2}'
    >>> decode(encode(Left(2)))
    Left(seat=2)
    """
    return _encoder.encode(entry)


def decode(text: bytes | str) -> AnyEntry:
    """Return the entry that a log keeps in this form."""
    entry: AnyEntry = _decoder.decode(text)
    return entry


def called(entry: AnyEntry) -> str:
    """Return the name of an entry's type, as logs keep it.

    >>> called(Left(2))
    'left'
    """
    return str(entry.__struct_config__.tag)
