"""A deal that anyone can check: chance follows from a secret that is revealed afterwards and from the players' nonces.

``docs/fair_deal.md`` is the specification; its sections are cited here.  Hashes are SHA-256 (FIPS 180-4), those under a
key HMAC (RFC 2104).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from parlour.base.errors import ParlourError

if TYPE_CHECKING:
    pass

__all__ = ["FairDeal", "Mixing", "commitment", "new_deal", "pledge"]

SIZE: Final = 32
"""Length of a secret and of a nonce, in bytes."""
BY_POSITION: Final = "by position"
"""The words in a record for chance that is drawn by position (§10)."""
_NAME: Final = b"parlour fair deal 1: "
_BLOCK: Final = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


def keyed(key: bytes, text: bytes) -> bytes:
    """Return HMAC-SHA-256 of a text under a key of at most 64 bytes."""
    return keyed_by(key)(text)


def keyed_by(key: bytes) -> Callable[[bytes], bytes]:
    """Return a function that does the same for one key and any text: the half of the work that depends on the key is
    done only once.

    ``hmac.digest`` releases Python's lock even for a short text.  A busy server's loop would then wait for the lock
    after each hash, for many times as long as the hash takes.

    >>> keyed_by(b"key")(b"text") == hmac.digest(b"key", b"text", "sha256")
    True
    """
    filled = key.ljust(_BLOCK, b"\0")
    within, around = hashlib.sha256(filled.translate(_INNER)), hashlib.sha256(filled.translate(_OUTER))

    def of(text: bytes) -> bytes:
        inner, outer = within.copy(), around.copy()
        inner.update(text)
        outer.update(inner.digest())
        return outer.digest()

    return of


def commitment(secret: bytes) -> str:
    """Return the commitment, which the host publishes first (§1). Raises ``ParlourError`` if the secret is not 32
    bytes.

    >>> commitment(bytes(32))[:16]
    '29d0bc848eb59414'
    """
    return hashlib.sha256(_NAME + b"secret" + _sized(secret, "A secret")).hexdigest()


def pledge(committed: str, nonce: bytes) -> str:
    """Return the pledge, which a player sends before their nonce (§2). Raises ``ParlourError`` if the nonce is not 32
    bytes.

    >>> pledge(commitment(bytes(32)), bytes(32))[:16]
    'bb8575f1964412a9'
    """
    return hashlib.sha256(_NAME + b"pledge" + bytes.fromhex(committed) + _sized(nonce, "A nonce")).hexdigest()


def _sized(number: bytes, what: str) -> bytes:
    if not isinstance(number, bytes):
        raise ParlourError("{what} is a number of bytes, not {number!r}.", what=what, number=number)
    if len(number) != SIZE:
        raise ParlourError("{what} has {size} bytes, not {n}.", what=what, size=SIZE, n=len(number))
    return number


@dataclass(frozen=True, slots=True)
class Mixing:
    """The players' nonces by seat (§2), and the number of chance nodes that came before them.

    >>> fair = new_deal(bytes(32)).mixed(0, {1: bytes(32)})
    >>> fair.mixings == (Mixing(node=0, nonces={1: bytes(32)}),)
    True
    """

    node: int
    nonces: Mapping[int, bytes]


@dataclass(frozen=True, slots=True)
class FairDeal:
    """The public part of a fair deal, and its ``secret`` where it is known: to the host, and to everybody when it is
    over.
    """

    commitment: str
    mixings: tuple[Mixing, ...] = ()
    secret: bytes | None = field(default=None, repr=False)
    by_position: bool = False
    """Whether chance is drawn by position (§10): the same secret then gives the same cards, whatever the players do."""

    def mixed(self, node: int, nonces: Mapping[int, bytes]) -> FairDeal:
        """Return the deal with another mixing before chance node ``node``; without nonces, the same deal. Raises
        ``ParlourError`` if chance is drawn by position, nonces have gone in at this node or later, or one has another
        length than 32 bytes.

        >>> fair = new_deal(bytes(32))
        >>> fair.mixed(0, {1: bytes(32)}).draw(0, [1] * 52) == fair.draw(0, [1] * 52)  # a nonce changes the cards
        False
        """
        if not nonces:
            return self
        if self.by_position:
            raise ParlourError("The same cards are dealt elsewhere too, so no numbers of players go in.")
        if self.mixings and node <= self.mixings[-1].node:
            raise ParlourError("Numbers went in before chance node {node} already.", node=node)
        for nonce in nonces.values():
            _sized(nonce, "A nonce")
        return replace(self, mixings=(*self.mixings, Mixing(node, dict(sorted(nonces.items())))))

    def opened(self, secret: bytes) -> FairDeal:
        """Return the deal with its secret, if it is the one that was committed to (§6). Raises ``ParlourError`` if it
        is not."""
        if not hmac.compare_digest(commitment(secret), self.commitment):
            raise ParlourError("The secret does not match the commitment {commitment}.", commitment=self.commitment)
        return replace(self, secret=secret)

    def key(self, node: int) -> bytes:
        """Return the key for a chance node (§3). Raises ``ParlourError`` if the secret is not known."""
        if self.secret is None:
            raise ParlourError("The secret of this deal has not been revealed.")
        text = _NAME + b"key\n"
        for number, mixing in enumerate(self.mixings, 1):
            if mixing.node <= node:
                lines = [f"mixing {number}", *(f"{seat} {nonce.hex()}" for seat, nonce in mixing.nonces.items())]
                text += "".join(f"{line}\n" for line in lines).encode("ascii")
        return keyed(self.secret, text)

    def draw(self, node: int, weights: Sequence[int]) -> int:
        """Return which of the outcomes with these weights happens at a chance node: its place among them (§4). Raises
        ``ParlourError`` if the secret is not known.

        >>> FairDeal(commitment(bytes(32))).opened(bytes(32)).draw(0, [1, 1, 2])
        0
        """
        total, key = sum(weights), self.key(node)
        for x in _numbers(key, node):
            if x < (1 << 256) - (1 << 256) % total:
                break
        left = x % total
        for place, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return place
        raise AssertionError("the weights add up to their total")

    def draw_by_position(self, deal: int, names: Sequence[str], weights: Sequence[int], offered: Sequence[int]) -> int:
        """Return which of the outcomes with these names and weights happens in a deal (the first is 0): its place among
        them (§10).  ``offered``: how often each could have happened in this deal before. Raises ``ParlourError`` if the
        secret is not known, two outcomes share a name or there is none.

        >>> fair = FairDeal(commitment(bytes(32)), by_position=True).opened(bytes(32))
        >>> fair.draw_by_position(0, ["J", "Q", "K"], [1, 1, 1], [0, 0, 0])
        2
        >>> fair.draw_by_position(0, ["J", "K"], [1, 1], [0, 0])  # the same card, though less could have been drawn
        1
        """
        if len(set(names)) != len(names):
            raise ParlourError(
                "Outcomes of chance share a name ({names}), so they would draw alike: give each its own.",
                names=", ".join(names),
            )
        hashed, best = keyed_by(self.key(0)), (b"", -1)
        for place, (name, weight, times) in enumerate(zip(names, weights, offered, strict=True)):
            text = _NAME + b"position" + _u64(deal) + _u64(times)
            for ticket in range(weight):
                best = max(best, (hashed(text + _u64(ticket) + name.encode()), -place))
        if not best[0]:
            raise ParlourError("Chance has nothing to decide here.")
        return -best[1]


def _numbers(key: bytes, node: int) -> Iterator[int]:
    """Yield numbers of 256 bits for a chance node (§4)."""
    for attempt in range(1 << 32):
        yield int.from_bytes(keyed(key, _NAME + b"chance" + _u64(node) + _u64(attempt)), "big")


def _u64(n: int) -> bytes:
    return n.to_bytes(8, "big")


def new_deal(secret: bytes) -> FairDeal:
    """Return a new deal with its secret, as the host knows it. Raises ``ParlourError`` if the secret is not 32 bytes.

    >>> new_deal(bytes(32)).commitment == commitment(bytes(32))
    True
    """
    return FairDeal(commitment(secret), secret=_sized(secret, "A secret"))
