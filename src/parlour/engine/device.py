"""The rules of a game as code for a CUDA device: the same functions, lowered as for the processor.

Rules are typed and lowered once (:mod:`parlour.engine.linking`); what comes of it is LLVM's language and knows nothing
of a processor, apart from a few of its instructions, which have twins here (:data:`TWINS`).  So the parts are linked
into one module for the device, with a kernel on top, and LLVM's own back end makes PTX of it, which the driver of any
device since :data:`TARGET` takes.  Nothing of CUDA has to be installed for that.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from parlour.extras import needed

with needed("fast"):
    import llvmlite.binding as llvm
    import numba
    import numpy as np
    from numba.core import types as T

from parlour.engine import grid, linking
from parlour.engine.compiled import compiled
from parlour.errors import CompilationError

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

TARGET: Final = "sm_75", "+ptx75"
"""The oldest devices that the code runs on (Turing, 2018), and the PTX that their drivers read."""
TRIPLE: Final = "nvptx64-nvidia-cuda"
PLAYING: Final = (grid.play_some,)
LEARNING: Final = (grid.learn_some, grid.add_up)
"""What a device is to do: the functions of :mod:`parlour.engine.grid` of which kernels are made together."""

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


def _exact(name: str) -> str:
    """A function of C that is exact, as LLVM's own: a device has an instruction for that."""
    called = f"call double @llvm.{name}.f64(double %x)"
    return f"define internal double @twin(double %x) {{\n  %found = {called}\n  ret double %found\n}}"


_EXACT: Final = ("sqrt", "floor", "ceil")
TWINS: Final[Mapping[str, str]] = {"llvm.x86.bmi.pdep.64": _halving(), **{name: _exact(name) for name in _EXACT}}
"""Instructions of processors and functions of C, and what stands in for each on a device: a function of the same
meaning, where rules use it.  ``pdep`` is only ever asked to deposit a single bit."""

_ABLE: Final = re.compile(
    r"llvm\.(nvvm|lifetime|[su](min|max)|mem(cpy|move|set)|abs|fabs|copysign|sqrt|floor|ceil|trunc|rint"
    r"|[su](add|sub)\.sat|[su](add|sub|mul)\.with\.overflow|[su]cmp|ct(pop|tz|lz)|fsh[lr]|bswap|bitreverse)\."
    r"|llvm\.(assume|trap|experimental\.noalias\.scope\.decl)$"
)
"""What LLVM provides that a device calculates to the same bits."""


@dataclass(frozen=True)
class DeviceCode:
    """What a device is given: its code as ``ptx``, and ``tables``, the bytes that are to be laid under each name before
    a kernel is called.  ``llvm`` is what the PTX was made of, for whoever wants to check it."""

    ptx: str
    tables: Mapping[str, bytes]
    llvm: str


def kernel(function: Any) -> str:
    """The name of the kernel that is made of a function of :mod:`parlour.engine.grid`.

    >>> kernel(grid.play_some)
    'parlour_play_some'
    """
    return f"parlour_{function.__name__}"


def parameters(function: Any) -> list[str]:
    """The names of what such a kernel is to be given, apart from what it finds out by itself.

    >>> parameters(grid.add_up)
    ['changes', 'parts', 'total']
    """
    known = ("mine", "threads", *grid.OWN)
    return [name for name in inspect.signature(function).parameters if name not in known]


def _own(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name in grid.OWN]


