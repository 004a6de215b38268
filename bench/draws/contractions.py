"""Contractions of all element types and layouts."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.draws.sizes import COMPLEX, FLOATS, Generator, array, by, label, one_of, size
from bench.programs.program import Program

LAYOUTS = (
    "mk,kn->mn",
    "km,kn->mn",
    "mk,nk->mn",
    "km,nk->mn",
    "bmk,bkn->bmn",
    "bmk,bnk->bmn",
    "mbk,nbk->bmn",
    "mk,kbn->bmn",
)
EXTRAS = ("none", "none", "bias", "relu", "scale")
OPERATIONS = 3e8
"""Multiply-adds of a drawn contraction, at most."""


def contraction(rng: Generator) -> Program:
    return _program(rng, one_of(rng, (*FLOATS, np.int8, np.int32)), one_of(rng, LAYOUTS), one_of(rng, EXTRAS))


def complex_contraction(rng: Generator) -> Program:
    return _program(rng, one_of(rng, COMPLEX), one_of(rng, LAYOUTS), "none")


def _program(rng: Generator, dtype: Any, layout: str, extra: str) -> Program:
    extents = _extents(rng, layout, OPERATIONS / (4 if np.dtype(dtype).kind == "c" else 1))
    left, right = layout.split("->")[0].split(",")
    lhs, rhs = (array(rng, [extents[d] for d in names], dtype) for names in (left, right))
    bias = array(rng, [extents["n"]], dtype)
    wide = np.int32 if dtype == np.int8 else None

    def function(a: Any, b: Any, c: Any) -> Any:
        result = jnp.einsum(layout, a, b, preferred_element_type=wide)
        return _with_extra(result, c.astype(result.dtype), extra)

    def in_numpy(a: Any, b: Any, c: Any) -> Any:
        return np.einsum(layout, a, b, optimize=True)

    known = extra == "none" and label(dtype) in ("float32", "float64", "complex64", "complex128")
    name = f"{layout} {by(extents.values())} {label(dtype)} {extra}"
    return Program(name, function, lambda: (lhs, rhs, bias), in_numpy=in_numpy if known else None)


def _extents(rng: Generator, layout: str, operations: float) -> dict[str, int]:
    extents = {"b": size(rng, 2, 64)} if "b" in layout else {}
    left = operations / extents.get("b", 1)
    for name in rng.permutation(["m", "k"]):
        extents[str(name)] = size(rng, 1, min(2048, max(1, int(left**0.6))))
        left /= extents[str(name)]
    return {**extents, "n": size(rng, 1, min(4096, max(1, int(left))))}


def _with_extra(result: Any, bias: Any, extra: str) -> Any:
    match extra:
        case "bias":
            return result + bias
        case "relu":
            return jnp.maximum(result + bias, 0)
        case "scale":
            return jax.lax.transpose(result * 2, tuple(reversed(range(result.ndim))))
    return result
