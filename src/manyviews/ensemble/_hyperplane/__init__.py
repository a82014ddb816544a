"""Nearest hyperplanes through neighbours."""
