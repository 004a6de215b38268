"""A program as an object file with its header: the functions become code for each level of processors, and are joined."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import ArgumentError, CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.aot.constants_file import ConstantsFile, map_text
from hlo.runtime.aot.entry_text import FILE, LEVEL, CFunction, Version, declarations, function_text
from hlo.runtime.aot.join import Joined
from hlo.runtime.aot.lapack_text import symbols_of_plan
from hlo.runtime.aot.levels import level_text, tiles_text
from hlo.runtime.aot.lower import LAPACK, CCall, Lowered, Shapes, lower
from hlo.runtime.aot.names import check_identifier
from hlo.runtime.aot.platforms import Level, Platform, target
from hlo.runtime.aot.threads import pool_name, run_parts_texts
from hlo.runtime.custom_calls import lapack_runner


@dataclass(frozen=True)
class Options:
    """What the object is to be like. `is_static`: workspaces are static storage. `uses_file`: constants are in a file of their own.
    `lapack`: one of LAPACK."""

    platform: Platform
    levels: tuple[Level, ...]
    threads: str = "none"
    is_static: bool = False
    uses_file: bool = False
    lapack: str = LAPACK[0]


@dataclass(frozen=True)
class Model:
    """What files are made from."""

    name: str
    version: str
    platform: Platform
    cpus: tuple[str, ...]
    threads: str
    is_static: bool
    functions: tuple[CFunction, ...]
    object: bytes
    constants_file: bytes | None

    @property
    def loader_name(self) -> str:
        return f"{self.name}_load_constants"

    @property
    def setter_name(self) -> str:
        return f"{self.name}_set_threads"

    @property
    def c_calls(self) -> list[str]:
        """The C functions that programs call, which users write."""
        return sorted({c.name for c in self._calls if c.is_users and c.name})

    @property
    def lapack_symbols(self) -> list[str]:
        return sorted({s for c in self._calls if c.plan for s in symbols_of_plan(c.plan)})

    @property
    def _calls(self) -> Iterator[CCall]:
        return (c for f in self.functions for v in f.versions for c in v.calls)

    @property
    def exported(self) -> list[str]:
        extra = [self.loader_name] * (self.constants_file is not None) + [self.setter_name] * (self.threads == "pool")
        return [*(f.name for f in self.functions), *extra]


def build(
    program: ir.Module,
    name: str,
    entries: Sequence[str],
    options: Options,
    argument_names: Mapping[str, Sequence[str]],
    shapes: Shapes | None = None,
) -> Model:
    """The model of some functions of a program. Raises an HloError for what an object cannot have."""
    from hlo import __version__

    _check_names(name, entries)
    joined = Joined(options.levels[0].machine)
    file = ConstantsFile() if options.uses_file else None
    try:
        add = functools.partial(_add_function, joined, program, name, options, file, shapes=shapes)
        functions = tuple(add(entry, argument_names[entry]) for entry in entries)
        contents = file.contents() if file is not None else None
        made = Model(
            name,
            __version__,
            options.platform,
            tuple(level.name for level in options.levels),
            options.threads,
            options.is_static,
            functions,
            b"",
            contents,
        )
        _check_c_names(made)
        for text in _texts(made, options):
            joined.add_text(text)
        return _with_object(made, joined)
    finally:
        joined.close()


def _check_names(name: str, entries: Sequence[str]) -> None:
    check_identifier(name, "the name of an object")
    for entry in entries:
        check_identifier(f"{name}_{entry}", f"the C function of @{entry}")


def _check_c_names(model: Model) -> None:
    """Names that are distinguished by case only, or those of the object's own functions."""
    names = {
        **{f"the function @{f.function}": f.name for f in model.functions},
        "what maps the file of constants": model.loader_name,
        "what limits the threads": model.setter_name,
        **{f"the custom call @{name}": name for name in model.c_calls},
        **{f"LAPACK's {name}": name for name in model.lapack_symbols},
    }
    seen: dict[str, str] = {}
    for what, name in names.items():
        other = seen.setdefault(name.upper(), what)
        if other != what:
            raise CompileError(
                f"two C names of the object clash: {names[other]} ({other}) and {name} ({what}): another name is needed"
            )


