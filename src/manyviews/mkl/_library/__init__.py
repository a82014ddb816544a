"""Base kernels and what is known of them."""
