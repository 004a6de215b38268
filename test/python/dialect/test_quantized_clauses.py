"""The clauses of quantized types and of ops on them: what is accepted, and what is refused with which words."""

import pytest

import hlo

DOT = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"
CONVOLUTION = (
    "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
    "batch_group_count = 1 : i64"
)
SWAP = "permutation = array<i64: 1, 0>"
ATTRIBUTES = {"transpose": SWAP, "dot_general": DOT, "convolution": CONVOLUTION, "dynamic_conv": CONVOLUTION}


def q(shape, axis=None, storage="i8", expressed="f32", numbers="0.1, 0.2, 0.3"):
    """A quantized tensor: per tensor, or per axis with three scales."""
    parameters = ",0.1" if axis is None else f":{axis},{{{numbers}}}"
    return f"tensor<{shape}x!quant.uniform<{storage}:{expressed}{parameters}>>"


def other(shape):
    """Another scale."""
    return f"tensor<{shape}x!quant.uniform<i8:f32,0.2>>"


SAME = "operand and result must have the same storage type, expressed type, scales and zero points"


def dequantized(shape):
    return f"tensor<{shape}xf32>"


ACCEPTED = [
    ("add", [q("2x3"), q("2x3")], q("2x3"), ""),
    ("add", [q("2x3", 1), q("2x3")], q("2x3", 1), ""),
    ("add", [q("2x3"), q("2x3", 1)], q("2x3", 1), ""),
    ("transpose", [q("2x3", 1)], q("3x2", 0), SWAP),
    ("reshape", [q("2x3", 1)], q("2x3x1", 1), ""),
    ("broadcast_in_dim", [q("3", 0)], q("2x3", 1), "broadcast_dimensions = array<i64: 1>"),
    ("broadcast_in_dim", [q("1", 0, numbers="0.1")], q("3", 0, numbers="0.1, 0.1, 0.1"), "broadcast_dimensions = array<i64: 0>"),
    ("dot_general", [q("2x3"), q("3x3")], q("2x3"), DOT),
    ("dot_general", [q("2x3"), q("3x3", 1)], q("2x3", 1), DOT),
    ("dot_general", [q("2x3"), q("3x3")], q("2x3", storage="i32"), DOT),
    ("dot_general", [dequantized("2x3"), q("3x3", 1)], dequantized("2x3"), DOT),
    ("convolution", [q("1x5x2"), q("2x2x3")], q("1x4x3"), CONVOLUTION),
    ("convolution", [q("1x5x2"), q("2x2x3", 2)], q("1x4x3", 2), CONVOLUTION),
    ("convolution", [dequantized("1x5x2"), q("2x2x3")], dequantized("1x4x3"), CONVOLUTION),
    ("dynamic_conv", [q("1x5x2"), q("2x2x3", 2), "tensor<1x2xi64>"], q("1x4x3", 2), CONVOLUTION),
    ("dynamic_conv", [dequantized("1x5x2"), q("2x2x3"), "tensor<1x2xi64>"], dequantized("1x4x3"), CONVOLUTION),
    ("bitcast_convert", [q("2x3", 1)], q("2x3", 1), ""),
    ("reshape", [q("2x3")], q("6"), ""),
    ("dot", [q("2x3"), q("3x3", 1)], q("2x3", 1), ""),
    ("optimization_barrier", [q("2x3")], q("2x3"), ""),
]  # fmt: skip
REFUSED = [
    ("add", [q("2x3", 2)] * 2, q("2x3", 2), "quantized type (C12): quantized dimension must be in [0, 2), found 2"),
    ("add", [q("2x3", 0)] * 2, q("2x3", 0), "quantized type (C13): dimension 0 has size 2 and must have as many scales, found 3"),
    ("add", [q("3", 0, numbers="0.1:300, 0.2, 0.3")] * 2, q("3"), "quantized type (C8): zero points must be in [-128, 127], found 300"),
    ("add", [q("2x3"), q("3x2")], q("2x3"), "C1: lhs and rhs must have one shape"),
    ("add", [q("2x3"), q("2x3")], dequantized("2x3"), "C2: lhs, rhs and result must all be quantized or all not"),
    ("add", [q("2x3"), q("2x3", storage="i16")], q("2x3"), "C3: lhs, rhs and result must have one storage type, found i8, i16, i8"),
    ("add", [q("2x3"), q("2x3", expressed="f16")], q("2x3"), "C4: lhs, rhs and result must have one expressed type, found f32, f16, f32"),
    ("add", [q("2x3"), q("2x3")], q("2x3", 1), "C5: result must be per-tensor quantized"),
    ("add", [q("2x3", 1), q("2x3")], q("2x3"), "C5: result must be per-axis quantized"),
    ("add", [q("3x3", 0), q("3x3")], q("3x3", 1), "C6, C7: the quantized dimension must be the same everywhere"),
    ("add", [q("3x3"), q("3x3", 0)], q("3x3", 1), "C6, C7: the quantized dimension must be the same everywhere"),
    ("transpose", [q("2x3")], q("3x2", expressed="f16"), f"C1: {SAME}"),
    ("transpose", [q("3x3", 1)], q("3x3", 0, numbers="0.1, 0.2, 0.4"), f"C1: {SAME}"),
    ("transpose", [q("3x3", 1)], q("3x3", 0, numbers="0.1:1, 0.2, 0.3"), f"C1: {SAME}"),
    ("reshape", [q("2x3")], other("6"), f"C1: {SAME}"),
    ("reshape", [q("2x3")], dequantized("6"), f"C1: {SAME}"),
    ("reshape", [q("2x3")], q("6", storage="u8"), f"C1: {SAME}"),
    ("reshape", [q("3", 0)], q("3", 0, numbers="0.1:1, 0.2, 0.3"), f"C1: {SAME}"),
    ("broadcast_in_dim", [q("2x3")], other("2x3"), f"C1: {SAME}"),
    ("broadcast_in_dim", [q("2x3")], q("2x3", 1), f"C1: {SAME}"),
    ("broadcast_in_dim", [q("3", 0)], q("2x3", 1, numbers="0.1, 0.2, 0.4"), "C6: scales and zero points of result must be"),
    ("dynamic_reshape", [q("2x3"), "tensor<1xi32>"], other("6"), f"C1: {SAME}"),
    ("dynamic_broadcast_in_dim", [q("2x3"), "tensor<2xi32>"], other("2x3"), f"C1: {SAME}"),
    ("add", [q("2x3")] * 2, q("2x3", storage="u8"), "C3: lhs, rhs and result must have one storage type"),
    ("abs", [q("2x3")], q("2x3", storage="u8"), "C1, C2: result must have type"),
    ("abs", [q("2x3")], q("2x3", storage="i8<-127:127>"), "C1, C2: result must have type"),
    ("abs", [q("2x3", storage="i7")] * 1, q("2x3", storage="i7"), "quantized type: storage must be iN or uN with N of (2, 4, 8, 16, 32)"),
    ("optimization_barrier", [q("2x3", 1)], q("2x3", 1), "or per-tensor quantized type or token, found"),
    ("cholesky", [q("3x3", 1)], q("3x3", 1), "a must be tensor of floating-point, complex or per-tensor quantized type"),
    ("transpose", [q("3x3", 1)], q("3x3", 1), "C4: the quantized dimension of result must be 0"),
    ("reshape", [q("3x3", 1)], q("3x3", 0), "C3: sizes before, at and behind the quantized dimension"),
    ("broadcast_in_dim", [q("3", 0)], q("3x3", 0), "C6: the quantized dimension of result must be 1"),
    ("broadcast_in_dim", [q("3x1", 1, numbers="0.1")], q("3x3", 1), "C6: scales and zero points of result must all be those"),
    ("dot_general", [q("2x3"), dequantized("3x3")], q("2x3"), "C14: rhs must be quantized, and result if and only if lhs is"),
    ("dot_general", [dequantized("2x3"), q("3x3")], q("2x3"), "C14: rhs must be quantized, and result if and only if lhs is"),
    ("dot_general", [q("2x3"), q("3x3", 1, numbers="0.1:1, 0.2, 0.3")], q("2x3"), "C15: zero points of rhs must be 0, found 1, 0, 0"),
    ("dot_general", [q("2x3"), q("3x3", 0)], q("2x3"), "C16: the quantized dimension of rhs must not be contracted, found 0"),
    ("dot_general", [q("2x3"), q("3x3", storage="i16")], q("2x3"), "C17: lhs and rhs must have one storage type, found i8, i16"),
    ("dot_general", [q("2x3"), q("3x3", expressed="f16")], q("2x3"), "C18, C20: lhs, rhs and result must have one expressed type"),
    ("dot_general", [dequantized("2x3"), q("3x3", expressed="f16")], dequantized("2x3"), "C18, C20: lhs, rhs and result must have one expressed type"),
    ("dot_general", [q("2x3"), q("3x3")], q("2x3", 1), "C19: result must be per-tensor quantized as rhs is"),
    ("convolution", [q("1x5x2"), dequantized("2x2x3")], q("1x4x3"), "C28: rhs must be quantized"),
    ("convolution", [q("1x5x2"), q("2x3x3", 1)], q("1x4x3"), None),
    ("convolution", [q("1x5x3"), q("2x3x3", 1)], q("1x4x3"), "C29: the quantized dimension of rhs must be 2"),
    ("convolution", [q("3x5x3"), q("2x3x3", 2)], q("3x4x3", 0), "C30: the quantized dimension of result must be 2"),
    ("convolution", [q("1x5x2"), q("2x2x3", storage="i4")], q("1x4x3"), "C31: lhs and rhs must have one storage type, found i8, i4"),
    ("convolution", [q("1x5x2"), q("2x2x3")], q("1x4x3", expressed="f64"), None),
    ("convolution", [q("1x5x2"), q("2x2x3", expressed="f64")], q("1x4x3"), "C32, C34: lhs, rhs and result must have one expressed type"),
    ("convolution", [q("1x5x2"), q("2x2x3")], q("1x4x3", 2), "C33: result must be per-tensor quantized as rhs is"),
    ("convolution", [dequantized("1x5x2"), q("2x2x3")], "tensor<1x4x3xf64>", "C32, C34: lhs, rhs and result must have one expressed type"),
    ("dynamic_reshape", [q("3x3", 1), "tensor<2xi32>"], q("3x3", 0), "C3: sizes before, at and behind the quantized dimension"),
    ("dynamic_broadcast_in_dim", [q("3", 0), "tensor<2xi32>"], q("3x3", 0), "C6: the quantized dimension of result must be 1"),
]  # fmt: skip
REFUSED += [
    ("dynamic_conv", [*operands, "tensor<1x2xi64>"], result, words)
    for name, operands, result, words in REFUSED
    if name == "convolution"
]
PER_TENSOR = "must be tensor of %s or per-tensor quantized type, found"
REFUSED += [
    ("sine", [q("2x3", 1)], q("2x3", 1), PER_TENSOR % "floating-point, complex"),
    ("floor", [q("2x3", 1)], q("2x3", 1), PER_TENSOR % "floating-point"),
    ("negate", [q("2x3", 1)], q("2x3", 1), PER_TENSOR % "integer, floating-point, complex"),
    ("abs", [q("2x3", 1)], q("2x3", 1), PER_TENSOR % "signed integer, floating-point, complex"),
    (
        "multiply",
        [q("2x3", 1)] * 2,
        q("2x3", 1),
        PER_TENSOR % "boolean, integer (2 to 64 bits), floating-point, complex",
    ),
    ("maximum", [q("2x3", 1)] * 2, q("2x3", 1), "or per-tensor quantized type, found"),
    ("convert", [q("2x3", 1)], dequantized("2x3"), "or per-tensor quantized type, found"),
    ("dot_general", [q("2x3", 1), q("3x3")], q("2x3"), "lhs must be tensor of boolean, integer"),
    ("convolution", [q("1x5x3", 2), q("2x3x3")], q("1x4x3"), "lhs must be tensor of boolean, integer"),
]
"""None: some clause before the one on quantization refuses it."""
PAD = "edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>"
SLICE = "start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>"
MOVED = [
    ("slice", [q("3")], "2", SLICE),
    ("reverse", [q("3")], "3", "dimensions = array<i64: 0>"),
    ("pad", [q("3"), "tensor<!quant.uniform<i8:f32,0.1>>"], "4", PAD),
    ("concatenate", [q("3"), q("3")], "6", "dimension = 0 : i64"),
    ("broadcast", [q("3")], "2x3", "broadcast_sizes = array<i64: 2>"),
    ("dynamic_slice", [q("3"), "tensor<i32>"], "2", "slice_sizes = array<i64: 2>"),
    ("dynamic_update_slice", [q("3"), q("2"), "tensor<i32>"], "3", ""),
    ("real_dynamic_slice", [q("3"), *["tensor<1xi64>"] * 3], "2", ""),
    ("dynamic_pad", [q("3"), "tensor<!quant.uniform<i8:f32,0.1>>", *["tensor<1xi64>"] * 3], "4", ""),
    ("optimization_barrier", [q("3")], "3", ""),
    ("set_dimension_size", [q("3"), "tensor<i32>"], "3", "dimension = 0 : i64"),
    ("collective_permute", [q("3")], "3", "source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>"),
    ("all_gather", [q("3")], "3", "replica_groups = dense<0> : tensor<1x1xi64>, all_gather_dim = 0 : i64"),
    ("torch_index_select", [q("3"), "tensor<2xi32>"], "2", "dim = 0 : i64, batch_dims = 0 : i64"),
]
"""Ops that move elements: operands, the result's shape, attributes."""


