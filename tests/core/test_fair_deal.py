"""Deals that can be checked: what follows from a secret and the players' numbers, and what a verifier notices."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import pytest

import parlour
from parlour import CHANCE, BadRecord, ParlourError
from parlour.core.fair_deal import FairDeal, commitment, new_deal, pledge
from parlour.core.ledger import fair_outcome
from parlour.core.verifying import verify
from tests.core import fair_by_hand
from tests.helpers import GAMES, Says, there

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))


def dealt_fairly(game: str, seed: int = 0, steps: int = 200, secret: bytes = SECRET) -> parlour.State:
    """A game at random over a fair deal; a player puts a number in at the start, another at each later deal."""
    choose = random.Random(seed)
    state = parlour.load(game).new()
    state.ledger.fair = new_deal(secret).mixed(0, {0: choose.randbytes(32)})
    deals = 0
    for _ in range(steps):
        if state.is_terminal:
            break
        if state.current_player == CHANCE:
            if len(state.deals) > deals:
                deals = len(state.deals)
                state.ledger.fair = state.ledger.fair.mixed(state.ledger.nodes, {1: choose.randbytes(32)})
            state.apply(fair_outcome(state))
        else:
            who = choose.choice(state.acting)
            state.apply(choose.choice(state.legal_actions(who)), who)
    return state


def test_fixed_vectors() -> None:
    """Whoever writes another verifier may begin with these."""
    assert commitment(SECRET) == "f4adefce5e0882ba1cbb13a230cceb3f4c2c2dd2b6dc222d881f47af73bcae01"
    assert pledge(commitment(SECRET), OTHER) == "7c9f151f9454745dc8a3aa19682c867097f30f821b27919c6d52bacef68fd8b8"
    deal = new_deal(SECRET)
    assert deal.key(0).hex() == "a23703258f4630d3a071fdad4a7fe231881aa0f0091ce7541c89e1773c3d0c56"
    deal = deal.mixed(3, {2: OTHER, 0: SECRET})
    assert deal.key(2) == new_deal(SECRET).key(0)
    assert deal.key(3).hex() == "d39863ddc28fec3fc3c9efb7d8421b91b5deca3dc2a775921e196a2a551a728e"
    assert [deal.draw(node, [1, 2, 3, 4]) for node in range(12)] == [3, 3, 3, 3, 1, 0, 3, 3, 1, 2, 0, 1]


def test_each_outcome_is_as_likely_as_its_weight() -> None:
    deal, weights = new_deal(SECRET), [1, 0, 5, 10, 84]
    counted = [0] * 5
    for node in range(20_000):
        counted[deal.draw(node, weights)] += 1
    for weight, count in zip(weights, counted, strict=True):
        assert abs(count - 200 * weight) <= 5 * (200 * weight) ** 0.5


@pytest.mark.parametrize("game", GAMES)
def test_a_fair_game_is_verified(game: str) -> None:
    """By another program, too."""
    state = dealt_fairly(game)
    record = state.record()
    verdict = verify(record)
    assert verdict.is_fair
    assert verdict.nodes == state.ledger.nodes > 0
    assert verdict.contributed[0] == 1
    again = parlour.replay(record)
    assert again.record() == record
    assert again.history == state.history
    found = fair_by_hand.cards(record)
    assert found
    assert all(happened == follows for happened, follows in found)


def test_every_changed_card_is_noticed() -> None:
    state = dealt_fairly("leduc", 2)
    lines = state.record().split("\n")
    changed = 0
    for i, line in enumerate(lines):
        if line.startswith("chance: "):
            for other in ("J1", "J2", "Q1", "Q2", "K1", "K2", "J", "Q", "K"):
                forged = "\n".join([*lines[:i], f"chance: {other}", *lines[i + 1 :]])
                try:
                    verdict = verify(forged)
                except ParlourError:
                    continue  # no such card, or the game would have gone otherwise
                changed += line != f"chance: {other}"
                assert verdict.is_fair == (line == f"chance: {other}")
    assert changed


WRITTEN = (r"(players: )(\d+)", r"(option \w+: )(\d+)", r"(rules: )(\d+)", r"(mix: )(\d)", r"(\n)(\d)(?=: )")
"""Where numbers stand in a record."""


def test_numbers_of_a_record_can_be_written_in_one_way_only() -> None:
    record = dealt_fairly("dividha", 1).record()
    for otherwise, line in product(("0{}", "+{}", " {}_0", "{}.0", "\N{ARABIC-INDIC DIGIT ONE}"), WRITTEN):
        changed = re.sub(line, lambda found: found[1] + otherwise.format(found[2]), record, count=1)  # noqa: B023
        assert changed != record
        with pytest.raises(BadRecord):
            parlour.replay(changed)


def test_a_line_about_a_seat_stands_before_the_numbers_that_follow_it() -> None:
    """The order of both is bound: who sat down before the numbers were mixed had a hand in them."""
    record = dealt_fairly("leduc", 2).record()
    line = next(line for line in record.splitlines() if line.startswith("mix: "))
    sat = "sat: 1 guest Ann"
    parlour.replay(record.replace(line, f"{sat}\n{line}"))
    with pytest.raises(BadRecord, match="must stand before 'mix:'"):
        parlour.replay(record.replace(line, f"{line}\n{sat}"))


def test_a_secret_that_was_not_committed_to() -> None:
    record = dealt_fairly("kuhn", 3).record()
    assert not verify(record.replace(SECRET.hex(), OTHER.hex())).fits


def test_a_deal_in_progress_is_not_verified_and_a_player_keeps_its_commitment() -> None:
    state = dealt_fairly("leduc", 5, 5)
    kept = state.record(0)
    assert f"commitment: {commitment(SECRET)}" in kept
    assert not re.search(f"mix:|{SECRET.hex()}", kept)
    fair = there(state.ledger.fair)
    state.ledger.fair = FairDeal(fair.commitment, fair.mixings)
    with pytest.raises(ParlourError, match="The record does not contain the secret"):
        verify(state.record())
    with pytest.raises(ParlourError, match="has no commitment"):
        verify(parlour.load("kuhn").new(seed=1).record())


def test_sizes() -> None:
    with pytest.raises(ParlourError, match="A secret has 32 bytes, not 3"):
        new_deal(b"abc")
    with pytest.raises(ParlourError, match="A nonce has 32 bytes, not 4"):
        new_deal(SECRET).mixed(0, {0: b"abcd"})
    with pytest.raises(ParlourError, match="Numbers went in before chance node 2 already"):
        new_deal(SECRET).mixed(2, {0: SECRET}).mixed(2, {1: SECRET})
    with pytest.raises(ParlourError, match="The secret does not match the commitment"):
        new_deal(SECRET).opened(OTHER)


def test_the_command(tmp_path: Path, says: Says) -> None:
    file, record = tmp_path / "match.parlour", dealt_fairly("kuhn", 6).record()
    file.write_text(record)
    code, out, _ = says(f"verify {file}")
    assert (code, out.splitlines()) == (0, [
        "The secret fits the commitment.",
        "All 2 cards and other chances fell as the secret and the players' numbers say.",
        "Seat 0 put a number in.",
        "The record carries no chain, so nothing shows whether its moves and names were changed.",
    ])  # fmt: skip
    cards = [line for line in record.split("\n") if line.startswith("chance")]
    other = next(f"chance: {c}" for c in "JQK" if f"chance: {c}" not in cards)
    file.write_text(record.replace(cards[0], other).partition("returns")[0] + f"secret: {SECRET.hex()}\n")
    code, out, _ = says(f"verify {file}")
    told = f"happened, but the secret and the players' numbers give {cards[0][8:]!r}."
    assert (code, told in out) == (1, True)
