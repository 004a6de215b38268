"""Code for lesser processors: the option `cpu`, the variable HLO_CPU, and one thread."""

import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.host import host_architecture, host_flags
from hlo.lowering.target import TARGETS, host_name, names_of
from hlo.runtime.compile import machine, object_files

E2E = Path(__file__).parents[2] / "e2e"
ORDER = names_of("x86_64")[::-1]
HERE = ORDER[: ORDER.index(host_name()) + 1]
pytestmark = pytest.mark.filterwarnings("ignore:invalid value")  # numpy, on NaN

SAMPLE = (
    "add",
    "convert",
    "dot_general",
    "convolution",
    "reduce",
    "reduce_window",
    "sort",
    "scatter",
    "while",
    "tanh",
    "select",
)
"""Families of e2e files; `make test-avx2` and the like run everything."""


def _convert(values, source, target, cpu):
    text = f"""func.func @main(%x: tensor<{len(values)}x{source}>) -> tensor<{len(values)}x{target}> {{
      %0 = stablehlo.convert %x : (tensor<{len(values)}x{source}>) -> tensor<{len(values)}x{target}>
      return %0 : tensor<{len(values)}x{target}> }}"""
    return hlo.compile(text, cpu=cpu)(values)[0]


def _same(found, expected):
    nan = np.isnan(expected.astype(np.float64))
    assert np.array_equal(np.isnan(found.astype(np.float64)), nan)
    bits = f"u{found.dtype.itemsize}"
    np.testing.assert_array_equal(found.view(bits)[~nan], expected.view(bits)[~nan])


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("name, dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
@pytest.mark.parametrize("wide, wide_dtype", [("f32", np.float32), ("f64", np.float64)])
def test_every_small_float_becomes_a_wide_one(cpu, name, dtype, wide, wide_dtype):
    values = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    _same(_convert(values, name, wide, cpu), values.astype(wide_dtype))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("name, dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_wide_floats_are_rounded_to_nearest_even(cpu, name, dtype):
    """All small ones, halfway between them, and a bit off that; and random bits."""
    small = np.arange(1 << 16, dtype=np.uint16).view(dtype).astype(np.float32)
    small = small[np.isfinite(small)]
    with np.errstate(over="ignore"):
        halfway = ((small[1:].astype(np.float64) + small[:-1]) / 2).astype(np.float32)
    around = [halfway, np.nextafter(halfway, np.float32(np.inf)), np.nextafter(halfway, np.float32(-np.inf))]
    random = np.random.default_rng(0).integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    special = np.array([np.inf, -np.inf, np.nan, 65504, 65519.996, 65520, -65536, 3.4e38, 1e-45], np.float32)
    values = np.concatenate([small, *around, random, special])
    with np.errstate(over="ignore", invalid="ignore"):
        _same(_convert(values, "f32", name, cpu), values.astype(dtype))


@pytest.mark.parametrize("cpu", HERE)
def test_f64_is_rounded_once(cpu):
    """1 + 2^-11 lies halfway between two f16; what is added is lost in f32."""
    halfway = np.float64(1) + 2.0**-11
    values = np.array([halfway + 2.0**-40, halfway - 2.0**-40, halfway, -halfway - 2.0**-40, 1e300, 2.0**-24, 2.0**-25])
    with np.errstate(over="ignore"):
        _same(_convert(values, "f64", "f16", cpu), values.astype(np.float16))
    halfway = np.float64(1) + 2.0**-8
    values = np.array([halfway + 2.0**-40, halfway - 2.0**-40, -halfway - 2.0**-40, 1e300])
    expected = np.array([1 + 2.0**-7, 1, -1 - 2.0**-7, np.inf], ml_dtypes.bfloat16)
    _same(_convert(values, "f64", "bf16", cpu), expected)


@pytest.mark.parametrize("variable", [*(f"HLO_CPU={cpu}" for cpu in HERE[:-1]), "HLO_THREADS=1"])
def test_a_sample_of_the_self_checking_programs(variable):
    name, _, value = variable.partition("=")
    files = [str(E2E / f"{name}.mlir") for name in SAMPLE]
    command = [sys.executable, "-m", "hlo.tools.hlo_run", "--check", *files]
    done = subprocess.run(command, env={**os.environ, name: value}, capture_output=True, text=True)
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("PASS"))


def test_the_variable_limits_what_code_uses(monkeypatch):
    text = """func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      return %0 : tensor<64x64xf32> }"""
    monkeypatch.setenv("HLO_CPU", "baseline")
    exe = hlo.compile(text, keep_phases=True)
    assert "_lanes_4_" in exe.phases["memory"] and "_lanes_16_" not in exe.phases["memory"]
    assert exe.program.machine == "baseline"
    monkeypatch.setenv("HLO_CPU", "pentium")
    with pytest.raises(
        hlo.ArgumentError, match=r"HLO_CPU takes one of host, amx, avx512, avx2, baseline, .*, found 'pentium'"
    ):
        hlo.compile(text)


def test_processors_of_other_machines_are_refused(monkeypatch):
    text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }"
    other = "aarch64" if host_architecture() != "aarch64" else "avx2"
    with pytest.raises(hlo.CompileError, match=f"cannot run code for cpu='{other}'"):
        hlo.compile(text, cpu=other)
    monkeypatch.setenv("HLO_CPU", other)
    with pytest.raises(hlo.ArgumentError, match=f"HLO_CPU={other} is no processor of this machine"):
        hlo.compile(text)


