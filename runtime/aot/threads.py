"""Who runs the parts of kernels in an object file: the caller alone, or our own thread pool, which is linked in."""

from __future__ import annotations

import hashlib
from string import Template

from hlo.errors import ArgumentError
from hlo.runtime.aot.platforms import LINUX, MACOS, Platform, constructor_text
from hlo.runtime.threads.pool_text import MOST
from hlo.runtime.threads.systems import pool_text

KINDS = ("none", "pool")

PARTS = {"none": 1, "pool": 8}
"""For how many threads kernels are split."""

ALONE = """
define void @hlo_share(ptr %work) {
entry:
  %part = load ptr, ptr %work
  %count_at = getelementptr i64, ptr %work, i64 1
  %count = load i64, ptr %count_at
  br label %test

test:
  %i = phi i64 [ 0, %entry ], [ %next, %run ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %run, label %done

run:
  call void %part(i64 %i, ptr %work)
  %next = add i64 %i, 1
  br label %test

done:
  ret void
}
"""

POOL = """
@hlo_threads = internal global i64 0               ; 0: as many as there are processors

declare i64 @sysconf(i32)
declare void @hlo_run_parts(ptr, i64)
@hlo_cores = external global i64

define void @hlo_share(ptr %work) {
  %chosen = load atomic i64, ptr @hlo_threads monotonic, align 8
  %none = icmp eq i64 %chosen, 0
  br i1 %none, label %ask, label %run

ask:
  %online = call i64 @sysconf(i32 $online)
  %least = call i64 @llvm.smax.i64(i64 %online, i64 1)
  %most = call i64 @llvm.smin.i64(i64 %least, i64 $most)
  store atomic i64 %most, ptr @hlo_cores monotonic, align 8
  store atomic i64 %most, ptr @hlo_threads monotonic, align 8
  br label %run

run:
  %threads = phi i64 [ %chosen, %0 ], [ %most, %ask ]
  call void @hlo_run_parts(ptr %work, i64 %threads)
  ret void
}

define i32 @$setter(i32 %threads) {
  %number = sext i32 %threads to i64
  %low = icmp slt i64 %number, 0
  %high = icmp sgt i64 %number, $most
  %wrong = or i1 %low, %high
  br i1 %wrong, label %refuse, label %set

refuse:
  ret i32 1

set:
  store atomic i64 %number, ptr @hlo_threads monotonic, align 8
  ret i32 0
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""

ONLINE = {LINUX: 84, MACOS: 58}
"""_SC_NPROCESSORS_ONLN, by system."""


def check_threads(kind: object, where: Platform) -> str:
    """Raises ArgumentError for what is not one of KINDS, and for a pool where there is none."""
    if kind not in KINDS:
        raise ArgumentError(f"threads takes one of {', '.join(KINDS)}, found {kind!r}")
    if kind == "pool" and where.pointer_bits != 64:
        raise ArgumentError(f"the thread pool is for processors of 64 bits; {where.name} has threads='none' only")
    return str(kind)


def run_parts_texts(kind: str, where: Platform, setter: str) -> list[str]:
    """LLVM IR of `hlo_share` and what it calls. Programs that are linked together have one pool: its state is a symbol with the
    digest of the pool's text, which the linker keeps once. `setter`: the name of the C function that chooses the number of threads."""
    if kind == "none":
        return [ALONE]
    text = pool_text(where.triple)
    pool = f"hlo_pool_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    shared = text.replace("@pool = internal global", f"@{pool} = weak hidden global").replace(
        "ptr @pool", f"ptr @{pool}"
    )
    filled = Template(POOL).substitute(online=ONLINE[where.system], most=MOST, setter=setter)
    return [shared, filled]


CONNECT = """
@hlo_threads = external global [2 x i64]
declare i64 @sysconf(i32)
declare void @hlo_run_parts(ptr, i64)
@hlo_cores = external global i64

define internal void @hlo_connect() {
  %online = call i64 @sysconf(i32 $online)
  %least = call i64 @llvm.smax.i64(i64 %online, i64 1)
  %most = call i64 @llvm.smin.i64(i64 %least, i64 $most)
  store i64 %most, ptr @hlo_cores
  store ptr @hlo_run_parts, ptr @hlo_threads
  store i64 %most, ptr getelementptr (i64, ptr @hlo_threads, i64 1)
  ret void
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""


def connecting_texts(triple: str) -> list[str]:
    """LLVM IR that gives the code of an executable (runtime/code/parallel_parts.py) a pool of its own when it is loaded (Linux)."""
    filled = Template(CONNECT).substitute(online=ONLINE[LINUX], most=MOST)
    return [pool_text(triple), filled + constructor_text("hlo_connect", LINUX)]


def pool_name(kind: str, where: Platform) -> list[str]:
    """What must stay a symbol of the object."""
    if kind == "none":
        return []
    return [f"hlo_pool_{hashlib.sha256(pool_text(where.triple).encode()).hexdigest()[:16]}"]
