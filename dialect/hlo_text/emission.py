"""Computations become functions of StableHLO ops, or the regions of ops; what is fused stands in line.

Values of tuple shape exist here only: a tuple is a Python tuple of values, and ops, functions and regions take and give its leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from mlir import ir

from hlo.dialect.definition import OPS, encode_attributes
from hlo.dialect.diagnostics import with_source
from hlo.dialect.hlo_text.attributes import Attributes
from hlo.dialect.hlo_text.forms import FORMS, Form
from hlo.dialect.hlo_text.limits import check_limits
from hlo.dialect.hlo_text.locations import Locations
from hlo.dialect.hlo_text.shapes import Shape
from hlo.dialect.hlo_text.special_forms import REFUSED, SPECIAL_FORMS
from hlo.dialect.hlo_text.syntax import Computation, HloModule, Instruction
from hlo.dialect.verifier import verify
from hlo.errors import Diagnostic, ParseError, VerifyError

Tree: TypeAlias = "ir.Value | tuple[Tree, ...]"
"""A value, or those of a tuple."""

GRID = {"replica_count": "mhlo.num_replicas", "num_partitions": "mhlo.num_partitions"}
"""What attributes of the module are called in StableHLO."""


def emit_module(module: HloModule, context: ir.Context) -> ir.Module:
    """The program, whose entry is `main`. Raises ParseError for what StableHLO cannot say."""
    check_limits(module)
    locations = Locations(module)
    with context, ir.Location.file(module.source.file_name, 1, 1):
        made = ir.Module.create()
        emission = Emission(module, made, locations)
        made.operation.attributes["sym_name"] = ir.StringAttr.get(_module_name(module))
        header = Attributes(module, Instruction("", Shape(), "HloModule", 0, attributes=module.attributes))
        for name, theirs in GRID.items():
            if name in module.attributes:
                number = header.integer(name, most=2**31 - 1)
                made.operation.attributes[theirs] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), number)
        emission.function(module.entry, "main")
    _verify(made, module)
    return made


def _verify(made: ir.Module, module: HloModule) -> None:
    """As MLIR's parser does with text. Raises VerifyError with what is wrong by the ops' own definitions, else with MLIR's words."""
    try:
        made.operation.verify()
    except ir.MLIRError as error:
        name = module.source.file_name
        findings = verify(made) or [Diagnostic(d.message, name) for d in error.error_diagnostics]
        raise VerifyError(*with_source(findings, module.source.text, name)) from None


def _module_name(module: HloModule) -> str:
    return module.source.text.partition("HloModule")[2].split(",")[0].split()[0].removeprefix("%")


class Emission:
    """The functions of one module, made at their first use."""

    def __init__(self, module: HloModule, made: ir.Module, locations: Locations):
        self.module = module
        self.made = made
        self.locations = locations
        self.names: dict[str, str] = {}

    def fail(self, message: str, instruction: Instruction) -> Any:
        raise ParseError(self.module.source.diagnostic(message, instruction.position))

    def function_of(self, computation: Computation) -> str:
        """The name of the private function that a computation is."""
        if computation.name not in self.names:
            taken = {"main", *self.names.values()}
            name = computation.name
            while name in taken:
                name += "_"
            self.names[computation.name] = name
            self.function(computation, name)
        return self.names[computation.name]

    def function(self, computation: Computation, name: str) -> None:
        leaves = [leaf for p in computation.parameters for leaf in p.shape.leaves()]
        inputs, outputs = [leaf.type() for leaf in leaves], [leaf.type() for leaf in computation.root.shape.leaves()]
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs)),
        }
        if name == "main":
            attributes |= self.locations.function_shardings(computation)
        else:
            attributes["sym_visibility"] = ir.StringAttr.get("private")
        location = self.locations.of(computation)
        with ir.InsertionPoint(self.made.body):
            made = ir.Operation.create("func.func", attributes=attributes, regions=1, loc=location)
        self.fill(made.regions[0], computation, "func.return")

    def fill(self, region: ir.Region, computation: Computation, terminator: str = "stablehlo.return") -> None:
        """Gives a region the block that computes `computation` of the block's arguments."""
        leaves = [(leaf.type(), self.locations.of(p)) for p in computation.parameters for leaf in p.shape.leaves()]
        block = region.blocks.append(*(t for t, _ in leaves), arg_locs=[one for _, one in leaves])
        values = iter(block.arguments)
        arguments = [rebuilt(p.shape, values) for p in computation.parameters]
        self.fill_block(block, computation, arguments, terminator)

    def fill_block(self, block: ir.Block, computation: Computation, arguments: Sequence[Tree], terminator: str) -> None:
        with ir.InsertionPoint(block):
            result = self.inline(computation, arguments, computation.root)
            location = self.locations.of(computation.root)
            ir.Operation.create(terminator, operands=list(flat(result)), loc=location)

    def inline(self, computation: Computation, arguments: Sequence[Tree], caller: Instruction) -> Tree:
        """The computation's ops on given arguments, at the current insertion point; its result."""
        self._check_arguments(computation, arguments, caller)
        known = {p.name: (a, p.shape) for p, a in zip(computation.parameters, arguments)}
        for instruction in computation.instructions:
            if instruction.opcode != "parameter":
                known[instruction.name] = self._emit(instruction, known), instruction.shape
        return known[computation.root.name][0]

    def _check_arguments(self, computation: Computation, arguments: Sequence[Tree], caller: Instruction) -> None:
        wanted = [[leaf.type() for leaf in p.shape.leaves()] for p in computation.parameters]
        found = [[value.type for value in flat(argument)] for argument in arguments]
        if found != wanted:
            self.fail(
                f"{caller.opcode}: computation {computation.name} takes {_listed(wanted)}, found {_listed(found)}",
                caller,
            )

    def _emit(self, instruction: Instruction, known: dict[str, tuple[Tree, Shape]]) -> Tree:
        operands = []
        for name in instruction.operands:
            if name.text not in known:
                message = f"expected the name of an instruction before this one, found {name.text!r}"
                raise ParseError(self.module.source.diagnostic(message, name.position))
            operands.append(known[name.text])
        attributes = Attributes(self.module, instruction)
        with self.locations.of(instruction):
            if instruction.opcode in SPECIAL_FORMS:
                made = SPECIAL_FORMS[instruction.opcode](Call(self, instruction, attributes, operands))
            else:
                made = self._emit_by_table(instruction, attributes, operands)
        attributes.finish()
        self._check_result(instruction, made)
        return made

    def _emit_by_table(
        self, instruction: Instruction, attributes: Attributes, operands: Sequence[tuple[Tree, Shape]]
    ) -> Tree:
        call = Call(self, instruction, attributes, operands)
        form = FORMS.get(instruction.opcode)
        if form:
            return call.emit(form, instruction.shape)
        base, _, ending = instruction.opcode.rpartition("-")
        if base in FORMS and ending in ("start", "done", "update"):
            return _PARTS[ending](call, FORMS[base])
        reason = REFUSED.get(instruction.opcode)
        if reason:
            self.fail(f"{instruction.opcode} has no StableHLO op: {reason}", instruction)
        return self.fail(f"expected an opcode, found {instruction.opcode!r}", instruction)

    def _check_result(self, instruction: Instruction, made: Tree) -> None:
        """A tuple may hold what its shape does not name: contexts of transfers, which nothing reads."""
        if isinstance(made, tuple):
            return
        wanted = [leaf.type() for leaf in instruction.shape.leaves()]
        if instruction.shape.members is not None or [made.type] != wanted:
            self.fail(
                f"{instruction.opcode}: the result has type {made.type}, its shape says {_listed([wanted])}",
                instruction,
            )


