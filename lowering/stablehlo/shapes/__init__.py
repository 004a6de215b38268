"""Ops whose shapes are values, as ops whose shapes are types."""
