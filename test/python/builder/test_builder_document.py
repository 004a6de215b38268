"""What the XLA documents say of computations, clients, errors, infeeds, loops with tuples and products of any ranks."""

from __future__ import annotations

import logging

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.builder.later_names import ALIASES
from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.definition import OPS
from hlo.runtime.custom_calls import streams

F = np.float32


def computation(name, build, *shapes):
    """A computation of parameters of these shapes, built apart."""
    b = hlo.Builder(name)
    build(b, *(b.Parameter(number, shape, f"p{number}") for number, shape in enumerate(shapes)))
    return b.Build()


MAXIMUM = computation("max", lambda b, x, y: b.Max(x, y), "f32", "f32")
ADD = computation("add", lambda b, x, y: b.Add(x, y), "f32", "f32")
GE = computation("ge", lambda b, x, y: b.Ge(x, y), "f32", "f32")
STATE = ("s32", "f32[10]")


def run(build, *arrays, **options):
    """The results of the last expression that `build` enqueues, given parameters for the arrays."""
    b = hlo.Builder()
    build(b, *(b.parameter(np.asarray(a)) for a in arrays))
    return b.Build().compile(**options)(*map(np.asarray, arrays))


# Computations

M46 = np.arange(24, dtype=F).reshape(4, 6)


def test_the_documents_reduce_window():
    (found,) = run(lambda b, x: b.ReduceWindow(x, MAXIMUM, b.ConstantR0(-np.inf), [2, 3], [2, 3], "VALID"), M46)
    np.testing.assert_array_equal(found, [[8, 11], [20, 23]])


@pytest.mark.parametrize("kind", ["Computation", "module", "Function", "Python"])
def test_a_function_built_apart_is_a_regions(kind):
    b = hlo.Builder()
    x = b.parameter("4xf32")
    made = {
        "Computation": MAXIMUM,
        "module": MAXIMUM.module,
        "Function": b.function(lambda p, q: b.Max(p, q), "f32", "f32"),
        "Python": lambda p, q: b.Max(p, q),
    }[kind]
    (found,) = b.compile(b.reduce(x, -np.inf, made, [0]))(F([1, 7, 3, 5]))
    assert found == 7


def test_computations_in_every_op_that_takes_functions():
    x, y = F([3, 1, 2]), F([0, 5, 1])
    (mapped,) = run(lambda b, x, y: b.Map([x, y], MAXIMUM), x, y)
    np.testing.assert_array_equal(mapped, np.maximum(x, y))
    (sorted_,) = run(lambda b, x: b.Sort(x, GE), x)
    np.testing.assert_array_equal(sorted_, [3, 2, 1])
    (called,) = run(lambda b, x, y: b.Call(MAXIMUM, [x, y]), F(3), F(4))
    assert called == 4
    ones = np.ones((2, 2), F)
    (scattered,) = run(
        lambda b, x, s: b.SelectAndScatter(x, GE, [2, 3], [2, 3], "VALID", s, b.ConstantR0(0.0), ADD), M46, ones
    )
    np.testing.assert_array_equal(np.argwhere(scattered), [[1, 2], [1, 5], [3, 2], [3, 5]])
    negate, double = (
        computation(n, f, "f32") for n, f in (("neg", lambda b, x: b.Neg(x)), ("two", lambda b, x: b.Add(x, x)))
    )
    for which, expected in ((True, -3), (False, 6)):
        (found,) = run(lambda b, p, x: b.Conditional(p, x, negate, x, double), which, F(3))
        assert found == expected


def test_a_computation_that_calls_others_of_equal_names():
    inner = computation("f", lambda b, x: b.Add(x, b.ConstantR0(1.0)), "f32")
    outer = computation("f", lambda b, x: b.Mul(b.Call(inner, [x]), b.ConstantR0(10.0)), "f32")
    assert run(lambda b, x: b.Call(outer, [b.Call(inner, [x])]), F(2)) == [40]
    assert run(lambda b, x: b.Call(inner, [b.Call(outer, [x])]), F(2)) == [31]
    (mapped,) = run(lambda b, x: b.Map(b.Map(x, outer), inner), F([0, 1]))
    np.testing.assert_array_equal(mapped, [11, 21])


def test_static_operands_of_map():
    scale = computation("scale", lambda b, x, k: b.Mul(x, k), "f32", "f32")
    (found,) = run(lambda b, x: b.Map(x, scale, b.ConstantR0(3.0)), F([1, 2]))
    np.testing.assert_array_equal(found, [3, 6])


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_static_operand_of_map_may_be_an_array(target):
    total = computation("total", lambda b, x, v: b.Add(x, b.Reduce(v, b.ConstantR0(0.0), ADD, [0])), "f32", "f32[3]")
    (found,) = run(lambda b, x, v: b.Map(x, total, v), F([0, 1]), F([1, 2, 3]), target=target)
    np.testing.assert_array_equal(found, [6, 7])


