"""expand-math against numpy in higher precision: largest error in units in the last place, signs, special values."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
from mlir import ir
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager
from mlir.runtime import get_ranked_memref_descriptor
from test_processors import HERE

import hlo
from hlo.lowering import target as processors
from hlo.lowering.llvm.emulate_instructions import EmulateInstructions
from hlo.lowering.llvm.expand_math import ExpandMath
from hlo.runtime.code.routines import add_routines

COUNT = 1 << 14
PIPELINE = (
    "builtin.module(canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,"
    "convert-math-to-llvm{approximate-log1p=false},convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)
SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1,
    -1,
    0.5,
    -0.5,
    1e-45,
    -1e-45,
    1e-40,
    88.8,
    89,
    -87,
    -103.5,
    -104,
    3e38,
]


def erfc(x):
    from math import erfc

    return np.vectorize(erfc, otypes=[np.float64])(x)


def erf(x):
    from math import erf

    return np.vectorize(erf, otypes=[np.float64])(x)


UNARY = {
    "exp": (np.exp, 1.0, 1.0),
    "exp2": (np.exp2, 1.1, 1.1),
    "expm1": (np.expm1, 1.5, 1.9),
    "log": (np.log, 1.0, 1.0),
    "log1p": (np.log1p, 1.5, 1.3),
    "log2": (np.log2, 2.0, 1.6),
    "log10": (np.log10, 2.0, 2.0),
    "tanh": (np.tanh, 2.0, 2.0),
    "sin": (np.sin, 1.6, 1.0),  # without fused multiplications; with them below, in test_f32_angles
    "cos": (np.cos, 1.6, 1.0),
    "tan": (np.tan, 1.6, 2.0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.5, 1.5),
    "atan": (np.arctan, 1.4, 1.8),
    "erf": (erf, 1.2, None),
    "cbrt": (np.cbrt, 0.6, 0.8),
}
"""The exact function and the largest error allowed, in ulp, for f32 and f64."""


TARGETS = {"host": 1.0, "baseline": 1.01}
"""With fused multiplication (where the host has it) and without, which may cost a little."""


def evaluate(name: str, target: str, *arrays: np.ndarray) -> np.ndarray:
    """math.NAME on vectors of the arrays (of 512 bits where they divide their size), through expand-math and emulate-instructions."""
    element = {"float32": "f32", "float64": "f64"}[arrays[0].dtype.name]
    widest = 64 // arrays[0].itemsize
    lanes = widest if arrays[0].size % widest == 0 else 8
    memref, vector = f"memref<{arrays[0].size}x{element}>", f"vector<{lanes}x{element}>"
    loads = "\n".join(f"%x{i} = vector.load %a{i}[%i] : {memref}, {vector}" for i in range(len(arrays)))
    text = f"""func.func @f({", ".join(f"%a{i}: {memref}" for i in range(len(arrays)))}, %out: {memref})
        attributes {{llvm.emit_c_interface}} {{
      %zero = arith.constant 0 : index
      %end = arith.constant {arrays[0].size} : index
      %step = arith.constant {lanes} : index
      scf.for %i = %zero to %end step %step {{
        {loads}
        %y = math.{name} {", ".join(f"%x{i}" for i in range(len(arrays)))} : {vector}
        vector.store %y, %out[%i] : {memref}, {vector}
      }}
      return
    }}"""
    out = np.zeros_like(arrays[0])
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        ExpandMath(target).run(module)
        EmulateInstructions(target).run(module)
        PassManager.parse(PIPELINE).run(module.operation)
        add_routines(module, target)
        engine = ExecutionEngine(module, opt_level=2)
        engine.invoke("f", *(ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(a))) for a in (*arrays, out)))
    return out


@pytest.mark.parametrize("size", [8, 1 << 16])
def test_erf_of_neighbours(size):
    """Where the polynomials of two steps meet, and on the way to 1, in vectors of 8 and of 16 lanes."""
    starts = np.concatenate([np.arange(0.5, 16) * 4161 / 2**14, [3.9, 3.93]]).astype(np.float32)
    for start in starts:
        x = (start.view(np.int32) + np.arange(-size // 2, size // 2, dtype=np.int32)).view(np.float32)
        assert ulps(evaluate("erf", "host", x), erf(x.astype(np.float64))).max() < 1.2


def test_erfc_where_it_is_least_exact():
    """All f32 from just below erfc = 1/4, where an ulp becomes half as large, and from 7.7."""
    for low, high in ((0.8139, 0.83), (7.77, 7.91)):
        x = np.arange(np.float32(low).view(np.uint32), np.float32(high).view(np.uint32), dtype=np.uint32).view(
            np.float32
        )
        text = f"""func.func @main(%x: tensor<{len(x)}xf32>) -> tensor<{len(x)}xf32> {{
          %0 = chlo.erfc %x : tensor<{len(x)}xf32> -> tensor<{len(x)}xf32>
          return %0 : tensor<{len(x)}xf32> }}"""
        assert ulps(hlo.compile(text)(x)[0], erfc(x.astype(np.float64))).max() < 5


def ulps(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distance in units of the last place; infinite where a special value differs."""
    rounded = exact.astype(found.dtype)
    distance = np.abs(found.astype(np.longdouble) - exact) / np.spacing(np.abs(rounded)).astype(np.longdouble)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    finite = np.isfinite(found) & np.isfinite(rounded)
    return np.where(finite, distance, np.where(same, 0, np.inf))


