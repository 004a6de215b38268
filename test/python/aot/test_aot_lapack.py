"""LAPACK in object files: its symbols, which a C program is linked with, and what is computed without it, beside what SciPy's LAPACK
gives in this process."""

import os
import subprocess

import numpy as np
import pytest
from c_programs import HERE, Linked

import hlo

pytestmark = pytest.mark.skipif(HERE.lacks is not None, reason="no C compiler")

FLAGS = ("openblas", "lapack")


def _links(flag):
    command = ["cc", "-x", "c", "-", f"-l{flag}", "-o", os.devnull]
    text = "extern void dgetrf_(void); int main(void) { dgetrf_(); return 0; }"
    return subprocess.run(command, input=text, text=True, capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def library():
    """The linker's option for the system's LAPACK."""
    found = next((flag for flag in FLAGS if _links(flag)), None)
    if found is None:
        pytest.skip("the system has no LAPACK to link with")
    return f"-l{found}"


CALL = """func.func @main({parameters}) -> ({results}) {{
  %0:{count} = stablehlo.custom_call @lapack_{name}_ffi({names}) {{mhlo.backend_config = {{{config}}}, api_version = 4 : i32}} : ({operands}) -> ({results})
  return {returned} : {results} }}"""


def program(name, config, operands, results):
    """A program with one call. `config`: letters and booleans by name; `operands`, `results`: types as they are in MLIR, `2x3xf64`."""
    words = [f"{key} = {'true' if v is True else f'{ord(v)} : ui8'}" for key, v in config.items()]
    types, given = ([f"tensor<{t}>" for t in group] for group in (results, operands))
    return CALL.format(
        name=name,
        config=", ".join(words),
        count=len(results),
        names=", ".join(f"%x{n}" for n in range(len(given))),
        parameters=", ".join(f"%x{n}: {t}" for n, t in enumerate(given)),
        operands=", ".join(given),
        results=", ".join(types),
        returned=", ".join(f"%0#{n}" for n in range(len(types))),
    )


def numbers(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def definite(shape, dtype):
    a = numbers(shape, dtype)
    return a @ a.conj().swapaxes(-1, -2) + (3 * np.eye(shape[-1])).astype(dtype)


def failing(dtype, order=4):
    """Of three matrices the second is not positive definite from its third row on, the third has a zero in its first."""
    a = np.stack([definite((order, order), dtype)] * 3)
    a[1, 2, 2], a[2, 0, 0] = -1, 0
    return a


def singular():
    a = numbers((2, 40, 40), "f8")
    a[1, :, 1] = 2 * a[1, :, 0]
    a[1, :, 2] = 0
    return a


S = "complex<f32>", "complex<f64>"

# Orders above 32: LAPACK is not called for smaller getrf, potrf, trsm and geqrf.
CALLS = {
    "potrf": ("dpotrf", {"uplo": "L"}, ["2x40x40xf64"], ["2x40x40xf64", "2xi32"], [definite((2, 40, 40), "f8")]),
    "potrf that fails": ("spotrf", {"uplo": "U"}, ["3x40x40xf32"], ["3x40x40xf32", "3xi32"], [failing("f4", 40)]),
    "getrf": (
        "zgetrf",
        {},
        [f"2x40x50x{S[1]}"],
        [f"2x40x50x{S[1]}", "2x40xi32", "2xi32"],
        [numbers((2, 40, 50), "c16")],
    ),
    "getrf of a singular matrix": ("dgetrf", {}, ["2x40x40xf64"], ["2x40x40xf64", "2x40xi32", "2xi32"], [singular()]),
    "geqrf": ("cgeqrf", {}, [f"40x3x{S[0]}"], [f"40x3x{S[0]}", f"3x{S[0]}"], [numbers((40, 3), "c8")]),
    "ormqr": (
        "dormqr",
        {"left": True, "transpose": True},
        ["5x3xf64", "3xf64", "5x2xf64"],
        ["5x2xf64"],
        [numbers((5, 3), "f8"), numbers((3,), "f8", 1), numbers((5, 2), "f8", 2)],
    ),
    "syevd": (
        "dsyevd",
        {"mode": "V", "uplo": "L"},
        ["2x6x6xf64"],
        ["2x6x6xf64", "2x6xf64", "2xi32"],
        [definite((2, 6, 6), "f8")],
    ),
    "heevd": (
        "zheevd",
        {"mode": "V", "uplo": "U"},
        [f"5x5x{S[1]}"],
        [f"5x5x{S[1]}", "5xf64", "i32"],
        [definite((5, 5), "c16")],
    ),
    "gesdd": (
        "cgesdd",
        {"mode": "S"},
        [f"6x4x{S[0]}"],
        [f"6x4x{S[0]}", "4xf32", f"6x4x{S[0]}", f"4x4x{S[0]}", "i32"],
        [numbers((6, 4), "c8")],
    ),
    "gesvd": (
        "zgesvd",
        {"mode": "A"},
        [f"4x3x{S[1]}"],
        [f"4x3x{S[1]}", "3xf64", f"4x4x{S[1]}", f"3x3x{S[1]}", "i32"],
        [numbers((4, 3), "c16")],
    ),
    "geev": (
        "dgeev",
        {"compute_left": "N", "compute_right": "V"},
        ["2x4x4xf64"],
        ["2x4xf64", "2x4xf64", f"2x4x4x{S[1]}", f"2x4x4x{S[1]}", "2xi32"],
        [numbers((2, 4, 4), "f8")],
    ),
    "gees": (
        "dgees",
        {"mode": "V", "sort": "N"},
        ["4x4xf64"],
        ["4x4xf64", "4x4xf64", "4xf64", "4xf64", "i32", "i32"],
        [numbers((4, 4), "f8")],
    ),
    "gtsv": (
        "dgtsv",
        {},
        ["5xf64", "5xf64", "5xf64", "5x2xf64"],
        ["5xf64", "5xf64", "5xf64", "5x2xf64", "i32"],
        [numbers((5,), "f8", 1), numbers((5,), "f8", 2) + 4, numbers((5,), "f8", 3), numbers((5, 2), "f8", 4)],
    ),
    "nothing to compute": (
        "dgetrf",
        {},
        ["2x0x4xf64"],
        ["2x0x4xf64", "2x0xi32", "2xi32"],
        [np.zeros((2, 0, 4))],
    ),
}
"""By what is looked at: the routine, its options, the types of operands and results, the operands."""

SINGLE = {"f4": 2e-4, "c8": 2e-4}


def check(found, expected, dtype):
    """Up to the order in which two builds of LAPACK add; the numbers that LAPACK tells are the same."""
    tolerance = SINGLE.get(np.dtype(dtype).str[1:], 1e-9)
    for one, other in zip(found, expected, strict=True):
        if one.dtype.kind == "i":
            np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CALLS)
def test_lapacks_symbols(name, library, tmp_path):
    *call, arrays = CALLS[name]
    text = program(*call)
    written = hlo.aot.compile(text, tmp_path / "model", lapack="openblas", also=["main"])
    wanted = () if name == "nothing to compute" else (f"{call[0]}_",)
    assert written.symbols.needed.get("LAPACK", ()) == wanted
    linked = Linked(tmp_path, written, objects=[str(tmp_path / "model.o"), library])
    check(linked.run(written.model.functions[0], *arrays), hlo.compile(text)(*arrays), arrays[0].dtype)


def large_failing():
    a = definite((40, 40), "f8")
    a[29, 29] = -1
    return a


def triangle(side, uplo, turned, diagonal, dtype="f8", columns=3):
    kind = {"f8": "f64", "c16": S[1]}[dtype]
    order = 4 if side == "L" else columns
    config = {"side": side, "uplo": uplo, "trans_x": turned, "diag": diagonal}
    a = numbers((2, order, order), dtype) + (5 * np.eye(order)).astype(dtype)
    types = [f"2x{order}x{order}x{kind}", f"2x4x{columns}x{kind}"]
    letter = "d" if dtype == "f8" else "z"
    return f"{letter}trsm", config, types, types[1:], [a, numbers((2, 4, columns), dtype, 1)]


OWN = {
    "lower": ("dpotrf", {"uplo": "L"}, ["2x5x5xf64"], ["2x5x5xf64", "2xi32"], [definite((2, 5, 5), "f8")]),
    "failing": ("spotrf", {"uplo": "U"}, ["3x4x4xf32"], ["3x4x4xf32", "3xi32"], [failing("f4")]),
    "failing ones of order 40": CALLS["potrf that fails"],
    "singular": CALLS["getrf of a singular matrix"],
    "large": ("dpotrf", {"uplo": "U"}, ["40x40xf64"], ["40x40xf64", "i32"], [definite((40, 40), "f8")]),
    "large that fails": ("dpotrf", {"uplo": "L"}, ["40x40xf64"], ["40x40xf64", "i32"], [large_failing()]),
    "large lu": ("cgetrf", {}, [f"40x50x{S[0]}"], [f"40x50x{S[0]}", "40xi32", "i32"], [numbers((40, 50), "c8")]),
    "large qr": ("dgeqrf", {}, ["2x40x35xf64"], ["2x40x35xf64", "2x35xf64"], [numbers((2, 40, 35), "f8")]),
    "large trsm": triangle("R", "U", "T", "N", "f8", 40),
    "complex": ("zpotrf", {"uplo": "L"}, [f"3x4x4x{S[1]}"], [f"3x4x4x{S[1]}", "3xi32"], [failing("c16")]),
    **{
        "trsm " + "".join(letters): triangle(*letters)
        for letters in (("L", "L", "N", "N"), ("L", "U", "T", "U"), ("R", "U", "N", "U"), ("R", "L", "T", "N"))
    },
    "trsm complex": triangle("R", "L", "C", "N", "c16"),
}


@pytest.mark.parametrize("name", OWN)
def test_without_lapack(name, tmp_path):
    """Of what LAPACK leaves of a matrix where it fails, only the number that says so is compared."""
    *call, arrays = OWN[name]
    text = program(*call)
    written = hlo.aot.compile(text, tmp_path / "model", also=["main"])
    assert set(written.symbols.needed) <= {"libc", "libm"}
    found = Linked(tmp_path, written).run(written.model.functions[0], *arrays)
    expected = hlo.compile(text)(*arrays)
    if expected[-1].dtype.kind == "i":
        right = expected[-1] == 0
        np.testing.assert_array_equal(found[-1], expected[-1])
        found, expected = [one[right] for one in found[:-1]], [one[right] for one in expected[:-1]]
    check(found, expected, arrays[0].dtype)


def test_files_for_other_builds_name_lapack(tmp_path):
    *call, _ = CALLS["getrf"]
    hlo.aot.compile(program(*call), tmp_path / "model", lapack="openblas", also=["pkg-config", "cmake", "shared"])
    assert "model.o -lopenblas -lm" in (tmp_path / "model.pc").read_text()
    assert "model.o;-lopenblas;-lm" in (tmp_path / "model-config.cmake").read_text()
    assert b"libopenblas.so.0\0" in (tmp_path / "libmodel.so").read_bytes()


def test_no_memory_for_a_workspace_is_an_error_of_the_function(library, tmp_path):
    """The linker has the object call another aligned_alloc, which has nothing to give."""
    *call, _ = CALLS["getrf"]
    hlo.aot.compile(program(*call), tmp_path / "model", lapack="openblas", also=["main"])
    assert "#define MODEL_ERROR_MEMORY 4" in (tmp_path / "model.h").read_text()
    (tmp_path / "none.c").write_text(
        "#include <stddef.h>\nvoid *__wrap_aligned_alloc(size_t a, size_t n) { return a + n ? NULL : NULL; }\n"
    )
    command = ["cc", "none.c", "model_main.c", "model.o", "-Wl,--wrap=aligned_alloc", library, "-lm", "-o", "model"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "model"], capture_output=True, text=True)
    assert done.returncode == 1 and "model_main: error 4" in done.stderr
