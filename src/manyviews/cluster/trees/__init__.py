"""Trees of clusters under Bregman divergences, bottom-up and top-down."""
