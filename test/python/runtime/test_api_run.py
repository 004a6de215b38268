"""hlo.compile and executables: arguments, results, errors, threads, custom calls."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.runtime import custom_calls
from hlo.runtime.calls.arguments import may_overlap

ADD = """func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}"""
A = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(scope="module")
def add() -> hlo.Executable:
    return hlo.compile(ADD)


def unary(element: str, op: str = "stablehlo.negate") -> str:
    kind = f"tensor<5x{element}>"
    return f"func.func @main(%a: {kind}) -> {kind} {{\n %0 = {op} %a : {kind}\n return %0 : {kind}\n}}"


def test_text_module_and_path(tmp_path: Path) -> None:
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    module = hlo.parse(ADD)
    before = str(module)
    for program in (ADD, ADD.encode(), module, path, str(path)):
        (out,) = hlo.compile(program)(A, A)
        assert (out == 2 * A).all()
    assert str(module) == before


def test_arguments_are_checked(add: hlo.Executable) -> None:
    for arrays, message in (
        ((A,), "2 arguments expected, found 1; the program takes 2x3xf32, 2x3xf32"),
        ((A, A[:1]), r"argument 1: shape \(2, 3\) expected"),
        ((A.astype(np.float64), A), "argument 0: element type of 2x3xf32 expected, found 2x3xf64"),
        ((A, object()), "argument 1"),
    ):
        with pytest.raises(hlo.ArgumentError, match=message):
            add(*arrays)


def test_arguments_of_other_layouts(add: hlo.Executable) -> None:
    strided = np.zeros((4, 9), np.float32)
    strided[::2, ::3] = A
    (out,) = add(strided[::2, ::3], np.asfortranarray(A))
    assert (out == 2 * A).all()
    (out,) = add(A.astype(">f4"), A)
    assert (out == 2 * A).all()


def test_masked_arrays(add: hlo.Executable) -> None:
    """What a mask hides must not be computed with in silence."""
    with pytest.raises(hlo.ArgumentError, match="argument 1: an array has no masked elements"):
        add(A, np.ma.masked_equal(A, 3))
    assert (add(A, np.ma.masked_array(A))[0] == 2 * A).all()
    with pytest.raises(hlo.ArgumentError, match=r"out\[0\] has masked elements"):
        add(A, A, out=[np.ma.masked_equal(A.copy(), 3)])


@pytest.mark.parametrize("found", [None, "abc", b"12345678", ["a", "b"], object()])
def test_what_is_no_array_is_named(found) -> None:
    exe = hlo.compile("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    message = f"argument 0: 2xf32 expected, found {type(found).__name__}, which is no array of numbers"
    with pytest.raises(hlo.ArgumentError, match=re.escape(message)):
        exe(found)


@pytest.mark.parametrize(
    "strides, is_taken",
    [
        ((0, 4), False),
        ((8, 4), False),
        ((4, 4), False),
        ((2, 8), False),
        ((4, 8), True),
        ((12, 16), True),
        ((16, -4), True),
    ],
)
def test_results_whose_elements_share_memory(strides, is_taken) -> None:
    """Of elements in one place, all but one would be lost."""
    exe = hlo.compile("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x : tensor<2x3xf32> }")
    x, memory = np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros(30, np.float32)
    out = np.lib.stride_tricks.as_strided(memory[10:], (2, 3), strides)
    if is_taken:
        assert (exe(x, out=[out])[0] == x).all()
        return
    with pytest.raises(hlo.ArgumentError, match=r"out\[0\] has elements that share memory"):
        exe(x, out=[out])


def test_results_in_the_other_byte_order() -> None:
    exe = hlo.compile("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    with pytest.raises(hlo.ArgumentError, match=r"out\[0\] must be 2xf32, found one in the other byte order"):
        exe(np.ones(2, np.float32), out=[np.empty(2, ">f4")])


def test_two_results_in_one_memory() -> None:
    """Whichever is written last would be in both."""
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0, %x : tensor<4xf32>, tensor<4xf32>
    }"""
    exe, x, place = hlo.compile(text), np.ones(4, np.float32), np.zeros(8, np.float32)
    for out in ([place[:4], place[:4]], [place[:4], place[3:7]], [place[::-2], place[:4]]):
        with pytest.raises(hlo.ArgumentError, match=r"out\[0\] and out\[1\] share memory"):
            exe(x, out=out)
    exe(x, out=[place[::2], place[1::2]])
    assert place.tolist() == [2, 1] * 4


