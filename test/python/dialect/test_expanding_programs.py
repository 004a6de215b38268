"""Short texts that stand for very large programs: names of attributes and types in each other, calls in each other."""

import pytest

import hlo


def names(count, sign, first, body):
    """`first`, then each name made of the one before it."""
    lines = [
        f"{sign}a0 = {first}",
        *(f"{sign}a{i} = {body.replace('NAME', f'{sign}a{i - 1}')}" for i in range(1, count)),
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text, words",
    [
        (
            names(41, "#", "[0]", "[NAME, NAME]") + "module attributes {a.b = #a40} {}",
            "when the names in it are written out",
        ),
        (
            names(41, "#", "[0]", "[\n NAME,\n NAME]") + "module attributes {a.b = #a40} {}",
            "when the names in it are written out",
        ),
        (names(3000, "#", "[0]", "[NAME]") + "module attributes {a.b = #a2999} {}", "more than 256 names deep"),
        (
            names(31, "!", "tuple<tensor<f32>>", "tuple<NAME, NAME>") + "func.func @main(%x: !a30) { return }",
            "when the names",
        ),
        (
            names(3000, "!", "tuple<tensor<f32>>", "tuple<NAME>") + "func.func @main(%x: !a2999) { return }",
            "names deep",
        ),
        (
            "module attributes {a.b = affine_map<(d0) -> (" + "-" * 200_000 + "d0)>} {}",
            "the reader ends with|MLIR's parser ends",
        ),
    ],
)
def test_attributes_and_types(text, words):
    with pytest.raises(hlo.ParseError, match=words):
        hlo.parse(text)


def test_names_that_are_fine():
    text = names(200, "#", "[0]", "[NAME]") + names(15, "!", "tuple<tensor<f32>>", "tuple<NAME, NAME>")
    hlo.parse(text + "module attributes {a.b = #a199} { func.func @main(%x: !a10) { return } }")


def calls(count, repeat):
    lines = []
    for i in range(count):
        body, value = [], "%x"
        for k in range(repeat):
            body.append(f"%{k} = func.call @f{i + 1}({value}) : (tensor<f32>) -> tensor<f32>")
            value = f"%{k}"
        lines.append(
            f"func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{\n"
            + "\n".join(body)
            + f"\nreturn {value} : tensor<f32> }}"
        )
    last = f"func.func private @f{count}(%x: tensor<f32>) -> tensor<f32> {{ %0 = stablehlo.sine %x : tensor<f32>\n return %0 : tensor<f32> }}"
    main = "func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = func.call @f0(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32> }"
    return "\n".join([main, *lines, last])


@pytest.mark.parametrize(
    "count, repeat, words",
    [(33, 2, "ops when its calls are inlined"), (1000, 1, "calls are nested more than 256 deep")],
)
def test_calls(count, repeat, words):
    with pytest.raises(hlo.CompileError, match=words):
        hlo.compile(calls(count, repeat), cache=False)


def test_calls_that_are_fine():
    assert hlo.compile(calls(100, 1), cache=False)
    assert hlo.compile(calls(5, 2), cache=False)


def test_many_names_of_maps_are_not_long():
    """The arrow in a map is no bracket: each name ends with its line."""
    maps = "".join(f"#map{n} = affine_map<(d0, d1) -> (d{n % 2}, {n})>\n" for n in range(60))
    used = ", ".join(f"a.m{n} = #map{n}" for n in range(60))
    assert "a.m59" in str(hlo.parse(f"{maps}module attributes {{{used}}} {{}}"))
