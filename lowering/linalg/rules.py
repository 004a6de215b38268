"""The table of lowering rules from StableHLO to linalg, and the context each rule is given.

    @lowers(TransposeOp)
    def lower_transpose(op: TransposeOp, lowering: Lowering) -> ir.Value:
        operand = lowering[op.operand]          # the new value of an old one
        result_type = lowering.type(op.result.type)
        ...

The program is rebuilt, op by op: a rule reads the old op (its element types still carry signedness), and creates new
ops at the current insertion point and location. It returns the new value, or a list: the new value of each result (so
for a result that is a tuple, a list of one list)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import I64
from hlo.dialect.locations import diagnostic
from hlo.dialect.op_table import OpTable
from hlo.dialect.types import is_tensor
from hlo.errors import CompileError
from hlo.lowering.copying import remap
from hlo.lowering.finding import captured, name_of
from hlo.lowering.functions import set_entries, set_type
from hlo.lowering.kernel_calls import kept_once, new_kernel
from hlo.lowering.linalg import load_rules_of
from hlo.lowering.linalg.loops import first_trips, independent_nest, nest
from hlo.lowering.target import Target

Rule = Callable[[Any, "Lowering"], Any]

lowers: OpTable[Rule] = OpTable("lowering rule")

SCALARS = Target(threads=1)
"""A processor that neither sorts nor runs loops in vectors."""


class Lowering:
    """What a rule may use: the new module, the new value of every old one, types, regions, sub-functions."""

    def __init__(
        self,
        source: ir.Module,
        target: ir.Module,
        machine: Target = SCALARS,
        own_lapack: bool = False,
    ):
        """`machine`: what the code is for. `own_lapack`: no routine of LAPACK is called where there is code of ours for it."""
        self.source = source
        self.target = target
        self.machine = machine
        self.many_threads = machine.is_gpu
        """Loops are written for thousands of threads (`parallel_nest`), not for a few."""
        self.own_lapack = own_lapack
        self._values: dict[ir.Value, Any] = {}
        self._names: dict[str, int] = {}
        self._kernels: dict[str, func.FuncOp] = {}
        """By their texts."""
        self.long_functions: dict[Any, ir.Operation] = {}
        """linalg.generics by what they compute (`long_functions.py`)."""

    def __getitem__(self, old: ir.Value) -> Any:
        """The new value. A tuple's is a list of new values; a token's is None."""
        return self._values[old]

    def __setitem__(self, old: ir.Value, new: Any) -> None:
        self._values[old] = new

    def type(self, old: ir.Type) -> ir.Type:
        """Integers become signless; shapes stay."""
        return signless(old)

    def outer_loops(self, extents: Sequence[int]) -> tuple[Callable[..., list[ir.Value]], int]:
        """How a kernel goes through an index space whose iterations are independent: a function like `nest`, and what outline is
        to be told as `independent`."""
        return (independent_nest, 1) if self.many_threads else (nest, first_trips(extents))

    def block(self, old: ir.Block, arguments: Sequence[Any]) -> list[Any]:
        """Lowers the ops of a block at the current insertion point, with its arguments replaced by new values;
        returns the new values of its terminator's operands. The terminator itself is not created."""
        for argument, value in zip(old.arguments, arguments, strict=True):
            self[argument] = value
        operations = list(old.operations)
        chains = self._chains(operations)
        for op in operations[:-1]:
            if op.operation not in chains:
                self.op(op)
            elif op == chains[op.operation].ops[-1]:
                self[op.results[0]] = chains[op.operation].lower(self)
        return [self[v] for v in operations[-1].operands]

    def _chains(self, operations: list[ir.OpView]) -> dict[ir.Operation, Any]:
        """The chains of elementwise ops, by their ops."""
        if self.many_threads:
            return {}
        from hlo.lowering.linalg.chains import chains_of  # which is written with rules

        return {op.operation: chain for chain in chains_of(operations) for op in chain.ops}

    def op(self, old: ir.OpView) -> None:
        """Lowers one op by its rule."""
        name = old.operation.name
        if name not in lowers:
            load_rules_of(name)
        rule = lowers.get(name)
        if rule is None:
            raise CompileError(diagnostic(old, f"'{name}' has no lowering to linalg"))
        with old.location:
            results = rule(old, self)
        if not isinstance(results, (list, tuple)):
            results = [results]
        for value, new in zip(old.results, results, strict=True):
            self[value] = new

    def symbol(self, stem: str) -> str:
        """A name for a new function, `stem` with a number, that no function of the program has."""
        taken = {name_of(op) for op in self.source.body if "sym_name" in op.attributes}
        while True:
            number = self._names[stem] = self._names.get(stem, -1) + 1
            if f"{stem}_{number}" not in taken:
                return f"{stem}_{number}"

    def outline(
        self,
        name: str,
        updated: Sequence[ir.Value],
        read: Sequence[ir.Value],
        build: Callable[[list[ir.Value], list[ir.Value]], Sequence[ir.Value]],
        independent: int = 1,
    ) -> list[ir.Value]:
        """What becomes of arrays in a private kernel function of kind "loops", for code that is no linalg op (loops over
        scalars: sort, scatter, ...); equal ones are kept once. `build(updated, read)` creates the body on tensors (scf,
        tensor, arith, math). The kernel makes its results in the buffers of the arrays that are `updated` (hlo.tied; its
        caller copies first where the old value is still needed); other values that the body uses become operands.
        `independent`: the iterations of the outermost loop, if none reads what another writes, so that they may be
        divided among threads."""
        results, count = [v.type for v in updated], len(updated)
        types = [v.type for v in (*updated, *read)]
        body = lambda arguments: build(arguments[:count], arguments[count:])
        kernel = new_kernel(self.target, name, "loops", types, results, body)
        if independent > 1:
            kernel.attributes["hlo.independent"] = I64.encode(independent)
        operands = [*updated, *read, *_take_captured(kernel, kernel.entry_block)]
        set_type(kernel, [v.type for v in operands], results)
        tied = [{"hlo.tied": I64.encode(n)} if n < count else {} for n in range(len(operands))]
        set_entries(kernel, "arg_attrs", tied)
        kernel = self._kept(kernel)
        return list(func.CallOp(results, name_of(kernel), operands).results)

    def call_declared(
        self,
        name: str,
        operands: Sequence[ir.Value],
        result_types: Sequence[ir.Type],
        attributes: Mapping[str, ir.Attribute],
    ) -> list[ir.Value]:
        """Calls a private kernel function, of the kind of its name, whose code a later pass writes from its attributes; equal ones are kept once."""
        with ir.InsertionPoint(self.target.body):
            kernel = func.FuncOp(name, ([v.type for v in operands], list(result_types)), visibility="private")
        kernel.attributes["hlo.kernel"] = ir.StringAttr.get(name)
        for key, value in attributes.items():
            kernel.attributes[key] = value
        return list(func.CallOp(list(result_types), name_of(self._kept(kernel)), list(operands)).results)

    def _kept(self, kernel: func.FuncOp) -> func.FuncOp:
        """The kernel with a name of its own, or an equal one that is there."""
        return kept_once(kernel, self._kernels, lambda: self.symbol(name_of(kernel)))


def _take_captured(kernel: func.FuncOp, entry: ir.Block) -> list[ir.Value]:
    """Values from outside that a kernel's ops use, in the order of their first use; arguments stand for them."""
    values = captured([kernel])
    remap(kernel.operation, {value: entry.add_argument(value.type, kernel.location) for value in values})
    return values


def signless(t: ir.Type) -> ir.Type:
    """The type with signless integers, also inside tensors."""
    if is_tensor(t):
        shaped = ir.RankedTensorType(t)
        return ir.RankedTensorType.get(shaped.shape, signless(shaped.element_type))
    if isinstance(t, ir.IntegerType):
        return ir.IntegerType.get_signless(t.width)
    return t
