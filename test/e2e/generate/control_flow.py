"""if, case, while."""

from __future__ import annotations

import numpy as np
from cases import Case, file, ramp


@file
def if_() -> list[Case]:
    out = []
    for name, p in (("taken", True), ("not_taken", False)):
        x = ramp(3)
        body = """
%r = "stablehlo.if"(%0) ({
  %t = stablehlo.add %1, %1 : tensor<3xf32>
  stablehlo.return %t : tensor<3xf32>
}, {
  stablehlo.return %1 : tensor<3xf32>
}) : (tensor<i1>) -> tensor<3xf32>"""
        out.append(Case(name, [np.array(p), x], body, [x + x if p else x]))
    return out


@file
def case() -> list[Case]:
    out = []
    for index, factor in ((0, 1), (1, 2), (2, 3), (-1, 3), (7, 3)):
        x = ramp(3)
        body = '%r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {\n  %a = stablehlo.add %1, %1 : tensor<3xf32>\n  stablehlo.return %a : tensor<3xf32>\n}, {\n  %b = stablehlo.add %1, %1 : tensor<3xf32>\n  %c = stablehlo.add %b, %1 : tensor<3xf32>\n  stablehlo.return %c : tensor<3xf32>\n}) : (tensor<i32>) -> tensor<3xf32>'
        out.append(Case(f"index_{index}".replace("-", "minus_"), [np.array(index, np.int32), x], body, [x * factor]))
    return out


@file
def while_() -> list[Case]:
    body = """
%r0, %r1 = stablehlo.while(%i = %0, %s = %1) : tensor<i32>, tensor<3xf32>
 cond {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
 } do {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %t = stablehlo.add %s, %s : tensor<3xf32>
  stablehlo.return %j, %t : tensor<i32>, tensor<3xf32>
 }"""
    x = ramp(3) + 1
    doubling = Case("doubling", [np.array(0, np.int32), x], body, [np.array(5, np.int32), x * 32])
    never = Case("never_entered", [np.array(9, np.int32), x], body, [np.array(9, np.int32), x])
    swap = """
%i, %r0, %r1 = stablehlo.while(%k = %0, %a = %1, %b = %2) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
 cond {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %p = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
 } do {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %k, %one : tensor<i32>
  stablehlo.return %j, %b, %a : tensor<i32>, tensor<3xf32>, tensor<3xf32>
 }"""
    return [doubling, never, Case("swapping", [np.array(0, np.int32), x, -x], swap, [-x, x])]
