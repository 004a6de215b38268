"""Result types that op classes infer before their ops exist: `Op.create` without `results=`. Expected types are those
of the specification's examples, or follow from its formulas by hand."""

from __future__ import annotations

import pytest
from mlir import ir

from hlo.dialect import stablehlo
from hlo.dialect.attributes import DotDimensionNumbers, GatherDimensionNumbers, ScatterDimensionNumbers
from hlo.dialect.choices import Chosen
from hlo.dialect.registration import make_context

Q = "!quant.uniform<i8:f32, 0.5>"

CASES = {
    "broadcast": ("BroadcastOp", ["3xi32"], {"broadcast_sizes": [1, 2]}, "1x2x3xi32"),
    "transpose": ("TransposeOp", ["2x3x2xi32"], {"permutation": [2, 1, 0]}, "2x3x2xi32"),
    "transpose_dynamic": ("TransposeOp", ["?x3xf32"], {"permutation": [1, 0]}, "3x?xf32"),
    "reverse": ("ReverseOp", ["3x2xi32"], {"dimensions": [1]}, "3x2xi32"),
    "slice": (
        "SliceOp",
        ["3x4xi64"],
        {"start_indices": [1, 0], "limit_indices": [3, 4], "strides": [1, 3]},
        "2x2xi64",
    ),
    "dynamic_slice": ("DynamicSliceOp", ["4x4xi32", "i64", "i64"], {"slice_sizes": [2, 3]}, "2x3xi32"),
    "dynamic_update_slice": ("DynamicUpdateSliceOp", ["4x4xi32", "2x3xi32", "i64", "i64"], {}, "4x4xi32"),
    "pad": (
        "PadOp",
        ["2x3xi32", "i32"],
        {"edge_padding_low": [0, 1], "edge_padding_high": [2, 1], "interior_padding": [1, 2]},
        "5x9xi32",
    ),
    "pad_dynamic": (
        "PadOp",
        ["?x3xi32", "i32"],
        {"edge_padding_low": [0, 1], "edge_padding_high": [2, 1], "interior_padding": [1, 2]},
        "?x9xi32",
    ),
    "concatenate": ("ConcatenateOp", ["3x2xi64", "1x2xi64"], {"dimension": 0}, "4x2xi64"),
    "concatenate_dynamic": ("ConcatenateOp", ["?x?xi64", "1x2xi64"], {"dimension": 0}, "?x2xi64"),
    "reduce": ("ReduceOp", ["1x6xi64", "i64"], {"dimensions": [1]}, "1xi64"),
    "reduce_window": (
        "ReduceWindowOp",
        ["3x2xi64", "i64"],
        {
            "window_dimensions": [2, 1],
            "window_strides": [4, 1],
            "base_dilations": [2, 1],
            "window_dilations": [3, 1],
            "padding": [[2, 1], [0, 0]],
        },
        "2x2xi64",
    ),
    "reduce_window_defaults": ("ReduceWindowOp", ["5x2xi64", "i64"], {"window_dimensions": [2, 2]}, "4x1xi64"),
    "select_and_scatter": (
        "SelectAndScatterOp",
        ["4x2xi64", "2x2xi64", "i64"],
        {"window_dimensions": [3, 1], "window_strides": [2, 1], "padding": [[0, 1], [0, 0]]},
        "4x2xi64",
    ),
    "sort": ("SortOp", ["2x3xi64"], {}, "2x3xi64"),
    "gather": (
        "GatherOp",
        ["2x3x4x2xi64", "2x2x3x2xi64"],
        {
            "dimension_numbers": GatherDimensionNumbers((3, 4), (1,), (0,), (1,), (2, 1), 3),
            "slice_sizes": [1, 1, 2, 2],
        },
        "2x2x3x2x2xi64",
    ),
    "scatter": (
        "ScatterOp",
        ["2x3x4x2xi64", "2x2x3x2xi64", "2x2x3x2x2xi64"],
        {"scatter_dimension_numbers": ScatterDimensionNumbers((3, 4), (1,), (0,), (1,), (2, 1), 3)},
        "2x3x4x2xi64",
    ),
    "torch_index_select": ("TorchIndexSelectOp", ["8x9x3xf32", "8x5xi32"], {"dim": 1, "batch_dims": 1}, "8x5x3xf32"),
    "get_dimension_size": ("GetDimensionSizeOp", ["2x3xi64"], {"dimension": 1}, "i32"),
    "set_dimension_size": ("SetDimensionSizeOp", ["2x3xi64", "i32"], {"dimension": 1}, "2x?xi64"),
    "cholesky": ("CholeskyOp", ["3x3xf32"], {"lower": True}, "3x3xf32"),
    "triangular_solve": (
        "TriangularSolveOp",
        ["3x3xf32", "3x5xf32"],
        {"left_side": True, "lower": True, "unit_diagonal": False, "transpose_a": "NO_TRANSPOSE"},
        "3x5xf32",
    ),
    "fft": ("FftOp", ["4xcomplex<f32>"], {"fft_type": "FFT", "fft_length": [4]}, "4xcomplex<f32>"),
    "rfft": ("FftOp", ["2x9xf64"], {"fft_type": "RFFT", "fft_length": [9]}, "2x5xcomplex<f64>"),
    "irfft": ("FftOp", ["2x5xcomplex<f32>"], {"fft_type": "IRFFT", "fft_length": [9]}, "2x9xf32"),
    "batch_norm_inference": (
        "BatchNormInferenceOp",
        ["2x2x3xf32", *["3xf32"] * 4],
        {"epsilon": 0.0, "feature_index": 2},
        "2x2x3xf32",
    ),
    "uniform_dequantize": ("UniformDequantizeOp", ["2x!quant.uniform<i8:f32, 0.1:-30>"], {}, "2xf32"),
}


