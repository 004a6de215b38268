"""rng_bit_generator: known answers of the paper's authors; rng: its numbers are where its limits say."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, Case, file, tensor

# Random123's known answers (tests/kat_vectors): counter, key, result, as 32-bit words.
THREEFRY = {
    "zeros": ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    "ones": ((2**32 - 1,) * 2, (2**32 - 1,) * 2, (0x1CB996FC, 0xBB002BE7)),
    "pi": ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
}
PHILOX = {
    "zeros": ((0,) * 4, (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    "ones": ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    "pi": ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
           (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
}  # fmt: skip


def joined(words: tuple[int, ...]) -> list[int]:
    return [low | high << 32 for low, high in zip(words[::2], words[1::2])]


def generated(name: str, algorithm: str, state: list[int], after: list[int], bits: np.ndarray) -> Case:
    before, new = np.array(state, np.uint64), np.array(after, np.uint64)
    body = f"%r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = {algorithm} : ({tensor(before)}) -> ({tensor(new)}, {tensor(bits)})"
    return Case(name, [before], body, [new, bits])


def known_answers(algorithm: str, vectors: dict) -> list[Case]:
    """One block: as 32-bit and 64-bit results, signed ones, and cut to bytes."""
    out = []
    for name, (counter, key, words) in vectors.items():
        count = joined(counter)
        state, after = [*joined(key), *count], [*joined(key), (count[0] + 1) % 2**64, *count[1:]]
        if count[0] + 1 == 2**64 and len(count) == 2:
            after[2] = (count[1] + 1) % 2**64
        bits = np.array(words, np.uint32)
        others = (bits.view(np.uint64), bits.view(np.int32), bits.astype(np.uint8), bits.astype(np.int16))
        for result in (bits, *(others if name == "pi" else ())):
            out.append(
                generated(f"{algorithm.lower()}_{name}_{result.dtype.name}", algorithm, state, after, result.copy())
            )
    return out


@file
def rng_bit_generator() -> list[Case]:
    example = np.array(
        [[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]], np.uint64
    )
    floats = np.array(PHILOX["pi"][2], np.uint32).view(np.float32)
    pi = joined(PHILOX["pi"][1]) + joined(PHILOX["pi"][0])
    return [
        generated("example", "THREE_FRY", [1, 2], [1, 6], example),
        *known_answers("THREE_FRY", THREEFRY),
        *known_answers("PHILOX", PHILOX),
        generated("default_is_philox", "DEFAULT", pi, [pi[0], pi[1] + 1, pi[2]], floats),
        generated("philox_two", "PHILOX", [0, 0], [0, 1], np.array(PHILOX["zeros"][2], np.uint32)),
        generated("part_of_a_block", "PHILOX", [0, 0, 0], [0, 1, 0], np.array(PHILOX["zeros"][2][:3], np.uint32)),
        *(
            generated(f"nothing_{name.lower()}", name, [5, 6], [5, 6], np.zeros((2, 0), np.uint32))
            for name in ("THREE_FRY", "PHILOX")
        ),
    ]


@file
def rng() -> list[Case]:
    return [_uniform(kind) for kind in ("ui8", "i32", "ui64", "bf16", "f32", "f64")] + [
        _normal(kind) for kind in ("f32", "bf16")
    ] + [_booleans()]  # fmt: skip


def _uniform(kind: str) -> Case:
    """All are at least a and below b (bf16 and f16 may round up to b); they are not all the same."""
    low, high = np.array(2, DTYPES[kind]), np.array(100, DTYPES[kind])
    direction = "LE" if kind in ("bf16", "f16") else "LT"
    t, one = f"tensor<5x8x{kind}>", f"tensor<{kind}>"
    body = f"""
%shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
%x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : ({one}, {one}, tensor<2xi64>) -> {t}
%a = stablehlo.broadcast_in_dim %0, dims = [] : ({one}) -> {t}
%b = stablehlo.broadcast_in_dim %1, dims = [] : ({one}) -> {t}
%above = stablehlo.compare GE, %x, %a : ({t}, {t}) -> tensor<5x8xi1>
%below = stablehlo.compare {direction}, %x, %b : ({t}, {t}) -> tensor<5x8xi1>
%r0 = stablehlo.and %above, %below : tensor<5x8xi1>
%last = stablehlo.slice %x [4:5, 0:8] : ({t}) -> tensor<1x8x{kind}>
%repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8x{kind}>) -> {t}
%differ = stablehlo.compare NE, %x, %repeated : ({t}, {t}) -> tensor<5x8xi1>
%false = stablehlo.constant dense<false> : tensor<i1>
%r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>"""
    return Case(f"uniform_{kind}", [low, high], body, [np.ones((5, 8), bool), np.array(True)])


def _normal(kind: str) -> Case:
    """The mean of 4096 numbers is that of the distribution within 5 of its standard deviations, 0.3; so is the mean
    distance from it, 4 * sqrt(2 / pi) = 3.19."""
    mean, deviation = np.array(7, DTYPES[kind]), np.array(4, DTYPES[kind])
    t, one, wide = f"tensor<4096x{kind}>", f"tensor<{kind}>", "tensor<4096xf64>"
    body = f"""
%shape = stablehlo.constant dense<4096> : tensor<1xi64>
%x = stablehlo.rng %0, %1, %shape, distribution = NORMAL : ({one}, {one}, tensor<1xi64>) -> {t}
%wide = stablehlo.convert %x : ({t}) -> {wide}
%zero = stablehlo.constant dense<0.0> : tensor<f64>
%count = stablehlo.constant dense<4096.0> : tensor<f64>
%sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : ({wide}, tensor<f64>) -> tensor<f64>
%r0 = stablehlo.divide %sum, %count : tensor<f64>
%center = stablehlo.constant dense<7.0> : {wide}
%off = stablehlo.subtract %wide, %center : {wide}
%distance = stablehlo.abs %off : {wide}
%total = stablehlo.reduce(%distance init: %zero) applies stablehlo.add across dimensions = [0] : ({wide}, tensor<f64>) -> tensor<f64>
%r1 = stablehlo.divide %total, %count : tensor<f64>"""
    wants = [np.array(7.0), np.array(4 * np.sqrt(2 / np.pi))]
    return Case(f"normal_{kind}", [mean, deviation], body, wants, 0.3 / 3)


def _booleans() -> Case:
    """Both happen."""
    body = """
%shape = stablehlo.constant dense<64> : tensor<1xi64>
%x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<64xi1>
%r0 = stablehlo.reduce(%x init: %0) applies stablehlo.or across dimensions = [0] : (tensor<64xi1>, tensor<i1>) -> tensor<i1>
%r1 = stablehlo.reduce(%x init: %1) applies stablehlo.and across dimensions = [0] : (tensor<64xi1>, tensor<i1>) -> tensor<i1>"""
    return Case("booleans", [np.array(False), np.array(True)], body, [np.array(True), np.array(False)])