def test_arguments_that_a_computation_does_not_take():
    b = hlo.Builder()
    with pytest.raises(hlo.ArgumentError, match=r"computation 'max' takes \(tensor<f32>, tensor<f32>\), found"):
        b.reduce(b.parameter("4xf64"), np.float64(0), MAXIMUM, [0])


# While

LIMIT = computation("cond", lambda b, s: b.Lt(b.GetTupleElement(s, 0), b.ConstantR0(1000)), STATE)
STEP = computation(
    "body",
    lambda b, s: b.Tuple(
        [
            b.Add(b.GetTupleElement(s, 0), b.ConstantR0(1)),
            b.Add(b.GetTupleElement(s, 1), b.ConstantR1(10, 0.5)),
        ]
    ),
    STATE,
)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_the_documents_while_with_a_tuple(target):
    count, total = run(lambda b: b.While(LIMIT, STEP, b.Tuple([b.ConstantR0(0), b.ConstantR1(10, 0.0)])), target=target)
    assert count == 1000
    np.testing.assert_array_equal(total, np.full(10, 500, F))


def test_a_loop_on_a_list_of_values_and_on_nested_tuples():
    found = run(
        lambda b: b.While(lambda i, x: i < 10, lambda i, x: (i + 1, x * 2.0), [b.ConstantR0(0), b.ConstantR0(1.0)])
    )
    assert found == [10, 1024]
    listed = run(lambda b: b.While(LIMIT, STEP, [b.ConstantR0(990), b.ConstantR1(10, 0.0)]))
    np.testing.assert_array_equal(listed[1], np.full(10, 5, F))

    def nested(b):
        state = b.Tuple([b.ConstantR0(0), b.Tuple([b.ConstantR0(1.0), b.ConstantR0(2.0)])])
        return b.While(lambda s: s[0] < 3, lambda s: b.Tuple([s[0] + 1, b.Tuple([s[1][1], s[1][0]])]), state)

    assert run(nested) == [3, 2, 1]


def test_branches_that_return_tuples():
    def build(b, p):
        one, two = b.ConstantR0(1), b.ConstantR1([2.0, 3.0])
        found = b.if_(p, lambda: b.Tuple([one, two]), lambda: b.Tuple([one + one, -two]))
        return b.Tuple([b.GetTupleElement(found, 1), b.GetTupleElement(found, 0)])

    values, number = run(build, False)
    assert number == 2
    np.testing.assert_array_equal(values, [-2, -3])


# Dot

DOTS = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((2, 3, 5), (4, 5, 6)),
    ((3,), (3, 4)),
    ((2, 3, 5), (5,)),
]


@pytest.mark.parametrize("lhs, rhs", DOTS)
def test_dot_of_the_documents_table_is_numpys(lhs, rhs):
    x = np.arange(np.prod(lhs), dtype=F).reshape(lhs) + 1
    y = np.arange(np.prod(rhs), dtype=F).reshape(rhs) - 2
    np.testing.assert_array_equal(run(lambda b, p, q: b.Dot(p, q), x, y)[0], np.dot(x, y))


def test_a_scalar_in_dot_counts_as_a_vector_of_one_element():
    (found,) = run(lambda b, p, q: b.Dot(p, q), F([3]), F(2))
    assert found.shape == () and found == 6
    b = hlo.Builder()
    with pytest.raises(hlo.VerifyError, match="same size"):
        b.Dot(b.parameter("3xf32"), b.parameter("f32"))


# Orders that differ between the documents

EDGES = F([1023.9, 1e6, 0.09375])


def test_reduce_precision_takes_no_numbers_by_position():
    (found,) = run(lambda b, x: b.ReducePrecision(x, 10, 5), EDGES)
    np.testing.assert_array_equal(found, [1024, np.inf, 0.09375])
    b = hlo.Builder()
    x = b.parameter("3xf32")
    named = b.compile(b.reduce_precision(x, mantissa_bits=10, exponent_bits=5))(EDGES)[0]
    np.testing.assert_array_equal(named, found)
    with pytest.raises(hlo.ArgumentError, match="by name"):
        b.reduce_precision(x, 5, 10)
    with pytest.raises(hlo.ArgumentError, match="reshape"):
        b.reshape(x, [0], [3])


