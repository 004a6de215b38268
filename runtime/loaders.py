"""By target: what makes an executable of the module that the target's last phase leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _cpu(*arguments: Any, **options: Any) -> Any:
    from hlo.runtime.loader import load

    return load(*arguments, **options)


def _gpu(*arguments: Any, **options: Any) -> Any:
    from hlo.runtime.gpu.loader import load

    return load(*arguments, **options)


LOADERS: dict[str, Callable[..., Any]] = {"cpu": _cpu, "gpu": _gpu}

PIPELINE_OPTIONS = {"cpu": {"cpu": "processor"}, "gpu": {"arch": "arch", "device": "device"}}
"""Options of `hlo.compile` that the target's pipeline takes, with their names there."""

OPTIONS: dict[str, dict[str, Any]] = {
    "cpu": {"engine": "llvm", "cpu": "host", "donate": (), "threads": None},
    "gpu": {"device": "cuda", "arch": "card"},
}
"""Keyword options of `compile` by target, with their defaults."""
