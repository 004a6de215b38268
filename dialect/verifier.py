"""Checks every op of a module against its class: counts, types, attributes, regions, the clauses of the specification,
and the result types that it infers. Runs right after reading, and on request between passes.

An op is reported once, for the first thing that is wrong with it (later clauses build on earlier ones); every op of the
module is looked at. Messages: `'stablehlo.add' op C1: lhs and rhs must have one type, found A and B`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable
from typing import Any

from mlir import ir

from hlo.dialect import registration
from hlo.dialect.choices import ELEMENT
from hlo.dialect.compiler_attributes import CONSTANT, attributes_error
from hlo.dialect.definition import Op, Operand, Result
from hlo.dialect.diagnostics import with_source
from hlo.dialect.locations import diagnostic
from hlo.dialect.near_names import nearest_op
from hlo.dialect.quantized import has_quantized, type_error
from hlo.dialect.types import TypeSet, bounds_error, compatible, compatible_baselines, element_type, is_float, is_tensor
from hlo.errors import Diagnostic, VerifyError

UNCHECKED_ATTRIBUTES = frozenset(
    (
        Operand.segments,
        Result.segments,
        "layout",
        "operand_layouts",
        "result_layouts",
        "source_layout",
        "result_layout",
        "xla_shape",
    )
)
"""Attributes without a dialect prefix that programs in the wild carry on any op."""

UNREGISTERED_DIALECTS = frozenset(("sdy", "mpmd"))
"""Dialects whose ops may stand in a program although nothing here defines them (sharding annotations)."""


def check(
    module: ir.Module,
    text: str | bytes = "",
    file_name: str = "-",
    *,
    allow_unregistered: bool = False,
    in_dump: bool = False,
) -> None:
    """Raises VerifyError with everything that is wrong with the module. Findings show their lines of `text`, which was read from the file
    `file_name`. `allow_unregistered`: ops of dialects that nobody has loaded are not findings. `in_dump`: attributes of the compiler's own
    are not, as far as they hold what `compiler_attributes` says."""

    findings = verify(module, allow_unregistered=allow_unregistered, in_dump=in_dump)
    if findings:
        raise VerifyError(*with_source(findings, text, file_name))


def verify(module: ir.Module, *, allow_unregistered: bool = False, in_dump: bool = False) -> list[Diagnostic]:
    """Everything that is wrong with the module, in the order of its ops."""
    verifier = _Verifier(allow_unregistered, in_dump)
    with module.context, ir.Location.unknown():
        verifier.module(module)
        if any(op.operation.name == "sdy.mesh" for op in module.body.operations):
            from hlo.dialect.sharding.checks import check_shardings  # few programs need it

            verifier.findings += check_shardings(module)
    return verifier.findings


def op_error(op: Op) -> str | None:
    """What is wrong with one op, those in its regions not looked at."""
    with op.operation.context, ir.Location.unknown():
        return _Verifier(in_dump=True).error(op)


def diagnose(parse: Callable[[], ir.Module]) -> list[Diagnostic]:
    """What is wrong with a text that MLIR refuses, given the function that parses it in a context of types only: MLIR stops at the
    first op that does not fit its IRDL definition, this goes on to the last. Empty when the fault is another one (syntax, types). Whether
    the text is one that may have the compiler's attributes is known to who calls `check`."""
    try:
        module = parse()
    except ir.MLIRError:
        return []
    return verify(module, in_dump=True)


