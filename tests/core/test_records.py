"""Records: round trip, cut anywhere, redacted for each player, damaged.  That they tell no secrets: the audit."""

from __future__ import annotations

import pickle
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import parlour
from parlour import BadRecord, ParlourError, State
from parlour.cli.app import app
from parlour.core.taking_back import step_back
from parlour.engine.definition import definition
from tests.helpers import GAMES, all_settings, everybody, examples, play

RECORDS = Path(__file__).parents[1] / "records"
WHOLE = sorted(RECORDS.glob("*.rec"))
REDACTED = sorted((RECORDS / "redacted").glob("*.rec"))

KUHN = """parlour record 1
game: kuhn
rules: 1
players: 2

chance: J
chance: Q
0: pass
1: bet
0: bet
returns: -2 2
"""

THREE = (RECORDS / "sampler_three.rec").read_text("utf-8")
BEFORE = THREE.replace("rules: 3", "rules: 2").replace("option broke: stays\n", "")
"""The record of a match as it was written before an option was added."""
DIAMONDS = parlour.load("diamonds").new(seed=7).record()
NEWMARKET = parlour.load("newmarket", stake_max=11).new(seed=1).record()


@st.composite
def states(draw: st.DrawFn, games: tuple[str, ...] = GAMES) -> State:
    """A game in progress or finished, under any house rules, with some acts taken back, dealt from a seed or not."""
    game = draw(st.sampled_from(all_settings(draw(st.sampled_from(games))))).load()
    state = game.new(draw(st.none() | st.integers(0, 2**64 - 1)))
    if draw(st.booleans()):
        state.call_players([f"Ann #{p}: ‰" for p in range(game.players)])
    chooser = draw(st.integers(0, 2**32))
    choose = random.Random(chooser)
    for _ in play(state, chooser, draw(st.sampled_from([0, 1, 2, 5, 10, 30, 150]))):
        if choose.random() < 0.2:
            try:
                parlour.undo(state)
            except ParlourError:
                continue
    return state


def same(a: State, b: State) -> None:
    assert (a.game, a.fields(), a.history, a.log, a.seed) == (b.game, b.fields(), b.history, b.log, b.seed)
    assert a.player_names == b.player_names
    for player in everybody(a):
        assert a.events(player) == b.events(player)
    assert sorted(map(repr, a.events(None))) == sorted(map(repr, b.events(None)))
    assert a.memory().keys == b.memory().keys


@given(states(), st.integers(0, 2**32))
@examples(60)
def test_replay_gives_back_the_state_which_goes_on_as_its_seed_would_have_it(state: State, chooser: int) -> None:
    text = state.record()
    again = parlour.replay(text)
    same(again, state)
    assert again.record() == text
    ends = [list(play(one, chooser, 400))[-1].record() for one in (again, state)]
    assert ends[0] == ends[1]


@given(states(), st.data())
@examples(150)
def test_a_record_may_be_cut_anywhere_after_its_header(state: State, data: st.DataObject) -> None:
    raw = state.record().encode()
    header = raw.index(b"\n\n") + 2
    cut = raw[: data.draw(st.integers(header, len(raw)))]
    again = parlour.replay(cut.decode())
    assert again.log == state.log[: len(again.log)]
    steps = (b"chance", b"undo", *(b"%d:" % p for p in range(state.game.players)))
    written = [line for line in cut[header:].split(b"\n")[:-1] if line.startswith(steps)]
    assert len(again.log) >= len(written)
    if state.seed is None:
        assert len(again.log) == len(written)


def test_comments_blank_lines_windows_lines_and_a_byte_order_mark_change_nothing() -> None:
    plain = parlour.replay(KUHN)
    for text in (
        "# a bluff\n\n" + KUHN.replace("\n", "\n   # why\n\n"),
        KUHN.replace("\n", "\r\n"),
        "\ufeff" + KUHN,
        KUHN.replace("0: bet", "\t0 :  BET   # seat 0 calls"),
    ):
        same(parlour.replay(text), plain)


def deal_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(("deal", "# deal"))]


