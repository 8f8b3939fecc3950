"""The long checks, piece by piece: ``make campaigns``.

What takes hours is cut into pieces of seconds or minutes: one setting of one game, one way to compile it.  Each piece
that is done gets a line in ``tests/campaigns/<campaign>-<game>.jsonl``, which is kept in the repository: what was done,
how many cases, when, on which commit, and what came of it.  So a run goes on where the last one stopped.

The *key* of a piece is what decides it: its rules, its engine (with the kernels and the bindings that it uses) and its
checker, each known by a digest of what they say, without comments, docstrings and layout.  What was shown on an older
key is shown again in its turn: first the games whose rules have changed, then the oldest.  The sum of it all is in
``tests/campaigns/README.md``.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import hashlib
import inspect
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tools.ages import age, head, rota, when, write_table

HERE = Path(__file__).parents[1] / "tests"
ROOT = HERE.parent
SOURCES = ROOT / "src" / "parlour"
AUDIT = SOURCES / "audit"
LOGBOOK = HERE / "campaigns"
SUMMARY = ROOT / "tests" / "campaigns" / "README.md"
OK = "ok"
GAMES = 10
"""Random games of each setting that is audited in full."""


class Piece(NamedTuple):
    """A part of a campaign that is done in one go."""

    campaign: str
    game: str
    setting: str

    def __str__(self) -> str:
        return " ".join(self)


class Done(NamedTuple):
    """What came of a piece.  ``result``: ``OK``, or what is wrong; ``idle``: checks that found nothing to look at;
    ``here``: whether it can be done on this machine, and so has been."""

    cases: int
    result: str = OK
    idle: tuple[str, ...] = ()
    here: bool = True


# ------------------------------------------------------------------------------------------ what is done


BOTS, DEAL = "bots", "; bots, deal "
"""The dearest check, and the only one that looks at each deal alone: where players search, each is a piece."""


def audited(game: str) -> Iterator[str]:
    """Each value of each option, alone, with each number of players."""
    from parlour.audit.campaign import campaign

    for setting in campaign(game):
        yield (named := _named(setting.game.players, setting.game.options))
        yield from (f"{named}{DEAL}{deal}" for deal in range(GAMES if _players_search(setting) else 0))


def _players_search(setting: Any) -> bool:
    from parlour.audit.material import MANY

    return setting.usual is None and setting.game.players <= MANY


def audit(piece: Piece) -> Done:
    """Every check of ``parlour audit`` on one setting; or what its players do in one deal."""
    from parlour.audit import CHECKS, look
    from parlour.audit.campaign import campaign

    named, _, deal = piece.setting.partition(DEAL)
    setting = next(one for one in campaign(piece.game) if _named(one.game.players, one.game.options) == named)
    effort, main = _surveys(piece.game).effort(setting), setting.usual is None
    checks = [BOTS] if deal else [check for check in CHECKS if check != BOTS or not _players_search(setting)]
    if deal:
        effort = effort._replace(seeds=[effort.seeds[int(deal)]])
    notes = [*look(setting.game, effort, checks, 12_000 if main else 0, main)]
    idle = tuple(note.check for note in notes if not note.cases and not note.spared)
    wrong = [f"{note.check}: {note.faults[0]}" for note in notes if note.faults]
    wrong += [
        f"{note.check}: nothing checked ({note.why_nothing})" for note in notes if note.check in idle and note.in_full
    ]
    return Done(sum(note.cases for note in notes), "\n".join(wrong) or OK, idle)


@cache
def _surveys(game: str) -> Any:
    from parlour.audit.campaign import Surveys

    return Surveys(range(GAMES))


def compared(game: str) -> Iterator[str]:
    """The default rules, each value of each option, and every two values, with each number of players."""
    from tests.helpers import all_settings

    return (_named(setting.players, dict(setting.options)) for setting in all_settings(game))


def parity(piece: Piece) -> Done:
    """Compiled and interpreted rules play the same deals."""
    from parlour.engine.definition import definition
    from tests.engine.test_parity import Budget, compare
    from tests.helpers import Setting

    players, options = _parsed(piece.setting)
    usual = options == definition(piece.game).options_for(players)
    much = 10 if usual else 1
    budget = Budget(deals=3_000, steps=30_000 * much, remembered=3_000 * much, tensors=300 * much)
    try:
        return Done(compare(Setting(piece.game, players, tuple(options.items())), budget))
    except AssertionError as error:
        return Done(0, f"compiled and interpreted rules differ: {str(error).strip().splitlines()[0][:300]}")


def ways_of_c(game: str) -> Iterator[str]:
    """Every way to compile."""
    from tools.every_driver import TWO_WAYS

    yield from TWO_WAYS
    yield SANITIZED


SANITIZED = "sanitized"


def every_driver(piece: Piece) -> Done:
    """Every driver does the same where C is compiled in this way; or does it under the sanitizers."""
    from tests.helpers import plain
    from tools.every_driver import MUCH, TWO_WAYS, all_of, runs_here

    if piece.setting == SANITIZED:
        from tests.engine.test_c import sanitized

        ran = sanitized(piece.game)
        return Done(1, OK if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["no output"])[-1])
    _, (_, level) = TWO_WAYS[piece.setting]
    if not runs_here(level):
        return Done(0, f"this machine cannot run code of level {level!r}, so the piece is left to another", here=False)
    try:
        return Done(all_of(plain(piece.game)[0].load(), MUCH, piece.setting))
    except AssertionError as error:
        return Done(0, f"compiled otherwise it differs: {str(error).strip().splitlines()[0][:300]}")


CAMPAIGNS: Mapping[str, tuple[Callable[[str], Iterable[str]], Callable[[Piece], Done], str]] = {
    "c": (ways_of_c, every_driver, "every driver does the same however it is compiled, and nothing in C is undefined"),
    "audit": (audited, audit, "every check of the audit, for each value of each option"),
    "parity": (compared, parity, "compiled and interpreted rules are the same, for every two values of options"),
}
"""Each campaign: the settings of a game that it has pieces for, what does a piece, and what it shows."""


def _named(players: int, options: Mapping[str, Any]) -> str:
    return " ".join([str(players), *(f"{name}={value}" for name, value in options.items())])


def _parsed(setting: str) -> tuple[int, dict[str, str]]:
    players, *options = setting.split(" ")
    return int(players), dict(option.split("=", 1) for option in options)


# ------------------------------------------------------------------------------------------ what it was done on


def digest(files: Iterable[Path], more: str = "") -> str:
    """What these files say, in Python or C: changes with every statement, not with comments, docstrings, layout and the
    words of an error."""
    said = hashlib.blake2b(more.encode(), digest_size=6)
    for file in sorted(files):
        text = file.read_text("utf-8")
        said.update(f"{file.name} {_statements(text) if file.suffix == '.py' else _words_of_c(text)}".encode())
    return said.hexdigest()


def _statements(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [one for one in body if not _is_text(one)]
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
    return ast.dump(tree)


def _words_of_c(text: str) -> str:
    return " ".join(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL).split())


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


FOLDERS = {
    "parity": ("rules", "core", "engine"),
    "audit": ("base", "rules", "core", "engine", "players"),
    "c": ("rules", "core", "engine", "players/kernels", "study/kernels", "solve/kernels"),
}
"""The folders whose modules a campaign has to do with: a change to learning leaves proofs of rules as they are, and one
to a sentence leaves what is played."""
NEVER = {"drawing.py", "reasons.py"}
"""Modules that no campaign runs: they draw tables and give reasons."""
TO_AUDIT = {"family.py", "invariants.py", "odds.py"}
"""Modules of a game that only the audit runs."""
TOLD = {"sentences.py", "slips.py", "typed_actions.py"}
"""Modules of the engine whose words only the audit reads."""


@cache
def engine(campaign: str) -> str:
    """The digest of all that games share, as far as a campaign has to do with it.  What only some of them share (a
    folder in ``rules``) counts as theirs."""
    folders = [SOURCES / folder for folder in FOLDERS[campaign]]
    files = [file for folder in folders for kind in ("*.py", "*.[ch]") for file in folder.rglob(kind)]
    left_out = NEVER if campaign == "audit" else NEVER | TOLD
    return digest(file for file in files if file.name not in left_out and file.parent.parent != SOURCES / "rules")


@cache
def rules(game: str, campaign: str) -> str:
    """The digest of a game's rules: its own modules, and those of rules that it shares with others, as far as a
    campaign has to do with them."""
    from parlour.engine.definition import definition

    modules = {Path(str(module.__file__)) for module in definition(game).sources}
    folder = SOURCES / "games" / game
    left_out = NEVER if campaign == "audit" else NEVER | TO_AUDIT
    return digest(modules | {*folder.glob("*.py")} - {folder / name for name in left_out})


@cache
def checker(campaign: str) -> str:
    """The digest of what does a piece: the function here, and the audit or the tests that it calls."""
    called = {"parity": "tests/engine/test_parity.py", "c": "tools/every_driver.py"}
    tests = [ROOT / file for file in with_imported(called[campaign])] if campaign in called else []
    function = ast.unparse(ast.parse(inspect.getsource(CAMPAIGNS[campaign][1])))
    return digest([*tests, *(AUDIT.rglob("*.py") if campaign == "audit" else ())], f"{GAMES} {function}")


@cache
def with_imported(file: str) -> frozenset[str]:
    """A file of tests or a tool, and those that it imports when it is imported itself, and so on; by their paths."""
    found, new = set[str](), {file}
    while new:
        found |= new
        texts = [(ROOT / one).read_text("utf-8") for one in new]
        lines = [
            line
            for text in texts
            for line in re.findall(r"^from ((?:tests|tools)[\w.]*) import (.*)$", text, re.MULTILINE)
        ]
        names = {f"{place}.{name}" for place, those in lines for name in re.findall(r"\w+", those)}
        files = {f"{name.replace('.', '/')}.py" for name in names | {place for place, _ in lines}}
        new = {one for one in files if (ROOT / one).is_file()} - found
    return frozenset(found)


def known_by(piece: Piece) -> dict[str, str]:
    """What a piece has to be done again for if it changes."""
    return {
        "rules": rules(piece.game, piece.campaign),
        "engine": engine(piece.campaign),
        "checker": checker(piece.campaign),
    }


# ------------------------------------------------------------------------------------------ the logbook


class Logbook:
    """What is known of the pieces, by campaign and game."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: dict[Piece, dict[str, Any]] = {}
        for file in sorted(folder.glob("*-*.jsonl")):
            campaign, _, game = file.stem.partition("-")
            for line in file.read_text("utf-8").splitlines():
                entry = json.loads(line)
                self.entries[Piece(campaign, game, entry.pop("setting"))] = entry

    def changed(self, piece: Piece) -> list[str]:
        """The parts of its key that have changed since a piece was done."""
        entry = self.entries.get(piece, {})
        return [part for part, said in known_by(piece).items() if entry and entry.get(part) != said]

    def state(self, piece: Piece) -> str:
        """``never`` done, ``red``, or ok: on an ``older`` key or today's."""
        entry = self.entries.get(piece)
        if entry is None or entry["result"] != OK:
            return "red" if entry else "never"
        return "older" if self.changed(piece) else OK

    def due(self, piece: Piece, again: bool = False) -> bool:
        """Whether a piece is to be done: ``again`` even if it is red on today's key."""
        state = self.state(piece)
        return state in ("never", "older") or (state == "red" and (again or bool(self.changed(piece))))

    def enter(self, piece: Piece, done: Done, seconds: float) -> None:
        """Write down what came of a piece."""
        entry: dict[str, Any] = {**known_by(piece)}
        entry |= {"cases": done.cases, "seconds": round(seconds, 1), "date": f"{datetime.date.today()}"}
        entry |= {"commit": head(), "result": done.result, **({"idle": done.idle} if done.idle else {})}
        self.entries[piece] = entry
        with self._file(piece).open("a", encoding="utf-8") as file:
            file.write(_line(piece, entry))

    def tidy(self, pieces: Iterable[Piece]) -> None:
        """One line a piece, in order; pieces that there are no more go."""
        for (campaign, game), some in _by_game(pieces).items():
            known = [piece for piece in some if piece in self.entries]
            if known:
                text = "".join(_line(piece, self.entries[piece]) for piece in known)
                self._file(Piece(campaign, game, "")).write_text(text, "utf-8")

    def _file(self, piece: Piece) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{piece.campaign}-{piece.game}.jsonl"


