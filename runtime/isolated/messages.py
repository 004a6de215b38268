"""Messages between a process and its worker: a header (JSON) and data, each with its length before it."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from typing import Any

LENGTHS = struct.Struct("<QQ")
PIECE = 1 << 20

Message = tuple[dict[str, Any], bytes]


def send(connection: socket.socket, header: dict[str, Any], data: bytes = b"") -> None:
    """Raises OSError if the other side is gone."""
    text = json.dumps(header).encode()
    connection.sendall(LENGTHS.pack(len(text), len(data)) + text)
    connection.sendall(data)


def receive(connection: socket.socket, wait: Callable[[], None] = lambda: None) -> Message | None:
    """The next message; None if the other side is gone. `wait` is called before each read: it returns when there is something to read, or
    raises."""
    lengths = _exactly(connection, LENGTHS.size, wait)
    if lengths is None:
        return None
    sizes = LENGTHS.unpack(lengths)
    parts = [_exactly(connection, size, wait) for size in sizes]
    if parts[0] is None or parts[1] is None:
        return None
    return json.loads(parts[0]), bytes(parts[1])


def _exactly(connection: socket.socket, size: int, wait: Callable[[], None]) -> bytearray | None:
    found = bytearray()
    while len(found) < size:
        wait()
        try:
            piece = connection.recv(min(PIECE, size - len(found)))
        except ConnectionError:
            return None
        if not piece:
            return None
        found += piece
    return found
