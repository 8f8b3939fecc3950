"""The numbers in documents about the code are the code's.

Each is worked out here, or stands in :data:`GIVEN`, or is of a measurement, which says when it was made.
"""

from __future__ import annotations

import inspect
import json
import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

import parlour
from parlour.audit import CHECKS
from parlour.audit.material import Material
from parlour.base import naming
from parlour.cli.host.serve import serve
from parlour.engine.c import building
from parlour.engine.definition import definition, shelf
from parlour.rules import bounds
from parlour.rules.vocabulary import note
from parlour.server.bots import bots, looking_back, reviews
from parlour.server.common import limits, phrases, trusted_clock, wire
from parlour.server.live import chat, connection, croupier, housekeeping, live_table, neighbours
from parlour.server.page import assets, at_table, guide, rendering, replays
from parlour.server.store import database, lease
from parlour.server.store.retention import Keep
from parlour.server.table import invitations
from parlour.server.web import connection_limits, proxies, rate_limits
from parlour.server.web.new_table import NewTable
from parlour.study import device, plan, training
from tests.engine.test_c_mistakes import MISTAKES
from tests.server.page import test_page_fast, test_page_fits
from tests.study import test_gpu_training
from tools import watching
from tools.website import ROOT, prose

DAY: Final = 86400.0
NUMERALS: Final = dict(enumerate(
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
     "thirteen", "fourteen", "fifteen", "sixteen"),
))  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.,/#×^-])\d[\d,.]*\b|\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|sixteen|twenty"
    r"|thirty|forty|fifty|sixty|hundred|half a|quarter)\b"
)
_MEASURED = re.compile(r"[Mm]easured|\b20\d\d\b|these sizes|in size")


def few(number: float) -> str:
    return NUMERALS[round(number)]


def so(is_so: bool, said: str) -> str:
    """What is said in words, if it is so."""
    return said if is_so else f"no longer: {said}"


def in_tables() -> Iterator[str]:
    terms = {name: field.default for name, field in NewTable.model_fields.items()}
    hush = {name: when for name in shelf() if (when := definition(name).hushed_when) is not None}
    assert [name for name, when in hush.items() if not when] == ["commit"]
    by_rule = [f"{definition(name).name} with `{when}`" for name, when in sorted(hush.items()) if when]
    yield f"it gives its seat back (exit codes {128 + signal.SIGINT} and {128 + signal.SIGTERM})"
    yield so(terms["pace"] == 1, "(`pace`, one second a move;")
    yield f"a page that says nothing for {connection.SILENT:g} seconds is not waited for"
    yield so(croupier.SHOWN == 0.5, f"they wait half a second for each, {few(croupier.BEHIND)} seconds at most")
    yield so(croupier.IN_A_ROW == 0.5, "moves right after another takes half the time")
    yield "at a pace of 0 they never wait"  # test_room_steps
    yield f"a link with a {few(invitations.CODE_LENGTH)}-letter code"
    yield f"({NewTable.model_fields['patience'].metadata[1].le / DAY:g} days at most)"
    closed = (housekeeping.FORSAKEN, housekeeping.ABANDONED) == (60 * DAY, DAY)
    yield so(closed, "after a day in which nobody used it, one by post after two months")
    yield f"Commit can't be played by post, nor can {' or '.join(by_rule)}"
    yield f"longer than `grace` ({terms['grace']:g} s)"
    yield f"one fixed `beat` ({terms['beat']:g} s)"
    yield f"1 to {naming.LONGEST_NAME} letters"
    yield f"at most {naming.MOST_CHARACTERS} characters."
    yield f"A letter may have {few(naming.ACCENTS)} accents ({few(naming.GREEK_ACCENTS)} in Greek)"


