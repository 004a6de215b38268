"""Control flow, sorting, mapping, and calls out of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.builder.tuples import flat, together
from hlo.builder.type_syntax import type_of
from hlo.builder.value import Value
from hlo.builder.windows import WindowMethods
from hlo.dialect.types import element_type


class ControlMethods(WindowMethods):
    def while_(self, cond: Any, body: Any, *init: Any) -> Any:
        """Repeats `body(*values)` while `cond(*values)` holds, from the values `init` (or one list of them). A value may be
        a tuple: the functions get it and the loop returns it as one."""
        with self._here():
            given = init[0] if len(init) == 1 and isinstance(init[0], (list, tuple)) else init
            values = [self.value(v) for v in given]
            types = [v.type for v in values]
            functions = [self._on_values(f, types) for f in (cond, body)]
            found = self.op("while", flat(values), *functions)
            return self._together(types, found)

    def _on_values(self, function: Any, types: Sequence[Any]) -> Callable[..., Any]:
        """The function, given values of these types instead of their parts."""
        build = self._library.python_function(function)
        return lambda *leaves: build(*together(self, types, leaves))

    def _together(self, types: Sequence[Any], found: Any) -> Any:
        """Values of the types from the results of an op: one, a tuple of several, or None."""
        leaves = () if found is None else found if isinstance(found, tuple) else (found,)
        values = tuple(together(self, types, leaves))
        return values[0] if len(values) == 1 else values or None

    def _branches(self, name: str, index: Any, functions: Sequence[Any]) -> Any:
        """`if` and `case`, whose branches may return tuples."""
        types: list[Any] = []

        def recorded(function: Any) -> Callable[..., Any]:
            def build() -> Any:
                results = self._library.python_function(function)()
                types[:] = self._types_of(results)
                return results

            return build

        with self._here():
            branches = [recorded(f) for f in functions]
            found = self.op(name, index, *(branches if name == "if" else [branches]))
            return self._together(types, found)

    def _types_of(self, results: Any) -> list[Any]:
        values = () if results is None else results if isinstance(results, (list, tuple)) else (results,)
        return [v.type if isinstance(v, Value) else type_of("token") for v in values]

    def if_(self, pred: Any, true_branch: Any, false_branch: Any) -> Any:
        """The results of one of two functions without arguments."""
        return self._branches("if", pred, (true_branch, false_branch))

    def case(self, index: Any, *branches: Any) -> Any:
        """The results of branch number `index`; of the last one when there is none of this number."""
        functions = branches[0] if len(branches) == 1 and isinstance(branches[0], (list, tuple)) else branches
        return self._branches("case", index, functions)

    def sort(
        self, inputs: Any, comparator: Callable | None = None, dimension: int = -1, is_stable: bool = False
    ) -> Any:
        """Sorts along a dimension; without a comparator, in increasing order of the first input."""
        return self.op("sort", inputs, comparator or _increasing, dimension, is_stable)

    def map(
        self, inputs: Any, computation: Any, dimensions: Sequence[int] | None = None, static_operands: Any = ()
    ) -> Value:
        """Applies a function of scalars to each element; `static_operands` are handed to it after them, as they are."""
        values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        along = range(self.value(values[0]).rank) if dimensions is None else dimensions
        build = self._library.python_function(computation)
        return self.op("map", values, lambda *scalars: build(*scalars, *static_operands), list(along))

    def scan(self, inputs: Any, inits: Any, body: Callable, dimension: int = 0, **attributes: Any) -> Any:
        """chlo.scan: `body(*slices, *carries)` returns slices of the outputs, then carries."""
        return self.op("chlo.scan", inputs, inits, body=body, dimension=dimension, **attributes)

    def top_k(self, operand: Any, k: int) -> tuple[Value, Value]:
        return self.op("chlo.top_k", operand, k)

    def custom_call(self, call_target_name: str, *inputs: Any, result_types: Any, **attributes: Any) -> Any:
        """Calls what the runtime knows by a name; one result type, or a list of them. `backend_config`: a string or an
        attribute."""
        if isinstance(attributes.get("backend_config"), str):
            with self._here():
                attributes["backend_config"] = ir.StringAttr.get(attributes["backend_config"])
        types = result_types if isinstance(result_types, list) else [result_types]
        return self.op("custom_call", *inputs, call_target_name=call_target_name, result_types=types, **attributes)

    def composite(self, name: str, *inputs: Any, decomposition: Any, **attributes: Any) -> Any:
        """A call of `decomposition` under the name of what it computes ("namespace.op")."""
        with self._here():
            decomposition = self._library.callee(decomposition)
        return self.op(
            "composite",
            list(inputs),
            composite_name=name,
            decomposition=decomposition.name,
            result_types=decomposition.results,
            **attributes,
        )

    def clamp(self, min: Any, operand: Any, max: Any) -> Value:
        """max(min(operand, max), min); the bounds may be scalars."""
        return self.op("clamp", min, operand, max)

    def infeed(self, token: Any = None, *types: Any, **attributes: Any) -> Any:
        """Values of the given types from the host's queue, and the next token. Without a token, its types come first."""
        if token is not None and not isinstance(token, Value):
            token, types = None, (token, *types)
        with self._here():
            results = [*(type_of(t) for t in types), type_of("token")]
            return self.op(
                "infeed", self.op("create_token") if token is None else token, result_types=results, **attributes
            )

    def recv(self, token: Value, *types: Any, **attributes: Any) -> Any:
        with self._here():
            return self.op("recv", token, result_types=[*(type_of(t) for t in types), type_of("token")], **attributes)


def _increasing(first: Value, second: Value, *_: Value) -> Value:
    """Numbers are compared in the total order, so that NaNs come last."""
    kind = first.dtype.kind
    order = "TOTALORDER" if kind == "f" or str(element_type(first.type)).startswith(("bf", "f")) else None
    return first.builder.compare(first, second, "LT", order)
