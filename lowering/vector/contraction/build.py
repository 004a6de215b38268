"""From the schedule of a contraction to its functions as text."""

from __future__ import annotations

from hlo.lowering.vector.contraction.dot_kernel import DotNest
from hlo.lowering.vector.contraction.function_text import FunctionText
from hlo.lowering.vector.contraction.nest import POINTERS, Code
from hlo.lowering.vector.contraction.schedule import ContractionSchedule
from hlo.lowering.vector.contraction.tile_nest import TileNest


def build(name: str, plan: ContractionSchedule) -> Code:
    """The functions of a contraction: `name`(a, b, c, scratch) and what it calls."""
    code = Code([])
    nest: DotNest | TileNest = (DotNest if plan.vectorize == "k" else TileNest)(name, plan, code)
    entry = FunctionText(name, POINTERS)
    if plan.keep_b and isinstance(nest, TileNest):
        code.pack_b = nest.pack_ready()
    nest.begin(entry)
    nest.write(entry)
    code.functions.append(entry)
    return code
