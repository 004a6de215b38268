"""Results and gradients of a function, compiled by hlo and in eager mode."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch


def results(function: Callable[..., Any], arguments: Any, backend: str) -> list[Any]:
    """The result, and the gradients of a weighted sum of it by the arguments of floating types."""
    torch._dynamo.reset()
    given = [a.detach().clone().requires_grad_(a.dtype.is_floating_point) for a in arguments]
    result = torch.compile(function, backend=backend, fullgraph=True)(*given)
    if not result.requires_grad:
        return [result]
    weights = (torch.arange(result.numel()) % 64 / 64 + 0.5).view(result.shape).to(result.dtype)
    smooth = [v for v in given if v.requires_grad]
    return [result.detach(), *torch.autograd.grad((result * weights).sum(), smooth, allow_unused=True)]


def both(function: Callable[..., Any], *arguments: torch.Tensor) -> tuple[list[Any], list[Any]]:
    """What hlo gives and what eager mode gives. Fails where PyTorch runs a part of hlo's."""
    left: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: left.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("hlo.torch")
    logger.addHandler(handler)
    try:
        found = results(function, arguments, "hlo")
    finally:
        logger.removeHandler(handler)
    assert not left, left
    return found, results(function, arguments, "eager")
