"""What a guest's own client was shown of a match's deal, to compare with the record (``docs/fair_deal.md``, 7)."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.base.languages import marked
from parlour.core.fair_deal import SIZE, pledge
from parlour.core.notes import Link
from parlour.core.records import replay
from parlour.server.common import wire
from parlour.server.common.outside import token_bytes


class Witness:
    """The guest's side of the fair deal: contributes a nonce to each mixing of a match, and keeps what was shown.

    ``commitment``: the commitment that was shown first. ``whole``: whether the guest has been there all the time, so
    that nothing can have entered the deal unseen. ``contributes``: whether the guest contributes nonces at all.
    ``links``: the links of the record's chain that were shown.
    """

    def __init__(self, contributes: bool = True) -> None:
        self.contributes = contributes
        self._begin(0)

    def _begin(self, match: int) -> None:
        self.match, self.commitment, self.whole = match, "", False
        self._number = b""  # the guest's own nonce, in the current mixing
        self._given = False  # whether the nonce has been sent
        self._stayed, self._seat = False, -1  # whether the guest has stayed since it was sent; the seat it is for
        self._heard = self._heard_then = 0  # how many sentences the seat has been told: by now, and when it was sent
        self._pledges: dict[int, str] = {}  # the pledges when the list was closed
        self._mixed: list[wire.MixingStage] = []
        self.links: list[str] = []
        self._broken: list[tuple[int, str]] = []  # who broke a rule (-1: the server), and how, in a template

    def away(self) -> None:
        """Note that the connection was lost: something may have entered the deal unseen, a nonce may not have arrived,
        and another server may have begun the mixing afresh."""
        self.whole = self._stayed = False
        self._pledges = {}

    def arrived(self, match: int) -> None:
        """Note that this match is on now."""
        if match > self.match:
            self._begin(match)

    def told(self, telling: wire.Telling) -> None:
        """Note which seat the guest has, since a nonce counts only for the seat that it was sent for, and whether the
        table has gone on. If it has, the mixing is over, even if the guest was away when its nonces were shown."""
        self.arrived(telling.match)
        if telling.match != self.match:
            return
        is_moved, self._heard = telling.seat != self._seat, telling.heard
        if is_moved:
            self._stayed = False
        if self._given and not self._stayed and (is_moved or self._heard > self._heard_then):
            self._number, self._given = b"", False

    def linked(self, shown: wire.ChainLink) -> None:
        """Note a link of the record's chain."""
        self.arrived(shown.match)
        if shown.match == self.match and shown.link not in self.links:
            self.links.append(shown.link)

    def answer(self, seat: int, shown: wire.MixingStage, command: str, fresh: bool) -> wire.Pledge | wire.Nonce | None:
        """Return the command to send now that this stage of a mixing is shown; ``None`` if nothing is to be sent.
        ``seat``: the guest's, -1 for spectators; ``command``: the command's id; ``fresh``: whether the guest was there
        before chance decided anything in the match."""
        self.arrived(shown.match)
        if shown.match != self.match:
            return None
        if not self.commitment:
            self.commitment, self.whole = shown.commitment, fresh
        if shown.commitment != self.commitment:
            self._broken.append((-1, marked("The server showed two commitments for one match.")))
        if shown.stage == "pledge":
            return self._pledge(seat, command) if seat >= 0 else None
        if shown.stage == "nonce":
            return self._nonce(seat, shown, command)
        self._keep(seat, shown)
        return None

    def _pledge(self, seat: int, command: str) -> wire.Pledge:
        if not self.contributes:
            return wire.Pledge(id=command, match=self.match, pledge="")
        if self._given:
            self._broken.append((-1, marked("The server collected numbers again after yours had been revealed.")))
        if self._given or not self._number:  # a mixing that is shown again changes nothing
            self._number, self._given = token_bytes(SIZE), False
        self._seat = seat
        return wire.Pledge(id=command, match=self.match, pledge=pledge(self.commitment, self._number))

    def _nonce(self, seat: int, shown: wire.MixingStage, command: str) -> wire.Nonce | None:
        self._pledges = dict(shown.pledges)
        listed = self._pledges.get(seat)
        if not self._number or self._stayed or not listed:
            return None
        if listed != pledge(self.commitment, self._number):
            self._broken.append((-1, marked("The server showed a pledge of yours that you did not make.")))
            return None
        self._given = self._stayed = True  # perhaps sent again: it may have been lost with the connection
        self._seat, self._heard_then = seat, self._heard
        return wire.Nonce(id=command, nonce=self._number.hex())

    def _keep(self, seat: int, shown: wire.MixingStage) -> None:
        """Note the nonces that count."""
        if not self._mixed or (shown.pledges, shown.nonces) != (self._mixed[-1].pledges, self._mixed[-1].nonces):
            self._mixed.append(shown)
            pledges = self._pledges or dict(shown.pledges)
            if pledges != dict(shown.pledges):
                self._broken.append((-1, marked("The server changed the list of pledges after it was closed.")))
            for who, nonce in shown.nonces.items():
                if not pledges.get(who):
                    self._broken.append((who, marked("{name} used a number that was not pledged.")))
                elif pledge(self.commitment, bytes.fromhex(nonce)) != pledges[who]:
                    self._broken.append((who, marked("{name} used a number that does not match its pledge.")))
            for who, promised in pledges.items():
                if promised and who not in shown.nonces and who not in (seat, self._seat):
                    self._broken.append((who, marked("{name} pledged a number that never arrived.")))
            if self._stayed and shown.nonces.get(seat) != self._number.hex():
                self._broken.append((-1, marked("The server left out your number.")))
        if self._given:  # otherwise a pledge of it may still be under way, and count in the next mixing
            self._number = b""
        self._given, self._stayed, self._seat, self._pledges = False, False, -1, {}

    def against(self, record: str, names: Sequence[str]) -> list[str]:
        """Return a sentence for each breach of the fair deal's rules that shows when what the guest was shown is
        compared with the whole ``record``; empty if there is none. ``names``: the players' names, by seat."""
        said: list[str] = [marked(what, **({} if who < 0 else {"name": names[who]})) for who, what in self._broken]
        state = replay(record)
        fair, links = state.ledger.fair, [note.link for note in state.ledger.notes if isinstance(note, Link)]
        if fair is None:
            return [*said, *(["The server gave out a record without a commitment."] if self.commitment else [])]
        if self.commitment and fair.commitment != self.commitment:
            said.append("The server's record has a different commitment from the one you were shown.")
        told = [{who: nonce.hex() for who, nonce in mixing.nonces.items()} for mixing in fair.mixings]
        seen = [dict(mixing.nonces) for mixing in self._mixed if mixing.nonces]
        if not _follows(seen, told):
            said.append("The server's record has different numbers from those you were shown.")
        elif self.whole and len(told) > len(seen):
            said.append("The server's record has numbers that you were not shown.")
        if not _follows(self.links, links):
            said.append("The server's record lacks a link that you were shown, so something in it has been changed.")
        return said


def _follows(seen: Sequence[object], told: Sequence[object]) -> bool:
    """Whether everything that was seen is in the record, in the same order."""
    rest = iter(told)
    return all(any(one == other for other in rest) for one in seen)
