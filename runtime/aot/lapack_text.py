"""Calls of LAPACK in object files: each has its plan (runtime/custom_calls/lapack_plan.py) as constants, in which LAPACK's functions
are symbols with the names that Fortran gives them, `spotrf_`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls import lapack_runner
from hlo.runtime.custom_calls.lapack_plan import CONSTANT, NOTHING, Plan, Reference, Step

RUNNER = "hlo_lapack"
"""The function that runs plans (lapack_runner.py)."""


def symbols_of_plan(plan: Plan) -> list[str]:
    return [symbol(step) for step in plan.steps if isinstance(step, Step)]


def symbol(step: Step) -> str:
    return f"{step.name}_"


def plan_text(name: str, plan: Plan) -> str:
    """LLVM IR of the constant `name`, for addresses of 64 bits."""
    texts = [_bytes_text(f"{name}.constant.{n}", one) for n, one in enumerate(plan.constants)]
    words = [str(number) for number in plan.header()]
    for number, step in enumerate(plan.all_steps):
        row: Sequence[object] = step if not isinstance(step, Step) else ()
        if isinstance(step, Step):
            passed = f"{name}.passed.{number}"
            texts.append(_words_text(passed, _references(name, step.references)))
            row = [f"@{symbol(step)}", f"@{passed}", step.sides, len(step.references)]
        words += [*map(str, row), *["0"] * (lapack_runner.WORDS - len(row))]
    return "\n".join([*texts, _words_text(name, words)])


def declarations(plans: Iterable[Plan]) -> list[str]:
    """LLVM IR of what plans refer to."""
    symbols = sorted({s for plan in plans for s in symbols_of_plan(plan)})
    return [f"declare void @{s}()" for s in symbols] + [f"declare void @{RUNNER}(ptr, ptr, ptr, ptr)"] * bool(symbols)


def _references(name: str, references: Sequence[Reference]) -> list[str]:
    words: list[str] = []
    for array, offset, stride in [*references, *[NOTHING] * (lapack_runner.ARGUMENTS - len(references))]:
        words += ["0", f"@{name}.constant.{offset}", "0"] if array == CONSTANT else map(str, (array, offset, stride))
    return words


def _words_text(name: str, words: Sequence[str]) -> str:
    """`words`: numbers and symbols."""
    fields = [f"{'ptr' if word.startswith('@') else 'i64'} {word}" for word in words]
    kinds = ", ".join(field.partition(" ")[0] for field in fields)
    return f"@{name} = internal constant {{ {kinds} }} {{ {', '.join(fields)} }}, align 8"


def _bytes_text(name: str, array: np.ndarray) -> str:
    data = ", ".join(f"i8 {byte}" for byte in array.tobytes())
    return f"@{name} = internal constant [{array.nbytes} x i8] [{data}], align 16"


def zeros_text(name: str, operands: int, results: Sequence[ArrayType]) -> str:
    """LLVM IR of the function `name(out, addresses, context)`, where a call has nothing to compute: its results are zeros."""
    lines = [f"define internal void @{name}(ptr %out, ptr %addresses, ptr %context) {{"]
    for number, result in enumerate(results):
        lines += [
            f"  %at{number} = getelementptr ptr, ptr %addresses, i64 {operands + number}",
            f"  %p{number} = load ptr, ptr %at{number}",
            f"  call void @llvm.memset.p0.i64(ptr %p{number}, i8 0, i64 {result.nbytes}, i1 false)",
        ]
    return "\n".join([*lines, "  ret void", "}", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"])
