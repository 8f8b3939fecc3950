"""The rules of a game as code for a CUDA device: the same functions, lowered as for the processor.

Rules are typed and lowered once (:mod:`parlour.engine.linking`); what comes of it is LLVM's language and knows nothing
of a processor, apart from a few of its instructions, which have twins here (:data:`TWINS`).  So the parts are linked
into one module for the device, with a kernel on top, and LLVM's own back end makes PTX of it, which the driver of any
device since :data:`TARGET` takes.  Nothing of CUDA has to be installed for that.
"""

from __future__ import annotations

import ctypes
import functools
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from parlour.extras import needed

with needed("fast"):
    import llvmlite.binding as llvm
    import numba
    from numba.core import types as T

from parlour.engine import grid, linking
from parlour.engine.compiled import compiled
from parlour.errors import CompilationError

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

TARGET: Final = "sm_75", "+ptx75"
"""The oldest devices that the code runs on (Turing, 2018), and the PTX that their drivers read."""
KERNEL: Final = "parlour_play"
TRIPLE: Final = "nvptx64-nvidia-cuda"
FAILED: Final = "failed"

_WIDTHS: Final = (32, 16, 8, 4, 2, 1)


def _halving() -> str:
    """Find the k-th member of a set without a branch, as :func:`parlour.engine.intrinsics.nth_halving` does."""
    lines = ["  %k0 = call i64 @llvm.cttz.i64(i64 %bit, i1 true)"]
    left, at, wanted = "%mask", "0", "%k0"
    for n, width in enumerate(_WIDTHS, start=1):
        lines += [
            f"  %half{n} = and i64 {left}, {(1 << width) - 1}",
            f"  %here{n} = call i64 @llvm.ctpop.i64(i64 %half{n})",
            f"  %beyond{n} = icmp uge i64 {wanted}, %here{n}",
            f"  %skip{n} = select i1 %beyond{n}, i64 %here{n}, i64 0",
            f"  %far{n} = select i1 %beyond{n}, i64 {width}, i64 0",
            f"  %k{n} = sub i64 {wanted}, %skip{n}",
            f"  %left{n} = lshr i64 {left}, %far{n}",
            f"  %at{n} = add i64 {at}, %far{n}",
        ]
        left, at, wanted = f"%left{n}", f"%at{n}", f"%k{n}"
    body = "\n".join(lines)
    return (
        f"define internal i64 @twin(i64 %bit, i64 %mask) {{\n{body}\n  %found = shl i64 1, {at}\n  ret i64 %found\n}}"
    )


TWINS: Final[Mapping[str, str]] = {"llvm.x86.bmi.pdep.64": _halving()}
"""Instructions of processors, and what stands in for each on a device: a function of the same meaning, where rules use
it.  ``pdep`` is only ever asked to deposit a single bit."""


@dataclass(frozen=True)
class DeviceCode:
    """What a device is given: its code as ``ptx``, and ``tables``, the bytes that are to be laid under each name before
    the kernel is called.  ``llvm`` is what the PTX was made of, for whoever wants to check it."""

    ptx: str
    tables: Mapping[str, bytes]
    llvm: str


@functools.cache
def device_code(game: Definition) -> DeviceCode:
    """Return the code that plays a game on a device.  Raises ``CompilationError`` if there is none.

    The kernel takes pointers to positions, the start, actions, generators, returns, numbers of decisions and a flag
    that it sets if a game went wrong, then the first seed, the number of games, the bytes of a position, the number of
    actions and of players.
    """
    if linking.is_plain():
        raise CompilationError("Code for a device needs the usual linking, not PARLOUR_LINKING=plain.")
    with _lock:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        try:
            target = llvm.Target.from_triple(TRIPLE)
        except RuntimeError:
            raise CompilationError("This build of LLVM (llvmlite) cannot make code for CUDA devices.") from None
        machine = target.create_target_machine(cpu=TARGET[0], features=TARGET[1], opt=3)
        text, tables = _linked(game)
        module = llvm.parse_assembly(text)
        module.data_layout = str(machine.target_data)
        module.verify()
        _optimise(module, machine)
        optimised = str(module)  # emitting changes it
        return DeviceCode(machine.emit_assembly(module), tables, optimised)


_lock = threading.Lock()


def _linked(game: Definition) -> tuple[str, dict[str, bytes]]:
    """Everything that a game needs in one module of LLVM, with the kernel; and its tables."""
    code = compiled(game)
    driver = f"parlour.compiled.{game.id}.drivers.play_many"
    space = code.functions[driver].py_func.__globals__
    play = FunctionType(grid.play_some.__code__, space, grid.play_some.__name__)
    part = linking.part(play, words=True, nogil=True, boundscheck=False, _nrt=False)
    records, words = T.Array(numba.from_dtype(code.dtype), 1, "C"), T.Array(T.uint64, 2, "C")
    floats, numbers = T.Array(T.float64, 2, "C"), T.Array(T.int64, 1, "C")
    part.compile((records, records, T.Array(T.int16, 2, "C"), words, floats, numbers, T.uint64, T.int64, T.int64))
    (made,) = part.overloads.values()
    first, *others = (str(library._final_module) for library in linking._closure([made.library]))
    module = llvm.parse_assembly(first)
    for other in others:
        module.link_in(llvm.parse_assembly(other))
    text, entry = str(module), made.fndesc.llvm_func_name
    text, tables = _with_tables(_for_devices(text))
    return text + _kernel(text, entry), tables


