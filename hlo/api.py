"""The public API: read programs, compile them.

module = hlo.parse(text)              # or hlo.load(path)
exe = hlo.compile(module)             # also takes text or a path
outputs = exe(*arrays)"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlir import ir

from hlo.errors import ArgumentError, CompileError

if TYPE_CHECKING:
    from hlo.pipelines.phase import Phase
    from hlo.reference.executable import ReferenceExecutable
    from hlo.runtime.dynamic import DynamicExecutable
    from hlo.runtime.executable import Executable

OPTIONS = {"cpu": {"engine": "llvm", "cpu": "host"}, "gpu": {"device": "cuda", "arch": "sm_80"}}
"""Keyword options of `compile` by target, with their defaults."""

CALLEES = ("callee", "decomposition", "called_computations")


def parse(text: str | bytes, file_name: str = "-") -> ir.Module:
    """Reads and verifies a program. Raises ParseError or VerifyError with everything that is wrong with it."""
    from hlo.dialect.reader import read
    from hlo.dialect.registration import make_context
    from hlo.dialect.verifier import check

    if not isinstance(text, (str, bytes)):
        raise ArgumentError(f"hlo.parse takes the text of a program (str or bytes), found {type(text).__name__}")
    module = read(text, make_context(), file_name)
    check(module)
    return module


def load(path: str | os.PathLike[str]) -> ir.Module:
    """Reads and verifies the program in a file. Raises ArgumentError if it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ArgumentError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None
    return parse(data, os.fspath(path))


def compile(
    program: ir.Module | str | bytes | os.PathLike[str],
    target: str = "cpu",
    entry: str = "main",
    pipeline: Sequence[Phase] | None = None,
    keep_phases: bool = False,
    **options: Any,
) -> Executable | DynamicExecutable | ReferenceExecutable:
    """Compiles a program: a module (which is not changed), its text, or the path of a file.

    `target`: where it runs ("cpu"; "gpu"; "reference": interpreted by numpy). `entry`: the function that is the program. `pipeline`: an edited copy of
    `hlo.pipelines.cpu()`. `keep_phases`: keep the IR of every phase in `exe.phases`. Options for the CPU: `engine` ("llvm", "mlir"),
    `cpu` ("host", "avx512", "avx2", "baseline": the instructions that code may use); for a GPU: `device` ("cuda": the first NVIDIA
    card; "model": a numpy model of one, for tests), `arch` ("sm_80", ...: the oldest that the code runs on). A program with arguments of
    dynamic shapes is compiled at its calls, once for each combination of shapes. Raises an HloError for all that is wrong."""
    from hlo import pipelines
    from hlo.dialect.printer import print_module
    from hlo.runtime.dynamic import DynamicExecutable, has_dynamic_arguments, resolve_shapes
    from hlo.runtime.loaders import LOADERS, PIPELINE_OPTIONS
    from hlo.runtime.signature import signature_of

    if target == "reference":
        return _interpreted(program, entry, options)
    if not isinstance(target, str):
        raise ArgumentError(f"target takes the name of a target such as 'cpu', found {target!r}")
    own = pipelines.target_pipeline(target)  # complains about an unknown target
    chosen = _options(target, options)
    if pipeline is None:
        own = pipelines.target_pipeline(target, **{key: chosen[name] for name, key in PIPELINE_OPTIONS[target].items()})
    phases = own if pipeline is None else _phases(pipeline)
    module = _entry_only(_module(program), entry)

    def build(static: ir.Module) -> Executable:
        texts: dict[str, str] = {}

        def keep(name: str, reached: ir.Module) -> None:
            texts[name] = print_module(reached)

        signature = signature_of(_function(static, entry))
        pipelines.run(static, phases, on_phase=keep if keep_phases else None)
        try:
            return LOADERS[target](static, signature, phases=texts, **chosen)
        except MemoryError as error:
            raise CompileError(f"not enough memory for the program's constants: {error}") from None

    if has_dynamic_arguments(_function(module, entry)):
        return DynamicExecutable(entry, functools.partial(_entry_only, module, entry), build)
    resolve_shapes(module)
    return build(module)


def _interpreted(program: Any, entry: str, options: dict[str, Any]) -> ReferenceExecutable:
    from hlo.reference.executable import ReferenceExecutable

    if options:
        raise ArgumentError(f"unknown option {next(iter(options))!r} for target 'reference', which has none")
    return ReferenceExecutable(_entry_only(_module(program), entry), entry)


def _phases(pipeline: Any) -> list[Phase]:
    from hlo.pipelines.phase import Phase

    if not isinstance(pipeline, (list, tuple)) or not all(isinstance(phase, Phase) for phase in pipeline):
        raise ArgumentError(f"pipeline takes a list of phases such as hlo.pipelines.cpu(), found {pipeline!r}")
    return list(pipeline)


def _options(target: str, options: dict[str, Any]) -> dict[str, Any]:
    for name in options:
        if name not in OPTIONS[target]:
            raise ArgumentError(f"unknown option {name!r} for target {target!r}; options: {', '.join(OPTIONS[target])}")
    return {**OPTIONS[target], **options}


def _module(program: Any) -> ir.Module:
    if isinstance(program, ir.Module):
        return program
    if isinstance(program, bytes) or (isinstance(program, str) and _is_text(program)):
        return parse(program)
    if isinstance(program, (str, os.PathLike)):
        return load(program)
    raise ArgumentError(f"hlo.compile takes a module, text or a path, found {type(program).__name__}")


def _is_text(program: str) -> bool:
    """A path has no line break and no brace."""
    return any(c in program for c in "\n{}") or not program.strip()


def _function(module: ir.Module, name: str) -> Any:
    functions = _functions(module)
    if name not in functions:
        found = ", ".join(functions) or "none"
        raise CompileError(f"no function {name!r} to compile; functions: {found}")
    if functions[name].is_external:
        raise CompileError(f"function {name!r} is only declared; it has no body to compile")
    return functions[name]


def _functions(module: ir.Module) -> dict[str, Any]:
    return {op.name.value: op for op in module.body.operations if op.operation.name == "func.func"}


def _entry_only(module: ir.Module, entry: str) -> ir.Module:
    """A copy of the entry function, public, and of what it needs, private."""
    _function(module, entry)
    functions = _functions(module)
    needed = _reachable(functions, entry)
    with module.context, module.operation.location:
        copy = ir.Module.create()
        for name in module.operation.attributes:
            copy.operation.attributes[name] = module.operation.attributes[name]
        with ir.InsertionPoint(copy.body):
            for name in functions:
                if name in needed:
                    made = functions[name].operation.clone()
                    made.attributes["sym_visibility"] = ir.StringAttr.get("public" if name == entry else "private")
    return copy


def _reachable(functions: dict[str, Any], entry: str) -> set[str]:
    reached, waiting = set(), [entry]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached.add(name)
            waiting += _callees(functions[name])
    return reached


def _callees(function: Any) -> list[str]:
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        for key in CALLEES:
            if key in op.attributes:
                names.extend(_symbols(op.attributes[key]))
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return names


def _symbols(attribute: ir.Attribute) -> list[str]:
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return [attribute.value]
    return [s for a in attribute for s in _symbols(a)] if isinstance(attribute, ir.ArrayAttr) else []
