"""Where instructions come from, and where their values lie: locations and shardings."""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.hlo_text.syntax import Computation, HloModule, Instruction

_OP_NAME = re.compile(r'\bop_name="((?:[^"\\]|\\.)*)"')
_FILE = re.compile(r'\bsource_file="((?:[^"\\]|\\.)*)"')
_LINE = re.compile(r"\bsource_line=(\d{1,9})")
_FRAME = re.compile(r"\bstack_frame_id=(\d{1,9})")
_FIELD = re.compile(r"(\w+)=(\d{1,9})")
_LARGEST = 2**32 - 1


class Locations:
    """The location of an instruction is its position in the text; with metadata, also the op and the position in the
    program that it was made from."""

    def __init__(self, module: HloModule):
        self.module = module
        self.file = module.source.file_name
        text = module.source.text
        self.line_starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def of(self, made: Instruction | Computation) -> ir.Location:
        from bisect import bisect_right

        line = bisect_right(self.line_starts, made.position)
        position = ir.Location.file(self.file, line, made.position - self.line_starts[line - 1] + 1)
        metadata = made.attributes.get("metadata") if isinstance(made, Instruction) else None
        if metadata is None:
            return position
        origin = self._origin(metadata.text)
        name = _OP_NAME.search(metadata.text)
        if name:
            origin = ir.Location.name(name[1], childLoc=origin)
        return position if origin is None else ir.Location.fused([position, origin])

    def _origin(self, metadata: str) -> ir.Location | None:
        """The position in the program's own source."""
        file, line = _FILE.search(metadata), _LINE.search(metadata)
        if file:
            return ir.Location.file(file[1], int(line[1]) if line else 0, 0)
        frame = _FRAME.search(metadata)
        row = self._row("StackFrames", int(frame[1])) if frame else {}
        row_of_file = self._row("FileLocations", row.get("file_location_id", 0))
        name = self.module.frames.get("FileNames", {}).get(row_of_file.get("file_name_id", 0))
        if name is None:
            return None
        return ir.Location.file(name.strip('"'), row_of_file.get("line", 0), row_of_file.get("column", 0))

    def _row(self, table: str, number: int) -> dict[str, int]:
        row = self.module.frames.get(table, {}).get(number, "")
        return {name: int(value) for name, value in _FIELD.findall(row)}

    def sharding(self, instruction: Instruction) -> dict[str, ir.Attribute]:
        found = instruction.attributes.get("sharding")
        return {} if found is None else {"mhlo.sharding": ir.StringAttr.get(found.text)}

    def function_shardings(self, computation: Computation) -> dict[str, ir.Attribute]:
        """`arg_attrs` and `res_attrs` of the program, where it says how arguments and results are divided."""
        parameters = [_leaf_shardings(p) for p in computation.parameters]
        lists = {"arg_attrs": [s for p in parameters for s in p], "res_attrs": _leaf_shardings(computation.root)}
        return {
            key: ir.ArrayAttr.get(
                [ir.DictAttr.get({"mhlo.sharding": ir.StringAttr.get(s)} if s else {}) for s in found]
            )
            for key, found in lists.items()
            if any(found)
        }


_MEMBER = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")


def _leaf_shardings(instruction: Instruction) -> list[str]:
    """One a leaf; that of a tuple is `{{...}, {...}}`, or one for all."""
    count = sum(1 for _ in instruction.shape.leaves())
    found = instruction.attributes.get("sharding")
    if found is None:
        return [""] * count
    members = _MEMBER.findall(found.text[1:-1]) if found.text.startswith("{{") else []
    return members if len(members) == count else [found.text] * count
