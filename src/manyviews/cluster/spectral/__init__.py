"""Spectral clusterings: by the leading eigenvectors of similarities."""