def sample(dtype) -> np.ndarray:
    """Every exponent (random bits), everyday numbers, small ones, special ones."""
    random = np.random.default_rng(7)
    integer = {np.float32: np.uint32, np.float64: np.uint64}[dtype]
    bits = random.integers(0, np.iinfo(integer).max, COUNT, dtype=integer, endpoint=True).view(dtype)
    everyday, small = random.standard_normal(COUNT) * 10, random.uniform(-1, 1, COUNT)
    values = np.concatenate([bits, everyday.astype(dtype), small.astype(dtype), np.array(SPECIAL, dtype)])
    return np.resize(values, -(-values.size // 8) * 8)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("target", TARGETS)
def test_unary(name, dtype, target):
    function, *limits = UNARY[name]
    limit = limits[dtype is np.float64]
    if limit is None:
        pytest.skip("no f64 expansion: libm")
    x = sample(dtype)
    exact = function(x.astype(np.float64 if dtype is np.float32 else np.longdouble))
    found = evaluate(name, target, x)
    error = ulps(found, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= limit * TARGETS[target], f"{name}({x[worst]!r}) = {found[worst]!r}, exact {exact[worst]!r}"
    number = ~np.isnan(exact)
    assert np.array_equal(np.signbit(found[number]), np.signbit(exact[number]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype, wide", [(np.float32, np.float64), (np.float64, np.longdouble)])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "function", "limit"), [("powf", np.power, 0.8), ("atan2", np.arctan2, 2.0)])
def test_binary(name, function, limit, dtype, wide, target):
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL), dtype).reshape(2, -1)
    random = np.random.default_rng(8).standard_normal((2, COUNT)).astype(dtype) * 3
    large = np.array([np.exp(random[0] * (np.log(np.finfo(dtype).max) / 8)), np.clip(7 / random[0], -8, 8)], dtype)
    pairs = np.concatenate([pairs, random, np.abs(random), large], axis=1)
    pairs = np.ascontiguousarray(pairs[:, : pairs.shape[1] // 8 * 8])
    exact = function(pairs[0].astype(wide), pairs[1].astype(wide))
    found = evaluate(name, target, pairs[0].copy(), pairs[1].copy())
    error = ulps(found, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= limit, f"{name}({pairs[0][worst]}, {pairs[1][worst]}) = {found[worst]}, not {exact[worst]}"


ROUNDINGS = {"roundeven": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*ROUNDINGS, "round"])
def test_roundings_without_instructions(name, dtype):
    x = np.concatenate([sample(dtype), np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 8388607.5] * 2, dtype)])
    away = lambda v: np.copysign(np.floor(np.abs(v)) + (np.abs(v) - np.floor(np.abs(v)) >= 0.5), v)
    with np.errstate(invalid="ignore"):
        exact = ROUNDINGS.get(name, away)(x)
    found = evaluate(name, "baseline", x)
    same = np.isnan(exact) & np.isnan(found)
    assert np.array_equal(np.where(same, 0, found), np.where(same, 0, exact))
    assert np.array_equal(np.signbit(found[~same]), np.signbit(exact[~same]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_multiplication_without_instructions(dtype):
    """What the product's rounding loses is there: a * b - round(a * b), sums that cancel, and special values."""
    random = np.random.default_rng(9)
    a, b = (random.standard_normal(COUNT).astype(dtype) * 10.0 ** random.integers(-9, 9, COUNT) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    wide = np.longdouble
    lost = evaluate("fma", "baseline", a, b, -(a * b))
    expected = (a.astype(wide) * b.astype(wide) - (a * b).astype(wide)).astype(dtype)
    if dtype is np.float32:  # np.longdouble has 64 bits: the products of f64 are not exact in it
        assert np.array_equal(lost, expected)
    else:
        np.testing.assert_allclose(lost, expected, rtol=0, atol=np.abs(np.spacing(a * b)).max() * 2.0**-10)
        assert lost.any()
    grid = np.array(np.meshgrid(SPECIAL, SPECIAL, SPECIAL), dtype).reshape(3, -1)
    grid = np.ascontiguousarray(grid[:, : grid.shape[1] // 8 * 8])
    with np.errstate(all="ignore"):
        x, y, z = grid.astype(wide)
        once = (x * y + z).astype(dtype)
    found = evaluate("fma", "baseline", *(row.copy() for row in grid))
    assert np.array_equal(np.isnan(found), np.isnan(once))
    assert (ulps(found, np.where(np.isnan(once), 0, once))[~np.isnan(once)] <= 1).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("element, dtype, most", [("bf16", ml_dtypes.bfloat16, 0), ("f16", np.float16, 1)])
def test_every_narrow_erf(element, dtype, most):
    """Of all numbers of 16 bits, beside the exact one rounded once."""
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    kind = f"tensor<{x.size}x{element}>"
    text = f"func.func @main(%x: {kind}) -> {kind} {{ %y = chlo.erf %x : {kind} -> {kind}\n return %y : {kind} }}"
    found = np.asarray(hlo.compile(text)(x)[0])
    nan = np.isnan(x.astype(np.float32))
    exact = erf(x.astype(np.float64)).astype(dtype)
    assert np.isnan(found[nan].astype(np.float32)).all()
    distance = np.abs(found.view(np.int16).astype(int) - exact.view(np.int16).astype(int))[~nan]
    assert distance.max() <= most
    assert np.count_nonzero(distance) <= 16


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("element, dtype, most", [("bf16", ml_dtypes.bfloat16, 0), ("f16", np.float16, 4)])
@pytest.mark.parametrize("op, function", [("log", np.log), ("log_plus_one", np.log1p)])
def test_every_narrow_logarithm(op, function, element, dtype, most):
    """Of all numbers of 16 bits, beside the exact value rounded once; `most` have a neighbour of that."""
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    kind = f"tensor<{x.size}x{element}>"
    text = f"func.func @main(%x: {kind}) -> {kind} {{ %y = stablehlo.{op} %x : {kind} return %y : {kind} }}"
    _compare_narrow(hlo.compile(text)(x)[0], function(x.astype(np.float64)).astype(dtype), most)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("element, dtype, most", [("bf16", ml_dtypes.bfloat16, 0), ("f16", np.float16, 8)])
@pytest.mark.parametrize("op, function", [("sine", np.sin), ("cosine", np.cos), ("tan", np.tan)])
def test_every_narrow_angle(op, function, element, dtype, most):
    """Of all numbers of 16 bits, beside the exact value rounded once; `most` have a neighbour of that."""
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    kind = f"tensor<{x.size}x{element}>"
    text = (
        f'func.func @main(%x: {kind}) -> {kind} {{ %y = "stablehlo.{op}"(%x) : ({kind}) -> {kind} return %y : {kind} }}'
    )
    _compare_narrow(hlo.compile(text)(x)[0], function(x.astype(np.float64)).astype(dtype), most)


@pytest.mark.parametrize("op, function", [("sine", np.sin), ("cosine", np.cos)])
@pytest.mark.parametrize("largest", [2.0**4, 2.0**12, 2.0**22, 2.0**23, 2.0**30, 2.0**40])
def test_f32_angles(op, function, largest):
    """Angles up to a size, on both sides of those from which on others are reduced in f64 or by libm, and the nearest to multiples
    of pi/2, of which the rest is smallest."""
    random = np.random.default_rng(3)
    turns = np.round(random.uniform(0, largest, 5000) / (np.pi / 2)) * (np.pi / 2)
    near = np.concatenate([np.nextafter(turns.astype(np.float32), np.float32(way)) for way in (-np.inf, 0, np.inf)])
    x = np.concatenate([random.uniform(-largest, largest, 50000), turns, near]).astype(np.float32)
    kind = f"tensor<{x.size}xf32>"
    text = f"func.func @main(%x: {kind}) -> {kind} {{ %y = stablehlo.{op} %x : {kind} return %y : {kind} }}"
    error = ulps(hlo.compile(text)(x)[0], function(x.astype(np.float64)))
    assert error.max() <= (1.4 if processors.target("host").fuses and largest <= 2.0**22 else 1.6), x[np.argmax(error)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("cpu", ["host", "baseline"])
@pytest.mark.parametrize("element, dtype, most", [("bf16", ml_dtypes.bfloat16, 0), ("f16", np.float16, 64)])
def test_narrow_powers(element, dtype, most, cpu):
    """All bases of 16 bits with special and random exponents."""
    numbers = np.random.default_rng(0).integers(0, 1 << 16, 20).astype(np.uint16).view(dtype)
    special = np.array([0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.7, np.inf, -np.inf, np.nan, 255, 5e-8], dtype)
    y, x = np.meshgrid(np.concatenate([special, numbers]), np.arange(1 << 16, dtype=np.uint16).view(dtype))
    kind = f"tensor<{x.size}x{element}>"
    text = f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{ %z = stablehlo.power %x, %y : {kind} return %z : {kind} }}"
    found = hlo.compile(text, cpu=cpu)(x.ravel(), y.ravel())[0]
    exact = np.power(_quiet(x), _quiet(y)).astype(dtype)
    _compare_narrow(found, exact.ravel(), most)


def _quiet(x):
    """In f64, with no NaN that signals: where numpy widens f16 by software it would stay one, of which the power of 0 is not 1."""
    wide = x.astype(np.float64)
    wide[np.isnan(wide)] = np.nan
    return wide


def _compare_narrow(found, exact, most):
    """At most so many are the neighbour of the exact number; zeros have its sign."""
    nan = np.isnan(exact.astype(np.float32))
    assert np.array_equal(np.isnan(found.astype(np.float32)), nan)
    differ = (found.view(np.uint16) != exact.view(np.uint16)) & ~nan
    distance = np.abs(found.view(np.int16).astype(int) - exact.view(np.int16).astype(int))[differ]
    assert distance.max(initial=0) <= 1
    assert distance.size <= most


@pytest.mark.parametrize("cpu", HERE)
def test_erf_of_large_numbers(cpu):
    """It is 1 from the first number on whose erf is nearer to 1 than to the number before, for the rest of all numbers."""
    x = np.concatenate([np.linspace(3.94, 40, 1000), [1e10, 3e38, np.inf]]).astype(np.float32)
    text = f"func.func @main(%x: tensor<{x.size}xf32>) -> tensor<{x.size}xf32> {{ %y = chlo.erf %x : tensor<{x.size}xf32> -> tensor<{x.size}xf32> return %y : tensor<{x.size}xf32> }}"
    executable = hlo.compile(text, cpu=cpu)
    assert np.all(executable(x)[0] == 1)
    assert np.all(executable(-x)[0] == -1)
