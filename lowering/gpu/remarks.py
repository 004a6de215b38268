"""What was decided about each launch, in words: `hlo-opt --target=gpu --remarks`.

model.mlir:7:8: remark: @softmax_0_0: 4 ops on rows of 4096x1024, a block of threads each; 2112 blocks of 256 threads"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from hlo.dialect.locations import remark
from hlo.errors import Diagnostic
from hlo.lowering.finding import name_of, ops_within
from hlo.lowering.gpu.launches import counted


def launch_remarks(module: ir.Module) -> list[Diagnostic]:
    """One remark for each launch of a module after the phase `memory`, in order, at the location of its last op."""
    return [remark(launch, _remark(launch, function)) for launch, function in _launches(module)]


def _remark(launch: ir.Operation, function: ir.Operation) -> str:
    name = name_of(function)
    decision = ir.StringAttr(function.attributes["hlo.decision"]).value
    blocks = _first(function.attributes["known_grid_size"])
    threads = _first(function.attributes["known_block_size"])
    shared = _shared_bytes(launch)
    memory = f", {shared / 1024:g} KiB of shared memory each" if shared else ""
    return f"@{name}: {decision}; {counted(blocks, 'block')} of {counted(threads, 'thread')}{memory}"


def _first(numbers: ir.Attribute) -> int:
    return ir.DenseI32ArrayAttr(numbers)[0]


def _shared_bytes(launch: ir.Operation) -> int:
    """Dynamic shared memory of a block."""
    sizes = list(ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"]))
    if not sizes[10]:
        return 0
    return ir.IntegerAttr(launch.operands[sum(sizes[:10])].owner.attributes["value"]).value


def _launches(module: ir.Module) -> Iterator[tuple[ir.Operation, ir.Operation]]:
    """Launches with the functions that they run."""
    kernels = ops_within(module, lambda op: op.name == "gpu.func")
    functions = {name_of(op): op for op in kernels}
    for op in ops_within(module, lambda op: op.name == "gpu.launch_func"):
        _, name = ir.SymbolRefAttr(op.attributes["kernel"]).value
        yield op, functions[name]
