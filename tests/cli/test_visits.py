"""Friends at their terminals, and bots, at the tables of a server."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import httpx
import pexpect
import pytest

import parlour
from parlour.base.languages import translated
from parlour.cli.host import serve
from parlour.cli.play.play import _asked_name
from parlour.cli.play.remote_table import Visit
from parlour.core.verifying import verify
from parlour.players import make
from parlour.server.client.client import Client, Snapshot
from parlour.server.client.tickets import Ticket, make_table, sit_down
from parlour.server.common import wire
from tests.cli.test_terminal import environment
from tests.cli.test_terminal import play as played
from tests.helpers import Says, assert_one_sentence, heed_ctrl_c, interrupt, the_rest_long, there
from tests.room_helpers import Clock, Server, running
from tests.waiting import LIMIT, wait_until

PARLOUR = [sys.executable, str(Path(__file__).parents[1] / "patient.py")]
HOUSES: dict[str, Server] = {}
"""Servers in this process."""
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


@contextmanager
def serving(folder: Path, *words: str, cwd: Path | None = None) -> Iterator[str]:
    """A server that runs, in another folder if that is wanted; its address."""
    command = [*PARLOUR, "serve", "--jobs", "1", *words]
    with subprocess.Popen(command, env=environment(folder), stdout=subprocess.PIPE, text=True, cwd=cwd) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            address = re.search(r"http://\S+:\d+", said)
            assert address, said
            wait_until(lambda: answers(address[0]))
            yield address[0]
        finally:
            process.terminate()
            process.wait(LIMIT)


def answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health").is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patient, running(tmp_path_factory.mktemp("server") / "p.db") as house:
        for seconds in ("PLEDGE_SECONDS", "NONCE_SECONDS"):
            patient.setattr(f"parlour.server.live.croupier.{seconds}", LIMIT)
        HOUSES[house.url] = house
        yield house.url


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, LIMIT))


def a_table(server: str, game: str = "kuhn", **wanted: Any) -> str:
    """A table without guests; its link.  The first match begins when the first of them sits down."""
    return HOUSES[server].lay(game, **wanted)


def about(link: str) -> dict[str, Any]:
    """What a server says of a table."""
    server, _, code = link.rpartition("/t/")
    said: dict[str, Any] = httpx.get(f"{server}/api/1/tables/{code}").raise_for_status().json()
    return said


def guests(link: str) -> list[str]:
    return [seat["name"] for seat in about(link)["seats"] if seat["guest"]]


class Proxy:
    """Stands between a client and a server, and breaks a given number of connections after some messages each."""

    def __init__(self, server: str, after: int = 0, times: int = 0) -> None:
        self.host, _, self.port = server.removeprefix("http://").partition(":")
        self.after, self.times, self.down = after, times, False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.down:
            writer.transport.abort()
            return
        there, out = await asyncio.open_connection(self.host, int(self.port))
        left = self.after

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            nonlocal left
            while data := await source.read(65536):
                left -= 1
                if self.down or (left < 0 < self.times):
                    self.times -= 1
                    writer.transport.abort()
                    out.transport.abort()
                    return
                sink.write(data)
            sink.close()

        await asyncio.gather(pump(reader, out), pump(there, writer), return_exceptions=True)


async def play(client: Client, own: list[str]) -> str:
    """Play one match with random actions, kept in ``own``; its record."""
    player = None
    answered: object = None
    async for event in client.events():
        known = client.known
        if not isinstance(event, Snapshot) or known is None:
            continue
        if known.telling.over:
            break
        player = player or make("random", known.game, seed=1)
        question = known.telling.match, known.telling.version
        if known.legal and answered != question:
            answered = question
            view = there(known.view)
            own.append(known.game.action_names[player.choose(view, known.legal)])
            await client.act(own[-1])
    while "\nsecret: " not in (record := await client.record()):
        await asyncio.sleep(0.02)
    return record


def test_a_match_over_a_connection_that_breaks_again_and_again(server: str) -> None:
    proxy = Proxy(server, after=9, times=4)

    async def check() -> None:
        async with proxy.open() as address:
            wanted: dict[str, Any] = {"pace": 0, "grace": 3600, "contributes": True}
            wanted["options"] = {"games": "5"}  # 40 decisions or more for Zoe: enough to be cut off four times
            made = await make_table(server, name="Zoe", game="diamonds", bots="random", **wanted)
            ticket = Ticket(address, made.table, made.link, made.seat, made.token)
            own: list[str] = []
            async with Client(ticket) as client:
                record = await play(client, own)
                assert client.known is not None
                told = [(s.clause, s.event, s.who, s.a, s.b) for s in client.known.story]
                breaches = client.witness.against(record, ["Zoe", "Ada"])
        state = parlour.replay(record)
        assert state.is_terminal
        assert [step.name for step in state.history if step.player == made.seat] == own  # each exactly once
        assert told == [(t.clause, t.event, t.who, t.a, t.b) for t in state.events(made.seat)]
        assert breaches == []
        assert verify(record).is_fair
        assert proxy.times == 0

    run(check())


def test_bots_play_matches_among_themselves(server: str, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    monkeypatch.setattr("parlour.server.client.tickets.ANSWER", LIMIT)
    link = a_table(server)
    code, out, err = says(f"bot {link} --player random --matches 2")
    assert (code, out.startswith(f"At {link}, in seat"), err) == (0, True, "")
    assert (guests(link), about(link)["match"]) == ([], 2)


IMPATIENT = """
import uvicorn
from parlour.cli.app import main
ends = uvicorn.Server.handle_exit
def twice(*given): ends(*given); ends(*given)
uvicorn.Server.handle_exit = twice
main()
"""
"""A server at which each Ctrl-C is pressed twice, the second time before anything has come of the first."""


def test_whoever_presses_ctrl_c_twice_sees_no_traceback(env: dict[str, str]) -> None:
    words = ["-c", IMPATIENT, "serve", "--port", "0"]
    child = pexpect.spawn(sys.executable, words, env=env, encoding="utf-8", timeout=LIMIT, preexec_fn=heed_ctrl_c)
    child.expect(r"In the terminal: .*(http://\S+)\r\n")
    address = str(child.match[1])
    wait_until(lambda: answers(address))
    assert interrupt(child).strip(" \r\n^C") == "Stopped. The tables are kept; the same command opens them again."
    assert child.exitstatus == 130


@pytest.mark.parametrize("number", the_rest_long([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
def test_a_bot_plays_another_match_when_its_friend_wants_one_and_gives_its_seat_back_when_it_is_stopped(
    server: str, env: dict[str, str], number: signal.Signals
) -> None:
    link = a_table(server, awaits=2)
    words = [*PARLOUR, *f"bot {link} --player random --name Robo --seat 1".split()]
    process = subprocess.Popen(words, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    assert guests(link) == ["Robo"]

    async def check() -> None:
        async with Client(await sit_down(link, "Zoe")) as client:
            await play(client, [])
            await client.again()
            async for _ in client.events():
                if client.known is not None and client.known.telling.match >= 2:
                    break
            await client.leave()

    try:
        run(check())
    finally:
        process.send_signal(number)
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + number
    assert ("The seat is given up" in err) == (number == signal.SIGINT)
    assert guests(link) == []


def terminal(env: dict[str, str], words: str) -> pexpect.spawn:
    return pexpect.spawn(
        PARLOUR[0], [*PARLOUR[1:], "play", *words.split()], env=env, dimensions=(24, 80), encoding="utf-8",
        timeout=LIMIT, preexec_fn=heed_ctrl_c,
    )  # fmt: skip


def sitting(folder: Path, link: str, name: str, seat: int, words: str = "--plain") -> pexpect.spawn:
    return terminal(environment(folder / name), f"--table {link} --name {name} --seat {seat} --pace 0 {words}")


def piped(env: dict[str, str], words: str, typed: str) -> str:
    command, more = [*PARLOUR, "play", *words.split()], {"input": typed, "timeout": LIMIT}
    return str(subprocess.run(command, env=env, check=True, capture_output=True, text=True, **more).stdout)  # type: ignore[call-overload]


def last_number(text: str) -> str:
    return "" if "press Enter to take it" in text[-300:] else str(re.findall(r"^(?:.*  )?(\d+)\b", text, re.M)[-1])


def test_two_friends_and_bots_play_two_matches(server: str, tmp_path: Path) -> None:
    """The third player is the server's bot.  Nothing happens before Zoe's first choice, so Max comes in time."""
    envs = [environment(tmp_path / name) for name in ("zoe", "max")]
    wanted = f"diamondback --players 3 --server {server} --name Zoe --pace 0 --option hands=1 --option first_dealer=0"
    host = terminal(envs[0], wanted)
    host.expect(r"parlour play --table (http://[\w.:/]+)")
    link = host.match[1]
    friend = terminal(envs[1], f"--table {link} --name Max --pace 0")
    friend.expect("Diamondback")
    playing, texts, end = {host: 2, friend: 2}, {host: "", friend: ""}, time.monotonic() + LIMIT
    while any(playing.values()):
        assert time.monotonic() < end, texts
        for child in [one for one, matches in playing.items() if matches]:
            seen = ["› ", r"Play again\? \[y/n\] ", "One moment|Waiting for", pexpect.TIMEOUT]
            found = child.expect(seen, timeout=0.2)
            if found == 3:
                continue
            texts[child] += ESCAPES.sub("", child.before)
            if found == 0:
                child.sendline(last_number(texts[child]))
            elif found == 1:
                playing[child] -= 1
                child.sendline("y" if playing[child] else "n")
    for child, env in zip((host, friend), envs, strict=True):
        child.expect(pexpect.EOF)
        child.close()
        text = " ".join(texts[child].split())
        assert (child.exitstatus, "Beware" in text) == (0, False)
        assert text.count("The secret fits the commitment.") == 2
        assert text.count("cards and other chances fell as the secret") == 2
        assert "Another match begins." in text
        records = [record.read_text() for record in Path(env["XDG_STATE_HOME"]).rglob("*.rec")]
        assert [parlour.replay(record).is_terminal and verify(record).is_fair for record in records] == [True, True]
    assert "Max sits down in" in " ".join(texts[host].split())
    assert guests(link) == []


def test_what_is_said_and_asked_at_a_table(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while somebody waits, at a terminal or in a pipe."""
    link = a_table(server, "diamondback", players=3, options={"first_dealer": "0"})
    ann = sitting(tmp_path, link, "Ann", 0)
    ann.expect("Your choice: ")
    ben = sitting(tmp_path, link, "Bert", 1)
    ben.expect("Waiting for Ann")
    ben.sendline("say hello Ann")
    ben.expect("Bert says: hello Ann")
    ben.sendline("?")
    ben.expect("DB-[0-9]+[.]")
    ben.sendline("relieve Ann")
    ben.expect("Ann may think for 3 minutes; then you can let a bot choose.")
    cy = piped(environment(tmp_path / "Cy"), f"--table {link} --name Cy --plain", "help\nlog\nsay hi\nquit\n")
    assert re.search(r"\nsay TEXT: send a message.*\(DB-\d+\)\nCy says: hi\n", cy, re.DOTALL), cy
    ben.sendline("who")
    ben.expect("Seat 0: Ann[.].*Seat 2: [A-Z][a-z]+ [(]random[)][.]")
    ben.sendline("fold")
    ben.expect("You can't")  # it is not this player's turn, and a clause says so
    ann.sendline("say")
    ann.expect("Say what")
    ann.expect("Your choice: ")
    for line, answer in {
        "why wager 1": "is allowed",
        "? DB-20": "DB-20[.]",
        "hint": "Try [a-z]+[ 0-9]*: ",
        "mute Bert": "You have muted Bert.",
        "mute Bert off": "You have unmuted Bert.",
        "again": "The match is not over.",
        "host takeovers off": "The host closes the table to takeovers",
        "host lock": "The host locks the table",
        "host remove Max": "Nobody here is called Max.",
        "host": "Type host remove NAME, host lock",
        "undo": "can't take anything back",
        "log": "[(]DB-",
        "save": "The record is in",
        "help": "say TEXT: send a message to everybody",
    }.items():
        ann.sendline(line)
        ann.expect(answer)
        ann.expect("Your choice: ")
    ann.sendline("fold")
    ann.expect("You fold")
    ben.expect("Ann folds")
    ben.expect("Your choice: ")
    ann.sendline("say well played")
    ann.sendline("who")
    ann.expect("Seat 0: Ann, you.")
    asks_until(ben, "table", "Ann says: well played")  # what has come in since then is shown first
    monkeypatch.setattr("parlour.server.live.seating.SLOW", 0)
    ann.sendline("relieve Bert")
    ann.expect("Bert is away: a bot")
    ann.sendline("host remove Bert")
    ann.expect("The host removes Bert")
    asks_until(ben, "table", "The host removes Bert")
    ben.expect(pexpect.EOF)
    ben.close()
    said = " ".join(interrupt(ann).split())
    assert "The record so far is in" in said
    assert f"To sit down again: parlour play --table {link}" in said
    assert (ann.exitstatus, "Traceback" in said) == (130, False)
    assert guests(link) == []


