"""Single ops with slightly wrong types and attributes: each op of the project's tests, alone in a function whose arguments are its
operands, with up to three changes. All uses agree in their types, so that what is wrong is the op, not the text.

Instance N of a seed is the same text in every run, until the programs of test/ change."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.tools.fuzz.texts import ELEMENT, ELEMENTS, ROOT

ENOUGH = 6
"""Instances of an op: no more are looked for in test/e2e."""
OP = re.compile(r"(?:stablehlo|chlo)\.\w+")
LONGEST = 4_000
"""Characters of the longest op that is taken."""
UNKNOWN_TO_JAXLIB = ("!quant", "check.", "interpreter.", "sdy.", "mesh = @")
SIZES = ("0", "1", "2", "3", "4", "5", "6", "8", "16", "?")
INTEGERS = ("-1", "0", "1", "2", "3", "4", "5", "9")
TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([^<>]*(?:<[^<>]*>)?[^<>]*)>")
NUMBER = re.compile(r"(?<![\w.%\"])-?\d+(?![\w.])")
ARRAY = re.compile(r"array<i\d+(?:: [^<>]*)?>|\[[-\d, ]+\]")
ENUM = re.compile(r"(?<=[a-z] )[A-Z][A-Z_0-9]+(?=>)")
BOOLEAN = re.compile(r"\b(?:true|false)\b")


@dataclass(frozen=True)
class Instance:
    """An op as MLIR's generic form has it, in parts. `regions` and `attributes`: text between the operands and the types.
    `captured`: names and types of values that the regions take from outside."""

    name: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    regions: str
    attributes: str
    captured: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """The function with the op."""
        names = [f"%p{n}" for n in range(len(self.operands))]
        parameters = ", ".join(f"{n}: {t}" for n, t in (*zip(names, self.operands), *self.captured))
        made = f"%r:{len(self.results)} = " if self.results else ""
        types = f"({', '.join(self.operands)}) -> ({', '.join(self.results)})"
        op = f'{made}"{self.name}"({", ".join(names)}) {self.regions} {self.attributes} : {types}'
        return f"func.func @main({parameters}) {{\n  {op}\n  return\n}}\n"


@cache
def instances() -> dict[str, list[Instance]]:
    """Ops of the project's tests, by name: all of test/dialect, and of test/e2e what is rare there."""
    from hlo.dialect.reader import read
    from hlo.dialect.registration import make_context
    from hlo.errors import HloError

    context = make_context()
    found: dict[str, dict[Instance, None]] = {}
    for path in (*sorted((ROOT / "test/dialect").glob("*.mlir")), *sorted((ROOT / "test/e2e").glob("*.mlir"))):
        for part in path.read_text().split("// -----"):
            if path.parent.name == "e2e" and not any(len(found.get(n, ())) < ENOUGH for n in OP.findall(part)):
                continue
            try:
                module = read(part, context)
            except HloError:
                continue
            for made in _of_module(module):
                found.setdefault(made.name, {})[made] = None
    return {name: list(made) for name, made in sorted(found.items())}


def _of_module(module: Any) -> list[Instance]:
    functions = [f for f in module.body.operations if f.operation.name == "func.func" and len(f.regions[0].blocks)]
    ops = [op for f in functions for op in f.regions[0].blocks[0].operations]
    return [made for op in ops if op.operation.name.startswith(("stablehlo.", "chlo.")) and (made := _instance(op))]


def _instance(op: Any) -> Instance | None:
    from hlo.dialect.printer import print_operation

    text = print_operation(op, generic=True, local_scope=True)
    if len(text) > LONGEST:
        return None
    name = op.operation.name
    body = text[text.index(")", text.index(f'"{name}"(')) + 1 :]
    inner, _, types = body.rpartition(" : (")
    operands, _, results = types.partition(") -> ")
    inner = inner.strip()
    end = inner.rfind("})") + 2 if inner.startswith("({") else 0
    sides = tuple(_types(operands)), tuple(_types(results.strip().removeprefix("(").removesuffix(")")))
    return Instance(name, *sides, inner[:end], inner[end:].strip(), tuple(_captured(op).items()))


def _types(text: str) -> list[str]:
    """Types between commas that are in no brackets."""
    found, depth = [""], 0
    for character in text.strip():
        depth += (character in "<(") - (character in ">)")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [t.strip() for t in found if t.strip()]


def _captured(op: Any) -> dict[str, str]:
    """Names and types of the values that its regions take from outside of it."""
    inside: set[Any] = set()
    used: list[Any] = []

    def visit(inner: Any) -> Any:
        for region in inner.regions:
            for block in region.blocks:
                inside.update(block.arguments)
        inside.update(inner.results)
        if inner != op.operation:
            used.extend(inner.operands)
        return ir.WalkResult.ADVANCE

    op.operation.walk(visit)
    return {v.get_name(): str(v.type) for v in used if v not in inside}


@cache
def _known_to_jaxlib() -> dict[str, list[Instance]]:
    known = {
        n: [i for i in made if not any(w in i.text() for w in UNKNOWN_TO_JAXLIB)] for n, made in instances().items()
    }
    return {name: made for name, made in known.items() if made}


def mutant(seed: int, number: int) -> str:
    """Instance `number` of a seed, one that upstream's verifier can read: an op with none to three changes."""
    choose = random.Random(f"{seed}:{number}:instance")
    return changed(_known_to_jaxlib(), choose.choice((0, 1, 1, 1, 2, 2, 3)), choose).text()


