"""The numpy model of a GPU finds what a card would do wrongly in silence, and computes what numpy computes."""

import gc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.dialect.registration import make_context
from hlo.errors import HloError
from hlo.runtime.gpu.model.banks import bank_conflicts
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of
from hlo.runtime.gpu.plan import Compute, HostCall, Offset, Plan
from hlo.runtime.gpu.run_plan import run_plan

KERNEL = """
module attributes {{gpu.container_module}} {{
  gpu.module @gpu {{
    gpu.func @k({parameters}) kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
      {body}
      gpu.return
    }}
  }}
}}
"""


def launch(body, arrays, parameters="%x: memref<100xf32>, %r: memref<100xf32>", blocks=2, threads=64):
    """Runs a kernel on copies of arrays in device memory; gives them back."""
    driver = ModelDriver()
    addresses = [driver.allocate(a.nbytes) for a in arrays]
    for address, array in zip(addresses, arrays):
        driver.upload(address, array)
    with make_context(), ir.Location.unknown():
        loaded = driver.load(code_of(ir.Module.parse(KERNEL.format(parameters=parameters, body=body))))
    driver.launch(loaded, "k", blocks, threads, 0, addresses)
    results = [np.empty_like(a) for a in arrays]
    for result, address in zip(results, addresses):
        driver.download(result, address)
    return results


def floats(count=100):
    return np.linspace(-3, 4, count, dtype=np.float32)


DOUBLE = """
      %i = gpu.global_id x
      %n = arith.constant {bound} : index
      %c = arith.cmpi slt, %i, %n : index
      scf.if %c {{
        %v = memref.load %x[%i] : memref<100xf32>
        %s = arith.addf %v, %v : f32
        memref.store %s, %r[%i] : memref<100xf32>
      }}"""


def test_a_guarded_kernel_doubles() -> None:
    x = floats()
    assert np.array_equal(launch(DOUBLE.format(bound=100), [x, np.zeros_like(x)])[1], x + x)


def test_an_index_outside_its_memref_is_found() -> None:
    with pytest.raises(HloError, match="thread 100 uses index 100 of a dimension of size 100"):
        launch(DOUBLE.format(bound=101), [floats(), floats()])


def test_threads_that_are_missing_leave_what_was_there() -> None:
    r = launch(DOUBLE.format(bound=100), [floats(), np.zeros(100, np.float32)], blocks=1)[1]
    assert np.array_equal(r[:64], 2 * floats()[:64]) and not r[64:].any()


def test_a_barrier_that_some_threads_do_not_reach_is_found() -> None:
    body = """
      %i = gpu.thread_id x
      %n = arith.constant 33 : index
      %c = arith.cmpi slt, %i, %n : index
      scf.if %c { gpu.barrier }"""
    with pytest.raises(HloError, match="barrier that only some threads"):
        launch(body, [floats(), floats()])


REVERSED_IN_BLOCK = """
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      memref.store %v, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      {barrier}
      %last = arith.constant 63 : index
      %j = arith.subi %last, %i : index
      %w = memref.load %s[%j] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %w, %r[%i] : memref<64xf32>"""

IN_SHARED = "%x: memref<64xf32>, %r: memref<64xf32>) workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>"


def test_shared_memory_with_and_without_a_barrier() -> None:
    arrays = [floats(64), np.zeros(64, np.float32)]
    result = launch(REVERSED_IN_BLOCK.format(barrier="gpu.barrier"), arrays, IN_SHARED, blocks=1)[1]
    assert np.array_equal(result, arrays[0][::-1])
    with pytest.raises(HloError, match="thread 0 reads what thread 63 wrote, with no barrier in between"):
        launch(REVERSED_IN_BLOCK.format(barrier=""), arrays, IN_SHARED, blocks=1)


def test_blocks_that_share_global_memory_are_found() -> None:
    body = """
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<100xf32>
      memref.store %v, %r[%i] : memref<100xf32>"""
    with pytest.raises(HloError, match=r"thread \d+ writes where thread \d+ wrote"):
        launch(body + "\n      gpu.barrier" + body.replace("%i", "%j").replace("%v", "%w"), [floats(), floats()])


UPDATE = """
      %i = gpu.thread_id x
      %two = arith.constant 2 : index
      %j = arith.divui %i, %two : index
      %v = memref.load %x[%i] : memref<64xi32>
      %old = memref.atomic_rmw addi %v, %r[%j] : (i32, memref<64xi32>) -> i32
      {after}"""


