"""JAX programs as HLO text beside the StableHLO that they are lowered to: what both give must be the same."""

import jax
import numpy as np

import hlo

RELATIVE = {"float16": 2e-2, "bfloat16": 5e-2}
"""What results may differ by: XLA's optimised text reorders sums, and keeps chains of small types in f32; JAX's HLO has its own decompositions of
CHLO's functions. 2e-4 for the others."""


def texts(lowered):
    """The text as JAX hands it to XLA, and as XLA's compiler for CPUs leaves it (None where that ends in an error of its own)."""
    yield "unoptimised", lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)
    (module,) = lowered.compile().runtime_executable().hlo_modules()
    options = type(jax._src.stages.hlo.HloPrintOptions.short_parsable())()
    options.print_large_constants = True
    yield "optimised", module.to_string(options)


def leaves(arguments):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]


def difference(found, expected, others, relative, scale):
    """None, or what differs: each element must be that of StableHLO or that of XLA (`others`), which differ in what CHLO's functions are at
    special values: integers equal, floats near, relative to themselves or to `scale`."""
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}"
    right = _near(found, expected, relative, scale) | _near(found, others, relative, scale)
    return None if right.all() else f"{found[~right][:3]} instead of {expected[~right][:3]} or {others[~right][:3]}"


def _near(found, expected, relative, scale):
    if expected.dtype.kind in "iub":
        return found == expected
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    ours, theirs = found.astype(wide), expected.astype(wide)
    with np.errstate(invalid="ignore"):
        return np.isclose(ours, theirs, rtol=relative, atol=relative * scale, equal_nan=True)


def compared(function, arguments, kinds=("unoptimised", "optimised")):
    """(kind, None or what is wrong) for both texts."""
    arrays = leaves(arguments)
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    expected = hlo.compile(lowered.as_text())(*arrays)
    others = leaves(lowered.compile()(*arguments))
    for kind, text in texts(lowered):
        if kind in kinds:
            yield kind, _compared(kind, text, arrays, expected, others)


def _compared(kind, text, arrays, expected, others):
    try:
        found = hlo.compile(text)(*arrays)
    except hlo.HloError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if len(found) != len(expected):
        return f"{len(found)} results instead of {len(expected)}"
    relative = max([RELATIVE.get(a.dtype.name, 2e-4) for a in (*arrays, *expected)], default=2e-4)
    floats = [np.abs(a[np.isfinite(a)].astype(complex)).max(initial=0) for a in expected if a.dtype.kind not in "iub"]
    scale = min(1.0, max(floats, default=1.0))  # gradients that are zero up to rounding have no size of their own
    return next(filter(None, (difference(*three, relative, scale) for three in zip(found, expected, others))), None)
