"""The targets `lapack_*_ffi`: what JAX makes of its linear algebra on CPUs, computed by SciPy's LAPACK.

A target is `lapack_`, a letter for the element type (s f32, d f64, c complex f32, z complex f64), the name of the LAPACK
routine, `_ffi`. The configuration holds its options, letters as their codes (`uplo = 76` is "L"). Leading dimensions are
batches. Arrays have logical shape, so that the layouts a call asks for need no attention. Compiled code calls
LAPACK without Python: lapack_plan.py says what is called, lapack_runner.py does it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from hlo.errors import CompileError, HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls import lapack_runner
from hlo.runtime.custom_calls.lapack_plan import (
    INTEGER,
    NOTHING,
    PART,
    Argument,
    Plan,
    Reference,
    function_address,
)
from hlo.runtime.custom_calls.registry import CustomCall, MachineCode, register


@dataclass(frozen=True)
class Options:
    """The configuration of a call. Raises HloError where it is no dictionary."""

    values: Any

    def __post_init__(self) -> None:
        if not isinstance(self.values, dict):
            raise HloError(f"a dictionary of options expected, found {self.values!r}")

    def letter(self, name: str) -> str:
        """Raises HloError where the option is missing, or no code of a letter."""
        value = self.number(name)
        if not 0 < value < 128:
            raise HloError(f"option {name} must be the code of a letter, found {value}")
        return chr(value)

    def number(self, name: str) -> int:
        """Raises HloError where the option is missing, or is no number of 32 bits."""
        if name not in self.values:
            raise HloError(f"option {name} is missing")
        value = self.values[name]
        if not isinstance(value, int) or value.bit_length() > 31:
            raise HloError(f"option {name} must be a number of 32 bits, found {value!r}")
        return int(value)


def _getrf(plan: Plan, options: Options, name: str) -> None:
    rows, columns = plan.shape(0, 2)
    a, pivots = plan.matrix(0, 1, rows, columns), plan.array(2, min(rows, columns), kind=INTEGER)
    plan.call(name, rows, columns, a, rows, pivots, plan.info(3))


def _getrf_by_columns(plan: Plan, options: Options, name: str) -> None:
    """The result is the transposed factors, as LAPACK has them: for readers that know (lowering/linalg/linear_algebra/read_columns.py)."""
    order = plan.order()
    a, pivots = plan.transposed(0, 1, order), plan.array(2, order, kind=INTEGER)
    plan.call(name, order, order, a, order, pivots, plan.info(3))


def _geqrf(plan: Plan, options: Options, name: str) -> None:
    rows, columns = plan.shape(0, 2)
    a, scales = plan.matrix(0, 1, rows, columns), plan.array(2, min(rows, columns))
    plan.call_with_work(name, rows, columns, a, rows, scales, plan.work(1, INTEGER), work=[plan.dtype])


def _geqp3(plan: Plan, options: Options, name: str) -> None:
    """Columns that the second operand marks come first."""
    rows, columns = plan.shape(0, 2)
    a, pivots = plan.matrix(0, 2, rows, columns), plan.matrix(1, 3, columns, kind=INTEGER)
    scales, info = plan.array(4, min(rows, columns)), plan.work(1, INTEGER)
    norms = [plan.work(2 * columns, plan.real)] if plan.is_complex else []
    work = [plan.dtype, *[None] * len(norms)]
    plan.call_with_work(name, rows, columns, a, rows, pivots, scales, info, work=work, fixed=norms)


def _orgqr(plan: Plan, options: Options, name: str) -> None:
    """The columns behind the reflectors are not read: those of a complete factorisation are zeros."""
    rows, columns = plan.shape(0, 2)
    (count,) = plan.shape(1, 1)
    scales, info = plan.array(1, count), plan.work(1, INTEGER)
    a = plan.matrix(0, 2, rows, columns, read=min(count, columns))
    plan.call_with_work(name, rows, columns, count, a, rows, scales, info, work=[plan.dtype])


def _ormqr(plan: Plan, options: Options, name: str) -> None:
    """The product from the left or the right; JAX tells it in two booleans, as LAPACK's letters before 0.10."""
    if "left" in options.values:
        side = "L" if options.number("left") else "R"
        transposition = "N" if not options.number("transpose") else "C" if plan.is_complex else "T"
    else:
        side, transposition = options.letter("side"), options.letter("trans")
    (order, reflectors), (count,), (rows, columns) = plan.shape(0, 2), plan.shape(1, 1), plan.shape(2, 2)
    if count > reflectors or order != (rows if side == "L" else columns):
        raise HloError(f"{count} reflectors of {order} x {reflectors} do not fit {rows} x {columns} from side {side}")
    a = plan.matrix(0, None, order, reflectors, read=count)
    scales, c = plan.array(1, count), plan.matrix(2, 3, rows, columns)
    arguments: tuple[Argument, ...] = (side, transposition, rows, columns, count, a, order, scales, c, rows)
    plan.call_with_work(name, *arguments, plan.work(1, INTEGER), work=[plan.dtype])


