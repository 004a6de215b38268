"""Packing: an operand copied once into panels that the micro-kernel walks contiguously.

B:  [batch][outer lanes][panel of `width` lanes][contracted][width]     A:  [batch][outer rows][panel of rows][contracted][rows]
Both are the same function: panels of `width` elements along one dimension. The last panel is padded with zeros."""

from __future__ import annotations

from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText
from hlo.lowering.vector.contraction.micro_kernel import byte_size


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
