"""What upstream's own verifier, which jaxlib has, says of a program, compared with ours: agreement, or which of the two is stricter, and
whether that is meant.

docs/specification.md has the reasons in words, under the same names; a difference without a reason is a finding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from hlo.lazy_dataclasses import dataclass

STRICTER, LOOSER = "stricter", "looser"
"""Than upstream: we refuse what it accepts, or the other way round."""


@dataclass(frozen=True)
class Difference:
    """Where the verifiers are meant to differ. `message`: what the one that refuses says. `reason`: the row's name in the page."""

    side: str
    message: str
    reason: str


DIFFERENCES = (
    Difference(
        LOOSER, r"unregistered operation 'stablehlo\.(collective_reduce|cstr_|compute_reshape|exp2|log2)", "newer ops"
    ),
    Difference(LOOSER, r"'stablehlo\.(async_done|collective_broadcast)' op requires one result", "newer ops"),
    Difference(LOOSER, r"'stablehlo\.async_start' op region must return exactly one value", "newer ops"),
    Difference(LOOSER, r"future element type must be a ranked tensor", "newer ops"),
    Difference(LOOSER, r"mesh symbol '\w+' not found", "meshes"),
    Difference(LOOSER, r"'stablehlo\.tuple' op inferred type", "sizes in tuples"),
    Difference(LOOSER, r"'stablehlo\.optimization_barrier' op requires the same type", "sizes in tuples"),
    Difference(LOOSER, r"'stablehlo\.reshape' op result #0 must be statically shaped", "unknown sizes of reshapes"),
    Difference(
        LOOSER, r"'stablehlo\.broadcast_in_dim' op result #0 must be statically shaped", "unknown sizes of reshapes"
    ),
    Difference(STRICTER, r"op has unknown attribute '\w+', did you mean", "names of attributes"),
    Difference(
        LOOSER, r"expects lhs and rhs to have compatible element type\. Got: 'f8\w+' and 'f8\w+'", "products of f8"
    ),
    Difference(STRICTER, r"'stablehlo\.(unary_)?einsum' op", "einsum"),
    Difference(STRICTER, r"'stablehlo\.torch_index_select' op", "torch_index_select"),
    Difference(STRICTER, r"'chlo\.broadcast_\w+' op", "broadcasts of chlo"),
    Difference(STRICTER, r"'chlo\.bessel_i1e' op operand", "bessel_i1e"),
    Difference(STRICTER, r"'chlo\.scan' op (body must have type|carries must have the types)", "chlo.scan"),
    Difference(STRICTER, r"'stablehlo\.all_gather' op C6", "all_gather C6"),
    Difference(
        STRICTER, r"'stablehlo\.(send|recv)' op (sources|targets) of source_target_pairs", "pairs of send and recv"
    ),
    Difference(STRICTER, r"'stablehlo\.dynamic_update_slice' op C6: update must be in", "updates beyond a bound"),
    Difference(
        STRICTER, r"'stablehlo\.(all_reduce|reduce_scatter)' op C\d+: computation must have type", "element types"
    ),
    Difference(STRICTER, r"'stablehlo\.\w+' op replica_groups: .*(mesh|axis|axes)", "meshes"),
    Difference(STRICTER, r"'stablehlo\.fft' op last dimensions", "fft"),
    Difference(STRICTER, r"'stablehlo\.dynamic_conv' op", "dynamic_conv"),
    Difference(STRICTER, r"'stablehlo\.dynamic_(iota|broadcast_in_dim)' op C\d", "vectors of sizes"),
    Difference(STRICTER, r"'stablehlo\.(real_dynamic_slice|set_dimension_size)' op", "vectors of sizes"),
    Difference(STRICTER, r"'stablehlo\.compare' op C3: compare_type", "compare C3"),
    Difference(STRICTER, r"'stablehlo\.rng_bit_generator' op", "rng_bit_generator"),
    Difference(
        STRICTER,
        r"'stablehlo\.(reduce|reduce_window|scatter|select_and_scatter|dot_general)' op C\d+: .*must have one element type",
        "element types",
    ),
    Difference(STRICTER, r"'stablehlo\.reduce' op init_values\[\d+\] must be 0-dimensional", "rank of init values"),
    Difference(STRICTER, r"'stablehlo\.(dynamic_)?convolution' op C27", "element types"),
    Difference(STRICTER, r"must be .*, found tensor<\*x", "tensors without a rank"),
    Difference(STRICTER, r"sizes of result must be in \[0, 2\^63\)|a shape with more than", "sizes"),
)


@cache
def _context() -> Any:
    from jax._src.interpreters import mlir as jax_mlir

    return jax_mlir.make_ir_context()


def refusal(text: str) -> str | None:
    """Upstream's words for what is wrong with a program; None if it accepts it. It may end the process."""
    from jaxlib.mlir import ir as upstream

    with _context():
        try:
            upstream.Module.parse(text)
        except upstream.MLIRError as error:
            return str(error)
    return None


def agreement(counts: Mapping[str, int]) -> str:
    """How many of the programs that upstream accepts are accepted here, and of those that it refuses, refused."""
    parts = []
    for verb, other in (("accept", STRICTER), ("refuse", LOOSER)):
        same = counts[f"both {verb}"]
        every = same + sum(n for name, n in counts.items() if name.startswith(other))
        parts.append(f"{same} of {every} that upstream {verb}s ({same / every if every else 1:.4f})")
    return f"agreement: {' and '.join(parts)}"


def verdict(ours: str | None, theirs: str | None) -> str:
    """How two refusals (None: accepted) agree. Raises AssertionError for a difference without a reason."""
    if (ours is None) == (theirs is None):
        return "both accept" if ours is None else "both refuse"
    side, message = (LOOSER, theirs) if ours is None else (STRICTER, ours)
    for difference in DIFFERENCES:
        if difference.side == side and re.search(difference.message, message or ""):
            return f"{side}: {difference.reason}"
    words = " ".join((message or "").split()).removeprefix("Unable to parse module assembly: ")
    raise AssertionError(f"{side} than upstream: {words[:160]}")
