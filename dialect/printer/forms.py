"""Short forms, the reverse of the reader's: a Statement to text, or None where the short form cannot say it all."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlo.dialect.printer.attributes import integers, number
from hlo.dialect.printer.statement import Statement
from hlo.dialect.reader.cursor import Cursor, split_list
from hlo.dialect.reader.elementwise_forms import FUNCTION_TYPE, ONE_TYPE
from hlo.dialect.reader.region_forms import CHLO_ARROWS, scalar_of

Printer = Callable[[Statement], "str | None"]
PRINTERS: dict[str, Printer] = {}


def one_type(s: Statement) -> str | None:
    return f"{s.name}{s.listed}{s.dictionary()} : {s.short_type}" if len(s.results) == 1 else None


def function_type(s: Statement) -> str:
    return f"{s.name}{s.listed}{s.dictionary()} : {s.type}"


def with_clauses(*clauses: tuple[str, str, Callable[[str], str]], same: bool = False) -> Printer:
    """Each clause: keyword, attribute, how its value is written."""

    def form(s: Statement) -> str | None:
        if any(name not in s.attributes for _, name, _ in clauses):
            return None
        shown = "".join(f", {keyword} = {write(s.attributes[name])}" for keyword, name, write in clauses)
        type = s.short_type if same else s.type
        return f"{s.name}{s.listed}{shown}{s.dictionary(*(name for _, name, _ in clauses))} : {type}"

    return form


def case(value: str) -> str:
    """`#stablehlo<fft_type RFFT>` to `RFFT`."""
    return value[:-1].split()[-1]


def constant(s: Statement) -> str | None:
    value = s.attributes.get("value", "")
    if not value.endswith(f" : {s.results[0]}"):
        return None
    return f"{s.name}{s.dictionary('value')} {value}"


def iota(s: Statement) -> str:
    return f"{s.name} dim = {number(s.attributes['iota_dimension'])}{s.dictionary('iota_dimension')} : {s.results[0]}"


def no_operands(s: Statement) -> str:
    return f"{s.name}{s.dictionary()} : {s.results[0]}"


def compare(s: Statement) -> str:
    kind = s.attributes.get("compare_type")
    ending = f", {case(kind)}" if kind else ""
    rest = s.dictionary("comparison_direction", "compare_type")
    return f"{s.name} {case(s.attributes['comparison_direction'])},{s.listed}{ending}{rest} : {s.type}"


def select(s: Statement) -> str:
    short = s.inputs[1] == s.inputs[2] == s.results[0]
    return f"{s.name}{s.listed}{s.dictionary()} : {f'{s.inputs[0]}, {s.results[0]}' if short else s.type}"


def complex_number(s: Statement) -> str | None:
    """None where an operand is of another shape than the result: the form has the result's type only."""
    part = re.sub(r"complex<(f\d+)>", r"\1", s.results[0])
    return f"{s.name}{s.listed}{s.dictionary()} : {s.results[0]}" if {*s.inputs} == {part} else None


def watched(s: Statement) -> str | None:
    return f"{s.name}{s.listed}{s.dictionary()} : {s.results[0]}" if s.results == s.inputs else None


def reduce_precision(s: Statement) -> str:
    exponent, mantissa = (number(s.attributes[k]) for k in ("exponent_bits", "mantissa_bits"))
    rest = s.dictionary("exponent_bits", "mantissa_bits")
    return f"{s.name}{s.listed}, format = e{exponent}m{mantissa}{rest} : {s.short_type}"


def slice_(s: Statement) -> str:
    names = ("start_indices", "limit_indices", "strides")
    columns = (split_list(integers(s.attributes[name])[1:-1]) for name in names)
    ranges = [f"{a}:{b}" + ("" if c == "1" else f":{c}") for a, b, c in zip(*columns)]
    return f"{s.name}{s.listed} [{', '.join(ranges)}]{s.dictionary(*names)} : {s.type}"


def dot_general(s: Statement) -> str | None:
    lists = dict(re.findall(r"(\w+) = (\[[^\]]*\])", s.attributes["dot_dimension_numbers"]))

    def pair(kind: str) -> str:
        return " x ".join(lists.get(f"{side}_{kind}_dimensions", "[]") for side in ("lhs", "rhs"))

    batching = f", batching_dims = {pair('batching')}" if "lhs_batching_dimensions" in lists else ""
    shown = f"{batching}, contracting_dims = {pair('contracting')}{_precision(s)}"
    if "algorithm" in s.attributes:
        shown += f", algorithm = {s.attributes['algorithm'][len('#stablehlo.dot_algorithm') :]}"
    rest = s.dictionary("dot_dimension_numbers", "precision_config", "algorithm")
    return f"{s.name}{s.listed}{shown}{rest} : {s.type}"