def in_room() -> Iterator[str]:
    yield f"## Interface, version {wire.VERSION}"
    yield f"| a command | {limits.LARGEST_FRAME >> 10} KiB | | a request | {limits.LARGEST_FORM >> 10} KiB"
    yield f"or {limits.LARGEST_BODY >> 20} MiB where it may bring a record"
    yield f"| an address, or a header | {limits.LONGEST_HEADER >> 10} KiB"
    yield f"a part of an address {limits.LONGEST_PART} characters"
    yield f"a field of a form {limits.LONGEST_FIELD:,} |"
    yield f"| {limits.BURST} in a burst, {limits.PER_SECOND:g} a second in the long run"
    yield f"after {few(limits.LONGEST_DELAY)} seconds' worth of excess"
    yield f"| {limits.STEPS:,} lines"
    yield f"{few(limits.LONGEST_THOUGHT)} seconds or {limits.SIMULATIONS['search']:,} simulations"
    yield f"(`best`: {limits.SIMULATIONS['best']:,})"
    yield f"{few(limits.HOUSEHOLD)} times as many commands, {few(rate_limits.READERS)} times as many requests"
    yield f"{connection_limits.CONNECTIONS} connections; {limits.TABLES} new tables"
    yield f"{rate_limits.MISSES} tables that don't exist in {few(rate_limits.MINUTES)} minutes"
    yield f"{limits.ROUND_TABLES:,} tables of their rounds and {limits.NEWCOMERS} people"
    yield f"{connection_limits.HEADERS_SECONDS:g} s for the next request"
    yield f"{connection_limits.BODY_SECONDS:g} s for the body of one"
    slow = so(connection_limits.TAKEN / connection_limits.SEND_SECONDS == 500, "less than half a kilobyte a second")
    yield f"{connection_limits.SEND_SECONDS:g} s without reading anything that waits, or {slow}"


def in_servers() -> Iterator[str]:
    asked = inspect.signature(serve).parameters
    kept = {one.name: asked[f"keep_{one.name}"].default for one in fields(Keep)}
    yield f"after {lease.LEASE:g} s if it has stalled"
    yield f"after {few(neighbours.ANSWER_SECONDS)} seconds nobody is"
    yield so(database.STALL == 1, "during which it stood still for a second")
    yield from (f"| `--keep-{name}` | `{default}` |" for name, default in kept.items())
    yield f"shows its last {chat.REMARKS} messages"
    yield so(trusted_clock.LEAP == 2 * DAY, "more than two days later than at the last look")
    yield so(trusted_clock.BACK == 60, "or more than a minute earlier")
    yield so(trusted_clock.DOUBTS == DAY, "Until a server has run for a day")
    yield f"a header is longer than {proxies.LONGEST:,} characters"


def file_of(name: str) -> str:
    return (Path(assets.__file__).parent / name).read_text("utf-8")


def number(file: str, before: str) -> float:
    found = re.search(rf"{re.escape(before)}([\d.]+)", file_of(file))
    assert found, f"{before} is not in {file}"
    return float(found[1])


SCRIPT = "static/parlour.js"


def in_playing() -> Iterator[str]:
    ways = [n for game in shelf() if (n := len(definition(game).presets))]
    thinks = at_table.ROUNDS * float(at_table.ROUND.removesuffix("s"))
    yield so(number("static/app.js", "EVERY = ") == 20000, "the page looks every 20 seconds")
    yield so(number("static/notify.js", "EVERY = ") == 60000, "it looks once a minute")
    yield "A stranger's first look takes 60 KB at most"  # test_front
    yield f"It thinks for {few(thinks)} seconds"
    yield so(at_table.ROUND == "0.5s", "shows after every half what seems best so far")
    yield f"{few(len(phrases.PHRASES))} quick phrases"
    yield f"for {few(guide.READING / 60)} minutes at most, whichever server"
    yield f"begins with {few(min(ways))} to {few(max(ways))} sets of house rules"
    yield f"{replays.ROOM >> 20} MiB of those looked at last"
    yield f"at most {looking_back.REVIEWED} of them, for {replays.LOOK.removesuffix('s')} seconds each"
    yield f"names the {few(looking_back.COSTLIEST)} that cost most for certain"
    yield so(looking_back.NORMAL == 1.96, "limits that hold 19 times out of 20")
    yield f"({few(looking_back.CERTAIN)} standard errors or more)"
    yield so(looking_back.LIKELY == 1.5, "*probably* (one and a half)")
    yield so(reviews.BUSY == 30, "after half a minute of waiting it is given up")
    after = number("templates/held.html", 'data-after="') / 1000
    yield f"automatically {few(after)} seconds after everything has been shown"
    yield f"(after {croupier.WAIT:g} seconds if none is set)"
    yield f"at most {few(looking_back.MOST)} choices (those with the most actions)"
    yield f"for {str(bots.LOOK.setting).removesuffix('s')} seconds each, from what you could see"


