"""What a player has known as numbers: the same however a game is played, exact, and something to learn from."""

from __future__ import annotations

import random

import numpy as np
import pytest

import parlour
from parlour.audit import audit
from parlour.engine.definition import definition, games
from parlour.engine.information import Recollection, recollected
from parlour.engine.kernels import logs
from parlour.engine.kernels.logs import DID, HEARD, SAW, WHAT, WHO, WIDTH, A


@pytest.mark.parametrize("name", games())
def test_states_machine_code_and_batches_tell_the_same(name: str) -> None:
    game = parlour.load(name, deals=1) if "deals" in definition(name).options else parlour.load(name)
    batch = game.batch(2, seed=8, information=True)
    along, state, fast = Recollection(game, seed=8), game.new(seed=8), game.new(seed=8, binding="compiled")
    for n in range(40):
        who = state.acting[0]
        assert (batch.information[0] == along.tensor(who)).all()
        assert batch.keys[0].tolist() == [fast.information_key(seat) for seat in range(game.players)]
        if n in (0, 12):
            steps = [(step.player, step.action) for step in state.history]
            for seat, told in enumerate(recollected(game, steps)):
                assert (told == along.tensor(seat)).all()
                assert (told == fast.information_tensor(seat).flat).all()
        actions = batch.sample()
        action = int(actions[0])
        along.copy().take(action, who)  # what is done to a copy changes nothing
        along.take(action, who)
        state.apply(action, who)
        fast.apply(action, who)
        batch.step(actions)
        if batch.done[0]:
            break


def test_a_log_says_what_was_seen_done_and_heard_in_order() -> None:
    game = parlour.load("kuhn")
    state = game.new(seed=1)
    state.apply("bet")
    known = state.information_tensor(0)
    rows = [row for row in known["log"] if row.any()]
    deed = next(i for i, row in enumerate(rows) if row[DID])
    assert rows[deed][WHAT] * 4 == game.action_names.index("bet") + 1
    dealt = [row for row in rows[:deed] if row[HEARD]]
    assert [row[WHO] * 64 for row in dealt] == [1.0]  # of their own card, and no other
    assert "JQK"[round(dealt[0][A] * 64)] == state.observation(0)["hand"][0]
    assert sum(row[SAW] for row in rows[:deed]) > 0
    assert (known["view"] == state.tensor(0).flat).all()
    assert known["observer"].tolist() == [1.0, 0.0]


def test_a_full_log_forgets_its_older_half_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from parlour.engine import information

    game = parlour.load("commit", deals=2)
    monkeypatch.setattr(information, "log_rows", lambda game: 32)
    state, dice = game.new(seed=1), random.Random(1)
    for _ in range(4):
        state.apply(dice.choice(state.legal_actions(state.acting[0])), state.acting[0])
    steps = [(step.player, step.action) for step in state.history]
    told = next(recollected(game, steps))
    forgotten = told[game.players + game.tensor_size]
    rows = told[-32 * WIDTH :].reshape(32, WIDTH)
    assert forgotten > 0
    assert 0 < int(rows.any(axis=1).sum()) <= 32
    assert rows[: int(rows.any(axis=1).sum())].any(axis=1).all()


def test_long_numbers_of_events_take_more_rows_and_keep_their_sign() -> None:
    """Sets of cards are numbers of up to 64 bits."""
    from parlour.engine.interpreted import KeyMatrix, interpreted

    game = parlour.load("kuhn")
    code = interpreted(logs.KERNEL, game.definition)
    for a, b in ((5, 0), (-3, 1), (2**40 + 7, -(2**13)), (2**63 - 1, 4096)):
        memory = KeyMatrix(game.definition, 4)
        memory.append(("KU-1", "bets", -1, 1, a, b))
        rows = np.zeros((1, 2, 20 * WIDTH), np.float32)
        kept = logs.Logs(rows, np.zeros((1, 2, 2), np.int64), None, None, None, np.ones(3))
        code.write_event(game.start(), memory, kept, 0, 0, logs.LISTED)
        used = rows[0, 0].reshape(20, WIDTH)[: int(kept.used[0, 0, 0])]
        values = [sum(int(row[c] * 64) * 4096**k for k, row in enumerate(used)) for c in (logs.A, logs.B)]
        assert values == [a, b]
        assert [row[WHO] for row in used[1:]] == [logs.CONTINUED] * (len(used) - 1)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda told, n: np.append(told[:-100], np.zeros(100, np.float32)) * (np.arange(len(told)) < 20), "another"),
        (lambda told, n: np.append(told[:-1], np.float32(n)), "tells apart"),
    ],
)
def test_the_audit_sees_a_tensor_that_says_too_little_or_too_much(
    spoil: object, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = Recollection.tensor, iter(range(1 << 20))
    monkeypatch.setattr(Recollection, "tensor", lambda self, p: spoil(real(self, p), next(calls)))  # type: ignore[operator]
    found = audit(parlour.load("leduc"), games=2, checks=["tensors"])["tensors"]
    assert found.faults
    assert what in str(found.shortest)