def _for_devices(text: str) -> str:
    text = re.sub(r"(?m)^target (?:datalayout|triple) = .*\n", "", text)
    for number, (name, twin) in enumerate(TWINS.items()):
        if f"@{name}(" in text:
            text = re.sub(rf"(?m)^declare .*@{re.escape(name)}\(.*\n", "", text).replace(f"@{name}(", f"@twin{number}(")
            text += "\n" + twin.replace("@twin(", f"@twin{number}(") + "\n"
    for needed_too in ("i64 @llvm.cttz.i64(i64, i1 immarg)", "i64 @llvm.ctpop.i64(i64)"):
        if f"declare {needed_too}" not in text:
            text += f"\ndeclare {needed_too}\n"
    return f'target triple = "{TRIPLE}"\n{text}'


def _with_tables(text: str) -> tuple[str, dict[str, bytes]]:
    """Make room on the device for each table that machine code on the processor finds by a symbol."""
    tables: dict[str, bytes] = {}

    def room(found: re.Match[str]) -> str:
        symbol, size, bits = found["symbol"].strip('"'), int(found["size"]), int(found["bits"])
        name = f"parlour_table{len(tables)}"
        tables[name] = ctypes.string_at(llvm.address_of_symbol(symbol), size * bits // 8)
        renamed.append((found["symbol"], name))
        return f"@{name} = externally_initialized global [{size} x i{bits}] zeroinitializer, align 8"

    renamed: list[tuple[str, str]] = []
    pattern = r'(?m)^@(?P<symbol>"?parlour\.[^ ]+) = external constant \[(?P<size>\d+) x i(?P<bits>\d+)\].*$'
    text = re.sub(pattern, room, text)
    for symbol, name in renamed:
        text = re.sub(rf"@{re.escape(symbol)}(?![\w.\"])", f"@{name}", text)
    return text, tables


def _kernel(text: str, entry: str) -> str:
    """The kernel: it works out which thread this is, describes the arrays to the driver, and calls it."""
    found = re.search(rf'(?m)^define [^\n]*i32 @"?{re.escape(entry)}"?\((.*)\)[^\n]*\{{$', text)
    assert found is not None
    lines, given = [], ["ptr %result", "ptr %error"]
    shapes = {
        "S": (["%threads"], "%size"),
        "start": (["1"], "%size"),
        "acts": (["%threads", "%actions"], "2"),
        "rngs": (["%threads", "1"], "8"),
        "outs": (["%games", "%players"], "8"),
        "moves": (["%games"], "8"),
    }
    for name, (shape, item) in shapes.items():
        wide = item
        for axis in reversed(range(len(shape))):
            lines.append(f"  %{name}.stride{axis} = add i64 {wide}, 0")
            if axis:
                lines.append(f"  %{name}.wide{axis} = mul i64 {wide}, {shape[axis]}")
                wide = f"%{name}.wide{axis}"
    for parameter in found[1].split(", ")[2:]:
        argument = parameter.split()[-1].removeprefix("%arg.")
        name, *part = argument.split(".")
        match part:
            case []:
                given.append(f"i64 %{name}")
            case ["0" | "1"]:  # what would own the array
                given.append("ptr null")
            case ["2" | "3"]:  # items and their size, which nobody asks for
                given.append("i64 0")
            case ["4"]:
                given.append(f"ptr %{name}")
            case ["5", k]:
                given.append(f"i64 {shapes[name][0][int(k)]}")
            case _:
                given.append(f"i64 %{name}.stride{part[1]}")
    registers = {"tid.x": "thread", "ntid.x": "block", "ctaid.x": "which", "nctaid.x": "blocks"}
    special = "llvm.nvvm.read.ptx.sreg"
    declared = "\n".join(f"declare i32 @{special}.{register}()" for register in registers)
    read = "\n".join(
        f"  %{name}.32 = call i32 @{special}.{register}()\n  %{name} = zext i32 %{name}.32 to i64"
        for register, name in registers.items()
    )
    body = "\n".join(lines)
    return f"""
{declared}
define ptx_kernel void @{KERNEL}(
  ptr %S, ptr %start, ptr %acts, ptr %rngs, ptr %outs, ptr %moves, ptr %{FAILED},
  i64 %first, i64 %games, i64 %size, i64 %actions, i64 %players
) {{
  %result = alloca i64
  %error = alloca ptr
{read}
  %before = mul i64 %which, %block
  %mine = add i64 %before, %thread
  %threads = mul i64 %blocks, %block
{body}
  %status = call i32 @"{entry}"({", ".join(given)})
  %raised = icmp eq i32 %status, -1
  %other = icmp sgt i32 %status, 0
  %wrong = or i1 %raised, %other
  br i1 %wrong, label %bad, label %good
bad:
  store i32 1, ptr %{FAILED}
  ret void
good:
  ret void
}}
"""


def _optimise(module: Any, machine: Any) -> None:
    """Optimise once, with everything but the kernel and the tables to itself, under short names."""
    kept = {KERNEL}
    number = 0
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name not in kept and not one.name.startswith("parlour_table"):
            one.linkage = "internal"
            one.name = f"f{number}"
            number += 1
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


__all__ = ["KERNEL", "TARGET", "TWINS", "DeviceCode", "device_code"]
