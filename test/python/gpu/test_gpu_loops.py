"""Loops whose turns are independent have a thread a turn on a GPU: sorts, scatters, scans, factorisations."""

import re

import numpy as np
import pytest

import hlo
from hlo.errors import HloError
from hlo.runtime.gpu.plan import Launch

SORT = """func.func @main(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
  %0 = "stablehlo.sort"(%x) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) {{dimension = 1 : i64, is_stable = true}} : (tensor<{shape}xf32>) -> tensor<{shape}xf32>
  return %0 : tensor<{shape}xf32> }}"""

CHOLESKY = """func.func @main(%x: tensor<{n}x5x5xf32>) -> tensor<{n}x5x5xf32> {{
  %0 = stablehlo.cholesky %x, lower = true : tensor<{n}x5x5xf32>
  return %0 : tensor<{n}x5x5xf32> }}"""


def threads(exe) -> list[int]:
    return [step.blocks * step.threads for step in exe.program.plan.steps if isinstance(step, Launch)]


@pytest.mark.parametrize("lines, most", [(270, None), (270, 30), (1, None)])
def test_sorts_of_many_lines(lines: int, most: int | None, monkeypatch) -> None:
    """`most`: lines whose temporaries there is room for at once."""
    if most:
        monkeypatch.setattr("hlo.lowering.gpu.loop_launches.MOST_BYTES", most * 256)
    exe = hlo.compile(SORT.format(shape=f"{lines}x40"), target="gpu", device="model", cache=False)
    x = np.random.default_rng(1).normal(size=(lines, 40)).astype(np.float32)
    assert np.array_equal(exe(x)[0], np.sort(x, axis=1))
    assert max(threads(exe)) >= min(lines, most or lines) and 1 not in threads(exe)
    assert len(threads(exe)) == (1 if lines > 1 else 7)  # alone: there, runs, four passes, back


def test_factorisations_of_many_matrices() -> None:
    a = np.random.default_rng(2).normal(size=(40, 5, 5)).astype(np.float32)
    x = a @ a.transpose(0, 2, 1) + 5 * np.eye(5, dtype=np.float32)
    exe = hlo.compile(CHOLESKY.format(n=40), target="gpu", device="model")
    np.testing.assert_allclose(np.tril(exe(x)[0]), np.linalg.cholesky(x.astype(np.float64)), rtol=1e-4, atol=1e-5)
    assert min(threads(exe)) >= 40


def compiled(text: str):
    return hlo.compile(text, target="gpu", device="model", cache=False)


def test_more_turns_than_threads(monkeypatch) -> None:
    monkeypatch.setattr("hlo.lowering.gpu.launches.MOST_BLOCKS", 1)
    monkeypatch.setattr("hlo.lowering.gpu.launches.THREADS", 32)
    a = np.random.default_rng(2).normal(size=(40, 5, 5)).astype(np.float32)
    x = a @ a.transpose(0, 2, 1) + 5 * np.eye(5, dtype=np.float32)
    exe = compiled(CHOLESKY.format(n=40))
    np.testing.assert_allclose(np.tril(exe(x)[0]), np.linalg.cholesky(x.astype(np.float64)), rtol=1e-4, atol=1e-5)
    _, factorisation = threads(exe)  # behind the zeros of the upper triangle
    assert factorisation == 32


# Sorts of long lines

PAIRS = """func.func @main(%x: tensor<{shape}x{kind}>, %y: tensor<{shape}xi32>) -> (tensor<{shape}x{kind}>, tensor<{shape}xi32>) {{
  %0:2 = "stablehlo.sort"(%x, %y) ({{
  ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare {order}, %a, %b : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }}) {{dimension = {dimension} : i64, is_stable = true}} : (tensor<{shape}x{kind}>, tensor<{shape}xi32>) -> (tensor<{shape}x{kind}>, tensor<{shape}xi32>)
  return %0#0, %0#1 : tensor<{shape}x{kind}>, tensor<{shape}xi32> }}"""


