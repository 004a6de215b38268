"""A compilation in a worker process, as the process sees it that wants the program."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hlo import errors
from hlo.errors import ArgumentError, CompileError, Diagnostic, HloError
from hlo.lazy_dataclasses import dataclass
from hlo.program_text import ProgramText
from hlo.runtime.compile import progress
from hlo.runtime.custom_calls import standard_targets
from hlo.runtime.custom_calls.registry import TARGETS
from hlo.runtime.isolated import process
from hlo.runtime.isolated.limits import Limits
from hlo.runtime.isolated.messages import Message
from hlo.runtime.isolated.worker import OURS
from hlo.targets import BUILT_IN, find_target

if TYPE_CHECKING:
    from hlo.api import Request

assert standard_targets  # registers its own


def compile_isolated(request: Request, limits: Limits) -> Any:
    """The executable of a program that a worker compiles. Raises what compiling in this process raises; and CompileError, with the
    stage and the path of a file with the program, if the worker dies or takes more than its limits."""
    if request.pipeline is not None:
        raise ArgumentError("isolate: pipeline= has objects of this process, which a worker process cannot have")
    if find_target(request.target).pipeline is None:
        raise ArgumentError(f"isolate: target {request.target!r} compiles nothing")
    if request.target not in BUILT_IN:
        raise ArgumentError(
            f"isolate: target {request.target!r} is registered in this process, not in a worker process"
        )
    job = _Job(request, _text_of(request), limits)
    header, data = job.answer()
    if "dynamic" in header:
        from hlo.runtime.isolated.dynamic import IsolatedDynamicExecutable

        return IsolatedDynamicExecutable(job, header["dynamic"])
    return job.executable(header, data)


def _lacks_memory(printed: bytes) -> bool:
    """LLVM's linker says so, and goes on to another error."""
    return b"Cannot allocate memory" in printed


def _text_of(request: Request) -> ProgramText:
    if request.text is not None:
        return request.text
    from hlo.dialect.printer import print_module

    return ProgramText(print_module(request.program, debug_info=True))


@dataclass(frozen=True)
class _Job:
    request: Request
    text: ProgramText
    limits: Limits
    shapes: tuple[tuple[int, ...], ...] | None = None
    """Of the arguments, where the program leaves them open."""

    def header(self) -> dict[str, Any]:
        request = self.request
        return {
            "target": request.target, "entry": request.entry, "keep_phases": request.keep_phases, "grid": request.grid,
            "pipeline": None, "cache": False,
            "options": request.options, "file_name": self.text.file_name, "is_bytes": isinstance(self.text.data, bytes),
            "shapes": self.shapes, "bytes": self.limits.bytes, "targets": sorted(TARGETS),
            "environment": {k: v for k, v in os.environ.items() if k.startswith(OURS)},
        }  # fmt: skip

    def answer(self) -> Message:
        """The worker's, if it is no error."""
        steps = [*progress.SHARES] if self.request.target == "cpu" else []
        with process.LOCK, progress.Progress(steps, sys.stderr if steps else None) as shown:
            stage = ["it was started", ""]
            try:
                return self._asked(stage, shown)
            except process.Died as death:
                said = process.worker_printed()
                process.drop_worker()
                raise self._failure(str(death), stage, said) from None
            except HloError:
                raise
            except BaseException:  # an interrupt: the worker goes on with what nobody wants
                process.drop_worker()
                raise

    def _asked(self, stage: list[str], shown: progress.Progress) -> Message:
        worker = process.worker()
        end = time.monotonic() + self.limits.seconds
        try:
            worker.ask(self.header(), self.text.encoded)
        except TypeError as error:
            raise ArgumentError(f"isolate: options cannot be sent to a worker process: {error}") from None
        while True:
            header, data = worker.answer(end, self.limits.seconds)
            if "phase" in header:
                if header["phase"] != stage[0]:
                    shown.done(stage[0])
                stage[:] = [header["phase"], header["pass"]]
            elif "memory" in header or ("error" in header and _lacks_memory(worker.printed())):
                raise process.Died(f"needed more than {self.limits.bytes} bytes of memory")
            else:
                sys.stderr.write(worker.printed().decode(errors="replace"))
                return self._checked(header), data

    def _checked(self, header: dict[str, Any]) -> dict[str, Any]:
        if "bug" in header:
            raise RuntimeError(f"in the worker process that compiles: {header['bug']}")
        if "error" in header:
            raise getattr(errors, header["error"], CompileError)(*(Diagnostic(**d) for d in header["diagnostics"]))
        return header

    def _failure(self, death: str, stage: list[str], said: bytes) -> CompileError:
        phase, item = stage
        where = f"in phase {phase}" + (f", pass {item}" if item else "")
        lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
        message = f"the worker process that compiled the program {death} {where}"
        if lines:
            message += f" ({lines[0].strip()[:200]})"
        return CompileError(f"{message}; the program is in {self._reproducer(message)}")

    def _reproducer(self, message: str) -> str:
        """The path of a file with the program. What is said of it stands at its end, so that locations in it stay as they are."""
        handle, path = tempfile.mkstemp(prefix="hlo-", suffix=".mlir")
        request = self.request
        note = f"\n// {message}\n// hlo.compile(..., target={request.target!r}, entry={request.entry!r}, **{request.options!r})\n"
        with open(handle, "wb") as file:
            file.write(self.text.encoded)
            if not self.text.encoded.startswith(b"ML\xefR"):  # bytecode has no comments
                file.write(note.encode(errors="replace"))
        return path

    def executable(self, header: dict[str, Any], data: bytes) -> Any:
        from hlo.runtime.saved.file_format import unpack_parts
        from hlo.runtime.saved.load_file import load_parts

        made = load_parts(*unpack_parts(data), self.request.options.get("threads"))
        made.phases = header["phases"]
        return made

    def specialized(self, shapes: tuple[tuple[int, ...], ...]) -> Any:
        job = replace(self, shapes=shapes)
        return job.executable(*job.answer())