def test_what_this_processor_lacks_is_named(monkeypatch):
    """By the name that was chosen, also where the variable chose it."""
    more = [
        name for name in names_of(host_architecture()) if name in TARGETS and not TARGETS[name].flags <= host_flags()
    ]
    if not more:
        pytest.skip("no row of the table has more than this processor")
    text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }"
    for cpu in ("host", more[0]):
        monkeypatch.setenv("HLO_CPU", more[0])
        with pytest.raises(hlo.CompileError, match=f"cannot run code for cpu='{more[0]}'"):
            hlo.compile(text, cpu=cpu)


HIDDEN = {
    "rdseed": "rdseed",
    "bmi2": "bmi2",
    "sha_ni": "sha",
    "pclmulqdq": "pclmul",
    "avx512bw": "avx512bw",
    "amx_tile": "amx-tile",
}
"""What a kernel may take from its list though the processor has it (rdseed on Zen 5, for a defect), and LLVM's word for it."""


@pytest.fixture
def fresh_machine():
    """Nothing that an earlier test asked the processor is remembered, and nothing of this one after."""
    asked = (machine.host, machine._kernels_flags, machine._kernel_lists_all, object_files.machine_named)
    for one in asked:
        one.cache_clear()
    yield
    for one in asked:
        one.cache_clear()


@pytest.mark.skipif(host_architecture() != "x86_64", reason="the kernel's words for x86-64")
@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_the_kernel_hides_is_not_used(monkeypatch, fresh_machine, hidden):
    monkeypatch.delenv("HLO_CPU", raising=False)
    monkeypatch.setattr(machine, "host_flags", lambda: host_flags() - {hidden})
    exe = hlo.compile("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }", cpu="host")
    assert f"+{HIDDEN[hidden]}" not in exe.program.machine.split(" ")
    assert f"-{HIDDEN[hidden]}" in object_files.machine_named("host").features.split(",")
    assert machine.can_run(exe.program.machine)


WITHOUT_TILES = """
import hlo.host
hlo.host._may_use_tiles = lambda: False
from hlo.lowering.target import host, host_name
from hlo.runtime.compile.machine import identity_of
import hlo, numpy
exe = hlo.compile('''func.func @main(%x: tensor<64x64xi8>, %y: tensor<64x64xi8>) -> tensor<64x64xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32> }''', keep_phases=True)
assert host_name() == "avx512" and not host().matrices and "dot_product = 64" not in exe.phases["kernels"]
assert "+amx-tile" not in exe.program.machine and (exe(*2 * [numpy.ones((64, 64), numpy.int8)])[0] == 64).all()
print(identity_of("host"))
"""


@pytest.mark.skipif(
    host_name() != "amx", reason="the processor has no tile registers, or the system does not give them"
)
def test_the_system_may_keep_tile_registers_to_itself():
    """What is kept on disk for this machine is not for processes without them."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_TILES], capture_output=True, text=True, check=True)
    assert done.stdout.strip() != machine.identity_of("host")


def test_this_machine_runs_what_is_compiled_for_it(fresh_machine):
    assert machine.can_run(machine.machine_of("host"))


def test_machines_whose_kernel_tells_nothing_have_what_llvm_finds(monkeypatch, fresh_machine):
    known = machine.machine_of("host")
    monkeypatch.setattr(machine, "host_flags", frozenset)
    machine.host.cache_clear()
    machine._kernels_flags.cache_clear()
    assert set(known.split(" ")) <= set(machine.machine_of("host").split(" "))
    assert machine.can_run(known)


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("name, dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_arithmetic_and_comparisons_of_small_floats(cpu, name, dtype):
    """LLVM's own comparison of vectors of bf16 fails without AVX512."""
    kind = f"tensor<67x{name}>"
    text = f"""func.func @main(%x: {kind}, %y: {kind}) -> ({kind}, {kind}, tensor<67xi1>) {{
      %c = stablehlo.compare LT, %x, %y : ({kind}, {kind}) -> tensor<67xi1>
      %p = stablehlo.add %x, %y : {kind}
      %s = stablehlo.select %c, %p, %y : tensor<67xi1>, {kind}
      %m = stablehlo.maximum %x, %y : {kind}
      return %s, %m, %c : {kind}, {kind}, tensor<67xi1> }}"""
    random = np.random.default_rng(0)
    x, y = (random.normal(size=67).astype(dtype) for _ in range(2))
    chosen, larger, less = hlo.compile(text, cpu=cpu)(x, y)
    a, b = x.astype(np.float32), y.astype(np.float32)
    np.testing.assert_array_equal(less, a < b)
    np.testing.assert_array_equal(chosen, np.where(a < b, (a + b).astype(dtype), y))
    np.testing.assert_array_equal(larger, np.maximum(a, b).astype(dtype))


def test_no_code_of_sse4a():
    """Its instructions have no encoding that goes with AVX; LLVM takes one for lanes of 16 bits at a stride."""
    assert "+sse4a" not in machine.host()[1]
    text = """func.func @main(%x: tensor<289x4x2xi16>) -> tensor<4x289xi16> {
      %0 = stablehlo.slice %x [0:289, 0:4, 0:1] : (tensor<289x4x2xi16>) -> tensor<289x4x1xi16>
      %1 = stablehlo.reshape %0 : (tensor<289x4x1xi16>) -> tensor<289x4xi16>
      %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<289x4xi16>) -> tensor<4x289xi16>
      return %2 : tensor<4x289xi16> }"""
    x = np.arange(289 * 8, dtype=np.int16).reshape(289, 4, 2)
    np.testing.assert_array_equal(hlo.compile(text)(x)[0], x[:, :, 0].T)
