"""Movement of rows shorter than a vector, and reads against the order of memory: beside numpy, on each vector target."""

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.tools.hlo_opt import main as hlo_opt

TARGETS = ["host", "avx2", "baseline"]
TYPES = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(bool),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "complex<f32>": np.dtype(np.complex64),
}
ROWS = [1, 3, 16, 37, 200]


def array(rows: int, length: int, dtype: np.dtype) -> np.ndarray:
    values = np.random.default_rng([rows, length]).integers(-99, 99, (rows, length))
    return (values > 0) if dtype.kind == "b" else values.astype(dtype)


def kind(rows: int, length: int, element: str) -> str:
    return f"tensor<{rows}x{length}x{element}>"


def compiled(text: str, cpu: str):
    return hlo.compile(text, cpu=cpu, cache=False)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("cpu", TARGETS)
def test_reversed(cpu, element, rows):
    """Loops along rows read backwards with a stride: of 2 to 7, and of more than reads pick lanes for."""
    for length in (2, 3, 7, 19):
        x, t = array(rows, length, TYPES[element]), kind(rows, length, element)
        for dims in ([0], [1], [0, 1]):
            text = (
                f"func.func @main(%x: {t}) -> {t} {{ %y = stablehlo.reverse %x, dims = {dims} : {t} return %y : {t} }}"
            )
            found = compiled(text, cpu)(x)[0]
            assert np.array_equal(np.asarray(found).view(TYPES[element]), np.flip(x, dims)), (length, dims)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("cpu", TARGETS)
def test_steps_backwards(cpu, element, rows):
    x, t = array(rows, 60, TYPES[element]), kind(rows, 60, element)
    for step in (2, 3, 5, 17):
        result = kind(rows, -(-60 // step), element)
        text = (
            f"func.func @main(%x: {t}) -> {result} {{ %y = stablehlo.reverse %x, dims = [1] : {t}\n"
            f"%z = stablehlo.slice %y [0:{rows}, 0:60:{step}] : ({t}) -> {result} return %z : {result} }}"
        )
        assert np.array_equal(np.asarray(compiled(text, cpu)(x)[0]).view(TYPES[element]), x[:, ::-step]), step


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("cpu", TARGETS)
def test_rolled(cpu, element, rows):
    """Two pieces of rows that trade places."""
    for length, by in ((3, 1), (9, 2), (16, 5), (33, 3)):
        x, t = array(rows, length, TYPES[element]), kind(rows, length, element)
        first, second = kind(rows, by, element), kind(rows, length - by, element)
        text = (
            f"func.func @main(%x: {t}) -> {t} {{\n"
            f"%a = stablehlo.slice %x [0:{rows}, {length - by}:{length}] : ({t}) -> {first}\n"
            f"%b = stablehlo.slice %x [0:{rows}, 0:{length - by}] : ({t}) -> {second}\n"
            f"%y = stablehlo.concatenate %a, %b, dim = 1 : ({first}, {second}) -> {t} return %y : {t} }}"
        )
        assert np.array_equal(np.asarray(compiled(text, cpu)(x)[0]).view(TYPES[element]), np.roll(x, by, 1)), length


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("cpu", TARGETS)
def test_columns_are_replaced(cpu, element, rows):
    for count, where in ((1, 4), (3, 2), (7, 0)):
        x, y = array(rows, 11, TYPES[element]), array(rows, count, TYPES[element])
        t, update = kind(rows, 11, element), kind(rows, count, element)
        text = (
            f"func.func @main(%x: {t}, %y: {update}) -> {t} {{ %row = stablehlo.constant dense<0> : tensor<i32>\n"
            f"%column = stablehlo.constant dense<{where}> : tensor<i32>\n"
            f"%r = stablehlo.dynamic_update_slice %x, %y, %row, %column : "
            f"({t}, {update}, tensor<i32>, tensor<i32>) -> {t} return %r : {t} }}"
        )
        expected = x.copy()
        expected[:, where : where + count] = y
        assert np.array_equal(np.asarray(compiled(text, cpu)(x, y)[0]).view(TYPES[element]), expected), count


def test_pieces_of_rows_are_vectors(tmp_path, capsys):
    """Along the rows, for which each store would be scattered, run no vectors."""
    file = tmp_path / "roll.mlir"
    t = "tensor<60000x9xf32>"
    file.write_text(
        f"func.func @main(%x: {t}) -> {t} {{\n"
        f"%a = stablehlo.slice %x [0:60000, 7:9] : ({t}) -> tensor<60000x2xf32>\n"
        f"%b = stablehlo.slice %x [0:60000, 0:7] : ({t}) -> tensor<60000x7xf32>\n"
        f"%y = stablehlo.concatenate %a, %b, dim = 1 : (tensor<60000x2xf32>, tensor<60000x7xf32>) -> {t}\n"
        f"return %y : {t} }}"
    )
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HLO_CPU", "avx512")
        hlo_opt(["--compile-to=kernels", str(file)])
    assert capsys.readouterr().out.count('vectorize = "d1"') == 2
