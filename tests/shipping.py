"""Libraries of Parlour's games for every system, made on one machine, and wheels that bring them::

    python tests/shipping.py                     # all games, all systems, into build/libraries; wheels into dist
    python tests/shipping.py --prove kuhn leduc  # only these games; and what can be run here plays as it should
    python tests/shipping.py --only wasm kuhn    # only for these systems

The compiler is clang as the package ``ziglang`` brings it, which knows every system; it is installed in ``build/zig``.
A library that cannot be run here (``--prove`` says which) is looked at: is it for that system, does it export every
entry, does it say of itself what it is made of.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import parlour
from parlour.engine.c.building import ALL, ALWAYS, LEVELS, Part, described, described_in, shipped_name
from parlour.engine.c.loading import compiled, positions
from parlour.engine.c.program import translated
from parlour.engine.definition import Definition, definition, shelf
from parlour.shelf.diamonds import endings
from parlour.shelf.dividha import odds

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
GAMES = 200
"""Random games that are played to prove a library, from each of these seeds."""
SEEDS = (0, 1000, 77_777)


class System(NamedTuple):
    """A system that there are libraries for.  ``target``: as the compiler calls it; ``levels``: of the processor;
    ``ending`` of a library; ``tag``: of the wheel (none: no Python there); ``magic``: how a library begins."""

    name: str
    target: str
    levels: tuple[str, ...]
    ending: str
    tag: str
    magic: bytes


X86 = ("v2", "v3")
SYSTEMS = (
    System("linux-x86_64", "x86_64-linux-gnu.2.17", X86, ".so", "manylinux_2_17_x86_64", b"\x7fELF\2\1"),
    System("linux-aarch64", "aarch64-linux-gnu.2.17", ("",), ".so", "manylinux_2_17_aarch64", b"\x7fELF\2\1"),
    System("musl-x86_64", "x86_64-linux-musl", X86, ".so", "musllinux_1_2_x86_64", b"\x7fELF\2\1"),
    System("musl-aarch64", "aarch64-linux-musl", ("",), ".so", "musllinux_1_2_aarch64", b"\x7fELF\2\1"),
    System("windows-x86_64", "x86_64-windows-gnu", X86, ".dll", "win_amd64", b"MZ"),
    System("macos-arm64", "aarch64-macos.11.0", ("",), ".dylib", "macosx_11_0_arm64", b"\xcf\xfa\xed\xfe\x0c\0\0\1"),
    System("macos-x86_64", "x86_64-macos.11.0", X86, ".dylib", "macosx_11_0_x86_64", b"\xcf\xfa\xed\xfe\x07\0\0\1"),
    System("wasm", "wasm32-wasi", ("",), ".wasm", "", b"\0asm\1\0\0\0"),
)
PARTS = {"diamonds": endings.PART, "dividha": odds.PART}
"""What games compile beyond the drivers."""


# ------------------------------------------------------------------------------------------ the compiler


def zig() -> tuple[str, ...]:
    """The compiler, which is installed where it is not there yet."""
    python = BUILD / "zig" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", BUILD / "zig"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "ziglang~=0.17.0"], check=True)
    return str(python), "-m", "ziglang", "cc", "-fno-sanitize=all"


def flags(system: System, level: str) -> list[str]:
    """How a library is compiled."""
    left_out = {"-shared", "-fPIC"} if system.name == "wasm" else {"-fPIC"} if system.ending == ".dll" else set[str]()
    usual = [flag for flag in ALWAYS if flag not in left_out]
    own = ["-mexec-model=reactor", "-Wl,--export-dynamic"] if system.name == "wasm" else []
    return ["-target", system.target, *usual, *own, "-O2", "-s", *LEVELS[level]]


def run(command: Sequence[Any], **how: Any) -> subprocess.CompletedProcess[Any]:
    done = subprocess.run([*map(str, command)], capture_output=True, check=False, **how)
    if done.returncode:
        raise SystemExit(f"{command[0]} … {command[-1]}: {done.stderr[-2000:]}")
    return done


# ------------------------------------------------------------------------------------------ libraries


def parts_of(game: str) -> list[Part]:
    return [ALL, *([PARTS[game]] if game in PARTS else [])]


def source_of(game: Definition, part: Part) -> str:
    return described(game, part, translated(game, part.has, more=part.more))


def make(system: System, game: str, folder: Path) -> Iterator[Path]:
    """Compile the libraries of a game for a system."""
    for part in parts_of(game):
        source = folder / f"{shipped_name(definition(game), part, '')}.c"
        if not source.exists():
            source.write_text(source_of(definition(game), part), "utf-8")
        for level in system.levels:
            file = folder / system.name / f"{shipped_name(definition(game), part, level)}{system.ending}"
            file.parent.mkdir(exist_ok=True)
            libraries = [] if system.ending == ".dll" else ["-lm"]
            run([*zig(), *flags(system, level), *part.flags, source, "-o", file, *libraries])
            look(system, file)
            yield file


def look(system: System, file: Path) -> None:
    """Whether a library is what it should be, as far as can be seen from here."""
    content = file.read_bytes()
    about = described_in(content)
    assert content.startswith(system.magic), f"{file} is no library for {system.name}"
    assert about["entries"], f"{file} does not say what it holds"
    machines = {"x86_64": b"\x3e\0", "aarch64": b"\xb7\0"}
    if system.ending == ".so":
        assert content[18:20] == machines[system.target.partition("-")[0]], f"{file} is for another processor"
    if system.ending == ".dll":
        at = int.from_bytes(content[60:64], "little")
        assert content[at : at + 6] == b"PE\0\0\x64\x86", f"{file} is for another processor"
    for name in about["entries"]:
        assert f"packed_{name}".encode() in content, f"{file} does not export {name}"
    if system.name == "macos-arm64":
        assert b"\xfa\xde\x0c\xc0" in content, f"{file} is not signed, not even by itself"


# ------------------------------------------------------------------------------------------ proof


def settings(game: str) -> list[Any]:
    """The usual rules with the fewest players and the most."""
    what = definition(game)
    return [parlour.load(game, players) for players in dict.fromkeys((min(what.players), max(what.players)))]


def expected(game: Any) -> list[list[Any]]:
    """Decisions and returns of some games, as they are played here."""
    import ctypes

    found = []
    for seed in SEEDS:
        acts, rng = (ctypes.c_int16 * game.action_count)(), (ctypes.c_uint64 * 8)()
        out, totals = (ctypes.c_double * game.players)(), (ctypes.c_double * game.players)()
        S = positions(game.definition, [game.start()] * 2)
        n = compiled(game.definition).play_many(S, acts, rng, out, seed, GAMES, totals)
        found.append([n, *totals])
    return found


def start_of(game: Any) -> bytes:
    return bytes(b"".join(positions(game.definition, [game.start()])[0]))


def by_program(system: System, game: Any, source: Path) -> list[list[Any]]:
    """The same by a program that is linked with the library's own code, under an emulator where one is needed."""
    start, players = start_of(game), game.players
    main = f"""
#include "{source.resolve()}"
#include <stdio.h>
static const unsigned char start[] = {{{", ".join(map(str, start))}}};
int main(void) {{
  static const u64 seeds[] = {{{", ".join(f"{seed}ULL" for seed in SEEDS)}}};
  for (int i = 0; i < {len(SEEDS)}; i++) {{
    static position S[2]; static int16_t acts[{game.action_count}]; u64 rng[8] = {{0}};
    double out[{players}], totals[{players}] = {{0}};
    memcpy(S, start, sizeof *S);
    u64 w[] = {{(u64)(uintptr_t)S, 2, (u64)(uintptr_t)acts, {game.action_count}, (u64)(uintptr_t)rng, 8,
               (u64)(uintptr_t)out, {players}, seeds[i], {GAMES}, (u64)(uintptr_t)totals, {players}}};
    if (packed_play_many(w)) return 1;
    printf("%lld", (long long)w[0]);
    for (int p = 0; p < {players}; p++) printf(" %a", totals[p]);
    puts("");
  }}
}}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "main.c"
        file.write_text(main)
        usual = [flag for flag in flags(system, system.levels[-1]) if flag not in {"-shared", "-fvisibility=hidden"}]
        run([*zig(), *usual, "-static", file, "-o", Path(folder) / "main", "-lm"])
        emulator = ["qemu-aarch64-static"] if "aarch64" in system.target else []
        lines = run([*emulator, Path(folder) / "main"], text=True).stdout.splitlines()
    return [[int(line.split()[0]), *map(float.fromhex, line.split()[1:])] for line in lines]


def by_python(game: Any, file: Path) -> list[list[Any]]:
    """The same by the library itself, loaded here."""
    from parlour.engine.c import loading

    with_it = loading.Compiled(game.definition)
    with_it._libraries["play"] = loading.opened(game.definition, file)
    compiled_here, loading_compiled = compiled, with_it
    globals()["compiled"] = lambda what: loading_compiled
    try:
        return expected(game)
    finally:
        globals()["compiled"] = compiled_here


def by_node(game: Any, file: Path) -> list[list[Any]]:
    """The same by the WebAssembly module, under node."""
    spec = {"start": start_of(game).hex(), "players": game.players, "actions": game.action_count}
    spec |= {"seeds": SEEDS, "games": GAMES}
    said = run(["node", "--no-warnings", Path(__file__).with_name("shipping.mjs"), file, json.dumps(spec)], text=True)
    return [list(row) for row in json.loads(said.stdout)]


def prove(system: System, game: str, folder: Path) -> str:
    """Play with what was made, as far as this machine can; returns how."""
    how = "looked at"
    for setting in settings(game):
        right = expected(setting)
        if system.name == "wasm" and shutil.which("node"):
            found, how = [by_node(setting, folder / "wasm" / f"{game}.wasm")], "run under node"
        elif system.name == "linux-x86_64":
            files = [folder / system.name / f"{game}-{level}.so" for level in X86]
            found, how = [by_python(setting, file) for file in files], "run"
        elif system.name == "musl-x86_64":
            found, how = [by_program(system, setting, folder / f"{game}.c")], "run, as a program"
        elif "aarch64-linux" in system.target and shutil.which("qemu-aarch64-static"):
            musl = next(one for one in SYSTEMS if one.name == "musl-aarch64")
            found, how = [by_program(musl, setting, folder / f"{game}.c")], "run under qemu, as a program"
        else:
            return how
        assert all(one == right for one in found), f"{system.name}: {setting!r}: {found} instead of {right}"
    return how


# ------------------------------------------------------------------------------------------ devices


def for_devices(games: Sequence[str], folder: Path) -> dict[str, list[Path]]:
    """The code of games for CUDA devices, by the system whose wheels bring it: it plays their usual house rules, and
    learns them where a device can."""
    from parlour.engine import device
    from parlour.errors import CompilationError
    from parlour.study import gpu, gpu_training

    shutil.rmtree(folder, ignore_errors=True)
    with pytest.MonkeyPatch.context() as here:
        here.setenv("PARLOUR_CACHE", str(folder))
        here.setattr(device, "clang", lambda: (*zig(), "-target", "nvptx64-cuda-none"))
        for game in map(parlour.load, games):
            gpu.code_for(game)
            if game.definition.has("appraise"):
                with contextlib.suppress(CompilationError):  # a device rounds its rule of thumb otherwise
                    gpu_training.code_for(game)
    made = sorted(folder.rglob("*.ptx.gz"))
    return {system.name: made for system in SYSTEMS if system.name.startswith(("linux", "musl", "windows"))}


# ------------------------------------------------------------------------------------------ wheels


def wheels(folder: Path, to: Path, games: Sequence[str]) -> list[Path]:
    """The pure wheel and the source, then for each system the wheel with its libraries."""
    to.mkdir(exist_ok=True)
    run([sys.executable, "-m", "hatchling", "build", "-d", to], cwd=ROOT, env={**_environment(), "PARLOUR_PURE": "1"})
    pure = max(to.glob("parlour-*-py3-none-any.whl"), key=lambda file: file.stat().st_mtime)
    made, devices = [pure], for_devices(games, folder / "devices")
    for system in SYSTEMS:
        libraries = sorted((folder / system.name).glob(f"*{system.ending}")) if system.tag else []
        own = [file for file in libraries if re.split(r"[-.]", file.name)[0] in games]
        if own:
            made.append(with_libraries(pure, [*own, *devices.get(system.name, ())], system.tag))
    return made


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def with_libraries(pure: Path, libraries: Sequence[Path], tag: str) -> Path:
    """A wheel for one system: the pure one, and libraries in ``parlour/libraries``."""
    out = pure.with_name(pure.name.replace("py3-none-any", f"py3-none-{tag}"))
    rows = list[tuple[str, str, str]]()
    with zipfile.ZipFile(pure) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        record = next(name for name in given.namelist() if name.endswith(".dist-info/RECORD"))

        def put(name: str, content: bytes) -> None:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append((name, f"sha256={digest}", str(len(content))))
            made.writestr(name, content)

        for name in given.namelist():
            content = given.read(name)
            if name.endswith(".dist-info/WHEEL"):
                text = content.decode().replace("Tag: py3-none-any", f"Tag: py3-none-{tag}")
                content = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").encode()
            if name != record:
                put(name, content)
        for file in libraries:
            put(f"parlour/libraries/{file.name}", file.read_bytes())
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows([*rows, (record, "", "")])
        made.writestr(record, written.getvalue())
    return out


def main(words: Sequence[str]) -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="all of them if none is given")
    said.add_argument("--only", action="append", choices=[system.name for system in SYSTEMS], help="a system; again")
    said.add_argument("--prove", action="store_true", help="play with what can be run here")
    said.add_argument("--wheels", type=Path, default=ROOT / "dist", help="the folder for the wheels")
    given = said.parse_args(words)
    games, folder = given.games or shelf(), BUILD / "libraries"
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.c"):
        file.unlink()
    for system in SYSTEMS:
        for game in games if not given.only or system.name in given.only else ():
            begun = time.perf_counter()
            files = [*make(system, game, folder)]
            kilobytes = " + ".join(f"{file.stat().st_size >> 10}" for file in files)
            how = prove(system, game, folder) if given.prove else ""
            took = time.perf_counter() - begun
            print(f"{system.name}: {game}: {kilobytes} kB, {took:.0f} s{how and f'; {how}'}", flush=True)
    if not given.only:
        for file in wheels(folder, given.wheels, games):
            print(f"{file.name}: {file.stat().st_size >> 10} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
