"""What is wrong with the meshes and shardings of a module, each finding at its op: `check_shardings`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.cursor import Unexpected
from hlo.dialect.locations import diagnostic
from hlo.dialect.sharding.model import AxisRef, Mesh, Sharding
from hlo.dialect.sharding.text import parse_axes, parse_mesh, parse_sharding, parse_shardings
from hlo.errors import Diagnostic

RESHARDINGS = ("sdy.sharding_constraint", "sdy.reshard")
ANNOTATED = (*RESHARDINGS, "sdy.manual_computation", "func.func")
"""Ops that hold shardings in other attributes than sdy.sharding."""


def check_shardings(module: ir.Module) -> list[Diagnostic]:
    """Every mistake in the sharding attributes and ops of a module, in the order of its ops."""
    return read_shardings(module).findings


def read_shardings(module: ir.Module) -> Checker:
    """The same, with the meshes and shardings that were found."""
    checker = Checker()
    for op in module.body.operations:
        if op.operation.name == "sdy.mesh":
            checker.mesh(op)
    for op in module.body.operations:
        checker.op(op)
    return checker


def meshes_of(module: ir.Module) -> dict[str, Mesh]:
    """The meshes of a checked module, by name."""
    ops = [op for op in module.body.operations if op.operation.name == "sdy.mesh"]
    return {op.attributes["sym_name"].value: parse_mesh(str(op.attributes["mesh"])) for op in ops}


def mesh_error(mesh: Mesh) -> str | None:
    names = [name for name, _ in mesh.axes]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        return f"axes of a mesh must have different names, found '{twice}' twice"
    bad = next((f"{name!r} of size {size}" for name, size in mesh.axes if size < 1), None)
    if bad:
        return f"sizes of axes must be above 0, found {bad}"
    ids = mesh.device_ids
    if not mesh.axes:
        return None if len(ids) <= 1 else f"a mesh without axes has at most one device, found {len(ids)}"
    if ids and (len(ids) != mesh.size or sorted(ids) != list(range(mesh.size))):
        return f"device_ids must be 0 to {mesh.size - 1} (a mesh of {mesh.size} devices), each once, found {list(ids)}"
    return None


def axes_error(refs: Sequence[AxisRef], mesh: Mesh) -> str | None:
    """Axes must be the mesh's; their parts must be parts; none may stand twice, as a whole or in parts."""
    sizes = dict(mesh.axes)
    taken: dict[str, list[tuple[int, int]]] = {}
    for ref in refs:
        if ref.name not in sizes:
            known = ", ".join(f"'{n}'" for n in sizes) or "none"
            return f"unknown axis '{ref.name}', axes of the mesh are {known}"
        size = ref.size or sizes[ref.name]
        if ref.pre_size < 1 or size < 1 or sizes[ref.name] % (ref.pre_size * size) or (ref.size == 1):
            return f"{ref} must be a part of axis '{ref.name}' of size {sizes[ref.name]}"
        interval = ref.pre_size, ref.pre_size * size
        for start, end in taken.get(ref.name, []):
            if start < interval[1] and interval[0] < end and size > 1:
                return (
                    f"an axis must stand once in a sharding, found {ref} twice or together with a part that overlaps it"
                )
        taken.setdefault(ref.name, []).append(interval)
    return None


def is_lone(sharding: Sharding, meshes: dict[str, Mesh]) -> bool:
    """Whether this is a maximal sharding: on one device, which has the whole tensor."""
    mesh = meshes.get(sharding.mesh)
    return mesh is not None and not mesh.axes and bool(mesh.device_ids) and not sharding.dimensions


def sharding_error(sharding: Sharding, meshes: dict[str, Mesh], rank: int | None) -> str | None:
    """`rank`: that of the tensor, None for what is no tensor."""
    if sharding.mesh not in meshes:
        known = ", ".join(f"@{n}" for n in meshes) or "none"
        return f"unknown mesh @{sharding.mesh}, meshes of the module are {known}"
    count = len(sharding.dimensions)
    if count != (rank or 0) and not is_lone(sharding, meshes):
        return f"a sharding must have a dimension for each of the tensor's, {rank or 0}, found {count} in {sharding}"
    error = axes_error(sharding.refs, meshes[sharding.mesh])
    return f"{error} (in {sharding})" if error else None


