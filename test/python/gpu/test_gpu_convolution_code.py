"""Convolutions as NVIDIA's assembler and disassembler see them: boxes by TMA, wgmma, no spills."""

from dataclasses import replace

import pytest
from gpu_convolutions import Convolution
from test_gpu_assembler import PTXAS, assemble
from test_gpu_machine_code import NVDISASM, instructions

import hlo

WINDOWS = Convolution((32, 28, 28, 128, 128, 3), low=1, high=1)
FEATURES_FIRST, FILTER_GRADIENT = ("bf01", "oi01", "bf01"), ("f01b", "i01o", "01bf")
pytestmark = pytest.mark.skipif(
    PTXAS is None or NVDISASM is None, reason="no ptxas, nvdisasm: pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm"
)


@pytest.mark.parametrize(
    "one",
    [WINDOWS, replace(WINDOWS, size=(32, 28, 28, 128, 256, 3), stride=2), replace(WINDOWS, layout=FEATURES_FIRST)],
)
def test_convolutions_of_sm_90a(one: Convolution, tmp_path) -> None:
    """Boxes of four dimensions by TMA, and no padded copy; features first: each input is stored anew before."""
    found = instructions(one.program(), "sm_90a", tmp_path)
    assert found["HGMMA"] >= 2 and found["UTMALDG.4D"] >= 2, sorted(found)
    assert not found["LDGSTS"] and not found["HMMA"]


@pytest.mark.parametrize("layout", [WINDOWS.layout, FEATURES_FIRST, FILTER_GRADIENT])
def test_convolutions_are_assembled_for_both(layout: tuple[str, str, str], tmp_path) -> None:
    """Also features first, and a gradient with respect to a kernel."""
    for arch in ("sm_80", "sm_90a"):
        text = Convolution((128, 18, 18, 128, 128, 3), low=1, high=1, layout=layout).program()
        found = assemble(hlo.compile(text, target="gpu", arch=arch).program.code, arch, tmp_path)
        assert {kernel: sizes for kernel, sizes in found.items() if any(sizes)} == {}
