"""The builder takes the arguments of the XLA documents' methods, by position and in their order.

`CALLS` holds a call of each method of the class ComputationBuilder (document "XLA design") and of each heading of the operation
semantics. Where the documents are there (docs/testing.md), their signatures are compared with it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from specification_document import document

import hlo

A, P, S, V = "f32[4,6]", "pred", "f32", "f32[4]"
ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Rem", "Max", "Min")
COMPARISONS = ("Eq", "Ne", "Ge", "Gt", "Lt", "Le")
IMAGE, WEIGHTS = "f32[1,2,8,8]", "f32[3,2,3,3]"
NUMBERS = hlo.Builder.CreateDefaultConvDimensionNumbers()


class Shape(str):
    """A type that is an argument itself; a plain text is one of which a parameter is made."""


def binary(op):
    """A computation of two f32 scalars, built apart."""
    b = hlo.Builder(op.lower())
    getattr(b, op)(b.Parameter(0, "f32", "x"), b.Parameter(1, "f32", "y"))
    return b.Build()


def unary(make):
    b = hlo.Builder("computation")
    make(b, b.Parameter(0, "f32", "x"))
    return b.Build()


ADD, GE = binary("Add"), binary("Ge")
LESS, TWICE = unary(lambda b, x: b.Lt(x, b.ConstantR0(9.0))), unary(lambda b, x: b.Add(x, x))
WINDOW = [[2, 3], [2, 3]]
PAIRS = [(0, 0), (0, 0)]

# name, arguments, type of the result ("" for none of interest)
CALLS = [
    ("Parameter", [7, Shape(A), Shape("x")], A),
    ("GetShape", [A], ""),
    ("CheckShape", [A, Shape(A)], A),
    ("CheckSameShape", [A, A], ""),
    ("ConstantLiteral", [np.zeros((4, 6), np.float32)], A),
    ("ConstantR0", [1.5], S),
    ("ConstantR1", [[1.0, 2.0, 3.0, 4.0]], V),
    ("ConstantR1", [4, 2.5], V),
    ("ConstantR2", [[[1, 2], [3, 4]]], "s32[2,2]"),
    ("ConstantR2FromArray2D", [np.zeros((4, 6), np.float32)], A),
    ("ConstantR3FromArray3D", [np.zeros((1, 4, 6), np.float32)], "f32[1,4,6]"),
    ("ConstantR4FromArray4D", [np.zeros((1, 1, 4, 6), np.float32)], "f32[1,1,4,6]"),
    ("Broadcast", [V, [2, 3]], "f32[2,3,4]"),
    ("Pad", [A, S, [(1, 0, 0), (0, 1, 1)]], "f32[5,12]"),
    ("Reshape", [A, [1, 0], [24]], "f32[24]"),
    ("Reshape", [A, [3, 8]], "f32[3,8]"),
    ("Collapse", [A, [0, 1]], "f32[24]"),
    ("Slice", [A, [1, 2], [4, 6]], "f32[3,4]"),
    ("ConcatInDim", [[A, A], 1], "f32[4,12]"),
    ("Trace", [Shape("tag"), A], ""),
    ("Select", ["pred[4,6]", A, A], A),
    ("Select", [P, A, A], A),
    ("Tuple", [[A, V]], (A, V)),
    ("GetTupleElement", [(A, V), 1], V),
    *((name, [A, A], "pred[4,6]") for name in COMPARISONS),
    *((name, [A, V, [0]], "pred[4,6]") for name in COMPARISONS),
    ("Dot", [A, "f32[6,2]"], "f32[4,2]"),
    ("CreateDefaultConvDimensionNumbers", [], ""),
    ("CreateConvDimensionNumbers", [0, 1, 2, 3, 0, 1, 2, 3], ""),
    ("Conv", [IMAGE, WEIGHTS, [2, 2], Shape("SAME")], "f32[1,3,4,4]"),
    ("ConvWithGeneralPadding", [IMAGE, WEIGHTS, [1, 1], [(0, 0), (1, 1)]], "f32[1,3,6,8]"),
    ("ConvWithGeneralDimensions", [IMAGE, WEIGHTS, [1, 1], Shape("VALID"), NUMBERS], "f32[1,3,6,6]"),
    ("ConvGeneral", [IMAGE, WEIGHTS, [1, 1], [(0, 0), (1, 1)], NUMBERS], "f32[1,3,6,8]"),
    ("Infeed", [Shape(A)], A),
    ("CustomCallOp", [Shape("interpreter.print"), [A], Shape(A)], A),
    *((name, [A, A], A) for name in ARITHMETIC),
    *((name, [A, V, [0]], A) for name in ARITHMETIC),
    ("Reduce", [A, S, ADD, [1]], V),
    ("ReduceWindow", [A, S, ADD, *WINDOW, Shape("VALID")], "f32[2,2]"),
    ("ReduceWindow", [A, ADD, S, *WINDOW, Shape("VALID")], "f32[2,2]"),
    ("ReduceWindowWithGeneralPadding", [A, S, ADD, *WINDOW, PAIRS], "f32[2,2]"),
    ("SelectAndScatter", [A, GE, *WINDOW, Shape("VALID"), "f32[2,2]", S, ADD], A),
    ("SelectAndScatterWithGeneralPadding", [A, GE, *WINDOW, PAIRS, "f32[2,2]", S, ADD], A),
    *(
        (name, [A], A)
        for name in ("Exp", "Floor", "Ceil", "Log", "Tanh", "SqrtF32", "SquareF32", "ReciprocalF32", "Neg")
    ),
    ("Pow", [A, A], A),
    ("ConvertElementType", [A, Shape("S32")], "s32[4,6]"),
    ("Trans", [A], "f32[6,4]"),
    ("Transpose", [A, [1, 0]], "f32[6,4]"),
    ("Rev", [A, [0]], A),
    ("Sort", [V], V),
    ("Clamp", [S, A, S], A),
    ("Map", [[A, A], ADD], A),
    ("Map", [[A], ADD, [S]], A),
    ("Map", [A, A, ADD], A),
    ("RngNormal", [S, S, Shape(A)], A),
    ("RngUniform", [S, S, Shape(A)], A),
    ("RngBernoulli", [S, Shape("u32[4]")], "u32[4]"),
    ("While", [LESS, TWICE, S], S),
    ("ComputeConstant", [np.zeros((4, 6), np.float32), [0, 1]], ""),
    ("CreateSubBuilder", [Shape("name")], ""),
    ("SetReturnValue", [A], ""),
    ("Build", [], ""),
    ("ReducePrecision", [A, 10, 5], A),
    ("DynamicSlice", [A, "s32[2]", [2, 3]], "f32[2,3]"),
    ("DynamicUpdateSlice", [A, "f32[2,3]", "s32[2]"], A),
    ("Concatenate", [A, A, 0], "f32[8,6]"),
    ("Concat", [[A, A], 0], "f32[8,6]"),
]


def made(b, written):
    """The argument that stands for what `CALLS` says."""
    if isinstance(written, tuple) and all(isinstance(part, str) for part in written):
        return b.Tuple([made(b, part) for part in written])
    if isinstance(written, list) and written and all(type(part) is str for part in written):
        return [made(b, part) for part in written]
    if type(written) is str:
        return b.parameter(written)
    if isinstance(written, np.ndarray):
        return b.constant(written)
    return str(written) if isinstance(written, Shape) else written


@pytest.mark.parametrize("name, written, result", CALLS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_documents_call(name, written, result):
    b = hlo.Builder()
    arguments = written if name == "ConstantLiteral" or "FromArray" in name else [made(b, w) for w in written]
    if name == "Parameter":
        for number in range(7):
            b.Parameter(number, "f32", "")
    found = getattr(b, name)(*arguments)
    if result:
        wanted = list(result) if isinstance(result, tuple) else result
        b.CheckShape(found, wanted)
        assert b.Build().results == (found.type,)


IN_THE_CLASS = re.compile(r"(?:[\w:<>*&]+\s+)+?\*?(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*[;{]")
HEADING = re.compile(r"<b>\s*`(\w+)\(([^`]*)\)`\s*</b>")
NOT_METHODS = {"ComputationBuilder", "client", "name", "set_die_immediately_on_error", "BuildAndNoteError"}
"""Those of hlo.ComputationBuilder, which test_builder_document.py calls."""
DIFFERENT_LENGTHS = {"Transpose": "the heading leaves out the permutation that its table of arguments has"}


def signatures():
    """(name, least number of arguments, greatest) of the documents."""
    design, semantics = document("HLO_XLA_DESIGN", "000_*"), document("HLO_XLA_SEMANTICS", "001_*")
    methods = re.sub(r"//[^\n]*", "", design[design.index("class ComputationBuilder {") :])
    for name, listed in (*IN_THE_CLASS.findall(methods), *HEADING.findall(semantics)):
        depth_free = re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", listed)
        arguments = [a for a in depth_free.split(",") if a.strip()]
        yield name, sum("=" not in a for a in arguments), len(arguments)


def test_every_signature_of_the_documents_is_called():
    lengths = {}
    for name, arguments, _ in CALLS:
        lengths.setdefault(name, set()).add(len(arguments))
    found = [s for s in signatures() if s[0] not in NOT_METHODS]
    assert len(found) > 80
    for name, least, greatest in found:
        fits = any(least <= n <= greatest for n in lengths.get(name, ()))
        assert fits or name in DIFFERENT_LENGTHS, f"{name} with {least} to {greatest} arguments"
