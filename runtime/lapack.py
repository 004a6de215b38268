"""The targets `lapack_*_ffi`: what JAX makes of its linear algebra on CPUs, computed by SciPy's LAPACK.

A target is `lapack_`, a letter for the element type (s f32, d f64, c complex f32, z complex f64), the name of the LAPACK
routine, `_ffi`. The configuration holds its options, letters as their codes (`uplo = 76` is "L"). Leading dimensions are
batches. Operands arrive as arrays of logical shape, so that the layouts a call asks for need no attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hlo.errors import CompileError
from hlo.runtime.custom_calls import register
from hlo.runtime.signature import ArrayType

Routine = Callable[..., Any]
Matrices = tuple[Any, ...]


@dataclass(frozen=True)
class Options:
    """The configuration of a call."""

    values: dict[str, Any]

    def letter(self, name: str) -> str:
        return chr(self.values[name])

    def number(self, name: str) -> int:
        return int(self.values[name])


def _potrf(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    return routine(a, lower=options.letter("uplo") == "L", clean=0)


def _getrf(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    factors, pivots, info = routine(a)
    return factors, pivots + 1, info


def _geqrf(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    factors, scales, _, _ = routine(a)
    return factors, scales


def _geqp3(routine: Routine, options: Options, a: np.ndarray, fixed: np.ndarray) -> Matrices:
    """Columns that `fixed` marks come first, as they are; SciPy's routine leaves them out, so that they are factored
    before, and the others follow in what is left of them."""
    order, count = _fixed_first(fixed)
    count = min(count, a.shape[0])
    a = np.asfortranarray(a[:, order])
    scales = np.zeros(min(a.shape), a.dtype)
    if count:
        a[:, :count], scales[:count] = _factored(a[:, :count])
        a[:, count:] = _multiplied(a[:, :count], scales[:count], a[:, count:])
    if count < min(a.shape):
        rest, pivots, scales[count:], _, _ = routine(a[count:, count:])
        moved = pivots - 1
        a[:count, count:] = a[:count, count:][:, moved]
        a[count:, count:] = rest
        order[count:] = order[count:][moved]
    return a, (order + 1).astype(fixed.dtype), scales


def _fixed_first(fixed: np.ndarray) -> tuple[np.ndarray, int]:
    """The order of columns in which each marked one has changed places with the first that is not; how many are."""
    order, count = np.arange(len(fixed)), 0
    for column in map(int, np.flatnonzero(fixed)):
        order[[count, column]] = order[[column, count]]
        count += 1
    return order, count


def _factored(columns: np.ndarray) -> Matrices:
    from scipy.linalg import get_lapack_funcs

    return get_lapack_funcs("geqrf", (columns,))(columns)[:2]


def _multiplied(reflectors: np.ndarray, scales: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """The adjoint of the orthogonal matrix that reflectors stand for, times other columns."""
    from scipy.linalg import get_lapack_funcs

    if not rest.size:
        return rest
    real = reflectors.dtype.kind != "c"
    routine = get_lapack_funcs("ormqr" if real else "unmqr", (reflectors,))
    return routine("L", "T" if real else "C", reflectors, scales, rest, 64 * max(rest.shape))[0]


def _orgqr(routine: Routine, options: Options, a: np.ndarray, scales: np.ndarray) -> Matrices:
    return (routine(a, scales)[0],)


def _ormqr(routine: Routine, options: Options, a: np.ndarray, scales: np.ndarray, c: np.ndarray) -> Matrices:
    """The product from the left or the right; JAX tells it in two booleans, as LAPACK's letters before 0.10."""
    if "left" in options.values:
        side = "L" if options.values["left"] else "R"
        turned = "N" if not options.values["transpose"] else "C" if a.dtype.kind == "c" else "T"
    else:
        side, turned = options.letter("side"), options.letter("trans")
    return (routine(side, turned, a, scales, c, max(1, 64 * max(c.shape)))[0],)


def _trsm(routine: Routine, options: Options, a: np.ndarray, b: np.ndarray) -> Matrices:
    solved = routine(
        1.0,
        a,
        b,
        side=options.letter("side") == "R",
        lower=options.letter("uplo") == "L",
        trans_a="NTC".index(options.letter("trans_x")),
        diag=options.letter("diag") == "U",
    )
    return (solved,)


