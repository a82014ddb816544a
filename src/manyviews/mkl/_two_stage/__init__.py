"""Kernels learnt by telling pairs of one class from pairs of two."""
