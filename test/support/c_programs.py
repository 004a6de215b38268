"""Objects of hlo-compile, linked with their example main by a C compiler and run: what the tests of `hlo.aot` share."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import hlo

CC = shutil.which("cc")
FOLDER = Path(__file__).parents[2] / "examples"
SHARDED = sorted(p.stem for p in FOLDER.glob("*.mlir") if "sdy.mesh" in p.read_text())
"""Examples for several devices, which no object is for."""
EXAMPLES = sorted({p.stem for p in FOLDER.glob("*.mlir")} - set(SHARDED))
STRICT = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")


@dataclass(frozen=True)
class Machine:
    """How programs for a triple are linked and run."""

    triple: str | None = None
    compiler: str = "cc"
    runner: tuple[str, ...] = ()
    cpu: str = "baseline"

    @property
    def lacks(self):
        """What is not installed; None if the machine can be tested."""
        return next((tool for tool in (self.compiler, *self.runner[:1]) if shutil.which(tool) is None), None)


HERE = Machine()
AARCH64 = Machine("aarch64-linux-gnu", "aarch64-linux-gnu-gcc", ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"))
ARMV7 = Machine(
    "armv7-linux-gnueabihf", "arm-linux-gnueabihf-gcc", ("qemu-arm-static", "-L", "/usr/arm-linux-gnueabihf")
)


def inputs_of(name):
    """The arguments of an example."""
    if name == "softmax":
        return [np.arange(6, dtype=np.float32).reshape(2, 3)]
    with np.load(FOLDER / f"{name}.inputs.npz") as file:
        return [file[key] for key in file.files]


def need(machine):
    if machine.lacks:
        pytest.skip(f"{machine.lacks} is not installed")


class Linked:
    """A program with its object. `run(function, *arrays)` gives the results of one call."""

    def __init__(self, folder, written, machine=HERE, flags=("-O1",), objects=None):
        self.folder, self.written, self.machine = folder, written, machine
        self.name = written.model.name
        self.path = folder / self.name
        command = [machine.compiler, *STRICT, *flags, str(folder / f"{self.name}_main.c")]
        command += objects or [str(folder / f"{self.name}.o")]
        done = subprocess.run([*command, "-lm", "-o", str(self.path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def command(self, function, arrays, output):
        files = []
        for number, array in enumerate(arrays):
            files.append(self.folder / f"{self.name}.{number}.in")
            np.ascontiguousarray(array).tofile(files[-1])
        return [*self.machine.runner, str(self.path), "-f", function.name, "-o", str(output), *map(str, files)]

    def run(self, function, *arrays, before=()):
        output = self.folder / f"{self.name}.out"
        done = subprocess.run(
            [*before, *self.command(function, arrays, output)], capture_output=True, text=True, cwd=self.folder
        )
        assert done.returncode == 0, done.stderr
        return split(output.read_bytes(), function.signature.results)


def split(data, types):
    """The arrays that the example main has written."""
    found = []
    for t in types:
        found.append(np.frombuffer(data[: t.nbytes], t.dtype).reshape(t.shape))
        data = data[t.nbytes :]
    assert not data
    return found


def linked(folder, program, machine=HERE, name="model", flags=("-O1",), **options):
    """A program compiled and linked for a machine."""
    need(machine)
    chosen = {"triple": machine.triple, "cpu": machine.cpu, **options, "also": ["main", *options.get("also", ())]}
    return Linked(folder, hlo.aot.compile(program, folder / name, **chosen), machine, flags)


def in_process(program, cpu, entry="main", threads=1):
    """The same code in this process."""
    return hlo.compile(program, entry=entry, cpu=cpu, pipeline=hlo.pipelines.cpu(f"{cpu}/{threads}"))
