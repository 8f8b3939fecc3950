"""Whatever is wrong with a command line is one sentence, which begins so (or says so somewhere: ``…``); nothing is
written, and nothing that is there is changed.

A game that does not exist is tried with every command in ``test_command_line.py``; what needs a server, a record or a
device beside the tests of these.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.helpers import Says, assert_one_sentence

TEXT = '{"settings": []}'
"""What lies in the file ``there``."""
MISTAKES = [
    ("plya", "…did you mean 'play'?"),
    ("diamonds", "diamonds is a game; to play it: parlour play diamonds"),
    ("pope-joan", "pope-joan is a game; to play it: parlour play pope_joan"),
    ("help", "There is no command 'help', but an option: parlour --help"),
    ("list", "There is no command 'list'; what you want may be: parlour games"),
    ("Resume", "There is no command 'Resume'; what you want may be: parlour play --resume"),
    ("lernen", "There is no command 'lernen'; what you want may be: parlour learn"),
    ("quit", "'quit' is typed at the table, in the middle of a game; to begin one: parlour play"),
    ("games kuhn leduc", "parlour games doesn't take kuhn leduc; parlour games --help says what it takes."),
    # play
    ("play", "…diamonds"),
    ("play my_game", "…Parlour finds games of your own only in the folder where you run the command."),
    ("play there", "'there' is a file, not a game; a recorded game is continued with parlour play --resume there."),
    ("play ../there", "There is no game '../there'; choose from: "),
    ("play KHUN", "There is no game 'KHUN'; did you mean 'kuhn'? Choose from: "),
    ("play diamonds --players 5", "…5"),
    ("play diamonds --option x=y", "…'x'"),
    ("play diamonds --option trade_leaves", "…NAME=VALUE"),
    ("play diamonds --option trade_leaves=no", "…on_pile or debris"),
    ("play diamonds --seat 2", "…choose from: 0, 1"),
    ("play diamonds --against nobody", "…'nobody'"),
    ("play diamonds --against learned:/dev/zero", "/dev/zero does not hold networks; "),
    ("play diamonds --players 3 --against random --against random --against random", "…3 times"),
    ("play diamonds --seed -1", "…-1"),
    ("play diamonds --pace 99", "…99"),
    ("play diamonds --resume /nowhere --seed 3", "…--resume"),
    ("play --resume there", "there: Line 1: A record begins with"),
    ("play --resume", "Say which game to continue: --resume RECORD"),
    ("play --resume /dev/zero", "/dev/zero is larger than 32 MiB, so it isn't a file of Parlour's."),
    ("play diamonds kuhn", "…kuhn"),
    # rules, replay, new
    ("rules ..kuhn", "There is no game in '..kuhn': no module ..kuhn.rules can be imported."),
    ("rules diamonds DM-999", "…'DM-999'"),
    ("rules diamonds zebra", "…'zebra'"),
    ("rules --search joker", "…Say which game"),
    ("rules diamonds 3 --search joker", "…not both"),
    ("rules diamonds 3 --coverage", "…be combined with a clause"),
    ("rules --coverage --file nowhere.json", "…make test"),
    ("play kuhn --player random", "--player is called --against."),
    ("odds diamonds --known x", "There is no option '--known'; choose from"),
    ("simulate kuhn --games 10000000000000", "--games must be at most 1,000,000,000,000, not 10000000000000."),
    ("replay kuhn.rec --json --step", "--step is for people and --json for programs; leave one of them out."),
    ("new My-Game", "'My-Game' can't be a game's folder: use lower-case letters, digits and _, as in my_game."),
    ("new class", "'class' can't be a game's folder: it is a word of Python itself."),
    ("new json", "'json' can't be a game's folder: Python would find the module of that name instead"),
    ("new parlour", "'parlour' can't be a game's folder: Python would find the module of that name instead"),
    ("new kuhn", "There is already a game called kuhn; choose another name."),
    ("new one --title 21", "A title needs a letter; '21' has none."),
    ('new one --title Say"cheese', "A title can't contain a double quote or a backslash, as 'Say\"cheese' does."),
    ("new two --out /dev/null/x", "/dev/null/x/two can't be made: Not a directory."),
    # audit, bench
    ("audit kuhn --check swp", "There is no check 'swp'; did you mean 'swap'?"),
    (f"audit kuhn --seed {2**64}", "--seed must leave the last game a seed of at most 2^64 - 1"),
    ("bench kuhn --mode klone", "There is no mode 'klone'; did you mean 'clone'?"),
    # match
    ("match diamonds", "Say who plays, for example: parlour match diamonds random search."),
    ("match diamonds random", "Name one player for each seat: diamonds is for 2-3 players, and you named 1."),
    ("match kuhn random random --with-parquet", "…say which: --out FOLDER."),
    ("match kuhn --players random random", "The players are named without an option: parlour match"),
    ("score --player random", "The players are named without an option: parlour score random"),
    ("exploit kuhn --players random", "--players is a number everywhere; kinds of players are named with --player."),
    ("simulate kuhn --players random", "…not 'random'; kinds of players are named with --player."),
    ("play kuhn --players random", "…not 'random'; kinds of players are named with --against."),
    ("skill kuhn --players random", "--players takes a whole number, not 'random'."),
    ("serve --workers 2", "--workers is called --jobs."),
    ("simulate kuhn -t 2", "-t is called --jobs."),
    ("atlas kuhn --preset lively", "An atlas tries every house rule by itself; parlour simulate takes --preset."),
    ("corpus new --preset lively", "--option and --preset belong to a game; name the games"),
    ("corpus new kuhn --preset lively", "…'lively'"),
    ("match kuhn solved random", "Say which strategy file plays: solved:FILE."),
    ("match kuhn random random --within 0.1", "--error and --within belong to --until-decided."),
    ("match kuhn random random --alpha-rank", "…--round-robin"),
    ("match kuhn random random --value-network none.npz", "There is no file 'none.npz'."),
    ("match kuhn random random --value-network none.npz --no-luck", "--value-network is for working out luck; leave"),
    (f"match matrimony {'random ' * 5}--luck", "No value network comes with Matrimony for 5 players; `parlour train"),
    # simulate, merge, atlas, skill
    ("simulate kuhn --jobs 0", "--jobs must be at least 1, not 0."),
    ("simulate kuhn --games many", "--games takes a whole number, not 'many'."),
    ("simulate kuhn --games 1e6", "--games takes a whole number: write 1000000 for 1e6."),
    ("simulate kuhn --seed -1", "A seed is a whole number from 0 to 2^64 - 1, not -1."),
    ("simulate kuhn --shard 3", "--shard takes I/N, such as 2/7, not '3'."),
    ("simulate kuhn --shard 0/2", "There is no shard 0 of 2: they are numbered from 1/2 to 2/2."),
    ("simulate kuhn --games 20000 --shard 1/3", "20,000 games make 2 pieces of 16,384; choose at most 2 shards"),
    ("simulate kuhn --option players=2", "There is no option 'players' of kuhn; there is none at all."),
    ("simulate kuhn --players 5", "Kuhn poker cannot be played by 5"),
    ("simulate kuhn --json --csv -", "Only one thing can be printed: choose --json or --csv -, or give --csv a file."),
    ("simulate kuhn --csv no/such.csv", "no/such.csv cannot be written: there is no folder no."),
    ("corpus new leduc --decisions 9 --by rnd", "There is no kind of player 'rnd'; did you mean 'random'? Choose from"),
    ("corpus new kuhn --games 4 --decisions 9", "Give --games or --decisions, not both."),
    *(
        (f"{words} there", "there already exists and holds something else; name another file.")
        for words in ("simulate kuhn --csv", "simulate kuhn --parquet", "merge there --csv")
    ),
    ("solve kuhn --plot kuhn.png", "--plot draws FILE.svg, not 'kuhn.png'."),
    ("simulate kuhn --plot kuhn.gif", "A plot is a file whose name ends in .svg, .png or .pdf, not 'kuhn.gif'."),
    ("simulate kuhn --player rule-of-thumb", "Kuhn poker has no rule-of-thumb player; choose from: random, search."),
    ("simulate diamonds --option trade_leaves", "--option takes NAME=VALUE, not 'trade_leaves'."),
    ("simulate diamonds --option trade_leaves=debris,x", "diamonds: option trade_leaves cannot be 'x'; it is"),
    ("simulate diamonds --option games=1,1", "--option games=1,1 names a value twice; name each once."),
    ("simulate diamonds --option games=1 --option games=2", "--option games is given twice; list its values with"),
    (f"simulate diamonds --option games={','.join(map(str, range(1, 66)))}", "These options make 65 settings; choose"),
    ("merge there", "there was not written by parlour simulate --json."),
    ("atlas kuhn --games 40 --out new", "An atlas has at least 50 games in each cell, not 40 in all."),
    ("atlas kuhn leduc --players 7 --out new", "None of these games can be played by 7."),
    ("atlas kuhn --report --out new", "There is no atlas in"),
    ("skill kuhn --seconds 0", "--seconds must be above 0, not 0."),
    ("skill kuhn --seconds nan", "--seconds takes a number, not 'nan'."),
    ("skill kuhn --players 3", "Kuhn poker cannot be played by 3; it is for 2 players."),
    # train
    ("train kuhn --out x", "Kuhn poker has no rule-of-thumb player, from which learning begins. Games that can be"),
    ("train diamonds --out there", "there already exists and does not hold networks; name another file."),
    ("train diamonds --values --out there", "there already exists and does not hold value networks; name another"),
    ("train diamonds --out nowhere/mine.npz", "nowhere/mine.npz cannot be written: there is no folder nowhere."),
    ("train diamonds --against search --out x", "Learners play against rule-of-thumb, random, learned or learned:FILE"),
    ("train diamonds --hidden 12 --out x", "A hidden layer has 8, 16, 24 … 512 sums, not 12."),
    ("train kuhn --values --games 10 --out x", "A value network learns from at least 1000 games, not 10."),
    ("train diamonds --beliefs --out x", "Diamonds hides nothing: there is nothing to infer."),
    ("train hearts --beliefs --against random", "--beliefs watches the players whom best imagines; leave out"),
    ("train hearts --beliefs --values", "Give --values or --beliefs, not both."),
    ("train diamonds --on moon --out x", "A player learns on the processor or on a gpu, not on 'moon'."),
    ("train diamonds --beliefs --on gpu", "Networks of values and of beliefs learn on the processor: leave out --on"),
    ("train diamonds --values --parts 12", "Networks of values learn without parts: leave out --parts 12."),
    ("train diamonds --parts 100000 --out x", "A batch has 1 to 65,536 parts, not 100,000."),
    # solve, certify, exploit
    ("solve", "Say which game to solve, or give --resume FILE or --show FILE."),
    ("solve kuhn leduc", "parlour solve doesn't take leduc; "),
    ("solve kuhn --resume", "Option '--resume' requires an argument."),
    ("solve hearts", "Hearts cannot be played by 2; it is for 4 players. Only games for two are solved; in others, "),
    ("solve kuhn -p 2", "Games are solved for two players; leave out -p."),
    ("solve kuhn --method fsicfr", "There is no method 'fsicfr'; did you mean 'dcfr'? Choose from: "),
    ("solve kuhn --out no/where.solved", "no/where.solved cannot be written: there is no folder no."),
    ("solve kuhn --out /dev/full", "/dev/full cannot be written: No space left on device."),
    ("solve kuhn --out there", "there already exists and does not hold a strategy for this deal of Kuhn poker; name"),
    ("solve kuhn --target 0", "This never ends by itself: give --iterations or --seconds"),
    ("solve kuhn --method mccfr", "This never ends by itself: give --iterations or --seconds"),
    ("solve kuhn --method mccfr --target 1 --seconds 1", "--method mccfr samples and takes no --target; leave it out."),
    ("solve --show there --method cfr+", "--show prints a file and takes only --rows and --json; leave out the rest."),
    ("solve kuhn --resume x.solved", "There is no file 'x.solved'."),
    ("solve kuhn -o deck=7", "There is no option 'deck' of kuhn"),
    ("solve kuhn --memory 0", "Memory is "),
    ("solve kuhn --after raise", "There is no outcome 'raise'; choose from: J, Q, K."),
    ("solve leduc --method mccfr --iterations 9 --after Q1", "Player 0 can't tell 'Q1' from 'J1', and --after"),
    ("certify there", "there is not a strategy file of Parlour."),
    ("certify /dev/zero", "/dev/zero is not a strategy file of Parlour."),
    ("exploit leduc --player random --after Q1", "Player 0 can't tell 'Q1' from 'J1', and --after takes only"),
    ("exploit kuhn --player random --seeds 0", "--seeds must be at least 1, not 0."),
    ("exploit kuhn --player solved:there", "there is not a strategy file of Parlour."),
]


@pytest.mark.parametrize(("words", "sentence"), MISTAKES)
def test_a_mistake_is_one_sentence_and_changes_nothing(
    words: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text(TEXT)
    said = says(words)
    if sentence.startswith("…"):
        assert_one_sentence(said, named=sentence.removeprefix("…"))
    else:
        assert_one_sentence(said, sentence)
    assert [file.name for file in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_text() == TEXT


@pytest.mark.parametrize(
    "words", ["simulate kuhn --games 9 --csv new", "train diamonds --games 9 --out new.npz", "solve kuhn --out new"]
)
def test_what_could_not_be_written_is_not_begun(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda place, how: (place, how) != (Path(), os.W_OK))
    assert_one_sentence(says(words), f"{words.rsplit(maxsplit=1)[-1]} cannot be written: Permission denied.")
