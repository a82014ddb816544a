"""Speed and memory as ratios to a reference measured in the same run: ``make bench``."""
