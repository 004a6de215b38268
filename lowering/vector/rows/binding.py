"""Which dimensions of a kernel's values are the rows that a block is cut from.

A block has one index in each of the row dimensions 0, 1, ... but the last one (the `axis`), and some consecutive ones in
that. A binding tells for each dimension of a value its row dimension, or None: the whole dimension is in every block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.elements import splat_of
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import ops_within
from hlo.lowering.functions import set_type
from hlo.lowering.linalg.structured import index_loops, maps_of, reduced_loops

Binding = tuple["int | None", ...]
Bindings = dict[ir.Value, Binding]


@dataclass(frozen=True)
class Rows:
    """How rows are cut: their extents, the last one in blocks of `size`. `cut` is the number of that one."""

    extents: tuple[int, ...]
    size: int

    @property
    def axis(self) -> int:
        return len(self.extents) - 1

    @property
    def cut(self) -> int:
        return self.axis

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of a block, by row dimension."""
        return (*[1] * self.axis, self.size)

    def leading(self, rank: int) -> Binding:
        """Of a value whose first dimensions are the rows."""
        return tuple(d if d <= self.axis else None for d in range(rank))

    def block_shape(self, shape: Sequence[int], binding: Binding) -> list[int]:
        return [n if b is None else self.sizes[b] for n, b in zip(shape, binding)]


@dataclass(frozen=True)
class Sections(Rows):
    """How rows and the columns behind them are cut: the last extent is that of the columns, which are cut in sections."""

    section: int

    @property
    def cut(self) -> int:
        return self.axis - 1

    @property
    def sizes(self) -> tuple[int, ...]:
        return (*[1] * (self.axis - 1), self.size, self.section)


class NotByRowsError(Exception):
    """A kernel whose rows depend on other rows."""


def bind(kernel: Any, seeds: Bindings, ops: Sequence[ir.Operation] | None = None) -> Bindings:
    """The bindings of all values of a kernel function, or of some of its ops, that follow from some. Raises NotByRowsError."""
    found = dict(seeds)
    ops = [op.operation for op in kernel.entry_block.operations][:-1] if ops is None else ops
    known = -1
    while known != len(found):
        known = len(found)
        for op in ops:
            if op.name not in RULES:
                raise NotByRowsError(f"'{op.name}'")
            RULES[op.name](op, found)
    return found


def loops_of(op: ir.Operation, found: Bindings) -> list[int | None]:
    """The row dimension of each loop of a linalg.generic."""
    maps = maps_of(op)
    loops: list[int | None] = [None] * maps[0].n_dims
    for value, one in zip([*op.operands, *op.results], [*maps, *maps[len(maps) - len(op.results) :]]):
        for expression, row in zip(one.results, found.get(value, ())):
            if row is None:
                continue
            if not isinstance(expression, ir.AffineDimExpr) or loops[expression.position] not in (None, row):
                raise NotByRowsError("a row is read at another index")
            loops[expression.position] = row
    return loops


def _bind_generic(op: ir.Operation, found: Bindings) -> None:
    loops = loops_of(op, found)
    if not any(row is not None for row in loops):
        return
    if any(is_reduced and row is not None for is_reduced, row in zip(reduced_loops(op), loops)):
        raise NotByRowsError("a reduction over rows")
    if any(o.operation.name == "tensor.extract" for o in op.regions[0].blocks[0].operations):
        raise NotByRowsError("a body that reads at computed indices")
    maps = maps_of(op)
    for number, (value, one) in enumerate(zip(op.operands, maps)):
        if not isinstance(value.type, ir.RankedTensorType):
            continue
        binding = tuple(loops[e.position] if isinstance(e, ir.AffineDimExpr) else None for e in one.results)
        computed = [e for e in one.results if not isinstance(e, ir.AffineDimExpr)]
        if any(loops[loop] is not None for e in computed for loop in index_loops(e)):
            if not isinstance(value.owner, ir.Block) or value in found:
                raise NotByRowsError("rows at computed indices")
            continue
        _set(found, value, binding)
        if number >= len(op.operands) - len(op.results):
            _set(found, op.results[number - len(op.operands) + len(op.results)], binding)


