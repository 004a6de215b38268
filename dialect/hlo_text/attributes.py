"""An instruction's attributes, read as what each is: numbers, groups, windows, names of computations."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from hlo.dialect.hlo_text.syntax import Computation, HloModule, Instruction, Text
from hlo.errors import ParseError
from hlo.lazy_dataclasses import dataclass

REQUIRED: Any = object()

WITHOUT_MEANING = frozenset(
    (
        *(
            "metadata",
            "frontend_attributes",
            "sharding",
            "origin",
            "original_value",
            "statistics",
            "control-predecessors",
        ),
        *("backend_config", "kind", "operand_layout_constraints", "output_to_operand_aliasing", "inlineable"),
        *("schedule", "is_cross_program_prefetch", "cross_program_prefetch_index", "async_execution_thread"),
        *("is_composite", "fusion_kind", "async_group_id", "result_accuracy", "constrain_layout", "exact_shape"),
    )
)
"""What says where an instruction comes from, or how XLA runs it, but not what it computes."""

_LARGEST = 2**63 - 1
_NUMBERS = re.compile(r"\{\s*(?:-?\d+\s*(?:,\s*-?\d+\s*)*)?\}")
_GROUP = re.compile(r"\{([\s\d,-]*)\}")
_IOTA = re.compile(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_RANGE = re.compile(r"\[(\d+):(\d+)(?::(\d+))?\]")
_PADDING = re.compile(r"(-?\d+)_(-?\d+)(?:_(\d+))?")
_WINDOW_PART = re.compile(r"(\w+)=(\S+)")
_LABELS = re.compile(r"([\w?]*)_([\w?]*)->([\w?]*)")
MAX_PROCESSES = 2**20


@dataclass(frozen=True)
class Window:
    """Sizes a dimension. `padding`: low and high."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    base_dilation: tuple[int, ...]
    window_dilation: tuple[int, ...]
    reversal: tuple[bool, ...]


