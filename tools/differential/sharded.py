"""Random programs on random meshes: shardings of some arguments, results and inner values are drawn, the program is
partitioned, its processes run on the reference, and their results are joined."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.process_groups import COLLECTIVES, NUMBERS
from hlo.errors import HloError
from hlo.lowering.finding import ops_named
from hlo.lowering.stablehlo.sharding.join_collectives import JoinCollectives
from hlo.lowering.stablehlo.sharding.partitioning.partition import Partition
from hlo.lowering.stablehlo.sharding.propagate_shardings import PropagateShardings
from hlo.runtime.grid.global_arrays import Layout, cut, join, layouts_of
from hlo.tools.differential.batch import make_batch
from hlo.tools.differential.comparison import first_difference, is_exact
from hlo.tools.differential.failure import FEW, MANY, Failure
from hlo.tools.differential.families import load_all
from hlo.tools.differential.isolate import without_unused
from hlo.tools.differential.moved import MovedReference
from hlo.tools.differential.source import Seeded, Source
from hlo.tools.differential.table import GENERATORS

MESHES = ((2,), (3,), (4,), (5,), (6,), (7,), (8,), (2, 2), (2, 3), (2, 4), (4, 2), (3, 2), (2, 2, 2))
NAMES = "xyz"


def shard_randomly(module: ir.Module, source: Source) -> None:
    """Gives a module a mesh and shardings."""
    sizes = source.pick(MESHES)
    mesh = dict(zip(NAMES, sizes))
    percent = source.pick((10, 30, 60))
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    (function,) = [f for f in functions if f.name.value == "main"]
    with module.context, ir.Location.unknown():
        ids = source.permutation(int(np.prod(sizes))) if source.chance(20) else []
        text = f"#sdy.mesh<[{axes}]" + (f", device_ids={ids}>" if ids else ">")
        attributes = {"sym_name": ir.StringAttr.get("mesh"), "mesh": ir.Attribute.parse(text)}
        at = ir.InsertionPoint.at_block_begin(module.body)
        ir.Operation.create("sdy.mesh", results=[], operands=[], attributes=attributes, ip=at)
        kind = ir.FunctionType(function.type)
        for key, types in (("arg_attrs", kind.inputs), ("res_attrs", kind.results)):
            entries = [_entry(source, t, mesh) if source.chance(60) else {} for t in types]
            function.operation.attributes[key] = ir.ArrayAttr.get([ir.DictAttr.get(e) for e in entries])
        _constrain(source, function.regions[0].blocks[0], mesh, percent)


def _entry(source: Source, type: ir.Type, mesh: dict[str, int]) -> dict[str, ir.Attribute]:
    return {"sdy.sharding": ir.Attribute.parse(f"#sdy.sharding{_sharding(source, type, mesh)}")}


def _constrain(source: Source, block: ir.Block, mesh: dict[str, int], percent: int) -> None:
    """Constraints on some values of a block and of the loops and branches in it."""
    for op in list(block.operations)[:-1]:
        if op.operation.name in ("stablehlo.while", "stablehlo.if", "stablehlo.case"):
            for region in op.regions:
                for inner in region.blocks:
                    _constrain(source, inner, mesh, percent)
        for result in op.results:
            if isinstance(result.type, ir.RankedTensorType) and result.type.shape and source.chance(percent):
                _constrain_value(source, op, result, mesh)


def _constrain_value(source: Source, op: Any, result: ir.Value, mesh: dict[str, int]) -> None:
    attribute = ir.Attribute.parse(f"#sdy.sharding{_sharding(source, result.type, mesh)}")
    uses = list(result.uses)
    made = ir.Operation.create(
        "sdy.sharding_constraint",
        results=[result.type],
        operands=[result],
        attributes={"sharding": attribute},
        ip=ir.InsertionPoint.after(op.operation),
    )
    for use in uses:
        use.owner.operands[use.operand_number] = made.results[0]


def _sharding(source: Source, type: ir.Type, mesh: dict[str, int]) -> str:
    """Axes on some dimensions, sometimes parts of axes, sometimes open."""
    if not isinstance(type, ir.RankedTensorType):
        return "<@mesh, []>"
    dims: list[list[str]] = [[] for _ in type.shape]
    names = list(mesh)
    for number in source.permutation(len(names)):
        name = names[number]
        if not dims or not source.chance(65):
            continue
        to = source.integer(0, len(dims) - 1)
        if type.shape[to] >= mesh[name] or source.chance(10):
            part = mesh[name] in (4, 8) and source.chance(15)
            dims[to].append(f'"{name}":({source.pick((1, 2))})2' if part else f'"{name}"')
    texts = [", ".join([*d, *(["?"] if source.chance(25) else [])]) for d in dims]
    return f"<@mesh, [{', '.join('{' + t + '}' for t in texts)}]>"


def check_sharded(seed: int, number: int, ops: Sequence[str] = ()) -> list[Failure]:
    """Whether a program gives on a random mesh what it gives as it is."""
    try:
        batch = make_batch(seed, [number], [*(ops or _without_collectives())])
        (program,) = batch.programs
        module = batch.module([program])
        inputs = without_unused(module, batch.inputs)
    except Exception:
        return [Failure(number, "generator", traceback.format_exc())]
    if _has_collectives(module):
        return []
    return _compared(module, inputs, f"{seed}:{number}", number, program.unchecked)


def _compared(
    module: ir.Module, inputs: Sequence[np.ndarray], seed: str, number: int, unchecked: Sequence[int]
) -> list[Failure]:
    import hlo

    try:
        expected = hlo.compile(module, target="reference")(*inputs)
    except HloError:
        return []
    sharded = ir.Module.parse(module.operation.get_asm(print_generic_op_form=True), module.context)
    shard_randomly(sharded, Seeded(seed))
    text = hlo.print_module(sharded)
    try:
        results = run_sharded(sharded, inputs, unchecked)
    except Exception as error:
        kind = "error" if isinstance(error, HloError) else "bug"
        return [Failure(number, kind, str(error) if kind == "error" else traceback.format_exc(), text)]
    if first_difference(results, [expected], unchecked) is None:
        return []
    runs = [expected]
    for count in (FEW, MANY):
        runs += [MovedReference(module, "main", n)(*inputs) for n in range(len(runs), count)]
        found = first_difference(results, runs, unchecked)
        if found is None:
            return []
    return [Failure(number, "differs", str(found), text)]


PROCESSES = {*(f"stablehlo.{name}" for name in (*COLLECTIVES, "async_start", "async_done")), *NUMBERS}
"""Ops that have no meaning in a program for one device that is to be partitioned."""


def _without_collectives() -> list[str]:
    load_all()
    return [name for name in GENERATORS if name not in PROCESSES]


def _has_collectives(module: ir.Module) -> bool:
    """Generators of some ops build others."""
    with module.context:
        return bool(ops_named(module, sorted(PROCESSES)))


def run_sharded(module: ir.Module, inputs: Sequence[np.ndarray], unchecked: Sequence[int] = ()) -> list[np.ndarray]:
    """The results of a program with shardings on all processes; the module is changed. What pads uneven parts is NaN
    or 1: no result may depend on it. Raises AssertionError where processes that have the same part disagree."""
    import hlo

    with module.context:
        for one in (PropagateShardings(), Partition(poison=True), JoinCollectives()):
            one.run(module)
    arguments, results = layouts_of(module)
    grid: Any = hlo.compile(module, target="reference")
    outputs = grid.run_grid(_poisoned(inputs, arguments) or [[]] * grid.grid.size)
    joined = []
    for number, (parts, layout) in enumerate(zip(zip(*outputs), results)):
        joined.append(join(parts, layout))
        if number not in unchecked:
            _check_agreement(parts, layout, joined[-1])
    return joined


def _poisoned(inputs: Sequence[np.ndarray], layouts: Sequence[Layout]) -> list[list[np.ndarray]]:
    columns = [cut(a, layout, _poison(layout.dtype)) for a, layout in zip(inputs, layouts)]
    return [list(parts) for parts in zip(*columns)]


def _poison(dtype: np.dtype) -> Any:
    return 1 if is_exact(dtype) else np.nan


def _check_agreement(parts: Sequence[np.ndarray], layout: Layout, whole: np.ndarray) -> None:
    for process, (part, wanted) in enumerate(zip(parts, cut(whole, layout, 0))):
        there = tuple(
            slice(0, max(0, min(size, n - index * size)))
            for size, n, index in zip(layout.local_shape, layout.shape, layout.parts[process])
        )
        same = (
            np.array_equal(part[there].view(np.uint8), np.asarray(wanted[there]).view(np.uint8)) if part.ndim else True
        )
        assert same, f"process {process} has another part of the result than others"
