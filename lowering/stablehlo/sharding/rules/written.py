"""Rules that programs write down for their custom calls: `sdy.sharding_rule`. Shardings are propagated by them; what is
computed on parts, the call's partitioner says (sharding/partitioning/partition_calls.py)."""

from __future__ import annotations

import re
from itertools import takewhile

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rules.rule import OTHER, Dims, Rule, finish

ATTRIBUTE = "sdy.sharding_rule"

_RULE = re.compile(r"#sdy\.op_sharding_rule<\((?P<operands>.*)\)->\((?P<results>.*)\) \{(?P<sizes>.*?)\}(?P<sets>.*)>")
_TENSOR = re.compile(r"\[([^\]]*)\]")
_FACTOR = re.compile(r"[a-z](?:_\d+)?")
_SIZE = re.compile(r"([a-z](?:_\d+)?)=(\d+)")
_SET = re.compile(r"(\w+)=\{([^}]*)\}")


def written_rule(node: Node) -> Rule | None:
    """The rule of a custom call that has one: `#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=4, k=2},
    custom>`, where a dimension may be several factors (`[ij]`), and sets follow (`need_replication={j}`: factors that
    must be whole). Raises CompileError for a text that is none, or does not fit the types."""
    if ATTRIBUTE not in node.op.attributes:
        return None
    text = str(node.op.attributes[ATTRIBUTE])
    found = _RULE.fullmatch(text)
    if found is None:
        raise _error(node, f"expected #sdy.op_sharding_rule<([i], ...)->([i], ...) {{i=8}}>, found {text}")
    rule = Rule()
    sets = {name: _FACTOR.findall(factors) for name, factors in _SET.findall(found["sets"])}
    whole = {*sets.get("need_replication", ()), *sets.get("blocked_propagation", ())}
    sizes = {name: int(size) for name, size in _SIZE.findall(found["sizes"])}
    numbers: dict[str, int] = {}
    for name, size in sizes.items():
        if name not in whole and size:
            numbers[name] = len(rule.sizes)
            rule.sizes.append(size)
    sides = [
        [_dims(part, numbers, sizes, node) for part in _TENSOR.findall(found[side])] for side in ("operands", "results")
    ]
    rule.operands, rule.results = sides
    _check(node, rule)
    return finish(rule, [t.shape for t in (*node.operands, *node.results)], OTHER)


def _dims(text: str, numbers: dict[str, int], sizes: dict[str, int], node: Node) -> Dims:
    """The factors of a tensor's dimensions, up to those that must be whole: minor ones can be cut only where major ones are."""
    dims = []
    for part in filter(None, text.split(", ")):
        factors = _FACTOR.findall(part)
        unknown = next((name for name in factors if name not in sizes), None)
        if unknown is not None:
            raise _error(node, f"the factor {unknown} has no size")
        dims.append(tuple(numbers[name] for name in takewhile(numbers.__contains__, factors)))
    return tuple(dims)


def _check(node: Node, rule: Rule) -> None:
    for what, dims, tensors in (("operands", rule.operands, node.operands), ("results", rule.results, node.results)):
        ranks = [len(one) for one in dims], [len(t.shape) for t in tensors]
        if ranks[0] != ranks[1]:
            raise _error(node, f"its {what} have ranks {ranks[0]}, those of the call {ranks[1]}")


def _error(node: Node, message: str) -> CompileError:
    return CompileError(diagnostic(node.op, f"{ATTRIBUTE}: {message}"))
