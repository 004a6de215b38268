"""Interprets one launch: every op of a gpu.func on all threads at once, a mask telling which of them take part.

A value is an array with an element a thread. Where threads diverge (scf.if, loops of different lengths) the mask narrows;
what masked threads would compute is computed too and thrown away. A barrier that not all threads of a block reach, an
index outside its memref, and an address outside its allocation are errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import HloError
from hlo.runtime.gpu.model.arithmetic import (
    BINARY,
    COMPARE_FLOATS,
    COMPARE_INTEGERS,
    CONVERSIONS,
    UNARY,
    convert,
)
from hlo.runtime.gpu.model.memory import Memory
from hlo.runtime.gpu.model.types import Memref, memref_at, numpy_type

Step = Callable[["Machine"], None]


class Machine:
    """The threads of one launch, and the values of all ops so far."""

    def __init__(self, memory: Memory, globals_: dict[str, int], blocks: int, threads: int):
        self.memory, self.globals = memory, globals_
        self.threads, self.size = threads, blocks * threads
        self.thread = np.arange(self.size, dtype=np.int64)
        self.mask = np.ones(self.size, bool)
        self.values: dict[int, Any] = {}

    def broadcast(self, value: Any, dtype: np.dtype) -> np.ndarray:
        return np.full(self.size, value, dtype)

    def under(self, mask: np.ndarray, steps: Sequence[Step]) -> None:
        """Runs steps with fewer threads."""
        outer, self.mask = self.mask, mask
        for step in steps:
            step(self)
        self.mask = outer


class Program:
    """A gpu.func, decoded once into a list of steps."""

    def __init__(self, function: ir.Operation):
        self._numbers: dict[ir.Value, int] = {}
        block = function.regions[0].blocks[0]
        self.name = ir.StringAttr(function.attributes["sym_name"]).value
        self._parameters = [(self.number(a), a.type) for a in block.arguments]
        self._steps = self.block(block)

    def run(self, machine: Machine, addresses: Sequence[int]) -> None:
        for (number, kind), address in zip(self._parameters, addresses, strict=True):
            machine.values[number] = memref_at(address, kind)
        with np.errstate(all="ignore"):
            for step in self._steps:
                step(machine)

    # Decoding

    def number(self, value: ir.Value) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def numbers(self, values: Any) -> list[int]:
        return [self.number(v) for v in values]

    def block(self, block: ir.Block) -> list[Step]:
        """The steps of all ops but the terminator."""
        return [self.step(op.operation) for op in list(block.operations)[:-1]]

    def step(self, op: ir.Operation) -> Step:
        for table, decode in ((UNARY, _unary), (BINARY, _binary), (CONVERSIONS, _conversion), (RULES, _rule)):
            if op.name in table:
                return decode(self, op)
        raise HloError(f"the model of a GPU does not know '{op.name}' (kernel {self.name})")


def _rule(program: Program, op: ir.Operation) -> Step:
    return RULES[op.name](program, op)


def _unary(program: Program, op: ir.Operation) -> Step:
    function, source, target = UNARY[op.name], program.number(op.operands[0]), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = np.asarray(function(m.values[source])).astype(dtype, copy=False)

    return run


def _binary(program: Program, op: ir.Operation) -> Step:
    function, (left, right), target = BINARY[op.name], program.numbers(op.operands), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = np.asarray(function(m.values[left], m.values[right])).astype(dtype, copy=False)

    return run


def _conversion(program: Program, op: ir.Operation) -> Step:
    name, source, target = op.name, program.number(op.operands[0]), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        m.values[target] = convert(name, m.values[source], dtype)

    return run


def _constant(program: Program, op: ir.Operation) -> Step:
    target, dtype = program.number(op.results[0]), numpy_type(op.results[0].type)
    attribute = op.attributes["value"]
    value = complex(*[a.value for a in attribute]) if isinstance(attribute, ir.ArrayAttr) else _scalar(attribute)

    def run(m: Machine) -> None:
        m.values[target] = m.broadcast(value, dtype)

    return run


def _scalar(attribute: Any) -> Any:
    """An integer attribute's value, wrapped into its signed range."""
    if not isinstance(attribute, ir.IntegerAttr):
        return attribute.value
    width = 64 if isinstance(attribute.type, ir.IndexType) else ir.IntegerType(attribute.type).width
    value = attribute.value & ((1 << width) - 1)
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def _compare(program: Program, op: ir.Operation) -> Step:
    table = COMPARE_INTEGERS if op.name == "arith.cmpi" else COMPARE_FLOATS
    function = table[ir.IntegerAttr(op.attributes["predicate"]).value]
    (left, right), target = program.numbers(op.operands), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = function(m.values[left], m.values[right])

    return run


def _select(program: Program, op: ir.Operation) -> Step:
    (condition, yes, no), target = program.numbers(op.operands), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = np.where(m.values[condition], m.values[yes], m.values[no])

    return run


