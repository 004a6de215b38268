"""Every op of the registry infers its result types, but for what its class says its writer chooses: in every program of
the repository, the types that follow are those that are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlir import ir

import hlo
from hlo.dialect.choices import ELEMENT, SIZES, TYPES, ChoiceMissing, Chosen
from hlo.dialect.definition import OPS, Op
from hlo.dialect.reader import split_input
from hlo.dialect.registration import make_context
from hlo.dialect.types import DYNAMIC, compatible, element_type, is_quantized, is_tensor, shape

make_context()  # registers the ops

ROOT = Path(hlo.__file__).resolve().parent.parent
PROGRAMS = sorted([*ROOT.glob("test/e2e/*.mlir"), *ROOT.glob("examples/*.mlir")])

GIVEN = {
    "stablehlo.custom_call": "its target alone knows them",
    "stablehlo.infeed": "the host's queue alone knows them",
    "stablehlo.recv": "the sender alone knows them",
}
"""Ops whose result types are arguments of the builder's call."""

NO_PROGRAM = {
    "stablehlo.compute_reshape_shape": "takes a builtin index, which no op of these dialects gives",
    "stablehlo.cstr_reshapable": "takes a builtin index, which no op of these dialects gives",
}
"""Ops with results of which no program of these is one."""


def test_all_ops_infer_but_those_named() -> None:
    with_results = {name: op for name, op in OPS.items() if op.RESULTS}
    assert {name for name, op in with_results.items() if TYPES in op.CHOICE} == set(GIVEN)
    assert [name for name, op in with_results.items() if op.infer is Op.infer and name not in GIVEN] == []
    assert {choice for op in OPS.values() for choice in op.CHOICE} == {ELEMENT, SIZES, TYPES}


def ops(block: ir.Block) -> Iterator[Any]:
    for op in block.operations:
        yield op
        for region in op.regions:
            for inner in region.blocks:
                yield from ops(inner)


def adaptor(op: Any, chosen: Chosen) -> Any:
    attributes = {name: op.attributes[name] for name in op.attributes}
    return type(op).AdaptorClass(list(op.operands), attributes, list(op.regions), chosen, op.operation)


def choice(op: Any) -> Chosen:
    """What the writer of this op chose, and nothing that is not hers to choose."""
    last = op.results[-1].type
    element = element_type(last) if ELEMENT in op.CHOICE else None
    return Chosen(element, list(shape(last)) if SIZES in op.CHOICE else None)


def is_free(t: ir.Type) -> bool:
    """Whether another spelling of the type is legal: sizes left open, or bounded, or quantization parameters."""
    if not is_tensor(t):
        return "tensor<" in str(t)
    return DYNAMIC in shape(t) or ir.RankedTensorType(t).encoding is not None or is_quantized(element_type(t))


def is_written(inferred: ir.Type, written: ir.Type) -> bool:
    return inferred == written or (compatible(inferred, written) and (is_free(inferred) or is_free(written)))


def wrong(op: Any) -> str | None:
    written = [r.type for r in op.results]
    inferred = adaptor(op, choice(op)).infer()
    if len(inferred) == len(written) and all(map(is_written, inferred, written)):
        return None
    return f"{op.location}: {op.operation.name}: {list(map(str, inferred))}, written {list(map(str, written))}"


def suggestion_error(op: Any) -> str | None:
    """Without a choice: sizes that follow from constants are the written ones, others are open."""
    try:
        inferred = adaptor(op, Chosen()).infer()
    except ChoiceMissing:
        return None
    last, written = inferred[-1], op.results[-1].type
    found = shape(last), shape(written)
    if len(found[0]) == len(found[1]) and all(a in (b, DYNAMIC) or b == DYNAMIC for a, b in zip(*found)):
        return None
    return f"{op.location}: {op.operation.name}: suggests {last}, written {written}"


def check(path: Path, seen: set[str]) -> list[str]:
    findings: list[str | None] = []
    for line, text in split_input(path.read_text()):
        module = hlo.parse(text, file_name=f"{path.name}+{line}")
        with module.context, ir.Location.unknown():
            for op in ops(module.body):
                if not isinstance(op, Op) or not op.RESULTS or TYPES in op.CHOICE:
                    continue
                seen.add(op.operation.name)
                findings += [wrong(op), suggestion_error(op) if op.CHOICE else None]
    return [f for f in findings if f]


def test_inferred_types_are_the_written_ones() -> None:
    seen: set[str] = set()
    findings = [finding for path in PROGRAMS for finding in check(path, seen)]
    assert findings == []
    assert {name for name, op in OPS.items() if op.RESULTS} - seen == set(GIVEN) | set(NO_PROGRAM)
