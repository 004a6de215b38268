"""The code of one element (or of a few neighbours) of a linalg op's iteration space."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from mlir import ir
from mlir.dialects import affine, arith, memref, vector

from hlo.lowering.copying import cloned, remap
from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.accesses import Nest
from hlo.lowering.gpu.accesses import has_identity_layout as has_identity_layout
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.linalg.loops import add, for_loop, index
from hlo.lowering.linalg.structured import index_loops
from hlo.lowering.memory.storage import element_bytes

Values = dict[ir.Value, ir.Value]


def delinearized(position: ir.Value, sizes: Sequence[int]) -> list[ir.Value]:
    """The coordinates in a row-major space of these sizes. The outermost index needs no remainder."""
    found: list[ir.Value] = []
    for number, size in reversed(list(enumerate(sizes))):
        extent = index(size)
        found.insert(0, arith.remui(position, extent) if number else position)
        position = arith.divui(position, extent) if number else position
    return found


def index_at(expression: ir.AffineExpr, coordinates: Sequence[ir.Value]) -> ir.Value:
    """The index that an expression of the dimensions is at some coordinates."""
    if isinstance(expression, ir.AffineDimExpr):
        return coordinates[expression.position]
    if isinstance(expression, ir.AffineConstantExpr):
        return index(expression.value)
    one = ir.AffineMap.get(len(coordinates), 0, [expression])
    return affine.AffineApplyOp(ir.AffineMapAttr.get(one), list(coordinates)).result


class Element:
    """Loads, computes and stores at `coordinates`, one index a dimension; `operands`: the op's operands in the gpu.func."""

    def __init__(self, op: ir.Operation, nest: Nest, operands: Sequence[ir.Value], values: Values):
        self.op, self.nest, self.values = op, nest, values
        self.operands = list(operands)
        self.coordinates: list[ir.Value] = [index(0)] * len(nest.sizes)
        self.prefixes: dict[int, list[ir.Value]] = {}
        """Indices in front of those that maps give, by operand."""
        self._positions: dict[int, Affine | None] = {}

    @property
    def outputs(self) -> range:
        return range(self.nest.inputs, len(self.operands))

    def position(self, number: int) -> Affine | None:
        """Where in memory an operand's element is, as the dimensions say; None where that is not known."""
        if number not in self._positions:
            before = [Affine.of(Dim(0, one)) for one in self.prefixes.get(number, ())]
            self._positions[number] = self.nest.position(number, self.operands[number], before)
        return self._positions[number]

    def along(self, number: int) -> int | None:
        """The dimension along which neighbours are neighbours in an operand's memory."""
        position, loops = self.position(number), self.nest.loops
        found = position.contiguous_loop(loops) if position is not None else None
        return None if found is None else loops.index(found)

    def moves(self, number: int, dimension: int) -> bool:
        """Whether an operand is at other positions along a dimension."""
        position = self.position(number)
        return position is None or position.coefficient(self.nest.loops[dimension]) != 0

    def is_vector(self, number: int, inner: int) -> bool:
        """Whether neighbours along a dimension are neighbours in memory, along its last dimension, of a type that vectors can have."""
        if self.along(number) != inner or isinstance(self.operands[number].type.element_type, ir.ComplexType):
            return False
        return inner in index_loops(list(self.nest.maps[number].results)[-1])

    def multiple(self, number: int, inner: int) -> int:
        """What the positions of rows along a dimension are multiples of; 0 if there is one row, at 0."""
        position = self.position(number)
        assert position is not None, "neighbours are known to be neighbours in memory"
        return position.multiple(self.nest.loops[inner])

    def go_to(self, dimensions: Sequence[int], number: ir.Value, width: int = 1) -> None:
        """The so many-th coordinates along some dimensions, which count as one; the last of them in steps of `width`."""
        sizes = [self.nest.sizes[d] for d in dimensions]
        if width > 1:
            sizes[-1] //= width
        for d, coordinate in zip(dimensions, delinearized(number, sizes)):
            self.coordinates[d] = coordinate
        if width > 1:
            self.coordinates[dimensions[-1]] = arith.muli(self.coordinates[dimensions[-1]], index(width))

    def loops(self, dimensions: Sequence[int], state: list[ir.Value]) -> list[ir.Value]:
        """Nested loops over reduction dimensions, the outputs' elements carried in registers."""
        if not dimensions:
            return self.body(state)
        first, *rest = dimensions

        def body(coordinate: ir.Value, *values: ir.Value) -> list[ir.Value]:
            self.coordinates[first] = coordinate
            return self.loops(rest, list(values))

        return for_loop(0, self.nest.sizes[first], body, state)

    def indices(self, number: int) -> list[ir.Value]:
        own = (index_at(one, self.coordinates) for one in self.nest.maps[number].results)
        return [*self.prefixes.get(number, ()), *own]

    def load(self, number: int) -> ir.Value:
        operand = self.operands[number]
        return memref.load(operand, self.indices(number)) if isinstance(operand.type, ir.MemRefType) else operand

    def store(self, number: int, value: ir.Value) -> None:
        memref.store(value, self.operands[number], self.indices(number))

    def is_read(self, number: int) -> bool:
        """Whether the body uses an operand's element."""
        return self.op.name == "memref.copy" or any(self.op.regions[0].blocks[0].arguments[number].uses)

    def body(self, state: Sequence[ir.Value | None], loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        """A copy of the op's region for these coordinates; what it yields. `loaded`: inputs at hand already."""
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
        """An op of the region for these coordinates; its results become known."""
        if op.name == "linalg.index":
            known[op.results[0]] = self.coordinates[ir.IntegerAttr(op.attributes["dim"]).value]
        else:
            known.update(zip(op.results, self._copied(op, known).results))

    def computed(self, wanted: Sequence[ir.Value], loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        """Values of the op's region for these coordinates, with what they are computed from and nothing else."""
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
            inner.results[0].replace_all_uses_with(self.coordinates[ir.IntegerAttr(inner.attributes["dim"]).value])
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
    coordinates they may ask for."""
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
    """Computes and stores `width` elements along the innermost dimension, from the element's coordinates on: operands contiguous along it
    are read and written as vectors."""
    if width == 1:
        element.emit_one()
        return
    inner = len(element.nest.sizes) - 1
    lanes = vectors_at(element, width, inner)
    for number, column in zip(element.outputs, computed_lanes(element, inner, width, lanes)):
        store_lanes(element, number, column, inner)


def computed_lanes(
    element: Element, inner: int, width: int, inputs: Callable[[int], Sequence[ir.Value | None]]
) -> list[tuple[ir.Value, ...]]:
    """What the body gives at the element's coordinates and those next to it along a dimension, by output. `inputs`: those at hand, by lane."""
    rows = []
    for lane in each_lane(element, inner, width):
        state = [element.load(n) if element.is_read(n) else None for n in element.outputs]
        rows.append(element.body(state, inputs(lane)))
    return list(zip(*rows))


def each_lane(element: Element, inner: int | None, width: int, step: int = 1) -> Iterator[int]:
    """Every `step`-th of `width` neighbours along a dimension, the first of them at the element's coordinates, which go along."""
    first = list(element.coordinates)
    for lane in range(0, width, step):
        if inner is not None:
            element.coordinates[inner] = add(first[inner], lane)
        yield lane
        element.coordinates[:] = first


def store_lanes(element: Element, number: int, lanes: Sequence[ir.Value], inner: int | None) -> None:
    """Stores neighbours along a dimension, the first of them at the element's coordinates, as many at once as can be."""
    width = 1 if inner is None or len(lanes) == 1 else access_width([(element, number, inner)], len(lanes))
    for lane in each_lane(element, inner, len(lanes), width):
        if width == 1:
            element.store(number, lanes[lane])
        else:
            store_several(element.operands[number], element.indices(number), lanes[lane : lane + width])


def vectors_at(
    element: Element, width: int, inner: int, given: Sequence[object] = ()
) -> Callable[[int], list[ir.Value | None]]:
    """Loads the inputs that are contiguous along a dimension, at the element's coordinates; gives their elements by lane, None
    for inputs that are to be loaded one by one. `given`: by input, something if it is at hand already."""

    def load(number: int) -> Sequence[ir.Value] | None:
        if (
            (given and given[number])
            or not element.is_read(number)
            or not element.is_vector(number, inner)
            or element.multiple(number, inner) % width
        ):
            return None
        return load_several(element.operands[number], element.indices(number), width)

    vectors = [load(n) for n in range(element.nest.inputs)]
    return lambda lane: [None if v is None else v[lane] for v in vectors]


def load_several(memory: ir.Value, indices: Sequence[ir.Value], count: int) -> list[ir.Value]:
    """Neighbours in memory from an index on that is a multiple of their number: one access."""
    kind = ir.VectorType.get([count], ir.MemRefType(memory.type).element_type)
    loaded = aligned(vector.LoadOp(kind, memory, indices), kind).results[0]
    return [vector.extract(loaded, [], [lane]) for lane in range(count)]


def store_several(memory: ir.Value, indices: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """The same for stores."""
    kind = ir.VectorType.get([len(values)], values[0].type)
    aligned(vector.StoreOp(vector.from_elements(kind, list(values)), memory, indices), kind)


def aligned(access: ir.OpView, kind: ir.VectorType) -> ir.Operation:
    """Says that the address is a multiple of the vector's size, without which LLVM splits the access."""
    size = kind.shape[0] * element_bytes(kind.element_type)
    access.operation.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    return access.operation


ACCESS_BYTES = 16
"""The widest load or store of a thread."""


Access = tuple[Element, int, int]
"""An element's operand, by number, along a dimension."""


def access_width(accesses: Sequence[Access], *multiples: int, most: int = ACCESS_BYTES) -> int:
    """How many neighbours one access of at most `most` bytes has in all of these operands: what divides `multiples`, and where rows begin. 1 if
    one of them is not contiguous."""
    if not all(element.is_vector(number, along) for element, number, along in accesses):
        return 1
    kinds = [ir.MemRefType(element.operands[number].type).element_type for element, number, _ in accesses]
    rows = [element.multiple(number, along) for element, number, along in accesses]
    return common_width(kinds, [*multiples, *rows], most)


def common_width(kinds: Sequence[ir.Type], multiples: Sequence[int], most: int = ACCESS_BYTES) -> int:
    """How many elements an access of at most `most` bytes has of all these types: what divides `multiples`."""
    width = most // max(map(element_bytes, kinds), default=most)
    while width > 1 and any(n % width for n in multiples):
        width //= 2
    return max(width, 1)


def neighbours_width(element: Element, dimensions: Sequence[int]) -> int:
    """How many neighbours along the innermost of these dimensions a thread takes: as many as 16 bytes hold of the widest
    contiguous operand, if outputs are contiguous and that divides the dimension."""
    if not dimensions or dimensions[-1] != len(element.nest.sizes) - 1:
        return 1
    return width_along(element, dimensions[-1], element.outputs)


def width_along(element: Element, inner: int, outputs: Sequence[int] = ()) -> int:
    """The same for the inputs along any dimension; other outputs than these may lie in another way."""
    inputs = [n for n in range(element.nest.inputs) if element.is_vector(n, inner)]
    return access_width([(element, n, inner) for n in (*inputs, *outputs)], element.nest.sizes[inner] or 1)


def _indices_in(op: ir.Operation) -> list[ir.Operation]:
    """linalg.index inside nested regions."""
    return ops_within(op, lambda inner: inner.name == "linalg.index")
