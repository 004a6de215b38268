"""The heart of the builder: functions, regions, constants, and `op`, which builds any op of the registry with its inferred
types and checks it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import func

from hlo.builder.arguments import bind, model_of
from hlo.builder.computations import Library
from hlo.builder.region_functions import ARGUMENTS
from hlo.builder.tuples import flat
from hlo.builder.type_syntax import element_of, tensor_of, type_of
from hlo.builder.user_code import user_location
from hlo.builder.value import Failed, Value
from hlo.dialect.choices import ELEMENT, NOTHING, SIZES, ChoiceMissing, Chosen
from hlo.dialect.definition import OPS, Op, encode_attributes
from hlo.dialect.elements import DTYPES, make_elements
from hlo.dialect.regions import compatible_lists, types_text
from hlo.dialect.registration import make_context
from hlo.dialect.types import DYNAMIC, element_type, is_tensor
from hlo.dialect.verifier import op_error
from hlo.errors import ArgumentError, VerifyError

MISUSE = (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError, ir.MLIRError)
"""What Python and MLIR raise at arguments that no check has looked at yet."""


INFEED = "stablehlo.infeed"


@dataclass(frozen=True)
class Function:
    """A function of the program, for `call` and `composite`."""

    name: str
    inputs: tuple[ir.Type, ...]
    results: tuple[ir.Type, ...]


@dataclass(eq=False)
class Scope:
    """A function or region that is being filled; its values exist inside it only."""

    block: ir.Block


class Core:
    def __init__(self, name: str = "main"):
        self.context = make_context()
        with self._here():
            self.module = ir.Module.create()
            self._main = func.FuncOp(name, ir.FunctionType.get([], []), ip=ir.InsertionPoint(self.module.body))
            self._scopes = [Scope(self._main.add_entry_block())]
        self._library = Library(self)
        self._enqueued = 0
        """How many expressions there are; for `Build`, which returns the last one."""
        self._has_infeed = False

    @contextmanager
    def _here(self) -> Iterator[None]:
        """MLIR's context and location for what is built inside: the user's line."""
        with self.context, user_location(self.context):
            yield

    def op(
        self,
        name: str,
        *arguments: Any,
        result_type: Any = None,
        result_types: Any = None,
        dtype: Any = None,
        sizes: Any = None,
        **named: Any,
    ) -> Any:
        """Builds the op `name` ("stablehlo.add", or "add"): operands, Python functions for its regions, attributes, in the
        order of the specification or by name. Its result; a tuple when there are several, None when there is none.

        Result types are inferred. Where a part of them is the writer's choice: `dtype`, the element type of the last result,
        `sizes`, its shape (None: a size known at run time only). `result_type` or `result_types`: all of them."""
        cls = _op_class(name)
        with self._here():
            call = bind(cls, arguments, named)
            groups = [
                [self._operand(v, model_of(cls, call, g, i)) for i, v in enumerate(group)]
                for g, group in enumerate(call.groups)
            ]
            attributes = _encode(cls, call.attributes)
            _add_segments(cls, groups, attributes)
            operands = [value for group in groups for value in group]
            holder = self._regions(cls, operands, attributes, call.functions)
            try:
                wanted = [result_type] if result_type is not None else result_types
                chosen = NOTHING if wanted is not None else _chosen(dtype, sizes)
                types = self._result_types(cls, operands, attributes, holder, wanted, chosen)
                return self._values(self._create(cls, operands, attributes, holder, types))
            finally:
                holder.erase()

    def _operand(self, value: Any, model: Value | str | None) -> ir.Value:
        return self.value(value, model).ir

    def value(self, given: Any, model: Value | str | None = None) -> Value:
        """A value as it is; an array or number as a constant, a number in the element type of `model`."""
        if isinstance(given, Value):
            given.ir  # noqa: B018  (raises when it failed)
            if given.scope not in self._scopes:
                raise ArgumentError("a value was used outside of the function, region or builder that it belongs to")
            return given
        return self.constant(given, _dtype_of(given, model))

    def constant(self, value: Any, dtype: Any = None) -> Value:
        """A constant: a number or (nested lists of them), an array, or a dense attribute (`ir.Attribute`)."""
        with self._here():
            if not isinstance(value, ir.Attribute):
                value = self._elements(value, dtype)
            return self._values(OPS["stablehlo.constant"].create(value=value, ip=self._ip()).operation)

    def _elements(self, value: Any, dtype: Any) -> ir.Attribute:
        element = element_of(dtype if dtype is not None else _dtype_of(value, None))
        known = DTYPES.get(str(element))
        if known is None:
            raise ArgumentError(f"constants of {element} are given as attributes")
        try:
            array = np.asarray(value)
            return make_elements(_converted(array, known, element), tensor_of(array.shape, element))
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"{value!r} is no constant of element type {element}: {error}") from error

    def _ip(self) -> ir.InsertionPoint:
        return ir.InsertionPoint(self._scopes[-1].block)

    def _values(self, op: ir.Operation) -> Any:
        self._enqueued += 1
        self._has_infeed |= op.name == INFEED
        results = tuple(Value(self, r, self._scopes[-1]) for r in op.results)  # type: ignore[arg-type]
        return results[0] if len(results) == 1 else results or None

    def _regions(self, cls: type[Op], operands: Any, attributes: Any, functions: Sequence[Any]) -> ir.Operation:
        """A temporary op that holds the filled regions until the types of the op are known."""
        holder = ir.Operation.create("stablehlo.functions", regions=max(2, len(functions)), ip=self._ip())
        adaptor = cls.AdaptorClass(operands, attributes)
        try:
            for position, function in enumerate(functions):
                declared = cls.REGIONS[min(position, len(cls.REGIONS) - 1)]
                arguments = ARGUMENTS.get((cls.OPERATION_NAME, declared.name))
                types = _region_arguments(cls, arguments, adaptor) if arguments else []
                self._fill(holder.regions[position], function, types)
        except BaseException:
            holder.erase()
            raise
        return holder

    def _fill(self, region: ir.Region, function: Any, types: Sequence[ir.Type]) -> None:
        """Runs the function (of Python, of the program, or a computation) on the region's arguments; what it returns is
        the region's result."""
        block = region.blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
        scope = Scope(block)
        self._scopes.append(scope)
        try:
            build = self._library.python_function(function)
            returned = self._returned(build(*(Value(self, a, scope) for a in block.arguments)), types, flattened=True)  # type: ignore[arg-type]
            ir.Operation.create("stablehlo.return", operands=returned, ip=ir.InsertionPoint(block))
        finally:
            self._scopes.pop()

    def _returned(self, results: Any, types: Sequence[ir.Type], flattened: bool = False) -> list[ir.Value]:
        """`flattened`: with the elements of tuples instead of tuples, as regions return them."""
        results = () if results is None else results if isinstance(results, (list, tuple)) else (results,)
        results = flat(results) if flattened else results
        models = [str(element_type(t)) if is_tensor(t) else None for t in types] + [None] * len(results)
        return [self._operand(r, model) for r, model in zip(results, models)]

    def _result_types(
        self, cls: type[Op], operands: Any, attributes: Any, holder: ir.Operation, wanted: Any, chosen: Chosen
    ) -> list[ir.Type]:
        if wanted is not None:
            if not isinstance(wanted, (list, tuple)):
                raise ArgumentError(f"result_types= takes a list of types, found {wanted!r}")
            return [type_of(t) for t in wanted]
        adaptor = cls.AdaptorClass(operands, attributes, holder.regions, chosen, holder)
        try:
            inferred = cls.infer(adaptor)  # type: ignore[arg-type]
        except ChoiceMissing as missing:
            raise ArgumentError(f"{cls.OPERATION_NAME}: {_MISSING[str(missing)]} (or result_type=)") from None
        except MISUSE as error:
            self._explain(cls, operands, attributes, holder)
            raise ArgumentError(f"{cls.OPERATION_NAME}: no result type follows from the operands ({error})") from error
        if inferred is None and cls.RESULTS:
            raise ArgumentError(f"{cls.OPERATION_NAME}: the result types are the writer's choice: give result_types=")
        return inferred or []

    def _explain(self, cls: type[Op], operands: Any, attributes: Any, holder: ir.Operation) -> None:
        """Raises the clause that operands break which no result type follows from."""
        self._create(cls, operands, attributes, holder, [operands[0].type] * len(cls.RESULTS)).erase()

    def _create(self, cls: type[Op], operands: Any, attributes: Any, holder: ir.Operation, types: Any) -> ir.Operation:
        """Creates the op with the regions of `holder`. Raises VerifyError, leaving nothing, when it breaks a clause."""
        filled = [region for region in holder.regions if len(region.blocks)]
        count = 2 if len(filled) == 1 else len(filled)  # one-region ops would count as symbol tables
        op = ir.Operation.create(
            cls.OPERATION_NAME, list(types), list(operands), attributes, regions=count, ip=self._ip()
        )
        for source, target in zip(filled, op.regions):
            source.blocks[0].append_to(target)
        message = op_error(op.opview)
        if message:
            op.erase()
            raise VerifyError(f"'{cls.OPERATION_NAME}' op {message}")
        return op

    def free_symbol(self, name: str) -> str:
        """The name, or one made from it that no function of the program has."""
        taken = {op.name.value for op in self.module.body.operations}
        return next(s for s in (name, *(f"{name}_{i}" for i in range(len(taken) + 1))) if s not in taken)

    def function(self, body: Callable[..., Any], *types: Any, name: str | None = None) -> Function:
        """A function of the program from a Python function, given the types of its arguments. Private; called by `call`."""
        with self._here():
            inputs = [type_of(t) for t in types]
            symbol = self.free_symbol(name or getattr(body, "__name__", "function").strip("<>"))
            made = func.FuncOp(
                symbol, ir.FunctionType.get(inputs, []), visibility="private", ip=ir.InsertionPoint(self.module.body)
            )
            try:
                results = self._function_body(made, body)
            except BaseException:
                made.operation.erase()
                raise
            return Function(symbol, tuple(inputs), tuple(results))

    def _function_body(self, made: func.FuncOp, body: Callable[..., Any]) -> list[ir.Type]:
        outer, scope = self._scopes, Scope(made.add_entry_block())
        self._scopes = [scope]
        try:
            returned = self._returned(body(*(Value(self, a, scope) for a in scope.block.arguments)), made.type.inputs)  # type: ignore[arg-type]
            func.ReturnOp(returned, ip=self._ip())
        finally:
            self._scopes = outer
        results = [value.type for value in returned]
        made.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(made.type.inputs, results))
        return results

    def call(self, function: Any, *arguments: Any) -> Any:
        """Calls a function of the program or a computation. Its result; a tuple when there are several."""
        with self._here():
            function = self._library.callee(function)
            models = [str(element_type(t)) if is_tensor(t) else None for t in function.inputs] + [None] * len(arguments)
            operands = [self._operand(a, model) for a, model in zip(arguments, models)]
            found = [v.type for v in operands]
            if not compatible_lists(found, function.inputs):
                wanted = types_text(function.inputs)
                raise VerifyError(f"'func.call' op @{function.name} takes {wanted}, found {types_text(found)}")
            callee = ir.FlatSymbolRefAttr.get(function.name)
            return self._values(func.CallOp(list(function.results), callee, operands, ip=self._ip()).operation)


