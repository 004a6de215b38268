"""One-op programs in generic form, lowered to linalg and run by the oracle."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
from linalg_oracle import run_linalg
from mlir import ir

from hlo.dialect.registration import make_context
from hlo.lowering.linalg.stablehlo_to_linalg import StablehloToLinalg
from hlo.lowering.stablehlo.storage.widen_accumulators import WidenAccumulators

ELEMENTS = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}
_NAMES = {np.dtype(t): name for name, t in ELEMENTS.items()}


@functools.cache
def context() -> ir.Context:
    return make_context()


def tensor_type(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def type_of(array: np.ndarray) -> str:
    return tensor_type(array.shape, _NAMES[array.dtype])


def lower(text: str) -> ir.Module:
    """A program in generic form at the linalg phase, its accumulators widened, checked by MLIR's verifier."""
    module = ir.Module.parse(text, context())
    with module.context:
        WidenAccumulators().run(module)
        StablehloToLinalg().run(module)
    assert module.operation.verify()
    return module


def run_op(
    name: str, operands: list[np.ndarray], results: list[str], attributes: str = "", regions: str = ""
) -> list[np.ndarray]:
    """Runs one StableHLO op; `results` are tensor types, the arrays come back in their numpy types."""
    return run_many([(name, attributes, results, regions)], operands)


def run_many(ops: list[tuple[str, str, list[str], str]], operands: list[np.ndarray]) -> list[np.ndarray]:
    """Runs several ops, all on the same operands, as one program."""
    operands = [np.asarray(a) for a in operands]
    types = [type_of(a) for a in operands]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    lines, returned, result_types = [], [], []
    for number, (name, attributes, results, regions) in enumerate(ops):
        values = ", ".join(f"%a{i}" for i in range(len(types)))
        region = f"({regions}, {{}})" if regions else ""
        signature = f"({', '.join(types)}) -> ({', '.join(results)})"
        lines.append(
            f'%r{number}:{len(results)} = "stablehlo.{name}"({values}) {region} {{{attributes}}} : {signature}'
        )
        returned += [f"%r{number}#{i}" for i in range(len(results))]
        result_types += results
    return run_text(arguments, lines, returned, result_types, operands)


def run_text(
    arguments: str, lines: list[str], returned: list[str], result_types: list[str], operands: list[np.ndarray]
) -> list[np.ndarray]:
    body = "\n  ".join(lines)
    text = (
        f"func.func public @main({arguments}) -> ({', '.join(result_types)}) {{\n  {body}\n"
        f"  func.return {', '.join(returned)} : {', '.join(result_types)}\n}}"
    )
    outputs = run_linalg(lower(text), *[np.asarray(a) for a in operands])
    return [a.view(ELEMENTS[_element(t)]) for a, t in zip(outputs, result_types, strict=True)]


def _element(tensor: str) -> str:
    return (
        tensor.removeprefix("tensor<").removesuffix(">").rsplit("x", 1)[-1]
        if "complex" not in tensor
        else ("complex<f32>" if "complex<f32>" in tensor else "complex<f64>")
    )
