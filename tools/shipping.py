"""Libraries of Parlour's games and its types in C, for every system, made on one machine; and wheels that bring them::

    python -m tools.shipping                     # all games, all systems, into build/libraries; wheels into dist
    python -m tools.shipping --prove kuhn leduc  # only these games; and what can be run here plays as it should
    python -m tools.shipping --only wasm kuhn    # only for these systems

The compiler is clang as the package ``ziglang`` brings it, which knows every system; it compiles again only what has
changed.  ``--prove`` plays a tape (``tapes.py``) of each game with each library: by itself, under qemu, under Wine or
under node; and it installs each wheel as pip does for that system, and plays with it where a Python of that system can
be run, with no compiler but one that must not be called.  The C libraries and the Python of AArch64 are Debian's, where
``apt-get`` reaches it.  What cannot be run here is looked at: is it for that system, does it export every entry,
is it linked with nothing but the system, does it say of itself what it is made of.

Whatever has been played is noted beside the libraries, so that a run that was ended goes on, and ``docs/processors.md``
has its tables from there.  Whatever differs is told at the end; all else goes on.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import parlour
from parlour.base import disk
from parlour.engine import native
from parlour.engine.c.building import ALWAYS, LEVELS, MADE_OF, described, described_in, raw, shipped_name
from parlour.engine.definition import definition, shelf
from parlour.engine.kernel import KernelLibrary, every_kernel
from tests import tapes
from tools.figures import commit
from tools.machine_code import ALONE, OWN

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"


class System(NamedTuple):
    """A system that there are libraries for.  ``title``: what it is in a table; ``target``: as the compiler calls it;
    ``levels``: of the processor; ``ending`` of a library; ``tag``: of the wheel (none: no Python there); ``magic``: how
    a library begins; ``runner``: the command that runs a program of that system here."""

    name: str
    title: str
    target: str
    levels: tuple[str, ...]
    ending: str
    tag: str
    magic: bytes
    runner: tuple[str, ...] = ()

    @property
    def has_devices(self) -> bool:
        """Whether there may be a CUDA device."""
        return self.name.startswith(("linux", "musl", "windows"))


X86 = ("v2", "v3")
ELF, MACH = b"\x7fELF\2\1", b"\xcf\xfa\xed\xfe"
WINE = next(filter(None, map(shutil.which, ("wine64", "wine", "/usr/lib/wine/wine64"))), "wine64")
ARM_HERE = ("qemu-aarch64-static", "-L", f"{BUILD}/roots/arm64")
SYSTEMS = (
    System(
        "linux-x86_64",
        "Linux, glibc 2.17 | x86-64, levels 3 and 2",
        "x86_64-linux-gnu.2.17",
        X86,
        ".so",
        "manylinux_2_17_x86_64",
        ELF,
    ),
    System(
        "linux-aarch64",
        "Linux, glibc 2.17 | AArch64",
        "aarch64-linux-gnu.2.17",
        ("",),
        ".so",
        "manylinux_2_17_aarch64",
        ELF,
        ARM_HERE,
    ),
    System(
        "musl-x86_64",
        "Linux, musl 1.2 | x86-64, levels 3 and 2",
        "x86_64-linux-musl",
        X86,
        ".so",
        "musllinux_1_2_x86_64",
        ELF,
    ),
    System(
        "musl-aarch64",
        "Linux, musl 1.2 | AArch64",
        "aarch64-linux-musl",
        ("",),
        ".so",
        "musllinux_1_2_aarch64",
        ELF,
        ARM_HERE,
    ),
    System(
        "windows-x86_64",
        "Windows | x86-64, levels 3 and 2",
        "x86_64-windows-gnu",
        X86,
        ".dll",
        "win_amd64",
        b"MZ",
        (WINE,),
    ),
    System(
        "macos-arm64",
        "macOS 11 | Apple silicon",
        "aarch64-macos.11.0",
        ("",),
        ".dylib",
        "macosx_11_0_arm64",
        MACH + b"\x0c\0\0\1",
    ),
    System(
        "macos-x86_64",
        "macOS 11 | x86-64, levels 3 and 2",
        "x86_64-macos.11.0",
        X86,
        ".dylib",
        "macosx_11_0_x86_64",
        MACH + b"\x07\0\0\1",
    ),
    System("wasm", "WebAssembly (WASI) | ", "wasm32-wasi", ("",), ".wasm", "", b"\0asm\1\0\0\0"),
)
MACHINES = {"x86_64": b"\x3e\0", "aarch64": b"\xb7\0"}
"""How processors are numbered in ELF."""
LINKED = re.compile(rb"(?i)(python3|kernel32|ntdll|ucrtbase|msvcrt|api-ms-win-crt-[a-z0-9-]+)\.dll")
"""What a library for Windows may be linked with."""


# ------------------------------------------------------------------------------------------ the compiler


ZIG = (sys.executable, "-m", "ziglang")
"""The command of the compiler, which the extra ``compiler`` brings."""


class Failed(Exception):
    """A command has failed."""


def run(command: Sequence[Any], **how: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command; ``Failed``, with what it says, if it fails."""
    env = {
        **os.environ,
        "ZIG_GLOBAL_CACHE_DIR": str(BUILD / "zig"),
        "WINEDEBUG": "-all",
        **how.pop("env", {}),
    }
    env["WINEPREFIX"] = str(BUILD / "wine")
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=env, **how)
    if done.returncode:
        raise Failed(f"{command[0]} … {command[-1]}: {done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


def compile_(system: System, file: Path, flags: Sequence[str], sources: Sequence[Path], *linked: str) -> Path:
    """Compile a file, unless it is there and made of the same."""
    made_of = hashlib.sha256(
        repr((system.target, flags, linked)).encode() + b"".join(one.read_bytes() for one in sources)
    )
    noted = file.with_name(f"{file.name}.of")
    if not file.exists() or not noted.exists() or noted.read_text() != made_of.hexdigest():
        file.parent.mkdir(parents=True, exist_ok=True)
        how = ["-target", system.target, "-fno-sanitize=all", *flags]
        run([*ZIG, "cc", *how, *sources, *linked, "-o", file], cwd=file.parent)
        noted.write_text(made_of.hexdigest())
    return file


# ------------------------------------------------------------------------------------------ libraries


class Source(NamedTuple):
    """The C of a library.  ``game``: whose; none has one that knows no game."""

    file: Path
    game: str
    group: KernelLibrary

    @property
    def made_of(self) -> dict[str, str]:
        """The files that each group of its kernels is made of."""
        what = definition(self.game) if self.game else None
        return {part.name: raw(what, part) for part in self.group.parts}


def sources(games: Sequence[str], folder: Path) -> list[Source]:
    """The C of each game, with all kernels, and of those that know no game."""
    made = [(game, KernelLibrary(game, (*every_kernel().kernels, *OWN.get(game, ())))) for game in games]
    return [written(folder, game, group) for game, group in [*made, *(("", kernel.group) for kernel in ALONE)]]


def written(folder: Path, game: str, group: KernelLibrary) -> Source:
    file = folder / f"{group.name}.c"
    disk.write(file, described(definition(game) if game else None, group).encode())
    return Source(file, game, group)


def library_flags(system: System, level: str) -> list[str]:
    """How a library is compiled."""
    left_out = {"-shared", "-fPIC"} if system.name == "wasm" else {"-fPIC"} if system.ending == ".dll" else set[str]()
    own = ["-mexec-model=reactor", "-Wl,--export-dynamic"] if system.name == "wasm" else []
    return [*(flag for flag in ALWAYS if flag not in left_out), *own, "-O2", "-s", *LEVELS[level]]


def mathematics(system: System) -> list[str]:
    return [] if system.ending == ".dll" else ["-lm"]


def library(system: System, level: str, source: Source) -> Path:
    """A library for a system."""
    name = shipped_name(source.file.stem, level)
    file = source.file.parent / system.name / f"{name}{system.ending}"
    compile_(system, file, [*library_flags(system, level), *source.group.flags], [source.file], *mathematics(system))
    look(system, file)
    about = described_in(content := file.read_bytes())
    assert about["entries"], f"{file} does not say what it holds"
    for name in about["entries"]:
        assert f"packed_{name}".encode() in content, f"{file} does not export {name}"
    return file


def look(system: System, file: Path) -> None:
    """Whether a library is for this system, and linked with nothing else, as far as can be seen from here."""
    content = file.read_bytes()
    assert content.startswith(system.magic), f"{file} is no library for {system.name}"
    if system.magic == ELF:
        machine = MACHINES[system.target.partition("-")[0]]
        assert content[18:20] == machine, f"{file} is for another processor"
    if system.ending == ".dll":
        at = int.from_bytes(content[60:64], "little")
        assert content[at : at + 6] == b"PE\0\0\x64\x86", f"{file} is for another processor"
        strange = {name for name in re.findall(rb"[\w-]+\.dll", content) if not LINKED.fullmatch(name)}
        assert not strange - {file.name.encode(), file.stem.encode() + b".dll"}, f"{file} is linked with {strange}"
    if system.name == "macos-arm64":
        assert b"\xfa\xde\x0c\xc0" in content, f"{file} is not signed, not even by itself"


def types(system: System, folder: Path) -> Path:
    """The types of states and calls for a system (``hatch_build.py`` builds them for this one)."""
    named = re.findall(r"PyAPI_(FUNC|DATA)\(.*?\) (\w+)", (ENGINE / "stable.h").read_text("utf-8"))
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fvisibility=hidden", "-s"]
    flags += [f'-DMADE_OF="{native.made_of()}"']
    linked: list[str] = []
    if system.ending == ".dll":
        listed = folder / system.name / "python3.def"
        listed.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"  {name}{' DATA' * (kind == 'DATA')}\n" for kind, name in named]
        listed.write_text(f"LIBRARY python3.dll\nEXPORTS\n{''.join(lines)}")
        linked = [str(listed.with_suffix(".lib"))]
        run([*ZIG, "dlltool", "-m", "i386:x86-64", "-d", listed, "-l", linked[0]])
    else:
        flags += ["-fPIC"]
        linked = ["-undefined", "dynamic_lookup"] if system.ending == ".dylib" else ["-fno-plt"]
    sources = [ENGINE / name for name in native.SOURCES if name.endswith(".c")]
    name = "_state.pyd" if system.ending == ".dll" else "_state.abi3.so"
    file = compile_(system, folder / system.name / "type" / name, flags, sources, *linked)
    look(system, file)
    assert b"PyInit__state" in file.read_bytes(), f"{file} is no module of Python"
    return file


