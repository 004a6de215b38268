"""HLO text: what JAX does not print of it, and text with mistakes. test_hlo_text_programs.py has what JAX prints."""

import numpy as np
import pytest

import hlo
import hlo.dialect.registration  # all op classes
from hlo.dialect.definition import OPS
from hlo.dialect.hlo_text.forms import FORMS
from hlo.dialect.hlo_text.special_forms import REFUSED, SPECIAL_FORMS
from hlo.tools import hlo_opt, hlo_run

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run(text, *arguments):
    return hlo.compile(text, cache=False)(*arguments)


def module(body, head="", before=""):
    return f"HloModule test{head}\n\n{before}\nENTRY main {{\n{body}\n}}\n"


OPCODES = """abs acos acosh add add-dependency after-all all-gather all-gather-done all-gather-start all-reduce all-reduce-done
all-reduce-start all-to-all and asin asinh async-done async-start async-update atan2 atanh batch-norm-grad batch-norm-inference
batch-norm-training bitcast bitcast-convert broadcast call cbrt ceil cholesky clamp collective-broadcast collective-permute
collective-permute-done collective-permute-start count-leading-zeros compare complex concatenate conditional constant convert
convolution copy copy-done copy-start cosine cosh custom-call divide domain dot dynamic-slice dynamic-update-slice erf exponential
exponential-minus-one fft floor fusion gather get-dimension-size get-tuple-element imag infeed iota is-finite log log-plus-one
logistic map maximum minimum multiply negate not opt-barrier or outfeed pad parameter partition-id popcnt power ragged-all-to-all
ragged-dot real recv recv-done reduce reduce-precision reduce-scatter reduce-window remainder replica-id reshape reverse rng
rng-bit-generator rng-get-and-update-state round-nearest-afz round-nearest-even rsqrt scaled-dot scan scatter select
select-and-scatter send send-done set-dimension-size shift-left shift-right-arithmetic shift-right-logical sign sine sinh slice sort
sqrt stochastic-convert subtract tan tanh topk transpose triangular-solve tuple while xor"""
"""Those of XLA (xla/hlo/ir/hlo_opcode.h), less dynamic-reshape, which no printed program has."""


def test_every_opcode_has_a_form_or_a_reason():
    parts = {f"{name}-{part}" for name in FORMS for part in ("start", "done", "update")}
    known = {*FORMS, *SPECIAL_FORMS, *REFUSED, *parts, "parameter"}
    assert not (missing := set(OPCODES.split()) - known), sorted(missing)
    assert not (twice := (set(FORMS) & set(SPECIAL_FORMS)) | (set(REFUSED) & (set(FORMS) | set(SPECIAL_FORMS)))), twice
    assert not (gone := (set(FORMS) | set(SPECIAL_FORMS) | set(REFUSED)) - set(OPCODES.split())), sorted(gone)
    assert {form.op for form in FORMS.values()} <= set(OPS)


def test_files_and_command_lines(tmp_path, capsys):
    path = tmp_path / "program.hlo"
    path.write_text("// a dump\n" + module("  x = f32[2,3]{1,0} parameter(0)\n  ROOT y = f32[2,3]{1,0} negate(x)"))
    for program in (path, path.read_bytes(), path.read_text(), hlo.load(path)):
        (found,) = run(program, X)
        np.testing.assert_array_equal(found, -X)
    printed = tmp_path / "program.mlir"
    assert hlo_opt.main([str(path), "-o", str(printed)]) == 0
    assert "stablehlo.negate %" in printed.read_text()
    assert hlo_run.main([str(path), "--input", "2x3xf32=1,2,3,4,5,6"]) == 0
    assert "-6" in capsys.readouterr().out