def changed(named: dict[str, list[Instance]], count: int, choose: random.Random) -> Instance:
    """One of the instances, changed so many times; all ops equally often, whatever the tests have more of."""
    instance = choose.choice(named[choose.choice(list(named))])
    for _ in range(count):
        instance = choose.choice(CHANGES)(instance, choose)
    return instance


Change = Callable[[Instance, random.Random], Instance]


def _one_type(instance: Instance, choose: random.Random) -> Instance:
    """The type of one operand or result."""
    types = [*instance.operands, *instance.results]
    if not types:
        return instance
    position = choose.randrange(len(types))
    types[position] = _other_type(types[position], choose)
    count = len(instance.operands)
    return replace(instance, operands=tuple(types[:count]), results=tuple(types[count:]))


def _equal_types(instance: Instance, choose: random.Random) -> Instance:
    """A type wherever it stands among operands and results."""
    types = [*instance.operands, *instance.results]
    if not types:
        return instance
    old = choose.choice(types)
    new = _other_type(old, choose)
    operands, results = (tuple(new if t == old else t for t in side) for side in (instance.operands, instance.results))
    return replace(instance, operands=operands, results=results)


def _other_type(t: str, choose: random.Random) -> str:
    """One size or the element type differs, or the rank."""
    match = TENSOR.fullmatch(t)
    if match is None:
        return choose.choice((t, "tensor<f32>", "!stablehlo.token", "tuple<tensor<f32>>"))
    sizes, element = match[1].split("x")[:-1], match[2]
    kind, position = choose.randrange(5), choose.randrange(len(sizes) + 1)
    if kind == 0:
        element = choose.choice(ELEMENTS)
    elif kind == 1:
        sizes.insert(position, choose.choice(SIZES))
    elif kind == 2:
        sizes[position : position + 1] = []
    elif position < len(sizes):
        sizes[position] = choose.choice(SIZES)
    return f"tensor<{''.join(f'{n}x' for n in sizes)}{element}>"


def _element_everywhere(instance: Instance, choose: random.Random) -> Instance:
    """An element type for another one, regions and attributes included."""
    text = " ".join((*instance.operands, *instance.results))
    found = ELEMENT.findall(text)
    if not found:
        return instance
    old, new = choose.choice(found), choose.choice(ELEMENTS)
    swap = lambda part: ELEMENT.sub(lambda m: new if m.group() == old else m.group(), part)
    sides = tuple(map(swap, instance.operands)), tuple(map(swap, instance.results))
    captured = tuple((name, swap(t)) for name, t in instance.captured)
    return Instance(instance.name, *sides, swap(instance.regions), instance.attributes, captured)


def _size_everywhere(instance: Instance, choose: random.Random) -> Instance:
    """A size of operands and results for another one."""
    sizes = [n for t in (*instance.operands, *instance.results) for n in re.findall(r"\d+(?=x)", t)]
    if not sizes:
        return instance
    old, new = choose.choice(sizes), choose.choice(SIZES)
    swap = lambda t: re.sub(rf"(?<=[<x]){old}(?=x)", new, t)
    return replace(instance, operands=tuple(map(swap, instance.operands)), results=tuple(map(swap, instance.results)))


def _attribute(instance: Instance, choose: random.Random) -> Instance:
    """A number, an array, a word or a truth value of the attributes."""
    pattern, values = choose.choice(
        (
            (NUMBER, INTEGERS), (NUMBER, INTEGERS), (NUMBER, INTEGERS), (BOOLEAN, ("true", "false")),
            (ARRAY, ("array<i64>", "array<i64: 0>", "array<i64: 1, 0>", "array<i64: 0, 1, 2>", "[]", "[0, 1]")),
            (ENUM, ("LT", "TOTALORDER", "FLOAT", "SIGNED", "FFT", "RFFT", "IRFFT", "NORMAL", "ADJOINT", "HIGHEST")),
        )
    )  # fmt: skip
    return replace(instance, attributes=_replaced(pattern, values, instance.attributes, choose))


def _region(instance: Instance, choose: random.Random) -> Instance:
    """A type in the regions: one of them, or all that are equal."""
    found = [m.group() for m in TENSOR.finditer(instance.regions)]
    if not found:
        return instance
    old = choose.choice(found)
    new = _other_type(old, choose)
    count = choose.choice((0, 1))  # 0: all
    return replace(instance, regions=re.sub(re.escape(old), lambda _: new, instance.regions, count=count))


def _count(instance: Instance, choose: random.Random) -> Instance:
    """An operand or a result more or less."""
    sides = [list(instance.operands), list(instance.results)]
    side = choose.choice(sides)
    position = choose.randrange(len(side) + 1)
    if choose.random() < 0.5 and side:
        side.insert(position, choose.choice(side))
    else:
        side[position : position + 1] = []
    return replace(instance, operands=tuple(sides[0]), results=tuple(sides[1]))


def _replaced(pattern: re.Pattern[str], values: tuple[str, ...], text: str, choose: random.Random) -> str:
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    found = choose.choice(matches)
    return text[: found.start()] + choose.choice(values) + text[found.end() :]


CHANGES: tuple[Change, ...] = (
    *(_one_type, _one_type, _equal_types, _equal_types, _element_everywhere, _element_everywhere),
    *(_size_everywhere, _attribute, _attribute, _attribute, _region, _count),
)
