"""A layer of an LSTM, as PyTorch's kernel for CPUs gives it to graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import sizes_of
from hlo.torch.registry import rule
from hlo.torch.rules.products import product

_LSTM = 2
"""The kernel's number of this kind of layer."""


def _limit(x: Any, *rest: Any, **_: Any) -> str | None:
    batch_sizes, mode, layers, bidirectional = rest[7], rest[8], rest[10], rest[12]
    if mode != _LSTM or layers != 1 or bidirectional or batch_sizes:
        return "other than one layer of an LSTM in one direction over sequences of one length"
    return None


@rule("mkldnn_rnn_layer", limit=_limit)
def lstm_layer(
    b: Any, x: Value, w_input: Value, w_hidden: Value, bias_input: Value, bias_hidden: Value, hidden: Value, cell: Value, reverse: bool,
    batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int, has_biases: bool, bidirectional: bool, batch_first: bool, train: bool,
) -> tuple[Value, Value, Value, Value]:  # fmt: skip
    """All outputs, (steps, batch, hidden), the last hidden state and cell, and an empty workspace. The products with x are made at
    once, those with the state in a loop over the steps."""
    steps, batch, width = sizes_of(x)
    gates = product(b, b.reshape(x, [steps * batch, width]), b.transpose(w_input))
    if has_biases:
        gates = b.add(gates, b.over(b.add(bias_input, bias_hidden), gates.shape, [1]))
    gates = b.reshape(gates, [steps, batch, 4 * hidden_size])
    outputs = b.full([steps, batch, hidden_size], 0, dtype_of(x))
    first = b.constant(steps - 1 if reverse else 0, "i32")
    state = [b.reshape(v, [batch, hidden_size]) for v in (hidden, cell)]

    def body(step: Value, h: Value, c: Value, made: Value) -> tuple[Value, ...]:
        row = b.reshape(b.dynamic_slice(gates, [step, 0, 0], [1, batch, 4 * hidden_size]), [batch, 4 * hidden_size])
        h, c = _step(b, b.add(row, product(b, h, b.transpose(w_hidden))), c, hidden_size)
        made = b.dynamic_update_slice(made, b.reshape(h, [1, batch, hidden_size]), [step, 0, 0])
        return b.subtract(step, 1) if reverse else b.add(step, 1), h, c, made

    _, h, c, made = b.while_(
        lambda step, *_: b.ge(step, 0) if reverse else b.lt(step, steps), body, first, *state, outputs
    )
    return made, b.reshape(h, list(hidden.shape)), b.reshape(c, list(cell.shape)), b.full([0], 0, torch.uint8)


def _step(b: Any, gates: Value, cell: Value, size: int) -> tuple[Value, Value]:
    """The next hidden state and cell, from the sums of input, forget, cell and output gates."""
    into, forget, new, out = (b.slice_in_dim(gates, n * size, (n + 1) * size, 1, 1) for n in range(4))
    cell = b.add(b.multiply(b.logistic(forget), cell), b.multiply(b.logistic(into), b.tanh(new)))
    return b.multiply(b.logistic(out), b.tanh(cell)), cell