def _potrf(plan: Plan, options: Options, name: str) -> None:
    """By columns the result is its transpose, the other triangular factor of the transposed matrix: it is factorised where it is, or in a copy of the
    matrix. The upper triangle is LAPACK's lower one, which takes less time (lowering/stablehlo/linear_algebra/transpose_factorisations.py)."""
    order, uplo = plan.order(), options.letter("uplo")
    a = plan.copied(0, 1, order, order)
    plan.call(name, OTHER_TRIANGLE.get(uplo, uplo), order, a, order, plan.info(2))


OTHER_TRIANGLE, OTHER_SIDE = {"L": "U", "U": "L"}, {"L": "R", "R": "L"}
TRANSPOSED = {"N": "T", "T": "N"}

FEW_COLUMNS, LARGE = 4, 64
"""Right-hand sides up to which, and orders from which, OpenBLAS is faster from the left: up to twice as fast, for one."""


def _trsm(plan: Plan, options: Options, name: str) -> None:
    """By columns a matrix is the transpose of what it is by rows. Few columns are copied, and solved for by the transposed triangle; others
    are solved for in the result, as the rows of the system of the transposed matrices."""
    side, uplo, transposition, diagonal = (options.letter(o) for o in ("side", "uplo", "trans_x", "diag"))
    order, (rows, columns) = plan.order(), plan.shape(1, 2)
    if order != (rows if side == "L" else columns):
        raise HloError(f"a triangle of order {order} does not fit {rows} x {columns} from side {side}")
    one, a, triangle = plan.dtype.type(1), plan.array(0, order, order), OTHER_TRIANGLE.get(uplo, uplo)
    if side == "L" and transposition in TRANSPOSED and columns <= FEW_COLUMNS and order >= LARGE:
        b = plan.matrix(1, 2, rows, columns)
        plan.call(name, side, triangle, TRANSPOSED[transposition], diagonal, rows, columns, one, a, order, b, rows)
        return
    b = plan.copied(1, 2, rows, columns)
    letters = OTHER_SIDE.get(side, side), triangle, transposition, diagonal
    sizes: tuple[Argument, Argument] = columns, rows
    sides, step = (columns, plan.dtype.itemsize) if side == "L" else (rows, plan.dtype.itemsize * columns)
    divided = sides if plan.divides_sides else 0
    if divided:
        a, b, sizes = _each(a, 0), _each(b, step), (PART, rows) if side == "L" else (columns, PART)
    plan.call(name, *letters, *sizes, one, a, order, b, columns, sides=divided)


def _each(array: Reference, stride: int) -> Reference:
    """The same array, for each right side so many bytes further on."""
    return array[0], array[1], stride


