"""Custom calls whose partitioner is a function of the front end: it is asked when shardings have been propagated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.reader import read
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import is_unused
from hlo.lowering.functions import defined_functions
from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls
from hlo.lowering.stablehlo.rewriting import move_body
from hlo.lowering.stablehlo.sharding.annotations import (
    Annotations,
    AnnotationWriter,
    manual_computation,
    manual_return,
    read_annotations,
)
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec, read_axes
from hlo.lowering.stablehlo.sharding.graph import Body, Graph, Node, Tensor


@dataclass(frozen=True)
class Cut:
    """How a tensor is cut. `counts`: the number of parts of each dimension; `parts`: for each process, which part of
    each dimension it has."""

    shape: tuple[int, ...]
    element: str
    counts: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]
    summands: tuple[int, ...] = ()
    """Values inside of programs are no sums that are yet to be taken."""


@dataclass(frozen=True)
class ShardedCall:
    """A custom call in a program with shardings. `manual`: whether it stands in a manual computation over all axes,
    whose processes have arrays of their own."""

    op: Any
    operands: Sequence[Cut]
    results: Sequence[Cut]
    manual: bool


@dataclass(frozen=True)
class LocalProgram:
    """What each process computes instead of a call: the text of a program whose @main takes its parts of the operands
    and gives its parts of the results, and how these are cut."""

    text: str
    operands: Sequence[Cut]
    results: Sequence[Cut]


CallPartitioner = Callable[[ShardedCall], "LocalProgram | None"]
"""None for a call that only wants to know, and has no results that are read."""


def partition_calls(module: ir.Module, partitioners: Mapping[str, CallPartitioner]) -> None:
    """Replaces custom calls, by their targets, in a module whose shardings are complete: what each process is to
    compute becomes the body of a manual computation.

    %0 = stablehlo.custom_call @target(%a) {sdy.sharding = ...}   becomes   %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
                                                                                out_shardings=[<@mesh, [{"x"}]>]
                                                                                manual_axes={"x"} (%b: tensor<2xf32>)
                                                                                {...}
    """
    table = read_axes(module)
    if table.count == 1:
        return
    for function in defined_functions(module):
        graph = Graph(function)
        calls = _Calls(table, read_annotations(graph, table), partitioners)
        calls.find(graph.body, frozenset())
        with module.context:
            calls.replace(module.context)


class _Calls:
    def __init__(self, table: AxisTable, annotations: Annotations, partitioners: Mapping[str, CallPartitioner]):
        self.table, self.annotations, self.partitioners = table, annotations, partitioners
        self.specs: dict[Tensor, Spec] = {t: wish.spec for t, wish in annotations.values.items()}
        self.found: list[tuple[Node, frozenset[str]]] = []

    def find(self, body: Body, manual: frozenset[str]) -> None:
        """`manual`: axes of the manual computation that the body is in."""
        for node in body.nodes:
            if node.name == "stablehlo.custom_call" and node.op.call_target_name in self.partitioners:
                self.found.append((node, manual))
            own = self.annotations.manual.get(node)
            for inner in node.bodies:
                self.specs.update(zip(inner.arguments, self._of_arguments(node)))
                self.find(inner, manual | own.axes if own else manual)

    def _of_arguments(self, node: Node) -> list[Spec]:
        """The shardings that the bodies of a node get their arguments in."""
        if node in self.annotations.manual:
            manual = self.annotations.manual[node]
            return [manual.free(wish.spec) for wish in manual.operands]
        return [
            self.specs.get(t, t.whole)
            for t in (node.operands if node.name == "sdy.named_computation" else node.results)
        ]

    def replace(self, context: ir.Context) -> None:
        for node, manual in self.found:
            call = ShardedCall(
                node.op,
                [self._cut(t) for t in node.operands],
                [self._cut(t) for t in node.results],
                manual == frozenset(self.table.sizes),
            )
            made = _asked(self.partitioners[node.op.call_target_name], call)
            if made is not None:
                if manual:
                    raise CompileError(diagnostic(node.op, "its partitioner has no say in a manual computation"))
                self._replace(node, made, context)
            elif not is_unused(node.op):
                raise CompileError(diagnostic(node.op, "its partitioner gives no program, but its results are read"))
            node.op.operation.erase()

    def _cut(self, tensor: Tensor) -> Cut:
        if not tensor.is_tensor:
            raise CompileError(
                "a custom call with a partitioner takes and gives tensors only, found " + str(tensor.type)
            )
        spec = self.specs.get(tensor, tensor.whole)
        parts = [self.table.index(axes) for axes in spec]
        of_processes = tuple(zip(*parts)) if parts else ((),) * self.table.count
        return Cut(tensor.shape, str(tensor.element), tuple(map(self.table.size, spec)), of_processes)

    def _spec(self, cut: Cut, op: Any) -> Spec:
        """The axes that cut a tensor in this way."""
        return tuple(self._axes(n, [p[d] for p in cut.parts], op) for d, n in enumerate(cut.counts))

    def _axes(self, count: int, parts: Sequence[int], op: Any) -> Axes:
        found: Axes = ()
        left = count
        while left > 1:
            coordinates = self.table.coordinates
            axis = next(
                (
                    a
                    for a, size in self.table.sizes.items()
                    if left % size == 0 and all(c[a] == p // (left // size) % size for c, p in zip(coordinates, parts))
                ),
                None,
            )
            if axis is None:
                message = f"its partitioner cuts a dimension into {count} parts, which no axes of @{self.table.mesh} do"
                raise CompileError(diagnostic(op, message))
            found += (axis,)
            left //= self.table.sizes[axis]
        return found

    def _replace(self, node: Node, made: LocalProgram, context: ir.Context) -> None:
        op = node.op
        module = read(made.text, context, "-")
        InlineCalls().run(module)
        function = next(f for f in defined_functions(module) if f.name.value == "main")
        self._check(op, function, made)
        writer = AnnotationWriter(self.table)
        shardings = [writer.per_value([self._spec(c, op) for c in side]) for side in (made.operands, made.results)]
        types, axes = [r.type for r in op.results], [name for name, _ in self.table.main.axes]
        (source,) = function.regions[0].blocks
        with ir.InsertionPoint(op), op.location:
            arguments = [a.type for a in source.arguments]
            manual, block = manual_computation(op.operands, types, arguments, shardings, axes)
            with ir.InsertionPoint(block):
                manual_return(move_body(source, list(block.arguments)))
        for old, new in zip(op.results, manual.results):
            old.replace_all_uses_with(new)

    def _check(self, op: Any, function: Any, made: LocalProgram) -> None:
        """Parts must be even, and those of the program."""
        kind = ir.FunctionType(function.type)
        for what, cuts, types in (("operands", made.operands, kind.inputs), ("results", made.results, kind.results)):
            for cut in cuts:
                uneven = next((n for n, count in zip(cut.shape, cut.counts) if n % count), None)
                if uneven is not None:
                    message = f"its partitioner cuts {what} into parts that are not equal: a dimension of size {uneven}"
                    raise CompileError(diagnostic(op, f"{message} of {'x'.join(map(str, cut.shape))} by {cut.counts}"))
            wanted = [[n // count for n, count in zip(c.shape, c.counts)] for c in cuts]
            found = [list(ir.RankedTensorType(t).shape) for t in types]
            if wanted != found:
                raise CompileError(diagnostic(op, f"its partitioner's {what} are {found}, their parts {wanted}"))


def _asked(partitioner: CallPartitioner, call: ShardedCall) -> LocalProgram | None:
    """Raises CompileError, with the location of the call, for what a function of the user's raises."""
    try:
        return partitioner(call)
    except Exception as error:
        target = call.op.call_target_name
        raise CompileError(
            diagnostic(call.op, f"the partitioner of @{target} has failed: {type(error).__name__}: {error}")
        ) from error


def cut_of(shape: Sequence[int], element: str, counts: Sequence[int], devices: Sequence[int]) -> Cut:
    """A cut by the numbers of parts of each dimension, and one more of copies if there are any, and the processes in
    the order of the parts."""
    of_devices: list[tuple[int, ...]] = [()] * len(devices)
    copies = len(devices) // prod(counts[: len(shape)])
    parts = list(product(*(range(n) for n in counts[: len(shape)])))
    for position, device in enumerate(devices):
        of_devices[device] = parts[position // copies]
    return Cut(tuple(shape), element, tuple(counts[: len(shape)]), tuple(of_devices))
