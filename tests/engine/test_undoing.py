"""What may be taken back has taught nobody anything: decided from what everybody knew, compared with all worlds."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

import parlour
from parlour import CHANCE, EVERYBODY, ParlourError, State
from parlour.core.taking_back import step_back
from parlour.engine.definition import Definition, definition
from parlour.engine.telling import view
from parlour.engine.undoing import SECRET, Looked, as_known, dealt_fields, dealt_now, teaches_nothing, told_alone
from parlour.games.dividha.position import TRADING
from parlour.rules.vocabulary import SEVERAL
from tests.helpers import GAMES, Planter, everybody, play

PEEKING = """from parlour.rules.vocabulary import tell

show, told_own = by_thing(THINGS)


def show_own(s, me, to):
    told_own(s, me, to)
    if me == 1 and s.paid[0] == 2 and s.stage == BETTING:
        tell(to, "hand", 0, s.hand[0])
"""
"""The end of a game's rules: whoever faces a bet is told the other's card."""


def every_state(game: parlour.Game) -> list[State]:
    """All states of a small game in which somebody is to act."""
    found, todo = [], [game.new()]
    while todo:
        state = todo.pop()
        if state.acting:
            found.append(state)
        outcomes = [k for k, _ in state.chance_outcomes()] or state.legal_actions()
        for a in outcomes:
            after = state.clone()
            after.apply(a)
            todo.append(after)
    return found


def noticed(state: State, a: int, observer: int) -> Any:
    """What an observer notices of an action, with who may act after it."""
    s, heard = state.position.copy(), list[Any]()
    who = state.acting[0]
    if a not in state.legal_actions(who):
        return None
    state.game.definition.step(s, who, a, heard)
    audible = [event for event in heard if event[2] in (EVERYBODY, observer)]
    return audible, state.game.definition.rules.actor(s), view(state.game, s, observer).items


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_it_is_what_a_comparison_of_all_worlds_finds(name: str) -> None:
    """In every state of a game of which all worlds can be listed: taking back is allowed exactly if no player could
    have noticed anything else in any world that looks the same to them."""
    game = parlour.load(name)
    states = every_state(game)
    if name == "leduc":
        states = [state for state in states if len(state.history) < 7]
    alike: dict[tuple[int, Any], list[State]] = {}
    for state in states:
        for q in range(game.players):
            alike.setdefault((q, state.view(q).items), []).append(state)
    for state in states[:: 1 if name == "kuhn" else 7]:
        for a in state.legal_actions():
            taught = any(
                noticed(world, a, q) != noticed(state, a, q)
                for q in range(game.players)
                for world in alike[q, state.view(q).items]
            )
            assert teaches_nothing(game, state.position, state.acting[0], a) == (not taught)


def test_a_showdown_is_not_taken_back() -> None:
    """The dealer stops, sees the hands, and would like to go on (DB-32).  The next deal waits for chance."""
    state = parlour.load("diamondback", first_dealer=0).new()
    for card in ("King", "Priest", "Queen", "Priest"):
        state.apply(card)
    for step in ("wager 5", "match", "expose Queen", "expose Priest", "wager 3", "match"):
        state.apply(step)
        if not step.startswith("expose"):
            assert parlour.undo(state).name == step
            state.apply(step)
    state.apply("stop")
    with pytest.raises(parlour.ParlourError, match="take that back: it has shown something"):
        parlour.undo(state)


def test_the_end_of_a_game_is_not_taken_back() -> None:
    """Not even if it has shown nothing: after a fold in Kuhn the cards stay hidden."""
    state = parlour.load("kuhn").new(seed=1)
    state.apply("bet")
    before, fold = state.position.copy(), state.game.find_action("pass")
    state.apply("pass")
    assert state.is_terminal
    assert teaches_nothing(state.game, before, 1, fold)
    with pytest.raises(ParlourError, match="take that back: it has shown"):
        parlour.undo(state)
    assert state.is_terminal


def follows_for(game: parlour.Game, s: Any, who: int, a: int, observer: int) -> bool:
    """Whether all that an observer is told of a step follows from what they know, found for this one alone."""
    rules, acts, heard, told = game.definition.rules, [0] * game.action_count, list[Any](), list[Any]()
    known = as_known(game, view(game, s, observer), dealt_now(game, s))
    try:
        if a not in acts[: rules.legal(known, who, acts)]:
            return False
        game.definition.step(known, who, a, heard)
        if rules.actor(known) == SEVERAL:
            rules.acting(known)
        rules.show(known, told)
        if observer != EVERYBODY:
            rules.show_own(known, observer, told)
    except Looked:
        return False
    if any(event[2] is SECRET for event in heard):
        return False
    told += [event for event in heard if event[2] in (EVERYBODY, observer)]
    return not any(value is SECRET for entry in told for value in entry)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_found_once_for_all_is_what_is_found_for_each(name: str) -> None:
    """What spectators are told of a step is not worked out again for players, who know more."""
    secretly = {"stake_visibility": "secret"} if name == "matrimony" else {}
    for game in (parlour.load(name), parlour.load(name, None, **secretly)):
        for state in itertools.islice(play(game.new(), 5, 400), 100):
            for who in state.acting:
                for a in state.legal_actions(who)[:: 1 + len(state.legal_actions(who)) // 3]:
                    each = (follows_for(state.game, state.position, who, a, q) for q in everybody(state))
                    assert teaches_nothing(state.game, state.position, who, a) == all(each)


def test_what_one_player_alone_would_be_told_is_not_taken_back(plant: Planter) -> None:
    """Spectators and the other player learn nothing from it."""
    game = plant("peeking", ("show, show_own = by_thing(THINGS)", PEEKING))
    state = game.new(seed=1)
    bet, checks = (game.find_action(name) for name in ("bet", "pass"))
    assert [follows_for(game, state.position, 0, bet, q) for q in everybody(state)] == [True, True, False]
    assert not teaches_nothing(game, state.position, 0, bet)
    assert teaches_nothing(game, state.position, 0, checks)


def test_in_the_open_everything_but_chance_is_taken_back() -> None:
    state = parlour.load("diamonds", first_dealer=0).new(seed=1)
    taken = 0
    for _ in itertools.takewhile(lambda _: not state.is_terminal, range(60)):
        nodes, a = state.ledger.nodes, state.legal_actions()[-1]
        state.apply(a)
        if state.ledger.nodes == nodes and not state.is_terminal:
            parlour.undo(state)
            state.apply(a)
            taken += 1
    assert taken


def test_nothing_can_depend_on_a_secret() -> None:
    places = [SECRET, 0]
    places[1] = places[0]
    assert places[1] is SECRET
    reckoned = (
        *(SECRET + 1, 1 - SECRET, SECRET << 2, 1 << SECRET, ~SECRET, SECRET & 3, 3 * SECRET),
        *(SECRET == 1, SECRET < 1, SECRET / 2, 2**SECRET),
    )
    assert all(one is SECRET for one in reckoned)
    assert [SECRET & 0, 0 * SECRET] == [0, 0]
    worked_with = (lambda x: (1, 2)[x], lambda x: min(x, 3), lambda x: x in (1, 2), lambda x: divmod(x, 2))
    looks: list[Any] = [bool, int, hash, len, list, range, round, *worked_with]
    for look in looks:
        with pytest.raises(Looked):
            look(SECRET)


def test_what_somebody_may_have_chosen_alone_is_secret_even_if_it_is_nothing() -> None:
    """No redeal writes the cards about to be traded; whoever trades knows them, and nobody else knows that there are
    none."""
    looked = 0
    for state in play(parlour.load("dividha").new(seed=1), 1, 400):
        if not state.acting or state.position.stage != TRADING:
            continue
        looked += 1
        me = state.acting[0]
        for p in range(state.game.players):
            known = as_known(state.game, state.view(p), dealt_now(state.game, state.position))
            assert known.picked == state.position.picked if p == me else known.picked is SECRET
    assert looked


def test_what_is_open_is_known_though_some_house_rule_hides_it() -> None:
    """Stakes on the layout are told alone under stake_visibility=secret only; an untold one is 0 for everybody."""
    for state in itertools.islice(play(parlour.load("matrimony").new(seed=1), 1, 300), 60):
        if state.acting:
            for p in (EVERYBODY, *range(state.game.players)):
                dealt = dealt_now(state.game, state.position)
                assert as_known(state.game, state.view(p), dealt).matrimony == state.position.matrimony


def test_a_list_that_is_handed_on_in_any_way_is_written(plant: Planter) -> None:
    before = "            s.hand[p] = draw(rng, chance(s)) + 1"
    for k, (line, after) in enumerate(
        (
            ("hands = s.hand; hands[p] = {}", ""),
            ("fill(hands=s.hand, p=p, card={})", "def fill(hands, p, card):\n    hands[p] = card"),
            ("FILL[0](s, p, {})", "def fill(s, p, card):\n    s.hand[p] = card\n\n\nFILL = (fill,)"),
            ("call(FILL, s, p, {})", "FILL = lambda s, p, card: put(s, p, card)\n\n\n"
                "def put(s, p, card):\n    s.hand[p] = card\n\n\ndef call(f, s, p, card):\n    f(s, p, card)"),
            ("fill(s, p, {})", "def made(put):\n    def fill(s, p, card):\n        put(s, p, card)\n    return fill\n\n"
                "\ndef put(s, p, card):\n    s.hand[p] = card\n\n\nfill = made(put)"),
        )
    ):  # fmt: skip
        game = plant(f"handing{k}", (before, f"            {line.format('draw(rng, chance(s)) + 1')}"),
            ("\ndef action_names", f"{after}\n\n\ndef action_names"))  # fmt: skip
        assert dealt_fields(game.definition) == {"hand"}, line


@pytest.mark.parametrize(
    ("name", "line", "after", "named"),
    [
        ("by_name", "setattr(s, 'hand', [1, 2])", "", "setattr"),
        ("method", "s.fill(p)", "", "s.fill"),
        ("insides", "s.__dict__['hand'] = 1", "", "s.__dict__"),
        ("printing", "FILL(s)", "FILL = {'x': [print]}['x'][0]", "FILL"),
        ("loading", "import math", "", "import"),
        ("a_class", "TABLE[0](s)", "class Fill:\n    pass\n\n\nTABLE = (Fill,)", "TABLE"),
    ],
)
def test_what_cannot_be_followed_is_refused(plant: Planter, name: str, line: str, after: str, named: str) -> None:
    """Nothing is taken back then; the sentence is the author's."""
    dealing = "            s.hand[p] = draw("
    game = plant(
        f"opaque_{name}",
        (dealing, f"            if s.hand[p] > 9:\n                {line}\n{dealing}"),
        ("\ndef action_names", f"{after}\n\n\ndef action_names"),
    )  # fmt: skip
    state = game.new(seed=1)
    state.apply("bet")
    with pytest.raises(
        ParlourError, match=rf"opaque_{name}\.rules\.redeal uses {re.escape(named)}, which cannot be followed"
    ):
        parlour.undo(state)
    assert len(state.history) == 3


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_followed(name: str) -> None:
    what = definition(name)
    assert dealt_fields(what) <= what.fields.keys()
    assert dealt_fields(what) or what.hides_nothing
    assert told_alone(what) <= what.fields.keys()


