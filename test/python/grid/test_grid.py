"""Grids of processes: collectives beside numpy, processes that wait in vain, calls that do not fit."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from grid_programs import CASES, DIVERGES, LOOP, all_gather, all_reduce, all_to_all, dynamic_roots, reduce_scatter

import hlo
from hlo.dialect.process_grid import Grid, cross_partition, cross_replica, cross_replica_and_partition, flattened_ids

TARGETS = ("reference", "cpu")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_collective(name, target):
    case = CASES[name]
    found = hlo.compile(case.program, target=target, **case.sizes).run_grid(case.inputs)
    for process, (results, wanted) in enumerate(zip(found, case.expected, strict=True)):
        for result, want in zip(results, wanted, strict=True):
            assert result.dtype == want.dtype
            np.testing.assert_array_equal(result, want, err_msg=f"process {process}")


def test_strategies_of_the_specification():
    """The examples of the specification's chapter on collective ops."""
    two_columns, four = Grid(4, 2), [[0, 1], [2, 3]]
    assert cross_replica(two_columns, four) == [
        ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((2, 0), (3, 0)), ((2, 1), (3, 1)),
    ]  # fmt: skip
    assert cross_partition(two_columns, [[0, 1]]) == [((r, 0), (r, 1)) for r in range(4)]
    assert cross_replica_and_partition(two_columns, four) == [
        ((0, 0), (1, 0), (0, 1), (1, 1)), ((2, 0), (3, 0), (2, 1), (3, 1)),
    ]  # fmt: skip
    assert flattened_ids(two_columns, [[0, 1, 2, 3], [4, 5, 6, 7]]) == [
        ((0, 0), (0, 1), (1, 0), (1, 1)), ((2, 0), (2, 1), (3, 0), (3, 1)),
    ]  # fmt: skip


QUANTIZED = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"


@pytest.mark.parametrize("target", TARGETS)
def test_zero_of_a_quantized_type_is_its_zero_point(target):
    text = f"""
func.func @main(%x: {QUANTIZED}) -> {QUANTIZED} {{
  %0 = "stablehlo.collective_permute"(%x) {{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({QUANTIZED}) -> {QUANTIZED}
  return %0 : {QUANTIZED}
}}"""
    exe = hlo.compile(text, num_replicas=2, target=target)
    found = exe.run_grid([[np.array([1, 2], np.int8)], [np.array([5, 6], np.int8)]])
    assert [r[0].tolist() for r in found] == [[3, 3], [1, 2]]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("processes", [1, 2])
def test_quantized_zeros_where_nobody_sends(target, processes):
    text = f"""
func.func @main(%x: {QUANTIZED}) -> {QUANTIZED} {{
  %0 = "stablehlo.collective_permute"(%x) {{source_target_pairs = dense<> : tensor<0x2xi64>}} : ({QUANTIZED}) -> {QUANTIZED}
  return %0 : {QUANTIZED}
}}"""
    exe = hlo.compile(text, num_replicas=processes, target=target)
    found = exe.run_grid([[np.array([1, 2], np.int8)]] * processes)
    assert [r[0].tolist() for r in found] == [[3, 3]] * processes


@pytest.mark.parametrize("target", TARGETS)
def test_quantized_zeros_of_those_that_are_no_root(target):
    """And of a process that is in no group."""
    scalar = QUANTIZED.replace("2x!", "!")
    text = f"""
func.func @main(%x: {QUANTIZED}) -> {QUANTIZED} {{
  %0 = "stablehlo.collective_reduce"(%x) ({{
  ^bb0(%a: {scalar}, %b: {scalar}):
    %s = stablehlo.add %a, %b : {scalar}
    stablehlo.return %s : {scalar}
  }}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({QUANTIZED}) -> {QUANTIZED}
  return %0 : {QUANTIZED}
}}"""
    found = hlo.compile(text, num_replicas=3, target=target).run_grid([[np.array([5, n], np.int8)] for n in range(3)])
    assert [r[0].tolist() for r in found] == [[7, -2], [3, 3], [3, 3]]


def test_donated_arrays_whose_sums_are_put_together():
    """A process's result is written by all; its argument is read by all until then."""
    case = CASES["reduce in parts"]
    exe = hlo.compile(case.program, donate=[0], **case.sizes)
    for _ in range(5):
        found = exe.run_grid([[a.copy()] for (a,) in case.inputs])
        for (result,), (want,) in zip(found, case.expected, strict=True):
            np.testing.assert_array_equal(result, want)


