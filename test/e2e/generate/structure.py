"""Constants, barriers, tuples, maps, calls."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, INF, NAN, Case, dense, file, ramp, suffix, tensor, values


@file
def constant() -> list[Case]:
    """The value is compared with a sum or a choice that gives it, and with itself where there is none."""
    out = []
    for kind in DTYPES:
        if kind in ("i2", "ui2"):
            x = np.array([0, 1]).astype(DTYPES[kind])
        else:
            x = np.array([1, 0]) if np.dtype(DTYPES[kind]).kind == "b" else np.array([1, 0, 3])
            x = x.astype(DTYPES[kind])
        out.append(Case(suffix(kind), [], f"%r = stablehlo.constant {dense(x)}", [x]))
    special = np.array([INF, -INF, NAN, -0.0], np.float32)
    bits = '%c = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>'
    splat = "%r = stablehlo.constant dense<7> : tensor<2x3xi32>"
    return [
        *out,
        Case("special", [], f"%r = stablehlo.constant {dense(special)}", [special]),
        Case("bytes", [], bits.replace("%c", "%r"), [np.array([1, 2, 3], np.float32)]),
        Case("splat", [], splat, [np.full((2, 3), 7, np.int32)]),
        Case("empty", [], "%r = stablehlo.constant dense<> : tensor<0x4xi8>", [np.zeros((0, 4), np.int8)]),
    ]


@file
def optimization_barrier() -> list[Case]:
    x, y = np.array(0, np.float32), np.array(1, np.float32)
    two = f"%r0, %r1 = stablehlo.optimization_barrier %0, %1 : {tensor(x)}, {tensor(y)}"
    kinds = ("i1", "i8", "bf16", "complex<f32>", "f64")
    out = [Case(suffix(k), [values(k)], "%r = stablehlo.optimization_barrier %0 : " + tensor(values(k)), [values(k)]) for k in kinds]  # fmt: skip
    token = f"""
%token = stablehlo.create_token : !stablehlo.token
%r, %t = stablehlo.optimization_barrier %0, %token : {tensor(x)}, !stablehlo.token"""
    return [Case("example", [x, y], two, [x, y]), Case("with_token", [x], token, [x]), *out]


@file
def tuple_() -> list[Case]:
    x, y = np.array([1, 2], np.float32), np.array(3, np.int32)
    body = """
%inner = stablehlo.tuple %1 : tuple<tensor<i32>>
%t = "stablehlo.tuple"(%0, %inner) : (tensor<2xf32>, tuple<tensor<i32>>) -> tuple<tensor<2xf32>, tuple<tensor<i32>>>
%r0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tensor<2xf32>
%u = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
%r1 = stablehlo.get_tuple_element %u[0] : (tuple<tensor<i32>>) -> tensor<i32>"""
    empty = """
%t = "stablehlo.tuple"() : () -> tuple<>
%r = stablehlo.negate %0 : tensor<2xf32>"""
    return [Case("nested", [x, y], body, [x, y]), Case("of_nothing", [x], empty, [-x])]


@file
def get_tuple_element() -> list[Case]:
    out = []
    kinds = ("i1", "ui8", "i64", "bf16", "f32", "complex<f64>")
    everything = [values(k) for k in kinds]
    types = ", ".join(map(tensor, everything))
    operands = ", ".join(f"%{i}" for i in range(len(kinds)))
    for i, x in enumerate(everything):
        body = f"%t = stablehlo.tuple {operands} : tuple<{types}>\n%r = stablehlo.get_tuple_element %t[{i}] : (tuple<{types}>) -> {tensor(x)}"
        out.append(Case(f"element_{i}", everything, body, [x]))
    return [*out, _returned_tuple()]


def _returned_tuple() -> Case:
    x = ramp(3)
    t = f"tuple<{tensor(x)}, tuple<tensor<i1>>>"
    function = f"""
func.func private @both(%x: {tensor(x)}, %p: tuple<tensor<i1>>) -> {t} {{
  %n = stablehlo.negate %x : {tensor(x)}
  %t = stablehlo.tuple %n, %p : {t}
  return %t : {t}
}}"""
    body = f"""
