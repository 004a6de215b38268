"""Every op of the registry is built with its own method: types are inferred where the specification gives them."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.builder.arguments import method_name
from hlo.dialect.attributes import (
    ChannelHandle,
    ConvDimensionNumbers,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    RaggedDotDimensionNumbers,
    ScatterDimensionNumbers,
)
from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context

make_context()  # registers the ops

M, V, S, N, C = "2x3xf32", "3xf32", "f32", "2x3xi32", "2x3xcomplex<f32>"
B = "2x3xi1"
GROUPS = [[0]]
GATHER = GatherDimensionNumbers((1,), (0,), (), (), (0,), 1)
SCATTER = ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)
CONV = ConvDimensionNumbers(0, 1, (2,), 1, 0, (2,), 0, 1, (2,))


def add(a, b):
    return a + b


def unary(operand: str, result: str = ""):
    return [operand], {}, [result or operand]


def binary(operand: str, result: str = ""):
    return [operand, operand], {}, [result or operand]


def batch_norm(*vectors):
    return [M, *vectors], {"epsilon": 0.1, "feature_index": 1}


FLOAT_UNARY = [
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "exp2",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log2",
    "log_plus_one",
    "logistic",
    "negate",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
]
CHLO_UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "lgamma",
    "sinh",
    "square",
    "tan",
]
BROADCAST = [
    "add",
    "atan2",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "next_after",
    "polygamma",
    "power",
    "remainder",
    "subtract",
    "zeta",
]
BROADCAST_INTEGERS = ["and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"]

CASES: dict[str, tuple[list, dict, list[str]]] = {
    **{f"stablehlo.{n}": unary(M) for n in FLOAT_UNARY},
    **{f"stablehlo.{n}": unary(N) for n in ("count_leading_zeros", "popcnt", "not")},
    **{f"stablehlo.{n}": unary(C, M) for n in ("real", "imag")},
    "stablehlo.is_finite": unary(M, B),
    **{
        f"stablehlo.{n}": binary(M)
        for n in ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"]
    },
    **{f"stablehlo.{n}": binary(N) for n in BROADCAST_INTEGERS},
    "stablehlo.complex": binary(M, C),
    "stablehlo.compare": ([M, M, "LT"], {}, [B]),
    "stablehlo.select": ([B, M, M], {}, [M]),
    "stablehlo.clamp": ([S, M, S], {}, [M]),
    "stablehlo.convert": ([M], {"dtype": "bf16"}, ["2x3xbf16"]),
    "stablehlo.bitcast_convert": ([M], {"dtype": "i8"}, ["2x3x4xi8"]),
    "stablehlo.reduce_precision": ([M], {"exponent_bits": 5, "mantissa_bits": 10}, [M]),
    "stablehlo.constant": ([np.zeros((2, 3), np.float32)], {}, [M]),
    "stablehlo.iota": ([1, (2, 3), "f32"], {}, [M]),
    "stablehlo.reshape": ([M, [6]], {}, ["6xf32"]),
    "stablehlo.transpose": ([M, [1, 0]], {}, ["3x2xf32"]),
    "stablehlo.reverse": ([M, [1]], {}, [M]),
    "stablehlo.broadcast": ([M, [4]], {}, ["4x2x3xf32"]),
    "stablehlo.broadcast_in_dim": ([V, [1], (2, 3)], {}, [M]),
    "stablehlo.concatenate": ([M, M], {"dimension": 1}, ["2x6xf32"]),
    "stablehlo.slice": ([M, [0, 1], [2, 3]], {}, ["2x2xf32"]),
    "stablehlo.dynamic_slice": ([M, [0, 1], [1, 2]], {}, ["1x2xf32"]),
    "stablehlo.dynamic_update_slice": ([M, "1x2xf32", [0, 1]], {}, [M]),
    "stablehlo.pad": ([M, 0.0, [1, 1], [0, 0], [0, 0]], {}, ["3x4xf32"]),
    "stablehlo.gather": ([M, "4x1xi32", GATHER, [1, 3]], {}, ["4x3xf32"]),
    "stablehlo.dynamic_gather": ([M, "4x1xi32", [1, 3], GATHER], {}, ["4x3xf32"]),
    "stablehlo.scatter": ([M, "4x1xi32", "4x3xf32", add, SCATTER], {}, [M]),
    "stablehlo.torch_index_select": ([M, "5xi32", 0, 0], {}, ["5x3xf32"]),
    "stablehlo.dot": ([M, V], {}, ["2xf32"]),
    "stablehlo.dot_general": ([M, M, DotDimensionNumbers((0,), (0,), (1,), (1,))], {}, ["2xf32"]),
    "stablehlo.einsum": ([M, M, "ab,cb->ac"], {}, ["2x2xf32"]),
    "stablehlo.unary_einsum": ([M, "ab->ba"], {}, ["3x2xf32"]),
    "stablehlo.convolution": (
        ["1x3x8xf32", "4x3x3xf32"],
        {"dimension_numbers": CONV, "feature_group_count": 1, "batch_group_count": 1},
        ["1x4x6xf32"],
    ),
    "stablehlo.dynamic_conv": (
        ["1x3x8xf32", "4x3x3xf32", [[1, 0]]],
        {"dimension_numbers": CONV, "feature_group_count": 1, "batch_group_count": 1},
        ["1x4x7xf32"],
    ),
    "stablehlo.reduce": ([M, 0.0, add, [1]], {}, ["2xf32"]),
    "stablehlo.reduce_window": ([M, 0.0, add, [1, 2]], {}, ["2x2xf32"]),
    "stablehlo.select_and_scatter": ([M, "2x1xf32", 0.0, lambda a, b: a >= b, add, [1, 3]], {}, [M]),
    "stablehlo.sort": ([M], {}, [M]),
    "stablehlo.map": ([M, lambda a: a > 0.0], {}, [B]),
    "stablehlo.while": ([lambda v: v < 9.0, lambda v: v + 1.0, S], {}, [S]),
    "stablehlo.if": (["i1", lambda: 1.0, lambda: 2.0], {}, [S]),
    "stablehlo.case": (["i32", lambda: 1.0, lambda: 2.0], {}, [S]),
    "stablehlo.optimization_barrier": ([M, N], {}, [M, N]),
    "stablehlo.tuple": ([M, N], {}, [f"tuple<tensor<{M}>, tensor<{N}>>"]),
    "stablehlo.get_tuple_element": ([f"tuple<tensor<{M}>, tensor<{N}>>", 1], {}, [N]),
    "stablehlo.create_token": ([], {}, ["token"]),
    "stablehlo.after_all": (["token", "token"], {}, ["token"]),
    "stablehlo.batch_norm_inference": (*batch_norm(V, V, V, V), [M]),
    "stablehlo.batch_norm_training": (*batch_norm(V, V), [M, V, V]),
    "stablehlo.batch_norm_grad": (*batch_norm(V, V, V, M), [M, V, V]),
    "stablehlo.cholesky": (["3x3xf32"], {"lower": True}, ["3x3xf32"]),
    "stablehlo.triangular_solve": (["3x3xf32", "3x2xf32", True, True, False, "NO_TRANSPOSE"], {}, ["3x2xf32"]),
    "stablehlo.fft": (["8xf32", "RFFT", [8]], {}, ["5xcomplex<f32>"]),
    "stablehlo.rng": ([S, S, [2, 3], "UNIFORM"], {}, [M]),
    "stablehlo.rng_bit_generator": (
        ["2xui64", "THREE_FRY"],
        {"sizes": [4], "dtype": "ui32"},
        ["2xui64", "4xui32"],
    ),
    "stablehlo.uniform_quantize": ([V], {"dtype": "!quant.uniform<i8:f32, 0.5>"}, ["3x!quant.uniform<i8:f32, 0.5>"]),
    "stablehlo.uniform_dequantize": (["3x!quant.uniform<i8:f32, 0.5>"], {}, [V]),
    "stablehlo.get_dimension_size": ([M, 1], {}, ["i32"]),
    "stablehlo.set_dimension_size": ([M, 2, 1], {}, ["2x?xf32"]),
    "stablehlo.dynamic_broadcast_in_dim": ([V, [2, 3], [1]], {}, [M]),
    "stablehlo.dynamic_iota": ([[2, 3], 1], {"dtype": "f32"}, [M]),
    "stablehlo.dynamic_pad": ([V, 0.0, [1], [2], [1]], {}, ["8xf32"]),
    "stablehlo.dynamic_reshape": ([M, [6]], {}, ["6xf32"]),
    "stablehlo.real_dynamic_slice": ([V, [0], [3], [2]], {}, ["2xf32"]),
    "stablehlo.replica_id": ([], {}, ["ui32"]),
    "stablehlo.partition_id": ([], {}, ["ui32"]),
    "stablehlo.all_gather": ([M], {"all_gather_dim": 0, "replica_groups": [[0, 1]]}, ["4x3xf32"]),
    "stablehlo.all_reduce": ([M, add, GROUPS], {}, [M]),
    "stablehlo.all_to_all": (
        [M],
        {"split_dimension": 0, "concat_dimension": 1, "split_count": 2, "replica_groups": [[0, 1]]},
        ["1x6xf32"],
    ),
    "stablehlo.collective_broadcast": ([M], {"replica_groups": GROUPS}, [M]),
    "stablehlo.collective_reduce": ([M, add, GROUPS], {}, [M]),
    "stablehlo.collective_permute": ([M, [[0, 1]]], {}, [M]),
    "stablehlo.cross-replica-sum": ([M, GROUPS], {}, [M]),
    "stablehlo.reduce_scatter": ([M, add], {"replica_groups": [[0, 1]], "scatter_dimension": 0}, ["1x3xf32"]),
    "stablehlo.infeed": (["token", M], {}, [M, "token"]),
    "stablehlo.outfeed": ([M, "token"], {}, ["token"]),
    "stablehlo.recv": (["token", M], {"channel_handle": ChannelHandle(1, 1)}, [M, "token"]),
    "stablehlo.send": ([M, "token"], {"channel_handle": ChannelHandle(1, 1)}, ["token"]),
    "stablehlo.custom_call": (["target", M], {"result_types": M}, [M]),
    "stablehlo.async_start": ([M, lambda v: v[0:2, 1:3]], {}, ["!stablehlo.future<tensor<2x2xf32>>"]),
    "stablehlo.async_done": ([f"!stablehlo.future<tensor<{M}>>"], {}, [M]),
    **{f"chlo.{n}": unary(M) for n in CHLO_UNARY},
    **{f"chlo.{n}": unary(M, B) for n in ("is_inf", "is_neg_inf", "is_pos_inf")},
    "chlo._asin_acos_kernel": unary(C),
    **{f"chlo.broadcast_{n}": ([M, V], {}, [M]) for n in BROADCAST},
    **{f"chlo.broadcast_{n}": ([N, "3xi32"], {}, [N]) for n in BROADCAST_INTEGERS},
    "chlo.broadcast_complex": ([M, V], {}, [C]),
    "chlo.broadcast_compare": ([M, V], {"comparison_direction": "LT"}, [B]),
    "chlo.broadcast_select": (["i1", M, V], {}, [M]),
    **{f"chlo.{n}": binary(M) for n in ("next_after", "polygamma", "zeta")},
    "chlo.mulhi": binary(N),
    "chlo.ragged_dot": (
        ["4x3xf32", "2x3x5xf32", "2xi32", RaggedDotDimensionNumbers((), (), (1,), (1,), (0,), (0,))],
        {},
        ["4x5xf32"],
    ),
    "chlo.scan": (
        [[M], ["3xf32"], lambda x, c: (x + c, x + c)],
        {"dimension": 0},
        [M, V],
    ),
    "chlo.top_k": ([M, 2], {}, ["2x2xf32", "2x2xi32"]),
    "check.expect_eq": ([M, M], {}, []),
    "check.expect_almost_eq": ([M, M], {}, []),
    "check.expect_close": ([M, M], {}, []),
    "check.expect_serialized_eq": ([M, "id"], {}, []),
    "interpreter.print": unary(M),
    "interpreter.probe": ([M, "id"], {}, [M]),
}
IN_ATTRIBUTES = {"chlo.constant", "chlo.constant_like", "check.expect_eq_const", "check.expect_almost_eq_const"}
"""Ops with an attribute that Python has no value for: built below from its text."""
OWN_TESTS = {"stablehlo.return", "stablehlo.composite", "interpreter.run_parallel"}
"""Terminators are written by the builder, composite is in test_builder.py, run_parallel runs functions of a module."""
SHAPE_CHECKS = {"stablehlo.compute_reshape_shape", "stablehlo.cstr_reshapable"}


def method(b: hlo.Builder, name: str):
    dialect, mnemonic = name.split(".")
    return getattr(b if dialect == "stablehlo" else getattr(b, dialect), method_name(mnemonic))


def is_type(written) -> bool:
    return isinstance(written, str) and (
        written[0].isdigit() or written in ("f32", "i32", "i1", "token") or "<" in written
    )


def argument(b: hlo.Builder, written, name: str):
    if name in ("stablehlo.infeed", "stablehlo.recv") and written == M:
        return written  # the type of what comes in
    if isinstance(written, list) and written and all(map(is_type, written)):
        return [b.parameter(t) for t in written]
    return b.parameter(written) if is_type(written) and name != "stablehlo.iota" else written


@pytest.mark.parametrize("name", CASES)
def test_op_is_built_with_its_types(name: str) -> None:
    arguments, named, expected = CASES[name]
    b = hlo.Builder()
    built = method(b, name)(*(argument(b, a, name) for a in arguments), **named)
    values = () if built is None else built if isinstance(built, tuple) else (built,)
    wanted = [b.parameter(t).type for t in expected]
    assert [v.type for v in values] == wanted
    assert name in str(b.build(*values))


@pytest.mark.parametrize("name", sorted(IN_ATTRIBUTES))
def test_ops_with_attributes_from_text(name: str) -> None:
    b = hlo.Builder()
    x = b.parameter(V)
    with b.context:
        typed = "1.0 : f32" if name == "chlo.constant_like" else "dense<1.0> : tensor<3xf32>"
        value = ir.Attribute.parse(typed)
    operands = [] if name == "chlo.constant" else [x]
    built = method(b, name)(*operands, value=value)
    assert built is None or built.type == x.type
    assert name in str(b.build())


def test_shape_checks_of_dynamic_programs() -> None:
    b = hlo.Builder()
    with b.context:
        count = b.parameter(ir.IndexType.get())
        witness = ir.Type.parse("!shape.witness")
    shape = b.parameter("2xi32")
    assert b.compute_reshape_shape(count, shape).type == shape.type
    assert b.cstr_reshapable(count, shape).type == witness


TWO_PROCESSES = ("all_gather", "all_to_all", "collective_permute", "reduce_scatter")
NOT_RUN = {
    **{f"stablehlo.{n}": "is built for two processes; for one in test/e2e" for n in TWO_PROCESSES},
    "stablehlo.async_start": "a future leaves no program: run below",
    "stablehlo.async_done": "a future enters no program: run below",
    "stablehlo.custom_call": "nothing is registered as 'target': called in test_api_run.py",
    "stablehlo.infeed": "waits for its host: fed in test_transfers.py",
    "stablehlo.recv": "waits for its host: fed in test_transfers.py",
    "check.expect_serialized_eq": "reads what a probe left: in test/e2e",
}
OTHER_NUMBERS = {"stablehlo.rng"}
"""Ops whose numbers are the implementation's own."""
EQUAL_INPUTS = {"check.expect_eq", "check.expect_almost_eq", "check.expect_close"}
POSITIVE_DEFINITE = np.array([[4, 2, 1], [2, 5, 3], [1, 3, 6]], np.float32)