def sorted_pairs(shape, dimension, order, values):
    kind = {"int32": "i32", "float32": "f32"}[values.dtype.name]
    text = PAIRS.format(shape="x".join(map(str, shape)), kind=kind, order=order, dimension=dimension)
    numbers = np.arange(values.size, dtype=np.int32).reshape(shape)
    exe = compiled(text)
    assert min(threads(exe)) > 1
    return numbers, exe(values, numbers)


@pytest.mark.parametrize(
    "shape, dimension",
    [((65,), 0), ((128,), 0), ((1000,), 0), ((4097,), 0), ((3, 130), 1), ((130, 3), 0), ((2, 97, 3), 1)],
)
def test_long_lines_are_sorted_by_many_threads(shape, dimension) -> None:
    """Few different keys: the order of equal ones shows."""
    keys = np.random.default_rng(3).integers(-9, 10, shape).astype(np.int32)
    numbers, (found, carried) = sorted_pairs(shape, dimension, "GT", keys)
    order = np.argsort(-keys, axis=dimension, kind="stable")
    assert np.array_equal(found, np.take_along_axis(keys, order, dimension))
    assert np.array_equal(carried, np.take_along_axis(numbers, order, dimension))


@pytest.mark.parametrize("order", ["LT", "LE", "NE"])
def test_no_element_is_lost_whatever_the_comparator_says(order: str) -> None:
    """NaN has no place by LT, and LE and NE are no orders."""
    keys = np.random.default_rng(4).normal(size=600).astype(np.float32)
    keys[::7] = np.nan
    _, (found, carried) = sorted_pairs((600,), 0, order, keys)
    assert np.array_equal(np.sort(carried), np.arange(600))
    assert np.array_equal(found, keys[carried], equal_nan=True)


FFT = """func.func @main(%x: tensor<3x128xcomplex<f32>>) -> tensor<3x128xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [128] : (tensor<3x128xcomplex<f32>>) -> tensor<3x128xcomplex<f32>>
  return %0 : tensor<3x128xcomplex<f32>> }"""


@pytest.mark.parametrize("text, shared", [(SORT.format(shape="3x200"), 2 * 256 * 4), (FFT, 4 * 128 * 4)])
def test_what_a_block_alone_uses_is_in_shared_memory(text: str, shared: int) -> None:
    """One launch, a block a line; LLVM finds out what the addresses are of."""
    program = hlo.compile(text, target="gpu", cache=False).program
    (launch,) = [step for step in program.plan.steps if isinstance(step, Launch)]
    assert launch.shared_bytes == shared and launch.blocks == 3
    assert "ld.shared" in program.code and not re.search(r"\b(ld|st)\.(b|f|u)\d", program.code)


TOP_K = """func.func @main(%x: tensor<{shape}xi32>) -> (tensor<{result}xi32>, tensor<{result}xi32>) {{
  %0:2 = chlo.top_k(%x, k = {k}) : tensor<{shape}xi32> -> (tensor<{result}xi32>, tensor<{result}xi32>)
  return %0#0, %0#1 : tensor<{result}xi32>, tensor<{result}xi32> }}"""


