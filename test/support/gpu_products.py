"""Matrix products as programs for the GPU target, run on the numpy model of a card."""

import re
from dataclasses import replace

import numpy as np
from mlir import ir

import hlo
from hlo import pipelines
from hlo.dialect.numpy_types import DTYPES
from hlo.dialect.registration import make_context
from hlo.lowering import target
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of
from hlo.runtime.gpu.program import DeviceProgram


def on_model(text: str, *arrays: np.ndarray) -> tuple[list[np.ndarray], ModelDriver]:
    driver = ModelDriver()
    program = hlo.compile(text, target="gpu", device="model").program
    return GpuExecutable(program, driver)(*arrays), driver


def launches(text: str, arch: str = "sm_80") -> int:
    module = hlo.parse(text)
    pipelines.run(module, gpu(arch), stop_after="memory")
    return str(module).count("gpu.launch_func")


def integers(rng, shape, kind: str, low: int = -3) -> np.ndarray:
    """Small ones: every sum is exact in f32."""
    return rng.integers(0 if kind.startswith("u") else low, 4, shape).astype(DTYPES[kind])


def tensor(array: np.ndarray, kind: str) -> str:
    return f"tensor<{'x'.join(map(str, array.shape))}x{kind}>"


def product(a: str, b: str, result: str, batch: str, contracting: str, rounded: str = "") -> str:
    batching = f"batching_dims = {batch}, " if batch else ""
    algorithm = f", algorithm = {ALGORITHM.format(rounded)}" if rounded else ""
    return (
        f"stablehlo.dot_general %a, %b, {batching}contracting_dims = {contracting}{algorithm} : ({a}, {b}) -> {result}"
    )


ALGORITHM = """<lhs_precision_type = {0}, rhs_precision_type = {0}, accumulation_type = f32, lhs_component_count = 1,
    rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>"""


def transposed(subscripts: str) -> tuple[str, str]:
    """The batching and contracting dimensions of dot_general for an einsum whose result has batch, rows, columns."""
    left, right = subscripts.split("->")[0].split(",")
    result = subscripts.split("->")[1]
    batch = [c for c in left if c in right and c in result]
    depth = [c for c in left if c in right and c not in result]
    both = [f"{[s.index(c) for c in group]}" for group in (batch, depth) for s in (left, right)]
    return (f"{both[0]} x {both[1]}" if batch else ""), f"{both[2]} x {both[3]}"


SIZES = {"m": 72, "n": 40, "k": 80, "b": 3, "c": 2, "i": 33, "j": 17, "l": 19}


def product_program(
    subscripts: str, a: np.ndarray, b: np.ndarray, kinds: tuple[str, str, str], rounded: str = ""
) -> str:
    shape = np.einsum(subscripts, a.astype(np.float32), b.astype(np.float32)).shape
    result = f"tensor<{'x'.join(map(str, shape))}x{kinds[2]}>"
    a_type, b_type = tensor(a, kinds[0]), tensor(b, kinds[1])
    return f"""func.func @main(%a: {a_type}, %b: {b_type}) -> {result} {{
      %r = {product(a_type, b_type, result, *transposed(subscripts), rounded)}
      return %r : {result} }}"""


def change_target(monkeypatch, arch: str, **fields) -> None:
    """Another row of the table for an architecture."""
    rows = {**target.GPUS, arch: target.GPUS[arch]._replace(**fields)}
    monkeypatch.setattr(target, "GPUS", rows)


def by_warpgroups(text: str, monkeypatch, columns: int = 128, multiprocessors: int = 2):
    """The program for sm_90a, with tiles of so many columns however few they are, which two blocks take in turns."""
    monkeypatch.setattr("hlo.lowering.gpu.contraction.warpgroups.LEAST_BUSY", {columns: 0.0})
    change_target(monkeypatch, "sm_90a", multiprocessors=multiprocessors)
    program = hlo.compile(text, target="gpu", device="model", arch="sm_90a", cache=False).program
    assert "nvvm.wgmma.mma_async" in program.code
    return program


def with_mistake(program: DeviceProgram, text: str, old: str, which: int, new: str) -> DeviceProgram:
    """The program with other device code: that of a module, in which `new` takes the place of one match of `old`."""
    matches = list(re.finditer(old, text))
    found = matches[which]
    wrong = text[: found.start()] + found.expand(new) + text[found.end() :]
    with make_context(), ir.Location.unknown():
        return replace(program, code=code_of(ir.Module.parse(wrong)))


EPILOGUE = """func.func @main(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{k}x{n}x{kind}>, %bias: tensor<{n}x{kind}>, %scale: tensor<{m}xf32>,
    %more: tensor<{m}x{n}x{kind}>) -> (tensor<{m}x{n}x{kind}>{also}) {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{m}x{k}x{kind}>, tensor<{k}x{n}x{kind}>) -> tensor<{m}x{n}xf32>
  %s = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<{m}xf32>) -> tensor<{m}x{n}xf32>
  %1 = stablehlo.multiply %0, %s : tensor<{m}x{n}xf32>
  %w = stablehlo.convert %bias : (tensor<{n}x{kind}>) -> tensor<{n}xf32>
  %v = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
  %2 = stablehlo.add %1, %v : tensor<{m}x{n}xf32>
  %3 = stablehlo.tanh %2 : tensor<{m}x{n}xf32>
  %4 = stablehlo.convert %3 : (tensor<{m}x{n}xf32>) -> tensor<{m}x{n}x{kind}>
  %5 = stablehlo.add %4, %more : tensor<{m}x{n}x{kind}>
  return {results}
}}"""
