"""One printed op in its parts, which the forms put together again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Statement:
    name: str
    operands: list[str]
    attributes: dict[str, str]
    regions: list[str]
    """Insides of the regions, already rewritten."""
    inputs: list[str]
    results: list[str]
    type: str
    """The function type."""

    @property
    def listed(self) -> str:
        """Operands after the op's name."""
        return f" {', '.join(self.operands)}" if self.operands else ""

    @property
    def short_type(self) -> str:
        """One type when operands and result have the same."""
        types = {*self.inputs, *self.results}
        return self.results[0] if len(types) == 1 and len(self.results) == 1 else self.type

    def dictionary(self, *shown: str, keyword: str = "") -> str:
        """The attributes but those that the form shows elsewhere, as ` {...}`."""
        items = [f"{k} = {v}" if v else k for k, v in self.attributes.items() if k not in shown]
        return f"{keyword} {{{', '.join(items)}}}" if items else ""
