"""What is written down of a table: its log, from which everything about it follows."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.room.wire import Matter


class Entry(msgspec.Struct, frozen=True, tag_field="what", forbid_unknown_fields=True):
    """Something that happened at a table, or was agreed there."""


class Opened(Entry, frozen=True, tag="opened"):
    """The table was made: the game with its house rules, the kind and the name of the bot for each seat, the table's
    rules.

    ``pace``: seconds that a bot takes; ``beat``: seconds that a question takes which nobody may notice; ``grace``:
    seconds after which a bot plays for a guest who has gone; ``patience``: seconds that a guest may take to choose
    (0: no limit); ``reveal``: whether the deal is revealed at the end; ``listed``: whether the lobby shows the table;
    ``maker``: the fingerprint of the token of whoever made it (empty: the first guest who sits down); ``takeovers``:
    whether a bot's seat may be taken over while a match is on.
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
    reveal: bool = msgspec.field(name="told")  # as it is kept since the first version
    listed: bool
    maker: str = ""
    takeovers: bool = True


class Committed(Entry, frozen=True, tag="committed"):
    """Another match is to begin, and this is the commitment to its secret, which is kept apart from the log."""

    match: int
    commitment: str


class Begun(Entry, frozen=True, tag="begun"):
    """The match began: the players' numbers by seat, and what chance brought first."""

    nonces: dict[int, str]
    fell: list[str]


class Resumed(Entry, frozen=True, tag="resumed"):
    """A match that was begun elsewhere goes on from its record; what chance brings now cannot be checked."""

    match: int
    record: str
    fell: list[str]


class Did(Entry, frozen=True, tag="did"):
    """A seat acted, and what chance brought then.  ``held``: a deal is over by that, and is looked at before the table
    goes on."""

    seat: int
    actions: list[str]
    fell: list[str]
    held: bool = False


class Fell(Entry, frozen=True, tag="fell"):
    """What chance brought after a pause: a question that nobody was asked, or the players' numbers before a deal.
    ``held``: as in :class:`Did`."""

    nonces: dict[int, str]
    fell: list[str]
    held: bool = False


class WentOn(Entry, frozen=True, tag="went_on"):
    """A deal that was over has been looked at: the table shows the next."""


class Linked(Entry, frozen=True, tag="linked"):
    """The link of the record's chain at this point, which everybody is told."""

    link: str


class Undone(Entry, frozen=True, tag="undone"):
    """A seat took back its last step."""

    seat: int


class Sat(Entry, frozen=True, tag="sat"):
    """A guest sat down.  ``key``: the fingerprint of the token that is his alone."""

    seat: int
    name: str
    key: str


class Left(Entry, frozen=True, tag="left"):
    """A guest gave up his seat; a bot has it."""

    seat: int


class Removed(Entry, frozen=True, tag="removed"):
    """The maker of the table has removed a guest; a bot has the seat, and that token does not sit here again."""

    seat: int
    key: str


class Allowed(Entry, frozen=True, tag="allowed"):
    """The maker allows something from now on, or does not: ``newcomers``, ``takeovers`` or ``chat``."""

    name: Matter
    on: bool


class Away(Entry, frozen=True, tag="away"):
    """A guest has been silent for too long: a bot answers for him until he is back."""

    seat: int


class Back(Entry, frozen=True, tag="back"):
    """A guest is back."""

    seat: int


class Said(Entry, frozen=True, tag="said"):
    """Somebody at the table, or watching it (seat -1), said something to all."""

    seat: int
    name: str
    text: str


class Wanted(Entry, frozen=True, tag="wanted"):
    """A guest wants another match, or the next deal."""

    seat: int


class Revealed(Entry, frozen=True, tag="told"):
    """The secret of a match that is over was told."""

    secret: str


class Frozen(Entry, frozen=True, tag="frozen"):
    """Something went wrong inside the game; the table stands still, nobody forfeits."""

    reason: str


class Closed(Entry, frozen=True, tag="closed"):
    """The table is no more."""

    reason: str


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
    | Sat
    | Left
    | Removed
    | Allowed
    | Away
    | Back
    | Said
    | Wanted
    | Revealed
    | Frozen
    | Closed
)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyEntry)


def encode(entry: AnyEntry) -> bytes:
    """An entry as it is kept.

    >>> encode(Left(2))
    b'{"what":"left","seat":2}'
    >>> decode(encode(Left(2)))
    Left(seat=2)
    """
    return _encoder.encode(entry)


def decode(text: bytes | str) -> AnyEntry:
    """The entry that was kept."""
    entry: AnyEntry = _decoder.decode(text)
    return entry
