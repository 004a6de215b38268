"""The pass `inline-code`: code is put where it is called, where a call costs more than it does.

A function that only passes its arguments on, to parts or to the code of a kernel, and is called once:

Before:  func.func private @k.code(%a: memref<8xf32>) { call @k.part(%a, %c4) }     func.func @main { call @k.code(%x) }
After:   func.func @main { call @k.part(%x, %c4) }

A function of a kernel's code that is called once, by another one of its code, whatever it computes; its blocks of
memory on the stack would be allocated at every turn of a loop, so one that has such stays:

Before:  func.func private @k.code.panel(%a: memref<8xf32>) { ... }     func.func @k.code.pack { scf.for ... { call @k.code.panel(%x) } }
After:   func.func @k.code.pack { scf.for ... { ... } }

The straight-line code of a kernel, in host code with a loop, however often it is called: a step of a counter or of a small
equation. The values that nothing else touches are on the stack by then (placement.py), and LLVM makes registers of them:

Before:  func.func private @add_0.code(%n: memref<i32>) { ... }     scf.while { ... } do { call @add_0.code(%n) }
After:   scf.while { ... } do { %0 = memref.load %n[] ... memref.store %1, %n[] }

A function costs LLVM as much as thirty instructions, whatever is in it. The code of a kernel that host code calls stays
otherwise: it has the name that assembly and profilers show."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import memref, vector

from hlo.lowering.copying import cloned
from hlo.lowering.finding import callee_of, each, function_of, integer_of, made_by, name_of, ops_named, ops_within
from hlo.lowering.memory.parallelise_parts import PART
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace

CODE = ".code"
"""In the names of functions of a kernel's code."""
MOST = 32
"""Ops of a wrapper."""
MOST_OPS = 96
"""Ops of straight-line code, constants not counted."""
ALLOCATIONS = frozenset({"llvm.alloca", "memref.alloc", "memref.alloca"})
NOT_STRAIGHT = frozenset({"func.call", "llvm.call", "memref.alloc", "memref.alloca"})
"""Calls, and memory that a loop would allocate in every iteration."""


def is_straight_line(function: Any) -> bool:
    """Whether a private function is one short block without loops, branches and calls."""
    if not _is_private(function) or PART in function.attributes:
        return False
    ops = _ops(function)
    counted = sum(op.name != "arith.constant" for op in ops)
    return counted <= MOST_OPS and not any(len(op.regions) or op.name in NOT_STRAIGHT for op in ops)


@register_pass
class InlineCode(Pass):
    """Replaces the one call of a wrapper, and calls of straight-line code in functions with loops, by the bodies."""

    def run(self, module: ir.Module) -> None:
        functions = {name_of(op): op for op in module.body if op.operation.name == "func.func"}
        wrappers = {
            name: (functions[name], found[0])
            for name, found in _calls(module).items()
            if len(found) == 1
            and name in functions
            and (_is_wrapper(functions[name]) or _is_helper(functions[name], found[0]))
        }
        for wrapper, call in wrappers.values():
            _move(wrapper, call)
        for wrapper, _ in wrappers.values():
            wrapper.operation.erase()
        _inline_steps(module, {name: function for name, function in functions.items() if name not in wrappers})


def _inline_steps(module: ir.Module, functions: dict[str, Any]) -> None:
    """Straight-line code, where it is called in functions with loops."""
    looping = {function_of(loop) for loop in ops_named(module, ("scf.while",))}
    if not looping:
        return
    for name, found in _calls(module).items():
        chosen = [call for call in found if function_of(call) in looping]
        if chosen and name in functions and is_straight_line(functions[name]):
            for call in chosen:
                _copy(functions[name], call)
            if len(chosen) == len(found):
                functions[name].operation.erase()


def _is_private(function: Any) -> bool:
    if len(function.regions[0].blocks) != 1:
        return False
    return "sym_visibility" in function.attributes and "passthrough" not in function.attributes


def _ops(function: Any) -> list[ir.Operation]:
    return [op.operation for op in each(function.regions[0].blocks[0].operations)]


def _calls(module: ir.Module) -> dict[str, list[ir.Operation]]:
    """All calls by callee."""
    found: dict[str, list[ir.Operation]] = {}
    for op in ops_named(module, ("func.call",)):
        found.setdefault(callee_of(op), []).append(op)
    return found


def _is_wrapper(function: Any) -> bool:
    """Private, without loops, and its work is done by what it calls."""
    if not _is_private(function) or PART in function.attributes or "hlo.layer" in function.attributes:
        return False
    ops = _ops(function)
    return len(ops) <= MOST and not any(len(op.regions) for op in ops) and any(op.name == "func.call" for op in ops)


def _is_helper(function: Any, call: ir.Operation) -> bool:
    """Private, and called by the code of a kernel."""
    if not _is_private(function) or PART in function.attributes or CODE not in name_of(function_of(call)):
        return False
    return not ops_within(function.operation, lambda op: op.name in ALLOCATIONS)


def _move(wrapper: Any, call: ir.Operation) -> None:
    for argument, value in zip(wrapper.regions[0].blocks[0].arguments, call.operands, strict=True):
        argument.replace_all_uses_with(value)
    *ops, end = _ops(wrapper)
    for op in ops:
        op.move_before(call)
    replace(call, list(end.operands))


def _copy(function: Any, call: ir.Operation) -> None:
    values = dict(zip(function.regions[0].blocks[0].arguments, call.operands, strict=True))
    *ops, end = _ops(function)
    with ir.InsertionPoint(call):
        for op in ops:
            copy = cloned(op, values)
            if copy.name == "vector.maskedstore":
                _store_all_lanes(copy)
    replace(call, [values[value] for value in end.operands])


def _store_all_lanes(store: ir.Operation) -> None:
    """A masked store of all elements of a buffer on the stack that has room for all lanes, which LLVM can keep in a register."""
    base, *indices, mask, value = store.operands
    view, lanes = made_by(base, "memref.view"), made_by(mask, "vector.constant_mask")
    room = made_by(view.operands[0], "memref.alloca") if view is not None else None
    if view is None or room is None or lanes is None or any(integer_of(i) != 0 for i in indices):
        return
    vector_type, elements = ir.VectorType(value.type), ir.MemRefType(base.type).shape
    is_whole = list(ir.DenseI64ArrayAttr(lanes.attributes["mask_dim_sizes"])) == elements
    if not is_whole or byte_size(vector_type) > byte_size(room.results[0].type):
        return
    with store.location, ir.InsertionPoint(store):
        whole = memref.view(ir.MemRefType.get(vector_type.shape, vector_type.element_type), *view.operands, [])
        vector.store(value, whole, indices)
    store.erase()
