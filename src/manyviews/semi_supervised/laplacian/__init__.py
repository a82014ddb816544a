"""Kernel methods that are smooth over graphs of the views."""
