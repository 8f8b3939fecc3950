"""Libraries of compiled code: found in the cache or the package, or compiled from a game's C.

A library is a single file that contains its own description (:func:`described`), so all clones and processes on a
machine share those in the cache.  The cache has a folder for each game, and file names say everything about its
contents: an empty file ``RAW=DIGEST`` says that sources with the hash RAW (:func:`raw`) are translated to C with the
hash DIGEST (:func:`digest`); ``DIGEST-VARIANT-GROUP-CONTENT.so`` is the library of a group of kernels, whose own
content has the hash CONTENT.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.machinery
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parlour.base import disk
from parlour.base.errors import CompilationError, NoCompiler, reason
from parlour.engine.c.running import announced, run
from parlour.engine.kernel import EVERY, every_file
from parlour.engine.native import compilers

if TYPE_CHECKING:
    from parlour.engine.c.program import Export, Program
    from parlour.engine.definition import Definition
    from parlour.engine.kernel import KernelLibrary

STEPS: Final = "engine"
"""The group of kernels for stepping batches.  Callers that need another group (players, studies) name it."""

# ------------------------------------------------------------------------------------------ kernels and compiler flags


class Way(NamedTuple):
    """How C is compiled: ``fast``; ``checked``, which reports an index out of bounds; ``sanitized``, where undefined
    behaviour ends the process with a report."""

    name: str
    flags: tuple[str, ...]


ALWAYS: Final = (
    *("-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-w"),
    *("-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno"),
)
"""Flags for all kernels: whole numbers wrap around, memory may be read as words of any type, and floats are the same to
the last bit with any compiler, because products and sums are never fused."""
FAST: Final = Way("fast", ("-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"))
"""Code that gains from vectors is written with vectors (``prelude.h``).  Automatic vectorisation takes 10% more time to
compile and makes nothing faster."""
CHECKED: Final = Way("checked", ("-O1", "-g", "-DPARLOUR_BOUNDS_CHECK"))
REORDERED: Final = (*("-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-ffinite-math-only"),)
"""For kernels that may add in any order, so that the last bits depend on the compiler, because their results are
checked afterwards.  ``-ffast-math`` would change the rounding of the whole process."""
SANITIZED: Final = Way(
    "sanitized",
    ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)

LEVELS: Final = {
    "v3": ("-mavx2", "-mbmi", "-mbmi2", "-mf16c", "-mfma", "-mlzcnt", "-mmovbe", "-mpopcnt"),
    "v2": ("-msse4.2", "-mpopcnt"),
    "": (),
}
"""Levels of x86-64, best first, and the instructions of each; other processors have none."""


def way() -> Way:
    """The way in which libraries are compiled for this process."""
    if os.environ.get("PARLOUR_SANITIZE"):
        return SANITIZED
    return CHECKED if os.environ.get("PARLOUR_BOUNDS_CHECK") else FAST


@cache
def level() -> str:
    """The level of this processor among :data:`LEVELS`."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return ""
    if os.environ.get("PARLOUR_PORTABLE"):
        return "v2"
    return "v3" if _has_v3() else "v2"


