"""The numbers in documents are those of the code, of the rules, or of a measurement that says when it was made.

Each is worked out here, or stands in ``docs/figures.toml`` with what it stands on (:mod:`tools.figures`).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from functools import partial
from typing import Final

import pytest

import parlour
from parlour.audit import CHECKS
from parlour.cli.host.serve import serve
from parlour.engine.c import building
from parlour.engine.definition import definition, shelf, smaller
from parlour.engine.families import worth
from parlour.games.dividha import hands
from parlour.players.characters import CHARACTERS
from parlour.server.common import phrases
from parlour.server.page import at_table, rendering
from parlour.server.store.retention import Keep
from parlour.study.scoring import SETTINGS
from tests.engine.test_c_mistakes import MISTAKES
from tests.server.page import test_page_fits
from tests.study import test_gpu_training
from tools import figures, watching
from tools.website import ROOT, prose

NUMERALS: Final = {number: word for word, number in figures.NUMERALS.items()}


def few(number: float) -> str:
    return NUMERALS[round(number)]


def in_tables() -> Iterator[str]:
    hush = {name: when for name in shelf() if (when := definition(name).hushed_when) is not None}
    assert [name for name, when in hush.items() if not when] == ["commit"]
    by_rule = [f"{definition(name).name} with `{when}`" for name, when in sorted(hush.items()) if when]
    yield f"Commit can't be played by post, nor can {' or '.join(by_rule)}"


def in_servers() -> Iterator[str]:
    asked = inspect.signature(serve).parameters
    yield from (f"| `--keep-{one.name}` | `{asked[f'keep_{one.name}'].default}` |" for one in fields(Keep))


def in_playing() -> Iterator[str]:
    ways = [n for game in shelf() if (n := len(definition(game).presets))]
    yield f"It has {few(min(ways))} to {few(max(ways))} sets of house rules"
    yield f"It thinks for {few(at_table.ROUNDS * float(at_table.ROUND.removesuffix('s')))} seconds"
    yield f"{few(len(phrases.PHRASES))} quick phrases"


def in_page() -> Iterator[str]:
    yield f"The page has {few(len(rendering.REGIONS))} regions"
    yield f"tables in {few(len(test_page_fits.WINDOWS))} windows, with two to {few(watching.MOST)} players"
    yield f"in {few(len(test_page_fits.MODES))} modes (as it is; at 200%; with the text spacing of WCAG 1.4.12"


def in_speed() -> Iterator[str]:
    found = json.loads((ROOT / "docs" / "bench.json").read_text("utf-8"))
    day, speed = datetime.fromisoformat(found["date"]), bench()
    yield f"measured on {day.day} {day:%B %Y} with {found['machine']['compiler']}."
    gains = sorted((speed[game, "bulk", 2] / speed[game, "bulk", 1], definition(game).name) for game in shelf())
    yield f"is {gains[0][0]:.2f} ({gains[0][1]}) to {gains[-1][0]:.2f} times ({gains[-1][1]}) as fast as on one"
    cold = sorted((row["seconds"], row["game"]) for row in found["rows"] if row["mode"] == "start_cold")
    least, most = (f"{seconds:.1f}" for seconds, _ in (cold[0], cold[-1]))
    yield f"in {least} ({cold[0][1].title()}) to {most} s ({cold[-1][1].title()})."
    yield f"A row of Diamonds for two has {len(parlour.load('diamonds', 2).new(seed=1).tensor(0).flat)} numbers"


def in_gpu() -> Iterator[str]:
    games, refused = [definition(game) for game in shelf()], test_gpu_training.REFUSED
    learned = [one.name for one in games if one.part("heuristic") and one.id not in refused]
    yield f"the code for the {few(len(games))} games"
    yield f"{', '.join(learned[:-1])} and {learned[-1]} can be learned on a device."
    yield f"{few(len(refused)).capitalize()} games cannot"
    powers = [definition(name).name for name, reason in sorted(refused.items()) if reason == "pow"]
    yield f"{definition('diabolo').name}'s calculates with `{refused['diabolo']}`, {powers[0]}'s and {powers[1]}'s with"


def in_readme() -> Iterator[str]:
    games = [definition(game) for game in shelf()]
    yield f"The games have {sum(len(game.book.index) for game in games)} numbered clauses"
    yield f"[The audit](docs/audit.md), {len(CHECKS)} checks, swaps what is hidden"
    bulk = [rate / 1e6 for (_, mode, threads), rate in bench().items() if (mode, threads) == ("bulk", 1)]
    yield f"[{min(bulk):.0f} to {max(bulk):.0f} million decisions a second]"


def in_changelog() -> Iterator[str]:
    cited = dict(re.findall(r"^([\w-]+): (.*)", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE))
    day = datetime.fromisoformat(cited["date-released"])
    yield f"## {parlour.__version__} ({day.day} {day:%B %Y})"
    assert cited["version"] == parlour.__version__
    second = sorted(definition(game).name for game in shelf() if definition(game).version == 2)
    yield f"{', '.join(second[:-1])} and {second[-1]} are at version 2 of their rules"
    yield f"and {few(len(CHARACTERS))} characters"
    yield f"`parlour audit` checks in {len(CHECKS)} ways"


def in_contributing() -> Iterator[str]:
    rooms = [one for one in (ROOT / "src/parlour").iterdir() if (one / "__init__.py").exists()]
    yield f"a map of {'a dozen' if len(rooms) == 12 else few(len(rooms))} rooms"


TIMES: Final = {"a quarter of an hour": 15, "half an hour": 30, "forty minutes": 40, "an hour and a half": 90}


def in_a_game(name: str) -> Iterator[str]:
    """The numbers of actions, and the ids that a table has for names."""
    game, text = parlour.load(name, {"matrimony": 4}.get(name)), prose(f"games/{name}")
    ids = {action: number for number, action in enumerate(game.action_names)}
    yield f"| actions | {game.action_count}"
    intro = definition(name).book.text[:600]
    for people in re.findall(r"for ((?:two|three)(?: to \w+)?) people", intro):
        yield f"| players | {' '.join(str(figures.NUMERALS.get(word, word)) for word in people.split())}"
    for time in re.findall(r"a match takes about (.*?)\.", intro):
        yield f"| minutes | about {TIMES[time]} among people |"
    for names, said in re.findall(r"^\| (`.*?`) \| ([\d–, ]+) \|", text, re.MULTILINE):
        found = [ids[one] for one in re.findall(r"`(.+?)`", names) if one in ids]
        ends = found if len(found) < 3 else [found[0], found[-1]]
        yield f"{names} | {('–' if '…' in names or ends != found else ', ').join(map(str, ends))} |"
    for first, last in re.findall(r"^\| \d+ to \d+ \| `(.*?)` … `(.*?)` \|", text, re.MULTILINE):
        yield f"| {ids.get(first)} to {ids.get(last)} | `{first}`"
    for one in re.findall(r"^\| \d+ \| `(.*?)` \|", text, re.MULTILINE):
        yield f"| {ids.get(one)} | `{one}` |"


def in_dividha() -> Iterator[str]:
    yield from in_a_game("dividha")
    two, six, ordered = (
        parlour.load("dividha", n, **more) for n, more in ((2, {}), (6, {}), (2, {"rule_of_order": "on"}))
    )
    names = two.action_names
    yield f"{two.action_count} with two players, {six.action_count:,} with six: {names.index('raise 1')} fixed ones"
    yield f"{ordered.action_count - two.action_count} more with `rule_of_order=on`"
    named = [number for number, name in enumerate(names) if name.startswith("name ")]
    yield f"| `name High Card` … | {named[0]}–{named[-1]} |"
    yield f"| `raise 1`, `raise 2` … | {names.index('raise 1')} and on |"
    yield f"Everybody has {two.options['starting_coins']} coins"
    yield f"a table of {hands.MIXED + 2 * hands.PURES:,} entries"


def bench() -> Mapping[tuple[str, str, int], float]:
    """Our own decisions a second, by game, mode and threads."""
    rows = json.loads((ROOT / "docs" / "bench.json").read_text("utf-8"))["rows"]
    own = (row for row in rows if row["engine"] == "parlour")
    return {(row["game"], row["mode"], row["threads"]): row["decisions_per_second"] for row in own}


def in_batches() -> Iterator[str]:
    speed = bench()
    times = sorted((speed[game, "step_compiled", 1] / speed[game, "step", 1], game) for game in shelf())
    least, most = (f"{by:.0f} ({definition(game).title.split()[0]})" for by, game in (times[0], times[-1]))
    yield f"takes a step {least} to {most} times as fast as a plain one"


def in_players() -> Iterator[str]:
    scores = json.loads((ROOT / "docs" / "benchmark.json").read_text("utf-8"))["scores"]
    lost = {one["player"]: one["value"] for one in scores if one["setting"] == "leduc"}
    yield f"wins {lost['search:200']:.2f} chips a deal from `search:200`, more than the {lost['random']:.2f} from"


def in_benchmark() -> Iterator[str]:
    for name, one in SETTINGS.items():
        yield f"| `{name}` | {one.players} | {f'returns in {one.games:,} games' if one.games else 'exploitability'}"


def in_families() -> Iterator[str]:
    for name in smaller():
        made = definition(name).made
        yield f"| `{name}` | {made.about.removesuffix(', one deal')} | {worth(made)} |"


HELD: Final[Mapping[str, Callable[[], Iterable[str]]]] = {
    "../README": in_readme,
    "../CHANGELOG": in_changelog,
    "../CONTRIBUTING": in_contributing,
    "tables": in_tables,
    "servers": in_servers,
    "playing": in_playing,
    "page": in_page,
    "speed": in_speed,
    "architecture": lambda: [f"plants {len(MISTAKES)} mistakes"],
    "processors": lambda: [f"| x86-64, level {level.removeprefix('v')} (" for level in building.LEVELS if level],
    "gpu": in_gpu,
    "families": in_families,
    "batches": in_batches,
    "benchmark": in_benchmark,
    "players": in_players,
    **{f"games/{name}": partial(in_a_game, name) for name in shelf()},
    "games/dividha": in_dividha,
}
"""What is worked out here."""


def loose(page: str) -> list[str]:
    """The numbers of a page that nothing holds."""
    return figures.unheld(prose(page), [*HELD.get(page, tuple)(), *figures.known(page)], figures.rules(page))


@pytest.mark.parametrize("page", HELD)
def test_numbers_are_those_of_the_code(page: str) -> None:
    text = " ".join(prose(page).split())
    missing = [one for one in HELD[page]() if " ".join(one.split()) not in text]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("page", figures.pages())
def test_every_number_stands_on_something(page: str) -> None:
    found = loose(page)
    assert not found, "\n".join(["docs/figures.toml does not say what these stand on:", *found])


@pytest.mark.parametrize("name", shelf())
def test_clauses_that_a_page_names_are_of_the_book_and_of_the_option_beside_them(name: str) -> None:
    text, book, options = prose(f"games/{name}"), definition(name).book.clauses, definition(name).options
    assert not {clause for clause in re.findall(r"\b[A-Z]{2}-\d+\w*", text) if clause not in book}
    for inside in re.findall(r"\(([^()]*[A-Z]{2}-\d+[^()]*)\)", text):
        said = " ".join(book[clause].text for clause in re.findall(r"[A-Z]{2}-\d+\w*", inside))
        named = {option for option in re.findall(r"`(\w+)", inside) if option in options}
        assert not {option for option in named if not re.search(rf"`{option}\b", said)}, inside


@pytest.mark.parametrize("page", figures.table())
def test_what_numbers_stand_on_is_there(page: str) -> None:
    about, text = figures.of_page(page), [*figures.blocks(prose(page))]
    assert page in figures.pages()
    for passage in (*about.get("from", ()), *about.get("given", ())):
        assert any(" ".join(passage.split()) in block for block in text), f"{page} no longer says: {passage}"
    for passage, source in about.get("from", {}).items():
        assert not (wrong := figures.wrong_with(page, passage, source)), f"{page}: {passage}: {wrong}"
        name, _, said = source.removeprefix("~").partition(": ")
        longer = re.search(rf"{re.escape(' '.join(said.split()))}(?:[\d_]|\.\d)", figures._text(name)) if said else None
        assert not longer or not said[-1].isdigit(), f"{page}: {passage}: {longer}, which is another number"
    assert {*about.get("given", {}).values()} <= {*figures.KINDS}


@pytest.mark.parametrize("seal", [one for page in figures.pages() for one in figures.seals(page)], ids=str)
def test_measured_figures_are_those_that_were_measured(seal: figures.Seal) -> None:
    there = figures.part(seal.page, seal.of)
    assert there, f"{seal.page} has no {seal.of}"
    made = f"made by {seal.by}, written on {seal.on} at {seal.at}"
    assert figures.digest(there) == seal.numbers, f"{made}; made anew? python -m tools.figures --seal {seal.page}"
    assert seal.by
    assert re.fullmatch(r"20\d\d-\d\d-\d\d [0-9a-f]{8}", f"{seal.on} {seal.at}")
