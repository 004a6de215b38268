"""Reads the launch plan off a module: its host function, with the launches of the code functions that it calls.

Before:  func.func @main(%a: memref<8xf32>, %r: memref<8xf32>, %callback: !llvm.ptr, %arena: memref<32xi8>) {
           %0 = memref.view %arena[%c0] : memref<8xf32>
           call @k.code(%a, %0) }
After:   Offset(4, base=3, bytes=0), Launch("k_0", 1, 32, arguments=(0, 4))"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic, file_location
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu import accesses
from hlo.lowering.memory.storage import element_bytes
from hlo.runtime.gpu import plan as steps
from hlo.runtime.gpu.plan import Body, Plan, Register

SCALARS = tuple(
    f"arith.{name}"
    for name in ("trunci", "extui", "extsi", "index_cast", "xori", "andi", "ori", "addi", "subi", "muli", "select")
)
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""Of arith.cmpi, by number."""


def read_plan(module: ir.Module, results: int) -> Plan:
    """The plan of a module after the phase "memory" or a later one; `results`: how many arrays the program gives."""
    functions = {op.name.value: op for op in module.body.operations if op.operation.name == "func.func"}
    host = functions[ir.StringAttr(module.operation.attributes["hlo.entry"]).value]
    constants = sum(op.operation.name == "hlo.constant" for op in module.body.operations)
    reader = _Reader(functions)
    entry = host.regions[0].blocks[0]
    for argument in entry.arguments:
        reader.define(argument)
    reader.arena = Room(reader.count - 1, ir.IntegerAttr(module.operation.attributes["hlo.arena"]).value)
    body = reader.block(entry)
    arguments = len(entry.arguments) - results - constants - 2
    return Plan(body, reader.count, arguments, results, constants, reader.arena.bytes, tuple(reader.kernels))


@dataclass
class Room:
    """The arena: the register of its address, and its size so far. What the host code allocates on its way is appended to it."""

    register: Register = 0
    bytes: int = 0

    def take(self, size: int) -> int:
        """The offset of a new buffer."""
        first = -(-self.bytes // ALIGNMENT) * ALIGNMENT
        self.bytes = first + size
        return first


ALIGNMENT = 256
"""Of buffers in the arena, in bytes."""


class _Reader:
    def __init__(self, functions: dict[str, Any]):
        self.functions = functions
        self.registers: dict[ir.Value, Register] = {}
        self.integers: dict[ir.Value, int] = {}
        self.pointers: dict[ir.Value, dict[int, Register]] = {}
        """Arrays of addresses for custom calls, by the memref that holds them."""
        self.kernels: dict[str, None] = {}
        self.arena = Room()
        self.count = 0

    def define(self, value: ir.Value) -> Register:
        self.registers[value] = self.count
        self.count += 1
        return self.count - 1

    def __getitem__(self, value: ir.Value) -> Register:
        return self.registers[value]

    def all(self, values: Any) -> tuple[Register, ...]:
        return tuple(self[v] for v in values)

    def block(self, block: ir.Block) -> tuple[Any, ...]:
        found: list[Any] = []
        for op in block.operations:
            rule = RULES.get(op.operation.name)
            if rule is None:
                raise CompileError(diagnostic(op, f"'{op.operation.name}' cannot be in the host code of a GPU program"))
            found += rule(self, op.operation)
        return tuple(found)


def _constant(reader: _Reader, op: ir.Operation) -> list[Any]:
    value = op.attributes["value"]
    if not isinstance(value, ir.IntegerAttr | ir.BoolAttr):
        raise CompileError(diagnostic(op, f"constant {value} in host code"))
    number = int(value.value)
    reader.integers[op.results[0]] = number
    return [steps.Compute(reader.define(op.results[0]), "constant", value=number)]


def _view(reader: _Reader, op: ir.Operation) -> list[Any]:
    base, offset = op.operands[0], reader.integers[op.operands[1]]
    return [steps.Offset(reader.define(op.results[0]), reader[base], offset)]


def _further(reader: _Reader, op: ir.Operation) -> list[Any]:
    """Where an array begins behind an address (device_functions.py)."""
    (units,) = ir.DenseI32ArrayAttr(op.attributes["rawConstantIndices"])
    return [steps.Offset(reader.define(op.results[0]), reader[op.operands[0]], units * accesses.ALIGNMENT)]


def _same_address(reader: _Reader, op: ir.Operation) -> list[Any]:
    reader.registers[op.results[0]] = reader[op.operands[0]]
    return []


def _call(reader: _Reader, op: ir.Operation) -> list[Any]:
    code = reader.functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value]
    block = code.regions[0].blocks[0]
    inner = _Reader(reader.functions)
    inner.count, inner.kernels, inner.arena = reader.count, reader.kernels, reader.arena
    inner.registers = {a: reader[v] for a, v in zip(block.arguments, op.operands, strict=True)}
    found = inner.block(block)
    reader.count = inner.count
    return [step for step in found if not isinstance(step, steps.Compute)]  # sizes of launches


def _launch(reader: _Reader, op: ir.Operation) -> list[Any]:
    kernel = str(op.attributes["kernel"]).rpartition("@")[2]
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    first = sum(sizes[:1]) + 6 + sum(sizes[7:11])
    blocks, threads = (reader.integers[op.operands[sizes[0] + n]] for n in (0, 3))
    shared = reader.integers[op.operands[first - 1]] if sizes[10] else 0
    reader.kernels[kernel] = None
    arguments = reader.all(list(op.operands)[first : first + sizes[11]])
    return [steps.Launch(kernel, blocks, threads, arguments, shared, _location(op), _maps(op))]


