"""The package as a user installs it: built, and in an environment of its own; and how large it is::

python -m tools.wheels    # installs every extra from the wheel in dist; sizes go into README.md, docs/libraries.md
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).parent / "uv"
CACHE = str(Path.home() / ".cache" / "uv")


def run(
    *command: str | Path, cwd: Path, code: int = 0, stdin: str = "", more: Mapping[str, str] = MappingProxyType({})
) -> str:
    """What a command prints, in an environment of its own; ``more`` is put into that."""
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    env |= {"HOME": str(cwd), "NO_COLOR": "1", "COLUMNS": "100", "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", CACHE)}
    env |= dict(more)
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=env, input=stdin, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, f"{command}: {done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def build(folder: Path, *what: str) -> None:
    """Build the source distribution, and the wheel from it, with the locked tools; or only what ``what`` says."""
    quietly = ("--quiet", "--no-build-isolation", "--python", sys.executable)
    run(UV, "build", *quietly, *what, "--out-dir", folder, ROOT, cwd=folder)


def installed(extra: str, built: Path, folder: Path, *more: str | Path) -> Path:
    """An environment into which the wheel has been installed, and what it needs; its folder of programs."""
    (wheel,) = built.glob("*.whl")
    run(UV, "venv", "--quiet", "--python", sys.executable, folder / "env", cwd=folder)
    wanted, locked = f"parlour{extra} @ {wheel.as_uri()}", ("-c", ROOT / "requirements-peers.lock")
    python = folder / "env" / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", python, *locked, *more, wanted, cwd=folder)
    return folder / "env" / "bin"


# ------------------------------------------------------------------------------------------ sizes


class Size(NamedTuple):
    """What an installation takes of a disk, in MB: ``total``, and ``written`` without what Python compiles of it."""

    total: float
    written: float


def size(env: Path) -> Size:
    """The size of an environment beyond that of an empty one."""
    files = [(file, file.stat().st_size / 1e6) for file in env.rglob("*") if file.is_file() and not file.is_symlink()]
    total = sum(mb for _, mb in files)
    return Size(total, total - sum(mb for file, mb in files if file.suffix == ".pyc"))


def size_installed(extra: str, built: Path) -> Size:
    """What an extra takes, with the core and all that it needs, after Python has compiled it as pip lets it."""
    with tempfile.TemporaryDirectory(prefix="parlour-size-") as name:
        folder = Path(name)
        run(UV, "venv", "--quiet", "--python", sys.executable, folder / "empty", cwd=folder)
        own = ROOT / f"requirements-{extra.strip('[]')}.lock"
        locked = ("-c", own) if extra and own.exists() else ()
        installed(extra, built, folder, "--compile-bytecode", *locked)
        one, none = size(folder / "env"), size(folder / "empty")
    return Size(one.total - none.total, one.written - none.written)


ROW = re.compile(r"^(\| `'?parlour(\[\w+\])?'?` \| .* )\| \d+ MB \| \d+ MB \|$", re.MULTILINE)
"""A row of the table of extras on a page: what is installed, what it gives, and two sizes."""


def with_sizes(text: str, built: Path) -> str:
    """The text of a page with the sizes of the wheel in a folder."""

    def sized(row: re.Match[str]) -> str:
        found = size_installed(row[2] or "", built)
        line = f"{row[1]}| {found.total:.0f} MB | {found.written:.0f} MB |"
        print(line, flush=True)
        return line

    return ROW.sub(sized, text)


def main() -> None:
    platform = sysconfig.get_platform().partition("-")[2].replace("-", "_")
    wheels = sorted(file for file in (ROOT / "dist").glob("*.whl") if "many" in file.name and platform in file.name)
    if not wheels:
        raise SystemExit("There is no wheel for this system in dist; `make wheels` makes it.")
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / wheels[-1].name).symlink_to(wheels[-1])
        for page in (ROOT / "README.md", ROOT / "docs" / "libraries.md"):
            page.write_text(with_sizes(page.read_text("utf-8"), Path(name)), "utf-8")


if __name__ == "__main__":
    main()
