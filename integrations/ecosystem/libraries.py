"""The libraries of JAX's ecosystem that are tried: a row each, in the order of the table in docs/ecosystem.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

JAX = ("jax==0.10.2", "jaxlib==0.10.2")
ALTERNATELY = {"cpu": {"JAX_PLATFORMS": "cpu"}, "hlo": {"JAX_PLATFORMS": "hlo"}}
"""Variables that choose JAX's CPU backend, and hlo."""
AS_CPU = {"cpu": {"JAX_PLATFORMS": "cpu"}, "hlo": {"JAX_PLATFORMS": "cpu", "HLO_AS_CPU": "1"}}
"""The same for libraries that ask for the platform "cpu" by its name."""


@dataclass(frozen=True)
class Library:
    """What is installed, and the program that is run on both backends (programs/PROGRAM.py)."""

    name: str
    program: str
    requirements: tuple[str, ...]
    """Exact versions: the first is the library's own, the rest what else the program needs."""
    jax: tuple[str, ...] = JAX
    backends: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: ALTERNATELY)
    variables: Mapping[str, str] = field(default_factory=dict)
    """For both backends."""
    python: str = ""
    """The interpreter's version, such as 3.13, where it is not that of this process."""


OPTAX, FLAX = "optax==0.2.8", "flax==0.12.8"

LIBRARIES = (
    Library("keras", "keras_cnn", ("keras==3.15.1",), variables={"KERAS_BACKEND": "jax"}),
    Library("numpyro", "numpyro_regression", ("numpyro==0.22.0",)),
    Library("blackjax", "blackjax_posterior", ("blackjax==1.7.1",)),
    Library("diffrax", "diffrax_stiff", ("diffrax==0.7.2",)),
    Library("brax", "brax_pendulum", ("brax==0.14.2",), backends=AS_CPU),
    Library("mujoco-mjx", "mjx_bodies", ("mujoco-mjx==3.17.0",), backends=AS_CPU),
    Library("orbax", "orbax_sharded", ("orbax-checkpoint==0.12.8",), variables={"JAX_NUM_CPU_DEVICES": "4"}),
    Library("haiku", "haiku_recurrent", ("dm-haiku==0.0.17", OPTAX)),
    Library("equinox", "equinox_attention", ("equinox==0.13.8", OPTAX)),
    Library("optimistix", "optimistix_problems", ("optimistix==0.1.0",)),
    Library("penzai", "penzai_perceptron", ("penzai==0.2.5", OPTAX)),
    Library("e3nn-jax", "e3nn_convolution", ("e3nn-jax==0.21.0",)),
    Library("netket", "netket_chain", ("netket==3.23.0",)),
    Library("optax", "optax_optimisers", (OPTAX,)),
    Library("flax", "flax_autoencoder", (FLAX, OPTAX)),
    *(
        Library(f"jax-{version.rpartition('.')[0]}", "jax_parts", (), (f"jax=={version}", f"jaxlib=={version}"))
        for version in ("0.8.0", "0.9.2")
    ),
    Library("jax-0.12", "jax_parts", (), ("jax==0.12.0.1", "jaxlib==0.12.0.1"), python="3.13"),
)
