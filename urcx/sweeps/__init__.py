"""Sweeps: what kernels that go through all states of a pair of layers have in common."""
