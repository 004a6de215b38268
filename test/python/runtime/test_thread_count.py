"""How many threads there are: options, variables, quotas."""

import pytest

import hlo
from hlo.runtime.threads import count

MATMUL = """func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32> }"""


def test_the_number_is_not_part_of_the_code(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HLO_CACHE_DIR", str(tmp_path))
    text = MATMUL
    assert hlo.compile(text, threads=2).threads == 2
    kept = sorted(tmp_path.iterdir())
    assert hlo.compile(text, threads=3).threads == 3
    monkeypatch.setenv("HLO_THREADS", "7")
    assert hlo.compile(text).threads == 7
    assert kept and sorted(tmp_path.iterdir()) == kept


@pytest.mark.parametrize(
    "environment, threads",
    [
        ({"HLO_THREADS": "3", "OMP_NUM_THREADS": "5"}, 3),
        ({"HLO_THREADS": "1024"}, 1024),
        ({"HLO_THREADS": "", "OMP_NUM_THREADS": "5"}, 5),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"OMP_NUM_THREADS": "100000"}, 1024),
        ({"OMP_NUM_THREADS": "9" * 5000}, 1024),
        ({"OMP_NUM_THREADS": "0" * 5000 + "3"}, 3),
        ({"OMP_NUM_THREADS": "000"}, 6),
        ({"OMP_NUM_THREADS": "many"}, 6),
        ({}, 6),
    ],
)
def test_the_default(environment, threads, monkeypatch) -> None:
    for name in ("HLO_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(count, "available_processors", lambda: 6)
    assert count.number_of_threads() == threads
    assert count.number_of_threads(2) == 2


@pytest.mark.parametrize("text", ["0", "-1", "1025", "two", "1.5", " "])
def test_a_wrong_variable(text, monkeypatch) -> None:
    monkeypatch.setenv("HLO_THREADS", text)
    with pytest.raises(hlo.ArgumentError, match=f"HLO_THREADS takes a number from 1 to 1024, found '{text}'"):
        hlo.compile(MATMUL)


@pytest.mark.parametrize("number", [0, -3, 1025, 2.0, "2", True])
def test_a_wrong_option(number) -> None:
    with pytest.raises(hlo.ArgumentError, match=f"threads takes a number from 1 to 1024, found {number!r}"):
        hlo.compile(MATMUL, threads=number)


QUOTAS = [
    ("0::/\n", {"cpu.max": "max 100000\n"}, None),
    ("0::/\n", {}, None),
    ("0::/a/b\n", {"a/b/cpu.max": "200000 100000\n"}, 2),
    ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "150000 100000\n"}, 2),
    ("0::/a/b\n", {"a/b/cpu.max": "900000 100000\n", "cpu.max": "50000 100000\n"}, 1),
    ("0::/../outside\n", {"cpu.max": "300000 100000"}, 3),
    ("4:cpu,cpuacct:/d\n2:memory:/m\n", {"cpu,cpuacct/d/cpu.cfs_quota_us": "400000\n", "cpu,cpuacct/d/cpu.cfs_period_us": "100000\n"}, 4),
    ("4:cpu,cpuacct:/d\n", {"cpu,cpuacct/d/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct/d/cpu.cfs_period_us": "100000\n"}, None),
    ("4:cpu:/d\n", {"cpu/cpu.cfs_quota_us": "10000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 1),
    ("4:cpuset:/d\n0::/\n", {"cpuset/d/cpu.max": "100000 100000\n"}, None),
    ("0::/\n", {"cpu.max": "nonsense\n"}, None),
    ("0::/\n", {"cpu.max": "100000 0\n"}, None),
    ("", {}, None),
]  # fmt: skip


@pytest.mark.parametrize("groups, files, processors", QUOTAS)
def test_quotas_of_control_groups(groups, files, processors) -> None:
    assert count.quota(groups, lambda path: files.get(str(path))) == processors