def test_donated_arrays_of_several_processes():
    case = CASES["reduce replicas"]
    exe = hlo.compile(case.program, donate=[0], **case.sizes)
    x = np.ones((2, 3), np.float32)
    with pytest.raises(hlo.ArgumentError, match="must not share memory with arguments of other processes"):
        exe.run_grid([[x], [x]])
    assert [r[0].tolist() for r in exe.run_grid([[x], [x.copy()]])] == [[[2, 2, 2]] * 2] * 2


@pytest.mark.parametrize("target", TARGETS)
def test_programs_of_dynamic_shape(target):
    text = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
    : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""
    arguments = [[np.float32([1, 2])], [np.float32([3, 4])]]
    if target == "cpu":
        with pytest.raises(hlo.CompileError, match="grid of 2 x 1 processes must have arguments of static shapes"):
            hlo.compile(text, num_replicas=2)
        return
    found = hlo.compile(text, num_replicas=2, target=target).run_grid(arguments)
    assert [r[0].tolist() for r in found] == [[3, 4], [1, 2]]


IDS = """
func.func @main() -> (tensor<ui32>, tensor<ui32>) {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("replicas, partitions", [(1, 1), (2, 1), (1, 5), (3, 2)])
def test_process_ids(replicas, partitions, target):
    exe = hlo.compile(IDS, num_replicas=replicas, num_partitions=partitions, target=target)
    found = exe.run_grid([[]] * (replicas * partitions))
    assert [tuple(map(int, one)) for one in found] == [(r, p) for r in range(replicas) for p in range(partitions)]


@pytest.mark.parametrize("target", TARGETS)
def test_sizes_are_attributes_of_the_module(target):
    attributes = "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 3 : i32}"
    exe = hlo.compile(f"{attributes} {{{IDS}}}", target=target)
    assert (exe.grid.num_replicas, exe.grid.num_partitions) == (2, 3)
    assert len(exe.run_grid([[]] * 6)) == 6
    with pytest.raises(hlo.ArgumentError, match="grid of 2 x 3 processes: call run_grid"):
        exe()
    with pytest.raises(hlo.ArgumentError, match=r"takes 6 lists of arguments.* found 5"):
        exe.run_grid([[]] * 5)


@pytest.mark.parametrize("target", TARGETS)
def test_arguments_that_do_not_fit(target):
    exe = hlo.compile(CASES["reduce replicas"].program, target=target, num_replicas=2)
    good = np.zeros((2, 3), np.float32)
    for arguments, message in (
        (good, "found ndarray"),
        ([[good], good], r"process \(1, 0\): a list of arguments expected, found ndarray"),
        ([[good], []], r"process \(1, 0\): 1 argument expected, found 0; the program takes 2x3xf32"),
        ([[good[0]], [good]], r"process \(0, 0\): argument 0"),
    ):
        with pytest.raises(hlo.ArgumentError, match=message):
            exe.run_grid(arguments)


@pytest.mark.parametrize(
    "sizes", [{"num_replicas": 0}, {"num_partitions": -1}, {"num_replicas": "2"}, {"num_replicas": True}]
)
def test_sizes_that_are_none(sizes):
    with pytest.raises(hlo.ArgumentError, match="must be a number of processes from 1"):
        hlo.compile(IDS, target="reference", **sizes)


def test_a_grid_that_no_machine_has():
    with pytest.raises(
        hlo.ArgumentError, match="a grid has at most 131072 processes, found 65536 x 65536 = 4294967296"
    ):
        hlo.compile(IDS, target="reference", num_replicas=65536, num_partitions=65536)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "case, replicas, partitions, message",
    [
        (all_reduce("replica", [[0, 1]], (2, 1)), 1, 1, r"in \[0, 1\) on a grid of 1 x 1 processes, found 1"),
        (
            all_gather("both", [[0]], (1, 2)),
            1,
            3,
            "op C6: result must have size 9 in dimension 1 for groups of 3 processes",
        ),
        (
            reduce_scatter("both", [[0]], (1, 2), (2, 3)),
            1,
            1,
            "op C8: result must have size 2 in dimension 0 for groups of 1",
        ),
        (all_to_all("partition", [[0, 1]], (1, 2)), 2, 1, r"op C7: replica_groups must hold partition ids in \[0, 1\)"),
        (all_reduce("replica", [[0, 1]], (2, 1)), 3, 1, "op C2: replica_groups must hold all 3 replica ids .* found 2"),
        (all_reduce("flat", [[0, 1]], (2, 1)), 2, 2, "must hold all 4 process numbers .* found 2"),
        (all_gather("replica", [[0, 1]], (2, 1)), 1, 2, r"in \[0, 1\) on a grid of 1 x 2 processes, found 1"),
    ],
)
def test_groups_that_do_not_fit(case, replicas, partitions, message, target):
    with pytest.raises(hlo.HloError, match=message):
        hlo.compile(case.program, target=target, num_replicas=replicas, num_partitions=partitions).run_grid(
            [case.inputs[0]] * (replicas * partitions)
        )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ["collective_broadcast", "collective_reduce"])
@pytest.mark.parametrize("root", [-1, 2, -(2**31), 2**31 - 1])
def test_roots_outside_of_their_group(op, root, target):
    case = dynamic_roots(op, [1, 0])
    exe = hlo.compile(case.program, target=target, **case.sizes)
    wrong = [[x, y, np.array([1, root], np.int32)] for x, y, _ in case.inputs]
    with pytest.raises(hlo.HloError, match=rf"-:3:\d+.*'stablehlo.{op}' op root must be in \[0, 2\), found {root}"):
        exe.run_grid(wrong)
    outsider = [*case.inputs[:1], wrong[1], *case.inputs[2:]]  # process 1 is in no group: its roots mean nothing
    for found, wanted in zip(exe.run_grid(outsider), case.expected, strict=True):
        assert all(map(np.array_equal, found, wanted))


@pytest.mark.parametrize("target", TARGETS)
def test_roots_of_one_process(target):
    text = """
