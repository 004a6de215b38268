"""One function of a program, through the CPU's phases, for a processor that may be another machine's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo import pipelines
from hlo.dialect.process_groups import grid_of
from hlo.dialect.types import element_type, tensor
from hlo.errors import ArgumentError, CompileError, Diagnostic
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.linear_algebra.small_factorisations import ROUTINES
from hlo.lowering.stablehlo.shapes.specialize_shapes import has_dynamic_arguments, resolve_shapes
from hlo.pipelines.phase import Phase
from hlo.runtime.aot.lapack_text import RUNNER
from hlo.runtime.aot.names import is_identifier
from hlo.runtime.calls.dynamic import argument_types, check_shapes
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.code.routines import add_routines
from hlo.runtime.code.symbols import Symbol
from hlo.runtime.compile.deep_recursion import DEEP_RECURSION
from hlo.runtime.compile.entry_function import entry_only, function_named
from hlo.runtime.compile.loader import array_types, take_constants
from hlo.runtime.compile.read_signature import signature_of
from hlo.runtime.compile.size_limits import check_sizes
from hlo.runtime.custom_calls import standard_targets  # noqa: F401 (registers hlo's own)
from hlo.runtime.custom_calls.lapack import Routine
from hlo.runtime.custom_calls.lapack_plan import Plan
from hlo.runtime.custom_calls.registry import LIBRARIES, TARGETS, CustomCall, bind

IDLE = ("interrupt-loops",)
"""Passes for programs that a Python process runs."""

Shapes = Sequence[tuple[int, ...]]


LAPACK = ("own", "openblas")
"""How LAPACK is called: not at all, but by operations of StableHLO; by its symbols, which the program is linked with."""


@dataclass(frozen=True)
class CCall:
    """A custom call that is one of a C function, with the numbers of its operands and results; or one of LAPACK. `name`: None for a call of
    LAPACK with nothing to compute."""

    name: str | None
    operands: int
    results: tuple[ArrayType, ...]
    plan: Plan | None = None

    @property
    def is_users(self) -> bool:
        """Whether its function is one that the user writes."""
        return self.name is not None and self.plan is None


@dataclass(frozen=True)
class Lowered:
    """What the CPU's last phase leaves of a function: a module in the LLVM dialect, without its constants. `arena`: bytes."""

    module: ir.Module
    signature: Signature
    constants: list[np.ndarray]
    arena: int
    calls: list[CCall]


def lower(
    program: ir.Module, entry: str, processor: str, shapes: Shapes | None = None, lapack: str = LAPACK[0]
) -> Lowered:
    """Raises CompileError for what no object file can have: grids of processes, dynamic shapes without `shapes`, calls of Python."""
    module = _static(program, entry, shapes)
    check_sizes(module)
    signature = signature_of(function_named(module, entry))
    phases = pipelines.cpu(processor)
    for phase in phases:
        phase.passes = [p for p in phase.passes if p not in IDLE]
    if lapack == "own":
        _use_own_lapack(phases)
    with DEEP_RECURSION:
        pipelines.run(module, phases)
        add_routines(module, processor)
    attributes = module.operation.attributes
    with module.context:
        calls = [_c_call(ir.DictAttr(a), lapack) for a in ir.ArrayAttr(attributes["hlo.custom_calls"])]
        constants = take_constants(module)
    return Lowered(module, signature, constants, ir.IntegerAttr(attributes["hlo.arena"]).value, calls)


def _static(program: ir.Module, entry: str, shapes: Shapes | None) -> ir.Module:
    """The function and what it calls, with the shapes of its arguments."""
    from hlo.runtime.compile.compilation import has_shardings

    if has_shardings(program) or grid_of(program, None, None).size > 1:
        raise CompileError(f"@{entry}: an object file runs on one processor, found a program for a grid of processes")
    module = entry_only(program, entry)
    function = function_named(module, entry)
    if not has_dynamic_arguments(function):
        if shapes is not None:
            raise ArgumentError(f"@{entry} has arguments of static shapes; it takes no others")
        resolve_shapes(module)
        return module
    if shapes is None:
        raise CompileError(
            f"@{entry} has arguments of dynamic shapes: an object file needs their sizes (shapes, --shapes)"
        )
    types = argument_types(module, entry)
    check_shapes(types, tuple(shapes))
    for argument, t, sizes in zip(function.regions[0].blocks[0].arguments, types, shapes, strict=True):
        argument.set_type(tensor(sizes, element_type(t)))
    resolve_shapes(module, always=True)
    return module


def _c_call(attributes: Any, lapack: str) -> CCall:
    """Raises CompileError for a custom call of what is no C function."""
    name, location = (
        ir.StringAttr(attributes[k]).value if k in attributes else "" for k in ("hlo.custom_call", "hlo.location")
    )
    operands, results = (array_types(attributes, f"hlo.{k}_types") for k in ("operand", "result"))
    if name.startswith("lapack_"):
        _check_routine(name, location, lapack)
        return _lapack_call(bind(attributes, operands, results), lapack)
    if _is_python(name):
        raise CompileError(
            _finding(location, f"custom call @{name} is a function of Python, which an object file cannot call")
        )
    if not is_identifier(name):
        raise CompileError(
            _finding(location, f"custom call @{name} would be a C function of this name, which is no identifier")
        )
    return CCall(name, len(operands), results)


def _use_own_lapack(phases: Sequence[Phase]) -> None:
    """Large triangles become operations of StableHLO, which are made of products; what is left is code as it is for small ones."""
    for phase in phases:
        phase.passes = [p.replace(CALLED_LAPACK, OWN_LAPACK) if isinstance(p, str) else p for p in phase.passes]
    phases[0].passes.insert(0, "lapack-to-stablehlo")


CALLED_LAPACK, OWN_LAPACK = "stablehlo-to-linalg{", "stablehlo-to-linalg{own-lapack=true "


def _check_routine(name: str, location: str, lapack: str) -> None:
    """Raises CompileError where a routine is one that we have no code for, and no other may be called."""
    routine = name.removeprefix("lapack_").removesuffix("_ffi")
    if lapack == "own" and routine[1:] not in ROUTINES:
        message = "no factorisation of ours is this; lapack='openblas' (--lapack=openblas) calls LAPACK's"
        raise CompileError(_finding(location, f"custom call @{name}: {message}"))


def _lapack_call(call: CustomCall, lapack: str) -> CCall:
    """Raises CompileError for a call that does not fit its routine, or of a Python function."""
    routine = call.function
    if not isinstance(routine, Routine):
        raise CompileError(call.finding("a function of Python, which an object file cannot call"))
    plan = routine.plan(call)
    if lapack == "own":
        raise CompileError(
            call.finding("LAPACK has nothing to compute here; lapack='openblas' leaves its results zero")
        )
    return CCall(RUNNER if plan else None, len(call.operands), call.results, plan)


def _is_python(name: str) -> bool:
    known = TARGETS.get(name)
    return (known is not None and not isinstance(known, Symbol)) or any(name.startswith(p) for p in LIBRARIES)


def _finding(location: str, message: str) -> Diagnostic:
    if not location:
        return Diagnostic(message)
    file, line, column = location.rsplit(":", 2)
    return Diagnostic(message, file, int(line), int(column))
