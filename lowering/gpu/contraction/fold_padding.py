"""The pass `fold-padding`: contractions pad their inputs themselves, where the zeros need not be in memory (padding.py).

Before:  %p = call @max_insert_0(%x)    %c = call @mul_add_reduce_0(%p, %w)
After:   %m = call @max_0(%x)           %c = call @insert_mul_add_reduce_0(%m, %w)

The value without zeros is what a contraction in front of it gives: it goes into that one's epilogue (fuse-epilogues)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.gpu.contraction.problem import is_tiled
from hlo.lowering.gpu.nest import is_filled_with_zero
from hlo.lowering.kernel_calls import (
    Body,
    call_instead,
    calls,
    copied,
    erase_unused,
    erase_with_makers,
    free_name,
    functions_of,
    hosts,
    is_tied,
    kind,
    new_kernel,
)
from hlo.lowering.linalg.structured import fill
from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class FoldPadding(Pass):
    """Moves the insertion into zeros from the end of regions to the beginning of contractions."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            functions = functions_of(module)
            moved = _Moved(module, functions)
            for host in hosts(functions):
                for call in [one for one in calls(host) if _insertion(functions[one.callee.value])]:
                    insertion = _insertion(functions[call.callee.value])
                    if insertion is not None and _is_read_by_contractions(call.results[0], functions):
                        moved.move(call, insertion)
            erase_unused(module, functions)


def _insertion(region: Any) -> ir.Operation | None:
    """The op that puts what a region gives, its only result, into zeros."""
    if kind(region) != "region" or is_tied(region) or len(region.type.results) != 1:
        return None
    *_, end = region.regions[0].blocks[0].operations
    op = end.operands[0].owner
    if isinstance(op, ir.Block) or op.name != "tensor.insert_slice" or len(op.operands) != 2:
        return None
    steps = ir.DenseI64ArrayAttr(op.attributes["static_strides"])
    is_plain = all(step == 1 for step in steps) and op.operands[0].type.rank == op.operands[1].type.rank
    return op if is_plain and is_filled_with_zero(op.operands[1]) and op.operands[0] != op.operands[1] else None


def _is_read_by_contractions(value: ir.Value, functions: dict[str, Any]) -> bool:
    users = [use.owner for use in value.uses]
    return bool(users) and all(
        user.name == "func.call" and _has_tiles(functions[user.opview.callee.value]) for user in users
    )


def _has_tiles(kernel: Any) -> bool:
    """A contraction that is large enough for tiles."""
    if kind(kernel) != "contraction" or is_tied(kernel):
        return False
    return any(is_tiled(op.operation) for op in kernel.regions[0].blocks[0].operations)


class _Moved:
    """New kernels, each made once."""

    def __init__(self, module: ir.Module, functions: dict[str, Any]):
        self.module, self.functions = module, functions
        self.made: dict[tuple[str, ...], str] = {}

    def move(self, call: Any, insertion: ir.Operation) -> None:
        kinds = (insertion.operands[0].type, insertion.results[0].type, insertion.attributes["static_offsets"])
        with call.location:
            value = self._unpadded(call, insertion)
            for user in list(dict.fromkeys(use.owner.opview for use in call.results[0].uses)):
                places = tuple(n for n, v in enumerate(user.operands) if v == call.results[0])
                key = (user.callee.value, *map(str, (*kinds, *places)))
                if key not in self.made:
                    self.made[key] = self._padding(user.callee.value, insertion, places)
                operands = [value if n in places else v for n, v in enumerate(user.operands)]
                call_instead(user.operation, self.made[key], operands)
                user.operation.erase()
        call.operation.erase()

    def _unpadded(self, call: Any, insertion: ir.Operation) -> ir.Value:
        """What the region gives without zeros, in front of the call."""
        source, name = insertion.operands[0], call.callee.value
        if isinstance(source.owner, ir.Block):
            return call.operands[ir.BlockArgument(source).arg_number]
        key = (name,)
        if key not in self.made:
            self.made[key] = self._region_without(name, source.type)
        with ir.InsertionPoint(call):
            return func.CallOp([source.type], self.made[key], list(call.operands)).results[0]

    def _region_without(self, name: str, result: ir.Type) -> str:
        old = self.functions[name]

        def body(arguments: list[ir.Value]) -> list[ir.Value]:
            (padded,) = copied(old, arguments)
            unpadded = padded.owner.operands[0]
            erase_with_makers(padded.owner.operation, lambda op: op.name == "linalg.fill" and op.results[0] != unpadded)
            return [unpadded]

        return self._kernel(name.replace("_insert", ""), list(old.type.inputs), [result], "region", body)

    def _padding(self, name: str, insertion: ir.Operation, places: tuple[int, ...]) -> str:
        """The contraction with insertions in front, of the arguments at `places`."""
        old = self.functions[name]
        inputs = [insertion.operands[0].type if n in places else t for n, t in enumerate(old.type.inputs)]

        def body(arguments: list[ir.Value]) -> list[ir.Value]:
            return copied(old, [_padded(a, insertion) if n in places else a for n, a in enumerate(arguments)])

        return self._kernel(f"insert_{name}", inputs, list(old.type.results), "contraction", body)

    def _kernel(self, name: str, inputs: list[ir.Type], results: list[ir.Type], what: str, body: Body) -> str:
        name = free_name(name, self.functions)
        self.functions[name] = new_kernel(self.module, name, what, inputs, results, body)
        return name


def _padded(value: ir.Value, insertion: ir.Operation) -> ir.Value:
    """The same insertion of another value."""
    zero = insertion.operands[1].owner.operands[0].owner.clone()
    zeros = fill(zero.results[0], insertion.results[0].type)
    copy = insertion.clone()
    copy.operands[0], copy.operands[1] = value, zeros
    return copy.results[0]