def _has_v3() -> bool:
    """Whether this x86 processor has the instructions of level 3, as far as the system says."""
    if sys.platform == "win32":
        import ctypes

        avx2 = 40  # PF_AVX2_INSTRUCTIONS_AVAILABLE: every processor with AVX2 has the rest of its level too
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(avx2))
    if sys.platform == "darwin":
        asked = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "machdep.cpu.leaf7_features", "machdep.cpu.features"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return {"avx2", "bmi2", "fma"} <= {*asked.stdout.lower().split()}
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as told:
        for line in told:
            if line.startswith("flags"):
                return {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"} <= {*line.split()}
    return False


@cache
def target() -> str:
    """The system and the processor for which libraries are compiled here: ``linux-x86_64``, ``linux-aarch64-musl``."""
    musl = "-musl" * ("musl" in importlib.machinery.EXTENSION_SUFFIXES[0])
    return f"{sys.platform}-{platform.machine().lower()}{musl}"


ENDING: Final = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def variant(how: Way, group: KernelLibrary) -> str:
    """The part of a library's name that tells variants apart: system, processor, and the way of compiling."""
    flags = hashlib.sha256(repr((ALWAYS, how.flags, group.flags, LEVELS[level()])).encode()).hexdigest()[:6]
    return "-".join(filter(None, (how.name, target(), level(), flags)))


def owner(game: Definition | None, group: KernelLibrary) -> str:
    """The owner of these functions: the id of the game, or of the base game of its family; or the name of kernels that
    belong to no game."""
    return (game.of or game).id if game else group.name


# ------------------------------------------------------------------------------------------ sources of a library

_ROOT = Path(__file__).parents[2]
_SHARED = ("rules/vocabulary.py", "rules/contract.py", "rules/bounds.py", "rules/unrolled.py")


@cache
def _shared() -> list[Path]:
    """The source files that may affect the C of every game."""
    translator = (_ROOT / "engine" / "c").glob("*.[hp]*")
    return sorted([*(_ROOT / name for name in _SHARED), *(_ROOT / "engine").glob("*.py"), *translator])


@cache
def _hash(files: tuple[Path, ...]) -> bytes:
    said = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        said.update(len(content).to_bytes(8, "little") + content)
    return said.digest()


def raw(game: Definition | None, group: KernelLibrary) -> str:
    """Return a hash of all source files that may affect the C of some kernels.  It is quick, but even a comment changes
    it."""
    return _raw(game, owner(game, group), group.files)


@cache
def _raw(game: Definition | None, owner: str, kernels: tuple[Path, ...]) -> str:
    own, texts = list[Path](), list[Path]()
    if game:
        own = [Path(getattr(module.__loader__, "path", module.__file__ or "")) for module in game.sources]
        home = Path((game.of or game).modules[0].__file__ or "").parent
        texts = sorted(file for file in home.iterdir() if file.suffix in {".md", ".toml", ".py"})
    read = [_hash(tuple(files)) for files in (_shared(), kernels, [*own, *texts])]
    made = repr(sorted(game.made.constants.items())) if game and game.made.constants else ""
    return hashlib.sha256((owner + made).encode() + b"".join(read)).hexdigest()[:20]


@cache
def program_of(game: Definition | None, group: KernelLibrary) -> Program:
    """The entries of some kernels as C.  Raises ``CompilationError`` if the author has made a mistake."""
    from parlour.engine.c.program import translated

    return translated(game, group.entries)


def digest(game: Definition | None, group: KernelLibrary) -> str:
    """Return a hash of a library's C, without the lines of Python that it quotes as comments."""
    program = program_of(game, group)
    lines = [line for line in program.source.splitlines() if not line.lstrip().startswith("//")]
    said = "\n".join([*lines, repr(program.entries)])
    return hashlib.sha256(said.encode()).hexdigest()[:20]


# ------------------------------------------------------------------------------------------ libraries on disk


def library(game: Definition | None, group: KernelLibrary, how: Way | None = None) -> Path:
    """The file of the library with these kernels, for a game or (``None``) for none; it is compiled if it does not
    exist yet.

    Raises ``CompilationError`` if there is no compiler, if it fails, if the file cannot be written, or if the author of
    the rules has made a mistake.
    """
    how = how or way()
    if how is FAST and (shipped := _shipped(game, group)):
        return shipped
    if game and (whole := _whole(game, group, how)):
        return whole
    folder, now = disk.cache_folder() / "c" / owner(game, group), raw(game, group)
    said = _noted(folder, now) or _note(game, group, folder, now)
    wanted = f"{said}-{variant(how, group)}"
    if found := _kept(folder, wanted, group.name):
        return found
    title = game.name if game else group.name
    for place in (folder, _passing() / owner(game, group)):
        try:
            place.mkdir(parents=True, exist_ok=True)
            with announced(title) if group.name == STEPS else contextlib.nullcontext(), _locked(place):
                return _kept(place, wanted, group.name) or _make(game, group, how, place, wanted)
        except OSError as error:
            _warn_once(place, error)
    raise CompilationError(
        "{id}: machine code cannot be kept anywhere; set PARLOUR_CACHE to a folder where it can.",
        id=owner(game, group),
    )


def _whole(game: Definition, group: KernelLibrary, how: Way) -> Path | None:
    """The library of all kernels for this game, if the cache has one.  Only the set-up of the tests compiles it,
    because it takes little more than half the time of its parts; players need just one part."""
    files = every_file()
    if not all(kernel.file in files for kernel in group.kernels):
        return None
    folder = disk.cache_folder() / "c" / owner(game, group)
    said = _noted(folder, _raw(game, owner(game, group), files))
    return _kept(folder, f"{said}-{variant(how, group)}", EVERY) if said else None


def _noted(folder: Path, now: str) -> str:
    """The digest noted in the cache for source files with this hash, if there is one."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(f"{now}="):
                return name.partition("=")[2]
    return ""


def _note(game: Definition | None, group: KernelLibrary, folder: Path, now: str) -> str:
    said = digest(game, group)
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{now}={said}").touch()
    return said


def _kept(folder: Path, wanted: str, group: str) -> Path | None:
    """The library of this group in a cache folder, if it is there and undamaged."""
    start = f"{wanted}-{group}-"
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for name in sorted(os.listdir(folder)):
            if name.startswith(start) and name.endswith(ENDING):
                file = folder / name
                if _content(file.read_bytes()) == name[len(start) : -len(ENDING)]:
                    return file
                warnings.warn(f"The machine code in {file} is damaged; it is made again.", stacklevel=2)
                file.unlink(missing_ok=True)
    return None


def _content(said: bytes) -> str:
    return hashlib.sha256(said).hexdigest()[:16]


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process compile while the others wait and load the result.  Without the package filelock, each process
    compiles for itself."""
    if find_spec("filelock") is None:
        yield
        return
    from filelock import FileLock

    with FileLock(folder / "lock"):
        yield


@cache
def _passing() -> Path:
    """A folder that is removed when this process ends, for machines without a writable cache."""
    made = tempfile.TemporaryDirectory(prefix="parlour-")
    _PASSING.append(made)
    return Path(made.name)


_PASSING: list[tempfile.TemporaryDirectory[str]] = []


@cache
def _warn_once(folder: Path, error: OSError) -> None:
    warnings.warn(
        f"Machine code cannot be kept in {folder} ({reason(error)}), so every program makes it anew; set PARLOUR_CACHE"
        " to another folder.",
        stacklevel=4,
    )


SHIPPED: Final = _ROOT / "libraries"
"""Libraries shipped with the package, and ``MADE_OF``, which has the hashes of their sources."""
MADE_OF: Final = "made_of.json"


def shipped_name(owner: str, level: str) -> str:
    """The name, without its ending, of a library that is shipped with the package; that of a game has all its
    kernels."""
    return f"{owner}-{level}" if level else owner


def _shipped(game: Definition | None, group: KernelLibrary) -> Path | None:
    """The library shipped with the package, if it was compiled from the present source files."""
    who = owner(game, group)
    made_of = _made_of().get(who, {}).get(group.name)
    if made_of is None or made_of != raw(game, group):
        return None
    names = (shipped_name(who, best) for best in dict.fromkeys((level(), "v2" if level() else "")))
    return next((file for file in (SHIPPED / f"{name}{ENDING}" for name in names) if file.exists()), None)


@cache
def _made_of() -> Mapping[str, Mapping[str, str]]:
    """For each library shipped with the package, the hashes (:func:`raw`) of the sources of its groups of kernels."""
    try:
        found: Mapping[str, Mapping[str, str]] = json.loads((SHIPPED / MADE_OF).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found


# ------------------------------------------------------------------------------------------ compiling


def _make(game: Definition | None, group: KernelLibrary, how: Way, folder: Path, wanted: str) -> Path:
    source = described(game, group)
    made = compiled(source, (*ALWAYS, *how.flags, *group.flags, *LEVELS[level()]), owner(game, group))
    file = folder / f"{wanted}-{group.name}-{_content(made)}{ENDING}"
    disk.write(file, made)
    return file


def compiled(source: str, flags: tuple[str, ...], title: str, command: tuple[str, ...] = ()) -> bytes:
    """Compile a file of C, and return the library as bytes.  Raises ``CompilationError``."""
    command = command or compiler(title)
    with contextlib.ExitStack() as stack:
        try:
            room = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="parlour-")))
            (room / "game.c").write_text(source, "utf-8")
            mathematics = () if "-nostdlib" in flags or sys.platform == "win32" else ("-lm",)
            ran = run([*command, *flags, "game.c", "-o", f"game{ENDING}", *mathematics], room)
        except OSError as error:
            raise CompilationError(
                "{id}: the C compiler {compiler} could not be started: {why}.",
                id=title, compiler=" ".join(command), why=reason(error),
            ) from None  # fmt: skip
        made = room / f"game{ENDING}"
        if ran.returncode or not made.exists():
            raise _obituary(title, command, ran)
        return made.read_bytes()