class _Verifier:
    def __init__(self, allow_unregistered: bool = False, in_dump: bool = False) -> None:
        self._allow_unregistered = allow_unregistered
        self._in_dump = in_dump
        self._passed: set[ir.Operation] = set()
        """Ops in regions of our ops that the verifier has gone by: their results may be used."""
        self.findings: list[Diagnostic] = []
        self._accepted: dict[TypeSet, set[ir.Type]] = {}
        self._registered: dict[str, bool] = {}
        self._sound: set[ir.Type] = set()
        self._quantized: dict[ir.Type, bool] = {}
        self._correct: set[Hashable] = set()
        self._plain: dict[ir.Type, bool] = {}

    def module(self, module: ir.Module) -> None:
        error = attributes_error(module, self._in_dump)
        if error:
            self.findings.append(diagnostic(module.operation.opview, f"'builtin.module' op {error}"))
        self.block(module.body)

    def block(self, block: ir.Block, in_region: bool = False) -> None:
        """`in_region`: of an op that MLIR does not know, so that it takes any order of the ops inside."""
        for argument in block.arguments:
            error = self._quantized_error(argument.type)
            if error:
                argument_name = f"argument {argument.arg_number}"
                self.findings.append(
                    diagnostic(block.owner, f"'{block.owner.operation.name}' op {argument_name}: {error}")
                )
        for op in block.operations:
            error = self.error(op) or (self._order_error(op) if in_region else None)
            if error:
                self.findings.append(diagnostic(op, f"'{op.operation.name}' op {error}"))
            if len(op.regions):
                inside = in_region or isinstance(op, Op) or op.operation.name.startswith("sdy.")
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner, inside)
            if in_region:
                self._passed.add(op.operation)

    def _order_error(self, op: Any) -> str | None:
        """Whether each operand is made before the op, as far as MLIR has not looked: it has at those that functions make."""
        for number, operand in enumerate(op.operands):
            maker = operand.owner
            if isinstance(maker, ir.Block) or maker in self._passed or maker.parent.name == "func.func":
                continue
            return f"operand {number} is used before it is made"
        return None

    def error(self, op: Any) -> str | None:
        if not isinstance(op, Op):
            return self._foreign_error(op)
        key = self._key(op)
        if key in self._correct:
            return None
        error = self._own_error(op)
        if error is None and key is not None:
            self._correct.add(key)
        return error

    def _key(self, op: Op) -> Hashable | None:
        """All that decides whether an op is correct: an equal one need not be looked at again. None where other ops decide too: those in
        its regions, the constants that its integer operands are, the functions that ops with effects name."""
        if not op.IS_PURE or len(op.regions):
            return None
        operands = tuple([v.type for v in op.operands])
        if not all(map(self._is_plain, operands)):
            return None
        attributes = op.attributes
        named = tuple([(name, attributes[name]) for name in attributes])
        return op.OPERATION_NAME, operands, tuple([r.type for r in op.results]), named

    def _is_plain(self, t: ir.Type) -> bool:
        """A tensor of floats: it holds no sizes."""
        if t not in self._plain:
            self._plain[t] = is_tensor(t) and is_float(element_type(t))
        return self._plain[t]

    def _own_error(self, op: Op) -> str | None:
        return (
            _count_error(op, Operand)
            or _count_error(op, Result)
            or self._types_error(op)
            or (_attributes_error(op) if op.ATTRIBUTES or len(op.attributes) else None)
            or (attributes_error(op, self._in_dump) if len(op.attributes) else None)
            or (_regions_error(op) if op.REGIONS or len(op.regions) else None)
            or self._constraint_error(op)
            or _result_error(op)
        )

    def _foreign_error(self, op: ir.OpView) -> str | None:
        """An op that is not of our classes must be of a registered dialect."""
        name = op.operation.name
        if name not in self._registered:
            namespace = name.partition(".")[0]
            ours = namespace in registration.NAMESPACES
            foreign = self._allow_unregistered or namespace in UNREGISTERED_DIALECTS
            known = foreign or op.context.is_registered_operation(name) or (self._in_dump and name == CONSTANT)
            self._registered[name] = known and not ours
        if not self._registered[name]:
            return _unknown_op(name)
        error = attributes_error(op, self._in_dump) or self._types_of_results_error(op)
        return error or (_function_error(op) if name == "func.func" else None)

    def _types_of_results_error(self, op: Any) -> str | None:
        """Of a function: what it returns. Its arguments are looked at with its body."""
        types = op.type.results if op.operation.name == "func.func" else [r.type for r in op.results]
        for number, t in enumerate(types):
            error = self._quantized_error(t)
            if error:
                return f"result {number}: {error}"
        return None

    def _types_error(self, op: Op) -> str | None:
        for groups, values in ((op.OPERANDS, op.operands), (op.RESULTS, op.results)):
            for group in groups:
                start, end = group.bounds(op)
                for position in range(start, end):
                    found = values[position].type
                    if not self._accepts(group.type, found):
                        name = group.name + (f"[{position - start}]" if group.variadic else "")
                        return self._type_error(name, group.type, found)
        return None

    @staticmethod
    def _type_error(name: str, types: TypeSet, found: ir.Type) -> str:
        if types.accepts(found):
            return f"{name}: {type_error(found) or bounds_error(found)}"
        return f"{name} must be {types.description}, found {found}"

    def _constraint_error(self, op: Op) -> str | None:
        quantized = any(c.quantized for c in op.CONSTRAINTS) and self._has_quantized(op)
        for clause in op.CONSTRAINTS:
            if clause.quantized and not quantized:
                continue
            message = clause.check(op)
            if message:
                return f"{clause.label}: {message}" if clause.label else message
        return None

    def _has_quantized(self, op: Op) -> bool:
        for values in (op.operands, op.results):
            for value in values:
                found = value.type
                if found not in self._quantized:
                    self._quantized[found] = has_quantized(found)
                if self._quantized[found]:
                    return True
        return False

    def _quantized_error(self, found: ir.Type) -> str | None:
        if found not in self._sound:
            error = type_error(found)
            if error:
                return error
            self._sound.add(found)
        return None

    def _accepts(self, types: TypeSet, found: ir.Type) -> bool:
        accepted = self._accepted.setdefault(types, set())
        if found in accepted:
            return True
        if not types.accepts(found) or type_error(found) or bounds_error(found):
            return False
        accepted.add(found)
        return True


