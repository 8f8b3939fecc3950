"""What all tests share: the record of clauses, hypothesis that always tries the same examples, the sampler game."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import os
import secrets
import sys
from collections.abc import Generator, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import typer.main
import typer.testing
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from hypothesis import HealthCheck, settings

import parlour
from parlour.engine import definition as definitions
from parlour.engine.definition import shelf
from tests.clauses_plugin import Clauses
from tests.gate_plugin import Gate, browsing, timed_as
from tests.helpers import Planter, Says, compiled, parlour_says
from tests.planted import write
from tests.waiting import FOR_EVER, LIMIT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.page_helpers import Person
    from tests.room_helpers import Clock, Server

STEADY: dict[str, Any] = {"derandomize": True, "deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("every run", max_examples=25, **STEADY)
settings.register_profile("long run", max_examples=100, **STEADY)
settings.load_profile("every run")
for _part in ("connect", "read", "write", "pool"):  # else 5 seconds, wherever a test asks a server for something
    setattr(DEFAULT_TIMEOUT_CONFIG, _part, LIMIT)
typer.main.get_command = vars(typer.testing)["_get_command"] = cache(typer.main.get_command)
"""Else every command that a test calls in its own process has all commands made out of their functions first."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: looking through it for garbage, again and again, costs as much as collecting it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


LEFT_OUT = "not long"


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Long tests that this run leaves out are not made first and thrown away then: there are thousands."""
    config = collector.config
    if config.option.markexpr != LEFT_OUT or any("::" in given for given in config.args):
        return None
    marks = getattr(obj, "pytestmark", []) if inspect.isfunction(obj) else []
    if any(mark.name == "long" for mark in marks) or collector.get_closest_marker("long") is not None:
        return []
    for mark in marks:
        if mark.name == "parametrize" and isinstance(tried := mark.args[1], list) and callable(mark.kwargs.get("ids")):
            short = [one for one in tried if "long" not in {mark.name for mark in getattr(one, "marks", ())}]
            tried[:] = short or tried
    return None


def pytest_report_header(config: pytest.Config) -> str | None:
    return 'left out: what is marked "long" (make test-long)' if config.option.markexpr == LEFT_OUT else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whatever draws examples is in the long run too, with all of them."""
    for item in items if config.option.markexpr == "long" else ():
        if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.long)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--interpreted", action="store_true", help="skip tests as soon as they want machine code")
    parser.addoption("--shuffled", metavar="SEED", help="run the tests in an order that is drawn by this seed")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Nothing is compiled in an interpreted run: whoever asks for machine code is skipped, and that is said."""
    if not session.config.option.interpreted:
        return

    def refuse(game: object) -> NoReturn:
        pytest.skip("needs machine code")

    honest = compiled
    for module in [*sys.modules.values()]:
        if vars(module).get("compiled") is honest:
            module.compiled = refuse  # type: ignore[attr-defined]


def pytest_configure(config: pytest.Config) -> None:
    if config.option.markexpr == "long":
        settings.load_profile("long run")
    config.pluginmanager.register(Clauses(config), "clauses")
    config.pluginmanager.register(Gate(config), "gate")
    parlour.register("sampler")


@pytest.fixture(scope="session", autouse=True)
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where tests keep what is kept: else games that they play are among the records of whoever runs them, in whose
    language commands would speak, too."""
    folder = tmp_path_factory.mktemp("states")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
            patch.delenv(name, raising=False)
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def state(states: Path, request: pytest.FixtureRequest) -> Path:
    """The folder for what is kept, of this test alone: nothing is there yet."""
    folder = states / sha256(request.node.nodeid.encode()).hexdigest()[:16]
    os.environ["XDG_STATE_HOME"] = str(folder)
    return folder


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for tables and for what limits requests; it stands still until the test moves it."""
    from tests.room_helpers import Clock

    return Clock(monkeypatch)


OPENED = pytest.StashKey[tuple[contextlib.ExitStack, "Browser"]]()


@pytest.fixture
def browser(pytestconfig: pytest.Config) -> Browser:
    """One browser for all tests that need one.  It stays open as long as modules with such tests follow each other."""
    from tests.page_helpers import a_browser

    if not (OPENED in pytestconfig.stash and pytestconfig.stash[OPENED][1].is_connected()):
        close_browser(pytestconfig)
        stack = contextlib.ExitStack()
        pytestconfig.stash[OPENED] = stack, stack.enter_context(a_browser())
    return pytestconfig.stash[OPENED][1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails with PostgreSQL shows what the server had to say last."""
    report = yield
    database = getattr(item, "funcargs", {}).get("postgres")
    if report.failed and database is not None:
        report.sections.append(("the end of PostgreSQL's log", database.log()))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """While a browser is open, its event loop counts as running: a test without it may run another one."""
    loop = asyncio._get_running_loop()
    if "browser" not in getattr(item, "fixturenames", ()):
        asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test may be a coroutine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}))
    return True


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if not nextitem or timed_as(nextitem.nodeid) not in browsing():
        close_browser(item.config)
    if nextitem is None or nextitem.path != item.path:
        forget_games(item.config)
        gc.collect()
        gc.freeze()  # what a module leaves stays: games, pages, compiled code; nobody need look through it again