def in_page() -> Iterator[str]:
    yield f"stays as it is for {number(SCRIPT, 'MINE = ') / 1000:g} seconds after a card of your own"
    yield f"The page has {few(len(rendering.REGIONS))} regions"
    yield f"a page that says nothing for {connection.SILENT:g} seconds holds nobody up"
    yield f"keeps the page within {few(number(SCRIPT, 'BEHIND = ') / 1000)} seconds"
    yield so(live_table.LATELY == 60, "nobody else has looked at the table for a minute")
    yield so(at_table.SOON == 1, "the page reloads every second")
    yield f"only after {few(at_table.GONE_AFTER / 60)} minutes do they count as gone"
    yield f"tables in {few(len(test_page_fits.WINDOWS))} windows, with two to {few(watching.MOST)} players"
    yield f"in {few(len(test_page_fits.MODES))} modes (as it is; at 200%; with the text spacing of WCAG 1.4.12"
    yield f"at {few(test_page_fits.EACH)} steps of a deal's end"
    yield f"move by less than {test_page_fits.STILL} px"
    yield f"with up to {few(watching.MOST)} players"
    yield f"With more than {few(rendering.MANY)} players, faces stand in rows"
    sizes = [float(size) * 16 for size in re.findall(r"--t-?\d: ([.\d]+)rem", file_of("static/parlour.css"))]
    yield f"one scale of type, from {min(sizes):g} to {max(sizes):g} pixels"
    yield so("(max-width: 300px)" in file_of("static/table.css"), "A window of less than 300 pixels")
    yield so(".hand:has(> :nth-child(15))" in file_of("static/table.css"), "more than fourteen stand in two rows")
    yield so("45" in test_page_fits.LAYOUT, "keeps 45% of an upright window")
    yield f"holds every game to {test_page_fast.REQUESTS} requests and {test_page_fast.BYTES >> 10} KB"


def in_boards() -> Iterator[str]:
    yield f"{number(SCRIPT, 'GAP = { card: '):g} ms apart, or closer"
    yield f"no row moves for more than {number(SCRIPT, 'ROW = ') / 1000:g} s"


def in_speed() -> Iterator[str]:
    bench = json.loads((ROOT / "docs" / "bench.json").read_text("utf-8"))
    day = datetime.fromisoformat(bench["date"])
    yield f"measured on {day.day} {day:%B %Y} with {bench['machine']['compiler']}."
    bulk = [row for row in bench["rows"] if (row["mode"], row["engine"]) == ("bulk", "parlour")]
    speed = {(row["game"], row["threads"]): row["decisions_per_second"] for row in bulk}
    gains = sorted((speed[game, 2] / speed[game, 1], definition(game).name) for game, threads in speed if threads == 1)
    yield f"is {gains[0][0]:.2f} ({gains[0][1]}) to {gains[-1][0]:.2f} times ({gains[-1][1]}) as fast as on one"
    yield f"A row of Diamonds for two has {len(parlour.load('diamonds', 2).new(seed=1).tensor(0).flat)} numbers"


def in_architecture() -> Iterator[str]:
    yield f"plants {'forty-one' if len(MISTAKES) == 41 else len(MISTAKES)} mistakes"
    yield f"after {bounds.LONGEST:,} steps both raise `Endless`"
    yield f"after chance has decided {bounds.UNASKED:,} times in a row"


def in_adding_a_game() -> Iterator[str]:
    yield f"gives up after {bounds.LONGEST:,} steps"
    events = inspect.signature(note).parameters
    most = {one.name: one.default for one in fields(Material)}["worlds_most"]
    yield so(most == 400, "what a player holds possible: 400 histories")  # test_authors
    yield f"the player concerned and up to {few(sum(one.default == 0 for one in events.values()))} numbers"


def in_processors() -> Iterator[str]:
    for level in filter(None, building.LEVELS):
        yield f"| x86-64, level {level.removeprefix('v')} ("
    yield "compiles for level 2: without AVX"  # test_c


def in_gpu() -> Iterator[str]:
    yield f"batches have {training.WORTH_A_DEVICE:,} parts or more"
    yield so(plan.PARTS == 2, "The standard number of parts is two")
    yield so(device.TARGET[0] == "sm_75", "any device since Turing (2018)")
    games = [definition(game) for game in shelf()]
    refused = test_gpu_training.REFUSED
    learned = [one.name for one in games if one.part("heuristic") and one.id not in refused]
    yield f"the code for the {few(len(games))} games"
    yield f"{', '.join(learned[:-1])} and {learned[-1]} can be learned on a device."
    yield f"{few(len(refused)).capitalize()} games cannot"
    powers = [definition(name).name for name, reason in sorted(refused.items()) if reason == "pow"]
    yield f"{definition('diabolo').name}'s calculates with `{refused['diabolo']}`, {powers[0]}'s and {powers[1]}'s with"