@pytest.mark.parametrize("lines, length, k", [(1, 100, 3), (1, 9001, 7), (3, 600, 20), (2, 514, 1)])
def test_the_first_few_of_long_lines(lines: int, length: int, k: int) -> None:
    x = np.random.default_rng(5).integers(0, 40, (lines, length)).astype(np.int32)
    exe = compiled(TOP_K.format(shape=f"{lines}x{length}", result=f"{lines}x{k}", k=k))
    values, places = exe(x)
    order = np.argsort(-x, axis=1, kind="stable")[:, :k]
    assert np.array_equal(values, np.take_along_axis(x, order, 1)) and np.array_equal(places, order)
    assert length < 600 or max(threads(exe)) >= lines * (length // 256)


# Scatters

SCATTER = """func.func @main(%x: tensor<{x}x{kind}>, %i: tensor<{i}xi32>, %u: tensor<{u}x{kind}>) -> tensor<{x}x{kind}> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) ({{
  ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>):
    {body}
    stablehlo.return %c : tensor<{kind}>
  }}) {{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, unique_indices = {unique}}} : (tensor<{x}x{kind}>, tensor<{i}xi32>, tensor<{u}x{kind}>) -> tensor<{x}x{kind}>
  return %0 : tensor<{x}x{kind}> }}"""

ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
BOXES = "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"
BODIES = {
    "add": ("%c = stablehlo.add %a, %b : tensor<{kind}>", lambda old, new: old + new),
    "last": ("%c = stablehlo.add %b, %b : tensor<{kind}>", lambda old, new: new + new),
    "halves": (  # neither associative nor commutative
        "%h = stablehlo.constant dense<0.5> : tensor<{kind}>\n    %m = stablehlo.multiply %a, %h : tensor<{kind}>\n"
        "    %c = stablehlo.subtract %m, %b : tensor<{kind}>",
        lambda old, new: old * np.float32(0.5) - new,
    ),
}


def scatter(numbers: str, x, i, u, body: str, unique: bool = False):
    shapes = {n: "x".join(map(str, a.shape)) for n, a in (("x", x), ("i", i), ("u", u))}
    kind = {"int32": "i32", "float32": "f32"}[x.dtype.name]
    code = BODIES[body][0].format(kind=kind)
    return compiled(SCATTER.format(**shapes, kind=kind, numbers=numbers, body=code, unique=str(unique).lower()))


def expected_scatter(x, i, u, combine):
    """One update after the other; a window that is not inside is skipped."""
    x = x.copy()
    window = (1,) * (x.ndim - (u.ndim - 1)) + u.shape[1:]
    for place, update in zip(i, u):
        start = [*place, *[0] * (x.ndim - len(place))]
        if all(0 <= s <= size - w for s, size, w in zip(start, x.shape, window)):
            part = tuple(slice(s, s + w) for s, w in zip(start, window))
            x[part] = combine(x[part], update.reshape(window))
    return x


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("updates, width", [(3, 6), (90, 5), (150, 6), (150, 1), (1, 40)])
def test_rows_are_scattered_in_order(body: str, updates: int, width: int) -> None:
    """Every result is that of one update after the other, to the last bit: also where many go to one place, or outside."""
    rng = np.random.default_rng(updates)
    x, u = (rng.normal(size=(rows, width)).astype(np.float32) for rows in (30, updates))
    i = rng.integers(-4, 34, (updates, 1)).astype(np.int32)
    exe = scatter(ROWS, x, i, u, body)
    assert np.array_equal(exe(x, i, u)[0], expected_scatter(x, i, u, BODIES[body][1]))
    assert updates <= 4 or max(threads(exe)) >= updates * width
    assert len(threads(exe)) == {3: 1, 90: 2, 150: 11, 1: 1}[updates]


@pytest.mark.parametrize("body", ["add", "halves"])
@pytest.mark.parametrize("count", [3, 20, 60])
def test_windows_that_overlap_in_part(body: str, count: int) -> None:
    rng = np.random.default_rng(8)
    x, u = rng.normal(size=(9, 7)).astype(np.float32), rng.normal(size=(count, 3, 2)).astype(np.float32)
    i = rng.integers(-2, 9, (count, 2)).astype(np.int32)
    i[:3] = [[2, 3], [3, 3], [2, 4]]
    exe = scatter(BOXES, x, i, u, body)
    assert np.array_equal(exe(x, i, u)[0], expected_scatter(x, i, u, BODIES[body][1]))
    assert min(threads(exe)) >= 24


def test_unique_indices_need_no_order() -> None:
    rng = np.random.default_rng(9)
    x, u = rng.integers(-9, 9, (300, 4)).astype(np.int32), rng.integers(-9, 9, (200, 4)).astype(np.int32)
    i = rng.permutation(300)[:200, None].astype(np.int32)
    exe = scatter(ROWS, x, i, u, "add", unique=True)
    assert np.array_equal(exe(x, i, u)[0], expected_scatter(x, i, u, BODIES["add"][1]))
    i[7] = i[100]
    with pytest.raises(HloError, match="with no barrier in between"):  # the promise is broken, which the model sees
        exe(x, i, u)


@pytest.mark.parametrize("kind, dtype", [("i32", np.int32), ("ui64", np.uint64), ("i8", np.int8)])
@pytest.mark.parametrize(
    "op, function",
    [("add", np.add), ("maximum", np.maximum), ("minimum", np.minimum), ("and", np.bitwise_and), ("or", np.bitwise_or)],
)
def test_integers_are_combined_at_once(kind: str, dtype, op: str, function) -> None:
    """By atomic instructions, where there are such of the type: a thread an element of an update."""
    rng, bounds = np.random.default_rng(11), np.iinfo(dtype)
    x, u = (rng.integers(bounds.min, bounds.max, (n, 4), dtype) for n in (30, 200))
    i = rng.integers(-4, 34, (200, 1)).astype(np.int32)
    words = {"x": "30x4", "i": "200x1", "u": "200x4", "kind": kind, "numbers": ROWS, "unique": "false"}
    exe = compiled(SCATTER.format(**words, body=f"%c = stablehlo.{op} %b, %a : tensor<{kind}>"))
    expected, inside = x.copy(), (i[:, 0] >= 0) & (i[:, 0] < 30)
    function.at(expected, i[inside, 0], u[inside])
    assert np.array_equal(exe(x, i, u)[0], expected)
    assert (len(threads(exe)) == 1) == (kind != "i8") and max(threads(exe)) >= 800


POOL = """func.func @main(%x: tensor<{x}xf32>, %s: tensor<{s}xf32>) -> tensor<{x}xf32> {{
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    {body}
    stablehlo.return %c : tensor<f32>
  }}) {{window_dimensions = array<i64: {window}>, window_strides = array<i64: {strides}>, padding = dense<[[{low}, 1], [1, 1]]> : tensor<2x2xi64>}}
     : (tensor<{x}xf32>, tensor<{s}xf32>, tensor<f32>) -> tensor<{x}xf32>
  return %0 : tensor<{x}xf32> }}"""


@pytest.mark.parametrize("window, strides, low", [((3, 3), (2, 2), 1), ((2, 2), (2, 2), 0), ((4, 3), (1, 2), -2)])
@pytest.mark.parametrize("body", ["add", "halves"])
def test_selected_elements_are_scattered_in_order(window, strides, low, body) -> None:
    """`low`: padding in front of the first dimension; negative where elements are left out."""
    rng = np.random.default_rng(10)
    x = rng.integers(0, 5, (12, 9)).astype(np.float32)
    sizes = [(n + a + 1 - w) // s + 1 for n, a, w, s in zip(x.shape, (low, 1), window, strides)]
    source = rng.normal(size=sizes).astype(np.float32)
    expected = np.full(x.shape, 0.5, np.float32)
    for place in np.ndindex(*sizes):
        inside = [
            (p * s - a + o, q * t - 1 + r)
            for (p, q), (s, t), a in [(place, strides, low)]
            for o in range(window[0])
            for r in range(window[1])
            if 0 <= p * s - a + o < 12 and 0 <= q * t - 1 + r < 9
        ]
        if inside:
            best = max(inside, key=lambda at: x[at])  # the first one of equals
            expected[best] = BODIES[body][1](expected[best], source[place])
    words = {
        "x": "12x9", "s": "x".join(map(str, sizes)), "body": BODIES[body][0].format(kind="f32"),
        "window": ", ".join(map(str, window)), "strides": ", ".join(map(str, strides)), "low": low,
    }  # fmt: skip
    exe = compiled(POOL.format(**words))
    assert np.array_equal(exe(x, source)[0], expected) and min(threads(exe)) >= 20


# Scans, and index spaces of more than one dimension

SCAN = """func.func @main(%x: tensor<{shape}xi32>) -> tensor<{shape}xi32> {{
  %z = stablehlo.constant dense<{start}> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.{op} %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }}) {{window_dimensions = array<i64: {window}>, padding = dense<{padding}> : tensor<{rank}x2xi64>}} : (tensor<{shape}xi32>, tensor<i32>) -> tensor<{shape}xi32>
  return %0 : tensor<{shape}xi32> }}"""


@pytest.mark.parametrize("op, start, function", [("add", 0, np.add), ("maximum", -(2**31), np.maximum)])
@pytest.mark.parametrize("shape, dimension", [((9001,), 0), ((2, 700), 1), ((3, 130, 4), 1), ((64,), 0), ((65,), 0)])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_reductions_of_long_lines(shape, dimension, op, start, function, reverse) -> None:
    n, rank = shape[dimension], len(shape)
    ends = [0, n - 1] if reverse else [n - 1, 0]
    words = {
        "shape": "x".join(map(str, shape)), "start": start, "op": op, "rank": rank,
        "window": ", ".join(str(n if d == dimension else 1) for d in range(rank)),
        "padding": [ends if d == dimension else [0, 0] for d in range(rank)],
    }  # fmt: skip
    x = np.random.default_rng(6).integers(-1000, 1000, shape).astype(np.int32)
    way = np.flip(x, dimension) if reverse else x
    expected = function.accumulate(way, axis=dimension)
    exe = compiled(SCAN.format(**words))
    assert np.array_equal(exe(x)[0], np.flip(expected, dimension) if reverse else expected)
    assert n <= 64 or max(threads(exe)) >= x.size


def test_every_outer_dimension_is_shared() -> None:
    a = np.random.default_rng(7).normal(size=(40, 5, 5)).astype(np.float32)
    x = a @ a.transpose(0, 2, 1) + 5 * np.eye(5, dtype=np.float32)
    exe = compiled(CHOLESKY.format(n="2x20"))
    expected = np.linalg.cholesky(x.astype(np.float64)).reshape(2, 20, 5, 5)
    np.testing.assert_allclose(np.tril(exe(x.reshape(2, 20, 5, 5))[0]), expected, rtol=1e-4, atol=1e-5)
    assert min(threads(exe)) >= 40


@pytest.mark.parametrize("shape", [(2, 16, 12), (1, 8, 32)])
def test_transforms_of_two_dimensions(shape) -> None:
    text = f"""func.func @main(%x: tensor<{"x".join(map(str, shape))}xcomplex<f32>>) -> tensor<{"x".join(map(str, shape))}xcomplex<f32>> {{
      %0 = stablehlo.fft %x, type = FFT, length = [{shape[1]}, {shape[2]}] : (tensor<{"x".join(map(str, shape))}xcomplex<f32>>) -> tensor<{"x".join(map(str, shape))}xcomplex<f32>>
      return %0 : tensor<{"x".join(map(str, shape))}xcomplex<f32>> }}"""
    rng = np.random.default_rng(12)
    x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
    exe = compiled(text)
    np.testing.assert_allclose(exe(x)[0], np.fft.fft2(x.astype(np.complex128)), atol=1e-4)
    assert min(threads(exe)) >= min(shape[0] * shape[1], shape[0] * shape[2])


# One matrix by the threads of a block

SOLVE = """func.func @main(%a: tensor<{b}{n}x{n}xf32>, %b: tensor<{b}{n}x3xf32>) -> tensor<{b}{n}x3xf32> {{
  %0 = "stablehlo.triangular_solve"(%a, %b) {{left_side = true, lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}
    : (tensor<{b}{n}x{n}xf32>, tensor<{b}{n}x3xf32>) -> tensor<{b}{n}x3xf32>
  return %0 : tensor<{b}{n}x3xf32> }}"""
FACTOR = """func.func @main(%x: tensor<{s}xf32>) -> tensor<{s}xf32> {{
  %0 = stablehlo.cholesky %x, lower = {lower} : tensor<{s}xf32>
  return %0 : tensor<{s}xf32> }}"""


def positive(shape) -> np.ndarray:
    a = np.random.default_rng(13).normal(size=shape)
    return (a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])).astype(np.float32)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("shape, size", [((40, 40), 256), ((70, 70), 32), ((3, 33, 33), 32)])
