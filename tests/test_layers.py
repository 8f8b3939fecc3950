"""Nothing below knows what is above it (docs/architecture.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import parlour

ROOT = Path(parlour.__file__).parent
MAY_USE = {
    "cli": set[str](),
    "study": {"cli"},
    "serving": {"cli", "study"},
    "page": {"cli", "study", "serving"},
    "room": {"cli", "study", "serving", "page"},
}
"""Parts of the package, and who besides themselves may import them."""


def imports(file: Path) -> set[str]:
    """The parts of the package that a module imports, wherever it does."""
    found = set[str]()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom) and node.module == "parlour":
            names = [f"parlour.{one.name}" for one in node.names]
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("parlour.")}
    return found


def test_arrows_point_down_only() -> None:
    seen, upward = 0, []
    for file in ROOT.rglob("*.py"):
        part = file.relative_to(ROOT).parts[0].removesuffix(".py")
        for other in imports(file) & MAY_USE.keys() - {part}:
            seen += 1
            if part not in MAY_USE[other]:
                upward.append(f"{file.relative_to(ROOT)} imports parlour.{other}")
    assert seen > 15
    assert not upward, "\n".join(upward)


FOR_PAGES = {
    "api",
    "chat",
    "errors",
    "gate",
    "heavy",
    "identity",
    "limits",
    "new_table",
    "session",
    "streams",
    "table",
    "tables",
    "wire",
}
"""What pages use of the room: a session and what travels over it, how a guest is known, how a table is made.  Of
``table`` they use names only, of ``tables`` that there is one."""


def test_pages_are_one_more_client_of_the_room() -> None:
    """They know tables by sessions, as the interface for programs does, and nothing behind them."""
    used = set[str]()
    for file in (ROOT / "page").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "parlour.room":
                used |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("parlour.room."):
                used.add(str(node.module).split(".")[2])
            elif isinstance(node, ast.Attribute) and node.attr in {"live", "_live"}:
                raise AssertionError(f"{file.relative_to(ROOT)}:{node.lineno} looks behind the session")
    assert used == FOR_PAGES
