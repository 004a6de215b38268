"""What a contraction is, read off a linalg.generic (on memrefs or tensors): its batch, rows, columns and k.

    linalg.generic {(b, i, k), (b, k, j) -> (b, i, j)} out + in0 * in1:  batch b, rows i, columns j, k

Parallel dimensions that only one input has are rows or columns, those of both are the batch, reduction dimensions are the
k; several dimensions count as one, row-major. So convolutions (whose maps have sums of dimensions) and transposed
operands are contractions too. Columns are those dimensions where neighbours of the result are neighbours in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS
from hlo.lowering.linalg.iteration import with_last
from hlo.lowering.linalg.loops import position_values
from hlo.lowering.linalg.structured import Nest, index_loops, multiplied_inputs, nest_of, reads_index

LEAST, MUCH = 16, 1 << 16
"""Sizes from which tiles are profitable; elements of the larger input from which they are for fewer rows or columns, too."""


@dataclass(frozen=True)
class Problem:
    """The dimensions of a contraction by their part in it, and their total sizes. `left`: the input that has the rows;
    `right`: the one that has the columns. In each part the dimension that memory is contiguous along comes last."""

    op: ir.Operation
    nest: Nest
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    k_dims: tuple[int, ...]
    left: int = 0
    right: int = 1

    @property
    def m(self) -> int:
        return self.nest.extent(self.rows)

    @property
    def n(self) -> int:
        return self.nest.extent(self.columns)

    @property
    def k(self) -> int:
        return self.nest.extent(self.k_dims)

    @property
    def batches(self) -> int:
        return self.nest.extent(self.batch)

    @property
    def is_complex(self) -> bool:
        return isinstance(self.element_type(2), ir.ComplexType)

    @property
    def is_worth_tiles(self) -> bool:
        """Those of complex numbers are of their parts (`prepare_products.py`)."""
        return self.is_large and not self.is_complex

    @property
    def is_large(self) -> bool:
        """Few rows leave most of a tile empty, but the columns' input is read once, by many threads, in the order of memory. A
        vector by a matrix that no matrix instruction takes is a reduction: no tile, no shared memory, more bytes under way."""
        small, large = sorted((self.m, self.n))
        if small == 1 and not any(self.kind(n) in ("i8", *MATRIX_FLOATS) for n in (0, 1)):
            return False
        return self.k >= LEAST and (small >= LEAST or (large * self.k >= MUCH and len(self.columns) > 0))

    def along(self, dimensions: Sequence[int], position: ir.Value) -> dict[int, ir.Value]:
        """By dimension the index of a position along some of them, which count as one."""
        return dict(zip(dimensions, position_values(position, [self.nest.sizes[d] for d in dimensions])))

    def element_type(self, number: int) -> ir.Type:
        return ir.ShapedType(self.op.operands[number].type).element_type

    def kind(self, number: int) -> str:
        """What an input's elements are to a matrix instruction: their type; that as which the body sees bytes; that to which
        f32 may be rounded."""
        stored = self.element_type(number)
        if stored == ir.F32Type.get() and ROUNDED_INPUTS in self.op.attributes:
            return ir.StringAttr(self.op.attributes[ROUNDED_INPUTS]).value
        argument = self.op.regions[0].blocks[0].arguments[number]
        seen = [use.owner.results[0].type for use in argument.uses if use.owner.name == "arith.bitcast"]
        return str(seen[0] if seen else stored)


def problem_of(op: ir.Operation) -> Problem | None:
    """None for what is no contraction of two inputs."""
    if op.name != "linalg.generic":
        return None
    nest = nest_of(op)
    if nest.inputs != 2 or len(nest.maps) != 3 or not nest.reduction or reads_index(op) or not multiplies_and_adds(op):
        return None
    left, right, result = ({loop for e in one.results for loop in index_loops(e)} for one in nest.maps)
    reduced, long = set(nest.reduction), {d for d, size in enumerate(nest.sizes) if size != 1}
    if result & reduced or not long <= left | right or not long & reduced <= left & right:
        return None
    rows = tuple(d for d in nest.parallel if d not in right)
    columns = tuple(d for d in nest.parallel if d in right - left)
    batch = tuple(d for d in nest.parallel if d in left & right)
    return _oriented(Problem(op, _without_single(op, nest), batch, rows, columns, nest.reduction))


def is_tiled(op: ir.Operation) -> bool:
    """Whether an op is a contraction that is large enough for tiles."""
    problem = problem_of(op)
    return problem is not None and problem.is_worth_tiles


def _without_single(op: ir.Operation, nest: Nest) -> Nest:
    """The nest whose maps leave dimensions of one element out of sums: a convolution by one element reads its input in place. What
    is left may be one dimension, if that is all of the array's."""
    rank = len(nest.sizes)
    kept = ir.AffineMap.get(
        rank,
        0,
        [ir.AffineExpr.get_dim(d) if n != 1 else ir.AffineExpr.get_constant(0) for d, n in enumerate(nest.sizes)],
    )

    def simple(size: int, expression: ir.AffineExpr) -> ir.AffineExpr:
        if isinstance(expression, ir.AffineDimExpr):
            return expression
        found = expression.compose(kept)
        is_part = isinstance(found, ir.AffineDimExpr) and nest.sizes[found.position] != size
        return expression if is_part else found

    maps = [
        ir.AffineMap.get(rank, 0, [simple(*one) for one in zip(value.type.shape, affine.results)])
        for value, affine in zip(op.operands, nest.maps)
    ]
    return replace(nest, maps=tuple(maps))


