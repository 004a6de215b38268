"""The loop emitter against numpy: maps, reductions, every way a dimension can be walked, on each vector target."""

import re

import numpy as np
import pytest
from kernel_runner import Kernel, numpy_type

import hlo

TARGETS = ["avx512", "avx2", "baseline"]
SIZES = [(1,), (5,), (16,), (64,), (67,), (1000,)]
rng = np.random.default_rng(0)


def tensor(shape, element):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def affine(rank, results):
    dims = ",".join(f"d{k}" for k in range(rank))
    return f"affine_map<({dims})->({','.join(results)})>"


def generic(inputs, out, body, iterators, result="%r", init="%e"):
    """A linalg.generic; `inputs` and `out`: (name, map, type)."""
    maps = ",".join(m for _, m, _ in [*inputs, out])
    kinds = ",".join(f'"{k}"' for k in iterators)
    ins = f"ins({','.join(n for n, _, _ in inputs)} : {','.join(t for _, _, t in inputs)})" if inputs else ""
    element = [re.sub(r"^tensor<(\d+x)*|>$", "", t) for _, _, t in [*inputs, out]]
    arguments = [f"%x{k}: {t}" for k, t in enumerate(element[:-1])] + [f"%acc: {element[-1]}"]
    return (
        f"{result} = linalg.generic {{indexing_maps=[{maps}], iterator_types=[{kinds}]}} {ins} "
        f"outs({init} : {out[2]}) {{\n^bb0({', '.join(arguments)}):\n{body}\n}} -> {out[2]}\n"
    )


def kernel(arguments, result, body):
    names = ", ".join(f"%a{k}: {t}" for k, t in enumerate(arguments))
    return (
        f'func.func private @k({names}) -> {result} attributes {{hlo.kernel = "region"}} {{\n{body}'
        f"return %r : {result}\n}}"
    )


def array(shape, element):
    dtype = numpy_type(element)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(-50, 50, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def empty(type, name="%e"):
    return f"{name} = tensor.empty() : {type}\n"


def filled(type, value, element, name="%e"):
    return (
        f"%init = arith.constant {value} : {element}\n%none = tensor.empty() : {type}\n"
        f"{name} = linalg.fill ins(%init : {element}) outs(%none : {type}) -> {type}\n"
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [0, 1, 3, 16, 67, 1000])
def test_add_1d(size, target):
    t, m = tensor((size,), "f32"), affine(1, ["d0"])
    body = "%s = arith.addf %x0, %x1 : f32\nlinalg.yield %s : f32"
    text = kernel([t, t], t, empty(t) + generic([("%a0", m, t), ("%a1", m, t)], ("%e", m, t), body, ["parallel"]))
    a, b = array((size,), "f32"), array((size,), "f32")
    np.testing.assert_array_equal(Kernel(text, target)(a, b)[0], a + b)


ADD = {"f": "arith.addf", "i": "arith.addi", "c": "complex.add", "b": "arith.ori"}
ELEMENTS = ["f32", "f64", "bf16", "f16", "i8", "i16", "i32", "i64", "i1", "complex<f32>", "complex<f64>"]


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_add_every_element_type(element, target):
    t, m = tensor((3, 21), element), affine(2, ["d0", "d1"])
    kind = numpy_type(element).kind.replace("V", "f")
    body = f"%s = {ADD[kind]} %x0, %x1 : {element}\nlinalg.yield %s : {element}"
    if element in ("bf16", "f16"):  # as programs have it
        wide = [f"%w{n} = arith.extf %x{n} : {element} to f32" for n in (0, 1)]
        total = ["%t = arith.addf %w0, %w1 : f32", f"%s = arith.truncf %t : f32 to {element}"]
        body = "\n".join([*wide, *total, f"linalg.yield %s : {element}"])
    parallel = ["parallel"] * 2
    text = kernel([t, t], t, empty(t) + generic([("%a0", m, t), ("%a1", m, t)], ("%e", m, t), body, parallel))
    a, b = array((3, 21), element), array((3, 21), element)
    expected = (a | b) if kind == "b" else (a + b)
    np.testing.assert_array_equal(Kernel(text, target)(a, b)[0], expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(16, 16), (5, 70), (70, 5), (33, 47), (1, 9), (3, 3)])
