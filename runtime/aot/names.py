"""Names in C: of functions, arguments and files."""

from __future__ import annotations

import re
from typing import Any

from hlo.errors import ArgumentError

KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "alignas",
        "alignof",
        "and",
        "and_eq",
        "asm",
        "bitand",
        "bitor",
        "bool",
        "catch",
        "char8_t",
        "char16_t",
        "char32_t",
        "class",
        "co_await",
        "co_return",
        "co_yield",
        "compl",
        "concept",
        "const_cast",
        "consteval",
        "constexpr",
        "constinit",
        "decltype",
        "delete",
        "dynamic_cast",
        "explicit",
        "export",
        "false",
        "friend",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "private",
        "protected",
        "public",
        "reinterpret_cast",
        "requires",
        "static_assert",
        "static_cast",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typeid",
        "typename",
        "typeof",
        "typeof_unqual",
        "using",
        "virtual",
        "wchar_t",
        "xor",
        "xor_eq",
    ]
)
"""Of C99, C23 and C++20."""

_MACROS = frozenset(
    ["I", "complex", "errno", "i386", "imaginary", "linux", "noreturn", "stderr", "stdin", "stdout", "unix"]
)
"""Those of C's headers and compilers that are not written in capitals of two letters and more, as macros are, and take no arguments."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def is_identifier(name: str) -> bool:
    """Whether C and C++ take it as a name that is the user's to give."""
    return bool(_IDENTIFIER.fullmatch(name)) and name not in KEYWORDS


def is_parameter(name: str) -> bool:
    """Whether a header may call a parameter so, wherever it is included: a name that is a macro there, or a type that follows in
    the same declaration, would be no name."""
    is_macro = name in _MACROS or (name.isupper() and len(re.findall("[A-Z]", name)) > 1)
    return is_identifier(name) and not is_macro and not re.fullmatch(r"u?int\d+_t", name)


def check_identifier(name: Any, what: str) -> str:
    """Raises ArgumentError for what is no identifier."""
    if not isinstance(name, str) or not is_identifier(name):
        raise ArgumentError(f"{what} must be a C identifier (letters, digits, underscores; no keyword), found {name!r}")
    return name
