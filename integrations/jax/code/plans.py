"""What machine code must know to call a program (hlo.jax.code.call_code)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from hlo.jax.code.call_code import ASK, IMAGE, PLAN
from hlo.jax.objects.device_memories import READY
from hlo.runtime.calls.executable import Executable


class PlanSlot:
    """Where machine code finds the plan of an executable; it may be another one from one call to the next."""

    def __init__(self, plan: Plan):
        self._words = (ctypes.c_uint64 * 2)(plan.address, 0)
        self.address = ctypes.addressof(self._words)

    def put(self, plan: Plan) -> None:
        """`plan` lives as long as the executable: calls may follow it after it has been replaced."""
        self._words[PLAN] = plan.address

    @property
    def asks(self) -> bool:
        """Whether Python is asked before a call (LoadedExecutable_Execute in hlo.jax.calls)."""
        return bool(self._words[ASK])

    @asks.setter
    def asks(self, asks: bool) -> None:
        self._words[ASK] = asks


class Plan:
    """The plan of an executable whose arguments and results JAX counts with the tokens among them. `address`: for
    machine code, as long as the object lives. `arguments`, `results`: how many JAX counts. `donated`: numbers of
    arguments. `words_position`: where the address of a process's words goes in a grid."""

    def __init__(
        self,
        executable: Executable,
        forms: Sequence[Any],
        token_arguments: Sequence[int],
        token_results: Sequence[int],
    ):
        """`forms`: the records of the results, those of tokens among them."""
        signature, donation = executable.signature, executable.program.donation
        arguments = _others(len(signature.arguments), token_arguments)
        results = _others(len(signature.results), token_results)
        self.arguments, self.results = len(arguments) + len(token_arguments), len(forms)
        self.words_position = len(arguments) if executable.grid.size > 1 else None
        first_result = len(arguments) + (executable.grid.size > 1)
        tail = first_result + len(results)
        arena = tail + len(executable.tail)
        token = arena + 1  # where nobody reads it
        image = [0] * tail + [*executable.tail, 0, 0]
        sources = [-1] * len(forms)
        for argument, result in donation.results:
            assert signature.arguments[argument].nbytes == signature.results[result].nbytes
            sources[results[result]] = arguments[argument]
        self.donated = tuple(arguments[n] for n in donation.arguments)
        self._kept: list[Any] = []
        words = [
            executable.entry,
            len(image),
            self._words(image),
            executable.program.arena,
            arena,
            self._words(_positions(arguments, token_arguments, 0, token)),
            len(forms),
            self._words(_positions(results, token_results, first_result, token)),
            self._words(word for form in forms for word in form),
            self._words(sources),
            len(self.donated),
            self._words(self.donated),
            READY,
        ]
        self._image, self._plan = image, words
        self.address = self._words(words)

    def for_process(self, words: int) -> tuple[int, Any]:
        """The address of the plan for one call, in which the program gets the words of its process in a grid at an address, and what has to
        live as long as the call."""
        assert self.words_position is not None, "on one device there are none"
        image = (ctypes.c_int64 * len(self._image))(*self._image)
        image[self.words_position] = words
        plan = (ctypes.c_int64 * len(self._plan))(*self._plan)
        plan[IMAGE] = ctypes.addressof(image)
        return ctypes.addressof(plan), (self, image, plan)

    def _words(self, values: Any) -> int:
        """The address of an array of 64-bit integers that lives as long as the plan."""
        found = list(values)
        self._kept.append((ctypes.c_int64 * max(1, len(found)))(*found))
        return ctypes.addressof(self._kept[-1])


def _others(count: int, tokens: Sequence[int]) -> list[int]:
    """JAX's numbers of `count` arrays, which tokens are among."""
    return [n for n in range(count + len(tokens)) if n not in tokens]


def _positions(arrays: Sequence[int], tokens: Sequence[int], first: int, token: int) -> list[int]:
    """Where the address of each array or token goes."""
    positions = {number: first + n for n, number in enumerate(arrays)}
    return [positions.get(n, token) for n in range(len(arrays) + len(tokens))]
