"""The pass `outline-layers`: stretches of ops that repeat become calls of one function, which is compiled once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.merging import tell_merge
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.calls.repeats import Repeat, Repeats
from hlo.lowering.stablehlo.rewriting import function_blocks

LAYER = "hlo.layer"
"""The attribute of such functions: they stay functions down to machine code."""


@register_pass
class OutlineLayers(Pass):
    """Replaces repeated stretches (repeats.py tells which) by calls of private functions with `hlo.layer`.

    %1 = dot_general %0, %a   %2 = tanh %1             %2 = call @layer_0(%0, %a)
    %3 = dot_general %2, %b   %4 = tanh %3   becomes   %4 = call @layer_0(%2, %b)
    %5 = dot_general %4, %c   %6 = tanh %5             %6 = call @layer_0(%4, %c)

    Constants that are the same each time are in the function. A program that may overwrite its arguments stays as it is:
    a function may not overwrite what it is given."""

    def run(self, module: ir.Module) -> None:
        if _overwrites_arguments(module):
            return
        names = {f.name.value for f in module.body.operations if isinstance(f, func.FuncOp)}
        for block in list(function_blocks(module)):
            repeats = Repeats(block)
            for repeat in sorted(repeats.find(), key=lambda r: r.start):
                _Outliner(module, repeats.ops, repeat, _fresh(names)).run()


def _overwrites_arguments(module: ir.Module) -> bool:
    attributes = module.operation.attributes
    return "hlo.donated" in attributes and len(ir.DenseI64ArrayAttr(attributes["hlo.donated"])) > 0


def _fresh(taken: set[str]) -> str:
    """A name that no function has yet."""
    name = next(f"layer_{n}" for n in count() if f"layer_{n}" not in taken)
    taken.add(name)
    return name


class _Outliner:
    """Makes the function of one repeat and its calls."""

    def __init__(self, module: ir.Module, ops: list[Any], repeat: Repeat, name: str):
        self.module, self.repeat, self.name = module, repeat, name
        self.stretches = [[ops[n] for n in repeat.stretch(number)] for number in range(repeat.count)]
        self.results = [
            [ops[m.op + n * repeat.length].results[m.result] for m in repeat.results] for n in range(repeat.count)
        ]
        self.calls: dict[ir.Value, ir.Value] = {}
        """The result of a call that stands for an op's."""

    def run(self) -> None:
        columns = self._read_from_outside()
        constants = [c for c in columns if _is_same_constant(c)]
        given = [c for c in columns if c not in constants]
        self._function(given, constants)
        for number in range(self.repeat.count):
            self._call(number, [column[number] for column in given])
        for stretch in reversed(self.stretches):
            for op in reversed(stretch):
                op.operation.erase()

    def _read_from_outside(self) -> list[tuple[ir.Value, ...]]:
        """What a stretch reads and has not made: columns of one value for each stretch."""
        own = {result for op in self.stretches[0] for result in op.results}
        columns = (column for same in zip(*self.stretches, strict=True) for column in _columns(same))
        return list(dict.fromkeys(c for c in columns if c[0] not in own))

    def _function(self, given: list[tuple[ir.Value, ...]], constants: list[tuple[ir.Value, ...]]) -> None:
        kind = ir.FunctionType.get([c[0].type for c in given], [r.type for r in self.results[0]])
        with self.stretches[0][0].location, ir.InsertionPoint(self.module.body):
            function = func.FuncOp(self.name, kind, visibility="private")
            entry = function.add_entry_block()
        function.attributes[LAYER] = ir.UnitAttr.get()
        outside = dict(zip(given, entry.arguments, strict=True))
        inside: dict[ir.Value, ir.Value] = {}
        with ir.InsertionPoint(entry):
            for column in constants:
                outside[column] = column[0].owner.clone().results[0]
            for same in zip(*self.stretches, strict=True):
                copy = same[0].operation.clone()
                for other in same[1:]:
                    tell_merge(copy, other)
                for number, column in enumerate(_columns(same)):
                    copy.operands[number] = inside[column[0]] if column[0] in inside else outside[column]
                inside.update(zip(same[0].results, copy.results, strict=True))
            with self.stretches[0][-1].location:
                func.ReturnOp([inside[r] for r in self.results[0]])

    def _call(self, number: int, operands: list[ir.Value]) -> None:
        first = self.stretches[number][0]
        with first.location, ir.InsertionPoint(first):
            types = [r.type for r in self.results[number]]
            call = func.CallOp(types, self.name, [self.calls.get(v, v) for v in operands])
        for old, new in zip(self.results[number], call.results, strict=True):
            old.replace_all_uses_with(new)
            self.calls[old] = new


def _columns(same: Sequence[Any]) -> Iterator[tuple[ir.Value, ...]]:
    """The operands of ops that are the same in all stretches, side by side."""
    return zip(*(op.operands for op in same), strict=True)


def _is_same_constant(column: tuple[ir.Value, ...]) -> bool:
    owners = [value.owner for value in column]
    if any(isinstance(o, ir.Block) or o.name != "stablehlo.constant" for o in owners):
        return False
    return len({o.attributes["value"] for o in owners}) == 1
