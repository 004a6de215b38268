"""Targets as lists of named phases, and the runner of such lists."""

from hlo.pipelines.cpu import cpu
from hlo.pipelines.phase import Phase
from hlo.pipelines.runner import run, run_pass
from hlo.pipelines.targets import TARGETS, target_pipeline

__all__ = ["TARGETS", "Phase", "cpu", "run", "run_pass", "target_pipeline"]
