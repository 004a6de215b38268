"""Which edit to try next: every edit of every op, again and again, until none of them helps."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError
from hlo.python_process import module_command

EDITS = ("keep_one_result", "inline_calls", "cut_off", "inline_a_region", "drop_a_result", "return_an_operand",
         "pass_an_operand_on", "zero_instead", "shrink_sizes", "simplify_constants")  # fmt: skip
"""In the order of the steps' sizes."""

LONGEST = 2_000_000
"""Seconds that a run may be given: poll(2) counts milliseconds in 31 bits."""

Fails = Callable[[str], str]


class Worker:
    """Asks the worker process; starts it again when it died."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.process: subprocess.Popen[str] | None = None

    def ask(self, **request: Any) -> Any:
        """The answer; None when the process died."""
        self.process = self.process or _start()
        assert self.process.stdin and self.process.stdout
        watch = threading.Timer(self.seconds, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        return json.loads(line) if line else None

    def death(self) -> str:
        """Of a process that gave no answer."""
        assert self.process
        code, self.process = self.process.wait(), None
        return f"the process died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def fails(self, text: str) -> str:
        answer = self.ask(action="fails", text=text)
        return self.death() if answer is None else answer

    def close(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()


def _start() -> subprocess.Popen[str]:
    command = module_command("hlo.tools.reduction.worker")
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=dict(os.environ),
    )


def command_fails(command: str, seconds: float) -> Fails:
    """A test that is a command line: a program fails when the command, with its file as the last word, does. Raises
    ArgumentError for text that is none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ArgumentError(f"--test {command!r} is no command: {error}") from None

    def fails(text: str) -> str:
        with tempfile.TemporaryDirectory(prefix="hlo-reduce-") as folder:
            path = Path(folder) / "candidate.mlir"
            path.write_text(text, errors="surrogateescape")
            try:
                run = subprocess.run([*words, str(path)], capture_output=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return "too long"
            except OSError as error:
                raise ArgumentError(f"--test: cannot run {command!r}: {error.strerror}") from None
            return "fails" if run.returncode else ""

    return fails


def reduce(text: str, cost: list[int], worker: Worker, fails: Fails, tell: Callable[[str], None]) -> str:
    """The smallest program found that fails in the way `text` does."""
    wanted = fails(text)
    if not wanted:
        raise ArgumentError("the program does not fail: compiled and reference agree (or --test exits with 0)")
    tell(f"the program fails: {wanted}; {cost[0]} ops")
    improved = True
    while improved:
        improved = False
        for name in EDITS:
            found, cost_then = _everywhere(name, text, cost, worker, lambda t: fails(t) == wanted)
            if cost_then < cost:
                text, cost, improved = found, cost_then, True
                tell(f"{name}: {cost[0]} ops, {cost[1]} with inputs, {cost[2]} elements")
    return text


def _everywhere(
    name: str, text: str, cost: list[int], worker: Worker, fails: Callable[[str], bool]
) -> tuple[str, list[int]]:
    """One edit of all ops, from the first again where it helped."""
    position = 0
    while True:
        answer = worker.ask(action="edited", text=text, name=name, position=position)
        if answer is None:
            worker.death()
            answer = {"end": False, "text": None}
        if answer["end"]:
            return text, cost
        if answer["text"] and answer["cost"] < cost and fails(answer["text"]):
            text, cost = answer["text"], answer["cost"]
        else:
            position += 1
