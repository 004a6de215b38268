"""What compiled collectives ask of numbers that only the running program knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.errors import Diagnostic, HloError
from hlo.runtime.custom_calls.registry import register


@register("hlo.check_roots", borrows=True)
def check_roots(roots: np.ndarray, position: np.ndarray, size: np.ndarray, *, backend_config: Any) -> None:
    """Raises HloError when a root is no position of the process's group. `position`: its own, -1 outside of all groups."""
    outside = roots[(roots < 0) | (roots >= size)]
    if position < 0 or not outside.size:
        return
    message = f"'{backend_config['op']}' op root must be in [0, {size}), found {outside[0]}"
    file, line, column = backend_config["location"].rsplit(":", 2)
    raise HloError(Diagnostic(message, file, int(line), int(column)))
