"""Normalisation over a batch, a layer, or groups of channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.reductions import moments


def _normalised(b: Any, x: Value, along: Sequence[int], epsilon: float) -> tuple[Value, Value, Value, Value]:
    """x with mean 0 and variance 1 along dimensions; mean, reciprocal deviation and variance, with dimensions of size 1."""
    variance, middle = moments(b, x, along, 0, True)
    scale = b.rsqrt(b.add(variance, epsilon))
    centred = b.subtract(x, b.expand_to(middle, x.shape))
    return b.multiply(centred, b.expand_to(scale, x.shape)), middle, scale, variance


def _affine(b: Any, x: Value, weight: Value | None, bias: Value | None, dimensions: Sequence[int]) -> Value:
    """x * weight + bias, whose dimensions are those of x that are named."""
    if weight is not None:
        x = b.multiply(x, b.over(b.cast(weight, dtype_of(x)), x.shape, dimensions))
    return x if bias is None else b.add(x, b.over(b.cast(bias, dtype_of(x)), x.shape, dimensions))


@rule("native_layer_norm")
def layer_norm(
    b: Any, x: Value, shape: Sequence[int], weight: Any, bias: Any, eps: float
) -> tuple[Value, Value, Value]:
    along = list(range(x.rank - len(shape), x.rank))
    found, middle, scale, _ = _normalised(b, b.wide(x), along, eps)
    result = b.cast(_affine(b, found, weight, bias, along), dtype_of(x))
    return result, b.cast(middle, dtype_of(x)), b.cast(scale, dtype_of(x))


@rule("native_layer_norm_backward")
def layer_norm_backward(
    b: Any,
    gradient: Value,
    x: Value,
    shape: Sequence[int],
    mean: Value,
    rstd: Value,
    weight: Any,
    bias: Any,
    mask: Sequence[bool],
) -> list[Value | None]:
    along = list(range(x.rank - len(shape), x.rank))
    outer = list(range(x.rank - len(shape)))
    g, wide, middle, scale = (b.wide(v) for v in (gradient, x, mean, rstd))
    found = b.multiply(b.subtract(wide, b.expand_to(middle, x.shape)), b.expand_to(scale, x.shape))
    scaled = _affine(b, g, weight, None, along)
    count = math.prod(shape)
    first = b.divide(b.total(scaled, along, keep=True), count)
    second = b.divide(b.total(b.multiply(scaled, found), along, keep=True), count)
    inner = b.subtract(b.subtract(scaled, b.expand_to(first, x.shape)), b.multiply(found, b.expand_to(second, x.shape)))
    results = [
        lambda: b.cast(b.multiply(inner, b.expand_to(scale, x.shape)), dtype_of(x)),
        lambda: b.cast(b.total(b.multiply(g, found), outer), dtype_of(weight)),
        lambda: b.cast(b.total(g, outer), dtype_of(bias if bias is not None else weight)),
    ]
    return [make() if wanted else None for make, wanted in zip(results, mask)]


@rule("native_group_norm")
def group_norm(
    b: Any, x: Value, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Value, Value, Value]:
    groups = b.reshape(b.wide(x), [N, group, math.prod(x.shape) // max(N * group, 1)])  # type: ignore[arg-type]
    found, middle, scale, _ = _normalised(b, groups, [2], eps)
    result = _affine(b, b.reshape(found, list(x.shape)), weight, bias, [1])
    per_group = [b.cast(b.reshape(v, [N, group]), dtype_of(x)) for v in (middle, scale)]
    return b.cast(result, dtype_of(x)), *per_group  # type: ignore[return-value]


@rule("native_group_norm_backward")
def group_norm_backward(
    b: Any,
    gradient: Value,
    x: Value,
    mean: Value,
    rstd: Value,
    weight: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    mask: Sequence[bool],
) -> list[Value | None]:
    grouped = [N, group, C // group, HxW]
    g, wide = (b.reshape(b.wide(v), grouped) for v in (gradient, x))
    middle, scale = (b.over(b.wide(v), grouped, [0, 1]) for v in (mean, rstd))
    found = b.multiply(b.subtract(wide, middle), scale)
    factor = None if weight is None else b.reshape(b.wide(weight), [group, C // group])
    scaled = g if factor is None else b.multiply(g, b.over(factor, grouped, [1, 2]))
    count = (C // group) * HxW
    first = b.divide(b.total(scaled, [2, 3]), count)
    second = b.divide(b.total(b.multiply(scaled, found), [2, 3]), count)
    inner = b.subtract(
        b.subtract(scaled, b.over(first, grouped, [0, 1])), b.multiply(found, b.over(second, grouped, [0, 1]))
    )
    dtype = dtype_of(x)
    results = [
        lambda: b.cast(b.reshape(b.multiply(inner, scale), list(x.shape)), dtype),
        lambda: b.cast(b.reshape(b.total(b.multiply(g, found), [0, 3]), [C]), dtype),
        lambda: b.cast(b.reshape(b.total(g, [0, 3]), [C]), dtype),
    ]
    return [make() if wanted else None for make, wanted in zip(results, mask)]


def _batch_norm(b: Any, *arguments: Any) -> list[Value]:
    """The results that the op has: all five or the first three. The types of statistics are what PyTorch says in the graph: they
    depend on the op, the processor and which parameters there are."""
    found = _all_of_batch_norm(b, *arguments)
    return [b.cast(v, meta.dtype) for v, meta in zip(found, b.node.meta["val"])]


def _all_of_batch_norm(
    b: Any, x: Value, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> Any:
    """The result, the batch's mean and reciprocal deviation, and the running statistics after it."""
    along = [d for d in range(x.rank) if d != 1]
    channels = [x.shape[1]]
    wide = b.wide(x)
    if not training:
        scale = b.rsqrt(b.add(b.wide(var), eps))
        centred = b.subtract(wide, b.over(b.cast(mean, dtype_of(wide)), x.shape, [1]))
        found = b.multiply(centred, b.over(b.cast(scale, dtype_of(wide)), x.shape, [1]))
        empty = b.full([0], 0, dtype_of(wide))
        return b.cast(_affine(b, found, weight, bias, [1]), dtype_of(x)), empty, empty, mean, var
    found, middle, scale, variance = _normalised(b, wide, along, eps)
    count = math.prod(x.shape[d] for d in along)  # type: ignore[misc]
    unbiased = b.multiply(b.reshape(variance, channels), count / max(count - 1, 1))
    middle, scale = (b.reshape(v, channels) for v in (middle, scale))
    result = b.cast(_affine(b, found, weight, bias, [1]), dtype_of(x))
    if mean is None:
        return result, middle, scale, None, None
    return result, middle, scale, _moved(b, mean, middle, momentum), _moved(b, var, unbiased, momentum)


