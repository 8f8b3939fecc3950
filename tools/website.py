"""Gathers the pages of the documentation site and builds it, strictly: ``make docs``.

Documents stay where they are, readable beside the code.  The site needs them in one folder: this copies them there
(``build/pages``), together with the rule books, a page for each module of the reference and a page for each file of the
code that a document links to, and turns every relative link into one between these pages.  A link that leads nowhere is
an error, so the links can be checked without building anything.

Notebooks carry their outputs, the same to the byte whenever they are run::

    python -m tools.website docs/notebooks/kuhn.ipynb    # runs it and writes them
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

from parlour.cli.play.rules import option_values
from parlour.engine.definition import definition

ROOT: Final = Path(__file__).parents[1]
CONFIG: Final = ROOT / "docs" / "mkdocs.yml"
"""Settings of the site.  Its table of contents also says of which modules there is a reference."""
EXTENSION: Final = ROOT / "docs" / "griffe_doctests.py"
BUILD: Final = ROOT / "build"
PAGES: Final = BUILD / "pages"
SITE: Final = BUILD / "site"

ELSEWHERE: Final = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Documents that lie outside ``docs``, and the pages that take their place."""
AS_THEY_ARE: Final = (".png", ".svg", ".solved")
"""Files beside the documents that the site gets as they are: pictures, and certificates."""
BINARY: Final = (".npz", ".zip")
"""Files in folders of the code that nobody reads."""

