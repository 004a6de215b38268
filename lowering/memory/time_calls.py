"""The pass `time-calls`: host code takes the time after every call of a kernel, custom call, collective and copy
(runtime/profile/timers.py).

Before:  call @k.code(%a, %r)
         memref.copy %r, %s
         scf.while ...
After:   %frame = llvm.alloca 5 x i64
         llvm.call @hlo_profile_begin(%frame)
         call @k.code(%a, %r)
         llvm.call @hlo_profile_lap(%frame, 0)           // row 0 of the module's hlo.profile: since the lap before
         memref.copy %r, %s
         llvm.call @hlo_profile_lap(%frame, 1)
         %start = llvm.call @hlo_profile_now()
         scf.while ...
         llvm.call @hlo_profile_span(%frame, 2, %start)  // row 2: all that is in the loop
         llvm.call @hlo_profile_end(%frame)

Layers are timed inside, and as a span where they are called. Parts that belong to one kernel alone get `hlo.row`, for
`parallelise-parts`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.dialect.attributes import I64
from hlo.dialect.locations import location_name, location_text
from hlo.errors import CompileError
from hlo.lowering.finding import callee_of, function_of, name_of, ops_named
from hlo.lowering.kernel_calls import functions_by_name
from hlo.lowering.memory.describe_kernels import PROFILE, row
from hlo.lowering.memory.host_calls import append_text, call_number
from hlo.lowering.memory.parallelise_parts import PART, ROW
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.numbers import i64
from hlo.lowering.passes import Pass, register_pass

DECLARATIONS = """
llvm.func @hlo_profile_begin(!llvm.ptr)
llvm.func @hlo_profile_end(!llvm.ptr)
llvm.func @hlo_profile_start(!llvm.ptr)
llvm.func @hlo_profile_lap(!llvm.ptr, i64)
llvm.func @hlo_profile_now() -> i64
llvm.func @hlo_profile_span(!llvm.ptr, i64, i64)
"""
WORDS_OF_FRAME = 5


@register_pass
class TimeCalls(Pass):
    """Adds the timers, and the rows of what is no kernel."""

    def run(self, module: ir.Module) -> None:
        if PROFILE not in module.operation.attributes:
            raise CompileError("time-calls: the module has no hlo.profile; run describe-kernels first")
        with module.operation.location:
            timed = _Timers(module)
            append_text(module, DECLARATIONS)
            for function, is_layer in timed.hosts():
                timed.function(function, is_layer)
            _mark_parts(module, timed.kernels, timed.parts)
            module.operation.attributes[PROFILE] = ir.ArrayAttr.get(timed.rows)


class _Timers:
    def __init__(self, module: ir.Module):
        self.module = module
        attributes = module.operation.attributes
        self.rows = [ir.DictAttr(a) for a in ir.ArrayAttr(attributes[PROFILE])]
        self.custom_calls = [ir.DictAttr(a) for a in ir.ArrayAttr(attributes["hlo.custom_calls"])]
        by_code = {ir.StringAttr(r["code"]).value: n for n, r in enumerate(self.rows)}
        self.layers = {code: n for code, n in by_code.items() if _kind(self.rows[n]) == "layer"}
        self.kernels = {code: n for code, n in by_code.items() if code not in self.layers}
        self.collectives: dict[str, int] = {}
        self.parts = {name for name, f in functions_by_name(module).items() if PART in f.attributes}
        """Functions of copies that `split-copies` has divided, and of parts of kernels, which host code does not call."""

    def hosts(self) -> list[tuple[Any, bool]]:
        """The program's function and those of layers."""
        entry = ir.StringAttr(self.module.operation.attributes["hlo.entry"]).value
        functions = functions_by_name(self.module).items()
        return [(f, name != entry) for name, f in functions if name == entry or name in self.layers]

    def function(self, function: Any, is_layer: bool) -> None:
        block = function.regions[0].blocks[0]
        ops = list(_timed(block))
        with function.location, ir.InsertionPoint.at_block_begin(block):
            pointer, word = ir.Type.parse("!llvm.ptr"), ir.IntegerType.get_signless(64)
            frame = llvm.alloca(pointer, i64(WORDS_OF_FRAME), word)
            _call("start" if is_layer else "begin", frame)
        for op in ops:
            with op.location:
                self.op(op, frame)
        last = block.operations[len(block.operations) - 1]
        if not is_layer:
            with function.location, ir.InsertionPoint(last):
                _call("end", frame)

    def op(self, op: Any, frame: ir.Value) -> None:
        number, is_span = self.row_of(op)
        if is_span:
            with ir.InsertionPoint(op):
                word = ir.IntegerType.get_signless(64)
                start = llvm.CallOp(word, [], [], [], callee="hlo_profile_now").result
        with ir.InsertionPoint.after(op):
            if is_span:
                _call("span", frame, i64(number), start)
            else:
                _call("lap", frame, i64(number))

    def row_of(self, op: Any) -> tuple[int, bool]:
        """The number of an op's row, and whether its time is that of other rows."""
        name = op.operation.name
        if name == "scf.while":
            return self.new_row(op, "while", "loop"), True
        if name == "llvm.call":
            called = self.custom_calls[call_number(op, len(self.custom_calls))]
            return self.new_row(op, ir.StringAttr(called["hlo.custom_call"]).value, "custom call"), False
        if name == "memref.copy":
            return self.new_row(op, "copy", "copy", byte_size(op.operands[0].type)), False
        callee = callee_of(op)
        if callee in self.layers:
            return self.layers[callee], True
        if callee in self.kernels:
            return self.kernels[callee], False
        if callee in self.parts:
            self.kernels[callee] = self.new_row(op, "copy", "copy", byte_size(op.operands[0].type))
            return self.kernels[callee], False
        if callee not in self.collectives:
            self.collectives[callee] = self.new_row(op, callee.removeprefix("hlo_"), "collective")
        return self.collectives[callee], False

    def new_row(self, op: Any, name: str, kind: str, size: int | None = None) -> int:
        counts = {} if size is None else {"operations": 0, "transcendentals": 0, "read": size, "written": size}
        self.rows.append(row(name, kind, [location_text(op)], [location_name(op)], counts))
        return len(self.rows) - 1


