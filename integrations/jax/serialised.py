"""Serialised executables: what `jax.experimental.serialize_executable` and JAX's compilation cache keep.

One holds the program as it came, and its machine code, which is used where the same hlo would make the same code; elsewhere the program
is compiled again. It holds machine code: as with any backend of JAX, load only what you trust."""

from __future__ import annotations

from dataclasses import asdict

from hlo.errors import CompileError
from hlo.jax.programs import Facts, Program, compile_artifact
from hlo.runtime import disk_cache
from hlo.runtime.executable import Executable
from hlo.runtime.file_format import pack_parts, unpack_parts
from hlo.runtime.file_structure import DamagedFile
from hlo.runtime.load_program import load_program
from hlo.runtime.loaders import OPTIONS
from hlo.runtime.program_file import pack, unpack

TARGET = "jax"


def serialise(program: Program, options: bytes) -> bytes:
    """A program with the compile options that JAX gave."""
    header = {"target": TARGET, "compiler": _compiler(), **asdict(program.facts)}
    return pack_parts(header, [options, program.artifact, pack(program.executable.program)])


def load(data: bytes) -> tuple[Program, bytes]:
    """The program, and JAX's compile options. Raises ValueError for other data."""
    try:
        header, (options, artifact, code) = unpack_parts(data)
        facts = Facts(header["name"], tuple(header["token_arguments"]), tuple(header["token_results"]))
    except (DamagedFile, ValueError, KeyError):
        raise ValueError("this is no executable that hlo has serialised") from None
    executable = _loaded(code.tobytes()) if header["compiler"] == _compiler() else None
    if executable is None:
        return compile_artifact(artifact.tobytes()), options.tobytes()
    return Program(facts, artifact.tobytes(), executable), options.tobytes()


def _loaded(code: bytes) -> Executable | None:
    try:
        return load_program(unpack(code))
    except CompileError:  # a custom call that is not registered: compiling says where
        return None


def _compiler() -> str:
    """Changes with all that decides about the code of a program."""
    return disk_cache.digest(b"", OPTIONS["cpu"])
