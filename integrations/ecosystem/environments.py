"""An environment of its own for each library, kept in a folder: made when it is not there or its requirements are others.

JAX and hlo are installed once for each version of JAX; the libraries' environments begin as copies of that, by hard links."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import EcosystemError, MissingPython
from .libraries import Library

ROOT = Path(__file__).resolve().parent.parent.parent


def python_of(library: Library, folder: Path) -> Path:
    """The interpreter of a library's environment, with the library and this working copy of hlo installed."""
    interpreter = find_interpreter(library.python)
    base_name = "-".join(["base", library.jax[0].replace("==", "-"), *([library.python] if library.python else [])])
    base = _environment(folder, base_name, interpreter, [*library.jax, "-e", f"{ROOT}[jax]"])
    return _environment(folder, library.name, interpreter, [*library.requirements, *library.jax], base)


def python_with(name: str, requirements: Sequence[str], folder: Path) -> Path:
    """The same for programs that need no JAX; `requirements`: arguments of pip's."""
    return _environment(folder, name, sys.executable, [*requirements, "-e", str(ROOT)])


def find_interpreter(version: str) -> str:
    """The first on PATH that runs: managers of versions put scripts there that may refuse."""
    if not version:
        return sys.executable
    for directory in os.get_exec_path():
        command = os.path.join(directory, f"python{version}")
        if os.access(command, os.X_OK) and not subprocess.run([command, "--version"], capture_output=True).returncode:
            return command
    raise MissingPython(f"needs python{version} on PATH")


def _environment(folder: Path, name: str, interpreter: str, wanted: Sequence[str], base: Path | None = None) -> Path:
    """The interpreter of an environment; `base`: that of the one which it begins as."""
    python, mark = folder / name / "bin" / "python", folder / name / "requirements"
    text = "\n".join([sys.version, interpreter, str(ROOT), *wanted, ""])
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two commands at once would make it twice
        if not mark.exists() or mark.read_text() != text:
            _make(folder, name, interpreter, wanted, base)
            mark.write_text(text)
    return python


def _make(folder: Path, name: str, interpreter: str, wanted: Sequence[str], base: Path | None) -> None:
    target, log = folder / name, folder / f"{name}.log"
    shutil.rmtree(target, ignore_errors=True)
    log.unlink(missing_ok=True)
    if base:
        shutil.copytree(base.parent.parent, target, symlinks=True, copy_function=os.link)
        (target / "requirements").unlink()
    else:
        _run(name, log, [interpreter, "-m", "venv", target])
    _run(name, log, [target / "bin" / "python", "-m", "pip", "install", *wanted])


def _run(name: str, log: Path, command: Sequence[str | Path]) -> None:
    with log.open("a") as out:
        failed = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
    if failed:
        raise EcosystemError(f"{name} cannot be installed: {_last_error(log)} (all of it: {log})")


def _last_error(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no output")
