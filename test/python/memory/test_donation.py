"""Donated arguments: their memory is used for results and temporaries, nothing else is overwritten."""

import numpy as np
import pytest

import hlo

STEP = """func.func @main(%p: tensor<64x64xf32>, %g: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c = stablehlo.constant dense<0.5> : tensor<64x64xf32>
  %0 = stablehlo.multiply %g, %c : tensor<64x64xf32>
  %1 = stablehlo.subtract %p, %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}"""

PRODUCT = """func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}"""

LOOP = """func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<64x64xf32>, tensor<i32>
  cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
         stablehlo.return %c : tensor<i1> }
  do { %one = stablehlo.constant dense<1> : tensor<i32>
       %j = stablehlo.add %i, %one : tensor<i32>
       %b = stablehlo.add %a, %a : tensor<64x64xf32>
       stablehlo.return %b, %j : tensor<64x64xf32>, tensor<i32> }
  return %r#0 : tensor<64x64xf32>
}"""


def _arrays(*shapes):
    random = np.random.default_rng(0)
    return [random.normal(size=s).astype(np.float32) for s in shapes]


def _reuses(exe, number):
    return any(argument == number for argument, _ in exe.program.donation.results)


def test_an_update_is_made_in_place():
    p, g = _arrays((64, 64), (64, 64))
    before, kept = p.copy(), g.copy()
    exe = hlo.compile(STEP, donate=(0,))
    (result,) = exe(p, g)
    assert np.shares_memory(result, p) and _reuses(exe, 0)
    np.testing.assert_array_equal(result, before - kept * np.float32(0.5))
    np.testing.assert_array_equal(g, kept)


def test_nothing_is_overwritten_that_is_not_donated():
    p, g = _arrays((64, 64), (64, 64))
    before = p.copy(), g.copy()
    (result,) = hlo.compile(STEP)(p, g)
    assert not np.shares_memory(result, p)
    np.testing.assert_array_equal((p, g), before)


def test_a_result_goes_to_an_argument_that_is_not_needed_any_more():
    x, y = _arrays((64, 64), (64, 64))
    expected, kept = (x @ y @ y) @ (x @ y), y.copy()
    exe = hlo.compile(PRODUCT, donate=[0])
    (result,) = exe(x, y)
    assert np.shares_memory(result, x)
    np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-2)
    np.testing.assert_array_equal(y, kept)