@given(states(("diabolo", "diamonds", "diamondback", "sampler")))
@examples(60)
def test_a_record_says_where_each_deal_ends_and_what_it_brought(state: State) -> None:
    """A match that ends with its first deal has its result only."""
    wanted = []
    for number, deal in enumerate(state.deals, 1):
        returns = " ".join(str(int(x)) if x == int(x) else str(x) for x in deal.returns)
        wanted.append(f"deal {number} returns: {returns}   # dealt by {state.player_names[deal.dealer]}")
        wanted.append(f"# deal {number + 1}")
    if state.is_terminal and state.deals[-1].steps == len(state.history):
        wanted = wanted[:-1] if len(state.deals) > 1 else []
    for player in (None, *everybody(state)):
        assert deal_lines(state.record(player)) == wanted
    bare = "".join(line for line in state.record().splitlines(True) if not line.startswith("deal"))
    assert parlour.replay(bare).record() == state.record()  # one may leave these lines out


def test_a_deal_that_was_taken_back_has_no_line() -> None:
    state = parlour.replay(THREE[: THREE.index("deal 1")])
    step_back(state)
    assert (state.deals, deal_lines(state.record())) == ([], [])
    state.apply("show")
    assert deal_lines(state.record()) == ["deal 1 returns: -2 -1 3   # dealt by Ann", "# deal 2"]
    assert state.record().count("2: show\n") == 2
    assert parlour.replay(state.record()).record() == state.record()


@pytest.mark.parametrize("file", WHOLE, ids=lambda file: file.stem)
def test_golden_record(file: Path) -> None:
    text = file.read_text("utf-8")
    state = parlour.replay(text)
    assert state.is_terminal
    assert state.record() == text[text.index("parlour record") :]  # without the comments on top


@pytest.mark.parametrize("file", REDACTED, ids=lambda file: file.stem)
def test_golden_redacted_record(file: Path) -> None:
    name, _, player = file.stem.partition(".")
    state = parlour.replay((RECORDS / f"{name}.rec").read_text("utf-8"))
    assert state.record(int(player)) == file.read_text("utf-8")


def test_the_examples_of_the_documentation() -> None:
    assert {file.stem.partition("_")[0] for file in WHOLE} >= {"kuhn", "leduc", "sampler"}
    assert len(REDACTED) > 5
    text = (Path(__file__).parents[2] / "docs" / "records.md").read_text("utf-8")
    whole, redacted = (block for block in text.split("```\n") if block.startswith("parlour record 1\n"))
    state = parlour.replay(whole)
    assert state.is_terminal
    assert state.record(1) == redacted


@given(states(("kuhn", "leduc", "sampler")))
@examples(60)
def test_a_redacted_record_holds_what_its_player_did_and_was_told(state: State) -> None:
    for player in everybody(state):
        lines = state.record(player).split("\n")
        who = "spectators" if player < 0 else player
        assert f"redacted for: {who}" in lines
        assert not any(line.startswith(("seed", "chance", "undo")) for line in lines)
        assert [line for line in lines if line.startswith("told:")] == [
            f"told: {e.text} ({e.clause})" for e in state.events(player)
        ]
        acts = [f"{s.player}: {s.name}" for s in state.history if s.player == player >= 0]
        assert [line for line in lines if line[:1].isdigit()] == acts
        with pytest.raises(BadRecord, match=f"Line 5: .* redacted for '{who}'"):
            parlour.replay(state.record(player))


@given(states(("diamonds",)))
@examples(20)
def test_where_nothing_is_hidden_a_player_keeps_all_but_the_seed(state: State) -> None:
    whole = state.record()
    for player in everybody(state):
        kept = state.record(player)
        assert kept == whole.replace(f"seed: {state.seed}\n", "")
        assert parlour.replay(kept).record() == kept


def changed(line: int, new: str, text: str = KUHN) -> str:
    lines = text.split("\n")
    lines[line - 1] = new
    return "\n".join(lines)


