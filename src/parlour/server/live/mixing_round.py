"""One round of nonces for the deal: pledges first, then the nonces (``docs/fair_deal.md``, §2)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from parlour.base.errors import ParlourError
from parlour.core.fair_deal import pledge
from parlour.server.common import wire
from parlour.server.table.seats import WATCHER

PLEDGE_SECONDS: Final = 5.0
"""How long to wait for pledges, in seconds."""
NONCE_SECONDS: Final = 10.0
"""How long to wait for the pledged nonces, in seconds."""


class MixingRound:
    """The pledges and nonces of the guests who are asked for them.

    ``stage``: ``pledge``, then ``nonce``, then ``mixed``.  Whoever runs the round decides when a stage is over: when it
    :attr:`is_complete`, or when it has taken too long.

    >>> round = MixingRound(1, "00" * 32, {0})
    >>> round.is_complete
    False
    >>> round.pledge(0, "")  # contributes no nonce
    >>> round.is_complete
    True
    """

    def __init__(self, match: int, commitment: str, wanted: Collection[int]) -> None:
        self.match, self.commitment = match, commitment
        self.stage = "pledge"
        self.is_over = False
        """Whether its nonces are in the log, so that everything before the deal is settled."""
        self._wanted = frozenset(wanted)
        self._pledges: dict[int, str] = {}
        self._nonces: dict[int, bytes] = {}
        self._gone = set[int]()

    @property
    def pledged(self) -> frozenset[int]:
        """The seats that have pledged a nonce."""
        return frozenset(seat for seat, text in self._pledges.items() if text)

    @property
    def is_complete(self) -> bool:
        """Whether everything that this stage waits for has come in."""
        if self.stage == "pledge":
            return self._wanted <= self._pledges.keys()
        return self.pledged - self._gone <= self._nonces.keys()

    @property
    def nonces(self) -> dict[int, bytes]:
        """The nonces that have come in, in order of seats."""
        return dict(sorted(self._nonces.items()))

    @property
    def left(self) -> list[int]:
        """The seats, in order, whose nonces are from guests who have left since."""
        return sorted(self._gone & self._nonces.keys())

    @property
    def frame(self) -> wire.MixingStage:
        """The frame that says what everybody may know of the round."""
        nonces = {seat: nonce.hex() for seat, nonce in self.nonces.items()} if self.stage == "mixed" else {}
        return wire.MixingStage(
            match=self.match,
            commitment=self.commitment,
            stage=self.stage,
            pledges={seat: self._pledges[seat] for seat in sorted(self.pledged)},
            nonces=nonces,
        )

    def changed_hands(self, seat: int) -> None:
        """Wait no longer for a seat whose guest has left it: its nonce cannot come.  Whoever has the seat now may still
        pledge theirs, which is waited for.

        >>> round = MixingRound(1, "00" * 32, {0, 1})
        >>> round.pledge(1, "")
        >>> round.changed_hands(0)
        >>> round.is_complete
        True
        >>> round.pledge(0, "11" * 32)
        >>> round.stage = "nonce"
        >>> round.is_complete
        False
        """
        self._wanted -= {seat}
        if self.stage == "pledge":
            self._pledges.pop(seat, None)
        else:
            self._gone.add(seat)

    def put_in(self, seat: int, command: wire.Pledge | wire.Nonce) -> None:
        """Take a guest's pledge, or the nonce that they pledged. Raises ``ParlourError`` if it does not count."""
        if seat == WATCHER or self.stage == "mixed":
            raise not_now()
        if isinstance(command, wire.Pledge):
            if command.match != self.match:  # it was under way for longer than that match's round
                raise not_now()
            self.pledge(seat, command.pledge)
        else:
            self.nonce(seat, bytes.fromhex(command.nonce))

    def pledge(self, seat: int, fingerprint: str) -> None:
        """Take a seat's pledge, the hash of its nonce; the first one counts.  Empty: it contributes none."""
        if self.stage != "pledge":
            raise ParlourError("The list of pledges is closed.")
        self._pledges.setdefault(seat, fingerprint)

    def nonce(self, seat: int, nonce: bytes) -> None:
        """Take a seat's nonce."""
        if self.stage != "nonce" or self._pledges.get(seat) != pledge(self.commitment, nonce):
            raise ParlourError("That is not the number that you pledged.")
        self._nonces[seat] = nonce


def not_now() -> ParlourError:
    """Return the error for a pledge or a nonce that comes at the wrong time."""
    return ParlourError("Random numbers aren't being collected now.")


__all__ = ["NONCE_SECONDS", "PLEDGE_SECONDS", "MixingRound", "not_now"]
