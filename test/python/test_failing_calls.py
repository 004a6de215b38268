"""A custom call that fails: the run ends, and the caller gets what the function raised."""

from __future__ import annotations

import subprocess
import sys

LOOP = '''
import numpy as np, hlo
from hlo.runtime import custom_calls

calls = []

@custom_calls.register("again")
def again(x):
    calls.append(int(x))
    if len(calls) == 4:
        raise ValueError("enough")
    return np.array(True)

exe = hlo.compile("""func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    %p = stablehlo.custom_call @again(%i) {has_side_effect = true} : (tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
   }
  return %r : tensor<i32>
}""")
try:
    exe(np.int32(5))
except hlo.HloError as error:
    print(calls, error)
'''


def test_a_loop_ends_when_its_condition_fails() -> None:
    """Results of calls that fail, or are left out after a failure, are zeros: not what an earlier turn left there."""
    done = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[5, 6, 7, 8] -:4:10: error: custom call @again: ValueError: enough", done.stderr
