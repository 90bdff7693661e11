"""Compiled kernels: the one place that decides how they are compiled and cached."""