def _timed(block: ir.Block) -> Iterator[Any]:
    """The ops of host code that get a timer; those of a loop come before it."""
    for op in block.operations:
        name = op.operation.name
        for region in op.regions:
            for inner in region.blocks:
                yield from _timed(inner)
        is_custom_call = name == "llvm.call" and "callee" not in op.attributes
        if name in ("func.call", "memref.copy", "scf.while") or is_custom_call:
            yield op


def _mark_parts(module: ir.Module, kernels: Mapping[str, int], parts: Collection[str]) -> None:
    """Gives a part that only one kernel reaches the kernel's row."""
    functions = functions_by_name(module)
    calls: dict[str, set[str]] = {}
    for call in ops_named(module, ("func.call",)):
        calls.setdefault(name_of(function_of(call)), set()).add(callee_of(call))
    owners: dict[str, set[int]] = {}
    for code, number in kernels.items():
        for name in _reached(code, calls):
            owners.setdefault(name, set()).add(number)
    for name, found in owners.items():
        if len(found) == 1 and name in parts:
            functions[name].attributes[ROW] = I64.encode(*found)


def _reached(code: str, calls: Mapping[str, set[str]]) -> set[str]:
    found, todo = {code}, [code]
    while todo:
        new = calls.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def _kind(found: ir.DictAttr) -> str:
    return ir.StringAttr(found["kind"]).value


def _call(name: str, *operands: ir.Value) -> None:
    llvm.CallOp(None, list(operands), [], [], callee=f"hlo_profile_{name}")
