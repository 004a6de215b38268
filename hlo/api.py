"""The public API: read programs, compile them.

module = hlo.parse(text)              # or hlo.load(path)
exe = hlo.compile(module)             # also takes text or a path
outputs = exe(*arrays)"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hlo.environment import DUMP_TO, PERF_MAP, PROFILE, TUNE, check_environment
from hlo.errors import ArgumentError
from hlo.garbage import importing
from hlo.interruption import uninterrupted
from hlo.lazy_dataclasses import dataclass
from hlo.program_text import ProgramText, contents, program_text, shown
from hlo.stages import enter_stage
from hlo.targets import find_target

if TYPE_CHECKING:  # programs that were compiled before are loaded without MLIR
    from mlir import ir

    from hlo.pipelines.phase import Phase
    from hlo.reference.executable import ReferenceExecutable
    from hlo.runtime.calls.dynamic import DynamicExecutable
    from hlo.runtime.calls.executable import Executable
    from hlo.runtime.grid.sharded import ShardedExecutable
    from hlo.runtime.isolated.limits import Limits
    from hlo.runtime.mpi.executable import MpiExecutable


def parse(text: str | bytes | bytearray, file_name: str = "-") -> ir.Module:
    """Reads and verifies a program. Raises ParseError or VerifyError with everything that is wrong with it."""
    if isinstance(text, bytearray):
        text = bytes(text)
    if not isinstance(text, (str, bytes)):
        raise ArgumentError(f"hlo.parse takes the text of a program (str or bytes), found {type(text).__name__}")
    if not isinstance(file_name, (str, os.PathLike)):
        raise ArgumentError(f"file_name takes the name of a file, found {type(file_name).__name__}")
    source = ProgramText(text, shown(file_name))

    def read() -> ir.Module:
        from hlo.dialect.registration import has_exact_types, make_context

        return _read(source, make_context(exact=has_exact_types(text)))

    with importing("hlo.dialect.reader"):
        return uninterrupted(read)


def load(path: str | os.PathLike[str]) -> ir.Module:
    """Reads and verifies the program in a file. Raises ArgumentError if it cannot be read."""
    return parse(contents(path), shown(path))


def compile(
    program: ir.Module | str | bytes | bytearray | os.PathLike[str],
    target: str = "cpu",
    entry: str = "main",
    pipeline: Sequence[Phase] | None = None,
    keep_phases: bool = False,
    cache: bool = True,
    num_replicas: int | None = None,
    num_partitions: int | None = None,
    isolate: bool | Limits | None = None,
    grid: Any = None,
    **options: Any,
) -> Executable | DynamicExecutable | ReferenceExecutable | ShardedExecutable | MpiExecutable:
    """Compiles a program: a module (which is not changed), its text, or the path of a file. Raises an HloError for all that is wrong.

    - `target`: where it runs: "cpu", "gpu", "reference" (interpreted by numpy), or one that was registered.
    - `entry`: the function that is the program.
    - `pipeline`: an edited copy of `hlo.pipelines.cpu()`.
    - `keep_phases`: keep the IR of every phase in `exe.phases`.
    - `cache`: whether a program given as text or path is looked for among those that earlier processes have compiled, and kept for later
      ones (CPU, default pipeline; docs/runtime.md says where).
    - `num_replicas`, `num_partitions`: the grid of processes for which the program is compiled, run by `exe.run_grid`; without them, the
      program's attributes mhlo.num_replicas and mhlo.num_partitions say it (docs/parallel.md).
    - `isolate`: whether reading and compiling are done in a worker process, whose death (or more time or memory than
      `hlo.Limits(seconds=, bytes=)` allow) is a CompileError; without it, what HLO_ISOLATE says (docs/runtime.md).
    - `grid`: "mpi" (or a communicator of mpi4py): the grid's processes are divided among the ranks, which all compile it; each runs its own.

    Options for the CPU:

    - `cpu`: the instructions that code may use: "host", "amx", "avx512", "avx2", "baseline".
    - `threads`: how many it runs on at most; results are the same bits for every number. Without it: HLO_THREADS, OMP_NUM_THREADS, or the
      processors that this process may use.
    - `donate`: numbers of arguments whose arrays the program may overwrite and leave results in; they must be writable and contiguous, and
      hold nothing of use after a call.
    - `profile`: whether the code measures how long its kernels take (docs/profiling.md).
    - `tune`: for how many seconds better schedules of its kernels are searched for on this machine; 0: only what earlier searches found is
      used (docs/kernels.md).
    - `engine`: "llvm", or "mlir", MLIR's own execution engine.

    Options for a GPU:

    - `device`: "cuda" (the first NVIDIA card), or "model" (a numpy model of one, for tests).
    - `arch`: the oldest that the code runs on: "sm_80", "sm_90a", ...; without it, the best for this machine's card, or "sm_80" where there
      is none.

    A program with arguments of dynamic shapes is compiled at its calls, once for each combination of shapes. A program with Shardy's
    annotations for a mesh of several devices is partitioned: its executable takes global arrays (docs/sharding.md)."""
    with importing("hlo.runtime.compile.compilation"):
        check_environment()
        if not isinstance(entry, str):
            raise ArgumentError(f"entry takes the name of a function, found {entry!r}")
        sizes = (num_replicas, num_partitions)
        if PROFILE.value() and target == "cpu" and pipeline is None:
            options.setdefault("profile", options.get("engine", "llvm") == "llvm")
        if TUNE.value() is not None and target == "cpu" and pipeline is None:
            options.setdefault("tune", TUNE.value())
        text = program_text(program)
        if text is None:
            program, entry = _module_of(program, entry)
        request = Request(program, text, target, entry, pipeline, keep_phases, cache, options, sizes, isolate)
        if grid is not None:
            return uninterrupted(lambda: _compile_over(grid, request))
        return uninterrupted(lambda: _find_or_compile(request))


def _compile_over(ranks: Any, request: Request) -> MpiExecutable | ShardedExecutable:
    from hlo.runtime.mpi.compilation import compile_over
    from hlo.runtime.mpi.world import world

    def read() -> ir.Module:
        from hlo.dialect.registration import has_exact_types, make_context

        source = request.text
        return request.program if source is None else _read(source, make_context(exact=has_exact_types(source.data)))

    found = world(ranks)
    return compile_over(
        found, read, request.entry, request.grid, lambda sizes: _find_or_compile(replace(request, grid=sizes))
    )


@dataclass(frozen=True)
class Request:
    """The arguments of `compile`. `text`: None for a module, and for what is no program."""

    program: Any
    text: ProgramText | None
    target: Any
    entry: str
    pipeline: Any
    keep_phases: bool
    cache: bool
    options: dict[str, Any]
    grid: tuple[int | None, int | None]
    """Replicas and partitions."""

    isolate: Any = None


def _find_or_compile(request: Request) -> Any:
    from hlo.runtime.calls.executable import Executable
    from hlo.runtime.saved import disk_cache

    name = _cache_name(request)
    made = disk_cache.find(name, request.options.get("threads")) if name else None
    if made is None:
        made = _compile(request)
        if name and isinstance(made, Executable) and made.may_be_saved:
            disk_cache.keep(name, made.program)
    if isinstance(made, Executable) and made.record is None and request.target == "cpu":
        from hlo.runtime.profile.again import compile_again

        made.with_timers = compile_again(request, _find_or_compile)
    return made


def _compile(request: Request) -> Any:
    from hlo.runtime.isolated.limits import limits_of

    limits = limits_of(request.isolate)
    return _isolated(request, limits) if limits else compile_request(request)


def _isolated(request: Request, limits: Limits) -> Any:
    from hlo.runtime.isolated.compiler import compile_isolated

    return compile_isolated(request, limits)


def _cache_name(request: Request) -> str | None:
    """The name under which the compiled program is kept on disk; None if it is not."""
    if not request.cache or request.target != "cpu" or request.pipeline is not None or request.keep_phases:
        return None
    if DUMP_TO.value():  # a program that is found has no phases
        return None
    from hlo.runtime.saved import disk_cache

    if PERF_MAP.value() or request.text is None or request.grid != (None, None) or not disk_cache.folder():
        return None
    defaults = find_target("cpu").options
    chosen = {**defaults, **request.options}
    if set(chosen) != set(defaults) or chosen["tune"] is not None or not disk_cache.is_kept(chosen):
        return None
    del chosen["threads"], chosen["tune"]  # the number of threads decides about a run, not about the code
    return disk_cache.digest(request.text.encoded, {**chosen, "entry": request.entry})


def compile_request(request: Request) -> Any:
    """What is not on disk. A program that nobody else holds is read into a context that others were compiled in before."""
    from hlo.dialect import contexts
    from hlo.runtime.calls.executable import Executable
    from hlo.runtime.compile.compilation import compile_program

    target, pipeline, keep_phases = request.target, request.pipeline, request.keep_phases
    rest = pipeline, keep_phases, request.options, request.grid
    source = request.text
    if source is None:
        return compile_program(lambda: request.program, target, request.entry, *rest)
    borrowed = contexts.borrow()
    made = compile_program(lambda: _read(source, borrowed.context), target, request.entry, *rest)
    if isinstance(made, Executable):  # others keep the module
        contexts.give_back(borrowed, len(source.data) + sum(a.nbytes for a in made.program.constants))
    return made


def _module_of(program: Any, entry: str) -> tuple[ir.Module, str]:
    """A module as it is; that of a Computation, and the name of its function."""
    from mlir import ir

    if isinstance(program, ir.Module):
        return program, entry
    from hlo.builder import Computation

    if not isinstance(program, Computation):
        raise ArgumentError(
            f"hlo.compile takes a module, a computation, text or a path, found {type(program).__name__}"
        )
    return program.module, program.name


def _read(source: ProgramText, context: ir.Context) -> ir.Module:
    from hlo.dialect.reader import read
    from hlo.dialect.verifier import check

    enter_stage("reading")
    module = read(source.data, context, source.file_name)
    check(module, source.data, source.file_name)
    return module
