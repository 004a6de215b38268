"""Kinds of memory in JAX's programs: `mhlo.memory_kind` of arguments and results, and custom calls @annotate_device_placement.

All kinds are memory of the host, so inside of a program they say nothing."""

from __future__ import annotations

from typing import Any

from hlo.jax.objects.device_memories import MEMORY_KINDS

PLACEMENT = "annotate_device_placement"


def memory_kinds(module: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of the arguments and of the results of @main, in a module of jaxlib's MLIR."""
    main = next(op for op in module.body if op.operation.attributes["sym_name"].value == "main").operation
    kind = main.attributes["function_type"].value
    sides = (("arg_attrs", kind.inputs), ("res_attrs", kind.results))
    arguments, results = (tuple(_kinds(main, key, len(types))) for key, types in sides)
    return arguments, results


def _kinds(main: Any, key: str, count: int) -> list[str]:
    if key not in main.attributes:
        return [MEMORY_KINDS[0]] * count
    named = [{entry.name: entry.attr for entry in dictionary} for dictionary in main.attributes[key]]
    return [one["mhlo.memory_kind"].value if "mhlo.memory_kind" in one else MEMORY_KINDS[0] for one in named]


def remove_placements(module: Any, walk_on: Any) -> None:
    """Changes a module of jaxlib's MLIR: the results of the custom calls are their operands. `walk_on`: as in remove_shardings."""
    found: list[Any] = []

    def note(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and op.attributes["call_target_name"].value == PLACEMENT:
            found.append(op)
        return walk_on

    module.operation.walk(note)
    for op in found:
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()
