"""Targets as lists of named phases."""