def program(name, operands, result, attributes):
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(operands))
    values = ", ".join(f"%{i}" for i in range(len(operands)))
    if name.endswith("broadcast_in_dim") and not attributes:
        attributes = (
            "broadcast_dimensions = array<i64: 1>"
            if operands[0].count("x") == 1
            else "broadcast_dimensions = array<i64: 0, 1>"
        )
    attributes = attributes or ATTRIBUTES.get(name, "")
    return (
        f"func.func @main({arguments}) -> {result} {{\n"
        f'  %r = "stablehlo.{name}"({values}) {{{attributes}}} : ({", ".join(operands)}) -> {result}\n'
        f"  return %r : {result}\n}}"
    )


@pytest.mark.parametrize(("name", "operands", "result", "attributes"), ACCEPTED)
def test_accepted_and_compiled(name, operands, result, attributes):
    for target in ("cpu", "reference"):
        hlo.compile(program(name, operands, result, attributes), target=target)


def refuses(text, words):
    with pytest.raises(hlo.VerifyError) as caught:
        hlo.parse(text, "quantized.mlir")
    assert words in str(caught.value)


@pytest.mark.parametrize(("name", "operands", "shape", "attributes"), MOVED)
def test_elements_that_move_keep_their_type(name, operands, shape, attributes):
    hlo.parse(program(name, operands, q(shape), attributes))
    for result in (other(shape), q(shape, storage="i8<-127:127>"), dequantized(shape)):
        refuses(program(name, operands, result, attributes), "result")


