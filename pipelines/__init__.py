"""Targets as lists of named phases, and the runner of such lists."""

from hlo.pipelines.cpu import cpu
from hlo.pipelines.phase import Phase
from hlo.pipelines.runner import run, run_pass
from hlo.pipelines.targets import target_pipeline

__all__ = ["Phase", "cpu", "run", "run_pass", "target_pipeline"]
