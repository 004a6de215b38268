"""Literals of every kind for every element type: a literal or a ParseError, and what is accepted has as many elements as its type."""

import os
import re

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.dialect import reader
from hlo.dialect.elements import read_elements
from hlo.dialect.reader.literals import literal_error
from hlo.dialect.registration import make_context

TYPES = (
    *("tensor<i1>", "tensor<2xi1>", "tensor<2xi4>", "tensor<3xi64>", "tensor<2xui8>", "tensor<2xindex>", "tensor<f32>"),
    *(
        "tensor<2xf32>",
        "tensor<3xbf16>",
        "tensor<2xf8E4M3FN>",
        "tensor<2xf4E2M1FN>",
        "tensor<2xf8E8M0FNU>",
        "tensor<0xi8>",
    ),
    *("tensor<complex<f32>>", "tensor<2xcomplex<f64>>", "tensor<0xcomplex<f32>>", "tensor<1x2xi32>", "tensor<2xi128>"),
    *(
        "tensor<2x!stablehlo.token>",
        "tensor<2x!quant.uniform<i8:f32,1.0>>",
        "tensor<?xi8>",
        "tensor<*xi8>",
        "vector<2xf32>",
    ),
    *("memref<2xf32>", "i8", "complex<f32>", "tensor<9223372036854775807xi8>", "tensor<2xi0>", "tensor<2xcomplex<i8>>"),
)
LITERALS = [
    "dense<1>",
    "dense<-1>",
    "dense<1.5>",
    "dense<true>",
    "dense<(1,2)>",
    "dense<(1.0,2.0)>",
    "dense<[(1,2),(3,4)]>",
    'dense<"0x">',
    'dense<"0x00">',
    'dense<"0x0000803F">',
    'dense<"text">',
    'dense<"0xZZ">',
    "dense<[1,2]>",
    "dense<[1,1.5]>",
    'dense<["a","b"]>',
    'dense<["a",1]>',
    "dense<[[1],[2,3]]>",
    "dense<[]>",
    "dense<>",
    "dense<0x7F>",
    "dense<18446744073709551616>",
    "dense<1e400>",
    "dense<-1.0e400>",
    "dense<[(1,2),3]>",
    "dense<(1,(2,3))>",
    'dense<("a",1)>',
    "dense<(1)>",
    "dense<(true,false)>",
    "dense<-true>",
    "dense<@main>",
    "dense<[[],[]]>",
    "dense<(1,2,3)>",
    "dense<nan>",
    "dense<-0x1>",
    'dense<"a\\">">',
    "sparse<[[0]],[1]>",
    "sparse<0,1>",
    "sparse<[[9]],[1]>",
    "sparse<[],[]>",
    "sparse<>",
    "sparse<[[0]],[(1,2)]>",
    'sparse<[[0]],["a"]>',
    'sparse<[["a"]],[1]>',
    "sparse<[[(1,2)]],[1]>",
    "sparse<[[1.5]],[1]>",
    'sparse<"0x00",[1]>',
    'sparse<[[0]],"0x00">',
    "dense_resource<x>",
    "array<i8:1>",
    "array<i3:1>",
    "array<ui8:1>",
    "array<bf16:1.0>",
    "array<i1:5>",
    "array<i64:9223372036854775808>",
    "array<!llvm.ptr:1>",
]


def spelt(literal, type):
    return literal if literal.startswith("array") else f"{literal} : {type}"


def read(literal, type, context):
    """As the reader does it: what MLIR must not see is refused before."""
    text = spelt(literal, type)
    if literal_error(text):
        return
    try:
        attribute = ir.Attribute.parse(text, context)
    except ir.MLIRError:
        return
    str(attribute)
    if re.fullmatch(r"tensor<(\d+x)*[a-z]+\d*(<f\d+>)?>", type) and literal.startswith("dense<"):
        elements = read_elements(attribute)
        sizes = [int(n) for n in re.findall(r"(\d+)x", type)]
        assert elements is None or elements.size in (1, np.prod(sizes)), (literal, type)


@pytest.mark.parametrize("half", (0, 1))
def test_every_literal_for_every_type(half):
    """In a copy of this process, which a literal may end."""
    literals = LITERALS[half::2]
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        context = make_context()
        for literal in literals:
            os.write(writer, f"{literal}\n".encode())
            for type in TYPES:
                read(literal, type, context)
        os.write(writer, b"alive\n")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        assert told.read().splitlines()[-1] == "alive"
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    "literal, type, words",
    [
        ("dense<(1,2)>", "tensor<3xi64>", "a complex literal for elements that are not complex"),
        ("dense<(1,2)>", "tensor<2xi8>", "a complex literal for elements that are not complex"),
        ("dense<[(1,2),3]>", "tensor<2xcomplex<f32>>", "pairs of numbers"),
        ('dense<["a","b"]>', "tensor<2xi8>", "a literal of strings"),
        ("sparse<[[0]],[(1,2)]>", "tensor<2xi8>", "a complex literal"),
        ('sparse<[["a"]],[1]>', "tensor<2xi8>", "indices of a sparse literal are integers"),
        ("array<ui8:1>", "", "arrays have elements of"),
        ("dense<1e400>", "tensor<2xf4E2M1FN>", "larger than all numbers"),
        ("dense<-1.0>", "tensor<2xf8E8M0FNU>", "no negative numbers"),
        ("-1.0", "f8E8M0FNU", "no negative numbers"),
    ],
)
def test_what_is_said(literal, type, words):
    with pytest.raises(hlo.ParseError, match=words):
        hlo.parse(f"module attributes {{a.b = {spelt(literal, type)}}} {{}}")


