"""Hostile programs: good ones with mistakes in them, read, compiled and run in worker processes (`python -m hlo.tools.fuzz`)."""
