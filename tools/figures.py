"""Numbers in documents, and what each of them stands on::

    python -m tools.figures                      # what has no maker, page by page
    python -m tools.figures --seal results/skill # its measured figures were made anew: with which commit, and when

The test of the figures (``tests/house/test_figures.py``) works some out from the code.  Of the others,
``docs/figures.toml`` says for each page what its numbers stand on:

``from``   a passage, and where it comes from: clauses of the game's rule book, or a file and what stands there; each
           number of the passage stands there too (after ``~`` in other units, which somebody has read)
``given``  a passage, and of which kind it is (:data:`KINDS`)
``seals``  what was measured: a section of the page, or a paragraph by its first words; with what it was made, on which
           day and commit it was written, and a digest of its numbers

Listings, what stands between backquotes, addresses of links and what a program has written are no prose.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import subprocess
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from parlour.engine.definition import definition
from tools import website
from tools.website import ROOT, prose

FILE: Final = ROOT / "docs" / "figures.toml"
PLACES: Final = (ROOT, ROOT / "src" / "parlour", ROOT / "docs", ROOT / "tests")
"""Where a file that is named may lie."""
KINDS: Final = {
    "example": "of an example, which could have others",
    "standard": "of somebody else's: a standard, a version, a book, a convention",
    "arithmetic": "follows from what is said beside it",
    "meaning": "what a value stands for: an exit code, an index",
    "order": "which one of several",
    "shown": "of what the reader sees in the same place",
    "elsewhere": "held by a test of its own",
}
_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
NUMERALS: Final = {word: number for number, word in enumerate(_SMALL.split(" "))} | {
    **{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100},
}
WRITTEN: Final = {"bench"}
"""Pages that a program writes whole, and a test compares."""
COMMON: Final = ("95% interval", "95% intervals", "| 95% |")
"""What means the same on every page."""

_SAID: Final = (
    r"three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    r"|twenty|thirty|forty|fifty|sixty|hundred|half|quarter"
)
_NUMBER: Final = re.compile(rf"(?<![\w.,/#×^-])\d[\d,.]*\b|\b(?:{_SAID.replace('half', 'half a')})\b")
_FIGURES: Final = re.compile(rf"\d[\d,.]*(?<![,.])|[⁰¹²³⁴-⁹]+|\b(?:{_SAID})\b", re.IGNORECASE)
_WORDS: Final = re.compile(r"[a-z]+|\d[\d,]*(?:\.\d+)?")
_CLAUSE: Final = re.compile(r"[A-Z]{2}-\d+\w*")
_ORDINAL: Final = re.compile(r"^(?:#+ )?\d+\. ")
"""What counts the steps of a list, or sections."""


class Seal(NamedTuple):
    """A part of a page whose figures were measured."""

    page: str
    of: str
    by: str
    on: str
    at: str
    numbers: str


@cache
def table() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


def pages() -> list[str]:
    """Every page that has numbers of its own."""
    outside = [f"../{file.removesuffix('.md')}" for file in website.ELSEWHERE]
    found = [path.removeprefix("docs/").removesuffix(".md") for path in website.documents() if path.startswith("docs/")]
    return [*outside, *(page for page in found if page not in WRITTEN)]


def of_page(page: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = table().get(page, {})
    return found


def seals(page: str) -> list[Seal]:
    return [Seal(page, **one) for one in of_page(page).get("seals", ())]


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, items of lists and tables with what introduces them, each on one line."""
    for block in re.split(r"\n\n(?!\|)|\n(?=[-*] |\d+\. )", text):
        yield _ORDINAL.sub("", " ".join(block.split()))


