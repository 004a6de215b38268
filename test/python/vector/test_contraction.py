"""The contraction generator against numpy: every mode, packing, edge and element type, on every vector width."""

import ctypes
import math

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from mlir import ir
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager

import hlo
from hlo.host import host_architecture
from hlo.lowering.kernels.remarks import describe
from hlo.lowering.memory.parallelise_parts import ParalleliseParts
from hlo.lowering.target import DOTS, host_dots, host_name, names_of, target
from hlo.lowering.vector.contraction.emit import build, contraction_op, contraction_plan, emit_contraction
from hlo.lowering.vector.contraction.function_text import functions_text
from hlo.runtime.code.routines import add_routines
from hlo.runtime.compile.engine import add_runtime, addresses
from hlo.runtime.threads.pool import connect

DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "i32": np.int32,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}
PIPELINE = (
    "builtin.module(canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,convert-math-to-llvm,"
    "expand-strided-metadata,finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},convert-cf-to-llvm,reconcile-unrealized-casts)"
)
PROCESSORS = names_of(host_architecture())
PROCESSORS = PROCESSORS[PROCESSORS.index(host_name()) :]
"""Those of the table whose code runs here."""

GUARD = 64
"""Elements behind results."""

MATMUL = ("m k", "k n", "m n")
CASES = {
    "square": (MATMUL, dict(m=64, n=64, k=64)),
    "odd": (MATMUL, dict(m=33, n=47, k=29)),
    "blocked": (MATMUL, dict(m=300, n=130, k=1100)),
    "packed": (MATMUL, dict(m=1000, n=900, k=1600)),
    "b transposed": (("m k", "n k", "m n"), dict(m=50, n=90, k=80)),
    "a transposed": (("k m", "k n", "m n"), dict(m=100, n=90, k=80)),
    "a transposed, packed": (("k m", "k n", "m n"), dict(m=300, n=300, k=600)),
    "both transposed": (("k m", "n k", "m n"), dict(m=100, n=45, k=80)),
    "matrix vector": (("m k", "k", "m"), dict(m=101, k=83)),
    "vector matrix": (("k", "k n", "n"), dict(n=101, k=83)),
    "dot": (("k", "k", ""), dict(k=1003)),
    "outer": (("m", "n", "m n"), dict(m=30, n=41)),
    "large outer": (("m", "n", "m n"), dict(m=70, n=300)),
    "batched": (("b m k", "b k n", "b m n"), dict(b=3, m=20, n=30, k=17)),
    "attention scores": (("b q h d", "b k h d", "b h q k"), dict(b=2, q=10, k=12, h=3, d=16)),
    "narrow": (MATMUL, dict(m=50, n=3, k=40)),
    "rows of few columns": (("k m", "r k n", "m r n"), dict(m=40, r=21, n=3, k=33)),
    "few columns": (MATMUL, dict(m=121, n=5, k=139)),
    "few columns, batched": (("b m k", "b k n", "b m n"), dict(b=3, m=66, n=3, k=95)),
    "few rows": (("m k", "k n", "n m"), dict(m=203, n=7, k=157)),
    "one column": (MATMUL, dict(m=50, n=1, k=40)),
    "two contracted": (("m j k", "j k n", "m n"), dict(m=9, n=20, j=3, k=5)),
    "convolution nhwc": (("n y+p x+q i", "p q i o", "n y x o"), dict(n=2, y=7, x=9, o=24, p=3, q=3, i=5)),
    "convolution to few features": (("n y+p x+q i", "p q i o", "n y x o"), dict(n=2, y=7, x=11, o=3, p=3, q=3, i=23)),
    "convolution to few features, o first": (
        ("n 2y+p x+2q i", "o i p q", "n y x o"),
        dict(n=2, y=7, x=11, o=5, p=3, q=3, i=19),
    ),
    "strided convolution": (("n 2y+p 2x+q i", "p q i o", "n y x o"), dict(n=2, y=7, x=9, o=24, p=3, q=3, i=5)),
    "dilated convolution nchw": (("n i y+2p x+2q", "o i p q", "n o y x"), dict(n=2, y=7, x=9, o=24, p=3, q=3, i=5)),
    "convolution nchw, kernel with features last": (
        ("n i y+p x+q", "o p q i", "n o y x"),
        dict(n=2, y=7, x=17, o=24, p=3, q=2, i=19),
    ),
    "rows in another order": (("i m k", "k n", "m i n"), dict(i=5, m=35, n=70, k=77)),
    "rows in another order, b transposed": (("i m k", "n k", "m i n"), dict(i=5, m=35, n=70, k=77)),
    "convolution nhwc, kernel transposed": (
        ("n y+p x+q i", "p q o i", "n y x o"),
        dict(n=2, y=5, x=19, o=40, p=3, q=3, i=8),
    ),
    "depthwise": (("n y+p x+q c", "p q c", "n y x c"), dict(n=2, y=7, x=9, c=40, p=3, q=3)),
}


