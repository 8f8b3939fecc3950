"""One round of numbers for the deal: pledges first, then the numbers (``docs/fair_deal.md``, §2)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from parlour.errors import ParlourError
from parlour.fair_deal import pledge
from parlour.room import wire
from parlour.room.table import WATCHER

PLEDGE_SECONDS: Final = 5.0
"""How long pledges are waited for."""
NONCE_SECONDS: Final = 10.0
"""How long the numbers that were pledged are waited for."""


class MixingRound:
    """Pledges and numbers of the guests who are asked for them.

    ``stage``: ``pledge``, then ``nonce``, then ``mixed``.  Whoever keeps the round says when a stage is over: when it
    :attr:`is_complete`, or when it has taken too long.

    >>> round = MixingRound(1, "00" * 32, {0})
    >>> round.is_complete
    False
    >>> round.pledge(0, "")  # puts no number in
    >>> round.is_complete
    True
    """

    def __init__(self, match: int, commitment: str, wanted: Collection[int]) -> None:
        self.match, self.commitment = match, commitment
        self.stage = "pledge"
        self.is_over = False
        """Whether its numbers are in the log, so that what comes before the deal is settled."""
        self._wanted = frozenset(wanted)
        self._pledges: dict[int, str] = {}
        self._nonces: dict[int, bytes] = {}

    @property
    def pledged(self) -> frozenset[int]:
        """The seats that have pledged a number."""
        return frozenset(seat for seat, text in self._pledges.items() if text)

    @property
    def is_complete(self) -> bool:
        """Whether everything has come in that this stage waits for."""
        if self.stage == "pledge":
            return self._wanted <= self._pledges.keys()
        return self.pledged <= self._nonces.keys()

    @property
    def nonces(self) -> dict[int, bytes]:
        """The numbers that have come in, in order of seats."""
        return dict(sorted(self._nonces.items()))

    @property
    def frame(self) -> wire.MixingStage:
        """What everybody may know of it."""
        nonces = {seat: nonce.hex() for seat, nonce in self.nonces.items()} if self.stage == "mixed" else {}
        return wire.MixingStage(
            match=self.match,
            commitment=self.commitment,
            stage=self.stage,
            pledges={seat: self._pledges[seat] for seat in sorted(self.pledged)},
            nonces=nonces,
        )

    def put_in(self, seat: int, command: wire.Pledge | wire.Nonce) -> None:
        """A guest sends a pledge, or the number that they pledged; ``ParlourError`` if it does not count."""
        if seat == WATCHER or self.stage == "mixed":
            raise not_now()
        if isinstance(command, wire.Pledge):
            self.pledge(seat, command.pledge)
        else:
            self.nonce(seat, bytes.fromhex(command.nonce))

    def pledge(self, seat: int, fingerprint: str) -> None:
        """A seat pledges a number by its fingerprint, the first one counts; empty: it puts none in."""
        if self.stage != "pledge":
            raise ParlourError("The list of pledges is closed.")
        self._pledges.setdefault(seat, fingerprint)

    def nonce(self, seat: int, nonce: bytes) -> None:
        """A seat sends its number."""
        if self.stage != "nonce" or self._pledges.get(seat) != pledge(self.commitment, nonce):
            raise ParlourError("That is not the number that you pledged.")
        self._nonces[seat] = nonce


def not_now() -> ParlourError:
    """What somebody is told whose number comes at another time."""
    return ParlourError("Random numbers aren't being collected now.")


__all__ = ["NONCE_SECONDS", "PLEDGE_SECONDS", "MixingRound", "not_now"]
