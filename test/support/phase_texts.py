"""Programs after phases of compiling, for processors that need not be this machine's."""

import os
import subprocess
import sys
from pathlib import Path


def phase_text(program: str, phase: str, cpu: str) -> str:
    """The text of a program after a phase, as hlo-opt prints it for a processor and two threads."""
    environment = {**os.environ, "HLO_CPU": cpu, "HLO_THREADS": "2"}
    command = [str(Path(sys.executable).with_name("hlo-opt")), "-", f"--compile-to={phase}"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