def _region_arguments(cls: type[Op], arguments: Callable[[Any], list[ir.Type]], adaptor: Any) -> list[ir.Type]:
    try:
        return arguments(adaptor)
    except MISUSE as error:
        raise ArgumentError(
            f"{cls.OPERATION_NAME}: its functions take what its operands do not give ({error})"
        ) from error


_MISSING = {
    ELEMENT: "the element type of the result is the writer's choice: give dtype=",
    SIZES: "the shape of the result is the writer's choice: give sizes=",
}


def _chosen(dtype: Any, sizes: Any) -> Chosen:
    element = None if dtype is None else element_of(dtype)
    try:
        return Chosen(element, None if sizes is None else [DYNAMIC if n is None else index(n) for n in sizes])
    except TypeError as error:
        raise ArgumentError(f"sizes= takes integers (None: known at run time only), found {sizes!r}") from error


def _converted(given: np.ndarray, dtype: np.dtype[Any], element: ir.Type) -> np.ndarray:
    """Floats are rounded. What integers and real numbers cannot hold is a ValueError: other numbers, fractions, imaginary parts."""
    if given.dtype.kind == "c" and dtype.kind != "c":
        _refuse(given, given.imag != 0)
        given = given.real
    with np.errstate(invalid="ignore"):
        converted = given.astype(dtype)
    if isinstance(element, ir.IntegerType) and given.dtype != dtype and given.dtype.kind in "iufV":
        numbers = given if given.dtype.kind in "iuf" else given.astype(np.float64)
        _refuse(given, numbers != (converted if dtype.kind in "iu" else converted.astype(np.int64)))
    return converted


