"""Runs JAX programs on the platform that JAX_PLATFORMS names: `features OUT`, `programs OUT AREA...` or
`devices OUT [NAME...]`; writes what was found."""

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


def described(leaf):
    """A leaf as what two backends can be compared by: a JAX array's value, sharding, and the part of each device."""
    import jax
    import numpy as np

    if not isinstance(leaf, jax.Array) or jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return leaf
    sharding = str(getattr(leaf.sharding, "spec", type(leaf.sharding).__name__))
    parts = sorted((s.device.id, str(s.index), np.asarray(s.data)) for s in leaf.addressable_shards)
    return sharding, leaf.committed, leaf.weak_type, np.asarray(leaf), parts


def devices(*names):
    import jax
    from jax_programs import memory_kinds, shardings_of_calls, unreduced_sums
    from jax_programs.several_devices import PROGRAMS

    assert memory_kinds and shardings_of_calls and unreduced_sums, "their programs are in the table too"

    found = {}
    for name in names or PROGRAMS:
        try:
            found[name] = [described(leaf) for leaf in jax.tree.leaves(PROGRAMS[name]())]
        except BaseException:
            found[name] = traceback.format_exc()
    return found


if __name__ == "__main__":
    if os.environ["JAX_PLATFORMS"] == "hlo":
        import hlo.jax

        hlo.jax.register()
    kind, out, *names = sys.argv[1:]
    Path(out).write_bytes(pickle.dumps({"features": features, "programs": programs, "devices": devices}[kind](*names)))