@pytest.mark.parametrize(
    "shape, literal, expected",
    [
        ("f32[3]", "{1, -inf, nan}", np.array([1, -np.inf, np.nan], np.float32)),
        ("f32[2,2]{1,0}", "{ { 1.5, -0 }, { 1e-40, 3.4e38 } }", np.array([[1.5, -0.0], [1e-40, 3.4e38]], np.float32)),
        ("f64[]", "0.1", np.float64(0.1)),
        ("f64[1]", "{2.2250738585072014e-308}", np.array([2.2250738585072014e-308])),
        ("pred[4]", "{1, 0, true, false}", np.array([True, False, True, False])),
        ("pred[]", "true", np.array(True)),
        ("s8[2]", "{-128, 127}", np.array([-128, 127], np.int8)),
        ("u64[2]", "{0, 18446744073709551615}", np.array([0, 2**64 - 1], np.uint64)),
        ("s64[1]", "{-9223372036854775808}", np.array([-(2**63)])),
        ("c64[1,2]", "{ { (1, -2), (nan, inf) } }", np.array([[1 - 2j, complex(np.nan, np.inf)]], np.complex64)),
        ("c128[]", "(0.1, 1e300)", np.complex128(complex(0.1, 1e300))),
        ("f32[0,3]", "{  }", np.zeros((0, 3), np.float32)),
        ("f32[2,0]", "{ {  }, {  } }", np.zeros((2, 0), np.float32)),
        ("s32[2,1,2]", "{ { {1, 2} }, { /*i0=1*/ {3, 4} } }", np.array([[[1, 2]], [[3, 4]]], np.int32)),
        ("f32[2]", "{nan(0x7fc00001), -nan}", np.array([np.nan, np.nan], np.float32)),
    ],
)
def test_constants(shape, literal, expected):
    (found,) = run(module(f"  ROOT c = {shape} constant({literal})"))
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    if found.dtype.kind == "f":
        keeps_sign = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[keeps_sign], np.signbit(expected)[keeps_sign])


@pytest.mark.parametrize(
    "element, values",
    [("bf16", "1, -3.5"), ("f16", "1, -3.5"), ("f8e4m3fn", "1, -3.5"), ("f8e5m2", "1, -3.5"), ("f4e2m1fn", "1, -3"), ("s4", "7, -8"), ("u4", "15, 0"), ("s2", "1, -2"), ("u2", "3, 0")],
)  # fmt: skip
def test_constants_of_small_elements(element, values):
    (found,) = run(module(f"  c = {element}[2] constant({{{values}}})\n  ROOT r = f32[2] convert(c)"))
    assert found.tolist() == [float(v) for v in values.split(",")]


def test_tuples_are_their_leaves():
    text = (
        module("""
  p = (f32[2,3], (s32[], f32[3])) parameter(1)
  q = f32[2,3] parameter(0)
  a = f32[2,3] get-tuple-element(p), index=0
  inner = (s32[], f32[3]) get-tuple-element(p), index=1
  n = s32[] get-tuple-element(inner), index=0
  v = f32[3] get-tuple-element(inner), index=1
  b = f32[2,3] broadcast(v), dimensions={1}
  s = f32[2,3] add(a, b)
  t = f32[2,3] subtract(s, q)
  ROOT r = ((f32[2,3], s32[]), f32[3]) tuple(((t)))
""")
        .replace("tuple(((t)))", "tuple(pair, v)")
        .replace("  ROOT", "  pair = (f32[2,3], s32[]) tuple(t, n)\n  ROOT")
    )
    v = np.array([1, 2, 3], np.float32)
    total, number, vector = run(text, X, 2 * X, np.int32(7), v)
    np.testing.assert_array_equal(total, 2 * X + v - X)
    assert number == 7
    np.testing.assert_array_equal(vector, v)


ORDERS = "{1,0}", "{0,1}"


@pytest.mark.parametrize("before", ORDERS)
@pytest.mark.parametrize("after", ORDERS)
def test_bitcasts_keep_the_bytes(before, after):
    """The operand's bytes, in its layout's order, are the result's, in that of its own."""
    text = module(f"""
  x = f32[2,3]{before} parameter(0)
  ROOT y = f32[6,1]{after} bitcast(f32[2,3]{before} x)
""")
    (found,) = run(text, X)
    stored = X.ravel(order="C" if before == "{1,0}" else "F")
    np.testing.assert_array_equal(found, stored.reshape(6, 1, order="C" if after == "{1,0}" else "F"))
    (found,) = run(text.replace("f32[6,1]", "s32[3,2]"), X)
    expected = stored.view(np.int32).reshape(3, 2, order="C" if after == "{1,0}" else "F")
    np.testing.assert_array_equal(found, expected)


