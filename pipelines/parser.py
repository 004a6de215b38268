"""Textual pipelines that mix Python and upstream passes.

`builtin.module(inline-calls, func.func(canonicalize, cse), fold-constants{limit=64})` becomes
`[InlineCalls(), "builtin.module(func.func(canonicalize,cse))", FoldConstants(limit=64)]`: upstream's parser never sees a
Python pass. A Python pass named inside `func.func(...)` runs on the module between the parts before and after it."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from mlir import ir

from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.passes import Pass, find_pass, load_all_passes
from hlo.pipelines.upstream_options import check_options

_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*|any)\s*")


@dataclass(frozen=True)
class _Item:
    """A pass with the text of its options, or (children) a nested pipeline."""

    name: str
    options: str = ""
    children: tuple[_Item, ...] | None = None

    def __str__(self) -> str:
        if self.children is not None:
            return f"{self.name}({','.join(map(str, self.children))})"
        return f"{self.name}{{{self.options}}}" if self.options else self.name


DEEPEST = 100
"""Pipelines within pipelines."""


def parse_pipeline(text: str) -> list[Pass | str]:
    """A pipeline as a list of Python passes and upstream pipelines, in order. Raises ArgumentError."""
    items, end = _parse_items(text, 0, "")
    if end != len(text):
        raise _syntax_error(text, end, "nothing after the pipeline")
    if len(items) != 1 or items[0].name != "builtin.module" or items[0].children is None:
        raise ArgumentError(f"a pipeline is anchored on builtin.module: 'builtin.module(...)', found {text!r}")
    return _merge(_split(items[0].children))


def parse_pass(text: str) -> Pass | str:
    """One pass with options, `name{a=1 b=2}`: a Python pass object, or the upstream text."""
    items, end = _parse_items(text, 0, "")
    if end != len(text) or len(items) != 1:
        raise ArgumentError(f"one pass expected, found {text!r}")
    (one,) = _merge(_split((items[0],)))
    return one


def _parse_items(text: str, at: int, closing: str, depth: int = 0) -> tuple[tuple[_Item, ...], int]:
    if depth > DEEPEST:
        raise ArgumentError(f"pass pipeline: at most {DEEPEST} pipelines may be nested, found more at column {at + 1}")
    items: list[_Item] = []
    while at < len(text) and not text.startswith(")", at):
        match = _NAME.match(text, at)
        if not match:
            raise _syntax_error(text, at, "a pass name")
        item, at = _parse_rest(text, match.end(), match.group(1), depth)
        items.append(item)
        if text.startswith(",", at):
            at += 1
        elif at < len(text) and text[at] != ")":
            raise _syntax_error(text, at, "',' or ')'")
    if closing and not text.startswith(closing, at):
        raise _syntax_error(text, at, f"{closing!r}")
    return tuple(items), at + len(closing)


def _parse_rest(text: str, at: int, name: str, depth: int) -> tuple[_Item, int]:
    """What follows a name: a nested pipeline in parentheses, options in braces, or nothing."""
    if text.startswith("(", at):
        children, at = _parse_items(text, at + 1, ")", depth + 1)
        return _Item(name, children=children), _skip_spaces(text, at)
    if not text.startswith("{", at):
        return _Item(name), at
    end = _closing_brace(text, at)
    return _Item(name, text[at + 1 : end].strip()), _skip_spaces(text, end + 1)


def _closing_brace(text: str, at: int) -> int:
    depth = 0
    for position in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise _syntax_error(text, len(text), "'}'")


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _syntax_error(text: str, at: int, expected: str) -> ArgumentError:
    return ArgumentError(f"pass pipeline: expected {expected} at column {at + 1}\n{text}\n{' ' * at}^")


def _split(items: tuple[_Item, ...]) -> Iterator[Pass | _Item]:
    """Python passes become objects; a nested pipeline is cut around those inside it."""
    for item in items:
        if item.children is None:
            yield make_pass(item.name, item.options) if find_pass(item.name) else _upstream(item)
            continue
        run: list[_Item] = []
        for child in _split(item.children):
            if isinstance(child, _Item):
                run.append(child)
                continue
            if run:
                yield _Item(item.name, children=tuple(run))
            run = []
            yield child
        if run:
            yield _Item(item.name, children=tuple(run))


def _merge(parts: Iterator[Pass | _Item]) -> list[Pass | str]:
    """Neighbouring upstream items become one pipeline text."""
    merged: list[Pass | str] = []
    run: list[str] = []
    for part in parts:
        if isinstance(part, _Item):
            run.append(str(part))
            continue
        if run:
            merged.append(f"builtin.module({','.join(run)})")
        run = []
        merged.append(part)
    if run:
        merged.append(f"builtin.module({','.join(run)})")
    return merged


def _upstream(item: _Item) -> _Item:
    if not upstream_pass_exists(item.name):
        near = difflib.get_close_matches(item.name, load_all_passes(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else "; see hlo-opt --list-passes"
        raise ArgumentError(f"unknown pass {item.name!r}{hint}")
    check_options(item.name, item.options)
    return item


@functools.cache
def upstream_pass_exists(name: str) -> bool:
    """Whether this MLIR knows a pass (asked through its pipeline parser, on any anchor)."""
    from mlir.passmanager import PassManager

    if not re.fullmatch(r"[a-z][\w-]*", name):
        return False
    with _context_of_names():
        try:
            PassManager.parse(f"any({name})")
        except ValueError as error:
            return "does not refer to a registered pass" not in str(error)
    return True


@functools.cache
def _context_of_names() -> ir.Context:
    """The context in which names of passes are asked for: making one takes longer than all questions."""
    return ir.Context(load_on_create_dialects=())  # type: ignore[call-arg]


def make_pass(name: str, options: str = "") -> Pass:
    """A registered Python pass from its name and the text of its options (`limit=64 verbose`)."""
    cls = find_pass(name)
    if cls is None:
        raise ArgumentError(f"unknown pass {name!r}; see hlo-opt --list-passes")
    known = {f.name.replace("_", "-"): f for f in dataclasses.fields(cls)}
    values: dict[str, Any] = {}
    for word in options.split():
        key, has_value, value = word.partition("=")
        if key not in known:
            allowed = ", ".join(sorted(known)) or "none"
            raise ArgumentError(f"pass {name!r} has no option {key!r}; its options: {allowed}")
        values[known[key].name] = _option_value(name, key, known[key], value if has_value else "true")
    return cls(**values)


def _option_value(pass_name: str, key: str, field: dataclasses.Field, text: str) -> Any:
    kind = field.type if isinstance(field.type, str) else field.type.__name__
    readers: dict[str, Callable[[str], Any]] = {
        "int": int,
        "float": float,
        "str": str,
        "bool": {"true": True, "false": False, "1": True, "0": False}.__getitem__,
    }
    try:
        return readers[kind](text)
    except (ValueError, KeyError):
        raise ArgumentError(f"pass {pass_name!r}: option {key} takes {kind}, found {text!r}") from None


def single_passes(pipeline: list[Pass | str]) -> list[Pass | str]:
    """The same pipeline with every upstream pass by itself, for printing and timing between passes."""
    singles: list[Pass | str] = []
    for item in pipeline:
        if isinstance(item, Pass):
            singles.append(item)
            continue
        items, _ = _parse_items(item, 0, "")
        singles.extend(f"builtin.module({text})" for one in items for text in _leaves(one))
    return singles


def _leaves(item: _Item) -> Iterator[str]:
    """Each pass below an item with the anchors above it, the outermost builtin.module left out."""
    if item.children is None:
        yield str(item)
        return
    for child in item.children:
        for text in _leaves(child):
            yield text if item.name == "builtin.module" else f"{item.name}({text})"


def pass_name(item: Pass | str) -> str:
    """What messages call a pass: its registered name, or the upstream text without the outer anchor."""
    if isinstance(item, Pass):
        return item.name or type(item).__name__
    return item.removeprefix("builtin.module(").removesuffix(")") if item.startswith("builtin.module(") else item


def text_of(item: Pass | str) -> str:
    """A pass or pipeline as text that `parse_pipeline` reads between the parentheses of builtin.module(...)."""
    if isinstance(item, str):
        return item.removeprefix("builtin.module(").removesuffix(")") if item.startswith("builtin.module(") else item
    options = [
        f"{f.name.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}"
        for f in dataclasses.fields(item)
        if f.init and (value := getattr(item, f.name)) != f.default
    ]
    return f"{item.name}{{{' '.join(options)}}}" if options else item.name