@pytest.mark.parametrize("name", GAMES)
def test_every_moment_is_the_same_however_it_is_found(name: str) -> None:
    """Played on from the last chance, or from the beginning: positions, events, deals, and what is done next."""
    steps_looked_at = chances_looked_at = 0
    for state in play(parlour.load(name).new(), 3, 400):
        mark, n, whole = state.ledger.kept.mark, len(state.history), state.clone()
        whole.ledger.kept.mark = None
        if n and state.history[-1].player != CHANCE and not state.is_sealed and n % 3 == 0:
            steps_looked_at += 1
            quick, slow = state.at(n - 1), whole.at(n - 1)
            assert quick.position == slow.position
            assert (quick.history, quick.deals, quick.ledger.nodes) == (slow.history, slow.deals, slow.ledger.nodes)
            assert sorted(map(str, quick.events(None))) == sorted(map(str, slow.events(None)))  # answers at once
            assert quick.is_sealed == slow.is_sealed
            back = state.clone()
            step_back(back)
            assert (back.position, back.log) == (slow.position, [*state.log, None])
            again = back.clone()
            again.apply(state.history[-1].action, state.history[-1].player)
            assert (again.position, again.history) == (state.position, state.history)
        elif mark is not None and state.history[-1].player == CHANCE and mark.steps + 1 < n and chances_looked_at < 21:
            chances_looked_at += 1
            for steps in {mark.steps - 1, mark.steps, mark.steps + 1, n} - {-1}:
                quick, slow = state.at(steps), whole.at(steps)
                assert quick == slow
                assert (quick.log, quick.deals, quick.ledger.nodes) == (slow.log, slow.deals, slow.ledger.nodes)
                assert (quick.seed, quick.ledger.notes) == (slow.seed, slow.ledger.notes)
                assert len(quick.ledger.events) == len(slow.ledger.events)
                assert quick.ledger.kept.ends == slow.ledger.kept.ends
    assert steps_looked_at
    assert chances_looked_at or name == "kuhn"  # its chance is all at the beginning


def test_taking_back_does_not_replay_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long match that would hold up everybody at a server, as often as somebody likes."""
    state, taken, done = parlour.load("newmarket", 3, first_dealer=0).new(seed=1), 0, 0
    step = Definition.step

    def counted(*given: Any) -> Any:
        nonlocal taken
        taken += 1
        return step(*given)

    monkeypatch.setattr(Definition, "step", counted)
    while not state.is_terminal:
        legal = state.legal_actions()
        state.apply(legal[0])
        if state.history[-1].player != CHANCE:
            players = (one.player != CHANCE for one in reversed(state.history))
            taken, since = 0, sum(1 for _ in itertools.takewhile(bool, players))
            step_back(state)
            assert taken < since
            state.apply(legal[-1])
            done += 1
    assert done > 50
