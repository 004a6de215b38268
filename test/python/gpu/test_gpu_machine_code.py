"""The instructions of NVIDIA's processors that PTX becomes, as NVIDIA's disassembler shows them: tensor cores, copies by TMA,
16 bytes at once."""

import re
import struct
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from test_gpu_assembler import MATMUL, PTXAS, TF32, attention, nvidia_tool

import hlo

NVDISASM = nvidia_tool("nvdisasm")
pytestmark = pytest.mark.skipif(
    PTXAS is None or NVDISASM is None, reason="no ptxas, nvdisasm: pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm"
)


def listing_of(text: str, arch: str, folder: Path) -> str:
    """The machine's code, disassembled."""
    code = hlo.compile(text, target="gpu", arch=arch).program.code
    (folder / "code.ptx").write_text(code)
    cubin = str(folder / "code.cubin")
    subprocess.run([str(PTXAS), f"-arch={arch}", str(folder / "code.ptx"), "-o", cubin], check=True)
    return subprocess.run([str(NVDISASM), "-c", cubin], check=True, capture_output=True, text=True).stdout


def instructions(text: str, arch: str, folder: Path) -> Counter[str]:
    """How often each stands in the machine's code: "HMMA.16816.F32.BF16" counts as that and as "HMMA"."""
    listing = listing_of(text, arch, folder)
    found = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", listing, re.M)
    assert "EXIT" in found
    return Counter(found) + Counter(name.partition(".")[0] for name in found)


def shared_memory(cubin: bytes) -> list[tuple[int, int]]:
    """Bytes and alignment of each kernel's static shared memory, with the driver's KiB in front of it: the dynamic one begins
    behind. ELF: sections .nv.shared.KERNEL."""
    place, size, count, names = struct.unpack_from("<40xQ10xHHH", cubin)
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, place + n * size) for n in range(count)]
    named = [(cubin[sections[names][4] + s[0] :].partition(b"\0")[0].decode(), s) for s in sections]
    return [(s[5], s[8]) for name, s in named if re.match(r"\.nv\.shared\.(?!reserved)", name)]


def elementwise(op: str) -> str:
    return f"""func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {{
      %r = stablehlo.{op} %x : tensor<4096x1024xf32>
      return %r : tensor<4096x1024xf32> }}"""


ROWS = """func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
  return %r : tensor<4096xf32> }"""


def matmul(kind: str, total: str, algorithm: str = "") -> str:
    return MATMUL.format(kind=kind, sum=total, algorithm=algorithm)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("text", [elementwise("negate"), elementwise("exponential"), ROWS])
def test_memory_is_read_16_bytes_at_once(text: str, arch: str, tmp_path) -> None:
    found = instructions(text, arch, tmp_path)
    assert any(name.startswith("LDG.E.128") for name in found)
    assert text == ROWS or any(name.startswith("STG.E.128") for name in found)


@pytest.mark.parametrize(
    "kind, total, algorithm, wanted",
    [
        ("bf16", "f32", "", "HMMA.16816.F32.BF16"),
        ("f16", "f32", "", "HMMA.16816.F32"),
        ("f32", "f32", TF32, "HMMA.1688.F32.TF32"),
        ("i8", "i32", "", "IMMA.16832.S8.S8"),
    ],
)
def test_tensor_cores_of_sm_80(kind: str, total: str, algorithm: str, wanted: str, tmp_path) -> None:
    """Tiles come by copies that pass by the registers."""
    found = instructions(matmul(kind, total, algorithm), "sm_80", tmp_path)
    assert found[wanted] >= 8, sorted(found)
    assert any(name.startswith("LDGSTS.E") and "128" in name for name in found)


@pytest.mark.parametrize(
    "kind, total, algorithm, wanted",
    [
        ("bf16", "f32", "", "HGMMA"),
        ("f16", "f32", "", "HGMMA"),
        ("f32", "f32", TF32, "HGMMA"),
        ("i8", "i32", "", "IGMMA"),
        ("f8E4M3FN", "f32", "", "QGMMA"),
    ],
)
def test_warpgroups_of_sm_90a(kind: str, total: str, algorithm: str, wanted: str, tmp_path) -> None:
    """Tiles come by TMA."""
    found = instructions(matmul(kind, total, algorithm), "sm_90a", tmp_path)
    assert found[wanted] >= 2, sorted(found)
    assert found["UTMALDG"] >= 2 and not found["LDGSTS"]


