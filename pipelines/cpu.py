"""The CPU target: from StableHLO to the LLVM dialect, one line a pass."""

from __future__ import annotations

from hlo.pipelines.phase import Phase
from hlo.pipelines.to_kernels import CANONICALIZE, to_kernels

ON_MEMORY = (
    "func",
    "arith",
    "math",
    "complex",
    "scf",
    "cf",
    "memref",
    "vector",
    "x86vector",
    "index",
    "affine",
    "llvm",
    "ub",
    "hlo.constant",
)


def cpu(processor: str = "host", profile: bool = False) -> list[Phase]:
    """A fresh list: add, drop or change phases and passes, then `hlo.compile(module, pipeline=...)`.

    `processor`: what kernels are written for: host, amx, avx512, avx2, baseline. `profile`: whether host code measures
    how long its calls take."""
    describe, time_calls = [[name] if profile else [] for name in ("describe-kernels", "time-calls")]
    return [
        *to_kernels(
            f"write-transposed{{target={processor}}}",
            f"widen-operands{{target={processor}}}",
            "split-reductions",
            "recompute-values",
            "fill-constants",
            processor=processor,
            after=[f"fuse-rows{{target={processor}}}", f"schedule-kernels{{target={processor}}}"],
        ),
        Phase(
            "memory",
            [
                f"vectorize-fft{{target={processor}}}",
                f"emit-kernels{{target={processor}}}",
                *describe,
                "bufferize-host",
                "split-copies",
                *time_calls,
                "interrupt-loops",
                "func.func(cse)",
            ],
            legal=ON_MEMORY,
        ),
        Phase(
            "llvm",
            [
                "inline-code",
                "func.func(math-extend-to-supported-types{target-type=f32 extra-types=f64})",
                "func.func(arith-emulate-unsupported-floats{source-types=bf16,f16 target-type=f32})",
                "call-repeated-math",
                f"expand-math{{target={processor}}}",
                "expand-bfloat",
                f"emulate-instructions{{target={processor}}}",
                "func.func(loop-invariant-code-motion)",
                "func.func(expand-strided-metadata,lower-affine)",
                "func.func(convert-complex-to-standard)",
                "expand-masks",
                "func.func(convert-scf-to-cf)",
                "func.func(convert-vector-to-llvm{enable-x86vector=1})",
                "func.func(convert-math-to-llvm)",
                "convert-math-to-libm",
                "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}",
                "convert-to-llvm{filter-dialects=vector,memref,arith,complex,index,cf,ub}",
                "reconcile-unrealized-casts",
                "carry-bits",
                "parallelise-parts",
                "add-entry",
                f"llvm.func({CANONICALIZE},cse)",
                f"halve-byte-shuffles{{target={processor}}}",
                "generate-plainly",
            ],
            legal=("llvm", "hlo.constant"),
        ),
    ]
