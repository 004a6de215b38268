"""Plans of LAPACK calls: what is copied where, and which of LAPACK's functions are called with what, for a problem of a batch.

LAPACK is SciPy's: modules scipy.linalg.cython_lapack and cython_blas hold the addresses of its functions. Matrices of programs are
row-major, LAPACK's column-major: they are copied to the workspace and back, where a routine does not do as well with the transposed ones."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import field
from math import prod
from typing import Any

import numpy as np

from hlo.errors import CompileError, HloError
from hlo.host import host_vendor
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls import lapack_runner
from hlo.runtime.threads.pool import receive_guests

Reference = tuple[int, int, int]
"""An array, an offset, a stride, as lapack_runner.py has them; or CONSTANT and its number."""

Argument = tuple[int, int, int] | int | str | np.generic
"""Of a call: a reference, or an integer, a letter, a number that is passed as a constant."""

PARALLEL, LEAST, PARTS = 32 << 10, 1 << 10, 32
"""Bytes of matrices or workspace of all problems, and of one, from which threads divide them; parts that they are cut in then, at most."""

ITERATIVE_PARALLEL = 256
"""Elements of the matrices of all problems from which threads divide eigenvalue and singular value problems. LAPACK takes 0.1 to 0.2 us for an element of a small one."""

ALONE = {"triangular": 512, "cholesky": 512, "orthogonal": 256}
"""Orders up to which OpenBLAS is kept to the calling thread, by what kind of problem it solves: LU factorisations and triangular systems; Cholesky factorisations; orthogonal factorisations, eigenvalues and singular values.
Its threads spin while those of the pool do, and a core that both want, or another process, makes triangular factorisations take ten times as long; on cores of their own they gain less than half."""

ALONE_OF = {"AuthenticAMD": {"cholesky": 340, "orthogonal": 128}}
"""By vendor, where they are others. On Zen 5 two threads take 0.75 to 0.95 of the time of one for the last kind of order 200; on an Emerald Rapids up to 1.7 times as long, at order 300."""

ALONE_OF_TYPE = {
    "AuthenticAMD": {
        ("cholesky", "float32"): 512,
        ("cholesky", "complex128"): 256,
        ("orthogonal", "float32"): 320,
    }
}
"""By vendor, kind and element type, where they are others again. Two threads that have just been used for another call take 0.7 to 0.9 of the time of one for a
Cholesky factorisation of order 300; but in programs whose kernels have threads as well they take 1.5 to 1.9 times as long for f32 and complex f32, and 1.1 to 1.3 times at order
512. QR factorisations and eigenvectors of f32 of order 300 take 1.1 to 1.4 times as long there (Zen 5)."""

ALONE_BYTES = 2 << 20
"""The same of one matrix: complex f64 of order 512 gains a third to a half from OpenBLAS's threads, what is no larger at most a tenth to a quarter."""

CONSTANT = -1
NOTHING: Reference = (0, 0, 0)
PART: Reference = (lapack_runner.PART, 0, 0)
ONE_LETTER: Reference = (0, 1, 0)
"""What Fortran's compilers pass behind all arguments for each that is a letter: its length."""

INTEGER = np.dtype(np.int32)


@functools.cache
def function_address(name: str) -> int:
    """Of a function of SciPy's LAPACK or BLAS. Raises CompileError without SciPy."""
    try:
        from scipy.linalg import cython_blas, cython_lapack
    except ImportError:
        raise CompileError("linear algebra by LAPACK needs SciPy: pip install hlo[lapack]") from None
    library = cython_lapack if name in cython_lapack.__pyx_capi__ else cython_blas
    capsule, api = library.__pyx_capi__[name], ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    signature = api.PyCapsule_GetName(capsule)
    if b" int *" not in signature:
        raise CompileError(f"SciPy's {name} takes other integers than those of 32 bits: {signature.decode()}")
    return int(api.PyCapsule_GetPointer(capsule, signature))


@functools.cache
def thread_settings() -> tuple[int, int]:
    """The addresses of OpenBLAS's functions that tell and set how many threads it takes; zeros where SciPy has another library."""
    from scipy.linalg import cython_lapack

    library = ctypes.CDLL(cython_lapack.__file__)
    for prefix in ("scipy_openblas", "openblas"):
        try:
            functions = [getattr(library, f"{prefix}_{name}_num_threads") for name in ("get", "set")]
        except AttributeError:
            continue
        tell, change = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in functions)
        return tell, change
    return 0, 0


