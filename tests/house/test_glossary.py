"""One word, one thing (docs/glossary.md): names of classes and modules, and the words that the glossary defines."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")


def rows(title: str) -> list[list[str]]:
    """The rows of the table below a heading of the glossary, without its head."""
    _, found, rest = GLOSSARY.partition(f"\n## {title}\n")
    assert found, title
    lines = [line for line in re.split(r"\n## ", rest)[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


HELD = {row[0]: row for row in rows("One word, one thing")}
DEFINED = [
    word
    for title in re.findall(r"^## (.*)$", GLOSSARY, re.MULTILINE)
    if title not in ("One word, one thing", "Words of our own")
    for row in rows(title)
    for word in row[0].split(", ")
]


@cache
def modules() -> dict[str, str]:
    """The texts of all modules, by their names without ``parlour.``."""
    found = {}
    for file in sorted((SRC / "parlour").rglob("*.py")):
        name = ".".join(file.relative_to(SRC / "parlour").with_suffix("").parts).removesuffix("__init__").rstrip(".")
        found[name] = file.read_text("utf-8")
    return found


@cache
def classes() -> dict[str, list[str]]:
    """The modules in which a public class of a name is defined."""
    found = defaultdict(list)
    for module, text in modules().items():
        for name in re.findall(r"^class ([A-Za-z]\w*)", text, re.MULTILINE):
            found[name].append(module)
    return found


def is_called(name: str, word: str) -> bool:
    return re.fullmatch(rf"{word}(e?s)?", name, re.IGNORECASE) is not None


def quoted(cell: str) -> set[str]:
    return {name for name in re.findall(r"`([a-z_.]+(?:\.[A-Z]\w+)?)`", cell)}


def test_no_public_class_name_occurs_twice() -> None:
    assert len(classes()) > 300
    assert {name: where for name, where in classes().items() if len(where) > 1} == {}


@pytest.mark.parametrize("word", HELD)
def test_a_word_is_a_class_and_a_module_only_where_the_glossary_says(word: str) -> None:
    _, named, modules_of = HELD[word]
    assert {f"{where}.{name}" for name in classes() if is_called(name, word) for where in classes()[name]} == quoted(
        named
    )
    here = {module for module in modules() if is_called(module.rpartition(".")[2], word)}
    assert here == {name for name in quoted(modules_of) if is_called(name.rpartition(".")[2], word)}


def test_every_word_is_defined_once() -> None:
    assert {word for word in DEFINED if DEFINED.count(word) > 1} == set()
    assert {"table", "match", "event", "telling", "stop", "witness", "ledger"} <= {*DEFINED}
    assert {word for row in rows("Words of our own") for word in row[0].split(", ")} <= {*DEFINED}
