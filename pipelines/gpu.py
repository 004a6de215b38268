"""The GPU target: from StableHLO to kernels in the NVVM dialect and a host function that launches them."""

from __future__ import annotations

import re

from hlo.errors import ArgumentError
from hlo.lowering.target import GPUS, gpu_named
from hlo.pipelines.phase import Phase
from hlo.pipelines.to_kernels import to_kernels

ON_DEVICE = (
    "func",
    "arith",
    "math",
    "complex",
    "scf",
    "memref",
    "vector",
    "gpu",
    "nvgpu",
    "nvvm",
    "llvm",
    "ub",
    "hlo.constant",
)
ON_MEMORY = (
    "func",
    "arith",
    "math",
    "complex",
    "scf",
    "memref",
    "vector",
    "affine",
    "linalg",
    "gpu",
    "nvgpu",
    "nvvm",
    "llvm",
    "ub",
    "hlo.constant",
)
HOST = ("func", "arith", "scf", "memref", "llvm", "hlo.constant", "builtin")
"""What the host function is read from when it becomes a launch plan."""


OLDEST = 80
FIRST_WITH = {"": OLDEST, "a": 90, "f": 100}
"""The oldest architecture that has code for it alone (a), or for its family (f), which PTX knows from 8.8 on."""

FAMILIES = 88

DEVICES = ("cuda", "model")

LEAST_SWAPPED = 1 << 24
"""Bytes from which it is profitable that a loop carries a value in two alternating buffers, and not in one as loops on the device need."""


def gpu(arch: str = "sm_80", device: str = "cuda") -> list[Phase]:
    """A fresh list of phases. `arch`: the oldest architecture that the PTX is to run on (sm_80, sm_90, sm_90a, ...), one of PTX.
    `device`: "cuda", or "model", whose last phase is "device". Raises ArgumentError for others."""
    version = _ptx_version(arch)
    if device not in DEVICES:
        raise ArgumentError(f"unknown device {device!r}; devices: {', '.join(DEVICES)}")
    phases = _phases(arch, version)
    return phases if device == "cuda" else phases[:-1]


def _ptx_version(arch: str) -> int:
    """Of the code for an architecture. Raises ArgumentError for those that LLVM and the kernels do not know."""
    match = re.fullmatch(r"sm_(\d+)([af]?)", arch)
    if not match or f"sm_{match[1]}" not in GPUS or int(match[1]) < FIRST_WITH[match[2]]:
        known = ", ".join(one for one in GPUS if one[-1].isdigit())
        raise ArgumentError(
            f"GPU architecture {arch!r}: sm_{OLDEST} or later expected ({known}; sm_90a, sm_100a, ... for that one alone)"
        )
    return max(gpu_named(arch).ptx, FAMILIES if match[2] == "f" else 0)


def _phases(arch: str, version: int) -> list[Phase]:
    return [
        *to_kernels(
            "prepare-products",
            "form-attention",
            f"read-slices{{target={arch}}}",
            processor=arch,
            on_gpu=True,
        ),
        Phase(
            "memory",
            [
                "fuse-epilogues",
                f"split-k{{target={arch}}}",
                f"separate-contractions{{target={arch}}}",
                f"emit-gpu-kernels{{target={arch}}}",
                f"bufferize-host{{least-swapped={LEAST_SWAPPED} on-stack=false}}",
                "canonicalize",
                "cse",
            ],
            legal=ON_MEMORY,
        ),
        Phase(
            "device",
            [
                "expand-small-floats",
                "gpu.module(gpu.func(math-extend-to-supported-types{target-type=f32 extra-types=f64}))",
                "gpu.module(lower-affine,expand-strided-metadata,lower-affine,convert-complex-to-standard)",
                "gpu.module(canonicalize,cse,loop-invariant-code-motion)",
            ],
            legal=ON_DEVICE,
        ),
        Phase(
            "nvvm",
            [
                "gpu.module(convert-nvgpu-to-nvvm,convert-scf-to-cf)",
                f"nvvm-attach-target{{chip={arch} features=+ptx{version} O=3}}",
                "gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true index-bitwidth=64})",
                "complete-nvvm",
                "gpu.module(convert-math-to-llvm,convert-complex-to-llvm,convert-nvvm-to-llvm,reconcile-unrealized-casts,canonicalize,cse)",
            ],
            legal=(*HOST, "gpu", "nvvm"),
        ),
    ]
