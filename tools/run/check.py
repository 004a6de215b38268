"""`hlo-run --check`: every part of every file in worker processes; a crash in a part is one failure."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, field
from queue import Empty, Queue

from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass
from hlo.program_text import shown
from hlo.python_process import module_command
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, read_input


@dataclass(frozen=True)
class Part:
    """One program of a file (between `// -----` lines)."""

    name: str
    file: str
    first_line: int
    text: str
    """Bytes that are no text are halves of characters in it (surrogateescape)."""

    target: str
    options: dict[str, str] = field(default_factory=dict)
    """Of `hlo.compile`."""

    user_files: tuple[str, ...] = ()
    """Which register its target (tools/user_files.py)."""


@dataclass(frozen=True)
class Verdict:
    """What a worker says of one function of a part; `reason` is empty when it passed."""

    name: str
    reason: str


def check_files(
    files: Sequence[str],
    target: str,
    jobs: int,
    options: dict[str, str] | None = None,
    user_files: Sequence[str] = (),
) -> int:
    """Prints `PASS name` or `FAIL name: reason` in the order of the files, last `N passed, M failed`."""
    if jobs < 1:
        raise ArgumentError(f"-j takes a number from 1, found {jobs}")
    parts = [part for file in files for part in parts_of(file, target, options or {}, tuple(user_files))]
    passed = failed = 0
    for verdict in _in_order(parts, min(jobs, len(parts) or 1)):
        failed += bool(verdict.reason)
        passed += not verdict.reason
        print(f"FAIL {verdict.name}: {verdict.reason}" if verdict.reason else f"PASS {verdict.name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return INPUT_AT_FAULT if failed or not passed else FINE


def parts_of(file: str, target: str, options: dict[str, str], user_files: tuple[str, ...] = ()) -> list[Part]:
    """The parts of a self-checking file, between its lines of `// -----`; of one that is no text, the whole of it."""
    from hlo.dialect.reader import split_input

    text = read_input(file).decode(errors="surrogateescape")
    split = split_input(text) if is_text(text) else []
    pieces = [(line, piece) for line, piece in split if piece.strip()] or [(0, text)]
    single, name = len(pieces) == 1, shown(file)
    return [
        Part(name if single else f"{name}#{i}", name, line, piece, target, options, user_files)
        for i, (line, piece) in enumerate(pieces)
    ]


def is_text(text: str) -> bool:
    """Whether nothing of it is half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _in_order(parts: list[Part], jobs: int) -> Iterator[Verdict]:
    """The verdicts of all parts in order, each as soon as it and those before it are known."""
    todo: Queue[int] = Queue()
    for position in range(len(parts)):
        todo.put(position)
    done: list[list[Verdict] | None] = [None] * len(parts)
    changed = threading.Condition()

    def serve() -> None:
        worker = Worker()
        while True:
            try:
                position = todo.get_nowait()
            except Empty:
                return worker.close()
            verdicts = worker.run(parts[position])
            with changed:
                done[position] = verdicts
                changed.notify_all()

    for _ in range(jobs):
        threading.Thread(target=serve, daemon=True).start()
    for position in range(len(parts)):
        with changed:
            while done[position] is None:
                changed.wait()
        yield from done[position] or ()


class Worker:
    """A process that runs parts, one JSON line each way; it is started again after a crash."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def run(self, part: Part) -> list[Verdict]:
        process = self.process = self.process or _start()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(json.dumps(asdict(part)) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return [Verdict(**v) for v in json.loads(answer)]
        code = process.wait()
        self.process = None
        return [Verdict(part.name, f"the process died ({_death(code)}): a bug in the compiler, please report it")]

    def close(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()


def _start() -> subprocess.Popen[str]:
    command = module_command("hlo.tools.run.check_worker")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ.copy())


def _death(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
