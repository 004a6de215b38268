"""The pass `prepare-products`: contractions of what tiles are made for, where they are large enough for tiles.

Complex numbers become four contractions of real ones:

Before:  %c = linalg.generic {C += A * B} ins(%a, %b : complex)
After:   %a_re, %a_im = parts of %a    %b_re, %b_im = parts of %b
         %rr = linalg.generic {C += A * B} ins(%a_re, %b_re)    %ii, %ri, %ir: the same of the other pairs
         %c = linalg.generic {complex(%rr - %ii, %ri + %ir)}

Integers of 8 bits that are multiplied as i32, and bytes seen as f8, are read as bytes (both inputs: one that stays wide has no matrix
instruction):

Before:  %w = linalg.generic {extsi} ins(%b : i8)     %c = linalg.generic {C += A * B} ins(%a : i32, %w : i32)
After:                                                %c = linalg.generic {C += A * extsi(B)} ins(%a, %b : i8)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, complex

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import attributes_of, cloned
from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.contraction.problem import multiplies_and_adds, problem_of
from hlo.lowering.kernel_calls import copied
from hlo.lowering.kernels.form_kernels import TILED
from hlo.lowering.kernels.read_transposed import read_through
from hlo.lowering.linalg.loops import element, shape, zero
from hlo.lowering.linalg.partial_reductions import OWN
from hlo.lowering.linalg.structured import elementwise, fill, generic, iterators_of, maps_of, reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.contraction.emit import starts_from_zero

WIDENINGS = ("arith.extsi", "arith.extui", "arith.bitcast")


@register_pass
class PrepareProducts(Pass):
    """Multiplies real and imaginary parts of complex numbers, and bytes as bytes."""

    def run(self, module: ir.Module) -> None:
        for op in ops_within(module, reduces):
            problem = problem_of(op)
            if problem is not None and problem.is_complex and problem.is_large and starts_from_zero(op.operands[2]):
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(_product(op))
                op.erase()
            elif len(op.operands) == 3 and multiplies_and_adds(op):
                _read_sources(op)


# Complex numbers


def _product(op: ir.Operation) -> ir.Value:
    """The result of a contraction of complex numbers, made of those of their parts."""
    maps, kind = maps_of(op), ir.RankedTensorType(op.results[0].type)
    sums = ir.RankedTensorType.get(kind.shape, kind.element_type.element_type)

    def real(a: ir.Value, b: ir.Value) -> ir.Value:
        start = fill(zero(sums.element_type), sums)
        body = lambda x, y, total: [arith.addf(total, arith.mulf(x, y))]
        return generic([a, b], maps[:2], [start], maps[2:], iterators_of(op), body)[0]

    def joined(rr: ir.Value, ii: ir.Value, ri: ir.Value, ir_: ir.Value) -> ir.Value:
        return complex.create_(kind.element_type, arith.subf(rr, ii), arith.addf(ri, ir_))

    (a_re, a_im), (b_re, b_im) = (_parts(v) for v in list(op.operands)[:2])
    products = [real(a, b) for a, b in ((a_re, b_re), (a_im, b_im), (a_re, b_im), (a_im, b_re))]
    return elementwise(products, kind, joined)


def _parts(value: ir.Value) -> list[ir.Value]:
    kind = ir.RankedTensorType.get(shape(value), element(value).element_type)
    return [elementwise([value], kind, part) for part in (complex.re, complex.im)]


# Bytes


def _read_sources(op: ir.Operation) -> None:
    """Both inputs, if both are bytes then."""
    sources = [source_of(v) for v in list(op.operands)[:2]]
    kinds = [(source.operands[0] if source else v).type.element_type for source, v in zip(sources, op.operands)]
    if not any(sources) or any(not isinstance(kind, ir.IntegerType) or kind.width != 8 for kind in kinds):
        return
    with_sources(op, sources).attributes[TILED] = ir.UnitAttr.get()


# Contractions with other inputs, on tensors or memory: the same sums from values of another type, or stored in another order


@dataclass(frozen=True)
class Input:
    """`value`, read through `map`. `widen`: makes of its element what the op had from the input before."""

    value: ir.Value
    map: ir.AffineMap
    widen: Callable[[ir.Value], ir.Value] = lambda element: element


def with_inputs(op: ir.Operation, inputs: Sequence[Input], body: Callable[..., ir.Value] | None = None) -> ir.Operation:
    """A copy of a linalg.generic with these inputs, and perhaps another body, in front of it; the op itself stays."""
    count, maps = len(inputs), maps_of(op)

    def copy(*scalars: ir.Value) -> list[ir.Value]:
        if body is not None:
            return [body(*scalars)]
        return copied(op, [*(one.widen(v) for one, v in zip(inputs, scalars)), *scalars[count:]])

    values, read = [one.value for one in inputs], [one.map for one in inputs]
    with ir.InsertionPoint(op), op.location:
        made = generic(values, read, list(op.operands)[count:], maps[count:], iterators_of(op), copy)[0].owner.operation
    for name, attribute in attributes_of(op, *OWN).items():
        made.attributes[name] = attribute
    return made


def with_sources(op: ir.Operation, sources: Sequence[Any]) -> ir.Operation:
    """The contraction, at its position, with what these ops widen instead of what they give. `sources`: by input, None to leave it."""
    maps = maps_of(op)
    made = with_inputs(op, [input_of(v, one, source) for v, one, source in zip(list(op.operands)[:2], maps, sources)])
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    return made


def source_of(value: ir.Value, kinds: Sequence[str] = WIDENINGS) -> Any:
    """The op that widens each element of a tensor, by ops of these kinds, and does nothing more."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != "linalg.generic" or len(op.operands) != 2:
        return None
    block = op.regions[0].blocks[0]
    *widenings, end = block.operations
    maps = maps_of(op)
    if not widenings or not all(one.is_permutation for one in maps):
        return None
    value = block.arguments[0]
    for one in widenings:
        if one.operation.name not in kinds or one.operands[0] != value:
            return None
        value = one.results[0]
    return op if end.operands[0] == value else None


def narrow_source(value: ir.Value) -> Any:
    """The same for floats that are widened."""
    return source_of(value, ("arith.extf",))


def input_of(value: ir.Value, index_map: ir.AffineMap, source: Any) -> Input:
    if source is None:
        return Input(value, index_map)
    return Input(
        source.operands[0], read_through(index_map, *maps_of(source)), lambda element: _widened(element, source)
    )


def _widened(element: ir.Value, source: Any) -> ir.Value:
    *widenings, _ = source.regions[0].blocks[0].operations
    for one in widenings:
        element = cloned(one.operation, {one.operands[0]: element}).results[0]
    return element
