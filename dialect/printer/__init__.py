"""Modules to text in upstream's spelling."""
