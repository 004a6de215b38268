"""The name under which JAX sees hlo."""

from __future__ import annotations

from hlo.environment import AS_CPU

OWN_NAME = "hlo"
AS_CPU_NAME = "cpu"

PLATFORM = AS_CPU_NAME if AS_CPU.value() else OWN_NAME
"""Decided when this module is imported, when JAX makes its first backend: nothing changes it afterwards."""
