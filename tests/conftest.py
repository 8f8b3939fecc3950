"""What all tests share: the record of clauses, hypothesis that always tries the same examples, the sampler game; and
which tests run in one process."""

from __future__ import annotations

import contextlib
import gc
import inspect
import re
import secrets
import shutil
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import typer.main
import typer.testing
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from hypothesis import HealthCheck, settings

import parlour
import parlour.games.kuhn
from parlour.engine import definition as definitions
from parlour.engine.definition import shelf
from tests.clauses_plugin import Clauses
from tests.helpers import GAMES, Planter, compiled
from tests.waiting import LIMIT

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
            tried[:] = [one for one in tried if not is_long(one)] or tried
    return None


def is_long(tried: object) -> bool:
    """Whether these are parameters for the long run."""
    return any(mark.name == "long" for mark in getattr(tried, "marks", ()))


def pytest_report_header(config: pytest.Config) -> str | None:
    return 'left out: what is marked "long" (make test-long)' if config.option.markexpr == LEFT_OUT else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share what is dear run in one process, one after the other.  (Marks for that, ``xdist_group``, are not
    heeded: pytest-xdist 3.8 writes them where pytest 9.2 does not look.)"""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByWhatIsShared(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return shared_by(nodeid, long=config.option.markexpr == "long")

    return ByWhatIsShared(config, log)


def shared_by(test: str, long: bool) -> str:
    """What a test shares with others: the browser; the machine code of a game, which is then made once; or what its
    module has set up.  Long tests share nothing but a game."""
    module = test.partition("::")[0]
    if not long and has_browser(module):
        return f"browser {browsing().index(module) % BROWSERS}"
    return game_of(test) or (test if long else module)


BROWSERS = 2
"""How many there are at a time: one after the other, the tests of the page would take longer than all others."""


@cache
def browsing() -> list[str]:
    """The modules with tests that use a browser."""
    tests = sorted(Path(__file__).parent.rglob("test_*.py"))
    root = Path(__file__).parents[1]
    return [file.relative_to(root).as_posix() for file in tests if "browser: Browser" in file.read_text("utf-8")]


def has_browser(module: str) -> bool:
    """Whether there are tests in a module that use the browser."""
    return module in browsing()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Whatever draws examples is in the long run too, with all of them."""
    for item in items if config.option.markexpr == "long" else ():
        if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.long)
    yield
    if not config.option.interpreted:  # make quick has an order of its own
        in_order(items)


def in_order(items: list[pytest.Item]) -> None:
    """What waits for browsers, terminals and servers begins first, so that nobody waits for it at the end, and so does
    the solver, which has much to compute in one process; what only computes fills the gaps."""
    items.sort(key=lambda item: (not has_browser(item.nodeid.partition("::")[0]), not WAITS.search(item.nodeid)))


WAITS = re.compile("test_(visits|terminal|room_|compiling|bench|campaigns|solve)")


def browses(item: pytest.Item) -> bool:
    """Whether a test needs a browser."""
    return "browser" in getattr(item, "fixturenames", ())


def game_of(test: str) -> str | None:
    """The game that a test is about, by its name, its parameters or its module."""
    return next((game for game in GAMES if re.search(rf"(?<![a-z]){game}(?![a-z])", test)), None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--interpreted", action="store_true", help="skip tests as soon as they want machine code")


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
    parlour.register("sampler")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for tables and for what limits requests; it stands still until the test moves it."""
    from tests.room_helpers import Clock

    return Clock(monkeypatch)


OPENED = pytest.StashKey[tuple[contextlib.ExitStack, "Browser"]]()


@pytest.fixture
def browser(pytestconfig: pytest.Config) -> Browser:
    """One browser for all tests that need one.  It stays open as long as these follow each other (while it is open,
    nothing else in this process may run an event loop)."""
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


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if not (nextitem and (browses(nextitem) or nextitem.path == item.path)):
        close_browser(item.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    close_browser(config)  # a run that was stopped


def close_browser(config: pytest.Config) -> None:
    if OPENED in config.stash:
        config.stash[OPENED][0].close()
        del config.stash[OPENED]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of a module that need no server of their own."""
    from parlour.server.page import house_rules
    from parlour.server.site import front
    from tests.room_helpers import running

    with pytest.MonkeyPatch.context() as only, running(tmp_path_factory.mktemp("house") / "p.db") as server:
        for part in (front, house_rules):
            only.setattr(part, "games", shelf)  # other tests have registered games of their own
        only.setattr(secrets, "randbits", Random(1).getrandbits)  # chance where a match goes on from a record
        yield server


@pytest.fixture
def zoe(browser: Browser, house: Server) -> Iterator[Person]:
    """Somebody at the house, with a browser of their own."""
    from tests.page_helpers import Person

    with Person(browser, house) as one:
        yield one


@pytest.fixture
def abe(browser: Browser, house: Server) -> Iterator[Person]:
    """Somebody else there."""
    from tests.page_helpers import Person

    with Person(browser, house) as one:
        yield one


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planter:
    """Makes games of an author: Kuhn with some texts of its rules changed, under a name of its own."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(definitions, "_registered", {**definitions._registered})

    def planted(name: str, *changes: tuple[str, str]) -> parlour.Game:
        folder = tmp_path / name
        shutil.copytree(Path(parlour.games.kuhn.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
        rules = (folder / "rules.py").read_text()
        for before, after in changes:
            assert rules.count(before) == 1, before
            rules = rules.replace(before, after)
        (folder / "rules.py").write_text(rules)
        parlour.register(name)
        return parlour.load(name)

    return planted
