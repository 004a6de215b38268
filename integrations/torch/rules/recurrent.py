"""A layer of an LSTM, as PyTorch's kernel for CPUs gives it to graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import sizes_of
from hlo.torch.registry import eager, rule
from hlo.torch.rules.products import product

_LSTM = 2
"""The kernel's number of this kind of layer."""


def _others(batch_sizes: Sequence[int], mode: int, layers: int, bidirectional: bool) -> str | None:
    return _OTHERS if mode != _LSTM or layers != 1 or bidirectional or batch_sizes else None


_OTHERS = "other than one layer of an LSTM in one direction over sequences of one length"


_LIBRARY = torch.library.Library("hlo", "DEF")
_LIBRARY.define(
    "lstm_layer(Tensor x, Tensor w_input, Tensor w_hidden, Tensor bias_input, Tensor bias_hidden, Tensor hidden, Tensor cell, bool reverse,"
    " int hidden_size, bool has_biases) -> (Tensor, Tensor, Tensor, Tensor)"
)
"""A layer whose last result is all that its gradient needs: the gates and the cell after each step, (steps, batch, 5 * hidden)."""


@torch.library.register_fake("hlo::lstm_layer", lib=_LIBRARY)
def _shapes(x: Any, w_input: Any, w_hidden: Any, *rest: Any) -> tuple[Any, ...]:
    hidden, cell, hidden_size = rest[2], rest[3], rest[5]
    steps, batch, _ = x.shape
    sizes = [steps, batch, hidden_size], hidden.shape, cell.shape, [steps, batch, 5 * hidden_size]
    return tuple(x.new_empty(s) for s in sizes)


eager(_OTHERS, "mkldnn_rnn_layer")


def kept_gates(
    x: Any, w_input: Any, w_hidden: Any, bias_input: Any, bias_hidden: Any, hidden: Any, cell: Any, reverse: bool,
    batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int, has_biases: bool, bidirectional: bool, batch_first: bool, train: bool,
) -> Any:  # fmt: skip
    """The decomposition of PyTorch's op, whose workspace is its kernel's own, into one that returns the gates. Where no
    gradient asks for them, they are removed from the program."""
    if _others(batch_sizes, mode, num_layers, bidirectional):
        return NotImplemented
    arguments = x, w_input, w_hidden, bias_input, bias_hidden, hidden, cell
    return torch.ops.hlo.lstm_layer(*arguments, reverse, hidden_size, has_biases)


@rule("hlo.lstm_layer.default")
def lstm_layer(
    b: Any, x: Value, w_input: Value, w_hidden: Value, bias_input: Value, bias_hidden: Value, hidden: Value, cell: Value, reverse: bool,
    hidden_size: int, has_biases: bool,
) -> tuple[Value, Value, Value, Value]:  # fmt: skip
    """All outputs, (steps, batch, hidden), the last hidden state and cell, and what is kept. The products with x are
    made at once, those with the state in a loop over the steps."""
    steps, batch, _ = sizes_of(x)
    gates = _of_input(b, x, w_input, [bias_input, bias_hidden] if has_biases else [])
    transposed = b.transpose(w_hidden)

    def body(step: Value, state: list[Value]) -> list[Value]:
        h, c, made, kept = state
        parts = _gates(b, b.add(_at(b, gates, step), product(b, h, transposed)))
        into, forget, new, out = parts
        c = b.add(b.multiply(forget, c), b.multiply(into, new))
        h = b.multiply(out, b.tanh(c))
        return [h, c, _put(b, made, h, step), _put(b, kept, b.concatenate(*parts, c, dimension=1), step)]

    start = [b.reshape(v, [batch, hidden_size]) for v in (hidden, cell)]
    start += [b.full([steps, batch, width], 0, dtype_of(x)) for width in (hidden_size, 5 * hidden_size)]
    h, c, made, kept = _over_steps(b, steps, reverse, body, start)
    return made, b.reshape(h, list(hidden.shape)), b.reshape(c, list(cell.shape)), kept


def _of_input(b: Any, x: Value, weight: Value, biases: Sequence[Value]) -> Value:
    """The part of the gates of all steps that comes from the input: (steps, batch, 4 * hidden)."""
    steps, batch, width = sizes_of(x)
    gates = product(b, b.reshape(x, [steps * batch, width]), b.transpose(weight))
    for bias in biases:
        gates = b.add(gates, b.over(bias, gates.shape, [1]))
    return b.reshape(gates, [steps, batch, gates.shape[1]])


def _gates(b: Any, gates: Value) -> list[Value]:
    """The gates of input and of forgetting, the new content, and the output gate, from their sums."""
    size = sizes_of(gates)[1] // 4
    into, forget, new, out = (b.slice_in_dim(gates, n * size, (n + 1) * size, 1, 1) for n in range(4))
    return [b.logistic(into), b.logistic(forget), b.tanh(new), b.logistic(out)]


