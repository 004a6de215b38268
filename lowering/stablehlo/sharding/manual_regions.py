"""What stands between @SPMDFullToShardShape and @SPMDShardToFullShape becomes the body of a sdy.manual_computation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.process_groups import NUMBERS
from hlo.dialect.sharding.hlo_strings import TileSharding
from hlo.dialect.sharding.model import DimensionSharding, Sharding
from hlo.dialect.sharding.text import parse_sharding
from hlo.errors import CompileError
from hlo.lowering.stablehlo.rewriting import values_read
from hlo.lowering.stablehlo.sharding.annotations import manual_computation, manual_return

INTO, OUT_OF = "SPMDFullToShardShape", "SPMDShardToFullShape"


class Axes(Protocol):
    """The axes of the strings (import_shardings.py)."""

    def sharding(self, tile: TileSharding, type: ir.Type, is_open: Sequence[int] = ()) -> Sharding: ...
    def manual(self, tile: TileSharding) -> tuple[str, ...]: ...
    def tiles(self, attribute: ir.Attribute) -> tuple[TileSharding, ...]: ...


def form_manual_computations(block: ir.Block, axes: Axes) -> None:
    """One manual computation for each set of ops of a block that hang together between the two custom calls."""
    ops = list(block.operations)
    if not any(_target(op) == INTO for op in ops):
        return
    for part in _parts(ops):
        _Former(part, axes).run()


def _target(op: Any) -> str:
    return op.call_target_name if op.operation.name == "stablehlo.custom_call" else ""


def _parts(ops: Sequence[Any]) -> list[list[Any]]:
    """Ops that read parts, up to the calls that make them whole, in sets that have a value in common."""
    part_of: dict[ir.Value, int] = {}
    joined: list[int] = []

    def root(n: int) -> int:
        while joined[n] != n:
            n = joined[n]
        return n

    members: list[tuple[int, Any]] = []
    for op in ops:
        read = {root(part_of[v]) for v in values_read(op) if v in part_of}
        if _target(op) == INTO or op.operation.name in NUMBERS:  # these belong to what reads them
            read = {len(joined)}
            joined.append(len(joined))
        if not read:
            continue
        first = min(read)
        for other in read:
            joined[other] = first
        members.append((first, op))
        if _target(op) != OUT_OF:
            part_of.update(dict.fromkeys(op.results, first))
    found: dict[int, list[Any]] = {}
    for n, op in members:
        found.setdefault(root(n), []).append(op)
    return [part for part in found.values() if any(_target(op) == INTO for op in part)]


class _Former:
    def __init__(self, part: Sequence[Any], axes: Axes):
        self.axes = axes
        self.into = [op for op in part if _target(op) == INTO]
        self.out_of = [op for op in part if _target(op) == OUT_OF]
        self.inside = [op for op in part if _target(op) not in (INTO, OUT_OF)]

    def run(self) -> None:
        if not self.out_of:
            raise CompileError(diagnostic(self.into[0], f"@{INTO} without @{OUT_OF} that reads what it gives"))
        (tile,) = self.axes.tiles(self.into[0].attributes["mhlo.sharding"])
        names = self.axes.manual(tile)
        specs = [[self._given(op, names) for op in self.into], [self._made(op, names) for op in self.out_of]]
        shardings = [ir.Attribute.parse(f"#sdy.sharding_per_value<[{', '.join(map(str, s))}]>") for s in specs]
        arguments, types = ([op.results[0].type for op in calls] for calls in (self.into, self.out_of))
        with ir.InsertionPoint(self.out_of[0]), self.into[0].location:
            operands = [op.operands[0] for op in self.into]
            made, block = manual_computation(operands, types, arguments, shardings, names)
            self._fill(made, block)

    def _given(self, op: Any, manual: Sequence[str]) -> Sharding:
        """The sharding that the operand was given by its @Sharding, its other axes left open."""
        owner = op.operands[0].owner
        if isinstance(owner, ir.Block) or owner.name != "sdy.sharding_constraint":
            raise CompileError(diagnostic(op, f"the operand of @{INTO} must be the result of a custom call @Sharding"))
        return _open(parse_sharding(str(owner.attributes["sharding"])), manual)

    def _made(self, op: Any, manual: Sequence[str]) -> Sharding:
        (tile,) = self.axes.tiles(op.attributes["mhlo.sharding"])
        return _open(self.axes.sharding(tile, op.results[0].type), manual)

    def _fill(self, made: ir.Operation, block: ir.Block) -> None:
        for op in self.inside:
            op.operation.detach_from_parent()
            block.append(op.operation)
        for op, argument in zip(self.into, block.arguments):
            op.results[0].replace_all_uses_with(argument)
        with ir.InsertionPoint(block):
            manual_return([op.operands[0] for op in self.out_of])
        for op, result in zip(self.out_of, made.results):
            op.results[0].replace_all_uses_with(result)
        for op in (*self.out_of, *self.into):
            op.operation.erase()


def _open(sharding: Sharding, manual: Sequence[str]) -> Sharding:
    """The manual axes only, and room for others."""
    dims = tuple(
        DimensionSharding(tuple(ref for ref in d.axes if ref.name in manual), is_open=True) for d in sharding.dimensions
    )
    return Sharding(sharding.mesh, dims)
