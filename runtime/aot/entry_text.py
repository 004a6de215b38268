"""The functions that C calls, as LLVM IR: they check their arguments, write all addresses into an array, and call the program.

    int model_main(const float x[2][3], float result0[2][3], void *workspace)

The program's own entry takes one address (lowering/llvm/add_entry.py)."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.aot import lapack_text
from hlo.runtime.aot.lapack_text import plan_text, zeros_text
from hlo.runtime.aot.lower import CCall
from hlo.runtime.calls.signature import Signature

OK, NULL_POINTER, UNALIGNED_WORKSPACE, NO_CONSTANTS, NO_MEMORY = range(5)
"""What a function gives."""

WORKSPACE_ALIGNMENT = 64


@dataclass(frozen=True)
class Version:
    """The code of a function for one level of processors. `entry`: its symbol. `constants`: for each the name of its data, or
    its offset in the file. `calls`: its custom calls."""

    entry: str
    constants: tuple[str | int, ...]
    calls: tuple[CCall, ...]


@dataclass(frozen=True)
class CFunction:
    """One function of the interface. `name`: in C. `function`: the public function of the program. `arguments`: their
    names in C. `arena`: bytes of the workspace. `versions`: from the one that needs least of a processor."""

    name: str
    function: str
    signature: Signature
    arguments: tuple[str, ...]
    arena: int
    versions: tuple[Version, ...]


def function_text(f: CFunction, pointer_bits: int, is_static: bool, uses_file: bool) -> str:
    """The function, the tables of its custom calls, and (`is_static`) its workspace. `uses_file`: its constants are mapped before it is
    called."""
    names = [f"%a{n}" for n in range(len(f.signature.arguments))] + [f"%r{n}" for n in range(len(f.signature.results))]
    types = [*f.signature.arguments, *f.signature.results]
    parameters = [f"ptr {n}" for n in names]
    workspace, head = "%workspace", []
    if is_static:
        workspace = f"@{f.name}.workspace" if f.arena else "null"
        head = [f"{workspace} = internal global [{f.arena} x i8] zeroinitializer, align {WORKSPACE_ALIGNMENT}"] * bool(
            f.arena
        )
    else:
        parameters.append("ptr %workspace")
    given = f.arena > 0 and not is_static
    needed = [n for n, t in zip(names, types) if t.nbytes] + ["%workspace"] * given
    maps = uses_file and any(v.constants for v in f.versions)
    tables = [line for n, v in enumerate(f.versions) for line in _table(f.name, n, v, pointer_bits)]
    bodies = [line for n, v in enumerate(f.versions) for line in _body(f.name, n, v, names, workspace, uses_file)]
    return "\n".join(
        [
            *head,
            *tables,
            f"define i32 @{f.name}({', '.join(parameters)}) {{",
            *_checks(needed, given, maps),
            *_choice(len(f.versions)),
            *bodies,
            "}",
            *(f"declare i64 @{v.entry}(ptr)" for v in f.versions),
        ]
    )


LEVEL = "hlo_level"
"""The word that says which version the processor runs (levels.py)."""


def _choice(count: int) -> list[str]:
    if count == 1:
        return ["  br label %v0"]
    cases = " ".join(f"i32 {n}, label %v{n}" for n in range(1, count))
    return [f"  %level = load i32, ptr @{LEVEL}", f"  switch i32 %level, label %v0 [{cases}]"]


def _body(name: str, number: int, v: Version, arrays: Sequence[str], workspace: str, uses_file: bool) -> list[str]:
    """One version's call with the array of all addresses."""
    lines = [f"v{number}:"]
    constants = []
    for n, at in enumerate(v.constants):
        if uses_file:
            lines.append(f"  %c{number}.{n} = getelementptr i8, ptr %file, i64 {at}")
        constants.append(f"%c{number}.{n}" if uses_file else f"@{at}")
    calls = f"@{_calls_name(name, number)}" if v.calls else "null"
    pointers = [*arrays, *constants, calls, workspace]
    lines.append(f"  %pointers{number} = alloca [{len(pointers)} x ptr], align 16")
    for n, pointer in enumerate(pointers):
        lines += [
            f"  %p{number}.{n} = getelementptr ptr, ptr %pointers{number}, i64 {n}",
            f"  store ptr {pointer}, ptr %p{number}.{n}",
        ]
    lines.append(f"  %w{number} = call i64 @{v.entry}(ptr %pointers{number})")
    if not may_fail(v):
        return [*lines, f"  ret i32 {OK}"]
    return [
        *lines,
        f"  %d{number} = icmp eq i64 %w{number}, 0",
        f"  %s{number} = select i1 %d{number}, i32 {OK}, i32 {NO_MEMORY}",
        f"  ret i32 %s{number}",
    ]


