"""hlo: a StableHLO compiler in Python on upstream MLIR.

    import hlo
    exe = hlo.compile("program.mlir")       # or text, or a module from hlo.parse / hlo.load
    outputs = exe(*arrays)                  # numpy in, a list of numpy arrays out

Names are loaded on first use, so that `import hlo` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hlo.errors import ArgumentError, CompileError, HloError, ParseError, VerifyError
from hlo.garbage import importing
from hlo.other_llvm import watch

if TYPE_CHECKING:
    from hlo import aot as aot
    from hlo import pipelines as pipelines
    from hlo.api import compile as compile
    from hlo.api import load as load
    from hlo.api import parse as parse
    from hlo.builder import Builder as Builder
    from hlo.builder import Client as Client
    from hlo.builder import ComputationBuilder as ComputationBuilder
    from hlo.dialect.printer import print_module as print_module
    from hlo.runtime.calls.executable import Executable as Executable
    from hlo.runtime.code.symbols import register_custom_call_symbol as register_custom_call_symbol
    from hlo.runtime.isolated.limits import Limits as Limits
    from hlo.runtime.saved.load_file import load_executable as load_executable
    from hlo.targets import Target as Target
    from hlo.targets import register_target as register_target

watch()

__version__ = "0.1.0"

_LAZY = {
    "Builder": "hlo.builder",
    "Client": "hlo.builder",
    "ComputationBuilder": "hlo.builder",
    "parse": "hlo.api",
    "load": "hlo.api",
    "load_executable": "hlo.runtime.saved.load_file",
    "compile": "hlo.api",
    "Executable": "hlo.runtime.calls.executable",
    "Limits": "hlo.runtime.isolated.limits",
    "print_module": "hlo.dialect.printer",
    "Target": "hlo.targets",
    "register_custom_call_symbol": "hlo.runtime.code.symbols",
    "register_target": "hlo.targets",
}
_MODULES = {"aot", "builder", "dialect", "lowering", "pipelines", "runtime", "tools"}

__all__ = [
    "ArgumentError",
    "Builder",
    "Client",
    "CompileError",
    "ComputationBuilder",
    "Executable",
    "HloError",
    "Limits",
    "ParseError",
    "Target",
    "VerifyError",
    "compile",
    "load",
    "load_executable",
    "parse",
    "pipelines",
    "print_module",
    "register_custom_call_symbol",
    "register_target",
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name) or (f"hlo.{name}" if name in _MODULES else None)
    if module:
        with importing(module):
            loaded = import_module(module)
        return getattr(loaded, name) if name in _LAZY else loaded
    raise AttributeError(f"module 'hlo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES})
