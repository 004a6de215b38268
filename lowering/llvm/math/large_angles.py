"""sin, cos and tan of angles beyond the range of a kernel's expansion: a kernel branches to a routine
(`linalg/routine_calls.py`) that no shape changes, so that its code is made once a machine, not once a program.

    hlo_routine_angle_sin_1_16xf32    sines of vector<16xf32>, in f64 up to 2^31, then by libm
    hlo_routine_angle_sin_0_16xf32    sines by libm

Ordinary programs never take the branch."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import func, scf

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.routine_calls import PREFIX
from hlo.lowering.llvm.math import trigonometric
from hlo.lowering.llvm.math.operations import any_lane
from hlo.lowering.numbers import Number, element_type

Expansion = Callable[[Number], Number]

WIDE: dict[str, Expansion] = {"sin": trigonometric.sin, "cos": trigonometric.cos, "tan": trigonometric.tan}
"""Those for angles up to `trigonometric.LARGEST`."""
TYPES = {"f32": ir.F32Type, "f64": ir.F64Type}
NAME = re.compile(rf"{PREFIX}angle_({'|'.join(WIDE)})_([01])_(?:([1-9]\d*)x)?({'|'.join(TYPES)})")


@dataclass(frozen=True)
class LargeAngles:
    """A routine: `function` of a value of `type`, f32 or f64 or a vector of them. `expansions` is 1 where the wide
    expansion comes before libm."""

    function: str
    expansions: int
    type: ir.Type

    @property
    def name(self) -> str:
        lanes = f"{ir.VectorType(self.type).shape[0]}x" if isinstance(self.type, ir.VectorType) else ""
        return f"{PREFIX}angle_{self.function}_{self.expansions}_{lanes}{element_type(self.type)}"

    def call(self, module: ir.Module, x: Number) -> Number:
        table = ir.SymbolTable(module.operation)
        if self.name not in table:
            with ir.InsertionPoint(module.body):
                self._function("private")
        return Number(func.CallOp([self.type], self.name, [x.value]).results[0])

    def define(self) -> None:
        """The routine's code, before it is in the LLVM dialect."""
        function = self._function("public")
        with ir.InsertionPoint(function.add_entry_block()):
            x = Number(function.arguments[0])
            func.ReturnOp([(self._wide(x) if self.expansions else self._by_libm(x)).value])

    def _function(self, visibility: str) -> func.FuncOp:
        type = ir.FunctionType.get([self.type], [self.type])
        function = func.FuncOp(self.name, type, visibility=visibility)
        texts = [ir.StringAttr.get(text) for text in ("noinline", "cold")]
        function.attributes["passthrough"] = ir.ArrayAttr.get(texts)
        return function

    def _wide(self, x: Number) -> Number:
        return bounded(x, WIDE[self.function], trigonometric.LARGEST[x.width], self._by_libm)

    def _by_libm(self, x: Number) -> Number:
        """Of each lane; no op of math, which expand-math would expand."""
        return Number(ir.Operation.create(f"llvm.intr.{self.function}", [self.type], [x.value]).result)


def bounded(x: Number, expansion: Expansion, largest: float, beyond: Expansion) -> Number:
    """An expansion for angles up to `largest`; where a lane is beyond, another one for all lanes."""
    branch = scf.IfOp(any_lane(abs(x) > largest), [x.type], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([beyond(x).value])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([expansion(x).value])
    return Number(branch.results[0])


def is_of_angles(name: str) -> bool:
    """Whether a routine's name is one of these."""
    return NAME.fullmatch(name) is not None


def routine_of_angles(name: str) -> LargeAngles:
    """The routine of such a name. A context and a location are the current ones."""
    function, expansions, lanes, element = NAME.fullmatch(name).groups()  # type: ignore[union-attr]
    type = TYPES[element].get()
    return LargeAngles(function, int(expansions), ir.VectorType.get([int(lanes)], type) if lanes else type)


def module_of_angles(names: Sequence[str]) -> ir.Module:
    """A function for each name, before they are in the LLVM dialect."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        for name in names:
            routine_of_angles(name).define()
    return module