CALLED = """
sum (a: f32[], b: f32[]) -> f32[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}, execution_thread="main"

%twice (x.0: f32[2,3]) -> (f32[2,3], f32[]) {
  %x.0 = f32[2,3]{1,0} parameter(0)
  %y = f32[2,3]{1,0} add(f32[2,3]{1,0} %x.0, f32[2,3]{1,0} %x.0)
  %zero = f32[] constant(0)
  %r = f32[] reduce(%y, %zero), dimensions={0,1}, to_apply=%sum
  ROOT %t = (f32[2,3]{1,0}, /*index=1*/ f32[]) tuple(%y, %r)
}

negated {
  x = f32[2,3] parameter(0)
  n = f32[2,3] negate(x)
  z = f32[] constant(3)
  ROOT t = (f32[2,3], f32[]) tuple(n, z)
}
"""


@pytest.mark.parametrize("call", ["call(x), to_apply=twice", "fusion(x), kind=kLoop, calls=%twice"])
def test_calls_and_fusions(call):
    doubled, total = run(module(f"  x = f32[2,3] parameter(0)\n  ROOT y = (f32[2,3], f32[]) {call}", before=CALLED), X)
    np.testing.assert_array_equal(doubled, 2 * X)
    assert total == 30


def test_conditionals():
    shape = "(f32[2,3], f32[])"
    boolean = f"""  x = f32[2,3] parameter(0)
  p = pred[] parameter(1)
  ROOT y = {shape} conditional(p, x, x), true_computation=twice, false_computation=negated"""
    for choice in (True, False):
        found, _ = run(module(boolean, before=CALLED), X, np.array(choice))
        np.testing.assert_array_equal(found, 2 * X if choice else -X)
    indexed = boolean.replace("pred", "s32").replace(
        "true_computation=twice, false_computation=negated", "branch_computations={%twice, %negated}"
    )
    for choice in (0, 1, 5):
        found, _ = run(module(indexed, before=CALLED), X, np.int32(choice))
        np.testing.assert_array_equal(found, -X if choice else 2 * X)


def test_loops_over_tuples():
    before = """
cond {
  p = (s32[], (f32[2,3], f32[2,3])) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  five = s32[] constant(5)
  ROOT less = pred[] compare(i, five), direction=LT
}
body {
  p = (s32[], (f32[2,3], f32[2,3])) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  pair = (f32[2,3], f32[2,3]) get-tuple-element(p), index=1
  a = f32[2,3] get-tuple-element(pair), index=0
  b = f32[2,3] get-tuple-element(pair), index=1
  c = f32[2,3] add(a, b)
  swapped = (f32[2,3], f32[2,3]) tuple(c, a)
  ROOT r = (s32[], (f32[2,3], f32[2,3])) tuple(next, swapped)
}
"""
    body = """  x = f32[2,3] parameter(0)
  zero = s32[] constant(0)
  pair = (f32[2,3], f32[2,3]) tuple(x, x)
  start = (s32[], (f32[2,3], f32[2,3])) tuple(zero, pair)
  ROOT w = (s32[], (f32[2,3], f32[2,3])) while(start), condition=cond, body=body"""
    count, a, b = run(module(body, before=before), X)
    assert count == 5
    np.testing.assert_array_equal(a, 13 * X)
    np.testing.assert_array_equal(b, 8 * X)


def test_what_starts_and_ends():
    body = """  x = f32[2,3] parameter(0)
  s = ((f32[2,3]), (f32[2,3], f32[]), u32[]) async-start(x), calls=twice
  u = ((f32[2,3]), (f32[2,3], f32[]), u32[]) async-update(s)
  d = (f32[2,3], f32[]) async-done(u)
  a = f32[2,3] get-tuple-element(d), index=0
  c = (f32[2,3], f32[2,3], u32[]) copy-start(a)
  e = f32[2,3] copy-done(c)
  t = ((f32[2,3]), f32[3,2], s32[]) transpose-start(e), dimensions={1,0}
  ROOT f = f32[3,2] transpose-done(t)"""
    (found,) = run(module(body, before=CALLED), X)
    np.testing.assert_array_equal(found, 2 * X.T)


