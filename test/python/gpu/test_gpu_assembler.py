"""NVIDIA's assembler takes every kernel of the examples, and keeps all of their values in registers.

It takes those of test/e2e too: the normal run the first program of every 11th file, `GPU_PROGRAMS=1 pytest test/python/gpu/test_gpu_assembler.py`
all of them (half an hour)."""

import importlib.util
import re
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from sampling import ALL

import hlo
from bench.gpu_files import END_TO_END, functions

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted(p for p in (ROOT / "examples").glob("*.mlir") if "sdy.mesh" not in p.read_text())
"""Those for one device: the GPU runs no grids."""

SPILLS = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
    re.S,
)


def nvidia_tool(name: str) -> str | None:
    """On the path, or in a wheel of NVIDIA's."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(p) for p in (spec.submodule_search_locations or ())] if spec else []
    found = [file for folder in folders for file in sorted(folder.glob(f"*/bin/{name}"))]
    return shutil.which(name) or (str(found[0]) if found else None)


PTXAS = nvidia_tool("ptxas")
pytestmark = pytest.mark.skipif(PTXAS is None, reason="no ptxas: pip install nvidia-cuda-nvcc")


def assemble(ptx: str, arch: str, folder: Path) -> dict[str, tuple[int, ...]]:
    """By kernel: bytes of its stack frame, of spill stores, of spill loads."""
    (folder / "code.ptx").write_text(ptx)
    command = [str(PTXAS), f"-arch={arch}", "-v", str(folder / "code.ptx"), "-o", str(folder / "code.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "wgmma" not in done.stderr and "setmaxnreg" not in done.stderr, done.stderr
    return {name: tuple(map(int, sizes)) for name, *sizes in SPILLS.findall(done.stderr)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [file.stem for file in EXAMPLES])
def test_examples_are_assembled_without_spills(name: str, tmp_path) -> None:
    program = hlo.compile(ROOT / "examples" / f"{name}.mlir", target="gpu").program
    for arch in ("sm_80", "sm_90a"):
        found = assemble(program.code, arch, tmp_path)
        assert set(found) == set(program.plan.kernels)
        assert {kernel: sizes for kernel, sizes in found.items() if any(sizes[1:])} == {}


@pytest.mark.sampled(11)
@pytest.mark.parametrize("file", END_TO_END, ids=lambda file: file.stem)
def test_programs_are_assembled(file: Path, tmp_path) -> None:
    """Spills are allowed: sorts and solvers keep arrays of their own in memory."""
    for _, module, entry in islice(functions([file]), None if ALL else 1):
        for arch in ("sm_80", "sm_90a"):
            program = hlo.compile(module, target="gpu", arch=arch, entry=entry, cache=False).program
            assert set(assemble(program.code, arch, tmp_path)) == set(program.plan.kernels), entry


TF32 = """, algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1,
  rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>"""

MATMUL = """func.func @main(%x: tensor<4096x4096x{kind}>, %w: tensor<4096x4096x{kind}>) -> tensor<4096x4096x{sum}> {{
  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]{algorithm} : (tensor<4096x4096x{kind}>, tensor<4096x4096x{kind}>) -> tensor<4096x4096x{sum}>
  return %r : tensor<4096x4096x{sum}> }}"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "kind, total",
    [
        ("bf16", "f32"),
        ("bf16", "bf16"),
        ("f16", "f32"),
        ("f32", "f32"),
        ("f64", "f64"),
        ("i8", "i32"),
        ("tf32", "f32"),
        ("f8E4M3FN", "f32"),
    ],
)
def test_matrix_products_are_assembled_for_both(kind: str, total: str, tmp_path) -> None:
    algorithm, kind = (TF32, "f32") if kind == "tf32" else ("", kind)
    for arch in ("sm_80", "sm_90a"):
        text = MATMUL.format(kind=kind, sum=total, algorithm=algorithm)
        program = hlo.compile(text, target="gpu", arch=arch).program
        found = assemble(program.code, arch, tmp_path)
        assert set(found) == set(program.plan.kernels)
        assert {kernel: sizes for kernel, sizes in found.items() if any(sizes)} == {}


