"""Classifiers that weigh every unlabelled object by its class probabilities."""