def coefficients(term: str) -> dict[str, int]:
    """`2y+p` -> {y: 2, p: 1}."""
    return {part[-1]: int(part[:-1] or 1) for part in term.split("+")}


def problem(spec, sizes):
    """Shapes, affine maps as text, and iterator types of an einsum-like specification."""
    loops = {name: f"d{i}" for i, name in enumerate(sizes)}
    operands = [[coefficients(t) for t in s.split()] for s in spec]
    shapes = [[sum(c * (sizes[v] - 1) for v, c in t.items()) + 1 for t in o] for o in operands]
    head = f"affine_map<({', '.join(loops.values())}) -> "
    maps = [
        head + "(" + ", ".join(" + ".join(f"{loops[v]} * {c}" for v, c in t.items()) for t in o) + ")>"
        for o in operands
    ]
    parallel = {v for t in operands[2] for v in t}
    iterators = ", ".join('"parallel"' if v in parallel else '"reduction"' for v in sizes)
    return shapes, ", ".join(maps), iterators


def kernel_text(spec, sizes, types) -> tuple[str, list[list[int]]]:
    shapes, maps, iterators = problem(spec, sizes)
    unsigned = [t[0] == "u" for t in types]
    types = [t.replace("u", "i") for t in types]
    a, b, c = (f"tensor<{''.join(f'{n}x' for n in s)}{t}>" for s, t in zip(shapes, types))
    kind = "f" if types[2][0] == "f" else "i"
    zero, multiply, add = f"arith.constant {'0.0' if kind == 'f' else '0'}", f"arith.mul{kind}", f"arith.add{kind}"
    if types[2].startswith("complex"):
        part = types[2][len("complex<") : -1]
        zero, multiply, add = f"complex.constant [0.0 : {part}, 0.0 : {part}]", "complex.mul", "complex.add"
    extend = [
        f"%{v}e = arith.ext{'f' if kind == 'f' else 'ui' if u else 'si'} %{v} : {t} to {types[2]}"
        for v, t, u in zip("xy", types, unsigned)
        if t != types[2]
    ]
    x, y = ("%xe" if types[0] != types[2] else "%x"), ("%ye" if types[1] != types[2] else "%y")
    newline = "\n"
    return (
        f"""func.func private @k(%a: {a}, %b: {b}) -> {c} {{
      %zero = {zero} : {types[2]}
      %empty = tensor.empty() : {c}
      %init = linalg.fill ins(%zero : {types[2]}) outs(%empty : {c}) -> {c}
      %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} ins(%a, %b : {a}, {b}) outs(%init : {c}) {{
      ^bb0(%x: {types[0]}, %y: {types[1]}, %o: {types[2]}):
        {newline.join(extend)}
        %p = {multiply} {x}, {y} : {types[2]}
        %s = {add} %o, %p : {types[2]}
        linalg.yield %s : {types[2]}
      }} -> {c}
      return %r : {c}
    }}""",
        shapes,
    )


def run(spec, sizes, types, machine, arrays):
    """What is behind the result must stay as it is."""
    text, shapes = kernel_text(spec, sizes, types)
    memory = np.full(math.prod(shapes[2]) + GUARD, 77, DTYPES[types[2]])
    out = memory[:-GUARD].reshape(shapes[2])
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        kernel = module.body.operations[0]
        code = emit_contraction(kernel, contraction_plan(contraction_op(kernel)[0], machine))
        code.attributes["sym_visibility"] = ir.StringAttr.get("public")
        name = code.name.value
        kernel.erase()
        module.operation.verify()
        execute(module, name, [*arrays, out])
    assert (memory[-GUARD:] == 77).all()
    return out


