"""What an object asks its machine when it is loaded: which version of its code the processor runs, and for the tile
registers of AMX, which the system gives to processes that have asked."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.host import ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA
from hlo.runtime.aot.entry_text import LEVEL
from hlo.runtime.aot.platforms import LINUX, constructor_text

CPUID = """
define internal { i32, i32, i32, i32 } @hlo_cpuid(i32 %leaf, i32 %part) {
  %all = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 %leaf, i32 %part)
  ret { i32, i32, i32, i32 } %all
}

; The registers that the system saves: 6 those of AVX, 230 those of AVX-512, 393446 tiles, too.
define internal i32 @hlo_saved() {
  %one = call { i32, i32, i32, i32 } @hlo_cpuid(i32 1, i32 0)
  %c = extractvalue { i32, i32, i32, i32 } %one, 2
  %bit = and i32 %c, 134217728                     ; OSXSAVE
  %has = icmp ne i32 %bit, 0
  br i1 %has, label %ask, label %none

ask:
  %pair = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %saved = extractvalue { i32, i32 } %pair, 0
  ret i32 %saved

none:
  ret i32 0
}

; Whether all of these bits are there: of leaf 1's ecx, leaf 7's ebx and edx, the extended leaf's ecx, and of what the system saves.
define internal i1 @hlo_has(i32 %first, i32 %seventh, i32 %tiles, i32 %extended, i32 %registers) {
  %zero = call { i32, i32, i32, i32 } @hlo_cpuid(i32 0, i32 0)
  %most = extractvalue { i32, i32, i32, i32 } %zero, 0
  %enough = icmp uge i32 %most, 7
  br i1 %enough, label %look, label %no

look:
  %one = call { i32, i32, i32, i32 } @hlo_cpuid(i32 1, i32 0)
  %seven = call { i32, i32, i32, i32 } @hlo_cpuid(i32 7, i32 0)
  %beyond = call { i32, i32, i32, i32 } @hlo_cpuid(i32 -2147483647, i32 0)
  %c1 = extractvalue { i32, i32, i32, i32 } %one, 2
  %b7 = extractvalue { i32, i32, i32, i32 } %seven, 1
  %d7 = extractvalue { i32, i32, i32, i32 } %seven, 3
  %ce = extractvalue { i32, i32, i32, i32 } %beyond, 2
  %saved = call i32 @hlo_saved()
  %m1 = and i32 %c1, %first
  %m7 = and i32 %b7, %seventh
  %mt = and i32 %d7, %tiles
  %me = and i32 %ce, %extended
  %ms = and i32 %saved, %registers
  %h1 = icmp eq i32 %m1, %first
  %h7 = icmp eq i32 %m7, %seventh
  %ht = icmp eq i32 %mt, %tiles
  %he = icmp eq i32 %me, %extended
  %hs = icmp eq i32 %ms, %registers
  %a = and i1 %h1, %h7
  %b = and i1 %he, %hs
  %c = and i1 %a, %ht
  %all = and i1 %b, %c
  %some = icmp ne i32 %tiles, 0
  %wanted = and i1 %all, %some
  br i1 %wanted, label %ask, label %answer

ask:
  %given = call i1 @hlo_ask_for_tiles()
  ret i1 %given

answer:
  ret i1 %all

no:
  ret i1 false
}
"""

AVX2_FIRST = 1 << 12 | 1 << 20 | 1 << 22 | 1 << 23 | 1 << 28 | 1 << 29
"""FMA, SSE4.2, MOVBE, POPCNT, AVX, F16C: what LLVM's haswell has in addition to AVX2."""

AVX2_SEVENTH = 1 << 3 | 1 << 5 | 1 << 8
"""BMI, AVX2, BMI2."""

AVX512_SEVENTH = AVX2_SEVENTH | 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19 | 1 << 28 | 1 << 30 | 1 << 31
"""AVX-512 F, DQ, CD, BW, VL; RDSEED, ADX."""

LZCNT = 1 << 5

AMX_TILES = 1 << 22 | 1 << 24 | 1 << 25
"""AMX-BF16, AMX-TILE, AMX-INT8: processors with them have all that LLVM's icelake-server has."""

BITS = {
    "avx2": (AVX2_FIRST, AVX2_SEVENTH, 0, LZCNT, 6),
    "avx512": (AVX2_FIRST, AVX512_SEVENTH, 0, LZCNT, 230),
    "amx": (AVX2_FIRST, AVX512_SEVENTH, AMX_TILES, LZCNT, 230 | 3 << 17),
}
"""By target: what `hlo_has` is asked for."""

TILES = f"""
; Whether the system gives this process tile registers.
define internal i1 @hlo_ask_for_tiles() {{
  %answer = call i64 asm sideeffect "syscall", "={{ax}},{{ax}},{{di}},{{si}},~{{rcx}},~{{r11}},~{{memory}},~{{dirflag}},~{{fpsr}},~{{flags}}"(i64 {ARCH_PRCTL}, i64 {REQUEST_PERMISSION}, i64 {TILE_DATA})
  %given = icmp eq i64 %answer, 0
  ret i1 %given
}}
"""


def tiles_text() -> str:
    """LLVM IR that asks Linux for tile registers before `main` runs."""
    body = "define internal void @hlo_ask() {\n  %given = call i1 @hlo_ask_for_tiles()\n  ret void\n}"
    return "\n".join([TILES, constructor_text("hlo_ask", LINUX), body])


def level_text(names: Sequence[str], system: str) -> str:
    """LLVM IR that sets the word `LEVEL` before `main` runs: the number of the last of these targets that the processor has."""
    steps = []
    for number, name in enumerate(names[1:], 1):
        bits = ", ".join(f"i32 {b - (1 << 32) if b >> 31 else b}" for b in BITS[name])
        steps += [
            f"  %h{number} = call i1 @hlo_has({bits})",
            f"  %l{number} = select i1 %h{number}, i32 {number}, i32 {f'%l{number - 1}' if number > 1 else '0'}",
        ]
    last = len(names) - 1
    return "\n".join(
        [
            CPUID,
            TILES,
            f"@{LEVEL} = global i32 0",
            constructor_text("hlo_find_level", system),
            "define internal void @hlo_find_level() {",
            *steps,
            f"  store i32 %l{last}, ptr @{LEVEL}",
            "  ret void",
            "}",
        ]
    )
