"""Whether this process is one of several that mpirun, mpiexec or srun have started: known without MPI, which is slow to start."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hlo.environment import MPI

COUNTS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
"""The variables in which Open MPI, MPICH and its relatives, MVAPICH, and Slurm's srun say how many processes they have started."""


def is_one_of_many(environment: Mapping[str, str] = os.environ) -> bool:
    """What HLO_MPI says, else what the launcher has left in the environment. Raises ArgumentError for a value that
    HLO_MPI does not take."""
    told = MPI.value()
    if told is not None:
        return bool(told)
    return any(environment.get(name, "").isdecimal() and int(environment[name]) > 1 for name in COUNTS)
