"""`hlo-run --asm`: the assembly of a program's kernels and of its host code, as LLVM writes it."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from hlo.errors import ArgumentError
from hlo.runtime.code.routines import routines_in

END = "# -- End function"
"""The comment behind each function."""


def assembly_of(module: ir.Module, entry: str, kernel: str | None = None) -> str:
    """All functions that are compiled for `entry`, or those whose names contain `kernel` and the routines that these
    call, with their constants. The module is not changed. Raises ArgumentError where no name does, CompileError for
    what does not compile, programs of dynamic shapes among them."""
    text = _all(module, entry)
    if kernel is None:
        return text
    functions = dict(_functions(text))
    chosen = {name: code for name, code in functions.items() if kernel in name}
    if not chosen:
        raise ArgumentError(f"no function has {kernel!r} in its name; functions: {', '.join(functions)}")
    waiting = list(chosen.values())
    while waiting:
        called = {name for name in routines_in(waiting.pop().encode()) if name not in chosen}
        chosen.update({name: functions[name] for name in sorted(called)})
        waiting += [functions[name] for name in sorted(called)]
    return "\n".join(chosen.values()) + "\n"


def _all(module: ir.Module, entry: str) -> str:
    from hlo import pipelines
    from hlo.errors import CompileError
    from hlo.lowering.stablehlo.shapes.specialize_shapes import has_dynamic_arguments, resolve_shapes
    from hlo.runtime.compile.entry_function import entry_only, function_named
    from hlo.runtime.compile.llvm_engine import assembly

    static = entry_only(module, entry)
    if has_dynamic_arguments(function_named(static, entry)):
        raise CompileError(
            "--asm: the program has arguments of dynamic shapes; there is no code before their sizes are known"
        )
    resolve_shapes(static)
    pipelines.run(static, pipelines.cpu())
    for op in [op for op in static.body.operations if op.operation.name == "hlo.constant"]:
        op.operation.erase()  # data: an executable has them in addition to its code
    return assembly(static)


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """(name, code) of each function; its constants are in front of it."""
    lines: list[str] = []
    for line in text.splitlines():
        lines.append(line)
        if line.strip() == END:
            (name,) = (one.split("Begin function ")[1] for one in lines if "# -- Begin function " in one)
            yield name, "\n".join(lines)
            lines = []