def forget_games(config: pytest.Config) -> None:
    """Nothing is left of the games that tests have made: others give theirs the same names."""
    made = str(config._tmp_path_factory.getbasetemp())  # type: ignore[attr-defined]
    for name, module in [*sys.modules.items()]:
        if (getattr(module, "__file__", None) or "").startswith(made):
            del sys.modules[name]


def pytest_unconfigure(config: pytest.Config) -> None:
    close_browser(config)  # a run that was stopped


def close_browser(config: pytest.Config) -> None:
    if OPENED in config.stash:
        config.stash[OPENED][0].close()
        del config.stash[OPENED]


PORT = pytest.StashKey[int]()


@pytest.fixture(scope="module")
def lasting_house(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Server]:
    """A server for all tests of a module that need no server of their own: where that of the module before was, if the
    port is still free, so that the browser has read its styles and scripts."""
    from parlour.server.live import housekeeping
    from parlour.server.page import house_rules
    from parlour.server.site import front
    from tests.room_helpers import running

    folder, port = tmp_path_factory.mktemp("house"), pytestconfig.stash.get(PORT, 0)
    with pytest.MonkeyPatch.context() as only, running(folder / "p.db", port=port) as server:
        pytestconfig.stash[PORT] = server.port
        for part in (front, house_rules):
            only.setattr(part, "games", shelf)  # other tests have registered games of their own
        only.setattr(secrets, "randbits", Random(1).getrandbits)  # chance where a match goes on from a record
        only.setattr(housekeeping, "IDLE", FOR_EVER)  # a test that lets days go by keeps its table in its hands
        yield server
        if OPENED in pytestconfig.stash:
            from tests.page_helpers import all_leave

            all_leave()


@pytest.fixture
def house(lasting_house: Server, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server of the module as if nobody had sent it anything, with the cards and names of this test."""
    from parlour.server.common.limits import Allowances
    from parlour.server.common.outside import Outside

    lasting_house.app.state.allowances = Allowances()
    monkeypatch.setattr(Outside, "chance", Random(request.node.nodeid))
    return lasting_house


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Says:
    """Calls `parlour` with some words here: how it ends, what it prints, and what it says of mistakes."""
    return lambda words: parlour_says(words, monkeypatch, capsys)


def somebody(browser: Browser, house: Server) -> Iterator[Person]:
    """Somebody at the house, with a browser of their own."""
    from tests.page_helpers import Person

    with Person(browser, house) as one:
        yield one


zoe, abe = pytest.fixture(name="zoe")(somebody), pytest.fixture(name="abe")(somebody)


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planter:
    """Makes games of an author: Kuhn with some texts of its rules changed, under a name of its own."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(definitions, "_registered", {**definitions._registered})

    def planted(name: str, *changes: tuple[str, str]) -> parlour.Game:
        write(tmp_path / name, "kuhn", changes)
        return parlour.load(name)

    return planted
