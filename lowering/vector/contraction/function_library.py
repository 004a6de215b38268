"""Functions of a module by their text: those that differ in nothing but their names are written once."""

from __future__ import annotations

from collections.abc import Sequence


class FunctionLibrary:
    """The functions written so far."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def add(self, functions: Sequence[tuple[str, str]]) -> str:
        """Takes (name, text)s, callees before callers and the entry, which keeps its name, last. Returns the text of those
        that are new, in which calls of functions that are known already go to those, and declarations of these."""
        new: dict[str, str] = {}
        declarations: set[str] = set()
        renamed: dict[str, str] = {}
        for name, text in functions[:-1]:
            text = _with_names(text, renamed)
            known = self._names.setdefault(text.replace(_quoted(name), ""), name)
            if known == name:
                new[name] = text
                continue
            renamed[name] = known
            if known not in new:
                declarations.add(_declaration(text).replace(_quoted(name), _quoted(known)))
        return "".join([*sorted(declarations), *new.values(), _with_names(functions[-1][1], renamed)])


def _declaration(text: str) -> str:
    """The first line of a function without its body (and what is set for it)."""
    return text[: text.index(")") + 1] + "\n"


def _with_names(text: str, renamed: dict[str, str]) -> str:
    for old, name in renamed.items():
        text = text.replace(_quoted(old), _quoted(name))
    return text


def _quoted(name: str) -> str:
    """As FunctionText spells symbols."""
    return f'@"{name}"'
