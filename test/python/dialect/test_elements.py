"""Dense attributes to numpy and back, every element type."""

import gc

import numpy as np
import pytest
from mlir import ir

from hlo.dialect.elements import DTYPES, make_elements, read_elements, splat_of
from hlo.dialect.registration import make_context

VALUES = {"b": [True, False, True], "i": [1, -2, 100], "u": [1, 2, 250], "c": [1 + 2j, -3j, 0]}


@pytest.mark.parametrize("name", DTYPES)
def test_round_trip(name):
    dtype = DTYPES[name]
    array = np.array(VALUES.get(dtype.kind, [1.5, -0.0, np.inf])).astype(dtype)
    with make_context():
        for value in (array, np.resize(array, (3, 7)), np.broadcast_to(array[:1].reshape(()), (2, 5)), array[:0]):
            shape = "".join(f"{n}x" for n in value.shape)
            attribute = make_elements(value, ir.Type.parse(f"tensor<{shape}{name}>"))
            found = read_elements(attribute)
            assert found.dtype == dtype
            assert found.shape == value.shape
            assert found.tobytes() == value.tobytes()


def test_text():
    with make_context():
        attribute = ir.Attribute.parse(
            "dense<[true, false, true, true, false, false, true, false, true]> : tensor<9xi1>"
        )
        assert read_elements(attribute).tolist() == [True, False, True, True, False, False, True, False, True]
        assert read_elements(ir.Attribute.parse("dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>")).tolist() == [1 - 2j] * 2
        assert read_elements(ir.Attribute.parse('"text"')) is None
        assert read_elements(ir.Attribute.parse("dense<1> : tensor<2xi7>")) is None


def test_arrays_keep_their_context():
    """Large ones, whose memory the system takes back as soon as it is freed: reading it then ends the process."""
    array = np.arange(5 << 20)
    with make_context():
        found = read_elements(ir.DenseElementsAttr.get(array))
    gc.collect()
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("name", DTYPES)
def test_splats_of_other_shapes(name):
    number = np.array(VALUES.get(DTYPES[name].kind, [1.5])[0]).astype(DTYPES[name])
    with make_context():
        splat = make_elements(np.broadcast_to(number, (2, 3)), ir.Type.parse(f"tensor<2x3x{name}>"))
        other = splat_of(ir.DenseElementsAttr(splat), ir.Type.parse(f"tensor<5x{name}>"))
        assert str(other.type) == f"tensor<5x{name}>"
        assert read_elements(other).tobytes() == np.broadcast_to(number, (5,)).tobytes()