def _syevd(plan: Plan, options: Options, name: str) -> None:
    """Eigenvalues alone are also those of the transposed matrix, whose other triangle is read."""
    order, mode, triangle = plan.order(), options.letter("mode"), options.letter("uplo")
    a = plan.matrix_for_values(0, 1, order, order) if mode == "N" else None
    letters = mode, triangle if a is None else OTHER_TRIANGLE.get(triangle, triangle)
    a, values = a or plan.matrix(0, 1, order, order), plan.array(2, order, kind=plan.real)
    work = [plan.dtype, *([plan.real] if plan.is_complex else []), INTEGER]
    plan.call_with_work(name, *letters, order, a, order, values, plan.info(3), work=work)


def _singular(plan: Plan, mode: str) -> tuple[tuple[Argument, ...], int, int]:
    """The arguments of both algorithms from the sizes to the right vectors; the smaller and the larger size. Values alone are also those of the transposed matrix."""
    rows, columns = plan.shape(0, 2)
    small, large = min(rows, columns), max(rows, columns)
    sides = {"A": ((rows, rows), (columns, columns)), "S": ((rows, small), (small, columns))}
    left, right = sides.get(mode) or (plan.shape(3, 2), plan.shape(4, 2))
    transposed = plan.matrix_for_values(0, 1, rows, columns) if mode == "N" else None
    a, values = transposed or plan.matrix(0, 1, rows, columns), plan.array(2, small, kind=plan.real)
    u, v = (_vectors_if(mode != "N", plan, 3 + n, sizes) for n, sizes in enumerate((left, right)))
    sizes = (rows, columns) if transposed is None else (columns, rows)
    return (*sizes, a, sizes[0], values, u, max(1, left[0]), v, max(1, right[0])), small, large


def _vectors_if(wanted: bool, plan: Plan, target: int, sizes: tuple[int, ...], kind: Any = None) -> Reference:
    """Where a routine writes vectors. Those that are not computed are zeros."""
    if wanted:
        return plan.matrix(None, target, *sizes, kind=kind)
    plan.zeros(target, *sizes, kind=kind)
    return plan.work(1, plan.dtype)


def _gesdd(plan: Plan, options: Options, name: str) -> None:
    mode = _mode(options)
    arguments, small, large = _singular(plan, mode)
    numbers = plan.work(8 * small, INTEGER)
    norms = max(7 * small, 5 * small * (small + 1), 2 * small * (large + small) + small)
    fixed = [plan.work(norms, plan.real), numbers] if plan.is_complex else [numbers]
    work = [plan.dtype, *[None] * len(fixed)]
    plan.call_with_work(name, mode, *arguments, plan.info(5), work=work, fixed=fixed)


def _gesvd(plan: Plan, options: Options, name: str) -> None:
    mode = _mode(options)
    arguments, small, _ = _singular(plan, mode)
    norms = [plan.work(5 * small, plan.real)] if plan.is_complex else []
    work = [plan.dtype, *[None] * len(norms)]
    plan.call_with_work(name, mode, mode, *arguments, plan.info(5), work=work, fixed=norms)


def _mode(options: Options) -> str:
    mode = options.letter("mode")
    if mode not in "ASN":
        raise HloError(f"mode must be A, S or N, found {mode}")
    return mode


NOT_FINITE = -4
"""The result code of matrices with numbers that are NaN or infinite, of which JAX calls no geev: its eigenvalues would be any numbers, its messages go to the program's output."""


def _geev(plan: Plan, options: Options, name: str) -> None:
    order = plan.order()
    letters = options.letter("compute_left"), options.letter("compute_right")
    count = 1 if plan.is_complex else 2
    plan.finite(0, count + 3, NOT_FINITE)
    values = [plan.matrix(None, 1 + n, order) for n in range(count)]
    plan.shape(count + 1, 2)
    left, right = (_vectors(plan, letter, values[-1], count + 1 + n, order) for n, letter in enumerate(letters))
    norms = [plan.work(2 * order, plan.real)] if plan.is_complex else []
    a, info, work = plan.matrix(0, None, order, order), plan.info(count + 3), [plan.dtype, *[None] * len(norms)]
    plan.call_with_work(
        name, *letters, order, a, order, *values, left, order, right, order, info, work=work, fixed=norms
    )


