"""shape's ops on shapes of known rank: arithmetic on vectors of sizes. Constraints become shape assertions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import CustomCallOp
from hlo.dialect.types import DYNAMIC, element_type, is_tensor, shape
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import Tensor, build, convert, select
from hlo.lowering.stablehlo.constants import splat
from hlo.lowering.stablehlo.rewriting import move_body
from hlo.lowering.stablehlo.upstream.tensor import picked
from hlo.lowering.stablehlo.upstream.values import (
    Rule,
    extents,
    i64,
    index,
    legalizes_upstream,
    shape_of,
    stored,
    vector,
)


def _sizes(op: Any, value: ir.Value) -> list[Tensor]:
    """The sizes in a shape."""
    if not is_tensor(value.type) or DYNAMIC in shape(value.type):
        raise CompileError(diagnostic(op, f"'{op.operation.name}' of a shape of unknown rank is not supported"))
    return extents(value)


@legalizes_upstream("shape.shape_of")
def _shape_of(op: Any) -> list[ir.Value]:
    if not is_tensor(op.operands[0].type):
        raise CompileError(diagnostic(op, f"'shape.shape_of' of {op.operands[0].type} is not supported"))
    return [shape_of(op.operands[0])]


@legalizes_upstream("shape.const_shape")
def _const_shape(op: Any) -> list[ir.Value]:
    return [vector([index(int(n)) for n in ir.DenseIntElementsAttr(op.attributes["shape"])])]


@legalizes_upstream("shape.const_size")
def _const_size(op: Any) -> list[ir.Value]:
    return [index(ir.IntegerAttr(op.attributes["value"]).value).value]


@legalizes_upstream(
    "shape.any",
    "shape.to_extent_tensor",
    "shape.from_extent_tensor",
    "shape.value_as_shape",
    "shape.value_of",
    "shape.size_to_index",
    "shape.index_to_size",
)
def _same(op: Any) -> list[ir.Value]:
    return [op.operands[0]]


def _product(parts: Sequence[Tensor]) -> Tensor:
    result = index(1)
    for part in parts:
        result = result * part
    return result


@legalizes_upstream("shape.num_elements")
def _num_elements(op: Any) -> list[ir.Value]:
    return [_product(_sizes(op, op.operands[0])).value]


@legalizes_upstream("shape.get_extent", "shape.dim")
def _get_extent(op: Any) -> list[ir.Value]:
    value, number = op.operands
    sizes = shape_of(value) if op.operation.name == "shape.dim" else value
    known = splat(number)
    if known is None:
        return [convert(picked(sizes, [Tensor(number)]), i64()).value]
    parts = _sizes(op, sizes)
    if not 0 <= known < len(parts):
        raise CompileError(diagnostic(op, f"'{op.operation.name}' of dimension {known} of a shape of {len(parts)}"))
    return [parts[known].value]


@legalizes_upstream("shape.rank")
def _rank(op: Any) -> list[ir.Value]:
    return [index(len(_sizes(op, op.operands[0]))).value]


@legalizes_upstream("shape.concat")
def _concat(op: Any) -> list[ir.Value]:
    return [vector([n for v in op.operands for n in _sizes(op, v)])]


@legalizes_upstream("shape.from_extents")
def _from_extents(op: Any) -> list[ir.Value]:
    return [vector([convert(Tensor(v), i64()) for v in op.operands])]


def _aligned(op: Any) -> list[list[Tensor]]:
    """The sizes of all shapes by dimension, counted from the last; 1 where a shape has none."""
    shapes = [list(reversed(_sizes(op, v))) for v in op.operands]
    columns = list(zip_longest(*shapes))
    return [[n for n in column if n is not None] for column in reversed(columns)]


@legalizes_upstream("shape.broadcast")
def _broadcast(op: Any) -> list[ir.Value]:
    """A size other than 1, where there is one."""
    result = []
    for column in _aligned(op):
        size = column[0]
        for other in column[1:]:
            size = select(size.equals(1), other, size)
        result.append(size)
    return [vector(result)]


def _are_broadcastable(op: Any) -> Tensor:
    holds = index(0).equals(0)
    for column in _aligned(op):
        for i, a in enumerate(column):
            for b in column[i + 1 :]:
                holds = holds & (a.equals(b) | a.equals(1) | b.equals(1))
    return holds


def _are_equal(op: Any) -> Tensor:
    first, *others = [_sizes(op, v) for v in op.operands]
    holds = index(0).equals(0)
    for sizes in others:
        if len(sizes) != len(first):
            return index(0).equals(1)
        for a, b in zip(first, sizes, strict=True):
            holds = holds & a.equals(b)
    return holds


def _is_reshapable(op: Any) -> Tensor:
    """Whether as many elements have a shape with one size of -1 at most, which stands for what is left."""
    count, sizes = _count_and_sizes(op)
    unknown, known = _unknown(sizes)
    rest = build("remainder", count, select(known.equals(0), index(1), known))
    fits_rest = unknown.equals(1) & rest.equals(0) & (known.differs(0) | count.equals(0))
    return (unknown.equals(0) & known.equals(count)) | fits_rest


def _count_and_sizes(op: Any) -> tuple[Tensor, list[Tensor]]:
    count, sizes = op.operands
    return convert(Tensor(count), i64()), _sizes(op, sizes)


def _unknown(sizes: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """How many sizes are -1, and the product of the others."""
    unknown, known = index(0), index(1)
    for n in sizes:
        is_unknown = n.equals(-1)
        unknown, known = unknown + convert(is_unknown, i64()), known * select(is_unknown, index(1), n)
    return unknown, known


@legalizes_upstream("stablehlo.compute_reshape_shape")
def _compute_reshape_shape(op: Any) -> list[ir.Value]:
    count, sizes = _count_and_sizes(op)
    _, known = _unknown(sizes)
    left = count / select(known.equals(0), index(1), known)
    element = element_type(stored(op.results[0].type))
    return [vector([convert(select(n.equals(-1), left, n), element) for n in sizes])]


def _asserted(condition: Any, message: str) -> Rule:
    """A witness: true, with an assertion that fails with the op's message where the condition is known not to hold."""

    def rule(op: Any) -> list[ir.Value]:
        holds = condition(op)
        text = ir.StringAttr.get(f"{op.operation.name}: {message}")
        CustomCallOp.create(
            holds.value, results=[], call_target_name="shape_assertion", has_side_effect=True, error_message=text
        )
        return [holds.value]

    return rule