def test_random_numbers_and_barriers():
    body = """  low = f32[] constant(2)
  high = f32[] constant(3)
  both = (f32[], f32[]) tuple(low, high)
  held = (f32[], f32[]) opt-barrier(both)
  a = f32[] get-tuple-element(held), index=0
  ROOT r = f32[40] rng(a, high), distribution=rng_uniform"""
    (found,) = run(module(body))
    assert found.shape == (40,) and (found >= 2).all() and (found < 3).all() and len(set(found.tolist())) > 30


def test_convolutions_with_their_dimensions():
    """Strides, padding, dilations and reversal, against sums in numpy."""
    body = """  x = f32[1,7,2] parameter(0)
  w = f32[3,2,1] parameter(1)
  ROOT y = f32[1,4,1] convolution(x, w), window={size=3 stride=2 pad=1_2 rhs_dilate=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f"""
    x, w = np.arange(14, dtype=np.float32).reshape(1, 7, 2), np.arange(6, dtype=np.float32).reshape(3, 2, 1) - 2
    padded = np.pad(x, ((0, 0), (1, 2), (0, 0)))
    flipped = w[::-1]
    wanted = [sum(padded[0, 2 * o + 2 * k] @ flipped[k, :, 0] for k in range(3)) for o in range(3)]
    (found,) = run(module(body.replace("[1,4,1]", "[1,3,1]")), x, w)
    np.testing.assert_array_equal(found[0, :, 0], wanted)


def test_a_grid_and_its_collectives():
    before = CALLED.split("%twice")[0]
    body = """  x = f32[3] parameter(0)
  s = f32[3] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
  d = f32[3] all-reduce-done(s)
  g = f32[6] all-gather(x), replica_groups=[1,2]<=[2], dimensions={0}
  p = f32[3] collective-permute(x), source_target_pairs={{0,1},{1,0}}
  id = u32[] replica-id()
  ROOT t = (f32[3], f32[6], f32[3], u32[]) tuple(d, g, p, id)"""
    exe = hlo.compile(module(body, ", replica_count=2", before), cache=False)
    a, b = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
    for number, (reduced, gathered, permuted, replica) in enumerate(exe.run_grid([[a], [b]])):
        np.testing.assert_array_equal(reduced, a + b)
        np.testing.assert_array_equal(gathered, np.concatenate([a, b]))
        np.testing.assert_array_equal(permuted, (b, a)[number])
        assert replica == number


def test_shardings_are_kept():
    text = module(
        """  x = f32[8,4] parameter(0), sharding={devices=[2,1]<=[2]}
  y = f32[8,4] negate(x)
  c = f32[8,4] custom-call(y), custom_call_target="Sharding", sharding={replicated}
  ROOT t = (f32[8,4], f32[8,4]) tuple(y, c), sharding={{devices=[1,2]0,1}, {replicated}}""",
        ", num_partitions=2",
    )
    printed = hlo.print_module(hlo.parse(text))
    assert "mhlo.num_partitions = 2 : i32" in printed
    assert 'tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}' in printed
    assert (
        '(tensor<8x4xf32> {mhlo.sharding = "{devices=[1,2]0,1}"}, tensor<8x4xf32> {mhlo.sharding = "{replicated}"})'
        in printed
    )
    assert "stablehlo.custom_call @Sharding" in printed and printed.count('mhlo.sharding = "{replicated}"') == 2


def test_custom_calls():
    body = """  x = f32[3,3] parameter(0)
  r = (f32[3,3]{0,1}, s32[]) custom-call(x), custom_call_target="lapack_spotrf_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
  ROOT l = f32[3,3]{0,1} get-tuple-element(r), index=0"""
    square = np.array([[4, 2, 0], [2, 5, 1], [0, 1, 3]], np.float32)
    (found,) = run(module(body), square)
    np.testing.assert_allclose(np.tril(found), np.linalg.cholesky(square), rtol=1e-6)


