"""custom_call and the check dialect: calls of private declarations that the runtime binds to Python functions.

Before:  %0 = stablehlo.custom_call @solve(%a) {backend_config = "fast"} : (tensor<4xui8>) -> tensor<4xf32>
After:   func.func private @solve_0(tensor<4xi8>) -> tensor<4xf32> attributes {
             hlo.custom_call = "solve", hlo.backend_config = "fast", hlo.api_version = 1 : i32,
             hlo.has_side_effect = false, hlo.operand_types = [tensor<4xui8>], hlo.result_types = [tensor<4xf32>]}
         %0 = func.call @solve_0(%a)

The types are those of the program, signedness included, and make the arrays that the function is given."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import I64
from hlo.dialect.check import (
    ExpectAlmostEqConstOp,
    ExpectAlmostEqOp,
    ExpectCloseOp,
    ExpectEqConstOp,
    ExpectEqOp,
)
from hlo.dialect.locations import diagnostic, location_text
from hlo.dialect.stablehlo import CustomCallOp
from hlo.dialect.stablehlo.custom_calls import layout_dimensions
from hlo.errors import CompileError
from hlo.lowering.linalg.control_flow import flat, flat_types, leaf_types, results_of
from hlo.lowering.linalg.rules import Lowering, lowers

MEANINGLESS = {
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "LayoutConstraint",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
}
"""Targets that only place data on devices: identities on one device."""


RELEASE = "hlo.release"
"""A target whose result is its first operand, in the same buffer (lowering/stablehlo/collectives/lower_collectives.py)."""


LAPACK = re.compile(r"lapack_[sdcz](\w+)_ffi")
IN_PLACE = {
    **dict.fromkeys(("potrf", "getrf", "geqrf", "orgqr", "ungqr", "syevd", "heevd", "gehrd", "sytrd", "hetrd"), 0),
    "trsm": 1,
    **dict.fromkeys(("ormqr", "unmqr"), 2),
}
"""Routines whose first result may be where this operand was: of each problem, that is read before the result is written, and never after (runtime/custom_calls/lapack.py)."""


@lowers(CustomCallOp)
def lower_custom_call(op: CustomCallOp, lowering: Lowering) -> list[Any]:
    _refuse_buffers(op)
    if op.call_target_name in MEANINGLESS:
        return _identity(op, lowering)
    expanded = _small_factorisation(op, lowering)
    if expanded is not None:
        return expanded
    attributes = {
        "hlo.backend_config": _backend_config(op),
        "hlo.api_version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), op.api_version),
        "hlo.has_side_effect": ir.BoolAttr.get(bool(op.has_side_effect)),
    }
    if demands := _demands(op):
        attributes["hlo.demands"] = ir.ArrayAttr.get([ir.StringAttr.get(one) for one in demands])
    if unread := _unread(op):
        attributes["hlo.unread_results"] = ir.DenseI64ArrayAttr.get(unread)
    if "hlo.called_programs" in op.attributes:  # of keep-called-computations
        attributes["hlo.called_programs"] = op.attributes["hlo.called_programs"]
    if op.call_target_name == RELEASE:
        attributes["arg_attrs"] = _marked(op, 0, "hlo.tied", I64.encode(0))
    routine = LAPACK.fullmatch(op.call_target_name)
    if routine and routine[1] in IN_PLACE and not lowering.many_threads:
        attributes["arg_attrs"] = _marked(op, IN_PLACE[routine[1]], "hlo.may_alias", ir.DenseI64ArrayAttr.get([0]))
    return call_target(op, lowering, op.call_target_name, attributes)


def _unread(op: CustomCallOp) -> list[int]:
    """The numbers of results that nothing uses: a target need not write them."""
    used = [any(True for _ in r.uses) for r in op.results for _ in leaf_types([r.type])]
    return [number for number, is_used in enumerate(used) if not is_used]


def _demands(op: CustomCallOp) -> list[str]:
    """What the call asks of the memory of its arrays (hlo.runtime.custom_calls.registry.Description)."""
    layouts = [layout_dimensions(layout) for layout in (*(op.operand_layouts or ()), *(op.result_layouts or ()))]
    found = ["layouts"] if any(one != sorted(one, reverse=True) for one in layouts) else []
    return [*found, "aliases"] if op.output_operand_aliases else found


def _refuse_buffers(op: CustomCallOp) -> None:
    for value in (*op.operands, *op.results):
        if isinstance(value.type, ir.MemRefType):
            raise CompileError(diagnostic(op, f"buffers are not supported, found {value.type}"))


def call_target(op: ir.OpView, lowering: Lowering, target: str, attributes: dict[str, ir.Attribute]) -> list[Any]:
    """Declares the target and calls it with the op's operands."""
    operands = flat([lowering[v] for v in op.operands])
    types = flat_types([r.type for r in op.results], lowering)
    stem = re.sub(r"\W", "_", target)
    with ir.InsertionPoint(lowering.target.body):
        declaration = func.FuncOp(lowering.symbol(stem), ([v.type for v in operands], types), visibility="private")
    declared = declaration.attributes
    declared["hlo.custom_call"] = ir.StringAttr.get(target)
    for key, values in (("hlo.operand_types", op.operands), ("hlo.result_types", op.results)):
        declared[key] = op.attributes[key] if key in op.attributes else _types(v.type for v in values)
    for name, value in attributes.items():
        declared[name] = value
    return results_of(op, list(func.CallOp(types, declaration.name.value, operands).results))