PLAIN = """func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {q}) -> {s}
  %1 = stablehlo.reduce(%0 init: %lowest) applies stablehlo.maximum across dimensions = [2] : ({s}, tensor<f32>) -> {r}
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : ({r}) -> {s}
  %3 = stablehlo.subtract %0, %2 : {s}
  %4 = stablehlo.exponential %3 : {s}
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2] : ({s}, tensor<f32>) -> {r}
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : ({r}) -> {s}
  %7 = stablehlo.divide %4, %6 : {s}
  %8 = stablehlo.convert %7 : ({s}) -> tensor<6x4096x4096xf16>
  %9 = stablehlo.dot_general %8, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x4096x4096xf16>, {q}) -> {q}
  return %9 : {q} }}"""


def attention(size: int, is_causal: bool, count: int = 4096) -> str:
    import jax

    q = jax.ShapeDtypeStruct((2, count, 8, size), "bfloat16")
    return (
        jax.jit(jax.nn.dot_product_attention, static_argnames="is_causal").lower(q, q, q, is_causal=is_causal).as_text()
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "size, is_causal, count",
    [(64, True, 4096), (64, False, 4096), (128, True, 4096), (160, True, 4096), (256, False, 4096), (64, False, 256)],
)
def test_attention_is_assembled_for_both(size: int, is_causal: bool, count: int, tmp_path) -> None:
    """One kernel, whose scores, weights and sums stay in registers: it may have all of them, where blocks are few."""
    for arch in ("sm_80", "sm_90a"):
        program = hlo.compile(attention(size, is_causal, count), target="gpu", arch=arch).program
        if arch == "sm_90a":
            assert ("wgmma" in program.code) == (count == 4096)
        else:
            assert (".maxnreg 255" in program.code) == (count == 256)
        (sizes,) = assemble(program.code, arch, tmp_path).values()
        assert not any(sizes)


def loaded_attention(size: int, count: int) -> str:
    """With a bias from memory."""
    import jax

    q, bias = (
        jax.ShapeDtypeStruct((2, count, 8, size), "bfloat16"),
        jax.ShapeDtypeStruct((1, 8, count, count), "bfloat16"),
    )
    return jax.jit(jax.nn.dot_product_attention).lower(q, q, q, bias).as_text()


@pytest.mark.parametrize("size", [64, 128, 256])
def test_attention_by_warpgroups_is_assembled(size: int, tmp_path) -> None:
    """Without spills, with all registers that warpgroups give each other, and without waits that the assembler adds."""
    causal = [attention(size, True)] if size == 256 else []  # smaller ones: test_attention_is_assembled_for_both
    for text in (*causal, loaded_attention(size, 2040)):
        program = hlo.compile(text, target="gpu", arch="sm_90a").program
        assert "wgmma" in program.code
        (sizes,) = assemble(program.code, "sm_90a", tmp_path).values()
        assert not any(sizes)


def test_attention_by_three_warpgroups_is_assembled(tmp_path) -> None:
    q = "tensor<6x4096x64xf16>"
    s, r = "tensor<6x4096x4096xf32>", "tensor<6x4096xf32>"
    program = hlo.compile(PLAIN.format(q=q, s=s, r=r), target="gpu", arch="sm_90a").program
    assert ".maxntid 512" in program.code
    (sizes,) = assemble(program.code, "sm_90a", tmp_path).values()
    assert not any(sizes)


SAME = """
import sys, hlo
def code():
    return hlo.compile(sys.argv[1], target="gpu", cache=False).program.code
first = code()
hlo.compile(sys.argv[1], cache=False)
sys.exit(first != code())
"""


def test_programs_for_the_cpu_change_nothing() -> None:
    """Options of the code generator belong to the process."""
    program = ROOT / "examples" / "mlp.mlir"
    assert subprocess.run([sys.executable, "-c", SAME, str(program)], timeout=120).returncode == 0


def test_wrong_code_is_refused(tmp_path) -> None:
    program = hlo.compile(MATMUL.format(kind="f32", sum="f32", algorithm=""), target="gpu").program
    assert ".rn.f32" in program.code
    with pytest.raises(AssertionError, match="error"):
        assemble(program.code.replace(".rn.f32", ".rn.f33"), "sm_80", tmp_path)
