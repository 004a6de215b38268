"""The code of one element (or of a few neighbours) of a linalg op's iteration space."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from math import gcd

from mlir import ir
from mlir.dialects import affine, arith, memref, vector

from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.control_flow import carried, index_constant, plus
from hlo.lowering.gpu.nest import Nest, mentions
from hlo.lowering.gpu.views import has_identity_layout as has_identity_layout
from hlo.lowering.gpu.views import view_of
from hlo.lowering.memory.loops_emitter import cloned, remap
from hlo.lowering.memory.storage import element_bytes

Values = dict[ir.Value, ir.Value]


def delinearized(position: ir.Value, sizes: Sequence[int]) -> list[ir.Value]:
    """The place in a row-major space of these sizes. The outermost index needs no remainder."""
    found: list[ir.Value] = []
    for number, size in reversed(list(enumerate(sizes))):
        extent = index_constant(size)
        found.insert(0, arith.remui(position, extent) if number else position)
        position = arith.divui(position, extent) if number else position
    return found


class Element:
    """Loads, computes and stores at `place`, one index a dimension; `operands`: the op's operands in the gpu.func."""

    def __init__(self, op: ir.Operation, nest: Nest, operands: Sequence[ir.Value], values: Values):
        self.op, self.nest, self.values = op, nest, values
        self.operands = list(operands)
        self.place: list[ir.Value] = [index_constant(0)] * len(nest.sizes)
        self.prefixes: dict[int, list[ir.Value]] = {}
        """Indices in front of those that maps give, by operand."""

    @property
    def outputs(self) -> range:
        return range(self.nest.inputs, len(self.operands))

    def go_to(self, dimensions: Sequence[int], number: ir.Value, width: int = 1) -> None:
        """The so many-th place along some dimensions, which count as one; the last of them in steps of `width`."""
        sizes = [self.nest.sizes[d] for d in dimensions]
        if width > 1:
            sizes[-1] //= width
        for d, index in zip(dimensions, delinearized(number, sizes)):
            self.place[d] = index
        if width > 1:
            self.place[dimensions[-1]] = arith.muli(self.place[dimensions[-1]], index_constant(width))

    def loops(self, dimensions: Sequence[int], state: list[ir.Value]) -> list[ir.Value]:
        """Nested loops over reduction dimensions, the outputs' elements carried in registers."""
        if not dimensions:
            return self.body(state)
        first, *rest = dimensions

        def body(index: ir.Value, values: list[ir.Value]) -> list[ir.Value]:
            self.place[first] = index
            return self.loops(rest, values)

        return carried(0, self.nest.sizes[first], 1, state, body)

    def indices(self, number: int) -> list[ir.Value]:
        return [*self.prefixes.get(number, ()), *(self._index(result) for result in self.nest.maps[number].results)]

    def _index(self, expression: ir.AffineExpr) -> ir.Value:
        if isinstance(expression, ir.AffineDimExpr):
            return self.place[expression.position]
        if isinstance(expression, ir.AffineConstantExpr):
            return index_constant(expression.value)
        one = ir.AffineMap.get(len(self.place), 0, [expression])
        return affine.AffineApplyOp(ir.AffineMapAttr.get(one), self.place).result

    def load(self, number: int) -> ir.Value:
        operand = self.operands[number]
        return memref.load(operand, self.indices(number)) if isinstance(operand.type, ir.MemRefType) else operand

    def store(self, number: int, value: ir.Value) -> None:
        memref.store(value, self.operands[number], self.indices(number))

    def is_read(self, number: int) -> bool:
        """Whether the body uses an operand's element."""
        return self.op.name == "memref.copy" or any(self.op.regions[0].blocks[0].arguments[number].uses)

    def body(self, state: Sequence[ir.Value | None], loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        """A copy of the op's region for this place; what it yields. `loaded`: inputs at hand already."""
        inputs = [
            (loaded[n] if loaded else None) or (self.load(n) if self.is_read(n) else None)
            for n in range(self.nest.inputs)
        ]
        if self.op.name == "memref.copy":
            assert inputs[0] is not None
            return [inputs[0]]
        block = self.op.regions[0].blocks[0]
        inner = dict(self.values)
        inner.update({a: v for a, v in zip(block.arguments, [*inputs, *state]) if v is not None})
        *operations, end = block.operations
        for op in operations:
            self.copy(op.operation, inner)
        return [inner.get(v, v) for v in end.operands]

    def copy(self, op: ir.Operation, known: Values) -> None:
        """An op of the region for this place; its results become known."""
        if op.name == "linalg.index":
            known[op.results[0]] = self.place[ir.IntegerAttr(op.attributes["dim"]).value]
        else:
            known.update(zip(op.results, self._copied(op, known).results))

    def computed(self, wanted: Sequence[ir.Value], loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        """Values of the op's region for this place, with what they are computed from and nothing else."""
        block = self.op.regions[0].blocks[0]
        known = dict(self.values)
        arguments = list(block.arguments)
        reached = set(reached_arguments(block, wanted))
        for number, argument in enumerate(arguments[: self.nest.inputs]):
            if argument in reached:
                known[argument] = (loaded[number] if loaded else None) or self.load(number)
        return copied_slice(block, wanted, known, self)

    def emit_one(self) -> None:
        """Computes and stores this element, its reduction dimensions in loops."""
        state = [self.load(n) if self.is_read(n) or self.nest.reduction else None for n in self.outputs]
        finals = self.loops(self.nest.reduction, state) if self.nest.reduction else self.body(state)  # type: ignore[arg-type]
        for number, value in zip(self.outputs, finals):
            self.store(number, value)

    def _copied(self, op: ir.Operation, values: Values) -> ir.Operation:
        copy = op.clone()
        remap(copy, values)
        for inner in _indices_in(copy):
            inner.results[0].replace_all_uses_with(self.place[ir.IntegerAttr(inner.attributes["dim"]).value])
            inner.erase()
        return copy


def _slice(block: ir.Block, wanted: Sequence[ir.Value], stops: Container[ir.Value]) -> list[ir.Operation]:
    """Ops of a block that these values are computed from, in order, up to values that are at hand."""
    needed = {v for v in wanted if v not in stops}
    found: list[ir.Operation] = []
    for op in reversed([op.operation for op in block.operations]):
        if any(v in needed for v in op.results):
            found.insert(0, op)
            needed.update(v for v in operands_within(op) if v not in stops)
    return found


def reached_arguments(block: ir.Block, wanted: Sequence[ir.Value]) -> list[ir.Value]:
    """Arguments of a block that these values are computed from."""
    used = {*wanted, *(v for op in _slice(block, wanted, ()) for v in operands_within(op))}
    return [v for v in block.arguments if v in used]


def copied_slice(
    block: ir.Block, wanted: Sequence[ir.Value], known: Values, element: Element | None = None
) -> list[ir.Value]:
    """Copies of ops of a linalg op's block at the insertion point; what they make of values that are known. `element`: whose
    place they may ask for."""
    for op in _slice(block, wanted, set(known)):
        if element is not None:
            element.copy(op, known)
        else:
            cloned(op, known)
    return [known.get(v, v) for v in wanted]


def operands_within(op: ir.Operation) -> list[ir.Value]:
    """Operands, also of nested ops."""
    return [v for inner in ops_within(op) for v in inner.operands]


def emit_neighbours(element: Element, width: int) -> None:
    """Computes and stores `width` elements along the innermost dimension, from the element's place on: operands contiguous along it
    are read and written as vectors."""
    if width == 1:
        element.emit_one()
        return
    inner = len(element.nest.sizes) - 1
    lanes = vectors_at(element, width, inner)
    for number, column in zip(element.outputs, computed_lanes(element, inner, width, lanes)):
        store_lanes(element, number, column)


def computed_lanes(
    element: Element, inner: int, width: int, inputs: Callable[[int], Sequence[ir.Value | None]]
) -> list[tuple[ir.Value, ...]]:
    """What the body gives at the element's place and those next to it along a dimension, by output. `inputs`: those at hand, by lane."""
    first, rows = element.place[inner], []
    for lane in range(width):
        element.place[inner] = plus(first, lane)
        state = [element.load(n) if element.is_read(n) else None for n in element.outputs]
        rows.append(element.body(state, inputs(lane)))
    element.place[inner] = first
    return list(zip(*rows))


def store_lanes(element: Element, number: int, lanes: Sequence[ir.Value]) -> None:
    """Stores neighbours, the first of them at the element's place."""
    if len(lanes) == 1:
        element.store(number, lanes[0])
        return
    store_several(element.operands[number], element.indices(number), lanes)


def vectors_at(
    element: Element, width: int, inner: int, given: Sequence[object] = ()
) -> Callable[[int], list[ir.Value | None]]:
    """Loads the inputs that are contiguous along a dimension, at the element's place; gives their elements by lane, None
    for inputs that are to be loaded one by one. `given`: by input, something if it is at hand already."""

    def load(number: int) -> ir.Value | None:
        operand = element.operands[number]
        if (
            (given and given[number])
            or not element.is_read(number)
            or not lies_along(operand, element.nest.maps[number], inner)
            or row_multiple(operand) % width
        ):
            return None
        kind = ir.VectorType.get([width], ir.MemRefType(operand.type).element_type)
        return aligned(vector.LoadOp(kind, operand, element.indices(number)), kind).results[0]

    vectors = [load(n) for n in range(element.nest.inputs)]
    return lambda lane: [None if v is None else vector.extract(v, [], [lane]) for v in vectors]


def load_several(memory: ir.Value, place: Sequence[ir.Value], count: int) -> list[ir.Value]:
    """Neighbours in memory from a place on, which is a multiple of their number: one access."""
    kind = ir.VectorType.get([count], ir.MemRefType(memory.type).element_type)
    loaded = aligned(vector.LoadOp(kind, memory, place), kind).results[0]
    return [vector.extract(loaded, [], [lane]) for lane in range(count)]


def store_several(memory: ir.Value, place: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """The same for stores."""
    kind = ir.VectorType.get([len(values)], values[0].type)
    aligned(vector.StoreOp(vector.from_elements(kind, list(values)), memory, place), kind)


def aligned(access: ir.OpView, kind: ir.VectorType) -> ir.Operation:
    """Says that the address is a multiple of the vector's size, without which LLVM splits the access."""
    size = kind.shape[0] * element_bytes(kind.element_type)
    access.operation.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    return access.operation


ACCESS_BYTES = 16
"""The widest load or store of a thread."""


def neighbours_width(element: Element, dimensions: Sequence[int]) -> int:
    """How many neighbours along the innermost of these dimensions a thread takes: as many as 16 bytes hold of the widest
    contiguous operand, if outputs are contiguous and that divides the dimension."""
    nest = element.nest
    if not dimensions or dimensions[-1] != len(nest.sizes) - 1:
        return 1
    inner = dimensions[-1]
    contiguous = [lies_along(v, one, inner) for v, one in zip(element.operands, nest.maps)]
    if not all(contiguous[n] for n in element.outputs):
        return 1
    return _divisor(nest.sizes[inner], element, contiguous)


def width_along(element: Element, inner: int) -> int:
    """The same for the inputs along any dimension; outputs may lie in another way."""
    nest = element.nest
    contiguous = [
        n < nest.inputs and lies_along(element.operands[n], nest.maps[n], inner) for n in range(len(nest.maps))
    ]
    return _divisor(nest.sizes[inner], element, contiguous) if any(contiguous) else 1


def _divisor(size: int, element: Element, contiguous: Sequence[bool]) -> int:
    read = [v for v, flat in zip(element.operands, contiguous) if flat]
    return fitting_width(max(map(_element_bytes, read)), size or 1, *map(row_multiple, read))


def fitting_width(widest: int, *multiples: int) -> int:
    """How many elements one access has, the widest of so many bytes: what divides all of `multiples`."""
    width = ACCESS_BYTES // widest
    while width > 1 and any(n % width for n in multiples):
        width //= 2
    return max(width, 1)


def row_multiple(value: ir.Value) -> int:
    """What the places of a view's rows in memory are multiples of, in elements; 0 for an array of its own, whose rows are as
    long as they are."""
    if has_identity_layout(value.type):
        return 0
    view = view_of(value)
    if view is not None:
        return view.row_multiple
    kind = ir.MemRefType(value.type)
    strides, offset = kind.get_strides_and_offset()
    return gcd(offset, *(stride for stride, size in zip(strides[:-1], kind.shape) if size > 1))


def _element_bytes(value: ir.Value) -> int:
    return element_bytes(ir.MemRefType(value.type).element_type)


def is_contiguous(operand: ir.Value, one: ir.AffineMap, inner: int) -> bool:
    """Whether neighbours along a dimension are neighbours in memory, of a type that vectors can have, in an array of its own:
    rows begin at multiples of their length."""
    return (
        isinstance(operand.type, ir.MemRefType)
        and has_identity_layout(operand.type)
        and lies_along(operand, one, inner)
    )


def lies_along(operand: ir.Value, one: ir.AffineMap, inner: int) -> bool:
    """The same for views of arrays too, whose rows may begin anywhere (`row_multiple`)."""
    if not isinstance(operand.type, ir.MemRefType) or not (has_rows(operand.type) or _starts_late(operand)):
        return False
    element = ir.MemRefType(operand.type).element_type
    if isinstance(element, ir.ComplexType):
        return False
    *outer, last = list(one.results) or [None]
    is_last = isinstance(last, ir.AffineDimExpr) and last.position == inner
    return is_last and not any(mentions(e, inner) for e in outer)


def has_rows(kind: ir.Type) -> bool:
    """Whether neighbours along the last dimension of a memref are neighbours in memory, at a place that is known."""
    if has_identity_layout(kind):
        return True
    try:
        strides, offset = ir.MemRefType(kind).get_strides_and_offset()
    except RuntimeError:
        return False  # a layout that has no strides
    return bool(strides) and strides[-1] == 1 and ir.ShapedType.get_dynamic_stride_or_offset() not in (offset, *strides)


def _starts_late(value: ir.Value) -> bool:
    """Whether a view's rows lie in memory as rows, at a place that is known when the program runs."""
    view = view_of(value)
    return view is not None and len(view.starts) > 0 and view.strides[-1:] == (1,)


def _indices_in(op: ir.Operation) -> list[ir.Operation]:
    """linalg.index inside nested regions."""
    return ops_within(op, lambda inner: inner.name == "linalg.index")
