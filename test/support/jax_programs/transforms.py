"""Fourier transforms, sorts, histograms, images."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .arrays import integers, normal

FFTS = [
    (
        f"fft_{n}",
        lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.fft(z, axis=0)),
        (normal(3, n, dtype=np.complex64),),
    )
    for n in (1, 2, 7, 8, 12, 15, 31, 64, 100)
]
RFFTS = [
    (
        f"rfft_{n}",
        lambda x: (
            jnp.fft.rfft(x),
            jnp.fft.irfft(jnp.fft.rfft(x), x.shape[-1]),
            jnp.fft.hfft(jnp.fft.ihfft(x), x.shape[-1]),
        ),
        (normal(3, n),),
    )
    for n in (1, 2, 7, 8, 15, 30, 128)
]
PROGRAMS = [
    (*p, 5e-5)[:4]
    for p in [
        *FFTS,
        *RFFTS,
        (
            "fft2",
            lambda z: (jnp.fft.fft2(z), jnp.fft.ifft2(z), jnp.fft.fftn(z), jnp.fft.ifftn(z)),
            (normal(3, 5, 6, dtype=np.complex64),),
        ),
        (
            "rfft2",
            lambda x: (
                jnp.fft.rfft2(x),
                jnp.fft.rfftn(x),
                jnp.fft.irfft2(jnp.fft.rfft2(x), x.shape[1:]),
                jnp.fft.irfftn(jnp.fft.rfftn(x), x.shape),
            ),
            (normal(3, 5, 6),),
        ),
        (
            "fft_shift_freq",
            lambda x: (
                jnp.fft.fftshift(x),
                jnp.fft.ifftshift(x),
                jnp.fft.fftfreq(9) + x[0, 0],
                jnp.fft.fft(x, 16),
                jnp.fft.fft(x, 3),
            ),
            (normal(4, 9),),
        ),
        (
            "fft_gradient",
            jax.grad(lambda x: (jnp.abs(jnp.fft.rfft(x)) ** 2).sum() + jnp.real(jnp.fft.fft(x * 1j)).sum()),
            (normal(9),),
        ),
        (
            "convolve",
            lambda x, k: (
                [jnp.convolve(x, k, m) for m in ("full", "same", "valid")]
                + [jnp.correlate(x, k), jax.scipy.signal.fftconvolve(x, k)]
            ),
            (normal(20), normal(5)),
        ),
        (
            "signal",
            lambda x: (
                jax.scipy.signal.stft(x, nperseg=16)[2],
                jax.scipy.signal.detrend(x),
                jax.scipy.signal.welch(x, nperseg=16)[1],
            ),
            (normal(64),),
            1e-3,
        ),
        ("dct", lambda x: (jax.scipy.fft.dct(x), jax.scipy.fft.idct(x)), (normal(3, 8),), 1e-3),
        (
            "sorts",
            lambda x: (
                jnp.sort(x, 0),
                jnp.sort(x, 1),
                jnp.argsort(x, 1),
                jnp.sort(x, 1, descending=True),
                jnp.argsort(x, 0, descending=True),
                jnp.sort(x, None),
            ),
            (normal(6, 11),),
        ),
        (
            "sort_ties",
            lambda k: (jnp.argsort(k, stable=True), jnp.argsort(k, descending=True), jnp.sort(k)),
            (integers(50, high=5),),
        ),
        (
            "sort_types",
            lambda k: [
                jnp.sort(k.astype(d)).astype(jnp.float32)
                for d in (jnp.int8, jnp.uint8, jnp.int16, jnp.float16, jnp.bfloat16, jnp.bool_)
            ],
            (integers(33, high=90),),
        ),
        (
            "sort_special",
            lambda x: (jnp.sort(x), jnp.argsort(x), jnp.argmax(x)),
            (np.array([3, np.nan, -np.inf, 0.0, -0.0, np.inf, 1, np.nan], np.float32),),
        ),
        ("sort_complex", jnp.sort, (normal(9, dtype=np.complex64),)),
        (
            "lexsort",
            lambda a, b: (jnp.lexsort((a, b)), lax.sort((a, b), num_keys=2)),
            (integers(20, high=4), integers(20, high=4)),
        ),
        (
            "sort_multi",
            lambda a, b, x: lax.sort((a, b, x), dimension=1, num_keys=1),
            (integers(4, 9, high=4), normal(4, 9), normal(4, 9)),
        ),
        (
            "unique",
            lambda k: (
                jnp.unique(k, size=8, fill_value=-1),
                jnp.unique(k, size=6, return_index=True, return_inverse=True, return_counts=True),
            ),
            (integers(20, high=6),),
        ),
        (
            "searchsorted",
            lambda x, v: [
                jnp.searchsorted(jnp.sort(x), v, side=s, method=m)
                for s in ("left", "right")
                for m in ("scan", "sort", "compare_all")
            ],
            (normal(30), normal(7)),
        ),
        (
            "histogram",
            lambda x, k: (
                jnp.histogram(x, 7, (-2, 2)),
                jnp.bincount(k, length=10),
                jnp.digitize(x, jnp.linspace(-1, 1, 5)),
                jnp.histogram2d(x, x * 2, 4),
            ),
            (normal(100), integers(50)),
        ),
        (
            "top_k",
            lambda x: (lax.top_k(x, 1), lax.top_k(x, 4), lax.top_k(-x, 11)),
            (normal(5, 11),),
        ),
        ("top_k_int", lambda x: lax.top_k(x, 4), (integers(3, 40),)),
        (
            "percentile",
            lambda x: (
                jnp.percentile(x, 30),
                jnp.quantile(x, jnp.array([0.1, 0.5]), axis=0),
                jnp.median(x, 1),
                jnp.nanmedian(x),
                jnp.percentile(x, 70, method="nearest"),
            ),
            (normal(7, 9),),
        ),
        (
            "partition",
            lambda x: (
                jnp.partition(x, 3),
                jnp.argpartition(x, 3)[..., 3],
                jnp.diff(x),
                jnp.ediff1d(x[0]),
                jnp.trapezoid(x),
                jnp.gradient(x[0]),
            ),
            (normal(4, 9),),
        ),
        (
            "sort_gradient",
            jax.grad(lambda x: (jnp.sort(x, 0) * jnp.arange(6.0)[:, None]).sum() + lax.top_k(x, 2)[0].prod()),
            (normal(6, 5),),
        ),
        (
            "setops",
            lambda a, b: (
                jnp.isin(a, b),
                jnp.intersect1d(a, b, size=5, fill_value=-1),
                jnp.union1d(a, b, size=9, fill_value=-1),
                jnp.setdiff1d(a, b, size=4, fill_value=-1),
            ),
            (integers(12), integers(8)),
        ),
        ("sort_large", lambda x: (jnp.sort(x), jnp.argsort(x)), (normal(30000),)),
        *(
            (
                f"resize_{m}",
                lambda x, m=m: (jax.image.resize(x, (2, 9, 13, 3), m), jax.image.resize(x, (2, 3, 4, 3), m)),
                (normal(2, 6, 7, 3),),
            )
            for m in ("nearest", "bilinear", "bicubic", "lanczos3")
        ),
        (
            "map_coordinates",
            lambda x, c: (
                jax.scipy.ndimage.map_coordinates(x, [c[0] * 4, c[1] * 5], 1),
                jax.scipy.ndimage.map_coordinates(x, [c[0], c[1]], 0, mode="wrap"),
            ),
            (normal(5, 6), np.abs(normal(2, 7))),
        ),
        (
            "scale_translate",
            lambda x: jax.image.scale_and_translate(
                x, (8, 9), (0, 1), jnp.array([1.5, 0.7]), jnp.array([0.3, 1.0]), "linear"
            ),
            (normal(6, 7),),
        ),
        ("resize_gradient", jax.grad(lambda x: (jax.image.resize(x, (9, 5), "bilinear") ** 2).sum()), (normal(4, 7),)),
    ]
]
