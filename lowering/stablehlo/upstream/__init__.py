"""Ops of MLIR's arith, tensor and shape dialects as StableHLO."""
