"""Functions that were built separately: as the functions of an op's regions, and to be called.

maximum = hlo.Builder("max")
maximum.Max(maximum.parameter("f32"), maximum.parameter("f32"))
b.reduce(x, 0.0, maximum.Build(), [0])"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mlir import ir
from mlir.dialects import func

from hlo.builder.value import Failed, Value
from hlo.dialect.regions import types_text
from hlo.dialect.types import element_type, is_tensor
from hlo.errors import ArgumentError

if TYPE_CHECKING:
    from hlo.builder.core import Core, Function
    from hlo.runtime.calls.executable import Executable


class Computation:
    """A program that was built: `hlo.compile` takes it, and so does every method of a builder that takes a function.
    Without a module: one that could not be built (`BuildAndNoteError`); what uses it fails silently with it."""

    def __init__(self, name: str, module: ir.Module | None):
        self.name = name
        self._module = module

    @property
    def module(self) -> ir.Module:
        if self._module is None:
            raise Failed("a computation that failed")
        return self._module

    @property
    def inputs(self) -> tuple[ir.Type, ...]:
        return tuple(_function_named(self.module, self.name).type.inputs)

    @property
    def results(self) -> tuple[ir.Type, ...]:
        return tuple(_function_named(self.module, self.name).type.results)

    def compile(self, **options: Any) -> Executable:
        """hlo.compile of it."""
        import hlo

        return hlo.compile(self.module, entry=self.name, **options)  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"<Computation {self.name}>" if self._module else "<Computation failed>"


def computation_of(given: Any) -> Computation | None:
    """A Computation, or a module of `build` as one; None for anything else."""
    if isinstance(given, ir.Module):
        (name, *_) = [op.name.value for op in given.body.operations if op.operation.name == "func.func"]
        return Computation(name, given)
    return given if isinstance(given, Computation) else None


def _function_named(module: ir.Module, name: str) -> func.FuncOp:
    return next(op for op in module.body.operations if op.operation.name == "func.func" and op.name.value == name)


class Library:
    """Copies of computations in the context of one builder, outside of its program."""

    def __init__(self, core: Core):
        self.core = core
        self._module: ir.Module | None = None
        self._copies: dict[int, tuple[Any, func.FuncOp]] = {}
        self._called: dict[int, Function] = {}

    def python_function(self, function: Any) -> Callable[..., Any]:
        """What builds the body of a Function or Computation where it is called; any other function as it is."""
        from hlo.builder.core import Function

        computation = computation_of(function)
        if computation is not None:
            return lambda *arguments: self._inline(self._copy(function, computation), computation.name, arguments)
        if isinstance(function, Function):
            original = _function_named(self.core.module, function.name)
            return lambda *arguments: self._inline(original, function.name, arguments)
        if not callable(function):
            raise ArgumentError(
                f"expected a function (of Python, of the program, or a computation that Build returned), found {function!r}"
            )
        return function

    def callee(self, function: Any) -> Function:
        """A Function as it is; a computation as a private function of the program."""
        from hlo.builder.core import Function

        computation = computation_of(function)
        if computation is None:
            if not isinstance(function, Function):
                raise ArgumentError(f"expected a function of the program or a computation, found {function!r}")
            return function
        if id(function) not in self._called:
            original = self._copy(function, computation)
            made = original.operation.clone(ip=ir.InsertionPoint(self.core.module.body))
            name = self.core.free_symbol(computation.name)
            made.attributes["sym_name"] = ir.StringAttr.get(name)
            made.attributes["sym_visibility"] = ir.StringAttr.get("private")
            self._called[id(function)] = Function(name, tuple(original.type.inputs), tuple(original.type.results))
        return self._called[id(function)]

    def _copy(self, key: Any, computation: Computation) -> func.FuncOp:
        """The computation's function in this context. The functions that it calls go into the program."""
        if id(key) in self._copies:
            return self._copies[id(key)][1]
        text = computation.module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
        self.core._has_infeed |= "stablehlo.infeed" in text
        parsed = ir.Module.parse(text, self.core.context)
        main = _function_named(parsed, computation.name)
        for op in [op for op in parsed.body.operations if op.operation != main.operation]:
            self._take(op, parsed)
        if self._module is None:
            self._module = ir.Module.create()
        self._module.body.append(main)
        self._copies[id(key)] = (key, main)
        return main

    def _take(self, op: Any, parsed: ir.Module) -> None:
        """Moves a function that a computation calls into the program, under a name that is free there."""
        old, new = op.name.value, self.core.free_symbol(op.name.value)
        if old != new:
            ir.SymbolTable.replace_all_symbol_uses(old, new, parsed.operation)
            op.attributes["sym_name"] = ir.StringAttr.get(new)
        op.attributes["sym_visibility"] = ir.StringAttr.get("private")
        self.core.module.body.append(op)

    def _inline(self, original: func.FuncOp, name: str, arguments: Sequence[Any]) -> Any:
        """The results of the function's body on these arguments, in the region that is being built."""
        core = self.core
        with core._here():
            values = self._fitting(list(original.type.inputs), name, arguments)
            made = original.operation.clone(ip=ir.InsertionPoint(core.module.body))
            block = made.regions[0].blocks[0]
            for argument, value in zip(block.arguments, values):
                argument.replace_all_uses_with(value)
            *body, end = block.operations
            results = list(end.operands)
            for op in body:
                op.operation.detach_from_parent()
                core._scopes[-1].block.append(op)
            made.erase()
            found = tuple(Value(core, r, core._scopes[-1]) for r in results)  # type: ignore[arg-type]
            return found[0] if len(found) == 1 else found

    def _fitting(self, wanted: Sequence[ir.Type], name: str, arguments: Sequence[Any]) -> list[ir.Value]:
        """Arguments of the types that a function takes; all of them as one tuple where it takes that."""
        core = self.core
        if len(wanted) == 1 != len(arguments) and isinstance(wanted[0], ir.TupleType):
            arguments = [core.op("tuple", *arguments)]
        models = [str(element_type(t)) if is_tensor(t) else None for t in wanted]
        values = [core.value(a, m) for a, m in zip(arguments, [*models, *[None] * len(arguments)])]
        found = [v.type for v in values]
        if found != list(wanted):
            raise ArgumentError(f"computation {name!r} takes {types_text(wanted)}, found {types_text(found)}")
        return [v.ir for v in values]
