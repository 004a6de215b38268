"""Packing B as a whole, before all tiles: for several contracted dimensions, and where many rows' loops would pack again.

    [batch][outer lanes][panel of `width` lanes][contracted][width]

Panels are those of `gather_packing.py`: from tables of offsets, which are filled first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hlo.lowering.memory.storage import row_major
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText
from hlo.lowering.vector.contraction.gather_packing import has_runs, pack_gathered
from hlo.lowering.vector.contraction.nest import run_parts
from hlo.lowering.vector.contraction.packing import OFFSET, TABLES, Panel
from hlo.lowering.vector.contraction.problem import Dim, Problem, ceildiv, count, whole


def pack_whole_b(nest: Any, f: FunctionText, lane: Dim, outer_dims: Sequence[Dim]) -> tuple[str, Problem]:
    """Packs B into the scratch memory of a nest; the pointer to it, and the problem with the packed strides."""
    p, plan, outer = nest.problem, nest.plan, [d for d in outer_dims if d.b]
    depths = p.k or (Dim(1, 0, 0, 0),)
    block = count(depths) + plan.vector
    panel = Panel(p.b_type, plan.width, plan.vector, 1, block, lane.b, depths[-1].b, "gather", source=p.b_type)
    panels = ceildiv(lane.size, panel.width)
    packed = [n * panels * panel.width * block for n in row_major([d.size for d in outer])]
    pack, *_ = pack_gathered(f"{nest.name}.pack_b", panel, has_runs(depths, panel.lanes))
    part = _part(nest, lane, outer, packed, panel, pack)
    nest.code.functions += [pack, part]
    tables = nest.fill_tables(f, (lane,), depths)
    target = f.offset("%scratch", nest.code.scratch, "i8")
    nest.code.scratch += whole(count(tuple(outer)) * panels * panel.bytes, 64) + 64
    run_parts(f, part, plan.threads, ["%b", target, *(f.offset("%scratch", table, "i8") for table in tables)])
    return target, _with_strides(p, lane, outer, packed, panel)


def _part(nest: Any, lane: Dim, outer: list[Dim], packed: list[int], panel: Panel, pack: FunctionText) -> FunctionText:
    """part(source, target, lanes, depths, runs, thread): the thread's panels."""
    f = FunctionText(f"{nest.name}.pack_b.part", [("source", POINTER), ("target", POINTER), *TABLES, ("thread", "i64")])
    width, element, threads = panel.width, panel.element, nest.plan.threads
    panels, depth = ceildiv(lane.size, width), count(nest.problem.k)

    def walk(dims: list[Dim], steps: list[int], source: str, target: str) -> None:
        if dims:
            with f.loop(0, dims[0].size) as i:
                inner = f.offset(source, f.mul(i, dims[0].b), element), f.offset(target, f.mul(i, steps[0]), element)
                walk(dims[1:], steps[1:], *inner)
            return
        with f.loop(*f.thread_range(panels, threads)) as number:
            first, to = f.mul(number, width), f.offset(target, f.mul(number, width * panel.block), element)
            lanes = f.offset("%lanes", first, OFFSET)
            f.call(pack, source, to, depth, f.sub(lane.size, first), lanes, "%depths", "%runs")

    walk(outer, packed, "%source", "%target")
    return f


def _with_strides(p: Problem, lane: Dim, outer: list[Dim], packed: list[int], panel: Panel) -> Problem:
    """Along the lanes only whole panels are stepped over."""
    new = {id(d): s for d, s in zip(outer, packed)}
    new[id(lane)] = panel.block
    inner = [n * panel.width for n in row_major([d.size for d in p.k])]
    new.update({id(d): s for d, s in zip(p.k, inner)})
    change = lambda dims: tuple(replace(d, b=new.get(id(d), d.b)) for d in dims)
    return replace(p, batch=change(p.batch), m=change(p.m), n=change(p.n), k=change(p.k))
