"""Shardings as older programs write them, in strings (`mhlo.sharding`), to the data model.

"{replicated}"   "{maximal device=3}"   "{manual}"   "{{replicated}, {devices=[2]<=[2]}}"
"{devices=[2,1,4]<=[8] last_tile_dim_replicate}"     two parts of dimension 0, each on four devices
"{devices=[4,2]<=[2,4]T(1,0)}"                       devices 0 to 7 as a 2x4 grid, transposed
"{devices=[2,2]0,2,1,3}"                             the devices one by one
"{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"

The devices of a string are the digits of a device's number: each size that a string cuts them into is an axis."""

from __future__ import annotations

import functools
import re
from math import prod

import numpy as np

from hlo.dialect.cursor import Unexpected
from hlo.dialect.process_grid import MOST_PROCESSES
from hlo.lazy_dataclasses import dataclass

MOST_DIMENSIONS = 64
"""Of a grid of devices, as in numpy."""
_TILES = re.compile(r"devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+))")
_LAST_DIMS = re.compile(r"last_tile_dims=\{([\w, ]*)\}")
_KINDS = ("replicated", "manual", "unknown")


@dataclass(frozen=True)
class Digit:
    """A part of a device's number: `number // stride % size`."""

    stride: int
    size: int


@dataclass(frozen=True)
class TileSharding:
    """`dimensions`: for each the digits that cut it, major to minor. `manual`: digits whose parts the program itself
    distinguishes. `devices`: how many there are, 0 where the string does not say."""

    dimensions: tuple[tuple[Digit, ...], ...] = ()
    manual: tuple[Digit, ...] = ()
    devices: int = 0
    is_manual: bool = False
    """All digits are manual."""


@functools.lru_cache(4096)
def parse_tiles(text: str, order: tuple[int, ...] = ()) -> tuple[TileSharding, ...]:
    """The shardings in a string: one, or one for each member of a tuple. `order`: the devices in an order in which their
    positions have the digits; () stands for 0, 1, 2, ... Raises Unexpected for what is no sharding, and NoDigits for one
    whose devices have no digits in this order."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise Unexpected(f"a sharding must be in braces, found {text!r}", 0)
    inside = text[1:-1].strip()
    if inside.startswith("{"):
        members = _members(inside)
        if not members:
            raise Unexpected(f"expected shardings in braces, found {text!r}", 0)
        return tuple(one for part in members for one in parse_tiles(part, order))
    return (_one(inside, text, order),)


class NoDigits(Unexpected):
    """`devices`: those of the string, in its order."""

    def __init__(self, message: str, devices: tuple[int, ...]):
        super().__init__(message, 0)
        self.devices = devices


def _members(inside: str) -> list[str]:
    """`{...}, {...}` to its members."""
    found, depth, start = [], 0, 0
    for position, c in enumerate(inside):
        depth += (c == "{") - (c == "}")
        if c == "{" and depth == 1:
            start = position
        elif c == "}" and depth == 0:
            found.append(inside[start : position + 1])
    return found


def _one(inside: str, text: str, order: tuple[int, ...]) -> TileSharding:
    inside = re.sub(r",?\s*metadata=\{.*\}", "", inside).strip()
    if inside in ("replicated", "") or inside.startswith(("maximal", "unknown")):
        return TileSharding()
    if inside == "manual":
        return TileSharding(is_manual=True)
    found = _TILES.search(inside)
    if not found:
        raise Unexpected(f"expected replicated, maximal device=N, manual or devices=[...], found {text!r}", 0)
    tiles = _numbers(found[1])
    kinds = _last_kinds(inside)
    if any(k not in _KINDS for k in kinds):
        raise Unexpected(f"last_tile_dims must be of {', '.join(_KINDS)}, found {text!r}", 0)
    devices = _devices(found, text)
    if order and len(order) == len(devices):
        positions = np.argsort(order)[devices]
    else:
        positions = devices
    digits = _digits(tiles, positions)
    if digits is None:
        message = f"devices must be a grid of 0, 1, 2, ... with dimensions exchanged, found {text!r}"
        raise NoDigits(message, tuple(int(d) for d in devices))
    cut = len(tiles) - len(kinds)
    manual = tuple(d for part, kind in zip(digits[cut:], kinds) if kind == "manual" for d in part)
    return TileSharding(tuple(digits[:cut]), manual, prod(tiles))


def _last_kinds(inside: str) -> list[str]:
    """What the last dimensions of the tiles stand for, where they are none of the tensor's."""
    if "last_tile_dim_replicate" in inside:
        return ["replicated"]
    found = _LAST_DIMS.search(inside)
    return [k.strip() for k in found[1].split(",") if k.strip()] if found else []