def _obituary(title: str, command: tuple[str, ...], ran: subprocess.CompletedProcess[bytes]) -> CompilationError:
    """Return the error for a failed compilation, with the compiler's own message."""
    code = ran.returncode
    said = ran.stderr.decode(errors="replace").strip().splitlines()
    last = next((line for line in said if "error" in line.lower()), (said or [""])[-1]).strip()
    try:
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    except ValueError:
        how = f"was ended by signal {-code}"
    return CompilationError(
        "{id}: the C compiler {compiler} {how}{why}. Name another in CC; play, hints and search work without machine"
        " code.",
        id=title, compiler=" ".join(command), how=how, why=f' ("{last[:200]}")' if last else "",
    )  # fmt: skip


def compiler(title: str) -> tuple[str, ...]:
    """The command of the C compiler: what ``CC`` names, ``cc``, ``gcc``, ``clang``, or what the package ziglang brings.
    Raises ``NoCompiler`` if none is here."""
    for found in compilers():
        if shutil.which(found[0]) is None:  # `compilers` has not checked what CC names
            raise CompilationError(
                "{id}: CC names the C compiler {compiler!r}, which cannot be found or run here.",
                id=title, compiler=found[0],
            )  # fmt: skip
        return found
    raise NoCompiler(
        "{id} can be compiled where there is a C compiler: install gcc or clang, name another in CC, or pip install"
        " 'parlour[compiler]'. Play, hints and search work without machine code.",
        id=title,
    )