class Attributes:
    """Those of one instruction. What is asked for counts as understood; `finish` refuses the rest."""

    def __init__(self, module: HloModule, instruction: Instruction):
        self.module = module
        self.instruction = instruction
        self.asked: set[str] = set()

    def fail(self, expected: str, text: Text | None = None) -> NoReturn:
        """Raises ParseError at an attribute, or at the instruction."""
        position = text.position if text else self.instruction.position
        raise ParseError(self.module.source.diagnostic(f"{self.instruction.opcode}: expected {expected}", position))

    def finish(self) -> None:
        for name, text in self.instruction.attributes.items():
            if name not in self.asked and name not in WITHOUT_MEANING:
                known = f"attributes {', '.join(sorted(self.asked))}" if self.asked else "no attributes"
                self.fail(f"{known}, found {name}", text)

    def text(self, name: str, default: Any = REQUIRED) -> Text | Any:
        """An attribute as it stands there."""
        self.asked.add(name)
        found = self.instruction.attributes.get(name)
        if found is None and default is REQUIRED:
            self.fail(f"the attribute {name}, found none")
        return default if found is None else found

    def word(self, name: str, default: Any = REQUIRED) -> Any:
        found = self.text(name, None if default is not REQUIRED else REQUIRED)
        return default if found is None else found.text

    def one_of(self, name: str, values: dict[str, Any], default: Any = REQUIRED) -> Any:
        """What a word stands for."""
        found = self.text(name, None if default is not REQUIRED else REQUIRED)
        if found is None:
            return default
        if found.text not in values:
            self.fail(f"{name} of {', '.join(values)}, found {found.text}", found)
        return values[found.text]

    def flag(self, name: str, default: Any = False) -> bool:
        return bool(self.one_of(name, {"true": True, "false": False}, default))

    def integer(self, name: str, default: Any = REQUIRED, most: int = _LARGEST) -> Any:
        found = self.text(name, None if default is not REQUIRED else REQUIRED)
        return default if found is None else self._integer(name, found, found.text, most)

    def _integer(self, name: str, at: Text, text: str, most: int = _LARGEST) -> int:
        if not re.fullmatch(r"-?\d{1,19}", text.strip()) or abs(int(text)) > most:
            self.fail(f"a number up to {most} for {name}, found {text.strip()[:40]!r}", at)
        return int(text)

    def number(self, name: str) -> float:
        found = self.text(name)
        try:
            return float(found.text)
        except ValueError:
            self.fail(f"a number for {name}, found {found.text!r}", found)

    def integers(self, name: str, default: Any = REQUIRED) -> Any:
        """`{0,1}`."""
        found = self.text(name, None if default is not REQUIRED else REQUIRED)
        if found is None:
            return default
        if not _NUMBERS.fullmatch(found.text):
            self.fail(f"numbers {{0,1}} for {name}, found {found.text}", found)
        return tuple(self._integer(name, found, n) for n in re.findall(r"-?\d+", found.text))

    def dimension(self, name: str) -> int:
        """The one number of `dimensions={1}`."""
        found = self.integers(name)
        if len(found) != 1:
            self.fail(f"one dimension in {name}, found {len(found)}", self.text(name))
        return found[0]

    def pairs(self, name: str) -> list[tuple[int, ...]]:
        """`{{0,1},{1,0}}`."""
        found = self.text(name)
        rows = self._rows(name, found)
        if any(len(row) != 2 for row in rows):
            self.fail(f"pairs {{{{0,1}}}} for {name}, found {found.text}", found)
        return rows

    def _rows(self, name: str, found: Text) -> list[tuple[int, ...]]:
        rest = re.sub(r"[\s,]", "", _GROUP.sub("", found.text.strip()[1:-1]))
        if found.text[:1] != "{" or rest:
            self.fail(f"groups {{{{0,1}},{{2,3}}}} for {name}, found {found.text}", found)
        rows = _GROUP.findall(found.text.strip()[1:-1])
        return [tuple(self._integer(name, found, n) for n in row.split(",") if n.strip()) for row in rows]

    def groups(self, name: str = "replica_groups") -> list[list[int]]:
        """Groups of processes, written out or as `[2,4]<=[8]T(1,0)`; those that are shorter end in -1."""
        import numpy as np

        found = self.text(name, Text("{}", self.instruction.position))
        iota = _IOTA.fullmatch(found.text.replace(" ", ""))
        if not iota:
            rows = self._rows(name, found)
            longest = max(map(len, rows), default=0)
            if longest * len(rows) > MAX_PROCESSES:
                self.fail(f"at most {MAX_PROCESSES} processes in {name}, found more", found)
            return [[*row, *[-1] * (longest - len(row))] for row in rows]
        shape, sizes, order = (
            [self._integer(name, found, n) for n in (part or "").split(",") if n] for part in iota.groups()
        )
        count = int(np.prod(sizes, dtype=object))
        is_order = not order or sorted(order) == list(range(len(sizes)))
        if count > MAX_PROCESSES or len(shape) != 2 or np.prod(shape, dtype=object) != count or not is_order:
            self.fail(f"groups [groups,size]<=[sizes]T(order) of at most 2^20 processes, found {found.text}", found)
        numbers = np.arange(count).reshape(sizes)
        return [list(map(int, row)) for row in numbers.transpose(order or None).reshape(shape)]

    def ranges(self, name: str) -> list[tuple[int, int, int]]:
        """`{[0:3], [1:9:2]}`: first, limit, step."""
        found = self.text(name)
        parts = _RANGE.findall(found.text)
        if re.sub(r"[\s,{}]", "", _RANGE.sub("", found.text)):
            self.fail(f"ranges {{[0:3], [1:9:2]}} for {name}, found {found.text}", found)
        numbers = [(a, b, c or "1") for a, b, c in parts]
        return [tuple(self._integer(name, found, n) for n in part) for part in numbers]  # type: ignore[misc]

    def padding(self, name: str = "padding") -> list[tuple[int, int, int]]:
        """`0_1x2_3_1`: low, high, between elements."""
        found = self.text(name)
        return self._padding(name, found, found.text)

    def _padding(self, name: str, at: Text, text: str) -> list[tuple[int, int, int]]:
        parts = [_PADDING.fullmatch(part) for part in text.split("x")] if text else []
        if not all(parts):
            self.fail(f"paddings 0_1x2_3 for {name}, found {text}", at)
        return [tuple(self._integer(name, at, n or "0") for n in part.groups()) for part in parts if part]  # type: ignore[misc]

    def window(self, rank: int) -> Window:
        """`{size=2x3 stride=1x2 pad=0_0x1_1 lhs_dilate=1x1 rhs_dilate=1x2 rhs_reversal=1x0}`; of `rank` dimensions where none are
        written."""
        found = self.text("window", Text("{}", self.instruction.position))
        parts = dict(_WINDOW_PART.findall(found.text.strip("{} ")))
        known = ("size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal")
        if set(parts) - set(known) or found.text[:1] != "{":
            self.fail(f"a window {{size=2x3 ...}} of {', '.join(known)}, found {found.text}", found)
        lists = {key: parts[key].split("x") for key in parts if key != "pad"}
        size = [self._integer("size", found, n) for n in lists.get("size", [])] or [1] * rank
        rest = {
            key: [self._integer(key, found, n) for n in lists[key]] if key in lists else [default] * len(size)
            for key, default in (("stride", 1), ("lhs_dilate", 1), ("rhs_dilate", 1), ("rhs_reversal", 0))
        }
        padding = self._padding("pad", found, parts["pad"]) if "pad" in parts else [(0, 0, 0)] * len(size)
        if any(count != len(size) for count in (len(padding), *map(len, rest.values()))):
            self.fail(f"a window with as many entries in each list, found {found.text}", found)
        return Window(
            tuple(size),
            tuple(rest["stride"]),
            tuple((low, high) for low, high, _ in padding),
            tuple(rest["lhs_dilate"]),
            tuple(rest["rhs_dilate"]),
            tuple(map(bool, rest["rhs_reversal"])),
        )

    def dim_labels(self) -> tuple[str, str, str]:
        """`b01f_01io->b01f`: those of input, kernel and output."""
        found = self.text("dim_labels")
        parts = _LABELS.fullmatch(found.text)
        spatial = "".join(map(str, range(max(len(parts[1]) - 2, 0)))) if parts else ""
        wanted = [sorted(spatial + letters) for letters in ("bf", "io", "bf")]
        if not parts or [sorted(part) for part in parts.groups()] != wanted or len(spatial) > 10:
            self.fail(f"dim_labels such as b01f_01io->b01f, found {found.text}", found)
        return parts[1], parts[2], parts[3]

    def computation(self, name: str) -> Computation:
        found = self.text(name)
        return self._computation(found, found.text)

    def computations(self, name: str) -> list[Computation]:
        """`{%a, %b}`."""
        found = self.text(name)
        return [self._computation(found, part) for part in found.text.strip("{} ").split(",") if part.strip()]

    def _computation(self, at: Text, name: str) -> Computation:
        made = self.module.computations.get(name.strip().removeprefix("%"))
        if made is None:
            self.fail(f"the name of a computation, found {name.strip()!r}", at)
        return made
