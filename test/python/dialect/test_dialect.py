"""The op classes against the specification's list of ops, and the IRDL that is generated from them."""

from pathlib import Path

import pytest
from mlir import ir
from mlir.dialects import irdl

from hlo.dialect import unknown_ops
from hlo.dialect.definition import OPS, Op, Operand
from hlo.dialect.irdl import inexpressible
from hlo.dialect.reader import read
from hlo.dialect.registration import dialect_text, has_exact_types, make_context
from hlo.dialect.types import AnyTensor
from hlo.errors import HloError

ROOT = Path(__file__).parents[3]


def words(text: str) -> list[str]:
    return text.split()


SPECIFICATION = words("""
abs add after_all all_gather all_reduce all_to_all and atan2 batch_norm_grad batch_norm_inference batch_norm_training
bitcast_convert broadcast_in_dim case cbrt ceil cholesky clamp collective_permute compare complex concatenate constant
convert convolution cosine count_leading_zeros custom_call divide dot_general dynamic_slice dynamic_update_slice
exponential exponential_minus_one fft floor gather get_dimension_size get_tuple_element if imag infeed iota is_finite
log log_plus_one logistic map maximum minimum multiply negate not optimization_barrier or outfeed pad partition_id
popcnt power real recv reduce reduce_precision reduce_scatter reduce_window remainder replica_id reshape reverse rng
rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter send shift_left
shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tanh transpose triangular_solve tuple
while xor
""")
"""The section "Ops" of the specification."""

BEYOND = words("""
return tan composite collective_broadcast collective_reduce async_start async_done uniform_quantize uniform_dequantize broadcast
create_token cross-replica-sum dot einsum torch_index_select unary_einsum dynamic_broadcast_in_dim dynamic_conv
dynamic_gather dynamic_iota dynamic_pad dynamic_reshape real_dynamic_slice set_dimension_size compute_reshape_shape
cstr_reshapable
""")
"""Ops of today's StableHLO that the specification only mentions, or came after it."""

CHLO = words("""
acos acosh asin asinh atan atanh bessel_i1e conj constant constant_like cosh digamma erf erf_inv erfc is_inf
is_neg_inf is_pos_inf lgamma mulhi next_after polygamma ragged_dot scan sinh square tan top_k zeta broadcast_add
broadcast_and broadcast_atan2 broadcast_compare broadcast_complex broadcast_divide broadcast_maximum broadcast_minimum
broadcast_multiply broadcast_next_after broadcast_or broadcast_polygamma broadcast_power broadcast_remainder
broadcast_select broadcast_shift_left broadcast_shift_right_arithmetic broadcast_shift_right_logical
broadcast_subtract broadcast_xor broadcast_zeta
""")

CHECK = words("""
expect_almost_eq expect_almost_eq_const expect_close expect_eq expect_eq_const expect_serialized_eq
""")


@pytest.mark.parametrize(
    ("namespace", "mnemonics"),
    [("stablehlo", SPECIFICATION + BEYOND), ("chlo", CHLO), ("check", CHECK), ("interpreter", ["print", "probe"])],
)
def test_every_op_has_a_class(namespace, mnemonics):
    missing = [m for m in mnemonics if f"{namespace}.{m}" not in OPS]
    assert missing == []


def test_specification_has_94_ops():
    assert len(SPECIFICATION) == len(set(SPECIFICATION)) == 94


def test_every_op_links_the_specification_or_says_what_it_does():
    assert [name for name, cls in OPS.items() if not cls.__doc__] == []
    unlinked = [m for m in SPECIFICATION if f"spec#{m}" not in OPS[f"stablehlo.{m}"].__doc__]
    assert unlinked == []


def test_every_op_of_upstream_has_a_class():
    """jaxlib's own list of ops."""
    chlo = pytest.importorskip("jaxlib.mlir.dialects.chlo")
    stablehlo = pytest.importorskip("jaxlib.mlir.dialects.stablehlo")
    names = {
        cls.OPERATION_NAME
        for module in (stablehlo, chlo)
        for cls in vars(module).values()
        if isinstance(cls, type) and hasattr(cls, "OPERATION_NAME")
    }
    assert len(names) > 150
    assert sorted(names - set(OPS)) == []


def test_ops_arrive_as_their_classes():
    text = """
    func.func @f(%a: tensor<2xf32>) {
      %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = "chlo.erf"(%0) : (tensor<2xf32>) -> tensor<2xf32>
      "check.expect_eq"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> ()
      %2 = "interpreter.print"(%1) : (tensor<2xf32>) -> tensor<2xf32>
      return
    }"""
    with make_context():
        module = ir.Module.parse(text)
        operations = list(module.body.operations[0].body.blocks[0].operations)[:-1]
        names = ["stablehlo.add", "chlo.erf", "check.expect_eq", "interpreter.print"]
        assert [type(op) for op in operations] == [OPS[name] for name in names]
        assert operations[1].operand == operations[0].result


def test_dialect_text_loads_again_and_registers_ops():
    context = ir.Context()
    with context, ir.Location.unknown():
        irdl.load_dialects(ir.Module.parse(dialect_text()))
    for name, cls in OPS.items():
        assert context.is_registered_operation(name) == (not inexpressible(cls)), name


def test_most_ops_are_native():
    native = [name for name, cls in OPS.items() if not inexpressible(cls)]
    assert len(native) >= 149
    assert "stablehlo.while" not in native


