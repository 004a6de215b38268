"""Collectives that were joined give what they gave one by one, on the reference and on the CPU."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.dialect.elements import DTYPES
from hlo.pipelines.runner import run_pass

ELEMENTS = ("f32", "i8", "ui16", "i1", "complex<f32>", "bf16")
GROUPS = {2: "dense<[[1, 0]]> : tensor<1x2xi64>", 3: "dense<[[2, 0, 1]]> : tensor<1x3xi64>"}


def reduce_scatters(case: int) -> tuple[str, list[tuple[int, ...]], str, int]:
    """Two to four of them, along different dimensions of arrays of different ranks."""
    r = random.Random(case)
    element, processes = ELEMENTS[case % len(ELEMENTS)], r.choice([2, 3])
    reducer = "or" if element == "i1" else "add"
    shapes, ops, types = [], [], []
    for n in range(r.randint(2, 4)):
        local = [r.choice([1, 2, 3, 5]) for _ in range(r.randint(1, 3))]
        d = r.randrange(len(local))
        whole = [size * processes if k == d else size for k, size in enumerate(local)]
        given, made = (f"tensor<{'x'.join(map(str, s))}x{element}>" for s in (whole, local))
        ops.append(
            f"""%{n} = "stablehlo.reduce_scatter"(%a{n}) ({{
    ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
      %s = stablehlo.{reducer} %x, %y : tensor<{element}>
      stablehlo.return %s : tensor<{element}>
    }}) {{replica_groups = {GROUPS[processes]}, scatter_dimension = {d} : i64}} : ({given}) -> {made}"""
        )
        shapes.append(tuple(whole))
        types.append((given, made))
    arguments = ", ".join(f"%a{n}: {given}" for n, (given, _) in enumerate(types))
    results, body = ", ".join(made for _, made in types), "\n  ".join(ops)
    values = ", ".join(f"%{n}" for n in range(len(types)))
    text = f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n  return {values} : {results}\n}}"
    return text, shapes, element, processes


def count(module: Any, name: str) -> int:
    ops: list[str] = []
    module.operation.walk(lambda op: ops.append(op.name) or ir.WalkResult.ADVANCE)
    return ops.count(f"stablehlo.{name}")


@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize("case", range(len(ELEMENTS)))
def test_joined_reduce_scatters(case: int, target: str) -> None:
    text, shapes, element, processes = reduce_scatters(case)
    generator = np.random.default_rng(case)
    dtype = DTYPES[element]
    arguments = [[generator.integers(0, 2, s).astype(dtype) for s in shapes] for _ in range(processes)]
    module = hlo.parse(text)
    run_pass(module, "join-collectives")
    assert (count(hlo.parse(text), "reduce_scatter"), count(module, "reduce_scatter")) == (len(shapes), 1)
    expected = hlo.compile(text, target="reference", num_replicas=processes).run_grid(arguments)
    found = hlo.compile(module, target=target, num_replicas=processes).run_grid(arguments)
    for ours, wanted in zip(found, expected, strict=True):
        for a, b in zip(ours, wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def reducer_of(element: str) -> str:
    """Reduces numbers of f16 in another type, which is that of the result."""
    return f""""stablehlo.all_reduce"(%a) ({{
    ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
      %s = stablehlo.add %x, %y : tensor<{element}>
      stablehlo.return %s : tensor<{element}>
    }}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<2xf16>) -> tensor<2x{element}>"""


def test_reducers_of_different_types_stay_apart() -> None:
    text = f"""func.func @main(%a: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf32>) {{
  %0 = {reducer_of("f16")}
  %1 = {reducer_of("f32")}
  return %0, %1 : tensor<2xf16>, tensor<2xf32>
}}"""
    module = hlo.parse(text)
    run_pass(module, "join-collectives")
    assert count(module, "all_reduce") == 2
    x = np.float16([60000, 1])
    found = hlo.compile(module, target="reference", num_replicas=2).run_grid([[x], [x]])
    np.testing.assert_array_equal(found[0][0], np.float16([np.inf, 2]))
    np.testing.assert_array_equal(found[0][1], np.float32([2 * float(x[0]), 2]))


EMPTY = """func.func @main(%a: tensor<4x0xf32>) -> (tensor<2x0xf32>, tensor<2x0xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4x0xf32>) -> tensor<2x0xf32>
  %1 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4x0xf32>) -> tensor<2x0xf32>
  return %0, %1 : tensor<2x0xf32>, tensor<2x0xf32>
}"""


def test_scatters_of_no_elements_stay_apart() -> None:
    module = hlo.parse(EMPTY)
    run_pass(module, "join-collectives")
    assert count(module, "reduce_scatter") == 2
    empty = np.zeros((4, 0), np.float32)
    found = hlo.compile(module, target="reference", num_replicas=2).run_grid([[empty], [empty]])
    assert found[0][0].shape == (2, 0)
