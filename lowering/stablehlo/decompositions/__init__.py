"""StableHLO ops that are shorthand for others, written out."""
