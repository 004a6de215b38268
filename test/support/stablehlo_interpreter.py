"""A numpy evaluator of straight StableHLO code, to judge what passes make of a program without any compiler.

Only what the tests of lowering/stablehlo need; no test of an op's own meaning rests on it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from mlir import ir

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
COMPARE = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater}
COMPARE["GE"] = np.greater_equal


def dtype_of(element: ir.Type) -> np.dtype:
    text = str(element)
    if text.startswith("complex"):
        return np.dtype(np.complex64 if "f32" in text else np.complex128)
    if text in FLOATS:
        return np.dtype(FLOATS[text])
    if text == "i1":
        return np.dtype(bool)
    return np.dtype(text.replace("ui", "uint") if text.startswith("u") else text.replace("i", "int"))


def _shift(function):
    def shift(a, b):
        bits = a.dtype.itemsize * 8
        unsigned = a.view(f"u{a.dtype.itemsize}") if function is not np.right_shift else a
        amount = b.astype(np.uint64)
        filler = np.where(a < 0, -1, 0).astype(a.dtype) if function is np.right_shift else np.zeros_like(a)
        safe = np.minimum(amount, bits - 1).astype(unsigned.dtype)
        shifted = np.left_shift(unsigned, safe) if function is np.left_shift else np.right_shift(unsigned, safe)
        return np.where(amount >= bits, filler, shifted.view(a.dtype))

    return shift


def _divide(a, b):
    if a.dtype.kind in "iu":
        quotient = np.abs(a.astype(object)) // np.abs(b.astype(object))
        return (quotient * np.sign(a).astype(object) * np.sign(b).astype(object)).astype(a.dtype)
    return a / b


FUNCTIONS = {
    "add": lambda a, b: a | b if a.dtype == bool else a + b,
    "multiply": lambda a, b: a * b,
    "subtract": lambda a, b: a - b,
    "divide": _divide,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "negate": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "atan2": np.arctan2,
    "power": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "sine": np.sin,
    "cosine": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "real": np.real,
    "imag": np.imag,
    "complex": lambda a, b: a + 1j * b.astype(a.dtype),
    "select": np.where,
    "shift_left": _shift(np.left_shift),
    "shift_right_logical": _shift(None),
    "shift_right_arithmetic": _shift(np.right_shift),
}


def _complex(a, b):
    out = np.empty(a.shape, np.result_type(a.dtype, np.complex64))
    out.real, out.imag = a, b
    return out


FUNCTIONS["complex"] = _complex


def _slices(op):
    fields = (list(ir.DenseI64ArrayAttr(op.attributes[k])) for k in ("start_indices", "limit_indices", "strides"))
    return tuple(slice(*bounds) for bounds in zip(*fields))


def _broadcast(op, a, shape):
    sizes = [1] * len(shape)
    for size, d in zip(a.shape, ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"])):
        sizes[d] = size
    return np.broadcast_to(a.reshape(sizes), shape)


def _iota(op, shape, dtype):
    d = op.attributes["iota_dimension"].value
    return np.broadcast_to(np.arange(shape[d]).reshape([-1 if i == d else 1 for i in range(len(shape))]), shape)


SHAPE_OPS = {
    "broadcast_in_dim": lambda op, a, shape, dtype: _broadcast(op, a, shape),
    "reshape": lambda op, a, shape, dtype: a.reshape(shape),
    "transpose": lambda op, a, shape, dtype: a.transpose(list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))),
    "slice": lambda op, a, shape, dtype: a[_slices(op)],
    "convert": lambda op, a, shape, dtype: a.astype(dtype),
    "bitcast_convert": lambda op, a, shape, dtype: np.ascontiguousarray(a).view(dtype).reshape(shape),
}


def evaluate(module: ir.Module, *arguments: np.ndarray, function: str = "main") -> list[np.ndarray]:
    """The results of a function of straight-line code."""
    body = next(f for f in module.body.operations if f.name.value == function).regions[0].blocks[0]
    values = dict(zip(body.arguments, map(np.asarray, arguments)))
    with np.errstate(all="ignore"):
        for op in body.operations:
            if op.operation.name == "func.return":
                return [values[v] for v in op.operands]
            values[op.results[0]] = _evaluate(op, [values[v] for v in op.operands])
    raise AssertionError("a function ends with return")


def _evaluate(op, operands):
    name, result = op.operation.name.removeprefix("stablehlo."), ir.RankedTensorType(op.results[0].type)
    shape, dtype = list(result.shape), dtype_of(result.element_type)
    if name == "constant":
        return constant(op, shape, dtype)
    if name == "iota":
        return _iota(op, shape, dtype).astype(dtype)
    if name == "compare":
        return COMPARE[op.attributes["comparison_direction"].value](*operands)
    if name == "concatenate":
        return np.concatenate(operands, op.attributes["dimension"].value)
    if name in SHAPE_OPS:
        return SHAPE_OPS[name](op, operands[0], shape, dtype)
    return np.asarray(FUNCTIONS[name](*operands)).astype(dtype)


def constant(op, shape, dtype):
    value = op.attributes["value"]
    if dtype == ml_dtypes.bfloat16:
        assert value.is_splat
        return np.full(shape, value.get_splat_value().value, dtype)
    return np.array(value).reshape(shape).astype(dtype)
