"""Constants whose elements stand at the end of the file, as torch-mlir and others print large ones:

    %0 = stablehlo.constant dense_resource<w> : tensor<2xf32>        dense<"0x0000803F00000040"> : tensor<2xf32>
    {-# dialect_resources: { builtin: {
          w: "0x040000000000803F00000040" } } #-}

Four bytes of alignment come before the elements. The bindings show such attributes without their elements, so they are written in place."""

from __future__ import annotations

import re

from hlo.dialect.reader.constants import repack_booleans

_STRING = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_BLOCK = re.compile(r"\{-#.*?#-\}", re.DOTALL)
_ENTRY = re.compile(rf"([A-Za-z_][\w$.-]*|{_STRING})\s*:\s*\"0[xX]([0-9A-Fa-f]*)\"")
_USE = re.compile(rf"{_STRING}|\bdense_resource\s*<\s*([A-Za-z_][\w$.-]*|{_STRING})\s*>")
_ALIGNMENT = 8
"""Hexadecimal digits."""


def with_resources(text: str) -> str:
    """A text in generic form with the elements of its resources in place, line by line. Raises LookupError(message, position) for
    a resource without elements."""
    if "dense_resource" not in text:
        return text
    block = _BLOCK.search(text)
    entries = dict(_ENTRY.findall(block.group())) if block else {}
    program = text.replace(block.group(), "\n" * block.group().count("\n")) if block else text

    def elements(found: re.Match[str]) -> str:
        name = found[1]
        if name is None:
            return found[0]
        if name not in entries:
            known = ", ".join(entries) or "none"
            raise LookupError(
                f"resource {name} has no elements in the file's dialect_resources; there are: {known}", found.start()
            )
        if len(entries[name]) < _ALIGNMENT or len(entries[name]) % 2:
            raise LookupError(
                f"resource {name} must hold 4 bytes of alignment and then elements, found 0x{entries[name]}",
                found.start(),
            )
        digits = entries[name][_ALIGNMENT:]
        return f'dense<"0x{digits}">' if digits else "dense<>"

    return repack_booleans(_USE.sub(elements, program))
