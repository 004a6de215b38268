"""LAPACK's routines for small matrices as code of the program: getrf, potrf and trsm, as "loops" kernels.

Many matrices are interleaved (interleaving.py), so that vectors run across them; few are dealt with one after the other. Larger matrices (but in programs that
have no LAPACK), routines that are not here, and calls that do not fit are left to LAPACK (runtime/lapack.py). Results, pivots and result codes are LAPACK's, whose documentation says what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, math

from hlo.dialect.stablehlo import CustomCallOp
from hlo.lowering.linalg.interleaving import Batch
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    first_trips,
    for_loop,
    if_else,
    index,
    nest,
    scalar,
    shape,
    sub,
)
from hlo.lowering.linalg.parts import Array, Number, chosen, conj, divided, is_zero, magnitude, minus_product
from hlo.lowering.linalg.rules import Lowering

INTERLEAVED, ALONE = 32, 8
"""Orders up to which this is faster than LAPACK: of matrices that are interleaved, of others."""

LETTERS = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}

At = Callable[..., list[Index]]
"""Where an element of the problem at hand is in an array."""


@dataclass(frozen=True)
class Call:
    """A call of a routine: operands as the program has them, types of results, options as letters."""

    lowering: Lowering
    operands: Sequence[ir.Value]
    results: Sequence[ir.Type]
    options: dict[str, str]

    def has_results(self, *expected: ir.Type) -> bool:
        return list(self.results) == list(expected)

    def batch(self) -> Batch | None:
        """How the matrices of the first operand are laid out; None where LAPACK is faster, or there is nothing to compute."""
        *extents, rows, columns = shape(self.operands[0])
        batch = Batch.of(extents, element(self.operands[0]))
        most = INTERLEAVED if batch.lanes else ALONE
        is_ours = self.lowering.own_lapack or max(rows, columns) <= most
        return batch if is_ours and 0 not in shape(self.operands[0]) else None

    def run(
        self,
        name: str,
        batch: Batch,
        arrays: Sequence[Array],
        solve: Callable[..., list[Array]],
        read: Sequence[Array] = (),
    ) -> list[ir.Value]:
        """The results of `solve(at, *arrays, *read)` for each problem, as the program has them: what becomes of `arrays`."""
        outer, counts = batch.outer(), [len(a.tensors) for a in arrays]
        tensors, others = ([t for a in group for t in a.tensors] for group in (arrays, read))

        def build(*arguments: ir.Value) -> list[ir.Value]:
            constant = _grouped(arguments[len(tensors) :], [len(a.tensors) for a in read])

            def one(position: list[Index], *values: ir.Value) -> list[ir.Value]:
                return [t for a in solve(batch.at(position), *_grouped(values, counts), *constant) for t in a.tensors]

            return nest(outer, one, arguments[: len(tensors)])

        types, tied = [t.type for t in tensors], {n: n for n in range(len(tensors))}
        independent = outer[0] if batch.lanes else first_trips(outer)
        made = self.lowering.outline(name, [*tensors, *others], types, build, tied=tied, independent=independent)
        return [batch.take(a) for a in _grouped(made, counts)]


def _grouped(values: Sequence[ir.Value], counts: Sequence[int]) -> list[Array]:
    """Tensors, one after the other, as arrays of so many."""
    places = [sum(counts[:n]) for n in range(len(counts))]
    return [Array(tuple(values[start : start + count])) for start, count in zip(places, counts)]


def expand(op: CustomCallOp, lowering: Lowering) -> list[ir.Value] | None:
    """The results of a call of LAPACK as code; None where it is to stay one."""
    target = op.call_target_name
    routine = target.removeprefix("lapack_").removesuffix("_ffi")
    rule = ROUTINES.get(routine[1:])
    if rule is None or target != f"lapack_{routine}_ffi" or lowering.many_threads:
        return None
    operands = [lowering[v] for v in op.inputs]
    if not operands or any(v.type.rank < 2 for v in operands) or LETTERS.get(str(element(operands[0]))) != routine[0]:
        return None
    return rule(Call(lowering, operands, [lowering.type(r.type) for r in op.results], _letters(op)))


def _letters(op: CustomCallOp) -> dict[str, str]:
    """The options that are codes of letters."""
    config = op.attributes.get("mhlo.backend_config", None)
    values = {a.name: a.attr for a in config} if isinstance(config, ir.DictAttr) else {}
    codes = {name: ir.IntegerAttr(v).value for name, v in values.items() if isinstance(v, ir.IntegerAttr)}
    return {name: chr(code) for name, code in codes.items() if 0 < code < 128}


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
            info = _with_code(info, at, fails, k)
            a = _swapped(a, at, k, pivot, rows, columns)
            a = _eliminated(a, at, k, fails, rows, columns)
            return [*a.tensors, *pivots.tensors, *info.tensors]

        info = info.store((scalar(integer, 0),), at())
        state = for_loop(0, steps, step, [*a.tensors, *pivots.tensors, *info.tensors])
        return [Array(tuple(state[:-2])), Array((state[-2],)), Array((state[-1],))]

    numbers = [batch.empty(integer, sizes) for sizes in ([steps], [])]
    return call.run("lu", batch, [batch.put(a), *numbers], factorise)


def _with_code(info: Array, at: At, fails: ir.Value, step: Index) -> Array:
    """The result code is the number of the first step that fails, counted from 1."""
    (code,) = info.load(at())
    is_first = arith.andi(fails, arith.cmpi(arith.CmpIPredicate.eq, code, scalar(code.type, 0)))
    return info.store((arith.select(is_first, _number(add(step, 1)), code),), at())


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
        def exchange(j: Index, a: Array) -> Array:
            upper, lower = a.load(at(k, j)), a.load(at(i, j))
            return a.store(lower, at(k, j)).store(upper, at(i, j))

        is_pivot = arith.cmpi(arith.CmpIPredicate.eq, pivot, _number(i))
        kinds = [t.type for t in a.tensors]
        swap = lambda: a.loop(0, columns, exchange).tensors
        return Array(tuple(if_else(is_pivot, kinds, swap, lambda: a.tensors)))

    return a.loop(add(k, 1), rows, look)


def _eliminated(a: Array, at: At, k: Index, fails: ir.Value, rows: int, columns: int) -> Array:
    """Without column k below the diagonal: factors are in its place. `fails`: the pivot is 0, and so are all below it."""

    def row(i: Index, a: Array) -> Array:
        value = a.load(at(i, k))
        factor = chosen(fails, value, divided(value, a.load(at(k, k))))

        def update(j: Index, a: Array) -> Array:
            return a.store(minus_product(a.load(at(i, j)), factor, a.load(at(k, j))), at(i, j))

        return a.store(factor, at(i, k)).loop(add(k, 1), columns, update)

    return a.loop(add(k, 1), rows, row)


def _potrf(call: Call) -> list[ir.Value] | None:
    """Column by column (Crout); of the upper triangle its adjoint is factorised."""
    (a,) = call.operands
    *extents, rows, order = shape(a)
    integer = ir.IntegerType.get_signless(32)
    batch = call.batch()
    uplo = call.options.get("uplo")
    fits = rows == order and call.has_results(a.type, ir.RankedTensorType.get(extents, integer))
    if batch is None or not fits or uplo not in ("L", "U"):
        return None

    def factorise(at: At, a: Array, info: Array) -> list[Array]:
        view = _View(at, transposed=uplo == "U", conjugated=uplo == "U")

        def column(j: Index, *state: ir.Value) -> list[ir.Value]:
            a, info = Array(state[:-1]), Array((state[-1],))
            rest = view.rest(a, view.load(a, j, j), j, lambda k: (view.load(a, j, k), conj(view.load(a, j, k))))[0]
            fails = arith.cmpf(arith.CmpFPredicate.OLE, rest, scalar(rest.type, 0))  # not for NaN, as OpenBLAS
            info = _with_code(info, at, fails, j)
            pivot = math.sqrt(rest)
            a = view.store(a, (pivot, *[scalar(pivot.type, 0)] * (len(a.tensors) - 1)), j, j)

            def below(i: Index, a: Array) -> Array:
                value = view.rest(a, view.load(a, i, j), j, lambda k: (view.load(a, i, k), conj(view.load(a, j, k))))
                return view.store(a, tuple(arith.divf(p, pivot) for p in value), i, j)

            return [*a.loop(add(j, 1), order, below).tensors, *info.tensors]

        info = info.store((scalar(integer, 0),), at())
        state = for_loop(0, order, column, [*a.tensors, *info.tensors])
        return [Array(tuple(state[:-1])), Array((state[-1],))]

    return call.run("cholesky", batch, [batch.put(a), batch.empty(integer, [])], factorise)


@dataclass(frozen=True)
class _View:
    """A matrix, its transpose, its conjugate."""

    at: At
    transposed: bool
    conjugated: bool

    def _place(self, i: Index, j: Index) -> list[Index]:
        return self.at(j, i) if self.transposed else self.at(i, j)

    def load(self, a: Array, i: Index, j: Index) -> Number:
        value = a.load(self._place(i, j))
        return conj(value) if self.conjugated else value

    def store(self, a: Array, value: Number, i: Index, j: Index) -> Array:
        return a.store(conj(value) if self.conjugated else value, self._place(i, j))

    @staticmethod
    def rest(a: Array, start: Number, count: Index, factors: Callable[[Index], tuple[Number, Number]]) -> Number:
        """`start` without the products of the factors 0 to count."""
        body = lambda k, *value: minus_product(tuple(value), *factors(k))
        return tuple(for_loop(0, count, body, start))


def _trsm(call: Call) -> list[ir.Value] | None:
    """Substitution, one right side after the other: as the columns of a left triangle's, or the rows of a right one's."""
    if len(call.operands) != 2:
        return None
    a, b = call.operands
    *extents, rows, order = shape(a)
    sizes, batch = shape(b)[-2:], call.batch()
    side, uplo, turned, diagonal = (call.options.get(o, "") for o in ("side", "uplo", "trans_x", "diag"))
    is_left, length = side == "L", sizes[0 if side == "L" else 1]
    known = (
        side in "LR" and uplo in "LU" and turned in "NTC" and diagonal in "NU" and all((side, uplo, turned, diagonal))
    )
    fits = (
        rows == order == length and shape(b)[:-2] == extents and call.has_results(b.type) and element(a) == element(b)
    )
    if batch is None or not known or not fits or 0 in sizes:
        return None
    is_transposed = (turned != "N") == is_left
    is_downward = (uplo == "L") != is_transposed
    row = (lambda step: step) if is_downward else (lambda step: sub(order - 1, step))

    def solve(at: At, b: Array, a: Array) -> list[Array]:
        view = _View(at, is_transposed, turned == "C")
        right = _View(at, transposed=not is_left, conjugated=False)

        def one(r: Index, b: Array) -> Array:
            def unknown(step: Index, b: Array) -> Array:
                i = row(step)
                factors = lambda k: (view.load(a, i, row(k)), right.load(b, row(k), r))
                value = view.rest(b, right.load(b, i, r), step, factors)
                if diagonal == "N":
                    value = divided(value, view.load(a, i, i))
                return right.store(b, value, i, r)

            return b.loop(0, order, unknown)

        return [b.loop(0, sizes[1 if is_left else 0], one)]

    return call.run("triangular_solve", batch, [batch.put(b)], solve, [batch.put(a)])


ROUTINES: dict[str, Callable[[Call], list[ir.Value] | None]] = {"getrf": _getrf, "potrf": _potrf, "trsm": _trsm}
