"""Values of options at which passes of upstream MLIR end the process, since their assertions are on. Each pass was run with odd values of
each option, in processes of their own; those that ended are here, and are refused before MLIR sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hlo.errors import ArgumentError
from hlo.lazy_dataclasses import dataclass

Check = Callable[[str], bool]


@dataclass(frozen=True)
class Values:
    """`takes`: the words for those that `allows` allows."""

    takes: str
    allows: Check


def _one_of(*names: str) -> Values:
    return Values(f"one of {', '.join(names)}", lambda text: text in names)


def _number(least: int, most: int) -> Values:
    return Values(f"a number from {least} to {most}", lambda text: _is_between(text, least, most))


def _is_between(text: str, least: int, most: int) -> bool:
    return re.fullmatch(r"\d{1,20}", text, re.ASCII) is not None and least <= int(text) <= most


MOST_BITS = (1 << 24) - 1
"""Of an integer type of MLIR."""

_BITS = _number(0, MOST_BITS)
_NAME = Values("a name", lambda text: re.fullmatch(r"[^\s{}\"']+", text) is not None)
_LEVEL = _number(0, 3)
_SIZES = Values(
    "numbers from 1, separated by commas",
    lambda text: all(_is_between(one, 1, 2**32 - 1) for one in text.split(",")),
)
_NO_LIBRARIES = Values("nothing: XeVM links no files", lambda text: not text)
_TARGET = {"O": _LEVEL, "chip": _NAME, "triple": _NAME}

OPTIONS: dict[str, dict[str, Values]] = {
    "affine-loop-tile": {"tile-sizes": _SIZES},
    "convert-arith-to-llvm": {"index-bitwidth": _BITS},
    "convert-cf-to-llvm": {"index-bitwidth": _BITS},
    "convert-func-to-llvm": {"index-bitwidth": _BITS},
    "convert-gpu-to-nvvm": {"index-bitwidth": _BITS},
    "convert-gpu-to-rocdl": {"index-bitwidth": _BITS},
    "convert-index-to-llvm": {"index-bitwidth": _BITS},
    "convert-ub-to-llvm": {"index-bitwidth": _BITS},
    "finalize-memref-to-llvm": {"index-bitwidth": _BITS},
    "gpu-module-to-binary": {
        "format": _one_of("offloading", "llvm", "assembly", "isa", "binary", "bin", "fatbinary", "fatbin"),
    },
    "nvvm-attach-target": {
        **_TARGET,
        "chip": Values("the name of a chip, such as sm_80", lambda text: _NAME.allows(text) and len(text) > 2),
    },
    "one-shot-bufferize": {
        "analysis-heuristic": _one_of("bottom-up", "top-down", "bottom-up-from-terminators", "fuzzer"),
    },
    "rocdl-attach-target": {**_TARGET, "abi": _one_of("400", "500", "600")},
    "xevm-attach-target": {**_TARGET, "l": _NO_LIBRARIES},
}


def check_options(name: str, text: str) -> None:
    """Of an upstream pass, as they stand in a pipeline. Raises ArgumentError for a value at which the pass would end the process."""
    for nested, its_text in _NESTED.findall(text):
        check_options(nested, its_text)
    given = dict(_options(text))
    for option, values in OPTIONS.get(name, {}).items():
        if option in given and not values.allows(given[option]):
            raise ArgumentError(f"pass {name!r}: option {option} takes {values.takes}, found {given[option]!r}")
    if given.get("analysis-heuristic") == "fuzzer" and not _is_between(given.get("analysis-fuzzer-seed", ""), 1, 2**32):
        raise ArgumentError(f"pass {name!r}: analysis-heuristic=fuzzer goes with an analysis-fuzzer-seed from 1")


_NESTED = re.compile(r"([a-z][\w-]*)\{([^{}]*)\}")
"""A pass with options in a pipeline that is the value of an option."""
_OPTION = re.compile(r"([\w.-]+)(?:=((?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^\s{}\"'])*))?")


def _options(text: str) -> Iterator[tuple[str, str]]:
    """Names and values; a value in quotes or braces is what is within them."""
    for found in _OPTION.finditer(text):
        value = found[2] or ""
        is_wrapped = len(value) > 1 and value[0] + value[-1] in ('""', "''", "{}")
        yield found[1], value[1:-1] if is_wrapped else value