@pytest.mark.parametrize("element", ["f32", "f64", "i8", "i1"])
def test_transpose(shape, element, target):
    t, o = tensor(shape, element), tensor(shape[::-1], element)
    maps = affine(2, ["d1", "d0"]), affine(2, ["d0", "d1"])
    body = f"linalg.yield %x0 : {element}"
    text = kernel([t], o, empty(o) + generic([("%a0", maps[0], t)], ("%e", maps[1], o), body, ["parallel"] * 2))
    a = array(shape, element)
    np.testing.assert_array_equal(Kernel(text, target)(a)[0], a.T)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "maps, shape, out, expected",
    [
        (["d0", "d2"], (4, 37), (4, 3, 37), lambda a: np.repeat(a[:, None], 3, 1)),
        (["d1", "d0"], (7, 4), (4, 7, 5), lambda a: np.broadcast_to(a.T[:, :, None], (4, 7, 5))),
        (["36 - d0"], (37,), (37,), lambda a: a[::-1]),
        (["d0 * 3 + 2"], (120,), (35,), lambda a: a[2:105:3]),
        (["d1 * 2 + 1", "d0"], (43, 20), (20, 21), lambda a: a[1:42:2].T),
        (["d2", "d1", "d0"], (9, 17, 21), (21, 17, 9), lambda a: a.transpose(2, 1, 0)),
        (["d0", "d2", "d1"], (3, 17, 21), (3, 21, 17), lambda a: a.transpose(0, 2, 1)),
    ],
)
def test_views(maps, shape, out, expected, target):
    t, o, rank = tensor(shape, "f32"), tensor(out, "f32"), len(out)
    identity = affine(rank, [f"d{k}" for k in range(rank)])
    body = "linalg.yield %x0 : f32"
    g = generic([("%a0", affine(rank, maps), t)], ("%e", identity, o), body, ["parallel"] * rank)
    a = array(shape, "f32")
    np.testing.assert_array_equal(Kernel(kernel([t], o, empty(o) + g), target)(a)[0], expected(a))


def reduction(shape, axes, element, init, body):
    rank = len(shape)
    t, out = tensor(shape, element), tensor([n for d, n in enumerate(shape) if d not in axes], element)
    maps = affine(rank, [f"d{k}" for k in range(rank)]), affine(rank, [f"d{k}" for k in range(rank) if k not in axes])
    kinds = ["reduction" if k in axes else "parallel" for k in range(rank)]
    g = generic([("%a0", maps[0], t)], ("%e", maps[1], out), body, kinds)
    return kernel([t], out, filled(out, init, element) + g)