def test_an_argument_in_use_to_the_end_keeps_its_memory():
    text = PRODUCT.replace("%1, %0, contracting", "%1, %x, contracting")
    x, y = _arrays((64, 64), (64, 64))
    expected = (x @ y @ y) @ x
    exe = hlo.compile(text, donate=(0,))
    assert not _reuses(exe, 0)
    np.testing.assert_allclose(exe(x, y)[0], expected, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_loops_work_in_a_donated_argument(steps):
    (x,) = _arrays((64, 64))
    expected = x * np.float32(2**steps)
    plain, exe = hlo.compile(LOOP), hlo.compile(LOOP, donate=(0,))
    np.testing.assert_array_equal(plain(x, np.int32(steps))[0], expected)
    (result,) = exe(x, np.int32(steps))
    np.testing.assert_array_equal(result, expected)
    assert exe.memory.peak <= plain.memory.peak - x.nbytes


BRANCH = """func.func @main(%p: tensor<i1>, %x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = "stablehlo.if"(%p) ({ stablehlo.return %x : tensor<64xf32> }, {
    %s = stablehlo.add %x, %y : tensor<64xf32>
    %t = stablehlo.multiply %s, %x : tensor<64xf32>
    stablehlo.return %t : tensor<64xf32> }) : (tensor<i1>) -> tensor<64xf32>
  %z = stablehlo.subtract %r, %y : tensor<64xf32>
  return %z, %r : tensor<64xf32>, tensor<64xf32>
}"""


@pytest.mark.parametrize("donate", [(), (1,), (2,), (1, 2)])
@pytest.mark.parametrize("taken", [True, False])
def test_branches(donate, taken):
    x, y = _arrays(64, 64)
    r = x if taken else (x + y) * x
    expected = (r - y, r.copy())
    results = hlo.compile(BRANCH, donate=donate)(np.bool_(taken), x.copy(), y.copy())
    np.testing.assert_array_equal(results, expected)


def test_one_value_returned_twice_and_an_argument_returned_as_it_is():
    text = """func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<3x3xf32>) {
      %0 = stablehlo.reshape %x : (tensor<9xf32>) -> tensor<3x3xf32>
      return %x, %x, %0 : tensor<9xf32>, tensor<9xf32>, tensor<3x3xf32> }"""
    x, y = _arrays(9, 9)
    expected = x.copy()
    results = hlo.compile(text, donate=(0, 1))(x, y)
    for a in results:
        np.testing.assert_array_equal(a.ravel(), expected)
    assert not any(np.shares_memory(a, b) for n, a in enumerate(results) for b in results[:n])


def test_results_can_go_elsewhere():
    p, g = _arrays((64, 64), (64, 64))
    expected, out = p - g * np.float32(0.5), np.empty((64, 64), np.float32)
    exe = hlo.compile(STEP, donate=(0,))
    assert exe(p.copy(), g, out=[out])[0] is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(exe(p, g, out=[p])[0], expected)


READ_ONLY = np.zeros((64, 64), np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "array, message",
    [
        (READ_ONLY, "it must be writable"),
        (np.zeros((128, 64), np.float32)[::2], "it must be a contiguous array"),
        (np.zeros((64, 64), ">f4"), "it must be a contiguous array"),
        (np.zeros((64, 64), np.float32).tolist(), "argument 0"),
    ],
)
def test_arrays_that_cannot_be_overwritten_are_refused(array, message):
    exe = hlo.compile(STEP, donate=(0,))
    with pytest.raises(hlo.ArgumentError, match=message):
        exe(array, READ_ONLY)


def test_an_array_given_twice_is_refused():
    (p,) = _arrays((64, 64))
    with pytest.raises(hlo.ArgumentError, match=r"argument 0 \(64x64xf32\) is donated: it must not share memory"):
        hlo.compile(STEP, donate=(0,))(p, p)


@pytest.mark.parametrize("donate", [(2,), (-1,), (True,), "0", ("p",), 0])
def test_numbers_that_are_no_arguments(donate):
    with pytest.raises(hlo.ArgumentError, match="donate takes numbers of arguments, from 0 to 1"):
        hlo.compile(STEP, donate=donate)


@pytest.mark.parametrize("mark", ["tf.aliasing_output = 0 : i32", "jax.buffer_donor = true"])
def test_marks_of_jax(mark):
    text = STEP.replace("%p: tensor<64x64xf32>", f"%p: tensor<64x64xf32> {{{mark}}}")
    p, g = _arrays((64, 64), (64, 64))
    expected = p - g * np.float32(0.5)
    exe = hlo.compile(text)
    np.testing.assert_array_equal(
        exe(READ_ONLY, g)[0], READ_ONLY - g * np.float32(0.5)
    )  # copied: nobody asked for it here
    (result,) = exe(p, g)
    assert np.shares_memory(result, p)
    np.testing.assert_array_equal(result, expected)


def test_marks_beside_tokens_and_tuples():
    """Numbers are those of the arrays."""
    text = """func.func @main(%t: !stablehlo.token, %u: tuple<tensor<4xf32>, tensor<5xf32>>, %x: tensor<64xf32> {jax.buffer_donor = true})
        -> (!stablehlo.token, tensor<64xf32>) {
      %0 = stablehlo.add %x, %x : tensor<64xf32>
      return %t, %0 : !stablehlo.token, tensor<64xf32>
    }"""
    assert hlo.compile(text).program.donation.results == ((2, 0),)


def test_what_jax_lowers():
    import jax

    step = jax.jit(lambda p, g: p - 0.5 * g, donate_argnums=0)
    text = step.lower(*_arrays((8, 8), (8, 8))).as_text()
    p, g = _arrays((8, 8), (8, 8))
    expected = p - np.float32(0.5) * g
    (result,) = hlo.compile(text)(p, g)
    assert ("aliasing_output" in text or "buffer_donor" in text) and np.shares_memory(result, p)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_memory_is_reported():
    plain, donated = hlo.compile(STEP).memory, hlo.compile(STEP, donate=(0,)).memory
    size = 64 * 64 * 4
    assert (plain.arguments, plain.results, plain.donated) == (2 * size, size, 0)
    assert donated.donated == size and donated.peak == plain.peak - size + (donated.code - plain.code)


def test_saved_programs_know_what_is_donated(tmp_path):
    hlo.compile(STEP, donate=(0,)).save(tmp_path / "step")
    p, g = _arrays((64, 64), (64, 64))
    assert np.shares_memory(hlo.load_executable(tmp_path / "step")(p, g)[0], p)
