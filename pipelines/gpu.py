"""The GPU target: from StableHLO to kernels in the NVVM dialect and a host function that launches them."""

from __future__ import annotations

from hlo.pipelines.phase import Phase
from hlo.pipelines.to_kernels import to_kernels

ON_DEVICE = ("func", "arith", "math", "complex", "scf", "memref", "vector", "gpu", "llvm", "ub", "hlo.constant")
ON_MEMORY = ("func", "arith", "math", "complex", "scf", "memref", "vector", "affine", "linalg", "gpu", "llvm", "ub", "hlo.constant")
HOST = ("func", "arith", "scf", "memref", "llvm", "hlo.constant")
"""What the host function is read from when it becomes a launch plan."""


def gpu(arch: str = "sm_80") -> list[Phase]:
    """A fresh list of phases. `arch`: the oldest architecture that the PTX is to run on (sm_80, sm_90, sm_90a, ...)."""
    return [
        *to_kernels(),
        Phase("memory", ["emit-gpu-kernels", "bufferize-host", "canonicalize", "cse"], legal=ON_MEMORY),
        Phase(
            "device",
            [
                "gpu.module(gpu.func(math-extend-to-supported-types{target-type=f32 extra-types=f64}))",
                "gpu.module(lower-affine,expand-strided-metadata,lower-affine,convert-complex-to-standard)",
                "gpu.module(canonicalize,cse,loop-invariant-code-motion)",
            ],
            legal=ON_DEVICE,
        ),
        Phase(
            "nvvm",
            [
                "gpu.module(convert-scf-to-cf)",
                f"nvvm-attach-target{{chip={arch} features=+ptx80 O=3}}",
                "gpu.module(convert-vector-to-llvm{use-vector-alignment=true})",
                "gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true index-bitwidth=64})",
                "gpu.module(convert-math-to-llvm,convert-complex-to-llvm,convert-nvvm-to-llvm,reconcile-unrealized-casts,canonicalize,cse)",
            ],
            legal=(*HOST, "gpu", "nvvm"),
        ),
    ]
