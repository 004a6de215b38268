"""Calls by which the host code of a process borrows arrays of other processes (lowering/stablehlo/collectives/lower_collectives.py).

Before:  %peers:2 = call @hlo_borrow_0(%words, %x)    // hlo.custom_call = "hlo.borrow", a meeting in its hlo.backend_config
After:   call @hlo_borrow(%meeting, %step, %addresses, %2)   // runtime/grid/meetings.py; %addresses: of %words and %x, then room for two
         %peer = builtin.unrealized_conversion_cast {of a descriptor with the address that is there now} to memref<4xf32>"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, func, llvm, memref

from hlo.lowering.finding import name_of
from hlo.lowering.memory.host_calls import word
from hlo.lowering.memory.storage import row_major
from hlo.lowering.numbers import i64, integer

TARGET = "hlo.custom_call"
BORROWED = "borrowed"
"""The kind of buffer (groups.Group.external) of memory that belongs to another process."""


BORROW, RELEASE, SPREAD = "hlo.borrow", "hlo.release", "hlo.spread"
NUMBERS = {BORROW: ("meeting", "step"), RELEASE: ("meeting",), SPREAD: ("meeting", "step", "part", "total")}
"""What functions by which processes exchange arrays take first, from their hlo.backend_config: BORROW gives arrays of
other processes, RELEASE waits until nobody reads what was exposed any more, SPREAD puts a part that each process has
made into the results of all."""


def exchange_of(kernel: Any) -> str:
    """Which of them a function is; "" for none."""
    target = ir.StringAttr(kernel.attributes[TARGET]).value if TARGET in kernel.attributes else ""
    return target if target in NUMBERS else ""


def call_exchange(host: Any, kernel: Any, addresses: ir.Value, *numbers: int) -> None:
    """`addresses` is an array, of the words and the arrays; `numbers`: from which number on what is borrowed will be
    there, or that of the result into which is spread."""
    target = exchange_of(kernel)
    configured = [_number(kernel, name) for name in NUMBERS[target]]
    _call(host, target.replace(".", "_"), [*configured, addresses, *map(i64, numbers)])


def _number(kernel: Any, name: str) -> ir.Value:
    config = ir.DictAttr(kernel.attributes["hlo.backend_config"])
    return i64(ir.IntegerAttr(config[name]).value)


def _call(host: Any, name: str, operands: list[ir.Value]) -> None:
    """A call of a function of the runtime, which is declared in front of the host function."""
    declared = [op for op in host.operation.block.operations if op.operation.name == "func.func"]
    if name not in [name_of(op) for op in declared]:
        with ir.InsertionPoint(host):
            func.FuncOp(name, ([v.type for v in operands], []), visibility="private")
    func.CallOp([], name, operands)


def borrowed_memory(addresses: ir.Value, number: int, kind: ir.MemRefType) -> ir.Value:
    """The memory at the address of a number."""
    shape = list(kind.shape)
    address = memref.load(addresses, [arith.constant(ir.IndexType.get(), number)])
    pointer = llvm.inttoptr(llvm.PointerType.get(), arith.index_cast(integer(64), address))
    lists = f", array<{len(shape)} x i64>" * 2 if shape else ""
    descriptor = llvm.mlir_undef(ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{lists})>"))
    fields = [([0], pointer), ([1], pointer), ([2], word(0))]
    for field, sizes in ((3, shape), (4, row_major(shape))):
        fields += [([field, position], word(size)) for position, size in enumerate(sizes)]
    for path, value in fields:
        descriptor = llvm.insertvalue(descriptor, value, path)
    cast = ir.Operation.create("builtin.unrealized_conversion_cast", results=[kind], operands=[descriptor])
    return cast.results[0]
