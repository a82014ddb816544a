"""Features of one view learnt from what it says about the others."""
