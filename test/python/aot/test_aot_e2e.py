"""The self-checking programs as objects, on this machine and others: what their checks look at is what the same code gives in this process
(here: the same bits; on other processors: within the tolerance of their functions)."""

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from c_programs import AARCH64, ARMV7, EXAMPLES, HERE, Linked, in_process, inputs_of, linked, need
from mlir import ir
from sampling import ALL

import hlo
from hlo.host import host_architecture
from hlo.lowering.target import names_of

ROOT = Path(__file__).parents[3]
E2E = ROOT / "test" / "e2e"
BASELINE = names_of(host_architecture())[-1]
ELSEWHERE = {"aarch64": AARCH64, "armv7": ARMV7}
MACHINES = {"here": HERE, **ELSEWHERE}
REFUSED = (
    "custom_call",
    "interpreter",
    "infeed",
    "outfeed",
    "send",
    "recv",
    "dynamic",
    "real_dynamic",
    "check.",
    "partition_id",
    "replica_id",
    "after_all",
    "collective_broadcast",
)
"""Files about what objects do not have, or about the checks themselves."""
FILES = sorted(p.stem for p in E2E.glob("*.mlir") if not p.stem.startswith(REFUSED))
SAMPLE = {"dot_general", "reduce_window", "sort", "while", "scatter", *FILES[::20]}
"""What `make check` runs for other processors, too."""
CASES = [
    pytest.param(machine, name, marks=() if machine == "here" or name in SAMPLE else pytest.mark.slow)
    for name in FILES
    for machine in MACHINES
]
MOST = None if ALL else 2
"""Functions of a file; None: all."""


def _checks(function):
    """The ops of a function that compare, wherever nothing else reads them."""
    block = function.regions[0].blocks[0]
    ops = [op.operation for op in block.operations]
    return [op for op in ops if op.name.startswith("check.expect") or "@check.expect" in str(op).split("(")[0]]


def returning_what_is_checked(text):
    """The module whose functions return what they would compare; the names of those that do."""
    module, names = hlo.parse(text), []
    with module.context, ir.Location.unknown():
        for function in [op for op in module.body.operations if op.operation.name == "func.func"]:
            checks = [] if function.is_external or len(function.type.inputs) else _checks(function)
            if not checks:
                continue
            values = [check.operands[0] for check in checks]
            block = function.regions[0].blocks[0]
            end = block.operations[len(block.operations) - 1].operation
            ir.Operation.create("func.return", operands=values, ip=ir.InsertionPoint(end))
            end.erase()
            for check in checks:
                check.erase()
            kind = ir.FunctionType.get([], [v.type for v in values])
            function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)
            names.append(function.name.value)
    return module, names


@functools.lru_cache(maxsize=2)
def expected_of(name):
    """A module and what its functions give in this process, for each part of a file: so many functions in all."""
    found, left = [], MOST
    for text in (E2E / f"{name}.mlir").read_text().split("// -----"):
        module, names = returning_what_is_checked(text)
        names = [n for n in names if n.isidentifier()][:left]
        if names:
            found.append((module, {n: in_process(module, BASELINE, entry=n)() for n in names}))
        left = left and left - len(names)
        if left == 0:
            break
    return found


def run_file(name, folder, machine, compare):
    """Compares functions of a file; returns their number."""
    total = 0
    for part, (module, expected) in enumerate(expected_of(name)):
        place = folder / str(part)
        place.mkdir()
        chosen = {"triple": machine.triple, "cpu": "baseline", "entries": list(expected), "also": ["main"]}
        program = Linked(place, hlo.aot.compile(module, place / "model", **chosen), machine)
        for function in program.written.model.functions:
            for one, other in zip(program.run(function), expected[function.function], strict=True):
                compare(one, other, f"{name}: {function.function}")
            total += 1
    return total


def same_bits(found, expected, what):
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes(), what


TOLERANCES = {2: 2e-2, 4: 2e-5, 8: 1e-12, 16: 1e-12}
"""By bytes of an element: what a fused multiplication and another order of sums change, relative to the largest number."""


