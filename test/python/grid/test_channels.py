"""send and recv between the processes of a grid whose ends are pairs of processes."""

from __future__ import annotations

import numpy as np
import pytest

import hlo

TARGETS = ("reference", "cpu")

PAIRS = """
func.func @main(%x: TYPE) -> TYPE {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = SENDS, type = 1>,
    source_target_pairs = dense<SENT> : tensor<COUNTx2xi64>} : (TYPE, !stablehlo.token) -> !stablehlo.token
  %y, %v = "stablehlo.recv"(%u) {channel_handle = #stablehlo.channel_handle<handle = RECEIVES, type = 1>,
    source_target_pairs = dense<RECEIVED> : tensor<COUNTx2xi64>} : (!stablehlo.token) -> (TYPE, !stablehlo.token)
  return %y : TYPE
}"""


def _pairs(pairs, type="tensor<2xf32>", received=None, sends=0, receives=None):
    text = PAIRS.replace("TYPE", type).replace("COUNT", str(len(pairs))).replace("SENDS", str(sends))
    text = text.replace("RECEIVES", str(sends if receives is None else receives))
    return text.replace("SENT", str(pairs) if pairs else "").replace("RECEIVED", str(received or pairs or ""))


@pytest.mark.parametrize("target", TARGETS)
def test_pairs_of_a_channel(target):
    """A channel number > 0 connects partitions in each replica, another one replicas; nobody gets zeros."""
    x = [np.float32([n, -n]) for n in range(6)]
    cases = (
        (0, (6, 1), [[0, 1], [1, 2], [2, 0], [5, 4]], [2, 0, 1, None, 5, None]),
        (-3, (3, 2), [[0, 2], [2, 1]], [None, None, 4, 5, 0, 1]),
        (7, (2, 3), [[0, 1], [1, 0]], [1, 0, None, 4, 3, None]),
        (7, (2, 3), [[2, 2]], [None, None, 2, None, None, 5]),
        (1, (2, 3), [], [None] * 6),
    )
    for channel, (replicas, partitions), pairs, sources in cases:
        exe = hlo.compile(_pairs(pairs, sends=channel), num_replicas=replicas, num_partitions=partitions, target=target)
        found = exe.run_grid([[a] for a in x])
        for (result,), source in zip(found, sources, strict=True):
            np.testing.assert_array_equal(result, np.zeros(2, np.float32) if source is None else x[source])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("parameters, zeros", [("i8:f32, 0.5:3", [3, 3]), ("i8:f32:0, {0.5:3,0.25:-4}", [3, -4])])
def test_nothing_received_of_a_quantized_type_is_its_zero_points(target, parameters, zeros):
    program = _pairs([[0, 1]], f"tensor<2x!quant.uniform<{parameters}>>")
    found = hlo.compile(program, num_replicas=2, target=target).run_grid([[np.array([n, n], np.int8)] for n in (5, 6)])
    assert [r[0].tolist() for r in found] == [zeros, [5, 5]]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "options, message",
    [
        ({"pairs": [[0, 1], [0, 2]]}, "sources of source_target_pairs must be unique, found 0 twice"),
        ({"pairs": [[0, 1], [2, 1]]}, "targets of source_target_pairs must be unique, found 1 twice"),
        ({"pairs": [[0, -1]]}, "source_target_pairs must not be negative, found -1"),
        ({"pairs": [[0, 1, 2]]}, "source_target_pairs must have 2 columns, found 3"),
        ({"pairs": [[0, 3]]}, r"must hold replica ids in \[0, 3\) on a grid of 3 x 1 processes, found 3"),
        ({"pairs": [[0, 1]], "sends": 1}, r"must hold partition ids in \[0, 1\) on a grid of 3 x 1 processes, found 1"),
        (
            {"pairs": [[0, 1]], "receives": -1},
            r"process \(1, 0\) waits in stablehlo.recv at .* for a send to channel -1 from process \(0, 0\) to process \(1, 0\); .*"
            r"nobody has received what process \(0, 0\) has sent in stablehlo.send at -:4:8 to channel 0",
        ),
        (
            {"pairs": [[0, 1]], "received": [[1, 1]]},
            r"process \(1, 0\) waits in stablehlo.recv at .* for a send to channel 0 from process \(1, 0\) to process \(1, 0\)",
        ),
        (
            {"pairs": [[0, 1]], "received": [[3, 0]]},
            r"must hold replica ids in \[0, 3\)",
        ),
    ],
)  # fmt: skip
def test_pairs_that_do_not_fit(target, options, message):
    program = _pairs(**options).replace("tensor<1x2xi64>", f"tensor<1x{len(options['pairs'][0])}xi64>")
    with pytest.raises(hlo.HloError, match=message):
        hlo.compile(program, num_replicas=3, target=target).run_grid([[np.zeros(2, np.float32)]] * 3)


@pytest.mark.parametrize("target", TARGETS)
def test_nobody_receives(target):
    program = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
    : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<2xf32>
}"""
    wanted = r"nobody has received what process \((0|1), 0\) has sent in stablehlo.send at -:4:8 to channel 1"
    with pytest.raises(hlo.HloError, match=wanted):
        hlo.compile(program, num_replicas=2, target=target).run_grid([[np.zeros(2, np.float32)]] * 2)
