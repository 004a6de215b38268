"""A call that has a decomposition: composite; and how functions are found by name."""

from __future__ import annotations

import re

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import I32, Dict, String, Symbol
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.regions import compatible_lists, types_text
from hlo.dialect.types import TensorTokenOrTuple


def find_function(op: ir.OpView, name: str) -> func.FuncOp | None:
    """The function `@name` of the op's module. Of an op that does not exist yet: of the module where it will stand."""
    parent = None if op.operation is None else op.operation.parent
    while parent is not None and parent.operation.name != "builtin.module":
        parent = parent.operation.parent
    functions = parent.regions[0].blocks[0].operations if parent is not None else ()
    return next((f for f in functions if isinstance(f, func.FuncOp) and f.sym_name.value == name), None)


class CompositeOp(Op, mnemonic="composite"):
    """A call that may be replaced by its decomposition. https://openxla.org/stablehlo/spec#composite"""

    ASSEMBLY = "$name operands custom<GenericRegions> attr-dict `:` functional-type(operands, results)"
    IS_PURE = False
    inputs = Operand(TensorTokenOrTuple, variadic=True)
    composite_name = Attr(String, key="name")
    composite_attributes = Attr(Dict, optional=True)
    decomposition = Attr(Symbol)
    version = Attr(I32, optional=True, default=0)
    composite_regions = Region(variadic=True)
    outputs = Result(TensorTokenOrTuple, variadic=True)

    @constraint("C1")
    def name_is_namespaced(self):
        if not _is_namespaced(self.composite_name):
            return f'name must be "namespace.op", found "{self.composite_name}"'
        return None

    @constraint("C2", "C3")
    def decomposition_has_type(self):
        callee = find_function(self, self.decomposition)
        if callee is None:
            return f"decomposition must be a function of the module, found @{self.decomposition}"
        inputs, outputs = [v.type for v in self.inputs], [v.type for v in self.outputs]
        if compatible_lists(callee.type.inputs, inputs) and compatible_lists(callee.type.results, outputs):
            return None
        wanted = f"{types_text(inputs)} -> {types_text(outputs)}"
        return f"decomposition @{self.decomposition} must have type {wanted}, found {callee.type}"

    @constraint("C4")
    def version_is_not_negative(self):
        if self.version < 0:
            return f"version must be at least 0, found {self.version}"
        return None

    def infer(self):
        callee = find_function(self, self.decomposition)
        return callee and list(callee.type.results)


_NAMESPACED = re.compile(r"[a-zA-Z]\w*(\.[\w$]+)+", re.ASCII)


def _is_namespaced(name: str) -> bool:
    return _NAMESPACED.fullmatch(name) is not None
