"""Operands of wgmma: boxes that TMA brings to shared memory, swizzled, and left inputs in registers.

A box has lines of 128 bytes: 64 elements along the depth, for all rows (columns) of the tile; or, where neighbours in memory are
rows (columns), 64 of those, for the whole depth. The other direction takes a box for each 64 elements. Matrix descriptors: PTX
ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm, vector

from hlo.lowering.gpu.contraction.problem import Problem, groups_of, innermost
from hlo.lowering.gpu.contraction.warpgroup_sides import LINE
from hlo.lowering.gpu.hopper_ops import UNIT, i64, matrix_descriptor
from hlo.lowering.gpu.tensor_maps import ALIGNMENT, MOST_DIMENSIONS, STARTS, TensorMap, with_view
from hlo.lowering.gpu.views import view_of
from hlo.lowering.memory.storage import element_bytes

ELEMENTS = 64
"""Of two bytes in a line."""

DEPTH = 16
"""Elements along the depth of one instruction."""

MOST_ROWS = 256
"""Of a box."""

Part = str | int
"""Of a contraction: "outer" (rows or columns), "depth", or the number of a batch dimension. STARTS: where the input starts in an
array that it is a part of."""


@dataclass(frozen=True)
class Boxes:
    """The input `number` of a contraction: `count` boxes. `is_along_depth`: what their lines are along. `order`: for each dimension
    of the map, innermost first, which part of the contraction it is."""

    number: int
    is_along_depth: bool
    count: int
    box: TensorMap
    order: tuple[Part, ...]

    @staticmethod
    def of(problem: Problem, number: int, outer: int, depth: int) -> Boxes | None:
        """`outer` rows (columns) and a depth of multiples of 8 and 16; None for an input that TMA cannot bring so."""
        is_along_depth = innermost(problem.nest.maps[number]) == problem.depth[-1]
        size = (outer, ELEMENTS) if is_along_depth else (ELEMENTS, depth)
        parts = _parts(problem, number)
        if parts is None or max(size) > MOST_ROWS:
            return None
        box = _tensor_map(problem, number, parts, dict(zip(("outer", "depth"), size)))
        count = -(-(depth if is_along_depth else outer) // ELEMENTS)
        if box is None:
            return None
        return Boxes(number, is_along_depth, count, box, (*parts, *[STARTS] * (len(box.box) - len(parts))))

    @property
    def bytes(self) -> int:
        return self.count * self.box.bytes

    def advance(self, part: int) -> int:
        """How far the depth of the instruction `part` is from the first one's, in bytes."""
        if not self.is_along_depth:
            return part * DEPTH * LINE
        box, inside = divmod(part * DEPTH, ELEMENTS)
        return box * self.box.bytes + inside * self.box.size

    @property
    def rows(self) -> int:
        """How far 64 rows are from the ones before, in bytes."""
        return ELEMENTS * LINE if self.is_along_depth else self.box.bytes

    def descriptor(self, memory: ir.Value, offset: ir.Value) -> ir.Value:
        """Of the matrix that begins at `offset` bytes of shared memory."""
        return matrix_descriptor(memory, offset, 1 if self.is_along_depth else self.box.bytes // UNIT)

    def part(self, descriptor: ir.Value, number: int) -> ir.Value:
        """The descriptor for an instruction."""
        return arith.addi(descriptor, i64(self.advance(number) // UNIT))


def _parts(problem: Problem, number: int) -> dict[Part, tuple[int, ...]] | None:
    """The dimensions of an input in memory, innermost first: those that count as one together. None if these are apart, or an
    index is no plain dimension."""
    one, view = problem.nest.maps[number], view_of(problem.op.operands[number])
    if view is None:
        return None
    rest = [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in one.results]
    outer = problem.rows if number == problem.left else problem.columns
    found, last = groups_of(rest, {"depth": problem.depth, "outer": outer}), len(rest) - 1
    for _, group in found or ():
        if not view.are_together(last + 1 - len(group), last):
            return None
        last -= len(group)
    return dict(found) if found is not None else None


def _tensor_map(
    problem: Problem, number: int, parts: Mapping[Part, tuple[int, ...]], boxes: Mapping[Part, int]
) -> TensorMap | None:
    """None for what TMA does not bring: batch innermost, many dimensions, strides that are not aligned."""
    kind, view = problem.element_type(number), view_of(problem.op.operands[number])
    assert view is not None, "it has parts"
    places = [e.position for e in problem.nest.maps[number].results]
    sizes = [problem.nest.extent(group) for group in parts.values()]
    strides = tuple(view.strides[places.index(group[-1])] * element_bytes(kind) for group in parts.values())
    is_aligned = not any(stride % ALIGNMENT for stride in strides[1:])
    is_able = not view.is_part or view.is_aligned(element_bytes(kind))
    if not is_aligned or not is_able or len(sizes) > MOST_DIMENSIONS or next(iter(parts)) not in boxes:
        return None
    whole = TensorMap(str(kind), tuple(sizes), strides[1:], tuple(boxes.get(part, 1) for part in parts))
    return with_view(whole, view)


# wgmma with its left input in registers, which the NVVM dialect of this wheel does not have: PTX in the text of the module.
#
# A thread has four registers of two elements of the left input for each 16 elements of the depth: PTX ISA, "Register Fragments and
# Shared Memory Matrix Layouts", matrix A of m64k16. They are the fragments of sums, converted.


REGISTERS = {"f32": "f", "i32": "r", "i64": "l"}
"""By type, as constraints have them."""

FRAGMENT = 4
"""Registers of the left input of an instruction."""


def multiply(
    kind: str, lefts: Sequence[ir.Value], descriptors: Sequence[ir.Value], sums: Sequence[ir.Value], is_turned: bool
) -> ir.Value:
    """Starts sums + left x right, with an instruction for each descriptor of a right input; the sums are safe after a wait.
    `kind`: bf16 or f16; `lefts`: i32 registers; `is_turned`: the right input does not lie along the depth."""
    count = len(sums)
    columns, first = 2 * count, 2 * count  # results and the sums that are tied to them come first
    results = ", ".join(f"${n}" for n in range(count))
    lines = []
    for number in range(len(descriptors)):
        registers = ", ".join(f"${first + FRAGMENT * number + n}" for n in range(FRAGMENT))
        right = f"${first + len(lefts) + number}"
        lines.append(
            f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{kind}.{kind} "
            f"{{{results}}}, {{{registers}}}, {right}, p, 1, 1, {int(is_turned)};"
        )
    text = "\n".join(["{", ".reg .pred p;", "setp.ne.b32 p, 1, 0;", *lines, "}"])
    inputs = ["r"] * len(lefts) + ["l"] * len(descriptors)
    return _assembly(text, sums, [*lefts, *descriptors], inputs)


def in_place(values: Sequence[ir.Value]) -> list[ir.Value]:
    """The same values; what uses them comes behind this place, what makes them before it."""
    return fields(_assembly("", values, [], []))


def _assembly(text: str, changed: Sequence[ir.Value], inputs: Sequence[ir.Value], kinds: Sequence[str]) -> ir.Value:
    """A structure of the values `changed`: f32, i32 or i64."""
    letters = [REGISTERS[str(v.type)] for v in changed]
    constraints = ",".join([*(f"={letter}" for letter in letters), *map(str, range(len(changed))), *kinds])
    result = ir.Type.parse(f"!llvm.struct<({', '.join(str(v.type) for v in changed)})>")
    return _inline(text, [result], [*changed, *inputs], constraints).results[0]


def _inline(text: str, results: Sequence[ir.Type], operands: Sequence[ir.Value], constraints: str) -> ir.Operation:
    attributes = {"asm_string": ir.StringAttr.get(text), "constraints": ir.StringAttr.get(constraints)}
    return ir.Operation.create(
        "llvm.inline_asm",
        results=list(results),
        operands=list(operands),
        attributes={**attributes, "has_side_effects": ir.UnitAttr.get()},
    )


def fields(structure: ir.Value) -> list[ir.Value]:
    kinds = str(structure.type).partition("(")[2].partition(")")[0].split(", ")
    at = ir.DenseI64ArrayAttr.get
    return [llvm.extractvalue(ir.Type.parse(kind), structure, at([n])) for n, kind in enumerate(kinds)]


def undefined(kind: str, count: int) -> ir.Value:
    return llvm.mlir_undef(ir.Type.parse(f"!llvm.struct<({', '.join([kind] * count)})>"))


def left_registers(sums: Sequence[ir.Value], kind: ir.Type) -> list[ir.Value]:
    """Fragments of sums as those of left inputs: two neighbours of a row become one register, for 16 columns four."""
    found = []
    one, pair = ir.VectorType.get([1], ir.IntegerType.get_signless(32)), ir.VectorType.get([2], kind)
    for number in range(0, len(sums), 2):
        both = vector.from_elements(ir.VectorType.get([2], sums[number].type), list(sums[number : number + 2]))
        found.append(vector.extract(vector.bitcast(one, arith.truncf(pair, both)), [], [0]))
    return found


BEFORE = """{
.reg .pred p;
.reg .b32 a;
mov.b32 a, 0;
setp.lt.f32 p, $0, 0f00000000;
@p st.volatile.shared.f32 [a], $0;
}"""
"""A store that never happens, and that the assembler lets nothing pass by which waits for products."""


def all_before(values: Sequence[ir.Value]) -> None:
    """What makes these f32, none of which is negative, comes before the next wait. Without it the assembler puts the wait first
    and all that nothing else depends on behind it, so that nothing is done while products are computed."""
    one, *others = values
    for other in others:
        one = arith.minimumf(one, other)
    _inline(BEFORE, [], [one], "f")
