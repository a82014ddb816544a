"""Word by word from one language into another, and pairs made by it."""
