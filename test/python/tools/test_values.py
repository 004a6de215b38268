"""Arrays on the command line (hlo.tools.run.values): what they are read as, and that what is written is read again."""

import io
import struct
import warnings
import zipfile

import ml_dtypes
import numpy as np
import pytest

from hlo.errors import ArgumentError
from hlo.tools.run.values import compare_with_file, read_inputs, show, write_outputs

UNKNOWN = [((2,), np.dtype(np.float32))]


def read(text):
    (array,) = read_inputs([text], UNKNOWN, 0)
    return array


@pytest.mark.parametrize(
    "text",
    ["2xi8=300", "2xi8=-129", "2xui8=-1", "2xui8=256", "2xi4=8", "2xui4=99", "2xi2=2", "2xui2=-1", "2xi1=7", "2xui64=-1", "2xi64=9223372036854775808"],
)  # fmt: skip
def test_integers_that_a_type_does_not_hold(text):
    with pytest.raises(ArgumentError, match=r"--input '.*': .* is no .*: .* to .* are"):
        read(text)


@pytest.mark.parametrize(
    "text", [f"{'9' * 5000}xf32=1", f"{'9' * 20}xf32=1", f"{2**62}xf32=1", f"0x{2**62}xf32=", f"{'1x' * 70}f32=1"]
)
def test_sizes_that_no_array_has(text):
    with pytest.raises(ArgumentError, match="--input"):
        read(text)


def npy(shape="(4,)", descr="'<f4'"):
    """An array of four f32, whose file says that it has this shape and type."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(16)


def npz(compression, **changed):
    """An archive of one array; its entry's flags or method are others in both headers, or twenty bytes of its data."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr("a.npy", npy())
    data = bytearray(buffer.getvalue())
    directory = data.index(b"PK\x01\x02")
    for name, value in changed.items():
        if name == "data":
            data[50:70] = bytes([value]) * 20
        else:
            here, there = {"flags": (6, 8), "method": (8, 10)}[name]
            data[here] = data[directory + there] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        *(("npy", npy(shape)) for shape in ("(True,)", f"({10**30},)", f"(0, {10**30})", "(-4,)", "(4.0,)", "None", "(" * 9000)),
        *(("npy", npy("(4,)", descr)) for descr in ("()", "''", "'f4' * 3")),
        *(("npz", npz(zipfile.ZIP_DEFLATED, **changed)) for changed in (dict(flags=1), dict(method=99), dict(data=0xFF))),
        *(("npz", npz(method, data=0xFF)) for method in (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)),
    ],
)  # fmt: skip
def test_damaged_files(kind, data, tmp_path):
    path = tmp_path / f"damaged.{kind}"
    path.write_bytes(data)
    with pytest.raises(ArgumentError, match=r"cannot read '.*damaged\.np.': "):
        read(str(path))
    with pytest.raises(ArgumentError, match=r"cannot read '.*damaged\.np.': "):
        compare_with_file(str(path), [np.zeros(4, np.float32)])


@pytest.mark.parametrize("text", ["2xi4=1.5", "2xi8=1.5", "2xi1=0.5", "2xcomplex<f32>=1+i2"])
def test_words_that_are_no_numbers_of_a_type(text):
    with pytest.raises(ArgumentError, match="--input"):
        read(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2xi8=-128,127", [-128, 127]),
        ("2xui64=0,18446744073709551615", [0, 2**64 - 1]),
        ("2xi64=-9223372036854775808,9223372036854775807", [-(2**63), 2**63 - 1]),
        ("2xi4=-8,7", [-8, 7]),
        ("2xui2=3,0", [3, 0]),
        ("2xi1=true,0", [True, False]),
        ("2xbf16=1e99,-inf", [np.inf, -np.inf]),
        ("2xcomplex<f32>=1+infi,inf", [complex(1, np.inf), np.inf]),
        ("2xcomplex<f64>=-2.5i,1-1i", [-2.5j, 1 - 1j]),
    ],
)
def test_numbers(text, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(text)
    assert found.tolist() == values


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "int4", "uint2", "float16", "int8"])
def test_what_is_written_is_read_again(name, tmp_path):
    array = np.array([1, 2]).astype(getattr(ml_dtypes, name, None) or name)
    path = str(tmp_path / "array.npy")
    write_outputs(path, [array])
    (found,) = read_inputs([path], [((2,), array.dtype)], 0)
    assert found.dtype == array.dtype and (found == array).all()
    assert compare_with_file(path, [array]) == 0
    assert compare_with_file(path, [array[::-1]]) == 1


def test_narrow_integers_are_shown_as_integers():
    assert show(np.array([1, -2], ml_dtypes.int4)) == "2xi4\n[ 1 -2]"


def test_random_integers_of_all_types_are_in_their_range():
    for name, greatest in (("int2", 1), ("uint2", 3), ("int4", 7), ("uint4", 9)):
        dtype = np.dtype(getattr(ml_dtypes, name))
        (found,) = read_inputs(["random"], [((500,), dtype)], 0)
        assert set(found.astype(int).tolist()) == set(range(greatest + 1))


def test_random_arrays_of_a_type_that_is_given():
    """Those that `random` gives for a parameter of that type, one generator for all."""
    kinds = [((3, 2), np.dtype(np.float32)), ((4,), np.dtype(np.int32)), ((), np.dtype(np.complex64))]
    expected = read_inputs(["random"] * 3, kinds, 7)
    found = read_inputs(["3x2xf32=random", "random", "complex<f32>=random"], kinds, 7)
    for one, wanted in zip(found, expected):
        assert (one.dtype, one.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(one, wanted)
    (of_any_size,) = read_inputs(["5xf32=random"], [((None,), np.dtype(np.float32))], 0)
    assert of_any_size.shape == (5,) and len(set(of_any_size)) == 5


def test_random_needs_a_shape_for_a_dynamic_parameter():
    with pytest.raises(ArgumentError, match=r"argument 0 has a dynamic shape; give one, such as 4xf32=random"):
        read_inputs(["random"], [((None,), np.dtype(np.float32))], 0)
