"""The phases that all compiled targets have in common: from StableHLO to kernels on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.pipelines.phase import Phase

ON_TENSORS = ("func", "arith", "math", "complex", "linalg", "tensor", "scf", "vector", "x86vector")

CANONICALIZE = "canonicalize{region-simplify=disabled}"
"""Blocks are written as they are to be: looking for equal ones finds none."""


def to_kernels(
    *own: str,
    processor: str,
    after: Sequence[str] = (),
    on_gpu: bool = False,
) -> list[Phase]:
    """A fresh list; `own`: the target's passes in front of form-kernels, `after`: those behind. `processor`: whose
    plans say what is one kernel. `on_gpu`: it is one that multiplies f8 and runs thousands of threads, but neither layers nor grids of processes."""
    return [
        Phase(
            "stablehlo",
            [
                "call-programs",
                "keep-called-computations",
                "inline-calls",
                "inline-async",
                "legalize-upstream",
                *([] if on_gpu else ["lower-collectives"]),
                "specialize-shapes{complete=true}",
                "widen-accumulators",
                "legalize-element-types{products=f8}" if on_gpu else "legalize-element-types",
                *([] if on_gpu else ["outline-layers"]),
                "legalize-chlo",
                "decompose",
                "expand-maps",
                "split-factorisations"
                if on_gpu
                else f"split-factorisations{{order=64 leaf=32 system=512 columns=64 target={processor}}}",
                *([] if on_gpu else [f"transpose-factorisations{{target={processor}}}"]),
                "fold-constants",
                "narrow-results",
                *([] if on_gpu else ["block-scans"]),
                "simplify-algebra",
                "hoist-loop-invariants",
                "multiply-steps-together",
                "eliminate-common-subexpressions",
                "eliminate-dead-code",
            ],
        ),
        Phase(
            "linalg",
            [
                f"stablehlo-to-linalg{{target={processor}}}",
                CANONICALIZE,
                "cse",
                "func.func(convert-elementwise-to-linalg)",
            ],
            legal=ON_TENSORS,
        ),
        Phase(
            "kernels",
            [
                "compute-gathered",
                "read-columns",
                f"read-transposed{{target={processor}}}",
                *own,
                f"form-kernels{{target={processor}}}",
                *after,
            ],
            legal=ON_TENSORS,
        ),
    ]
