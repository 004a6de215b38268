"""A reduction by all threads of a block: each takes every n-th element, then they combine what they have.

Types of 32 bits are combined by shuffles within warps, then once more by the first warp; others by a tree in shared memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.combiner import Combiner
from hlo.lowering.gpu.element import ACCESS_BYTES, Element, delinearized, index_constant, reduction_width, vectors_at

WARP = 32


def emit_block_reduction(element: Element, combiners: Sequence[Combiner], thread: ir.Value, threads: int) -> None:
    """Leaves the result in the outputs, at the element's place. Needs a barrier after it before it can be read."""
    parts = _own_part(element, combiners, thread, threads)
    totals = [_combined(c, part, thread, threads) for c, part in zip(combiners, parts)]
    first = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, thread, index_constant(0)))
    with ir.InsertionPoint(first.then_block):
        for number, combiner, total in zip(element.outputs, combiners, totals):
            element.store(number, combiner.apply(element.load(number), total))
        scf.YieldOp([])


def _own_part(element: Element, combiners: Sequence[Combiner], thread: ir.Value, threads: int) -> list[ir.Value]:
    """What this thread's elements combine to; neighbours of 16 bytes are loaded at once."""
    nest = element.nest
    width = reduction_width(element)
    start = [arith.ConstantOp(c.kind, c.neutral()).result for c in combiners]
    stop = nest.extent(nest.reduction) // width
    loop = scf.ForOp(thread, index_constant(stop), index_constant(threads), start)
    with ir.InsertionPoint(loop.body):
        sizes = [nest.sizes[d] for d in nest.reduction]
        sizes[-1] //= width
        for d, index in zip(nest.reduction, delinearized(loop.induction_variable, sizes)):
            element.place[d] = index
        scf.YieldOp(_several(element, width, list(loop.inner_iter_args)))
    return list(loop.results)


def _several(element: Element, width: int, carried: list[ir.Value]) -> list[ir.Value]:
    if width == 1:
        return element.body(carried)
    last = element.nest.reduction[-1]
    first = arith.muli(element.place[last], index_constant(width))
    element.place[last] = first
    lanes = vectors_at(element, width, last)
    for lane in range(width):
        element.place[last] = arith.addi(first, index_constant(lane)) if lane else first
        carried = element.body(carried, lanes(lane))
    return carried


def _combined(combiner: Combiner, part: ir.Value, thread: ir.Value, threads: int) -> ir.Value:
    """The value of thread 0 is that of all threads."""
    if _bits(combiner.kind) == 32:
        return _by_shuffles(combiner, part, thread, threads)
    return _by_tree(combiner, part, thread, threads)


def _bits(kind: ir.Type) -> int:
    return kind.width if isinstance(kind, ir.IntegerType | ir.FloatType) else 0


def _by_shuffles(combiner: Combiner, part: ir.Value, thread: ir.Value, threads: int) -> ir.Value:
    total = _in_warp(combiner, part, min(WARP, threads))
    warps = threads // WARP
    if warps <= 1:
        return total
    places = shared_array(warps, combiner.kind)
    lane, warp = arith.remui(thread, index_constant(WARP)), arith.divui(thread, index_constant(WARP))
    _if(arith.CmpIPredicate.eq, lane, 0, lambda: memref.store(total, places, [warp]))
    ir.Operation.create("gpu.barrier")
    neutral = arith.ConstantOp(combiner.kind, combiner.neutral()).result
    inside = arith.cmpi(arith.CmpIPredicate.ult, lane, index_constant(warps))
    safe = arith.select(inside, lane, index_constant(0))
    return _in_warp(combiner, arith.select(inside, memref.load(places, [safe]), neutral), WARP)


def _in_warp(combiner: Combiner, value: ir.Value, size: int) -> ir.Value:
    i32, i1 = ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(1)
    mode = {"mode": ir.Attribute.parse("#gpu<shuffle_mode xor>")}
    width = arith.constant(i32, WARP)
    distance = size // 2
    while distance:
        operands = [value, arith.constant(i32, distance), width]
        other = ir.Operation.create("gpu.shuffle", results=[value.type, i1], operands=operands, attributes=mode)
        value = combiner.apply(value, other.results[0])
        distance //= 2
    return value


def _by_tree(combiner: Combiner, part: ir.Value, thread: ir.Value, threads: int) -> ir.Value:
    """Halves: thread i takes what thread i + n has, until one is left. `threads` need not be a power of two."""
    places = shared_array(threads, combiner.kind)
    memref.store(part, places, [thread])
    ir.Operation.create("gpu.barrier")
    count = threads
    while count > 1:
        half = (count + 1) // 2
        _if(arith.CmpIPredicate.ult, thread, count - half, functools.partial(_take, combiner, places, thread, half))
        ir.Operation.create("gpu.barrier")
        count = half
    return memref.load(places, [index_constant(0)])


def _take(combiner: Combiner, places: ir.Value, thread: ir.Value, half: int) -> None:
    other = memref.load(places, [arith.addi(thread, index_constant(half))])
    memref.store(combiner.apply(memref.load(places, [thread]), other), places, [thread])


def _if(predicate: arith.CmpIPredicate, left: ir.Value, right: int, body: Callable[[], object]) -> None:
    branch = scf.IfOp(arith.cmpi(predicate, left, index_constant(right)))
    with ir.InsertionPoint(branch.then_block):
        body()
        scf.YieldOp([])


def shared_array(count: int, kind: ir.Type) -> ir.Value:
    """A new array in the shared memory of the gpu.func at the insertion point."""
    return shared_array_of([count], kind)


def shared_array_of(shape: Sequence[int], kind: ir.Type) -> ir.Value:
    """The same of any rank."""
    owner = ir.InsertionPoint.current.block.owner
    while owner.operation.name != "gpu.func":
        owner = owner.operation.parent
    space = ir.Attribute.parse("#gpu.address_space<workgroup>")
    return add_shared(owner.operation, ir.MemRefType.get(list(shape), kind, None, space))


def add_shared(function: ir.Operation, kind: ir.Type) -> ir.Value:
    """A new workgroup attribution of a gpu.func, aligned for the widest access."""
    number = ir.IntegerAttr(function.attributes["workgroup_attributions"]).value + 1
    function.attributes["workgroup_attributions"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    i64 = ir.IntegerType.get_signless(64)
    aligned = ir.DictAttr.get({"llvm.align": ir.IntegerAttr.get(i64, ACCESS_BYTES)})
    function.attributes["workgroup_attrib_attrs"] = ir.ArrayAttr.get([aligned] * number)
    return function.regions[0].blocks[0].add_argument(kind, function.location)