@pytest.mark.parametrize("name, operands, shape, attributes", MOVED[2:4] + MOVED[6:7] + MOVED[8:9])
def test_operands_that_are_put_together_have_one_type(name, operands, shape, attributes):
    for second in (operands[1].replace("0.1", "0.2"), operands[1].replace(",0.1", ",0.1:1")):
        text = program(name, [operands[0], second, *operands[2:]], q(shape), attributes)
        refuses(text, "must have one element type, found !quant.uniform<i8:f32, ")


A, B = "!quant.uniform<i8:f32,0.1>", "!quant.uniform<i8:f32,0.2>"
ADD = (
    "^bb0(%l: tensor<{0}>, %m: tensor<{0}>): %s = stablehlo.add %l, %m : tensor<{0}> stablehlo.return %s : tensor<{0}>"
)
RETURN = "stablehlo.return %a : tensor<4x{0}>"
SECOND = "^bb0(%l: tensor<{0}>, %m: tensor<{0}>): stablehlo.return %m : tensor<{0}>"
LESS = (
    "^bb0(%l: tensor<{0}>, %m: tensor<{0}>): %s = stablehlo.compare LT, %l, %m : (tensor<{0}>, tensor<{0}>) -> tensor<i1> "
    "stablehlo.return %s : tensor<i1>"
)
LOOP = "^bb0(%l: tensor<4x{0}>): stablehlo.return %{1} : tensor<{2}>"
NUMBERS = "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
WITH_REGIONS = [
    ("if", "%p", [], [RETURN, RETURN], "C3: true_branch must return the result types"),
    ("case", "%n", [], [RETURN], "C3, C4: branch 0 must return the result types"),
    (
        "while",
        "%a",
        ["4xA"],
        [LOOP.format("{0}", "p", "i1"), LOOP.format("{0}", "l", "4x{0}")],
        "C3: result must have type",
    ),
    ("sort", "%a", ["4xA"], [LESS], "C2, C3: result must have type"),
    (
        "map",
        "%a",
        ["4xA"],
        ["^bb0(%l: tensor<{0}>): stablehlo.return %l : tensor<{0}>"],
        "C1, C4: result must have type",
    ),
    ("reduce", "%a, %i", ["4xA", "A"], [ADD], "C7, C8: result must have type"),
    ("reduce_window", "%a, %i", ["4xA", "A"], [ADD], "C14, C15, C16: result must have type"),
    ("scatter", "%a, %at, %u", ["4xA", "2x1xi32", "2xA"], [SECOND], "C24, C25: result must have type"),
    ("select_and_scatter", "%a, %u, %i", ["4xA", "2xA", "A"], [LESS, ADD], "C12: result must have type"),
    ("all_reduce", "%a", ["4xA"], [ADD], "C6: result must have type"),
    ("reduce_scatter", "%a", ["4xA"], [ADD], "C8: result must have type"),
]
REGION_ATTRIBUTES = {
    "map": "dimensions = array<i64: 0>",
    "reduce": "dimensions = array<i64: 0>",
    "reduce_window": "window_dimensions = array<i64: 1>",
    "select_and_scatter": "window_dimensions = array<i64: 2>, window_strides = array<i64: 2>",
    "scatter": f"scatter_dimension_numbers = {NUMBERS}",
    "all_reduce": "replica_groups = dense<0> : tensor<1x1xi64>",
    "reduce_scatter": "replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64",
}
"""Ops with regions: operands, their types, regions, what is said of a result of another scale."""


