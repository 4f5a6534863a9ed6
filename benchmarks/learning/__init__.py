"""Learning: what a policy takes to train."""
