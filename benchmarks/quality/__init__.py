"""How good the defaults are, beside what a user would try instead: ``make quality``."""