def test_no_step_waits_until_all_of_the_card_sees_what_was_written(tmp_path) -> None:
    found = instructions(matmul("bf16", "bf16"), "sm_90a", tmp_path)
    assert not any(name.startswith("MEMBAR") and "GPU" in name for name in found), sorted(found)


def producers_registers(listing: str) -> list[tuple[int, int]]:
    """Of each warpgroup that gives registers back and copies: how many it keeps, how many the code uses that it reaches (others
    than those that a warp's threads have in common)."""
    lines = [line.strip() for line in re.findall(r"(?m)^(?:\.L_x_\d+(?=:)|\s+/\*[0-9a-f]{4,}\*/[^;]*)", listing)]
    labels = {line: n for n, line in enumerate(lines) if line.startswith(".L")}
    found = []
    for start, line in enumerate(lines):
        if kept := re.search(r"DEALLOC\.CTAPOOL (0x\w+)", line):
            reached: set[int] = set()
            ahead = [start]
            while ahead:
                if (at := ahead.pop()) in reached:
                    continue
                reached.add(at)
                target = re.search(r"BRA.*`\((\.L_x_\d+)\)", lines[at])
                ahead += [labels[target[1]]] if target else []
                ahead += [] if re.search(r"\*/ +(EXIT|BRA `)", lines[at]) else [at + 1]
            assert any("UTMALDG" in lines[at] for at in reached)
            used = [int(r) for at in reached for r in re.findall(r"\bR(\d+)", lines[at])]
            found.append((int(kept[1], 16), max(used) + 1))
    return found


@pytest.mark.parametrize("text", [matmul("bf16", "bf16"), attention(128, True)])
def test_shared_memory_and_registers_of_warpgroups(text: str, tmp_path) -> None:
    """Dynamic shared memory begins at a multiple of 1024 bytes, as swizzled boxes want, behind the mbarriers, and a block has
    room for it. Producers use no registers that they gave back."""
    ((kept, used),) = producers_registers(listing_of(text, "sm_90a", tmp_path))
    assert kept == 40 and 1 < used <= kept
    assert shared_memory((tmp_path / "code.cubin").read_bytes()) == [(2048, 1024)]
    (launch,) = hlo.compile(text, target="gpu", arch="sm_90a").program.plan.steps
    assert launch.shared_bytes + 2048 <= 228 << 10


def test_f32_is_exact(tmp_path) -> None:
    found = instructions(matmul("f32", "f32"), "sm_90a", tmp_path)
    assert found["FFMA"] > 64 and not found["HGMMA"] and not found["HMMA"]


def test_attention(tmp_path) -> None:
    found = instructions(attention(64, False), "sm_80", tmp_path)
    assert found["HMMA"] >= 32 and found["MUFU.EX2"] >= 8 and found["LDSM"] >= 8


@pytest.mark.parametrize("size, is_causal", [(64, True), (128, False), (256, False)])
def test_attention_by_warpgroups(size: int, is_causal: bool, tmp_path) -> None:
    """Queries and keys from shared memory, weights from registers, boxes by TMA; a step's exponentials are computed between the
    wait for its scores and that for the sums: while the sums are."""
    listing = listing_of(attention(size, is_causal), "sm_90a", tmp_path)
    products = re.findall(r"HGMMA\.64x(\d+)x16\.F32\.BF16 R\d+, (gdesc|R\d+)", listing)
    keys = 128 if size < 256 else 64
    assert sum(one == (str(keys), "gdesc") for one in products) >= 2 * size // 16
    assert sum(columns == str(size) and left != "gdesc" for columns, left in products) == 2 * keys // 16
    assert listing.count("UTMALDG") >= 3 and "LDSM" not in listing and "HMMA.16816" not in listing
    ((step,),) = [re.findall(r"(?s)gsb0, 0x1 (.*?)gsb0, 0x0 ", listing)]
    assert step.count("MUFU.EX2") >= keys // 2
