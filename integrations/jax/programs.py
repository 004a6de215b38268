"""From what JAX hands over, a StableHLO portable artifact, to an executable of hlo."""

from __future__ import annotations

import hashlib
import weakref
from dataclasses import dataclass
from typing import Any

import hlo
from hlo.runtime.executable import Executable

DONATED = ("tf.aliasing_output", "jax.buffer_donor")
"""Attributes of arguments whose memory JAX gives away."""


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled program. `donated`: the numbers of the arguments that JAX gives away."""

    name: str
    artifact: bytes
    executable: Executable
    donated: tuple[int, ...]


_compiled: weakref.WeakValueDictionary[bytes, Program] = weakref.WeakValueDictionary()


def compile_artifact(artifact: bytes) -> Program:
    """Compiles a portable artifact; gives the program that is there already if JAX still holds an equal one."""
    key = hashlib.sha256(artifact).digest()
    program = _compiled.get(key)
    if program is None:
        text, name, donated = _translated(artifact)
        program = Program(name, artifact, hlo.compile(text), donated)  # type: ignore[arg-type]
        _compiled[key] = program
    return program


def _translated(artifact: bytes) -> tuple[str, str, tuple[int, ...]]:
    """The program as StableHLO text, its name, and its donated arguments. jaxlib's MLIR reads the artifact."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    with ir.Context() as context:
        for dialect in (chlo, sdy, stablehlo):
            dialect.register_dialect(context)
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        _remove_shardings(module)
        main = next(op for op in module.body if op.operation.attributes["sym_name"].value == "main")
        text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
        return text, _name(module), _donated(main)


def _remove_shardings(module: Any) -> None:
    """With one device there is nothing to say about where arrays lie."""
    for op in list(module.body):
        if op.operation.name == "sdy.mesh":
            op.operation.erase()


def _name(module: Any) -> str:
    attributes = module.operation.attributes
    return attributes["sym_name"].value if "sym_name" in attributes else "main"


def _donated(main: Any) -> tuple[int, ...]:
    arguments = main.operation.attributes["arg_attrs"] if "arg_attrs" in main.operation.attributes else ()
    return tuple(n for n, attributes in enumerate(arguments) if any(name in attributes for name in DONATED))
