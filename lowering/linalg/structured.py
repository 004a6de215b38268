"""linalg.generic and linalg.fill: builders, which the rules of this folder use most, and what others read of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod

from mlir import ir
from mlir.dialects import tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by, ops_within

Body = Callable[..., Sequence[ir.Value]]
FLOAT_SUMS = ("arith.addf", "complex.add")
"""Ops of a combining body that round their sums."""


def generic(
    inputs: Sequence[ir.Value],
    input_maps: Sequence[ir.AffineMap],
    outputs: Sequence[ir.Value],
    output_maps: Sequence[ir.AffineMap],
    iterators: Sequence[str],
    body: Body,
) -> list[ir.Value]:
    """A linalg.generic; `body(*scalars)` is given one scalar of each input, then of each output, and returns what
    is yielded. Outputs are the start values (tensor.empty where the body does not read them), or memory: then there are no results."""
    operands = [*inputs, *outputs]
    op = ir.Operation.create(
        "linalg.generic",
        results=[v.type for v in outputs if isinstance(v.type, ir.RankedTensorType)],
        operands=operands,
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in (*input_maps, *output_maps)]),
            "iterator_types": iterator_types(iterators),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(outputs)]),
        },
        regions=1,
    )
    location = op.location
    types = [v.type.element_type for v in operands]
    block = op.regions[0].blocks.append(*types, arg_locs=[location] * len(types))
    with ir.InsertionPoint(block):
        yielded = list(body(*block.arguments))
        ir.Operation.create("linalg.yield", operands=yielded)
    return list(op.results)


def loop_index(loop: int) -> ir.Value:
    """Inside the body of a linalg.generic: the index of its loop number `loop`."""
    dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loop)
    return ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={"dim": dimension}).result


def iterator_types(iterators: Sequence[str]) -> ir.Attribute:
    """As a linalg.generic has them. `iterators`: "parallel" or "reduction"."""
    return ir.Attribute.parse(f"[{', '.join(f'#linalg.iterator_type<{i}>' for i in iterators)}]")


def maps_of(op: ir.Operation | ir.OpView) -> list[ir.AffineMap]:
    """Of a linalg.generic, one an operand."""
    return [ir.AffineMapAttr(one).value for one in ir.ArrayAttr(op.attributes["indexing_maps"])]


def reduces(op: ir.Operation | ir.Block) -> bool:
    """Whether an op is a linalg.generic with a reduction dimension."""
    if isinstance(op, ir.Block) or op.name != "linalg.generic":
        return False
    return "reduction" in str(op.attributes["iterator_types"])  # one text: asking each element takes ten times as long


def reduced_loops(op: ir.Operation | ir.OpView) -> list[bool]:
    """Which loops of a linalg.generic are reduced."""
    kinds = op.attributes["iterator_types"]
    return ["reduction" in kind for kind in str(kinds).split(",")[: len(kinds)]]


def iterators_of(op: ir.Operation) -> list[str]:
    """The kinds of its loops, as `generic` takes them."""
    return ["reduction" if is_reduced else "parallel" for is_reduced in reduced_loops(op)]


def reads_index(op: ir.Operation) -> bool:
    """Whether the body of a linalg.generic asks for the index of a loop."""
    return bool(ops_within(op, lambda inner: inner.name == "linalg.index"))


def plain_sizes(op: ir.Operation | ir.OpView) -> list[int | None]:
    """How often each loop of a linalg.generic, on tensors or memory, runs: the size of a dimension that is indexed by
    it alone; None if there is no such dimension."""
    maps, sizes = maps_of(op), dict[int, int]()
    for operand, one in zip(op.operands, maps):
        if len(sizes) == one.n_dims:
            break
        if isinstance(operand.type, ir.RankedTensorType | ir.MemRefType):
            for expression, size in zip(one.results, operand.type.shape):
                if isinstance(expression, ir.AffineDimExpr):
                    sizes.setdefault(expression.position, size)
    return [sizes.get(loop) for loop in range(maps[0].n_dims)]


def loop_sizes(op: ir.Operation | ir.OpView) -> list[int]:
    """The same of all loops, each of which indexes a dimension alone."""
    found = plain_sizes(op)
    assert None not in found, op
    return found  # type: ignore[return-value]


@dataclass(frozen=True)
class Nest:
    """Sizes of the dimensions, which of them are parallel, a map for each operand; `inputs`: how many are read only."""

    sizes: tuple[int, ...]
    parallel: tuple[int, ...]
    maps: tuple[ir.AffineMap, ...]
    inputs: int

    @cached_property
    def reduction(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.sizes)) if d not in self.parallel)

    def extent(self, dimensions: Sequence[int]) -> int:
        return prod(self.sizes[d] for d in dimensions)


def nest_of(op: ir.Operation) -> Nest:
    maps = tuple(maps_of(op))
    parallel = tuple(d for d, is_reduced in enumerate(reduced_loops(op)) if not is_reduced)
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return Nest(tuple(loop_sizes(op)), parallel, maps, inputs)


def is_plain(one: ir.AffineMap) -> bool:
    """Whether a map's results are dimensions."""
    return all(isinstance(e, ir.AffineDimExpr) for e in one.results)


