"""From what JAX hands over, a StableHLO portable artifact, to an executable of hlo."""

from __future__ import annotations

import hashlib
import weakref
from dataclasses import dataclass
from typing import Any

import hlo
from hlo.dialect.restore_chlo import restore_chlo
from hlo.errors import CompileError
from hlo.interruption import uninterrupted
from hlo.jax.shardings import remove_shardings
from hlo.runtime.executable import Executable

TARGET = "cpu"
"""What programs are compiled for: the one place that names it."""


@dataclass(frozen=True)
class Facts:
    """What JAX knows of a program and hlo does not. `token_arguments`, `token_results`: the numbers of those that are tokens, which
    JAX passes and hlo's executables do not have."""

    name: str
    token_arguments: tuple[int, ...]
    token_results: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled program, and the artifact that it was compiled from."""

    facts: Facts
    artifact: bytes
    executable: Executable


_compiled: weakref.WeakValueDictionary[bytes, Program] = weakref.WeakValueDictionary()


def compile_artifact(artifact: bytes) -> Program:
    """Compiles a portable artifact; gives the program that is there already if JAX still holds an equal one."""
    key = hashlib.sha256(artifact).digest()
    program = _compiled.get(key)
    if program is None:
        program = uninterrupted(lambda: _made(artifact))
        _compiled[key] = program
    return program


def _made(artifact: bytes) -> Program:
    text, facts = _translated(artifact)
    return Program(facts, artifact, _compile(text))


def _compile(text: str) -> Executable:
    executable = hlo.compile(text, target=TARGET)
    if not isinstance(executable, Executable):
        raise CompileError("programs of dynamic shape cannot be run by JAX")
    return executable


def _translated(artifact: bytes) -> tuple[str, Facts]:
    """The program as text: jaxlib's MLIR reads the artifact."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    with ir.Context() as context:
        for dialect in (chlo, sdy, stablehlo):
            dialect.register_dialect(context)
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        restore_chlo(module, ir)
        remove_shardings(module, ir.WalkResult.ADVANCE)
        kind = _main_type(module, ir)
        text = str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
        return text, Facts(_name(module), _tokens(kind.inputs), _tokens(kind.results))


def _main_type(module: Any, ir: Any) -> Any:
    main = next(op for op in module.body if op.operation.attributes["sym_name"].value == "main")
    return ir.FunctionType(main.operation.attributes["function_type"].value)


def _tokens(types: Any) -> tuple[int, ...]:
    return tuple(n for n, kind in enumerate(types) if str(kind) == "!stablehlo.token")


def _name(module: Any) -> str:
    attributes = module.operation.attributes
    return str(attributes["sym_name"].value) if "sym_name" in attributes else "main"
