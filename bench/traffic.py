"""What the processes of a partitioned program send each other, counted in our modules and in XLA's optimised HLO.

Counts are those of hlo.dialect.collective_traffic."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from mlir import ir

from hlo.dialect.collective_traffic import Collective, collectives_of
from hlo.dialect.process_groups import grid_of

KINDS = ("all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter")
SHORT = dict(zip(KINDS, ("AG", "AR", "A2A", "CP", "RS")))
BITS = {"pred": 8, "bf16": 16, "c64": 64, "c128": 128}
"""Of HLO's element types whose name does not tell."""


def of_module(module: ir.Module) -> list[Collective]:
    """Those of a partitioned module."""
    return [one for _, one in collectives_of(module, grid_of(module))]


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
