"""The code that a compiled module becomes, each instruction with the ops of the program that it computes.

Every op of the last phase gets its own line of a made-up file; LLVM writes the lines of its instructions as `.loc` directives, which are
read and removed here. Debug information does not change the instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlir import ir

from hlo.runtime.code.routines import routines_in
from hlo.tools.view.lines import Line
from hlo.tools.view.origins import FILE, NumberedOps, Ops

_LOC = re.compile(r"^\s*\.loc\s+\d+ (\d+) ")
_LABEL = re.compile(r"^[\w.$@\"]+:")
_OF_FUNCTION = re.compile(r"^(?!\.L|\$L)[\w.$@\"]+:|^\s*# -- End function|^\.LCPI")
"""Where what came before ends."""
_DIRECTIVE = re.compile(
    r"^\s*\.(?:file|loc|cfi_\w+|p2align|globl|type|size|section|text|hidden|local|ident|addrsig\w*|set)\b|^(?:\.L|\$L__)(?:tmp|func_|cu_|info_|sec_|line_)"
)
_DEBUG_SECTION = re.compile(r"^\s*\.section\s+\.debug_")
_COMMENT = re.compile(rf"\s+(?:#|//) {FILE}(?::.*)?$")

SCOPES = "builtin.module(ensure-debug-info-scope-on-llvm-func"


def cpu_code(module: ir.Module, numbered: NumberedOps) -> list[Line]:
    """The assembly of a module after the phase `llvm`, which keeps neither its locations nor its functions."""
    from hlo.runtime.compile.llvm_engine import assembly

    for op in [op for op in module.body.operations if op.operation.name == "hlo.constant"]:
        op.operation.erase()  # data: an executable has them in addition to its code
    ops = _number_lines(module, numbered, SCOPES + "{emission-kind=LineTablesOnly})")
    return _with_routines(list(_instructions(assembly(module), ops)))


def gpu_code(module: ir.Module, numbered: NumberedOps) -> list[Line]:
    """The PTX of a module after the phase `nvvm`, which is changed."""
    from hlo.lowering.gpu.ptx import ptx_of

    if all(op.operation.name != "gpu.module" for op in module.body.operations):
        return []
    ops = _number_lines(module, numbered, SCOPES + "{emission-kind=DebugDirectivesOnly})")
    return list(_instructions(ptx_of(module), ops))


def _number_lines(module: ir.Module, numbered: NumberedOps, scopes: str) -> list[Ops]:
    """By line of the made-up file, the ops that it computes."""
    from hlo.pipelines import run_pass

    ops: list[Ops] = [()]

    def number(op: ir.Operation) -> ir.WalkResult:
        location = ir.Location.file(FILE, len(ops), 0, context=module.context)
        ops.append(numbered.ops_of(op.location))
        op.location = location
        return ir.WalkResult.ADVANCE

    module.operation.walk(number, ir.WalkOrder.PRE_ORDER)
    run_pass(module, scopes, verify=False)
    return ops


def _instructions(text: str, ops: list[Ops]) -> Iterator[Line]:
    """Labels and instructions; what only assembler and linker read is left out."""
    current: Ops = ()
    in_debug = False
    for line in text.splitlines():
        if line.lstrip().startswith((".section", ".text")):
            in_debug = _DEBUG_SECTION.match(line) is not None
        if found := _LOC.match(line):
            number = int(found[1])
            current = ops[number] if number < len(ops) else ()
        if in_debug or not line.strip() or _DIRECTIVE.match(line):
            continue
        if _OF_FUNCTION.match(line):
            current = ()
        yield Line(_shown(line), () if _LABEL.match(line) else current)


def _with_routines(lines: list[Line]) -> list[Line]:
    """Routines stand behind the program's functions; their instructions compute the ops whose code calls them."""
    callers: dict[str, set[int]] = {}
    routine, made = None, []
    for line in lines:
        if found := _LABEL.match(line.text):
            name = found[0][:-1]
            routine = name if name in callers else routine if name.startswith(".L") else None
        ops = line.ops if routine is None or _LABEL.match(line.text) else tuple(sorted(callers[routine]))
        for name in routines_in(line.text.encode()):
            callers.setdefault(name, set()).update(ops)
        made.append(Line(line.text, ops))
    return made


def _shown(line: str) -> str:
    """Without tabs: operands begin in one column."""
    match = re.fullmatch(r"\t([\w.]+)[ \t]+(.*)", line.rstrip())
    text = f"    {match[1]:<12} {match[2]}" if match else line
    return _COMMENT.sub("", text.replace("\t", "    ").rstrip())