def _vectors(plan: Plan, letter: str, imaginary: Reference, target: int, order: int) -> Reference:
    """Where geev writes eigenvectors. Those of real matrices are columns of real and imaginary parts, put together behind the call."""
    if letter == "V" and not plan.is_complex:
        return plan.paired(imaginary, target, order)
    kind = plan.dtype if letter == "V" else plan.results[target - 1].dtype
    return _vectors_if(letter == "V", plan, target, (order, order), kind)


def _gees(plan: Plan, options: Options, name: str) -> None:
    if options.letter("sort") != "N":
        raise HloError("gees that sorts: programs cannot say by what")
    order = plan.order()
    count = 1 if plan.is_complex else 2
    mode, triangle = options.letter("mode"), plan.matrix(0, 1, order, order)
    vectors = _vectors_if(mode == "V", plan, 2, (order, order))
    values = [plan.array(3 + n, order) for n in range(count)]
    choices = plan.work(order, INTEGER)
    fixed = [plan.work(order, plan.real), choices] if plan.is_complex else [choices]
    letters, sorted_count = (mode, "N"), plan.info(3 + count)
    arguments: tuple[Argument, ...] = (NOTHING, order, triangle, order, sorted_count, *values, vectors, order)
    work = [plan.dtype, *[None] * len(fixed)]
    plan.call_with_work(name, *letters, *arguments, plan.info(4 + count), work=work, fixed=fixed)


def _gehrd(plan: Plan, options: Options, name: str) -> None:
    order = plan.order()
    low, high = options.number("low"), options.number("high")
    a, scales = plan.matrix(0, 1, order, order), plan.array(2, max(0, order - 1))
    plan.call_with_work(name, order, low, high, a, order, scales, plan.info(3), work=[plan.dtype])


def _sytrd(plan: Plan, options: Options, name: str) -> None:
    order = plan.order()
    a, uplo = plan.matrix(0, 1, order, order), options.letter("uplo")
    diagonals = plan.array(2, order, kind=plan.real), plan.array(3, order - 1, kind=plan.real)
    scales = plan.array(4, order - 1)
    plan.call_with_work(name, uplo, order, a, order, *diagonals, scales, plan.info(5), work=[plan.dtype])


def _gtsv(plan: Plan, options: Options, name: str) -> None:
    """The diagonals are all of one length: the first element of the lower, the last of the upper one is not used."""
    order, columns = plan.shape(3, 2)
    (_, start, _), diagonal, upper = (plan.matrix(n, n + 4, order) for n in range(3))
    lower, b = (1, start + plan.dtype.itemsize, 0), plan.matrix(3, 7, order, columns)
    plan.call(name, order, columns, lower, diagonal, upper, b, order, plan.info(8))


@dataclass(frozen=True)
class Family:
    """How the calls of one routine are planned: dimensions of a problem's first operand, the element types it exists for, what kind of problem it solves (lapack_plan.py). `is_product`: of
    reflections, of which there may be none: the result is the identity, or the other factor. `undivided`: the order up to which threads do not divide a batch."""

    plan: Callable[[Plan, Options, str], None]
    rank: int = 2
    letters: str = "sdcz"
    kind: str = "orthogonal"
    is_iterative: bool = False
    is_product: bool = False
    undivided: int = 0


WAIT = 16
"""The order up to which tridiagonal forms of a batch take longer on two threads than on one (100 of complex f32 of order 8 1.7 times, 16 1.2 times, 24 0.95, 48 0.75;
f32 1.2 times at order 8, 0.8 at 24): perhaps since OpenBLAS's functions take buffers under one lock."""

