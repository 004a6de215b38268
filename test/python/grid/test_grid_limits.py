"""How long processes of a grid wait for each other, and what becomes of their loops when a run has failed."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import hlo

TARGETS = ("reference", "cpu")

EMPTY = "func.func @main() { return }"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("timeout", [-1, "1", float("nan"), True])
def test_limits_that_are_none(timeout, target):
    exe = hlo.compile(EMPTY, target=target, num_replicas=2)
    with pytest.raises(hlo.ArgumentError, match="timeout takes a number of seconds from 0, found"):
        exe.run_grid([[], []], timeout=timeout)
    for seconds in (None, 0, float("inf"), np.int32(5), np.float32(5)):
        assert exe.run_grid([[], []], timeout=seconds) == [[], []]


@pytest.mark.parametrize("target", TARGETS)
def test_a_limit_for_waiting(target):
    """A process that computes for long does not count as one that never comes, up to a limit."""
    go_on = threading.Event()
    hlo.runtime.custom_calls.registry.TARGETS["grid.wait"] = lambda x: (go_on.wait(3), x)[1]
    text = """
func.func @main(%go: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %y = "stablehlo.if"(%go) ({
    %z = stablehlo.custom_call @grid.wait(%x) {has_side_effect = true} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %z : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  %r = "stablehlo.collective_permute"(%y) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
    : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}"""
    try:
        exe = hlo.compile(text, num_replicas=2, target=target)
        arguments = [[np.array(flag), np.zeros(3, np.float32)] for flag in (True, False)]
        with pytest.raises(
            hlo.HloError, match=r"waited for 0.2 seconds: process \(1, 0\) waits in stablehlo.collective_permute at "
        ):
            exe.run_grid(arguments, timeout=0.2)
        threading.Timer(0.3, go_on.set).start()
        assert len(exe.run_grid(arguments, timeout=60)) == 2
    finally:
        del hlo.runtime.custom_calls.registry.TARGETS["grid.wait"]


ENDLESS = """
func.func @main(%go: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.while(%a = %x) : tensor<f32>
    cond { stablehlo.return %go : tensor<i1> }
    do { %b = stablehlo.add %a, %a : tensor<f32>
      stablehlo.return %b : tensor<f32> }
  %s = "stablehlo.collective_permute"(%r) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
    : (tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}"""
"""One process computes without end what the other one waits for."""


@pytest.mark.parametrize("kind", [*TARGETS, "threads of Python"])
def test_loops_end_with_a_failed_run(kind, monkeypatch):
    text = ENDLESS
    if kind == "threads of Python":
        monkeypatch.setitem(hlo.runtime.custom_calls.registry.TARGETS, "loops_end", lambda x: x)
        call = "%q = stablehlo.custom_call @loops_end(%x) : (tensor<f32>) -> tensor<f32>"
        text = text.replace("%r =", f"{call}\n  %r =").replace("%a = %x", "%a = %q")
    exe = hlo.compile(text, num_replicas=2, target=kind if kind in TARGETS else "cpu")
    arguments = [[np.array(go), np.float32(1)] for go in (True, False)]
    for _ in range(2):
        before = time.monotonic()
        with pytest.raises(hlo.HloError, match=r"waited for 0.2 seconds: .* process \(0, 0\) computes"):
            exe.run_grid(arguments, timeout=0.2)
        assert time.monotonic() - before < 8  # a run is left after ten seconds at the latest
    assert exe.run_grid([arguments[1]] * 2) == [[1], [1]]  # and those of the next run go on


def test_loops_of_other_runs_go_on_beside_a_failed_one():
    """They look at the same flag."""
    text = """
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%a = %c) : tensor<i64>
    cond { %go = stablehlo.compare LT, %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %go : tensor<i1> }
    do { %b = stablehlo.add %a, %one : tensor<i64>
      stablehlo.return %b : tensor<i64> }
  %s = "stablehlo.collective_permute"(%r) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
    : (tensor<i64>) -> tensor<i64>
  return %s : tensor<i64>
}"""
    fails, counts = hlo.compile(ENDLESS, num_replicas=2), hlo.compile(text, num_replicas=2)
    alone = hlo.compile(text.replace("[[0, 1], [1, 0]]", "[[0, 0]]").replace("2x2xi64", "1x2xi64"))
    over, found = threading.Event(), []

    def count():
        number = np.int64(20_000)
        while not over.is_set():
            found.extend(int(one[0]) for one in (*counts.run_grid([[number]] * 2), alone(number)))

    threads = [threading.Thread(target=count) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        with pytest.raises(hlo.HloError, match=r"waited for 0\.05 seconds"):
            fails.run_grid([[np.array(go), np.float32(1)] for go in (True, False)], timeout=0.05)
    over.set()
    for thread in threads:
        thread.join()
    assert found and set(found) == {20_000}


def test_loops_end_with_an_interrupted_run():
    """Also those of processes that do not wait for each other."""
    exe = hlo.compile(ENDLESS, num_replicas=2)
    for _ in range(2):
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            exe.run_grid([[np.array(True), np.float32(1)]] * 2)
    before = time.process_time()
    time.sleep(1)
    assert time.process_time() - before < 0.05
    assert exe.run_grid([[np.array(False), np.float32(1)]] * 2) == [[1], [1]]