def _marked(op: CustomCallOp, number: int, name: str, value: ir.Attribute) -> ir.Attribute:
    """Attributes of the declaration's arguments: one of them has this one."""
    return ir.ArrayAttr.get([ir.DictAttr.get({name: value} if n == number else {}) for n in range(len(op.operands))])


def _identity(op: CustomCallOp, lowering: Lowering) -> list[Any]:
    operands = [lowering[v] for v in op.operands][: len(op.results)]
    types = [v.type for v in operands]
    if types != flat_types([r.type for r in op.results], lowering):
        raise CompileError(
            diagnostic(op, f"custom_call @{op.call_target_name} changes a shape: it needs several devices")
        )
    return operands


def _backend_config(op: CustomCallOp) -> ir.Attribute:
    """The configuration as written: a string, or a dictionary (api_version 4). JAX leaves the string empty where it
    writes a dictionary."""
    for key in ("mhlo.backend_config", "backend_config"):
        if key in op.attributes:
            return op.attributes[key]
    return ir.StringAttr.get("")


def _types(types: Iterable[ir.Type]) -> ir.ArrayAttr:
    """Types, signedness included; tokens, which no function is given, left out."""
    return ir.ArrayAttr.get([ir.TypeAttr.get(t) for t in leaf_types(types)])


def _small_factorisation(op: CustomCallOp, lowering: Lowering) -> list[ir.Value] | None:
    """The results of a call of LAPACK as code of the program; None where it stays a call."""
    if not op.call_target_name.startswith("lapack_"):
        return None
    from hlo.lowering.linalg.linear_algebra.small_factorisations import expand  # here: few programs need it

    return expand(op, lowering)


@lowers(ExpectEqOp, ExpectEqConstOp, ExpectAlmostEqOp, ExpectAlmostEqConstOp, ExpectCloseOp)
def lower_expectation(op: ir.OpView, lowering: Lowering) -> list[Any]:
    """An op of the check dialect: a call of the target of its name, its attributes and location as the configuration."""
    config = {name: op.attributes[name] for name in op.attributes if not name.startswith("hlo.")}
    config["location"] = ir.StringAttr.get(location_text(op))
    return call_own_target(op, lowering, config)


def call_own_target(op: ir.OpView, lowering: Lowering, config: dict[str, ir.Attribute]) -> list[Any]:
    """A call, for its effect, of the runtime's target that has the op's name."""
    attributes = {
        "hlo.backend_config": ir.DictAttr.get(config),
        "hlo.api_version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 4),
        "hlo.has_side_effect": ir.BoolAttr.get(True),
    }
    return call_target(op, lowering, op.operation.name, attributes)
