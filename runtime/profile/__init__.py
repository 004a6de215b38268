"""Profiles of compiled programs: where their time goes (docs/profiling.md)."""