def _function_error(function: ir.OpView) -> str | None:
    """A function without its end: MLIR takes an op that it does not know for one, in the context in which ours are looked at."""
    for block in function.operation.regions[0]:
        last = block.operations[-1]
        if isinstance(last, Op) and last.OPERATION_NAME != "stablehlo.return":
            return f"body must end with return, found {last.OPERATION_NAME}"
    return None


def _unknown_op(name: str) -> str:
    near = nearest_op(name)
    return f"is unknown{f', did you mean {near!r}?' if near else ''}"


def _count_error(op: Op, kind: type[Operand] | type[Result]) -> str | None:
    groups = op.OPERANDS if kind is Operand else op.RESULTS
    values = op.operands if kind is Operand else op.results
    count, fixed = len(values), sum(not g.variadic for g in groups)
    variadics = len(groups) - fixed
    if variadics and kind.segments in op.attributes:
        return _segments_error(op, groups, kind, count)
    if variadics == 0:
        return None if count == fixed else f"must have {_counted(fixed, kind.sequence)}, found {count}"
    if count < fixed:
        return f"must have at least {_counted(fixed, kind.sequence)}, found {count}"
    if (count - fixed) % variadics:
        names = " and ".join(g.name for g in groups if g.variadic)
        return f"must have as many {names} as each other, found {count} {kind.sequence} in all"
    return None


def _counted(count: int, plural: str) -> str:
    return f"{count} {plural[:-1] if count == 1 else plural}"


def _segments_error(op: Op, groups: list, kind: type[Operand] | type[Result], count: int) -> str | None:
    attribute = op.attributes[kind.segments]
    sizes = list(attribute) if isinstance(attribute, ir.DenseI32ArrayAttr) else []
    legal = len(sizes) == len(groups) and sum(sizes) == count and min(sizes) >= 0
    if legal and all(g.variadic or size == 1 for g, size in zip(groups, sizes)):
        return None
    names = ", ".join(g.name for g in groups)
    return f"{kind.segments} must divide {count} {kind.sequence} among {names}, found {attribute}"