def _complex(program: Program, op: ir.Operation) -> Step:
    (real, imaginary), target = program.numbers(op.operands), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        value = np.empty(m.size, dtype)
        value.real, value.imag = m.values[real], m.values[imaginary]
        m.values[target] = value

    return run


def _fma(program: Program, op: ir.Operation) -> Step:
    (x, y, z), target = program.numbers(op.operands), program.number(op.results[0])
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        wide = np.longdouble
        product = m.values[x].astype(wide) * m.values[y].astype(wide)
        m.values[target] = (product + m.values[z].astype(wide)).astype(dtype)

    return run


# Threads

DIMENSIONS = ("x", "y", "z")


def _identity(program: Program, op: ir.Operation) -> Step:
    """gpu.global_id, thread_id, block_id, block_dim: launches have one dimension."""
    target, name = program.number(op.results[0]), op.name
    dimension = str(op.attributes["dimension"])[-2]

    def run(m: Machine) -> None:
        of = {
            "gpu.global_id": lambda: m.thread,
            "gpu.thread_id": lambda: m.thread % m.threads,
            "gpu.block_id": lambda: m.thread // m.threads,
            "gpu.block_dim": lambda: m.broadcast(m.threads, np.dtype(np.int64)),
        }
        others = int(name == "gpu.block_dim")
        m.values[target] = of[name]() if dimension == "x" else m.broadcast(others, np.dtype(np.int64))

    return run


def _barrier(program: Program, op: ir.Operation) -> Step:
    name = program.name

    def run(m: Machine) -> None:
        taking_part = m.mask.reshape(-1, m.threads)
        if (taking_part.any(1) != taking_part.all(1)).any():
            raise HloError(f"kernel {name}: a barrier that only some threads of a block reach")

    return run


# Memory


def _addresses(m: Machine, memory: Memref, indices: Sequence[np.ndarray], name: str) -> np.ndarray:
    """One address a thread that takes part; indices are checked."""
    offset = np.zeros(m.size, np.int64)
    for index, size, stride in zip(indices, memory.shape, memory.strides):
        wrong = m.mask & ((index < 0) | (index >= size))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise HloError(f"kernel {name}: thread {at} uses index {index[at]} of a dimension of size {size}")
        offset = offset + index * stride
    return (memory.address + offset * memory.dtype.itemsize)[m.mask]


def _load(program: Program, op: ir.Operation) -> Step:
    source, *indices = program.numbers(op.operands)
    target, name = program.number(op.results[0]), program.name
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        memory = m.values[source]
        addresses = _addresses(m, memory, [m.values[i] for i in indices], name)
        value = np.zeros(m.size, dtype)
        value[m.mask] = m.memory.read(addresses, dtype)
        m.values[target] = value

    return run


def _store(program: Program, op: ir.Operation) -> Step:
    value, target, *indices = program.numbers(op.operands)
    name = program.name

    def run(m: Machine) -> None:
        addresses = _addresses(m, m.values[target], [m.values[i] for i in indices], name)
        m.memory.write(addresses, np.ascontiguousarray(m.values[value][m.mask]))

    return run


def _view(program: Program, op: ir.Operation) -> Step:
    (base, offset), target, kind = program.numbers(op.operands)[:2], program.number(op.results[0]), op.results[0].type

    def run(m: Machine) -> None:
        m.values[target] = memref_at(m.values[base].address + m.values[offset], kind)

    return run


DYNAMIC = -(1 << 63)


def _reinterpret(program: Program, op: ir.Operation) -> Step:
    """memref.reinterpret_cast: static and dynamic offsets, sizes and strides, in elements."""
    source, *dynamic = program.numbers(op.operands)
    target = program.number(op.results[0])
    static = [list(ir.DenseI64ArrayAttr(op.attributes[f"static_{n}"])) for n in ("offsets", "sizes", "strides")]
    dtype = numpy_type(ir.MemRefType(op.results[0].type).element_type)

    def run(m: Machine) -> None:
        rest = iter([m.values[n] for n in dynamic])
        (offset,), sizes, strides = ([next(rest) if x == DYNAMIC else x for x in one] for one in static)
        base = m.values[source]
        m.values[target] = Memref(base.address + offset * dtype.itemsize, tuple(sizes), tuple(strides), dtype)

    return run


def _metadata(program: Program, op: ir.Operation) -> Step:
    """memref.extract_strided_metadata: base, offset, sizes, strides."""
    source, targets = program.number(op.operands[0]), program.numbers(op.results)
    dtype = numpy_type(ir.MemRefType(op.operands[0].type).element_type)

    def run(m: Machine) -> None:
        memory = m.values[source]
        whole = np.dtype(np.int64)
        m.values[targets[0]] = Memref(memory.address, (), (), dtype)
        numbers = [0, *memory.shape, *memory.strides]
        for target, number in zip(targets[1:], numbers, strict=True):
            m.values[target] = m.broadcast(number, whole)

    return run