def _add_function(
    joined: Joined,
    program: ir.Module,
    name: str,
    options: Options,
    file: ConstantsFile | None,
    entry: str,
    arguments: Sequence[str],
    shapes: Shapes | None,
) -> CFunction:
    """Compiles one function for each level, adds its code and constants, and says how C calls it."""
    versions, arena, signature = [], 0, None
    for number, level in enumerate(options.levels):
        lowered = lower(program, entry, level.target, shapes, options.lapack)
        symbol = f"{name}_{entry}.code.{number}"
        machine = level.machine if len(options.levels) > 1 else None
        joined.add_program(lowered.module, symbol, machine)
        versions.append(Version(symbol, _constant_locations(joined, file, lowered), tuple(lowered.calls)))
        arena, signature = max(arena, lowered.arena), lowered.signature
    assert signature is not None
    if len(arguments) != len(signature.arguments):  # tuples are opened, tokens are nothing
        arguments = [f"arg{n}" for n in range(len(signature.arguments))]
    return CFunction(f"{name}_{entry}", entry, signature, tuple(arguments), arena, tuple(versions))


def _constant_locations(joined: Joined, file: ConstantsFile | None, lowered: Lowered) -> tuple[str | int, ...]:
    if file is not None:
        return tuple(map(file.add, lowered.constants))
    return tuple(joined.data(np.ascontiguousarray(array).tobytes()) for array in lowered.constants)


def _texts(model: Model, options: Options) -> list[str]:
    texts = [*run_parts_texts(model.threads, model.platform, model.setter_name)]
    if model.lapack_symbols:
        texts.append(lapack_runner.text())
    if len(options.levels) > 1:
        texts.append(level_text([level.name for level in options.levels], model.platform.system))
    elif target(options.levels[0].target).matrices:
        texts.append(tiles_text())
    if model.constants_file is not None:
        texts.append(map_text(model.loader_name, model.constants_file, model.platform))
    texts.append(declarations(model.functions))
    bits, uses_file = model.platform.pointer_bits, model.constants_file is not None
    for f in model.functions:
        outside = [f"@{c} = external constant i8" for v in f.versions for c in v.constants if isinstance(c, str)]
        extern = "\n".join([*dict.fromkeys(outside), *_words(uses_file, len(options.levels))])
        texts.append(extern + "\n" + declarations([f]) + "\n" + function_text(f, bits, options.is_static, uses_file))
    return texts


def _words(uses_file: bool, levels: int) -> list[str]:
    return [f"@{FILE} = external global ptr"] * uses_file + [f"@{LEVEL} = external global i32"] * (levels > 1)


def _with_object(model: Model, joined: Joined) -> Model:
    kept = [*model.exported, *pool_name(model.threads, model.platform)]
    return replace(model, object=joined.file(kept))


def entries_of(program: ir.Module, chosen: Any) -> list[str]:
    """The functions that C may call: those that were chosen, or all public ones with a body. Raises ArgumentError."""
    functions = [op for op in program.body.operations if op.operation.name == "func.func" and not op.is_external]
    public = [op.name.value for op in functions if not _is_private(op)]
    if chosen is None:
        if not public:
            raise CompileError("the program has no public function")
        return public
    if isinstance(chosen, str) or not isinstance(chosen, Sequence) or not chosen:
        raise ArgumentError(f"entries takes a list of names of functions, found {chosen!r}")
    known = [op.name.value for op in functions]
    for name in chosen:
        if name not in known:
            raise ArgumentError(f"no function {name!r} to compile; functions: {', '.join(known) or 'none'}")
    return list(dict.fromkeys(chosen))


def _is_private(function: Any) -> bool:
    attributes = function.operation.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value == "private"