def asks_until(child: pexpect.spawn[str], line: str, shown: str) -> None:
    """Type a line again and again until something is shown: at a prompt, what comes in is shown with the next line."""
    end = time.monotonic() + LIMIT
    while True:
        child.sendline(line)
        if child.expect([shown, pexpect.TIMEOUT], timeout=5) == 0:
            return
        assert time.monotonic() < end, f"never shown: {shown}"


def test_what_is_typed_too_late_is_not_done(server: str, tmp_path: Path, clock: Clock) -> None:
    link = a_table(server, patience=60)
    child = sitting(tmp_path, link, "Ann", 0)
    child.expect("Your choice: ")
    table = str(about(link)["table"])
    clock.advance(HOUSES[server], table, 1)  # that she is asked is noticed now at the latest
    clock.advance(HOUSES[server], table, 60)
    state = there(HOUSES[server].tables.live[table].table.state)
    wait_until(lambda: any(step.player == 0 for step in state.history))
    child.sendline("bet")
    child.expect("so a bot is playing for you")
    child.expect("The game has moved on since, so your choice was not used.")
    child.expect("wins[.]|Your choice: ")
    child.close()


def test_who_was_cut_off_finds_his_seat_again(
    server: str, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    link = a_table(server)
    words = f"--table {link} --name Ann --plain --pace 0"
    child = terminal(env, f"{words} --seat 0")
    child.expect("Your choice: ")
    child.kill(signal.SIGKILL)
    child.close()
    (kept,) = Path(env["XDG_STATE_HOME"]).rglob("seats/*.json")
    assert kept.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("XDG_STATE_HOME", "/nowhere")  # somebody else
    assert_one_sentence(says(f"play {words}"), named="is called Ann; choose another")
    back = played(env, words, "who\nleave\n")
    assert (back.returncode, back.stderr) == (0, "")
    assert "Seat 0: Ann, you." in back.stdout
    assert not list(Path(env["XDG_STATE_HOME"]).rglob("seats/*.json"))
    assert guests(link) == []


def test_a_whole_game_in_a_pipe(server: str, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    monkeypatch.setattr("parlour.cli.play.remote_table.OPENING", LIMIT)
    words = f"leduc --server {server} --name Zoe --against random --pace 0 --no-takeovers"
    done = played(env, words, "host takeovers on\n" + "1\n" * 20)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The host allows takeovers" in done.stdout
    assert "Zoe put a number in." in done.stdout
    (record,) = Path(env["XDG_STATE_HOME"]).rglob("*.rec")
    code, checked, _ = says(f"verify {record}")
    assert code == 0
    assert "Zoe put a number in." in checked
    alone = played(env, f"--table {a_table(server, awaits=2)} --name Zoe --pace 0", "begin\n" + "1\n" * 9)
    assert "The record is in" in alone.stdout


def test_a_terminal_lives_through_strange_guests_and_a_lost_connection(server: str, tmp_path: Path) -> None:
    """What others call themselves and say is no markup."""
    proxy = Proxy(server)

    async def check() -> None:
        async with proxy.open() as address:
            link = a_table(server).replace(server, address)
            child = await asyncio.to_thread(sitting, tmp_path, link, "Ann", 0, "")
            await asyncio.to_thread(child.expect, "› ")
            async with Client(await sit_down(link, "[/b]`\\\\\\")) as guest:
                await guest.say("\\\\\\S10 [/] `[red]")
                await guest.leave()
            await asyncio.to_thread(asks_until, child, "who", "leaves; ")
            child.sendline("who")
            await asyncio.to_thread(child.expect, "Seat 0: Ann, you")
            proxy.down = True
            child.sendline("bet")
            await asyncio.to_thread(child.expect, "Connection lost. Trying again.")
            proxy.down = False
            await asyncio.to_thread(child.expect, "Connected again.")
            await asyncio.to_thread(child.expect, "You bet")
            await asyncio.to_thread(interrupt, child)
            assert child.exitstatus == 130

    run(check())


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("play --table nowhere --name Zoe", "looks like http://"),
        ("play --table SERVER/t/BCDFGH --name Zoe", "There is no such table."),
        ("play --table LINK", "--name"),
        ("play --table LINK --name Zoe --seat 7", "There is no seat 7"),
        ("play --table LINK --name WhoeverHasSoLongAName", "WhoeverHasSoLongAName"),
        ("play kuhn --table LINK --name Zoe", "--table"),
        ("play --table http://127.0.0.1:9/t/BCDFGH --name Zoe", "parlour: http://127.0.0.1:9 does not answer ("),
        ("play kuhn --server SERVER --name Zoe --seed 3", "--seed"),
        ("play kuhn --server localhost:99999 --name Zoe", "65535"),
        ("bot LINK --player nobody", "'nobody'"),
        ("bot LINK --matches 0", "--matches"),
        ("serve --port 99999", "--port must be at most 65535, not 99999."),
        ("serve --port TAKEN", "Can't listen on 127.0.0.1, port"),
        ("serve --port 0 --database mine.db", "'mine.db' is not the URL of a database"),
        ("serve --database sqlite:///", "'sqlite:///' doesn't name a file"),
        ("serve --host nowhere.invalid", "Can't listen on nowhere.invalid, port"),
        (f"serve --host {'ä' * 80}", "That isn't the name of a machine"),
    ],
)
def test_mistakes_are_one_sentence(
    server: str, tmp_path: Path, monkeypatch: Any, says: Says, words: str, named: str
) -> None:
    """A server does not say before that it runs."""
    words = words.replace("LINK", a_table(server)).replace("SERVER", server).replace("TAKEN", server.rpartition(":")[2])
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    code, out, err = says(words)
    assert_one_sentence((code, out if words.startswith("serve") else "", err), named=named)


