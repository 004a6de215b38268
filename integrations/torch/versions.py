"""Which PyTorch is accepted, and what a person is told without one."""

from __future__ import annotations

import re

from hlo.errors import HloError

LEAST, BELOW = (2, 9), (2, 15)
"""Versions that are accepted: from LEAST to below BELOW."""


def check_versions() -> None:
    """Raises HloError if PyTorch is missing or of a version that this package does not know."""
    try:
        import torch
    except ImportError as error:
        raise HloError(f"hlo.torch needs PyTorch ({error}): pip install hlo[torch]") from None
    check_version(torch.__version__)


def check_version(version: str) -> None:
    """Raises HloError for a version of PyTorch out of range."""
    found = re.match(r"(\d+)\.(\d+)", version)
    if not found or not LEAST <= (int(found[1]), int(found[2])) < BELOW:
        wanted = f">={'.'.join(map(str, LEAST))},<{'.'.join(map(str, BELOW))}"
        raise HloError(f"hlo.torch works with torch {wanted}, found {version}: pip install 'torch{wanted}'")
