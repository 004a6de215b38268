"""Custom calls: of ops, and of functions of the host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.locations import location_text
from hlo.dialect.stablehlo.custom_calls import CustomCallOp, size_operands
from hlo.dialect.types import is_tensor, shape, tuple_types
from hlo.reference.called_ops import CALLED_OPS
from hlo.reference.table import evaluates
from hlo.reference.values import TOKEN, stored_dtype
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.compile.entry_function import entry_only
from hlo.runtime.custom_calls.attributes import python_value
from hlo.runtime.custom_calls.registry import Description, bind_target

IDENTITIES = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement")


@evaluates(CustomCallOp)
def evaluate_custom_call(call, *operands):
    target = call.call_target_name
    positions = size_operands(call.op)
    sizes = [tuple(int(n) for n in operands[i]) for i in positions]
    operands = tuple(v for i, v in enumerate(operands) if i not in positions)
    if target in IDENTITIES:
        return list(operands)
    if target in CALLED_OPS:
        return CALLED_OPS[target](call, *operands)
    as_op = evaluates.get(target.replace("mhlo.", "chlo."))
    if as_op and target.startswith(("mhlo.", "chlo.")):
        return as_op(call, *operands)
    return _registered(call, target, operands, sizes)


def _registered(call: Any, target: str, operands: tuple, sizes: list[tuple[int, ...]]) -> list[Any]:
    """`sizes`: of all results, where operands hold them."""
    arrays = [np.asarray(leaf) for operand in operands for leaf in _leaves(operand)]
    types = [r.type for r in call.op.operation.results]
    kinds = tuple(kind for t in types for kind in _array_types(t))
    if sizes:
        kinds = tuple(ArrayType(n, kind.dtype) for n, kind in zip(sizes, kinds, strict=True))
    given = tuple(ArrayType(a.shape, a.dtype) for a in arrays)
    bound = bind_target(target, _description(call), given, kinds, called_computations=_called(call))
    try:
        results = iter(bound.call(arrays))
    except Exception as error:
        raise bound.failure(error) from error
    return [_of_type(t, results) for t in types]


def _description(call: Any) -> Description:
    attributes = call.op.operation.attributes
    config = next((attributes[k] for k in ("mhlo.backend_config", "backend_config") if k in attributes), None)
    value = "" if config is None else python_value(config)
    return Description(value, call.op.api_version, bool(call.op.has_side_effect), location=location_text(call.op))


def _called(call: Any) -> tuple[Callable[..., list[np.ndarray]], ...]:
    """The functions that the call names, as callables that check what they are given."""
    from hlo.reference.executable import ReferenceExecutable  # here: it is made of the interpreter

    def callable_of(name: str) -> Callable[..., list[np.ndarray]]:
        def called(*arrays: Any) -> list[np.ndarray]:
            return ReferenceExecutable(entry_only(call.interpreter.module, name), name)(*arrays)

        called.__name__ = name
        return called

    return tuple(map(callable_of, call.called_computations or ()))


def _leaves(value: Any) -> list[Any]:
    """The arrays in a value: those of a tuple's parts, none in a token."""
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in _leaves(part)]
    return [] if value is TOKEN else [value]


def _array_types(t: ir.Type) -> list[ArrayType]:
    """The types of the arrays in a value of a type."""
    if isinstance(t, ir.TupleType):
        return [kind for part in tuple_types(t) for kind in _array_types(part)]
    return [ArrayType(shape(t), stored_dtype(t))] if is_tensor(t) else []


def _of_type(t: ir.Type, arrays: Iterator[np.ndarray]) -> Any:
    """A value of a type from the next arrays."""
    if isinstance(t, ir.TupleType):
        return tuple(_of_type(part, arrays) for part in tuple_types(t))
    return next(arrays) if is_tensor(t) else TOKEN
