"""Ops that move elements."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, Case, file, ramp, simple, suffix, tensor


@file
def broadcast_in_dim() -> list[Case]:
    x = ramp(2, 1)
    return [
        simple("degenerate", "broadcast_in_dim", [x], np.broadcast_to(x, (2, 3)).copy(), ", dims = [0, 1]"),
        simple(
            "new_dims",
            "broadcast_in_dim",
            [ramp(3)],
            np.broadcast_to(ramp(3)[None, :, None], (2, 3, 4)).copy(),
            ", dims = [1]",
        ),
        simple("scalar", "broadcast_in_dim", [np.array(5, np.int32)], np.full((2, 2), 5, np.int32), ", dims = []"),
        simple("transposing", "broadcast_in_dim", [ramp(2, 3)], ramp(2, 3).T.copy(), ", dims = [1, 0]"),
        simple("empty", "broadcast_in_dim", [ramp(1)], np.zeros((0, 3), np.float32), ", dims = [1]"),
    ]


@file
def reshape() -> list[Case]:
    x = ramp(2, 6)
    return [
        simple("split", "reshape", [x], x.reshape(3, 2, 2)),
        simple("to_scalar", "reshape", [ramp(1, 1)], ramp(1).reshape(())),
        simple("from_scalar", "reshape", [np.array(3, np.int8)], np.array([[3]], np.int8)),
        simple("booleans", "reshape", [x > 4], (x > 4).reshape(12)),
        simple("empty", "reshape", [ramp(0, 3)], ramp(3, 2, 0)),
    ]


@file
def transpose() -> list[Case]:
    x, y = ramp(2, 3, 4), ramp(33, 18)
    return [
        simple("three", "transpose", [x], np.transpose(x, (2, 0, 1)).copy(), ", dims = [2, 0, 1]"),
        simple("matrix", "transpose", [y], y.T.copy(), ", dims = [1, 0]"),
        simple("bytes", "transpose", [y.astype(np.uint8)], y.astype(np.uint8).T.copy(), ", dims = [1, 0]"),
        simple("complex", "transpose", [y.astype(np.complex64)], y.astype(np.complex64).T.copy(), ", dims = [1, 0]"),
    ]


@file
def slice_() -> list[Case]:
    x = ramp(5, 9)
    return [
        simple("strided", "slice", [x], x[1:4, 0:9:3].copy(), " [1:4, 0:9:3]"),
        simple("empty", "slice", [x], x[2:2].copy(), " [2:2, 0:9]"),
        simple("whole", "slice", [x], x, " [0:5, 0:9]"),
    ]


@file
def reverse() -> list[Case]:
    x = ramp(3, 20)
    return [
        Case("last", [x], f"%r = stablehlo.reverse %0, dims = [1] : {tensor(x)}", [x[:, ::-1].copy()]),
        Case("both", [x], f"%r = stablehlo.reverse %0, dims = [0, 1] : {tensor(x)}", [x[::-1, ::-1].copy()]),
        Case("none", [x], f"%r = stablehlo.reverse %0, dims = [] : {tensor(x)}", [x]),
    ]


@file
def concatenate() -> list[Case]:
    x, y, z = ramp(2, 3), ramp(2, 5), ramp(2, 0)
    return [
        simple("inner", "concatenate", [x, y, z], np.concatenate([x, y, z], 1), ", dim = 1"),
        simple("outer", "concatenate", [x, x], np.concatenate([x, x], 0), ", dim = 0"),
        simple("booleans", "concatenate", [x > 1, y > 2], np.concatenate([x > 1, y > 2], 1), ", dim = 1"),
    ]


@file
def pad() -> list[Case]:
    x, v = ramp(2, 3), np.array(-1, np.float32)
    out = np.full((5, 8), -1, np.float32)
    out[1:4:2, 2:7:2] = x
    negative = np.full((2, 2), -1, np.float32)
    negative[:, :2] = x[:, 1:]
    return [
        simple("all_kinds", "pad", [x, v], out, ", low = [1, 2], high = [1, 1], interior = [1, 1]"),
        simple("negative", "pad", [x, v], negative, ", low = [0, -1], high = [0, 0], interior = [0, 0]"),
        simple(
            "empty",
            "pad",
            [ramp(0), np.array(7, np.float32)],
            np.full(2, 7, np.float32),
            ", low = [1], high = [1], interior = [0]",
        ),
    ]


@file
def iota() -> list[Case]:
    out = []
    for kind in ("i8", "ui32", "i64", "bf16", "f32", "complex<f32>"):
        want = np.broadcast_to(np.arange(3).astype(DTYPES[kind])[None, :, None], (2, 3, 2)).copy()
        out.append(Case(suffix(kind), [], f"%r = stablehlo.iota dim = 1 : {tensor(want)}", [want]))
    return out


@file
def dynamic_slice() -> list[Case]:
    x = ramp(4, 5)
    out = []
    for name, (i, j) in {"inside": (1, 2), "clamped_high": (3, 4), "clamped_low": (-5, -1)}.items():
        a, b = min(max(i, 0), 2), min(max(j, 0), 2)
        starts = [np.array(i, np.int32), np.array(j, np.int32)]
        out.append(simple(name, "dynamic_slice", [x, *starts], x[a : a + 2, b : b + 3].copy(), ", sizes = [2, 3]"))
    return out


@file
def dynamic_update_slice() -> list[Case]:
    x, u = ramp(4, 5), -1 - ramp(2, 3)
    out = []
    for name, (i, j) in {"inside": (1, 2), "clamped_high": (3, 4), "clamped_low": (-5, -1)}.items():
        a, b = min(max(i, 0), 2), min(max(j, 0), 2)
        want = x.copy()
        want[a : a + 2, b : b + 3] = u
        out.append(simple(name, "dynamic_update_slice", [x, u, np.array(i, np.int64), np.array(j, np.int64)], want))
    return out


@file
def broadcast() -> list[Case]:
    """New dimensions before those of the operand."""
    out = []
    for name, x, sizes in (("scalar", np.array(5, np.int32), (2, 3)), ("vector", ramp(3), (2,)), ("none", ramp(2), ()),
                           ("empty", ramp(2), (0, 2)), ("booleans", ramp(2, 2) > 1, (2, 1))):  # fmt: skip
        want = np.broadcast_to(x, (*sizes, *x.shape)).copy()
        out.append(simple(name, "broadcast", [x], want, f", sizes = {list(sizes)}"))
    return out