ENGINE = Path(native.__file__).parent


# ------------------------------------------------------------------------------------------ proof


DEBIAN = (
    *("libc6", "musl", "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libexpat1", "zlib1g"),
    *("libffi8", "libssl3", "libbz2-1.0", "liblzma5", "libuuid1", "libcrypt1", "libgcc-s1"),
)
"""Packages of AArch64: the C libraries, and a Python with what it needs."""


@cache
def roots() -> None:
    """The packages of AArch64, in ``build/roots``: as Debian has them."""
    root, lists = BUILD / "roots" / "arm64", BUILD / "roots" / "apt"
    if root.exists() or not shutil.which("apt-get") or not shutil.which("qemu-aarch64-static"):
        return
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (lists / folder).mkdir(parents=True, exist_ok=True)
    own = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "Dir::State": f"{lists}/state",
           "Dir::State::status": "/dev/null", "Dir::Cache": f"{lists}/cache", "APT::Sandbox::User": "root"}  # fmt: skip
    options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
    run(["apt-get", *options, "-qq", "update"])
    run(["apt-get", *options, "-qq", "download", *DEBIAN], cwd=lists)
    for package in lists.glob("*.deb"):
        run(["dpkg-deb", "-x", package, root])


TAPED = ("core", "engine", "players", "rules", "study")
"""The folders of the package that a tape of a game may depend on, beside its own."""