def dimensions_of(one: ir.AffineMap) -> tuple[int, ...]:
    """Of a plain map."""
    return tuple(e.position for e in one.results)


def is_elementwise(op: ir.Operation) -> bool:
    """Whether an op computes one array from elements of others at the same index."""
    return op.name == "linalg.generic" and len(op.results) == 1 and not reduces(op)


def index_loops(expression: ir.AffineExpr) -> set[int]:
    """The loops that an index depends on."""
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position}
    if isinstance(expression, ir.AffineBinaryExpr):
        return index_loops(expression.lhs) | index_loops(expression.rhs)
    return set()


def linear_form(expression: ir.AffineExpr, count: int) -> list[int] | None:
    """Coefficients of d0, d1, ... and the constant term; None when the expression is not linear."""
    if isinstance(expression, ir.AffineDimExpr):
        return [int(i == expression.position) for i in range(count)] + [0]
    if isinstance(expression, ir.AffineConstantExpr):
        return [0] * count + [expression.value]
    if not isinstance(expression, (ir.AffineAddExpr, ir.AffineMulExpr)):
        return None
    left, right = linear_form(expression.lhs, count), linear_form(expression.rhs, count)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return [x + y for x, y in zip(left, right)]
    if any(left[:-1]) and any(right[:-1]):
        return None
    factor, form = (right[-1], left) if any(left[:-1]) else (left[-1], right)
    return [factor * x for x in form]


def adds(op: ir.Operation) -> bool:
    """Whether the body of a linalg.generic yields a sum."""
    *_, end = op.regions[0].blocks[0].operations
    return any(not isinstance(v.owner, ir.Block) and v.owner.name in SUMS for v in end.operands)


SUMS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli", "complex.add": "complex.mul"}


def multiplied_inputs(op: ir.Operation, widenings: Sequence[str]) -> dict[int, list[str]] | None:
    """What the body of a linalg.generic that is C += A * B makes of its inputs before it multiplies them: by input the
    names of ops, which are among `widenings`, the last op first. None for other bodies."""
    block = op.regions[0].blocks[0]
    inputs = list(block.arguments)[:2]
    end = block.operations[len(block.operations) - 1]
    (total,) = end.operands
    if isinstance(total.owner, ir.Block) or total.owner.name not in SUMS:
        return None
    products = [v for v in total.owner.operands if v != block.arguments[2]]
    if len(products) != 1 or isinstance(products[0].owner, ir.Block):
        return None
    product, found = products[0].owner, dict[int, list[str]]()
    for value in product.operands if product.name == SUMS[total.owner.name] else ():
        names = []
        while (made := made_by(value, *widenings)) is not None:
            names.append(made.name)
            value = made.operands[0]
        if value in inputs:
            found[inputs.index(value)] = names
    return found if len(found) == 2 else None


