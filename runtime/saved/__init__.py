"""Compiled programs as data: files, and the cache on disk."""
