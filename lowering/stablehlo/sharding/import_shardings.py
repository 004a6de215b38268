"""Shardings in strings, as programs for XLA's older partitioner have them, become Shardy's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.cursor import Unexpected
from hlo.dialect.locations import diagnostic
from hlo.dialect.sharding.hlo_strings import Digit, NoDigits, TileSharding, parse_tiles
from hlo.dialect.sharding.model import AxisRef, DimensionSharding, Mesh, Sharding
from hlo.errors import CompileError
from hlo.lowering.functions import SIDES, entries_of, set_entries
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks, nested_ops
from hlo.lowering.stablehlo.sharding.annotations import define_mesh
from hlo.lowering.stablehlo.sharding.axes import bad_cut, digits
from hlo.lowering.stablehlo.sharding.manual_regions import form_manual_computations

STRING = "mhlo.sharding"
MESH = "mesh"


@register_pass
class ImportShardings(Pass):
    """Turns `mhlo.sharding` strings and the custom calls @Sharding, @SPMDFullToShardShape and @SPMDShardToFullShape into
    attributes and ops of Shardy, over a mesh whose axes are the sizes into which the strings cut the devices.

    %a: T {mhlo.sharding = "{devices=[2,4]<=[8]}"}           sdy.mesh @mesh = <["axis_0"=2, "axis_1"=4]>
    %0 = custom_call @Sharding(%a)                becomes    %a: T {sdy.sharding = #sdy.sharding<@mesh,
        {mhlo.sharding = "{replicated}"}                         [{"axis_0"}, {"axis_1"}]>}
                                                             %0 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : T

    Where the devices of a string are no grid of 0, 1, 2, ... with dimensions exchanged, its order is the mesh's
    (device_ids), and all other strings must be grids of that order. Calls are inlined."""

    def run(self, module: ir.Module) -> None:
        if any(op.operation.name == "sdy.mesh" for op in module.body.operations) or not has_strings(module):
            return
        InlineCalls().run(module)
        order = _order(module)
        axes = _Axes([tile for _, tiles in _annotated(module, order) for tile in tiles], order)
        if not axes.count:
            return
        define_mesh(module, MESH, Mesh(tuple(axes.sizes.items()), axes.order))
        for op in module.body.operations:
            if op.operation.name == "func.func":
                _convert_signature(op, axes)
        for block in list(function_blocks(module)):
            _convert_block(block, axes)
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            found = error.error_diagnostics[0].message if error.error_diagnostics else str(error)
            raise CompileError(
                f"manual computations must not be interleaved with what reads their results: {found}"
            ) from None


def has_strings(module: ir.Module) -> bool:
    """Whether some argument, result or op has a sharding in a string."""
    return next(_strings(module), None) is not None


def has_strings_for_several(module: ir.Module) -> bool:
    """Whether some sharding in a string is for several devices, or is a mistake, which importing it names."""
    try:
        return any(tile.devices > 1 for _, text in _strings(module) for tile in parse_tiles(text))
    except Unexpected:
        return True


def _strings(module: ir.Module) -> Iterator[tuple[Any, str]]:
    for op in nested_ops(module.operation):
        sides = SIDES if op.operation.name == "func.func" else ()
        for holder in (*(entry for side in sides for entry in entries_of(op, side)), op.attributes):
            if STRING in holder:
                yield op, ir.StringAttr(holder[STRING]).value


def _order(module: ir.Module) -> tuple[int, ...]:
    """The order of devices in which their positions have digits: their own, or that of the first string that names another."""
    for _, text in _strings(module):
        try:
            parse_tiles(text)
        except NoDigits as found:
            return found.devices
        except Unexpected:
            continue
    return ()


def _annotated(module: ir.Module, order: tuple[int, ...]) -> Iterator[tuple[Any, tuple[TileSharding, ...]]]:
    sizes: set[int] = set()
    for op, text in _strings(module):
        try:
            tiles = parse_tiles(text, order)
        except Unexpected as error:
            raise CompileError(diagnostic(op, f"'{op.operation.name}' op {STRING}: {error.message}")) from None
        sizes |= {t.devices for t in tiles if t.devices}
        if len(sizes) > 1:
            few, many = sorted(sizes)
            found = f"all shardings of a program must be for as many devices, found {few} and {many}"
            raise CompileError(diagnostic(op, f"'{op.operation.name}' op {STRING}: {found}"))
        yield op, tiles


class _Axes:
    """The sizes into which all strings together cut the devices."""

    def __init__(self, tiles: Sequence[TileSharding], order: tuple[int, ...]):
        self.order = order
        self.count = max((t.devices for t in tiles), default=0)
        found = {d for t in tiles for part in (*t.dimensions, t.manual) for d in part}
        ends = {1, self.count, *(s for d in found for s in (d.stride, d.stride * d.size))}
        cuts = sorted(ends, reverse=True) if self.count else []
        if (bad := bad_cut(cuts)) is not None:
            raise CompileError(f"shardings must cut the {self.count} devices in one way, found {bad[0]} and {bad[1]}")
        self.strides = {f"axis_{n}": stride for n, (_, stride) in enumerate(digits(cuts))}
        self.sizes = {f"axis_{n}": size for n, (size, _) in enumerate(digits(cuts))}

    def tiles(self, attribute: ir.Attribute) -> tuple[TileSharding, ...]:
        return parse_tiles(ir.StringAttr(attribute).value, self.order)

    def refs(self, digits: Sequence[Digit]) -> tuple[AxisRef, ...]:
        return tuple(
            AxisRef(name)
            for d in digits
            for name, stride in self.strides.items()
            if d.stride <= stride < d.stride * d.size
        )

    def sharding(self, tile: TileSharding, type: ir.Type, is_open: Sequence[int] = ()) -> Sharding:
        rank = len(type.shape) if isinstance(type, ir.RankedTensorType) else 0
        dims = tile.dimensions or ((),) * rank
        return Sharding(MESH, tuple(DimensionSharding(self.refs(d), n in is_open) for n, d in enumerate(dims)))

    def manual(self, tile: TileSharding) -> tuple[str, ...]:
        """The names of the manual axes."""
        return tuple(self.sizes) if tile.is_manual else tuple(r.name for r in self.refs(tile.manual))


def _attribute(sharding: Sharding) -> ir.Attribute:
    return ir.Attribute.parse(f"#sdy.sharding{sharding}")


def _only(op: Any, tiles: Sequence[TileSharding]) -> TileSharding:
    """The sharding of one tensor. Raises CompileError for those of a tuple."""
    if len(tiles) != 1:
        found = f"one sharding expected for a tensor, found {len(tiles)}"
        raise CompileError(diagnostic(op, f"'{op.operation.name}' op {STRING}: {found}"))
    return tiles[0]


def _convert_signature(function: Any, axes: _Axes) -> None:
    for side, types in zip(SIDES, (function.type.inputs, function.type.results)):
        if entries := entries_of(function, side):
            for entry, type in zip(entries, types):
                if STRING in entry:
                    tile = _only(function, axes.tiles(entry.pop(STRING)))
                    entry["sdy.sharding"] = _attribute(axes.sharding(tile, type))
            set_entries(function, side, entries)


def _convert_block(block: ir.Block, axes: _Axes) -> None:
    for op in list(block.operations):
        for inner in nested_blocks(op) if len(op.regions) else ():
            _convert_block(inner, axes)
        if STRING in op.attributes:
            _convert_op(op, axes)
    form_manual_computations(block, axes)


def _convert_op(op: Any, axes: _Axes) -> None:
    tiles = axes.tiles(op.attributes[STRING])
    target = op.call_target_name if op.operation.name == "stablehlo.custom_call" else ""
    if target in ("SPMDFullToShardShape", "SPMDShardToFullShape"):
        return
    if target == "Sharding":
        _convert_constraint(op, _only(op, tiles), axes)
        return
    del op.attributes[STRING]
    if len(tiles) == len(op.results) and len(tiles):
        shardings = [str(axes.sharding(t, r.type)) for t, r in zip(tiles, op.results)]
        op.attributes["sdy.sharding"] = ir.Attribute.parse(f"#sdy.sharding_per_value<[{', '.join(shardings)}]>")


def _convert_constraint(op: Any, tile: TileSharding, axes: _Axes) -> None:
    if tile.is_manual or not isinstance(op.results[0].type, ir.RankedTensorType):
        replace(op, list(op.operands))
        return
    config = op.attributes.get("backend_config", None)
    text = config.value if isinstance(config, ir.StringAttr) else ""
    unspecified = re.search(r"unspecified_dims=\[([\d,]*)\]", text)
    is_open = [int(d) for d in re.findall(r"\b\d{1,9}\b", unspecified[1])] if unspecified else []
    made = ir.Operation.create(
        "sdy.sharding_constraint",
        results=[op.results[0].type],
        operands=list(op.operands),
        attributes={"sharding": _attribute(axes.sharding(tile, op.results[0].type, is_open))},
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    replace(op, list(made.results))