def test_a_matrix_is_factored_by_a_block(shape, size: int, lower: bool, monkeypatch) -> None:
    """`size`: threads of a block, fewer than there are rows or more."""
    monkeypatch.setattr("hlo.lowering.gpu.loop_launches.THREADS", size)
    x = positive(shape)
    exe = compiled(FACTOR.format(s="x".join(map(str, shape)), lower=str(lower).lower()))
    expected = np.linalg.cholesky(x.astype(np.float64))
    np.testing.assert_allclose(exe(x)[0], expected if lower else np.swapaxes(expected, -1, -2), rtol=1e-4, atol=1e-4)
    assert threads(exe)[-1] == size * (shape[0] if len(shape) == 3 else 1)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_system_is_solved_by_a_block(batch, lower: bool, unit: bool) -> None:
    n = 50
    a = np.linalg.cholesky(positive((*batch, n, n))).astype(np.float32) / (4 * n if unit else 1)
    a = a if lower else np.swapaxes(a, -1, -2).copy()
    b = np.random.default_rng(14).normal(size=(*batch, n, 3)).astype(np.float32)
    words = {"lower": str(lower).lower(), "unit": str(unit).lower(), "b": "".join(f"{d}x" for d in batch)}
    exe = compiled(SOLVE.format(n=n, **words))
    matrix = a.astype(np.float64)
    if unit:
        matrix[..., range(n), range(n)] = 1
    np.testing.assert_allclose(exe(a, b)[0], np.linalg.solve(matrix, b), rtol=1e-3, atol=1e-4)
    assert threads(exe)[-1] == 256 * 3 * (batch[0] if batch else 1)


