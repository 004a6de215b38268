"""`hlo.Builder`: parameters, errors, and what a program becomes."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from mlir import ir
from mlir.dialects import func

from hlo.builder.computations import Computation
from hlo.builder.core import MISUSE, Core
from hlo.builder.document import DocumentMethods
from hlo.builder.infeed_order import check_infeed_order
from hlo.builder.type_syntax import type_of
from hlo.builder.user_code import is_own, user_file_and_line
from hlo.builder.value import Failed, Value
from hlo.dialect.verifier import check
from hlo.errors import ArgumentError, Diagnostic, HloError, VerifyError

if TYPE_CHECKING:
    from hlo.runtime.calls.executable import Executable


class Builder(DocumentMethods):
    """Builds a program op by op.

        b = Builder()
        x, y = b.parameter("10xf32"), b.parameter("10xf32")
        (z,) = b.compile(2.0 * x + y)(a, c)

    `errors="deferred"`: a mistake does not stop the Python program; `build` raises all of them, the first one first, each
    with the line that made it. Until then a failed value may be used: what depends on it fails silently with it."""

    def __init__(self, name: str = "main", *, errors: str = "raise"):
        if errors not in ("raise", "deferred"):
            raise ArgumentError(f'errors must be "raise" or "deferred", found {errors!r}')
        if not isinstance(name, str):
            raise ArgumentError(f"name takes the name of the program's function, found {name!r}")
        super().__init__(name)
        self.name = name
        self._deferred = errors == "deferred"
        self._last: Any = None
        self._return_value: Value | None = None
        self._findings: list[Diagnostic] = []
        self._depth = 0
        self._numbers: list[int] = []
        """Of the parameters, in the order of their making."""
        self._parent: Builder | None = None

    def parameter(self, written: Any, name: str = "", *, number: int | None = None) -> Value:
        """A parameter of the program, of a type such as "2x3xf32" or that of an array: the next one, or that of a number."""
        with self._here():
            if len(self._scopes) > 1 or self._scopes[0].block != self._main.entry_block:
                raise ArgumentError("parameters belong to the program, not to its functions and regions")
            taken = max(self._numbers, default=-1) + 1 if number is None else int(number)
            if taken in self._numbers or taken < 0:
                raise ArgumentError(f"parameters have numbers from 0, each its own; found {taken} again or below 0")
            current = ir.Location.current
            location = ir.Location.name(name, current) if name else current
            argument = self._main.entry_block.add_argument(type_of(written), location)
            self._numbers.append(taken)
            self._enqueued += 1
            return Value(self, argument, self._scopes[0])  # type: ignore[arg-type]

    def trace(self, tag: str, operand: Value) -> Value:
        """Logs a value under a name when the program runs (XLA's Trace; logger "hlo.trace"), and names the op that makes it:
        it is printed and reported as `tag`."""
        owner = self.value(operand).ir.owner
        if not isinstance(owner, ir.Block):
            owner.operation.location = ir.Location.name(tag, owner.operation.location, self.context)
        enqueued = self._enqueued
        self.custom_call(TRACE, operand, result_types=[], has_side_effect=True, backend_config=tag)
        self._enqueued = enqueued  # no expression that Build could return
        return operand

    def check_shape(self, operand: Value, written: Any) -> Value:
        """The operand, when it has the type; else an error (XLA's CheckShape)."""
        with self._here():
            if operand.type != type_of(written):
                raise ArgumentError(f"expected {type_of(written)}, found {operand.type}")
            return operand

    def build(self, *results: Any) -> ir.Module:
        """The verified program that returns these values; a list of values counts as its elements. Building goes on
        afterwards, so that several programs may have the same beginning."""
        if self._findings:
            raise VerifyError(*self._findings)
        with self._here():
            values = list(results[0]) if len(results) == 1 and isinstance(results[0], (list, tuple)) else results
            if self._has_infeed:
                check_infeed_order(self._main)
            module = self._with_return([self.value(v).ir for v in values])
        check(module)
        return module

    def Build(self) -> Computation:
        """The computation that returns what SetReturnValue was given, or else the last expression that was enqueued."""
        returned = self._return_value if self._return_value is not None else self._last
        return Computation(self.name, self.build(*([] if returned is None else [returned])))

    def BuildAndNoteError(self) -> Computation:
        """As Build, for a builder of `CreateSubBuilder`. A mistake is the parent's; then the computation is empty, and what
        uses it fails with it."""
        if self._parent is None:
            raise ArgumentError("BuildAndNoteError is for builders that CreateSubBuilder has made")
        try:
            return self.Build()
        except HloError as error:
            if not self._parent._deferred:
                raise
            self._parent._findings += _located(error).diagnostics
            return Computation(self.name, None)

    def SetReturnValue(self, operand: Any) -> None:
        """What the computation returns instead of the last expression that was enqueued."""
        self._return_value = self.value(operand)

    def CreateSubBuilder(self, computation_name: str) -> Builder:
        """A builder of a computation that only this builder uses, with its way of reporting errors."""
        made = Builder(computation_name, errors="deferred" if self._deferred else "raise")
        made._parent = self
        return made

    def compile(self, *results: Any, **options: Any) -> Executable:
        """hlo.compile of `build(*results)`."""
        import hlo

        return hlo.compile(self.build(*results), entry=self.name, **options)  # type: ignore[return-value]

    def compute_constant(self, value: Value) -> np.ndarray:
        """The value of something that depends on no parameter: compiled and run now (XLA's ComputeConstant)."""
        import hlo

        if self._findings:
            raise VerifyError(*self._findings)
        with self._here():
            if len(self._scopes) > 1:
                raise ArgumentError("compute_constant is for values of the program, not of a region")
            module = self._with_return([self.value(value).ir])
            _keep_constant_part(module, self.name)
        return hlo.compile(module, entry=self.name)()[0]

    def _noted(self, returned: Any, before: int) -> Any:
        """What a method returns, kept as the last expression if it is one of the program that the method has enqueued."""
        values = returned if isinstance(returned, tuple) else (returned,)
        if self._depth == 1 and self._enqueued > before and all(isinstance(v, Value) for v in values):
            self._last = returned
        return returned

    def _with_return(self, results: Sequence[ir.Value]) -> ir.Module:
        """A copy of the program that ends with the return of these values."""
        main = self._main
        missing = set(range(len(self._numbers))) - set(self._numbers)
        if missing:
            raise ArgumentError(f"parameter {min(missing)} is missing: parameters have the numbers 0, 1, ...")
        end = func.ReturnOp(results, ip=ir.InsertionPoint(main.entry_block))
        types = [a.type for a in main.arguments], [v.type for v in results]
        main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
        try:
            copy = ir.Module.create()
            for op in self.module.body.operations:
                made = op.operation.clone(ip=ir.InsertionPoint(copy.body))
                if op.operation == main.operation:
                    _sort_arguments(made, self._numbers)
            return copy
        finally:
            end.operation.erase()


def _sort_arguments(function: ir.Operation, numbers: Sequence[int]) -> None:
    """Gives a function its arguments in the order of their numbers."""
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    if order == list(range(len(numbers))):
        return
    block = function.regions[0].blocks[0]
    old = list(block.arguments)
    for position in order:
        old[position].replace_all_uses_with(block.add_argument(old[position].type, old[position].location))
    for _ in old:
        block.erase_argument(0)
    results = ir.TypeAttr(function.attributes["function_type"]).value.results
    kind = ir.FunctionType.get([a.type for a in block.arguments], results)
    function.attributes["function_type"] = ir.TypeAttr.get(kind)


def _keep_constant_part(module: ir.Module, name: str) -> None:
    """Erases from the function what its results do not need, and its parameters. Raises when they need one."""
    main = next(op for op in module.body.operations if op.name.value == name)
    block = main.entry_block
    end, *before = reversed([op.operation for op in block.operations])
    for op in before:
        if not any(len(list(r.uses)) for r in op.results):
            op.erase()
    for number, argument in reversed(list(enumerate(block.arguments))):
        if len(list(argument.uses)):
            raise ArgumentError(f"the value depends on parameter {number}: it is no constant")
        block.erase_argument(number)
    results = [v.type for v in end.operands]
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], results))


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The outermost call gives an error its line, and keeps it for `build` when errors are deferred."""

    @functools.wraps(method)
    def call(self: Builder, *arguments: Any, **named: Any) -> Any:
        self._depth += 1
        before = self._enqueued
        try:
            return self._noted(method(self, *arguments, **named), before)
        except HloError as error:
            return _failed(self, error, error.__cause__)
        except MISUSE as error:
            if not is_own(error):
                raise
            return _failed(self, ArgumentError(f"{method.__name__}: {_said(error)}"), error)
        finally:
            self._depth -= 1

    return call


_OF_A_CALL = re.compile(r"^[\w.<>]+\(\) ")
_NO_LIST = re.compile(r"^(?:'(\w+)' object is not iterable|object of type '(\w+)' has no len\(\))$")


def _said(error: BaseException) -> str:
    """What Python says, without the names of functions that are not the user's."""
    said = _OF_A_CALL.sub("", str(error) or type(error).__name__)
    no_list = _NO_LIST.match(said)
    return f"a list is expected where {no_list[1] or no_list[2]} was given" if no_list else said