def _moved(b: Any, old: Value, new: Value, momentum: float) -> Value:
    wide = b.wide(old)
    return b.cast(
        b.add(b.multiply(wide, 1 - momentum), b.multiply(b.cast(new, dtype_of(wide)), momentum)), dtype_of(old)
    )


@rule("_native_batch_norm_legit_functional")
def batch_norm_functional(
    b: Any, x: Value, weight: Any, bias: Any, mean: Value, var: Value, training: bool, momentum: float, eps: float
) -> Any:
    return _batch_norm(b, x, weight, bias, mean, var, training, momentum, eps)


@rule("_native_batch_norm_legit")
def batch_norm(
    b: Any, x: Value, weight: Any, bias: Any, mean: Value, var: Value, training: bool, momentum: float, eps: float
) -> Any:
    """Graphs are functional: one that has this op reads the result alone, and the statistics stay as they are."""
    return _batch_norm(b, x, weight, bias, mean, var, training, momentum, eps)


@rule("_native_batch_norm_legit.no_stats")
def batch_norm_no_stats(b: Any, x: Value, weight: Any, bias: Any, training: bool, momentum: float, eps: float) -> Any:
    return _batch_norm(b, x, weight, bias, None, None, True, momentum, eps)


@rule("_native_batch_norm_legit_no_training")
def batch_norm_no_training(
    b: Any, x: Value, weight: Any, bias: Any, mean: Value, var: Value, momentum: float, eps: float
) -> Any:
    return _batch_norm(b, x, weight, bias, mean, var, False, momentum, eps)


@rule("native_batch_norm_backward")
def batch_norm_backward(
    b: Any,
    gradient: Value,
    x: Value,
    weight: Any,
    mean: Any,
    var: Any,
    save_mean: Any,
    save_rstd: Any,
    train: bool,
    eps: float,
    mask: Sequence[bool],
) -> list[Value | None]:
    along = [d for d in range(x.rank) if d != 1]
    g, wide = b.wide(gradient), b.wide(x)
    kind = dtype_of(wide)
    middle = b.cast(save_mean if train else mean, kind)
    scale = b.cast(save_rstd, kind) if train else b.rsqrt(b.add(b.cast(var, kind), eps))
    found = b.multiply(b.subtract(wide, b.over(middle, x.shape, [1])), b.over(scale, x.shape, [1]))
    of_bias, of_weight = b.total(g, along), b.total(b.multiply(g, found), along)
    factor = scale if weight is None else b.multiply(scale, b.cast(weight, kind))
    inner = g
    if train:
        count = math.prod(x.shape[d] for d in along)  # type: ignore[misc]
        mean_part = b.over(b.divide(of_bias, count), x.shape, [1])
        slope_part = b.multiply(found, b.over(b.divide(of_weight, count), x.shape, [1]))
        inner = b.subtract(b.subtract(g, mean_part), slope_part)
    own = dtype_of(x) if weight is None else dtype_of(weight)
    results = [
        lambda: b.cast(b.multiply(inner, b.over(factor, x.shape, [1])), dtype_of(x)),
        lambda: b.cast(of_weight, own),
        lambda: b.cast(of_bias, own),
    ]
    return [make() if wanted else None for make, wanted in zip(results, mask)]


@rule("_weight_norm_interface_backward")
def weight_norm_backward(
    b: Any, gradient: Value, direction: Value, length: Value, norms: Value, dim: int
) -> list[Value]:
    """Gradients of a weight `direction * length / norms`, whose norms are taken over all dimensions but `dim`."""
    gradient, wide, norms = b.wide(gradient), b.wide(direction), b.wide(norms)
    others = [d for d in range(direction.rank) if d != dim]
    along = b.divide(b.total(b.multiply(gradient, wide), others, keep=True), norms)
    rest = b.subtract(gradient, b.multiply(wide, b.divide(along, norms)))
    of_direction = b.multiply(rest, b.divide(b.wide(length), norms))
    return [b.cast(of_direction, dtype_of(direction)), b.cast(along, dtype_of(length))]
