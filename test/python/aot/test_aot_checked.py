"""Linked programs under valgrind and sanitizers: no error, no leak; two threads that call one function have no race.

valgrind 3.19 knows no AVX-512 (and its tools for threads see whatever code runs), so that objects are for the baseline. Sanitizers instrument what the C
compiler compiles, the generated main and the examples' programs, and watch what the objects do to their memory by the guards around it."""

import shutil
import subprocess

import pytest
from c_programs import EXAMPLES, FOLDER, HERE, STRICT, inputs_of, linked
from test_aot import MATMUL, THREADS

import hlo

pytestmark = pytest.mark.skipif(HERE.lacks is not None, reason="no C compiler")
MEMCHECK = ("valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=all")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
SLOW_EXAMPLES = set(EXAMPLES) - {"mlp", "sort_top_k", "random_numbers", "softmax"}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW_EXAMPLES else name for name in EXAMPLES]
DEPLOYED = {"classifier": ["picture.ppm"], "token": ["5"], "kalman": []}
"""The programs of examples/deploy and what they are called with."""


def need_tool(name):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")


def need_sanitizer(flags, folder):
    (folder / "probe.c").write_text("int main(void) { return 0; }\n")
    done = subprocess.run(["cc", *flags, "probe.c", "-o", "probe"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the C compiler cannot link {flags[0]}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_valgrind_finds_nothing(name, tmp_path):
    need_tool("valgrind")
    program = linked(tmp_path, FOLDER / f"{name}.mlir")
    program.run(program.written.model.functions[0], *inputs_of(name), before=MEMCHECK)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", [{}, {"workspace": "static", "constants": "file"}], ids=["caller", "static"])
@pytest.mark.parametrize("name", NAMES)
def test_sanitizers_find_nothing(name, options, tmp_path):
    """Arrays and the workspace are on the heap, each between guards."""
    need_sanitizer(SANITIZERS, tmp_path)
    program = linked(tmp_path, FOLDER / f"{name}.mlir", flags=("-O1", *SANITIZERS), **options)
    program.run(program.written.model.functions[0], *inputs_of(name))


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """The objects of examples/deploy, and a picture."""
    folder = tmp_path_factory.mktemp("checked") / "deploy"
    shutil.copytree(FOLDER / "deploy", folder)
    for name in DEPLOYED:
        hlo.aot.compile(folder / f"{name}.mlir", folder / name, workspace="static")  # as the makefile does
    (folder / "picture.ppm").write_bytes(b"P6\n32 32\n255\n" + bytes(range(256)) * 12)
    return folder


def built(folder, name, flags):
    source = next(folder / f"{name}{ending}" for ending in (".c", ".cc") if (folder / f"{name}{ending}").exists())
    compiler = "c++" if source.suffix == ".cc" else "cc"
    command = [compiler, "-O1", *flags, source.name, f"{name}.o", "-lm", "-o", f"{name}.checked"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return [f"./{name}.checked", *DEPLOYED[name]]


@pytest.mark.parametrize("name", DEPLOYED)
def test_the_programs_of_deploy_are_clean(objects, name):
    need_tool("c++")
    need_sanitizer(SANITIZERS, objects)
    plain = subprocess.run(built(objects, name, ()), cwd=objects, capture_output=True, text=True, check=True)
    checked = subprocess.run(built(objects, name, SANITIZERS), cwd=objects, capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stdout == plain.stdout, checked.stderr


@pytest.mark.parametrize("name", DEPLOYED)
def test_valgrind_finds_nothing_in_deploy(objects, name):
    need_tool("valgrind")
    need_tool("c++")
    done = subprocess.run([*MEMCHECK, *built(objects, name, ("-g",))], cwd=objects, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


SMALL = MATMUL.replace("512", "64")


def threaded(folder, flags, threads):
    """A program whose three threads call one function at once, each with its workspace."""
    hlo.aot.compile(SMALL if threads == "none" else MATMUL, folder / "model", threads=threads)
    (folder / "user.c").write_text(THREADS.replace("512", "64") if threads == "none" else THREADS)
    command = ["cc", "-D_GNU_SOURCE", *STRICT, *flags, "user.c", "model.o", "-lm", "-pthread", "-o", "user"]
    subprocess.run(command, cwd=folder, check=True)
    return [str(folder / "user")]


@pytest.mark.parametrize("tool", ["helgrind", "drd"])
def test_threads_that_call_one_function_have_no_race(tool, tmp_path):
    """valgrind sees the object's own loads and stores, too. Without the pool, whose futexes and atomics these tools do not know."""
    need_tool("valgrind")
    command = ["valgrind", "-q", f"--tool={tool}", "--error-exitcode=9", *threaded(tmp_path, ("-g",), "none")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("threads", ["none", "pool"])
@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_threads_under_sanitizers(sanitizer, threads, tmp_path):
    flags = (f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-g", "-O1")
    need_sanitizer(flags, tmp_path)
    done = subprocess.run(threaded(tmp_path, flags, threads), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_valgrind_would_find_something(tmp_path):
    """The tools see what objects do: a workspace that is too small is an error."""
    need_tool("valgrind")
    name = next(n for n in ("transformer", "mlp") if n in EXAMPLES)
    program = linked(tmp_path, FOLDER / f"{name}.mlir")
    source = tmp_path / "model_main.c"
    text = source.read_text()
    assert "WORKSPACE_BYTES" in text
    header = tmp_path / "model.h"
    macro = next(line for line in header.read_text().splitlines() if "define MODEL_MAIN_WORKSPACE_BYTES" in line)
    assert int(macro.split()[-1].rstrip("uUlL")) > 4096
    header.write_text(header.read_text().replace(macro, "#define MODEL_MAIN_WORKSPACE_BYTES 64"))
    command = ["cc", "-O1", "model_main.c", "model.o", "-lm", "-o", "model"]
    subprocess.run(command, cwd=tmp_path, check=True)
    arguments = program.command(program.written.model.functions[0], inputs_of(name), tmp_path / "out")
    done = subprocess.run([*MEMCHECK, *arguments], capture_output=True, text=True)
    assert done.returncode and "Invalid write" in done.stderr
