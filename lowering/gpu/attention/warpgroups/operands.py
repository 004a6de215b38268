"""wgmma with its left input in registers, and what keeps the assembler from moving code across products that are computed."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.gpu.attention.fragments import rounded_pairs
from hlo.lowering.gpu.hopper_ops import fields

DEPTH = 16
"""Elements along the depth of one instruction."""


# wgmma with its left input in registers, which the NVVM dialect of this wheel does not have: PTX in the text of the module.
#
# A thread has four registers of two elements of the left input for each 16 elements of the depth: PTX ISA, "Register Fragments and
# Shared Memory Matrix Layouts", matrix A of m64k16. They are the fragments of sums, converted.


REGISTERS = {"f32": "f", "i32": "r", "i64": "l"}
"""By type, as constraints have them."""

FRAGMENT = 4
"""Registers of the left input of an instruction."""


def multiply(
    kind: str, lefts: Sequence[ir.Value], descriptors: Sequence[ir.Value], sums: Sequence[ir.Value], is_transposed: bool
) -> ir.Value:
    """Starts sums + left x right, with an instruction for each descriptor of a right input; the sums are safe after a wait.
    `kind`: bf16 or f16; `lefts`: i32 registers; `is_transposed`: the right input does not lie along the depth."""
    count = len(sums)
    columns, first = 2 * count, 2 * count  # results and the sums that are tied to them come first
    results = ", ".join(f"${n}" for n in range(count))
    lines = []
    for number in range(len(descriptors)):
        registers = ", ".join(f"${first + FRAGMENT * number + n}" for n in range(FRAGMENT))
        right = f"${first + len(lefts) + number}"
        lines.append(
            f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{kind}.{kind} "
            f"{{{results}}}, {{{registers}}}, {right}, p, 1, 1, {int(is_transposed)};"
        )
    text = "\n".join(["{", ".reg .pred p;", "setp.ne.b32 p, 1, 0;", *lines, "}"])
    inputs = ["r"] * len(lefts) + ["l"] * len(descriptors)
    return _assembly(text, sums, [*lefts, *descriptors], inputs)


def ordered(values: Sequence[ir.Value]) -> list[ir.Value]:
    """The same values; what uses them comes behind this point, what makes them before it."""
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


def left_registers(sums: Sequence[ir.Value], kind: ir.Type) -> list[ir.Value]:
    """Fragments of sums as those of left inputs: two neighbours of a row become one register, for 16 columns four."""
    one = ir.VectorType.get([1], ir.IntegerType.get_signless(32))
    return [vector.extract(vector.bitcast(one, both), [], [0]) for both in rounded_pairs(kind, sums)]


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
