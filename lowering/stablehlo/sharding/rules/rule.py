"""What an op's rule says: for each operand and result the factors that its dimensions are made of.

    dot_general   [(i),(k)] [(k),(j)] -> [(i),(j)]         reductions {k: add}
    reshape       [(i,j),(k)] -> [(i),(j,k)]               exact {i,j,k}
    sort along 0  [(),(j)] -> [(),(j)]

A dimension of several factors has them major to minor. A dimension without a factor must be whole while the op is
computed. Axes of a mesh go along factors: one assignment of axes to factors says how an op runs on parts.

Families write their rules with labels: dimensions with the same label are one factor (`labelled`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import Any

from mlir import ir

from hlo.dialect.types import is_float, is_quantized, is_unsigned
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.rewriting import combining_op
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window

Dims = tuple[tuple[int, ...], ...]
Assignment = dict[int, Axes]
WHOLE: tuple[int, ...] = ()
"""The factors of a dimension that an op needs whole."""
PASS_THROUGH, OTHER, REPETITION = 0, 1, 2
"""Shardings go first through ops that work on elements or only move them, then through all others; from what is repeated
to its repetition last."""


@dataclass(eq=False)
class Rule:
    """The rule of one op. `sizes`: of the factors. `reductions`: factors that are contracted, with the op that combines
    partial results. `first_only`: operands that count once (the start of a reduction, what a scatter adds to), with the
    same op: all but the first part take its neutral element. `exact`: factors that only equal parts may cut.
    `looked_up`: the factor that the start indices of a gather or scatter point into. `windows`: for an operand and a
    factor, which indices of it an index of the result reads (halo.py); such a factor has another size in the result.
    `filled`: for an operand with windows, what stands outside of it: the number of an operand, or a combiner whose
    neutral element it is. `mirrored`: factors whose parts are exchanged, the first with the last and so on."""

    operands: list[Dims] = field(default_factory=list)
    results: list[Dims] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    reductions: dict[int, str] = field(default_factory=dict)
    first_only: dict[int, str] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)
    looked_up: int | None = None
    windows: dict[tuple[int, int], Window] = field(default_factory=dict)
    filled: dict[int, int | str] = field(default_factory=dict)
    mirrored: set[int] = field(default_factory=set)
    order: int = OTHER
    shapes: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        self._projections: dict[tuple[int, Spec], Assignment] = {}
        self.cache: dict[Any, Any] = {}
        """What callers have found out about ops of this rule."""

    def factor(self, size: int) -> tuple[int, ...]:
        """A new factor, as those of one dimension; a dimension of no elements is always whole."""
        if size == 0:
            return WHOLE
        self.sizes.append(size)
        return (len(self.sizes) - 1,)

    def factors(self, shape: Iterable[int]) -> Dims:
        return tuple(self.factor(n) for n in shape)

    @functools.cached_property
    def windowed(self) -> frozenset[int]:
        """Factors whose indices are read in windows."""
        return frozenset(f for _, f in self.windows)

    @functools.cached_property
    def far(self) -> frozenset[int]:
        """Those through which shardings do not pass: what a part gives lies in other parts."""
        return frozenset(
            f
            for (n, f), window in self.windows.items()
            for size, made in [(self._size(n, f), self._size(len(self.operands), f))]
            if not window.is_near(size, made)
        )

    def _size(self, number: int, factor: int) -> int:
        """Of the dimension that a factor is in one tensor."""
        return self.shapes[number][self.tensors[number].index((factor,))]

    def reads(self, assignment: Assignment) -> Iterator[tuple[int, int, Axes, int, Window]]:
        """The windows in which cut dimensions are read: operand, its dimension, axes, the size of the result's
        dimension, and the window."""
        for (n, f), window in self.windows.items():
            if axes := assignment.get(f, ()):
                yield n, self.operands[n].index((f,)), axes, self._size(len(self.operands), f), window

    @property
    def tensors(self) -> list[Dims]:
        return [*self.operands, *self.results]

    def projection(self, table: AxisTable, number: int, spec: Spec) -> Assignment:
        """The axes of each factor in one tensor (operands, then results), as far as its sharding follows factors."""
        key = number, spec
        found = self._projections.get(key)
        if found is None:
            found = self._projections[key] = self._project(table, number, spec)
        return found

    def _project(self, table: AxisTable, number: int, spec: Spec) -> Assignment:
        found: Assignment = {}
        for factors, size, axes in zip(self.tensors[number], self.shapes[number], spec):
            if not axes:
                continue
            if len(factors) == 1 and (self.sizes[factors[0]] == size or factors[0] in self.windowed):
                if factors[0] not in self.exact or size % table.size(axes) == 0:
                    found[factors[0]] = axes
                continue
            rest = list(axes)
            for f in factors:
                taken: Axes = ()
                while rest and self.sizes[f] % table.size((*taken, rest[0])) == 0:
                    taken += (rest.pop(0),)
                if taken:
                    found[f] = taken
                if table.size(taken) != self.sizes[f]:
                    break
        return found

    def spec(self, table: AxisTable, dims: Dims, assignment: Assignment) -> Spec:
        """The sharding of a tensor under an assignment."""
        if not assignment:
            return ((),) * len(dims)
        made = []
        for factors in dims:
            axes: Axes = ()
            for f in factors:
                own = assignment.get(f, ())
                axes += own
                if len(factors) > 1 and table.size(own) != self.sizes[f]:
                    break
            made.append(axes)
        return tuple(made)


Label = Any
"""What a rule calls a dimension; None for one that must be whole. Those of one rule can be ordered."""
Labels = Sequence[Label]


def labelled(
    node: Node,
    operands: Sequence[Labels],
    results: Sequence[Labels],
    *,
    whole: Collection[Label] = (),
    reductions: Mapping[Label, str] | None = None,
    exact: Collection[Label] = (),
    windows: Mapping[tuple[int, Label], Window] | None = None,
    looked_up: Label = None,
    mirrored: Collection[Label] = (),
    **more: Any,
) -> Rule:
    """The rule of a node with a label for each dimension of its tensors: a factor for each label, in the order of the
    labels, of the size of the smallest dimension that has it. `whole`: labels that are no factors. The others are
    fields of Rule, with labels instead of factors."""
    sizes: dict[Label, int] = {}
    for tensor, labels in zip((*node.operands, *node.results), (*operands, *results), strict=True):
        for n, label in zip(tensor.shape, labels, strict=True):
            sizes[label] = min(n, sizes.get(label, n))
    rule = Rule(**more)
    known: list[Any] = [label for label in sizes if label is not None and label not in whole]
    of = {label: rule.factor(sizes[label]) for label in sorted(known)}
    rule.operands, rule.results = (
        [tuple(of.get(x, WHOLE) for x in labels) for labels in side] for side in (operands, results)
    )
    rule.reductions = {f: kind for label, kind in (reductions or {}).items() for f in of.get(label, ())}
    rule.exact, rule.mirrored = ({f for label in some for f in of.get(label, ())} for some in (exact, mirrored))
    rule.windows = {(n, f): window for (n, label), window in (windows or {}).items() for f in of.get(label, ())}
    rule.looked_up = next(iter(of.get(looked_up, ())), None)
    return rule


RuleFunction = Callable[[Node], "Rule | None"]
RULES: dict[str, tuple[RuleFunction, int]] = {}
"""By the name of the op: the function that makes its rule, and its order."""


def rule_of(*names: str, order: int = OTHER) -> Callable[[RuleFunction], RuleFunction]:
    """Registers the rule of ops by mnemonic (`add`: stablehlo.add; others with their dialect)."""

    def register(function: RuleFunction) -> RuleFunction:
        for name in names:
            RULES[name if "." in name else f"stablehlo.{name}"] = function, order
        return function

    return register


def rule_for(node: Node, known: dict[Any, Rule | None]) -> Rule | None:
    """The rule of a node, None where it has none. Equal nodes have one rule: `known` holds those made before."""
    if node.name not in RULES:
        return None
    key = _key(node)
    if key not in known:
        function, order = RULES[node.name]
        rule = function(node) if all(t.is_tensor for t in (*node.operands, *node.results)) else None
        if rule is not None:
            finish(rule, [t.shape for t in (*node.operands, *node.results)], order)
        known[key] = rule
    return known[key]


def finish(rule: Rule, shapes: Sequence[tuple[int, ...]], order: int) -> Rule:
    rule.shapes, rule.order = tuple(shapes), order
    return rule


def _key(node: Node) -> Any:
    types = tuple(t.type for t in (*node.operands, *node.results))
    if node.name in ("stablehlo.constant", "chlo.constant"):
        return node.name, types
    attributes = node.op.attributes
    named = tuple((n, attributes[n]) for n in attributes if n not in ("sdy.sharding", "mhlo.sharding"))
    return node.name, types, named, combiner(node) if len(node.op.regions) else None, len(node.operands)


COMBINERS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def combiner(node: Node) -> str | None:
    """The op that is all that a node's function does, if partial results can be combined by it."""
    op = combining_op(node.op.regions[0].blocks[0])
    if op is None:
        return None
    name, element = op.operation.name.removeprefix("stablehlo."), op.result.type.element_type
    is_known = name in COMBINERS and element == node.operands[0].element and neutral(name, element) is not None
    return name if is_known else None


def neutral(kind: str, element: ir.Type | None) -> int | float | None:
    """The neutral element of a combiner; None for types that have none."""
    if element is None or is_quantized(element):
        return None
    if kind in ("add", "or", "xor", "multiply"):
        return int(kind == "multiply")
    if not isinstance(element, ir.IntegerType):
        has_infinity = is_float(element) and ir.FloatType(element).width >= 16 and kind in ("maximum", "minimum")
        return {"maximum": -inf, "minimum": inf}[kind] if has_infinity else None
    unsigned, bits = is_unsigned(element), element.width
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return {"maximum": low, "minimum": high, "and": -1}[kind]
