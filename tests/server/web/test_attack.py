"""The fast part of our own attacks (``make attack``), and what an attack says that succeeds."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest

from tools.attack import ATTACKS, PLANTED, Held, Named, Yard, attack_all

WORK = """import time
def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
"""
"""What takes a server a second, however busy the machine is."""
HOLES = {
    "undo after secrets": "import parlour.core.taking_back as g; g.teaches_nothing = lambda *a: True",
    "hushed question: what spectators notice":
        "from parlour.server.live.beat import Beat; Beat.left = property(lambda beat: 0.0)",
    "hushed question: metrics and counters":
        "import parlour.server.common.metrics as m; real = m.start_http_server; "
        "m.start_http_server = lambda port, where, registry: real(port, '0.0.0.0', registry)",
    "Diabolo: who holds the colour":
        "from parlour.core.game import State; State.hushed = property(lambda state: False)",
    "secret choices: who has still to choose":
        "import parlour.games.matrimony.stakes as g; "
        "from parlour.engine.interpreted import interpreted; "
        "g.is_forced = lambda s, p: g.least(s, p) == g.most(s, p)",
    "a shared deal that ends while somebody plays it":
        "from parlour.server.live.secrecy import Secrecy\n"
        "async def nobody(self, event): return False\nSecrecy._is_played = nobody",
    "a deal of the day that is played on past midnight": "import parlour.server.live.secrecy as t; t.OVERTIME = 0.0",
    "a hostile server at a terminal": "import parlour.cli.app as a; a.printable = lambda text: text",
    "a seed brought with a record": "import parlour, parlour.server.live.moves as m; m.taken_up = parlour.replay",
    "seat hopping, and a host's powers":
        "from parlour.server.table.hosting import Hosting; Hosting.may_sit = lambda *a: None",
    "long headers and forms, in two languages":
        f"{WORK}from parlour.server.web.proxies import Proxies; real = Proxies.scheme\n"
        "def scheme(self, peer, headers):\n"
        "    work((len(headers.get('forwarded', '')) / 3400) ** 2)\n"
        "    return real(self, peer, headers)\n"
        "Proxies.scheme = scheme",
    "record bombs":
        f"{WORK}from parlour.server.common.executors import Heavy\n"
        "async def do(self, what, *given): work(1); return what(*given)\nHeavy.do = do",
    "undo and connect in a long match":
        "from parlour.core.game import State\n"
        "at = State.at\n"
        "def slowly(state, steps): state.ledger.kept.mark = None; return [at(state, steps) for _ in range(400)][0]\n"
        "State.at = slowly",
    "bots that think for ever":
        "from parlour.server.bots.bots import Bots, _choose, json\n"
        "async def choose(self, kind, seed, view, legal):\n"
        "    return await self._thinkers.answer(_choose, kind, seed, json.encode(view.dump()), list(legal))\n"
        "Bots.choose = choose",
    "floods with fresh tokens":
        "from parlour.server.common.limits import RateCounter; RateCounter.is_used_up = lambda *a: False",
    "a match that is left when it is lost":
        "from parlour.server.table.table import Table; go = Table._goes\n"
        "def goes(self, entry): self.parts.pop(self.seats[entry.seat].key, None); go(self, entry)\nTable._goes = goes",
    "a seat taken over when it wins":
        "from parlour.server.store.history import MatchResult; MatchResult.is_rated = True",
    "results that come back":
        "from parlour.server.store.traces import COUNTED, Traces; real = Traces.keep_results\n"
        "def keep(self, *given):\n"
        "    self._store.transact(lambda connection: connection.execute(COUNTED.delete()))\n"
        "    real(self, *given)\n"
        "Traces.keep_results = keep",
    "commands without end": "import parlour.cli.app as a; a.printable = None",
    "a number that is pledged and withheld": "import parlour.server.live.croupier as c; c.NONCE_SECONDS = 3600",
    "one guest's bots that think at many tables":
        "import parlour.server.bots.bots as b; b.shared = lambda kind, waiting: kind",
    "a duplicate's list filled by one guest": "import parlour.server.club.duplicate as d; d.remove = lambda *a: None",
    "a hand known from practice":
        "from parlour.server.table.hosting import Hosting; Hosting.is_maker = lambda *a: True",
    "a database that another process has locked": "import parlour.server.web.mistakes as m; m._STATUS.pop(503)",
    "codes of invitations tried one by one":
        "from parlour.server.common.limits import RateCounter; RateCounter.is_used_up = lambda *a: False",
    "a vandal in a tournament's list":
        "import parlour.server.club.swiss as s; s.Swiss.known = property(lambda state: list(range(len(state.names))))",
    "a spoofed address": "from parlour.server.web.proxies import Proxies; Proxies.trusts = lambda *a: True",
    "pages of other sites": "import parlour.server.web.server as s; s.is_same_origin = lambda asked: True",
    "script in names and chat":
        "import jinja2, parlour.server.page.environment as r; "
        "r._Environment.html = staticmethod(lambda value: '' if type(value) is jinja2.Undefined else str(value))",
    "a phrase that somebody else has":
        "from parlour.server.live.identity import Tokens; Tokens.is_ours = lambda self, text: len(text) == 32",
    "what is left of a guest who deletes everything":
        "import parlour.server.store.in_log as p; p._without = lambda entry, *given: entry",
    "odd requests": "import parlour.server.web.server as s; s.first_of = None",
    "odd messages over a socket":
        "from parlour.server.common.limits import Allowance\nasync def use(self): return True\nAllowance.use = use",
    "the gate of a private parlour":
        "from parlour.server.web.auth import Gatekeeper; "
        "Gatekeeper._may_pass = lambda self, asked: asked.scope['path'] == '/health' or '/static' in str(asked.url)"
        " or asked.headers.get('x-parlour-password') == 'open sesame'",
    "files that other users read":
        "import os, pathlib; real = os.open; os.open = lambda path, flags, mode=0o777: real(path, flags, 0o666); "
        "pathlib.Path.chmod = lambda *a: None",
    "refusals contradict the rule in force":
        "import parlour.engine.ruleset as g; g.in_force = lambda game, clause: clause.text",
}  # fmt: skip
"""For each attack a hole in the server by which it succeeds."""


@pytest.mark.long
@pytest.mark.parametrize("name", HOLES)
def test_an_attack_succeeds_through_a_hole(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLANTED, HOLES[name])
    (one,) = (one for one in ATTACKS if one.name == name)
    found = asyncio.run(attack_all(tmp_path, [one]))
    for outcome in found[: len(one.ways)]:
        assert outcome.held is None, (outcome.name, outcome.held)
        assert "could not be carried out" not in outcome.trouble, outcome


def test_every_attack_has_a_hole_in_something_that_is_there_or_is_measured_otherwise() -> None:
    """A class or function that has another name now would leave no hole, or no server."""
    for hole in HOLES.values():
        there: dict[str, Any] = {}
        for line in ast.parse(hole).body:
            if isinstance(line, ast.Import | ast.ImportFrom):
                exec(ast.unparse(line), there)
            elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Attribute):
                assert eval(ast.unparse(line.targets[0]), there) is not None, hole
    assert {one.name for one in ATTACKS} - HOLES.keys() == {
        "a flood of hints", "an absent guest at a vote", "bots' time tells their choices",
        "phantom moves when a server fails (PostgreSQL)", "sockets that ask for nothing", "tampered and cut records",
        "undo while numbers are collected",
    }  # fmt: skip


def test_every_attack_is_made_in_two_languages_and_from_far_away(tmp_path: Path) -> None:
    """What it does not say otherwise: the language of a page, and an address that limits are for."""
    came = list[dict[str, str]]()

    async def looks(yard: Yard) -> Held:
        came.append(yard.came())
        return Held("", "")

    two, one = Named("x", looks, True), Named("y", looks, True, once="it looks once")
    found = asyncio.run(attack_all(tmp_path, [two, one]))
    assert [outcome.name for outcome in found] == ["x", "x (de, far)", "y", "faults of the server"]
    near = {"Accept-Language": "en"}
    assert came == [near, near, {"Accept-Language": "de", "X-Forwarded-For": two.address}]
