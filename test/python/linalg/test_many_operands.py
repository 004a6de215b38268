"""Programs with hundreds of arrays: concatenations of parameters, sums of as many."""

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.dialect.registration import make_context
from hlo.errors import CompileError
from hlo.lowering.gpu.ptx import ptx_of


def concatenation(count: int) -> str:
    names = [f"%a{n}" for n in range(count)]
    arguments, types = ", ".join(f"{n}: tensor<2xf32>" for n in names), ", ".join(["tensor<2xf32>"] * count)
    return f"""func.func @main({arguments}) -> tensor<{2 * count}xf32> {{
      %r = stablehlo.concatenate {", ".join(names)}, dim = 0 : ({types}) -> tensor<{2 * count}xf32>
      return %r : tensor<{2 * count}xf32> }}"""


def total(count: int) -> str:
    arguments = ", ".join(f"%a{n}: tensor<8xf32>" for n in range(count))
    sums = [f"%s{n} = stablehlo.add %{'s' if n > 1 else 'a'}{n - 1}, %a{n} : tensor<8xf32>" for n in range(1, count)]
    return "func.func @main({}) -> tensor<8xf32> {{\n{}\nreturn %s{} : tensor<8xf32> }}".format(
        arguments, "\n".join(sums), count - 1
    )


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize("count", [64, 65, 600])
def test_concatenations(count: int, target: str) -> None:
    """Kernels of 64 insertions go on in the memory of the one before: no temporaries, no copies."""
    device = {"device": "model"} if target == "gpu" else {}
    arrays = list(np.arange(2 * count, dtype=np.float32).reshape(count, 2))
    exe = hlo.compile(concatenation(count), target=target, **device)
    assert np.array_equal(exe(*arrays)[0], np.arange(2 * count))
    assert exe.memory.temporaries == 0


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_sums_of_many_arrays(target: str) -> None:
    device = {"device": "model"} if target == "gpu" else {}
    (result,) = hlo.compile(total(600), target=target, **device)(*[np.full(8, n, np.float32) for n in range(600)])
    assert np.array_equal(result, np.full(8, 600 * 599 / 2))


def test_launches_of_many_arguments_are_not_joined() -> None:
    program = hlo.compile(concatenation(600), target="gpu", arch="sm_80").program
    assert len(program.plan.kernels) > 1
    assert ".version 8.0\n" in program.code


KERNEL = """module attributes {{gpu.container_module}} {{
  gpu.module @gpu [#nvvm.target<chip = "sm_80", features = "+ptx80">] {{
    llvm.func @k({arguments}) attributes {{gpu.kernel, nvvm.kernel}} {{ llvm.return }} }} }}"""


def kernel(count: int, maps: int = 0) -> ir.Module:
    mapped = ["!llvm.ptr {llvm.byval = !llvm.array<128 x i8>}"] * maps
    arguments = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate([*["!llvm.ptr"] * count, *mapped]))
    return ir.Module.parse(KERNEL.format(arguments=arguments), make_context())


@pytest.mark.parametrize("count, maps, version", [(512, 0, "8.0"), (513, 0, "8.1"), (448, 4, "8.0"), (449, 4, "8.1")])
def test_many_arguments_need_a_later_version_of_ptx(count: int, maps: int, version: str) -> None:
    """4,096 bytes up to PTX 8.0, 32,764 from 8.1 on."""
    assert f".version {version}\n" in ptx_of(kernel(count, maps))


def test_more_arguments_than_a_kernel_can_have() -> None:
    with pytest.raises(CompileError, match="kernel k has 32768 bytes of arguments; NVIDIA's cards take 32764"):
        ptx_of(kernel(4096))
