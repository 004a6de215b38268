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
    many_threads: bool = False,
    layers: bool = False,
    grids: bool = False,
    products: str = "f32",
    reads_padding: bool = False,
) -> list[Phase]:
    """A fresh list; `own`: the target's passes in front of form-kernels, `after`: those behind. `processor`: whose
    plans say what is one kernel. `many_threads`: the target runs thousands. `layers`: it takes functions with
    hlo.layer. `grids`: it runs grids of processes. `products`: what f8 is multiplied as. `reads_padding`: kernels read
    padded arrays without a copy."""
    return [
        Phase(
            "stablehlo",
            [
                "call-programs",
                "keep-called-computations",
                "inline-calls",
                "inline-async",
                "legalize-upstream",
                *(["lower-collectives"] if grids else []),
                "specialize-shapes{complete=true}",
                "widen-accumulators",
                f"legalize-element-types{{products={products}}}",
                *(["outline-layers"] if layers else []),
                "legalize-chlo",
                "decompose",
                "expand-maps",
                "split-factorisations"
                if many_threads
                else f"split-factorisations{{order=64 leaf=32 system=512 columns=64 target={processor}}}",
                *([] if many_threads else [f"transpose-factorisations{{target={processor}}}"]),
                "fold-constants",
                "narrow-results",
                *([] if many_threads else ["block-scans"]),
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
                f"stablehlo-to-linalg{{{'many-threads=true' if many_threads else f'target={processor}'}}}",
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
                f"form-kernels{{target={processor}{' reads-padding=true' if reads_padding else ''}}}",
                *after,
            ],
            legal=ON_TENSORS,
        ),
    ]