def tape(game: str, folder: Path) -> Path:
    """A tape of a game, made again after a change of anything that it may depend on."""
    package, tests = Path(parlour.__file__).parent, Path(tapes.__file__).parent
    given = [file for part in (*TAPED, f"games/{game}") for file in (package / part).rglob("*") if file.is_file()]
    given += [Path(tapes.__file__), *(tests / "records" / "corpus").glob(f"{game}*")]
    said = hashlib.sha256()
    for one in sorted(given):
        if "__pycache__" not in one.parts:
            said.update(f"{one}".encode() + one.read_bytes())
    file = folder / f"{game}.tape"
    noted = file.with_name(f"{file.name}.of")
    if not file.exists() or not noted.exists() or noted.read_text() != said.hexdigest():
        file.write_bytes(bytes(tapes.tape_of(game)))
        noted.write_text(said.hexdigest())
    return file


def player(system: System, folder: Path) -> list[Any] | None:
    """The command that plays a tape with a library for a system; ``None`` if none is here."""
    here = Path(tapes.__file__).with_name("tape.mjs")
    if system.name == "wasm":
        return ["node", "--no-warnings", here] if shutil.which("node") else None
    if "macos" in system.target or (system.runner and not shutil.which(system.runner[0])):
        return None
    if system.runner == ARM_HERE:
        roots()
        if not Path(ARM_HERE[-1]).exists():
            return None
    if system.name == "musl-x86_64" and not Path("/lib/ld-musl-x86_64.so.1").exists():
        return None
    file = folder / system.name / f"tape{'.exe' * (system.ending == '.dll')}"
    dynamic = ["-dynamic"] if "musl" in system.target else []
    return [*system.runner, compile_(system, file, ["-O1", *dynamic], [here.with_suffix(".c")])]


