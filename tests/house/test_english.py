"""Patterns that English does not use, or that belong in the workshop: what people read is free of them.

``docs/style.md`` has the reasons.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

BANNED: Final = {
    r"(?:^|[.;:] |\] )[Ww]ho (?!knows\b)\w+ (?!.*\?$)": "a player who …, if you …",
    r"\b(?:he|him|his|himself|one's|oneself)\b": "you, they, the player, it",
    r"(?<!in )\bso (?:many|much)\b": "that many, the number",
    r"(?<![Tt]here )\b(?:is|was|are) no (?!longer\b)[a-z]": "is not a",
    r"\bthe \w+ of \{(?:who|\w:seat)\}|\b(?:spade|rock|diamond|joker) \{\w:card\}": "{who}'s …; {a:card}",
    r"\b(?:anew|besides|shall|be it|all the same|meanwhile)\b": "again, also, must, even, still, since",
    r"\d %(?!\})": "95%",
}
"""Patterns, each with what to write instead."""
WORKSHOP: Final = {
    r"\b(?:telling|hushed|sealed|redeal\w*|opened|stands still|players? of the house)\b": "what the player sees"
}
"""The same of words that only developers need."""

PLACES: Final = (
    "*.md",
    "docs/*.md",
    "docs/tutorials/*.md",
    "src/parlour/games/*/book.md",
    "src/parlour/rules/stops/book.md",
    *("src/parlour/rules/stops/words.toml", "src/parlour/games/*/words.toml", "src/parlour/games/*/lesson.toml"),
    *("src/parlour/server/**/templates/*.html", "src/parlour/rules/stops/*.html", "src/parlour/games/*/*.html"),
    *("src/parlour/server/page/static/*.js", "src/parlour/server/page/*.py", "src/parlour/cli/**/*.py"),
    *("src/parlour/server/club/pages/*.py", "src/parlour/server/site/*.py"),
    *("src/parlour/core/drawing.py", "src/parlour/rules/stops/drawing.py", "src/parlour/games/*/drawing.py"),
    *("src/parlour/core/reasons.py", "src/parlour/rules/stops/reasons.py", "src/parlour/games/*/reasons.py"),
)
"""Files with words for people."""
EXCEPT: Final = ("docs/style.md", "docs/bench.md")
"""What quotes the patterns, and what is written by a program."""

ALLOWED: Final = {
    ("words.toml", r"Who (?:deals|dresses|picks|is asked|is paid)\b.*"): "an option's `about`: the question it decides",
    ("book.md", r"\d+\. \*\*.*"): "an example: its people have names, and are he or she",
    ("remote_table.py", "who sits where"): "an indirect question: the command `who` answers it",
}
"""Hits that are meant, by name of the file and whole text, each with its reason."""

_TEMPLATE_CODE: Final = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", re.DOTALL)


def _blank(found: re.Match[str]) -> str:
    """As many line ends as were there: lines keep their numbers."""
    return " " + "\n" * found[0].count("\n")


def _toml(text: str) -> Iterator[tuple[int, str]]:
    """The values of a table of words; its keys are names."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := re.match(r'[\w-]+ = "(.*)"', line):
            yield number, found[1]


def _html(text: str) -> Iterator[tuple[int, str]]:
    """What a template says: the text between tags, and the strings within expressions and attributes for readers."""
    for attribute in re.finditer(r'(?:aria-label|alt|title)="([^"]*)"', text):
        yield text.count("\n", 0, attribute.start()) + 1, attribute[1]
    for said in re.finditer(r"\{[{%].*?[%}]\}", text, re.DOTALL):
        for word in re.finditer(r'"([^"]* [^"]*)"|\'([^\']* [^\']*)\'', said[0]):
            yield text.count("\n", 0, said.start()) + 1, word[1] or word[2]
    for number, line in enumerate(_TEMPLATE_CODE.sub(_blank, text).split("\n"), 1):
        yield number, line.strip()


def _script(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a script, which may be shown; its remarks are not."""
    for number, line in enumerate(text.split("\n"), 1):
        for word in re.finditer(r'"([^"]* [^"]*)"', line.split("//")[0]):
            yield number, word[1]


def _python(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a module: sentences, prompts, what is said of options."""
    nodes = list(ast.walk(ast.parse(text)))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings, and what follows a constant
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(v.value if isinstance(v, ast.Constant) else "…" for v in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            if " " in node.value and id(node) not in alone:
                yield node.lineno, node.value


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    """What a page says, but for code and for what programs have written."""
    text = re.sub(r"^```.*?^```$", _blank, text, flags=re.DOTALL | re.MULTILINE)
    text = text.partition("<!-- the table below is written by")[0]
    for number, line in enumerate(text.split("\n"), 1):
        yield number, re.sub(r"`[^`]*`", "…", line)


READERS: Final = {".md": _markdown, ".toml": _toml, ".html": _html, ".js": _script, ".py": _python}


def files() -> Iterator[Path]:
    for pattern in PLACES:
        there = sorted(ROOT.glob(pattern))
        assert there, f"no file fits {pattern}"
        yield from (file for file in there if str(file.relative_to(ROOT)) not in EXCEPT)


def test_players_read_plain_english() -> None:
    """What is allowed is still there."""
    wrong, reasons = [], set()
    for file in files():
        patterns = BANNED if file.suffix == ".md" else BANNED | WORKSHOP
        for number, said in READERS[file.suffix](file.read_text("utf-8")):
            for instead in (instead for pattern, instead in patterns.items() if re.search(pattern, said)):
                allowed = {why for (of, text), why in ALLOWED.items() if file.match(of) and re.fullmatch(text, said)}
                reasons |= allowed
                wrong += [] if allowed else [f"{file}:{number}: {said!r}: rather {instead}"]
    assert not wrong, "\n".join(wrong)
    assert reasons == set(ALLOWED.values())
