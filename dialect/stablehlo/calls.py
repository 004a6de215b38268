"""Ops that stand for code elsewhere: custom_call and composite."""

from __future__ import annotations

import re

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import (
    I32,
    AnyAttribute,
    Bool,
    Dict,
    OutputOperandAlias,
    String,
    Symbol,
    array_of,
    structure,
)
from hlo.dialect.choices import TYPES
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.regions import compatible_lists, types_text
from hlo.dialect.types import AnyValue


def find_function(op: ir.OpView, name: str) -> func.FuncOp | None:
    """The function `@name` of the op's module. Of an op that does not exist yet: of the module where it will stand."""
    parent = None if op.operation is None else op.operation.parent
    while parent is not None and parent.operation.name != "builtin.module":
        parent = parent.operation.parent
    functions = parent.regions[0].blocks[0].operations if parent is not None else ()
    return next((f for f in functions if isinstance(f, func.FuncOp) and f.sym_name.value == name), None)


TYPED_FFI = 4
"""The api_version whose backend_config is a dictionary."""


class CustomCallOp(Op, mnemonic="custom_call"):
    """An implementation-defined operation. https://openxla.org/stablehlo/spec#custom_call"""

    IS_PURE = False
    CHOICE = (TYPES,)
    OPEN_ATTRIBUTES = True
    inputs = Operand(AnyValue, variadic=True)
    call_target_name = Attr(String)
    has_side_effect = Attr(Bool, optional=True, default=False)
    backend_config = Attr(AnyAttribute, optional=True)
    """A string, or a dictionary for api_version 4."""
    api_version = Attr(I32, optional=True, default=1)
    called_computations = Attr(array_of(Symbol), optional=True, default=())
    operand_layouts = Attr(array_of(AnyAttribute), optional=True)
    result_layouts = Attr(array_of(AnyAttribute), optional=True)
    output_operand_aliases = Attr(array_of(structure(OutputOperandAlias)), optional=True, default=())
    outputs = Result(AnyValue, variadic=True)

    @constraint()
    def config_of_api_version(self):
        config = self.backend_config
        wanted = ir.DictAttr if self.api_version == TYPED_FFI else ir.StringAttr
        if config is None or isinstance(config, wanted):
            return None
        kind = "dictionary" if wanted is ir.DictAttr else "string"
        return f"backend_config of api_version {self.api_version} must be a {kind}, found {config}"

    @constraint()
    def layouts_come_together(self):
        if (self.operand_layouts is None) != (self.result_layouts is None):
            found = "operand_layouts" if self.result_layouts is None else "result_layouts"
            return f"operand_layouts and result_layouts must both be given or both not, found {found} only"
        return None


class CompositeOp(Op, mnemonic="composite"):
    """A call that may be replaced by its decomposition. https://openxla.org/stablehlo/spec#composite"""

    IS_PURE = False
    inputs = Operand(AnyValue, variadic=True)
    composite_name = Attr(String, key="name")
    composite_attributes = Attr(Dict, optional=True)
    decomposition = Attr(Symbol)
    version = Attr(I32, optional=True, default=0)
    composite_regions = Region(variadic=True)
    outputs = Result(AnyValue, variadic=True)

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
