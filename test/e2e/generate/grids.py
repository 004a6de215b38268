"""Processes of a grid: collectives, channels, feeds. Each case runs one program as all processes (or several programs) and
compares the results of all of them; the process groups are spelt out here by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cases import Case, dense, file_as, ramp, tensor
from distribution import TOKEN, adding, received, sent

Arrays = Sequence[np.ndarray]

PARTITIONS = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
GLOBAL = f"{PARTITIONS}, use_global_device_ids"


def matrix(rows: Sequence[Sequence[int]]) -> str:
    return f"dense<{[list(row) for row in rows]}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


def on_grid(name: str, grid: tuple[int, int], inputs: Arrays, expected: Arrays, op: str, region: str = "") -> Case:
    """The op (its name and attributes) on one array a process."""
    x, y = tensor(inputs[0]), tensor(expected[0])
    mnemonic, attributes = op.split(" ", 1)
    program = f"""func.func private @{name}_program(%x: {x}) -> {y} {{
  %r = "stablehlo.{mnemonic}"(%x){region} {{{attributes}}} : ({x}) -> {y}
  return %r : {y}
}}"""
    row = f"[{', '.join([f'@{name}_program'] * grid[1])}]"
    return Case(name, inputs, run(f"[{', '.join([row] * grid[0])}]", inputs, expected), expected, functions=program)


def run(programs: str, inputs: Arrays, expected: Arrays) -> str:
    results = ", ".join(f"%r{i}" for i in range(len(expected)))
    operands = ", ".join(f"%{i}" for i in range(len(inputs)))
    types = ", ".join(map(tensor, inputs)), ", ".join(map(tensor, expected))
    return (
        f'{results} = "interpreter.run_parallel"({operands}) {{programs = {programs}}} : ({types[0]}) -> ({types[1]})'
    )


def numbered(count: int, *shape: int, dtype: type = np.int32) -> list[np.ndarray]:
    """Arrays of `count` processes, all elements different."""
    size = int(np.prod(shape))
    return [ramp(*shape, dtype=dtype) + dtype(size * n + 1) for n in range(count)]


def groups_of(
    expected: Callable[[list[np.ndarray], int], np.ndarray], inputs: Arrays, groups: Sequence[Sequence[int]]
) -> Arrays:
    """What each process gets: `expected(values of its group, its position)`; zeros for one in no group."""
    found = {p: expected([inputs[q] for q in group], i) for group in groups for i, p in enumerate(group)}
    like = next(iter(found.values()))
    return [found.get(p, np.zeros_like(like)) for p in range(len(inputs))]


def all_gather() -> list[Case]:
    def want(xs, place):
        return np.concatenate(xs, axis=1)

    two, four = numbered(2, 2, 2), numbered(4, 1, 2)
    rows = "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>"
    return [
        on_grid("replicas", (2, 1), two, groups_of(want, two, [[1, 0]]), f"all_gather all_gather_dim = 1 : i64, {rows}"),
        on_grid("all", (2, 2), four, groups_of(want, four, [[2, 0, 3, 1]]), f"all_gather all_gather_dim = 1 : i64, {rows}, {PARTITIONS}"),
        on_grid(
            "numbers", (2, 2), four, groups_of(want, four, [[0, 3], [2, 1]]),
            f"all_gather all_gather_dim = 1 : i64, replica_groups = {matrix([[0, 3], [2, 1]])}, {GLOBAL}",
        ),
    ]  # fmt: skip


def _sum(xs, place):
    return np.sum(xs, axis=0, dtype=xs[0].dtype)


def all_reduce() -> list[Case]:
    three, four, floats = numbered(3, 4), numbered(4, 2, 1), numbered(5, 3, dtype=np.float32)
    ragged = "replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"
    return [
        on_grid("ragged", (3, 1), three, groups_of(_sum, three, [[0, 2], [1]]), f"all_reduce {ragged}", adding("i32")),
        on_grid(
            "pairs", (2, 2), four, groups_of(_sum, four, [[0, 2], [1, 3]]),
            f"all_reduce replica_groups = {matrix([[0, 1]])}", adding("i32"),
        ),
        on_grid(
            "everyone", (1, 5), floats, groups_of(_sum, floats, [[0, 1, 2, 3, 4]]),
            f"all_reduce replica_groups = {matrix([[0]])}, {PARTITIONS}", adding(),
        ),
    ]  # fmt: skip


def reduce_scatter() -> list[Case]:
    def want(xs, place):
        return np.split(_sum(xs, place), len(xs), axis=0)[place]

    two, four = numbered(2, 4, 2), numbered(4, 4)
    return [
        on_grid(
            "replicas", (2, 1), two, groups_of(want, two, [[1, 0]]),
            f"reduce_scatter scatter_dimension = 0 : i64, replica_groups = {matrix([[1, 0]])}", adding("i32"),
        ),
        on_grid(
            "all", (2, 2), four, groups_of(want, four, [[0, 2, 1, 3]]),
            f"reduce_scatter scatter_dimension = 0 : i64, replica_groups = {matrix([[0, 1]])}, {PARTITIONS}", adding("i32"),
        ),
    ]  # fmt: skip


def all_to_all() -> list[Case]:
    def want(split: int, concat: int):
        return lambda xs, place: np.concatenate([np.split(x, len(xs), axis=split)[place] for x in xs], axis=concat)

    def case(
        name: str, grid: tuple[int, int], split: int, concat: int, rows: list, groups: list, more: str = ""
    ) -> Case:
        inputs = numbered(grid[0] * grid[1], 2, 4)
        sizes = f"split_dimension = {split} : i64, concat_dimension = {concat} : i64, split_count = 2 : i64"
        attributes = f"{sizes}, replica_groups = {matrix(rows)}{more}"
        return on_grid(name, grid, inputs, groups_of(want(split, concat), inputs, groups), f"all_to_all {attributes}")

    return [
        case("columns_to_rows", (2, 1), 1, 0, [[0, 1]], [[0, 1]]),
        case("other_order", (2, 1), 1, 0, [[1, 0]], [[1, 0]]),
        case("one_dimension", (2, 1), 0, 0, [[0, 1]], [[0, 1]]),
        case("partitions", (2, 2), 0, 1, [[0, 1]], [[0, 1], [2, 3]], f", {PARTITIONS}"),
    ]


def collective_broadcast() -> list[Case]:
    four = numbered(4, 1, 2)
    return [
        on_grid(
            "some", (4, 1), four, groups_of(lambda xs, place: xs[0], four, [[2, 1]]),
            f"collective_broadcast replica_groups = {matrix([[2, 1]])}",
        ),
        on_grid(
            "partitions", (2, 2), four, groups_of(lambda xs, place: xs[0], four, [[1, 0], [3, 2]]),
            f"collective_broadcast replica_groups = {matrix([[1, 0]])}, {PARTITIONS}",
        ),
    ]  # fmt: skip


def collective_reduce() -> list[Case]:
    def want(xs, place):
        return np.zeros_like(xs[0]) if place else _sum(xs, place)

    three = numbered(3, 2)
    op = f"collective_reduce replica_groups = {matrix([[2, 0]])}"
    return [on_grid("to_a_root", (3, 1), three, groups_of(want, three, [[2, 0]]), op, adding("i32"))]


def collective_permute() -> list[Case]:
    three, five = numbered(3, 2, 2), numbered(5, 2)
    zeros = np.zeros_like(five[0])
    return [
        on_grid(
            "circle", (3, 1), three, [three[2], three[0], three[1]],
            f"collective_permute source_target_pairs = {matrix([[0, 1], [1, 2], [2, 0]])}",
        ),
        on_grid(
            "loops", (1, 5), five, [zeros, five[0], five[1], five[3], zeros],
            f"collective_permute source_target_pairs = {matrix([[0, 1], [1, 2], [3, 3]])}, {PARTITIONS}",
        ),
    ]  # fmt: skip


def process_ids() -> list[Case]:
    expected = [np.array([r, p], np.uint32) for r in range(3) for p in range(2)]
    kind = tensor(expected[0])
    program = f"""func.func private @ids() -> {kind} {{
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  %2 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
  %3 = stablehlo.reshape %1 : (tensor<ui32>) -> tensor<1xui32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> {kind}
  return %4 : {kind}
}}"""
    programs = f"[{', '.join(['[@ids, @ids]'] * 3)}]"
    return [Case("of_six", [], run(programs, [], expected), expected, functions=program)]


def channels() -> list[Case]:
    """Two programs: what one sends twice, the other takes in that order."""
    x = ramp(3)
    t = tensor(x)
    sender = f"""func.func private @sender(%0: {t}) -> {t} {{
  %token = stablehlo.create_token : {TOKEN}
  {sent(1, t)}
  %twice = stablehlo.add %0, %0 : {t}
  {sent(1, t, after="%sent1").replace("%sent1 =", "%second =").replace("(%0", "(%twice")}
  return %twice : {t}
}}"""
    taker = f"""func.func private @taker() -> ({t}, {t}) {{
  %token = stablehlo.create_token : {TOKEN}
  {received(1, t, results="%x", after="%token")}
  {received(1, t, results="%y", after="%got1").replace("%got1 =", "%last =")}
  return %x, %y : {t}, {t}
}}"""
    expected = [x + x, x, x + x]
    body = run("[[@sender], [@taker]]", [x], expected)
    return [Case("two_in_order", [x], body, expected, functions=f"{sender}\n\n{taker}")]


def feeds() -> list[Case]:
    """Both processes take from one infeed: equal things, so that the order does not matter."""
    x = ramp(2)
    t = tensor(x)
    taker = f"""func.func private @taker() -> {t} {{
  %token = stablehlo.create_token : {TOKEN}
  %x, %u = "stablehlo.infeed"(%token) : ({TOKEN}) -> ({t}, {TOKEN})
  return %x : {t}
}}"""
    given = f"func.func private @given() -> {t} {{\n  %x = stablehlo.constant {dense(x)}\n  return %x : {t}\n}}"
    body = run("[[@taker], [@taker]]", [], [x, x]).replace("{programs", "{infeed = [@given, @given], programs")
    return [Case("two", [], body, [x, x], functions=f"{taker}\n\n{given}")]


for cases in (
    all_gather, all_reduce, all_to_all, channels, collective_broadcast, collective_permute, collective_reduce, feeds,
    process_ids, reduce_scatter,
):  # fmt: skip
    file_as(f"grid/{cases.__name__}", cases)
