"""Programs as object files: linked by the system's C compiler, with the results of the same code in this process."""

import shutil
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from c_programs import EXAMPLES as NAMES
from c_programs import HERE, SHARDED, Linked, in_process, inputs_of, linked

import hlo
from hlo.host import host_architecture
from hlo.lowering.target import host_name, names_of
from hlo.runtime.aot.levels import BITS

EXAMPLES = Path(__file__).parents[3] / "examples"
BASELINE = names_of(host_architecture())[-1]
pytestmark = pytest.mark.skipif(HERE.lacks is not None, reason="no C compiler")

ADD = """func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  return %0 : tensor<2x3xf32> }"""

SORTED = """func.func @main(%x: tensor<6x3000xf32>) -> (tensor<6x700xf32>, tensor<6x700xi32>) {
  %0:2 = chlo.top_k(%x, k = 700) : tensor<6x3000xf32> -> (tensor<6x700xf32>, tensor<6x700xi32>)
  return %0#0, %0#1 : tensor<6x700xf32>, tensor<6x700xi32> }"""


def same_bits(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == np.ascontiguousarray(other).tobytes()


@pytest.mark.parametrize("name", SHARDED)
def test_examples_for_several_devices_are_refused(name, tmp_path):
    with pytest.raises(hlo.HloError, match=r"device|process"):
        hlo.aot.compile(EXAMPLES / f"{name}.mlir", tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_examples_give_what_they_give_in_process(name, tmp_path):
    path = EXAMPLES / f"{name}.mlir"
    program = linked(tmp_path, path)
    (function,) = program.written.model.functions
    arrays = inputs_of(name)
    same_bits(program.run(function, *arrays), in_process(path, BASELINE)(*arrays))
    assert set(program.written.symbols.needed) <= {"libc", "libm"}
    assert program.written.symbols.defined == (f"model_{function.function}",)


@pytest.mark.skipif(shutil.which("strip") is None, reason="no strip")
@pytest.mark.parametrize(("name", "kibibytes"), [("softmax", 8), ("mlp", 24), ("transformer", 64)])
def test_objects_are_small(name, kibibytes, tmp_path):
    """Weights are arguments of these programs. The baseline needs most code: it has neither masks nor fused multiplication."""
    written = hlo.aot.compile(EXAMPLES / f"{name}.mlir", tmp_path / "model", triple="x86_64-linux-gnu", cpu="baseline")
    subprocess.run(["strip", "--strip-unneeded", tmp_path / "model.o"], check=True)
    assert (tmp_path / "model.o").stat().st_size <= kibibytes << 10
    assert not written.symbols.needed


PUBLIC = """
func.func public @main(%x: tensor<2x3xf32>, %table: tensor<4xi64>) -> (tensor<2x3xf32>, tensor<4xi64>) {
  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = call @helper(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.multiply %0, %c : tensor<2x3xf32>
  %2 = stablehlo.add %table, %table : tensor<4xi64>
  return %1, %2 : tensor<2x3xf32>, tensor<4xi64> }
func.func private @helper(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.exponential %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32> }
func.func @second(%result0: tensor<complex<f32>>, %float: tensor<3xbf16>, %e: tensor<0x5xf32>) -> (tensor<complex<f32>>, tensor<3xbf16>, tensor<0x5xf32>, tensor<i1>) {
  %0 = stablehlo.add %result0, %result0 : tensor<complex<f32>>
  %1 = stablehlo.add %float, %float : tensor<3xbf16>
  %2 = stablehlo.constant dense<true> : tensor<i1>
  return %0, %1, %e, %2 : tensor<complex<f32>>, tensor<3xbf16>, tensor<0x5xf32>, tensor<i1> }
"""
MAIN_INPUTS = [np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3), np.array([1, -2, 1 << 40, 0])]
SECOND_INPUTS = [
    np.array(1 - 2j, np.complex64),
    np.array([1, 2.5, -3], ml_dtypes.bfloat16),
    np.zeros((0, 5), np.float32),
]


def check_public(program):
    main, second = program.written.model.functions
    scaled, doubled = program.run(main, *MAIN_INPUTS)
    np.testing.assert_allclose(scaled, np.exp(MAIN_INPUTS[0]) * np.arange(1, 7).reshape(2, 3), rtol=2e-6)
    np.testing.assert_array_equal(doubled, 2 * MAIN_INPUTS[1])
    z, b, empty, truth = program.run(second, *SECOND_INPUTS)
    assert z == 2 - 4j and empty.shape == (0, 5) and truth
    np.testing.assert_array_equal(b, np.array([2, 5, -6], ml_dtypes.bfloat16))


@pytest.mark.parametrize(
    "options", [{}, {"threads": "pool"}, {"workspace": "static"}, {"constants": "file"}, {"cpu": "host"}], ids=str
)
def test_all_public_functions_have_a_typed_function(tmp_path, options):
    program = linked(tmp_path, PUBLIC, **options)
    check_public(program)
    text = (tmp_path / "model.h").read_text()
    last = "" if options.get("workspace") == "static" else ", void *workspace"
    assert (
        f"int model_main(const float x[2][3], const int64_t table[4], float result0[2][3], int64_t result1[4]{last});"
        in text
    )
    assert (
        f"int model_second(const float arg0[2], const uint16_t arg1[3], const float *e, float result0[2], uint16_t result1[3], float *result2, uint8_t result3[1]{last});"
        in text
    )
    names = {f.name for f in program.written.model.functions}
    extra = {"pool": {"model_set_threads"}}.get(options.get("threads"), set()) | (
        {"model_load_constants"} if "constants" in options else set()
    )
    assert {n for n in program.written.symbols.defined if not n.startswith("hlo_pool_")} == names | extra


def test_the_header_is_cpp_too(tmp_path):
    linked(tmp_path, PUBLIC)
    (tmp_path / "user.cc").write_text(
        '#include "model.h"\nint main() { return model_main(0, 0, 0, 0, 0) - MODEL_ERROR_NULL; }\n'
    )
    command = [
        "c++",
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "user.cc",
        "model.o",
        "-lm",
        "-o",
        "user",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "user"], check=True)