def test_parameters_in_any_order():
    b = hlo.Builder()
    y = b.Parameter(1, "f32", "y")
    x = b.Parameter(0, "2xf32", "x")
    b.Sub(x, y)
    np.testing.assert_array_equal(b.Build().compile()(F([5, 6]), F(1))[0], [4, 5])
    with pytest.raises(hlo.ArgumentError, match="found 1 again"):
        b.Parameter(1, "f32", "z")
    missing = hlo.Builder()
    missing.Parameter(1, "f32", "y")
    with pytest.raises(hlo.ArgumentError, match="parameter 0 is missing"):
        missing.Build()


# Build


def test_build_returns_the_last_expression_or_the_return_value():
    b = hlo.Builder("f")
    x = b.Parameter(0, "f32", "x")
    first = b.Add(x, x)
    b.Mul(first, first)
    assert b.Build().compile()(F(3)) == [36]
    b.SetReturnValue(first)
    b.Neg(x)
    assert b.Build().compile()(F(3)) == [6]
    assert hlo.compile(b.Build())(F(3)) == [6]
    assert hlo.compile(b.Build(), isolate=True)(F(3)) == [6]


def test_a_mistake_of_a_sub_builder_is_its_parents():
    b = hlo.ComputationBuilder(hlo.Client(), "parent")
    sub = b.CreateSubBuilder("sub")
    sub.Add(sub.Parameter(0, "2xf32", "x"), sub.Parameter(1, "3xf32", "y"))
    empty = sub.BuildAndNoteError()
    b.Reduce(b.Parameter(0, "2xf32", "x"), b.ConstantR0(0.0), empty, [0])
    with pytest.raises(hlo.VerifyError, match=r"shapes \(2,\) and \(3,\)") as raised:
        b.Build()
    assert len(raised.value.diagnostics) == 1
    good = b.CreateSubBuilder("good")
    good.Neg(good.Parameter(0, "f32", "x"))
    assert good.BuildAndNoteError().results
    with pytest.raises(hlo.ArgumentError, match="CreateSubBuilder"):
        hlo.Builder().BuildAndNoteError()


def test_errors_at_build_or_at_once():
    b = hlo.ComputationBuilder(None, "errors")
    b.Add(b.ConstantR1([1.0]), b.ConstantR1([1.0, 2.0, 3.0, 4.0]).reshape(2, 2))
    with pytest.raises(hlo.HloError, match="differ in rank"):
        b.Build()
    b.set_die_immediately_on_error(True)
    with pytest.raises(hlo.ArgumentError, match="same shape"):
        b.CheckSameShape(b.ConstantR0(1), b.ConstantR0(1.0))


def test_the_documents_axpy_through_a_client():
    client = hlo.Client()
    alpha, x, y = F(2), np.arange(10, dtype=F), np.ones(10, F)
    b = hlo.ComputationBuilder(client, "axpy")
    alpha_, x_, y_ = (b.Parameter(n, a, name) for n, (a, name) in enumerate(((alpha, "alpha"), (x, "x"), (y, "y"))))
    b.Add(b.Mul(alpha_, x_), y_)
    data = [client.TransferToServer(a) for a in (alpha, x, y)]
    axpy = b.Build()
    np.testing.assert_array_equal(client.ExecuteAndTransfer(axpy, data), alpha * x + y)
    x[:] = 0
    np.testing.assert_array_equal(client.ExecuteAndTransfer(axpy, data), alpha * np.arange(10) + y)
    with pytest.raises(hlo.ArgumentError, match="TransferToServer"):
        client.Execute(axpy, [alpha])


def test_tuples_and_layouts_of_a_client():
    client = hlo.Client()
    b = hlo.ComputationBuilder(client, "swap")
    t = b.Parameter(0, ["f32", ["2x3xf32", "i32"]], "t")
    b.Tuple([b.GetTupleElement(t, 1), b.GetTupleElement(t, 0)])
    matrix = np.arange(6, dtype=F).reshape(2, 3)
    (found, number), scalar = client.ExecuteAndTransfer(
        b.Build(), [client.TransferToServer((F(1), (matrix, np.int32(3))))]
    )
    np.testing.assert_array_equal(found, matrix)
    assert (number, scalar) == (3, 1)
    columns = client.Transfer(client.TransferToServer(matrix), [0, 1])
    np.testing.assert_array_equal(columns, matrix)
    assert columns.ravel("K").tolist() == [0, 3, 1, 4, 2, 5]


# Infeed, Trace, transfers


