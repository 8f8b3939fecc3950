"""A stand-in for a CUDA device: the very code that is made for one, run on the processor, thread by thread."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import llvmlite.binding as llvm

from parlour.engine.device import DeviceCode

REGISTERS = ("tid.x", "ntid.x", "ctaid.x", "nctaid.x")
"""What tells a thread which one it is."""


class StandIn:
    """Runs the kernels of a game; memory is the processor's own."""

    def __init__(self, code: DeviceCode) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        triple = llvm.get_process_triple()
        text = re.sub(r"(?m)^target (datalayout|triple) = .*\n", "", code.llvm)
        text = text.replace("ptx_kernel ", "").replace("llvm.nvvm.read.ptx.sreg.", "register.")
        text = re.sub(r"(?m)^declare (?:\w+ |range\([^)]*\) )*i32 @register\..*\n", "", text)
        for name in REGISTERS:
            text += f"\n@value.{name} = global i32 0\n"
            text += f"define i32 @register.{name}() {{\n  %v = load i32, ptr @value.{name}\n  ret i32 %v\n}}\n"
        text = re.sub(r"(?m)^attributes #\d+ = \{.*\}$", lambda found: without_target(found[0]), text)
        module = llvm.parse_assembly(f'target triple = "{triple}"\n{text}')
        module.verify()
        machine = llvm.Target.from_triple(triple).create_target_machine(opt=1)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()
        self.registers = [self.word(f"value.{name}") for name in REGISTERS]
        kernels = re.findall(r"(?m)^define .*@(parlour_\w+)\(", text)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        self.kernels = {name: kind(self.engine.get_function_address(name)) for name in kernels}
        self.symbols = {name: self.engine.get_global_value_address(name) for name in code.tables}
        self.sizes = {name: len(table) for name, table in code.tables.items()}

    def word(self, name: str) -> Any:
        return ctypes.c_int32.from_address(self.engine.get_global_value_address(name))

    def launch(self, kernel: str, blocks: int, block: int, arguments: list[Any]) -> None:
        """Run all threads, one after another, the last first: what one of them does must not matter to another."""
        for which in reversed(range(blocks)):
            for thread in reversed(range(block)):
                for register, value in zip(self.registers, (thread, block, which, blocks), strict=True):
                    register.value = value
                self.kernels[kernel](*arguments)


def without_target(attributes: str) -> str:
    return re.sub(r' "(?:target-cpu|target-features|tune-cpu)"="[^"]*"', "", attributes)


class Driver:
    """What of NVIDIA's driver is called, with a stand-in for the device; ``failing`` answers with an error."""

    def __init__(self, failing: str = "") -> None:
        self.failing, self.memory = failing, dict[int, Any]()
        self.most = 1 << 30
        self.loaded: StandIn | None = None
        self.launched: list[tuple[int, int]] = []
        self.retained = 0
        self.known: list[DeviceCode] = []  # what may be loaded: a driver finds out by itself what PTX means

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("cu") and name == self.failing:
            return lambda *_: (2,)
        return super().__getattribute__(name)

    def cuInit(self, flags: int) -> tuple[Any, ...]:
        return (0,)

    def cuDeviceGetCount(self) -> tuple[Any, ...]:
        return 0, 1

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

    def cuCtxSetCurrent(self, context: str) -> tuple[Any, ...]:
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
        return (0, name.decode()) if name.decode() in self.loaded.kernels else (500,)

    def cuModuleGetGlobal(self, module: str, name: bytes) -> tuple[Any, ...]:
        assert self.loaded is not None
        return 0, self.loaded.symbols[name.decode()], self.loaded.sizes[name.decode()]

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

    def cuMemcpyDtoH(self, to: int, given: int, size: int) -> tuple[Any, ...]:
        ctypes.memmove(to, given, size)
        return (0,)

    def cuLaunchKernel(self, kernel: str, *how: Any) -> tuple[Any, ...]:
        blocks, y, z, block, by, bz, shared, stream, (values, kinds), extra = how
        assert (y, z, by, bz, shared, stream, extra) == (1, 1, 1, 1, 0, 0, 0)
        assert self.loaded is not None
        assert len(values) == len(kinds)
        self.launched.append((blocks, block))
        self.loaded.launch(kernel, blocks, block, list(values))
        return (0,)

    def cuCtxSynchronize(self) -> tuple[Any, ...]:
        return (0,)
