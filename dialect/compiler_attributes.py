"""The attributes that the compiler gives to modules, functions, their arguments and ops: what dumps of its phases hold, and programs
may not. Passes and the runtime believe them, so a program that came with some of its own could make code write anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass

PREFIX = "hlo."
MODULE, FUNCTION, ARGUMENT, OP = "a module", "a function", "an argument", "an op"

TARGETS = ("hlo.trace",)
"""Targets of custom calls that begin so and that programs may call; the compiler makes calls of others."""

CONSTANT = "hlo.constant"
"""The op of a module that holds a constant's elements, from phase memory on."""


@dataclass(frozen=True)
class Holds:
    """What an attribute is."""

    description: str
    accepts: Callable[[ir.Attribute], bool]


def _is_number(attribute: ir.Attribute) -> bool:
    return isinstance(attribute, ir.IntegerAttr) and not isinstance(attribute, ir.BoolAttr) and attribute.value >= 0


def _array_of(accepts: Callable[[ir.Attribute], bool]) -> Callable[[ir.Attribute], bool]:
    return lambda found: isinstance(found, ir.ArrayAttr) and all(map(accepts, found))


def _is_dictionary(attribute: ir.Attribute) -> bool:
    return isinstance(attribute, ir.DictAttr)


_NUMBER = Holds("an integer from 0", _is_number)
_NUMBERS = Holds(
    "array<i64> of integers from 0", lambda a: isinstance(a, ir.DenseI64ArrayAttr) and min(list(a), default=0) >= 0
)
_OFFSETS = Holds("array<i64>", lambda a: isinstance(a, ir.DenseI64ArrayAttr))
_STRING = Holds("a string", lambda a: isinstance(a, ir.StringAttr))
_SYMBOL = Holds("the name of a function", lambda a: isinstance(a, ir.FlatSymbolRefAttr))
_STRINGS = Holds("a list of strings", _array_of(lambda a: isinstance(a, ir.StringAttr)))
_UNIT = Holds("unit", lambda a: isinstance(a, ir.UnitAttr))
_BOOL = Holds("true or false", lambda a: isinstance(a, ir.BoolAttr))
_SCHEDULE = Holds("a dictionary", _is_dictionary)
_TYPES = Holds("a list of types", _array_of(lambda a: isinstance(a, ir.TypeAttr)))
_TYPE = Holds("a type", lambda a: isinstance(a, ir.TypeAttr))
_ANY = Holds("any attribute", lambda a: True)
_CALLS = Holds("a list of dictionaries", _array_of(_is_dictionary))
_CONFIG = Holds("a string or a dictionary", lambda a: isinstance(a, (ir.StringAttr, ir.DictAttr)))
_MAPS = Holds("an integer or a list of dictionaries", lambda a: _is_number(a) or _CALLS.accepts(a))
_PROGRAMS = Holds("a list", lambda a: isinstance(a, ir.ArrayAttr))
_KERNEL = Holds(
    "a kind of kernel",
    lambda a: (
        _STRING.accepts(a) and ir.StringAttr(a).value in ("region", "contraction", "loops", "attention", "rows", "fft")
    ),
)

_READS_SCORES = Holds(
    "softmax or elements", lambda a: _STRING.accepts(a) and ir.StringAttr(a).value in ("softmax", "elements")
)

TABLE: dict[str, dict[str, Holds]] = {
    MODULE: {
        "hlo.arena": _NUMBER,
        "hlo.custom_calls": _CALLS,
        "hlo.donated": _NUMBERS,
        "hlo.entry": _STRING,
        "hlo.grid": _NUMBERS,
        "hlo.in_donated": _NUMBERS,
        "hlo.meetings": _CALLS,
        "hlo.profile": _CALLS,
    },
    FUNCTION: {
        "hlo.api_version": _NUMBER,
        "hlo.backend_config": _CONFIG,
        "hlo.bf16": _UNIT,
        "hlo.gathered": _ANY,
        "hlo.called_programs": _PROGRAMS,
        "hlo.code": _SYMBOL,
        "hlo.custom_call": _STRING,
        "hlo.decision": _STRING,
        "hlo.demands": _STRINGS,
        "hlo.fft": _STRING,
        "hlo.fft_length": _NUMBERS,
        "hlo.has_side_effect": _BOOL,
        "hlo.independent": _NUMBER,
        "hlo.kernel": _KERNEL,
        "hlo.layer": _UNIT,
        "hlo.operand_types": _TYPES,
        "hlo.part": _UNIT,
        "hlo.location": _STRING,
        "hlo.result_types": _TYPES,
        "hlo.row": _NUMBER,
        "hlo.schedule": _SCHEDULE,
        "hlo.scratch": _NUMBER,
        "hlo.stage": _KERNEL,
        "hlo.stored_types": _TYPES,
        "hlo.tensor_maps": _MAPS,
        "hlo.unread_results": _NUMBERS,
    },
    ARGUMENT: {
        "hlo.device_order": _NUMBERS,
        "hlo.global_type": _TYPE,
        "hlo.may_alias": _NUMBERS,
        "hlo.sharding": _ANY,
        "hlo.tied": _NUMBER,
    },
    OP: {
        "hlo.atomic": _UNIT,
        "hlo.blocks": _UNIT,
        "hlo.called_programs": _PROGRAMS,
        "hlo.contraction": _UNIT,
        "hlo.independent": _UNIT,
        "hlo.gathered": _ANY,
        "hlo.low": _OFFSETS,
        "hlo.number": _NUMBER,
        "hlo.operand_types": _TYPES,
        "hlo.own": _NUMBER,
        "hlo.parallel": _UNIT,
        "hlo.purpose": _STRING,
        "hlo.part": _UNIT,
        "hlo.parts": _NUMBER,
        "hlo.reads_scores": _READS_SCORES,
        "hlo.result_types": _TYPES,
        "hlo.rounded_inputs": _STRING,
        "hlo.tensor_maps": _MAPS,
    },
}
"""By what holds them: every attribute of the compiler's own."""

