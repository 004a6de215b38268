"""`custom-call`: its target, its configuration and the functions that it is given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mlir import ir

from hlo.dialect.hlo_text.forms import Form

if TYPE_CHECKING:
    from hlo.dialect.hlo_text.emission import Call, Tree

_API_VERSIONS = {
    "API_VERSION_UNSPECIFIED": 0,
    "API_VERSION_ORIGINAL": 1,
    "API_VERSION_STATUS_RETURNING": 2,
    "API_VERSION_STATUS_RETURNING_UNIFIED": 3,
    "API_VERSION_TYPED_FFI": 4,
}
_VALUE = r'(?:-?\d+(?:\s*:\s*u?i(?:8|16|32|64))?|-?\d+\.\d*(?:[eE][-+]?\d+)?(?:\s*:\s*f(?:32|64))?|true|false|"(?:[^"\\\n]|\\["\\n])*"|array<i64(?::[\s\d,-]*)?>)'
_CONFIG = re.compile(rf"\{{\s*(?:\w+\s*=\s*{_VALUE}\s*(?:,\s*\w+\s*=\s*{_VALUE}\s*)*)?\}}")
"""A dictionary of plain values: nothing else goes to MLIR's parser."""


def custom_call(call: Call) -> Tree:
    """The op, whose functions are those of the module."""
    attributes = call.attributes
    version = attributes.one_of("api_version", _API_VERSIONS, 1)
    values = {
        "call_target_name": _string(attributes.word("custom_call_target")),
        "has_side_effect": attributes.flag("custom_call_has_side_effect"),
        "api_version": version,
        "backend_config": _config(call, version),
    }
    if "called_computations" in call.instruction.attributes:
        functions = [call.emission.function_of(c) for c in attributes.computations("called_computations")]
        values["called_computations"] = ir.ArrayAttr.get([ir.FlatSymbolRefAttr.get(name) for name in functions])
    return call.emit(Form("stablehlo.custom_call", lambda a: values), call.instruction.shape)


def _config(call: Call, version: int) -> Any:
    text = call.attributes.word("backend_config", "{}" if version == 4 else '""')
    if version != 4:
        return ir.StringAttr.get(_string(text))
    if not _CONFIG.fullmatch(text):
        call.attributes.fail(
            "backend_config of numbers, booleans, strings and array<i64>, found others",
            call.attributes.text("backend_config"),
        )
    try:
        return ir.Attribute.parse(text)
    except ir.MLIRError as error:
        reason = error.error_diagnostics[0].message
        return call.attributes.fail(f"backend_config that MLIR reads: {reason}", call.attributes.text("backend_config"))


def _string(text: str) -> str:
    """What a quoted string says; text without quotes as it is."""
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", lambda e: {"n": "\n", "t": "\t"}.get(e[1], e[1]), text[1:-1])