@pytest.fixture(scope="module", autouse=True)
def context():
    with make_context() as context, ir.Location.unknown():
        yield context


def tensors(*texts: str) -> list[ir.Type]:
    return [ir.Type.parse(f"tensor<{t}>") for t in texts]


def create(name: str, inputs: list[str], attributes: dict):
    """The op on the arguments of a block of a module that lives as long as the op."""
    module = ir.Module.create()
    types = tensors(*inputs)
    host = ir.Operation.create("stablehlo.test_host", regions=2, ip=ir.InsertionPoint(module.body))
    block = host.regions[0].blocks.append(*types, arg_locs=[ir.Location.unknown()] * len(types))
    with ir.InsertionPoint(block):
        return module, getattr(stablehlo, name).create(*block.arguments, **attributes)


@pytest.mark.parametrize("case", CASES)
def test_result_type(case: str) -> None:
    name, inputs, attributes, expected = CASES[case]
    _module, op = create(name, inputs, attributes)
    assert [r.type for r in op.results] == tensors(expected)


def test_batch_norm_training_and_grad() -> None:
    attributes = {"epsilon": 0.0, "feature_index": 2}
    expected = tensors("2x2x3xf32", "3xf32", "3xf32")
    _module, training = create("BatchNormTrainingOp", ["2x2x3xf32", "3xf32", "3xf32"], attributes)
    assert [r.type for r in training.results] == expected
    inputs = ["2x2x3xf32", "3xf32", "3xf32", "3xf32", "2x2x3xf32"]
    _module, grad = create("BatchNormGradOp", inputs, attributes)
    assert [r.type for r in grad.results] == expected


def test_several_inputs_give_several_results() -> None:
    inputs = ["2x3xf32", "2x3xi32", "f32", "i32"]
    _module, op = create("ReduceOp", inputs, {"dimensions": [0]})
    assert [r.type for r in op.results] == tensors("3xf32", "3xi32")
    assert [v.type for v in op.init_values] == tensors("f32", "i32")


