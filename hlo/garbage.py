"""How often Python looks for garbage while modules are imported: they are objects that stay, and a look at 20,000 of them takes several milliseconds."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hlo.forks import UNFORKED

RARELY = (200_000, 20, 20)
"""Objects between two looks. Imports, most of what a short process does, make 80,000 objects and no garbage."""


@contextmanager
def importing(module: str) -> Iterator[None]:
    """Looks for garbage are rare inside if the module, and what it needs, is still to be imported there. What others have set meanwhile stays.
    No other thread forks in the middle of it."""
    with UNFORKED:
        before = gc.get_threshold()
        if module in sys.modules or not 0 < before[0] < RARELY[0]:
            yield
            return
        gc.set_threshold(*RARELY)
        try:
            yield
        finally:
            if gc.get_threshold() == RARELY:
                _age()
                gc.set_threshold(*before)


def _age() -> None:
    """All objects count as old ones, which have been looked at: the next look would be at all that was imported. What others have taken out
    of the search stays out."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
