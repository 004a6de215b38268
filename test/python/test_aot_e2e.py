"""The self-checking programs as objects, on this machine and others: what their checks look at is what the same code gives in this process
(here: the same bits; on other processors: within the tolerance of their functions)."""

import os
from pathlib import Path

import numpy as np
import pytest
from c_programs import AARCH64, ARMV7, HERE, Linked, in_process, linked, need
from mlir import ir

import hlo
from hlo.lowering.vector.target import host_architecture, names_of

ROOT = Path(__file__).parents[2]
E2E = ROOT / "test" / "e2e"
BASELINE = names_of(host_architecture())[-1]
ELSEWHERE = {"aarch64": AARCH64, "armv7": ARMV7}
SAMPLE = ("dot_general", "sort", "while", "scatter")
SAMPLE_ELSEWHERE = ("dot_general", "reduce_window")
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
ALL = (
    sorted(p.stem for p in E2E.glob("*.mlir") if not p.stem.startswith(REFUSED)) if "AOT_PROGRAMS" in os.environ else []
)


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


def run_file(name, folder, machine, compare, cpu="baseline"):
    """Compares all functions of a file; returns their number."""
    total = 0
    for part, text in enumerate((E2E / f"{name}.mlir").read_text().split("// -----")):
        module, names = returning_what_is_checked(text)
        names = [n for n in names if n.isidentifier()]
        if not names:
            continue
        place = folder / str(part)
        place.mkdir()
        written = hlo.aot.compile(module, place / "model", triple=machine.triple, cpu=cpu, entries=names, also=["main"])
        program = Linked(place, written, machine)
        for function in written.model.functions:
            expected = in_process(module, BASELINE, entry=function.function)()
            found = program.run(function)
            assert len(found) == len(expected)
            for one, other in zip(found, expected):
                compare(one, other, f"{name}: {function.function}")
        total += len(names)
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


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_gives_the_same_bits(name, tmp_path):
    need(HERE)
    assert run_file(name, tmp_path, HERE, same_bits)


@pytest.mark.parametrize("name", ALL)
def test_all_files_give_the_same_bits(name, tmp_path):
    need(HERE)
    run_file(name, tmp_path, HERE, same_bits)


@pytest.mark.parametrize("machine", ELSEWHERE)
@pytest.mark.parametrize("name", SAMPLE_ELSEWHERE)
def test_a_sample_on_other_processors(name, machine, tmp_path):
    need(ELSEWHERE[machine])
    assert run_file(name, tmp_path, ELSEWHERE[machine], close)


@pytest.mark.parametrize("machine", ELSEWHERE)
@pytest.mark.parametrize("name", ALL)
def test_all_files_on_other_processors(name, machine, tmp_path):
    need(ELSEWHERE[machine])
    run_file(name, tmp_path, ELSEWHERE[machine], close)


@pytest.mark.parametrize("machine", ELSEWHERE)
@pytest.mark.parametrize("name", ["mlp", "lstm", "sort_top_k", "transformer"])
def test_examples_on_other_processors(name, machine, tmp_path):
    program = linked(tmp_path, ROOT / "examples" / f"{name}.mlir", ELSEWHERE[machine])
    (function,) = program.written.model.functions
    with (
        np.load(ROOT / "examples" / f"{name}.inputs.npz") as file,
        np.load(ROOT / "examples" / f"{name}.expected.npz") as given,
    ):
        found = program.run(function, *(file[key] for key in file.files))
        for one, expected in zip(found, (given[key] for key in given.files), strict=True):
            close(one, expected, name)
    assert set(program.written.symbols.needed) <= {"libc", "libm", "the C compiler"}


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