def may_fail(v: Version) -> bool:
    """Whether a call of it takes memory that there may be none of: LAPACK's workspaces."""
    return any(call.plan for call in v.calls)


def _checks(needed: Sequence[str], has_workspace: bool, maps: bool) -> list[str]:
    """Arguments that are null, a workspace that is not aligned, constants that nobody has loaded."""
    lines: list[str] = ["entry:"]
    bad = "false"
    for number, name in enumerate(needed):
        lines += [f"  %n{number} = icmp eq ptr {name}, null", f"  %b{number} = or i1 {bad}, %n{number}"]
        bad = f"%b{number}"
    lines += [f"  br i1 {bad}, label %null, label %fine", "null:", f"  ret i32 {NULL_POINTER}", "fine:"]
    if has_workspace:
        lines += [
            "  %number = ptrtoint ptr %workspace to i64",
            f"  %low = and i64 %number, {WORKSPACE_ALIGNMENT - 1}",
            "  %unaligned = icmp ne i64 %low, 0",
            "  br i1 %unaligned, label %odd, label %even",
            "odd:",
            f"  ret i32 {UNALIGNED_WORKSPACE}",
            "even:",
        ]
    if maps:
        lines += [
            f"  %file = load atomic ptr, ptr @{FILE} acquire, align 8",
            "  %absent = icmp eq ptr %file, null",
            "  br i1 %absent, label %missing, label %run",
            "missing:",
            f"  ret i32 {NO_CONSTANTS}",
            "run:",
        ]
    return lines


FILE = "hlo_constants"
"""The word that holds the address of the file with constants, once it is mapped (constants_file.py)."""


def _calls_name(name: str, number: int) -> str:
    return f"{name}.calls.{number}"


def _table(name: str, number: int, v: Version, pointer_bits: int) -> list[str]:
    """Of custom calls: a callback that says that a call has failed (or none), then each function and its context, in 64
    bits each (lowering/memory/host_calls.py)."""
    if not v.calls:
        return []
    wide = pointer_bits == 64
    thunks = [f"{_calls_name(name, number)}.{n}" for n in range(len(v.calls))]
    functions = [f"@{c.name if wide and c.name else thunk}" for c, thunk in zip(v.calls, thunks)]
    contexts = [f"@{thunk}" if c.plan else "null" for c, thunk in zip(v.calls, thunks)]
    symbols = [
        f"@{_calls_name(name, number)}.failed" if may_fail(v) else "null",
        *(s for pair in zip(functions, contexts) for s in pair),
    ]
    element = "ptr" if wide else "{ ptr, i32 }"
    words = [f"ptr {s}" if wide else f"{element} {{ ptr {s}, i32 0 }}" for s in symbols]
    head = f"@{_calls_name(name, number)} = internal constant [{len(words)} x {element}] [{', '.join(words)}], align 8"
    texts = [FAILED.format(name=f"{_calls_name(name, number)}.failed")] * may_fail(v)
    return [head, *texts, *(text for thunk, call in zip(thunks, v.calls) for text in _texts_of_call(thunk, call, wide))]


FAILED = """define internal i64 @{name}(i64 %number, ptr %addresses, i64 %word) {{
  %other = xor i64 %word, -1
  ret i64 %other
}}"""


def _texts_of_call(name: str, call: CCall, wide: bool) -> list[str]:
    """What the table of custom calls has of a call in addition to its function."""
    if call.plan is not None:
        return [plan_text(name, call.plan)]
    if call.name is None:
        return [zeros_text(name, call.operands, call.results)]
    return [] if wide else [_thunk_text(name, call)]


def _thunk_text(name: str, call: CCall) -> str:
    """The words of a call as C has pointers: programs keep each in 64 bits."""
    size = call.operands + len(call.results)
    lines = [f"define internal void @{name}(ptr %out, ptr %in, ptr %context) {{", f"  %all = alloca [{size + 1} x ptr]"]
    for n in range(size):
        lines += [
            f"  %f{n} = getelementptr i64, ptr %in, i64 {n}",
            f"  %v{n} = load ptr, ptr %f{n}",
            f"  %t{n} = getelementptr ptr, ptr %all, i64 {n}",
            f"  store ptr %v{n}, ptr %t{n}",
        ]
    out = "%out" if len(call.results) == 1 else "%results"
    lines.append(f"  %results = getelementptr ptr, ptr %all, i64 {call.operands}")
    return "\n".join([*lines, f"  call void @{call.name}(ptr {out}, ptr %all)", "  ret void", "}"])


def declarations(functions: Sequence[CFunction]) -> str:
    """Of the C functions that programs call."""
    calls = [c for f in functions for v in f.versions for c in v.calls]
    users = sorted({f"declare void @{c.name}(ptr, ptr)" for c in calls if c.is_users})
    return "\n".join([*users, *lapack_text.declarations(c.plan for c in calls if c.plan)])