def numbers(name: str, parameters: list) -> list[np.ndarray]:
    """Arguments in the domain of the op."""
    if name == "stablehlo.cholesky":
        return [POSITIVE_DEFINITE.astype(parameters[0].dtype)]
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(0.1, 0.9, p.shape) for p in parameters]
    arrays = [arrays[0]] * len(arrays) if name in EQUAL_INPUTS else arrays
    return [np.asarray(a * (3 if p.dtype.kind in "biu" else 1)).astype(p.dtype) for a, p in zip(arrays, parameters)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [n for n in CASES if n not in NOT_RUN])
def test_built_op_computes_what_the_reference_does(name: str) -> None:
    arguments, named, _ = CASES[name]
    b = hlo.Builder()
    built = method(b, name)(*(argument(b, a, name) for a in arguments), **named)
    module = b.build(*(() if built is None else built if isinstance(built, tuple) else (built,)))
    compiled, reference = hlo.compile(module), hlo.compile(module, target="reference")
    inputs = numbers(name, compiled.signature.arguments)
    for found, expected in zip(compiled(*inputs), reference(*inputs), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        if name not in OTHER_NUMBERS:
            np.testing.assert_allclose(found.astype(expected.dtype), expected, rtol=1e-5, atol=1e-6)


def test_async_ops_run_together() -> None:
    b = hlo.Builder()
    x = b.parameter(M)
    result = b.async_done(b.async_start(x, lambda v: b.slice(v, [0, 1], [2, 3], [1, 1])))
    for target in ("cpu", "reference"):
        (found,) = b.compile(result, target=target)(np.arange(6, dtype=np.float32).reshape(2, 3))
        np.testing.assert_array_equal(found, [[1, 2], [4, 5]])


def test_no_op_is_forgotten() -> None:
    assert NOT_RUN.keys() <= CASES.keys()
    assert set(OPS) == set(CASES) | IN_ATTRIBUTES | OWN_TESTS | SHAPE_CHECKS
