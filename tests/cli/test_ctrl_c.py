"""Ctrl-C, as a terminal sends it: to a command and to all processes that it has started.  Every long command ends with
the exit code 130, without a traceback, and says what is kept and how to go on."""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
from collections import deque
from pathlib import Path
from typing import NamedTuple

import pexpect
import pytest

import parlour
from parlour.study.datasets import Folder, Written
from parlour.study.runners import in_threads
from tests.cli.test_terminal import ESCAPES, PARLOUR, environment
from tests.helpers import Says, heed_ctrl_c, interrupt, the_rest_long
from tests.waiting import LIMIT, wait_until


class Long(NamedTuple):
    """A command that would go on for a long time, what it shows when it has begun, and what it says when it is stopped.

    ``workers``: how many processes it starts, of which the last may not yet have come to its first line of Python;
    ``reads``: whether it waits for somebody to type.
    """

    words: str
    sign: str
    says: str
    workers: int = 0
    reads: bool = False

    def __str__(self) -> str:
        return "-".join(self.words.split()[:2])


AGAIN = "the same command begins again"
LONG = [
    Long("match diamonds search:9s search:9s --jobs 2", "games", AGAIN, workers=2),
    Long("match diamonds random random --games 1000000000", "games .* [1-9]", "after .* these are their figures"),
    Long(
        "simulate kuhn --games 1000000000000", "games .* [1-9]", "The others: the same command with --seed .* --games"
    ),
    Long("simulate diamonds --player search:9s --jobs 2", "games", AGAIN, workers=2),
    Long("corpus there hearts --by best:9000 --jobs 2", "games", "0 of 1 .*; the same command goes on", workers=2),
    Long("corpus there leduc --decisions 1000000000000", "decisions .* [1-9]", "the same command goes on"),
    Long("audit kuhn leduc --games 1000000", "end", "0 of 2 games, at .*The others: the same command with kuhn leduc"),
    Long("skill diamonds --seconds 86400", "against random", AGAIN),
    Long("bench kuhn leduc --mode clone", "kuhn", AGAIN),
    Long("exploit leduc --player search:2000 --seeds 10000", "asked:", "Stopped after asking in .* of 936 information"),
    Long("score cfr+:999999999 --setting kuhn", "kuhn", "0 scores. .* begins again; with --out FILE it would go on"),
    Long("train diamonds --games 1000000000 --out x.npz", "return", f"before the first line .*{AGAIN}"),
    Long("train kuhn --values --games 1000000000 --out x.npz", "error", f"Values are learned in one go.*{AGAIN}"),
    Long(
        "solve leduc --target 1e-99",
        "iterations:",
        "Stopped after .* iterations; continue with: parlour solve --resume",
    ),
    Long("solve leduc --method mccfr --seconds 90000", "sets met", f"Stopped after .* iterations; {AGAIN}"),
    Long("atlas kuhn --games 1000000000", "games", "Stopped after 0 of 1 setting; the same command goes on"),
    Long("serve --port 0", "Parlour is running at", "The tables are kept; the same command opens them again"),
    Long("play kuhn --seed 1", "› ", "You didn't play, so no record was saved", reads=True),
    Long("learn diamonds --pace 0", "Enter|Type", "the same command begins the lesson again", reads=True),
    Long("replay one.rec --step", "Kuhn poker: ", AGAIN, reads=True),
    Long("verify -", "", AGAIN, reads=True),
    Long("odds diamonds --record -", "", AGAIN, reads=True),
]
READS = """
from parlour.cli.common import files
content = files.content
def reads(file): print("reading", flush=True); return content(file)
files.content = reads
from parlour.cli.app import main
main()
"""
"""A command that says when it begins to read."""


def begun(words: str, folder: Path, program: str = PARLOUR[-1]) -> pexpect.spawn[str]:
    """Start a command at a terminal, whose Ctrl-C reaches all its processes."""
    env = {**environment(folder), "PARLOUR_DATABASE": f"sqlite:///{folder}/room.db"}
    return pexpect.spawn(
        sys.executable, ["-c", program, *words.split()], cwd=folder, env=env, dimensions=(40, 200), encoding="utf-8",
        timeout=LIMIT, preexec_fn=heed_ctrl_c,
    )  # fmt: skip


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def hears_no_ctrl_c(process: str) -> bool:
    """Whether the signal is blocked or ignored there, from the first moment on: otherwise a traceback is likely."""
    status = Path(f"/proc/{process}/status").read_text()
    masks = [int(mask, 16) for mask in re.findall(r"^Sig(?:Blk|Ign):\s*(\w+)", status, re.MULTILINE)]
    return len(masks) == 2 and any(mask >> signal.SIGINT - 1 & 1 for mask in masks)


