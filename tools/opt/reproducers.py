"""Reproducers: files that hold a program and the command or pipeline that it failed in.

Ours begin with a lit line, `// RUN: hlo-opt %s OPTIONS`; mlir-opt's end with a block that names a pipeline,
`{-# external_resources: { mlir_reproducer: { pipeline: "builtin.module(...)", ... } } #-}`. Both are read."""

from __future__ import annotations

import os
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
    """The input behind a line with the command that was given, quoted for a shell; lit and `--run-reproducer` run it, in any folder."""
    command = shlex.join(_kept(arguments, input_name)).replace("%", "%%")  # as lit reads it
    program = _BLOCK.sub(b"", data)  # a pipeline of the input's own would win over this one
    write_output(path, f"// RUN: hlo-opt %s {command}\n".encode(errors="surrogateescape") + program)


_OF_THIS_RUN = (
    "-o",
    *(
        f"{dashes}{name}"
        for dashes in ("-", "--")
        for name in (
            "reproducer",
            "mlir-generate-reproducer",
            "dump-phases",
            "mlir-print-ir-tree-dir",
            "mlir-pass-pipeline-crash-reproducer",
        )
    ),
)
"""Options that say where this run writes; each with a value."""
_USER_FILE = ("--load-pass", "-load-pass")


def _kept(arguments: list[str], input_name: str) -> list[str]:
    """The arguments without the input and the files that this run writes; files of passes by their absolute paths."""
    kept: list[str] = []
    previous = ""
    for word in arguments:
        name, has_value, value = word.partition("=")
        if previous in _USER_FILE:
            kept.append(os.path.abspath(word))
        elif name in _USER_FILE and has_value:
            kept.append(f"{name}={os.path.abspath(value)}")
        elif previous not in _OF_THIS_RUN and name not in _OF_THIS_RUN and word != input_name:
            kept.append(word)
        previous = word
    return kept


def arguments_of(data: bytes, name: str) -> tuple[list[str], bytes]:
    """The options that a reproducer's pipeline is run with, and its program. Raises ArgumentError if it names no pipeline."""
    block = _BLOCK.search(data)
    pipeline = _PIPELINE.search(block.group()) if block else None
    if block and pipeline:
        text = pipeline[1].decode(errors="backslashreplace").replace('\\"', '"')
        return [f"--pass-pipeline={text}"], data.replace(block.group(), b"\n" * block.group().count(b"\n"))
    command = _COMMAND.search(data)
    if command is None:
        raise ArgumentError(
            f"--run-reproducer: {name} names no pipeline: expected a line '// RUN: hlo-opt %s ...' or an mlir_reproducer block"
        )
    try:
        return shlex.split(_first_command(command[1].decode(errors="surrogateescape")).replace("%%", "%")), data
    except ValueError as error:
        raise ArgumentError(
            f"--run-reproducer: {name}: the line '// RUN: hlo-opt %s ...' is no command: {error}"
        ) from None


def _first_command(text: str) -> str:
    """What stands before a pipe of the shell, or a redirection; those in quotes are none."""
    outside = re.match(r"""(?:[^'"|>]|'[^']*'|"(?:[^"\\]|\\.)*")*""", text)
    return outside.group() if outside else text


class CrashReproducer:
    """Keeps a program and its pipeline in a file while passes run, and drops it when they are done: what is left when one fails or the
    process dies."""

    def __init__(self, path: str, local: bool):
        self.path = path
        self.local = local
        """Whether it holds the pass that runs and what it was given, not the whole pipeline."""

    def keep(self, passes: str, text: str) -> None:
        write_output(
            self.path, f"// RUN: hlo-opt %s --pass-pipeline={shlex.quote(passes).replace('%', '%%')}\n{text}\n"
        )

    def drop(self) -> None:
        with suppress(OSError):
            Path(self.path).unlink()
