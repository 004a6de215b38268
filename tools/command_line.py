"""What the command lines share: exit codes, error output, files that are written whole or not at all."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.garbage import RARELY
from hlo.program_text import all_of, contents, shown
from hlo.whole_files import save

FINE, INPUT_AT_FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130


def run_tool(name: str, main: Callable[[list[str]], int], argv: list[str] | None) -> int:
    """Runs a tool's main; a user's mistake becomes a message on stderr and exit code 1, as does output that cannot be written. A
    traceback is a bug here."""
    prepare_standard_streams()
    gc.set_threshold(*RARELY)
    try:
        code = _exit_code(name, main, sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except HloError as error:
        _complain(render(error, name, argv if argv is not None else sys.argv[1:]))
        return INPUT_AT_FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _output_failed(name, error)
    finally:
        if argv is None:
            gc.freeze()  # the process ends: looking for garbage among all that is loaded takes a fifth of a small program's time


def _exit_code(name: str, main: Callable[[list[str]], int], argv: list[str]) -> int:
    """argparse ends the process by itself; what it has printed is still to be written."""
    try:
        return main(argv)
    except SystemExit as end:
        if isinstance(end.code, str):
            _complain(f"{name}: error: {end.code}")
            return INPUT_AT_FAULT
        return int(end.code or FINE)


def _complain(text: str) -> None:
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _output_failed(name: str, error: OSError) -> int:
    """Files are read and written with their own messages: what is left is standard output, closed (head) or full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered must not fail again at exit
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (until the process ends)
    if not isinstance(error, BrokenPipeError):
        _complain(f"{name}: error: cannot write to standard output: {error.strerror}")
    return INPUT_AT_FAULT


def prepare_standard_streams() -> None:
    """A stream that was closed before the process began: no file may get its number, writing to standard output fails, and what
    goes to standard error is dropped. Names that are no UTF-8 are printed as escapes."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()))
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until the process ends)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Closed(io.RawIOBase):
    """Takes nothing."""

    def writable(self) -> bool:
        return True

    def write(self, _: Any) -> int:
        raise OSError(errno.EBADF, "it is closed")


def render(error: HloError, tool: str, argv: Sequence[str] = ()) -> str:
    """Each diagnostic with its location, and with the line of a file that is among the arguments; those without a
    location carry the tool's name."""
    files = {shown(path): path for path in argv if any(d.line and not d.source for d in error.diagnostics)}
    return "\n".join(
        str(_with_line(d, files.get(d.file))) if d.line else f"{tool}: {d.severity}: {d.message}"
        for d in error.diagnostics
    )


def _with_line(found: Diagnostic, path: str | None) -> Diagnostic:
    """A file that is no text, or was not there to be read twice, shows none."""
    if found.source or path is None or not os.path.isfile(path):
        return found
    try:
        lines = contents(path).decode().splitlines()
    except (HloError, UnicodeDecodeError):
        return found
    if not 0 < found.line <= len(lines):
        return found
    line = lines[found.line - 1]
    return found._replace(source=line if 0 < found.column <= len(line) else "")


def read_input(path: str) -> bytes:
    """The bytes of a file, or of standard input for '-'."""
    if path != "-":
        return contents(path)
    if sys.stdin is None:
        raise ArgumentError("cannot read standard input: it is closed")
    try:
        return all_of(sys.stdin.buffer)
    except OSError as error:
        raise ArgumentError(f"cannot read standard input: {error.strerror}") from None
    except (ValueError, MemoryError) as error:
        raise ArgumentError(f"cannot read standard input: {error or 'not enough memory'}") from None


def write_output(path: str, text: str | bytes) -> None:
    """Writes a file whole or not at all; '-' is standard output. What the command line has that is no UTF-8 is written as escapes."""
    data = text.encode(errors="backslashreplace") if isinstance(text, str) else text
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    save(path, data)
