"""The code of the thread pool: for which systems there is some, and what it needs of them."""

import subprocess
from pathlib import Path

import pytest

import hlo
from hlo.runtime.threads.systems import pool_text, process_text


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-darwin23"])
def test_the_pool_is_code_for_every_system(triple, tmp_path) -> None:
    import llvm

    text, code = tmp_path / "pool.ll", tmp_path / "pool.o"
    text.write_text(pool_text(triple))
    llc = next(Path(p) / "bin" / "llc" for p in llvm.__path__)
    subprocess.run([llc, f"-mtriple={triple}", "-filetype=obj", "-o", code, text], check=True)
    assert b"hlo_run_parts" in code.read_bytes()
    text.write_text(process_text(triple))
    subprocess.run([llc, f"-mtriple={triple}", "-filetype=obj", "-o", code, text], check=True)
    assert all(name in code.read_bytes() for name in (b"hlo_wake", b"hlo_run_together"))


def test_a_processor_without_a_pool() -> None:
    with pytest.raises(hlo.CompileError, match="no thread pool for 'riscv64-unknown-linux-gnu'"):
        pool_text("riscv64-unknown-linux-gnu")


def test_the_pool_takes_nothing_but_the_c_library() -> None:
    """No name that an OpenMP runtime, or anybody else in the process, could define."""
    declared = {
        line.split("@")[1].split("(")[0]
        for line in pool_text("x86_64-linux").splitlines()
        if line.startswith("declare")
    }
    allowed = {
        "posix_memalign",
        "memset",
        "free",
        "getpid",
        "clock_gettime",
        "sched_getaffinity",
        "sched_getcpu",
        "sched_setaffinity",
        "sigfillset",
        "sigdelset",
        "syscall",
    }
    assert {n for n in declared if not n.startswith(("llvm.", "pthread_"))} == allowed


@pytest.mark.parametrize("triple", ["x86_64-linux", "aarch64-linux"])
def test_the_pool_has_one_variable_of_its_own(triple):
    """LLVM writes several zeros in an order that is not always the same, and with it the same program in different libraries."""
    assert [line for line in pool_text(triple).splitlines() if "internal global" in line] == [
        "@pool = internal global %Pool zeroinitializer"
    ]
