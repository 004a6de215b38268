"""Compiling in a worker process, which may die without harm: `hlo.compile(program, isolate=True)`, or HLO_ISOLATE=1.

limits.py: what the worker may take. messages.py: how the two processes speak. worker.py: the worker. process.py: its life. compiler.py: a
compilation seen from the process that wants it."""