def _maps(op: ir.Operation) -> tuple[steps.TensorMap, ...]:
    if "hlo.tensor_maps" not in op.attributes:
        return ()
    found = [ir.DictAttr(one) for one in ir.ArrayAttr(op.attributes["hlo.tensor_maps"])]
    names = ("sizes", "strides", "box", "steps")
    arrays = [[tuple(ir.DenseI64ArrayAttr(one[name])) for name in names if name in one] for one in found]
    return tuple(steps.TensorMap(ir.StringAttr(one["kind"]).value, *numbers) for one, numbers in zip(found, arrays))


def _location(op: ir.Operation) -> str:
    found = file_location(op.location)
    return f"{found.filename}:{found.start_line}:{found.start_col}" if found else ""


def _copy(reader: _Reader, op: ir.Operation) -> list[Any]:
    source, target = op.operands
    kind = ir.MemRefType(source.type)
    size = prod(kind.shape) * element_bytes(kind.element_type)
    return [steps.Copy(reader[target], reader[source], size)] if size else []


NUMPY = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64"}


def _load(reader: _Reader, op: ir.Operation) -> list[Any]:
    element = str(ir.MemRefType(op.operands[0].type).element_type)
    if len(op.operands) != 1 or element not in NUMPY:
        raise CompileError(diagnostic(op, f"host code reads {op.operands[0].type}, which is no scalar integer"))
    return [steps.Read(reader.define(op.results[0]), reader[op.operands[0]], NUMPY[element])]


def _compare(reader: _Reader, op: ir.Operation) -> list[Any]:
    predicate = PREDICATES[ir.IntegerAttr(op.attributes["predicate"]).value]
    operation = f"cmpi_{predicate}.{op.operands[0].type}.i1"
    return [steps.Compute(reader.define(op.results[0]), operation, reader.all(op.operands))]


def _scalar(reader: _Reader, op: ir.Operation) -> list[Any]:
    operation = f"{op.name.partition('.')[2]}.{op.operands[-1].type}.{op.results[0].type}"
    operands = reader.all(op.operands)
    return [steps.Compute(reader.define(op.results[0]), operation, operands)]


def _allocate(reader: _Reader, op: ir.Operation) -> list[Any]:
    kind = ir.MemRefType(op.results[0].type)
    size = prod(kind.shape) * element_bytes(kind.element_type)
    return [steps.Offset(reader.define(op.results[0]), reader.arena.register, reader.arena.take(size))]


def _pointer_array(reader: _Reader, op: ir.Operation) -> list[Any]:
    reader.pointers[op.results[0]] = {}
    reader.define(op.results[0])
    return []


def _store_pointer(reader: _Reader, op: ir.Operation) -> list[Any]:
    address, array, position = op.operands
    reader.pointers[array][reader.integers[position]] = reader[address]
    return []


def _pointer_of(reader: _Reader, op: ir.Operation) -> list[Any]:
    source = op.operands[0]
    if source in reader.pointers:
        reader.pointers[op.results[0]] = reader.pointers[source]
    return _same_address(reader, op)


def _host_call(reader: _Reader, op: ir.Operation) -> list[Any]:
    _, number, array = op.operands
    pointers_of_array = reader.pointers[array]
    return [steps.HostCall(reader.integers[number], tuple(pointers_of_array[n] for n in sorted(pointers_of_array)))]


def _while(reader: _Reader, op: ir.Operation) -> list[Any]:
    initial = reader.all(op.operands)
    before, after = (region.blocks[0] for region in op.regions)
    first = tuple(reader.define(a) for a in before.arguments)
    body = reader.block(before)
    condition, *forwarded = reader.all(before.operations[-1].operands)
    second = tuple(reader.define(a) for a in after.arguments)
    rest = reader.block(after)
    carried = reader.all(after.operations[-1].operands)
    results = tuple(reader.define(r) for r in op.results)
    return [steps.While(initial, Body(first, body, tuple(forwarded)), condition, Body(second, rest, carried), results)]


def _if(reader: _Reader, op: ir.Operation) -> list[Any]:
    bodies = [Body(), Body()]
    for number, region in enumerate(op.regions):
        if len(region.blocks):
            inner = reader.block(region.blocks[0])
            bodies[number] = Body((), inner, reader.all(region.blocks[0].operations[-1].operands))
    results = tuple(reader.define(r) for r in op.results)
    return [steps.If(reader[op.operands[0]], bodies[0], bodies[1], results)]


def _nothing(reader: _Reader, op: ir.Operation) -> list[Any]:
    return []


RULES: dict[str, Callable[[_Reader, ir.Operation], list[Any]]] = {
    "arith.constant": _constant,
    "arith.cmpi": _compare,
    "memref.view": _view,
    "memref.reinterpret_cast": _same_address,
    "memref.cast": _same_address,
    "func.call": _call,
    "gpu.launch_func": _launch,
    "memref.copy": _copy,
    "memref.load": _load,
    "memref.alloc": _allocate,
    "memref.alloca": _pointer_array,
    "memref.store": _store_pointer,
    "memref.extract_aligned_pointer_as_index": _pointer_of,
    "llvm.inttoptr": _pointer_of,
    "llvm.getelementptr": _further,
    "llvm.call": _host_call,
    "scf.while": _while,
    "scf.if": _if,
    **dict.fromkeys(("memref.dealloc", "scf.condition", "scf.yield", "func.return"), _nothing),
    **dict.fromkeys(SCALARS, _scalar),
}
RULES["arith.index_cast"] = _pointer_of