class Call:
    """One instruction with its operands, as a form sees it."""

    def __init__(
        self,
        emission: Emission,
        instruction: Instruction,
        attributes: Attributes,
        operands: Sequence[tuple[Tree, Shape]],
    ):
        self.emission = emission
        self.instruction = instruction
        self.attributes = attributes
        self.operands = [value for value, _ in operands]
        self.shapes = [shape for _, shape in operands]

    def fail(self, message: str) -> Any:
        return self.emission.fail(f"{self.instruction.opcode}: {message}", self.instruction)

    def expect_operands(self, least: int, most: int | None = None) -> None:
        count, most = len(self.operands), least if most is None else most
        if not least <= count <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            self.fail(f"expected {wanted} operands, found {count}")

    def emit(self, form: Form, shape: Shape) -> Tree:
        """The op of a form, with a result of a shape."""
        results_of = OPS[form.op].RESULTS
        if shape.members is not None and len(results_of) == 1 and not results_of[0].variadic:
            self.fail("expected the shape of one result, found a tuple")
        values = form.values(self.attributes)
        computations = [self.attributes.computation(name) for name in form.computations]
        made = self.create(form.op, [v for o in self.operands for v in flat(o)], shape, values, len(computations))
        for region, computation in zip(made.regions, computations):
            self.emission.fill(region, computation)
        return rebuilt(shape, iter(made.results))

    def create(
        self, op: str, operands: Sequence[ir.Value], shape: Shape, values: dict[str, Any], regions: int = 0
    ) -> ir.Operation:
        """An op with results of a shape. One region gets an empty second: ops with one would count as symbol tables."""
        attributes = encode_attributes(OPS[op], values) | self.emission.locations.sharding(self.instruction)
        types = [leaf.type() for leaf in shape.leaves()]
        count = 2 if regions == 1 else regions
        return ir.Operation.create(op, results=types, operands=list(operands), attributes=attributes, regions=count)


def _start(call: Call, form: Form) -> Tree:
    """What begins now and ends later is done at once: (operands, result, ...), or the result alone."""
    members = call.instruction.shape.members
    if members is None or call.instruction.opcode == "all-reduce-start":
        return call.emit(form, call.instruction.shape)
    if len(members) < 2:
        return call.fail("expected the shape (operands, result, ...)")
    return call.operands[0], call.emit(form, members[1])


def _done(call: Call, form: Form) -> Tree:
    call.expect_operands(1)
    started = call.operands[0]
    whole = call.instruction.opcode == "all-reduce-done" or not isinstance(started, tuple)
    return started if whole else part(call, started, 1)


def _update(call: Call, form: Form) -> Tree:
    call.expect_operands(1)
    return call.operands[0]


_PARTS = {"start": _start, "done": _done, "update": _update}


def part(call: Call, tree: Tree, index: int) -> Tree:
    if not isinstance(tree, tuple) or not 0 <= index < len(tree):
        return call.fail(f"expected a tuple of more than {index} members")
    return tree[index]


def flat(tree: Tree) -> Iterator[ir.Value]:
    """The leaves."""
    if not isinstance(tree, tuple):
        yield tree
        return
    for member in tree:
        yield from flat(member)


def rebuilt(shape: Shape, values: Iterator[ir.Value]) -> Tree:
    """The tree of a shape from its leaves."""
    if shape.members is None:
        return next(values)
    return tuple(rebuilt(member, values) for member in shape.members)


def _listed(types: Sequence[Sequence[ir.Type]]) -> str:
    return f"({', '.join(str(t) for group in types for t in group)})"