NOT_NAMES_IN_C = [
    *("I", "NULL", "EOF", "INT_MAX", "M_PI", "NAN", "errno", "stdin", "complex", "linux", "unix", "uint8_t", "typeof"),
    "MODEL_MAIN_RESULTS",
]


@pytest.mark.parametrize("compiler", [["cc", "-x", "c"], ["c++", "-x", "c++"]], ids=["c", "c++"])
def test_arguments_that_are_called_as_macros_and_types(compiler, tmp_path):
    """The header is included behind headers of the C library, by compilers with names of their own (`linux`, `typeof`)."""
    arguments = ", ".join(f"%{name}: tensor<2xui8>" for name in ["W1", *NOT_NAMES_IN_C, "x"])
    hlo.aot.compile(f"func.func @main({arguments}) {{ return }}", tmp_path / "model")
    headers = ["stdio.h", "limits.h", "math.h", "errno.h"] + ["complex.h"] * (compiler[0] == "cc")
    user = "".join(f"#include <{name}>\n" for name in headers) + '#include "model.h"\n'
    command = [*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-"]
    subprocess.run(command, cwd=tmp_path, input=user, text=True, check=True)
    text = (tmp_path / "model.h").read_text()
    assert "model_main(const uint8_t W1[2], const uint8_t arg1[2]" in text and "const uint8_t x[2], void" in text


MATMUL = """func.func @main(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.tanh %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32> }"""
SQUARES = [np.random.default_rng(n).standard_normal((512, 512)).astype(np.float32) / 16 for n in range(2)]


def test_the_pool_runs_parts(tmp_path):
    """The pool's workers are there after a call, and results are those of one thread."""
    program = linked(tmp_path, MATMUL, threads="pool")
    assert "pthread_create" in program.written.symbols.needed["libc"]
    (function,) = program.written.model.functions
    same_bits(program.run(function, *SQUARES), in_process(MATMUL, BASELINE, threads=8)(*SQUARES))


@pytest.mark.skipif(host_architecture() != "x86_64", reason="versions are chosen on x86-64")
def test_several_versions_in_one_object(tmp_path):
    """Under an emulator of a lesser processor the lesser version runs: the baseline's bits."""
    program = linked(tmp_path, MATMUL, cpu=",".join(names_of(host_architecture())))
    (function,) = program.written.model.functions
    same_bits(program.run(function, *SQUARES), in_process(MATMUL, host_name())(*SQUARES))


@pytest.mark.skipif(
    host_name() != "amx", reason="the processor has no tile registers, or the system does not give them"
)
@pytest.mark.parametrize("cpu", ["amx", "host", "baseline,amx"])
def test_objects_ask_for_tile_registers(cpu, tmp_path):
    """The program in C has not asked for them itself."""
    text = """func.func @main(%x: tensor<70x100xi8>, %y: tensor<100x50xi8>) -> tensor<70x50xi32> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<70x100xi8>, tensor<100x50xi8>) -> tensor<70x50xi32>
      return %0 : tensor<70x50xi32> }"""
    random = np.random.default_rng(0)
    x, y = (random.integers(-128, 128, shape, np.int8) for shape in ((70, 100), (100, 50)))
    program = linked(tmp_path, text, cpu=cpu)
    (function,) = program.written.model.functions
    (found,) = program.run(function, x, y)
    np.testing.assert_array_equal(found, x.astype(np.int32) @ y)


THREADS = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
static float x[512][512], y[512][512], expected[512][512];
static void *work(void *wrong) {
  static const size_t bytes = MODEL_MAIN_RESULT_0_BYTES;
  void *workspace = NULL;
  float *result = malloc(bytes);
  int round;
  if (posix_memalign(&workspace, MODEL_MAIN_WORKSPACE_ALIGNMENT, MODEL_MAIN_WORKSPACE_BYTES + 1)) abort();
  for (round = 0; round < 3; round++) {
    memset(result, 0, bytes);
    if (model_main((const float (*)[512])x, (const float (*)[512])y, (float (*)[512])result, workspace)) abort();
    if (memcmp(result, expected, bytes)) *(int *)wrong = 1;
  }
  free(result);
  free(workspace);
  return NULL;
}
int main(void) {
  pthread_t threads[3];
  int wrong[3] = {0}, i;
  void *workspace;
  for (i = 0; i < 512 * 512; i++) ((float *)x)[i] = (float)(i % 11) / 64, ((float *)y)[i] = (float)(i % 7) / 64;
  if (posix_memalign(&workspace, 64, MODEL_MAIN_WORKSPACE_BYTES + 1)) abort();
  if (model_main((const float (*)[512])x, (const float (*)[512])y, expected, workspace)) abort();
  free(workspace);
  for (i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, &wrong[i]);
  for (i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return wrong[0] | wrong[1] | wrong[2];
}
"""


@pytest.mark.parametrize("threads", ["none", "pool"])
def test_several_threads_call_one_function(tmp_path, threads):
    hlo.aot.compile(MATMUL, tmp_path / "model", threads=threads)
    (tmp_path / "user.c").write_text(THREADS)
    command = ["cc", "-D_GNU_SOURCE", "-Wall", "-Werror", "user.c", "model.o", "-lm", "-pthread", "-o", "user"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "user"], check=True, timeout=60)


def test_two_models_in_one_program(tmp_path):
    """The same functions under two names, both with helpers that LLVM calls, a pool and constants of their own."""
    program = PUBLIC.replace("bf16", "f16")
    for name in ("first", "other"):
        hlo.aot.compile(program, tmp_path / name, threads="pool", entries=["main", "second"])
    calls = ", ".join("0" for _ in range(5))
    (tmp_path / "user.c").write_text(
        f'#include "first.h"\\n#include "other.h"\\nint main(void) {{ return first_main({calls}) - other_main({calls}); }}\\n'.replace(
            "\\n", "\n"
        )
    )
    command = ["cc", "-Wall", "-Werror", "user.c", "first.o", "other.o", "-lm", "-pthread", "-o", "user"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "user"], check=True)


def test_custom_calls_are_functions_of_the_program(tmp_path):
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
      %0 = stablehlo.custom_call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1:2 = stablehlo.custom_call @both(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
      return %1#0, %1#1 : tensor<4xf32>, tensor<f32> }"""
    written = hlo.aot.compile(text, tmp_path / "model", also=["main"])
    assert written.symbols.needed["the program"] == ("both", "twice")
    (tmp_path / "calls.c").write_text("""
      #include "model.h"
      void twice(void *out, const void **in) { int i; for (i = 0; i < 4; i++) ((float *)out)[i] = 2 * ((const float *)in[0])[i]; }
      void both(void *out, const void **in) {
        int i;
        for (i = 0; i < 4; i++) ((float **)out)[0][i] = ((const float *)in[0])[i] + ((const float *)in[1])[i];
        ((float **)out)[1][0] = ((const float *)in[1])[3];
      }""")
    program = Linked(tmp_path, written, objects=[str(tmp_path / "calls.c"), str(tmp_path / "model.o")])
    x = np.array([1, 2, 3, 5], np.float32)
    tripled, last = program.run(written.model.functions[0], x)
    np.testing.assert_array_equal(tripled, 3 * x)
    assert last == 5


def test_dynamic_shapes_are_declared(tmp_path):
    text = """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
      %0 = stablehlo.add %x, %x : tensor<?x3xf32>
      return %0 : tensor<?x3xf32> }"""
    with pytest.raises(hlo.CompileError, match="dynamic shapes"):
        hlo.aot.compile(text, tmp_path / "model")
    with pytest.raises(hlo.ArgumentError, match="argument 0: a shape that fits"):
        hlo.aot.compile(text, tmp_path / "model", shapes=[(2, 4)])
    assert not list(tmp_path.iterdir())
    program = linked(tmp_path, text, shapes=[(2, 3)])
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    same_bits(program.run(program.written.model.functions[0], x), [2 * x])


def test_a_workspace_that_is_not_aligned_and_null_pointers(tmp_path):
    hlo.aot.compile(MATMUL, tmp_path / "model", constants="file")
    (tmp_path / "user.c").write_text("""
      #include "model.h"
      static float a[512][512], r[512][512];
      static unsigned char room[MODEL_MAIN_WORKSPACE_BYTES + 65];
      int main(void) {
        unsigned char *place = room + (-(uintptr_t)room & 63);
        if (model_main((const float (*)[512])a, 0, r, place) != MODEL_ERROR_NULL) return 1;
        if (MODEL_MAIN_WORKSPACE_BYTES && model_main((const float (*)[512])a, (const float (*)[512])a, r, place + 1) != MODEL_ERROR_WORKSPACE) return 2;
        if (model_load_constants("nothing.bin") != MODEL_ERROR_CONSTANTS) return 3;
        if (model_load_constants("user.c") != MODEL_ERROR_CONSTANTS) return 4;
        return model_main((const float (*)[512])a, (const float (*)[512])a, r, place);
      }""")
    command = ["cc", "-Wall", "-Werror", "user.c", "model.o", "-lm", "-o", "user"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "user"], cwd=tmp_path, check=True)


def test_versions_that_cannot_be_chosen_are_refused(tmp_path, monkeypatch):
    """One version needs no question; that it has an answer for each row of the table is not asked of who adds a row."""
    monkeypatch.delitem(BITS, "avx2")
    options = {"triple": "x86_64-linux-gnu"}
    with pytest.raises(hlo.ArgumentError, match="cannot tell whether a processor is 'avx2'; it can for avx512, amx"):
        hlo.aot.compile(ADD, tmp_path / "model", cpu="baseline,avx2", **options)
    hlo.aot.compile(ADD, tmp_path / "model", cpu="avx2", **options)


PYTHON_CALL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @{name}(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32> }"""
INFEED = """func.func @main(%t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<4xf32>, !stablehlo.token }"""
ODD_NAME = ADD.replace("@main", '@"a.b"')
CLASH = ADD + ADD.replace("@main", "@Main")
GRID = "module attributes {mhlo.num_replicas = 2 : i32} {" + ADD + "}"

MISTAKES = {
    "triple": (ADD, {"triple": "sparc"}, "unknown triple 'sparc'; there are x86_64-linux-gnu"),
    "cpu": (ADD, {"cpu": "pentium"}, "unknown cpu 'pentium' for"),
    "cpu of another": (ADD, {"triple": "aarch64-linux-gnu", "cpu": "avx2"}, "unknown cpu 'avx2' for aarch64"),
    "host of another": (ADD, {"triple": "armv7-linux-gnueabihf", "cpu": "host"}, "cpu='host' is this machine's"),
    "cpu twice": (ADD, {"triple": "x86_64-linux-gnu", "cpu": "avx2,avx2"}, "names 'avx2' twice"),
    "feature": (ADD, {"features": "+warp"}, "unknown feature '\\+warp'"),
    "threads": (ADD, {"threads": "omp"}, "threads takes one of none, pool"),
    "pool of 32 bits": (ADD, {"triple": "armv7-linux-gnueabihf", "threads": "pool"}, "64 bits"),
    "workspace": (ADD, {"workspace": "heap"}, "workspace takes one of caller, static"),
    "constants": (ADD, {"constants": "net"}, "constants takes one of object, file"),
    "also": (ADD, {"also": ["zip"]}, "also takes a list of"),
    "entries": (ADD, {"entries": ["other"]}, "no function 'other'"),
    "no entries": (ADD, {"entries": []}, "entries takes a list"),
    "shapes of static": (ADD, {"shapes": [(2, 3), (2, 3)]}, "static shapes"),
    "shapes": (ADD, {"shapes": 5}, "shapes takes a list"),
    "function": (ODD_NAME, {}, "must be a C identifier .*'model_a.b'"),
    "clash": (CLASH, {}, r"two C names of the object clash: model_main \(.* @main\) and model_Main \(.* @Main\)"),
    "clash with our own": (
        ADD.replace("@main", "@set_threads"),
        {},
        r"model_set_threads \(the function @set_threads\) and model_set_threads \(what limits the threads\)",
    ),
    "grid": (GRID, {}, "grid of processes"),
    "lapack": (
        PYTHON_CALL.replace("{name}", "lapack_spotrf_ffi"),
        {},
        ":2:.*lapack_spotrf_ffi: array 0 must be .* arrays of rank 2",
    ),
    "another routine of lapack": (
        PYTHON_CALL.replace("{name}", "lapack_ssyevd_ffi"),
        {},
        ":2:.*lapack_ssyevd_ffi: no factorisation of ours",
    ),
    "lapack of 32 bits": (ADD, {"triple": "armv7-linux-gnueabihf", "lapack": "openblas"}, "64 bits"),
    "kind of lapack": (ADD, {"lapack": "mkl"}, "lapack takes one of own, openblas"),
    "name of a call": (PYTHON_CALL.replace("{name}", '"a.b"'), {}, "a.b would be a C function"),
    "infeed": (INFEED, {}, "stablehlo.infeed is a function of Python"),
    "text": ("no program {", {}, "unexpected end of input"),
    "program": (5, {}, "takes a module, text or a path"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_errors_and_leave_no_files(tmp_path, mistake):
    program, options, message = MISTAKES[mistake]
    with pytest.raises(hlo.HloError, match=message):
        hlo.aot.compile(program, tmp_path / "model", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["2nd", "a-b", "int", "class", "a b", ""])
def test_names_that_are_no_identifiers(tmp_path, name):
    with pytest.raises(hlo.ArgumentError, match="must be a C identifier"):
        hlo.aot.compile(ADD, f"{tmp_path}/{name}")


def test_outputs_that_cannot_be_written(tmp_path):
    with pytest.raises(hlo.ArgumentError, match="no such folder"):
        hlo.aot.compile(ADD, tmp_path / "missing" / "model")
    (tmp_path / "model.h").mkdir()
    with pytest.raises(hlo.ArgumentError, match="cannot write"):
        hlo.aot.compile(ADD, tmp_path / "model")
    assert [p.name for p in tmp_path.iterdir()] == ["model.h"]


def test_python_functions_of_this_process_are_refused(tmp_path, monkeypatch):
    from hlo.runtime import custom_calls

    monkeypatch.setitem(custom_calls.TARGETS, "scale", lambda x: x)
    with pytest.raises(hlo.CompileError, match=r":2:.*scale is a function of Python"):
        hlo.aot.compile(PYTHON_CALL.replace("{name}", "scale"), tmp_path / "model")


def test_the_same_program_gives_the_same_object(tmp_path):
    first, second = (hlo.aot.compile(PUBLIC, tmp_path / "model") for _ in range(2))
    assert first.model.object == second.model.object


@pytest.mark.parametrize(
    "options", [{}, {"cpu": "baseline,avx512"}, {"threads": "pool"}], ids=["one", "levels", "threads"]
)
def test_routines_are_in_the_object(options, tmp_path):
    """Of one key a line's routine and that which it calls; objects have no undefined symbols of ours."""
    (tmp_path / "sorted.mlir").write_text(SORTED)
    program = linked(tmp_path, tmp_path / "sorted.mlir", **options)
    (function,) = program.written.model.functions
    x = np.random.default_rng(2).standard_normal((6, 3000)).astype(np.float32)
    first, order = program.run(function, x)
    expected = np.argsort(-x, axis=-1, kind="stable")[:, :700].astype(np.int32)
    same_bits([first, order], [np.take_along_axis(x, expected, -1), expected])
    assert set(program.written.symbols.needed) <= {"libc", "libm"}
