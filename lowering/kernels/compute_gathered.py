"""The pass `compute-gathered`: a gather from a tensor that is computed, element by element, computes the elements that it reads.

Before:  %e = linalg.generic {exp} ins(%x : tensor<5000x512xf32>)      %g = linalg.generic {tensor.extract %e[%row, %d1]} -> tensor<16x512xf32>
After:   %g = linalg.generic {%v = tensor.extract %x[%row, %d1]; exp %v} -> tensor<16x512xf32>

So for maps, transposes, broadcasts, reversals, slices, pads and concatenations, one in front of the other: an embedding
that is converted or scaled is converted where it is looked up. The bits stay the same: each element is computed by the
same ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, complex, tensor

from hlo.lowering.copying import cloned
from hlo.lowering.finding import block_of, is_used, made_by, ops_named, ops_within
from hlo.lowering.kernel_calls import erase_with_makers, functions_by_name, hosts
from hlo.lowering.kernels.fusable import body_cost, is_clonable, is_simple_reshape
from hlo.lowering.kernels.roots import CHEAP
from hlo.lowering.linalg.iteration import Affine, Dim, apply_map
from hlo.lowering.linalg.loops import Index, add, all_of, clamp, index, mul, sub, within
from hlo.lowering.linalg.structured import linear_form, loop_sizes, maps_of, reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.region.graph import VIEWS, inputs_of, source_index

FEW = 4
"""Times fewer elements than the tensor has are read where it is computed for others too, or from other dimensions'
rows: strided reads of all of them take longer than a copy that is in order."""
MOST_READS = 6
"""Elements that are read for one of the gather's: more are combined in memory."""


@register_pass
class ComputeGathered(Pass):
    """Lets gathers compute what they read."""

    def run(self, module: ir.Module) -> None:
        for host in hosts(functions_by_name(module)):
            for gather in ops_named(host, ("linalg.generic",)):
                while any(_compute(gather, read) for read in _reads(gather)):
                    pass


def _reads(gather: ir.Operation) -> list[ir.Operation]:
    return ops_within(gather, lambda op: op.name == "tensor.extract")


def _compute(gather: ir.Operation, read: ir.Operation) -> bool:
    """Replaces the read of a computed element by its computation; False where it is read from memory."""
    source = read.operands[0]
    made = None if isinstance(source.owner, ir.Block) else source.owner
    if made is None or block_of(source) != block_of(gather.results[0]) or not _is_profitable(made, gather):
        return False
    compute_element(read, made)
    return True


def compute_element(read: ir.Operation, made: ir.Operation) -> None:
    """Replaces the read of an element of what a computable op makes by its computation."""
    with ir.InsertionPoint(read), made.location:
        element = _ELEMENTS[made.name](made, list(read.operands)[1:])
    read.results[0].replace_all_uses_with(element)
    read.erase()
    erase_with_makers(made, lambda op: op.name in _ELEMENTS or is_clonable(op.results[0]))


def _is_profitable(made: ir.Operation, gather: ir.Operation) -> bool:
    """Whether gathers compute fewer elements than there are, or such as cost nothing."""
    if not is_computable(made):
        return False
    if len(_reads(gather)) + _reads_of(made) - 1 > MOST_READS:
        return False
    if made.name in VIEWS:  # elements are read where they are
        return True
    gathers = {_gather_of(use.owner.operation) for use in made.results[0].uses}
    cost, keeps_rows = body_cost(made), _keeps_rows(made)
    computed = prod(made.results[0].type.shape) // (1 if keeps_rows else FEW)
    if None in gathers:
        return cost <= CHEAP and FEW * prod(loop_sizes(gather)) <= computed
    return sum(prod(loop_sizes(one)) for one in gathers) <= computed or (cost <= CHEAP and keeps_rows)


def _gather_of(use: ir.Operation) -> ir.Operation | None:
    """The linalg.generic in whose body a value is read at computed indices; None for other uses of it."""
    if use.name != "tensor.extract":
        return None
    around = use.parent
    while around is not None and around.operation.name != "linalg.generic":
        around = around.operation.parent
    return None if around is None else around.operation


def _reads_of(made: ir.Operation) -> int:
    if made.name == "linalg.generic":
        return sum(not is_clonable(value) for value in _tensors(inputs_of(made)))
    return sum(not is_clonable(value) for value in _tensors(made.operands))


def _tensors(values: Iterable[ir.Value]) -> list[ir.Value]:
    return [value for value in values if isinstance(value.type, ir.RankedTensorType)]


def is_computable(made: ir.Operation) -> bool:
    """Whether elements of what an op makes can be computed one by one."""
    if made.name not in _ELEMENTS:
        return False
    if made.name == "linalg.generic":
        return _is_map(made)
    if made.name == "tensor.collapse_shape":
        return is_simple_reshape(made)
    if made.name == "tensor.insert_slice":
        return (
            _is_static(made) and len(made.operands) == 2 and _has_elements_of_rank(made.operands[0], made.operands[1])
        )
    return made.name != "tensor.extract_slice" or _is_static(made)


def _has_elements_of_rank(part: ir.Value, whole: ir.Value) -> bool:
    """Whether a part that is inserted has the rank of the whole, and an element that may be read in place of those outside of it."""
    return part.type.rank == whole.type.rank and 0 not in part.type.shape