FAMILIES = {
    "potrf": Family(_potrf, kind="cholesky"),
    "getrf": Family(_getrf, kind="triangular"),
    "geqrf": Family(_geqrf),
    "geqp3": Family(_geqp3),
    "orgqr": Family(_orgqr, letters="sd", is_product=True),
    "ungqr": Family(_orgqr, letters="cz", is_product=True),
    "ormqr": Family(_ormqr, letters="sd", is_product=True),
    "unmqr": Family(_ormqr, letters="cz", is_product=True),
    "trsm": Family(_trsm, kind="triangular"),
    "syevd": Family(_syevd, letters="sd", is_iterative=True),
    "heevd": Family(_syevd, letters="cz", is_iterative=True),
    "gesdd": Family(_gesdd, is_iterative=True),
    "gesvd": Family(_gesvd, is_iterative=True),
    "geev": Family(_geev, is_iterative=True),
    "gees": Family(_gees, is_iterative=True),
    "gehrd": Family(_gehrd),
    "sytrd": Family(_sytrd, letters="sd", undivided=WAIT),
    "hetrd": Family(_sytrd, letters="cz", undivided=WAIT),
    "gtsv": Family(_gtsv, rank=1, kind="triangular"),
}


@dataclass(frozen=True)
class Routine:
    """The target of a routine of LAPACK: `name` with its letter."""

    name: str
    family: Family

    def machine_code(self, call: CustomCall) -> MachineCode | None:
        """What compiled code calls; None where there is nothing to compute."""
        plan = self.plan(call)
        return None if plan is None else _runner(plan, call.pool)

    def plan(self, call: CustomCall) -> Plan | None:
        """None where there is nothing to compute: results are zeros. Raises CompileError for a call that does not fit the routine."""
        options = _options(call)
        try:
            return self._plan(call.operands, call.results, options, call.description.unread)
        except HloError as error:
            raise CompileError(call.finding(str(error))) from error

    def __call__(
        self, *operands: np.ndarray, backend_config: Any, result_types: Sequence[ArrayType]
    ) -> list[np.ndarray]:
        """The same for callers that have arrays: the reference, targets whose arrays are elsewhere."""
        options = Options(backend_config or {})
        plan = self._plan([ArrayType(a.shape, a.dtype) for a in operands], result_types, options)
        arrays = [np.ascontiguousarray(a) for a in operands] + [np.zeros(t.shape, t.dtype) for t in result_types]
        if plan is not None:
            code = _runner(plan)
            addresses = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
            failed = ctypes.c_int64(0)
            function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address)
            function(None, addresses, code.context, ctypes.addressof(failed))
            if failed.value:
                raise HloError(f"{self.name}: no memory for a workspace of {plan.size} bytes")
        return arrays[len(operands) :]

    def _plan(
        self,
        operands: Sequence[ArrayType],
        results: Sequence[ArrayType],
        options: Options,
        unread: Sequence[int] = (),
    ) -> Plan | None:
        family = self.family
        plan = Plan(operands, results, family.rank, family.kind, family.is_iterative, family.undivided, unread)
        plan.check_count()
        if not all(prod(a.shape) for a in (results if family.is_product else operands)):
            return None
        plan.check_types(self.name)
        family.plan(plan, options, self.name)
        return plan


def _options(call: CustomCall) -> Options:
    """Raises CompileError where they are no dictionary."""
    try:
        return Options(call.keywords["backend_config"] or {})
    except HloError as error:
        raise CompileError(call.finding(str(error))) from error


def _runner(plan: Plan, pool: int = 0) -> MachineCode:
    words = plan.words(pool)
    return MachineCode(lapack_runner.address(), words.ctypes.data, (plan, words), is_shared=pool != 0)


def register_all() -> None:
    """Registers every target. Raises CompileError without SciPy."""
    function_address("dpotrf")
    for name, family in FAMILIES.items():
        for letter in family.letters:
            register(f"lapack_{letter}{name}_ffi", borrows=True)(Routine(letter + name, family))
    for letter in "sdcz":
        family = Family(_getrf_by_columns, kind="triangular")
        register(f"lapack_{letter}getrf_by_columns", borrows=True)(Routine(f"{letter}getrf", family))
