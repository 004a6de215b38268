"""What the command lines share: exit codes, error output, files that are written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from hlo.errors import ArgumentError, HloError

FINE, INPUT_AT_FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130


def run_tool(name: str, main: Callable[[list[str]], int], argv: list[str] | None) -> int:
    """Runs a tool's main; a user's mistake becomes a message on stderr and exit code 1. A traceback is a bug here."""
    try:
        code = main(sys.argv[1:] if argv is None else argv)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except HloError as error:
        print(render(error, name), file=sys.stderr)
        return INPUT_AT_FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _output_failed(name, error)


def _output_failed(name: str, error: OSError) -> int:
    """Files are read and written with their own messages: what is left is standard output, closed (head) or full."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered must not fail again at exit
    if not isinstance(error, BrokenPipeError):
        print(f"{name}: error: cannot write to standard output: {error.strerror}", file=sys.stderr)
    return INPUT_AT_FAULT


def render(error: HloError, tool: str) -> str:
    """Each diagnostic with its place; those without one carry the tool's name."""
    return "\n".join(str(d) if d.line else f"{tool}: {d.severity}: {d.message}" for d in error.diagnostics)


def read_input(path: str) -> bytes:
    """The bytes of a file, or of standard input for '-'."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ArgumentError(f"cannot read {path!r}: {error.strerror}") from None


def write_output(path: str, text: str | bytes) -> None:
    """Writes a file whole or not at all; '-' is standard output."""
    data = text.encode() if isinstance(text, str) else text
    if path == "-":
        if sys.stdout is None:
            raise ArgumentError("cannot write to standard output: it is closed")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        _write_whole(Path(path), data)
    except OSError as error:
        raise ArgumentError(f"cannot write {path!r}: {error.strerror}") from None


def _write_whole(path: Path, data: bytes) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe: no temporary beside it
        path.write_bytes(data)
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
