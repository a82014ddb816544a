"""Search and classification in a common space of views."""
