"""Executables: compile, load, and what JAX asks about them."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Sequence
from typing import Any

from hlo.errors import CompileError
from hlo.jax.calls import process_runs
from hlo.jax.code.header import CODE_OF_DTYPE, HEADER_WORDS, TOKEN_CODE
from hlo.jax.code.layout_code import layout_number
from hlo.jax.code.plans import Plan, PlanSlot
from hlo.jax.code.process_memory import WORD, bytes_at, interned_text, interned_words, named_values, put
from hlo.jax.objects.buffers import buffer_form, token_form
from hlo.jax.objects.device_memories import READY, DeviceMemory, default_devices, devices_numbered
from hlo.jax.objects.records import CODE, OBJECTS, record, template
from hlo.jax.profiler.traces import watch
from hlo.jax.programs import serialised
from hlo.jax.programs.compile_options import Assignment, check_overrides, read_assignment
from hlo.jax.programs.program import Program, compile_artifact, with_timers
from hlo.jax.programs.ranks import Alone, Shared
from hlo.jax.table import slot
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.grid.grid_run import Runs

PEAK_FIELD_END = HEADER_WORDS + 12
"""Words of the arguments of Executable_GetCompiledMemoryStats in versions that ask for the peak."""


class LoadedProgram:
    """One program and the compile options that JAX gave with it; JAX sees it as two objects, executable and loaded executable.

    `devices`: those here, by the numbers of their processes in the program's grid; `plans`: how machine code calls it,
    for each of them; `together`: with whom it runs. `timed`: the same with timers, once a trace has needed it;
    `called`: which of the two calls run."""

    def __init__(self, program: Program, options: bytes):
        self.program = program
        self.options = options
        self.deleted = False
        self.assignment = _assignment(options)
        every_device = devices_numbered(self.assignment.devices)
        self.devices = {number: device for number, device in enumerate(every_device) if device.is_own}
        self.together = Alone(program) if len(self.devices) == len(every_device) else Shared(program, every_device)
        executable, facts = program.executable, program.facts
        self.outputs: list[tuple[int, tuple[int, ...]]] = [
            (CODE_OF_DTYPE[t.dtype], t.shape) for t in executable.signature.results
        ]
        for number in facts.token_results:
            self.outputs.insert(number, (TOKEN_CODE, ()))
        self.plans = [
            Plan(executable, _forms(program, device), facts.token_arguments, facts.token_results)
            for device in self.devices.values()
        ]
        self.fingerprint = hashlib.sha256(options + program.artifact).hexdigest().encode()
        self.kept: dict[str, Any] = {}
        self.plan_slot = PlanSlot(self.plans[0])
        self.timed: LoadedProgram | None = None
        self.called = self

    def with_timers(self) -> LoadedProgram:
        """`timed`, compiled if it is not there yet. Raises HloError where the program cannot have timers."""
        if self.timed is None:
            program = with_timers(self.program)
            self.timed = self if program is self.program else LoadedProgram(program, self.options)
        return self.timed

    def call(self, called: LoadedProgram) -> None:
        """From now on calls run `called`: this program, or `timed`."""
        self.called = called
        self.plan_slot.put(called.plans[0])

    @functools.cached_property
    def runs(self) -> Runs:
        """Runs of the processes here, where a program has several. Called within `exclusive`."""
        return process_runs(self.together.runner, dict(zip(self.devices, self.plans)))

    def text(self, name: str, data: bytes) -> tuple[int, int]:
        """Address and length of bytes that live as long as the program."""
        buffer = self.kept.setdefault(name, ctypes.create_string_buffer(data, len(data) + 1))
        return ctypes.addressof(buffer), len(data)

    def handle(self) -> int:
        grid = self.assignment.grid
        slot = self.plan_slot.address if grid.size == 1 else 0
        return record(self, template(grid.num_replicas, len(self.outputs), slot, grid.num_partitions))

    def failure(self) -> BaseException:
        """What a Python function of the program has raised in this thread, in a call that has failed."""
        dispatcher = self.program.executable.dispatcher
        assert dispatcher, "only custom calls fail"
        other = self.timed.program.executable.dispatcher if self.timed else None
        return (other if other and other.has_failed else dispatcher).failure()


def _assignment(options: bytes) -> Assignment:
    """The devices of a program: those that the options name, or the first ones. Raises ValueError for devices that are
    not there, or are all elsewhere."""
    found = read_assignment(options)
    devices = devices_numbered(found.devices) if found.devices else default_devices(found.grid.size)
    if not any(device.is_own for device in devices):
        raise ValueError(f"the program is for devices {[p.number for p in devices]}, none of which is in this process")
    return Assignment(found.grid, tuple(device.number for device in devices))


def _forms(program: Program, device: DeviceMemory) -> list[Any]:
    """The records of the results on a device."""
    types: list[ArrayType | None] = list(program.executable.signature.results)
    for number in program.facts.token_results:
        types.insert(number, None)
    devices = [device.with_memory(kind) for kind in program.facts.result_kinds]
    return [buffer_form(t, there) if t else token_form(there) for t, there in zip(types, devices, strict=True)]


@slot()
def Client_Compile(fields: int) -> None:
    _, program, options, size = WORD[fields : fields + 4]
    code, code_size, form, form_size = WORD[(program >> 3) + 2 : (program >> 3) + 6]
    if bytes_at(form, form_size) != b"mlir":
        raise CompileError(f"programs must be StableHLO (format mlir), found {bytes_at(form, form_size).decode()}")
    chosen = bytes_at(options, size)
    check_overrides(chosen)
    assignment = _assignment(chosen)
    WORD[fields + 4] = _loaded(compile_artifact(bytes_at(code, code_size), assignment.grid), chosen)


def _loaded(program: Program, options: bytes) -> int:
    """The handle of a program that JAX may call."""
    loaded = LoadedProgram(program, options)
    watch(loaded)
    return loaded.handle()


@slot()
def LoadedExecutable_GetExecutable(fields: int) -> None:
    WORD[fields + 1] = OBJECTS[WORD[fields]].handle()


@slot()
def LoadedExecutable_AddressableDevices(fields: int) -> None:
    devices = OBJECTS[WORD[fields]].devices.values()
    put(fields + 1, interned_words(device.device for device in devices), len(devices))


@slot()
def LoadedExecutable_AddressableDeviceLogicalIds(fields: int) -> None:
    """Pairs of 32-bit numbers: replica and partition."""
    loaded = OBJECTS[WORD[fields]]
    processes = [loaded.assignment.grid.processes[number] for number in loaded.devices]
    put(fields + 1, interned_words(r | p << 32 for r, p in processes), len(processes))


@slot()
def LoadedExecutable_GetDeviceAssignment(fields: int) -> None:
    put(fields + 1, *interned_text(OBJECTS[WORD[fields]].assignment.encoded()), READY, CODE["Nothing"])


@slot()
def Shardings_ParameterShardings(fields: int) -> None:
    _shardings(fields, OBJECTS[WORD[fields]].program.facts.arguments)


@slot()
def Shardings_OutputShardings(fields: int) -> None:
    _shardings(fields, OBJECTS[WORD[fields]].program.facts.results)


def _shardings(fields: int, found: Sequence[bytes] | None) -> None:
    """Fields: executable, number, addresses, sizes; null for a program that knows nothing of shardings."""
    if found is None:
        put(fields + 1, 0, 0, 0)
        return
    texts = [interned_text(one) for one in found]
    put(fields + 1, len(texts), interned_words(at for at, _ in texts), interned_words(size for _, size in texts))


@slot()
def Layouts_Executable_GetParameterLayouts(fields: int) -> None:
    program = OBJECTS[WORD[fields]].program
    ranks = [len(t.shape) for t in program.executable.signature.arguments]
    for number in program.facts.token_arguments:
        ranks.insert(number, 0)
    _layouts(fields, ranks)


@slot()
def Layouts_Executable_GetOutputLayouts(fields: int) -> None:
    _layouts(fields, [len(shape) for _, shape in OBJECTS[WORD[fields]].outputs])


def _layouts(fields: int, ranks: Sequence[int]) -> None:
    put(fields + 1, len(ranks), interned_words(map(layout_number, ranks)))


@slot()
def LoadedExecutable_Delete(fields: int) -> None:
    OBJECTS[WORD[fields]].deleted = True


@slot()
def LoadedExecutable_IsDeleted(fields: int) -> None:
    WORD[fields + 1] = OBJECTS[WORD[fields]].deleted


@slot("LoadedExecutable_Fingerprint", "Executable_Fingerprint")
def Executable_Fingerprint(fields: int) -> None:
    loaded = OBJECTS[WORD[fields]]
    put(fields + 1, *loaded.text("fingerprint", loaded.fingerprint))


@slot()
def Executable_Name(fields: int) -> None:
    put(fields + 1, *interned_text(OBJECTS[WORD[fields]].program.facts.name))


@slot()
def Executable_SizeOfGeneratedCodeInBytes(fields: int) -> None:
    WORD[fields + 1] = OBJECTS[WORD[fields]].program.executable.memory.code


@slot()
def Executable_GetCompiledMemoryStats(fields: int) -> None:
    """Sizes of code, arguments, results, memory that both have in common, temporaries; then the same on the host, and,
    where JAX has room for it, the peak. Temporaries are constants too."""
    memory = OBJECTS[WORD[fields]].program.executable.memory
    sizes = memory.code, memory.arguments, memory.results, memory.donated, memory.temporaries + memory.constants
    put(fields + 1, *sizes, *[0] * 5)
    if WORD[fields - HEADER_WORDS] >= 8 * PEAK_FIELD_END:
        WORD[fields + 11] = memory.peak


@slot()
def Executable_GetCostAnalysis(fields: int) -> None:
    loaded = OBJECTS[WORD[fields]]
    if "cost" not in loaded.kept:
        from hlo.jax.programs.costs import cost_of  # here: programs that are on disk are loaded without MLIR

        loaded.kept["cost"] = named_values(list(cost_of(loaded.program).items()))
    array, count = loaded.kept["cost"]
    put(fields + 1, count, ctypes.addressof(array))


@slot()
def Executable_GetCompileOptions(fields: int) -> None:
    loaded = OBJECTS[WORD[fields]]
    put(fields + 1, *loaded.text("options", loaded.options), READY, CODE["Nothing"])


@slot()
def Executable_OutputElementTypes(fields: int) -> None:
    loaded = OBJECTS[WORD[fields]]
    codes = [code for code, _ in loaded.outputs]
    array = loaded.kept.setdefault("codes", (ctypes.c_uint32 * max(1, len(codes)))(*codes))
    put(fields + 1, ctypes.addressof(array), len(codes))


@slot()
def Executable_OutputDimensions(fields: int) -> None:
    shapes = [shape for _, shape in OBJECTS[WORD[fields]].outputs]
    sizes = interned_words(n for shape in shapes for n in shape)
    put(fields + 1, len(shapes), sizes, interned_words(map(len, shapes)))


@slot()
def Executable_OutputMemoryKinds(fields: int) -> None:
    _memory_kinds(fields, OBJECTS[WORD[fields]].program.facts.result_kinds)


@slot()
def Executable_ParameterMemoryKinds(fields: int) -> None:
    _memory_kinds(fields, OBJECTS[WORD[fields]].program.facts.argument_kinds)


def _memory_kinds(fields: int, kinds: Sequence[str]) -> None:
    texts = [interned_text(kind) for kind in kinds]
    put(fields + 1, len(texts), interned_words(at for at, _ in texts), interned_words(size for _, size in texts))


@slot()
def Executable_OptimizedProgram(fields: int) -> None:
    """JAX asks twice: for the size, then with memory of that size. What it gets is the program as it came, or that of one process."""
    found = OBJECTS[WORD[fields]].program
    artifact = found.optimized or found.artifact
    program = WORD[fields + 1] >> 3
    put(program + 4, *interned_text("mlir"))
    if WORD[program + 2]:
        ctypes.memmove(WORD[program + 2], artifact, len(artifact))
    WORD[program + 3] = len(artifact)


@slot()
def Executable_Serialize(fields: int) -> None:
    loaded = OBJECTS[WORD[fields]]
    data = serialised.serialise(loaded.program, loaded.options)
    put(fields + 1, *loaded.text("serialised", data), WORD[fields], CODE["Nothing"])


@slot()
def Executable_DeserializeAndLoad(fields: int) -> None:
    _, address, size = WORD[fields : fields + 3]
    WORD[fields + 3] = _loaded(*serialised.load(bytes_at(address, size)))


@slot()
def ExecuteContext_Create(fields: int) -> None:
    WORD[fields] = record("execute context", template())
