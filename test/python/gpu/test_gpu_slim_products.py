"""Products of few rows or columns (a token, a batch of eight) on the GPU: tiles, and parts of a long depth."""

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo import pipelines
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.plan import Launch

NUMPY = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
}
NONE = ([], [])
CASES = [
    ("bf16", "f32", (8, 256), (256, 300), ([1], [0]), NONE),
    ("bf16", "bf16", (300, 256), (256, 3), ([1], [0]), NONE),
    ("bf16", "f32", (256,), (256, 300), ([0], [0]), NONE),
    ("bf16", "f32", (300, 256), (256,), ([1], [0]), NONE),
    ("f16", "f32", (2, 2, 250), (2, 250, 301), ([2], [1]), ([0], [0])),
    ("i8", "i32", (5, 512), (160, 512), ([1], [1]), NONE),
    ("f32", "f32", (256,), (256, 300), ([0], [0]), NONE),
    ("f64", "f64", (3, 256), (256, 300), ([1], [0]), NONE),
    ("i32", "i32", (1, 256), (256, 300), ([1], [0]), NONE),
    ("f32", "f32", (3, 2048), (2048, 1030), ([1], [0]), NONE),
    ("f32", "f32", (1030, 2050), (5, 2050), ([1], [1]), NONE),
    ("bf16", "f32", (73728,), (73728,), ([0], [0]), NONE),
]


def typed(shape: list[int], kind: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"


def program(kind: str, result: str, a: tuple, b: tuple, contracted: tuple, batch: tuple) -> str:
    free = [
        [size for d, size in enumerate(shape) if d not in batch[side] + contracted[side]]
        for side, shape in enumerate((a, b))
    ]
    to = typed([*(a[d] for d in batch[0]), *free[0], *free[1]], result)
    dims = f"batching_dims = {batch[0]} x {batch[1]}, contracting_dims = {contracted[0]} x {contracted[1]}"
    return f"""func.func @main(%a: {typed(a, kind)}, %b: {typed(b, kind)}) -> {to} {{
      %0 = stablehlo.dot_general %a, %b, {dims} : ({typed(a, kind)}, {typed(b, kind)}) -> {to}
      return %0 : {to} }}"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}-{case[3]}".replace(" ", ""))
def test_results_are_exact(case, arch):
    """Whole numbers whose sums each type holds."""
    kind, _, a, b, contracted, batch = case
    random = np.random.default_rng(0)
    inputs = [random.integers(-3, 4, shape).astype(NUMPY[kind]) for shape in (a, b)]
    (got,) = hlo.compile(program(*case), target="gpu", device="model", arch=arch)(*inputs)
    lhs, rhs = (x.astype(np.float64) for x in inputs)
    exact = lhs @ (rhs.T if contracted[1] == [1] and not batch[0] else rhs)
    np.testing.assert_array_equal(got.astype(np.float64), exact.astype(got.dtype).astype(np.float64))


def lowered(text: str, arch: str) -> str:
    module = hlo.parse(text)
    pipelines.run(module, gpu(arch), stop_after="memory")
    return str(module)


def blocks(text: str, arch: str) -> list[int]:
    """Of each launch."""
    lines = lowered(text, arch).splitlines()
    grids = [line.split("known_grid_size = array<i32: ")[1] for line in lines if "known_grid_size" in line]
    return [int(grid.split(",")[0]) for grid in grids]


@pytest.mark.parametrize("arch, enough", [("sm_80", 64), ("sm_90a", 128)])
@pytest.mark.parametrize("rhs, contracted", [((4096, 4096), ([1], [0])), ((4096, 4096), ([1], [1]))])
def test_a_few_rows_are_multiplied_by_the_whole_card(arch, enough, rhs, contracted):
    assert max(blocks(program("bf16", "f32", (8, 4096), rhs, contracted, NONE), arch)) >= enough


@pytest.mark.parametrize("a, b, contracted", [((4096, 4096), (4096,), [1]), ((4096,), (4096, 4096), [0])])
def test_a_matrix_of_f32_is_read_once_for_a_vector(a, b, contracted):
    """As a reduction: tiles for one row would be empty but for it."""
    text = program("f32", "f32", a, b, (contracted, [0]), NONE)
    assert "shared_memory" not in lowered(text, "sm_90a") and max(blocks(text, "sm_90a")) >= 512


@pytest.mark.parametrize("rhs, contracted", [((4096, 4096), ([1], [0])), ((4096, 4096), ([1], [1]))])
def test_tiles_for_eight_rows_of_f32_have_eight(rhs, contracted):
    text = program("f32", "f32", (8, 4096), rhs, contracted, NONE)
    assert "tiles of 8 x 128" in lowered(text, "sm_90a") and max(blocks(text, "sm_90a")) >= 128


@pytest.mark.parametrize("arch, most", [("sm_80", 99), ("sm_86", 99), ("sm_90", 99), ("sm_90a", 227), ("sm_120a", 99)])
@pytest.mark.parametrize("kind", ["f32", "bf16"])
def test_a_block_has_the_shared_memory_of_all_cards_that_run_its_code(arch, most, kind):
    """Code for sm_80 runs on cards of sm_86, whose blocks may have 99 KiB: eight rows of f32 took 136."""
    for rows in (8, 128, 4096):
        text = program(kind, "f32", (rows, 4096), (4096, 4096), ([1], [0]), NONE)
        steps = hlo.compile(text, target="gpu", arch=arch).program.plan.steps
        sizes = [step.shared_bytes for step in steps if isinstance(step, Launch)]
        assert 0 < max(sizes) <= most << 10