SUM = "%s = arith.addf %acc, %x0 : {0}\nlinalg.yield %s : {0}"
CASES = [
    ((37,), (0,)),
    ((5, 67), (1,)),
    ((5, 67), (0,)),
    ((67, 5), (1,)),
    ((100, 7), (1,)),
    ((100, 7), (0,)),
    ((3, 4, 50), (0, 2)),
    ((3, 4, 50), (1,)),
    ((30, 4, 5), (0, 1, 2)),
    ((4, 0), (1,)),
    ((0, 4), (1,)),
    ((2, 3, 2, 3, 2, 3, 2, 3), (1, 3, 5, 7)),
    ((6, 1, 40), (1, 2)),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape, axes", CASES)
def test_sum(shape, axes, target):
    a = array(shape, "f32")
    got = Kernel(reduction(shape, axes, "f32", "1.5", SUM.format("f32")), target)(a)[0]
    np.testing.assert_allclose(got, 1.5 + a.astype(np.float64).sum(axes), rtol=1e-5, atol=1e-5)


REDUCERS = [
    ("f64", "0.0", "arith.addf", np.add),
    ("f32", "0xFF800000", "arith.maximumf", np.maximum),
    ("i32", "0", "arith.addi", np.add),
    ("i8", "127", "arith.minsi", np.minimum),
    ("i64", "1", "arith.muli", np.multiply),
    ("i1", "false", "arith.ori", np.logical_or),
    ("i1", "true", "arith.andi", np.logical_and),
    ("i16", "0", "arith.xori", np.bitwise_xor),
]


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("shape, axis", [((3, 77), 1), ((77, 6), 0), ((40, 3), 1), ((100,), 0)])
@pytest.mark.parametrize("element, init, op, ufunc", REDUCERS)
def test_reducers(element, init, op, ufunc, shape, axis, target):
    body = f"%s = {op} %acc, %x0 : {element}\nlinalg.yield %s : {element}"
    text = reduction(shape, (axis,), element, init, body)
    if element == "i1":
        text = text.replace(f"{init} : i1", init)
    a = array(shape, element)
    with np.errstate(over="ignore"):
        expected = ufunc.reduce(a, axis=axis, dtype=a.dtype)
    np.testing.assert_allclose(Kernel(text, target)(a)[0], expected, rtol=1e-12)


ARGMAX = """func.func private @k(%a: tensor<{s}xf32>) -> (tensor<{o}f32>, tensor<{o}i32>) attributes {{hlo.kernel = "region"}} {{
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %em = tensor.empty() : tensor<{o}f32>
  %ei = tensor.empty() : tensor<{o}i32>
  %m0 = linalg.fill ins(%low : f32) outs(%em : tensor<{o}f32>) -> tensor<{o}f32>
  %i0 = linalg.fill ins(%zero : i32) outs(%ei : tensor<{o}i32>) -> tensor<{o}i32>
  %e = tensor.empty() : tensor<{s}xi32>
  %n = linalg.generic {{indexing_maps=[{full}], iterator_types=[{par}]}} outs(%e : tensor<{s}xi32>) {{
  ^bb0(%o: i32):
    %i = linalg.index {axis} : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  }} -> tensor<{s}xi32>
  %r:2 = linalg.generic {{indexing_maps=[{full},{full},{kept},{kept}], iterator_types=[{kinds}]}}
      ins(%a, %n : tensor<{s}xf32>, tensor<{s}xi32>) outs(%m0, %i0 : tensor<{o}f32>, tensor<{o}i32>) {{
  ^bb0(%x: f32, %j: i32, %m: f32, %k: i32):
    %gt = arith.cmpf ogt, %m, %x : f32
    %eq = arith.cmpf oeq, %m, %x : f32
    %lt = arith.cmpi slt, %k, %j : i32
    %tie = arith.andi %eq, %lt : i1
    %keep = arith.ori %gt, %tie : i1
    %v = arith.select %keep, %m, %x : f32
    %w = arith.select %keep, %k, %j : i32
    linalg.yield %v, %w : f32, i32
  }} -> (tensor<{o}f32>, tensor<{o}i32>)
  return %r#0, %r#1 : tensor<{o}f32>, tensor<{o}i32>
}}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape, axis", [((7, 83), 1), ((83, 7), 0), ((90, 6), 1), ((123,), 0)])
def test_argmax(shape, axis, target):
    rank = len(shape)
    dims = [f"d{k}" for k in range(rank)]
    text = ARGMAX.format(
        s="x".join(map(str, shape)),
        o="".join(f"{n}x" for k, n in enumerate(shape) if k != axis),
        full=affine(rank, dims),
        kept=affine(rank, [d for k, d in enumerate(dims) if k != axis]),
        par=",".join(['"parallel"'] * rank),
        kinds=",".join('"reduction"' if k == axis else '"parallel"' for k in range(rank)),
        axis=axis,
    )
    a = array(shape, "f32")
    largest, position = Kernel(text, target)(a)
    np.testing.assert_array_equal(largest, a.max(axis))
    np.testing.assert_array_equal(position, a.argmax(axis))


@pytest.mark.parametrize("target", TARGETS)
def test_elements_that_a_body_does_not_use_are_not_read(target):
    """The loops are joined as if the array, which they go through the other way, did not exist."""
    inputs = [("%a0", affine(2, ["d1", "d0"]), "tensor<7x333xi16>")]
    out = ("%r", affine(2, []), "tensor<i16>")
    start = "%z = arith.constant 5 : i16\n%e = tensor.empty() : tensor<i16>\n%f = linalg.fill ins(%z : i16) outs(%e : tensor<i16>) -> tensor<i16>\n"
    body = generic(inputs, out, "linalg.yield %acc : i16", ["reduction"] * 2, init="%f")
    compiled = Kernel(kernel(["tensor<7x333xi16>"], "tensor<i16>", start + body), target)
    assert compiled(array((7, 333), "i16"))[0] == 5
    assert not re.search(r"vector\.(gather|load|transfer_read)|memref\.load", compiled.code)


MATMUL = "%p = arith.mulf %x0, %x1 : f32\n%s = arith.addf %acc, %p : f32\nlinalg.yield %s : f32"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("m, n, k", [(7, 35, 20), (1, 64, 33), (30, 3, 50), (4, 4, 4)])
@pytest.mark.parametrize("transposed", [False, True])
def test_contraction_as_a_plain_reduction(m, n, k, transposed, target):
    a_type, b_shape, o = tensor((m, k), "f32"), ((n, k) if transposed else (k, n)), tensor((m, n), "f32")
    b_map = affine(3, ["d1", "d2"] if transposed else ["d2", "d1"])
    b_type = tensor(b_shape, "f32")
    inputs = [("%a0", affine(3, ["d0", "d2"]), a_type), ("%a1", b_map, b_type)]
    g = generic(inputs, ("%e", affine(3, ["d0", "d1"]), o), MATMUL, ["parallel", "parallel", "reduction"])
    a, b = array((m, k), "f32"), array(b_shape, "f32")
    got = Kernel(kernel([a_type, b_type], o, filled(o, "0.0", "f32") + g), target)(a, b)[0]
    np.testing.assert_allclose(got, a @ (b.T if transposed else b), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("shape", [(701, 1040), (2100, 512), (3, 230, 2019)])
def test_columns_of_large_arrays(shape, cpu):
    """Many columns are walked at once; integers tell every element that is missed or taken twice."""
    kind, kept = "x".join(map(str, shape)), "x".join(map(str, (*shape[:-2], shape[-1])))
    axis = len(shape) - 2
    text = f"""func.func @main(%x: tensor<{kind}xi32>) -> (tensor<{kept}xi32>, tensor<{kept}xi32>) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %least = stablehlo.constant dense<-2147483648> : tensor<i32>
      %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [{axis}] : (tensor<{kind}xi32>, tensor<i32>) -> tensor<{kept}xi32>
      %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [{axis}] : (tensor<{kind}xi32>, tensor<i32>) -> tensor<{kept}xi32>
      return %s, %m : tensor<{kept}xi32>, tensor<{kept}xi32>
    }}"""
    x = np.random.default_rng(0).integers(-1000, 1000, shape).astype(np.int32)
    total, most = hlo.compile(text, cpu=cpu, cache=False)(x)
    np.testing.assert_array_equal(total, x.sum(axis))
    np.testing.assert_array_equal(most, x.max(axis))