def test_locations():
    text = """HloModule test

FileNames
1 "model.py"

FunctionNames
1 "run"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=3 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] negate(x), metadata={op_name="jit(run)/neg" stack_frame_id=1}
  ROOT z = f32[2] abs(y), metadata={op_type="abs" op_name="jit(run)/abs" source_file="other.py" source_line=9}
}
"""
    printed = hlo.print_module(hlo.parse(text, "program.hlo"), debug_info=True)
    for place in ('"program.hlo":17:3', '"jit(run)/neg"(', '"model.py":7:3', '"program.hlo":18:8', '"jit(run)/abs"(', '"other.py":9:0'):  # fmt: skip
        assert place in printed, printed


ONE = "  x = f32[2] parameter(0)\n"
WRONG = [
    ("HloModule", "1:10: error: expected the name of the module, found the end of the text"),
    ("HloModule m\n", "2:1: error: expected a computation marked ENTRY, found none"),
    ("HloModule m\nmain {\n  x = f32[2] parameter(0)\n}\n", "expected a computation marked ENTRY, found none"),
    ("HloModule m\nENTRY main {\n}\n", "2:7: error: expected instructions in computation main, found none"),
    (module(ONE + "  y = f33[2] negate(x)"), "6:7: error: expected an element type of pred, "),
    (module(ONE + "  y = f32[2 negate(x)"), "6:7: error: expected a shape (f32[2,3], or a tuple of shapes), found 'f32'"),
    (module(ONE + "  y = f32[-2] negate(x)"), "6:11: error: expected the size of a dimension (3, or <=3), found '-2'"),
    (module(ONE + "  y = f32[2]{1} negate(x)"), "6:13: error: expected a layout that orders 1 dimensions, found {1}"),
    (module(ONE + "  y = f32[9999999999,9999999999] negate(x)"), "6:11: error: expected fewer than 2^63 elements"),
    (module(ONE + "  y = f32[2] negat(x)"), "6:3: error: expected an opcode, found 'negat'"),
    (module(ONE + "  y = f32[2] negate(z)"), "6:21: error: expected the name of an instruction before this one, found 'z'"),
    (module(ONE + "  y = f32[2] negate(x"), "7:1: error: expected , or ) after an operand, found '}'"),
    (module(ONE + "  y = f32[2] add(x)"), "6:3: error: 'stablehlo.add' op"),
    (module(ONE + "  y = f32[3] negate(x)"), "6:3: error: 'stablehlo.negate' op"),
    (module(ONE + "  y = f32[2] negate(x), dimensions={0}"), "6:36: error: negate: expected no attributes, found dimensions"),
    (module(ONE + "  y = f32[2,2] broadcast(x)"), "6:3: error: broadcast: expected the attribute dimensions, found none"),
    (module(ONE + "  y = f32[2,2] broadcast(x), dimensions={a}"), "6:41: error: broadcast: expected numbers {0,1} for dimensions, found {a}"),
    (module(ONE + "  y = f32[2,2] broadcast(x), dimensions={99999999999999999999}"), "expected a number up to 9223372036854775807 for dimensions"),
    (module(ONE + "  y = pred[2] compare(x, x), direction=LESS"), "6:40: error: compare: expected direction of EQ, NE, GE, GT, LE, LT, found LESS"),
    (module(ONE + "  y = f32[] reduce(x, x), dimensions={0}, to_apply=sum"), "6:52: error: reduce: expected the name of a computation, found 'sum'"),
    (module(ONE + "  x = f32[2] negate(x)"), "6:3: error: expected an instruction's own name, found a second x"),
    (module(ONE + "  ROOT y = f32[2] negate(x)\n  ROOT z = f32[2] negate(x)"), "7:7: error: expected one ROOT instruction, found z after y"),
    (module(ONE + "  y = f32[2] parameter(0)"), "6:24: error: expected one parameter 0, found a second"),
    (module(ONE + "  y = f32[2] parameter(2)"), "6:3: error: expected parameters 0 to 1, found number 2"),
    (module("  c = f32[2] constant({1, 2, 3})"), "5:23: error: constant: expected 2 elements, found 3"),
    (module("  c = f32[2,1] constant({1, 2})"), "5:25: error: constant: expected elements in braces as the shape [2, 1] has them"),
    (module("  c = s8[] constant(128)"), "5:21: error: constant: expected integers from -128 to 127, found '128'"),
    (module("  c = f32[] constant(one)"), "constant: expected a floating-point number, found 'one'"),
    (module("  c = f32[3,4] constant({...})"), "5:25: error: constant: expected the elements of a constant, found '...': print the module with them"),
    (module("  c = f32[2] constant({1, 2"), "7:1: error: expected ) after the literal, found the end of the text"),
    (module(ONE + "  y = f32[2] get-tuple-element(x), index=0"), "6:3: error: get-tuple-element: expected a tuple with a member 0, found no tuple"),
    (module(ONE + "  y = bf16[2] stochastic-convert(x, x)"), "6:3: error: stochastic-convert has no StableHLO op: add the random bits"),
    (module(ONE + "  y = f32[2] fusion(x), calls=loop", before="loop {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] fusion(x), calls=loop\n}"), "5:8: error: computation loop calls itself"),
    (module(ONE + "  y = f32[2] fusion(x), calls=other", before="other {\n  p = f32[3] parameter(0)\n}"), "fusion: computation other takes (tensor<3xf32>), found (tensor<2xf32>)"),
    (module(ONE + '  y = f32[2] negate(x), metadata={op_name="a}'), "expected a closing quote, found none"),
    (module(ONE + "  y = f32[2] convolution(x, x), window={size=1}, dim_labels=b_o->f"), "convolution: expected dim_labels such as b01f_01io->b01f, found b_o->f"),
    (module(ONE + "  y = f32[2] slice(x), slice={[0:2:]}"), "slice: expected ranges {[0:3], [1:9:2]} for slice, found {[0:2:]}"),
    (module(ONE + "  y = (f32[2]) negate(x)"), "6:3: error: negate: expected the shape of one result, found a tuple"),
    (module(ONE + "  y = f32[2]{0:T(8)} parameter(1)\n  z = f32[1,2] bitcast(y)"), "7:3: error: bitcast: expected arrays whose layouts are orders of dimensions"),
    (module("  t = token[] after-all()\n  z = f32[2] bitcast(t)"), "6:3: error: bitcast: expected arrays whose layouts are orders"),
    (module("  y = f32[2] " + "negate(" * 3 + "x)))"), "expected , or ) after an operand, found '('"),
    (module(ONE + f"  y = f32[2] all-reduce(x), replica_groups=[{'9' * 5000},1]<=[2], to_apply=sum"), "expected a number up to 9223372036854775807 for replica_groups, found '999"),
    (module("  c = f32[2] constant(" + "{" * 100 + "1" + "}" * 100 + ")"), "expected brackets nested at most 64 deep, found more"),
]  # fmt: skip


@pytest.mark.parametrize("text, message", WRONG)
def test_mistakes(text, message):
    with pytest.raises(hlo.HloError) as raised:
        hlo.parse(text, "x.hlo")
    assert message in str(raised.value)
    assert str(raised.value).startswith("x.hlo:")


def test_fused_computations_do_not_double_forever():
    levels = ["f0 {\n  p = f32[2] parameter(0)\n  ROOT y = f32[2] negate(p)\n}"]
    for n in range(1, 40):
        levels.append(
            f"f{n} {{\n  p = f32[2] parameter(0)\n  a = f32[2] fusion(p), calls=f{n - 1}\n  ROOT b = f32[2] fusion(a), calls=f{n - 1}\n}}"
        )
    text = module(ONE + "  y = f32[2] fusion(x), calls=f39", before="\n".join(levels))
    with pytest.raises(hlo.ParseError, match="more than 1048576 ops"):
        hlo.parse(text)