def _syevd(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    values, vectors, info = routine(a, compute_v=options.letter("mode") == "V", lower=options.letter("uplo") == "L")
    return vectors, values, info


def _gesdd(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    mode = options.letter("mode")
    u, values, v, info = routine(a, compute_uv=mode != "N", full_matrices=mode == "A")
    return a, values, u, v, info


def _geev(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    wants = [options.letter(side) == "V" for side in ("compute_left", "compute_right")]
    *values, left, right, info = routine(a, compute_vl=wants[0], compute_vr=wants[1])
    if len(values) == 2:
        left, right = (_paired(v, values[1]) if wanted else v for v, wanted in zip((left, right), wants))
    return *values, left, right, info


def _paired(vectors: np.ndarray, imaginary: np.ndarray) -> np.ndarray:
    """Complex eigenvectors: LAPACK stores those of a conjugate pair as their real and imaginary parts."""
    result = vectors.astype(np.result_type(vectors, np.complex64))
    first = np.flatnonzero(imaginary > 0)
    result[:, first] = vectors[:, first] + 1j * vectors[:, first + 1]
    result[:, first + 1] = result[:, first].conj()
    return result


def _gees(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    if options.letter("sort") != "N":
        raise NotImplementedError("gees that sorts: programs cannot say by what")
    triangle, sorted_count, *values, vectors, _, info = routine(
        lambda *_: None, a, compute_v=options.letter("mode") == "V"
    )
    return triangle, vectors, *values, sorted_count, info


def _gehrd(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    return routine(a, lo=options.number("low") - 1, hi=options.number("high") - 1)


def _sytrd(routine: Routine, options: Options, a: np.ndarray) -> Matrices:
    return routine(a, lower=options.letter("uplo") == "L")


def _gtsv(routine: Routine, options: Options, *arrays: np.ndarray) -> Matrices:
    """The diagonals are all of one length: the first element of the lower, the last of the upper one is not used."""
    lower, diagonal, upper, b = arrays
    *_, solved, info = routine(lower[1:], diagonal, upper[:-1], b)
    return lower, diagonal, upper, solved, info


@dataclass(frozen=True)
class Family:
    """How the calls of one routine are made: the ranks of one problem's operands, the element types it exists for."""

    ranks: tuple[int, ...]
    run: Callable[..., Matrices]
    letters: str = "sdcz"


FAMILIES = {
    "potrf": Family((2,), _potrf),
    "getrf": Family((2,), _getrf),
    "geqrf": Family((2,), _geqrf),
    "geqp3": Family((2, 1), _geqp3),
    "orgqr": Family((2, 1), _orgqr, "sd"),
    "ungqr": Family((2, 1), _orgqr, "cz"),
    "ormqr": Family((2, 1, 2), _ormqr, "sd"),
    "unmqr": Family((2, 1, 2), _ormqr, "cz"),
    "trsm": Family((2, 2), _trsm),
    "syevd": Family((2,), _syevd, "sd"),
    "heevd": Family((2,), _syevd, "cz"),
    "gesdd": Family((2,), _gesdd),
    "gesvd": Family((2,), _gesdd),
    "geev": Family((2,), _geev),
    "gees": Family((2,), _gees),
    "gehrd": Family((2,), _gehrd),
    "sytrd": Family((2,), _sytrd, "sd"),
    "hetrd": Family((2,), _sytrd, "cz"),
    "gtsv": Family((1, 1, 1, 2), _gtsv),
}


def register_all() -> None:
    """Registers every target. Raises CompileError without SciPy."""
    try:
        from scipy.linalg import blas, lapack
    except ImportError:
        raise CompileError("linear algebra by LAPACK needs SciPy: pip install hlo[lapack]") from None
    for name, family in FAMILIES.items():
        library = blas if name == "trsm" else lapack
        for letter in family.letters:
            target = partial(_call, family, getattr(library, letter + name))
            register(f"lapack_{letter}{name}_ffi")(target)


def _call(
    family: Family, routine: Routine, *operands: np.ndarray, backend_config: Any, result_types: Sequence[ArrayType]
) -> list[np.ndarray]:
    """One problem after another, over the leading dimensions of the operands."""
    options = Options(backend_config or {})
    results = [np.zeros(t.shape, t.dtype) for t in result_types]
    batch = operands[0].shape[: operands[0].ndim - family.ranks[0]]
    for index in np.ndindex(*batch):
        problem = [operand[index] for operand in operands]
        if not all(part.size for part in problem):
            continue
        for result, found in zip(results, family.run(routine, options, *problem)):
            _store(result, index, np.asarray(found))
    return results


def _store(result: np.ndarray, index: tuple[int, ...], found: np.ndarray) -> None:
    """What was not asked for (vectors) has another shape, or none: it stays zero."""
    place = result[index]
    if place.shape == found.shape:
        result[index] = found
