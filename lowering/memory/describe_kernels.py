"""The pass `describe-kernels`: says of every kernel and layer what a profile tells about it (docs/profiling.md).

Before:  func.func private @add_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region", hlo.code = @add_0.code} {...}
After:   the same, and module attributes {hlo.profile = [{name = "add_0", kind = "region", code = "add_0.code", operations = 8,
         transcendentals = 0, read = 32, written = 32, element = "f32", sources = ["f.py:3:5"], names = ["add"]}]}

A kernel's row is its position in the list; `time-calls` adds the rows of what is no kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.dialect.locations import location_name, location_text
from hlo.lowering.finding import callee_of
from hlo.lowering.kernel_calls import functions_by_name
from hlo.lowering.memory.host_code import code_name
from hlo.lowering.memory.kernel_work import work_of
from hlo.lowering.memory.layer_code import is_layer
from hlo.lowering.passes import Pass, register_pass

PROFILE = "hlo.profile"
"""Of a module: its rows."""

MOST_SOURCES = 16
"""Locations that a row names."""

NOT_NAMED = ("func.return", "arith.constant", "tensor.empty", "linalg.fill")
"""Ops whose locations tell nothing."""


@register_pass
class DescribeKernels(Pass):
    """Writes the module's rows."""

    def run(self, module: ir.Module) -> None:
        functions = functions_by_name(module)
        rows = [_layer(f) if is_layer(f) else _kernel(f, functions) for f in functions.values() if _has_row(f)]
        module.operation.attributes[PROFILE] = ir.ArrayAttr.get(rows)


def _has_row(function: Any) -> bool:
    return is_layer(function) or ("hlo.kernel" in function.attributes and "hlo.code" in function.attributes)


def _layer(layer: Any) -> ir.DictAttr:
    return row(layer.name.value, "layer", [location_text(layer)], [location_name(layer)], code=code_name(layer))


def _kernel(kernel: Any, functions: Mapping[str, Any]) -> ir.DictAttr:
    work = work_of(kernel, functions)
    counts = {"operations": work.operations, "transcendentals": work.transcendentals}
    counts |= {"read": work.read, "written": work.written}
    ops = [kernel, *_named_ops(kernel, functions)]
    return row(
        kernel.name.value,
        ir.StringAttr(kernel.attributes["hlo.kernel"]).value,
        [location_text(op) for op in ops],
        [location_name(op) for op in ops],
        counts,
        code=ir.FlatSymbolRefAttr(kernel.attributes["hlo.code"]).value,
        element=work.element,
    )


def _named_ops(kernel: Any, functions: Mapping[str, Any]) -> Iterator[Any]:
    """What a kernel computes, op by op; of one that joins kernels, theirs."""
    for block in kernel.regions[0].blocks:
        for op in block.operations:
            if op.operation.name == "func.call":
                yield from _named_ops(functions[callee_of(op)], functions)
            elif op.operation.name == "linalg.generic":
                inner = op.regions[0].blocks[0].operations
                yield from [one for one in inner if one.operation.name != "linalg.yield"][::-1] or [op]
            elif op.operation.name not in NOT_NAMED:
                yield op


def row(
    name: str,
    kind: str,
    sources: list[str],
    names: list[str],
    counts: Mapping[str, int | None] | None = None,
    **texts: str,
) -> ir.DictAttr:
    """A row as an attribute. `sources`, `names`: "" for none; equal ones count once. `counts`: None for what nobody knows."""
    lists = {"sources": sources, "names": names}
    return ir.DictAttr.get(
        {
            **{key: ir.StringAttr.get(text) for key, text in {"name": name, "kind": kind, **texts}.items()},
            **{key: _strings(found) for key, found in lists.items()},
            **{key: I64.encode(min(n, 2**63 - 1)) for key, n in (counts or {}).items() if n is not None},
        }
    )


def _strings(texts: list[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.StringAttr.get(t) for t in [*dict.fromkeys(filter(None, texts))][:MOST_SOURCES]])