def _numbers(text: str | None) -> list[int]:
    """Of `2,4`. A number of more than 25 digits is out of every range, with the rest of them or without."""
    parts = text.split(",") if text else []
    if not all(parts):
        raise Unexpected(f"expected numbers between commas, found {text!r}", 0)
    return [int(n[:25]) for n in parts]


def _devices(found: re.Match[str], text: str) -> np.ndarray:
    """The devices in the order of the tiles."""
    if max(len(_numbers(found[1])), len(_numbers(found[2]))) > MOST_DIMENSIONS:
        raise Unexpected(f"devices must be a grid of at most {MOST_DIMENSIONS} dimensions, found {text!r}", 0)
    tiles = prod(_numbers(found[1]))
    if not 1 <= tiles <= MOST_PROCESSES:
        raise Unexpected(f"devices must be 1 to {MOST_PROCESSES} in a grid without empty dimensions, found {text!r}", 0)
    if found[4]:
        devices = np.array(_numbers(found[4]))
    else:
        shape = _numbers(found[2])
        order = _numbers(found[3]) or range(len(shape))
        if sorted(order) != list(range(len(shape))):
            raise Unexpected(f"T(...) must name each of {len(shape)} dimensions once, found {text!r}", 0)
        if prod(shape) != tiles:
            raise Unexpected(f"the {tiles} tiles must be as many as the devices behind <=, found {text!r}", 0)
        devices = np.arange(prod(shape)).reshape(shape).transpose(*order).ravel()
    if sorted(devices) != list(range(tiles)):
        raise Unexpected(f"devices must be 0 to {tiles - 1}, each once, found {text!r}", 0)
    return devices


def _digits(tiles: list[int], devices: np.ndarray) -> list[tuple[Digit, ...]] | None:
    """The digits of the devices' numbers that each dimension of the tiles counts, major to minor; None where they count
    none."""
    grid = devices.reshape(tiles)
    found = []
    for dimension, size in enumerate(tiles):
        numbers = np.moveaxis(grid, dimension, 0).reshape(size, -1)[:, 0]
        found.append(_digits_of([int(n) for n in numbers - numbers[0]]))
    sum_of_digits = np.zeros(tiles, int)
    for dimension, (size, digits) in enumerate(zip(tiles, found)):
        numbers = np.zeros(1, int)
        for d in digits:
            numbers = (numbers[:, None] + np.arange(d.size) * d.stride).ravel()
        if len(numbers) != size:
            return None
        sum_of_digits = sum_of_digits + numbers.reshape([size if k == dimension else 1 for k in range(len(tiles))])
    return found if np.array_equal(sum_of_digits, grid) else None


def _digits_of(numbers: list[int]) -> tuple[Digit, ...]:
    """Minor to major: runs of one stride, each of them repeated by the next."""
    digits: list[Digit] = []
    done = 1
    while done < len(numbers):
        stride = numbers[done]
        size = next(
            (
                k
                for k in range(2, len(numbers) // done + 1)
                if k * done >= len(numbers) or numbers[k * done] != k * stride
            ),
            len(numbers) // done,
        )
        if stride <= 0 or len(numbers) % (done * size):
            return ()
        digits.insert(0, Digit(stride, size))
        done *= size
    return tuple(digits)
