"""What a custom call's function keeps of its operands stays as it was: programs use their memory again, and give it back."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import hlo
from hlo.runtime.custom_calls.registry import register

TARGETS = ({"target": "cpu"}, {"target": "reference"}, {"target": "gpu", "device": "model"})
OPERANDS = {"temporary": "stablehlo.add %x, %x", "argument": "stablehlo.optimization_barrier %x"}


def program(size: int, operand: str) -> str:
    kind = f"tensor<{size}xf32>"
    return f"""func.func @main(%x: {kind}) -> tensor<f32> {{
      %y = {OPERANDS[operand]} : {kind}
      %r = stablehlo.custom_call @keep_operand(%y) : ({kind}) -> tensor<f32>
      return %r : tensor<f32>
    }}"""


@pytest.mark.parametrize("options", TARGETS, ids=lambda o: o["target"])
@pytest.mark.parametrize("operand", OPERANDS)
def test_operands_of_earlier_calls(options, operand):
    kept = []

    @register("keep_operand")
    def keep(x):
        kept.append(x[::2])
        return np.float32(0)

    exe = hlo.compile(program(6, operand), **options)
    x = np.zeros(6, np.float32)
    for n in range(5):
        x[...] = n + 1
        exe(x)
    factor = 2 if operand == "temporary" else 1
    assert [k.tolist() for k in kept] == [[factor * (n + 1.0)] * 3 for n in range(5)]


LARGE = """
import numpy as np, hlo
from hlo.runtime.custom_calls.registry import register
kept = []

@register("keep_operand")
def keep(x):
    kept.append(x)
    return np.float32(0)

size = 1 << 24
exe = hlo.compile('''PROGRAM''')
exe(np.ones(size, np.float32))
del exe
print(kept[0].sum() / size)
"""


def test_memory_that_the_system_took_back():
    """Reading it ended the process."""
    code = LARGE.replace("PROGRAM", program(1 << 24, "temporary"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "2.0\n"), done.stderr


def test_borrowed_operands_are_not_copied():
    """The function says that it keeps none: it sees the program's memory."""
    addresses = set()

    @register("borrow_operand", borrows=True)
    def borrow(x):
        addresses.add(x.ctypes.data)
        assert not x.flags.writeable
        return np.float32(x[0])

    x = np.arange(1.0, 5.0, dtype=np.float32)
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<f32> {\n %r = stablehlo.custom_call @borrow_operand(%x) : (tensor<4xf32>) -> tensor<f32>\n return %r : tensor<f32> }"
    assert hlo.compile(text)(x)[0] == 1
    assert addresses == {x.ctypes.data}


@pytest.mark.parametrize("name", [None, 5, b"scale", ""])
def test_names_of_targets(name):
    with pytest.raises(hlo.ArgumentError, match="name of a custom call target"):
        register(name)
    with pytest.raises(hlo.ArgumentError, match="name of a custom call target"):
        hlo.register_custom_call_symbol(name)


def test_addresses_of_symbols():
    for address in (1 << 64, 1 << 70, 0, -1, "x", 1.5):
        with pytest.raises(hlo.ArgumentError, match="address"):
            hlo.register_custom_call_symbol("some_target", address)
    with pytest.raises(hlo.ArgumentError, match="no library of this process"):
        hlo.register_custom_call_symbol("\ud800")


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("no words")


@pytest.mark.parametrize("options", TARGETS, ids=lambda o: o["target"])
def test_an_exception_that_cannot_be_shown(options):
    @register("unspeakable")
    def fail(x):
        raise Unspeakable

    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n %r = stablehlo.custom_call @unspeakable(%x) : (tensor<f32>) -> tensor<f32>\n return %r : tensor<f32> }"
    with pytest.raises(hlo.HloError, match="custom call @unspeakable: Unspeakable") as caught:
        hlo.compile(text, **options)(np.float32(1))
    assert isinstance(caught.value.__cause__, Unspeakable)


@pytest.mark.parametrize("action", [hlo.compile, hlo.load, hlo.load_executable])
def test_paths_with_half_characters(action):
    """A lone surrogate is no character of any file's name."""
    with pytest.raises(hlo.ArgumentError, match="cannot read"):
        action("model\ud800.mlir")


def test_saving_under_a_half_character(tmp_path):
    exe = hlo.compile("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n return %x : tensor<f32> }")
    with pytest.raises(hlo.ArgumentError, match="cannot write"):
        exe.save(f"{tmp_path}/\ud800")