@functools.cache
def device_code(game: Definition, functions: tuple[Any, ...], choices: int) -> DeviceCode:
    """Return the code that plays a game on a device, or learns it.  Raises ``CompilationError`` if there is none.
    ``choices``: for how many actions each thread has room, where it plays; 0 where it learns.

    A kernel takes two pointers.  The first is to the words that describe what its function is given, in order: for an
    array two that nobody reads, the number of its items, the size of one, its address, its shape and its strides in
    bytes; for a number its bits.  The second is to a flag (32 bits) that it sets if a game went wrong.
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
        text, tables = _linked(game, functions, choices)
        module = llvm.parse_assembly(text)
        module.data_layout = str(machine.target_data)
        module.verify()
        _optimise(module, machine)
        optimised = str(module)  # emitting changes it
        if unable := _unable(optimised):
            raise CompilationError(
                "{name} calculates with {unable}, which devices do not round as processors do.",
                name=game.name,
                unable=" and ".join(unable),
            )
        return DeviceCode(machine.emit_assembly(module), tables, optimised)


def _unable(text: str) -> list[str]:
    """What is called that a device does not calculate to the same bits as a processor, or not at all; LLVM would end
    the process."""
    declared = re.findall(r'(?m)^declare [^@\n]*@"?([\w.]+)', text)
    called = {name for name in declared if text.count(f"@{name}(") > 1}
    return sorted(name.removeprefix("llvm.").partition(".")[0] for name in called if not _ABLE.match(name))


_lock = threading.Lock()


def _linked(game: Definition, functions: tuple[Any, ...], choices: int) -> tuple[str, dict[str, bytes]]:
    """Everything that a game needs in one module of LLVM, with kernels; and its tables."""
    code = compiled(game)
    space = dict(code.functions[f"parlour.compiled.{game.id}.drivers.play_many"].py_func.__globals__)
    how: dict[str, Any] = {"words": True, "nogil": True, "boundscheck": False, "_nrt": False}
    space["practise"] = linking.part(space["practise"].py_func, **how)
    made = [_typed(code, linking.part(FunctionType(one.__code__, space, one.__name__), **how)) for one in functions]
    first, *others = (str(library._final_module) for library in linking._closure([one.library for one in made]))
    module = llvm.parse_assembly(first)
    for other in others:
        module.link_in(llvm.parse_assembly(other))
    text, tables = _with_tables(_for_devices(str(module)))
    room = dict(zip(grid.OWN, ((1, code.dtype.itemsize), (choices, 2), (1, 8)), strict=True))
    kernels = [
        _kernel(text, one.fndesc.llvm_func_name, kernel(function), {name: room[name] for name in _own(function)})
        for one, function in zip(made, functions, strict=True)
    ]
    return "\n".join([text, _REGISTERS, *kernels]), tables


def _typed(code: Any, part: Any) -> Any:
    """A function compiled for what the names of its parameters say."""
    types = {}
    for items, names in grid.KINDS.items():
        item = numba.from_dtype(code.dtype if items == grid.RECORD else np.dtype(items))
        types.update({name: T.Array(item, size, "C") if size else item for name, size in names.items()})
    part.compile(tuple(types[name] for name in inspect.signature(part.py_func).parameters))
    (made,) = part.overloads.values()
    return made


def _for_devices(text: str) -> str:
    text = re.sub(r"(?m)^target (?:datalayout|triple) = .*\n", "", text)
    for number, (name, twin) in enumerate(TWINS.items()):
        if f"@{name}(" in text:
            text = re.sub(rf"(?m)^declare .*@{re.escape(name)}\(.*\n", "", text).replace(f"@{name}(", f"@twin{number}(")
            text += "\n" + twin.replace("@twin(", f"@twin{number}(") + "\n"
    exact = ["void @llvm.assume(i1 noundef)", *(f"double @llvm.{name}.f64(double)" for name in _EXACT)]
    for needed_too in ("i64 @llvm.cttz.i64(i64, i1 immarg)", "i64 @llvm.ctpop.i64(i64)", *exact):
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


_WHICH: Final = {"tid.x": "thread", "ntid.x": "block", "ctaid.x": "which", "nctaid.x": "blocks"}
"""What tells a thread which one it is."""
_SPECIAL: Final = "llvm.nvvm.read.ptx.sreg"
_REGISTERS: Final = "\n".join(f"declare i32 @{_SPECIAL}.{register}()" for register in _WHICH)


def _kernel(text: str, entry: str, name: str, room: Mapping[str, tuple[int, int]]) -> str:
    """A kernel: it works out which thread this is, and calls a function with what it is given.  ``room``: for what each
    thread has for itself, how many items that has and the size of one."""
    found = re.search(rf'(?m)^define [^\n]*i32 @"?{re.escape(entry)}"?\((.*)\)[^\n]*\{{$', text)
    assert found is not None
    lines, given = list[str](), ["ptr %result", "ptr %error"]
    for parameter in found[1].split(", ")[2:]:
        kind, argument = parameter.split()[0], parameter.split()[-1].removeprefix("%arg.")
        array, _, part = argument.partition(".")
        if argument in ("mine", "threads"):
            given.append(f"i64 %{argument}")
            continue
        if array in room:
            given.append(f"{kind} {_described(array, *room[array])[int(part[0])]}")
            continue
        k = sum(line.startswith("  %at") for line in lines)
        lines += [f"  %at{k} = getelementptr i64, ptr %given, i64 {k}", f"  %word{k} = load i64, ptr %at{k}"]
        match kind:
            case "ptr":  # memory that all threads can reach
                lines.append(f"  %global{k} = inttoptr i64 %word{k} to ptr addrspace(1)")
                lines.append(f"  %value{k} = addrspacecast ptr addrspace(1) %global{k} to ptr")
                lines.append(f'  call void @llvm.assume(i1 true) ["align"(ptr %value{k}, i64 8)]')
            case _:
                lines.append(f"  %value{k} = bitcast i64 %word{k} to {kind}")
        given.append(f"{kind} %value{k}")
    read = "\n".join(
        f"  %{name}.32 = call i32 @{_SPECIAL}.{register}()\n  %{name} = zext i32 %{name}.32 to i64"
        for register, name in _WHICH.items()
    )
    own = [f"  %{array} = alloca [{items * size} x i8], align 16" for array, (items, size) in room.items()]
    body = "\n".join(own + lines)
    return f"""
define ptx_kernel void @{name}(ptr %given, ptr %failed) {{
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
  store i32 1, ptr %failed
  ret void
good:
  ret void
}}
"""


def _described(array: str, items: int, size: int) -> Sequence[str]:
    """How a function is told of an array with one dimension: two pointers that nobody reads, the number of its items,
    the size of one, where it is, its shape and its stride."""
    return "null", "null", str(items), str(size), f"%{array}", str(items), str(size)


def _optimise(module: Any, machine: Any) -> None:
    """Optimise once, with everything but the kernels and the tables to itself, under short names.  What is called in
    one place only is put there: then it is known which memory a pointer is to."""
    called = Counter(re.findall(r'\bcall [^\n]*?@"?([^\s"(]+)"?\(', str(module)))
    number = 0
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and not one.name.startswith("parlour_"):
            if called[one.name] == 1:
                one.add_function_attribute("alwaysinline")
            one.linkage = "internal"
            one.name = f"f{number}"
            number += 1
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


__all__ = ["LEARNING", "PLAYING", "TARGET", "TWINS", "DeviceCode", "device_code", "kernel", "parameters"]
