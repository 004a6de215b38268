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
    step = min(lanes, width)
    masks = None
    if not full or width % step:
        last = f.min("%columns", width)
        masks = [f.mask(step, f.sub(last, at)) for at in range(0, width, step)]

    def walk(outer, source, target) -> str:
        if not outer:
            _row(f, element, width, step, across, source, target, masks)
            return f.offset(target, width, element)
        (size, stride), *rest = outer

        def body(_, values):
            after = walk(rest, values[0], values[1])
            return [f.offset(values[0], stride, element), after]

        return f.fold(0, size, 1, [(source, POINTER), (target, POINTER)], body)[1]

    walk(list(depths), "%source", "%target")


def _row(f, element, width, step, across, source, target, masks) -> None:
    """`width` elements at stride `across`; vectors when they are contiguous, masked ones at the edge."""
    size = byte_size(element)
    for at in range(0, width, step):
        mask = masks[at // step] if masks else None
        place = f.offset(target, at, element)
        value = _gather(f, element, step, across, f.offset(source, at * across, element), mask)
        if width - at < step:  # the panel's own end: the next row begins there
            f.masked_store(value, place, f.mask(step, width - at), step, element, size)
        else:
            f.store(value, place, f"vector<{step}x{element}>", size)


def _gather(f, element, step, across, source, mask) -> str:
    size = byte_size(element)
    vector = f"vector<{step}x{element}>"
    if across == 1:
        return f.masked_load(source, mask, step, element, size) if mask else f.load(source, vector, size)
    value = f.zero(vector)
    for lane in range(step):
        place = f.offset(source, lane * across, element)
        if mask is None:
            value = f.op(f"vector.insert {f.load(place, element, size)}, {value} [{lane}] : {element} into {vector}")
            continue
        valid = f.op(f"vector.extract {mask}[{lane}] : i1 from vector<{step}xi1>")
        scalar = f.choose(valid, lambda p=place: [f.load(p, element, size)], lambda: [f.zero(element)], element)[0]
        value = f.op(f"vector.insert {scalar}, {value} [{lane}] : {element} into {vector}")
    return value
