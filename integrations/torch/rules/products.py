"""Products of matrices."""

from __future__ import annotations

from typing import Any

from hlo.builder.value import Value
from hlo.dialect.attributes import DotDimensionNumbers
from hlo.torch.element_types import HALVES, dtype_of
from hlo.torch.registry import rule


def product(b: Any, x: Value, y: Value, batching: int = 0, *, wide: bool = False) -> Value:
    """The last dimension of x with the last but one of y (or its only one), the first `batching` side by side. bf16 and f16 are
    accumulated in f32 and rounded once; not at all if `wide`, for what is added to them."""
    batch = tuple(range(batching))
    numbers = DotDimensionNumbers(batch, batch, (x.rank - 1,), (max(y.rank - 2, batching),))
    return b.op("dot_general", x, y, numbers, dtype=accumulated_type(x) if wide else None)


def accumulated_type(x: Value) -> str | None:
    """The element type in which products of x are accumulated, where it is not x's own."""
    return "f32" if dtype_of(x) in HALVES else None


@rule("mm")
def mm(b: Any, x: Value, y: Value) -> Value:
    return product(b, x, y)


@rule("bmm")
def bmm(b: Any, x: Value, y: Value) -> Value:
    return product(b, x, y, batching=1)


@rule("mv", "dot")
def mv(b: Any, x: Value, y: Value) -> Value:
    return product(b, x, y)


@rule("_int_mm")
def int_mm(b: Any, x: Value, y: Value) -> Value:
    """Integers of 8 bits, accumulated in 32."""
    return b.op("dot_general", x, y, DotDimensionNumbers((), (), (1,), (0,)), dtype="i32")


@rule("addmm", "addmv")
def addmm(b: Any, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _added(b, bias, product(b, x, y, wide=True), beta, alpha, dtype_of(x))


@rule("baddbmm")
def baddbmm(b: Any, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _added(b, bias, product(b, x, y, batching=1, wide=True), beta, alpha, dtype_of(x))


@rule("addbmm")
def addbmm(b: Any, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    """The products of all pairs of a batch, summed."""
    numbers = DotDimensionNumbers((), (), (0, 2), (0, 1))
    total = b.op("dot_general", x, y, numbers, dtype=accumulated_type(x))
    return _added(b, bias, total, beta, alpha, dtype_of(x))


def _added(b: Any, bias: Value, result: Value, beta: Any, alpha: Any, dtype: Any) -> Value:
    """beta * bias + alpha * product, rounded to a type once; a bias that counts nothing is not looked at, whatever it holds."""
    if alpha != 1:
        result = b.multiply(result, b.full(result.shape, alpha, dtype_of(result)))
    if beta == 0:
        return b.cast(result, dtype)
    term = b.expand_to(b.wide(bias), result.shape)
    if beta != 1:
        term = b.multiply(term, b.full(result.shape, beta, dtype_of(result)))
    return b.cast(b.add(term, result), dtype)