def _precision(s: Statement) -> str:
    if "precision_config" not in s.attributes:
        return ""
    cases = re.findall(r"precision (\w+)", s.attributes["precision_config"])
    return f", precision = [{', '.join(cases)}]" if cases else ", precision = []"


def dot(s: Statement) -> str:
    return f"{s.name}{s.listed}{_precision(s)}{s.dictionary('precision_config')} : {s.type}"


_WINDOW = {
    "stride": "window_strides",
    "pad": "padding",
    "lhs_dilate": "lhs_dilation",
    "rhs_dilate": "rhs_dilation",
    "reverse": "window_reversal",
}


def convolution(s: Statement) -> str | None:
    padding = s.attributes.get("padding", "")
    if padding and not re.match(r"dense<\[\[", padding):
        padding = _splat_padding(padding)
        if not padding:
            return None
        s.attributes["padding"] = padding
    window = ", ".join(f"{k} = {_window_value(s.attributes[n])}" for k, n in _WINDOW.items() if n in s.attributes)
    dimensions = s.attributes["dimension_numbers"][len("#stablehlo.conv<") : -1]
    rest = s.dictionary("dimension_numbers", *_WINDOW.values())
    operands = ", ".join(s.operands)
    return f"{s.name}({operands}) dim_numbers = {dimensions}, window = {{{window}}}{rest} : {s.type}"


def _splat_padding(padding: str) -> str:
    found = re.fullmatch(r"dense<(-?\d*)> : tensor<(\d+)x2xi64>", padding)
    if not found or not (found[1] or found[2] == "0"):
        return ""
    rows = ", ".join([f"[{found[1]}, {found[1]}]"] * int(found[2]))
    return f"dense<[{rows}]> : tensor<{found[2]}x2xi64>"


def _window_value(value: str) -> str:
    return value[len("dense<") : value.index("> :")] if value.startswith("dense<") else integers(value)


def custom_call(s: Statement) -> str:
    target = s.attributes["call_target_name"][1:-1]
    symbol = target if re.fullmatch(r"[A-Za-z_][\w$.]*", target) else f'"{target}"'
    return f"{s.name} @{symbol}({', '.join(s.operands)}){s.dictionary('call_target_name')} : {s.type}"


def composite(s: Statement) -> str | None:
    if s.regions:
        return None
    return f"{s.name} {s.attributes['name']}{s.listed}{s.dictionary('name')} : {s.type}"


def tuple_(s: Statement) -> str | None:
    if s.results[0] != f"tuple<{', '.join(s.inputs)}>":
        return None
    return f"{s.name}{s.listed}{s.dictionary()} : {s.results[0]}"


def get_tuple_element(s: Statement) -> str:
    return f"{s.name}{s.listed}[{number(s.attributes['index'])}]{s.dictionary('index')} : {s.type}"


def optimization_barrier(s: Statement) -> str | None:
    if not s.operands or s.results != s.inputs:
        return None
    return f"{s.name}{s.listed}{s.dictionary()} : {', '.join(s.inputs)}"


def return_(s: Statement) -> str:
    types = f" : {', '.join(s.inputs)}" if s.inputs else ""
    return f"{s.name}{s.listed}{s.dictionary()}{types}"


_BLOCK = re.compile(r"\s*\^\w+\(")


def block_arguments(region: str) -> tuple[list[str], str]:
    """The arguments (`%a: T`) of a region's first block, and the rest of the region."""
    found = _BLOCK.match(region)
    if not found:
        return [], region
    cursor = Cursor(region, found.end() - 1)
    arguments = split_list(cursor.balanced()[1:-1])
    cursor.expect(":")
    return arguments, region[cursor.position :]


def while_(s: Statement) -> str | None:
    """None where an argument of the regions has another type than its start: the form has one for both."""
    (first, condition), (second, body) = map(block_arguments, s.regions)
    names = [a.partition(":")[0] for a in first]
    wanted = [f"{name}: {t}" for name, t in zip(names, s.inputs)]
    if first != wanted or second != wanted or s.results != s.inputs:
        return None
    starts = ", ".join(f"{name} = {start}" for name, start in zip(names, s.operands))
    types = f" : {', '.join(s.inputs)}" if s.inputs else ""
    attributes = s.dictionary(keyword=" attributes")
    return f"{s.name}({starts}){types}{attributes} cond {{{condition}}} do {{{body}}}"


_ONE_OP = re.compile(r"\s*(%\w+) = (stablehlo\.\w+) (%\w+), (%\w+) : (\S+)\s*stablehlo\.return (%\w+) : \S+\s*(?:\^|$)")
_APPLICABLE = {f"stablehlo.{op}" for op in ("add", "multiply", "maximum", "minimum", "and", "or", "xor")}


