"""How much a server does for a move: counted, so that a busy machine makes no difference."""

from __future__ import annotations

import hmac
import random

import pytest

import parlour
from parlour.fair_deal import keyed


def test_a_keyed_hash_is_that_of_the_standard() -> None:
    rng = random.Random(1)
    for size in range(300):
        key, text = rng.randbytes(rng.randint(0, 64)), rng.randbytes(size)
        assert keyed(key, text) == hmac.digest(key, text, "sha256")


def test_no_hash_of_a_deal_gives_other_threads_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """``hmac.digest`` does, and a busy server then waits for its turn after each."""
    monkeypatch.setattr(hmac, "digest", None)
    state = parlour.load("leduc").new()
    state.fair = parlour.fair_deal.new_deal(bytes(32))
    state.apply(state.fair_outcome())
    parlour.chain.present_link(state, bytes(32))
