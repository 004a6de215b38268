"""Reproducers: files that hold a program and the command or pipeline that it failed in.

Ours begin with a lit line, `// RUN: hlo-opt %s OPTIONS`; mlir-opt's end with a block that names a pipeline,
`{-# external_resources: { mlir_reproducer: { pipeline: "builtin.module(...)", ... } } #-}`. Both are read."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from pathlib import Path

from hlo.errors import ArgumentError
from hlo.tools.command_line import write_output

_COMMAND = re.compile(rb"^[ \t]*// RUN: hlo-opt %s(.*)$", re.MULTILINE)
_BLOCK = re.compile(rb"\{-#.*?mlir_reproducer.*?#-\}", re.DOTALL)
_PIPELINE = re.compile(rb'pipeline:\s*"((?:[^"\\]|\\.)*)"')


def write_reproducer(path: str, arguments: list[str], input_name: str, data: bytes) -> None:
    """The input behind a line with the command that was given, quoted for a shell; lit and `--run-reproducer` run it."""
    kept = []
    skip = False
    for word in arguments:
        if skip or word == input_name:
            skip = False
        elif word in ("--reproducer", "-o"):
            skip = True
        elif not word.startswith(("--reproducer=", "-o=")):
            kept.append(word)
    command = shlex.join(["hlo-opt", "%s", *kept])
    program = _BLOCK.sub(b"", data)  # a pipeline of the input's own would win over this one
    write_output(path, f"// RUN: {command}\n".encode(errors="surrogateescape") + program)


def arguments_of(data: bytes, name: str) -> tuple[list[str], bytes]:
    """The options that a reproducer's pipeline is run with, and its program. Raises ArgumentError if it names no pipeline."""
    block = _BLOCK.search(data)
    pipeline = _PIPELINE.search(block.group()) if block else None
    if block and pipeline:
        text = pipeline[1].decode().replace('\\"', '"')
        return [f"--pass-pipeline={text}"], data.replace(block.group(), b"\n" * block.group().count(b"\n"))
    command = _COMMAND.search(data)
    if command is None:
        raise ArgumentError(
            f"--run-reproducer: {name} names no pipeline: expected a line '// RUN: hlo-opt %s ...' or an mlir_reproducer block"
        )
    return shlex.split(command[1].decode(errors="surrogateescape").split("|")[0]), data


class CrashReproducer:
    """Keeps a program and its pipeline in a file while passes run, and drops it when they are done: what is left when one fails or the
    process dies."""

    def __init__(self, path: str, local: bool):
        self.path = path
        self.local = local
        """Whether it holds the pass that runs and what it was given, not the whole pipeline."""

    def keep(self, passes: str, text: str) -> None:
        write_output(self.path, f"// RUN: hlo-opt %s --pass-pipeline={shlex.quote(passes)}\n{text}\n")

    def drop(self) -> None:
        with suppress(OSError):
            Path(self.path).unlink()
