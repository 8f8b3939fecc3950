"""A stand-in for a CUDA device: the very C that PTX is made of, compiled for the processor, thread by thread."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from parlour.base.errors import CompilationError
from parlour.engine.c import building
from parlour.study.device import WRONG, DeviceCode, clang

REGISTERS = ("tid_x", "ntid_x", "ctaid_x", "nctaid_x")
"""What tells a thread which one it is."""
UNLIKE = "add_overflow sub_overflow mul_overflow negate_overflow shift_out_of_bounds float_cast_overflow"
"""What a device may do otherwise than a processor, as the sanitizer of undefined behaviour calls it."""
LIKE_A_DEVICE = "\n".join([
    "#include <stdint.h>",
    *(f"int32_t {name}; static int32_t __nvvm_read_ptx_sreg_{name}(void) {{ return {name}; }}" for name in REGISTERS),
    "int32_t unlike;",
    *(f"void __ubsan_handle_{name}(void) {{ unlike = 1; }}" for name in UNLIKE.split()),
    "",
])  # fmt: skip
FLAGS = (
    *(flag for flag in building.ALWAYS if flag not in ("-fvisibility=hidden", "-fwrapv")),
    *("-O1", "-fsanitize=signed-integer-overflow,shift-exponent,float-cast-overflow"),
)


def has_clang() -> bool:
    """Whether PTX can be made here."""
    try:
        return bool(clang())
    except CompilationError:
        return False


needs_clang = pytest.mark.skipif(not has_clang(), reason="there is no clang (pip install 'parlour[compiler]')")


@cache
def library(source: str) -> ctypes.CDLL:
    """What the C for a device is as a library for the processor."""
    made = building.compiled(LIKE_A_DEVICE + source, FLAGS, "stand-in")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"stand_in{building.ENDING}"
        file.write_bytes(made)
        return ctypes.CDLL(str(file))


def check_code(code: DeviceCode, entries: list[str], folder: Path) -> None:
    """What is made for a device has these entries, needs nothing else and rounds as a processor does."""
    assert re.findall(r"^\.visible \.entry (\w+)\(", code.ptx, re.MULTILINE) == entries
    assert ".extern" not in code.ptx
    assert not re.findall(r"\bfma\b|\.approx\b", code.ptx)  # a processor rounds twice, and to the nearest
    if assembler := shutil.which("ptxas"):
        file = folder / "game.ptx"
        file.write_text(code.ptx, "utf-8")
        subprocess.run([assembler, "-arch=sm_75", file, "-o", folder / "game.cubin"], check=True, timeout=900)


class StandIn:
    """Runs the kernels of a game; memory is the processor's own."""

    def __init__(self, code: DeviceCode) -> None:
        self.library = library(code.source)
        self.registers = [ctypes.c_int32.in_dll(self.library, name) for name in REGISTERS]
        self.wrong = ctypes.c_int64.in_dll(self.library, WRONG)
        self.unlike = ctypes.c_int32.in_dll(self.library, "unlike")
        self.wrong.value = self.unlike.value = 0

    def launch(self, kernel: str, blocks: int, block: int, values: tuple[Any, ...], types: tuple[Any, ...]) -> None:
        """Run all threads, one after another, the last first: what one of them does must not matter to another.  None
        of them may do anything that a device may do otherwise."""
        function, given = self.library[kernel], [kind(value) for kind, value in zip(types, values, strict=True)]
        for which in reversed(range(blocks)):
            for thread in reversed(range(block)):
                for register, value in zip(self.registers, (thread, block, which, blocks), strict=True):
                    register.value = value
                function(*given)
        assert not self.unlike.value


class Driver:
    """What of NVIDIA's driver is called, with a stand-in for the device; ``failing`` answers with an error."""

    def __init__(self, failing: str = "") -> None:
        self.failing, self.memory = failing, dict[int, Any]()
        self.most, self.devices = 1 << 30, 1
        self.loaded: StandIn | None = None
        self.launched: list[tuple[int, int]] = []
        self.retained = 0
        self.known: list[DeviceCode] = []  # what may be loaded: a driver finds out by itself what PTX means

    @property
    def is_clear(self) -> bool:
        """Nothing is reserved or loaded."""
        return not self.memory and self.loaded is None and not self.retained

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("cu") and name == self.failing:
            return lambda *_: (2,)
        return super().__getattribute__(name)

    def cuInit(self, *_: Any) -> tuple[Any, ...]:
        return (0,)

    cuCtxSetCurrent = cuCtxSynchronize = cuInit

    def cuDeviceGetCount(self) -> tuple[Any, ...]:
        return 0, self.devices

    def cuDeviceGet(self, number: int) -> tuple[Any, ...]:
        return 0, number

    def cuDeviceGetName(self, most: int, device: int) -> tuple[Any, ...]:
        return 0, b"a stand-in" + bytes(most - 10)

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[Any, ...]:
        self.retained += 1
        return 0, "context"

    def cuDevicePrimaryCtxRelease(self, device: int) -> tuple[Any, ...]:
        self.retained -= 1
        return (0,)

    def cuModuleLoadData(self, image: bytes) -> tuple[Any, ...]:
        assert image.endswith(b"\0")
        self.loaded = StandIn(next(code for code in self.known if code.ptx.encode() == image[:-1]))
        return 0, "module"

    def cuModuleUnload(self, module: str) -> tuple[Any, ...]:
        assert self.loaded is not None
        self.loaded = None
        return (0,)

    def cuModuleGetFunction(self, module: str, name: bytes) -> tuple[Any, ...]:
        assert self.loaded is not None
        return (0, name.decode()) if hasattr(self.loaded.library, name.decode()) else (500,)

    def cuModuleGetGlobal(self, module: str, name: bytes) -> tuple[Any, ...]:
        assert self.loaded is not None
        assert name.decode() == WRONG
        return 0, ctypes.addressof(self.loaded.wrong), ctypes.sizeof(self.loaded.wrong)

    def cuMemGetInfo(self) -> tuple[Any, ...]:
        return 0, self.most - sum(map(len, self.memory.values())), self.most

    def cuMemAlloc(self, size: int) -> tuple[Any, ...]:
        if not size:
            return (1,)
        room = ctypes.create_string_buffer(b"\xa5" * size, size)  # not cleared, as on a device
        self.memory[ctypes.addressof(room)] = room
        return 0, ctypes.addressof(room)

    def cuMemFree(self, place: int) -> tuple[Any, ...]:
        del self.memory[place]
        return (0,)

    def cuMemcpyHtoD(self, to: int, given: int, size: int) -> tuple[Any, ...]:
        ctypes.memmove(to, given, size)
        return (0,)

    cuMemcpyDtoH = cuMemcpyHtoD

    def cuLaunchKernel(self, kernel: str, *how: Any) -> tuple[Any, ...]:
        blocks, y, z, block, by, bz, shared, stream, (values, kinds), extra = how
        assert (y, z, by, bz, shared, stream, extra) == (1, 1, 1, 1, 0, 0, 0)
        assert self.loaded is not None
        assert len(values) == len(kinds)
        self.launched.append((blocks, block))
        self.loaded.launch(kernel, blocks, block, values, kinds)
        return (0,)


def bind(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have NVIDIA's package be there, with this driver."""
    module = ModuleType("cuda.bindings")
    vars(module)["driver"] = driver
    monkeypatch.setitem(sys.modules, "cuda", ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", module)
