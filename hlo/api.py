"""The public API: read programs, compile them.

module = hlo.parse(text)              # or hlo.load(path)
exe = hlo.compile(module)             # also takes text or a path
outputs = exe(*arrays)"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hlo.errors import ArgumentError

if TYPE_CHECKING:  # programs that were compiled before are loaded without MLIR
    from mlir import ir

    from hlo.pipelines.phase import Phase
    from hlo.reference.executable import ReferenceExecutable
    from hlo.runtime.dynamic import DynamicExecutable
    from hlo.runtime.executable import Executable
    from hlo.runtime.gpu.executable import GpuExecutable
    from hlo.runtime.sharded import ShardedExecutable


def parse(text: str | bytes, file_name: str = "-") -> ir.Module:
    """Reads and verifies a program. Raises ParseError or VerifyError with everything that is wrong with it."""
    from hlo.dialect.registration import make_context

    if not isinstance(text, (str, bytes)):
        raise ArgumentError(f"hlo.parse takes the text of a program (str or bytes), found {type(text).__name__}")
    return _read(text, file_name, make_context())


def load(path: str | os.PathLike[str]) -> ir.Module:
    """Reads and verifies the program in a file. Raises ArgumentError if it cannot be read."""
    return parse(_contents(path), os.fspath(path))


def compile(
    program: ir.Module | str | bytes | os.PathLike[str],
    target: str = "cpu",
    entry: str = "main",
    pipeline: Sequence[Phase] | None = None,
    keep_phases: bool = False,
    cache: bool = True,
    num_replicas: int | None = None,
    num_partitions: int | None = None,
    **options: Any,
) -> Executable | DynamicExecutable | ReferenceExecutable | ShardedExecutable:
    """Compiles a program: a module (which is not changed), its text, or the path of a file.

    `target`: where it runs ("cpu"; "gpu"; "reference": interpreted by numpy). `entry`: the function that is the program. `pipeline`: an edited copy of
    `hlo.pipelines.cpu()`. `keep_phases`: keep the IR of every phase in `exe.phases`. Options for the CPU: `engine` ("llvm", "mlir"),
    `cpu` ("host", "avx512", "avx2", "baseline": the instructions that code may use), `donate` (numbers of arguments whose arrays the
    program may overwrite and leave results in; they must be writable and contiguous, and hold nothing of use after a call), `threads` (how
    many it runs on at most; results are the same bits for every number; without it HLO_THREADS, OMP_NUM_THREADS, or the processors
    that this process may use); for a GPU: `device` ("cuda": the first NVIDIA card; "model": a numpy model of one, for tests), `arch` ("sm_80", "sm_90a", ...: the oldest
    that the code runs on; without it, the best for this machine's card, or "sm_80" where there is none). A program with arguments
    of dynamic shapes is compiled at its calls, once for each combination of shapes.
    `num_replicas`, `num_partitions`: the grid of processes for which the program is compiled, run by `exe.run_grid`; without them,
    the program's attributes mhlo.num_replicas and mhlo.num_partitions say it (docs/parallel.md).
    A program with Shardy's annotations for a mesh of several devices is partitioned: its executable takes global arrays
    (docs/sharding.md).
    `cache`: whether a program given as text or path is looked for among those that earlier processes have compiled, and kept
    for later ones (CPU, default pipeline; runtime/disk_cache.py says where). Raises an HloError for all that is wrong."""
    from hlo.runtime import disk_cache

    is_plain = cache and target == "cpu" and pipeline is None and not keep_phases
    sizes = (num_replicas, num_partitions)
    name = _cache_name(program, entry, options) if is_plain and sizes == (None, None) else None
    found = disk_cache.find(name, options.get("threads")) if name else None
    if found is not None:
        return found
    from hlo.runtime.executable import Executable

    made = _compiled(program, target, entry, pipeline, keep_phases, options, sizes)
    if name and isinstance(made, Executable) and made.may_be_saved:
        disk_cache.keep(name, made.program)
    return made


def load_executable(path: str | os.PathLike[str]) -> Executable | GpuExecutable:
    """The executable that `exe.save(path)` has written. The file holds machine code: load only what you trust. Raises
    ArgumentError for a file that is none, and CompileError if it was compiled for another processor."""
    from hlo.runtime.load_file import load_executable as load_file

    return load_file(path)


def _cache_name(program: Any, entry: Any, options: dict[str, Any]) -> str | None:
    """The name under which the compiled program is kept on disk; None if it is not."""
    from hlo.runtime import disk_cache
    from hlo.runtime.loaders import OPTIONS

    if not disk_cache.folder():
        return None
    chosen = {**OPTIONS["cpu"], **options}
    data = _data(program)
    if data is None or set(chosen) != set(OPTIONS["cpu"]) or not disk_cache.is_kept(chosen):
        return None
    del chosen["threads"]  # decides about a run, not about the code
    return disk_cache.digest(data, {**chosen, "entry": entry})


def _data(program: Any) -> bytes | None:
    """The text of a program, unread; None for modules and what is no program."""
    if isinstance(program, bytes) or (isinstance(program, str) and is_text(program)):
        return program.encode() if isinstance(program, str) else program
    if isinstance(program, (str, os.PathLike)):
        with suppress(OSError):
            return Path(program).read_bytes()
    return None


def is_text(program: str) -> bool:
    """A path has no line break and no brace."""
    return any(c in program for c in "\n{}") or not program.strip()


def _compiled(
    program: Any,
    target: Any,
    entry: str,
    pipeline: Any,
    keep_phases: bool,
    options: dict[str, Any],
    sizes: tuple[int | None, int | None],
) -> Any:
    """What is not on disk. A program that nobody else holds is read into a context that others were compiled in before."""
    from mlir import ir

    from hlo.dialect import contexts
    from hlo.runtime.compilation import compile_program
    from hlo.runtime.executable import Executable

    if isinstance(program, ir.Module):
        return compile_program(lambda: program, target, entry, pipeline, keep_phases, options, sizes)
    if not isinstance(program, (str, bytes, os.PathLike)):
        program, entry = _of_builder(program)
        return compile_program(lambda: program, target, entry, pipeline, keep_phases, options, sizes)
    text, file_name = _text(program)
    lent = contexts.lend()
    made = compile_program(
        lambda: _read(text, file_name, lent.context), target, entry, pipeline, keep_phases, options, sizes
    )
    if isinstance(made, Executable):  # others keep the module
        contexts.give_back(lent, len(text) + sum(a.nbytes for a in made.program.constants))
    return made


def _of_builder(program: Any) -> tuple[ir.Module, str]:
    """The module of a Computation, and the name of its function."""
    from hlo.builder import Computation

    if not isinstance(program, Computation):
        raise ArgumentError(
            f"hlo.compile takes a module, a computation, text or a path, found {type(program).__name__}"
        )
    return program.module, program.name


def _text(program: Any) -> tuple[str | bytes, str]:
    """The text of a program, and the file that it is in."""
    if isinstance(program, bytes) or (isinstance(program, str) and is_text(program)):
        return program, "-"
    if isinstance(program, (str, os.PathLike)):
        return _contents(program), os.fspath(program)
    raise ArgumentError(f"hlo.compile takes a module, text or a path, found {type(program).__name__}")


def _contents(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ArgumentError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None


def _read(text: str | bytes, file_name: str, context: ir.Context) -> ir.Module:
    from hlo.dialect.reader import read
    from hlo.dialect.verifier import check

    module = read(text, context, file_name)
    check(module, text, file_name)
    return module
