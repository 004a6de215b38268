"""An argument that a result is made of by insertions is copied to where the result goes, and inserted into there.

Before:  %r = tensor.insert_slice %u into %argument                       (a copy of the argument, which is copied to the result)
After:   %c = linalg.generic copy %argument    %r = tensor.insert_slice %u into %c      (%c is in the result's memory)"""

from __future__ import annotations

from mlir import ir

from hlo.lowering.linalg.structured import elementwise


def copy_into_results(block: ir.Block) -> None:
    """`block`: a kernel's code on tensors between parameters in memory."""
    for op in [one.operation for one in block.operations]:
        if op.name == "bufferization.materialize_in_destination":
            first = _first_insertion(op.operands[0])
            if first is not None and _is_argument(first.operands[1]):
                with ir.InsertionPoint(first), first.location:
                    first.operands[1] = elementwise([first.operands[1]], first.operands[1].type, lambda value: value)


def _first_insertion(value: ir.Value) -> ir.Operation | None:
    """Of the insertions one into the other that make a value; each used for the next alone."""
    found = None
    while not isinstance(value.owner, ir.Block) and value.owner.name == "tensor.insert_slice":
        if len(list(value.uses)) != 1:
            return None
        found = value.owner
        value = found.operands[1]
    return found


def _is_argument(value: ir.Value) -> bool:
    """An argument that must stay as it is."""
    op = value.owner
    return not isinstance(op, ir.Block) and op.name == "bufferization.to_tensor" and "writable" not in op.attributes
