"""Calls by which the host code of a process borrows arrays of other processes (lowering/stablehlo/lower_collectives.py).

Before:  %peers:2 = call @hlo_borrow_0(%words, %x)    // hlo.custom_call = "hlo.borrow", a meeting in its hlo.backend_config
After:   call @hlo_borrow(%meeting, %step, %addresses, %2)   // runtime/meetings.py; %addresses: of %words and %x, then room for two
         %peer = builtin.unrealized_conversion_cast {of a descriptor with the address that is there now} to memref<4xf32>"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, func, llvm, memref

from hlo.lowering.memory.storage import row_major

BORROWED = "borrowed"
"""The kind of place (groups.Group.external) of memory that belongs to another process."""


def is_borrow(kernel: Any) -> bool:
    """Whether a function gives arrays of other processes."""
    return _target(kernel) == "hlo.borrow"


def is_release(kernel: Any) -> bool:
    """Whether a function waits until nobody reads what was lent any more."""
    return _target(kernel) == "hlo.release"


def is_spread(kernel: Any) -> bool:
    """Whether a function puts a part that each process has made into the results of all."""
    return _target(kernel) == "hlo.spread"


def _target(kernel: Any) -> str:
    key = "hlo.custom_call"
    return ir.StringAttr(kernel.attributes[key]).value if key in kernel.attributes else ""


def call_borrow(host: Any, kernel: Any, addresses: ir.Value, room: int) -> None:
    """`addresses` is an array; what is borrowed will be there from number `room` on."""
    _call(host, "hlo_borrow", [_number(kernel, "meeting"), _number(kernel, "step"), addresses, _word(room)])


def call_release(host: Any, kernel: Any, addresses: ir.Value) -> None:
    _call(host, "hlo_release", [_number(kernel, "meeting"), addresses])


def call_spread(host: Any, kernel: Any, addresses: ir.Value, result: int) -> None:
    """`addresses`: of the words, of the part, ..., and under the number `result` of the result."""
    numbers = [_number(kernel, name) for name in ("meeting", "step", "part", "total")]
    _call(host, "hlo_spread", [*numbers, addresses, _word(result)])


def _number(kernel: Any, name: str) -> ir.Value:
    config = ir.DictAttr(kernel.attributes["hlo.backend_config"])
    return _word(ir.IntegerAttr(config[name]).value)


def _word(number: int) -> ir.Value:
    return arith.constant(ir.IntegerType.get_signless(64), number)


def _call(host: Any, name: str, operands: list[ir.Value]) -> None:
    """A call of a function of the runtime, which is declared in front of the host function."""
    declared = [op for op in host.operation.block.operations if op.operation.name == "func.func"]
    if name not in [ir.StringAttr(op.attributes["sym_name"]).value for op in declared]:
        with ir.InsertionPoint(host):
            func.FuncOp(name, ([v.type for v in operands], []), visibility="private")
    func.CallOp([], name, operands)


def borrowed_memory(addresses: ir.Value, number: int, kind: ir.MemRefType) -> ir.Value:
    """The memory at the address of a number."""
    i64, shape = ir.IntegerType.get_signless(64), list(kind.shape)
    address = memref.load(addresses, [arith.constant(ir.IndexType.get(), number)])
    pointer = llvm.inttoptr(llvm.PointerType.get(), arith.index_cast(i64, address))
    lists = f", array<{len(shape)} x i64>" * 2 if shape else ""
    descriptor = llvm.mlir_undef(ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{lists})>"))
    fields = [([0], pointer), ([1], pointer), ([2], _constant(0))]
    for field, sizes in ((3, shape), (4, row_major(shape))):
        fields += [([field, position], _constant(size)) for position, size in enumerate(sizes)]
    for place, value in fields:
        descriptor = llvm.insertvalue(descriptor, value, place)
    cast = ir.Operation.create("builtin.unrealized_conversion_cast", results=[kind], operands=[descriptor])
    return cast.results[0]


def _constant(number: int) -> ir.Value:
    return llvm.mlir_constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number))