class Checker:
    """Walks a module. `meshes`: those without a mistake, by name. `shardings`: all that name one of them. What names a mesh with
    a mistake is not looked at any further."""

    def __init__(self) -> None:
        self.meshes: dict[str, Mesh] = {}
        self._wrong_meshes: set[str] = set()
        self.shardings: set[Sharding] = set()
        self.findings: list[Diagnostic] = []
        self._correct: set[tuple[str, Any]] = set()

    def report(self, op: Any, message: str) -> None:
        self.findings.append(diagnostic(op, f"'{op.operation.name}' op {message}"))

    def parsed(self, op: Any, parse: Callable[[str], Any], text: str) -> Any:
        try:
            return parse(text)
        except Unexpected as error:
            self.report(op, f"{error.message} in {text}")
            return None

    def mesh(self, op: Any) -> None:
        name = op.attributes["sym_name"].value
        found = self.parsed(op, parse_mesh, str(op.attributes["mesh"]))
        if found is None:
            self._wrong_meshes.add(name)
            return
        error = mesh_error(found)
        sizes = {m.size for m in self.meshes.values() if m.axes}
        if not error and found.axes and sizes and found.size not in sizes:
            error = f"all meshes of a module must have as many devices, found {found.size} and {min(sizes)}"
        if error:
            self.report(op, error)
            self._wrong_meshes.add(name)
        else:
            self.meshes[name] = found

    def op(self, op: Any) -> None:
        name, attributes = op.operation.name, op.attributes
        if name in ANNOTATED or "sdy.sharding" in attributes:
            for owner, text, types in _annotations(op, name):
                self.annotation(op, owner, text, types)
            if name == "sdy.manual_computation":
                self.manual(op)
        if len(op.regions):
            for region in op.regions:
                for block in region.blocks:
                    for inner in block.operations:
                        self.op(inner)

    def annotation(self, op: Any, owner: str, text: str, types: list[ir.Type]) -> list[Sharding] | None:
        key = text, tuple(types)
        single = not text.startswith("#sdy.sharding_per_value")
        if key in self._correct:
            return [parse_sharding(text)] if single else list(parse_shardings(text))
        found = self.parsed(op, parse_sharding if single else parse_shardings, text)
        if found is None:
            return None
        shardings = [found] if single else list(found)
        if any(sharding.mesh in self._wrong_meshes for sharding in shardings):
            return None
        if not types and len(shardings) == 1 and is_lone(shardings[0], self.meshes):
            return shardings  # of an op without results, which one device runs
        if len(shardings) != len(types):
            self.report(op, f"{owner}must have a sharding for each of {len(types)} values, found {len(shardings)}")
            return None
        for sharding, type in zip(shardings, types):
            rank = len(type.shape) if isinstance(type, ir.RankedTensorType) else None
            error = sharding_error(sharding, self.meshes, rank)
            if error:
                self.report(op, owner + error)
                return None
        self._correct.add(key)
        self.shardings.update(shardings)
        return shardings

    def manual(self, op: Any) -> None:
        """The axes of a manual computation, and the types inside, which are those of its parts."""
        attributes = op.attributes
        manual = self.parsed(op, parse_axes, str(attributes["manual_axes"]))
        block = op.regions[0].blocks[0]
        returned = block.operations[-1].operands if len(block.operations) else ()
        sides = (
            ("in_shardings", list(op.operands), list(block.arguments)),
            ("out_shardings", list(op.results), list(returned)),
        )
        for key, outside, inside in sides:
            shardings = self.annotation(op, f"{key}: ", str(attributes[key]), [v.type for v in outside])
            if manual is None or shardings is None:
                return
            if len(inside) != len(outside):
                self.report(op, f"the body must have {len(outside)} values for {key}, found {len(inside)}")
                return
            for sharding, whole, part in zip(shardings, outside, inside):
                error = manual_error(sharding, set(manual), self.meshes[sharding.mesh], whole.type, part.type)
                if error:
                    self.report(op, f"{key}: {error}")
                    return


def manual_error(sharding: Sharding, manual: set[str], mesh: Mesh, whole: ir.Type, part: ir.Type) -> str | None:
    """Manual axes must be the mesh's and come before all others of their dimension, and the body must have parts."""
    sizes = dict(mesh.axes)
    unknown = sorted(manual - set(sizes))
    if unknown:
        return f"unknown manual axis '{unknown[0]}', axes of the mesh are {', '.join(map(repr, sizes))}"
    expected = list(whole.shape) if isinstance(whole, ir.RankedTensorType) else []
    for number, dimension in enumerate(sharding.dimensions):
        kinds = [ref.name in manual for ref in dimension.axes]
        if sorted(kinds, reverse=True) != kinds:
            return f"manual axes must come before others in a dimension, found {sharding}"
        parts = prod(ref.size or sizes[ref.name] for ref in dimension.axes if ref.name in manual)
        if parts and expected[number] % parts:
            return f"manual axes must cut dimension {number} of {whole} into equal parts, found {parts} parts"
        expected[number] //= max(parts, 1)
    if isinstance(part, ir.RankedTensorType) and list(part.shape) != expected:
        return f"the body must have a part of shape {expected} of {whole}, found {part}"
    return None


def _annotations(op: Any, name: str) -> Iterator[tuple[str, str, list[ir.Type]]]:
    """Where an op holds shardings: words for its owner, the attribute's text, the types of the values."""
    attributes = op.attributes
    if name == "func.func":
        kind = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
        for key, what, types in (("arg_attrs", "argument", kind.inputs), ("res_attrs", "result", kind.results)):
            if key in attributes:
                for number, one in enumerate(ir.ArrayAttr(attributes[key])):
                    if "sdy.sharding" in ir.DictAttr(one):
                        text = str(ir.DictAttr(one)["sdy.sharding"])
                        yield f"{what} {number}: ", text, [types[number]]
        return
    if name in RESHARDINGS:
        yield "", str(attributes["sharding"]), [op.results[0].type]
    if "sdy.sharding" in attributes:
        yield "", str(attributes["sdy.sharding"]), [r.type for r in op.results]
