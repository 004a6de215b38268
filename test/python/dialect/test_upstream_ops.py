"""arith, tensor and shape beside StableHLO, as JAX, torch-mlir and TensorFlow's converters write them."""

import numpy as np
import pytest

import hlo

TARGETS = ["cpu", "gpu", "reference"]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def _run(program: str, target: str, *arrays: np.ndarray) -> list[np.ndarray]:
    return hlo.compile(program, target=target, **({"device": "model"} if target == "gpu" else {}))(*arrays)


NUMBERS = {
    "i32": np.array([-7, -1, 0, 3, 2**31 - 1], np.int32),
    "i1": np.array([True, False, True, False, True]),
    "f32": np.array([-2.5, -0.0, np.nan, 3.5, np.inf], np.float32),
}
OTHERS = {
    "i32": np.array([2, 1, 5, -2, 7], np.int32),
    "i1": np.array([True, True, False, False, False]),
    "f32": np.array([2.0, 1.5, 1.0, np.nan, -np.inf], np.float32),
}
U = lambda x: x.view(np.uint32)
BINARY = {
    "addi i32": np.add, "subi i32": np.subtract, "muli i32": np.multiply, "andi i32": np.bitwise_and, "ori i1": np.logical_or,
    "xori i32": np.bitwise_xor, "divsi i32": lambda a, b: np.trunc(a / b), "remsi i32": np.fmod,
    "floordivsi i32": np.floor_divide, "ceildivsi i32": lambda a, b: np.ceil(a / b),
    "divui i32": lambda a, b: (U(a) // U(b)).view(np.int32), "remui i32": lambda a, b: (U(a) % U(b)).view(np.int32),
    "maxsi i32": np.maximum, "minsi i32": np.minimum, "maxui i32": lambda a, b: np.maximum(U(a), U(b)).view(np.int32),
    "minui i32": lambda a, b: np.minimum(U(a), U(b)).view(np.int32), "addf f32": np.add, "subf f32": np.subtract,
    "mulf f32": np.multiply, "divf f32": np.divide, "remf f32": np.fmod, "maximumf f32": np.maximum, "minimumf f32": np.minimum,
    "maxnumf f32": np.fmax, "minnumf f32": np.fmin,
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", BINARY)
def test_binary_arithmetic(case: str, target: str) -> None:
    name, kind = case.split()
    t = f"tensor<5x{kind}>"
    program = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{ %r = arith.{name} %a, %b : {t}\n return %r : {t} }}"
    a, b = NUMBERS[kind], OTHERS[kind]
    with np.errstate(all="ignore"):
        want = BINARY[case](a, b)
    np.testing.assert_array_equal(_run(program, target, a, b)[0], want)


COMPARISONS = {
    "slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
    "ult": lambda a, b: U(a) < U(b), "uge": lambda a, b: U(a) >= U(b),
}  # fmt: skip
NAN = lambda a, b: np.isnan(a) | np.isnan(b)
FLOAT_COMPARISONS = {
    "oeq": np.equal, "ogt": np.greater, "oge": np.greater_equal, "olt": np.less, "ole": np.less_equal,
    "one": lambda a, b: (a != b) & ~NAN(a, b), "ord": lambda a, b: ~NAN(a, b), "ueq": lambda a, b: (a == b) | NAN(a, b),
    "ugt": lambda a, b: (a > b) | NAN(a, b), "uge": lambda a, b: (a >= b) | NAN(a, b), "ult": lambda a, b: (a < b) | NAN(a, b),
    "ule": lambda a, b: (a <= b) | NAN(a, b), "une": np.not_equal, "uno": NAN, "true": lambda a, b: np.ones(5, bool),
    "false": lambda a, b: np.zeros(5, bool),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op, kind, table", [("cmpi", "i32", COMPARISONS), ("cmpf", "f32", FLOAT_COMPARISONS)])
def test_comparisons(op: str, kind: str, table: dict, target: str) -> None:
    t = f"tensor<5x{kind}>"
    lines = [f"%{n} = arith.{op} {n}, %a, %b : {t}" for n in table]
    results, types = ", ".join(f"%{n}" for n in table), ", ".join(["tensor<5xi1>"] * len(table))
    program = (
        f"func.func @main(%a: {t}, %b: {t}) -> ({types}) {{\n" + "\n".join(lines) + f"\nreturn {results} : {types} }}"
    )
    a, b = NUMBERS[kind], OTHERS[kind].copy()
    b[0] = a[0]
    for name, got in zip(table, _run(program, target, a, b), strict=True):
        np.testing.assert_array_equal(got, table[name](a, b), name)


CONVERSIONS = {
    "extsi i32 i64": lambda a: a.astype(np.int64), "extui i32 i64": lambda a: U(a).astype(np.int64),
    "trunci i32 i8": lambda a: a.astype(np.int8), "trunci i32 i1": lambda a: (a & 1).astype(bool),
    "extsi i1 i32": lambda a: -a.astype(np.int32), "extui i1 i32": lambda a: a.astype(np.int32),
    "sitofp i32 f32": lambda a: a.astype(np.float32), "uitofp i32 f64": lambda a: U(a).astype(np.float64),
    "extf f32 f64": lambda a: a.astype(np.float64), "bitcast f32 i32": lambda a: a.view(np.int32),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CONVERSIONS)
def test_conversions(case: str, target: str) -> None:
    name, source, result = case.split()
    program = f"""func.func @main(%a: tensor<5x{source}>) -> tensor<5x{result}> {{
      %r = arith.{name} %a : tensor<5x{source}> to tensor<5x{result}>
      return %r : tensor<5x{result}> }}"""
    np.testing.assert_array_equal(_run(program, target, NUMBERS[source])[0], CONVERSIONS[case](NUMBERS[source]))


FUNCTIONS = {
    "exp": np.exp,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "asinh": np.arcsinh,
    "absf": np.abs,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, target: str) -> None:
    program = f"func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {{ %r = math.{name} %a : tensor<3xf32>\n return %r : tensor<3xf32> }}"
    a = np.array([0.25, 1, 7], np.float32)
    np.testing.assert_allclose(_run(program, target, a)[0], FUNCTIONS[name](a), rtol=1e-6)


PROGRAMS = {
    "constants and scalars": (
        """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
          %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
          %s = arith.constant 2.5 : f32
          %i = arith.constant 1 : index
          %e = tensor.extract %x[%i, %i] : tensor<2x3xf32>
          %m = arith.mulf %e, %s : f32
          %t = tensor.from_elements %m : tensor<f32>
          %b = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
          %y = stablehlo.add %b, %c : tensor<2x3xf32>
          return %y : tensor<2x3xf32> }""",
        X[1, 1] * 2.5 + np.arange(1, 7).reshape(2, 3),
    ),
    "sizes of a dynamic tensor": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<?xf32> {
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : i32
          %d = tensor.dim %x, %c0 : tensor<?x3xf32>
          %i = arith.index_cast %d : index to i32
          %n = arith.muli %i, %c3 : i32
          %s = tensor.from_elements %n : tensor<1xi32>
          %r = stablehlo.dynamic_reshape %x, %s : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
          return %r : tensor<?xf32> }""",
        X.reshape(6),
    ),
    "shapes": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
          %s = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
          %v = shape.value_as_shape %s : tensor<2xindex> -> !shape.shape
          %n = shape.num_elements %v : !shape.shape -> !shape.size
          %i = shape.size_to_index %n : !shape.size
          %one = arith.constant 1 : index
          %t = tensor.from_elements %i, %one : tensor<2xindex>
          %r = stablehlo.dynamic_reshape %x, %t : (tensor<?x3xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          return %r : tensor<?x?xf32> }""",
        X.reshape(6, 1),
    ),
    "a broadcast that is checked": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?x?xf32> {
          %s = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
          %c = shape.const_shape [4, 1, 3] : tensor<3xindex>
          %w = shape.cstr_broadcastable %s, %c : tensor<2xindex>, tensor<3xindex>
          %r = shape.assuming %w -> (tensor<?x?x?xf32>) {
            %b = shape.broadcast %s, %c : tensor<2xindex>, tensor<3xindex> -> tensor<3xindex>
            %y = stablehlo.dynamic_broadcast_in_dim %x, %b, dims = [1, 2] : (tensor<?x3xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
            shape.assuming_yield %y : tensor<?x?x?xf32>
          }
          return %r : tensor<?x?x?xf32> }""",
        np.broadcast_to(X, (4, 2, 3)),
    ),
    "a reshape to a shape with -1": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
          %s = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
          %n = shape.num_elements %s : tensor<2xindex> -> index
          %t = arith.constant dense<[-1, 2]> : tensor<2xi32>
          %w = "stablehlo.cstr_reshapable"(%n, %t) : (index, tensor<2xi32>) -> !shape.witness
          %r = shape.assuming %w -> (tensor<?x?xf32>) {
            %u = "stablehlo.compute_reshape_shape"(%n, %t) : (index, tensor<2xi32>) -> tensor<2xi32>
            %y = stablehlo.dynamic_reshape %x, %u : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
            shape.assuming_yield %y : tensor<?x?xf32>
          }
          return %r : tensor<?x?xf32> }""",
        X.reshape(3, 2),
    ),
    "extents, concatenated": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?x?xf32> {
          %s = shape.shape_of %x : tensor<?x3xf32> -> !shape.shape
          %two = shape.const_size 2
          %l = shape.from_extents %two : !shape.size
          %c = shape.concat %l, %s : !shape.shape, !shape.shape -> !shape.shape
          %e = shape.to_extent_tensor %c : !shape.shape -> tensor<3xindex>
          %r = stablehlo.dynamic_broadcast_in_dim %x, %e, dims = [1, 2] : (tensor<?x3xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
          return %r : tensor<?x?x?xf32> }""",
        np.broadcast_to(X, (2, 2, 3)),
    ),
    "casts, splats and empty tensors": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<2x3xf32> {
          %c0 = arith.constant 0 : index
          %two = arith.constant 2.0 : f32
          %d = tensor.dim %x, %c0 : tensor<?x3xf32>
          %s = tensor.splat %two[%d] : tensor<?x3xf32>
          %e = tensor.empty(%d) : tensor<?x3xf32>
          %z = stablehlo.multiply %e, %e : tensor<?x3xf32>
          %y = stablehlo.multiply %x, %s : tensor<?x3xf32>
          %r = tensor.cast %y : tensor<?x3xf32> to tensor<2x3xf32>
          return %r : tensor<2x3xf32> }""",
        2 * X,
    ),
    "sizes handed to a function": (
        """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
          %c0 = arith.constant 0 : index
          %d = tensor.dim %x, %c0 : tensor<?x3xf32>
          %r = call @filled(%d) : (index) -> tensor<?x3xf32>
          return %r : tensor<?x3xf32> }
        func.func private @filled(%n: index) -> tensor<?x3xf32> {
          %c3 = arith.constant 3 : index
          %one = stablehlo.constant dense<1.0> : tensor<f32>
          %s = tensor.from_elements %n, %c3 : tensor<2xindex>
          %r = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x3xf32>
          return %r : tensor<?x3xf32> }""",
        np.ones((2, 3)),
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, target: str) -> None:
    program, want = PROGRAMS[name]
    np.testing.assert_array_equal(_run(program, target, X)[0], want)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "name, shape", [("a broadcast that is checked", (5, 3)), ("a reshape to a shape with -1", (1, 3))]
)
def test_conditions_on_shapes_are_errors_where_they_do_not_hold(name: str, shape: tuple, target: str) -> None:
    program = PROGRAMS[name][0].replace("const_shape [4, 1, 3]", "const_shape [4, 2, 3]")
    with pytest.raises(hlo.HloError, match=r"shapes cannot be broadcast|do not have this shape|assertion failed"):
        _run(program, target, np.zeros(shape, np.float32))


def test_other_ops_are_refused_with_their_names() -> None:
    branch = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %c = arith.constant true
      %r = scf.if %c -> tensor<3xf32> { scf.yield %x : tensor<3xf32> } else { scf.yield %x : tensor<3xf32> }
      return %r : tensor<3xf32> }"""
    for target in TARGETS:
        with pytest.raises(hlo.CompileError, match=r":3:\d+: error: 'scf.if' is not supported in a StableHLO program"):
            _run(branch, target, np.zeros(3, np.float32))
    program = """func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {
      %r = tensor.extract_slice %x[1] [2] [1] : tensor<3xf32> to tensor<2xf32>
      return %r : tensor<2xf32> }"""
    for target in TARGETS:
        with pytest.raises(
            hlo.CompileError, match=r"2:\d+: error: 'tensor.extract_slice' is not supported in a StableHLO program"
        ):
            _run(program, target, np.zeros(3, np.float32))


FOREIGN = {
    "ml_program.global_load": "%0 = ml_program.global_load @seed : tensor<i64>",
    "quant.qcast": "%0 = quant.qcast %x : tensor<2xf32> to tensor<2x!quant.uniform<i8:f32, 0.1>>",
    "tosa.add": "%0 = tosa.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
    "builtin.unrealized_conversion_cast": "%0 = builtin.unrealized_conversion_cast %x : tensor<2xf32> to tensor<2xf32>",
    "func.constant": "%0 = func.constant @main : (tensor<2xf32>) -> tensor<2xf32>",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_ops_of_any_other_dialect_are_refused_with_their_names(name: str) -> None:
    program = f"""ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      {FOREIGN[name]}
      return %x : tensor<2xf32> }}"""
    for target in TARGETS:
        with pytest.raises(hlo.CompileError, match=rf":3:\d+: error: '{name}' is not supported in a StableHLO program"):
            _run(program, target, np.zeros(2, np.float32))
