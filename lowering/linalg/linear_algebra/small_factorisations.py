"""LAPACK's routines for small matrices as code of the program: getrf, potrf, trsm, and those of small_reflections.py, as "loops" kernels.

Many matrices are interleaved (interleaving.py), so that vectors run across them; few are dealt with one after the other. Systems whose right sides fill
vectors may be larger. Other larger matrices (but in programs that have no LAPACK), routines that are not here, and calls that do not fit are left to LAPACK (runtime/custom_calls/lapack.py). Results, pivots and result codes are LAPACK's, whose documentation says what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.dialect.stablehlo import CustomCallOp
from hlo.dialect.types import is_complex
from hlo.lowering.linalg.linear_algebra.interleaving import VECTOR_BYTES, Batch, lanes_of
from hlo.lowering.linalg.linear_algebra.linear_algebra import Substitution, factorise, with_code
from hlo.lowering.linalg.linear_algebra.small_calls import At, Call, largest_of_ours, letters_of, routine_of
from hlo.lowering.linalg.linear_algebra.small_reflections import geqrf, orgqr
from hlo.lowering.linalg.loops import Index, add, element, for_loop, if_else, index, scalar, shape, sub, to_index
from hlo.lowering.linalg.parts import Array, chosen, divided, is_zero, magnitude, minus_product
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.memory.storage import element_bytes


def expand(op: CustomCallOp, lowering: Lowering) -> list[ir.Value] | None:
    """The results of a call of LAPACK as code; None where it is to stay one."""
    routine = routine_of(op)
    if routine not in ROUTINES or lowering.many_threads:
        return None
    ranks, rule = ROUTINES[routine]
    operands = [lowering[v] for v in op.inputs]
    extra = len(shape(operands[0])) - ranks[0]
    if extra < 0 or [len(shape(v)) - extra for v in operands] != list(ranks):
        return None
    return rule(Call(lowering, operands, [lowering.type(r.type) for r in op.results], letters_of(op)))


def _getrf(call: Call) -> list[ir.Value] | None:
    """Row by row, with the largest element of what is left of a column as its pivot."""
    (a,) = call.operands
    *extents, rows, columns = shape(a)
    steps, integer = min(rows, columns), ir.IntegerType.get_signless(32)
    pivots, info = (ir.RankedTensorType.get([*extents, *sizes], integer) for sizes in ([steps], []))
    batch = call.batch()
    if batch is None or not call.has_results(a.type, pivots, info):
        return None

    def factorise(at: At, a: Array, pivots: Array, info: Array) -> list[Array]:
        def step(k: Index, *state: ir.Value) -> list[ir.Value]:
            a, pivots, info = Array(state[:-2]), *(Array((s,)) for s in state[-2:])
            best, pivot = _largest_below(a, at, k, rows)
            pivots = pivots.store((arith.addi(pivot, scalar(integer, 1)),), at(k))
            fails = is_zero(best)
            info = with_code(info, at, fails, k)
            a = _swapped(a, at, k, pivot, rows, columns)
            a = _eliminated(a, at, k, fails, rows, columns)
            return [*a.tensors, *pivots.tensors, *info.tensors]

        info = info.store((scalar(integer, 0),), at())
        state = for_loop(0, steps, step, [*a.tensors, *pivots.tensors, *info.tensors])
        return [Array(tuple(state[:-2])), Array((state[-2],)), Array((state[-1],))]

    numbers = [batch.empty(integer, sizes) for sizes in ([steps], [])]
    return call.run("lu", batch, [batch.put(a), *numbers], factorise)


def _number(value: Index) -> ir.Value:
    """An index as i32."""
    return arith.index_cast(ir.IntegerType.get_signless(32), index(value))


def _largest_below(a: Array, at: At, k: Index, rows: int) -> tuple[ir.Value, ir.Value]:
    """The largest magnitude in column k from the diagonal on, and the first row that has it."""

    def look(i: Index, best: ir.Value, row: ir.Value) -> list[ir.Value]:
        value = magnitude(a.load(at(i, k)))
        larger = arith.cmpf(arith.CmpFPredicate.OGT, value, best)
        return [arith.select(larger, value, best), arith.select(larger, _number(i), row)]

    best, row = for_loop(add(k, 1), rows, look, [magnitude(a.load(at(k, k))), _number(k)])
    return best, row


def _swapped(a: Array, at: At, k: Index, pivot: ir.Value, rows: int, columns: int) -> Array:
    """With rows k and `pivot` exchanged."""

    def look(i: Index, a: Array) -> Array:
        is_pivot = arith.cmpi(arith.CmpIPredicate.eq, pivot, _number(i))
        kinds = [t.type for t in a.tensors]
        swap = lambda: _exchanged(a, at, k, i, columns).tensors
        return Array(tuple(if_else(is_pivot, kinds, swap, lambda: a.tensors)))

    return a.loop(add(k, 1), rows, look)


def _exchanged(a: Array, at: At, k: Index, i: Index, columns: int) -> Array:
    """With two rows exchanged."""

    def exchange(j: Index, a: Array) -> Array:
        upper, lower = a.load(at(k, j)), a.load(at(i, j))
        return a.store(lower, at(k, j)).store(upper, at(i, j))

    return a.loop(0, columns, exchange)


def _eliminated(a: Array, at: At, k: Index, fails: ir.Value, rows: int, columns: int) -> Array:
    """Without column k below the diagonal: factors replace it. `fails`: the pivot is 0, and so are all below it."""

    def row(i: Index, a: Array) -> Array:
        value = a.load(at(i, k))
        factor = chosen(fails, value, divided(value, a.load(at(k, k))))

        def update(j: Index, a: Array) -> Array:
            return a.store(minus_product(a.load(at(i, j)), factor, a.load(at(k, j))), at(i, j))

        return a.store(factor, at(i, k)).loop(add(k, 1), columns, update)

    return a.loop(add(k, 1), rows, row)


def _laswp(call: Call) -> list[ir.Value] | None:
    """Rows exchanged, one pair after the other."""
    a, pivots = call.operands
    *extents, _, columns = shape(a)
    batch = Batch(tuple(extents), 0)
    if not call.has_results(a.type):
        return None

    def swap(at: At, a: Array, pivots: Array) -> list[Array]:
        def step(k: Index, a: Array) -> Array:
            return _exchanged(a, at, k, sub(to_index(pivots.load(at(k))[0]), 1), columns)

        return [a.loop(0, shape(call.operands[1])[-1], step)]

    return call.run("swap_rows", batch, [Array((a,))], swap, [Array((pivots,))])


CHOLESKY, SHORT_CHOLESKY = 128, 48
"""Orders up to which interleaved Cholesky factorisations are faster than LAPACK's, for all element types: in vectors of 64 bytes, and in shorter ones. (100 of order
48, AMD EPYC, Zen 3: LAPACK's time over theirs 1.43, 1.14, 1.52, 1.07 for f32, f64, complex f32, complex f64; of order 64 0.95, 0.74, 1.02, 0.92.)"""


