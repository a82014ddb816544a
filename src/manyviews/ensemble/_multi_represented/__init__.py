"""Neighbours in every view, made comparable."""