def part(page: str, of: str) -> str:
    """A section of a page, by its heading, or a block, by its first words; empty if there is none."""
    text = prose(page)
    if of.startswith("## "):
        found = re.search(rf"^{re.escape(of)}$.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        return found[0] if found else ""
    return next((block for block in blocks(text) if block.startswith(of)), "")


def digest(text: str) -> str:
    """A digest of the figures of a text, in their order."""
    said = " ".join(_FIGURES.findall(re.sub(r"\]\([^)]*\)", "", text)))
    return base64.b32encode(hashlib.sha256(said.encode()).digest())[:12].decode().lower()


def values(text: str) -> set[float]:
    """The numbers of a text, whether in figures or in words."""
    plain = text.replace("_", "").lower()
    return {
        float(NUMERALS.get(one, one.replace(",", "") if one[0].isdigit() else "nan"))
        for one in _WORDS.findall(plain)
        if one in NUMERALS or one[0].isdigit()
    }


@cache
def _text(name: str) -> str:
    for place in PLACES:
        if (place / name).is_file():
            return " ".join((place / name).read_text("utf-8").split())
    return ""


def wrong_with(page: str, passage: str, source: str) -> str:
    """Say why a source does not hold a passage; nothing if it does."""
    read, source = source.startswith("~"), source.removeprefix("~")
    if _CLAUSE.match(source):
        clauses = definition(page.rpartition("/")[2]).book.clauses
        if missing := [clause for clause in source.split() if clause not in clauses]:
            return f"there is no clause {missing[0]}"
        there = " ".join(clauses[clause].text for clause in source.split())
    else:
        name, _, there = source.partition(": ")
        there = " ".join(there.split())
        if not there or there not in _text(name):
            return f"{name} does not say: {there}"
    lacks = set() if read else {one for one in values(passage) - values(there) if one > 2}
    return f"{source} has no {min(lacks):g}" if lacks else ""


def known(page: str) -> list[str]:
    """What the table says of a page: passages whose numbers stand on something."""
    about = of_page(page)
    return [*about.get("from", ()), *about.get("given", ()), *COMMON, *_sealed(page)]


def _sealed(page: str) -> Iterator[str]:
    for seal in seals(page):
        yield from blocks(part(page, seal.of)) if seal.of.startswith("## ") else [part(page, seal.of)]


def counted(text: str) -> set[tuple[str, ...]]:
    """What a text counts: each number with the next word, or two, after it ("nine piles", "seven of clubs")."""
    words = [str(NUMERALS.get(one, one.replace(",", ""))) for one in _WORDS.findall(text.lower())]
    return {tuple(words[at : at + 2 + (words[at + 1 : at + 2] == ["of"])]) for at in range(len(words))}


def _first(text: str) -> tuple[str, ...]:
    """What a text counts that begins with a number."""
    said = re.match(r"[\w,.]*\w(?: [a-zA-Z]+){1,3}", text)
    words = [str(NUMERALS.get(one, one.replace(",", ""))) for one in _WORDS.findall(said[0].lower())] if said else []
    return tuple(words[: 2 + (words[1:2] == ["of"])])


@cache
def rules(page: str) -> frozenset[tuple[str, ...]]:
    """What the rule book of a page's game counts."""
    folder, _, game = page.partition("/")
    return frozenset(counted(definition(game).book.text) if folder == "games" else ())


def unheld(text: str, held: Iterable[str], rules: Collection[tuple[str, ...]] = ()) -> list[str]:
    """The numbers of a text that no known passage has, each with what stands around it; ``rules``: what is counted
    elsewhere, and may be counted here too."""
    loose, passages = [], [" ".join(one.split()) for one in held]
    for plain in blocks(text):
        free = list(plain)
        for passage in filter(None, passages):
            at = plain.find(passage)
            while at >= 0:
                free[at : at + len(passage)] = "·" * len(passage)
                at = plain.find(passage, at + 1)
        left = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda found: "·" * len(found[0]), "".join(free))
        loose += [
            plain[max(0, one.start() - 50) : one.end() + 30]
            for one in _NUMBER.finditer(left)
            if _first(left[one.start() :]) not in rules
        ]
    return loose


def standing(text: str) -> list[re.Match[str]]:
    """The numbers that stand in a page's sentences and tables, where they stand."""
    rest = re.compile(r"`[^`\n]*`|\]\([^)]*\)|^(?:#+ )?\d+\. |<!--.*?-->|<[^>]*>", re.MULTILINE | re.DOTALL)
    return [*_NUMBER.finditer(rest.sub(lambda found: "·" * len(found[0]), text))]


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout


def commit() -> str:
    """The commit of this code, with a ``+`` where its sources have been changed since; empty outside a repository."""
    git = ["git", "-C", str(ROOT)]
    asked = [*git, "describe", "--always", "--abbrev=8", "--exclude=*"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src", "tools"], check=False)
    return said.stdout.strip() + "+" * bool(not said.returncode and changed.returncode)


def written(page: str, of: str) -> tuple[str, str]:
    """The commit that last changed a figure of a part of a page, and its day."""
    file = ROOT / "docs" / f"{page}.md"
    lines = file.read_text("utf-8").splitlines()
    mine = set(part(page, of).splitlines()) if of.startswith("## ") else {one for one in lines if _in(one, page, of)}
    newest = (0, "", "")
    said = _git("blame", "-w", "-M", "-C", "--line-porcelain", "HEAD", "--", str(file))
    for one in re.split(r"\n(?=[0-9a-f]{40} \d+ \d+)", said):
        head, _, line = one.rpartition("\n\t")
        if line.rstrip("\n") in mine and _FIGURES.search(line):
            when = int(re.search(r"^author-time (\d+)", head, re.MULTILINE)[1])  # type: ignore[index]
            newest = max(newest, (when, head[:8], ""))
    at = newest[1] or _git("rev-parse", "HEAD")[:8]
    return at, _git("show", "-s", "--format=%as", at).strip()


def _in(line: str, page: str, of: str) -> bool:
    return bool(line.strip()) and " ".join(line.split()) in part(page, of)


def renewed(page: str) -> list[Seal]:
    """The seals of a page for its figures of today."""
    now = []
    for seal in seals(page):
        numbers = digest(part(page, seal.of))
        at, on = (seal.at, seal.on) if numbers == seal.numbers else written(page, seal.of)
        now.append(seal._replace(numbers=numbers, at=at, on=on))
    return now


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("--seal", nargs="+", metavar="PAGE", help="note that measured figures of these pages are new")
    given = said.parse_args()
    if not given.seal:
        from tests.house.test_figures import loose

        for page in pages():
            for one in loose(page):
                print(f"{page}: {one}")
        return
    text = FILE.read_text("utf-8")
    for page in given.seal:
        head, *found = re.split(rf'^(\["?{re.escape(page)}"?\]\n)', text, maxsplit=1, flags=re.MULTILINE)
        if not found:
            said.error(f"nothing is measured for a page {page!r} in {FILE.name}")
        mine, rest = found
        for seal in renewed(page):
            line = re.compile(rf"(  \{{ of = {re.escape(json.dumps(seal.of, ensure_ascii=False))}, by = .*?), on = .*")
            rest = line.sub(lambda row, seal=seal: f"{row[1]}, {day(seal)} }},", rest, count=1)
        text = head + mine + rest
    FILE.write_text(text, "utf-8")


def day(seal: Seal) -> str:
    """When a part of a page was written, as it stands in the table."""
    return f'on = "{seal.on}", at = "{seal.at}", numbers = "{seal.numbers}"'


if __name__ == "__main__":
    main()
