"""Calls of routines: functions that do not depend on a program's shapes, whose code is made once and kept, instead of
once a program (`runtime/code/routines.py`).

On tensors a call is one op that reads and writes whole arrays. It has no loops; its body says only that every array
that is written depends on all that is read:

    %sorted, %0 = linalg.generic {indexing_maps = [() -> (0), () -> (0, 0), () -> (0)], iterator_types = [], library_call = "hlo_sort_i32"}
                      ins(%numbers : tensor<3xindex>) outs(%words, %room : tensor<8x1000xi32>, tensor<1016xi32>) {...}

Once arrays are memory (`memory/loops_emitter.py`) it is a call: of the address of an array of numbers, then of those of
all arrays in the order of the operands. What types their elements have is the routine's business.

    llvm.call @hlo_routine_sort_i32(%numbers, %words, %room) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()

A routine may be called for several parts of the work, which run at once (`share_routine`): its last number is that of
the part (`memory/parallelise_parts.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, llvm, memref, tensor

from hlo.errors import CompileError
from hlo.lowering.finding import name_of, ops_within
from hlo.lowering.linalg.loops import Index, index, shape
from hlo.lowering.linalg.structured import generic
from hlo.lowering.memory.parallelise_parts import call_routine_in_parts
from hlo.lowering.numbers import bits_as, i64, integer, integer_like, resized

Values = list[ir.Value]

PREFIX = "hlo_routine_"
"""Of the names of routines: a name says all that its code depends on, apart from the processor."""

ANY = 1 << 40
"""The size of an array in a routine, which does not know it."""

LIBRARY_CALL = "library_call"

PARTS, OWN = "hlo.parts", "hlo.own"
"""Of a call for several parts: their number, and how many arrays each has for itself, of the last ones: those of the
first part, then those of the next one."""


class Routine:
    """The kind of a routine: frozen dataclasses whose fields are in their names. `numbers`: how many numbers it is given;
    `reads`, `writes`: the types of its arrays' elements."""

    stem: ClassVar[str]
    numbers: ClassVar[int]

    @property
    def suffix(self) -> str:
        """What its name has behind the stem: by default what it is of, its first field."""
        return next(iter(vars(self).values())).name

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.stem}_{self.suffix}"

    @property
    def reads(self) -> list[ir.Type]:
        return []

    @property
    def writes(self) -> list[ir.Type]:
        raise NotImplementedError

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        """Makes the body, from the values of its numbers and its arrays; returns what becomes of `writes`."""
        raise NotImplementedError

    def call(self, numbers: Sequence[Index], reads: Sequence[ir.Value], writes: Sequence[ir.Value]) -> Values:
        return call_routine(self.name, numbers, reads, writes)


def call_routine(name: str, numbers: Sequence[Index], reads: Sequence[ir.Value], writes: Sequence[ir.Value]) -> Values:
    """What becomes of the arrays `writes`, which the routine may read, too."""
    given = tensor.from_elements(ir.RankedTensorType.get([len(numbers)], ir.IndexType.get()), list(map(index, numbers)))
    maps = [_first_element(len(shape(v))) for v in (given, *reads, *writes)]
    inputs = 1 + len(reads)
    results = generic([given, *reads], maps[:inputs], writes, maps[inputs:], [], lambda *a: _depending(a, len(writes)))
    results[0].owner.attributes[LIBRARY_CALL] = ir.StringAttr.get(name)
    return results


def share_routine(name: str, numbers: Sequence[Index], reads: Sequence[ir.Value], writes: Sequence[ir.Value], own: Sequence[Sequence[ir.Value]]) -> tuple[Values, list[Values]]:  # fmt: skip
    """What becomes of `writes`, and of the arrays of each part in `own`, after calls for as many parts. Each is given
    `writes`, of which it writes what no other part reads or writes, then the part's own arrays."""
    common, width = len(writes), len(own[0])
    made = call_routine(name, [*numbers, 0], reads, [*writes, *(v for arrays in own for v in arrays)])
    for attribute, count in ((PARTS, len(own)), (OWN, width)):
        made[0].owner.attributes[attribute] = ir.IntegerAttr.get(integer(64), count)
    return made[:common], [made[start : start + width] for start in range(common, len(made), width)]


def _first_element(rank: int) -> ir.AffineMap:
    return ir.AffineMap.get(0, 0, [ir.AffineConstantExpr.get(0)] * rank)


def _depending(elements: Sequence[ir.Value], count: int) -> Values:
    """The last `count` elements, each changed by all."""
    total = i64(1)
    for value in map(_as_integer, elements):
        total = arith.xori(total, resized(value, total.type))
    return [bits_as(resized(total, integer_like(v.type)), v.type) for v in elements[-count:]]


def _as_integer(value: ir.Value) -> ir.Value:
    if isinstance(value.type, ir.IndexType):
        return arith.index_cast(integer(64), value)
    return bits_as(value, integer_like(value.type))


def is_routine(op: ir.OpView) -> bool:
    """Whether an op of a module declares one."""
    return "sym_name" in op.operation.attributes and name_of(op.operation).startswith(PREFIX)


def has_calls(module: ir.Module) -> bool:
    return bool(_calls(module))


def _calls(module: ir.Module) -> list[ir.Operation]:
    return ops_within(module.operation, lambda op: op.name == "linalg.generic" and LIBRARY_CALL in op.attributes)


def make_calls(module: ir.Module) -> None:
    """Rewrites the calls of routines in a module on memory."""
    for op in _calls(module):
        name = ir.StringAttr(op.attributes[LIBRARY_CALL]).value
        parts, own = (ir.IntegerAttr(op.attributes[a]).value if a in op.attributes else 1 for a in (PARTS, OWN))
        with op.location, ir.InsertionPoint(op):
            addresses = list(map(_address, op.operands))
            _declare(module, name, len(addresses) - own * (parts - 1))
            if parts > 1:
                call_routine_in_parts(module, name, ir.MemRefType(op.operands[0].type).shape[0], addresses, parts, own)
            else:
                llvm.CallOp(None, addresses, [], [], callee=name)
        op.erase()


def _declare(module: ir.Module, name: str, arguments: int) -> None:
    """A routine, behind all else, where the module has no declaration of it."""
    if not any(is_routine(op) and name_of(op) == name for op in module.body.operations):
        kind = f"!llvm.func<void ({', '.join(['ptr'] * arguments)})>"
        with ir.InsertionPoint(module.body):
            llvm.LLVMFuncOp(name, ir.TypeAttr.get(ir.Type.parse(kind)))


def _address(array: ir.Value) -> ir.Value:
    kind = ir.MemRefType(array.type)
    if not kind.has_static_shape or kind != ir.MemRefType.get(kind.shape, kind.element_type):
        raise CompileError(f"{array.owner}: a routine takes whole arrays, found {kind}")
    word = arith.index_cast(integer(64), memref.extract_aligned_pointer_as_index(array))
    return llvm.inttoptr(ir.Type.parse("!llvm.ptr"), word)


def array_of(kind: ir.Type) -> ir.MemRefType:
    """An array as routines see it."""
    return ir.MemRefType.get([ANY], kind)