@pytest.mark.parametrize(
    "line",
    [
        '%0 = "stablehlo.add"(%a) : (tensor<2xf32>) -> tensor<2xf32>',
        '%0 = "stablehlo.add"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> tensor<2xf32>',
        '%0 = "stablehlo.compare"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>',
        '%0 = "stablehlo.compare"(%a, %a) {comparison_direction = "XX"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>',
        '%0 = "stablehlo.after_all"(%a) : (tensor<2xf32>) -> !stablehlo.token',
    ],
)
def test_irdl_checks_counts_types_attributes_and_enums(line):
    text = f"func.func @f(%a: tensor<2xf32>, %t: !stablehlo.token) {{\n{line}\nreturn }}"
    with make_context(), pytest.raises(ir.MLIRError):
        ir.Module.parse(text)
    with make_context(native=False):
        ir.Module.parse(text)


REFUSED_NATIVELY = [
    '%0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>',
    '%0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>',
    '%0 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<2xf64>',
    '%0 = "stablehlo.compare"(%a, %b) {comparison_direction = "LT"} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>',
    '%0 = "stablehlo.compare"(%a, %a) {comparison_direction = "XX"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>',
    '%0 = "stablehlo.select"(%p, %a, %b) : (tensor<2xi1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>',
    '%0 = "stablehlo.clamp"(%a, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>',
    '%0 = "stablehlo.reverse"(%a) {dimensions = "x"} : (tensor<2xf32>) -> tensor<2xf32>',
    '%0 = "stablehlo.replica_id"() : () -> tensor<i32>',
    '%0 = "stablehlo.get_dimension_size"(%a) {dimension = 0 : i64} : (tensor<2xf32>) -> tensor<i64>',
    '%0 = "stablehlo.triangular_solve"(%a, %a) {left_side = 1 : i64, lower = true, transpose_a = "ADJOINT", '
    "unit_diagonal = true} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
    '%0 = "chlo.zeta"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>',
    '%0 = "interpreter.print"(%a) : (tensor<2xf32>) -> tensor<3xf32>',
    '%0 = "stablehlo.reduce_scatter"(%a) ({^bb0(%x: tensor<f32>): "func.return"() : () -> ()}, {}) '
    "{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>",
]


@pytest.mark.parametrize("line", REFUSED_NATIVELY)
def test_the_printed_dialect_alone_refuses(line):
    text = f"func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>, %p: tensor<2xi1>) {{\n{line}\nreturn }}"
    with ir.Context(), ir.Location.unknown():
        irdl.load_dialects(ir.Module.parse(dialect_text()))
        with pytest.raises(ir.MLIRError, match=r"but got|satisfy|base"):
            ir.Module.parse(text)


def test_values_of_one_type_are_declared():
    for cls in OPS.values():
        names = {group.name for group in (*cls.OPERANDS, *cls.RESULTS) if not group.variadic}
        assert {name for one_type in cls.ONE_TYPE for name in one_type} <= names, cls.OPERATION_NAME


def test_the_exact_dialect_takes_programs_of_static_shapes():
    """The first program of each op's file; those of unknown sizes or quantized elements are for the other one."""
    taken = 0
    for path in sorted((ROOT / "test" / "e2e").glob("*.mlir")):
        text = "".join(path.read_text().partition("\n}\n")[:2])
        if has_exact_types(text):
            context = make_context(exact=True)
            assert read(text, context, path.name).context is context, f"{path} is refused natively"
            taken += 1
    assert taken > 120


def test_created_op_infers_its_results():
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse("func.func @f(%a: tensor<?x3xf32>, %b: tensor<2x?xf32>) { return }")
        block = module.body.operations[0].body.blocks[0]
        with ir.InsertionPoint(block.operations[0]):
            added = OPS["stablehlo.add"].create(*block.arguments)
            compared = OPS["stablehlo.compare"].create(added.result, added.result, comparison_direction="LT")
        assert str(added.result.type) == "tensor<2x3xf32>"
        assert str(compared.result.type) == "tensor<2x3xi1>"
        assert compared.comparison_direction == "LT"
        assert compared.compare_type == "FLOAT"


def test_unknown_attribute_of_a_created_op_is_refused():
    with make_context(), ir.Location.unknown(), pytest.raises(TypeError, match="no attribute 'direction'"):
        OPS["stablehlo.create_token"].create(direction="LT")


def test_names_of_opview_cannot_be_declared():
    with pytest.raises(TypeError, match="operands of"):

        class Bad(Op, mnemonic="bad_for_test"):
            operands = Operand(AnyTensor, variadic=True)

    assert "stablehlo.bad_for_test" not in OPS


def test_an_unknown_wheel_is_refused_by_name(monkeypatch):
    """The guard before the one byte that is written without an API for it."""
    context = ir.Context()
    with context, ir.Location.unknown():
        irdl.load_dialects(ir.Module.parse("irdl.dialect @elsewhere {}"))
    monkeypatch.setattr(unknown_ops, "_CONTEXT", 3)
    with pytest.raises(HloError, match=r"unexpected memory layout: found xtc-mlir-python-bindings 22\.1"):
        unknown_ops.allow_unknown_ops(context, "elsewhere")
    monkeypatch.undo()
    unknown_ops.allow_unknown_ops(context, "elsewhere")
    ir.Module.parse('"elsewhere.op"() : () -> ()', context)