func.func @main(%x: tensor<2xf32>, %root: tensor<1xi32>) -> tensor<2xf32> {
  %r = "stablehlo.collective_broadcast"(%x, %root) {replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root}
    : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}"""
    exe, x = hlo.compile(text, target=target), np.float32([1, 2])
    assert exe(x, np.int32([0]))[0].tolist() == [1, 2]
    with pytest.raises(hlo.HloError, match=r"-:3:8.*root must be in \[0, 1\), found 1"):
        exe(x, np.int32([1]))


STREAMS = """
func.func @main() -> tensor<2xi64> {
  %t = stablehlo.create_token : !stablehlo.token
  %x, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  %p = "interpreter.print"(%x) : (tensor<2xi64>) -> tensor<2xi64>
  %v = "stablehlo.outfeed"(%p, %u) : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  return %p : tensor<2xi64>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_each_process_has_an_infeed_and_an_outfeed(target, capfd):
    from hlo.runtime.custom_calls import streams

    streams.clear()
    for number in (1, 0):
        streams.feed(np.full(2, number), process=number)
    found = hlo.compile(STREAMS, target=target, num_replicas=2).run_grid([[], []])
    assert [list(r) for (r,) in found] == [[0, 0], [1, 1]]
    assert [list(streams.outfeed(process=n)[0]) for n in (0, 1)] == [[0, 0], [1, 1]]
    printed = capfd.readouterr().out
    assert "process (0, 0): 2xi64" in printed and "process (1, 0): 2xi64" in printed


@pytest.mark.parametrize("target", TARGETS)
def test_an_error_names_its_process(target):
    text = IDS.replace(
        "%1 = stablehlo.partition_id", "check.expect_eq_const %0, dense<0> : tensor<ui32>\n%1 = stablehlo.partition_id"
    )
    exe = hlo.compile(text, num_replicas=2, target=target)
    with pytest.raises(hlo.HloError, match=r"process \(1, 0\): check failed"):
        exe.run_grid([[], []])


@pytest.mark.parametrize("target", TARGETS)
def test_several_grids_at_the_same_time(target):
    from concurrent.futures import ThreadPoolExecutor

    case = CASES["reduce by subtraction: the order counts"]
    exe = hlo.compile(case.program, target=target, **case.sizes)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: exe.run_grid(case.inputs), range(16)):
            for results, wanted in zip(found, case.expected, strict=True):
                np.testing.assert_array_equal(results[0], wanted[0])


