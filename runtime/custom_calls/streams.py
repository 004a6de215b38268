"""What a program and its host, or a program and itself, send to each other: queues in this process.

    hlo.runtime.custom_calls.streams.feed(x, y)                  # what stablehlo.infeed takes
    x, y = hlo.runtime.custom_calls.streams.outfeed()            # what stablehlo.outfeed has given
    hlo.runtime.custom_calls.streams.send(3, x)                  # what stablehlo.recv takes from channel 3
    (x,) = hlo.runtime.custom_calls.streams.receive(3)           # what stablehlo.send has given to channel 3

A program that takes waits for another thread up to `TIMEOUT` seconds; then its run fails with HloError. Queues belong to
the operating system's process, not to an executable; `clear()` empties them. Each process of a grid has an infeed and an
outfeed of its own (`process=`: its number); its channels lead to the other processes of the grid, not to the host."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.registry import register
from hlo.runtime.grid.processes import Process, current
from hlo.runtime.grid.rendezvous import Channel, OpLocation, Sent

TIMEOUT = 10.0
"""Seconds."""

Arrays = tuple[np.ndarray, ...]
Key = tuple[Any, ...]

_QUEUES: dict[Key, queue.Queue[Arrays]] = {}


def feed(*arrays: Any, config: str = "", process: int = 0) -> None:
    """Puts the arrays of one stablehlo.infeed with this infeed_config into its queue."""
    _put(("infeed", config, process), arrays)


def outfeed(config: str = "", process: int = 0) -> Arrays:
    """The arrays of the oldest stablehlo.outfeed with this outfeed_config that has not been taken yet."""
    return _get(("outfeed", config, process))


def send(channel: int, *arrays: Any) -> None:
    """Puts the arrays of one stablehlo.recv into its channel."""
    _put(("channel", channel), arrays)


def receive(channel: int) -> Arrays:
    """The arrays of the oldest stablehlo.send to a channel that has not been taken yet."""
    return _get(("channel", channel))


def clear() -> None:
    """Empties all queues."""
    _QUEUES.clear()


def _queue(key: Key) -> queue.Queue[Arrays]:
    return _QUEUES.setdefault(key, queue.Queue())


def _put(key: Key, arrays: tuple[Any, ...]) -> None:
    _queue(key).put(tuple(np.array(a) for a in arrays))


def _get(key: Key) -> Arrays:
    try:
        return _queue(key).get(timeout=TIMEOUT)
    except queue.Empty:
        raise HloError(f"nothing came through {_name(*key)} within {TIMEOUT:g} seconds") from None


def _name(kind: str, queue_name: Any, process: int = 0) -> str:
    name = f"{kind} {queue_name}" if queue_name != "" else kind
    return f"{name} of process number {process}" if process else name


@register("stablehlo.infeed", borrows=True)
def _infeed(*, backend_config: Any, result_types: tuple[ArrayType, ...]) -> Sequence[np.ndarray]:
    if not result_types:  # nothing is read, as the XLA document says of an empty tuple
        return ()
    process = current()
    try:
        arrays = process.infeed.popleft()
    except IndexError:
        arrays = _get(("infeed", backend_config["infeed_config"], process.number))
    return _fitting(arrays, result_types)


@register("interpreter.feed", borrows=True)
def _feed(*inputs: np.ndarray) -> None:
    """What an infeed function of interpreter.run_parallel gives."""
    feed(*inputs)


@register("stablehlo.outfeed", borrows=True)
def _outfeed(*inputs: np.ndarray, backend_config: Any) -> None:
    _put(("outfeed", backend_config["outfeed_config"], current().number), inputs)


@register("stablehlo.send", borrows=True)
def _send(*inputs: np.ndarray, backend_config: Any) -> None:
    process = current()
    if process.is_alone:
        send(backend_config["channel"], *inputs)
        return
    location = OpLocation("stablehlo.send", backend_config["location"])
    sent = Sent(process.id, location, tuple(np.array(a) for a in inputs))
    for channel in _channels(backend_config, process, end=0):
        process.rendezvous.send(channel, sent)


@register("stablehlo.recv", borrows=True)
def _recv(*, backend_config: Any, result_types: tuple[ArrayType, ...]) -> Sequence[np.ndarray]:
    process, location = current(), OpLocation("stablehlo.recv", backend_config["location"])
    if process.is_alone:
        return _fitting(receive(backend_config["channel"]), result_types)
    channels = _channels(backend_config, process, end=1)
    if not channels:
        return [_zeros(kind, *zero) for kind, zero in zip(result_types, backend_config["zeros"], strict=True)]
    (channel,) = channels
    sent = process.rendezvous.receive(process.id, channel, location)
    if _types(sent.values) != result_types:
        message = f"{location} takes {_listed(result_types)}, but {sent} to {channel} is {_listed(_types(sent.values))}"
        raise HloError(location.finding(message))
    return sent.values


def _zeros(kind: ArrayType, dimension: int, *values: int) -> np.ndarray:
    """An array of one value, or of one for each index of a dimension."""
    made = np.empty(kind.shape, kind.dtype)
    if len(values) == 1:
        made[...] = values[0]
    else:
        np.moveaxis(made, dimension, -1)[...] = np.array(values).astype(kind.dtype)
    return made


def _channels(backend_config: Any, process: Process, end: int) -> list[Channel]:
    """What a process sends to (end 0) or receives from (end 1): the channel of its number, or those of the pairs whose end it is."""
    number, ends = backend_config["channel"], backend_config.get("ends")
    if ends is None:
        return [Channel(number)]
    ids = [process.grid.processes[n] for n in ends]
    pairs = zip(ids[::2], ids[1::2])
    return [Channel(number, *pair) for pair in pairs if pair[end] == process.id]


def _fitting(arrays: Sequence[np.ndarray], expected: tuple[ArrayType, ...]) -> Sequence[np.ndarray]:
    found = _types(arrays)
    if found != expected:
        raise HloError(f"the program takes {_listed(expected)}, found {_listed(found)} in the queue")
    return arrays


def _types(arrays: Sequence[np.ndarray]) -> tuple[ArrayType, ...]:
    return tuple(ArrayType(a.shape, a.dtype) for a in arrays)


def _listed(types: Sequence[ArrayType]) -> str:
    return ", ".join(map(str, types)) or "nothing"
