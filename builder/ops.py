"""A method for every op: generated from the registry, `add`, `dot_general`, ...; Python's keywords get an underscore
(`and_`, `if_`). Those of other dialects are methods of `builder.chlo`, `builder.check`, `builder.interpreter`."""

from __future__ import annotations

from typing import Any

from hlo.builder.arguments import method_name
from hlo.builder.core import Core
from hlo.dialect.definition import OPS, Op


class Namespace:
    """The ops of one dialect."""

    def __init__(self, builder: Core, dialect: str):
        self._builder = builder
        self._names = {method_name(c.MNEMONIC): n for n, c in OPS.items() if dialect == c.DIALECT}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._names:
            raise AttributeError(f"no op {name!r}")
        return lambda *arguments, **named: self._builder.op(self._names[name], *arguments, **named)

    def __dir__(self) -> list[str]:
        return sorted(self._names)


def _method(cls: type[Op]) -> Any:
    def build(self: Core, *arguments: Any, **named: Any) -> Any:
        return self.op(cls.OPERATION_NAME, *arguments, **named)

    parts = [d.name for d in (*cls.OPERANDS, *cls.REGIONS, *cls.ATTRIBUTES)]
    build.__name__ = method_name(cls.MNEMONIC)
    build.__doc__ = f"{cls.__doc__}\n\nTakes {', '.join(parts) or 'nothing'}."
    return build


class Ops(Core):
    """All stablehlo ops as methods."""

    def __getattr__(self, name: str) -> Any:
        if name in ("chlo", "check", "interpreter"):
            return Namespace(self, name)
        raise AttributeError(f"the builder has no op or method {name!r}")


for _cls in OPS.values():
    if _cls.DIALECT == "stablehlo" and not _cls.IS_TERMINATOR and not hasattr(Core, method_name(_cls.MNEMONIC)):
        setattr(Ops, method_name(_cls.MNEMONIC), _method(_cls))
