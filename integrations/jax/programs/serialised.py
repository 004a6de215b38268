"""Serialised executables: what `jax.experimental.serialize_executable` and JAX's compilation cache keep.

One holds the program as it came, and its machine code, which is used where the same hlo would make the same code; elsewhere the program
is compiled again. It holds machine code: as with any backend of JAX, load only what you trust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from hlo.errors import CompileError
from hlo.jax.programs.compile_options import read_assignment
from hlo.jax.programs.program import Facts, Program, compile_artifact
from hlo.runtime.calls.executable import Executable
from hlo.runtime.saved import disk_cache
from hlo.runtime.saved.file_format import pack_parts, unpack_parts
from hlo.runtime.saved.file_structure import DamagedFile
from hlo.runtime.saved.load_program import load_program
from hlo.runtime.saved.program_file import pack, unpack
from hlo.targets import find_target

TARGET = "jax"


def serialise(program: Program, options: bytes) -> bytes:
    """A program with the compile options that JAX gave."""
    facts = {
        **asdict(program.facts),
        "arguments": _hex(program.facts.arguments),
        "results": _hex(program.facts.results),
    }
    header = {"target": TARGET, "compiler": _compiler(), **facts}
    return pack_parts(header, [options, program.artifact, program.optimized or b"", pack(program.executable.program)])


def load(data: bytes) -> tuple[Program, bytes]:
    """The program, and JAX's compile options. Raises ValueError for other data."""
    try:
        header, (options, artifact, optimized, code) = unpack_parts(data)
        tokens = tuple(header["token_arguments"]), tuple(header["token_results"])
        shardings = _from_hex(header["arguments"]), _from_hex(header["results"])
        kinds = tuple(header["argument_kinds"]), tuple(header["result_kinds"])
        facts = Facts(header["name"], *tokens, *kinds, *shardings, header["digest"])
    except (DamagedFile, ValueError, KeyError):
        raise ValueError("this is no executable that hlo has serialised") from None
    executable = _loaded(code.tobytes()) if header["compiler"] == _compiler() else None
    if executable is None:
        chosen = options.tobytes()
        return compile_artifact(artifact.tobytes(), read_assignment(chosen).grid), chosen
    return Program(facts, artifact.tobytes(), executable, optimized.tobytes() or None), options.tobytes()


def _hex(shardings: Sequence[bytes] | None) -> list[str] | None:
    return None if shardings is None else [one.hex() for one in shardings]


def _from_hex(texts: Sequence[str] | None) -> tuple[bytes, ...] | None:
    return None if texts is None else tuple(map(bytes.fromhex, texts))


def _loaded(code: bytes) -> Executable | None:
    try:
        return load_program(unpack(code))
    except CompileError:  # a custom call that is not registered: compiling says where
        return None


def _compiler() -> str:
    """Changes with all that decides about the code of a program."""
    return disk_cache.digest(b"", {**find_target("cpu").options})
