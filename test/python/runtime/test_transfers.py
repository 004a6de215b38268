"""infeed, outfeed, send, recv through queues; print and probe."""

from __future__ import annotations

import threading

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.errors import HloError
from hlo.runtime.custom_calls import probes, streams


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    streams.clear()
    probes.clear()
    monkeypatch.setattr(streams, "TIMEOUT", 0.2)


FEEDS = """func.func @main(%x: tensor<3xf32>, %t: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {
  %0:3 = "stablehlo.infeed"(%t) <{infeed_config = "a"}> : (!stablehlo.token) -> (tensor<3xf32>, tensor<i32>, !stablehlo.token)
  %1 = stablehlo.add %x, %0#0 : tensor<3xf32>
  %2 = "stablehlo.outfeed"(%1, %0#1, %0#2) <{outfeed_config = "b"}> : (tensor<3xf32>, tensor<i32>, !stablehlo.token) -> !stablehlo.token
  %3:3 = "stablehlo.infeed"(%2) <{infeed_config = "a"}> : (!stablehlo.token) -> (tensor<3xf32>, tensor<i32>, !stablehlo.token)
  %4 = stablehlo.multiply %1, %3#0 : tensor<3xf32>
  return %4, %3#2 : tensor<3xf32>, !stablehlo.token
}"""


def test_feeds_in_the_order_of_the_program():
    exe, x = hlo.compile(FEEDS), np.array([1, 2, 3], np.float32)
    streams.feed(x, np.int32(7), config="a")
    streams.feed(x + 1, np.int32(8), config="a")
    (result,) = exe(x)
    np.testing.assert_array_equal(result, 2 * x * (x + 1))
    given, number = streams.outfeed("b")
    np.testing.assert_array_equal(given, 2 * x)
    assert number == 7


def test_a_program_waits_for_another_thread(monkeypatch):
    monkeypatch.setattr(streams, "TIMEOUT", 30)
    exe, x = hlo.compile(FEEDS), np.ones(3, np.float32)
    late = threading.Timer(0.1, lambda: [streams.feed(x, np.int32(i), config="a") for i in range(2)])
    late.start()
    np.testing.assert_array_equal(exe(x)[0], 2 * x)
    late.join()


def test_nothing_or_something_else_in_the_queue():
    exe, x = hlo.compile(FEEDS), np.ones(3, np.float32)
    with pytest.raises(HloError, match=r"nothing came through infeed a within 0\.2 seconds"):
        exe(x)
    streams.feed(x, config="a")
    with pytest.raises(HloError, match="takes 3xf32, i32, found 3xf32 in the queue"):
        exe(x)
    with pytest.raises(HloError, match="nothing came through channel 5"):
        streams.receive(5)


CHANNELS = """func.func @main(%x: tensor<2xf8E5M2>) -> tensor<2xf8E5M2> {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = KIND>, is_host_transfer = HOST}> : (tensor<2xf8E5M2>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = FROM, type = BACK>, is_host_transfer = HOST}> : (!stablehlo.token) -> (tensor<2xf8E5M2>, !stablehlo.token)
  return %1#0 : tensor<2xf8E5M2>
}"""


def test_a_program_sends_to_itself():
    text = CHANNELS.replace("KIND", "1").replace("BACK", "1").replace("HOST", "false").replace("FROM", "4")
    x = np.array([1.5, -2], ml_dtypes.float8_e5m2)
    np.testing.assert_array_equal(hlo.compile(text)(x)[0], x)


def test_channels_to_and_from_the_host():
    text = CHANNELS.replace("KIND", "2").replace("BACK", "3").replace("HOST", "true").replace("FROM", "5")
    x = np.array([1.5, -2], ml_dtypes.float8_e5m2)
    streams.send(5, x + x)
    np.testing.assert_array_equal(hlo.compile(text)(x)[0], x + x)
    np.testing.assert_array_equal(streams.receive(4)[0], x)


PROBED = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "interpreter.probe"(%x) {probe_id = "start"} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  %2 = "interpreter.probe"(%1) {probe_id = "start"} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "interpreter.print"(%2) : (tensor<2xf32>) -> tensor<2xf32>
  "check.expect_serialized_eq"(%1) {probe_id = "start", iteration = 1 : ui32} : (tensor<2xf32>) -> ()
  return %3 : tensor<2xf32>
}"""


def test_probe_and_print(capfd):
    x = np.array([1.5, 2], np.float32)
    hlo.compile(PROBED)(x)
    assert [v.tolist() for v in probes.PROBES["start"]] == [[1.5, 2], [3, 4]]
    assert capfd.readouterr().out == "2xf32\n[3. 4.]\n"


def test_a_probe_that_never_ran():
    text = PROBED.replace('"start", iteration', '"end", iteration')
    with pytest.raises(HloError, match=r"no value 1 of probe 'end' in this process; probes: start \(2\)"):
        hlo.compile(text)(np.ones(2, np.float32))
