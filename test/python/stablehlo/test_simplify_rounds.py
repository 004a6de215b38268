"""simplify-algebra: rounds after the first look at what changed, at what reads it, and at nothing else."""

from __future__ import annotations

import numpy as np

import hlo
from hlo.lowering.stablehlo.simplify import simplify_algebra
from hlo.lowering.stablehlo.simplify.eliminate_dead_code import EliminateDeadCode

SINES = 300


def program(body: str) -> str:
    sines = "\n".join(f"  %s{n + 1} = stablehlo.sine %s{n} : tensor<8xf32>" for n in range(SINES))
    return f"""func.func @main(%s0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x5xf32>) {{
{body}
{sines}
  return %s{SINES}, %b : tensor<8xf32>, tensor<8x5xf32>
}}"""


CHANGES = """  %c = stablehlo.reshape %s0 : (tensor<8xf32>) -> tensor<8x1xf32>
  %r = stablehlo.rsqrt %c : tensor<8x1xf32>
  %a = stablehlo.abs %r : tensor<8x1xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>"""


def looked_at(monkeypatch, text: str) -> tuple[list[str], str]:
    """The names of the ops that patterns were tried on, and the module after it without what is not used."""
    names: list[str] = []
    plain = simplify_algebra._rewrite

    def counted(op):
        names.append(op.operation.name)
        return plain(op)

    monkeypatch.setattr(simplify_algebra, "_rewrite", counted)
    module = hlo.parse(text)
    simplify_algebra.SimplifyAlgebra().run(module)
    EliminateDeadCode().run(module)
    return names, str(module)


def test_what_did_not_change_is_looked_at_once(monkeypatch) -> None:
    names, after = looked_at(monkeypatch, program(CHANGES))
    assert names.count("stablehlo.sine") == SINES
    assert names.count("stablehlo.rsqrt") > 1, "the op that took its place"
    assert "8x1" not in after, "dimensions of size 1 went through two ops into the broadcast"


def test_a_change_inside_of_a_loop_is_seen_behind_it(monkeypatch) -> None:
    """The reshape goes through what is in the loop, in several rounds, though nothing around the loop changes."""
    body = """  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.broadcast_in_dim %s0, dims = [0] : (tensor<8xf32>) -> tensor<8x5xf32>
  %l:2 = stablehlo.while(%i = %zero, %v = %start) : tensor<i32>, tensor<8x5xf32>
    cond {
      %p = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %c = stablehlo.reshape %s0 : (tensor<8xf32>) -> tensor<8x1xf32>
      %r = stablehlo.rsqrt %c : tensor<8x1xf32>
      %a = stablehlo.abs %r : tensor<8x1xf32>
      %w = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %w : tensor<i32>, tensor<8x5xf32>
    }
  %b = stablehlo.abs %l#1 : tensor<8x5xf32>"""
    names, after = looked_at(monkeypatch, program(body))
    assert names.count("stablehlo.sine") == SINES
    assert "8x1" not in after


def test_arguments_of_a_body_that_goes_away():
    """The maximum of a map is the map's second argument, which is gone with the branch that is not taken: nothing may look at it again."""
    text = """
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %r = "stablehlo.if"(%no) ({
    %m = "stablehlo.map"(%x, %y) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.maximum %b, %b : tensor<f32>
      %1 = stablehlo.add %0, %a : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %m : tensor<8xf32>
  }, {
    stablehlo.return %y : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}"""
    inputs = [np.arange(8, dtype=np.float32) * n for n in (1, 2)]
    found = [hlo.compile(text, cache=False)(*inputs)[0] for _ in range(20)]
    assert all(np.array_equal(one, np.arange(8) * 2) for one in found)
