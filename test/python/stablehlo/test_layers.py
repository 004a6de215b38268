"""Programs whose layers repeat: what numpy gives, whatever is compiled as one function; and what is not."""

import numpy as np
import pytest

import hlo
from hlo.lowering.stablehlo.calls.outline_layers import OutlineLayers

X, W = "tensor<4x8xf32>", "tensor<8x8xf32>"
DOT = "contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>"
RNG = np.random.default_rng(0)
INPUT = RNG.standard_normal((4, 8)).astype(np.float32)
WEIGHTS = [RNG.standard_normal((8, 8)).astype(np.float32) / 3 for _ in range(5)]


def _program(body: list[str], results: str = "%x5") -> str:
    arguments = ", ".join(["%x0: " + X, *(f"%w{n}: {W}" for n in range(5))])
    types = ", ".join([X] * len(results.split(",")))
    lines = "\n".join(body)
    return f"func.func @main({arguments}) -> ({types}) {{\n{lines}\n return {results} : {types} }}"


def _layer(n: int, extra: str = "", source: str = "") -> str:
    return f"""
      %d{n} = stablehlo.dot_general %x{n}, %w{n}, {DOT}
      %t{n} = stablehlo.tanh %d{n} : {X}
      {extra.format(n=n)}
      %x{n + 1} = stablehlo.add {source or f"%x{n}"}, %t{n} : {X}"""


def _run(text: str) -> list[np.ndarray]:
    return hlo.compile(text, cache=False)(INPUT, *WEIGHTS)


def _layers(text: str) -> int:
    """Calls of layers that the pass makes."""
    module = hlo.parse(text)
    with module.context:
        OutlineLayers().run(module)
    return sum(op.operation.name == "func.call" for op in module.body.operations[0].regions[0].blocks[0].operations)


def _reference(layers: int = 5, x: np.ndarray = INPUT) -> np.ndarray:
    for w in WEIGHTS[:layers]:
        x = x + np.tanh(x @ w)
    return x


def test_residual_layers():
    text = _program([_layer(n) for n in range(5)])
    assert _layers(text) == 5
    np.testing.assert_allclose(_run(text)[0], _reference(), rtol=1e-5, atol=1e-5)


def test_a_constant_in_memory_is_handed_to_the_layers():
    rows = "[" + ", ".join(f"[{', '.join(f'{i * 8 + j}.0' for j in range(8))}]" for i in range(4)) + "]"
    body = [f"%c = stablehlo.constant dense<{rows}> : {X}"]
    text = _program([*body, *(_layer(n, f"%a{{n}} = stablehlo.maximum %t{{n}}, %c : {X}", f"%a{n}") for n in range(5))])
    assert _layers(text) == 5
    constant, x = np.arange(32, dtype=np.float32).reshape(4, 8), INPUT
    for w in WEIGHTS:
        t = np.tanh(x @ w)
        x = np.maximum(t, constant) + t
    np.testing.assert_allclose(_run(text)[0], x, rtol=1e-5, atol=1e-5)


def test_one_value_in_two_roles_at_first():
    """The first layer reads %x0 as its input and as what all layers read: two arguments of the function."""
    text = _program([_layer(n, f"%a{{n}} = stablehlo.subtract %t{{n}}, %x0 : {X}", f"%a{n}") for n in range(5)])
    assert _layers(text) == 5
    x = INPUT
    for w in WEIGHTS:
        t = np.tanh(x @ w)
        x = (t - INPUT) + t
    np.testing.assert_allclose(_run(text)[0], x, rtol=1e-5, atol=1e-5)


def test_two_values_between_layers():
    def layer(n: int) -> str:
        return f"""
          %d{n} = stablehlo.dot_general %x{n}, %w{n}, {DOT}
          %x{n + 1} = stablehlo.add %y{n}, %d{n} : {X}
          %y{n + 1} = stablehlo.sine %d{n} : {X}"""

    text = _program([f"%y0 = stablehlo.cosine %x0 : {X}", *(layer(n) for n in range(5))], "%x5, %y5")
    assert _layers(text) >= 4
    x, y = INPUT, np.cos(INPUT)
    for w in WEIGHTS:
        d = x @ w
        x, y = y + d, np.sin(d)
    for found, wanted in zip(_run(text), (x, y), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_what_stands_before_and_behind():
    before, behind = f"%x0s = stablehlo.cosine %x0 : {X}", f"%end = stablehlo.negate %x5 : {X}"
    layers = [_layer(n).replace("%x0,", "%x0s,") for n in range(5)]
    text = _program([before, *layers, behind], "%end, %x5")
    assert _layers(text) == 5
    expected = _reference(x=np.cos(INPUT))
    for found, wanted in zip(_run(text), (-expected, expected), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_two_kinds_of_layers():
    def other(n: int) -> str:
        return _layer(n).replace("tanh", "sine").replace(f"%w{n}", f"%w{n - 5}")

    text = _program([*(_layer(n) for n in range(5)), *(other(n) for n in range(5, 10))], "%x10")
    assert _layers(text) == 10
    x = _reference()
    for w in WEIGHTS:
        x = x + np.sin(x @ w)
    np.testing.assert_allclose(_run(text)[0], x, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "body", "results"),
    [
        ("read at the end", [_layer(n) for n in range(5)], "%x5, %t2"),
        ("read by the layer after the next", [_layer(n, source=f"%x{max(n - 1, 0)}") for n in range(5)], "%x5"),
        ("another op in the middle", [_layer(n).replace("tanh", "sine" if n % 2 else "tanh") for n in range(5)], "%x5"),
    ],
)
def test_not_layers(name: str, body: list[str], results: str):
    text = _program(body, results)
    assert _layers(text) == 0, name
    assert len(_run(text)) == len(results.split(","))


def test_only_as_a_gradient_reads_them():
    """Values of every layer that are read later keep the layers apart: the forward part of a gradient."""
    back = [f"%g{n} = stablehlo.multiply {'%x5' if n == 4 else f'%g{n + 1}'}, %t{n} : {X}" for n in (4, 3, 2, 1, 0)]
    text = _program([*(_layer(n) for n in range(5)), *back], "%g0")
    assert _layers(text) == 0


def test_temporaries_are_those_of_one_layer():
    few, many = (hlo.compile(_program([_layer(n) for n in range(c)], f"%x{c}"), cache=False) for c in (3, 5))
    assert many.memory.temporaries == few.memory.temporaries
