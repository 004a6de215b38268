"""The pass `read-slices`: contractions and attention read parts of arrays where they are; contractions pad what they read themselves.

Before:  %s = tensor.extract_slice %x[...]     %k = call @attention_0(%q, %s, %v)
After:   %k = call @slice_attention_0(%q, %x, %v)
         func.func private @slice_attention_0(...) { %s = tensor.extract_slice %x[...]   what @attention_0 does }
and
Before:  %w = tensor.extract_slice %all[%i, 0, 0] [1, 64, 64] [1, 1, 1]     %r = linalg.generic {multiply-add} ins(%a, %w)
After:   %r = call @slice_product_0(%a, %all, %n)
         func.func private @slice_product_0(...) attributes {hlo.kernel = "contraction"} { the same ops }

and
Before:  %p = tensor.insert_slice %x into %zeros[...]     %r = linalg.generic {multiply-add} ins(%p, %w)
After:   %r = call @slice_product_0(%x, %w)           the same ops: the zeros are nowhere in memory

What is read where it is must be aligned as TMA and cp.async want it (View.is_aligned), and its array as it was where the slice
stands: nothing between there and the reader may write it. Other slices become copies, which are kernels of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned, remade
from hlo.lowering.finding import ancestor_in, made_by, ops_within
from hlo.lowering.gpu.accesses import RULES, View, is_zero_padding, view_of
from hlo.lowering.gpu.attention.emit import is_as_quick
from hlo.lowering.gpu.contraction.block import Tile
from hlo.lowering.gpu.contraction.launch import tile_for
from hlo.lowering.gpu.contraction.problem import is_tiled, problem_of
from hlo.lowering.kernel_calls import (
    call_instead,
    calls,
    copied,
    erase_unused,
    erase_with_makers,
    functions_by_name,
    hosts,
    kind,
    name_once,
    new_kernel,
    ops_above,
)
from hlo.lowering.kernels.compute_gathered import compute_element, is_computable
from hlo.lowering.kernels.fusable import is_clonable, is_scalar_op
from hlo.lowering.linalg.structured import is_elementwise
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, gpu_named
from hlo.lowering.vector.region.graph import VIEWS

SLICE = "tensor.extract_slice"

READERS = (*VIEWS, "tensor.extract")
"""Ops that never write what they are given."""

MOST_MORE = 1.1
"""Times as many elements in tiles as a copy's, some of which are empty where rows are apart."""


@register_pass
@dataclass(frozen=True)
class ReadSlices(Pass):
    """Puts slices into the kernels that read them. `target`: what those are to run on."""

    target: str = "sm_80"

    def run(self, module: ir.Module) -> None:
        functions = functions_by_name(module)
        reading = _Reading(module, functions, gpu_named(self.target))
        for host in hosts(functions):
            for call in calls(host):
                if kind(functions[call.callee.value]) == "attention":
                    reading.read_in_kernel(call)
            for op in ops_within(host, is_tiled):
                reading.read_in_product(op)
        erase_unused(functions)


