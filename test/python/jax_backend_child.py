"""Runs JAX programs on the platform that JAX_PLATFORMS names: `features OUT` or `programs OUT AREA...`; writes what was found."""

import importlib
import os
import pickle
import sys
import traceback
from pathlib import Path


def attempt(function, *arguments):
    """What a function gives as numpy arrays, or the text of its exception."""
    import jax
    import numpy as np

    try:
        return [np.asarray(leaf) for leaf in jax.tree.leaves(function(*arguments))]
    except BaseException:
        return traceback.format_exc()


def features():
    from jax_programs.backend_features import FEATURES

    return {name: attempt(function) for name, function in FEATURES.items()}


def programs(*areas):
    import jax

    rows = ((area, row) for area in areas for row in importlib.import_module(f"jax_programs.{area}").PROGRAMS)
    return {f"{area}-{name}": attempt(jax.jit(function), *rest[0]) for area, (name, function, *rest) in rows}


if __name__ == "__main__":
    if os.environ["JAX_PLATFORMS"] == "hlo":
        import hlo.jax

        hlo.jax.register()
    kind, out, *names = sys.argv[1:]
    Path(out).write_bytes(pickle.dumps({"features": features, "programs": programs}[kind](*names)))
