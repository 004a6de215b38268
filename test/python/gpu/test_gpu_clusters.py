"""Matrix products by blocks of a cluster, each of which brings its share of an input for all of them, on the numpy model of a card;
planted mistakes are found."""

import numpy as np
import pytest
from gpu_products import DTYPES, by_warpgroups, integers, product_program, with_mistake

import hlo
from hlo import pipelines
from hlo.errors import HloError
from hlo.lowering.gpu.hopper_ops import Barriers
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.plan import Launch

M, N, K = 392, 136, 584
"""Four tiles of 128 rows in two pairs, the last of them all but empty; two columns of tiles; more steps than stages."""


def arguments() -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(41)
    a, b = integers(rng, (M, K), "bf16"), integers(rng, (N, K), "bf16")
    return [a, b], (a.astype(np.float32) @ b.astype(np.float32).T).astype(DTYPES["bf16"])


TEXT = product_program("mk,nk->mn", *arguments()[0], ("bf16", "bf16", "bf16"))


@pytest.mark.parametrize("order", range(4))
def test_whichever_block_goes_first(order: int, monkeypatch) -> None:
    """Four blocks in two clusters, which take one and two of three tiles."""
    program = by_warpgroups(TEXT, monkeypatch, multiprocessors=4)
    (launch,) = (step for step in program.plan.steps if isinstance(step, Launch))
    assert launch.blocks == 4 and [one.box for one in launch.maps] == [(64, 128), (64, 64), (64, 64)]
    given, expected = arguments()
    (found,) = GpuExecutable(program, ModelDriver(order=order))(*given)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("rows, blocks", [(128, 1), (129, 2), (640, 4)])
def test_clusters_where_rows_are_enough(rows: int, blocks: int, monkeypatch) -> None:
    """One tile of rows has no neighbour; an odd number of them has an empty one."""
    a, b = np.zeros((rows, 64), DTYPES["bf16"]), np.zeros((128, 64), DTYPES["bf16"])
    text = product_program("mk,nk->mn", a, b, ("bf16", "bf16", "f32"))
    program = by_warpgroups(text, monkeypatch, multiprocessors=4)
    (launch,) = (step for step in program.plan.steps if isinstance(step, Launch))
    assert launch.blocks == blocks
    assert ('"cluster":2' in program.code) == (rows > 128)


ARRIVE, WAIT = r"nvvm.cluster.arrive\b", r"nvvm.cluster.wait\b"


@pytest.mark.parametrize(
    "old, which, new, message",
    [
        (ARRIVE, 0, "", "without an arrival"),
        (WAIT, 0, "", "may not have begun|before all know"),
        (WAIT, -1, "", "may have ended"),
        (r"constant 3 : i16", 0, "constant 1 : i16", "every warp waits"),
        (r"constant 3 : i16", 0, "constant 7 : i16", "a cluster of 2"),
        (r"(mbarrier.init %\w+\[%c6\], %c)4", 0, r"\g<1>2", "every warp waits|under way|more threads arrive|wrong"),
        (r"(nvvm.mapa %\w+, )%\w+", 0, r"\1%c1_i32", "every warp waits|under way|more threads arrive"),
    ],
)
def test_planted_mistakes_are_found(old: str, which: int, new: str, message: str, monkeypatch) -> None:
    """Barriers of the cluster, blocks that get a box, counts of arrivals, the block that is told."""
    program = by_warpgroups(TEXT, monkeypatch, multiprocessors=2)
    module = hlo.parse(TEXT)
    pipelines.run(module, gpu("sm_90a", "model"))
    head, start, rest = str(module).partition("gpu.thread_id")
    constant = "arith.constant 1 : i32\n"
    text = head.rpartition("\n")[0] + f"\n %c1_i32 = {constant}" + head.rpartition("\n")[2] + start + rest
    changed = with_mistake(program, text, old, which, new)
    given, expected = arguments()
    with pytest.raises(HloError, match=message):
        found = GpuExecutable(changed, ModelDriver())(*given)[0]
        if not np.array_equal(found, expected):
            raise HloError("wrong")


def test_blocks_that_do_not_wait_for_each_other_are_found(monkeypatch) -> None:
    """Consumers that tell only their own block that a stage is empty."""
    monkeypatch.setattr(Barriers, "arrive_in", lambda self, number, rank: self.arrive(number))
    program = by_warpgroups(TEXT, monkeypatch, multiprocessors=2)
    given, expected = arguments()
    wrong = 0
    for order in range(4):
        try:
            wrong += not np.array_equal(GpuExecutable(program, ModelDriver(order=order))(*given)[0], expected)
        except HloError as error:
            assert "under way" in str(error)
            wrong += 1
    assert wrong >= 2


def test_grids_of_whole_clusters() -> None:
    """The card refuses others too."""
    driver = ModelDriver()
    code = '{"functions":[{"name":"k","parameters":0,"types":[],"body":[[],[["gpu.return",[],[],{},[]]]],"cluster":2}],"tables":{}}'
    loaded = driver.load(code)
    driver.launch(loaded, "k", 4, 128, 0, ())
    with pytest.raises(HloError, match="3 blocks in clusters of 2"):
        driver.launch(loaded, "k", 3, 128, 0, ())
