"""From what JAX hands over, a StableHLO portable artifact, to an executable of hlo."""

from __future__ import annotations

import hashlib
import re
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import hlo
from hlo.dialect.process_grid import Grid
from hlo.dialect.restore_chlo import restore_chlo
from hlo.environment import PROFILE
from hlo.errors import CompileError
from hlo.interruption import stop_if_asked, uninterrupted
from hlo.jax.programs.memory_kinds import memory_kinds, remove_placements
from hlo.jax.programs.op_shardings import REPLICATED, op_sharding
from hlo.jax.programs.shardings import remove_shardings
from hlo.runtime.calls.executable import Executable
from hlo.runtime.grid.global_arrays import Layout

if TYPE_CHECKING:
    from hlo.pipelines.phase import Phase

FUNCTION_NAME = re.compile(r"\b[0-9a-f]{32}:\d+\b")
"""Of a Python function that a program calls (hlo.jax.functions.callbacks)."""

TARGET = "cpu"
"""What programs are compiled for: the only definition of its name."""


@dataclass(frozen=True)
class Facts:
    """What JAX knows of a program and hlo does not. `token_arguments`, `token_results`: the numbers of those that are
    tokens, which JAX passes and hlo's executables do not have. `argument_kinds`, `result_kinds`: of the memory that
    each is in (hlo.jax.objects.device_memories). `arguments`, `results`: how they are cut (hlo.jax.programs.op_shardings), tokens among
    them; None for a program whose arrays nobody has cut. `digest`: of the program's text, without locations and names
    of Python functions, if several processes may run it."""

    name: str
    token_arguments: tuple[int, ...]
    token_results: tuple[int, ...]
    argument_kinds: tuple[str, ...]
    result_kinds: tuple[str, ...]
    arguments: tuple[bytes, ...] | None = None
    results: tuple[bytes, ...] | None = None
    digest: str = ""


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled program, and the artifact that it was compiled from. `executable`: of one process, where there are
    several; `optimized`: the text of its program, if it was partitioned."""

    facts: Facts
    artifact: bytes
    executable: Executable
    optimized: bytes | None = None


Pipeline = Callable[[], "list[Phase]"]

_pipeline: Pipeline | None = None
"""What makes the phases for programs from now on; None for those of the target."""

_compiled: weakref.WeakValueDictionary[tuple[bytes, Grid, Pipeline | None], Program] = weakref.WeakValueDictionary()


def set_pipeline(make: Pipeline | None) -> None:
    global _pipeline
    _pipeline = make


def has_pipeline() -> bool:
    return _pipeline is not None


def own_phases() -> list[Phase] | None:
    """Fresh phases of the user's own pipeline, None where there is none."""
    return None if _pipeline is None else _pipeline()


def compile_artifact(artifact: bytes, grid: Grid) -> Program:
    """Compiles a portable artifact for the processes of a grid; gives the program that is there already if JAX still holds an equal one."""
    key = hashlib.sha256(artifact).digest(), grid, _pipeline
    program = _compiled.get(key)
    if program is None:
        program = uninterrupted(lambda: _made(artifact, grid))
        stop_if_asked()  # nobody is left to ask what has been compiled
        _compiled[key] = program
    return program


def with_timers(program: Program) -> Program:
    """The same program with timers (docs/profiling.md). Raises CompileError where it cannot have them."""
    if program.executable.record is not None:
        return program
    return uninterrupted(lambda: _made(program.artifact, program.executable.grid, profile=True))


def _made(artifact: bytes, grid: Grid, **options: Any) -> Program:
    text, facts = translated(artifact, is_alone=grid.size == 1)
    if grid.size == 1:
        executable, optimized = hlo.compile(text, target=TARGET, pipeline=own_phases(), **options), None
    else:
        executable, facts, optimized = _compile_for_processes(text, grid, facts, options)
    if not isinstance(executable, Executable):
        raise CompileError("programs of dynamic shape cannot be run by JAX")
    if PROFILE.value() and executable.record is not None:
        from hlo.runtime.profile.at_exit import remember

        remember(executable, facts.name)
    return Program(facts, artifact, executable, optimized)


