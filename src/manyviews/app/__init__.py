"""What people run: the command line, reports, annotation and reproductions."""
