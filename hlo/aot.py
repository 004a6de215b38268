"""Programs as object files: `hlo.aot.compile(program, "out/model")` writes out/model.o and out/model.h (docs/deploy.md)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hlo.environment import check_environment
from hlo.interruption import uninterrupted

if TYPE_CHECKING:
    from hlo.runtime.aot.written import Written


def compile(
    program: Any,
    output: str | os.PathLike[str],
    *,
    triple: str | None = None,
    cpu: str = "baseline",
    features: str = "",
    threads: str = "none",
    entries: Sequence[str] | None = None,
    shapes: Sequence[Sequence[int]] | None = None,
    workspace: str = "caller",
    constants: str = "object",
    lapack: str = "own",
    also: Sequence[str] = (),
) -> Written:
    """Compiles a program (a module, its text, or the path of a file) to `output`.o with the header `output`.h. The last
    part of `output` is the object's name, with which its C functions begin: out/model has `model_main` for @main. Gives
    the paths, functions and symbols. Raises an HloError for all that is wrong; then nothing is written.

    - `triple`: the system; None: this machine's (docs/deploy.md has the table).
    - `cpu`: "baseline", "host", or a row of the table of processors; or several rows ("baseline,avx2,avx512"), of which the best that the
      processor has is chosen when the program is loaded.
    - `features`: instructions in addition to the row's, or without some: "+dotprod,-fma".
    - `threads`: "none" (the caller's), or "pool" (our own thread pool, in the object).
    - `entries`: functions; None: all public ones.
    - `shapes`: the sizes of each argument of a program with dynamic shapes.
    - `workspace`: "caller" (an argument of each call), or "static" (in the object).
    - `constants`: "object", or "file" (`output`.bin, which the program maps).
    - `lapack`: "own" (code of ours for getrf, potrf, trsm, geqrf and orgqr; others are refused), or "openblas" (LAPACK's symbols, which the
      program is linked with).
    - `also`: further files: "archive" (libNAME.a), "shared" (libNAME.so), "main" (NAME_main.c, an example), "pkg-config" (NAME.pc),
      "cmake" (NAME-config.cmake)."""
    check_environment()

    def make() -> Written:
        from hlo.runtime.aot.written import Request, write

        return write(
            Request(
                program, output, triple, cpu, features, threads, entries, shapes, workspace, constants, lapack, also
            )
        )

    return uninterrupted(make)
