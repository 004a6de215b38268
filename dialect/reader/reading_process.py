"""A process in which other people's parsers read what may end it: bytecode (jaxlib's reader has no check for many damages), and
text with rare parts of MLIR (its parser asserts). It is started at first use and kept; when it dies, the next request starts
another."""

from __future__ import annotations

import os
import sys
import threading
from typing import IO, TYPE_CHECKING

from hlo.errors import ParseError
from hlo.python_process import module_command

if TYPE_CHECKING:
    import subprocess


class ReadingProcess:
    """One process, used by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def request(self, kind: str, file_name: str, data: bytes) -> bytes:
        """What the process answers. Raises ParseError with its message, or where it died."""
        with self._lock:
            try:
                status, answer = self._answer(kind, file_name, data)
            except BaseException:  # an interrupt too: the answer is still to come
                self._stop()
                raise
        if status != b"ok":
            raise ParseError(answer.decode("utf-8", "replace"))
        return answer

    def _answer(self, kind: str, file_name: str, data: bytes) -> tuple[bytes, bytes]:
        process = self._running()
        assert process.stdin and process.stdout
        try:
            for part in (kind.encode(), file_name.encode("utf-8", "surrogateescape"), data):
                write_part(process.stdin, part)
            process.stdin.flush()
            return read_part(process.stdout), read_part(process.stdout)
        except (BrokenPipeError, EOFError):
            raise ParseError(f"{file_name} cannot be read: the reader ends with {_ending(process)}") from None

    def _running(self) -> subprocess.Popen[bytes]:
        """The process; another one after a fork, which shares the pipes of the first."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            import subprocess  # not for the programs, nearly all, that our own reader reads

            command = module_command("hlo.dialect.reader.reading_worker", flags=("-I",))
            pipe = subprocess.PIPE
            try:
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
            except OSError as error:
                raise ParseError(f"cannot start {sys.executable!r} to read a program: {error.strerror}") from None
            self._owner = os.getpid()
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process and self._owner == os.getpid():
            process.kill()
            process.communicate()


def write_part(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "little") + data)


def read_part(stream: IO[bytes]) -> bytes:
    """Raises EOFError where the other side is gone."""
    size = int.from_bytes(_exactly(stream, 8), "little")
    return _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _ending(process: subprocess.Popen[bytes]) -> str:
    code = process.wait()
    return f"signal {-code}" if code < 0 else f"exit code {code}"


READER = ReadingProcess()
"""That of this process."""