class Ledger:
    """What has been tried with which result, of a system: by the name of a game, or of a wheel.  A result holds for the
    bytes that were tried."""

    def __init__(self, system: System, folder: Path) -> None:
        self._file = folder / system.name / "tried.json"
        self.noted: dict[str, dict[str, Any]] = json.loads(self._file.read_text()) if self._file.exists() else {}

    def of(self, name: str, digest: str, try_it: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The result for these bytes; whatever is tried and fails is not noted."""
        if self.noted.get(name, {}).get("of") != digest:
            self.noted.pop(name, None)
            self.noted[name] = {"of": digest, **try_it()}
            disk.write(self._file, json.dumps(self.noted, indent=1).encode())
        return self.noted[name]


def digest(files: Sequence[Path]) -> str:
    said = hashlib.sha256()
    for file in files:
        said.update(file.read_bytes())
    return said.hexdigest()


UNDER = {"wasm": " under node", "windows-x86_64": " under Wine"}


def under(system: System) -> str:
    """Under what programs of a system run here."""
    return UNDER.get(system.name, " under qemu" * bool(system.runner))


def prove(system: System, game: str, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Play the tape of a game with its libraries, as far as this machine can; returns how, and how many calls."""
    command = player(system, folder)
    sizes = {"kB": [file.stat().st_size >> 10 for file in files]}
    if command is None:
        return Ledger(system, folder).of(game, digest(files), lambda: {"how": "inspected", **sizes})

    def play() -> dict[str, Any]:
        said = [run([*command, file, tape(game, folder)]).stdout.strip() for file in files]
        return {"how": f"run{under(system)}", "calls": int(said[0]), **sizes}

    programs = [Path(tapes.__file__).with_name(f"tape.{kind}") for kind in ("c", "mjs")]
    return Ledger(system, folder).of(game, digest([*files, tape(game, folder), *programs]), play)


PLAYED = """
import sys, parlour
from parlour.engine.native import in_c
from parlour.study.simulate import simulate
assert in_c(), "the types in C are not used"
for name in parlour.game_names():
    assert simulate(name, 100, threads=1).games == 100
    state = parlour.load(name).new(seed=1, binding="compiled")
    for _ in range(200):
        if not state.is_terminal:
            player = state.acting[0]
            state.apply(state.legal_actions(player)[0], player)
assert "numpy" not in sys.modules
"""
"""Every game in bulk and step by step, with the libraries and the types that are installed."""
NO_COMPILER = '#!/bin/sh\necho "$0 $@" >> {file}\nexit 1\n'


def try_wheel(system: System, wheel: Path) -> dict[str, Any]:
    """Install a wheel as pip does for that system; and play where a Python of that system can be run here."""
    with tempfile.TemporaryDirectory(prefix="parlour-wheel-") as name:
        room = Path(name)
        pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--target", room / "site"]
        which = ["--platform", system.tag, "--python-version", "3.11", "--only-binary", ":all:"]
        run([sys.executable, *pip, *which, wheel])
        python = {
            "linux-x86_64": [f"{sys.base_prefix}/bin/python3"],
            "linux-aarch64": [*ARM_HERE, f"{ARM_HERE[-1]}/usr/bin/python3.11"],
        }
        if system.name not in python or not Path(python[system.name][-1]).exists() or "linux" not in sys.platform:
            return {"how": "inspected"}
        for compiler in ("cc", "gcc", "clang", "zig"):
            (room / compiler).write_text(NO_COMPILER.format(file=room / "called"))
            (room / compiler).chmod(0o755)
        env = {"PATH": str(room), "PYTHONPATH": f"{room / 'site'}", "PARLOUR_CACHE": str(room / "kept"), "CC": ""}
        if system.runner:
            env["PYTHONHOME"] = f"{ARM_HERE[-1]}/usr"
        run([shutil.which(python[system.name][0]), *python[system.name][1:], "-s", "-c", PLAYED], env=env, cwd=room)
        for made in ("called", "kept"):
            if (room / made).exists():
                raise Failed(f"{wheel.name}: something is compiled or kept, though libraries are there ({made})")
        return {"how": f"run{under(system)}"}


def proven(system: System, wheel: Path, folder: Path) -> str:
    """How a wheel was tried."""
    found = Ledger(system, folder).of("types", digest([wheel]), lambda: try_wheel(system, wheel))
    return str(found["how"])


# ------------------------------------------------------------------------------------------ what the documents say

PROCESSORS = ROOT / "docs" / "processors.md"
BEGIN, END = "<!-- begin: written by `make wheels ARGS=--prove` -->\n", "<!-- end -->\n"


def as_tables(folder: Path, wheels: Path) -> str:
    """What has been tried, and how large everything is, for the documents."""
    known = {system.name: Ledger(system, folder).noted for system in SYSTEMS}
    rows = ["| system | processor | libraries | types in C | wheel |", "|---|---|---|---|--:|"]
    for system in SYSTEMS:
        noted = known[system.name]
        types = noted.get("types", {"how": "not tried"})["how"] if system.tag else ""
        size = _megabytes(wheels, f"-{system.tag}.whl") if system.tag else ""
        rows.append(f"| {system.title} | {_tried(noted)} | {types} | {size} |")
    rows.append(f"| any, without machine code | | | | {_megabytes(wheels, '-none-any.whl')} |")
    rows.append(f"| the source | | | | {_megabytes(wheels, '.tar.gz')} |")
    rows += ["", "| library for Linux on x86-64 | level 2 | level 3 | calls on its tape |", "|---|--:|--:|--:|"]
    for game in shelf():
        if one := known["linux-x86_64"].get(game):
            low, high = one["kB"]
            rows.append(f"| {game} | {low} kB | {high} kB | {one.get('calls', 0):,} |")
    return "\n".join(rows) + "\n"


def _tried(noted: Mapping[str, Any]) -> str:
    """How the libraries of a system were tried, and those of which games."""
    tried = {game: noted[game] for game in shelf() if game in noted}
    how = " and ".join(sorted({one["how"] for one in tried.values()})) or "not tried"
    calls = sum(one.get("calls", 0) for one in tried.values())
    missing = [game for game in shelf() if game not in tried]
    text = f"{how}, {len(tried)} games" + (f", {calls:,} calls" if calls else "")
    return text + (f"; not {', '.join(missing)}" if tried and missing else "") if tried else how


def _megabytes(folder: Path, ending: str) -> str:
    """The size of the newest file with this ending."""
    found = sorted(folder.glob(f"parlour-*{ending}"), key=lambda file: file.stat().st_mtime)
    return f"{found[-1].stat().st_size / 1e6:.1f} MB" if found else ""


def write_tables(folder: Path, wheels: Path) -> None:
    before, _, rest = PROCESSORS.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    made = f"Made on {date.today()} at commit {commit()}."
    disk.write(PROCESSORS, f"{before}{BEGIN}\n\n{made}\n{as_tables(folder, wheels)}\n{END}{after}".encode())


# ------------------------------------------------------------------------------------------ devices


def for_devices(games: Sequence[str], folder: Path) -> list[Path]:
    """The code of games for CUDA devices: it plays their usual house rules, and learns them where a device can."""
    from parlour.base.errors import CompilationError
    from parlour.study import device, gpu, gpu_training

    shutil.rmtree(folder, ignore_errors=True)
    with pytest.MonkeyPatch.context() as here:
        here.setenv("PARLOUR_CACHE", str(folder))
        here.setattr(device, "clang", lambda: (*ZIG, "cc", "-fno-sanitize=all", "-target", "nvptx64-cuda-none"))
        for game in map(parlour.load, games):
            gpu.code_for(game)
            if game.definition.has("appraise"):
                # its rule of thumb would be rounded differently on a device
                with contextlib.suppress(CompilationError):
                    gpu_training.code_for(game)
    return sorted(folder.rglob("*.ptx.gz"))


# ------------------------------------------------------------------------------------------ wheels


def wheels(
    folder: Path, to: Path, made_of: Sequence[Source], systems: Sequence[System]
) -> list[tuple[System | None, Path]]:
    """The pure wheel and the source, then for each system the wheel with its libraries and its types."""
    to.mkdir(exist_ok=True)
    run([sys.executable, "-m", "hatchling", "build", "-d", to], cwd=ROOT, env={"PARLOUR_PURE": "1"})
    pure = max(to.glob("parlour-*-py3-none-any.whl"), key=lambda file: file.stat().st_mtime)
    games = [source.game for source in made_of if source.game]
    devices = for_devices(games, folder / "devices") if any(one.has_devices for one in systems) else []
    made: list[tuple[System | None, Path]] = [(None, pure)]
    notes = json.dumps({source.file.stem: source.made_of for source in made_of}, indent=1)
    for system in systems:
        if system.tag:
            stems = [shipped_name(source.file.stem, level) for source in made_of for level in system.levels]
            files = [folder / system.name / f"{stem}{system.ending}" for stem in stems]
            files += devices if system.has_devices else []
            built = types(system, folder)
            content = {f"parlour/libraries/{file.name}": file.read_bytes() for file in files}
            content |= {
                f"parlour/libraries/{MADE_OF}": notes.encode(),
                f"parlour/engine/{built.name}": built.read_bytes(),
            }
            made.append((system, with_libraries(pure, content, system.tag)))
    return made


def with_libraries(pure: Path, files: Mapping[str, bytes], tag: str) -> Path:
    """A wheel for one system: the pure one, and what is compiled, by its name there.  Any Python takes it: one that
    has no use for the types (another than CPython, or without its lock) does not load them."""
    out = pure.with_name(pure.name.replace("py3-none-any", f"py3-none-{tag}"))
    rows = list[tuple[str, str, str]]()
    with zipfile.ZipFile(pure) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        record = next(name for name in given.namelist() if name.endswith(".dist-info/RECORD"))
        like = given.getinfo(record)

        def put(name: str, content: bytes, about: zipfile.ZipInfo = like) -> None:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append((name, f"sha256={digest}", str(len(content))))
            write(made, name, content, about)

        for about in given.infolist():
            content = given.read(about)
            if about.filename.endswith(".dist-info/WHEEL"):
                text = content.decode().replace("Tag: py3-none-any", f"Tag: py3-none-{tag}")
                content = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").encode()
            if about.filename != record:
                put(about.filename, content, about)
        for name, content in files.items():
            put(name, content)
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows([*rows, (record, "", "")])
        write(made, record, written.getvalue().encode(), like)
    return out


def write(made: zipfile.ZipFile, name: str, content: bytes, like: zipfile.ZipInfo) -> None:
    """Put a file into a wheel, of the same date and with the same rights as another."""
    info = zipfile.ZipInfo(name, like.date_time)
    info.external_attr, info.compress_type = like.external_attr, zipfile.ZIP_DEFLATED
    made.writestr(info, content)


def main(words: Sequence[str]) -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="all of them if none is given")
    said.add_argument("--only", action="append", choices=[system.name for system in SYSTEMS], help="a system; again")
    said.add_argument("--prove", action="store_true", help="play with what can be run here")
    said.add_argument("--wheels", type=Path, default=ROOT / "dist", help="the folder for the wheels")
    given = said.parse_args(words)
    games, folder = given.games or shelf(), BUILD / "libraries"
    folder.mkdir(parents=True, exist_ok=True)
    systems = [system for system in SYSTEMS if not given.only or system.name in given.only]
    made_of = sources(games, folder)
    faults = list[str]()

    def told(title: str, try_it: Callable[[], str]) -> None:
        try:
            said = try_it()
        except (Failed, AssertionError) as failed:
            said = f"FAILED: {failed}"
            faults.append(f"{title}: {failed}")
        print(f"{title}: {said}", flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        making = [(system, source, [pool.submit(library, system, level, source) for level in system.levels])
                  for system in systems for source in made_of if source.game or system.tag]  # fmt: skip
        for system, source, waiting in making:

            def made_and_tried(system: System = system, source: Source = source, waiting: Any = waiting) -> str:
                files = [one.result() for one in waiting]
                if given.prove and source.game:
                    found = prove(system, source.game, folder, files)
                    return f"{found['how']}, {found.get('calls', 0)} calls"
                return " + ".join(f"{file.stat().st_size >> 10}" for file in files) + " kB"

            told(f"{system.name}: {source.file.stem}", made_and_tried)
    to = given.wheels.resolve()
    for whose, file in wheels(folder, to, made_of, systems):

        def sized_and_tried(whose: System | None = whose, file: Path = file) -> str:
            how = f"; {proven(whose, file, folder)}" if given.prove and whose and games == shelf() else ""
            return f"{file.stat().st_size >> 10} kB{how}"

        told(file.name, sized_and_tried)
    if given.prove and games == shelf():
        write_tables(folder, to)
    if faults:
        raise SystemExit("\n".join(["What has failed:", *faults]))


if __name__ == "__main__":
    main(sys.argv[1:])