def _cast(program: Program, op: ir.Operation) -> Step:
    source, target = program.number(op.operands[0]), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = m.values[source]

    return run


def _global(program: Program, op: ir.Operation) -> Step:
    target, kind = program.number(op.results[0]), op.results[0].type
    name = ir.FlatSymbolRefAttr(op.attributes["name"]).value

    def run(m: Machine) -> None:
        m.values[target] = memref_at(m.globals[name], kind)

    return run


def _alloca(program: Program, op: ir.Operation) -> Step:
    """Memory of each thread's own."""
    target, kind = program.number(op.results[0]), op.results[0].type
    size = int(np.prod(ir.MemRefType(kind).shape)) * numpy_type(ir.MemRefType(kind).element_type).itemsize
    room = -(-max(size, 1) // 16) * 16

    def run(m: Machine) -> None:
        base = m.memory.allocate(room * m.size)
        m.values[target] = memref_at(base + m.thread * room, kind)

    return run


# Control flow


def _for(program: Program, op: ir.Operation) -> Step:
    start, stop, step, *initial = program.numbers(op.operands)
    block = op.regions[0].blocks[0]
    variable, *carried = program.numbers(block.arguments)
    body = program.block(block)
    yielded = program.numbers(list(block.operations)[-1].operands)
    results = program.numbers(op.results)

    def run(m: Machine) -> None:
        position, last, by = (m.values[n] for n in (start, stop, step))
        state = [m.values[n] for n in initial]
        mask = m.mask & (position < last)
        while mask.any():
            m.values[variable] = position
            m.values.update(zip(carried, state))
            m.under(mask, body)
            state = [_merge(mask, m.values[n], old) for n, old in zip(yielded, state)]
            position = position + by
            mask = mask & (position < last)
        m.values.update(zip(results, state))

    return run


def _merge(mask: np.ndarray, new: Any, old: Any) -> Any:
    """The new value for threads of the mask; memrefs are the same for all threads."""
    return new if isinstance(new, Memref) or mask.all() else np.where(mask, new, old)


def _while(program: Program, op: ir.Operation) -> Step:
    initial = program.numbers(op.operands)
    before, after = (r.blocks[0] for r in op.regions)
    first, second = program.numbers(before.arguments), program.numbers(after.arguments)
    head, body = program.block(before), program.block(after)
    condition, *forwarded = program.numbers(list(before.operations)[-1].operands)
    yielded = program.numbers(list(after.operations)[-1].operands)
    results = program.numbers(op.results)

    def run(m: Machine) -> None:
        mask, state = m.mask, [m.values[n] for n in initial]
        final: list[Any] | None = None
        while mask.any():
            m.values.update(zip(first, state))
            m.under(mask, head)
            passed = [m.values[n] for n in forwarded]
            final = passed if final is None else [_merge(mask, new, old) for new, old in zip(passed, final)]
            mask = mask & m.values[condition]
            if not mask.any():
                break
            m.values.update(zip(second, passed))
            m.under(mask, body)
            state = [_merge(mask, m.values[n], old) for n, old in zip(yielded, state)]
        m.values.update(zip(results, final or [m.values[n] for n in initial]))

    return run


def _if(program: Program, op: ir.Operation) -> Step:
    condition, results = program.number(op.operands[0]), program.numbers(op.results)
    blocks = [r.blocks[0] if len(r.blocks) else None for r in op.regions]
    bodies = [program.block(b) if b is not None else [] for b in blocks]
    yielded = [program.numbers(list(b.operations)[-1].operands) if b is not None else [] for b in blocks]

    def run(m: Machine) -> None:
        chosen = m.values[condition]
        found: list[list[Any]] = []
        for mask, body, values in zip((m.mask & chosen, m.mask & ~chosen), bodies, yielded):
            if mask.any():
                m.under(mask, body)
            found.append([m.values.get(n) if mask.any() else None for n in values])
        for target, yes, no in zip(results, *found):
            m.values[target] = no if yes is None else yes if no is None else _merge(chosen, yes, no)

    return run


RULES: dict[str, Callable[[Program, ir.Operation], Step]] = {
    "arith.constant": _constant,
    "complex.constant": _constant,
    "arith.cmpi": _compare,
    "arith.cmpf": _compare,
    "arith.select": _select,
    "complex.create": _complex,
    "math.fma": _fma,
    **dict.fromkeys(("gpu.global_id", "gpu.thread_id", "gpu.block_id", "gpu.block_dim"), _identity),
    "gpu.barrier": _barrier,
    "memref.load": _load,
    "memref.store": _store,
    "memref.view": _view,
    "memref.reinterpret_cast": _reinterpret,
    "memref.extract_strided_metadata": _metadata,
    "memref.cast": _cast,
    "memref.get_global": _global,
    "memref.alloca": _alloca,
    "scf.for": _for,
    "scf.while": _while,
    "scf.if": _if,
}
