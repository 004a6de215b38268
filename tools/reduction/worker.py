"""The process that edits and runs programs: a request a line (JSON), an answer a line.

`edit`: the program after one edit of one op, or why there is none. `fails`: how the program fails, "" if not."""

from __future__ import annotations

import json
import os
import re
import sys
from itertools import islice
from typing import Any

from mlir import ir

import hlo
from hlo.dialect.printer import print_module
from hlo.dialect.verifier import check
from hlo.errors import ArgumentError, HloError
from hlo.tools.differential.check import disagreement
from hlo.tools.differential.isolate import self_contained, without_unused
from hlo.tools.reduction import constant_edits, shape_edits  # noqa: F401  (fill the table of edits)
from hlo.tools.reduction.edits import EDITS, all_ops


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a program prints must not mix with the answers
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(ACTIONS[request.pop("action")](**request)) + "\n")
        answers.flush()


def edited(text: str, name: str, position: int) -> dict[str, Any]:
    """`text`, `cost`: the program after the edit. `end`: no such op. `text` None: not a program."""
    module = hlo.parse(text)
    thunk = next(islice(EDITS[name](module), position, None), None)
    if thunk is None:
        return {"end": True}
    try:
        with module.context, ir.Location.unknown():
            thunk()
            _without_dead_ops(module)
            without_unused(module, [])
            check(module)
            return {"end": False, "text": print_module(module), "cost": cost(module)}
    except (HloError, ValueError, TypeError, IndexError, ir.MLIRError):
        return {"end": False, "text": None}


def _without_dead_ops(module: ir.Module) -> None:
    """Ops that nothing uses, in regions too, inner and late ones first."""
    for op in reversed(all_ops(module)):
        if not any(len(list(r.uses)) for r in op.results) and not op.name.startswith("check."):
            op.erase()


def cost(module: ir.Module) -> list[int]:
    """What an edit must make smaller: ops that compute, all ops, elements, text."""
    ops = all_ops(module)
    computing = sum(op.name not in constant_edits.INPUTS for op in ops)
    elements = sum(_elements(r.type) for op in ops for r in op.results)
    return [computing, len(ops), elements, len(print_module(module))]


def _elements(kind: Any) -> int:
    count = 1
    for n in ir.RankedTensorType(kind).shape if isinstance(kind, ir.RankedTensorType) else ():
        count *= max(n, 0)
    return count


def prepared(text: str, entry: str, inputs: bool, name: str = "-") -> dict[str, Any]:
    """The program whose main is `entry`, without arguments (unless `inputs`: what to give them is the test's business). `error`: why
    there is none."""
    try:
        return _prepared(text, entry, inputs, name)
    except HloError as error:
        return {"error": str(error)}


def _prepared(text: str, entry: str, inputs: bool, name: str) -> dict[str, Any]:
    from hlo.runtime.compile.entry_function import entry_only
    from hlo.runtime.compile.read_signature import signature_of
    from hlo.tools.differential.isolate import main_of
    from hlo.tools.run.values import read_inputs

    module = entry_only(hlo.parse(text, file_name=name), entry)
    _rename(module, entry)
    if inputs:
        return {"text": print_module(module), "cost": cost(module)}
    _check_arguments(main_of(module))
    types = [(p.shape, p.dtype) for p in signature_of(main_of(module)).arguments]
    whole = self_contained(module, read_inputs([], types, 0), "")
    return {"text": whole, "cost": cost(module)}


def _check_arguments(main: Any) -> None:
    """Raises ArgumentError for arguments that no constants are like: tuples and tokens."""
    for number, argument in enumerate(main.regions[0].blocks[0].arguments):
        if not isinstance(argument.type, ir.RankedTensorType):
            raise ArgumentError(
                f"argument {number} is of type {argument.type}: only tensors become constants; --test COMMAND keeps arguments"
            )


def _rename(module: ir.Module, entry: str) -> None:
    for function in module.body.operations:
        if function.operation.name == "func.func" and function.name.value == entry:
            function.operation.attributes["sym_name"] = ir.StringAttr.get("main", context=module.context)


def fails(text: str) -> str:
    """Kind and, for errors, the message without its numbers: a smaller program has to fail in the same way."""
    found = disagreement(hlo.parse(text), [])
    if not found:
        return ""
    kind, what = found
    return kind if kind == "differs" else f"{kind}: {re.sub(r'<[^>]*>|[0-9]+', 'N', _message(what))}"


def _message(what: str) -> str:
    return re.sub(r"\S+:\d+:\d+: ", "", what.strip().splitlines()[-1])


ACTIONS: dict[str, Any] = {"edited": edited, "prepared": prepared, "fails": fails}

if __name__ == "__main__":
    main()
