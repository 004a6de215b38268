"""The pass `read-transposed`: contractions read what a transpose (or broadcast) has copied from where it comes from.

Before:  %t = linalg.generic {transpose} ins(%b)     %c = linalg.generic {C += A * B, B at (k, n)} ins(%a, %t)
After:                                               %c = linalg.generic {C += A * B, B at (n, k)} ins(%a, %b)

A reversal is read as well where it reverses what is contracted. Packing reads in any order; where the plan would have
to gather elements one by one, the copy stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import ops_named
from hlo.lowering.linalg.structured import linear_form, maps_of, reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, target
from hlo.lowering.vector.contraction.choice import is_contraction, reads_contiguously
from hlo.lowering.vector.contraction.emit import contraction_plan
from hlo.lowering.vector.contraction.schedule import ContractionSchedule


@register_pass
@dataclass(frozen=True)
class ReadTransposed(Pass):
    """Lets contractions read operands that are transposed."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        processor = target(self.target)
        for op in reductions(module):
            if len(op.operands) == 3 and is_contraction(op, processor):
                for number in (0, 1):
                    while _read_source(op, number, processor):
                        pass


def reductions(module: ir.Module) -> list[ir.Operation]:
    """Every linalg.generic that reduces something."""
    return [op for op in ops_named(module, ("linalg.generic",)) if reduces(op)]


def _read_source(op: ir.Operation, number: int, processor: Target) -> bool:
    """Replaces an operand by the source of a copy; False when it is no copy, or would be read too slowly."""
    value, maps = op.operands[number], maps_of(op)
    source = copied(value, reversals=True)
    if source is None:
        return False
    moved = _forwards(maps, number, read_through(maps[number], *source), value.owner.operands[0].type.shape)
    if moved is None:
        return False

    before = None if processor.is_gpu else contraction_plan(op, processor)

    def is_good() -> bool:
        if processor.is_gpu:
            return reads_contiguously(op, number)
        after = contraction_plan(op, processor)
        return _reads_well(before, after) and (not _made_before_a_loop(value, op) or _reads_as_fast(before, after))

    return try_operand(op, number, value.owner.operands[0], moved, is_good)


def try_operand(
    op: ir.Operation, number: int, value: ir.Value, maps: Sequence[ir.AffineMap], is_good: Callable[[], bool]
) -> bool:
    """Gives a linalg.generic another operand (an output: with the result's type) and other maps; False, and the old
    ones, where that is not good."""
    attributes, results = op.attributes, list(op.results) if number == len(op.operands) - 1 else []
    old_maps, old = attributes["indexing_maps"], op.operands[number]

    def give(value: ir.Value, maps: ir.Attribute) -> None:
        attributes["indexing_maps"], op.operands[number] = maps, value
        for result in results:
            result.set_type(value.type)

    give(value, ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps], op.context))
    if is_good():
        return True
    give(old, old_maps)
    return False


def _reads_well(before: ContractionSchedule | None, after: ContractionSchedule | None) -> bool:
    """Whether a contraction that reads the source does not gather what it did not before."""
    if before is None or after is None:
        return False
    return after.pack_b != "gather" or before.pack_b == "gather"


def _made_before_a_loop(copy: ir.Value, op: ir.Operation) -> bool:
    """Whether a copy is made once, and read in each iteration of a loop."""
    around = op.parent
    while around is not None and around.operation != copy.owner.parent:
        if around.operation.name == "scf.while":
            return True
        around = around.operation.parent
    return False


def _reads_as_fast(before: ContractionSchedule | None, after: ContractionSchedule | None) -> bool:
    """Whether a contraction that reads the source has vectors along the same loop, and packs nothing more."""
    return (
        before is not None
        and after is not None
        and after.vectorize == before.vectorize
        and after.pack_a in ("none", before.pack_a)
        and after.pack_b in ("none", before.pack_b)
    )


def _forwards(
    maps: list[ir.AffineMap], number: int, read: ir.AffineMap, sizes: Sequence[int]
) -> list[ir.AffineMap] | None:
    """All maps, `read` instead of one of them. Loops that it goes through backwards are reversed: it reads along them, the other operand
    backwards. None where that would be a loop of the result."""
    backwards = {
        loop: n for e, n in zip(read.results, sizes) if (loop := _reversed_loop(e, n, read.n_dims)) is not None
    }
    written = [ir.AffineDimExpr(e).position for e in maps[2].results if isinstance(e, ir.AffineDimExpr)]
    if backwards.keys() & written:
        return None
    loops = [ir.AffineExpr.get_dim(d) for d in range(read.n_dims)]
    reversal = ir.AffineMap.get(
        read.n_dims, 0, [backwards[d] - 1 - e if d in backwards else e for d, e in enumerate(loops)]
    )
    found = [ir.AffineMap.get(m.n_dims, 0, [e.compose(reversal) for e in m.results]) for m in maps]
    forwards = [_reversed_loop(e, n, read.n_dims) for e, n in zip(read.results, sizes)]
    own = [e if loop is None else loops[loop] for e, loop in zip(read.results, forwards)]
    found[number] = ir.AffineMap.get(read.n_dims, 0, own)
    return found


def _reversed_loop(expression: ir.AffineExpr, size: int, loops: int) -> int | None:
    """The loop d of an expression `size - 1 - d`; None for any other."""
    form = linear_form(expression, loops)
    if form is None or form[-1] != size - 1 or sorted(form[:-1]) != [-1] + [0] * (loops - 1):
        return None
    return form.index(-1)


def copied(value: ir.Value, reversals: bool = False) -> tuple[ir.AffineMap, ir.AffineMap] | None:
    """The maps (of what is read, of what is written) of a linalg.generic that only moves elements: transposes and
    broadcasts, and what reverses dimensions on request."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != "linalg.generic" or len(op.operands) != 2:
        return None
    body = list(op.regions[0].blocks[0].operations)
    if len(body) != 1 or body[0].operation.operands[0] != op.regions[0].blocks[0].arguments[0]:
        return None
    if not isinstance(op.operands[0].type, ir.RankedTensorType):
        return None
    read, written = maps_of(op)
    sizes = op.operands[0].type.shape
    plain = all(
        isinstance(e, ir.AffineDimExpr) or (reversals and _reversed_loop(e, n, read.n_dims) is not None)
        for e, n in zip(read.results, sizes)
    )
    plain = plain and all(isinstance(e, ir.AffineDimExpr) for e in written.results)
    return (read, written) if plain and len(written.results) == written.n_dims else None


def read_through(outer: ir.AffineMap, read: ir.AffineMap, written: ir.AffineMap) -> ir.AffineMap:
    """Where the source is read: `outer` gives positions in the copy."""
    loop_of = {ir.AffineDimExpr(w).position: expression for w, expression in zip(written.results, outer.results)}
    loops = ir.AffineMap.get(outer.n_dims, 0, [loop_of[loop] for loop in range(written.n_dims)])
    return ir.AffineMap.get(outer.n_dims, 0, [r.compose(loops) for r in read.results])