def region_program(name, values, types, regions, result):
    types = types or [{"%p": "i1", "%n": "i32"}[values]]
    listed = ", ".join(f"tensor<{t.replace('A', A)}>" for t in types)
    body = ", ".join(f"{{ {r.format(A)} }}" for r in regions)
    text = (
        f"func.func @main(%a: tensor<4x{A}>, %i: tensor<{A}>, %u: tensor<2x{A}>, %at: tensor<2x1xi32>, %p: tensor<i1>, "
        f"%n: tensor<i32>) -> tensor<{result}> {{\n"
    )
    return (
        f'{text}  %r = "stablehlo.{name}"({values}) <{{{REGION_ATTRIBUTES.get(name, "")}}}> ({body}) : ({listed}) '
        f"-> tensor<{result}>\n  return %r : tensor<{result}>\n}}"
    )


@pytest.mark.parametrize(("name", "values", "types", "regions", "words"), WITH_REGIONS)
def test_regions_give_their_own_types(name, values, types, regions, words):
    shape = "" if name == "reduce" else "4x"
    hlo.parse(region_program(name, values, types, regions, f"{shape}{A}"))
    for result in (B, A.replace("0.1", "0.1:1"), "f32"):
        refuses(region_program(name, values, types, regions, f"{shape}{result}"), words)


