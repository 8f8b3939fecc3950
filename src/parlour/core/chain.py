"""A chain of hashes through a record, so that no change in it goes unnoticed (``docs/fair_deal.md``, 9).

Each entry of a record (its head, the holders of seats, the players' nonces, steps) has a link: the hash of the previous
link and of the entry.  A table shows its guests some links during play; the record must then contain those links.  A
link reveals nothing about hidden cards, because it is blinded by a value derived from the deal's secret.

>>> import parlour
>>> from parlour.core.fair_deal import new_deal
>>> secret = bytes(range(32))
>>> state = parlour.load("kuhn").new()
>>> state.ledger.fair = new_deal(secret)
>>> present_link(state, secret) == link_after(state.ledger.fair.commitment, head(state), secret)
True
>>> check(state, secret) is None  # no link has been shown yet
True
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from parlour.base.errors import ParlourError
from parlour.core.fair_deal import BY_POSITION, keyed_by
from parlour.core.notes import Link, Note, seatings
from parlour.rules.vocabulary import CHANCE

if TYPE_CHECKING:
    from parlour.core.game import State

_NAME: Final = b"parlour chain 1: "
_LINK: Final = _NAME + b"link"
_BLIND: Final = _NAME + b"blind"
_in_json: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(entry: Any) -> bytes:
    """Return the bytes of an entry that are hashed: JSON with sorted keys, without spaces, in UTF-8.

    >>> canonical({"sat": [0, "guest", "Zoé"], "a": 1}).decode()
    '{"a":1,"sat":[0,"guest","Zoé"]}'
    """
    return _in_json(entry).encode()


def link_after(former: str, entry: Any, secret: bytes) -> str:
    """Return the link of an entry, given the previous link."""
    return _after(former, canonical(entry), keyed_by(secret))


def _after(former: str, entry: bytes, blinded: Callable[[bytes], bytes]) -> str:
    """Return the same for the bytes of an entry; ``blinded``: a function that returns the value derived from the secret
    for a text."""
    before = bytes.fromhex(former)
    return hashlib.sha256(_LINK + before + blinded(_BLIND + before) + entry).hexdigest()


@lru_cache(1 << 12)
def _step(player: int, name: str) -> bytes:
    """Return the bytes of a step's entry.  Results are cached, because few steps differ."""
    return canonical({"chance": name} if player == CHANCE else {"did": [player, name]})


def head(state: State) -> dict[str, Any]:
    """Return the first entry: the game with its house rules, and the commitment to the secret."""
    game, fair = state.game, state.ledger.fair
    drawn = {"drawn": BY_POSITION} if fair is not None and fair.by_position else {}
    return {
        **drawn,
        "commitment": "" if fair is None else fair.commitment,
        "game": game.id,
        "options": dict(game.recorded_options),
        "players": game.players,
        "rules": game.version,
    }


TOLD: Final = canonical({"link": True})
"""The entry for a link that was shown, so that the link itself cannot be removed."""


def _entries(state: State, at: int, notes: Sequence[Note]) -> Iterator[bytes | Link]:
    """Yield the entries of a game from this place of its log on, as bytes, and the links among them; ``notes``: the
    notes from there on."""
    mixings = {} if state.ledger.fair is None else {mixing.node: mixing for mixing in state.ledger.fair.mixings}
    nodes = sum(step is not None and step.player == CHANCE for step in state.log[:at]) if mixings else 0
    waiting = list(reversed(notes))
    for place in range(at, len(state.log) + 1):
        while waiting and waiting[-1].at <= place:
            note = waiting.pop()
            if isinstance(note, Link):
                yield note
            else:
                yield canonical({"sat": [note.seat, "guest" if note.guest else "bot", note.name]})
        if place == len(state.log):
            return
        step = state.log[place]
        if step is None:
            yield canonical({"undo": True})
            continue
        if step.player == CHANCE:
            if nodes in mixings:
                yield canonical({"mix": {str(seat): nonce.hex() for seat, nonce in mixings[nodes].nonces.items()}})
            nodes += 1
        yield _step(step.player, step.name)


def present_link(state: State, secret: bytes) -> str:
    """Return the link of the last entry so far, computed from the last link that the game knows. Raises
    ``ParlourError`` if the game has no commitment."""
    ledger = state.ledger
    if ledger.fair is None:
        raise ParlourError("A chain begins with a commitment, and this game has none.")
    blinded = keyed_by(secret)
    later = list[Note]()
    for note in reversed(ledger.notes):
        if isinstance(note, Link):
            link, rest = _after(note.link, TOLD, blinded), _entries(state, note.at, later[::-1])
            break
        later.append(note)
    else:
        first, rest = canonical(head(state)), _entries(state, 0, ledger.notes)
        link = _after(ledger.fair.commitment, first, blinded)
    for entry in rest:
        assert not isinstance(entry, Link)
        link = _after(link, entry, blinded)
    return link


@dataclass(frozen=True, slots=True)
class Chained:
    """The result of checking a record's chain: its ``links``; the index of the first link that does not follow from the
    entries before it (``wrong``); how many ``loose`` entries come after the last link; whether the names at the top are
    the latest ones in the chain.

    >>> Chained(("5f", "a0"), wrong=None, loose=0, names_fit=True).holds
    True
    """

    links: tuple[str, ...]
    wrong: int | None
    loose: int
    names_fit: bool

    @property
    def holds(self) -> bool:
        """Whether nothing in the record has been changed since its links were made."""
        return self.wrong is None and not self.loose and self.names_fit


def check(state: State, secret: bytes) -> Chained | None:
    """Check the chain of a game whose secret is known; return ``None`` if it carries none."""
    fair = state.ledger.fair
    if fair is None or not any(isinstance(note, Link) for note in state.ledger.notes):
        return None
    blinded = keyed_by(secret)
    link, loose, links, wrong = _after(fair.commitment, canonical(head(state)), blinded), 1, list[str](), None
    for entry in _entries(state, 0, state.ledger.notes):
        if not isinstance(entry, Link):
            link, loose = _after(link, entry, blinded), loose + 1
            continue
        if wrong is None and entry.link != link:
            wrong = len(links)
        links.append(entry.link)
        link, loose = _after(link, TOLD, blinded), 0
    names = dict(enumerate(state.player_names))
    chained = {seated.seat: seated.name for seated in seatings(state.ledger.notes)}
    return Chained(tuple(links), wrong, loose, names == chained)


__all__ = ["Chained", "check"]