def _at(b: Any, rows: Value, step: Value) -> Value:
    """The matrix of a step."""
    _, *sizes = sizes_of(rows)
    return b.reshape(b.dynamic_slice(rows, [step, 0, 0], [1, *sizes]), sizes)


def _put(b: Any, rows: Value, row: Value, step: Value) -> Value:
    return b.dynamic_update_slice(rows, b.reshape(row, [1, *row.shape]), [step, 0, 0])


def _over_steps(b: Any, steps: int, is_backward: bool, body: Any, state: Sequence[Value]) -> list[Value]:
    """The state after `body(step, state)` for all steps, the last one first if backward."""
    first = b.constant(steps - 1 if is_backward else 0, "i32")

    def next_(step: Value, *values: Value) -> tuple[Value, ...]:
        return b.subtract(step, 1) if is_backward else b.add(step, 1), *body(step, list(values))

    return b.while_(lambda step, *_: b.ge(step, 0) if is_backward else b.lt(step, steps), next_, first, *state)[1:]


def _backward_limit(x: Any, *rest: Any, **_: Any) -> str | None:
    return _others(rest[19], rest[13], rest[15], rest[18])


@rule("mkldnn_rnn_layer_backward", limit=_backward_limit)
def lstm_layer_backward(
    b: Any, x: Value, w_input: Value, w_hidden: Value, bias_input: Value, bias_hidden: Value, hidden: Value, cell: Value, output: Value,
    last_hidden: Value, last_cell: Value, of_output: Any, of_hidden: Any, of_cell: Any, reverse: bool, mode: int, hidden_size: int,
    num_layers: int, has_biases: bool, train: bool, bidirectional: bool, batch_sizes: Sequence[int], batch_first: bool, workspace: Value,
) -> tuple[Value, ...]:  # fmt: skip
    """The gradients of x, both weights, both biases, and the first state, from the gates and cells that the layer has kept."""
    steps, batch, width = sizes_of(x)
    sizes = [batch, hidden_size]
    first_h, first_c = (b.reshape(v, [1, *sizes]) for v in (hidden, cell))
    before = _shifted(b, first_h, output, reverse)
    before_cells = _shifted(b, first_c, b.slice_in_dim(workspace, 4 * hidden_size, 5 * hidden_size, 1, 2), reverse)
    zero = b.full(sizes, 0, dtype_of(x))

    def body(step: Value, state: list[Value]) -> list[Value]:
        dh, dc, made = state
        if of_output is not None:
            dh = b.add(dh, _at(b, of_output, step))
        row, dc = _cell_backward(b, _at(b, workspace, step), _at(b, before_cells, step), dh, dc)
        return [product(b, row, w_hidden), dc, _put(b, made, row, step)]

    start = [zero if v is None else b.reshape(v, sizes) for v in (of_hidden, of_cell)]
    dh, dc, rows = _over_steps(
        b, steps, not reverse, body, [*start, b.full([steps, batch, 4 * hidden_size], 0, dtype_of(x))]
    )
    flat = b.reshape(rows, [steps * batch, 4 * hidden_size])
    transposed, of_bias = b.transpose(flat), b.total(flat, [0])
    return (
        b.reshape(product(b, flat, w_input), [steps, batch, width]),
        product(b, transposed, b.reshape(x, [steps * batch, width])),
        product(b, transposed, b.reshape(before, [steps * batch, hidden_size])),
        of_bias,
        of_bias,
        b.reshape(dh, list(hidden.shape)),
        b.reshape(dc, list(cell.shape)),
    )


def _shifted(b: Any, first: Value, rows: Value, reverse: bool) -> Value:
    """What was there before each step: `first` before the first one."""
    steps = sizes_of(rows)[0]
    if reverse:
        return b.concatenate(b.slice_in_dim(rows, 1, steps), first, dimension=0)
    return b.concatenate(first, b.slice_in_dim(rows, 0, steps - 1), dimension=0)


def _cell_backward(b: Any, kept: Value, before: Value, dh: Value, dc: Value) -> tuple[Value, Value]:
    """The gradients of the sums of a step's gates and of the cell before it."""
    size = sizes_of(before)[1]
    into, forget, new, out, cell = (b.slice_in_dim(kept, n * size, (n + 1) * size, 1, 1) for n in range(5))
    bent = b.tanh(cell)
    dc = b.add(dc, b.multiply(b.multiply(dh, out), b.subtract(1, b.multiply(bent, bent))))
    parts = [
        b.multiply(b.multiply(dc, new), b.multiply(into, b.subtract(1, into))),
        b.multiply(b.multiply(dc, before), b.multiply(forget, b.subtract(1, forget))),
        b.multiply(b.multiply(dc, into), b.subtract(1, b.multiply(new, new))),
        b.multiply(b.multiply(dh, bent), b.multiply(out, b.subtract(1, out))),
    ]
    return b.concatenate(*parts, dimension=1), b.multiply(dc, forget)