@legalizes_upstream("shape.assuming")
def _assuming(op: Any) -> list[ir.Value]:
    return move_body(op.regions[0].blocks[0], [])


@legalizes_upstream("shape.const_witness")
def _const_witness(op: Any) -> list[ir.Value]:
    return [index(0).equals(0 if ir.BoolAttr(op.attributes["passing"]).value else 1).value]


@legalizes_upstream("shape.assuming_all")
def _assuming_all(op: Any) -> list[ir.Value]:
    holds = index(0).equals(0)
    for witness in op.operands:
        holds = holds & Tensor(witness)
    return [holds.value]


def _arithmetic(mnemonic: str) -> Rule:
    return lambda op: [build(mnemonic, *(convert(Tensor(v), i64()) for v in op.operands)).value]


legalizes_upstream("shape.is_broadcastable")(lambda op: [_are_broadcastable(op).value])
legalizes_upstream("shape.shape_eq")(lambda op: [_are_equal(op).value])
legalizes_upstream("shape.cstr_broadcastable")(_asserted(_are_broadcastable, "shapes cannot be broadcast"))
legalizes_upstream("shape.cstr_eq")(_asserted(_are_equal, "shapes differ"))
legalizes_upstream("shape.cstr_require")(_asserted(lambda op: Tensor(op.operands[0]), "the condition does not hold"))
legalizes_upstream("stablehlo.cstr_reshapable")(_asserted(_is_reshapable, "as many elements do not have this shape"))

_ARITHMETIC = {"add": "add", "mul": "multiply", "div": "divide", "min": "minimum", "max": "maximum"}
for _name, _mnemonic in _ARITHMETIC.items():
    legalizes_upstream(f"shape.{_name}")(_arithmetic(_mnemonic))
