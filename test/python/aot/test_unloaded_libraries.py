"""Shared libraries with a thread pool are unloaded as others are: their threads, which wait for work, keep their code."""

import subprocess

import numpy as np
import pytest
from c_programs import HERE

import hlo
from hlo.runtime.code.native_library import may_load

pytestmark = [
    pytest.mark.skipif(HERE.lacks is not None, reason="no C compiler"),
    pytest.mark.skipif(not may_load(), reason="shared libraries are made for Linux"),
]

MATMUL = """func.func @main(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.tanh %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32> }"""

USER = """
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
typedef int function(const float *, const float *, float *, void *);
static float x[512 * 512], y[512 * 512], result[512 * 512];
static int threads(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/task");
  while (readdir(folder)) count++;
  closedir(folder);
  return count - 2;
}
int main(int count, char **words) {
  void *workspace;
  int round, i;
  (void)count;
  for (i = 0; i < 512 * 512; i++) x[i] = y[i] = (i % 513) ? 0 : 0.5f;
  if (posix_memalign(&workspace, 64, 1 << 24)) return 1;
  for (round = 0; round < 3; round++) {
    void *library = dlopen(words[1], RTLD_NOW);
    function *call = library ? (function *)dlsym(library, "model_main") : 0;
    if (!call) return puts(dlerror()), 2;
    result[0] = 0;
    if (call(x, y, result, workspace) || result[0] < 0.244f || result[0] > 0.246f) return 3;
    if (dlclose(library)) return 4;
    usleep(20000);
  }
  printf("%d\\n", threads());
  return 0;
}
"""


def save_object(folder):
    hlo.aot.compile(MATMUL, folder / "model", threads="pool", also=["shared"])


def save_executable(folder):
    hlo.compile(MATMUL, threads=2).save(folder / "libmodel.so", format="so")


@pytest.mark.parametrize("save", [save_object, save_executable])
def test_a_library_is_unloaded_and_loaded_again(tmp_path, save):
    """The pool has threads where there are processors for them."""
    save(tmp_path)
    (tmp_path / "user.c").write_text(USER)
    command = ["cc", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "user.c", "-ldl", "-o", "user"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "user", tmp_path / "libmodel.so"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (done.returncode, done.stdout)


def mapped():
    """How many libraries from memory this process has."""
    with open("/proc/self/maps") as file:
        return sum("memfd:hlo" in line and " r-xp " in line for line in file)


def test_python_unloads_what_it_has_loaded(tmp_path):
    """The process's pool runs the parts of the library there, and nothing keeps it."""
    save_executable(tmp_path)
    x = np.eye(512, dtype=np.float32)
    hlo.load_executable(tmp_path / "libmodel.so")(x, x)
    before = mapped()
    for _ in range(3):
        hlo.load_executable(tmp_path / "libmodel.so")(x, x)
    assert mapped() == before
