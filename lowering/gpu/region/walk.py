"""How a loop nest goes through memory: along which loop an array's elements are adjacent, and how many of them one access has."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.wide_access import ACCESS_BYTES, common_width
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.memory.storage import element_bytes, stored_element
from hlo.lowering.vector.region.nest import Nest


@dataclass(frozen=True)
class Walk:
    """One array's accesses. `value`: the tensor that is read; None for a result. `position`: over the loops that are left of those that were
    joined; `whole`: over all, as the evaluator sees it. `size`: elements of the array. `inner`: the loop whose iterations are adjacent."""

    value: ir.Value | None
    position: Affine
    whole: Affine
    kind: ir.Type
    size: int
    inner: Dim | None

    @property
    def is_complex(self) -> bool:
        """Vectors have no such elements."""
        return isinstance(self.kind, ir.ComplexType)

    @property
    def bytes(self) -> int:
        return self.size * element_bytes(self.kind)


@dataclass(frozen=True)
class Walks:
    """Those of a nest. `single`: the loops along which elements are computed one by one."""

    reads: Sequence[Walk]
    stores: Sequence[Walk]
    single: frozenset[Dim]

    def width(self, inner: Dim | None, *more: Walk, most: int = ACCESS_BYTES, sizes: Sequence[int] = ()) -> int:
        """How many adjacent iterations of a loop one access of at most `most` bytes has in what is read along it, and in `more`."""
        used = [*(one for one in self.reads if one.inner is inner and not one.is_complex), *more]
        if inner is None or inner in self.single or any(one.inner is not inner or one.is_complex for one in more):
            return 1
        rows = [one.position.multiple(inner) for one in used]
        return common_width([one.kind for one in used], [inner.size, *sizes, *rows], most)


def walks_of(nest: Nest) -> Walks:
    """Those of a nest whose loops are joined."""
    accesses = nest.accesses
    walks = [_walk(one, nest.stage.dims) for one in accesses.accesses]
    bounded = {d for bound in accesses.bounds for d, _ in bound.position.terms}
    loops = nest.stage.dims if accesses.scalar_only and _has_regions(nest) else ()
    return Walks(
        [walk for walk in walks if walk.value is not None],
        [walk for walk in walks if walk.value is None],
        frozenset([*bounded, *loops]),
    )


def _walk(access: object, dims: Sequence[Dim]) -> Walk:
    whole, value, element = access.position, access.value, access.element  # type: ignore[attr-defined]
    position = Affine(tuple((d, c) for d, c in whole.terms if d in dims or d.value is not None), whole.const)
    size = prod(value.type.shape) if value is not None else 0
    return Walk(value, position, whole, stored_element(element), size, position.contiguous_loop(dims))


def _has_regions(nest: Nest) -> bool:
    """Whether a body has an op with regions that is copied for single elements."""
    bodies = (op.regions[0].blocks[0].operations for op in nest.accesses.bodies)
    return any(len(op.regions) and op.operation.name != "scf.if" for body in bodies for op in body)


def largest_read(walks: Walks, results: Sequence[Dim]) -> Dim | None:
    """The loop along which the largest array that is read lies in memory; where it lies along none (windows), that of the `results` along
    which another one does."""
    first, *others = [one.inner for one in sorted(walks.reads, key=lambda one: -one.size)] or [None]
    return first if first is not None else next((d for d in others if d in results), None)


def extent(dims: Sequence[Dim]) -> int:
    return prod(d.size for d in dims)


def sizes_of(dims: Sequence[Dim]) -> str:
    """ "8x4", for remarks."""
    return "x".join(str(d.size) for d in dims)