def test_infeed_of_a_shape():
    streams.feed(F([1, 2, 3]))
    np.testing.assert_array_equal(run(lambda b: b.Infeed("f32[3]"))[0], [1, 2, 3])
    streams.feed(F([1, 2, 3]), np.int32(4))
    np.testing.assert_array_equal(run(lambda b: b.Infeed(("f32[3]", "s32")))[1], 4)
    assert run(lambda b: b.Infeed(())) == []
    b = hlo.Builder()
    assert hlo.compile(b.build(b.infeed(None)))() == []
    with pytest.raises(hlo.ArgumentError, match="nested"):
        b.Infeed([["f32"], "f32"])


def test_infeeds_have_a_total_order():
    b = hlo.Builder()
    b.Add(b.Infeed("f32"), b.Infeed("f32"))
    with pytest.raises(hlo.ArgumentError, match=r"no total order among the infeeds at .*test_builder_document"):
        b.Build()
    streams.feed(F(5))
    streams.feed(F(3))
    ordered = hlo.Builder()
    first, token = ordered.infeed("f32")
    second, _ = ordered.infeed(token, "f32")
    assert ordered.compile(first - second)() == [2]


def test_infeeds_in_loops_of_which_one_follows_the_other():
    def build(b):
        first = b.While(lambda i: b.Lt(i, 3), lambda i: i + b.Infeed("s32"), b.ConstantR0(0))
        return b.While(lambda i: b.Lt(i, 9), lambda i: i + b.Infeed("s32"), first)

    for _ in range(6):
        streams.feed(np.int32(1))
    streams.feed(np.int32(5))
    assert run(build) == [11]


def test_trace_logs_at_run_time(caplog):
    with caplog.at_level(logging.INFO, "hlo.trace"):
        (found,) = run(lambda b, x: (b.Add(x, x), b.Trace("sum", b._last)), F([5, 6]))
    np.testing.assert_array_equal(found, [10, 12])
    assert [r.getMessage() for r in caplog.records] == ["sum: 2xf32 [10. 12.]"]


def test_what_starts_a_transfer_and_what_waits_for_it():
    streams.send(301, F([1, 2]))
    np.testing.assert_array_equal(run(lambda b: b.RecvDone(b.Recv("2xf32", 301)))[0], [1, 2])
    b = hlo.Builder()
    b.SendDone(b.Send(b.parameter("2xf32"), 302))
    hlo.compile(b.build())(F([5, 6]))
    np.testing.assert_array_equal(streams.receive(302)[0], [5, 6])


# Ops of later versions


def test_ragged_all_to_all_of_one_process():
    x, out = np.arange(8, dtype=F).reshape(4, 2), np.full((5, 2), -1, F)
    offsets, sizes, places = np.int32([0, 2]), np.int32([1, 2]), np.int32([4, 0])
    (found,) = run(lambda b, x, o: b.RaggedAllToAll(x, offsets, sizes, o, places, sizes), x, out)
    expected = out.copy()
    for i in range(2):
        expected[places[i] : places[i] + sizes[i]] = x[offsets[i] : offsets[i] + sizes[i]]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_ragged_all_to_all_between_replicas(target):
    groups = [[1, 0]]
    inputs = [np.arange(8, dtype=F).reshape(4, 2) + 100 * p for p in range(2)]
    # By process: rows for the group's first process (1) and for its second (0).
    offsets, sizes, places = np.int32([[0, 1], [2, 0]]), np.int32([[1, 2], [2, 1]]), np.int32([[3, 0], [0, 2]])
    b = hlo.Builder()
    x, o, s, p = (b.parameter(t) for t in ("4x2xf32", "2xi32", "2xi32", "2xi32"))
    b.RaggedAllToAll(x, o, s, b.ConstantLiteral(np.zeros((5, 2), F)), p, np.int32([1, 1]), groups)
    exe = b.Build().compile(target=target, num_replicas=2, num_partitions=1)
    found = exe.run_grid([[inputs[p], offsets[p], sizes[p], places[p]] for p in range(2)])
    expected = np.zeros((2, 5, 2), F)
    for sender in range(2):
        for position, receiver in enumerate(groups[0]):
            first, count, place = (v[sender, position] for v in (offsets, sizes, places))
            expected[receiver, place : place + count] = inputs[sender][first : first + count]
    np.testing.assert_array_equal([r[0] for r in found], expected)
    with pytest.raises(hlo.ArgumentError, match="groups of 2"):
        b.RaggedAllToAll(x, s[:1], s[:1], x, s[:1], s[:1], groups)


