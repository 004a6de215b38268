"""Reductions of much into little, in two stages, so that more than a few threads have work.

Before:  linalg.generic sum ins(%x : memref<4096x1024xf32>) outs(%r : memref<f32>)
After:   %parts = memref.alloc() : memref<2048xf32>, filled with the sum's neutral value
         linalg.generic sum ins(%x as memref<2048x2x1024xf32>) outs(%parts)      many rows
         linalg.generic sum ins(%parts) outs(%r)                                 one row"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.combiner import Combiner, combiners_of
from hlo.lowering.gpu.contraction.launch import contraction
from hlo.lowering.gpu.element import has_identity_layout
from hlo.lowering.gpu.nest import Nest, mentions, nest_of, uses_index

LEAST_REDUCED = 4096
"""Elements for each result from which two stages are worth it."""

FEW_RESULTS = 16384
"""With as many results or more there is a thread for each of them."""

PART = 2048
"""About how many elements a block reduces, where there are few results."""

THREADS = 65536
"""About how many threads are to have work, where there are many results."""


def split_reductions(entry: ir.Block) -> None:
    """Replaces the linalg.generics of a block for which it pays."""
    for op in [op.operation for op in entry.operations if op.operation.name == "linalg.generic"]:
        nest = nest_of(op)
        parts = _parts(nest)
        combiners = combiners_of(op, nest.inputs) if parts > 1 and not contraction(op) else None
        if combiners and not uses_index(op) and _is_splittable(op, nest):
            with op.location, ir.InsertionPoint(op):
                _split(op, nest, parts, combiners)
            op.erase()


def _parts(nest: Nest) -> int:
    """Into how many parts the outermost reduction dimension is cut: a divisor of its size; 1 to leave it."""
    results, reduced = nest.extent(nest.parallel), nest.extent(nest.reduction)
    if not nest.reduction or not 0 < results < FEW_RESULTS or reduced < LEAST_REDUCED:
        return 1
    if nest.parallel and nest.parallel[0] == 0 and results >= 64:
        return 1  # rows: a block for each
    wanted = reduced // PART if results < 32 else min(THREADS // results, reduced // 16)
    size = nest.sizes[nest.reduction[0]]
    return next(d for d in range(max(1, min(wanted, size)), 0, -1) if size % d == 0)


def _is_splittable(op: ir.Operation, nest: Nest) -> bool:
    """The dimension is the first of each input that has it, and outputs are identities of the parallel dimensions."""
    cut = nest.reduction[0]
    for number, (value, one) in enumerate(zip(op.operands, nest.maps)):
        results = list(one.results)
        if number >= nest.inputs:
            if [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in results] != list(nest.parallel):
                return False
        elif any(mentions(e, cut) for e in results):
            first = isinstance(results[0], ir.AffineDimExpr) and results[0].position == cut
            if not first or any(mentions(e, cut) for e in results[1:]) or not has_identity_layout(value.type):
                return False
    return True


def _split(op: ir.Operation, nest: Nest, parts: int, combiners: Sequence[Combiner]) -> None:
    operands = list(op.operands)
    outputs = operands[nest.inputs :]
    temporaries = [_neutral_parts(v, parts, c) for v, c in zip(outputs, combiners)]
    _first_stage(op, nest, parts, temporaries)
    for output, temporary, combiner in zip(outputs, temporaries, combiners):
        _second_stage(output, temporary, combiner)


def _neutral_parts(output: ir.Value, parts: int, combiner: Combiner) -> ir.Value:
    kind = ir.MemRefType(output.type)
    made = memref.alloc(ir.MemRefType.get([parts, *kind.shape], kind.element_type), [], [])
    neutral = arith.ConstantOp(combiner.kind, combiner.neutral()).result
    identity = ir.AffineMap.get_identity(len(kind.shape) + 1)
    fill = generic([], made, [identity], ["parallel"] * (len(kind.shape) + 1))
    block = fill.regions[0].blocks.append(combiner.kind)
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=[neutral])
    return made


def _first_stage(op: ir.Operation, nest: Nest, parts: int, temporaries: Sequence[ir.Value]) -> None:
    """The op with a new outermost parallel dimension; d0, d1, ... become d1, d2, ..."""
    cut = nest.reduction[0]
    rank = len(nest.sizes) + 1
    shifted = [ir.AffineDimExpr.get(d + 1) for d in range(rank - 1)]
    part = ir.AffineDimExpr.get(0)
    operands, maps = [], []
    for number, (value, one) in enumerate(zip(op.operands, nest.maps)):
        results = [e.compose(ir.AffineMap.get(rank, 0, shifted)) for e in one.results]
        if number >= nest.inputs:
            operands.append(temporaries[number - nest.inputs])
            maps.append(ir.AffineMap.get(rank, 0, [part, *results]))
        elif any(mentions(e, cut) for e in one.results):
            operands.append(_cut(value, parts))
            maps.append(ir.AffineMap.get(rank, 0, [part, *results]))
        else:
            operands.append(value)
            maps.append(ir.AffineMap.get(rank, 0, results))
    copy = op.clone()
    copy.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in maps])
    kinds = ["parallel", *("parallel" if d in nest.parallel else "reduction" for d in range(rank - 1))]
    copy.attributes["iterator_types"] = _iterators(kinds)
    for number, value in enumerate(operands):
        copy.operands[number] = value


def _cut(value: ir.Value, parts: int) -> ir.Value:
    """memref<NxMxT> as memref<PARTSx(N/PARTS)xMxT>."""
    kind = ir.MemRefType(value.type)
    first, *rest = kind.shape
    shape = [parts, first // parts, *rest]
    wanted = ir.MemRefType.get(shape, kind.element_type)
    groups = [[0, 1], *([n + 2] for n in range(len(rest)))]
    return memref.expand_shape(wanted, value, groups, [], shape)


def _second_stage(output: ir.Value, temporary: ir.Value, combiner: Combiner) -> None:
    rank = len(ir.MemRefType(temporary.type).shape)
    identity = ir.AffineMap.get_identity(rank)
    inner = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(d) for d in range(1, rank)])
    made = generic([temporary], output, [identity, inner], ["reduction", *["parallel"] * (rank - 1)])
    block = made.regions[0].blocks.append(combiner.kind, combiner.kind)
    with ir.InsertionPoint(block):
        found = combiner.apply(block.arguments[1], block.arguments[0])
        ir.Operation.create("linalg.yield", operands=[found])


def _iterators(kinds: Sequence[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds])


def generic(
    inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap], kinds: Sequence[str]
) -> ir.Operation:
    """A linalg.generic on memory without a body yet. `kinds`: "parallel" or "reduction", by dimension."""
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in maps]),
        "iterator_types": _iterators(kinds),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
    }
    return ir.Operation.create("linalg.generic", operands=[*inputs, output], attributes=attributes, regions=1)
