"""The programs of the benchmark, written in JAX: `PROGRAMS[name]`, in the order of the table."""

from bench.programs import contractions, convolutions, data_movement, loops, models, rowwise
from bench.programs.program import Program

FAMILIES = (contractions, rowwise, data_movement, convolutions, models, loops)
PROGRAMS: dict[str, Program] = {p.name: p for family in FAMILIES for p in family.PROGRAMS}
