"""SHA-256 without OpenSSL, for data that is small: `import hashlib` loads it, which takes longer than loading a saved program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

SMALL = 1 << 20
"""Bytes up to which Python's own code takes less time than the import; OpenSSL's is several times as fast for more."""


def sha256(data: bytes | memoryview) -> Any:
    """The hash object of the data."""
    return (_small() if len(data) <= SMALL else _large())(data)


def _small() -> Callable[[bytes | memoryview], Any]:
    """That of the module that hashlib itself takes where there is no OpenSSL; its name depends on Python's version."""
    name = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    try:
        return __import__(name).sha256
    except ImportError:
        return _large()


def _large() -> Callable[[bytes | memoryview], Any]:
    from hashlib import sha256

    return sha256
