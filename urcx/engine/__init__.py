"""Compiled kernels, the threads and memory they use, and the one move generator."""