OF_PARTITIONED_PROGRAMS = ("hlo.gathered", "hlo.global_type", "hlo.purpose", "hlo.sharding")
"""What any program may have: the pass `partition` writes programs that are read again, by other tools too."""

_FUNCTIONS = ("func.func", "llvm.func", "gpu.func")


def attributes_error(op: Any, in_dump: bool) -> str | None:
    """What is wrong with the compiler's attributes of an op; `in_dump`: whether the text may have any."""
    if not in_dump and op.operation.name == "stablehlo.custom_call":
        target = op.operation.attributes["call_target_name"].value
        if target.startswith(PREFIX) and target not in TARGETS:
            return f"calls '{target}': targets that begin with '{PREFIX}' are the compiler's own"
    for holder, name, attribute in _own_attributes(op):
        if not in_dump and name not in OF_PARTITIONED_PROGRAMS:
            return f"attribute '{name}' is the compiler's own: only dumps of its phases have attributes that begin with '{PREFIX}'"
        holds = TABLE[holder].get(name)
        if holds is None:
            return f"has attribute '{name}', which the compiler does not give to {holder}"
        if not holds.accepts(attribute):
            return f"attribute '{name}' must be {holds.description}, found {attribute}"
        if name == "hlo.entry" and not _has_function(op, ir.StringAttr(attribute).value):
            return f"attribute '{name}' must name a function that the module defines, found {attribute}"
    return _results_error(op) if op.operation.name == "func.func" else None


_OF_RESULTS: dict[str, Callable[[ir.Attribute], list[int]]] = {
    "hlo.tied": lambda a: [ir.IntegerAttr(a).value],
    "hlo.may_alias": lambda a: list(ir.DenseI64ArrayAttr(a)),
}
"""Attributes of tensors that functions take: the numbers of results whose storage they are or may be."""


def _results_error(function: Any) -> str | None:
    """What is wrong with the results that arguments share their storage with. Functions on memrefs have none."""
    attributes = function.operation.attributes
    kind = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
    tied: set[int] = set()
    for number, dictionary in enumerate(attributes["arg_attrs"] if "arg_attrs" in attributes else ()):  # noqa: SIM401
        for name in _OF_RESULTS.keys() & set(_names(ir.DictAttr(dictionary))):
            results = _OF_RESULTS[name](ir.DictAttr(dictionary)[name])
            if not isinstance(kind.inputs[number], ir.RankedTensorType):
                continue
            outside = next((r for r in results if r >= len(kind.results)), None)
            if outside is not None:
                return (
                    f"attribute '{name}' of argument {number} names one of {len(kind.results)} results, found {outside}"
                )
            if name == "hlo.tied":
                (result,) = results
                if kind.results[result] != kind.inputs[number] or result in tied:
                    return f"attribute '{name}' of argument {number} names a result of its type, {kind.inputs[number]}, that no other argument is tied to, found {result}"
                tied.add(result)
    return None


def _names(dictionary: ir.DictAttr) -> list[str]:
    return [name if isinstance(name, str) else name.name for name in dictionary]


def _has_function(module: Any, name: str) -> bool:
    """Whether a module defines a function of this name."""
    functions = (one.operation for one in module.operation.regions[0].blocks[0] if one.operation.name in _FUNCTIONS)
    return any(f.attributes["sym_name"].value == name and len(f.regions[0].blocks) > 0 for f in functions)


def _own_attributes(op: Any) -> Iterator[tuple[str, str, ir.Attribute]]:
    """Holder, name and value."""
    attributes = op.operation.attributes
    for name in attributes:
        if name.startswith(PREFIX):
            yield _holder(op.operation.name), name, attributes[name]
    if op.operation.name not in _FUNCTIONS:
        return
    for key in ("arg_attrs", "res_attrs"):
        for dictionary in attributes[key] if key in attributes else ():  # noqa: SIM401
            for name in _names(ir.DictAttr(dictionary)):
                if name.startswith(PREFIX):
                    yield ARGUMENT, name, ir.DictAttr(dictionary)[name]


def _holder(op_name: str) -> str:
    if op_name in ("builtin.module", "gpu.module"):
        return MODULE
    return FUNCTION if op_name in _FUNCTIONS else OP
