"""Programs on which upstream's verifier and this one once differed: both are asked, where jaxlib can read the program."""

import numpy as np
import pytest

import hlo
from hlo.tools.fuzz.upstream import refusal

TOKEN = "!stablehlo.token"
BOUNDED = "tensor<?xf32, #stablehlo.bounds<6>>"


def _program(arguments: str, body: str) -> str:
    return f"func.func @main({arguments}) {{\n  {body}\n  return\n}}"


def _infeed(layout: str, results: str) -> str:
    count = results.count("tensor") + 1
    return _program(
        f"%t: {TOKEN}", f'%r:{count} = "stablehlo.infeed"(%t) {{layout = {layout}}} : ({TOKEN}) -> ({results}{TOKEN})'
    )


def _product(precision: str) -> str:
    kind = "tensor<3x3xf32>"
    return _program(
        f"%a: {kind}", f'%r = "stablehlo.dot"(%a, %a) {{precision_config = [{precision}]}} : ({kind}, {kind}) -> {kind}'
    )


def _gather(numbers: str) -> str:
    return _program(
        "%a: tensor<7x3xf32>, %i: tensor<4x1xi32>",
        f'%r = "stablehlo.gather"(%a, %i) {{dimension_numbers = #stablehlo.gather<{numbers}>, '
        "slice_sizes = array<i64: 1, 3>} : (tensor<7x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>",
    )


NUMBERS = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
ONE, HIGH = "#stablehlo<precision DEFAULT>", "#stablehlo<precision HIGH>"
ACCEPTED = {
    "an attribute of another tool": _program(
        "%a: tensor<f64>", '%r = stablehlo.negate %a {origin = "line 7"} : tensor<f64>'
    ),
    "an attribute beside those of the op": _program(
        "", "%c = stablehlo.constant {rank_of_user = 2 : i8} dense<3> : tensor<ui16>"
    ),
    "one precision": _product(HIGH),
    "two precisions": _product(f"{ONE}, {HIGH}"),
    "a layout a value": _infeed("[[1, 0], []]", "tensor<2x5xf32>, tensor<i8>, "),
    "a layout of a token alone": _infeed("[]", ""),
    "numbers of gather": _gather(NUMBERS),
    "a result that a future leaves open": _program(
        "%a: !stablehlo.future<tensor<2x3xf32>>",
        '%r = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<2x3xf32>>) -> tensor<?x3xf32>',
    ),
    "a size within its bound": _program(f"%a: {BOUNDED}", f'%r = "stablehlo.abs"(%a) : ({BOUNDED}) -> tensor<6xf32>'),
}
REFUSED = {
    "three precisions": (_product(", ".join([ONE] * 3)), "precision_config must have at most 2"),
    "fewer layouts than values": (_infeed("[[1, 0]]", "tensor<2x5xf32>, tensor<i8>, "), "layout must have size 2"),
    "a layout of the token": (_infeed("[[]]", ""), "layout must have size 0"),
    "a layout that is a number": (_infeed("[1]", "tensor<5xf32>, "), "layout must be lists of integers"),
    "a layout in a layout": (_infeed("[[[0]]]", "tensor<5xf32>, "), "layout must be lists of integers"),
    "numbers of gather twice": (_gather(NUMBERS + ", index_vector_dim = 1"), "'index_vector_dim' is given twice"),
    "a size beyond its bound": (
        _program(f"%a: {BOUNDED}", f'%r = "stablehlo.abs"(%a) : ({BOUNDED}) -> tensor<7xf32>'),
        "tensor<7xf32>",
    ),
    "operands beyond their bound": (
        _program(
            f"%a: {BOUNDED}, %b: tensor<7xf32>",
            f'%r = "stablehlo.add"(%a, %b) : ({BOUNDED}, tensor<7xf32>) -> tensor<?xf32>',
        ),
        "tensor<7xf32>",
    ),
    "random numbers of unknown rank": (
        _program(
            "%a: tensor<f32>, %s: tensor<?xi32>",
            '%r = "stablehlo.rng"(%a, %a, %s) {rng_distribution = #stablehlo<rng_distribution NORMAL>} '
            ": (tensor<f32>, tensor<f32>, tensor<?xi32>) -> tensor<?xf32>",
        ),
        "of known size",
    ),
    "padding of unknown rank": (
        _program(
            "%a: tensor<4xf32>, %p: tensor<f32>, %s: tensor<?xi64>",
            '%r = "stablehlo.dynamic_pad"(%a, %p, %s, %s, %s) '
            ": (tensor<4xf32>, tensor<f32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>",
        ),
        "of known size",
    ),
    "a slice of unknown rank": (
        _program(
            "%a: tensor<4xf32>, %s: tensor<?xi64>",
            '%r = "stablehlo.real_dynamic_slice"(%a, %s, %s, %s) '
            ": (tensor<4xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>",
        ),
        "of known size",
    ),
    "random bits of unknown size": (
        _program(
            "%a: tensor<2xui64>",
            '%r:2 = "stablehlo.rng_bit_generator"(%a) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} '
            ": (tensor<2xui64>) -> (tensor<2xui64>, tensor<?xui32>)",
        ),
        "output must have a static shape",
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case: str) -> None:
    hlo.parse(ACCEPTED[case])
    assert refusal(ACCEPTED[case]) is None


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    program, words = REFUSED[case]
    with pytest.raises(hlo.HloError) as error:
        hlo.parse(program)
    assert words in str(error.value).splitlines()[0]
    assert refusal(program) is not None


@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize("storage", ["u8", "ui8"])
def test_unsigned_storage_of_both_spellings(storage: str, target: str) -> None:
    """MLIR reads `ui8` as it reads `u8`, and prints `u8` for both."""
    kind = f"tensor<3x!quant.uniform<{storage}:f32, 5.0e-01:10>>"
    program = f"""func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {{
      %c = stablehlo.constant() {{value = dense<[210, 12, 10]> : tensor<3x{"ui8" if storage == "ui8" else "i8"}>}} : () -> {kind}
      %q = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> {kind}
      %s = stablehlo.add %q, %c : {kind}
      %r = stablehlo.uniform_dequantize %s : ({kind}) -> tensor<3xf32>
      return %r : tensor<3xf32> }}"""
    if storage == "u8":
        program = program.replace("[210,", "[-46,")
    (found,) = hlo.compile(program, target=target)(np.array([1.5, 120.0, -9.0], np.float32))
    np.testing.assert_array_equal(found, np.array([101.5, 121.0, -5.0], np.float32))
