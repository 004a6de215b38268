"""while, if, case, calls, tuples, tokens, barriers, custom calls and collectives of one device."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from linalg_checks import check_jax, check_op, check_text, lower

from hlo.errors import CompileError

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def test_while_loop():
    step = lambda s: (s[0] + 1, s[1] * 2 + s[0].astype(np.float32))
    check_jax(lambda n, x: lax.while_loop(lambda s: s[0] < n, step, (np.int32(0), x)), np.int32(5), normal(3))


def test_while_loop_that_never_runs():
    check_jax(lambda n, x: lax.while_loop(lambda s: s < n, lambda s: s * x, x), np.float32(-9), np.float32(2))


def test_scan_and_fori_loop():
    check_jax(lambda x: lax.scan(lambda c, a: (c + a, c * a), x[0], x), normal(7, 3))
    check_jax(lambda x: lax.fori_loop(0, 4, lambda i, c: c.at[i].add(c[i + 1]), x), normal(6))


def test_captured_values():
    check_jax(lambda x, w: lax.fori_loop(0, 3, lambda i, c: jnp.dot(c, w), x), normal(2, 4), normal(4, 4))


@pytest.mark.parametrize("predicate", [True, False])
def test_cond(predicate):
    check_jax(lambda p, x: lax.cond(p, lambda x: (x + 1, x), lambda x: (x * 2, -x), x), np.bool_(predicate), normal(3))


CASE = """
func.func @main(%i: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.constant dense<10> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = stablehlo.constant dense<11> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = stablehlo.constant dense<12> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}"""


@pytest.mark.parametrize("index, expected", [(0, 10), (1, 11), (2, 12), (3, 12), (-1, 12), (-(2**31), 12)])
def test_case_takes_its_last_branch_when_out_of_range(index, expected):
    check_text(CASE, [np.int32(index)], [np.int32(expected)])


def test_switch():
    branches = [lambda x: x, lambda x: x * 2, lambda x: x - 1]
    for index in (0, 1, 2):
        check_jax(lambda i, x: lax.switch(i, branches, x), np.int32(index), normal(3))


def test_vmapped_cond_is_a_select():
    choose = lambda p, x: lax.cond(p > 0, lambda x: x * x, lambda x: -x, x)
    check_jax(jax.vmap(choose), normal(5), normal(5))


def test_calls():
    inner = jax.jit(lambda x: (x + 1, x * 2))
    check_jax(lambda x: inner(inner(x)[0])[1], normal(3))


def test_tuples_tokens_and_barriers():
    text = """
    func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
      %t = stablehlo.after_all : !stablehlo.token
      %u = stablehlo.after_all %t, %t : !stablehlo.token
      %0 = stablehlo.tuple %a, %b, %u : tuple<tensor<2xf32>, tensor<i32>, !stablehlo.token>
      %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<i32>, !stablehlo.token>) -> tensor<i32>
      %2 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<i32>, !stablehlo.token>) -> tensor<2xf32>
      %3:2 = stablehlo.optimization_barrier %1, %2 : tensor<i32>, tensor<2xf32>
      return %3#0, %3#1 : tensor<i32>, tensor<2xf32>
    }"""
    a, b = normal(2), np.int32(7)
    check_text(text, [a, b], [b, a])


def test_tokens_in_loops():
    text = """
    func.func @main(%a: tensor<i32>) -> tensor<i32> {
      %limit = stablehlo.constant dense<5> : tensor<i32>
      %t = stablehlo.after_all : !stablehlo.token
      %0:2 = "stablehlo.while"(%a, %t) ({
      ^bb0(%i: tensor<i32>, %k: !stablehlo.token):
        %1 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %k: !stablehlo.token):
        %1 = stablehlo.add %i, %i : tensor<i32>
        stablehlo.return %1, %k : tensor<i32>, !stablehlo.token
      }) : (tensor<i32>, !stablehlo.token) -> (tensor<i32>, !stablehlo.token)
      return %0#0 : tensor<i32>
    }"""
    check_text(text, [np.int32(1)], [np.int32(8)])


def test_calls_that_return_tuples():
    text = """
    func.func private @pair(%a: tensor<i32>) -> tuple<tensor<i32>, tensor<i32>> {
      %b = stablehlo.add %a, %a : tensor<i32>
      %t = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<i32>>
      return %t : tuple<tensor<i32>, tensor<i32>>
    }
    func.func @main(%a: tensor<i32>) -> tensor<i32> {
      %0 = call @pair(%a) : (tensor<i32>) -> tuple<tensor<i32>, tensor<i32>>
      %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
      return %1 : tensor<i32>
    }"""
    check_text(text, [np.int32(3)], [np.int32(6)])


def test_map():
    a, b = normal(3, 4), normal(3, 4)
    body = """%result = "stablehlo.map"(%0, %1) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.multiply %x, %y : tensor<f32>
      %w = stablehlo.add %z, %y : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }) {dimensions = array<i64: 0, 1>} : %T"""
    check_op(body, [a, b], [a * b + b])


def test_custom_call_is_a_declaration():
    text = """
    func.func @main(%a: tensor<4xui8>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @my.solve(%a) {backend_config = "fast"} : (tensor<4xui8>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    module = str(lower(text))
    assert 'hlo.custom_call = "my.solve"' in module
    assert 'hlo.backend_config = "fast"' in module
    assert "hlo.operand_types = [tensor<4xui8>]" in module
    assert "func.func private @my_solve_0(tensor<4xi8>) -> tensor<4xf32>" in module


def test_sharding_custom_calls_are_identities():
    text = """
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @Sharding(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    a = normal(4)
    check_text(text, [a], [a])


COLLECTIVE = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<GROUPS> : tensor<1xNxi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


def test_all_reduce_of_one_device_is_the_identity():
    a = normal(4)
    check_text(COLLECTIVE.replace("GROUPS", "[[0]]").replace("N", "1"), [a], [a])


def test_all_reduce_of_several_devices_is_refused():
    with pytest.raises(
        CompileError,
        match=r"C3: replica_groups must hold replica ids in \[0, 1\) on a grid of 1 x 1 processes, found 1",
    ):
        lower(COLLECTIVE.replace("GROUPS", "[[0, 1]]").replace("N", "2"))


@pytest.mark.parametrize("pairs, kept", [("[[0, 0]]", True), ("", False)])
def test_collective_permute(pairs, kept):
    a = normal(4)
    text = f"""
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = "stablehlo.collective_permute"(%a) {{
        source_target_pairs = dense<{pairs}> : tensor<{int(kept)}x2xi64>}} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}"""
    check_text(text, [a], [a if kept else a * 0])
