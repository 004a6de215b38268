"""Forms of Shardy's ops that JAX prints: meshes and shardings, kept as opaque attributes.

sdy.mesh @mesh = <["x"=2]>                  "sdy.mesh"() {sym_name = "mesh", mesh = #sdy.mesh<["x"=2]>} : () -> ()"""

from __future__ import annotations

from hlo.dialect.reader.cursor import OP_NAME, STRING
from hlo.dialect.reader.rewriter import FORMS, Rewriter


def mesh(reader: Rewriter, name: str) -> str:
    reader.expect("@")
    quoted = reader.peek() == '"'
    symbol = reader.match(STRING, "a name") if quoted else f'"{reader.match(OP_NAME, "the name of the mesh")}"'
    reader.expect("=")
    axes = _angles(reader)
    attributes = [f"sym_name = {symbol}", f"mesh = #sdy.mesh{axes}", reader.dictionary()]
    return reader.write(name, [], attributes, "() -> ()")


def resharding(reader: Rewriter, name: str) -> str:
    """`%a <@mesh, [{"x"}, {}]> : T`."""
    operand = reader.value()
    attributes = [f"sharding = #sdy.sharding{_angles(reader)}", reader.dictionary()]
    reader.expect(":")
    type = reader.type()
    return reader.write(name, [operand], attributes, f"({type}) -> {type}")


def _angles(reader: Rewriter) -> str:
    if reader.peek() != "<":
        raise reader.fail("'<'")
    return reader.balanced()


FORMS.update({"sdy.mesh": mesh, "sdy.sharding_constraint": resharding, "sdy.reshard": resharding})