def _set(found: Bindings, value: ir.Value, binding: Binding) -> None:
    old = found.get(value)
    if old is None and any(row is not None for row in binding):
        found[value] = binding
    if old is not None and any(a != b and size != 1 for a, b, size in zip(old, binding, value.type.shape)):
        raise NotByRowsError("a value used by rows in two ways")


def _bind_fill(op: ir.Operation, found: Bindings) -> None:
    result, target = op.results[0], op.operands[1]
    for value in (result, target):
        if value in found:
            _set(found, result, found[value])
            _set(found, target, found[value])


def _bind_nothing(op: ir.Operation, found: Bindings) -> None:
    """Constants and empty tensors take what their users want."""


RULES = {
    "linalg.generic": _bind_generic,
    "linalg.fill": _bind_fill,
    "tensor.empty": _bind_nothing,
    "arith.constant": _bind_nothing,
    "complex.constant": _bind_nothing,
}


def positions_along_rows(kernel: Any, found: Bindings) -> dict[ir.Operation, int]:
    """The ops in a kernel function that ask for the position along rows, with the row dimension."""
    positions: dict[ir.Operation, int] = {}
    for op in kernel.entry_block.operations:
        if op.operation.name == "linalg.generic":
            loops = loops_of(op.operation, found)
            for inner in ops_within(op.operation, lambda one: one.name == "linalg.index"):
                row = loops[ir.IntegerAttr(inner.attributes["dim"]).value]
                if row is not None:
                    positions[inner] = row
    return positions


def rows_with_positions(kernel: Any, found: Bindings) -> list[int]:
    """The row dimensions along which a kernel function asks for positions."""
    return sorted(set(positions_along_rows(kernel, found).values()))


def is_contiguous(shape: Sequence[int], binding: Binding, rows: Rows) -> bool:
    """Whether a block of a row-major array is one piece of memory."""
    wide = False
    for size, block, row in zip(shape, rows.block_shape(shape, binding), binding):
        if wide and row is not None and size > 1:
            return False
        wide = wide or block > 1
    return True


def cut_types(kernel: Any, found: Bindings, rows: Rows) -> None:
    """Gives all bound values of a kernel function the shape of a block. For each row dimension along which it asks for positions it has
    another argument behind the others, of type tensor<i64>: the first index of the block there."""
    _count_from_starts(kernel, positions_along_rows(kernel, found))
    for value, binding in found.items():
        value.set_type(_cut(value.type, binding, rows))
    for op in kernel.entry_block.operations:
        if op.operation.name == "arith.constant" and op.operation.results[0] in found:
            _cut_constant(op.operation)
    arguments = [a.type for a in kernel.entry_block.arguments]
    results = [v.type for v in kernel.entry_block.operations[-1].operands]
    set_type(kernel, arguments, results)


def _count_from_starts(kernel: Any, positions: dict[ir.Operation, int]) -> None:
    """Before: %i = linalg.index 0   After: %s = tensor.extract %start[]   %i = linalg.index 0   %p = arith.addi %i, %s"""
    starts: dict[int, ir.Value] = {}
    with kernel.operation.location:
        scalar = ir.RankedTensorType.get([], ir.IntegerType.get_signless(64))
        for row in sorted(set(positions.values())):
            argument = kernel.entry_block.add_argument(scalar, kernel.operation.location)
            with ir.InsertionPoint.at_block_begin(kernel.entry_block):
                start = tensor.ExtractOp(argument, []).result
                starts[row] = arith.IndexCastOp(ir.IndexType.get(), start).result
    for op, row in positions.items():
        inside = op.results[0]
        with ir.InsertionPoint.after(op), op.location:
            position = arith.AddIOp(inside, starts[row])
        inside.replace_all_uses_except(position.result, position.operation)


def _cut(type: ir.Type, binding: Binding, rows: Rows) -> ir.Type:
    shaped = ir.RankedTensorType(type)
    return ir.RankedTensorType.get(rows.block_shape(shaped.shape, binding), shaped.element_type)


def _cut_constant(op: ir.Operation) -> None:
    """Constants in kernels have one value at all indices."""
    op.attributes["value"] = splat_of(ir.DenseElementsAttr(op.attributes["value"]), op.results[0].type)