class _Reading:
    """New kernels, equal ones made once."""

    def __init__(self, module: ir.Module, functions: dict[str, Any], target: Target):
        self.module, self.functions, self.target = module, functions, target
        self.known: dict[str, Any] = {}

    def read_in_kernel(self, call: Any) -> None:
        """Attention, a kernel already."""
        old = self.functions[call.callee.value]
        arguments = old.regions[0].blocks[0].arguments
        parts = [v for v, a in zip(call.operands, arguments) if _is_multiplied(a) and self._is_part(v, call.operation)]
        if not parts:
            return
        kernel, inputs = self._kernel(
            call.operation, list(call.operands), parts, "attention", lambda values: copied(old, values)
        )
        if not is_as_quick(kernel, old, self.target):
            kernel.operation.erase()
            return
        self._replace(call.operation, kernel, inputs, f"slice_{old.name.value.rpartition('_')[0]}")

    def read_in_product(self, op: ir.Operation) -> None:
        """A contraction, which becomes a kernel."""
        operands = list(op.operands)
        parts = [v for v in operands[:2] if self._is_part(v, op)]
        if parts and not _is_tiled_as_well(op, parts, self.target):
            parts = []
        inside = [*parts, *(one for v in operands[:2] for one in _padded_above(v))]
        if inside and is_clonable(operands[2]):
            kernel, inputs = self._kernel(op, [op.results[0]], [*inside, op.results[0]], "contraction", list)
            self._replace(op, kernel, inputs, "slice_product")

    def _is_part(self, value: ir.Value, reader: ir.Operation) -> bool:
        """Whether a value is a part of an array that the reader can read where it is."""
        view = view_of(value)
        if view is None or view.low or not view.is_part or not view.is_aligned(element_bytes(value.type.element_type)):
            return False
        chain = chain_to(value, view)
        is_here = all(op.block == reader.block for op in chain) and is_in_memory(view.source)
        return is_here and not is_written(view.source, chain[-1], reader, self._reads)

    def _reads(self, use: Any) -> bool:
        """Whether a use of an array surely does not write it."""
        op = use.owner.operation
        if op.name == "linalg.generic":
            inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
            return bool(use.operand_number < inputs)
        if op.name == "func.call":
            return kind(self.functions[op.opview.callee.value]) in ("attention", "contraction")
        return op.name in READERS

    def _kernel(
        self, op: ir.Operation, values: Sequence[ir.Value], inside: Sequence[ir.Value], what: str, finish: Any
    ) -> tuple[Any, list[ir.Value]]:
        """A kernel for an op that computes `values`, those `inside` with all slices above them, and gives what `finish` makes of them;
        with what it takes."""
        ops, inputs = _slice(values, inside)

        def body(arguments: list[ir.Value]) -> list[ir.Value]:
            known = dict(zip(inputs, arguments))
            for one in ops:
                cloned(one, known)
            return finish([known[v] for v in values])

        with op.location:
            types = [v.type for v in inputs], [r.type for r in op.results]
            kernel = new_kernel(self.module, "slice", what, *types, body)
            entry = kernel.regions[0].blocks[0]
            _inline_scalars(entry)
            _drop_units(entry)
        return kernel, inputs

    def _replace(self, op: ir.Operation, kernel: Any, inputs: Sequence[ir.Value], name: str) -> None:
        """The op becomes a call of the kernel, or of an equal one."""
        name = name_once(kernel, self.known, name)
        self.functions.setdefault(name, kernel)
        call_instead(op, name, inputs)
        _erase_unused(op)


def _is_multiplied(argument: ir.Value) -> bool:
    """Whether all that a kernel does with an argument is to multiply it."""
    uses = list(argument.uses)
    return bool(uses) and all(use.operand_number < 2 and problem_of(use.owner.operation) is not None for use in uses)


def _slice(values: Sequence[ir.Value], inside: Sequence[ir.Value]) -> tuple[list[ir.Operation], list[ir.Value]]:
    """Ops that compute `values`, in order, and what they take: slices and reshapes only of those `inside`, with the numbers that these
    start at."""

    def is_inside(value: ir.Value, reader: ir.Operation | None) -> bool:
        is_above = reader is not None and reader.name in RULES and value.owner.name in RULES
        return value in inside or is_above or _is_number(value)

    return ops_above(values, is_inside)


def _drop_units(entry: ir.Block) -> None:
    """Slices have the dimensions that are left of them, instead of reshapes that drop those of one element: linalg-fuse-elementwise-ops
    would give contractions such dimensions, and copy their results."""
    for op in [one.operation for one in entry.operations if one.operation.name == "tensor.collapse_shape"]:
        part, shape = op.operands[0], op.results[0].type.shape
        is_slice = not isinstance(part.owner, ir.Block) and part.owner.name == SLICE
        if is_slice and [n for n in part.type.shape if n != 1] == [n for n in shape if n != 1]:
            with op.location, ir.InsertionPoint(op):
                made = remade(part.owner, part.owner.operands, [op.results[0].type])
            op.results[0].replace_all_uses_with(made.results[0])
            _erase_unused(op)


def _inline_scalars(block: ir.Block) -> None:
    """Each kernel computes from its arguments what it reads of computed arrays of one element, such as where a slice starts, clamped; no launch
    of one thread writes it."""
    while (read := _computed_read(block)) is not None:
        compute_element(read, read.operands[0].owner)


def _computed_read(block: ir.Block) -> ir.Operation | None:
    """The first read of an array of one element that is computed element by element."""
    for read in [op.operation for op in block.operations if op.operation.name == "tensor.extract"]:
        made = made_by(read.operands[0])
        if made is not None and prod(read.operands[0].type.shape) == 1 and is_computable(made):
            return read
    return None


def _is_number(value: ir.Value) -> bool:
    """What is computed again in each kernel: scalars, and arrays of one element by ops without loops."""
    op = value.owner.operation
    if is_clonable(value) or is_scalar_op(op):
        return True
    return op.name == "linalg.generic" and not len(op.attributes["iterator_types"])


