"""Search of schedules: `hlo.compile(program, tune=SECONDS)`, HLO_TUNE, `hlo-opt --tune` (docs/kernels.md).

`phase.py` is the phase between `kernels` and `memory`, `search.py` the search for one kernel, `neighbours.py` what is tried,
`kernel_program.py` a kernel as a program of its own, `stored.py` what earlier searches have found."""