def _line(piece: Piece, entry: Mapping[str, Any]) -> str:
    return json.dumps({"setting": piece.setting, **entry}, ensure_ascii=False) + "\n"


def _by_game(pieces: Iterable[Piece]) -> dict[tuple[str, str], list[Piece]]:
    found: dict[tuple[str, str], list[Piece]] = {}
    for piece in pieces:
        found.setdefault((piece.campaign, piece.game), []).append(piece)
    return found


def summary(logbook: Logbook, pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    """One row for each campaign and game: what has never been done first, then the oldest."""
    rows = []
    for (campaign, game), some in _by_game(pieces).items():
        known = {piece: logbook.entries[piece] for piece in some if piece in logbook.entries}
        states = Counter(logbook.state(piece) for piece in some)
        idle = [set(entry.get("idle", ())) for piece, entry in known.items() if DEAL not in piece.setting]
        nowhere = set.intersection(*idle) if idle and len(known) == len(some) else set()
        row: dict[str, Any] = {"campaign": campaign, "game": game, "pieces": len(some)}
        row |= {state: states[state] for state in (OK, "older", "never", "red")}
        row["cases"] = sum(entry["cases"] for entry in known.values())
        row["minutes"] = sum(entry["seconds"] for entry in known.values()) / 60
        row["oldest"] = min(known.values(), key=when, default={})
        row["nowhere"] = sorted(nowhere)
        rows.append(row)
    return sorted(rows, key=lambda row: (not row["never"], when(row["oldest"])))


MARK = "<!-- the table below is written by `make campaigns` -->\n"


def write_summary(rows: Sequence[Mapping[str, Any]]) -> None:
    """The table of the pieces."""
    titles = (
        "campaign | game | pieces: | ok: | older key: | never: | red: | cases: | processor minutes: | oldest | commit"
    )
    counted = ("pieces", OK, "older", "never", "red", "cases")
    fields = (
        [
            *(row["campaign"], row["game"], *(f"{row[what]:,}" for what in counted), f"{row['minutes']:.0f}"),
            *(row["oldest"].get(what, "") for what in ("date", "commit")),
        ]
        for row in rows
    )
    write_table(SUMMARY, MARK, titles, fields)


# ------------------------------------------------------------------------------------------ the run


def all_pieces(words: Sequence[str] = ()) -> list[Piece]:
    """The pieces of the campaigns and games that are named, or of all if none is named."""
    from parlour.engine.definition import shelf

    campaigns = [name for name in CAMPAIGNS if name in words] or [*CAMPAIGNS]
    games = [game for game in shelf() if game in words] or shelf()
    return [
        Piece(campaign, game, setting)
        for campaign in campaigns
        for game in games
        for setting in CAMPAIGNS[campaign][0](game)
    ]


def in_turn(logbook: Logbook, pieces: Sequence[Piece], again: bool, draw: str) -> list[Piece]:
    """First the games whose rules have changed, then what is oldest; of these the first piece of each game, then the
    second of each: a run whose time is short has seen something of everything, and default rules before options."""
    turns = [piece for turn in zip_longest(*_by_game(pieces).values()) for piece in turn if piece is not None]

    def rank(piece: Piece) -> tuple[bool, str]:
        new = "rules" in logbook.changed(piece)
        return not new, "" if new else logbook.entries.get(piece, {}).get("date", "")

    return rota((piece for piece in turns if logbook.due(piece, again)), rank, turns, draw)


def work(piece: Piece) -> tuple[Done, float]:
    """Do a piece; also the seconds of processor time it took, with its children's."""
    began = sum(os.times()[:4])
    try:
        done = CAMPAIGNS[piece.campaign][1](piece)
    except Exception as error:
        done = Done(0, f"the piece stopped: {type(error).__name__}: {error}")
    return done, sum(os.times()[:4]) - began


def _begin() -> None:
    """What a process does first that does pieces."""
    import parlour

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path.insert(0, str(HERE))
    parlour.register("sampler")  # the tests imported expect it


def go(logbook: Logbook, queue: Sequence[Piece], jobs: int, minutes: float, console: Console) -> None:
    """Do these pieces, this many at a time, until the time is up."""
    end, left = time.monotonic() + 60 * minutes, [*queue][::-1]
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin)
    running: dict[Future[tuple[Done, float]], Piece] = {}
    try:
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("", total=len(queue))
            while running or (left and time.monotonic() < end):
                while left and len(running) < jobs and time.monotonic() < end:
                    piece = left.pop()
                    running[pool.submit(work, piece)] = piece
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    piece = running[future]
                    done, seconds = future.result()
                    del running[future]
                    if done.here:
                        logbook.enter(piece, done, seconds)
                    progress.update(task, advance=1, description=f"{piece.campaign} {piece.game}")
                    if done.result != OK:
                        console.print(f"{piece}:\n{done.result}", markup=False, highlight=False, soft_wrap=True)
    except BrokenProcessPool:
        lost = "; ".join(map(str, running.values()))
        console.print(f"A process was ended from outside, or ran out of memory, while it did one of: {lost}")
    finally:
        for process in list(pool._processes.values()) if running else []:
            process.kill()
        pool.shutdown(cancel_futures=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is due of the campaigns, or list it."""
    parser = argparse.ArgumentParser(prog="make campaigns", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument(
        "words", nargs="*", metavar="name", help=f"campaigns ({', '.join(CAMPAIGNS)}) or games; else all"
    )
    parser.add_argument("--list", action="store_true", help="only say what was done, and when")
    parser.add_argument("--again", action="store_true", help="do pieces again in which faults were found")
    parser.add_argument("--draw", default="", help="one piece in ten is drawn from all of them, by this seed")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no more pieces after so many minutes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="pieces at a time (%(default)s)")
    parser.add_argument("--logbook", type=Path, default=LOGBOOK, help="the folder of the logbook (%(default)s)")
    given = parser.parse_args(arguments)
    from parlour.engine.definition import shelf

    for word in given.words:
        if word not in {*CAMPAIGNS, *shelf()}:
            parser.error(f"{word!r} is neither a campaign ({', '.join(CAMPAIGNS)}) nor a game ({', '.join(shelf())}).")
    console, logbook = Console(), Logbook(given.logbook)
    pieces, stopped = all_pieces(given.words), False
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not given.list:
        try:
            todo = in_turn(logbook, pieces, given.again, given.draw)
            go(logbook, todo, given.jobs, given.minutes, console)
        except KeyboardInterrupt:
            stopped = True
        logbook.tidy(pieces)
    rows = summary(logbook, pieces)
    for row in rows:
        console.print(
            f"{row['campaign']} {row['game']}: {row['pieces']} pieces, {row[OK]} ok on today's key, {row['older']} on"
            f" an older one, {row['never']} never done, {row['red']} red; {row['cases']:,} cases"
            + (f"; the oldest {age(row['oldest'])} ago" if row["oldest"] else "")
            + (f"; nothing checked anywhere: {', '.join(row['nowhere'])}" if row["nowhere"] else ""),
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    if not given.list and given.logbook == LOGBOOK:
        write_summary(summary(logbook, all_pieces()))
    if stopped:
        console.print("Stopped; the next run goes on from here.")
        return 130
    return int(any(row["red"] or row["nowhere"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