def test_whoever_finds_no_seat_is_told_how_to_watch(server: str, tmp_path: Path, monkeypatch: Any, says: Says) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    link = a_table(server)
    for name in ("Ann", "Ben"):
        asyncio.run(sit_down(link, name, None, ""))
    wanted = f"parlour: Every seat is taken; you can watch. To watch, open {link} in a browser.\n"
    assert says(f"play --table {link} --name Zoe") == (2, "", wanted)


def test_a_name_that_cannot_be_used_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody who presses Enter has given a --name."""
    typed = iter(["", "WhoeverHasSoLongAName", "Zoe"])
    monkeypatch.setattr("builtins.input", lambda _asked: next(typed))
    monkeypatch.setattr("sys.stdin", MagicMock(isatty=lambda: True))
    assert _asked_name(None) == "Zoe"
    said = capsys.readouterr().out
    assert said.count("A name has 1 to") == 2
    assert "--name" not in said


NASTY = "\x1b]0;owned\x07\x1b[2J\x9b5m\N{RIGHT-TO-LEFT OVERRIDE}\rparlour>"
"""It sets a terminal's title, clears it, colours it, turns the writing round and begins the line again."""


@contextmanager
def hostile(status: int, body: object) -> Iterator[str]:
    """A server that gives this answer to everything."""

    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            with suppress(OSError):  # it has heard enough
                self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        do_POST, log_message = do_GET, MagicMock()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


