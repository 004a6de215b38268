"""A contraction as data: read from a linalg.generic, merged to few dimensions, roles chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.iteration import strides_along
from hlo.lowering.linalg.structured import maps_of, multiplied_inputs, plain_sizes
from hlo.lowering.vector.contraction.function_text import parts_of


@dataclass(frozen=True)
class Dim:
    """A loop: its trip count and the stride, in elements, of each operand along it (0: does not depend on it)."""

    size: int
    a: int
    b: int
    c: int

    def swapped(self) -> Dim:
        return Dim(self.size, self.b, self.a, self.c)


ONE = Dim(1, 0, 0, 0)
"""The loop of a role that a problem has none of."""


@dataclass(frozen=True)
class Problem:
    """C[batch, m, n] = sum over k of A[batch, m, k] * B[batch, k, n].

    Element types as MLIR text; `extend` is the op from the operands' to C's element type ("" when equal). Complex numbers are one element each,
    of both operands and C."""

    batch: tuple[Dim, ...]
    m: tuple[Dim, ...]
    n: tuple[Dim, ...]
    k: tuple[Dim, ...]
    a_type: str
    b_type: str
    c_type: str
    a_extend: str = ""
    b_extend: str = ""
    swapped: bool = False
    """A is the op's second input."""

    @property
    def parts(self) -> int:
        """The numbers that an element is made of; each of A's is multiplied by all of B's."""
        return parts_of(self.c_type)

    def swap(self) -> Problem:
        """The same with B as A, whose walk contracted loops are in the order of: rows of A are read element by element."""
        swapped = lambda dims: tuple(d.swapped() for d in dims)
        return replace(
            self,
            batch=swapped(self.batch),
            m=swapped(self.n),
            n=swapped(self.m),
            k=tuple(sorted(swapped(self.k), key=_stride_order)),
            a_type=self.b_type,
            b_type=self.a_type,
            a_extend=self.b_extend,
            b_extend=self.a_extend,
            swapped=not self.swapped,
        )


ELEMENT_TYPES = {"f32", "f64", "bf16", "f16", "i8", "i16", "i32", "i64", "complex<f32>", "complex<f64>"}
EXTENSIONS = ("arith.extf", "arith.extsi", "arith.extui")


@dataclass(frozen=True)
class Loops:
    """The loops of a linalg.generic `C += A * B`: sizes, and strides (elements) of A, B and C along each."""

    sizes: list[int]
    strides: list[list[int]]
    maps: list[ir.AffineMap]
    types: list[str]
    extensions: tuple[str, str]
    offsets: list[int]
    """Where A, B and C are read first, in elements."""

    def dims(self) -> list[Dim]:
        return [Dim(n, *(s[i] for s in self.strides)) for i, n in enumerate(self.sizes)]


def match_contraction(op: ir.Operation) -> Problem | None:
    """The problem of a linalg.generic `C += A * B` (static shapes, maps that are linear); None for anything else: its body must be a multiplication of both inputs, possibly extended, and an addition to the output."""
    body = match_body(op)
    if body is None:
        return None
    key = (str(op.attributes["indexing_maps"]), *(str(v.type) for v in op.operands), *body)
    if key not in _known:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = _problem(contraction_loops(op))
    return _known[key]


MOST_KNOWN = 1 << 8
_known: dict[tuple[str, ...], Problem | None] = {}
"""By maps, types and extensions: layers repeat, and passes ask again. Attributes would keep their context; text does not."""


def _problem(loops: Loops | None) -> Problem | None:
    if loops is None or any(_role(d) is None for d in loops.dims() if d.size != 1):
        return None
    return problem_of(loops.dims(), loops.types, loops.extensions)


def contraction_loops(op: ir.Operation) -> Loops | None:
    body = match_body(op)
    if body is None:
        return None
    shapes = [ir.RankedTensorType(v.type) for v in op.operands]
    if not all(s.has_static_shape for s in shapes):
        return None
    maps = maps_of(op)
    found = [one for m, s in zip(maps, shapes) if (one := strides_along(m, s.shape)) is not None]
    sizes = [size for size in plain_sizes(op) if size]
    types = [str(s.element_type) for s in shapes]
    if len(sizes) != maps[0].n_dims or not set(types) <= ELEMENT_TYPES:
        return None
    if len({parts_of(kind) for kind in types}) > 1:
        return None
    if len(found) < len(maps) or found[2][1]:
        return None
    strides, offsets = [one for one, _ in found], [first for _, first in found]
    if min(offsets) < 0 or any(min(along) < 0 for along in zip(*strides) if along[2]):
        return None
    return Loops(sizes, strides, maps, types, body, offsets)


def count(dims: Sequence[Dim]) -> int:
    """Iterations of all loops together."""
    return math.prod(d.size for d in dims)


def multiplications(p: Problem) -> int:
    """Of elements of C's size: one of complex numbers is four of their parts."""
    return count(p.batch) * count(p.m) * count(p.n) * count(p.k) * p.parts


def ceildiv(x: int, y: int) -> int:
    return -(-x // y)


def whole(size: int, unit: int) -> int:
    """The size, or what it takes in whole units."""
    return ceildiv(size, unit) * unit


def problem_of(dims: Sequence[Dim], types: Sequence[str], extensions: Sequence[str]) -> Problem:
    """Sorts dimensions by kind, outermost (largest stride) first, and merges those that are one walk through memory. Strides along contracted
    dimensions may be negative: reversed windows."""
    groups: dict[str, list[Dim]] = {role: [] for role in ROLES.values()}
    for dim in sorted(dims, key=_stride_order):
        if dim.size != 1:
            groups[_role(dim) or ""].append(dim)
    (a_type, b_type, c_type), (a_extend, b_extend) = types, extensions
    batch, m, n, k = (tuple(merge(group)) for group in groups.values())
    return Problem(batch, m, n, k, a_type, b_type, c_type, a_extend, b_extend)


def _stride_order(dim: Dim) -> tuple[int, int, int]:
    """Of loops, outermost first."""
    return -dim.c, -abs(dim.a), -abs(dim.b)


ROLES = {
    (True, True, True): "batch",
    (True, False, True): "m",
    (False, True, True): "n",
    (True, True, False): "k",
}
"""By whether A, B and C depend on a loop; in the order of Problem's fields."""


def _role(dim: Dim) -> str | None:
    return ROLES.get((dim.a != 0, dim.b != 0, dim.c != 0))


def merge(dims: Sequence[Dim], operands: str = "abc") -> list[Dim]:
    """Joins neighbours (outer, inner) where outer's strides are inner's times its size in these operands; the others have the inner one's."""
    out: list[Dim] = []
    for dim in dims:
        if out and all(getattr(out[-1], x) == getattr(dim, x) * dim.size for x in operands):
            out[-1] = replace(dim, size=out[-1].size * dim.size)
        else:
            out.append(dim)
    return out


def match_body(op: ir.Operation) -> tuple[str, str] | None:
    """The extensions of both inputs of a linalg.generic whose body is `out + ext(a) * ext(b)`."""
    if op.name != "linalg.generic" or len(op.operands) != 3 or len(op.results) != 1:
        return None
    found = multiplied_inputs(op, EXTENSIONS)
    if found is None or max(map(len, found.values())) > 1:
        return None
    a, b = ("".join(found[n]) for n in (0, 1))
    return (a, b) if len(op.regions[0].blocks[0].operations) == 3 + bool(a) + bool(b) else None
