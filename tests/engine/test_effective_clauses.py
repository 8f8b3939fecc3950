"""A clause is told as it stands under the house rules chosen, wherever one is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import parlour
from parlour import IllegalAction, State
from parlour.core.refusals import bounds_of, refused_in_words
from parlour.engine.definition import definition
from parlour.engine.effective_clauses import changing, in_force
from parlour.engine.typed_actions import beyond
from tests.helpers import GAMES, Setting, few_settings, one_by_one, play, there

OF_THEIR_OWN = {
    ("diamondback", "version", "DB-69"): "it stands among the rules of Dealer's Diamondback",
    ("diamondback", "version", "DB-93"): "it says itself in which version the dealer may fold",
}
"""Clauses cited under a value of an option that do not read differently, and why."""
MOMENTS = pytest.mark.parametrize("moments", [15, pytest.param(90, marks=pytest.mark.long)])
"""Of a game, at which all refusals are looked at."""


def chosen(game: str) -> list[Setting]:
    """Settings that have one value each that is not the ordinary one (with what it needs), at the smallest tables."""
    found = one_by_one(game)
    fewest = min((one.players for one in found), default=0)
    tables: dict[Any, Setting] = {}
    for one in found:
        if one.players == fewest or one.options not in tables:
            tables[one.options] = one
    return list(tables.values())


def refused(state: State) -> Iterator[IllegalAction]:
    """What players are refused at this moment: each clause once for each of them."""
    refuse = state.game.definition.rules.refuse
    for p in state.acting:
        forbidden = {*range(state.game.action_count)} - {*state.legal_actions(p)}
        for a in {refuse(state.position, p, a): a for a in forbidden}.values():
            yield there(state.refusal(a, p))


def only_here(state: State, option: str, p: int) -> set[int]:
    """The actions that a player could choose at this moment if an option were as it ordinarily is, and cannot."""
    game = state.game
    other = state.position.copy()
    setattr(other, option, ordinary(game)._house_rules[option])
    if ordinary(game).action_names != game.action_names:
        return set()  # other ids
    acts = [0] * (game.action_count + 64)
    may = acts[: game.definition.rules.legal(other, p, acts)]
    return set(may) - set(state.legal_actions(p))


def ordinary(game: parlour.Game) -> parlour.Game:
    """The same game without house rules (for another number of players, if it needs them)."""
    what = game.definition
    return parlour.load(game.id, game.players if game.players in what.counts() else None)


@pytest.mark.parametrize("game", GAMES)
@MOMENTS
def test_what_an_option_forbids_is_refused_by_a_clause_that_it_changes(game: str, moments: int) -> None:
    """In the same position the action would be allowed under the ordinary rule, so the ordinary clause cannot be why
    it is refused: the clause must say what was chosen."""
    wrong, looked = dict[Any, str](), 0
    for setting in chosen(game):
        for state in play(setting.load().new(), 5, moments):
            for option, _ in setting.options:
                for p in state.acting:
                    for a in only_here(state, option, p):
                        looked += 1
                        clause = str(state.game.definition.rules.refuse(state.position, p, a))
                        tells = option in changing(state.game, definition(game).book[clause])
                        if not tells and (game, option, clause) not in OF_THEIR_OWN:
                            name = state.game.action_names[a]
                            wrong[option, clause] = f"{setting}: {name!r} is refused by {clause}"
    assert not wrong, "\n".join(wrong.values())
    assert looked or moments < 90 or game not in {"diamondback", "diamonds", "dividha", "hearts", "pope_joan"}


@pytest.mark.parametrize("game", GAMES)
@MOMENTS
def test_refusals_say_what_was_chosen(game: str, moments: int) -> None:
    """Each refusal names the options that change its clause and are not as usual, with what they say; and no other."""
    for setting in chosen(game):
        for state in play(setting.load().new(), 6, moments // 3):
            for refusal in refused(state):
                clause, options = definition(game).book[refusal.clause], state.game.options
                said = {name: f"({name}: {options[name]})".replace("_", " ") for name in options}
                told = {name for name in options if said[name] in str(refusal)}
                plainly = {name for name in options if f"`{name}={options[name]}`" in clause.text}
                assert told == set(changing(state.game, clause)) - plainly, f"{setting}: {refusal}"
                assert "(option" not in str(refusal), str(refusal)


@pytest.mark.parametrize("game", GAMES)
def test_every_clause_of_every_setting_is_told_whole(game: str) -> None:
    for setting in few_settings(game):
        loaded = setting.load()
        for clause in definition(game).book.clauses.values():
            text = in_force(loaded, clause)
            assert "(option `" not in text, f"{setting}: {text}"
            assert text.count("(") == text.count(")"), f"{setting}: {text}"
            assert loaded.clause(clause.id).text == text


def test_what_pope_joan_says_of_a_lead() -> None:
    state = parlour.load("pope_joan", lead_rule="lowest", first_dealer=0).new(seed=3)
    (leader,) = state.acting
    mine = [state.game.find_action(f"lead {card}") for card in state.observation(leader)["hand"][leader]]
    higher = next(a for a in mine if a not in state.legal_actions())
    with pytest.raises(IllegalAction, match=r"House rule .lead rule: lowest.: The leader chooses a suit") as no:
        state.apply(higher)
    told = refused_in_words(state.game, str(no.value), str)
    assert told.index("chooses a suit") < told.index("may lead any card"), "the rule in force comes first"
    assert "`" not in told


@pytest.mark.parametrize(
    ("game", "options", "clause"),
    [("newmarket", {"stakes": "saratoga"}, "PJ-94"), ("pope_joan", {"lead_rule": "lowest"}, "PJ-9")],
)
def test_rules_now_say_which_cards_may_be_led(game: str, options: dict[str, str], clause: str) -> None:
    state = parlour.load(game, None, first_dealer=0, **options).new(seed=4)
    while not any(name.startswith("lead") for name in map(state.name_of, state.legal_actions())):
        state.apply(state.legal_actions(state.acting[0])[0], state.acting[0])
    (me,) = state.acting
    assert clause in bounds_of(state.game, state.legal_actions(), state.view(me))


@pytest.mark.parametrize(
    ("game", "options", "line", "clause", "only"),
    [
        ("diamondback", {}, "wager 0", "DB-38", "1 to 10"),
        ("diamondback", {}, "Wager  0011", "DB-38", "1 to 10"),
        ("diamondback", {"version": "dealers"}, "ante 0", "DB-64", "1 to 10"),
        ("diamondback", {"wager_limit": 5}, "wager 6", "DB-38", "1 to 5"),
        ("newmarket", {}, "take 3", "PJ-92", "4 to 20"),
        ("matrimony", {}, "take 9999", "MA-21", "2 to 100"),
        ("dividha", {}, "raise 0", "DV-68", "1 to 4"),
    ],
)
def test_an_amount_out_of_range_gets_the_clause_and_the_range(
    game: str, options: dict[str, Any], line: str, clause: str, only: str
) -> None:
    state = parlour.load(game, **options).new(seed=1)
    for refusal in (state.refusal(line), beyond(state, line, state.current_player)):
        assert refusal is not None
        assert refusal.clause == clause
        assert f"is not allowed now, only {only}: " in str(refusal)
    before = len(state.history)
    with pytest.raises(IllegalAction, match=rf"\({clause}\)"):
        state.apply(line)
    assert len(state.history) == before


@pytest.mark.parametrize("line", ["wager", "wager x", "bet 5", "wager 5", "wager -1", "wager " + "9" * 100, "5"])
def test_what_names_no_amount_is_no_amount_out_of_range(line: str) -> None:
    state = parlour.load("diamondback").new(seed=1)
    assert beyond(state, line, state.current_player) is None


@pytest.mark.parametrize("game", ["diamondback", "diamonds", "dividha", "matrimony", "newmarket"])
def test_every_amount_that_is_far_too_high_is_refused_by_a_clause(game: str) -> None:
    """Whoever names it, in turn or not."""
    for state in play(parlour.load(game).new(), 7, 90):
        if state.is_terminal or state.current_player < 0:
            continue
        kinds = {name.rpartition(" ")[0] for name in state.game.action_names if name.rpartition(" ")[2].isdecimal()}
        for kind in kinds:
            for p in range(state.game.players):
                refusal = there(state.refusal(f"{kind} 9999", p))
                assert state.game.clause(refusal.clause).text in str(refusal)
