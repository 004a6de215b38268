"""Programs with one collective, and what numpy says that they compute on a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Process = tuple[int, int]

TYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "ui16": np.uint16,
    "i32": np.int32,
    "i64": np.int64,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "i4": ml_dtypes.int4,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
}


@dataclass(frozen=True)
class GridCase:
    """A program and the grid that it runs on; `expected(arrays)` gives each process's results from all arguments, both
    by process number."""

    program: str
    replicas: int
    partitions: int
    inputs: list[list[np.ndarray]]
    expected: list[list[np.ndarray]]

    @property
    def sizes(self) -> dict[str, int]:
        return {"num_replicas": self.replicas, "num_partitions": self.partitions}


def tensor(shape: Sequence[int], kind: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{kind}>"


def matrix(rows: Sequence[Sequence[int]]) -> str:
    width = max(map(len, rows))
    filled = [[*row, *[-1] * (width - len(row))] for row in rows]
    return f"dense<{filled}> : tensor<{len(rows)}x{width}xi64>"


def values(shape: Sequence[int], kind: str, number: int) -> np.ndarray:
    """Small whole numbers (sums of a few are exact in all types), different in each process."""
    count = int(np.prod(shape))
    plain = (np.arange(count) * 3 + number * 5) % 4 - (0 if kind.startswith("u") else 1)
    return plain.astype(np.int8).astype(TYPES[kind]).reshape(shape)


def processes(replicas: int, partitions: int) -> list[Process]:
    return [(r, p) for r in range(replicas) for p in range(partitions)]


def process_groups(rows: Sequence[Sequence[int]], replicas: int, partitions: int, how: str) -> list[list[Process]]:
    """Written from the specification's description of the strategies, for the tests only."""
    if how == "replica":
        return [[(r, p) for r in row] for row in rows for p in range(partitions)]
    if how == "partition":
        return [[(r, p) for p in row] for row in rows for r in range(replicas)]
    if how == "both":
        return [[(r, p) for p in range(partitions) for r in row] for row in rows]
    return [[(i // partitions, i % partitions) for i in row] for row in rows]


CHANNELS = {
    "replica": "",
    "partition": ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>",
    "both": ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>",
    "flat": ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids",
}


def reducer(kind: str, op: str = "add") -> str:
    scalar = f"tensor<{kind}>"
    return (
        f" ({{\n^bb0(%a: {scalar}, %b: {scalar}):\n  %s = stablehlo.{op} %a, %b : {scalar}\n"
        f"  stablehlo.return %s : {scalar}\n}})"
    )


REDUCERS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": lambda a, b: np.logical_or(a, b) if a.dtype == np.bool_ else (a + b).astype(a.dtype),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "subtract": lambda a, b: (a - b).astype(a.dtype),
}


def collective(
    op: str,
    how: str,
    rows: Sequence[Sequence[int]],
    grid: tuple[int, int],
    shapes: Sequence[Sequence[int]],
    kind: str = "f32",
    reduce: str = "",
    attributes: str = "",
    compute: Callable[[list[np.ndarray], int], np.ndarray] | None = None,
    result_shapes: Sequence[Sequence[int]] | None = None,
    groups_name: str = "replica_groups",
) -> GridCase:
    """`compute(values of the group in its order, position in it)` gives a result; processes in no group get zeros."""
    everyone = processes(*grid)
    inputs = [[values(s, kind, 7 * n + i) for i, s in enumerate(shapes)] for n in range(len(everyone))]
    given = dict(zip(everyone, inputs))
    result_shapes = result_shapes or shapes
    groups = process_groups(rows, *grid, how)
    expected = []
    for process in everyone:
        group = next((g for g in groups if process in g), None)
        if group is None:
            expected.append([np.zeros(s, TYPES[kind]) for s in result_shapes])
        else:
            place = group.index(process)
            expected.append([compute([given[p][i] for p in group], place) for i in range(len(shapes))])
    names = [f"%x{i}" for i in range(len(shapes))]
    types = [tensor(s, kind) for s in shapes]
    results = [tensor(s, kind) for s in result_shapes]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    outs = ", ".join(f"%r#{i}" for i in range(len(shapes)))
    program = f"""
func.func @main({arguments}) -> ({", ".join(results)}) {{
  %r:{len(shapes)} = "stablehlo.{op}"({", ".join(names)}){reducer(kind, reduce) if reduce else ""} {{
    {groups_name} = {matrix(rows)}{attributes}{CHANNELS[how]}
  }} : ({", ".join(types)}) -> ({", ".join(results)})
  return {outs} : {", ".join(results)}
}}"""
    return GridCase(program, *grid, inputs, expected)


def all_gather(how, rows, grid, shape=(2, 3), dim=1, kind="f32") -> GridCase:
    count = len(process_groups(rows, *grid, how)[0])
    wanted = [*shape]
    wanted[dim] *= count
    return collective(
        "all_gather", how, rows, grid, [shape], kind, attributes=f", all_gather_dim = {dim} : i64",
        compute=lambda xs, place: np.concatenate(xs, axis=dim), result_shapes=[wanted],
    )  # fmt: skip


def all_reduce(how, rows, grid, shapes=((2, 3),), kind="f32", op="add") -> GridCase:
    return collective("all_reduce", how, rows, grid, shapes, kind, op, compute=lambda xs, place: _fold(op, xs))


def _fold(op: str, xs: list[np.ndarray]) -> np.ndarray:
    total = xs[0]
    for x in xs[1:]:
        total = REDUCERS[op](total, x)
    return total


def reduce_scatter(how, rows, grid, shape=(4, 3), dim=0, kind="f32", op="add") -> GridCase:
    count = len(process_groups(rows, *grid, how)[0])
    wanted = [*shape]
    wanted[dim] //= count
    return collective(
        "reduce_scatter", how, rows, grid, [shape], kind, op, attributes=f", scatter_dimension = {dim} : i64",
        compute=lambda xs, place: np.split(_fold(op, xs), count, axis=dim)[place], result_shapes=[wanted],
    )  # fmt: skip


def all_to_all(how, rows, grid, shape=(4, 6), split=1, concat=0, kind="f32") -> GridCase:
    count = len(rows[0])
    wanted = [*shape]
    wanted[split] //= count
    wanted[concat] *= count
    sizes = f", split_dimension = {split} : i64, concat_dimension = {concat} : i64, split_count = {count} : i64"
    return collective(
        "all_to_all", how, rows, grid, [shape], kind, attributes=sizes,
        compute=lambda xs, place: np.concatenate([np.split(x, count, axis=split)[place] for x in xs], axis=concat),
        result_shapes=[wanted],
    )  # fmt: skip


def broadcast(how, rows, grid, shape=(2, 3), kind="f32") -> GridCase:
    return collective("collective_broadcast", how, rows, grid, [shape], kind, compute=lambda xs, place: xs[0])


def reduce_to_root(how, rows, grid, shape=(2, 3), kind="f32", op="add") -> GridCase:
    def compute(xs: list[np.ndarray], place: int) -> np.ndarray:
        return np.zeros_like(xs[0]) if place else _fold(op, xs)

    return collective("collective_reduce", how, rows, grid, [shape], kind, op, compute=compute)


def permute(how, pairs, grid, shape=(2, 3), kind="f32") -> GridCase:
    """Groups of a permute are pairs: what a target gets is the value of the pair's source."""
    case = collective(
        "collective_permute", how, pairs, grid, [shape], kind, compute=lambda xs, place: xs[0],
        groups_name="source_target_pairs",
    )  # fmt: skip
    everyone = processes(*grid)
    given = dict(zip(everyone, case.inputs))
    found = {target: given[source] for source, target in process_groups(pairs, *grid, how)}
    expected = [found.get(p, [np.zeros(shape, TYPES[kind])]) for p in everyone]
    return GridCase(case.program, *grid, case.inputs, expected)


def collective_reduce(how, rows, grid, shape=(2, 3), kind="f32") -> GridCase:
    """The first of each group gets the sum, the others zeros."""
    return collective(
        "collective_reduce", how, rows, grid, [shape], kind, "add",
        compute=lambda xs, place: np.zeros_like(xs[0]) if place else _fold("add", xs),
    )  # fmt: skip


def dynamic_roots(op: str, roots: Sequence[int]) -> GridCase:
    """Two arrays, each with a root of its own, on three processes, of which two take part."""
    everyone, group, shape = processes(3, 1), [(2, 0), (0, 0)], (2, 2)
    arrays = {p: [values(shape, "f32", 3 * n + i) for i in range(2)] for n, p in enumerate(everyone)}
    inputs = [[*arrays[p], np.array(roots, np.int32)] for p in everyone]
    expected = []
    for p in everyone:
        sums = [arrays[group[0]][i] + arrays[group[1]][i] for i in range(2)]
        found = [arrays[group[roots[i]]][i] if op.endswith("broadcast") else sums[i] for i in range(2)]
        gets = [p in group and (op.endswith("broadcast") or group[roots[i]] == p) for i in range(2)]
        expected.append([x if g else np.zeros_like(x) for x, g in zip(found, gets)])
    t = tensor(shape, "f32")
    program = f"""
func.func @main(%x: {t}, %y: {t}, %roots: tensor<2xi32>) -> ({t}, {t}) {{
  %r:2 = "stablehlo.{op}"(%x, %y, %roots){"" if op.endswith("broadcast") else reducer("f32")} {{
    replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>, has_dynamic_root
  }} : ({t}, {t}, tensor<2xi32>) -> ({t}, {t})
  return %r#0, %r#1 : {t}, {t}
}}"""
    return GridCase(program, 3, 1, inputs, expected)


def mesh(axes: str, rows: Sequence[Sequence[int]]) -> GridCase:
    """A sum over axes of a mesh with x of 2 and y of 4; `rows`: the groups that they stand for."""
    case = all_reduce("replica", rows, (8, 1))
    sizes = ", ".join(f'#stablehlo.mesh_axis<name = "{n}", size = {s}>' for n, s in (("x", 2), ("y", 4)))
    groups = f"#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [{sizes}]>, axes = [{axes}]>"
    return GridCase(case.program.replace(matrix(rows), groups), 8, 1, case.inputs, case.expected)


CASES: dict[str, GridCase] = {
    "reduce to a root": collective_reduce("replica", [[1, 0]], (3, 1)),
    "reduce to roots of partitions": collective_reduce("partition", [[0, 1]], (2, 2)),
    "broadcast from two roots": dynamic_roots("collective_broadcast", [1, 0]),
    "reduce to two roots": dynamic_roots("collective_reduce", [0, 1]),
    "reduce over an axis": mesh('#stablehlo.axis_ref<name = "x">', [[0, 4], [1, 5], [2, 6], [3, 7]]),
    "reduce over a part of an axis": mesh(
        '#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>', [[0, 2], [1, 3], [4, 6], [5, 7]]
    ),
    "gather all of a 2 x 2 grid": all_gather("both", [[0, 1]], (2, 2)),
    "gather replica by replica, with all partitions": all_gather("both", [[1], [0]], (2, 2)),
    "gather partitions": all_gather("both", [[0]], (1, 2)),
    "scatter to all of a 2 x 2 grid": reduce_scatter("both", [[1, 0]], (2, 2), (8, 2), 0),
    "gather replicas": all_gather("replica", [[0, 1]], (2, 1)),
    "gather replicas in another order, of a 2 x 2 grid": all_gather("replica", [[1, 0]], (2, 2), dim=0),
    "gather flattened": all_gather("flat", [[0, 3], [2, 1]], (2, 2), (3, 1, 2), 1),
    "gather nothing": all_gather("replica", [[0, 1]], (2, 1), (0, 3)),
    "gather three": all_gather("replica", [[2, 0, 1]], (3, 1), (5,), 0),
    "gather one": all_gather("replica", [[0], [1]], (2, 1)),
    "reduce replicas": all_reduce("replica", [[0, 1]], (2, 1)),
    "reduce four": all_reduce("replica", [[0, 1, 2, 3]], (4, 1), [(7,)]),
    "reduce pairs": all_reduce("replica", [[3, 0], [1, 2]], (4, 1)),
    "reduce ragged": all_reduce("replica", [[0, 1], [2]], (3, 1)),
    "reduce scalars": all_reduce("both", [[0]], (1, 5), [()]),
    "reduce several": all_reduce("replica", [[0, 1]], (2, 1), [(4,), (5,), (2, 2)]),
    "reduce by subtraction: the order counts": all_reduce("replica", [[2, 0, 1]], (3, 1), op="subtract"),
    "reduce much": all_reduce("replica", [[0, 1, 2]], (3, 1), [(100, 101)]),
    "reduce in parts": all_reduce("replica", [[1, 2, 0]], (3, 1), [(200, 101)]),
    "reduce in parts, bf16": all_reduce("both", [[0]], (1, 3), [(20000,)], "bf16", "maximum"),
    "reduce maximum flattened": all_reduce("flat", [[3, 0], [1, 2]], (2, 2), op="maximum"),
    "reduce nothing": all_reduce("replica", [[0, 1]], (2, 1), [(3, 0)]),
    "scatter rows": reduce_scatter("replica", [[0, 1]], (2, 1)),
    "scatter columns": reduce_scatter("replica", [[1, 0]], (2, 1), (3, 4), 1),
    "scatter flattened": reduce_scatter("flat", [[0, 3], [1, 2]], (2, 2), (2, 6, 2), 1, op="minimum"),
    "exchange columns for rows": all_to_all("replica", [[0, 1]], (2, 1)),
    "exchange in another order": all_to_all("replica", [[1, 0]], (2, 1)),
    "exchange along one dimension": all_to_all("replica", [[0, 1]], (2, 1), split=0, concat=0),
    "exchange of partitions": all_to_all("partition", [[0, 1]], (2, 2), split=0, concat=1),
    "exchange inner dimensions": all_to_all("partition", [[2, 0, 1]], (1, 3), (2, 3, 4), 1, 2),
    "broadcast": broadcast("replica", [[0, 1]], (2, 1)),
    "broadcast to some": broadcast("replica", [[1, 0]], (4, 1)),
    "broadcast among partitions": broadcast("partition", [[1, 0]], (2, 2)),
    "reduce to the first": reduce_to_root("replica", [[2, 0, 1]], (3, 1), op="subtract"),
    "reduce to the first of some": reduce_to_root("replica", [[3, 1]], (4, 1)),
    "broadcast to itself": broadcast("replica", [[0]], (1, 4)),
    "broadcast to itself, on a channel": broadcast("partition", [[0]], (4, 1)),
    "broadcast between some partitions": broadcast("partition", [[2, 1]], (1, 4)),
    "permute in a circle": permute("replica", [[0, 1], [1, 2], [2, 0]], (3, 1)),
    "permute with loops": permute("partition", [[0, 1], [1, 2], [3, 3], [4, 4]], (1, 5)),
    "permute replicas of a 2 x 2 grid": permute("replica", [[1, 0]], (2, 2)),
    "permute nothing": permute("replica", [[0, 1]], (2, 1), (0, 2)),
    **{f"reduce {kind}": all_reduce("replica", [[0, 1, 2]], (3, 1), [(3, 5)], kind) for kind in TYPES},
    **{f"gather {kind}": all_gather("replica", [[1, 0]], (2, 1), (3, 5), 1, kind) for kind in TYPES},
    **{f"permute {kind}": permute("replica", [[0, 1]], (2, 1), (3, 5), kind) for kind in TYPES},
}  # fmt: skip


LOOP = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %limit = stablehlo.constant dense<20> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3xf32>
    cond {
      %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %sum = "stablehlo.all_reduce"(%v) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<3xf32>) -> tensor<3xf32>
      %id = stablehlo.replica_id : tensor<ui32>
      %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
      %fs = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %half = stablehlo.constant dense<0.25> : tensor<3xf32>
      %scaled = stablehlo.multiply %sum, %half : tensor<3xf32>
      %w = stablehlo.add %scaled, %fs : tensor<3xf32>
      stablehlo.return %next, %w : tensor<i32>, tensor<3xf32>
    }
  return %r#1 : tensor<3xf32>
}"""

DIVERGES = """
func.func @main(%go: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %r = "stablehlo.if"(%go) ({
    %sum = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %sum : tensor<3xf32>
  }, {
    %part = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
      : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %part : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}"""
