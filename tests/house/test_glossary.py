"""One word, one thing (docs/glossary.md): names of classes and modules, and the words that the glossary defines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")


def rows(title: str) -> list[list[str]]:
    """The rows of the table below a heading of the glossary, without its head."""
    _, found, rest = GLOSSARY.partition(f"\n## {title}\n")
    assert found, title
    lines = [line for line in re.split(r"\n## ", rest)[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


DEFINED = [
    word
    for title in re.findall(r"^## (.*)$", GLOSSARY, re.MULTILINE)
    if title not in ("One word, one thing", "Words of our own")
    for row in rows(title)
    for word in row[0].split(", ")
]


def test_no_public_class_name_occurs_twice() -> None:
    texts = [file.read_text("utf-8") for file in (ROOT / "src" / "parlour").rglob("*.py")]
    found = Counter(name for text in texts for name in re.findall(r"^class ([A-Za-z]\w*)", text, re.MULTILINE))
    assert len(found) > 300
    assert [name for name, times in found.items() if times > 1] == []


def test_every_word_is_defined_once() -> None:
    assert {word for word in DEFINED if DEFINED.count(word) > 1} == set()
    assert {"table", "match", "event", "telling", "stop", "witness", "ledger"} <= {*DEFINED}
    assert {word for row in rows("Words of our own") for word in row[0].split(", ")} <= {*DEFINED}
