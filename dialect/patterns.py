"""Regular expressions that are compiled when they are first used: an ordinary program uses a quarter of the hundred that reading and
printing have, and compiling one takes 0.1 ms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as pattern
else:

    class _Pattern:
        """What is asked for is kept among its own attributes: the second time it costs what it costs of a `re.Pattern`."""

        def __init__(self, text: str, flags: int) -> None:
            self._arguments = (text, flags)

        def __getattr__(self, name: str) -> Any:
            value = getattr(re.compile(*self._arguments), name)
            setattr(self, name, value)
            return value

    def pattern(text, flags=0):
        """`re.compile(text, flags)`, later; a mistake in the text is found then. To functions of `re` it is no pattern."""
        return _Pattern(text, flags)


__all__ = ["pattern"]