# ------------------------------------------------------------------------------------------ description of a library

MARK: Final = b"parlour-library:"


def described(game: Definition | None, group: KernelLibrary) -> str:
    """The C of a game, or of none, with a description for Python, and for each entry a function ``packed_NAME``.  This
    takes one vector of words: an array is its address and its dimensions, a number is itself, a float its bits.  The
    entry's result is put into the first word.  The function returns 0, or the number of the place in the rules that
    went wrong.
    """
    from parlour.engine.c.layout import position_size

    program = program_of(game, group)
    modules = {module.__file__: name for name, module in [*sys.modules.items()] if getattr(module, "__file__", None)}
    about = {
        "size": position_size(game) if game else 0,
        "entries": {
            name: [[one.kind + "?" * one.optional for one in entry.parameters], entry.gives, entry.bundled]
            for name, entry in program.entries.items()
        },
        "places": [[modules.get(place.file, ""), place.line, place.what] for place in program.places],
    }
    text = json.dumps(about, separators=(",", ":"), ensure_ascii=True)
    quoted = "\n".join(json.dumps(text[i : i + 100]) for i in range(0, len(text), 100))
    packed = [_packed(name, entry) for name, entry in program.entries.items()]
    return "\n".join([
        program.source,
        "// What Python has to know, and each entry with all that it is given in one vector of words.",
        f'EXPORT const char parlour_library[] = "{MARK.decode()}"\n{quoted};',
        *packed,
        *([_stepped(game)] if game and "step_on" in program.entries else []),
        "",
    ])  # fmt: skip


def _packed(name: str, entry: Export) -> str:
    from parlour.engine.c.kinds import STORED

    given, at = list[str](), 0
    for _, kind, _ in entry.parameters:
        code, _, dimensions = kind.partition("[")
        if dimensions:
            given.append(f"({STORED[code]} *)(uintptr_t)w[{at}]")
            given += [f"(i64)w[{at + 1 + i}]" for i in range(len(dimensions))]
        else:
            numbers = {"real": f"*(double *)(w + {at})", "word": f"w[{at}]", "i64": f"(i64)w[{at}]"}
            given.append(numbers.get(kind, f"(void *)(uintptr_t)w[{at}]"))
        at += 1 + len(dimensions)
    call = f"{entry.symbol}({', '.join(given)});"
    to = {"i64": "*(i64 *)w = ", "word": "*w = ", "real": "*(double *)w = ", None: ""}[entry.gives]
    return f"EXPORT i64 packed_{name}(u64 *w) {{ {to}{call} return parlour_mistake(); }}"


def _stepped(game: Definition) -> str:
    """The C functions that a state calls for its steps (``state.h``)."""
    from parlour.engine.c.layout import block
    from parlour.engine.kernels.state import FAILED
    from parlour.engine.tensors import tensor_size

    at = block(game)
    s = f"(position *)(B + {at.position})"
    parts = (
        f"B, 1, (i64 *)(B + {at.about}), 4, B + {at.memory}, 1, 4, {at.columns}, (double *)(B + {at.scores}), 2,"
        f" {at.columns}, {s}, (int16_t *)(B + {at.acts}), {MOST_ACTIONS}"
    )
    functions = {
        "step(u64 *B, i64 a, i64 player)": f"parlour_step_on({parts}, a, player)",
        "ask(u64 *B, i64 player)": f"parlour_list_actions({parts}, player)",
        "chances(u64 *B, i64 *weights)": f"parlour_weigh_outcomes({s}, weights, {OUTCOMES})",
        "tell(u64 *B, i64 me, float *row)": f"(parlour_write_row({s}, me, row, {tensor_size(game)}), 0)",
        "score(u64 *B, double *out)": f"(parlour_returns({s}, out, {at.columns}), 0)",
    }
    return "\n".join([
        "// What a state that goes on step by step calls: parlour/engine/state.h.",
        f"static i64 unless_wrong(i64 found) {{ return parlour_mistake() ? {FAILED} : found; }}",
        *(f"EXPORT i64 state_{head} {{ return unless_wrong({call}); }}" for head, call in functions.items()),
    ])  # fmt: skip


MOST_ACTIONS: Final = 1 << 15
OUTCOMES: Final = 63


def described_in(library: bytes) -> dict[str, Any]:
    """The description inside a library; empty if the file is not a library of Parlour."""
    at = library.find(MARK)
    if at < 0:
        return {}
    try:
        found: dict[str, Any] = json.loads(library[at + len(MARK) : library.index(b"\0", at)])
    except ValueError:
        return {}
    return found