def execute(module, name, arrays):
    """Calls a function of pointers."""
    PassManager.parse(PIPELINE).run(module.operation)
    ParalleliseParts().run(module)
    add_routines(module, "host")
    add_runtime(module, name)
    engine = ExecutionEngine(module, opt_level=2)
    connect(addresses(engine)[1], 2)
    count = len(arrays)
    pointers = (ctypes.c_void_p * count)(*(a.ctypes.data for a in arrays))
    packed = (ctypes.c_void_p * count)(*(ctypes.addressof(pointers) + 8 * i for i in range(count)))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.raw_lookup(name))(ctypes.addressof(packed))


def expected(spec, sizes, a, b, dtype):
    """einsum over strided views (windows overlap)."""
    names = list(sizes)

    def view(array, operand):
        used = [v for v in names if any(v in coefficients(t) for t in operand.split())]
        strides = [sum(coefficients(t).get(v, 0) * s for t, s in zip(operand.split(), array.strides)) for v in used]
        strided = np.lib.stride_tricks.as_strided(array, [sizes[v] for v in used], strides)
        return strided.astype(dtype), [names.index(v) for v in used]

    out = [names.index(next(iter(coefficients(t)))) for t in spec[2].split()]
    return np.einsum(*view(a, spec[0]), *view(b, spec[1]), out, optimize=True)


