"""Makes the models that the table reads tiles with; needs torch, never used at the table."""
