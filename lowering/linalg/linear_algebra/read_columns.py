"""The pass `read-columns`: LU factors of which elements are looked up are read as LAPACK writes them, by columns.

Before:  %f, %p, %info = call @getrf(%a)     %d = linalg.generic {tensor.extract %f[%i, %j]}      getrf is "lapack_dgetrf_ffi"
After:   %f, %p, %info = call @getrf(%a)     %d = linalg.generic {tensor.extract %f[%j, %i]}      getrf is "lapack_dgetrf_by_columns"

A determinant needs the factors' diagonal alone: they are not copied back. Behind compute-gathered, which lets look-ups read through a select."""

from __future__ import annotations

import re
from collections import Counter

from mlir import ir

from hlo.lowering.kernel_calls import calls, functions_by_name, hosts
from hlo.lowering.memory.placement import forbid_aliases
from hlo.lowering.passes import Pass, register_pass

TARGET = re.compile(r"(lapack_[sdcz]getrf)_ffi")


@register_pass
class ReadColumns(Pass):
    """Exchanges the indices at which square LU factors are read, where nothing else reads them."""

    def run(self, module: ir.Module) -> None:
        functions = functions_by_name(module)
        found = {name: f for name, f in functions.items() if TARGET.fullmatch(_target(f))}
        if not found:
            return
        called = [call for host in hosts(functions) for call in calls(host) if call.callee.value in found]
        counts = Counter(call.callee.value for call in called)
        for call in called:
            declaration = found[call.callee.value]
            if counts[call.callee.value] == 1 and len(call.results) and _is_looked_up(call.results[0]):
                columns = TARGET.sub(r"\1_by_columns", _target(declaration))
                declaration.attributes["hlo.custom_call"] = ir.StringAttr.get(columns)
                forbid_aliases(declaration)  # it transposes into its result
                for use in list(call.results[0].uses):
                    _exchange(use.owner.operation)


def _target(function: ir.OpView) -> str:
    """Of a declaration that is bound to one; an empty string for others."""
    attributes = function.operation.attributes
    return ir.StringAttr(attributes["hlo.custom_call"]).value if "hlo.custom_call" in attributes else ""


def _is_looked_up(factors: ir.Value) -> bool:
    """Whether square matrices are read element by element, at indices that are computed."""
    sizes, readers = factors.type.shape[-2:], [use.owner.operation for use in factors.uses]
    is_square = len(sizes) == 2 and sizes[0] == sizes[1]
    return is_square and len(readers) > 0 and all(reader.name == "tensor.extract" for reader in readers)


def _exchange(read: ir.Operation) -> None:
    *_, row, column = read.operands
    last = len(read.operands) - 1
    read.operands[last - 1], read.operands[last] = column, row
