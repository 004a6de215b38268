"""What hlo-opt tells without an input: its passes, its dialects, their definitions."""

from __future__ import annotations

import re


def _list_passes() -> str:
    import dataclasses

    from hlo.lowering.passes import load_all_passes
    from hlo.pipelines.upstream_passes import NAMES

    lines = []
    for name, cls in sorted(load_all_passes().items()):
        lines += [f"--{name}", f"    {summary_of(cls)}"]
        lines += [f"    option {f.name.replace('_', '-')}={f.default} ({f.type})" for f in dataclasses.fields(cls)]
    lines += [
        "",
        "Upstream MLIR's passes (their options: mlir.llvm.org/docs/Passes):",
        *(f"--{name}" for name in NAMES),
        "",
    ]
    return "\n".join(lines)


def summary_of(cls: type) -> str:
    """The first sentence of a pass's docstring, on one line."""
    paragraph = " ".join((cls.__doc__ or "").strip().split("\n\n")[0].split())
    sentence = re.match(r".*?[.:](?= |$)", paragraph)
    return sentence.group() if sentence else paragraph


def _definitions() -> str:
    from hlo.dialect.registration import dialect_text

    return dialect_text()


def _dialects() -> str:
    from hlo.dialect.registration import NAMESPACES, UPSTREAM

    return f"Available Dialects: {','.join(sorted((*NAMESPACES, *UPSTREAM, 'builtin')))}\n"


ANSWERS = {"list_passes": _list_passes, "show_dialects": _dialects, "show_dialect": _definitions}
"""By the name of the option that asks."""