BY_SIGTERM = ("solve leduc --target 0", "match diamonds search:9s search:9s --jobs 2", "verify -")
"""Commands that are also told to end by this signal, which does not reach their workers."""
SHORT = {
    "match diamonds search:9s search:9s --jobs 2": signal.SIGINT,
    "audit kuhn leduc --games 1000000": signal.SIGINT,
    "verify -": signal.SIGINT,
    "solve leduc --target 1e-99": signal.SIGTERM,
}
SIGNALS = [(one, signal.SIGINT) for one in LONG] + [(one, signal.SIGTERM) for one in LONG if one.words in BY_SIGTERM]
TRIED = the_rest_long(SIGNALS, [(one, number) for one, number in SIGNALS if SHORT.get(one.words) == number])


@pytest.mark.parametrize("tried", TRIED, ids=lambda tried: f"{tried[0]}-{tried[1].name}")
def test_ctrl_c_says_how_to_go_on_in_every_long_command(tmp_path: Path, tried: tuple[Long, signal.Signals]) -> None:
    long, number = tried
    state = parlour.load("kuhn").new(seed=1)
    state.apply("bet")
    (tmp_path / "one.rec").write_text(state.record())
    child = begun(long.words, tmp_path, PARLOUR[-1] if long.sign else READS)
    child.expect(long.sign or "reading")
    if long.workers:
        started = long.workers + 1  # and the process that tidies up after them
        wait_until(lambda: len(children(child.pid)) >= started, "the workers do not start")
        assert all(map(hears_no_ctrl_c, children(child.pid)))
    if long.reads and number == signal.SIGINT:
        said = interrupt(child)
    else:
        child.sendintr() if number == signal.SIGINT else child.kill(number)
        child.expect(pexpect.EOF)
        child.close()
        said = child.before or ""
    said = " ".join(ESCAPES.sub("", said).split())
    assert "Traceback" not in said
    assert child.exitstatus == 130, said
    assert re.search(long.says, said), said


def test_a_corpus_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """To the same bytes; a game that is finished is not played again."""
    words = "corpus {folder} kuhn leduc --games 40 --jobs 1"
    whole = says(words.format(folder=tmp_path / "whole"))[1]
    played, add = list[str](), Folder.add

    def stop(folder: Folder, game: Written) -> None:
        played.append(folder.folder.name)
        add(folder, game)
        if played.count("leduc") == 9:
            raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "add", stop)
    code, out, err = says(words.format(folder=tmp_path / "parts"))
    assert (code, out) == (130, whole.splitlines(keepends=True)[0])
    assert err == "Stopped after 1 of 2 games' folders; the same command goes on.\n"
    del played[:]
    assert says(words.format(folder=tmp_path / "parts"))[:2] == (130, out)
    assert "kuhn" not in played
    monkeypatch.setattr(Folder, "add", add)
    assert says(words.format(folder=tmp_path / "parts"))[:2] == (0, whole)


def test_the_folder_of_a_match_that_was_stopped_has_the_games_that_were_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    add, there = Folder.add, tmp_path / "there"

    def stop(folder: Folder, game: Written) -> None:
        if game.deal == 3:
            raise KeyboardInterrupt
        add(folder, game)

    monkeypatch.setattr(Folder, "add", stop)
    code, _, err = says(f"match kuhn random random --games 40 --jobs 1 --out {there}")
    assert (code, err.count("\n")) == (130, 1)
    assert f"Stopped after 6 of 40 games; these are their figures. {there} has them" in err
    assert json.loads((there / "match.json").read_text())["games"] == 6 == len([*(there / "records").iterdir()])


ENDLESS = """
import os
from threading import Event
from parlour.cli.app import main
from parlour.study import runners, surveying
wait = runners.wait
def play(game, seeds, to):
    if seeds: Event().wait()
    return 0
def waits(*given):
    os.write(2, b"waiting")
    return wait(*given)
surveying._at_random, runners.wait = play, waits
main()
"""
"""Machine code cannot be stopped, and here it never ends by itself."""


def test_ctrl_c_does_not_wait_for_machine_code(tmp_path: Path) -> None:
    child = begun("simulate kuhn", tmp_path, ENDLESS)
    child.expect("waiting")
    child.sendintr()
    child.expect(AGAIN)
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (130, None)


def test_a_signal_that_wakes_nobody_is_heard_nevertheless() -> None:
    """Python notices a signal between two steps, not while it waits, unless the wait is what the signal interrupts."""
    ended, free, waiting = list[int](), threading.Event(), threading.get_ident()

    def work(part: int) -> None:
        if part == 0:
            wait_until(lambda: sys._current_frames()[waiting].f_code.co_name == "wait", "nobody waits")
            signal.raise_signal(signal.SIGINT)  # in this thread, so that the other one's wait goes on
        else:
            free.wait(LIMIT)
            ended.append(part)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            deque(in_threads(work, range(1, -1, -1), 2))
        assert not ended
    finally:
        free.set()
        signal.signal(signal.SIGINT, before)


def test_few_parts_are_handed_out_ahead_of_time() -> None:
    """There may be millions, which take minutes to hand out."""
    parts = iter(range(1_000_000))
    assert next(in_threads(abs, parts, 2)) == 0
    assert next(parts) < 9
