"""The check and interpreter dialects: expectations that are met, values that are watched, programs that are fed."""

from __future__ import annotations

import numpy as np
from cases import INF, NAN, Case, dense, file_as, ramp, tensor

ADJACENT = np.array([1.0, -2.5, 1e-30, 3e30], np.float32)
TOKEN = "!stablehlo.token"


def met(name: str, op: str, x: np.ndarray, y: np.ndarray, attributes: str = "") -> Case:
    return Case(name, [x, y], f'"check.{op}"(%0, %1) {{{attributes}}} : ({tensor(x)}, {tensor(y)}) -> ()', [])


def of_constant(name: str, op: str, x: np.ndarray, y: np.ndarray, attributes: str = "") -> Case:
    words = ", ".join(w for w in (f"value = {dense(y)}", attributes) if w)
    return Case(name, [x], f'"check.{op}"(%0) {{{words}}} : ({tensor(x)}) -> ()', [])


ARRAYS = (np.array([True, False]), np.array([1, NAN, -0.0]), np.zeros((0, 2), np.float32), np.array(3, np.int8),
          np.eye(2, dtype=np.complex64))  # fmt: skip


def expect_eq() -> list[Case]:
    zeros = met("zeros_of_both_signs", "expect_eq", np.array([0.0, -0.0]), np.array([-0.0, 0.0]))
    return [*(met(f"equal_{i}", "expect_eq", x, x) for i, x in enumerate(ARRAYS)), zeros]


def expect_eq_const() -> list[Case]:
    return [of_constant(f"equal_{i}", "expect_eq_const", x, x) for i, x in enumerate(ARRAYS)]


def expect_almost_eq() -> list[Case]:
    x = np.array([1, 1000, NAN, 1e-6], np.float32)
    y = np.array([1.00005, 1000.05, NAN, 0], np.float32)
    return [
        met("default_tolerance", "expect_almost_eq", x, y),
        met("wide", "expect_almost_eq", ramp(3), ramp(3) + np.float32(0.25), "tolerance = 5.0e-01 : f64"),
        met("complex", "expect_almost_eq", x + 1j * x, y + 1j * y),
    ]


def expect_almost_eq_const() -> list[Case]:
    x, y = np.array([1, 1000, NAN], np.float32), np.array([1.00005, 1000.05, NAN], np.float32)
    wide = of_constant(
        "wide", "expect_almost_eq_const", ramp(3), ramp(3) + np.float32(0.25), "tolerance = 5.0e-01 : f64"
    )
    return [of_constant("default_tolerance", "expect_almost_eq_const", x, y), wide]


def expect_close() -> list[Case]:
    """The next number is 1 away, the one after it 2."""
    one = np.nextafter(ADJACENT, np.float32(np.inf))
    two = np.nextafter(one, np.float32(np.inf))
    largest = np.finfo(np.float32).max
    x, y = np.float32([INF, INF, INF, NAN, largest]), np.float32([-INF, NAN, largest, 1, INF])
    farthest = "max_ulp_difference = 18446744073709551615 : ui64, min_ulp_difference = 18446744073709551615 : ui64"
    return [
        met("equal", "expect_close", ADJACENT, ADJACENT),
        met("neighbours", "expect_close", ADJACENT, one, "max_ulp_difference = 1 : ui64"),
        met(
            "exactly_two", "expect_close", ADJACENT, two, "max_ulp_difference = 2 : ui64, min_ulp_difference = 2 : ui64"
        ),
        met("doubles", "expect_close", np.array([1.0, -2.0]), np.nextafter([1.0, -2.0], 9)),
        met("infinities_and_nan_are_the_farthest", "expect_close", x, y, farthest),
        met("infinities_and_nan_are_themselves", "expect_close", x, x, "max_ulp_difference = 0 : ui64"),
    ]