LEDUC = "parlour record 1\ngame: leduc\nrules: 1\nplayers: 2\nchance: J1\nchance: J2\n0: fold\n"
DAMAGED = {
    "empty": ("", 1, "A record begins with the line 'parlour record 1', but there is nothing"),
    "something else": ("hello\nworld\n", 1, "begins with .* not 'hello'"),
    "no finished line": ("parlour record 1", 1, "no line 'game:'"),
    "other format": (changed(1, "parlour record 2"), 1, "format '2'; this software reads format 1"),
    "binary": ("\x00\x01\x02\n", 1, r"'\\x00' is not allowed in a record"),
    "long line": (changed(8, "0: " + "x" * 2_000_000), 8, "2000003 characters"),
    "unknown game": (changed(2, "game: kun"), 2, "no game 'kun'; did you mean 'kuhn'"),
    "no game": (changed(2, ""), 6, "no line 'game:'"),
    "no rules": (changed(3, ""), 6, "no line 'rules:'"),
    "other rules": (changed(3, "rules: 9"), 3, "has rules '9' of kuhn; this software has rules 1"),
    "players": (changed(4, "players: 3"), 4, "cannot be played by 3"),
    "players in words": (changed(4, "players: two"), 4, "'two' is not a number of players"),
    "players beyond": (changed(4, "players: " + "9" * 500), 4, "is not a number of players"),
    "unknown header": (changed(5, "date: today"), 5, "no header line 'date'"),
    "no commitment": (changed(5, "commitment: 12ab"), 5, "'12ab' is not a commitment: 64 hexadecimal digits."),
    "twice": (changed(5, "game: kuhn"), 5, "'game' is already on line 2"),
    "option of another game": (changed(5, "option limit: 1"), 5, "no option 'limit' of kuhn; there is none at all."),
    "seat beyond": (changed(5, "seat 2: Ann"), 5, "There is no seat 2"),
    "name": (changed(5, "seat 1: "), 5, "name is 1 to 60 printable characters"),
    "seed": (changed(5, "seed: -1"), 5, "'-1' is not a seed"),
    "large seed": (changed(5, f"seed: {2**64}"), 5, "0 to 2\\^64 - 1"),
    "other seed": (changed(5, "seed: 1"), 6, "Seed 1 gives 'K' here, not 'J'"),
    "redacted": (changed(5, "redacted for: 0"), 5, "redacted for '0'"),
    "no outcome": (changed(6, "chance: A"), 6, "no outcome 'A'; choose from: J, Q, K"),
    "impossible outcome": (changed(7, "chance: J"), 7, "no outcome 'J'; choose from: Q, K"),
    "chance missing": (changed(7, ""), 8, "Seat 0 cannot act here: chance decides"),
    "chance too often": (changed(8, "chance: K"), 8, "nothing to decide here: it is for seat 0 to act"),
    "not in turn": (changed(8, "1: pass"), 8, r"Seat 1 cannot act here, it is for seat 0 to act: .* \(KU-6\)"),
    "no such seat": (changed(8, "2: pass"), 8, "There is no seat 2"),
    "no such act": (changed(8, "0: jump"), 8, "no action 'jump'"),
    "illegal": (LEDUC, 7, r"'fold' is not allowed now: .* \(LE-12\)"),
    "no step": (changed(8, "0 pass"), 8, "'0 pass' is no step"),
    "undo of chance": (changed(8, "undo"), 8, "nothing to take back"),
    "result too early": (changed(10, "returns: -2 2"), 10, "not over here"),
    "other result": (changed(11, "returns: 2 -2"), 11, "result is '-2 2', not '2 -2'"),
    "act after the end": (changed(11, "0: bet"), 11, "Seat 0 cannot act here: the game is over"),
    "deal in a game without": (changed(10, "deal 1 returns: -2 2"), 10, "Deal 1 does not end here; .* over: 0"),
    "deal too early": (changed(24, "deal 1 returns: -2 -1 3", THREE), 24, "Deal 1 does not end here; .* over: 0"),
    "deal too late": (changed(31, "deal 1 returns: -2 -1 3", THREE), 31, "Deal 1 does not end here; .* over: 1"),
    "other returns of a deal": (changed(27, "deal 1 returns: 3 -1", THREE), 27, "Deal 1 returns '-2 -1 3', not '3 -1'"),
    "rules of before": (changed(5, "rules: 1", THREE), 5, "has rules '1' of sampler; this software has rules 3"),
    "rules otherwise": (changed(5, "rules: 02", THREE), 5, "has rules '02' of sampler; this software has rules 3"),
    "option missing that older rules had": (BEFORE.replace("option limit: 2\n", ""), 15, "option 'limit' is missing"),
    "option missing": (changed(8, "", DIAMONDS), 20, "option 'trade_leaves' is missing"),
    "value": (changed(8, "option trade_leaves: x", DIAMONDS), 8, "trade_leaves cannot be 'x'; it is on_pile or debris"),
    "values that clash": (changed(7, "option stakes: saratoga", NEWMARKET), 17, "stake_max=11 is for stakes=spread"),
    "a second record": (KUHN + KUHN, 12, "A second record begins here, and a file holds one record"),
    "after the result": (KUHN + "# fine\n0: bet\n", 13, "The result stands on line 11; nothing can follow it"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damage_is_one_sentence_with_its_line(case: str) -> None:
    text, line, sentence = DAMAGED[case]
    with pytest.raises(BadRecord, match=sentence) as caught:
        parlour.replay(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"Line {line}: ")
    assert len(str(caught.value).splitlines()) == 1


def test_a_record_of_older_rules_is_played_as_it_was_and_stays_as_it_is() -> None:
    state = parlour.replay(BEFORE)
    assert state.history == parlour.replay(THREE).history
    assert state.game.options["broke"] == "stays"
    for same in (state, state.clone(), pickle.loads(pickle.dumps(state))):
        assert same.record() == BEFORE[BEFORE.index("parlour") :]
    assert "rules: 2" in state.record(1)
    assert "option broke" not in state.record(1)


@pytest.mark.parametrize("name", [name for name in GAMES if definition(name).rules.SINCE])
def test_a_record_of_older_rules_is_played_by_the_options_of_that_time(name: str) -> None:
    what = definition(name)
    for version in what.rules.SINCE:
        since = {o: value for v, added in what.rules.SINCE.items() if v >= version for o, value in added.items()}
        *_, state = play(parlour.load(name, None, **since).new(seed=1), 1, 150)
        lines = state.record().replace(f"rules: {what.version}", f"rules: {version - 1}").splitlines()
        older = "\n".join(line for line in lines if not line.startswith(tuple(f"option {option}:" for option in since)))
        replayed = parlour.replay(older + "\n")
        assert since.items() <= {**replayed.game.options}.items()
        assert replayed.position == state.position
        assert replayed.events() == state.events()


@pytest.mark.parametrize("name", [name for name in GAMES if definition(name).rules.BREAKS])
def test_older_rules_are_refused_where_they_played_otherwise(name: str) -> None:
    what = definition(name)
    for version, when in what.rules.BREAKS.items():
        house_rule, _, value = when.partition("=")
        older = f"rules: {version - 1}"
        record = parlour.load(name).new(seed=1).record().replace(f"rules: {what.version}", older)
        assert parlour.replay(record).record().splitlines()[2] == older
        record = parlour.load(name, None, **{house_rule: value}).new(seed=1).record()
        with pytest.raises(BadRecord, match=f"With {when}, {older.replace(':', '')} of {name} were different"):
            parlour.replay(record.replace(f"rules: {what.version}", older))


@given(states(), st.data())
@examples(160)
def test_any_damage_is_a_record_or_a_bad_record(state: State, data: st.DataObject) -> None:
    lines = state.record(data.draw(st.sampled_from([None, None, None, 0]))).split("\n")
    i, j = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    damage = data.draw(st.sampled_from(["delete", "repeat", "swap", "letter", "insert", "number"]))
    first = min(i, j) if damage == "swap" else i
    whole = not any(line.startswith("redacted") for line in lines)
    if damage == "delete":
        del lines[i]
    elif damage == "repeat":
        lines.insert(i, lines[i])
    elif damage == "swap":
        lines[i], lines[j] = lines[j], lines[i]
    elif damage == "insert":
        lines.insert(
            i, data.draw(st.text(max_size=30) | st.sampled_from(["undo", "chance: ", "0:", "1: 2", "returns: 0"]))
        )
    elif lines[i]:
        at = data.draw(st.integers(0, len(lines[i]) - 1))
        new = data.draw(st.sampled_from("0123456789-") if damage == "number" else st.characters())
        lines[i] = lines[i][:at] + new + lines[i][at + 1 :]
    text = "\n".join(lines)
    bad = mistake(text)
    if bad is None:
        again = parlour.replay(text)
        same(parlour.replay(again.record()), again)
    else:
        assert first * whole < bad.line <= max(1, text.count("\n"))
        assert len(str(bad)) < 3000


def mistake(text: str) -> BadRecord | None:
    """What is wrong with a record; any other exception is a fault of the reader."""
    try:
        parlour.replay(text)
    except BadRecord as bad:
        return bad
    return None


def tell(*args: str, stdin: str = "") -> str:
    result = CliRunner().invoke(app, ["replay", *args], input=stdin, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_account_names_every_step_and_what_it_caused_also_step_by_step() -> None:
    assert tell(str(RECORDS / "kuhn_folded.rec")) == (
        "Kuhn poker: Ann, Bert\n\nAnn is dealt Q. (KU-4)\nBert is dealt K. (KU-4)\n"
        "Ann: pass\n  Ann passes. (KU-7)\nBert: bet\n  Bert bets. (KU-7)\nAnn: pass\n  Ann passes. (KU-7)\n\n"
        "Result: Ann -1, Bert 1\n"
    )
    shown = tell(str(RECORDS / "kuhn_folded.rec"), "--step", "--seat", "1", stdin="\n" * 20)
    assert (shown.count("hand: -, K"), "Q" in shown) == (4, False)
    assert tell(str(RECORDS / "kuhn_folded.rec"), "--step") == "Kuhn poker: Ann, Bert\n\n"


def test_the_account_of_a_player_holds_what_he_was_told() -> None:
    told = tell(str(RECORDS / "sampler_three.rec"), "--seat", "2")
    assert "keeps the comet quiet" in tell(str(RECORDS / "sampler_three.rec"))
    assert not re.search("keeps the comet quiet|chance", told)
    said = [line.strip() for line in told.splitlines() if line.endswith(")")]
    assert said == [f"{e.text} ({e.clause})" for e in parlour.replay(THREE).events(2)]


def test_the_account_of_a_match_tells_its_deals_and_may_begin_at_any() -> None:
    file = str(RECORDS / "sampler_three.rec")
    told = tell(file)
    end = "\n\nDeal 1, dealt by Ann: Ann -2, Bert -1, Cleo 3\n\n"
    first, second = told.split(end)
    assert first.endswith("  Cleo takes all bets. (SA-14)")
    assert second.startswith("Bert is the first to talk in deal 2. (SA-4)\nAnn is dealt comet. (SA-5)\n")
    assert tell(file, "--deal", "1") == told
    assert tell(file, "--deal", "2") == told.split("\n\n")[0] + "\n\n" + second
    seen = tell(file, "--seat", "2")
    assert tell(file, "--deal", "2", "--seat", "2") == "Sampler: Ann, Bert, Cleo\n\n" + seen.split(end)[1]
    assert told.endswith("\n\nDeal 2, dealt by Bert: Ann 4, Bert -2, Cleo -2\n\nResult: Ann 2, Bert -3, Cleo 1\n")
    for deal in ("0", "3"):
        with pytest.raises(ParlourError, match=f"no deal {deal}; its deals run from 1 to 2"):
            tell(file, "--deal", deal)
    with pytest.raises(ParlourError, match="redacted and can only be shown whole"):
        tell(str(RECORDS / "redacted" / "sampler_three.1.rec"), "--deal", "2")
    shown = tell(file, "--deal", "2", "--step", stdin="\n" * 40)
    assert (shown.count("deals finished: 1"), shown.count("deals finished: 2")) == (5, 1)
    one = tell("-", stdin=parlour.load("diamonds").new(seed=1).record())
    assert "Deal" not in one


def test_house_rules_undone_acts_and_an_early_end_are_told() -> None:
    assert "House rule: comet = voids" in tell(str(RECORDS / "sampler_four.rec"))
    assert "Seat 0: call is taken back" in tell(str(RECORDS / "leduc_pair.rec"))
    assert tell("-", stdin=KUHN[:-20]).endswith("The record ends before the game does.\n")


def test_a_redacted_record_is_shown_as_it_stands() -> None:
    file = RECORDS / "redacted" / "sampler_three.1.rec"
    assert tell(str(file)) == tell(str(file), "--seat", "1") == file.read_text("utf-8")
    with pytest.raises(ParlourError, match="redacted for '1'"):
        tell(str(file), "--seat", "0")


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "latin.rec").write_bytes(b"parlour record 1\ngame: kuhn\nseat 0: Ren\xe9\n")
    (tmp_path / "other.rec").write_text(KUHN.replace("0: pass", "0: jump"), "utf-8")
    for file, sentence in {
        "none.rec": "There is no record '.*none.rec', and none is kept",
        "": "There is no record",
        "latin.rec": "latin.rec: Line 3: This isn't a record: it isn't UTF-8",
        "other.rec": "other.rec: Line 8: There is no action 'jump'",
    }.items():
        with pytest.raises(ParlourError, match=sentence):
            tell(str(tmp_path / file))
    with pytest.raises(ParlourError, match="There is no seat 5"):
        tell("-", "--seat", "5", stdin=KUHN)
    with pytest.raises(ParlourError, match="--step needs the keyboard"):
        tell("-", "--step", stdin=KUHN)