def _oriented(p: Problem) -> Problem:
    """With the operands swapped if neighbours of the result are along what would be the rows."""
    inner = [innermost(one) for one in p.nest.maps]
    rows, columns, left, right = p.rows, p.columns, p.left, p.right
    if inner[2] in rows:
        rows, columns, left, right = columns, rows, right, left
    inner_k = next((inner[n] for n in (left, right) if inner[n] in p.k_dims), None)
    return Problem(
        p.op,
        p.nest,
        p.batch,
        with_last(rows, inner[left]),
        with_last(columns, inner[2] if inner[2] in columns else inner[right]),
        with_last(p.k_dims, inner_k),
        left,
        right,
    )


def swapped(p: Problem, inner: int | None = None) -> Problem:
    """With the operands swapped; `inner`: the dimension of the rows that is to be the innermost of the columns."""
    return replace(p, rows=p.columns, columns=with_last(p.rows, inner), left=p.right, right=p.left)


def innermost(one: ir.AffineMap) -> int | None:
    """The dimension whose neighbours are neighbours in memory: the last result, if it is one dimension that no other result
    mentions."""
    *outer, last = list(one.results) or [None]
    if not isinstance(last, ir.AffineDimExpr) or any(last.position in index_loops(e) for e in outer):
        return None
    return int(last.position)


SMALL_FLOATS = ("f8E4M3FN", "f8E5M2")
"""Kinds that bytes are seen as."""

WIDENINGS = ("arith.extf", "arith.extsi", "arith.extui", "arith.bitcast")


def multiplies_and_adds(op: ir.Operation) -> bool:
    """The body is out + in0 * in1, both perhaps widened first: zeros may be added without changing the result."""
    return multiplied_inputs(op, WIDENINGS) is not None


@dataclass(frozen=True)
class MatrixTypes:
    """What matrix instructions multiply: elements of `size` bytes, `left` and `right` as PTX calls them, with sums in
    `sums` (f32 or i32)."""

    left: str
    right: str
    sums: str
    size: int

    @property
    def is_promoted(self) -> bool:
        """Of f8 the tensor cores of sm_90 keep about 14 bits of a sum: it must not get long."""
        return self.size == 1 and self.sums == "f32"


MATRIX_FLOATS = {
    "bf16": ("bf16", 2),
    "f16": ("f16", 2),
    "tf32": ("tf32", 4),
    "f8E4M3FN": ("e4m3", 1),
    "f8E5M2": ("e5m2", 1),
}
"""By Problem.kind: PTX's name, and the size in bytes."""

SIGNS = {"arith.extsi": "s8", "arith.extui": "u8"}
"""Bytes, by how they are widened."""


def matrix_types(p: Problem) -> MatrixTypes | None:
    """Floats of one size and format (f8: of both) with sums in f32, bytes with sums in i32; None for what no matrix instruction takes."""
    numbers, total = (p.left, p.right), str(p.element_type(2))
    kinds = [p.kind(n) for n in numbers]
    if total == "i32" and kinds == ["i8", "i8"]:
        widened = multiplied_inputs(p.op, WIDENINGS)
        assert widened is not None, "a contraction"
        return MatrixTypes(SIGNS[widened[p.left][0]], SIGNS[widened[p.right][0]], "i32", 1)
    if total != "f32" or not set(kinds) <= set(MATRIX_FLOATS):
        return None
    (left, size), (right, other) = (MATRIX_FLOATS[kind] for kind in kinds)
    return MatrixTypes(left, right, "f32", size) if left == right or size == other == 1 else None