def in_readme() -> Iterator[str]:
    games = [definition(game) for game in shelf()]
    yield f"The games have {sum(len(game.book.index) for game in games)} numbered clauses"
    yield f"swaps what is hidden in {len(CHECKS)} ways"
    yield f"by up to {'twenty-six' if definition('matrimony').max_players == 26 else 'others'} people"


GIVEN = {
    "../README": (
        "Five rows between", "Two cards, five ranks", "through nine piles", "Five pools to be won with two cards",
        "Foster's two games", "Stake on four cards", "more than 0.01 coins a hand", "for 2 to 26 players",
        "[90 million matches]", "[four questions]", "thirty lines in any language",
        'in the browser" width="620"', 'on a phone" width="201"', 'to the other" width="620"',
    ),
    "processors": (
        "Python 3.11, 3.12 and 3.13, and Debian 12", "Python 3.14 have not been tested", "SSE 4.2",
        "Linux, glibc 2.17", "Linux, musl 1.2", "macOS 11", "x86-64, levels 3 and 2", "SSE 2",
    ),
    "architecture": (
        "**Read these three first:**", '1. `State.apply("dig 4")`', "2.", "3. If chance", "4. To show",
        "Whole numbers are 64 bits wide", "goes on with 0", "exits with code 2",
        "A draw among n outcomes uses 32 random bits, so probabilities differ from 1/n by less than 2⁻³²",
        "a 64-bit word", "a probability of about 2⁻⁶⁴", "in a circle in three places only",
    ),
    "adding_a_game": (
        "# Adding a game, 1:", "300 or −1 in a `u1`", "the observer is seat 0", "Three games are worth reading",
        "So write `HAND`, not 3", "1,000 with a small pack", "A game with three hidden cards",
        "sets of up to 63 cards", "Three modules of plain rule functions",
    ),
    "speed": (
        "about 3 kB a decision", "exact 64-bit numbers, which Python stores as three digits",
        "outcomes are 0 or more", "a field of 32 threads",
    ),
    "page": (
        "Every table is the same four bands: the bar, the felt, one line that says what to do, and the rail",
        "text of 13 pixels; touch targets of 44",  # test_page_sizes
        "of a card in a hand where many overlap, at least 24",
        "at 50 KB a second with 400 ms of latency", "SIL Open Font License 1.1",
    ),
    "playing": ("four colours for the suits",),  # of the French pack
    "boards": ("your own seat, −1 for a spectator",),
    "room": ("503 with a `reason`", "(a seat, or −1)", "from 1)", "(`host` is −1)"),
    "servers": ("**When a server fails,**", "(RFC 7239)"),
}  # fmt: skip
"""Numbers that are nobody's constants: of standards, of examples, of what is told as it is sent."""
HELD = {
    "../README": in_readme,
    "tables": in_tables,
    "room": in_room,
    "servers": in_servers,
    "playing": in_playing,
    "page": in_page,
    "boards": in_boards,
    "speed": in_speed,
    "architecture": in_architecture,
    "adding_a_game": in_adding_a_game,
    "processors": in_processors,
    "gpu": in_gpu,
}


@pytest.mark.parametrize("page", HELD)
def test_numbers_are_those_of_the_code(page: str) -> None:
    text = " ".join(prose(page).split())
    missing = [one for one in HELD[page]() if one not in text]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("page", HELD)
def test_every_number_is_held_measured_or_given(page: str) -> None:
    loose = unheld(prose(page), [*HELD[page](), *GIVEN.get(page, ())])
    assert not loose, "\n".join(loose)


def unheld(text: str, known: Iterable[str]) -> list[str]:
    """The numbers of a text that no known passage has, and no measurement, each with what stands around it."""
    loose = []
    for block in re.split(r"\n\n(?!\|)|\n(?=[-*] )", text):
        plain = " ".join(block.split())
        if _MEASURED.search(plain):
            continue
        free = list(plain)
        for passage in map(str.split, known):
            at = plain.find(" ".join(passage))
            while at >= 0:
                free[at : at + len(" ".join(passage))] = "·" * len(" ".join(passage))
                at = plain.find(" ".join(passage), at + 1)
        left = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda found: "·" * len(found[0]), "".join(free))
        loose += [plain[max(0, one.start() - 50) : one.end() + 30] for one in _NUMBER.finditer(left)]
    return loose