def close(found, expected, what):
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected, what)
        return
    kind = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected, size = found.astype(kind), expected.astype(kind), expected.dtype.itemsize
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected), what)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite], what)
    largest = np.abs(expected[finite]).max(initial=1e-30)
    np.testing.assert_allclose(
        found[finite], expected[finite], rtol=1e-4, atol=TOLERANCES.get(size, 0.1) * largest, err_msg=what
    )


def test_there_are_a_hundred_programs():
    assert len(FILES) >= 100


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("machine", "name"), CASES)
def test_programs_as_objects(machine, name, tmp_path):
    need(MACHINES[machine])
    assert run_file(name, tmp_path, MACHINES[machine], same_bits if machine == "here" else close)


@pytest.mark.parametrize("machine", ELSEWHERE)
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_on_other_processors(name, machine, tmp_path):
    path = ROOT / "examples" / f"{name}.mlir"
    program = linked(tmp_path, path, ELSEWHERE[machine])
    (function,) = program.written.model.functions
    arrays = inputs_of(name)
    for one, expected in zip(program.run(function, *arrays), in_process(path, BASELINE)(*arrays), strict=True):
        close(one, expected, name)
    assert set(program.written.symbols.needed) <= {"libc", "libm", "the C compiler"}


ELF, MACHO = b"\x7fELF", (0xFEEDFACF).to_bytes(4, "little")
TRIPLES = {
    "x86_64-linux-gnu": (ELF, 18, 2, 62),
    "aarch64-linux-gnu": (ELF, 18, 2, 183),
    "armv7-linux-gnueabihf": (ELF, 18, 2, 40),
    "x86_64-apple-macos": (MACHO, 4, 4, 0x01000007),
    "arm64-apple-macos": (MACHO, 4, 4, 0x0100000C),
}
"""The format of objects, and where, in how many bytes and as what number it names the processor: e_machine (System V ABI), cputype (Mach-O)."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["softmax", "mlp", "transformer"])
@pytest.mark.parametrize("triple", TRIPLES)
def test_objects_for_all_systems(triple, name, tmp_path):
    """By the command line, from this machine: an object of the system's format, which needs C's libraries alone."""
    command = [sys.executable, "-m", "hlo.tools.hlo_compile", ROOT / "examples" / f"{name}.mlir", "--print-symbols"]
    command += ["-o", tmp_path / "model", "--triple", triple]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    defined, *needed = done.stdout.splitlines()
    assert defined == "defines model_main"
    assert all(line.startswith("needs ") and line.endswith(("(libc)", "(libm)")) for line in needed), needed
    data = (tmp_path / "model.o").read_bytes()
    magic, at, size, processor = TRIPLES[triple]
    assert data.startswith(magic) and int.from_bytes(data[at : at + size], "little") == processor


@pytest.mark.parametrize("triple", ["x86_64-apple-macos", "arm64-apple-macos"])
def test_objects_for_macos(triple, tmp_path):
    """No machine is here to run them: the object has the names that C calls and needs nothing but C's libraries."""
    written = hlo.aot.compile(ROOT / "examples" / "mlp.mlir", tmp_path / "model", triple=triple, threads="pool")
    assert (tmp_path / "model.o").read_bytes()[:4] == b"\xcf\xfa\xed\xfe"
    assert {"model_main", "model_set_threads"} <= set(written.symbols.defined)
    assert set(written.symbols.needed) <= {"libc", "libm"}


def test_the_pool_on_aarch64(tmp_path):
    program = linked(
        tmp_path, ROOT / "examples" / "transformer_gradient.mlir", AARCH64, threads="pool", flags=("-O1", "-pthread")
    )
    (function,) = program.written.model.functions
    with np.load(ROOT / "examples" / "transformer_gradient.inputs.npz") as file:
        arrays = [file[key] for key in file.files]
    for one, other in zip(
        program.run(function, *arrays), in_process(ROOT / "examples" / "transformer_gradient.mlir", BASELINE)(*arrays)
    ):
        close(one, other, "gradient")
