"""What lies in the arena while a program runs: the bytes of each temporary value, from the call that writes it to the
last that reads it."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Any

from mlir import ir

from hlo.dialect.types import DYNAMIC
from hlo.lazy_dataclasses import dataclass

VIEWS = (
    "memref.view",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.cast",
    "memref.expand_shape",
    "memref.collapse_shape",
)
"""Ops that give a part of memory another shape."""

SILENT = (
    "memref.load",
    "memref.store",
    "arith.",
    "llvm.",
    "scf.",
    "func.return",
    "memref.view",
    "memref.re",
    "memref.s",
    "memref.ca",
)
"""How the names of ops begin that are no steps of their own."""


@dataclass
class Value:
    """Bytes `offset` to `offset + size` of the arena are in use from step `start` through step `end`."""

    offset: int
    size: int
    start: int
    end: int
    type: str


@dataclass
class Plan:
    """Of one function: its steps (calls of kernels, copies), in order, and the values in its arena of `size` bytes."""

    function: str
    size: int
    steps: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)


def memory_plans(module: ir.Module) -> list[dict[str, Any]]:
    """The plans of all host functions with an arena, of a module after the phase `memory`."""
    plans = [_Reader(op.operation).plan for op in module.body.operations if _is_host(op.operation)]
    return [asdict(plan) for plan in plans if plan.values]


def _is_host(op: ir.Operation) -> bool:
    if op.name != "func.func" or not len(op.regions[0].blocks):
        return False
    return (
        "sym_visibility" not in op.attributes
        or ir.StringAttr(op.attributes["sym_visibility"]).value == "public"
        or "hlo.layer" in op.attributes
    )


class _Reader:
    def __init__(self, function: ir.Operation):
        self.plan = Plan(ir.StringAttr(function.attributes["sym_name"]).value, 0)
        self.found: dict[ir.Value, Value] = {}
        self.depths: dict[ir.Value, int] = {}
        self.loops: list[int] = []
        self.pending: list[tuple[Value, int]] = []
        block = function.regions[0].blocks[0]
        self.arenas = {a for a in block.arguments if _is_bytes(a.type)}
        self._block(block)
        self.plan.values = [v for v in _distinct(self.found) if v.start >= 0]

    def _block(self, block: ir.Block) -> None:
        for op in block.operations:
            self._op(op.operation)

    def _op(self, op: ir.Operation) -> None:
        if op.name == "memref.view" and op.operands[0] in self.arenas:
            self._enter(op)
        elif op.name in VIEWS and op.operands[0] in self.found:
            self.found[op.results[0]] = self.found[op.operands[0]]
            self.depths[op.results[0]] = self.depths[op.operands[0]]
        else:
            self._use(op)
        if len(op.regions):
            self._regions(op)

    def _enter(self, op: ir.Operation) -> None:
        offset = op.operands[1].owner.attributes["value"]
        size = _bytes(ir.MemRefType(op.results[0].type))
        value = Value(ir.IntegerAttr(offset).value, size, -1, -1, str(op.results[0].type))
        self.plan.size = max(self.plan.size, ir.MemRefType(op.operands[0].type).shape[0])
        self.found[op.results[0]] = value
        self.depths[op.results[0]] = len(self.loops)

    def _use(self, op: ir.Operation) -> None:
        if not op.name.startswith(SILENT):
            self.plan.steps.append(_label(op))
        now = max(len(self.plan.steps) - 1, 0)
        for operand in op.operands:
            if operand in self.found:
                value = self.found[operand]
                value.start = now if value.start < 0 else value.start
                value.end = max(value.end, now)
                if self.depths[operand] < len(self.loops):  # lives through all iterations
                    self.pending.append((value, self.depths[operand]))

    def _regions(self, op: ir.Operation) -> None:
        self.loops.append(len(self.plan.steps))
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
        first, last = self.loops.pop(), max(len(self.plan.steps) - 1, 0)
        for value, _ in self.pending:
            value.start, value.end = min(value.start, first), max(value.end, last)
        self.pending = [(value, depth) for value, depth in self.pending if depth < len(self.loops)]


def _distinct(found: dict[ir.Value, Value]) -> list[Value]:
    return list({id(v): v for v in found.values()}.values())


def _is_bytes(kind: ir.Type) -> bool:
    if not isinstance(kind, ir.MemRefType):
        return False
    memory = ir.MemRefType(kind)
    return memory.rank == 1 and str(memory.element_type) == "i8"


def _bytes(memory: ir.MemRefType) -> int:
    count = 1
    for size in memory.shape:
        count *= 1 if size == DYNAMIC else size
    return count * _element_bytes(memory.element_type)


def _element_bytes(kind: ir.Type) -> int:
    if isinstance(kind, ir.ComplexType):
        return 2 * _element_bytes(ir.ComplexType(kind).element_type)
    if isinstance(kind, ir.IndexType):
        return 8
    width = ir.IntegerType(kind).width if isinstance(kind, ir.IntegerType) else ir.FloatType(kind).width
    return max(width // 8, 1)


def _label(op: ir.Operation) -> str:
    if "callee" in op.attributes:
        return ir.FlatSymbolRefAttr(op.attributes["callee"]).value.removesuffix(".code")
    if op.name == "gpu.launch_func":
        return ir.SymbolRefAttr(op.attributes["kernel"]).value[-1]
    return op.name
