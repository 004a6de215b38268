"""interpreter.run_parallel: programs of several functions as processes, their channels, and who waits in vain."""

from __future__ import annotations

import numpy as np
import pytest

import hlo

TARGETS = ("reference", "cpu")


def _run_parallel(functions: str, programs: str, inputs: str, types: str, results: str, more: str = "") -> str:
    return f"""
{functions}
func.func @main(%x: tensor<2xi64>) -> ({results}) {{
  %t = stablehlo.create_token : !stablehlo.token
  %r:{results.count("tensor") + results.count("token")} = "interpreter.run_parallel"({inputs}) {{programs = {programs}{more}}}
    : ({types}) -> ({results})
  return {", ".join(f"%r#{i}" for i in range(results.count("tensor") + results.count("token")))} : {results}
}}"""


GATHER = """
func.func private @gather(%x: tensor<2xi64>) -> tensor<4xi64> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<2xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}
func.func private @reduce(%x: tensor<2xi64>) -> tensor<2xi64> {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}
func.func private @leave(%x: tensor<2xi64>) -> tensor<2xi64> {
  return %x : tensor<2xi64>
}"""
PAIR, TWICE = "%x, %x", "tensor<2xi64>, tensor<2xi64>"


@pytest.mark.parametrize("target", TARGETS)
def test_a_process_that_never_comes(target):
    text = _run_parallel(GATHER, "[[@gather], [@leave]]", PAIR, TWICE, "tensor<4xi64>, tensor<2xi64>")
    exe = hlo.compile(text, target=target)
    wanted = (
        r"process \(0, 0\) waits in stablehlo.all_gather at -:4:8 for process \(1, 0\); process \(1, 0\) has finished"
    )
    with pytest.raises(hlo.HloError, match=wanted):
        exe(np.zeros(2, np.int64))
    text = _run_parallel(GATHER, "[[@leave], [@leave]]", PAIR, TWICE, TWICE)
    assert len(hlo.compile(text, target=target)(np.zeros(2, np.int64))) == 2  # the next grid is not disturbed


@pytest.mark.parametrize("target", TARGETS)
def test_different_collectives_meet(target):
    text = _run_parallel(GATHER, "[[@gather], [@reduce]]", PAIR, TWICE, "tensor<4xi64>, tensor<2xi64>")
    with pytest.raises(hlo.HloError, match=r"stablehlo.all_(gather|reduce) .* meets .* ops and types must be the same"):
        hlo.compile(text, target=target)(np.zeros(2, np.int64))


CHANNELS = """
func.func private @send(%x: tensor<2xi64>, %t: !stablehlo.token) -> !stablehlo.token {
  %u = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}
    : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  %y = stablehlo.negate %x : tensor<2xi64>
  %v = "stablehlo.send"(%y, %u) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}
    : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  return %v : !stablehlo.token
}
func.func private @receive(%t: !stablehlo.token) -> (tensor<2xi64>, tensor<2xi64>) {
  %x, %u = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}
    : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  %y, %v = "stablehlo.recv"(%u) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}
    : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  return %x, %y : tensor<2xi64>, tensor<2xi64>
}"""
TOKEN = "!stablehlo.token"


@pytest.mark.parametrize("target", TARGETS)
def test_channels_between_processes(target):
    """Four programs, two of them different: each pair has a channel."""
    other = CHANNELS.replace("@send", "@send2").replace("@receive", "@receive2").replace("handle = 1", "handle = 2")
    text = _run_parallel(
        CHANNELS + other, "[[@send], [@receive2], [@send2], [@receive]]", "%x, %t, %t, %x, %t, %t",
        f"tensor<2xi64>, {TOKEN}, {TOKEN}, tensor<2xi64>, {TOKEN}, {TOKEN}",
        f"{TOKEN}, {TWICE}, {TOKEN}, {TWICE}",
    )  # fmt: skip
    for _ in range(5):
        found = hlo.compile(text, target=target)(np.array([3, 4]))
        assert [list(r) for r in found] == [[3, 4], [-3, -4]] * 2


@pytest.mark.parametrize("target", TARGETS)
def test_nobody_sends(target):
    text = _run_parallel(CHANNELS, "[[@receive], [@receive]]", "%t, %t", f"{TOKEN}, {TOKEN}", f"{TWICE}, {TWICE}")
    wanted = r"process \(0, 0\) waits in stablehlo.recv at .* for a send to channel 1; process \(1, 0\) waits"
    with pytest.raises(hlo.HloError, match=wanted):
        hlo.compile(text, target=target)(np.zeros(2, np.int64))


FEEDS = """
func.func private @take(%t: !stablehlo.token) -> tensor<2xi64> {
  %x, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  return %x : tensor<2xi64>
}
func.func private @one() -> tensor<2xi64> {
  %0 = stablehlo.constant dense<1> : tensor<2xi64>
  return %0 : tensor<2xi64>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_infeed_of_a_grid(target):
    text = _run_parallel(
        FEEDS, "[[@take, @take]]", "%t, %t", f"{TOKEN}, {TOKEN}", TWICE, ", infeed = [@one, @one]"
    )  # fmt: skip
    found = hlo.compile(text, target=target)(np.zeros(2, np.int64))
    assert [list(r) for r in found] == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    "programs, message",
    [
        ("[[@gather], [@nowhere]]", "names @nowhere, which is no function"),
        ("[[@gather], []]", r"must have a row a replica, each with a function a partition, found \[@gather\], \[\]"),
        ("[[@gather]]", r"inputs must be those of all programs, \(tensor<2xi64>\), found"),
    ],
)
def test_programs_that_are_no_grid(programs, message):
    text = _run_parallel(GATHER, programs, PAIR, TWICE, "tensor<4xi64>, tensor<4xi64>")
    with pytest.raises(hlo.VerifyError, match=message):
        hlo.parse(text)


@pytest.mark.parametrize("target", TARGETS)
def test_one_waits_in_a_collective_and_one_for_a_channel(target):
    types = f"tensor<2xi64>, {TOKEN}"
    text = _run_parallel(GATHER + CHANNELS, "[[@gather], [@receive]]", "%x, %t", types, f"tensor<4xi64>, {TWICE}")
    wanted = r"no process can go on: process \(0, 0\) waits in stablehlo.all_gather at .* for process \(1, 0\); process \(1, 0\) waits in stablehlo.recv at .* for a send to channel 1"
    with pytest.raises(hlo.HloError, match=wanted):
        hlo.compile(text, target=target)(np.zeros(2, np.int64))
