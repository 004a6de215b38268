"""A kernel as a program of its own: it can be compiled, run and timed without the program that calls it."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from hlo import pipelines
from hlo.dialect.printer import print_module
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernel_calls import calls, functions_by_name
from hlo.lowering.kernels.schedule import SCHEDULE
from hlo.pipelines.dump import phases_after
from hlo.runtime.calls.random_arrays import random_array
from hlo.runtime.compile.read_signature import signature_of

NAME = "kernel"
NOT_ALONE = (
    "tensor.extract",
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.ceildivsi",
    "arith.floordivsi",
)
"""Ops that are defined for some integers only, which the rest of the program may see to."""


@dataclass(frozen=True)
class Machine:
    """What code is made for: the option `cpu`, and threads."""

    processor: str
    threads: int


@dataclass(frozen=True)
class KernelProgram:
    """`module`: the kernel, and @main, which calls it."""

    module: ir.Module
    machine: Machine

    @property
    def kernel(self) -> Any:
        return next(op for op in self.module.body.operations if op.name.value == NAME)

    def text(self) -> str:
        """Without the schedule: the same for kernels that compute the same."""
        schedule = self.kernel.attributes[SCHEDULE]
        del self.kernel.attributes[SCHEDULE]
        text = print_module(self.module)
        self.kernel.attributes[SCHEDULE] = schedule
        return text

    def arguments(self) -> list[np.ndarray]:
        """Random ones, the same at every call."""
        generator = np.random.default_rng(0)
        types = signature_of(self.kernel).arguments
        return [random_array(kind.shape, kind.dtype, generator) for kind in types]

    def compile(self, schedule: ir.Attribute) -> Any:
        """The executable with a schedule. Raises an HloError for one that is not allowed."""
        from hlo.runtime.compile.compilation import compile_program  # which compiles with tune

        self.kernel.attributes[SCHEDULE] = schedule
        phases = phases_after(pipelines.cpu(self.machine.processor), "kernels")
        options = {"cpu": self.machine.processor, "threads": self.machine.threads}
        return compile_program(lambda: self.module, "cpu", "main", phases, False, options)


def with_called(kernel: Any) -> list[Any]:
    """A kernel, and the kernels that it takes blocks of rows through."""
    called = [call.callee.value for call in calls(kernel)]
    functions = functions_by_name(kernel.operation.parent.opview) if called else {}
    return [kernel, *(functions[name] for name in dict.fromkeys(called))]


def kernel_program(kernel: Any, machine: Machine) -> KernelProgram:
    """Call it in the kernel's context. The kernel itself is copied, with what it calls."""
    inputs, results = (", ".join(map(str, types)) for types in (kernel.type.inputs, kernel.type.results))
    count = len(kernel.type.inputs)
    names = ", ".join(f"%a{n}" for n in range(count))
    parameters = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate(kernel.type.inputs))
    several = f":{len(kernel.type.results)}"
    text = f"""func.func private @{NAME}({inputs}) -> ({results})
    func.func @main({parameters}) -> ({results}) {{
      %r{several} = call @{NAME}({names}) : ({inputs}) -> ({results})
      return {", ".join(f"%r#{n}" for n in range(len(kernel.type.results)))} : {results}
    }}"""
    with kernel.context:
        module = ir.Module.parse(text)
        module.body.operations[0].operation.erase()
        with ir.InsertionPoint(module.body):
            copy, *_ = [one.operation.clone() for one in with_called(kernel)]
        copy.attributes["sym_name"] = ir.StringAttr.get(NAME)
    return KernelProgram(module, machine)


def why_not_alone(kernel: Any) -> str:
    """Why a kernel cannot be run on arguments of any value; empty if it can."""
    found: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        moved = op.name in ("tensor.extract_slice", "tensor.insert_slice") and len(op.operands) > 1 + (
            "insert" in op.name
        )
        if op.name in NOT_ALONE or moved:
            found.append(op.name)
        return ir.WalkResult.ADVANCE

    for one in with_called(kernel):
        one.operation.walk(visit)
    return f"{found[0]} needs integers that its program sees to" if found else ""