def test_other_names_of_xla():
    x = F([[0.5, 2], [1, 3]])
    found = run(
        lambda b, x: b.Tuple(
            b.BroadcastInDim(x, [3, 2, 2], [1, 2]),
            b.PadInDim(x, b.ConstantR0(7.0), 1, 1, 0),
            b.BitcastConvertType(x, "s32"),
            b.Erf(x),
            b.Iota("s32[2,2]", 1),
            b.SliceInDim(x, 0, 2, 2, 0),
            b.Compare(x, x, "EQ"),
        ),
        x,
    )
    np.testing.assert_array_equal(found[0], np.broadcast_to(x, (3, 2, 2)))
    np.testing.assert_array_equal(found[1], [[7, 0.5, 2], [7, 1, 3]])
    np.testing.assert_array_equal(found[2], x.view(np.int32))
    np.testing.assert_allclose(found[3], [[0.5204999, 0.9953223], [0.8427008, 0.9999779]], rtol=1e-6)
    np.testing.assert_array_equal(found[4], [[0, 1], [0, 1]])
    np.testing.assert_array_equal(found[5], x[:1])
    assert found[6].all()


def test_every_alias_has_its_method():
    for name, method in ALIASES.items():
        assert callable(getattr(hlo.Builder, name))
        assert method in OPS if "." in method else callable(getattr(hlo.Builder, method)), name


def test_a_collective_takes_its_attributes_in_the_specifications_order():
    b = hlo.Builder()
    x = b.parameter("4x2xf32")
    assert b.reduce_scatter(x, ADD, 0, [[0, 1]]).shape == (2, 2)


def test_scaled_dot():
    rng = np.random.default_rng(5)
    x, y = (rng.integers(-4, 5, s).astype(ml_dtypes.float8_e4m3fn) for s in ((2, 4), (4, 6)))
    k, m = F([[1, 2], [4, 0.5]]), F([[1, 2], [2, 8]])
    numbers = DotDimensionNumbers((), (), (1,), (0,))
    (found,) = run(lambda b, x, y: b.ScaledDot(x, y, k, m, numbers), x, y)
    left = x.astype(F) * np.repeat(k, 2, 1)
    np.testing.assert_array_equal(found, left @ (y.astype(F) * np.repeat(np.repeat(m, 2, 0), 3, 1)))


# Mistakes

MISTAKES = [
    (lambda b, x: b.Reduce(x, 0.0, 5, [0]), "expected a function"),
    (lambda b, x: b.While(1, 2, x), "expected a function"),
    (lambda b, x: b.Call(5, [x]), "a computation, found 5"),
    (lambda b, x: b.Map([x]), "one computation"),
    (lambda b, x: b.Concatenate(), "operands, then a dimension"),
    (lambda b, x: b.Pad(x, 0.0, [1, 2]), "a dimension's padding is"),
    (lambda b, x: b.ConstantR1(3), "rank 1 was expected"),
    (lambda b, x: b.ConstantR1(-3, 1.0), "must not be negative"),
    (lambda b, x: b.Trans(b.Broadcast(x, [2])), "rank 2, found rank 3"),
    (lambda b, x: b.SqrtF32(b.ConvertElementType(x, "f64")), "takes an array of f32"),
    (lambda b, x: b.Parameter(-1, "f32", "y"), "numbers from 0"),
    (lambda b, x: b.CreateConvDimensionNumbers(0, 1, 2, 2, 0, 1, 2, 3), "the input dimension numbers"),
    (lambda b, x: b.CreateConvDimensionNumbers(0, 1, 2, 3, 0, 1, 1, 3), "the weight dimension numbers"),
    (lambda b, x: b.ComputeConstant(x), "depends on parameter 0"),
    (lambda b, x: b.ComputeConstant(b.ConstantR1([1.0]), [1]), "minor_to_major must hold 0, each once"),
    (lambda b, x: b.RecvDone(5), "what Recv returned"),
    (lambda b, x: b.ScaledDot(x, x, x[:3], x, DotDimensionNumbers()), "must divide"),
    (lambda b, x: hlo.Client().Execute(5, []), "a computation that Build returned"),
    (lambda b, x: hlo.Client().Transfer(5), "data that TransferToServer"),
    (lambda b, x: hlo.Client().TransferToServer("five"), "an array of numbers"),
    (lambda b, x: hlo.compile(5), "a computation, text or a path"),
]


@pytest.mark.parametrize("mistake, message", MISTAKES, ids=[message for _, message in MISTAKES])
def test_a_mistake_is_named(mistake, message):
    b = hlo.Builder()
    with pytest.raises(hlo.ArgumentError, match=message):
        mistake(b, b.parameter("4x6xf32"))
