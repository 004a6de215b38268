"""What the processes of a partitioned program send each other, counted in our modules and in XLA's optimised HLO.

Counts are static: what stands in a loop counts once. Bytes sent are those of the usual ring algorithms, for one process."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from mlir import ir

from hlo.dialect.types import bit_width, element_type, shape

KINDS = ("all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter")
SHORT = dict(zip(KINDS, ("AG", "AR", "A2A", "CP", "RS")))
BITS = {"pred": 8, "bf16": 16, "c64": 64, "c128": 128}
"""Of HLO's element types whose name does not tell."""


@dataclass(frozen=True)
class Collective:
    """`bytes`: of all results on one process; `group`: how many processes take part."""

    kind: str
    bytes: int
    group: int

    @property
    def sent(self) -> float:
        """By each process, in a ring."""
        if self.kind == "collective_permute":
            return float(self.bytes)
        others = self.group - 1
        if self.kind == "reduce_scatter":
            return float(self.bytes * others)
        return self.bytes * others / self.group * (2 if self.kind == "all_reduce" else 1)


def of_module(module: ir.Module) -> list[Collective]:
    """Those of a partitioned module."""
    found: list[Collective] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        kind = op.name.removeprefix("stablehlo.")
        if kind in KINDS:
            size = sum(math.prod(shape(r.type)) * max(1, bit_width(element_type(r.type)) // 8) for r in op.results)
            group = 0 if kind == "collective_permute" else len(op.opview.replica_groups[0])
            found.append(Collective(kind, size, group))
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(visit)
    return found


_LINE = re.compile(
    r"\s*(?:ROOT )?%[\w.\-]+ = (.*?) (all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute)\((.*)"
)
_LISTED, _GRID = re.compile(r"replica_groups=\{\{([\d,]*)\}"), re.compile(r"replica_groups=\[\d+,(\d+)\]")


def of_hlo(text: str) -> list[Collective]:
    """Those of XLA's optimised HLO. Raises ValueError for an asynchronous one, whose results are not what is sent."""
    if re.search(r" (?:all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute)-start\(", text):
        raise ValueError("asynchronous collectives are not counted")
    header = re.search(r"num_partitions=(\d+)", text)
    all_of_them = int(header[1]) if header else 1
    return [_of_line(*match.groups(), all_of_them) for match in map(_LINE.match, text.splitlines()) if match]


def _of_line(results: str, name: str, rest: str, group: int) -> Collective:
    """`group`: how many processes there are, which is what no groups mean."""
    size = 0
    for element, dims in re.findall(r"([a-z]\w*)\[([\d,]*)\]", results):
        bits = BITS.get(element) or int(re.findall(r"\d+", element)[0])
        size += math.prod(int(d) for d in dims.split(",") if d) * max(1, bits // 8)
    listed, grid = _LISTED.search(rest), _GRID.search(rest)
    group = len(listed[1].split(",")) if listed else int(grid[1]) if grid else group
    return Collective(name.replace("-", "_"), size, group)


def summary(found: Iterable[Collective]) -> str:
    """`2 AG 1 AR : 640 B`: how many of each kind, and the bytes of their results."""
    found = list(found)
    counts = [(SHORT[k], sum(c.kind == k for c in found)) for k in sorted(KINDS)]
    text = " ".join(f"{n} {short}" for short, n in counts if n) or "-"
    return f"{text} : {sum(c.bytes for c in found)} B"


def sent(found: Iterable[Collective]) -> float:
    return sum(c.sent for c in found)
