"""The worker: answers requests, one after another, until the process that started it is gone.

    python -m hlo.runtime.isolated.worker FILE_DESCRIPTOR

A request is a program with the options of `hlo.compile`. Before the answer come messages that tell the stage."""

from __future__ import annotations

import faulthandler
import os
import resource
import socket
import sys
import threading
import traceback
from typing import Any

from hlo.errors import HloError
from hlo.runtime.isolated.messages import Message, receive, send
from hlo.stages import LISTENER

OURS = ("HLO_", "OMP_")
"""How the names of environment variables begin that compiling depends on."""


def main() -> None:
    faulthandler.enable()
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        while (request := receive(connection)) is not None:
            send(connection, *_answer(connection, *request))


def _end_with(parent: int) -> None:
    """A worker that compiles reads nothing, and would not see that nobody waits."""
    while os.getppid() == parent:
        threading.Event().wait(1.0)
    os._exit(0)


def _answer(connection: socket.socket, header: dict[str, Any], program: bytes) -> Message:
    def tell(phase: str, item: Any) -> None:
        send(connection, {"phase": phase, "pass": "" if item is None else str(item)})

    LISTENER.set(tell)
    try:
        _limit_memory(header["bytes"])
        return _compiled(header, program)
    except HloError as error:
        found = [d._asdict() for d in error.diagnostics]
        return {"error": type(error).__name__, "diagnostics": found}, b""
    except MemoryError:
        return {"memory": True}, b""
    except Exception:
        return {"bug": traceback.format_exc()}, b""


def _limit_memory(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _compiled(header: dict[str, Any], program: bytes) -> Message:
    from hlo.api import Request, compile_request
    from hlo.program_text import ProgramText
    from hlo.runtime.calls.dynamic import DynamicExecutable
    from hlo.runtime.saved.file_format import signature_as_json

    _take_environment(header["environment"])
    _know_targets(header["targets"])
    text = ProgramText(program if header["is_bytes"] else program.decode(errors="surrogatepass"), header["file_name"])
    names = ("target", "entry", "pipeline", "keep_phases", "cache", "options")
    given = {name: header[name] for name in names}
    made = compile_request(Request(program=None, text=text, grid=tuple(header["grid"]), isolate=False, **given))
    if isinstance(made, DynamicExecutable):
        if header["shapes"] is None:
            return {"dynamic": signature_as_json(made.signature)}, b""
        made = made.specialize(*header["shapes"])
    return {"phases": made.phases}, _packed(made)


def _take_environment(variables: dict[str, str]) -> None:
    for name in [n for n in os.environ if n.startswith(OURS)]:
        del os.environ[name]
    os.environ.update(variables)


def _packed(made: Any) -> bytes:
    from hlo.errors import ArgumentError
    from hlo.runtime.calls.executable import Executable
    from hlo.runtime.gpu import program_file as gpu_program_file
    from hlo.runtime.saved import program_file

    if isinstance(made, Executable):
        if not made.may_be_saved:
            raise ArgumentError(
                "isolate: only programs compiled with engine='llvm' come back from a worker process, and none with an "
                "interpreter.run_parallel of several processes"
            )
        return program_file.pack(made.program)
    return gpu_program_file.pack(made.program)


def _know_targets(names: list[str]) -> None:
    """The custom call targets of the other process: here they are names."""
    from hlo.runtime.custom_calls import standard_targets  # noqa: F401 (registers its own)
    from hlo.runtime.custom_calls.registry import TARGETS

    for name in set(TARGETS) - set(names) & _foreign:
        del TARGETS[name]
    for name in names:
        if name not in TARGETS:
            TARGETS[name] = _elsewhere
            _foreign.add(name)


_foreign: set[str] = set()


def _elsewhere(*_: Any, **__: Any) -> None:
    raise AssertionError("a worker process runs no program")


if __name__ == "__main__":
    main()