def _compile_for_processes(
    text: str, grid: Grid, facts: Facts, options: dict[str, Any]
) -> tuple[Any, Facts, bytes | None]:
    """The executable of one process, how the arrays are cut, and the text of the process's program where it is another one than the
    program."""
    from hlo.jax.programs.partitioning import (
        optimized_text,
        sharded_program,
    )  # here: programs that are on disk are loaded without MLIR
    from hlo.runtime.grid.sharded import ShardedExecutable

    module = sharded_program(text)
    made = hlo.compile(
        module or text,
        target=TARGET,
        pipeline=own_phases(),
        num_replicas=grid.num_replicas,
        num_partitions=grid.num_partitions,
        **options,
    )
    if not isinstance(made, ShardedExecutable):
        return made, _whole(facts, grid), None
    arguments = _with_tokens(made.arguments, facts.token_arguments)
    results = _with_tokens(made.results, facts.token_results)
    return made.process, replace(facts, arguments=arguments, results=results), optimized_text(module)


def _whole(facts: Facts, grid: Grid) -> Facts:
    """Of a program without shardings: each partition has all arrays."""
    if grid.num_replicas > 1:
        return facts
    arguments, results = ((REPLICATED,) * len(kinds) for kinds in (facts.argument_kinds, facts.result_kinds))
    return replace(facts, arguments=arguments, results=results)


def _with_tokens(layouts: Sequence[Layout], tokens: Sequence[int]) -> tuple[bytes, ...]:
    found = [op_sharding(layout) for layout in layouts]
    for number in tokens:
        found.insert(number, REPLICATED)
    return tuple(found)


def translated(artifact: bytes, is_alone: bool) -> tuple[str, Facts]:
    """The program as text: jaxlib's MLIR reads the artifact. On one device there is nothing to say about where arrays lie."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    with ir.Context() as context:
        for dialect in (chlo, sdy, stablehlo):
            dialect.register_dialect(context)
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        restore_chlo(module, ir)
        _write_out_addresses(module, ir)
        kinds = memory_kinds(module)
        remove_placements(module, ir.WalkResult.ADVANCE)
        if is_alone:
            remove_shardings(module, ir.WalkResult.ADVANCE)
        kind = _main_type(module, ir)
        text = str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
        digest = "" if is_alone else _digest(module)
        return text, Facts(_name(module), _tokens(kind.inputs), _tokens(kind.results), *kinds, digest=digest)


def _write_out_addresses(module: Any, ir: Any) -> None:
    """What JAX gives to partitioners are bytes: texts have digits for them (hlo.jax.functions.call_partitioners)."""

    def rewrite(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and op.attributes["call_target_name"].value == "InspectSharding":
            op.attributes["backend_config"] = ir.StringAttr.get(op.attributes["backend_config"].value_bytes.hex())
        return ir.WalkResult.ADVANCE

    module.operation.walk(rewrite)


def _digest(module: Any) -> str:
    """Processes give their Python functions names of their own."""
    plain = str(module.operation.get_asm(enable_debug_info=False))
    return hashlib.sha256(FUNCTION_NAME.sub("", plain).encode()).hexdigest()


def _main_type(module: Any, ir: Any) -> Any:
    main = next(op for op in module.body if op.operation.attributes["sym_name"].value == "main")
    return ir.FunctionType(main.operation.attributes["function_type"].value)


def _tokens(types: Any) -> tuple[int, ...]:
    return tuple(n for n, kind in enumerate(types) if str(kind) == "!stablehlo.token")


def _name(module: Any) -> str:
    attributes = module.operation.attributes
    return str(attributes["sym_name"].value) if "sym_name" in attributes else "main"