def test_out(add: hlo.Executable) -> None:
    place = np.empty_like(A)
    (out,) = add(A, A, out=[place])
    assert out is place and (place == 2 * A).all()
    overlapping = np.zeros((3, 3), np.float32)
    overlapping[:2] = A
    add(overlapping[:2], A, out=[overlapping[1:]])
    assert (overlapping[1:] == 2 * A).all()
    read_only = np.empty_like(A)
    read_only.flags.writeable = False
    for bad in ([], [A.astype(np.float64)], [np.empty((3, 2), np.float32)], [read_only]):
        with pytest.raises(hlo.ArgumentError, match="out"):
            add(A, A, out=bad)


def test_results_are_independent(add: hlo.Executable) -> None:
    first = add(A, A)[0]
    row = first[1]
    second = add(A, -A)[0]
    del first
    third = add(A, 2 * A)[0]
    assert (row == 2 * A[1]).all() and (second == 0).all() and (third == 3 * A).all()


@pytest.mark.parametrize("count", [16, 17, 1000, 8191, 8192, 600000])
def test_results_are_aligned(count: int) -> None:
    """No vector of a result of 64 bytes or more lies across two lines of the cache."""
    kind = f"tensor<{count}xf32>"
    negate = hlo.compile(
        f"func.func @main(%a: {kind}) -> {kind} {{ %0 = stablehlo.negate %a : {kind} return %0 : {kind} }}"
    )
    kept = [negate(np.ones(count, np.float32))[0] for _ in range(5)]
    assert [a.ctypes.data % 64 for a in kept] == [0] * 5
    assert all((a == -1).all() and a.flags.carray for a in kept)


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64", "f32", "f64", "complex<f32>"])
def test_element_types(element: str) -> None:
    executable = hlo.compile(unary(element))
    x = np.array([0, 1, 2, 3, 100]).astype(executable.signature.arguments[0].dtype)
    (out,) = executable(x)
    assert out.dtype == x.dtype and (out == -x).all()


def test_booleans_and_bfloat16() -> None:
    x = np.array([True, False, True, True, False])
    assert (hlo.compile(unary("i1", "stablehlo.not"))(x)[0] == ~x).all()
    y = np.array([0, 1, -2.5, 3, 100]).astype(ml_dtypes.bfloat16)
    (out,) = hlo.compile(unary("bf16"))(y)
    assert out.dtype == y.dtype and (out == -y).all()


def test_memory_and_phases() -> None:
    executable = hlo.compile(ADD, keep_phases=True)
    assert list(executable.phases) == [p.name for p in hlo.pipelines.cpu()]
    assert "linalg." in executable.phases["linalg"]
    assert (executable.memory.arguments, executable.memory.results) == (48, 24)
    assert executable.memory.code > 0 and executable.memory.temporaries == 0


@pytest.mark.parametrize("cpu", ["avx2", "baseline"])
def test_other_processors(cpu: str) -> None:
    (out,) = hlo.compile(ADD, cpu=cpu)(A, A)
    assert (out == 2 * A).all()