def _filled(vector_bytes: int) -> int:
    return CHOLESKY if vector_bytes >= VECTOR_BYTES else SHORT_CHOLESKY


def calls_cholesky(extents: Sequence[int], order: int, kind: ir.Type, vector_bytes: int) -> bool:
    """Whether Cholesky factorisations of so many matrices are LAPACK's, where there is one. `vector_bytes`: `Target.column_bytes`."""
    return order > largest_of_ours(Batch.of(extents, kind), _filled(vector_bytes))


def _potrf(call: Call) -> list[ir.Value] | None:
    """Instead of one triangle; the other one stays."""
    (a,) = call.operands
    *extents, rows, order = shape(a)
    integer = ir.IntegerType.get_signless(32)
    batch, uplo = call.batch(_filled(call.lowering.machine.column_bytes)), call.options.get("uplo")
    fits = rows == order and call.has_results(a.type, ir.RankedTensorType.get(extents, integer))
    if batch is None or not fits or uplo not in ("L", "U"):
        return None

    def solve(at: At, a: Array, info: Array) -> list[Array]:
        return factorise(at, a, order, uplo == "L", info=info.store((scalar(integer, 0),), at()))

    return call.run("cholesky", batch, [batch.put(a), batch.empty(integer, [])], solve)


SYSTEM = 1024
"""The order up to which systems whose right sides fill a vector are solved twice as fast as LAPACK does, in vectors of 64 bytes."""