def test_threads_update_one_place_by_atomic_instructions_only() -> None:
    arrays = [np.arange(64, dtype=np.int32), np.full(64, 100, np.int32)]
    parameters = "%x: memref<64xi32>, %r: memref<64xi32>"
    result = launch(UPDATE.format(after=""), arrays, parameters, blocks=1)[1]
    assert np.array_equal(result[:32], 100 + arrays[0].reshape(32, 2).sum(1)) and (result[32:] == 100).all()
    with pytest.raises(HloError, match=r"thread \d+ reads what thread \d+ updated"):
        launch(UPDATE.format(after="%w = memref.load %r[%j] : memref<64xi32>"), arrays, parameters, blocks=1)
    with pytest.raises(HloError, match=r"thread \d+ writes what thread \d+ updated"):
        launch(UPDATE.format(after="memref.store %v, %r[%j] : memref<64xi32>"), arrays, parameters, blocks=1)
    with pytest.raises(HloError, match=r"thread \d+ updates what thread \d+ wrote"):
        body = "%i = gpu.thread_id x\n%c = arith.constant 1 : i32\nmemref.store %c, %r[%i] : memref<64xi32>\n"
        launch(body + UPDATE.format(after="").replace("%i = gpu.thread_id x", ""), arrays, parameters, blocks=1)


def test_a_misaligned_vector_is_found() -> None:
    body = """
      %one = arith.constant 1 : index
      %v = vector.load %x[%one] : memref<100xf32>, vector<4xf32>
      %zero = arith.constant 0 : index
      vector.store %v, %r[%zero] : memref<100xf32>, vector<4xf32>"""
    with pytest.raises(HloError, match="no multiple of its size"):
        launch(body, [floats(), floats()], blocks=1, threads=1)


def test_a_shuffle_adds_up_a_warp() -> None:
    body = """
      %i = gpu.global_id x
      %v = memref.load %x[%i] : memref<128xi32>
      %width = arith.constant 32 : i32
      %d = arith.constant 5 : i32
      %o, %valid = gpu.shuffle xor %v, %d, %width : i32
      memref.store %o, %r[%i] : memref<128xi32>"""
    x = np.arange(128, dtype=np.int32) * 3
    result = launch(body, [x, np.zeros_like(x)], "%x: memref<128xi32>, %r: memref<128xi32>")[1]
    assert np.array_equal(result, x[np.arange(128) ^ 5])


def test_a_fused_product_is_rounded_with_its_sum() -> None:
    """Half a unit, also where the sum cancels all digits of the product but the last ones."""
    random = np.random.default_rng(5)
    x, y = random.uniform(-2, 2, (2, 128))
    z = np.where(np.arange(128) % 2, -x * y, random.uniform(-4, 4, 128))
    x[0], y[1], z[3], z[5] = np.inf, np.nan, -np.inf, 1e300
    body = """
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %o = arith.muli %b, %n : index
      %i = arith.addi %o, %t : index
      %u = memref.load %x[%i] : memref<128xf64>
      %v = memref.load %y[%i] : memref<128xf64>
      %w = memref.load %z[%i] : memref<128xf64>
      %f = math.fma %u, %v, %w : f64
      memref.store %f, %r[%i] : memref<128xf64>
    """
    parameters = ", ".join(f"%{m}: memref<128xf64>" for m in "xyzr")
    *_, got = launch(body, [x, y, z, np.zeros(128)], parameters)
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    exact = [
        float(Fraction(a) * Fraction(b) + Fraction(c)) for a, b, c in zip(x[finite], y[finite], z[finite], strict=True)
    ]
    np.testing.assert_allclose(got[finite], exact, rtol=1.2e-16, atol=0)
    np.testing.assert_array_equal(got[~finite], (x * y + z)[~finite])


