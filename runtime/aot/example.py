"""An example of a C program that calls the functions of an object: it fills inputs and prints results.

model_main                            inputs are small numbers, results are printed
model_main -f NAME_FUNCTION -o results.bin x.bin y.bin ...
                                      inputs are the bytes of files, results are written one after another"""

from __future__ import annotations

from math import prod

from hlo.dialect.numpy_types import dtype_name
from hlo.runtime.aot.entry_text import CFunction
from hlo.runtime.aot.header import c_shape, c_type
from hlo.runtime.aot.model import Model
from hlo.runtime.calls.signature import ArrayType

HEAD = """/* An example of a program that calls the functions of {name}.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{name}.h"

"""

READ = """static int read_input(const char *path, void *to, size_t bytes) {
  FILE *file = fopen(path, "rb");
  size_t found = file ? fread(to, 1, bytes, file) : 0;
  if (file) fclose(file);
  if (found != bytes) fprintf(stderr, "%s: %lu bytes expected, found %lu\\n", path, (unsigned long)bytes, (unsigned long)found);
  return found == bytes;
}

"""

WRITE = """static int write_result(FILE *file, const void *from, size_t bytes) {
  return fwrite(from, 1, bytes, file) == bytes;
}

"""

PRINTED = {
    "float": ('"%.9g "', ""),
    "double": ('"%.17g "', ""),
    "int64_t": ('"%lld "', "(long long)"),
    "uint64_t": ('"%llu "', "(unsigned long long)"),
}
"""By type in C: the format, and what the value is cast to."""

MOST_PRINTED = 16


def example_main(model: Model) -> str:
    """The text of NAME_main.c."""
    signatures = [f.signature for f in model.functions]
    tools = [READ] * any(s.arguments for s in signatures) + [WRITE] * any(s.results for s in signatures)
    parts = [HEAD.format(name=model.name), *tools, *(_runner(f, model) for f in model.functions), _main(model)]
    return "".join(parts)


def _runner(f: CFunction, model: Model) -> str:
    types = [*f.signature.arguments, *f.signature.results]
    names = [
        *(f"argument{n}" for n in range(len(f.signature.arguments))),
        *(f"result{n}" for n in range(len(f.signature.results))),
    ]
    count = len(f.signature.arguments)
    lines = [f"static int run_{f.name}(char **inputs, int count, FILE *output) {{"]
    lines += [f"  static {c_type(t)} {name}[{max(1, prod(c_shape(t)))}];" for name, t in zip(names, types)]
    has_workspace = f.arena > 0 and not model.is_static
    if has_workspace:
        lines += [
            f"  static unsigned char room[{f.name.upper()}_WORKSPACE_BYTES + {f.name.upper()}_WORKSPACE_ALIGNMENT];",
            f"  void *workspace = room + (-(uintptr_t)room & ({f.name.upper()}_WORKSPACE_ALIGNMENT - 1));",
        ]
    lines += [
        "  int status, i;",
        "  (void)inputs, (void)i, (void)output;",
        f'  if (count != 0 && count != {count}) return fprintf(stderr, "{count} inputs expected, found %d\\n", count), 1;',
    ]
    for number, t in enumerate(f.signature.arguments):
        lines += _fill(number, t)
    passed = [_passed(name, t, number < count) for number, (name, t) in enumerate(zip(names, types))]
    if not model.is_static:
        passed.append("workspace" if has_workspace else "NULL")
    lines += [
        f"  status = {f.name}({', '.join(passed)});",
        f'  if (status) return fprintf(stderr, "{f.name}: error %d\\n", status), 1;',
    ]
    for number, t in enumerate(f.signature.results):
        lines += _show(number, t)
    return "\n".join([*lines, "  return 0;", "}", "", ""])


def _fill(number: int, t: ArrayType) -> list[str]:
    size = prod(c_shape(t))
    value = (
        "i % 2"
        if dtype_name(t.dtype) == "i1"
        else f"({c_type(t)})(i % 7) * ({c_type(t)})0.25"
        if t.dtype.kind in "fc" and c_type(t) != "uint16_t"
        else "0"
    )
    if t.dtype.kind in "iu":
        value = "i % 7"
    return [
        f"  if (count && !read_input(inputs[{number}], argument{number}, {t.nbytes})) return 1;",
        f"  for (i = 0; !count && i < {size}; i++) argument{number}[i] = ({c_type(t)})({value});",
    ]


def _passed(name: str, t: ArrayType, is_input: bool) -> str:
    """A flat array as the parameter's type."""
    shape = c_shape(t)
    if not prod(shape) or len(shape) < 2:
        return name
    rest = "".join(f"[{d}]" for d in shape[1:])
    return f"({'const ' if is_input else ''}{c_type(t)}(*){rest}){name}"


def _show(number: int, t: ArrayType) -> list[str]:
    size = prod(c_shape(t))
    form, cast = PRINTED.get(c_type(t), ('"%d "', ""))
    return [
        f"  if (output && !write_result(output, result{number}, {t.nbytes})) return 1;",
        "  if (!output) {",
        f'    printf("result {number}: {t}: ");',
        f"    for (i = 0; i < {min(size, MOST_PRINTED)}; i++) printf({form}, {cast}result{number}[i]);",
        f'    printf("{"..." if size > MOST_PRINTED else ""}\\n");',
        "  }",
    ]


def _main(model: Model) -> str:
    lines = [
        "int main(int count, char **words) {",
        f'  const char *function = "{model.functions[0].name}";',
        "  FILE *output = NULL;",
        "  int at = 1, status = 1, known = 0;",
    ]
    if model.constants_file is not None:
        lines += [
            f'  if ({model.loader_name}("{model.name}.bin")) return fprintf(stderr, "cannot map {model.name}.bin\\n"), 1;'
        ]
    lines += [
        "  for (; at + 1 < count && words[at][0] == '-'; at += 2) {",
        '    if (!strcmp(words[at], "-f")) function = words[at + 1];',
        '    else if (!strcmp(words[at], "-o")) output = fopen(words[at + 1], "wb");',
        '    else return fprintf(stderr, "unknown option %s\\n", words[at]), 2;',
        "  }",
    ]
    for f in model.functions:
        lines.append(
            f'  if (!strcmp(function, "{f.name}")) known = 1, status = run_{f.name}(words + at, count - at, output);'
        )
    lines += [
        '  if (!known) fprintf(stderr, "no function %s\\n", function);',
        "  if (output && fclose(output)) status = 1;",
        "  return status;",
        "}",
    ]
    return "\n".join(lines) + "\n"
