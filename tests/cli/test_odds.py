"""`parlour odds`: every figure against counting out by other means, what a seat may know, and what people type."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from fractions import Fraction
from math import comb, prod
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

import parlour
from parlour import CHANCE, ParlourError, State
from parlour.engine.definition import definition, games
from parlour.engine.odds import OddsRow, OddsTable, odds
from parlour.engine.positions import as_dict
from parlour.games.diamonds import endings
from parlour.games.diamonds import position as diamonds
from parlour.games.dividha import odds as dividha_odds
from parlour.rules.bounds import bounds_of
from parlour.rules.stops import odds as stops_odds
from tests.helpers import Says, assert_one_sentence, play, the_rest_long, there

DOCS = Path(__file__).parents[2] / "docs"
HANDS = {  # Table 2 of the rules
    "Magician-Priestess": 70, "Priestess-Priestess": 65, "Magician-Queen": 60, "Magician-King": 55,
    "Priestess-King": 50, "Priestess-Queen": 45, "Priestess-Priest": 40, "Queen-King": 35, "Magician-Priest": 30,
    "Queen-Queen": 25, "King-King": 20, "Queen-Priest": 15, "King-Priest": 10, "Priest-Priest": 5,
}  # fmt: skip
CARDS = ("Magician", "Priestess", "Queen", "King", "Priest")
DECKS = {n: Counter(dict(zip(CARDS, deck, strict=True))) for n, deck in ((2, (1, 2, 3, 4, 5)), (3, (1, 4, 6, 8, 10)))}


def rows(table: OddsTable) -> dict[str, tuple[Fraction | None, ...]]:
    return {row.label: row.chances for row in table.rows}


def ask(game: str, players: int, **given: str) -> list[OddsTable]:
    view = parlour.load(game, players).new().view()
    return odds(view, None, {name: tuple(text.split(",")) for name, text in given.items()})


Deals = list[tuple[int, list[int]]]


def dealt(stock: Counter[str], known: list[str]) -> Deals:
    """All deals in which hands have the cards that are known of them: in how many ways they come, and their points."""
    if not known:
        return [(1, [])]
    has, found = Counter(known[0].split("-") if known[0] else ()), Deals()
    for name, points in HANDS.items():
        hand = Counter(name.split("-"))
        ways = prod(comb(stock[card], n) for card, n in hand.items())
        if ways and has <= hand:
            found += [(ways * more, [points, *others]) for more, others in dealt(stock - hand, known[1:])]
    return found


def shares(deals: Deals, me: int, live: list[int]) -> tuple[Fraction | None, ...]:
    """In how many of these deals a hand is better than the others that are live, as good, and worse."""
    met = Counter[int]()
    for ways, points in deals:
        best = max(points[p] for p in live if p != me)
        met[(points[me] > best) - (points[me] < best)] += ways
    return tuple(Fraction(met[how], met.total()) if met else None for how in (1, 0, -1))


@pytest.mark.parametrize(
    ("players", "hand", "exposed", "folded"),
    [
        *((2, "", card, "") for card in ("", *CARDS)),
        (3, "Queen-King", "King,Priest", ""),
        (3, "Priestess-Priest", "King", "Priest"),
        (3, "Priest-Priest", "Priest", "none"),
        (3, "Queen-Queen", "", "Queen"),
        (3, "Queen-King", "", ""),
    ],
)
def test_hands_are_held_and_win_as_often_as_the_cards_can_lie_so(
    players: int, hand: str, exposed: str, folded: str
) -> None:
    given = {"hand": hand.lower(), "exposed": exposed, "folded": folded}
    (table,) = ask("diamondback", players, **{name: text for name, text in given.items() if text})
    up, gone = ([card.removesuffix("none") for card in text.split(",") if text] for text in (exposed, folded))
    up += [""] * (players - 1 - len(up) - len(gone))
    deals = dealt(DECKS[players], [hand, *up, *gone])
    assert [*rows(table)] == ([hand] if hand else sorted(HANDS, key=HANDS.__getitem__, reverse=True))
    for label, (held, *chances) in rows(table).items():
        with_it = [(ways, points) for ways, points in deals if points[0] == HANDS[label]]
        assert hand or held == Fraction(sum(ways for ways, _ in with_it), sum(ways for ways, _ in deals))
        assert tuple(chances) == shares(with_it, 0, [*range(1 + len(up))])


def in_a_hand(dealt: str, *acts: str) -> State:
    """A hand of Diamondback in which seat 0 deals; the cards are dealt as listed, from the dealer's left."""
    state = parlour.load("diamondback", len(dealt.split()) // 2, first_dealer=0).new()
    for step in (*dealt.split(), *acts):
        state.apply(step)
    return state


OPENED = ("wager 2", "match", "expose King", "expose Queen")


@pytest.mark.parametrize(
    ("seat", "known"),
    [(-1, "King King Queen"), (0, "Priestess-King King Queen"), (1, "King King-Priest Queen")],
)
def test_everybody_reckons_with_what_they_know(seat: int, known: str) -> None:
    """A spectator, a player, and one who has folded."""
    shown = ("wager 2", "match", "match", "expose King", "expose Queen", "expose King", "wager 2", "fold")
    state = in_a_hand("King Queen King Priest King Priestess", *shown)  # to seats 1, 2 and 0, twice round
    hands = known.split()
    deals, said = dealt(DECKS[3], hands), [hand if "-" in hand else f"{hand} and another" for hand in hands]
    assert rows(odds(state.view(seat), ["Anna", "Ben", "Cleo"])[0]) == {
        f"Anna: {said[0]}": shares(deals, 0, [0, 2]),
        f"Cleo: {said[2]}": shares(deals, 2, [0, 2]),
    }


def test_between_hands_and_after_the_last() -> None:
    """Before cards are dealt the odds are those of the next hand; after the match there are none."""
    state = in_a_hand("King Queen Priest Queen", "fold")
    assert odds(state.view(0)) == ask("diamondback", 2)
    over = parlour.load("diamondback", first_dealer=0, deals=1).new(seed=1)
    over.apply("fold")
    with pytest.raises(ParlourError, match="nothing is left to chance"):
        odds(over.view(0))


def test_what_is_no_view_or_no_game_is_named() -> None:
    given: Any = parlour.load("dividha").new(seed=1)
    with pytest.raises(ParlourError, match=r"is not a view, as state\.view\(\.\.\.\) returns it"):
        odds(given)
    with pytest.raises(ParlourError, match=r"'kuhn' is not a game, as parlour\.load\(\.\.\.\) returns it"):
        bounds_of("kuhn")  # type: ignore[arg-type]


PACK = ("D2", "D5", "DA", "X1", "H3", "CK", "S5", "SJ", "C2")  # all that nobody has seen
START = {0: (4, ""), 1: (3, "H4"), 2: (4, "S8")}
CLOSED = {0: (4, "HA"), 1: (4, "S8"), 2: (4, "CA")}  # every top is face up


def table_of(piles: dict[int, tuple[int, str]], spade: str, found: str = "", players: int = 2, **options: Any) -> State:
    """Seat 0 to begin a turn with this spade and these diamonds: piles with this many cards and the top face up."""
    game = parlour.load("diamonds", players, first_dealer=0, **options)
    s, cards = game.start(), list(diamonds.CARDS)
    s.unseen = sum(1 << cards.index(card) for card in PACK)
    for i in range(9):
        s.height[i], top = piles.get(i, (0, ""))
        s.face[i], s.top[i] = (diamonds.DOWN if s.height[i] else diamonds.EMPTY), 0
        if top:
            diamonds.lay(s, i, cards.index(top))
    s.spade[0] = diamonds.rank(cards.index(spade)) if spade else 0
    s.diamonds[0] = sum(1 << cards.index(card) - diamonds.DIAMONDS for card in found.split())
    mine = {spade, *found.split(), *PACK, *(top for _, top in piles.values())}
    s.debris = sum(1 << k for k, card in enumerate(cards) if card not in mine)
    return game.state_at(s)


def digs_out(state: State, player: int = 0) -> Counter[int]:
    """Every way in which the turn can go on, played by the rules, always digging on: the probability of each number of
    diamonds at the end."""
    found = Counter[int]()

    def go(state: State, chance: Fraction) -> None:
        s = state.position
        if state.current_player == CHANCE:
            for outcome, p in state.chance_outcomes():
                after = state.clone()
                after.apply(outcome)
                go(after, chance * p)
        elif s.stage == diamonds.BETWEEN and s.player == player:
            state.apply("on")
            go(state, chance)
        else:
            found[s.diamonds[player].bit_count()] += chance  # type: ignore[assignment]

    go(state.clone(), Fraction(1))
    return found


def check_digs(state: State, seat: int = 0) -> set[str]:
    table = odds(state.view(seat))[1]
    before = state.position.diamonds[0].bit_count()
    for label, chances in rows(table).items():
        pile, how = re.fullmatch(r"(\d)(?:, (\w+) \w+)?: \d cards?", label).groups()  # type: ignore[union-attr]
        digging = state.clone()
        digging.apply(f"{'destroy' if how == 'destroying' else 'dig'} {int(pile) - 1}")
        out = digs_out(digging)
        for heading, chance in zip(table.head[1:], chances, strict=True):
            least = (7 - before) if heading == "wins" else int(heading[0])
            assert chance == sum((p for n, p in out.items() if n - before >= least), Fraction(0)), (label, heading)
    return set(rows(table))


@pytest.mark.parametrize(
    ("spade", "options", "labels"),
    [
        ("", {}, {"1: 4 cards", "3, taking S8: 3 cards"}),
        ("", {"first_spade": "end_turn"}, {"1: 4 cards"}),
        ("", {"stop_digging": "always"}, {"1: 4 cards", "3, taking S8: 3 cards"}),
        ("S6", {}, {"1: 4 cards", "2, breaking H4: 2 cards"}),  # S8 on pile 3 is a trade, no dig
        ("SA", {}, {"1: 4 cards", "2, breaking H4: 2 cards"}),
        ("S3", {"trade_after_destroy": "not_allowed"}, {"1: 4 cards"}),
        ("SQ", {}, {"2, destroying S8: 3 cards"}),  # every top is face up
    ],
)
def test_digs(spade: str, options: dict[str, str], labels: set[str]) -> None:
    assert check_digs(table_of(CLOSED if spade == "SQ" else START, spade, "", 2, **options)) == labels


@pytest.mark.parametrize("found", ["D3 D4 D6 D7 D8", "D3 D4 D6 D7 D8 D9", "D3 D4 D6 D7"])
def test_digs_that_may_win(found: str) -> None:
    state = table_of(START, "S6", found)
    assert check_digs(state)
    assert odds(state.view(0))[1].head == ("pile", *("1 or more", "2 or more")[: 6 - len(found.split())], "wins")


def test_a_pile_that_chance_picks() -> None:
    state = table_of(START, "S6", pile_choice="random_face_down")
    assert set(rows(odds(state.view(0))[1])) == {"1: 4 cards", "2, breaking H4: 2 cards"}
    state.apply("dig ?")
    assert set(rows(odds(state.view(0))[1])) == {"1: 4 cards"}


@pytest.mark.parametrize("held", the_rest_long([("S6", 0), ("S6", 1), ("", 0), ("", 1)], [("S6", 1), ("", 0)]))
def test_a_dig_half_way(held: tuple[str, int]) -> None:
    """After a joker, and while a card is to be turned.  (Who has destroyed a spade this turn and given their own away
    stops at the next one.)"""
    state = table_of(START, held[0])
    state.apply("dig 0")
    state.position.smashed = held[1]
    for acts, cards in (((), 4), (("X1",), 3), (("on",), 3), (("D5",), 2)):
        for act in acts:
            state.apply(act)
        table = odds(state.view(0))[1]
        ((label, chances),) = rows(table).items()
        assert label == f"1: {cards} card{'s' * (cards != 1)}"
        before, out = state.position.diamonds[0].bit_count(), digs_out(state)
        for n, chance in enumerate(chances, 1):
            assert chance == sum(p for had, p in out.items() if had - before >= n)
    assert not any("dig" in table.title for table in odds(state.view(1)))  # nothing to dig for the other


KINDS = {
    "DM-36": "a diamond", "DM-48": "a joker", "DM-37": "a rock that breaks", "DM-38": "a rock too hard",
    "DM-39": "a spade, the first", "DM-41": "a higher spade", "DM-46": "a lower spade",
}  # fmt: skip


@pytest.mark.parametrize("spade", ["", "S3", "S6", "SQ"])
def test_the_next_card(spade: str) -> None:
    """Each card that may be turned does what the table says, by the clause that the table names."""
    state = table_of(START, spade)
    (next_card, *_), found = odds(state.view(0)), Counter[str]()
    state.apply("dig 0")
    for outcome, p in state.chance_outcomes():
        after = state.clone()
        after.apply(outcome)
        clauses = [event.clause for event in after.events()]
        found[KINDS[clauses[clauses.index("DM-35") + 1]]] += p  # type: ignore[assignment]
    assert {label: chance for label, (chance,) in rows(next_card).items()} == found
    assert all(clause in next_card.basis for clause in KINDS)


def test_all_spades_for_a_spectator() -> None:
    """A column for each spade that is held, as each player sees it for themselves; the digs are those of the player to
    act."""
    seen = 0
    for state in play(parlour.load("diamonds", 3, first_dealer=0).new(), seed=3, steps=40):
        if state.current_player == CHANCE or state.is_terminal:
            continue
        everybody, *digs = odds(state.view())
        for p in range(3):
            own, *mine = odds(state.view(p))
            column = everybody.head.index(own.head[1]) - 1
            assert {k: c[column] for k, c in rows(everybody).items() if c[column]} == {
                k: c for k, (c,) in rows(own).items()
            }
            assert sum(c[column] or 0 for c in rows(everybody).values()) == 1
            assert p != state.current_player or mine == digs
        seen += len(everybody.head) > 2 and bool(digs)
    assert seen > 5


def in_an_ending(seed: int, unseen: int) -> State:
    """Diamonds for two near its end, under house rules at random: piles of cards unseen, some with a top face up."""
    rng = Random(seed)
    options = {
        name: rng.choice(list(option.words))
        for name, option in definition("diamonds").options.items()
        if name not in ("first_dealer", "games", "pile_choice") and rng.random() < 0.3
    }
    game = parlour.load("diamonds", 2, first_dealer=0, **options)
    s, gems = game.start(), rng.randint(1, min(3, unseen))
    first = rng.randint(7 - gems, 6)  # all thirteen diamonds are held or unseen, and nobody has won
    s.diamonds[0], s.diamonds[1] = (1 << first) - 1, (1 << 13 - gems) - (1 << first)
    rest = sorted([*range(39), 52, 53], key=lambda card: rng.random() * (1 if card < diamonds.SPADES else 2))
    s.unseen = sum(1 << diamonds.JOKERS - 1 - k for k in range(gems))
    s.unseen |= sum(1 << rest.pop() for _ in range(unseen - gems))
    s.height[:] = [0] * 9
    for _ in range(unseen):
        s.height[rng.randrange(3)] += 1
    for i in range(9):
        s.face[i], s.top[i] = (diamonds.DOWN if s.height[i] else diamonds.EMPTY), 0
    for i in range(5):
        tops = [card for card in rest if card < diamonds.DIAMONDS]
        if rng.random() < 0.6:
            s.height[i] += 1
            diamonds.lay(s, i, tops[-1])
            rest.remove(tops[-1])
    for p in range(2):
        if rng.random() < 0.7:
            held = next(card for card in rest if diamonds.SPADES <= card < diamonds.DIAMONDS)
            s.spade[p] = diamonds.rank(held)
            rest.remove(held)
        if 52 + p in rest and rng.random() < 0.5:
            s.jokers[p] = 1 << p
            rest.remove(52 + p)
    s.debris = sum(1 << card for card in rest)
    return game.state_at(s)


def best_play(state: State, known: dict[str, Fraction]) -> Fraction:
    if state.is_terminal:
        return Fraction(1 if state.returns()[0] > 0 else 0)
    here = str(as_dict(state.game.definition, state.position))
    if here not in known:
        follow = []
        for a in [k for k, _ in state.chance_outcomes()] or state.legal_actions():
            after = state.clone()
            after.apply(a)
            follow.append(best_play(after, known))
        if state.current_player == CHANCE:
            known[here] = sum(follow, Fraction(0)) / len(follow)
        else:
            known[here] = max(follow) if state.current_player == 0 else min(follow)
    return known[here]


@pytest.mark.parametrize("seed", the_rest_long(range(12), range(5)))
def test_who_wins_an_ending(seed: int) -> None:
    """Every choice, with and without machine code, against trying everything by the rules."""
    state, known = in_an_ending(seed, 1 + seed % 3), dict[str, Fraction]()
    for _ in range(8):
        if state.is_terminal:
            return
        steps = [-1] if state.current_player == CHANCE else state.legal_actions()
        told = there(endings.winning(state.game, state.position))
        assert list(told) == steps
        fast = endings.Endings(state.game, "compiled").worths(state.position, 1 << 16)
        assert fast == {a: 2 * chance - 1 for a, chance in told.items()}
        for a, chance in told.items():
            after = state.clone()
            if a >= 0:
                after.apply(a)
            first = best_play(after, known)
            assert chance == (first if state.position.player == 0 else 1 - first)
        for seat in (-1, 0, 1) if state.position.unseen else ():
            table, to_move = odds(state.view(seat))[-1], state.position.player
            shares = [chance for (chance,) in rows(table).values()]
            assert shares == [c if seat in (-1, to_move) else 1 - c for c in told.values()]
            assert table.samples == 0
        ways = [k for k, _ in state.chance_outcomes()] or steps
        state.apply(ways[seed % len(ways)])


def test_what_is_no_ending_is_not_worked_out() -> None:
    small, large = in_an_ending(1, 4), in_an_ending(7, 6)
    assert endings.winning(small.game, small.position)
    assert endings.winning(large.game, large.position, most=1) is None, "more positions than that"
    whole = parlour.load("diamonds", 2, first_dealer=0)
    assert endings.winning(whole, whole.new().position) is None
    for game in (
        parlour.load("diamonds", 3),
        parlour.load("diamonds", 2, first_dealer=0, pile_choice="random_face_down"),
    ):
        assert endings.winning(game, small.position) is None


@pytest.mark.parametrize("game", [game for game in games() if definition(game).part("odds")])
def test_every_moment_has_sound_tables(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All through random games: chances lie between 0 and 1, rows fit their heads, and the clauses named are there.
    Where cases are sampled, a few will do for that."""
    for sampling in (dividha_odds, stops_odds):
        monkeypatch.setattr(sampling, "SAMPLES", 50)
    asked = 0
    for players in definition(game).counts()[:4]:
        for moment, state in enumerate(play(parlour.load(game, players).new(), seed=players, steps=120)):
            for seat in range(-1, players):
                if state.is_terminal or (moment + seat) % 12:
                    continue
                for table in odds(state.view(seat)):
                    asked += 1
                    assert table.rows
                    for row in table.rows:
                        assert len(row.chances) == len(table.head) - 1
                        assert all(chance is None or 0 <= chance <= 1 for chance in row.chances)
                    cited = re.findall(r"\b[A-Z]{2}-\d+", table.basis)
                    assert cited
                    assert set(cited) <= set(definition(game).book.clauses)
    assert asked > 20


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen of 80 columns, and the folder of the repository."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(DOCS.parent)


@pytest.fixture
def record(tmp_path: Path) -> str:
    """The file of a hand of Diamondback, three steps before which seat 1 has turned up a King."""
    file = tmp_path / "hand.rec"
    state = in_a_hand("King Queen Priest Queen", *OPENED)
    state.call_players(["Anna", "Ben [x]"])
    file.write_text(state.record())
    return str(file)


@pytest.mark.parametrize(
    "line",
    [
        "diamondback",
        "diamondback -p 5 -o seats_max=5 exposed=king,priest folded=queen",
        "diamonds spade=9,J,none",
        "diamonds -p 3 --seat 2",
        "diamonds --record tests/records/diamonds/05_destroy.rec --at 23",
    ],
)
def test_it_fits_80_columns(line: str, says: Says) -> None:
    code, out, err = says(f"odds {line}")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "%" in out
    assert "…" not in out


def test_what_is_certain_and_what_can_be_given_is_said(says: Says) -> None:
    out = " ".join(says("odds diamondback")[1].split())
    assert " Magician-Priestess 1.90% 100% 0% 0% " in out
    for fact, takes in there(definition("diamondback").part("odds")).FACTS.items():
        assert f"{fact}= {takes}" in out


def test_json(says: Says) -> None:
    data = json.loads(says("odds diamondback -p 3 exposed=king --json")[1])
    assert (data["game"], data["players"], data["seat"], data["step"]) == ("diamondback", 3, -1, 0)
    assert data["tables"] == [table.as_data() for table in ask("diamondback", 3, exposed="king")]
    shown = json.loads(says("odds diamondback exposed=magician --json")[1])["tables"][0]
    assert shown["rows"][0]["chances"][1:] == [None, None, None]


def test_a_record_tells_a_seat_what_it_knows(record: str, says: Says) -> None:
    about = f"odds diamondback --record {record}"
    for words, told in (
        ("--seat 0", "Diamondback, 2 players: what Anna can work out after step 8"),
        ("--seat 0", "Anna: Queen-Queen"),
        ("--seat 0", "Ben [x]: King and another"),
        ("", "what a spectator can work out"),
        ("", "Anna: Queen and another"),
        ("--at 6 --seat 1", "Anna: two cards"),
        ("--at 6 --seat 1", "Ben [x]: King-Priest"),
        ("--at 0", "A hand against 1 opponent"),
    ):
        assert told in says(f"{about} {words}")[1]
    assert "Facts you can give" not in says(about)[1]
    before = [says(f"{about} --seat {p}")[1] for p in (-1, 0, 1)]
    Path(record).write_text(Path(record).read_text().replace("chance: Priest\n", "chance: Magician\n"))
    after = [says(f"{about} --seat {p}")[1] for p in (-1, 0, 1)]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False], "what others hide"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("kuhn", "There are no odds for Kuhn poker; there are for commit, "),
        ("diamondback hnad=king-king", "There is no fact 'hnad' of diamondback; did you mean 'hand'? Choose from: "),
        ("diamondback king", "Facts are written NAME=VALUE or NAME=VALUE,VALUE, such as hand=…, not 'king'."),
        ("diamondback hand=king", "A hand is two cards, as queen-king, not 'king' (DB-4)."),
        ("diamondback hand=king-knig", "There is no card 'knig'; did you mean 'king'?"),
        ("diamondback hand=magician-magician", "Nobody can hold two Magicians (DB-6)."),
        ("diamondback hand=magician-king exposed=magician", "The 15 cards for 2 players have no Magician-King left"),
        ("diamondback exposed=king folded=king", "With 2 players exposed= and folded= speak of 1 at most, not of 2."),
        ("diamondback -p 3 exposed=magician,magician", "The 29 cards for 3 players cannot lie so: there are too "),
        ("diamondback -p 5", "Five can play only with seats_max=5 (DB-9)."),
        ("diamondback --seat 2", "There is no seat 2; seats run from 0 to 1."),
        ("diamondback --at 2", "--at counts the steps of a record; name the record with --record FILE."),
        ("diamonds --record nowhere.rec", "There is no record 'nowhere.rec'"),
        ("diamonds --record {record}", "{record} is a record of diamondback, not of diamonds."),
        ("diamondback --record {record} --at 9", "{record} ends after step 8; --at takes 0 to 8, not 9."),
        ("diamondback --record {record} -p 2", "The record sets the players and house rules; leave out --players"),
        ("diamondback --record {record} hand=king-king", "A hand is being played here: what is known of it is told"),
        ("diamonds --record tests/records/diamonds/11_win.rec", "The game is over at that step; choose --at from "),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(line: str, sentence: str, record: str, says: Says) -> None:
    assert_one_sentence(says(f"odds {line.format(record=record)}"), sentence.format(record=record))


def test_odds_come_with_the_folder(monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """As those of Kuhn poker in "Telling a game" do."""
    (code,) = re.findall(r"```python\n([^`]*def odds\([^`]*)```", (DOCS / "telling_a_game.md").read_text("utf-8"))
    own = ModuleType("parlour.games.kuhn.odds")
    exec(code, vars(own))
    monkeypatch.setitem(sys.modules, own.__name__, own)
    assert rows(ask("kuhn", 2)[0]) == {"J": (0,), "Q": (Fraction(1, 2),), "K": (1,)}
    state = parlour.load("kuhn").new()
    for step in ("Q", "K"):
        state.apply(step)
    assert [rows(odds(state.view(p))[0]) for p in (0, 1)] == [{"Q": (Fraction(1, 2),)}, {"K": (1,)}]
    row = OddsRow("[K]", (Fraction(1, 3),))
    vars(own)["odds"] = lambda view, names, given: [
        OddsTable(f"{names[0]}'s [card]", ("it is", "chance"), (row,), "Dealt by KU-2.", samples=9604)
    ]
    code, out, _ = says("odds kuhn")
    assert (code, "Facts you can give" in out) == (0, False)
    for part in ("Kuhn poker, 2 players", "Seat 0's [card]", "[K]", "33.33%", "Dealt by KU-2."):
        assert part in out
    assert "Not exact: shares of 9,604 sampled cases, accurate to 1 percentage points (95%)." in out
    assert says("odds kuhn hand=K")[2] == "parlour: The odds of Kuhn poker take no facts, so not 'hand'.\n"
    vars(own)["odds"] = lambda view, names, given: []
    assert says("odds kuhn")[2] == "parlour: There are no odds here: nothing is left to chance.\n"


def test_the_examples_of_the_page(says: Says) -> None:
    examples = re.findall(r"\n```\n\$ parlour (.*)\n([^`]*)```\n", (DOCS / "odds.md").read_text("utf-8"))
    assert len(examples) == 2
    for line, shown in examples:
        printed = says(line)[1].rstrip().splitlines()
        lines = shown.splitlines()
        assert [text.rstrip() for text in printed[: len(lines)]] == lines
