"""The pass `halve-byte-shuffles`: for processors of 512 bits, 64 bytes that are picked from one vector are picked from
two, which are equal.

Before:  %1 = llvm.shufflevector %0, %0 [0, 0, 1, 1, 2, 2, ..., 31, 31] : vector<64xi8>
After:   %2 = llvm.call_intrinsic "llvm.arithmetic.fence.v16f32"(%0, as vector<16xf32>), and that as vector<64xi8>
         %1 = llvm.shufflevector %0, %2 [0, 0, 1, 1, ..., 15, 15, 80, 80, ..., 95, 95] : vector<64xi8>

LLVM 22 compiles some permutations of 64 bytes for ever: it parts them into one between parts of the register and one
within, and takes them together again (llvm/llvm-project#224266). It does so with one source only, and cannot see that a
fenced vector is the same. What comes of it is as short: a permutation of quarters and one within them. Booleans become
bytes for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by, ops_named
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.target import target

LANES = 64
UNDEFINED = ("llvm.mlir.poison", "llvm.mlir.undef")
NOT_EQUAL = 1
"""Of the predicates of llvm.icmp."""


@register_pass
@dataclass(frozen=True)
class HalveByteShuffles(Pass):
    """Picks the upper half of 64 bytes from a copy of their vector."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        if target(self.target).vector_bits != 8 * LANES:
            return
        for op in list(ops_named(module, {"llvm.shufflevector"})):
            if (picked := _picked(op)) is not None:
                rewrite(op, _halved, *picked)


def _picked(op: Any) -> tuple[ir.Value, int, list[int]] | None:
    """The register of which 64 bytes or booleans are picked (a vector, and its first lane there), and from which of its lanes (-1: any).
    None for other shuffles, for a register as it is, and for copies of lane 0, which is an instruction."""
    first, second = op.operands
    result, lanes = ir.VectorType(op.results[0].type), ir.VectorType(first.type).shape[0]
    if result.shape != [LANES] or str(result.element_type) not in ("i8", "i1"):
        return None
    mask = list(ir.DenseI32ArrayAttr(op.attributes["mask"]))
    if first == second or made_by(second, *UNDEFINED):
        mask = [n % lanes if n >= 0 else n for n in mask]
    sources = {(n // lanes, n % lanes // LANES) for n in mask if n >= 0}
    mask = [n % lanes % LANES if n >= 0 else n for n in mask]
    if len(sources) != 1 or all(n in (-1, 0) for n in mask) or all(n in (-1, at) for at, n in enumerate(mask)):
        return None
    ((operand, register),) = sources
    return (second if operand else first), register * LANES, mask


def _halved(op: Any, vector: ir.Value, first: int, mask: Sequence[int]) -> ir.Value:
    source = _bytes(vector, first)
    defined = [at for at, n in enumerate(mask) if n >= 0]
    upper = defined[len(defined) // 2 :]
    result = _shuffle(source, _fenced(source), [n + LANES if at in upper else n for at, n in enumerate(mask)])
    return result if result.type == op.results[0].type else llvm.icmp(NOT_EQUAL, result, llvm.mlir_zero(result.type))


def _bytes(vector: ir.Value, first: int) -> ir.Value:
    """64 lanes of a vector from this one on, as bytes; those behind its end are undefined."""
    type = ir.VectorType(vector.type)
    (lanes,), byte = type.shape, ir.IntegerType.get_signless(8)
    if type.element_type != byte:
        vector = llvm.zext(ir.VectorType.get([lanes], byte), vector)
    wanted = [n if n < lanes else -1 for n in range(first, first + LANES)]
    return vector if lanes == LANES else _shuffle(vector, vector, wanted)


def _fenced(source: ir.Value) -> ir.Value:
    words = ir.VectorType.get([LANES // 4], ir.F32Type.get())
    name = ir.StringAttr.get(f"llvm.arithmetic.fence.v{LANES // 4}f32")
    fence = llvm.CallIntrinsicOp(words, name, [llvm.bitcast(words, source)], [], [])
    return llvm.bitcast(source.type, fence.operation.results[0])


def _shuffle(a: ir.Value, b: ir.Value, mask: Sequence[int]) -> ir.Value:
    type = ir.VectorType.get([LANES], ir.VectorType(a.type).element_type)
    return llvm.shufflevector(type, a, b, ir.DenseI32ArrayAttr.get(mask))