_CODE_OR_LINK: Final = re.compile(r"^```.*?^```$|(`+)(?!`).+?(?<!`)\1(?!`)|\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
_NOT_PROSE: Final = re.compile(
    r"^```.*?^```$|<!-- (\w+) -->.*?<!-- end of \1 -->|<!-- begin: .*?<!-- end -->", re.DOTALL | re.MULTILINE
)
_HEADING: Final = re.compile(r"^#+ (.+?)(?: \{ *#[\w-]+ *\})?$", re.MULTILINE)
_CLAUSE: Final = re.compile(r"^- \*\*([A-Z]+-\d+\w*)\*\*", re.MULTILINE)
_KINDS: Final = {
    ".py": "python",
    ".js": "javascript",
    ".toml": "toml",
    ".html": "html",
    ".css": "css",
    ".md": "markdown",
}


def documents() -> list[str]:
    """Every document that becomes a page, as a path in the repository."""
    docs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [*docs, "CHANGELOG.md", "CONTRIBUTING.md", *(f"src/parlour/games/{game}/book.md" for game in books())]


def prose(page: str) -> str:
    """What people read of a document in ``docs``: neither its listings nor what a program has written into it."""
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    return _NOT_PROSE.sub("", text)


def notebooks() -> list[str]:
    """Every notebook that becomes a page."""
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.ipynb"))


def books() -> list[str]:
    """The games that have a rule book."""
    return sorted(path.parent.name for path in (ROOT / "src" / "parlour" / "games").glob("*/book.md"))


def modules() -> list[str]:
    """The modules of which there is a reference, as the table of contents lists them."""
    return re.findall(r" reference/([\w.]+)\.md$", CONFIG.read_text("utf-8"), re.MULTILINE)


def place(path: str) -> str:
    """Return where a file of the repository goes on the site.

    >>> place("docs/room.md"), place("src/parlour/games/kuhn/book.md"), place("src/parlour/core/chain.py")
    ('room.md', 'rules/kuhn.md', 'source/src/parlour/core/chain.py.md')
    """
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if book := re.fullmatch(r"src/parlour/games/(\w+)/book\.md", path):
        return f"rules/{book[1]}.md"
    if path.startswith("docs/") and path.endswith((".md", *AS_THEY_ARE)):
        return path.removeprefix("docs/")
    if path.startswith("docs/") and path.endswith(".ipynb"):
        return path.removeprefix("docs/").removesuffix("ipynb") + "md"
    return f"source/{path}.md"


def links(path: str) -> Iterator[tuple[str, str, str]]:
    """The relative links of a document: as written, the file of the repository that is meant, the anchor in it."""
    for found in _CODE_OR_LINK.finditer((ROOT / path).read_text("utf-8")):
        if found[2] and not re.match(r"[a-z]+:", found[2]):
            yield found[2], *_meant(path, found[2])


def _meant(path: str, link: str) -> tuple[str, str]:
    file, _, anchor = link.partition("#")
    return (os.path.normpath(f"{PurePosixPath(path).parent}/{file}") if file else path), anchor


@cache
def anchors(path: str) -> set[str]:
    """The anchors of a document's headings, as Git hosts and the site write them."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / path).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    found: set[str] = set()
    for heading in _HEADING.findall(text):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-"))
    return found


def broken(path: str) -> list[str]:
    """What is wrong with the links of a document, a sentence each."""
    wrong = []
    for link, meant, anchor in links(path):
        if not (ROOT / meant).exists():
            wrong.append(f"{path}: {link} leads nowhere")
        elif anchor and anchor not in anchors(meant):
            wrong.append(f"{path}: {link}: {meant} has no heading #{anchor}")
    return wrong


def options(game: str) -> str:
    """The house rules of a game as a section of its rule book, from the words that everybody else shows."""
    what, lines = definition(game), list[str]()
    for name in what.options:
        lines += [f"\n**`{name}`** {what.worded['options'][name]['about']} ({', '.join(what.options[name].clauses)})\n"]
        for value, about, default in option_values(what, name):
            lines += [f"- `{value}`{' (default)' * default}{about and f': {about}'}"]
    return "\n".join(["\n## Options", *lines, ""]) if lines else ""


def gather(into: Path = PAGES) -> None:
    """Write all pages of the site."""
    shutil.rmtree(into, ignore_errors=True)
    wanted = set()
    for path in documents():
        text = (ROOT / path).read_text("utf-8")
        if path.endswith("/book.md"):
            text = _CLAUSE.sub(r"- **\1**{ #\1 }", text) + options(Path(path).parent.name)
        if path == "docs/index.md":
            text = f"---\nhide: [navigation, toc]\n---\n\n{text}"
        _write(into / place(path), _CODE_OR_LINK.sub(partial(_moved, path), text))
        wanted |= {meant for _, meant, _ in links(path)} - {*documents(), *notebooks(), *ELSEWHERE}
    for path in sorted(wanted):
        if path.endswith(AS_THEY_ARE):
            (into / place(path)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, into / place(path))
        else:
            _write(into / place(path), "".join(_source(path)))
    shutil.copyfile(ROOT / "docs" / "site.css", into / "site.css")
    for name in modules():
        _write(into / "reference" / f"{name}.md", f"# {name}\n\n::: {name}\n")


def _moved(path: str, found: re.Match[str]) -> str:
    """A link of a document, as it has to be on the site."""
    if not found[2] or re.match(r"[a-z]+:", found[2]):
        return found[0]
    meant, anchor = _meant(path, found[2])
    there = os.path.relpath(place(meant), PurePosixPath(place(path)).parent.as_posix())
    return f"]({there}{'#' * bool(anchor)}{anchor})"


def ran(path: str) -> tuple[dict[str, Any], list[Any], dict[str, Any]]:
    """Run a notebook in this process; return its names, what its cells show, and the notebook with its outputs."""
    space: dict[str, Any] = {"__name__": "notebook"}
    shows, number = [], 0
    notebook = json.loads((ROOT / path).read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"], cell["outputs"] = number, []
            tree = ast.parse("".join(cell["source"]))
            end = tree.body[-1]
            last = ast.Expression(end.value) if isinstance(end, ast.Expr) else None
            tree.body = tree.body[:-1] if last else tree.body
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(tree, path, "exec"), space)
                value = eval(compile(last, path, "eval"), space) if last else None
            if text := printed.getvalue():
                cell["outputs"] += [{"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}]
            if value is not None:
                shows.append(value)
                made = {"execution_count": number, "metadata": {}, "output_type": "execute_result"}
                cell["outputs"] += [{"data": _displayed(value), **made}]
    return space, shows, notebook


def _displayed(value: Any) -> dict[str, list[str]]:
    """What a notebook shows of a value, by the kind of text."""
    bundle: dict[str, str] = getattr(value, "_repr_mimebundle_", dict)()
    kinds = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
    drawn = {kind: getattr(value, name)() for kind, name in kinds.items() if hasattr(value, name)}
    texts = {"text/plain": repr(value), **drawn, **bundle}
    if texts.get("image/svg+xml"):
        texts.pop("text/html", None)  # the same in a frame, which few places show
    return {kind: text.splitlines(True) for kind, text in sorted(texts.items()) if text is not None}


def carry(path: str) -> None:
    """Run a notebook and write its outputs into it."""
    _write(ROOT / path, json.dumps(ran(path)[2], ensure_ascii=False, indent=1) + "\n")


def shown(path: str) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as a page, with the outputs that it carries, and its drawings as files to lie beside it."""
    import nbformat
    from nbconvert import MarkdownExporter

    notebook = nbformat.read(ROOT / path, as_version=4)
    said = []
    for cell in notebook.cells:
        for data in (out["data"] for out in cell.get("outputs", ()) if "data" in out):
            if "text/html" in data:  # on one line, or Markdown would end it at a blank one
                data["text/html"] = re.sub(r"\s*\n\s*", " ", data["text/html"])
                data.pop("image/svg+xml", None)
            if "image/svg+xml" in data:
                said.append(data["text/plain"].strip("<>"))
    text, more = MarkdownExporter().from_notebook_node(notebook, {"unique_key": PurePosixPath(path).stem})
    text = _CODE_OR_LINK.sub(partial(_moved, path), text)
    return re.sub(r"!\[svg\]", lambda _: f"![{said.pop(0)}]", text), more["outputs"]


def _source(path: str) -> Iterator[str]:
    """The page that shows a file, or lists a folder and shows its files where they are not too long."""
    yield f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n"
    for file in sorted((ROOT / path).iterdir()) if (ROOT / path).is_dir() else [ROOT / path]:
        if file.is_file() and not file.name.endswith(BINARY):
            if file != ROOT / path:
                yield f"\n## {file.name}\n"
            text = file.read_text("utf-8")
            kept = text if len(text) < 100_000 else text[:2000] + "\n…\n"
            yield f"\n``````{_KINDS.get(file.suffix, 'text')}\n{kept.rstrip()}\n``````\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def build() -> int:
    """Gather the pages and build the site; return 0 if nothing was wrong."""
    wrong = [sentence for path in (*documents(), *notebooks()) for sentence in broken(path)]
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
        return 1
    gather()
    for path in notebooks():
        text, drawn = shown(path)
        _write(PAGES / place(path), text)
        for name, picture in drawn.items():
            (PAGES / place(path)).with_name(name).write_bytes(picture)
    shutil.rmtree(SITE, ignore_errors=True)
    for file in (CONFIG, EXTENSION):  # Zensical writes only below the folder of its settings
        shutil.copyfile(file, BUILD / file.name)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file", CONFIG.name]
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    for path in sys.argv[1:]:
        carry(path)
    if sys.argv[1:]:
        sys.exit()
    code = build()
    print(f"{SITE.relative_to(ROOT)}/index.html" if code == 0 else "make docs: the site was not built")
    sys.exit(code)
