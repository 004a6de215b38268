"""Programs whose arguments have dynamic shapes: compiled at the call, for the shapes of the arguments."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.process_grid import Grid
from hlo.dialect.types import DYNAMIC, element_type, is_tensor, shape, tensor
from hlo.errors import ArgumentError
from hlo.forks import UNFORKED
from hlo.interruption import uninterrupted
from hlo.lowering.stablehlo.shapes.specialize_shapes import resolve_shapes
from hlo.runtime.calls.arguments import check_count, shapes_of
from hlo.runtime.calls.dtypes import element_dtype
from hlo.runtime.calls.executable import Executable
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.compile.read_signature import flat_types
from hlo.runtime.grid.processes import argument_lists
from hlo.runtime.grid.rendezvous import seconds_to_wait
from hlo.runtime.profile.refusal import NotProfiled, NotSaved

LARGEST = 2**62
"""Larger than any size."""

Shapes = tuple[tuple[int, ...], ...]


class DynamicExecutable(NotProfiled, NotSaved):
    """`exe(*arrays)` runs the program, which is compiled once for each combination of shapes.

    `signature`: the types of the arguments and results; sizes that calls choose are None. `specialize(*shapes)` gives
    the executable for shapes, without running it; `specializations` are those made."""

    NOT_PROFILED = NOT_SAVED = "a program for arguments of any size (that of `exe.specialize(*shapes)` can)"

    def __init__(self, entry: str, copy: Callable[[], ir.Module], build: Callable[[ir.Module], Executable]):
        self._entry = entry
        self._copy = copy
        self._build = build
        self._lock = threading.Lock()
        module = copy()
        self._types = argument_types(module, entry)
        results = result_types(module, entry)
        self.signature = Signature(
            tuple(seen("argument", i, t) for i, t in enumerate(self._types)),
            tuple(seen("result", i, t) for i, t in enumerate(results)),
        )
        self.specializations: dict[Shapes, Executable] = {}
        self.grid = Grid()

    def __call__(self, *arrays: Any, out: Sequence[np.ndarray] | None = None) -> list[np.ndarray]:
        """Runs the program for the shapes of the arrays. Raises ArgumentError for shapes or types that do not fit, and
        VerifyError or CompileError where the program does not accept them."""
        exe = self.specialize(*shapes_of(arrays))
        return exe(*arrays) if out is None else exe(*arrays, out=out)  # a GPU's takes no arrays for its results

    def profile(self, *arrays: Any, repeat: int = 10) -> Any:
        """Of the program for the shapes of the arrays, which must have been compiled with profile=True."""
        return self.specialize(*shapes_of(arrays)).profile(*arrays, repeat=repeat)

    def run_grid(self, arguments: Sequence[Sequence[Any]], timeout: float | None = None) -> list[list[np.ndarray]]:
        """The results of the only process, which waits for no others."""
        seconds_to_wait(timeout)
        return [self(*one) for one in argument_lists(self.grid, arguments)]

    def specialize(self, *shapes: Sequence[int]) -> Executable:
        key = tuple(_sizes(s) for s in shapes)
        with UNFORKED, self._lock:
            if key not in self.specializations:
                self._check(key)
                self.specializations[key] = uninterrupted(lambda: self._compile(key))
            return self.specializations[key]

    def _check(self, shapes: Shapes) -> None:
        check_shapes(self._types, shapes)

    def _compile(self, shapes: Shapes) -> Executable:
        static = self._copy()
        block = _entry_block(static, self._entry)
        for argument, sizes in zip(block.arguments, shapes, strict=True):
            argument.set_type(tensor(sizes, element_type(argument.type)))
        resolve_shapes(static, always=True)
        return self._build(static)

    def __repr__(self) -> str:
        return f"<DynamicExecutable {self.signature}, {len(self.specializations)} compiled>"


def argument_types(module: ir.Module, entry: str) -> list[ir.Type]:
    """Of a function, as the program has them."""
    return [a.type for a in _entry_block(module, entry).arguments]


def check_shapes(types: Sequence[ir.Type], shapes: Shapes) -> None:
    """Raises ArgumentError for shapes that arguments of these types cannot have."""
    check_count(types, len(shapes))
    for number, (sizes, t) in enumerate(zip(shapes, types)):
        if not fits(sizes, t):
            raise ArgumentError(f"argument {number}: a shape that fits {t} expected, found {sizes}")


def seen(what: str, number: int, t: ir.Type) -> ArrayType:
    """The type that an argument is given as, or a result comes as."""
    if not is_tensor(t):
        verb = "takes" if what == "argument" else "gives"
        raise ArgumentError(f"{what} {number}: a program with dynamic shapes {verb} tensors only, found {t}")
    sizes: Any = tuple(None if n == DYNAMIC else n for n in shape(t))
    return ArrayType(sizes, element_dtype(element_type(t), f"{what} {number}"))


def _sizes(shape: Any) -> tuple[int, ...]:
    try:
        return tuple(index(n) for n in shape)
    except TypeError:
        raise ArgumentError(f"a shape is a list of sizes, found {shape!r}") from None


def fits(sizes: Sequence[int], t: ir.Type) -> bool:
    """Whether a tensor of a type may have these sizes."""
    limits = _limits(t)
    return len(sizes) == len(limits) and all(low <= n <= high for n, (low, high) in zip(sizes, limits))


def _limits(t: ir.Type) -> list[tuple[int, int]]:
    """The least and the greatest size of each dimension: its size, or up to its bound where it is dynamic."""
    encoding = ir.RankedTensorType(t).encoding
    written = list(encoding["bounds"]) if isinstance(encoding, ir.DictAttr) and "bounds" in encoding else []
    bounds = [b if b != DYNAMIC else LARGEST for b in written] or [LARGEST] * len(shape(t))
    return [(n, n) if n != DYNAMIC else (0, bound) for n, bound in zip(shape(t), bounds)]


def result_types(module: ir.Module, entry: str) -> list[ir.Type]:
    """Of a function, tuples opened; tokens are nothing at run time."""
    return [t for kind in _entry_function(module, entry).type.results for t in flat_types(kind)]


def _entry_block(module: ir.Module, entry: str) -> ir.Block:
    return _entry_function(module, entry).regions[0].blocks[0]


def _entry_function(module: ir.Module, entry: str) -> Any:
    for op in module.body.operations:
        if op.operation.name == "func.func" and op.name.value == entry:
            return op
    raise ArgumentError(f"no function {entry!r}")
