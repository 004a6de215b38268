"""Executables: engine, buffers, calls."""
