"""Programs with changes that most often leave them right, so that what comes after the verifier sees them: ops alone with other
types, sizes and attributes; functions of the project's tests; and random programs of many ops (`tools/differential`).

Program N of a seed is the same text in every run, until the programs of test/ or the generators change."""

from __future__ import annotations

import random
import re
from functools import cache

from hlo.tools.fuzz import instances, texts

SOURCES = {"op": 12, "function": 3, "random": 5}
"""How often a mutant is made from what."""
FUNCTION = re.compile(r"^[ \t]*func\.func (?:public )?@", re.MULTILINE)
CHANGES = (
    *(texts.sizes, texts.sizes, texts.elements, texts.small_numbers, texts.small_numbers),
    *(texts.attributes, texts.operands, texts.operands),
)
"""Of random programs: whatever makes a parser fail would be found in shorter ones too."""


def mutant(seed: int, number: int) -> str:
    """Text `number` of a seed."""
    choose = random.Random(f"{seed}:{number}")
    source = choose.choices(list(SOURCES), list(SOURCES.values()))[0]
    if source == "op":
        return instances.changed(instances.instances(), choose.choice((1, 1, 2, 3)), choose).text()
    if source == "random":
        return choose.choice(CHANGES)(_random_program(f"{seed}:{number}"), choose)
    return texts.changed(choose.choice(_functions()), texts.FORM_KEEPING, choose)


@cache
def _functions() -> list[str]:
    """The programs of the tests, those of functions that do not refer to each other cut into functions: what is changed in
    one is then what runs."""
    found: list[str] = []
    for text in texts.seeds():
        found += _parts(text)
    return found


def _parts(text: str) -> list[str]:
    starts = [m.start() for m in FUNCTION.finditer(text)]
    bodies = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)])]
    names = [re.match(r"\s*func\.func (?:public )?(@[\w.$-]+)", body)[1] for body in bodies]  # type: ignore[index]
    is_nested = "module" in text[: starts[0]] if starts else True
    if is_nested or re.search(r"^\s*(?:func\.func private|sdy\.|#|!)", text, re.MULTILINE):
        return [text]
    if any(re.search(rf"{re.escape(name)}\b", body[body.index("(") :]) for name in names for body in bodies):
        return [text]
    return bodies


def _random_program(seed: str) -> str:
    from hlo.builder import Builder
    from hlo.dialect.printer import print_module
    from hlo.tools.differential.batch import generate
    from hlo.tools.differential.source import Seeded

    builder = Builder()
    program = generate(Seeded(seed), builder, [], 0)
    return print_module(builder.build(program.results))