@pytest.mark.parametrize(("name", "operands", "result", "words"), REFUSED)
def test_refused(name, operands, result, words):
    with pytest.raises(hlo.VerifyError) as caught:
        hlo.parse(program(name, operands, result, ""), "quantized.mlir")
    if words:
        assert words in str(caught.value)
    assert "quantized.mlir:" in str(caught.value)


def test_arguments_that_nothing_uses_are_looked_at_too():
    bad = q("2x3", 7)
    with pytest.raises(hlo.VerifyError, match=r"'func.func' op argument 0: quantized type \(C12\)"):
        hlo.parse(f"func.func @main(%a: {bad}) -> {bad} {{\n return %a : {bad}\n}}")


@pytest.mark.parametrize(
    "element", ["!quant.any<i8:f32>", "!quant.calibrated<f32<-1.0:1.0>>", "!quant.uniform<i8:f32:{0:1},{1.0,2.0}>"]
)
@pytest.mark.parametrize("form", ["tensor<2x%s>", "tuple<tensor<2x%s>>"])
def test_other_types_of_the_quant_dialect_are_refused(element, form):
    """They are not StableHLO's. A segmentation fault was what came of some."""
    kind = form % element
    for text in (
        f"func.func @main(%a: {kind}) {{\n  return\n}}",
        f"func.func @main() {{\n  %a = func.call @g() : () -> {kind}\n  return\n}}\nfunc.func private @g() -> {kind}",
        f'func.func @main() {{\n  %a = "stablehlo.custom_call"() {{call_target_name = "x"}} : () -> {kind}\n  return\n}}',
        f"func.func @main() -> {kind} {{\n  %a = ub.poison : {kind}\n  return %a : {kind}\n}}",
    ):
        with pytest.raises(hlo.VerifyError, match=r"quantized type: must be !quant\.uniform|must be tensor, token"):
            hlo.compile(text)