@pytest.mark.parametrize(
    "literal, numbers",
    [("5.877470e-39", 2.0**-127), ("[1.0, 2.500000e-01]", [1, 0.25]), ("[2.0E-3, 0xFF]", [2.0**-9, np.nan])],
)
def test_small_numbers_are_not_negative(literal, numbers):
    """Of f8E8M0FNU; the first is its least number as MLIR prints it."""
    kind = "tensor<2xf8E8M0FNU>"
    text = f"func.func @main() -> {kind} {{ %0 = stablehlo.constant dense<{literal}> : {kind} return %0 : {kind} }}"
    np.testing.assert_array_equal(hlo.compile(text)()[0].astype(float), np.broadcast_to(numbers, 2))


@pytest.mark.parametrize("array", ["array<1 x i64>", "array<3 x array<2 x f32>>"])
def test_arrays_of_llvm_are_types(array):
    """In dumps of the phase llvm."""
    text = f"llvm.func @f(%a: !llvm.struct<(ptr, {array})>) {{ llvm.return }}"
    dump = str(reader.read(text, make_context(), "-"))
    assert str(ir.Type.parse(f"!llvm.struct<(ptr, {array})>", make_context())) in dump
    with pytest.raises(hlo.ParseError, match="expected a"):
        hlo.parse(f"module attributes {{a.b = {array}}} {{}}")


def test_the_type_may_have_a_name():
    text = "!t = tensor<2xi8>\n!u = !t\nmodule attributes {a.b = dense<(1,2)> : !u} {}"
    with pytest.raises(hlo.ParseError, match="not complex"):
        hlo.parse(text)


def test_text_in_strings_is_no_literal():
    hlo.parse('module attributes {a.b = "dense<(1,2)> : tensor<3xi8>", a.c = "array<ui8: 1>", a.d = "1.0e400"} {}')


@pytest.mark.parametrize("text", [r'module attributes {"\FF" = 1 : i32} {}', r'module attributes {a.b = "\C3"} {}'])
def test_strings_are_text(text):
    with pytest.raises(hlo.ParseError, match="bytes are not UTF-8"):
        hlo.parse(text)


def test_escapes_that_are_text():
    hlo.parse(r'module attributes {a.b = "\C3\A9"} {}')


def test_characters_outside_of_strings():
    with pytest.raises(hlo.ParseError, match="unexpected character 'é'"):
        hlo.parse("module attributes {a.é = 1 : i32} {}")
    hlo.parse('// é\nmodule attributes {a.b = "é"} {}')


@pytest.mark.parametrize("count", ["70000", "100000000000", "9223372036854775807", "9" * 5000])
@pytest.mark.parametrize(
    "op",
    [
        '"stablehlo.transpose"(%a) {permutation = dense<1> : tensor<COUNTxi1>}',
        '"stablehlo.reverse"(%a) <{dimensions = dense<0> : tensor<COUNTxi64>}>',
        '"stablehlo.slice"(%a) {start_indices = dense<0> : tensor<1xi64>, limit_indices = dense<4> : tensor<COUNTxi64>, strides = dense<1> : tensor<1xi64>}',
        '"stablehlo.collective_permute"(%a) {source_target_pairs = dense<0> : tensor<COUNTx2xi64>}',
        '"stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<0> : tensor<COUNTxindex>], result_layouts = [dense<0> : tensor<1xindex>]}',
    ],
)
def test_lists_as_long_as_one_splat_says(op, count):
    """They are short to write, and longer than memory."""
    text = f"func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{\n%0 = {op.replace('COUNT', count)} : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32> }}"
    with pytest.raises(hlo.HloError):
        hlo.parse(text)


LONG = "7" * 20_000
"""LLVM's parser ends the process for a fraction of so many digits."""


@pytest.mark.parametrize(
    "text",
    [
        f"func.func @main() attributes {{a = 1.{LONG} : f64}} {{ return }}",
        f"func.func @main() attributes {{a = {LONG}.5 : f64}} {{ return }}",
        f"func.func @main() attributes {{a = -{LONG} : i64}} {{ return }}",
        f"func.func @main() attributes {{a = [0.{LONG}e9 : f64]}} {{ return }}",
        f"func.func @main() attributes {{a = 1e-{LONG} : f64}} {{ return }}",
        f"func.func @main(%x: tensor<{LONG}xf32>) {{ return }}",
        f'func.func @main() {{ return loc("file":{LONG}:1) }}',
        f"func.func @main() -> tensor<2xf32> {{ %0 = stablehlo.constant dense<[1.{LONG}, 2.0]> : tensor<2xf32>\n return %0 : tensor<2xf32> }}",
        f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ %0 = stablehlo.slice %x [0:{LONG}] : (tensor<4xf32>) -> tensor<4xf32>\n return %0 : tensor<4xf32> }}",
    ],
    ids=lambda text: text[:60],
)
def test_numbers_of_thousands_of_digits(text):
    with pytest.raises(
        hlo.ParseError, match=r"a number of 200.. characters: at most 4000 are read|more than 2"
    ) as caught:
        hlo.parse(text)
    assert caught.value.diagnostics[0].line == 1


@pytest.mark.parametrize(
    "text",
    [
        f'func.func @main() attributes {{a = "{LONG}"}} {{ return }} // {LONG}',
        f"func.func @a{LONG}() {{ return }}",
        f"func.func @main() attributes {{a = {LONG[:3_900]}.5 : f64}} {{ return }}",
        f"func.func @main() attributes {{a = 0.{'0' * 3_000}1 : f32, b = 0x{LONG[:16]} : i64}} {{ return }}",
    ],
    ids=lambda text: text[:60],
)
def test_digits_that_are_no_long_number(text):
    hlo.parse(text)
