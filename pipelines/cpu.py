"""The CPU target: from StableHLO to the LLVM dialect, one line a pass."""

from __future__ import annotations

from hlo.pipelines.phase import Phase
from hlo.pipelines.to_kernels import to_kernels

ON_MEMORY = (
    "func",
    "arith",
    "math",
    "complex",
    "scf",
    "cf",
    "memref",
    "vector",
    "index",
    "affine",
    "llvm",
    "ub",
    "hlo.constant",
)


def cpu(processor: str = "host") -> list[Phase]:
    """A fresh list: add, drop or change phases and passes, then `hlo.compile(module, pipeline=...)`.

    `processor`: what kernels are written for: host, avx512, avx2, baseline."""
    return [
        *to_kernels(),
        Phase(
            "memory",
            [
                f"emit-kernels{{target={processor}}}",
                "bufferize-host",
                "canonicalize",
                "cse",
            ],
            legal=ON_MEMORY,
        ),
        Phase(
            "llvm",
            [
                "func.func(math-extend-to-supported-types{target-type=f32 extra-types=f64})",
                "expand-math",
                "loop-invariant-code-motion",
                "convert-scf-to-openmp",
                "canonicalize",
                "convert-scf-to-cf",
                "expand-strided-metadata",
                "lower-affine",
                "convert-complex-to-standard",
                "convert-vector-to-llvm",
                "convert-math-to-llvm",
                "convert-math-to-libm",
                "finalize-memref-to-llvm",
                "convert-arith-to-llvm",
                "convert-complex-to-llvm",
                "convert-index-to-llvm",
                "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}",
                "convert-cf-to-llvm",
                "convert-openmp-to-llvm",
                "convert-ub-to-llvm",
                "reconcile-unrealized-casts",
                "add-entry",
                "canonicalize",
                "cse",
            ],
            legal=("llvm", "omp", "hlo.constant"),
        ),
    ]