def reduce(s: Statement) -> str:
    """`applies` when the region is one commutative op on its two arguments, otherwise the region as it is."""
    half = len(s.operands) // 2
    operands = ", ".join(f"({a} init: {b})" for a, b in zip(s.operands[:half], s.operands[half:]))
    arguments, body = block_arguments(s.regions[0])
    tail = f"across dimensions = {integers(s.attributes['dimensions'])}{s.dictionary('dimensions')} : {s.type}"
    applied = _applied(arguments, body, s.inputs[0]) if half == 1 else None
    if applied:
        return f"{s.name}{operands} applies {applied} {tail}"
    pairs = " ".join(f"({a}, {b})" for a, b in zip(arguments[:half], arguments[half:]))
    return f"{s.name}{operands} {tail}\n     reducer{pairs} {{{body}}}"


def _applied(arguments: list[str], body: str, input_type: str) -> str | None:
    found = _ONE_OP.fullmatch(body)
    if not found or found[2] not in _APPLICABLE or found[1] != found[6]:
        return None
    names = [a.partition(":")[0] for a in arguments]
    return found[2] if names == [found[3], found[4]] and found[5] == scalar_of(input_type) else None


def arrow(s: Statement) -> str:
    """chlo's `%a, %b : T, T -> R`."""
    return f"{s.name}{s.listed}{s.dictionary()} : {', '.join(s.inputs)} -> {', '.join(s.results)}"


def broadcasting(s: Statement) -> str:
    return f"{s.name}{s.listed}{s.dictionary()} : {s.type}"


def expect_constant(s: Statement) -> str | None:
    if "tolerance" in s.attributes:
        return None
    return f"{s.name}{s.listed}, {s.attributes['value']}{s.dictionary('value')}"


_DIMS, _SIZES = (lambda name: ("dims", name, integers)), (lambda name: ("sizes", name, integers))
PRINTERS.update({f"stablehlo.{op}": one_type for op in ONE_TYPE})
PRINTERS.update({f"stablehlo.{op}": function_type for op in FUNCTION_TYPE})
PRINTERS.update({f"chlo.{op}": broadcasting if op.startswith("broadcast_") else arrow for op in CHLO_ARROWS})
del PRINTERS["chlo.constant_like"]  # read, but upstream has no short form of it
PRINTERS.update(
    {
        "stablehlo.broadcast_in_dim": with_clauses(_DIMS("broadcast_dimensions")),
        "stablehlo.dynamic_broadcast_in_dim": with_clauses(_DIMS("broadcast_dimensions")),
        "stablehlo.transpose": with_clauses(_DIMS("permutation")),
        "stablehlo.reverse": with_clauses(_DIMS("dimensions"), same=True),
        "stablehlo.broadcast": with_clauses(_SIZES("broadcast_sizes")),
        "stablehlo.dynamic_slice": with_clauses(_SIZES("slice_sizes")),
        "stablehlo.concatenate": with_clauses(("dim", "dimension", number)),
        "stablehlo.get_dimension_size": with_clauses(("dim", "dimension", number)),
        "stablehlo.set_dimension_size": with_clauses(("dim", "dimension", number)),
        "stablehlo.dynamic_iota": with_clauses(("dim", "iota_dimension", number)),
        "stablehlo.pad": with_clauses(
            ("low", "edge_padding_low", integers),
            ("high", "edge_padding_high", integers),
            ("interior", "interior_padding", integers),
        ),
        "stablehlo.fft": with_clauses(("type", "fft_type", case), ("length", "fft_length", integers)),
        "stablehlo.rng": with_clauses(("distribution", "rng_distribution", case)),
        "stablehlo.rng_bit_generator": with_clauses(("algorithm", "rng_algorithm", case)),
        "stablehlo.einsum": with_clauses(("config", "einsum_config", str)),
        "stablehlo.cholesky": with_clauses(("lower", "lower", str), same=True),
        "stablehlo.reduce_precision": reduce_precision,
        "stablehlo.constant": constant,
        "chlo.constant": constant,
        "stablehlo.iota": iota,
        "stablehlo.create_token": no_operands,
        "stablehlo.replica_id": no_operands,
        "stablehlo.partition_id": no_operands,
        "stablehlo.compare": compare,
        "stablehlo.select": select,
        "stablehlo.complex": complex_number,
        "stablehlo.slice": slice_,
        "stablehlo.dot": dot,
        "stablehlo.dot_general": dot_general,
        "stablehlo.convolution": convolution,
        "stablehlo.custom_call": custom_call,
        "stablehlo.composite": composite,
        "stablehlo.tuple": tuple_,
        "stablehlo.get_tuple_element": get_tuple_element,
        "stablehlo.optimization_barrier": optimization_barrier,
        "stablehlo.return": return_,
        "stablehlo.while": while_,
        "stablehlo.reduce": reduce,
        "interpreter.print": watched,
        "check.expect_eq_const": expect_constant,
        "check.expect_almost_eq_const": expect_constant,
    }
)