def test_plain_engine_agrees() -> None:
    (out,) = hlo.compile(ADD, engine="mlir")(A, A)
    assert (out == 2 * A).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "gpu", "device": "abacus"}, "unknown device 'abacus'; devices: cuda, model"),
        ({"target": "gpu", "arch": "sm_70"}, "sm_80 or later expected"),
        ({"target": "gpu", "cpu": "avx2"}, "unknown option 'cpu'"),
        ({"target": "tpu"}, "unknown target 'tpu'; targets: cpu"),
        ({"entry": "start"}, "no function 'start' to compile; functions: main"),
        ({"speed": 3}, "unknown option 'speed'.*options: engine, cpu"),
        ({"cpu": "z80"}, "'z80'"),
        ({"engine": "steam"}, "unknown engine 'steam'"),
    ],
)
def test_bad_options(options: dict, message: str) -> None:
    with pytest.raises(hlo.HloError, match=message):
        hlo.compile(ADD, **options)


def test_bad_programs(tmp_path: Path) -> None:
    dynamic = """func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
      %0 = stablehlo.dynamic_reshape %x, %n : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    for program, message in (
        (str(tmp_path / "absent.mlir"), "cannot read .*No such file"),
        (dynamic, "dynamic shape"),
        ("func.func @main(\n", "expected"),
        (unary("i128"), "i128"),
        ("", "no program: the file is empty"),
        (17, "takes a module, a computation, text or a path"),
    ):
        with pytest.raises(hlo.HloError, match=message):
            hlo.compile(program)


def test_a_device_without_end(monkeypatch) -> None:
    monkeypatch.setattr("hlo.program_text.MOST_UNSIZED", 1 << 21)
    with pytest.raises(hlo.ArgumentError, match="cannot read '/dev/zero': it is no file, and gives more than 2097152"):
        hlo.load("/dev/zero")


def test_threads() -> None:
    executable = hlo.compile(ADD)
    failures: list[int] = []

    def work(seed: int) -> None:
        x = np.random.default_rng(seed).standard_normal((2, 3)).astype(np.float32)
        for _ in range(200):
            if not (executable(x, x)[0] == x + x).all():
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


CALL = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @test.scale(%a) {backend_config = "3"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %a : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""


def test_custom_call(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(hlo.CompileError, match=r"target 'test\.scale' is not registered; registered: check\."):
        hlo.compile(CALL)

    def scale(x: np.ndarray, *, backend_config: str) -> np.ndarray:
        if x[0] < 0:
            raise ValueError("negative")
        return x * np.float32(backend_config)

    monkeypatch.setitem(custom_calls.TARGETS, "test.scale", scale)
    executable = hlo.compile(CALL)
    x = np.arange(4, dtype=np.float32)
    assert (executable(x)[0] == 4 * x).all()
    with pytest.raises(hlo.HloError, match=r"custom call @test.scale: ValueError: negative"):
        executable(x - 1)
    assert (executable(x)[0] == 4 * x).all()


ONE = "%r = stablehlo.custom_call @test.returns(%a) : (tensor<4xf32>) -> tensor<4xf32>"
PARTS = """%t = stablehlo.custom_call @test.returns(%a) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i32>>
  %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>"""


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize(
    ("line", "function", "message"),
    [
        (PARTS, lambda x: (2 * x, np.int32(7)), ""),
        (PARTS, lambda x: 2 * x, "2 results expected, found 1"),
        (ONE, lambda x: 2 * x, ""),
        (ONE, lambda x: None, "1 results expected, found 0"),
        (ONE, lambda x: x[:2], "result 0 must be 4xf32, found 2xf32"),
        (ONE, lambda x: x.astype(np.float64), "result 0 must be 4xf32, found 4xf64"),
        (ONE, lambda x: 1 // 0, "ZeroDivisionError: "),
    ],
)
def test_what_a_custom_call_gives(target: str, line: str, function, message: str, monkeypatch) -> None:
    monkeypatch.setitem(custom_calls.TARGETS, "test.returns", function)
    program = f"func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  {line}\n  return %r : tensor<4xf32>\n}}"
    executable, x = hlo.compile(program, target=target, **CACHE[target]), np.arange(4, dtype=np.float32)
    if not message:
        np.testing.assert_array_equal(executable(x)[0], 2 * x)
        return
    with pytest.raises(hlo.HloError, match=f"custom call @test.returns: {message}"):
        executable(x)


CACHE = {"cpu": {"cache": False}, "reference": {}}


def test_check_targets() -> None:
    program = """func.func @main(%a: tensor<3xf32>) {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%a, %0) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}"""
    executable = hlo.compile(program)
    assert executable(np.array([1, 2, 3], np.float32)) == []
    with pytest.raises(hlo.HloError, match=r"1 of 3 elements are not equal; first at \[1\]: expected 2.0, found 5.0"):
        executable(np.array([1, 5, 3], np.float32))


CHECKED = """func.func @main(%a: tensor<3x{kind}>, %b: tensor<3x{kind}>) -> tensor<3x{kind}> {{
  %0 = stablehlo.custom_call @{target}(%a, %b) : (tensor<3x{kind}>, tensor<3x{kind}>) -> {result}
  return %a : tensor<3x{kind}>
}}"""


@pytest.mark.parametrize("target", CACHE)
def test_a_check_whose_result_nothing_reads_is_made(target: str) -> None:
    """It has no side effect by its attributes: that it fails is one."""
    text = CHECKED.format(target="check.eq", kind="f32", result="tensor<i1>")
    executable = hlo.compile(text, target=target, **CACHE[target])
    a = np.float32([1, np.nan, 1000])
    np.testing.assert_array_equal(executable(a, a * np.float32(1.00005))[0], a)
    with pytest.raises(hlo.HloError, match=r"1 of 3 elements are not within 0.0001; first at \[2\]"):
        executable(a, np.float32([1, np.nan, 1001]))


@pytest.mark.parametrize("target", CACHE)
@pytest.mark.parametrize("kind, dtype", [("i1", bool), ("i4", ml_dtypes.int4), ("ui8", np.uint8), ("i64", np.int64)])
def test_a_check_of_whole_numbers_is_exact(target: str, kind: str, dtype: Any) -> None:
    text = f"""func.func @main(%a: tensor<2x{kind}>, %b: tensor<2x{kind}>) -> tensor<i1> {{
  stablehlo.custom_call @check.expect_close(%a, %b) {{has_side_effect = true}} : (tensor<2x{kind}>, tensor<2x{kind}>) -> ()
  %0 = stablehlo.custom_call @check.eq(%a, %b) : (tensor<2x{kind}>, tensor<2x{kind}>) -> tensor<i1>
  return %0 : tensor<i1>
}}"""
    executable = hlo.compile(text, target=target, **CACHE[target])
    a, b = np.array([0, 1]).astype(dtype), np.array([0, 0]).astype(dtype)
    assert executable(a, a)[0].item() is True
    with pytest.raises(hlo.HloError, match="1 of 2 elements"):
        executable(a, b)


@pytest.mark.parametrize("target", CACHE)
def test_a_custom_call_of_expect_close_allows_three(target: str) -> None:
    text = CHECKED.format(target="check.expect_close", kind="f32", result="()").replace("%0 = ", "")
    executable = hlo.compile(text, target=target, **CACHE[target])
    a = np.float32([1, 2, 3])
    ulps = np.spacing(a)
    executable(a, a + 3 * ulps)
    with pytest.raises(hlo.HloError, match="3 of 3 elements are not within 0 to 3 ulp"):
        executable(a, a + 4 * ulps)


@pytest.mark.parametrize("seed", range(5))
def test_which_arrays_may_share_memory(seed):
    """As numpy tells of each pair."""
    generator, memory = np.random.default_rng(seed), np.zeros(400, np.uint8)

    def views():
        for _ in range(12):
            start, length, step = generator.integers(0, 380), generator.integers(0, 20), generator.integers(1, 4)
            view = memory[start : start + length : step]
            yield view[::-1] if generator.integers(2) else view

    arrays, others = list(views()), [*views()][: 2 + seed]
    expected = [any(np.may_share_memory(a, other) for other in others) for a in arrays]
    assert may_overlap(arrays, others) == expected and any(expected)