def expect_serialized_eq() -> list[Case]:
    """The first and the second value of a probe."""
    x = ramp(3)
    body = f"""
%a = "interpreter.probe"(%0) {{probe_id = "expect_serialized_eq"}} : ({tensor(x)}) -> {tensor(x)}
%n = stablehlo.negate %a : {tensor(x)}
%b = "interpreter.probe"(%n) {{probe_id = "expect_serialized_eq"}} : ({tensor(x)}) -> {tensor(x)}
"check.expect_serialized_eq"(%0) {{probe_id = "expect_serialized_eq"}} : ({tensor(x)}) -> ()
"check.expect_serialized_eq"(%b) {{probe_id = "expect_serialized_eq", iteration = 1 : ui32}} : ({tensor(x)}) -> ()"""
    return [Case("two_values", [x], body, [])]


def probe() -> list[Case]:
    out = []
    for i, x in enumerate(ARRAYS):
        name = f"probe_{i}"
        body = f"""
%r = "interpreter.probe"(%0) {{probe_id = "{name}"}} : ({tensor(x)}) -> {tensor(x)}
"check.expect_serialized_eq"(%r) {{probe_id = "{name}"}} : ({tensor(x)}) -> ()"""
        out.append(Case(name, [x], body, [x]))
    return out


def print_() -> list[Case]:
    return [
        Case(f"gives_{i}", [x], f'%r = "interpreter.print"(%0) : ({tensor(x)}) -> {tensor(x)}', [x])
        for i, x in enumerate(ARRAYS)
    ]


def _program(name: str, arguments: str, results: str, body: str) -> str:
    lines = "\n".join(f"  {line}" for line in body.strip().splitlines())
    return f"func.func private @{name}({arguments}) -> {results} {{\n{lines}\n}}"


def run_parallel() -> list[Case]:
    x = ramp(3)
    t = tensor(x)
    negated = _program("negated", f"%x: {t}", t, f"%r = stablehlo.negate %x : {t}\nreturn %r : {t}")
    body = f'%r = "interpreter.run_parallel"(%0) {{programs = [[@negated]]}} : ({t}) -> {t}'
    return [Case("one_program", [x], body, [-x], functions=negated)]


def fed_program(name: str) -> Case:
    """Takes two things from its infeed, in the order in which they were put there."""
    x, y = ramp(3) + 1, np.array([[True, False]])
    a, b = tensor(x), tensor(y)
    first = _program("first", "", a, f"%x = stablehlo.constant {dense(x)}\nreturn %x : {a}")
    second = _program("second", "", b, f"%y = stablehlo.constant {dense(y)}\nreturn %y : {b}")
    takes = f"""
%x, %t = "stablehlo.infeed"(%token) : ({TOKEN}) -> ({a}, {TOKEN})
%y, %u = "stablehlo.infeed"(%t) {{infeed_config = ""}} : ({TOKEN}) -> ({b}, {TOKEN})
return %x, %y : {a}, {b}"""
    program = _program("program", f"%token: {TOKEN}", f"({a}, {b})", takes)
    body = f"""
%token = stablehlo.create_token : {TOKEN}
%r0, %r1 = "interpreter.run_parallel"(%token) {{infeed = [@first, @second], programs = [[@program]]}} : ({TOKEN}) -> ({a}, {b})"""
    return Case(name, [], body, [x, y], functions="\n\n".join([first, second, program]))


def infeed() -> list[Case]:
    return [fed_program("in_order")]


def outfeed() -> list[Case]:
    """What is given stays with the host; the program goes on."""
    out = []
    for i, x in enumerate(ARRAYS):
        body = f"""
%token = stablehlo.create_token : {TOKEN}
%t = "stablehlo.outfeed"(%0, %token) {{outfeed_config = "e2e"}} : ({tensor(x)}, {TOKEN}) -> {TOKEN}
%u = "stablehlo.outfeed"(%t) : ({TOKEN}) -> {TOKEN}
%r = stablehlo.optimization_barrier %0 : {tensor(x)}"""
        out.append(Case(f"goes_on_{i}", [x], body, [x]))
    return out


for dialect, cases in (
    *(("check.", c) for c in (expect_eq, expect_eq_const, expect_almost_eq, expect_almost_eq_const, expect_close, expect_serialized_eq)),
    *(("interpreter.", c) for c in (probe, print_, run_parallel)),
    *(("", c) for c in (infeed, outfeed)),
):  # fmt: skip
    file_as(dialect + cases.__name__.rstrip("_"), cases)
