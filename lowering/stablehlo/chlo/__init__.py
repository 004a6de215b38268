"""CHLO ops in StableHLO arithmetic."""
