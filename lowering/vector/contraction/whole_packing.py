"""Packing B as a whole, before all tiles: for several contracted dimensions, and where many rows' loops would pack again.

    [batch][outer lanes][panel of `width` lanes][contracted][width]

The last panel is padded with zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hlo.lowering.memory.storage import row_major
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText, byte_size
from hlo.lowering.vector.contraction.nest import run_parts
from hlo.lowering.vector.contraction.problem import Dim, Problem, count


def pack_whole_b(nest: Any, f: FunctionText, lane: Dim, outer_dims: Sequence[Dim]) -> tuple[str, Problem]:
    """Packs B into the scratch memory of a nest; the pointer to it, and the problem with the packed strides."""
    p, plan = nest.problem, nest.plan
    width, outer = plan.width, [d for d in outer_dims if d.b]
    panels, depth = -(-lane.size // width), count(p.contracted)
    packed = [n * panels * width * depth for n in row_major([d.size for d in outer])]
    depths = tuple((d.size, d.b) for d in p.contracted)
    pack = pack_panel(f"{nest.name}.pack_b", p.b_type, width, plan.vector, lane.b, depths)
    part = _part(nest, lane, outer, packed, pack)
    nest.code.functions += [pack, part]
    target = f.offset("%scratch", nest.code.scratch, "i8")
    total = count(tuple(outer)) * panels * width * depth * byte_size(p.b_type)
    nest.code.scratch += -(-total // 64) * 64 + 64
    run_parts(f, part, plan.threads, ["%b", target])
    return target, _with_strides(p, lane, outer, packed, width)


def _part(nest: Any, lane: Dim, outer: list[Dim], packed: list[int], pack: FunctionText) -> FunctionText:
    """part(source, target, thread): the thread's panels."""
    arguments = [("source", POINTER), ("target", POINTER), ("thread", "i64")]
    f = FunctionText(f"{nest.name}.pack_b.part", arguments)
    width, element, threads = nest.plan.width, nest.problem.b_type, nest.plan.threads
    panels, depth = -(-lane.size // width), count(nest.problem.contracted)
    chunk = -(-panels // threads)

    def walk(dims: list[Dim], steps: list[int], source: str, target: str) -> None:
        if dims:
            with f.loop(0, dims[0].size) as i:
                inner = f.offset(source, f.mul(i, dims[0].b), element), f.offset(target, f.mul(i, steps[0]), element)
                walk(dims[1:], steps[1:], *inner)
            return
        start = f.min(f.mul("%thread", chunk), panels) if threads > 1 else 0
        end = f.min(f.add(start, chunk), panels) if threads > 1 else panels
        with f.loop(start, end) as panel:
            from_here = f.offset(source, f.mul(panel, width * lane.b), element)
            to = f.offset(target, f.mul(panel, width * depth), element)
            f.call(pack, from_here, to, f.sub(lane.size, f.mul(panel, width)))

    walk(outer, packed, "%source", "%target")
    return f


def _with_strides(p: Problem, lane: Dim, outer: list[Dim], packed: list[int], width: int) -> Problem:
    """Along the lanes only whole panels are stepped over."""
    new = {id(d): s for d, s in zip(outer, packed)}
    new[id(lane)] = count(p.contracted)
    inner = [n * width for n in row_major([d.size for d in p.contracted])]
    new.update({id(d): s for d, s in zip(p.contracted, inner)})
    change = lambda dims: tuple(replace(d, b=new.get(id(d), d.b)) for d in dims)
    return replace(
        p, batch=change(p.batch), rows=change(p.rows), lanes=change(p.lanes), contracted=change(p.contracted)
    )


def pack_panel(
    name: str, element: str, width: int, lanes: int, across: int, depths: tuple[tuple[int, int], ...]
) -> FunctionText:
    """One panel: (source, target, columns). `across` is the source's stride along the panel, `depths` the (size, stride)
    of the contracted dimensions, outermost first. `columns` < width are valid, the rest is zero."""
    f = FunctionText(
        name, [("source", POINTER), ("target", POINTER), ("columns", "i64")], 'attributes {passthrough = ["noinline"]}'
    )
    full = f.compare("sge", "%columns", width)
    f.do(f"scf.if {full} {{")
    _copy(f, element, width, lanes, across, depths, full=True)
    f.do("} else {")
    _copy(f, element, width, lanes, across, depths, full=False)
    f.do("}")
    return f


def _copy(f, element, width, lanes, across, depths, full) -> None:
    """All rows of a panel. At the edge, places past the last column are read there again and masked to zero."""
    step = min(lanes, width)
    masks = None
    places: list[str | int] = [lane * across for lane in range(width)]
    if not full:
        masks = [f.mask(step, f.sub("%columns", at)) for at in range(0, width, step)]
        last = f.sub("%columns", 1)
        places = [f.mul(f.min(lane, last), across) for lane in range(width)] if across != 1 else places

    def walk(outer, source, target) -> str:
        if not outer:
            _row(f, element, width, step, across, places, source, target, masks)
            return f.offset(target, width, element)
        (size, stride), *rest = outer

        def body(_, values):
            after = walk(rest, values[0], values[1])
            return [f.offset(values[0], stride, element), after]

        return f.fold(0, size, 1, [(source, POINTER), (target, POINTER)], body)[1]

    walk(list(depths), "%source", "%target")


def _row(f, element, width, step, across, places, source, target, masks) -> None:
    """`width` elements at stride `across`, vector by vector."""
    size = byte_size(element)
    for at in range(0, width, step):
        mask = masks[at // step] if masks else None
        place = f.offset(target, at, element)
        rest = width - at
        if across == 1:
            value = _load(f, element, step, f.offset(source, at, element), mask, rest)
        else:
            value = _gather(f, element, step, source, places[at : at + step], mask)
        if rest < step:  # the panel's own end: the next row begins there
            f.masked_store(value, place, f.mask(step, rest), step, element, size)
        else:
            f.store(value, place, f"vector<{step}x{element}>", size)


def _load(f, element, step, source, mask, rest) -> str:
    """Contiguous elements; no more than the panel's own."""
    size = byte_size(element)
    if mask is None and rest < step:
        mask = f.mask(step, rest)
    if mask is None:
        return f.load(source, f"vector<{step}x{element}>", size)
    return f.masked_load(source, mask, step, element, size)


def _gather(f, element, step, source, places, mask) -> str:
    """Elements at given places, one by one."""
    vector = f"vector<{step}x{element}>"
    zero = value = f.zero(vector)
    for lane, place in enumerate(places):
        scalar = f.load(f.offset(source, place, element), element, byte_size(element))
        value = f.op(f"vector.insert {scalar}, {value} [{lane}] : {element} into {vector}")
    return value if mask is None else f.op(f"arith.select {mask}, {value}, {zero} : vector<{step}xi1>, {vector}")
