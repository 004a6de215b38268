"""Assembly formats of Shardy's ops, which have no classes; their attributes stay as upstream spells them (dialect/sharding reads them).

sdy.mesh @mesh = <["x"=2]>                  "sdy.mesh"() {sym_name = "mesh", mesh = #sdy.mesh<["x"=2]>} : () -> ()
sdy.return %0 : T                           "sdy.return"(%0) : (T) -> ()"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlo.dialect.assembly.directives import Directive
from hlo.dialect.assembly.op_directives import symbol_name
from hlo.dialect.assembly.region_directives import block_arguments
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.assembly.values import number
from hlo.dialect.attributes import I64, AttributeKind, String
from hlo.dialect.cursor import WORD

if TYPE_CHECKING:
    from hlo.dialect.reader.rewriter import Rewriter


def _brackets(reader: Rewriter, opening: str) -> str:
    if reader.peek() != opening:
        raise reader.fail(f"'{opening}'")
    return reader.balanced()


class MeshName(Directive):
    """`@mesh`."""

    shown = frozenset(["sym_name"])

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.attributes["sym_name"] = symbol_name(reader, "the name of the mesh")

    def write(self, s: Statement) -> str | None:
        return f"@{s.attributes['sym_name'][1:-1]}"


class _InAngles(Directive):
    """The inside of one of Shardy's attributes."""

    key = ""

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.attributes[self.key] = f"#sdy.{self.key}{_brackets(reader, '<')}"

    def write(self, s: Statement) -> str | None:
        return s.attributes[self.key].removeprefix(f"#sdy.{self.key}")


class MeshAxes(_InAngles):
    """`<["x"=2]>`."""

    key = "mesh"
    shown = frozenset([key])


class TensorSharding(_InAngles):
    """`<@mesh, [{"x"}, {}]>`."""

    key = "sharding"
    shown = frozenset([key])


DIRECTIONS = ("NONE", "FORWARD", "BACKWARD", "BOTH")
"""Which ways a propagation barrier lets shardings pass, in the order of upstream's numbers."""


class PropagationDirection(Directive):
    """One of DIRECTIONS."""

    shown = frozenset(["allowed_direction"])

    def read(self, reader: Rewriter, s: Statement) -> None:
        start = reader.position
        direction = reader.match(WORD, "the name of a direction")
        if direction not in DIRECTIONS:
            reader.position = start
            raise reader.fail(f"one of {', '.join(DIRECTIONS)}")
        s.attributes["allowed_direction"] = f"{DIRECTIONS.index(direction)} : i32"

    def write(self, s: Statement) -> str | None:
        return DIRECTIONS[int(number(s.attributes["allowed_direction"]))]


class _ShardingPerValue(Directive):
    """`[<@mesh, [{"x"}]>]`: a sharding for each operand or result."""

    key = ""
    line = None

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.attributes[self.key] = f"#sdy.sharding_per_value<{_brackets(reader, '[')}>"

    def is_present(self, s: Statement) -> bool:
        return self.key in s.attributes

    def write(self, s: Statement) -> str | None:
        return s.attributes[self.key].removeprefix("#sdy.sharding_per_value<")[:-1]


class InShardings(_ShardingPerValue):
    """Those of the operands."""

    key = "in_shardings"
    shown = frozenset([key])
    attached = True


class OutShardings(_ShardingPerValue):
    """Those of the results."""

    key = "out_shardings"
    shown = frozenset([key])
    attached = True


class ManualAxes(Directive):
    """`{"x"}`."""

    shown = frozenset(["manual_axes"])
    attached = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.attributes["manual_axes"] = f"#sdy<manual_axes{_brackets(reader, '{')}>"

    def write(self, s: Statement) -> str | None:
        axes = s.attributes["manual_axes"]
        return axes[axes.index("{") : axes.rindex("}") + 1]


class Body(Directive):
    """`(%b: T) {...}`."""

    has_regions = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        if reader.peek() != "(":
            raise reader.fail("the arguments of the body: '('")
        arguments = reader.balanced()[1:-1].strip()
        s.regions = [reader.region(f"^bb0({arguments}):" if arguments else "")]

    def write(self, s: Statement) -> str | None:
        arguments, body = block_arguments(s.regions[0])
        return f"({', '.join(arguments)}) {{{body}}}"


_RESHARDING = "operands custom<TensorSharding> attr-dict `:` custom<SameOperandsAndResultType>"
_SHARDINGS = "`in_shardings` `` `=` `` custom<InShardings> `out_shardings` `` `=` `` custom<OutShardings>"
_OPTIONAL_SHARDINGS = (
    "(`in_shardings` `` `=` `` custom<InShardings>)? (`out_shardings` `` `=` `` custom<OutShardings>)?"
)
FORMATS: dict[str, tuple[str, dict[str, AttributeKind]]] = {
    "sdy.mesh": ("custom<MeshName> `=` custom<MeshAxes> attr-dict", {}),
    "sdy.sharding_constraint": (_RESHARDING, {}),
    "sdy.reshard": (_RESHARDING, {}),
    "sdy.sharding_group": ("operands `group_id` `` `=` `` $group_id attr-dict `:` type(operands)", {"group_id": I64}),
    "sdy.propagation_barrier": (
        "operands `allowed_direction` `` `=` `` custom<PropagationDirection> attr-dict `:` custom<SameOperandsAndResultType>",
        {},
    ),
    "sdy.manual_computation": (
        f"`(` operands `)` {_SHARDINGS} `manual_axes` `` `=` `` custom<ManualAxes> custom<Body> attr-dict `:` functional-type(operands, results)",
        {},
    ),
    "sdy.named_computation": (
        f"`<` $name `>` `` `(` operands `)` {_OPTIONAL_SHARDINGS} custom<Body> attr-dict `:` functional-type(operands, results)",
        {"name": String},
    ),
    "sdy.return": ("operands attr-dict (`:` type(operands)^)?", {}),
}
"""By the op's name: its format, and the kinds of the attributes that the format names."""