def _is_map(made: ir.Operation) -> bool:
    """Whether a linalg.generic computes each element of one result from elements at indices that are linear in its loops."""
    *read, written = maps_of(made)
    loops = [e.position for e in written.results if isinstance(e, ir.AffineDimExpr)]
    if len(made.results) != 1 or reduces(made) or sorted(loops) != list(range(written.n_dims)):
        return False
    block = made.regions[0].blocks[0]
    is_plain = not is_used(block.arguments[len(read)]) and all(not len(op.operation.regions) for op in block.operations)
    return is_plain and all(linear_form(e, m.n_dims) is not None for m in read for e in m.results)


def _is_static(made: ir.Operation) -> bool:
    """Whether a slice is at a known index and of adjacent elements, or of every n-th that is read."""
    offsets, strides = _numbers(made, "static_offsets"), _numbers(made, "static_strides")
    is_known = ir.ShapedType.get_dynamic_stride_or_offset() not in offsets
    return is_known and (made.name == "tensor.extract_slice" or set(strides) <= {1})


def _keeps_rows(made: ir.Operation) -> bool:
    """Whether elements of a row are computed from elements of rows: no operand of the result's rank that is in memory is transposed."""
    if made.name != "linalg.generic":
        return True
    *read, written = maps_of(made)
    rank, last = len(written.results), written.results[-1:]
    keeps = lambda m: len(m.results) < rank or m.results[-1:] == last
    return rank > 0 and all(keeps(m) or not _reads_memory(value) for m, value in zip(read, inputs_of(made)))


def _reads_memory(value: ir.Value) -> bool:
    """Whether elements are not computed from their indices and constants alone."""
    waiting, seen = [value], set()
    while waiting:
        made = waiting.pop().owner
        if made in seen:
            continue
        seen.add(made)
        if isinstance(made, ir.Block) or made.name != "linalg.generic" or not _is_map(made):
            return True
        waiting += [one for one in inputs_of(made) if not is_clonable(one)]
    return False


def _numbers(made: ir.Operation, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(made.attributes[name]))


# ---- elements: of each op, the code that computes the one at an index


def _of_generic(made: ir.Operation, indices: Sequence[Index]) -> ir.Value:
    block, *maps = made.regions[0].blocks[0], *maps_of(made)
    loops = [Dim(0) for _ in range(maps[-1].n_dims)]
    known = {loops[ir.AffineDimExpr(e).position]: one for e, one in zip(maps[-1].results, indices, strict=True)}
    values: dict[ir.Value, ir.Value] = {}
    for argument, value, access in zip(block.arguments, inputs_of(made), maps):
        values[argument] = _element(value, [_at(one, known) for one in apply_map(access, list(map(Affine.of, loops)))])
    *ops, end = block.operations
    for op in ops:
        if op.operation.name == "linalg.index":
            values[op.operation.results[0]] = index(known[loops[ir.IntegerAttr(op.operation.attributes["dim"]).value]])
        else:
            cloned(op.operation, values)
    (result,) = end.operation.operands
    return values.get(result, result)


def _at(position: Affine, known: Mapping[Dim, Index]) -> Index:
    """A position where loops have these values."""
    total: Index = position.const
    for loop, factor in position.terms:
        total = add(total, mul(known[loop], factor))
    return total


def _element(value: ir.Value, indices: Sequence[Index]) -> ir.Value:
    """Of an operand: the scalar that it is or that all its elements are, or a read."""
    if not isinstance(value.type, ir.RankedTensorType):
        return value
    made, kind = value.owner, value.type.element_type
    if made_by(value, "linalg.fill") and (filled := made_by(made.operands[0], "tensor.extract")):
        source, *at = filled.operands
        return _read(source, at)
    if not is_clonable(value):
        return _read(value, [index(one) for one in indices])
    if made.name == "arith.constant":
        create = complex.constant if isinstance(kind, ir.ComplexType) else arith.constant
        return create(kind, ir.DenseElementsAttr(made.attributes["value"]).get_splat_value())
    return made.operands[0]


def _read(value: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
    """At the insertion point. An element that is read there or behind it already is read once."""
    at = ir.InsertionPoint.current
    before = True
    for op in at.block.operations:
        before = before and op.operation != at.ref_operation.operation
        if op.operation.name == "tensor.extract" and list(op.operation.operands) == [value, *indices]:
            if not before:
                op.operation.move_before(at.ref_operation.operation)
            return op.operation.results[0]
    return tensor.extract(value, indices)


def _of_view(made: ir.Operation, indices: Sequence[Index]) -> ir.Value:
    """Of a slice, or a reshape: that of its source."""
    source, loops = made.operands[0], [Dim(size) for size in made.results[0].type.shape]
    index, known = tuple(map(Affine.of, loops)), dict(zip(loops, indices, strict=True))
    return _element(source, [_at(one, known) for one in source_index(made, index)])


def _of_joined(made: ir.Operation, indices: Sequence[Index]) -> ir.Value:
    """Both are read, at an index that is inside, and one is taken."""
    part, whole = made.operands
    moved = [sub(one, offset) for one, offset in zip(indices, _numbers(made, "static_offsets"), strict=True)]
    partial = [d for d, (size, full) in enumerate(zip(part.type.shape, whole.type.shape, strict=True)) if size != full]
    at = [clamp(one, 0, part.type.shape[d] - 1) if d in partial else one for d, one in enumerate(moved)]
    if made_by(whole, "tensor.empty") is not None:  # all others are joined to it as well
        return _element(part, at)
    inside = all_of([within(moved[d], part.type.shape[d]) for d in partial])
    return arith.select(inside, _element(part, at), _element(whole, indices))


_ELEMENTS: dict[str, Callable[[ir.Operation, Sequence[Index]], ir.Value]] = {
    "linalg.generic": _of_generic,
    **dict.fromkeys(VIEWS, _of_view),
    "tensor.insert_slice": _of_joined,
}
