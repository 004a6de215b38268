"""The table of opcodes that are one StableHLO op: which, and how HLO's attributes become those of the op.

Operands and results have the same order in both. A new opcode is a new row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.attributes import (
    ChannelHandle,
    ConvDimensionNumbers,
    DotAlgorithm,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    ScatterDimensionNumbers,
)
from hlo.dialect.hlo_text.attributes import Attributes
from hlo.lazy_dataclasses import dataclass

Values = dict[str, Any]
"""Attributes of the op, as Python values under the names that its class declares."""


@dataclass(frozen=True)
class Form:
    """`op`: its full name. `computations`: the attributes that name the functions of its regions, in order."""

    op: str
    values: Callable[[Attributes], Values] = lambda a: {}
    computations: tuple[str, ...] = ()


def _precision(a: Attributes) -> Values:
    """`operand_precision={highest,default}`."""
    found = a.word("operand_precision", "{default,default}")
    return {"precision_config": [word.strip().upper() for word in found.strip("{}").split(",")]}


def _channel(a: Attributes) -> Values:
    number = a.integer("channel_id", 0)
    return {"channel_handle": ChannelHandle(number, 1)} if number else {}


def _groups(a: Attributes) -> Values:
    return {"replica_groups": a.groups(), **_channel(a)}


def _global_groups(a: Attributes) -> Values:
    return {**_groups(a), "use_global_device_ids": a.flag("use_global_device_ids") or None}


def _one_dimension(name: str) -> Callable[[Attributes], Values]:
    return lambda a: {name: a.dimension("dimensions")}


def _dimensions(name: str) -> Callable[[Attributes], Values]:
    return lambda a: {name: a.integers("dimensions")}


def _dot(a: Attributes) -> Values:
    numbers = DotDimensionNumbers(
        a.integers("lhs_batch_dims", ()),
        a.integers("rhs_batch_dims", ()),
        a.integers("lhs_contracting_dims", ()),
        a.integers("rhs_contracting_dims", ()),
    )
    return {"dot_dimension_numbers": numbers, "algorithm": _algorithm(a), **_precision(a)}


def _algorithm(a: Attributes) -> DotAlgorithm | None:
    """`algorithm=dot_bf16_bf16_f32_x3`."""
    found = a.one_of("algorithm", ALGORITHMS, None)
    if found is None:
        return None
    operand, accumulator, products = found
    factor, total = ir.Type.parse(operand), ir.Type.parse(accumulator)
    return DotAlgorithm(factor, factor, total, num_primitive_operations=products)


ALGORITHMS: dict[str, Any] = {
    "dot_unset": None,
    **{f"dot_{a}_{a}_{b}": (a, b, 1) for a, b in (("f16", "f16"), ("f16", "f32"), ("bf16", "bf16"), ("bf16", "f32"))},
    **{f"dot_{a}_{a}_{a}": (a, a, 1) for a in ("f32", "f64")},
    **{f"dot_bf16_bf16_f32_x{n}": ("bf16", "f32", n) for n in (3, 6, 9)},
    "dot_tf32_tf32_f32": ("tf32", "f32", 1),
    "dot_tf32_tf32_f32_x3": ("tf32", "f32", 3),
}
"""Element types of the factors and of the sum, and how many products each is made of."""


def _convolution(a: Attributes) -> Values:
    lhs, rhs, out = a.dim_labels()
    spatial = [str(n) for n in range(len(lhs) - 2)]
    numbers = ConvDimensionNumbers(
        lhs.index("b"),
        lhs.index("f"),
        tuple(map(lhs.index, spatial)),
        rhs.index("i"),
        rhs.index("o"),
        tuple(map(rhs.index, spatial)),
        out.index("b"),
        out.index("f"),
        tuple(map(out.index, spatial)),
    )
    window = a.window(len(spatial))
    return {
        "dimension_numbers": numbers,
        "window_strides": window.stride,
        "padding": window.padding,
        "lhs_dilation": window.base_dilation,
        "rhs_dilation": window.window_dilation,
        "window_reversal": window.reversal,
        "feature_group_count": a.integer("feature_group_count", 1),
        "batch_group_count": a.integer("batch_group_count", 1),
        **_precision(a),
    }


def _gather(a: Attributes) -> Values:
    numbers = GatherDimensionNumbers(
        a.integers("offset_dims"),
        a.integers("collapsed_slice_dims"),
        a.integers("operand_batching_dims", ()),
        a.integers("start_indices_batching_dims", ()),
        a.integers("start_index_map"),
        a.integer("index_vector_dim"),
    )
    return {
        "dimension_numbers": numbers,
        "slice_sizes": a.integers("slice_sizes"),
        "indices_are_sorted": a.flag("indices_are_sorted"),
    }


def _scatter(a: Attributes) -> Values:
    numbers = ScatterDimensionNumbers(
        a.integers("update_window_dims"),
        a.integers("inserted_window_dims"),
        a.integers("input_batching_dims", ()),
        a.integers("scatter_indices_batching_dims", ()),
        a.integers("scatter_dims_to_operand_dims"),
        a.integer("index_vector_dim"),
    )
    return {
        "scatter_dimension_numbers": numbers,
        "indices_are_sorted": a.flag("indices_are_sorted"),
        "unique_indices": a.flag("unique_indices"),
    }


def _rank(a: Attributes) -> int:
    return len(next(a.instruction.shape.leaves()).sizes) if any(True for _ in a.instruction.shape.leaves()) else 0


def _reduce_window(a: Attributes) -> Values:
    window = a.window(_rank(a))
    return {
        "window_dimensions": window.size,
        "window_strides": window.stride,
        "base_dilations": window.base_dilation,
        "window_dilations": window.window_dilation,
        "padding": window.padding,
    }


def _select_and_scatter(a: Attributes) -> Values:
    window = a.window(_rank(a))
    if any(n != 1 for n in (*window.base_dilation, *window.window_dilation)):
        a.fail("a window without dilation (StableHLO has none here), found one", a.text("window"))
    return {"window_dimensions": window.size, "window_strides": window.stride, "padding": window.padding}


def _slice(a: Attributes) -> Values:
    ranges = a.ranges("slice")
    return {name: [r[n] for r in ranges] for n, name in enumerate(("start_indices", "limit_indices", "strides"))}


def _pad(a: Attributes) -> Values:
    padding = a.padding()
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return {name: [p[n] for p in padding] for n, name in enumerate(names)}


_ORDERS = {kind: kind for kind in ("FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")}
_DIRECTIONS = {direction: direction for direction in ("EQ", "NE", "GE", "GT", "LE", "LT")}
_TRANSPOSES = {kind: kind for kind in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")}
_ALGORITHMS = {"rng_default": "DEFAULT", "rng_three_fry": "THREE_FRY", "rng_philox": "PHILOX"}


def _batch_norm(a: Attributes) -> Values:
    return {"epsilon": a.number("epsilon"), "feature_index": a.integer("feature_index")}


def _triangular_solve(a: Attributes) -> Values:
    return {
        "left_side": a.flag("left_side"),
        "lower": a.flag("lower"),
        "unit_diagonal": a.flag("unit_diagonal"),
        "transpose_a": a.one_of("transpose_a", _TRANSPOSES, "NO_TRANSPOSE"),
    }


_SAME = (
    *("abs", "add", "and", "atan2", "cbrt", "ceil", "clamp", "complex", "convert", "cosine", "divide", "exponential"),
    *(
        "floor",
        "imag",
        "is-finite",
        "log",
        "logistic",
        "maximum",
        "minimum",
        "multiply",
        "negate",
        "not",
        "or",
        "popcnt",
    ),
    *(
        "power",
        "real",
        "remainder",
        "reshape",
        "rsqrt",
        "select",
        "sign",
        "sine",
        "sqrt",
        "subtract",
        "tan",
        "tanh",
        "xor",
    ),
    *("shift-left", "shift-right-arithmetic", "shift-right-logical", "round-nearest-afz", "round-nearest-even"),
    *("exponential-minus-one", "log-plus-one", "count-leading-zeros", "bitcast-convert", "dynamic-update-slice"),
    *("partition-id", "replica-id"),
)
"""Opcodes whose op has their name (with `_` for `-`) and no attributes."""

FORMS: dict[str, Form] = {
    **{name: Form(f"stablehlo.{name.replace('-', '_')}") for name in _SAME},
    **{name: Form(f"chlo.{name}") for name in ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh")},
    "all-gather": Form(
        "stablehlo.all_gather", lambda a: {"all_gather_dim": a.dimension("dimensions"), **_global_groups(a)}
    ),
    "all-reduce": Form("stablehlo.all_reduce", _global_groups, ("to_apply",)),
    "batch-norm-grad": Form("stablehlo.batch_norm_grad", _batch_norm),
    "batch-norm-inference": Form("stablehlo.batch_norm_inference", _batch_norm),
    "batch-norm-training": Form("stablehlo.batch_norm_training", _batch_norm),
    "broadcast": Form("stablehlo.broadcast_in_dim", _dimensions("broadcast_dimensions")),
    "cholesky": Form("stablehlo.cholesky", lambda a: {"lower": a.flag("lower")}),
    "collective-broadcast": Form("stablehlo.collective_broadcast", _groups),
    "collective-permute": Form(
        "stablehlo.collective_permute",
        lambda a: {"source_target_pairs": a.pairs("source_target_pairs"), **_channel(a)},
    ),
    "compare": Form(
        "stablehlo.compare",
        lambda a: {
            "comparison_direction": a.one_of("direction", _DIRECTIONS),
            "compare_type": a.one_of("type", _ORDERS, None),
        },
    ),
    "concatenate": Form("stablehlo.concatenate", _one_dimension("dimension")),
    "convolution": Form("stablehlo.convolution", _convolution),
    "dot": Form("stablehlo.dot_general", _dot),
    "dynamic-slice": Form("stablehlo.dynamic_slice", lambda a: {"slice_sizes": a.integers("dynamic_slice_sizes")}),
    "fft": Form(
        "stablehlo.fft",
        lambda a: {
            "fft_type": a.one_of("fft_type", {t: t for t in ("FFT", "IFFT", "RFFT", "IRFFT")}),
            "fft_length": a.integers("fft_length"),
        },
    ),
    "gather": Form("stablehlo.gather", _gather),
    "get-dimension-size": Form("stablehlo.get_dimension_size", _one_dimension("dimension")),
    "iota": Form("stablehlo.iota", lambda a: {"iota_dimension": a.integer("iota_dimension")}),
    "map": Form("stablehlo.map", _dimensions("dimensions"), ("to_apply",)),
    "opt-barrier": Form("stablehlo.optimization_barrier"),
    "pad": Form("stablehlo.pad", _pad),
    "reduce": Form("stablehlo.reduce", _dimensions("dimensions"), ("to_apply",)),
    "reduce-precision": Form(
        "stablehlo.reduce_precision",
        lambda a: {name: a.integer(name, most=2**31 - 1) for name in ("exponent_bits", "mantissa_bits")},
    ),
    "reduce-scatter": Form(
        "stablehlo.reduce_scatter",
        lambda a: {"scatter_dimension": a.dimension("dimensions"), **_global_groups(a)},
        ("to_apply",),
    ),
    "reduce-window": Form("stablehlo.reduce_window", _reduce_window, ("to_apply",)),
    "reverse": Form("stablehlo.reverse", _dimensions("dimensions")),
    "rng-bit-generator": Form(
        "stablehlo.rng_bit_generator", lambda a: {"rng_algorithm": a.one_of("algorithm", _ALGORITHMS)}
    ),
    "scatter": Form("stablehlo.scatter", _scatter, ("to_apply",)),
    "select-and-scatter": Form("stablehlo.select_and_scatter", _select_and_scatter, ("select", "scatter")),
    "set-dimension-size": Form("stablehlo.set_dimension_size", _one_dimension("dimension")),
    "slice": Form("stablehlo.slice", _slice),
    "sort": Form(
        "stablehlo.sort",
        lambda a: {"dimension": a.dimension("dimensions"), "is_stable": a.flag("is_stable")},
        ("to_apply",),
    ),
    "transpose": Form("stablehlo.transpose", _dimensions("permutation")),
    "triangular-solve": Form("stablehlo.triangular_solve", _triangular_solve),
}
