"""The weightings of kernels that others are compared with."""
