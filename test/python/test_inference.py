"""Result types that op classes infer before their ops exist: `Op.create` without `results=`. Expected types are those
of the specification's examples, or follow from its formulas by hand."""

from __future__ import annotations

import pytest
from mlir import ir

from hlo.dialect import stablehlo
from hlo.dialect.attributes import GatherDimensionNumbers, ScatterDimensionNumbers
from hlo.dialect.registration import make_context

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


@pytest.mark.parametrize("name", ["DotGeneralOp", "ConvolutionOp", "ReshapeOp", "BroadcastInDimOp"])
def test_the_writer_chooses(name: str) -> None:
    with pytest.raises(TypeError, match="cannot be inferred"):
        create(name, ["2x3xf32", "3x4xf32"], {})


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