def _attributes_error(op: Op) -> str | None:
    found = op.attributes
    present = 0
    for declared in op.ATTRIBUTES:
        if declared.key in found:
            present += 1
            if not declared.kind.accepts(found[declared.key]):
                wanted = declared.kind.description
                return f"attribute '{declared.key}' must be {wanted}, found {found[declared.key]}"
        elif not declared.optional:
            return f"must have attribute '{declared.key}' ({declared.kind.description}){_undeclared(op, found)}"
    if present == len(found) or op.OPEN_ATTRIBUTES:
        return None
    return _unknown_attribute_error(op, found)


def _undeclared(op: Op, found: Any) -> str:
    """What is said of attributes that the op does not have, one of which may be meant for one that it must have."""
    declared = {a.key for a in op.ATTRIBUTES} | set(UNCHECKED_ATTRIBUTES)
    names = [f"'{name}'" for name in found if name not in declared and "." not in name and not name.startswith("_")]
    return f", found {', '.join(names)}" if names else ""


def _unknown_attribute_error(op: Op, found: Any) -> str | None:
    """Programs may carry attributes of their own, with a prefix (`mhlo.sharding`, `_xla_...`) or without one. A name that is almost
    a declared one is a slip of the pen, though: without its attribute the op would mean something else."""
    declared = {a.key for a in op.ATTRIBUTES}
    for name in found:
        if name in declared or name in UNCHECKED_ATTRIBUTES or "." in name or name.startswith("_"):
            continue
        close = difflib.get_close_matches(name, declared, n=1, cutoff=0.8)
        if close:
            return f"has unknown attribute '{name}', did you mean '{close[0]}'?"
    return None


def _regions_error(op: Op) -> str | None:
    """Every region is one block that ends with a return; an unused one (see Op.create) is empty."""
    regions = list(op.regions)
    fixed = sum(not r.variadic for r in op.REGIONS)
    filled = sum(len(r.blocks) > 0 for r in regions)
    if len(regions) < fixed or (filled > fixed and len(op.REGIONS) == fixed):
        return f"must have {_counted(fixed, 'regions')}, found {filled}"
    for position in range(fixed if len(op.REGIONS) == fixed else filled):
        error = _region_error(regions[position])
        if error:
            declared = op.REGIONS[min(position, len(op.REGIONS) - 1)].name
            return f"region {declared} {error}"
    return None


def _region_error(region: ir.Region) -> str | None:
    blocks = region.blocks
    if len(blocks) != 1:
        return f"must have one block, found {len(blocks)}"
    operations = blocks[0].operations
    if not len(operations) or operations[len(operations) - 1].operation.name != "stablehlo.return":
        return "must end with stablehlo.return"
    return None


def _fits_result(op: Op, expected: ir.Type, found: ir.Type) -> bool:
    """What is computed is quantized with the scales and zero points of the result, what moves or comes out of a region has
    those that it had."""
    if op.MOVES or op.REGIONS:
        return compatible(expected, found)
    return compatible(expected, found, compatible_baselines)


def _other_parameters(op: Op, expected: ir.Type) -> str:
    """Of a quantized result that is computed, that neither scales nor zero points are at fault."""
    computed = not (op.MOVES or op.REGIONS) and is_tensor(expected) and has_quantized(expected)
    return " (its scales and zero points may be others)" if computed else ""


def _result_error(op: Op) -> str | None:
    """Where the writer chose sizes or whole types, the clauses say what is legal; an element type that was chosen is inferred as
    it is written."""
    inferred = op.infer() if op.CHOICE in ((), (ELEMENT,)) else None
    if inferred is None:
        return None
    label = f"{op.INFER_LABEL}: " if op.INFER_LABEL else ""
    results = op.results
    if len(inferred) != len(results):
        return f"{label}must have {_counted(len(inferred), 'results')}, found {len(results)}"
    for position, expected in enumerate(inferred):
        found = results[position].type
        if found != expected and not _fits_result(op, expected, found):
            name = "result" if len(results) == 1 else f"result {position}"
            return f"{label}{name} must have type {expected}{_other_parameters(op, expected)}, found {found}"
    return None
