"""Orbax: a tree of arrays on four devices is saved, and restored as it was and in other shardings."""

import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as checkpoint
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

TOLERANCES = dict.fromkeys(("rows", "columns", "half", "step", "parts"), (0.0, 0.0))


def make():
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("a", "b"))
    values = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
    tree = {
        "rows": jax.device_put(values, NamedSharding(mesh, P("a"))),
        "columns": jax.device_put(values, NamedSharding(mesh, P(None, "b"))),
        "half": jax.device_put(values.astype(jnp.bfloat16), NamedSharding(mesh, P("a", "b"))),
        "step": jax.device_put(np.int32(7), NamedSharding(mesh, P())),
    }
    elsewhere = {
        name: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, P("b", "a") if x.ndim else P()))
        for name, x in tree.items()
    }

    def run():
        with tempfile.TemporaryDirectory() as folder, checkpoint.StandardCheckpointer() as saver:
            saver.save(Path(folder) / "tree", tree)
            saver.wait_until_finished()
            same = saver.restore(Path(folder) / "tree", tree)
            moved = saver.restore(Path(folder) / "tree", elsewhere)
        assert all(same[name].sharding == tree[name].sharding for name in tree)
        assert all(moved[name].sharding == elsewhere[name].sharding for name in tree)
        parts = [np.asarray(part.data, np.float32).sum() for part in moved["rows"].addressable_shards]
        total = jax.jit(lambda a, b: jax.tree.map(lambda x, y: (x + y).astype(jnp.float32) / 2, a, b))(same, same)
        return {**total, "parts": parts}

    return run