def most_alone(kind: str, dtype: np.dtype[Any]) -> int:
    """The order up to which OpenBLAS has one thread on this machine for problems of a kind."""
    of_kind = (ALONE | ALONE_OF.get(host_vendor(), {}))[kind]
    return ALONE_OF_TYPE.get(host_vendor(), {}).get((kind, dtype.name), of_kind)


@dataclass(frozen=True)
class Step:
    """A call of a function of LAPACK: its name, what it is passed, how many right sides threads divide (0: none do)."""

    name: str
    references: tuple[Reference, ...]
    sides: int = 0


@dataclass
class Plan:
    """What is planned for a custom call whose arrays have these types; `rank`: dimensions of a problem's first operand. `steps`: copies, as
    lapack_runner.py has them, and calls; then those of `after`. `kept`: what the words have addresses of. `kind`: of `ALONE`;
    `is_iterative`: eigenvalues or singular values. `undivided`: the order up to which threads do not divide problems. `unread`: the numbers of results that are not used."""

    operands: Sequence[ArrayType]
    results: Sequence[ArrayType]
    rank: int
    kind: str = "orthogonal"
    is_iterative: bool = False
    undivided: int = 0
    unread: Sequence[int] = ()
    size: int = 0
    steps: list[tuple[int, ...] | Step] = field(default_factory=list)
    after: list[tuple[int, ...]] = field(default_factory=list)
    constants: list[np.ndarray] = field(default_factory=list)
    kept: list[Any] = field(default_factory=list)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.operands[0].dtype)

    @property
    def real(self) -> np.dtype[Any]:
        """The type of norms."""
        return np.dtype(self.dtype.char.lower())

    @property
    def is_complex(self) -> bool:
        return self.dtype.kind == "c"

    @property
    def largest(self) -> int:
        """The largest size of a problem's first operand."""
        return max(self.operands[0].shape[len(self.batch) :], default=0)

    @property
    def batch(self) -> tuple[int, ...]:
        shape = self.operands[0].shape
        return tuple(shape[: len(shape) - self.rank])

    def shape(self, number: int, rank: int) -> tuple[int, ...]:
        """Of one problem's array: operands first, then results. Raises HloError where it has another rank or batch."""
        arrays = [*self.operands, *self.results]
        if number >= len(arrays):
            raise HloError(f"more than {len(self.operands)} operands and {len(self.results)} results expected")
        shape = tuple(arrays[number].shape)
        if shape[: len(shape) - rank] != self.batch or len(shape) < rank:
            raise HloError(f"array {number} must be {list(self.batch)} arrays of rank {rank}, found {arrays[number]}")
        return shape[len(shape) - rank :]

    def _checked(self, number: int, sizes: tuple[int, ...], kind: Any) -> np.dtype[Any]:
        """The type of an array, which must have these sizes and this type."""
        self.shape(number, len(sizes))
        found = [*self.operands, *self.results][number]
        expected = ArrayType((*self.batch, *sizes), self.dtype if kind is None else np.dtype(kind))
        if (tuple(found.shape), found.dtype) != (expected.shape, expected.dtype):
            raise HloError(f"array {number} must be {expected}, found {found}")
        return expected.dtype

    def check_count(self) -> None:
        """Raises HloError where there are no operands, or more arrays than the runner takes."""
        count, most = len(self.operands) + len(self.results), lapack_runner.MOST_ARRAYS - 3
        if not self.operands or count > most:
            raise HloError(
                f"1 to {most} operands and results expected, found {len(self.operands)} and {len(self.results)}"
            )

    def check_types(self, name: str) -> None:
        """The first letter of a routine's name says what it computes with. Raises HloError where operands are of another type."""
        expected = np.dtype({"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[name[0]])
        if self.dtype != expected:
            raise HloError(f"{name} computes with {expected}, found {self.operands[0]}")

    def order(self) -> int:
        """Of the first operand. Raises HloError where it is not square."""
        rows, columns = self.shape(0, 2)
        if rows != columns:
            raise HloError(f"square matrices expected, found {self.operands[0]}")
        return rows

    def info(self, number: int) -> Reference:
        """An integer for each problem."""
        return self.array(number, kind=INTEGER)

    def array(self, number: int, *sizes: int, kind: Any = None) -> Reference:
        """An array of a problem where it is; of the plan's type, if no other is given."""
        return number + 2, 0, prod(sizes) * self._checked(number, sizes, kind).itemsize

    def work(self, count: int, kind: Any) -> Reference:
        """A part of the workspace for so many elements."""
        start, self.size = self.size, self.size + -(-max(1, count) * np.dtype(kind).itemsize // 64) * 64
        return 1, start, 0

    def matrix(
        self, source: int | None, target: int | None, *sizes: int, kind: Any = None, read: int | None = None
    ) -> Reference:
        """A matrix (or a vector) in the workspace, from an array, and to one in the end. `read`: the first columns that the routine reads, if not all."""
        rows, columns = (*sizes, 1)[:2]
        copied = self.work(rows * columns, kind or self.dtype)
        size = np.dtype(kind or self.dtype).itemsize
        if size not in (4, 8, 16):
            raise HloError(f"elements of 4, 8 or 16 bytes expected, found {kind}")
        if source is not None:
            given = self.array(source, *sizes, kind=kind)
            self.steps.append((0, *given, *copied, rows, columns if read is None else read, size, columns))
        into = NOTHING if target is None else self.array(target, *sizes, kind=kind)
        if target is not None and self._is_read(target):
            self.after.append((0, *copied, *into, columns, rows, size, rows))
        return copied

    def matrix_for_values(self, source: int, target: int, rows: int, columns: int) -> Reference | None:
        """The transpose of a matrix in the workspace, copied as it is: for routines whose results are the same for both, where nothing reads what they
        leave of it, which is result `target`. None where something does."""
        if self._is_read(target):
            return None
        copied, given = self.work(rows * columns, self.dtype), self.array(source, rows, columns)
        self.array(target, rows, columns)
        self.steps.append((0, *given, *copied, rows * columns, 1, self.dtype.itemsize, 1))
        return copied

    def _is_read(self, number: int) -> bool:
        """Whether the program uses an array that is a result."""
        return number - len(self.operands) not in self.unread

    def paired(self, imaginary: Reference, target: int, order: int) -> Reference:
        """Real eigenvectors in the workspace, by columns, of which a complex result is made in the end. `imaginary`: the parts of the eigenvalues."""
        vectors = self.work(order * order, self.dtype)
        into = self.array(target, order, order, kind=np.result_type(self.dtype, np.complex64))
        if self._is_read(target):
            self.after.append((1, *imaginary, *vectors, *into, order, self.dtype.itemsize))
        return vectors

    def zeros(self, target: int, *sizes: int, kind: Any = None) -> None:
        """A result that no call writes."""
        into = self.array(target, *sizes, kind=kind)
        if self._is_read(target):
            self.steps.append((3, *into, into[2]))

    def finite(self, source: int, info: int, code: int) -> None:
        """Leaves out the calls of problems in which a number of array `source` is NaN or infinite: `code` is their result code, what the
        workspace has for results is zeros."""
        kind = self.operands[source].dtype
        numbers = self.array(source, *self.shape(source, self.rank))
        count = prod(self.shape(source, self.rank)) * (2 if kind.kind == "c" else 1)
        self.steps.append((2, *numbers, *self.info(info), count, self.real.itemsize, code))

    def copied(self, source: int, target: int, rows: int, columns: int) -> Reference:
        """A result that is a copy of an operand at first."""
        into = self.array(target, rows, columns)
        self.steps.append((0, *self.array(source, rows, columns), *into, rows * columns, 1, self.dtype.itemsize, 1))
        return into

    def transposed(self, source: int, target: int, order: int) -> Reference:
        """A result that is the transpose of an operand at first."""
        into = self.array(target, order, order)
        self.steps.append((0, *self.array(source, order, order), *into, order, order, self.dtype.itemsize, order))
        return into

    def constant(self, value: int | str | np.generic) -> Reference:
        """An integer (of 32 bits), a letter, a number."""
        stored = np.array([ord(value)], np.uint8) if isinstance(value, str) else np.array([value], None if isinstance(value, np.generic) else INTEGER)  # fmt: skip
        self.constants.append(stored)
        return CONSTANT, len(self.constants) - 1, 0

    def call(self, name: str, *arguments: Argument, sides: int = 0) -> None:
        """`sides`: right sides that threads divide, if they do; then the strides of references are those between right sides, and `PART` is how many a part has."""
        references = [a if isinstance(a, tuple) else self.constant(a) for a in arguments]
        references += [ONE_LETTER for a in arguments if isinstance(a, str)]
        assert len(references) <= lapack_runner.ARGUMENTS
        self.steps.append(Step(name, tuple(references), sides))

    def call_with_work(
        self,
        name: str,
        *arguments: Argument,
        work: Sequence[Any],
        fixed: Sequence[Reference] = (),
    ) -> None:
        """`work`: the types of the arrays whose sizes the function tells, each followed by its size in the arguments; None stands for a fixed one. The last argument, after those, is where the function's result code goes."""
        *before, info = arguments
        kinds = [k for k in work if k is not None]
        probes = [np.zeros(4, k) for k in kinds]
        passed: list[Any] = []
        for probe in probes:
            passed += [probe.ctypes.data, self._probe(-1)]
        pointers = [self._probe(a) for a in before]
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * lapack_runner.ARGUMENTS)(function_address(name))(
            *_padded([*pointers, *_with_fixed(work, passed, [self._probe(f) for f in fixed]), self._probe(NOTHING)])
        )
        sizes = [int(p[0].real) for p in probes]
        found: list[Any] = []
        for kind, count in zip(kinds, sizes):
            found += [self.work(count, kind), count]
        self.call(name, *before, *_with_fixed(work, found, list(fixed)), info)

    def _probe(self, argument: Any) -> int:
        """What is passed where only sizes of work are asked for."""
        if isinstance(argument, tuple):
            self.kept.append(np.zeros(4, np.complex128))
            return int(self.kept[-1].ctypes.data)
        return int(self.constants[self.constant(argument)[1]].ctypes.data)

    def header(self, pool: int = 0, settings: tuple[int, int] = (0, 0), receive: int = 0) -> list[int]:
        """The first words, as lapack_runner.py has them. `settings`: thread_settings of the library, for matrices that it is faster for alone; `receive`: the
        pool's function for others."""
        problems, arrays = prod(self.batch), len(self.operands) + len(self.results)
        parts = min(problems, PARTS) if pool and self._gains_from_threads else 1
        alone = parts > 1 or self._is_small
        threads = (*settings, 0) if alone else (0, 0, receive)
        return [problems, max(lapack_runner.LINE, self.size), arrays, len(self.all_steps), parts, pool, *threads]

    @property
    def divides_sides(self) -> bool:
        """Whether threads divide the right sides of a system: of a single one, for which OpenBLAS has no threads."""
        return prod(self.batch) == 1 and self._is_small

    @property
    def _is_small(self) -> bool:
        """Whether OpenBLAS is kept to the calling thread for a matrix of this size."""
        size = prod(self.operands[0].shape) // max(1, prod(self.batch)) * self.dtype.itemsize
        return self.largest <= most_alone(self.kind, self.dtype) and size <= ALONE_BYTES

    @property
    def _gains_from_threads(self) -> bool:
        """Whether the problems take long enough to divide them, and do not wait for each other."""
        if self.largest <= self.undivided:
            return False
        elements, problems = prod(self.operands[0].shape), max(1, prod(self.batch))
        size = max(self.size, elements // problems * self.dtype.itemsize)
        return (self.is_iterative and elements >= ITERATIVE_PARALLEL) or (size >= LEAST and problems * size >= PARALLEL)

    @property
    def all_steps(self) -> list[tuple[int, ...] | Step]:
        return [*self.steps, *self.after]

    def words(self, pool: int = 0) -> np.ndarray:
        """What the runner reads in this process; valid as long as the plan is there. `pool`: the address of the words that say which
        threads there are; 0 if the caller does all."""
        table = np.zeros((len(self.all_steps), lapack_runner.WORDS), np.int64)
        for row, step in zip(table, self.all_steps):
            words = self._call_words(step) if isinstance(step, Step) else step
            row[: len(words)] = words
        header = self.header(pool, thread_settings(), receive_guests() if pool else 0)
        return np.concatenate([np.array(header, np.int64), table.reshape(-1)])

    def _call_words(self, step: Step) -> tuple[int, ...]:
        return function_address(step.name), self._passed(step), step.sides, len(step.references)

    def _passed(self, step: Step) -> int:
        """The address of a call's references."""
        words = np.zeros((lapack_runner.ARGUMENTS, 3), np.int64)
        for row, (array, offset, stride) in zip(words, step.references):
            row[:] = (0, self.constants[offset].ctypes.data, 0) if array == CONSTANT else (array, offset, stride)
        self.kept.append(words)
        return int(words.ctypes.data)


def _with_fixed(work: Sequence[Any], pairs: list[Any], fixed: list[Any]) -> list[Any]:
    """Arrays and their sizes in the order of `work`, a fixed array for each None."""
    pairs, fixed = list(pairs), list(fixed)
    arrays: list[Any] = []
    for kind in work:
        arrays += [fixed.pop(0)] if kind is None else [pairs.pop(0), pairs.pop(0)]
    return arrays


def _padded(pointers: list[int]) -> list[int]:
    return [*pointers, *[0] * (lapack_runner.ARGUMENTS - len(pointers))]
