"""Compiling leaves nothing behind: a service compiles for days."""

import subprocess
import sys

COMPILES = """
import ctypes, gc, hlo

class Facts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Facts

def used():
    gc.collect()
    facts = libc.mallinfo2()
    return facts.uordblks + facts.hblkhd

def program(i):
    return (f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ %c = stablehlo.constant dense<{i}.0> : tensor<4xf32> "
            "%0 = stablehlo.add %x, %c : tensor<4xf32> return %0 : tensor<4xf32> }")

for i in range(110):  # the first context has retired
    hlo.compile(program(i), cache=False)
before = used()
for i in range(200):  # as have two more: one more or less is not a leak
    hlo.compile(program(1000 + i), cache=False)
print((used() - before) / 200)
"""


def test_compiling_leaves_little_behind():
    """Bytes a program. What MLIR's bindings never free (patterns, diagnostics) is below this; a data layout of LLVM, or a context, is not."""
    environment = {"MALLOC_ARENA_MAX": "1", "HLO_CACHE_DIR": ""}
    import os

    done = subprocess.run(
        [sys.executable, "-c", COMPILES], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 2500, done.stdout
