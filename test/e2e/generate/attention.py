"""Attention: a softmax between two products, with the masks, types and layouts that models have. Expected: numpy in f64."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, Case, file, suffix, type_name

TOLERANCE = {"bf16": 1e-2, "f16": 2e-3, "f32": 1e-5}
BATCH, QUERIES, KEYS, SIZE = 1, 20, 24, 16


def data(kind: str) -> list[np.ndarray]:
    """Queries, keys and values: eighths, exact in every type."""
    random = np.random.default_rng(11)
    shapes = ((BATCH, QUERIES, SIZE), (BATCH, KEYS, SIZE), (BATCH, KEYS, SIZE))
    return [(random.integers(-9, 10, shape) / 8).astype(DTYPES[kind]) for shape in shapes]


def softmax(scores: np.ndarray) -> np.ndarray:
    """Along the last dimension; NaN for rows of -inf."""
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def attention(name: str, kind: str, lines: str, scores, more: tuple[np.ndarray, ...] = ()) -> Case:
    """`lines`: what makes %s of the products %d; `scores`: the same in numpy; `more`: arrays that both read, from %3 on."""
    q, k, v = data(kind)
    wide = [x.astype(np.float64) for x in (q, k, v)]
    weights = softmax(scores(np.einsum("bqd,bkd->bqk", wide[0], wide[1])))
    want = np.einsum("bqk,bkd->bqd", weights, wide[2]).astype(q.dtype)
    return Case(name, [q, k, v, *more], PROGRAM.format(lines=lines, kind=type_name(q)), [want], TOLERANCE[kind])


PROGRAM = """%d = "stablehlo.dot_general"(%0, %1) {{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}} : (tensor<1x20x16x{kind}>, tensor<1x24x16x{kind}>) -> tensor<1x20x24xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  {lines}
  %m = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<1x20x24xf32>, tensor<f32>) -> tensor<1x20xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<1x20xf32>) -> tensor<1x20x24xf32>
  %x = stablehlo.subtract %s, %mb : tensor<1x20x24xf32>
  %e = stablehlo.exponential %x : tensor<1x20x24xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x20x24xf32>, tensor<f32>) -> tensor<1x20xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1] : (tensor<1x20xf32>) -> tensor<1x20x24xf32>
  %p = stablehlo.divide %e, %lb : tensor<1x20x24xf32>
  %w = stablehlo.convert %p : (tensor<1x20x24xf32>) -> tensor<1x20x24x{kind}>
  %r = "stablehlo.dot_general"(%w, %2) {{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}} : (tensor<1x20x24x{kind}>, tensor<1x24x16x{kind}>) -> tensor<1x20x16x{kind}>"""

SCALED = """%c = stablehlo.constant dense<0.25> : tensor<1x20x24xf32>
  %s = stablehlo.multiply %d, %c : tensor<1x20x24xf32>"""

CAUSAL = """%far = stablehlo.constant dense<{far}> : tensor<1x20x24xf32>
  %i = stablehlo.iota dim = 1 : tensor<1x20x24xi32>
  %j = stablehlo.iota dim = 2 : tensor<1x20x24xi32>
  %c = stablehlo.compare GE, %i, %j : (tensor<1x20x24xi32>, tensor<1x20x24xi32>) -> tensor<1x20x24xi1>
  %s = stablehlo.select %c, %d, %far : tensor<1x20x24xi1>, tensor<1x20x24xf32>"""

BIASED = """%b = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<20x24xf32>) -> tensor<1x20x24xf32>
  %s = stablehlo.add %d, %b : tensor<1x20x24xf32>"""

MASKED = """%b = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<20x24xi1>) -> tensor<1x20x24xi1>
  %far = stablehlo.constant dense<0xFF800000> : tensor<1x20x24xf32>
  %s = stablehlo.select %b, %d, %far : tensor<1x20x24xi1>, tensor<1x20x24xf32>"""

TRIANGLE = np.arange(QUERIES)[:, None] >= np.arange(KEYS)


@file
def attention_() -> list[Case]:
    bias = (np.arange(QUERIES * KEYS).reshape(QUERIES, KEYS) % 7 / 4).astype(np.float32)
    mask = np.random.default_rng(12).random((QUERIES, KEYS)) < 0.6
    mask[5] = False  # a row without keys
    triangle = CAUSAL.format(far="0xFF800000")
    return [
        *(attention(f"{suffix(kind)}_scaled", kind, SCALED, lambda d: d / 4) for kind in TOLERANCE),
        attention("causal", "bf16", triangle, lambda d: np.where(TRIANGLE, d, -np.inf)),
        attention("biased", "bf16", BIASED, lambda d: d + bias, (bias,)),
        attention("masked", "bf16", MASKED, lambda d: np.where(mask, d, -np.inf), (mask,)),
    ]