def _refuse(given: np.ndarray, lost: np.ndarray) -> None:
    if lost.any():
        raise ValueError(f"it would not keep {given[lost].flat[0]}")


def _op_class(name: str) -> type[Op]:
    full = name if "." in name else f"stablehlo.{name}"
    if full not in OPS or OPS[full].IS_TERMINATOR:
        raise ArgumentError(f"no op {full!r} to build")
    return OPS[full]


def _dtype_of(given: Any, model: Value | str | None) -> Any:
    """Arrays keep their element type; numbers take that of `model`, or Python's."""
    if isinstance(given, (np.ndarray, np.generic)):
        return given.dtype
    if isinstance(model, Value):
        return element_type(model.type)
    if model is not None:
        return model
    try:
        dtype = np.asarray(given).dtype
    except ValueError as error:
        raise ArgumentError(f"{given!r} is no array: {error}") from error
    return {"b": "i1", "i": "i32", "u": "i32", "f": "f32", "c": "complex<f32>"}.get(dtype.kind) or dtype


def _encode(cls: type[Op], values: dict[str, Any]) -> dict[str, ir.Attribute]:
    try:
        return encode_attributes(cls, values)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ArgumentError(f"{cls.OPERATION_NAME}: {error}") from error


def _add_segments(cls: type[Op], groups: list[list[ir.Value]], attributes: dict[str, ir.Attribute]) -> None:
    """Operand groups of unequal sizes are distinguished by an attribute."""
    sizes = [len(group) for group in groups]
    if len({n for n, g in zip(sizes, cls.OPERANDS) if g.variadic}) > 1:
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)


__all__ = ["Core", "Failed", "Function", "Scope"]
