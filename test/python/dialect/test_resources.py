"""Constants in a file's dialect_resources, as torch-mlir writes them."""

import numpy as np
import pytest

import hlo

ARRAYS = {
    "w": np.array([1.5, -2.0], np.float32),
    "mask_3": np.array([True, False, True]),
    "one": np.array([7], np.int8),
    "torch_tensor_2_2_torch.int64": np.arange(4).reshape(2, 2) - 9,
    '"quoted name"': np.array([[0.25]], np.float64),
    "none": np.zeros((0, 3), np.float32),
    "pairs": np.array([1 + 2j, -3j], np.complex64),
}
TYPES = {"float32": "f32", "bool": "i1", "int8": "i8", "int64": "i64", "float64": "f64", "complex64": "complex<f32>"}


def _type(array):
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{TYPES[array.dtype.name]}>"


def _program(uses, entries):
    """A function that returns constants; `entries`: the text of the resources."""
    results = ", ".join(_type(a) for a in uses.values())
    lines = [
        f"  %{n} = stablehlo.constant dense_resource<{name}> : {_type(a)}" for n, (name, a) in enumerate(uses.items())
    ]
    returned = f"  return {', '.join(f'%{n}' for n in range(len(uses)))} : {results}"
    block = "{-#\n  dialect_resources: {\n    builtin: {\n" + ",\n".join(entries) + "\n    }\n  }\n#-}\n"
    return "\n".join([f"func.func @main() -> ({results}) {{", *lines, returned, "}", "", block])


def _entry(name, array):
    return f'      {name}: "0x{(8).to_bytes(4, "little").hex().upper()}{array.tobytes().hex().upper()}"'


def test_elements_of_all_kinds():
    text = _program(ARRAYS, [_entry(*item) for item in ARRAYS.items()])
    for found, expected in zip(hlo.compile(text)(), ARRAYS.values(), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_what_is_printed_needs_no_resources():
    module = hlo.parse(_program({"w": ARRAYS["w"]}, [_entry("w", ARRAYS["w"])]))
    printed = hlo.print_module(module)
    assert "dense_resource" not in printed
    (found,) = hlo.compile(printed)()
    np.testing.assert_array_equal(found, ARRAYS["w"])


@pytest.mark.parametrize(
    "entry, message",
    [
        (
            'v: "0x0400000000000000"',
            r"2:27: error: resource w has no elements in the file's dialect_resources; there are: v",
        ),
        ('w: "0x04"', "resource w must hold 4 bytes of alignment and then elements, found 0x04"),
        ('w: "0x040000000000803F00"', "elements hex data size is invalid for provided type: 'tensor<2xf32>'"),
    ],
)
def test_wrong_resources(entry, message):
    with pytest.raises(hlo.ParseError, match=message):
        hlo.parse(_program({"w": np.zeros(2, np.float32)}, [entry]))


def test_an_elided_constant():
    text = "func.func @main() -> tensor<4xf32> {\n  %0 = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
    with pytest.raises(
        hlo.ParseError, match="resource __elided__ has no elements in the file's dialect_resources; there are: none"
    ):
        hlo.parse(text)
