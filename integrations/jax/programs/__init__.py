"""From what JAX hands over to programs of hlo: compile options, shardings, memory kinds."""