BATCHED = DotDimensionNumbers((0,), (0,), (2,), (1,))
CHOSEN = {
    "convert": ("ConvertOp", ["2x?xf32"], {}, {"element": "bf16"}, "2x?xbf16"),
    "bitcast_narrower": ("BitcastConvertOp", ["2xf32"], {}, {"element": "ui8"}, "2x4xui8"),
    "bitcast_wider": ("BitcastConvertOp", ["2x4xi16"], {}, {"element": "f64"}, "2xf64"),
    "bitcast_equal": ("BitcastConvertOp", ["2xf32"], {}, {"element": "i32"}, "2xi32"),
    "quantize": ("UniformQuantizeOp", ["3xf32"], {}, {"element": Q}, f"3x{Q}"),
    "iota": ("IotaOp", [], {"iota_dimension": 0}, {"element": "i8", "sizes": [3, 0]}, "3x0xi8"),
    "reshape": ("ReshapeOp", ["2x3xf32"], {}, {"sizes": [3, 2]}, "3x2xf32"),
    "reshape_per_axis": (
        "ReshapeOp", ["2x3x!quant.uniform<i8:f32:1, {0.1,0.2,0.3}>"], {}, {"sizes": [2, 1, 3, 1]},
        "2x1x3x1x!quant.uniform<i8:f32:2, {0.1,0.2,0.3}>",
    ),
    "broadcast_in_dim": ("BroadcastInDimOp", ["3xf32"], {"broadcast_dimensions": [1]}, {"sizes": [2, 3]}, "2x3xf32"),
    "broadcast_in_dim_per_axis": (
        "BroadcastInDimOp", ["1x!quant.uniform<i8:f32:0, {0.5}>"], {"broadcast_dimensions": [1]}, {"sizes": [2, 3]},
        "2x3x!quant.uniform<i8:f32:1, {0.5,0.5,0.5}>",
    ),
    "dot_general": (
        "DotGeneralOp", ["7x2x3xi8", "7x3x4xi8"], {"dot_dimension_numbers": BATCHED}, {"element": "i32"}, "7x2x4xi32"
    ),
    "dot_general_of_lhs": ("DotGeneralOp", ["7x2x3xi8", "7x3x4xi8"], {"dot_dimension_numbers": BATCHED}, {}, "7x2x4xi8"),
    "dot": ("DotOp", ["2x3xf32", "3xf32"], {}, {}, "2xf32"),
    "einsum": ("EinsumOp", ["5x2x3xf32", "3x4xf32"], {"einsum_config": "...ab,bc->...ac"}, {}, "5x2x4xf32"),
    "einsum_of_one": ("EinsumOp", ["1x2x3xf32", "6x3x4xf32"], {"einsum_config": "...ab,...bc->...ac"}, {}, "6x2x4xf32"),
    "unary_einsum": ("UnaryEinsumOp", ["2x3x3xf32"], {"einsum_config": "abb->ba"}, {}, "3x2xf32"),
    "dynamic_iota": ("DynamicIotaOp", ["2xi32"], {"iota_dimension": 0}, {"element": "f32"}, "?x?xf32"),
    "dynamic_reshape": ("DynamicReshapeOp", ["6xf32", "2xi32"], {}, {}, "?x?xf32"),
    "dynamic_reshape_chosen": ("DynamicReshapeOp", ["6xf32", "2xi32"], {}, {"sizes": [2, 3]}, "2x3xf32"),
    "dynamic_reshape_of_any_rank": ("DynamicReshapeOp", ["6xf32", "?xi32"], {}, {"sizes": [6]}, "6xf32"),
    "dynamic_pad": ("DynamicPadOp", ["6xf32", "f32", *["1xi32"] * 3], {}, {}, "?xf32"),
    "real_dynamic_slice": ("RealDynamicSliceOp", ["6x2xf32", *["2xi32"] * 3], {}, {}, "?x?xf32"),
    "rng": ("RngOp", ["f32", "f32", "3xi64"], {"rng_distribution": "NORMAL"}, {}, "?x?x?xf32"),
}  # fmt: skip


