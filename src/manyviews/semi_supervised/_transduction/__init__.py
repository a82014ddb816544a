"""Methods made to label the unlabelled objects at hand."""
