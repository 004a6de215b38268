"""One op's statement in parts: what the directives of an assembly format read and write."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from hlo.lazy_dataclasses import dataclass


@dataclass
class Statement:
    """An op as text, in pieces. A directive adds to it when the op is read, and takes from it when it is printed."""

    name: str
    operands: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    """When read: in the builtin spelling that the IR holds. When printed: in upstream's."""
    regions: list[Any] = field(default_factory=list)
    """When read: `Region`s of the rewriter. When printed: their insides, rewritten."""
    inputs: list[str] = field(default_factory=list)
    """Types of the operands, when printed."""
    results: list[str] = field(default_factory=list)
    """Types of the results, when printed."""
    type: str = ""
    """The function type."""
    dictionary: str = ""
    """When read: the inside of the attribute dictionary, as it was written."""
    applied: str = ""
    """When read: the op that a reduction applies, instead of a region."""

    @property
    def attribute_list(self) -> list[str]:
        """What the op was read with: `name = value` each, and the inside of the dictionary."""
        named = [f"{name} = {value}" for name, value in self.attributes.items()]
        return [*named, self.dictionary] if self.dictionary else named

    def attribute_dictionary(self, shown: frozenset[str] = frozenset()) -> str:
        """The attributes but those that are shown elsewhere, as `{...}`."""
        items = [f"{k} = {v}" if v else k for k, v in self.attributes.items() if k not in shown]
        return f"{{{', '.join(items)}}}" if items else ""
