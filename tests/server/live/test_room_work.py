"""How much a server does for a move: counted, so that a busy machine makes no difference."""

from __future__ import annotations

import hmac
import json
import random
from typing import Any

import pytest

import parlour
from parlour.core.fair_deal import keyed
from parlour.server.common import wire
from parlour.server.live import moves
from parlour.server.live.connection import Audience, Connection
from parlour.server.table.hosting import Hosting
from parlour.server.table.knowledge import Public, SeatKnowledge
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Table
from tests.worlds import opened


def test_a_keyed_hash_is_that_of_the_standard() -> None:
    rng = random.Random(1)
    for size in range(300):
        key, text = rng.randbytes(rng.randint(0, 64)), rng.randbytes(size)
        assert keyed(key, text) == hmac.digest(key, text, "sha256")


def _public(**more: Any) -> Public:
    """What everybody knows of a table at which nothing is unusual."""
    players = [wire.SeatHolder("Guest", "random", True, False)] * 3
    usual: dict[str, Any] = {
        "match": 1, "players": players, "asked": [0], "hushed": False, "over": False, "returns": [], "again": [],
        "host": -1, "allowed": Hosting("", True).allowed, "frozen": "", "closed": "", "held": (),
    }  # fmt: skip
    return Public(**usual | more)


UNUSUAL: list[tuple[dict[str, Any], set[str]]] = [
    ({}, set()), ({"host": 1}, {"host"}), ({"allowed": Hosting("", False).allowed}, {"allowed"}),
    ({"frozen": "a fault"}, {"frozen"}), ({"closed": "nobody was here"}, {"closed"}),
    ({"held": (1.0, -1.0, 0.0)}, {"held", "sheet"}), ({"over": True}, {"sheet"}),
]  # fmt: skip


@pytest.mark.parametrize(("more", "said"), UNUSUAL)
def test_a_telling_holds_what_is_unusual_and_nothing_else_of_that_kind(more: dict[str, Any], said: set[str]) -> None:
    """A host who allows everything need not say so four times at each move."""
    game, rng = parlour.load("commit", deals=2), random.Random(1)
    state = game.new(seed=1)
    while not state.deals:
        state.apply(rng.choice(state.legal_actions()))
    known = SeatKnowledge(game)
    known.see(state, afresh=True)
    known.note(state, _public(**more), ())
    for seat in (0, 2, WATCHER):
        telling = known.telling(seat)
        packet = wire.encode(telling)
        assert wire.decode(packet) == telling
        assert json.loads(packet).keys() & {"host", "allowed", "frozen", "closed", "held", "sheet", "moments"} == said


@pytest.mark.parametrize("steps", [False, True])
def test_a_position_is_kept_for_each_event_only_if_somebody_is_shown_it(steps: bool) -> None:
    table = Table(opened(parlour.load("leduc")))
    table.commit(moves.commit_to(table, bytes(32)))
    table.commit(moves.go_on(table, bytes(32), {}))
    audience = Audience(table)
    for wanted in (False, steps):
        audience.connections[Connection("", steps=wanted)] = None
    assert audience.sees_steps() is steps
    after = moves.act(table, 0, "raise", bytes(32), steps=audience.sees_steps()).after
    assert after is not None
    assert (after.ledger.kept.before(after.game, len(after.ledger.events) - 1, 0) is not None) is steps
