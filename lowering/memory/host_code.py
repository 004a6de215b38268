"""Writes the host function on memrefs, once every value has its buffer (placement.py)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, llvm, memref, scf

from hlo.dialect.attributes import I64
from hlo.dialect.locations import diagnostic, location_text
from hlo.errors import CompileError
from hlo.lowering.copying import cloned
from hlo.lowering.finding import callee_of, made_by
from hlo.lowering.memory.borrowing import BORROW, BORROWED, SPREAD, borrowed_memory, call_exchange, exchange_of
from hlo.lowering.memory.groups import ALIASES, ALIGNMENT, Group, assign_offsets
from hlo.lowering.memory.host_calls import NUMBER, words_of_call
from hlo.lowering.memory.placement import (
    MOST_ON_STACK,
    Copy,
    assign_buffers,
    donated_arguments,
    is_tensor,
    tied_arguments,
)
from hlo.lowering.memory.scratch import scratch_bytes
from hlo.lowering.memory.storage import byte_size, memref_type, row_major


def code_name(host: Any) -> str:
    """Of a host function on memrefs, while that on tensors is there too."""
    return f"{host.name.value}.host"


class HostCode:
    """One host function: `emit()` creates it on memrefs in front of the old one."""

    def __init__(
        self, module: ir.Module, host: Any, kernels: dict[str, Any], steps: Collection[str] | None, least_swapped: int
    ):
        self.module, self.host, self.kernels = module, host, kernels
        self.old_entry = host.regions[0].blocks[0]
        self.has_stack = steps is not None
        self.placement = assign_buffers(host, kernels, steps, donated_arguments(module), least_swapped)
        self.groups = self.placement.groups
        self.arena = assign_offsets(self.placement.in_arena())
        self.custom_calls: list[ir.Attribute] = []
        self.scalars: dict[ir.Value, ir.Value] = {}
        self.borrowed: dict[Group, ir.Value] = {}
        """Memory of other processes."""
        self.frame: dict[Group, ir.Value] = {}
        """Buffers on the stack."""
        self.alternating: dict[int, ir.Value] = {}
        """Where a group is now that a loop swaps with another: bytes, by the group's id."""

    def emit(self) -> None:
        with self.host.location:
            self._declare()
            with ir.InsertionPoint(self.entry):
                self.pointers = self._pointer_array()
                self.block(self.old_entry)
            self._describe()

    def _declare(self) -> None:
        results = [memref_type(t) for t in self.host.type.results]
        arguments = [memref_type(v.type) for v in self.old_entry.arguments]
        constants = [memref_type(op.results[0].type) for op in self.placement.constants]
        with ir.InsertionPoint(self.host):
            types = [*arguments, *results, *constants, *self._last_parameters()]
            self.function = func.FuncOp(code_name(self.host), (types, []), visibility="public")
        self.entry = self.function.add_entry_block()
        parameters = list(self.entry.arguments)
        self.external = {
            ("argument", 0): 0,
            ("result", 0): len(arguments),
            ("constant", 0): len(arguments) + len(results),
        }
        self.parameters, self.callback, self.arena_memory = parameters, parameters[-2], parameters[-1]

    def _last_parameters(self) -> list[ir.Type]:
        """The callback and the arena."""
        return [llvm.PointerType.get(), _bytes(max(self.arena, 1))]

    def _describe(self) -> None:
        """What the runtime must know is on the module; the new function takes the old one's name."""
        attributes = self.module.operation.attributes
        attributes["hlo.arena"] = I64.encode(self.arena)
        attributes["hlo.entry"] = self.host.attributes["sym_name"]
        pairs = [n for result, argument in self.placement.in_donated.items() for n in (argument, result)]
        if pairs:
            attributes["hlo.in_donated"] = ir.DenseI64ArrayAttr.get(pairs)
        attributes["hlo.custom_calls"] = ir.ArrayAttr.get(self.custom_calls)
        with ir.InsertionPoint(self.function):
            for op in self.placement.constants:
                made = ir.Operation.create("hlo.constant", loc=op.location)
                made.attributes["value"] = op.attributes["value"]
                made.attributes["type"] = ir.TypeAttr.get(op.results[0].type)
        name = self.host.attributes["sym_name"]
        self.host.attributes["sym_name"] = ir.StringAttr.get(f"{self.host.name.value}.tensors")
        self.function.attributes["sym_name"] = name

    def _pointer_array(self) -> ir.Value | None:
        """Room for what a custom call is given."""
        declared = [k for k in self.kernels.values() if "hlo.custom_call" in k.attributes]
        counts = [words_of_call(len(k.type.inputs), len(k.type.results)) for k in declared]
        if not counts:
            return None
        return memref.alloca(ir.MemRefType.get([max(*counts, 1)], ir.IndexType.get()), [], [])

    # Buffers

    def memory(self, value: ir.Value) -> ir.Value:
        """A memref of the value's type in its buffer."""
        return self._at(self.groups[value], memref_type(value.type))

    def _at(self, group: Group, wanted: ir.MemRefType) -> ir.Value:
        group = self.groups.find(group)
        if id(group) in self.alternating:
            zero = arith.constant(ir.IndexType.get(), 0)
            return memref.view(wanted, self.alternating[id(group)], zero, [])
        if group.on_stack:
            return self._on_stack(group, wanted)
        if group.external is None:
            return self._in_arena(group, wanted)
        kind, number = group.external
        parameter = self.borrowed[group] if kind == BORROWED else self.parameters[self.external[(kind, 0)] + number]
        return parameter if parameter.type == wanted else _reshaped(parameter, wanted)

    def _in_arena(self, group: Group, wanted: ir.MemRefType) -> ir.Value:
        offset = arith.constant(ir.IndexType.get(), group.offset)
        return memref.view(wanted, self.arena_memory, offset, [])

    def _on_stack(self, group: Group, wanted: ir.MemRefType) -> ir.Value:
        if group not in self.frame:
            self.frame[group] = self._room()
        return memref.view(wanted, self.frame[group], arith.constant(ir.IndexType.get(), 0), [])

    def _room(self) -> ir.Value:
        """A buffer in the function's frame; what is smaller leaves room for the rest of a vector."""
        with ir.InsertionPoint.at_block_begin(self.entry):
            return memref.alloca(_bytes(MOST_ON_STACK), [], [], alignment=ALIGNMENT)

    def _copies(self, op: ir.Operation) -> None:
        """The copies before an op. A source that an earlier copy overwrites is saved first."""
        copies = self.placement.copies.get(op, [])
        copies = [c for c in copies if self.groups[c.source] is not self.groups.find(c.group)]
        overwritten = {id(self.groups.find(c.group)) for c in copies}
        saved = {}
        for number, copy in enumerate(copies):
            if number and id(self.groups[copy.source]) in overwritten:
                saved[number] = self._temporary(memref_type(copy.source.type))
                memref.copy(self.memory(copy.source), saved[number])
        for number, copy in enumerate(copies):
            self._copy(copy, saved.get(number))
        for temporary in saved.values():
            if made_by(temporary, "memref.alloc"):
                memref.dealloc(temporary)

    def _temporary(self, kind: ir.MemRefType) -> ir.Value:
        """Memory for a moment: on the stack, if it is small."""
        if not self.has_stack or byte_size(kind) > MOST_ON_STACK:
            return memref.alloc(kind, [], [])
        return memref.view(kind, self._room(), arith.constant(ir.IndexType.get(), 0), [])

    def _copy(self, copy: Copy, saved: ir.Value | None) -> None:
        target = self._at(copy.group, memref_type(copy.target.type))
        memref.copy(saved if saved is not None else self.memory(copy.source), target)

    # Ops

    def block(self, block: ir.Block) -> None:
        rules = {
            "func.call": self.call,
            "scf.while": self.loop,
            "scf.if": self.choice,
            "tensor.extract": self.extract,
            "func.return": self.finish,
            "scf.yield": self.finish_region,
            "scf.condition": self.condition,
            "tensor.empty": self.nothing,
        }
        for op in block.operations:
            name = op.operation.name
            if name in ALIASES or (name == "arith.constant" and is_tensor(op.results[0])):
                continue
            with op.location:
                rules.get(name, self.scalar)(op)

    def nothing(self, op: Any) -> None:
        pass

    def scalar(self, op: Any) -> None:
        """An op on scalars stays as it is."""
        if any(map(is_tensor, [*op.operands, *op.results])) or len(op.regions):
            raise CompileError(diagnostic(op, f"'{op.operation.name}' cannot stand in host code"))
        cloned(op.operation, self.scalars)

    def extract(self, op: Any) -> None:
        tensor, *indices = op.operands
        value = memref.load(self.memory(tensor), [self.scalars[i] for i in indices])
        wanted = op.results[0].type
        self.scalars[op.results[0]] = value if value.type == wanted else arith.trunci(wanted, value)

    def call(self, op: Any) -> None:
        self._copies(op.operation)
        kernel = self.kernels[callee_of(op)]
        exchange = exchange_of(kernel)
        if exchange == BORROW:
            self._borrow(op, kernel)
            return
        tied = tied_arguments(kernel)
        by_argument = {argument: result for result, argument in tied.items()}
        operands = [op.results[by_argument[i]] if i in by_argument else v for i, v in enumerate(op.operands)]
        results = [r for number, r in enumerate(op.results) if number not in tied]
        memories = [self.memory(v) for v in [*operands, *results]]
        if exchange:
            result = [len(memories) - 1] if exchange == SPREAD else []
            call_exchange(self.function, kernel, self.addresses(memories), *result)
            return
        if "hlo.custom_call" in kernel.attributes:
            self._custom_call(kernel, memories)
            return
        size = scratch_bytes(kernel)
        if size:
            memories.append(self._in_arena(self.placement.scratch[op.results[0]], _bytes(size)))
        func.CallOp([], ir.FlatSymbolRefAttr(kernel.attributes["hlo.code"]).value, memories)

    def _borrow(self, op: Any, kernel: Any) -> None:
        """The results are where the runtime says."""
        memories = [self.memory(v) for v in op.operands]
        call_exchange(self.function, kernel, self.addresses(memories), len(memories))
        for position, result in enumerate(op.results, len(memories)):
            self.borrowed[self.groups[result]] = borrowed_memory(self.pointers, position, memref_type(result.type))

    def addresses(self, memories: Sequence[ir.Value]) -> ir.Value:
        """A pointer to the addresses of the memories."""
        index, i64 = ir.IndexType.get(), ir.IntegerType.get_signless(64)
        for position, one in enumerate(memories):
            address = memref.extract_aligned_pointer_as_index(one)
            memref.store(address, self.pointers, [arith.constant(index, position)])
        array = arith.index_cast(i64, memref.extract_aligned_pointer_as_index(self.pointers))
        return llvm.inttoptr(llvm.PointerType.get(), array)

    def _custom_call(self, kernel: Any, memories: Sequence[ir.Value]) -> None:
        """The callback gets the number of the call and an array of addresses."""
        array, number = (
            self.addresses(memories),
            arith.constant(ir.IntegerType.get_signless(64), len(self.custom_calls)),
        )
        ir.Operation.create(
            "llvm.call",
            operands=[self.callback, number, array],
            attributes={
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([3, 0]),
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
                NUMBER: number.owner.attributes["value"],
            },
        )
        kept = {name: kernel.attributes[name] for name in kernel.attributes if name.startswith("hlo.")}
        types = [*kernel.type.inputs, *kernel.type.results]
        kept["hlo.location"] = ir.StringAttr.get(location_text(kernel))
        kept["hlo.stored_types"] = ir.ArrayAttr.get([ir.TypeAttr.get(t) for t in types])
        self.custom_calls.append(ir.DictAttr.get(kept))

    def loop(self, op: Any) -> None:
        """Carried tensors stay in their buffers, or alternate between two; scalars are carried by the new loop."""
        self._copies(op.operation)
        groups = self._swapped(op.operation)
        initial = [self.scalars[v] for v in op.operands if not is_tensor(v)]
        initial += [self._whole(g) for g in groups]
        result_types = [r.type for r in op.results if not is_tensor(r)]
        loop = scf.WhileOp([*result_types, *(v.type for v in initial[len(initial) - len(groups) :])], initial)
        for old, new in ((op.regions[0].blocks[0], loop.before), (op.regions[1].blocks[0], loop.after)):
            scalars = [a for a in old.arguments if not is_tensor(a)]
            buffers = [v.type for v in initial[len(initial) - len(groups) :]]
            block = new.blocks.append(*[a.type for a in scalars], *buffers)
            self._enter(scalars, groups, list(block.arguments))
            with ir.InsertionPoint(block):
                self.block(old)
        self._enter([r for r in op.results if not is_tensor(r)], groups, list(loop.results))

    def _swapped(self, loop: ir.Operation) -> list[Group]:
        """Both buffers of each alternating value, the current one first."""
        swaps = self.placement.swaps.get(loop, [])
        return [self.groups.find(g) for swap in swaps for g in (swap.current, swap.next)]

    def _whole(self, group: Group) -> ir.Value:
        return self._at(group, _bytes(group.size))

    def _enter(self, scalars: list[ir.Value], groups: list[Group], values: list[ir.Value]) -> None:
        """What the carried scalars and alternating buffers are from here on."""
        self.scalars.update(zip(scalars, values))
        self.alternating.update(zip(map(id, groups), values[len(scalars) :]))

    def condition(self, op: Any) -> None:
        first, *rest = op.operands
        buffers = [self.alternating[id(g)] for g in self._swapped(op.operation.parent.operation)]
        scf.ConditionOp(self.scalars[first], [*(self.scalars[v] for v in rest if not is_tensor(v)), *buffers])

    def choice(self, op: Any) -> None:
        result_types = [r.type for r in op.results if not is_tensor(r)]
        has_else = len(op.regions[1].blocks) > 0
        choice = scf.IfOp(self.scalars[op.operands[0]], result_types, has_else=has_else)
        for old, new in zip(op.regions, choice.regions, strict=True):
            if len(old.blocks):
                with ir.InsertionPoint(new.blocks[0]):
                    self.block(old.blocks[0])
        self.scalars.update(zip([r for r in op.results if not is_tensor(r)], choice.results, strict=True))

    def finish_region(self, op: Any) -> None:
        self._copies(op.operation)
        groups = self._swapped(op.operation.parent.operation)
        swapped = [groups[i ^ 1] for i in range(len(groups))]
        buffers = [self.alternating[id(g)] for g in swapped]
        scf.YieldOp([*(self.scalars[v] for v in op.operands if not is_tensor(v)), *buffers])

    def finish(self, op: Any) -> None:
        self._copies(op.operation)
        func.ReturnOp([])


def _bytes(size: int) -> ir.MemRefType:
    return ir.MemRefType.get([size], ir.IntegerType.get_signless(8))


def _reshaped(memory: ir.Value, wanted: ir.MemRefType) -> ir.Value:
    return memref.reinterpret_cast(wanted, memory, [], [], [], [0], list(wanted.shape), row_major(wanted.shape))
