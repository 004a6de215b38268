"""Calls of compiled programs: arguments, results, their memory, interruption."""
