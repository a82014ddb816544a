"""Clusters as dense regions."""
