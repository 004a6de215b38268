"""The C header of an object: C99 and C++, one typed function for each public function of the program."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hlo.dialect.numpy_types import dtype_name
from hlo.runtime.aot.entry_text import (
    NO_CONSTANTS,
    NO_MEMORY,
    NULL_POINTER,
    OK,
    UNALIGNED_WORKSPACE,
    WORKSPACE_ALIGNMENT,
    CFunction,
)
from hlo.runtime.aot.model import Model
from hlo.runtime.calls.signature import ArrayType

C_TYPES = {
    "f32": "float",
    "f64": "double",
    "complex<f32>": "float",
    "complex<f64>": "double",
    **{f"i{n}": f"int{n}_t" for n in (8, 16, 32, 64)},
    **{f"ui{n}": f"uint{n}_t" for n in (8, 16, 32, 64)},
    "i1": "uint8_t",
    "f16": "uint16_t",
    "bf16": "uint16_t",
}
"""By element type; what is not here is a byte: small floats and integers of 2 and 4 bits."""

REMARKS = {
    "i1": "0 or 1",
    "f16": "bits of an IEEE half",
    "bf16": "upper half of a float's bits",
    "complex<f32>": "pairs: real, imaginary",
    "complex<f64>": "pairs: real, imaginary",
}


def c_type(t: ArrayType) -> str:
    name = dtype_name(t.dtype)
    if name in C_TYPES:
        return C_TYPES[name]
    return "int8_t" if name.startswith("i") else "uint8_t"


def c_shape(t: ArrayType) -> tuple[int, ...]:
    """The dimensions of the C array: a complex number is two."""
    return (*t.shape, 2) if t.dtype.kind == "c" else t.shape


def declaration(t: ArrayType, name: str, is_input: bool) -> str:
    """A parameter; arrays without elements, which C does not have, are pointers."""
    const, shape = "const " if is_input else "", c_shape(t)
    if not prod(shape):
        return f"{const}{c_type(t)} *{name}"
    return f"{const}{c_type(t)} {name}{''.join(f'[{d}]' for d in shape) or '[1]'}"


def header(model: Model) -> str:
    """The text of NAME.h."""
    upper = model.name.upper()
    parts = [
        f"/* {model.name}: made by hlo {model.version} for {model.platform.name}, {', '.join(model.cpus)}. */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "",
        "#include <stdint.h>",
        "",
        f'#define {upper}_HLO_VERSION "{model.version}"',
        "",
        "/* What the functions return. */",
        f"#define {upper}_OK {OK}",
        f"#define {upper}_ERROR_NULL {NULL_POINTER} /* a pointer is null */",
        f"#define {upper}_ERROR_WORKSPACE {UNALIGNED_WORKSPACE} /* the workspace is not aligned */",
        *(
            [f"#define {upper}_ERROR_CONSTANTS {NO_CONSTANTS} /* the constants are not there */"]
            if model.constants_file
            else []
        ),
        *(
            [f"#define {upper}_ERROR_MEMORY {NO_MEMORY} /* no memory for a workspace of LAPACK; results are zeros */"]
            if model.lapack_symbols
            else []
        ),
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        _notes(model),
        *(text for f in model.functions for text in _function(f, model)),
        *_extras(model),
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "#endif",
    ]
    return "\n".join(parts) + "\n"


def _notes(model: Model) -> str:
    if model.is_static:
        use_by_threads = "Each function has its workspace in static storage: a function is for one thread at a time."
    else:
        use_by_threads = (
            "Several threads may call a function at once, each with a workspace of its own. What is in a workspace before and after\n"
            "   a call is of no account. It is aligned to 64 bytes; it may be NULL where it has 0 bytes."
        )
    return (
        "/* Arrays are contiguous, the last dimension fastest, aligned as their elements are. Results must not overlap with each other,\n"
        f"   with arguments or with the workspace.\n   {use_by_threads} */\n"
    )


def _function(f: CFunction, model: Model) -> list[str]:
    upper = f.name.upper()
    lines = [f"/* @{f.function}"]
    lines += [_described(name, t) for name, t in zip(f.arguments, f.signature.arguments)]
    lines += [_described(f"result{n}", t) for n, t in enumerate(f.signature.results)]
    lines[-1] += " */"
    lines += [f"#define {upper}_WORKSPACE_BYTES {0 if model.is_static else f.arena}"]
    lines += [f"#define {upper}_WORKSPACE_ALIGNMENT {WORKSPACE_ALIGNMENT}"]
    for kind, types in (("ARGUMENT", f.signature.arguments), ("RESULT", f.signature.results)):
        lines.append(f"#define {upper}_{kind}S {len(types)}")
        for number, t in enumerate(types):
            macro = f"{upper}_{kind}_{number}"
            lines += [
                f"#define {macro}_RANK {len(t.shape)}",
                f"#define {macro}_ELEMENTS {prod(t.shape)}",
                f"#define {macro}_BYTES {t.nbytes}",
            ]
    return [*lines, f"{prototype(f, model.is_static)};", ""]


def _described(name: str, t: ArrayType) -> str:
    kind = dtype_name(t.dtype)
    remark = (
        f" ({REMARKS[kind]})"
        if kind in REMARKS
        else f" (one byte each: the bits of {kind})"
        if kind not in C_TYPES
        else ""
    )
    return f"   {name}: {t}{remark}"


def prototype(f: CFunction, is_static: bool) -> str:
    return f"int {f.name}({', '.join(parameters(f, is_static)) or 'void'})"


def parameters(f: CFunction, is_static: bool) -> Sequence[str]:
    return [
        *(declaration(t, name, True) for name, t in zip(f.arguments, f.signature.arguments)),
        *(declaration(t, f"result{n}", False) for n, t in enumerate(f.signature.results)),
        *([] if is_static else ["void *workspace"]),
    ]


def _extras(model: Model) -> list[str]:
    lines: list[str] = []
    if model.constants_file:
        lines += [
            f"/* Maps the file {model.name}.bin, once, before the functions above are called; it must stay as it is. From any thread. Gives",
            f"   {model.name.upper()}_ERROR_CONSTANTS if it cannot be read or belongs to another object. */",
            f"int {model.loader_name}(const char *path);",
            "",
        ]
    if model.threads == "pool":
        lines += [
            "/* How many threads calls run on at most: 0 (as many as there are processors) or a number to 1024, or 1 is returned. */",
            f"int {model.setter_name}(int threads);",
            "",
        ]
    for name in model.c_calls:
        lines += [
            "/* Yours, called by the program: `in` holds the addresses of the operands; `out` is the address of the result or, unless there",
            "   is one result, that of an array of the results' addresses. */",
            f"void {name}(void *out, const void **in);",
            "",
        ]
    return lines
