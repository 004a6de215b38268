"""Names handed to processes of their own, which answer each of them: after a failure a card's context may be of no use, and a
kernel may hang.

A worker reads names, a line each, and answers each with a line of JSON: [name, answer, whether it goes on]."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

MARK = "answer: "
GONE = "the process ended or hung"
GRACE = 30.0
"""Seconds that a process has to end by itself, when all is answered."""


@dataclass(frozen=True)
class Workers:
    """`jobs` processes of `command` at a time. `patience`: seconds that an answer may take, and `start` more the first one of a
    process. `deadline`: of time.monotonic(); what has no answer by then gets none."""

    command: Sequence[str]
    jobs: int = 1
    patience: float = 60.0
    start: float = 0.0
    deadline: float = float("inf")
    _answers: queue.Queue[tuple[str, Any] | None] = field(default_factory=queue.Queue)

    def answers(self, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Name and answer, as they come; GONE for a name whose process ended or hung."""
        shares = [names[job :: self.jobs] for job in range(self.jobs)]
        threads = [threading.Thread(target=self._all_of, args=(share,), daemon=True) for share in shares if share]
        for thread in threads:
            thread.start()
        for _ in threads:
            yield from iter(self._answers.get, None)

    def _all_of(self, names: Sequence[str]) -> None:
        left = list(names)
        while left and time.monotonic() < self.deadline:
            process = _Process(self.command, left)
            try:
                left = self._some_of(process, left)
            finally:
                process.end()
        self._answers.put(None)

    def _some_of(self, process: _Process, names: list[str]) -> list[str]:
        """What is left when the process has ended, has been given up, or says that it does not go on; at the deadline nothing."""
        for number, name in enumerate(names):
            patience = self.patience + (0 if number else self.start)
            rest = max(0.0, self.deadline - time.monotonic())
            line = process.line(min(patience, rest))
            if line is None and rest <= patience:  # not by the clock: a wait may end a moment before its time
                return []
            if not line:
                self._answers.put((name, GONE))
                return names[number + 1 :]
            name, answer, goes_on = json.loads(line)
            self._answers.put((name, answer))
            if not goes_on:
                return names[number + 1 :]
        process.is_done = True
        return []


class _Process:
    """`is_done`: it has answered all names."""

    is_done = False

    def __init__(self, command: Sequence[str], names: Sequence[str]):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, args=("\n".join(names) + "\n",), daemon=True).start()

    def line(self, patience: float) -> str | None:
        """The next answer; "" at the end of the process, None when it takes too long."""
        try:
            return self._lines.get(timeout=patience)
        except queue.Empty:
            return None

    def end(self) -> None:
        """By itself when it is done: tools that run it have something to say then."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE if self.is_done else 0)
        self._process.kill()
        self._process.wait()
        self._reader.join(GRACE)

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(MARK):  # tools and programs print, too
                self._lines.put(line[len(MARK) :])
        self._lines.put("")

    def _write(self, text: str) -> None:
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.write(text)
            self._process.stdin.close()


def serve(answer: Callable[[str], tuple[Any, bool]]) -> None:
    """The worker's side: answers the names that come in. `answer` gives an answer, and whether the process can go on."""
    for line in sys.stdin:
        found, goes_on = answer(line.strip())
        print(MARK + json.dumps([line.strip(), found, goes_on]), flush=True)
        if not goes_on:
            return
