"""What StableHLO, CHLO and the check dialect are: ops as classes, IRDL, reader, verifier, printer."""
