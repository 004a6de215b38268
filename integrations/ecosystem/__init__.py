"""Small programs of libraries that are written for JAX, on its CPU backend and on hlo: `python -m integrations.ecosystem`."""
