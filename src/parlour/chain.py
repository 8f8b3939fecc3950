"""A chain of hashes through a record, so that nothing in it can be changed unnoticed (``docs/fair_deal.md``, 9).

Each entry of a record (its head, the holders of seats, the players' nonces, steps) has a link: the hash of the previous
link and of the entry.  A table shows its guests some links during play; the record must then contain what they were
shown.  A link reveals nothing about hidden cards, because it is blinded by a value derived from the deal's secret.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from parlour.errors import ParlourError
from parlour.fair_deal import keyed
from parlour.notes import Link, Note, seatings
from parlour.vocabulary import CHANCE

if TYPE_CHECKING:
    from parlour.game import State

_NAME: Final = b"parlour chain 1: "
_in_json: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
TOLD: Final = {"link": True}
"""The entry for a link that was shown, so that it cannot be left out either."""


def canonical(entry: Any) -> bytes:
    """Return an entry as it is hashed: JSON with sorted keys, without spaces, in UTF-8.

    >>> canonical({"sat": [0, "guest", "Zoé"], "a": 1}).decode()
    '{"a":1,"sat":[0,"guest","Zoé"]}'
    """
    return _in_json(entry).encode()


def link_after(former: str, entry: Any, secret: bytes) -> str:
    """Return the link of an entry, given the link before."""
    before = bytes.fromhex(former)
    blind = keyed(secret, _NAME + b"blind" + before)
    return hashlib.sha256(_NAME + b"link" + before + blind + canonical(entry)).hexdigest()


def head(state: State) -> dict[str, Any]:
    """Return the first entry: the game with its house rules, and the commitment to the secret."""
    game, fair = state.game, state.fair
    return {
        "commitment": "" if fair is None else fair.commitment,
        "game": game.id,
        "options": dict(game.options),
        "players": game.players,
        "rules": game.definition.version,
    }


def _entries(state: State, at: int, notes: Sequence[Note]) -> Iterator[Any]:
    """Yield the entries of a game from this place of its log on, and the links among them; ``notes``: those still to
    come."""
    mixings = {} if state.fair is None else {mixing.node: mixing for mixing in state.fair.mixings}
    nodes = sum(step is not None and step.player == CHANCE for step in state.log[:at])
    waiting = list(reversed(notes))
    for place in range(at, len(state.log) + 1):
        while waiting and waiting[-1].at <= place:
            note = waiting.pop()
            yield note if isinstance(note, Link) else {"sat": [note.seat, "guest" if note.guest else "bot", note.name]}
        if place == len(state.log):
            return
        step = state.log[place]
        if step is None:
            yield {"undo": True}
        elif step.player == CHANCE:
            if nodes in mixings:
                yield {"mix": {str(seat): nonce.hex() for seat, nonce in mixings[nodes].nonces.items()}}
            nodes += 1
            yield {"chance": step.name}
        else:
            yield {"did": [step.player, step.name]}


def present_link(state: State, secret: bytes) -> str:
    """Return the link of the last entry so far, computed from the last link that the game knows."""
    if state.fair is None:
        raise ParlourError("A chain begins with a commitment, and this game has none.")
    known = [number for number, note in enumerate(state.notes) if isinstance(note, Link)]
    if known:
        last = state.notes[known[-1]]
        assert isinstance(last, Link)
        link, rest = link_after(last.link, TOLD, secret), _entries(state, last.at, state.notes[known[-1] + 1 :])
    else:
        link, rest = link_after(state.fair.commitment, head(state), secret), _entries(state, 0, state.notes)
    for entry in rest:
        link = link_after(link, entry, secret)
    return link


@dataclass(frozen=True, slots=True)
class Chained:
    """The result of checking a record's chain: its ``links``; which of them, from 0, is the first that does not follow
    from what precedes it; how many ``loose`` entries come after the last link; whether the names at the top are the
    latest ones in the chain."""

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
    fair = state.fair
    if fair is None or not any(isinstance(note, Link) for note in state.notes):
        return None
    link, loose, links, wrong = link_after(fair.commitment, head(state), secret), 1, list[str](), None
    for entry in _entries(state, 0, state.notes):
        if not isinstance(entry, Link):
            link, loose = link_after(link, entry, secret), loose + 1
            continue
        if wrong is None and entry.link != link:
            wrong = len(links)
        links.append(entry.link)
        link, loose = link_after(link, TOLD, secret), 0
    names = dict(enumerate(state.player_names))
    chained = {seated.seat: seated.name for seated in seatings(state.notes)}
    return Chained(tuple(links), wrong, loose, names == chained)


__all__ = ["Chained", "canonical", "check", "head", "link_after", "present_link"]
