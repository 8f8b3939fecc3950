"""What Hatchling asks while it builds the package: where the project lives, its page on an index, and the type of
states and calls of compiled code (``state.c`` and ``calling.c`` in ``src/parlour/engine``), which the Makefile asks for
too.

One compiled module serves every CPython from 3.11 on (the stable ABI).  Nothing but a compiler of C is needed, no
headers of Python: ``CC``, or ``cc``, ``gcc``, ``clang``, or the package ``ziglang``.  Where there is none, or with
``PARLOUR_PURE=1``, the package is built without the type, and a class in Python serves in its place.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

HOME = "https://example.org/parlour"
"""The project's address.  Whoever publishes it changes this line."""

HERE = Path(__file__).parent
ENGINE = HERE / "src" / "parlour" / "engine"
WINDOWS = sys.platform == "win32"
BUILT = ENGINE / ("_state.pyd" if WINDOWS else "_state.abi3.so")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden")
if sys.platform == "linux":
    FLAGS += ("-fno-plt",)  # a step calls Python's functions some ten times: a twentieth of its time
NO_COMPILER = (
    "there is no compiler of C, so states are stepped by a class in Python, at a quarter of the speed; install one"
    " (on Debian or Ubuntu: apt-get install gcc libc6-dev; anywhere: pip install ziglang)"
)


def _native() -> Any:
    """Parlour's own module of compilers, which is not installed yet."""
    spec = spec_from_file_location("native", ENGINE / "native.py")
    assert spec
    assert spec.loader
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


native = _native()


def linking() -> list[str]:
    """What a module that names functions of Python is linked with."""
    if sys.platform == "darwin":
        return ["-undefined", "dynamic_lookup"]
    return [f"-L{Path(sys.base_prefix) / 'libs'}", "-lpython3"] if WINDOWS else []


def build() -> str | None:
    """Build the module beside its sources; return what is wrong, if it could not be built."""
    if not native.usable():
        return "this Python has no stable ABI to build for"
    beside = BUILT.with_suffix(f".{os.getpid()}")
    said = NO_COMPILER
    for compiler in native.compilers():
        command = [
            *compiler,
            *FLAGS,
            f'-DMADE_OF="{native.made_of()}"',
            *(str(ENGINE / name) for name in native.SOURCES if name.endswith(".c")),
            "-o",
            str(beside),
            *linking(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            said = f"{compiler[0]} cannot be run: {error}"
            continue
        if done.returncode == 0:
            beside.replace(BUILT)
            return None
        beside.unlink(missing_ok=True)
        said = f"{shlex.join(compiler)} cannot build state.c:\n{done.stderr.strip()}"
    return said


def wanted() -> bool:
    return not os.environ.get("PARLOUR_PURE")


def main() -> int:
    """``python hatch_build.py``: build it here."""
    wrong = build()
    if wrong:
        print(f"parlour: {wrong}", file=sys.stderr)
    return wrong is not None


class FrontPage(MetadataHookInterface):
    """Gives the package its links and its page: README.md, whose pictures and links lead into the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["urls"] = {
            "Homepage": HOME,
            "Documentation": f"{HOME}/tree/main/docs",
            "Changelog": f"{HOME}/blob/main/CHANGELOG.md",
            "Issues": f"{HOME}/issues",
        }
        text = (HERE / "README.md").read_text("utf-8")
        text = re.sub(r'<img src="(?!https?:)', f'<img src="{HOME}/raw/main/', text)
        text = re.sub(r"\]\((?!https?:|#)", f"]({HOME}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class StateHook(BuildHookInterface[Any]):
    """Puts the built module into a wheel, which is then one for this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        wrong = build() if wanted() else "PARLOUR_PURE is set"
        if wrong:
            self.app.display_warning(f"Parlour is built without the type of states: {wrong}")
        elif version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"], build_data["tag"] = False, f"cp311-abi3-{platform}"
            build_data["artifacts"].append(f"/{BUILT.relative_to(HERE).as_posix()}")


if __name__ == "__main__":
    sys.exit(main())