%p = stablehlo.tuple %1 : tuple<tensor<i1>>
%t = func.call @both(%0, %p) : ({tensor(x)}, tuple<tensor<i1>>) -> {t}
%r0 = stablehlo.get_tuple_element %t[0] : ({t}) -> {tensor(x)}
%q = stablehlo.get_tuple_element %t[1] : ({t}) -> tuple<tensor<i1>>
%r1 = stablehlo.get_tuple_element %q[0] : (tuple<tensor<i1>>) -> tensor<i1>"""
    return Case("of_a_function", [x, np.array(True)], body, [-x, np.array(True)], functions=function.strip())


def _map(name: str, inputs: list[np.ndarray], want: np.ndarray, lines: str, dims: str = "0, 1") -> Case:
    kinds = [tensor(x).rpartition("x")[2] if x.ndim else tensor(x)[7:] for x in inputs]
    arguments = ", ".join(f"%a{i}: tensor<{k}" for i, k in enumerate(kinds))
    operands = ", ".join(f"%{i}" for i in range(len(inputs)))
    types = f"({', '.join(map(tensor, inputs))}) -> {tensor(want)}"
    body = f'%r = "stablehlo.map"({operands}) <{{dimensions = array<i64: {dims}>}}> ({{\n^bb0({arguments}):\n{lines}\n}}) : {types}'
    return Case(name, inputs, body.replace("array<i64: >", "array<i64>"), [want])


@file
def map_() -> list[Case]:
    x, y = np.array([[0, 1], [2, 3]], np.int32), np.array([[4, 5], [6, 7]], np.int32)
    product = "  %m = stablehlo.multiply %a0, %a1 : tensor<i32>\n  stablehlo.return %m : tensor<i32>"
    several = """  %p = stablehlo.compare GT, %a0, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %f = stablehlo.convert %a0 : (tensor<i32>) -> tensor<f32>
  %h = stablehlo.constant dense<0.5> : tensor<f32>
  %s = stablehlo.multiply %f, %h : tensor<f32>
  %z = stablehlo.constant dense<-1.0> : tensor<f32>
  %v = stablehlo.select %p, %s, %z : tensor<i1>, tensor<f32>
  stablehlo.return %v : tensor<f32>"""
    chosen = np.where(x > y[:, ::-1] - 4, x * np.float32(0.5), np.float32(-1)).astype(np.float32)
    one = "  %m = stablehlo.add %a0, %a0 : tensor<{0}>\n  stablehlo.return %m : tensor<{0}>"
    scalars = np.array(3, np.float32)
    branch = """  %p = stablehlo.compare LT, %a0, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %v = "stablehlo.if"(%p) ({
    stablehlo.return %a1 : tensor<i32>
  }, {
    stablehlo.return %a0 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  stablehlo.return %v : tensor<i32>"""
    out = [
        _map("example", [x, y], x * y, product),
        _map("other_element_type", [x, y[:, ::-1] - 4], chosen, several),
        _map("scalars", [scalars], scalars * 2, one.format("f32"), ""),
        _map("empty", [np.zeros((0, 3), np.float32)], np.zeros((0, 3), np.float32), one.format("f32")),
        _map("with_branches", [x, y[::-1] - 4], np.maximum(x, y[::-1] - 4), branch),
    ]
    for kind in ("ui8", "bf16", "f64", "complex<f32>"):
        z = ramp(2, 3).astype(DTYPES[kind])
        lines = f"  %m = stablehlo.add %a0, %a0 : tensor<{kind}>\n  stablehlo.return %m : tensor<{kind}>"
        arguments = f'%r = "stablehlo.map"(%0) <{{dimensions = array<i64: 0, 1>}}> ({{\n^bb0(%a0: tensor<{kind}>):\n{lines}\n}}) : ({tensor(z)}) -> {tensor(z)}'
        out.append(Case(suffix(kind), [z], arguments, [(z + z).astype(z.dtype)]))
    return out


@file
def composite() -> list[Case]:
    """Its decomposition, whatever its name and attributes."""
    x = ramp(3) + 1
    doubled = "func.func private @doubled(%x: tensor<3xf32>) -> tensor<3xf32> {\n  %r = stablehlo.add %x, %x : tensor<3xf32>\n  return %r : tensor<3xf32>\n}"
    both = 'func.func private @both(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {\n  %d = stablehlo.composite "my.double" %x {decomposition = @doubled} : (tensor<3xf32>) -> tensor<3xf32>\n  %s = stablehlo.subtract %d, %y : tensor<3xf32>\n  return %s, %d : tensor<3xf32>, tensor<3xf32>\n}'
    one = '%r = stablehlo.composite "my.double" %0 {composite_attributes = {factor = 2 : i64}, decomposition = @doubled, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>'
    two = '%r0, %r1 = stablehlo.composite "my.both" %0, %1 {decomposition = @both} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)'
    return [
        Case("one", [x], one, [x + x], functions=doubled),
        Case("nested", [x, x * x], two, [x + x - x * x, x + x], functions=both),
    ]


@file
def custom_call() -> list[Case]:
    """Targets that every installation has: identities of one device, checks, LAPACK (its values are NumPy's)."""
    x = ramp(2, 3)
    types = f"({tensor(x)}) -> {tensor(x)}"
    out = [
        Case(target.lower(), [x], f'%r = stablehlo.custom_call @{target}(%0) {{backend_config = ""}} : {types}', [x])
        for target in ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")
    ]
    equal = f"stablehlo.custom_call @check.eq(%0, %0) {{has_side_effect = true}} : ({tensor(x)}, {tensor(x)}) -> ()\n%r = stablehlo.negate %0 : {tensor(x)}"
    return [*out, Case("without_results", [x], equal, [-x]), *_factorizations()]


def _factorizations() -> list[Case]:
    out = []
    for letter, kind in zip("sdcz", ("f32", "f64", "complex<f32>", "complex<f64>")):
        a = np.array([[4, 2, 1], [2, 5, 3], [1, 3, 6]]).astype(DTYPES[kind])
        if "complex" in kind:
            a = a + 1j * np.array([[0, -1, 0.5], [1, 0, -2], [-0.5, 2, 0]]).astype(a.dtype)
        want = np.linalg.cholesky(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)).astype(a.dtype)
        t = tensor(a)
        body = f"""
%l, %r1 = stablehlo.custom_call @lapack_{letter}potrf_ffi(%0) {{mhlo.backend_config = {{uplo = 76 : ui8}}, api_version = 4 : i32}} : ({t}) -> ({t}, tensor<i32>)
%i = stablehlo.iota dim = 0 : tensor<3x3xi32>
%j = stablehlo.iota dim = 1 : tensor<3x3xi32>
%p = stablehlo.compare GE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
%z = stablehlo.constant {dense(np.zeros_like(a))}
%r0 = stablehlo.select %p, %l, %z : tensor<3x3xi1>, {t}"""
        out.append(Case(f"potrf_{suffix(kind)}", [a], body, [want, np.array(0, np.int32)], 1e-5))
    return out