@pytest.mark.parametrize("case", CHOSEN)
def test_result_type_with_what_the_writer_chose(case: str) -> None:
    name, inputs, attributes, chosen, expected = CHOSEN[case]
    element = ir.Type.parse(chosen["element"]) if "element" in chosen else None
    _module, op = create(name, inputs, {**attributes, "chosen": Chosen(element, chosen.get("sizes"))})
    assert [r.type for r in op.results] == tensors(expected)


def test_sizes_in_constants_are_known() -> None:
    module = ir.Module.parse("func.func private @f(tensor<2x2xf32>)")
    with ir.InsertionPoint(module.body):
        sizes = stablehlo.ConstantOp.create(value=ir.Attribute.parse("dense<[4, 1]> : tensor<2xi64>")).output
        operand = stablehlo.ConstantOp.create(value=ir.Attribute.parse("dense<1.0> : tensor<2x2xf32>")).output
        zero = stablehlo.ConstantOp.create(value=ir.Attribute.parse("dense<0.0> : tensor<f32>")).output
        reshape = stablehlo.DynamicReshapeOp.create(operand, sizes)
        padded = stablehlo.DynamicPadOp.create(operand, zero, sizes, sizes, sizes)
        normal = stablehlo.RngOp.create(zero, zero, sizes, rng_distribution="NORMAL")
        sliced = stablehlo.RealDynamicSliceOp.create(padded.result, sizes, padded_limits(), sizes)
    found = [op.result.type for op in (reshape, padded, normal, sliced)]
    assert found == tensors("4x1xf32", "14x5xf32", "4x1xf32", "2x3xf32")


def padded_limits() -> ir.Value:
    return stablehlo.ConstantOp.create(value=ir.Attribute.parse("dense<[11, 4]> : tensor<2xi64>")).output


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "missing"),
    [
        ("ConvertOp", ["2xf32"], {}, "element type"),
        ("BitcastConvertOp", ["2xf32"], {}, "element type"),
        ("UniformQuantizeOp", ["2xf32"], {}, "element type"),
        ("ReshapeOp", ["2xf32"], {}, "sizes"),
        ("BroadcastInDimOp", ["2xf32"], {"broadcast_dimensions": [0]}, "sizes"),
        ("IotaOp", [], {"iota_dimension": 0}, "sizes"),
        ("RngBitGeneratorOp", ["2xui64"], {"rng_algorithm": "PHILOX"}, "sizes"),
        ("DynamicReshapeOp", ["6xf32", "?xi32"], {}, "sizes"),
        ("DynamicIotaOp", ["2xi32"], {"iota_dimension": 0}, "element type"),
    ],
)
def test_what_the_writer_must_choose(name: str, inputs: list[str], attributes: dict, missing: str) -> None:
    with pytest.raises(TypeError, match=f"the {missing} of the result must be given"):
        create(name, inputs, attributes)


def test_types_that_are_known_outside() -> None:
    with pytest.raises(TypeError, match="cannot be inferred"):
        create("CustomCallOp", ["2xf32"], {"call_target_name": "f"})


def test_defaults_of_optional_attributes() -> None:
    _module, window = create("ReduceWindowOp", ["5x2xi64", "i64"], {"window_dimensions": [2, 2]})
    assert window.window_strides == window.base_dilations == window.window_dilations == (1, 1)
    assert window.padding == ((0, 0), (0, 0))
    _module, convolution = create("ConvolutionOp", ["1x8x8x3xf32", "3x3x3x4xf32"], {"results": tensors("1x6x6x4xf32")})
    assert convolution.window_strides == convolution.lhs_dilation == convolution.rhs_dilation == (1, 1)
    assert convolution.padding == ((0, 0), (0, 0))
    assert convolution.window_reversal == (False, False)
    assert convolution.precision_config == ("DEFAULT", "DEFAULT")
    _module, sort = create("SortOp", ["3xf32"], {})
    assert (sort.dimension, sort.is_stable) == (-1, False)