def test_loops_of_different_lengths() -> None:
    """Thread i adds 1 + 2 + ... + i; a while loop counts the steps."""
    body = """
      %i = gpu.global_id x
      %n = arith.constant 100 : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        %stop = arith.addi %i, %one : index
        %sum = scf.for %k = %zero to %stop step %one iter_args(%s = %zero) -> (index) {
          %t = arith.addi %s, %k : index
          scf.yield %t : index
        }
        %steps = scf.while (%a = %zero) : (index) -> index {
          %more = arith.cmpi slt, %a, %i : index
          scf.condition(%more) %a : index
        } do {
        ^bb0(%a: index):
          %b = arith.addi %a, %one : index
          scf.yield %b : index
        }
        %all = arith.addi %sum, %steps : index
        %v = arith.index_cast %all : index to i64
        memref.store %v, %r[%i] : memref<100xi64>
      }"""
    (result,) = launch(body, [np.zeros(100, np.int64)], "%r: memref<100xi64>")
    i = np.arange(100)
    assert np.array_equal(result, i * (i + 1) // 2 + i)


def test_memory_is_checked() -> None:
    driver = ModelDriver(capacity=1 << 20)
    address = driver.allocate(100)
    with pytest.raises(HloError, match="outside of every allocation"):
        driver.upload(address, np.zeros(101, np.int8))
    with pytest.raises(HloError, match="used up"):
        driver.allocate(1 << 21)
    driver.free(address)
    with pytest.raises(HloError, match="outside of every allocation"):
        driver.download(np.zeros(4, np.int8), address)


LOOP = """
func.func @main(%n: tensor<i32>, %x: tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %last = %n) : tensor<i32>, tensor<8xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %v : tensor<8xf32>
    stablehlo.return %j, %w, %last : tensor<i32>, tensor<8xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<8xf32>
}
"""


def test_a_program_with_a_loop() -> None:
    exe = hlo.compile(LOOP, target="gpu", device="model")
    x = floats(8)
    for n in (0, 1, 5):
        count, doubled = exe(np.int32(n), x)
        assert count == n and np.array_equal(doubled, x * 2**n)


CASE = """
func.func @main(%i: tensor<i32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %r = "stablehlo.case"(%i) ({
    %0 = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %0 : tensor<3xf32>
  }, {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.return %0 : tensor<3xf32>
  }, {
    %0 = stablehlo.multiply %x, %x : tensor<3xf32>
    stablehlo.return %0 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""


@pytest.mark.parametrize("index, branch", [(0, 0), (1, 1), (2, 2), (-1, 2), (3, 2), (-(2**31), 2)])
def test_a_branch_that_is_known_when_the_program_runs(index: int, branch: int) -> None:
    """Indices outside mean the last branch."""
    x = np.array([1, -2, 3], np.float32)
    (found,) = hlo.compile(CASE, target="gpu", device="model")(np.int32(index), x)
    assert np.array_equal(found, (-x, x + x, x * x)[branch])


@pytest.mark.parametrize(
    "operation, operands, expected",
    [
        ("cmpi_slt.i32.i1", (-1, 0), 1),
        ("cmpi_slt.i32.i1", (2**32 - 1, 0), 1),
        ("cmpi_ult.i32.i1", (-1, 0), 0),
        ("cmpi_eq.i8.i1", (255, -1), 1),
        ("extsi.i8.i32", (255,), 2**32 - 1),
        ("extui.i1.i32", (-1,), 1),
        ("trunci.i32.i8", (-1,), 255),
        ("select.i32.i32", (-1, 5, 6), 5),
        ("subi.i64.i64", (0, 1), 2**64 - 1),
        ("xori.i1.i1", (-1, 1), 0),
    ],
)
def test_scalars_of_the_host_are_bits(operation: str, operands: tuple[int, ...], expected: int) -> None:
    count = len(operands)
    plan = Plan((Compute(count, operation, tuple(range(count))), Offset(count + 1, count, 0)), count + 2, 0, 0, 0, 0)
    found: list[int] = []
    program = replace(plan, steps=(*plan.steps, HostCall(0, (count,))))
    run_plan(program, ModelDriver(), None, operands, lambda number, addresses: found.extend(addresses))
    assert found == [expected]


def test_constants_outlive_the_compiler() -> None:
    """They are no views of the memory of a context that is gone, or compiles other programs."""
    values = np.random.default_rng(5).normal(size=500).astype(np.float32)
    text = f"""func.func @main(%x: tensor<500xf32>) -> tensor<500xf32> {{
      %c = stablehlo.constant dense<"0x{values.tobytes().hex().upper()}"> : tensor<500xf32>
      %0 = stablehlo.add %x, %c : tensor<500xf32>
      return %0 : tensor<500xf32> }}"""
    programs = [hlo.compile(text, target="gpu", device="model", cache=False).program for _ in range(3)]
    gc.collect()
    for one in programs:
        (constant,) = one.constants
        assert constant.flags.owndata and np.array_equal(constant, values)


def test_all_device_memory_is_freed() -> None:
    exe = hlo.compile(LOOP, target="gpu", device="model")
    before = len(exe.driver.memory._blocks)
    exe(np.int32(3), floats(8))
    constants = len(exe.program.constants)
    assert len(exe.driver.memory._blocks) == before + constants
    driver = exe.driver
    del exe
    assert len(driver.memory._blocks) == before


def test_without_a_card_the_message_says_what_to_do() -> None:
    exe = hlo.compile(LOOP, target="gpu")
    try:
        exe(np.int32(3), floats(8))
    except HloError as error:
        assert "device='model'" in str(error)
    else:
        pytest.skip("there is a card")


@pytest.mark.parametrize(
    "first, size, width, conflicts",
    [
        (np.arange(32) * 4, 4, 1, 0),
        (np.arange(32) * 128, 4, 1, 31),
        (np.arange(32) * 16, 4, 4, 0),
        (np.arange(32) * 32, 4, 4, 4),
        (np.arange(32) // 4 * 128 + np.arange(32) % 4 * 4, 2, 2, 7),
        (np.zeros(32, np.int64), 4, 2, 0),
    ],
)
def test_conflicts_of_banks(first: np.ndarray, size: int, width: int, conflicts: int) -> None:
    """Neighbours; a column of lines of 128 bytes; 16 bytes a lane, next to each other and with as much in between; quads of lanes in
    eight lines; all the same."""
    assert bank_conflicts(first[:, None] + np.arange(width) * size, size) == conflicts
