"""What a partitioned program moves, in words: `hlo-opt --propagate-shardings --partition --remarks`.

model.mlir:5:8: remark: all_reduce of 2048 bytes in 2 groups of 4 processes, for dot_general"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.locations import remark
from hlo.dialect.process_groups import is_collective
from hlo.dialect.types import bytes_of
from hlo.errors import Diagnostic
from hlo.lowering.finding import ops_within

GATHERED = "hlo.gathered"
"""On an op without a sharding rule: the bytes of operands that every process has gathered for it."""


def collective_remarks(module: ir.Module) -> list[Diagnostic]:
    """One remark for each collective, and for each op that every process computes whole, in order."""
    with module.context:
        said = [(op, _collective(op) if is_collective(op) else _whole(op)) for op in ops_within(module)]
        return [remark(op, text) for op, text in said if text]


def is_partitioned(module: ir.Module) -> bool:
    """Whether the module is the program of one of several processes."""
    attributes = module.operation.attributes
    return "mhlo.num_partitions" in attributes and attributes["mhlo.num_partitions"].value > 1


def _collective(op: Any) -> str:
    bytes = sum(bytes_of(r.type) for r in op.results)
    purpose = f", for {op.attributes['hlo.purpose'].value}" if "hlo.purpose" in op.attributes else ""
    several = f" ({len(op.results)} tensors)" if len(op.results) > 1 else ""
    return f"{op.name.removeprefix('stablehlo.')} of {bytes} bytes{several}{_processes(op)}{purpose}"


def _processes(op: Any) -> str:
    if op.name == "stablehlo.collective_permute":
        pairs = op.opview.source_target_pairs
        return f" from process to process, {sum(a != b for a, b in pairs)} of {len(pairs)} to another"
    groups = op.opview.replica_groups
    if not isinstance(groups, tuple) or not groups:
        return ""
    count = f"{len(groups)} groups" if len(groups) > 1 else "one group"
    return f" in {count} of {len(groups[0])} processes"


def _whole(op: Any) -> str:
    gathered = op.attributes[GATHERED].value if GATHERED in op.attributes else 0
    if not gathered:
        return ""
    return f"{op.name} has no rule for its operands to be cut: every process gathers {gathered} bytes and computes all of it"