SHORT_SYSTEM, SHORT_COMPLEX_SYSTEM = 320, 128
"""The same in shorter vectors, of real and of complex numbers. (AMD EPYC, Zen 3, order 64 with 64 right sides: LAPACK's time over this code's 1.82, 1.43, 1.30, 1.01 for
f32, f64, complex f32, complex f64; 150 with 150 1.47, 1.44, 1.09, 0.92; 300 with 60 1.32, 1.18, 0.96, 0.85; 500 with 500 0.85, 0.92, 0.82, 1.01.)"""

COMPLEX_BYTES = 2 << 20
"""Of a complex matrix, up to which it is so on several threads: both parts of more right sides are beyond a core's cache. LAPACK's factorisation has
OpenBLAS's threads then (runtime/custom_calls/lapack_plan.py), which the pool's would have to wait for."""


def _trsm(call: Call) -> list[ir.Value] | None:
    a, b = call.operands
    *extents, rows, order = shape(a)
    sizes = shape(b)[-2:]
    letters = [call.options.get(o, "") for o in ("side", "uplo", "trans_x", "diag")]
    known = all(one and one in known for one, known in zip(letters, ("LR", "LU", "NTC", "NU"), strict=True))
    length, right_sides = sizes if letters[0] == "L" else reversed(sizes)
    fits = (
        rows == order == length and shape(b)[:-2] == extents and call.has_results(b.type) and element(a) == element(b)
    )
    fills_vectors = (
        call.lowering.machine.column_bytes and _is_faster(call, order) and right_sides >= lanes_of(element(a))
    )
    if not known or not fits or 0 in sizes or not (fills_vectors or call.batch()):
        return None
    side, uplo, trans, diag = letters
    return Substitution(order, side, uplo, trans, diag, side == "L").solve_each(call.lowering, a, b)


def _is_faster(call: Call, order: int) -> bool:
    """Than LAPACK, where right sides fill a vector."""
    kind = element(call.operands[0])
    size = order * order * element_bytes(kind)
    most = (
        SYSTEM
        if call.lowering.own_lapack or call.lowering.machine.column_bytes >= VECTOR_BYTES
        else _most_in_short(call)
    )
    return order <= most and (
        call.lowering.own_lapack or call.lowering.machine.threads == 1 or not is_complex(kind) or size <= COMPLEX_BYTES
    )


def _most_in_short(call: Call) -> int:
    """The order up to which it is so in short vectors. Complex systems that several threads share are as fast as LAPACK's parts or faster (order 256 of complex
    f32 1.8 times, of complex f64 1.1 times)."""
    if not is_complex(element(call.operands[0])):
        return SHORT_SYSTEM
    return SHORT_COMPLEX_SYSTEM if call.lowering.machine.threads == 1 else SYSTEM


ROUTINES: dict[str, tuple[tuple[int, ...], Callable[[Call], list[ir.Value] | None]]] = {
    "getrf": ((2,), _getrf),
    "laswp": ((2, 1), _laswp),
    "potrf": ((2,), _potrf),
    "trsm": ((2, 2), _trsm),
    "geqrf": ((2,), geqrf),
    "orgqr": ((2, 1), orgqr),
    "ungqr": ((2, 1), orgqr),
}
"""The ranks of one problem's operands, and what makes code of a call."""
