"""The parts of hlo-run."""