@pytest.mark.parametrize("target", TARGETS)
def test_a_collective_in_a_loop(target):
    exe = hlo.compile(LOOP, num_replicas=3, target=target)
    arguments = [[np.float32([n, 2 * n, 1])] for n in range(3)]
    values = [a[0] for a in arguments]
    for _ in range(20):
        total = (values[0] + values[1]) + values[2]
        values = [total * np.float32(0.25) + np.float32(n) for n in range(3)]
    for _ in range(5):
        for (found,), wanted in zip(exe.run_grid(arguments), values, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_processes_that_take_different_branches(target):
    exe = hlo.compile(DIVERGES, num_replicas=2, target=target)
    one, two = np.ones(3, np.float32), np.full(3, 2, np.float32)
    yes, no = np.array(True), np.array(False)
    assert [r[0].tolist() for r in exe.run_grid([[yes, one], [yes, two]])] == [[3, 3, 3]] * 2
    assert [r[0].tolist() for r in exe.run_grid([[no, one], [no, two]])] == [[2, 2, 2], [1, 1, 1]]
    with pytest.raises(hlo.HloError, match=r"all_reduce.* meets .*permute|permute.* meets .*all_reduce"):
        exe.run_grid([[yes, one], [no, two]])
    assert exe.run_grid([[yes, one], [yes, two]])[0][0].tolist() == [3, 3, 3]


ASYNC = """
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<2xf32>):
    %g = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %g : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_an_asynchronous_collective(target):
    found = hlo.compile(ASYNC, num_replicas=2, target=target).run_grid([[np.float32([1, 2])], [np.float32([3, 4])]])
    assert [r[0].tolist() for r in found] == [[1, 2, 3, 4]] * 2


def test_results_do_not_depend_on_the_timing():
    """Sums of numbers of very different size, in parts and whole: the same bits each time, and those of the reference."""
    generator = np.random.default_rng(5)
    for shape in ((300,), (50000,), (40001,)):
        case = all_reduce("replica", [[2, 0, 3, 1]], (4, 1), [shape])
        inputs = [
            [(generator.standard_normal(shape) * 10.0 ** generator.integers(-6, 6, shape)).astype(np.float32)]
            for _ in range(4)
        ]
        wanted = hlo.compile(case.program, target="reference", **case.sizes).run_grid(inputs)
        exe = hlo.compile(case.program, **case.sizes)
        for _ in range(10):
            for (found,), (want,) in zip(exe.run_grid(inputs), wanted, strict=True):
                assert found.tobytes() == want.tobytes()


@pytest.mark.parametrize("target", TARGETS)
def test_many_collectives(target):
    """Each of several collectives of different kinds finds its own values, again and again."""
    lines = []
    for i in range(0, 30, 3):
        group = "{replica_groups = dense<[[1, 2, 0]]> : tensor<1x3xi64>}"
        lines.append(f"""
  %v{i + 1} = "stablehlo.all_reduce"(%v{i}) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) {group} : (tensor<2xf32>) -> tensor<2xf32>
  %w{i} = stablehlo.add %v{i}, %v{i + 1} : tensor<2xf32>
  %v{i + 2} = "stablehlo.collective_permute"(%w{i}) {{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}}
    : (tensor<2xf32>) -> tensor<2xf32>
  %v{i + 3} = "stablehlo.collective_broadcast"(%v{i + 2}) {{replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>}}
    : (tensor<2xf32>) -> tensor<2xf32>""")
    text = f"func.func @main(%v0: tensor<2xf32>) -> tensor<2xf32> {{{''.join(lines)}\n  return %v30 : tensor<2xf32>\n}}"
    arguments = [[np.float32([n, 1 - n])] for n in range(3)]
    x = [a[0] for a in arguments]
    for _ in range(10):
        top = np.maximum(np.maximum(x[1], x[2]), x[0])
        w = [v + top for v in x]
        v = [w[2], w[0], w[1]]
        x = [v[2], np.zeros_like(v[1]), v[2]]
    exe = hlo.compile(text, num_replicas=3, target=target)
    for _ in range(20):
        for (found,), wanted in zip(exe.run_grid(arguments), x, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_a_forked_process():
    """The child starts threads of its own."""
    case = CASES["reduce replicas"]
    exe = hlo.compile(case.program, **case.sizes)
    exe.run_grid(case.inputs)
    child = os.fork()
    if not child:
        signal.alarm(60)
        found = exe.run_grid(case.inputs)
        os._exit(0 if all(np.array_equal(f[0], w[0]) for f, w in zip(found, case.expected)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
