"""A module in the LLVM dialect in several parts of about the same size, to be compiled side by side.

Before:  llvm.func @a() {...}   llvm.func @b() { llvm.call @a() }
After:   llvm.func @a() {...}   and   llvm.func @a()   llvm.func @b() { llvm.call @a() }"""

from __future__ import annotations

from mlir import ir

LEAST = 400
"""Ops of a part: about ten milliseconds of code generation."""


def split(module: ir.Module, most: int) -> list[ir.Module]:
    """At most `most` modules with the functions of this one, which loses them; the module itself if it is small."""
    functions = [op for op in module.body.operations if _is_function(op) and len(op.regions[0].blocks)]
    sizes = {number: _size(op) for number, op in enumerate(functions)}
    count = min(most, sum(sizes.values()) // LEAST)
    if count < 2 or not _is_divisible(module):
        return [module]
    parts: list[list[int]] = [[] for _ in range(count)]
    loads = [0] * count
    for number in sorted(sizes, key=lambda n: -sizes[n]):
        lightest = loads.index(min(loads))
        parts[lightest].append(number)
        loads[lightest] += sizes[number]
    shared = [op.operation for op in module.body.operations if op not in functions]
    return _modules(functions, [sorted(p) for p in parts], shared)


def one_by_one(module: ir.Module) -> list[ir.Module]:
    """A module for each function of a module that loses them; none calls another."""
    made = []
    for op in list(module.body.operations):
        alone = ir.Module.create(op.location)
        alone.body.append(op)
        made.append(alone)
    return made


def _is_function(op: ir.OpView) -> bool:
    return op.operation.name == "llvm.func"


def _size(function: ir.OpView) -> int:
    """Ops in the function's own blocks."""
    return sum(len(block.operations) for block in function.regions[0].blocks)


def _is_divisible(module: ir.Module) -> bool:
    """Whether every global is constant, so that each part may have its own."""
    globals_ = [op.operation for op in module.body.operations if op.operation.name.startswith("llvm.mlir.")]
    return all("constant" in op.attributes for op in globals_)


def _modules(functions: list[ir.OpView], parts: list[list[int]], shared: list[ir.Operation]) -> list[ir.Module]:
    declarations = [_declaration(op) for op in functions]
    texts = ["\n".join(d for n, d in enumerate(declarations) if n not in set(part)) for part in parts]
    made = []
    with functions[0].context, functions[0].location:
        for part, text in zip(parts, texts):
            module = ir.Module.parse(text)
            for op in shared:
                module.body.append(op.clone())
            for number in part:
                functions[number].operation.detach_from_parent()
                module.body.append(functions[number])
            made.append(module)
    return made


def _declaration(function: ir.OpView) -> str:
    name, kind = (function.operation.attributes[key] for key in ("sym_name", "function_type"))
    return f'"llvm.func"() <{{sym_name = {name}, function_type = {kind}, linkage = #llvm.linkage<external>}}> ({{}}) : () -> ()'