def elementwise(inputs: Sequence[ir.Value], result_type: ir.Type, body: Body) -> ir.Value:
    """A generic over tensors of one shape (inputs of rank 0 are read at every point); `body(*inputs)` returns the one
    value of a point."""
    result_type = ir.RankedTensorType(result_type)
    rank = result_type.rank
    if 0 in result_type.shape:
        return empty(result_type)
    identity = ir.AffineMap.get_identity(rank)
    scalar = ir.AffineMap.get(rank, 0, [])
    maps = [identity if v.type.rank else scalar for v in inputs]
    start = [empty(result_type)]
    return generic(inputs, maps, start, [identity], ["parallel"] * rank, lambda *s: [body(*s[:-1])])[0]


def reduced(value: ir.Value, start: ir.Value, loops: Sequence[int], combine: Body) -> ir.Value:
    """A generic that reduces a tensor along some of its dimensions: `combine(total, element)`, beginning with `start`."""
    rank = value.type.rank
    kept = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(d) for d in range(rank) if d not in loops])
    iterators = ["reduction" if d in loops else "parallel" for d in range(rank)]
    body = lambda element, total: [combine(total, element)]
    return generic([value], [ir.AffineMap.get_identity(rank)], [start], [kept], iterators, body)[0]


def read(operand: ir.Value, source_map: ir.AffineMap, result_type: ir.Type) -> ir.Value:
    """The tensor whose element at d is the operand's at source_map(d)."""
    result_type = ir.RankedTensorType(result_type)
    rank = result_type.rank
    if 0 in result_type.shape:
        return empty(result_type)
    identity = ir.AffineMap.get_identity(rank)
    copy = ["parallel"] * rank
    return generic([operand], [source_map], [empty(result_type)], [identity], copy, lambda value, _: [value])[0]


def in_parts(value: ir.Value, dimension: int, parts: int) -> ir.Value:
    """tensor<MxKxT> as tensor<MxPARTSx(K/PARTS)xT>."""
    kind = ir.RankedTensorType(value.type)
    sizes = list(kind.shape)
    shape = [*sizes[:dimension], parts, sizes[dimension] // parts, *sizes[dimension + 1 :]]
    groups = [[d + (d > dimension)] if d != dimension else [d, d + 1] for d in range(len(sizes))]
    return tensor.expand_shape(ir.RankedTensorType.get(shape, kind.element_type), value, groups, [], shape)


def empty(result_type: ir.Type) -> ir.Value:
    """A tensor without a value yet."""
    return ir.Operation.create("tensor.empty", results=[result_type]).result


def known_parts(value: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    """The arrays of real and of imaginary parts that a complex array is made of element by element, where it is made so."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != "linalg.generic" or len(op.operands) != 3:
        return None
    first, *others = op.regions[0].blocks[0].operations
    arguments = op.regions[0].blocks[0].arguments
    is_made = (
        first.operation.name == "complex.create" and len(others) == 1 and list(first.operands) == list(arguments)[:2]
    )
    maps = [m.value for m in op.attributes["indexing_maps"]]
    is_made = is_made and all(m == ir.AffineMap.get_identity(m.n_dims) for m in maps)
    return (op.operands[0], op.operands[1]) if is_made else None


def fill(scalar: ir.Value, result_type: ir.Type) -> ir.Value:
    """The tensor whose elements are all `scalar`."""
    op = ir.Operation.create(
        "linalg.fill",
        results=[result_type],
        operands=[scalar, empty(result_type)],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])},
        regions=1,
    )
    element = scalar.type
    block = op.regions[0].blocks.append(element, element, arg_locs=[op.location] * 2)
    ir.Operation.create("linalg.yield", operands=[block.arguments[0]], ip=ir.InsertionPoint(block))
    return op.result
