"""Creates the ops of one process's program: constants, numbers that differ from process to process, collectives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import CHANNEL_HANDLE, I64, I64Array, I64Matrix
from hlo.dialect.stablehlo import ReturnOp
from hlo.dialect.structures import ChannelHandle
from hlo.lowering.finding import is_unused
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable
from hlo.lowering.stablehlo.sharding.rule import neutral_text

DEVICE_TO_DEVICE = 1


class Emitter:
    """Emits at `ip`, at `location`. Numbers of the process are made once each, where `ip` was at first. `purpose`: the
    words that collectives are marked with."""

    def __init__(self, table: AxisTable, ip: ir.InsertionPoint, location: ir.Location):
        self.table, self.ip, self.location = table, ip, location
        self.purpose = ""
        self.made: list[ir.Operation] = []
        """Every op without an effect of its own, in order."""
        self.channel = 0
        self._types: dict[Any, ir.Type] = {}
        self._groups: dict[Axes, ir.Attribute] = {}
        self._numbers: dict[tuple[int, ...], ir.Value] = {}
        self._purposes: dict[str, ir.Attribute] = {}
        self._attributes: dict[str, ir.Attribute] = {}
        self.process = self.one("partition_id", [], (), "ui32")
        self.zero = self.constant("0", (), "i32")
        self._top = ir.InsertionPoint(self.made[-1])

    # Types and attributes

    def type(self, shape: Sequence[int], element: str) -> ir.Type:
        key = tuple(shape), element
        if key not in self._types:
            self._types[key] = ir.RankedTensorType.get(list(shape), ir.Type.parse(element), loc=ir.Location.unknown())
        return self._types[key]

    def parsed(self, text: str) -> ir.Attribute:
        if text not in self._attributes:
            self._attributes[text] = ir.Attribute.parse(text)
        return self._attributes[text]

    # Ops

    def emit(
        self,
        name: str,
        operands: Sequence[ir.Value],
        types: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> ir.Operation:
        op = ir.Operation.create(
            f"stablehlo.{name}",
            results=list(types),
            operands=list(operands),
            attributes=attributes or {},
            regions=regions,
            loc=self.location,
            ip=self.ip,
        )
        self.made.append(op)
        return op

    def one(
        self, name: str, operands: Sequence[ir.Value], shape: Sequence[int], element: str, **attributes: ir.Attribute
    ) -> ir.Value:
        return self.emit(name, operands, [self.type(shape, element)], attributes).results[0]

    def constant(self, text: str, shape: Sequence[int], element: str) -> ir.Value:
        """`text`: one element, or a list of all."""
        value = self.parsed(f"dense<{text}> : {self.type(shape, element)}")
        return self.one("constant", [], shape, element, value=value)

    def neutral(self, kind: str, shape: Sequence[int], element: str) -> ir.Value:
        text = neutral_text(kind, element)
        assert text is not None, f"{kind} of {element} has no neutral element"
        return self.constant(text, shape, element)

    def first_element(self, x: ir.Value, element: str) -> ir.Value:
        """A scalar of any type, also of those of which there are no constants."""
        rank = len(ir.RankedTensorType(x.type).shape)
        zeros, ones = I64Array.encode([0] * rank), I64Array.encode([1] * rank)
        first = self.one("slice", [x], [1] * rank, element, start_indices=zeros, limit_indices=ones, strides=ones)
        return self.one("reshape", [first], (), element)

    def per_process(self, numbers: Sequence[int]) -> ir.Value:
        """A scalar (i32) that each process looks up in a table at its own number."""
        key = tuple(numbers)
        if key not in self._numbers:
            saved, self.ip = self.ip, self._top
            table = self.constant(str(list(numbers)), (len(numbers),), "i32")
            sizes = I64Array.encode([1])
            found = self.one("dynamic_slice", [table, self.process], (1,), "i32", slice_sizes=sizes)
            self._numbers[key] = self.one("reshape", [found], (), "i32")
            self.ip = saved
        return self._numbers[key]

    def offset(self, shape: Sequence[int], element: str, axes: Axes, size: int) -> ir.Value:
        """Where this process's part of `size` begins, as elements of a tensor of some shape."""
        start = self.per_process([i * size for i in self.table.index(axes)])
        if element != "i32":
            start = self.one("convert", [start], (), element)
        return self.one("broadcast_in_dim", [start], shape, element, broadcast_dimensions=I64Array.encode([]))

    # Collectives

    def collective(
        self, kind: str, x: ir.Value, shape: Sequence[int], element: str, reducer: str | None = None, **more: Any
    ) -> ir.Value:
        """`more`: attributes; `axes`: the group is the processes that differ along them."""
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
            if self.purpose not in self._purposes:
                self._purposes[self.purpose] = ir.StringAttr.get(self.purpose)
            attributes["hlo.purpose"] = self._purposes[self.purpose]
        op = self.emit(kind, [x], [self.type(shape, element)], attributes, regions=2 if reducer else 0)
        if reducer:
            self._reducer(op.regions[0], reducer, element)
        return op.results[0]

    def _reducer(self, region: ir.Region, kind: str, element: str) -> None:
        scalar = self.type((), element)
        block = region.blocks.append(scalar, scalar, arg_locs=[self.location, self.location])
        with ir.InsertionPoint(block):
            op = ir.Operation.create(
                f"stablehlo.{kind}", results=[scalar], operands=list(block.arguments), loc=self.location
            )
            ReturnOp.create(op.results[0], results=[], loc=self.location)

    def remove_unused(self) -> None:
        """Erases what was emitted and is not read."""
        for op in reversed(self.made):
            if is_unused(op):
                op.erase()
        self.made.clear()


def array(numbers: Sequence[int]) -> ir.Attribute:
    return I64Array.encode(numbers)


def integer(number: int) -> ir.Attribute:
    return I64.encode(number)
