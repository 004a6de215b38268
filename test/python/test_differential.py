"""The generator of random programs: complete, and its programs are legal; the comparison notices what it should."""

from __future__ import annotations

from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.tools.differential.families import load_all
from hlo.tools.differential.table import GENERATORS, LEFT_OUT


def test_every_op_has_a_generator_or_a_reason() -> None:
    make_context()  # registers the ops
    load_all()
    wanted = {name for name, op in OPS.items() if op.DIALECT in ("stablehlo", "chlo")}
    assert sorted(wanted - set(GENERATORS) - set(LEFT_OUT)) == []
    assert sorted(set(GENERATORS) & set(LEFT_OUT)) == []
    assert sorted((set(GENERATORS) | set(LEFT_OUT)) - wanted) == ["func.call"]
