"""What the program of one process has in addition to ordinary ops: numbers that differ from process to process, parts
of a dimension, collectives.

Ops are created at the current insertion point and location."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.attributes import CHANNEL_HANDLE, I64Array, I64Matrix
from hlo.dialect.process_groups import speaks_of_processes
from hlo.dialect.stablehlo import DynamicSliceOp
from hlo.dialect.structures import ChannelHandle
from hlo.dialect.types import element_type, shape, tensor, with_element
from hlo.lowering.finding import is_unused
from hlo.lowering.numbers import integer
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    broadcast,
    build,
    constant,
    convert,
    iota,
    padded,
    reshaped,
    scalar_at,
)
from hlo.lowering.stablehlo.constants import constant_of
from hlo.lowering.stablehlo.rewriting import fill_region, is_pure, nested_blocks
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable
from hlo.lowering.stablehlo.sharding.graph import NESTED
from hlo.lowering.stablehlo.sharding.rules.rule import neutral

DEVICE_TO_DEVICE = 1


class Emitter:
    """Numbers of the process are made once each, where the emitter was made. `purpose`: the words that collectives are marked with."""

    def __init__(self, table: AxisTable):
        self.table = table
        self.purpose = ""
        self.channel = 0
        self._groups: dict[Axes, ir.Attribute] = {}
        self._numbers: dict[tuple[int, ...], Tensor] = {}
        number = tensor([], ir.IntegerType.get_unsigned(32))
        self.process = Tensor(self.emit("partition_id", [], [number]).results[0])
        self.zero = constant(tensor([], integer(32)), 0)
        self._top = ir.InsertionPoint(self.zero.value.owner)

    def emit(
        self,
        name: str,
        operands: Sequence[ir.Value],
        types: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> ir.Operation:
        return ir.Operation.create(f"stablehlo.{name}", list(types), list(operands), attributes, regions=regions)

    # Numbers

    def neutral(self, kind: str, t: ir.Type) -> Tensor:
        number = neutral(kind, element_type(t))
        assert number is not None, f"{kind} of {t} has no neutral element"
        return constant(t, number)

    def per_process(self, numbers: Sequence[int]) -> Tensor:
        """A scalar (i32) that each process looks up in a table at its own number."""
        key = tuple(numbers)
        if key not in self._numbers:
            t = tensor([len(key)], integer(32))
            with self._top:
                table = constant_of(np.array(key, np.int32), t)
                found = DynamicSliceOp.create(table, self.process.value, slice_sizes=[1]).result
                self._numbers[key] = reshaped(Tensor(found), [])
        return self._numbers[key]

    def starts(self, axes: Axes, size: int) -> list[int]:
        """Where the part of `size` of each process begins."""
        return [i * size for i in self.table.index(axes)]

    def offset(self, t: ir.Type, axes: Axes, size: int) -> Tensor:
        """Where this process's part of `size` begins, as elements of a tensor."""
        return broadcast(convert(self.per_process(self.starts(axes, size)), element_type(t)), shape(t))

    def positions(self, x: Tensor, d: int, starts: Sequence[int]) -> Tensor:
        """Where each element is along a dimension, of which x is what begins at `starts`."""
        return iota(with_element(x.type, integer(32)), d) + broadcast(self.per_process(starts), x.shape)

    # Parts of a dimension

    def part(self, x: Tensor, d: int, starts: Sequence[int], size: int) -> Tensor:
        """What begins at `starts`."""
        starts_of_dimensions, sizes = [self.zero.value] * len(x.shape), x.shape
        starts_of_dimensions[d], sizes[d] = self.per_process(starts).value, size
        return Tensor(DynamicSliceOp.create(x.value, *starts_of_dimensions, slice_sizes=sizes).result)

    def padded(self, x: Tensor, d: int, low: int, high: int, value: Tensor | None) -> Tensor:
        """`value`: None for anything."""
        sizes = x.shape
        if 0 in sizes:
            sizes[d] += low + high
            return reshaped(x, sizes)
        lows, highs = ([n if k == d else 0 for k in range(len(sizes))] for n in (low, high))
        if value is None:
            value = scalar_at(x, *[0] * len(sizes))  # there are not constants of all types
        return padded(x, value, lows, highs)

    # Collectives

    def collective(
        self, kind: str, x: Tensor, sizes: Sequence[int] | None = None, reducer: str | None = None, **more: Any
    ) -> Tensor:
        """`sizes`: of the result, if they are not those of x. `more`: attributes; `axes`: the group is the processes
        that differ along them."""
        axes = more.pop("axes", ())
        self.channel += 1
        attributes = {**more, "channel_handle": CHANNEL_HANDLE.encode(ChannelHandle(self.channel, DEVICE_TO_DEVICE))}
        if axes:
            if axes not in self._groups:
                self._groups[axes] = I64Matrix.encode(self.table.groups(axes))
            attributes["replica_groups"] = self._groups[axes]
            if kind != "all_to_all":
                attributes["use_global_device_ids"] = ir.UnitAttr.get()
        if self.purpose:
            attributes["hlo.purpose"] = ir.StringAttr.get(self.purpose)
        t = tensor(x.shape if sizes is None else sizes, x.element)
        op = self.emit(kind, [x.value], [t], attributes, regions=2 if reducer else 0)
        if reducer:
            scalar = tensor([], x.element)
            fill_region(op.regions[0], [scalar] * 2, lambda a, b: [build(reducer, Tensor(a), Tensor(b)).value])
        return Tensor(op.results[0])

    def permuted(self, x: Tensor, pairs: Sequence[Sequence[int]]) -> Tensor:
        """What the first process of a pair has goes to the second."""
        return self.collective("collective_permute", x, source_target_pairs=I64Matrix.encode(pairs))


def remove_unused(block: ir.Block) -> None:
    """Erases what is not read and has no effect: a collective has none but its results."""
    for op in list(block.operations)[-2::-1]:
        if is_unused(op) and (is_pure(op) or speaks_of_processes(op)):
            op.operation.erase()
        elif op.operation.name in NESTED:
            for inner in nested_blocks(op):
                remove_unused(inner)


def array(numbers: Sequence[int]) -> ir.Attribute:
    return I64Array.encode(numbers)
