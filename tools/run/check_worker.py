"""The worker of `hlo-run --check`: reads a part a line (JSON), answers its verdicts a line. Programs print to stderr."""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import Any, TextIO

from hlo.errors import HloError, ParseError
from hlo.saved_files import is_executable
from hlo.tools.run.check import Part, Verdict, is_text
from hlo.tools.user_files import load_files, told_with_location


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a program prints must not mix with the answers
    serve(sys.stdin, answers)


def serve(requests: TextIO, answers: TextIO) -> None:
    for line in requests:
        verdicts = run_part(Part(**json.loads(line)))
        answers.write(json.dumps([vars(v) for v in verdicts]) + "\n")
        answers.flush()


def run_part(part: Part) -> list[Verdict]:
    """Runs `main`, or every public function without arguments, of one part."""
    try:
        _load(tuple(part.user_files))
        module = _module(part)
        entries = _entries(module)
    except HloError as error:
        return [Verdict(part.name, _reason(error))]
    if not entries:
        return [Verdict(part.name, "no function 'main' and no public one without arguments")]
    return [_run_entry(part, module, entry, len(entries) > 1) for entry in entries]


def _module(part: Part) -> Any:
    """The program, which may be bytecode. Raises HloError."""
    import hlo

    if is_text(part.text):
        return hlo.parse("\n" * part.first_line + part.text, file_name=part.file)
    data = part.text.encode(errors="surrogateescape")
    if is_executable(data):
        raise ParseError(
            "a compiled program: --check takes text and bytecode; without --check, hlo-run runs what exe.save has written"
        )
    return hlo.parse(data, file_name=part.file)


@functools.cache
def _load(files: tuple[str, ...]) -> None:
    """Once a process."""
    load_files(files)


def _entries(module) -> list[str]:
    functions = {
        f.name.value: f for f in module.body.operations if f.operation.name == "func.func" and not f.is_external
    }
    if "main" in functions:
        return ["main"]
    return [name for name, f in functions.items() if not f.type.inputs and not _is_private(f)]


def _is_private(function) -> bool:
    attributes = function.operation.attributes
    return "sym_visibility" in attributes and str(attributes["sym_visibility"]) == '"private"'


def _run_entry(part: Part, module, entry: str, named: bool) -> Verdict:
    import hlo

    options: dict[str, Any] = dict(part.options)
    name = f"{part.name}:{entry}" if named else part.name
    try:
        with told_with_location():
            hlo.compile(module, target=part.target, entry=entry, **options)()
    except HloError as error:
        return Verdict(name, _reason(error))
    except Exception as error:
        return Verdict(name, f"bug in hlo: {type(error).__name__}: {error}")
    return Verdict(name, "")


def _reason(error: HloError) -> str:
    return "; ".join(str(d._replace(source="")) if d.line else d.message for d in error.diagnostics)


if __name__ == "__main__":
    main()
