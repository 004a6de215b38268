"""The primitives of the installed JAX, and those that the grid leaves out, each with its reason."""

from __future__ import annotations

import importlib
import pkgutil

import jax._src.lax
from jax._src.interpreters import mlir
from jax.extend.core import Primitive


def primitives() -> set[str]:
    """Names of all primitives that the modules of jax.lax define, or that JAX can lower for the CPU."""
    names = {p.name for table in (mlir._lowerings, mlir._platform_specific_lowerings["cpu"]) for p in table}
    for module in pkgutil.walk_packages(jax._src.lax.__path__, "jax._src.lax."):
        values = vars(importlib.import_module(module.name)).values()
        names |= {value.name for value in values if isinstance(value, Primitive)}
    return names


REASONS = {
    "traced away: no program holds it": (
        *(
            "add_any",
            "broadcast_to",
            "dce_sink",
            "empty2",
            "eval_jaxpr",
            "from_edtype",
            "to_edtype",
            "name",
            "stage",
            "stop_gradient",
        ),
        *(
            "iota_2x32_shape",
            "call",
            "closed_call",
            "custom_lin",
            "linear_call",
            "remat_opt",
            "run_state",
        ),
        *("create_linear", "pin", "unpin", "tie", "unreachable"),
    ),
    "ordering and effects of the host, no numbers": (
        *(
            "after_all",
            "create_token",
            "debug_callback",
            "debug_print",
            "io_callback",
            "pure_callback",
            "inspect_sharding",
        ),
    ),
    "shapes that are known only at run time: test_dynamic_shapes.py": (
        *("dim_as_value", "dimension_size", "shape_assertion"),
    ),
    "several devices, or asynchronous halves of a collective: hlo runs one": (
        *(
            "all_gather_done",
            "all_gather_invariant",
            "all_gather_reduced",
            "all_gather_reduced_start",
            "all_gather_start",
        ),
        *("all_to_all_done", "all_to_all_start", "pbroadcast", "pbroadcast_done", "pbroadcast_start", "ppermute_done"),
        *("ppermute_start", "precv", "preduced", "psend", "psum_done", "psum_invariant_start", "psum_start"),
        *("ragged_all_to_all", "reduce_scatter_done", "reduce_scatter_start", "unreduced_psum", "unreduced_psum_start"),
        *("unreduced_reduce_scatter", "unreduced_reduce_scatter_start", "vary_unreduced_cast_p", "reduced_vary_cast_p"),
        *("pvary", "psum_invariant", "reshard", "sharding_constraint", "layout_constraint", "custom_partitioning"),
    ),
    "kernels of other machines (GPU attention, scaled matrix products)": (
        "scaled_dot",
        *("dot_product_attention_bwd_wrapper", "dot_product_attention_fp8_bwd_wrapper"),
        *("dot_product_attention_fp8_fwd_wrapper", "dot_product_attention_fwd_wrapper", "scaled_matmul_wrapper"),
    ),
    "programs of other makers inside: what they call is not JAX's": ("call_exported", "ffi_call"),
    "random numbers of the machine's own": ("rng_uniform",),
    "generators that JAX keeps to itself: made of arithmetic that is in the grid": (
        *("philox2x32", "philox4x32", "threefry4x32"),
    ),
    "moves arrays between devices or memories": ("device_put", "with_memory_space_constraint"),
    "checks and references of the Pallas and mosaic languages": ("check", "core_map"),
}
LEFT_OUT = {name: reason for reason, names in REASONS.items() for name in names}
