"""A pass whose code is wrong when it runs."""

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class BrokenLate(Pass):
    def run(self, module: ir.Module) -> None:
        {}["no such key"]