TRACE = "hlo.trace"
"""The custom call target that logs."""


def _failed(builder: Builder, error: HloError, cause: BaseException | None) -> Value:
    """Raises the error with its location; or keeps it, when errors are deferred."""
    placed = _located(error)
    if builder._depth > 1 or not builder._deferred:
        raise placed from cause
    builder._findings += [] if isinstance(error, Failed) else placed.diagnostics
    return _FailedResults(builder)


class _FailedResults(Value):
    """What a failed call returns when errors are deferred."""

    def __init__(self, builder: Builder):
        super().__init__(builder, None, None)

    @property
    def ir(self) -> ir.Value:
        """Inside of a call, the call fails with it; a program that looks at its type or its parts cannot go on."""
        raise Failed("a value that failed") if self.builder._depth else VerifyError(*self.builder._findings)


def _located(error: HloError) -> HloError:
    """The error with the user's line at findings that have no location yet."""
    if isinstance(error, Failed) or all(d.line for d in error.diagnostics):
        return error
    file, line = user_file_and_line()
    return type(error)(*(d if d.line else Diagnostic(d.message, file, line, 1) for d in error.diagnostics))


_UNGUARDED = {
    "Build",
    "BuildAndNoteError",
    "CreateSubBuilder",
    "build",
    "compile",
    "compute_constant",
    "context",
    "module",
}

for _name in {n for cls in Builder.__mro__ if issubclass(cls, Core) for n in vars(cls)} - _UNGUARDED:
    _is_static = isinstance(inspect.getattr_static(Builder, _name), staticmethod)
    if not _name.startswith("_") and callable(getattr(Builder, _name)) and not _is_static:
        setattr(Builder, _name, _guarded(getattr(Builder, _name)))

__all__ = ["Builder"]
