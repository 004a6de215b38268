"""Batches spread over worker processes. A worker that dies is started again, and its batch is run program by program."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue

from hlo.python_process import module_command
from hlo.tools.differential.check import Failure

SECONDS = 120.0
"""The longest that a batch may take: then its worker is killed, and its programs run one by one."""


class Worker:
    def __init__(self, seed: int, ops: Sequence[str], at_work: Path, how: Mapping[str, str]):
        self.seed, self.ops, self.at_work, self.how = seed, list(ops), at_work, dict(how)
        self.process: subprocess.Popen[str] | None = None
        self.stopped = False

    def run(self, numbers: Sequence[int]) -> list[Failure]:
        """The failures among these programs; a program that ends the process is one."""
        answer = self._answer(numbers)
        if answer is not None:
            return answer
        code = self._ended()
        if self.stopped:
            return []
        if len(numbers) > 1:
            found = [f for n in numbers for f in self.run([n])]
            return found or [Failure(numbers[0], "died", f"{code}, only as a batch of programs {list(numbers)}")]
        text = self.at_work.read_text() if self.at_work.exists() else ""
        return [Failure(numbers[0], "died", code, text)]

    def _answer(self, numbers: Sequence[int]) -> list[Failure] | None:
        self.process = self.process or _start()
        self.at_work.unlink(missing_ok=True)
        assert self.process.stdin and self.process.stdout
        watch = threading.Timer(SECONDS, self.process.kill)
        watch.start()
        try:
            request = {"seed": self.seed, "numbers": list(numbers), "ops": self.ops, "how": self.how}
            request["at_work"] = str(self.at_work)
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        return [Failure(**f) for f in json.loads(line)] if line else None

    def _ended(self) -> str:
        assert self.process
        code, self.process = self.process.wait(), None
        if code == -signal.SIGKILL:
            return f"the process gave no answer in {SECONDS:.0f} s, or was killed"
        return f"the process died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def close(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()

    def kill(self) -> None:
        """Ends the process; no other is started for what it was running."""
        self.stopped = True
        if self.process:
            self.process.kill()


def _start() -> subprocess.Popen[str]:
    command = module_command("hlo.tools.differential.worker")
    environment = {**os.environ, "HLO_THREADS": os.environ.get("HLO_THREADS", "1")}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def run_all(
    seed: int,
    batches: Sequence[Sequence[int]],
    ops: Sequence[str],
    jobs: int,
    how: Mapping[str, str],
    seconds: float | None = None,
) -> Iterator[tuple[int, list[Failure]]]:
    """For each batch, as they are done: how many programs it has, and the failures among them. After so many seconds none is
    begun; those at work are waited for."""
    todo: Queue[Sequence[int]] = Queue()
    for batch in batches:
        todo.put(batch)
    done: Queue[tuple[int, list[Failure]] | None] = Queue()
    folder = tempfile.TemporaryDirectory(prefix="hlo-differential-")
    end = time.monotonic() + (seconds or math.inf)
    workers = [Worker(seed, ops, Path(folder.name) / f"{number}.mlir", how) for number in range(jobs)]

    def serve(worker: Worker) -> None:
        try:
            while time.monotonic() < end and not worker.stopped:
                batch = todo.get_nowait()
                done.put((len(batch), worker.run(batch)))
        except Empty:
            pass
        finally:
            worker.close()
            done.put(None)

    with folder:
        for worker in workers:
            threading.Thread(target=serve, args=(worker,), daemon=True).start()
        running = jobs
        try:
            while running:
                if (answer := done.get()) is not None:
                    yield answer
                else:
                    running -= 1
        finally:
            for worker in workers:
                worker.kill()