def _is_tiled_as_well(op: ir.Operation, parts: Sequence[ir.Value], target: Target) -> bool:
    """Whether tiles are as they would be of copies, and no more of them."""
    here, of_copies = (_tile(op, some, target) for some in (parts, ()))
    sizes = [prod(tile.tiles) * tile.m * tile.n for tile in (here, of_copies)]
    return type(here.code) is type(of_copies.code) and sizes[0] <= MOST_MORE * sizes[1]


def _tile(op: ir.Operation, parts: Sequence[ir.Value], target: Target) -> Tile:
    """The tile of a contraction if only `parts` are read where they are: that of a copy whose other inputs are arrays of their own."""
    with ir.InsertionPoint(op), op.location:
        copy = op.clone()
        for number, value in enumerate(list(op.operands)[:2]):
            if value not in parts:
                copy.operands[number] = tensor.EmptyOp(value.type.shape, value.type.element_type).result
    problem = problem_of(copy)
    assert problem is not None, "a copy of a contraction"
    tile = tile_for(problem, target)
    _erase_unused(copy)
    return tile


# Tensors that are put into zeros only to be multiplied


def _padded_above(value: ir.Value) -> list[ir.Value]:
    """What makes an input of a contraction of a tensor that is put into zeros for contractions alone, and perhaps reshaped then; nothing
    if it is made in another way."""
    found = [value]
    while (op := made_by(value, "tensor.expand_shape")) is not None:
        value = op.operands[0]
        found.append(value)
    view = view_of(found[0])
    is_padded = view is not None and view.low and is_zero_padding(value.owner)
    return found if is_padded and _is_multiplied_padded(value) else []


def _is_multiplied_padded(value: ir.Value) -> bool:
    """Whether only contractions read it that are large enough for tiles, perhaps with dimensions split that have no zeros around them."""
    users = [use.owner.operation for use in value.uses]
    return all(
        _is_multiplied_padded(op.results[0])
        if op.name == "tensor.expand_shape" and view_of(op.results[0]) is not None
        else is_tiled(op)
        for op in users
    )


def _erase_unused(last: ir.Operation) -> None:
    """The op and what only it needs."""
    erase_with_makers(last, lambda op: op.name in (*RULES, "linalg.generic") or _is_number(op.results[0]))


# Arrays that slices are parts of: whether they are in memory, and what else may be done with them in between

LEAST_USE = 2
"""What is computed element by element is put into memory for its slices if they are one of so many parts of it or more."""

MADE_ANYWAY = ("func.call", "scf.while", "scf.if", "tensor.insert_slice")
"""What gives arrays that are in memory."""


def chain_to(value: ir.Value, view: View) -> list[ir.Operation]:
    """The slices and reshapes between a value and the array, the last one first."""
    found: list[ir.Operation] = []
    while value != view.source:
        found.append(value.owner.operation)
        value = found[-1].operands[0]
    return found


def is_in_memory(source: ir.Value) -> bool:
    """Whether an array is there anyway, or is profitable for all of its slices: not what is cheaper computed by those who read a few of
    its elements."""
    if isinstance(source.owner, ir.Block) or source.owner.name in MADE_ANYWAY:
        return True
    op = source.owner.operation
    if op.name != "linalg.generic" or is_clonable(source):
        return False
    return not is_elementwise(op) or _sliced_elements(source) * LEAST_USE >= prod(source.type.shape)


def _sliced_elements(source: ir.Value) -> int:
    users = [use.owner.operation for value in aliases(source) for use in value.uses]
    return sum(prod(user.results[0].type.shape) for user in users if user.name == SLICE)


def aliases(source: ir.Value) -> list[ir.Value]:
    """An array, and all of it in other shapes."""
    found = [source]
    for value in found:
        users = [use.owner.operation for use in value.uses]
        found += [op.results[0] for op in users if op.name in RULES and op.name != SLICE]
    return found


def is_written(source: ir.Value, after: ir.Operation, before: ir.Operation, reads: Callable[[Any], bool]) -> bool:
    """Whether something between two ops of a block may write to an array. `reads`: what a use of it surely does not."""
    ops = [op.operation for op in before.block.operations]
    between = set(ops[ops.index(after) : ops.index(before)])
    uses = (use for value in aliases(source) for use in value.uses)
    return any(ancestor_in(use.owner.operation, before.block) in between and not reads(use) for use in uses)
