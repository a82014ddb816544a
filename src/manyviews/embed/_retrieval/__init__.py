"""What is found and told in a common space: documents, and their classes."""
