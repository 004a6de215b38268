"""Contractions share the functions that are equal."""

import numpy as np

import hlo
from hlo.lowering.vector.contraction.function_text import FunctionLibrary

LEAF = 'func.func private @"{}"(%a: i64)  {{\nuse %a, {}\nreturn\n}}\n'
CALLER = 'func.func private @"{}"(%a: i64)  {{\nfunc.call @"{}"(%a) : (i64) -> ()\nreturn\n}}\n'


def test_equal_functions_are_called_instead_of_written_again():
    library = FunctionLibrary()
    first = library.add([("k.leaf", LEAF.format("k.leaf", 1)), ("k", CALLER.format("k", "k.leaf"))])
    assert first == LEAF.format("k.leaf", 1) + CALLER.format("k", "k.leaf")
    second = library.add([("m.leaf", LEAF.format("m.leaf", 1)), ("m", CALLER.format("m", "m.leaf"))])
    assert second == 'func.func private @"k.leaf"(%a: i64)\n' + CALLER.format("m", "k.leaf")


def test_callers_of_equal_functions_become_equal():
    library = FunctionLibrary()
    for name in "km":
        leaf, caller = (f"{name}.leaf", LEAF.format(f"{name}.leaf", 1)), CALLER.format(f"{name}.part", f"{name}.leaf")
        text = library.add([leaf, (f"{name}.part", caller), (name, CALLER.format(name, f"{name}.part"))])
    assert text.count("{") == 1 and '@"k.part"(%a) :' in text


def test_equal_functions_of_one_kernel_are_written_once():
    """What this text defines needs no declaration."""
    library = FunctionLibrary()
    leaves = [(f"k.leaf{n}", LEAF.format(f"k.leaf{n}", 1)) for n in range(2)]
    text = library.add([*leaves, ("k", CALLER.format("k", "k.leaf1"))])
    assert text == LEAF.format("k.leaf0", 1) + CALLER.format("k", "k.leaf0")


def test_different_functions_stay():
    library = FunctionLibrary()
    for number, name in enumerate("km"):
        text = library.add([(f"{name}.leaf", LEAF.format(f"{name}.leaf", number)), (name, CALLER.format(name, "x"))])
    assert f"use %a, {1}" in text


def test_contractions_of_several_shapes_have_one_micro_kernel():
    shapes = [(24, 64, 64), (36, 64, 64), (48, 64, 128)]
    arguments = ", ".join(
        f"%x{i}: tensor<{m}x{k}xf32>, %y{i}: tensor<{k}x{n}xf32>" for i, (m, k, n) in enumerate(shapes)
    )
    results = ", ".join(f"tensor<{m}x{n}xf32>" for m, _, n in shapes)
    dots = "\n".join(
        f"%{i} = stablehlo.dot_general %x{i}, %y{i}, contracting_dims = [1] x [0] "
        f": (tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32>"
        for i, (m, k, n) in enumerate(shapes)
    )
    text = f"func.func @main({arguments}) -> ({results}) {{\n{dots}\nreturn %0, %1, %2 : {results} }}"
    exe = hlo.compile(text, keep_phases=True, cpu="baseline")
    functions = exe.phases["memory"].split("\n  func.func private @")[1:]
    tiles = [text.partition("(")[2] for text in functions if ".tile_" in text.partition("(")[0]]
    assert len(set(tiles)) == len(tiles), "each kind of tile once"
    assert len(tiles) < len(shapes), "kernels share them"
    random = np.random.default_rng(0)
    arrays = [random.normal(size=t.shape).astype(np.float32) for t in exe.signature.arguments]
    for number, result in enumerate(exe(*arrays)):
        np.testing.assert_allclose(result, arrays[2 * number] @ arrays[2 * number + 1], rtol=1e-4, atol=1e-4)
