"""The command line, and the fitted models that it keeps in files."""
