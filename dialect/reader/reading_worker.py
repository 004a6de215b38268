"""What runs in the process of `reading_process`: requests come in on standard input, answers go out on what was standard output."""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import suppress

from hlo.dialect.reader.reading_process import read_part, write_part
from hlo.errors import HloError

SECONDS = 600
"""Processor time for one request: a damaged file must not make it endless."""
MEMORY = 16 << 30
"""Bytes of address space in addition to 64 a byte of the program, so that a damaged length does not take all there is."""


def main() -> None:
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for the process that asks
    while True:
        try:
            kind, file_name, data = (read_part(requests) for _ in range(3))
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        _limit_memory(MEMORY + 64 * len(data))
        status, answer = _answer(kind.decode(), file_name.decode("utf-8", "surrogateescape"), data)
        signal.setitimer(signal.ITIMER_PROF, 0)
        write_part(answers, status)
        write_part(answers, answer)
        answers.flush()


def _limit_memory(size: int) -> None:
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _answer(kind: str, file_name: str, data: bytes) -> tuple[bytes, bytes]:
    try:
        return b"ok", _KINDS[kind](data, file_name)
    except HloError as error:
        return b"error", str(error).encode("utf-8", "replace")
    except MemoryError:
        return b"error", f"{file_name} cannot be read: not enough memory".encode()


def _text_of_bytecode(data: bytes, file_name: str) -> bytes:
    from hlo.dialect.reader.bytecode import generic_text

    return generic_text(data, file_name).encode("utf-8", "surrogateescape")


def _try_text(data: bytes, file_name: str) -> bytes:
    """Reads a text and forgets it: whether the process lives is the answer."""
    from hlo.dialect.diagnostics import Source
    from hlo.dialect.reader import to_generic
    from hlo.dialect.reader.parsing import parse_module
    from hlo.dialect.registration import make_context

    source = Source(data.decode("utf-8", "surrogatepass"), file_name)
    with suppress(HloError):  # whoever asks finds it too
        parse_module(to_generic(source), source, make_context())
    return b""


_KINDS = {"bytecode": _text_of_bytecode, "text": _try_text}


if __name__ == "__main__":
    main()
