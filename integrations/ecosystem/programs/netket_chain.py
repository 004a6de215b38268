"""NetKet: the ground state of Ising's chain in a transverse field by variational Monte Carlo, and its exact gradient."""

import jax
import netket as nk
import numpy as np

TOLERANCES = {"energy": (0.005, 0.0), "exact": (1e-6, 0.0), "gradient": (0.0, 1e-6)}
"""Chains part ways after a rounding: energies of samples have an error of about 0.001. Sums over all states are exact."""


def make():
    graph = nk.graph.Chain(10, pbc=True)
    hilbert = nk.hilbert.Spin(0.5, graph.n_nodes)
    ising = nk.operator.IsingJax(hilbert, graph, h=1.0)
    rbm = nk.models.RBM(alpha=1, param_dtype=float)
    whole = nk.vqs.FullSumState(hilbert, rbm, seed=2)

    def run():
        sampler = nk.sampler.MetropolisLocal(hilbert, n_chains=16)
        state = nk.vqs.MCState(sampler, rbm, n_samples=1008, seed=1, sampler_seed=3)
        driver = nk.driver.VMC_SR(ising, nk.optimizer.Sgd(0.05), diag_shift=0.01, variational_state=state)
        driver.run(120, out=None, show_progress=False)
        energies = []
        for _ in range(20):
            state.reset()
            energies.append(state.expect(ising).mean.real)
        mean, gradient = whole.expect_and_grad(ising)
        flat = np.concatenate([np.ravel(g) for g in jax.tree.leaves(gradient)])
        return {"energy": np.mean(energies), "exact": mean.mean.real, "gradient": flat}

    return run
