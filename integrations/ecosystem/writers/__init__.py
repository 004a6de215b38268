"""What other programs write as StableHLO: `python -m integrations.ecosystem.writers`."""
