"""Passes that make a program smaller: identities, constants, dead code, common subexpressions."""
