"""Options that change something only beside others: what a form need not show, and what changes nothing."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import pytest

import parlour
from parlour import ParlourError
from parlour.engine.definition import definition, shelf
from parlour.engine.house_rules import sample_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LONGEST = 600
"""Events of a game that are compared."""
SOMETIMES = [(game, name) for game in shelf() for name, option in definition(game).options.items() if option.when]


def without(game: str, name: str) -> Iterator[dict[str, str]]:
    """Each choice of one other option beside which this one does not apply, as far as it may be played."""
    what = definition(game)
    standard = {other: str(option.default) for other, option in what.options.items()}
    for other, option in what.options.items():
        for word in option.words:
            chosen = {**standard, other: word}
            if other != name and not what.options[name].applies(chosen):
                yield {other: word}


def story(game: str, players: int, seed: int, options: Mapping[str, str]) -> tuple[list[str], list[float]]:
    """Everything that is said in a game of random steps, and what it brings."""
    state = parlour.load(game, players, **options).new(seed=seed)
    lot = random.Random(seed)
    while not state.is_terminal and len(state.ledger.events) < LONGEST:
        who = state.acting[0]
        state.apply(lot.choice(state.legal_actions(who)), who)
    return [str(event) for event in state.events()], [float(one) for one in state.returns()]


def changes_nothing(game: str, name: str, beside: Mapping[str, str], seeds: range, values: slice) -> bool:
    """Check all these games; a combination that is refused is as good as one."""
    players = definition(game).counts(**beside)[0]
    for value, seed in product(sample_values(definition(game).options[name], players)[values], seeds):
        with suppress(ParlourError):
            there = story(game, players, seed, {**beside, name: value})
            assert there == story(game, players, seed, beside), (beside, value)
    return True


@pytest.mark.parametrize(("game", "name"), SOMETIMES)
def test_an_option_that_does_not_apply_changes_nothing(game: str, name: str) -> None:
    beside = next(one for one in without(game, name) if definition(game).counts(**one))
    assert changes_nothing(game, name, beside, range(1), slice(-2, None))


@pytest.mark.long
@pytest.mark.parametrize(("game", "name"), SOMETIMES)
def test_whatever_it_does_not_apply_beside(game: str, name: str) -> None:
    tried = [one for one in without(game, name) if definition(game).counts(**one)]
    assert [changes_nothing(game, name, beside, range(5), slice(None)) for beside in tried]
