"""The package as a user installs it: built, and in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).parent / "uv"
CACHE = str(Path.home() / ".cache" / "uv")


def run(*command: str | Path, cwd: Path, code: int = 0, stdin: str = "") -> str:
    """What a command prints, in an environment of its own."""
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    env |= {"HOME": str(cwd), "NO_COLOR": "1", "COLUMNS": "100", "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", CACHE)}
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


def installed(extra: str, built: Path, folder: Path) -> Path:
    """An environment into which the wheel has been installed, and what it needs; its folder of programs."""
    (wheel,) = built.glob("*.whl")
    run(UV, "venv", "--quiet", "--python", sys.executable, folder / "env", cwd=folder)
    wanted = f"parlour{extra} @ {wheel.as_uri()}"
    python = folder / "env" / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", python, "-c", ROOT / "requirements-peers.lock", wanted, cwd=folder)
    return folder / "env" / "bin"