def _integers(random, shape, dtype):
    """Of all magnitudes: products of bytes reach both ends, sums of two products of i16 pass them."""
    if np.dtype(dtype).itemsize > 2:
        return random.integers(-9, 9, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.choice([limits.min, limits.max, 1, 0, limits.max // 3], shape).astype(dtype)


def operands(spec, sizes, types, seed=0):
    random = np.random.default_rng(seed)
    shapes = problem(spec, sizes)[0]
    return [
        _normal(random, s, DTYPES[t]) if "f" in t else _integers(random, s, DTYPES[t])
        for s, t in zip(shapes[:2], types)
    ]


def _normal(random, shape, dtype):
    values = random.standard_normal(shape)
    is_complex = np.issubdtype(dtype, np.complexfloating)
    return (values + 1j * random.standard_normal(shape) if is_complex else values).astype(dtype)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", PROCESSORS)
@pytest.mark.parametrize("case", CASES)
def test_f32(case, width):
    spec, sizes = CASES[case]
    if case == "packed" and width != host_name():
        pytest.skip("large: once is enough")
    arrays = operands(spec, sizes, ("f32", "f32"))
    machine = target(width)._replace(threads=1)
    found = run(spec, sizes, ("f32", "f32", "f32"), machine, arrays)
    exact = expected(spec, sizes, *arrays, np.float64)
    np.testing.assert_allclose(found, exact, rtol=0, atol=3e-6 * max(1.0, np.abs(exact).max()))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("width", PROCESSORS)
@pytest.mark.parametrize("kind", ["complex<f32>", "complex<f64>"])
@pytest.mark.parametrize("case", [case for case in CASES if case != "packed"])
def test_complex(case, kind, width):
    spec, sizes = CASES[case]
    arrays = operands(spec, sizes, (kind, kind))
    found = run(spec, sizes, (kind,) * 3, target(width)._replace(threads=2, **TINY_CACHES), arrays)
    exact = expected(spec, sizes, *arrays, np.complex128)
    np.testing.assert_allclose(
        found, exact, rtol=0, atol=16 * np.finfo(found.dtype).eps * max(1.0, np.abs(exact).max())
    )


@pytest.mark.parametrize("types", [("f64",) * 3, ("i32",) * 3, ("i8", "i8", "i32"), ("f32", "f32", "f64")])
@pytest.mark.parametrize(
    "case", ["odd", "b transposed", "few columns", "matrix vector", "depthwise", "rows in another order, b transposed"]
)
def test_types(case, types):
    spec, sizes = CASES[case]
    arrays = operands(spec, sizes, types)
    found = run(spec, sizes, types, target()._replace(threads=1), arrays)
    exact = expected(spec, sizes, *arrays, np.float64 if types[2][0] == "f" else np.int64)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-13 * np.abs(exact).max() if types[2] == "f64" else 0)


TYPES = [
    *(("f32",) * 3, ("f64",) * 3, ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("bf16", "f32", "f32")),
    *(("i32",) * 3, ("i8", "i8", "i32"), ("u8", "i8", "i32"), ("i8", "u8", "i32"), ("u8", "u8", "i32")),
    *(("i16", "i16", "i32"), ("u16", "i16", "i32")),
    *(("complex<f32>",) * 3, ("complex<f64>",) * 3),
]
LAYOUTS = [
    *(("m k", "k n", "m n"), ("m k", "n k", "m n"), ("k m", "k n", "m n"), ("k m", "n k", "m n")),
    *(("m k", "k n", "n m"), ("b m k", "b k n", "b m n"), ("m b k", "n b k", "b m n"), ("b k m", "k n", "b m n")),
]
HOST_DOTS = frozenset(one for one in host_dots() if DOTS[one].bits == target().vector_bits)
"""None where code is for processors with less (HLO_CPU)."""
NARROW = target()._replace(dots=frozenset(), matrices=frozenset())
WITH_DOTS = NARROW._replace(dots=HOST_DOTS)
"""The host with slow instructions too."""
INSTRUCTIONS = (
    {"none": NARROW, "dots": WITH_DOTS, "tiles": target()} if target().matrices else {"none": NARROW, "dots": WITH_DOTS}
)
"""What a machine multiplies words with."""
TINY_CACHES = {"l1": 1 << 11, "l2": 1 << 13, "l3": 1 << 16}
"""So that small operands are cut into blocks."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(len(TYPES) * 6))
@pytest.mark.parametrize("instructions", INSTRUCTIONS)
def test_random(seed, instructions):
    """Every pair of types on random layouts, sizes, vector widths, caches and numbers of parts."""
    random = np.random.default_rng(seed)
    types, spec = TYPES[seed % len(TYPES)], LAYOUTS[random.integers(len(LAYOUTS))]
    tiny = seed // len(TYPES) % 2
    sizes = {v: int(random.integers(1, 260 if tiny and v != "b" else 71)) for v in "bmnk" if any(v in s for s in spec)}
    if tiny:
        sizes["b"] = 2
    sizes = {v: n for v, n in sizes.items() if any(v in s for s in spec)}
    machine = INSTRUCTIONS[instructions] if seed % 3 else target(str(random.choice(PROCESSORS)))
    machine = machine._replace(threads=int(random.integers(1, 4)), **(TINY_CACHES if tiny else {}))
    arrays = operands(spec, sizes, types, seed)
    found = run(spec, sizes, types, machine, arrays)
    if "f" not in types[2]:
        np.testing.assert_array_equal(found, expected(spec, sizes, *arrays, np.int64).astype(np.int32))
        return
    exact = expected(spec, sizes, *arrays, np.complex128 if "complex" in types[2] else np.float64)
    scale = expected(spec, sizes, *(abs(a) for a in arrays), np.float64)
    epsilon = np.finfo(DTYPES[types[2]]).eps
    assert np.all(abs(found - exact) <= epsilon * sizes["k"] ** 0.5 * scale + epsilon)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("types", TYPES, ids="-".join)
@pytest.mark.parametrize("layout", LAYOUTS, ids=", ".join)
@pytest.mark.parametrize("instructions", INSTRUCTIONS)
@pytest.mark.parametrize("rows", [11, 37])
def test_scratch_memory_is_enough(rows, instructions, types, layout):
    """What is packed stays within its bytes, with rows that fill no tile."""
    guard, machine = 1 << 14, INSTRUCTIONS[instructions]._replace(threads=2)
    sizes = {v: n for v, n in dict(b=2, m=rows, n=99, k=201).items() if any(v in s for s in layout)}
    arrays = operands(layout, sizes, types)
    text, shapes = kernel_text(layout, sizes, types)
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        kernel = ir.Module.parse(text)
        code = build("nest", contraction_plan(contraction_op(kernel.body.operations[0])[0], machine))
        text = functions_text(code.functions).replace('func private @"nest"(', 'func @"nest"(')
        module = ir.Module.parse(text)
        scratch = np.full(code.scratch + guard, 77, np.uint8)
        execute(module, "nest", [*arrays, np.empty(shapes[2], DTYPES[types[2]]), scratch])
    assert (scratch[code.scratch :] == 77).all()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("width", PROCESSORS)
@pytest.mark.parametrize("columns", range(1, 34))
@pytest.mark.parametrize("kind", ["f32", "f64", "i32", "complex<f32>"])
def test_columns_that_fill_no_vector(kind, columns, width):
    spec, sizes = MATMUL, dict(m=7, n=columns, k=5)
    arrays = operands(spec, sizes, (kind, kind))
    found = run(spec, sizes, (kind,) * 3, target(width)._replace(threads=1), arrays)
    np.testing.assert_allclose(found, expected(spec, sizes, *arrays, DTYPES[kind]), rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", ["f32", "bf16"])
@pytest.mark.parametrize("case", ["blocked", "b transposed", "a transposed", "narrow", "few columns"])
@pytest.mark.parametrize("instructions", INSTRUCTIONS)
def test_special_values(case, kind, instructions):
    """NaN and infinity stay in their rows and columns, also at the edges of packed panels."""
    spec, sizes = CASES[case]
    sizes = {**sizes, "k": min(sizes["k"], 301)}
    arrays = operands(spec, sizes, (kind, kind, "f32"))
    arrays[0][-1, -1], arrays[0][0, 0], arrays[1][-1, -1] = np.nan, np.inf, -np.inf
    machine = INSTRUCTIONS[instructions]._replace(threads=2, **TINY_CACHES)
    found = run(spec, sizes, (kind, kind, "f32"), machine, arrays)
    exact = expected(spec, sizes, *arrays, np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(exact))


@pytest.mark.skipif(len(HOST_DOTS) < 2, reason="the processor has no dot products")
def test_dot_instructions_are_used():
    spec, sizes = MATMUL, dict(m=40, n=40, k=40)
    for types in (("i8", "i8", "i32"), ("bf16", "bf16", "f32")):
        with ir.Context(), ir.Location.unknown():
            kernel = ir.Module.parse(kernel_text(spec, sizes, types)[0])
            op = kernel.body.operations[0].entry_block.operations[3].operation
            assert contraction_plan(op, WITH_DOTS).dot_product > 1
            assert contraction_plan(op, NARROW).dot_product == 1


@pytest.mark.skipif("i16" not in HOST_DOTS, reason="the processor multiplies no pairs of i16")
@pytest.mark.parametrize(
    ("types", "elements"),
    [
        *((("i8", "i8", "i32"), 2), (("u8", "i8", "i32"), 2), (("u8", "u8", "i32"), 2)),
        *((("i16", "i16", "i32"), 2), (("u16", "i16", "i32"), 1), (("i8", "i16", "i32"), 1)),
    ],
)
def test_pairs_are_multiplied_where_they_are_exact(types, elements):
    with ir.Context(), ir.Location.unknown():
        kernel = ir.Module.parse(kernel_text(MATMUL, dict(m=40, n=40, k=40), types)[0])
        op = kernel.body.operations[0].entry_block.operations[3].operation
        assert contraction_plan(op, WITH_DOTS).dot_product == elements


@pytest.mark.skipif("i8" not in HOST_DOTS, reason="the processor has no dot products of bytes")
@pytest.mark.parametrize("types", [t for t in TYPES if t[0] in ("i8", "u8")], ids="-".join)
@pytest.mark.parametrize(
    ("spec", "sizes"),
    [
        (("m k", "n k", "m n"), dict(m=7, n=9, k=300)),
        (("m k", "n k", "m n"), dict(m=1, n=2, k=1023)),
        (("m k", "n k", "m n"), dict(m=6, n=1, k=64)),
        (("m j k", "j n k", "m n"), dict(m=5, n=6, j=3, k=65)),
    ],
)
def test_bytes_along_what_is_contracted(spec, sizes, types):
    """Few rows are multiplied by dot-product instructions where they are, whichever operand is signed."""
    text, _ = kernel_text(spec, sizes, types)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        chosen = contraction_plan(contraction_op(module.body.operations[0])[0], WITH_DOTS)
    assert (chosen.vectorize, chosen.dot_product) == ("k", 4)
    arrays = operands(spec, sizes, types)
    found = run(spec, sizes, types, WITH_DOTS._replace(threads=2), arrays)
    np.testing.assert_array_equal(found, expected(spec, sizes, *arrays, np.int64).astype(np.int32))


@pytest.mark.skipif("bf16" not in HOST_DOTS, reason="the processor has no dot products of bf16")
@pytest.mark.parametrize(("rows", "group"), [(1, 1), (12, 1), (13, 2), (64, 2)])
def test_few_rows_do_not_pay_for_packing(rows, group):
    with ir.Context(), ir.Location.unknown():
        kernel = ir.Module.parse(kernel_text(MATMUL, dict(m=rows, n=512, k=512), ("bf16", "bf16", "f32"))[0])
        op = kernel.body.operations[0].entry_block.operations[3].operation
        assert contraction_plan(op, WITH_DOTS).dot_product == group


@pytest.mark.parametrize(("columns", "packed"), [(3, "gather"), (64, "none")])
def test_columns_of_several_loops_fill_vectors(columns, packed):
    """Images resized along their rows: C has the columns of all rows one behind the other."""
    sizes = dict(m=400, r=120, n=columns, k=160)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel_text(("k m", "r k n", "m r n"), sizes, ("f32",) * 3)[0])
        op = contraction_op(module.body.operations[0])[0]
        assert contraction_plan(op, target("avx512")).pack_b == packed


@pytest.mark.parametrize("is_swapped", [False, True])
def test_contracted_loops_walk_along_the_rows_of_a(is_swapped):
    """Whichever operand is A: its elements are read one by one."""
    image, kernel, result = "i y+p x+q", "o p q i", "o y x"
    spec = (kernel, image, result) if is_swapped else (image, kernel, result)
    sizes = dict(i=256, o=256, y=14, x=14, p=3, q=3)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel_text(spec, sizes, ("f32",) * 3)[0])
        plan = contraction_plan(contraction_op(module.body.operations[0])[0], target("avx512"))
    assert [d.a for d in plan.problem.k] == sorted((d.a for d in plan.problem.k), reverse=True)
    assert plan.problem.k[-1].a == 1


@pytest.mark.parametrize("processor", ["avx512", "avx2"])
@pytest.mark.parametrize(
    ("case", "way"),
    [
        (dict(m=300, n=3, k=100), ("k", "columns")),
        (dict(m=300, n=9, k=500), ("k", "columns")),
        (dict(m=300, n=14, k=500), ("n", "none")),
        (dict(m=300, n=5, k=9), ("n", "none")),
        (dict(m=20, n=5, k=40), ("n", "none")),
    ],
)
def test_few_columns_are_packed_for_vectors_along_k(case, way, processor):
    """Where they would leave lanes empty, and rows and sums are long enough."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel_text(MATMUL, case, ("f32",) * 3)[0])
        plan = contraction_plan(contraction_op(module.body.operations[0])[0], target(processor))
        assert (plan.vectorize, plan.pack_b) == way


@pytest.mark.parametrize(("columns", "dtype", "threads"), [(16, "f32", 1), (2, "f32", 2), (8, "f64", 2), (1, "f64", 2)])
def test_threads_share_what_takes_long(columns, dtype, threads):
    """Lanes that columns do not fill take their time, wide elements take twice as long, and single columns are read for one use."""
    rows = 2 * 27_000 // (columns if columns > 1 else 2)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel_text(MATMUL, dict(m=rows, n=columns, k=16), (dtype,) * 3)[0])
        op = contraction_op(module.body.operations[0])[0]
        assert contraction_plan(op, target("avx512")._replace(threads=2)).threads == threads


@pytest.mark.parametrize(
    ("sizes", "loop", "parts"),
    [
        (dict(m=144, n=645, k=554), "n", 2),
        (dict(m=197, n=284, k=300), "n", 4),
        (dict(m=1024, n=1024, k=1024), "m", 8),
    ],
)
def test_threads_pack_together_for_many_rows(sizes, loop, parts):
    """Few rows make blocks for which it is too long to wait. Columns are cut into more parts than threads where two are too uneven."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel_text(("m k", "n k", "m n"), sizes, ("f32",) * 3)[0])
        op = contraction_op(module.body.operations[0])[0]
        machine = target("avx512")._replace(threads=2, packed_tile=(6, 4), l1=48 << 10, l2=2 << 20)
        found = contraction_plan(op, machine)
        assert (found.parallel, found.threads) == (loop, parts)


def test_plan_explains_itself():
    with ir.Context(), ir.Location.unknown():
        kernel = ir.Module.parse(kernel_text(MATMUL, dict(m=1024, n=1024, k=1024), ("f32",) * 3)[0])
        op = kernel.body.operations[0].entry_block.operations[3].operation
        text = describe(contraction_plan(op, target("avx512")._replace(threads=2)))
    assert "8 x 32 tiles" in text and "B packed" in text and "m divided among 8 parts for threads" in text


@pytest.mark.parametrize("rows", [1, 5, 40])
def test_streamed(rows):
    """A right operand larger than the caches, with few rows on the left, is read some rows at a time. The sums are those of one
    thread whatever the threads."""
    sizes = dict(m=rows, n=203, k=150)
    arrays = operands(MATMUL, sizes, ("f32", "f32"))
    machines = [target()._replace(threads=n, **TINY_CACHES) for n in (1, 2)]
    with ir.Context(), ir.Location.unknown():
        kernel = ir.Module.parse(kernel_text(MATMUL, sizes, ("f32",) * 3)[0])
        op = kernel.body.operations[0].entry_block.operations[3].operation
        assert "rows of B at a time" in describe(contraction_plan(op, machines[0]))
    one, two = (run(MATMUL, sizes, ("f32",) * 3, machine, arrays) for machine in machines)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, arrays[0].astype(np.float64) @ arrays[1], rtol=0, atol=1e-4)


def test_constant_operand():
    """A constant of one value is nowhere in memory."""
    text = """func.func @main(%x: tensor<20x16xf32>) -> tensor<20x24xf32> {
      %k = stablehlo.constant dense<2.0> : tensor<16x24xf32>
      %r = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0] : (tensor<20x16xf32>, tensor<16x24xf32>) -> tensor<20x24xf32>
      return %r : tensor<20x24xf32>
    }"""
    x = np.arange(320, dtype=np.float32).reshape(20, 16)
    (found,) = hlo.compile(text)(x)
    np.testing.assert_array_equal(found, np.broadcast_to(2 * x.sum(1, keepdims=True), (20, 24)))


MOVED = {
    "b transposed": ("bmk,bnk->bmn", (0, 1, 2), (0, 2, 1), "bmk,bkn->bmn"),
    "both transposed": ("bkm,bnk->bmn", (0, 2, 1), (0, 2, 1), "bmk,bkn->bmn"),
    "batch inside": ("mbk,nkb->bmn", (1, 0, 2), (2, 1, 0), "bmk,bkn->bmn"),
}


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("case", MOVED)
def test_transposed_operands(case, cpu):
    """Transposes of the program in front of a product."""
    whole, first, second, product = MOVED[case]
    sizes = dict(b=3, m=37, n=45, k=29)
    subscripts = whole.split("->")[0].split(",")
    random = np.random.default_rng(0)
    a, b = (random.standard_normal([sizes[c] for c in s]).astype(np.float32) for s in subscripts)
    program = jax.jit(lambda a, b: jnp.einsum(product, a.transpose(first), b.transpose(second)))
    (found,) = hlo.compile(program.lower(a, b).as_text(), cpu=cpu, cache=False)(a, b)
    np.testing.assert_allclose(found, np.einsum(whole, *map(np.float64, (a, b))), rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", ["f32", "complex<f32>"])
def test_left_over_rows_that_begin_behind_large_offsets(kind):
    """Rows from the 992nd or so on, at offsets of more than 2^28 elements: LLVM's op would abort for such a constant."""
    a, b, c = (f"tensor<{shape}x{kind}>" for shape in ("1001x300000", "300000x16", "1001x16"))
    hlo.compile(
        f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
        %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {c}
        return %c : {c}
        }}""",
        cache=False,
    )