SEAT: dict[str, Any] = {"table": "a", "seat": 0, "token": "t", "link": "/t/A"}
ANSWERS: dict[str, tuple[int, object]] = {
    "sentence": (422, {"sentence": NASTY}),
    "clause": (422, {"sentence": NASTY, "clause": NASTY}),
    "parts": (422, {"sentence": "", "parts": {"template": NASTY, "values": {NASTY: NASTY}}}),
    "deep refusal": (422, b"[" * 100_000),
    "deep": (200, b"[" * 100_000),
    "types": (200, {"table": [[]], "token": 7}),
    "table": (200, {**SEAT, "table": f"a/../../{NASTY}"}),
    "token": (200, {**SEAT, "token": f"t\nX-Forwarded-For: {NASTY}"}),
    "bytes": (200, b"\xff\xfe"),
    "endless": (200, b" " * 100_000),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_a_hostile_server_answers_is_one_plain_sentence(
    answer: str, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.setattr("parlour.server.client.tickets.LONGEST_ANSWER", 100_000 - 1)
    with hostile(*ANSWERS[answer]) as address:
        for command in ("play --table {}/t/QWRTZP --name Ann", "play kuhn --server {}", "bot {}/t/QWRTZP"):
            code, _, said = says(command.format(address))
            assert code == 2
            assert re.fullmatch(r"parlour: [^\x00-\x1f\x7f-\x9f\u202e]+\n", said), said


def test_what_is_said_of_the_others_fits_the_moment() -> None:
    """Between two deals nobody asks for a match, and when one is over no bot plays on."""
    ben, gone = (wire.SeatHolder("Ben", "random", guest=True, away=away) for away in (False, True))
    for told, said in (
        ({"again": [1], "held": True, "over": False}, ["Ben wants to go on."]),
        ({"again": [1], "held": None, "over": True}, ["Ben wants another match."]),
        ({"players": [ben, gone], "over": True}, []),
        ({"players": [ben, gone], "over": False}, ["Ben is away: a bot (random) is playing."]),
    ):
        usual = {"players": [ben, ben], "match": 1, "again": [], "seat": 0, "frozen": "", "closed": ""}
        visit = MagicMock(me=0, _told=0, _known=MagicMock(telling=MagicMock(**usual)), _noticed=set())
        visit._names_in.return_value = ["Ann", "Ben"]
        Visit._learn(visit, MagicMock(telling=MagicMock(**{**usual, **told})))
        assert [translated(call.args[0]) for call in visit.screen.aside.call_args_list] == said


def test_a_private_server_says_how_to_give_its_password_and_that_it_was_wrong(
    monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    with hostile(401, {"sentence": "Private.", "clause": ""}) as address:
        for password, named in (("", "Set PARLOUR_PASSWORD to"), ("sesame", "holds a wrong password")):
            monkeypatch.setenv("PARLOUR_PASSWORD", password)
            assert_one_sentence(says(f"play --table {address}/t/QWRTZP --name Ann"), named=named)
        secure = address.replace("http", "https")
        assert_one_sentence(says(f"play --table {secure}/t/QWRTZP --name Ann"), named="address begins with http://")


def test_a_server_without_a_folder_of_its_own_says_what_to_name(monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    assert_one_sentence(says("serve"), named="--database sqlite:////FOLDER/FILE")


def test_a_server_for_everybody_says_an_address_that_a_phone_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one in the network; a phone knows no machine by its name, which is said where there is no network."""
    shown = []
    for own in ("192.168.7.5", "127.0.0.1", OSError(101, "Network is unreachable")):
        one = MagicMock()
        one.__enter__.return_value = one
        one.getsockname.side_effect = [own if isinstance(own, OSError) else (own, 4711)]
        monkeypatch.setattr("socket.socket", lambda *_, one=one: one)
        shown.append(serve._called("0.0.0.0"))
        monkeypatch.undo()
    assert shown == ["192.168.7.5", socket.gethostname(), socket.gethostname()]


def test_a_server_speaks_the_language_of_the_terminal(tmp_path: Path) -> None:
    environ = {**environment(tmp_path), "LC_ALL": "de_DE.UTF-8", "PARLOUR_DATABASE": f"sqlite:///{tmp_path}/room.db"}
    more: dict[str, Any] = {"env": environ, "encoding": "utf-8", "timeout": LIMIT, "preexec_fn": heed_ctrl_c}
    child = pexpect.spawn(PARLOUR[0], [*PARLOUR[1:], "serve", "--port", "0"], **more)
    child.expect(r"Parlour läuft unter (http://127.0.0.1:\d+);")
    made = httpx.post(f"{child.match[1]}/api/1/tables", json={"game": "kuhn", "name": "Ann"}).json()
    bot = pexpect.spawn(PARLOUR[0], [*PARLOUR[1:], "bot", made["link"]], **more)
    bot.expect("Am Tisch http://.* auf Platz 1[.]")
    assert "Der Platz ist frei" in interrupt(bot)
    said = piped(environ, f"--table {made['link']} --name Bert --plain", "sag Hello!\nende\n")
    assert "Bert sagt: Hallo!" in said, "a quick phrase of the page"
    assert "Die Tische bleiben erhalten" in interrupt(child)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has one family of addresses")
def test_a_server_for_everybody_answers_on_both_families_and_leaves_its_port(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--host", "::") as address:
        port = address.rpartition(":")[2]
        assert answers(f"http://127.0.0.1:{port}")
        assert answers(f"http://[::1]:{port}")
    with socket.create_server(("127.0.0.1", int(port))):
        pass
    assert (tmp_path / "parlour" / "room.db").exists()