def test_a_missing_barrier_in_a_block_is_found(monkeypatch) -> None:
    from hlo.lowering.gpu import loop_launches

    share = loop_launches._divide

    def without_barrier(loop, thread) -> None:
        share(loop, thread)
        following = list(loop.block.operations)
        following[following.index(loop.opview) + 1].operation.erase()

    monkeypatch.setattr(loop_launches, "_divide", without_barrier)
    exe = compiled(FACTOR.format(s="40x40", lower="true"))
    with pytest.raises(HloError, match="with no barrier in between"):
        exe(positive((40, 40)))


@pytest.mark.parametrize("shape", [(128,), (256,), (100,), (2, 512), (3, 70)])
@pytest.mark.parametrize("kind, function", [("FFT", np.fft.fft), ("IFFT", np.fft.ifft)])
def test_long_transforms_by_many_threads(shape, kind: str, function) -> None:
    """One line by all threads, more lines by a block each."""
    s = "x".join(map(str, shape))
    text = f"""func.func @main(%x: tensor<{s}xcomplex<f32>>) -> tensor<{s}xcomplex<f32>> {{
      %0 = stablehlo.fft %x, type = {kind}, length = [{shape[-1]}] : (tensor<{s}xcomplex<f32>>) -> tensor<{s}xcomplex<f32>>
      return %0 : tensor<{s}xcomplex<f32>> }}"""
    rng = np.random.default_rng(15)
    x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
    exe = compiled(text)
    np.testing.assert_allclose(exe(x)[0], function(x.astype(np.complex128)), atol=2e-4)
    assert min(threads(exe)) >= (64 if len(shape) == 1 else 256 * shape[0])
