"""A pass from a user's file: it refuses every module."""

from dataclasses import dataclass

from mlir import ir

from hlo import CompileError
from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class RefuseAll(Pass):
    def run(self, module: ir.Module) -> None:
        raise CompileError("no module is good enough")
