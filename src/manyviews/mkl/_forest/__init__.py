"""Trees over K-examples."""
