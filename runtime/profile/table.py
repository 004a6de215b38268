"""A profile as a table for a terminal, the rows that took longest first."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.runtime.profile.profile import OTHER, Entry, Profile

MOST_ROWS = 40
"""Rows that are shown; the line after them says how many there are."""

BAR = 12
EIGHTHS = " ▏▎▍▌▋▊▉█"
HEADER = ("time", "share", "", "calls", "Gop/s", "GB/s", "roofline", "threads", "waits", "kind", "kernel", "source")
LEFT_ALIGNED = ("", "kind", "kernel", "source")


def table(profile: Profile) -> str:
    """Lines of the table, each with its end."""
    kernels, others = profile.entries[:-2], profile.entries[-2:]
    shown, rest = kernels[:MOST_ROWS], kernels[MOST_ROWS:]
    cells = [HEADER, *map(_cells, shown), *([_rest(rest)] if rest else []), *map(_cells, others)]
    lines = [_title(profile), *_aligned(cells)]
    if profile.spans:
        spans = profile.spans[:MOST_ROWS]
        lines += ["", "of which in loops and layers:", *_aligned([HEADER, *map(_cells, spans)])]
        if len(profile.spans) > len(spans):
            lines.append(f"... and {len(profile.spans) - len(spans)} more loops and layers")
    return "\n".join(line.rstrip() for line in [*lines, "", *_facts(profile)]) + "\n"


def _title(profile: Profile) -> str:
    calls = f"mean of {profile.runs} calls"
    if profile.calls:
        ordered = sorted(profile.calls)
        calls += f", median {_time(ordered[len(ordered) // 2])}, best {_time(ordered[0])}"
    return f"{profile.name}: {_time(profile.seconds)} a call ({calls}; {profile.threads} threads, {profile.processor})"


def _facts(profile: Profile) -> list[str]:
    memory = ", ".join(f"{_bytes(size)} {name}" for name, size in profile.memory.items() if size)
    lines = [f"memory: {memory}"] if memory else []
    if profile.rates:
        rates = profile.rates
        fastest, slowest = max(rate for _, rate in rates.bytes), rates.bytes[-1][1]
        lines.append(
            f"machine: {rates.f32 / 1e9:.0f} Gop/s of f32, {rates.f64 / 1e9:.0f} of f64; copies {slowest / 1e9:.0f} GB/s from memory, "
            f"{fastest / 1e9:.0f} from caches"
        )
    return lines


def _cells(entry: Entry) -> tuple[str, ...]:
    row, seconds = entry.row, entry.seconds
    size = None if row.read is None or row.written is None else row.read + row.written
    return (
        _time(seconds),
        f"{entry.share:.1%}",
        _bar(entry.share),
        "" if row.kind == OTHER else f"{entry.calls:.10g}",
        _rate(row.operations, entry),
        _rate(size, entry),
        "" if entry.roofline is None else f"{entry.roofline:.0%} {entry.bound}",
        "" if row.kind == OTHER or row.is_span else str(entry.threads),
        f"{entry.waited / seconds:.0%}" if seconds and entry.parts else "",
        row.kind if row.kind != OTHER else "",
        row.name,
        _source(row.sources, row.names),
    )


def _rest(entries: Sequence[Entry]) -> tuple[str, ...]:
    """One line for the rows that are not shown."""
    seconds, share = sum(e.seconds for e in entries), sum(e.share for e in entries)
    calls = f"{sum(e.calls for e in entries):.10g}"
    return (_time(seconds), f"{share:.1%}", _bar(share), calls, *[""] * 6, f"... {len(entries)} more rows", "")


def _source(sources: tuple[str, ...], names: tuple[str, ...]) -> str:
    source = sources[0].rsplit(":", 1)[0] if sources else ""
    more = f" (+{len(sources) - 1})" if len(sources) > 1 else ""
    name = f" {names[0]}" if names else ""
    return f"{source}{more}{name}".strip()


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[n]) for line in cells) for n in range(len(HEADER))]
    return [
        "  ".join(
            text.ljust(width) if title in LEFT_ALIGNED else text.rjust(width)
            for text, width, title in zip(line, widths, HEADER)
        )
        for line in cells
    ]


def _bar(share: float) -> str:
    eighths = round(min(1.0, max(0.0, share)) * BAR * 8)
    return (EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()).ljust(BAR)


def _rate(count: int | None, entry: Entry) -> str:
    """Thousands of millions a second."""
    if not count or not entry.seconds:
        return ""
    return f"{count * entry.calls / entry.seconds / 1e9:.1f}"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3f} {unit}"
    return f"{seconds * 1e6:.2f} us"


def _bytes(size: int) -> str:
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.1f} {unit}"
    return f"{size} B"
