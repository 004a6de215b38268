"""The GPU benchmark's table, and what it says about the aims (issue "The GPU target")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

from bench.gpu_timing import Row

HEAD = [
    "| program | right | ms | spread | GB/s | of a copy | TFLOP/s | others, ms (times of hlo) |",
    "|---|---|---|---|---|---|---|---|",
]


def table(rows: Sequence[Row], bandwidth: float) -> str:
    """`bandwidth`: of copies in the same run, bytes a second."""
    return "\n".join([*HEAD, *(line(row, bandwidth) for row in rows)])


def line(row: Row, bandwidth: float) -> str:
    share = "" if row.operations else f"{_share(row, bandwidth):.0%}"
    work = f"{row.operations / row.seconds / 1e12:.1f}" if row.operations else ""
    others = ", ".join(f"{n} {1e3 * s:.4g} ({s / row.seconds:.2f})" for n, s in row.others.items())
    others = "; ".join([others] * bool(others) + row.remarks)
    return (
        f"| {row.name} | {'yes' if row.is_right else 'NO'} | {1e3 * row.seconds:.4g} | {row.spread:.0%} | "
        f"{row.bytes / row.seconds / 1e9:.0f} | {share} | {work} | {others} |"
    )


def _share(row: Row, bandwidth: float) -> float:
    return row.bytes / row.seconds / bandwidth


# Aims


@dataclass(frozen=True)
class Aim:
    """`value` of each row that it is about (None: about others); reached where none is below `least`."""

    text: str
    least: float
    value: Callable[[Row, float], float | None]


def _beside(name: str, part: str, without: str = "?") -> Callable[[Row, float], float | None]:
    def value(row: Row, bandwidth: float) -> float | None:
        is_meant = part in row.name and without not in row.name
        return row.others[name] / row.seconds if is_meant and name in row.others else None

    return value


COPIES = ("add", "chain", "softmax", "layer norm", "sum of", "transpose")
"""How programs are called that read and write their arrays once."""


def _of_a_copy(row: Row, bandwidth: float) -> float | None:
    return _share(row, bandwidth) if row.name.startswith(COPIES) else None


def _of_a_replay(row: Row, bandwidth: float) -> float | None:
    return row.replay / row.seconds if row.replay and "layers" in row.name else None


AIMS = (
    Aim("bound by copies: 85% of a copy", 0.85, _of_a_copy),
    Aim("bf16 products: 85% of cuBLAS", 0.85, _beside("cuBLAS", "matmul bf16")),
    Aim("with bias and gelu: 80% of cuBLAS's product alone", 0.80, _beside("cuBLAS", "bias gelu")),
    Aim("attention: faster than XLA", 1.0, _beside("XLA", "attention", without="causal")),
    Aim("200 launches: a replay of their graph takes 1/1.2 of a call", 1 / 1.2, _of_a_replay),
)


def aims(rows: Sequence[Row], bandwidth: float) -> str:
    """A line an aim."""
    lines = [_aim(aim, rows, bandwidth) for aim in AIMS]
    ratios = [row.others["XLA"] / row.seconds for row in rows if "XLA" in row.others]
    if not ratios:
        return "\n".join([*lines, "- XLA's times over hlo's, geometric mean of at least 1: not measured"])
    mean = exp(fsum(map(log, ratios)) / len(ratios))
    text = f"- XLA's times over hlo's, geometric mean of at least 1: {mean:.2f} of {len(ratios)} programs"
    return "\n".join([*lines, f"{text}: {_verdict(mean >= 1)}"])


def _aim(aim: Aim, rows: Sequence[Row], bandwidth: float) -> str:
    values = {row.name: aim.value(row, bandwidth) for row in rows}
    found = {name: value for name, value in values.items() if value is not None}
    if not found:
        return f"- {aim.text}: not measured"
    each = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    return f"- {aim.text}: {each}: {_verdict(min(found.values()) >= aim.least)}"


def _verdict(is_reached: bool) -> str:
    return "reached" if is_reached else "NOT reached"
