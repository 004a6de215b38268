"""The worker process of this process: started when it is first needed, kept warm, started again after its death.

It has a session of its own, so that Ctrl-C in the terminal reaches this process only, and no standard input; what it prints is kept until
the compilation has ended. It ends when this process does. A process that was forked gets a worker of its own."""

from __future__ import annotations

import atexit
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
from typing import Any

from hlo.interruption import stop_if_asked
from hlo.python_process import module_command
from hlo.runtime.isolated.messages import Message, receive, send

LOOK = 0.05
"""Seconds between two looks whether this process was interrupted."""

LAST_LINES = 4000
"""Bytes of what a worker has printed that are looked at after its death."""


class Died(Exception):
    """The worker has died, or was ended; why, in words."""


class Worker:
    def __init__(self) -> None:
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the worker)
        self.connection, theirs = socket.socketpair()
        command = module_command("hlo.runtime.isolated.worker", str(theirs.fileno()))
        with theirs:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self.log,
                stderr=self.log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._ready = select.poll()
        self._ready.register(self.connection, select.POLLIN)

    def ask(self, header: dict[str, Any], data: bytes) -> None:
        """Sends a request."""
        self._printed = os.fstat(self.log.fileno()).st_size
        try:
            send(self.connection, header, data)
        except OSError:
            raise Died(self._death()) from None

    def answer(self, end: float, seconds: float) -> Message:
        """The next message. Raises Died, at the time `end` (of `time.monotonic`) at the latest, which is `seconds` after the request."""

        def wait() -> None:
            while not self._ready.poll(LOOK * 1000):
                stop_if_asked()
                if time.monotonic() > end:
                    raise Died(f"needed more than {seconds:g} seconds")

        message = receive(self.connection, wait)
        if message is None:
            raise Died(self._death())
        return message

    def printed(self) -> bytes:
        """What the worker has printed since the request."""
        with open(f"/proc/self/fd/{self.log.fileno()}", "rb") as log:
            log.seek(max(self._printed, os.fstat(log.fileno()).st_size - LAST_LINES))
            return log.read()

    def _death(self) -> str:
        code = self.process.wait()
        return f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def close(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()
        self.log.close()


LOCK = threading.Lock()
"""Held by the thread whose program is compiled."""

_workers: list[Worker] = []


def worker() -> Worker:
    """This process's worker; the caller has the lock."""
    if not _workers or _workers[0].process.poll() is not None:
        drop_worker()
        _workers.append(Worker())
    return _workers[0]


def worker_printed() -> bytes:
    return _workers[0].printed() if _workers else b""


def drop_worker() -> None:
    """Ends the worker: the next compilation starts another."""
    while _workers:
        _workers.pop().close()


def _forget_worker() -> None:
    """In a forked process: the worker is the parent's."""
    global LOCK
    LOCK = threading.Lock()
    while _workers:
        _workers.pop().connection.close()


atexit.register(drop_worker)
os.register_at_fork(after_in_child=_forget_worker)
